/* A state with given values of some coordinates and rates.
 *
 * Wanted: the least change dq of the coordinates after which the constraints hold and the given ones have their values,
 *     [A; N_g] dq = [-phi; given - q_g],
 * N_g being the rows of q' = N v that belong to the given coordinates; Newton's method with least norm, in metres
 * (column_scale), large changes in parts. Then the velocities, which are linear:
 *     [A; E] dv = [beta - A v; given - E v].
 * If the given values contradict the constraints, the constraints hold: positions stay where the way to the given ones ends, and velocities are
 * solved without the given rows. Nonholonomic rows do not constrain positions.
 */
#include "base/argument.h"
#include "dalembert/equations.h"
#include "math/rank.h"
#include "model/coordinate_names.h"
#include "model/system_parts.h"
#include "dynamics/row_rank.h"
#include "state/report.h"
#include "state/scale.h"
#include "state/state_parts.h"
#include "state/values.h"
#include "state/windings.h"

#include <math.h>
#include <string.h>

enum { MOST_ITERATIONS = 50, MOST_HALVINGS = 12, PARTS = 40, TANGENTS = 60 };
static const double part_of_turn = 0.25, part_of_length = 0.25; /* moved at once, where that is not more than PARTS parts */
static const double close_enough = 1e-12;

typedef enum given_kind { GIVEN_COORDINATE, GIVEN_VELOCITY, GIVEN_SPEED } given_kind;

typedef struct target {
    given_kind kind;
    int index;
    double value, from, now; /* on the way from `from` to `value` */
} target;

typedef struct problem {
    dal_state *state;
    int n_targets;
    target *targets;
    double *matrix, *b, *x, *work, *rates, *still; /* (rows + targets) x nv */
    double *good_q, *good_winding;                 /* the last positions that meet everything */
    int rows;
} problem;

/* ---- names ----------------------------------------------------------------------- */

static bool find_target(const dal_system *system, const char *name, target *found)
{
    const dal_layout *layout = dal_system_layout(system);
    char text[256];
    for (int k = 0; k < layout->nq; k++) {
        dal_coordinate_name(system, k, text, sizeof text);
        if (!strcmp(text, name))
            return *found = (target){.kind = GIVEN_COORDINATE, .index = k}, true;
    }
    for (int k = 0; k < layout->nv; k++) {
        dal_velocity_name(system, k, text, sizeof text);
        if (!strcmp(text, name))
            return *found = (target){.kind = GIVEN_VELOCITY, .index = k}, true;
    }
    for (int k = 0; k < layout->mechanism->n_speeds && dal_speed_name(system, k); k++)
        if (!strcmp(dal_speed_name(system, k), name))
            return *found = (target){.kind = GIVEN_SPEED, .index = k}, true;
    return false;
}

/* The nearest name of the family; another family has other names. */
static void report_unknown(const dal_state *state, const char *name, dal_messages *messages)
{
    const dal_layout *layout = dal_layout_of(state);
    const dal_system *system = dal_system_of(state);
    const int nq = layout->nq, n = nq + layout->nv;
    char hint[96] = "";
    dal_arena arena;
    dal_arena_begin(&arena, dal_allocator_of(state));
    const char **names = DAL_NEW(&arena, const char *, n + 1);
    for (int k = 0; k < n && names; k++) {
        char text[256];
        if (k < nq)
            dal_coordinate_name(system, k, text, sizeof text);
        else
            dal_velocity_name(system, k - nq, text, sizeof text);
        if (!(names[k] = dal_arena_copy(&arena, text, strlen(text))))
            break;
    }
    if (names)
        dal_did_you_mean(name, names, hint);
    dal_error(messages, dal_nowhere, "'%s' is not a coordinate, velocity or speed of this model in the family %s%s; 'dalembert equations' lists them",
              name, layout->family->name, hint);
    dal_arena_release(&arena);
}

/* ---- one least-norm step ------------------------------------------------------------ */

/* Entry j of q_k' = N v + n: the rate for a unit of velocity j. */
static void gradient_of_coordinate(problem *p, int k, double *row)
{
    dal_state *state = p->state;
    dal_work *work = dal_work_of(state);
    const dal_layout *layout = dal_layout_of(state);
    double *v = work->v;
    memcpy(p->still, v, sizeof *v * (size_t)layout->nv);
    memset(v, 0, sizeof *v * (size_t)layout->nv);
    layout->family->rates(layout, work, p->rates);
    double rest = p->rates[k];
    for (int j = 0; j < layout->nv; j++) {
        v[j] = 1;
        layout->family->rates(layout, work, p->rates);
        row[j] = p->rates[k] - rest;
        v[j] = 0;
    }
    memcpy(v, p->still, sizeof *v * (size_t)layout->nv);
}

static double *add_row(problem *p, double b)
{
    const size_t m = (size_t)dal_layout_of(p->state)->nv;
    double *row = p->matrix + m * (size_t)p->rows;
    memset(row, 0, sizeof *row * m);
    p->b[p->rows++] = b;
    return row;
}

static void add_sparse(problem *p, int i, double b)
{
    const dal_layout *layout = dal_layout_of(p->state);
    const dal_row_layout *at = &layout->row[i];
    double *row = add_row(p, b);
    for (int k = at->value; k < at->value + at->n_values; k++)
        row[layout->column[k]] += dal_work_of(p->state)->A[k];
}

/* x: least norm in metres, rows at unit norm. */
static void solve_rows(problem *p)
{
    const dal_system *system = dal_system_of(p->state);
    const dal_layout *layout = dal_system_layout(system);
    const int m = layout->nv;
    for (int i = 0; i < p->rows; i++) {
        double *row = p->matrix + (size_t)i * (size_t)m, sum = 0;
        for (int j = 0; j < m; j++) {
            row[j] /= layout->units.column_scale[j];
            sum += row[j] * row[j];
        }
        double unit = sum > 0 ? 1 / sqrt(sum) : 1;
        for (int j = 0; j < m; j++)
            row[j] *= unit;
        p->b[i] *= unit;
    }
    memset(p->x, 0, sizeof *p->x * (size_t)m);
    if (p->rows)
        dal_rank_solve(p->matrix, p->rows, m, m, dal_system_method(system)->rank_tolerance, p->b, p->x, p->work);
    for (int j = 0; j < m; j++)
        p->x[j] /= layout->units.column_scale[j];
}

/* ---- positions, velocities ------------------------------------------------------------ */

static bool is_nonholonomic(const dal_system *system, int i)
{
    const dal_layout *layout = dal_system_layout(system);
    return i < layout->n_extrinsic && layout->mechanism->rows[layout->row[i].source].nonholonomic;
}

static void place_bodies(dal_state *state)
{
    dal_state_moved(state);
    dal_state_position(state);
    dal_state_jacobian(state);
    dal_state_velocity(state);
    dal_state_unwind(state);
}

/* The unit of a given value. */
static double unit_of(const problem *p, const target *t)
{
    const dal_system *system = dal_system_of(p->state);
    const dal_layout *layout = dal_system_layout(system);
    if (t->kind == GIVEN_COORDINATE)
        return layout->nq == layout->nv ? layout->units.length / layout->units.column_scale[t->index] : 1;
    return (t->kind == GIVEN_VELOCITY ? layout->units.length / layout->units.column_scale[t->index] : 1) / layout->units.time;
}

/* Newton; false where the rows, or the given values with them, cannot be met. */
static bool meet_positions(problem *p)
{
    dal_state *state = p->state;
    dal_work *work = dal_work_of(state);
    const dal_layout *layout = dal_layout_of(state);
    const dal_system *system = dal_system_of(state);
    double before = HUGE_VAL;
    for (int i = 0, stuck = 0; i < MOST_ITERATIONS && stuck < 5; i++) {
        double worst = 0;
        p->rows = 0;
        for (int k = 0; k < layout->n_rows; k++)
            if (!is_nonholonomic(system, k)) {
                add_sparse(p, k, -work->phi[k]);
                worst = fmax(worst, fabs(work->phi[k]) / layout->units.row_unit[k]);
            }
        for (int k = 0; k < p->n_targets; k++) {
            const target *t = &p->targets[k];
            if (t->kind != GIVEN_COORDINATE)
                continue;
            double change = t->now - work->q[t->index];
            worst = fmax(worst, fabs(change) / unit_of(p, t));
            gradient_of_coordinate(p, t->index, add_row(p, change));
        }
        if (worst <= close_enough)
            return true;
        if (!isfinite(worst))
            return false;
        stuck = worst < 0.5 * before ? 0 : stuck + 1;
        before = worst;
        solve_rows(p);
        layout->family->add(layout, work->q, p->x);
        place_bodies(state);
    }
    return false;
}

static void remember_state(problem *p)
{
    dal_work *work = dal_work_of(p->state);
    const dal_layout *layout = dal_layout_of(p->state);
    memcpy(p->good_q, work->q, sizeof *p->good_q * (size_t)layout->nq);
    memcpy(p->good_winding, work->winding, sizeof *p->good_winding * (size_t)layout->mechanism->n_windings);
}

static void go_back(problem *p)
{
    dal_work *work = dal_work_of(p->state);
    const dal_layout *layout = dal_layout_of(p->state);
    memcpy(work->q, p->good_q, sizeof *p->good_q * (size_t)layout->nq);
    memcpy(work->winding, p->good_winding, sizeof *p->good_winding * (size_t)layout->mechanism->n_windings);
    place_bodies(p->state);
}

/* From the present positions to the given ones in parts, so that a mechanism stays on its branch; a part that fails is halved. Positions that cannot
 * be reached stay at the last part that could. */
static void approach(problem *p)
{
    const dal_system *system = dal_system_of(p->state);
    const dal_layout *layout = dal_system_layout(system);
    double parts = 1, done = 0;
    for (int k = 0; k < p->n_targets; k++) {
        target *t = &p->targets[k];
        if (t->kind != GIVEN_COORDINATE)
            continue;
        bool shift = layout->nq == layout->nv && layout->angular[t->index] == 0;
        t->from = dal_work_of(p->state)->q[t->index];
        parts = fmax(parts, fabs(t->value - t->from) / (shift ? part_of_length * layout->units.length : part_of_turn));
    }
    double step = 1 / fmin(ceil(parts), PARTS);
    remember_state(p);
    for (int halved = 0; done < 1 && halved < MOST_HALVINGS;) {
        double next = fmin(1, done + step);
        for (int k = 0; k < p->n_targets; k++)
            p->targets[k].now = next < 1 ? p->targets[k].from + next * (p->targets[k].value - p->targets[k].from) : p->targets[k].value;
        if (meet_positions(p)) {
            done = next;
            remember_state(p);
        } else {
            go_back(p);
            step /= 2;
            halved++;
        }
    }
}

static void meet_velocities(problem *p, bool given)
{
    dal_state *state = p->state;
    dal_work *work = dal_work_of(state);
    const dal_layout *layout = dal_layout_of(state);
    for (int pass = 0; pass < (layout->curved ? TANGENTS : 2); pass++) { /* the second removes the rounding of the first */
        if (layout->curved && pass) {
            dal_state_forget(state, DAL_STAGE_UNPACKED | DAL_STAGE_JACOBIAN);
            dal_state_jacobian(state);
        }
        p->rows = 0;
        for (int k = 0; k < layout->n_rows; k++)
            add_sparse(p, k, -work->phid[k]);
        for (int k = 0; k < p->n_targets && given; k++) {
            const target *t = &p->targets[k];
            if (t->kind == GIVEN_VELOCITY)
                add_row(p, t->value - work->v[t->index])[t->index] = 1;
            else if (t->kind == GIVEN_SPEED)
                add_sparse(p, layout->n_rows + t->index, t->value - work->phid[layout->n_rows + t->index]);
        }
        solve_rows(p);
        for (int j = 0; j < layout->nv; j++)
            work->v[j] += p->x[j];
        dal_state_velocity(state);
    }
}

/* How far a given value is from what it became, in its unit; *by: as it is. */
static double missed_by(const problem *p, double *by)
{
    const dal_state *state = p->state;
    const dal_work *work = dal_seen_work(state);
    double worst = 0;
    *by = 0;
    for (int k = 0; k < p->n_targets; k++) {
        const target *t = &p->targets[k];
        double is = t->kind == GIVEN_COORDINATE ? work->q[t->index]
                    : t->kind == GIVEN_VELOCITY ? work->v[t->index]
                                                : work->phid[dal_layout_of(state)->n_rows + t->index];
        if (fabs(is - t->value) > worst * unit_of(p, t)) {
            worst = fabs(is - t->value) / unit_of(p, t);
            *by = fabs(is - t->value);
        }
    }
    return worst;
}

/* The decisions at the start of a run are made again: rows, speeds, pieces of switches, constant momenta. */
static dal_flow settle(problem *p)
{
    dal_state *state = p->state;
    dal_work *work = dal_work_of(state);
    const dal_layout *layout = dal_layout_of(state);
    double *q = p->rates, *v = p->still;
    memcpy(q, work->q, sizeof *q * (size_t)layout->nq);
    memcpy(v, work->v, sizeof *v * (size_t)layout->nv);
    dal_state_rank(state, dal_system_rank(dal_system_of(state)));
    dal_values_of(state)->frozen = false;
    return dal_state_adopt(state, work->t, q, v);
}

static dal_status meet(problem *p, dal_messages *messages, double *moved)
{
    dal_state *state = p->state;
    dal_work *work = dal_work_of(state);
    double by;
    dal_flow flow = dal_state_unpack(state, work->t, dal_state_y(state));
    if (flow == 0) {
        place_bodies(state);
        approach(p);
        meet_velocities(p, true);
        int row = 0;
        if (missed_by(p, &by) > close_enough || dal_worst_row(state, work->phid, &row) > close_enough / dal_layout_of(state)->units.time)
            meet_velocities(p, false);
        if (dal_layout_of(state)->curved && !(dal_worst_row(state, work->phid, &row) <= 1e3 * close_enough / dal_layout_of(state)->units.time))
            flow = dal_state_fail(state, "no velocities were found near them that meet the constraints, of which some are not linear in the rates");
        else
            flow = settle(p);
    }
    if (flow) {
        dal_error(messages, dal_nowhere, "at the given values: %s", dal_trouble_of(state));
        return DAL_NUMERICAL;
    }
    if (moved)
        *moved = missed_by(p, &by) > 1e3 * close_enough ? by : 0;
    return DAL_OK;
}

/* Each value sets one number of (q, v) or a speed: more values than these contradict each other. */
static bool can_give(dal_state *state, int n, const dal_given *given, dal_messages *messages)
{
    static const char function[] = "dal_state_assign";
    if (!dal_needs_own(messages, function, state) || !dal_needs_array(messages, function, "given", n, given))
        return false;
    const dal_layout *layout = dal_layout_of(state);
    const int most = layout->nq + layout->nv + layout->mechanism->n_speeds;
    for (int k = 0; k < n && k <= most; k++) {
        if (!dal_needs(messages, function, "given[].name", given[k].name))
            return false;
        if (!isfinite(given[k].value)) {
            dal_error(messages, dal_nowhere, "%s: the value of '%s' is %g: a finite number is needed", function, given[k].name, given[k].value);
            return false;
        }
    }
    if (n > most)
        dal_error(messages, dal_nowhere, "%s: %d values are given, and the state has %d coordinates, rates and speeds", function, n, most);
    return n <= most;
}

dal_status dal_state_assign(dal_state *state, int n, const dal_given *given, dal_messages *messages, double *moved)
{
    if (moved)
        *moved = 0;
    if (!can_give(state, n, given, messages))
        return DAL_BAD_COMMAND;
    const dal_layout *layout = dal_layout_of(state);
    const int rows = layout->n_rows + n, m = layout->nv;
    const size_t work = dal_rank_work(rows, m);
    dal_state_forget(state, DAL_STAGE_ACCELERATION);
    dal_arena arena;
    dal_arena_begin(&arena, dal_allocator_of(state));
    target *targets = DAL_NEW(&arena, target, n);
    double *memory =
        DAL_NEW(&arena, double,
                (size_t)rows *(size_t)m + (size_t)rows + 2 * (size_t)m + 2 * (size_t)layout->nq + (size_t)layout->mechanism->n_windings + work);
    dal_status status = targets && memory ? DAL_OK : DAL_NO_MEMORY;
    for (int k = 0; k < n && status == DAL_OK; k++) {
        if (find_target(dal_system_of(state), given[k].name, &targets[k])) {
            targets[k].value = given[k].value;
        } else {
            report_unknown(state, given[k].name, messages);
            status = DAL_BAD_COMMAND;
        }
        for (int i = 0; i < k && status == DAL_OK; i++)
            if (targets[i].kind == targets[k].kind && targets[i].index == targets[k].index) {
                dal_error(messages, dal_nowhere, "'%s' is given twice: a coordinate or rate has one value", given[k].name);
                status = DAL_BAD_COMMAND;
            }
    }
    if (status == DAL_OK) {
        problem p = {.state = state, .n_targets = n, .targets = targets, .matrix = memory};
        p.b = p.matrix + (size_t)rows * (size_t)m;
        p.x = p.b + rows;
        p.still = p.x + m;
        p.rates = p.still + m;
        p.good_q = p.rates + layout->nq;
        p.good_winding = p.good_q + layout->nq;
        p.work = p.good_winding + layout->mechanism->n_windings;
        status = meet(&p, messages, moved);
    }
    dal_arena_release(&arena);
    return status;
}
