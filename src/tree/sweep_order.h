/* The order of a sweep: blocks are moved, closed and eliminated from the last to the first. Included by kernels only (vector.h): by the
 * sweep in space and the one in the plane. */
#ifndef DAL_TREE_SWEEP_ORDER_H
#define DAL_TREE_SWEEP_ORDER_H

#include "tree/sweep.h"
#include "tree/vector.h"

#include <math.h>
#include <string.h>

/* Where the links of block k begin in the ring. */
V4_INLINE size_t place_in_ring(const dal_sweep *sweep, int k)
{
    return (size_t)(k % sweep->n_ring) * (size_t)(sweep->most_links + 1) + 1;
}

/* Everything up to the ground: `at` is the place of the sweep in the lists of closures. */
V4_INLINE double backward_blocks(const dal_sweep_task *task, double *gamma, void *at,
                                 void (*move)(const dal_sweep_task *task, int k, void *at, double *gamma),
                                 double (*eliminate)(const dal_sweep_task *task, int k, const double *gamma))
{
    const dal_sweep *sweep = task->sweep;
    const dal_loops *loops = task->loops;
    const dal_elimination *run = task->run->loops;
    const dal_loop_front *ground = &loops->front[sweep->n_links];
    double ratio = 1;
    int moved = sweep->n_blocks;
    task->own->size = task->own->spin = 0;
    memset(task->work->entry, 0, sizeof *task->work->entry * (size_t)loops->n_entries);
    memset(task->work->g, 0, sizeof *task->work->g * (size_t)loops->n_slots);
    for (int k = sweep->n_blocks - 1; k >= 0 && ratio > 0; k--) {
        while (moved > sweep->block[k].need)
            move(task, --moved, at, gamma);
        ratio = fmin(ratio, eliminate(task, k, gamma));
    }
    if (ratio > 0)
        ratio = fmin(ratio, run->eliminate_rows(loops, ground, task->work, task->used, NULL));
    if (ratio > 0)
        run->reduce_rows(loops, ground, task->work, gamma, NULL);
    return ratio;
}

#endif
