/* 3-vectors and 3 x 3 matrices (row-major) on dal_real. Planar models use the
 * same kernels with z = 0: one source for both spaces.
 *
 * Constants of a system (local points, inertias) are double; quantities that change in motion are dal_real.
 */
#ifndef DAL_MATH_VEC_H
#define DAL_MATH_VEC_H

#include "math/scalar.h"

/* a . b */
static inline dal_real dal_dot(const dal_real a[3], const dal_real b[3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

/* out = a x b */
static inline void dal_cross(const dal_real a[3], const dal_real b[3], dal_real out[3])
{
    dal_real x = a[1] * b[2] - a[2] * b[1];
    dal_real y = a[2] * b[0] - a[0] * b[2];
    dal_real z = a[0] * b[1] - a[1] * b[0];
    out[0] = x, out[1] = y, out[2] = z;
}

/* out += a x b */
static inline void dal_add_cross(const dal_real a[3], const dal_real b[3], dal_real out[3])
{
    out[0] += a[1] * b[2] - a[2] * b[1];
    out[1] += a[2] * b[0] - a[0] * b[2];
    out[2] += a[0] * b[1] - a[1] * b[0];
}

/* out = a */
static inline void dal_copy3(const dal_real a[3], dal_real out[3])
{
    out[0] = a[0], out[1] = a[1], out[2] = a[2];
}

/* out = 0 */
static inline void dal_zero3(dal_real out[3])
{
    out[0] = out[1] = out[2] = 0;
}

/* out = a - b */
static inline void dal_sub3(const dal_real a[3], const dal_real b[3], dal_real out[3])
{
    out[0] = a[0] - b[0], out[1] = a[1] - b[1], out[2] = a[2] - b[2];
}

/* out += s a */
static inline void dal_axpy3(dal_real s, const dal_real a[3], dal_real out[3])
{
    out[0] += s * a[0], out[1] += s * a[1], out[2] += s * a[2];
}

/* out = R s, s constant in the body */
static inline void dal_turn(const dal_real R[9], const double s[3], dal_real out[3])
{
    out[0] = R[0] * s[0] + R[1] * s[1] + R[2] * s[2];
    out[1] = R[3] * s[0] + R[4] * s[1] + R[5] * s[2];
    out[2] = R[6] * s[0] + R[7] * s[1] + R[8] * s[2];
}

/* out += R s */
static inline void dal_add_turned(const double R[9], const double s[3], double out[3])
{
    for (int i = 0; i < 3; i++)
        out[i] += R[3 * i] * s[0] + R[3 * i + 1] * s[1] + R[3 * i + 2] * s[2];
}

/* out = A x */
static inline void dal_mul3(const dal_real A[9], const dal_real x[3], dal_real out[3])
{
    dal_real a = A[0] * x[0] + A[1] * x[1] + A[2] * x[2];
    dal_real b = A[3] * x[0] + A[4] * x[1] + A[5] * x[2];
    dal_real c = A[6] * x[0] + A[7] * x[1] + A[8] * x[2];
    out[0] = a, out[1] = b, out[2] = c;
}

/* out = A^T x */
static inline void dal_mulT3(const dal_real A[9], const dal_real x[3], dal_real out[3])
{
    dal_real a = A[0] * x[0] + A[3] * x[1] + A[6] * x[2];
    dal_real b = A[1] * x[0] + A[4] * x[1] + A[7] * x[2];
    dal_real c = A[2] * x[0] + A[5] * x[1] + A[8] * x[2];
    out[0] = a, out[1] = b, out[2] = c;
}

/* out = A B; out is another matrix */
static inline void dal_mul33(const dal_real A[9], const dal_real B[9], dal_real out[9])
{
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            out[3 * i + j] = A[3 * i] * B[j] + A[3 * i + 1] * B[3 + j] + A[3 * i + 2] * B[6 + j];
}

/* out = [w x] B, column by column */
static inline void dal_cross33(const dal_real w[3], const dal_real B[9], dal_real out[9])
{
    for (int j = 0; j < 3; j++) {
        dal_real x = w[1] * B[6 + j] - w[2] * B[3 + j];
        dal_real y = w[2] * B[j] - w[0] * B[6 + j];
        dal_real z = w[0] * B[3 + j] - w[1] * B[j];
        out[j] = x, out[3 + j] = y, out[6 + j] = z;
    }
}

/* out = R I R^T with I constant in the body: the inertia in world axes */
static inline void dal_turn_inertia(const dal_real R[9], const double I[9], dal_real out[9])
{
    dal_real RI[9];
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            RI[3 * i + j] = R[3 * i] * I[j] + R[3 * i + 1] * I[3 + j] + R[3 * i + 2] * I[6 + j];
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            out[3 * i + j] = RI[3 * i] * R[3 * j] + RI[3 * i + 1] * R[3 * j + 1] + RI[3 * i + 2] * R[3 * j + 2];
}

/* R := R rotation about its own axis `axis`: two columns are mixed */
static inline void dal_turn_columns(dal_real R[9], int axis, dal_real angle)
{
    int i = (axis + 1) % 3, j = (axis + 2) % 3;
    dal_real c = dal_cos(angle), s = dal_sin(angle);
    for (int k = 0; k < 3; k++) {
        dal_real x = R[3 * k + i], y = R[3 * k + j];
        R[3 * k + i] = c * x + s * y;
        R[3 * k + j] = c * y - s * x;
    }
}

/* R: the rotation of the quaternion p = (w, x, y, z), of any length but zero */
static inline void dal_matrix_of(const dal_real p[4], dal_real R[9])
{
    dal_real k = 2 / (p[0] * p[0] + p[1] * p[1] + p[2] * p[2] + p[3] * p[3]);
    R[0] = 1 - k * (p[2] * p[2] + p[3] * p[3]);
    R[4] = 1 - k * (p[1] * p[1] + p[3] * p[3]);
    R[8] = 1 - k * (p[1] * p[1] + p[2] * p[2]);
    R[1] = k * (p[1] * p[2] - p[0] * p[3]), R[3] = k * (p[1] * p[2] + p[0] * p[3]);
    R[2] = k * (p[1] * p[3] + p[0] * p[2]), R[6] = k * (p[1] * p[3] - p[0] * p[2]);
    R[5] = k * (p[2] * p[3] - p[0] * p[1]), R[7] = k * (p[2] * p[3] + p[0] * p[1]);
}

#endif
