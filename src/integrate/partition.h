/* The dependent coordinates of the stabilisation coordinate-partitioning: coordinate_partitioning.c, where its fields are computed. */
#ifndef DAL_INTEGRATE_PARTITION_H
#define DAL_INTEGRATE_PARTITION_H

#include "state/owner.h"

typedef struct dal_partition {
    int *column, n;  /* the dependent columns of v, ascending; 0 of them: not chosen yet. Computed by choose_partitioning */
    double steepest; /* how far a dependent coordinate moved at most, over the independent one that moved it, since the start: begin_partitioning */
    long changed;    /* how often other columns were chosen: choose_partitioning */
} dal_partition;

extern const dal_owner dal_partition_owner;

#endif
