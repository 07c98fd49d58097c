/* Bodies placed by expressions in the model's own coordinates (family `user`).
 *
 * Programs on the variables (q, t, a, da, b, db): coordinates, time, and two directions.
 *   frames     r (3) and R (9, by rows) of every body
 *   jacobian   of every body and every coordinate that moves it: dr/dq (3) and, where it turns, dR/dq (9); behind them, where time
 *              moves it, the same by t
 *   bends      D_a D_b of r and, where it turns, of R
 * The angular velocity of a column is w = 1/2 sum of R_k x dR_k over the columns of R, exact because R is a rotation for every q.
 */
#ifndef DAL_KINEMATICS_PLACEMENT_H
#define DAL_KINEMATICS_PLACEMENT_H

#include "base/block.h"
#include "kinematics/family.h"

typedef struct dal_placed {
    int column, n_columns; /* coordinates that move it: layout->body_column[column ...] */
    int timed;             /* 1: time moves it as well */
    int jacobian;          /* first output of the jacobian program: dal_placed_size a column, then as many for time */
    bool turns;            /* R is not constant */
} dal_placed;

struct dal_placement {
    int n_bodies, n_coordinates, n_columns;
    dal_placed *body;
    int *column;
    dal_program *frames, *jacobian, *bends, *rates;
    /* variables of the programs: q at 0, t at n, a at n + 1, da at 2n + 1, b at 2n + 2, db at 3n + 2; 3n + 3 in all */
};

/* Outputs of one derivative of a body's frame. */
static inline int dal_placed_size(const dal_placed *placed)
{
    return placed->turns ? 12 : 3;
}

/* Does time move a body? */
static inline bool dal_placement_timed(const dal_placement *placement)
{
    for (int b = 0; b < placement->n_bodies; b++)
        if (placement->body[b].timed)
            return true;
    return false;
}

/* Number of variables of the programs for n coordinates. */
static inline int dal_placement_variables(int n)
{
    return 3 * n + 3;
}

#ifndef DAL_SCALAR_VARIANT
/* From the nodes of r and R (12 a body: r, then R by rows) in the variables q and t of `graph`, numbered as above. */
dal_placement *dal_placement_build(dal_arena *arena, dal_graph *graph, const dal_mechanism *mechanism, const dal_node *frame);
void dal_placement_columns(dal_arena *arena, dal_layout *layout);
dal_placement *dal_placement_pack(dal_block *block, const dal_placement *from);
#endif

#endif
