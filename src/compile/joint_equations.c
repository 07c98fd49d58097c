/* Equations of joint types: what a name means in them, and how a text becomes an expression in measures.
 *
 *     M, N, P, Q   points of the joint;   xi ... zl   axes of the bodies at the first, ... fourth point
 *     wi, wj       angular velocities;    angle, angle_kl   the turn of one side against another
 *     t, parameters of the type, and names of the model
 *
 * Vectors are read as sums of material vectors, and products of these become measures: joint_vectors.c.
 */
#include "compile/joint_vectors.h"

#include <string.h>

/* ---- names ------------------------------------------------------------------------------------ */

static bool refuse_equation(const dal_equation_scope *scope, dal_mark mark, dal_value *value, const char *sentence)
{
    dal_error(scope->build->messages, mark, "%s", sentence);
    value->n = 0;
    return false;
}

static bool too_many_primes(const dal_equation_scope *scope, const char *name, dal_mark mark, dal_value *value)
{
    return refuse_equation(scope, mark, value,
                           dal_arena_print(scope->build->arena,
                                           "%s has more primes than an equation of a joint type may have: its equations are "
                                           "made of positions and their first rates",
                                           name));
}

/* 0, 1, 2, 3 for i, j, k, l. */
static int side_of(char letter)
{
    return letter >= 'i' && letter < 'i' + DAL_MOST_POINTS ? letter - 'i' : -1;
}

/* Is there such a side? */
static bool enter_side(dal_equation_scope *scope, int side, const char *name, dal_mark mark, dal_value *value)
{
    scope->named[side] = true;
    return side < scope->n_points ||
           refuse_equation(scope, mark, value,
                           dal_arena_print(scope->build->arena, "joint '%s' connects %d points, and '%s' belongs to point %d of `connect:`",
                                           scope->joint->name, scope->n_points, name, side + 1));
}

static bool needs_attitude(dal_equation_scope *scope, int side, const char *name, dal_mark mark, dal_value *value)
{
    if (!enter_side(scope, side, name, mark, value))
        return false;
    const int body = scope->joint->marker[side].body;
    if (body == DAL_GROUND || !scope->build->mechanism.bodies[body].particle)
        return true;
    return refuse_equation(scope, mark, value,
                           dal_arena_print(scope->build->arena,
                                           "joint '%s': '%s' needs the attitude of '%s', which is a particle (a mass without "
                                           "inertia): give it an inertia",
                                           scope->joint->name, name, scope->build->mechanism.bodies[body].name));
}

static bool read_vector(dal_equation_scope *scope, int vector, int primes, dal_value *value)
{
    value->n = dal_equation_dimension(scope);
    for (int k = 0; k < value->n; k++)
        value->node[k] = dal_build_signal(scope->build, (dal_signal){DAL_SIGNAL_VECTOR, vector, k, primes, 0});
    return true;
}

static bool read_point(dal_equation_scope *scope, int side, const char *name, int primes, dal_mark mark, dal_value *value)
{
    if (!enter_side(scope, side, name, mark, value))
        return false;
    if (scope->point[side] < 0)
        scope->point[side] = dal_add_point(&scope->build->mechanism, &scope->joint->marker[side]);
    return read_vector(scope, scope->point[side], primes, value);
}

static bool read_axis(dal_equation_scope *scope, int axis, int side, const char *name, int primes, dal_mark mark, dal_value *value)
{
    if (dal_equation_dimension(scope) == 2 && axis == 2)
        return refuse_equation(scope, mark, value,
                               dal_arena_print(scope->build->arena,
                                               "'%s' stands across the plane: in a planar model cross(a, b) is a number, and so is w%c", name,
                                               name[1]));
    if (!needs_attitude(scope, side, name, mark, value))
        return false;
    if (scope->axis[side][axis] < 0)
        scope->axis[side][axis] = dal_add_axis(&scope->build->mechanism, &scope->joint->marker[side], axis);
    return read_vector(scope, scope->axis[side][axis], primes, value);
}

/* Angular velocity: a number in the plane. */
static bool read_spin(dal_equation_scope *scope, int side, const char *name, int primes, dal_mark mark, dal_value *value)
{
    if (!needs_attitude(scope, side, name, mark, value))
        return false;
    if (primes)
        return too_many_primes(scope, name, mark, value);
    const int body = scope->joint->marker[side].body, first = dal_equation_dimension(scope) == 2 ? 2 : 0;
    value->n = dal_equation_dimension(scope) == 2 ? 1 : 3;
    for (int k = 0; k < value->n; k++)
        value->node[k] = body == DAL_GROUND ? dal_equation_number(scope, 0)
                                            : dal_build_signal(scope->build, (dal_signal){DAL_SIGNAL_OMEGA, body, first + k, 0, 0});
    return true;
}

/* "angle" is that of the second side against the first, "angle_kl" of side l against k. */
static bool read_angle(dal_equation_scope *scope, const char *name, int primes, dal_mark mark, dal_value *value)
{
    const char *sides = name[5] ? name + 6 : "ij";
    const int first = side_of(sides[0]), second = side_of(sides[1]);
    if (!needs_attitude(scope, first, name, mark, value) || !needs_attitude(scope, second, name, mark, value))
        return false;
    *value = dal_equation_scalar(dal_equation_signal(scope, dal_vectors_angle(scope, first, second), primes));
    return true;
}

typedef enum word { WORD_NONE, WORD_POINT, WORD_AXIS, WORD_SPIN, WORD_ANGLE } word;

static word word_of(const char *name)
{
    const size_t n = strlen(name);
    if (n == 1 && strchr("MNPQ", name[0]))
        return WORD_POINT;
    if (n == 2 && strchr("xyz", name[0]) && side_of(name[1]) >= 0)
        return WORD_AXIS;
    if (n == 2 && name[0] == 'w' && side_of(name[1]) >= 0)
        return WORD_SPIN;
    if (!strcmp(name, "angle") || (n == 8 && !strncmp(name, "angle_", 6) && side_of(name[6]) >= 0 && side_of(name[7]) >= 0 && name[6] != name[7]))
        return WORD_ANGLE;
    return WORD_NONE;
}

const char *dal_equation_word(const char *name)
{
    static const char *const meaning[] = {NULL, "it is a point of the joint", "it is an axis of the joint", "it is an angular velocity",
                                          "it is the angle of the joint"};
    return meaning[word_of(name)];
}

/* " (did you mean 'xi'?)", or the list of names. */
static const char *hint_for(dal_equation_scope *scope, const char *name)
{
    static const char *const words[] = {"angle", "angle_ij", "angle_ik", "angle_il", "angle_jk", "angle_jl", "angle_kl"};
    dal_arena *arena = scope->build->arena;
    const char **all = DAL_NEW(arena, const char *, scope->n_parameters + 8), *listed = "";
    char buffer[96];
    int n = 0;
    for (int i = 0; i < scope->n_parameters; i++) {
        all[n++] = scope->parameter[i];
        listed = dal_arena_print(arena, "%s, %s", listed, scope->parameter[i]);
    }
    for (int i = 0; i < 7; i++)
        all[n++] = words[i];
    const char *near = strlen(name) > 2 ? dal_did_you_mean(name, all, buffer) : "";
    if (*near)
        return dal_arena_copy(arena, near, strlen(near));
    return dal_arena_print(arena,
                           "an equation knows the points M, N%s, the axes xi, yi%s of the first, xj, yj%s of the "
                           "second, wi, wj, angle%s%s, t and parameters of the model",
                           scope->n_points > 2 ? ", P, Q" : "", dal_equation_dimension(scope) == 3 ? ", zi" : "",
                           dal_equation_dimension(scope) == 3 ? ", zj" : "", scope->n_points > 2 ? ", angle_ik ..." : "", listed);
}

static bool resolve(void *user, const char *name, int primes, dal_mark mark, dal_value *value, const char **hint)
{
    dal_equation_scope *scope = user;
    for (int i = 0; i < scope->n_parameters; i++)
        if (!strcmp(scope->parameter[i], name)) {
            scope->used[i] = true;
            *value = dal_equation_scalar(dal_equation_number(scope, primes ? 0 : scope->value[i]));
            return true;
        }
    const word kind = word_of(name);
    if (kind != WORD_NONE && primes > 1)
        return too_many_primes(scope, name, mark, value);
    switch (kind) {
    case WORD_POINT: return read_point(scope, name[0] < 'P' ? name[0] - 'M' : name[0] - 'P' + 2, name, primes, mark, value);
    case WORD_AXIS: return read_axis(scope, name[0] - 'x', side_of(name[1]), name, primes, mark, value);
    case WORD_SPIN: return read_spin(scope, side_of(name[1]), name, primes, mark, value);
    case WORD_ANGLE: return read_angle(scope, name, primes, mark, value);
    case WORD_NONE: break;
    }
    if (dal_build_resolve(scope->build, name, primes, mark, value, hint))
        return true;
    if (value->n && (strlen(name) < 3 || !*hint || !**hint)) /* another name of two letters is another name */
        *hint = hint_for(scope, name);
    return false;
}

/* ---- a prime behind brackets ------------------------------------------------------------------ */

typedef struct differentiation {
    dal_equation_scope *scope;
    bool failed;
} differentiation;

static dal_node rate_of(void *user, dal_graph *graph, int variable)
{
    differentiation *d = user;
    dal_signal s = d->scope->build->signals[variable];
    if (s.kind == DAL_SIGNAL_TIME)
        return dal_const(graph, 1);
    d->failed |= s.order > 0 || s.kind == DAL_SIGNAL_OMEGA;
    if (d->failed)
        return DAL_NO_NODE;
    s.order = 1;
    return dal_build_signal(d->scope->build, s);
}

static bool differentiate_value(void *user, dal_mark mark, dal_value *value)
{
    differentiation d = {user, false};
    for (int i = 0; i < value->n; i++)
        value->node[i] = dal_rate(d.scope->build->graph, value->node[i], rate_of, &d);
    return !d.failed || too_many_primes(d.scope, "this", mark, value);
}

/* ---- an equation -------------------------------------------------------------------------------- */

bool dal_equation_read(dal_equation_scope *scope, dal_text text, dal_value *value)
{
    dal_build *build = scope->build;
    const dal_parser parser = {.graph = build->graph,
                               .messages = build->messages,
                               .resolve = resolve,
                               .user = scope,
                               .product = dal_vectors_multiply,
                               .rate = differentiate_value};
    build->equation = true;
    const bool fine = dal_build_parse_by(build, &parser, DAL_REACH_TIME, scope->type->binding, text, value);
    build->equation = false;
    if (!fine)
        return false;
    *value = dal_vectors_written_out(scope, value);
    for (int k = 0; k < value->n; k++)
        value->node[k] = dal_substitute(build->graph, value->node[k], dal_vectors_by_components, scope);
    return true;
}
