/* Joints of the model's own: `joint-types:`. Shared by joint_types.c, joint_equations.c, joint_vectors.c, joint_rank.c, joints.c and place.c. */
#ifndef DAL_COMPILE_JOINT_TYPES_H
#define DAL_COMPILE_JOINT_TYPES_H

#include "compile/build.h"

/* The meaning of names in an equation, for one joint. */
typedef struct dal_equation_scope {
    dal_build *build;
    const dal_joint *joint; /* the last one of the mechanism: its markers */
    const dal_joint_type_spec *type;
    int n_points;
    bool named[DAL_MOST_POINTS]; /* a side that some equation names */
    int n_parameters;
    const char **parameter;
    double *value;
    bool *used;
    int first_measure;                                    /* measures of this joint: they are used again */
    int point[DAL_MOST_POINTS], axis[DAL_MOST_POINTS][3]; /* vectors; -1: not yet */
} dal_equation_scope;

/* ---- joint_equations.c -------------------------------------------------------- */

/* An expression in measures, angular velocities and time; false with messages. */
bool dal_equation_read(dal_equation_scope *scope, dal_text text, dal_value *value);
/* joint_vectors.c: does a node contain rates of measures? */
bool dal_equation_has_rates(dal_equation_scope *scope, dal_node node);
/* Why `name` cannot be a parameter: it has a meaning in equations. NULL: it can. */
const char *dal_equation_word(const char *name);

/* ---- joint_types.c ------------------------------------------------------------- */

/* Complaints about the types themselves; before the joints. */
void dal_build_joint_types(dal_build *build);
/* The name of a type in the model that a joint stands in; NULL: it belongs to another model. */
const char *dal_joint_type_known_as(const dal_build *build, const dal_joint_spec *spec, int number);
/* Number of the type that a joint names, or -1. */
int dal_joint_type_number(const dal_build *build, const dal_joint_spec *spec);
/* The same as a type of joints, or NULL. */
const dal_joint_type *dal_joint_type_written(dal_build *build, const dal_joint_spec *spec);
/* Points, axes, rows and coordinates of such a joint; false with messages. */
bool dal_build_written_joint(dal_build *build, const dal_joint_spec *spec, dal_joint *joint, bool *carried);

#endif
