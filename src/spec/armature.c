/* `armature:` of a joint: the inertia of a rotor that turns with the joint, through a gear.
 *
 * The rotor is a body NAME.rotor without mass, with the moment of inertia J about the axis of the joint. It turns about that axis on the joint's first
 * body in NAME.shaft, and NAME.gear couples it: the rotor turns N times as far as the joint. With the rate w of the first body about the axis the
 * kinetic energy is 1/2 J (w + N q')^2: that of a motor whose housing is fixed to the first body, the term of J N^2 with its reaction on the housing.
 */
#include "spec/blocks.h"
#include "spec/rotor.h"

#include <string.h>

static dal_list one_list(dal_reader *reader, dal_mark mark, int n, const char *const *texts)
{
    dal_list list = {.n = n, .item = DAL_NEW(reader->keep, dal_text, n), .mark = mark};
    for (int i = 0; i < n; i++)
        list.item[i] = (dal_text){.text = texts[i], .mark = mark};
    return list;
}

/* A massless disc: J about its z axis, which is that of its point A. */
static void add_rotor(dal_reader *reader, const char *name, const dal_text *inertia)
{
    static const char *const zeros[] = {"0", "0", "0"}, *const along_z[] = {"0", "0", "1"}, *const along_x[] = {"1", "0", "0"};
    const bool planar = reader->spec->space == DAL_PLANAR;
    const dal_mark mark = inertia->mark;
    dal_spec *spec = reader->spec;
    dal_body_spec *rotor = DAL_PUSH(reader->keep, spec->bodies, spec->n_bodies, reader->room_bodies);
    *rotor = (dal_body_spec){.name = {.text = name, .mark = mark},
                             .binding = reader->binding,
                             .mass = {.text = "0", .mark = mark},
                             .inertia_check = {.text = DAL_INERTIA_OF_ROTOR, .mark = mark}};
    rotor->inertia = one_list(reader, mark, planar ? 1 : 3, zeros);
    rotor->inertia.item[planar ? 0 : 2] = *inertia;
    rotor->points = (dal_points){.n = 1, .item = DAL_NEW(reader->keep, dal_point_spec, 1)};
    rotor->points.item[0].name = (dal_text){.text = "A", .mark = mark};
    rotor->points.item[0].at = one_list(reader, mark, planar ? 2 : 3, zeros);
    if (!planar)
        rotor->points.item[0].axes = (dal_orientation){.kind = DAL_ATTITUDE_AXES,
                                                       .letters = "zx",
                                                       .first = one_list(reader, mark, 3, along_z),
                                                       .second = one_list(reader, mark, 3, along_x),
                                                       .mark = mark};
}

static dal_joint_spec *add_joint(dal_reader *reader, const char *name, const char *type, dal_mark mark)
{
    dal_spec *spec = reader->spec;
    dal_joint_spec *joint = DAL_PUSH(reader->keep, spec->joints, spec->n_joints, reader->room_joints);
    *joint = (dal_joint_spec){.name = {.text = name, .mark = mark}, .type = {.text = type, .mark = mark}, .binding = reader->binding};
    return joint;
}

/* The joints with one coordinate (an angle or a distance), and the coupling of each to a rotor. */
static const char *const couplings[][2] = {{"revolute", "gear"}, {"prismatic", "rack-and-pinion"}};

static const char *coupling_of(const dal_joint_spec *joint)
{
    for (size_t i = 0; i < sizeof couplings / sizeof *couplings; i++)
        if (!strcmp(joint->type.text, couplings[i][0]))
            return couplings[i][1];
    return NULL;
}

/* Adds the armature of `tree` to the joint that was read last. */
void dal_add_armature(dal_reader *reader, const dal_tree *tree)
{
    static const char *const along_z[] = {"0", "0", "1"};
    const dal_joint_spec joint = reader->spec->joints[reader->spec->n_joints - 1];
    dal_armature_keys keys = {0};
    const int errors = dal_messages_count(reader->messages, DAL_ERROR);
    reader->key = "armature";
    if (tree->kind == DAL_MAP && !tree->bad) {
        dal_scope outer = {reader->what, reader->key, reader->entry};
        dal_read_keys(reader, dal_keys_armature, tree, &keys, dal_label(reader));
        dal_ascend(reader, outer);
    } else {
        dal_read_expression(reader, tree, &keys.inertia);
    }
    if (!joint.type.text || dal_messages_count(reader->messages, DAL_ERROR) > errors)
        return;
    const char *const coupling = coupling_of(&joint);
    const bool slides = coupling == couplings[1][1];
    if (!coupling || joint.connect.n != 2) {
        dal_complain(reader->messages, tree->key_mark,
                     "%s of type %.80s does not have exactly one coordinate for a rotor: 'armature' belongs to "
                     "revolute and prismatic joints",
                     reader->what, joint.type.text);
        return;
    }
    if (slides && !keys.ratio.text) {
        dal_complain(reader->messages, tree->key_mark, "the armature of %s needs a 'ratio': radians of the rotor for one metre", reader->what);
        return;
    }
    const char *rotor = dal_part_name(reader, joint.name.text, "rotor"), *shaft = dal_part_name(reader, joint.name.text, "shaft");
    const char *const ends[] = {joint.connect.item[0].text, dal_part_name(reader, rotor, "A")}, *const pair[] = {joint.name.text, shaft};
    add_rotor(reader, rotor, &keys.inertia);
    dal_joint_spec *turning = add_joint(reader, shaft, "revolute", tree->key_mark);
    turning->connect = one_list(reader, tree->key_mark, 2, ends);
    if (joint.axis.n && reader->spec->space != DAL_PLANAR) {
        turning->axis = joint.axis;
        turning->axis_second = one_list(reader, tree->key_mark, 3, along_z);
    }
    turning->start = (dal_start_spec){.angle = {.text = "0", .mark = tree->key_mark}, .mark = tree->key_mark}; /* placed from the first body */
    dal_joint_spec *gear = add_joint(reader, dal_part_name(reader, joint.name.text, "gear"), coupling, tree->key_mark);
    const char *const rack[] = {shaft, joint.name.text};
    gear->joints = one_list(reader, tree->key_mark, 2, slides ? rack : pair);
    if (slides)
        gear->radius = dal_made_text(reader, tree->key_mark, "1/(%s)", keys.ratio.text);
    else
        gear->ratio = keys.ratio.text ? keys.ratio : (dal_text){.text = "1", .mark = tree->key_mark};
}
