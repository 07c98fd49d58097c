/* Derivatives of the forces of dry friction: the equations are in friction_slopes.h. */
#include "dynamics/friction_slopes.h"

#include "dynamics/friction_parts.h"
#include "dynamics/reactions.h"
#include "math/dense.h"
#include "math/rank.h"
#include "math/sums.h"
#include "math/vec.h"
#include "model/system_parts.h"
#include "state/state_parts.h"

#include <math.h>
#include <string.h>

struct dal_friction_slopes {
    const dal_friction_state *friction; /* of the state that was read */
    int n, elements, nv, rows, joints;
    bool follows;          /* forces depend on v' or lambda: something sticks, is pressed, or starts */
    bool shared;           /* sticking surfaces hold each other */
    int n_free, most_free; /* null vectors of redundant rows, as many as there is room for */
    bool redundant;        /* reactions are chosen among them */
    /* at the point */
    double *e, *s, *aim, *slide; /* e, s, n; n x DAL_MAX_SLIP: -de/ds of each element at given N and s', by rows */
    double *still;               /* of elements: how much of K is that at rest; 0 where both are the same */
    double *ahead;               /* of elements: tau h / |s + h s'| while they start; else 0 */
    double *mu;                  /* of elements: mu of the present speed, 0 where they do not slip */
    double *unit;                /* X / N, 3 an element */
    double *lambda;              /* as reactions are chosen */
    double *sticks;              /* of components: 1 where they do and can be moved, -1 where nothing can move them */
    double *scale;               /* of the equations of components */
    /* responses to unit forces, one behind the other: S_k^T, B_k (nv), L_k (rows), G_k (n), X_k (3 an element) */
    double *push, *vd, *mult, *G, *X;
    double *K;         /* (n + m)^2 */
    double *large;     /* of unknowns of K: how large they are in the units of the model, so that pivots do not depend on these */
    int *pivot, *held; /* held: which components stick */
    int n_held;
    /* sticking surfaces that hold each other: projector n x n; the response to w: w, v', lambda */
    double *hold, *w, *w_vd, *w_mult, *svd, *rank_work, *bend;
    double size, tolerance; /* of G_ss; of its rank */
    /* redundant rows: Z (rows), C (6 a joint), X of C (3 an element), C^T W^2 C; w W^2 */
    double *Z, *C, *XZ, *CC, *weighted, *choice, *turned;
    /* along a direction */
    double *ds, *dK, *de, *rhs, *dsd, *dX, *dw, *value, *dC, *deta, *cwork;
    double *f, *b, *x, *more, *more_dd, *point_vd, *point_mult, *point_e;
};

/* ---- memory ------------------------------------------------------------------------------------- */

static size_t layout_friction_slopes(const dal_system *system, double *memory, dal_friction_slopes *s)
{
    const dal_layout *layout = dal_system_layout(system);
    const dal_acting *acting = dal_system_acting(system);
    const size_t n = (size_t)dal_sliding_components(acting->frictions, acting->n_frictions), m = (size_t)acting->n_frictions;
    const size_t nv = (size_t)layout->nv, rows = (size_t)layout->n_rows, joints = (size_t)layout->mechanism->n_joints;
    const size_t free = dal_system_rank(system) < layout->n_rows && layout->small ? rows - (size_t)dal_system_rank(system) : 0; /* at most */
    const size_t solved = n > free ? n : free;
    const struct {
        double **at;
        size_t size;
    } parts[] = {{&s->e, n},
                 {&s->s, n},
                 {&s->aim, n},
                 {&s->slide, DAL_MAX_SLIP * n},
                 {&s->still, m},
                 {&s->ahead, m},
                 {&s->mu, m},
                 {&s->unit, 3 * m},
                 {&s->lambda, rows},
                 {&s->sticks, n},
                 {&s->scale, n},
                 {&s->push, n * nv},
                 {&s->vd, n * nv},
                 {&s->mult, n * rows},
                 {&s->G, n * n},
                 {&s->X, 3 * m * n},
                 {&s->K, (n + m) * (n + m)},
                 {&s->large, n + m},
                 {&s->hold, n * n},
                 {&s->w, n},
                 {&s->w_vd, nv},
                 {&s->w_mult, rows},
                 {&s->svd, 2 * n * n + 3 * n},
                 {&s->rank_work, dal_rank_work((int)solved, (int)solved)},
                 {&s->Z, free * rows},
                 {&s->C, free * 6 * joints},
                 {&s->XZ, free * 3 * m},
                 {&s->CC, free * free},
                 {&s->weighted, free ? 6 * joints : 0},
                 {&s->choice, free ? rows : 0},
                 {&s->turned, free ? rows : 0},
                 {&s->bend, n},
                 {&s->ds, n},
                 {&s->dK, 2 * m},
                 {&s->de, n},
                 {&s->rhs, n + m},
                 {&s->dsd, n},
                 {&s->dX, 3 * m},
                 {&s->dw, 6 * joints},
                 {&s->value, 6 * joints + 3 * m},
                 {&s->dC, free ? 6 * joints : 0},
                 {&s->deta, free},
                 {&s->cwork, free},
                 {&s->f, nv},
                 {&s->b, rows},
                 {&s->x, nv},
                 {&s->more, nv},
                 {&s->more_dd, rows},
                 {&s->point_vd, nv},
                 {&s->point_mult, rows},
                 {&s->point_e, n}};
    size_t used = 0;
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        *parts[i].at = memory ? memory + used : NULL;
        used += parts[i].size;
    }
    s->n = (int)n, s->elements = (int)m, s->nv = layout->nv, s->rows = layout->n_rows, s->joints = layout->mechanism->n_joints;
    s->most_free = (int)free;
    s->redundant = free > 0;
    return used;
}

dal_friction_slopes *dal_friction_slopes_create(const dal_allocator *allocator, const dal_system *system)
{
    dal_friction_slopes local = {0};
    const size_t numbers = layout_friction_slopes(system, NULL, &local), unknowns = (size_t)(local.n + local.elements);
    dal_friction_slopes *s = allocator->allocate(allocator->user, sizeof *s + sizeof(double) * (numbers + 1) + sizeof(int) * 2 * unknowns);
    if (!s)
        return NULL;
    memset(s, 0, sizeof *s + sizeof(double) * numbers);
    layout_friction_slopes(system, (double *)(void *)(s + 1), s);
    s->pivot = (int *)(void *)((double *)(void *)(s + 1) + numbers);
    s->held = s->pivot + unknowns;
    return s;
}

void dal_friction_slopes_free(const dal_allocator *allocator, dal_friction_slopes *s)
{
    if (s)
        allocator->release(allocator->user, s);
}

double *dal_friction_slopes_slip(dal_friction_slopes *s)
{
    return s ? s->ds : NULL;
}

double *dal_friction_slopes_limits(dal_friction_slopes *s)
{
    return s ? s->dK : NULL;
}

const double *dal_friction_slopes_forces(const dal_friction_slopes *s)
{
    return s ? s->e : NULL;
}

const double *dal_friction_slopes_change(const dal_friction_slopes *s)
{
    return s ? s->de : NULL;
}

/* ---- the point ----------------------------------------------------------------------------------- */

static bool presses(const dal_friction_slopes *s, int i)
{
    return dal_friction_presses(&s->friction->element[i]);
}

/* Which components stick, and whether they hold each other; G of the last evaluation decides, as it did there. */
static void read_sticking(dal_state *state, dal_friction_slopes *s)
{
    dal_friction_parts p = dal_friction_layout(state);
    bool any = false;
    memset(s->sticks, 0, sizeof *s->sticks * (size_t)s->n);
    for (int i = 0; i < s->elements; i++)
        for (int k = s->friction->element[i].first; k < s->friction->element[i].first + s->friction->element[i].n; k++)
            if (s->friction->mode[i] == DAL_STICKS) {
                s->sticks[k] = -1;
                any = true;
            }
    s->shared = false;
    if (!any)
        return;
    dal_friction_factor(state, &p);
    for (int i = 0; i < p.n_sticking; i++) {
        s->held[i] = (int)p.sticking[i];
        s->sticks[s->held[i]] = 1;
    }
    s->n_held = p.n_sticking;
    s->shared = p.shared;
    s->tolerance = fmax(DAL_RANK_TOLERANCE, p.soft);
}

void dal_friction_slopes_read(dal_state *state, dal_friction_slopes *s)
{
    const dal_friction_parts p = dal_friction_layout(state);
    s->friction = dal_friction_of(state);
    s->follows = false;
    memcpy(s->e, s->friction->force, sizeof *s->e * (size_t)s->n);
    memcpy(s->s, p.slip, sizeof *s->s * (size_t)s->n);
    for (int i = 0; i < s->elements; i++) {
        const bool sticks = s->friction->mode[i] == DAL_STICKS;
        const dal_aim aim = sticks ? DAL_AIM_HELD : dal_friction_aim(state, &p, i, s->aim + s->friction->element[i].first);
        s->follows = s->follows || sticks || presses(s, i) || aim == DAL_AIM_AHEAD;
    }
    read_sticking(state, s);
    if (s->follows && s->redundant) {
        const double *Z;
        dal_need(state, DAL_STAGE_REACTIONS);
        memcpy(s->lambda, dal_multipliers_of(state), sizeof *s->lambda * (size_t)s->rows);
        s->n_free = dal_free_multipliers(state, &Z);
        s->n_free = s->n_free < s->most_free ? s->n_free : s->most_free; /* there are more at a singular position, where no derivative is */
        memcpy(s->Z, Z, sizeof *Z * (size_t)s->n_free * (size_t)s->rows);
    }
}

/* d/d|s| of what is left at |s| of a force or coefficient that is `more` higher at rest. */
static double stribeck_slope(const dal_friction *f, double more, double speed)
{
    const double over = f->stribeck > 0 ? speed / f->stribeck : 0;
    return f->stribeck > 0 ? -2 * over / f->stribeck * more * exp(-over * over) : 0;
}

/* E = -de/ds of an element that slips, at given N and s'; `ahead` where n looks ahead. With |s| = 0 the law has no direction: only what is viscous. */
static void differentiate_law(const dal_state *state, dal_friction_slopes *s, int i, double N, const double *sd)
{
    const dal_friction *f = &s->friction->element[i];
    const dal_friction_parts p = dal_friction_layout(state);
    const double *v = s->s + f->first, speed = dal_norm(v, f->n);
    double *E = s->slide + DAL_MAX_SLIP * f->first, *n = s->aim + f->first;
    const dal_aim aim = dal_friction_aim(state, &p, i, n);
    const double sliding = dal_friction_limit(state, f, HUGE_VAL), higher = dal_friction_holds(state, f, 0) - sliding;
    const double K = dal_friction_limit(state, f, speed), tau = K + dal_friction_coefficient(f, speed) * N;
    const double steeper = stribeck_slope(f, higher, speed) + N * stribeck_slope(f, f->resting - f->sliding, speed);
    double turn = 0, along = 0; /* dn = turn (1 - t t^T) ds + along t t^T ds, t = s / |s|, or n where it looks ahead */
    double t[DAL_MAX_SLIP] = {0};
    for (int k = 0; k < f->n && speed > 0; k++)
        t[k] = v[k] / speed;
    const double forward = t[0] * n[0] + (f->n > 1 ? t[1] * n[1] : 0) + (f->n > 2 ? t[2] * n[2] : 0);
    s->still[i] = higher > 0 ? (K - sliding) / higher : 0;
    if (aim == DAL_AIM_MOTION) {
        turn = forward / speed;
    } else if (aim == DAL_AIM_SMOOTH) {
        const double over = speed / f->regular, th = tanh(over);
        along = (1 - th * th) / f->regular;
        turn = speed > 0 ? th / speed : along;
    } else if (aim == DAL_AIM_AHEAD) {
        double reach = 0;
        for (int k = 0; k < f->n; k++)
            reach += (v[k] + p.look[i] * sd[k]) * (v[k] + p.look[i] * sd[k]);
        reach = sqrt(reach);
        for (int k = 0; k < f->n; k++)
            t[k] = n[k];
        turn = reach > 0 ? 1 / reach : 0;
        s->ahead[i] = tau * p.look[i] * turn;
    }
    for (int k = 0; k < f->n; k++)
        for (int j = 0; j < f->n; j++) {
            const double faster = speed > 0 ? v[j] / speed : 0; /* d|s| / ds_j */
            E[DAL_MAX_SLIP * k + j] =
                (k == j ? f->viscous : 0) + steeper * n[k] * faster + tau * (turn * ((k == j) - t[k] * t[j]) + along * t[k] * t[j]);
        }
}

/* N, u = X / N and the law of each element, from X and s' of the point. */
static void read_laws(const dal_state *state, dal_friction_slopes *s, const double *X, const double *sd)
{
    memset(s->slide, 0, sizeof *s->slide * DAL_MAX_SLIP * (size_t)s->n);
    for (int i = 0; i < s->elements; i++) {
        const dal_friction *f = &s->friction->element[i];
        const double N = presses(s, i) ? dal_norm(X + 3 * i, 3) : 0;
        s->ahead[i] = s->mu[i] = s->still[i] = 0;
        for (int c = 0; c < 3; c++)
            s->unit[3 * i + c] = N > 0 ? X[3 * i + c] / N : 0;
        if (s->friction->mode[i] == DAL_STICKS)
            continue;
        s->mu[i] = dal_friction_coefficient(f, dal_norm(s->s + f->first, f->n));
        differentiate_law(state, s, i, N, sd + f->first);
    }
}

/* ---- responses ------------------------------------------------------------------------------------ */

static dal_flow vary(dal_state *state, const dal_friction_solver *solver, const dal_variation_point *at, const dal_variation_direction *along,
                     const dal_variation_result *out)
{
    const int exceeded = dal_variation_along(solver->variation, at, along, out);
    return exceeded ? dal_state_left_table(state, exceeded) : 0;
}

/* The point at which wrenches are those of the chosen multipliers. */
static dal_variation_point chosen_point(const dal_friction_slopes *s, const dal_friction_solver *solver)
{
    dal_variation_point at = solver->at;
    if (s->redundant)
        at.lambda = s->lambda;
    return at;
}

/* dX += X_Z deta, from dw and, `bent`, dC^T W^2 w, which is in s->deta. */
static void choose_again(dal_friction_slopes *s, bool bent)
{
    if (!s->redundant || !s->n_free)
        return;
    for (int c = 0; c < s->n_free; c++) {
        double sum = bent ? -s->deta[c] : 0;
        for (int k = 0; k < 6 * s->joints; k++)
            sum -= s->C[6 * c * s->joints + k] * s->dw[k]; /* C is weighted by W^2 here */
        s->cwork[c] = sum;
    }
    dal_rank_solve(s->CC, s->n_free, s->n_free, s->n_free, DAL_RANK_TOLERANCE, s->cwork, s->deta, s->rank_work);
    for (int c = 0; c < s->n_free; c++)
        for (int k = 0; k < 3 * s->elements; k++)
            s->dX[k] += s->XZ[3 * c * s->elements + k] * s->deta[c];
}

/* C, X of C and C^T W^2 C, with unit wrenches. `weighted` W^2 w of the point; C is left as C W^2. */
static dal_flow read_free(dal_state *state, dal_friction_slopes *s, const dal_friction_solver *solver)
{
    const dal_variation_point at = chosen_point(s, solver);
    const size_t wide = 6 * (size_t)s->joints;
    int kept = 0;
    for (int c = 0; c < s->n_free; c++) {
        double *Z = s->Z + (size_t)kept * (size_t)s->rows, *C = s->C + (size_t)kept * wide, *X = s->XZ + 3 * (size_t)kept * (size_t)s->elements,
               norm = 0;
        memmove(Z, s->Z + (size_t)c * (size_t)s->rows, sizeof *Z * (size_t)s->rows);
        dal_flow flow = vary(state, solver, &at, &(dal_variation_direction){.lambda = Z}, &(dal_variation_result){.wrenches = C, .press = X});
        if (flow)
            return flow;
        for (size_t k = 0; k < wide; k++) {
            const double w = dal_weight_of_reaction(dal_system_of(state), (int)k);
            norm += w * w * C[k] * C[k];
        }
        norm = sqrt(norm);
        if (!(norm > 0))
            continue; /* no joint feels it */
        for (int i = 0; i < s->rows; i++)
            Z[i] /= norm;
        for (size_t k = 0; k < wide; k++)
            C[k] /= norm;
        for (int k = 0; k < 3 * s->elements; k++)
            X[k] /= norm;
        kept++;
    }
    s->n_free = kept;
    for (size_t k = 0; k < wide; k++) {
        const double w = dal_weight_of_reaction(dal_system_of(state), (int)k);
        s->weighted[k] = w * w * s->value[k];
        for (int a = 0; a < kept; a++)
            for (int b = 0; b < kept; b++)
                s->CC[a * kept + b] = (k ? s->CC[a * kept + b] : 0) + w * w * s->C[(size_t)a * wide + k] * s->C[(size_t)b * wide + k];
    }
    for (int a = 0; a < kept; a++)
        for (size_t k = 0; k < wide; k++) {
            const double w = dal_weight_of_reaction(dal_system_of(state), (int)k);
            s->C[(size_t)a * wide + k] *= w * w;
        }
    return 0;
}

/* S_k^T, and where forces depend on v' or lambda B_k, L_k, G_k, X_k. */
static dal_flow respond(dal_state *state, dal_friction_slopes *s, const dal_friction_solver *solver, int k)
{
    double *push = s->push + (size_t)k * (size_t)s->nv, *vd = s->vd + (size_t)k * (size_t)s->nv, *mult = s->mult + (size_t)k * (size_t)s->rows;
    const dal_variation_point at = chosen_point(s, solver);
    dal_variation_direction along = {.friction = s->de};
    memset(s->de, 0, sizeof *s->de * (size_t)s->n);
    s->de[k] = 1;
    dal_flow flow = vary(state, solver, &solver->at, &along, &(dal_variation_result){.motion = push});
    for (int i = 0; i < s->nv; i++)
        push[i] = -push[i];
    if (flow || !s->follows)
        return flow;
    memcpy(s->f, push, sizeof *push * (size_t)s->nv);
    memset(s->b, 0, sizeof *s->b * (size_t)s->rows);
    if ((flow = solver->solve(solver->user, s->f, s->b, vd, mult)))
        return flow;
    along.vd = vd, along.lambda = mult;
    flow = vary(state, solver, &at, &along,
                &(dal_variation_result){.slip_rates = s->G + (size_t)k * (size_t)s->n, .press = s->dX, .wrenches = s->redundant ? s->dw : NULL});
    choose_again(s, false);
    memcpy(s->X + 3 * (size_t)k * (size_t)s->elements, s->dX, sizeof *s->dX * 3 * (size_t)s->elements);
    return flow;
}

/* ---- surfaces that hold each other ------------------------------------------------------------------- */

/* Pi, and the response to w, e_s = G_ss w, times the scale of G. */
static void find_shared(dal_friction_slopes *s)
{
    const int n = s->n, m = s->n_held;
    double *H = s->svd, *null = H + n * n, *sigma = null + n * n, *e = sigma + n, *w = e + n;
    s->size = 0;
    for (int i = 0; i < m; i++)
        for (int j = 0; j < m; j++) {
            H[i * m + j] = s->G[(size_t)s->held[j] * (size_t)n + (size_t)s->held[i]];
            s->size = fmax(s->size, fabs(H[i * m + j]));
        }
    for (int i = 0; i < m; i++)
        e[i] = s->size * s->e[s->held[i]];
    memset(s->hold, 0, sizeof *s->hold * (size_t)n * (size_t)n);
    memset(s->w, 0, sizeof *s->w * (size_t)n);
    const int rank = dal_rank_svd(H, m, m, m, s->tolerance, sigma, null, NULL, s->rank_work);
    for (int c = 0; c < m - rank && rank >= 0; c++)
        for (int i = 0; i < m; i++)
            for (int j = 0; j < m; j++)
                s->hold[s->held[i] * n + s->held[j]] += null[c * m + i] * null[c * m + j];
    dal_rank_solve(H, m, m, m, s->tolerance, e, w, s->rank_work);
    for (int i = 0; i < m; i++)
        s->w[s->held[i]] = w[i];
    memset(s->w_vd, 0, sizeof *s->w_vd * (size_t)s->nv);
    memset(s->w_mult, 0, sizeof *s->w_mult * (size_t)s->rows);
    for (int k = 0; k < n; k++) {
        for (int i = 0; i < s->nv; i++)
            s->w_vd[i] += s->vd[(size_t)k * (size_t)s->nv + (size_t)i] * s->w[k];
        for (int i = 0; i < s->rows; i++)
            s->w_mult[i] += s->mult[(size_t)k * (size_t)s->rows + (size_t)i] * s->w[k];
    }
}

/* ---- the equations ------------------------------------------------------------------------------------- */

/* (1 - n n^T) x of an element that looks ahead. */
static void across(const double *n, int size, const double *x, double *out)
{
    double along = 0;
    for (int k = 0; k < size; k++)
        along += n[k] * x[k];
    for (int k = 0; k < size; k++)
        out[k] = x[k] - n[k] * along;
}

static void fill_component(dal_friction_slopes *s, int i, int k)
{
    const dal_friction *f = &s->friction->element[i];
    const int n = s->n, size = n + s->elements;
    double *row = s->K + (size_t)k * (size_t)size;
    s->scale[k] = 1;
    if (s->friction->mode[i] == DAL_STICKS) {
        const double own = s->G[(size_t)k * (size_t)n + (size_t)k];
        if (s->sticks[k] < 0) {
            row[k] = 1;
            return;
        }
        s->scale[k] = 1 / own;
        for (int j = 0; j < n; j++)
            row[j] = s->G[(size_t)j * (size_t)n + (size_t)k] / own + (s->shared ? s->hold[(size_t)k * (size_t)n + (size_t)j] : 0);
        return;
    }
    row[k] = 1;
    row[n + i] = s->mu[i] * s->aim[k];
    for (int j = 0; j < n && s->ahead[i] > 0; j++) {
        double out[DAL_MAX_SLIP];
        across(s->aim + f->first, f->n, s->G + (size_t)j * (size_t)n + (size_t)f->first, out);
        row[j] += s->ahead[i] * out[k - f->first];
    }
}

/* Of e: a power over the speed of its surfaces; of N: over a speed of the model. Equation i has the unit of unknown i. */
static void measure_unknowns(const dal_state *state, dal_friction_slopes *s)
{
    const dal_layout *layout = dal_layout_of(state);
    for (int i = 0; i < s->elements; i++) {
        const dal_friction *f = &s->friction->element[i];
        for (int k = f->first; k < f->first + f->n; k++)
            s->large[k] = 1 / dal_friction_pace(layout, f);
        s->large[s->n + i] = layout->units.time / layout->units.length;
    }
}

static dal_flow factor_laws(dal_state *state, dal_friction_slopes *s)
{
    const int n = s->n, size = n + s->elements;
    memset(s->K, 0, sizeof *s->K * (size_t)size * (size_t)size);
    for (int i = 0; i < s->elements; i++) {
        const dal_friction *f = &s->friction->element[i];
        double *row = s->K + (size_t)(n + i) * (size_t)size;
        for (int k = f->first; k < f->first + f->n; k++)
            fill_component(s, i, k);
        row[n + i] = 1;
        for (int k = 0; k < n; k++)
            row[k] -= dal_dot(s->unit + 3 * i, s->X + 3 * ((size_t)k * (size_t)s->elements + (size_t)i));
    }
    measure_unknowns(state, s);
    for (int i = 0; i < size; i++)
        for (int j = 0; j < size; j++)
            s->K[(size_t)i * (size_t)size + (size_t)j] *= s->large[j] / s->large[i];
    if (dal_lu(s->K, size, size, s->pivot) > 0)
        return 0;
    return dal_state_fail(state, "the friction of joint '%s' is about to jam: how it changes is not determined",
                          dal_layout_of(state)->mechanism->joints[s->friction->element[0].joint].name);
}

dal_flow dal_friction_slopes_ready(dal_state *state, dal_friction_slopes *s, const dal_friction_solver *solver)
{
    const dal_variation_point at = chosen_point(s, solver);
    double *X = s->value + 6 * (size_t)s->joints;
    dal_flow flow = 0;
    memset(X, 0, sizeof *X * 3 * (size_t)s->elements);
    if (s->follows) {
        memset(s->de, 0, sizeof *s->de * (size_t)s->n);
        flow = vary(state, solver, &at, &(dal_variation_direction){0},
                    &(dal_variation_result){.slip_rates = s->ds,
                                            .slip_rate_values = s->dsd,
                                            .press = s->dX,
                                            .press_values = X,
                                            .wrenches = s->redundant ? s->dw : NULL,
                                            .wrench_values = s->redundant ? s->value : NULL});
        if (!flow && s->redundant)
            flow = read_free(state, s, solver);
    }
    if (flow)
        return flow;
    read_laws(state, s, X, s->dsd);
    for (int k = 0; k < s->n && !flow; k++)
        flow = respond(state, s, solver, k);
    if (flow || !s->follows)
        return flow;
    if (s->shared)
        find_shared(s);
    return factor_laws(state, s);
}

/* ---- along a direction ----------------------------------------------------------------------------------- */

void dal_friction_slopes_push(dal_friction_slopes *s, double *f)
{
    for (int i = 0; i < s->elements; i++) {
        const dal_friction *element = &s->friction->element[i];
        const double *E = s->slide + DAL_MAX_SLIP * element->first, *limits = s->dK + 2 * i;
        const double dK = s->friction->mode[i] == DAL_STICKS ? 0 : limits[0] + s->still[i] * (limits[1] - limits[0]);
        for (int k = 0; k < element->n; k++) {
            double *de = s->de + element->first + k;
            *de = -dK * s->aim[element->first + k];
            for (int j = 0; j < element->n; j++)
                *de -= E[DAL_MAX_SLIP * k + j] * s->ds[element->first + j];
            for (int j = 0; j < s->nv; j++)
                f[j] += s->push[(size_t)(element->first + k) * (size_t)s->nv + (size_t)j] * *de;
        }
    }
}

/* mu := dZ of multipliers Z with A^T Z = 0, from D r at lambda + Z. */
static dal_flow turn_null_vector(dal_state *state, dal_friction_slopes *s, const dal_friction_solver *solver, const dal_variation_direction *along,
                                 const double *motion, const double *Z, double *mu)
{
    dal_variation_point at = solver->at;
    for (int i = 0; i < s->rows; i++)
        s->point_mult[i] = at.lambda[i] + Z[i];
    at.lambda = s->point_mult;
    dal_flow flow = vary(state, solver, &at, along, &(dal_variation_result){.motion = s->more});
    if (flow)
        return flow;
    for (int j = 0; j < s->nv; j++)
        s->f[j] = motion[j] - s->more[j];
    memset(s->b, 0, sizeof *s->b * (size_t)s->rows);
    return solver->solve(solver->user, s->f, s->b, s->x, mu);
}

/* s->deta := (D C)^T W^2 w; `moved` has dv', and dlambda of the chosen multipliers, along which dw was found. */
static dal_flow bend_free(dal_state *state, dal_friction_slopes *s, const dal_friction_solver *solver, const dal_variation_direction *along,
                          const dal_variation_direction *moved, const double *motion)
{
    dal_flow flow = 0;
    for (int c = 0; c < s->n_free && !flow; c++) {
        const double *Z = s->Z + (size_t)c * (size_t)s->rows;
        dal_variation_direction with = *moved;
        dal_variation_point at = solver->at;
        if ((flow = turn_null_vector(state, s, solver, along, motion, Z, s->more_dd)))
            return flow;
        for (int i = 0; i < s->rows; i++) {
            s->more_dd[i] += moved->lambda[i];
            s->point_mult[i] = s->lambda[i] + Z[i];
        }
        with.lambda = s->more_dd;
        at.lambda = s->point_mult;
        flow = vary(state, solver, &at, &with, &(dal_variation_result){.wrenches = s->dC});
        s->deta[c] = 0;
        for (int k = 0; k < 6 * s->joints; k++)
            s->deta[c] += s->weighted[k] * (s->dC[k] - s->dw[k]);
    }
    return flow;
}

/* s' and X along a direction, with dv' and dlambda: dsd and dX. */
static dal_flow observe(dal_state *state, dal_friction_slopes *s, const dal_friction_solver *solver, const dal_variation_direction *along,
                        const double *motion, const double *vd, const double *lambda)
{
    const dal_variation_point at = chosen_point(s, solver);
    dal_variation_direction moved = along ? *along : (dal_variation_direction){0};
    moved.vd = vd, moved.lambda = lambda, moved.friction = s->de;
    dal_flow flow = 0;
    if (s->redundant) { /* lambda + Z y turns as well */
        for (int i = 0; i < s->rows; i++)
            s->choice[i] = s->lambda[i] - solver->at.lambda[i];
        if (along && (flow = turn_null_vector(state, s, solver, along, motion, s->choice, s->turned)))
            return flow;
        for (int i = 0; i < s->rows; i++)
            s->turned[i] = lambda[i] + (along ? s->turned[i] : 0);
        moved.lambda = s->turned;
    }
    flow = vary(state, solver, &at, &moved, &(dal_variation_result){.slip_rates = s->dsd, .press = s->dX, .wrenches = s->redundant ? s->dw : NULL});
    if (!flow && along && s->redundant)
        flow = bend_free(state, s, solver, along, &moved, motion);
    choose_again(s, along != NULL);
    return flow;
}

/* s->bend := (D G_ss) w: how s' of the response to w changes. */
static dal_flow bend_shared(dal_state *state, dal_friction_slopes *s, const dal_friction_solver *solver, const dal_variation_direction *along,
                            const double *motion, const double *phidd, const double *vd)
{
    dal_variation_point at = solver->at;
    dal_variation_direction moved = *along;
    for (int j = 0; j < s->nv; j++)
        s->point_vd[j] = at.vd[j] + s->w_vd[j];
    for (int i = 0; i < s->rows; i++)
        s->point_mult[i] = at.lambda[i] + s->w_mult[i];
    for (int k = 0; k < s->n; k++)
        s->point_e[k] = s->e[k] + s->w[k];
    at.vd = s->point_vd, at.lambda = s->point_mult, at.friction = s->point_e;
    dal_flow flow = vary(state, solver, &at, along, &(dal_variation_result){.motion = s->more, .phidd = s->more_dd});
    if (flow)
        return flow;
    for (int j = 0; j < s->nv; j++)
        s->f[j] = motion[j] - s->more[j];
    for (int i = 0; i < s->rows; i++)
        s->b[i] = phidd[i] - s->more_dd[i];
    if ((flow = solver->solve(solver->user, s->f, s->b, s->x, s->more_dd)))
        return flow;
    for (int j = 0; j < s->nv; j++)
        s->x[j] += vd[j];
    moved.vd = s->x;
    flow = vary(state, solver, &at, &moved, &(dal_variation_result){.slip_rates = s->bend});
    for (int k = 0; k < s->n; k++)
        s->bend[k] = (s->bend[k] - s->dsd[k]) / s->size;
    return flow;
}

/* The right side of the equations of an element. */
static void fill_right(dal_friction_slopes *s, int i, bool bent)
{
    const dal_friction *f = &s->friction->element[i];
    double out[DAL_MAX_SLIP];
    across(s->aim + f->first, f->n, s->dsd + f->first, out);
    for (int k = f->first; k < f->first + f->n; k++) {
        if (s->friction->mode[i] != DAL_STICKS) {
            s->rhs[k] = -s->ahead[i] * out[k - f->first];
            continue;
        }
        s->rhs[k] = s->sticks[k] > 0 ? -s->scale[k] * s->dsd[k] : 0;
        for (int j = 0; j < s->n && s->shared && bent; j++)
            s->rhs[k] += s->hold[(size_t)k * (size_t)s->n + (size_t)j] * s->bend[j];
    }
    s->rhs[s->n + i] = dal_dot(s->unit + 3 * i, s->dX + 3 * i);
}

dal_flow dal_friction_slopes_follow(dal_state *state, dal_friction_slopes *s, const dal_friction_solver *solver, const dal_variation_direction *along,
                                    const double *motion, const double *phidd, double *vd, double *lambda)
{
    const int size = s->n + s->elements;
    if (!along)
        memset(s->de, 0, sizeof *s->de * (size_t)s->n);
    if (!s->follows)
        return 0;
    dal_flow flow = observe(state, s, solver, along, motion, vd, lambda);
    if (!flow && s->shared && along)
        flow = bend_shared(state, s, solver, along, motion, phidd, vd);
    if (flow)
        return flow;
    for (int i = 0; i < s->elements; i++)
        fill_right(s, i, along != NULL);
    for (int i = 0; i < size; i++)
        s->rhs[i] /= s->large[i];
    dal_lu_solve(s->K, size, size, s->pivot, s->rhs);
    for (int i = 0; i < size; i++)
        s->rhs[i] *= s->large[i];
    for (int k = 0; k < s->n; k++) {
        s->de[k] += s->rhs[k];
        for (int j = 0; j < s->nv; j++)
            vd[j] += s->vd[(size_t)k * (size_t)s->nv + (size_t)j] * s->rhs[k];
        for (int i = 0; i < s->rows; i++)
            lambda[i] += s->mult[(size_t)k * (size_t)s->rows + (size_t)i] * s->rhs[k];
    }
    return 0;
}

void dal_friction_slopes_power(const dal_state *state, const dal_friction_slopes *s, double *power)
{
    const dal_islands *islands = &dal_system_acting(dal_system_of(state))->islands;
    for (int i = 0; i < s->elements; i++) {
        const dal_friction *f = &s->friction->element[i];
        for (int k = f->first; k < f->first + f->n; k++)
            power[dal_island(islands->of_joint, f->joint)] += s->de[k] * s->s[k];
    }
}
