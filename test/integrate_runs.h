/* What the tests of the integrators share: running one, and problems with known solutions. */
#ifndef DAL_TEST_INTEGRATE_RUNS_H
#define DAL_TEST_INTEGRATE_RUNS_H

#include "check.h"

#include "integrate/integrate.h"

#include <float.h>
#include <stdlib.h>

enum { ROOM = 512, MOST = 4000 };

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
    dal_drive_result result = dal_drive(method, ode, options, y, work);
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
