/* Uniform gravity: m g at the centre of mass, V = -sum m g . c (`lagrange-to-kane` (31)).
 * Written as `gravity:` of the model, not in `forces:`.
 */
#include "force/force.h"
#include "math/vec.h"

static void apply_gravity(dal_loads *loads, int n, const void *elements)
{
    const dal_mechanism *m = loads->layout->mechanism;
    for (int i = 0; i < n; i++) {
        const dal_gravity *gravity = (const dal_gravity *)elements + i;
        for (int b = 0; b < m->n_bodies; b++) {
            const dal_body *body = &m->bodies[b];
            const dal_kin *kin = &loads->work->kin[b];
            dal_real rho[3], f[3], *total = loads->work->force + 6 * b;
            dal_turn(kin->R, body->center, rho);
            for (int k = 0; k < 3; k++) {
                f[k] = body->mass * gravity->g[k];
                dal_store_in(loads, b, -f[k] * (kin->r[k] + rho[k]));
                total[k] += f[k];
            }
            dal_add_cross(rho, f, total + 3);
        }
    }
}

const dal_force_type dal_force_gravity =
    DAL_FORCE_TYPE("gravity", "uniform gravity (the model's key `gravity`)", NULL, NULL, dal_gravity, apply_gravity, .potential = true);
