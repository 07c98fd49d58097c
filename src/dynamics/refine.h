/* Iterative refinement of accelerations and multipliers: refine.c. */
#ifndef DAL_DYNAMICS_REFINE_H
#define DAL_DYNAMICS_REFINE_H

#include "state/owner.h"

typedef struct dal_refinement {
    double *f, *b, *dv, *dlambda; /* residuals and corrections; NULL where the formulation cannot be refined */
    double *wd;                   /* scratch, n_w */
    double *block;                /* where bodies share coordinates: of the size of the largest block of M */
    long since;                   /* evaluations that were refined */
    double ratio;                 /* largest over smallest inertia; 0: not known yet */
    double worst;                 /* the largest error since the start, over the accelerations */
    int column;                   /* of the velocity that had it */
    struct dal_slopes *slopes;    /* derivatives through the same factors (slopes.h); NULL: not used yet */
    void *kept;                   /* data of a later folder, kept with the state; NULL: none */
    void (*forget)(const dal_allocator *allocator, void *kept);
} dal_refinement;

/* Will the next accelerations be refined, or is it not known yet? */
bool dal_refines(const dal_state *state);

extern const dal_owner dal_refinement_owner;

#endif
