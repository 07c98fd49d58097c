/* Joints in the mirror, and their coordinates. */
#include "spec/mirror_parts.h"

#include <string.h>

/* Does the axis of the joint have no sense of rotation? */
static bool slides(const dal_mirror *m, const char *type)
{
    static const char *const types[] = {"prismatic", "point-on-line", "point-on-plane", "pin-in-slot", "skate", "planar"};
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        if (!strcmp(types[i], type))
            return true;
    return dal_mirror_planar(m);
}

static bool axes_of_points(const dal_mirror *m, const dal_joint_spec *joint)
{
    bool axes = false;
    if (!joint->axis.n && joint->connect.n)
        dal_mirror_frame(m, joint->connect.item[0].text, &axes);
    return axes;
}

/* The first coordinate of a type. */
static const char *first_coordinate(const char *type)
{
    return !strcmp(type, "prismatic") || !strcmp(type, "point-on-line") || !strcmp(type, "pin-in-slot") ? "distance" : "angle";
}

bool dal_mirror_odd(const dal_mirror *m, const dal_joint_spec *joint, const char *coordinate)
{
    if (!joint || !joint->type.text)
        return false;
    const char *name = coordinate ? coordinate : first_coordinate(joint->type.text);
    if (joint->joint.text || joint->body.text) /* driven and locked joints: the coordinate that they prescribe */
        return joint->joint.text ? dal_mirror_odd(m, dal_mirror_joint(m, joint->joint.text), joint->coordinate.text) : false;
    if (dal_mirror_planar(m))
        return !strcmp(name, "angle");
    if (axes_of_points(m, joint))
        return strcmp(name, "angle") != 0;
    return !strcmp(name, "distance") && !slides(m, joint->type.text);
}

bool dal_mirror_odd_of_body(const dal_mirror *m, const char *coordinate)
{
    return coordinate && (!strcmp(coordinate, "angle") || (coordinate[0] == 'x' + m->axis && !coordinate[1]));
}

static bool is_known_type(const char *type)
{
    static const char *const types[] = {"revolute",      "prismatic",       "cylindrical",  "spherical",     "universal",      "planar",
                                        "rigid",         "distance",        "pin-in-slot",  "point-on-line", "point-on-plane", "parallel",
                                        "perpendicular", "screw",           "rolling-disc", "rolling-wheel", "rolling-ball",   "skate",
                                        "gear",          "rack-and-pinion", "driven",       "lock"};
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        if (!strcmp(types[i], type))
            return true;
    return false;
}

static bool refuse_joint(const dal_mirror *m, const dal_joint_spec *joint, const char *why)
{
    dal_complain(m->reader->messages, joint->name.mark, "joint '%s' cannot be mirrored: %s", joint->name.text, why);
    return false;
}

/* The z axis of a mirrored frame is reversed: as a normal it would point to the other side. */
static bool has_lost_normal(const dal_mirror *m, const dal_joint_spec *joint)
{
    bool axes = false;
    if (strncmp(joint->type.text, "rolling", 7) || joint->normal.n || !joint->connect.n)
        return false;
    dal_mirror_frame(m, joint->connect.item[0].text, &axes);
    return axes;
}

static void mirror_axis(const dal_mirror *m, const dal_joint_spec *joint, int side, dal_list *axis)
{
    bool unused;
    const int along = side < joint->connect.n ? dal_mirror_frame(m, joint->connect.item[side].text, &unused) : m->axis;
    if (slides(m, joint->type.text))
        dal_mirror_polar(m, along, axis);
    else
        dal_mirror_axial(m, along, axis);
}

static void negate_if(const dal_mirror *m, bool odd, dal_text *text)
{
    if (odd)
        dal_mirror_negate(m->reader, text);
}

/* Two coordinates in a ratio. */
static void mirror_coupling(const dal_mirror *m, dal_joint_spec *joint)
{
    const bool rack = !strcmp(joint->type.text, "rack-and-pinion");
    if (joint->joints.n != 2)
        return;
    const bool first = dal_mirror_odd(m, dal_mirror_joint(m, joint->joints.item[0].text), "angle");
    const bool second = dal_mirror_odd(m, dal_mirror_joint(m, joint->joints.item[1].text), rack ? "distance" : "angle");
    negate_if(m, first != second, rack ? &joint->radius : &joint->ratio);
}

void dal_mirror_law(const dal_mirror *m, const dal_binding *binding, dal_law_spec *law)
{
    for (int i = 0; i < law->n; i++) {
        dal_mirror_text(m, binding, &law->item[i].value);
        negate_if(m, dal_mirror_odd_channel(m, binding, law->item[i].name.text), &law->item[i].value);
    }
}

bool dal_mirror_image_of_joint(const dal_mirror *m, dal_joint_spec *joint)
{
    const char *type = joint->type.text;
    if (!type || !is_known_type(type))
        return refuse_joint(m, joint, "its type is the model's own, and the program does not know the mirror image of its equations");
    if (has_lost_normal(m, joint))
        return refuse_joint(m, joint, "its normal comes from the axes of a point; write `normal:`");
    const bool of_body = joint->body.text,
               odd = of_body ? dal_mirror_odd_of_body(m, joint->coordinate.text) : dal_mirror_odd(m, joint, joint->coordinate.text);
    bool unused;
    const bool surface = joint->normal.n || !strncmp(type, "rolling", 7) || !strcmp(type, "skate");
    mirror_axis(m, joint, surface ? 1 : 0, &joint->axis); /* the axis of a joint on a surface is written in the second body */
    mirror_axis(m, joint, 1, &joint->axis_second);
    if (joint->normal.n)
        dal_mirror_polar(m, dal_mirror_frame(m, joint->connect.item[0].text, &unused), &joint->normal);
    mirror_coupling(m, joint);
    if (!dal_mirror_planar(m))
        dal_mirror_negate(m->reader, &joint->pitch);
    negate_if(m, odd, &joint->value);
    negate_if(m, odd, &joint->drive);
    negate_if(m, odd, &joint->drive_rate);
    negate_if(m, odd, &joint->zero);
    negate_if(m, dal_mirror_odd(m, joint, "angle"), &joint->start.angle);
    negate_if(m, dal_mirror_odd(m, joint, "distance"), &joint->start.distance);
    negate_if(m, dal_mirror_odd(m, joint, NULL), &joint->start.rate);
    if (odd) {
        const double lowest = joint->limit[0];
        joint->limit[0] = -joint->limit[1];
        joint->limit[1] = -lowest;
    }
    dal_mirror_law(m, joint->binding, &joint->law);
    return true;
}
