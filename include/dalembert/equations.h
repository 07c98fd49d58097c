/* The equations of motion at one state, as numbers: the matrices that a
 * formulation solves, named by coordinate, speed and joint, and the solution.
 *
 *     dal_equations *equations;
 *     dal_equations_create(NULL, state, messages, &equations);
 *     ... equations->blocks[i].values ...
 *     dal_equations_free(equations);
 *
 * Each matrix is a block. `places` and `rights` say which blocks make up the
 * linear system K x = b that is solved, and where; `solution` is x.
 */
#ifndef DALEMBERT_EQUATIONS_H
#define DALEMBERT_EQUATIONS_H

#include "dalembert/system.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A matrix with a name; a vector has one column, whose name is that of the block. */
typedef struct dal_equation_block {
    const char *name;  /* "M", "A", "Q - h" */
    const char *title; /* what it is, with the equation of the paper where there is one */
    int rows, columns;
    const double *values; /* row-major */
    const char *const *row_names, *const *column_names;
} dal_equation_block;

/* A block inside K, with its first row and column there: K += factor * block, or its transpose. In b the column is 0; if `times` is the index of
 * another block, not -1, the product of the two blocks is added to b. */
typedef struct dal_equation_place {
    int block, row, column;
    bool transposed;
    double factor;
    int times;
} dal_equation_place;

/* Names with their values. */
typedef struct dal_equation_values {
    int n;
    const char *const *names;
    const double *values;
} dal_equation_values;

typedef struct dal_equations {
    dal_system_info info; /* valid as long as the system is */
    const char *title;    /* of the formulation */
    const char *equation; /* "[M A^T; A 0] [v'; -lambda] = [Q - h; gamma]" */
    const char *source;   /* of the equation: a paper and its number, or "" */
    double time;
    int rank;                                    /* k at this state */
    dal_equation_values coordinates, velocities; /* the state */
    dal_equation_values speeds;                  /* u, of formulations that have them */
    int n_blocks;
    dal_equation_block *blocks;
    int n_places, n_rights;
    dal_equation_place *places, *rights; /* K and b; no places: K = 1, the solution is explicit */
    dal_equation_values solution;        /* x: the unknowns */
    dal_equation_values accelerations;   /* v' */
    void *memory;
} dal_equations;

/* Evaluates the state at its (t, y) and reads the matrices of its formulation. Only scratch of the state changes. A state that belongs to a run is
 * already evaluated, and can be used in the run's callback. */
DAL_API dal_status dal_equations_create(const dal_allocator *allocator, dal_state *state, dal_messages *messages, dal_equations **equations);
DAL_API void dal_equations_free(dal_equations *equations);

/* For people: tables of at most `width` columns, numbers of `digits` digits, zeros (up to rounding) as dots. As snprintf does: returns the length
 * needed; if the buffer is NULL, only the length is computed; -1: `equations` is NULL. `digits` is clamped to 1 to 17. */
DAL_API int dal_equations_text(const dal_equations *equations, int digits, int width, char *buffer, size_t size);
/* One JSON object, every number so that it reads back as the same double. */
DAL_API int dal_equations_json(const dal_equations *equations, char *buffer, size_t size);

/* A value that a coordinate or a rate should have: "rod.angle", "rod.angle'", a coordinate of the model's own, a speed. */
typedef struct dal_given {
    const char *name;
    double value;
} dal_given;

/* Moves the state to the nearest one that has the given values and meets the constraints. `*moved` (may be NULL) is the largest difference between a
 * given value and the value that it got: 0 unless the constraints contradict it. Evaluate the state before anything is read from it.
 * DAL_BAD_COMMAND: a name is unknown or given twice, a value is not finite, there are more of them than coordinates, rates and speeds, or the state
 * belongs to a run. */
DAL_API dal_status dal_state_assign(dal_state *state, int n, const dal_given *given, dal_messages *messages, double *moved);

#ifdef __cplusplus
}
#endif

#endif
