/* One step of Newton's method to a steady motion. With the equations R and the unknowns y = (positions along T_h, states, coefficients of the fields),
 *
 *     K y = -R,   |y| least,   K = dR/dy by central differences
 *
 * where the columns of rates are small, so that positions move before rates do; the columns of positions are zero in a search that holds them. The
 * first step changes the coefficients alone, to the given rates at the position of the start. Positions do not move along the fields themselves.
 * A step is halved until R becomes smaller. A search that descends decreases the potential of the motion at given rates instead:
 * y = |S|^-1 N (-R), S being the symmetric part of the stiffness N K, with the rows N of T_h = T N^T across the fields.
 */
#include "linear/steady_parts.h"

#include "math/rank.h"
#include "math/sums.h"
#include "state/state_parts.h"

#include <math.h>
#include <string.h>

enum { FEW_HALVES = 3, MOST_HALVES = 10, TOLERANCES = 4 };
static const double longest = 0.25;      /* step, in units of the model's length */
static const double rounding = 1e-13;    /* of all equations: a smaller residual is zero */
static const double rates_count = 1e-3;  /* the columns of rates are a thousand times smaller than those of positions */
static const double small = 1e-6;        /* of all equations: near a solution */
static const double undetermined = 1e-8; /* of the largest singular value: differences leave 1e-11 */
static const double counts = 1e-6;       /* of the model's length, in its time: a velocity that is not zero */
static const double certain[TOLERANCES] = {1e-4, 1e-6, 1e-8,
                                           1e-10}; /* smallest over largest singular value of the equations: those of rates are small */

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
        to->z[k] += factor * y[p_h + k] * fmax(fabs(s->z[k]), s->z_unit[k]);
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

/* The step that is tried, and where it leads. */
typedef struct attempt {
    int p_h;
    const double *T_h, *N, *K, *R; /* R: -R of the equations */
    double size;                   /* of R */
    double *y, *slow, *other, *z, *work;
    trial to;
    bool better, climbs;
    dal_status status;
} attempt;

/* The unknowns in units of equal weight. */
static double find_slow(const dal_steady_search *s, int p_h, const double *y, double *slow)
{
    for (int j = 0; j < s->n_unknowns; j++)
        slow[j] = y[j] * (j < p_h + s->n_z ? 1 : rates_count);
    return dal_norm(slow, s->n_unknowns);
}

/* Rates that the equations do not determine: the velocities of the unknowns that solve K y = 0, whose columns of rates count as much as the others here.
 * Not counted are fields that move alike here, as a turn about the middle of a body and its own turn. At a solution only. */
static int count_freedom(dal_steady_search *s, int p_h, const double *K)
{
    const int m = s->n_unknowns, n = s->n_equations, rates = m - s->fields.k;
    const int most = n + m + s->nv + 2;
    double *equal = DAL_NEW(&s->arena, double, (size_t)m *(size_t)(n + 1) + 1), *sigma = DAL_NEW(&s->arena, double, most);
    double *null = DAL_NEW(&s->arena, double, (size_t)m *(size_t)m + 1), *work = DAL_NEW(&s->arena, double, dal_rank_work(most, most));
    for (int i = 0; i < n; i++)
        for (int j = 0; j < m; j++)
            equal[m * i + j] = K[m * i + j] / (j < p_h + s->n_z ? 1 : rates_count);
    if (!m)
        return 0;
    const int open = m - dal_rank_svd(equal, n + 1, m, m, undetermined, sigma, null, NULL, work), wide = s->nv + 1;
    double *moved = DAL_NEW(&s->arena, double, (size_t)(open + 1) * (size_t)wide);
    for (int d = 0; d < open; d++)
        for (int i = 0; i < s->fields.k; i++)
            for (int a = 0; a < s->nv; a++)
                moved[wide * d + a] +=
                    null[m * d + rates + i] * s->unit * s->fields.V[s->nv * i + a] * s->layout->units.column_scale[a] / s->layout->units.length;
    moved[wide * open + s->nv] = 1; /* an own dimension: nothing counts because all is small */
    return dal_rank_svd(moved, open + 1, wide, wide, counts, sigma, NULL, NULL, work) - 1;
}

/* Would the next step of the same matrix, |K^+ R(y)|, be shorter? Unlike |R| this does not depend on how stiff an equation is: along a curved
 * valley of stiff springs |R| grows with the square of the step (the natural monotonicity test, Deuflhard 2004, 3.3). */
static bool is_nearer(dal_steady_search *s, const attempt *a, double tolerance, double part)
{
    const int m = s->n_unknowns, n = s->n_equations;
    double *right = DAL_NEW(&s->arena, double, n + 1), *next = DAL_NEW(&s->arena, double, m + 1);
    for (int i = 0; i < n; i++)
        right[i] = -a->other[i];
    dal_rank_solve(a->K, n, m, m, tolerance, right, a->z, a->work);
    return find_slow(s, a->p_h, a->z, next) < (1 - 0.25 * part) * dal_norm(a->slow, m);
}

/* Parts of Newton's step, each half of the one before. Equations that depend on the others near a solution are omitted by the tolerance. */
static void try_parts(dal_steady_search *s, attempt *a, double tolerance, int halves, bool natural)
{
    const int m = s->n_unknowns, n = s->n_equations;
    dal_rank_solve(a->K, n, m, m, tolerance, a->R, a->y, a->work);
    a->climbs = s->descends && !s->n_z && s->p == s->point.positions.p && descend_potential(s, a->p_h, a->N, a->K, a->R, a->y);
    find_slow(s, a->p_h, a->y, a->slow);
    double part = dal_norm(a->slow, a->p_h) > longest ? longest / dal_norm(a->slow, a->p_h) : 1;
    for (int i = 0; i < halves && !a->better; i++, part *= 0.5) {
        change_unknowns(s, a->T_h, a->p_h, a->slow, part, &a->to);
        a->status = dal_steady_equations(s, a->to.q, a->to.c, a->to.z, a->other);
        a->better =
            a->status == DAL_OK && (a->climbs || dal_norm(a->other, n) < (1 - 0.1 * part) * a->size || (natural && is_nearer(s, a, tolerance, part)));
    }
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
    double *K = DAL_NEW(&s->arena, double, (size_t)m *(size_t)n + 1), *R = DAL_NEW(&s->arena, double, n + 1);
    if ((status = dal_steady_equations(s, s->q, s->c, s->z, R)) != DAL_OK || (status = find_equation_slopes(s, T_h, p_h, K)) != DAL_OK)
        return status;
    *size = dal_norm(R, n);
    if (*size < small)
        *freedom = count_freedom(s, p_h, K);
    if (*size < rounding) {
        *step = 0;
        return DAL_OK;
    }
    for (int i = 0; i < n; i++) {
        R[i] = -R[i];
        memset(K + m * i, 0, s->held ? sizeof *K * (size_t)p_h : 0);
    }
    attempt a = {.p_h = p_h, .T_h = T_h, .N = N, .K = K, .R = R, .size = *size};
    a.y = DAL_NEW(&s->arena, double, m + 1);
    a.slow = DAL_NEW(&s->arena, double, m + 1);
    a.z = DAL_NEW(&s->arena, double, m + 1);
    a.other = DAL_NEW(&s->arena, double, n + 1);
    a.work = DAL_NEW(&s->arena, double, dal_rank_work(n + 1, m + 1) + 1);
    a.to =
        (trial){DAL_NEW(&s->arena, double, s->layout->nq + 1), DAL_NEW(&s->arena, double, s->n_z + 1), DAL_NEW(&s->arena, double, s->fields.n + 1)};
    if (start && !s->n_driven) { /* drives and rows of velocities are equations for the same coefficients */
        meet_given_rates(s, K, R, a.y);
        *step = find_slow(s, p_h, a.y, a.slow);
        change_unknowns(s, T_h, p_h, a.slow, 1, &a.to);
        a.better = *step > 0 && dal_steady_equations(s, a.to.q, a.to.c, a.to.z, a.other) == DAL_OK;
    }
    for (int t = 0; t < TOLERANCES && !a.better; t++) {
        try_parts(s, &a, certain[t], FEW_HALVES, false);
        *step = dal_norm(a.slow, m);
    }
    for (int t = TOLERANCES - 1; t >= 0 && !a.better && !(*size < small); t--) {
        try_parts(s, &a, certain[t], MOST_HALVES, true);
        *step = dal_norm(a.slow, m);
    }
    if (!a.better && *size < small) { /* the rest is rounding */
        *step = 0;
        return DAL_OK;
    }
    memcpy(s->q, a.to.q, sizeof *s->q * (size_t)s->layout->nq);
    memcpy(s->z, a.to.z, sizeof *s->z * (size_t)s->n_z);
    memcpy(s->c, a.to.c, sizeof *s->c * (size_t)s->fields.n);
    return a.status;
}
