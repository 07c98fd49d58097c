/* What the tests of the integrators share: running one, and problems with known solutions. */
#ifndef DAL_TEST_INTEGRATE_RUNS_H
#define DAL_TEST_INTEGRATE_RUNS_H

#include "check.h"

#include "integrate/integrate.h"

#include <float.h>
#include <stdlib.h>

enum { ROOM = 512, MOST = 4000 };

/* Derivatives of the problems here, for the methods that need some: central differences of the one that is run. */
static const dal_ode *differentiated;
static struct {
    double t, y[1000], up[1000], down[1000];
} differentiated_at;

static inline dal_flow linearise_here(void *user, double t, const double *y)
{
    (void)user;
    assert_true(differentiated->n <= 1000);
    differentiated_at.t = t;
    memcpy(differentiated_at.y, y, sizeof *y * (size_t)differentiated->n);
    return 0;
}

static inline dal_flow product_here(void *user, const double *x, double *out)
{
    const int n = differentiated->n;
    double size = 0, most = 1e-3;
    for (int i = 0; i < n; i++) {
        size = fmax(size, fabs(x[i]));
        most = fmax(most, x[i] != 0 ? fabs(differentiated_at.y[i]) : 0);
    }
    const double sigma = size > 0 ? 6e-6 * most / size : 0;
    dal_flow flow = 0;
    for (int side = 1; side >= -1 && !flow; side -= 2) {
        double moved[1000] = {0};
        for (int i = 0; i < n; i++)
            moved[i] = differentiated_at.y[i] + side * sigma * x[i];
        flow = differentiated->derivative(user, differentiated_at.t, moved, side > 0 ? differentiated_at.up : differentiated_at.down);
    }
    for (int i = 0; i < n; i++)
        out[i] = sigma > 0 ? (differentiated_at.up[i] - differentiated_at.down[i]) / (2 * sigma) : 0;
    return flow;
}

/* The problem with its derivatives. */
static inline dal_ode with_derivatives(const dal_ode *ode)
{
    dal_ode whole = *ode;
    differentiated = ode;
    whole.linearise = linearise_here;
    whole.product = product_here;
    return whole;
}

/* Run on a work block filled with noise; the place behind the block has to stay as it was. */
static inline dal_drive_result run(const dal_integrator *method, const dal_ode *ode, const dal_drive_options *options, double *y)
{
    static uint64_t seed = 1;
    double work[ROOM];
    size_t size = dal_drive_work(method, ode);
    assert_true(size < ROOM);
    for (size_t i = 0; i < ROOM; i++)
        work[i] = check_random(&seed);
    double behind = work[size];
    const dal_ode whole = with_derivatives(ode);
    dal_drive_result result = dal_drive(method, &whole, options, y, work);
    assert_true(work[size] == behind);
    return result;
}

/* Options that make an adaptive method keep the step h too: every error is accepted, max_step holds it. */
static inline dal_drive_options fixed(double t_start, double t_end, double h)
{
    return (dal_drive_options){.t_start = t_start, .t_end = t_end, .step = h, .max_step = h, .rtol = 1e20, .atol = 1e20};
}

static inline dal_drive_options accurate(double t_start, double t_end, double h)
{
    return (dal_drive_options){.t_start = t_start, .t_end = t_end, .step = h, .rtol = 1e-9, .atol = 1e-9};
}

/* An integrator whose library is missing on this machine is skipped; a message says so once (test_sundials.c). */
static inline bool usable(const dal_integrator *method)
{
    char why[300];
    return !method->available || method->available(why, sizeof why);
}

#define FOR_EVERY_LISTED(method) for (const dal_integrator *const *each = dal_integrators, *method; (method = *each); each++)
#define FOR_EVERY(method) FOR_EVERY_LISTED(method) if (usable(method))

/* Those that make the step that they are asked for: they can be held to one step size by `fixed`, and count their slopes by it. */
#define FOR_EVERY_HELD(method) FOR_EVERY_LISTED(method) if (!dal_paced(method))

/* What the error control of one that paces itself lets pass on the problems here, with `accurate`. */
static inline double own_error(const dal_integrator *method)
{
    return dal_paced(method) ? 1e-6 : 0;
}

/* ---- a nonlinear problem that depends on time, with a known solution ---- */

/* y = (exp(1.37 sin w), cos w), w = 0.95 t^2 */
static inline void solution(double t, double y[2])
{
    double w = 0.95 * t * t;
    y[0] = exp(1.37 * sin(w));
    y[1] = cos(w);
}

static inline dal_flow nonlinear(void *user, double t, const double *y, double *dy)
{
    (void)user;
    dy[0] = 1.37 * 1.9 * t * y[0] * y[1];
    dy[1] = -1.9 / 1.37 * t * log(y[0]);
    return 0;
}

static const double t_first = 0.23, t_last = 2.63;

/* Outputs of two components. */
typedef struct seen {
    double t[MOST], y[MOST][2];
    int count;
} seen;

static inline dal_flow record(void *user, double t, const double *y)
{
    seen *rows = user;
    assert_true(rows->count < MOST);
    rows->t[rows->count] = t;
    memcpy(rows->y[rows->count++], y, 2 * sizeof *y);
    return 0;
}

/* y' = -0.37 y */
static inline dal_flow idle(void *user, double t, const double *y, double *dy)
{
    (void)user, (void)t;
    dy[0] = -0.37 * y[0];
    return 0;
}

/* y = (height, velocity) */
static inline dal_flow fall(void *user, double t, const double *y, double *dy)
{
    (void)user, (void)t;
    dy[0] = y[1];
    dy[1] = -9.81;
    return 0;
}

#endif
