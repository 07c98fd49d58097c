/* Scales that differ by many powers of ten: masses, inertias, lengths, and the tolerance of lengths. Double precision has sixteen digits. If two masses
 * differ by a factor of 10^6, the accelerations of the lighter part lose six of them. Often a unit is wrong: g for kg, mm for m.
 */
#include "check/checker.h"
#include "math/rank.h"
#include "math/vec.h"
#include "model/system_parts.h"
#include "state/state_parts.h"

#include <math.h>
#include <string.h>

static const double large_masses = 1e6, large_inertias = 1e12, large_lengths = 1e5; /* inertias go with masses and the square of lengths */

/* Smallest and largest of positive numbers, and whose they are. */
typedef struct range {
    double least, most;
    int who_least, who_most;
} range;

static void widen_range(range *r, double value, int who)
{
    if (!(value > 0))
        return;
    if (!(r->least <= value)) {
        r->least = value;
        r->who_least = who;
    }
    if (!(r->most >= value)) {
        r->most = value;
        r->who_most = who;
    }
}

static const range nothing = {NAN, NAN, -1, -1};

static void include_inertia(const dal_mechanism *m, int b, range *r)
{
    const dal_body *body = &m->bodies[b];
    double values[3], work[600];
    if (m->space == DAL_PLANAR)
        widen_range(r, body->inertia[8], b);
    else if (!body->particle && !dal_symmetric_eigen(body->inertia, 3, 3, values, NULL, work))
        for (int i = 0; i < 3; i++)
            widen_range(r, values[i] > 1e-12 * values[2] ? values[i] : 0, b);
}

/* Distances of the joints' points on one body. */
static void include_lengths(const dal_mechanism *m, int b, double length, range *r)
{
    for (int j = 0; j < 2 * m->n_joints; j++)
        for (int k = j + 1; k < 2 * m->n_joints; k++) {
            const dal_marker *first = &m->joints[j / 2].marker[j % 2], *second = &m->joints[k / 2].marker[k % 2];
            double d[3];
            if (!m->joints[j / 2].type || !m->joints[k / 2].type || first->body != b || second->body != b)
                continue;
            dal_sub3(first->s, second->s, d);
            double size = sqrt(dal_dot(d, d));
            widen_range(r, size > 1e-12 * length ? size : 0, b);
        }
}

static double compare_range(dal_checker *c, const char *what, const char *unit, const range *r, double limit)
{
    const dal_mechanism *m = dal_system_layout(c->system)->mechanism;
    double ratio = r->most / r->least;
    if (ratio > limit)
        dal_check_warn(c, DAL_CODE_UNLIKE_BODIES, ratio,
                       "the largest %s (%.3g %s of '%s') is %.1e times the smallest (%.3g %s of '%s'): is a unit mistaken? If not, "
                       "expect to lose as many digits",
                       what, r->most, unit, m->bodies[r->who_most].name, ratio, r->least, unit, m->bodies[r->who_least].name);
    return ratio;
}

static const double enough_tolerances = 1e4; /* in what a force spans: four digits of it are right */

/* The tolerance of lengths is a multiple of the model's length. A spring that is much shorter than that may have no right digit. */
static void compare_tolerance(dal_checker *c)
{
    const dal_system *system = c->system;
    const dal_acting *acting = dal_system_acting(system);
    const dal_layout *layout = dal_system_layout(system);
    dal_state *state = c->state;
    const double relative = dal_system_describe(system).atol, atol = relative * layout->units.length;
    if (!state || !dal_system_method(system)->integrator->adaptive || dal_state_unpack(state, 0, dal_state_y(state)))
        return;
    dal_state_position(state);
    for (int i = 0; i < acting->n_forces; i++) {
        const int measure = acting->forces[i].measure;
        if (measure < 0 || layout->mechanism->measures[measure].kind != DAL_MEASURE_LENGTH)
            continue;
        const double span = fabs(dal_work_of(state)->value[measure]);
        if (span > 1e-12 * layout->units.length && span < enough_tolerances * atol)
            dal_check_warn(
                c, DAL_CODE_TOLERANCE_COARSE, atol / span,
                "'%s' spans %.3g m, and the absolute tolerance of lengths is %.3g m (atol %.1e times the model's length): take a smaller `atol`",
                acting->forces[i].name, span, atol, relative);
    }
}

void dal_check_scale(dal_checker *c)
{
    const dal_layout *layout = dal_system_layout(c->system);
    const dal_mechanism *m = layout->mechanism;
    dal_verdict *v = c->verdict;
    range mass = nothing, inertia = nothing, length = nothing;
    for (int b = 0; b < m->n_bodies; b++) {
        widen_range(&mass, m->bodies[b].mass, b);
        include_inertia(m, b, &inertia);
        if (m->n_joints <= 1000)
            include_lengths(m, b, layout->units.length, &length);
    }
    v->mass_ratio = compare_range(c, "mass", "kg", &mass, large_masses);
    v->inertia_ratio = compare_range(c, "inertia", "kg m^2", &inertia, large_inertias);
    v->length_ratio = compare_range(c, "distance of joints on a body", "m", &length, large_lengths);
    compare_tolerance(c);
    if (mass.who_least >= 0) {
        v->lightest = dal_arena_print(&c->arena, "%s", m->bodies[mass.who_least].name);
        v->heaviest = dal_arena_print(&c->arena, "%s", m->bodies[mass.who_most].name);
    }
}
