/* The code of a compiled run is made: derived, generated, compiled, matched with the model, and compared with the engine before it is trusted.
 *
 *     known        by the digest of all that the code follows from (known_code.c): loaded without deriving anything, compared all the same
 *     generated    dal_generate on the equations of the model's own formulation; at most 60000 operations, 200000 with loops
 *     matched      operations with pieces: switch k of the code is switch s of the model if both compare the same numbers at eight states
 *     verified     max |mine - engine| over the largest rate <= 1e-10 at the first state, and at random ones on the constraints
 */
#include "run/compiled_code.h"

#include "base/message.h"
#include "dynamics/speeds.h"
#include "integrate/stabilization.h"
#include "math/chance.h"
#include "run/sample_states.h"
#include "state/state_parts.h"
#include "state/values.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { SAMPLES = 8, SHARED_SAMPLES = 4 };
enum { MOST_OPERATIONS = 60000, MOST_ROLLED = 200000 }; /* of straight-line code, and of code with loops */

static const double patience = 30;             /* s that a compiler may take */
static const double shift = 0.05, speed = 0.7; /* of samples: units of the model */

typedef dal_compiled_run compiled_run;
typedef dal_run_code code;

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
double dal_compiled_compare_at(run *r, const code *with, double t)
{
    compiled_run *c = r->compiled;
    if (dal_state_derivative(r->viewer, t, c->y, c->engine) || !dal_compiled_call(c, with, r->viewer, t, c->y, c->mine))
        return -1;
    const double off = dal_compiled_difference(r, c->mine, c->engine);
    c->checks++;
    c->worst = fmax(c->worst, off);
    return off;
}

bool dal_compiled_verify(run *r, const code *with, double t, const double *y, char *why, size_t size)
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
        const double off = dal_compiled_compare_at(r, with, at);
        compared += off >= 0;
        if (off > dal_compiled_agreement) {
            snprintf(why, size, "generated code differs from the engine by %.1e of the rates at %s", off, i ? "a random state" : "its first state");
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
    dal_compiled_arguments(c, r->viewer, c->y);
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
    to->switch_of = dal_compiled_allocate(r, 2 * sizeof *to->switch_of * n);
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
    to->parameter = dal_compiled_allocate(r, sizeof *to->parameter * (size_t)to->n_parameters);
    if (to->parameter && to->n_parameters)
        memcpy(to->parameter, which, sizeof *which * (size_t)to->n_parameters);
    if (to->parameter && dal_compiled_equip(r, to))
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
    dal_compiled_arguments(r->compiled, r->viewer, m->y);
    at.inputs = r->compiled->extra;
    at.u = method->formulation->unpack ? m->y + r->compiled->nq : NULL;
    at.momenta = r->compiled->n_momenta ? dal_speeds_of(r->viewer)->momenta : NULL;
    m->code = dal_generate(d, o, 1, &at);
    return DAL_OK;
}

/* While the compiler works, the callbacks of the user may stop it. */
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

/* Releases everything but the choice: the code may be filled again. */
static void empty(run *r, code *c)
{
    int *const choice = c->choice;
    c->choice = NULL;
    dal_compiled_drop(r, c);
    c->choice = choice;
}

/* Code that was made before of the same model, without deriving anything. It is compared with the engine, as new code is. */
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
    to->switch_of = dal_compiled_allocate(r, 2 * sizeof *to->switch_of * (size_t)n);
    to->mirrored = to->switch_of ? to->switch_of + n : NULL;
    if (fit && to->switch_of)
        memcpy(to->switch_of, at, 2 * sizeof *at * (size_t)n);
    if (fit && to->switch_of && set_arguments(r, to, notes.number[1], at + 2 * n, why, sizeof why) && find_call(r, to, why, sizeof why) &&
        dal_compiled_verify(r, to, t, y, why, sizeof why))
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
           load(r, to, m.code, key, why, size) && dal_compiled_verify(r, to, t, y, why, size);
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
    dal_compiled_arguments(r->compiled, r->viewer, y);
    return true;
}

/* Code for the present choice of the state at (t, y). */
bool dal_compiled_make(run *r, code *to, double t, const double *y, char *why, size_t size)
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
