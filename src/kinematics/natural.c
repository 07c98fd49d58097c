/* Family `natural`: position and direction cosines (`natural-absolute-coordinates`).
 *
 * q = (r, alpha, beta) in the plane, (r, alpha, beta, gamma) in space: the columns
 * of R are coordinates themselves, x = S q is linear (11), and the velocity terms vanish: R_b = 0, h = 0 (60).
 *
 * Mass matrix (55), corrected, with the second moments J = integral rho x x^T about r:
 *   [ m 1          sym
 *     m c_i 1      J_ij 1 ],   J = 1/2 tr(I) 1 - I + m c c^T    (56) in three dimensions.
 * A planar body has one inertia; the split J_xx = J_yy = I_zz / 2 gives the same
 * motion as any other. M is constant and computed once. It is singular where
 * 1/2 tr(I) 1 - I is (rods, plates, the symmetric top): see udwadia_kalaba.c for what completes it.
 *
 * Intrinsic rows (20)-(25): alpha.alpha - 1, beta.beta - 1, alpha.beta, and in space gamma.gamma - 1,
 * beta.gamma, gamma.alpha; gamma of a product u.w is -2 u'.w'.
 *
 * The same functions serve the option `eliminate: linear` (reduction.h): the coordinates of a body are then linear in those that are left.
 */
#include "kinematics/reduction.h"

#include <string.h>

static void count_natural(dal_space space, bool particle, int *nq, int *nv, int *n_intrinsic)
{
    *nq = *nv = dal_natural_count(space, particle);
    *n_intrinsic = dal_natural_rows(space, particle);
}

/* The natural coordinates of a body, or a linear function of them: its own ones, or those that follow from the remaining coordinates. */
static inline const dal_real *natural_of(const dal_layout *layout, int body, const dal_real *x, int affine, dal_real buffer[DAL_MOST_NATURAL])
{
    if (!layout->reduction)
        return x + layout->body[body].v;
    dal_reduced_body(layout->reduction, body, x, affine, buffer);
    return buffer;
}

static void position_natural(const dal_layout *layout, dal_work *work)
{
    dal_real own[DAL_MOST_NATURAL];
    for (int b = 0; b < layout->mechanism->n_bodies; b++)
        dal_natural_unpack((int)layout->mechanism->space, layout->body[b].n_rot, natural_of(layout, b, work->q, 1, own), work->kin[b].r,
                           work->kin[b].R);
}

/* w = 1/2 sum over columns of R_k x R_k', for forces and channels that speak of angular velocity; in the plane both
 * columns give w_z, in space each column misses its own direction. */
static void velocity_natural(const dal_layout *layout, dal_work *work)
{
    const int space = (int)layout->mechanism->space;
    dal_real own[DAL_MOST_NATURAL];
    for (int b = 0; b < layout->mechanism->n_bodies; b++) {
        const dal_body_layout *at = &layout->body[b];
        dal_kin *kin = &work->kin[b];
        dal_natural_unpack(space, at->n_rot, natural_of(layout, b, work->v, 0, own), kin->rd, kin->Rd);
        if (at->n_rot)
            dal_natural_spin(space, kin->R, kin->Rd, kin->w);
    }
}

static void tangent_natural(const dal_layout *layout, dal_work *work, const dal_direction *direction)
{
    const int space = (int)layout->mechanism->space;
    dal_real own[DAL_MOST_NATURAL];
    for (int b = 0; b < layout->mechanism->n_bodies; b++) {
        const dal_body_layout *at = &layout->body[b];
        dal_tangent *out = &direction->tangent[b];
        memset(out, 0, sizeof *out);
        dal_natural_unpack(space, at->n_rot, natural_of(layout, b, direction->a, 0, own), out->rd, out->Rd);
        if (at->n_rot)
            dal_natural_spin(space, work->kin[b].R, out->Rd, out->w);
    }
}

/* x = S q: only the angular velocity, made of R and R', changes. */
static void bend_natural(const dal_layout *layout, dal_work *work, const dal_direction *a, const dal_direction *b, dal_bend *out)
{
    const int space = (int)layout->mechanism->space;
    (void)work;
    for (int i = 0; i < layout->mechanism->n_bodies; i++) {
        memset(&out[i], 0, sizeof out[i]);
        if (layout->body[i].n_rot)
            dal_natural_spin(space, a->tangent[i].Rd, b->tangent[i].Rd, out[i].wb);
    }
}

static void intrinsic_natural(const dal_layout *layout, dal_work *work)
{
    const int space = (int)layout->mechanism->space;
    for (int b = 0; b < layout->mechanism->n_bodies; b++) {
        const dal_body_layout *at = &layout->body[b];
        const dal_real *R = work->kin[b].R;
        for (int i = 0; i < at->n_intrinsic; i++) {
            const int row = at->intrinsic + i, a = dal_natural_pairs[i][0], c = dal_natural_pairs[i][1];
            const dal_row_layout *in = &layout->row[row];
            dal_real *A = work->A + in->value;
            if (layout->reduction) {
                dal_real gradient[DAL_MOST_NATURAL] = {0};
                for (int k = 0; k < in->n_values; k++)
                    A[k] = 0;
                dal_natural_intrinsic(space, R, i, 1, gradient);
                dal_reduced_pull(layout->reduction, b, gradient, layout->map + layout->side[in->side].map, A);
            }
            for (int k = 0; k < space && !layout->reduction; k++) { /* the other entries stay zero */
                A[space + space * a + k] = a == c ? 2 * R[3 * k + c] : R[3 * k + c];
                A[space + space * c + k] = a == c ? 2 * R[3 * k + a] : R[3 * k + a];
            }
            work->phi[row] = R[a] * R[c] + R[3 + a] * R[3 + c] + (space == DAL_SPATIAL ? R[6 + a] * R[6 + c] : 0) - (a == c);
        }
    }
}

static void intrinsic_bias_natural(const dal_layout *layout, dal_work *work)
{
    const int space = (int)layout->mechanism->space;
    for (int b = 0; b < layout->mechanism->n_bodies; b++) {
        const dal_body_layout *at = &layout->body[b];
        const dal_real *R = work->kin[b].R, *Rd = work->kin[b].Rd;
        for (int i = 0; i < at->n_intrinsic; i++) {
            const int a = dal_natural_pairs[i][0], c = dal_natural_pairs[i][1];
            dal_real rate = 0, square = 0;
            for (int k = 0; k < 3 * space; k += 3) {
                rate += R[k + a] * Rd[k + c] + R[k + c] * Rd[k + a];
                square += Rd[k + a] * Rd[k + c];
            }
            work->phid[at->intrinsic + i] = rate;
            work->gamma[at->intrinsic + i] = -2 * square;
        }
    }
}

static void intrinsic_bend_natural(const dal_layout *layout, const dal_real *a, const dal_real *b, dal_real *out)
{
    const int space = (int)layout->mechanism->space;
    dal_real own_a[DAL_MOST_NATURAL], own_b[DAL_MOST_NATURAL];
    for (int j = 0; j < layout->mechanism->n_bodies; j++) {
        const dal_body_layout *at = &layout->body[j];
        const dal_real *x = natural_of(layout, j, a, 0, own_a) + space, *y = natural_of(layout, j, b, 0, own_b) + space;
        for (int i = 0; i < at->n_intrinsic; i++) {
            const int m = space * dal_natural_pairs[i][0], n = space * dal_natural_pairs[i][1];
            dal_real sum = 0;
            for (int k = 0; k < space; k++)
                sum += x[m + k] * y[n + k] + x[n + k] * y[m + k];
            out[at->intrinsic + i] = sum;
        }
    }
}

static void inertia_natural(const dal_layout *layout, dal_work *work)
{
    for (int i = 0; i < layout->n_mass; i++)
        work->M[i] = layout->constant_mass[i];
    for (int i = 0; i < layout->nv; i++)
        work->h[i] = 0;
}

static void pull_natural(const dal_layout *layout, const dal_work *work, int body, const dal_real force[3], const dal_real moment[3], dal_real *out)
{
    dal_natural_pull((int)layout->mechanism->space, layout->body[body].n_rot, work->kin[body].R, force, moment, out);
}

#ifndef DAL_SCALAR_VARIANT

static void place_natural(const dal_layout *layout, dal_work *work, int b, const double r[3], const double R[9])
{
    const dal_body_layout *at = &layout->body[b];
    dal_natural_pack((int)layout->mechanism->space, at->n_rot, r, R, work->q + at->q);
}

static void move_natural(const dal_layout *layout, dal_work *work, int b, const double rd[3], const double w[3])
{
    const dal_body_layout *at = &layout->body[b];
    double Rd[9];
    dal_cross33(w, work->kin[b].R, Rd);
    dal_natural_pack((int)layout->mechanism->space, at->n_rot, rd, Rd, work->v + at->v);
}

/* The remaining coordinates, of frames that satisfy the rows. */
static void place_reduced(const dal_layout *layout, dal_work *work, int body, const double r[3], const double R[9])
{
    const dal_reduction *e = layout->reduction;
    (void)body, (void)r, (void)R;
    for (int j = 0; j < e->n_left; j++) {
        const int b = e->left_body[j];
        double own[DAL_MOST_NATURAL];
        dal_natural_pack((int)layout->mechanism->space, layout->body[b].n_rot, work->kin[b].r, work->kin[b].R, own);
        work->q[j] = own[e->left[j] - e->natural[b]];
    }
}

static void move_reduced(const dal_layout *layout, dal_work *work, int body, const double rd[3], const double w[3])
{
    const dal_reduction *e = layout->reduction;
    (void)body, (void)rd, (void)w;
    for (int j = 0; j < e->n_left; j++) {
        const int b = e->left_body[j];
        double own[DAL_MOST_NATURAL], Rd[9];
        dal_cross33(work->kin[b].w, work->kin[b].R, Rd);
        dal_natural_pack((int)layout->mechanism->space, layout->body[b].n_rot, work->kin[b].rd, Rd, own);
        work->v[j] = own[e->left[j] - e->natural[b]];
    }
}

#endif

/* Both: M is constant, and rows keep the vectors of a body at right angles and at unit length. */
#define NATURAL                                                                                                                                      \
    .separated = true, DAL_FAMILY_MOTION(position_natural, velocity_natural, tangent_natural, bend_natural),                                         \
    DAL_FAMILY_INTRINSIC(intrinsic_natural, intrinsic_bias_natural, intrinsic_bend_natural)

const dal_family dal_family_natural = {
    .name = "natural",
    .title = "position and direction cosines: constant mass matrix, no velocity terms, 3 or 6 intrinsic constraints per body",
    .option = "eliminate",
    .reduced = &dal_family_natural_reduced,
    NATURAL,
    .count = count_natural,
    DAL_FAMILY_INERTIA(inertia_natural, pull_natural, dal_plain_rates),
    DAL_FAMILY_START(place_natural, move_natural, dal_plain_add)};

const dal_family dal_family_natural_reduced = {
    .name = "natural:eliminate=linear",
    .title = "natural, with the constraints that are linear in its coordinates solved at compile: fewer unknowns",
    .eliminates = true,
    NATURAL,
    .shares = true,
    .frames = position_natural,
    DAL_FAMILY_INERTIA(inertia_natural, NULL, dal_plain_rates),
    DAL_FAMILY_START(place_reduced, move_reduced, dal_plain_add)};
