/* cvode-adams and cvode-bdf: the variable-order, variable-step multistep methods of CVODE (SUNDIALS), y' = f(t, y).
 *
 *   cvode-adams   Adams-Moulton, orders 1 to 12, solved by fixed-point iteration: for motions that are not stiff, where f is expensive
 *   cvode-bdf     backward differences, orders 1 to 5, solved by Newton's method: for stiff motions
 *
 * Newton's matrix I - gamma df/dy is dense up to DAL_SUNDIALS_DENSE unknowns. Beyond, GMRES without a preconditioner replaces it: constraints fill
 * the matrix, and n products and n^3 operations cost more than shorter steps. df/dy and its products are exact: linearise and product of the ode.
 *
 * Constraints: cvode-bdf gives CVODE its projection, so that a step whose projection fails is repeated shorter, with its past. The
 * vector of local errors could be projected as well, err <- P'(y) err: that would be a second projection in each step, as expensive as the step
 * itself, for a slightly longer step. It is not done: the part that the constraints remove counts as error, on the safe side. cvode-adams carries an
 * offset (sundials.h).
 */
#include "integrate/sundials.h"

#include <math.h>
#include <string.h>

#ifdef DAL_HAVE_SUNDIALS

static int slope_cvode(double t, N_Vector Y, N_Vector dY, void *user)
{
    return dal_sundials_slope(user, t, Y, NV_DATA_S(dY));
}

/* Column j of df/dy. */
static int jacobian_cvode(double t, N_Vector Y, N_Vector F, SUNMatrix J, void *user, N_Vector unit, N_Vector unused, N_Vector more)
{
    dal_sundials *c = user;
    double *x = NV_DATA_S(unit);
    (void)F, (void)unused, (void)more;
    int flow = dal_sundials_linearise(c, t, Y);
    c->s->matrices++;
    memset(x, 0, sizeof *x * (size_t)c->size);
    for (int j = 0; j < c->s->ode->n && !flow; j++) {
        x[j] = 1;
        flow = dal_sundials_product(c, t, x, SM_COLUMN_D(J, j));
        x[j] = 0;
    }
    return flow;
}

static int linearise_cvode(double t, N_Vector Y, N_Vector F, void *user)
{
    (void)F;
    return dal_sundials_linearise(user, t, Y);
}

static int product_cvode(N_Vector X, N_Vector out, double t, N_Vector Y, N_Vector F, void *user, N_Vector unused)
{
    dal_sundials *c = user;
    (void)Y, (void)F, (void)unused;
    c->s->products++;
    return dal_sundials_product(c, t, NV_DATA_S(X), NV_DATA_S(out));
}

/* correction = P(Y) - Y; c->base keeps P(Y) itself. */
static int put_back(double t, N_Vector Y, N_Vector correction, double tolerance, N_Vector error, void *user)
{
    dal_sundials *c = user;
    const dal_ode *ode = c->s->ode;
    const double *y = NV_DATA_S(Y);
    double *change = NV_DATA_S(correction);
    (void)tolerance, (void)error;
    memset(change, 0, sizeof *change * (size_t)c->size);
    memcpy(c->base, y, sizeof *y * (size_t)ode->n);
    c->put_back = ode->project(ode->user, t, c->base);
    for (int i = 0; i < ode->n; i++) {
        change[i] = c->base[i] - y[i];
        if (!c->put_back && !isfinite(change[i]))
            c->put_back = 1;
    }
    return dal_is_stuck(c->s, c->put_back) ? -1 : c->put_back;
}

static bool set_up_cvode(dal_sundials *c, int formula)
{
    const dal_sundials_library *call = &c->call;
    c->memory = call->CVodeCreate(formula, c->context);
    return c->memory && dal_sundials_silence(c) && !call->CVodeInit(c->memory, slope_cvode, c->s->t, c->Y) && dal_sundials_configure(c);
}

static bool set_up_adams(dal_sundials *c)
{
    if (!set_up_cvode(c, CV_ADAMS))
        return false;
    c->nonlinear = c->call.SUNNonlinSol_FixedPoint(c->Y, 0, c->context);
    return c->nonlinear && !c->call.SetNonlinearSolver(c->memory, c->nonlinear);
}

static bool set_up_bdf(dal_sundials *c)
{
    const dal_sundials_library *call = &c->call;
    if (!set_up_cvode(c, CV_BDF) || !dal_sundials_newton(c) || call->SetLinearSolver(c->memory, c->linear, c->matrix))
        return false;
    if (c->matrix ? call->CVodeSetJacFn(c->memory, jacobian_cvode) : call->CVodeSetJacTimes(c->memory, linearise_cvode, product_cvode))
        return false;
    return !c->s->ode->project || !(call->CVodeSetProjFn(c->memory, put_back) || call->CVodeSetProjErrEst(c->memory, SUNFALSE) ||
                                    call->CVodeSetMaxNumProjFails(c->memory, DAL_SUNDIALS_MAX_FAILURES));
}

static bool begin_cvode(dal_sundials *c)
{
    return !c->call.CVodeReInit(c->memory, c->s->t, c->Y);
}

static int step_cvode(dal_sundials *c, double *t_new)
{
    return c->call.CVode(c->memory, c->s->t_stop, c->Y, t_new, CV_ONE_STEP);
}

static const dal_sundials_package adams = {dal_cvode_load, set_up_adams, begin_cvode, step_cvode, CV_MEM_FAIL};
static const dal_sundials_package bdf = {dal_cvode_load, set_up_bdf, begin_cvode, step_cvode, CV_MEM_FAIL};

static bool available_cvode(char *why, size_t size)
{
    return dal_sundials_available(&bdf, why, size);
}

static bool open_adams(dal_stepper *s)
{
    return dal_sundials_open(s, &adams, s->ode->n);
}

static bool open_bdf(dal_stepper *s)
{
    return dal_sundials_open(s, &bdf, s->ode->n);
}

#endif

const dal_integrator dal_cvode_adams = {
    .name = "cvode-adams",
    .title = "Adams-Moulton of orders 1 to 12, adaptive (SUNDIALS)",
    .order = 12,
    DAL_STABLE_TO(1, 1), /* beyond, the fixed-point iteration does not converge in the few rounds it has */
    DAL_SUNDIALS_ENTRIES(available_cvode, open_adams),
};

const dal_integrator dal_cvode_bdf = {
    .name = "cvode-bdf",
    .newton = true,
    .title = "backward differences of orders 1 to 5, adaptive, for stiff motions (SUNDIALS)",
    .order = 5,
    DAL_STABLE_TO(HUGE_VAL, HUGE_VAL),
    .projects = true,
    DAL_SUNDIALS_ENTRIES(available_cvode, open_bdf),
};
