/* Singular positions, where the rank of the constraints drops: how near one is, and the decisions that depend on it (singular.c). */
#ifndef DAL_DYNAMICS_SINGULAR_H
#define DAL_DYNAMICS_SINGULAR_H

#include "dynamics/row_rank.h"
#include "dynamics/roots.h"

typedef struct dal_singular {
    double nearness;    /* pivot ratio or least singular value of the rows over the best of the run: falls like the distance to a
                           singular position. Computed by dal_singular_observe */
    bool near;          /* it is below 3 %; set by dal_singular_observe */
    double measured_at; /* where rows are redundant: time at which A itself was measured last. Set by measure_redundant_rows */
    bool observe;       /* the next factorisation is observed, however far the position was; set by dal_saddle_ready */
    bool once;       /* a single evaluation: the first measurement, which only sets the best value, is skipped. Set by compile/first_evaluation.c */
    double *weakest; /* left singular vector of the smallest singular value of the rows: least_singular_value, by inverse iteration */
    dal_roots roots; /* of rows that are not linear in the rates: dal_roots_accepted (roots.c) */
} dal_singular;

extern const dal_owner dal_singular_owner;

/* ---- how near ------------------------------------------------------------------------------------- */

/* After a factorisation with this pivot ratio. True if other rows were chosen: the factors are then out of date. */
bool dal_singular_observe(dal_state *state, dal_factor kind, double ratio);
/* Other rows were chosen: drop the measurements on the old ones. */
void dal_singular_rows_changed(dal_state *state);

/* ---- what to do near one --------------------------------------------------------------------------- */

/* Formulations: solve on the null space of A instead of the saddle matrix. */
bool dal_singular_on_null_space(const dal_state *state);
/* Projections: the residual to reach; `tolerance` if no singular position is near. */
double dal_singular_projection_goal(const dal_state *state, double tolerance);
/* Steps: must the step end elsewhere, or this Runge-Kutta stage lie elsewhere? `stays`: only if no evaluation is possible here. */
bool dal_singular_avoid_end(const dal_state *state);
bool dal_singular_avoid_stage(const dal_state *state, bool stays);
/* Steps this small are accepted with any error estimate; 0: no singular position is near. */
double dal_singular_least_step(const dal_state *state);

/* ---- which one -------------------------------------------------------------------------------------- */

/* Near enough to be mentioned where a run ends? */
bool dal_singular_close(const dal_state *state);
/* "; the rank of the constraints falls there from 8 to 7, of joint 'B' among others": at work.q, near a singular position. */
const char *dal_singular_text(dal_state *state, char *buffer, size_t size);

#endif
