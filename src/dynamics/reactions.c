/* Joint reactions from multipliers.
 *
 * The wrenches of multipliers are those of kinematics/wrenches.c.
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

/* ---- what the motion of the bodies needs ------------------------------------------------ */

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
        dal_inertia_wrench(layout, w, &state->reactions->body[b], b, force, moment);
        for (int i = 0; i < 3; i++)
            power[dal_island(island, b)] += (force[i] - w->force[6 * b + i]) * t->rd[i] + (moment[i] - w->force[6 * b + 3 + i]) * t->w[i];
    }
}

/* ---- all joints ------------------------------------------------------------------------ */

/* The wrenches of all joints: out has 6 a joint. */
static void add_joints(dal_state *state, const double *lambda, bool moving, double *out)
{
    const dal_wrench_parts parts = {.vd = state->vd,
                                    .body = state->reactions->body,
                                    .tangent = state->scratch->tangents,
                                    .balance = state->reactions->balance,
                                    .held = state->reactions->held};
    if (moving && state->layout->tree)
        dal_need(state, DAL_STAGE_BODIES);
    dal_wrenches_of_joints(state->layout, &state->work, &parts, lambda, moving, out);
}

double dal_weight_of_reaction(const dal_system *system, int component)
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

/* Entries that decay towards zero as the motion is projected, down to where digits underflow: their signs would decide those of the null vectors, and
 * underflow depends on the units. */
static void clear_traces(double *A, size_t n)
{
    static const double trace = 1e-100; /* of rows that are of the size of one */
    for (size_t k = 0; k < n; k++)
        if (fabs(A[k]) < trace)
            A[k] = 0;
}

/* Null vectors of the rows as they are, in state->reactions->redundancy; how many there are. */
static int find_null_vectors(dal_state *state)
{
    const dal_layout *layout = state->layout;
    const int r = layout->n_rows, m = layout->nv;
    double *A = state->rank->matrix, *Z = state->reactions->redundancy, *sigma = Z + (size_t)r * (size_t)r, *work = sigma + r + m;
    dal_scaled_rows(state, A, state->saddle->row_scale);
    clear_traces(A, (size_t)r * (size_t)m);
    const int n = r - dal_rank_svd(A, r, m, m, state->system->method.rank_tolerance, sigma, NULL, Z, work);
    for (int c = 0; c < n && n <= r; c++)
        for (int i = 0; i < r; i++)
            Z[(size_t)c * (size_t)r + (size_t)i] *= state->saddle->row_scale[i];
    return n > r ? 0 : n;
}

int dal_free_multipliers(dal_state *state, const double **Z)
{
    *Z = state->reactions->redundancy;
    if (!*Z || state->rank->n >= state->layout->n_rows)
        return 0;
    dal_need(state, DAL_STAGE_LOADS); /* A */
    return find_null_vectors(state);
}

/* lambda := lambda + Z y of least norm of the joints' wrenches. Scratch: state->reactions->redundancy, state->reactions->wrench. */
static void distribute_reactions(dal_state *state)
{
    const dal_system *system = state->system;
    const dal_layout *layout = &system->layout;
    const int r = layout->n_rows, m = layout->nv, joints = system->mechanism.n_joints;
    double *Z = state->reactions->redundancy;
    double *W = Z + (size_t)r * (size_t)r + r + m, *rhs = W + 6 * (size_t)joints * (size_t)r, *y = rhs + 6 * joints, *work = y + r;
    const int n = find_null_vectors(state);
    if (n <= 0)
        return;
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
        const double weight = dal_weight_of_reaction(system, k);
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
    dal_joint_point(state->layout, &state->work, joint, 1, P);
    dal_add_measure_wrench(state->layout, &state->work, measure, effort, of->marker[1].body, P, wrench, wrench + 3);
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
    dal_joint_point(layout, &state->work, number, side, P);
    for (int i = m->joints[number].row; i < m->joints[number].row + m->joints[number].n_rows; i++)
        if (layout->row_at[i] >= 0 || layout->reduction)
            dal_add_row_wrench(layout, &state->work, i, dal_multiplier_of(state, i), marker->body, P, wrench, wrench + 3);
    for (int i = 0; i < state->system->acting.n_laws; i++)
        if (state->system->acting.laws[i].joint == number)
            dal_add_measure_wrench(layout, &state->work, state->system->acting.laws[i].measure,
                                   state->values->expression[state->system->acting.laws[i].expression], marker->body, P, wrench, wrench + 3);
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
        if (dal_joint_has_sides(&state->mechanism->joints[law->joint]))
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
