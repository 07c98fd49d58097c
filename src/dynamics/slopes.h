/* Derivatives of the accelerations and of y', exact, through the factors of the formulation (slopes.c).
 *
 * A formulation solves
 *     M v' + h = Q + A^T lambda,   A v' = gamma_s,      gamma_s = gamma - a phi' - b phi   (a, b: zero, or those of the stabilisation)
 * Along a change of (t, q, v, z, inputs), with D the derivative at given v' and lambda (variation/variation.h),
 *     M dv' - A^T dlambda = -D r,   A dv' = -(D phi'' + a D phi' + b D phi),      r = M v' + h - Q - A^T lambda
 * so D r contains sum lambda_i d2phi_i: the change of A^T at given multipliers. `correct` of the formulation solves the left side with its present
 * factors; without a `correct`, or where the stabilisation solves, the saddle matrix does, and near a singular position the null space of A.
 *
 * Forces of dry friction follow from v' and lambda: friction_slopes.h. Where v' is not unique, the derivative is that of the one that is taken (slopes.c).
 *
 * y' along a change (dq, dw, dz) of y. Where the integrator sees speeds, v follows from them:
 *     S dv = [dw - D u; -D p; -(D phi' + a D phi)]      u the model's own speeds, p momenta of ignorable coordinates, D at given v
 *     dw' = dv' at the columns that are speeds, or D u' + Y dv'
 */
#ifndef DAL_DYNAMICS_SLOPES_H
#define DAL_DYNAMICS_SLOPES_H

#include "state/evaluate.h"
#include "variation/variation.h"

typedef struct dal_slopes dal_slopes;

/* Memory, once a state. False: there is none. */
bool dal_slopes_open(dal_state *state);
/* Of an evaluated state: the factors. Called again after each evaluation. The first call opens. Not 0: a sentence in the report
 * that names what has no derivative; < 0: no memory. */
dal_flow dal_slopes_ready(dal_state *state);
/* Memory for callers: a direction of zeros, which must stay zero, of the length of the longest of v, z and the inputs; results. After open. */
typedef struct dal_derivative_room {
    double *unit, *vd, *lambda, *zd;
} dal_derivative_room;
dal_derivative_room dal_slopes_room(const dal_state *state);
/* M x - A^T mu = f, A x = b through the factors; f (nv) and b (rows) may be overwritten. */
dal_flow dal_slopes_solve(dal_state *state, double *f, double *b, double *x, double *mu);
/* A tree with no load but weight, and without rows to solve for: the recursions are sufficient. */
bool dal_weight_on_tree(const dal_system *system);
/* How v' (nv) and lambda (rows; may be NULL) change. `more`: further results of variation.h in the same direction; NULL: none. */
dal_flow dal_slopes_along(dal_state *state, const dal_variation_direction *along, const dal_variation_result *more, double *vd, double *lambda);
/* The same for generalized forces tau (nv), dual to v. */
dal_flow dal_slopes_by_force(dal_state *state, const double *tau, double *vd, double *lambda);
/* r itself: D r along a direction, at these v' and lambda (NULL: those of the state). */
dal_flow dal_slopes_of_motion(dal_state *state, const dal_variation_direction *along, const double *vd, const double *lambda, double *motion);
/* Applied forces, 6 a body (force, moment about r), and rates of the model's states. Needs dal_slopes_open alone. */
dal_flow dal_slopes_of_forces(dal_state *state, const dal_variation_direction *along, double *force, double *states);
/* phi' of the rows. Needs dal_slopes_open alone. */
dal_flow dal_slopes_of_rows(dal_state *state, const dal_variation_direction *along, double *phid);
/* Rates of the model's states as the last evaluation left them. */
void dal_slopes_rates_of_states(const dal_state *state, double *out);
/* a and b of gamma_s. */
void dal_slopes_stabilisation(const dal_system *system, double *a, double *b);
/* out = (dy'/dy) x: n_y numbers each. */
dal_flow dal_slopes_rates(dal_state *state, const double *x, double *out);
/* The text of the n-th force or rate of the model that is exactly at a corner here, where derivatives are those of one side; NULL: there are fewer. */
const char *dal_slopes_corner(dal_state *state, int n);
/* How the forces of dry friction change along the last direction, by components; NULL: there is no friction. */
const double *dal_slopes_of_friction(const dal_state *state);
/* The name of a joint with dry friction whose surfaces are at rest, so that derivatives are those of one side; NULL: there is none. */
const char *dal_slopes_at_rest(const dal_state *state);
/* Has the model no derivatives at all? Then a sentence. */
bool dal_slopes_refuse(const dal_system *system, dal_refusal *why);
/* Has it none of the equations at given v' and lambda? */
bool dal_slopes_refuse_held(const dal_system *system, dal_refusal *why);

/* Frees the memory of dal_slopes_open. */
void dal_slopes_close(dal_state *state, dal_slopes *slopes);

#endif
