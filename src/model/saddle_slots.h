/* The sparse pattern of a saddle matrix [[G, A^T], [A, 0]], and where the entries of M and A go: dal_saddle_pattern; of small ones dal_saddle_order. */
#ifndef DAL_MODEL_SADDLE_SLOTS_H
#define DAL_MODEL_SADDLE_SLOTS_H

#include "math/ldl.h"

typedef struct dal_saddle_slots {
    int n; /* entries */
    int *start, *row;
    int *mass, *rows, *diagonal; /* slots: of M; of A twice (below and right of M); of the rows' diagonal */
} dal_saddle_slots;

/* An entry of M or A that is not zero by its structure. */
typedef struct dal_saddle_entry {
    int from, to; /* number in work.M or work.A; in the diagonal (below n) or behind it in the entries of L */
} dal_saddle_entry;

/* A small saddle matrix that is factored in an order found at compile; ldl.n is 0 where it is not. */
typedef struct dal_saddle_order {
    dal_ldl ldl;
    bool shared; /* the arrays belong to another one, which lives longer */
    double unit; /* 1 / mass of the model */
    int n_mass, n_rows, n_fill, n_zero_mass, n_zero_rows;
    dal_saddle_entry *mass;     /* of the lower triangles of the blocks */
    dal_saddle_entry *rows;     /* of the rows, in their order */
    int *row_start;             /* of each row, and the end */
    int *fill;                  /* entries of L that start as zero */
    int *zero_mass, *zero_rows; /* numbers in work.M and work.A that are zero by structure */
    int *place;                 /* of each unknown, in the order */
} dal_saddle_order;

#endif
