/* B, C and D.
 *
 * Inputs are those of `inputs:`, forces that act along a measure (motors: an effort u beside their own), and drives. A drive requires
 *
 *     phi = s - f(t) - u = 0,   phi' = s' - f' - u',   phi'' = s'' - f'' - u''
 *
 * and three columns of B belong to it: of u, u' and u'' (of `drive-rate:`, which has no row of positions, two). A change of u moves the mechanism and
 * with it the states. Along any such change, with the change g of the states and f of their rates,
 *
 *     x' changes by f = A g + B u,   so B = f - A g;   y by c = C g + D u,   so D = c - C g.
 *
 * For the other inputs g = 0.
 */
#include "linear/linear.h"

#include "base/message.h"
#include "model/system_parts.h"
#include "state/state_parts.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const dal_mark command_line = {"command line", 0, 0};

typedef enum source_kind { SOURCE_INPUT, SOURCE_FORCE, SOURCE_DRIVE } source_kind;

/* A column of B. */
typedef struct source {
    source_kind kind;
    int number; /* of the input, the force, or the row of the layout */
    int level;  /* of a drive: its value, rate or acceleration */
} source;

/* The changes by an input, with room for their parts. */
typedef struct change_room {
    double *du, *dq, *dv, *vd, *column, *state, *g, *f;
} change_room;

/* ---- names ------------------------------------------------------------------------------------------- */

static void add_source(dal_linear *x, source *list, const char **names, int *orders, const char *name, int order, source s)
{
    const int n = x->out->n_inputs++;
    list[n] = s;
    names[n] = dal_arena_print(&x->arena, "%s%.*s", name, order, "''");
    orders[n] = order;
}

static int force_named(const dal_acting *acting, const char *name)
{
    for (int i = 0; i < acting->n_forces; i++)
        if (!strcmp(acting->forces[i].name, name) && acting->forces[i].measure >= 0 && acting->forces[i].along)
            return i;
    return -1;
}

static const dal_joint *drive_named(const dal_mechanism *m, const char *name)
{
    for (int j = 0; j < m->n_joints; j++)
        if (!strcmp(m->joints[j].name, name) && m->joints[j].drive >= 0)
            return &m->joints[j];
    return NULL;
}

/* A message with all possible names. */
static void refuse_input(dal_linear *x, const char *name)
{
    const dal_acting *acting = dal_system_acting(x->system);
    const dal_mechanism *m = dal_system_mechanism(x->system);
    const char *const *all;
    const int n = dal_system_inputs(x->system, &all);
    const char **known = DAL_NEW(&x->arena, const char *, n + acting->n_forces + m->n_joints + 1), *list = "";
    int found = 0;
    char hint[96];
    for (int i = 0; i < n; i++)
        known[found++] = all[i];
    for (int i = 0; i < acting->n_forces; i++)
        if (force_named(acting, acting->forces[i].name) == i)
            known[found++] = acting->forces[i].name;
    for (int j = 0; j < m->n_joints; j++)
        if (m->joints[j].drive >= 0)
            known[found++] = m->joints[j].name;
    for (int i = 0; i < found && i < 8; i++)
        list = dal_arena_print(&x->arena, "%s%s%s", list, i ? ", " : "", known[i]);
    if (!found)
        dal_error(x->messages, command_line, "the model has no input '%s': it has no `inputs:`, no motor and no drive", name);
    else if (*dal_did_you_mean(name, known, hint))
        dal_error(x->messages, command_line, "the model has no input '%s'%s", name, hint);
    else
        dal_error(x->messages, command_line, "the model has no input '%s': an input is one of %s%s", name, list, found > 8 ? ", ..." : "");
}

static dal_status add_input(dal_linear *x, const char *name, source *list, const char **names, int *orders)
{
    const int input = dal_system_input(x->system, name), force = force_named(dal_system_acting(x->system), name);
    const dal_joint *joint = drive_named(dal_system_mechanism(x->system), name);
    if (input >= 0)
        add_source(x, list, names, orders, name, 0, (source){SOURCE_INPUT, input, 0});
    else if (force >= 0)
        add_source(x, list, names, orders, name, 0, (source){SOURCE_FORCE, force, 0});
    else if (joint) {
        const int row = x->point.layout->row_at[joint->drive], first = dal_system_mechanism(x->system)->rows[joint->drive].nonholonomic ? 1 : 0;
        if (row < 0) {
            dal_error(x->messages, command_line, "drive '%s' was eliminated from the equations: choose other --coordinates", name);
            return DAL_BAD_COMMAND;
        }
        for (int level = first; level < 3; level++)
            add_source(x, list, names, orders, name, level - first, (source){SOURCE_DRIVE, row, level});
    } else {
        refuse_input(x, name);
        return DAL_BAD_COMMAND;
    }
    return DAL_OK;
}

static dal_status name_inputs(dal_linear *x, source **sources)
{
    const char *const *all;
    const int n = dal_system_inputs(x->system, &all);
    const bool some = x->options->inputs != NULL;
    const int asked = some ? x->options->n_inputs : n;
    const char **names = DAL_NEW(&x->arena, const char *, 3 * asked + 1);
    int *orders = DAL_NEW(&x->arena, int, 3 * asked + 1);
    *sources = DAL_NEW(&x->arena, source, 3 * asked + 1);
    x->out->inputs = names;
    x->out->input_orders = orders;
    for (int i = 0; i < asked; i++) {
        const dal_status status = add_input(x, some ? x->options->inputs[i] : all[i], *sources, names, orders);
        if (status != DAL_OK)
            return status;
    }
    return DAL_OK;
}

int dal_output_columns(const dal_linear *x, const char *output, int column[3])
{
    int n = 0;
    column[0] = dal_system_column(x->system, output);
    if (column[0] >= 0)
        return 1;
    for (int k = 0; k < 3; k++) {
        char name[600];
        snprintf(name, sizeof name, "%.500s.%c", output, 'x' + k);
        column[n] = dal_system_column(x->system, name);
        n += column[n] >= 0;
    }
    return n;
}

static int *name_outputs(dal_linear *x)
{
    const dal_column *columns = dal_system_columns(x->system, NULL, NULL);
    int *numbers = DAL_NEW(&x->arena, int, 3 * x->options->n_outputs + 1), column[3];
    const char **names = DAL_NEW(&x->arena, const char *, 3 * x->options->n_outputs + 1);
    for (int i = 0; i < x->options->n_outputs; i++) {
        const int n = dal_output_columns(x, x->options->outputs[i], column);
        for (int k = 0; k < n; k++) {
            names[x->out->n_outputs] = dal_arena_copy(&x->arena, columns[column[k]].name, strlen(columns[column[k]].name));
            numbers[x->out->n_outputs++] = column[k];
        }
    }
    x->out->outputs = names;
    return numbers;
}

/* ---- numbers ------------------------------------------------------------------------------------------ */

static dal_status fill_outputs(dal_linear *x, const int *numbers, double *C, double *y)
{
    bool *loose = DAL_NEW(&x->arena, bool, x->point.n_columns + 1);
    if (x->point.reacts && x->point.velocities.n < x->point.n_rows)
        dal_point_loose(&x->point, loose);
    for (int i = 0; i < x->out->n_outputs; i++) {
        const double *from = x->columns + (size_t)numbers[i] * (size_t)x->n_x;
        bool finite = isfinite(x->values[numbers[i]]);
        for (int j = 0; j < x->n_x; j++)
            finite = finite && isfinite(from[j]);
        if (!finite || loose[numbers[i]]) {
            if (finite)
                dal_error(x->messages, command_line,
                          "output '%s' is one of many: the constraints are redundant, and forces of constraints are not unique", x->out->outputs[i]);
            else
                dal_error(x->messages, command_line, "output '%s' has no derivative here: %s", x->out->outputs[i],
                          dal_why_no_derivative(x, numbers[i]));
            return DAL_BAD_MODEL;
        }
        dal_over_states(x, from, C + (size_t)i * (size_t)x->n_x);
        y[i] = x->values[numbers[i]];
    }
    return DAL_OK;
}

/* After all directions of states and inputs. */
static dal_status judge_corners(dal_linear *x, const int *numbers)
{
    if (x->rough) {
        dal_error(x->messages, dal_nowhere, "%s; small motions are not determined", x->rough);
        return DAL_BAD_MODEL;
    }
    for (int i = 0; i < x->out->n_outputs && x->corner; i++)
        if (x->edge[numbers[i]]) {
            dal_error(x->messages, command_line, "output '%s' has no derivative here: it has a root or a length of zero, or asin or acos at 1 or -1",
                      x->out->outputs[i]);
            return DAL_BAD_MODEL;
        }
    for (int i = 0; i < x->out->n_outputs && x->corner; i++)
        if (x->corner[numbers[i]])
            dal_say(x->messages, DAL_WARNING, dal_nowhere,
                    "output '%s' is at a corner here (abs, a comparison, a knot of a table): its derivative is that of one side, or zero",
                    x->out->outputs[i]);
    return DAL_OK;
}

/* The changes along input j, in `room`. False: other rows forbid it. */
static bool change_input(dal_linear *x, const source *s, change_room *room)
{
    dal_point *p = &x->point;
    dal_change change = {0};
    if (s->kind == SOURCE_INPUT) {
        room->du[s->number] = 1;
        change.inputs = room->du;
    } else if (s->kind == SOURCE_FORCE) {
        change.force = s->number;
        change.effort = 1;
    } else {
        if (!dal_point_drive(p, s->number, s->level, room->dq, room->dv))
            return false;
        change = (dal_change){.q = room->dq, .v = room->dv, .row = s->number, .acceleration = s->level == 2};
    }
    dal_point_change(p, &change, room->vd, room->state, room->column);
    dal_meet_corners(x);
    if (s->kind == SOURCE_INPUT)
        room->du[s->number] = 0;
    return true;
}

/* g and f, in the order of the states. */
static void gather_states(const dal_linear *x, change_room *room)
{
    const int positions = x->point.positions.p, velocities = x->point.velocities.p;
    for (int i = 0; i < positions; i++) {
        const dal_candidate *c = &x->candidates[x->chosen[i]];
        room->g[i] = room->column[c->column];
        room->f[i] = room->column[c->rate];
        if (x->moving[i] >= 0) {
            room->g[positions + x->moving[i]] = room->column[c->rate];
            room->f[positions + x->moving[i]] = room->column[c->acceleration];
        }
    }
    for (int i = 0; i < x->point.n_z; i++) {
        room->g[positions + velocities + i] = 0;
        room->f[positions + velocities + i] = room->state[i];
    }
}

/* from - row . g, where it is more than rounding of the sum. */
static double less_states(const double *row, const double *g, int n, double from)
{
    double sum = from, size = fabs(from);
    for (int k = 0; k < n; k++) {
        sum -= row[k] * g[k];
        size = fmax(size, fabs(row[k] * g[k]));
    }
    return fabs(sum) <= 4e-16 * size * n ? 0 : sum;
}

/* The rounding in the effect of an effort of one newton, or newton metre. */
static double no_effect(const dal_linear *x)
{
    const dal_units *units = &x->point.layout->units;
    return 1e-13 / (units->mass * fmax(1, units->length * units->length));
}

static dal_status fill_inputs(dal_linear *x, const source *sources, const int *outputs, double *B, double *D)
{
    dal_point *p = &x->point;
    dal_linearization *out = x->out;
    const size_t inputs = (size_t)out->n_inputs, n = (size_t)x->n_x;
    change_room room = {DAL_NEW(&x->arena, double, p->n_inputs + 1),
                        DAL_NEW(&x->arena, double, p->nv + 1),
                        DAL_NEW(&x->arena, double, p->nv + 1),
                        DAL_NEW(&x->arena, double, p->nv + 1),
                        DAL_NEW(&x->arena, double, p->n_columns + 1),
                        DAL_NEW(&x->arena, double, p->n_z + 1),
                        DAL_NEW(&x->arena, double, n + 1),
                        DAL_NEW(&x->arena, double, n + 1)};
    for (size_t j = 0; j < inputs; j++) {
        if (!change_input(x, &sources[j], &room)) {
            dal_error(x->messages, command_line, "drive '%s' is not an input: other constraints hold what it moves", out->inputs[j]);
            return DAL_BAD_COMMAND;
        }
        gather_states(x, &room);
        bool acts = false;
        const double nothing = sources[j].kind == SOURCE_FORCE ? no_effect(x) : 0;
        for (size_t i = 0; i < n; i++) {
            const bool rate = i < (size_t)out->n_positions && x->moving[i] >= 0; /* s' is a state itself */
            B[i * inputs + j] = rate ? 0 : less_states(out->A + n * i, room.g, (int)n, room.f[i]);
            acts = acts || fabs(B[i * inputs + j]) > nothing;
        }
        for (size_t i = 0; i < n && !acts; i++)
            B[i * inputs + j] = 0;
        for (size_t i = 0; i < (size_t)out->n_outputs; i++)
            D[i * inputs + j] = less_states(out->C + n * i, room.g, (int)n, room.column[outputs[i]]);
        if (!acts && sources[j].kind != SOURCE_DRIVE)
            dal_say(x->messages, DAL_WARNING, dal_nowhere, "input '%s' acts on nothing here: its column of B is zero", out->inputs[j]);
    }
    return DAL_OK;
}

dal_status dal_fill_ports(dal_linear *x)
{
    dal_linearization *out = x->out;
    const size_t n = (size_t)x->n_x;
    source *sources;
    dal_status status = name_inputs(x, &sources);
    if (status != DAL_OK)
        return status;
    const int *outputs = name_outputs(x);
    double *B = DAL_NEW(&x->arena, double, n *(size_t)out->n_inputs + 1), *C = DAL_NEW(&x->arena, double, (size_t)out->n_outputs *n + 1);
    double *D = DAL_NEW(&x->arena, double, (size_t)out->n_outputs *(size_t)out->n_inputs + 1), *y = DAL_NEW(&x->arena, double, out->n_outputs + 1);
    out->B = B, out->C = C, out->D = D, out->y = y;
    status = fill_outputs(x, outputs, C, y);
    if (status == DAL_OK)
        status = fill_inputs(x, sources, outputs, B, D);
    return status == DAL_OK ? judge_corners(x, outputs) : status;
}
