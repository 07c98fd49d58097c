/* Family `joint` in the plane: the equations of joint_family.c, where every axis of a turn is e_z and nothing leaves z = 0. Components that are zero
 * are not computed. The others are summed in the same order, so that the results are equal bit for bit.
 *
 *   w x d   = w (-d_y, d_x)
 *   bias    w_b = 0; an arm d: r_b -= w^2 d; a shift d = s q e with the rate x: r_b += w x (w x d + x e) + x w x e
 *   columns (u_x, u_y, w): work->jacobian holds them as (u_x, u_y, 0, 0, 0, w)
 * hinge   (one turn, unturned markers: most joints) the same without the factors 1 and 0. Its arms from r of the parent to the pin, and from r of the
 *           body to the pin, are stored behind the axis of its step
 * inertia of the composite body (a body and its subtree), about r: m, s = (s_x, s_y), I about e_z; of a column the momentum m u + w x s, s x u + I w
 */
#include "kinematics/flat_tree.h"
#include "math/vec.h"

#define FLAT_INLINE inline __attribute__((always_inline)) /* a call for each body would be a fifth of the work */

/* ---- does it apply? ------------------------------------------------------------------ */

#ifndef DAL_SCALAR_VARIANT

static bool is_in_plane(const dal_marker *marker)
{
    const double *B = marker->B;
    return marker->s[2] == 0 && B[2] == 0 && B[5] == 0 && B[6] == 0 && B[7] == 0 && B[8] == 1;
}

static bool is_flat_step(const dal_motion_step *step)
{
    return step->kind == DAL_STEP_TURN ? step->axis == 2 : (step->kind == DAL_STEP_SHIFT || step->kind == DAL_STEP_CONSTANT) && step->axis < 2;
}

bool dal_tree_is_flat(const dal_tree *tree, const dal_mechanism *mechanism)
{
    if (mechanism->space != DAL_PLANAR)
        return false;
    for (int i = 0; i < tree->n_bodies; i++)
        if (!is_in_plane(&tree->carrier[i].from) || !is_in_plane(&tree->carrier[i].to))
            return false;
    for (int s = 0; s < tree->n_steps; s++)
        if (!is_flat_step(&tree->step[s]))
            return false;
    return true;
}

static bool is_unturned(const dal_marker *marker)
{
    return marker->B[0] == 1 && marker->B[1] == 0 && marker->B[3] == 0 && marker->B[4] == 1;
}

void dal_flat_hinges(dal_tree *tree)
{
    tree->chains = true;
    for (int i = 0; i < tree->n_bodies; i++) {
        dal_carrier *c = &tree->carrier[i];
        c->hinge = c->n_steps == 1 && tree->step[c->step].kind == DAL_STEP_TURN && !c->particle && is_unturned(&c->from) && is_unturned(&c->to);
        tree->chains = tree->chains && (c->parent == DAL_GROUND || (i > 0 && c->parent == tree->carrier[i - 1].body));
    }
}

#endif

/* ---- position -------------------------------------------------------------------- */

/* out = R s */
static inline void turn_in_plane(const dal_real R[9], const double s[3], dal_real out[2])
{
    out[0] = R[0] * s[0] + R[1] * s[1];
    out[1] = R[3] * s[0] + R[4] * s[1];
}

/* u += w x d */
static inline void add_turned(dal_real w, const dal_real d[2], dal_real u[2])
{
    u[0] -= w * d[1];
    u[1] += w * d[0];
}

static inline const dal_real *axes_of_step(const dal_work *work, int s)
{
    return work->scratch + DAL_STEP_NUMBERS * (size_t)s;
}

/* The frame (r, R) behind a step; its axis and its shift are stored. */
static inline void pass_flat_step(const dal_motion_step *step, const dal_real *q, dal_real r[2], dal_real R[4], dal_real *axes, dal_real *shift)
{
    axes[2] = step->kind == DAL_STEP_TURN;
    shift[2] = 0;
    if (step->kind == DAL_STEP_TURN) {
        const dal_real angle = step->sign * q[step->q], c = dal_cos(angle), s = dal_sin(angle);
        for (int k = 0; k < 2; k++) {
            const dal_real x = R[2 * k], y = R[2 * k + 1];
            R[2 * k] = c * x + s * y;
            R[2 * k + 1] = c * y - s * x;
            axes[k] = shift[k] = 0;
        }
        return;
    }
    const dal_real by = step->sign * (step->kind == DAL_STEP_SHIFT ? q[step->q] : step->length);
    for (int k = 0; k < 2; k++) {
        axes[k] = R[2 * k + step->axis];
        shift[k] = by * axes[k];
        r[k] += shift[k];
    }
}

/* Arms of a hinge: on the parent, then on the body. */
static inline dal_real *arms_of_hinge(dal_real *axes)
{
    return axes + 3;
}

static inline const dal_real *arms_of(const dal_work *work, const dal_carrier *c)
{
    return axes_of_step(work, c->step) + 3;
}

static FLAT_INLINE void pass_hinge(const dal_carrier *c, const dal_motion_step *step, const dal_real *q, const dal_kin *parent, dal_real *axes,
                                   dal_kin *kin)
{
    const dal_real *P = parent->R, angle = step->sign * q[step->q], cosine = dal_cos(angle), sine = dal_sin(angle);
    dal_real *R = kin->R, *arm = arms_of_hinge(axes);
    axes[0] = axes[1] = axes[9] = axes[10] = axes[11] = 0;
    axes[2] = 1;
    R[0] = cosine * P[0] + sine * P[1], R[1] = cosine * P[1] - sine * P[0];
    R[3] = cosine * P[3] + sine * P[4], R[4] = cosine * P[4] - sine * P[3];
    turn_in_plane(P, c->from.s, arm);
    turn_in_plane(R, c->to.s, arm + 2);
    kin->r[0] = arm[0] + parent->r[0] - arm[2];
    kin->r[1] = arm[1] + parent->r[1] - arm[3];
}

/* r and R of a body. */
static FLAT_INLINE void place_body(const dal_tree *tree, const dal_carrier *c, dal_work *work)
{
    const dal_kin *parent = &work->kin[c->parent];
    const double *B = c->from.B, *E = c->to.B;
    const dal_real *P = parent->R;
    dal_kin *kin = &work->kin[c->body];
    if (c->hinge) {
        pass_hinge(c, &tree->step[c->step], work->q, parent, work->scratch + DAL_STEP_NUMBERS * (size_t)c->step, kin);
        return;
    }
    dal_real R[4] = {P[0] * B[0] + P[1] * B[3], P[0] * B[1] + P[1] * B[4], P[3] * B[0] + P[4] * B[3], P[3] * B[1] + P[4] * B[4]};
    dal_real r[2], arm[2];
    turn_in_plane(P, c->from.s, r);
    r[0] += parent->r[0], r[1] += parent->r[1];
    for (int s = c->step; s < c->step + c->n_steps; s++) {
        dal_real *axes = work->scratch + DAL_STEP_NUMBERS * (size_t)s;
        pass_flat_step(&tree->step[s], work->q, r, R, axes, axes + 9);
    }
    if (!c->particle) {
        kin->R[0] = R[0] * E[0] + R[1] * E[1], kin->R[1] = R[0] * E[3] + R[1] * E[4];
        kin->R[3] = R[2] * E[0] + R[3] * E[1], kin->R[4] = R[2] * E[3] + R[3] * E[4];
    }
    turn_in_plane(kin->R, c->to.s, arm);
    kin->r[0] = r[0] - arm[0];
    kin->r[1] = r[1] - arm[1];
}

void dal_flat_frames(const dal_layout *layout, dal_work *work)
{
    for (int i = 0; i < layout->tree->n_bodies; i++)
        place_body(layout->tree, &layout->tree->carrier[i], work);
}

/* (u, w) of a column; the other entries are zero. */
static inline void store_column(dal_real *J, dal_real x, dal_real y, dal_real w)
{
    J[0] = x, J[1] = y, J[2] = 0;
    J[3] = 0, J[4] = 0, J[5] = w;
}

/* Own columns at the body's marker. */
static inline void own_flat_columns(const dal_tree *tree, const dal_carrier *c, const dal_work *work, dal_real *J)
{
    dal_real arm[2] = {0, 0};
    for (int s = c->step + c->n_steps - 1; s >= c->step; s--) {
        const dal_motion_step *step = &tree->step[s];
        const dal_real *axes = axes_of_step(work, s), *shift = axes + 9;
        if (step->kind == DAL_STEP_TURN)
            store_column(J + 6 * (step->v - c->first), -(step->sign * arm[1]), step->sign * arm[0], step->sign);
        else if (step->kind == DAL_STEP_SHIFT)
            store_column(J + 6 * (step->v - c->first), step->sign * axes[0], step->sign * axes[1], 0);
        arm[0] += shift[0], arm[1] += shift[1];
    }
}

/* Inherited columns, and that of the hinge. r, from_r: of the body and of its parent. */
static FLAT_INLINE void hinge_columns(int inherited, const dal_real *arms, const dal_real *r, const dal_real *from_r, double sign,
                                      const dal_real *from, dal_real *J)
{
    const dal_real P[2] = {arms[2] + r[0], arms[3] + r[1]}, arm[2] = {P[0] - from_r[0], P[1] - from_r[1]}, back[2] = {r[0] - P[0], r[1] - P[1]};
    for (int k = 0; k < inherited; k++, from += 6, J += 6) {
        const dal_real w = from[5];
        store_column(J, from[0] - w * arm[1] - w * back[1], from[1] + w * arm[0] + w * back[0], w);
    }
    store_column(J, -(sign * back[1]), sign * back[0], sign);
}

/* The columns of a body, after its frame. */
static FLAT_INLINE void columns_of_body(const dal_layout *layout, const dal_carrier *c, dal_work *work)
{
    const dal_kin *kin = &work->kin[c->body];
    const int n = layout->body[c->body].n_columns, inherited = n - c->n_own;
    const dal_real *from = work->jacobian + 6 * (size_t)(c->parent == DAL_GROUND ? 0 : layout->body[c->parent].jacobian);
    dal_real *J = work->jacobian + 6 * (size_t)layout->body[c->body].jacobian, P[2], back[2];
    if (c->hinge) {
        hinge_columns(inherited, arms_of(work, c), kin->r, work->kin[c->parent].r, layout->tree->step[c->step].sign, from, J);
        return;
    }
    turn_in_plane(kin->R, c->to.s, P);
    P[0] += kin->r[0], P[1] += kin->r[1];
    const dal_real arm[2] = {P[0] - work->kin[c->parent].r[0], P[1] - work->kin[c->parent].r[1]};
    back[0] = c->particle ? 0 : kin->r[0] - P[0], back[1] = c->particle ? 0 : kin->r[1] - P[1];
    for (int k = 0; k < inherited; k++, from += 6) {
        const dal_real w = from[5];
        store_column(J + 6 * k, from[0] - w * arm[1] - w * back[1], from[1] + w * arm[0] + w * back[0], w);
    }
    own_flat_columns(layout->tree, c, work, J + 6 * inherited);
    for (int k = inherited; k < n; k++)
        add_turned(J[6 * k + 5], back, J + 6 * k);
    for (int k = 0; k < n && c->particle; k++)
        J[6 * k + 5] = 0;
}

void dal_flat_columns(const dal_layout *layout, dal_work *work)
{
    for (int i = 0; i < layout->tree->n_bodies; i++)
        columns_of_body(layout, &layout->tree->carrier[i], work);
}

/* ---- velocity ------------------------------------------------------------------------ */

/* How a frame moves, and the bias of its acceleration. */
typedef struct flat_motion {
    dal_real u[2], b[2], w;
} flat_motion;

/* Along an arm d. */
static inline void move_along(const dal_real d[2], flat_motion *f)
{
    const dal_real turned[2] = {-(f->w * d[1]), f->w * d[0]};
    f->u[0] += turned[0], f->u[1] += turned[1];
    add_turned(f->w, turned, f->b);
}

/* Along -d: equal numbers with fewer sign changes. */
static inline void move_back(const dal_real d[2], flat_motion *f)
{
    const dal_real x = f->w * d[1], y = f->w * d[0];
    f->u[0] += x, f->u[1] -= y;
    f->b[0] += f->w * y, f->b[1] += f->w * x;
}

/* Along a step with the rate x. */
static inline void move_step(const dal_motion_step *step, const dal_real *axes, dal_real x, flat_motion *f)
{
    if (step->kind == DAL_STEP_TURN) {
        f->w += x;
        return;
    }
    const dal_real *shift = axes + 9;
    const dal_real moved[2] = {-(f->w * shift[1]) + x * axes[0], f->w * shift[0] + x * axes[1]};
    add_turned(f->w, shift, f->u);
    f->u[0] += x * axes[0], f->u[1] += x * axes[1];
    add_turned(f->w, moved, f->b);
    f->b[0] += x * -(f->w * axes[1]), f->b[1] += x * (f->w * axes[0]);
}

/* R' = w x R, R_b = w x R': the angular bias is zero. */
static inline void store_motion(const flat_motion *f, dal_kin *kin)
{
    const dal_real w = f->w, *R = kin->R;
    dal_real *Rd = kin->Rd, *Rb = kin->Rb;
    for (int k = 0; k < 2; k++) {
        kin->rd[k] = f->u[k], kin->rb[k] = f->b[k];
        Rd[k] = -w * R[3 + k];
        Rd[3 + k] = w * R[k];
        Rb[k] = -w * Rd[3 + k];
        Rb[3 + k] = w * Rd[k];
    }
    kin->w[2] = w;
    kin->wb[2] = 0;
}

/* r', w and the biases of a body, after its frame. */
static FLAT_INLINE void move_body(const dal_tree *tree, const dal_carrier *c, dal_work *work)
{
    const dal_kin *parent = &work->kin[c->parent];
    dal_kin *kin = &work->kin[c->body];
    flat_motion f = {{parent->rd[0], parent->rd[1]}, {parent->rb[0], parent->rb[1]}, parent->w[2]}; /* the ground's are zero */
    dal_real arm[2];
    if (c->hinge) {
        const dal_real *arms = arms_of(work, c);
        const dal_motion_step *step = &tree->step[c->step];
        move_along(arms, &f);
        f.w += step->sign * work->v[step->v];
        move_back(arms + 2, &f);
        store_motion(&f, kin);
        return;
    }
    turn_in_plane(parent->R, c->from.s, arm);
    move_along(arm, &f);
    for (int s = c->step; s < c->step + c->n_steps; s++) {
        const dal_motion_step *step = &tree->step[s];
        move_step(step, axes_of_step(work, s), step->kind == DAL_STEP_CONSTANT ? 0 : step->sign * work->v[step->v], &f);
    }
    if (c->particle)
        f.w = 0;
    else {
        turn_in_plane(kin->R, c->to.s, arm);
        move_back(arm, &f);
    }
    store_motion(&f, kin);
}

void dal_flat_velocity(const dal_layout *layout, dal_work *work)
{
    for (int i = 0; i < layout->tree->n_bodies; i++)
        move_body(layout->tree, &layout->tree->carrier[i], work);
}

void dal_flat_motion(const dal_layout *layout, dal_work *work)
{
    for (int i = 0; i < layout->tree->n_bodies; i++) {
        const dal_carrier *c = &layout->tree->carrier[i];
        place_body(layout->tree, c, work);
        columns_of_body(layout, c, work);
        move_body(layout->tree, c, work);
    }
}

static inline void store_tangent(const dal_real u[2], dal_real w, const dal_kin *kin, dal_tangent *out)
{
    const dal_real *R = kin->R;
    dal_real *Rd = out->Rd;
    out->rd[0] = u[0], out->rd[1] = u[1], out->rd[2] = 0;
    out->w[0] = out->w[1] = 0, out->w[2] = w;
    Rd[0] = -(w * R[3]), Rd[1] = -(w * R[4]), Rd[2] = 0;
    Rd[3] = w * R[0], Rd[4] = w * R[1], Rd[5] = 0;
    Rd[6] = Rd[7] = Rd[8] = 0;
}

/* The velocities alone, along any direction. */
void dal_flat_tangent(const dal_layout *layout, const dal_work *work, const dal_direction *direction)
{
    const dal_tree *tree = layout->tree;
    for (int i = 0; i < tree->n_bodies; i++) {
        const dal_carrier *c = &tree->carrier[i];
        const dal_kin *kin = &work->kin[c->body];
        dal_tangent *out = &direction->tangent[c->body];
        dal_real u[2] = {0, 0}, w = 0, arm[2];
        if (c->hinge) {
            const dal_real *arms = arms_of(work, c);
            const dal_motion_step *step = &tree->step[c->step];
            if (c->parent != DAL_GROUND) {
                const dal_tangent *parent = &direction->tangent[c->parent];
                u[0] = parent->rd[0], u[1] = parent->rd[1], w = parent->w[2];
                add_turned(w, arms, u);
            }
            w += step->sign * direction->a[step->v];
            u[0] += w * arms[3], u[1] -= w * arms[2];
            store_tangent(u, w, kin, out);
            continue;
        }
        if (c->parent != DAL_GROUND) {
            const dal_tangent *parent = &direction->tangent[c->parent];
            u[0] = parent->rd[0], u[1] = parent->rd[1], w = parent->w[2];
            turn_in_plane(work->kin[c->parent].R, c->from.s, arm);
            add_turned(w, arm, u);
        }
        for (int s = c->step; s < c->step + c->n_steps; s++) {
            const dal_motion_step *step = &tree->step[s];
            const dal_real *axes = axes_of_step(work, s);
            if (step->kind == DAL_STEP_TURN) {
                w += step->sign * direction->a[step->v];
                continue;
            }
            const dal_real x = step->kind == DAL_STEP_CONSTANT ? 0 : step->sign * direction->a[step->v];
            add_turned(w, axes + 9, u);
            u[0] += x * axes[0], u[1] += x * axes[1];
        }
        if (c->particle)
            w = 0;
        turn_in_plane(kin->R, c->to.s, arm);
        u[0] += w * arm[1], u[1] -= w * arm[0];
        store_tangent(u, w, kin, out);
    }
}

/* ---- inertia ------------------------------------------------------------------------- */

/* The composite body (a body and its subtree) about its r: inertia, and the wrench that it needs while v' = 0. Stored in the scratch of the family,
 * in place of the larger spatial ones. */
typedef struct flat_composite {
    dal_real m, s[2], I, force[2], moment;
} flat_composite;

static FLAT_INLINE void flat_alone(const dal_body *body, const dal_kin *kin, flat_composite *out)
{
    const double m = body->mass;
    if (body->particle) {
        *out = (flat_composite){.m = m, .force = {m * kin->rb[0], m * kin->rb[1]}};
        return;
    }
    dal_real rho[2], bias[2];
    turn_in_plane(kin->R, body->center, rho);
    turn_in_plane(kin->Rb, body->center, bias);
    const dal_real x = m * (bias[0] + kin->rb[0]), y = m * (bias[1] + kin->rb[1]);
    out->m = m;
    out->s[0] = m * rho[0], out->s[1] = m * rho[1];
    out->I = body->inertia[8] + m * (rho[0] * rho[0] + rho[1] * rho[1]);
    out->force[0] = x, out->force[1] = y;
    out->moment = rho[0] * y - rho[1] * x;
}

/* d: from r of the parent to r of the body. */
static inline void attach_flat(const flat_composite *body, const dal_real d[2], bool on_particle, flat_composite *parent)
{
    parent->m += body->m;
    parent->force[0] += body->force[0], parent->force[1] += body->force[1];
    if (on_particle)
        return;
    for (int i = 0; i < 2; i++)
        parent->s[i] += body->s[i] + body->m * d[i];
    parent->I += body->I;
    parent->I += body->m * (d[0] * d[0] + d[1] * d[1]) + 2 * (d[0] * body->s[0] + d[1] * body->s[1]);
    parent->moment += body->moment;
    parent->moment += d[0] * body->force[1] - d[1] * body->force[0];
}

/* The rows of M and h of the body's own columns, which are the last ones of its list; M is symmetric. M[n k + l]: of the columns k, l of v. */
static FLAT_INLINE void own_flat_rows(const dal_body_layout *at, const dal_work *work, int n_own, const flat_composite *all, dal_real *restrict M,
                                      ptrdiff_t n)
{
    const int end = at->n_columns;
    const dal_real *restrict J = work->jacobian + 6 * (size_t)at->jacobian, *u = J + 6 * (ptrdiff_t)(end - n_own);
    const int *restrict column = work->body_column + at->column;
    for (int own = end - n_own; own < end; own++, u += 6) {
        const dal_real w = u[5], push[2] = {-(w * all->s[1]) + all->m * u[0], w * all->s[0] + all->m * u[1]};
        const dal_real turn = all->I * w + (all->s[0] * u[1] - all->s[1] * u[0]), *Jl = J;
        const ptrdiff_t k = column[own];
        dal_real *row = M + n * k, *down = M + k;
        for (int l = 0; l <= own; l++, Jl += 6)
            row[column[l]] = down[n * column[l]] = Jl[0] * push[0] + Jl[1] * push[1] + Jl[5] * turn;
        work->h[k] = u[0] * all->force[0] + u[1] * all->force[1] + w * all->moment;
    }
}

void dal_flat_inertia(const dal_layout *layout, dal_work *work)
{
    const dal_tree *tree = layout->tree;
    const dal_mechanism *m = layout->mechanism;
    flat_composite *all = (flat_composite *)(void *)(work->scratch + DAL_STEP_NUMBERS * (size_t)tree->n_steps);
    const dal_mass_block *block = layout->block + layout->n_blocks;
    dal_real *M = NULL;
    for (int i = 0; i < layout->n_mass && !(tree->chains && !layout->systems); i++) /* columns of different branches have nothing in common */
        work->M[i] = 0;
    for (int b = 0; b < m->n_bodies; b++)
        flat_alone(&m->bodies[b], &work->kin[b], &all[b]);
    for (int i = tree->n_bodies - 1; i >= 0; i--) {
        const dal_carrier *c = &tree->carrier[i];
        if (c->n_own) {
            while (!M || c->first < block->column) {
                block--;
                M = work->M + block->value - (block->n + 1) * block->column;
            }
            own_flat_rows(&layout->body[c->body], work, c->n_own, &all[c->body], M, block->n);
        }
        if (c->parent != DAL_GROUND) {
            const dal_real *r = work->kin[c->body].r, *from = work->kin[c->parent].r, d[2] = {r[0] - from[0], r[1] - from[1]};
            attach_flat(&all[c->body], d, m->bodies[c->parent].particle, &all[c->parent]);
        }
    }
}
