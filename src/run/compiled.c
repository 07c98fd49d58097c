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
#include "integrate/stabilization.h"
#include "math/chance.h"
#include "run/sample_states.h"
#include "state/report.h"
#include "state/state_parts.h"
#include "state/values.h"
#include "state/windings.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { CODES = DAL_RUN_CODES, SAMPLES = 8, SHARED_SAMPLES = 4, LOOK_EVERY = 64 };
enum { MOST_OPERATIONS = 60000, MOST_ROLLED = 200000 }; /* of straight-line code, and of code with loops */

static const double agreement = 1e-10;         /* of the largest rate of its kind */
static const double patience = 30;             /* s that a compiler may take */
static const double shift = 0.05, speed = 0.7; /* of samples: units of the model */
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

static void *allocate_data(run *r, size_t bytes)
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
    if (!wanted || !(r->compiled = allocate_data(r, sizeof *r->compiled)))
        return !wanted;
    compiled_run *c = r->compiled;
    r->evidence.compiled = true;
    find_sizes(r, c);
    const size_t numbers = (size_t)(c->n_inputs + c->n_states + c->n_momenta) + 3 * (size_t)c->n + (size_t)dal_system_layout(r->system)->nv;
    c->extra = allocate_data(r, sizeof *c->extra * numbers);
    c->choice = allocate_data(r, sizeof *c->choice * (size_t)c->n_choice);
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
static bool equip(run *r, code *c)
{
    const dal_spec *spec = dal_system_spec(r->system);
    c->modes = allocate_data(r, sizeof *c->modes * (size_t)c->n_switches);
    c->values = allocate_data(r, sizeof *c->values * (size_t)c->n_parameters);
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
static void gather_arguments(compiled_run *c, const dal_state *state, const double *y)
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

static bool call_code(compiled_run *c, const code *with, const dal_state *state, double t, const double *y, double *dy)
{
    double *zd = dy + c->nq + c->n_w;
    const dal_values *values = dal_values_of(state);
    for (int k = 0; k < with->n_switches; k++)
        with->modes[k] = with->switch_of[k] >= 0 && values->frozen ? mode_of(with, k, values->modes[with->switch_of[k]]) : DAL_MODE_NONE;
    if (c->n_inputs + c->n_states + c->n_momenta)
        gather_arguments(c, state, y);
    return !with->call(t, y, y + c->nq, c->extra, with->values, with->modes, dy + c->nq, dy, zd, zd + c->n_states);
}

/* The largest difference of the rates, of each kind in units of the model and over the largest. */
static double difference(const run *r, const double *mine, const double *engine)
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

/* ---- before it is trusted ----------------------------------------------------------------------------- */

/* A random state on the constraints: on the viewer, which has the choices of the run. */
static bool move_by_chance(run *r, double *t, uint64_t *seed)
{
    compiled_run *c = r->compiled;
    dal_state *state = r->viewer;
    const dal_layout *layout = dal_system_layout(r->system);
    const dal_method *method = dal_system_method(r->system);
    const bool projects = method->stabilization->project != NULL;
    if (projects || !layout->n_rows) { /* else positions cannot be put back on the constraints */
        for (int k = 0; k < layout->nv; k++)
            c->dq[k] = shift * dal_chance(seed) * layout->units.length / layout->units.column_scale[k];
        layout->family->add(layout, c->y, c->dq);
        *t += 0.5 * (1 + dal_chance(seed)) * layout->units.time;
    }
    for (int k = c->nq; k < c->nq + c->n_w; k++)
        c->y[k] += speed * dal_chance(seed) * r->unit[k];
    for (int k = c->nq + c->n_w; k < c->n; k++)
        c->y[k] += shift * dal_chance(seed) * r->unit[k];
    for (int i = 0; i < c->n_inputs; i++)
        dal_values_of(state)->inputs[i] += 0.3 * dal_chance(seed);
    if (projects)
        return !method->stabilization->project(state, *t, c->y);
    return method->formulation->unpack || !layout->n_rows || !dal_project_velocities(state, *t, c->y);
}

/* Both at (t, c->y) on the viewer. Negative: one of them finds nothing there. */
static double compare_at(run *r, const code *with, double t)
{
    compiled_run *c = r->compiled;
    if (dal_state_derivative(r->viewer, t, c->y, c->engine) || !call_code(c, with, r->viewer, t, c->y, c->mine))
        return -1;
    const double off = difference(r, c->mine, c->engine);
    c->checks++;
    c->worst = fmax(c->worst, off);
    return off;
}

static bool verify(run *r, const code *with, double t, const double *y, char *why, size_t size)
{
    const int samples = with->borrowed ? SHARED_SAMPLES : SAMPLES;
    compiled_run *c = r->compiled;
    uint64_t seed = 18;
    int compared = 0;
    for (int i = 0; i < samples; i++) {
        double at = t;
        dal_update_viewer(r);
        memcpy(c->y, y, sizeof *y * (size_t)c->n);
        if (i && !move_by_chance(r, &at, &seed))
            continue;
        const double off = compare_at(r, with, at);
        compared += off >= 0;
        if (off > agreement) {
            snprintf(why, size, "generated code differs from the engine by %.1e of the rates at %s", off,
                     i ? "a state by chance" : "its first state");
            return false;
        }
        if (off < 0 && !i) {
            snprintf(why, size, "generated code finds no rates at its first state");
            return false;
        }
    }
    if (compared < 2)
        snprintf(why, size, "no state could be found to compare generated code with the engine");
    return compared >= 2;
}

/* ---- pieces ------------------------------------------------------------------------------------------ */

typedef struct matching {
    run *r;
    code *to;
    dal_listing *listing;
    dal_arena *arena;
    double t;
    const double *y;
    const char *unmatched;
} matching;

/* What the operations with pieces compare, of code and model, at a random state: numbers 2 (mine + model). False: there is no such state. */
static bool sample_operands(matching *m, int i, uint64_t *seed, int *op, double *values)
{
    run *r = m->r;
    compiled_run *c = r->compiled;
    const int mine = m->to->n_switches, all = mine + dal_switches(r->system);
    double at = m->t;
    dal_update_viewer(r);
    dal_values_of(r->viewer)->frozen = false;
    memcpy(c->y, m->y, sizeof *c->y * (size_t)c->n);
    if ((i && !move_by_chance(r, &at, seed)) || dal_state_derivative(r->viewer, at, c->y, c->engine))
        return false;
    dal_reference_state reference = dal_reference_of(r->viewer, m->arena);
    reference.u = dal_system_method(r->system)->formulation->unpack ? c->y + c->nq : NULL;
    gather_arguments(c, r->viewer, c->y);
    reference.inputs = c->extra; /* with the states of this y */
    reference.momenta = c->n_momenta ? dal_speeds_of(r->viewer)->momenta : NULL;
    dal_listing_operands(m->listing, &reference, op, values, values + all);
    dal_switch_operands(r->system, r->viewer, op + mine, values + mine, values + all + mine);
    return true;
}

static bool is_same(const double *x, const double *y, const double *size_a, const double *size_b)
{
    return fabs(*x - *y) <= 1e-9 * (fabs(*size_a) + fabs(*size_b)) + 1e-14;
}

/* 1: switches k and s compare the same numbers at all n states; -1: the other way round; 0: they do not. */
static int compares_alike(const double *values, int n, int all, int k, int s)
{
    bool same = true, mirrored = true;
    for (int i = 0; i < n; i++) {
        const double *a = values + (ptrdiff_t)i * 2 * all, *b = a + all;
        same = same && is_same(&a[k], &a[s], &a[s], &b[s]) && is_same(&b[k], &b[s], &a[s], &b[s]);
        mirrored = mirrored && is_same(&a[k], &b[s], &a[s], &b[s]) && is_same(&b[k], &a[s], &a[s], &b[s]);
    }
    return same ? 1 : mirrored ? -1 : 0;
}

/* The switches of the model are those of the code that compare the same numbers at every state. */
static dal_status match_switches(void *user)
{
    matching *m = user;
    const int mine = m->to->n_switches, model = dal_switches(m->r->system), all = mine + model;
    int *op = DAL_NEW(m->arena, int, all), n = 0;
    double *values = DAL_NEW(m->arena, double, 2 * all * SAMPLES);
    bool *found = DAL_NEW(m->arena, bool, model);
    uint64_t seed = 77;
    for (int i = 0; i < SAMPLES; i++)
        n += sample_operands(m, i, &seed, op, values + (ptrdiff_t)n * 2 * all);
    for (int k = 0; k < mine; k++) {
        m->to->switch_of[k] = -1;
        for (int s = mine; s < all && n > 1; s++) {
            const int way = op[k] != op[s] ? 0 : compares_alike(values, n, all, k, s);
            if (way) {
                m->to->switch_of[k] = s - mine;
                m->to->mirrored[k] = way < 0 ? op[k] : 0;
                found[s - mine] = true;
            }
        }
    }
    for (int s = 0; s < model; s++)
        if (!found[s])
            m->unmatched = dal_switch_text(m->r->system, s);
    return DAL_OK;
}

static bool find_pieces(run *r, code *to, const dal_generated *generated, dal_arena *arena, double t, const double *y, char *why, size_t size)
{
    const size_t n = (size_t)generated->n_switches;
    matching m = {.r = r, .to = to, .listing = generated->listing, .arena = arena, .t = t, .y = y};
    to->n_switches = generated->n_switches;
    to->switch_of = allocate_data(r, 2 * sizeof *to->switch_of * n);
    to->mirrored = to->switch_of ? to->switch_of + n : NULL;
    if (!to->switch_of || dal_arena_try(arena, match_switches, &m) != DAL_OK)
        m.unmatched = "no memory";
    if (m.unmatched)
        snprintf(why, size, "the pieces of '%.120s' are not found in the generated code", m.unmatched);
    return !m.unmatched;
}

/* Which parameters of the description are its arguments, and what the run has of its own. */
static bool set_arguments(run *r, code *to, int n, const int *which, char *why, size_t size)
{
    to->n_parameters = n;
    to->parameter = allocate_data(r, sizeof *to->parameter * (size_t)to->n_parameters);
    if (to->parameter && to->n_parameters)
        memcpy(to->parameter, which, sizeof *which * (size_t)to->n_parameters);
    if (to->parameter && equip(r, to))
        return true;
    snprintf(why, size, "no memory");
    return false;
}

static bool find_arguments(run *r, code *to, const dal_generated *generated, char *why, size_t size)
{
    const int *which, n = dal_listing_parameters(generated->listing, &which);
    return set_arguments(r, to, n, which, why, size);
}

/* ---- making it ------------------------------------------------------------------------------------- */

typedef struct making {
    run *r;
    dal_arena arena;
    dal_messages *messages;
    const double *y;
    const dal_generated *code;
} making;

static dal_status generate(void *user)
{
    making *m = user;
    run *r = m->r;
    const dal_method *method = dal_system_method(r->system);
    dal_generate_options *o = DAL_NEW(&m->arena, dal_generate_options, 1);
    *o = (dal_generate_options){.prefix = "dal_code", .rates = true, .struct_of_parameters = r->compiled->fixed != NULL, .fixed = r->compiled->fixed};
    if (method->stabilization->stabilises_gamma) {
        o->alpha = 2 * method->alpha;
        o->beta = method->beta * method->beta;
    }
    dal_derive_options how = dal_derive_options_of(r->state);
    how.formulation = method->formulation->name;
    dal_derivation *d = dal_derive_equations(&m->arena, dal_system_spec(r->system), r->system, &how, m->messages);
    if (!d || !dal_generates(d, o, m->messages))
        return DAL_BAD_MODEL;
    dal_reference_state at = dal_reference_of(r->viewer, &m->arena);
    gather_arguments(r->compiled, r->viewer, m->y);
    at.inputs = r->compiled->extra;
    at.u = method->formulation->unpack ? m->y + r->compiled->nq : NULL;
    at.momenta = r->compiled->n_momenta ? dal_speeds_of(r->viewer)->momenta : NULL;
    m->code = dal_generate(d, o, 1, &at);
    return DAL_OK;
}

/* The user is asked while the compiler works. */
static bool may_go_on(void *user)
{
    run *r = user;
    const dal_run_options *o = &r->options;
    const double now = dal_clock();
    if (r->compiled->go_on && !r->compiled->go_on(r->compiled->go_on_user))
        return false;
    if (!o->progress || !(now - r->callbacks.clock_last > 0.05))
        return true;
    r->callbacks.clock_last = now;
    r->in_callback = true;
    const bool go_on =
        o->progress(o->progress_user, r->driver.s.t, dal_system_describe(r->system).until, r->evidence.steps, now - r->callbacks.clock_start);
    r->in_callback = false;
    return go_on;
}

static dal_code_request request_for(run *r, const char *source, const char *key)
{
    dal_code_request request = {
        .source = source, .version = dal_system_describe(r->system).version, .patience = patience, .go_on = may_go_on, .user = r};
    memcpy(request.model, key, sizeof request.model);
    return request;
}

/* The function of a loaded object. What it says of its arrays has to be what it will be called with. */
static bool find_call(const run *r, code *to, char *why, size_t size)
{
    const compiled_run *c = r->compiled;
    const int wanted[] = {c->nq, c->n_w, c->n_inputs + c->n_states + c->n_momenta, to->n_parameters, to->n_switches, c->n_states, c->n_works};
    const int *sizes = dal_code_function(&to->object, "dal_code_sizes");
    void *found = dal_code_function(&to->object, "dal_code_rates");
    to->call = NULL;
    if (sizes && found && !memcmp(sizes, wanted, sizeof wanted))
        memcpy(&to->call, &found, sizeof found);
    else
        snprintf(why, size, found ? "the compiled code is that of another model" : "the compiled code has no rates");
    return to->call != NULL;
}

static bool load(run *r, code *to, const dal_generated *generated, const char *key, char *why, size_t size)
{
    const dal_code_request request = request_for(r, generated->source, key);
    const int most = generated->rolled ? MOST_ROLLED : MOST_OPERATIONS;
    if (generated->operations > most) {
        snprintf(why, size, "its code would have %d operations, more than %d", generated->operations, most);
        return false;
    }
    return dal_code_load(&request, &to->object, why, size) && find_call(r, to, why, size);
}

/* Without its choice: it may be filled again. */
static void empty(run *r, code *c)
{
    int *const choice = c->choice;
    c->choice = NULL;
    dal_compiled_drop(r, c);
    c->choice = choice;
}

/* Code that was made before of the same model, without deriving anything. It is trusted no more than that which is new. */
static bool load_known(run *r, code *to, const char *key, double t, const double *y)
{
    compiled_run *c = r->compiled;
    const dal_code_request request = request_for(r, NULL, key);
    char why[256];
    dal_code_notes notes;
    if (!dal_code_load_known(&request, &to->object, &notes))
        return false;
    const bool fit = dal_code_notes_fit(r, &notes);
    const int n = fit ? notes.number[0] : 0, *at = notes.number + 2;
    to->n_switches = n;
    to->switch_of = allocate_data(r, 2 * sizeof *to->switch_of * (size_t)n);
    to->mirrored = to->switch_of ? to->switch_of + n : NULL;
    if (fit && to->switch_of)
        memcpy(to->switch_of, at, 2 * sizeof *at * (size_t)n);
    if (fit && to->switch_of && set_arguments(r, to, notes.number[1], at + 2 * n, why, sizeof why) && find_call(r, to, why, sizeof why) &&
        verify(r, to, t, y, why, sizeof why))
        return true;
    empty(r, to);
    c->checks = 0; /* of the code that is made now */
    c->worst = 0;
    return false;
}

static void remember_code(run *r, const code *made, const char *key)
{
    const dal_code_request request = request_for(r, NULL, key);
    dal_code_notes notes;
    if (dal_code_note(made, &notes))
        dal_code_remember(&request, &made->object, &notes);
}

static void set_reason(const making *m, dal_status status, char *why, size_t size)
{
    const dal_message *last = NULL;
    for (const dal_message *message = dal_messages_first(m->messages); message; message = message->next)
        last = message->severity == DAL_ERROR ? message : last;
    snprintf(why, size, "%s", last ? last->text : m->code && m->code->missing ? m->code->missing : dal_status_text(status));
}

static bool generate_and_load(run *r, code *to, const char *key, double t, const double *y, char *why, size_t size)
{
    making m = {.r = r, .y = y, .messages = dal_messages_create(&r->allocator)};
    dal_status status = m.messages ? DAL_OK : DAL_NO_MEMORY;
    dal_arena_begin(&m.arena, &r->allocator);
    if (status == DAL_OK)
        status = dal_arena_try(&m.arena, generate, &m);
    bool fine = status == DAL_OK && !m.code->missing;
    if (!fine)
        set_reason(&m, status, why, size);
    fine = fine && find_pieces(r, to, m.code, &m.arena, t, y, why, size) && find_arguments(r, to, m.code, why, size) &&
           load(r, to, m.code, key, why, size) && verify(r, to, t, y, why, size);
    dal_messages_free(m.messages);
    dal_arena_release(&m.arena);
    return fine;
}

/* The engine at (t, y), on the viewer. */
static bool evaluate_both(run *r, double t, const double *y)
{
    dal_update_viewer(r);
    if (dal_state_derivative(r->viewer, t, y, r->compiled->engine))
        return false;
    gather_arguments(r->compiled, r->viewer, y);
    return true;
}

/* Code for the present choice of the state at (t, y). */
static bool make(run *r, code *to, double t, const double *y, char *why, size_t size)
{
    char key[65];
    bool fine = evaluate_both(r, t, y);
    if (!fine)
        snprintf(why, size, "%s", dal_status_text(DAL_NUMERICAL)); /* the engine says what is wrong, when it is asked */
    else {
        dal_code_key(r, t, y, key);
        if (load_known(r, to, key, t, y))
            return true;
        fine = evaluate_both(r, t, y) && generate_and_load(r, to, key, t, y, why, size);
    }
    if (fine)
        remember_code(r, to, key);
    else {
        dal_code_unload(&to->object);
        to->call = NULL;
    }
    return fine;
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
    if (!equip(r, to))
        leave(r, "no memory");
    else if (verify(r, to, t, y, why, sizeof why))
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
    if (!(c->codes[i].choice = allocate_data(r, sizeof *c->choice * (size_t)c->n_choice)))
        return;
    memcpy(c->codes[i].choice, c->choice, sizeof *c->choice * (size_t)c->n_choice);
    if (make(r, &c->codes[i], t, y, why, sizeof why))
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
    if (!c->now || !may_call(r) || !call_code(c, c->now, r->state, t, y, dy) || !turns_little(r, t, dy)) {
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
    const double off = compare_at(r, c->now, t);
    if (!(off > agreement))
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
