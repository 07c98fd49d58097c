/* Force elements: one per file.
 *
 * Each element type has two halves in its file: `compile` turns the description
 * into a small struct of constants, `apply` (a kernel on dal_real) adds forces
 * and moments to the bodies, potential energy, and the power of forces without a potential. A force uses material vectors and measures only; the
 * families pull the result back to coordinates.
 */
#ifndef DAL_FORCE_FORCE_H
#define DAL_FORCE_FORCE_H

#include "base/message.h"
#include "expr/expr.h"
#include "kinematics/family.h"

#include <string.h>

/* An island: bodies that joints, constraints or forces connect, directly or through others; two bodies that both touch only the ground are not
 * connected by it. Each island has its own energy balance. */
typedef struct dal_islands {
    int n;           /* 1: the model is connected, and there are no lists */
    int *of_body;    /* and, behind the bodies, of the coordinates of the model's own */
    int *of_measure; /* along which forces act */
    int *of_joint, *of_row;
} dal_islands;

/* The island of element i; 0 if there is one island only. */
static inline int dal_island(const int *list, int i)
{
    return list ? list[i] : 0;
}

/* What the elements of one evaluation add to. */
typedef struct dal_loads {
    const dal_layout *layout;
    dal_work *work;             /* work->force: 6 per body */
    const dal_real *expression; /* values of the expressions of the forces */
    dal_real *effort;           /* one per force element: its scalar force or torque, for channels */
    dal_real potential;         /* energy of gravity and springs */
    dal_real power;             /* of everything else */
    const dal_islands *islands;
    dal_real *island; /* potential and power of each; NULL: there is one */
} dal_loads;

/* Potential energy along a measure. */
static inline void dal_store_along(dal_loads *loads, int measure, dal_real energy)
{
    loads->potential += energy;
    if (loads->island)
        loads->island[2 * loads->islands->of_measure[measure]] += energy;
}

/* Potential energy of a body. */
static inline void dal_store_in(dal_loads *loads, int body, dal_real energy)
{
    loads->potential += energy;
    if (loads->island)
        loads->island[2 * loads->islands->of_body[body]] += energy;
}

/* Power of a force without a potential, along a measure. */
static inline void dal_spend_along(dal_loads *loads, int measure, dal_real power)
{
    loads->power += power;
    if (loads->island)
        loads->island[2 * loads->islands->of_measure[measure] + 1] += power;
}

/* The same on a body. */
static inline void dal_spend_on(dal_loads *loads, int body, dal_real power)
{
    loads->power += power;
    if (loads->island)
        loads->island[2 * loads->islands->of_body[body] + 1] += power;
}

/* A force at a material point, power counted as non-potential if `works`. */
#define dal_push_point DAL_K(dal_push_point)
void dal_push_point(dal_loads *loads, int vector, const dal_real force[3], bool works);
/* A moment on a body. */
#define dal_push_moment DAL_K(dal_push_moment)
void dal_push_moment(dal_loads *loads, int body, const dal_real moment[3], bool works);
/* A generalized effort on a measure: effort * gradient on each of its vectors. */
#define dal_push_measure DAL_K(dal_push_measure)
void dal_push_measure(dal_loads *loads, int measure, dal_real effort, bool works);

#ifndef DAL_SCALAR_VARIANT

/* What compile needs from the rest of the model; every call reports its own errors. */
typedef struct dal_force_builder dal_force_builder;
struct dal_force_builder {
    dal_mechanism *mechanism;
    dal_messages *messages;
    const dal_force_spec *spec;
    int force; /* its number: index into effort */
    void *user;
    bool (*number)(dal_force_builder *builder, dal_text text, double *value);
    int (*expression)(dal_force_builder *builder, dal_text text); /* its number, -1 on error */
    bool (*marker)(dal_force_builder *builder, dal_text name, dal_marker *marker);
    bool (*is_ground)(dal_force_builder *builder, dal_text name); /* or that of an included model, whatever carries it */
    /* Coordinate of a joint ("angle", "distance", ...; no text: the only one); -1 on error. */
    int (*joint_coordinate)(dal_force_builder *builder, dal_text joint, dal_text coordinate);
    int (*body_coordinate)(dal_force_builder *builder, dal_text body, dal_text coordinate);
    int (*own_coordinate)(dal_force_builder *builder, dal_text coordinate); /* of the model's own */
    int measure; /* the distance of the points of `connect`, or the only coordinate of `joint`; -1 if there is none.
                    Set to what the channels .length and .force mean. */
    double zero; /* set by joint_coordinate: the joint's coordinate is measure + zero */
    /* A law that an element writes itself: measures (order 0) and their rates (order 1) as variables of expressions, and the
     * number of an expression that was made of them; `text` stands for it in messages. */
    dal_graph *graph;
    dal_node (*signal)(dal_force_builder *builder, int measure, int order);
    int (*action)(dal_force_builder *builder, dal_text text, dal_node node);
    bool (*parse)(dal_force_builder *builder, dal_text text, dal_node *node); /* as `expression`, to a node */
};

#endif

/* Actions of a force element on bodies. */
typedef enum dal_force_action { DAL_ACTS_ANY_WAY, DAL_ACTS_BY_FORCE, DAL_ACTS_BY_TORQUE } dal_force_action;

typedef struct dal_force_type {
    const char *name;
    const char *title;
    const char *keys;       /* allowed keys, separated by blanks; "!" marks required ones; NULL: not written in `forces:` */
    const char *coordinate; /* of a joint, where the description names none; NULL: the only one */
    size_t size;            /* of its compiled element */
    void (*apply)(dal_loads *loads, int n, const void *elements);
#ifndef DAL_SCALAR_VARIANT
    bool (*compile)(dal_force_builder *builder, void *element);
    bool potential;        /* its force has a potential (dampers aside) */
    bool effort;           /* it is one scalar force or torque: the channels .force and .torque exist */
    bool spring;           /* its elements are springs or dampers: dal_spring_of */
    bool bushing;          /* its elements are bushings: dal_bushing_of */
    bool motor;            /* its elements are motors, whose efforts inverse dynamics finds: dal_motor_of */
    bool weight;           /* uniform gravity: a key of the model, not an element of `forces:` */
    bool on_masses;        /* it acts on masses: not along a direction without inertia */
    bool applied;          /* its components are expressions of the model */
    bool corners;          /* it begins and ends with a corner of its law */
    bool turns;            /* it turns bodies whatever is written: they need an attitude */
    dal_force_action acts; /* at a point or between two */
#endif
} dal_force_type;

/* The table of a type. Builds of the kernels alone skip the fields after `apply` (.compile = ..., .potential = true). */
#ifndef DAL_SCALAR_VARIANT
#define DAL_FORCE_TYPE(name, title, keys, coordinate, element, apply, ...)                                                                           \
    {                                                                                                                                                \
        name, title, keys, coordinate, sizeof(element), apply, __VA_ARGS__                                                                           \
    }
#else
#define DAL_FORCE_TYPE(name, title, keys, coordinate, element, apply, ...)                                                                           \
    {                                                                                                                                                \
        name, title, keys, coordinate, sizeof(element), apply                                                                                        \
    }
#endif

#define dal_force_gravity DAL_K(dal_force_gravity)
#define dal_force_spring_damper DAL_K(dal_force_spring_damper)
#define dal_force_torsional DAL_K(dal_force_torsional)
#define dal_force_bushing DAL_K(dal_force_bushing)
#define dal_force_point DAL_K(dal_force_point)
#define dal_force_torque DAL_K(dal_force_torque)
#define dal_force_motor DAL_K(dal_force_motor)
#define dal_force_coordinate DAL_K(dal_force_coordinate)
#define dal_force_central DAL_K(dal_force_central)
#define dal_force_end_stop DAL_K(dal_force_end_stop)
#define dal_force_clearance DAL_K(dal_force_clearance)
#define dal_force_subsystem DAL_K(dal_force_subsystem)
#define dal_force_types DAL_K(dal_force_types)
extern const dal_force_type dal_force_gravity, dal_force_spring_damper, dal_force_torsional, dal_force_bushing, dal_force_point, dal_force_torque,
    dal_force_motor, dal_force_coordinate, dal_force_central, dal_force_end_stop, dal_force_clearance, dal_force_subsystem;
extern const dal_force_type *const dal_force_types[]; /* ends with NULL */

typedef struct dal_gravity {
    double g[3];
} dal_gravity;

/* Of a sub-system whose equations are known (subsystem_force.c): numbers of expressions, -1: none. */
typedef struct dal_subsystem_force {
    int measure, effort, potential, power;
} dal_subsystem_force;

/* The elements of one type, side by side. */
typedef struct dal_force_group {
    int type; /* index into dal_force_types */
    int n;
    void *elements;
} dal_force_group;

#ifndef DAL_SCALAR_VARIANT
/* The type of this name, NULL if there is none. */
const dal_force_type *dal_force_type_find(const char *name);
/* Motor i of its group: its number among the forces, and the measure that it acts on. */
void dal_motor_of(const dal_force_group *motors, int i, int *force, int *measure);
/* Spring or damper i of its group. */
typedef struct dal_spring_info {
    int force, measure; /* its number among the forces; what it acts on */
    double stiffness, damping, free;
    bool has_value; /* and an expression */
} dal_spring_info;
/* What is known of spring or damper i of its group. */
dal_spring_info dal_spring_of(const dal_force_group *springs, int i);
/* Bushing i of its group. */
typedef struct dal_bushing_info {
    int force, n;
    int measure[6][2]; /* shift or turn k; of turns in space half the difference of two; -1: one only */
} dal_bushing_info;
dal_bushing_info dal_bushing_of(const dal_force_group *bushings, int i);
#endif

/* All groups: zeroes work->force first. */
#define dal_loads_apply DAL_K(dal_loads_apply)
void dal_loads_apply(dal_loads *loads, int n_groups, const dal_force_group *groups);

#endif
