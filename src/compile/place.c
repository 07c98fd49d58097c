/* Start positions of bodies without a position of their own: between points, by the start of a joint, or guessed from the joints. */
#include "math/rotation.h"
#include "math/vec.h"
#include "compile/frames.h"
#include "compile/joint_types.h"

#include <math.h>
#include <string.h>

static const double two_pi = 6.28318530717958647692;

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

/* Of a frame in the plane, with the whole turns of its body. */
static double angle_of_frame(const dal_build *build, const dal_marker *marker)
{
    return atan2(marker->B[3], marker->B[0]) + (marker->body == DAL_GROUND ? 0 : build->start[marker->body].angle);
}

/* What was given in the axes of the ground of an included model, in those of the world: r := P + E r, R := E R. */
static bool place_mounted(dal_build *build, int body)
{
    dal_body_start *start = &build->start[body];
    const dal_body_spec *spec = &build->spec->bodies[body];
    dal_marker marker;
    double P[3], E[9];
    if (!start->mounted)
        return false;
    bool known = dal_build_mount(build, spec->binding->model, &marker);
    if (known && !is_placed(build, marker.body))
        return false;
    start->mounted = false;
    start->placed = start->position_given && !spec->between.n;
    if (!known)
        return true; /* complained */
    dal_marker_world(build, &marker, P, E);
    dal_add_turned(E, start->r, P);
    memcpy(start->r, P, sizeof P);
    if (build->mechanism.bodies[body].particle)
        return true; /* it has no attitude */
    dal_rotation_multiply(E, start->R, start->R);
    start->angle += planar(build) ? angle_of_frame(build, &marker) : 0;
    return true;
}

/* -1 along an axis that the body is mirrored along: spec/mirror_body.c */
static double sign_of(const dal_list *between, int axis)
{
    return (axis == 2 ? between->fix : between->item[axis].fix) ? -1 : 1;
}

static bool place_between(dal_build *build, int body)
{
    const dal_body_spec *spec = &build->spec->bodies[body];
    dal_marker marker[2];
    double P[2][3], E[9], x[3];
    if (spec->between.n != 2)
        return false;
    bool known = dal_build_marker(build, spec->between.item[0], &marker[0], NULL);
    if (!dal_build_marker(build, spec->between.item[1], &marker[1], NULL) || !known)
        return build->start[body].placed = true; /* an error was reported; do not try again */
    for (int k = 0; k < 2; k++) {
        if (!is_placed(build, marker[k].body))
            return false;
        dal_marker_world(build, &marker[k], P[k], E);
    }
    dal_body_start *start = &build->start[body];
    const double z[3] = {0, 0, 1};
    for (int i = 0; i < 3; i++) {
        start->r[i] = (P[0][i] + P[1][i]) / 2;
        x[i] = (P[1][i] - P[0][i]) * sign_of(&spec->between, i);
    }
    if (!dal_rotation_from_axes(0, x, planar(build) ? 2 : -1, z, start->R))
        dal_error(build->messages, spec->between.mark, "'%s' cannot lie between two points that coincide: it would have no direction",
                  spec->name.text);
    for (int i = 0; i < 9; i++) /* M R M, R that of the mirror image */
        start->R[i] *= sign_of(&spec->between, i / 3) * sign_of(&spec->between, i % 3);
    if (build->mechanism.bodies[body].particle)
        dal_rotation_identity(start->R); /* it has no attitude */
    set_angle(start);
    start->placed = start->position_given = start->attitude_given = true;
    start->position_fixed = start->attitude_fixed = spec->fix;
    return true;
}

/* The joint's motion from the first frame to the second: E_1 = E_0 R_z(angle), P_1 = P_0 + distance e_0, e the axis of the first
 * frame, which the turn leaves alone in space. side: whose frame follows from the other's. */
static void follow_motion(const dal_build *build, int side, double angle, double distance, double P[3], double E[9])
{
    const int axis = planar(build) ? 0 : 2;
    double turn[9];
    dal_rotation_elementary(2, side ? angle : -angle, turn);
    for (int i = 0; i < 3 && side; i++)
        P[i] += distance * E[3 * i + axis];
    dal_rotation_multiply(E, turn, E);
    for (int i = 0; i < 3 && !side; i++)
        P[i] -= distance * E[3 * i + axis];
}

/* The body of one side from the frame of the other, by the motion of the joint. */
static void place_side(dal_build *build, const dal_joint_spec *spec, const dal_marker marker[2], int side, double angle, double distance)
{
    const dal_marker *own = &marker[side], *other = &marker[1 - side];
    dal_body_start *start = &build->start[own->body];
    double P[3], E[9], back[9];
    dal_marker_world(build, other, P, E);
    follow_motion(build, side, angle, distance, P, E);
    if (!start->attitude_given && !build->mechanism.bodies[own->body].particle) {
        for (int i = 0; i < 9; i++)
            back[i] = own->B[3 * (i % 3) + i / 3];
        dal_rotation_multiply(E, back, start->R);
        set_angle(start);
        if (planar(build)) { /* with the whole turns of the other body and of the joint; the axes of the frames write none */
            const double turn = remainder(atan2(other->B[3], other->B[0]) - atan2(own->B[3], own->B[0]), two_pi);
            const double want = (other->body == DAL_GROUND ? 0 : build->start[other->body].angle) + (side ? angle : -angle) + turn;
            start->angle += two_pi * round((want - start->angle) / two_pi);
        }
    }
    double offset[3] = {0, 0, 0};
    dal_add_turned(start->R, own->s, offset);
    for (int i = 0; i < 3; i++)
        start->r[i] = P[i] - offset[i];
    start->placed = true;
    start->position_given = spec->start.angle.text || spec->start.distance.text || spec->start.rate.text;
    start->attitude_given |= start->position_given; /* a guessed place leaves an attitude that was given as it is */
}

/* `zero:` belongs to the coordinate that `coordinate:` names, or to the first one. */
static bool zero_is_of(const dal_build *build, const dal_joint_spec *spec, const dal_joint_type *type, const char *name)
{
    const char *first = dal_joint_in(type, build->spec->space)->coordinates[0];
    const char *whose = spec->coordinate.text ? spec->coordinate.text : first;
    return whose && !strcmp(whose, name);
}

/* Start values of a joint, counted from where its frames coincide. */
static bool read_motion(dal_build *build, const dal_joint_spec *spec, const dal_joint_type *type, double *angle, double *distance)
{
    double zero = 0;
    *angle = *distance = 0;
    bool ok = !spec->zero.text || dal_build_number(build, spec->binding, spec->zero, &zero);
    if (spec->start.angle.text)
        ok = ok && dal_build_number(build, spec->binding, spec->start.angle, angle);
    if (spec->start.distance.text)
        ok = ok && dal_build_number(build, spec->binding, spec->start.distance, distance);
    if (zero_is_of(build, spec, type, "angle") && spec->start.angle.text)
        *angle -= zero;
    if (zero_is_of(build, spec, type, "distance") && spec->start.distance.text)
        *distance -= zero;
    return ok;
}

/* Levels of placing by a joint: a less certain level is used only if no better one applies. */
typedef enum placing_level {
    FORWARD,  /* the second body by the start of the joint, or the first if the second is the ground */
    BACKWARD, /* the first body by the start of the joint */
    GUESS     /* either, by a joint without a start */
} placing_level;

/* Joints without a coordinate whose frames can only coincide, or turn about z. */
static bool says_attitude(const dal_build *build, const dal_joint_type *type)
{
    return !planar(build) && type->keeps != DAL_KEEPS_NO_AXIS && !dal_joint_in(type, DAL_SPATIAL)->coordinates[0];
}

/* A joint that says where its second body stands: it has a start, or it is a weld of two points with axes. */
static bool is_certain(dal_build *build, const dal_joint_spec *spec)
{
    const dal_joint_type *type = dal_joint_type_find(spec->type.text ? spec->type.text : "");
    const bool weld = !planar(build) && type && type->welds && spec->connect.n == 2;
    dal_messages *messages = build->messages;
    dal_marker marker[2];
    bool has_axes[2];
    build->messages = NULL; /* complaints come when the joint itself is compiled */
    const bool certain = spec->start.angle.text || spec->start.distance.text ||
                         (weld && dal_joint_markers(build, spec, marker, has_axes) && has_axes[0] && has_axes[1]);
    build->messages = messages;
    return certain;
}

static bool place_by_joint(dal_build *build, const dal_joint_spec *spec, placing_level stage)
{
    const dal_joint_type *type = dal_joint_type_find(spec->type.text ? spec->type.text : "");
    dal_marker marker[2];
    bool has_axes[2], carried;
    const bool started = is_certain(build, spec);
    double angle = 0, distance = 0;
    if (!type || type->class != DAL_JOINT_PAIR || type->surface || spec->connect.n != 2 || started == (stage == GUESS))
        return false;
    dal_messages *messages = build->messages;
    build->messages = NULL; /* complaints come when the joint itself is compiled */
    bool ok = dal_joint_markers(build, spec, marker, has_axes);
    const int side = ok && is_placed(build, marker[1].body) ? 0 : 1;
    ok = ok && is_placed(build, marker[1 - side].body) && !is_placed(build, marker[side].body) && !build->start[marker[side].body].mounted &&
         (side == 1 || stage != FORWARD || marker[1].body == DAL_GROUND);
    if (ok && side == 0 && !started) {
        dal_build_base(build, spec->connect.item[0], marker[0].B);
        dal_build_base(build, spec->connect.item[1], marker[1].B);
    } else if (ok) {
        ok = dal_joint_frames(build, spec, type, marker, has_axes, &carried) && read_motion(build, spec, type, &angle, &distance);
        const bool exact = has_axes[0] && has_axes[1] && says_attitude(build, type); /* the frames coincide: not a guess */
        if (ok && !started && !exact && !build->start[marker[1].body].attitude_given)
            memcpy(marker[1].B, marker[0].B, sizeof marker[1].B);
    }
    build->messages = messages;
    if (ok)
        place_side(build, spec, marker, side, angle, distance);
    return ok;
}

/* What the start of a joint places has no place of its own, nor an attitude if it is turned. (A second body that has its own place
 * is reported when the joint is compiled.) */
static void check_started_once(dal_build *build, const dal_joint_spec *spec)
{
    const dal_text *value = spec->start.angle.text ? &spec->start.angle : &spec->start.distance;
    dal_marker marker[2];
    dal_messages *messages = build->messages;
    build->messages = NULL; /* complaints come when the joint itself is compiled */
    bool ok = value->text && !spec->start.within.text && !spec->start.branch.text && spec->connect.n == 2 &&
              dal_joint_type_number(build, spec) < 0; /* one of the model's own places nothing */
    for (int k = 0; k < 2 && ok; k++)
        ok = dal_build_marker(build, spec->connect.item[k], &marker[k], NULL);
    build->messages = messages;
    const bool backward = ok && marker[1].body == DAL_GROUND;
    if (!ok || marker[backward ? 0 : 1].body == DAL_GROUND)
        return;
    const dal_body_spec *body = &build->spec->bodies[marker[backward ? 0 : 1].body];
    const char *place = body->position.n ? "position" : body->between.n ? "between" : NULL;
    const char *attitude = body->angle.text ? "angle" : body->orientation.kind != DAL_ATTITUDE_NONE ? "orientation" : NULL;
    if (place ? backward : attitude && spec->start.angle.text)
        dal_error(build->messages, value->mark, "'%s' is %s twice, by its `%s:` and by the start of joint '%s': drop one of them", body->name.text,
                  place ? "placed" : "turned", place ? place : attitude, spec->name.text);
}

static void refuse_circle(dal_build *build, int body)
{
    const dal_body_spec *spec = &build->spec->bodies[body];
    for (int k = 0; k < 2; k++) {
        dal_marker marker;
        if (!dal_build_marker(build, spec->between.item[k], &marker, NULL) || is_placed(build, marker.body))
            continue;
        if (marker.body == body)
            dal_error(build->messages, spec->between.item[k].mark, "'%s' cannot lie between points of its own: name points of other bodies",
                      spec->name.text);
        else
            dal_error(build->messages, spec->between.item[k].mark,
                      "'%s' lies between points of bodies that wait for one another: give '%s' a position, or a joint with `start:`", spec->name.text,
                      build->spec->bodies[marker.body].name.text);
        return;
    }
}

/* Candidates for placing, so that not all bodies are tried again each time one was placed. */
typedef struct placing {
    dal_build *build;
    int n_waiting, *waiting; /* bodies that wait for others: between points, in a model on a body */
    int n_started, *started; /* joints that are certain */
    int *first, *joint;      /* of each body: its other joints, first[b] ... first[b + 1]; ascending */
    int n_heap, *heap; /* joints without a start at a body that was placed, the first of the file on top; some place nothing, some are there twice */
    bool *known;       /* of bodies: their joints are in the heap, or were */
} placing;

static void push_joint(placing *p, int joint)
{
    int at = p->n_heap++;
    for (; at > 0 && joint < p->heap[(at - 1) / 2]; at = (at - 1) / 2)
        p->heap[at] = p->heap[(at - 1) / 2];
    p->heap[at] = joint;
}

static int pop_joint(placing *p)
{
    const int top = p->heap[0], last = p->heap[--p->n_heap];
    int at = 0;
    for (int child; (child = 2 * at + 1) < p->n_heap; at = child) {
        if (child + 1 < p->n_heap && p->heap[child + 1] < p->heap[child])
            child++;
        if (last <= p->heap[child])
            break;
        p->heap[at] = p->heap[child];
    }
    p->heap[at] = last;
    return top;
}

/* The bodies of a joint: the ground stands behind the others. False: there is something wrong with it. */
static bool ends_of(dal_build *build, const dal_joint_spec *spec, int body[2])
{
    dal_messages *messages = build->messages;
    dal_marker marker[2];
    build->messages = NULL; /* complaints come when the joint itself is compiled */
    bool ok = spec->connect.n == 2;
    for (int k = 0; k < 2 && ok; k++) {
        ok = dal_build_marker(build, spec->connect.item[k], &marker[k], NULL);
        body[k] = !ok || marker[k].body == DAL_GROUND ? build->spec->n_bodies : marker[k].body;
    }
    build->messages = messages;
    return ok;
}

static void begin_placing(placing *p, dal_build *build)
{
    const dal_spec *spec = build->spec;
    const int n = spec->n_bodies;
    int *fill = DAL_NEW(build->arena, int, n + 2), *ends = DAL_NEW(build->arena, int, 2 * spec->n_joints);
    *p = (placing){.build = build};
    p->waiting = DAL_NEW(build->arena, int, n);
    p->started = DAL_NEW(build->arena, int, spec->n_joints);
    p->first = DAL_NEW(build->arena, int, n + 2);
    p->joint = DAL_NEW(build->arena, int, 2 * spec->n_joints);
    p->heap = DAL_NEW(build->arena, int, 4 * spec->n_joints);
    p->known = DAL_NEW(build->arena, bool, n + 1);
    for (int b = 0; b < n; b++)
        if (build->start[b].mounted || spec->bodies[b].between.n == 2)
            p->waiting[p->n_waiting++] = b;
    for (int j = 0; j < spec->n_joints; j++) {
        const bool started = is_certain(build, &spec->joints[j]);
        ends[2 * j] = -1;
        if (started)
            p->started[p->n_started++] = j;
        else if (ends_of(build, &spec->joints[j], ends + 2 * j))
            for (int k = 0; k < 2; k++)
                p->first[ends[2 * j + k] + 1]++;
        else
            ends[2 * j] = -1;
    }
    for (int b = 0; b <= n; b++)
        fill[b + 1] = p->first[b + 1] += p->first[b];
    for (int j = 0; j < spec->n_joints; j++)
        for (int k = 0; k < 2 && ends[2 * j] >= 0; k++)
            p->joint[fill[ends[2 * j + k]]++] = j;
}

/* A body that was placed (or the ground, behind the others): its joints may place others. */
static void spread(placing *p, int body)
{
    for (int i = p->first[body]; i < p->first[body + 1] && !p->known[body]; i++)
        push_joint(p, p->joint[i]);
    p->known[body] = true;
}

static void spread_all(placing *p)
{
    const int n = p->build->spec->n_bodies;
    for (int b = 0; b <= n; b++)
        if (b == n || p->build->start[b].placed)
            spread(p, b);
}

/* Everything that is certain; false: nothing was. */
static bool place_certain(placing *p)
{
    dal_build *build = p->build;
    bool any = false;
    for (bool progress = p->n_waiting + p->n_started > 0; progress; any |= progress) {
        progress = false;
        for (int i = 0; i < p->n_waiting; i++)
            if (!build->start[p->waiting[i]].placed)
                progress |= place_mounted(build, p->waiting[i]) || place_between(build, p->waiting[i]);
        for (int i = 0; i < p->n_started; i++)
            progress |= place_by_joint(build, &build->spec->joints[p->started[i]], FORWARD);
    }
    return any;
}

static bool place_backward(placing *p)
{
    for (int i = 0; i < p->n_started; i++)
        if (place_by_joint(p->build, &p->build->spec->joints[p->started[i]], BACKWARD))
            return true;
    return false;
}

/* By the first joint of the file that can. Where bodies wait for others, what failed once may succeed later, and all joints are tried. */
static bool place_guess(placing *p)
{
    dal_build *build = p->build;
    if (p->n_waiting) {
        for (int j = 0; j < build->spec->n_joints; j++)
            if (place_by_joint(build, &build->spec->joints[j], GUESS))
                return true;
        return false;
    }
    while (p->n_heap) {
        const dal_joint_spec *joint = &build->spec->joints[pop_joint(p)];
        if (!place_by_joint(build, joint, GUESS))
            continue;
        int body[2];
        ends_of(build, joint, body);
        spread(p, body[0]);
        spread(p, body[1]);
        return true;
    }
    return false;
}

static bool all_are_placed(const dal_build *build)
{
    for (int b = 0; b < build->spec->n_bodies; b++)
        if (!build->start[b].placed)
            return false;
    return true;
}

/* One after the other, by certain rules first, then by guesses. */
static void place_others(dal_build *build)
{
    placing p;
    begin_placing(&p, build);
    spread_all(&p);
    for (bool progress = true; progress;) { /* steps backward and guesses one at a time */
        if (place_certain(&p))
            spread_all(&p);
        progress = place_backward(&p);
        if (progress)
            spread_all(&p);
        else
            progress = place_guess(&p);
    }
}

void dal_build_place(dal_build *build)
{
    const dal_spec *spec = build->spec;
    for (int j = 0; j < spec->n_joints; j++)
        check_started_once(build, &spec->joints[j]);
    if (!all_are_placed(build))
        place_others(build);
    for (int b = 0; b < spec->n_bodies; b++) {
        if (build->start[b].placed)
            continue;
        if (spec->bodies[b].between.n == 2)
            refuse_circle(build, b);
    }
    for (int b = 0; b < spec->n_bodies; b++) /* the others at the origin: assembly may move them freely */
        build->start[b].placed |= !build->start[b].mounted;
    for (bool progress = true; progress;) {
        progress = false;
        for (int b = 0; b < spec->n_bodies; b++)
            if (place_mounted(build, b))
                progress = build->start[b].placed = true;
    }
    for (int b = 0; b < spec->n_bodies; b++)
        build->start[b].placed = true;
    dal_build_motion(build);
}
