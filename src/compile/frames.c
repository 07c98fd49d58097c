/* Joint frames: the two markers of a joint, from `connect:` and `axis:`.
 *
 * An axis is written in the first body and carried to the second at the start,
 * unless both sides are given. What the axes leave open, the turn about them, is
 * such that the two frames coincide at the start as nearly as they can.
 */
#include "math/rotation.h"
#include "math/vec.h"
#include "compile/frames.h"

#include <math.h>
#include <string.h>

static bool planar(const dal_build *build)
{
    return build->spec->space == DAL_PLANAR;
}

const char *dal_body_words(const dal_build *build, int body)
{
    return body == DAL_GROUND ? "the ground" : dal_arena_print(build->arena, "'%s'", build->spec->bodies[body].name.text);
}

void dal_marker_world(const dal_build *build, const dal_marker *marker, double P[3], double E[9])
{
    memset(P, 0, 3 * sizeof *P);
    if (marker->body == DAL_GROUND) {
        memcpy(P, marker->s, 3 * sizeof *P);
        memcpy(E, marker->B, 9 * sizeof *E);
        return;
    }
    const dal_body_start *start = &build->start[marker->body];
    memcpy(P, start->r, 3 * sizeof *P);
    dal_add_turned(start->R, marker->s, P);
    dal_rotation_multiply(start->R, marker->B, E);
}

bool dal_joint_markers(dal_build *build, const dal_joint_spec *spec, dal_marker marker[2], bool has_axes[2])
{
    bool ok = dal_build_marker(build, spec->connect.item[0], &marker[0], &has_axes[0]);
    ok &= dal_build_marker(build, spec->connect.item[1], &marker[1], &has_axes[1]);
    if (ok && marker[0].body == marker[1].body) {
        dal_error(build->messages, spec->connect.mark, "joint '%s' connects %s with itself: two different bodies are needed", spec->name.text,
                  dal_body_words(build, marker[0].body));
        return false;
    }
    return ok;
}

/* B := M B: directions are written in the axes M of their side, which are those of the body except for the ground of an included model. */
static void turn_to_body(dal_build *build, const dal_joint_spec *spec, int side, double B[9])
{
    double M[9];
    dal_build_base(build, spec->connect.item[side], M);
    dal_rotation_multiply(M, B, B);
}

/* The axis of the first frame from `axis:`: z in space, x in the plane (z across it). */
static bool frame_from_axis(dal_build *build, const dal_joint_spec *spec, const dal_list *list, int side, int letter, double B[9])
{
    double a[3];
    const double out_of_plane[3] = {0, 0, 1};
    if (!dal_build_vector(build, spec->binding, list, a))
        return false;
    if (dal_rotation_from_axes(letter, a, planar(build) ? 2 : -1, out_of_plane, B)) {
        turn_to_body(build, spec, side, B);
        return true;
    }
    dal_error(build->messages, list->mark, "the axis of joint '%s' has length zero: write a direction, as in `axis: [%s]`", spec->name.text,
              planar(build) ? "1, 0" : "0, 0, 1");
    return false;
}

/* B_second := the frame that coincides with the first one at the start (or, placed by `start`, when the bodies' axes coincide). */
static void carry(dal_build *build, const dal_joint_spec *spec, dal_marker marker[2], bool same_axes)
{
    static const double one[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
    const double *R_i = marker[0].body == DAL_GROUND ? one : build->start[marker[0].body].R;
    const double *R_j = marker[1].body == DAL_GROUND ? one : build->start[marker[1].body].R;
    double E[9];
    if (same_axes) { /* the axes that directions are written in: M_j' B_j = M_i' B_i */
        dal_build_base(build, spec->connect.item[0], E);
        dal_rotation_multiply_left_transposed(E, marker[0].B, marker[1].B);
        turn_to_body(build, spec, 1, marker[1].B);
        return;
    }
    dal_rotation_multiply(R_i, marker[0].B, E);
    dal_rotation_multiply_left_transposed(R_j, E, marker[1].B);
}

void dal_further_frame(dal_build *build, dal_marker *marker, int side)
{
    dal_marker pair[2] = {marker[0], marker[side]};
    carry(build, NULL, pair, false);
    memcpy(marker[side].B, pair[1].B, sizeof marker[side].B);
}

/* The frame of the second body from an axis of its own: x_j as near to x_i as it can be, at the start or when the bodies' axes
 * coincide (as carry), so that a joint that forbids the turn about its axis keeps the bodies turned as they are. */
static bool frame_beside(dal_build *build, const dal_joint_spec *spec, dal_marker marker[2], bool same_axes)
{
    double B[9];
    dal_marker like[2] = {marker[0], marker[1]};
    if (!frame_from_axis(build, spec, &spec->axis_second, 1, planar(build) ? 0 : 2, marker[1].B))
        return false;
    if (planar(build))
        return true;
    carry(build, spec, like, same_axes);
    const double z[3] = {marker[1].B[2], marker[1].B[5], marker[1].B[8]}, x[3] = {like[1].B[0], like[1].B[3], like[1].B[6]};
    if (dal_rotation_from_axes(2, z, 0, x, B)) /* x_i along z_j: any x_j is as near */
        memcpy(marker[1].B, B, sizeof B);
    return true;
}

/* z_i and x_j are given, the rest of the two frames is made to coincide as far as it can. */
static bool cross_frames(dal_build *build, const dal_joint_spec *spec, dal_marker marker[2])
{
    double a[3], b[3], P[3], z[3], x[3], local_z[3] = {0, 0, 0}, local_x[3] = {0, 0, 0};
    bool ok = dal_build_vector(build, spec->binding, &spec->axis, a);
    ok &= dal_build_vector(build, spec->binding, &spec->axis_second, b);
    if (!ok)
        return false;
    dal_build_base(build, spec->connect.item[0], marker[0].B);
    dal_build_base(build, spec->connect.item[1], marker[1].B);
    double E_i[9], E_j[9];
    dal_marker_world(build, &marker[0], P, E_i);
    dal_marker_world(build, &marker[1], P, E_j);
    memset(z, 0, sizeof z);
    memset(x, 0, sizeof x);
    dal_add_turned(E_i, a, z);
    dal_add_turned(E_j, b, x);
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 3; k++) {
            local_x[i] += E_i[3 * k + i] * x[k]; /* x_j in the first body */
            local_z[i] += E_j[3 * k + i] * z[k]; /* z_i in the second */
        }
    if (dal_rotation_from_axes(2, a, 0, local_x, marker[0].B) && dal_rotation_from_axes(0, b, 2, local_z, marker[1].B)) {
        turn_to_body(build, spec, 0, marker[0].B);
        turn_to_body(build, spec, 1, marker[1].B);
        return true;
    }
    bool first = dal_dot(a, a) == 0, second = dal_dot(b, b) == 0;
    if (first || second)
        dal_error(build->messages, first ? spec->axis.mark : spec->axis_second.mark, "the %s axis of joint '%s' has length zero",
                  first ? "first" : "second", spec->name.text);
    else
        dal_error(build->messages, spec->axis_second.mark, "the two axes of joint '%s' are parallel at the start: they have to cross",
                  spec->name.text);
    return false;
}

/* B := the frame with this direction along `letter`. */
static bool frame_along(dal_build *build, const dal_joint_spec *spec, const char *what, const dal_list *list, int side, int letter, double B[9])
{
    const double out_of_plane[3] = {0, 0, 1};
    double a[3];
    if (!dal_build_vector(build, spec->binding, list, a))
        return false;
    if (dal_rotation_from_axes(letter, a, planar(build) ? 2 : -1, out_of_plane, B)) {
        turn_to_body(build, spec, side, B);
        return true;
    }
    dal_error(build->messages, list->mark, "the %s of joint '%s' has length zero: write a direction", what, spec->name.text);
    return false;
}

/* A surface of the first body has its normal along z, in the plane along y; the axis of the second body is its own. */
static bool surface_frames(dal_build *build, const dal_joint_spec *spec, const dal_joint_type *type, dal_marker marker[2], const bool has_axes[2])
{
    dal_axis_need need = dal_joint_in(type, build->spec->space)->axis;
    if (planar(build) && need != DAL_AXIS_NONE && spec->normal.n) { /* a skate */
        dal_error(build->messages, spec->normal.mark, "joint '%s': a %s takes no normal in a planar model: it slides in the plane", spec->name.text,
                  type->name);
        return false;
    }
    if (spec->axis_second.n) {
        dal_error(build->messages, spec->axis.mark, "joint '%s' of type %s takes one axis, in the axes of the second body", spec->name.text,
                  type->name);
        return false;
    }
    if (need == DAL_AXIS_ONE && !spec->axis.n && !has_axes[1]) {
        dal_error(build->messages, spec->name.mark, "joint '%s' of type %s needs an axis: `axis: [%s]`, in the axes of the second body",
                  spec->name.text, type->name, planar(build) ? "x, y" : "x, y, z");
        return false;
    }
    return (!spec->normal.n || frame_along(build, spec, "normal", &spec->normal, 0, planar(build) ? 1 : 2, marker[0].B)) &&
           (!spec->axis.n || frame_along(build, spec, "axis", &spec->axis, 1, planar(build) ? 0 : 2, marker[1].B));
}

/* A pin in the plane. */
static bool is_pin(const dal_build *build, const dal_joint_type *type)
{
    return planar(build) && type->planar.axis == DAL_AXIS_NONE && !type->planar.turns;
}

bool dal_joint_frames(dal_build *build, const dal_joint_spec *spec, const dal_joint_type *type, dal_marker marker[2], const bool has_axes[2],
                      bool *carried)
{
    dal_axis_need need = dal_joint_in(type, build->spec->space)->axis;
    int letter = planar(build) ? 0 : 2;
    bool same_axes = spec->start.angle.text || spec->start.distance.text;
    *carried = false;
    if (spec->axis.n && need == DAL_AXIS_NONE) {
        dal_error(build->messages, spec->axis.mark, "joint '%s': a %s joint takes no axis in a %s model", spec->name.text, type->name,
                  planar(build) ? "planar" : "spatial");
        return false;
    }
    if (type->surface)
        return surface_frames(build, spec, type, marker, has_axes);
    if (need == DAL_AXIS_TWO) {
        if (spec->axis.n && spec->axis_second.n)
            return cross_frames(build, spec, marker);
        if (has_axes[0] && has_axes[1])
            return true;
        dal_error(build->messages, spec->axis.n ? spec->axis.mark : spec->name.mark,
                  "joint '%s' of type %s needs two axes, one in each body: `axis: [[x, y, z], [x, y, z]]`", spec->name.text, type->name);
        return false;
    }
    if (spec->axis.n) {
        if (!frame_from_axis(build, spec, &spec->axis, 0, letter, marker[0].B))
            return false;
        if (spec->axis_second.n)
            return frame_beside(build, spec, marker, same_axes);
    } else if (need == DAL_AXIS_ONE && !has_axes[0]) {
        dal_error(build->messages, spec->name.mark, "joint '%s' of type %s needs an axis: `axis: [%s]`, in the axes of the first body",
                  spec->name.text, type->name, planar(build) ? "x, y" : "x, y, z");
        return false;
    }
    if (has_axes[1])
        return true;
    if (is_pin(build, type))
        return true; /* the frames are the bodies' own axes, its angle is the difference of theirs */
    carry(build, spec, marker, same_axes);
    *carried = spec->axis.n > 0 && !same_axes;
    return true;
}

static bool same_matrix(const double A[9], const double B[9])
{
    for (int i = 0; i < 9; i++)
        if (!(fabs(A[i] - B[i]) < 1e-12))
            return false;
    return true;
}

/* Is side k the ground in whose axes M the angle of the other side's body is written? */
static bool is_own_ground(dal_build *build, const dal_joint_spec *spec, const dal_marker marker[2], int k, const double M[9])
{
    const char *rest;
    const int body = marker[1 - k].body;
    if (body == DAL_GROUND)
        return false;
    if (marker[k].body != DAL_GROUND) { /* perhaps that of an included model, which stands on a body */
        const dal_symbol *symbol = build->spec->n_models ? dal_symbol_prefix(build, spec->connect.item[k].text, &rest) : NULL;
        if (!symbol || symbol->kind != DAL_SYMBOL_GROUND)
            return false;
    }
    const dal_binding *binding = build->spec->bodies[body].binding;
    if (!build->spec->n_models && marker[k].body == DAL_GROUND)
        return true; /* there is no other one */
    dal_marker mount = {.body = DAL_GROUND, .B = {1, 0, 0, 0, 1, 0, 0, 0, 1}};
    if (binding && !dal_on_ground(build, binding->model) && !dal_build_mount(build, binding->model, &mount))
        return false;
    return mount.body == marker[k].body && same_matrix(mount.B, M);
}

/* Where the second frame was laid on the first at the start, the angle begins at zero. Frames lie alike where M_i' B_i = M_j' B_j. */
dal_turns dal_joint_turns(dal_build *build, const dal_joint_spec *spec, const dal_joint_type *type, const dal_marker marker[2],
                          const bool has_axes[2])
{
    double M[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1}, turned[2][9];
    const double *B[2] = {marker[0].B, marker[1].B};
    bool ground = false;
    if (!planar(build) || !(has_axes[1] || is_pin(build, type)))
        return DAL_TURNS_NONE;
    for (int k = 0; k < 2; k++) {
        if (build->spec->n_models) { /* there may be other grounds */
            dal_build_base(build, spec->connect.item[k], M);
            dal_rotation_multiply_left_transposed(M, marker[k].B, turned[k]);
            B[k] = turned[k];
        }
        ground |= is_own_ground(build, spec, marker, k, M);
    }
    return !same_matrix(B[0], B[1]) ? DAL_TURNS_NONE : ground ? DAL_TURNS_OF_BODY : DAL_TURNS_BETWEEN;
}
