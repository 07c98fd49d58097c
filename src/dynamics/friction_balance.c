/* The forces of friction for given modes: which surfaces stick, and which way the others slip.
 *
 * With s'(e) = s'_0 + G e and F(e) = F_0 + sum F_k e_k (friction.c), and N_j the normal force of element j,
 *     slipping   e = -c s - K n - mu N n     affine in N: the constant limit K is a constant of it
 *     sticking   G_ss e_s = -(s'_0 + G_sr e_r)   affine in the others
 * so that e = base + E N with one column of E for each element that slips. The pressing part of F is a linear map P, so
 *     N_i = |a_i + sum_j b_ij N_j|,   a_i = P_i F_i(base),   b_ij = P_i sum_k F_ik E_kj                                         (*)
 * one equation for each element: every right side is convex in N, and smooth where it is not zero. K is in a_i, so that what follows
 * about mu does not depend on it; an element with mu = 0 needs no N, and has a = b = N = 0.
 *
 * One element that slips: N^2 (1 - b.b) - 2 a.b N - a.a = 0. For |b| < 1 there is one solution. For |b| >= 1 (friction that moves more
 * normal force than it needs) there are two or none, and none where a.b > -|a| sqrt(b.b - 1): the paradox of Painleve. Of two, the smaller
 * one is that which continues N = |a| from mu = 0. f(N) = N - |a + b N| is concave and negative at N = 0; its tangents lie above it. So
 * Newton's steps from N = 0 never pass the smallest solution and rise to it, and where a tangent does not rise (f' <= 0 while f < 0) f has
 * no zero at all. This decides: a solution has f' > 0; f' <= 0 before one is found means that there is none. The plain iteration N := |a +
 * b N| diverges for a.b < 0, |b| > 1, where there is a solution.
 *
 * Several elements: Newton's method on (*) from N = 0, with the matrix 1 - dphi/dN. It is taken if it ends with det > 0, the sign at mu =
 * 0. Else the solution is followed from mu = 0, where N = |a|: with theta b in place of b, theta from 0 to 1, Newton at each theta. The
 * branch ends only where the matrix becomes singular; if it ends before theta = 1 no solution continues that of smaller friction, and the
 * joint jams.
 *
 * A surface with several components that starts from rest. There n = s / |s| is undefined, and at first inaccurate: n relaxes to the
 * direction of s' with the rate m G / |s|, m = K + mu N, which no explicit method can follow where s grows slowly (s' = 0 at first, as
 * under a load that grows). While it starts, n is that of the sliding a short time h ahead, s + h s', with s' = r - m G_ii n and r the part
 * of s' that the others cause, and the viscous part of its own force:
 *     (rho + h m G_ii) n = s + h r,   |n| = 1,   rho > 0
 * |n| falls with rho, because G_ii is not negative, from at least 1 at rho = 0 (the surface slips) to at most 1 at rho = |s + h r|:
 * one solution, by bisection; N and r are iterated. The rate is then below 1 / h, at rest n is the direction of s', and n is wrong by h
 * times the rate at which it turns, as long as |s| < h |r|.
 *
 * Sticking components whose G_kk is nothing against the free mobility g_k are skipped: no force holds them. Where G_ss is singular among
 * the others, surfaces hold each other, and the least of the forces that do are taken.
 */
#include "dynamics/friction_parts.h"

#include "math/dense.h"
#include "math/rank.h"
#include "math/sums.h"
#include "math/vec.h"
#include "state/state.h"

#include <math.h>
#include <string.h>

enum { MOST_STEPS = 60, MOST_TURNS = 50 };
static const double immobile = 1e-11;    /* G_kk over g_k: less is rounding */
static const double dependent = 1e-10;   /* pivot of G_ss, scaled to a unit diagonal */
static const double settled = 4e-16;     /* relative step that ends Newton's method */
static const double stalled = 1e-13;     /* the same where rounding does not let the steps fall any more */
static const double still = 1e-12;       /* of the extent in a unit of time: below this speed the motion has no direction */
static const double shortest = 1e-5;     /* of theta */
static const double runaway = 1e3;       /* N over what presses without friction: |b| is near 1 */
static const double near_in_time = 1e-6; /* of a unit of time, or of t: a jam so near to the end of a run is its reason */

/* ---- what sticks ----------------------------------------------------------------------- */

bool dal_friction_is_bound(const dal_friction_parts *p, int k)
{
    return !(p->G[(size_t)k * (size_t)(p->n + 1)] > fmax(immobile, p->soft) * p->mobility[k]);
}

static int sticking_component(const dal_friction_parts *p, int i)
{
    return (int)p->sticking[i];
}

/* H = G_ss with rows and columns scaled to a unit diagonal: its pivots are what each component has of its own, and its entries have the
 * rounding of g_k / G_kk. */
void dal_friction_factor(const dal_state *state, dal_friction_parts *p)
{
    double rounding = 0;
    p->n_sticking = 0;
    for (int i = 0; i < p->elements; i++)
        for (int k = state->friction->element[i].first; k < state->friction->element[i].first + state->friction->element[i].n; k++)
            if (state->friction->mode[i] == DAL_STICKS && !dal_friction_is_bound(p, k)) {
                p->sticking[p->n_sticking++] = k;
                rounding = fmax(rounding, p->mobility[k] / p->G[(size_t)k * (size_t)(p->n + 1)]);
            }
    const int m = p->n_sticking;
    int where;
    for (int i = 0; i < m; i++)
        for (int j = 0; j < m; j++) {
            const double *G = p->G, scale = sqrt(G[sticking_component(p, i) * (p->n + 1)] * G[sticking_component(p, j) * (p->n + 1)]);
            p->H_plain[i * m + j] = G[sticking_component(p, j) * p->n + sticking_component(p, i)];
            p->H[i * m + j] = p->H_plain[i * m + j] / scale;
        }
    p->shared = m > 0 && !dal_cholesky(p->H, m, m, fmax(fmax(dependent, p->soft), fmin(fmax(immobile, p->soft) * rounding, 0.1)), &where);
}

void dal_friction_solve(const dal_friction_parts *p, double *b)
{
    const int m = p->n_sticking;
    double *x = p->x, *rhs = p->x + p->n;
    for (int i = 0; i < m; i++) {
        rhs[i] = b[sticking_component(p, i)];
        x[i] = rhs[i] / sqrt(p->G[sticking_component(p, i) * (p->n + 1)]);
    }
    if (p->shared)
        dal_rank_solve(p->H_plain, m, m, m, fmax(dependent, p->soft), rhs, x, p->rank_work);
    else
        dal_cholesky_solve(p->H, m, m, x);
    memset(b, 0, sizeof *b * (size_t)p->n);
    for (int i = 0; i < m; i++)
        b[sticking_component(p, i)] = p->shared ? x[i] : x[i] / sqrt(p->G[sticking_component(p, i) * (p->n + 1)]);
}

double dal_friction_mobility(const dal_friction_parts *p, int k)
{
    double *b = p->base, sum = p->G[k * (p->n + 1)];
    for (int i = 0; i < p->n; i++)
        b[i] = -p->G[k * p->n + i];
    dal_friction_solve(p, b);
    for (int i = 0; i < p->n; i++)
        sum += p->G[i * p->n + k] * b[i];
    return sum;
}

/* column: components that slip are given; those that stick follow, with s'_0 (`rest`) or without. */
static void complete_balance(const dal_state *state, const dal_friction_parts *p, const double *rest, double *column)
{
    double *b = p->e; /* not known yet */
    for (int i = 0; i < p->n; i++) {
        b[i] = rest ? -rest[i] : 0;
        for (int j = 0; j < p->n; j++)
            b[i] -= p->G[j * p->n + i] * column[j];
    }
    dal_friction_solve(p, b);
    for (int i = 0; i < p->elements; i++) {
        const dal_friction *f = &state->friction->element[i];
        if (state->friction->mode[i] == DAL_STICKS)
            memcpy(column + f->first, b + f->first, sizeof *b * (size_t)f->n);
    }
}

/* ---- what slips -------------------------------------------------------------------------- */

/* The direction d of the last step serves a single component, which is thus continued smoothly beyond the end of its sliding, and what has no direction
 * of its own yet; with several components n = s / |s| up to the sign that it has with d: a path that runs through s = 0 keeps its n. */
dal_aim dal_friction_aim(const dal_state *state, const dal_friction_parts *p, int element, double *n)
{
    const dal_friction *f = &state->friction->element[element];
    const double *s = p->slip + f->first, *d = state->friction->direction + f->first, speed = dal_norm(s, f->n);
    const double slow = still * dal_friction_pace(state->layout, f);
    double forward = 0;
    for (int k = 0; k < f->n; k++)
        forward += d[k] * s[k];
    const bool held = f->n == 1 || speed <= slow || p->look[element] > 0;
    for (int k = 0; k < f->n; k++) {
        n[k] = held ? d[k] : forward < 0 ? -s[k] / speed : s[k] / speed;
        if (f->regular > 0)
            n[k] = speed > 0 ? tanh(speed / f->regular) * s[k] / speed : 0;
    }
    if (f->regular > 0)
        return DAL_AIM_SMOOTH;
    if (p->look[element] > 0 && state->friction->mode[element] == DAL_SLIPS)
        return DAL_AIM_AHEAD;
    return held ? DAL_AIM_HELD : DAL_AIM_MOTION;
}

int dal_friction_at_rest(const dal_state *state)
{
    const dal_friction_parts p = dal_friction_layout(state);
    for (int i = 0; i < p.elements; i++) {
        const dal_friction *f = &state->friction->element[i];
        const bool moves = dal_norm(p.slip + f->first, f->n) > still * dal_friction_pace(state->layout, f) && !(p.look[i] > 0);
        if (dal_friction_switches(f) && (state->friction->mode[i] != DAL_SLIPS || !moves))
            return i;
    }
    return -1;
}

/* The law of slipping: e = base - mu N n, base = -c s - K n. */
static void slide(const dal_state *state, const dal_friction_parts *p, int element)
{
    const dal_friction *f = &state->friction->element[element];
    const double *s = p->slip + f->first, speed = dal_norm(s, f->n);
    const double mu = dal_friction_coefficient(f, speed), limit = dal_friction_limit(state, f, speed);
    double n[DAL_MAX_SLIP];
    dal_friction_aim(state, p, element, n);
    for (int k = 0; k < f->n; k++) {
        p->base[f->first + k] = -f->viscous * s[k] - limit * n[k];
        p->E[element * p->n + f->first + k] = -mu * n[k];
    }
}

bool dal_friction_given(const dal_state *state, const dal_friction_parts *p)
{
    for (int i = 0; i < p->elements; i++)
        if (state->friction->mode[i] == DAL_STICKS || dal_friction_presses(&state->friction->element[i]) || p->look[i] > 0)
            return false;
    for (int i = 0; i < p->elements; i++) {
        slide(state, p, i);
        p->N[i] = p->press[i] = 0;
    }
    memcpy(p->e, p->base, sizeof *p->e * (size_t)p->n);
    return true;
}

static void find_columns(const dal_state *state, dal_friction_parts *p)
{
    memset(p->base, 0, sizeof *p->base * (size_t)p->n);
    memset(p->E, 0, sizeof *p->E * (size_t)p->n * (size_t)p->elements);
    dal_friction_factor(state, p);
    for (int i = 0; i < p->elements; i++)
        if (state->friction->mode[i] != DAL_STICKS)
            slide(state, p, i);
    if (!p->n_sticking)
        return;
    complete_balance(state, p, p->rate, p->base);
    for (int i = 0; i < p->elements; i++)
        if (state->friction->mode[i] != DAL_STICKS)
            complete_balance(state, p, NULL, p->E + i * p->n);
}

/* share P F of the forces `F_0` (may be NULL) and those that e causes. */
static void press_balance(const dal_state *state, const dal_friction_parts *p, int element, const double *F_0, const double *e, double out[3])
{
    const dal_friction *f = &state->friction->element[element];
    double F[3];
    if (!dal_friction_presses(f)) {
        memset(out, 0, 3 * sizeof *out);
        return;
    }
    for (int c = 0; c < 3; c++) {
        F[c] = F_0 ? F_0[3 * element + c] : 0;
        for (int k = 0; k < p->n; k++)
            F[c] += p->F_e[3 * (k * p->elements + element) + c] * e[k];
    }
    dal_sliding_press(state->mechanism, &state->work, f, F, out);
}

/* ---- the normal forces: (*) ---------------------------------------------------------------- */

/* |a_i + theta sum b_ij N_j| - N_i into step, and 1 - dphi/dN into J. */
static void linearise(const dal_friction_parts *p, double theta, const double *N)
{
    const int m = p->elements;
    for (int i = 0; i < m; i++) {
        double x[3];
        dal_copy3(p->a + 3 * i, x);
        for (int j = 0; j < m; j++)
            dal_axpy3(theta * N[j], p->b + 3 * (i * m + j), x);
        const double size = sqrt(dal_dot(x, x));
        p->step[i] = size - N[i];
        for (int j = 0; j < m; j++)
            p->J[i * m + j] = (i == j) - (size > 0 ? theta * dal_dot(x, p->b + 3 * (i * m + j)) / size : 0);
    }
}

static bool factor_balance(const dal_friction_parts *p, int *pivot)
{
    const int m = p->elements;
    return dal_lu(p->J, m, m, pivot) > 1e-14 && !dal_lu_negative(p->J, m, m, pivot);
}

/* N at theta, from the N that is given. False where the matrix loses the sign that it has without friction, or nothing settles. */
static bool newton_balance(const dal_state *state, dal_friction_parts *p, double theta, double *N)
{
    const int m = p->elements;
    double before = HUGE_VAL;
    for (int round = 0; round < MOST_STEPS; round++) {
        double change = 0, size = 0;
        linearise(p, theta, N);
        if (!factor_balance(p, state->friction->pivots))
            return false;
        dal_lu_solve(p->J, m, m, state->friction->pivots, p->step);
        for (int i = 0; i < m; i++) {
            const double next = fmax(N[i] + p->step[i], 0), moved = fabs(next - N[i]);
            if (!(moved <= change)) {
                change = moved;
                p->worst = i;
            }
            N[i] = next;
            size = fmax(size, next);
        }
        if (change <= settled * size || (change <= stalled * size && change >= before))
            return true;
        before = change;
        if (!(size < HUGE_VAL))
            return false;
    }
    return false;
}

/* From theta = 0 along the branch. */
static bool follow_balance(const dal_state *state, dal_friction_parts *p)
{
    const size_t m = (size_t)p->elements;
    double theta = 0, stride = 0.25;
    for (size_t i = 0; i < m; i++)
        p->N[i] = sqrt(dal_dot(p->a + 3 * i, p->a + 3 * i));
    while (theta < 1) {
        const double next = fmin(theta + stride, 1);
        memcpy(p->path, p->N, sizeof *p->N * m);
        if (newton_balance(state, p, next, p->path)) {
            memcpy(p->N, p->path, sizeof *p->N * m);
            theta = next;
            stride *= 2;
        } else if ((stride /= 2) < shortest) {
            return false;
        }
    }
    return true;
}

/* e and N for the directions that are there. */
static bool solve_balance(dal_state *state, dal_friction_parts *p)
{
    const int m = p->elements;
    find_columns(state, p);
    for (int i = 0; i < m; i++) {
        press_balance(state, p, i, p->F, p->base, p->a + 3 * i);
        for (int j = 0; j < m; j++)
            press_balance(state, p, i, NULL, p->E + j * p->n, p->b + 3 * (i * m + j));
    }
    memset(p->N, 0, sizeof *p->N * (size_t)m);
    if (!newton_balance(state, p, 1, p->N) && !follow_balance(state, p))
        return false;
    memcpy(p->press, p->N, sizeof *p->N * (size_t)m);
    for (int k = 0; k < p->n; k++) {
        p->e[k] = p->base[k];
        for (int j = 0; j < m; j++)
            p->e[k] += p->E[j * p->n + k] * p->N[j];
    }
    return true;
}

/* ---- n of what starts to slide several ways ------------------------------------------------ */

/* n = (rho + m G_ii)^-1 x; returns |n|. */
static double shifted(const dal_friction_parts *p, const dal_friction *f, double rho, double m, const double *x, double *n)
{
    double K[DAL_MAX_SLIP * DAL_MAX_SLIP];
    int pivot[DAL_MAX_SLIP];
    for (int i = 0; i < f->n; i++) {
        n[i] = x[i];
        for (int j = 0; j < f->n; j++)
            K[i * f->n + j] = m * p->G[(f->first + j) * p->n + f->first + i] + (i == j ? rho : 0);
    }
    dal_lu(K, f->n, f->n, pivot);
    dal_lu_solve(K, f->n, f->n, pivot, n);
    return dal_norm(n, f->n);
}

/* (rho + h (K + mu N) G_ii) n = s + h r, |n| = 1. Returns how far n has turned. */
static double aim_balance(dal_state *state, const dal_friction_parts *p, int element)
{
    const dal_friction *f = &state->friction->element[element];
    const double h = p->look[element], *s = p->slip + f->first, speed = dal_norm(s, f->n);
    const double m = h * (dal_friction_limit(state, f, speed) + dal_friction_coefficient(f, speed) * p->press[element]);
    double *d = state->friction->direction + f->first, x[DAL_MAX_SLIP], n[DAL_MAX_SLIP], turned = 0;
    for (int k = 0; k < f->n; k++) {
        x[k] = p->rate[f->first + k];
        for (int j = 0; j < p->n; j++) {
            const bool own = j >= f->first && j < f->first + f->n; /* of its own force, what is viscous */
            x[k] += p->G[j * p->n + f->first + k] * (own ? -f->viscous * s[j - f->first] : p->e[j]);
        }
    }
    p->ahead[element] = h * dal_norm(x, f->n);
    for (int k = 0; k < f->n; k++)
        x[k] = s[k] + h * x[k];
    double low = 0, high = dal_norm(x, f->n);
    if (!(high > 0))
        return 0;
    for (int round = 0; round < 100 && high - low > 1e-15 * high; round++) {
        const double rho = low + (high - low) / 2;
        *(shifted(p, f, rho, m, x, n) > 1 ? &low : &high) = rho;
    }
    const double size = shifted(p, f, high, m, x, n);
    for (int k = 0; k < f->n; k++) {
        turned = fmax(turned, fabs(n[k] / size - d[k]));
        d[k] = n[k] / size;
    }
    return turned;
}

bool dal_friction_balance(dal_state *state, dal_friction_parts *p)
{
    for (int round = 0; round < MOST_TURNS; round++) {
        double turned = 0;
        if (!solve_balance(state, p))
            return false;
        for (int i = 0; i < p->elements; i++)
            if (p->look[i] > 0 && state->friction->mode[i] == DAL_SLIPS)
                turned = fmax(turned, aim_balance(state, p, i));
        if (turned < 1e-14)
            break;
    }
    return true;
}

dal_flow dal_friction_jams(dal_state *state, int element)
{
    const dal_friction_parts p = dal_friction_layout(state);
    p.jam[0] = element + 1;
    p.jam[1] = state->work.t;
    return dal_state_fail_for(state, DAL_REASON_JOINT,
                              "the friction of joint '%s' has no solution: it grows with the very force that it causes (the joint "
                              "jams); a smaller coefficient, or another geometry, is needed",
                              state->mechanism->joints[state->friction->element[element].joint].name);
}

const char *dal_friction_jammed(const dal_state *state, double t)
{
    if (!state->friction)
        return NULL;
    const dal_friction_parts p = dal_friction_layout(state);
    for (int i = 0; i < p.elements; i++)
        if (p.N[i] > runaway * dal_norm(p.a + 3 * i, 3))
            return state->mechanism->joints[state->friction->element[i].joint].name;
    if (!(p.jam[0] > 0) || !(fabs(p.jam[1] - t) <= near_in_time * fmax(state->layout->units.time, fabs(t))))
        return NULL;
    return state->mechanism->joints[state->friction->element[(int)p.jam[0] - 1].joint].name;
}
