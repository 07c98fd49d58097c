/* Momenta of the whole model. Momenta dT/dv: of the ignorable coordinates, which are constants of the motion, and the rates of all of them. */
#include "kinematics/newton_euler.h"
#include "kinematics/subsystems.h"
#include "model/system.h"
#include "kinematics/tree.h"
#include "math/vec.h"
#include "state/state.h"
#include "state/momenta.h"
#include "state/scratch.h"

#include <math.h>
#include <string.h>

unsigned dal_conserved_momenta(const dal_state *state, const dal_energy *energy, double p[6], double scale[2])
{
    const dal_system *system = state->system;
    double center[3] = {0, 0, 0}, mass = 0;
    memset(p, 0, 6 * sizeof *p);
    scale[0] = scale[1] = 0;
    if (!system->conserved)
        return 0;
    memcpy(p, energy->linear, sizeof energy->linear);
    memcpy(p + 3, energy->angular, sizeof energy->angular);
    for (int b = 0; b < state->mechanism->n_bodies; b++) {
        const dal_body *body = &state->mechanism->bodies[b];
        const dal_kin *kin = &state->work.kin[b];
        double c[3], cd[3];
        for (int i = 0; i < 3; i++) {
            const double *R = kin->R + 3 * i, *Rd = kin->Rd + 3 * i, *s = body->center;
            c[i] = kin->r[i] + R[0] * s[0] + R[1] * s[1] + R[2] * s[2];
            cd[i] = kin->rd[i] + Rd[0] * s[0] + Rd[1] * s[1] + Rd[2] * s[2];
            center[i] += body->mass * c[i];
        }
        mass += body->mass;
        double speed = sqrt(cd[0] * cd[0] + cd[1] * cd[1] + cd[2] * cd[2]);
        double spin = sqrt(kin->w[0] * kin->w[0] + kin->w[1] * kin->w[1] + kin->w[2] * kin->w[2]);
        double inertia = fmax(body->inertia[0], fmax(body->inertia[4], body->inertia[8]));
        scale[0] += body->mass * speed;
        scale[1] += body->mass * speed * state->layout->units.length + inertia * spin;
    }
    for (int i = 0; i < 3 && mass > 0; i++) { /* angular momentum about the centre of mass: L - c x P */
        int j = (i + 1) % 3, k = (i + 2) % 3;
        p[3 + i] -= (center[j] * p[k] - center[k] * p[j]) / mass;
    }
    return system->conserved;
}

static void add_momentum(const double J[6], const double P[3], const double H[3], double *momentum, double *size)
{
    *momentum += dal_dot(J, P) + dal_dot(J + 3, H);
    if (size)
        *size += sqrt(dal_dot(J, J) * dal_dot(P, P)) + sqrt(dal_dot(J + 3, J + 3) * dal_dot(H, H));
}

/* Layouts without columns: one column after the other, over all bodies. */
static void add_columnwise(dal_state *state, double *momenta, double *size)
{
    const int bodies = state->mechanism->n_bodies;
    double *J = (double *)(void *)state->scratch->tangents, *wrench = (double *)(void *)(state->scratch->tangents + bodies);
    for (int b = 0; b < bodies; b++)
        dal_momentum_wrench(&state->mechanism->bodies[b], &state->work.kin[b], wrench + 6 * b, wrench + 6 * b + 3);
    for (int i = 0; i < state->layout->n_ignorable; i++) {
        dal_tree_jacobian_column(state->layout, &state->work, state->layout->ignorable[i], J);
        for (int b = 0; b < bodies; b++)
            add_momentum(J + 6 * b, wrench + 6 * b, wrench + 6 * b + 3, &momenta[i], size ? &size[i] : NULL);
    }
}

/* dT/dv_k = sum over bodies of P . lin_k + H . ang_k, with P = m c', H = I w + rho x P the momentum of a body as a wrench at r. The size, with
 * absolute values instead, is sum m |v| for a shift: the reference of a drift. */
void dal_state_momenta(dal_state *state, double *momenta, double *size)
{
    assert(dal_has(state, DAL_STAGE_VELOCITY));
    const dal_layout *layout = state->layout;
    const dal_work *w = &state->work;
    if (!layout->n_ignorable)
        return;
    for (int i = 0; i < layout->n_ignorable; i++) {
        momenta[i] = 0;
        if (size)
            size[i] = 0;
    }
    (layout->columnless ? dal_state_frames : dal_state_columns)(state);
    if (layout->columnless) {
        add_columnwise(state, momenta, size);
        return;
    }
    for (int b = 0; b < layout->mechanism->n_bodies; b++) {
        const dal_body *body = &layout->mechanism->bodies[b];
        const dal_body_layout *at = &layout->body[b];
        double P[3], H[3];
        dal_momentum_wrench(body, &w->kin[b], P, H);
        for (int i = 0, k = 0; i < layout->n_ignorable; i++) {
            while (k < at->n_columns && w->body_column[at->column + k] < layout->ignorable[i])
                k++;
            if (k == at->n_columns || w->body_column[at->column + k] != layout->ignorable[i])
                continue;
            add_momentum(w->jacobian + 6 * (size_t)(at->jacobian + k), P, H, &momenta[i], size ? &size[i] : NULL);
        }
    }
    for (int i = 0; i < layout->n_ignorable; i++)
        dal_subsystems_momentum_of(layout, w, layout->ignorable[i], &momenta[i], size ? &size[i] : NULL);
}

/* M' = [M21 M22] of (24), and N_2: the momenta of a unit of each velocity, and of the motion that time itself gives to the bodies. */
void dal_momentum_rows(dal_state *state, double *rows, double *free)
{
    assert(dal_has(state, DAL_STAGE_POSITION));
    const dal_layout *layout = state->layout;
    dal_work *w = &state->work;
    const dal_direction time = {state->scratch->still, 1, state->scratch->tangents};
    dal_state_columns(state);
    memset(rows, 0, sizeof *rows * (size_t)layout->n_ignorable * (size_t)layout->nv);
    memset(free, 0, sizeof *free * (size_t)layout->n_ignorable);
    memset(state->scratch->still, 0, sizeof *state->scratch->still * (size_t)layout->nv);
    if (layout->placement)
        layout->family->tangent(layout, w, &time);
    for (int b = 0; b < layout->mechanism->n_bodies; b++) {
        const dal_body *body = &layout->mechanism->bodies[b];
        const dal_body_layout *at = &layout->body[b];
        const int *column = w->body_column + at->column;
        double rho[3], I[9];
        dal_turn(w->kin[b].R, body->center, rho);
        dal_turn_inertia(w->kin[b].R, body->inertia, I);
        for (int i = 0, k = 0; i < layout->n_ignorable; i++) {
            while (k < at->n_columns && column[k] < layout->ignorable[i])
                k++;
            if (k == at->n_columns || column[k] != layout->ignorable[i])
                continue;
            const double *J = w->jacobian + 6 * (size_t)(at->jacobian + k);
            double push[3] = {J[0], J[1], J[2]}, turn[3];
            dal_add_cross(J + 3, rho, push);
            for (int j = 0; j < 3; j++)
                push[j] *= body->mass;
            dal_mul3(I, J + 3, turn);
            dal_add_cross(rho, push, turn);
            dal_pull_body(layout, w, b, push, turn, rows + (size_t)i * (size_t)layout->nv);
            if (layout->placement)
                free[i] += dal_dot(push, time.tangent[b].rd) + dal_dot(turn, time.tangent[b].w);
        }
    }
    for (int i = 0; i < layout->n_ignorable; i++)
        free[i] += dal_subsystems_row(layout, w, layout->ignorable[i], rows + (size_t)i * (size_t)layout->nv);
}

/* The momenta of a body, and their rates for v' = 0. */
static dal_body_momenta momenta_of(const dal_body *body, const dal_kin *kin)
{
    dal_body_momenta a;
    double I[9];
    dal_turn(kin->Rd, body->center, a.P);
    dal_turn(kin->Rb, body->center, a.Pd);
    for (int i = 0; i < 3; i++) {
        a.P[i] = body->mass * (a.P[i] + kin->rd[i]);
        a.Pd[i] = body->mass * (a.Pd[i] + kin->rb[i]);
    }
    dal_turn_inertia(kin->R, body->inertia, I);
    dal_mul3(I, kin->w, a.H);
    dal_euler_moment(I, kin->w, kin->wb, a.H, a.Hd);
    return a;
}

double dal_momenta_along(const dal_state *state, const dal_bend *bends, const dal_tangent *turning)
{
    assert(dal_has(state, DAL_STAGE_VELOCITY));
    const dal_layout *layout = state->layout;
    double sum = 0;
    for (int b = 0; b < layout->mechanism->n_bodies; b++) {
        const dal_body *body = &layout->mechanism->bodies[b];
        const dal_kin *kin = &state->work.kin[b];
        dal_body_momenta a = momenta_of(body, kin);
        double Dc[3], Dw[3];
        dal_turn(bends[b].Rb, body->center, Dc);
        dal_axpy3(1, bends[b].rb, Dc);
        dal_copy3(bends[b].wb, Dw);
        if (turning)
            dal_add_cross(kin->w, turning[b].w, Dw); /* less w_k x w: the rate seen from the body */
        sum += dal_dot(a.P, Dc) + dal_dot(a.H, Dw);
    }
    return sum;
}

/* p = dT/dv and, for v' = 0, p' = sum over bodies of (P', H').(c_k', w_k) + (P, H).d/dt (c_k', w_k), with c_k', w_k the velocities of
 * a unit of v_k. The first part is pulled back as a wrench at r, the second is the bend of column k along the motion. */
void dal_momenta_rates(dal_state *state, double *p, double *pd)
{
    assert(dal_has(state, DAL_STAGE_VELOCITY));
    const dal_layout *layout = state->layout;
    const int bodies = layout->mechanism->n_bodies;
    dal_work *w = &state->work;
    const dal_direction motion = {w->v, 1, state->scratch->tangents}, unit = {state->scratch->still, 0, state->scratch->tangents + bodies};
    double *momentum = (double *)(void *)(state->scratch->tangents + 2 * bodies);
    dal_state_columns(state);
    memset(p, 0, sizeof *p * (size_t)layout->nv);
    memset(pd, 0, sizeof *pd * (size_t)layout->nv);
    memset(state->scratch->still, 0, sizeof *state->scratch->still * (size_t)layout->nv);
    for (int b = 0; b < bodies; b++) {
        const dal_body *body = &layout->mechanism->bodies[b];
        dal_body_momenta a = momenta_of(body, &w->kin[b]);
        double rho[3];
        dal_copy3(a.P, momentum + 6 * b);
        dal_copy3(a.H, momentum + 6 * b + 3);
        dal_turn(w->kin[b].R, body->center, rho);
        dal_add_cross(rho, a.P, a.H);
        dal_add_cross(rho, a.Pd, a.Hd);
        dal_pull_body(layout, w, b, a.P, a.H, p);
        dal_pull_body(layout, w, b, a.Pd, a.Hd, pd);
    }
    dal_subsystems_momentum(layout, w, p);
    dal_subsystems_momentum_rate(layout, w, pd);
    layout->family->tangent(layout, w, &motion);
    for (int k = 0; k < layout->nv; k++) {
        state->scratch->still[k] = 1;
        layout->family->tangent(layout, w, &unit);
        layout->family->bend(layout, w, &motion, &unit, state->scratch->bends);
        double sum = 0;
        for (int b = 0; b < bodies; b++) {
            const dal_bend *bend = &state->scratch->bends[b];
            double Dc[3];
            dal_turn(bend->Rb, layout->mechanism->bodies[b].center, Dc);
            dal_axpy3(1, bend->rb, Dc);
            sum += dal_dot(momentum + 6 * b, Dc) + dal_dot(momentum + 6 * b + 3, bend->wb);
        }
        pd[k] += sum;
        state->scratch->still[k] = 0;
    }
}
