/* Velocities of sliding where the constraints have drifted.
 *
 * A stabilisation that does not project leaves the velocities beside the constraints, A v - beta = d, and one that pulls the rows back
 * (Baumgarte, penalty) lets the accelerations leave them on purpose, A v' - gamma = r. The surfaces of a joint then seem to slide, and to
 * begin to, where the mechanism is at rest: a pin beside a guide that has stopped would push with its whole limit, with the sign of the
 * error. So sliding is decided with velocities and accelerations that satisfy the constraints. The changes to them are the least in the metric of the
 * kinetic energy,
 *     A dv  = -d,    s  := s + S dv         drift: |S dv|, the uncertainty of s
 *     A dv' = -r,    s' := s' + S dv'       stray: -S dv', which stays in every evaluation
 */
#include "dynamics/friction_parts.h"

#include "state/state.h"
#include "dynamics/saddle.h"

#include <math.h>
#include <string.h>

/* change: M-least, A change = -missed, which is destroyed. */
static void least_change(dal_state *state, const dal_friction_parts *p)
{
    const dal_layout *layout = state->layout;
    for (int i = 0; i < layout->n_rows; i++)
        p->missed[i] = -p->missed[i];
    memset(p->change, 0, sizeof *p->change * (size_t)layout->nv);
    dal_saddle_solve(state, p->change, p->missed);
}

/* s of v + change; the velocities are left as they were. */
static void find_slip_beside(dal_state *state, const dal_friction_parts *p, double *s)
{
    const size_t nv = (size_t)state->layout->nv;
    double *v = state->work.v;
    memcpy(p->kept, v, sizeof *v * nv);
    for (size_t k = 0; k < nv; k++)
        v[k] += p->change[k];
    dal_state_velocity(state);
    for (int i = 0; i < p->elements; i++)
        dal_friction_slip(state, &state->friction->element[i], s + state->friction->element[i].first);
    memcpy(v, p->kept, sizeof *v * nv);
    dal_state_velocity(state);
}

/* s' without the stray, which r has at v' without friction as at any other v'. */
static void correct_rates(dal_state *state, const dal_friction_parts *p)
{
    const dal_layout *layout = state->layout;
    dal_rows_times(layout, state->work.A, p->vd, p->missed);
    for (int i = 0; i < layout->n_rows; i++)
        p->missed[i] -= state->work.gamma[i];
    least_change(state, p);
    find_slip_beside(state, p, p->stray);
    for (int k = 0; k < p->n; k++) {
        p->stray[k] = p->slip[k] - p->stray[k];
        p->rate[k] -= p->stray[k];
    }
}

dal_flow dal_friction_find_drift(dal_state *state, dal_friction_parts *p)
{
    dal_flow flow = dal_saddle_least(state);
    if (flow)
        return flow;
    correct_rates(state, p);
    memcpy(p->missed, state->work.phid, sizeof *p->missed * (size_t)state->layout->n_rows);
    least_change(state, p);
    double *s = p->base; /* not known yet */
    find_slip_beside(state, p, s);
    for (int i = 0; i < p->elements; i++)
        for (int k = state->friction->element[i].first; k < state->friction->element[i].first + state->friction->element[i].n; k++)
            p->drift = fmax(p->drift, fabs(s[k] - p->slip[k]) / dal_friction_pace(state->layout, &state->friction->element[i]));
    memcpy(p->slip, s, sizeof *s * (size_t)p->n);
    return 0;
}
