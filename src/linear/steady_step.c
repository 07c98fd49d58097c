/* One step of Newton's method to a steady motion. With the equations R and the unknowns y = (positions along T_h, states, coefficients of the fields),
 *
 *     K y = -R,   |y| least,   K = dR/dy by central differences
 *
 * where the columns of rates are small, so that positions move before rates do; only the first step changes the coefficients to the given rates, at
 * the position of the start. Positions do not move along the fields themselves. A step is halved until R becomes smaller. A search that descends
 * decreases the potential of the motion at given rates instead: y = |S|^-1 N (-R), S being the symmetric part of the stiffness N K, with the rows N
 * of T_h = T N^T across the fields.
 */
#include "linear/steady_parts.h"

#include "math/rank.h"
#include "math/sums.h"
#include "state/state_parts.h"

#include <math.h>
#include <string.h>

enum { MOST_HALVES = 10 };
static const double longest = 0.25;                 /* step, in units of the model's length */
static const double rounding = 1e-13;               /* of all equations: a smaller residual is zero */
static const double rates_count = 1e-3;             /* the columns of rates are a thousand times smaller than those of positions */
static const double certain[] = {1e-4, 1e-6, 1e-8}; /* smallest over largest singular value of the equations */

/* Changes unknown j of (positions along T_h, states, coefficients) by this amount, in the model's own units. */
typedef struct trial {
    double *q, *z, *c;
} trial;

static void change_unknowns(dal_steady_search *s, const double *T_h, int p_h, const double *y, double factor, const trial *to)
{
    double *dq = DAL_NEW(&s->arena, double, s->nv + 1);
    memcpy(to->q, s->q, sizeof *s->q * (size_t)s->layout->nq);
    memcpy(to->z, s->z, sizeof *s->z * (size_t)s->n_z);
    memcpy(to->c, s->c, sizeof *s->c * (size_t)s->fields.n);
    for (int j = 0; j < p_h; j++)
        for (int k = 0; k < s->nv; k++)
            dq[k] += factor * y[j] * s->unit * T_h[(size_t)s->nv * (size_t)j + (size_t)k];
    s->layout->family->add(s->layout, to->q, dq);
    for (int k = 0; k < s->n_z; k++)
        to->z[k] += factor * y[p_h + k] * fmax(fabs(s->z[k]), 1e-3);
    for (int i = 0; i < s->fields.k; i++)
        for (int j = 0; j < s->fields.n; j++)
            to->c[j] += factor * y[p_h + s->n_z + i] * s->unit / s->layout->units.time * s->fields.basis[s->fields.n * i + j];
}

static dal_status find_equation_slopes(dal_steady_search *s, const double *T_h, int p_h, double *K)
{
    const int m = s->n_unknowns, n = s->n_equations;
    double *y = DAL_NEW(&s->arena, double, m + 1), *plus = DAL_NEW(&s->arena, double, n + 1), *minus = DAL_NEW(&s->arena, double, n + 1);
    const trial to = {DAL_NEW(&s->arena, double, s->layout->nq + 1), DAL_NEW(&s->arena, double, s->n_z + 1),
                      DAL_NEW(&s->arena, double, s->fields.n + 1)};
    for (int j = 0; j < m; j++) {
        y[j] = 1;
        for (int sign = 0; sign < 2; sign++) {
            change_unknowns(s, T_h, p_h, y, sign ? -dal_steady_difference : dal_steady_difference, &to);
            const dal_status status = dal_steady_equations(s, to.q, to.c, to.z, sign ? minus : plus);
            if (status != DAL_OK)
                return status;
        }
        y[j] = 0;
        for (int i = 0; i < n; i++)
            K[m * i + j] = (plus[i] - minus[i]) / (2 * dal_steady_difference) * (j < p_h + s->n_z ? 1 : rates_count);
    }
    return DAL_OK;
}

/* A step that decreases the potential of the motion at given rates: first the rates, then positions along the eigenvectors of the stiffness, with
 * the absolute values of its eigenvalues. True: some eigenvalues were negative. */
static bool descend_potential(dal_steady_search *s, int p, const double *N, const double *K, const double *R, double *y)
{
    const int all = s->p, k = s->fields.k, m = s->n_unknowns, n = s->n_equations;
    double *G = DAL_NEW(&s->arena, double, (size_t)(n - all) * (size_t)k + 1), *S = DAL_NEW(&s->arena, double, (size_t)p *(size_t)p + 1);
    double *value = DAL_NEW(&s->arena, double, p + 1), *vector = DAL_NEW(&s->arena, double, (size_t)p *(size_t)p + 1), most = 0;
    double *work = DAL_NEW(&s->arena, double, dal_rank_work(n + m + 1, n + m + 1) + 1), *right = DAL_NEW(&s->arena, double, p + 1);
    bool climbs = false;
    memset(y, 0, sizeof *y * (size_t)m);
    for (int i = all; i < n; i++)
        memcpy(G + k * (i - all), K + m * i + p, sizeof *G * (size_t)k);
    if (k && n > all)
        dal_rank_solve(G, n - all, k, k, 1e-8, R + all, y + p, work);
    for (int a = 0; a < all; a++) {
        double rest = R[a];
        for (int j = 0; j < k; j++)
            rest -= K[m * a + p + j] * y[p + j];
        for (int i = 0; i < p; i++) {
            right[i] += N[all * i + a] * rest;
            for (int j = 0; j < p; j++) {
                S[p * i + j] += 0.5 * N[all * i + a] * K[m * a + j];
                S[p * j + i] += 0.5 * N[all * i + a] * K[m * a + j];
            }
        }
    }
    if (p && dal_symmetric_eigen(S, p, p, value, vector, work))
        return false;
    for (int i = 0; i < p; i++)
        most = fmax(most, fabs(value[i]));
    for (int i = 0; i < p; i++) {
        double along = 0;
        for (int j = 0; j < p; j++)
            along += vector[p * i + j] * right[j];
        climbs = climbs || value[i] < -1e-7 * most;
        for (int j = 0; j < p && fabs(value[i]) > 1e-7 * most; j++)
            y[j] += along / fabs(value[i]) * vector[p * i + j];
    }
    return climbs;
}

/* Positions do not move along the fields, because this would not change F: the rows of N are orthonormal and orthogonal to the fields, and T_h
 * becomes T_h N^T. Returns the number of rows. */
static int leave_fields(dal_steady_search *s, int p_h, double *T_h, double *N)
{
    const int k = s->fields.k, most = k > p_h ? k : p_h;
    double *momentum = DAL_NEW(&s->arena, double, s->nv + 1), *G = DAL_NEW(&s->arena, double, (size_t)p_h *(size_t)p_h + 1);
    double *a = DAL_NEW(&s->arena, double, (size_t)k *(size_t)p_h + 1), *L = DAL_NEW(&s->arena, double, (size_t)k *(size_t)k + 1);
    double *value = DAL_NEW(&s->arena, double, most + 1), *x = DAL_NEW(&s->arena, double, (size_t)k *(size_t)k + 1);
    double *work = DAL_NEW(&s->arena, double, dal_rank_work(most + 1, most + 1) + 1);
    double *old = DAL_NEW(&s->arena, double, (size_t)p_h *(size_t)s->nv + 1);
    int across = 0;
    for (int i = 0; i < k; i++) {
        dal_mass_times(s->layout, dal_seen_work(s->state)->M, s->fields.V + (size_t)s->nv * (size_t)i, momentum);
        for (int b = 0; b < s->nv; b++) {
            for (int j = 0; j < p_h; j++)
                a[p_h * i + j] += T_h[(size_t)s->nv * (size_t)j + (size_t)b] * momentum[b];
            for (int j = 0; j < k; j++)
                L[k * i + j] += s->fields.V[(size_t)s->nv * (size_t)j + (size_t)b] * momentum[b];
        }
    }
    for (int i = 0; i < k; i++) /* energy that is not along T_h: fields that rows of positions forbid, because a drive moves them */
        for (int j = 0; j < k; j++)
            for (int l = 0; l < p_h; l++)
                L[k * i + j] -= a[p_h * i + l] * a[p_h * j + l];
    if (k && dal_symmetric_eigen(L, k, k, value, x, work))
        return 0;
    for (int i = 0; i < k && value[i] < 1e-9; i++) {
        double *along = DAL_NEW(&s->arena, double, p_h + 1);
        for (int j = 0; j < k; j++)
            for (int l = 0; l < p_h; l++)
                along[l] += x[k * i + j] * a[p_h * j + l];
        for (int j = 0; j < p_h; j++)
            for (int l = 0; l < p_h; l++)
                G[p_h * j + l] += along[j] * along[l];
    }
    if (p_h && dal_symmetric_eigen(G, p_h, p_h, value, N, work))
        return 0;
    while (across < p_h && value[across] <= 1e-12 * value[p_h - 1])
        across++;
    memcpy(old, T_h, sizeof *old * (size_t)p_h * (size_t)s->nv);
    memset(T_h, 0, sizeof *T_h * (size_t)p_h * (size_t)s->nv);
    for (int i = 0; i < across; i++)
        for (int j = 0; j < p_h; j++)
            for (int b = 0; b < s->nv; b++)
                T_h[(size_t)s->nv * (size_t)i + (size_t)b] += N[p_h * i + j] * old[(size_t)s->nv * (size_t)j + (size_t)b];
    return across;
}

/* At the start: the coefficients with the given rates that are nearest to those of the motion of the start, at the same position. */
static void meet_given_rates(dal_steady_search *s, const double *K, const double *R, double *y)
{
    const int k = s->fields.k, m = s->n_unknowns, g = s->n_given, first = s->n_equations - g;
    double *G = DAL_NEW(&s->arena, double, (size_t)g *(size_t)k + 1);
    double *work = DAL_NEW(&s->arena, double, dal_rank_work(g + 1, k + 1) + 1);
    memset(y, 0, sizeof *y * (size_t)m);
    for (int i = 0; i < g; i++)
        memcpy(G + k * i, K + m * (first + i) + m - k, sizeof *G * (size_t)k);
    if (k && g)
        dal_rank_solve(G, g, k, k, 1e-8, R + first, y + m - k, work);
}

dal_status dal_steady_step(dal_steady_search *s, const dal_body_motion *start, double *size, double *step, int *freedom)
{
    dal_status status = dal_steady_prepare(s, start);
    if (status != DAL_OK)
        return status;
    const int whole = s->point.positions.p, n = s->n_equations;
    const size_t area = (size_t)whole * (size_t)s->nv;
    double *T_h = DAL_NEW(&s->arena, double, area + 1), *N = DAL_NEW(&s->arena, double, (size_t)whole *(size_t)whole + 1);
    memcpy(T_h, s->point.positions.T, sizeof *T_h * area);
    const int p_h = leave_fields(s, whole, T_h, N), m = s->n_unknowns = p_h + s->n_z + s->fields.k;
    double *K = DAL_NEW(&s->arena, double, (size_t)m *(size_t)n + 1);
    double *R = DAL_NEW(&s->arena, double, n + 1), *y = DAL_NEW(&s->arena, double, m + 1), *other = DAL_NEW(&s->arena, double, n + 1);
    double *work = DAL_NEW(&s->arena, double, dal_rank_work(n + 1, m + 1) + 1);
    const trial to = {DAL_NEW(&s->arena, double, s->layout->nq + 1), DAL_NEW(&s->arena, double, s->n_z + 1),
                      DAL_NEW(&s->arena, double, s->fields.n + 1)};
    if ((status = dal_steady_equations(s, s->q, s->c, s->z, R)) != DAL_OK || (status = find_equation_slopes(s, T_h, p_h, K)) != DAL_OK)
        return status;
    *size = dal_norm(R, n);
    if (*size < rounding) {
        *step = 0;
        return DAL_OK;
    }
    for (int i = 0; i < n; i++)
        R[i] = -R[i];
    double *slow = DAL_NEW(&s->arena, double, m + 1);
    bool better = false;
    if (start && !s->n_driven) { /* drives and rows of velocities are equations for the same coefficients */
        meet_given_rates(s, K, R, y);
        for (int j = 0; j < m; j++)
            slow[j] = y[j] * rates_count;
        *step = dal_norm(slow, m);
        change_unknowns(s, T_h, p_h, slow, 1, &to);
        better = *step > 0 && dal_steady_equations(s, to.q, to.c, to.z, other) == DAL_OK;
    }
    for (int t = 0; t < 3 && !better; t++) { /* equations that depend on the others near a solution are omitted as long as that helps */
        const int rank = dal_rank_solve(K, n, m, m, certain[t], R, y, work);
        if (!t)
            *freedom = m - rank;
        const bool climbs = s->descends && !s->n_z && s->p == whole && descend_potential(s, p_h, N, K, R, y);
        for (int j = 0; j < m; j++)
            slow[j] = y[j] * (j < p_h + s->n_z ? 1 : rates_count);
        *step = dal_norm(slow, m);
        double part = dal_norm(slow, p_h) > longest ? longest / dal_norm(slow, p_h) : 1;
        for (int i = 0; i < MOST_HALVES && !better; i++, part *= 0.5) {
            change_unknowns(s, T_h, p_h, slow, part, &to);
            status = dal_steady_equations(s, to.q, to.c, to.z, other);
            better = status == DAL_OK && (climbs || dal_norm(other, n) < (1 - 0.1 * part) * *size);
        }
    }
    if (!better && *size < 1e-6) { /* the rest is rounding */
        *step = 0;
        return DAL_OK;
    }
    memcpy(s->q, to.q, sizeof *s->q * (size_t)s->layout->nq);
    memcpy(s->z, to.z, sizeof *s->z * (size_t)s->n_z);
    memcpy(s->c, to.c, sizeof *s->c * (size_t)s->fields.n);
    return status;
}
