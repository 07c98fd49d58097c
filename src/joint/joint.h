/* Joints: what each one forbids and what it allows.
 *
 * One joint a file. A file says, for planar and spatial models,
 *   forbid   the rows, made of the basic constraints below
 *            (`natural-absolute-coordinates` (26), (32), (38), (48)),
 *   motion   the motion that is left free, as a sequence of elementary motions from the first joint frame to the second:
 *            "Rz" a turn about z, "Tx" a shift along x, "Lx" a constant shift by the joint's length.
 * Joints that forbid a velocity and not a position (rolling, skate) have no such sequence.
 * A conformance test runs over the list: at every position that the motion can
 * reach the rows are zero, and the motion spans exactly the null space of their
 * Jacobian.
 *
 * Frames: the axis of a joint is z of its frames in space, x in the plane
 * (where z is across the plane). The second axis of a universal joint is x.
 */
#ifndef DAL_JOINT_JOINT_H
#define DAL_JOINT_JOINT_H

#include "expr/expr.h"
#include "joint/mechanism.h"

enum { DAL_IN_PLANE = 1, DAL_IN_SPACE = 2 };

typedef enum dal_joint_class {
    DAL_JOINT_PAIR,    /* connects two points of two bodies */
    DAL_JOINT_COUPLING /* relates coordinates of other joints or bodies */
} dal_joint_class;

/* How many axes the description may or must give. */
typedef enum dal_axis_need { DAL_AXIS_NONE, DAL_AXIS_OPTIONAL, DAL_AXIS_ONE, DAL_AXIS_TWO } dal_axis_need;

typedef struct dal_joint_builder {
    dal_mechanism *mechanism;
    dal_joint *joint;
    int point[2];              /* vectors of the two points */
    double length, pitch, radius; /* where the type asks for them */
    /* Rows that are forms: an expression in measures (order 0) and their rates (order 1) that is zero; at velocity level it is linear
     * in the rates. */
    dal_graph *graph;
    dal_node (*signal)(struct dal_joint_builder *builder, int measure, int order);
    void (*form)(struct dal_joint_builder *builder, dal_node f, bool nonholonomic);
    void *user;
} dal_joint_builder;

/* A type in the plane, or in space. */
typedef struct dal_joint_variant {
    dal_axis_need axis;
    bool turns;         /* its rows use directions: both sides need an attitude (no particles) */
    const char *motion; /* NULL where the type does not exist or has none */
    const char *coordinates[DAL_MAX_COORDINATES]; /* channel names */
} dal_joint_variant;

struct dal_joint_type {
    const char *name;
    const char *title;   /* one line for `list` and the reference page */
    unsigned spaces;     /* DAL_IN_PLANE | DAL_IN_SPACE */
    dal_joint_class class;
    dal_joint_variant planar, spatial;
    bool written;        /* of the model's own: equations of `joint-types:` (system/joint_types.c); it is in no list */
    bool surface;        /* moves on a surface of the first body: `normal:` is in the first body, `axis:` in the second */
    const char *keys;    /* further keys it understands, separated by blanks; upper case marks: "length!" is required */
    void (*forbid)(dal_joint_builder *builder); /* NULL for couplings */
    void (*measure)(dal_joint_builder *builder); /* adds the measures of its coordinates, in order; may be NULL */
};

extern const dal_joint_type *const dal_joint_types[]; /* ends with NULL */
extern const dal_joint_type dal_joint_constraint;     /* not in the list: what is behind an entry of `constraints:` */
extern const dal_joint_type dal_joint_rolling_disc, dal_joint_skate; /* which have an attitude without a direction: analysis/standing.c */
const dal_joint_type *dal_joint_type_find(const char *name);

static inline const dal_joint_variant *dal_joint_in(const dal_joint_type *type, dal_space space)
{
    return space == DAL_PLANAR ? &type->planar : &type->spatial;
}

/* ---- the basic constraints --------------------------------------------- */

/* (32): P_j - P_i = 0 in world axes, two rows in the plane, three in space. */
void dal_forbid_gap(dal_joint_builder *builder);
/* (48): e_i . (P_j - P_i) = 0 with e the axis (0, 1, 2) of the first frame. */
void dal_forbid_shift(dal_joint_builder *builder, int axis_first);
/* (38): e_i . e_j = 0. */
void dal_forbid_tilt(dal_joint_builder *builder, int axis_first, int axis_second);
/* The axes z stay parallel: x_i . z_j = 0, y_i . z_j = 0. */
void dal_forbid_skew(dal_joint_builder *builder);
/* The second point stays on the axis z of the first frame: x_i . (P_j - P_i) = 0, y_i . (P_j - P_i) = 0. */
void dal_forbid_offset(dal_joint_builder *builder);
/* |P_j - P_i|^2 = L^2, as (d.d - L^2) / (2 L): metres. */
void dal_forbid_stretch(dal_joint_builder *builder, double length);
/* All relative turns: one row in the plane, three in space. */
void dal_forbid_turn(dal_joint_builder *builder);

/* ---- surfaces: rolling.c ------------------------------------------------- */

int dal_surface_normal(const dal_joint_builder *builder); /* the axis of the first frame that is the normal n: z in space, y in the plane */
dal_node dal_surface_lean(dal_joint_builder *builder, int axis_second);             /* f_m . n */
void dal_forbid_height(dal_joint_builder *builder);                                 /* n . (P_j - P_i) = radius */
void dal_forbid_slip(dal_joint_builder *builder, int n, const dal_node *s);         /* at the point s_1 f_1 + ... + s_n f_n */
void dal_forbid_slip_below(dal_joint_builder *builder, int n);                      /* s_m = -radius f_m . n */

/* ---- coordinates --------------------------------------------------------- */

void dal_measure_turn(dal_joint_builder *builder);                 /* angle about z */
void dal_measure_shift(dal_joint_builder *builder, int axis_first); /* e_i . (P_j - P_i) */
void dal_measure_shift_z(dal_joint_builder *builder);               /* z_i . (P_j - P_i) */
int dal_joint_space(const dal_joint_builder *builder);

#endif
