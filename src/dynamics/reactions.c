/* Joint reactions from multipliers.
 *
 * A row with multiplier lambda acts on each vector of its measures with the force
 * coef * lambda * gradient. The reaction (F, T) of a joint is the sum of these forces on its second body, reduced to the joint's point there, in
 * world axes.
 *
 * Joints of the tree (family `joint`) have no rows, hence no multipliers. The wrench of such a joint follows from the balance of the bodies behind
 * it: with the wrench C_b that the carrier of body b exerts on it,
 *     m c'' , I alpha + w x I w   =   applied + rows + C_b - sum over children of C_c
 * solved for C_b from the leaves inwards (Newton and Euler; J. Luh, M. Walker, R. Paul, On-line computational scheme for mechanical
 * manipulators, 1980). A drive of the joint is a row and is added to its reaction, as in the other families. A particle has no balance of moments:
 * its carrier exerts a force at its marker.
 *
 * Eliminated rows of natural coordinates have multipliers that follow from the equations of the bodies (kinematics/reduction.h); then they
 * act like all others.
 *
 * Redundant rows: the multipliers are lambda + Z y with A^T Z = 0. The motion is
 * unique, the reactions are not; we report the distribution that minimises
 *     sum over joints of |F|^2 + |T|^2 / L^2,
 * which is the same in every family and every formulation, independent of the rows that they dropped. Where the model gives compliances of joints, it
 * is the elastic energy sum of c_F |F|^2 + c_T |T|^2 instead (Castigliano), where joints without a compliance are rigid. Components that no null
 * vector changes are unique in any case. Null vectors act on the joints of the tree through the same recursion, without inertia and loads.
 */
#include "joint/joint.h"
#include "kinematics/reduction.h"
#include "kinematics/newton_euler.h"
#include "kinematics/tree.h"
#include "math/rank.h"
#include "math/vec.h"
#include "model/system.h"
#include "state/state.h"
#include "dynamics/row_rank.h"
#include "dynamics/reactions.h"
#include "dynamics/saddle.h"
#include "state/scratch.h"
#include "state/values.h"

#include <math.h>
#include <string.h>

/* A force along a measure acts on each of its vectors with the gradient there: the wrench on a body, at P. */
static void add_measure_reactions(const dal_state *state, int number, double effort, int body, const double P[3], double force[3], double moment[3])
{
    const dal_mechanism *m = state->mechanism;
    const dal_work *w = &state->work;
    const dal_measure *measure = &m->measures[number];
    for (int j = 0; j < 4 && measure->kind != DAL_MEASURE_COORDINATE; j++) {
        int n = measure->vector[j];
        if (n < 0 || m->vectors[n].body != body)
            continue;
        double f[3] = {0, 0, 0}, arm[3];
        dal_axpy3(effort, w->gradient + 12 * number + 3 * j, f);
        dal_copy3(w->x + 3 * n, arm);
        if (m->vectors[n].point) {
            dal_sub3(arm, P, arm);
            dal_axpy3(1, f, force);
        }
        dal_add_cross(arm, f, moment);
    }
}

/* Adds the wrench of a row of the mechanism with unit multiplier, times lambda, on a body, reduced to the point P. */
static void add_row(const dal_state *state, int number, double lambda, int body, const double P[3], double force[3], double moment[3])
{
    const dal_mechanism *m = state->mechanism;
    const dal_row *row = &m->rows[number];
    for (int k = row->term; k < row->term + row->n_terms; k++)
        add_measure_reactions(state, m->terms[k].measure, lambda * state->work.coef[k], body, P, force, moment);
}

/* The joint's point on its second body. */
static void joint_point(const dal_state *state, const dal_joint *joint, double P[3])
{
    const dal_marker *second = &joint->marker[1];
    dal_turn(state->work.kin[second->body].R, second->s, P);
    dal_axpy3(1, state->work.kin[second->body].r, P);
}

/* A constraint that is written as an expression acts between no two bodies in particular. */
static bool has_sides(const dal_joint *joint)
{
    return joint->type && joint->type != &dal_joint_constraint;
}

/* ---- what the motion of the bodies needs ------------------------------------------------ */

/* Of body b, a force at r and a moment about it: m c'' and I alpha + w x I w, taken to r. */
static void inertia_wrench(const dal_state *state, int b, double force[3], double moment[3])
{
    const dal_body *body = &state->mechanism->bodies[b];
    const dal_kin *kin = &state->work.kin[b];
    const dal_acceleration *a = &state->reactions->body[b];
    double rho[3], bias[3], I[9], H[3];
    dal_turn(kin->R, body->center, rho);
    dal_turn(a->R_v, body->center, force);
    dal_turn(kin->Rb, body->center, bias);
    for (int i = 0; i < 3; i++)
        force[i] = body->mass * (force[i] + bias[i] + a->rdd[i]);
    dal_turn_inertia(kin->R, body->inertia, I);
    dal_mul3(I, kin->w, H);
    dal_euler_moment(I, kin->w, a->alpha, H, moment);
    dal_add_cross(rho, force, moment);
}

/* lambda . A v, and the sum over bodies of (m c'', I alpha + w x I w, less the applied wrench) . V_t. */
void dal_placement_powers(dal_state *state, double *power)
{
    const int *island = state->system->acting.islands.of_body;
    const dal_layout *layout = state->layout;
    dal_work *w = &state->work;
    dal_need(state, DAL_STAGE_BODIES);
    dal_rows_transposed(layout, w->A, state->lambda, state->scratch->still);
    for (int k = 0; k < layout->nv; k++)
        power[dal_island(island, layout->mechanism->n_bodies + k)] += state->scratch->still[k] * w->v[k];
    memset(state->scratch->still, 0, sizeof *state->scratch->still * (size_t)layout->nv);
    const dal_direction time = {state->scratch->still, 1, state->scratch->tangents};
    layout->family->tangent(layout, w, &time);
    for (int b = 0; b < layout->mechanism->n_bodies; b++) {
        const dal_tangent *t = &time.tangent[b];
        double force[3], moment[3];
        inertia_wrench(state, b, force, moment);
        for (int i = 0; i < 3; i++)
            power[dal_island(island, b)] += (force[i] - w->force[6 * b + i]) * t->rd[i] + (moment[i] - w->force[6 * b + 3 + i]) * t->w[i];
    }
}

/* ---- joints of the tree ------------------------------------------------------------- */

/* Wrenches on the bodies, about r: they lie in the scratch of the tangents, force in rd and moment in w. */

/* m c'' and I alpha + w x I w, taken to r, less what is applied. */
static void add_motion(const dal_state *state, int b, dal_tangent *wrench)
{
    double force[3], moment[3];
    inertia_wrench(state, b, force, moment);
    for (int i = 0; i < 3; i++) {
        wrench->rd[i] += force[i] - state->work.force[6 * b + i];
        wrench->w[i] += moment[i] - state->work.force[6 * b + 3 + i];
    }
}

/* Less the rows that exist: each acts on the bodies of its sides. */
static void subtract_rows(const dal_state *state, const double *lambda, dal_tangent *wrench)
{
    const dal_layout *layout = state->layout;
    for (int i = 0; i < layout->n_extrinsic; i++) {
        const dal_row_layout *at = &layout->row[i];
        for (int k = at->side; k < at->side + at->n_sides; k++) {
            int b = layout->side[k].body;
            add_row(state, at->source, -lambda[i], b, state->work.kin[b].r, wrench[b].rd, wrench[b].w);
        }
    }
}

/* The wrench of the carrier on the second body of its joint, at the joint's point. */
static void report_carrier(const dal_state *state, const dal_carrier *c, const dal_tangent *wrench, double *out)
{
    const dal_joint *joint = &state->mechanism->joints[c->joint];
    double P[3], arm[3], moment[3], sign = c->marker_parent == 0 ? 1 : -1;
    joint_point(state, joint, P);
    dal_sub3(state->work.kin[c->body].r, P, arm);
    dal_copy3(wrench->w, moment);
    dal_add_cross(arm, wrench->rd, moment);
    dal_axpy3(sign, wrench->rd, out);
    dal_axpy3(sign, moment, out + 3);
}

/* C_b from the leaves inwards. `moving`: with inertia and loads; else only the forces of the multipliers. */
static void add_carriers(dal_state *state, const double *lambda, bool moving, double *out)
{
    const dal_tree *tree = state->layout->tree;
    const dal_kin *kin = state->work.kin;
    dal_tangent *wrench = state->scratch->tangents;
    if (moving)
        dal_need(state, DAL_STAGE_BODIES);
    for (int b = 0; b < tree->n_bodies; b++) {
        dal_zero3(wrench[b].rd);
        dal_zero3(wrench[b].w);
        if (moving)
            add_motion(state, b, &wrench[b]);
    }
    subtract_rows(state, lambda, wrench);
    for (int i = tree->n_bodies - 1; i >= 0; i--) {
        const dal_carrier *c = &tree->carrier[i];
        dal_tangent *own = &wrench[c->body];
        double arm[3];
        if (c->particle) {
            dal_zero3(own->w);
            dal_add_cross(c->to.s, own->rd, own->w);
        }
        if (c->joint >= 0)
            report_carrier(state, c, own, out + 6 * c->joint);
        if (c->parent == DAL_GROUND)
            continue;
        dal_tangent *parent = &wrench[c->parent];
        dal_sub3(kin[c->body].r, kin[c->parent].r, arm);
        dal_axpy3(1, own->rd, parent->rd);
        dal_axpy3(1, own->w, parent->w);
        dal_add_cross(arm, own->rd, parent->w);
    }
}

/* ---- all joints ------------------------------------------------------------------------ */

/* A row acts on the second body of its joint. */
static void add_row_to_joint(const dal_state *state, int number, double lambda, double *out)
{
    const int j = state->mechanism->rows[number].joint;
    const dal_joint *joint = &state->mechanism->joints[j];
    double P[3];
    if (!has_sides(joint))
        return;
    joint_point(state, joint, P);
    add_row(state, number, lambda, joint->marker[1].body, P, out + 6 * j, out + 6 * j + 3);
}

/* Rows that were eliminated. `moving` as in add_carriers. Their measures are not evaluated with those of the other rows. */
static void add_held(dal_state *state, const double *lambda, bool moving, double *out)
{
    const dal_layout *layout = state->layout;
    const dal_mechanism *m = state->mechanism;
    const dal_reduction *e = layout->reduction;
    const dal_direction motion = {state->vd, 0, state->scratch->tangents};
    if (moving) {
        layout->family->tangent(layout, &state->work, &motion);
        for (int i = 0; i < e->n_held; i++)
            for (int k = m->rows[e->held[i]].term; k < m->rows[e->held[i]].term + m->rows[e->held[i]].n_terms; k++)
                dal_rows_measure(layout, &state->work, m->terms[k].measure);
    }
    dal_reduction_multipliers(layout, &state->work, moving ? motion.tangent : NULL, lambda, state->reactions->balance, state->reactions->held);
    for (int i = 0; i < e->n_held; i++)
        add_row_to_joint(state, e->held[i], state->reactions->held[i], out);
}

/* The wrenches of all joints: out has 6 a joint. */
static void add_joints(dal_state *state, const double *lambda, bool moving, double *out)
{
    const dal_mechanism *m = state->mechanism;
    const dal_layout *layout = state->layout;
    memset(out, 0, sizeof *out * 6 * (size_t)m->n_joints);
    for (int i = 0; i < layout->n_extrinsic; i++)
        add_row_to_joint(state, layout->row[i].source, lambda[i], out);
    if (layout->reduction)
        add_held(state, lambda, moving, out);
    if (layout->tree)
        add_carriers(state, lambda, moving, out);
}

/* The weight of a component of a joint's wrench in the minimised sum. */
static double weight_of(const dal_system *system, int component)
{
    const dal_joint *joint = &system->mechanism.joints[component / 6];
    const bool torque = component % 6 >= 3;
    if (system->method.compliant)
        return sqrt(joint->compliance[torque]);
    return torque ? 1 / system->layout.units.length : 1;
}

/* Rounding errors in the wrenches of a null vector of unit norm: expressions of `constraints:` may depend on one another. */
static const double nothing = 1e-9;

/* A component is loose if a null vector changes it: against the largest change that there is. False: none is. */
static bool find_loose(dal_state *state, const double *W, int n)
{
    const int all = 6 * state->mechanism->n_joints;
    double most = 0;
    for (int pass = 0; pass < 2; pass++)
        for (int k = 0; k < all; k++) {
            double sum = 0;
            for (int c = 0; c < n; c++)
                sum += W[(size_t)k * (size_t)n + (size_t)c] * W[(size_t)k * (size_t)n + (size_t)c];
            sum = sqrt(sum) / (k % 6 < 3 ? 1 : state->layout->units.length);
            if (pass == 0)
                most = fmax(most, sum);
            else
                state->reactions->loose[k] = most > nothing && sum > 1e-9 * most;
        }
    return most > nothing;
}

/* lambda := lambda + Z y of least norm of the joints' wrenches. Scratch: state->reactions->redundancy, state->reactions->wrench. */
static void distribute_reactions(dal_state *state)
{
    const dal_system *system = state->system;
    const dal_layout *layout = &system->layout;
    const int r = layout->n_rows, m = layout->nv, joints = system->mechanism.n_joints;
    double *A = state->rank->matrix, *Z = state->reactions->redundancy, *sigma = Z + (size_t)r * (size_t)r;
    double *W = sigma + r + m, *rhs = W + 6 * (size_t)joints * (size_t)r, *y = rhs + 6 * joints, *work = y + r;
    dal_scaled_rows(state, A, state->saddle->row_scale);
    int n = r - dal_rank_svd(A, r, m, m, system->method.rank_tolerance, sigma, NULL, Z, work);
    if (n <= 0 || n > r)
        return;
    for (int c = 0; c < n; c++) /* null vectors of the rows as they are */
        for (int i = 0; i < r; i++)
            Z[(size_t)c * (size_t)r + (size_t)i] *= state->saddle->row_scale[i];
    /* W y = rhs in the least-squares sense: the wrenches of the null vectors against those of lambda */
    for (int c = -1; c < n; c++) {
        add_joints(state, c < 0 ? state->lambda : Z + (size_t)c * (size_t)r, c < 0, state->reactions->wrench);
        for (int k = 0; k < 6 * joints; k++)
            if (c < 0)
                rhs[k] = -state->reactions->wrench[k];
            else
                W[(size_t)k * (size_t)n + (size_t)c] = state->reactions->wrench[k];
    }
    if (!find_loose(state, W, n))
        return;
    for (int k = 0; k < 6 * joints; k++) {
        const double weight = weight_of(system, k);
        rhs[k] *= weight;
        for (int c = 0; c < n; c++)
            W[(size_t)k * (size_t)n + (size_t)c] *= weight;
    }
    dal_rank_solve(W, 6 * joints, n, n, system->method.rank_tolerance, rhs, y, work);
    for (int c = 0; c < n; c++)
        for (int i = 0; i < r; i++)
            state->lambda[i] += y[c] * Z[(size_t)c * (size_t)r + (size_t)i];
}

/* The root of a column in a forest of them. */
static int root_of(int *parent, int column)
{
    while (parent[column] != column)
        column = parent[column] = parent[parent[column]];
    return column;
}

static void mark_joint_reactions(dal_state *state, int joint)
{
    for (int k = 0; k < 6 && joint >= 0; k++)
        state->reactions->loose[6 * joint + k] = true;
}

/* Large systems: reactions are those of the rows that were kept, and nothing is distributed. Every joint that is connected, through columns of A,
 * with an omitted row counts as not unique. */
static void mark_loose(dal_state *state)
{
    const dal_layout *layout = state->layout;
    const dal_mechanism *m = layout->mechanism;
    int *parent = state->saddle->pivots; /* of the dense factorisation, which large systems do not have */
    const int dropped = layout->nv;      /* the root of a component with an omitted row */
    memset(state->reactions->loose, 0, sizeof *state->reactions->loose * 6 * (size_t)m->n_joints);
    for (int j = 0; j <= layout->nv; j++)
        parent[j] = j;
    for (int i = 0; i < layout->n_rows; i++) {
        const dal_row_layout *at = &layout->row[i];
        for (int k = at->value; k < at->value + at->n_values; k++) {
            parent[root_of(parent, layout->column[k])] = root_of(parent, layout->column[at->value]);
            if (!state->rank->independent[i])
                parent[root_of(parent, layout->column[k])] = root_of(parent, dropped);
        }
    }
    for (int i = 0; i < layout->n_extrinsic; i++)
        if (layout->row[i].n_values && root_of(parent, layout->column[layout->row[i].value]) == root_of(parent, dropped))
            mark_joint_reactions(state, m->rows[layout->row[i].source].joint);
    for (int i = 0; layout->reduction && i < layout->reduction->n_held; i++) {
        const int joint = m->rows[layout->reduction->held[i]].joint;
        for (int k = 0; k < 2; k++) {
            const int body = m->joints[joint].marker[k].body;
            const dal_body_layout *at = body == DAL_GROUND ? NULL : &layout->body[body];
            if (at && at->n_columns && root_of(parent, layout->body_column[at->column]) == root_of(parent, dropped))
                mark_joint_reactions(state, joint);
        }
    }
    for (int j = 0; layout->tree && j < m->n_joints; j++) {
        const int body = layout->tree->carries[j];
        const dal_body_layout *at = body < 0 ? NULL : &layout->body[body];
        if (at && (!at->n_columns || root_of(parent, layout->body_column[at->column + at->n_columns - 1]) == root_of(parent, dropped)))
            mark_joint_reactions(state, j);
    }
}

static size_t redundancy_size(int r, int m, int joints)
{
    size_t svd = dal_rank_work(r, m), solve = dal_rank_work(6 * joints, r);
    return (size_t)r * (size_t)r + (size_t)(r + m) + 6 * (size_t)joints * (size_t)r + 6 * (size_t)joints + (size_t)r + (svd > solve ? svd : solve);
}

void dal_add_measure(const dal_state *state, int joint, int measure, double effort, double wrench[6])
{
    assert(dal_has(state, DAL_STAGE_POSITION));
    const dal_joint *of = &state->mechanism->joints[joint];
    double P[3];
    joint_point(state, of, P);
    add_measure_reactions(state, measure, effort, of->marker[1].body, P, wrench, wrench + 3);
}

double dal_multiplier_of(const dal_state *state, int row)
{
    const dal_layout *layout = state->layout;
    if (layout->mechanism->rows[row].derived)
        return 0;
    return layout->row_at[row] >= 0 ? state->lambda[layout->row_at[row]] : state->reactions->held[layout->reduction->held_at[row]];
}

double dal_side_reaction(const dal_state *state, int number, int side, int component)
{
    assert(dal_has(state, DAL_STAGE_POSITION));
    const dal_mechanism *m = state->mechanism;
    const dal_marker *marker = &m->joints[number].marker[side];
    const dal_layout *layout = state->layout;
    double P[3], wrench[6] = {0};
    dal_turn(state->work.kin[marker->body].R, marker->s, P);
    dal_axpy3(1, state->work.kin[marker->body].r, P);
    for (int i = m->joints[number].row; i < m->joints[number].row + m->joints[number].n_rows; i++)
        if (layout->row_at[i] >= 0 || layout->reduction)
            add_row(state, i, dal_multiplier_of(state, i), marker->body, P, wrench, wrench + 3);
    for (int i = 0; i < state->system->acting.n_laws; i++)
        if (state->system->acting.laws[i].joint == number)
            add_measure_reactions(state, state->system->acting.laws[i].measure, state->values->expression[state->system->acting.laws[i].expression],
                                  marker->body, P, wrench, wrench + 3);
    return wrench[component];
}

void dal_find_reactions(dal_state *state)
{
    dal_need(state, DAL_STAGE_FORCES);
    if (state->rank->n < state->layout->n_rows && state->reactions->redundancy) {
        dal_need(state, DAL_STAGE_LOADS); /* A */
        distribute_reactions(state);
    } else if (state->rank->n < state->layout->n_rows && !state->layout->small)
        mark_loose(state);
    add_joints(state, state->lambda, true, state->reactions->wrench);
    for (int i = 0; i < state->system->acting.n_laws; i++) {
        const dal_law *law = &state->system->acting.laws[i];
        if (has_sides(&state->mechanism->joints[law->joint]))
            dal_add_measure(state, law->joint, law->measure, state->values->expression[law->expression], state->reactions->wrench + 6 * law->joint);
    }
    dal_friction_reactions(state);
    state->stages |= DAL_STAGE_REACTIONS;
}

/* ---- the part of a state ------------------------------------------------------------------------ */

static void layout_reactions(dal_block *block, const dal_system *system, dal_state *state)
{
    dal_reactions local, *reactions = DAL_LAYOUT_PART(block, state->reactions, local);
    const int joints = system->mechanism.n_joints, r = system->layout.n_rows;
    DAL_LAYOUT(block, reactions->body, system->mechanism.n_bodies);
    DAL_LAYOUT(block, reactions->wrench, 6 * joints);
    DAL_LAYOUT(block, reactions->loose, 6 * joints);
    if (system->layout.reduction) {
        DAL_LAYOUT(block, reactions->held, system->layout.reduction->n_held);
        DAL_LAYOUT(block, reactions->balance, system->layout.reduction->n_natural);
    }
    if (system->rank < r && system->layout.small)
        DAL_LAYOUT_ROOM(block, reactions->redundancy, redundancy_size(r, system->layout.nv, joints));
}

const dal_owner dal_reactions_owner = {.layout = layout_reactions};
