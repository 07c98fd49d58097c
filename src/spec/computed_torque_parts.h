/* What the files of the block `computed-torque` share.
 *
 *   computed_torque.c         the whole: keys, wanted accelerations, efforts and motors; the equations
 *   computed_torque_names.c   named expressions, and the names of the model
 *   computed_torque_tree.c    which joints and bodies are the robot, and their axes
 *   computed_torque_beside.c  the forces that act beside its joints
 *   computed_torque_passes.c  outward and inward, body by body
 */
#ifndef DAL_SPEC_COMPUTED_TORQUE_PARTS_H
#define DAL_SPEC_COMPUTED_TORQUE_PARTS_H

#include "spec/blocks.h"

enum { DAL_ON_GROUND = -1, DAL_NOT_OF_ROBOT = -2 };

/* A body of the robot and the joint that carries it. */
typedef struct dal_torque_link {
    int body, parent;            /* parent: a link, or DAL_ON_GROUND */
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
    int of;             /* the number in the list; of a coupled one that of its partner */
    const char *factor; /* coupled: its coordinate over that of the partner; NULL: it is of the list */
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
    int *link_of; /* of each body of the model; DAL_NOT_OF_ROBOT */
} dal_robot;

/* ---- computed_torque_names.c ------------------------------------------------------------- */

/* A text in the reader's scratch memory. */
const char *dal_torque_print(dal_robot *r, const char *format, ...) DAL_PRINTF(2, 3);
/* A complaint; false. */
bool dal_torque_refuse(dal_robot *r, dal_mark mark, const char *format, ...) DAL_PRINTF(3, 4);
/* The named expression NAME.part: its whole name. */
const char *dal_torque_add(dal_robot *r, const dal_binding *binding, dal_mark mark, const char *part, const char *text);
bool dal_torque_is_zero(const char *text);
/* A text of an element, under a name of its own, so that its names are searched where it was written; NULL: it is zero or not given. */
const char *dal_torque_keep(dal_robot *r, const dal_binding *binding, const dal_text *text, const char *part);
/* "a*x + b*y" of those that are not NULL; "" for none. */
const char *dal_torque_sum(dal_robot *r, int n, const char *const *factor, const char *const *of);
/* The body at the head of a path, DAL_ON_GROUND, or DAL_NOT_OF_ROBOT for none. *point: what stands behind it. The ground of an included model is where it
 * stands; *turned: its axes may be others than those of what it stands on. */
int dal_torque_body(const dal_robot *r, const char *path, const char **point, bool *turned);
bool dal_torque_is_type(const dal_text *type, const char *name);
/* "angle" or "distance". */
const char *dal_torque_coordinate(const dal_joint_spec *joint);
/* Does a text use this name, or something behind it? */
bool dal_torque_mentions(const char *text, const char *name);
/* By their names; NULL: there is none. */
const dal_joint_spec *dal_torque_joint(const dal_robot *r, const char *name);
dal_torque_axis *dal_torque_find_axis(const dal_robot *r, const char *name);

/* ---- computed_torque_tree.c -------------------------------------------------------------- */

/* Its axes and links; false after a complaint. */
bool dal_torque_take_robot(dal_robot *r);
/* The axis of the joint of a link: from `axis:`, in the first body; or from the axes of the second point, or of the first. */
bool dal_torque_write_axis(dal_robot *r, dal_torque_link *l, int number);

/* ---- computed_torque_beside.c ------------------------------------------------------------ */

/* Those that act on its joints and bodies; it warns of those that it cannot know. */
void dal_torque_take_forces(dal_robot *r);

/* ---- computed_torque_passes.c ------------------------------------------------------------ */

/* Accelerations outward, forces and moments inward; false after a complaint. */
bool dal_torque_write_motion(dal_robot *r);
/* What the joint of a link has to give, less what acts on it. */
const char *dal_torque_joint_effort(dal_robot *r, const dal_torque_link *l, const dal_torque_axis *a);

#endif
