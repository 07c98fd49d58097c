/* Forces along the line through two points, where the points coincide: there is no line.
 *
 *     F = e u,   u = (P - Q) / |P - Q|,   e != 0   (a spring with a free length, an end stop, a given force)
 * If the points part with a velocity, u is its direction an instant later, and the motion is determined. At rest it is not: every direction solves
 * the equations, and so does u = 0, which an evaluation uses there.
 */
#include "math/vec.h"
#include "model/system.h"
#include "state/state.h"
#include "state/directions.h"
#include "state/values.h"

#include <float.h>
#include <math.h>

static const double together = 1e-12; /* of the model's length, beside the rounding of the places: points that coincide */

bool dal_points_coincide(const double p[3], const double q[3], double length)
{
    const double d[3] = {p[0] - q[0], p[1] - q[1], p[2] - q[2]};
    return sqrt(dal_dot(d, d)) <= together * length + 8 * DBL_EPSILON * (sqrt(dal_dot(p, p)) + sqrt(dal_dot(q, q)));
}

static bool coincide(const dal_state *state, const dal_measure *measure)
{
    return dal_points_coincide(state->work.x + 3 * measure->vector[0], state->work.x + 3 * measure->vector[1], state->layout->units.length);
}

/* Would the force not move the heaviest body by a part `together` of the model's length until the end? */
static bool is_nothing(const dal_system *system, double effort)
{
    const double until = system->info.until;
    return !(until > 0 ? effort * until * until > together * system->layout.units.mass * system->layout.units.length : effort > 1e-100);
}

double dal_force_at_meeting(const dal_state *state, int force)
{
    assert(dal_has(state, DAL_STAGE_FORCES));
    const dal_system *system = state->system;
    double effort = fabs(state->values->effort[force]);
    for (int g = 0; g < system->acting.n_groups; g++)
        for (int k = 0; dal_force_types[system->acting.groups[g].type]->spring && k < system->acting.groups[g].n; k++) {
            const dal_spring_info spring = dal_spring_of(&system->acting.groups[g], k);
            if (spring.force == force)
                effort = spring.stiffness * spring.free + (spring.has_value ? effort : 0);
        }
    return is_nothing(system, effort) ? 0 : effort;
}

bool dal_force_undirected(const dal_state *state, int force, double *speed)
{
    assert(dal_has(state, DAL_STAGE_FORCES));
    const dal_system *system = state->system;
    const int number = system->acting.forces[force].measure;
    if (number < 0 || !system->acting.forces[force].along || system->mechanism.measures[number].kind != DAL_MEASURE_LENGTH ||
        !coincide(state, &system->mechanism.measures[number]) || dal_force_at_meeting(state, force) == 0)
        return false;
    const dal_measure *measure = &system->mechanism.measures[number];
    const double *p = state->work.xd + 3 * measure->vector[0], *q = state->work.xd + 3 * measure->vector[1];
    const double parting[3] = {p[0] - q[0], p[1] - q[1], p[2] - q[2]};
    const double fastest = sqrt(dal_dot(p, p)) + sqrt(dal_dot(q, q));
    *speed = sqrt(dal_dot(parting, parting));
    if (!(*speed > together * fastest))
        *speed = 0;
    return true;
}

/* c (d . d') / |d| d / |d| has no derivative at d = 0, nor has a force that is not zero there; k d has one. */
const char *dal_force_without_derivative(const dal_state *state)
{
    assert(dal_has(state, DAL_STAGE_FORCES));
    const dal_system *system = state->system;
    for (int g = 0; g < system->acting.n_groups; g++)
        for (int k = 0; dal_force_types[system->acting.groups[g].type]->spring && k < system->acting.groups[g].n; k++) {
            const dal_spring_info spring = dal_spring_of(&system->acting.groups[g], k);
            const dal_force_name *force = &system->acting.forces[spring.force];
            const bool smooth = spring.damping == 0 && spring.stiffness * spring.free == 0 && !spring.has_value;
            if (!smooth && force->along && system->mechanism.measures[spring.measure].kind == DAL_MEASURE_LENGTH &&
                coincide(state, &system->mechanism.measures[spring.measure]))
                return force->name;
        }
    return NULL;
}
