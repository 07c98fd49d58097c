/* Where the rules of assembly hold, and what follows for slopes: start_rules.h.
 *
 * A function F(q, p) that is zero at the starts of models for all p gives an equation for dq: F_q dq = -F_p. Of the balance F = S + A^T mu there is one for
 * each direction Z that the exact equations leave free, A Z = 0:
 *     Z^T (S_q + mu A_q) dq = -Z^T (S_p + mu A_p),   mu = -(A^T)^+ S
 * and the same of the energy, with Z that leaves the given values alone, too. All derivatives are complex steps. That a function is zero is not taken
 * on trust: it has to be at the start of the model and at those of two that are compiled for other values of p, and are far enough from it to show what
 * is missing. Assembly ends with steps of 10^-14: balances hold to 10^-13 of their terms. Functions that are not zero give no equation.
 */
#include "analysis/start_rules.h"

#include "dynamics/slopes.h"
#include "expr/program.h"
#include "math/rank.h"
#include "model/system_parts.h"
#include "state/state_parts.h"
#include "variation/program_slopes.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

static const double agrees = 1e-13;              /* of a balance, over the size of its terms */
static const double rounding = 64 * DBL_EPSILON; /* of known places, */
static const double solved = 1e-12;              /* and of known rates: assembly finds all velocities together */
static const double apart = 1e-4;                /* a start that differs so much shows what is missing, */
static const double away = 1.0 / 256;            /* and one for a value of p that does, over p, or over 1/16 where p is small */

struct dal_start_proof {
    dal_parameter_equations *x;
    const dal_layout *layout;
    dal_arena *arena;
    const double *N;
    dal_rule_points at;
    double *out[DAL_RULE_POINTS]; /* the outputs there */
    double *registers, *df, *dx;
    void *room;
    double pace; /* of the starts, in radians a second */
};

/* ---- linear algebra: rows of nv entries, times units of the velocities ------------------------------------ */

typedef struct rows {
    int n;
    double *row; /* of unit norm, or zero */
    double *norm;
} rows;

static void take_rows(dal_start_proof *s, rows *a, int n, const double *from)
{
    const int nv = s->layout->nv;
    const double *unit = s->layout->units.column_scale;
    for (int i = 0; i < n; i++) {
        double *to = a->row + (size_t)a->n * (size_t)nv, sum = 0;
        for (int k = 0; k < nv; k++) {
            to[k] = from[(size_t)i * (size_t)nv + (size_t)k] / unit[k];
            sum += to[k] * to[k];
        }
        a->norm[a->n] = sum > 0 ? sqrt(sum) : 1;
        for (int k = 0; k < nv; k++)
            to[k] /= a->norm[a->n];
        a->n++;
    }
}

static rows begin_rows(dal_start_proof *s, int most)
{
    return (rows){.row = DAL_NEW(s->arena, double, (size_t)most *(size_t)s->layout->nv + 1), .norm = DAL_NEW(s->arena, double, most + 1)};
}

/* Z: the directions that the rows `a` leave free, one a row; returns how many. */
static int find_free(dal_start_proof *s, const rows *a, double **Z)
{
    const int nv = s->layout->nv, most = a->n + nv;
    double *sigma = DAL_NEW(s->arena, double, most + 1), *work = DAL_NEW(s->arena, double, dal_rank_work(most, nv));
    *Z = DAL_NEW(s->arena, double, (size_t)nv *(size_t)nv + 1);
    if (!a->n) {
        for (int k = 0; k < nv; k++)
            (*Z)[(size_t)k * (size_t)nv + (size_t)k] = 1;
        return nv;
    }
    const int rank = dal_rank_svd(a->row, a->n, nv, nv, DAL_RANK_TOLERANCE, sigma, *Z, NULL, work);
    return rank < 0 ? 0 : nv - rank;
}

/* mu of a^T mu = -S, of rows as they were given. */
static void find_multipliers(dal_start_proof *s, const rows *a, const double *S, double *mu)
{
    const int nv = s->layout->nv, n = a->n;
    const double *unit = s->layout->units.column_scale;
    double *T = DAL_NEW(s->arena, double, (size_t)n *(size_t)nv + 1), *b = DAL_NEW(s->arena, double, nv + 1);
    for (int k = 0; k < nv; k++) {
        b[k] = -S[k] / unit[k];
        for (int i = 0; i < n; i++)
            T[(size_t)k * (size_t)n + (size_t)i] = a->row[(size_t)i * (size_t)nv + (size_t)k];
    }
    if (n)
        dal_rank_solve(T, nv, n, n, DAL_RANK_TOLERANCE, b, mu, DAL_NEW(s->arena, double, dal_rank_work(nv, n)));
    for (int i = 0; i < n; i++)
        mu[i] /= a->norm[i];
}

/* The largest |Z S|, in units. */
static double left_of(const dal_start_proof *s, int n, const double *Z, const double *S)
{
    const int nv = s->layout->nv;
    double most = 0;
    for (int j = 0; j < n; j++) {
        double sum = 0;
        for (int k = 0; k < nv; k++)
            sum += Z[(size_t)j * (size_t)nv + (size_t)k] * S[k] / s->layout->units.column_scale[k];
        most = isfinite(sum) ? fmax(most, fabs(sum)) : INFINITY;
    }
    return most;
}

/* ---- at a point --------------------------------------------------------------------------------------------- */

static bool run(dal_start_proof *s, int point)
{
    return !dal_program_run(s->at.rules->program, s->at.letters[point], NULL, s->registers, s->out[point]);
}

/* The largest term of the balance if each given value were missed by `turn` radians, or by `turn` lengths of the model; in units. */
static double size_of(const dal_start_proof *s, const dal_start_level *l, int point, double turn)
{
    const int nv = s->layout->nv;
    const double *out = s->out[point], length = s->layout->units.length;
    double most = 0;
    for (int j = 0; j < l->n_soft; j++)
        for (int k = 0; k < nv; k++)
            most = fmax(most, fabs(out[l->weight + j] * out[l->gradient + j * nv + k]) * turn * (l->far[j] ? length : 1) /
                                  s->layout->units.column_scale[k]);
    return most;
}

static rows exact_rows(dal_start_proof *s, const dal_start_level *l, int point, bool soft)
{
    rows a = begin_rows(s, l->n_exact + l->n_soft);
    take_rows(s, &a, l->n_exact, s->out[point] + l->exact);
    if (soft)
        take_rows(s, &a, l->n_soft, s->out[point] + l->gradient);
    return a;
}

/* Is the balance met at a point? Its multipliers go into the letters. */
static bool is_balanced(dal_start_proof *s, const dal_start_level *l, int point, double turn)
{
    double *Z, *mu = s->at.letters[point] + l->mu;
    const rows a = exact_rows(s, l, point, false);
    const int n = find_free(s, &a, &Z);
    const double left = left_of(s, n, Z, s->out[point] + l->balance);
    const bool forces = s->at.rules->settled && l == &s->at.rules->places;
    find_multipliers(s, &a, s->out[point] + l->balance, mu);
    return left <= agrees * (forces ? s->x->size[DAL_PART_R] : size_of(s, l, point, turn));
}

/* Is the energy the least one there? */
static bool is_least(dal_start_proof *s, const dal_start_level *l, int point)
{
    const int nv = s->layout->nv;
    double *Z, *nu = DAL_NEW(s->arena, double, l->n_exact + l->n_soft + 1), size = 0;
    const double *momentum = s->out[point] + l->energy;
    const rows a = exact_rows(s, l, point, true);
    const int n = find_free(s, &a, &Z);
    for (int k = 0; k < nv; k++)
        size = fmax(size, fabs(momentum[k]) / s->layout->units.column_scale[k]);
    const double left = left_of(s, n, Z, momentum);
    find_multipliers(s, &a, momentum, nu);
    memcpy(s->at.letters[point] + l->nu, nu, sizeof *nu * (size_t)l->n_exact);
    memcpy(s->at.letters[point] + l->kappa, nu + l->n_exact, sizeof *nu * (size_t)l->n_soft);
    return left <= agrees * size;
}

/* ---- slopes --------------------------------------------------------------------------------------------------- */

/* The direction of the letters: by p as `p`, along velocities dq, by velocities dv; NULL: none. */
static const double *direct(dal_start_proof *s, double p, const double *dq, const double *dv)
{
    const dal_derivation *d = s->at.rules->d;
    const int nq = s->layout->nq, nv = s->layout->nv;
    double *dx = s->dx;
    for (int i = 0; i < d->n_letters; i++)
        dx[i] = p != 0 ? p * s->at.along[i] : 0;
    for (int i = 0; i < nq && dq; i++)
        for (int k = 0; k < nv; k++)
            dx[d->q + i] += s->N[(size_t)i * (size_t)nv + (size_t)k] * dq[k];
    for (int k = 0; k < nv && dv; k++)
        dx[d->v + k] += dv[k];
    return dx;
}

/* Of all outputs at the start, along that direction. */
static bool slope(dal_start_proof *s, double p, const double *dq, const double *dv, double *df)
{
    return !dal_program_slopes(s->at.rules->program, s->at.letters[0], direct(s, p, dq, dv), s->room, df);
}

bool dal_start_at_corner(dal_start_proof *s, const double *dq, const double *dv)
{
    return dal_program_corner_along(s->at.rules->program, s->at.letters[0], direct(s, 1, dq, dv), s->room);
}

/* Which functions of a level are equations for its slopes. */
typedef struct chosen {
    const dal_start_level *level;
    bool *known;
    double *Z, *Y; /* of the balance, of the energy */
    int n_balance, n_energy;
} chosen;

/* Is a known number what it is at all points? */
static void choose_known(dal_start_proof *s, const dal_start_level *l, double turn, double within, chosen *c)
{
    for (int j = 0; j < l->n_known; j++) {
        const double size = turn * (l->shift[j] ? s->layout->units.length : 1), here = l->stays[j] ? s->out[0][l->known + j] : 0;
        c->known[j] = true;
        for (int i = 0; i < DAL_RULE_POINTS; i++)
            c->known[j] = c->known[j] && fabs(s->out[i][l->known + j] - here) <= within * size;
    }
}

static void choose(dal_start_proof *s, const dal_start_level *l, bool rates, double turn, bool known, chosen *c)
{
    bool balanced = l->balances, least = rates;
    *c = (chosen){.level = l, .known = DAL_NEW(s->arena, bool, l->n_known + 1)};
    if (known)
        choose_known(s, l, turn, rates ? solved : rounding, c);
    for (int i = 0; i < DAL_RULE_POINTS; i++) {
        balanced = balanced && is_balanced(s, l, i, turn);
        least = least && is_least(s, l, i);
    }
    const rows a = exact_rows(s, l, 0, false), b = exact_rows(s, l, 0, true);
    c->n_balance = balanced ? find_free(s, &a, &c->Z) : 0;
    c->n_energy = least ? find_free(s, &b, &c->Y) : 0;
}

/* From the slopes of all outputs those of the chosen functions: the known numbers, then the balance and the energy along their free directions. */
static void gather(const dal_start_proof *s, const chosen *c, const double *df, double *to)
{
    const dal_start_level *l = c->level;
    const int nv = s->layout->nv;
    for (int j = 0; j < l->n_known; j++)
        if (c->known[j])
            *to++ = df[l->known + j];
    for (int part = 0; part < 2; part++)
        for (int j = 0; j < (part ? c->n_energy : c->n_balance); j++, to++) {
            const double *Z = (part ? c->Y : c->Z) + (size_t)j * (size_t)nv, *F = df + (part ? l->energy : l->balance);
            *to = 0;
            for (int k = 0; k < nv; k++)
                *to += Z[k] / s->layout->units.column_scale[k] * F[k];
        }
}

/* Columns by unit velocities, at places or of rates; the right side by p and dq. */
static dal_start_equations find_equations(dal_start_proof *s, const chosen *c, const double *dq)
{
    const int nv = s->layout->nv;
    dal_start_equations e = {.n = c->n_balance + c->n_energy};
    for (int j = 0; j < c->level->n_known; j++)
        e.n += c->known[j];
    e.row = DAL_NEW(s->arena, double, (size_t)e.n *(size_t)nv + 1);
    e.b = DAL_NEW(s->arena, double, e.n + 1);
    double *unit = DAL_NEW(s->arena, double, nv + 1), *column = DAL_NEW(s->arena, double, e.n + 1);
    bool fine = slope(s, 1, dq, NULL, s->df);
    gather(s, c, s->df, e.b);
    for (int i = 0; i < e.n; i++)
        e.b[i] = -e.b[i];
    for (int k = 0; k < nv && fine; k++) {
        unit[k] = 1;
        fine = slope(s, 0, dq ? NULL : unit, dq ? unit : NULL, s->df);
        unit[k] = 0;
        gather(s, c, s->df, column);
        for (int i = 0; i < e.n; i++)
            e.row[(size_t)i * (size_t)nv + (size_t)k] = column[i];
    }
    if (!fine)
        e.n = 0;
    return e;
}

/* ---- the answers ---------------------------------------------------------------------------------------------- */

dal_start_equations dal_start_of_places(dal_start_proof *s, bool known)
{
    chosen c;
    choose(s, &s->at.rules->places, false, 1, known, &c);
    return find_equations(s, &c, NULL);
}

dal_start_equations dal_start_of_rates(dal_start_proof *s, const double *dq, bool known)
{
    chosen c;
    choose(s, &s->at.rules->rates, true, s->pace, known, &c);
    return find_equations(s, &c, dq);
}

bool dal_start_of_states(dal_start_proof *s, double *dz)
{
    const dal_start_rules *rules = s->at.rules;
    const int n = rules->d->spec->n_states;
    if (!n)
        return true;
    for (int i = 0; i < DAL_RULE_POINTS; i++)
        for (int k = 0; k < n; k++) {
            const double size = fabs(s->at.letters[i][rules->d->state[k]]);
            if (!(fabs(s->out[i][rules->states + k]) <= agrees * size))
                return false;
        }
    if (!slope(s, 1, NULL, NULL, s->df))
        return false;
    for (int k = 0; k < n; k++)
        dz[k] = -s->df[rules->states + k];
    return true;
}

/* Nothing accelerates there, and multipliers are those of the balance. */
static void hold(dal_start_proof *s)
{
    const dal_derivation *d = s->at.rules->d;
    for (int i = 0; i < DAL_RULE_POINTS; i++) {
        memset(s->at.letters[i] + d->a, 0, sizeof(double) * (size_t)d->nv);
        memset(s->at.letters[i] + d->lambda, 0, sizeof(double) * (size_t)d->n_rows);
    }
}

static void find_pace(dal_start_proof *s)
{
    const dal_units *units = &s->layout->units;
    for (int i = 0; i < DAL_RULE_POINTS; i++)
        for (int k = 0; k < s->layout->nv; k++)
            s->pace = fmax(s->pace, fabs(s->at.letters[i][s->at.rules->d->v + k]) * units->column_scale[k] / units->length);
}

/* The largest difference of n numbers of two starts, over the largest of them. */
static double differ(int n, const double *a, const double *b)
{
    double most = 0, size = 0;
    for (int k = 0; k < n; k++) {
        most = fmax(most, fabs(a[k] - b[k]));
        size = fmax(size, fmax(fabs(a[k]), fabs(b[k])));
    }
    return size > 0 ? most / size : 0;
}

/* Is a model so far from that at p that it proves anything? */
static bool is_apart(const dal_start_proof *s, int point)
{
    const dal_derivation *d = s->at.rules->d;
    const double *a = s->at.letters[0], *b = s->at.letters[point], p = s->at.p[0];
    return (p != 0 && fabs(s->at.p[point] - p) >= away * (dal_parameter_is_small(s->x) ? 0x1p-4 : fabs(p))) ||
           differ(s->layout->nq, a + d->q, b + d->q) >= apart || differ(s->layout->nv, a + d->v, b + d->v) >= apart;
}

static dal_start_proof *refuse(const dal_start_proof *s, const char *why)
{
    snprintf(s->x->why, sizeof s->x->why, "%s", why);
    return NULL;
}

dal_start_proof *dal_start_proof_open(dal_parameter_equations *x, const double *N, bool nearer)
{
    dal_arena *arena = x->arena;
    dal_start_proof *s = DAL_NEW(arena, dal_start_proof, 1);
    *s = (dal_start_proof){.x = x, .layout = dal_layout_of(x->state), .arena = arena, .N = N};
    if (!dal_parameter_rules(x, nearer, &s->at))
        return refuse(s, "the rules of its assembly are not written in symbols, or no model is found beside the value");
    if (s->at.rules->settled)
        hold(s);
    const dal_program *program = s->at.rules->program;
    s->room = dal_arena_alloc(arena, dal_program_slopes_room(program));
    s->registers = DAL_NEW(arena, double, dal_program_registers(program) + 1);
    s->df = DAL_NEW(arena, double, s->at.rules->n + 1);
    s->dx = DAL_NEW(arena, double, s->at.rules->d->n_letters + 1);
    if (dal_start_at_corner(s, NULL, NULL))
        return refuse(s, "the rules of its assembly have a corner there");
    for (int i = 0; i < DAL_RULE_POINTS; i++) {
        s->out[i] = DAL_NEW(arena, double, s->at.rules->n + 1);
        if (!run(s, i))
            return refuse(s, "a table of its start ends");
        if (i && !is_apart(s, i))
            return refuse(s, "models are found only so near to the value that they show nothing");
    }
    find_pace(s);
    return s;
}
