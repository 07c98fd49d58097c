/* Joints: their keys, rows, coordinates, drives and couplings. */
#include "compile/frames.h"
#include "compile/joint_types.h"
#include "compile/keys.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static bool planar(const dal_build *build)
{
    return build->spec->space == DAL_PLANAR;
}

/* Which keys were given that this type does not know, and which are missing? */
static bool check_keys(dal_build *build, const dal_joint_spec *spec, const dal_joint_type *type)
{
    const dal_given keys[] = {
        {"connect", spec->connect.n > 0, spec->connect.mark},
        {"axis", spec->axis.n > 0, spec->axis.mark},
        {"joints", spec->joints.n > 0, spec->joints.mark},
        {"normal", spec->normal.n > 0, spec->normal.mark},
        {"joint", spec->joint.text, spec->joint.mark},
        {"body", spec->body.text, spec->body.mark},
        {"coordinate", spec->coordinate.text, spec->coordinate.mark},
        {"value", spec->value.text, spec->value.mark},
        {"ratio", spec->ratio.text, spec->ratio.mark},
        {"radius", spec->radius.text, spec->radius.mark},
        {"pitch", spec->pitch.text, spec->pitch.mark},
        {"length", spec->length.text, spec->length.mark},
        {"drive", spec->drive.text, spec->drive.mark},
        {"drive-rate", spec->drive_rate.text, spec->drive_rate.mark},
        {"zero", spec->zero.text, spec->zero.mark},
        {"start", spec->start.mark.line > 0, spec->start.mark},
        {"cut", spec->cut, spec->name.mark},
        {"friction", spec->friction.mark.line > 0, spec->friction.mark},
        {"compliance", spec->compliance.n > 0, spec->compliance.mark},
        {"parameters", spec->parameters.n > 0, spec->parameters.n ? spec->parameters.item[0].name.mark : spec->name.mark},
        {"non-ideal", spec->law.n > 0, spec->law.n ? spec->law.item[0].name.mark : spec->name.mark},
    };
    dal_axis_need need = dal_joint_in(type, build->spec->space)->axis;
    const char *axis = need != DAL_AXIS_NONE || spec->axis.n ? "axis " : ""; /* one too many is reported with the reason */
    const char *known =
        type->class == DAL_JOINT_PAIR ? dal_arena_print(build->arena, "connect! %s%s cut compliance non-ideal", axis, type->keys) : type->keys;
    return dal_check_keys(build, "joint", spec->name, type->name, known, sizeof keys / sizeof *keys, keys);
}

static bool check_attitudes(dal_build *build, const dal_joint_spec *spec, const dal_joint_type *type, const dal_marker marker[2])
{
    const dal_joint_variant *in_space = dal_joint_in(type, build->spec->space);
    for (int k = 0; k < 2; k++) {
        int body = marker[k].body;
        if (body == DAL_GROUND || !build->mechanism.bodies[body].particle)
            continue;
        if (in_space->turns || (k == 0 && in_space->axis != DAL_AXIS_NONE)) {
            const char *other = k == 1 ? in_space->particle : NULL;
            dal_error(build->messages, spec->connect.item[k].mark,
                      "joint '%s' of type %s needs the attitude of '%s', which is a particle (a mass without inertia): give it an inertia%s%s",
                      spec->name.text, type->name, build->mechanism.bodies[body].name, other ? ", or use a joint of type " : "", other ? other : "");
            return false;
        }
    }
    return true;
}

static bool same_measure(const dal_mechanism *m, const dal_measure *a, const dal_measure *b)
{
    for (int k = 0; k < 4; k++) {
        const dal_vector *v = a->vector[k] < 0 ? NULL : &m->vectors[a->vector[k]], *w = b->vector[k] < 0 ? NULL : &m->vectors[b->vector[k]];
        if (!v != !w || (v && (v->body != w->body || v->point != w->point || memcmp(v->s, w->s, sizeof v->s))))
            return false;
    }
    return a->kind == b->kind;
}

/* ---- what a type may ask of the description: dal_joint_builder ------------------------------------- */

static bool builder_number(dal_joint_builder *b, dal_text text, double *value)
{
    return dal_build_number(b->user, b->spec->binding, text, value);
}

static int builder_joint_coordinate(dal_joint_builder *b, dal_text name, dal_text coordinate, double *zero)
{
    dal_build *build = b->user;
    const int measure = dal_build_joint_coordinate(build, name, coordinate, zero);
    if (measure >= 0) {
        const dal_symbol *other = dal_symbol_find(build, name.text, strlen(name.text));
        memcpy(b->joint->marker, build->mechanism.joints[other->index].marker, sizeof b->joint->marker);
    }
    return measure;
}

static int builder_body_coordinate(dal_joint_builder *b, dal_text body, dal_text coordinate)
{
    dal_build *build = b->user;
    const int measure = dal_build_body_coordinate(build, body, coordinate);
    if (measure >= 0) {
        dal_build_marker(build, body, &b->joint->marker[1], NULL);
        b->joint->marker[0].body = DAL_GROUND;
    }
    return measure;
}

static bool builder_claim(dal_joint_builder *b, int measure, dal_mark mark)
{
    dal_build *build = b->user;
    const dal_mechanism *m = &build->mechanism;
    for (int i = 0; i < build->n_claims; i++)
        if (same_measure(m, &m->measures[build->claims[i].measure], &m->measures[measure])) {
            const dal_joint *other = &m->joints[build->claims[i].joint];
            dal_error(build->messages, mark, "joint '%s' prescribes a coordinate that joint '%s' of line %d prescribes already: drop one of them",
                      b->joint->name, other->name, other->mark.line);
            return false;
        }
    *DAL_PUSH(build->arena, build->claims, build->n_claims, build->cap_claims) = (dal_claim){measure, m->n_joints - 1};
    return true;
}

/* f, f' and f'' become outputs of the drives' program. */
static int builder_motion(dal_joint_builder *b, dal_text text)
{
    dal_build *build = b->user;
    dal_node f;
    if (!dal_build_scalar(build, DAL_REACH_TIME, b->spec->binding, text, &f))
        return -1;
    int smooth = dal_smoothness(build->graph, f);
    if (smooth < 3) {
        dal_error(build->messages, text.mark,
                  "joint '%s': a prescribed motion needs two continuous derivatives; this one %s (use a table with smooth: 2, tanh, or a "
                  "polynomial)",
                  b->joint->name,
                  smooth == 0   ? "may jump"
                  : smooth == 1 ? "has corners"
                                : "has jumps in its acceleration");
        return -1;
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
    return build->n_times++;
}

static bool builder_rate(dal_joint_builder *b, dal_text text, dal_node *f)
{
    dal_build *build = b->user;
    if (!dal_build_scalar(build, DAL_REACH_TIME, b->spec->binding, text, f))
        return false;
    int smooth = dal_smoothness(build->graph, *f);
    if (smooth < 2)
        dal_error(build->messages, text.mark,
                  "joint '%s': a prescribed rate needs one continuous derivative; this one %s (use a table with smooth: 1 or 2, tanh, or a "
                  "polynomial)",
                  b->joint->name, smooth == 0 ? "may jump" : "has corners");
    return smooth >= 2;
}

static dal_joint_builder builder_of(dal_build *build, const dal_joint_spec *spec, dal_joint *joint)
{
    dal_joint_builder b = {.mechanism = &build->mechanism,
                           .joint = joint,
                           .spec = spec,
                           .messages = build->messages,
                           .number = builder_number,
                           .joint_coordinate = builder_joint_coordinate,
                           .body_coordinate = builder_body_coordinate,
                           .claim = builder_claim,
                           .motion = builder_motion,
                           .rate = builder_rate};
    dal_build_joint_forms(build, &b);
    return b;
}

/* ---- coordinates ------------------------------------------------------------------------------------ */

const char *dal_joint_coordinate_name(const dal_joint *joint, dal_space space, int k)
{
    return dal_joint_in(joint->type, space)->coordinates[k];
}

static int find_coordinate(dal_build *build, const dal_joint *joint, const char *name, dal_mark mark)
{
    char list[80] = "";
    int n = 0;
    for (int k = 0; k < joint->n_coordinates; k++) {
        const char *known = dal_joint_coordinate_name(joint, build->spec->space, k);
        if (known && name && !strcmp(known, name))
            return k;
        if (known)
            snprintf(list + strlen(list), sizeof list - strlen(list), "%s%s", n++ ? " or " : "", known);
    }
    if (!name && n == 1 && joint->n_coordinates == 1)
        return 0;
    if (!n)
        dal_error(build->messages, mark, "joint '%s' of type %s has no coordinate of its own", joint->name, joint->type->name);
    else if (name)
        dal_error(build->messages, mark, "joint '%s' of type %s has no coordinate '%s': it has %s", joint->name, joint->type->name, name, list);
    else
        dal_error(build->messages, mark, "joint '%s' of type %s has several coordinates: say `coordinate:` %s", joint->name, joint->type->name, list);
    return -1;
}

/* The angle of a pin to a particle is undefined: a particle does not turn, and nothing could react on it. */
static bool has_angle(dal_build *build, const dal_joint *joint, int k, dal_mark mark)
{
    if (build->mechanism.measures[joint->coordinate[k]].kind != DAL_MEASURE_ANGLE)
        return true;
    for (int side = 0; side < 2; side++) {
        int body = joint->marker[side].body;
        if (body == DAL_GROUND || !build->mechanism.bodies[body].particle)
            continue;
        dal_error(build->messages, mark, "the angle of joint '%s' cannot be used: '%s' is a particle and does not turn (give it an inertia)",
                  joint->name, build->mechanism.bodies[body].name);
        return false;
    }
    return true;
}

int dal_build_joint_coordinate(dal_build *build, dal_text name, dal_text coordinate, double *zero)
{
    const dal_symbol *symbol = dal_symbol_find(build, name.text, strlen(name.text));
    if (!symbol || symbol->kind != DAL_SYMBOL_JOINT) {
        if (symbol)
            dal_error(build->messages, name.mark, "'%s' is not a joint: a joint is needed here", name.text);
        else
            dal_error(build->messages, name.mark, "there is no joint '%s'%s", name.text, dal_symbol_hint(build, 1u << DAL_SYMBOL_JOINT, name.text));
        return -1;
    }
    if (symbol->index >= build->mechanism.n_joints) {
        dal_error(build->messages, name.mark, "joint '%s' is used before it is described, in line %d: move it up", name.text,
                  build->spec->joints[symbol->index].name.mark.line);
        return -1;
    }
    const dal_joint *joint = &build->mechanism.joints[symbol->index];
    if (!joint->type)
        return -1; /* it was refused itself */
    int k = find_coordinate(build, joint, coordinate.text, coordinate.mark.line ? coordinate.mark : name.mark);
    if (k < 0 || !has_angle(build, joint, k, coordinate.mark.line ? coordinate.mark : name.mark))
        return -1;
    if (zero)
        *zero = joint->zero[k];
    build->mechanism.measures[joint->coordinate[k]].wanted = true;
    return joint->coordinate[k];
}

/* The length of a rod: written, or the distance of its points at the start. */
static bool find_length(dal_build *build, const dal_joint_spec *spec, dal_joint_builder *b)
{
    if (!spec->length.text) {
        double P[2][3], E[9], d = 0;
        dal_marker_world(build, &b->joint->marker[0], P[0], E);
        dal_marker_world(build, &b->joint->marker[1], P[1], E);
        for (int i = 0; i < 3; i++)
            d += (P[1][i] - P[0][i]) * (P[1][i] - P[0][i]);
        b->length = sqrt(d);
    }
    if (!(b->length > 0))
        dal_error(build->messages, spec->length.text ? spec->length.mark : spec->connect.mark,
                  spec->length.text ? "the length of joint '%s' has to be positive, not %.6g (points that coincide are a %s joint)"
                                    : "the points of joint '%s' coincide at the start (length %.6g): give a `length:`, or take a %s joint",
                  spec->name.text, b->length, planar(build) ? "revolute" : "spherical");
    return b->length > 0;
}

static bool read_lengths(dal_build *build, const dal_joint_spec *spec, dal_joint_builder *b)
{
    bool ok = true;
    if (spec->length.text)
        ok &= dal_build_number(build, spec->binding, spec->length, &b->length);
    if (spec->pitch.text)
        ok &= dal_build_number(build, spec->binding, spec->pitch, &b->pitch);
    if (spec->radius.text && (ok &= dal_build_number(build, spec->binding, spec->radius, &b->radius)) && !(b->radius > 0)) {
        dal_error(build->messages, spec->radius.mark, "the radius of joint '%s' has to be positive, not %.6g", spec->name.text, b->radius);
        ok = false;
    }
    const double lengths[] = {b->length, b->pitch, b->radius};
    ok = ok && dal_build_bounded(build,
                                 spec->length.text  ? spec->length.mark
                                 : spec->pitch.text ? spec->pitch.mark
                                                    : spec->radius.mark,
                                 "length, pitch or radius", spec->name.text, 3, lengths);
    if (ok && b->joint->type->rod)
        ok = find_length(build, spec, b);
    b->joint->length = b->length;
    return ok;
}

/* Which coordinate a start value belongs to; -1 with a message. */
static int start_coordinate(dal_build *build, const dal_joint_spec *spec, const dal_joint *joint)
{
    const dal_start_spec *start = &spec->start;
    const dal_text *value = start->angle.text ? &start->angle : start->distance.text ? &start->distance : NULL;
    if (value)
        return find_coordinate(build, joint, value == &start->angle ? "angle" : "distance", value->mark);
    if (joint->n_coordinates > 1 && start->rate.text) {
        dal_error(build->messages, start->rate.mark,
                  "joint '%s' of type %s has several coordinates: say which one has this rate, by `angle:` or `distance:`", joint->name,
                  joint->type->name);
        return -1;
    }
    return find_coordinate(build, joint, NULL, start->mark);
}

static void note_start(dal_build *build, const dal_joint_spec *spec, const dal_joint *joint)
{
    const dal_start_spec *start = &spec->start;
    const bool choice_only = start->branch.text && !start->angle.text && !start->distance.text && !start->rate.text;
    int k = start->mark.line && !choice_only ? start_coordinate(build, spec, joint) : -1;
    if (k < 0)
        return;
    dal_target target = {
        .measure = joint->coordinate[k], .fix = start->fix, .mark = start->mark, .joint = build->mechanism.n_joints - 1, .zero = joint->zero[k]};
    const dal_text *value = start->angle.text ? &start->angle : &start->distance;
    if (value->text && dal_build_number(build, spec->binding, *value, &target.value)) {
        target.has_value = true;
        target.value -= joint->zero[k];
    }
    if (start->rate.text)
        target.has_rate = dal_build_number(build, spec->binding, start->rate, &target.rate);
    const double values[] = {target.value, target.rate};
    if (!dal_build_bounded(build, start->mark, "start", spec->name.text, 2, values))
        return;
    if (target.has_value || target.has_rate)
        *DAL_PUSH(build->arena, build->targets, build->n_targets, build->cap_targets) = target;
}

/* `within:` and `branch:` of a start. */
static void note_wish(dal_build *build, const dal_joint_spec *spec, const dal_joint *joint)
{
    const dal_start_spec *start = &spec->start;
    const dal_text *value = start->angle.text ? &start->angle : &start->distance;
    const int k = value->text ? start_coordinate(build, spec, joint) : joint->n_coordinates == 1 ? 0 : -1;
    if ((!start->within.text && !start->branch.text) || (value->text && k < 0))
        return;
    dal_wish wish = {.joint = build->mechanism.n_joints - 1,
                     .measure = k < 0 ? -1 : joint->coordinate[k],
                     .zero = k < 0 ? 0 : joint->zero[k],
                     .mark = start->within.text ? start->within.mark : start->branch.mark};
    if (start->branch.text && !strcmp(start->branch.text, "near"))
        wish.branch = DAL_BRANCH_NEAR;
    else if (start->branch.text && !strcmp(start->branch.text, "other"))
        wish.branch = DAL_BRANCH_OTHER;
    else if (start->branch.text) /* a description made by hand */
        dal_error(build->messages, start->branch.mark, "the branch of joint '%s' is near or other, not '%s'", joint->name, start->branch.text);
    if (start->within.text && !value->text)
        dal_error(build->messages, start->within.mark, "the start of joint '%s' has a bound and no value to stay near", joint->name);
    if (value->text && dal_build_number(build, spec->binding, *value, &wish.value)) {
        wish.has_value = true;
        wish.value -= wish.zero;
    }
    if (start->within.text && dal_build_number(build, spec->binding, start->within, &wish.within) && !(wish.within > 0))
        dal_error(build->messages, start->within.mark, "the bound of the start of joint '%s' has to be positive, not %.6g", joint->name, wish.within);
    *DAL_PUSH(build->arena, build->wishes, build->n_wishes, build->cap_wishes) = wish;
}

/* A body is placed by its own position or `between:`, or by the start of a joint; one with a bound or a branch may also only choose. */
static void check_placed_once(dal_build *build, const dal_joint_spec *spec, int body)
{
    const dal_text *start = spec->start.angle.text ? &spec->start.angle : &spec->start.distance;
    const dal_body_spec *placed = body == DAL_GROUND ? NULL : &build->spec->bodies[body];
    if (!start->text || spec->start.within.text || spec->start.branch.text || !placed || !(placed->position.n || placed->between.n))
        return;
    dal_error(build->messages, start->mark, "'%s' is placed twice, by its `%s:` and by the start of joint '%s': drop one of them", placed->name.text,
              placed->position.n ? "position" : "between", spec->name.text);
}

static void read_compliance(dal_build *build, const dal_joint_spec *spec, dal_joint *joint)
{
    if (spec->compliance.n != 2) {
        dal_error(build->messages, spec->compliance.mark,
                  "the compliance of joint '%s' is two numbers, of force and of torque: [m/N, rad/(N m)]; %d given", spec->name.text,
                  spec->compliance.n);
        return;
    }
    for (int i = 0; i < 2; i++)
        if (dal_build_number(build, spec->binding, spec->compliance.item[i], &joint->compliance[i]) && joint->compliance[i] < 0)
            dal_error(build->messages, spec->compliance.item[i].mark, "a compliance of joint '%s' is %.6g, and cannot be negative", spec->name.text,
                      joint->compliance[i]);
}

/* `drive:` or `drive-rate:` of a joint itself. */
static void drive_pair(dal_build *build, const dal_joint_spec *spec, dal_joint_builder *b)
{
    dal_joint *joint = b->joint;
    const dal_text *text = spec->drive.text ? &spec->drive : &spec->drive_rate;
    if (!text->text)
        return;
    int k = find_coordinate(build, joint, spec->coordinate.text, spec->coordinate.text ? spec->coordinate.mark : text->mark);
    if (k < 0 || !has_angle(build, joint, k, text->mark))
        return;
    if (spec->drive.text ? dal_drive_value(b, joint->coordinate[k], joint->zero[k], *text) : dal_drive_rate(b, joint->coordinate[k], *text))
        joint->drive_coordinate = k;
}

/* The other keys of a joint: zero, start values, compliance, friction, a drive. */
static void complete_pair(dal_build *build, const dal_joint_spec *spec, dal_joint *joint)
{
    double zero = 0;
    const int k = spec->coordinate.text ? find_coordinate(build, joint, spec->coordinate.text, spec->coordinate.mark) : 0;
    if (spec->zero.text && dal_build_number(build, spec->binding, spec->zero, &zero) && joint->n_coordinates && k >= 0)
        joint->zero[k] = zero; /* place.c: zero_is_of */
    note_start(build, spec, joint);
    note_wish(build, spec, joint);
    if (spec->compliance.n)
        read_compliance(build, spec, joint);
    if (spec->friction.mark.line)
        dal_build_friction(build, spec, build->mechanism.n_joints - 1);
    if (!spec->drive.text && !spec->drive_rate.text)
        return;
    dal_joint_builder b = builder_of(build, spec, joint);
    if (k >= 0 && dal_drives_once(&b, &spec->drive, "drive"))
        drive_pair(build, spec, &b);
}

/* Its angles begin with these whole turns, where they have no start value. */
static void count_turns(dal_build *build, const dal_joint *joint, dal_turns turns)
{
    for (int k = 0; k < joint->n_coordinates; k++)
        build->mechanism.measures[joint->coordinate[k]].turns = turns;
}

static void compile_pair(dal_build *build, const dal_joint_spec *spec, dal_joint *joint, bool *carried)
{
    const dal_joint_type *type = joint->type;
    bool has_axes[2];
    if (!dal_joint_markers(build, spec, joint->marker, has_axes) || !check_attitudes(build, spec, type, joint->marker) ||
        !dal_joint_frames(build, spec, type, joint->marker, has_axes, carried)) {
        joint->type = NULL;
        return;
    }
    check_placed_once(build, spec, joint->marker[1].body);
    dal_joint_builder b = builder_of(build, spec, joint);
    build->mechanism.for_rows = true;
    b.point[0] = dal_add_point(b.mechanism, &joint->marker[0]);
    b.point[1] = dal_add_point(b.mechanism, &joint->marker[1]);
    bool complete = read_lengths(build, spec, &b);
    if (complete)
        type->forbid(&b);
    if (complete && type->measure)
        type->measure(&b);
    build->mechanism.for_rows = false;
    count_turns(build, joint, dal_joint_turns(build, spec, type, joint->marker, has_axes));
    if (!complete) {
        joint->type = NULL;
        return;
    }
    if (type->constant_from_start)
        build->mechanism.rows[build->mechanism.n_rows - 1].constant = NAN; /* from the start */
    complete_pair(build, spec, joint);
}

static void compile_written(dal_build *build, const dal_joint_spec *spec, dal_joint *joint, bool *carried)
{
    if (dal_build_written_joint(build, spec, joint, carried))
        complete_pair(build, spec, joint);
    else
        joint->type = NULL;
}

static void compile_coupling(dal_build *build, const dal_joint_spec *spec, dal_joint *joint)
{
    dal_joint_builder b = builder_of(build, spec, joint);
    joint->type->forbid(&b);
}

static void refuse_points(dal_build *build, const dal_joint_spec *spec, dal_joint *joint)
{
    dal_error(build->messages, spec->connect.mark, "joint '%s' of type %s connects two points; %d given", spec->name.text, joint->type->name,
              spec->connect.n);
    joint->type = NULL;
}

/* The types of joints that exist in this space, and those of the model that the joint stands in. */
static const char **list_types(dal_build *build, const dal_joint_spec *spec)
{
    int n = 0;
    while (dal_joint_types[n])
        n++;
    const char **names = DAL_NEW(build->arena, const char *, n + build->spec->n_joint_types + 1);
    n = 0;
    for (int i = 0; i < build->spec->n_joint_types; i++)
        if (dal_joint_type_known_as(build, spec, i))
            names[n++] = build->joint_types[i]->name;
    for (int i = 0; dal_joint_types[i]; i++)
        if (dal_joint_types[i]->spaces & (planar(build) ? DAL_IN_PLANE : DAL_IN_SPACE))
            names[n++] = dal_joint_types[i]->name;
    return names;
}

void dal_build_joints(dal_build *build)
{
    const dal_spec *spec = build->spec;
    dal_build_joint_types(build);
    build->axis_carried = DAL_NEW(build->arena, bool, spec->n_joints);
    DAL_RESERVE(build->arena, build->mechanism.joints, build->mechanism.n_joints, build->mechanism.cap_joints, spec->n_joints + spec->n_constraints);
    for (int i = 0; i < spec->n_joints; i++) {
        const dal_joint_spec *s = &spec->joints[i];
        dal_joint *joint = DAL_PUSH(build->arena, build->mechanism.joints, build->mechanism.n_joints, build->mechanism.cap_joints);
        *joint = (dal_joint){.name = s->name.text, .label = s->label, .mark = s->name.mark, .row = build->mechanism.n_rows, .drive = -1};
        joint->type = dal_joint_type_written(build, s);
        if (!joint->type && s->type.text)
            joint->type = dal_joint_type_find(s->type.text);
        if (!joint->type) {
            dal_refuse_type(build, "joint", s->name, s->type, list_types(build, s));
            continue;
        }
        if (!(joint->type->spaces & (planar(build) ? DAL_IN_PLANE : DAL_IN_SPACE))) {
            const char *twin = planar(build) ? joint->type->in_plane : NULL;
            dal_error(build->messages, s->type.mark, "joint '%s': a %s joint exists in %s models only%s%s", s->name.text, joint->type->name,
                      planar(build) ? "spatial" : "planar", twin ? "; in the plane it is called " : "", twin ? twin : "");
            joint->type = NULL;
            continue;
        }
        if (!build->memory && !check_keys(build, s, joint->type)) {
            joint->type = NULL;
            continue;
        }
        if (joint->type->written)
            compile_written(build, s, joint, &build->axis_carried[i]);
        else if (joint->type->class == DAL_JOINT_PAIR && s->connect.n > 2)
            refuse_points(build, s, joint);
        else if (joint->type->class == DAL_JOINT_PAIR)
            compile_pair(build, s, joint, &build->axis_carried[i]);
        else
            compile_coupling(build, s, joint);
    }
}
