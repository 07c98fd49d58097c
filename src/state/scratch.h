/* Scratch for the duration of a call, and the work space of the chosen methods. */
#ifndef DAL_STATE_SCRATCH_H
#define DAL_STATE_SCRATCH_H

#include "kinematics/family.h"
#include "state/owner.h"

typedef struct dal_scratch {
    dal_tangent *tangents; /* 4 a body: for functions that need directions */
    dal_bend *bends;       /* one a body */
    double *still;         /* nv zeros; a function that writes there restores them */
    double *yd;            /* the rate of y, for users */
    double *solver;        /* of the formulation: formulation->work */
    double *projector;     /* of the stabilisation: stabilization->work */
} dal_scratch;

extern const dal_owner dal_scratch_owner;

#endif
