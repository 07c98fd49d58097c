/* Velocities at the start, in this order of importance:
 *   1. A v = beta, and what is fixed                              exactly
 *   2. given values                                               as near as possible, same metric
 *   3. what is left                                               least kinetic energy, always
 * each on the null space of the one before.
 *
 * Given motions are compared at the centre of mass, c' = r' + w x rho, where both
 * the velocity and the spin are given: where the frame lies does not matter. The
 * third rule is the motion that blows start from rest which bring about what is
 * given (Kelvin's theorem); bodies that are not connected do not see each other.
 *
 * Large models: the same on sparse matrices, assemble_sparse.c.
 */
#include "math/rank.h"
#include "math/sparse_rank.h"
#include "math/vec.h"
#include "system/assembly.h"

#include <math.h>
#include <string.h>

static void given_velocity(const dal_assembly *a, double *v)
{
    for (int b = 0; b < a->mechanism.n_bodies; b++) {
        const dal_body_start *start = &a->build->start[b];
        const dal_body_layout *at = &a->layout->body[b];
        int space = (int)a->mechanism.space;
        for (int k = 0; k < at->nv; k++)
            v[at->v + k] = k < space ? start->rd[k] : at->n_rot == 1 ? start->w[2] : start->w[k - space];
    }
}

static bool is_given(const dal_assembly *a, int b, int k, bool fixed)
{
    const dal_body_start *start = &a->build->start[b];
    bool rot = k >= (int)a->mechanism.space;
    return fixed ? (rot ? start->spin_fixed : start->velocity_fixed) : (rot ? start->spin_given : start->velocity_given);
}

/* C v = d: rows of the model, fixed rates, fixed components; a->source says which. Returns the number of rows. */
static int exact_equations(dal_assembly *a, const double *v0)
{
    int n = 0;
    for (int i = 0; i < dal_assembly_exact(a); i++) {
        const dal_target *target = i < a->n_own ? NULL : dal_assembly_target(a, i);
        if (target && !target->has_rate)
            continue;
        dal_assembly_row(a, i, a->A + (size_t)n * (size_t)a->m);
        a->source[n] = i;
        a->b[n++] = target ? target->rate : -dal_row_free(a->layout, &a->work, &a->mechanism.rows[i]);
    }
    for (int b = 0; b < a->mechanism.n_bodies; b++)
        for (int k = 0; k < a->layout->body[b].nv; k++)
            if (is_given(a, b, k, true)) {
                double *row = a->A + (size_t)n * (size_t)a->m;
                memset(row, 0, sizeof *row * (size_t)a->m);
                row[a->layout->body[b].v + k] = 1;
                a->source[n] = -1 - b;
                a->b[n++] = v0[a->layout->body[b].v + k];
            }
    return n;
}

/* f := the row of component k of body b in its own columns; where the whole motion is given, of its centre of mass: e_k . (r' + w x rho),
 * so that the factor of w is rho x e_k. */
static void own_component(const dal_assembly *a, int b, int k, double *f)
{
    const bool flat = a->mechanism.space == DAL_PLANAR;
    const dal_body_layout *at = &a->layout->body[b];
    memset(f, 0, sizeof *f * (size_t)at->nv);
    f[k] = 1;
    if (k >= (int)a->mechanism.space || !at->n_rot || !is_given(a, b, at->nv - 1, false))
        return;
    double rho[3], e[3] = {k == 0, k == 1, k == 2}, arm[3];
    dal_turn(a->work.kin[b].R, a->mechanism.bodies[b].center, rho);
    dal_cross(rho, e, arm);
    for (int i = 0; i < at->n_rot; i++)
        f[(int)a->mechanism.space + i] = arm[flat ? 2 : i];
}

int dal_assembly_components(const dal_assembly *a, int b, double scale, double *rows)
{
    const dal_body_layout *at = &a->layout->body[b];
    int n = 0;
    for (int k = 0; k < at->nv; k++) {
        if (!is_given(a, b, k, false) || is_given(a, b, k, true))
            continue;
        double *row = rows + n++ * at->nv, w = scale / a->S[at->v + k];
        own_component(a, b, k, row);
        for (int i = 0; i < at->nv; i++)
            row[i] *= w;
    }
    return n;
}

/* Rows G v ~ g of given values that may give way, weighted. */
static int soft_equations(dal_assembly *a, const double *v0, double *G, double *g)
{
    int n = 0;
    for (int i = dal_assembly_exact(a); i < a->r; i++) {
        const dal_target *target = dal_assembly_target(a, i);
        if (!target->has_rate)
            continue;
        dal_assembly_row(a, i, G + (size_t)n * (size_t)a->m);
        double norm = 0, *row = G + (size_t)n * (size_t)a->m;
        for (int k = 0; k < a->m; k++)
            norm = fmax(norm, fabs(row[k]) * a->S[k]);
        for (int k = 0; k < a->m && norm > 0; k++)
            row[k] /= norm;
        g[n++] = target->rate / (norm > 0 ? norm : 1);
    }
    for (int b = 0; b < a->mechanism.n_bodies; b++)
        for (int k = 0; k < a->layout->body[b].nv; k++)
            if (is_given(a, b, k, false) && !is_given(a, b, k, true)) {
                double *row = G + (size_t)n * (size_t)a->m, w = 1 / a->S[a->layout->body[b].v + k];
                memset(row, 0, sizeof *row * (size_t)a->m);
                own_component(a, b, k, row + a->layout->body[b].v);
                for (int i = 0; i < a->m; i++) {
                    row[i] *= w;
                    g[n] += row[i] * v0[i];
                }
                n++;
            }
    return n;
}

/* v += Z^T y with Z G-independent rows: y from (G Z^T) y = g - G v in the least-squares sense; Z := what stays free. */
static int settle(dal_assembly *a, int n_soft, const double *G, double *g, double *v, double *Z, int n_free)
{
    dal_arena *arena = a->build->arena;
    const size_t m = (size_t)a->m;
    double *B = DAL_TAKE(arena, double, (size_t)n_soft * (size_t)n_free), *y = DAL_TAKE(arena, double, n_free);
    double *sigma = DAL_TAKE(arena, double, n_soft + n_free), *null = DAL_TAKE(arena, double, n_free * n_free);
    double *work = DAL_TAKE(arena, double, dal_rank_work(n_soft, n_free)), *fresh = DAL_TAKE(arena, double, (size_t)n_free * m);
    for (int i = 0; i < n_soft; i++) {
        double largest = 0;
        for (size_t k = 0; k < m; k++) {
            g[i] -= G[(size_t)i * m + k] * v[k];
            largest = fmax(largest, fabs(G[(size_t)i * m + k]));
        }
        for (int j = 0; j < n_free; j++) {
            double sum = 0;
            for (size_t k = 0; k < m; k++)
                sum += G[(size_t)i * m + k] * Z[(size_t)j * m + k];
            B[i * n_free + j] = fabs(sum) > DAL_RANK_TOLERANCE * largest ? sum : 0; /* rows of Z are units: less is rounding */
        }
    }
    dal_rank_solve(B, n_soft, n_free, n_free, DAL_RANK_TOLERANCE, g, y, work);
    for (int j = 0; j < n_free; j++)
        for (size_t k = 0; k < m; k++)
            v[k] += y[j] * Z[(size_t)j * m + k];
    int left = n_free - dal_rank_svd(B, n_soft, n_free, n_free, DAL_RANK_TOLERANCE, sigma, null, NULL, work);
    for (int i = 0; i < left; i++)
        for (int j = 0; j < n_free; j++)
            for (size_t k = 0; k < m; k++)
                fresh[(size_t)i * m + k] += null[i * n_free + j] * Z[(size_t)j * m + k];
    memcpy(Z, fresh, sizeof *Z * (size_t)left * m);
    return left;
}

/* v += Z^T y of least kinetic energy: (Z M Z^T) y = -Z M v. */
static void come_to_rest(dal_assembly *a, double *v, const double *Z, int n_free)
{
    dal_arena *arena = a->build->arena;
    const size_t m = (size_t)a->m;
    double *Mz = DAL_TAKE(arena, double, m), *K = DAL_TAKE(arena, double, n_free * n_free), *rhs = DAL_TAKE(arena, double, n_free);
    double *y = DAL_TAKE(arena, double, n_free), *work = DAL_TAKE(arena, double, dal_rank_work(n_free, n_free));
    for (int i = 0; i < n_free; i++) {
        dal_mass_times(a->layout, a->work.M, Z + (size_t)i * m, Mz);
        for (size_t k = 0; k < m; k++)
            rhs[i] -= Mz[k] * v[k];
        for (int j = 0; j < n_free; j++)
            for (size_t k = 0; k < m; k++)
                K[i * n_free + j] += Mz[k] * Z[(size_t)j * m + k];
    }
    dal_rank_solve(K, n_free, n_free, n_free, DAL_RANK_TOLERANCE, rhs, y, work);
    for (int i = 0; i < n_free; i++)
        for (size_t k = 0; k < m; k++)
            v[k] += y[i] * Z[(size_t)i * m + k];
}

/* What row i of A v = beta, or a start rate of a joint, is missed by; 0 for a target without a rate. */
static double row_miss(const dal_assembly *a, int i, const double *v)
{
    const dal_row_layout *at = &a->layout->row[i];
    const dal_target *target = i < a->n_own ? NULL : dal_assembly_target(a, i);
    if (target && !target->has_rate)
        return 0;
    double sum = target ? -target->rate : dal_row_free(a->layout, &a->work, &a->mechanism.rows[i]);
    for (int k = at->value; k < at->value + at->n_values; k++)
        sum += a->work.A[k] * v[a->layout->column[k]];
    return sum;
}

/* The largest |A v - beta|, start rates of joints included. */
static double velocity_gap(const dal_assembly *a, const double *v)
{
    double worst = 0;
    for (int i = 0; i < a->r; i++)
        worst = fmax(worst, fabs(row_miss(a, i, v)));
    return worst;
}

/* What the n exact equations miss: of dense rows, and of sparse ones. */
static double *misses(const dal_assembly *a, int n, const double *v)
{
    const size_t m = (size_t)a->m;
    double *miss = DAL_TAKE(a->build->arena, double, n);
    for (int i = 0; i < n; i++) {
        miss[i] = -a->b[i];
        for (size_t k = 0; k < m; k++)
            miss[i] += a->A[(size_t)i * m + k] * v[k];
    }
    return miss;
}

static double *sparse_misses(dal_assembly *a, int *n, const double *v)
{
    double *miss = DAL_TAKE(a->build->arena, double, a->r);
    *n = 0;
    for (int i = 0; i < dal_assembly_exact(a); i++) {
        const dal_row_layout *at = &a->layout->row[i];
        const dal_target *target = i < a->n_own ? NULL : dal_assembly_target(a, i);
        if (target && !target->has_rate)
            continue;
        a->source[*n] = i;
        a->b[*n] = target ? target->rate : -dal_row_free(a->layout, &a->work, &a->mechanism.rows[i]);
        miss[*n] = -a->b[*n];
        for (int k = at->value; k < at->value + at->n_values; k++)
            miss[*n] += a->work.A[k] * v[a->layout->column[k]];
        ++*n;
    }
    return miss;
}

/* Do the n exact equations hold? Names the one that is missed most. */
static bool velocities_fit(dal_assembly *a, int n, const double *miss, double fastest)
{
    double worst = 0;
    int where = -1;
    for (int i = 0; i < n; i++)
        if (!(fabs(miss[i]) <= 1e-9 * fmax(fabs(a->b[i]), fastest) + 1e-12) && !(fabs(miss[i]) <= worst)) { /* nor may it be no number */
            worst = fabs(miss[i]);
            where = i;
        }
    if (where < 0)
        return true;
    const int row = a->source[where];
    const char *fixed = dal_assembly_fixed(a, true);
    const dal_joint *joint = row < 0 ? NULL : &a->mechanism.joints[row < a->n_own ? a->mechanism.rows[row].joint : dal_assembly_target(a, row)->joint];
    const dal_body *body = row < 0 ? &a->mechanism.bodies[-1 - row] : NULL;
    const bool angular = joint && (row < a->n_own ? a->mechanism.rows[row].angular
                                                  : a->mechanism.measures[dal_assembly_target(a, row)->measure].kind == DAL_MEASURE_ANGLE);
    const bool written = joint && joint->type == &dal_joint_constraint;
    dal_error(a->build->messages, joint ? joint->mark : body->mark, "the start velocities contradict the constraints: %.4g %s remain at %s'%s'; %s%s",
              worst, angular ? "rad/s" : joint && !written ? "m/s" : "m/s or rad/s", written ? "constraint " : joint ? "joint " : "",
              joint ? joint->name : body->name, *fixed ? "fixed, and perhaps against it: " : "drives and joints ask for different motions", fixed);
    return false;
}

static double fastest_of(const dal_assembly *a, const double *v)
{
    double fastest = 0;
    for (int k = 0; k < a->m; k++)
        fastest = fmax(fastest, fabs(v[k]));
    return fastest;
}

/* Is v = v0 the answer already? It has to satisfy the constraints, and to have no momentum along what is omitted: then every other
 * motion with the same given values has more energy. */
static bool nothing_to_do(const dal_assembly *a, const double *v0, double fastest)
{
    const double length = fmax(1, a->length);
    double *momentum = DAL_TAKE(a->build->arena, double, a->m);
    if (velocity_gap(a, v0) > dal_closed * fastest * length)
        return false;
    dal_mass_times(a->layout, a->work.M, v0, momentum);
    for (int b = 0; b < a->mechanism.n_bodies; b++)
        for (int k = 0; k < a->layout->body[b].nv; k++) {
            const double lever = k < (int)a->mechanism.space ? length : length * length;
            if (!is_given(a, b, k, false) &&
                fabs(momentum[a->layout->body[b].v + k]) > dal_closed * fastest * lever * a->mechanism.bodies[b].mass)
                return false;
        }
    return true;
}

/* The length of the change of n components. */
static double change_of(int n, const double *v, const double *v0)
{
    double sum = 0;
    for (int k = 0; k < n; k++)
        sum += (v[k] - v0[k]) * (v[k] - v0[k]);
    return sqrt(sum);
}

static void report_changes(const dal_assembly *a, const double *v, const double *v0)
{
    const double fastest = fmax(fastest_of(a, v), fastest_of(a, v0));
    for (int b = 0; b < a->mechanism.n_bodies; b++) {
        const dal_body_layout *at = &a->layout->body[b];
        const int space = (int)a->mechanism.space;
        dal_body_start *start = &a->build->start[b];
        start->change.velocity = start->velocity_given ? change_of(space, v + at->v, v0 + at->v) : 0;
        start->change.spin = start->spin_given ? change_of(at->n_rot, v + at->v + space, v0 + at->v + space) : 0;
        if (fmax(start->change.velocity, start->change.spin) > dal_worth_a_note * fastest)
            dal_say(a->build->messages, DAL_NOTE, a->mechanism.bodies[b].mark,
                    "assembly changed the start velocity of '%s' by %.3g m/s and %.3g rad/s",
                    a->mechanism.bodies[b].name, start->change.velocity, start->change.spin);
    }
    for (int i = a->n_own; i < a->r; i++) {
        const dal_target *target = dal_assembly_target(a, i);
        const double miss = row_miss(a, i, v);
        if (fabs(miss) > dal_worth_a_note * fmax(fastest, fabs(target->rate)))
            dal_say(a->build->messages, DAL_NOTE, target->mark, "assembly changed the start rate of joint '%s' from %.6g to %.6g",
                    a->mechanism.joints[target->joint].name, target->rate, target->rate + miss);
    }
}

static bool settle_large(dal_assembly *a, double *v, const double *v0)
{
    int n;
    const double *miss;
    if (!dal_assembly_velocity(a, v, v0)) {
        dal_error(a->build->messages, dal_nowhere, DAL_RANK_UNDECIDED, a->n_own);
        return false;
    }
    miss = sparse_misses(a, &n, v);
    if (!velocities_fit(a, n, miss, fmax(fastest_of(a, v), fastest_of(a, v0))))
        return false;
    report_changes(a, v, v0);
    return true;
}

bool dal_assemble_velocities(dal_assembly *a)
{
    dal_arena *arena = a->build->arena;
    const size_t m = (size_t)a->m;
    double *v0 = DAL_TAKE(arena, double, m), *v = a->work.v;
    given_velocity(a, v0);
    memcpy(v, v0, sizeof *v * m);
    dal_family_twist.velocity(a->layout, &a->work);
    dal_family_twist.inertia(a->layout, &a->work);
    double fastest = fastest_of(a, v0);
    if (nothing_to_do(a, v0, fastest))
        return true;
    dal_assembly_weigh(a, true);
    if (dal_assembly_large(a))
        return settle_large(a, v, v0);
    dal_assembly_dense(a);
    int n = exact_equations(a, v0);
    double *sigma = DAL_TAKE(arena, double, (size_t)n + m), *Z = DAL_TAKE(arena, double, m * m);
    dal_rank_solve(a->A, n, a->m, a->m, DAL_RANK_TOLERANCE, a->b, v, a->svd);
    if (!velocities_fit(a, n, misses(a, n, v), fastest))
        return false;
    fastest = fmax(fastest, fastest_of(a, v));
    int n_free = a->m - dal_rank_svd(a->A, n, a->m, a->m, DAL_RANK_TOLERANCE, sigma, Z, NULL, a->svd);
    double *G = DAL_TAKE(arena, double, (size_t)(a->r + a->m) * m), *g = DAL_TAKE(arena, double, a->r + a->m);
    int n_soft = soft_equations(a, v0, G, g);
    if (n_soft && n_free)
        n_free = settle(a, n_soft, G, g, v, Z, n_free);
    if (n_free)
        come_to_rest(a, v, Z, n_free);
    if (!velocities_fit(a, n, misses(a, n, v), fastest)) /* what was added leaves the constraints alone, unless it is out of all proportion */
        return false;
    report_changes(a, v, v0);
    return true;
}
