/* Everything at one state: the results of an evaluation, with names.
 *
 *     M v' + bias = applied + forces (+ torques) + A^T lambda
 *
 * bias = h + g: h from the family (`lagrange-to-kane` (39)), g = -(generalized force of gravity). The forces of the other elements of the model are Q
 * minus gravity and minus the given forces; reactions and multipliers are those of the formulation, redundant ones as reactions.c shares them.
 */
#include "analysis/evaluator.h"
#include "base/argument.h"
#include "dynamics/equations.h"
#include "joint/joint.h"
#include "kinematics/tree.h"
#include "math/finite.h"
#include "math/vec.h"
#include "math/rank.h"
#include "model/coordinate_names.h"
#include "model/system_parts.h"
#include "dynamics/determined.h"
#include "dynamics/row_rank.h"
#include "dynamics/reactions.h"
#include "dynamics/tree_state.h"
#include "state/report.h"
#include "state/state_parts.h"
#include "state/values.h"

#include <math.h>
#include <string.h>

static const double off_constraints = 1e-9; /* of the model's length, or radians: larger values cause a warning */

typedef struct gatherer {
    dal_arena arena;
    dal_state *state;
    const dal_instant *instant;
    const dal_evaluation_options *options;
    dal_messages *messages;
    dal_evaluation *out;
    double *given; /* state->values->given */
} gatherer;

static double *copy_of(gatherer *g, const double *values, size_t n)
{
    double *copy = DAL_NEW(&g->arena, double, n + 1);
    if (n)
        memcpy(copy, values, sizeof *copy * n);
    return copy;
}

/* ---- before ---------------------------------------------------------------------------- */

/* Two neighbours are different axes. */
static bool axes_are_sound(const dal_instant *i)
{
    for (int k = 0; k < i->n_axes; k += 3) {
        const int *axis = i->axes + k;
        const bool given = axis[0] >= 0 && axis[0] < 3 && axis[1] >= 0 && axis[1] < 3 && axis[2] >= 0 && axis[2] < 3;
        if (given ? axis[0] == axis[1] || axis[1] == axis[2] : axis[0] != -1 || axis[1] != -1 || axis[2] != -1)
            return false;
    }
    return true;
}

static dal_status check_instant(gatherer *g)
{
    const dal_system *system = dal_system_of(g->state);
    const dal_layout *layout = dal_system_layout(system);
    const dal_instant *i = g->instant;
    const bool same = i->nq == layout->nq && i->nv == layout->nv && (!i->n_states || i->n_states == dal_system_states(system, NULL)) &&
                      (!i->n_axes || (i->n_axes == 3 * layout->mechanism->n_bodies && axes_are_sound(i)));
    if (!i->q || !i->rates || !i->forces || !i->accelerations || !i->wanted || (i->n_states && (!i->states || !i->states_given)) ||
        (i->n_axes && !i->axes)) {
        dal_error(g->messages, dal_nowhere, "an array of the instant is NULL");
        return DAL_BAD_COMMAND;
    }
    if (!same || !isfinite(i->time) || !dal_all_finite(i->q, i->nq) || !dal_all_finite(i->rates, i->nv) || !dal_all_finite(i->forces, i->nv) ||
        !dal_all_finite(i->accelerations, i->nv) || !dal_all_finite(i->states, i->n_states)) {
        dal_error(g->messages, dal_nowhere, same ? "a number of the instant is not finite" : "the instant belongs to another system");
        return DAL_BAD_COMMAND;
    }
    return DAL_OK;
}

/* Formulations with constant momenta ignore a force that changes them. */
static dal_status check_forces(gatherer *g)
{
    const dal_system *system = dal_system_of(g->state);
    const dal_layout *layout = dal_system_layout(system);
    const dal_method *method = dal_system_method(system);
    for (int i = 0; i < layout->n_ignorable && method->formulation->ignores; i++)
        if (g->options->inverse || g->instant->forces[layout->ignorable[i]] != 0) {
            dal_error(g->messages, dal_nowhere, "%s: formulation %s takes the momentum of '%s' for constant; take another formulation",
                      g->options->inverse ? "the inverse problem changes momenta" : "a force acts on an ignorable coordinate",
                      method->formulation->name, g->out->rates[layout->ignorable[i]]);
            return DAL_BAD_MODEL;
        }
    return DAL_OK;
}

static bool is_angular(const dal_system *system, int row)
{
    const dal_layout *layout = dal_system_layout(system);
    const int source = layout->row[row].source;
    return source < 0 || layout->mechanism->rows[source].angular;
}

/* Reports the row with the largest error, at the level of positions, then of velocities. */
static void warn_off(gatherer *g, const double *residual, const char *level, const char *unit)
{
    const dal_system *system = dal_system_of(g->state);
    const dal_layout *layout = dal_system_layout(system);
    const double tolerance = off_constraints;
    double most = 0;
    int worst = -1;
    for (int i = 0; i < layout->n_rows; i++) {
        const double size = fabs(residual[i]) / (is_angular(system, i) ? 1 : layout->units.length);
        if (size > fmax(most, tolerance)) {
            most = size;
            worst = i;
        }
    }
    if (worst < 0)
        return;
    char name[DAL_LABEL];
    dal_row_name(g->state, worst, name, sizeof name);
    dal_warn(g->messages, dal_nowhere, DAL_CODE_OFF_CONSTRAINTS, fabs(residual[worst]),
             "the state is off the constraints: the %s of row '%s' are off by %.3g %s%s; it is evaluated as it is", level, name,
             fabs(residual[worst]), is_angular(system, worst) ? "rad" : "m", unit);
}

/* Speeds only represent velocities that meet the constraints. */
static void warn_moved(gatherer *g)
{
    const dal_state *state = g->state;
    double most = 0, size = 0;
    for (int k = 0; k < g->instant->nv; k++) {
        most = fmax(most, fabs(dal_seen_work(state)->v[k] - g->instant->rates[k]));
        size = fmax(size, fabs(g->instant->rates[k]));
    }
    if (most > off_constraints * fmax(1, size))
        dal_warn(g->messages, dal_nowhere, DAL_CODE_RATES_MOVED, most,
                 "the rates do not meet the constraints, and formulation %s has no others: they were moved by up to %.3g",
                 dal_system_method(dal_system_of(state))->formulation->name, most);
}

/* Do the equations determine the accelerations, whether or not they were found? False with the verdict. */
static bool is_determined(gatherer *g, dal_status status)
{
    dal_state *state = g->state;
    const bool certain = status == DAL_OK ? dal_system_undetermined(dal_system_of(state)) : dal_state_singular(state);
    const double doubt = certain ? DAL_RANK_TOLERANCE : status == DAL_OK ? dal_state_doubt(state) : 0;
    dal_determined found;
    if (!(doubt > 0) || dal_system_method(dal_system_of(state))->minimum_norm || dal_state_determined(&g->arena, state, doubt, &found) ||
        !*found.text)
        return true;
    g->out->verdict = dal_arena_copy(&g->arena, found.text, strlen(found.text));
    return false;
}

/* Evaluates the state with the given forces; its accelerations may stay undetermined. */
static dal_status evaluate_state(gatherer *g)
{
    dal_messages *heard = dal_messages_create(&g->arena.allocator);
    if (!heard)
        return DAL_NO_MEMORY;
    dal_status status = dal_evaluate_whole(g->state, heard);
    g->out->determined = is_determined(g, status);
    if (g->out->determined)
        dal_pass_all(g->messages, heard);
    else
        status = DAL_OK;
    dal_messages_free(heard);
    if (g->out->determined || !g->options->inverse)
        return status;
    dal_error(g->messages, dal_nowhere, "the inverse problem is checked by the forward problem, which has no answer: %s", g->out->verdict);
    return DAL_BAD_MODEL;
}

static dal_status begin_evaluation(gatherer *g)
{
    dal_state *state = g->state;
    dal_work *work = dal_work_of(state);
    if (!dal_state_widen(state))
        return DAL_NO_MEMORY;
    if (dal_instant_enter(state, g->instant)) {
        dal_error(g->messages, dal_nowhere, "at the given state: %s", dal_trouble_of(state));
        return DAL_NUMERICAL;
    }
    warn_off(g, work->phi, "positions", "");
    warn_off(g, work->phid, "velocities", "/s");
    g->given = copy_of(g, g->instant->forces, (size_t)g->instant->nv);
    dal_values_of(state)->given = g->given;
    dal_status status = evaluate_state(g);
    if (status == DAL_OK)
        warn_moved(g);
    return status;
}

/* ---- gathering --------------------------------------------------------------------------- */

static void gather_state(gatherer *g)
{
    const dal_state *state = g->state;
    const dal_work *work = dal_seen_work(state);
    const dal_layout *layout = dal_layout_of(state);
    dal_evaluation *e = g->out;
    double *qd = DAL_NEW(&g->arena, double, layout->nq + 1);
    layout->family->rates(layout, work, qd);
    e->time = work->t;
    e->rank = dal_rank_of(state)->n;
    e->q = copy_of(g, work->q, (size_t)layout->nq);
    e->v = copy_of(g, work->v, (size_t)layout->nv);
    double *vd = copy_of(g, dal_rates_of(state), (size_t)layout->nv);
    for (int k = 0; k < layout->nv && !e->determined; k++)
        vd[k] = NAN;
    e->vd = vd;
    e->qd = qd;
}

static void gather_mass(gatherer *g)
{
    const dal_state *state = g->state;
    const dal_layout *layout = dal_layout_of(state);
    const size_t n = (size_t)layout->nv;
    double *M = DAL_NEW(&g->arena, double, n *n + 1), *C = DAL_NEW(&g->arena, double, n *n + 1);
    for (int b = 0; b < layout->n_blocks; b++) {
        const dal_mass_block *at = &layout->block[b];
        for (int i = 0; i < at->n; i++)
            for (int j = 0; j < at->n; j++)
                M[(size_t)(at->column + i) * n + (size_t)(at->column + j)] = dal_seen_work(state)->M[at->value + at->n * i + j];
    }
    dal_coriolis(g->state, C);
    g->out->M = M;
    g->out->C = C;
}

/* g = -sum over bodies of J^T (m g at the centre of mass) */
static void add_gravity(const dal_state *state, double *gravity)
{
    const dal_work *work = dal_seen_work(state);
    const dal_layout *layout = dal_layout_of(state);
    for (int b = 0; b < layout->mechanism->n_bodies; b++) {
        const dal_body *body = &layout->mechanism->bodies[b];
        double rho[3], force[3], moment[3] = {0, 0, 0};
        dal_turn(work->kin[b].R, body->center, rho);
        for (int i = 0; i < 3; i++)
            force[i] = -body->mass * dal_system_acting(dal_system_of(state))->gravity[i];
        dal_add_cross(rho, force, moment);
        dal_pull_body(layout, work, b, force, moment, gravity);
    }
}

static void gather_forces(gatherer *g)
{
    const dal_state *state = g->state;
    const dal_work *work = dal_seen_work(state);
    const size_t n = (size_t)dal_layout_of(state)->nv;
    dal_evaluation *e = g->out;
    double *gravity = DAL_NEW(&g->arena, double, n + 1), *bias = DAL_NEW(&g->arena, double, n + 1);
    double *applied = DAL_NEW(&g->arena, double, n + 1);
    add_gravity(state, gravity);
    for (size_t k = 0; k < n; k++) {
        bias[k] = work->h[k] + gravity[k];
        if (!dal_weight_acts_alone(dal_system_acting(dal_system_of(state))))
            applied[k] = work->Q[k] + gravity[k] - g->instant->forces[k] - (e->inverse ? e->inverse->torques[k] : 0);
    }
    e->gravity = gravity;
    e->bias = bias;
    e->applied = applied;
    e->forces = copy_of(g, g->instant->forces, n);
}

static void gather_momenta(gatherer *g)
{
    const dal_state *state = g->state;
    const dal_work *work = dal_seen_work(state);
    const dal_mechanism *m = dal_layout_of(state)->mechanism;
    dal_evaluation *e = g->out;
    const dal_energy energy = dal_energy_now(state);
    e->kinetic = energy.kinetic;
    e->potential = energy.potential;
    dal_copy3(energy.linear, e->linear);
    dal_copy3(energy.angular, e->angular);
    dal_copy3(energy.angular, e->angular_center);
    for (int b = 0; b < m->n_bodies; b++) {
        double c[3];
        dal_turn(work->kin[b].R, m->bodies[b].center, c);
        dal_axpy3(1, work->kin[b].r, c);
        dal_axpy3(m->bodies[b].mass, c, e->center);
        e->mass += m->bodies[b].mass;
    }
    const double back[3] = {-energy.linear[0], -energy.linear[1], -energy.linear[2]};
    for (int i = 0; i < 3 && e->mass > 0; i++)
        e->center[i] /= e->mass;
    dal_add_cross(e->center, back, e->angular_center);
}

/* In the tree a joint's reaction is everything that it transmits. A force that was given on its own coordinates acts inside it and is not a
 * reaction. The part of a ball joint stays in it. */
static void subtract_given(const gatherer *g, int joint, double wrench[6])
{
    const dal_layout *layout = dal_layout_of(g->state);
    const dal_tree *tree = layout->tree;
    const dal_joint *of = &layout->mechanism->joints[joint];
    if (!tree || tree->carries[joint] < 0)
        return;
    const dal_carrier *c = &tree->carrier[tree->carrier_of[tree->carries[joint]]];
    for (int s = c->step; s < c->step + c->n_steps; s++)
        if (tree->step[s].coordinate >= 0 && tree->step[s].v >= 0) {
            const int measure = of->coordinate[tree->step[s].coordinate];
            dal_rows_measure(dal_layout_of(g->state), dal_work_of(g->state), measure);
            dal_add_measure(g->state, joint, measure, -g->given[tree->step[s].v], wrench);
        }
}

static void gather_reactions(gatherer *g)
{
    dal_state *state = g->state;
    const dal_reactions *reactions = dal_reactions_of(state);
    const dal_layout *layout = dal_layout_of(state);
    const dal_mechanism *m = layout->mechanism;
    dal_evaluation_reaction *list = DAL_NEW(&g->arena, dal_evaluation_reaction, m->n_joints + 1);
    for (int j = 0; j < m->n_joints; j++) {
        if (!dal_joint_has_sides(&m->joints[j]))
            continue; /* an expression does not act between two particular bodies */
        dal_evaluation_reaction *r = &list[g->out->n_reactions++];
        r->joint = m->joints[j].name;
        r->unique = true;
        double wrench[6];
        dal_state_reaction(state, j, wrench, wrench + 3);
        subtract_given(g, j, wrench);
        dal_copy3(wrench, r->force);
        dal_copy3(wrench + 3, r->torque);
        for (int k = 0; k < 6 && dal_rank_of(state)->n < layout->n_rows && reactions->redundancy; k++)
            r->unique = r->unique && !reactions->loose[6 * j + k];
    }
    g->out->reactions = list;
}

/* After the reactions, because these distribute the multipliers of redundant rows. */
static void gather_rows(gatherer *g)
{
    const dal_state *state = g->state;
    const dal_rank *rank = dal_rank_of(state);
    const dal_work *work = dal_seen_work(state);
    const dal_layout *layout = dal_layout_of(state);
    const dal_mechanism *m = layout->mechanism;
    dal_evaluation *e = g->out;
    dal_evaluation_row *rows = DAL_NEW(&g->arena, dal_evaluation_row, layout->n_rows + 1);
    double *A = DAL_NEW(&g->arena, double, (size_t)layout->n_rows *(size_t)layout->nv + 1);
    for (int i = 0; i < layout->n_rows; i++) {
        const dal_row_layout *at = &layout->row[i];
        char name[DAL_LABEL];
        dal_row_name(state, i, name, sizeof name);
        rows[i] = (dal_evaluation_row){.name = dal_arena_copy(&g->arena, name, strlen(name)),
                                       .joint = at->source < 0 ? NULL : m->joints[m->rows[at->source].joint].name,
                                       .position = work->phi[i],
                                       .velocity = work->phid[i],
                                       .gamma = dal_gamma_of(state)[i],
                                       .multiplier = e->determined ? dal_multipliers_of(state)[i] : NAN};
        for (int k = at->value; k < at->value + at->n_values; k++)
            A[(size_t)i * (size_t)layout->nv + (size_t)layout->column[k]] += work->A[k];
    }
    for (int i = 0; i < rank->n; i++)
        rows[rank->order[i]].independent = true;
    e->n_rows = layout->n_rows;
    e->rows = rows;
    e->A = A;
    dal_residuals_now(state, &e->position_residual, &e->velocity_residual);
}

static dal_status gather_evaluation(void *user)
{
    gatherer *g = user;
    const dal_system *system = dal_system_of(g->state);
    const dal_layout *layout = dal_system_layout(system);
    dal_evaluation *e = g->out = DAL_NEW(&g->arena, dal_evaluation, 1);
    e->info = dal_system_describe(system);
    e->nq = layout->nq;
    e->nv = layout->nv;
    e->coordinates = dal_make_labels(&g->arena, system, false).label;
    e->rates = dal_make_labels(&g->arena, system, true).label;
    dal_status status = check_instant(g);
    if (status != DAL_OK || (status = check_forces(g)) != DAL_OK || (status = begin_evaluation(g)) != DAL_OK)
        return status;
    if (g->options->inverse) {
        dal_inverse *inverse = DAL_NEW(&g->arena, dal_inverse, 1);
        status = dal_solve_inverse(&g->arena, g->state, g->instant, g->options->nearest, e->rates, g->given, g->messages, inverse);
        if (status != DAL_OK)
            return status;
        e->inverse = inverse;
    }
    gather_state(g);
    if (e->determined)
        gather_reactions(g);
    gather_rows(g);
    gather_forces(g);
    gather_momenta(g);
    gather_mass(g);
    return DAL_OK;
}

dal_status dal_evaluate(const dal_allocator *allocator, dal_state *state, const dal_instant *instant, const dal_evaluation_options *options,
                        dal_messages *messages, dal_evaluation **evaluation)
{
    static const dal_evaluation_options defaults = {0};
    gatherer g = {.state = state, .instant = instant, .options = options ? options : &defaults, .messages = messages};
    if (evaluation)
        *evaluation = NULL;
    if (!DAL_NEEDS(messages, evaluation) || !DAL_NEEDS(messages, instant) || !DAL_NEEDS_ALLOCATOR(messages, allocator) ||
        !dal_needs_own(messages, __func__, state))
        return DAL_BAD_COMMAND;
    dal_arena_begin(&g.arena, allocator);
    dal_status status = dal_arena_try(&g.arena, gather_evaluation, &g);
    dal_values_of(state)->given = NULL;
    dal_values_of(state)->n_pushes = 0;
    return dal_arena_deliver(&g.arena, status == DAL_OK, status, g.out, offsetof(dal_evaluation, memory), evaluation);
}

void dal_evaluation_free(dal_evaluation *evaluation)
{
    if (evaluation)
        dal_arena_dispose(evaluation->memory);
}
