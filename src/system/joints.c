/* Joints: where bodies are placed by them, their markers, rows, drives and couplings. */
#include "math/rotation.h"
#include "system/build.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static bool planar(const dal_build *build)
{
    return build->spec->space == DAL_PLANAR;
}

static void add_turned(const double R[9], const double s[3], double out[3])
{
    for (int i = 0; i < 3; i++)
        out[i] += R[3 * i] * s[0] + R[3 * i + 1] * s[1] + R[3 * i + 2] * s[2];
}

static void world_of(const dal_build *build, const dal_marker *marker, double P[3], double E[9])
{
    memset(P, 0, 3 * sizeof *P);
    if (marker->body == DAL_GROUND) {
        memcpy(P, marker->s, 3 * sizeof *P);
        memcpy(E, marker->B, 9 * sizeof *E);
        return;
    }
    const dal_body_start *start = &build->start[marker->body];
    memcpy(P, start->r, 3 * sizeof *P);
    add_turned(start->R, marker->s, P);
    dal_rotation_multiply(start->R, marker->B, E);
}

/* ---- frames ------------------------------------------------------------------ */

static bool check_connect(dal_build *build, const dal_joint_spec *spec, dal_marker marker[2], bool has_axes[2])
{
    if (spec->connect.n != 2) {
        dal_error(build->messages, spec->connect.n ? spec->connect.mark : spec->name.mark,
                  "joint '%s' connects two points: `connect: [first, second]`", spec->name.text);
        return false;
    }
    bool ok = dal_build_marker(build, spec->binding, spec->connect.item[0], &marker[0], &has_axes[0]);
    ok &= dal_build_marker(build, spec->binding, spec->connect.item[1], &marker[1], &has_axes[1]);
    if (ok && marker[0].body == marker[1].body) {
        dal_error(build->messages, spec->connect.mark, "joint '%s' connects %s%s with itself", spec->name.text,
                  marker[0].body == DAL_GROUND ? "the ground" : "body ",
                  marker[0].body == DAL_GROUND ? "" : build->spec->bodies[marker[0].body].name.text);
        return false;
    }
    return ok;
}

/* The axis of the first frame from `axis:`: z in space, x in the plane (z across it). */
static bool frame_from_axis(dal_build *build, const dal_joint_spec *spec, const dal_list *list, int letter, double B[9])
{
    double a[3];
    const double out_of_plane[3] = {0, 0, 1};
    if (!dal_build_vector(build, spec->binding, list, a))
        return false;
    if (dal_rotation_from_axes(letter, a, planar(build) ? 2 : -1, out_of_plane, B))
        return true;
    dal_error(build->messages, list->mark, "the axis of joint '%s' has length zero", spec->name.text);
    return false;
}

/* B_second := what coincides with the first frame at the start (or, placed by `start`, when the bodies' axes coincide). */
static void carry(const dal_build *build, dal_marker marker[2], bool same_axes)
{
    static const double one[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
    const double *R_i = marker[0].body == DAL_GROUND ? one : build->start[marker[0].body].R;
    const double *R_j = marker[1].body == DAL_GROUND ? one : build->start[marker[1].body].R;
    double E[9];
    if (same_axes) {
        memcpy(marker[1].B, marker[0].B, sizeof marker[0].B);
        return;
    }
    dal_rotation_multiply(R_i, marker[0].B, E);
    dal_rotation_multiply_left_transposed(R_j, E, marker[1].B);
}

/* z_i and x_j are given, the rest of the two frames is made to coincide as far as it can. */
static bool cross_frames(dal_build *build, const dal_joint_spec *spec, dal_marker marker[2])
{
    double a[3], b[3], P[3], E[9], z[3], x[3], local_z[3] = {0, 0, 0}, local_x[3] = {0, 0, 0};
    if (!dal_build_vector(build, spec->binding, &spec->axis, a) | !dal_build_vector(build, spec->binding, &spec->axis_second, b))
        return false;
    dal_rotation_identity(marker[0].B);
    dal_rotation_identity(marker[1].B);
    double E_i[9], E_j[9];
    world_of(build, &marker[0], P, E_i);
    world_of(build, &marker[1], P, E_j);
    memset(z, 0, sizeof z);
    memset(x, 0, sizeof x);
    add_turned(E_i, a, z);
    add_turned(E_j, b, x);
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 3; k++) {
            local_x[i] += E_i[3 * k + i] * x[k]; /* x_j in the first body */
            local_z[i] += E_j[3 * k + i] * z[k]; /* z_i in the second */
        }
    (void)E;
    if (dal_rotation_from_axes(2, a, 0, local_x, marker[0].B) && dal_rotation_from_axes(0, b, 2, local_z, marker[1].B))
        return true;
    dal_error(build->messages, spec->axis.mark, "the two axes of joint '%s' are parallel or zero: they have to cross", spec->name.text);
    return false;
}

static bool make_frames(dal_build *build, const dal_joint_spec *spec, const dal_joint_type *type, dal_marker marker[2],
                        const bool has_axes[2], bool *carried)
{
    dal_axis_need need = planar(build) ? type->axis_planar : type->axis_spatial;
    int letter = planar(build) ? 0 : 2;
    bool same_axes = spec->start.angle.text || spec->start.distance.text;
    *carried = false;
    if (spec->axis.n && need == DAL_AXIS_NONE) {
        dal_error(build->messages, spec->axis.mark, "a %s joint takes no axis in a %s model", type->name, planar(build) ? "planar" : "spatial");
        return false;
    }
    if (need == DAL_AXIS_TWO) {
        if (spec->axis.n && spec->axis_second.n)
            return cross_frames(build, spec, marker);
        if (has_axes[0] && has_axes[1])
            return true;
        dal_error(build->messages, spec->name.mark, "joint '%s' needs two axes, one in each body: `axis: [[..], [..]]`", spec->name.text);
        return false;
    }
    if (spec->axis.n) {
        if (!frame_from_axis(build, spec, &spec->axis, letter, marker[0].B))
            return false;
        if (spec->axis_second.n)
            return frame_from_axis(build, spec, &spec->axis_second, letter, marker[1].B);
    } else if (need == DAL_AXIS_ONE && !has_axes[0]) {
        dal_error(build->messages, spec->name.mark, "joint '%s' of type %s needs an axis: `axis: [%s]`, in the axes of the first body",
                  spec->name.text, type->name, planar(build) ? "x, y" : "x, y, z");
        return false;
    }
    if (has_axes[1])
        return true;
    if (planar(build) && type->axis_planar == DAL_AXIS_NONE && !type->planar_turns)
        return true; /* a pin: the frames are the bodies' own axes, its angle is the difference of theirs */
    carry(build, marker, same_axes);
    *carried = spec->axis.n > 0 && !same_axes;
    return true;
}

/* ---- placing bodies that have no position of their own -------------------------- */

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
    for (int k = 0; k < 2; k++) {
        if (!dal_build_marker(build, spec->binding, spec->between.item[k], &marker[k], NULL))
            return build->start[body].placed = true; /* complained; do not come back */
        if (!is_placed(build, marker[k].body))
            return false;
        world_of(build, &marker[k], P[k], E);
    }
    dal_body_start *start = &build->start[body];
    const double z[3] = {0, 0, 1};
    for (int i = 0; i < 3; i++) {
        start->r[i] = (P[0][i] + P[1][i]) / 2;
        x[i] = P[1][i] - P[0][i];
    }
    if (!dal_rotation_from_axes(0, x, planar(build) ? 2 : -1, z, start->R))
        dal_error(build->messages, spec->between.mark, "'%s' cannot lie between two points that coincide", spec->name.text);
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
    world_of(build, &marker[0], P, E);
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
    add_turned(start->R, marker[1].s, offset);
    for (int i = 0; i < 3; i++)
        start->r[i] = P[i] - offset[i];
    start->placed = true;
    start->position_given = start->attitude_given = spec->start.mark.line > 0;
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
    bool ok = check_connect(build, spec, marker, has_axes);
    if (ok && guess && is_placed(build, marker[1].body) && !is_placed(build, marker[0].body)) {
        dal_marker swap = marker[0];
        marker[0] = marker[1], marker[1] = swap;
        dal_rotation_identity(marker[0].B);
        dal_rotation_identity(marker[1].B);
    } else if (ok) {
        ok = make_frames(build, spec, type, marker, has_axes, &carried);
        if (ok && !started && marker[1].body != DAL_GROUND && !build->start[marker[1].body].attitude_given)
            memcpy(marker[1].B, marker[0].B, sizeof marker[1].B);
    }
    double angle = 0, distance = 0, zero = 0;
    if (ok && spec->zero.text)
        ok = dal_build_number(build, spec->binding, spec->zero, &zero);
    if (ok && spec->start.angle.text)
        ok = dal_build_number(build, spec->binding, spec->start.angle, &angle), angle -= zero;
    if (ok && spec->start.distance.text)
        ok = dal_build_number(build, spec->binding, spec->start.distance, &distance), distance -= spec->start.angle.text ? 0 : zero;
    build->messages = messages;
    if (!ok || !is_placed(build, marker[0].body) || is_placed(build, marker[1].body))
        return false;
    place_second(build, spec, marker, angle, distance);
    return true;
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
            dal_error(build->messages, spec->bodies[b].between.mark,
                      "'%s' lies between points whose bodies are not placed themselves", spec->bodies[b].name.text);
        build->start[b].placed = true; /* at the origin: assembly may move it freely */
    }
    dal_build_motion(build);
}

/* ---- compiling -------------------------------------------------------------------- */

/* Which keys were given that this type does not know, and which are missing? */
static bool check_keys(dal_build *build, const dal_joint_spec *spec, const dal_joint_type *type)
{
    const struct {
        const char *key;
        bool given;
        dal_mark mark;
    } keys[] = {
        {"connect", spec->connect.n > 0, spec->connect.mark}, {"axis", spec->axis.n > 0, spec->axis.mark},
        {"joints", spec->joints.n > 0, spec->joints.mark},    {"normal", spec->normal.n > 0, spec->normal.mark},
        {"joint", spec->joint.text, spec->joint.mark},        {"body", spec->body.text, spec->body.mark},
        {"coordinate", spec->coordinate.text, spec->coordinate.mark},
        {"value", spec->value.text, spec->value.mark},        {"ratio", spec->ratio.text, spec->ratio.mark},
        {"radius", spec->radius.text, spec->radius.mark},     {"pitch", spec->pitch.text, spec->pitch.mark},
        {"length", spec->length.text, spec->length.mark},     {"drive", spec->drive.text, spec->drive.mark},
        {"zero", spec->zero.text, spec->zero.mark},           {"start", spec->start.mark.line > 0, spec->start.mark},
    };
    bool ok = true;
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
        char spaced[200], word[40], required[40];
        bool pair_key = type->class == DAL_JOINT_PAIR && i < 2;
        snprintf(spaced, sizeof spaced, " %s ", type->keys);
        snprintf(word, sizeof word, " %s ", keys[i].key);
        snprintf(required, sizeof required, " %s! ", keys[i].key);
        bool needed = strstr(spaced, required) != NULL, known = needed || strstr(spaced, word) || pair_key;
        if (keys[i].given && !known) {
            dal_error(build->messages, keys[i].mark, "joint '%s': type %s has no key '%s'", spec->name.text, type->name, keys[i].key);
            ok = false;
        } else if (!keys[i].given && needed) {
            dal_error(build->messages, spec->name.mark, "joint '%s': type %s needs the key '%s'", spec->name.text, type->name, keys[i].key);
            ok = false;
        }
    }
    return ok;
}

static bool check_attitudes(dal_build *build, const dal_joint_spec *spec, const dal_joint_type *type, const dal_marker marker[2])
{
    bool turns = planar(build) ? type->planar_turns : type->turns;
    for (int k = 0; k < 2; k++) {
        int body = marker[k].body;
        if (body == DAL_GROUND || !build->mechanism.bodies[body].particle)
            continue;
        if (turns || (k == 0 && (planar(build) ? type->axis_planar : type->axis_spatial) != DAL_AXIS_NONE)) {
            dal_error(build->messages, spec->connect.item[k].mark,
                      "joint '%s' of type %s needs the attitude of '%s', which is a particle: give it an inertia", spec->name.text,
                      type->name, build->mechanism.bodies[body].name);
            return false;
        }
    }
    return true;
}

/* A row that prescribes a measure as a function of time. */
static bool add_drive(dal_build *build, dal_joint *joint, int measure, double zero, dal_text text, const dal_binding *binding, bool angular)
{
    dal_node f;
    if (!dal_build_scalar(build, DAL_REACH_TIME, binding, text, &f))
        return false;
    int smooth = dal_smoothness(build->graph, f);
    if (smooth < 3) {
        dal_error(build->messages, text.mark,
                  "a prescribed motion needs two continuous derivatives; this one %s (use a smooth table, tanh, or a polynomial)",
                  smooth == 0 ? "jumps" : smooth == 1 ? "has corners" : "has jumps in its acceleration");
        return false;
    }
    dal_signal time = {DAL_SIGNAL_TIME, 0, 0, 0, 0};
    dal_build_signal(build, time); /* make sure that it has a number */
    int variable = 0;
    while (build->signals[variable].kind != DAL_SIGNAL_TIME)
        variable++;
    dal_node first = dal_diff(build->graph, f, variable);
    dal_build_expression(build, &build->drives, f);
    dal_build_expression(build, &build->drives, first);
    dal_build_expression(build, &build->drives, dal_diff(build->graph, first, variable));
    dal_term term = {measure, 1};
    joint->drive = dal_add_row(&build->mechanism, 1, &term, -zero, build->n_times++, angular);
    return true;
}

static int find_coordinate(dal_build *build, const dal_joint *joint, const char *name, dal_mark mark)
{
    const char *const *names = planar(build) ? joint->type->coordinates_planar : joint->type->coordinates_spatial;
    if (!name && joint->n_coordinates == 1)
        return 0;
    for (int k = 0; name && k < joint->n_coordinates; k++)
        if (!strcmp(names[k], name))
            return k;
    char list[80] = "";
    for (int k = 0; k < joint->n_coordinates; k++)
        snprintf(list + strlen(list), sizeof list - strlen(list), "%s%s", k ? " or " : "", names[k]);
    if (!joint->n_coordinates)
        dal_error(build->messages, mark, "joint '%s' of type %s has no coordinate", joint->name, joint->type->name);
    else if (name)
        dal_error(build->messages, mark, "joint '%s' of type %s has no coordinate '%s': expected %s", joint->name, joint->type->name, name, list);
    else
        dal_error(build->messages, mark, "joint '%s' has several coordinates: say `coordinate: %s`", joint->name, list);
    return -1;
}

int dal_build_joint_coordinate(dal_build *build, dal_text name, const char *coordinate, double *zero)
{
    const dal_symbol *symbol = dal_symbol_find(build, name.text, strlen(name.text));
    if (!symbol || symbol->kind != DAL_SYMBOL_JOINT) {
        const char **names = DAL_TAKE(build->arena, const char *, build->spec->n_joints + 1);
        char hint[96];
        for (int i = 0; i < build->spec->n_joints; i++)
            names[i] = build->spec->joints[i].name.text;
        dal_error(build->messages, name.mark, "there is no joint '%s'%s", name.text, dal_did_you_mean(name.text, names, hint));
        return -1;
    }
    if (symbol->index >= build->mechanism.n_joints) {
        dal_error(build->messages, name.mark, "joint '%s' is used before it is described: move it up", name.text);
        return -1;
    }
    const dal_joint *joint = &build->mechanism.joints[symbol->index];
    if (!joint->type)
        return -1; /* it was refused itself */
    int k = find_coordinate(build, joint, coordinate, name.mark);
    if (k < 0)
        return -1;
    if (zero)
        *zero = joint->zero[k];
    return joint->coordinate[k];
}

static bool is_angle(const dal_build *build, int measure)
{
    return build->mechanism.measures[measure].kind == DAL_MEASURE_ANGLE;
}

static bool read_lengths(dal_build *build, const dal_joint_spec *spec, dal_joint_builder *b)
{
    bool ok = true;
    if (spec->length.text)
        ok &= dal_build_number(build, spec->binding, spec->length, &b->length);
    if (spec->pitch.text)
        ok &= dal_build_number(build, spec->binding, spec->pitch, &b->pitch);
    if (ok && !strcmp(b->joint->type->name, "distance")) {
        if (!spec->length.text) {
            double P[2][3], E[9], d = 0;
            world_of(build, &b->joint->marker[0], P[0], E);
            world_of(build, &b->joint->marker[1], P[1], E);
            for (int i = 0; i < 3; i++)
                d += (P[1][i] - P[0][i]) * (P[1][i] - P[0][i]);
            b->length = sqrt(d);
        }
        if (!(b->length > 0)) {
            dal_error(build->messages, spec->length.text ? spec->length.mark : spec->name.mark,
                      "the length of joint '%s' must be positive, not %.6g: points that coincide are a %s joint", spec->name.text,
                      b->length, planar(build) ? "revolute" : "spherical");
            ok = false;
        }
    }
    b->joint->length = b->length;
    return ok;
}

static void note_start(dal_build *build, const dal_joint_spec *spec, const dal_joint *joint)
{
    const dal_start_spec *start = &spec->start;
    if (!start->mark.line)
        return;
    const char *const *names = planar(build) ? joint->type->coordinates_planar : joint->type->coordinates_spatial;
    for (int k = 0; k < joint->n_coordinates; k++) {
        const dal_text *text = !strcmp(names[k], "angle") ? &start->angle : !strcmp(names[k], "distance") ? &start->distance : NULL;
        dal_target target = {.measure = joint->coordinate[k], .fix = start->fix, .mark = start->mark};
        if (text && text->text) {
            target.has_value = dal_build_number(build, spec->binding, *text, &target.value);
            target.value -= joint->zero[k];
        }
        if (start->rate.text && k == 0)
            target.has_rate = dal_build_number(build, spec->binding, start->rate, &target.rate);
        if (target.has_value || target.has_rate)
            *DAL_PUSH(build->arena, build->targets, build->n_targets, build->cap_targets) = target;
    }
    if ((start->angle.text && !(joint->n_coordinates && (!strcmp(names[0], "angle") || joint->n_coordinates > 1))) ||
        (start->distance.text && !(joint->n_coordinates && (!strcmp(names[0], "distance") || joint->n_coordinates > 1))))
        dal_error(build->messages, start->mark, "joint '%s' of type %s has no such coordinate to start from", joint->name, joint->type->name);
}

static void compile_pair(dal_build *build, const dal_joint_spec *spec, dal_joint *joint, bool *carried)
{
    const dal_joint_type *type = joint->type;
    bool has_axes[2];
    if (!check_connect(build, spec, joint->marker, has_axes) || !check_attitudes(build, spec, type, joint->marker) ||
        !make_frames(build, spec, type, joint->marker, has_axes, carried)) {
        joint->type = NULL;
        return;
    }
    if ((spec->start.angle.text || spec->start.distance.text) && joint->marker[1].body != DAL_GROUND &&
        build->spec->bodies[joint->marker[1].body].position.n) {
        dal_error(build->messages, spec->start.mark, "'%s' has a position of its own and is placed by the start of joint '%s': drop one of them",
                  build->spec->bodies[joint->marker[1].body].name.text, spec->name.text);
    }
    dal_joint_builder b = {.mechanism = &build->mechanism, .joint = joint};
    b.point[0] = dal_add_point(b.mechanism, &joint->marker[0]);
    b.point[1] = dal_add_point(b.mechanism, &joint->marker[1]);
    if (!read_lengths(build, spec, &b)) {
        joint->type = NULL;
        return;
    }
    type->forbid(&b);
    if (type->measure)
        type->measure(&b);
    if (!strcmp(type->name, "screw"))
        build->mechanism.rows[build->mechanism.n_rows - 1].constant = NAN; /* from the start */
    double zero = 0;
    if (spec->zero.text && dal_build_number(build, spec->binding, spec->zero, &zero) && joint->n_coordinates)
        joint->zero[0] = zero;
    note_start(build, spec, joint);
    if (spec->drive.text) {
        int k = find_coordinate(build, joint, spec->coordinate.text, spec->drive.mark);
        if (k >= 0 && add_drive(build, joint, joint->coordinate[k], joint->zero[k], spec->drive, spec->binding,
                                is_angle(build, joint->coordinate[k])))
            joint->drive_coordinate = k;
    }
}

/* gear, rack-and-pinion: coordinate of the second joint - factor * coordinate of the first = what it is at the start. */
static void couple_joints(dal_build *build, const dal_joint_spec *spec, dal_joint *joint)
{
    bool gear = !strcmp(joint->type->name, "gear");
    double factor;
    if (spec->joints.n != 2) {
        dal_error(build->messages, spec->joints.mark, "joint '%s' couples two joints: `joints: [first, second]`", spec->name.text);
        return;
    }
    int first = dal_build_joint_coordinate(build, spec->joints.item[0], "angle", NULL);
    int second = dal_build_joint_coordinate(build, spec->joints.item[1], gear ? "angle" : "distance", NULL);
    if (first < 0 || second < 0 || !dal_build_number(build, spec->binding, gear ? spec->ratio : spec->radius, &factor))
        return;
    if (first == second) {
        dal_error(build->messages, spec->joints.mark, "joint '%s' couples a joint with itself", spec->name.text);
        return;
    }
    const dal_symbol *other = dal_symbol_find(build, spec->joints.item[1].text, strlen(spec->joints.item[1].text));
    memcpy(joint->marker, build->mechanism.joints[other->index].marker, sizeof joint->marker);
    const dal_term terms[2] = {{second, 1}, {first, -factor}};
    dal_add_row(&build->mechanism, 2, terms, NAN, -1, gear);
}

static void drive_or_lock(dal_build *build, const dal_joint_spec *spec, dal_joint *joint)
{
    bool lock = !strcmp(joint->type->name, "lock");
    double zero = 0, value = 0;
    int measure = -1;
    if (!spec->joint.text == !spec->body.text) {
        dal_error(build->messages, spec->name.mark, "joint '%s' acts on a coordinate of either `joint:` or `body:`", spec->name.text);
        return;
    }
    if (spec->joint.text) {
        measure = dal_build_joint_coordinate(build, spec->joint, spec->coordinate.text, &zero);
        if (measure >= 0) {
            const dal_symbol *other = dal_symbol_find(build, spec->joint.text, strlen(spec->joint.text));
            memcpy(joint->marker, build->mechanism.joints[other->index].marker, sizeof joint->marker);
        }
    } else {
        measure = dal_build_body_coordinate(build, spec->body, spec->coordinate);
        if (measure >= 0) {
            dal_build_marker(build, spec->binding, spec->body, &joint->marker[1], NULL);
            joint->marker[0].body = DAL_GROUND;
        }
    }
    if (measure < 0)
        return;
    joint->coordinate[joint->n_coordinates] = measure;
    joint->zero[joint->n_coordinates++] = zero;
    if (!lock) {
        add_drive(build, joint, measure, zero, spec->value, spec->binding, is_angle(build, measure));
        return;
    }
    dal_term term = {measure, 1};
    double constant = NAN;
    if (spec->value.text && dal_build_number(build, spec->binding, spec->value, &value))
        constant = value - zero;
    dal_add_row(&build->mechanism, 1, &term, constant, -1, is_angle(build, measure));
}

void dal_build_joints(dal_build *build)
{
    const dal_spec *spec = build->spec;
    build->axis_carried = DAL_TAKE(build->arena, bool, spec->n_joints);
    for (int i = 0; i < spec->n_joints; i++) {
        const dal_joint_spec *s = &spec->joints[i];
        dal_joint *joint = DAL_PUSH(build->arena, build->mechanism.joints, build->mechanism.n_joints, build->mechanism.cap_joints);
        *joint = (dal_joint){.name = s->name.text, .mark = s->name.mark, .row = build->mechanism.n_rows, .drive = -1};
        const char *names[64];
        char hint[96];
        int n = 0;
        for (; dal_joint_types[n]; n++)
            names[n] = dal_joint_types[n]->name;
        names[n] = NULL;
        joint->type = s->type.text ? dal_joint_type_find(s->type.text) : NULL;
        if (!joint->type) {
            if (s->type.text)
                dal_error(build->messages, s->type.mark, "there is no joint type '%s'%s", s->type.text, dal_did_you_mean(s->type.text, names, hint));
            else
                dal_error(build->messages, s->name.mark, "joint '%s' has no type", s->name.text);
            continue;
        }
        if (!(joint->type->spaces & (planar(build) ? DAL_IN_PLANE : DAL_IN_SPACE))) {
            dal_error(build->messages, s->type.mark, "a %s joint exists in %s models only", joint->type->name, planar(build) ? "spatial" : "planar");
            joint->type = NULL;
            continue;
        }
        if (!check_keys(build, s, joint->type)) {
            joint->type = NULL;
            continue;
        }
        if (joint->type->class == DAL_JOINT_PAIR)
            compile_pair(build, s, joint, &build->axis_carried[i]);
        else if (!strcmp(joint->type->name, "driven") || !strcmp(joint->type->name, "lock"))
            drive_or_lock(build, s, joint);
        else
            couple_joints(build, s, joint);
    }
}
