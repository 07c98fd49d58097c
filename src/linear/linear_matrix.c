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

#include "math/dense.h"
#include "model/system_parts.h"
#include "state/scale.h"
#include "state/state_parts.h"
#include "state/values.h"

#include <math.h>
#include <string.h>

static const double balanced = 1e-9; /* in the model's own units: smaller accelerations are zero */
static const double slow = 1e-12;    /* of the model's length in its time */

/* ---- along the directions ---------------------------------------------------------------------------- */

static void keep_direction(dal_linear *x, int j, const dal_change *change, double *vd, double *column, double *state)
{
    const size_t n = (size_t)x->n_x;
    dal_point_change(&x->point, change, vd, state, column);
    dal_meet_corners(x);
    for (int i = 0; i < x->point.n_columns; i++)
        x->columns[n * (size_t)i + (size_t)j] = column[i];
    for (int i = 0; i < x->point.n_z; i++)
        x->states[n * (size_t)i + (size_t)j] = state[i];
}

static void differentiate_columns(dal_linear *x)
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

static void fill_matrix_row(const dal_linear *x, double *matrix, int row, const double *from)
{
    memcpy(matrix + (size_t)row * (size_t)x->n_x, from, sizeof *matrix * (size_t)x->n_x);
}

/* Rows of G and F, in the order of the states. */
static void gather_rows(dal_linear *x)
{
    const size_t n = (size_t)x->n_x;
    const int positions = x->point.positions.p, velocities = x->point.velocities.p;
    x->G = DAL_NEW(&x->arena, double, n *n + 1);
    x->F = DAL_NEW(&x->arena, double, n *n + 1);
    for (int i = 0; i < positions; i++) {
        const dal_candidate *c = &x->candidates[x->chosen[i]];
        fill_matrix_row(x, x->G, i, x->columns + n * (size_t)c->column);
        fill_matrix_row(x, x->F, i, x->columns + n * (size_t)c->rate);
        if (x->moving[i] < 0)
            continue;
        fill_matrix_row(x, x->G, positions + x->moving[i], x->columns + n * (size_t)c->rate);
        fill_matrix_row(x, x->F, positions + x->moving[i], x->columns + n * (size_t)c->acceleration);
    }
    for (int i = 0; i < x->point.n_z; i++) {
        const int row = positions + velocities + i;
        x->G[(size_t)row * n + (size_t)row] = 1;
        fill_matrix_row(x, x->F, row, x->states + n * (size_t)i);
    }
}

/* G^T, factored. */
static dal_status factor_directions(dal_linear *x)
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

static void fill_state_values(dal_linear *x)
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

/* Do the forces balance? T^T M v' is compared with forces of one in the model's own units. */
static bool forces_balance(const dal_linear *x)
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

/* What counts as one of each state, in the model's own units: of a position, its change where the model moves by its length; of a rate, this over the
 * model's time; a state of the model has its own unit. */
static double *units_of_states(dal_linear *x)
{
    const dal_point *p = &x->point;
    const dal_units *units = &p->layout->units;
    const int positions = x->out->n_positions, rest = positions + x->out->n_rates;
    double *unit = DAL_NEW(&x->arena, double, x->n_x + 1);
    for (int i = 0; i < positions; i++) {
        const double *slope = x->columns + (size_t)x->n_x * (size_t)x->candidates[x->chosen[i]].column;
        for (int j = 0; j < p->positions.p; j++) {
            double size = 0;
            for (int k = 0; k < p->nv; k++)
                size = fmax(size, fabs(p->positions.T[(size_t)p->nv * (size_t)j + (size_t)k]) * units->column_scale[k]);
            unit[i] = fmax(unit[i], size > 0 ? fabs(slope[j]) * units->length / size : 0);
        }
        if (x->moving[i] >= 0)
            unit[positions + x->moving[i]] = unit[i] / units->time;
    }
    dal_state_own_units(x->state, unit + rest);
    return unit;
}

/* No state accelerates; does this stay? Then x'' = A x' is zero, too: a pendulum that passes its lowest point does not accelerate at this instant. */
static bool stays_steady(const dal_linear *x, const double *unit)
{
    const double time = x->point.layout->units.time;
    for (int i = x->out->n_positions; i < x->n_x; i++) {
        const double *row = x->out->A + (size_t)x->n_x * (size_t)i;
        double sum = 0, terms = 0;
        for (int j = 0; j < x->n_x; j++) {
            sum += row[j] * x->out->rates[j];
            terms += fabs(row[j] * x->out->rates[j]);
        }
        if (fabs(sum) * time * time > balanced * fmax(terms * time * time, unit[i]))
            return false;
    }
    return true;
}

static dal_linear_kind kind_of_point(dal_linear *x)
{
    const dal_point *p = &x->point;
    const dal_units *units = &p->layout->units;
    const double *unit = units_of_states(x);
    bool rests = true, steady = true;
    for (int k = 0; k < p->nv; k++)
        rests = rests && fabs(p->v[k]) * units->column_scale[k] <= slow * units->length / units->time;
    for (int i = x->out->n_positions; i < x->n_x; i++)
        steady = steady && fabs(x->out->rates[i]) * units->time <= balanced * fmax(fabs(x->out->at[i]), unit[i]);
    if (rests)
        return forces_balance(x) && steady ? DAL_LINEAR_REST : DAL_LINEAR_MOTION;
    return steady && (dal_linear_at_steady(x) || stays_steady(x, unit)) ? DAL_LINEAR_STEADY : DAL_LINEAR_MOTION;
}

static dal_status find_kind(dal_linear *x)
{
    bool stays = true;
    dal_status status = DAL_OK;
    x->out->kind = kind_of_point(x);
    if (x->out->kind == DAL_LINEAR_STEADY && !dal_linear_at_steady(x))
        status = dal_linear_stays(x, &stays);
    if (!stays)
        x->out->kind = DAL_LINEAR_MOTION;
    return status;
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

static dal_status find_matrix(dal_linear *x)
{
    dal_linearization *out = x->out;
    const size_t n = (size_t)x->n_x;
    const dal_status status = factor_directions(x);
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
    return DAL_OK;
}

dal_status dal_linear_again(dal_linear *x)
{
    differentiate_columns(x);
    dal_point_values(&x->point, x->values, x->values + x->point.n_columns);
    if (x->n_x != x->out->n_states)
        return DAL_BAD_MODEL;
    gather_rows(x);
    fill_state_values(x);
    return find_matrix(x);
}

dal_status dal_linear_matrices(dal_linear *x)
{
    differentiate_columns(x);
    dal_status status = dal_choose_states(x);
    if (status != DAL_OK)
        return status;
    gather_rows(x);
    x->out = DAL_NEW(&x->arena, dal_linearization, 1);
    name_states(x);
    x->out->info = dal_linear_heading(x);
    fill_state_values(x);
    x->out->time = x->point.at.t;
    status = find_matrix(x);
    if (status == DAL_OK)
        status = dal_fill_ports(x);
    return status == DAL_OK ? find_kind(x) : status;
}
