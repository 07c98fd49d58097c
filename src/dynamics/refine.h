/* Iterative refinement of accelerations and multipliers: refine.c. Its functions compute the fields. */
#ifndef DAL_DYNAMICS_REFINE_H
#define DAL_DYNAMICS_REFINE_H

#include "state/owner.h"

typedef struct dal_refinement {
    double *f, *b, *dv, *dlambda; /* residuals and corrections: refine; NULL where the formulation cannot be refined */
    double *wd;                   /* scratch, n_w */
    double *block;                /* scratch where bodies share coordinates: of the size of the largest block of M */
    long since;                   /* evaluations that were refined: refine */
    double ratio;                 /* largest over smallest inertia: dal_state_solve; 0: not known yet */
    double worst;                 /* the largest error since the start, over the accelerations: store_refine */
    int column;                   /* of the velocity that had it: store_refine */
    struct dal_slopes *slopes;    /* derivatives through the same factors: dal_slopes_open (slopes.h); NULL: not used yet */
    void *kept;                   /* data of a later folder, kept with the state; NULL: none */
    void (*forget)(const dal_allocator *allocator, void *kept);
} dal_refinement;

/* Will the next accelerations be refined, or is it not known yet? */
bool dal_refines(const dal_state *state);

extern const dal_owner dal_refinement_owner;

#endif
