/* Whole turns of angles, from one accepted step to the next. */
#include "model/system_parts.h"
#include "state/state.h"
#include "state/windings.h"

#include <math.h>
#include <string.h>

static const double most_turn = 3; /* rad in one step: with `most_way` below half a turn, so that an angle has one nearest value */
static const double most_way = 0.1;

static const char *name_of_angle(const dal_mechanism *m, int measure)
{
    for (int j = 0; j < m->n_joints; j++)
        for (int k = 0; k < m->joints[j].n_coordinates; k++)
            if (m->joints[j].coordinate[k] == measure)
                return m->joints[j].name;
    const dal_vector *x = &m->vectors[m->measures[measure].vector[2]];
    return x->body == DAL_GROUND ? "ground" : m->bodies[x->body].name;
}

/* Joints of the angles that are not evaluated keep the axes parallel: they turn no faster than their two bodies together. */
bool dal_turns_excluded(const dal_state *state, double spin)
{
    const double h = state->work.t - state->turns->accepted;
    return state->layout->n_busy_measures == state->layout->n_measures || h * fmax(2 * sqrt(spin), state->turns->fastest) <= most_turn;
}

static double fastest_spin(const dal_state *state)
{
    const bool flat = state->mechanism->space == DAL_PLANAR;
    double most = 0;
    for (int b = 0; b < state->mechanism->n_bodies; b++) {
        const double *w = state->work.kin[b].w, spin = flat ? w[2] * w[2] : w[0] * w[0] + w[1] * w[1] + w[2] * w[2];
        most = spin > most || isnan(spin) ? spin : most;
    }
    return most;
}

dal_flow dal_state_turned(dal_state *state)
{
    const dal_mechanism *m = state->mechanism;
    double h = state->work.t - state->turns->accepted;
    if (!dal_has(state, DAL_STAGE_MEASURES) && !dal_has(state, DAL_STAGE_NO_FORCES) && !dal_turns_excluded(state, fastest_spin(state)))
        dal_state_measures(state);
    const int known = dal_has(state, DAL_STAGE_MEASURES) ? state->layout->n_measures : state->layout->n_busy_measures;
    for (int n = 0; n < known; n++) {
        const int i = state->layout->measure[n], k = m->measures[i].winding;
        if (k >= 0 && h * fmax(fabs(state->work.rate[i]), fabs(state->turns->rate[k])) > most_turn) {
            dal_state_fail(state, "'%s' turns by about half a turn in one step of %.3g s: the number of its turns would be lost; take a smaller step",
                           name_of_angle(m, i), h);
            return 1;
        }
    }
    return 0;
}

static void unwind_from(dal_state *state, int first, int end, int known)
{
    const dal_mechanism *m = state->mechanism;
    for (int n = first; n < end; n++) {
        const int i = state->layout->measure[n], k = m->measures[i].winding;
        if (k < 0)
            continue;
        double rate = state->work.rate[i];
        if (n < known)
            state->work.winding[k] = state->work.value[i];
        else
            state->work.winding[k] = dal_rows_turn(state->layout, &state->work, i, &rate);
        state->turns->rate[k] = rate;
        state->turns->fastest = fmax(state->turns->fastest, fabs(rate));
    }
}

void dal_state_unwind(dal_state *state)
{
    const int n = state->layout->n_measures, known = dal_has(state, DAL_STAGE_MEASURES) ? n : state->layout->n_busy_measures;
    assert(dal_has(state, DAL_STAGE_POSITION) && !dal_has(state, DAL_STAGE_NO_FORCES));
    state->turns->fastest = state->turns->way = 0;
    unwind_from(state, 0, n, known);
    state->turns->accepted = state->work.t;
}

/* The way since the last evaluation is at most the sum of h times the fastest rate at the ends of each step. */
void dal_state_unwind_step(dal_state *state)
{
    const double h = state->work.t - state->turns->accepted, now = 2 * sqrt(fastest_spin(state));
    const double way = state->turns->way + h * fmax(now, state->turns->fastest);
    if (!(way <= most_way)) {
        dal_state_unwind(state);
        return;
    }
    state->turns->way = way;
    state->turns->fastest = now;
    unwind_from(state, 0, state->layout->n_busy_measures, state->layout->n_busy_measures);
    state->turns->accepted = state->work.t;
}

static void layout_windings(dal_block *block, const dal_system *system, dal_state *state)
{
    dal_windings local, *turns = DAL_LAYOUT_PART(block, state->turns, local);
    DAL_LAYOUT(block, turns->rate, dal_system_mechanism(system)->n_windings);
    DAL_LAYOUT(block, turns->attitude, 4 * dal_system_mechanism(system)->n_bodies);
}

static void reset_windings(dal_state *state)
{
    const dal_mechanism *m = state->mechanism;
    state->turns->accepted = state->turns->fastest = 0;
    state->turns->way = HUGE_VAL; /* not evaluated yet */
    memset(state->turns->rate, 0, sizeof *state->turns->rate * (size_t)m->n_windings);
    memset(state->turns->attitude, 0, sizeof *state->turns->attitude * 4 * (size_t)m->n_bodies);
}

static void copy_windings(const dal_state *from, dal_state *to)
{
    to->turns->accepted = from->turns->accepted;
    to->turns->fastest = from->turns->fastest;
    to->turns->way = from->turns->way;
    memcpy(to->turns->rate, from->turns->rate, sizeof *to->turns->rate * (size_t)from->mechanism->n_windings);
}

static void keep_windings(dal_state *state, dal_keep *keep)
{
    const dal_mechanism *m = state->mechanism;
    dal_keep_numbers(keep, &state->turns->accepted, 1);
    dal_keep_numbers(keep, &state->turns->fastest, 1);
    dal_keep_numbers(keep, &state->turns->way, 1);
    dal_keep_numbers(keep, state->turns->rate, (size_t)m->n_windings);
    dal_keep_numbers(keep, state->turns->attitude, 4 * (size_t)m->n_bodies);
}

const dal_owner dal_windings_owner = {.layout = layout_windings, .reset = reset_windings, .copy = copy_windings, .keep = keep_windings};
