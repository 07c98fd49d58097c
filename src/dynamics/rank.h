/* Which rows of A are independent: rank.c. */
#ifndef DAL_DYNAMICS_RANK_H
#define DAL_DYNAMICS_RANK_H

#include "state/state.h"

/* Kinds of factorisations, whose pivot ratios are remembered each by itself. Those of symmetric matrices are before DAL_FACTOR_QR. */
typedef enum dal_factor { DAL_FACTOR_SADDLE, DAL_FACTOR_UNIT, DAL_FACTOR_NETWORK, DAL_FACTOR_QR, DAL_FACTOR_QR_UNIT,
                          DAL_FACTOR_ROWS, DAL_FACTOR_PARTITION, DAL_FACTOR_LEAST, DAL_FACTOR_LEAST_UNIT, DAL_FACTORS } dal_factor;

typedef struct dal_rank {
    int n, *order;                  /* how many; the rows, independent ones first: dal_state_rank */
    bool *independent;              /* the same as a mask */
    int least, most;                /* of n, since the start */
    long changed;                   /* how often another set was taken */
    double best_ratio[DAL_FACTORS]; /* largest pivot ratios of the run: dal_state_alarm */
    double good_ratio[DAL_FACTORS]; /* pivot ratios seen right after the last ranking; 0: not yet */
    int determined;                 /* minimum-norm: rank [M; A] of the last evaluation (udwadia_phohomsiri.c) */
    double *matrix, *work;          /* n_rows x nv, and scratch, of small systems; else NULL */
    double *exchange;               /* scratch where rows are nonholonomic and the system small; else NULL */
} dal_rank;

extern const dal_owner dal_rank_owner;

/* A with rows at unit norm, columns over column_scale, dense; scale (may be NULL): what each row was multiplied by. */
void dal_scaled_rows(const dal_state *state, double *A, double *scale);
/* Choose independent rows at the present A, `most` at the most. */
void dal_state_rank(dal_state *state, int most);
/* Has this factorisation become so much worse since the last ranking that other rows should be taken? */
bool dal_state_alarm(dal_state *state, dal_factor kind, double ratio);

#endif
