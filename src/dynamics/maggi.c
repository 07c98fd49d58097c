/* Maggi's equations: Lagrange's, projected on the motions W that the constraints leave free, with the constraints below them:
 *     [W^T M; A_k] v' = [W^T (Q - h); gamma_k]
 * m equations for m accelerations, no multipliers. The states are q and v, as with Lagrange; speeds serve for W only.
 *
 * The matrix is factored with its rows at unit norm and its columns over what a unit of the velocity moves, as S is (speeds.c).
 */
#include "dynamics/equations.h"
#include "dynamics/mutate.h"
#include "dynamics/speeds.h"
#include "math/dense.h"

#include <math.h>
#include <string.h>

static const double no_inertia = 1e-15; /* pivot ratio that is only rounding */

static bool applies(const dal_system *system, char *why, size_t size)
{
    return dal_speeds_apply(system, "maggi", system->layout.nv - system->rank, why, size);
}

static int equations(const dal_system *system)
{
    return system->layout.nv;
}

static size_t work(const dal_system *system)
{
    const size_t m = (size_t)system->layout.nv;
    return m * m;
}

/* Row j of the matrix, W_j^T M, and of the right side, W_j . (Q - h). */
static void project(const dal_state *state, int j, double *row, double *right)
{
    const dal_layout *layout = &state->system->layout;
    const double *W = state->basis->W + (size_t)j * (size_t)layout->nv;
    double sum = 0;
    dal_mass_times(layout, state->work.M, W, row);
    *right = 0;
    for (int i = 0; i < layout->nv; i++) {
        *right += W[i] * (state->work.Q[i] - state->work.h[i]);
        row[i] = DAL_MUTATED(MAGGI, row[i]) / state->system->column_scale[i];
        sum += row[i] * row[i];
    }
    const double unit = sum > 0 ? 1 / sqrt(sum) : 1;
    *right *= unit;
    for (int i = 0; i < layout->nv; i++)
        row[i] *= unit;
}

static dal_flow solve(dal_state *state)
{
    const dal_speeds *s = state->basis;
    const int m = s->n, p = s->p;
    double *K = state->solver;
    dal_flow flow = dal_speeds_ready(state);
    if (flow)
        return flow;
    dal_speeds_columns(state);
    for (int j = 0; j < p; j++)
        project(state, j, K + (size_t)j * (size_t)m, &state->vd[j]);
    memcpy(K + (size_t)p * (size_t)m, s->S + (size_t)p * (size_t)m, sizeof *K * (size_t)s->k * (size_t)m);
    for (int i = 0; i < s->k; i++)
        state->vd[p + i] = s->row_scale[p + i] * state->gamma[s->row[i]];
    if (!(dal_lu(K, m, m, s->trial) > no_inertia))
        return dal_state_fail(state, "the equations of motion are singular: the inertia does not determine the motion that the constraints leave free");
    dal_lu_solve(K, m, m, s->trial, state->vd);
    for (int i = 0; i < m; i++)
        state->vd[i] /= state->system->column_scale[i];
    dal_speeds_multipliers(state);
    return 0;
}

const dal_formulation dal_maggi = {
    .name = "maggi",
    .title = "Maggi: Lagrange's equations on the motions that the constraints leave free, and the constraints; no multipliers",
    .applies = applies,
    .equations = equations,
    .multipliers = dal_speeds_no_multipliers,
    .work = work,
    .chooses = true,
    .solve = solve,
    .show = dal_show_maggi,
};
