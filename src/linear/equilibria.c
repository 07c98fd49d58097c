/* The results for equilibria and steady motions: coordinates, reactions, stability; equilibria from many starts.
 *
 * At rest under forces with a potential, the second variation of the potential on the constraints decides: T^T D r T, over the mass. If forces have
 * no potential, if the model has states of its own, and in a steady motion, the eigenvalues of the linearisation decide, as far as they can.
 */
#include "linear/linear.h"
#include "start/shares.h"

#include "base/argument.h"
#include "dynamics/friction.h"
#include "dynamics/reactions.h"
#include "joint/joint.h"
#include "math/rank.h"
#include "model/system_parts.h"
#include "state/state_parts.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double flat = 1e-10;     /* of the largest stiffness */
static const double slack = 1e-12;    /* of one over the square of the model's own time: rounding of stiffnesses that cancel */
static const double symmetric = 1e-8; /* largest antisymmetric part of K, relative to K */
static const double grows = 1e-9;     /* of the fastest motion: a real part that is more than rounding */
static const double same = 1e-6;      /* of the model's length, or rad: one equilibrium found twice */

typedef struct finder {
    dal_linear linear;
    dal_equilibrium *out;
} finder;

static void gather_coordinates(finder *f)
{
    dal_linear *x = &f->linear;
    const char **names = DAL_NEW(&x->arena, const char *, x->n_candidates + 1);
    double *values = DAL_NEW(&x->arena, double, x->n_candidates + 1), *rates = DAL_NEW(&x->arena, double, x->n_candidates + 1);
    for (int i = 0; i < x->n_candidates; i++)
        if (x->candidates[i].about < 0 && !x->candidates[i].asked) {
            names[f->out->n_coordinates] = dal_arena_copy(&x->arena, x->candidates[i].name, strlen(x->candidates[i].name));
            const int rate = dal_system_column(x->system, dal_arena_print(&x->arena, "%s'", x->candidates[i].name));
            rates[f->out->n_coordinates] = rate >= 0 ? x->values[rate] : 0;
            values[f->out->n_coordinates++] = x->values[x->candidates[i].column];
        }
    f->out->coordinates = names;
    f->out->values = values;
    f->out->rates = rates;
}

static void gather_reactions(finder *f)
{
    dal_linear *x = &f->linear;
    const dal_mechanism *m = x->point.layout->mechanism;
    dal_evaluation_reaction *list = DAL_NEW(&x->arena, dal_evaluation_reaction, m->n_joints + 1);
    for (int j = 0; j < m->n_joints; j++) {
        if (!dal_joint_has_sides(&m->joints[j]))
            continue;
        dal_evaluation_reaction *r = &list[f->out->n_reactions++];
        r->joint = dal_arena_copy(&x->arena, m->joints[j].name, strlen(m->joints[j].name));
        r->unique = true;
        dal_state_reaction(x->state, j, r->force, r->torque);
        const dal_reactions *reactions = dal_reactions_of(x->state);
        for (int k = 0; k < 6 && x->point.velocities.n < x->point.n_rows && reactions->redundancy; k++)
            r->unique = r->unique && !reactions->loose[6 * j + k];
    }
    f->out->reactions = list;
}

/* The softest direction, and those without a restoring force. */
static void name_soft(finder *f, int n, const double *value, const double *vector)
{
    dal_linear *x = &f->linear;
    dal_point *p = &x->point;
    const char **free = DAL_NEW(&x->arena, const char *, n + 1);
    for (int i = 0; i < n; i++) {
        const dal_mode_share *shares;
        double *v = DAL_NEW(&x->arena, double, p->nv + 1);
        if (i && value[i] != 0)
            break;
        dal_kept_expand(p, &p->velocities, 1, vector + (size_t)n * (size_t)i, v);
        const int found = dal_find_shares(p, v, NULL, &shares);
        if (!i) {
            f->out->n_softest = found;
            f->out->softest = shares;
        }
        if (value[i] == 0 && found)
            free[f->out->n_free++] = shares[0].part;
    }
    f->out->free = free;
}

/* Eigenvalues: some grow; all decay; or some are imaginary, and first order does not decide. Zeros of a steady motion are its symmetries. */
static dal_status judge_by_modes(finder *f)
{
    dal_linear *x = &f->linear;
    dal_modes *modes;
    double fast = 0, growth = -INFINITY;
    dal_status status = x->out ? DAL_OK : dal_linear_finish(x);
    if (status == DAL_OK)
        status = dal_linear_modes(x, &modes);
    if (status != DAL_OK)
        return status;
    for (int i = 0; i < modes->n_modes; i++)
        fast = fmax(fast, hypot(modes->modes[i].re, modes->modes[i].im));
    for (int i = 0; i < modes->n_modes; i++)
        growth = fmax(growth, modes->modes[i].re);
    f->out->by_eigenvalues = true;
    f->out->n_modes = modes->n_modes;
    f->out->modes = modes->modes;
    f->out->n_zeros = modes->n_zeros;
    if (!f->out->steady && !modes->n_zeros)
        f->out->n_free = 0; /* they are held by what has no potential */
    /* a direction and its velocity are two zeros: more are a chain in which one displacement drives another */
    f->out->drifts = !f->out->steady && !x->point.n_z && modes->n_zeros > 2 * modes->n_free;
    f->out->stability = growth > grows * fast || f->out->drifts                                            ? DAL_UNSTABLE
                        : modes->n_zeros > x->point.positions.p - x->point.velocities.p && !f->out->steady ? DAL_INDIFFERENT
                        : growth < -grows * fast                                                           ? DAL_STABLE
                                                                                                           : DAL_NOT_DECIDED;
    f->out->drifts = f->out->drifts && !(growth > grows * fast);
    return DAL_OK;
}

/* Sticking dry friction makes other positions equilibria as well. Where it holds the model, only what holds is named. */
static void name_friction(finder *f)
{
    dal_linear *x = &f->linear;
    const dal_acting *acting = dal_system_acting(x->bare);
    const dal_mechanism *m = dal_system_mechanism(x->bare);
    const char **names = DAL_NEW(&x->arena, const char *, acting->n_frictions + 1);
    for (int i = 0; i < acting->n_frictions; i++) {
        const char *name = m->joints[acting->frictions[i].joint].name;
        bool had = f->linear.held && !dal_friction_rubs(x->state, i);
        for (int k = 0; k < f->out->n_frictions; k++)
            had = had || !strcmp(names[k], name);
        if (!had)
            names[f->out->n_frictions++] = dal_arena_copy(&x->arena, name, strlen(name));
    }
    f->out->frictions = names;
}

/* T^T D r T: symmetric where the forces have a potential. */
static void judge(finder *f)
{
    dal_linear *x = &f->linear;
    dal_point *p = &x->point;
    const int n = p->velocities.p;
    const size_t area = (size_t)n * (size_t)n;
    double *K = DAL_NEW(&x->arena, double, area + 1), *value = DAL_NEW(&x->arena, double, n + 1), *vector = DAL_NEW(&x->arena, double, area + 1);
    double *work = DAL_NEW(&x->arena, double, dal_rank_work(n, n) + 1), skew = 0;
    double size = 0, nothing = slack / (p->layout->units.time * p->layout->units.time);
    dal_point_stiffnesses(p, &p->velocities, K);
    for (int i = 0; i < n; i++)
        for (int j = 0; j < i; j++) {
            skew = fmax(skew, fabs(K[n * i + j] - K[n * j + i]));
            K[n * i + j] = K[n * j + i] = 0.5 * (K[n * i + j] + K[n * j + i]);
        }
    f->out->n_stiffnesses = n;
    f->out->stiffnesses = value;
    if (n && dal_symmetric_eigen(K, n, n, value, vector, work))
        f->out->stability = DAL_NOT_DECIDED;
    for (int i = 0; i < n; i++)
        size = fmax(size, fabs(value[i]));
    for (int i = 0; i < n; i++) /* rounding becomes zero */
        value[i] = fabs(value[i]) <= fmax(flat * size, nothing) ? 0 : value[i];
    f->out->stability = p->n_z || skew > fmax(symmetric * size, nothing) ? DAL_NOT_DECIDED
                        : n && value[0] < 0                              ? DAL_UNSTABLE
                        : n && value[0] == 0                             ? DAL_INDIFFERENT
                                                                         : DAL_STABLE;
    if (n)
        name_soft(f, n, value, vector);
}

static dal_status gather_equilibrium(void *user)
{
    finder *f = user;
    dal_linear *x = &f->linear;
    f->out = DAL_NEW(&x->arena, dal_equilibrium, 1);
    f->out->info = dal_linear_heading(x);
    f->out->time = x->point.at.t;
    f->out->steady = x->options->at && !strcmp(x->options->at, "steady");
    f->out->n_choices = x->steady.freedom;
    f->out->n_detours = f->out->steady ? 0 : dal_point_detours(&x->point);
    gather_coordinates(f);
    gather_reactions(f);
    name_friction(f);
    f->out->held = x->held;
    f->out->singular = x->singular;
    if (f->out->singular || f->out->held)
        f->out->stability = DAL_NOT_DECIDED;
    else if (!f->out->steady)
        judge(f);
    return DAL_OK;
}

/* `held`: by dry friction, at the start of the model; else without friction. *rubs: the model has friction. */
static dal_status search_once(const dal_allocator *allocator, const dal_linear *asked, bool *rubs, dal_equilibrium **out)
{
    finder f = {.linear = *asked};
    dal_arena_begin(&f.linear.arena, allocator);
    dal_status status = dal_linear_make(&f.linear, true);
    if (status == DAL_OK)
        status = dal_arena_try(&f.linear.arena, gather_equilibrium, &f);
    if (status == DAL_OK && (f.out->steady || (f.out->stability == DAL_NOT_DECIDED && !f.out->n_frictions && !f.out->singular)))
        status = judge_by_modes(&f);
    *rubs = f.linear.bare && dal_system_acting(f.linear.bare)->n_frictions;
    if (status == DAL_BAD_MODEL && *rubs && !asked->held)
        dal_say_friction_omitted(f.linear.bare, asked->messages);
    dal_linear_end(&f.linear);
    return dal_arena_deliver(&f.linear.arena, status == DAL_OK, status, f.out, offsetof(dal_equilibrium, memory), out);
}

/* Without friction; where there is none, friction may hold the start of the model. */
static dal_status find_one(const dal_allocator *allocator, const dal_spec *spec, const dal_linear_options *options, const uint64_t *seed,
                           dal_messages *messages, dal_equilibrium **out)
{
    dal_messages *heard = dal_messages_create(allocator), *unheard = dal_messages_create(allocator);
    bool rubs = false;
    *out = NULL;
    dal_status status = heard && unheard ? DAL_OK : DAL_NO_MEMORY, held = DAL_BAD_MODEL;
    if (status == DAL_OK)
        status = search_once(allocator, &(dal_linear){.spec = spec, .options = options, .messages = heard, .seed = seed}, &rubs, out);
    if (status == DAL_BAD_MODEL && rubs && !seed && options->at && !strcmp(options->at, "equilibrium"))
        held = search_once(allocator, &(dal_linear){.spec = spec, .options = options, .messages = unheard, .held = true}, &rubs, out);
    if (status != DAL_NO_MEMORY)
        dal_pass_all(messages, held == DAL_OK ? unheard : heard);
    dal_messages_free(heard);
    dal_messages_free(unheard);
    return held == DAL_OK || held == DAL_NO_MEMORY ? held : status;
}

static dal_status find_equilibrium(const char *function, const dal_allocator *allocator, const dal_spec *spec, const dal_linear_options *options,
                                   dal_messages *messages, dal_equilibrium **out)
{
    dal_status status;
    if (out)
        *out = NULL;
    if (!dal_needs(messages, function, "equilibrium", out))
        return DAL_BAD_COMMAND;
    if (!dal_linear_needs(function, allocator, spec, options, messages, &status))
        return status;
    return find_one(allocator, spec, options, NULL, messages, out);
}

dal_status dal_equilibrium_find(const dal_allocator *allocator, const dal_spec *spec, dal_messages *messages, dal_equilibrium **equilibrium)
{
    return find_equilibrium(__func__, allocator, spec, &(dal_linear_options){.at = "equilibrium"}, messages, equilibrium);
}

dal_status dal_steady_find(const dal_allocator *allocator, const dal_spec *spec, int n, const dal_steady *steady, dal_messages *messages,
                           dal_equilibrium **motion)
{
    return find_equilibrium(__func__, allocator, spec, &(dal_linear_options){.at = "steady", .n_steady = n, .steady = steady}, messages, motion);
}

void dal_equilibrium_free(dal_equilibrium *equilibrium)
{
    if (equilibrium)
        dal_arena_dispose(equilibrium->memory);
}

/* ---- many starts --------------------------------------------------------------------------------------------------- */

static bool is_angle(const char *name)
{
    const char *dot = strrchr(name, '.');
    return dot && !strncmp(dot, ".angle", 6);
}

/* Angles that differ by a whole number of turns are the same position. */
static bool are_same(const dal_equilibrium *a, const dal_equilibrium *b)
{
    for (int i = 0; i < a->n_coordinates; i++) {
        const double apart = a->values[i] - b->values[i], turns = is_angle(a->coordinates[i]) ? 2 * M_PI * round(apart / (2 * M_PI)) : 0;
        if (fabs(apart - turns) > same * (is_angle(a->coordinates[i]) ? 1 : fmax(a->info.length, fabs(a->values[i]))))
            return false;
    }
    return true;
}

static void keep_new(dal_equilibria *all, dal_equilibrium *found)
{
    for (int i = 0; i < all->n; i++)
        if (are_same(all->list[i], found)) {
            all->times[i]++;
            dal_equilibrium_free(found);
            return;
        }
    all->times[all->n] = 1;
    all->list[all->n++] = found;
}

/* The list before it is filled. */
typedef struct room {
    dal_arena *arena;
    int starts;
    dal_equilibria *out;
} room;

static dal_status make_room(void *user)
{
    room *x = user;
    x->out = DAL_NEW(x->arena, dal_equilibria, 1);
    x->out->starts = x->starts;
    x->out->list = DAL_NEW(x->arena, dal_equilibrium *, x->starts);
    x->out->times = DAL_NEW(x->arena, int, x->starts);
    return DAL_OK;
}

dal_status dal_equilibria_find(const dal_allocator *allocator, const dal_spec *spec, int starts, uint64_t seed, dal_messages *messages,
                               dal_equilibria **equilibria)
{
    static const dal_linear_options options = {.at = "equilibrium"};
    dal_status status, last = DAL_OK;
    if (equilibria)
        *equilibria = NULL;
    if (!DAL_NEEDS(messages, equilibria))
        return DAL_BAD_COMMAND;
    if (!dal_linear_needs(__func__, allocator, spec, NULL, messages, &status))
        return status;
    if (starts < 1 || starts > 1000000) {
        dal_error(messages, (dal_mark){"command line", 0, 0}, "the number of starts is from 1 to 1000000, not %d", starts);
        return DAL_BAD_COMMAND;
    }
    dal_arena arena;
    dal_arena_begin(&arena, allocator);
    room wanted = {&arena, starts, NULL};
    status = dal_arena_try(&arena, make_room, &wanted);
    dal_equilibria *all = wanted.out;
    for (int i = 0; i < starts && status == DAL_OK; i++) {
        const uint64_t number = seed + (uint64_t)i;
        dal_equilibrium *found = NULL;
        dal_messages *heard = dal_messages_create(allocator);
        last = find_one(allocator, spec, &options, i ? &number : NULL, heard, &found);
        if (last == DAL_NO_MEMORY)
            status = last;
        else if (last == DAL_OK)
            keep_new(all, found);
        else
            all->failed++;
        if (!i || (last != DAL_OK && all->failed == 1 && !all->n && i == starts - 1))
            dal_pass_all(messages, heard);
        dal_messages_free(heard);
    }
    if (status == DAL_OK && !all->n)
        status = last;
    if (status != DAL_OK && all)
        for (int i = 0; i < all->n; i++)
            dal_equilibrium_free(all->list[i]);
    return dal_arena_deliver(&arena, status == DAL_OK, status, all, offsetof(dal_equilibria, memory), equilibria);
}

void dal_equilibria_free(dal_equilibria *equilibria)
{
    for (int i = 0; equilibria && i < equilibria->n; i++)
        dal_equilibrium_free(equilibria->list[i]);
    if (equilibria)
        dal_arena_dispose(equilibria->memory);
}
