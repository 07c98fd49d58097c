/* ida: the variable-order, variable-step backward differences of IDA (SUNDIALS) on the implicit form F(t, y, y', z) = 0, orders 1 to 5.
 *
 * A formulation may give F with multipliers z as unknowns (dal_implicit); otherwise F = y' - f(t, y). Newton's matrix is
 *     J = [dF/dy + c dF/dy'   dF/dz],
 * c from the formula of the step: by the formulation's own entries, or by the exact derivatives of f. It is dense for few unknowns, else sparse on the formulation's pattern (math/sparse.h). F = y' - f has no pattern: dense up to
 * DAL_SUNDIALS_DENSE unknowns, GMRES beyond. Multipliers are solved for to the relative tolerance, but do not affect the choice of the step: they
 * follow from y.
 *
 * A start needs y' and z that satisfy F: `begin` of the formulation, or y' = f. Constraints by an offset: sundials.h.
 */
#include "integrate/sundials.h"

#include <math.h>
#include <string.h>

#ifdef DAL_HAVE_SUNDIALS

static const double unknown_contraction = 20, least_contraction = 0.01, too_slow = 0.9;
enum { SMALL = 40 }; /* unknowns up to which a dense matrix is the faster one */

static int first_not_finite_ida(const double *x, int n)
{
    for (int i = 0; i < n; i++)
        if (!isfinite(x[i]))
            return i;
    return -1;
}

/* F(t, Y - c, Y', z) */
static int residual_ida(double t, N_Vector Y, N_Vector Yd, N_Vector F, void *user)
{
    dal_sundials *c = user;
    dal_stepper *s = c->s;
    const dal_implicit *form = s->ode->implicit;
    const double *yd = NV_DATA_S(Yd), *z = NV_DATA_S(Y) + s->ode->n;
    double *f = NV_DATA_S(F);
    dal_flow flow = dal_sundials_state(c, Y);
    if (flow)
        return dal_sundials_answer(c, t, flow);
    if (form) {
        s->evaluations++;
        flow = form->residual(s->ode->user, t, c->at, yd, z, f);
    } else {
        flow = dal_slope(s, t, c->at, c->slope);
        for (int i = 0; i < c->size && !flow; i++)
            f[i] = i < s->ode->n ? yd[i] - c->slope[i] : yd[i];
    }
    if (!flow && (s->component = first_not_finite_ida(f, c->size)) >= 0) {
        s->component = s->component < s->ode->n ? s->component : s->ode->n - 1;
        flow = 1;
    }
    return dal_sundials_answer(c, t, flow);
}

/* c_j 1 - df/dy */
static int exact_jacobian_ida(dal_sundials *c, double t, double cj, N_Vector Y, SUNMatrix J, double *x)
{
    int flow = dal_sundials_linearise(c, t, Y);
    memset(x, 0, sizeof *x * (size_t)c->size);
    for (int j = 0; j < c->size && !flow; j++) {
        double *column = SM_COLUMN_D(J, j);
        memset(column, 0, sizeof *column * (size_t)c->size);
        x[j] = 1;
        if (j < c->s->ode->n)
            flow = dal_sundials_product(c, t, x, column);
        x[j] = 0;
        for (int i = 0; i < c->size; i++)
            column[i] = (i == j ? cj : 0) - column[i];
    }
    return flow;
}

static int linearise_ida(double t, N_Vector Y, N_Vector Yd, N_Vector F, double cj, void *user)
{
    (void)Yd, (void)F, (void)cj;
    return dal_sundials_linearise(user, t, Y);
}

static int product_ida(double t, N_Vector Y, N_Vector Yd, N_Vector F, N_Vector X, N_Vector out, double cj, void *user, N_Vector unused, N_Vector more)
{
    dal_sundials *c = user;
    const double *x = NV_DATA_S(X);
    double *product = NV_DATA_S(out);
    (void)Y, (void)Yd, (void)F, (void)unused, (void)more;
    c->s->products++;
    const int flow = dal_sundials_product(c, t, x, product);
    for (int i = 0; i < c->size; i++)
        product[i] = cj * x[i] - product[i];
    return flow;
}

static int jacobian_ida(double t, double cj, N_Vector Y, N_Vector Yd, N_Vector F, SUNMatrix J, void *user, N_Vector unit, N_Vector unused,
                        N_Vector more)
{
    dal_sundials *c = user;
    const dal_implicit *form = c->s->ode->implicit;
    (void)F, (void)unused, (void)more;
    c->contraction = unknown_contraction;
    c->s->matrices++;
    if (!form)
        return exact_jacobian_ida(c, t, cj, Y, J, NV_DATA_S(unit));
    dal_flow flow = dal_sundials_state(c, Y);
    if (!flow)
        flow = form->jacobian(c->s->ode->user, t, cj, c->at, NV_DATA_S(Yd), NV_DATA_S(Y) + c->s->ode->n, c->entries);
    for (int j = 0; j < c->size && !flow && !c->sparse; j++)
        for (int k = form->start[j]; k < form->start[j + 1]; k++)
            SM_ELEMENT_D(J, form->row[k], j) = c->entries[k];
    return dal_sundials_answer(c, t, flow);
}

/* ---- a sparse matrix for SUNDIALS: its entries and factors are the session's ---- */

static SUNMatrix_ID matrix_kind(SUNMatrix J)
{
    (void)J;
    return SUNMATRIX_CUSTOM;
}

static int matrix_zero(SUNMatrix J)
{
    (void)J; /* `jacobian` writes every entry */
    return 0;
}

static int factor_sparse(SUNLinearSolver solver, SUNMatrix J)
{
    dal_sundials *c = solver->content;
    const dal_implicit *form = c->s->ode->implicit;
    (void)J;
    dal_sundials_scale_begin(c);
    for (int j = 0; j < c->size; j++)
        for (int k = form->start[j]; k < form->start[j + 1]; k++)
            dal_sundials_scale_entry(c, form->row[k], j, c->entries[k]);
    if (!dal_sundials_scale_end(c))
        return SUNLS_LUFACT_FAIL;
    for (int j = 0; j < c->size; j++)
        for (int k = form->start[j]; k < form->start[j + 1]; k++)
            c->entries[k] *= c->unit[j] * c->row_scale[form->row[k]]; /* `jacobian` writes them again */
    return dal_sparse_factor(c->sparse, c->entries, false) > 0 ? SUNLS_SUCCESS : SUNLS_LUFACT_FAIL;
}

static void solve_sparse(dal_sundials *c, double *x)
{
    dal_sparse_solve(c->sparse, x);
}

static bool use_sparse(dal_sundials *c)
{
    const dal_implicit *form = c->s->ode->implicit;
    const dal_allocator allocator = dal_default_allocator();
    c->sparse = dal_sparse_create(&allocator, c->size, form->start, form->row);
    c->matrix = c->sparse ? c->call.SUNMatNewEmpty(c->context) : NULL;
    if (!c->matrix || !dal_sundials_direct_solver(c, factor_sparse, solve_sparse) || !dal_sundials_scaling(c, false))
        return false;
    c->matrix->ops->getid = matrix_kind;
    c->matrix->ops->zero = matrix_zero;
    return true;
}

/* ---- where Newton's iteration ends, with multipliers ----
 *
 * As in IDA: the error that is left, r / (1 - r) times the last change, is to be below the tolerance, with r the rate at which the changes
 * shrink, kept from step to step until there is a new matrix. But r is not taken for smaller than it will be: beside a fresh and exact
 * matrix the second change is rounding, r about 1e-13, and from then on IDA's own test would take every first change of any size for the
 * last one. Multipliers are not in the test of the step's error; what is left open in them would grow with every extrapolation. */
static int converged_ida(SUNNonlinearSolver newton, N_Vector Y, N_Vector change, double tolerance, N_Vector weights, void *session)
{
    dal_sundials *c = session;
    const double *d = NV_DATA_S(change), *w = NV_DATA_S(weights);
    double norm = 0;
    int m = 0;
    (void)Y;
    for (int i = 0; i < c->size; i++)
        norm += d[i] * w[i] * (d[i] * w[i]);
    norm = sqrt(norm / c->size);
    c->call.SUNNonlinSolGetCurIter(newton, &m);
    if (m == 0) {
        c->first_change = norm;
        if (norm <= 1e-8 * tolerance)
            return SUN_NLS_SUCCESS;
    } else {
        const double rate = c->first_change > 0 ? pow(norm / c->first_change, 1.0 / m) : 0;
        if (!(rate <= too_slow))
            return SUN_NLS_CONV_RECVR;
        c->contraction = fmax(least_contraction, rate / (1 - rate));
    }
    return c->contraction * norm <= tolerance ? SUN_NLS_SUCCESS : SUN_NLS_CONTINUE;
}

static bool use_newton(dal_sundials *c)
{
    c->contraction = unknown_contraction;
    c->nonlinear = c->call.SUNNonlinSol_Newton(c->Y, c->context);
    return c->nonlinear && !c->call.SetNonlinearSolver(c->memory, c->nonlinear) && !c->call.SUNNonlinSolSetConvTestFn(c->nonlinear, converged_ida, c);
}

/* ---- the session ---- */

static bool suppress_algebraic(dal_sundials *c)
{
    double *id = NV_DATA_S(c->id);
    for (int i = 0; i < c->size; i++)
        id[i] = i < c->s->ode->n;
    return c->size <= c->s->ode->n || c->s->ode->n == 0 || !(c->call.IDASetId(c->memory, c->id) || c->call.IDASetSuppressAlg(c->memory, SUNTRUE));
}

static bool set_up_ida(dal_sundials *c)
{
    const dal_sundials_library *call = &c->call;
    const dal_stepper *s = c->s;
    c->memory = call->IDACreate(c->context);
    if (!c->memory || !dal_sundials_silence(c) || call->IDAInit(c->memory, residual_ida, s->t, c->Y, c->Yd) || !dal_sundials_configure(c) ||
        !suppress_algebraic(c))
        return false;
    if (!(s->ode->implicit && c->size > SMALL ? use_sparse(c) : dal_sundials_newton(c)))
        return false;
    if (s->ode->implicit && !use_newton(c))
        return false;
    if (call->SetLinearSolver(c->memory, c->linear, c->matrix) || (c->matrix && call->IDASetJacFn(c->memory, jacobian_ida)))
        return false;
    return c->matrix || !call->IDASetJacTimes(c->memory, linearise_ida, product_ida);
}

/* y' and z of the new start. */
static dal_flow start_slopes(dal_sundials *c)
{
    dal_stepper *s = c->s;
    const dal_implicit *form = s->ode->implicit;
    double *yd = NV_DATA_S(c->Yd), *z = NV_DATA_S(c->Y) + s->ode->n;
    if (!form)
        return dal_slope(s, s->t, s->y, yd);
    s->evaluations++;
    s->component = -1;
    memset(yd, 0, sizeof *yd * (size_t)c->size);
    dal_flow flow = form->begin(s->ode->user, s->t, s->y, yd, z);
    if (flow)
        return flow;
    s->component = first_not_finite_ida(yd, s->ode->n);
    return s->component >= 0;
}

static bool begin_ida(dal_sundials *c)
{
    c->contraction = unknown_contraction;
    c->flow = start_slopes(c);
    c->not_finite = c->s->component;
    return !c->flow && !c->call.IDAReInit(c->memory, c->s->t, c->Y, c->Yd);
}

static int step_ida(dal_sundials *c, double *t_new)
{
    return c->call.IDASolve(c->memory, c->s->t_stop, t_new, c->Y, c->Yd, IDA_ONE_STEP);
}

static const dal_sundials_package ida = {dal_ida_load, set_up_ida, begin_ida, step_ida, IDA_MEM_FAIL};

static bool available_ida(char *why, size_t size)
{
    return dal_sundials_available(&ida, why, size);
}

static bool open_ida(dal_stepper *s)
{
    return dal_sundials_open(s, &ida, s->ode->n + (s->ode->implicit ? s->ode->implicit->n_algebraic : 0));
}

#endif

const dal_integrator dal_ida = {
    .name = "ida",
    .newton = true,
    .implicit = true,
    .title = "backward differences of orders 1 to 5 on the implicit equations, adaptive, for stiff motions (SUNDIALS)",
    .order = 5,
    DAL_STABLE_TO(HUGE_VAL, HUGE_VAL),
    DAL_SUNDIALS_ENTRIES(available_ida, open_ida),
};
