/* Uniform gravity: m g at the centre of mass, V = -sum m g . c (`lagrange-to-kane` (31)).
 * Written as `gravity:` of the model, not in `forces:`.
 */
#include "force/force.h"
#include "math/vec.h"

/* In the plane: nothing acts along z, and moments are about z. */
static void apply_flat_gravity(dal_loads *loads, const dal_gravity *gravity)
{
    const dal_mechanism *m = loads->layout->mechanism;
    const dal_body *body = m->bodies, *end = body + m->n_bodies;
    const dal_kin *kin = loads->work->kin;
    const double g[2] = {gravity->g[0], gravity->g[1]};
    dal_real *total = loads->work->force, potential = loads->potential;
    for (; body < end; body++, kin++, total += 6) {
        const double *s = body->center, f[2] = {body->mass * g[0], body->mass * g[1]};
        const dal_real x = kin->R[0] * s[0] + kin->R[1] * s[1], y = kin->R[3] * s[0] + kin->R[4] * s[1];
        const dal_real across = -f[0] * (kin->r[0] + x), along = -f[1] * (kin->r[1] + y);
        potential += across, potential += along;
        if (loads->island) {
            dal_real *stored = &loads->island[2 * loads->islands->of_body[body - m->bodies]];
            *stored += across, *stored += along;
        }
        total[0] += f[0], total[1] += f[1];
        total[5] += x * f[1] - y * f[0];
    }
    loads->potential = potential;
}

static void apply_gravity(dal_loads *loads, int n, const void *elements)
{
    const dal_mechanism *m = loads->layout->mechanism;
    for (int i = 0; i < n; i++) {
        const dal_gravity *gravity = (const dal_gravity *)elements + i;
        if (m->space == DAL_PLANAR && gravity->g[2] == 0) {
            apply_flat_gravity(loads, gravity);
            continue;
        }
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

const dal_force_type dal_force_gravity = DAL_FORCE_TYPE("gravity", "uniform gravity (the model's key `gravity`)", NULL, NULL, dal_gravity,
                                                        apply_gravity, .potential = true, .weight = true, .on_masses = true);
