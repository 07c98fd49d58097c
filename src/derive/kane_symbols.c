/* Kane's equations: the sum over the bodies of T_i^T (M_i dV_i/dt + W_i M_i V_i - w_i) is zero (lagrange-to-kane (50)).
 *
 *   K_jl = sum of m c_j . c_l + w_j . I w_l
 *   f_j  = U_j - sum of m c_j . a + w_j . (I alpha + w x I w),   a, alpha for u' = 0
 * with the partial velocities c_j, w_j of every body.
 */
#include "derive/partials.h"

/* R_i* and T_i* for u' = 0: m a, and I alpha + w x I w in body axes. */
static void inertia_forces(dal_derivation *d, int b, dal_node force[3], dal_node torque[3])
{
    dal_node a[3], alpha[3], H[3], turn[3];
    dal_derive_accelerations(d, b, a, alpha);
    for (int i = 0; i < 3; i++)
        force[i] = dal_n_mul(d, d->bodies[b].mass, a[i]);
    dal_derive_spin(d, b, alpha, torque);
    dal_derive_spin(d, b, d->bodies[b].w_body, H);
    dal_n_cross(d, d->bodies[b].w_body, H, turn);
    dal_n_sum(d, torque, turn, torque);
}

static void add_tables(dal_derivation *d, const dal_partials *t)
{
    static const char *const axes[] = {"w_x", "w_y", "w_z", "v_x", "v_y", "v_z"}, *const planar[] = {"w", "v_x", "v_y"};
    const int p = d->p, space = (int)d->mechanism->space, rows = space == 2 ? 3 : 6;
    const char **names = DAL_NEW(d->arena, const char *, p);
    for (int j = 0; j < p; j++)
        names[j] = d->letters[d->u + j].name;
    for (int b = 0; b < d->mechanism->n_bodies; b++) {
        const char *body = d->mechanism->bodies[b].name;
        dal_node *values = DAL_NEW(d->arena, dal_node, rows * p);
        for (int j = 0; j < p; j++) {
            const dal_node *c = t->c + 3 * (b * p + j), *w = t->w + 3 * (b * p + j);
            for (int i = 0; i < rows; i++)
                values[i * p + j] = i < rows - space ? w[space == 2 ? 2 : i] : c[i - rows + space];
        }
        dal_add_derived_block(d, dal_arena_print(d->arena, "T of %s", body),
                              dal_arena_print(d->arena, "partial velocities of '%s': angular (body axes), and of its centre of mass", body), rows, p,
                              values, space == 2 ? planar : axes, names);
    }
}

static void derive_kane(dal_derivation *d)
{
    const int p = d->p, n = d->mechanism->n_bodies;
    dal_node *K = DAL_NEW(d->arena, dal_node, p * p), *f = DAL_NEW(d->arena, dal_node, p), force[3], torque[3], H[3];
    const dal_partials t = dal_derive_partial_velocities(d);
    for (int i = 0; i < p * p; i++)
        K[i] = dal_subsystem_inertia(d, i / p, i % p);
    for (int j = 0; j < p; j++)
        f[j] = dal_n_sub(d, dal_derive_active(d, &t, j), dal_subsystem_inertia_force(d, j));
    add_tables(d, &t);
    for (int b = 0; b < n; b++) {
        inertia_forces(d, b, force, torque);
        for (int j = 0; j < p; j++) {
            const dal_node *c_j = t.c + 3 * (b * p + j), *w_j = t.w + 3 * (b * p + j);
            f[j] = dal_n_sub(d, f[j], dal_n_add(d, dal_n_dot(d, c_j, force), dal_n_dot(d, w_j, torque)));
            dal_derive_spin(d, b, w_j, H);
            for (int l = 0; l <= j; l++) {
                const dal_node part = dal_n_mul(d, d->bodies[b].mass, dal_n_dot(d, c_j, t.c + 3 * (b * p + l)));
                K[j * p + l] = dal_n_add(d, K[j * p + l], dal_n_add(d, part, dal_n_dot(d, t.w + 3 * (b * p + l), H)));
                K[l * p + j] = K[j * p + l];
            }
        }
    }
    dal_add_speed_equations(d, "K", "the inertia of the speeds, sum of Ti^T Mi Ti", K, "f",
                            "generalized active and inertia forces, sum of Ti^T (wi - Mi dVi/dt - Wi Mi Vi) for u' = 0", f);
}

const dal_derived_formulation dal_derived_kane = DAL_DERIVED(
    "kane", "Kane's equations", "sum of Ti^T (wi - Mi dVi/dt - Wi Mi Vi) = 0, or K u' = f", "lagrange-to-kane (50)", derive_kane, .speeds = true,
    .solution = DAL_SOLVED_WITH_SPEEDS, .latex = "\\sum_i T_i^{T}\\left(w_i - M_i\\,\\dot{V}_i - W_i M_i V_i\\right) = 0, \\qquad K\\,\\dot{u} = f");
