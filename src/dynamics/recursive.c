/* Formulation `recursive`: articulated bodies over the joint tree, loops closed on top.
 *
 *     M v' = Q - h + A^T lambda,   A v' = gamma
 *
 * without M, h, Q or A: the wrench that each link needs while v' = 0, less the forces on its bodies, is eliminated from the tips to the
 * ground together with the inertias (ABA, tree/aba.c) and the rows that close loops (tree/loops.h), and v' follows in the
 * forward pass. The work grows with the number of bodies, where loops couple locally.
 *
 * The rows are eliminated by the pivots of A M^-1 A^T, so that the residual A v' - gamma exceeds rounding where many loops depend on each other; one
 * step of refinement removes it. Near a singular position small systems are solved on the null space of A.
 */
#include "dynamics/equations.h"
#include "state/scratch.h"
#include "kinematics/newton_euler.h"
#include "dynamics/tree_columns.h"
#include "dynamics/speeds.h"
#include "dynamics/open_tree.h"
#include "kinematics/tree.h"
#include "math/vec.h"
#include "model/system.h"
#include "state/state.h"
#include "dynamics/row_rank.h"
#include "dynamics/saddle.h"
#include "dynamics/singular.h"
#include "dynamics/tree_state.h"
#include "state/report.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static bool applies_recursive(const dal_system *system, dal_refusal *why)
{
    if (system->links)
        return true;
    if (system->layout.tree)
        dal_decline(why, DAL_REASON_OTHER, "formulation 'recursive' needs bodies that carry bodies: a joint hangs a body on a particle");
    else
        dal_decline(why, DAL_REASON_OTHER, "formulation 'recursive' works over the joint tree: use it with coordinates: joint");
    return false;
}

/* ---- from the links to the bodies and back ---------------------------------------- */

/* r, R, r', w and the biases of a body from those of its link. */
static void export_body(const dal_seat *seat, const dal_link_motion *m, dal_kin *kin)
{
    double arm[3], turned[3];
    dal_link_turn(m, seat->s, arm);
    dal_cross(m->w, arm, turned);
    for (int i = 0; i < 3; i++) {
        kin->r[i] = m->r[i] + arm[i];
        kin->rd[i] = m->rd[i] + turned[i];
        kin->rb[i] = m->a[i];
    }
    dal_add_cross(m->alpha, arm, kin->rb);
    dal_add_cross(m->w, turned, kin->rb);
    if (seat->particle)
        return; /* its attitude stays as it was laid out */
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            kin->R[3 * i + j] = m->R[0][i] * seat->B[j] + m->R[1][i] * seat->B[3 + j] + m->R[2][i] * seat->B[6 + j];
    dal_copy3(m->w, kin->w);
    dal_copy3(m->alpha, kin->wb);
    dal_orthonormal_bias(kin);
}

void dal_tree_refresh(dal_state *state)
{
    memset(state->tree->links.lift, 0, sizeof state->tree->links.lift); /* weight is among the forces on bodies */
    state->system->recursion->aba_velocity(state->system->links, &state->tree->links, state->work.q, state->work.v);
    state->stages |= DAL_STAGE_LINKS;
}

void dal_tree_motion(dal_state *state)
{
    const dal_links *links = state->system->links;
    dal_tree_refresh(state);
    for (int b = 0; b < links->n_bodies; b++)
        export_body(&links->seat[b], &state->tree->links.motion[links->seat[b].link], &state->work.kin[b]);
}

/* Subtracts the forces on bodies from the wrenches that the links need. */
static void load_links_recursive(dal_state *state)
{
    const dal_links *links = state->system->links;
    for (int b = 0; b < links->n_bodies; b++) {
        const dal_seat *seat = &links->seat[b];
        const double *f = state->work.force + 6 * b;
        dal_link_wrench *wrench = &state->tree->links.wrench[seat->link];
        double arm[3], moment[3];
        if (seat->link < 0)
            continue;
        dal_link_turn(&state->tree->links.motion[seat->link], seat->s, arm);
        dal_cross(arm, f, moment);
        for (int i = 0; i < 3; i++) {
            wrench->f[i] -= f[i];
            wrench->n[i] -= moment[i] + (seat->particle ? 0 : f[3 + i]);
        }
    }
}

/* ---- factor and solve ---------------------------------------------------------------- */

/* The covectors of each row on its links, about their origins. Its weight is what A M^-1 A^T would have for it if the links were
 * free and had the mass of the model at its length: a row that vanishes in a singular position does not weigh less there. */
static void find_covectors(dal_state *state)
{
    const dal_system *system = state->system;
    const dal_layout *layout = &system->layout;
    int s = 0;
    for (int i = 0; i < layout->n_rows; i++) {
        const dal_row_layout *at = &layout->row[i];
        double f[DAL_MAX_SIDES][6];
        double weight = 0;
        dal_row_covectors(layout, &state->work, i, f);
        for (int k = 0; k < at->n_sides; k++) {
            const dal_seat *seat = &system->links->seat[layout->side[at->side + k].body];
            double arm[3], *out = state->tree->loops.covector[s];
            if (seat->link < 0)
                continue;
            dal_link_turn(&state->tree->links.motion[seat->link], seat->s, arm);
            dal_copy3(f[k] + 3, out);
            if (seat->particle)
                dal_zero3(out);
            dal_add_cross(arm, f[k], out);
            dal_copy3(f[k], out + 3);
            weight += dal_dot(f[k], f[k]) + dal_dot(out, out) / (layout->units.length * layout->units.length);
            s++;
        }
        state->tree->loops.weight[i] = weight / layout->units.mass;
    }
}

static void ready_links(dal_state *state)
{
    if (!dal_has(state, DAL_STAGE_LINKS))
        dal_tree_refresh(state);
    state->stages &= ~(unsigned)DAL_STAGE_LINKS;
    find_covectors(state);
}

double dal_tree_factor(dal_state *state)
{
    const dal_system *system = state->system;
    ready_links(state);
    return system->recursion->loops->backward_inertia(system->links, system->loops, system->recursion, &state->tree->links, &state->tree->loops,
                                                      state->rank->independent);
}

static void clear_wrenches(dal_state *state)
{
    memset(state->tree->links.wrench, 0, sizeof *state->tree->links.wrench * (size_t)state->system->links->n);
}

/* ---- block by block --------------------------------------------------------------------- */

static void watch_recursive(void *user, int body, const dal_link_motion *motion)
{
    dal_state *state = user;
    export_body(&state->system->links->seat[body], motion, &state->work.kin[body]);
}

static dal_sweep_task sweep_of(dal_state *state)
{
    const dal_system *system = state->system;
    const double *g = system->links->gravity;
    return (dal_sweep_task){.sweep = system->sweep,
                            .loops = system->loops,
                            .run = system->recursion,
                            .own = &state->tree->sweep,
                            .work = &state->tree->loops,
                            .motion = state->tree->links.wrench,
                            .used = state->rank->independent,
                            .q = state->work.q,
                            .v = state->work.v,
                            .lift = {-g[0], -g[1], -g[2], 0},
                            .length = system->layout.units.length,
                            .mass = system->layout.units.mass,
                            .user = state,
                            .watch = watch_recursive};
}

/* ---- forward pass --------------------------------------------------------------------------- */

static const double good = 1e-14; /* of the sums that a row is made of: nothing to refine */

/* What one step of refinement adds. */
static void add_refinement(dal_state *state, const double *dx, const double *more, double *x, double *lambda)
{
    for (int i = 0; i < state->layout->nv; i++)
        x[i] += dx[i];
    for (int i = 0; i < state->layout->n_rows; i++)
        lambda[i] += more[i];
}

/* The forward pass, and one step of refinement where A x = b is not met. */
static void finish_passes(dal_state *state, const double *tau, const double *b, double *x, double *lambda)
{
    const dal_system *system = state->system;
    const dal_links *links = system->links;
    const dal_loops *loops = system->loops;
    const dal_recursion *run = system->recursion;
    dal_links_work *tree = &state->tree->links;
    dal_loops_work *work = &state->tree->loops;
    double *residual = work->lambda, *more = state->saddle->rhs + links->nv, *dx = state->tree->vd_more;
    run->loops->forward(links, loops, run, tree, work, tau, x, lambda);
    if (!(run->loops->residual(loops, tree, work, state->rank->independent, b, residual) > good))
        return;
    clear_wrenches(state);
    run->loops->backward_bias(links, loops, run, tree, work, NULL, residual);
    run->loops->forward(links, loops, run, tree, work, NULL, dx, more);
    add_refinement(state, dx, more, x, lambda);
}

/* The same after a sweep. */
static void finish_sweep(dal_state *state, const dal_sweep_task *task)
{
    const dal_sweeping *sweep = dal_sweeping_of(task->sweep, task->run);
    double *residual = state->tree->loops.lambda, *more = state->saddle->rhs + state->layout->nv, *dx = state->tree->vd_more;
    sweep->forward(task, state->vd, state->lambda);
    if (!(sweep->residual(task, state->gamma, residual) > good))
        return;
    sweep->backward_bias(task, residual);
    sweep->forward(task, dx, more);
    add_refinement(state, dx, more, state->vd, state->lambda);
}

/* M x + mu A^T = f with M over the model's mass. */
void dal_tree_saddle(dal_state *state, double *f, double *b)
{
    const dal_system *system = state->system;
    const int nv = system->layout.nv, r = system->layout.n_rows;
    const double mass = system->layout.units.mass;
    for (int i = 0; i < nv; i++)
        state->saddle->rhs[i] = mass * f[i];
    clear_wrenches(state);
    double *wanted = state->tree->loops.lambda + 2 * r;
    memcpy(wanted, b, sizeof *b * (size_t)r);
    system->recursion->loops->backward_bias(system->links, system->loops, system->recursion, &state->tree->links, &state->tree->loops,
                                            state->saddle->rhs, wanted);
    finish_passes(state, state->saddle->rhs, wanted, f, b);
    for (int i = 0; i < r; i++)
        b[i] *= -1 / mass;
}

/* ---- the formulation -------------------------------------------------------------------- */

static dal_flow no_inertia(dal_state *state)
{
    return dal_state_fail_for(state, DAL_REASON_SINGULAR_LINK,
                              "a joint of the tree moves nothing that has inertia, or the constraints became dependent: formulation "
                              "'recursive' cannot continue here; 'lagrange' may");
}

/* Wrenches on the links and tau. Where everything was evaluated (friction, singular positions) Q and h take their place. */
static const double *load_recursive(dal_state *state)
{
    if (dal_has(state, DAL_STAGE_NO_LOADS)) {
        load_links_recursive(state);
        return state->work.direct;
    }
    clear_wrenches(state);
    for (int i = 0; i < state->layout->nv; i++)
        state->saddle->rhs[i] = state->work.Q[i] - state->work.h[i];
    return state->saddle->rhs;
}

/* No loops: everything in two passes. */
static dal_flow solve_open(dal_state *state)
{
    const dal_system *system = state->system;
    if (!dal_has(state, DAL_STAGE_LINKS))
        dal_tree_refresh(state);
    state->stages &= ~(unsigned)DAL_STAGE_LINKS;
    const double *tau = load_recursive(state);
    return system->recursion->aba_solve(system->links, &state->tree->links, tau, state->vd) ? 0 : no_inertia(state);
}

/* The backward pass: inertias and biases at once. */
static double backward_pass(dal_state *state, const double **tau)
{
    const dal_system *system = state->system;
    if (dal_has(state, DAL_STAGE_NO_FORCES)) {
        const dal_sweep_task task = sweep_of(state);
        *tau = NULL;
        return dal_sweeping_of(system->sweep, system->recursion)->backward(&task, state->gamma);
    }
    ready_links(state);
    *tau = load_recursive(state);
    return system->recursion->loops->backward(system->links, system->loops, system->recursion, &state->tree->links, &state->tree->loops,
                                              state->rank->independent, *tau, state->gamma);
}

static dal_flow solve_recursive(dal_state *state)
{
    const double *tau;
    if (!state->layout->n_rows)
        return solve_open(state);
    bool swept = dal_has(state, DAL_STAGE_NO_FORCES);
    double ratio = backward_pass(state, &tau);
    if (dal_state_alarm(state, DAL_FACTOR_SADDLE, ratio)) { /* which may have computed everything else */
        swept = dal_has(state, DAL_STAGE_NO_FORCES);
        ratio = backward_pass(state, &tau);
        if (!(ratio > 0))
            return no_inertia(state);
    }
    if (ratio < state->report->condition_worst)
        state->report->condition_worst = ratio;
    if (dal_singular_on_null_space(state)) {
        dal_need(state, DAL_STAGE_LOADS);
        return dal_null_space_solve(state);
    }
    if (swept) {
        const dal_sweep_task task = sweep_of(state);
        finish_sweep(state, &task);
    } else
        finish_passes(state, tau, state->gamma, state->vd, state->lambda);
    state->stages &= ~(unsigned)DAL_STAGE_LINKS;
    return 0;
}

const dal_formulation dal_recursive = {
    .name = "recursive",
    .title = "articulated bodies over the joint tree, loops closed on top: work in proportion to the bodies",
    DAL_FORMULATION_WITH_MULTIPLIERS(applies_recursive, solve_recursive, NULL, dal_lagrange_show),
    .recursive = true,
};

/* ---- for other formulations, on an open tree of many bodies (open_tree.h) --------------------
 *
 * Formulations on such a tree: no rows, and every speed is a velocity, W = 1.
 *
 * A formulation forms f of K u' = f from a wrench (or a momentum) of each body, by its own equations. What is common to all is linear algebra:
 * projection   f_k = sum over bodies of F . v_k + N . w_k, v_k and w_k the partial velocities: the backward pass of RNEA (tree/rnea.c), which sums
 * over the subtree of each link
 *   its rate     a column turns about the axis a through the origin o and shifts along d: v_k = a x (c - o) + d, w_k = a, so that with P and L,
 *                the momentum of its subtree and its moment about o,
 *                    sum P . v_k' + H . w_k' = a'.L + d'.P - a.(o' x P)        because c' x P = 0 for each body
 *   K^-1         the factorisation over the tree (ABA, tree/aba.c); K = M here
 * All of it takes work in proportion to the bodies, where columns of bodies take its square, and a dense K its cube.
 */
_Static_assert(sizeof(dal_body_wrench) <= sizeof(dal_tangent), "they lie in the place of tangents");

dal_body_wrench *dal_open_wrenches(const dal_state *state)
{
    return (dal_body_wrench *)(void *)state->scratch->tangents;
}

void dal_open_project(dal_state *state, dal_body_wrench *wrench, double *out)
{
    const dal_links *links = state->system->links;
    dal_links_work *work = &state->tree->links;
    memset(work->wrench - 1, 0, sizeof *work->wrench * (size_t)(links->n + 1));
    for (int b = 0; b < links->n_bodies; b++) {
        const dal_seat *seat = &links->seat[b];
        const double *f = wrench[b];
        double arm[3];
        if (seat->link < 0)
            continue;
        dal_link_wrench *sum = &work->wrench[seat->link];
        dal_link_turn(&work->motion[seat->link], seat->s, arm);
        dal_axpy3(1, f, sum->f);
        dal_add_cross(arm, f, sum->n);
        if (!seat->particle)
            dal_axpy3(1, f + 3, sum->n);
    }
    state->system->recursion->rnea_backward(links, work, out);
}

dal_flow dal_open_solve(dal_state *state, const double *f, double *x)
{
    const dal_system *system = state->system;
    dal_links_work *work = &state->tree->links;
    if (!dal_has(state, DAL_STAGE_LINKS))
        dal_tree_refresh(state);
    state->stages &= ~(unsigned)DAL_STAGE_LINKS;
    memset(work->wrench - 1, 0, sizeof *work->wrench * (size_t)(system->links->n + 1));
    if (system->recursion->aba_solve(system->links, work, f, x))
        return 0;
    return dal_state_fail_for(state, DAL_REASON_SINGULAR_LINK,
                              "a joint of the tree moves nothing that has inertia: formulation '%s' cannot continue here",
                              system->method.formulation->name);
}

/* The tangent of the bias vanishes with the bias: only the body's own part remains. */
void dal_open_rates(dal_state *state)
{
    for (int b = 0; b < state->mechanism->n_bodies; b++) {
        const dal_kin *kin = &state->work.kin[b];
        struct dal_body_rate *rate = &state->speeds->basis->rate[b];
        dal_turn(kin->Rb, state->mechanism->bodies[b].center, rate->c);
        dal_axpy3(1, kin->rb, rate->c);
        dal_copy3(kin->wb, rate->w);
    }
}

dal_flow dal_open_finish_with(dal_state *state, const double *f)
{
    const dal_flow flow = dal_open_solve(state, f, state->vd);
    for (int j = 0; j < state->speeds->basis->p && !flow; j++)
        state->speeds->wd[j] = state->vd[state->speeds->column[j]];
    return flow;
}

dal_flow dal_open_finish(dal_state *state)
{
    double *f = state->saddle->rhs;
    dal_open_project(state, dal_open_wrenches(state), f);
    for (int k = 0; k < state->layout->nv; k++)
        f[k] += state->work.direct[k];
    return dal_open_finish_with(state, f);
}

/* Row i is the projection of the momenta that a unit of the ignorable velocity i gives to the bodies. */
void dal_open_momentum_rows(dal_state *state, double *rows)
{
    const dal_layout *layout = state->layout;
    const int bodies = layout->mechanism->n_bodies;
    double *J = (double *)(void *)(state->scratch->tangents + bodies);
    dal_body_wrench *wrench = dal_open_wrenches(state);
    state->system->recursion->kinematics(state->system->links, &state->tree->links, state->work.q);
    state->stages &= ~(unsigned)DAL_STAGE_LINKS;
    dal_state_frames(state);
    for (int i = 0; i < layout->n_ignorable; i++) {
        dal_tree_jacobian_column(layout, &state->work, layout->ignorable[i], J);
        for (int b = 0; b < bodies; b++) {
            const dal_body *body = &layout->mechanism->bodies[b];
            double rho[3], I[9], *push = wrench[b], *turn = push + 3;
            dal_turn(state->work.kin[b].R, body->center, rho);
            dal_turn_inertia(state->work.kin[b].R, body->inertia, I);
            dal_copy3(J + 6 * b, push);
            dal_add_cross(J + 6 * b + 3, rho, push);
            for (int k = 0; k < 3; k++)
                push[k] *= body->mass;
            dal_mul3(I, J + 6 * b + 3, turn);
            dal_add_cross(rho, push, turn);
        }
        dal_open_project(state, wrench, rows + (size_t)i * (size_t)layout->nv);
    }
}

/* ---- the part of a state ------------------------------------------------------------------------ */

static void layout_tree(dal_block *block, const dal_system *system, dal_state *state)
{
    dal_tree_state local = {0}, *tree = DAL_LAYOUT_PART(block, state->tree, local);
    double *links, *loops, *sweep;
    DAL_LAYOUT(block, links, system->links ? dal_links_work_size(system->links) : 0);
    DAL_LAYOUT(block, loops, system->loops ? dal_loops_work_size(system->loops) : 0);
    DAL_LAYOUT(block, sweep, system->sweep ? dal_sweep_work_size(system->sweep) : 0);
    DAL_LAYOUT(block, tree->vd_more, system->loops ? system->layout.nv : 0);
    if (!block->memory)
        return;
    tree->joint_tree = system->links;
    tree->recursion = system->recursion;
    if (system->links)
        dal_links_work_layout(system->links, links, &tree->links);
    if (system->loops)
        dal_loops_work_layout(system->loops, loops, &tree->loops);
    if (system->sweep)
        dal_sweep_work_layout(system->sweep, sweep, &tree->sweep);
}

static void close_tree(dal_state *state)
{
    const dal_allocator *from = &state->hold.allocator;
    if (state->tree->wide)
        from->release(from->user, state->tree->wide);
    if (state->tree->derivatives_memory)
        from->release(from->user, state->tree->derivatives_memory);
}

const dal_owner dal_tree_owner = {.layout = layout_tree, .close = close_tree};

bool dal_state_widen(dal_state *state)
{
    const dal_layout *layout = state->layout;
    const dal_allocator *from = &state->hold.allocator;
    if (!dal_speeds_widen(state))
        return false;
    if (!layout->columnless || state->tree->wide)
        return true;
    if (layout->n_jacobian < 0)
        return false; /* too many to be numbered */
    const size_t columns = (size_t)layout->n_jacobian, entries = 6 * columns + (size_t)layout->n_mass;
    double *memory = from->allocate(from->user, sizeof *memory * (entries + 1) + sizeof(int) * columns);
    if (!memory)
        return false;
    int *list = (int *)(void *)(memory + entries + 1);
    memset(memory, 0, sizeof *memory * entries);
    dal_tree_list_columns(layout, list);
    state->tree->wide = memory;
    state->work.jacobian = memory;
    state->work.M = memory + 6 * columns;
    state->work.body_column = list;
    return true;
}
