/* The equations of a steady motion at one position. The state is placed at q with the velocities V(q) c of the fields, least in energy beside the
 * constraints, and there, in the model's own units,
 *
 *     F(q, c) = T^T (J^T (m c'', I w' + w x I w) - Q(q, v) - A^T lambda),   z',   phi' of drives and of rows of velocities,   phi'' of the latter,
 *     rates less those given
 *
 * With phi' alone a body that turns about an axis of its own while it shifts would pass for one that turns about a far axis: they have the same
 * velocities. The accelerations v' follow from M v' + h = J^T (...) along the rows that c does not meet by equations, and phi'' = A v' - gamma.
 *
 * T and lambda are those of the position where derivatives are computed (steady_symmetries.c), so that F is smooth around it.
 */
#include "linear/steady_parts.h"

#include "base/message.h"
#include "math/state_units.h"
#include "math/vec.h"
#include "model/system_parts.h"
#include "state/scale.h"
#include "state/state_parts.h"

#include <math.h>
#include <string.h>

enum { MOST_CORRECTIONS = 30 };
static const double kept = 1e-13;    /* of the model's length: rows are met */
static const double chart_end = 0.3; /* of the charts of attitudes: the limit at which a run renews them */

/* ---- one position ------------------------------------------------------------------------------------------ */

static void renew_charts(dal_steady_search *s)
{
    dal_work *work = dal_work_of(s->state);
    for (int b = 0; s->layout->family->condition && b < s->layout->mechanism->n_bodies; b++)
        if (!s->layout->sequence_fixed && s->layout->family->condition(s->layout, work, b) < chart_end)
            s->layout->family->rechart(s->layout, work, b);
}

dal_status dal_steady_enter(dal_steady_search *s, double *q, const double *v, const double *z, bool recharted)
{
    dal_work *work = dal_work_of(s->state);
    memcpy(work->q, q, sizeof *q * (size_t)s->layout->nq);
    memcpy(work->v, v, sizeof *v * (size_t)s->nv);
    dal_state_moved(s->state);
    dal_state_position(s->state);
    if (recharted) {
        renew_charts(s);
        memcpy(q, work->q, sizeof *q * (size_t)s->layout->nq);
    }
    double *now = DAL_NEW(&s->arena, double, s->nv + 1);
    memcpy(now, work->v, sizeof *now * (size_t)s->nv);
    if (dal_state_adopt(s->state, work->t, q, now)) {
        dal_error(s->messages, dal_nowhere, "on the way to a steady motion: %s", dal_trouble_of(s->state));
        return DAL_NUMERICAL;
    }
    dal_state_columns(s->state);
    memcpy(dal_own_states_of(s->state), z, sizeof *z * (size_t)s->n_z);
    return DAL_OK;
}

dal_status dal_steady_evaluate(dal_steady_search *s, double *q, const double *v, const double *z, bool recharted)
{
    const dal_status status = dal_steady_enter(s, q, v, z, recharted);
    return status == DAL_OK ? dal_evaluate_whole(s->state, s->messages) : status;
}

dal_status dal_steady_open(dal_steady_search *s, double *q, const double *v, const double *z, bool recharted)
{
    const dal_status status = dal_steady_evaluate(s, q, v, z, recharted);
    if (status != DAL_OK)
        return status;
    dal_point_close(&s->point);
    return dal_point_open(&s->arena, s->state, s->messages, &s->point);
}

/* The point with its rows and masses, but without forces: these need not have values at rest, as slip over a speed has none. */
static dal_status open_without_forces(dal_steady_search *s, double *q, const double *v, const double *z, bool recharted)
{
    const dal_status status = dal_steady_enter(s, q, v, z, recharted);
    if (status != DAL_OK)
        return status;
    dal_state_jacobian(s->state);
    dal_inertia_and_forces(s->layout, dal_work_of(s->state));
    dal_point_close(&s->point);
    return dal_point_open(&s->arena, s->state, s->messages, &s->point);
}

dal_status dal_steady_span(dal_steady_search *s, double *q, const double *v, const double *z, bool recharted, dal_kept_rows *rows)
{
    const dal_status status = open_without_forces(s, q, v, z, recharted);
    if (status != DAL_OK)
        return status;
    return dal_point_span(&s->point, s->driven, rows) ? DAL_OK : DAL_BAD_MODEL;
}

dal_status dal_steady_correct(dal_steady_search *s)
{
    double *zero = DAL_NEW(&s->arena, double, s->nv + 1), *dq = DAL_NEW(&s->arena, double, s->nv + 1), last = INFINITY;
    double *phi = DAL_NEW(&s->arena, double, s->layout->n_rows + 1);
    for (int i = 0; i < MOST_CORRECTIONS; i++) {
        const dal_status status = open_without_forces(s, s->q, zero, s->z, i == 0);
        if (status != DAL_OK)
            return status;
        const dal_work *work = dal_seen_work(s->state);
        int where;
        const double worst = s->layout->n_rows ? dal_worst_row(s->state, work->phi, &where) : 0;
        if (!(worst > kept) || (worst < 1e-9 && worst > 0.5 * last))
            return DAL_OK;
        last = worst;
        for (int k = 0; k < s->layout->n_rows; k++)
            phi[k] = -work->phi[k];
        dal_kept_reach(&s->point, &s->point.positions, phi, dq);
        s->layout->family->add(s->layout, s->q, dq);
    }
    dal_error(s->messages, dal_nowhere, "on the way to a steady motion the constraints cannot be kept");
    return DAL_NUMERICAL;
}

void dal_steady_follow(dal_steady_search *s, const dal_kept_rows *rows, const dal_body_motion *motion, double *v)
{
    double *momenta = DAL_NEW(&s->arena, double, s->nv + 1), *along = DAL_NEW(&s->arena, double, rows->p + 1);
    dal_fields_momenta(s->state, motion, momenta);
    dal_kept_project(&s->point, rows, momenta, along);
    memset(v, 0, sizeof *v * (size_t)s->nv);
    dal_kept_expand(&s->point, rows, 1, along, v);
}

void dal_steady_velocities(dal_steady_search *s, const dal_kept_rows *rows, const double *c, double *v)
{
    dal_body_motion *motion = DAL_NEW(&s->arena, dal_body_motion, s->fields.n_bodies + 1);
    dal_fields_move(s->state, &s->fields, c, motion);
    dal_steady_follow(s, rows, motion, v);
}

/* ---- forces without values at rest ----------------------------------------------------------------------------
 *
 * Where forces have no values at rest, they are compared in motion. The bodies move at different positions in the same way, seen from the heaviest
 * body of their island, the leader. */

static int find_leader(const dal_steady_search *s, int b)
{
    const int *of_body = dal_system_acting(dal_system_of(s->state))->islands.of_body;
    const dal_mechanism *m = s->layout->mechanism;
    int leader = -1;
    for (int i = 0; i < m->n_bodies; i++)
        if (dal_island(of_body, i) == dal_island(of_body, b) && !m->bodies[i].particle && (leader < 0 || m->bodies[i].mass > m->bodies[leader].mass))
            leader = i;
    return leader;
}

/* In axes of the leader, or back. */
static void turn_by_leader(const dal_steady_search *s, int b, bool back, const double x[3], double out[3])
{
    const int leader = find_leader(s, b);
    const double *R = leader < 0 ? NULL : dal_seen_work(s->state)->kin[leader].R;
    for (int k = 0; k < 3; k++)
        out[k] = !R ? x[k] : back ? R[3 * k] * x[0] + R[3 * k + 1] * x[1] + R[3 * k + 2] * x[2] : R[k] * x[0] + R[3 + k] * x[1] + R[6 + k] * x[2];
}

/* From the point of a body to its centre of mass. */
static void find_arm(const dal_steady_search *s, int b, double rho[3])
{
    dal_turn(dal_seen_work(s->state)->kin[b].R, s->layout->mechanism->bodies[b].center, rho);
}

void dal_steady_note(dal_steady_search *s, const dal_body_motion *start)
{
    dal_body_motion *motion = DAL_NEW(&s->arena, dal_body_motion, s->fields.n_bodies + 1);
    s->carried = DAL_NEW(&s->arena, dal_body_motion, s->fields.n_bodies + 1);
    if (start)
        memcpy(motion, start, sizeof *motion * (size_t)s->fields.n_bodies);
    else
        dal_fields_move(s->state, &s->fields, s->c, motion);
    for (int b = 0; b < s->fields.n_bodies; b++) {
        double rho[3];
        find_arm(s, b, rho);
        dal_add_cross(motion[b].w, rho, motion[b].rd);
        turn_by_leader(s, b, false, motion[b].w, s->carried[b].w);
        turn_by_leader(s, b, false, motion[b].rd, s->carried[b].rd);
    }
}

dal_status dal_steady_carry(dal_steady_search *s, double *q, double *v)
{
    dal_body_motion *motion = DAL_NEW(&s->arena, dal_body_motion, s->fields.n_bodies + 1);
    dal_kept_rows loose;
    if (!s->restless)
        return DAL_OK;
    const dal_status status = dal_steady_span(s, q, v, s->z, false, &loose);
    if (status != DAL_OK)
        return status;
    for (int b = 0; b < s->fields.n_bodies; b++) {
        double rho[3];
        find_arm(s, b, rho);
        turn_by_leader(s, b, true, s->carried[b].w, motion[b].w);
        turn_by_leader(s, b, true, s->carried[b].rd, motion[b].rd);
        dal_add_cross(rho, motion[b].w, motion[b].rd);
    }
    dal_steady_follow(s, &loose, motion, v);
    return DAL_OK;
}

/* ---- units of states ------------------------------------------------------------------------------------------ */

/* What changes along one direction: rows of A, forces and rates of states in the model's own units, at column j of `width`. */
static void find_coupling(dal_steady_search *s, const dal_variation_direction *along, double size, int j, int width, double *A)
{
    const dal_units *units = &s->layout->units;
    const double force = units->mass * units->length / (units->time * units->time);
    double *motion = DAL_NEW(&s->arena, double, s->nv + 1), *states = DAL_NEW(&s->arena, double, s->n_z + 1);
    dal_variation_along(s->point.variation, &s->point.at, along, &(dal_variation_result){.motion = motion, .states = states});
    for (int i = 0; i < s->nv; i++)
        A[width * i + j] = isfinite(motion[i]) ? size * motion[i] * units->column_scale[i] / (force * units->length) : 0;
    for (int k = 0; k < s->n_z; k++)
        A[width * (s->nv + k) + j] = isfinite(states[k]) ? size * states[k] * units->time : 0;
}

/* The unit of a state: between what moves it and what it moves; where one of them is missing, by the other; else by its start. */
void dal_steady_find_units(dal_steady_search *s)
{
    const dal_units *units = &s->layout->units;
    const int nv = s->nv, width = 2 * nv + s->n_z;
    double *A = DAL_NEW(&s->arena, double, (size_t)(nv + s->n_z) * (size_t)width + 1), *one = DAL_NEW(&s->arena, double, nv + s->n_z + 1);
    double *own = DAL_NEW(&s->arena, double, s->n_z + 1);
    s->z_unit = DAL_NEW(s->keep, double, s->n_z + 1);
    if (!s->n_z)
        return;
    for (int j = 0; j < nv; j++) {
        const double size = units->length / units->column_scale[j];
        one[j] = 1;
        find_coupling(s, &(dal_variation_direction){.q = one}, size, j, width, A);
        find_coupling(s, &(dal_variation_direction){.v = one}, size / units->time, nv + j, width, A);
        one[j] = 0;
    }
    for (int k = 0; k < s->n_z; k++) {
        one[k] = 1;
        find_coupling(s, &(dal_variation_direction){.z = one}, 1, 2 * nv + k, width, A);
        one[k] = 0;
    }
    dal_state_units_balance(nv, 2 * nv, s->n_z, A, s->z_unit);
    dal_state_own_units(s->state, own);
    for (int k = 0; k < s->n_z; k++) {
        double row = 0, column = 0;
        for (int j = 0; j < width; j++)
            row = j == 2 * nv + k ? row : fmax(row, fabs(A[width * (nv + k) + j]));
        for (int i = 0; i < nv + s->n_z; i++)
            column = i == nv + k ? column : fmax(column, fabs(A[width * i + 2 * nv + k]));
        if (row == 0 || column == 0)
            s->z_unit[k] = row > 0 ? row : column > 0 ? 1 / column : own[k];
    }
}

/* ---- equations ---------------------------------------------------------------------------------------------- */

void dal_steady_forces(dal_steady_search *s, const double *c, double *out)
{
    dal_body_motion *motion = DAL_NEW(&s->arena, dal_body_motion, s->fields.n_bodies + 1);
    const dal_work *work = dal_seen_work(s->state);
    dal_fields_move(s->state, &s->fields, c, motion);
    dal_fields_inertia(s->state, motion, out);
    for (int k = 0; k < s->nv; k++) {
        s->force = fmax(s->force, fmax(fabs(out[k]), fabs(work->Q[k])) / s->layout->units.column_scale[k]);
        out[k] -= work->Q[k];
    }
}

void dal_steady_rates(dal_steady_search *s, double *out)
{
    double *slope = DAL_NEW(&s->arena, double, s->point.n_columns + 1), *value = DAL_NEW(&s->arena, double, s->point.n_columns + 1);
    dal_variation_along(s->point.variation, &s->point.at, &(dal_variation_direction){.q = s->point.v},
                        &(dal_variation_result){.columns = slope, .values = value});
    for (int i = 0; i < s->n_given; i++)
        out[i] = s->is_rate[i] ? value[s->columns[i]] : slope[s->columns[i]];
}

/* phi'' of the rows of velocities, with the accelerations of constant c; f: inertia less Q. Of the drives of positions, the largest phi'' is noted: a drive
 * that accelerates has no steady motion. Returns where `out` ends. */
static double *add_accelerations(dal_steady_search *s, const dal_kept_rows *loose, const double *f, double *out)
{
    const dal_units *units = &s->layout->units;
    const dal_work *work = dal_seen_work(s->state);
    double *vd = DAL_NEW(&s->arena, double, s->nv + 1), *rest = DAL_NEW(&s->arena, double, s->nv + 1);
    double *along = DAL_NEW(&s->arena, double, loose->p + 1), *sums = DAL_NEW(&s->arena, double, s->layout->n_rows + 1);
    dal_kept_reach(&s->point, loose, work->gamma, vd);
    dal_mass_times(s->layout, work->M, vd, rest);
    for (int k = 0; k < s->nv; k++)
        rest[k] = f[k] + work->Q[k] - work->h[k] - rest[k];
    dal_kept_project(&s->point, loose, rest, along);
    dal_kept_expand(&s->point, loose, 1, along, vd);
    dal_rows_times(s->layout, work->A, vd, sums);
    s->hasty = 0;
    for (int i = 0; i < s->layout->n_rows; i++) {
        const double second = (sums[i] - work->gamma[i]) * units->time * units->time / units->row_unit[i];
        if (dal_row_of_velocities(s->layout, i))
            *out++ = second;
        else if (s->driven[i] && fabs(second) > s->hasty) {
            s->hasty = fabs(second);
            s->hasty_row = i;
        }
    }
    return out;
}

dal_status dal_steady_equations(dal_steady_search *s, double *q, const double *c, const double *z, double *out)
{
    const dal_units *units = &s->layout->units;
    double *v = DAL_NEW(&s->arena, double, s->nv + 1), *f = DAL_NEW(&s->arena, double, s->nv + 1);
    double *rates = DAL_NEW(&s->arena, double, s->n_z + 1), *of_given = DAL_NEW(&s->arena, double, s->n_given + 1);
    dal_kept_rows loose;
    dal_status status = dal_steady_span(s, q, v, z, false, &loose);
    if (status != DAL_OK)
        return status;
    dal_steady_velocities(s, &loose, c, v);
    if ((status = dal_steady_open(s, q, v, z, false)) != DAL_OK)
        return status;
    const dal_work *work = dal_seen_work(s->state);
    double *row = DAL_NEW(&s->arena, double, s->nv + 1);
    dal_steady_forces(s, c, f);
    dal_rows_transposed(s->layout, work->A, s->lambda, row);
    for (int j = 0; j < s->p; j++, out++)
        for (int k = 0; k < s->nv; k++)
            *out = (k ? *out : 0) + s->T[(size_t)s->nv * (size_t)j + (size_t)k] * (f[k] - row[k]) * units->time * units->time / s->unit;
    dal_point_values(&s->point, NULL, rates);
    for (int k = 0; k < s->n_z; k++)
        *out++ = rates[k] * units->time / fmax(fabs(s->z[k]), s->z_unit[k]);
    for (int i = 0; i < s->layout->n_rows; i++)
        if (s->driven[i])
            *out++ = work->phid[i] * units->time / units->row_unit[i];
    out = add_accelerations(s, &loose, f, out);
    dal_steady_rates(s, of_given);
    for (int i = 0; i < s->n_given; i++)
        *out++ = (of_given[i] - s->given[i]) / fmax(fabs(s->given[i]), 1e-3 / units->time);
    return DAL_OK;
}
