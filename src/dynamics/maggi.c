/* Maggi's equations: Lagrange's, projected on the motions W that the constraints leave free, with the constraints below them:
 *     [W^T M; A_k] v' = [W^T (Q - h); gamma_k]
 * m equations for m accelerations, no multipliers. The states are q and v, as with Lagrange; speeds serve for W only.
 *
 * The lower rows are solved first: v' = W x + bias meets A_k v' = gamma_k for every x (speeds.h), because A_k W = 0. The upper ones then
 * are p equations for x,
 *     W^T M W x = W^T (Q - h) - W^T M bias
 * and their matrix is symmetric and positive definite.
 */
#include "dynamics/equations.h"
#include "dynamics/speeds_directions.h"
#include "model/system_parts.h"
#include "state/scratch.h"
#include "state/state.h"

/* A row of W^T M. */
static size_t work_maggi(const dal_system *system)
{
    return (size_t)dal_system_layout(system)->nv;
}

/* Row j of W^T M [W bias], and of the right side W^T (Q - h): the equation for x. */
static void project_maggi(const dal_state *state, int j, double *row)
{
    dal_speeds *s = state->speeds->basis;
    const size_t m = (size_t)s->n;
    const double *W = s->W + (size_t)j * m;
    dal_speeds_inertia_row(state, j, row);
    s->f[j] = 0;
    for (size_t i = 0; i < m; i++)
        s->f[j] += W[i] * (state->work.Q[i] - state->work.h[i]) - row[i] * s->bias[i];
}

static dal_flow solve_maggi(dal_state *state)
{
    assert(dal_has(state, DAL_STAGE_JACOBIAN | DAL_STAGE_VELOCITY | DAL_STAGE_LOADS));
    dal_flow flow = dal_speeds_ready(state);
    if (flow)
        return flow;
    dal_speeds_basis(state);
    dal_speeds_bias_vector(state);
    for (int j = 0; j < state->speeds->basis->p; j++)
        project_maggi(state, j, state->scratch->solver);
    return dal_speeds_finish(state);
}

const dal_formulation dal_maggi = {
    .name = "maggi",
    .title = "Maggi: Lagrange's equations on the motions that the constraints leave free, and the constraints; no multipliers",
    DAL_FORMULATION(dal_speeds_apply, work_maggi, solve_maggi, dal_speeds_correct, dal_show_maggi),
    .chooses = true,
};
