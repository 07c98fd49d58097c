/* Complex steps through the kernels of kinematics, forces and expressions. Compiled for complex numbers only: CMakeLists.txt. */
#include "variation/variation.h"

#include "force/force.h"
#include "force/signal.h"

#include <string.h>

static const double h = 1e-30;

struct dal_variation {
    dal_allocator allocator;
    const dal_system *system;
    dal_layout layout; /* with the family on complex numbers */
    dal_work work;
    dal_loads loads;
    dal_real *z, *inputs, *variables, *registers, *expression, *effort;
    dal_real *qd, *still, *sum; /* nq; nv; the larger of nv and n_rows */
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

/* The arrays of a variation over `memory`; how many numbers they are. */
static size_t lay_out_variation(dal_variation *x, dal_real *memory)
{
    const dal_system *system = x->system;
    const dal_layout *layout = &x->layout;
    size_t used = dal_work_size(layout);
    struct {
        dal_real **at;
        int n;
    } const parts[] = {{&x->z, system->n_states + 1},
                       {&x->inputs, system->n_inputs},
                       {&x->variables, system->n_signals},
                       {&x->registers, larger(registers_of(&system->drives), registers_of(&system->actions))},
                       {&x->expression, system->actions.n_outputs},
                       {&x->effort, system->acting.n_forces},
                       {&x->qd, layout->nq},
                       {&x->still, layout->nv},
                       {&x->sum, larger(layout->nv, layout->n_rows + layout->n_speeds)}};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        if (memory)
            *parts[i].at = memory + used;
        used += (size_t)parts[i].n;
    }
    return used;
}

dal_variation *dal_variation_create(const dal_allocator *allocator, const dal_system *system, int family)
{
    dal_variation local = {.allocator = *allocator, .system = system, .layout = system->layout};
    if (system->layout.columnless)
        return NULL;
    local.layout.family = dal_families[family];
    const size_t numbers = lay_out_variation(&local, NULL), charts = 3 * (size_t)system->mechanism.n_bodies;
    const size_t bytes = sizeof local + sizeof(dal_real) * numbers + sizeof(int) * charts + sizeof(dal_real);
    dal_variation *x = allocator->allocate(allocator->user, bytes);
    if (!x)
        return NULL;
    memset(x, 0, bytes);
    *x = local;
    dal_real *memory = (dal_real *)(void *)((char *)x + (sizeof *x + sizeof(dal_real) - 1) / sizeof(dal_real) * sizeof(dal_real));
    dal_work_layout(&x->layout, memory, (int *)(void *)(memory + numbers), &x->work);
    lay_out_variation(x, memory);
    x->loads = (dal_loads){.layout = &x->layout, .work = &x->work, .expression = x->expression, .effort = x->effort};
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
static void move_coordinates(dal_variation *x, const dal_variation_point *at, const double *dq)
{
    dal_work *w = &x->work;
    const dal_layout *layout = &x->layout;
    set_numbers(w->q, layout->nq, at->q, NULL);
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

static int run_program(dal_variation *x, const dal_compiled *compiled, const int *modes, dal_real *out)
{
    if (!compiled->program)
        return 0;
    for (int i = 0; i < compiled->n_needs; i++)
        x->variables[compiled->needs[i]] = dal_signal_value(&x->work, x->z, x->inputs, &x->system->signals[compiled->needs[i]]);
    return dal_program_run(compiled->program, x->variables, modes, x->registers, out);
}

static void keep_slopes(int n, const dal_real *from, double *to)
{
    for (int k = 0; to && k < n; k++)
        to[k] = cimag(from[k]) / h;
}

/* r = M v' + h - Q - A^T lambda */
static void keep_motion(dal_variation *x, const dal_variation_point *at, double *out)
{
    const dal_layout *layout = &x->layout;
    dal_work *w = &x->work;
    dal_inertia_and_forces(layout, w);
    set_numbers(x->still, layout->nv, at->vd, NULL);
    dal_mass_times(layout, w->M, x->still, x->sum);
    for (int k = 0; k < layout->nv; k++)
        out[k] = cimag(x->sum[k] + w->h[k] - w->Q[k]) / h;
    for (int i = 0; at->lambda && i < layout->n_rows; i++)
        for (int k = layout->row[i].value; k < layout->row[i].value + layout->row[i].n_values; k++)
            out[layout->column[k]] -= cimag(w->A[k]) / h * at->lambda[i];
}

/* phi'' = A v' - gamma */
static void keep_row_accelerations(dal_variation *x, const dal_variation_point *at, double *out)
{
    const dal_layout *layout = &x->layout;
    for (int i = 0; i < layout->n_rows; i++) {
        dal_real sum = -x->work.gamma[i];
        for (int k = layout->row[i].value; k < layout->row[i].value + layout->row[i].n_values; k++)
            sum += x->work.A[k] * (at->vd ? at->vd[layout->column[k]] : 0);
        out[i] = cimag(sum) / h;
    }
}

int dal_variation_along(dal_variation *x, const dal_variation_point *at, const dal_variation_direction *along, const dal_variation_result *out)
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
    move_coordinates(x, at, along->q);
    set_numbers(w->v, layout->nv, at->v, along->v);
    int exceeded = run_program(x, &system->drives, NULL, w->time);
    dal_layout_motion(layout, w);
    if (!exceeded)
        exceeded = w->table_exceeded;
    keep_slopes(layout->n_rows, w->phi, out->phi);
    keep_slopes(layout->n_rows, w->phid, out->phid);
    if (out->phidd)
        keep_row_accelerations(x, at, out->phidd);
    if (!out->motion && !out->states)
        return exceeded;
    const int of_actions = run_program(x, &system->actions, at->modes, x->expression);
    keep_slopes(system->n_states, x->expression + system->n_expressions, out->states);
    if (out->motion) {
        dal_loads_apply(&x->loads, system->acting.n_groups, system->acting.groups);
        for (int i = 0; i < system->acting.n_laws; i++)
            dal_push_measure(&x->loads, system->acting.laws[i].measure, x->expression[system->acting.laws[i].expression], true);
        keep_motion(x, at, out->motion);
    }
    return exceeded ? exceeded : of_actions;
}
