/* Joints: what each one forbids and what it allows.
 *
 * One joint per file. A file says, for planar and spatial models,
 *   forbid   the rows, made of the basic constraints below
 *            (`natural-absolute-coordinates` (26), (32), (38), (48)),
 *   motion   the motion that is left free, as a sequence of elementary motions from the first joint frame to the second:
 *            "Rz" a turn about z, "Tx" a shift along x, "Lx" a constant shift by the joint's length, "Pz" a screw: a turn
 *            about z with a shift in proportion.
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

#include "base/message.h"
#include "expr/expr.h"
#include "joint/mechanism.h"

enum { DAL_IN_PLANE = 1, DAL_IN_SPACE = 2 };

typedef enum dal_joint_class {
    DAL_JOINT_PAIR,    /* connects two points of two bodies */
    DAL_JOINT_COUPLING /* relates coordinates of other joints or bodies */
} dal_joint_class;

/* How many axes the description may or must give. */
typedef enum dal_axis_need { DAL_AXIS_NONE, DAL_AXIS_OPTIONAL, DAL_AXIS_ONE, DAL_AXIS_TWO } dal_axis_need;

/* Which axes of its two frames coincide in a closed joint; in the plane z always does. */
typedef enum dal_kept_axes { DAL_KEEPS_NO_AXIS, DAL_KEEPS_Z, DAL_KEEPS_ALL_AXES } dal_kept_axes;

/* How the surfaces of a joint with friction slide on each other: compile/frictions.c has the equations. */
typedef enum dal_sliding {
    DAL_SLIDES_NOT,       /* the type has no friction */
    DAL_SLIDES_ALONG,     /* a shift along the axis */
    DAL_SLIDES_AROUND,    /* a turn about the axis */
    DAL_SLIDES_BOTH,      /* a turn and a shift */
    DAL_SLIDES_ANY_WAY,   /* every turn */
    DAL_SLIDES_ON_THREAD, /* a turn with its shift */
    DAL_SLIDINGS
} dal_sliding;

typedef struct dal_joint_builder {
    dal_mechanism *mechanism;
    dal_joint *joint;
    int point[2];                 /* vectors of the two points */
    double length, pitch, radius; /* where the type asks for them */
    /* Rows that are forms: an expression in measures (order 0) and their rates (order 1) that is zero; at velocity level it is linear
     * in the rates. */
    dal_graph *graph;
    dal_node (*signal)(struct dal_joint_builder *builder, int measure, int order);
    void (*form)(struct dal_joint_builder *builder, dal_node f, bool nonholonomic);
    /* What couplings and drives need from the rest of the model. Every call reports its own errors. */
    const dal_joint_spec *spec;
    dal_messages *messages;
    bool (*number)(struct dal_joint_builder *builder, dal_text text, double *value);
    /* The measure of a coordinate of another joint, or of a body; -1 on error. The joint then acts between those bodies. */
    int (*joint_coordinate)(struct dal_joint_builder *builder, dal_text joint, dal_text coordinate, double *zero);
    int (*body_coordinate)(struct dal_joint_builder *builder, dal_text body, dal_text coordinate);
    bool (*claim)(struct dal_joint_builder *builder, int measure, dal_mark mark); /* a coordinate is prescribed once */
    int (*motion)(struct dal_joint_builder *builder, dal_text text);              /* number of the time function f, f', f''; -1 on error */
    bool (*rate)(struct dal_joint_builder *builder, dal_text text, dal_node *f);  /* f(t) with one continuous derivative */
    void *user;
} dal_joint_builder;

typedef enum dal_edge { DAL_NO_EDGE, DAL_EDGE_OF_BLADE, DAL_EDGE_OF_DISC } dal_edge;

/* A type in the plane, or in space. */
typedef struct dal_joint_variant {
    dal_axis_need axis;
    bool turns;                                   /* its rows use directions: both sides need an attitude (no particles) */
    const char *particle;                         /* the type that holds a particle on the same path; NULL: none */
    const char *motion;                           /* NULL where the type does not exist or has none */
    const char *coordinates[DAL_MAX_COORDINATES]; /* channel names */
} dal_joint_variant;

struct dal_joint_type {
    const char *name;
    const char *title; /* one line for `list` and the reference page */
    unsigned spaces;   /* DAL_IN_PLANE | DAL_IN_SPACE */
    dal_joint_class class;
    dal_joint_variant planar, spatial;
    bool written;             /* of the model's own: equations of `joint-types:` (compile/joint_types.c); it is in no list */
    bool surface;             /* moves on a surface of the first body: `normal:` is in the first body, `axis:` in the second */
    bool welds;               /* leaves no motion */
    bool rod;                 /* has a length: where none is written, the distance of its points at the start */
    bool constant_from_start; /* the constant of its last row is the value of the row at the start */
    bool expression;          /* an entry of `constraints:`: one row that the model writes as an expression */
    bool couples_two;         /* its row is: coordinate of the second joint - factor * coordinate of the first = constant */
    dal_kept_axes keeps; /* axes that must be parallel with the same sense. The rows also vanish if they are antiparallel: assembly rejects that */
    dal_sliding slides;
    dal_edge edge;        /* of the second body: where the axis is along the normal, it has no direction on the surface */
    const char *in_plane; /* spatial types: the planar type that does the same; NULL: none */
    const char *urdf;     /* its type in URDF; NULL: URDF has none */
    const char *keys;     /* further keys it understands, separated by blanks; "!" after a key marks it required: "length!" */
    void (*forbid)(dal_joint_builder *builder);
    void (*measure)(dal_joint_builder *builder); /* adds the measures of its coordinates, in order; may be NULL */
};
/* For the table of a coupling: it has no axes, and is the same in the plane and in space. */
#define DAL_COUPLING(keys_, forbid_) .spaces = DAL_IN_PLANE | DAL_IN_SPACE, .class = DAL_JOINT_COUPLING, .keys = keys_, .forbid = forbid_

extern const dal_joint_type *const dal_joint_types[]; /* ends with NULL */
extern const dal_joint_type dal_joint_constraint;     /* not in the list: the type of an entry of `constraints:` */
const dal_joint_type *dal_joint_type_find(const char *name);

/* Is it an entry of `constraints:`? */
static inline bool dal_joint_is_expression(const dal_joint *joint)
{
    return joint->type && joint->type->expression;
}

/* Does it act between two bodies? A constraint that is written as an expression acts between no two in particular. */
static inline bool dal_joint_has_sides(const dal_joint *joint)
{
    return joint->type && !joint->type->expression;
}

/* The variant of a type in the plane or in space. */
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
dal_node dal_surface_lean(dal_joint_builder *builder, int axis_second);     /* f_m . n */
void dal_forbid_height(dal_joint_builder *builder);                         /* n . (P_j - P_i) = radius */
void dal_forbid_slip(dal_joint_builder *builder, int n, const dal_node *s); /* at the point s_1 f_1 + ... + s_n f_n */
void dal_forbid_slip_below(dal_joint_builder *builder, int n);              /* s_m = -radius f_m . n */

/* ---- couplings: coupling.c, driven.c -------------------------------------- */

/* gear, rack-and-pinion: coordinate `second` of the second joint - factor * angle of the first = its value at the start. `key` names
 * the factor in messages; `angular`: the row is in radians. */
void dal_forbid_ratio(dal_joint_builder *builder, const char *second, const dal_text *factor, const char *key, bool angular);
/* driven, lock: the measure that `joint:` or `body:` names, which becomes the joint's own coordinate; -1 on error. */
int dal_coupled_coordinate(dal_joint_builder *builder, double *zero);
bool dal_measures_angle(const dal_joint_builder *builder, int measure);
/* One of the two ways to drive a coordinate, or none: `key:`, whose text is `position`, or `drive-rate:`. */
bool dal_drives_once(const dal_joint_builder *builder, const dal_text *position, const char *key);
bool dal_drive_value(dal_joint_builder *builder, int measure, double zero, dal_text text); /* measure + zero - f(t) = 0 */
bool dal_drive_rate(dal_joint_builder *builder, int measure, dal_text text);               /* measure' - f(t) = 0, at velocity level only */

/* ---- coordinates --------------------------------------------------------- */

void dal_measure_turn(dal_joint_builder *builder);                  /* angle about z */
void dal_measure_shift(dal_joint_builder *builder, int axis_first); /* e_i . (P_j - P_i) */
void dal_measure_shift_z(dal_joint_builder *builder);               /* z_i . (P_j - P_i) */
int dal_joint_space(const dal_joint_builder *builder);

#endif
