/* Errors along one run, at its recorded instants: figures 2 to 4, 8, 9, 13 and 14 of Yoosefian Nooshabadi and Nejat Pishkenari, "Development of
 * an Efficient Formulation for Volterra's Equations of Motion for Multibody Dynamical Systems", for any model.
 *
 *   energy      |B(t) - B(0)| / scale,   B = T + V - W, scale = the energy that moved in the whole run
 *   residuals   max |phi|, max |phi'|
 *   momenta     max |p(t) - p(0)| / scale,   scale = the largest sum m |v| of the run, and its like for angular momentum
 *
 * A scale is known only at the end of the run: until then absolute values are stored. They are the quantities of the evidence
 * (run/measure_evidence.c), which also measures at every step; so the largest value here does not exceed the number there.
 */
#include "analysis/error_history.h"
#include "state/momenta.h"

#include <math.h>
#include <string.h>

void dal_history_begin(dal_error_history *history, dal_arena *arena, const dal_system *system, int most)
{
    const int n = dal_system_describe(system).ignorable;
    *history = (dal_error_history){.most = most, .n_ignorable = n};
    history->at = DAL_NEW(arena, dal_compare_instant, most);
    history->momenta = (double(*)[2])DAL_NEW(arena, double, 2 * (size_t)most);
    history->first = DAL_NEW(arena, double, 4 * n + 1);
    history->now = history->first + n;
    history->size = history->now + n;
    history->largest = history->size + n;
    history->ignorable = DAL_NEW(arena, double, (size_t)most *(size_t)n + 1);
}

static void add_momenta(dal_error_history *history, dal_state *state, const dal_energy *energy)
{
    double p[6], scale[2], *drift = history->momenta[history->n];
    const unsigned conserved = dal_conserved_momenta(state, energy, p, scale);
    if (!history->started) {
        history->conserved = conserved;
        memcpy(history->start, p, sizeof p);
    }
    drift[0] = drift[1] = 0;
    for (int i = 0; i < 6; i++)
        if (conserved >> i & 1u)
            drift[i / 3] = fmax(drift[i / 3], fabs(p[i] - history->start[i]));
    for (int k = 0; k < 2; k++)
        history->scale[k] = fmax(history->scale[k], scale[k]);
}

static void add_ignorable(dal_error_history *history, dal_state *state)
{
    const int n = history->n_ignorable;
    dal_state_momenta(state, history->now, history->size);
    if (!history->started)
        memcpy(history->first, history->now, sizeof *history->now * (size_t)n);
    for (int i = 0; i < n; i++) {
        history->largest[i] = fmax(history->largest[i], history->size[i]);
        history->ignorable[(size_t)history->n * (size_t)n + (size_t)i] = fabs(history->now[i] - history->first[i]);
    }
}

void dal_history_add(dal_error_history *history, dal_state *state, double t, double difference)
{
    if (history->n == history->most)
        return;
    const dal_energy energy = dal_state_energy(state);
    const double balance = energy.kinetic + energy.potential - energy.work;
    dal_compare_instant *at = &history->at[history->n];
    *at = (dal_compare_instant){.time = t, .difference = difference};
    dal_state_residuals(state, &at->position, &at->velocity);
    if (!history->started)
        history->balance = balance;
    at->energy = fabs(balance - history->balance);
    add_momenta(history, state, &energy);
    add_ignorable(history, state);
    history->started = true;
    history->n++;
}

/* The larger of the two, either of which may be missing. */
static double larger(double a, double b)
{
    return isnan(a) || b > a ? b : a;
}

void dal_history_end(dal_error_history *history, const dal_evidence *evidence, double length)
{
    const int n = history->n_ignorable;
    /* as in the evidence: if bodies only turn there is no scale for a linear momentum */
    const double least[2] = {1e-12 * history->scale[1] / length, 0};
    const double energy = evidence->energy_drift_absolute > 0 ? evidence->energy_drift / evidence->energy_drift_absolute : evidence->energy_drift;
    for (int k = 0; k < history->n; k++) {
        dal_compare_instant *at = &history->at[k];
        at->energy *= isnan(energy) ? NAN : energy > 0 ? energy : 1;
        at->momentum = at->ignorable = NAN;
        for (int i = 0; i < 2; i++)
            if (history->conserved >> (3 * i) & 7u && history->scale[i] > least[i])
                at->momentum = larger(at->momentum, history->momenta[k][i] / history->scale[i]);
        for (int i = 0; i < n; i++)
            if (history->largest[i] > 0)
                at->ignorable = larger(at->ignorable, history->ignorable[k * n + i] / history->largest[i]);
    }
}
