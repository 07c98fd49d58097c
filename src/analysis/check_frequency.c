/* How fast the motion is at the start: eigenvalues of the linearised right-hand side.
 *
 *   J = df/dy by central differences of y' = f(t, y), as the integrator sees it; lambda its eigenvalues
 * A method with steps h is stable if h lambda lies in its region of stability; of that two numbers are known, on the real and on the
 * imaginary axis, so that
 *   h <= min over lambda of (real / -Re lambda, imaginary / |Im lambda|)
 * is asked for. Adaptive methods find their steps themselves, but a stable motion on a time scale much shorter than the run costs as many.
 *
 * Velocities enter f as polynomials of degree two, so that their step may be large; errors of the others are of the order of
 * eps^(2/3), far below what a warning needs.
 */
#include "analysis/checker.h"

#include <float.h>
#include <lapacke.h>
#include <math.h>
#include <string.h>

enum { LARGEST = 400 };
static const double many_steps = 1e6; /* of an adaptive method, before it is told */

static bool fill_jacobian(dal_checker *c, int n, double *J, double *y, double *f)
{
    const dal_system *system = c->system;
    const int nq = system->layout.nq, n_y = system->n_y;
    const double part = cbrt(DBL_EPSILON);
    double *back = f + n_y;
    for (int k = 0; k < n; k++) {
        double at = y[k], unit = k < nq && !system->layout.placement ? fmin(1, system->length) : 1, h = part * fmax(fabs(at), unit);
        volatile double up = at + h, down = at - h;
        y[k] = up;
        bool fine = dal_state_derivative(c->state, 0, y, f) == 0;
        y[k] = down;
        fine = fine && dal_state_derivative(c->state, 0, y, back) == 0;
        y[k] = at;
        for (int i = 0; i < n; i++) {
            double slope = (f[i] - back[i]) / (up - down);
            J[(size_t)i * (size_t)n + (size_t)k] = slope;
            fine = fine && isfinite(slope);
        }
        if (!fine)
            return false;
    }
    return true;
}

/* Eigenvalues that only the rounding of J makes: defective ones at zero come out as large as the root of its errors. */
static double noise_of(int n, const double *J)
{
    double most = 0;
    for (int i = 0; i < n * n; i++)
        most = fmax(most, fabs(J[i]));
    return 1e-4 * sqrt(most) + 1e-8 * most;
}

static void judge(dal_checker *c, int n, const double *re, const double *im, double noise)
{
    dal_verdict *v = c->verdict;
    const dal_integrator *method = c->system->integrator;
    double stiff = 0;
    v->fastest = 0;
    for (int i = 0; i < n; i++) {
        double size = hypot(re[i], im[i]), limit = HUGE_VAL;
        if (size <= noise)
            continue;
        if (size > v->fastest) {
            v->fastest = size;
            v->fastest_real = re[i];
            v->fastest_imaginary = fabs(im[i]);
        }
        if (re[i] < -noise)
            limit = method->real_stability / -re[i];
        if (fabs(im[i]) > noise)
            limit = fmin(limit, method->imaginary_stability / fabs(im[i]));
        v->step_limit = fmin(isnan(v->step_limit) ? HUGE_VAL : v->step_limit, limit);
        stiff = fmax(stiff, -re[i]);
    }
    if (!(v->step_limit < HUGE_VAL))
        v->step_limit = NAN;
    if (!method->adaptive && c->system->info.step > v->step_limit)
        dal_check_warn(c, "the step of %.3g s is too long for '%s': the fastest motion at the start (%.4g /s) asks for at most %.3g s", c->system->info.step,
                       method->name, v->fastest, v->step_limit);
    if (method->adaptive && c->system->info.until * stiff / method->real_stability > many_steps)
        dal_check_warn(c, "the motion is stiff: a decay within %.1e s asks '%s' for steps of %.1e s, %.1e of them until the end", 1 / stiff, method->name,
                       method->real_stability / stiff, c->system->info.until * stiff / method->real_stability);
}

void dal_check_frequency(dal_checker *c)
{
    const int n = c->system->n_control, n_y = c->system->n_y;
    if (n == 0 || n > LARGEST)
        return;
    double *J = DAL_TAKE(&c->arena, double, (size_t)n * (size_t)n), *y = DAL_TAKE(&c->arena, double, n_y), *f = DAL_TAKE(&c->arena, double, 2 * n_y);
    double *re = DAL_TAKE(&c->arena, double, n), *im = DAL_TAKE(&c->arena, double, n), *work = DAL_TAKE(&c->arena, double, 34 * n);
    dal_state_reset(c->state);
    memcpy(y, c->state->y, sizeof *y * (size_t)n_y);
    if (!fill_jacobian(c, n, J, y, f))
        return;
    double noise = noise_of(n, J);
    if (LAPACKE_dgeev_work(LAPACK_COL_MAJOR, 'N', 'N', n, J, n, re, im, NULL, 1, NULL, 1, work, 34 * n) == 0)
        judge(c, n, re, im, noise);
}
