/* The list of stabilisations, and the functions that projections share. */
#include "integrate/stabilization.h"
#include "joint/joint.h"
#include "dynamics/row_rank.h"
#include "dynamics/saddle.h"
#include "dynamics/singular.h"
#include "model/system.h"
#include "state/scale.h"
#include "state/scratch.h"
#include "state/state.h"

#include <math.h>
#include <string.h>

extern const dal_stabilization dal_stabilize_none, dal_stabilize_baumgarte, dal_direct_correction, dal_mass_projection, dal_coordinate_partitioning,
    dal_stabilize_penalty;

const dal_stabilization *const dal_stabilizations[] = {&dal_stabilize_none,
                                                       &dal_stabilize_baumgarte,
                                                       &dal_direct_correction,
                                                       &dal_mass_projection,
                                                       &dal_coordinate_partitioning,
                                                       &dal_stabilize_penalty,
                                                       NULL};

const char *const dal_tolerance_alone[] = {"tolerance", NULL};

/* A v - beta on the present A. */
static void velocity_residual(dal_state *state, double *out)
{
    const dal_layout *layout = state->layout;
    const dal_work *w = &state->work;
    dal_rows_times(layout, w->A, w->v, out);
    for (int i = 0; i < layout->n_extrinsic; i++)
        out[i] += dal_row_free(layout, w, &layout->mechanism->rows[layout->row[i].source]);
}

static dal_flow fail_at(dal_state *state, int row)
{
    const double worst = fabs(state->work.phi[row]);
    if (row < state->layout->n_extrinsic) {
        const dal_row *missed = &state->mechanism->rows[state->layout->row[row].source];
        const bool written = dal_joint_is_expression(&state->mechanism->joints[missed->joint]);
        return dal_state_fail(state, "the constraints cannot be met: %s '%s' stays open by %.3g%s", written ? "constraint" : "joint",
                              state->mechanism->joints[missed->joint].name, worst,
                              written           ? ""
                              : missed->angular ? " rad"
                                                : " m");
    }
    return dal_state_fail(state, "the attitude parameters of a body cannot be normalised: %.3g remain", worst);
}

/* Dependent rows contradict the others. */
static dal_flow fail_in_velocity(dal_state *state, int row, double relative)
{
    const double worst = relative * state->layout->units.row_unit[row];
    const bool joined = row < state->layout->n_extrinsic;
    const dal_joint *joint = joined ? &state->mechanism->joints[state->mechanism->rows[state->layout->row[row].source].joint] : NULL;
    return dal_state_fail(state, "the constraints contradict each other: of the velocity that %s '%s' asks for, %.3g remains",
                          !joint || dal_joint_is_expression(joint) ? "constraint" : "joint", joint ? joint->name : "attitude", worst);
}

enum { MOST_ITERATIONS = 25 };
static const double root_is_rounding = 1e-12; /* of the velocities: allowed residual of rows that are not linear in them */
static const double contradiction = 1e-6;     /* of the velocities: more than this is no rounding and no tolerance of the positions */

/* Residuals are seen by the integration as errors of the coordinates, and by some formulations through squares of the velocities (the momenta of
 * direction cosines that are no longer unit vectors): they are kept below rtol of the coordinates, by a margin, but not below the rounding of the
 * sums of a row. */
static const double usual_tolerance = 1e-10, part_of_rtol = 0.1, least_tolerance = 1e-14;

double dal_projection_tolerance(const dal_system *system)
{
    if (isfinite(system->method.tolerance))
        return system->method.tolerance;
    return fmax(fmin(usual_tolerance, part_of_rtol * system->info.rtol), least_tolerance);
}

static const double rounding = 2e-16; /* of a residual */

/* How far the bodies are from the origin, in lengths: residuals cannot be smaller than the rounding of that. */
static double extent(const dal_state *state)
{
    double most = 1;
    for (int b = 0; b < state->mechanism->n_bodies; b++)
        for (int k = 0; k < 3; k++)
            most = fmax(most, fabs(state->work.kin[b].r[k]) / state->layout->units.length);
    return most;
}

/* (79) of `natural-absolute-coordinates`: v + dv, A dv = -(A v - beta), where A is factored. */
static dal_flow correct_velocities(dal_state *state, const dal_projector *projector)
{
    const dal_system *system = state->system;
    const dal_layout *layout = &system->layout;
    double *x = state->scratch->projector, *b = x + layout->nv;
    const double fastest = dal_fastest(system, state->work.v);
    int where = 0;
    for (int i = 0; i < 3; i++) { /* a second pass removes the rounding of the first */
        velocity_residual(state, b);
        if (dal_worst_row(state, b, &where) <= 1e-15 * fastest)
            break;
        for (int k = 0; k < layout->n_rows; k++)
            b[k] = -b[k];
        projector->solve(state, b, x);
        for (int k = 0; k < layout->nv; k++)
            state->work.v[k] += x[k];
    }
    if (layout->curved) /* tangents of rows that depend on one another agree at the root only: follow_roots */
        return 0;
    velocity_residual(state, b);
    const double worst = dal_worst_row(state, b, &where);
    if (!state->singular->near && state->rank->n < layout->n_rows && !(worst <= contradiction * fmax(1 / layout->units.time, fastest)))
        return fail_in_velocity(state, where, worst);
    return 0;
}

static dal_flow fail_at_root(dal_state *state, int row, double relative)
{
    const dal_row *missed = row < state->layout->n_extrinsic ? &state->mechanism->rows[state->layout->row[row].source] : NULL;
    if (!missed || !missed->curved)
        return fail_in_velocity(state, row, relative);
    return dal_state_fail(state,
                          "the velocities cannot be brought back to constraint '%s', which is not linear in them: %.3g remains; two of its roots "
                          "meet here, or it has none",
                          state->mechanism->joints[missed->joint].name, relative * state->layout->units.row_unit[row]);
}

/* Rows that are not linear in the rates, phi(q, v, t) = 0: (79) is a step of Newton's method, A and A v - beta are evaluated again after each. The
 * iteration ends when the residual is rounding: it no longer falls. */
static dal_flow follow_roots(dal_state *state, const dal_projector *projector)
{
    const dal_layout *layout = state->layout;
    double *b = state->scratch->projector + layout->nv, before = HUGE_VAL, worst = HUGE_VAL;
    const double fastest = fmax(1 / layout->units.time, dal_fastest(state->system, state->work.v));
    int where = 0;
    for (int i = 0; i < MOST_ITERATIONS; i++) {
        dal_state_forget(state, DAL_STAGE_UNPACKED | DAL_STAGE_JACOBIAN | DAL_STAGE_VELOCITY);
        dal_state_jacobian(state);
        velocity_residual(state, b);
        worst = dal_worst_row(state, b, &where);
        if (worst <= 1e-15 * fastest || (worst > 0.25 * before && worst <= root_is_rounding * fastest))
            return 0;
        if (!(worst < HUGE_VAL) || (i > 8 && worst > 0.5 * before))
            break;
        before = worst;
        dal_flow flow = projector->factor(state);
        if (flow || (flow = correct_velocities(state, projector)))
            return flow;
    }
    return worst <= root_is_rounding * fastest ? 0 : fail_at_root(state, where, worst);
}

/* phi and A at y, and the matrix of the corrections. */
static dal_flow begin_projection(dal_state *state, double t, const double *y, const dal_projector *projector)
{
    dal_flow flow = dal_state_unpack(state, t, y);
    if (flow)
        return flow;
    dal_state_position(state);
    dal_state_jacobian(state);
    if (projector->begin && (flow = projector->begin(state)))
        return flow;
    return projector->factor(state);
}

/* The velocities at the present q, then all into y. */
static dal_flow finish_projection(dal_state *state, double *y, const dal_projector *projector)
{
    dal_flow flow = correct_velocities(state, projector);
    if (!flow && state->layout->curved)
        flow = follow_roots(state, projector);
    return flow ? flow : dal_state_pack(state, y);
}

/* (78) of `natural-absolute-coordinates`: q + dq, A dq = -phi, until phi is within the tolerance; then (79) at the corrected q. */
dal_flow dal_project(dal_state *state, double t, double *y, const dal_projector *projector)
{
    const dal_system *system = state->system;
    const dal_layout *layout = &system->layout;
    double *x = state->scratch->projector, *b = x + layout->nv;
    int where = 0;
    if (!layout->n_rows) /* an open tree: there is nothing to meet, and M may not be there */
        return 0;
    dal_flow flow = begin_projection(state, t, y, projector);
    if (flow)
        return flow;
    double worst = dal_worst_row(state, state->work.phi, &where), before = HUGE_VAL;
    const double tolerance = dal_projection_tolerance(system), wanted = dal_singular_projection_goal(state, tolerance);
    /* A multistep method sees a correction that is made in some steps and skipped in others as a jump, however short its steps: it gets at least
     * one in each. */
    const int least = dal_paced(system->method.integrator) ? 1 : 0;
    for (int i = 0; worst > wanted || (i < least && worst > rounding); i++) {
        if (worst > 0.25 * before && (worst <= tolerance || worst <= 8 * rounding * extent(state)))
            break; /* as good as it gets */
        if (i == MOST_ITERATIONS || !(worst < HUGE_VAL) || (i > 8 && worst > 0.5 * before))
            return fail_at(state, where);
        before = worst;
        for (int k = 0; k < layout->n_rows; k++)
            b[k] = -state->work.phi[k];
        projector->solve(state, b, x);
        layout->family->add(layout, state->work.q, x);
        dal_state_moved(state);
        dal_state_position(state);
        dal_state_jacobian(state);
        worst = dal_worst_row(state, state->work.phi, &where);
        if ((flow = projector->factor(state)))
            return flow;
    }
    if (projector->keeps_speeds && system->method.formulation->unpack) {
        memcpy(y, state->work.q, sizeof *y * (size_t)layout->nq);
        return 0;
    }
    return finish_projection(state, y, projector);
}

static void solve_least(dal_state *state, double *b, double *x)
{
    memset(x, 0, sizeof *x * (size_t)state->layout->nv);
    dal_saddle_solve(state, x, b);
}

dal_flow dal_project_velocities(dal_state *state, double t, double *y)
{
    static const dal_projector projector = {.factor = dal_saddle_least, .solve = solve_least};
    if (!state->layout->n_rows)
        return 0;
    const dal_flow flow = begin_projection(state, t, y, &projector);
    return flow ? flow : finish_projection(state, y, &projector);
}
