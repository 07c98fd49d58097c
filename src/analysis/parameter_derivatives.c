/* dal_parameter_derivatives: dalembert/derivatives.h.
 *
 * At fixed (t, q, v, z, u, v', lambda) the compiled equations are functions f of the parameter p alone (parameter_equations.h). df/dp comes from the
 * equations in symbols where the model is written in them and they follow p as compile does (parameter_symbols.c), the start from its rows where they
 * determine it (parameter_start.c). Otherwise it is extrapolated from central differences with steps H, H/2, H/4, ... (Romberg):
 *     T_i0 = (f(p + H/2^i) - f(p - H/2^i)) 2^i / (2 H),   T_ij = T_i,j-1 + (T_i,j-1 - T_i-1,j-1) / (4^j - 1)
 * f is the model compiled for that value (dal_system_vary), with its start assembled again. Steps are large, so that rounding stays small, and
 * polynomials up to the degree of the table are differentiated without error. The entry with the least difference to its neighbours is taken, of each
 * part of f by itself. v' and lambda then follow through the factors of the formulation, as in dynamics/slopes.h:
 *     M dv' - A^T dlambda = -dr,   A dv' = -(dphi'' + a dphi' + b dphi)
 */
#include "analysis/parameter_equations.h"
#include "base/argument.h"
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
static const double good_enough = 1e-13;      /* larger errors: another step is tried */
static const double falls = 0.8, seen = 1e-7; /* second differences of smooth functions halve; smaller ones are ignored, */
static const double roughness = 16;           /* and what is so much over the error of the best entry, at its step */
static const double not_smooth = 1e-8;        /* no derivative is claimed */
static const double visible = 1e-5;           /* a change over the size: rounding is far below */
enum { FARTHEST = 24, NEAREST = -36 };        /* steps of a value that is zero, as powers of two */

typedef dal_parameter_part part;

typedef struct extrapolation {
    dal_arena arena;
    dal_parameter_equations f;
    const dal_spec *spec;
    int number; /* of the parameter */
    dal_state *start;
    dal_messages *messages;
    dal_parameter_result *out;
    part from, to;                  /* which parts are extrapolated: from ... to - 1 */
    double *plus, *minus;           /* f */
    double *here;                   /* f at p itself */
    double bend[DAL_PARTS];         /* the last second difference over the step */
    double chosen[DAL_PARTS];       /* the step of the best entry */
    double size[DAL_PARTS];         /* of the parts at p: far from it they may be larger */
    double *table;                  /* TABLE rows of f */
    double *best, error[DAL_PARTS]; /* df/dp */
} extrapolation;

/* ---- the table ------------------------------------------------------------------------------------------ */

static double *entry(const extrapolation *x, int i, int j)
{
    return x->table + (size_t)(i * (i + 1) / 2 + j) * (size_t)x->f.first[DAL_PARTS];
}

/* The largest difference of two rows of the table over a part; b NULL: zero. */
static double apart(const extrapolation *x, part which, const double *a, const double *b)
{
    double most = 0;
    for (int k = x->f.first[which]; k < x->f.first[which + 1]; k++)
        most = fmax(most, fabs(a[k] - (b ? b[k] : 0)) / x->f.unit[k]);
    return most;
}

/* What changes of f are compared with: the size of the part over p, or over the step or 1 where these are larger. */
static double least_slope(const extrapolation *x, part which, double step)
{
    const double p = fabs(x->f.p);
    return x->size[which] / (p > step ? p : fmax(step, 1));
}

/* Row i of the table: is one of its entries better for a part than the best so far? Errors are relative. Places are found to rounding of the model's
 * length, also those that are zero. */
static void choose_entry(extrapolation *x, part which, int i, double step)
{
    const double length = which == DAL_PART_START_Q ? dal_layout_of(x->f.state)->units.length : 0;
    for (int j = 1; j <= i; j++) {
        const double *now = entry(x, i, j);
        const double size = fmax(apart(x, which, now, NULL), least_slope(x, which, step));
        const double error = fmax(apart(x, which, now, entry(x, i, j - 1)), apart(x, which, now, entry(x, i - 1, j - 1)));
        const double rounding = size > 0 ? DBL_EPSILON * fmax(x->size[which], length) / (size * step) : 0;
        const double relative = fmax(size > 0 ? error / size : 0, rounding);
        if (!(relative < x->error[which]))
            continue;
        x->error[which] = relative;
        x->chosen[which] = step;
        memcpy(x->best + x->f.first[which], now + x->f.first[which], sizeof *now * (size_t)(x->f.first[which + 1] - x->f.first[which]));
    }
}

static double worst(const extrapolation *x)
{
    double most = 0;
    for (part which = x->from; which < x->to; which++)
        most = fmax(most, x->f.first[which + 1] > x->f.first[which] ? x->error[which] : 0);
    return most;
}

/* (f(p + h) - 2 f(p) + f(p - h)) / 2h falls with h if f is smooth, and stays if the slopes of both sides differ: central differences would be
 * their mean. Where f is rough (velocities of a start have the rounding of a system of equations) it grows as 1/h: the best entry so far shows how rough. */
static bool is_corner(extrapolation *x, part which, int level, double step)
{
    double now = 0, size = least_slope(x, which, step);
    for (int k = x->f.first[which]; k < x->f.first[which + 1]; k++) {
        now = fmax(now, fabs(x->plus[k] - 2 * x->here[k] + x->minus[k]) / (2 * step * x->f.unit[k]));
        size = fmax(size, fabs(x->plus[k] - x->minus[k]) / (2 * step * x->f.unit[k]));
    }
    const double rough = isfinite(x->error[which]) ? roughness * x->error[which] * size * x->chosen[which] / step : 0;
    const bool stays = level && now > falls * x->bend[which] && now > seen * size && now > rough;
    x->bend[which] = now;
    return stays;
}

/* Steps from H downwards, while the result improves; false if f does not exist for one of them. */
static bool fill_table(extrapolation *x, double H)
{
    const int n = x->f.first[DAL_PARTS];
    for (int i = 0; i < LEVELS && worst(x) > good_enough; i++) {
        const double step = ldexp(H, -i);
        if (!dal_parameter_sample(&x->f, x->f.p + step, x->plus) || !dal_parameter_sample(&x->f, x->f.p - step, x->minus))
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
        for (part which = x->from; which < x->to; which++) {
            if (is_corner(x, which, i, step))
                return false;
            choose_entry(x, which, i, step);
        }
    }
    return true;
}

static void forget_errors(extrapolation *x)
{
    for (part which = 0; which < DAL_PARTS; which++)
        x->error[which] = HUGE_VAL;
}

/* Steps 2^e, e from `highest` down. */
static void try_powers(extrapolation *x, int highest, int lowest, int stride)
{
    for (int e = highest; e >= lowest && worst(x) > good_enough && !x->f.structure; e -= stride)
        if (!fill_table(x, ldexp(1, e)))
            forget_errors(x);
}

/* Does a change of p as large as p itself show? */
static bool is_seen(const extrapolation *x)
{
    bool any = false;
    for (part which = x->from; which < x->to; which++)
        any = any || apart(x, which, x->best, NULL) * fabs(x->f.p) > visible * x->size[which];
    return any;
}

/* Steps in proportion to the value, or, if that is zero, of all sizes. Of all sizes, too, if the value is so small that nothing is seen to change; what
 * they find counts if there is a derivative. Powers of two: the result does not depend on units. */
static void try_steps(extrapolation *x)
{
    int exponent = 0;
    frexp(x->f.p, &exponent);
    if (x->f.p == 0) {
        try_powers(x, FARTHEST, NEAREST, 6);
        return;
    }
    try_powers(x, exponent - 3, exponent - 15, 4);
    if (!dal_parameter_is_small(&x->f) || is_seen(x) || x->f.structure)
        return;
    const size_t n = (size_t)x->f.first[DAL_PARTS];
    double *best = DAL_NEW(&x->arena, double, n + 1), error[DAL_PARTS];
    const dal_parameter_verdict kept = dal_parameter_keep(&x->f);
    memcpy(best, x->best, sizeof *best * n);
    memcpy(error, x->error, sizeof error);
    forget_errors(x);
    try_powers(x, FARTHEST, exponent > NEAREST ? exponent : NEAREST, 6);
    if (worst(x) > not_smooth) {
        memcpy(x->best, best, sizeof *best * n);
        memcpy(x->error, error, sizeof error);
    }
    dal_parameter_forgive(&x->f, kept);
}

/* ---- the answer ------------------------------------------------------------------------------------------ */

static void copy_part(const extrapolation *x, part which, double *to)
{
    if (to)
        memcpy(to, x->best + x->f.first[which], sizeof *to * (size_t)(x->f.first[which + 1] - x->f.first[which]));
}

static dal_flow answer(extrapolation *x)
{
    const dal_layout *layout = dal_layout_of(x->f.state);
    double *f = x->plus, *b = x->minus, a_of, b_of;
    double *vd = DAL_NEW(&x->arena, double, layout->nv + 1), *lambda = DAL_NEW(&x->arena, double, layout->n_rows + 1);
    copy_part(x, DAL_PART_PHI, x->out->phi);
    copy_part(x, DAL_PART_PHID, x->out->phid);
    copy_part(x, DAL_PART_ZD, x->out->dzd);
    dal_slopes_stabilisation(dal_system_of(x->f.state), &a_of, &b_of);
    for (int k = 0; k < layout->nv; k++)
        f[k] = -x->best[x->f.first[DAL_PART_R] + k];
    for (int i = 0; i < layout->n_rows; i++)
        b[i] =
            -(x->best[x->f.first[DAL_PART_PHIDD] + i] + a_of * x->best[x->f.first[DAL_PART_PHID] + i] + b_of * x->best[x->f.first[DAL_PART_PHI] + i]);
    const dal_flow flow = dal_slopes_solve(x->f.state, f, b, vd, lambda);
    if (!flow && x->out->dvd)
        memcpy(x->out->dvd, vd, sizeof *vd * (size_t)layout->nv);
    if (!flow && x->out->dlambda)
        memcpy(x->out->dlambda, lambda, sizeof *lambda * (size_t)layout->n_rows);
    return flow;
}

static void layout_extrapolation(extrapolation *x)
{
    dal_parameter_equations_begin(&x->f, &x->arena, x->f.state, x->spec, x->number);
    const dal_layout *layout = dal_layout_of(x->f.state);
    const int n = x->f.first[DAL_PARTS];
    double **const parts[] = {&x->plus, &x->minus, &x->best};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        *parts[i] = DAL_NEW(&x->arena, double, n + layout->nq + layout->nv + layout->n_rows + 1);
    x->table = DAL_NEW(&x->arena, double, (size_t)TABLE *(size_t)n + 1);
}

static dal_status report_structure(const extrapolation *x)
{
    if (x->f.no_memory)
        return DAL_NO_MEMORY;
    dal_error(x->messages, dal_nowhere,
              "parameter '%s' changes the structure of the model, or what the reader makes of its text: it has no derivative", x->f.name);
    return DAL_BAD_MODEL;
}

static dal_status report_not_found(const extrapolation *x, const char *why)
{
    if (x->f.no_memory)
        return DAL_NO_MEMORY;
    dal_error(x->messages, dal_nowhere, "the derivative by parameter '%s' was not found at %g: %s", x->f.name, x->f.p, why);
    return DAL_NUMERICAL;
}

/* f at p itself, and the sizes of its parts there. */
static bool sample_here(extrapolation *x)
{
    double *here = DAL_NEW(&x->arena, double, x->f.first[DAL_PARTS] + 1);
    dal_parameter_equations at = x->f;
    dal_parameter_equations_begin(&at, &x->arena, x->f.state, x->spec, x->number);
    const bool fine = dal_parameter_sample(&at, x->f.p, here);
    x->here = here;
    x->f.structure = x->f.structure || at.structure;
    x->f.refused = x->f.refused || at.refused;
    x->f.no_memory = x->f.no_memory || at.no_memory;
    for (part which = 0; which < DAL_PARTS; which++)
        x->size[which] = fmax(at.size[which], which < DAL_PART_START_Q ? 0 : apart(x, which, here, NULL));
    return fine;
}

/* df/dp of some parts, into x->best. */
static dal_status extrapolate(extrapolation *x, part from, part to, double *error)
{
    x->from = from;
    x->to = to;
    forget_errors(x);
    if (!x->f.structure && sample_here(x))
        try_steps(x);
    *error = worst(x);
    if (x->f.structure)
        return report_structure(x);
    if (*error <= not_smooth)
        return DAL_OK;
    if (x->f.refused || !isfinite(*error))
        return report_not_found(x, x->f.refused ? "with values beside it the model is refused, or cannot be assembled"
                                                : "the equations have a corner there");
    return report_not_found(x, dal_arena_print(&x->arena, "the equations have a corner there, or are too rough: differences agree to %.1e", *error));
}

static void copy_start(double *to, const double *from, int n)
{
    if (to && n)
        memcpy(to, from, sizeof *to * (size_t)n);
}

/* From implicit functions, or extrapolated. */
static dal_status find_start(extrapolation *x)
{
    dal_parameter_result *out = x->out;
    const int nv = dal_layout_of(x->f.state)->nv, states = x->f.first[DAL_PARTS] - x->f.first[DAL_PART_START_Z];
    dal_start_slopes start = {DAL_NEW(&x->arena, double, nv + 1), DAL_NEW(&x->arena, double, nv + 1), DAL_NEW(&x->arena, double, states + 1), 0};
    x->start = dal_state_create(dal_allocator_of(x->f.state), dal_system_of(x->f.state));
    if (!x->start)
        return DAL_NO_MEMORY;
    out->start_exact = dal_parameter_start(&x->f, x->spec, x->start, &start);
    if (out->start_exact) {
        out->start_error = start.error;
        copy_start(out->start_dq, start.dq, nv);
        copy_start(out->start_dv, start.dv, nv);
        copy_start(out->start_dz, start.dz, states);
        return DAL_OK;
    }
    const dal_status status = extrapolate(x, DAL_PART_START_Q, DAL_PARTS, &out->start_error);
    if (status != DAL_OK)
        return status;
    if (out->start_dq && !dal_parameter_along_velocities(&x->arena, x->start, x->best + x->f.first[DAL_PART_START_Q], out->start_dq))
        return DAL_NO_MEMORY;
    copy_part(x, DAL_PART_START_V, out->start_dv);
    copy_part(x, DAL_PART_START_Z, out->start_dz);
    return DAL_OK;
}

static dal_status differentiate_parameter(void *user)
{
    extrapolation *x = user;
    dal_parameter_result *out = x->out;
    layout_extrapolation(x);
    const dal_symbol_answer symbols = dal_parameter_symbols(&x->f, x->best);
    const bool start = out->start_dq || out->start_dv || out->start_dz;
    dal_status status = DAL_OK;
    out->exact = symbols == DAL_SYMBOLS_EXACT;
    if (x->f.structure)
        return report_structure(x);
    if (symbols == DAL_SYMBOLS_CORNER)
        return report_not_found(x, "the equations have a corner there");
    if (out->exact)
        out->error = DBL_EPSILON;
    else
        status = extrapolate(x, 0, DAL_PART_START_Q, &out->error);
    if (status == DAL_OK && start)
        status = find_start(x);
    if (status != DAL_OK)
        return status;
    const dal_flow flow = answer(x);
    if (flow > 0)
        dal_error(x->messages, dal_nowhere, "%s", dal_trouble_of(x->f.state));
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
    out->error = out->start_error = DBL_EPSILON;
    out->exact = out->start_exact = true;
    return DAL_OK;
}

static int find_parameter(const dal_spec *spec, const char *name)
{
    for (int i = 0; spec && i < spec->n_parameters; i++)
        if (!strcmp(spec->parameters[i].name.text, name))
            return i;
    return -1;
}

dal_status dal_parameter_derivatives(dal_state *state, const char *name, dal_parameter_result *out, dal_messages *messages)
{
    if (!DAL_NEEDS(messages, out) || !DAL_NEEDS(messages, name))
        return DAL_BAD_COMMAND;
    out->error = out->start_error = NAN;
    out->exact = out->start_exact = false;
    dal_status status = dal_derivatives_begin(state, __func__, messages);
    if (status != DAL_OK)
        return status;
    const dal_system *system = dal_system_of(state);
    const int input = dal_system_input(system, name);
    if (input >= 0)
        return by_input(state, input, out, messages);
    const int number = find_parameter(dal_system_spec(system), name);
    if (number < 0) {
        dal_error(messages, dal_nowhere, "'%.100s' is neither a parameter nor an input of the model", name);
        return DAL_BAD_COMMAND;
    }
    if ((status = dal_derivatives_held(state, messages)) != DAL_OK)
        return status;
    extrapolation x = {.f = {.state = state}, .spec = dal_system_spec(system), .number = number, .messages = messages, .out = out};
    dal_arena_begin(&x.arena, dal_allocator_of(state));
    status = dal_arena_try(&x.arena, differentiate_parameter, &x);
    dal_state_free(x.start);
    dal_arena_release(&x.arena);
    return status;
}
