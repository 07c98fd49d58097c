/* Newton's matrix of CVODE and IDA, in units.
 *
 * J x = b is solved as (R J U) (U^-1 x) = R b, U the units of the unknowns, R such that each row has a largest entry of 1. Entries of multipliers,
 * whose units differ, do not affect R of a row that has entries of y. */
#ifdef DAL_HAVE_SUNDIALS

#include "integrate/sundials.h"
#include "math/dense.h"

#include <math.h>

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

void dal_sundials_scale_begin(dal_sundials *c)
{
    for (int i = 0; i < c->size; i++) {
        c->row_scale[i] = 0;
        c->unit[i] = c->s->ode->n ? dal_unit(c->s->ode, i) : 1;
    }
}

void dal_sundials_scale_entry(dal_sundials *c, int row, int column, double entry)
{
    if (column < c->s->ode->n || c->s->ode->n == 0)
        c->row_scale[row] = fmax(c->row_scale[row], fabs(entry) * c->unit[column]);
}

bool dal_sundials_scale_end(dal_sundials *c)
{
    bool fine = true;
    for (int i = 0; i < c->size; i++) {
        fine = fine && isfinite(c->row_scale[i]);
        c->row_scale[i] = c->row_scale[i] > 0 ? 1 / c->row_scale[i] : 1;
    }
    return fine;
}

static SUNLinearSolver_Type solver_kind(SUNLinearSolver solver)
{
    (void)solver;
    return SUNLINEARSOLVER_DIRECT;
}

static int factor_dense(SUNLinearSolver solver, SUNMatrix J)
{
    dal_sundials *c = solver->content;
    const int n = c->size;
    dal_sundials_scale_begin(c);
    for (int j = 0; j < n; j++)
        for (int i = 0; i < n; i++)
            dal_sundials_scale_entry(c, i, j, SM_ELEMENT_D(J, i, j));
    if (!dal_sundials_scale_end(c))
        return SUNLS_LUFACT_FAIL;
    for (int j = 0; j < n; j++)
        for (int i = 0; i < n; i++)
            c->lu[(size_t)i * (size_t)n + (size_t)j] = SM_ELEMENT_D(J, i, j) * c->unit[j] * c->row_scale[i];
    return dal_lu(c->lu, n, n, c->pivot) > 0 ? SUNLS_SUCCESS : SUNLS_LUFACT_FAIL;
}

static void solve_dense(dal_sundials *c, double *x)
{
    dal_lu_solve(c->lu, c->size, c->size, c->pivot, x);
}

static int solve_in_units(SUNLinearSolver solver, SUNMatrix J, N_Vector X, N_Vector B, double tolerance)
{
    dal_sundials *c = solver->content;
    double *x = NV_DATA_S(X);
    const double *b = NV_DATA_S(B);
    (void)J, (void)tolerance;
    for (int i = 0; i < c->size; i++)
        x[i] = b[i] * c->row_scale[i];
    c->solve_scaled(c, x);
    for (int i = 0; i < c->size; i++)
        x[i] *= c->unit[i];
    return SUNLS_SUCCESS;
}

bool dal_sundials_direct_solver(dal_sundials *c, int (*factor)(SUNLinearSolver, SUNMatrix), void (*solve)(dal_sundials *c, double *x))
{
    c->linear = c->call.SUNLinSolNewEmpty(c->context);
    if (!c->linear)
        return false;
    c->linear->ops->gettype = solver_kind;
    c->linear->ops->setup = factor;
    c->linear->ops->solve = solve_in_units;
    c->linear->content = c;
    c->solve_scaled = solve;
    return true;
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
    return dal_sundials_direct_solver(c, factor_dense, solve_dense);
}

#else

typedef int dal_sundials_newton_was_left_out; /* a translation unit must not be empty */

#endif
