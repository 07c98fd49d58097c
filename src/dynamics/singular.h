/* Singular positions, where the rank of the constraints drops: how near one is, and what everybody does near it (singular.c). */
#ifndef DAL_DYNAMICS_SINGULAR_H
#define DAL_DYNAMICS_SINGULAR_H

#include "dynamics/rank.h"
#include "dynamics/roots.h"

typedef struct dal_singular {
    double nearness;    /* pivot ratio or least singular value of the rows over the best of the run: falls like the distance to a
                           singular position. Computed by dal_singular_observe */
    bool near;          /* it is below 3 %; set by dal_singular_observe */
    double measured_at; /* where rows are redundant: time at which A itself was measured last */
    bool observe;       /* the next factorisation is observed, however far the position was; set by dal_saddle_ready */
    double *weakest;    /* the combination of rows that says least, of unit norm; kept by the inverse iteration */
    dal_roots roots;    /* of rows that are not linear in the rates */
} dal_singular;

extern const dal_owner dal_singular_owner;

/* ---- how near ------------------------------------------------------------------------------------- */

/* After a factorisation with this pivot ratio. True if other rows were chosen: what was factored is out of date. */
bool dal_singular_observe(dal_state *state, dal_factor kind, double ratio);
/* Other rows are independent: what was measured is of the old ones. */
void dal_singular_rows_changed(dal_state *state);

/* ---- what to do near one --------------------------------------------------------------------------- */

/* Formulations: solve on the null space of A instead of the saddle matrix. */
bool dal_singular_on_null_space(const dal_state *state);
/* Projections: the residual to reach, where `tolerance` is enough elsewhere. */
double dal_singular_projection_goal(const dal_state *state, double tolerance);
/* Steps: end elsewhere; have this stage elsewhere, where the motion lingers only if it is hopeless. */
bool dal_singular_avoid_end(const dal_state *state);
bool dal_singular_avoid_stage(const dal_state *state, bool lingers);
/* Steps this small are taken whatever the error estimate says; 0: none is near. */
double dal_singular_least_step(const dal_state *state);

/* ---- which one -------------------------------------------------------------------------------------- */

/* Near enough to be worth a word where a run ends? */
bool dal_singular_close(const dal_state *state);
/* "; the rank of the constraints falls there from 8 to 7, of joint 'B' among others": at work.q, near a singular position. */
const char *dal_singular_text(dal_state *state, char *buffer, size_t size);

#endif
