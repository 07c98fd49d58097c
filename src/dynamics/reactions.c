/* Joint reactions from multipliers.
 *
 * A row with multiplier lambda acts on each vector of its measures with the force
 * coef * lambda * gradient. What acts on the second body of a joint, summed and
 * reduced to the joint's point there, is its reaction (F, T), in world axes.
 *
 * Redundant rows: the multipliers are lambda + Z y with A^T Z = 0. The motion is
 * unique, the reactions are not; we report the distribution that minimises
 *     sum over joints of |F|^2 + |T|^2 / L^2,
 * which is the same in every family and every formulation, whatever rows they dropped.
 */
#include "math/rank.h"
#include "math/vec.h"
#include "system/system.h"

#include <math.h>
#include <string.h>

/* Adds the wrench of row i with unit multiplier, times lambda, on the second body of its joint. */
static void add_row(const dal_state *state, int i, double lambda, double wrench[6])
{
    const dal_mechanism *m = &state->system->mechanism;
    const dal_work *w = &state->work;
    const dal_row *row = &m->rows[state->system->layout.row[i].source];
    const dal_marker *second = &m->joints[row->joint].marker[1];
    double P[3];
    dal_turn(w->kin[second->body].R, second->s, P);
    dal_axpy3(1, w->kin[second->body].r, P);
    for (int k = row->term; k < row->term + row->n_terms; k++) {
        const dal_measure *measure = &m->measures[m->terms[k].measure];
        for (int j = 0; j < 4 && measure->kind != DAL_MEASURE_COORDINATE; j++) {
            int n = measure->vector[j];
            if (n < 0 || m->vectors[n].body != second->body)
                continue;
            double f[3] = {0, 0, 0}, arm[3];
            dal_axpy3(lambda * w->coef[k], w->gradient + 12 * m->terms[k].measure + 3 * j, f);
            dal_copy3(w->x + 3 * n, arm);
            if (m->vectors[n].point) {
                dal_sub3(arm, P, arm);
                dal_axpy3(1, f, wrench);
            }
            dal_add_cross(arm, f, wrench + 3);
        }
    }
}

/* lambda := lambda + Z y of least norm of the joints' wrenches. Scratch: state->redundancy. */
static void distribute(dal_state *state)
{
    const dal_system *system = state->system;
    const dal_layout *layout = &system->layout;
    const int r = layout->n_rows, m = layout->nv, joints = system->mechanism.n_joints;
    double *A = state->rank_matrix, *Z = state->redundancy, *sigma = Z + (size_t)r * (size_t)r;
    double *W = sigma + r + m, *rhs = W + 6 * (size_t)joints * (size_t)r, *y = rhs + 6 * joints, *work = y + r;
    dal_scaled_rows(state, A, state->row_scale);
    int n = r - dal_rank_svd(A, r, m, m, system->rank_tolerance, sigma, NULL, Z, work);
    if (n <= 0 || n > r)
        return;
    for (int c = 0; c < n; c++) /* null vectors of the rows as they are */
        for (int i = 0; i < r; i++)
            Z[(size_t)c * (size_t)r + (size_t)i] *= state->row_scale[i];
    /* W y = rhs in the least-squares sense: the wrenches of the null vectors against those of lambda */
    memset(W, 0, sizeof *W * 6 * (size_t)joints * (size_t)n);
    for (int j = 0; j < joints; j++)
        for (int c = -1; c < n; c++) {
            double wrench[6] = {0};
            for (int i = 0; i < layout->n_extrinsic; i++)
                if (system->mechanism.rows[layout->row[i].source].joint == j)
                add_row(state, i, c < 0 ? state->lambda[i] : Z[(size_t)c * (size_t)r + (size_t)i], wrench);
            for (int k = 0; k < 6; k++) {
                double value = k < 3 ? wrench[k] : wrench[k] / system->length;
                if (c < 0)
                    rhs[6 * j + k] = -value;
                else
                    W[(size_t)(6 * j + k) * (size_t)n + (size_t)c] = value;
            }
        }
    dal_rank_solve(W, 6 * joints, n, n, system->rank_tolerance, rhs, y, work);
    for (int c = 0; c < n; c++)
        for (int i = 0; i < r; i++)
            state->lambda[i] += y[c] * Z[(size_t)c * (size_t)r + (size_t)i];
}

size_t dal_redundancy_size(int r, int m, int joints)
{
    size_t svd = dal_rank_work(r, m), solve = dal_rank_work(6 * joints, r);
    return (size_t)r * (size_t)r + (size_t)(r + m) + 6 * (size_t)joints * (size_t)r + 6 * (size_t)joints + (size_t)r +
           (svd > solve ? svd : solve);
}

void dal_state_reactions(dal_state *state)
{
    const dal_mechanism *m = &state->system->mechanism;
    if (state->reactions_known)
        return;
    if (state->rank < state->system->layout.n_rows && state->redundancy)
        distribute(state);
    memset(state->reaction, 0, sizeof *state->reaction * 6 * (size_t)m->n_joints);
    for (int i = 0; i < state->system->layout.n_extrinsic; i++)
        add_row(state, i, state->lambda[i], state->reaction + 6 * m->rows[state->system->layout.row[i].source].joint);
    state->reactions_known = true;
}
