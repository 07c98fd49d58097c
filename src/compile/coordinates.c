/* The model's own coordinates: bodies placed by expressions in them, in time and in parameters.
 *
 *   r = r_o + R_o p,   R = R_o P        p, P as written; o the body of `from:`, or the ground
 *
 * P follows from an angle about z, an axis and an angle (Rodrigues: c 1 + (1 - c) a a^T + s [a x]), a sequence of turns, a
 * quaternion (quadratic in it, over its square: no root) or two directions made orthonormal. Coordinates and time are the first
 * variables of the graph, in the order of the placement's programs, so that the nodes of a body are its frame as it stands.
 */
#include "kinematics/placement.h"
#include "math/rotation.h"
#include "compile/build.h"

#include <string.h>

void dal_build_coordinates(dal_build *build)
{
    const int n = build->spec->n_coordinates;
    build->mechanism.n_coordinates = n;
    for (int i = 0; i < n; i++)
        dal_build_signal(build, (dal_signal){DAL_SIGNAL_MEASURE, dal_add_coordinate(&build->mechanism, i), 0, 0, 0});
    if (n)
        dal_build_signal(build, (dal_signal){DAL_SIGNAL_TIME, 0, 0, 0, 0});
}

/* ---- matrices of nodes ------------------------------------------------------- */

static dal_node add(dal_graph *g, dal_node a, dal_node b)
{
    return dal_binary(g, DAL_OP_ADD, a, b);
}

static dal_node subtract(dal_graph *g, dal_node a, dal_node b)
{
    return dal_binary(g, DAL_OP_SUB, a, b);
}

static dal_node times(dal_graph *g, dal_node a, dal_node b)
{
    return dal_binary(g, DAL_OP_MUL, a, b);
}

static dal_node dot(dal_graph *g, const dal_node *a, int step_a, const dal_node *b, int step_b, int n)
{
    dal_node sum = times(g, a[0], b[0]);
    for (int i = 1; i < n; i++)
        sum = add(g, sum, times(g, a[i * step_a], b[i * step_b]));
    return sum;
}

static void identity(dal_graph *g, dal_node R[9])
{
    for (int i = 0; i < 9; i++)
        R[i] = dal_const(g, i % 4 == 0);
}

static void multiply(dal_graph *g, const dal_node A[9], const dal_node B[9], dal_node out[9])
{
    dal_node C[9];
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 3; k++)
            C[3 * i + k] = dot(g, A + 3 * i, 1, B + k, 3, 3);
    memcpy(out, C, sizeof C);
}

static void elementary(dal_graph *g, int axis, dal_node angle, dal_node R[9])
{
    const int i = (axis + 1) % 3, j = (axis + 2) % 3;
    dal_node c = dal_unary(g, DAL_OP_COS, angle), s = dal_unary(g, DAL_OP_SIN, angle);
    identity(g, R);
    R[3 * i + i] = R[3 * j + j] = c;
    R[3 * i + j] = dal_unary(g, DAL_OP_NEG, s);
    R[3 * j + i] = s;
}

static void sequence(dal_graph *g, const int axes[3], const dal_node angle[3], dal_node R[9])
{
    dal_node turn[9];
    identity(g, R);
    for (int k = 0; k < 3; k++) {
        elementary(g, axes[k], angle[k], turn);
        multiply(g, R, turn, R);
    }
}

static void about_axis(dal_graph *g, const double a[3], dal_node angle, dal_node R[9])
{
    dal_node c = dal_unary(g, DAL_OP_COS, angle), s = dal_unary(g, DAL_OP_SIN, angle), rest = subtract(g, dal_const(g, 1), c);
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 3; k++) {
            const double across = i == k ? 0 : (k - i + 3) % 3 == 1 ? -a[3 - i - k] : a[3 - i - k]; /* [a x] */
            dal_node entry = add(g, times(g, dal_const(g, a[i] * a[k]), rest), times(g, dal_const(g, across), s));
            R[3 * i + k] = i == k ? add(g, entry, c) : entry;
        }
}

/* R_ik = (2 p_i p_k -+ 2 p_0 p_l + (i = k)(p_0^2 - |p|^2)) / (p_0^2 + |p|^2) */
static void of_quaternion(dal_graph *g, const dal_node p[4], dal_node R[9])
{
    dal_node square = dot(g, p, 1, p, 1, 4), two = dal_const(g, 2);
    dal_node diagonal = subtract(g, times(g, p[0], p[0]), dot(g, p + 1, 1, p + 1, 1, 3));
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 3; k++) {
            dal_node entry = times(g, two, times(g, p[1 + i], p[1 + k]));
            if (i == k)
                entry = add(g, entry, diagonal);
            else
                entry = dal_binary(g, (k - i + 3) % 3 == 1 ? DAL_OP_SUB : DAL_OP_ADD, entry, times(g, two, times(g, p[0], p[1 + 3 - i - k])));
            R[3 * i + k] = dal_binary(g, DAL_OP_DIV, entry, square);
        }
}

static void normalise_vector(dal_graph *g, dal_node a[3])
{
    dal_node norm = dal_unary(g, DAL_OP_SQRT, dot(g, a, 1, a, 1, 3));
    for (int i = 0; i < 3; i++)
        a[i] = dal_binary(g, DAL_OP_DIV, a[i], norm);
}

/* Column `first` along a, `second` along b less its part along a, the third by the right-hand rule. */
static void of_axes(dal_graph *g, int first, const dal_node a[3], int second, const dal_node b[3], dal_node R[9])
{
    dal_node u[3] = {a[0], a[1], a[2]}, v[3];
    const int third = 3 - first - second;
    const bool forward = (second - first + 3) % 3 == 1; /* x cross y = z, y cross x = -z */
    normalise_vector(g, u);
    dal_node along = dot(g, u, 1, b, 1, 3);
    for (int i = 0; i < 3; i++)
        v[i] = subtract(g, b[i], times(g, along, u[i]));
    normalise_vector(g, v);
    for (int i = 0; i < 3; i++) {
        const int j = (i + (forward ? 1 : 2)) % 3, k = (i + (forward ? 2 : 1)) % 3;
        R[3 * i + first] = u[i];
        R[3 * i + second] = v[i];
        R[3 * i + third] = subtract(g, times(g, u[j], v[k]), times(g, u[k], v[j]));
    }
}

/* ---- what the description says -------------------------------------------------- */

/* An expression that places a body: coordinates and time only, two continuous derivatives. */
static bool read_place(dal_build *build, const dal_body_spec *spec, dal_text text, dal_node *node)
{
    if (!dal_build_scalar(build, DAL_REACH_PLACE, spec->binding, text, node))
        return false;
    int smooth = dal_smoothness(build->graph, *node);
    if (smooth >= 3)
        return true;
    dal_error(build->messages, text.mark,
              "the place of '%s' needs two continuous derivatives by the coordinates and by time; this one %s (use a table with smooth: 2, "
              "tanh, or a polynomial)",
              spec->name.text,
              smooth == 0   ? "may jump"
              : smooth == 1 ? "has corners"
                            : "has jumps in its second derivative");
    return false;
}

static bool read_places(dal_build *build, const dal_body_spec *spec, const dal_list *list, int n, dal_node *out)
{
    bool ok = true;
    for (int i = 0; i < n; i++) {
        out[i] = dal_const(build->graph, 0);
        if (i < list->n)
            ok &= read_place(build, spec, list->item[i], &out[i]);
    }
    return ok;
}

static bool read_axis(dal_build *build, const dal_body_spec *spec, dal_node R[9])
{
    const dal_orientation *o = &spec->orientation;
    double a[3], square = 0;
    dal_node angle;
    bool ok = dal_build_vector(build, spec->binding, &o->first, a);
    ok &= read_places(build, spec, &o->second, 1, &angle);
    for (int i = 0; i < 3; i++)
        square += a[i] * a[i];
    if (ok && !(square > 0)) {
        dal_error(build->messages, o->first.mark, "the axis of the orientation of '%s' has length zero", spec->name.text);
        ok = false;
    }
    for (int i = 0; i < 3; i++)
        a[i] /= sqrt(square);
    if (ok)
        about_axis(build->graph, a, angle, R);
    return ok;
}

static bool read_orientation(dal_build *build, const dal_body_spec *spec, dal_node R[9])
{
    const dal_orientation *o = &spec->orientation;
    dal_graph *g = build->graph;
    dal_node a[4], b[3];
    int axes[3];
    identity(g, R);
    switch (o->kind) {
    case DAL_ATTITUDE_NONE: return true;
    case DAL_ATTITUDE_AXIS: return read_axis(build, spec, R);
    case DAL_ATTITUDE_QUATERNION:
        if (!read_places(build, spec, &o->first, 4, a))
            return false;
        of_quaternion(g, a, R);
        return true;
    case DAL_ATTITUDE_EULER:
        if (!read_places(build, spec, &o->first, 3, a) || !dal_euler_axes(o->letters, axes))
            return false;
        sequence(g, axes, a, R);
        return true;
    case DAL_ATTITUDE_RPY: { /* fixed axes x, y, z: the intrinsic sequence z, y, x */
        if (!read_places(build, spec, &o->first, 3, a) || !dal_euler_axes("zyx", axes))
            return false;
        const dal_node ypr[3] = {a[2], a[1], a[0]};
        sequence(g, axes, ypr, R);
        return true;
    }
    case DAL_ATTITUDE_AXES:
        if (!o->letters[1]) {
            dal_error(build->messages, o->mark, "the orientation of '%s' by coordinates needs two directions: one leaves a turn open",
                      spec->name.text);
            return false;
        }
        if (!read_places(build, spec, &o->first, 3, a) || !read_places(build, spec, &o->second, 3, b))
            return false;
        of_axes(g, o->letters[0] - 'x', a, o->letters[1] - 'x', b, R);
        return true;
    }
    return false;
}

/* The coordinates have the start values: nothing else may. */
static void refuse_starts(dal_build *build)
{
    const dal_spec *spec = build->spec;
    for (int b = 0; b < spec->n_bodies; b++) {
        const dal_body_spec *s = &spec->bodies[b];
        const struct {
            const char *key;
            bool given;
            dal_mark mark;
        } starts[] = {{"between", s->between.n > 0, s->between.mark},
                      {"velocity", s->velocity.n > 0, s->velocity.mark},
                      {"rate", s->rate.text, s->rate.mark},
                      {"angular-velocity", s->angular_velocity.n > 0, s->angular_velocity.mark},
                      {"fix", s->fix || s->position.fix || s->angle.fix || s->orientation.fix, s->name.mark}};
        for (size_t i = 0; i < sizeof starts / sizeof *starts; i++)
            if (starts[i].given)
                dal_error(build->messages, starts[i].mark,
                          "'%s' is placed by the coordinates of the model and has no `%s`: give their `start`, `rate` and `fix` in "
                          "`coordinates:`",
                          s->name.text, starts[i].key);
    }
    for (int j = 0; j < spec->n_joints; j++)
        if (spec->joints[j].start.mark.line)
            dal_error(build->messages, spec->joints[j].start.mark,
                      "joint '%s' has no `start` in a model with `coordinates:`: they have the start values", spec->joints[j].name.text);
}

static void refuse_from(dal_build *build)
{
    for (int b = 0; b < build->spec->n_bodies; b++)
        if (build->spec->bodies[b].from.text)
            dal_error(build->messages, build->spec->bodies[b].from.mark,
                      "'%s' is placed from another body, which needs `coordinates:` in the model; without them write its position in "
                      "world axes",
                      build->spec->bodies[b].name.text);
}

/* ---- the bodies ------------------------------------------------------------------- */

/* Frames of nodes on the way: 12 a body, and the angle in the plane. */
typedef struct places {
    dal_node *frame, *angle;
    enum { UNSEEN, OPEN, KNOWN, FAILED } * progress;
} places;

/* The body that another is placed from, or -1 with a message. */
static int find_from(dal_build *build, const dal_body_spec *spec)
{
    const dal_symbol *symbol = dal_symbol_find(build, spec->from.text, strlen(spec->from.text));
    if (symbol && symbol->kind == DAL_SYMBOL_BODY)
        return symbol->index;
    const char *rest = "", *text = spec->from.text;
    if (!strcmp(text, "ground"))
        dal_error(build->messages, spec->from.mark, "'%s' is placed from the ground, as every body without `from` is: drop it", spec->name.text);
    else if ((symbol = dal_symbol_prefix(build, text, &rest)) && symbol->kind == DAL_SYMBOL_BODY)
        dal_error(build->messages, spec->from.mark, "'%s' is placed from '%s', which is not a body but a part of one: write `from: %s`",
                  spec->name.text, text, symbol->name);
    else
        dal_error(build->messages, spec->from.mark, "'%s' is placed from '%s', which is not a body%s", spec->name.text, text,
                  dal_symbol_hint(build, 1u << DAL_SYMBOL_BODY, text));
    return -1;
}

static bool place_alone(dal_build *build, int b, places *p)
{
    const dal_body_spec *spec = &build->spec->bodies[b];
    dal_node *r = p->frame + 12 * b, *R = r + 3;
    p->angle[b] = dal_const(build->graph, 0);
    identity(build->graph, R);
    if (!spec->position.n)
        dal_error(build->messages, spec->name.mark,
                  "'%s' has no `position`: in a model with `coordinates:` every body is placed by expressions in them", spec->name.text);
    bool ok = read_places(build, spec, &spec->position, 3, r) && spec->position.n;
    if (build->mechanism.bodies[b].particle)
        return ok;
    if (!spec->angle.text)
        return read_orientation(build, spec, R) && ok;
    ok = read_place(build, spec, spec->angle, &p->angle[b]) && ok;
    elementary(build->graph, 2, p->angle[b], R);
    return ok;
}

/* A frame written in the axes of the body `o`. A particle has the axes of the ground. */
static void place_behind(dal_build *build, int b, int o, places *p)
{
    dal_graph *g = build->graph;
    dal_node *r = p->frame + 12 * b;
    const dal_node *base = p->frame + 12 * o;
    const dal_node own[3] = {r[0], r[1], r[2]};
    for (int i = 0; i < 3; i++)
        r[i] = add(g, base[i], dot(g, base + 3 + 3 * i, 1, own, 1, 3));
    if (build->mechanism.bodies[b].particle)
        return;
    multiply(g, base + 3, r + 3, r + 3);
    if (build->spec->space == DAL_PLANAR)
        p->angle[b] = add(g, p->angle[o], p->angle[b]);
}

/* In an included model: what was written in the axes of its ground, in those of the body that carries it (`marker`): r := s + B r, R := B R. */
static void place_mounted(dal_build *build, int b, const dal_marker *marker, places *p)
{
    dal_graph *g = build->graph;
    dal_node *r = p->frame + 12 * b, B[9];
    const dal_node own[3] = {r[0], r[1], r[2]};
    for (int i = 0; i < 9; i++)
        B[i] = dal_const(g, marker->B[i]);
    for (int i = 0; i < 3; i++)
        r[i] = add(g, dal_const(g, marker->s[i]), dot(g, B + 3 * i, 1, own, 1, 3));
    if (build->mechanism.bodies[b].particle)
        return;
    multiply(g, B, r + 3, r + 3);
    if (build->spec->space == DAL_PLANAR)
        p->angle[b] = add(g, dal_const(g, atan2(marker->B[3], marker->B[0])), p->angle[b]);
}

/* The body that carries the included model in which a body is written, or -1: the ground. */
static int find_carrier(dal_build *build, int b, places *p)
{
    const dal_binding *binding = build->spec->bodies[b].binding;
    dal_marker marker;
    if (!binding || dal_on_ground(build, binding->model) || !dal_build_mount(build, binding->model, &marker))
        return -1;
    place_mounted(build, b, &marker, p);
    return marker.body == DAL_GROUND ? -1 : marker.body;
}

enum { LONGEST = 1000 }; /* bodies placed one from another */

static bool place_written_body(dal_build *build, int b, places *p, int depth)
{
    const dal_body_spec *spec = &build->spec->bodies[b];
    if (p->progress[b] != UNSEEN)
        return p->progress[b] == KNOWN;
    p->progress[b] = OPEN;
    bool ok = place_alone(build, b, p);
    int o = spec->from.text ? find_from(build, spec) : find_carrier(build, b, p);
    if (o >= 0 && (p->progress[o] == OPEN || depth > LONGEST)) {
        dal_error(build->messages, spec->from.mark,
                  p->progress[o] == OPEN ? "'%s' is placed from '%s', which is placed from it: one of them has to stand on the ground"
                                         : "'%s' stands at the end of too long a chain of bodies placed from one another, behind '%s'",
                  spec->name.text, build->spec->bodies[o].name.text);
        o = -1;
        ok = false;
    }
    if (o >= 0 && place_written_body(build, o, p, depth + 1))
        place_behind(build, b, o, p);
    else if (spec->from.text || o >= 0)
        ok = false;
    p->progress[b] = ok ? KNOWN : FAILED;
    return ok;
}

static void check_moved(dal_build *build, int b, const dal_placement *placement)
{
    const dal_body_spec *spec = &build->spec->bodies[b];
    if (!placement->body[b].n_columns && !placement->body[b].timed)
        dal_error(build->messages, spec->name.mark,
                  "'%s' is moved neither by a coordinate nor by time: it is a part of the ground, attach its points to that; or place it by "
                  "coordinates, as in `position: [x, y]`",
                  spec->name.text);
}

bool dal_build_frames(dal_build *build, dal_node *frame)
{
    places p = {frame, DAL_NEW(build->arena, dal_node, build->spec->n_bodies), NULL};
    bool ok = true;
    p.progress = dal_arena_alloc(build->arena, sizeof *p.progress * (size_t)build->spec->n_bodies);
    for (int b = 0; b < build->spec->n_bodies; b++)
        ok &= place_written_body(build, b, &p, 0);
    return ok;
}

void dal_build_placement(dal_build *build)
{
    const dal_spec *spec = build->spec;
    if (!spec->n_coordinates) {
        refuse_from(build);
        return;
    }
    dal_arena *arena = build->arena;
    places p = {DAL_NEW(arena, dal_node, 12 * spec->n_bodies), DAL_NEW(arena, dal_node, spec->n_bodies), NULL};
    p.progress = dal_arena_alloc(arena, sizeof *p.progress * (size_t)spec->n_bodies);
    bool ok = true;
    refuse_starts(build);
    for (int b = 0; b < spec->n_bodies; b++)
        ok &= place_written_body(build, b, &p, 0);
    for (int b = 0; b < spec->n_bodies; b++)
        build->start[b].placed = true;
    dal_read_coordinates(build);
    if (!ok)
        return;
    dal_placement *placement = build->parts.placement = dal_placement_build(arena, build->graph, &build->mechanism, p.frame);
    for (int b = 0; b < spec->n_bodies; b++)
        check_moved(build, b, placement);
    build->place_angle = dal_program_build(arena, build->graph, dal_placement_variables(spec->n_coordinates), spec->n_bodies, p.angle);
    dal_start_frames(build);
}

void dal_read_coordinates(dal_build *build)
{
    const int n = build->spec->n_coordinates;
    build->start_q = DAL_NEW(build->arena, double, n);
    build->start_v = DAL_NEW(build->arena, double, n);
    build->start_change = DAL_NEW(build->arena, double, 2 * n);
    for (int i = 0; i < n; i++) {
        const dal_coordinate_spec *spec = &build->spec->coordinates[i];
        if (spec->start.text)
            dal_build_number(build, spec->binding, spec->start, &build->start_q[i]);
        if (spec->rate.text)
            dal_build_number(build, spec->binding, spec->rate, &build->start_v[i]);
    }
}
