/* Bodies placed by expressions: which coordinates move which body, and the programs of the derivatives.
 *
 * With the frames f(q, t) as nodes and x any of the variables, everything follows from exact differentiation:
 *   jacobian   df/dq_i of the coordinates in f, df/dt where t is in f
 *   rates      D_a of all outputs of the jacobian
 *   bends      D_b f = sum df/dq_i b_i + df/dt db, and D_a of that with b frozen: second derivatives times a and b
 */
#include "kinematics/placement.h"

#include <string.h>

#ifndef DAL_SCALAR_VARIANT

typedef struct list {
    dal_arena *arena;
    dal_node *node;
    int n;
    size_t capacity;
} list;

static void put_node(list *to, dal_node node)
{
    *DAL_PUSH(to->arena, to->node, to->n, to->capacity) = node;
}

/* D of a direction that begins at variable `first`: coordinates move with first + i, time (variable n) with first + n. */
typedef struct direction {
    int n, first;
} direction;

static dal_node rate_along(void *user, dal_graph *graph, int variable)
{
    const direction *d = user;
    return variable <= d->n ? dal_var(graph, d->first + variable) : DAL_NO_NODE;
}

static bool moves_placement(dal_graph *graph, const dal_node frame[12], int variable)
{
    for (int i = 0; i < 12; i++)
        if (dal_depends(graph, frame[i], variable))
            return true;
    return false;
}

static bool is_constant(dal_graph *graph, const dal_node *node, int n)
{
    for (int i = 0; i < n; i++)
        if (!dal_is_const(graph, node[i], NULL))
            return false;
    return true;
}

/* The nodes of a body's derivative: 3, or 12 where it turns. */
static void put_derivative(dal_graph *graph, const dal_placed *placed, const dal_node frame[12], int variable, list *out)
{
    for (int i = 0; i < dal_placed_size(placed); i++)
        put_node(out, dal_diff(graph, frame[i], variable));
}

static void put_bend(dal_graph *graph, const dal_placed *placed, const dal_node frame[12], int n, list *out)
{
    direction a = {n, n + 1}, b = {n, 2 * n + 2};
    for (int i = 0; i < dal_placed_size(placed); i++)
        put_node(out, dal_rate(graph, dal_rate(graph, frame[i], rate_along, &b), rate_along, &a));
}

dal_placement *dal_placement_build(dal_arena *arena, dal_graph *graph, const dal_mechanism *mechanism, const dal_node *frame)
{
    const int n = mechanism->n_coordinates, variables = dal_placement_variables(n);
    dal_placement *p = DAL_NEW(arena, dal_placement, 1);
    list jacobian = {.arena = arena}, bends = {.arena = arena}, rates = {.arena = arena};
    direction a = {n, n + 1};
    p->n_bodies = mechanism->n_bodies;
    p->n_coordinates = n;
    p->body = DAL_NEW(arena, dal_placed, p->n_bodies);
    p->column = DAL_NEW(arena, int, p->n_bodies *n);
    for (int b = 0; b < p->n_bodies; b++) {
        dal_placed *placed = &p->body[b];
        const dal_node *own = frame + 12 * b;
        placed->column = p->n_columns;
        placed->jacobian = jacobian.n;
        placed->turns = !is_constant(graph, own + 3, 9);
        placed->timed = moves_placement(graph, own, n);
        for (int i = 0; i < n; i++)
            if (moves_placement(graph, own, i)) {
                p->column[p->n_columns++] = i;
                placed->n_columns++;
                put_derivative(graph, placed, own, i, &jacobian);
            }
        if (placed->timed)
            put_derivative(graph, placed, own, n, &jacobian);
        put_bend(graph, placed, own, n, &bends);
    }
    for (int i = 0; i < jacobian.n; i++)
        put_node(&rates, dal_rate(graph, jacobian.node[i], rate_along, &a));
    p->frames = dal_program_build(arena, graph, variables, 12 * p->n_bodies, frame);
    p->jacobian = dal_program_build(arena, graph, variables, jacobian.n, jacobian.node);
    p->bends = dal_program_build(arena, graph, variables, bends.n, bends.node);
    p->rates = dal_program_build(arena, graph, variables, rates.n, rates.node);
    return p;
}

void dal_placement_columns(dal_arena *arena, dal_layout *layout)
{
    const dal_placement *p = layout->placement;
    const dal_mechanism *m = layout->mechanism;
    const int n = p->n_coordinates;
    layout->nq = layout->nv = n;
    layout->n_blocks = 1;
    layout->block = DAL_NEW(arena, dal_mass_block, 1);
    layout->block[0] = (dal_mass_block){0, 0, n};
    layout->n_mass = n * n;
    layout->n_body_columns = layout->n_jacobian = p->n_columns;
    layout->body_column = DAL_NEW(arena, int, p->n_columns);
    memcpy(layout->body_column, p->column, sizeof *p->column * (size_t)p->n_columns);
    for (int b = 0; b < p->n_bodies; b++) {
        dal_body_layout *at = &layout->body[b];
        at->n_rot = m->bodies[b].particle ? 0 : m->space == DAL_PLANAR ? 1 : 3;
        at->column = at->jacobian = p->body[b].column;
        at->n_columns = p->body[b].n_columns;
    }
    layout->angular = DAL_NEW(arena, int, n);
    for (int i = 0; i < n; i++)
        layout->angular[i] = -1;
}

static void pack_program(dal_block *block, dal_program **program)
{
    void *copy = dal_block_copy(block, *program, dal_program_bytes(*program));
    if (copy)
        *program = copy;
}

dal_placement *dal_placement_pack(dal_block *block, const dal_placement *from)
{
    dal_placement own = *from, *to = dal_block_copy(block, from, sizeof *from);
    DAL_PACK(block, own.body, from->n_bodies);
    DAL_PACK(block, own.column, from->n_columns);
    pack_program(block, &own.frames);
    pack_program(block, &own.jacobian);
    pack_program(block, &own.bends);
    pack_program(block, &own.rates);
    if (to)
        *to = own;
    return to;
}

#endif
