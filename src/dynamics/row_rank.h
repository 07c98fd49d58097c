/* Which rows of A are independent: independent_rows.c. */
#ifndef DAL_DYNAMICS_ROW_RANK_H
#define DAL_DYNAMICS_ROW_RANK_H

#include "dynamics/near_rows.h"
#include "state/evaluate.h"
#include "state/owner.h"

/* Kinds of factorisations, whose pivot ratios are remembered each by itself. Those of symmetric matrices are before DAL_FACTOR_QR. */
typedef enum dal_factor {
    DAL_FACTOR_SADDLE,
    DAL_FACTOR_UNIT,
    DAL_FACTOR_NETWORK,
    DAL_FACTOR_QR,
    DAL_FACTOR_QR_UNIT,
    DAL_FACTOR_ROWS,
    DAL_FACTOR_PARTITION,
    DAL_FACTOR_LEAST,
    DAL_FACTOR_LEAST_UNIT,
    DAL_FACTORS
} dal_factor;

typedef struct dal_rank {
    int n, *order;                  /* how many; the rows, independent ones first: dal_state_rank */
    bool *independent;              /* the same as a mask: dal_state_rank */
    int least, most;                /* of n, since the start: dal_state_rank_near */
    long changed;                   /* how often another set was taken: dal_rank_choose_again, speeds_condition.c, run/singular_passage.c */
    double best_ratio[DAL_FACTORS]; /* largest pivot ratios of the run: dal_state_alarm */
    double good_ratio[DAL_FACTORS]; /* pivot ratios seen right after the last ranking: dal_state_alarm; 0: not yet */
    int determined;                 /* minimum-norm: rank [M; A] of the last evaluation (udwadia_phohomsiri.c) */
    double *matrix, *work;          /* n_rows x nv, and scratch, of small systems; else NULL */
    double *exchange;               /* scratch where rows are nonholonomic and the system small; else NULL */
} dal_rank;

extern const dal_owner dal_rank_owner;

/* The factor that scales row i to unit norm; `norm` is the norm of its entries. Where bodies share coordinates, entries are sums that may cancel: the
 * row is scaled by its weight on the bodies instead, so that a row that vanishes in a singular position is detected. 0: the row is only rounding, as
 * rows across a plane mechanism in space are. */
double dal_unit_of_shared_row(const dal_state *state, int i, double norm);
static inline double dal_unit_of_row(const dal_state *state, const dal_layout *layout, int i, double norm)
{
    return layout->family->shares ? dal_unit_of_shared_row(state, i, norm) : norm > 0 ? 1 / norm : 1;
}
/* The scale of row i and of its multiplier; `unit` is the result of dal_unit_of_row. A row of rounding (0) gets its weight on the bodies instead. */
double dal_scale_of_row(const dal_state *state, int i, double unit);
/* The dense A with columns over column_scale and rows at unit norm; scale (may be NULL): what each row was multiplied by. Ranks taken of it
 * do not depend on units or on multiples of rows. */
void dal_scaled_rows(const dal_state *state, double *A, double *scale);
/* Are the entries of A, and their squares, finite? */
bool dal_rows_are_finite(const dal_state *state);
/* Choose independent rows at the present A, at most `most`. */
void dal_state_rank(dal_state *state, int most);
/* The same result, faster if the rows are near known ones (may be NULL). */
void dal_state_rank_near(dal_state *state, int most, const dal_known_rows *known);
/* The same, as many as there are now; counted. */
void dal_rank_choose_again(dal_state *state);
/* After a factorisation: has it become so much worse since the last ranking that other rows were chosen? Then it has to be made again.
 * Observes also how near a singular position is (singular.h). */
bool dal_state_alarm(dal_state *state, dal_factor kind, double ratio);

#endif
