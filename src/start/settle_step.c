/* One step of the search for an equilibrium: the equations at a position, and the step along T_h (start/point.h) and the states z of the model.
 *
 *     F = (rho, z'),   rho = T^T (h - Q),   K = dF / d(along T_h, z),   S = (K + K^T) / 2
 *
 *   S > 0, no states z       K step = -rho                                       Newton
 *   S not positive, and the step would be longer than the radius
 *                            (S + m) step = -rho, m > 0 as small as it may be    Levenberg, Marquardt: about as long as the radius
 *   S not positive, and within the radius
 *                            step = -sum over k of (e_k . rho) / |s_k| e_k       with S e_k = s_k e_k: down the potential, not up to a saddle
 *   states z that follow the position: z' = 0 is solved for z, and a step is made as above, with
 *                            K_q - K_qz K_z^-1 K_zq for K, rho - K_qz K_z^-1 z' for rho
 *   other states z (integrators), or Newton's steps alone (`straight`)
 *                            K step = -F                                         Newton, least squares and least norm
 *
 * A curvature s_k is zero below 1e-10 of the largest. A direction with such a curvature is indifferent if no force acts along it.
 */
#include "start/settle_parts.h"

#include "math/dense.h"
#include "math/rank.h"
#include "math/state_units.h"
#include "math/sums.h"
#include "math/vec.h"
#include "start/shares.h"
#include "state/state_parts.h"

#include <math.h>
#include <string.h>

enum { MOST_TRIALS = 24, MOST_PUSHES = 3 };
static const double stuck = 0.9;   /* of the forces: what a step would leave */
static const double aside = 0.1;   /* of the model's length, over the mass: from a position that Newton's steps do not leave */
static const double flat = 1e-10;  /* of the largest stiffness */
static const double loose = 1e-8;  /* pivots of K_z over the largest: the position does not determine the states */
static const double slack = 1e-12; /* of one over the square of the model's own time: what is left of stiffnesses that cancel */

const dal_kept_rows *dal_settle_ways(const dal_settler *s)
{
    return s->rolls ? &s->point.velocities : &s->point.positions;
}

/* How far the model extends from its middle, at least its own length. */
double dal_settle_extent(const dal_settler *s)
{
    const dal_layout *layout = s->point.layout;
    const int n = layout->mechanism->n_bodies;
    const dal_kin *kin = dal_seen_work(s->state)->kin;
    double middle[3] = {0, 0, 0}, most = layout->units.length;
    for (int b = 0; b < n; b++)
        dal_axpy3(1.0 / n, kin[b].r, middle);
    for (int b = 0; b < n; b++) {
        double apart[3];
        dal_sub3(kin[b].r, middle, apart);
        most = fmax(most, sqrt(dal_dot(apart, apart)));
    }
    return most;
}

/* How far dq goes: turns of the bodies in rad, shifts of the bodies over `stride` extents of the model, coordinates without bodies over its length. */
double dal_settle_size(dal_settler *s, const double *dq, double stride)
{
    const dal_layout *layout = s->point.layout;
    const int n = layout->mechanism->n_bodies;
    dal_work *work = dal_work_of(s->state);
    dal_tangent *tangent = DAL_NEW(&s->arena, dal_tangent, n + 1);
    const double extent = dal_settle_extent(s);
    double most = 0, shift = 0, w[3];
    if (n)
        layout->family->tangent(layout, work, &(dal_direction){dq, 0, tangent});
    for (int b = 0; b < n; b++) {
        dal_spin_of(work->kin[b].R, tangent[b].Rd, w);
        shift = fmax(shift, sqrt(dal_dot(tangent[b].rd, tangent[b].rd)) / layout->units.length);
        most = fmax(most, layout->mechanism->bodies[b].particle ? 0 : sqrt(dal_dot(w, w)));
    }
    for (int k = 0; k < layout->nv && (!n || layout->systems); k++)
        shift = fmax(shift, fabs(dq[k]) * layout->units.column_scale[k] / layout->units.length);
    most = fmax(most, shift * layout->units.length / (extent * stride));
    for (int k = 0; k < layout->nv && most < INFINITY; k++)
        most = isfinite(dq[k]) ? most : INFINITY;
    return most;
}

/* rho, z' and their derivatives along the directions of a step and z. Square but for T_h where rows of velocities hold. */
void dal_settle_system(dal_settler *s)
{
    dal_point *p = &s->point;
    const dal_kept_rows *ways = dal_settle_ways(s);
    const int columns = ways->p + p->n_z, rows = p->velocities.p + p->n_z;
    double *motion = DAL_NEW(&s->arena, double, p->velocities.p + 1), *states = DAL_NEW(&s->arena, double, p->n_z + 1);
    double *dz = DAL_NEW(&s->arena, double, p->n_z + 1);
    s->K = DAL_NEW(&s->arena, double, (size_t)rows *(size_t)columns + 1);
    s->rho = DAL_NEW(&s->arena, double, rows + 1);
    dal_point_hold(p);
    dal_point_values(p, NULL, s->rho + p->velocities.p);
    dal_point_unbalance(p, s->rho);
    if (!p->n_z) {
        dal_point_stiffnesses(p, ways, s->K);
        return;
    }
    for (int j = 0; j < columns; j++) {
        const bool position = j < ways->p;
        if (!position)
            dz[j - ways->p] = 1;
        dal_point_stiffness(p, position ? &(dal_change){.q = ways->T + (size_t)p->nv * (size_t)j} : &(dal_change){.z = dz}, motion, states);
        if (!position)
            dz[j - ways->p] = 0;
        for (int i = 0; i < rows; i++)
            s->K[(size_t)columns * (size_t)i + (size_t)j] = i < p->velocities.p ? motion[i] : states[i - p->velocities.p];
    }
}

/* What nothing holds, and what pushes it: the names of a direction along T. */
void dal_settle_name_direction(dal_settler *s, const dal_kept_rows *rows, const double *xi)
{
    dal_point *p = &s->point;
    double *v = DAL_NEW(&s->arena, double, p->nv + 1);
    const dal_mode_share *shares;
    dal_kept_expand(p, rows, 1, xi, v);
    if (dal_find_shares(p, v, NULL, &shares))
        s->runs = shares[0].part;
}

static void symmetrise(const dal_settler *s, int n, double *S)
{
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            S[n * i + j] = 0.5 * (s->K[n * i + j] + s->K[n * j + i]);
}

/* Is every curvature greater than what is flat? A Cholesky factorisation of S - flat |S| decides. */
static bool is_positive(dal_settler *s, int n, const double *S)
{
    double *L = DAL_NEW(&s->arena, double, (size_t)n *(size_t)n + 1), most = 0;
    int where;
    for (int i = 0; i < n; i++) {
        double sum = 0;
        for (int j = 0; j < n; j++)
            sum += fabs(S[n * i + j]);
        most = fmax(most, sum);
    }
    memcpy(L, S, sizeof *L * (size_t)n * (size_t)n);
    for (int i = 0; i < n; i++)
        L[(n + 1) * i] -= flat * most;
    return dal_cholesky(L, n, n, 0, &where);
}

/* Far away a step is shortened in any case: (S + m) step = -rho, with m as small as S + m is positive and the step not much longer than it may be
 * (Levenberg, Marquardt). False: the eigenvalues of S make a longer step. */
static bool stays_short(dal_settler *s, int n, const double *S)
{
    const size_t area = (size_t)n * (size_t)n;
    double *L = DAL_NEW(&s->arena, double, area + 1), *dq = DAL_NEW(&s->arena, double, s->point.nv + 1), most = dal_norm(s->rho, n);
    int where;
    for (size_t i = 0; i < area; i++)
        most = fmax(most, fabs(S[i]));
    double by = flat * most;
    for (int trial = 0; trial < MOST_TRIALS; trial++, by *= 8) {
        memcpy(L, S, sizeof *L * area);
        for (int i = 0; i < n; i++)
            L[(n + 1) * i] += by;
        if (!dal_cholesky(L, n, n, 0, &where))
            continue;
        for (int i = 0; i < n; i++)
            s->step[i] = -s->rho[i];
        dal_cholesky_solve(L, n, n, s->step);
        memset(dq, 0, sizeof *dq * (size_t)s->point.nv);
        dal_kept_expand(&s->point, dal_settle_ways(s), 1, s->step, dq);
        const double size = dal_settle_size(s, dq, 1);
        if (size <= 2 * s->radius)
            return trial > 0 && size > 0.5 * s->radius;
    }
    return false;
}

double dal_settle_force_unit(const dal_settler *s)
{
    const dal_units *units = &s->point.layout->units;
    return sqrt(units->mass) * units->length / (units->time * units->time);
}

/* Nothing holds the model, and nothing pushes it: what K and rho have is rounding. */
static bool is_indifferent(const dal_settler *s, int n, const double *S)
{
    const double time = s->point.layout->units.time;
    double most = 0;
    for (size_t i = 0; i < (size_t)n * (size_t)n; i++)
        most = fmax(most, fabs(S[i]));
    return most <= slack / (time * time) && dal_norm(s->rho, n) <= dal_settle_push * dal_settle_force_unit(s);
}

/* Mechanical freedoms alone: down the potential. True: it is Newton's step. */
static bool descend(dal_settler *s)
{
    const int n = dal_settle_ways(s)->p;
    const size_t area = (size_t)n * (size_t)n;
    const dal_units *units = &s->point.layout->units;
    double *S = DAL_NEW(&s->arena, double, area + 1), *value = DAL_NEW(&s->arena, double, n + 1), *vector = DAL_NEW(&s->arena, double, area + 1);
    double *work = DAL_NEW(&s->arena, double, dal_rank_work(n, n) + 1), most = 0;
    int *pivot = DAL_NEW(&s->arena, int, n + 1);
    symmetrise(s, n, S);
    if (is_indifferent(s, n, S))
        return true;
    if (is_positive(s, n, S)) {
        for (int i = 0; i < n; i++)
            s->step[i] = -s->rho[i];
        if (dal_lu(s->K, n, n, pivot) > 0) {
            dal_lu_solve(s->K, n, n, pivot, s->step);
            return true;
        }
    }
    if (stays_short(s, n, S) || dal_symmetric_eigen(S, n, n, value, vector, work))
        return false;
    memset(s->step, 0, sizeof *s->step * (size_t)n);
    for (int i = 0; i < n; i++)
        most = fmax(most, fabs(value[i]));
    const double unit = dal_settle_force_unit(s);
    bool newton = true;
    for (int k = 0; k < n; k++) {
        double along = 0, size = fabs(value[k]);
        for (int i = 0; i < n; i++)
            along += vector[(size_t)n * (size_t)k + (size_t)i] * s->rho[i];
        if (size <= flat * most || !(most > 0)) {
            if (fabs(along) <= dal_settle_push * unit)
                continue; /* indifferent */
            size = flat * fmax(most, 1 / (units->time * units->time));
        }
        newton = newton && value[k] > flat * most;
        for (int i = 0; i < n; i++)
            s->step[i] -= along / size * vector[(size_t)n * (size_t)k + (size_t)i];
    }
    return newton;
}

void dal_settle_units(dal_settler *s, double *row, double *column)
{
    const dal_point *p = &s->point;
    const dal_units *units = &p->layout->units;
    const int columns = p->positions.p + p->n_z, rows = p->velocities.p + p->n_z;
    double *K = DAL_NEW(&s->arena, double, (size_t)rows *(size_t)columns + 1), *own = DAL_NEW(&s->arena, double, p->n_z + 1);
    for (int i = 0; i < rows; i++)
        row[i] = i < p->velocities.p ? dal_settle_force_unit(s) : 1 / units->time;
    for (int j = 0; j < columns; j++)
        column[j] = j < p->positions.p ? sqrt(units->mass) * units->length : 1;
    for (int i = 0; i < rows; i++)
        for (int j = 0; j < columns; j++)
            K[columns * i + j] = s->K[columns * i + j] / row[i] * column[j];
    dal_state_units_balance(p->velocities.p, p->positions.p, p->n_z, K, own);
    for (int k = 0; k < p->n_z; k++) {
        row[p->velocities.p + k] *= own[k];
        column[p->positions.p + k] *= own[k];
    }
}

/* Newton's step, of least squares and least norm in the units of its rows and columns. */
static void solve_newton(dal_settler *s)
{
    const dal_point *p = &s->point;
    const int columns = p->positions.p + p->n_z, rows = p->velocities.p + p->n_z;
    double *row = DAL_NEW(&s->arena, double, rows + 1), *column = DAL_NEW(&s->arena, double, columns + 1);
    double *K = DAL_NEW(&s->arena, double, (size_t)rows *(size_t)columns + 1);
    double *right = DAL_NEW(&s->arena, double, rows + 1), *work = DAL_NEW(&s->arena, double, dal_rank_work(rows, columns) + 1);
    dal_settle_units(s, row, column);
    for (int i = 0; i < rows; i++) {
        right[i] = -s->rho[i] / row[i];
        for (int j = 0; j < columns; j++)
            K[columns * i + j] = s->K[columns * i + j] / row[i] * column[j];
    }
    dal_rank_solve(K, rows, columns, columns, flat, right, s->step, work);
    for (int j = 0; j < columns; j++)
        s->step[j] *= column[j];
}

/* Where no change of position is seen to change the forces, as at the largest moment of a weight, nothing leads on: the forces push the bodies. */
static void push_on(dal_settler *s)
{
    const dal_point *p = &s->point;
    const int columns = p->positions.p + p->n_z, n = p->positions.p;
    const double size = dal_norm(s->rho, n);
    double left = 0;
    for (int i = 0; i < n; i++) {
        double sum = s->rho[i];
        for (int j = 0; j < columns; j++)
            sum += s->K[columns * i + j] * s->step[j];
        left += sum * s->rho[i];
    }
    if (s->pushes >= MOST_PUSHES || p->velocities.p != n || !(size > 1e3 * dal_settle_push * dal_settle_force_unit(s)) ||
        !(left > stuck * size * size))
        return;
    s->pushes++;
    for (int i = 0; i < n; i++)
        s->step[i] -= aside * s->rho[i] / size * sqrt(p->layout->units.mass) * p->layout->units.length;
}

/* K_z, factored in units of its rows and columns. False: the position does not determine the states. */
static bool factor_states(dal_settler *s, const double *row, const double *column, double *Kz, int *pivot)
{
    const int n = s->point.positions.p, m = s->point.n_z;
    for (int k = 0; k < m; k++)
        for (int l = 0; l < m; l++)
            Kz[m * k + l] = s->K[(n + m) * (n + k) + n + l] / row[n + k] * column[n + l];
    return dal_lu(Kz, m, m, pivot) > loose;
}

/* States that follow the position: z changes by -K_z^-1 (z' + K_zq step). False: they do not follow it. */
static bool descend_with_states(dal_settler *s, bool *newton)
{
    const int n = s->point.positions.p, m = s->point.n_z, all = n + m;
    double *row = DAL_NEW(&s->arena, double, all + 1), *column = DAL_NEW(&s->arena, double, all + 1);
    double *Kz = DAL_NEW(&s->arena, double, m *m + 1), *follow = DAL_NEW(&s->arena, double, m *(n + 1) + 1);
    double *K = s->K, *rho = s->rho;
    int *pivot = DAL_NEW(&s->arena, int, m + 1);
    dal_settle_units(s, row, column);
    if (!factor_states(s, row, column, Kz, pivot))
        return false;
    for (int j = 0; j <= n; j++) { /* K_z^-1 K_zq, and K_z^-1 z' behind it */
        double *f = follow + (size_t)m * (size_t)j;
        for (int k = 0; k < m; k++)
            f[k] = (j < n ? K[all * (n + k) + j] : rho[n + k]) / row[n + k];
        dal_lu_solve(Kz, m, m, pivot, f);
        for (int k = 0; k < m; k++)
            f[k] *= column[n + k];
    }
    s->K = DAL_NEW(&s->arena, double, n *n + 1);
    s->rho = DAL_NEW(&s->arena, double, n + 1);
    for (int i = 0; i < n; i++)
        for (int j = 0; j <= n; j++) {
            double *to = j < n ? &s->K[n * i + j] : &s->rho[i];
            *to = j < n ? K[all * i + j] : rho[i];
            for (int k = 0; k < m; k++)
                *to -= K[all * i + n + k] * follow[m * j + k];
        }
    *newton = descend(s);
    for (int k = 0; k < m; k++) {
        s->step[n + k] = -follow[m * n + k];
        for (int j = 0; j < n; j++)
            s->step[n + k] -= follow[m * j + k] * s->step[j];
    }
    s->K = K;
    s->rho = rho;
    return true;
}

bool dal_settle_step(dal_settler *s)
{
    const dal_point *p = &s->point;
    const int columns = dal_settle_ways(s)->p + p->n_z, rows = p->velocities.p + p->n_z;
    s->step = DAL_NEW(&s->arena, double, columns + 1);
    if (!p->n_z && rows == columns && !s->straight)
        return descend(s);
    bool newton;
    if (p->n_z && rows == columns && !s->straight && descend_with_states(s, &newton))
        return newton;
    solve_newton(s);
    push_on(s);
    return true;
}
