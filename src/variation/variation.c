/* Complex steps through the kernels of kinematics, forces and expressions: variation.h. Like all files of this folder it is compiled for complex numbers
 * only (CMakeLists.txt). */
#include "variation/variation.h"

#include "expr/program.h"
#include "force/force.h"
#include "force/signal.h"
#include "force/sliding.h"
#include "joint/joint.h"
#include "kinematics/layout.h"
#include "kinematics/newton_euler.h"
#include "kinematics/reduction.h"
#include "kinematics/subsystems.h"
#include "kinematics/tree.h"
#include "kinematics/wrenches.h"
#include "math/vec.h"
#include "model/system.h"
#include "state/directions.h"

#include <math.h>
#include <string.h>

static const double h = 1e-30;

struct dal_variation {
    dal_allocator allocator;
    const dal_system *system;
    dal_layout layout; /* with the family on complex numbers */
    dal_work work;
    dal_loads loads;
    dal_real *z, *inputs, *variables, *registers, *expression, *effort;
    dal_real *qd, *vd, *sum; /* nq; nv; the larger of nv and n_rows */
    dal_real *columns, *lambda;
    dal_real *friction, *slip; /* of components */
    dal_real *wrench, *balance, *held;
    dal_real *wide;       /* of a layout without columns: work.jacobian, then work.M */
    dal_tangent *tangent; /* of the bodies along v' */
    dal_acceleration *acceleration;
    int *list;  /* and work.body_column */
    int *modes; /* of the actions */
    double *guards;
};

/* ---- memory ------------------------------------------------------------------------------- */

static int larger(int a, int b)
{
    return a > b ? a : b;
}

static int registers_of(const dal_compiled *compiled)
{
    return compiled->program ? dal_program_registers(compiled->program) : 0;
}

static int components(const dal_system *system)
{
    return dal_sliding_components(system->acting.frictions, system->acting.n_frictions);
}

/* The arrays of a variation over `memory`; how many numbers they are. */
static size_t layout_variation(dal_variation *x, dal_real *memory)
{
    const dal_system *system = x->system;
    const dal_layout *layout = &x->layout;
    const dal_reduction *reduction = layout->reduction;
    const int sliding = components(system);
    size_t used = dal_work_size(layout);
    struct {
        dal_real **at;
        int n;
    } const parts[] = {{&x->z, system->n_states + 1},
                       {&x->inputs, system->n_inputs},
                       {&x->variables, system->n_signals},
                       {&x->registers, larger(registers_of(&system->records), larger(registers_of(&system->drives), registers_of(&system->actions)))},
                       {&x->expression, system->actions.n_outputs},
                       {&x->effort, system->acting.n_forces},
                       {&x->qd, layout->nq},
                       {&x->vd, layout->nv},
                       {&x->columns, system->records.n_outputs},
                       {&x->wide, layout->columnless ? 6 * layout->n_jacobian + layout->n_mass : 0},
                       {&x->loads.island, 2 * system->acting.islands.n},
                       {&x->lambda, layout->n_rows},
                       {&x->friction, sliding},
                       {&x->slip, sliding},
                       {&x->wrench, sliding ? 6 * layout->mechanism->n_joints : 0},
                       {&x->balance, sliding && reduction ? reduction->n_natural : 0},
                       {&x->held, sliding && reduction ? reduction->n_held : 0},
                       {&x->sum, larger(layout->nv, layout->n_rows + layout->n_speeds)}};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        if (memory)
            *parts[i].at = memory + used;
        used += (size_t)parts[i].n;
    }
    return used;
}

/* As dal_state_widen. */
static void widen(dal_variation *x)
{
    if (!x->layout.columnless)
        return;
    dal_tree_list_columns(&x->layout, x->list);
    x->work.jacobian = x->wide;
    x->work.M = x->wide + 6 * (size_t)x->layout.n_jacobian;
    x->work.body_column = x->list;
}

dal_variation *dal_variation_create(const dal_allocator *allocator, const dal_system *system, int family)
{
    dal_variation local = {.allocator = *allocator, .system = system};
    if ((system->layout.columnless && system->layout.n_jacobian < 0) || !dal_family_numbered(family)) /* too many to be numbered */
        return NULL;
    local.layout = dal_layout_on_scalar(&system->layout, dal_family_numbered(family));
    const size_t numbers = layout_variation(&local, NULL), bodies = (size_t)system->mechanism.n_bodies;
    const size_t switches = system->actions.program ? (size_t)dal_program_switches(system->actions.program) : 0;
    const size_t listed = system->layout.columnless ? (size_t)system->layout.n_jacobian : 0;
    const size_t accelerations = components(system) ? bodies : 0;
    const size_t bytes = sizeof local + sizeof(dal_real) * (numbers + 1) + sizeof(dal_tangent) * bodies + sizeof(dal_acceleration) * accelerations +
                         sizeof(double) * switches + sizeof(int) * (3 * bodies + switches + listed);
    dal_variation *x = allocator->allocate(allocator->user, bytes);
    if (!x)
        return NULL;
    memset(x, 0, bytes);
    *x = local;
    dal_real *memory = (dal_real *)(void *)((char *)x + (sizeof *x + sizeof(dal_real) - 1) / sizeof(dal_real) * sizeof(dal_real));
    x->tangent = (dal_tangent *)(void *)(memory + numbers);
    x->acceleration = (dal_acceleration *)(void *)(x->tangent + bodies);
    x->guards = (double *)(void *)(x->acceleration + accelerations);
    x->modes = (int *)(void *)(x->guards + switches);
    x->list = x->modes + switches + 3 * bodies;
    dal_work_layout(&x->layout, memory, x->modes + switches, &x->work);
    layout_variation(x, memory);
    widen(x);
    x->loads = (dal_loads){.layout = &x->layout,
                           .work = &x->work,
                           .expression = x->expression,
                           .effort = x->effort,
                           .islands = &system->acting.islands,
                           .island = system->acting.islands.n > 1 ? x->loads.island : NULL};
    return x;
}

void dal_variation_free(dal_variation *x)
{
    if (x)
        x->allocator.release(x->allocator.user, x);
}

/* ---- one step --------------------------------------------------------------------------- */

static void set_numbers(dal_real *to, int n, const double *value, const double *along)
{
    for (int k = 0; k < n; k++)
        to[k] = (value ? value[k] : 0) + (along ? _Complex_I * h * along[k] : 0);
}

/* N dq: what the rates are along dq, less what they are at rest. */
static void move_coordinates(dal_variation *x, const dal_variation_point *at, const double *dq, const double *raw)
{
    dal_work *w = &x->work;
    const dal_layout *layout = &x->layout;
    set_numbers(w->q, layout->nq, at->q, raw);
    if (!dq)
        return;
    layout->family->position(layout, w);
    set_numbers(w->v, layout->nv, NULL, NULL);
    layout->family->rates(layout, w, x->qd);
    for (int k = 0; k < layout->nq; k++)
        w->q[k] -= _Complex_I * h * x->qd[k];
    set_numbers(w->v, layout->nv, dq, NULL);
    layout->family->rates(layout, w, x->qd);
    for (int k = 0; k < layout->nq; k++)
        w->q[k] += _Complex_I * h * x->qd[k];
}

/* The part of x'' that is linear in v'. */
static void vector_acceleration(const dal_variation *x, int number, dal_real out[3])
{
    const dal_vector *vector = &x->layout.mechanism->vectors[number];
    dal_zero3(out);
    if (vector->body == DAL_GROUND)
        return;
    dal_turn(x->tangent[vector->body].Rd, vector->s, out);
    if (vector->point)
        dal_axpy3(1, x->tangent[vector->body].rd, out);
}

static dal_real measure_acceleration(const dal_variation *x, int number)
{
    const dal_measure *measure = &x->layout.mechanism->measures[number];
    if (measure->kind == DAL_MEASURE_COORDINATE)
        return x->vd[measure->vector[0]];
    dal_real sum = x->work.bias[number], xdd[3];
    for (int k = 0; k < 4; k++)
        if (measure->vector[k] >= 0) {
            vector_acceleration(x, measure->vector[k], xdd);
            sum += dal_dot(x->work.gradient + 12 * number + 3 * k, xdd);
        }
    return sum;
}

/* (R^T w)' = R^T w', because w x w = 0 */
static dal_real spin_rate(const dal_variation *x, const dal_signal *s)
{
    const dal_kin *kin = &x->work.kin[s->index];
    dal_real alpha[3] = {kin->wb[0], kin->wb[1], kin->wb[2]}, body[3];
    dal_axpy3(1, x->tangent[s->index].w, alpha);
    dal_mulT3(kin->R, alpha, body);
    return (s->kind == DAL_SIGNAL_OMEGA ? alpha : body)[s->component];
}

/* ---- results: as dynamics/reactions.c and channel_values.c have them ---------------------------- */

static const dal_real unknown = (dal_real)NAN * (1 + _Complex_I);

/* The friction of an element on the second body of its joint, at P. */
static void add_friction(const dal_variation *x, const dal_friction *f, int body, const dal_real P[3], dal_real wrench[6])
{
    const dal_real *e = x->friction + f->first;
    if (f->turn)
        dal_axpy3(f->lever[0], e, wrench + 3);
    for (int k = 0; k < f->n && !f->turn; k++)
        for (int j = 0; j < f->terms; j++)
            dal_add_measure_wrench(&x->layout, &x->work, f->measure[k + j], f->lever[k + j] * e[k], body, P, wrench, wrench + 3);
}

/* Force and torque on the body of a point of the joint, at that point. Joints of a tree and eliminated rows have no multipliers here. */
static dal_real reaction(const dal_variation *x, int number, int component)
{
    const dal_layout *layout = &x->layout;
    const dal_mechanism *m = layout->mechanism;
    const dal_acting *acting = &x->system->acting;
    const dal_marker *marker = &m->joints[number].marker[component < 6 ? 1 : component / 6 - 1];
    dal_real P[3], wrench[6];
    if (layout->tree || layout->reduction)
        return unknown;
    dal_zero3(wrench);
    dal_zero3(wrench + 3);
    if (marker->body == DAL_GROUND)
        return unknown;
    dal_turn(x->work.kin[marker->body].R, marker->s, P);
    dal_axpy3(1, x->work.kin[marker->body].r, P);
    for (int i = 0; i < layout->n_extrinsic; i++) {
        const dal_row *row = &m->rows[layout->row[i].source];
        if (row->joint == number && !row->derived)
            dal_add_row_wrench(layout, &x->work, layout->row[i].source, x->lambda[i], marker->body, P, wrench, wrench + 3);
    }
    for (int i = 0; i < acting->n_laws; i++)
        if (acting->laws[i].joint == number)
            dal_add_measure_wrench(layout, &x->work, acting->laws[i].measure, x->expression[acting->laws[i].expression], marker->body, P, wrench,
                                   wrench + 3);
    for (int i = 0; i < acting->n_frictions && component < 6; i++)
        if (acting->frictions[i].joint == number)
            add_friction(x, &acting->frictions[i], marker->body, P, wrench);
    return wrench[component % 6];
}

static dal_real multiplier(const dal_variation *x, int row)
{
    const dal_layout *layout = &x->layout;
    return layout->mechanism->rows[row].derived ? 0 : layout->row_at[row] >= 0 ? x->lambda[layout->row_at[row]] : unknown;
}

static dal_real power(const dal_variation *x, const dal_signal *s)
{
    if (!s->component)
        return x->effort[s->index] * x->work.rate[x->system->acting.forces[s->index].measure];
    const dal_joint *joint = &x->layout.mechanism->joints[s->index];
    return multiplier(x, joint->drive) * x->work.rate[joint->coordinate[joint->drive_coordinate]];
}

/* As dal_friction_effort; component 6: as dal_friction_power. */
static dal_real friction_value(const dal_variation *x, const dal_friction *f, int component)
{
    dal_real power = 0;
    for (int k = f->first; k < f->first + f->n; k++)
        power += x->friction[k] * x->slip[k];
    return component == 6 ? power : (f->n == 2 ? f->lever[component % 3] : f->gear) * x->friction[f->first + component % 3];
}

/* Signals that exist after the accelerations are known. */
static dal_real result_value(const dal_variation *x, const dal_signal *s)
{
    const dal_joint *joints = x->layout.mechanism->joints;
    dal_real linear[3], angular[3];
    switch (s->kind) {
    case DAL_SIGNAL_REACTION: return reaction(x, s->index, s->component);
    case DAL_SIGNAL_DRIVE: return multiplier(x, joints[s->index].drive);
    case DAL_SIGNAL_MULTIPLIER: return multiplier(x, joints[s->index].row);
    case DAL_SIGNAL_EFFORT: return x->effort[s->index];
    case DAL_SIGNAL_POWER: return power(x, s);
    case DAL_SIGNAL_FRICTION: return friction_value(x, &x->system->acting.frictions[s->index], s->component);
    case DAL_SIGNAL_ENERGY:
        return s->index == 1   ? dal_kinetic(&x->layout, &x->work, linear, angular)
               : s->index == 2 ? x->loads.potential
               : s->index == 0 ? dal_kinetic(&x->layout, &x->work, linear, angular) + x->loads.potential
                               : unknown; /* works since the start */
    case DAL_SIGNAL_MOMENTUM:
        dal_kinetic(&x->layout, &x->work, linear, angular);
        return s->component < 3 ? linear[s->component] : angular[s->component - 3];
    case DAL_SIGNAL_SPEED: return x->work.phid[x->layout.n_rows + s->index];
    default: return unknown;
    }
}

/* After the tangents along v', after the actions and loads. */
static dal_real signal_value(const dal_variation *x, const dal_signal *s)
{
    dal_real xdd[3];
    if (s->kind >= DAL_SIGNAL_KINDS_OF_MOTION)
        return result_value(x, s);
    if (s->kind == DAL_SIGNAL_STATE && s->order == 1)
        return x->expression[x->system->n_expressions + s->index];
    if ((s->kind == DAL_SIGNAL_OMEGA || s->kind == DAL_SIGNAL_OMEGA_BODY) && s->order == 1)
        return spin_rate(x, s);
    if (s->kind == DAL_SIGNAL_MEASURE && s->order == 2)
        return measure_acceleration(x, s->index);
    if (s->kind == DAL_SIGNAL_VECTOR && s->order == 2) {
        vector_acceleration(x, s->index, xdd);
        return x->work.xb[3 * s->index + s->component] + xdd[s->component];
    }
    return dal_signal_value(&x->work, x->z, x->inputs, s);
}

static int run_program(dal_variation *x, const dal_compiled *compiled, const int *modes, dal_real *out)
{
    if (!compiled->program)
        return 0;
    for (int i = 0; i < compiled->n_needs; i++)
        x->variables[compiled->needs[i]] = signal_value(x, &x->system->signals[compiled->needs[i]]);
    return dal_program_run(compiled->program, x->variables, modes, x->registers, out);
}

static void keep_slopes(int n, const dal_real *from, double *to)
{
    for (int k = 0; to && k < n; k++)
        to[k] = cimag(from[k]) / h;
}

static void keep_values(int n, const dal_real *from, double *to)
{
    for (int k = 0; to && k < n; k++)
        to[k] = creal(from[k]);
}

/* r = M v' + h - Q - A^T lambda */
static void keep_motion(dal_variation *x, const dal_variation_point *at, double *out)
{
    const dal_layout *layout = &x->layout;
    dal_work *w = &x->work;
    dal_inertia_and_forces(layout, w);
    dal_mass_times(layout, w->M, x->vd, x->sum);
    for (int k = 0; k < layout->nv; k++)
        out[k] = cimag(x->sum[k] + w->h[k] - w->Q[k]) / h;
    for (int i = 0; at->lambda && i < layout->n_rows; i++)
        for (int k = layout->row[i].value; k < layout->row[i].value + layout->row[i].n_values; k++)
            out[layout->column[k]] -= cimag(w->A[k]) / h * at->lambda[i];
}

/* phi'' = A v' - gamma; of the speeds that the model names, u' */
static void keep_row_accelerations(dal_variation *x, int first, int n, double *out)
{
    const dal_layout *layout = &x->layout;
    for (int i = first; out && i < first + n; i++) {
        dal_real sum = -x->work.gamma[i];
        for (int k = layout->row[i].value; k < layout->row[i].value + layout->row[i].n_values; k++)
            sum += x->work.A[k] * x->vd[layout->column[k]];
        out[i - first] = cimag(sum) / h;
    }
}

/* As dal_state_powers, at given multipliers; without the forces on bodies whose placement depends on time. */
static void keep_powers(const dal_variation *x, const dal_variation_point *at, double *out)
{
    const dal_system *system = x->system;
    const dal_layout *layout = &x->layout;
    for (int i = 0; i < system->acting.islands.n; i++)
        out[i] = cimag(x->loads.island ? x->loads.island[2 * i + 1] : x->loads.power) / h;
    for (int i = 0; at->lambda && !layout->placement && i < layout->n_extrinsic; i++) {
        const int source = layout->row[i].source;
        const dal_row *row = &layout->mechanism->rows[source];
        const dal_real rate = row->time >= 0 ? x->work.time[3 * row->time + 1] : row->form >= 0 ? -x->work.form[row->form + 1 + row->n_terms] : 0;
        if (!row->derived)
            out[dal_island(system->acting.islands.of_row, source)] += at->lambda[i] * cimag(rate) / h;
    }
}

/* ---- sliding surfaces ---------------------------------------------------------------------------- */

/* The forces of friction, onto the loads, and their power. After the other forces. */
static void push_friction(dal_variation *x, const dal_variation_point *at, const dal_variation_direction *along)
{
    const dal_acting *acting = &x->system->acting;
    set_numbers(x->friction, components(x->system), at->friction, along->friction);
    for (int i = 0; i < acting->n_frictions && (at->friction || along->friction); i++) {
        const dal_friction *f = &acting->frictions[i];
        dal_sliding_push(&x->loads, f, x->friction + f->first);
        for (int k = f->first; k < f->first + f->n; k++) {
            const dal_real power = x->friction[k] * x->slip[k];
            x->loads.power += power;
            if (x->loads.island)
                x->loads.island[2 * x->loads.islands->of_joint[f->joint] + 1] += power;
        }
    }
}

/* s' of an element, from the tangents along v'. */
static void slip_rate(const dal_variation *x, const dal_friction *f, dal_real *out)
{
    const dal_joint *joint = &x->layout.mechanism->joints[f->joint];
    dal_real turn[2][3] = {{0}};
    for (int side = 0; side < 2; side++)
        for (int i = 0; i < 3 && joint->marker[side].body != DAL_GROUND; i++)
            turn[side][i] = x->tangent[joint->marker[side].body].w[i] + x->work.kin[joint->marker[side].body].wb[i];
    if (f->turn) {
        dal_sliding_turn(f, turn[1], turn[0], out);
        return;
    }
    for (int k = 0; k < f->n; k++) {
        out[k] = 0;
        for (int i = 0; i < f->terms; i++)
            out[k] += f->lever[k + i] * measure_acceleration(x, f->measure[k + i]);
    }
}

/* The force of a joint without its friction: of rows, trees and `non-ideal:`. After the wrenches. */
static void force_of_joint(const dal_variation *x, int number, dal_real F[3])
{
    const dal_acting *acting = &x->system->acting;
    const dal_joint *joint = &x->layout.mechanism->joints[number];
    dal_real P[3], moment[3] = {0};
    dal_copy3(x->wrench + 6 * number, F);
    dal_joint_point(&x->layout, &x->work, number, 1, P);
    for (int i = 0; i < acting->n_laws; i++)
        if (acting->laws[i].joint == number)
            dal_add_measure_wrench(&x->layout, &x->work, acting->laws[i].measure, x->expression[acting->laws[i].expression], joint->marker[1].body, P,
                                   F, moment);
}

/* After the loads: s', wrenches and what presses. */
static void keep_sliding(dal_variation *x, const dal_variation_result *out)
{
    const dal_layout *layout = &x->layout;
    const dal_acting *acting = &x->system->acting;
    const dal_wrench_parts parts = {x->vd, x->acceleration, x->tangent, x->balance, x->held};
    layout->family->tangent(layout, &x->work, &(dal_direction){x->vd, 0, x->tangent});
    for (int i = 0; i < acting->n_frictions && out->slip_rates; i++) {
        dal_real rate[DAL_MAX_SLIP];
        slip_rate(x, &acting->frictions[i], rate);
        keep_slopes(acting->frictions[i].n, rate, out->slip_rates + acting->frictions[i].first);
        keep_values(acting->frictions[i].n, rate, out->slip_rate_values ? out->slip_rate_values + acting->frictions[i].first : NULL);
    }
    if (!out->press && !out->wrenches)
        return;
    dal_accelerations_of(layout, &x->work, x->tangent, x->acceleration);
    dal_wrenches_of_joints(layout, &x->work, &parts, x->lambda, true, x->wrench);
    keep_slopes(6 * layout->mechanism->n_joints, x->wrench, out->wrenches);
    keep_values(6 * layout->mechanism->n_joints, x->wrench, out->wrench_values);
    for (int i = 0; i < acting->n_frictions && out->press; i++) {
        const dal_friction *f = &acting->frictions[i];
        dal_real F[3], press[3] = {0};
        if (dal_friction_presses(f)) {
            force_of_joint(x, f->joint, F);
            dal_sliding_press(layout->mechanism, &x->work, f, F, press);
        }
        keep_slopes(3, press, out->press + 3 * i);
        keep_values(3, press, out->press_values ? out->press_values + 3 * i : NULL);
    }
}

/* dT/dv: momenta of the bodies, pulled back as forces are, and those of the sub-systems. */
static void keep_momenta(dal_variation *x, double *out)
{
    const dal_layout *layout = &x->layout;
    dal_work *w = &x->work;
    for (int k = 0; k < layout->nv; k++)
        x->sum[k] = 0;
    for (int b = 0; b < layout->mechanism->n_bodies; b++) {
        dal_real P[3], H[3];
        dal_momentum_wrench(&layout->mechanism->bodies[b], &w->kin[b], P, H);
        dal_pull_body(layout, w, b, P, H, x->sum);
    }
    dal_subsystems_momentum(layout, w, x->sum);
    keep_slopes(layout->nv, x->sum, out);
}

/* Frames, rows and all that is computed of the motion; 0, or the number of a table. */
static int move_along(dal_variation *x, const dal_variation_point *at, const dal_variation_direction *along)
{
    const dal_system *system = x->system;
    const dal_layout *layout = &x->layout;
    dal_work *w = &x->work;
    w->t = at->t + _Complex_I * h * along->t;
    w->table_exceeded = 0;
    set_numbers(x->z, system->n_states, at->z, along->z);
    set_numbers(x->inputs, system->n_inputs, at->inputs, along->inputs);
    for (int i = 0; at->winding && i < layout->mechanism->n_windings; i++)
        w->winding[i] = at->winding[i];
    if (at->chart)
        memcpy(w->chart, at->chart, sizeof *w->chart * 3 * (size_t)layout->mechanism->n_bodies);
    move_coordinates(x, at, along->q, along->coordinates);
    set_numbers(w->v, layout->nv, at->v, along->v);
    set_numbers(x->vd, layout->nv, at->vd, along->vd);
    set_numbers(x->lambda, layout->n_rows, at->lambda, along->lambda);
    const int exceeded = run_program(x, &system->drives, NULL, w->time);
    dal_layout_motion(layout, w);
    return exceeded ? exceeded : w->table_exceeded;
}

/* After the actions. */
static int keep_columns(dal_variation *x, const dal_variation_result *out)
{
    const dal_layout *layout = &x->layout;
    layout->family->tangent(layout, &x->work, &(dal_direction){x->vd, 0, x->tangent});
    const int exceeded = run_program(x, &x->system->records, NULL, x->columns);
    keep_slopes(x->system->records.n_outputs, x->columns, out->columns);
    keep_values(x->system->records.n_outputs, x->columns, out->values);
    return exceeded;
}

int dal_variation_along(dal_variation *x, const dal_variation_point *at, const dal_variation_direction *along, const dal_variation_result *out)
{
    const dal_system *system = x->system;
    const dal_layout *layout = &x->layout;
    dal_work *w = &x->work;
    int exceeded = move_along(x, at, along);
    keep_slopes(layout->n_rows, w->phi, out->phi);
    keep_slopes(layout->n_rows, w->phid, out->phid);
    keep_row_accelerations(x, 0, layout->n_rows, out->phidd);
    keep_slopes(layout->n_speeds, w->phid + layout->n_rows, out->speeds);
    keep_row_accelerations(x, layout->n_rows, layout->n_speeds, out->speed_rates);
    if (out->qd) {
        layout->family->rates(layout, w, x->qd);
        keep_slopes(layout->nq, x->qd, out->qd);
    }
    if (out->momenta)
        keep_momenta(x, out->momenta);
    for (int i = 0; i < system->acting.n_frictions; i++)
        dal_sliding_velocity(layout->mechanism, w, &system->acting.frictions[i], x->slip + system->acting.frictions[i].first);
    keep_slopes(components(system), x->slip, out->slip);
    keep_values(components(system), x->slip, out->slip_values);
    const bool columns = out->columns || out->values, slides = out->slip_rates || out->press || out->wrenches;
    const bool pushes = out->motion || out->force || out->power || slides;
    if (!pushes && !out->states && !out->rates && !columns && !out->eta)
        return exceeded;
    const int of_actions = run_program(x, &system->actions, at->modes, x->expression);
    keep_slopes(system->n_states, x->expression + system->n_expressions, out->states);
    keep_values(system->n_states, x->expression + system->n_expressions, out->rates);
    for (int i = 0; i < system->acting.n_frictions && out->limits; i++) {
        const dal_friction *f = &system->acting.frictions[i];
        out->limits[2 * i] = f->limit_of < 0 ? 0 : f->limit * cimag(x->expression[f->limit_of]) / h;
        out->limits[2 * i + 1] = f->resting_limit_of < 0 ? 0 : f->resting_limit * cimag(x->expression[f->resting_limit_of]) / h;
    }
    for (int k = 0; k < layout->nv && out->eta; k++)
        out->eta[k] = system->method.n_eta ? cimag(x->expression[system->method.eta + k]) / h : 0;
    if (pushes || columns) {
        dal_loads_apply(&x->loads, system->acting.n_groups, system->acting.groups);
        for (int i = 0; i < system->acting.n_laws; i++)
            dal_push_measure(&x->loads, system->acting.laws[i].measure, x->expression[system->acting.laws[i].expression], true);
        if (along->effort != 0) {
            x->effort[along->force] += _Complex_I * h * along->effort;
            dal_push_measure(&x->loads, system->acting.forces[along->force].measure, _Complex_I * h * along->effort, true);
        }
        push_friction(x, at, along);
        keep_slopes(6 * layout->mechanism->n_bodies, w->force, out->force);
        if (out->power)
            keep_powers(x, at, out->power);
    }
    if (out->motion)
        keep_motion(x, at, out->motion);
    if (slides)
        keep_sliding(x, out);
    const int of_columns = columns ? keep_columns(x, out) : 0;
    return exceeded ? exceeded : of_actions ? of_actions : of_columns;
}

bool dal_variation_reacts(const dal_variation *x, bool *rowless)
{
    const dal_compiled *records = &x->system->records;
    bool reacts = false;
    *rowless = false;
    for (int i = 0; i < records->n_needs; i++) {
        const dal_signal *s = &x->system->signals[records->needs[i]];
        reacts = reacts || s->kind == DAL_SIGNAL_REACTION || s->kind == DAL_SIGNAL_DRIVE || s->kind == DAL_SIGNAL_MULTIPLIER ||
                 (s->kind == DAL_SIGNAL_POWER && s->component);
        *rowless = *rowless || (s->kind == DAL_SIGNAL_REACTION && (x->layout.tree || x->layout.reduction));
    }
    return reacts;
}

void dal_variation_read(const dal_variation *x, double *values, double *slopes)
{
    const dal_compiled *read[] = {&x->system->actions, &x->system->records};
    for (int r = 0; r < 2; r++)
        for (int i = 0; i < read[r]->n_needs; i++) {
            const int k = read[r]->needs[i];
            values[k] = creal(x->variables[k]);
            slopes[k] = cimag(x->variables[k]) / h;
        }
}

/* |a| = sqrt(a . a) at a = 0: its slope along a' is |a'|, which is not linear in a'. Its rate a . a' / |a| has no slope either. */
static bool is_pointed_length(const dal_variation *x, const dal_measure *measure, int order)
{
    const dal_work *w = &x->work;
    double p[3], q[3], moves = 0;
    if (measure->kind != DAL_MEASURE_LENGTH)
        return false;
    for (int i = 0; i < 3; i++) {
        const int a = 3 * measure->vector[0] + i, b = 3 * measure->vector[1] + i;
        p[i] = creal(w->x[a]), q[i] = creal(w->x[b]);
        moves = fmax(moves, fabs(cimag(w->x[a] - w->x[b])));
        if (order)
            moves = fmax(moves, fmax(cabs(w->xd[a] - w->xd[b]), fabs(cimag(w->xd[a] - w->xd[b]))));
    }
    return moves > 0 && dal_points_coincide(p, q, x->layout.units.length);
}

bool dal_variation_pointed(const dal_variation *x, int signal)
{
    const dal_signal *s = &x->system->signals[signal];
    if (s->kind == DAL_SIGNAL_MEASURE)
        return is_pointed_length(x, &x->layout.mechanism->measures[s->index], s->order);
    if (s->kind != DAL_SIGNAL_EFFORT || cimag(x->effort[s->index]) == 0)
        return false;
    const dal_force_name *force = &x->system->acting.forces[s->index];
    if (force->vector)
        return fabs(creal(x->effort[s->index])) <= h;
    return force->measure >= 0 && force->along && is_pointed_length(x, &x->layout.mechanism->measures[force->measure], 0);
}

bool dal_variation_no_line(const dal_variation *x, int measure)
{
    return measure >= 0 && is_pointed_length(x, &x->layout.mechanism->measures[measure], 1);
}

/* Is switch i exactly between two pieces? */
static bool is_corner(const dal_variation *x, const dal_switch *list, int i)
{
    const bool between = (list[i].op == DAL_OP_SIGN || list[i].op == DAL_OP_EQUAL) && x->modes[i] == 0;
    return x->guards[i] == 0 || between;
}

int dal_variation_corner(dal_variation *x, const dal_variation_point *at, int after)
{
    const dal_compiled *actions = &x->system->actions;
    const int switches = actions->program ? dal_program_switches(actions->program) : 0;
    if (!switches)
        return -1;
    move_along(x, at, &(dal_variation_direction){0});
    run_program(x, actions, NULL, x->expression);
    dal_program_modes(actions->program, x->registers, x->modes);
    run_program(x, actions, x->modes, x->expression);
    dal_program_guards(actions->program, x->registers, x->modes, x->guards);
    const dal_switch *list = DAL_PROGRAM_PART(actions->program, dal_switch, switches);
    for (int i = after + 1; i < switches; i++)
        if (is_corner(x, list, i))
            return i;
    return -1;
}

int dal_variation_corners(dal_variation *x, const dal_variation_point *at)
{
    int corners = 0;
    for (int i = dal_variation_corner(x, at, -1); i >= 0; i = dal_variation_corner(x, at, i))
        corners++;
    return corners;
}
