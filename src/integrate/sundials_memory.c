#ifdef DAL_HAVE_SUNDIALS

#include "integrate/sundials_memory.h"

#include <stdlib.h>
#include <string.h>

/* ---- vectors -------------------------------------------------------------------------- */

typedef struct pooled {
    struct _generic_N_Vector vector; /* first: a vector of SUNDIALS is one of these */
    struct _N_VectorContent_Serial content;
    dal_vector_pool *pool;
    bool taken;
} pooled;

struct dal_vector_pool {
    struct _generic_N_Vector_Ops calls; /* shared by all */
    int n;
    pooled *item;
};

N_Vector dal_vector_pool_next(dal_vector_pool *pool)
{
    for (int i = 0; i < pool->n; i++)
        if (!pool->item[i].taken) {
            pooled *p = &pool->item[i];
            p->taken = true;
            memset(p->content.data, 0, sizeof(double) * (size_t)p->content.length);
            return &p->vector;
        }
    return NULL;
}

static N_Vector clone_vector(N_Vector of)
{
    return dal_vector_pool_next(((pooled *)of)->pool);
}

static void destroy_vector(N_Vector v)
{
    if (v)
        ((pooled *)v)->taken = false;
}

dal_vector_pool *dal_vector_pool_create(const dal_sundials_library *call, SUNContext context, int n, int size)
{
    const size_t items = (size_t)n * sizeof(pooled), numbers = (size_t)n * (size_t)size;
    N_Vector serial = call->N_VNew_Serial(1, context); /* brings the calls */
    dal_vector_pool *pool = serial ? calloc(1, sizeof *pool + items + numbers * sizeof(double)) : NULL;
    if (pool) {
        pool->calls = *serial->ops;
        pool->calls.nvclone = clone_vector;
        pool->calls.nvcloneempty = clone_vector;
        pool->calls.nvdestroy = destroy_vector;
        pool->n = n;
        pool->item = (pooled *)(pool + 1);
    }
    for (int i = 0; pool && i < n; i++) {
        pooled *p = &pool->item[i];
        double *data = (double *)(pool->item + n) + (size_t)i * (size_t)size;
        p->content = (struct _N_VectorContent_Serial){.length = size, .own_data = SUNFALSE, .data = data};
        p->vector = (struct _generic_N_Vector){.content = &p->content, .ops = &pool->calls, .sunctx = context};
        p->pool = pool;
    }
    if (serial)
        call->N_VDestroy(serial);
    return pool;
}

void dal_vector_pool_free(dal_vector_pool *pool)
{
    free(pool);
}

/* ---- matrices ------------------------------------------------------------------------- */

struct dal_dense_matrix {
    struct _generic_SUNMatrix matrix; /* first: a matrix of SUNDIALS is one of these; its content is that of `first` */
    struct _generic_SUNMatrix_Ops calls;
    const dal_sundials_library *call;
    SUNMatrix first, second; /* second NULL: it was taken, and belongs to the caller */
};

static SUNMatrix clone_matrix(SUNMatrix of)
{
    dal_dense_matrix *m = (dal_dense_matrix *)of;
    SUNMatrix given = m->second;
    m->second = NULL;
    return given ? given : m->first->ops->clone(m->first);
}

static void keep_matrix(SUNMatrix of)
{
    (void)of; /* dal_dense_matrix_free frees it */
}

dal_dense_matrix *dal_dense_matrix_create(const dal_sundials_library *call, SUNContext context, int size)
{
    dal_dense_matrix *m = calloc(1, sizeof *m);
    if (!m)
        return NULL;
    m->call = call;
    m->first = call->SUNDenseMatrix(size, size, context);
    m->second = m->first ? call->SUNDenseMatrix(size, size, context) : NULL;
    if (!m->second) {
        dal_dense_matrix_free(m);
        return NULL;
    }
    m->calls = *m->first->ops;
    m->calls.clone = clone_matrix;
    m->calls.destroy = keep_matrix;
    m->matrix = (struct _generic_SUNMatrix){.content = m->first->content, .ops = &m->calls, .sunctx = context};
    return m;
}

void dal_dense_matrix_free(dal_dense_matrix *m)
{
    if (m && m->first)
        m->call->SUNMatDestroy(m->first);
    if (m && m->second)
        m->call->SUNMatDestroy(m->second);
    free(m);
}

SUNMatrix dal_dense_matrix_of(dal_dense_matrix *m)
{
    return &m->matrix;
}

#else

typedef int dal_sundials_memory_was_left_out; /* a translation unit must not be empty */

#endif
