/* One source, several scalars.
 *
 * The kernels of math, expr (evaluation), joint, kinematics, force and
 * component are written on `dal_real`. The library compiles them for double,
 * and for `double complex` (derivatives by complex steps: variation/); the tests
 * compile them, but components, for `__float128` as well (ranks and residuals in higher
 * precision): -DDAL_SCALAR_COMPLEX or -DDAL_SCALAR_QUAD. Then every external
 * kernel name gets a suffix (DAL_K), so that all builds live in one program.
 *
 * A kernel does not branch on a dal_real. Where a decision is needed (a switch
 * of the expression engine) it is taken on dal_re(x).
 */
#ifndef DAL_MATH_SCALAR_H
#define DAL_MATH_SCALAR_H

#include <math.h>

#if defined(DAL_SCALAR_COMPLEX) || defined(DAL_SCALAR_QUAD)
#define DAL_SCALAR_VARIANT 1 /* only the kernels are wanted */
#endif

#if defined(DAL_SCALAR_COMPLEX)

#include <complex.h>
#undef I
typedef double complex dal_real;
#define DAL_K(name) name##_complex
#define dal_re(x) creal(x)
#define dal_sin csin
#define dal_cos ccos
#define dal_tan ctan
#define dal_asin casin
#define dal_acos cacos
#define dal_atan catan
#define dal_sinh csinh
#define dal_cosh ccosh
#define dal_tanh ctanh
#define dal_sqrt csqrt
#define dal_exp cexp
#define dal_log clog
#define dal_pow cpow

#elif defined(DAL_SCALAR_QUAD)

#include <quadmath.h>
typedef __float128 dal_real;
#define DAL_K(name) name##_quad
#define dal_re(x) (x)
#define dal_sin sinq
#define dal_cos cosq
#define dal_tan tanq
#define dal_asin asinq
#define dal_acos acosq
#define dal_atan atanq
#define dal_sinh sinhq
#define dal_cosh coshq
#define dal_tanh tanhq
#define dal_sqrt sqrtq
#define dal_exp expq
#define dal_log logq
#define dal_pow powq

#else

typedef double dal_real;
#define DAL_K(name) name
#define dal_re(x) (x)
#define dal_sin sin
#define dal_cos cos
#define dal_tan tan
#define dal_asin asin
#define dal_acos acos
#define dal_atan atan
#define dal_sinh sinh
#define dal_cosh cosh
#define dal_tanh tanh
#define dal_sqrt sqrt
#define dal_exp exp
#define dal_log log
#define dal_pow pow

#endif

/* atan2 for every scalar: the branch is chosen on the real parts, the slope is exact. */
static inline dal_real dal_atan2(dal_real y, dal_real x)
{
#if defined(DAL_SCALAR_COMPLEX)
    double base = atan2(creal(y), creal(x));
    double s = sin(base), c = cos(base);
    return base + catan((y * c - x * s) / (x * c + y * s)); /* the small rotation from base to (x, y) */
#elif defined(DAL_SCALAR_QUAD)
    return atan2q(y, x);
#else
    return atan2(y, x);
#endif
}

#endif
