/* Derivatives of recursive dynamics for users: dalembert/tree.h over tree/rnea_derivatives.c and tree/aba_columns.c.
 *
 * tau = M v' + h - J^T w is differentiated at the motion (q, v, v'). Forward dynamics solves the same equation for v', so that
 *     dv'/dq = -M^-1 dtau/dq,   dv'/dv = -M^-1 dtau/dv,   dv'/dtau = M^-1
 * at the v' that it found. M^-1 is applied by articulated bodies, column by column. Where the tree is shallow it is applied by a factor of M, which
 * follows from the articulated bodies.
 */
#include "dalembert/tree.h"
#include "dynamics/tree_columns.h"
#include "dynamics/tree_state.h"
#include "math/finite.h"
#include "math/vec.h"
#include "state/scratch.h"
#include "state/state.h"

#include <string.h>

/* For each block of columns: which rows are columns of the block, lie between one of them and the ground, or lie behind one. */
static void relate_blocks(const dal_links *links, int width, bool *related)
{
    for (int first = 0; first < links->nv; first += width, related += links->nv) {
        const int end = first + width < links->nv ? first + width : links->nv;
        for (int k = first; k < links->nv; k++)
            related[k] = k < end || (links->parent_column[k] >= first && related[links->parent_column[k]]);
        for (int k = end - 1; k >= first; k--)
            for (int i = links->parent_column[k]; i >= 0 && !related[i]; i = links->parent_column[i])
                related[i] = true;
    }
}

/* The first call allocates. */
static bool derivatives_ready(dal_state *state)
{
    const dal_allocator *from = &state->hold.allocator;
    dal_tree_state *tree = state->tree;
    if (tree->derivatives_memory)
        return true;
    const size_t bytes = sizeof(double) * dal_derivatives_work_size(tree->joint_tree) + DAL_BLOCK_ALIGNMENT;
    char *memory = from->allocate(from->user, bytes);
    if (!memory)
        return false;
    memset(memory, 0, bytes);
    tree->derivatives_memory = memory;
    memory += (DAL_BLOCK_ALIGNMENT - (size_t)memory % DAL_BLOCK_ALIGNMENT) % DAL_BLOCK_ALIGNMENT;
    dal_derivatives_work_layout(tree->joint_tree, (double *)(void *)memory, &tree->derivatives);
    if (tree->joint_tree->shallow)
        relate_blocks(tree->joint_tree, DAL_FACTOR_VECTORS * tree->recursion->lanes, tree->derivatives.factor.related);
    return true;
}

/* G a = a x n + arm x (a x f), g = f: the change of the wrench on a body that turns by a, if it turned with the body, less its part that keeps its
 * world axes. */
static void load_derivatives(const dal_links *links, const dal_links_work *work, const dal_wrench *wrenches, dal_derivatives_work *derivatives)
{
    for (int i = 0; i < links->n; i++) {
        memset(derivatives->body[i].G, 0, sizeof derivatives->body[i].G);
        memset(derivatives->body[i].g, 0, sizeof derivatives->body[i].g);
    }
    for (int b = 0; b < links->n_bodies; b++) {
        const dal_seat *seat = &links->seat[b];
        if (seat->link < 0)
            continue;
        dal_link_composite *body = &derivatives->body[seat->link];
        const double *f = wrenches[b].force, *n = wrenches[b].torque;
        double arm[3];
        dal_link_turn(&work->motion[seat->link], seat->s, arm);
        for (int k = 0; k < 3; k++) {
            double world[3] = {k == 0, k == 1, k == 2}, turned[3];
            dal_cross(world, n, turned);
            dal_axpy3(1, turned, body->G[k]);
            dal_cross(world, f, turned);
            dal_add_cross(arm, turned, body->G[k]);
        }
        dal_axpy3(1, f, body->g);
    }
}

static void differentiate_tree(dal_state *state, const double *v, const dal_wrench *wrenches, bool after_aba, double *dq, double *dv)
{
    const dal_links *links = state->tree->joint_tree;
    const dal_recursion *run = state->tree->recursion;
    dal_links_work *work = &state->tree->links;
    dal_derivatives_work *derivatives = &state->tree->derivatives;
    const size_t size = sizeof(double) * (size_t)links->nv * (size_t)links->nv;
    if (links->branched) {
        memset(dq, 0, size);
        memset(dv, 0, size);
    }
    run->derivative_columns(links, work, derivatives, v, after_aba);
    if (wrenches)
        load_derivatives(links, work, wrenches, derivatives);
    if (wrenches && after_aba)
        dal_tree_load(links, work, wrenches);
    run->derivative_rows(links, work, derivatives, wrenches != NULL, dq, dv);
}

static void solve_block(dal_state *state, dal_column_block *block)
{
    if (block->vectors)
        state->tree->recursion->aba_columns(state->tree->joint_tree, &state->tree->links, &state->tree->derivatives.columns, block);
    block->vectors = 0;
}

static void add_vector(dal_state *state, dal_column_block *block, double *row, int j)
{
    const int nv = state->tree->joint_tree->nv, lanes = state->tree->recursion->lanes;
    block->at[block->vectors] = row + j;
    block->n[block->vectors++] = nv - j < lanes ? nv - j : lanes;
}

/* By the factor over the tree. */
static void solve_shallow(dal_state *state, double *X, double *Y)
{
    const dal_links *links = state->tree->joint_tree;
    const dal_recursion *run = state->tree->recursion;
    dal_derivatives_work *derivatives = &state->tree->derivatives;
    const int width = DAL_FACTOR_VECTORS * run->lanes, nv = links->nv;
    dal_factor_block block = {.X = X, .Y = Y, .stride = (size_t)nv, .related = derivatives->factor.related};
    run->factor_rows(links, &state->tree->links, derivatives);
    for (; block.first < nv; block.first += width, block.related += nv) {
        block.n = nv - block.first < width ? nv - block.first : width;
        run->factor_columns(links, &state->tree->links, &derivatives->factor, &block);
    }
}

/* X := -M^-1 X, nv x nv by rows, for two of them. */
static void solve_columns(dal_state *state, double *X, double *Y)
{
    const dal_links *links = state->tree->joint_tree;
    if (links->shallow) {
        solve_shallow(state, X, Y);
        return;
    }
    const int lanes = state->tree->recursion->lanes, most = DAL_COLUMN_WIDTH / lanes;
    dal_column_block block = {.stride = (size_t)links->nv, .factor = -1, .last = links->n - 1};
    for (int k = 0; k < 2; k++)
        for (int j = 0; j < links->nv; j += lanes) {
            add_vector(state, &block, k ? Y : X, j);
            if (block.vectors == most)
                solve_block(state, &block);
        }
    solve_block(state, &block);
}

enum { TILE = 8 }; /* numbers of a cache line */

/* X_ij = X_ji for j < i, in a tile. */
static void mirror_tile(size_t n, double *X, size_t i0, size_t j0)
{
    for (size_t i = i0; i < n && i < i0 + TILE; i++)
        for (size_t j = j0; j < i && j < j0 + TILE; j++)
            X[n * i + j] = X[n * j + i];
}

/* M^-1: in each block of columns the rows up to the last link that they belong to; the others are the same numbers. */
static void invert_mass(dal_state *state, double *X)
{
    const dal_links *links = state->tree->joint_tree;
    const int nv = links->nv, lanes = state->tree->recursion->lanes;
    const size_t n = (size_t)nv;
    dal_column_block block = {.stride = n, .factor = 1, .identity = true};
    for (int first = 0; first < nv; first += DAL_COLUMN_WIDTH) {
        block.column = first;
        for (int j = first; j < nv && j < first + DAL_COLUMN_WIDTH; j += lanes)
            add_vector(state, &block, X, j);
        for (int j = first; j < nv && j < first + DAL_COLUMN_WIDTH; j++)
            block.last = links->link_of[j] > block.last ? links->link_of[j] : block.last;
        solve_block(state, &block);
    }
    for (size_t i = 0; i < n; i += TILE)
        for (size_t j = 0; j <= i; j += TILE)
            mirror_tile(n, X, i, j);
}

dal_status dal_tree_inverse_derivatives(dal_state *state, const double *q, const double *v, const double *vd, const dal_wrench *wrenches,
                                        double *dtau_dq, double *dtau_dv)
{
    const dal_status status = dtau_dq && dtau_dv ? dal_tree_accepts(state, q, v, vd, wrenches) : DAL_BAD_COMMAND;
    if (status != DAL_OK)
        return status;
    if (!derivatives_ready(state))
        return DAL_NO_MEMORY;
    const double *rates = v ? v : state->scratch->still;
    dal_tree_weigh(state);
    state->tree->recursion->rnea_forward(state->tree->joint_tree, &state->tree->links, q, rates, vd);
    if (wrenches)
        dal_tree_load(state->tree->joint_tree, &state->tree->links, wrenches);
    differentiate_tree(state, rates, wrenches, false, dtau_dq, dtau_dv);
    return DAL_OK;
}

dal_status dal_tree_forward_derivatives(dal_state *state, const double *q, const double *v, const double *tau, const dal_wrench *wrenches, double *vd,
                                        double *dvd_dq, double *dvd_dv)
{
    const dal_status status = v && vd && dvd_dq && dvd_dv ? dal_forward_dynamics(state, q, v, tau, wrenches, vd) : DAL_BAD_COMMAND;
    if (status != DAL_OK)
        return status;
    if (!derivatives_ready(state))
        return DAL_NO_MEMORY;
    differentiate_tree(state, v, wrenches, true, dvd_dq, dvd_dv);
    solve_columns(state, dvd_dq, dvd_dv);
    return DAL_OK;
}

dal_status dal_mass_inverse(dal_state *state, const double *q, double *inverse)
{
    const dal_status status = inverse ? dal_tree_accepts(state, q, NULL, NULL, NULL) : DAL_BAD_COMMAND;
    if (status != DAL_OK)
        return status;
    if (!derivatives_ready(state))
        return DAL_NO_MEMORY;
    const dal_links *links = state->tree->joint_tree;
    state->tree->recursion->aba_velocity(links, &state->tree->links, q, NULL);
    if (!state->tree->recursion->aba_factor(links, &state->tree->links))
        return DAL_NUMERICAL;
    invert_mass(state, inverse);
    return DAL_OK;
}
