/* Which coordinates are ignorable (Definition 1 of `volterra-reduced`): coordinate k is, if
 *   (a) the kinetic energy does not depend on it,
 *   (b) its column of A is zero,
 *   (c) its generalized force is zero; a force with a potential counts here, so that V does not depend on it either;
 * all three identically. Then d/dt dT/dv_k = 0 by (17), and dT/dv_k is a constant of the motion (22).
 *
 * They are identities in (t, q, v), so that they are tried at random states that need not meet the constraints. The size of a force is not such an
 * identity: it may be zero now and nonzero later. So every expression of a force counts as an independent nonzero number, also if a parameter makes
 * it zero, and (c) becomes a statement about where forces act: a torque between two bodies cancels whatever its size is, a force on a body does not.
 * (The second case of the paper: three torques on the body, set to zero.)
 *
 * Of columns with N = 1 only: a velocity of a ball is no rate of a coordinate. Their directions commute with all others, so that
 * Lagrange's equations hold for them without a commutator. With D_k the derivative along column k at a fixed v,
 *   T = sum 1/2 m c'.c' + 1/2 w_B.I_B w_B,   w_B = R^T w,   D_k w_B = R^T (D_k w - w_k x w)
 *   D_k T = sum m c'.D_k c' + (I w).(D_k w - w_k x w)
 *
 * On a joint tree all columns are judged in one sweep each (ignorable_tree.c).
 *
 * Absolute families have none as soon as there is a joint, and are not tested.
 */
#include "kinematics/subsystems.h"
#include "kinematics/tree.h"
#include "math/vec.h"
#include "model/system.h"
#include "state/state.h"
#include "dynamics/determined.h"
#include "dynamics/ignorable_tree.h"
#include "state/scratch.h"
#include "state/values.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

enum { SAMPLES = 8, SHRINKINGS = 12 };
static const double rounding = 1e-11; /* of the terms that cancel */
static const double nothing = 1e-14;  /* of all forces of the model: less than that is rounding in the element itself */

typedef enum verdict { HOLDS, FAILS, UNKNOWN } verdict;

/* Repeatable numbers in [-1, 1): splitmix64. */
static double random_number(uint64_t *seed)
{
    uint64_t z = (*seed += 0x9e3779b97f4a7c15u);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return (double)((z ^ (z >> 31)) >> 11) * 0x1p-52 - 1;
}

static verdict judge_ignorable(double sum, double size)
{
    if (!isfinite(sum) || !isfinite(size))
        return UNKNOWN;
    return fabs(sum) <= rounding * size ? HOLDS : FAILS;
}

/* ---- candidates and samples ------------------------------------------------------- */

static int candidates(const dal_layout *layout, int *columns)
{
    int n = 0;
    if (layout->placement)
        for (int k = 0; k < layout->nv; k++)
            columns[n++] = k;
    for (int i = 0; layout->tree && i < layout->tree->n_steps; i++) { /* ascending: velocities are numbered in the order of the steps */
        const dal_motion_step *step = &layout->tree->step[i];
        if (step->v >= 0 && (step->kind == DAL_STEP_SHIFT || step->kind == DAL_STEP_TURN || step->kind == DAL_STEP_SCREW))
            columns[n++] = step->v;
    }
    return n;
}

/* Every expression of a force becomes a number that is not zero, unless it is written as zero. */
static void draw_expressions(dal_state *state, uint64_t *seed)
{
    for (int i = 0; i < state->system->n_expressions; i++) {
        double number = random_number(seed);
        state->values->expression[i] = state->system->idle[i] ? 0 : copysign(0.5 + fabs(number), number);
    }
}

/* A state at a distance of the order of `shift` from the start in every coordinate, with velocities of the order of the model's own. */
static void draw_state(dal_state *state, double shift, uint64_t *seed)
{
    const dal_system *system = state->system;
    const dal_layout *layout = &system->layout;
    dal_work *w = &state->work;
    const double until = system->info.until, fall = sqrt(sqrt(dal_dot(system->acting.gravity, system->acting.gravity)) / layout->units.length);
    const double pace = fmax(fall, isfinite(until) && until > 0 ? 1 / until : fall > 0 ? 0 : 1);
    memcpy(w->q, state->y, sizeof *w->q * (size_t)layout->nq);
    for (int k = 0; k < layout->nv; k++) {
        const double unit = layout->units.length / layout->units.column_scale[k];
        state->vd[k] = shift * (layout->angular[k] == 0 ? 1 : 1.37) * unit * random_number(seed);
        w->v[k] = random_number(seed) * unit * pace;
    }
    layout->family->add(layout, w->q, state->vd);
    w->t = 0.5 * (1 + random_number(seed)) * (isfinite(until) && until > 0 ? until : 10);
    dal_state_moved(state);
    dal_state_position(state);
    dal_state_jacobian(state);
    dal_state_velocity(state);
    draw_expressions(state, seed);
}

/* ---- the three conditions ----------------------------------------------------------- */

/* (b) A_ik = 0 in all rows, against the norm of the row: strikes out the columns that fail, all at once. `mark` has a place for each
 * column of v. False: something is not finite. */
static bool filter_rows(const dal_state *state, int *n, int *columns, double *mark)
{
    const dal_layout *layout = state->layout;
    const double *scale = layout->units.column_scale;
    bool known = true;
    int left = 0;
    memset(mark, 0, sizeof *mark * (size_t)layout->nv);
    for (int i = 0; i < *n; i++)
        mark[columns[i]] = 1;
    for (int i = 0; i < layout->n_rows; i++) {
        const dal_row_layout *at = &layout->row[i];
        double sum = 0;
        for (int k = at->value; k < at->value + at->n_values; k++)
            sum += state->work.A[k] / scale[layout->column[k]] * (state->work.A[k] / scale[layout->column[k]]);
        for (int k = at->value; k < at->value + at->n_values; k++) {
            if (mark[layout->column[k]] == 0)
                continue;
            const verdict v = judge_ignorable(state->work.A[k] / scale[layout->column[k]], sqrt(sum));
            known = known && v != UNKNOWN;
            if (v == FAILS)
                mark[layout->column[k]] = 0;
        }
    }
    for (int i = 0; i < *n; i++)
        if (mark[columns[i]] == 1)
            columns[left++] = columns[i];
    *n = left;
    return known;
}

/* Adds the generalized forces of the present loads on the bodies to Q, and the absolute values of their terms to `size`. */
static void add_forces(dal_state *state, double *Q, double *size)
{
    const dal_layout *layout = state->layout;
    const dal_work *w = &state->work;
    if (layout->tree) {
        dal_tree_add_forces(state, Q, size);
        return;
    }
    dal_state_columns(state);
    for (int k = 0; k < layout->nv; k++) {
        Q[k] += w->direct[k];
        size[k] += fabs(w->direct[k]);
    }
    for (int b = 0; b < layout->mechanism->n_bodies; b++) {
        const dal_body_layout *at = &layout->body[b];
        const double *J = w->jacobian + 6 * (size_t)at->jacobian, *f = w->force + 6 * b;
        for (int c = 0; c < at->n_columns; c++, J += 6)
            for (int i = 0; i < 6; i++) {
                Q[layout->body_column[at->column + c]] += J[i] * f[i];
                size[layout->body_column[at->column + c]] += fabs(J[i] * f[i]);
            }
    }
}

/* (c) Q_k = 0, against the size of the terms and of all forces of the same kind, which lie in Q and size: strikes out the columns that fail.
 * Kinds are judged each by itself: the numbers that stand for expressions have no unit. False: something is not finite. */
static bool filter_forces(dal_state *state, int *n, int *columns)
{
    const double *unit = state->layout->units.column_unit;
    double *Q = state->work.Q, *size = state->work.h, all = 0;
    bool known = true;
    int left = 0;
    for (int k = 0; k < state->layout->nv; k++)
        all += size[k] * unit[k];
    for (int i = 0; i < *n; i++) {
        const int k = columns[i];
        const verdict v = judge_ignorable(Q[k] * unit[k], fmax(size[k] * unit[k], nothing / rounding * all));
        known = known && v != UNKNOWN;
        if (v != FAILS)
            columns[left++] = k;
    }
    *n = left;
    memset(Q, 0, sizeof *Q * (size_t)state->layout->nv);
    memset(size, 0, sizeof *size * (size_t)state->layout->nv);
    return known;
}

/* Elements are applied one by one, so that a small one is not lost beside a large one; on a tree all of a kind at once, so that the work
 * grows with the bodies. */
static void add_group(dal_state *state, const dal_force_group *group, double *Q, double *size)
{
    const int at_once = state->layout->tree ? group->n : 1;
    for (int i = 0; i < group->n; i += at_once) {
        const dal_force_group some = {group->type, at_once, (char *)group->elements + (size_t)i * dal_force_types[group->type]->size};
        dal_loads_apply(&state->loads, 1, &some);
        add_forces(state, Q, size);
    }
}

/* The same for all kinds of forces. */
static bool filter_all_forces(dal_state *state, int *n, int *columns)
{
    const dal_system *system = state->system;
    double *Q = state->work.Q, *size = state->work.h;
    bool known = true;
    memset(Q, 0, sizeof *Q * (size_t)system->layout.nv);
    memset(size, 0, sizeof *size * (size_t)system->layout.nv);
    for (int g = 0; g < system->acting.n_groups && *n; g++) {
        add_group(state, &system->acting.groups[g], Q, size);
        known &= filter_forces(state, n, columns);
    }
    for (int i = 0; i < system->acting.n_laws && *n; i++) { /* other forces of joints: laws, and friction of any size in every direction */
        dal_loads_apply(&state->loads, 0, NULL);
        dal_push_measure(&state->loads, system->acting.laws[i].measure, state->values->expression[system->acting.laws[i].expression], false);
        add_forces(state, Q, size);
        known &= filter_forces(state, n, columns);
    }
    for (int i = 0; i < system->acting.n_frictions; i++)
        for (int k = 0; k < system->acting.frictions[i].n && *n; k++) {
            double e[DAL_MAX_SLIP] = {0};
            e[k] = 1.37;
            dal_loads_apply(&state->loads, 0, NULL);
            dal_sliding_push(&state->loads, &system->acting.frictions[i], e);
            add_forces(state, Q, size);
            known &= filter_forces(state, n, columns);
        }
    return known;
}

/* (a) D_k T = 0, against the energy and how fast the coordinate moves the bodies: the terms that cancel may themselves be rounding. */
static verdict absent_from_energy(dal_state *state, int column)
{
    const dal_layout *layout = state->layout;
    dal_work *w = &state->work;
    const int bodies = layout->mechanism->n_bodies;
    const dal_direction along = {state->scratch->still, 0, state->scratch->tangents}, motion = {w->v, 1, state->scratch->tangents + bodies};
    double sum = 0, size = 0, energy = 0, pace = 0;
    memset(state->scratch->still, 0, sizeof *state->scratch->still * (size_t)layout->nv);
    state->scratch->still[column] = 1;
    dal_state_frames(state);
    layout->family->tangent(layout, w, &along);
    layout->family->tangent(layout, w, &motion);
    layout->family->bend(layout, w, &along, &motion, state->scratch->bends);
    state->scratch->still[column] = 0;
    for (int b = 0; b < bodies; b++) {
        const dal_body *body = &layout->mechanism->bodies[b];
        const dal_tangent *t = &motion.tangent[b];
        const dal_bend *bend = &state->scratch->bends[b];
        double c[3], Dc[3], I[9], H[3], turned[3];
        dal_turn(t->Rd, body->center, c);
        dal_turn(bend->Rb, body->center, Dc);
        dal_turn_inertia(w->kin[b].R, body->inertia, I);
        dal_mul3(I, t->w, H);
        dal_cross(along.tangent[b].w, t->w, turned);
        for (int i = 0; i < 3; i++) {
            double P = body->mass * (t->rd[i] + c[i]);
            sum += P * (bend->rb[i] + Dc[i]) + H[i] * (bend->wb[i] - turned[i]);
            size += fabs(P) * (fabs(bend->rb[i]) + fabs(Dc[i])) + fabs(H[i]) * (fabs(bend->wb[i]) + fabs(turned[i]));
            energy += fabs(P * (t->rd[i] + c[i])) + fabs(H[i] * t->w[i]);
        }
        const double *rd = along.tangent[b].rd, *turn = along.tangent[b].w;
        pace = fmax(pace, sqrt(dal_dot(rd, rd)) / layout->units.length + sqrt(dal_dot(turn, turn)));
    }
    if (layout->systems) {
        double *slope = state->scratch->still, kinetic = dal_subsystems_kinetic(layout, w); /* NaN of a system without T */
        dal_subsystems_slope(layout, w, slope);
        sum += slope[column];
        size += fabs(slope[column]) + 1e-2 * kinetic * layout->units.column_scale[column] / layout->units.length;
        memset(slope, 0, sizeof *slope * (size_t)layout->nv);
    }
    return judge_ignorable(sum, size + 1e-2 * energy * pace);
}

/* ---- all together --------------------------------------------------------------------- */

/* (a) of all columns: strikes out those that fail. On a tree all slopes are found in one sweep. */
static bool filter_energy(dal_state *state, int *n, int *columns)
{
    const bool tree = state->layout->tree;
    double *slope = state->work.Q, *size = state->work.h;
    bool known = true;
    int left = 0;
    if (tree && *n)
        dal_tree_energy_slopes(state, slope, size);
    for (int i = 0; i < *n; i++) {
        const verdict v = tree ? judge_ignorable(slope[columns[i]], size[columns[i]]) : absent_from_energy(state, columns[i]);
        known = known && v != UNKNOWN;
        if (v != FAILS)
            columns[left++] = columns[i];
    }
    *n = left;
    return known;
}

/* Strikes out what fails at the present state; false if something there is not finite. */
static bool filter(dal_state *state, int *n, int *columns)
{
    bool known = filter_rows(state, n, columns, state->work.h);
    known &= filter_energy(state, n, columns);
    if (*n)
        known &= filter_all_forces(state, n, columns);
    return known;
}

/* The state is put back to its y; its velocities have to be v. */
int dal_find_ignorable(dal_state *state, int *columns)
{
    const double t = state->work.t;
    uint64_t seed = 1788;
    int n = candidates(state->layout, columns);
    for (int i = 0; i < SAMPLES && n; i++) {
        bool tried = false;
        double shift = 1;
        for (int k = 0; k < SHRINKINGS && !tried; k++, shift *= 0.3) {
            draw_state(state, shift, &seed);
            tried = filter(state, &n, columns);
        }
        if (!tried)
            n = 0;
    }
    state->values->table_exceeded = 0;
    dal_state_moved(state);
    dal_state_unpack(state, t, state->y);
    return n;
}

bool dal_energy_applies(const dal_system *system, dal_refusal *why)
{
    const dal_subsystems *s = system->layout.systems;
    for (int i = 0; s && i < s->n; i++)
        if (!s->system[i].energy) {
            dal_decline(why, DAL_REASON_OTHER, "%s needs the kinetic energy, and that of system '%s' is not known: write `kinetic:` beside its mass",
                        system->method.formulation->name, s->system[i].name);
            return false;
        }
    return true;
}

bool dal_ignorable_applies(const dal_system *system, dal_refusal *why)
{
    if (!dal_energy_applies(system, why))
        return false;
    if (system->layout.n_ignorable)
        return true;
    dal_decline(why, DAL_REASON_OTHER, "%s needs ignorable coordinates, and this model has none in the family %s%s", system->method.formulation->name,
                system->layout.family->name, system->layout.tree || system->layout.placement ? "" : ": use joint or user");
    return false;
}
