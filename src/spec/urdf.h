/* A robot as it is in its URDF file, before it becomes a spec.
 *
 *   read_urdf.c    elements and attributes -> links and joints, each checked alone
 *   urdf_tree.c    links and joints -> one tree, mimics, names
 *   urdf_spec.c    the tree -> a spec                              urdf_visual.c  shapes for pictures
 *
 * URDF: wiki.ros.org/urdf/XML. The frame of a link is that of the joint that carries it; a joint's origin places it in the frame of the
 * parent; its axis is written in the frame of the child.
 */
#ifndef DAL_SPEC_URDF_H
#define DAL_SPEC_URDF_H

#include "spec/reader.h"
#include "spec/xml.h"

typedef enum dal_urdf_kind { /* of a joint; the order of dal_urdf_kinds */
                             DAL_URDF_REVOLUTE,
                             DAL_URDF_CONTINUOUS,
                             DAL_URDF_PRISMATIC,
                             DAL_URDF_FIXED,
                             DAL_URDF_PLANAR,
                             DAL_URDF_FLOATING
} dal_urdf_kind;
extern const char *const dal_urdf_kinds[]; /* ends with NULL */

typedef struct dal_urdf_pose {
    double xyz[3], R[9];
} dal_urdf_pose;

typedef struct dal_urdf_link {
    const char *name, *safe; /* safe: in the spec */
    dal_mark mark;
    bool has_inertial;
    dal_mark inertial_mark;
    double mass, inertia[9]; /* about the centre of mass, axes of the link */
    double center[3];
    int joint; /* the joint that carries it; -1: it is the root */
    dal_figures visual;
    dal_urdf_pose start; /* in the world, with every joint at its start */
} dal_urdf_link;

typedef struct dal_urdf_joint {
    const char *name, *safe, *point; /* in the spec; point: of its points on both bodies */
    dal_mark mark;
    dal_urdf_kind kind;
    const char *parent_name, *child_name, *mimic_name;
    int parent, child, mimic; /* links, a joint; -1: none */
    dal_urdf_pose origin;
    double axis[3]; /* of unit length, in the frame of the child */
    double damping, friction, multiplier, offset;
    bool limited;
    double limit[2], effort; /* lowest and highest coordinate; the limits of its motor */
    double start;            /* its coordinate at the start: 0, or the value that it mimics */
} dal_urdf_joint;

typedef struct dal_urdf {
    const char *name;
    dal_mark mark;
    int n_links, n_joints;
    dal_urdf_link *link;
    dal_urdf_joint *joint;
    int root;
    int n_order, *order; /* links, parents first */
} dal_urdf;

/* Is the coordinate of the joint an angle? */
static inline bool dal_urdf_turns(const dal_urdf_joint *joint)
{
    return joint->kind == DAL_URDF_REVOLUTE || joint->kind == DAL_URDF_CONTINUOUS;
}

/* Does the joint have a coordinate of its own, an angle or a distance? */
static inline bool dal_urdf_has_coordinate(const dal_urdf_joint *joint)
{
    return dal_urdf_turns(joint) || joint->kind == DAL_URDF_PRISMATIC;
}

/* urdf_visual.c: the shapes of <visual> that are boxes, cylinders, spheres or meshes. */
void dal_urdf_visuals(dal_reader *reader, const dal_xml_node *link, dal_figures *figures);
/* False after an error that makes other checks impossible. */
bool dal_urdf_tree(dal_reader *reader, dal_urdf *robot);
/* The tree as bodies and joints of reader->spec. */
void dal_urdf_spec(dal_reader *reader, const dal_urdf *robot, bool floating);
/* A unique name for the spec: the wanted name, or that name with the suffix. */
const char *dal_urdf_claim(dal_reader *reader, const char *wish, const char *suffix, const char *section, dal_mark mark);

#endif
