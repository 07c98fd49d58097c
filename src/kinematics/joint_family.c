/* Family `joint`: relative coordinates over the joint tree; loops are closed by the rows of the cut joints.
 *
 * A frame (r, R) is carried from the parent's marker through the steps of the carrier to the body's marker. With e the axis of a
 * step in world axes, s its sign, x its velocity along a direction and Delta its shift (s q e, or a constant length):
 *
 *               position              tangent                        D_a of the tangent along b
 *   shift       r += Delta            u += w x Delta + s x e         u_ab += w_ab x Delta + w_b x D_a Delta + s x_b w_a x e
 *   turn        R := R R_axis(s q)    w += s x e                     w_ab += s x_b w_a x e
 *   screw       both, the shift s (offset + k q) e with the rate k x
 *   ball        R := R R(p)           w += R x                       w_ab += w_a x (R x_b), w_a behind the step
 *
 *   D_a Delta = s x_a e + w_a x Delta
 *
 * An arm d = R_p s (from the body frame to the marker of the parent) or -R_c s (back to the frame of the body) is a shift without a
 * velocity: u += w x d, u_ab += w_ab x d + w_b x (w_a x d). Cf. the recursions of `lagrange-to-kane` (39) for one body: h is made of
 * the bias, the bend with a = b = v.
 *
 * Columns. A unit of a velocity moves every body of the subtree behind its step: a turn about e at the point o moves r by e x (r - o). A body has the
 * columns of its parent, moved to its own r, then its own columns (shared.c uses them for forces and rows).
 *
 * Inertia. A column moves everything behind it as one rigid body: with the mass m, the first moment s and the inertia I about r of the composite body
 * (a body and its subtree), the momentum of a column (u, w) is m u + w x s, s x u + I w, and M_kl is its product with column l, for all columns l of
 * the body up to k (the composite bodies of M. Walker, D. Orin, Efficient dynamic computer simulation of robotic mechanisms, 1982). The bias wrenches
 * of the bodies are summed alike, and h_k is the product of their sum with column k. The columns before a particle move its subtree without a turn:
 * as a mass in its place.
 *
 * N is 1 but for balls: p' = 1/2 p o (0, x), x the angular velocity in the axes behind the step.
 *
 * A particle has R = 1 and w = 0 in every motion of the frame that carries it.
 */
#include "kinematics/family.h"
#include "kinematics/flat_tree.h"
#include "kinematics/newton_euler.h"
#include "kinematics/tree.h"
#include "math/rotation.h"
#include "math/vec.h"

#include <string.h>

/* The composite body (a body and its subtree) about its r: inertia, and the wrench that it needs while v' = 0. */
typedef struct composite {
    dal_real m, s[3], I[9], force[3], moment[3];
} composite;

enum { MOST_OWN = 6 }; /* a body has no more freedoms than that */
enum { NUMBERS_OF_COMPOSITE = sizeof(composite) / sizeof(dal_real) };

static size_t scratch_joint(const dal_layout *layout)
{
    return (size_t)DAL_STEP_NUMBERS * (size_t)layout->tree->n_steps + NUMBERS_OF_COMPOSITE * (size_t)layout->tree->n_bodies;
}

/* Of step s: axis e (a ball: three axes, one behind the other), and Delta. */
static dal_real *axes_of(const dal_work *work, int s)
{
    return work->scratch + DAL_STEP_NUMBERS * (size_t)s;
}

static dal_real *shift_of(const dal_work *work, int s)
{
    return work->scratch + DAL_STEP_NUMBERS * (size_t)s + 9;
}

/* ---- position -------------------------------------------------------------------- */

static void column_of(const dal_real R[9], int axis, dal_real out[3])
{
    out[0] = R[axis], out[1] = R[3 + axis], out[2] = R[6 + axis];
}

/* The frame (r, R) behind a step, with the axis and the shift of the step. q: its own coordinates. */
static void pass_step(const dal_motion_step *step, const dal_real *q, dal_real r[3], dal_real R[9], dal_real axes[9], dal_real shift[3])
{
    dal_real by = 0, turn[9], old[9];
    dal_zero3(shift);
    if (step->kind == DAL_STEP_BALL) {
        memcpy(old, R, sizeof old);
        dal_matrix_of(q, turn);
        dal_mul33(old, turn, R);
        for (int k = 0; k < 3; k++)
            column_of(R, k, axes + 3 * k);
        return;
    }
    column_of(R, step->axis, axes);
    switch (step->kind) {
    case DAL_STEP_SHIFT: by = q[0]; break;
    case DAL_STEP_CONSTANT: by = step->length; break;
    case DAL_STEP_SCREW: by = step->offset + step->length * q[0]; break;
    case DAL_STEP_TURN:
    case DAL_STEP_BALL: break;
    }
    dal_axpy3(step->sign * by, axes, shift);
    dal_axpy3(1, shift, r);
    if (step->kind == DAL_STEP_TURN || step->kind == DAL_STEP_SCREW)
        dal_turn_columns(R, step->axis, step->sign * q[0]);
}

/* out = A B, B constant; or A B^T. */
static void turn_frame(const dal_real A[9], const double B[9], bool transposed, dal_real out[9])
{
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) {
            dal_real sum = 0;
            for (int k = 0; k < 3; k++)
                sum += A[3 * i + k] * (transposed ? B[3 * j + k] : B[3 * k + j]);
            out[3 * i + j] = sum;
        }
}

/* The marker of a body in the world. */
static void place_marker(const dal_kin *kin, const dal_marker *marker, dal_real r[3], dal_real R[9])
{
    dal_turn(kin->R, marker->s, r);
    dal_axpy3(1, kin->r, r);
    turn_frame(kin->R, marker->B, false, R);
}

/* Own columns, at the body's marker: the steps from the last to the first, `arm` leads from the step to the marker. */
static void own_columns(const dal_tree *tree, const dal_carrier *c, const dal_work *work, dal_real *J)
{
    dal_real arm[3] = {0, 0, 0};
    for (int s = c->step + c->n_steps - 1; s >= c->step; s--) {
        const dal_motion_step *step = &tree->step[s];
        const dal_real *axes = axes_of(work, s);
        for (int k = 0; k < dal_step_velocities(step); k++, axes += 3) {
            dal_real *column = J + 6 * (step->v - c->first + k);
            double along = step->kind == DAL_STEP_SHIFT ? 1 : step->kind == DAL_STEP_SCREW ? step->length : 0;
            dal_zero3(column), dal_zero3(column + 3);
            dal_axpy3(step->sign * along, axes, column);
            if (step->kind == DAL_STEP_SHIFT)
                continue;
            dal_axpy3(step->sign, axes, column + 3);
            dal_add_cross(column + 3, arm, column);
        }
        dal_axpy3(1, shift_of(work, s), arm);
    }
}

/* P: the body's marker. Columns of the parent moved to P, own ones, then all of them from P to r of the body. */
static void columns_joint(const dal_layout *layout, dal_work *work, const dal_carrier *c, const dal_real P[3])
{
    const dal_body_layout *at = &layout->body[c->body];
    dal_real *J = work->jacobian + 6 * (size_t)at->jacobian, arm[3];
    int inherited = 0;
    if (c->parent != DAL_GROUND) {
        const dal_real *from = work->jacobian + 6 * (size_t)layout->body[c->parent].jacobian;
        inherited = layout->body[c->parent].n_columns;
        dal_sub3(P, work->kin[c->parent].r, arm);
        for (int k = 0; k < inherited; k++, from += 6) {
            dal_copy3(from, J + 6 * k);
            dal_copy3(from + 3, J + 6 * k + 3);
            dal_add_cross(from + 3, arm, J + 6 * k);
        }
    }
    own_columns(layout->tree, c, work, J + 6 * inherited);
    dal_sub3(work->kin[c->body].r, P, arm);
    for (int k = 0; k < at->n_columns; k++, J += 6) {
        if (c->particle)
            dal_zero3(J + 3);
        else
            dal_add_cross(J + 3, arm, J);
    }
}

static void frames_joint(const dal_layout *layout, dal_work *work)
{
    const dal_tree *tree = layout->tree;
    if (tree->flat) {
        dal_flat_frames(layout, work);
        return;
    }
    for (int i = 0; i < tree->n_bodies; i++) {
        const dal_carrier *c = &tree->carrier[i];
        dal_kin *kin = &work->kin[c->body];
        dal_real r[3], R[9], arm[3];
        place_marker(&work->kin[c->parent], &c->from, r, R);
        for (int s = c->step; s < c->step + c->n_steps; s++)
            pass_step(&tree->step[s], work->q + (tree->step[s].q < 0 ? 0 : tree->step[s].q), r, R, axes_of(work, s), shift_of(work, s));
        if (c->particle)
            for (int k = 0; k < 9; k++)
                kin->R[k] = k % 4 == 0;
        else
            turn_frame(R, c->to.B, true, kin->R);
        dal_turn(kin->R, c->to.s, arm);
        dal_sub3(r, arm, kin->r);
    }
}

static void position_joint(const dal_layout *layout, dal_work *work)
{
    frames_joint(layout, work);
    if (!work->jacobian) /* a layout without columns allocates them on demand */
        return;
    if (layout->tree->flat) {
        dal_flat_columns(layout, work);
        return;
    }
    for (int i = 0; i < layout->tree->n_bodies; i++) {
        const dal_carrier *c = &layout->tree->carrier[i];
        dal_real P[3];
        dal_turn(work->kin[c->body].R, c->to.s, P);
        dal_axpy3(1, work->kin[c->body].r, P);
        columns_joint(layout, work, c, P);
    }
}

#ifndef DAL_SCALAR_VARIANT
/* The column of a body: the parent's moved to P, or `own`, its own one at P; then from P to r. The same sums as in `columns`. */
static void column_of_body(const dal_work *work, const dal_carrier *c, const double *own, double *J)
{
    double P[3], arm[3], *at = J + 6 * c->body;
    dal_turn(work->kin[c->body].R, c->to.s, P);
    dal_axpy3(1, work->kin[c->body].r, P);
    memcpy(at, own ? own : J + 6 * c->parent, 6 * sizeof *at);
    if (!own) {
        dal_sub3(P, work->kin[c->parent].r, arm);
        dal_add_cross(J + 6 * c->parent + 3, arm, at);
    }
    dal_sub3(work->kin[c->body].r, P, arm);
    if (c->particle)
        dal_zero3(at + 3);
    else
        dal_add_cross(at + 3, arm, at);
}

static bool is_zero(const double column[6])
{
    for (int i = 0; i < 6; i++)
        if (column[i] != 0)
            return false;
    return true;
}

void dal_tree_jacobian_column(const dal_layout *layout, const dal_work *work, int k, double *J)
{
    const dal_tree *tree = layout->tree;
    memset(J, 0, 6 * sizeof *J * (size_t)tree->n_bodies);
    for (int i = 0; i < tree->n_bodies; i++) {
        const dal_carrier *c = &tree->carrier[i];
        double own[6 * MOST_OWN];
        if (c->n_own && k >= c->first && k < c->first + c->n_own) {
            own_columns(tree, c, work, own);
            column_of_body(work, c, own + 6 * (k - c->first), J);
        } else if (c->parent != DAL_GROUND && !is_zero(J + 6 * c->parent))
            column_of_body(work, c, NULL, J);
    }
}
#endif

/* ---- tangents ------------------------------------------------------------------------ */

/* u += w x d */
static void carry_arm(const dal_kin *kin, const dal_marker *marker, double sign, dal_real u[3], const dal_real w[3])
{
    dal_real arm[3] = {0, 0, 0}, d[3];
    dal_turn(kin->R, marker->s, d);
    dal_axpy3(sign, d, arm);
    dal_add_cross(w, arm, u);
}

static void carry_tangent(const dal_motion_step *step, const dal_real *axes, const dal_real *shift, const dal_real *x, dal_real u[3], dal_real w[3])
{
    dal_add_cross(w, shift, u);
    switch (step->kind) {
    case DAL_STEP_SHIFT: dal_axpy3(step->sign * x[0], axes, u); break;
    case DAL_STEP_SCREW:
        dal_axpy3(step->sign * step->length * x[0], axes, u);
        dal_axpy3(step->sign * x[0], axes, w);
        break;
    case DAL_STEP_TURN: dal_axpy3(step->sign * x[0], axes, w); break;
    case DAL_STEP_BALL:
        for (int k = 0; k < 3; k++)
            dal_axpy3(x[k], axes + 3 * k, w);
        break;
    case DAL_STEP_CONSTANT: break;
    }
}

static void tangent_joint(const dal_layout *layout, dal_work *work, const dal_direction *direction)
{
    const dal_tree *tree = layout->tree;
    if (tree->flat) {
        dal_flat_tangent(layout, work, direction);
        return;
    }
    for (int i = 0; i < tree->n_bodies; i++) {
        const dal_carrier *c = &tree->carrier[i];
        dal_tangent *out = &direction->tangent[c->body];
        dal_zero3(out->rd);
        dal_zero3(out->w);
        if (c->parent != DAL_GROUND) {
            dal_copy3(direction->tangent[c->parent].rd, out->rd);
            dal_copy3(direction->tangent[c->parent].w, out->w);
            carry_arm(&work->kin[c->parent], &c->from, 1, out->rd, out->w);
        }
        for (int s = c->step; s < c->step + c->n_steps; s++)
            carry_tangent(&tree->step[s], axes_of(work, s), shift_of(work, s), direction->a + (tree->step[s].v < 0 ? 0 : tree->step[s].v), out->rd,
                          out->w);
        if (c->particle)
            dal_zero3(out->w);
        else
            carry_arm(&work->kin[c->body], &c->to, -1, out->rd, out->w);
        dal_orthonormal_tangent(&work->kin[c->body], out);
    }
}

/* ---- bends ---------------------------------------------------------------------------- */

/* A frame along a and b: angular velocities, and how the tangent of b changes along a. */
typedef struct bent {
    dal_real w_a[3], w_b[3], u_ab[3], w_ab[3];
} bent;

/* u_ab += w_ab x d + w_b x (w_a x d) */
static void bend_arm(const dal_kin *kin, const dal_marker *marker, double sign, bent *f)
{
    dal_real arm[3] = {0, 0, 0}, d[3], turned[3];
    dal_turn(kin->R, marker->s, d);
    dal_axpy3(sign, d, arm);
    dal_cross(f->w_a, arm, turned);
    dal_add_cross(f->w_ab, arm, f->u_ab);
    dal_add_cross(f->w_b, turned, f->u_ab);
}

/* A shift with the rates x_a, x_b. */
static void bend_shift(const dal_real e[3], const dal_real shift[3], dal_real x_a, dal_real x_b, bent *f)
{
    dal_real moved[3], turned[3];
    dal_cross(f->w_a, shift, moved);
    dal_axpy3(x_a, e, moved);
    dal_cross(f->w_a, e, turned);
    dal_add_cross(f->w_ab, shift, f->u_ab);
    dal_add_cross(f->w_b, moved, f->u_ab);
    dal_axpy3(x_b, turned, f->u_ab);
}

static void bend_turn(const dal_real e[3], dal_real x_a, dal_real x_b, bent *f)
{
    dal_real turned[3];
    dal_cross(f->w_a, e, turned);
    dal_axpy3(x_b, turned, f->w_ab);
    dal_axpy3(x_a, e, f->w_a);
    dal_axpy3(x_b, e, f->w_b);
}

static void bend_ball(const dal_real *axes, const dal_real *x_a, const dal_real *x_b, bent *f)
{
    dal_real relative[3] = {0, 0, 0};
    for (int k = 0; k < 3; k++) {
        dal_axpy3(x_a[k], axes + 3 * k, f->w_a);
        dal_axpy3(x_b[k], axes + 3 * k, relative);
    }
    dal_add_cross(f->w_a, relative, f->w_ab);
    dal_axpy3(1, relative, f->w_b);
}

static void bend_step(const dal_motion_step *step, const dal_real *axes, const dal_real *shift, const dal_real *x_a, const dal_real *x_b, bent *f)
{
    const double s = step->sign, k = step->sign * step->length;
    switch (step->kind) {
    case DAL_STEP_SHIFT: bend_shift(axes, shift, s * x_a[0], s * x_b[0], f); break;
    case DAL_STEP_CONSTANT: bend_shift(axes, shift, 0, 0, f); break;
    case DAL_STEP_TURN: bend_turn(axes, s * x_a[0], s * x_b[0], f); break;
    case DAL_STEP_SCREW:
        bend_shift(axes, shift, k * x_a[0], k * x_b[0], f);
        bend_turn(axes, s * x_a[0], s * x_b[0], f);
        break;
    case DAL_STEP_BALL: bend_ball(axes, x_a, x_b, f); break;
    }
}

/* From the frame of the parent to that of the body. */
static void bend_carrier(const dal_layout *layout, const dal_work *work, const dal_carrier *c, const dal_real *a, const dal_real *b, bent *f)
{
    const dal_tree *tree = layout->tree;
    if (c->parent != DAL_GROUND)
        bend_arm(&work->kin[c->parent], &c->from, 1, f);
    for (int s = c->step; s < c->step + c->n_steps; s++) {
        int v = tree->step[s].v < 0 ? 0 : tree->step[s].v;
        bend_step(&tree->step[s], axes_of(work, s), shift_of(work, s), a + v, b + v, f);
    }
    if (c->particle)
        dal_zero3(f->w_ab);
    else
        bend_arm(&work->kin[c->body], &c->to, -1, f);
}

static void bend_joint(const dal_layout *layout, dal_work *work, const dal_direction *a, const dal_direction *b, dal_bend *out)
{
    const dal_tree *tree = layout->tree;
    for (int i = 0; i < tree->n_bodies; i++) {
        const dal_carrier *c = &tree->carrier[i];
        bent f = {{0}, {0}, {0}, {0}};
        if (c->parent != DAL_GROUND) {
            dal_copy3(a->tangent[c->parent].w, f.w_a);
            dal_copy3(b->tangent[c->parent].w, f.w_b);
            dal_copy3(out[c->parent].rb, f.u_ab);
            dal_copy3(out[c->parent].wb, f.w_ab);
        }
        bend_carrier(layout, work, c, a->a, b->a, &f);
        dal_copy3(f.u_ab, out[c->body].rb);
        dal_copy3(f.w_ab, out[c->body].wb);
        dal_orthonormal_bend(&work->kin[c->body], &a->tangent[c->body], &b->tangent[c->body], &out[c->body]);
    }
}

/* The tangent of v, and its bend along v itself. */
static void velocity_joint(const dal_layout *layout, dal_work *work)
{
    const dal_tree *tree = layout->tree;
    if (tree->flat) {
        dal_flat_velocity(layout, work);
        return;
    }
    for (int i = 0; i < tree->n_bodies; i++) {
        const dal_carrier *c = &tree->carrier[i];
        const dal_kin *parent = &work->kin[c->parent];
        dal_kin *kin = &work->kin[c->body];
        dal_real u[3], w[3];
        bent f;
        dal_copy3(parent->rd, u); /* the ground's are zero */
        dal_copy3(parent->w, w);
        dal_copy3(parent->w, f.w_a);
        dal_copy3(parent->w, f.w_b);
        dal_copy3(parent->rb, f.u_ab);
        dal_copy3(parent->wb, f.w_ab);
        carry_arm(parent, &c->from, 1, u, w);
        for (int s = c->step; s < c->step + c->n_steps; s++)
            carry_tangent(&tree->step[s], axes_of(work, s), shift_of(work, s), work->v + (tree->step[s].v < 0 ? 0 : tree->step[s].v), u, w);
        if (c->particle)
            dal_zero3(w);
        else
            carry_arm(kin, &c->to, -1, u, w);
        bend_carrier(layout, work, c, work->v, work->v, &f);
        dal_copy3(u, kin->rd);
        dal_copy3(w, kin->w);
        dal_copy3(f.u_ab, kin->rb);
        dal_copy3(f.w_ab, kin->wb);
        dal_orthonormal_bias(kin);
    }
}

static void rates_joint(const dal_layout *layout, const dal_work *work, dal_real *qd)
{
    if (layout->nq == layout->nv) { /* no quaternions */
        memcpy(qd, work->v, sizeof *qd * (size_t)layout->nv);
        return;
    }
    for (int s = 0; s < layout->tree->n_steps; s++) {
        const dal_motion_step *step = &layout->tree->step[s];
        const dal_real *p = work->q + step->q, *x = work->v + step->v;
        if (step->kind == DAL_STEP_CONSTANT)
            continue;
        if (step->kind != DAL_STEP_BALL) {
            qd[step->q] = x[0];
            continue;
        }
        dal_real turn[3];
        dal_cross(p + 1, x, turn);
        qd[step->q] = -0.5 * dal_dot(p + 1, x);
        for (int i = 0; i < 3; i++)
            qd[step->q + 1 + i] = 0.5 * (p[0] * x[i] + turn[i]);
    }
}

/* ---- inertia ------------------------------------------------------------------------ */

/* I += mass m in d, first moment s about d: m (d.d - d d) + 2 d.s - d s - s d */
static void shift_inertia(dal_real m, const dal_real d[3], const dal_real s[3], dal_real I[9])
{
    dal_real diagonal = m * dal_dot(d, d) + 2 * dal_dot(d, s);
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            I[3 * i + j] += (i == j ? diagonal : 0) - m * d[i] * d[j] - d[i] * s[j] - s[i] * d[j];
}

static void body_alone(const dal_body *body, const dal_kin *kin, composite *out)
{
    static const dal_real none[3] = {0, 0, 0};
    dal_real rho[3], spin[3];
    out->m = body->mass;
    dal_turn(kin->R, body->center, rho);
    dal_turn(kin->Rb, body->center, out->force);
    for (int i = 0; i < 3; i++) {
        out->s[i] = body->mass * rho[i];
        out->force[i] = body->mass * (out->force[i] + kin->rb[i]);
    }
    dal_turn_inertia(kin->R, body->inertia, out->I);
    dal_mul3(out->I, kin->w, spin);
    dal_euler_moment(out->I, kin->w, kin->wb, spin, out->moment);
    dal_add_cross(rho, out->force, out->moment);
    shift_inertia(body->mass, rho, none, out->I);
}

static void particle_alone(const dal_body *body, const dal_kin *kin, composite *out)
{
    for (int i = 0; i < 9; i++)
        out->I[i] = 0;
    dal_zero3(out->s);
    dal_zero3(out->moment);
    out->m = body->mass;
    for (int i = 0; i < 3; i++)
        out->force[i] = body->mass * kin->rb[i];
}

/* d: from r of the parent to r of the body. */
static void attach_joint(const composite *body, const dal_real d[3], bool on_particle, composite *parent)
{
    parent->m += body->m;
    dal_axpy3(1, body->force, parent->force);
    if (on_particle)
        return;
    for (int i = 0; i < 3; i++)
        parent->s[i] += body->s[i] + body->m * d[i];
    for (int i = 0; i < 9; i++)
        parent->I[i] += body->I[i];
    shift_inertia(body->m, d, body->s, parent->I);
    dal_axpy3(1, body->moment, parent->moment);
    dal_add_cross(d, body->force, parent->moment);
}

/* The rows of M and h of the body's own columns, which are the last ones of its list. */
static void own_rows(const dal_layout *layout, dal_work *work, const dal_carrier *c, const composite *all, const dal_mass_block *block)
{
    const dal_body_layout *at = &layout->body[c->body];
    const dal_real *J = work->jacobian + 6 * (size_t)at->jacobian;
    const int *column = work->body_column + at->column;
    for (int k = at->n_columns - c->n_own; k < at->n_columns; k++) {
        const dal_real *u = J + 6 * k, *w = u + 3;
        dal_real push[3], turn[3], *row = work->M + block->value + (size_t)block->n * (size_t)(column[k] - block->column) - block->column;
        dal_mul3(all->I, w, turn);
        dal_add_cross(all->s, u, turn);
        dal_cross(w, all->s, push);
        dal_axpy3(all->m, u, push);
        for (int l = 0; l <= k; l++)
            row[column[l]] = dal_dot(J + 6 * l, push) + dal_dot(J + 6 * l + 3, turn);
        work->h[column[k]] = dal_dot(u, all->force) + dal_dot(w, all->moment);
    }
}

static void inertia_joint(const dal_layout *layout, dal_work *work)
{
    const dal_tree *tree = layout->tree;
    if (tree->flat) {
        dal_flat_inertia(layout, work);
        return;
    }
    const dal_mechanism *m = layout->mechanism;
    composite *all = (composite *)(void *)(work->scratch + DAL_STEP_NUMBERS * (size_t)tree->n_steps);
    const dal_mass_block *block = layout->block + layout->n_blocks - 1;
    for (int i = 0; i < layout->n_mass; i++)
        work->M[i] = 0;
    for (int b = 0; b < m->n_bodies; b++)
        (m->bodies[b].particle ? particle_alone : body_alone)(&m->bodies[b], &work->kin[b], &all[b]);
    for (int i = tree->n_bodies - 1; i >= 0; i--) {
        const dal_carrier *c = &tree->carrier[i];
        if (c->n_own) {
            while (c->first < block->column)
                block--;
            own_rows(layout, work, c, &all[c->body], block);
        }
        if (c->parent != DAL_GROUND) {
            dal_real d[3];
            dal_sub3(work->kin[c->body].r, work->kin[c->parent].r, d);
            attach_joint(&all[c->body], d, m->bodies[c->parent].particle, &all[c->parent]);
        }
    }
    for (int i = 0; i < layout->n_blocks; i++) { /* only the lower triangle was filled */
        const int n = layout->block[i].n;
        dal_real *M = work->M + layout->block[i].value;
        for (int k = 0; k < n; k++)
            for (int l = 0; l < k; l++)
                M[n * l + k] = M[n * k + l];
    }
}

/* ---- from the bodies to q and v -------------------------------------------------------- */

#ifndef DAL_SCALAR_VARIANT

static const double two_pi = 6.283185307179586476925287;

/* The angle about `axis` that takes the direction `from` (another axis) to d. */
static double angle_about(int axis, int from, const double d[3])
{
    int i = (axis + 1) % 3, j = (axis + 2) % 3;
    return from == i ? atan2(d[j], d[i]) : atan2(-d[i], d[j]);
}

/* The angle of a turn: R is the frame before it, (P, E) where the carrier leads to. A turn before a rod points it at P. Else
 * D = R^T E is the product of this turn and the next one, if there is one: it takes the next axis j to D e_j. */
static double find_angle(const dal_motion_step *step, int n_rest, const double r[3], const double R[9], const double P[3], const double E[9])
{
    double D[9], d[3], gap[3];
    if (n_rest && step[1].kind == DAL_STEP_CONSTANT) {
        dal_sub3(P, r, gap);
        dal_mulT3(R, gap, d);
        for (int i = 0; i < 3; i++)
            d[i] *= step[1].sign;
        return angle_about(step->axis, step[1].axis, d);
    }
    int other = (step->axis + 1) % 3;
    for (int k = n_rest; k > 0; k--)
        if (step[k].kind == DAL_STEP_TURN)
            other = step[k].axis;
    dal_rotation_multiply_left_transposed(R, E, D);
    column_of(D, other, d);
    return angle_about(step->axis, other, d);
}

/* Whole turns as the joint has counted them, from where its frames coincide. */
static double wind_joint(const dal_work *work, const dal_motion_step *step, double angle)
{
    return step->winding < 0 ? angle : angle + two_pi * floor((work->winding[step->winding] + step->zero - angle) / two_pi + 0.5);
}

static void find_step(const dal_work *work, const dal_motion_step *step, int n_rest, const double r[3], const double R[9], const double P[3],
                      const double E[9], double *q)
{
    double gap[3], e[3], D[9];
    switch (step->kind) {
    case DAL_STEP_SHIFT:
        dal_sub3(P, r, gap);
        column_of(R, step->axis, e);
        q[0] = step->sign * dal_dot(e, gap);
        break;
    case DAL_STEP_TURN:
    case DAL_STEP_SCREW: q[0] = wind_joint(work, step, step->sign * find_angle(step, n_rest, r, R, P, E)); break;
    case DAL_STEP_BALL:
        dal_rotation_multiply_left_transposed(R, E, D);
        dal_quaternion_of(D, q);
        break;
    case DAL_STEP_CONSTANT: break;
    }
}

/* Step after step, from the parent's frame as it is given to that of the body. A shift is the component of the gap along its axis:
 * the shifts of a joint stand side by side, before all of its turns or behind them, and their axes are orthogonal. */
static void place_joint(const dal_layout *layout, dal_work *work, int body, const double unused_r[3], const double unused_R[9])
{
    const dal_tree *tree = layout->tree;
    (void)body, (void)unused_r, (void)unused_R; /* all bodies, from their frames in work->kin */
    for (int i = 0; i < tree->n_bodies; i++) {
        const dal_carrier *c = &tree->carrier[i];
        double r[3], R[9], P[3], E[9], none[9], shift[3];
        place_marker(&work->kin[c->parent], &c->from, r, R);
        place_marker(&work->kin[c->body], &c->to, P, E);
        for (int s = c->step; s < c->step + c->n_steps; s++) {
            const dal_motion_step *step = &tree->step[s];
            double *q = work->q + (step->q < 0 ? 0 : step->q);
            find_step(work, step, c->step + c->n_steps - 1 - s, r, R, P, E, q);
            pass_step(step, q, r, R, none, shift);
        }
    }
}

/* x with C x = b in the sense of least squares, shifts over `unit` beside turns; C of n columns with 6 numbers, by modified Gram-Schmidt; C and
 * b are overwritten. */
static void solve_columns(int n, double unit, double C[MOST_OWN][6], double b[6], double *x)
{
    double R[MOST_OWN][MOST_OWN];
    for (int i = 0; i < 3; i++) {
        b[i] /= unit;
        for (int k = 0; k < n; k++)
            C[k][i] /= unit;
    }
    for (int k = 0; k < n; k++) {
        double length = sqrt(dal_dot(C[k], C[k]) + dal_dot(C[k] + 3, C[k] + 3));
        R[k][k] = length;
        for (int i = 0; i < 6; i++)
            C[k][i] /= length;
        for (int j = k + 1; j < n; j++) {
            R[k][j] = dal_dot(C[k], C[j]) + dal_dot(C[k] + 3, C[j] + 3);
            dal_axpy3(-R[k][j], C[k], C[j]);
            dal_axpy3(-R[k][j], C[k] + 3, C[j] + 3);
        }
        x[k] = dal_dot(C[k], b) + dal_dot(C[k] + 3, b + 3);
        dal_axpy3(-x[k], C[k], b);
        dal_axpy3(-x[k], C[k] + 3, b + 3);
    }
    for (int k = n - 1; k >= 0; k--) {
        for (int j = k + 1; j < n; j++)
            x[k] -= R[k][j] * x[j];
        x[k] /= R[k][k];
    }
}

/* The difference of the twists of body and parent at the marker is a combination of the body's own columns there. */
static void move_joint(const dal_layout *layout, dal_work *work, int body, const double unused_rd[3], const double unused_w[3])
{
    const dal_tree *tree = layout->tree;
    (void)body, (void)unused_rd, (void)unused_w; /* all bodies, from their velocities in work->kin */
    for (int i = 0; i < tree->n_bodies; i++) {
        const dal_carrier *c = &tree->carrier[i];
        const dal_kin *parent = &work->kin[c->parent], *kin = &work->kin[c->body];
        double C[MOST_OWN][6], b[6], arm[3], P[3], E[9];
        const int n = c->n_own;
        if (!n)
            continue;
        place_marker(kin, &c->to, P, E);
        own_columns(tree, c, work, C[0]);
        for (int k = 0; k < n && c->particle; k++)
            dal_zero3(C[k] + 3);
        dal_sub3(kin->rd, parent->rd, b);
        dal_sub3(kin->w, parent->w, b + 3);
        if (c->particle)
            dal_zero3(b + 3);
        dal_sub3(P, kin->r, arm);
        dal_add_cross(kin->w, arm, b);
        dal_sub3(parent->r, P, arm);
        dal_add_cross(parent->w, arm, b); /* less the parent's: w x (P - r) */
        solve_columns(n, layout->length, C, b, work->v + c->first);
    }
}

/* q := q + dv; the vector of a quaternion is in the axes behind the step. */
static void add_joint(const dal_layout *layout, double *q, const double *dv)
{
    for (int s = 0; s < layout->tree->n_steps; s++) {
        const dal_motion_step *step = &layout->tree->step[s];
        if (step->kind == DAL_STEP_BALL)
            dal_quaternion_turn(q + step->q, dv + step->v, false);
        else if (step->kind != DAL_STEP_CONSTANT)
            q[step->q] += dv[step->v];
    }
}

#endif

const dal_family dal_family_joint = {
    .name = "joint",
    .title = "relative coordinates over the tree of the joints, as few as it has freedoms; joints that close loops stay constraints",
    .over_tree = true,
    .shares = true,
    DAL_FAMILY_MOTION(position_joint, velocity_joint, tangent_joint, bend_joint),
    .scratch = scratch_joint,
    .frames = frames_joint,
    DAL_FAMILY_INERTIA(inertia_joint, dal_shared_pull, rates_joint),
    DAL_FAMILY_START(place_joint, move_joint, add_joint)};
