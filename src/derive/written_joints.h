/* Joint types of the model's own, in symbols: the equations of `joint-types:` with the meaning of M, N, xi ... */
#ifndef DAL_DERIVE_WRITTEN_JOINTS_H
#define DAL_DERIVE_WRITTEN_JOINTS_H

#include "derive/nodes.h"

/* A side of a joint: its point, its axes as columns, its angular velocity, in world axes. */
typedef struct dal_derived_side {
    dal_node x[3], E[9], w[3];
    dal_node lever[3]; /* from the origin of the body */
    dal_node angle;    /* plane: of the x axis, beside the constant */
    double constant;
} dal_derived_side;

/* The meaning of the words of an equation. */
typedef struct dal_joint_scope {
    const dal_joint *joint;
    const dal_joint_spec *spec;
    const dal_joint_type_spec *type;
    int n_sides;
    dal_derived_side side[DAL_MOST_POINTS];
} dal_joint_scope;

/* The sides of joint number j as its bodies place them. */
dal_joint_scope dal_derive_sides(dal_derivation *d, int j);
/* Row `number` of the mechanism, if it comes from an equation of the joint's type. DAL_NO_NODE: refused. */
dal_node dal_derive_written_row(dal_derivation *d, const dal_joint_scope *scope, int number);

#endif
