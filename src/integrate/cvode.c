/* cvode-adams and cvode-bdf: the variable-order, variable-step multistep methods of CVODE (SUNDIALS), y' = f(t, y).
 *
 *   cvode-adams   Adams-Moulton, orders 1 to 12, solved by fixed-point iteration: for motions that are not stiff, where f is dear
 *   cvode-bdf     backward differences, orders 1 to 5, solved by Newton's method: for stiff motions
 *
 * Newton's matrix I - gamma df/dy is dense, df/dy from differences of f, up to DAL_SUNDIALS_DENSE unknowns. Beyond, GMRES without a
 * preconditioner takes its place: n evaluations and n^3 operations for a matrix that constraints fill are worth less than short steps.
 *
 * Constraints: cvode-bdf gives CVODE its projection, so that a step whose projection fails is repeated shorter, with its past. The
 * vector of local errors could be projected as well, err <- P'(y) err: that would be a second projection a step, as dear as the
 * step itself, to lengthen it a little. It is left as it is: what the constraints will remove counts as error, on the safe side.
 * cvode-adams carries an offset (sundials.h).
 */
#include "integrate/sundials.h"
#include "base/library.h"

#include <math.h>
#include <string.h>

#ifdef DAL_HAVE_SUNDIALS

enum { MOST_FAILURES = 200 }; /* of one step: the smallest step that t resolves ends it earlier */

static bool available_cvode(char *why, size_t size)
{
    dal_sundials_library library = {0};
    bool found = dal_cvode_load(&library, why, size);
    dal_library_close(library.handle);
    return found;
}

static int slope_cvode(double t, N_Vector Y, N_Vector dY, void *user)
{
    return dal_sundials_slope(user, t, Y, NV_DATA_S(dY));
}

/* Column j of df/dy: (f(y + sigma e_j) - f(y)) / sigma. */
static int jacobian_cvode(double t, N_Vector Y, N_Vector F, SUNMatrix J, void *user, N_Vector moved, N_Vector other,
                    N_Vector unused)
{
    dal_sundials *c = user;
    double *y = NV_DATA_S(moved), *f = NV_DATA_S(other);
    const double *f0 = NV_DATA_S(F);
    (void)unused;
    memcpy(y, NV_DATA_S(Y), sizeof *y * (size_t)c->size);
    for (int j = 0; j < c->size; j++) {
        const double kept = y[j], sigma = dal_sundials_increment(c, j, kept);
        y[j] = kept + sigma;
        int flow = dal_sundials_slope(c, t, moved, f);
        if (flow)
            return flow;
        y[j] = kept;
        double *column = SM_COLUMN_D(J, j);
        for (int i = 0; i < c->size; i++)
            column[i] = (f[i] - f0[i]) / sigma;
    }
    return 0;
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
    return dal_creeps(c->s, c->put_back) ? -1 : c->put_back;
}

static bool set_up_cvode(dal_sundials *c, int formula)
{
    const dal_sundials_library *call = &c->call;
    const dal_stepper *s = c->s;
    c->memory = call->CVodeCreate(formula, c->context);
    if (!c->memory || call->CVodeSetErrHandlerFn(c->memory, dal_sundials_silent, NULL) ||
        call->CVodeInit(c->memory, slope_cvode, s->t, c->Y) || call->CVodeSetUserData(c->memory, c) ||
        call->CVodeWFtolerances(c->memory, dal_sundials_weigh) ||
        call->CVodeSetMaxErrTestFails(c->memory, MOST_FAILURES) ||
        call->CVodeSetMaxConvFails(c->memory, MOST_FAILURES) ||
        call->CVodeSetMaxStep(c->memory, s->options->max_step > 0 ? s->options->max_step : 0))
        return false;
    if (formula == CV_ADAMS) {
        c->nonlinear = call->SUNNonlinSol_FixedPoint(c->Y, 0, c->context);
        return c->nonlinear && !call->CVodeSetNonlinearSolver(c->memory, c->nonlinear);
    }
    if (!dal_sundials_newton(c) || call->CVodeSetLinearSolver(c->memory, c->linear, c->matrix))
        return false;
    if (c->matrix && call->CVodeSetJacFn(c->memory, jacobian_cvode))
        return false;
    return !s->ode->project ||
           !(call->CVodeSetProjFn(c->memory, put_back) || call->CVodeSetProjErrEst(c->memory, SUNFALSE) ||
             call->CVodeSetMaxNumProjFails(c->memory, MOST_FAILURES));
}

static bool open_cvode(dal_stepper *s, int formula)
{
    dal_sundials *c = s->self;
    char why[200];
    memset(c, 0, sizeof *c);
    s->failure = DAL_END_UNOPENED;
    s->flow = -DAL_BAD_COMMAND;
    if (!dal_cvode_load(&c->call, why, sizeof why))
        return false;
    s->flow = -DAL_NO_MEMORY;
    return dal_sundials_begin(c, s, s->ode->n) && set_up_cvode(c, formula);
}

static bool open_adams(dal_stepper *s)
{
    return open_cvode(s, CV_ADAMS);
}

static bool open_bdf(dal_stepper *s)
{
    return open_cvode(s, CV_BDF);
}

static void count_rejected_cvode(dal_sundials *c)
{
    long errors = 0, solves = 0;
    c->call.CVodeGetNumErrTestFails(c->memory, &errors);
    c->call.CVodeGetNumStepSolveFails(c->memory, &solves);
    c->s->rejected = c->rejected + errors + solves;
}

static bool reset_cvode(dal_stepper *s, double h)
{
    dal_sundials *c = s->self;
    count_rejected_cvode(c);
    c->rejected = s->rejected;
    dal_sundials_restart(c);
    s->h_tried = h;
    if (c->call.CVodeReInit(c->memory, s->t, c->Y) || c->call.CVodeSetInitStep(c->memory, h) ||
        c->call.CVodeSetStopTime(c->memory, s->options->t_end))
        return dal_sundials_fail(c, false);
    return true;
}

static bool advance_cvode(dal_stepper *s, double *t_new)
{
    dal_sundials *c = s->self;
    bool done;
    c->flow = c->put_back = 0;
    if (!dal_sundials_crumb(c, t_new, &done))
        return false;
    if (done)
        return true;
    c->call.CVodeSetMinStep(c->memory, s->smallest);
    int flag = c->call.CVode(c->memory, s->options->t_end, c->Y, t_new, CV_ONE_STEP);
    if (flag < 0) {
        if (!c->fatal)
            c->call.CVodeGetCurrentStep(c->memory, &s->h_tried);
        return dal_sundials_fail(c, flag == CV_MEM_FAIL);
    }
    dal_sundials_arrive(c, *t_new);
    return true;
}

/* The projection that CVODE did last is that of the step it accepted: y_new is P(Y) to the last digit. */
static bool advance_projected(dal_stepper *s, double *t_new)
{
    const dal_sundials *c = s->self;
    if (!advance_cvode(s, t_new))
        return false;
    if (s->ode->project && !c->crumb)
        memcpy(s->y_new, c->base, sizeof *s->y_new * (size_t)s->ode->n);
    return true;
}

static dal_flow trial_cvode(dal_stepper *s, double h, double *y_out)
{
    dal_sundials *c = s->self;
    if (!c->crumb && !c->gap_known) {
        if (c->call.CVodeGetDky(c->memory, s->t, 0, c->look))
            return 1;
        dal_sundials_find_gap(c);
    }
    if (!c->crumb && c->call.CVodeGetDky(c->memory, s->t + h, 0, c->look))
        return 1;
    dal_sundials_inside(c, h, y_out);
    return 0;
}

static void store_cvode(dal_stepper *s, double h)
{
    (void)s, (void)h; /* CVODE has moved its own state */
}

static void close_cvode(dal_stepper *s)
{
    dal_sundials *c = s->self;
    if (c->memory) {
        count_rejected_cvode(c);
        c->call.CVodeFree(&c->memory);
    }
    dal_sundials_end(c);
}

#endif

const dal_integrator dal_cvode_adams = {
    .name = "cvode-adams",
    .title = "Adams-Moulton of orders 1 to 12, adaptive (SUNDIALS)",
    .order = 12,
    .adaptive = true,
    .real_stability = 1, /* beyond, the fixed-point iteration does not converge in the few rounds it has */
    .imaginary_stability = 1,
#ifdef DAL_HAVE_SUNDIALS
    .vectors = DAL_SUNDIALS_VECTORS,
    .available = available_cvode,
    .room = dal_sundials_room,
    .open = open_adams,
    .reset = reset_cvode,
    .advance = advance_cvode,
    .trial = trial_cvode,
    .accept = dal_sundials_accept,
    .close = close_cvode,
#else
    .available = dal_sundials_absent,
    .open = dal_sundials_unopened,
#endif
};

const dal_integrator dal_cvode_bdf = {
    .name = "cvode-bdf",
    .title = "backward differences of orders 1 to 5, adaptive, for stiff motions (SUNDIALS)",
    .order = 5,
    .adaptive = true,
    .real_stability = HUGE_VAL,
    .imaginary_stability = HUGE_VAL,
    .projects = true,
#ifdef DAL_HAVE_SUNDIALS
    .vectors = DAL_SUNDIALS_VECTORS,
    .available = available_cvode,
    .room = dal_sundials_room,
    .open = open_bdf,
    .reset = reset_cvode,
    .advance = advance_projected,
    .trial = trial_cvode,
    .accept = store_cvode,
    .close = close_cvode,
#else
    .available = dal_sundials_absent,
    .open = dal_sundials_unopened,
#endif
};
