/* dal_parameter_derivatives: dalembert/derivatives.h.
 *
 * At fixed (t, q, v, z, u, v', lambda) the compiled equations are functions of the parameter p alone:
 *     r = M v' + h - Q - A^T lambda,   phi,   phi',   phi'',   z',   the start (q, v, z)
 * Their derivatives by p are extrapolated from central differences with steps H, H/2, H/4, ... (Romberg):
 *     T_i0 = (f(p + H/2^i) - f(p - H/2^i)) 2^i / (2 H),   T_ij = T_i,j-1 + (T_i,j-1 - T_i-1,j-1) / (4^j - 1)
 * f is the model compiled for that value (dal_system_vary), with its start assembled anew. Steps are large, so that rounding stays small, and polynomials up to
 * the degree of the table are differentiated without error. The entry with the least difference to its neighbours is taken, of each part of f by itself.
 * v' and lambda then follow through the factors of the formulation, as in dynamics/slopes.h:
 *     M dv' - A^T dlambda = -dr,   A dv' = -(dphi'' + a dphi' + b dphi)
 */
#include "base/argument.h"
#include "base/arena.h"
#include "dalembert/derivatives.h"
#include "dynamics/derivative_calls.h"
#include "dynamics/tree_state.h"
#include "model/system_parts.h"
#include "state/state_parts.h"
#include "state/values.h"

#include <float.h>
#include <math.h>
#include <string.h>

enum { LEVELS = 5, TABLE = LEVELS * (LEVELS + 1) / 2 };
static const double good_enough = 1e-13;      /* no other step is tried */
static const double falls = 0.8, seen = 1e-7; /* second differences of what is smooth halve; smaller ones are not looked at */
static const double not_smooth = 1e-8;        /* no derivative is claimed */

/* Parts of f, each with an error of its own. */
typedef enum part { R, PHI, PHID, PHIDD, ZD, START_Q, START_V, START_Z, PARTS } part;

typedef struct extrapolation {
    dal_arena arena;
    dal_state *state;
    const char *name;
    dal_messages *messages;
    dal_parameter_result *out;
    double p;
    const double *vd, *lambda;
    int first[PARTS + 1];              /* where each part of f begins */
    double *unit;                      /* of each number of f */
    double size[PARTS];                /* of the terms that it is summed from, in units */
    double *plus, *minus;              /* f */
    double *here;                      /* f at p itself */
    double bend[PARTS];                /* the last second difference over the step */
    double *table;                     /* TABLE rows of f */
    double *best, error[PARTS], *pull; /* nv */
    bool structure, refused;           /* the parameter changes the structure; the model is refused beside the value */
} extrapolation;

/* ---- f ------------------------------------------------------------------------------------------------- */

static void note_size(extrapolation *x, part which, int k, double term)
{
    x->size[which] = fmax(x->size[which], fabs(term) / x->unit[x->first[which] + k]);
}

/* r, rows and z' of the varied model at the held point. */
static dal_flow evaluate_held(extrapolation *x, dal_state *varied, double *f)
{
    const dal_layout *layout = dal_layout_of(varied);
    const dal_work *held = dal_seen_work(x->state);
    const dal_values *values = dal_values_of(x->state);
    const dal_derivative_sizes size = dal_derivatives_describe(dal_system_of(x->state));
    dal_work *w = dal_work_of(varied);
    memcpy(w->q, held->q, sizeof *w->q * (size_t)layout->nq);
    memcpy(w->v, held->v, sizeof *w->v * (size_t)layout->nv);
    if (size.states)
        memcpy(dal_values_of(varied)->z, values->z, sizeof *values->z * (size_t)size.states);
    if (size.inputs)
        memcpy(dal_values_of(varied)->inputs, values->inputs, sizeof *values->inputs * (size_t)size.inputs);
    if (layout->mechanism->n_windings)
        memcpy(w->winding, held->winding, sizeof *w->winding * (size_t)layout->mechanism->n_windings);
    memcpy(w->chart, held->chart, sizeof *w->chart * 3 * (size_t)layout->mechanism->n_bodies);
    w->t = held->t;
    dal_state_moved(varied);
    if (!dal_state_widen(varied))
        return -DAL_NO_MEMORY;
    dal_flow flow = dal_state_accelerate(varied);
    if (flow)
        return flow;
    dal_need(varied, DAL_STAGE_LOADS);
    double *r = f + x->first[R], *phidd = f + x->first[PHIDD], *pull = x->pull;
    dal_mass_times(layout, w->M, x->vd, r);
    dal_rows_transposed(layout, w->A, x->lambda, pull);
    for (int k = 0; k < layout->nv; k++) {
        note_size(x, R, k, fabs(r[k]) + fabs(w->h[k]) + fabs(w->Q[k]) + fabs(pull[k]));
        r[k] += w->h[k] - w->Q[k] - pull[k];
    }
    dal_rows_times(layout, w->A, x->vd, phidd);
    for (int i = 0; i < layout->n_rows; i++) {
        f[x->first[PHI] + i] = w->phi[i];
        f[x->first[PHID] + i] = w->phid[i];
        note_size(x, PHIDD, i, fabs(phidd[i]) + fabs(w->gamma[i]));
        phidd[i] -= w->gamma[i];
    }
    dal_slopes_rates_of_states(varied, f + x->first[ZD]);
    return 0;
}

static bool is_same_shape(const dal_state *a, const dal_state *b)
{
    const dal_layout *x = dal_layout_of(a), *y = dal_layout_of(b);
    const dal_derivative_sizes s = dal_derivatives_describe(dal_system_of(a)), t = dal_derivatives_describe(dal_system_of(b));
    return x->nq == y->nq && x->nv == y->nv && x->n_rows == y->n_rows && x->mechanism->n_bodies == y->mechanism->n_bodies &&
           x->mechanism->n_windings == y->mechanism->n_windings && s.states == t.states && s.inputs == t.inputs;
}

static dal_flow evaluate_start(extrapolation *x, dal_state *varied, double *f)
{
    const dal_layout *layout = dal_layout_of(varied);
    const dal_flow flow = dal_state_unpack(varied, dal_state_time(varied), dal_state_y(varied));
    if (flow)
        return flow;
    memcpy(f + x->first[START_Q], dal_seen_work(varied)->q, sizeof *f * (size_t)layout->nq);
    memcpy(f + x->first[START_V], dal_seen_work(varied)->v, sizeof *f * (size_t)layout->nv);
    const int states = x->first[PARTS] - x->first[START_Z];
    if (states)
        memcpy(f + x->first[START_Z], dal_values_of(varied)->z, sizeof *f * (size_t)states);
    return 0;
}

/* The reader, or compile, made another model of it. */
static bool says_anew(const dal_messages *messages)
{
    for (const dal_message *m = dal_messages_first(messages); m; m = m->next)
        if (m->severity == DAL_NOTE)
            return true;
    return false;
}

/* f at another value; false: x says why. */
static bool sample(extrapolation *x, double p, double *f)
{
    const dal_allocator *allocator = dal_allocator_of(x->state);
    dal_messages *heard = dal_messages_create(allocator);
    dal_system *system = NULL;
    dal_state *varied = NULL;
    bool fine = heard && dal_system_vary(allocator, dal_system_of(x->state), 1, &x->name, &p, heard, &system) == DAL_OK;
    if (fine)
        varied = dal_state_create(allocator, system);
    x->structure = x->structure || (fine && (says_anew(heard) || (varied && !is_same_shape(x->state, varied))));
    fine = fine && varied && !x->structure && !evaluate_start(x, varied, f) && !evaluate_held(x, varied, f);
    for (int k = 0; fine && k < x->first[PARTS]; k++)
        fine = isfinite(f[k]);
    x->refused = x->refused || !fine;
    dal_state_free(varied);
    dal_system_free(system);
    dal_messages_free(heard);
    return fine;
}

/* ---- the table ------------------------------------------------------------------------------------------ */

static double *entry(const extrapolation *x, int i, int j)
{
    return x->table + (size_t)(i * (i + 1) / 2 + j) * (size_t)x->first[PARTS];
}

/* The largest difference of two rows of the table over a part; b NULL: zero. */
static double apart(const extrapolation *x, part which, const double *a, const double *b)
{
    double most = 0;
    for (int k = x->first[which]; k < x->first[which + 1]; k++)
        most = fmax(most, fabs(a[k] - (b ? b[k] : 0)) / x->unit[k]);
    return most;
}

/* Row i of the table: is one of its entries better for a part than what is known? Errors are relative. */
static void choose_entry(extrapolation *x, part which, int i, double step)
{
    const double span = fmax(fabs(x->p), step);
    for (int j = 1; j <= i; j++) {
        const double *now = entry(x, i, j);
        const double size = fmax(apart(x, which, now, NULL), x->size[which] / span);
        const double error = fmax(apart(x, which, now, entry(x, i, j - 1)), apart(x, which, now, entry(x, i - 1, j - 1)));
        const double rounding = size > 0 ? DBL_EPSILON * x->size[which] / (size * step) : 0;
        const double relative = fmax(size > 0 ? error / size : 0, rounding);
        if (!(relative < x->error[which]))
            continue;
        x->error[which] = relative;
        memcpy(x->best + x->first[which], now + x->first[which], sizeof *now * (size_t)(x->first[which + 1] - x->first[which]));
    }
}

static double worst(const extrapolation *x)
{
    double most = 0;
    for (part which = 0; which < PARTS; which++)
        most = fmax(most, x->first[which + 1] > x->first[which] ? x->error[which] : 0);
    return most;
}

/* (f(p + h) - 2 f(p) + f(p - h)) / 2h falls with h where f is smooth, and stays where the slopes of both sides differ: there central differences
 * would give their mean. */
static bool is_corner(extrapolation *x, part which, int level, double step)
{
    const double span = fmax(fabs(x->p), step);
    double now = 0, size = x->size[which] / span;
    for (int k = x->first[which]; k < x->first[which + 1]; k++) {
        now = fmax(now, fabs(x->plus[k] - 2 * x->here[k] + x->minus[k]) / (2 * step * x->unit[k]));
        size = fmax(size, fabs(x->plus[k] - x->minus[k]) / (2 * step * x->unit[k]));
    }
    const bool stays = level && now > falls * x->bend[which] && now > seen * size;
    x->bend[which] = now;
    return stays;
}

/* Steps from H downwards, until no more is gained; false where f does not exist for one of them. */
static bool fill_table(extrapolation *x, double H)
{
    const int n = x->first[PARTS];
    for (int i = 0; i < LEVELS && worst(x) > good_enough; i++) {
        const double step = ldexp(H, -i);
        if (!sample(x, x->p + step, x->plus) || !sample(x, x->p - step, x->minus))
            return false;
        double *first = entry(x, i, 0);
        for (int k = 0; k < n; k++)
            first[k] = (x->plus[k] - x->minus[k]) / (2 * step);
        for (int j = 1; j <= i; j++) {
            const double *left = entry(x, i, j - 1), *above = entry(x, i - 1, j - 1), weight = 1 / (ldexp(1, 2 * j) - 1);
            double *now = entry(x, i, j);
            for (int k = 0; k < n; k++)
                now[k] = left[k] + weight * (left[k] - above[k]);
        }
        for (part which = 0; which < PARTS; which++) {
            if (is_corner(x, which, i, step))
                return false;
            choose_entry(x, which, i, step);
        }
    }
    return true;
}

static void forget_errors(extrapolation *x)
{
    for (part which = 0; which < PARTS; which++)
        x->error[which] = HUGE_VAL;
}

/* Of the value, or, where that is zero, of all sizes. Powers of two: no unit is preferred. */
static void try_steps(extrapolation *x)
{
    int exponent = 0;
    frexp(x->p, &exponent);
    const int highest = x->p != 0 ? exponent - 3 : 24, lowest = x->p != 0 ? exponent - 15 : -36, stride = x->p != 0 ? 4 : 6;
    for (int e = highest; e >= lowest && worst(x) > good_enough && !x->structure; e -= stride)
        if (!fill_table(x, ldexp(1, e)))
            forget_errors(x);
}

/* ---- the answer ------------------------------------------------------------------------------------------ */

/* q' = N v: columns of N are orthogonal. */
static bool along_velocities(extrapolation *x, const double *dq, double *out)
{
    dal_state *state = x->state;
    const dal_layout *layout = dal_layout_of(state);
    dal_state *start = dal_state_create(dal_allocator_of(state), dal_system_of(state));
    double *qd = x->plus, *free = x->minus;
    if (!start || !dal_state_widen(start)) {
        dal_state_free(start);
        return false;
    }
    dal_work *w = dal_work_of(start);
    dal_state_unpack(start, dal_state_time(start), dal_state_y(start));
    dal_state_columns(start);
    memset(w->v, 0, sizeof *w->v * (size_t)layout->nv);
    layout->family->rates(layout, w, free);
    for (int k = 0; k < layout->nv; k++) {
        double along = 0, square = 0;
        w->v[k] = 1;
        layout->family->rates(layout, w, qd);
        w->v[k] = 0;
        for (int i = 0; i < layout->nq; i++) {
            along += (qd[i] - free[i]) * dq[i];
            square += (qd[i] - free[i]) * (qd[i] - free[i]);
        }
        out[k] = along / square;
    }
    dal_state_free(start);
    return true;
}

static void copy_part(const extrapolation *x, part which, double *to)
{
    if (to)
        memcpy(to, x->best + x->first[which], sizeof *to * (size_t)(x->first[which + 1] - x->first[which]));
}

static dal_flow answer(extrapolation *x)
{
    const dal_layout *layout = dal_layout_of(x->state);
    double *f = x->plus, *b = x->minus, a_of, b_of;
    double *vd = DAL_NEW(&x->arena, double, layout->nv + 1), *lambda = DAL_NEW(&x->arena, double, layout->n_rows + 1);
    if (x->out->start_dq && !along_velocities(x, x->best + x->first[START_Q], x->out->start_dq))
        return -DAL_NO_MEMORY;
    copy_part(x, PHI, x->out->phi);
    copy_part(x, PHID, x->out->phid);
    copy_part(x, ZD, x->out->dzd);
    copy_part(x, START_V, x->out->start_dv);
    copy_part(x, START_Z, x->out->start_dz);
    dal_slopes_stabilisation(dal_system_of(x->state), &a_of, &b_of);
    for (int k = 0; k < layout->nv; k++)
        f[k] = -x->best[x->first[R] + k];
    for (int i = 0; i < layout->n_rows; i++)
        b[i] = -(x->best[x->first[PHIDD] + i] + a_of * x->best[x->first[PHID] + i] + b_of * x->best[x->first[PHI] + i]);
    const dal_flow flow = dal_slopes_solve(x->state, f, b, vd, lambda);
    if (!flow && x->out->dvd)
        memcpy(x->out->dvd, vd, sizeof *vd * (size_t)layout->nv);
    if (!flow && x->out->dlambda)
        memcpy(x->out->dlambda, lambda, sizeof *lambda * (size_t)layout->n_rows);
    return flow;
}

static void lay_out(extrapolation *x)
{
    const dal_layout *layout = dal_layout_of(x->state);
    const dal_units *units = &layout->units;
    const int states = dal_derivatives_describe(dal_system_of(x->state)).states;
    const int sizes[PARTS] = {layout->nv, layout->n_rows, layout->n_rows, layout->n_rows, states, layout->nq, layout->nv, states};
    for (part which = 0; which < PARTS; which++)
        x->first[which + 1] = x->first[which] + sizes[which];
    forget_errors(x);
    const int n = x->first[PARTS];
    double **const parts[] = {&x->unit, &x->plus, &x->minus, &x->here, &x->best, &x->pull};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        *parts[i] = DAL_NEW(&x->arena, double, n + layout->nq + layout->nv + layout->n_rows + 1);
    x->table = DAL_NEW(&x->arena, double, (size_t)TABLE *(size_t)n + 1);
    for (int k = 0; k < n; k++)
        x->unit[k] = 1;
    for (int k = 0; k < layout->nv; k++) {
        x->unit[x->first[R] + k] = units->column_scale[k];
        x->unit[x->first[START_V] + k] = 1 / units->column_scale[k];
    }
    for (int i = 0; i < layout->n_rows; i++)
        x->unit[x->first[PHI] + i] = x->unit[x->first[PHID] + i] = x->unit[x->first[PHIDD] + i] = units->row_unit[i];
    const dal_work *w = dal_seen_work(x->state);
    for (int k = 0; k < layout->nq; k++)
        x->size[START_Q] = fmax(x->size[START_Q], fabs(w->q[k]));
    for (int i = 0; i < layout->n_rows; i++)
        note_size(x, PHI, i, units->row_unit[i]), note_size(x, PHID, i, units->row_unit[i] / units->time);
}

static dal_status extrapolate(void *user)
{
    extrapolation *x = user;
    lay_out(x);
    if (!x->structure && sample(x, x->p, x->here))
        try_steps(x);
    x->out->error = worst(x);
    if (x->structure) {
        dal_error(x->messages, dal_nowhere,
                  "parameter '%s' changes the structure of the model, or what the reader makes of its text: it has no derivative", x->name);
        return DAL_BAD_MODEL;
    }
    if (!(x->out->error <= not_smooth)) {
        dal_error(x->messages, dal_nowhere, "the derivative by parameter '%s' was not found at %g: %s", x->name, x->p,
                  x->refused ? "with values beside it the model is refused, or cannot be assembled" : "the equations have a corner there");
        return DAL_NUMERICAL;
    }
    const dal_flow flow = answer(x);
    if (flow > 0)
        dal_error(x->messages, dal_nowhere, "%s", dal_trouble_of(x->state));
    return flow < 0 ? (dal_status)-flow : flow ? DAL_NUMERICAL : DAL_OK;
}

/* ---- by an input: exact ------------------------------------------------------------------------------------ */

static void clear(double *x, int n)
{
    if (x && n)
        memset(x, 0, sizeof *x * (size_t)n);
}

static dal_status by_input(dal_state *state, int input, dal_parameter_result *out, dal_messages *messages)
{
    const dal_derivative_sizes size = dal_derivatives_describe(dal_system_of(state));
    dal_derivative_room room = dal_slopes_room(state);
    room.unit[input] = 1;
    const dal_flow flow =
        dal_slopes_along(state, &(dal_variation_direction){.inputs = room.unit}, &(dal_variation_result){.states = room.zd}, room.vd, room.lambda);
    room.unit[input] = 0;
    if (flow) {
        dal_error(messages, dal_nowhere, "%s", dal_trouble_of(state));
        return DAL_NUMERICAL;
    }
    if (out->dvd)
        memcpy(out->dvd, room.vd, sizeof *room.vd * (size_t)size.velocities);
    if (out->dlambda)
        memcpy(out->dlambda, room.lambda, sizeof *room.lambda * (size_t)size.rows);
    if (out->dzd)
        memcpy(out->dzd, room.zd, sizeof *room.zd * (size_t)size.states);
    clear(out->phi, size.rows), clear(out->phid, size.rows);
    clear(out->start_dq, size.velocities), clear(out->start_dv, size.velocities), clear(out->start_dz, size.states);
    out->error = DBL_EPSILON;
    return DAL_OK;
}

static const dal_pair *find_parameter(const dal_spec *spec, const char *name)
{
    for (int i = 0; spec && i < spec->n_parameters; i++)
        if (!strcmp(spec->parameters[i].name.text, name))
            return &spec->parameters[i];
    return NULL;
}

dal_status dal_parameter_derivatives(dal_state *state, const char *name, dal_parameter_result *out, dal_messages *messages)
{
    if (!DAL_NEEDS(messages, out) || !DAL_NEEDS(messages, name))
        return DAL_BAD_COMMAND;
    out->error = NAN;
    dal_status status = dal_derivatives_begin(state, __func__, messages);
    if (status != DAL_OK)
        return status;
    const dal_system *system = dal_system_of(state);
    const int input = dal_system_input(system, name);
    if (input >= 0)
        return by_input(state, input, out, messages);
    const dal_pair *parameter = find_parameter(dal_system_spec(system), name);
    if (!parameter) {
        dal_error(messages, dal_nowhere, "'%.100s' is neither a parameter nor an input of the model", name);
        return DAL_BAD_COMMAND;
    }
    extrapolation x = {.state = state, .name = name, .messages = messages, .out = out, .p = parameter->number, .structure = parameter->shapes};
    x.vd = dal_rates_of(state);
    x.lambda = dal_multipliers_of(state);
    dal_arena_begin(&x.arena, dal_allocator_of(state));
    status = dal_arena_try(&x.arena, extrapolate, &x);
    dal_arena_release(&x.arena);
    return status;
}
