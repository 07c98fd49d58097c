/* The road of one evaluation, a call a line:
 *   y -> (q, v, z) -> frames -> rows -> loads -> formulation -> (v', lambda) -> y'
 * Nothing here allocates.
 */
#include "math/rotation.h"
#include "math/vec.h"
#include "state/state.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

dal_flow dal_state_fail(dal_state *state, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    vsnprintf(state->trouble, sizeof state->trouble, format, list);
    va_end(list);
    return -DAL_NUMERICAL;
}

/* With speeds, v is known only where A is: positions and rows are computed here, and not again (`placed`). */
dal_flow dal_state_take(dal_state *state, double t, const double *y)
{
    const dal_system *system = state->system;
    const dal_layout *layout = &system->layout;
    const double *w = y + layout->nq, *z = w + system->n_w;
    state->work.t = t;
    memcpy(state->work.q, y, sizeof *y * (size_t)layout->nq);
    memcpy(state->z, z, sizeof *y * (size_t)(system->n_y - layout->nq - system->n_w));
    state->reactions_known = state->accelerations_known = state->friction_known = state->placed = state->links_fresh = state->brief = false;
    if (!system->formulation->unpack) {
        memcpy(state->work.v, w, sizeof *y * (size_t)layout->nv);
        return 0;
    }
    dal_state_position(state);
    dal_state_jacobian(state);
    state->placed = true;
    return system->formulation->unpack(state, w);
}

dal_flow dal_state_put(dal_state *state, double *y)
{
    const dal_layout *layout = &state->system->layout;
    memcpy(y, state->work.q, sizeof *y * (size_t)layout->nq);
    if (!state->system->formulation->pack) {
        memcpy(y + layout->nq, state->work.v, sizeof *y * (size_t)layout->nv);
        return 0;
    }
    dal_state_position(state);
    dal_state_jacobian(state);
    return state->system->formulation->pack(state, y + layout->nq);
}

void dal_state_moved(dal_state *state)
{
    state->placed = state->links_fresh = false;
}

/* Fill in the signals that a program reads, then run it. 0, or the table that was left. */
static int run_program(dal_state *state, const dal_compiled *compiled, const int *modes, double *out)
{
    for (int i = 0; i < compiled->n_needs; i++) {
        const dal_signal *signal = &state->system->signals[compiled->needs[i]];
        state->variables[compiled->needs[i]] = dal_signal_value(&state->work, state->z, state->inputs, signal);
    }
    return dal_program_run(compiled->program, state->variables, modes, state->registers, out);
}

/* Formulation `recursive`: nothing with the columns of bodies, as long as nobody asks for them. Friction asks. */
static bool is_swift(const dal_system *system)
{
    return system->formulation->recursive && !system->n_frictions;
}

void dal_state_frames(dal_state *state)
{
    const dal_layout *layout = &state->system->layout;
    if (!state->frames_old)
        return;
    layout->family->frames(layout, &state->work);
    state->frames_old = false;
}

void dal_state_columns(dal_state *state)
{
    const dal_layout *layout = &state->system->layout;
    if (!state->columns_old)
        return;
    layout->family->position(layout, &state->work);
    state->frames_old = state->columns_old = false;
}

void dal_state_position(dal_state *state)
{
    const dal_layout *layout = &state->system->layout;
    if (state->placed)
        return;
    state->swift = false;
    state->frames_old = state->columns_old = true;
    state->table_left = state->system->drives.program ? run_program(state, &state->system->drives, NULL, state->work.time) : 0;
    (is_swift(state->system) ? dal_state_frames : dal_state_columns)(state);
    dal_rows_position(layout, &state->work);
    if ((layout->forms || layout->placement) && state->work.table_left)
        state->table_left = state->work.table_left;
}

void dal_state_jacobian(dal_state *state)
{
    if (state->placed || !(state->system->layout.n_rows + state->system->layout.n_speeds))
        return;
    dal_state_columns(state);
    dal_rows_jacobian(&state->system->layout, &state->work);
}

void dal_state_velocity(dal_state *state)
{
    const dal_layout *layout = &state->system->layout;
    dal_state_frames(state);
    layout->family->velocity(layout, &state->work);
    dal_rows_velocity(layout, &state->work);
}

int dal_state_not_finite(const dal_state *state)
{
    const dal_mechanism *m = &state->system->mechanism;
    for (int b = 0; b < m->n_bodies; b++) {
        const dal_kin *kin = &state->work.kin[b];
        double sum = 0;
        for (int i = 0; i < 3; i++)
            sum += fabs(kin->r[i]) + m->bodies[b].mass * kin->rd[i] * kin->rd[i] + kin->w[i] * kin->w[i];
        for (int i = 0; i < 9; i++)
            sum += fabs(kin->R[i]);
        if (!isfinite(sum))
            return b;
    }
    return -1;
}

dal_flow dal_state_push(dal_state *state)
{
    const dal_system *system = state->system;
    const dal_layout *layout = &system->layout;
    dal_work *w = &state->work;
    if (system->actions.program) {
        int left = run_program(state, &system->actions, state->frozen ? state->modes : NULL, state->expression);
        state->table_left = state->table_left ? state->table_left : left;
    }
    if (state->table_left)
        return dal_state_fail(state, "table '%s' was left, and its `outside:` is error", system->table_names[state->table_left - 1]);
    dal_loads_apply(&state->loads, system->n_groups, system->groups);
    for (int i = 0; i < system->n_laws; i++)
        dal_push_measure(&state->loads, system->laws[i].measure, state->expression[system->laws[i].expression], true);
    for (int i = 0; i < state->n_pushes; i++)
        dal_push_measure(&state->loads, state->pushes[i].measure, state->pushes[i].effort, true);
    for (int k = 0; k < layout->nv && state->given; k++) {
        w->direct[k] += state->given[k];
        state->loads.power += state->given[k] * w->v[k];
    }
    return 0;
}

dal_flow dal_state_loads(dal_state *state)
{
    const dal_layout *layout = &state->system->layout;
    dal_flow flow = dal_state_push(state);
    if (flow)
        return flow;
    dal_state_columns(state);
    layout->family->inertia(layout, &state->work);
    dal_state_pull(state);
    return 0;
}

void dal_state_pull(dal_state *state)
{
    const dal_layout *layout = &state->system->layout;
    dal_work *w = &state->work;
    dal_state_columns(state);
    memcpy(w->Q, w->direct, sizeof *w->Q * (size_t)layout->nv);
    for (int b = 0; b < layout->mechanism->n_bodies; b++)
        dal_pull_body(layout, w, b, w->force + 6 * b, w->force + 6 * b + 3, w->Q);
}

/* gamma, or what Baumgarte makes of it: phi'' + 2 alpha phi' + beta^2 phi = 0. Where the velocities follow from speeds they meet
 * the constraints by construction, and what is left to hold is the position: there v is taken from A v = beta - alpha phi
 * (dynamics/speeds.c), and here its derivative phi'' + alpha phi' = 0. */
void dal_state_stabilise(dal_state *state)
{
    const dal_system *system = state->system;
    const bool speeds = system->formulation->unpack && system->formulation->chooses;
    const double a = speeds ? system->alpha : 2 * system->alpha, b = speeds ? 0 : system->beta * system->beta;
    memcpy(state->gamma, state->work.gamma, sizeof *state->gamma * (size_t)system->layout.n_rows);
    if (system->stabilization->stabilises_gamma)
        for (int i = 0; i < system->layout.n_rows; i++)
            state->gamma[i] -= a * state->work.phid[i] + b * state->work.phi[i];
}

/* Where the sanitizers look on, what an evaluation leaves out is no number: whoever reads it without dal_state_recall or dal_state_complete
 * is found. */
#if defined(__SANITIZE_ADDRESS__) || defined(DAL_FORGET)
static void forget_numbers(double *x, size_t n)
{
    for (size_t i = 0; i < n; i++)
        x[i] = NAN;
}

static void forget_matrices(dal_state *state)
{
    const dal_layout *layout = &state->system->layout;
    dal_work *w = &state->work;
    forget_numbers(w->A, (size_t)layout->n_values), forget_numbers(w->M, (size_t)layout->n_mass);
    forget_numbers(w->h, (size_t)layout->nv), forget_numbers(w->Q, (size_t)layout->nv);
    forget_numbers(w->jacobian, 6 * (size_t)layout->n_jacobian);
}

static void forget_motion(dal_state *state)
{
    const dal_layout *layout = &state->system->layout;
    dal_work *w = &state->work;
    for (int b = 0; b < layout->mechanism->n_bodies; b++) {
        dal_kin *kin = &w->kin[b];
        if (layout->mechanism->bodies[b].particle || state->system->links->seat[b].link < 0)
            continue; /* their attitudes, or all of them, are laid out once */
        forget_numbers(kin->r, 3), forget_numbers(kin->R, 9);
        forget_numbers(kin->rd, 3), forget_numbers(kin->Rd, 9);
        forget_numbers(kin->rb, 3), forget_numbers(kin->Rb, 9);
        forget_numbers(kin->w, 3), forget_numbers(kin->wb, 3);
    }
    for (int k = 0; k < layout->n_vectors; k++)
        forget_numbers(w->x + 3 * layout->vector[k], 3), forget_numbers(w->xd + 3 * layout->vector[k], 3);
    for (int k = 0; k < layout->n_measures; k++)
        w->value[layout->measure[k]] = w->rate[layout->measure[k]] = NAN;
    forget_numbers(w->phi, (size_t)layout->n_rows), forget_numbers(w->phid, (size_t)layout->n_rows);
    forget_numbers(w->gamma, (size_t)layout->n_rows);
    forget_numbers(w->force, 6 * (size_t)layout->mechanism->n_bodies);
    state->loads.potential = NAN;
}
#else
static void forget_matrices(dal_state *state)
{
    (void)state;
}

static void forget_motion(dal_state *state)
{
    (void)state;
}
#endif

/* Everything that the rows and the forces need comes from the links; J, A, M, h and Q are left out. */
static dal_flow accelerate_swiftly(dal_state *state)
{
    const dal_layout *layout = &state->system->layout;
    state->table_left = state->system->drives.program ? run_program(state, &state->system->drives, NULL, state->work.time) : 0;
    dal_tree_motion(state);
    dal_rows_position(layout, &state->work);
    dal_rows_velocity(layout, &state->work);
    if (layout->forms && state->work.table_left)
        state->table_left = state->work.table_left;
    state->swift = state->frames_old = state->columns_old = true;
    forget_matrices(state);
    dal_flow flow = dal_state_push(state);
    if (flow)
        return flow;
    dal_state_stabilise(state);
    state->evaluations++;
    return state->system->formulation->solve(state);
}

/* v' and lambda alone, branch by branch: nobody has asked for more yet. Close to a singular position more will be asked for. */
static bool is_brief(const dal_state *state)
{
    return state->system->sweep && is_swift(state->system) && !state->given && !state->n_pushes && !state->near_singular;
}

static dal_flow accelerate_briefly(dal_state *state)
{
    const dal_system *system = state->system;
    state->table_left = 0;
    state->brief = state->swift = state->frames_old = state->columns_old = true;
    forget_matrices(state);
    forget_motion(state);
    state->evaluations++;
    dal_flow flow = system->formulation->solve(state);
    for (int i = 0; i < system->sweep->n_measures && state->brief && !flow; i++)
        dal_rows_rate(&system->layout, &state->work, system->sweep->measure[i]);
    return flow;
}

void dal_state_recall(dal_state *state)
{
    const dal_layout *layout = &state->system->layout;
    if (!state->brief)
        return;
    state->brief = false;
    dal_tree_motion(state);
    dal_rows_position(layout, &state->work);
    dal_rows_velocity(layout, &state->work);
    dal_state_push(state); /* weight alone: it cannot fail */
    dal_state_stabilise(state);
    state->links_fresh = false; /* calls of tree.h may use the links for something else before they are eliminated */
}

void dal_state_complete(dal_state *state)
{
    const dal_layout *layout = &state->system->layout;
    dal_state_recall(state);
    if (!state->swift)
        return;
    state->swift = false;
    dal_state_columns(state);
    dal_rows_jacobian(layout, &state->work);
    layout->family->velocity(layout, &state->work);
    layout->family->inertia(layout, &state->work);
    dal_state_pull(state);
}

dal_flow dal_state_accelerate(dal_state *state)
{
    if (is_swift(state->system))
        return accelerate_swiftly(state);
    dal_state_position(state);
    dal_state_jacobian(state);
    dal_state_velocity(state);
    dal_flow flow = dal_state_loads(state);
    if (flow)
        return flow;
    dal_state_stabilise(state);
    state->evaluations++;
    return state->system->n_frictions ? dal_friction_accelerate(state) : dal_state_solve(state);
}

/* r'' = (part linear in v') + bias, for every body: the tangent of v'. */
void dal_state_accelerations(dal_state *state)
{
    const dal_layout *layout = &state->system->layout;
    dal_work *w = &state->work;
    if (state->accelerations_known)
        return;
    dal_state_recall(state);
    dal_state_frames(state);
    const dal_direction along = {state->vd, 0, state->tangents};
    layout->family->tangent(layout, w, &along);
    for (int b = 0; b < layout->mechanism->n_bodies; b++) {
        dal_acceleration *a = &state->acceleration[b];
        const dal_tangent *tangent = &along.tangent[b];
        const dal_kin *kin = &w->kin[b];
        memcpy(a->r_v, tangent->rd, sizeof a->r_v);
        memcpy(a->R_v, tangent->Rd, sizeof a->R_v);
        for (int i = 0; i < 3; i++) {
            a->rdd[i] = tangent->rd[i] + kin->rb[i];
            a->alpha[i] = tangent->w[i] + kin->wb[i];
        }
    }
    state->accelerations_known = true;
}

/* lambda . A v, and the sum over bodies of (m c'', I alpha + w x I w, less the applied wrench) . V_t. */
static double power_of_placement(dal_state *state)
{
    const dal_layout *layout = &state->system->layout;
    dal_work *w = &state->work;
    double power = 0;
    dal_state_accelerations(state);
    dal_rows_transposed(layout, w->A, state->lambda, state->still);
    for (int k = 0; k < layout->nv; k++)
        power += state->still[k] * w->v[k];
    memset(state->still, 0, sizeof *state->still * (size_t)layout->nv);
    const dal_direction time = {state->still, 1, state->tangents};
    layout->family->tangent(layout, w, &time);
    for (int b = 0; b < layout->mechanism->n_bodies; b++) {
        const dal_body *body = &layout->mechanism->bodies[b];
        const dal_kin *kin = &w->kin[b];
        const dal_acceleration *a = &state->acceleration[b];
        const dal_tangent *t = &time.tangent[b];
        double rho[3], c[3], I[9], spin[3], moment[3], bias[3];
        dal_turn(kin->R, body->center, rho);
        dal_turn(a->R_v, body->center, c);
        dal_turn(kin->Rb, body->center, bias);
        for (int i = 0; i < 3; i++)
            c[i] = body->mass * (c[i] + bias[i] + a->rdd[i]);
        dal_turn_inertia(kin->R, body->inertia, I);
        dal_mul3(I, kin->w, spin);
        dal_mul3(I, a->alpha, moment);
        dal_add_cross(kin->w, spin, moment);
        dal_add_cross(rho, c, moment); /* to r */
        for (int i = 0; i < 3; i++)
            power += (c[i] - w->force[6 * b + i]) * t->rd[i] + (moment[i] - w->force[6 * b + 3 + i]) * t->w[i];
    }
    return power;
}

/* A row A v = beta does the work lambda beta a second: driven rows, and forms in which time appears. Bodies that time itself moves
 * (V_t of the family `user`) are held there by forces c with the power c . V_t, and c is what their motion needs beyond the
 * applied forces: d/dt (m c', I w) - w. Their joints then move with time too: beta is taken as A v. */
double dal_state_power(dal_state *state)
{
    const dal_system *system = state->system;
    const dal_layout *layout = &system->layout;
    double power = state->loads.power;
    if (layout->placement)
        return power + power_of_placement(state);
    for (int i = 0; i < layout->n_extrinsic; i++) {
        const dal_row *row = &system->mechanism.rows[layout->row[i].source];
        if (row->time >= 0)
            power += state->lambda[i] * state->work.time[3 * row->time + 1];
        else if (row->form >= 0)
            power -= state->lambda[i] * state->work.form[row->form + 1 + row->n_terms];
    }
    return power;
}

dal_flow dal_state_derivative(dal_state *state, double t, const double *y, double *dy)
{
    const dal_system *system = state->system;
    const dal_layout *layout = &system->layout;
    dal_flow flow = dal_state_take(state, t, y);
    if (!flow)
        flow = is_brief(state) ? accelerate_briefly(state) : dal_state_accelerate(state);
    state->known = !flow;
    if (flow)
        return flow;
    layout->family->rates(layout, &state->work, dy);
    dy += layout->nq;
    memcpy(dy, system->formulation->unpack ? state->wd : state->vd, sizeof *dy * (size_t)system->n_w);
    dy += system->n_w;
    for (int i = 0; i < system->n_states; i++)
        dy[i] = state->expression[system->n_expressions + i];
    if (system->works)
        dy[system->n_states] = dal_state_power(state);
    return 0;
}

static const double most_turn = 3; /* rad in one step: below half a turn, so that an angle has one nearest value */

static const char *name_of_angle(const dal_mechanism *m, int measure)
{
    for (int j = 0; j < m->n_joints; j++)
        for (int k = 0; k < m->joints[j].n_coordinates; k++)
            if (m->joints[j].coordinate[k] == measure)
                return m->joints[j].name;
    const dal_vector *x = &m->vectors[m->measures[measure].vector[2]];
    return x->body == DAL_GROUND ? "ground" : m->bodies[x->body].name;
}

dal_flow dal_state_turned(dal_state *state)
{
    const dal_mechanism *m = &state->system->mechanism;
    double h = state->work.t - state->unwound;
    for (int n = 0; n < state->system->layout.n_measures; n++) {
        const int i = state->system->layout.measure[n], k = m->measures[i].winding;
        if (k >= 0 && h * fmax(fabs(state->work.rate[i]), fabs(state->turning[k])) > most_turn) {
            dal_state_fail(state, "'%s' turns by about half a turn in one step of %.3g s: the number of its turns would be lost; take a smaller step",
                           name_of_angle(m, i), h);
            return 1;
        }
    }
    return 0;
}

void dal_state_unwind(dal_state *state)
{
    const dal_mechanism *m = &state->system->mechanism;
    for (int n = 0; n < state->system->layout.n_measures; n++) {
        const int i = state->system->layout.measure[n], k = m->measures[i].winding;
        if (k >= 0) {
            state->work.winding[k] = state->work.value[i];
            state->turning[k] = state->work.rate[i];
        }
    }
    state->unwound = state->work.t;
}

/* ---- results ------------------------------------------------------------------- */


/* The part of x'' that is linear in v'. */
static void vector_acceleration(dal_state *state, int number, double out[3])
{
    const dal_vector *vector = &state->system->mechanism.vectors[number];
    memset(out, 0, 3 * sizeof *out);
    if (vector->body == DAL_GROUND)
        return;
    const dal_acceleration *a = &state->acceleration[vector->body];
    dal_turn(a->R_v, vector->s, out);
    if (vector->point)
        dal_axpy3(1, a->r_v, out);
}

static double second_derivative(dal_state *state, const dal_signal *s)
{
    const dal_work *w = &state->work;
    double xdd[3];
    dal_state_accelerations(state);
    if (s->kind == DAL_SIGNAL_VECTOR) {
        vector_acceleration(state, s->index, xdd);
        return xdd[s->component] + w->xb[3 * s->index + s->component];
    }
    double sum = w->bias[s->index];
    const dal_measure *measure = &state->system->mechanism.measures[s->index];
    if (measure->kind == DAL_MEASURE_COORDINATE)
        return state->vd[measure->vector[0]];
    for (int k = 0; k < 4; k++)
        if (measure->vector[k] >= 0) {
            vector_acceleration(state, measure->vector[k], xdd);
            sum += dal_dot(w->gradient + 12 * s->index + 3 * k, xdd);
        }
    return sum;
}

static double spin_rate(dal_state *state, const dal_signal *s)
{
    dal_state_accelerations(state);
    const double *alpha = state->acceleration[s->index].alpha;
    if (s->kind == DAL_SIGNAL_OMEGA)
        return alpha[s->component];
    double body[3]; /* d/dt (R^T w) = R^T w' because w x w = 0 */
    dal_mulT3(state->work.kin[s->index].R, alpha, body);
    return body[s->component];
}

static double energy(const dal_state *state, int which)
{
    double linear[3], angular[3], T = dal_kinetic(&state->system->layout, &state->work, linear, angular);
    double V = state->loads.potential, W = state->system->works ? state->z[state->system->n_states] : 0;
    const double values[5] = {T + V, T, V, W, T + V - W};
    return values[which];
}

/* The quaternion nearest to the last one that was asked for: continuous along a motion. */
static double attitude(dal_state *state, const dal_signal *s)
{
    double p[4], *last = state->attitude + 4 * s->index, dot = 0;
    dal_quaternion_of(state->work.kin[s->index].R, p);
    for (int i = 0; i < 4; i++)
        dot += p[i] * last[i];
    for (int i = 0; i < 4; i++)
        last[i] = dot < 0 ? -p[i] : p[i];
    return last[s->component];
}

/* Effort times the rate of the coordinate or length that it acts along. */
static double power_of(dal_state *state, const dal_signal *s)
{
    const dal_system *system = state->system;
    if (!s->component)
        return state->effort[s->index] * state->work.rate[system->forces[s->index].measure];
    const dal_joint *joint = &system->mechanism.joints[s->index];
    dal_state_reactions(state);
    return state->lambda[system->layout.row_at[joint->drive]] * state->work.rate[joint->coordinate[joint->drive_coordinate]];
}

double dal_state_signal(dal_state *state, const dal_signal *s)
{
    const dal_system *system = state->system;
    double linear[3], angular[3], residual[2];
    dal_state_recall(state);
    switch (s->kind) {
    case DAL_SIGNAL_MEASURE:
    case DAL_SIGNAL_VECTOR:
        if (s->order == 2)
            return second_derivative(state, s);
        break;
    case DAL_SIGNAL_OMEGA:
    case DAL_SIGNAL_OMEGA_BODY:
        if (s->order == 1)
            return spin_rate(state, s);
        break;
    case DAL_SIGNAL_STATE:
        if (s->order == 1)
            return state->expression[system->n_expressions + s->index];
        break;
    case DAL_SIGNAL_ATTITUDE: return attitude(state, s);
    case DAL_SIGNAL_REACTION:
        dal_state_reactions(state);
        return s->component < 6 ? state->reaction[6 * s->index + s->component] : dal_side_reaction(state, s->index, s->component / 6 - 1, s->component % 6);
    case DAL_SIGNAL_DRIVE: dal_state_reactions(state); return state->lambda[system->layout.row_at[system->mechanism.joints[s->index].drive]];
    case DAL_SIGNAL_EFFORT: return state->effort[s->index];
    case DAL_SIGNAL_POWER: return power_of(state, s);
    case DAL_SIGNAL_ENERGY: return energy(state, s->index);
    case DAL_SIGNAL_MOMENTUM:
        dal_kinetic(&system->layout, &state->work, linear, angular);
        return s->component < 3 ? linear[s->component] : angular[s->component - 3];
    case DAL_SIGNAL_RESIDUAL: dal_residuals_now(state, &residual[0], &residual[1]); return residual[s->index];
    case DAL_SIGNAL_SPEED: return state->work.phid[system->layout.n_rows + s->index];
    case DAL_SIGNAL_MULTIPLIER:
        dal_state_reactions(state);
        return state->lambda[system->layout.row_at[system->mechanism.joints[s->index].row]];
    default: break;
    }
    return dal_signal_value(&state->work, state->z, state->inputs, s);
}

dal_flow dal_state_record(dal_state *state, double *row)
{
    const dal_compiled *records = &state->system->records;
    for (int i = 0; i < records->n_needs; i++)
        state->variables[records->needs[i]] = dal_state_signal(state, &state->system->signals[records->needs[i]]);
    int left = dal_program_run(records->program, state->variables, NULL, state->registers, row);
    return left ? dal_state_fail(state, "a recorded column leaves table '%s', and its `outside:` is error", state->system->table_names[left - 1]) : 0;
}
