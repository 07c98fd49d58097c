/* What the files of the block `computed-torque` share.
 *
 *   computed_torque.c         the whole: keys, wanted accelerations, efforts and motors; the equations
 *   computed_torque_names.c   named expressions, and the names of the model
 *   computed_torque_tree.c    which joints and bodies are the robot, and their axes
 *   computed_torque_beside.c  forces on it in addition to its joints
 *   computed_torque_passes.c  outward and inward, body by body
 */
#ifndef DAL_SPEC_COMPUTED_TORQUE_PARTS_H
#define DAL_SPEC_COMPUTED_TORQUE_PARTS_H

#include "spec/blocks.h"

enum { DAL_ON_GROUND = -1, DAL_NOT_OF_ROBOT = -2 };

/* A body of the robot and the joint that carries it. */
typedef struct dal_torque_link {
    int body, parent;            /* a link, or DAL_ON_GROUND */
    const dal_joint_spec *joint; /* NULL never */
    const char *point;           /* P, as a position */
    const char *axis;            /* in space; NULL: rigid */
    const char *across;          /* planar: the axis turned by 90 degrees */
    const char *wanted, *rate;   /* q''_w, q'; NULL: rigid */
    bool turns;
    const char *alpha, *acceleration;       /* names of expressions */
    const char *f, *n, *mass, *s, *beside;  /* beside: s turned by 90 degrees */
    const char *outer_force, *outer_moment; /* that act on it, the moment about its origin; "" none */
} dal_torque_link;

/* A joint of the list, or one that is coupled to it. */
typedef struct dal_torque_axis {
    const dal_joint_spec *joint;
    int of;             /* the number in the list; a coupled joint has the number of its partner */
    const char *factor; /* coupled joints: ratio of the coordinate to that of the partner; NULL: the joint is in the list */
    const char *effort;
    bool used;
} dal_torque_axis;

typedef struct dal_robot {
    dal_reader *reader;
    const dal_block_keys *keys;
    const char *name;
    dal_mark mark;
    bool planar;
    int n_axes, n_links;
    size_t room_axes, room_links;
    dal_torque_axis *axes;
    dal_torque_link *links;
    int *link_of; /* for each body of the model; or DAL_NOT_OF_ROBOT */
} dal_robot;

/* ---- computed_torque_names.c ------------------------------------------------------------- */

/* A text in the reader's scratch memory. */
const char *dal_torque_print(dal_robot *r, const char *format, ...) DAL_PRINTF(2, 3);
/* Reports an error and returns false. */
bool dal_torque_refuse(dal_robot *r, dal_mark mark, const char *format, ...) DAL_PRINTF(3, 4);
/* Adds the named expression NAME.part; returns its whole name. */
const char *dal_torque_add(dal_robot *r, const dal_binding *binding, dal_mark mark, const char *part, const char *text);
bool dal_torque_is_zero(const char *text);
/* A text of an element, with a name of its own, so that the names in it are searched in the model that contains it. NULL: it is zero or absent. */
const char *dal_torque_keep(dal_robot *r, const dal_binding *binding, const dal_text *text, const char *part);
/* "a*x + b*y" of the factors and terms that are not NULL; "" if there are none. */
const char *dal_torque_sum(dal_robot *r, int n, const char *const *factor, const char *const *of);
/* The body at the head of a path, DAL_ON_GROUND, or DAL_NOT_OF_ROBOT: none. *point: the rest of the path. The ground of an included model counts
 * as the body that carries it; *turned: its axes may differ from those of that body. */
int dal_torque_body(const dal_robot *r, const char *path, const char **point, bool *turned);
bool dal_torque_is_type(const dal_text *type, const char *name);
/* "angle" or "distance". */
const char *dal_torque_coordinate(const dal_joint_spec *joint);
/* Does a text contain this name, or a path that begins with it? */
bool dal_torque_mentions(const char *text, const char *name);
/* The joint, or the axis, of this name; NULL: there is none. */
const dal_joint_spec *dal_torque_joint(const dal_robot *r, const char *name);
dal_torque_axis *dal_torque_find_axis(const dal_robot *r, const char *name);

/* ---- computed_torque_tree.c -------------------------------------------------------------- */

/* Finds the axes and links of the robot; false after an error. */
bool dal_torque_find_robot(dal_robot *r);
/* The axis of the joint of a link: from `axis:`, in the first body; or from the axes of the second point, or of the first. */
bool dal_torque_write_axis(dal_robot *r, dal_torque_link *l, int number);

/* ---- computed_torque_beside.c ------------------------------------------------------------ */

/* Finds the forces on the joints and bodies of the robot; warns of those that it cannot evaluate. */
void dal_torque_find_forces(dal_robot *r);

/* ---- computed_torque_passes.c ------------------------------------------------------------ */

/* Accelerations outward, forces and moments inward; false after an error. */
bool dal_torque_write_motion(dal_robot *r);
/* The effort that the joint of a link needs, minus the other efforts on it. */
const char *dal_torque_joint_effort(dal_robot *r, const dal_torque_link *l, const dal_torque_axis *a);

#endif
