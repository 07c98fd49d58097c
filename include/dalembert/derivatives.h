/* Exact derivatives of a model's equations of motion, for every model: any family of coordinates, formulation, loops, redundant and nonholonomic
 * constraints, drives, springs, states and inputs of the model.
 *
 *     M(q) v' + h(q, v) = Q(t, q, v, z, u) + tau + A^T lambda,      A v' = gamma
 *
 * Forward dynamics computes v' and lambda from (t, q, v, z, u) and tau, which is zero in a run; inverse dynamics computes tau from the motion and
 * the multipliers. z are the states of the model (`states:`), u its `inputs:`. Each call evaluates the state at its present time, y and inputs, as
 * dal_state_evaluate does.
 *
 * "By q_j" means the derivative along velocity j: q moves with q' = N v by a unit of v_j, as in dalembert/tree.h. If every velocity is the rate of a
 * coordinate, this is the derivative by the coordinate; for a quaternion it is a turn about an axis of the body. So all matrices have nv columns.
 * dal_derivatives_describe has the sizes, dal_rate_label (evaluation.h) the names of the velocities.
 *
 * Every entry is differentiated by itself, while all other numbers of (t, q, v, z, u, tau) stay as they are: also along directions in which the
 * constraints do not hold any more. There v' is the solution of the equations above, where gamma includes the terms of the stabilization `baumgarte`
 * or `penalty`, and only the independent ones of redundant rows count. Along directions that the constraints allow, the derivatives are those of the
 * motion, the same in all formulations.
 *
 * No finite differences are used: the kernels run on complex numbers, and the factors of the formulation solve for the rest (doc/derivatives.md has
 * the equations). A joint tree with gravity as its only force is differentiated by recursion.
 *
 * At a corner of a force or rate (a stop that begins to touch, abs(0), a knot of a table) derivatives are those of one side, and a warning names it.
 * Dry friction: derivatives are those of the present mode of every surface, and a warning names a joint whose surfaces are at rest.
 * DAL_BAD_MODEL with a message: dry friction and `undetermined: minimum-norm` in inverse dynamics and by parameters. DAL_NUMERICAL: the state cannot
 * be evaluated. DAL_BAD_COMMAND: an argument cannot be used, or the state belongs to a run. `messages` may be NULL. The first call on a state
 * allocates (DAL_NO_MEMORY); later ones do not, except dal_parameter_derivatives.
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

/* Arrays for the results; NULL: not computed. Matrices are row-major: row i, column j has d(number i)/d(number j). */
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

/* Derivatives by a parameter of the model (`parameters:`, "L", or "left.L" of an included model) or by an input; `name` is its name. Parameters that
 * depend on it change with it.
 *
 *   dvd, dlambda, dzd  the change of v', lambda and z' while t, the numbers of q and v, z and the inputs are constant. If the parameter moves a
 *                      constraint, (q, v) does not meet it any more:
 *   phi, phid          the change of the residuals of the rows, phi(q, t) and phi' = A v - beta, at the same q and v. A motion that stays on the
 *                      constraints has A dq = -phi.
 *   start_dq, start_dv, start_dz   the change of the start of the model: its start values are assembled again for the changed parameter, by the
 *                      rules of the model (`fix: true`, start values that are expressions). Along velocities, as everywhere here.
 *
 * So a motion x(t) = (q, v) that begins at the start follows, along the parameter,
 *     d/dt dq = dv (+ terms of N),   d/dt dv = (dvd/dq) dq + (dvd/dv) dv + dvd/dp,      dq(0) = start_dq, dv(0) = start_dv
 *
 * `exact`: no finite differences are used. The parameter is a symbol in the equations in symbols (dalembert/derive.h), and a complex step along it
 * is solved through the factors of the formulation, as everywhere here. A test comes first: at two other values of the parameter, the symbols have
 * to reproduce every number of the equations of models that are compiled for these values. If a model is not available in symbols, or the test fails
 * (a table, a shape whose numbers depend on the parameter), the derivatives are extrapolated from differences of the compiled equations (Romberg),
 * not from differences of v'.
 *
 * `start_exact`: the derivatives of the start are those of implicit functions. Its equations are the rows, in symbols, with those start values that are
 * constant or linear in the parameter, or with the rules of assembly: the nearest place to what is given, the nearest velocities, the least energy.
 * Three compiled models show which of these hold: one at the parameter and two at other values. These are on both sides where start
 * values count as linear, if there is a model on both. Where they leave a direction free (omitted values that nothing determines), or the start moves to a corner, the derivatives are extrapolated
 * from starts that are assembled for other values.
 *
 * Both tests use values of the size of the parameter. If it is below 1/16 and nothing is seen to change between these, they use values that are far off.
 *
 * `error` and `start_error` are bounds of the remaining errors, relative to the largest change, or, where that is larger, to what changes over the
 * parameter, or over 1 if it is zero; start_error is NAN if no start_... is requested. If
 * the equations are polynomials in the parameter, only rounding remains after the extrapolation, about 1e-13. DAL_NUMERICAL with a message: the
 * error exceeds 1e-8, because there is a corner, or because the model is refused at values nearby. DAL_BAD_MODEL with the name of the parameter: it
 * changes the structure (how many elements, or which). DAL_BAD_COMMAND: the name is neither a parameter nor an input. */
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
