/* What CVODE and IDA share; the mathematics is in the head of sundials.h. */
#include "integrate/sundials.h"
#include "base/library.h"
#include "math/dense.h"

#ifdef DAL_HAVE_SUNDIALS

#include <float.h>
#include <math.h>
#include <string.h>

/* Of the weight of a component outside the control (the work): it counts a little. Without a say at all it would be integrated at the
 * order and the steps that the motion is content with, which of a motion that is polynomial or prescribed are 1 and very long. */
static const double aside = 1e-3;
static const double least_scale = 3e-3;        /* of the unit of a component, for differences */
static const double crumb = 1e3 * DBL_EPSILON; /* of t: SUNDIALS refuses to start over less */

void dal_sundials_silent(int code, const char *module, const char *function, char *text, void *user)
{
    (void)code, (void)module, (void)function, (void)text, (void)user;
}

size_t dal_sundials_room(const dal_ode *ode)
{
    const dal_implicit *form = ode->implicit;
    size_t bytes = sizeof(dal_sundials);
    if (form)
        bytes += sizeof(double) * (size_t)form->n_entries + sizeof(int) * (size_t)(ode->n + form->n_algebraic);
    return (bytes + sizeof(double) - 1) / sizeof(double);
}

#if SUNDIALS_LOGGING_LEVEL == 0 && !defined(SUNDIALS_BUILD_WITH_PROFILING)

/* A context is a logger and a profiler. SUNContext_Create does not survive a want of memory for its logger; a build of SUNDIALS that
 * neither logs nor profiles asks of a context only that it is there, and an empty one is. */
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

bool dal_sundials_begin(dal_sundials *c, dal_stepper *s, int size)
{
    const size_t n = (size_t)s->ode->n;
    double **vectors[DAL_SUNDIALS_VECTORS] = {&c->offset, &c->gap, &c->at, &c->slope, &c->base};
    c->s = s;
    c->size = size > 0 ? size : 1;
    for (size_t i = 0; i < DAL_SUNDIALS_VECTORS; i++)
        *vectors[i] = s->vectors + i * n;
    memset(c->offset, 0, sizeof *c->offset * n);
    c->entries = (double *)(c + 1);
    c->column_group = (int *)(c->entries + (s->ode->implicit ? s->ode->implicit->n_entries : 0));
    if (!create_context(c))
        return false;
    const int vectors_of_gmres = c->size > DAL_SUNDIALS_DENSE ? DAL_SUNDIALS_KRYLOV + 1 : 0;
    c->pool = dal_vector_pool_create(&c->call, c->context, DAL_SUNDIALS_POOL + vectors_of_gmres, c->size);
    if (!c->pool)
        return false;
    c->Y = dal_vector_pool_take(c->pool);
    c->Yd = dal_vector_pool_take(c->pool);
    c->look = dal_vector_pool_take(c->pool);
    c->id = dal_vector_pool_take(c->pool);
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

void dal_sundials_end(dal_sundials *c)
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

/* ---- Newton's matrix in units ----
 *
 * J x = b is solved as (R J U) (U^-1 x) = R b, U the units of the unknowns, R such that each row has a largest entry of 1. What a row is
 * made of beside y (multipliers, whose units differ) has no say in R where it contains y at all. */

bool dal_sundials_scaling(dal_sundials *c, bool dense)
{
    const size_t n = (size_t)c->size, numbers = 2 * n + (dense ? n * n : 0);
    const dal_allocator allocator = dal_default_allocator();
    c->scaling = allocator.allocate(allocator.user, sizeof(double) * numbers + sizeof(int) * n);
    if (!c->scaling)
        return false;
    c->row_scale = c->scaling;
    c->unit = c->row_scale + n;
    c->lu = dense ? c->unit + n : NULL;
    c->pivot = (int *)(void *)(c->row_scale + numbers);
    return true;
}

void dal_sundials_look(dal_sundials *c)
{
    for (int i = 0; i < c->size; i++) {
        c->row_scale[i] = 0;
        c->unit[i] = c->s->ode->n ? dal_unit(c->s->ode, i) : 1;
    }
}

void dal_sundials_see(dal_sundials *c, int row, int column, double entry)
{
    if (column < c->s->ode->n || c->s->ode->n == 0)
        c->row_scale[row] = fmax(c->row_scale[row], fabs(entry) * c->unit[column]);
}

bool dal_sundials_seen(dal_sundials *c)
{
    bool fine = true;
    for (int i = 0; i < c->size; i++) {
        fine = fine && isfinite(c->row_scale[i]);
        c->row_scale[i] = c->row_scale[i] > 0 ? 1 / c->row_scale[i] : 1;
    }
    return fine;
}

static SUNLinearSolver_Type solver_kind_sundials(SUNLinearSolver solver)
{
    (void)solver;
    return SUNLINEARSOLVER_DIRECT;
}

static int factor_dense_sundials(SUNLinearSolver solver, SUNMatrix J)
{
    dal_sundials *c = solver->content;
    const int n = c->size;
    dal_sundials_look(c);
    for (int j = 0; j < n; j++)
        for (int i = 0; i < n; i++)
            dal_sundials_see(c, i, j, SM_ELEMENT_D(J, i, j));
    if (!dal_sundials_seen(c))
        return SUNLS_LUFACT_FAIL;
    for (int j = 0; j < n; j++)
        for (int i = 0; i < n; i++)
            c->lu[(size_t)i * (size_t)n + (size_t)j] = SM_ELEMENT_D(J, i, j) * c->unit[j] * c->row_scale[i];
    return dal_lu(c->lu, n, n, c->pivot) > 0 ? SUNLS_SUCCESS : SUNLS_LUFACT_FAIL;
}

static int solve_dense_sundials(SUNLinearSolver solver, SUNMatrix J, N_Vector X, N_Vector B, double tolerance)
{
    dal_sundials *c = solver->content;
    double *x = NV_DATA_S(X);
    const double *b = NV_DATA_S(B);
    (void)J, (void)tolerance;
    for (int i = 0; i < c->size; i++)
        x[i] = b[i] * c->row_scale[i];
    dal_lu_solve(c->lu, c->size, c->size, c->pivot, x);
    for (int i = 0; i < c->size; i++)
        x[i] *= c->unit[i];
    return SUNLS_SUCCESS;
}

bool dal_sundials_newton(dal_sundials *c)
{
    c->krylov = c->size > DAL_SUNDIALS_DENSE;
    if (c->krylov) {
        c->linear = c->call.SUNLinSol_SPGMR(c->Y, SUN_PREC_NONE, DAL_SUNDIALS_KRYLOV, c->context);
        return c->linear != NULL;
    }
    c->dense = dal_dense_matrix_create(&c->call, c->context, c->size);
    if (!c->dense || !dal_sundials_scaling(c, true))
        return false;
    c->matrix = dal_dense_matrix_of(c->dense);
    c->linear = c->call.SUNLinSolNewEmpty(c->context);
    if (!c->linear)
        return false;
    c->linear->ops->gettype = solver_kind_sundials;
    c->linear->ops->setup = factor_dense_sundials;
    c->linear->ops->solve = solve_dense_sundials;
    c->linear->content = c;
    return true;
}

void dal_sundials_restart(dal_sundials *c)
{
    const size_t n = (size_t)c->s->ode->n;
    memcpy(NV_DATA_S(c->Y), c->s->y, sizeof *c->s->y * n);
    memset(c->offset, 0, sizeof *c->offset * n);
    c->flow = c->put_back = 0;
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
    return dal_creeps(c->s, flow) ? -1 : flow;
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

/* SUNDIALS takes the mean over all unknowns, step control that over those in control. */
int dal_sundials_weigh(N_Vector Y, N_Vector weights, void *session)
{
    const dal_sundials *c = session;
    const dal_stepper *s = c->s;
    const int n = s->ode->n, controlled = s->ode->n_control;
    const double *data = NV_DATA_S(Y), share = sqrt((double)c->size / (controlled > 0 ? controlled : 1));
    double *w = NV_DATA_S(weights), largest = 0;
    for (int i = n; i < c->size; i++)
        largest = fmax(largest, fabs(data[i]));
    for (int i = 0; i < c->size; i++) {
        double y =
            i < n ? data[i] - c->offset[i] : fabs(data[i]) + largest; /* a multiplier may be zero among large ones */
        w[i] = share / fmax(s->rtol * fabs(y) + dal_absolute(s, i), 1e-100);
        if (i >= controlled && i < n)
            w[i] *= aside;
    }
    return 0;
}

double dal_sundials_increment(const dal_sundials *c, int j, double y)
{
    const double least = least_scale * dal_unit(c->s->ode, j);
    volatile double moved = y - sqrt(DBL_EPSILON) * copysign(fmax(fabs(y), least), y); /* inward: no overflow */
    return moved - y;
}

bool dal_sundials_crumb(dal_sundials *c, double *t_new, bool *done)
{
    dal_stepper *s = c->s;
    const double t_end = s->options->t_end, left = t_end - s->t;
    c->crumb = *done = left <= crumb * fmax(fabs(s->t), fabs(t_end));
    if (!c->crumb)
        return true;
    c->flow = dal_slope(s, s->t, s->y, s->f);
    c->not_finite = s->component;
    s->h_tried = left;
    if (c->flow)
        return dal_sundials_fail(c, false);
    for (int i = 0; i < s->ode->n; i++)
        s->y_new[i] = s->y[i] + left * s->f[i];
    *t_new = c->t_new = t_end;
    return true;
}

void dal_sundials_arrive(dal_sundials *c, double t_new)
{
    const double *data = NV_DATA_S(c->Y);
    for (int i = 0; i < c->s->ode->n; i++)
        c->s->y_new[i] = data[i] - c->offset[i];
    c->t_new = t_new;
    c->gap_known = false;
}

bool dal_sundials_fail(dal_sundials *c, bool no_memory)
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

void dal_sundials_find_gap(dal_sundials *c)
{
    const double *pi = NV_DATA_S(c->look);
    for (int i = 0; i < c->s->ode->n; i++)
        c->gap[i] = c->s->y[i] - (pi[i] - c->offset[i]);
    c->gap_known = true;
}

void dal_sundials_inside(dal_sundials *c, double h, double *y_out)
{
    const dal_stepper *s = c->s;
    const double *pi = NV_DATA_S(c->look), theta = h / (c->t_new - s->t);
    for (int i = 0; i < s->ode->n; i++)
        y_out[i] = c->crumb ? s->y[i] + h * s->f[i] : pi[i] - c->offset[i] + (1 - theta) * c->gap[i];
}

void dal_sundials_accept(dal_stepper *s, double h)
{
    dal_sundials *c = s->self;
    const double *Y = NV_DATA_S(c->Y);
    (void)h;
    for (int i = 0; i < s->ode->n && !c->crumb; i++)
        c->offset[i] = Y[i] - s->y_new[i];
}

#else

#include <stdio.h>

bool dal_sundials_absent(char *why, size_t size)
{
    snprintf(why, size, "this build has no SUNDIALS; Debian's package libsundials-dev brings it");
    return false;
}

bool dal_sundials_unopened(dal_stepper *s)
{
    s->flow = -DAL_BAD_COMMAND;
    return false;
}

#endif
