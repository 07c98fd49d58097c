/* Channels: from a dotted path in an expression to signals.
 *
 * A path begins with an element and continues with a channel of it; primes raise
 * the order of the derivative. One table lists the channels that exist; messages
 * and the reference page are printed from it.
 */
#include "base/words.h"
#include "compile/channels.h"
#include "compile/memory.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { BOTH = DAL_IN_PLANE | DAL_IN_SPACE };

/* clang-format off */
const dal_channel dal_channels[] = {
    {"body", "x", "m", BOTH, 0, "of the origin, world axes"},
    {"body", "y", "m", BOTH, 0, "of the origin"},
    {"body", "z", "m", DAL_IN_SPACE, 0, "of the origin"},
    {"body", "angle", "rad", DAL_IN_PLANE, DAL_CHANNEL_ATTITUDE, "of the body's axes, whole turns counted"},
    {"body", "position", "m", BOTH, DAL_CHANNEL_VECTOR, "of the origin"},
    {"body", "velocity", "m/s", BOTH, DAL_CHANNEL_VECTOR, "of the origin"},
    {"body", "acceleration", "m/s^2", BOTH, DAL_CHANNEL_VECTOR | DAL_CHANNEL_RESULT, "of the origin"},
    {"body", "omega", "rad/s", DAL_IN_PLANE, DAL_CHANNEL_ATTITUDE, "angular velocity"},
    {"body", "omega", "rad/s", DAL_IN_SPACE, DAL_CHANNEL_ATTITUDE | DAL_CHANNEL_VECTOR, "angular velocity, world axes"},
    {"body", "omega.body", "rad/s", DAL_IN_SPACE, DAL_CHANNEL_ATTITUDE | DAL_CHANNEL_VECTOR, "angular velocity, body axes"},
    {"body", "alpha", "rad/s^2", DAL_IN_PLANE, DAL_CHANNEL_ATTITUDE | DAL_CHANNEL_RESULT, "angular acceleration"},
    {"body", "alpha", "rad/s^2", DAL_IN_SPACE, DAL_CHANNEL_ATTITUDE | DAL_CHANNEL_VECTOR | DAL_CHANNEL_RESULT, "angular acceleration, world axes"},
    {"body", "alpha.body", "rad/s^2", DAL_IN_SPACE, DAL_CHANNEL_ATTITUDE | DAL_CHANNEL_VECTOR | DAL_CHANNEL_RESULT, "angular acceleration, body axes"},
    {"body", "ex", "1", BOTH, DAL_CHANNEL_ATTITUDE | DAL_CHANNEL_VECTOR, "direction of the body's x axis, world axes"},
    {"body", "ey", "1", BOTH, DAL_CHANNEL_ATTITUDE | DAL_CHANNEL_VECTOR, "direction of the body's y axis"},
    {"body", "ez", "1", DAL_IN_SPACE, DAL_CHANNEL_ATTITUDE | DAL_CHANNEL_VECTOR, "direction of the body's z axis"},
    {"body", "qw", "1", DAL_IN_SPACE, DAL_CHANNEL_ATTITUDE | DAL_CHANNEL_RESULT, "attitude as a quaternion, of continuous sign"},
    {"body", "qx", "1", DAL_IN_SPACE, DAL_CHANNEL_ATTITUDE | DAL_CHANNEL_RESULT, "its x"},
    {"body", "qy", "1", DAL_IN_SPACE, DAL_CHANNEL_ATTITUDE | DAL_CHANNEL_RESULT, "its y"},
    {"body", "qz", "1", DAL_IN_SPACE, DAL_CHANNEL_ATTITUDE | DAL_CHANNEL_RESULT, "its z"},
    {"body", "inertial.mass", "kg", BOTH, DAL_CHANNEL_CONSTANT, "mass: given, or that of its shapes"},
    {"body", "inertial.center", "m", BOTH, DAL_CHANNEL_VECTOR | DAL_CHANNEL_CONSTANT, "centre of mass, body axes"},
    {"body", "inertial.xx", "kg m^2", DAL_IN_SPACE, DAL_CHANNEL_CONSTANT, "entry of the inertia about the centre of mass, body axes"},
    {"body", "inertial.yy", "kg m^2", DAL_IN_SPACE, DAL_CHANNEL_CONSTANT, "the same"},
    {"body", "inertial.zz", "kg m^2", BOTH, DAL_CHANNEL_CONSTANT, "the same; of a planar model the moment of inertia"},
    {"body", "inertial.xy", "kg m^2", DAL_IN_SPACE, DAL_CHANNEL_CONSTANT, "the same, minus the integral of x y dm"},
    {"body", "inertial.xz", "kg m^2", DAL_IN_SPACE, DAL_CHANNEL_CONSTANT, "the same"},
    {"body", "inertial.yz", "kg m^2", DAL_IN_SPACE, DAL_CHANNEL_CONSTANT, "the same"},
    {"point", "x", "m", BOTH, 0, "world axes"},
    {"point", "y", "m", BOTH, 0, "world axes"},
    {"point", "z", "m", DAL_IN_SPACE, 0, "world axes"},
    {"point", "position", "m", BOTH, DAL_CHANNEL_VECTOR, "world axes"},
    {"point", "velocity", "m/s", BOTH, DAL_CHANNEL_VECTOR, "world axes"},
    {"point", "acceleration", "m/s^2", BOTH, DAL_CHANNEL_VECTOR | DAL_CHANNEL_RESULT, "world axes"},
    {"joint", "angle", "rad", BOTH, DAL_CHANNEL_OF_TYPE, "joint coordinate: second body relative to first, whole turns counted"},
    {"joint", "angle2", "rad", DAL_IN_SPACE, DAL_CHANNEL_OF_TYPE, "the second angle of a universal joint"},
    {"joint", "distance", "m", BOTH, DAL_CHANNEL_OF_TYPE, "joint coordinate along the axis"},
    {"joint", "force", "N", BOTH, DAL_CHANNEL_VECTOR | DAL_CHANNEL_RESULT, "on the second body, at its point, world axes"},
    {"joint", "torque", "N m", DAL_IN_PLANE, DAL_CHANNEL_RESULT, "on the second body"},
    {"joint", "torque", "N m", DAL_IN_SPACE, DAL_CHANNEL_VECTOR | DAL_CHANNEL_RESULT, "on the second body, about its point, world axes"},
    {"joint", "M.force", "N", BOTH, DAL_CHANNEL_OF_TYPE | DAL_CHANNEL_VECTOR | DAL_CHANNEL_RESULT, "of a type of the model's own: on the body of its point M, at that point; so are N.force, P.force and Q.force"},
    {"joint", "M.torque", "N m", DAL_IN_PLANE, DAL_CHANNEL_OF_TYPE | DAL_CHANNEL_RESULT, "the same, the torque"},
    {"joint", "M.torque", "N m", DAL_IN_SPACE, DAL_CHANNEL_OF_TYPE | DAL_CHANNEL_VECTOR | DAL_CHANNEL_RESULT, "the same, the torque about that point"},
    {"joint", "drive", "N or N m", BOTH, DAL_CHANNEL_OF_TYPE | DAL_CHANNEL_RESULT, "effort that a drive takes, along the coordinate"},
    {"joint", "drive.power", "W", BOTH, DAL_CHANNEL_OF_TYPE | DAL_CHANNEL_RESULT, "power that a drive gives: its effort times the rate of the coordinate"},
    {"joint", "friction", "N or N m", BOTH, DAL_CHANNEL_OF_TYPE | DAL_CHANNEL_RESULT, "force or torque of its dry friction along the coordinate (screw: the angle), on the second body: negative where the coordinate grows"},
    {"joint", "friction", "N m", DAL_IN_SPACE, DAL_CHANNEL_OF_TYPE | DAL_CHANNEL_VECTOR | DAL_CHANNEL_RESULT, "of a spherical joint: the torque, on the second body, world axes"},
    {"joint", "friction.force", "N", DAL_IN_SPACE, DAL_CHANNEL_OF_TYPE | DAL_CHANNEL_RESULT, "of a cylindrical joint: along the axis, on the second body"},
    {"joint", "friction.torque", "N m", DAL_IN_SPACE, DAL_CHANNEL_OF_TYPE | DAL_CHANNEL_RESULT, "of a cylindrical joint: about the axis, on the second body"},
    {"joint", "friction.power", "W", BOTH, DAL_CHANNEL_OF_TYPE | DAL_CHANNEL_RESULT, "power that its friction gives: negative, because it takes energy"},
    {"force", "length", "m or rad", BOTH, DAL_CHANNEL_OF_TYPE, "distance of the two points, or the joint's coordinate"},
    {"force", "force", "N", BOTH, DAL_CHANNEL_RESULT, "its scalar: along the line or the coordinate; of a vector its length"},
    {"force", "torque", "N m", BOTH, DAL_CHANNEL_RESULT, "the same number, where it is a torque"},
    {"force", "power", "W", BOTH, DAL_CHANNEL_OF_TYPE | DAL_CHANNEL_RESULT | DAL_CHANNEL_ALONG, "power that it gives: its force or torque times the rate of its length or coordinate"},
    {"constraint", "multiplier", "N or N m", BOTH, DAL_CHANNEL_RESULT, "its Lagrange multiplier: power of the constraint over the rate of its expression"},
    {"model", "t", "s", BOTH, 0, "time"},
    {"model", "energy", "J", BOTH, DAL_CHANNEL_RESULT, "kinetic and potential"},
    {"model", "energy.kinetic", "J", BOTH, DAL_CHANNEL_RESULT, "of all bodies"},
    {"model", "energy.potential", "J", BOTH, DAL_CHANNEL_RESULT, "of gravity and springs"},
    {"model", "energy.work", "J", BOTH, DAL_CHANNEL_RESULT, "done since the start by dampers, given forces and drives"},
    {"model", "energy.balance", "J", BOTH, DAL_CHANNEL_RESULT, "energy less work: constant"},
    {"model", "momentum", "kg m/s", BOTH, DAL_CHANNEL_VECTOR | DAL_CHANNEL_RESULT, "of all bodies"},
    {"model", "momentum.angular", "kg m^2/s", DAL_IN_PLANE, DAL_CHANNEL_RESULT, "about the origin"},
    {"model", "momentum.angular", "kg m^2/s", DAL_IN_SPACE, DAL_CHANNEL_VECTOR | DAL_CHANNEL_RESULT, "about the origin"},
    {"model", "constraint.position", "m or rad", BOTH, DAL_CHANNEL_RESULT, "largest gap of a constraint"},
    {"model", "constraint.velocity", "m/s or rad/s", BOTH, DAL_CHANNEL_RESULT, "largest rate of a gap"},
    {NULL, NULL, NULL, 0, 0, NULL}
};
/* clang-format on */

static bool planar(const dal_build *build)
{
    return build->spec->space == DAL_PLANAR;
}

/* ---- refusals ----------------------------------------------------------------- */

bool dal_refuse(const dal_lookup *l, const char *format, ...)
{
    char sentence[900];
    va_list list;
    va_start(list, format);
    vsnprintf(sentence, sizeof sentence, format, list);
    va_end(list);
    dal_error(l->build->messages, l->mark, "%s", sentence);
    l->value->n = 0;
    return false;
}

/* "crank.x'" */
static const char *spelled(const dal_lookup *l)
{
    return dal_arena_print(l->build->arena, "%.200s%.*s", l->name, l->primes < 8 ? l->primes : 8, "''''''''");
}

bool dal_refuse_reach(const dal_lookup *l, const char *noun, bool through)
{
    dal_build *build = l->build;
    const char *verb = through ? "depends on" : "is";
    const char *const rest = build->reach == DAL_REACH_NUMBER  ? "a constant is needed here, made of numbers and parameters"
                             : build->equation                 ? "an equation of a joint type is made of its points, axes and parameters, and of time"
                             : build->reach == DAL_REACH_TIME  ? "a prescribed motion is made of time, numbers and parameters"
                             : build->reach == DAL_REACH_PLACE ? "a body is placed by the coordinates of the model, time, numbers and parameters"
                             : build->reach == DAL_REACH_CONSTRAINT ? "constraints and speeds are made of positions, velocities and time"
                             : build->reach == DAL_REACH_ENERGY     ? "masses and energies are made of coordinates of the model, their rates and time"
                             : build->friction_limit
                                 ? "it follows from the friction itself (an algebraic loop); friction that grows with the force in "
                                   "its joint is written as 'coefficient'"
                                 : "it can be recorded, but forces and states cannot use it";
    build->noun = noun;
    return dal_refuse(l, "'%s' %s %s: %s", spelled(l), verb, noun, rest);
}

/* Is a channel of the table there, for this space and (bodies) this particle? */
static bool exists(const dal_build *build, const dal_channel *c, const char *of, bool particle)
{
    return !strcmp(c->of, of) && c->spaces & (planar(build) ? DAL_IN_PLANE : DAL_IN_SPACE) && !(particle && c->flags & DAL_CHANNEL_ATTITUDE);
}

typedef struct listing {
    const char *names[64];
    int n;
} listing;

static void list_channels(const dal_build *build, const char *of, bool particle, unsigned except, listing *list)
{
    for (const dal_channel *c = dal_channels; c->of; c++)
        if (exists(build, c, of, particle) && !(c->flags & except))
            list->names[list->n++] = c->name;
}

/* "... has no channel 'anlge' (did you mean 'angle'?): it has x, y, angle" */
static bool refuse_channel(const dal_lookup *l, const char *what, const char *rest, listing *list, const char *more)
{
    char hint[96], all[500] = "";
    for (int i = 0; i < list->n; i++)
        snprintf(all + strlen(all), sizeof all - strlen(all), "%s%s", i ? ", " : "", list->names[i]);
    list->names[list->n] = NULL;
    if (!*rest)
        return dal_refuse(l, "%s is not a number: write one of its channels %s%s, as in %.100s.%s", what, all, more, l->name, list->names[0]);
    return dal_refuse(l, "%s has no channel '%.100s'%s: it has %s%s", what, rest + 1, dal_did_you_mean(rest + 1, list->names, hint), all, more);
}

/* ---- signals of a channel ------------------------------------------------------ */

/* Make a value of n signals that differ in their component. Channels that are already rates start at a higher order. */
static bool add_signals(const dal_lookup *l, dal_signal signal, int n, int order)
{
    signal.order = order + l->primes;
    if (signal.order > dal_signal_most(&signal))
        return dal_refuse(l, "'%s' has too many primes: %s of '%.200s' can be taken", spelled(l),
                          dal_signal_most(&signal) - order == 2   ? "two derivatives"
                          : dal_signal_most(&signal) - order == 1 ? "one derivative"
                                                                  : "no derivative",
                          l->name);
    if (dal_signal_reach(l->build, &signal) > l->build->reach)
        return dal_refuse_reach(l, dal_signal_noun(l->build, &signal), dal_signal_moves(l->build, &signal));
    l->value->n = n;
    for (int i = 0; i < n; i++) {
        dal_signal one = signal;
        one.component = signal.component + i;
        l->value->node[i] = dal_build_signal(l->build, one);
    }
    return true;
}

/* ".x" -> 0 ... within the dimension, -1 otherwise; "" -> -2: the whole vector. */
static int component_of(const dal_build *build, const char *rest)
{
    if (!*rest)
        return -2;
    int k = rest[1] - 'x';
    return rest[0] == '.' && rest[1] && !rest[2] && k >= 0 && k < (int)build->spec->space ? k : -1;
}

/* False without a report (value->n stays 1) if `rest` is not a component. */
static bool add_vector_signals(const dal_lookup *l, dal_signal signal, const char *rest, int order)
{
    int k = component_of(l->build, rest);
    if (k == -1)
        return false;
    signal.component += k < 0 ? 0 : k;
    return add_signals(l, signal, k < 0 ? (int)l->build->spec->space : 1, order);
}

/* A vector of a body, and how it came about, for a compile that takes the value of the expression from a memory. */
static int add_vector(dal_build *build, int body, bool point, const double s[3])
{
    const int vector = dal_add_vector(&build->mechanism, body, point, s);
    dal_note_effect(build, &(dal_effect){.kind = DAL_EFFECT_VECTOR, .index = body, .point = point, .s = {s[0], s[1], s[2]}, .result = vector});
    return vector;
}

/* Each finder returns false and leaves value->n alone if it has no such channel; the caller reports. */

static bool point_channel(const dal_lookup *l, int vector, const char *rest)
{
    const dal_signal point = {DAL_SIGNAL_VECTOR, vector, 0, 0, 0};
    const char *more;
    if (rest[0] == '.' && component_of(l->build, rest) >= 0)
        return add_vector_signals(l, point, rest, 0);
    if (dal_path_begins(rest, "position", &more))
        return add_vector_signals(l, point, more, 0);
    if (dal_path_begins(rest, "velocity", &more))
        return add_vector_signals(l, point, more, 1);
    if (dal_path_begins(rest, "acceleration", &more))
        return add_vector_signals(l, point, more, 2);
    return false;
}

static bool spin_channel(const dal_lookup *l, int body, const char *rest, int order)
{
    const char *more;
    dal_signal omega = {DAL_SIGNAL_OMEGA, body, 0, 0, 0};
    if (planar(l->build)) {
        omega.component = 2;
        return !*rest && add_signals(l, omega, 1, order);
    }
    if (dal_path_begins(rest, "body", &more)) {
        omega.kind = DAL_SIGNAL_OMEGA_BODY;
        rest = more;
    }
    return add_vector_signals(l, omega, rest, order);
}

static bool angle_channel(const dal_lookup *l, int body)
{
    const int angle = dal_build_body_angle(l->build, body);
    dal_note_effect(l->build, &(dal_effect){.kind = DAL_EFFECT_ANGLE, .index = body, .result = angle});
    return add_signals(l, (dal_signal){DAL_SIGNAL_MEASURE, angle, 0, 0, 0}, 1, 0);
}

static bool attitude_channel(const dal_lookup *l, int body, const char *rest)
{
    dal_build *build = l->build;
    const char *more;
    if (planar(build) && !strcmp(rest, ".angle"))
        return angle_channel(l, body);
    if (dal_path_begins(rest, "omega", &more))
        return spin_channel(l, body, more, 0);
    if (dal_path_begins(rest, "alpha", &more))
        return spin_channel(l, body, more, 1);
    for (int k = 0; k < (int)build->spec->space; k++) {
        const char name[3] = {'e', (char)('x' + k), 0};
        if (dal_path_begins(rest, name, &more)) {
            double e[3] = {0, 0, 0};
            e[k] = 1;
            return add_vector_signals(l, (dal_signal){DAL_SIGNAL_VECTOR, add_vector(build, body, false, e), 0, 0, 0}, more, 0);
        }
    }
    for (int k = 0; k < 4 && !planar(build); k++) {
        const char name[4] = {'.', 'q', "wxyz"[k], 0};
        if (!strcmp(rest, name))
            return add_signals(l, (dal_signal){DAL_SIGNAL_ATTITUDE, body, k, 0, 0}, 1, 0);
    }
    return false;
}

/* ---- elements --------------------------------------------------------------------- */

static const dal_point_spec *find_point(const dal_points *points, const char *rest, const char **more)
{
    for (int i = 0; i < points->n; i++)
        if (dal_path_begins(rest, points->item[i].name.text, more))
            return &points->item[i];
    return NULL;
}

static bool of_point(const dal_lookup *l, const dal_point_spec *point, int body, const dal_binding *binding, const char *rest)
{
    dal_build *build = l->build;
    double s[3];
    listing list = {.n = 0};
    const dal_log_place place = dal_log_begin(build);
    if (point->binding)
        binding = point->binding;
    const bool known = dal_build_vector(build, binding, &point->at, s);
    dal_log_drop(build, place);
    dal_log_end(build, place);
    if (!known) {
        l->value->n = 0;
        return false;
    }
    const int vector = dal_add_vector(&build->mechanism, body, true, s);
    dal_note_effect(build, &(dal_effect){.kind = DAL_EFFECT_POINT, .index = body, .at = point, .binding = binding, .result = vector});
    if (point_channel(l, vector, rest) || !l->value->n)
        return l->value->n > 0;
    list_channels(build, "point", false, 0, &list);
    return refuse_channel(l, dal_arena_print(build->arena, "point '%.*s'", (int)(strlen(l->name) - strlen(rest)), l->name), rest, &list, "");
}

static const char *list_points(dal_build *build, const dal_points *points)
{
    const char *text = "";
    for (int i = 0; i < points->n && i < 10; i++)
        text = dal_arena_print(build->arena, "%s%s%s", text,
                               i               ? ", "
                               : points->n > 1 ? ", and the points "
                                               : ", and the point ",
                               points->item[i].name.text);
    return points->n > 10 ? dal_arena_print(build->arena, "%s, ...", text) : text;
}

static bool set_constants(const dal_lookup *l, int n, const double *values)
{
    l->value->n = n;
    for (int i = 0; i < n; i++)
        l->value->node[i] = dal_const(l->build->graph, l->primes ? 0 : values[i]);
    return true;
}

/* Mass, centre and inertia: constants, which depend on the parameters that the description of the body uses. */
static bool inertial_channel(const dal_lookup *l, int number, const char *rest)
{
    static const struct {
        const char *name;
        int entry;
    } entries[] = {{".zz", 8}, {".xx", 0}, {".yy", 4}, {".xy", 1}, {".xz", 2}, {".yz", 5}};
    const dal_body *body = &l->build->mechanism.bodies[number];
    const char *more;
    dal_note_constants(l->build, number);
    if (!strcmp(rest, ".mass"))
        return set_constants(l, 1, &body->mass);
    if (dal_path_begins(rest, "center", &more)) {
        const int k = component_of(l->build, more);
        return k != -1 && set_constants(l, k < 0 ? (int)l->build->spec->space : 1, body->center + (k < 0 ? 0 : k));
    }
    for (int i = 0; i < (planar(l->build) ? 1 : 6); i++)
        if (!strcmp(rest, entries[i].name))
            return set_constants(l, 1, &body->inertia[entries[i].entry]);
    return false;
}

static bool of_body(const dal_lookup *l, int body, const char *rest)
{
    dal_build *build = l->build;
    const double zero[3] = {0, 0, 0};
    const dal_body_spec *spec = &build->spec->bodies[body];
    const char *more;
    bool particle = build->mechanism.bodies[body].particle;
    listing list = {.n = 0};
    if (!particle && (attitude_channel(l, body, rest) || !l->value->n))
        return l->value->n > 0;
    if (dal_path_begins(rest, "inertial", &more) && inertial_channel(l, body, more))
        return true;
    const dal_point_spec *point = find_point(&spec->points, rest, &more);
    if (point)
        return of_point(l, point, body, spec->binding, more);
    if (point_channel(l, add_vector(build, body, true, zero), rest) || !l->value->n)
        return l->value->n > 0;
    list_channels(build, "body", particle, dal_path_begins(rest, "inertial", &more) ? 0 : DAL_CHANNEL_CONSTANT, &list);
    return refuse_channel(l, dal_arena_print(build->arena, "%s '%s'", particle ? "particle" : "body", spec->name.text), rest, &list,
                          list_points(build, &spec->points));
}

/* Points of the ground are constants. */
static bool of_fixed_point(const dal_lookup *l, const dal_point_spec *point, const double s[3], const char *more)
{
    static const char *const ways[] = {"position", "velocity", "acceleration"};
    dal_build *build = l->build;
    const char *part = more;
    int order = l->primes;
    listing list = {.n = 0};
    for (int i = 0; i < 3; i++)
        if (dal_path_begins(more, ways[i], &part))
            order += i;
    int k = component_of(build, part);
    if (k == -1 || (k == -2 && part == more)) {
        list_channels(build, "point", false, 0, &list);
        return refuse_channel(l, dal_arena_print(build->arena, "point 'ground.%s'", point->name.text), more, &list, "");
    }
    l->value->n = k < 0 ? (int)build->spec->space : 1;
    for (int i = 0; i < l->value->n; i++)
        l->value->node[i] = dal_const(build->graph, order ? 0 : s[k < 0 ? i : k]);
    return true;
}

/* Points of the ground of an included model are carried by a body, or lie elsewhere on the ground: world axes here too. */
static bool of_carried_point(const dal_lookup *l, const dal_model_spec *model, const dal_point_spec *point, const char *more)
{
    dal_build *build = l->build;
    const dal_text name = {.text = dal_arena_print(build->arena, "%s.ground.%s", model->name.text, point->name.text), .mark = l->mark};
    dal_marker marker;
    listing list = {.n = 0};
    if (build->reach < DAL_REACH_CONSTRAINT)
        return dal_refuse(l, "'%.100s' cannot stand here: the ground of model '%s' lies at '%s', and what is placed in it is written in its own axes",
                          l->name, model->name.text, model->ground.text);
    const dal_log_place place = dal_log_begin(build);
    const bool known = dal_build_marker(build, name, &marker, NULL);
    if (marker.body != DAL_GROUND)
        dal_log_drop(build, place);
    dal_log_end(build, place);
    if (!known) {
        l->value->n = 0;
        return false;
    }
    if (marker.body == DAL_GROUND)
        return of_fixed_point(l, point, marker.s, more);
    const int vector = dal_add_point(&build->mechanism, &marker);
    dal_note_effect(build, &(dal_effect){.kind = DAL_EFFECT_MARKER, .name = name.text, .result = vector});
    if (point_channel(l, vector, more) || !l->value->n)
        return l->value->n > 0;
    list_channels(build, "point", false, 0, &list);
    return refuse_channel(l, dal_arena_print(build->arena, "point '%s'", name.text), more, &list, "");
}

/* model: NULL for the ground of the whole model. */
static bool of_ground(const dal_lookup *l, const dal_model_spec *model, const char *rest)
{
    dal_build *build = l->build;
    const dal_points *points = model ? &model->points : &build->spec->ground;
    const char *more;
    const dal_point_spec *point = find_point(points, rest, &more);
    double s[3];
    if (!point && !*rest)
        return dal_refuse(l, "the ground is not a number: write a channel of one of its points, as in ground.A.x");
    if (!point)
        return dal_refuse(l, "the ground has no point '%.100s': it has %s", rest + 1,
                          points->n ? list_points(build, points) + strlen(", and ") : "none, describe it in `ground: {points: {..}}`");
    if (!dal_on_ground(build, model))
        return of_carried_point(l, model, point, more);
    if (!dal_build_vector(build, point->binding ? point->binding : model ? &model->binding : NULL, &point->at, s)) {
        l->value->n = 0;
        return false;
    }
    return of_fixed_point(l, point, s, more);
}

/* Of a force (joint 0) or the drive of a joint (1) that acts along a measure. */
static bool add_power_signal(const dal_lookup *l, int index, int joint, int measure)
{
    l->build->mechanism.measures[measure].wanted = true;
    dal_note_effect(l->build, &(dal_effect){.kind = DAL_EFFECT_WANTED, .index = measure});
    return add_signals(l, (dal_signal){DAL_SIGNAL_POWER, index, joint, 0, 0}, 1, 0);
}

/* The first component of the reaction of a joint: on its second body, or on the body of a point that the path names, where its type is the model's
 * own. *rest is then what stands behind that name. */
static int first_component(const dal_joint *j, const char **rest)
{
    static const char *const points[DAL_MOST_POINTS] = {"M", "N", "P", "Q"};
    const char *more;
    for (int k = 0; k < 2 + j->n_further && j->type->written; k++)
        if (dal_path_begins(*rest, points[k], &more) && (dal_path_begins(more, "force", rest) || dal_path_begins(more, "torque", rest))) {
            *rest = more;
            return 6 * (k + 1);
        }
    return 0;
}

/* The friction of a joint, by its number among the elements of friction; -1: it has none. */
static int friction_of(const dal_build *build, int joint)
{
    for (int i = 0; i < build->n_frictions; i++)
        if (build->frictions[i].joint == joint)
            return i;
    return -1;
}

/* What stands behind "friction", of element i: one effort, two, or a vector. */
static bool friction_channel(const dal_lookup *l, int i, const char *rest)
{
    const dal_friction *f = &l->build->frictions[i];
    dal_signal signal = {DAL_SIGNAL_FRICTION, i, f->shifts ? 0 : 3, 0, 0};
    if (f->turn && strcmp(rest, ".power"))
        return add_vector_signals(l, signal, rest, 0);
    if (!strcmp(rest, ".power"))
        signal.component = 6;
    else if (f->n == 2 && !strcmp(rest, ".torque"))
        signal.component = 4;
    else if (strcmp(rest, f->n == 2 ? ".force" : ""))
        return false;
    return add_signals(l, signal, 1, 0);
}

/* The channels of the friction of element i, for messages. */
static void list_friction(const dal_build *build, int i, listing *list)
{
    if (build->frictions[i].n == 2) {
        list->names[list->n++] = "friction.force";
        list->names[list->n++] = "friction.torque";
    } else {
        list->names[list->n++] = "friction";
    }
    list->names[list->n++] = "friction.power";
}

static bool of_joint(const dal_lookup *l, int joint, const char *rest)
{
    dal_build *build = l->build;
    const dal_joint *j = &build->mechanism.joints[joint];
    const char *more;
    listing list = {.n = 0};
    if (!j->type) { /* the joint was refused, which was reported */
        l->value->n = 0;
        return false;
    }
    bool found = false;
    const int first = first_component(j, &rest), friction = friction_of(build, joint);
    if (dal_path_begins(rest, "force", &more))
        found = add_vector_signals(l, (dal_signal){DAL_SIGNAL_REACTION, joint, first, 0, 0}, more, 0);
    else if (dal_path_begins(rest, "torque", &more) && planar(build))
        found = !*more && add_signals(l, (dal_signal){DAL_SIGNAL_REACTION, joint, first + 5, 0, 0}, 1, 0);
    else if (dal_path_begins(rest, "torque", &more))
        found = add_vector_signals(l, (dal_signal){DAL_SIGNAL_REACTION, joint, first + 3, 0, 0}, more, 0);
    else if (!strcmp(rest, ".drive") && j->drive >= 0)
        found = add_signals(l, (dal_signal){DAL_SIGNAL_DRIVE, joint, build->mechanism.rows[j->drive].angular, 0, 0}, 1, 0);
    else if (!strcmp(rest, ".drive.power") && j->drive >= 0)
        found = add_power_signal(l, joint, 1, j->coordinate[j->drive_coordinate]);
    else if (friction >= 0 && dal_path_begins(rest, "friction", &more))
        found = friction_channel(l, friction, more);
    for (int k = 0; k < j->n_coordinates; k++) {
        const char *name = dal_joint_coordinate_name(j, build->spec->space, k);
        const bool alone = build->spec->plain_names && j->n_coordinates == 1 && !*rest; /* the joint's name is the coordinate's */
        if (name && (alone || (rest[0] == '.' && !strcmp(rest + 1, name))))
            found = add_signals(l, (dal_signal){DAL_SIGNAL_MEASURE, j->coordinate[k], 0, 0, j->zero[k]}, 1, 0);
        if (name)
            list.names[list.n++] = name;
    }
    if (found || !l->value->n)
        return found;
    if (j->drive < 0 && (!strcmp(rest, ".drive") || !strcmp(rest, ".drive.power")))
        return dal_refuse(l, "joint '%s' is not driven and has no channel '%s': give it the key `drive:`", j->name, rest + 1);
    if (friction < 0 && dal_path_begins(rest, "friction", &more))
        return dal_refuse(l, "joint '%s' has no dry friction and no channel '%s': give it the key `friction:`", j->name, rest + 1);
    list_channels(build, "joint", false, DAL_CHANNEL_OF_TYPE, &list);
    if (j->drive >= 0) {
        list.names[list.n++] = "drive";
        list.names[list.n++] = "drive.power";
    }
    if (friction >= 0)
        list_friction(build, friction, &list);
    return refuse_channel(l, dal_arena_print(build->arena, "joint '%s' of type %s", j->name, j->type->name), rest, &list, "");
}

static bool of_force(const dal_lookup *l, int force, const char *rest)
{
    dal_build *build = l->build;
    const dal_force_name *name = &build->forces[force];
    const dal_force_spec *spec = &build->spec->forces[force];
    listing list = {.n = 0};
    if (name->measure < 0 && (spec->joint.text || spec->connect.n)) { /* the force was refused, which was reported */
        l->value->n = 0;
        return false;
    }
    if (!strcmp(rest, ".length") && name->measure >= 0)
        return add_signals(l, (dal_signal){DAL_SIGNAL_MEASURE, name->measure, 0, 0, name->zero}, 1, 0);
    const dal_force_type *type = dal_force_type_find(spec->type.text ? spec->type.text : "");
    const bool effort = type && type->effort;
    if (effort && (!strcmp(rest, ".force") || !strcmp(rest, ".torque")))
        return add_signals(l, (dal_signal){DAL_SIGNAL_EFFORT, force, !strcmp(rest, ".torque"), 0, 0}, 1, 0);
    const bool across = effort && spec->connect.n && type->acts == DAL_ACTS_BY_TORQUE; /* not along the length */
    if (effort && name->measure >= 0 && !across && !strcmp(rest, ".power"))
        return add_power_signal(l, force, 0, name->measure);
    const unsigned without = (name->measure < 0 ? DAL_CHANNEL_OF_TYPE : 0) | (across ? DAL_CHANNEL_ALONG : 0) | (effort ? 0 : DAL_CHANNEL_RESULT);
    list_channels(build, "force", false, without, &list);
    if (!list.n)
        return dal_refuse(l, "force '%s' has no channels, because its type has no number of its own", name->name);
    return refuse_channel(l, dal_arena_print(build->arena, "force '%s'", name->name), rest, &list, "");
}

/* Constraints are the joints behind those of the model. */
static bool of_constraint(const dal_lookup *l, int constraint, const char *rest)
{
    dal_build *build = l->build;
    listing list = {.n = 0};
    if (!strcmp(rest, ".multiplier"))
        return add_signals(l, (dal_signal){DAL_SIGNAL_MULTIPLIER, build->spec->n_joints + constraint, 0, 0, 0}, 1, 0);
    list_channels(build, "constraint", false, 0, &list);
    return refuse_channel(l, dal_arena_print(build->arena, "constraint '%s'", build->spec->constraints[constraint].name.text), rest, &list, "");
}

bool dal_element_channel(const dal_lookup *l, const dal_symbol *symbol, const char *rest)
{
    if (!symbol || symbol->kind == DAL_SYMBOL_GROUND)
        return of_ground(l, symbol ? l->build->spec->models[symbol->index] : NULL, rest);
    if (l->build->reach < DAL_REACH_CONSTRAINT) /* bodies, joints and forces do not exist yet, and their channels change with time */
        return dal_refuse_reach(l, "the motion", true);
    return symbol->kind == DAL_SYMBOL_BODY    ? of_body(l, symbol->index, rest)
           : symbol->kind == DAL_SYMBOL_JOINT ? of_joint(l, symbol->index, rest)
           : symbol->kind == DAL_SYMBOL_FORCE ? of_force(l, symbol->index, rest)
                                              : of_constraint(l, symbol->index, rest);
}

/* ---- the whole model ---------------------------------------------------------------- */

bool dal_model_channel(const dal_lookup *l)
{
    static const char *const energies[] = {"energy", "energy.kinetic", "energy.potential", "energy.work", "energy.balance"};
    static const char *const residuals[] = {"constraint.position", "constraint.velocity"};
    static const char *const heads[] = {"energy", "momentum", "constraint"};
    const char *name = l->name, *more = name + strlen("momentum");
    for (int k = 0; k < 5; k++)
        if (!strcmp(name, energies[k]))
            return add_signals(l, (dal_signal){DAL_SIGNAL_ENERGY, k, 0, 0, 0}, 1, 0);
    for (int k = 0; k < 2; k++)
        if (!strcmp(name, residuals[k]))
            return add_signals(l, (dal_signal){DAL_SIGNAL_RESIDUAL, k, 0, 0, 0}, 1, 0);
    if (!strncmp(name, "momentum.angular", 16) && planar(l->build)) {
        if (!name[16])
            return add_signals(l, (dal_signal){DAL_SIGNAL_MOMENTUM, 0, 5, 0, 0}, 1, 0);
    } else if (!strncmp(name, "momentum.angular", 16)) {
        if (component_of(l->build, name + 16) != -1)
            return add_vector_signals(l, (dal_signal){DAL_SIGNAL_MOMENTUM, 0, 3, 0, 0}, name + 16, 0);
    } else if (!strncmp(name, "momentum", 8) && component_of(l->build, more) != -1) {
        return add_vector_signals(l, (dal_signal){DAL_SIGNAL_MOMENTUM, 0, 0, 0, 0}, more, 0);
    }
    for (size_t i = 0; i < sizeof heads / sizeof *heads; i++) {
        size_t length = strlen(heads[i]);
        const char *all = "";
        if (strncmp(name, heads[i], length) || (name[length] && name[length] != '.'))
            continue;
        for (const dal_channel *c = dal_channels; c->of; c++)
            if (exists(l->build, c, "model", false) && !strncmp(c->name, heads[i], length))
                all = dal_arena_print(l->build->arena, "%s%s%s", all, *all ? ", " : "", c->name);
        return dal_refuse(l, "the model has no channel '%.100s': it has %s", name, all);
    }
    return false;
}

bool dal_time_channel(const dal_lookup *l)
{
    if (!l->primes)
        return add_signals(l, (dal_signal){DAL_SIGNAL_TIME, 0, 0, 0, 0}, 1, 0);
    *l->value = (dal_value){1, {dal_const(l->build->graph, l->primes == 1)}, 0};
    return true;
}

bool dal_coordinate_channel(const dal_lookup *l, int index)
{
    const int measure = dal_add_coordinate(&l->build->mechanism, index);
    dal_note_effect(l->build, &(dal_effect){.kind = DAL_EFFECT_COORDINATE, .index = index, .result = measure});
    return add_signals(l, (dal_signal){DAL_SIGNAL_MEASURE, measure, 0, 0, 0}, 1, 0);
}

bool dal_plain_channel(const dal_lookup *l, dal_signal_kind kind, int index)
{
    return add_signals(l, (dal_signal){kind, index, 0, 0, 0}, 1, 0);
}
