/* x' = A x + B u, y = C x + D u.
 *
 * The directions xi in which the state can change are the columns of T_h (displacements, with the velocities that follow them), those of T (velocities)
 * and the model's own states z. Along each, the derivatives of the columns s, s', s'' of the chosen channels and of z' are exact, so
 *
 *     x = (s, s', z) = G xi,   x' = (s', s'', z') = F xi,   A = F G^-1
 *
 * s'' contains the second derivatives of the channels along the motion; A is therefore the derivative of x' by x, and no rate of change of the
 * directions enters. C is the same for the outputs. B and D are the changes along an input with the state held.
 */
#include "linear/linear.h"

#include "analysis/evaluator.h"
#include "base/argument.h"
#include "math/dense.h"
#include "model/system_parts.h"
#include "spec/sound.h"
#include "state/state_parts.h"
#include "state/values.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { MANY = 24 };                  /* bodies: a large model */
static const double balanced = 1e-9; /* in the model's own units: accelerations below that are none */
static const double slow = 1e-12;    /* of the model's length in its time */

/* ---- the point ------------------------------------------------------------------------------------- */

static bool at_steady(const dal_linear *x)
{
    return x->options->at && !strcmp(x->options->at, "steady");
}

static bool at_file(const dal_linear *x)
{
    const char *at = x->options->at;
    return at && strcmp(at, "start") && strcmp(at, "equilibrium") && !at_steady(x);
}

/* Do they say the same but for primes? */
static bool are_alike(const char *a, const char *b)
{
    while (true) {
        a += strspn(a, "'");
        b += strspn(b, "'");
        if (*a != *b || !*a)
            return *a == *b;
        a++;
        b++;
    }
}

/* A name that is not there is reported for the channel, its rate and its acceleration: once is enough. */
static void pass_on(dal_linear *x, const dal_messages *heard)
{
    for (const dal_message *m = dal_messages_first(heard); m; m = m->next) {
        bool said = false;
        for (const dal_message *before = dal_messages_first(heard); before != m && !said; before = before->next)
            said = before->severity == m->severity && are_alike(before->text, m->text);
        if (!said)
            dal_pass_on(x->messages, m);
    }
}

static dal_status read_instant(dal_linear *x)
{
    dal_instant *instant = NULL;
    dal_evaluation *evaluation = NULL;
    dal_status status = dal_instant_read(&x->arena.allocator, x->system, x->options->at, x->messages, &instant);
    for (int k = 0; status == DAL_OK && k < instant->nv; k++)
        if (instant->forces[k] != 0) {
            dal_error(x->messages, (dal_mark){x->options->at, 0, 0},
                      "the state has forces, which are no part of the model: a force that is to act is an input");
            status = DAL_BAD_COMMAND;
        }
    if (status == DAL_OK)
        status = dal_evaluate(&x->arena.allocator, x->state, instant, NULL, x->messages, &evaluation);
    dal_evaluation_free(evaluation);
    dal_instant_free(instant);
    return status;
}

/* Compiles a spec that says what was said before; its messages are passed on if it fails. */
static dal_status compile_quietly(dal_linear *x, const dal_spec *spec, dal_system **system)
{
    dal_messages *heard = dal_messages_create(&x->arena.allocator);
    const dal_status status = heard ? dal_compile(&x->arena.allocator, spec, heard, system) : DAL_NO_MEMORY;
    if (status != DAL_OK)
        pass_on(x, heard);
    dal_messages_free(heard);
    return status;
}

static double *copy_of(dal_linear *x, const double *from, int n)
{
    double *copy = DAL_NEW(&x->arena, double, n + 1);
    if (n)
        memcpy(copy, from, sizeof *copy * (size_t)n);
    return copy;
}

/* The steady motion, on a system of its own; q, v, z and the frames are kept. */
static dal_status keep_steady(dal_linear *x, const dal_system *system, dal_state *state)
{
    const dal_layout *layout = dal_system_layout(system);
    const int n = x->options->n_steady, bodies = layout->mechanism->n_bodies;
    int *columns = DAL_NEW(&x->arena, int, n + 1);
    double *rates = DAL_NEW(&x->arena, double, n + 1);
    const char **names = DAL_NEW(&x->arena, const char *, n + 1);
    for (int i = 0; i < n; i++) {
        names[i] = x->options->steady[i].coordinate;
        rates[i] = x->options->steady[i].rate;
        columns[i] = dal_system_column(system, names[i]);
        if (columns[i] < 0) {
            dal_error(x->messages, (dal_mark){"command line", 0, 0}, "'%s' is not a scalar: a steady motion is given by one coordinate and its rate",
                      names[i]);
            return DAL_BAD_COMMAND;
        }
    }
    dal_status status = dal_evaluate_whole(state, x->messages);
    if (status == DAL_OK)
        status = dal_state_steady(&x->arena, state, x->descends, n, columns, rates, names, x->messages, &x->steady);
    if (status != DAL_OK)
        return status;
    const dal_work *work = dal_seen_work(state);
    x->steady_q = copy_of(x, work->q, layout->nq);
    x->steady_v = copy_of(x, work->v, layout->nv);
    x->steady_z = copy_of(x, dal_own_states_of(state), dal_system_states(system, NULL));
    x->steady_chart = DAL_NEW(&x->arena, int, 3 * bodies + 1);
    memcpy(x->steady_chart, work->chart, sizeof *work->chart * 3 * (size_t)bodies);
    x->inclined = DAL_NEW(&x->arena, bool, 3 * bodies + 1);
    for (int b = 0; b < bodies; b++)
        for (int k = 0; k < 3; k++)
            x->inclined[3 * b + k] = fabs(work->kin[b].R[3 * x->steady.frames[b].axis + k]) < 1 - 1e-6;
    return DAL_OK;
}

static dal_status find_steady(dal_linear *x)
{
    const dal_spec spec = dal_record_steady(x);
    dal_system *system = NULL;
    dal_state *state = NULL;
    dal_status status = compile_quietly(x, &spec, &system);
    if (status == DAL_OK && !(state = dal_state_create(&x->arena.allocator, system)))
        status = DAL_NO_MEMORY;
    if (status == DAL_OK)
        status = keep_steady(x, system, state);
    dal_state_free(state);
    dal_system_free(system);
    return status;
}

static dal_status adopt_steady(dal_linear *x)
{
    dal_work *work = dal_work_of(x->state);
    memcpy(work->chart, x->steady_chart, sizeof *work->chart * 3 * (size_t)dal_system_mechanism(x->system)->n_bodies);
    if (dal_state_adopt(x->state, work->t, x->steady_q, x->steady_v)) {
        dal_error(x->messages, dal_nowhere, "in the steady motion: %s", dal_trouble_of(x->state));
        return DAL_NUMERICAL;
    }
    memcpy(dal_own_states_of(x->state), x->steady_z, sizeof *x->steady_z * (size_t)dal_system_states(x->system, NULL));
    return dal_evaluate_whole(x->state, x->messages);
}

static dal_status go_to_point(dal_linear *x)
{
    const char *at = x->options->at ? x->options->at : "start";
    x->state = dal_state_create(&x->arena.allocator, x->system);
    if (!x->state)
        return DAL_NO_MEMORY;
    if (!strcmp(at, "steady"))
        return adopt_steady(x);
    if (!strcmp(at, "equilibrium"))
        return dal_state_settle(&x->arena, x->state, x->seed, x->messages);
    if (strcmp(at, "start"))
        return read_instant(x);
    return dal_evaluate_whole(x->state, x->messages);
}

/* ---- along the directions ---------------------------------------------------------------------------- */

static void keep_direction(dal_linear *x, int j, const dal_change *change, double *vd, double *column, double *state)
{
    const size_t n = (size_t)x->n_x;
    dal_point_change(&x->point, change, vd, state, column);
    for (int i = 0; i < x->point.n_columns; i++)
        x->columns[n * (size_t)i + (size_t)j] = column[i];
    for (int i = 0; i < x->point.n_z; i++)
        x->states[n * (size_t)i + (size_t)j] = state[i];
}

static void differentiate(dal_linear *x)
{
    dal_point *p = &x->point;
    const size_t nv = (size_t)p->nv;
    const int positions = p->positions.p, velocities = p->velocities.p;
    double *dv = DAL_NEW(&x->arena, double, nv + 1), *vd = DAL_NEW(&x->arena, double, nv + 1), *dz = DAL_NEW(&x->arena, double, p->n_z + 1);
    double *column = DAL_NEW(&x->arena, double, p->n_columns + 1), *state = DAL_NEW(&x->arena, double, p->n_z + 1);
    x->n_x = positions + velocities + p->n_z;
    x->columns = DAL_NEW(&x->arena, double, (size_t)p->n_columns *(size_t)x->n_x + 1);
    x->states = DAL_NEW(&x->arena, double, (size_t)p->n_z *(size_t)x->n_x + 1);
    for (int j = 0; j < positions; j++) {
        const double *dq = p->positions.T + nv * (size_t)j;
        dal_point_follow(p, dq, dv);
        keep_direction(x, j, &(dal_change){.q = dq, .v = dv}, vd, column, state);
    }
    for (int j = 0; j < velocities; j++)
        keep_direction(x, positions + j, &(dal_change){.v = p->velocities.T + nv * (size_t)j}, vd, column, state);
    for (int j = 0; j < p->n_z; j++) {
        dz[j] = 1;
        keep_direction(x, positions + velocities + j, &(dal_change){.z = dz}, vd, column, state);
        dz[j] = 0;
    }
}

static void fill_row(const dal_linear *x, double *matrix, int row, const double *from)
{
    memcpy(matrix + (size_t)row * (size_t)x->n_x, from, sizeof *matrix * (size_t)x->n_x);
}

/* Rows of G and F, in the order of the states. */
static void gather(dal_linear *x)
{
    const size_t n = (size_t)x->n_x;
    const int positions = x->point.positions.p, velocities = x->point.velocities.p;
    x->G = DAL_NEW(&x->arena, double, n *n + 1);
    x->F = DAL_NEW(&x->arena, double, n *n + 1);
    for (int i = 0; i < positions; i++) {
        const dal_candidate *c = &x->candidates[x->chosen[i]];
        fill_row(x, x->G, i, x->columns + n * (size_t)c->column);
        fill_row(x, x->F, i, x->columns + n * (size_t)c->rate);
        if (x->moving[i] < 0)
            continue;
        fill_row(x, x->G, positions + x->moving[i], x->columns + n * (size_t)c->rate);
        fill_row(x, x->F, positions + x->moving[i], x->columns + n * (size_t)c->acceleration);
    }
    for (int i = 0; i < x->point.n_z; i++) {
        const int row = positions + velocities + i;
        x->G[(size_t)row * n + (size_t)row] = 1;
        fill_row(x, x->F, row, x->states + n * (size_t)i);
    }
}

/* G^T, factored. */
static dal_status factor(dal_linear *x)
{
    const size_t n = (size_t)x->n_x;
    x->lu = DAL_NEW(&x->arena, double, n *n + 1);
    x->pivot = DAL_NEW(&x->arena, int, n + 1);
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++)
            x->lu[n * j + i] = x->G[n * i + j];
    if (dal_lu(x->lu, (int)n, (int)n, x->pivot) > 0)
        return DAL_OK;
    dal_error(x->messages, dal_nowhere, "the states do not describe the motion here: choose others with --states");
    return DAL_BAD_MODEL;
}

void dal_over_states(const dal_linear *x, const double *from, double *to)
{
    memcpy(to, from, sizeof *to * (size_t)x->n_x);
    dal_lu_solve(x->lu, x->n_x, x->n_x, x->pivot, to);
}

/* ---- the result -------------------------------------------------------------------------------------------- */

static void name_states(dal_linear *x)
{
    dal_linearization *out = x->out;
    const char *const *own;
    dal_system_states(x->system, &own);
    const char **names = DAL_NEW(&x->arena, const char *, x->n_x + 1);
    out->n_positions = x->point.positions.p;
    out->n_rates = x->point.velocities.p;
    out->n_states = x->n_x;
    for (int i = 0; i < out->n_positions; i++) {
        const char *name = x->candidates[x->chosen[i]].name;
        names[i] = dal_arena_copy(&x->arena, name, strlen(name));
        if (x->moving[i] >= 0)
            names[out->n_positions + x->moving[i]] = dal_arena_print(&x->arena, "%s'", name);
    }
    for (int i = 0; i < x->point.n_z; i++)
        names[out->n_positions + out->n_rates + i] = dal_arena_copy(&x->arena, own[i], strlen(own[i]));
    out->states = names;
}

static void fill_values(dal_linear *x)
{
    dal_linearization *out = x->out;
    const dal_values *values = dal_values_of(x->state);
    double *at = DAL_NEW(&x->arena, double, x->n_x + 1), *rates = DAL_NEW(&x->arena, double, x->n_x + 1);
    const int positions = out->n_positions, rest = positions + out->n_rates;
    for (int i = 0; i < positions; i++) {
        const dal_candidate *c = &x->candidates[x->chosen[i]];
        at[i] = x->values[c->column];
        rates[i] = x->values[c->rate];
        if (x->moving[i] >= 0) {
            at[positions + x->moving[i]] = x->values[c->rate];
            rates[positions + x->moving[i]] = x->values[c->acceleration];
        }
    }
    for (int i = 0; i < x->point.n_z; i++) {
        at[rest + i] = values->z[i];
        rates[rest + i] = x->values[x->point.n_columns + i];
    }
    out->at = at;
    out->rates = rates;
}

/* Do the forces balance? T^T M v' beside what the model's own units would make of it. */
static bool is_balanced(const dal_linear *x)
{
    const dal_point *p = &x->point;
    const dal_units *units = &p->layout->units;
    double *sum = p->w, *along = p->phid;
    dal_mass_times(p->layout, dal_seen_work(x->state)->M, p->vd, sum);
    dal_kept_project(p, &p->velocities, sum, along);
    for (int j = 0; j < p->velocities.p; j++)
        if (fabs(along[j]) > balanced * sqrt(units->mass) * units->length / (units->time * units->time))
            return false;
    return true;
}

static dal_linear_kind kind_of(const dal_linear *x)
{
    const dal_point *p = &x->point;
    const dal_units *units = &p->layout->units;
    bool rests = true, steady = true;
    for (int k = 0; k < p->nv; k++)
        rests = rests && fabs(p->v[k]) * units->column_scale[k] <= slow * units->length / units->time;
    for (int i = x->out->n_positions; i < x->n_x; i++)
        steady = steady && fabs(x->out->rates[i]) * units->time * units->time <= balanced * fmax(fabs(x->out->at[i]) * units->time, units->length);
    if (rests)
        return is_balanced(x) && steady ? DAL_LINEAR_REST : DAL_LINEAR_MOTION;
    return steady ? DAL_LINEAR_STEADY : DAL_LINEAR_MOTION;
}

static const char *keep_text(dal_linear *x, const char *text)
{
    return text ? dal_arena_copy(&x->arena, text, strlen(text)) : NULL;
}

dal_system_info dal_linear_heading(dal_linear *x)
{
    dal_system_info info = dal_system_describe(x->bare);
    info.model = keep_text(x, info.model);
    info.model_hash = keep_text(x, info.model_hash);
    info.version = keep_text(x, info.version);
    info.coordinates = keep_text(x, info.coordinates);
    info.formulation = keep_text(x, info.formulation);
    info.stabilization = keep_text(x, info.stabilization);
    info.integrator = keep_text(x, info.integrator);
    info.ignorable_names = keep_text(x, info.ignorable_names);
    return info;
}

static dal_status fill_matrices(dal_linear *x)
{
    dal_linearization *out = x->out;
    const size_t n = (size_t)x->n_x;
    const dal_status status = factor(x);
    if (status != DAL_OK)
        return status;
    double *A = DAL_NEW(&x->arena, double, n *n + 1);
    for (size_t i = 0; i < n; i++) {
        dal_over_states(x, x->F + n * i, A + n * i);
        if (i < (size_t)out->n_positions && x->moving[i] >= 0) { /* s' is a state itself */
            memset(A + n * i, 0, sizeof *A * n);
            A[n * i + (size_t)(out->n_positions + x->moving[i])] = 1;
        }
    }
    out->A = A;
    return dal_fill_ports(x);
}

static void find_columns(dal_linear *x)
{
    for (int i = 0; i < x->n_candidates; i++) {
        dal_candidate *c = &x->candidates[i];
        c->column = dal_system_column(x->system, c->text[0]);
        c->rate = dal_system_column(x->system, c->text[1]);
        c->acceleration = dal_system_column(x->system, c->text[2]);
    }
}

/* A name of a vector, or of what is no position. */
static dal_status refuse_states(dal_linear *x)
{
    for (int i = 0; i < x->n_candidates; i++) {
        const dal_candidate *c = &x->candidates[i];
        if (c->column >= 0 && c->rate >= 0 && c->acceleration >= 0)
            continue;
        dal_error(x->messages, (dal_mark){"command line", 0, 0}, "state '%s' is not a scalar: name one channel of position, as in A.angle or cart.x",
                  c->name);
        return DAL_BAD_COMMAND;
    }
    return DAL_OK;
}

static void warn_corners(dal_linear *x)
{
    const int corners = dal_variation_corners(x->point.variation, &x->point.at);
    if (corners)
        dal_say(
            x->messages, DAL_WARNING, dal_nowhere,
            "%d force%s or rate%s of the model %s at a corner here (a stop, abs, a knot of a table): the derivatives are those of one side, or zero",
            corners, corners == 1 ? "" : "s", corners == 1 ? "" : "s", corners == 1 ? "is" : "are");
}

/* Compiles with the columns, and opens the point. */
static dal_status open_point(dal_linear *x)
{
    dal_status status = at_steady(x) ? find_steady(x) : DAL_OK;
    if (status != DAL_OK)
        return status;
    dal_list_candidates(x);
    const dal_spec spec = dal_record_candidates(x);
    if ((status = compile_quietly(x, &spec, &x->system)) != DAL_OK)
        return status;
    find_columns(x);
    if ((status = refuse_states(x)) != DAL_OK || (status = go_to_point(x)) != DAL_OK)
        return status;
    return dal_point_open(&x->arena, x->state, x->messages, &x->point);
}

static void close_point(dal_linear *x)
{
    dal_point_close(&x->point);
    dal_state_free(x->state);
    dal_system_free(x->system);
    x->state = NULL;
    x->system = NULL;
}

/* In coordinates of its bodies a large model has few connections, and what is found is the same. */
static bool is_large(const dal_linear *x)
{
    const dal_layout *layout = dal_system_layout(x->bare);
    return layout->mechanism->n_bodies > MANY && !layout->placement && !layout->systems && !at_file(x);
}

/* Reactions are made of multipliers. Joints of a tree have none: all is done in coordinates of the bodies then, where the same A, B, C and D come out. */
static dal_status find_point(dal_linear *x)
{
    x->absolute = is_large(x);
    dal_status status = open_point(x);
    bool rowless;
    if (status != DAL_OK)
        return status;
    x->point.reacts = dal_variation_reacts(x->point.variation, &rowless);
    if (!rowless || at_file(x))
        return DAL_OK;
    close_point(x);
    x->absolute = true;
    status = open_point(x);
    if (status == DAL_OK)
        x->point.reacts = dal_variation_reacts(x->point.variation, &rowless);
    return status;
}

/* Along the directions: the states, A, B, C, D. */
static dal_status finish(void *user)
{
    dal_linear *x = user;
    differentiate(x);
    const dal_status status = dal_choose_states(x);
    if (status != DAL_OK)
        return status;
    gather(x);
    x->out = DAL_NEW(&x->arena, dal_linearization, 1);
    name_states(x);
    x->out->info = dal_linear_heading(x);
    fill_values(x);
    x->out->time = x->point.at.t;
    x->out->kind = kind_of(x);
    return fill_matrices(x);
}

static dal_status linearize(void *user)
{
    dal_linear *x = user;
    dal_spec spec = *x->spec;
    if (x->options->at && strcmp(x->options->at, "start"))
        spec.simulate.start = (dal_text){0};
    dal_status status = dal_compile(&x->arena.allocator, &spec, x->messages, &x->bare);
    if (status != DAL_OK)
        return status;
    if ((!x->here || at_steady(x)) && dal_refuse_friction(x->bare, x->messages))
        return DAL_BAD_MODEL;
    if ((status = find_point(x)) != DAL_OK)
        return status;
    warn_corners(x);
    if (!at_steady(x) && dal_point_ages(&x->point))
        dal_say(x->messages, DAL_WARNING, dal_nowhere, "forces or constraints of the model change with time: what is found belongs to t = %g",
                x->point.at.t);
    x->values = DAL_NEW(&x->arena, double, x->point.n_columns + x->point.n_z + 1);
    dal_point_values(&x->point, x->values, x->values + x->point.n_columns);
    return x->here && !at_steady(x) ? DAL_OK : finish(x);
}

static bool is_finite(dal_messages *messages, const char *name, double rate)
{
    if (!isfinite(rate))
        dal_error(messages, (dal_mark){"command line", 0, 0}, "the rate of '%s' is not a finite number", name);
    return isfinite(rate);
}

bool dal_linear_needs(const char *function, const dal_allocator *allocator, const dal_spec *spec, const dal_linear_options *options,
                      dal_messages *messages, dal_status *status)
{
    *status = DAL_BAD_COMMAND;
    if (!dal_needs(messages, function, "spec", spec) || !dal_needs_allocator(messages, function, allocator))
        return false;
    if (options && (!dal_needs_array(messages, function, "options->states", options->n_states, options->states) ||
                    !dal_needs_array(messages, function, "options->inputs", options->n_inputs, options->inputs) ||
                    !dal_needs_array(messages, function, "options->outputs", options->n_outputs, options->outputs) ||
                    !dal_needs_array(messages, function, "options->steady", options->n_steady, options->steady)))
        return false;
    for (int i = 0; options && i < options->n_steady; i++)
        if (!dal_needs(messages, function, "options->steady[i].coordinate", options->steady[i].coordinate) ||
            !is_finite(messages, options->steady[i].coordinate, options->steady[i].rate))
            return false;
    for (int i = 0; options && i < options->n_states; i++)
        if (!dal_needs(messages, function, "options->states[i]", options->states[i]))
            return false;
    for (int i = 0; options && i < options->n_inputs; i++)
        if (!dal_needs(messages, function, "options->inputs[i]", options->inputs[i]))
            return false;
    for (int i = 0; options && i < options->n_outputs; i++)
        if (!dal_needs(messages, function, "options->outputs[i]", options->outputs[i]))
            return false;
    *status = DAL_BAD_MODEL;
    return dal_spec_sound(spec, messages);
}

/* Does a small motion grow? */
static bool grows(dal_linear *x)
{
    dal_modes *modes;
    double fast = 0, growth = 0;
    if (dal_linear_modes(x, &modes) != DAL_OK)
        return false;
    for (int i = 0; i < modes->n_modes; i++) {
        fast = fmax(fast, hypot(modes->modes[i].re, modes->modes[i].im));
        growth = fmax(growth, modes->modes[i].re);
    }
    return growth > 1e-9 * fast;
}

/* A steady motion that is not stable: is there another one, which is? */
static void try_to_descend(dal_linear *x)
{
    dal_linear other = {.spec = x->spec, .options = x->options, .here = x->here, .descends = true};
    dal_arena_begin(&other.arena, &x->arena.allocator);
    dal_linear *worse = &other;
    if (dal_arena_try(&other.arena, linearize, &other) == DAL_OK && !grows(&other)) {
        const dal_linear kept = *x;
        dal_messages *messages = x->messages;
        *x = other;
        x->messages = messages;
        x->point.arena = &x->arena;
        other = kept;
        other.point.arena = &other.arena;
    }
    dal_linear_end(worse);
    dal_arena_release(&worse->arena);
}

dal_status dal_linear_make(dal_linear *x, bool here)
{
    static const dal_linear_options defaults = {0};
    if (!x->options)
        x->options = &defaults;
    x->here = here;
    const dal_status status = dal_arena_try(&x->arena, linearize, x);
    if (status == DAL_OK && at_steady(x) && grows(x))
        try_to_descend(x);
    return status;
}

dal_status dal_linear_finish(dal_linear *x)
{
    if (dal_refuse_friction(x->bare, x->messages))
        return DAL_BAD_MODEL;
    return dal_arena_try(&x->arena, finish, x);
}

void dal_linear_end(dal_linear *x)
{
    close_point(x);
    dal_system_free(x->bare);
}

dal_status dal_linearize(const dal_allocator *allocator, const dal_spec *spec, const dal_linear_options *options, dal_messages *messages,
                         dal_linearization **linearization)
{
    dal_linear x = {.spec = spec, .options = options, .messages = messages};
    dal_status status;
    if (linearization)
        *linearization = NULL;
    if (!DAL_NEEDS(messages, linearization))
        return DAL_BAD_COMMAND;
    if (!dal_linear_needs(__func__, allocator, spec, options, messages, &status))
        return status;
    dal_arena_begin(&x.arena, allocator);
    status = dal_linear_make(&x, false);
    if (status == DAL_OK)
        status = dal_linear_study(&x);
    dal_linear_end(&x);
    return dal_arena_deliver(&x.arena, status == DAL_OK, status, x.out, offsetof(dal_linearization, memory), linearization);
}

void dal_linearization_free(dal_linearization *linearization)
{
    if (linearization)
        dal_arena_dispose(linearization->memory);
}
