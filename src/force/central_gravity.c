/* Gravity towards a centre, with the gravity-gradient torque (`lagrange-to-kane` 4.2).
 *
 * With d from the centre to the centre of mass, rho = |d|, I the inertia in world axes:
 *   V = -mu m / rho - mu / (2 rho^3) tr I + 3 mu / (2 rho^5) d . I d
 *   F = -mu m d / rho^3 - 3 mu / (2 rho^5) tr I d - 3 mu / rho^5 I d + 15 mu / (2 rho^7) (d . I d) d
 *   T = 3 mu / rho^5 d x I d
 * The second-order terms of F belong to the same V as T: without them the energy
 * would not be conserved. `gradient: false` (the default) keeps the first terms only.
 */
#include "force/force.h"
#include "math/vec.h"

typedef struct central {
    int body; /* or the ground: every body */
    int gradient;
    double center[3], mu;
} central;

static void attract(dal_loads *loads, const central *c, int b)
{
    const dal_body *body = &loads->layout->mechanism->bodies[b];
    const dal_kin *kin = &loads->work->kin[b];
    dal_real rho[3], d[3], f[3], *total = loads->work->force + 6 * b;
    dal_turn(kin->R, body->center, rho);
    for (int k = 0; k < 3; k++)
        d[k] = kin->r[k] + rho[k] - c->center[k];
    dal_real r2 = dal_dot(d, d), r1 = dal_sqrt(r2), r3 = r2 * r1;
    dal_real along = -c->mu * body->mass / r3;
    dal_store_in(loads, b, -c->mu * body->mass / r1);
    dal_zero3(f);
    if (c->gradient) {
        dal_real I[9], Id[3], r5 = r3 * r2;
        dal_turn_inertia(kin->R, body->inertia, I);
        dal_mul3(I, d, Id);
        dal_real trace = I[0] + I[4] + I[8], dId = dal_dot(d, Id);
        dal_store_in(loads, b, c->mu * (1.5 * dId / r5 - 0.5 * trace / r3));
        along += c->mu * (7.5 * dId / (r5 * r2) - 1.5 * trace / r5);
        dal_axpy3(-3 * c->mu / r5, Id, f);
        const dal_real lever[3] = {3 * c->mu / r5 * d[0], 3 * c->mu / r5 * d[1], 3 * c->mu / r5 * d[2]};
        dal_add_cross(lever, Id, total + 3);
    }
    dal_axpy3(along, d, f);
    dal_axpy3(1, f, total);
    dal_add_cross(rho, f, total + 3);
}

static void apply_central(dal_loads *loads, int n, const void *elements)
{
    for (const central *c = elements, *end = c + n; c < end; c++)
        for (int b = 0; b < loads->layout->mechanism->n_bodies; b++)
            if (c->body == DAL_GROUND || c->body == b)
                attract(loads, c, b);
}

#ifndef DAL_SCALAR_VARIANT

static bool compile_central(dal_force_builder *b, void *element)
{
    central *c = element;
    const dal_force_spec *spec = b->spec;
    bool ok = b->number(b, spec->mu, &c->mu);
    if (ok && !(c->mu > 0)) {
        dal_error(b->messages, spec->mu.mark, "the gravitational parameter mu of '%s' has to be positive, not %.6g", spec->name.text, c->mu);
        ok = false;
    }
    c->body = DAL_GROUND;
    if (spec->body.text) {
        dal_marker marker;
        bool known = b->marker(b, spec->body, &marker);
        if (known && (marker.body == DAL_GROUND || strcmp(spec->body.text, b->mechanism->bodies[marker.body].name))) {
            dal_error(b->messages, spec->body.mark, "central-gravity '%s' acts on the centre of mass of a body: name a body, not %s", spec->name.text,
                      marker.body == DAL_GROUND ? "the ground" : "a point");
            known = false;
        }
        c->body = known ? marker.body : DAL_GROUND;
        ok &= known;
    }
    for (int k = 0; k < spec->center.n && k < 3; k++)
        ok &= b->number(b, spec->center.item[k], &c->center[k]);
    c->gradient = spec->gradient.text && !strcmp(spec->gradient.text, "true");
    if (c->gradient && b->mechanism->space == DAL_PLANAR) {
        dal_error(b->messages, spec->gradient.mark,
                  "central-gravity '%s': the gravity gradient needs all three moments of inertia; it exists in spatial models only", spec->name.text);
        ok = false;
    }
    return ok;
}

#endif

const dal_force_type dal_force_central =
    DAL_FORCE_TYPE("central-gravity", "gravity towards a centre, mu / r^2, with the gravity-gradient torque on request", "center mu! gradient body",
                   NULL, central, apply_central, .compile = compile_central, .potential = true, .on_masses = true);
