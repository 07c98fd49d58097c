/* The model's own units: a length, a mass and a time. Every threshold and tolerance is a multiple of them, so that a mechanism in
 * micrometres and the same one in kilometres are treated alike. All three scale as lengths, masses and times of the model do.
 *
 *   length  the largest distance of a joint's point from the centre of mass of its body, or radius of gyration of a body that can turn.
 *           It does not depend on where body frames lie, nor on what is recorded. A model that has neither (particles, sliders) takes
 *           the largest distance that a force or a sliding joint spans at the start, then how far apart the bodies lie, then how far
 *           gravity or the start velocities carry them until the end.
 *   mass    the largest of the bodies
 *   time    1 / max(|v|, sqrt|v'|, sqrt(g / length)) with v, v' the velocities and accelerations at the start in lengths and radians;
 *           no more than the end of the run, and that where nothing moves. Without an end: no more than 1 s, or what gravity gives
 */
#include "force/force.h"
#include "kinematics/tree.h"
#include "math/vec.h"
#include "model/system.h"
#include "state/state.h"
#include "state/scale.h"
#include "state/values.h"

#include <math.h>
#include <string.h>

/* ---- time ----------------------------------------------------------------------------- */

static double rate_of_gravity(const dal_system *system)
{
    return sqrt(sqrt(dal_dot(system->acting.gravity, system->acting.gravity)) / system->layout.units.length);
}

/* After the first evaluation. Velocity k moves the bodies by column_scale[k] metres a unit. */
double dal_start_rate(const dal_state *state)
{
    const dal_system *system = state->system;
    double rate = rate_of_gravity(system);
    for (int k = 0; k < system->layout.nv; k++) {
        const double unit = system->layout.units.column_scale[k] / system->layout.units.length;
        rate = fmax(rate, fabs(state->work.v[k]) * unit);
        rate = fmax(rate, sqrt(fabs(state->vd[k]) * unit));
    }
    return isfinite(rate) ? rate : 0;
}

double dal_system_time(const dal_system *system)
{
    const double rate = rate_of_gravity(system), until = system->info.until > 0 ? system->info.until : rate > 0 ? 1 / rate : 1;
    return system->start_rate > 0 ? fmin(1 / system->start_rate, until) : until;
}

/* sqrt(k / m) of the stiffest spring, with the largest mass. */
static double rate_of_springs(const dal_system *system)
{
    const dal_units *units = &system->layout.units;
    double most = 0;
    for (int g = 0; g < system->acting.n_groups; g++)
        for (int i = 0; dal_force_types[system->acting.groups[g].type]->spring && i < system->acting.groups[g].n; i++) {
            const dal_spring_info spring = dal_spring_of(&system->acting.groups[g], i);
            const bool turns = system->mechanism.measures[spring.measure].kind == DAL_MEASURE_ANGLE;
            most = fmax(most, spring.stiffness / (turns ? units->mass * units->length * units->length : units->mass));
        }
    return sqrt(most);
}

void dal_system_slow_down(dal_system *system, double rate)
{
    const double least = fmax(rate, rate_of_springs(system));
    if (least > 0 && isfinite(least))
        system->layout.units.time = system->info.time = fmax(system->info.time, 1 / fmax(system->start_rate, least));
}

/* ---- columns --------------------------------------------------------------------------- */

static double largest_moment(const dal_body *body)
{
    return fmax(body->inertia[0], fmax(body->inertia[4], body->inertia[8]));
}

/* The lever of a turn: the model's length, or the radius of gyration of a body that is larger. Such a body cannot turn, and its moment must not
 * hide the masses. */
double dal_turn_lever(const dal_system *system, int body)
{
    const dal_body *b = &system->mechanism.bodies[body];
    return b->mass > 0 && !b->particle ? fmax(system->layout.units.length, sqrt(largest_moment(b) / b->mass)) : system->layout.units.length;
}

/* ---- units of y ------------------------------------------------------------------------ */

/* Of coordinate i of q: the length for a shift, 1 for angles, quaternions and cosines; of the model's own what moves the bodies by a length. */
static void units_of_coordinates(const dal_system *system, double *unit)
{
    const dal_layout *layout = &system->layout;
    if (!layout->tree) {
        for (int k = 0; k < layout->nq; k++)
            unit[k] = system->layout.units.length / system->layout.units.column_scale[k];
        return;
    }
    for (int s = 0; s < layout->tree->n_steps; s++) {
        const dal_motion_step *step = &layout->tree->step[s];
        for (int k = 0; k < dal_step_coordinates(step); k++)
            unit[step->q + k] = step->kind == DAL_STEP_SHIFT ? system->layout.units.length : 1;
    }
}

/* The scale of a state of the model: the larger of its start value and its change in a unit of time; 1 if both are zero. After the first evaluation. */
void dal_state_scales(const dal_state *state, double *unit)
{
    const dal_system *system = state->system;
    for (int i = 0; i < system->n_states; i++) {
        const double rate = state->values->expression[system->n_expressions + i];
        unit[i] = fmax(fabs(system->states[i]), fabs(rate) * system->layout.units.time);
        if (!(unit[i] > 0) || !isfinite(unit[i]))
            unit[i] = 1;
    }
}

void dal_state_own_units(const dal_state *state, double *unit)
{
    for (int i = 0; i < state->system->n_states; i++)
        unit[i] = state->system->state_scale[i];
}

/* The work of an island: by the largest mass in it. */
static void units_of_works(const dal_system *system, double square, double *unit)
{
    const int *island = system->acting.islands.of_body;
    for (int i = 0; i < system->works; i++)
        unit[i] = island ? 0 : system->layout.units.mass;
    for (int b = 0; island && system->works && b < system->mechanism.n_bodies; b++)
        unit[island[b]] = fmax(unit[island[b]], system->mechanism.bodies[b].mass);
    for (int i = 0; i < system->works; i++)
        unit[i] = (unit[i] > 0 ? unit[i] : system->layout.units.mass) * square;
}

/* Of each component of y = (q, w, states, works), at the present choice of speeds. */
void dal_state_units(const dal_state *state, double *unit)
{
    const dal_system *system = state->system;
    const dal_layout *layout = &system->layout;
    const double T = layout->units.time, L = layout->units.length;
    double *w = unit + layout->nq, *z = w + system->n_w;
    units_of_coordinates(system, unit);
    for (int k = 0; k < system->n_w; k++)
        w[k] = system->method.formulation->unit ? system->method.formulation->unit(state, k) / T : L / layout->units.column_scale[k] / T;
    dal_state_own_units(state, z);
    units_of_works(system, (L / T) * (L / T), z + system->n_states);
}

/* ---- rows and velocities in these units --------------------------------------------------- */

/* Rows of the built-in joints are in metres, or in radians. An equation of the model's own may have any unit: NAN. */
double dal_row_unit(const dal_row *row, double length)
{
    return row->form >= 0 || row->equation ? NAN : row->angular ? 1 : length;
}

/* The scale of the residual of a row. Of an equation of the model's own: its change under a displacement of the bodies by a length.
 * Rows of the coordinates themselves are numbers. After position and jacobian. */
void dal_row_units(const dal_state *state, double *unit)
{
    const dal_layout *layout = state->layout;
    for (int i = 0; i < layout->n_rows; i++) {
        const dal_row *row = i < layout->n_extrinsic ? &state->mechanism->rows[layout->row[i].source] : NULL;
        unit[i] = row ? dal_row_unit(row, layout->units.length) : 1;
        if (isnan(unit[i]))
            unit[i] = dal_row_reach(state, row) * layout->units.length;
        if (!(unit[i] > 0) || !isfinite(unit[i]))
            unit[i] = 1;
    }
}

double dal_worst_row(const dal_state *state, const double *rows, int *where)
{
    double worst = 0;
    for (int i = 0; i < state->layout->n_rows; i++)
        if (!(fabs(rows[i]) <= worst * state->layout->units.row_unit[i])) {
            worst = fabs(rows[i]) / state->layout->units.row_unit[i];
            *where = i;
        }
    return worst;
}

double dal_fastest(const dal_system *system, const double *v)
{
    double fastest = 0;
    for (int k = 0; k < system->layout.nv; k++)
        fastest = fmax(fastest, fabs(v[k]) * system->layout.units.column_scale[k]);
    return fastest / system->layout.units.length;
}

/* ---- what rows weigh -------------------------------------------------------------------- */

/* The weight of a measure on the bodies: its largest gradient by a displacement, in its unit per metre. */
static double weight_of_measure(const dal_state *state, int number)
{
    const dal_mechanism *m = state->mechanism;
    const dal_measure *measure = &m->measures[number];
    const double *g = state->work.gradient + 12 * number;
    double weight = 0;
    if (measure->kind == DAL_MEASURE_COORDINATE)
        return 1 / state->layout->units.column_scale[state->layout->own_v + measure->vector[0]];
    for (int j = 0; j < 4; j++)
        if (measure->vector[j] >= 0) {
            const dal_vector *x = &m->vectors[measure->vector[j]];
            double arm = x->point ? 1 : sqrt(dal_dot(x->s, x->s)) / state->layout->units.length;
            weight = fmax(weight, arm * sqrt(dal_dot(g + 3 * j, g + 3 * j)));
        }
    return weight;
}

/* The weight of a row on the bodies, before multiplication by their columns. */
double dal_row_weight(const dal_state *state, const dal_row *row)
{
    double weight = 0;
    for (int k = row->term; k < row->term + row->n_terms; k++)
        weight = fmax(weight, fabs(state->work.coef[k]) * weight_of_measure(state, state->mechanism->terms[k].measure));
    return weight;
}

/* How far a measure may change, in its own unit: a length for each factor of a scalar product that is a difference of points. */
static double span_of_measure(const dal_system *system, int number)
{
    const dal_mechanism *m = &system->mechanism;
    const dal_measure *measure = &m->measures[number];
    double span = 1;
    if (measure->kind == DAL_MEASURE_ANGLE)
        return 1;
    if (measure->kind == DAL_MEASURE_LENGTH)
        return system->layout.units.length;
    if (measure->kind == DAL_MEASURE_COORDINATE)
        return system->layout.units.length / system->layout.units.column_scale[system->layout.own_v + measure->vector[0]];
    for (int j = 0; j < 4; j += 2) {
        const dal_vector *x = &m->vectors[measure->vector[j]];
        span *= x->point ? system->layout.units.length : sqrt(dal_dot(x->s, x->s));
    }
    return span;
}

double dal_row_reach(const dal_state *state, const dal_row *row)
{
    const dal_mechanism *m = state->mechanism;
    const int n = row->n_terms;
    double reach = dal_row_weight(state, row);
    for (int k = 0; k < n && row->form >= 0; k++)
        for (int l = 0; l < n; l++) {
            const int of = m->terms[row->term + k].measure, by = m->terms[row->term + l].measure;
            reach = fmax(reach, fabs(state->work.form[row->form + n + 2 + k * (n + 1) + l]) * span_of_measure(state->system, by) *
                                    weight_of_measure(state, of));
        }
    return reach;
}
