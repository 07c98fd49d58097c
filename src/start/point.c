/* The tangent space at a point, and the accelerations near it: the equations are in point.h, the null spaces T and T_h in tangents.c. */
#include "start/point.h"

#include "dynamics/equations.h"
#include "dynamics/friction_parts.h"
#include "dynamics/friction_slopes.h"
#include "dynamics/row_rank.h"
#include "math/chance.h"
#include "math/dense.h"
#include "math/rank.h"
#include "model/coordinate_names.h"
#include "model/system_parts.h"
#include "state/state_parts.h"
#include "state/values.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const double bent = 1e-6; /* in the model's own units: how rows bend that depend on each other in one position only */

static bool is_holonomic(const dal_layout *layout)
{
    for (int i = 0; i < layout->n_rows; i++)
        if (dal_row_of_velocities(layout, i))
            return false;
    return true;
}

static bool keeps_coordinates(const dal_layout *layout)
{
    for (int i = 0; i < layout->n_rows; i++)
        if (dal_row_of_one_rate(layout, i))
            return true;
    return false;
}

/* Of M v' + h - Q. */
static void find_multipliers(dal_point *x)
{
    const dal_work *work = dal_seen_work(x->state);
    dal_mass_times(x->layout, work->M, x->vd, x->w);
    for (int k = 0; k < x->nv; k++)
        x->w[k] += work->h[k] - work->Q[k];
    dal_point_balance(x, x->w, x->lambda);
}

/* ---- opening --------------------------------------------------------------------------------- */

static double *copy_of(dal_arena *arena, const double *from, int n)
{
    double *copy = DAL_NEW(arena, double, n + 1);
    if (n && from)
        memcpy(copy, from, sizeof *copy * (size_t)n);
    return copy;
}

static void copy_state(dal_point *x)
{
    const dal_work *work = dal_seen_work(x->state);
    const dal_values *values = dal_values_of(x->state);
    const size_t most = (size_t)(x->nv > x->n_rows ? x->nv : x->n_rows) + 1;
    x->q = copy_of(x->arena, work->q, x->layout->nq);
    x->v = copy_of(x->arena, work->v, x->nv);
    x->vd = copy_of(x->arena, dal_rates_of(x->state), x->nv);
    x->lambda = DAL_NEW(x->arena, double, x->n_rows + 1);
    x->motion = DAL_NEW(x->arena, double, most);
    x->phid = DAL_NEW(x->arena, double, most);
    x->phidd = DAL_NEW(x->arena, double, most);
    x->w = DAL_NEW(x->arena, double, most);
    x->dlambda = DAL_NEW(x->arena, double, most);
    x->at = (dal_variation_point){.t = work->t,
                                  .q = x->q,
                                  .v = x->v,
                                  .z = copy_of(x->arena, values->z, x->n_z),
                                  .inputs = copy_of(x->arena, values->inputs, x->n_inputs),
                                  .vd = x->vd,
                                  .lambda = x->lambda,
                                  .winding = copy_of(x->arena, work->winding, x->layout->mechanism->n_windings),
                                  .modes = values->frozen ? values->modes : NULL,
                                  .chart = work->chart};
}

static dal_status say_friction(const dal_system *system, int element, dal_messages *messages)
{
    const dal_joint *joint = &dal_system_mechanism(system)->joints[dal_system_acting(system)->frictions[element].joint];
    dal_error(messages, joint->mark,
              "joint '%s' has dry friction, which has no derivative where it sticks: take its friction away for this analysis, or make it smooth "
              "(`velocity:`)",
              joint->name);
    return DAL_BAD_MODEL;
}

bool dal_refuse_friction(const dal_system *system, dal_messages *messages)
{
    return dal_system_acting(system)->n_frictions && say_friction(system, 0, messages) != DAL_OK;
}

/* The velocity along which there is least mass, if there is none. */
static int find_massless(const dal_point *x)
{
    double *unit = DAL_NEW(x->arena, double, x->nv + 1), *of = DAL_NEW(x->arena, double, x->nv + 1), most = 0, least = INFINITY;
    int where = -1;
    for (int k = 0; k < x->nv; k++) {
        const double scale = x->layout->units.column_scale[k];
        unit[k] = 1;
        dal_mass_times(x->layout, dal_seen_work(x->state)->M, unit, of);
        unit[k] = 0;
        const double mass = fabs(of[k]) / (scale * scale);
        most = fmax(most, mass);
        if (mass < least) {
            least = mass;
            where = k;
        }
    }
    return least <= 1e-12 * most ? where : -1;
}

static dal_status report_massless(const dal_point *x, dal_messages *messages)
{
    char name[DAL_LABEL];
    const int k = find_massless(x);
    if (k < 0) {
        dal_error(messages, dal_nowhere, "a part without mass can move: its small motions are not determined");
        return DAL_BAD_MODEL;
    }
    dal_velocity_name(dal_system_of(x->state), k, name, sizeof name);
    dal_error(
        messages, dal_nowhere,
        "no mass moves along \"%s\" at this position: a part has no mass, or the coordinates are singular here, as an angle about a pole is; small "
        "motions are not determined",
        name);
    return DAL_BAD_MODEL;
}

/* Names the drives: without them, something can move. */
static dal_status refuse_rigid(const dal_point *x, dal_messages *messages)
{
    enum { MOST = 3 };
    char drives[(MOST + 1) * (DAL_LABEL + 4)] = "", name[DAL_LABEL];
    size_t used = 0;
    int n = 0;
    for (int i = 0; i < x->layout->n_extrinsic; i++)
        if (x->layout->mechanism->rows[x->layout->row[i].source].time >= 0 && n++ < MOST) {
            dal_row_name(x->state, i, name, sizeof name);
            used += (size_t)snprintf(drives + used, sizeof drives - used, "%s'%s'", used ? ", " : "", name);
        }
    dal_error(messages, dal_nowhere, "the constraints leave no freedom: there is no motion near this position%s%s%s", n ? "; drives hold it: " : "",
              drives, n > MOST ? ", ..." : "");
    return DAL_BAD_MODEL;
}

/* The rows of positions, `standing` or not. */
static void choose_positions(dal_point *x, const double *A, const double *scale, bool standing)
{
    x->standing = standing && keeps_coordinates(x->layout);
    dal_kept_choose(x, A, scale, false, NULL, &x->positions);
    if (x->positions.p || !x->standing)
        return;
    x->standing = false;
    dal_kept_choose(x, A, scale, false, NULL, &x->positions);
}

int dal_point_detours(dal_point *x)
{
    dal_point standing = *x;
    double *A = DAL_NEW(x->arena, double, (size_t)x->n_rows *(size_t)x->nv + 1), *scale = DAL_NEW(x->arena, double, x->n_rows + 1);
    if (!x->n_rows)
        return 0;
    dal_scaled_rows(x->state, A, scale);
    standing.standing = true;
    dal_kept_choose(&standing, A, scale, false, NULL, &standing.positions);
    return standing.positions.p - x->velocities.p;
}

static dal_status open_point(dal_arena *arena, dal_state *state, dal_messages *messages, bool standing, dal_point *x)
{
    const dal_system *system = dal_system_of(state);
    const dal_layout *layout = dal_layout_of(state);
    *x = (dal_point){.arena = arena, .state = state, .layout = layout, .nv = layout->nv, .n_rows = layout->n_rows};
    x->n_z = dal_system_states(system, NULL);
    x->n_inputs = dal_system_inputs(system, NULL);
    dal_system_columns(system, NULL, &x->n_columns);
    x->variation = dal_variation_create(&arena->allocator, system, dal_family_number(layout->family));
    if (!x->variation)
        return DAL_NO_MEMORY;
    copy_state(x);
    double *A = DAL_NEW(arena, double, (size_t)x->n_rows *(size_t)x->nv + 1), *scale = DAL_NEW(arena, double, x->n_rows + 1);
    if (x->n_rows)
        dal_scaled_rows(state, A, scale);
    dal_kept_choose(x, A, scale, true, NULL, &x->velocities);
    const bool holonomic = is_holonomic(layout);
    if (holonomic)
        x->positions = x->velocities;
    else
        choose_positions(x, A, scale, standing);
    if (!x->positions.p)
        return refuse_rigid(x, messages);
    if (!dal_kept_span(x, &x->velocities) || (!holonomic && !dal_kept_span(x, &x->positions)))
        return report_massless(x, messages);
    if (holonomic)
        x->positions.T = x->velocities.T;
    find_multipliers(x);
    return DAL_OK;
}

dal_status dal_point_open(dal_arena *arena, dal_state *state, dal_messages *messages, dal_point *x)
{
    return open_point(arena, state, messages, false, x);
}

dal_status dal_point_open_standing(dal_arena *arena, dal_state *state, dal_messages *messages, dal_point *x)
{
    return open_point(arena, state, messages, true, x);
}

void dal_point_refactor(dal_point *x)
{
    dal_kept_rows *rows = &x->positions;
    const size_t nv = (size_t)x->nv;
    if (!x->rows) {
        x->rows = DAL_NEW(x->arena, double, (size_t)x->n_rows *nv + 1);
        x->scales = DAL_NEW(x->arena, double, x->n_rows + 1);
    }
    if (!rows->n)
        return;
    dal_scaled_rows(x->state, x->rows, x->scales);
    for (int j = 0; j < rows->n; j++) {
        rows->scale[j] = x->scales[rows->row[j]];
        memcpy(rows->qr + nv * (size_t)j, x->rows + nv * (size_t)rows->row[j], sizeof *rows->qr * nv);
    }
    dal_qr(rows->qr, x->nv, rows->n, x->nv, rows->tau);
}

void dal_point_close(dal_point *x)
{
    dal_variation_free(x->variation);
    if (x->friction)
        dal_friction_slopes_free(&x->arena->allocator, x->friction);
    x->variation = NULL;
    x->friction = NULL;
}

/* ---- dry friction -------------------------------------------------------------------------------- */

/* M w - A^T mu = f, A w = b. */
static dal_flow solve_on_kept(void *user, double *f, double *b, double *w, double *mu)
{
    dal_point *x = user;
    dal_kept_reach(x, &x->velocities, b, w);
    dal_mass_times(x->layout, dal_seen_work(x->state)->M, w, x->w);
    for (int k = 0; k < x->nv; k++)
        x->w[k] -= f[k];
    dal_kept_project(x, &x->velocities, x->w, x->slope);
    dal_kept_expand(x, &x->velocities, -1, x->slope, w);
    dal_mass_times(x->layout, dal_seen_work(x->state)->M, w, x->w);
    for (int k = 0; k < x->nv; k++)
        x->w[k] -= f[k];
    dal_point_balance(x, x->w, mu);
    return 0;
}

static dal_friction_solver solver_of(dal_point *x)
{
    return (dal_friction_solver){x, solve_on_kept, x->variation, x->at};
}

dal_status dal_point_rub(dal_point *x, dal_messages *messages)
{
    const dal_system *system = dal_system_of(x->state);
    const int most = x->nv > x->n_rows ? x->nv : x->n_rows;
    if (!dal_system_acting(system)->n_frictions)
        return DAL_OK;
    if (dal_friction_at_rest(x->state) >= 0)
        return say_friction(system, dal_friction_at_rest(x->state), messages);
    x->friction = dal_friction_slopes_create(&x->arena->allocator, system);
    if (!x->friction)
        return DAL_NO_MEMORY;
    x->f = DAL_NEW(x->arena, double, x->nv + 1);
    x->b = DAL_NEW(x->arena, double, x->n_rows + 1);
    x->slope = DAL_NEW(x->arena, double, most + 1);
    dal_friction_slopes_read(x->state, x->friction);
    x->at.friction = dal_friction_slopes_forces(x->friction);
    const dal_friction_solver by = solver_of(x);
    if (!dal_friction_slopes_ready(x->state, x->friction, &by))
        return DAL_OK;
    dal_error(messages, dal_nowhere, "%s", dal_trouble_of(x->state));
    return DAL_NUMERICAL;
}

/* dal_point_change with friction: all of it through dlambda, from which friction follows. */
static void change_with_friction(dal_point *x, const dal_change *change, dal_variation_direction along, double *vd, double *states, double *columns)
{
    const dal_friction_solver by = solver_of(x);
    dal_variation_along(
        x->variation, &x->at, &along,
        &(dal_variation_result){.motion = x->phid, .phidd = x->phidd, .states = states, .slip = dal_friction_slopes_slip(x->friction)});
    for (int k = 0; k < x->nv; k++)
        x->f[k] = -x->phid[k];
    for (int i = 0; i < x->n_rows; i++)
        x->b[i] = -x->phidd[i];
    if (change->acceleration != 0)
        x->b[change->row] += change->acceleration;
    dal_friction_slopes_push(x->friction, x->f);
    solve_on_kept(x, x->f, x->b, vd, x->dlambda);
    if (dal_friction_slopes_follow(x->state, x->friction, &by, &along, x->phid, x->phidd, vd, x->dlambda))
        for (int k = 0; k < x->nv; k++)
            vd[k] = NAN; /* a table was left: no number is claimed */
    along.vd = vd, along.lambda = x->dlambda, along.friction = dal_friction_slopes_change(x->friction);
    if (columns)
        dal_variation_along(x->variation, &x->at, &along, &(dal_variation_result){.columns = columns});
}

/* ---- near it ----------------------------------------------------------------------------------- */

static void negate(double *x, int n)
{
    for (int k = 0; k < n; k++)
        x[k] = -x[k];
}

void dal_point_hold(dal_point *x)
{
    memset(x->vd, 0, sizeof *x->vd * (size_t)x->nv);
    find_multipliers(x);
}

void dal_point_unbalance(dal_point *x, double *out)
{
    const dal_work *work = dal_seen_work(x->state);
    for (int k = 0; k < x->nv; k++)
        x->w[k] = work->h[k] - work->Q[k];
    dal_kept_project(x, &x->velocities, x->w, out);
}

void dal_point_stiffness(dal_point *x, const dal_change *change, double *motion, double *states)
{
    const dal_variation_direction along = {.q = change->q, .z = change->z};
    dal_variation_along(x->variation, &x->at, &along, &(dal_variation_result){.motion = x->phid, .states = states});
    dal_kept_project(x, &x->velocities, x->phid, motion);
}

void dal_point_follow(dal_point *x, const double *dq, double *dv)
{
    dal_variation_along(x->variation, &x->at, &(dal_variation_direction){.q = dq}, &(dal_variation_result){.phid = x->phid});
    negate(x->phid, x->n_rows);
    dal_kept_reach(x, &x->velocities, x->phid, dv);
}

bool dal_point_ages(dal_point *x)
{
    double *states = DAL_NEW(x->arena, double, x->n_z + 1), *phi = DAL_NEW(x->arena, double, x->n_rows + 1);
    bool ages = false;
    dal_variation_along(x->variation, &x->at, &(dal_variation_direction){.t = 1},
                        &(dal_variation_result){.motion = x->motion, .phi = phi, .phid = x->phid, .phidd = x->phidd, .states = states});
    for (int k = 0; k < x->nv; k++)
        ages = ages || x->motion[k] != 0;
    for (int i = 0; i < x->n_rows; i++)
        ages = ages || phi[i] != 0 || x->phid[i] != 0 || x->phidd[i] != 0;
    for (int i = 0; i < x->n_z; i++)
        ages = ages || states[i] != 0;
    return ages;
}

/* A dv' = -D phi'', T^T (M dv' + D r) = 0; the columns also along A^T dlambda = M dv' + D r. */
void dal_point_change(dal_point *x, const dal_change *change, double *vd, double *states, double *columns)
{
    dal_variation_direction along = {
        .q = change->q, .v = change->v, .z = change->z, .inputs = change->inputs, .force = change->force, .effort = change->effort};
    double *motion = x->phid, *bound = x->phidd;
    if (x->friction) {
        change_with_friction(x, change, along, vd, states, columns);
        return;
    }
    dal_variation_along(x->variation, &x->at, &along, &(dal_variation_result){.phidd = bound});
    negate(bound, x->n_rows);
    if (change->acceleration != 0)
        bound[change->row] += change->acceleration;
    dal_kept_reach(x, &x->velocities, bound, vd);
    along.vd = vd; /* D r + M w */
    dal_variation_along(x->variation, &x->at, &along, &(dal_variation_result){.motion = motion, .states = states});
    dal_kept_project(x, &x->velocities, motion, x->w);
    dal_kept_expand(x, &x->velocities, -1, x->w, vd);
    if (!columns)
        return;
    if (x->reacts) {
        dal_variation_along(x->variation, &x->at, &along, &(dal_variation_result){.motion = motion});
        dal_point_balance(x, motion, x->dlambda);
        along.lambda = x->dlambda;
    }
    dal_variation_along(x->variation, &x->at, &along, &(dal_variation_result){.columns = columns});
}

/* Do all of these rows change by b? */
static bool is_met(const dal_point *x, const double *change, int row, bool holonomic)
{
    const double *unit = x->layout->units.row_unit;
    for (int i = 0; i < x->n_rows; i++)
        if (!(holonomic && dal_row_of_velocities(x->layout, i)) && fabs(change[i] - (i == row)) * unit[row] > 1e-8 * unit[i])
            return false;
    return true;
}

bool dal_point_drive(dal_point *x, int row, int level, double *dq, double *dv)
{
    double *asked = x->phidd;
    bool met = true;
    memset(dq, 0, sizeof *dq * (size_t)x->nv);
    memset(dv, 0, sizeof *dv * (size_t)x->nv);
    memset(asked, 0, sizeof *asked * (size_t)x->n_rows);
    asked[row] = 1;
    if (level == 0) {
        dal_kept_reach(x, &x->positions, asked, dq);
        dal_variation_along(x->variation, &x->at, &(dal_variation_direction){.q = dq}, &(dal_variation_result){.phi = x->phid});
        met = is_met(x, x->phid, row, true);
        dal_point_follow(x, dq, dv);
        return met;
    }
    dal_kept_reach(x, &x->velocities, asked, dv);
    dal_variation_along(x->variation, &x->at, &(dal_variation_direction){.v = dv}, &(dal_variation_result){.phid = x->phid});
    met = is_met(x, x->phid, row, false);
    if (level == 2)
        memset(dv, 0, sizeof *dv * (size_t)x->nv);
    return met;
}

/* c: of a row i that depends on those kept, A_i = sum c_j A_j. */
static void find_dependence(dal_point *x, int i, double *c)
{
    const dal_work *work = dal_seen_work(x->state);
    const dal_layout *layout = x->layout;
    memset(x->w, 0, sizeof *x->w * (size_t)x->nv);
    for (int k = layout->row[i].value; k < layout->row[i].value + layout->row[i].n_values; k++)
        x->w[layout->column[k]] += work->A[k];
    dal_point_balance(x, x->w, c);
    negate(c, x->n_rows);
    c[i] = 1;
}

static bool is_kept(const dal_point *x, int row)
{
    for (int j = 0; j < x->velocities.n; j++)
        if (x->velocities.row[j] == row)
            return true;
    return false;
}

/* Of each row i that depends on those kept: A_i = sum c_j A_j, and lambda may change along e_i - sum c_j e_j. */
void dal_point_loose(dal_point *x, bool *loose)
{
    const dal_layout *layout = x->layout;
    double *columns = DAL_NEW(x->arena, double, x->n_columns + 1), *value = DAL_NEW(x->arena, double, x->n_columns + 1);
    const dal_column *list = dal_system_columns(dal_system_of(x->state), NULL, NULL);
    memset(loose, 0, sizeof *loose * (size_t)x->n_columns);
    for (int i = 0; i < x->n_rows; i++) {
        if (is_kept(x, i))
            continue;
        find_dependence(x, i, x->dlambda);
        dal_variation_along(x->variation, &x->at, &(dal_variation_direction){.lambda = x->dlambda},
                            &(dal_variation_result){.columns = columns, .values = value});
        double torque = 0; /* of these multipliers */
        for (int k = 0; k < x->n_rows; k++)
            torque = fmax(torque, fabs(x->dlambda[k]) * layout->units.row_unit[k]);
        for (int k = 0; k < x->n_columns; k++) {
            const double size = list[k].unit && !strcmp(list[k].unit, "N") ? torque / layout->units.length : torque;
            loose[k] = loose[k] || (isfinite(columns[k]) && fabs(columns[k]) > 1e-9 * size);
        }
    }
}

/* v (D sum c_i A_i) v, in the model's own units, for a motion v of its own size; x->motion and x->phid are spent. */
static double bend_of(dal_point *x, double *c, const double *v)
{
    double *zero = DAL_NEW(x->arena, double, x->n_rows + 1), size = 0, sum = 0;
    dal_variation_point at = x->at;
    for (int i = 0; i < x->n_rows; i++)
        size += fabs(c[i]) * x->layout->units.row_unit[i];
    for (int i = 0; i < x->n_rows; i++)
        c[i] /= size;
    at.lambda = c;
    dal_variation_along(x->variation, &at, &(dal_variation_direction){.q = v}, &(dal_variation_result){.motion = x->motion});
    at.lambda = zero;
    dal_variation_along(x->variation, &at, &(dal_variation_direction){.q = v}, &(dal_variation_result){.motion = x->phid});
    for (int k = 0; k < x->nv; k++)
        sum += v[k] * (x->motion[k] - x->phid[k]);
    return sum;
}

/* Of rows that depend on each other, sum c_i A_i = 0: row i, or the weightiest row of a joint or constraint if row i relates coordinates of a body. */
static int joint_among(const dal_point *x, int i, const double *c)
{
    int best = i;
    double most = 0;
    for (int k = 0; k < x->n_rows && x->layout->row[i].source < 0; k++)
        if (x->layout->row[k].source >= 0 && fabs(c[k]) * x->layout->units.row_unit[k] > most * (1 + 1e-6)) {
            most = fabs(c[k]) * x->layout->units.row_unit[k];
            best = k;
        }
    return best;
}

/* Along a motion q(s) on the rows, A q'' + q' D^2 phi q' = 0. With c^T A = 0 the second term, times c, vanishes for every q' that begins a motion. */
int dal_point_singular(dal_point *x)
{
    const dal_units *units = &x->layout->units;
    double *v = DAL_NEW(x->arena, double, x->nv + 1), *xi = DAL_NEW(x->arena, double, x->positions.p + 1), size = 0;
    uint64_t chance = 1;
    if (!is_holonomic(x->layout) || x->velocities.n == x->n_rows || x->layout->curved)
        return -1;
    for (int j = 0; j < x->positions.p; j++)
        xi[j] = dal_chance(&chance);
    dal_kept_expand(x, &x->positions, 1, xi, v);
    for (int k = 0; k < x->nv; k++)
        size = fmax(size, fabs(v[k]) * units->column_scale[k] / units->length);
    for (int k = 0; k < x->nv; k++)
        v[k] /= size;
    for (int i = 0; i < x->n_rows; i++) {
        if (is_kept(x, i))
            continue;
        find_dependence(x, i, x->dlambda);
        if (fabs(bend_of(x, x->dlambda, v)) > bent)
            return joint_among(x, i, x->dlambda);
    }
    return -1;
}

void dal_point_values(dal_point *x, double *columns, double *states)
{
    dal_variation_along(x->variation, &x->at, &(dal_variation_direction){0}, &(dal_variation_result){.values = columns, .rates = states});
}
