/* Recursive dynamics for users: dalembert/tree.h over the kernels of tree/. ABA, RNEA, CRBA; frames are in tree_frames.c. */
#include "dynamics/tree_columns.h"
#include "math/finite.h"
#include "math/vec.h"
#include "model/system.h"
#include "state/state.h"
#include "dynamics/tree_state.h"
#include "state/scratch.h"

#include <float.h>
#include <string.h>

bool dal_system_has_tree(const dal_system *system)
{
    return system && system->links;
}

/* As dal_all_finite, for three arrays in one go. */
static bool are_finite(const dal_links *links, const double *q, const double *v, const double *other)
{
    const int nq = links->nq, nv = links->nv; /* nq >= nv: a ball has four numbers for three velocities */
    double of_q = 0, of_v = 0, of_other = 0;
    for (int k = 0; k < nv; k++) {
        of_q += q[k];
        of_v += v[k];
        of_other += other[k];
    }
    for (int k = nv; k < nq; k++)
        of_q += q[k];
    return (isfinite(of_q) || dal_each_finite(q, nq)) && (isfinite(of_v) || dal_each_finite(v, nv)) &&
           (isfinite(of_other) || dal_each_finite(other, nv));
}

dal_status dal_tree_accepts(const dal_state *state, const double *q, const double *v, const double *other, const dal_wrench *wrenches)
{
    if (!dal_state_usable(state) || !q)
        return DAL_BAD_COMMAND;
    const dal_links *links = state->system->links;
    if (!links)
        return DAL_BAD_MODEL;
    if (wrenches && !dal_all_finite((const double *)(const void *)wrenches, 6 * links->n_bodies))
        return DAL_NUMERICAL;
    if (!v && !other)
        return dal_all_finite(q, links->nq) ? DAL_OK : DAL_NUMERICAL;
    return are_finite(links, q, v ? v : state->scratch->still, other ? other : state->scratch->still) ? DAL_OK : DAL_NUMERICAL;
}

void dal_tree_weigh(dal_state *state)
{
    for (int i = 0; i < 3; i++)
        state->tree->links.lift[i] = -state->system->links->gravity[i];
}

void dal_tree_load(const dal_links *links, dal_links_work *work, const dal_wrench *wrenches)
{
    for (int b = 0; b < links->n_bodies; b++) {
        const dal_seat *seat = &links->seat[b];
        if (seat->link < 0)
            continue;
        const dal_link_motion *m = &work->motion[seat->link];
        dal_link_wrench *wrench = &work->wrench[seat->link];
        const double *f = wrenches[b].force;
        double arm[3], moment[3];
        dal_link_turn(m, seat->s, arm);
        dal_copy3(wrenches[b].torque, moment);
        dal_add_cross(arm, f, moment);
        dal_axpy3(-1, f, wrench->f);
        dal_axpy3(-1, moment, wrench->n);
    }
}

dal_status dal_forward_dynamics(dal_state *state, const double *q, const double *v, const double *tau, const dal_wrench *wrenches, double *vd)
{
    const dal_status status = v && vd ? dal_tree_accepts(state, q, v, tau, wrenches) : DAL_BAD_COMMAND;
    if (status != DAL_OK)
        return status;
    const dal_links *links = state->system->links;
    const dal_recursion *run = state->system->recursion;
    dal_tree_weigh(state);
    run->aba_velocity(links, &state->tree->links, q, v);
    if (wrenches)
        dal_tree_load(links, &state->tree->links, wrenches);
    return run->aba_solve(links, &state->tree->links, tau, vd) && dal_all_finite(vd, links->nv) ? DAL_OK : DAL_NUMERICAL;
}

dal_status dal_inverse_dynamics(dal_state *state, const double *q, const double *v, const double *vd, const dal_wrench *wrenches, double *tau)
{
    const dal_status status = tau ? dal_tree_accepts(state, q, v, vd, wrenches) : DAL_BAD_COMMAND;
    if (status != DAL_OK)
        return status;
    const dal_links *links = state->system->links;
    const dal_recursion *run = state->system->recursion;
    dal_tree_weigh(state);
    run->rnea_forward(links, &state->tree->links, q, v ? v : state->scratch->still, vd);
    if (wrenches)
        dal_tree_load(links, &state->tree->links, wrenches);
    run->rnea_backward(links, &state->tree->links, tau);
    return DAL_OK;
}

dal_status dal_bias_forces(dal_state *state, const double *q, const double *v, double *h)
{
    return dal_inverse_dynamics(state, q, v, NULL, NULL, h);
}

dal_status dal_gravity_forces(dal_state *state, const double *q, double *g)
{
    return dal_inverse_dynamics(state, q, NULL, NULL, NULL, g);
}

dal_status dal_mass_matrix(dal_state *state, const double *q, double *M)
{
    const dal_status status = M ? dal_tree_accepts(state, q, NULL, NULL, NULL) : DAL_BAD_COMMAND;
    if (status == DAL_OK)
        state->system->recursion->crba(state->system->links, &state->tree->links, q, M);
    return status;
}

/* The links of a system, if it has some; `complete`: the caller gave everything else. */
static dal_status find_links(const dal_system *system, bool complete, const dal_links **links)
{
    *links = system && complete ? system->links : NULL;
    return *links ? DAL_OK : system && complete ? DAL_BAD_MODEL : DAL_BAD_COMMAND;
}

/* Columns k from the last to the first: row k of L is M_k / D_k, and D_k l l^T is subtracted from the rest (R. Featherstone, Rigid Body
 * Dynamics Algorithms, 2008, table 6.3). The rows that are touched are those of the columns before k on the way to the ground. */
dal_status dal_mass_factor(const dal_system *system, double *M)
{
    const dal_links *links;
    const dal_status status = find_links(system, M, &links);
    if (status != DAL_OK)
        return status;
    const size_t n = (size_t)links->nv;
    const int *before = links->parent_column;
    for (int k = links->nv - 1; k >= 0; k--) {
        double *row = M + n * (size_t)k;
        if (!(row[k] > 0 && row[k] <= DBL_MAX))
            return DAL_NUMERICAL;
        for (int i = before[k]; i >= 0; i = before[i]) {
            const double l = row[i] / row[k];
            double *other = M + n * (size_t)i;
            for (int j = i; j >= 0; j = before[j])
                other[j] -= l * row[j];
            row[i] = l;
        }
    }
    return DAL_OK;
}

dal_status dal_mass_solve(const dal_system *system, const double *factor, double *x)
{
    const dal_links *links;
    const dal_status status = find_links(system, factor && x, &links);
    if (status != DAL_OK)
        return status;
    const size_t n = (size_t)links->nv;
    const int *before = links->parent_column;
    for (int k = links->nv - 1; k >= 0; k--)
        for (int i = before[k]; i >= 0; i = before[i])
            x[i] -= factor[n * (size_t)k + (size_t)i] * x[k];
    for (int k = 0; k < links->nv; k++) {
        x[k] /= factor[(n + 1) * (size_t)k];
        for (int i = before[k]; i >= 0; i = before[i])
            x[k] -= factor[n * (size_t)k + (size_t)i] * x[i];
    }
    return dal_all_finite(x, links->nv) ? DAL_OK : DAL_NUMERICAL;
}
