/* A model as it will stand in URDF (urdf_plan.c), for the file that writes it (write_urdf.c). */
#ifndef DAL_ANALYSIS_URDF_PLAN_H
#define DAL_ANALYSIS_URDF_PLAN_H

#include "base/decimal.h"
#include "compile/scene.h"

enum { DAL_URDF_FREE = -2 }; /* no body; DAL_GROUND is -1 */

/* A body in URDF: its link and the joint that carries it. */
typedef struct dal_planned_link {
    int parent;       /* DAL_URDF_FREE: free */
    int joint;        /* of the mechanism; -1: none */
    bool reversed;    /* walked from its second body */
    double origin[3]; /* of the link's frame, in body axes */
    double xyz[3], R[9], axis[3];
} dal_planned_link;

/* A joint in URDF. */
typedef struct dal_urdf_role {
    double damping, friction, multiplier, offset;
    int mimics; /* a joint, or -1 */
    bool used;  /* carries a link */
} dal_urdf_role;

typedef struct dal_urdf_plan {
    dal_arena arena;
    const dal_spec *spec;
    const dal_system *system;
    const dal_mechanism *m;
    dal_messages *messages;
    dal_scene *scene;            /* the shapes; NULL: they cannot be read */
    int n_order, *order;         /* bodies, parents first */
    int *joint_start, *joint_at; /* joints of each body, the ground behind the last */
    dal_planned_link *link;
    dal_urdf_role *role;
    int n_roots;       /* bodies that are free or joined to the ground */
    const char *world; /* name of a root link that is the ground; NULL: the root is a body */
    dal_decimal_table decimals;
} dal_urdf_plan;

/* DAL_BAD_MODEL with messages: the mechanism cannot be written. */
dal_status dal_urdf_plan_make(dal_urdf_plan *p);
const dal_joint_type *dal_urdf_joint_type(const dal_urdf_plan *p, int j);
/* Has the joint one coordinate, of this kind? ANGLE: it turns; DOT: it slides. */
bool dal_urdf_moves_by(const dal_urdf_plan *p, int j, dal_measure_kind kind);
/* Has URDF this shape? */
bool dal_urdf_draws(int kind);

#endif
