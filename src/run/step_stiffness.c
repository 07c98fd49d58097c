/* Stiffness: |lambda| h of the fastest eigenvalue, estimated every so many steps, and compared with the limit of stability of the method.
 *
 *     w := J w,   J w by a difference of slopes,   |lambda| = |J w| / |w|
 */
#include "model/system.h"
#include "run/run.h"

#include <math.h>
#include <string.h>

enum { OFTEN = 50, SELDOM = 200 }; /* steps between two probes: of fixed steps, of adaptive ones */

/* |lambda| h of an adaptive step. Where accuracy determines h, it is far below the limit of stability. */
static void note_product(run *r, double product)
{
    r->stiffness.probes++;
    if (product > 0.8 * r->system->method.integrator->real_stability) {
        r->stiffness.stiff_probes++;
        r->stiffness.stiff_product += product;
    }
}

/* |lambda| of the fastest eigenvalue, one step of a power iteration now and then: w := J w by a difference of slopes. Two steps are combined, because
 * an oscillating pair has no single direction. */
void dal_stiffness_probe(run *r, double t, const double *y)
{
    const int n = r->system->n_control;
    const double *unit = r->unit;
    const bool adaptive = r->system->method.integrator->adaptive;
    double norm = 0, size = 0;
    if (r->driver.work_limit > 0) /* dal_step_fixed promises so many evaluations and no more */
        return;
    if (!r->stiffness.direction || ((adaptive || r->stiffness.steps >= 10) && (r->stiffness.steps + 1) % (adaptive ? SELDOM : OFTEN))) {
        r->stiffness.steps++;
        return;
    }
    r->stiffness.steps++;
    bool first = r->stiffness.steps == (adaptive ? SELDOM : 1);
    for (int i = 0; i < n; i++) {
        if (first)
            r->stiffness.direction[i] = 1 + 0.37 * sin(12.9898 * (i + 1));
        norm += r->stiffness.direction[i] * r->stiffness.direction[i];
        size += y[i] / unit[i] * (y[i] / unit[i]);
    }
    double scale = 1e-7 * fmax(sqrt(size), 1e-3), growth = 1;
    norm = sqrt(norm);
    dal_update_viewer(r);
    for (int pass = 0; pass < 2 && norm > 0; pass++) {
        memcpy(r->stiffness.probe, y, sizeof *y * (size_t)r->system->n_y);
        if (!pass) {
            if (dal_state_derivative(r->viewer, t, r->stiffness.probe, r->stiffness.slope))
                return;
            memcpy(r->stiffness.probe + r->system->n_y, r->stiffness.slope, sizeof *y * (size_t)r->system->n_y);
        }
        for (int i = 0; i < n; i++)
            r->stiffness.probe[i] += scale * unit[i] * r->stiffness.direction[i] / norm;
        if (dal_state_derivative(r->viewer, t, r->stiffness.probe, r->stiffness.slope))
            return;
        double next = 0;
        for (int i = 0; i < n; i++) {
            r->stiffness.direction[i] = (r->stiffness.slope[i] - r->stiffness.probe[r->system->n_y + i]) / (scale * unit[i]);
            next += r->stiffness.direction[i] * r->stiffness.direction[i];
        }
        norm = sqrt(next);
        growth *= norm;
    }
    if (adaptive) {
        if (growth < HUGE_VAL && r->stiffness.steps > 4 * SELDOM)
            note_product(r, sqrt(growth) * (t - r->passage.t));
        return;
    }
    if (growth < HUGE_VAL && r->stiffness.steps > 150)
        r->stiffness.fastest = fmax(r->stiffness.fastest, sqrt(growth));
    else if (growth < HUGE_VAL)
        r->stiffness.fastest_early = sqrt(growth); /* the direction has not settled: only for runs that end before it does */
}

double dal_stiffness_found(const run *r)
{
    const double fastest = r->stiffness.fastest > 0 ? r->stiffness.fastest : r->stiffness.fastest_early;
    return r->stiffness.direction && !r->system->method.integrator->adaptive && fastest > 0 ? fastest * r->driver.options.step : NAN;
}

void dal_stiffness_warn(const run *r, dal_messages *messages)
{
    const dal_integrator *method = r->system->method.integrator;
    double limit = fmax(method->real_stability, method->imaginary_stability), seen = r->evidence.stiffness;
    if (r->stiffness.probes > 4 && 3 * r->stiffness.stiff_probes > r->stiffness.probes)
        dal_warn(messages, dal_nowhere, DAL_CODE_STIFF, (double)r->evidence.steps,
                 "the motion is stiff: stability, not accuracy, held %s to its %ld steps (|lambda| h is about %.2g, "
                 "and the limit on the real axis is %.2g); cvode-bdf has no such limit",
                 method->name, r->evidence.steps, r->stiffness.stiff_product / (double)r->stiffness.stiff_probes, method->real_stability);
    if (seen > limit)
        dal_warn(messages, dal_nowhere, DAL_CODE_STEP_TOO_LONG, seen,
                 "%s is stable up to |lambda| h = %.3g on the real and %.3g on the imaginary axis, and the motion has "
                 "about %.3g: take a step below "
                 "%.2g, or cvode-bdf, which has no such limit",
                 method->name, method->real_stability, method->imaginary_stability, seen,
                 r->driver.options.step * fmax(fmin(method->real_stability, method->imaginary_stability), 1e-3) / seen);
}
