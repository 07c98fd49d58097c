/* How the start of a model changes with a parameter, without extrapolation: parameter_equations.h.
 *
 * Assembly finds q(p) and v(p) with phi(q, p) = 0 and phi'(q, v, p) = 0. Where other numbers of the start are known as functions of p, and these with the
 * rows leave no direction free, the derivatives are those of implicit functions, whatever metric assembly has:
 *     A dq = -dphi/dp,                    N_k dq = c_k      for coordinates q_k = q_k(p0) + c_k (p - p0)
 *     A dv = -dphi'/dp - D phi' dq,       dv_k = c'_k       for velocities of this kind
 * N is that of q' = N v, D the derivative along dq at held v (variation/variation.h). dphi/dp and dphi'/dp come from the symbols, at the start.
 *
 * A number of the start is linear in p if three models say so: the model itself and two that are compiled for values on both sides, as far as there are
 * models. Start values that are held are constants. Those that are written as p itself have slope 1. If directions are free then, the rules of assembly
 * give further equations (start_rules.h). Start values that assembly keeps are functions of p, as they are written. Start values that contradict one
 * another are missed, and the sum of the weighted misses is balanced. Equations that contradict one another show that something is not as assumed: there
 * is no answer. There is none either if directions remain free: assembly leaves omitted values where its iteration ends, and no equation says where.
 */
#include "analysis/parameter_equations.h"

#include "analysis/start_rules.h"
#include "dalembert/derivatives.h"
#include "dynamics/slopes.h"
#include "dynamics/tree_state.h"
#include "math/rank.h"
#include "model/system_parts.h"
#include "state/state_parts.h"
#include "state/values.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { MOST_UNKNOWNS = 300 };                    /* of a dense system */
static const double rounding = 64 * DBL_EPSILON; /* of start values */
static const double contradicts = 1e-11;         /* what equations that belong together may leave */

typedef struct start_slopes {
    dal_parameter_equations *x;
    const dal_spec *spec;
    dal_state *start; /* a state at the start */
    dal_parameter_equations at_start;
    double *df;           /* of all but the start, there; NULL: not known yet */
    double *here, *slope; /* numbers of the start, and c */
    bool *linear;
    double *N; /* nq x nv */
    double error;
    bool by_rules;
} start_slopes;

static bool set_free(start_slopes *s, const char *why)
{
    snprintf(s->x->why, sizeof s->x->why, "%s", why);
    return false;
}

/* ---- which numbers are linear in p --------------------------------------------------------------------------- */

/* Changes within rounding are none, and bends within rounding too. With a small p, or one whose effect is small, that would hide slopes: what they may be
 * is compared with the steepest one, or with the start itself over p, or over 1 where p is smaller. */
static void compare_samples(start_slopes *s, dal_parameter_part which, const double p[2], double *const f[2])
{
    const dal_parameter_equations *x = s->x;
    const double nearest = fmin(fabs(p[0] - x->p), fabs(p[1] - x->p));
    double size = 0, steepest = 0, off = 0; /* off: what slopes may be wrong by */
    for (int k = x->first[which]; k < x->first[which + 1]; k++)
        size = fmax(size, fmax(fabs(s->here[k]), fmax(fabs(f[0][k]), fabs(f[1][k]))) / x->unit[k]);
    for (int k = x->first[which]; k < x->first[which + 1]; k++) {
        const double allowed = rounding * size * x->unit[k], c = (f[1][k] - f[0][k]) / (p[1] - p[0]);
        const double changes = fmax(fabs(f[0][k] - s->here[k]), fabs(f[1][k] - s->here[k]));
        const double bends = fabs(f[0][k] + c * (x->p - p[0]) - s->here[k]);
        s->slope[k] = changes <= allowed ? 0 : c;
        s->linear[k] = changes <= allowed || bends <= allowed;
        if (!s->linear[k])
            continue;
        steepest = fmax(steepest, fabs(s->slope[k]) / x->unit[k]);
        off = fmax(off, (changes <= allowed ? changes : bends) / (nearest * x->unit[k]));
    }
    if (off > 0)
        s->error = fmax(s->error, off / fmax(steepest, size / fmax(fabs(x->p), 1)));
}

/* Numbers of two models on both sides of p: one side alone would not show a corner. If there is no model on one side (a mass below zero), the slopes are
 * those of the other. */
static bool sample_sides(start_slopes *s, double (*trial)(const dal_parameter_equations *x, int i), double p[2], double *const f[2])
{
    dal_parameter_equations *x = s->x;
    int found = 0;
    for (int i = 0; i < (found ? 2 : 1) * DAL_PARAMETER_TRIALS && found < 2 && !x->structure; i++) {
        p[found] = trial(x, i % DAL_PARAMETER_TRIALS);
        const bool other = found && (p[1] < x->p) != (p[0] < x->p), again = found && p[1] == p[0];
        if (!found || (i < DAL_PARAMETER_TRIALS ? other : !other && !again))
            found += dal_parameter_sample(x, p[found], f[found]);
    }
    return found == 2;
}

static bool is_seen(const start_slopes *s, const double *f)
{
    bool seen = false;
    for (dal_parameter_part which = DAL_PART_START_Q; which < DAL_PARTS; which++)
        seen = seen || dal_parameter_part_differs(s->x, which, f, s->here);
    return seen;
}

/* Of models beside p, and if nothing is seen to change, of models far off if there are any. */
static bool sample(start_slopes *s, double p[2], double *f[2])
{
    dal_parameter_equations *x = s->x;
    const int n = x->first[DAL_PARTS];
    if (!sample_sides(s, dal_parameter_trial, p, f))
        return false;
    if (!dal_parameter_is_small(x) || is_seen(s, f[0]) || is_seen(s, f[1]))
        return true;
    const dal_parameter_verdict kept = dal_parameter_keep(x);
    double far[2], *g[2] = {DAL_NEW(x->arena, double, n + 1), DAL_NEW(x->arena, double, n + 1)};
    if (sample_sides(s, dal_parameter_far_trial, far, g))
        for (int i = 0; i < 2; i++) {
            p[i] = far[i];
            f[i] = g[i];
        }
    dal_parameter_forgive(x, kept);
    return true;
}

static bool find_linear(start_slopes *s)
{
    dal_parameter_equations *x = s->x;
    const int n = x->first[DAL_PARTS];
    double p[2], *f[2];
    s->here = DAL_NEW(x->arena, double, n + 1);
    s->slope = DAL_NEW(x->arena, double, n + 1);
    s->linear = DAL_NEW(x->arena, bool, n + 1);
    for (int i = 0; i < 2; i++)
        f[i] = DAL_NEW(x->arena, double, n + 1);
    if (dal_parameter_measure_start(x, s->start, s->here))
        return set_free(s, "the start cannot be evaluated");
    if (!sample(s, p, f))
        return set_free(s, "no model is found beside the value");
    for (dal_parameter_part which = DAL_PART_START_Q; which < DAL_PARTS; which++)
        compare_samples(s, which, p, f);
    return s->error <= contradicts || set_free(s, "rounding hides how the start changes");
}

static bool all_linear(const start_slopes *s, dal_parameter_part which)
{
    for (int k = s->x->first[which]; k < s->x->first[which + 1]; k++)
        if (!s->linear[k])
            return false;
    return true;
}

/* ---- along velocities ---------------------------------------------------------------------------------------- */

/* N of a state whose q is known: nq x nv. */
static bool find_columns(dal_arena *arena, dal_state *start, double **N)
{
    const dal_layout *layout = dal_layout_of(start);
    const int nq = layout->nq, nv = layout->nv;
    if (!dal_state_widen(start))
        return false;
    dal_work *w = dal_work_of(start);
    double *kept = DAL_NEW(arena, double, nv + 1), *free = DAL_NEW(arena, double, nq + 1), *qd = DAL_NEW(arena, double, nq + 1);
    *N = DAL_NEW(arena, double, (size_t)nq *(size_t)nv + 1);
    dal_state_unpack(start, dal_state_time(start), dal_state_y(start));
    dal_state_columns(start);
    memcpy(kept, w->v, sizeof *kept * (size_t)nv);
    memset(w->v, 0, sizeof *w->v * (size_t)nv);
    layout->family->rates(layout, w, free);
    for (int j = 0; j < nv; j++) {
        w->v[j] = 1;
        layout->family->rates(layout, w, qd);
        w->v[j] = 0;
        for (int i = 0; i < nq; i++)
            (*N)[(size_t)i * (size_t)nv + (size_t)j] = qd[i] - free[i];
    }
    memcpy(w->v, kept, sizeof *kept * (size_t)nv);
    return true;
}

/* q' = N v: columns of N are orthogonal. */
static void project(const dal_layout *layout, const double *N, const double *dq, double *out)
{
    for (int j = 0; j < layout->nv; j++) {
        double along = 0, square = 0;
        for (int i = 0; i < layout->nq; i++) {
            const double n = N[(size_t)i * (size_t)layout->nv + (size_t)j];
            along += n * dq[i];
            square += n * n;
        }
        out[j] = along / square;
    }
}

bool dal_parameter_along_velocities(dal_arena *arena, dal_state *start, const double *dq, double *out)
{
    double *N = NULL;
    if (!find_columns(arena, start, &N))
        return false;
    project(dal_layout_of(start), N, dq, out);
    return true;
}

/* ---- implicit functions -------------------------------------------------------------------------------------- */

/* Equations C x = b, in units: rows at unit norm, columns over column_scale. */
typedef struct system_of_slopes {
    int n, m;
    double *C, *b;
} system_of_slopes;

static system_of_slopes begin_system(const start_slopes *s, int rows)
{
    dal_arena *arena = s->x->arena;
    const int m = dal_layout_of(s->start)->nv;
    return (system_of_slopes){.m = m, .C = DAL_NEW(arena, double, (size_t)rows *(size_t)m + 1), .b = DAL_NEW(arena, double, rows + 1)};
}

/* Row and right side as they are; a row of zeros says nothing of x. */
static void add_equation(const start_slopes *s, system_of_slopes *e, const double *row, double b)
{
    const double *unit = dal_layout_of(s->start)->units.column_scale;
    double *C = e->C + (size_t)e->n * (size_t)e->m, norm = 0;
    for (int k = 0; k < e->m; k++) {
        C[k] = row[k] / unit[k];
        norm += C[k] * C[k];
    }
    norm = sqrt(norm);
    if (!(norm > 0))
        return;
    for (int k = 0; k < e->m; k++)
        C[k] /= norm;
    e->b[e->n++] = b / norm;
}

static bool solve_system(start_slopes *s, system_of_slopes *e, double *x)
{
    dal_arena *arena = s->x->arena;
    const double *unit = dal_layout_of(s->start)->units.column_scale;
    double *work = DAL_NEW(arena, double, dal_rank_work(e->n, e->m)), *sigma = DAL_NEW(arena, double, e->n + e->m + 1);
    if (e->n < e->m || dal_rank_svd(e->C, e->n, e->m, e->m, DAL_RANK_TOLERANCE, sigma, NULL, NULL, work) < e->m ||
        dal_rank_solve(e->C, e->n, e->m, e->m, DAL_RANK_TOLERANCE, e->b, x, work) < e->m)
        return set_free(s, "rows and linear start values leave directions of the start free");
    double most = 0, miss = 0;
    for (int k = 0; k < e->m; k++)
        most = fmax(most, fabs(x[k]));
    for (int i = 0; i < e->n; i++) {
        double rest = -e->b[i];
        for (int k = 0; k < e->m; k++)
            rest += e->C[(size_t)i * (size_t)e->m + (size_t)k] * x[k];
        miss = fmax(miss, fabs(rest));
    }
    const double error = DBL_EPSILON * sigma[0] / sigma[e->m - 1] + (most > 0 ? miss / most : 0);
    if (!(error <= contradicts))
        return set_free(s, "rows and linear start values contradict one another");
    s->error = fmax(s->error, error);
    for (int k = 0; k < e->m; k++)
        x[k] /= unit[k];
    return true;
}

/* dphi/dp and dphi'/dp at the start, from the symbols there. */
static bool know_rows(start_slopes *s)
{
    if (s->df)
        return true;
    dal_parameter_equations *x = &s->at_start;
    if (dal_layout_of(s->start)->nv > MOST_UNKNOWNS)
        return set_free(s, "the model is large");
    if (dal_state_evaluate(s->start, NULL) != DAL_OK || dal_slopes_ready(s->start))
        return set_free(s, "the start has no derivatives");
    dal_parameter_equations_begin(x, s->x->arena, s->start, s->spec, s->x->number);
    x->at_start = s->by_rules;
    double *df = DAL_NEW(x->arena, double, x->first[DAL_PARTS] + 1);
    if (dal_parameter_symbols(x, df) != DAL_SYMBOLS_EXACT)
        return set_free(s, x->why);
    s->df = df;
    return true;
}

static bool is_place(const dal_layout *layout, int row)
{
    return row >= layout->n_extrinsic || !layout->mechanism->rows[layout->row[row].source].nonholonomic;
}

/* Rows of A with right sides -b; `places`: without those that hold velocities alone. */
static void add_rows(const start_slopes *s, system_of_slopes *e, const double *b, bool places)
{
    const dal_layout *layout = dal_layout_of(s->start);
    const dal_work *w = dal_seen_work(s->start);
    double *unit = DAL_NEW(s->x->arena, double, layout->n_rows + 1), *row = DAL_NEW(s->x->arena, double, layout->nv + 1);
    for (int i = 0; i < layout->n_rows; i++) {
        if (places && !is_place(layout, i))
            continue;
        unit[i] = 1;
        dal_rows_transposed(layout, w->A, unit, row);
        unit[i] = 0;
        add_equation(s, e, row, -b[i]);
    }
}

static bool find_places(start_slopes *s, double *dq)
{
    const dal_layout *layout = dal_layout_of(s->start);
    const int first = s->x->first[DAL_PART_START_Q];
    if (!find_columns(s->x->arena, s->start, &s->N))
        return set_free(s, "there is no memory");
    if (all_linear(s, DAL_PART_START_Q)) {
        project(layout, s->N, s->slope + first, dq);
        return true;
    }
    if (!know_rows(s))
        return false;
    system_of_slopes e = begin_system(s, layout->n_rows + layout->nq);
    add_rows(s, &e, s->df + s->at_start.first[DAL_PART_PHI], true);
    for (int k = 0; k < layout->nq; k++)
        if (s->linear[first + k])
            add_equation(s, &e, s->N + (size_t)k * (size_t)layout->nv, s->slope[first + k]);
    return solve_system(s, &e, dq);
}

/* dphi'/dp + D phi' dq */
static bool find_right_side(start_slopes *s, const double *dq, double *b)
{
    if (dal_slopes_of_rows(s->start, &(dal_variation_direction){.q = dq}, b))
        return set_free(s, "the start has no derivatives");
    for (int i = 0; i < dal_layout_of(s->start)->n_rows; i++)
        b[i] += s->df[s->at_start.first[DAL_PART_PHID] + i];
    return true;
}

static bool find_rates(start_slopes *s, const double *dq, double *dv)
{
    const dal_layout *layout = dal_layout_of(s->start);
    const int first = s->x->first[DAL_PART_START_V];
    if (all_linear(s, DAL_PART_START_V)) {
        memcpy(dv, s->slope + first, sizeof *dv * (size_t)layout->nv);
        return true;
    }
    double *b = DAL_NEW(s->x->arena, double, layout->n_rows + 1), *row = DAL_NEW(s->x->arena, double, layout->nv + 1);
    if (!know_rows(s) || !find_right_side(s, dq, b))
        return false;
    system_of_slopes e = begin_system(s, layout->n_rows + layout->nv);
    add_rows(s, &e, b, false);
    for (int k = 0; k < layout->nv; k++) {
        row[k] = 1;
        if (s->linear[first + k])
            add_equation(s, &e, row, s->slope[first + k]);
        row[k] = 0;
    }
    return solve_system(s, &e, dv);
}

/* ---- by the rules of assembly --------------------------------------------------------------------------------- */

static void add_equations(const start_slopes *s, system_of_slopes *e, const dal_start_equations *more)
{
    for (int i = 0; i < more->n; i++)
        add_equation(s, e, more->row + (size_t)i * (size_t)e->m, more->b[i]);
}

/* dq: first by the balance alone, which needs no number to stay what is written. */
static bool find_places_by_rules(start_slopes *s, dal_start_proof *proof, double *dq)
{
    const dal_layout *layout = dal_layout_of(s->start);
    bool fine = false;
    for (int known = 0; known < 2 && !fine; known++) {
        const dal_start_equations more = dal_start_of_places(proof, known);
        system_of_slopes e = begin_system(s, layout->n_rows + more.n);
        add_rows(s, &e, s->df + s->at_start.first[DAL_PART_PHI], true);
        add_equations(s, &e, &more);
        fine = solve_system(s, &e, dq);
    }
    return fine;
}

static bool find_rates_by_rules(start_slopes *s, dal_start_proof *proof, const double *dq, double *dv)
{
    const dal_layout *layout = dal_layout_of(s->start);
    double *b = DAL_NEW(s->x->arena, double, layout->n_rows + 1);
    bool fine = false;
    if (!find_right_side(s, dq, b))
        return false;
    for (int known = 0; known < 2 && !fine; known++) {
        const dal_start_equations more = dal_start_of_rates(proof, dq, known);
        system_of_slopes e = begin_system(s, layout->n_rows + more.n);
        add_rows(s, &e, b, false);
        add_equations(s, &e, &more);
        fine = solve_system(s, &e, dv);
    }
    return fine;
}

static bool find_by_rules(start_slopes *s, dal_start_slopes *out)
{
    s->by_rules = true;
    s->df = NULL;
    s->error = DBL_EPSILON;
    if (!find_columns(s->x->arena, s->start, &s->N) || !know_rows(s))
        return false;
    bool fine = false;
    for (int nearer = 0; nearer < 2 && !fine; nearer++) {
        dal_start_proof *proof = dal_start_proof_open(&s->at_start, s->N, nearer);
        if (!proof)
            return nearer ? false : set_free(s, s->at_start.why); /* what the farther models left open stays the reason */
        fine = find_places_by_rules(s, proof, out->dq) && find_rates_by_rules(s, proof, out->dq, out->dv);
        if (fine && dal_start_at_corner(proof, out->dq, out->dv))
            return set_free(s, "the rules of its assembly have a corner there");
        if (fine && !dal_start_of_states(proof, out->dz))
            return set_free(s, "a state of the model does not start at what is written");
    }
    return fine;
}

/* ---- all of it ----------------------------------------------------------------------------------------------- */

static bool find_by_numbers(start_slopes *s, dal_start_slopes *out)
{
    const int first = s->x->first[DAL_PART_START_Z], states = s->x->first[DAL_PARTS] - first;
    if (!find_linear(s))
        return false;
    if (!all_linear(s, DAL_PART_START_Z))
        return set_free(s, "a state of the model starts at a value that is not linear in the parameter");
    if (!find_places(s, out->dq) || !find_rates(s, out->dq, out->dv))
        return false;
    if (states)
        memcpy(out->dz, s->slope + first, sizeof *out->dz * (size_t)states);
    return true;
}

bool dal_parameter_start(dal_parameter_equations *x, const dal_spec *spec, dal_state *start, dal_start_slopes *out)
{
    start_slopes s = {.x = x, .spec = spec, .start = start, .error = DBL_EPSILON};
    const bool fine = dal_state_widen(start) && (find_by_numbers(&s, out) || find_by_rules(&s, out));
    out->error = s.error;
    x->no_memory = x->no_memory || s.at_start.no_memory;
    return fine;
}
