/* M and h of families in which bodies share coordinates (joint, user), and Q of every family (dal_pull_bodies). Each body has a list of columns of v and the explicit Jacobian
 *     (r', w) = sum over its columns k of jacobian[k] v[column[k]]  (+ what time does)
 * in world axes, filled in by the family's `position`. With rho = R s_c the centre of mass from r:
 *     c' of column k = lin_k + ang_k x rho
 *     M_kl = sum over bodies of m c'_k . c'_l + ang_k . I ang_l
 *     h_k  = sum over bodies of c'_k . m c_b + ang_k . (I w_b + w x I w)     (`lagrange-to-kane` (39))
 */
#include "kinematics/reduction.h"
#include "kinematics/newton_euler.h"
#include "kinematics/subsystems.h"
#include "kinematics/tree.h"
#include "math/vec.h"

#include <string.h>

void dal_shared_pull(const dal_layout *layout, const dal_work *work, int body, const dal_real force[3], const dal_real moment[3], dal_real *out)
{
    const dal_body_layout *at = &layout->body[body];
    const dal_real *J = work->jacobian + 6 * (size_t)at->jacobian;
    for (int k = 0; k < at->n_columns; k++, J += 6)
        out[k] += dal_dot(J, force) + dal_dot(J + 3, moment);
}

/* Where columns are (u_x, u_y, 0, 0, 0, w). */
static inline void pull_flat(const dal_body_layout *at, const dal_work *work, const dal_real *force, dal_real moment, dal_real *out)
{
    const dal_real *J = work->jacobian + 6 * (size_t)at->jacobian;
    const int *column = work->body_column + at->column;
    for (int k = 0; k < at->n_columns; k++, J += 6)
        out[column[k]] += J[0] * force[0] + J[1] * force[1] + J[5] * moment;
}

void dal_pull_body(const dal_layout *layout, const dal_work *work, int body, const dal_real force[3], const dal_real moment[3], dal_real *out)
{
    const dal_body_layout *at = &layout->body[body];
    if (!layout->family->shares) {
        layout->family->pull(layout, work, body, force, moment, out + at->v);
        return;
    }
    if (layout->reduction) {
        dal_real covector[DAL_MOST_NATURAL] = {0};
        dal_natural_pull((int)layout->mechanism->space, at->n_rot, work->kin[body].R, force, moment, covector);
        dal_reduced_pull(layout->reduction, body, covector, layout->body_column + at->column, out);
        return;
    }
    if (layout->tree && layout->tree->flat) {
        pull_flat(at, work, force, moment[2], out);
        return;
    }
    const dal_real *J = work->jacobian + 6 * (size_t)at->jacobian;
    const int *column = work->body_column + at->column;
    for (int k = 0; k < at->n_columns; k++, J += 6)
        out[column[k]] += dal_dot(J, force) + dal_dot(J + 3, moment);
}

void dal_pull_bodies(const dal_layout *layout, dal_work *w)
{
    memcpy(w->Q, w->direct, sizeof *w->Q * (size_t)layout->nv);
    if (layout->family->shares && layout->tree && layout->tree->flat) {
        for (int b = 0; b < layout->mechanism->n_bodies; b++)
            pull_flat(&layout->body[b], w, w->force + 6 * b, w->force[6 * b + 5], w->Q);
        return;
    }
    for (int b = 0; b < layout->mechanism->n_bodies; b++)
        dal_pull_body(layout, w, b, w->force + 6 * b, w->force + 6 * b + 3, w->Q);
}

void dal_inertia(const dal_layout *layout, dal_work *work)
{
    layout->family->inertia(layout, work);
    dal_subsystems_inertia(layout, work);
}

void dal_inertia_and_forces(const dal_layout *layout, dal_work *work)
{
    dal_inertia(layout, work);
    dal_pull_bodies(layout, work);
}

static const dal_mass_block *block_of(const dal_layout *layout, int column)
{
    const dal_mass_block *block = layout->block;
    while (column >= block->column + block->n)
        block++;
    return block;
}

void dal_shared_inertia(const dal_layout *layout, dal_work *work)
{
    for (int i = 0; i < layout->n_mass; i++)
        work->M[i] = 0;
    for (int i = 0; i < layout->nv; i++)
        work->h[i] = 0;
    for (int b = 0; b < layout->mechanism->n_bodies; b++) {
        const dal_body *body = &layout->mechanism->bodies[b];
        const dal_body_layout *at = &layout->body[b];
        const dal_kin *kin = &work->kin[b];
        const int *column = work->body_column + at->column;
        const dal_real *J = work->jacobian + 6 * (size_t)at->jacobian;
        dal_real rho[3], force[3], inertia[9], moment[3];
        if (!at->n_columns)
            continue;
        const dal_mass_block *block = block_of(layout, column[0]);
        dal_turn(kin->R, body->center, rho);
        dal_bias_wrench(body, kin, inertia, force, moment);
        for (int k = 0; k < at->n_columns; k++) {
            const dal_real *Jk = J + 6 * k;
            dal_real push[3] = {Jk[0], Jk[1], Jk[2]}, turn[3];
            dal_add_cross(Jk + 3, rho, push);
            work->h[column[k]] += dal_dot(push, force) + dal_dot(Jk + 3, moment);
            /* the wrench m c'_k, I ang_k, taken to r: then M_kl = lin_l . push + ang_l . turn */
            for (int i = 0; i < 3; i++)
                push[i] *= body->mass;
            dal_mul3(inertia, Jk + 3, turn);
            dal_add_cross(rho, push, turn);
            dal_real *row = work->M + block->value + (size_t)block->n * (size_t)(column[k] - block->column) - block->column;
            for (int l = 0; l <= k; l++)
                row[column[l]] += dal_dot(J + 6 * l, push) + dal_dot(J + 6 * l + 3, turn);
        }
    }
    /* columns of a body ascend: only the lower triangle was filled */
    for (int i = 0; i < layout->n_blocks; i++) {
        const int n = layout->block[i].n;
        dal_real *M = work->M + layout->block[i].value;
        for (int k = 0; k < n; k++)
            for (int l = 0; l < k; l++)
                M[n * l + k] = M[n * k + l];
    }
}
