/* Quantities of columns, and small matrices times columns of a matrix: one column a lane. Included by kernels only (vector.h). */
#ifndef DAL_TREE_COLUMN_LANES_H
#define DAL_TREE_COLUMN_LANES_H

#include "tree/kernels.h"
#include "tree/lanes.h"

/* Three numbers of columns j and following. */
V4_INLINE lanes3 load_triple(dal_column_table table, int quantity, int j)
{
    const double *at = table.first + table.stride * (size_t)quantity + j;
    return (lanes3){lanes_load(at), lanes_load(at + table.stride), lanes_load(at + 2 * table.stride)};
}

/* A b and A^T b, A by columns of four numbers. */
V4_INLINE lanes3 times3(const double A[3][4], lanes3 b)
{
    return add3(add3(scale3(spread_from(A[0]), b.x), scale3(spread_from(A[1]), b.y)), scale3(spread_from(A[2]), b.z));
}

V4_INLINE lanes3 transposed_times3(const double A[3][4], lanes3 b)
{
    return (lanes3){dot3(spread_from(A[0]), b), dot3(spread_from(A[1]), b), dot3(spread_from(A[2]), b)};
}

/* With the factor of factor3 (aba.c). */
V4_INLINE lanes3 solved3(const double L[6], lanes3 b)
{
    const lanes y1 = b.x, y2 = b.y - lanes_all(L[0]) * y1, y3 = b.z - lanes_all(L[1]) * y1 - lanes_all(L[2]) * y2;
    const lanes x3 = y3 * lanes_all(L[5]), x2 = y2 * lanes_all(L[4]) - lanes_all(L[2]) * x3,
                x1 = y1 * lanes_all(L[3]) - lanes_all(L[0]) * x2 - lanes_all(L[1]) * x3;
    return (lanes3){x1, x2, x3};
}

/* With the factor of factor6 (aba.c). */
V4_INLINE void solve6_lanes(const double A[36], lanes x[6])
{
    for (int i = 1; i < 6; i++)
        for (int k = 0; k < i; k++)
            x[i] -= lanes_all(A[6 * i + k]) * x[k];
    for (int i = 0; i < 6; i++)
        x[i] *= lanes_all(A[7 * i]);
    for (int i = 4; i >= 0; i--)
        for (int k = i + 1; k < 6; k++)
            x[i] -= lanes_all(A[6 * k + i]) * x[k];
}

#endif
