/* The saddle matrix [[G, A^T], [A, 0]], factored and solved: saddle.c. */
#ifndef DAL_DYNAMICS_SADDLE_H
#define DAL_DYNAMICS_SADDLE_H

#include "base/arena.h"
#include "dynamics/row_rank.h"
#include "model/saddle_slots.h"

typedef struct dal_saddle {
    double *matrix, *rhs;      /* dense, or on the pattern of compile, then its factor: dal_saddle_factor and the like. Right side, then solution */
    double *factor;            /* in the order of compile: inverse pivots, then L. Computed by dal_saddle_factor_ordered (saddle_order.c) */
    double *row_scale;         /* factors that scale the rows to unit norm: scale_rows */
    int *pivots;               /* nv + n_rows + 1: of a dense factorisation */
    double ratio;              /* pivot ratio of the last factorisation: set by it, as are the next three */
    bool on_tree;              /* the last factorisation was made over the links (tree/loops.h) */
    bool in_order;             /* the last factorisation was made in the order of compile */
    bool soft;                 /* the last factorisation was that of dal_saddle_soften, with all rows */
    struct dal_sparse *sparse; /* its symbolic factorisation, made when the state is opened; NULL: dense */
} dal_saddle;

extern const dal_owner dal_saddle_owner;

/* Is row i an equation of the matrix? Else it is an identity. */
static inline bool dal_saddle_has_row(const dal_saddle *saddle, const dal_rank *rank, int i)
{
    return saddle->soft || rank->independent[i];
}
/* Pattern of the matrix at compile. */
void dal_saddle_pattern(dal_arena *arena, const dal_layout *layout, dal_saddle_slots *slots);
typedef enum dal_metric { DAL_METRIC_UNIT, DAL_METRIC_MASS } dal_metric;
/* Factor [[G, A^T], [A, 0]] with G = M / mass or 1; dependent rows become identities. Returns the pivot ratio. */
double dal_saddle_factor(dal_state *state, dal_metric metric);
/* Factor [[M / mass, A^T], [A, -softness]] with all rows, dependent ones too, at unit norm when turns are measured by the model's length. */
double dal_saddle_soften(dal_state *state, double softness);
/* The same in the order of compile and by no other way: false where that has none, or loses digits. `ratio`: that of the pivots. */
bool dal_saddle_factor_ordered(dal_state *state, double *ratio);
/* After it: f := G^-1 f. */
void dal_saddle_solve_mass(dal_state *state, double *f);
/* For the least change dv with A dv = b: in the metric of the masses, or, where these leave a motion open, of the coordinates. */
dal_flow dal_saddle_least(dal_state *state);
/* The same as dal_saddle_factor, with other rows where these have become dependent; a failure where none are left. */
dal_flow dal_saddle_ready(dal_state *state, dal_metric metric);
/* In place: (f, b) -> (x, mu) with G x + A^T mu = f, A x = b (softened: A x - softness mu = b); rows that depend get mu = 0. */
void dal_saddle_solve(dal_state *state, double *f, double *b);
/* M x - A^T mu = f, A x = b, after dal_saddle_factor in the metric of the masses: G = M / units.mass. */
void dal_saddle_correct(dal_state *state, const double *f, const double *b, double *x, double *mu);

/* ---- what formulations share with it ---------------------------------------------------------------- */

/* M v' + h = Q + A^T lambda, A v' = gamma on the null space of A, dense: near singular positions (null_space.c). */
dal_flow dal_null_space_solve(dal_state *state);
size_t dal_null_space_work(const dal_system *system);
/* What the tables of formulations that solve for multipliers on the null space, too, have in common. */
#define DAL_FORMULATION_WITH_MULTIPLIERS(applies_, solve_, correct_, show_)                                                                          \
    DAL_FORMULATION(applies_, dal_null_space_work, solve_, correct_, show_), .multiplies = true
/* The same by the saddle matrix, and on the null space where that is called for (lagrange.c). */
dal_flow dal_lagrange_solve(dal_state *state);
/* v' and lambda by the formulation, refined where inertias differ widely (refine.c). */
dal_flow dal_state_solve(dal_state *state);

#endif
