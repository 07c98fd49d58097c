/* Where bodies start that have no position of their own: between points, by the start of a joint, or guessed from the joints. */
#include "math/rotation.h"
#include "system/frames.h"

#include <math.h>
#include <string.h>

static bool planar(const dal_build *build)
{
    return build->spec->space == DAL_PLANAR;
}

static bool is_placed(const dal_build *build, int body)
{
    return body == DAL_GROUND || build->start[body].placed;
}

static void set_angle(dal_body_start *start)
{
    start->angle = atan2(start->R[3], start->R[0]);
}

static bool place_between(dal_build *build, int body)
{
    const dal_body_spec *spec = &build->spec->bodies[body];
    dal_marker marker[2];
    double P[2][3], E[9], x[3];
    if (spec->between.n != 2)
        return false;
    bool known = dal_build_marker(build, spec->binding, spec->between.item[0], &marker[0], NULL);
    if (!dal_build_marker(build, spec->binding, spec->between.item[1], &marker[1], NULL) || !known)
        return build->start[body].placed = true; /* complained; do not come back */
    for (int k = 0; k < 2; k++) {
        if (!is_placed(build, marker[k].body))
            return false;
        dal_marker_world(build, &marker[k], P[k], E);
    }
    dal_body_start *start = &build->start[body];
    const double z[3] = {0, 0, 1};
    for (int i = 0; i < 3; i++) {
        start->r[i] = (P[0][i] + P[1][i]) / 2;
        x[i] = P[1][i] - P[0][i];
    }
    if (!dal_rotation_from_axes(0, x, planar(build) ? 2 : -1, z, start->R))
        dal_error(build->messages, spec->between.mark, "'%s' cannot lie between two points that coincide: it would have no direction",
                  spec->name.text);
    if (build->mechanism.bodies[body].particle)
        dal_rotation_identity(start->R); /* it has no attitude */
    set_angle(start);
    start->placed = start->position_given = start->attitude_given = true;
    start->position_fixed = start->attitude_fixed = spec->fix;
    return true;
}

/* The second frame from the first: shifted by the start distance along the axis, turned by the start angle about z. */
static void place_second(dal_build *build, const dal_joint_spec *spec, dal_marker marker[2], double angle, double distance)
{
    dal_body_start *start = &build->start[marker[1].body];
    double P[3], E[9], turn[9], back[9];
    dal_marker_world(build, &marker[0], P, E);
    int axis = planar(build) ? 0 : 2;
    for (int i = 0; i < 3; i++)
        P[i] += distance * E[3 * i + axis];
    dal_rotation_elementary(2, angle, turn);
    dal_rotation_multiply(E, turn, E);
    if (!start->attitude_given && !build->mechanism.bodies[marker[1].body].particle) {
        for (int i = 0; i < 9; i++)
            back[i] = marker[1].B[3 * (i % 3) + i / 3];
        dal_rotation_multiply(E, back, start->R);
        set_angle(start);
        if (planar(build) && marker[0].body != DAL_GROUND)
            start->angle = build->start[marker[0].body].angle + angle;
        else if (planar(build))
            start->angle = angle;
    }
    double offset[3] = {0, 0, 0};
    dal_add_turned(start->R, marker[1].s, offset);
    for (int i = 0; i < 3; i++)
        start->r[i] = P[i] - offset[i];
    start->placed = true;
    start->position_given = spec->start.mark.line > 0;
    start->attitude_given |= start->position_given; /* a guessed place leaves an attitude that was given as it is */
}

/* `zero:` belongs to the first coordinate of a joint. */
static bool first_is(const dal_build *build, const dal_joint_type *type, const char *name)
{
    const char *first = (planar(build) ? type->coordinates_planar : type->coordinates_spatial)[0];
    return first && !strcmp(first, name);
}

/* Try to place the second body of a joint from the first (or, guessing, either from the other). */
static bool place_by_joint(dal_build *build, const dal_joint_spec *spec, bool guess)
{
    const dal_joint_type *type = dal_joint_type_find(spec->type.text ? spec->type.text : "");
    dal_marker marker[2];
    bool has_axes[2], carried;
    bool started = spec->start.angle.text || spec->start.distance.text;
    if (!type || type->class != DAL_JOINT_PAIR || spec->connect.n != 2 || (!started && !guess))
        return false;
    dal_messages *messages = build->messages;
    build->messages = NULL; /* complaints come when the joint itself is compiled */
    bool ok = dal_joint_markers(build, spec, marker, has_axes);
    if (ok && guess && is_placed(build, marker[1].body) && !is_placed(build, marker[0].body)) {
        dal_marker swap = marker[0];
        marker[0] = marker[1], marker[1] = swap;
        dal_rotation_identity(marker[0].B);
        dal_rotation_identity(marker[1].B);
    } else if (ok) {
        ok = dal_joint_frames(build, spec, type, marker, has_axes, &carried);
        if (ok && !started && marker[1].body != DAL_GROUND && !build->start[marker[1].body].attitude_given)
            memcpy(marker[1].B, marker[0].B, sizeof marker[1].B);
    }
    double angle = 0, distance = 0, zero = 0;
    if (ok && spec->zero.text)
        ok = dal_build_number(build, spec->binding, spec->zero, &zero);
    if (ok && spec->start.angle.text)
        ok = dal_build_number(build, spec->binding, spec->start.angle, &angle);
    if (ok && spec->start.distance.text)
        ok = dal_build_number(build, spec->binding, spec->start.distance, &distance);
    if (spec->zero.text && first_is(build, type, "angle") && spec->start.angle.text)
        angle -= zero;
    if (spec->zero.text && first_is(build, type, "distance") && spec->start.distance.text)
        distance -= zero;
    build->messages = messages;
    if (!ok || !is_placed(build, marker[0].body) || is_placed(build, marker[1].body))
        return false;
    place_second(build, spec, marker, angle, distance);
    return true;
}

static void refuse_circle(dal_build *build, int body)
{
    const dal_body_spec *spec = &build->spec->bodies[body];
    for (int k = 0; k < 2; k++) {
        dal_marker marker;
        if (!dal_build_marker(build, spec->binding, spec->between.item[k], &marker, NULL) || is_placed(build, marker.body))
            continue;
        if (marker.body == body)
            dal_error(build->messages, spec->between.item[k].mark, "'%s' cannot lie between points of its own: name points of other bodies",
                      spec->name.text);
        else
            dal_error(build->messages, spec->between.item[k].mark,
                      "'%s' lies between points of bodies that wait for one another: give '%s' a position, or a joint with `start:`",
                      spec->name.text, build->spec->bodies[marker.body].name.text);
        return;
    }
}

void dal_build_place(dal_build *build)
{
    const dal_spec *spec = build->spec;
    for (bool progress = true, guess = false; progress || !guess;) {
        guess = !progress; /* guesses only when nothing else helps, one at a time */
        progress = false;
        for (int b = 0; b < spec->n_bodies && !guess; b++)
            if (!build->start[b].placed)
                progress |= place_between(build, b);
        for (int j = 0; j < spec->n_joints && !(guess && progress); j++)
            progress |= place_by_joint(build, &spec->joints[j], guess);
    }
    for (int b = 0; b < spec->n_bodies; b++) {
        if (build->start[b].placed)
            continue;
        if (spec->bodies[b].between.n == 2)
            refuse_circle(build, b);
    }
    for (int b = 0; b < spec->n_bodies; b++)
        build->start[b].placed = true; /* the others at the origin: assembly may move them freely */
    dal_build_motion(build);
}
