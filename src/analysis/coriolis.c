/* The Coriolis matrix: C v + g = bias, and M' - 2 C is skew-symmetric (`lagrange-to-kane` (40)).
 *
 * (40) is written in body axes, C = sum of J^T (M J' + W M J + M W J) over the bodies, with J the velocity of the centre of mass and the
 * angular velocity of a unit of each rate, W the cross product with the angular velocity w on the angular part. In world axes the
 * columns of J turn along: J'_body = R^T (J' - w x J), and the two terms with I w x cancel,
 *     C = sum over bodies of   m J_c^T J_c'  +  J_w^T (I J_w' + w x I J_w)
 * Then, with I' = w x I - I w x,
 *     M' - 2 C = sum of  m (J_c'^T J_c - J_c^T J_c') + J_w'^T I J_w - J_w^T I J_w' - J_w^T (w x I + I w x) J_w,
 * each part of which is skew. Column k of C is a wrench on each body, and its generalized force is found as that of any other: J_c', J_w' of column k
 * are the bend of the unit of velocity k along the motion, exact in every family.
 *
 * The family natural has a constant M, and C = 0. Sub-systems whose equations are known have their own (kinematics/subsystems.h).
 */
#include "analysis/evaluator.h"
#include "kinematics/newton_euler.h"
#include "kinematics/subsystems.h"
#include "math/vec.h"
#include "state/scratch.h"
#include "state/state_parts.h"

#include <string.h>

/* m J_c' and I J_w' + w x I J_w of one column, as a force and a moment at r. */
static void column_of_body(const dal_body *body, const dal_kin *kin, const dal_tangent *unit, const dal_bend *bend, double force[3], double moment[3])
{
    double rho[3], I[9], spin[3];
    dal_turn(kin->R, body->center, rho);
    dal_mass_times_center(body, bend->Rb, bend->rb, force);
    dal_turn_inertia(kin->R, body->inertia, I);
    dal_mul3(I, unit->w, spin);
    dal_euler_moment(I, kin->w, bend->wb, spin, moment);
    dal_add_cross(rho, force, moment);
}

void dal_coriolis(dal_state *state, double *C)
{
    const dal_layout *layout = dal_layout_of(state);
    const int bodies = layout->mechanism->n_bodies;
    const size_t n = (size_t)layout->nv;
    dal_work *w = dal_work_of(state);
    const dal_scratch *scratch = dal_scratch_of(state);
    double *unit = scratch->still;
    const dal_direction motion = {w->v, 1, scratch->tangents}, one = {unit, 0, scratch->tangents + bodies};
    memset(C, 0, sizeof *C * n * n);
    if (layout->family->separated)
        return; /* models of this family have no sub-systems */
    memset(unit, 0, sizeof *unit * n);
    layout->family->tangent(layout, w, &motion);
    for (size_t k = 0; k < n; k++) {
        unit[k] = 1;
        layout->family->tangent(layout, w, &one);
        layout->family->bend(layout, w, &motion, &one, scratch->bends);
        for (int b = 0; b < bodies; b++) {
            double force[3], moment[3];
            column_of_body(&layout->mechanism->bodies[b], &w->kin[b], &one.tangent[b], &scratch->bends[b], force, moment);
            if (dal_dot(force, force) > 0 || dal_dot(moment, moment) > 0) /* others do not move with this velocity */
                dal_pull_body(layout, w, b, force, moment, C + k * n);
        }
        unit[k] = 0;
    }
    for (size_t k = 0; k < n; k++) /* rows become columns */
        for (size_t i = 0; i < k; i++) {
            const double swap = C[k * n + i];
            C[k * n + i] = C[i * n + k];
            C[i * n + k] = swap;
        }
    dal_subsystems_coriolis(layout, w, C);
}
