/* df/dp from the equations in symbols: parameter_equations.h.
 *
 * derive/ writes the equations with the parameters as letters:
 *     f(t, q, v, z, u, v', lambda; p_1 ... p_n) = (r, phi, phi', A v' - gamma, z')
 * One program computes all of them. Parameters that are expressions of others follow from a second one. A complex step along p and along what
 * follows from it gives df/dp to rounding (variation/program_slopes.h).
 *
 * Compile does not read these symbols: it works on numbers, and a number may depend on p in a way that derive/ took for a plain number (the mass
 * of a shape, the values of a table). So every answer is proven: with two other values of p the symbols have to give what the models give that are
 * compiled for them, at the same point, in every number of f. Where they do not, there is no answer here. These models stay with the state, so that
 * a later call costs an evaluation of each. Turns that angles count are not in the symbols: phi may differ by a constant that is the same in all three.
 */
#include "analysis/parameter_equations.h"
#include "analysis/start_rules.h"

#include "base/message.h"
#include "base/printer.h"
#include "derive/nodes.h"
#include "dynamics/refine.h"
#include "dynamics/slopes.h"
#include "run/sample_states.h"
#include "state/state_parts.h"
#include "state/values.h"
#include "variation/program_slopes.h"

#include <float.h>
#include <math.h>
#include <string.h>

static const double agrees = 1e-11; /* of f with the model that was compiled for the value, over the size of its terms */
enum { TWINS = 2 };

typedef struct proof {
    bool opened;
    dal_parameter_twin twin[TWINS];
} proof;

/* What stays with the state. */
typedef struct symbols {
    dal_arena arena;
    dal_derivation *d; /* NULL: the model is not written in symbols */
    int *chart;        /* for which it was derived */
    int n;             /* numbers of f */
    int n_parameters;
    dal_program *program, *follow;
    bool *needed;       /* of each parameter: f depends on it, or on one that is written with it */
    bool *follows;      /* and its value is the expression that it is written as */
    double *x, *dx, *f; /* letters, a direction; f */
    double *apart;      /* of each number of phi: the kernels have so much more */
    bool at_start;      /* derived with the rules of assembly */
    dal_start_rules *rules;
    double *values; /* of the parameters */
    double *slopes; /* of these along p */
    double *registers;
    void *room;
    proof *of;       /* each parameter */
    const char *why; /* the model is not written in symbols */
} symbols;

static DAL_PRINTF(2, 3) bool set_reason(dal_parameter_equations *x, const char *format, ...)
{
    DAL_FORMAT(x->why, format);
    return false;
}

/* ---- deriving ------------------------------------------------------------------------------------------- */

typedef struct making {
    dal_parameter_equations *x;
    symbols *s;
    dal_messages *messages;
} making;

/* phi'' of row i: A v' - gamma */
static dal_node row_acceleration(dal_derivation *d, int i)
{
    dal_node sum = dal_n_neg(d, d->row[i].gamma);
    for (int k = 0; k < d->nv; k++)
        sum = dal_n_add(d, sum, dal_n_mul(d, d->A[i * d->nv + k], dal_n_var(d, d->a + k)));
    return sum;
}

/* The nodes of f; false: one is not written in symbols. */
static bool write_equations(const dal_parameter_equations *x, dal_derivation *d, dal_node *f)
{
    const dal_spec *spec = d->spec;
    if (d->n_rows != d->layout->n_rows || d->n_equations != d->nv)
        return false;
    for (int k = 0; k < d->nv; k++)
        f[x->first[DAL_PART_R] + k] = d->equations[k].zero;
    for (int i = 0; i < d->n_rows; i++) {
        f[x->first[DAL_PART_PHI] + i] = d->row[i].phi != DAL_NO_NODE ? d->row[i].phi : dal_n_const(d, 0);
        f[x->first[DAL_PART_PHID] + i] = d->row[i].rate;
        f[x->first[DAL_PART_PHIDD] + i] = row_acceleration(d, i);
    }
    for (int i = 0; i < spec->n_states; i++) {
        dal_value value;
        if (!dal_derive_text(d, spec->states[i].binding, spec->states[i].rate, &value) || value.n != 1)
            return false;
        f[x->first[DAL_PART_ZD] + i] = dal_in_coordinates(d, value.node[0]);
    }
    for (int k = 0; k < x->first[DAL_PART_START_Q]; k++)
        if (f[k] == DAL_NO_NODE || dal_is_unsolved(d, f[k]))
            return false;
    return true;
}

/* At a start. */
static void leave_rows(const dal_parameter_equations *x, dal_derivation *d, dal_node *f)
{
    for (int k = 0; k < x->first[DAL_PART_START_Q]; k++)
        if (k < x->first[DAL_PART_PHI] || k >= x->first[DAL_PART_PHIDD])
            f[k] = dal_n_const(d, 0);
}

static void note_need(void *user, int variable)
{
    symbols *s = user;
    const dal_letter *l = &s->d->letters[variable];
    if (l->role == DAL_ROLE_PARAMETER)
        s->needed[l->index] = true;
}

/* f, and what its parameters are written as. */
static void find_needs(symbols *s, const dal_node *f, const dal_node *parameter)
{
    const int n = s->d->spec->n_parameters;
    bool *seen = DAL_NEW(&s->arena, bool, n + 1);
    for (int k = 0; k < s->n; k++)
        dal_each_var(s->d->graph, f[k], note_need, s);
    for (int k = 0; s->rules && k < s->rules->n; k++)
        dal_each_var(s->d->graph, s->rules->node[k], note_need, s);
    for (int i = 0; i < n; i++)
        if (s->needed[i] && !seen[i]) {
            seen[i] = true;
            dal_each_var(s->d->graph, parameter[i], note_need, s);
            i = -1; /* chains are short */
        }
}

/* What each parameter is written as, in letters; one that cannot be read so stays itself. Those that f does not depend on are not followed. */
static void write_parameters(symbols *s, const dal_node *f)
{
    dal_derivation *d = s->d;
    const dal_spec *spec = d->spec;
    dal_node *node = DAL_NEW(&s->arena, dal_node, spec->n_parameters + 1);
    for (int i = 0; i < spec->n_parameters; i++) {
        dal_value value;
        const dal_pair *p = &spec->parameters[i];
        const dal_text text = p->set.text ? p->set : p->value;
        const bool read = text.text && dal_derive_text(d, p->set.text ? p->set_binding : p->binding, text, &value) && value.n == 1;
        node[i] = read ? value.node[0] : dal_n_const(d, 0);
    }
    find_needs(s, f, node);
    for (int i = 0; i < spec->n_parameters; i++) {
        s->follows[i] = s->needed[i] && !dal_is_const(d->graph, node[i], NULL);
        node[i] = s->follows[i] ? node[i] : dal_n_const(d, 0);
    }
    s->follow = dal_program_build(&s->arena, d->graph, d->n_letters, spec->n_parameters, node);
}

static dal_status derive(void *user)
{
    making *m = user;
    symbols *s = m->s;
    dal_derive_options how = dal_derive_options_of(m->x->state);
    const int bodies = dal_layout_of(m->x->state)->mechanism->n_bodies;
    s->n = m->x->first[DAL_PART_START_Q];
    s->chart = DAL_NEW(&s->arena, int, 3 * bodies + 1);
    memcpy(s->chart, how.chart, sizeof *s->chart * 3 * (size_t)bodies);
    how.chart = s->chart;
    how.formulation = "lagrange";
    how.follow = true;
    dal_derivation *d = dal_derive_equations(&s->arena, dal_system_spec(dal_system_of(m->x->state)), dal_system_of(m->x->state), &how, m->messages);
    dal_node *f = DAL_NEW(&s->arena, dal_node, s->n + 1);
    const dal_message *first = dal_messages_first(m->messages);
    if (!d || !write_equations(m->x, d, f)) {
        s->why = d || !first ? "an equation is not written in symbols" : dal_arena_copy(&s->arena, first->text, strlen(first->text));
        return DAL_OK;
    }
    s->d = d;
    s->n_parameters = d->spec->n_parameters;
    s->of = DAL_NEW(&s->arena, proof, d->spec->n_parameters);
    s->follows = DAL_NEW(&s->arena, bool, d->spec->n_parameters);
    s->needed = DAL_NEW(&s->arena, bool, d->spec->n_parameters);
    if (s->at_start) {
        s->rules = dal_start_rules_write(&s->arena, d);
        leave_rows(m->x, d, f);
    }
    write_parameters(s, f);
    s->program = dal_program_build(&s->arena, d->graph, d->n_letters, s->n, f);
    if (s->rules)
        s->rules->program = dal_program_build(&s->arena, d->graph, d->n_letters, s->rules->n, s->rules->node);
    const size_t one = dal_program_slopes_room(s->program), other = dal_program_slopes_room(s->follow);
    s->room = dal_arena_alloc(&s->arena, one > other ? one : other);
    s->x = DAL_NEW(&s->arena, double, d->n_letters);
    s->dx = DAL_NEW(&s->arena, double, d->n_letters);
    s->f = DAL_NEW(&s->arena, double, s->n + 1);
    s->apart = DAL_NEW(&s->arena, double, d->n_rows + 1);
    s->values = DAL_NEW(&s->arena, double, d->spec->n_parameters + 1);
    s->slopes = DAL_NEW(&s->arena, double, d->spec->n_parameters + 1);
    s->registers = DAL_NEW(&s->arena, double, dal_program_registers(s->program) + dal_program_registers(s->follow) + 1);
    return DAL_OK;
}

static void forget(const dal_allocator *allocator, void *kept)
{
    symbols *s = kept;
    for (int i = 0; s->of && i < s->n_parameters; i++)
        for (int k = 0; k < TWINS; k++)
            dal_parameter_twin_close(&s->of[i].twin[k]);
    dal_arena_release(&s->arena);
    allocator->release(allocator->user, s);
}

static bool is_for_charts(const symbols *s, const dal_state *state)
{
    const int bodies = dal_layout_of(state)->mechanism->n_bodies;
    return s->n < 0 || !memcmp(s->chart, dal_seen_work(state)->chart, sizeof *s->chart * 3 * (size_t)bodies);
}

/* Those of the state, derived at the first call; NULL: no memory. */
static symbols *symbols_of(dal_parameter_equations *x)
{
    dal_refinement *keeper = dal_refinement_of(x->state);
    const dal_allocator *from = dal_allocator_of(x->state);
    symbols *s = keeper->kept;
    if (s && is_for_charts(s, x->state) && (s->at_start || !x->at_start))
        return s;
    if (s)
        forget(from, s);
    keeper->kept = NULL;
    s = from->allocate(from->user, sizeof *s);
    if (!s)
        return NULL;
    memset(s, 0, sizeof *s);
    dal_arena_begin(&s->arena, from);
    s->at_start = x->at_start;
    making m = {.x = x, .s = s, .messages = dal_messages_create(from)};
    if (dal_arena_try(&s->arena, derive, &m) != DAL_OK) {
        dal_messages_free(m.messages);
        forget(from, s);
        return NULL;
    }
    if (!s->d)
        s->n = -1; /* and is not tried again */
    dal_messages_free(m.messages);
    keeper->kept = s;
    keeper->forget = forget;
    return s;
}

/* ---- values --------------------------------------------------------------------------------------------- */

/* Of a state of the model, or of one that differs in parameters. */
static void read_letters(const symbols *s, const dal_parameter_equations *x, dal_state *state, double *to)
{
    const dal_work *w = dal_seen_work(state);
    const dal_values *values = dal_values_of(state);
    const dal_spec *spec = dal_system_spec(dal_system_of(state));
    for (int i = 0; i < s->d->n_letters; i++) {
        const dal_letter *l = &s->d->letters[i];
        switch (l->role) {
        case DAL_ROLE_TIME: to[i] = w->t; break;
        case DAL_ROLE_COORDINATE: to[i] = w->q[l->index]; break;
        case DAL_ROLE_RATE: to[i] = w->v[l->index]; break;
        case DAL_ROLE_ACCELERATION: to[i] = x->vd[l->index]; break;
        case DAL_ROLE_MULTIPLIER: to[i] = x->lambda[l->index]; break;
        case DAL_ROLE_STATE: to[i] = values->z[l->index]; break;
        case DAL_ROLE_INPUT: to[i] = values->inputs[l->index]; break;
        case DAL_ROLE_PARAMETER: to[i] = spec->parameters[l->index].number; break;
        default: to[i] = l->value;
        }
    }
}

static void set_letters(symbols *s, const dal_parameter_equations *x)
{
    read_letters(s, x, x->state, s->x);
}

static void set_parameters(symbols *s, const dal_spec *values)
{
    for (int i = 0; i < s->n_parameters; i++)
        if (s->d->parameter[i] >= 0)
            s->x[s->d->parameter[i]] = values->parameters[i].number;
}

/* Numbers of f: how much more the kernels have, over the size of its terms. */
static double more(const symbols *s, const dal_parameter_equations *x, dal_parameter_part which, int k, const double *f)
{
    return f[k] - s->f[k] - (which == DAL_PART_PHI ? s->apart[k - x->first[which]] : 0);
}

/* At a start the rows alone count: forces may be singular there. */
static bool counts(const symbols *s, dal_parameter_part which)
{
    return !s->at_start || which == DAL_PART_PHI || which == DAL_PART_PHID;
}

/* Is f of the letters that of the model? */
static bool has_values(symbols *s, dal_parameter_equations *x, const double *f)
{
    static const char *const names[] = {"r", "phi", "phi'", "phi''", "z'"};
    if (dal_program_run(s->program, s->x, NULL, s->registers, s->f))
        return set_reason(x, "a table of the model ends");
    for (dal_parameter_part which = 0; which < DAL_PART_START_Q; which++) {
        double size = x->size[which], most = 0;
        for (int k = x->first[which]; counts(s, which) && k < x->first[which + 1]; k++) {
            size = fmax(size, fabs(f[k]) / x->unit[k]);
            most = fmax(most, isfinite(s->f[k]) ? fabs(more(s, x, which, k, f)) / x->unit[k] : HUGE_VAL);
        }
        if (!(most <= agrees * size))
            return set_reason(x, "%s of compiled models differs from the symbols by %.2g", names[which], most / size);
    }
    return true;
}

/* The kernels at the state, and at p. False: the symbols have something else there. */
static bool is_at_state(symbols *s, dal_parameter_equations *x, double *f)
{
    const int first = x->first[DAL_PART_PHI], n = x->first[DAL_PART_PHID] - first;
    dal_need(x->state, DAL_STAGE_LOADS);
    dal_parameter_measure(x, x->state, f);
    set_letters(s, x);
    if (dal_program_run(s->program, s->x, NULL, s->registers, s->f))
        return false;
    for (int i = 0; i < n; i++)
        s->apart[i] = f[first + i] - s->f[first + i];
    return has_values(s, x, f);
}

/* ---- the proof ------------------------------------------------------------------------------------------ */

/* q, v and z of the state, which is at the start. */
static void read_place(const dal_parameter_equations *x, double *f)
{
    const dal_work *w = dal_seen_work(x->state);
    const dal_values *values = dal_values_of(x->state);
    memcpy(f + x->first[DAL_PART_START_Q], w->q, sizeof *f * (size_t)(x->first[DAL_PART_START_V] - x->first[DAL_PART_START_Q]));
    memcpy(f + x->first[DAL_PART_START_V], w->v, sizeof *f * (size_t)(x->first[DAL_PART_START_Z] - x->first[DAL_PART_START_V]));
    for (int k = x->first[DAL_PART_START_Z]; k < x->first[DAL_PARTS]; k++)
        f[k] = values->z[k - x->first[DAL_PART_START_Z]];
}

/* f of a twin at the held point, and its start. */
static bool measure_twin(const symbols *s, dal_parameter_equations *x, const dal_parameter_twin *twin, double *f)
{
    return (!s->at_start || !dal_parameter_measure_start(x, twin->state, f)) && dal_parameter_twin_measure(x, twin, f);
}

static bool is_seen(const symbols *s, const dal_parameter_equations *x, const double *f, const double *here)
{
    bool seen = false;
    for (dal_parameter_part which = 0; which < DAL_PARTS; which++)
        if (which < DAL_PART_START_Q ? counts(s, which) : s->at_start)
            seen = seen || dal_parameter_part_differs(x, which, f, here);
    return seen;
}

/* The first values for which there is a model that can be evaluated here. Returns how many; `seen`: f is not the same for one of them. */
static int open_some(const symbols *s, dal_parameter_equations *x, double (*trial)(const dal_parameter_equations *x, int i), const double *here,
                     proof *p, bool *seen)
{
    double *f = DAL_NEW(x->arena, double, x->first[DAL_PARTS] + 1);
    int found = 0;
    for (int i = 0; i < DAL_PARAMETER_TRIALS && found < TWINS && !x->structure; i++) {
        if (!dal_parameter_twin_open(x, trial(x, i), &p->twin[found]))
            continue;
        if (measure_twin(s, x, &p->twin[found], f)) {
            *seen = *seen || is_seen(s, x, f, here);
            found++;
        } else
            dal_parameter_twin_close(&p->twin[found]);
    }
    return found;
}

static void close_twins(proof *p)
{
    for (int i = 0; i < TWINS; i++)
        dal_parameter_twin_close(&p->twin[i]);
}

/* Models beside p, or far off if nothing is seen to change beside it. */
static void open_twins(symbols *s, dal_parameter_equations *x, double *here)
{
    proof *p = &s->of[x->number], far = {.opened = true};
    bool seen = false;
    if (s->at_start)
        read_place(x, here);
    p->opened = true;
    if (open_some(s, x, dal_parameter_trial, here, p, &seen) < TWINS || seen || !dal_parameter_is_small(x))
        return;
    const dal_parameter_verdict kept = dal_parameter_keep(x);
    if (open_some(s, x, dal_parameter_far_trial, here, &far, &seen) == TWINS) {
        close_twins(p);
        *p = far;
    } else
        close_twins(&far);
    dal_parameter_forgive(x, kept);
}

/* Which others follow from it: those whose expressions give the values that the reader found. The others do not change, or nothing is known. */
static bool follow_values(symbols *s, dal_parameter_equations *x, const dal_spec *values)
{
    const dal_spec *spec = s->d->spec;
    dal_program_run(s->follow, s->x, NULL, s->registers, s->values);
    for (int i = 0; i < spec->n_parameters; i++) {
        const double now = values->parameters[i].number;
        const bool same = fabs(now - spec->parameters[i].number) <= 4 * DBL_EPSILON * fabs(now);
        const bool written = s->follows[i] && fabs(s->values[i] - now) <= 64 * DBL_EPSILON * fabs(now);
        if (i == x->number || written || !s->needed[i])
            continue;
        s->follows[i] = false;
        if (!same)
            return set_reason(x, "parameter '%s' follows in a way of its own", spec->parameters[i].name.text);
    }
    return true;
}

static bool is_proven(symbols *s, dal_parameter_equations *x, double *f)
{
    proof *p = &s->of[x->number];
    bool fine = true;
    if (!p->opened)
        open_twins(s, x, f);
    for (int i = 0; i < TWINS && fine; i++) {
        fine = p->twin[i].state && dal_parameter_twin_measure(x, &p->twin[i], f);
        if (fine)
            set_parameters(s, dal_system_spec(p->twin[i].system));
        else
            set_reason(x, "no model is found beside the value");
        fine = fine && follow_values(s, x, dal_system_spec(p->twin[i].system)) && has_values(s, x, f);
    }
    set_letters(s, x);
    return fine;
}

/* ---- the slope ----------------------------------------------------------------------------------------- */

/* dx: 1 along p, and along what follows from it; chains are short. */
static bool set_direction(symbols *s, const dal_parameter_equations *x)
{
    const dal_derivation *d = s->d;
    const int n = d->spec->n_parameters;
    memset(s->dx, 0, sizeof *s->dx * (size_t)d->n_letters);
    if (d->parameter[x->number] >= 0)
        s->dx[d->parameter[x->number]] = 1;
    for (int rounds = 0, changed = 1; changed && rounds <= n; rounds++) {
        changed = 0;
        if (dal_program_corner_along(s->follow, s->x, s->dx, s->room))
            return false;
        dal_program_slopes(s->follow, s->x, s->dx, s->room, s->slopes);
        for (int i = 0; i < n; i++) {
            const int letter = d->parameter[i];
            if (i == x->number || !s->follows[i] || letter < 0 || !(fabs(s->slopes[i] - s->dx[letter]) > 4 * DBL_EPSILON * fabs(s->slopes[i])))
                continue;
            s->dx[letter] = s->slopes[i];
            changed = 1;
        }
    }
    return true;
}

dal_symbol_answer dal_parameter_symbols(dal_parameter_equations *x, double *df)
{
    symbols *s = x->structure ? NULL : symbols_of(x);
    x->no_memory = x->no_memory || (!s && !x->structure);
    if (!s || !s->d) {
        set_reason(x, "%s", s && s->why ? s->why : "the structure changes");
        return DAL_SYMBOLS_NONE;
    }
    double *f = DAL_NEW(x->arena, double, x->first[DAL_PARTS] + 1);
    if (!is_at_state(s, x, f) || !is_proven(s, x, f))
        return DAL_SYMBOLS_NONE;
    if (!set_direction(s, x) || dal_program_corner_along(s->program, s->x, s->dx, s->room))
        return set_reason(x, "the equations have a corner there"), DAL_SYMBOLS_CORNER;
    return dal_program_slopes(s->program, s->x, s->dx, s->room, df) ? DAL_SYMBOLS_NONE : DAL_SYMBOLS_EXACT;
}

/* ---- at starts ------------------------------------------------------------------------------------------- */

/* The letters at the start of a twin. */
static bool read_start(const symbols *s, const dal_parameter_equations *x, const dal_parameter_twin *twin, double *p, double *to)
{
    dal_state *state = twin->state;
    if (!state || dal_state_unpack(state, dal_state_time(state), dal_state_y(state)) || !is_for_charts(s, state))
        return false;
    *p = dal_system_spec(twin->system)->parameters[x->number].number;
    read_letters(s, x, state, to);
    return true;
}

/* Of models that are nearer to p than those that are kept. */
static bool read_nearer(const symbols *s, dal_parameter_equations *x, dal_rule_points *out)
{
    double nearest = HUGE_VAL;
    int found = 0;
    for (int k = 0; k < TWINS; k++)
        nearest = fmin(nearest, fabs(dal_system_spec(s->of[x->number].twin[k].system)->parameters[x->number].number - x->p));
    for (int i = 0; i < DAL_PARAMETER_TRIALS && found < TWINS; i++) {
        const double p = dal_parameter_trial(x, i);
        dal_parameter_twin twin;
        if (fabs(p - x->p) >= nearest || !dal_parameter_twin_open(x, p, &twin))
            continue;
        found += read_start(s, x, &twin, &out->p[1 + found], out->letters[1 + found]);
        dal_parameter_twin_close(&twin);
    }
    return found == TWINS;
}

bool dal_parameter_rules(dal_parameter_equations *x, bool nearer, dal_rule_points *out)
{
    const symbols *s = dal_refinement_of(x->state)->kept;
    if (!s || !s->rules || DAL_RULE_POINTS != TWINS + 1)
        return false;
    const size_t bytes = sizeof *s->x * (size_t)s->d->n_letters;
    *out = (dal_rule_points){.rules = s->rules, .along = DAL_NEW(x->arena, double, s->d->n_letters)};
    memcpy(out->along, s->dx, bytes);
    for (int i = 0; i < DAL_RULE_POINTS; i++)
        out->letters[i] = DAL_NEW(x->arena, double, s->d->n_letters);
    memcpy(out->letters[0], s->x, bytes);
    out->p[0] = x->p;
    if (nearer)
        return read_nearer(s, x, out);
    for (int i = 0; i < TWINS; i++)
        if (!read_start(s, x, &s->of[x->number].twin[i], &out->p[1 + i], out->letters[1 + i]))
            return false;
    return true;
}
