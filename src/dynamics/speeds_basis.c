/* The basis W of the velocities that the constraints allow, its rates, and the motions of the bodies along both.
 *
 *   S W = [1; 0; 0]                                   a column W_j a speed; partial velocities T_j are the tangents of (W_j, 0)
 *   S W_j' = -D_v [S W_j]                             D_v the derivative along the motion (v, 1)
 *            - (d2phi/dv2 W_j) v'                     of curved rows, with v' = bias: the part for u' = 0
 *   S bias = [-(Y' v + Z'); e' - E' v; gamma_k]       v' for u' = 0
 *   c''_0, w'_0                                       accelerations of a body for u' = 0: the tangent of the bias, and the body's own bias
 */
#include "dynamics/speeds_directions.h"
#include "dynamics/speeds_matrix.h"
#include "state/scratch.h"
#include "state/state.h"

#include <string.h>

/* S W = [1; 0; 0] */
void dal_speeds_basis(dal_state *state)
{
    dal_speeds *s = state->speeds->basis;
    if (s->has_W)
        return;
    memset(s->W, 0, sizeof *s->W * (size_t)s->p * (size_t)s->n);
    for (int j = 0; j < s->p; j++)
        s->W[(size_t)j * (size_t)s->n + (size_t)j] = 1;
    dal_speeds_solve_columns(state, s->W);
    s->has_W = true;
}

void dal_speeds_columns(dal_state *state)
{
    const dal_layout *layout = state->layout;
    dal_speeds_basis(state);
    for (int j = 0; j < state->speeds->basis->p; j++) {
        dal_direction along = dal_speeds_column(state, j);
        layout->family->tangent(layout, &state->work, &along);
    }
}

void dal_speeds_bend(dal_state *state, const dal_direction *a, const dal_direction *b, const dal_bend *bend, double *out)
{
    const dal_layout *layout = state->layout;
    dal_speeds *s = state->speeds->basis;
    assert(!s->s);
    if (dal_speeds_constant(state)) {
        memset(out, 0, sizeof *out * (size_t)s->n);
        return;
    }
    dal_rows_bend(layout, &state->work, a, b, bend, s->bent);
    for (int j = 0; j < s->p; j++)
        out[j] = s->fixed ? s->bent[dal_speeds_named_row(state, j)] : 0;
    for (int i = 0; i < s->k; i++)
        out[s->p + i] = s->bent[s->row[i]];
}

static dal_direction motion_of(dal_state *state)
{
    const dal_layout *layout = state->layout;
    dal_direction along = dal_speeds_motion(state);
    layout->family->tangent(layout, &state->work, &along);
    return along;
}

/* out -= (d2phi/dv2 W_j) v' for u' = 0, of the rows of S. The tangents of the bias are given. */
static void subtract_curve(dal_state *state, const dal_direction *W, const dal_direction *bias, double *out)
{
    dal_speeds *s = state->speeds->basis;
    dal_rows_curve(state->layout, &state->work, W, bias, true, s->bent);
    for (int i = 0; i < s->k; i++)
        out[s->p + s->s + i] -= s->bent[s->row[i]];
}

/* S^T y = dT/dv: dT/dv . V_jl = y . S V_jl */
void dal_speeds_curving(dal_state *state, double *y)
{
    dal_momentum(state->layout, &state->work, y);
    dal_speeds_solve_transposed(state, y);
}

double dal_speeds_curved(dal_state *state, const double *y, int j, int l)
{
    dal_speeds *s = state->speeds->basis;
    const dal_direction a = dal_speeds_column(state, j), b = dal_speeds_column(state, l);
    double sum = 0;
    dal_rows_curve(state->layout, &state->work, &a, &b, false, s->bent);
    for (int i = 0; i < s->k; i++)
        sum -= y[s->p + s->s + i] * s->bent[s->row[i]];
    return sum;
}

void dal_speeds_add_curved(dal_state *state, double *y)
{
    dal_speeds *s = state->speeds->basis;
    dal_speeds_curving(state, y);
    for (int j = 0; j < s->p; j++)
        for (int l = 0; l <= j; l++) {
            const double N = dal_speeds_curved(state, y, j, l), rate = s->K[(size_t)j * (size_t)s->p + (size_t)l] + N;
            s->K[(size_t)j * (size_t)s->p + (size_t)l] = rate - N;
        }
}

/* S W_j' = -D_v [S W_j] */
void dal_speeds_rates(dal_state *state)
{
    const dal_layout *layout = state->layout;
    dal_speeds *s = state->speeds->basis;
    dal_direction a = motion_of(state);
    const dal_direction bias = {s->bias, 0, state->scratch->tangents};
    if (layout->curved) {
        dal_speeds_bias_vector(state);
        layout->family->tangent(layout, &state->work, &bias);
    }
    for (int j = 0; j < s->p; j++) {
        double *Wd = s->Wd + (size_t)j * (size_t)s->n;
        dal_direction b = dal_speeds_column(state, j);
        dal_bend *bend = dal_speeds_column_bend(state, j);
        layout->family->bend(layout, &state->work, &a, &b, bend);
        dal_speeds_bend(state, &a, &b, bend, Wd);
        for (int i = 0; i < s->n; i++)
            Wd[i] = -Wd[i];
        if (layout->curved)
            subtract_curve(state, &b, &bias, Wd);
    }
    if (dal_speeds_constant(state))
        return;
    dal_speeds_solve_columns(state, s->Wd);
    for (int j = 0; j < s->p; j++) {
        dal_direction Wd = {s->Wd + (size_t)j * (size_t)s->n, 0, s->Td + (size_t)j * (size_t)layout->mechanism->n_bodies};
        layout->family->tangent(layout, &state->work, &Wd);
    }
}

/* Accelerations of the bodies by the bias: c'' and w' for u' = 0. */
static void accelerations_of_bodies(dal_state *state)
{
    const dal_layout *layout = state->layout;
    const dal_direction along = {state->speeds->basis->bias, 0, state->scratch->tangents};
    layout->family->tangent(layout, &state->work, &along);
    for (int b = 0; b < layout->mechanism->n_bodies; b++) {
        const dal_body *body = &layout->mechanism->bodies[b];
        const dal_kin *kin = &state->work.kin[b];
        struct dal_body_rate *rate = &state->speeds->basis->rate[b];
        double bias[3];
        if (layout->mechanism->space == DAL_PLANAR) {
            const dal_tangent *T = &along.tangent[b];
            const double *s = body->center;
            for (int i = 0; i < 2; i++)
                rate->c[i] =
                    T->Rd[3 * i] * s[0] + T->Rd[3 * i + 1] * s[1] + T->rd[i] + (kin->Rb[3 * i] * s[0] + kin->Rb[3 * i + 1] * s[1] + kin->rb[i]);
            rate->c[2] = rate->w[0] = rate->w[1] = 0;
            rate->w[2] = T->w[2] + kin->wb[2];
            continue;
        }
        dal_center_along(body, &along.tangent[b], rate->c);
        dal_turn(kin->Rb, body->center, bias);
        for (int i = 0; i < 3; i++) {
            rate->c[i] += bias[i] + kin->rb[i];
            rate->w[i] = along.tangent[b].w[i] + kin->wb[i];
        }
    }
}

void dal_speeds_bias_vector(dal_state *state)
{
    dal_speeds *s = state->speeds->basis;
    for (int j = 0; j < s->p; j++)
        s->bias[j] = s->fixed ? state->work.gamma[dal_speeds_named_row(state, j)] : 0;
    for (int i = 0; i < s->k; i++)
        s->bias[s->p + s->s + i] = state->gamma[s->row[i]];
    dal_speeds_solve(state, s->bias);
}

void dal_speeds_bias(dal_state *state)
{
    dal_speeds_bias_vector(state);
    accelerations_of_bodies(state);
}

void dal_speeds_partials(const dal_state *state, int body, double *c, double *w)
{
    const dal_mechanism *m = state->mechanism;
    for (int j = 0; j < state->speeds->basis->p; j++) {
        const dal_tangent *T = &state->speeds->basis->T[(size_t)j * (size_t)m->n_bodies + (size_t)body];
        dal_center_along(&m->bodies[body], T, c + 3 * j);
        dal_copy3(T->w, w + 3 * j);
    }
}

int dal_speeds_moving(int p, const double *c, const double *w, int *moving)
{
    int n = 0;
    for (int j = 0; j < p; j++, c += 3, w += 3)
        if (c[0] != 0 || c[1] != 0 || c[2] != 0 || w[0] != 0 || w[1] != 0 || w[2] != 0)
            moving[n++] = j;
    return n;
}

void dal_speeds_partial_rates(const dal_state *state, int j, int body, double cd[3], double wd[3])
{
    const dal_mechanism *m = state->mechanism;
    const dal_bend *held = &dal_speeds_column_bend(state, j)[body];
    dal_center_bend(&m->bodies[body], held, cd);
    dal_copy3(held->wb, wd);
    if (dal_speeds_constant(state))
        return;
    const dal_tangent *Td = &state->speeds->basis->Td[(size_t)j * (size_t)m->n_bodies + (size_t)body];
    double by_W[3];
    dal_center_along(&m->bodies[body], Td, by_W);
    dal_axpy3(1, by_W, cd);
    dal_axpy3(1, Td->w, wd);
}
