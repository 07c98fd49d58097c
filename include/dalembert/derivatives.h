/* Exact derivatives of a model's equations of motion, for every model: any family of coordinates, formulation, loops, redundant and nonholonomic
 * constraints, drives, springs, states and inputs of the model.
 *
 *     M(q) v' + h(q, v) = Q(t, q, v, z, u) + tau + A^T lambda,      A v' = gamma
 *
 * Forward dynamics gives v' and lambda from (t, q, v, z, u) and tau, which is zero in a run; inverse dynamics gives tau from the motion and the
 * multipliers. z are the states of the model (`states:`), u its `inputs:`. The state is taken where it is: at its time, its y and its inputs. Each
 * call evaluates it there, as dal_state_evaluate does.
 *
 * "By q_j" is the derivative along velocity j: of q moved with q' = N v by a unit of v_j, as in dalembert/tree.h. Where every velocity is the rate of
 * a coordinate that is the derivative by the coordinate; of a quaternion it is a turn about the body's own axis. So all matrices have nv columns.
 * dal_derivatives_describe has the sizes, dal_rate_label (evaluation.h) the names of the velocities.
 *
 * Every entry is differentiated by itself, while all other numbers of (t, q, v, z, u, tau) stay as they are: also along directions in which the
 * constraints do not hold any more. There v' is what the equations above give, with what the stabilization `baumgarte` or `penalty` adds to gamma, and
 * the independent ones of redundant rows count. Along directions that the constraints allow, the derivatives are those of the motion, the same in all
 * formulations.
 *
 * No differences are taken: the kernels are run on complex numbers, and the factors of the formulation solve for the rest
 * (doc/derivatives.md has the equations). A joint tree on which nothing but weight acts is differentiated by recursion.
 *
 * At a corner of a force or rate (a stop that begins to touch, abs(0), a knot of a table) derivatives are those of one side, and a warning names it.
 * Refused with a sentence, DAL_BAD_MODEL: dry friction, `undetermined: minimum-norm`. DAL_NUMERICAL: the state cannot be evaluated. DAL_BAD_COMMAND:
 * an argument cannot be used, or the state belongs to a run. `messages` may be NULL. The first call on a state allocates (DAL_NO_MEMORY); later ones do not,
 * except dal_parameter_derivatives.
 */
#ifndef DALEMBERT_DERIVATIVES_H
#define DALEMBERT_DERIVATIVES_H

#include "dalembert/system.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct dal_derivative_sizes {
    int velocities; /* nv */
    int rows;       /* multipliers */
    int states;     /* z, of `states:` */
    int inputs;     /* u, of `inputs:` */
} dal_derivative_sizes;
/* Of NULL: zeros. */
DAL_API dal_derivative_sizes dal_derivatives_describe(const dal_system *system);

/* Where the results go; NULL: not wanted. Matrices are row-major: row i, column j has d(number i)/d(number j). */
typedef struct dal_derivatives {
    double *v, *vd, *lambda;       /* the point itself: nv, nv, rows */
    double *dq, *dv, *dtau;        /* of v': nv x nv */
    double *dz, *du, *dt;          /* of v': nv x states, nv x inputs, nv */
    double *lambda_dq, *lambda_dv; /* of lambda: rows x nv */
    double *zd_dq, *zd_dv, *zd_dz; /* of the rates z': states x nv, states x nv, states x states */
} dal_derivatives;

/* Of forward dynamics: v'(t, q, v, z, u, tau) at tau = 0. */
DAL_API dal_status dal_forward_derivatives(dal_state *state, const dal_derivatives *out, dal_messages *messages);

/* Of inverse dynamics: tau = M v' + h - Q - A^T lambda at the state's (t, q, v, z, u) and at the given accelerations (nv) and multipliers (rows).
 * NULL: those of the state, where tau = 0. tau: nv; the matrices: nv x nv; dtau_dvd is M, and dtau_dlambda (nv x rows) -A^T. */
typedef struct dal_inverse_result {
    double *tau, *dq, *dv, *dvd, *dlambda;
} dal_inverse_result;
DAL_API dal_status dal_inverse_derivatives(dal_state *state, const double *vd, const double *lambda, const dal_inverse_result *out,
                                           dal_messages *messages);

/* By a parameter of the model (`parameters:`, "L" or "left.L" of an included one), or an input, by name. Parameters that follow from it change with it.
 *
 *   dvd, dlambda, dzd  how v', lambda and z' change while t, the numbers of q and v, z and the inputs stay as they are. Where the parameter moves a
 *                      constraint, (q, v) does not meet it any more:
 *   phi, phid          the change of the residuals of the rows, phi(q, t) and phi' = A v - beta, at the same q and v. What keeps to the constraints
 *                      moves with A dq = -phi.
 *   start_dq, start_dv, start_dz   how the start of the model changes: its start values are assembled again for the changed parameter, by the rules that
 *                      the model gives (`fix: true`, start values that are expressions). Along velocities, as everywhere here.
 *
 * So a motion x(t) = (q, v) that begins at the start follows, along the parameter,
 *     d/dt dq = dv (+ what N does),   d/dt dv = (dvd/dq) dq + (dvd/dv) dv + dvd/dp,      dq(0) = start_dq, dv(0) = start_dv
 *
 * `exact`: no differences are taken. The equations in symbols (dalembert/derive.h) have the parameter as a letter, and a complex step along it is
 * solved through the factors of the formulation, as everywhere here. That the symbols follow the parameter as compile does is proven before: with two
 * other values they give every number of the equations of the models that are compiled for these. Where a model is not written in symbols, or the proof
 * fails (a table, a shape whose numbers follow from the parameter), the derivatives are extrapolated from differences of the compiled equations (Romberg),
 * not from differences of v'.
 * `start_exact`: the rows, in symbols, and those start values that are constant or linear in the parameter determine the start, so that its derivatives are
 * those of implicit functions. Three models prove what is linear. Otherwise they are extrapolated from starts that are assembled for other values.
 * `error` and `start_error` are the bounds that are left, relative to the largest change;
 * start_error is NAN where no start_... was asked for. Extrapolation leaves rounding, about 1e-13, for parameters
 * that enter by polynomials. DAL_NUMERICAL with a sentence where it exceeds 1e-8: there is a corner, or the model is refused beside the value. A parameter that
 * changes the structure, how many elements or which, is DAL_BAD_MODEL with its name; a name that is neither a parameter nor an input DAL_BAD_COMMAND. */
typedef struct dal_parameter_result {
    double *dvd, *dlambda, *dzd;            /* nv, rows, states */
    double *phi, *phid;                     /* rows */
    double *start_dq, *start_dv, *start_dz; /* nv, nv, states */
    double error, start_error;
    bool exact, start_exact;
} dal_parameter_result;
DAL_API dal_status dal_parameter_derivatives(dal_state *state, const char *name, dal_parameter_result *out, dal_messages *messages);

#ifdef __cplusplus
}
#endif

#endif
