/* Sine and cosine of many angles, four at a time. Included by kernels only (vector.h). */
#ifndef DAL_TREE_SINCOS_H
#define DAL_TREE_SINCOS_H

#include "tree/vector.h"

#include <math.h>

/* Four at once: reduction to [-pi/4, pi/4] by pi/2 in three parts of 33 bits (W. Cody, W. Waite, 1980), exact for k < 2^20; there the
 * polynomials of the C library fdlibm, right to about one unit in the last place. */
V4_INLINE void sincos4(v4 x, v4 *sine, v4 *cosine)
{
    const v4 magic = v4_all(6755399441055744.0); /* 1.5 * 2^52: adding it rounds to an integer, in the low bits */
    v4 shifted = x * v4_all(0.63661977236758134308) + magic;
    m4 k = (m4)shifted;
    v4 n = shifted - magic;
    v4 y = x - n * v4_all(1.57079632673412561417e+00);
    y = y - n * v4_all(6.07710050630396597660e-11);
    y = y - n * v4_all(2.02226624879595063154e-21);
    v4 z = y * y;
    v4 s = z * v4_all(1.58969099521155010221e-10) + v4_all(-2.50507602534068634195e-08);
    s = s * z + v4_all(2.75573137070700676789e-06);
    s = s * z + v4_all(-1.98412698298579493134e-04);
    s = s * z + v4_all(8.33333333332248946124e-03);
    s = s * z + v4_all(-1.66666666666666324348e-01);
    s = y + y * z * s;
    v4 c = z * v4_all(-1.13596475577881948265e-11) + v4_all(2.08757232129817482790e-09);
    c = c * z + v4_all(-2.75573143513906633035e-07);
    c = c * z + v4_all(2.48015872894767294178e-05);
    c = c * z + v4_all(-1.38888888888741095749e-03);
    c = c * z + v4_all(4.16666666666666019037e-02);
    v4 half = z * v4_all(0.5), w = v4_all(1) - half;
    c = w + ((v4_all(1) - w - half) + z * z * c);
    m4 odd = -(k & 1), flip_sine = (k & 2) << 62, flip_cosine = ((k + 1) & 2) << 62;
    *sine = (v4)((((m4)s & ~odd) | ((m4)c & odd)) ^ flip_sine);
    *cosine = (v4)((((m4)c & ~odd) | ((m4)s & odd)) ^ flip_cosine);
}

static const double maximum_angle = 1e6; /* k < 2^20 */

/* The last four overlap with those before, so that nothing behind the angles is read. */
static inline void sincos_many(int n, const double *x, double *sine, double *cosine)
{
    v4 s, c;
    double most = 0;
    for (int k = 0; k < n; k++)
        most = fabs(x[k]) > most ? fabs(x[k]) : most;
    if (!(most < maximum_angle)) {
        for (int i = 0; i < n; i++)
            sincos(x[i], &sine[i], &cosine[i]);
        return;
    }
    if (n >= 4) {
        for (int i = 0; i < n; i += 4) {
            const int at = i + 4 <= n ? i : n - 4;
            sincos4(v4_load(x + at), &s, &c);
            v4_store(sine + at, s);
            v4_store(cosine + at, c);
        }
        return;
    }
    const v4 few = {x[0], n > 1 ? x[1] : 0, n > 2 ? x[2] : 0, 0};
    sincos4(few, &s, &c);
    for (int k = 0; k < n; k++) {
        sine[k] = s[k];
        cosine[k] = c[k];
    }
}

#endif
