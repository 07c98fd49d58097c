/* Velocities at the start, in this order of importance:
 *   1. A v = beta, and what is fixed                              exactly
 *   2. given values                                               as near as possible, same metric
 *   3. what is left                                               least kinetic energy, always
 * each on the null space of the one before.
 *
 * Given motions are compared at the centre of mass, c' = r' + w x rho, where both
 * the velocity and the spin are given: where the frame lies does not matter. The third rule gives the motion that starts from rest by impulses at the
 * given velocities (Kelvin's theorem); bodies that are not connected do not affect each other.
 *
 * All of it in lengths of the model and radians: unknowns are v_k over the unit of column k, and a row is divided by its own unit, so that ranks and
 * residuals do not depend on the size of the mechanism.
 *
 * Large models: the same on sparse matrices, assemble_sparse.c.
 *
 * Rows that are not linear in the rates: the same at the row's tangent, phi + A (v - v_n) = 0, again and again from the given values on
 * (Gauss and Newton). At its limit phi is zero, and the change from the given values is normal to the root: the nearest root is found.
 */
#include "math/rank.h"
#include "math/sparse_rank.h"
#include "math/vec.h"
#include "start/assembly.h"

#include <math.h>
#include <string.h>

void dal_assembly_given(const dal_assembly *a, double *v)
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

/* Row n of C, times the units of the columns, and d over the largest entry; a row of zeros stays. */
static void find_units(dal_assembly *a, int n)
{
    double *row = a->A + (size_t)n * (size_t)a->m, unit = 0;
    for (int k = 0; k < a->m; k++) {
        row[k] *= dal_assembly_unit(a, k);
        unit = fmax(unit, fabs(row[k]));
    }
    a->row_unit[n] = unit > 0 ? unit : 1;
    for (int k = 0; k < a->m; k++)
        row[k] /= a->row_unit[n];
    a->b[n] /= a->row_unit[n];
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
        find_units(a, n - 1);
    }
    for (int b = 0; b < a->mechanism.n_bodies; b++)
        for (int k = 0; k < a->layout->body[b].nv; k++)
            if (is_given(a, b, k, true)) {
                double *row = a->A + (size_t)n * (size_t)a->m;
                memset(row, 0, sizeof *row * (size_t)a->m);
                row[a->layout->body[b].v + k] = 1;
                a->source[n] = -1 - b;
                a->b[n++] = v0[a->layout->body[b].v + k];
                find_units(a, n - 1);
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

/* Rows G v ~ g of given values that may yield, weighted; G times the units of the columns. */
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
        for (int k = 0; k < a->m; k++)
            row[k] *= dal_assembly_unit(a, k) / (norm > 0 ? norm : 1);
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
                    row[i] *= dal_assembly_unit(a, i);
                }
                n++;
            }
    return n;
}

/* v += Z^T y, the rows of Z being the motions that are still free: (G Z^T) y = g - G v by least squares. Z := those of them that G does not see.
 * Returns how many. */
static int settle(dal_assembly *a, int n_soft, const double *G, double *g, double *v, double *Z, int n_free)
{
    dal_arena *arena = &a->build->start_arena;
    const size_t m = (size_t)a->m;
    double *B = DAL_NEW(arena, double, (size_t)n_soft *(size_t)n_free), *y = DAL_NEW(arena, double, n_free);
    double *sigma = DAL_NEW(arena, double, n_soft + n_free), *null = DAL_NEW(arena, double, n_free *n_free);
    double *work = DAL_NEW(arena, double, dal_rank_work(n_soft, n_free)), *fresh = DAL_NEW(arena, double, (size_t)n_free *m);
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

/* The largest entry of M on its diagonal, in units of its rows and columns. */
static double heaviest(const dal_assembly *a)
{
    const dal_layout *layout = a->layout;
    double most = 0;
    for (int b = 0; b < layout->n_blocks; b++)
        for (int i = 0; i < layout->block[b].n; i++) {
            const double unit = dal_assembly_unit(a, layout->block[b].column + i);
            most = fmax(most, a->work.M[layout->block[b].value + (layout->block[b].n + 1) * i] * unit * unit);
        }
    return most;
}

/* v += Z^T y of least kinetic energy: (Z M Z^T) y = -Z M v, with M / (mass of the model) times the units of its rows and columns. */
static void come_to_rest(dal_assembly *a, double *v, const double *Z, int n_free)
{
    dal_arena *arena = &a->build->start_arena;
    const size_t m = (size_t)a->m;
    double *Mz = DAL_NEW(arena, double, m), *z = DAL_NEW(arena, double, m), *K = DAL_NEW(arena, double, n_free *n_free),
           *rhs = DAL_NEW(arena, double, n_free);
    double *y = DAL_NEW(arena, double, n_free), *work = DAL_NEW(arena, double, dal_rank_work(n_free, n_free));
    for (int i = 0; i < n_free; i++) {
        for (size_t k = 0; k < m; k++)
            z[k] = dal_assembly_unit(a, (int)k) * Z[(size_t)i * m + k];
        dal_mass_times(a->layout, a->work.M, z, Mz);
        for (size_t k = 0; k < m; k++) {
            Mz[k] *= dal_assembly_unit(a, (int)k);
            rhs[i] -= Mz[k] * v[k];
        }
        for (int j = 0; j < n_free; j++)
            for (size_t k = 0; k < m; k++)
                K[i * n_free + j] += Mz[k] * Z[(size_t)j * m + k];
    }
    const double rounding = 1e-14 * heaviest(a); /* rows of Z are units: what has no mass has no more than this */
    for (int i = 0; i < n_free; i++)
        if (K[i * n_free + i] <= rounding) {
            for (int j = 0; j < n_free; j++)
                K[i * n_free + j] = K[j * n_free + i] = 0;
            rhs[i] = 0;
        }
    dal_rank_solve(K, n_free, n_free, n_free, DAL_RANK_TOLERANCE, rhs, y, work);
    for (int i = 0; i < n_free; i++)
        for (size_t k = 0; k < m; k++)
            v[k] += y[i] * Z[(size_t)i * m + k];
}

/* The residual of row i of A v = beta, or of a start rate of a joint; 0 for a target without a rate. */
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

/* The largest |A v - beta|, start rates of joints included, in the units of the rows. */
static double velocity_gap(const dal_assembly *a, const double *v)
{
    double worst = 0;
    for (int i = 0; i < a->r; i++)
        worst = fmax(worst, fabs(row_miss(a, i, v)) / dal_assembly_row_unit(a, i));
    return worst;
}

/* The residuals of the n exact equations: of dense rows at velocities in units, and of sparse ones. */
static double *misses(const dal_assembly *a, int n, const double *v)
{
    const size_t m = (size_t)a->m;
    double *miss = DAL_NEW(&a->build->start_arena, double, n);
    for (int i = 0; i < n; i++) {
        miss[i] = -a->b[i];
        for (size_t k = 0; k < m; k++)
            miss[i] += a->A[(size_t)i * m + k] * v[k];
    }
    return miss;
}

static double *sparse_misses(dal_assembly *a, int *n, const double *v)
{
    double *miss = DAL_NEW(&a->build->start_arena, double, a->r);
    *n = 0;
    for (int i = 0; i < dal_assembly_exact(a); i++) {
        const dal_target *target = i < a->n_own ? NULL : dal_assembly_target(a, i);
        if (target && !target->has_rate)
            continue;
        a->source[*n] = i;
        a->row_unit[*n] = dal_assembly_row_unit(a, i);
        a->b[*n] = (target ? target->rate : -dal_row_free(a->layout, &a->work, &a->mechanism.rows[i])) / dal_assembly_row_unit(a, i);
        miss[*n] = row_miss(a, i, v) / dal_assembly_row_unit(a, i);
        ++*n;
    }
    return miss;
}

/* Do the n exact equations hold? Names the one that is missed most. */
static bool velocities_fit(dal_assembly *a, int n, const double *miss, double fastest)
{
    const double rest = 1e-13 * a->build->pace; /* what is no motion at all */
    double worst = 0;
    int where = -1;
    for (int i = 0; i < n; i++)
        if (!(fabs(miss[i]) <= 1e-9 * fmax(fabs(a->b[i]), fastest) + rest) && !(fabs(miss[i]) <= worst)) { /* nor may it be NaN */
            worst = fabs(miss[i]);
            where = i;
        }
    if (where < 0)
        return true;
    const int row = a->source[where];
    const char *fixed = dal_assembly_fixed(a, true);
    const dal_joint *joint =
        row < 0 ? NULL : &a->mechanism.joints[row < a->n_own ? a->mechanism.rows[row].joint : dal_assembly_target(a, row)->joint];
    const dal_body *body = row < 0 ? &a->mechanism.bodies[-1 - row] : NULL;
    const bool angular = joint && (row < a->n_own ? a->mechanism.rows[row].angular
                                                  : a->mechanism.measures[dal_assembly_target(a, row)->measure].kind == DAL_MEASURE_ANGLE);
    const bool written = joint && dal_joint_is_expression(joint);
    const char *reason = *fixed ? "fixed, and perhaps against it: " : "drives, joints and constraints ask for different motions";
    if (written) /* in units of its own */
        dal_error(a->build->messages, joint->mark, "the start velocities contradict the constraints: constraint '%s' is missed by %.4g; %s%s",
                  joint->name, worst * a->row_unit[where], reason, fixed);
    else
        dal_error(a->build->messages, joint ? joint->mark : body->mark,
                  "the start velocities contradict the constraints: %.4g %s remain at %s'%s'; %s%s", worst * a->row_unit[where],
                  angular ? "rad/s"
                  : joint ? "m/s"
                          : "m/s or rad/s",
                  joint ? "joint " : "", joint ? joint->name : body->name, reason, fixed);
    return false;
}

/* In lengths and radians a second. */
static double fastest_of(const dal_assembly *a, const double *v)
{
    double fastest = 0;
    for (int k = 0; k < a->m; k++)
        fastest = fmax(fastest, fabs(v[k]) / dal_assembly_unit(a, k));
    return fastest;
}

/* Is v = v0 the answer already? It has to satisfy the constraints, and to have no momentum along what is omitted: then every other
 * motion with the same given values has more energy. */
static bool nothing_to_do(const dal_assembly *a, const double *v0, double fastest)
{
    const double length = a->length;
    double *momentum = DAL_NEW(&a->build->start_arena, double, a->m);
    if (velocity_gap(a, v0) > dal_closed * fastest)
        return false;
    dal_mass_times(a->layout, a->work.M, v0, momentum);
    for (int b = 0; b < a->mechanism.n_bodies; b++)
        for (int k = 0; k < a->layout->body[b].nv; k++) {
            const double lever = k < (int)a->mechanism.space ? length : length * length;
            if (!is_given(a, b, k, false) && fabs(momentum[a->layout->body[b].v + k]) > dal_closed * fastest * lever * a->mechanism.bodies[b].mass)
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

static double length_of(int n, const double *v)
{
    const double zero[3] = {0, 0, 0};
    return change_of(n, v, zero);
}

/* "0.3", or "(0.3, -0.4)". */
static const char *written(const dal_assembly *a, int n, const double *v)
{
    dal_arena *arena = a->build->arena;
    return n == 1   ? dal_arena_print(arena, "%.6g", v[0])
           : n == 2 ? dal_arena_print(arena, "(%.6g, %.6g)", v[0], v[1])
                    : dal_arena_print(arena, "(%.6g, %.6g, %.6g)", v[0], v[1], v[2]);
}

static const double thrown_away = 1e-6;   /* of a given value: no more of it is left */
static const double worth_warning = 1e-5; /* of the fastest motion: more than the six digits that people write */

/* Reports the change of a given velocity or spin of a body; false: it vanished. */
static bool report_motion(const dal_assembly *a, int b, int n, const double *v, const double *v0, bool spin, double fastest)
{
    dal_messages *messages = a->build->messages;
    const dal_body *body = &a->mechanism.bodies[b];
    const char *what = spin ? "angular velocity" : "velocity", *unit = spin ? "rad/s" : "m/s";
    const double change = change_of(n, v, v0), size = change / (spin ? 1 : a->length);
    const double from = length_of(n, v0), to = length_of(n, v);
    const bool warns = size > worth_warning * fastest;
    if (!(size > dal_worth_a_note * fastest))
        return true;
    if (warns && to <= thrown_away * from) {
        dal_error(messages, body->mark,
                  "the start %s of '%s' cannot be kept: %.6g %s are given, and the constraints and the other given values leave %.3g", what,
                  body->name, from, unit, to);
        return false;
    }
    if (warns)
        dal_warn(messages, body->mark, DAL_CODE_START_RATE_CHANGED, change,
                 "assembly changed the start %s of '%s' by %.3g %s, from %s to %s: the constraints, or other given values, do not allow it", what,
                 body->name, change, unit, written(a, n, v0), written(a, n, v));
    else
        dal_say_for(messages, DAL_NOTE, DAL_REASON_ASSEMBLY, body->mark, "assembly changed the start %s of '%s' by %.3g %s", what, body->name, change,
                    unit);
    return true;
}

/* The same for the start rate of a joint. */
static bool report_rate(const dal_assembly *a, int i, const double *v, double fastest)
{
    dal_messages *messages = a->build->messages;
    const dal_target *target = dal_assembly_target(a, i);
    const double miss = row_miss(a, i, v), now = target->rate + miss, size = fabs(miss) / dal_assembly_row_unit(a, i);
    const char *name = a->mechanism.joints[target->joint].name;
    if (!(size > dal_worth_a_note * fastest))
        return true;
    if (size > worth_warning * fastest && fabs(now) <= thrown_away * fabs(target->rate)) {
        dal_error(messages, target->mark,
                  "the start rate of joint '%s' cannot be kept: %.6g is given, and the constraints and the other given values leave %.3g", name,
                  target->rate, now);
        return false;
    }
    if (size > worth_warning * fastest)
        dal_warn(messages, target->mark, DAL_CODE_START_RATE_CHANGED, miss,
                 "assembly changed the start rate of joint '%s' from %.6g to %.6g: the constraints, or other given values, do not allow it", name,
                 target->rate, now);
    else
        dal_say_for(messages, DAL_NOTE, DAL_REASON_ASSEMBLY, target->mark, "assembly changed the start rate of joint '%s' from %.6g to %.6g", name,
                    target->rate, now);
    return true;
}

/* The velocity that was compared: of the centre of mass where the whole motion of the body is given, else of its origin. */
static void compared_velocity(const dal_assembly *a, int b, const double *v, double out[3])
{
    const dal_body_layout *at = &a->layout->body[b];
    double row[6];
    for (int k = 0; k < (int)a->mechanism.space; k++) {
        own_component(a, b, k, row);
        out[k] = 0;
        for (int i = 0; i < at->nv; i++)
            out[k] += row[i] * v[i];
    }
}

/* Reports the changes of given velocities by assembly; false if one was dropped. */
static bool report_changes(const dal_assembly *a, const double *v, const double *v0)
{
    const double fastest = fmax(fastest_of(a, v), fastest_of(a, v0));
    const int space = (int)a->mechanism.space;
    bool kept = true;
    for (int b = 0; b < a->mechanism.n_bodies; b++) {
        const dal_body_layout *at = &a->layout->body[b];
        dal_body_start *start = &a->build->start[b];
        const double *now = v + at->v, *then = v0 + at->v;
        start->change.velocity = start->velocity_given ? change_of(space, now, then) : 0;
        start->change.spin = start->spin_given ? change_of(at->n_rot, now + space, then + space) : 0;
        if (start->velocity_given) {
            double c_now[3], c_then[3];
            compared_velocity(a, b, now, c_now);
            compared_velocity(a, b, then, c_then);
            kept &= report_motion(a, b, space, c_now, c_then, false, fastest);
        }
        if (start->spin_given)
            kept &= report_motion(a, b, at->n_rot, now + space, then + space, true, fastest);
    }
    for (int i = a->n_own; i < a->r; i++)
        if (dal_assembly_target(a, i)->has_rate)
            kept &= report_rate(a, i, v, fastest);
    return kept;
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
    return velocities_fit(a, n, miss, fmax(fastest_of(a, v), fastest_of(a, v0)));
}

/* The dense way: u_k = v_k / unit_k. */
static bool settle_small(dal_assembly *a, double *v, const double *v0, double fastest)
{
    dal_arena *arena = &a->build->start_arena;
    const size_t m = (size_t)a->m;
    dal_assembly_dense(a);
    const int n = exact_equations(a, v0);
    double *sigma = DAL_NEW(arena, double, (size_t)n + m), *Z = DAL_NEW(arena, double, m *m), *u = DAL_NEW(arena, double, m);
    dal_rank_solve(a->A, n, a->m, a->m, DAL_RANK_TOLERANCE, a->b, u, a->svd);
    for (size_t k = 0; k < m; k++)
        fastest = fmax(fastest, fabs(u[k]));
    if (!velocities_fit(a, n, misses(a, n, u), fastest))
        return false;
    int n_free = a->m - dal_rank_svd(a->A, n, a->m, a->m, DAL_RANK_TOLERANCE, sigma, Z, NULL, a->svd);
    double *G = DAL_NEW(arena, double, (size_t)(a->r + a->m) * m), *g = DAL_NEW(arena, double, a->r + a->m);
    const int n_soft = soft_equations(a, v0, G, g);
    if (n_soft && n_free)
        n_free = settle(a, n_soft, G, g, u, Z, n_free);
    if (n_free)
        come_to_rest(a, u, Z, n_free);
    if (!velocities_fit(a, n, misses(a, n, u), fastest)) /* what was added leaves the constraints alone, unless it is out of all proportion */
        return false;
    for (int k = 0; k < a->m; k++)
        v[k] = u[k] * dal_assembly_unit(a, k);
    return true;
}

static bool settle_velocities(dal_assembly *a, double *v, const double *v0, double fastest)
{
    return dal_assembly_large(a) ? settle_large(a, v, v0) : settle_small(a, v, v0, fastest);
}

/* ---- rows that are not linear in the rates ---------------------------------------------------------- */

enum { MOST_TANGENTS = 200 };
static const double root_allowed = 1e-9;   /* of the fastest motion: what may remain of a row */
static const double root_is_known = 1e-14; /* changes of the velocities that are rounding */
static const double vanishing = 1e-9;      /* of what rates of the model's own change a derivative by: it is none */

static const dal_joint *constraint_of(const dal_assembly *a, int row)
{
    return &a->mechanism.joints[a->mechanism.rows[row].joint];
}

/* A, at the velocities of the work. */
static void find_tangents(dal_assembly *a)
{
    dal_rows_jacobian(a->layout, &a->work);
}

/* A row whose derivatives by the rates all vanish, against those that they get when the model moves at its own pace; -1: none. */
static int singular_row(const dal_assembly *a)
{
    for (int i = 0; i < a->n_own; i++) {
        const dal_row *row = &a->mechanism.rows[i];
        const int n = row->n_terms;
        const double *slope = a->work.form + row->form + dal_form_outputs(n);
        double most = 0, curve = 0;
        for (int k = 0; k < n && row->curved; k++) {
            most = fmax(most, fabs(a->work.coef[row->term + k]));
            for (int l = 0; l < n; l++)
                curve = fmax(curve, fabs(slope[k * n + l]));
        }
        if (row->curved && !(most > vanishing * curve * a->build->pace * fmin(1, a->length)))
            return i;
    }
    return -1;
}

static bool refuse_singular(const dal_assembly *a, int row)
{
    dal_error(a->build->messages, constraint_of(a, row)->mark,
              "constraint '%s' is singular at the start: its derivatives by all rates vanish there, so that it says nothing about how they "
              "change; give start velocities that meet it where they do not, if there are any",
              constraint_of(a, row)->name);
    return false;
}

/* Does phi = 0 hold at the velocities of the work? */
static bool is_on_root(const dal_assembly *a, double fastest)
{
    const double *v = a->work.v;
    int worst = -1;
    double most = 0;
    for (int i = 0; i < a->n_own; i++) {
        const double miss = fabs(row_miss(a, i, v)) / dal_assembly_row_unit(a, i);
        if (!(miss <= most)) {
            worst = i;
            most = miss;
        }
    }
    if (worst < 0 || most <= root_allowed * fastest + 1e-13 * a->build->pace)
        return true;
    dal_error(a->build->messages, constraint_of(a, worst)->mark,
              "no start velocities were found that meet constraint '%s', which is not linear in the rates: %.4g remains; it has no root near those "
              "that are given",
              constraint_of(a, worst)->name, fabs(row_miss(a, worst, v)));
    return false;
}

/* v as if there were no curved rows: where their tangents begin. Rates may be given by joints alone. */
static bool begin_tangents(dal_assembly *a, double *v, const double *v0, double fastest)
{
    for (int i = 0; i < a->n_own; i++) {
        const dal_row *row = &a->mechanism.rows[i];
        const dal_row_layout *at = &a->layout->row[i];
        if (!row->curved)
            continue;
        memset(a->work.A + at->value, 0, sizeof *a->work.A * (size_t)at->n_values);
        a->work.form[row->form + 1 + row->n_terms] = 0;
    }
    const bool settled = settle_velocities(a, v, v0, fastest);
    find_tangents(a);
    for (int i = 0; i < a->n_own && settled; i++)
        if (a->mechanism.rows[i].curved) {
            a->unit[i] = 0; /* of other velocities */
            dal_assembly_find_unit(a, i);
        }
    return settled;
}

/* Along the tangents to the root, from v0; false with a message. */
static bool follow_tangents(dal_assembly *a, const double *v0)
{
    const size_t m = (size_t)a->m;
    double *v = a->work.v, *before = DAL_NEW(&a->build->start_arena, double, m);
    double fastest = fastest_of(a, v0), step = HUGE_VAL;
    if (!begin_tangents(a, v, v0, fastest))
        return false;
    for (int i = 0; i < MOST_TANGENTS && step > root_is_known * fastest; i++) {
        const int row = singular_row(a);
        if (row >= 0)
            return refuse_singular(a, row);
        memcpy(before, v, sizeof *v * m);
        if (!settle_velocities(a, v, v0, fastest))
            return false;
        for (size_t k = 0; k < m; k++)
            before[k] -= v[k];
        const double last = step;
        step = fastest_of(a, before);
        fastest = fmax(fastest_of(a, v), fastest_of(a, v0));
        find_tangents(a);
        if (i > 20 && step > last && velocity_gap(a, v) <= root_allowed * fastest) /* as good as it gets */
            break;
    }
    const int row = singular_row(a);
    return is_on_root(a, fastest) && (row < 0 || refuse_singular(a, row));
}

bool dal_assemble_velocities(dal_assembly *a)
{
    dal_arena *arena = &a->build->start_arena;
    const size_t m = (size_t)a->m;
    double *v0 = DAL_NEW(arena, double, m), *v = a->work.v;
    dal_assembly_given(a, v0);
    memcpy(v, v0, sizeof *v * m);
    dal_family_twist.velocity(a->layout, &a->work);
    dal_family_twist.inertia(a->layout, &a->work);
    double fastest = fastest_of(a, v0);
    const bool singular = a->layout->curved && singular_row(a) >= 0; /* there: other velocities may be given by joints */
    if (!singular && nothing_to_do(a, v0, fastest))
        return true;
    dal_assembly_weigh(a, true);
    return (a->layout->curved ? follow_tangents(a, v0) : settle_velocities(a, v, v0, fastest)) && report_changes(a, v, v0);
}
