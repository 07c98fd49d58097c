/* Shared by CVODE and IDA; the mathematics is in the head of sundials.h. */
#include "integrate/sundials.h"
#include "base/library.h"

#ifdef DAL_HAVE_SUNDIALS

#include <float.h>
#include <math.h>
#include <string.h>

/* Of the weight of a component outside the control (the work): a small weight. With weight 0 the work would be integrated at the order and the steps
 * of the motion alone, which are 1 and very long for a polynomial or prescribed motion. */
static const double aside = 1e-3;
static const double shortest_start = 1e3 * DBL_EPSILON; /* of t: SUNDIALS refuses to start over less */

static void drop_message(int code, const char *module, const char *function, char *text, void *user)
{
    (void)code, (void)module, (void)function, (void)text, (void)user;
}

size_t dal_sundials_room(const dal_ode *ode)
{
    const dal_implicit *form = ode->implicit;
    size_t bytes = sizeof(dal_sundials);
    if (form)
        bytes += sizeof(double) * (size_t)form->n_entries;
    return (bytes + sizeof(double) - 1) / sizeof(double);
}

#if SUNDIALS_LOGGING_LEVEL == 0 && !defined(SUNDIALS_BUILD_WITH_PROFILING)

/* A context is a logger and a profiler. SUNContext_Create crashes without memory for its logger. A build of SUNDIALS without logging and profiling
 * needs only a pointer to a context, and an empty one serves. */
static bool create_context(dal_sundials *c)
{
    c->context = (SUNContext)c->empty;
    return true;
}

static void free_context(dal_sundials *c)
{
    c->context = NULL;
}

#else

static bool create_context(dal_sundials *c)
{
    return !c->call.SUNContext_Create(NULL, &c->context);
}

static void free_context(dal_sundials *c)
{
    if (c->context)
        c->call.SUNContext_Free(&c->context);
}

#endif

/* Context, vectors and work of a run whose library is loaded; false without memory. */
static bool begin_session(dal_sundials *c, dal_stepper *s, int size)
{
    const size_t n = (size_t)s->ode->n;
    double **vectors[DAL_SUNDIALS_VECTORS] = {&c->offset, &c->gap, &c->at, &c->slope, &c->base};
    c->s = s;
    c->size = size > 0 ? size : 1;
    for (size_t i = 0; i < DAL_SUNDIALS_VECTORS; i++)
        *vectors[i] = s->vectors + i * n;
    memset(c->offset, 0, sizeof *c->offset * n);
    c->entries = (double *)(c + 1);
    if (!create_context(c))
        return false;
    const int vectors_of_gmres = c->size > DAL_SUNDIALS_DENSE ? DAL_SUNDIALS_KRYLOV + 1 : 0;
    c->pool = dal_vector_pool_create(&c->call, c->context, DAL_SUNDIALS_POOL + vectors_of_gmres, c->size);
    if (!c->pool)
        return false;
    c->Y = dal_vector_pool_next(c->pool);
    c->Yd = dal_vector_pool_next(c->pool);
    c->interpolated = dal_vector_pool_next(c->pool);
    c->id = dal_vector_pool_next(c->pool);
    memcpy(NV_DATA_S(c->Y), s->y, sizeof *s->y * n);
    return true;
}

static void free_solver(dal_sundials *c)
{
    if (c->lu)
        c->call.SUNLinSolFreeEmpty(c->linear);
    else
        c->call.SUNLinSolFree(c->linear);
}

static void end_session(dal_sundials *c)
{
    if (c->nonlinear)
        c->call.SUNNonlinSolFree(c->nonlinear);
    if (c->sparse) {
        c->call.SUNLinSolFreeEmpty(c->linear);
        c->call.SUNMatFreeEmpty(c->matrix);
        dal_sparse_free(c->sparse);
    } else {
        if (c->linear)
            free_solver(c);
        dal_dense_matrix_free(c->dense);
    }
    dal_vector_pool_free(c->pool);
    free_context(c);
    const dal_allocator allocator = dal_default_allocator();
    allocator.release(allocator.user, c->scaling);
    dal_library_close(c->call.handle);
}

/* The present state is a new start: Y = y, no offset. */
static void clear_past(dal_sundials *c)
{
    const size_t n = (size_t)c->s->ode->n;
    memcpy(NV_DATA_S(c->Y), c->s->y, sizeof *c->s->y * n);
    memset(c->offset, 0, sizeof *c->offset * n);
    c->flow = c->put_back = 0;
    c->fatal = 0;
    c->not_finite = -1;
}

dal_flow dal_sundials_state(dal_sundials *c, N_Vector Y)
{
    const double *data = NV_DATA_S(Y);
    if (c->fatal)
        return c->fatal;
    c->s->component = -1;
    for (int i = 0; i < c->s->ode->n; i++) {
        c->at[i] = data[i] - c->offset[i];
        if (c->s->component < 0 && !isfinite(c->at[i]))
            c->s->component = i;
    }
    return c->s->component >= 0;
}

int dal_sundials_answer(dal_sundials *c, double t, dal_flow flow)
{
    c->flow = flow;
    if (!flow || c->not_finite < 0)
        c->not_finite = flow ? c->s->component : -1;
    if (!c->fatal && flow < 0) {
        c->fatal = flow;
        c->s->h_tried = t - c->s->t;
    }
    return dal_is_stuck(c->s, flow) ? -1 : flow;
}

int dal_sundials_slope(dal_sundials *c, double t, N_Vector Y, double *dy)
{
    dal_flow flow = dal_sundials_state(c, Y);
    if (c->s->ode->n == 0)
        dy[0] = 0;
    if (!flow)
        flow = dal_slope(c->s, t, c->at, dy);
    return dal_sundials_answer(c, t, flow);
}

int dal_sundials_linearise(dal_sundials *c, double t, N_Vector Y)
{
    dal_flow flow = dal_sundials_state(c, Y);
    if (!flow)
        flow = c->s->ode->linearise(c->s->ode->user, t, c->at);
    return dal_sundials_answer(c, t, flow);
}

int dal_sundials_product(dal_sundials *c, double t, const double *x, double *out)
{
    dal_flow flow = c->fatal;
    for (int i = c->s->ode->n; i < c->size; i++)
        out[i] = 0;
    if (!flow)
        flow = c->s->ode->product(c->s->ode->user, x, out);
    return dal_sundials_answer(c, t, flow);
}

/* 1 / (rtol |y_i| + atol unit_i) for the components in control.
 * SUNDIALS takes the mean over all unknowns, step control that over those in control. */
static int error_weights(N_Vector Y, N_Vector weights, void *session)
{
    const dal_sundials *c = session;
    const dal_stepper *s = c->s;
    const int n = s->ode->n, controlled = s->ode->n_control;
    const double *data = NV_DATA_S(Y), share = sqrt((double)c->size / (controlled > 0 ? controlled : 1));
    double *w = NV_DATA_S(weights), largest = 0;
    for (int i = n; i < c->size; i++)
        largest = fmax(largest, fabs(data[i]));
    for (int i = 0; i < c->size; i++) {
        double y = i < n ? data[i] - c->offset[i] : fabs(data[i]) + largest; /* a multiplier may be zero among large ones */
        w[i] = share / fmax(s->rtol * fabs(y) + dal_absolute(s, i), 1e-100);
        if (i >= controlled && i < n)
            w[i] *= aside;
    }
    return 0;
}

/* s->failure, s->flow from a return code of the library and the last results of the hooks; always false. */
static bool fail(dal_sundials *c, bool no_memory)
{
    dal_stepper *s = c->s;
    s->flow = 0;
    if (no_memory) {
        s->failure = DAL_END_UNOPENED;
        s->flow = -DAL_NO_MEMORY;
    } else if (c->flow && c->not_finite >= 0) {
        s->failure = DAL_END_NOT_FINITE;
        s->component = c->not_finite;
    } else if (c->flow) {
        s->failure = DAL_END_DERIVATIVE;
        s->flow = c->flow;
    } else if (c->put_back) {
        s->failure = DAL_END_PROJECT;
        s->flow = c->put_back;
    } else {
        s->failure = DAL_END_STEP_COLLAPSE;
    }
    return false;
}

/* ---- a run ---- */

bool dal_sundials_available(const dal_sundials_package *package, char *why, size_t size)
{
    dal_sundials_library library = {0};
    bool found = package->load(&library, why, size);
    dal_library_close(library.handle);
    return found;
}

bool dal_sundials_open(dal_stepper *s, const dal_sundials_package *package, int size)
{
    dal_sundials *c = s->self;
    char why[200];
    memset(c, 0, sizeof *c);
    c->package = package;
    s->failure = DAL_END_UNOPENED;
    s->flow = -DAL_BAD_COMMAND;
    if (!package->load(&c->call, why, sizeof why))
        return false;
    s->flow = -DAL_NO_MEMORY;
    return begin_session(c, s, size) && package->set_up(c);
}

bool dal_sundials_silence(dal_sundials *c)
{
    return !c->call.SetErrHandlerFn(c->memory, drop_message, NULL);
}

bool dal_sundials_configure(dal_sundials *c)
{
    const dal_sundials_library *call = &c->call;
    const double max_step = c->s->options->max_step;
    return !(call->SetUserData(c->memory, c) || call->WFtolerances(c->memory, error_weights) ||
             call->SetMaxErrTestFails(c->memory, DAL_SUNDIALS_MAX_FAILURES) || call->SetMaxConvFails(c->memory, DAL_SUNDIALS_MAX_FAILURES) ||
             call->SetMaxStep(c->memory, max_step > 0 ? max_step : 0));
}

static void count_rejected(dal_sundials *c)
{
    long errors = 0, solves = 0;
    c->call.GetNumErrTestFails(c->memory, &errors);
    c->call.GetNumStepSolveFails(c->memory, &solves);
    c->s->rejected = c->rejected + errors + solves;
}

void dal_sundials_close(dal_stepper *s)
{
    dal_sundials *c = s->self;
    if (c->memory) {
        count_rejected(c);
        c->call.Free(&c->memory);
    }
    end_session(c);
}

/* SUNDIALS clears a stop time when it is reached. */
bool dal_sundials_stop_at(dal_stepper *s)
{
    const dal_sundials *c = s->self;
    return !c->call.SetStopTime(c->memory, s->t_stop);
}

bool dal_sundials_reset(dal_stepper *s, double h)
{
    dal_sundials *c = s->self;
    count_rejected(c);
    c->rejected = s->rejected;
    clear_past(c);
    s->h_tried = h;
    if (!c->package->begin(c) || c->call.SetInitStep(c->memory, h) || !dal_sundials_stop_at(s))
        return fail(c, false);
    return true;
}

/* If t_stop is so near that SUNDIALS would not start: y_new by one step of Euler. */
static bool step_by_euler(dal_sundials *c, double *t_new, bool *done)
{
    dal_stepper *s = c->s;
    const double t_stop = s->t_stop, left = t_stop - s->t;
    c->by_euler = *done = left <= shortest_start * fmax(fabs(s->t), fabs(t_stop));
    if (!c->by_euler)
        return true;
    c->flow = dal_slope(s, s->t, s->y, s->f);
    c->not_finite = s->component;
    s->h_tried = left;
    if (c->flow)
        return fail(c, false);
    for (int i = 0; i < s->ode->n; i++)
        s->y_new[i] = s->y[i] + left * s->f[i];
    *t_new = c->t_new = t_stop;
    return true;
}

/* After a step of the library: y_new = Y - c; where CVODE projected, its last projection is that of this step, to the last digit. */
static void arrive(dal_sundials *c, double t_new)
{
    const double *data = NV_DATA_S(c->Y);
    const bool projected = c->s->method->projects && c->s->ode->project;
    for (int i = 0; i < c->s->ode->n; i++)
        c->s->y_new[i] = projected ? c->base[i] : data[i] - c->offset[i];
    c->t_new = t_new;
    c->gap_known = false;
}

bool dal_sundials_advance(dal_stepper *s, double *t_new)
{
    dal_sundials *c = s->self;
    bool done;
    if (c->by_euler && !dal_sundials_reset(s, 0)) /* the library was left behind */
        return false;
    c->flow = c->put_back = 0;
    if (!step_by_euler(c, t_new, &done))
        return false;
    if (done)
        return true;
    c->call.SetMinStep(c->memory, s->smallest);
    int flag = c->package->step(c, t_new);
    if (flag < 0) {
        if (!c->fatal)
            c->call.GetCurrentStep(c->memory, &s->h_tried);
        return fail(c, flag == c->package->memory_failed);
    }
    arrive(c, *t_new);
    count_rejected(c);
    return true;
}

/* y_{n-1} - (pi - c) there, from pi in c->interpolated. */
static void find_gap(dal_sundials *c)
{
    const double *pi = NV_DATA_S(c->interpolated);
    for (int i = 0; i < c->s->ode->n; i++)
        c->gap[i] = c->s->y[i] - (pi[i] - c->offset[i]);
    c->gap_known = true;
}

/* y_out from pi in c->interpolated. */
static void state_inside(dal_sundials *c, double h, double *y_out)
{
    const dal_stepper *s = c->s;
    const double *pi = NV_DATA_S(c->interpolated), theta = h / (c->t_new - s->t);
    for (int i = 0; i < s->ode->n; i++)
        y_out[i] = c->by_euler ? s->y[i] + h * s->f[i] : pi[i] - c->offset[i] + (1 - theta) * c->gap[i];
}

dal_flow dal_sundials_trial(dal_stepper *s, double h, double *y_out)
{
    dal_sundials *c = s->self;
    if (!c->by_euler && !c->gap_known) {
        if (c->call.GetDky(c->memory, s->t, 0, c->interpolated))
            return 1;
        find_gap(c);
    }
    if (!c->by_euler && c->call.GetDky(c->memory, s->t + h, 0, c->interpolated))
        return 1;
    state_inside(c, h, y_out);
    return 0;
}

/* Where CVODE projects, it has moved its own state. */
void dal_sundials_accept(dal_stepper *s, double h)
{
    dal_sundials *c = s->self;
    const double *Y = NV_DATA_S(c->Y);
    (void)h;
    if (s->method->projects)
        return;
    for (int i = 0; i < s->ode->n && !c->by_euler; i++)
        c->offset[i] = Y[i] - s->y_new[i];
}

#else

#include <stdio.h>

bool dal_sundials_absent(char *why, size_t size)
{
    snprintf(why, size, "this build has no SUNDIALS; Debian's package libsundials-dev provides it");
    return false;
}

bool dal_sundials_unopened(dal_stepper *s)
{
    s->flow = -DAL_BAD_COMMAND;
    return false;
}

#endif
