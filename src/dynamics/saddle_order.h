/* Small saddle matrices factored in an order that compile found: saddle_order.c. */
#ifndef DAL_DYNAMICS_SADDLE_ORDER_H
#define DAL_DYNAMICS_SADDLE_ORDER_H

#include "dynamics/saddle.h"
#include "model/saddle_slots.h"
#include "model/start_values.h"

/* Which entries are zero by structure, and the order of elimination. Leaves out->ldl.n at 0 where M is not positive definite, or the matrix is
 * nearly full. */
typedef struct dal_saddle_probe {
    const dal_layout *layout;
    const dal_start *start;                /* of the bodies */
    const double *start_q, *start_winding; /* of the family `user`; of angles */
} dal_saddle_probe;
void dal_saddle_order_build(dal_arena *arena, const dal_saddle_probe *at, dal_saddle_order *out);
/* Into the block of a system. */
void dal_saddle_order_pack(dal_block *block, const dal_saddle_order *from, int n_rows, dal_saddle_order *to);

/* A copy that others share. */
void dal_saddle_order_keep(dal_arena *arena, const dal_saddle_order *from, int n_rows, dal_saddle_order *to);

/* Four digits may be lost to the order; where more would be, pivots are chosen. */
static const double DAL_SADDLE_LEAST = 1e-4;

#endif
