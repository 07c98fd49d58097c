/* Assembly of large models: the same least changes as in assemble.c and start_velocities.c, on sparse saddle matrices.
 *
 * Unknowns are weighted, x = S y with S = 1 / weight, 0 for what is fixed. Positions: y of least norm with A S y = b is the solution of
 *     [ 1       (A S)^T ] [ y  ]   [ 0 ]
 *     [ A S        0    ] [ mu ] = [ b ]
 * where the rows are independent. Dependent rows are omitted: they follow from the others as soon as the gaps are closed, and a remaining gap is
 * reported as before. Rows are chosen again when the pivots have become worse by the factor `worse`.
 *
 * Velocities: first C v = d exactly, then G v as near to g as possible, then the least kinetic energy. With H = G^T G,
 *     v_0 = argmin 1/2 |G v - g|^2 + epsilon/2 v^T M v   over C v = d
 * is within epsilon of it, and conjugate gradients on H v = G^T g continue from there inside C v = d, each residual r replaced by
 *     (H + epsilon M) z + C^T mu = r,   C z = 0
 * (a constraint preconditioner: Gould, Hribar, Nocedal, SIAM J. Sci. Comput. 23, 2001). Then epsilon M z = r - H z - C^T mu: v_0 and every z
 * are M^-1 times a sum of rows of G and C, and so is the limit, which for that reason is, of all v with this G v and C v, the one
 * of least v^T M v. One factorisation serves all steps. G has the given components, which lie in the block of their body, and start rates
 * of joints, which the matrix has as rows of their own: G v - rho = g.
 *
 * Where G has start rates of joints only and all rows of C and G are independent, G v = g can be met. The answer is then the least v^T M v over both,
 * one solution: conjugate gradients would need many steps for the rates of a long chain, whose far links move fast.
 */
#include "math/rank.h"
#include "math/sparse.h"
#include "math/sparse_rank.h"
#include "math/sums.h"
#include "start/assembly.h"
#include "dynamics/saddle.h"

#include <math.h>
#include <string.h>

enum { LARGE = 200, MOST_STEPS = 400 };        /* unknowns or rows from which on this is used; steps of the iteration */
static const double worse = 1e-3;              /* loss of the pivot ratio since the rows were chosen that calls for another choice */
static const double full_rank_for_sure = 1e-5; /* smallest singular value, as in dynamics/independent_rows.c */
static const double epsilon = 1e-6;            /* rounding leaves 1e-16 / epsilon */

struct dal_assembly_saddle {
    dal_saddle_slots slots;
    double *K, *rhs, *pivot;
    double *row;                /* entries of the rows, weighted, at unit norm */
    double *unit;               /* what each row was multiplied by */
    double *H;                  /* blocks of the upper left corner */
    bool *wanted, *used, *soft; /* rows that say something; that are in the matrix; that may yield */
    int *start;
    double ratio; /* of pivots, when the rows were chosen; 0: not yet */
};

bool dal_assembly_large(const dal_assembly *a)
{
    return dal_sparse_available() && (a->m > LARGE || a->r > LARGE);
}

static struct dal_assembly_saddle *saddle_of(dal_assembly *a)
{
    if (a->saddle)
        return a->saddle;
    dal_arena *arena = &a->build->start_arena;
    struct dal_assembly_saddle *s = a->saddle = DAL_NEW(arena, struct dal_assembly_saddle, 1);
    dal_saddle_pattern(arena, a->layout, &s->slots);
    s->K = DAL_NEW(arena, double, s->slots.n);
    s->rhs = DAL_NEW(arena, double, a->m + a->r);
    s->pivot = DAL_NEW(arena, double, a->r);
    s->row = DAL_NEW(arena, double, a->layout->n_values);
    s->unit = DAL_NEW(arena, double, a->r);
    s->H = DAL_NEW(arena, double, a->layout->n_mass);
    s->wanted = DAL_NEW(arena, bool, a->r);
    s->used = DAL_NEW(arena, bool, a->r);
    s->soft = DAL_NEW(arena, bool, a->r);
    s->start = DAL_NEW(arena, int, a->r + 1);
    for (int i = 0; i < a->r; i++) {
        s->start[i] = a->layout->row[i].value;
        s->start[i + 1] = s->start[i] + a->layout->row[i].n_values;
    }
    a->build->sparse = dal_sparse_create(&arena->allocator, a->m + a->r, s->slots.start, s->slots.row);
    if (!a->build->sparse)
        longjmp(*arena->guard, 1);
    return s;
}

/* ---- matrix ---------------------------------------------------------------------------- */

/* H: its blocks, or NULL for the unit matrix; soft rows are in it only beside their H. */
static double factor(dal_assembly *a, const double *H, bool fresh)
{
    struct dal_assembly_saddle *s = a->saddle;
    const dal_layout *layout = a->layout;
    const dal_saddle_slots *to = &s->slots;
    memset(s->K, 0, sizeof *s->K * (size_t)to->n);
    for (int b = 0; b < layout->n_blocks; b++) {
        const dal_mass_block *at = &layout->block[b];
        for (int i = 0; i < at->n * at->n; i++)
            s->K[to->mass[at->value + i]] = H ? H[at->value + i] : i % (at->n + 1) == 0;
    }
    for (int i = 0; i < a->r; i++) {
        const bool in = s->used[i] && (H || !s->soft[i]);
        s->K[to->diagonal[i]] = !in ? 1 : s->soft[i] ? -1 : 0;
        for (int k = s->start[i]; k < s->start[i + 1] && in; k++)
            s->K[to->rows[k]] = s->K[to->rows[layout->n_values + k]] = s->row[k];
    }
    return dal_sparse_factor(a->build->sparse, s->K, fresh);
}

/* Which of the wanted rows are independent? False: that is not decided. */
static bool choose_rows(dal_assembly *a)
{
    struct dal_assembly_saddle *s = a->saddle;
    memcpy(s->used, s->wanted, sizeof *s->used * (size_t)a->r);
    if (factor(a, NULL, true) > 0 && dal_sparse_least(a->build->sparse, a->m, a->r, s->rhs) > full_rank_for_sure)
        return true;
    const dal_sparse_matrix A = {a->r, a->m, s->start, a->layout->column, s->row};
    if (dal_sparse_rank(&a->build->arena->allocator, &A, DAL_RANK_TOLERANCE, s->soft, s->pivot) < 0)
        return false;
    for (int i = 0; i < a->r; i++)
        s->used[i] = s->wanted[i] && (s->soft[i] || s->pivot[i] > 0);
    return true;
}

/* Row i at unit norm; false: there is nothing in it. */
static bool scale_row(dal_assembly *a, int i)
{
    struct dal_assembly_saddle *s = a->saddle;
    double sum = 0;
    for (int k = s->start[i]; k < s->start[i + 1]; k++)
        sum += s->row[k] * s->row[k];
    s->unit[i] = sum > 0 ? 1 / sqrt(sum) : 0;
    for (int k = s->start[i]; k < s->start[i + 1]; k++)
        s->row[k] *= s->unit[i];
    return sum > 0;
}

static void leave_out(dal_assembly *a, int i)
{
    struct dal_assembly_saddle *s = a->saddle;
    memset(s->row + s->start[i], 0, sizeof *s->row * (size_t)a->layout->row[i].n_values);
    s->wanted[i] = s->soft[i] = false;
    s->unit[i] = 0;
}

/* ---- positions --------------------------------------------------------------------------- */

/* x := S y of the position step: A x = -phi - A e on rows 0 ... n. */
bool dal_assembly_least(dal_newton *newton, int n)
{
    dal_assembly *a = newton->user;
    struct dal_assembly_saddle *s = saddle_of(a);
    for (int i = 0; i < a->r; i++) {
        const dal_row_layout *at = &a->layout->row[i];
        leave_out(a, i);
        if (i >= n || dal_assembly_open(a, i))
            continue;
        a->b[i] = -a->work.phi[i];
        memcpy(s->row + at->value, a->work.A + at->value, sizeof *s->row * (size_t)at->n_values);
        for (int k = at->side; k < at->side + at->n_sides; k++)
            dal_assembly_center(a, a->layout->side[k].body, s->row + at->value + a->layout->side[k].offset);
        for (int k = at->value; k < at->value + at->n_values; k++) {
            a->b[i] -= s->row[k] * a->e[a->layout->column[k]];
            s->row[k] *= a->S[a->layout->column[k]];
        }
        s->wanted[i] = scale_row(a, i);
    }
    double ratio = s->ratio > 0 ? factor(a, NULL, false) : 0;
    if (!(ratio > worse * s->ratio)) {
        a->undecided = !choose_rows(a);
        ratio = s->ratio = factor(a, NULL, false);
        if (!(ratio > 0))
            return false;
    }
    memset(s->rhs, 0, sizeof *s->rhs * (size_t)a->m);
    for (int i = 0; i < a->r; i++)
        s->rhs[a->m + i] = s->used[i] ? s->unit[i] * a->b[i] : 0;
    dal_sparse_solve(a->build->sparse, s->rhs);
    memcpy(a->x, s->rhs, sizeof *a->x * (size_t)a->m);
    return true;
}

/* ---- velocities ---------------------------------------------------------------------------- */

/* Rows of C and, of start rates, of G, multiplied by `scale` if they may `yield`; their right sides at v = 0 apart from what is fixed. */
static void velocity_rows(dal_assembly *a, double scale, bool yield, const double *fixed)
{
    struct dal_assembly_saddle *s = a->saddle;
    const int exact = dal_assembly_exact(a);
    for (int i = 0; i < a->r; i++) {
        const dal_row_layout *at = &a->layout->row[i];
        const dal_target *target = i < a->n_own ? NULL : dal_assembly_target(a, i);
        double largest = 0;
        leave_out(a, i);
        if (target && !target->has_rate)
            continue;
        a->b[i] = target ? target->rate : -dal_row_free(a->layout, &a->work, &a->mechanism.rows[i]);
        for (int k = at->value; k < at->value + at->n_values; k++) {
            const int column = a->layout->column[k];
            a->b[i] -= a->work.A[k] * fixed[column];
            s->row[k] = a->work.A[k] * a->S[column];
            largest = fmax(largest, fabs(s->row[k]));
        }
        s->wanted[i] = largest > 0;
        s->soft[i] = yield && largest > 0 && i >= exact;
        if (!s->soft[i])
            scale_row(a, i);
        if (s->soft[i])
            s->unit[i] = scale / largest; /* of the size of a component of the given velocities */
        for (int k = at->value; k < at->value + at->n_values && s->soft[i]; k++)
            s->row[k] *= s->unit[i];
    }
}

/* Blocks of S (G^T G + epsilon M) S: f: rows of G of a body's own components, n_f of them; 1 on the diagonal of what is fixed. */
static void add_block(dal_assembly *a, int b, int n_f, const double *f, const double *M)
{
    const dal_mass_block *at = &a->layout->block[b];
    const double *S = a->S + at->column;
    double *H = a->saddle->H + at->value;
    for (int i = 0; i < at->n; i++)
        for (int j = 0; j < at->n; j++) {
            double sum = epsilon * M[at->value + at->n * i + j];
            for (int k = 0; k < n_f; k++)
                sum += f[k * at->n + i] * f[k * at->n + j];
            H[at->n * i + j] = S[i] * sum * S[j] + (i == j && S[i] == 0);
        }
}

/* M / mass; a part without mass has the small mass of the weights. */
static double *inertia_of(dal_assembly *a, double mass)
{
    double *M = DAL_NEW(&a->build->start_arena, double, a->layout->n_mass);
    for (int b = 0; b < a->layout->n_blocks; b++) {
        const dal_mass_block *at = &a->layout->block[b];
        double most = 0;
        for (int i = 0; i < at->n * at->n; i++)
            M[at->value + i] = a->work.M[at->value + i] / mass;
        for (int i = 0; i < at->n; i++) {
            const double length = a->layout->angular[at->column + i] ? a->length : 1;
            most = fmax(most, M[at->value + (at->n + 1) * i] / (length * length));
        }
        for (int i = 0; i < at->n; i++) {
            double *m = &M[at->value + (at->n + 1) * i], length = a->layout->angular[at->column + i] ? a->length : 1;
            if (*m <= 1e-9 * most * length * length || most == 0)
                *m += 1e-3 * length * length;
        }
    }
    return M;
}

/* What the iteration works on; vectors of m, in y: v = fixed + S y. */
typedef struct descent {
    dal_assembly *a;
    double *f; /* rows of G of the bodies' own components: block[b].n^2 places a body */
    int *n_f;
    double *y, *r, *z, *p, *Hp;
    const double *v0, *fixed;
} descent;

/* out += S G^T (g - G v) of the bodies' own components; g = 0 where v0 is NULL. */
static void add_components(const descent *d, const double *v0, const double *v, double *out)
{
    const dal_assembly *a = d->a;
    for (int b = 0; b < a->layout->n_blocks; b++) {
        const dal_mass_block *at = &a->layout->block[b];
        for (int k = 0; k < d->n_f[b]; k++) {
            const double *row = d->f + at->value + k * at->n;
            double miss = 0;
            for (int i = 0; i < at->n; i++)
                miss += row[i] * ((v0 ? v0[at->column + i] : 0) - v[at->column + i]);
            for (int i = 0; i < at->n; i++)
                out[at->column + i] += a->S[at->column + i] * row[i] * miss;
        }
    }
}

/* b - row . y of row i, at its scale; b = 0 where it is not asked for. */
static double miss_of(const dal_assembly *a, int i, bool right, const double *y)
{
    const struct dal_assembly_saddle *s = a->saddle;
    double miss = right ? s->unit[i] * a->b[i] : 0;
    for (int k = s->start[i]; k < s->start[i + 1]; k++)
        miss -= s->row[k] * y[a->layout->column[k]];
    return miss;
}

/* out := S G^T (g - G v), v = fixed + S y; without g and what is fixed where `right` is false: -S H S y. */
static void gradient(const descent *d, bool right, const double *y, double *out)
{
    const dal_assembly *a = d->a;
    const struct dal_assembly_saddle *s = a->saddle;
    double *v = s->rhs;
    memset(out, 0, sizeof *out * (size_t)a->m);
    for (int k = 0; k < a->m; k++)
        v[k] = (right ? d->fixed[k] : 0) + a->S[k] * y[k];
    add_components(d, right ? d->v0 : NULL, v, out);
    for (int i = 0; i < a->r; i++) {
        if (!s->used[i] || !s->soft[i])
            continue;
        const double miss = miss_of(a, i, right, y);
        for (int k = s->start[i]; k < s->start[i + 1]; k++)
            out[a->layout->column[k]] += s->row[k] * miss;
    }
}

/* z := the solution above for r; where `rows`, with C (y + z) = d instead of C z = 0. r := r - C^T mu: the same for every z with C z = 0,
 * and no larger than the present residual. */
static void precondition(const descent *d, double *r, bool rows, double *z)
{
    const dal_assembly *a = d->a;
    const struct dal_assembly_saddle *s = a->saddle;
    for (int i = 0; i < a->r; i++)
        s->rhs[a->m + i] = rows && s->used[i] && !s->soft[i] ? miss_of(a, i, true, d->y) : 0;
    memcpy(s->rhs, r, sizeof *r * (size_t)a->m);
    dal_sparse_solve(a->build->sparse, s->rhs);
    memcpy(z, s->rhs, sizeof *z * (size_t)a->m);
    for (int i = 0; i < a->r; i++)
        for (int k = s->start[i]; k < s->start[i + 1] && s->used[i] && !s->soft[i]; k++)
            r[a->layout->column[k]] -= s->row[k] * s->rhs[a->m + i];
}

static void add(double *y, double c, const double *x, int n)
{
    for (int i = 0; i < n; i++)
        y[i] += c * x[i];
}

/* y := v_0: the gradient at y = 0, less epsilon M times what is fixed. */
static void begin_descent(const descent *d, const double *M)
{
    const dal_assembly *a = d->a;
    gradient(d, true, d->y, d->r);
    dal_mass_times(a->layout, M, d->fixed, d->p);
    for (int k = 0; k < a->m; k++)
        d->r[k] -= epsilon * a->S[k] * d->p[k];
    precondition(d, d->r, true, d->z);
    memcpy(d->y, d->z, sizeof *d->y * (size_t)a->m);
}

static void descend(const descent *d)
{
    const int m = d->a->m;
    double first = 0, before = 0;
    gradient(d, true, d->y, d->r);
    for (int step = 0; step < MOST_STEPS; step++) {
        precondition(d, d->r, false, d->z);
        const double now = dal_inner(d->r, d->z, m);
        first = step ? first : now;
        if (!(now > 1e-26 * first) || !(now > 1e-30 * dal_inner(d->y, d->y, m)))
            return;
        for (int k = 0; k < m; k++)
            d->p[k] = d->z[k] + (step ? now / before * d->p[k] : 0);
        before = now;
        gradient(d, false, d->p, d->Hp); /* -H p */
        const double bend = -dal_inner(d->p, d->Hp, m);
        if (!(bend > 0))
            return;
        add(d->y, now / bend, d->p, m);
        add(d->r, now / bend, d->Hp, m);
    }
}

/* Are all rows independent, start rates of joints included, and is nothing else given? Then they are the rows of the matrix, and none yields. */
static bool all_can_be_met(dal_assembly *a, const descent *d)
{
    const struct dal_assembly_saddle *s = a->saddle;
    for (int b = 0; b < a->layout->n_blocks; b++)
        if (d->n_f[b])
            return false;
    velocity_rows(a, 1, false, d->fixed);
    if (!choose_rows(a))
        return false;
    for (int i = 0; i < a->r; i++)
        if (s->wanted[i] && !s->used[i])
            return false;
    return factor(a, s->H, true) > 0;
}

bool dal_assembly_velocity(dal_assembly *a, double *v, const double *v0)
{
    struct dal_assembly_saddle *s = saddle_of(a);
    const dal_layout *layout = a->layout;
    dal_arena *arena = &a->build->start_arena;
    double mass = 0, *fixed = DAL_NEW(arena, double, a->m), *vectors = DAL_NEW(arena, double, 5 * (size_t)a->m);
    const size_t m = (size_t)a->m;
    descent d = {a,
                 DAL_NEW(arena, double, layout->n_mass),
                 DAL_NEW(arena, int, layout->n_blocks),
                 vectors,
                 vectors + m,
                 vectors + 2 * m,
                 vectors + 3 * m,
                 vectors + 4 * m,
                 v0,
                 fixed};
    for (int b = 0; b < a->mechanism.n_bodies; b++)
        mass = fmax(mass, a->mechanism.bodies[b].mass);
    mass = mass > 0 ? mass : 1;
    const double *M = inertia_of(a, mass);
    for (int k = 0; k < a->m; k++)
        fixed[k] = a->S[k] == 0 ? v0[k] : 0;
    for (int b = 0; b < layout->n_blocks; b++) { /* a block is a body */
        d.n_f[b] = dal_assembly_components(a, b, 1 / sqrt(mass), d.f + layout->block[b].value);
        add_block(a, b, d.n_f[b], d.f + layout->block[b].value, M);
    }
    const bool met = all_can_be_met(a, &d);
    if (!met)
        velocity_rows(a, 1 / sqrt(mass), true, fixed);
    a->undecided = !met && (!choose_rows(a) || !(factor(a, s->H, true) > 0));
    if (a->undecided)
        return false;
    begin_descent(&d, M);
    if (!met)
        descend(&d);
    memset(d.r, 0, sizeof *d.r * m); /* rounding of the steps */
    precondition(&d, d.r, true, d.z);
    add(d.y, 1, d.z, a->m);
    for (int k = 0; k < a->m; k++)
        v[k] = fixed[k] + a->S[k] * d.y[k];
    return true;
}
