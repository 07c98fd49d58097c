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

static const double balanced = 1e-9; /* in the model's own units: accelerations below that are none */
static const double slow = 1e-12;    /* of the model's length in its time */

/* ---- the point ------------------------------------------------------------------------------------- */

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

static dal_status go_to_point(dal_linear *x)
{
    const char *at = x->options->at ? x->options->at : "start";
    x->state = dal_state_create(&x->arena.allocator, x->system);
    if (!x->state)
        return DAL_NO_MEMORY;
    if (!strcmp(at, "equilibrium"))
        return dal_state_settle(&x->arena, x->state, x->messages);
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
typedef struct factored {
    double *lu;
    int *pivot;
} factored;

static dal_status factor(dal_linear *x, factored *out)
{
    const size_t n = (size_t)x->n_x;
    out->lu = DAL_NEW(&x->arena, double, n *n + 1);
    out->pivot = DAL_NEW(&x->arena, int, n + 1);
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++)
            out->lu[n * j + i] = x->G[n * i + j];
    if (dal_lu(out->lu, (int)n, (int)n, out->pivot) > 0)
        return DAL_OK;
    dal_error(x->messages, dal_nowhere, "the states do not describe the motion here: choose others with --states");
    return DAL_BAD_MODEL;
}

/* row := row G^-1 */
static double *over_states(dal_linear *x, const factored *by, const double *from, double *to)
{
    memcpy(to, from, sizeof *to * (size_t)x->n_x);
    dal_lu_solve(by->lu, x->n_x, x->n_x, by->pivot, to);
    return to;
}

/* ---- inputs and outputs -------------------------------------------------------------------------------- */

static dal_status name_inputs(dal_linear *x, int **numbers)
{
    const char *const *all;
    const int n = dal_system_inputs(x->system, &all);
    const bool some = x->options->inputs != NULL;
    dal_linearization *out = x->out;
    out->n_inputs = some ? x->options->n_inputs : n;
    const char **names = DAL_NEW(&x->arena, const char *, out->n_inputs + 1);
    *numbers = DAL_NEW(&x->arena, int, out->n_inputs + 1);
    for (int i = 0; i < out->n_inputs; i++) {
        const char *name = some ? x->options->inputs[i] : all[i];
        names[i] = dal_arena_copy(&x->arena, name, strlen(name));
        (*numbers)[i] = some ? dal_system_input(x->system, name) : i;
        if ((*numbers)[i] >= 0)
            continue;
        dal_error(x->messages, (dal_mark){"command line", 0, 0},
                  n ? "the model has no input '%s': its first one is '%s'" : "the model has no input '%s': it has none (`inputs:`)", name,
                  n ? all[0] : "");
        return DAL_BAD_COMMAND;
    }
    out->inputs = names;
    return DAL_OK;
}

/* The columns of an output: one, or those of a vector. */
static int columns_of(const dal_linear *x, const char *output, int column[3])
{
    int n = 0;
    column[0] = dal_system_column(x->system, output);
    if (column[0] >= 0)
        return 1;
    for (int k = 0; k < 3; k++) {
        char name[600];
        snprintf(name, sizeof name, "%.500s.%c", output, 'x' + k);
        column[n] = dal_system_column(x->system, name);
        n += column[n] >= 0;
    }
    return n;
}

static int *name_outputs(dal_linear *x)
{
    const dal_column *columns = dal_system_columns(x->system, NULL, NULL);
    int *numbers = DAL_NEW(&x->arena, int, 3 * x->options->n_outputs + 1), column[3];
    const char **names = DAL_NEW(&x->arena, const char *, 3 * x->options->n_outputs + 1);
    for (int i = 0; i < x->options->n_outputs; i++) {
        const int n = columns_of(x, x->options->outputs[i], column);
        for (int k = 0; k < n; k++) {
            names[x->out->n_outputs] = dal_arena_copy(&x->arena, columns[column[k]].name, strlen(columns[column[k]].name));
            numbers[x->out->n_outputs++] = column[k];
        }
    }
    x->out->outputs = names;
    return numbers;
}

static dal_status fill_outputs(dal_linear *x, const factored *by, const int *numbers, double *C)
{
    for (int i = 0; i < x->out->n_outputs; i++) {
        const double *from = x->columns + (size_t)numbers[i] * (size_t)x->n_x;
        for (int j = 0; j < x->n_x; j++)
            if (!isfinite(from[j])) {
                dal_error(x->messages, (dal_mark){"command line", 0, 0},
                          "output '%s' is not made of the motion alone: reactions, efforts, energies and quaternions have no derivative here",
                          x->out->outputs[i]);
                return DAL_BAD_MODEL;
            }
        over_states(x, by, from, C + (size_t)i * (size_t)x->n_x);
    }
    return DAL_OK;
}

/* B and D: the state is held. */
static void fill_inputs(dal_linear *x, const int *inputs, const int *outputs, double *B, double *D)
{
    dal_point *p = &x->point;
    dal_linearization *out = x->out;
    const int positions = p->positions.p, velocities = p->velocities.p;
    double *du = DAL_NEW(&x->arena, double, p->n_inputs + 1), *vd = DAL_NEW(&x->arena, double, p->nv + 1);
    double *column = DAL_NEW(&x->arena, double, p->n_columns + 1), *state = DAL_NEW(&x->arena, double, p->n_z + 1);
    for (int j = 0; j < out->n_inputs; j++) {
        du[inputs[j]] = 1;
        dal_point_change(p, &(dal_change){.inputs = du}, vd, state, column);
        du[inputs[j]] = 0;
        bool acts = false;
        for (int i = 0; i < positions; i++)
            if (x->moving[i] >= 0)
                B[(size_t)(positions + x->moving[i]) * (size_t)out->n_inputs + (size_t)j] = column[x->candidates[x->chosen[i]].acceleration];
        for (int i = 0; i < p->n_z; i++)
            B[(size_t)(positions + velocities + i) * (size_t)out->n_inputs + (size_t)j] = state[i];
        for (int i = 0; i < out->n_outputs; i++)
            D[(size_t)i * (size_t)out->n_inputs + (size_t)j] = column[outputs[i]];
        for (int i = 0; i < x->n_x; i++)
            acts = acts || B[(size_t)i * (size_t)out->n_inputs + (size_t)j] != 0;
        if (!acts)
            dal_say(x->messages, DAL_WARNING, dal_nowhere, "input '%s' acts on nothing here: its column of B is zero", out->inputs[j]);
    }
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
    factored by;
    int *inputs;
    dal_status status = factor(x, &by);
    if (status == DAL_OK)
        status = name_inputs(x, &inputs);
    if (status != DAL_OK)
        return status;
    const int *outputs = name_outputs(x);
    double *A = DAL_NEW(&x->arena, double, n *n + 1), *B = DAL_NEW(&x->arena, double, n *(size_t)out->n_inputs + 1);
    double *C = DAL_NEW(&x->arena, double, (size_t)out->n_outputs *n + 1);
    double *D = DAL_NEW(&x->arena, double, (size_t)out->n_outputs *(size_t)out->n_inputs + 1);
    for (size_t i = 0; i < n; i++) {
        over_states(x, &by, x->F + n * i, A + n * i);
        if (i < (size_t)out->n_positions && x->moving[i] >= 0) { /* s' is a state itself */
            memset(A + n * i, 0, sizeof *A * n);
            A[n * i + (size_t)(out->n_positions + x->moving[i])] = 1;
        }
    }
    double *y = DAL_NEW(&x->arena, double, out->n_outputs + 1);
    for (int i = 0; i < out->n_outputs; i++)
        y[i] = x->values[outputs[i]];
    out->A = A, out->B = B, out->C = C, out->D = D, out->y = y;
    status = fill_outputs(x, &by, outputs, C);
    if (status == DAL_OK)
        fill_inputs(x, inputs, outputs, B, D);
    return status;
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
        dal_error(x->messages, (dal_mark){"command line", 0, 0}, "state '%s' is no number: name one channel of position, as in A.angle or cart.x",
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

static dal_status linearize(void *user)
{
    dal_linear *x = user;
    dal_status status = dal_compile(&x->arena.allocator, x->spec, x->messages, &x->bare);
    if (status != DAL_OK)
        return status;
    dal_list_candidates(x);
    const dal_spec spec = dal_record_candidates(x);
    dal_messages *heard = dal_messages_create(&x->arena.allocator);
    status = heard ? dal_compile(&x->arena.allocator, &spec, heard, &x->system) : DAL_NO_MEMORY;
    if (status != DAL_OK) /* else they were said by the first one */
        dal_pass_all(x->messages, heard);
    dal_messages_free(heard);
    if (status != DAL_OK)
        return status;
    find_columns(x);
    if ((status = refuse_states(x)) != DAL_OK || (status = go_to_point(x)) != DAL_OK ||
        (status = dal_point_open(&x->arena, x->state, x->messages, &x->point)) != DAL_OK)
        return status;
    warn_corners(x);
    if (dal_point_ages(&x->point))
        dal_say(x->messages, DAL_WARNING, dal_nowhere, "forces or constraints of the model change with time: what is found belongs to t = %g",
                x->point.at.t);
    x->values = DAL_NEW(&x->arena, double, x->point.n_columns + x->point.n_z + 1);
    dal_point_values(&x->point, x->values, x->values + x->point.n_columns);
    if (x->here)
        return DAL_OK;
    differentiate(x);
    if ((status = dal_choose_states(x)) != DAL_OK)
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

bool dal_linear_needs(const char *function, const dal_allocator *allocator, const dal_spec *spec, const dal_linear_options *options,
                      dal_messages *messages, dal_status *status)
{
    *status = DAL_BAD_COMMAND;
    if (!dal_needs(messages, function, "spec", spec) || !dal_needs_allocator(messages, function, allocator))
        return false;
    if (options && (!dal_needs_array(messages, function, "options->states", options->n_states, options->states) ||
                    !dal_needs_array(messages, function, "options->inputs", options->n_inputs, options->inputs) ||
                    !dal_needs_array(messages, function, "options->outputs", options->n_outputs, options->outputs)))
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

dal_status dal_linear_make(dal_linear *x, bool here)
{
    static const dal_linear_options defaults = {0};
    if (!x->options)
        x->options = &defaults;
    x->here = here;
    return dal_arena_try(&x->arena, linearize, x);
}

void dal_linear_end(dal_linear *x)
{
    dal_point_close(&x->point);
    dal_state_free(x->state);
    dal_system_free(x->system);
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
    dal_linear_end(&x);
    return dal_arena_deliver(&x.arena, status == DAL_OK, status, x.out, offsetof(dal_linearization, memory), linearization);
}

void dal_linearization_free(dal_linearization *linearization)
{
    if (linearization)
        dal_arena_dispose(linearization->memory);
}
