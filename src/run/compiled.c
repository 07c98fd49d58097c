/* Compiled runs: y' by code that was generated for this model, compiled by cc and loaded (code_cache.h).
 *
 *   what it replaces   f of y' = f(t, y) at the stages of a step, nothing else: events, projections, records and the evidence are the engine's
 *   when it is trusted it agreed with the engine at the first state and at random ones, each to 1e-10 of the largest rate; rows compare it again
 *   where it is not    near singular positions, where a pivot of its elimination falls, where an angle turns far in a step: the engine evaluates there
 *   which code         one for each choice of charts, speeds and independent rows; a run makes a few of them, and leaves further choices to the engine. Runs of a study
 *                      borrow those that were made for all of them (shared_code.c)
 *
 * Nothing of it is kept between runs but the object in the cache, and by what it is found again (known_code.c). Its functions have no memory:
 * simulations share it.
 */
#include "run/compiled_code.h"

#include "base/message.h"
#include "dynamics/row_rank.h"
#include "dynamics/singular.h"
#include "dynamics/speeds.h"
#include "expr/table.h"
#include "run/sample_states.h"
#include "state/report.h"
#include "state/state_parts.h"
#include "state/values.h"
#include "state/windings.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { CODES = DAL_RUN_CODES, LOOK_EVERY = 64 };

static const double turn = 0.75; /* rad or lengths in a step: where a coordinate moves that far, the engine counts the turns of angles */

typedef dal_compiled_run compiled_run;
typedef dal_run_code code;

/* ---- sentences ------------------------------------------------------------------------------- */

static void leave(run *r, const char *why)
{
    compiled_run *c = r->compiled;
    c->off = true;
    c->now = NULL;
    snprintf(c->why, sizeof c->why, "%s", why);
    dal_say(r->messages, DAL_NOTE, dal_nowhere,
            c->evaluations ? "the run continues without generated code: %s" : "the run is not compiled, and the engine runs: %s", c->why);
}

/* What the code of a run does not have, whatever the equations are. */
static const char *obstacle(const run *r)
{
    const dal_method *method = dal_system_method(r->system);
    const dal_layout *layout = dal_system_layout(r->system);
    if (!dal_system_spec(r->system))
        return "the system has no description";
    const char *size = dal_code_obstacle(layout, method->formulation->recursive);
    if (size)
        return size;
    if (layout->systems)
        return "the model has sub-systems that are given by their equations";
    if (dal_system_acting(r->system)->n_frictions)
        return "the model has dry friction";
    if (method->minimum_norm || layout->derived)
        return "the accelerations of the model are not determined by inertia and constraints alone";
    if (method->stabilization->solve)
        return "the stabilization has accelerations of its own";
    if (method->formulation->unpack && !method->formulation->chooses)
        return "the formulation integrates a part of the velocities";
    if (method->stabilization->stabilises_gamma && (method->formulation->unpack || method->formulation->recursive))
        return "the stabilization is not written for this formulation";
    if (r->implicit.residual)
        return "the integrator solves the equations of the formulation as they stand";
    return NULL;
}

/* ---- memory ------------------------------------------------------------------------------------- */

void *dal_compiled_allocate(run *r, size_t bytes)
{
    void *memory = r->allocator.allocate(r->allocator.user, bytes ? bytes : 1);
    if (memory)
        memset(memory, 0, bytes);
    return memory;
}

static void find_sizes(run *r, compiled_run *c)
{
    const dal_layout *layout = dal_system_layout(r->system);
    const dal_method *method = dal_system_method(r->system);
    c->n = dal_system_describe(r->system).states;
    c->nq = layout->nq;
    c->n_w = method->formulation->speeds ? method->formulation->speeds(r->system) : layout->nv;
    c->n_states = dal_system_states(r->system, NULL);
    c->n_works = c->n - c->nq - c->n_w - c->n_states;
    c->n_inputs = dal_system_inputs(r->system, NULL);
    c->n_momenta = method->formulation->ignores ? layout->n_ignorable : 0;
    c->n_charts = layout->family->condition ? 3 * layout->mechanism->n_bodies : 0;
    c->n_speeds = method->formulation->chooses && !layout->n_speeds ? c->n_w : 0;
    c->n_rows = dal_system_rank(r->system) < layout->n_rows ? layout->n_rows : 0;
    c->n_choice = c->n_charts + c->n_speeds + c->n_rows;
}

bool dal_compiled_open(run *r)
{
    const dal_spec *spec = dal_system_spec(r->system);
    const bool wanted = r->options.compiled > 0 || (r->options.compiled == 0 && spec && spec->simulate.compile);
    if (!wanted || !(r->compiled = dal_compiled_allocate(r, sizeof *r->compiled)))
        return !wanted;
    compiled_run *c = r->compiled;
    r->evidence.compiled = true;
    find_sizes(r, c);
    const size_t numbers = (size_t)(c->n_inputs + c->n_states + c->n_momenta) + 3 * (size_t)c->n + (size_t)dal_system_layout(r->system)->nv;
    c->extra = dal_compiled_allocate(r, sizeof *c->extra * numbers);
    c->choice = dal_compiled_allocate(r, sizeof *c->choice * (size_t)c->n_choice);
    if (!c->extra || !c->choice)
        return false;
    c->y = c->extra + c->n_inputs + c->n_states + c->n_momenta;
    c->mine = c->y + c->n;
    c->engine = c->mine + c->n;
    c->dq = c->engine + c->n;
    const char *why = obstacle(r);
    if (why)
        leave(r, why);
    return true;
}

void dal_compiled_drop(run *r, code *c)
{
    if (!c->borrowed) {
        dal_code_unload(&c->object);
        r->allocator.release(r->allocator.user, c->choice);
        r->allocator.release(r->allocator.user, c->switch_of);
        r->allocator.release(r->allocator.user, c->parameter);
    }
    r->allocator.release(r->allocator.user, c->modes);
    r->allocator.release(r->allocator.user, c->values);
    *c = (code){0};
}

/* What a run has of its own beside the code. False: no memory. */
bool dal_compiled_equip(run *r, code *c)
{
    const dal_spec *spec = dal_system_spec(r->system);
    c->modes = dal_compiled_allocate(r, sizeof *c->modes * (size_t)c->n_switches);
    c->values = dal_compiled_allocate(r, sizeof *c->values * (size_t)c->n_parameters);
    for (int i = 0; c->values && i < c->n_parameters; i++)
        c->values[i] = spec->parameters[c->parameter[i]].number;
    return c->modes && c->values;
}

void dal_compiled_close(run *r)
{
    compiled_run *c = r->compiled;
    if (!c)
        return;
    for (int i = 0; i < CODES; i++)
        dal_compiled_drop(r, &c->codes[i]);
    r->allocator.release(r->allocator.user, c->extra);
    r->allocator.release(r->allocator.user, c->choice);
    r->allocator.release(r->allocator.user, c);
    r->compiled = NULL;
}

/* ---- one call ------------------------------------------------------------------------------------- */

/* Inputs, the model's own states, momenta. */
void dal_compiled_arguments(compiled_run *c, const dal_state *state, const double *y)
{
    double *to = c->extra;
    memcpy(to, dal_values_of(state)->inputs, sizeof *to * (size_t)c->n_inputs);
    to += c->n_inputs;
    memcpy(to, y + c->nq + c->n_w, sizeof *to * (size_t)c->n_states);
    to += c->n_states;
    if (c->n_momenta)
        memcpy(to, dal_speeds_of(state)->momenta, sizeof *to * (size_t)c->n_momenta);
}

/* a <= b is not b <= a where its mode is 1: it is 0. The graph of min and max orders operands, and may do so otherwise than the model's. */
static int mode_of(const code *with, int k, int mode)
{
    if (!with->mirrored[k] || mode == DAL_MODE_NONE)
        return mode;
    return with->mirrored[k] == DAL_OP_EQUAL ? -mode : 1 - mode;
}

bool dal_compiled_call(compiled_run *c, const code *with, const dal_state *state, double t, const double *y, double *dy)
{
    double *zd = dy + c->nq + c->n_w;
    const dal_values *values = dal_values_of(state);
    for (int k = 0; k < with->n_switches; k++)
        with->modes[k] = with->switch_of[k] >= 0 && values->frozen ? mode_of(with, k, values->modes[with->switch_of[k]]) : DAL_MODE_NONE;
    if (c->n_inputs + c->n_states + c->n_momenta)
        dal_compiled_arguments(c, state, y);
    return !with->call(t, y, y + c->nq, c->extra, with->values, with->modes, dy + c->nq, dy, zd, zd + c->n_states);
}

/* The largest difference of the rates, of each kind in units of the model and over the largest. */
double dal_compiled_difference(const run *r, const double *mine, const double *engine)
{
    const compiled_run *c = r->compiled;
    const int size[] = {c->nq, c->n_w, c->n_states, c->n_works};
    double most = 0;
    for (int k = 0, at = 0; k < 4; at += size[k++]) {
        double scale = 1 / dal_system_layout(r->system)->units.time, worst = 0;
        for (int i = at; i < at + size[k]; i++) {
            const double unit = r->unit[i] > 0 ? r->unit[i] : 1, off = fabs(mine[i] - engine[i]) / unit;
            scale = fmax(scale, fabs(engine[i]) / unit);
            worst = isnan(off) ? HUGE_VAL : fmax(worst, off);
        }
        most = fmax(most, worst / scale);
    }
    return most;
}

/* ---- which code ------------------------------------------------------------------------------------- */

/* Charts, then speeds, then a mask of the independent rows where not all are, as the state has them now. */
static void read_choice(const run *r, compiled_run *c)
{
    const dal_rank *rank = dal_rank_of(r->state);
    c->rows_changed = rank->changed;
    memcpy(c->choice, dal_chart_of(r->state), sizeof *c->choice * (size_t)c->n_charts);
    for (int k = 0; k < c->n_speeds; k++)
        c->choice[c->n_charts + k] = dal_speeds_of(r->state)->column[k];
    for (int k = 0; k < c->n_rows; k++)
        c->choice[c->n_charts + c->n_speeds + k] = 0;
    for (int k = 0; k < rank->n && c->n_rows; k++)
        c->choice[c->n_charts + c->n_speeds + rank->order[k]] = 1;
}

static bool is_present(const compiled_run *c, const code *of)
{
    return of->choice && !memcmp(of->choice, c->choice, sizeof *c->choice * (size_t)c->n_choice);
}

/* Shared code, which has to agree with the engine here as well. A choice that it has not is the engine's. */
static void borrow(run *r, code *to, double t, const double *y)
{
    const code *from = dal_shared_find(r);
    char why[256] = "";
    const char *obstacle_here = dal_shared_obstacle(r, why, sizeof why);
    if (obstacle_here) {
        leave(r, obstacle_here);
        return;
    }
    if (!from)
        return;
    *to = *from;
    to->borrowed = true;
    to->modes = NULL;
    to->values = NULL;
    if (!dal_compiled_equip(r, to))
        leave(r, "no memory");
    else if (dal_compiled_verify(r, to, t, y, why, sizeof why))
        r->compiled->now = to;
    else
        leave(r, why);
}

void dal_compiled_choose(run *r, double t, const double *y)
{
    compiled_run *c = r->compiled;
    char why[256] = "";
    int i = 0;
    c->known = true;
    c->now = NULL;
    read_choice(r, c);
    for (; i < CODES && c->codes[i].choice; i++)
        if (is_present(c, &c->codes[i])) {
            c->now = c->codes[i].call ? &c->codes[i] : NULL;
            return;
        }
    if (i == CODES)
        return;
    if (r->options.code) {
        borrow(r, &c->codes[i], t, y);
        return;
    }
    if (!(c->codes[i].choice = dal_compiled_allocate(r, sizeof *c->choice * (size_t)c->n_choice)))
        return;
    memcpy(c->codes[i].choice, c->choice, sizeof *c->choice * (size_t)c->n_choice);
    if (dal_compiled_make(r, &c->codes[i], t, y, why, sizeof why))
        c->now = &c->codes[i];
    else
        leave(r, why);
}

void dal_compiled_restart(run *r)
{
    if (r->compiled && r->compiled->n_choice)
        r->compiled->known = false;
}

/* ---- in a run ---------------------------------------------------------------------------------------- */

static bool may_call(const run *r)
{
    const dal_state *state = r->state;
    const dal_values *values = dal_values_of(state);
    return !dal_singular_of(state)->near && dal_rank_of(state)->n == dal_system_rank(r->system) && !values->given && !values->n_pushes;
}

/* Whole turns can be counted: no coordinate has moved far since the last accepted step. An angle of a joint turns no more than four times as fast as the
 * fastest of them: two bodies, and a half angle of Euler parameters. */
static bool turns_little(const run *r, double t, const double *qd)
{
    const compiled_run *c = r->compiled;
    const double h = t - dal_turns_of(r->state)->accepted;
    bool little = true;
    for (int k = 0; k < c->nq; k++)
        little &= fabs(h * qd[k]) <= turn * r->unit[k];
    return little;
}

bool dal_compiled_rates(run *r, double t, const double *y, double *dy)
{
    compiled_run *c = r->compiled;
    if (!c || c->off)
        return false;
    if (!c->known || (c->n_rows && c->rows_changed != dal_rank_of(r->state)->changed))
        dal_compiled_choose(r, t, y);
    if (c->off)
        return false;
    if (!c->now || !may_call(r) || !dal_compiled_call(c, c->now, r->state, t, y, dy) || !turns_little(r, t, dy)) {
        c->fallbacks++;
        return false;
    }
    c->evaluations++;
    dal_report_of(r->state)->evaluations++;
    return true;
}

void dal_compiled_compare(run *r, double t, const double *y)
{
    compiled_run *c = r->compiled;
    char why[160];
    if (!c || !c->now || c->evaluations - c->last_look < LOOK_EVERY || !may_call(r))
        return;
    c->last_look = c->evaluations;
    memcpy(c->y, y, sizeof *y * (size_t)c->n);
    const double off = dal_compiled_compare_at(r, c->now, t);
    if (!(off > dal_compiled_agreement))
        return;
    snprintf(why, sizeof why, "at t = %.9g s generated code differs from the engine by %.1e of the rates", t, off);
    leave(r, why);
}

void dal_compiled_measure(run *r)
{
    const compiled_run *c = r->compiled;
    dal_evidence *e = &r->evidence;
    if (!c)
        return;
    e->compiled_evaluations = c->evaluations;
    e->compiled_fallbacks = c->fallbacks;
    e->compiled_checks = c->checks;
    e->compiled_difference = c->checks ? c->worst : NAN;
    snprintf(e->compiled_why, sizeof e->compiled_why, "%s", c->why);
}
