/* How the forces of dry friction change, in the present modes of the surfaces (friction_slopes.c).
 *
 * At given forces e of friction, v' and lambda change by dv'_0, dlambda_0 (slopes.h). e follows its law, which is differentiated with all that it depends
 * on. With the response to unit forces, M B_k - A^T L_k = S_k^T, A B_k = 0, of v' and lambda,
 *     dv' = dv'_0 + B de,   dlambda = dlambda_0 + L de,   ds' = ds'_0 + G de,   dX_i = dX_i0 + sum X_ik de_k
 * where X_i presses the surfaces together, N_i = |X_i|. Then, with tau = K(|s|) + mu(|s|) N,
 *     slipping   de = -c ds - (K' + mu' N) n d|s| - mu n dN - tau dn - n dK      dK: of a limit that is an expression, at given |s|
 *                dn = 0 where n is held (one component), (ds - n n.ds) / |s| where it is that of the motion, and while a surface starts
 *                (1 - n n^T) (ds + h ds') / |s + h s'|; of the smooth law, the derivative of tanh(|s| / v_r) s / |s|
 *     sticking   ds' = 0
 *     pressing   dN = X.dX / N
 * are linear in (de, dN): n + m equations for n components of m elements.
 *
 * Which surfaces stick, and the signs of n, do not change along a step: there the derivative is that of one side.
 *
 * Sticking surfaces that hold each other: G_ss is singular, and e_s = G_ss w the least of the forces that hold. G_ss de_s = .. leaves its part in the
 * null space of G_ss open, with Pi the projector there
 *     Pi de_s = Pi (D G_ss) w,     (D G_ss) w = D s' of the response to the forces w, at given w
 *
 * Redundant rows: X is that of the multipliers lambda + Z y, A^T Z = 0, for which sum W^2 w^2 of the joints' wrenches w is least (reactions.c), W weights.
 * With C_c the wrenches of Z_c,
 *     C^T W^2 w = 0,     C^T W^2 C deta = -C^T W^2 dw - (D C)^T W^2 w
 * and the wrenches change by dw + C deta. D C_c is taken along Z_c + dZ_c with A^T dZ_c = -(D A^T) Z_c.
 */
#ifndef DAL_DYNAMICS_FRICTION_SLOPES_H
#define DAL_DYNAMICS_FRICTION_SLOPES_H

#include "state/evaluate.h"
#include "variation/variation.h"

typedef struct dal_friction_slopes dal_friction_slopes;

/* What the equations are solved with: M x - A^T mu = f, A x = b; f and b may be overwritten. */
typedef struct dal_friction_solver {
    void *user;
    dal_flow (*solve)(void *user, double *f, double *b, double *x, double *mu);
    dal_variation *variation;
    dal_variation_point at; /* with the forces of friction, and the multipliers that these equations leave */
} dal_friction_solver;

/* NULL: no memory. The system has friction. */
dal_friction_slopes *dal_friction_slopes_create(const dal_allocator *allocator, const dal_system *system);
void dal_friction_slopes_free(const dal_allocator *allocator, dal_friction_slopes *slopes);
/* Of an evaluated state, with its friction: what will be read of it, before its factors are made, which overwrite it. */
void dal_friction_slopes_read(dal_state *state, dal_friction_slopes *slopes);
/* Then: the responses. */
dal_flow dal_friction_slopes_ready(dal_state *state, dal_friction_slopes *slopes, const dal_friction_solver *solver);
/* e of the state that was read; NULL with no friction. */
const double *dal_friction_slopes_forces(const dal_friction_slopes *slopes);
/* Where the caller puts ds (D s, by components) of a direction that moves q, v or t; NULL with no friction. */
double *dal_friction_slopes_slip(dal_friction_slopes *slopes);
/* The same for the change of limits that are expressions: of both of each element. */
double *dal_friction_slopes_limits(dal_friction_slopes *slopes);
/* Adds to f what the friction changes by these alone. */
void dal_friction_slopes_push(dal_friction_slopes *slopes, double *f);
/* dv', dlambda and D r, D phi'' (before signs) along a direction, at the forces that dal_friction_slopes_push has added: adds what the friction changes by
 * them. `along` NULL: generalized forces alone have changed, and nothing was pushed. */
dal_flow dal_friction_slopes_follow(dal_state *state, dal_friction_slopes *slopes, const dal_friction_solver *solver,
                                    const dal_variation_direction *along, const double *motion, const double *phidd, double *vd, double *lambda);
/* de of the last direction, by components; NULL with no friction. */
const double *dal_friction_slopes_change(const dal_friction_slopes *slopes);
/* Adds sum of s de, by islands, of the last direction. */
void dal_friction_slopes_power(const dal_state *state, const dal_friction_slopes *slopes, double *power);

#endif
