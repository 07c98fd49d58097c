/* Direct correction (`natural-absolute-coordinates` (78), (79)): after each step the
 * least change of the coordinates that meets the constraints to the tolerance,
 * then the least change of the velocities, U (A U)^+ with U what moves the bodies by a metre: turns count as the model's length times the
 * angle, so that the correction does not depend on units. (A U)^+ by QR of (A U)^T on the independent rows; large systems through the
 * saddle matrix with the unit metric, which is the same.
 */
#include "integrate/stabilization.h"
#include "math/dense.h"
#include "dynamics/row_rank.h"
#include "dynamics/saddle.h"
#include "model/system_parts.h"
#include "state/scratch.h"
#include "state/state.h"

#include <string.h>

static double *matrix_direct_correction(dal_state *state)
{
    return state->scratch->projector + state->layout->nv + state->layout->n_rows;
}

static dal_flow factor_dense_direct_correction(dal_state *state)
{
    const dal_layout *layout = state->layout;
    const size_t m = (size_t)layout->nv;
    for (int attempt = 0; attempt < 2; attempt++) {
        double *A = matrix_direct_correction(state), *tau = A + m * (size_t)layout->n_rows;
        memset(A, 0, sizeof *A * m * (size_t)state->rank->n);
        for (int i = 0; i < state->rank->n; i++) {
            const dal_row_layout *at = &layout->row[state->rank->order[i]];
            for (int k = at->value; k < at->value + at->n_values; k++)
                A[(size_t)i * m + (size_t)layout->column[k]] += state->work.A[k] * layout->units.column_unit[layout->column[k]];
        }
        double ratio = dal_qr(A, layout->nv, state->rank->n, layout->nv, tau);
        if (!dal_state_alarm(state, DAL_FACTOR_QR_UNIT, ratio) || (attempt && ratio > 0))
            return 0;
    }
    return dal_state_fail(state, "the constraints became dependent and no independent rows were found");
}

static void solve_dense_direct_correction(dal_state *state, double *b, double *x)
{
    const dal_layout *layout = state->layout;
    const double *A = matrix_direct_correction(state), *tau = A + (size_t)layout->nv * (size_t)layout->n_rows;
    double *chosen = matrix_direct_correction(state) + (size_t)(layout->nv + 1) * (size_t)layout->n_rows;
    for (int i = 0; i < state->rank->n; i++)
        chosen[i] = b[state->rank->order[i]];
    dal_qr_least_norm(A, layout->nv, state->rank->n, layout->nv, tau, chosen, x);
    for (int k = 0; k < layout->nv; k++)
        x[k] *= layout->units.column_unit[k];
}

static dal_flow factor_sparse_direct_correction(dal_state *state)
{
    return dal_saddle_ready(state, DAL_METRIC_UNIT);
}

static void solve_sparse(dal_state *state, double *b, double *x)
{
    memset(x, 0, sizeof *x * (size_t)state->layout->nv);
    dal_saddle_solve(state, x, b);
}

static dal_flow project_direct_correction(dal_state *state, double t, double *y)
{
    static const dal_projector dense = {.factor = factor_dense_direct_correction, .solve = solve_dense_direct_correction},
                               sparse = {.factor = factor_sparse_direct_correction, .solve = solve_sparse};
    return dal_project(state, t, y, state->layout->dense ? &dense : &sparse);
}

static size_t work_direct_correction(const dal_system *system)
{
    const size_t m = (size_t)dal_system_layout(system)->nv, r = (size_t)dal_system_layout(system)->n_rows;
    return m + r + (dal_system_layout(system)->dense ? (m + 2) * r : 0);
}

const dal_stabilization dal_direct_correction = {
    .name = "direct-correction",
    .title = "after each step the least change of coordinates and velocities that meets the constraints, to a tolerance",
    DAL_PROJECTION(project_direct_correction, work_direct_correction),
};
