/* Surfaces that stick stay where they stuck.
 *
 * The equations hold s' = 0 only: s, and with it the place x of the surfaces against each other, would drift by the error of the
 * integration. After each step they are put back, as the projections of integrate/ do for the constraints, within what the constraints
 * leave free. A force e on the surfaces that stick changes v' by B e with A B = 0 and s' by G e (friction.c); as a direction of
 * velocities and of displacements B does the same to s and x. So
 *     v := v + B c,  G c = -s       q := q + B d,  G d = -(x - x_0)
 * over the components that stick. c is the impulse, and d the like displacement, that friction itself would give: the correction is the
 * least in the metric of the kinetic energy. d is of the size of the error of one step, so that its square is below rounding. x_0 is kept
 * from the restart at which the surface came to rest: levers times measures; for a ball the attitude of the second body in the first, P =
 * R_1^T R_2, and x - x_0 = radius delta with exp [delta x] = R_2 (R_1 P)^T.
 */
#include "dynamics/friction_parts.h"

#include "math/rotation.h"
#include "state/state.h"

#include <math.h>
#include <string.h>

static const double in_place = 1e-12; /* of the extent, and of it in a unit of time: smaller deviations are not corrected */

static const double *attitude_stick(const dal_state *state, const dal_friction *f, int side)
{
    return state->work.kin[state->mechanism->joints[f->joint].marker[side].body].R;
}

void dal_friction_mark(const dal_state *state, const dal_friction_parts *p, int element)
{
    assert(dal_has(state, DAL_STAGE_POSITION));
    const dal_friction *f = &state->friction->element[element];
    double *place = p->place + 9 * element;
    if (f->turn) {
        dal_rotation_multiply_left_transposed(attitude_stick(state, f, 0), attitude_stick(state, f, 1), place);
        return;
    }
    for (int k = 0; k < f->n + f->terms - 1; k++)
        place[k] = state->work.value[f->measure[k]];
}

/* x - x_0 */
static void find_shift(const dal_state *state, const dal_friction_parts *p, int element, double *x)
{
    const dal_friction *f = &state->friction->element[element];
    const double *place = p->place + 9 * element;
    if (f->turn) {
        double R_1P[9], E[9]; /* E = (R_1 P)^T R_2 has the same turn, in the axes of the second body: to the first order R_2 of it */
        dal_rotation_multiply(attitude_stick(state, f, 0), place, R_1P);
        dal_rotation_multiply_left_transposed(R_1P, attitude_stick(state, f, 1), E);
        const double own[3] = {(E[7] - E[5]) / 2, (E[2] - E[6]) / 2, (E[3] - E[1]) / 2}, *R = attitude_stick(state, f, 1);
        for (int i = 0; i < 3; i++)
            x[i] = f->lever[0] * (R[3 * i] * own[0] + R[3 * i + 1] * own[1] + R[3 * i + 2] * own[2]);
        return;
    }
    for (int k = 0; k < f->n; k++) {
        x[k] = 0;
        for (int i = 0; i < f->terms; i++)
            x[k] += f->lever[k + i] * (state->work.value[f->measure[k + i]] - place[k + i]);
    }
}

/* Has a sticking surface moved? s and x - x_0 of sticking components, zero for the others. */
static bool find_errors(const dal_state *state, const dal_friction_parts *p, double *s, double *x)
{
    bool moved = false;
    memset(s, 0, sizeof *s * (size_t)p->n);
    memset(x, 0, sizeof *x * (size_t)p->n);
    for (int i = 0; i < p->elements; i++) {
        const dal_friction *f = &state->friction->element[i];
        const double most = in_place * dal_friction_extent(state->layout, f), fastest = in_place * dal_friction_pace(state->layout, f);
        if (state->friction->mode[i] != DAL_STICKS || !dal_friction_switches(f))
            continue;
        dal_friction_slip(state, f, s + f->first);
        find_shift(state, p, i, x + f->first);
        for (int k = f->first; k < f->first + f->n; k++)
            moved |= p->bound[k] == 0 && (fabs(s[k]) > fastest || fabs(x[k]) > most);
    }
    return moved;
}

dal_flow dal_friction_hold(dal_state *state, double t, double *y, bool *moved)
{
    const dal_layout *layout = state->layout;
    dal_friction_parts p = dal_friction_layout(state);
    double *s = p.base, *x = p.e, *change = p.vd;
    bool any = false;
    *moved = false;
    for (int i = 0; i < p.elements; i++)
        any |= state->friction->mode[i] == DAL_STICKS;
    dal_flow flow = any ? dal_state_unpack(state, t, y) : 0;
    if (!any || flow)
        return flow;
    dal_state_position(state);
    dal_state_jacobian(state);
    dal_state_velocity(state);
    if (!find_errors(state, &p, s, x))
        return 0;
    if ((flow = dal_state_loads(state)))
        return flow;
    dal_state_stabilise(state);
    p = dal_friction_begin(state);
    if ((flow = dal_friction_respond(state, &p)))
        return flow;
    find_errors(state, &p, s, x);
    dal_friction_factor(state, &p);
    dal_friction_solve(&p, s);
    dal_friction_solve(&p, x);
    for (int i = 0; i < layout->nv; i++) {
        change[i] = 0;
        for (int k = 0; k < p.n; k++) {
            state->work.v[i] -= p.B[(size_t)k * (size_t)layout->nv + (size_t)i] * s[k];
            change[i] -= p.B[(size_t)k * (size_t)layout->nv + (size_t)i] * x[k];
        }
    }
    layout->family->add(layout, state->work.q, change);
    dal_state_moved(state);
    *moved = true;
    return dal_state_pack(state, y);
}
