/* How fast the motion is at the start: eigenvalues of the linearised right-hand side.
 *
 *   J = df/dy   of y' = f(t, y) as the integrator sees it
 *   C = dc/dy   of what the constraints say about y: c = (phi, A v - beta)
 * both by central differences, in the model's own units: y_k is measured by its unit (dal_state_units), time by that of the units. With T an
 * orthonormal basis of C T = 0 the eigenvalues lambda of T^T J T are those of the motion on the constraints; motions off the constraints are left to the stabilization.
 *
 * A method with steps h is stable if h lambda lies in its region of stability. How far this region reaches is known on the real and on the imaginary
 * axis, so that
 *   h <= min over lambda of (real / -Re lambda, imaginary / |Im lambda|)
 * is required. Adaptive methods find their steps themselves, but a decay or an oscillation on a time scale much shorter than the run costs them
 * as many.
 *
 * Errors of the differences are of the order of eps^(2/3), far below what a warning needs.
 */
#include "check/checker.h"
#include "math/rank.h"
#include "model/system_parts.h"
#include "state/scale.h"
#include "state/state_parts.h"

#include <float.h>
#include <lapacke.h>
#include <math.h>
#include <string.h>

enum { LARGEST = 400 };
static const double many_steps = 1e6; /* of an adaptive method, before it is reported */
static const double no_slope = 1e-7;  /* singular values of C that differences cannot distinguish from zero */

/* f, then c. */
static bool evaluate_rates(dal_checker *c, const double *y, double *out)
{
    dal_state *state = c->state;
    dal_work *work = dal_work_of(state);
    const size_t r = (size_t)dal_system_layout(c->system)->n_rows;
    double *residual = out + dal_system_length(c->system, NULL);
    if (dal_state_derivative(state, 0, y, out))
        return false;
    dal_need(state, DAL_STAGE_FORCES);
    memcpy(residual, work->phi, sizeof *out * r);
    memcpy(residual + r, work->phid, sizeof *out * r);
    return true;
}

/* J, n x n, and C, 2r x n: columns times the unit of y_k, rows of J over that of y_i and times that of time. */
static bool fill_slopes(dal_checker *c, int n, double *J, double *C)
{
    const dal_system *system = c->system;
    const dal_layout *layout = dal_system_layout(system);
    const int n_y = dal_system_length(system, NULL), rows = 2 * layout->n_rows;
    const double part = cbrt(DBL_EPSILON), T = layout->units.time;
    double *y = DAL_NEW(&c->arena, double, n_y), *up = DAL_NEW(&c->arena, double, n_y + rows), *down = DAL_NEW(&c->arena, double, n_y + rows),
           *unit = DAL_NEW(&c->arena, double, n_y);
    dal_state_reset(c->state);
    memcpy(y, dal_state_y(c->state), sizeof *y * (size_t)n_y);
    if (!evaluate_rates(c, y, up))
        return false;
    dal_state_units(c->state, unit);
    for (int k = 0; k < n; k++) {
        const double at = y[k], shift = part * fmax(fabs(at), unit[k]);
        volatile double above = at + shift, below = at - shift;
        y[k] = above;
        bool fine = evaluate_rates(c, y, up);
        y[k] = below;
        fine = fine && evaluate_rates(c, y, down);
        y[k] = at;
        for (int i = 0; i < n && fine; i++) {
            double slope = J[(size_t)i * (size_t)n + (size_t)k] = (up[i] - down[i]) / (above - below) * unit[k] / unit[i] * T;
            fine = isfinite(slope);
        }
        for (int i = 0; i < rows && fine; i++)
            C[(size_t)i * (size_t)n + (size_t)k] = (up[n_y + i] - down[n_y + i]) / (above - below) * unit[k];
        if (!fine)
            return false;
    }
    return true;
}

/* T as rows; returns how many. */
static int tangents(dal_checker *c, int n, double *C, double *T)
{
    const int rows = 2 * dal_system_layout(c->system)->n_rows;
    for (int i = 0; i < rows; i++) {
        double *row = C + (size_t)i * (size_t)n, sum = 0;
        for (int k = 0; k < n; k++)
            sum += row[k] * row[k];
        for (int k = 0; k < n && sum > 0; k++)
            row[k] /= sqrt(sum);
    }
    int rank =
        dal_rank_svd(C, rows, n, n, no_slope, DAL_NEW(&c->arena, double, rows + n), T, NULL, DAL_NEW(&c->arena, double, dal_rank_work(rows, n)));
    return rank < 0 ? 0 : n - rank;
}

/* T^T J T, m x m. */
static double *restrict_to(dal_checker *c, int n, const double *J, int m, const double *T)
{
    double *JT = DAL_NEW(&c->arena, double, (size_t)n *(size_t)m), *out = DAL_NEW(&c->arena, double, (size_t)m *(size_t)m);
    for (int i = 0; i < n; i++)
        for (int b = 0; b < m; b++)
            for (int k = 0; k < n; k++)
                JT[i * m + b] += J[(size_t)i * (size_t)n + (size_t)k] * T[(size_t)b * (size_t)n + (size_t)k];
    for (int a = 0; a < m; a++)
        for (int b = 0; b < m; b++)
            for (int i = 0; i < n; i++)
                out[a * m + b] += T[(size_t)a * (size_t)n + (size_t)i] * JT[i * m + b];
    return out;
}

/* Eigenvalues that only rounding makes: defective ones at zero come out as large as the root of the errors. */
static double noise_of(int n, const double *J)
{
    double most = 0;
    for (int i = 0; i < n * n; i++)
        most = fmax(most, fabs(J[i]));
    return 1e-4 * sqrt(most) + 1e-8 * most;
}

/* Eigenvalues and noise are numbers in a unit of time. */
static void judge_frequency(dal_checker *c, int n, double *re, double *im, double noise)
{
    const dal_layout *layout = dal_system_layout(c->system);
    dal_verdict *v = c->verdict;
    const dal_integrator *method = dal_system_method(c->system)->integrator;
    const dal_system_info info = dal_system_describe(c->system);
    double stiff = 0, longest = HUGE_VAL;
    v->fastest = 0;
    noise /= layout->units.time;
    for (int i = 0; i < n; i++) {
        re[i] /= layout->units.time;
        im[i] /= layout->units.time;
        double size = hypot(re[i], im[i]);
        if (size <= noise)
            continue;
        if (size > v->fastest) {
            v->fastest = size;
            v->fastest_real = re[i];
            v->fastest_imaginary = fabs(im[i]);
        }
        if (re[i] < -noise)
            longest = fmin(longest, method->real_stability / -re[i]);
        if (fabs(im[i]) > noise)
            longest = fmin(longest, method->imaginary_stability / fabs(im[i]));
        stiff = fmax(stiff, -re[i]);
    }
    if (longest < HUGE_VAL)
        v->step_limit = longest;
    double steps = info.until * stiff / method->real_stability;
    if (!method->adaptive && info.step > longest)
        dal_check_warn(c, DAL_CODE_STEP_TOO_LONG_AT_START, longest,
                       "the step of %.3g s is too long for '%s': the fastest motion at the start (%.4g /s) asks for at most %.3g s", info.step,
                       method->name, v->fastest, longest);
    if (method->adaptive && steps > many_steps)
        dal_check_warn(
            c, DAL_CODE_STIFF, steps,
            "the motion is stiff: a decay within %.1e s asks '%s' for steps of %.1e s, %.1e of them until the end; cvode-bdf has no such limit",
            1 / stiff, method->name, method->real_stability / stiff, steps);
    else if (method->adaptive && info.until / longest > many_steps)
        dal_check_warn(c, DAL_CODE_STIFF, info.until / longest,
                       "the motion is fast: %.4g /s at the start asks '%s' for steps of %.1e s, %.1e of them until the end", v->fastest, method->name,
                       longest, info.until / longest);
}

void dal_check_frequency(dal_checker *c)
{
    int n;
    dal_system_length(c->system, &n);
    if (n == 0 || n > LARGEST)
        return;
    const size_t size = (size_t)n;
    double *J = DAL_NEW(&c->arena, double, size *size), *T = DAL_NEW(&c->arena, double, size *size);
    double *C = DAL_NEW(&c->arena, double, 2 * (size_t)dal_system_layout(c->system)->n_rows * size);
    if (!fill_slopes(c, n, J, C))
        return;
    int m = tangents(c, n, C, T), room = 34 * (m + 1);
    double *K = restrict_to(c, n, J, m, T), noise = noise_of(m, K);
    double *re = DAL_NEW(&c->arena, double, m), *im = DAL_NEW(&c->arena, double, m), *work = DAL_NEW(&c->arena, double, room);
    if (m == 0 || LAPACKE_dgeev_work(LAPACK_COL_MAJOR, 'N', 'N', m, K, m, re, im, NULL, 1, NULL, 1, work, room) == 0)
        judge_frequency(c, m, re, im, noise);
}
