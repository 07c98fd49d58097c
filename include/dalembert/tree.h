/* Recursive dynamics of a joint tree: one call, one quantity, work that grows with the number of bodies.
 *
 * For systems compiled with `coordinates: joint`. A call takes q and v from the caller, in the order of the system's coordinates
 * (dal_tree_coordinate and dal_tree_velocity say which is which), and uses the state as its work space only: the results of dal_state_evaluate are
 * not changed. Nothing allocates, nothing prints; any number of threads may work on one system, each with a state of its own.
 *
 * The forces of these calls are gravity, `tau` (dual to v) and external wrenches. Only dal_state_evaluate includes springs, dampers, motors and
 * friction of the model, and joints that close loops.
 *
 *   M(q) v' + h(q, v) = tau + sum of J_b^T wrench_b,     h(q, v) = C(q, v) v + g(q)
 *
 * The coordinate of a joint is the number of its channel, `zero:` of the model included: "shoulder.angle" is the same number here, in y, in state
 * files and in records. A ball joint has four numbers in q (a unit quaternion) and three in v (angular velocity against the parent, body axes). A free
 * body has its place (world axes), then the quaternion; its velocities are that of its origin in world axes and the angular velocity
 * in body axes. v' is the plain time derivative of v.
 *
 * All return DAL_OK, or: DAL_BAD_MODEL, the system has no tree; DAL_NUMERICAL, the inertia does not determine an acceleration, or a given number is
 * not finite; DAL_BAD_COMMAND, there is no such body, or a pointer is NULL that must not be. Arrays of q have as many numbers as
 * dal_system_info.coordinates_count says, those of v, vd and tau `velocities`, those of wrenches `bodies`. If accelerations overflow, the status is
 * DAL_NUMERICAL; forces and matrices that overflow contain inf or NAN.
 */
#ifndef DALEMBERT_TREE_H
#define DALEMBERT_TREE_H

#include "dalembert/system.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Has this system a tree? */
DAL_API bool dal_system_has_tree(const dal_system *system);
/* The name of coordinate k of q, or of velocity k of v: "shoulder.angle", "base.qw". False: there is no such number, or the name does not fit into
 * the buffer with its final zero. */
DAL_API bool dal_tree_coordinate(const dal_system *system, int k, char *buffer, size_t size);
DAL_API bool dal_tree_velocity(const dal_system *system, int k, char *buffer, size_t size);

/* A force and a moment on a body at the origin of its frame, world axes. */
typedef struct dal_wrench {
    double force[3], torque[3];
} dal_wrench;

/* v' = M^-1 (tau - h + wrenches), by articulated bodies. tau or wrenches (one a body) may be NULL: zero. */
DAL_API dal_status dal_forward_dynamics(dal_state *state, const double *q, const double *v, const double *tau, const dal_wrench *wrenches,
                                        double *vd);
/* tau = M v' + h - wrenches, by Newton and Euler. v, vd, wrenches may be NULL: zero. */
DAL_API dal_status dal_inverse_dynamics(dal_state *state, const double *q, const double *v, const double *vd, const dal_wrench *wrenches,
                                        double *tau);
/* h(q, v), and its part g(q) = h(q, 0). v may be NULL: zero. */
DAL_API dal_status dal_bias_forces(dal_state *state, const double *q, const double *v, double *h);
DAL_API dal_status dal_gravity_forces(dal_state *state, const double *q, double *g);

/* The lower triangle of M (row-major, nv x nv, the diagonal with it), by composite bodies; the upper one is not touched. */
DAL_API dal_status dal_mass_matrix(dal_state *state, const double *q, double *M);
/* M = L^T D L in place, on the lower triangle as dal_mass_matrix wrote it: L has ones on its diagonal, and an entry only where both velocities
 * move the same body; D is stored on the diagonal. Branches of a tree cause no fill. */
DAL_API dal_status dal_mass_factor(const dal_system *system, double *M);
/* x := M^-1 x with that factor. DAL_NUMERICAL: x is not finite afterwards. */
DAL_API dal_status dal_mass_solve(const dal_system *system, const double *factor, double *x);
/* C(q, v) with C v + g = h and M' - 2 C skew-symmetric (`lagrange-to-kane` (40)); row-major, nv x nv, all entries written. Bodies that are joined
 * rigidly count as one. `eval` sums over them one by one: its C may differ by a skew-symmetric matrix whose product with v is zero. */
DAL_API dal_status dal_coriolis_matrix(dal_state *state, const double *q, const double *v, double *C);

/* M^-1, all of it (row-major, nv x nv), by articulated bodies. */
DAL_API dal_status dal_mass_inverse(dal_state *state, const double *q, double *inverse);

/* Exact derivatives; row-major, nv x nv, all entries written: row i, column j has d(number i)/d(q or v, j). "By q_j" means the derivative along
 * velocity j: q moves with q' = N v by a unit of v_j. For a joint with one coordinate this is the derivative by its coordinate; for a ball, a turn
 * about the body's own axis j; for a free body, shifts along the world's axes and turns about its own. v, vd, tau and wrenches (fixed in the world's
 * axes, carried along with their bodies) stay the same. The first of these calls on a state (with dal_mass_inverse) allocates work space:
 * DAL_NO_MEMORY where that fails.
 *
 * Of inverse dynamics: d tau/dq, d tau/dv at (q, v, vd); d tau/dvd is the mass matrix. v, vd, wrenches may be NULL: zero. */
DAL_API dal_status dal_tree_inverse_derivatives(dal_state *state, const double *q, const double *v, const double *vd, const dal_wrench *wrenches,
                                                double *dtau_dq, double *dtau_dv);
/* Of forward dynamics: v' itself, dv'/dq, dv'/dv; dv'/dtau is dal_mass_inverse. tau or wrenches may be NULL: zero. */
DAL_API dal_status dal_tree_forward_derivatives(dal_state *state, const double *q, const double *v, const double *tau, const dal_wrench *wrenches,
                                                double *vd, double *dvd_dq, double *dvd_dv);

/* The motion of the point `point` (body axes) of a body, in world axes. rotation: row-major, body to world. v, vd may be NULL. */
DAL_API dal_status dal_frame_motion(dal_state *state, const double *q, const double *v, const double *vd, int body, const double point[3],
                                    dal_motion *motion);
/* Its Jacobian: 6 x nv, row-major: three rows for the velocity of the point, three for the angular velocity, world axes. */
DAL_API dal_status dal_frame_jacobian(dal_state *state, const double *q, int body, const double point[3], double *J);
/* Its time derivative along v. */
DAL_API dal_status dal_frame_jacobian_rate(dal_state *state, const double *q, const double *v, int body, const double point[3], double *Jd);

/* The mass, centre, velocity of the centre and momenta (angular about the centre) of all bodies, those fixed to the ground included; and the matrix
 * with A_G v = (linear, angular): 6 x nv, row-major; A_G may be NULL; so may v: zero. */
typedef struct dal_centroid {
    double mass, center[3], velocity[3], linear[3], angular[3];
} dal_centroid;
DAL_API dal_status dal_centroidal_momentum(dal_state *state, const double *q, const double *v, dal_centroid *centroid, double *A_G);

/* The force and moment that each body receives from the joint to its parent (reaction and tau together), at the body's origin, in world axes, in the
 * motion (q, v, vd); one per body. v, vd and wrenches may be NULL: zero. This includes bodies that are joined rigidly to their parents. */
DAL_API dal_status dal_joint_wrenches(dal_state *state, const double *q, const double *v, const double *vd, const dal_wrench *wrenches,
                                      dal_wrench *carried);

#ifdef __cplusplus
}
#endif

#endif
