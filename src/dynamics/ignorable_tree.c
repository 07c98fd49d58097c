/* Generalized forces and the dependence of the kinetic energy on the coordinates of a joint tree, for all columns in one sweep.
 *
 * A column moves the subtree behind its step as one rigid body. With (f, n) the sum of the wrenches on the subtree, n about the point o of the step,
 * and e its axis:
 *   Q_k = e . n  (turn),   e . f  (shift)
 *
 * The same holds for energies. Let the frame before the step move with the velocity u of o and the angular velocity w; P and L are the momentum of
 * the subtree behind it and its moment about o. A turn by the coordinate takes the bodies and their velocities relative to that frame along. T would
 * not change if the motion of the frame were turned too, so that it changes as if that alone were turned back:
 *   D_k T = -P . (e x u) - L . (e x w)  (turn),   P . (w x e)  (shift)
 *
 * A particle has no attitude. Its subtree moves along without a turn: as forces and momenta in its place. Its momentum, with that of its subtree, is
 * then not parallel to its velocity r', and does not keep its energy in a turn: D_k T + e . (r' x P).
 */
#include "dynamics/ignorable_tree.h"

#include "kinematics/tree.h"
#include "math/vec.h"
#include "state/scratch.h"
#include "state/state_parts.h"

#include <math.h>

/* Of a body and its subtree, about r: the wrench, or the momentum, and the sizes of the terms of the sums. */
typedef struct subtree_sums {
    double f[3], n[3];
    double rest[3]; /* sum of r' x P of particles */
    double f_size, n_size;
    double reach; /* how far it goes from r */
} subtree_sums;

_Static_assert(sizeof(subtree_sums) <= sizeof(dal_tangent), "they lie in the place of tangents");

static double length_of(const double a[3])
{
    return sqrt(dal_dot(a, a));
}

/* In the order of the tree, from the ends to the ground. */
static void sum_up(const dal_state *state, subtree_sums *all)
{
    const dal_layout *layout = dal_layout_of(state);
    const dal_tree *tree = layout->tree;
    const dal_kin *kin = dal_seen_work(state)->kin;
    for (int i = tree->n_bodies - 1; i >= 0; i--) {
        const dal_carrier *c = &tree->carrier[i];
        subtree_sums *own = &all[c->body], *parent = c->parent == DAL_GROUND ? NULL : &all[c->parent];
        double d[3];
        if (c->particle)
            dal_cross(kin[c->body].rd, own->f, own->rest);
        if (!parent)
            continue;
        dal_axpy3(1, own->f, parent->f);
        parent->f_size += own->f_size;
        if (layout->mechanism->bodies[c->parent].particle)
            continue;
        dal_sub3(kin[c->body].r, kin[c->parent].r, d);
        dal_axpy3(1, own->n, parent->n);
        dal_add_cross(d, own->f, parent->n);
        dal_axpy3(1, own->rest, parent->rest);
        parent->n_size += own->n_size + length_of(d) * own->f_size;
        parent->reach = fmax(parent->reach, own->reach + length_of(d));
    }
}

/* A step of a carrier, seen from the frame before it. */
typedef struct place {
    const dal_motion_step *step;
    const double *axes; /* world axes; a ball has three */
    double o[3], u[3], w[3];
    double arm[3]; /* from o to r of the body */
    const subtree_sums *behind;
} place;

/* Before the first step of a carrier. */
static place enter_carrier(const dal_state *state, const dal_carrier *c, const subtree_sums *all)
{
    const dal_kin *parent = &dal_seen_work(state)->kin[c->parent];
    place at = {.step = dal_layout_of(state)->tree->step + c->step, .behind = &all[c->body]};
    double arm[3];
    dal_turn(parent->R, c->from.s, arm);
    dal_copy3(parent->rd, at.u);
    dal_copy3(parent->w, at.w);
    dal_add_cross(at.w, arm, at.u);
    for (int i = 0; i < 3; i++)
        at.o[i] = parent->r[i] + arm[i];
    return at;
}

static void visit_step(const dal_state *state, const dal_carrier *c, place *at)
{
    const dal_work *work = dal_seen_work(state);
    at->axes = work->scratch + DAL_STEP_NUMBERS * (at->step - dal_layout_of(state)->tree->step);
    dal_sub3(work->kin[c->body].r, at->o, at->arm);
}

/* The frame behind the step. */
static void pass_step(const dal_state *state, place *at)
{
    const dal_motion_step *step = at->step++;
    const double *shift = at->axes + 9, *x = dal_seen_work(state)->v + (step->v < 0 ? 0 : step->v);
    const double s = step->sign;
    dal_add_cross(at->w, shift, at->u);
    dal_axpy3(1, shift, at->o);
    if (step->kind == DAL_STEP_SHIFT || step->kind == DAL_STEP_SCREW)
        dal_axpy3(s * x[0] * (step->kind == DAL_STEP_SCREW ? step->length : 1), at->axes, at->u);
    if (step->kind == DAL_STEP_TURN || step->kind == DAL_STEP_SCREW)
        dal_axpy3(s * x[0], at->axes, at->w);
    for (int k = 0; k < 3 && step->kind == DAL_STEP_BALL; k++)
        dal_axpy3(x[k], at->axes + 3 * k, at->w);
}

/* What is found of each velocity: the force, or the slope of the energy, and the size of its terms. */
typedef struct sums {
    double *of, *size;
    double energy, length; /* of the whole; of the model */
} sums;

/* Sums over all bodies of the subtrees first, then each step of each carrier. */
static void visit_steps(const dal_state *state, subtree_sums *all, void (*find)(const place *at, const sums *out), const sums *out)
{
    const dal_tree *tree = dal_layout_of(state)->tree;
    sum_up(state, all);
    for (int i = 0; i < tree->n_bodies; i++) {
        const dal_carrier *c = &tree->carrier[i];
        place at = enter_carrier(state, c, all);
        for (int s = 0; s < c->n_steps; s++) {
            visit_step(state, c, &at);
            find(&at, out);
            pass_step(state, &at);
        }
    }
}

/* How far a unit of a column of the step shifts along its axis. */
static double shift_of(const dal_motion_step *step)
{
    return step->kind == DAL_STEP_SHIFT ? 1 : step->kind == DAL_STEP_SCREW ? step->length : 0;
}

/* ---- forces -------------------------------------------------------------------------- */

static void add_force(const place *at, const sums *out)
{
    const dal_motion_step *step = at->step;
    double *Q = out->of, *size = out->size;
    const double shift = shift_of(step);
    double n[3];
    dal_copy3(at->behind->n, n);
    dal_add_cross(at->arm, at->behind->f, n);
    for (int k = 0; k < dal_step_velocities(step); k++) {
        const double *e = at->axes + 3 * k;
        Q[step->v + k] += step->sign * shift * dal_dot(e, at->behind->f);
        size[step->v + k] += fabs(shift) * at->behind->f_size;
        if (step->kind == DAL_STEP_SHIFT)
            continue;
        Q[step->v + k] += step->sign * dal_dot(e, n);
        size[step->v + k] += at->behind->n_size + length_of(at->arm) * at->behind->f_size;
    }
}

void dal_tree_add_forces(dal_state *state, double *Q, double *size)
{
    const dal_layout *layout = dal_layout_of(state);
    const dal_work *w = dal_work_of(state);
    subtree_sums *all = (subtree_sums *)(void *)dal_scratch_of(state)->tangents;
    dal_state_frames(state);
    for (int k = 0; k < layout->nv; k++) {
        Q[k] += w->direct[k];
        size[k] += fabs(w->direct[k]);
    }
    for (int b = 0; b < layout->mechanism->n_bodies; b++) {
        all[b] = (subtree_sums){.f_size = length_of(w->force + 6 * b)};
        dal_copy3(w->force + 6 * b, all[b].f);
        if (layout->mechanism->bodies[b].particle)
            continue;
        dal_copy3(w->force + 6 * b + 3, all[b].n);
        all[b].n_size = length_of(all[b].n);
    }
    visit_steps(state, all, add_force, &(sums){.of = Q, .size = size});
}

/* ---- energy --------------------------------------------------------------------------- */

/* The momentum of a body as a wrench at r; returns twice its kinetic energy, term by term without signs. */
static double momentum_alone(const dal_body *body, const dal_kin *kin, subtree_sums *own)
{
    double rho[3], c[3], I[9], H[3], energy = 0;
    dal_turn(kin->R, body->center, rho);
    dal_turn(kin->Rd, body->center, c);
    dal_turn_inertia(kin->R, body->inertia, I);
    dal_mul3(I, kin->w, H);
    *own = (subtree_sums){.reach = 0};
    for (int i = 0; i < 3; i++) {
        own->f[i] = body->mass * (kin->rd[i] + c[i]);
        energy += fabs(own->f[i] * (kin->rd[i] + c[i])) + fabs(H[i] * kin->w[i]);
    }
    own->f_size = length_of(own->f);
    if (body->particle)
        return energy;
    dal_copy3(H, own->n);
    dal_add_cross(rho, own->f, own->n);
    own->n_size = length_of(H) + length_of(rho) * own->f_size;
    return energy;
}

/* D_k T of a turn about the axis of the step; `size` of its terms. */
static double slope_of_turn(const place *at, double *size)
{
    const subtree_sums *behind = at->behind;
    double L[3], eu[3], ew[3];
    dal_copy3(behind->n, L);
    dal_add_cross(at->arm, behind->f, L);
    dal_cross(at->axes, at->u, eu);
    dal_cross(at->axes, at->w, ew);
    *size += behind->f_size * length_of(at->u) + (behind->n_size + length_of(at->arm) * behind->f_size) * length_of(at->w) + length_of(behind->rest);
    return dal_dot(at->axes, behind->rest) - dal_dot(behind->f, eu) - dal_dot(L, ew);
}

/* Against the terms, and the energy and how fast the coordinate moves the bodies: the terms that cancel may themselves be rounding. */
static void find_slope(const place *at, const sums *out)
{
    const dal_motion_step *step = at->step;
    if (dal_step_velocities(step) != 1)
        return;
    const double shift = shift_of(step);
    double we[3], pace = fabs(shift) / out->length, *slope = out->of + step->v, *size = out->size + step->v;
    dal_cross(at->w, at->axes, we);
    *slope = shift * dal_dot(at->behind->f, we);
    *size = fabs(shift) * at->behind->f_size * length_of(at->w);
    if (step->kind != DAL_STEP_SHIFT) {
        *slope += slope_of_turn(at, size);
        pace += 1 + (at->behind->reach + length_of(at->arm)) / out->length;
    }
    *size += 1e-2 * out->energy * pace;
}

void dal_tree_energy_slopes(dal_state *state, double *slope, double *size)
{
    const dal_layout *layout = dal_layout_of(state);
    subtree_sums *all = (subtree_sums *)(void *)dal_scratch_of(state)->tangents;
    double energy = 0;
    dal_state_frames(state);
    for (int b = 0; b < layout->mechanism->n_bodies; b++)
        energy += momentum_alone(&layout->mechanism->bodies[b], &dal_work_of(state)->kin[b], &all[b]);
    visit_steps(state, all, find_slope, &(sums){.of = slope, .size = size, .energy = energy, .length = layout->units.length});
}
