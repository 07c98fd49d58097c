/* Vectors and matrices for SUNDIALS whose clones cannot fail.
 *
 * SUNDIALS clones its work vectors from the first one that it is given, and uses them without checking for NULL; CVODE does
 * the same with the matrix in which it keeps a Jacobian. Here all vectors lie in one block, and the second matrix beside the first, laid
 * out before SUNDIALS is called: where that fails, it is an error as any other. They are SUNDIALS' own serial vectors and dense matrices, except for
 * their allocation. */
#ifndef DAL_INTEGRATE_SUNDIALS_MEMORY_H
#define DAL_INTEGRATE_SUNDIALS_MEMORY_H

#include "integrate/sundials_library.h"

typedef struct dal_vector_pool dal_vector_pool;

/* `n` vectors of `size` numbers. NULL without memory. */
dal_vector_pool *dal_vector_pool_create(const dal_sundials_library *call, SUNContext context, int n, int size);
/* No vector of the pool may be used after it. */
void dal_vector_pool_free(dal_vector_pool *pool);
/* One of them, all zero. NULL: there are none left. */
N_Vector dal_vector_pool_next(dal_vector_pool *pool);

typedef struct dal_dense_matrix dal_dense_matrix;

/* A square matrix, and one more for its clone. NULL without memory. */
dal_dense_matrix *dal_dense_matrix_create(const dal_sundials_library *call, SUNContext context, int size);
void dal_dense_matrix_free(dal_dense_matrix *matrix); /* after those that cloned it */
SUNMatrix dal_dense_matrix_of(dal_dense_matrix *matrix);

#endif
