/* Vectors of four doubles, of which three are used, by the vector extension of gcc and clang: one source, compiled for the baseline
 * and for AVX2 with FMA (kernels.h); kernels with a column a lane for AVX-512 as well (lanes.h). */
#ifndef DAL_TREE_VECTOR_H
#define DAL_TREE_VECTOR_H

/* Kernels are compiled once for each instruction set, and their names end in it: DAL_KERNEL(dal_crba) is dal_crba_baseline or, through
 * crba_avx2.c, dal_crba_avx2. */
#ifndef DAL_TARGET
#define DAL_TARGET baseline
#endif
#define DAL_JOIN_EXPANDED(name, target) name##_##target
#define DAL_JOIN(name, target) DAL_JOIN_EXPANDED(name, target)
#define DAL_KERNEL(name) DAL_JOIN(name, DAL_TARGET)

typedef double v4 __attribute__((vector_size(32), aligned(32), may_alias));
typedef long long m4 __attribute__((vector_size(32)));
typedef double v4_anywhere __attribute__((vector_size(32), aligned(8), may_alias));

/* Inlined into every loop, but not in sanitizer builds, which would take minutes to compile. */
#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define V4_WATCHED 1
#endif
#endif
#if defined(__SANITIZE_ADDRESS__) || defined(V4_WATCHED)
#define V4_INLINE static inline
#else
#define V4_INLINE static inline __attribute__((always_inline))
#endif

V4_INLINE v4 v4_load(const double *p)
{
    return *(const v4_anywhere *)p;
}

V4_INLINE void v4_store(double *p, v4 x)
{
    *(v4_anywhere *)p = x;
}

/* Three numbers; the fourth place belongs to other data. Loading reads it, storing does not change it. */
V4_INLINE v4 v4_load3(const double *p)
{
    const v4 x = *(const v4_anywhere *)p;
    return __builtin_shufflevector(x, (v4){0, 0, 0, 0}, 0, 1, 2, 7);
}

V4_INLINE void v4_store3(double *p, v4 x)
{
    p[0] = x[0];
    p[1] = x[1];
    p[2] = x[2];
}

/* The first n of four numbers, at least one. */
V4_INLINE void v4_store_some(double *p, int n, v4 x)
{
    typedef double v2 __attribute__((vector_size(16), aligned(8), may_alias));
    if (n >= 4) {
        v4_store(p, x);
        return;
    }
    if (n == 1) {
        p[0] = x[0];
        return;
    }
    *(v2 *)(void *)p = __builtin_shufflevector(x, x, 0, 1);
    if (n == 3)
        p[2] = x[2];
}

V4_INLINE v4 v4_all(double x)
{
    return (v4){x, x, x, x};
}

/* (x, y, z, 0). The zero comes from an empty statement that gcc cannot see through: it would join z and a known zero by a vmovq from register to register,
 * in an encoding that valgrind 3.19 does not know. */
V4_INLINE v4 v4_of(double x, double y, double z)
{
#ifdef __x86_64__
    double zero = 0;
    __asm__("" : "+x"(zero));
    return (v4){x, y, z, zero};
#else
    return (v4){x, y, z, 0};
#endif
}

#define V4_YZX(x) __builtin_shufflevector((x), (x), 1, 2, 0, 3)

V4_INLINE v4 v4_cross(v4 a, v4 b)
{
    v4 c = a * V4_YZX(b) - V4_YZX(a) * b;
    return V4_YZX(c);
}

V4_INLINE v4 v4_abs(v4 x)
{
    const m4 sign = (m4)v4_all(-0.0);
    return (v4)((m4)x & ~sign);
}

/* Sum of the first three; the fourth of one of the factors is zero. */
V4_INLINE double v4_sum(v4 x)
{
    typedef double v2 __attribute__((vector_size(16)));
    v2 s = __builtin_shufflevector(x, x, 0, 1) + __builtin_shufflevector(x, x, 2, 3);
    return s[0] + s[1];
}

V4_INLINE double v4_dot(v4 a, v4 b)
{
    return v4_sum(a * b);
}

/* x A_0 + y A_1 + z A_2: a matrix by columns times the vector at p. */
V4_INLINE v4 v4_times(const v4 A[3], const double *p)
{
    return A[0] * v4_all(p[0]) + A[1] * v4_all(p[1]) + A[2] * v4_all(p[2]);
}

/* The same for a vector in a register. */
V4_INLINE v4 v4_mul(const v4 A[3], v4 x)
{
    return A[0] * __builtin_shufflevector(x, x, 0, 0, 0, 0) + A[1] * __builtin_shufflevector(x, x, 1, 1, 1, 1) +
           A[2] * __builtin_shufflevector(x, x, 2, 2, 2, 2);
}

/* Columns of A^T; the fourth numbers become zero where those of A are. */
V4_INLINE void v4_transpose(const v4 A[3], v4 out[3])
{
    const v4 zero = {0, 0, 0, 0};
    v4 a = __builtin_shufflevector(A[0], A[1], 0, 4, 2, 6); /* A00 A10 A02 A12 (as rows of columns) */
    v4 b = __builtin_shufflevector(A[0], A[1], 1, 5, 3, 7);
    v4 c = __builtin_shufflevector(A[2], zero, 0, 4, 2, 6);
    v4 d = __builtin_shufflevector(A[2], zero, 1, 5, 3, 7);
    out[0] = __builtin_shufflevector(a, c, 0, 1, 4, 5);
    out[1] = __builtin_shufflevector(b, d, 0, 1, 4, 5);
    out[2] = __builtin_shufflevector(a, c, 2, 3, 6, 7);
}

#endif
