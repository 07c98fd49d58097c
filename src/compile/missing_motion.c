/* The motion along a direction without inertia: of points and bodies in symbols, of forces by its rates, and its name.
 *
 *     shift   dP = factor axis                   a move that shifts
 *             dP = factor axis x (P - hub)       a move that turns about a point on the axis
 *     R_ij                                       how much the force along direction i changes between rates of -1 and 1 along direction j
 */
#include "compile/missing.h"
#include "state/state_parts.h"

#include <math.h>
#include <string.h>

static const double nothing = 1e-8; /* share of a direction that is rounding */

/* ---- in symbols -------------------------------------------------------------------------------------------- */

static dal_node times(dal_symbolic *s, double factor, dal_node node)
{
    return dal_binary(s->graph, DAL_OP_MUL, dal_const(s->graph, factor), node);
}

static void add_to(dal_symbolic *s, dal_node *sum, dal_node node)
{
    *sum = dal_binary(s->graph, DAL_OP_ADD, *sum, node);
}

static void shift_own(dal_symbolic *s, const dal_massless *n, const dal_node place[3], dal_node out[3])
{
    for (int k = 0; k < s->build->spec->n_coordinates; k++) {
        const int variable = n->own[k] != 0 ? dal_symbolic_coordinate(s, k) : -1;
        for (int i = 0; i < 3 && variable >= 0; i++)
            add_to(s, &out[i], times(s, n->own[k], dal_diff(s->graph, place[i], variable)));
    }
}

/* axis x (place - hub) */
static void shift_turned(dal_symbolic *s, const dal_move *move, const dal_node place[3], const dal_node axis[3], dal_node out[3])
{
    dal_node hub[3], arm[3];
    dal_symbolic_point(s, &move->hub, move->hub_name, hub);
    for (int i = 0; i < 3; i++)
        arm[i] = dal_binary(s->graph, DAL_OP_SUB, place[i], hub[i]);
    for (int i = 0; i < 3; i++) {
        const int j = (i + 1) % 3, k = (i + 2) % 3;
        const dal_node a = dal_binary(s->graph, DAL_OP_MUL, axis[j], arm[k]), b = dal_binary(s->graph, DAL_OP_MUL, axis[k], arm[j]);
        add_to(s, &out[i], times(s, move->factor, dal_binary(s->graph, DAL_OP_SUB, a, b)));
    }
}

void dal_massless_shift(dal_symbolic *s, const dal_massless *n, const dal_marker *marker, const char *name, dal_node out[3])
{
    dal_node place[3], axis[3];
    for (int i = 0; i < 3; i++)
        out[i] = dal_const(s->graph, 0);
    if (marker->body == DAL_GROUND)
        return;
    dal_symbolic_point(s, marker, name, place);
    if (n->own)
        shift_own(s, n, place, out);
    for (const dal_move *move = n->move; move; move = move->next) {
        if (!move->moved[marker->body])
            continue;
        dal_symbolic_direction(s, move->axis_body, move->axis, axis);
        if (move->turns)
            shift_turned(s, move, place, axis, out);
        for (int i = 0; i < 3 && !move->turns; i++)
            add_to(s, &out[i], times(s, move->factor, axis[i]));
    }
}

bool dal_massless_turn(dal_symbolic *s, const dal_massless *n, int body, dal_node out[3])
{
    const double *w = body == DAL_GROUND ? NULL : n->twist + 6 * body + 3;
    const bool planar = s->build->spec->space == DAL_PLANAR;
    for (int i = 0; i < 3; i++)
        out[i] = dal_const(s->graph, planar && w && i == 2 ? (fabs(w[2] - round(w[2])) < nothing ? round(w[2]) : w[2]) : 0);
    if (planar || !w)
        return true;
    for (const dal_move *move = n->move; move; move = move->next) {
        dal_node axis[3];
        if (!move->moved[body] || !move->turns)
            continue;
        dal_symbolic_direction(s, move->axis_body, move->axis, axis);
        for (int i = 0; i < 3; i++)
            add_to(s, &out[i], times(s, move->factor, axis[i]));
    }
    return !n->own || (fabs(w[0]) < nothing && fabs(w[1]) < nothing && fabs(w[2]) < nothing);
}

/* ---- with rates ------------------------------------------------------------------------------------------- */

/* What a unit of the direction moves, in metres. */
static double size_of(const dal_layout *layout, const dal_massless *n)
{
    double size = 0;
    for (int k = 0; k < layout->nv; k++)
        size = fmax(size, fabs(n->v[k]) * layout->units.column_scale[k]);
    return size;
}

void dal_massless_damping(dal_build *build, dal_state *state, int n, const dal_massless *list, double *R, double *size)
{
    const dal_layout *layout = dal_layout_of(state);
    const int n_y = dal_system_describe(dal_system_of(state)).states;
    double *start = DAL_NEW(build->arena, double, n_y), *y = DAL_NEW(build->arena, double, n_y);
    memcpy(start, dal_state_y(state), sizeof *start * (size_t)n_y);
    memset(R, 0, sizeof *R * (size_t)(n * n));
    for (int j = 0; j < n; j++)
        for (int side = -1; side <= 1; side += 2) {
            size[j] = size_of(layout, &list[j]);
            memcpy(y, start, sizeof *y * (size_t)n_y);
            for (int k = 0; k < layout->nv; k++)
                y[layout->nq + k] += side * list[j].v[k] * layout->units.length / (layout->units.time * size[j]);
            dal_state_unpack(state, 0, y);
            dal_state_position(state);
            dal_state_jacobian(state);
            dal_state_velocity(state);
            if (dal_state_loads(state))
                continue;
            for (int i = 0; i < n; i++)
                for (int k = 0; k < layout->nv; k++)
                    R[i * n + j] += side * list[i].v[k] / size_of(layout, &list[i]) * dal_seen_work(state)->Q[k];
        }
    dal_state_unpack(state, 0, start);
}

const char *dal_massless_names(dal_build *build, const dal_massless *n, dal_mark *mark)
{
    const char *text = "";
    *mark = dal_nowhere;
    for (int k = 0; n->own && k < build->spec->n_coordinates; k++)
        if (n->own[k] != 0) {
            if (!*text)
                *mark = build->spec->coordinates[k].name.mark;
            text = dal_arena_print(build->arena, "%s%s'%s'", text, *text ? ", " : "", build->spec->coordinates[k].name.text);
        }
    for (int b = 0; !n->own && b < build->mechanism.n_bodies; b++) {
        const double *t = n->twist + 6 * b;
        const bool turns = fabs(t[3]) + fabs(t[4]) + fabs(t[5]) > nothing;
        if (!turns && fabs(t[0]) + fabs(t[1]) + fabs(t[2]) <= nothing)
            continue;
        if (!*text)
            *mark = build->mechanism.bodies[b].mark;
        text = dal_arena_print(build->arena, "%s%s'%s'", text, *text ? ", " : "", build->mechanism.bodies[b].name);
    }
    return text;
}
