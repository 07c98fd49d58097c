/* Gauss-Newton on the rows of the constraints: the steps by which a start is closed, for bodies (assemble.c) and for coordinates of the
 * model's own (coordinate_start.c).
 *
 *   A x = -phi,   x = e + S (A S)^+ (-phi - A e)
 * with e the way back to the given values, S = 1 / weight, 0 for fixed values. (A S)^+ is found by one of two solvers: on dense rows by
 * singular values, or on the sparse saddle matrix (assemble_sparse.c).
 */
#ifndef DAL_START_GAUSS_NEWTON_H
#define DAL_START_GAUSS_NEWTON_H

#include <stdbool.h>

typedef struct dal_newton dal_newton;

/* The rows as the iteration sees them. */
typedef struct dal_newton_rows {
    double (*evaluate)(void *user);                         /* rows at the present place; returns the largest gap, in their units */
    bool (*row)(void *user, int i, double *row, double *b); /* row i and its right side over its unit, n entries; false: it does not count */
    double (*size)(const void *user, int k, double x);      /* a change x of unknown k in lengths of the model or radians, without sign */
    void (*move)(void *user, double *x);                    /* the place := the place + x; x may be changed */
} dal_newton_rows;

/* x := (A S)^+ (b - A e) on the first `rows` rows. False: not decided. */
typedef bool dal_newton_solver(dal_newton *newton, int rows);

struct dal_newton {
    void *user;
    const dal_newton_rows *rows;
    dal_newton_solver *solve;
    int n;                /* unknowns */
    double *x, *e, *S;    /* the step, the way back, 1 / weights */
    double *A, *b, *work; /* of the dense solver: rows x n, rows, dal_rank_work */
    int solves;           /* linear systems solved so far */
};

/* The dense solver. */
bool dal_newton_dense(dal_newton *newton, int rows);
/* x := the step from the present place with the present e; returns its length, NaN where there is none. */
double dal_newton_step(dal_newton *newton, int rows);
/* The place moved by `part` of x, whose length is `step`: at most by half a length of the model, or half a radian. */
void dal_newton_move(dal_newton *newton, double step, double part);
/* Closes the gaps, with e = 0, by at most `most` steps; returns the largest gap that is left. */
double dal_newton_close(dal_newton *newton, int rows, int most);

#endif
