/* Numbers side by side, one a lane, and vectors of three of them: four lanes, or eight where a kernel is compiled for AVX-512 (DAL_LANES). Included by
 * kernels only (vector.h). */
#ifndef DAL_TREE_LANES_H
#define DAL_TREE_LANES_H

#include "tree/vector.h"

#ifndef DAL_LANES
#define DAL_LANES 4
#endif

#if DAL_LANES == 4
typedef v4 lanes;
typedef v4_anywhere lanes_anywhere;
#define lanes_all v4_all
#define lanes_store_some v4_store_some

/* The first n numbers; zeros in the other lanes. */
V4_INLINE lanes lanes_load_some(const double *p, int n)
{
    if (n >= 4)
        return v4_load(p);
    return (lanes){p[0], n > 1 ? p[1] : 0, n > 2 ? p[2] : 0, 0};
}
#else
#include <immintrin.h>

typedef double lanes __attribute__((vector_size(64), aligned(64), may_alias));
typedef double lanes_anywhere __attribute__((vector_size(64), aligned(8), may_alias));

V4_INLINE lanes lanes_all(double x)
{
    return (lanes){x, x, x, x, x, x, x, x};
}

V4_INLINE __mmask8 first_lanes(int n)
{
    return (__mmask8)(n >= 8 ? 0xff : (1 << n) - 1);
}

V4_INLINE lanes lanes_load_some(const double *p, int n)
{
    return (lanes)_mm512_maskz_loadu_pd(first_lanes(n), p);
}

V4_INLINE void lanes_store_some(double *p, int n, lanes x)
{
    _mm512_mask_storeu_pd(p, first_lanes(n), (__m512d)x);
}
#endif

V4_INLINE lanes lanes_load(const double *p)
{
    return *(const lanes_anywhere *)p;
}

V4_INLINE void lanes_store(double *p, lanes x)
{
    *(lanes_anywhere *)p = x;
}

typedef struct lanes3 {
    lanes x, y, z;
} lanes3;

V4_INLINE lanes3 add3(lanes3 a, lanes3 b)
{
    return (lanes3){a.x + b.x, a.y + b.y, a.z + b.z};
}

V4_INLINE lanes3 sub3(lanes3 a, lanes3 b)
{
    return (lanes3){a.x - b.x, a.y - b.y, a.z - b.z};
}

V4_INLINE lanes dot3(lanes3 a, lanes3 b)
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
    return (lanes3){lanes_all(a[0]), lanes_all(a[1]), lanes_all(a[2])};
}

V4_INLINE lanes3 spread_from(const double *a)
{
    return (lanes3){lanes_all(a[0]), lanes_all(a[1]), lanes_all(a[2])};
}

/* a k, k one number a lane. */
V4_INLINE lanes3 scale3(lanes3 a, lanes k)
{
    return (lanes3){a.x * k, a.y * k, a.z * k};
}

/* n + d x f: a moment of a force about another point; v + w x d, the velocity of another point. */
V4_INLINE lanes3 moved(lanes3 n, lanes3 d, lanes3 f)
{
    return add3(n, cross3(d, f));
}

#endif
