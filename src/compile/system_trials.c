/* Tests of sub-systems at states, and the sizes of their coordinates.
 *
 *     M = M^T,   v.M v >= 0,   d2T/dv2 does not depend on v,   `kinetic` = 1/2 v.M v
 *
 * hold at the start and at eight random states near it, to 1e-9 of the terms. At a state where M is not sound, or something is not a number, the distance
 * from the start shrinks up to twelve times: a chain that falls has no mass left at its end, which lies beyond the start.
 *
 *     size of q_k = max(|q_k|, |v_k| until / 1000) at the start,   and at least 0.1 L sqrt(m / M_kk)     L, m: length and mass of the model
 */
#include "compile/systems_parts.h"

#include "math/chance.h"
#include "math/dense.h"

#include <math.h>

enum { SAMPLES = 8, SHRINKINGS = 12 };
static const double rounding = 1e-9;        /* of the terms: what two ways to compute the same may differ by */
static const double fast_for_size = 1e-3;   /* of the run: a rate at the start counts as a size by what it does in this time */
static const double least_of_kinetic = 0.1; /* of the size that has the kinetic energy of the model: no coordinate counts as smaller */

/* ---- tests at states ------------------------------------------------------------------------- */

dal_system_trial dal_systems_begin_trial(dal_build *build, const dal_system_reading *r)
{
    dal_system_trial t = {.build = build, .r = r, .seed = 1788};
    dal_expressions list = {0};
    for (int i = 0; i < r->n * r->n; i++)
        dal_build_expression(build, &list, r->M[i]);
    for (int i = 0; i < r->n && r->D; i++)
        for (int j = 0; j < r->n; j++)
            dal_build_expression(build, &list, dal_systems_by_rate(build, dal_systems_by_rate(build, r->written, r->number[i]), r->number[j]));
    if (r->energy && !r->D) {
        dal_build_expression(build, &list, r->written);
        dal_build_expression(build, &list, r->T);
    }
    t.n_outputs = list.n;
    t.program = dal_program_build(build->arena, build->graph, build->n_signals, list.n, list.node);
    t.variables = DAL_NEW(build->arena, double, build->n_signals);
    t.registers = DAL_NEW(build->arena, double, dal_program_registers(t.program));
    t.out = DAL_NEW(build->arena, double, list.n);
    t.S = DAL_NEW(build->arena, double, r->n * r->n);
    const dal_text *until = &build->spec->simulate.until;
    if (until->text)
        dal_build_number(build, NULL, *until, &t.until);
    return t;
}

/* At a distance of the order of `shift` sizes from the start; 0: the start itself. False: something is not a finite number there. */
bool dal_systems_evaluate(dal_system_trial *t, double shift)
{
    dal_build *build = t->build;
    const double period = t->until > 0 ? t->until : 1;
    for (int i = 0; i < build->n_signals; i++) {
        const int k = dal_systems_coordinate(build, i);
        const double size = k < 0 ? 0 : build->own_size[k], random = dal_chance(&t->seed);
        if (build->signals[i].kind == DAL_SIGNAL_TIME)
            t->variables[i] = shift > 0 ? 0.5 * (1 + random) * period : 0;
        else if (k >= 0 && build->signals[i].order == 0)
            t->variables[i] = build->start_q[k] + shift * random * size;
        else if (k >= 0)
            t->variables[i] = build->start_v[k] + random * size / period;
    }
    bool finite = !dal_program_run(t->program, t->variables, NULL, t->registers, t->out);
    for (int i = 0; i < t->n_outputs; i++)
        finite = finite && isfinite(t->out[i]);
    return finite;
}

static dal_mark mark_of_mass(const dal_system_reading *r, int i, int j)
{
    return r->D ? (r->spec->L.text ? r->spec->L.mark : r->spec->T.mark) : r->spec->mass.row[r->order[i]].item[r->order[j]].mark;
}

static const char *coordinate_name(const dal_system_trial *t, int i)
{
    return t->build->spec->coordinates[t->r->number[i]].name.text;
}

static bool is_symmetric(const dal_system_trial *t)
{
    const int n = t->r->n;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < i; j++) {
            const double a = t->out[i * n + j], b = t->out[j * n + i],
                         size = fmax(fmax(fabs(a), fabs(b)), sqrt(fabs(t->out[i * n + i] * t->out[j * n + j])));
            if (fabs(a - b) <= rounding * size)
                continue;
            dal_error(t->build->messages, mark_of_mass(t->r, i, j),
                      "the mass matrix of %s is not symmetric: its entry of '%s' and '%s' is %.6g, and that of '%s' and '%s' is %.6g", t->r->what,
                      coordinate_name(t, i), coordinate_name(t, j), a, coordinate_name(t, j), coordinate_name(t, i), b);
            return false;
        }
    return true;
}

static bool refuse_indefinite(const dal_system_trial *t, int i)
{
    dal_error(
        t->build->messages, mark_of_mass(t->r, i, i),
        "the mass matrix of %s is indefinite: there are rates, that of '%s' among them, at which the kinetic energy is negative; it is zero or more",
        t->r->what, coordinate_name(t, i));
    return false;
}

static bool is_semidefinite(dal_system_trial *t)
{
    int where;
    return dal_semidefinite(t->out, t->r->n, rounding, t->S, &where) || refuse_indefinite(t, where);
}

/* A Lagrangian of second degree: its second derivatives by the rates do not depend on them. */
static bool is_quadratic(const dal_system_trial *t)
{
    const int n = t->r->n;
    for (int i = 0; i < n && t->r->D; i++)
        for (int j = 0; j < n; j++) {
            const double at_rest = t->out[i * n + j], moving = t->out[n * n + i * n + j];
            const double size = fmax(fabs(at_rest), sqrt(fabs(t->out[i * n + i] * t->out[j * n + j])));
            if (fabs(moving - at_rest) <= rounding * fmax(size, fabs(moving)))
                continue;
            dal_error(t->build->messages, mark_of_mass(t->r, i, j),
                      "`%s` is not of second degree in the rates: its second derivative by the rates of '%s' and '%s' changes with them",
                      t->r->spec->L.text ? "L" : "T", coordinate_name(t, i), coordinate_name(t, j));
            return false;
        }
    return true;
}

static bool is_kinetic(const dal_system_trial *t)
{
    const int n = t->r->n;
    if (t->r->D || !t->r->energy)
        return true;
    const double written = t->out[n * n], expected = t->out[n * n + 1];
    if (fabs(written - expected) <= rounding * fmax(fabs(written), fabs(expected)))
        return true;
    dal_error(t->build->messages, t->r->spec->kinetic.mark,
              "`kinetic` of %s is not half of q' M q' of its mass matrix: at some state it is %.6g and not %.6g", t->r->what, written, expected);
    return false;
}

bool dal_systems_try(dal_system_trial *t)
{
    int where;
    for (int i = 0; i <= SAMPLES; i++) {
        double shift = i ? 1 : 0;
        bool known = dal_systems_evaluate(t, shift), sound = known && dal_semidefinite(t->out, t->r->n, rounding, t->S, &where);
        for (int k = 0; k < SHRINKINGS && i && !sound; k++) { /* a chain that falls has no mass left at its end, which lies beyond the start */
            shift *= 0.3;
            known = dal_systems_evaluate(t, shift);
            sound = known && dal_semidefinite(t->out, t->r->n, rounding, t->S, &where);
        }
        if (!known && !i) {
            dal_error(t->build->messages, mark_of_mass(t->r, 0, 0), "at the start the mass or an energy of %s is not a finite number", t->r->what);
            return false;
        }
        if (known && !(is_quadratic(t) && is_symmetric(t) && is_semidefinite(t) && is_kinetic(t)))
            return false;
    }
    return true;
}

/* ---- sizes ------------------------------------------------------------------------------------ */

/* Of each coordinate of a system: its start, or what its rate does in a small part of the run. Coordinates that bodies move with are measured by
 * these (coordinate_start.c). */
void dal_systems_find_sizes(dal_build *build)
{
    double until = 0;
    const dal_text *text = &build->spec->simulate.until;
    if (text->text)
        dal_build_number(build, NULL, *text, &until);
    build->own_size = DAL_NEW(build->arena, double, build->spec->n_coordinates);
    bool any = false;
    for (int k = 0; k < build->spec->n_coordinates; k++) {
        build->own_size[k] = fmax(fabs(build->start_q[k]), fabs(build->start_v[k]) * fast_for_size * until);
        any |= build->own_size[k] > 0;
    }
    for (int k = 0; k < build->spec->n_coordinates && !any; k++)
        build->own_size[k] = 1;
}

/* No inertia counts as more than a hundred times smaller than the model's: a size is at least a tenth of what has its kinetic energy. */
void dal_systems_adjust_sizes(dal_build *build, int n, dal_system_trial *trials)
{
    double mass = 0;
    const double length = dal_build_length(build);
    for (int b = 0; b < build->mechanism.n_bodies; b++)
        mass = fmax(mass, build->mechanism.bodies[b].mass);
    for (int i = 0; i < n && !(mass > 0); i++)
        for (int k = 0; k < trials[i].r->n; k++) {
            const double size = build->own_size[trials[i].r->number[k]] / length;
            build->own_mass = fmax(build->own_mass, trials[i].out[k * trials[i].r->n + k] * size * size);
        }
    mass = mass > 0 ? mass : build->own_mass;
    for (int i = 0; i < n; i++)
        for (int k = 0; k < trials[i].r->n; k++) {
            const double M = trials[i].out[k * trials[i].r->n + k];
            double *size = &build->own_size[trials[i].r->number[k]];
            if (M > 0)
                *size = fmax(*size, least_of_kinetic * length * sqrt(mass / M));
        }
    for (int k = 0; k < build->spec->n_coordinates; k++)
        if (!(build->own_size[k] > 0) || !isfinite(build->own_size[k]))
            build->own_size[k] = 1;
}
