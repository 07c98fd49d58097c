/* The formulation's own equations, for integrators that solve them as they stand. */
#include "model/system_parts.h"
#include "run/run.h"
#include "dynamics/singular.h"
#include "dynamics/slopes.h"
#include "state/windings.h"

static dal_flow implicit_begin(void *user, double t, const double *y, double *yd, double *z)
{
    run *r = user;
    return dal_recoverable(dal_system_method(r->system)->formulation->implicit->begin(r->state, t, y, yd, z));
}

static dal_flow implicit_residual(void *user, double t, const double *y, const double *yd, const double *z, double *F)
{
    run *r = user;
    dal_flow flow = dal_recoverable(dal_system_method(r->system)->formulation->implicit->residual(r->state, t, y, yd, z, F));
    return flow ? flow : dal_state_turned(r->state);
}

static dal_flow implicit_jacobian(void *user, double t, double c, const double *y, const double *yd, const double *z, double *entries)
{
    run *r = user;
    dal_flow flow = dal_system_method(r->system)->formulation->implicit->jacobian(r->state, t, c, y, yd, z, entries);
    if (!(dal_singular_avoid_end(r->state)))
        return dal_recoverable(flow);
    return dal_state_fail_for(r->state, DAL_REASON_SINGULAR_POSITION,
                              "a singular position of the constraints is near, where multipliers grow without "
                              "bound and the implicit equations "
                              "have no solution; an integrator of accelerations (dopri5, cvode-bdf) passes it");
}

/* ---- exact derivatives of y' ------------------------------------------------------------------------ */

static dal_flow linearise(void *user, double t, const double *y)
{
    run *r = user;
    dal_flow flow = r->ode.derivative(r, t, y, r->slope);
    return flow ? flow : dal_recoverable(dal_slopes_ready(r->state));
}

static dal_flow product(void *user, const double *x, double *out)
{
    return dal_recoverable(dal_slopes_rates(((run *)user)->state, x, out));
}

bool dal_offer_slopes(run *r, dal_ode *ode)
{
    if (!dal_system_method(r->system)->integrator->newton)
        return true;
    ode->linearise = linearise;
    ode->product = product;
    return dal_slopes_open(r->state);
}

const char *dal_slopes_kind(const run *r)
{
    return dal_system_method(r->system)->integrator->newton ? "exact derivatives" : "";
}

/* ---- the formulation's own form --------------------------------------------------------------------- */

dal_status dal_offer_implicit(run *r, dal_ode *ode)
{
    const dal_method *method = dal_system_method(r->system);
    const dal_implicit_form *form = method->formulation->implicit;
    bool offered = false;
    if (!form || !method->integrator->implicit)
        return DAL_OK;
    r->implicit = (dal_implicit){.begin = implicit_begin, .residual = implicit_residual, .jacobian = implicit_jacobian};
    dal_status status = form->ready(r->state, &r->implicit, &offered);
    if (offered && status == DAL_OK)
        ode->implicit = &r->implicit;
    else
        r->implicit = (dal_implicit){0};
    return status;
}
