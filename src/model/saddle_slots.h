/* The sparse pattern of a saddle matrix [[G, A^T], [A, 0]], and where the entries of M and A go: dal_saddle_pattern. */
#ifndef DAL_MODEL_SADDLE_SLOTS_H
#define DAL_MODEL_SADDLE_SLOTS_H

typedef struct dal_saddle_slots {
    int n; /* entries */
    int *start, *row;
    int *mass, *rows, *diagonal; /* slots: of M; of A twice (below and right of M); of the rows' diagonal */
} dal_saddle_slots;

#endif
