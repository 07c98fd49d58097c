/* The keys of the model language, as tables.
 *
 * The reader runs on these tables, and the reference page is printed from them:
 * the two cannot differ. An element is read by finding each of its keys in the
 * table of its section and letting the function of the key's shape fill the
 * field at the key's offset.
 */
#ifndef DAL_SPEC_SCHEMA_H
#define DAL_SPEC_SCHEMA_H

#include "dalembert/spec.h"
#include "spec/document.h"

/* The value of a key, and the type of the field that it fills. The words are those of the reference page; for
 * TREE (const dal_tree *: read later) and ONE_OF (dal_text) the table has them: "world|body". */
#define DAL_SHAPES(X)                                                                                                                                \
    X(TITLE, "text")                                                      /* dal_text */                                                             \
    X(WORD, "word")                                                       /* dal_text */                                                             \
    X(NAME, "name")                                                       /* dal_text */                                                             \
    X(NAMES, "list of names")                                             /* dal_list */                                                             \
    X(TWO_NAMES, "two names")                                             /* dal_list */                                                             \
    X(CONNECT, "two names; up to four where the type is the model's own") /* dal_list */                                                             \
    X(EXPRESSION, "expression")                                           /* dal_text */                                                             \
    X(EXPRESSIONS, "list of expressions")                                 /* dal_list */                                                             \
    X(START, "expression, or {value: , fix: true}")                       /* dal_text */                                                             \
    X(VECTOR, "vector")                                                   /* dal_list, as in all the following */                                    \
    X(START_VECTOR, "vector, or {value: , fix: true}")                                                                                               \
    X(VELOCITY, "vector in world axes, or {body: , fix: true} in body axes")                                                                         \
    X(MATRIX, "list of lists of expressions, row by row") /* dal_matrix */                                                                           \
    X(GROUPS, "list of lists of expressions")             /* dal_matrix, rows of any length */                                                       \
    X(FORCE, "expression or vector")                      /* dal_list */                                                                             \
    X(RATES, "expression, or one for each direction: 3 in a planar, 6 in a spatial model")                                                           \
    X(INERTIA, "planar: expression; spatial: 3 or 6 expressions, or {xx: , yy: , zz: , xy: , xz: , yz: }")                                           \
    X(AXIS, "vector in the first body, or two: [[...], [...]]")                                    /* dal_list[2]: axis and axis_second */           \
    X(ORIENTATION, "an attitude, see 'orientation'")                                               /* dal_orientation */                             \
    X(POINTS, "name: vector, or name: {at: , x: , z: }")                                           /* dal_points */                                  \
    X(FIGURES, "see 'shape', or a list of such")                                                   /* dal_figures */                                 \
    X(FLAG, "true|false")                                                                          /* bool */                                        \
    X(JOINT_START, "see 'start'")                                                                  /* dal_start_spec */                              \
    X(LAW, "channel: expression")                                                                  /* dal_law_spec */                                \
    X(VALUES, "name: expression")                                                                  /* dal_law_spec */                                \
    X(FRICTION, "see 'friction'")                                                                  /* dal_friction_spec */                           \
    X(CHOICE, "word, {word: number} or {word: {option: value}}")                                   /* dal_choice */                                  \
    X(UNDETERMINED, "refuse, derive, minimum-norm, or {minimum-norm: {eta: list of expressions}}") /* dal_undetermined_spec */                       \
    X(REPEAT, "{i: first..last}")                                                                  /* no field: read before the element */           \
    X(LATER, "not in this version")                                                                /* no field: refused */

#define DAL_SHAPE_NAME(shape, words) DAL_SHAPE_##shape,
typedef enum dal_shape { DAL_SHAPE_TREE, DAL_SHAPE_ONE_OF, DAL_SHAPES(DAL_SHAPE_NAME) DAL_SHAPE_COUNT } dal_shape;

enum { DAL_REQUIRED = 1, DAL_PLANAR_ONLY = 2, DAL_SPATIAL_ONLY = 4 };

typedef struct dal_key {
    dal_key_doc doc;
    dal_shape shape;
    unsigned flags;
    size_t offset;
    const char *instead; /* for keys of one space only: the key of the other; for required ones: keys that replace it, "box sphere" */
} dal_key;

/* Each ends with an entry whose doc.key is NULL. */
extern const dal_key dal_keys_model[], dal_keys_ground[], dal_keys_body[], dal_keys_point[], dal_keys_orientation[], dal_keys_quaternion[],
    dal_keys_inertia[], dal_keys_value[], dal_keys_velocity[], dal_keys_joint[], dal_keys_joint_type[], dal_keys_start[], dal_keys_friction[],
    dal_keys_definition[], dal_keys_pose[], dal_keys_armature[], dal_keys_shape[], dal_keys_force[], dal_keys_coordinate[], dal_keys_constraint[],
    dal_keys_system[], dal_keys_lagrangian[], dal_keys_table[], dal_keys_input[], dal_keys_state[], dal_keys_block[], dal_keys_sensor[],
    dal_keys_include[], dal_keys_simulate[], dal_keys_record[], dal_keys_view[];

/* Targets of the fields of shape TREE. */
typedef struct dal_model_trees {
    const dal_tree *version, *name, *space, *parameters, *define, *gravity, *ground, *bodies, *joints, *forces, *coordinates, *constraints, *systems,
        *lagrangian, *speeds, *tables, *inputs, *states, *blocks, *sensors, *models, *joint_types, *simulate, *record, *view;
} dal_model_trees;

typedef struct dal_point_trees {
    const dal_tree *at, *direction[3];
} dal_point_trees;

typedef struct dal_orientation_trees {
    const dal_tree *quaternion, *axis, *angle, *euler[12], *rpy, *direction[3];
    bool fix;
} dal_orientation_trees;

typedef struct dal_quaternion_trees {
    const dal_tree *w, *x, *y, *z;
} dal_quaternion_trees;

typedef struct dal_inertia_trees {
    const dal_tree *entry[6]; /* xx yy zz xy xz yz */
} dal_inertia_trees;

typedef struct dal_coordinate_trees {
    dal_coordinate_spec spec;
    bool fix;
} dal_coordinate_trees;

typedef struct dal_include_trees {
    dal_text file, ground, mirror;
    const dal_tree *set;
    bool limits;
} dal_include_trees;

typedef struct dal_figure_trees {
    dal_figure_spec spec;
    const dal_tree *points, *outline, *brief[4]; /* box, sphere, cylinder, capsule */
} dal_figure_trees;

typedef struct dal_value_trees {
    const dal_tree *value, *body;
    bool fix;
} dal_value_trees;

/* `drive:` of a body */
typedef struct dal_pose_keys {
    dal_list position, by;
    dal_text angle;
    dal_orientation orientation;
} dal_pose_keys;

typedef struct dal_body_trees {
    dal_body_spec spec;
    const dal_tree *drive, *mirror, *of;
} dal_body_trees;

typedef struct dal_armature_keys {
    dal_text inertia, ratio;
} dal_armature_keys;

typedef struct dal_joint_trees {
    dal_joint_spec spec;
    const dal_tree *armature;
} dal_joint_trees;

#endif
