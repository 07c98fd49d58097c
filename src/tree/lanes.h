/* Vectors of three numbers, four of them at once: one a lane. Included by kernels only (vector.h). */
#ifndef DAL_TREE_LANES_H
#define DAL_TREE_LANES_H

#include "tree/vector.h"

typedef struct lanes3 {
    v4 x, y, z;
} lanes3;

V4_INLINE lanes3 add3(lanes3 a, lanes3 b)
{
    return (lanes3){a.x + b.x, a.y + b.y, a.z + b.z};
}

V4_INLINE lanes3 sub3(lanes3 a, lanes3 b)
{
    return (lanes3){a.x - b.x, a.y - b.y, a.z - b.z};
}

V4_INLINE v4 dot3(lanes3 a, lanes3 b)
{
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

V4_INLINE lanes3 cross3(lanes3 a, lanes3 b)
{
    return (lanes3){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

/* The same vector in every lane. */
V4_INLINE lanes3 spread3(v4 a)
{
    return (lanes3){__builtin_shufflevector(a, a, 0, 0, 0, 0), __builtin_shufflevector(a, a, 1, 1, 1, 1), __builtin_shufflevector(a, a, 2, 2, 2, 2)};
}

V4_INLINE lanes3 spread_from(const double *a)
{
    return (lanes3){v4_all(a[0]), v4_all(a[1]), v4_all(a[2])};
}

/* a k, k one number a lane. */
V4_INLINE lanes3 scale3(lanes3 a, v4 k)
{
    return (lanes3){a.x * k, a.y * k, a.z * k};
}

#endif
