#include "run/shared_code.h"

#include "base/message.h"
#include "model/system_parts.h"
#include "run/compiled_code.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct dal_shared_code {
    dal_run_code codes[DAL_RUN_CODES];
    dal_compiled_run sizes; /* of the system it was made for; of it only the numbers up to n_speeds */
    int n_model_switches, n_numbers;
    double *number; /* of each parameter of its description */
    bool *fixed;    /* it is no argument */
};

/* ---- which code --------------------------------------------------------------------------------- */

static bool same_sizes(const dal_compiled_run *a, const dal_compiled_run *b)
{
    return a->n == b->n && a->nq == b->nq && a->n_w == b->n_w && a->n_states == b->n_states && a->n_works == b->n_works &&
           a->n_inputs == b->n_inputs && a->n_momenta == b->n_momenta && a->n_choice == b->n_choice && a->n_charts == b->n_charts;
}

const char *dal_shared_obstacle(const run *r, char *buffer, size_t size)
{
    const dal_shared_code *code = r->options.code;
    const dal_spec *spec = dal_system_spec(r->system);
    if (spec->n_parameters != code->n_numbers || !same_sizes(r->compiled, &code->sizes) || dal_switches(r->system) != code->n_model_switches)
        return "with these values the model has another structure than the generated code";
    for (int i = 0; i < spec->n_parameters; i++)
        if (code->fixed[i] && memcmp(&spec->parameters[i].number, &code->number[i], sizeof *code->number)) {
            snprintf(buffer, size, "the generated code has no other value of '%.100s'", spec->parameters[i].name.text);
            return buffer;
        }
    return NULL;
}

const dal_run_code *dal_shared_find(const run *r)
{
    const dal_shared_code *code = r->options.code;
    const dal_compiled_run *c = r->compiled;
    for (int i = 0; i < DAL_RUN_CODES && code->codes[i].call; i++)
        if (!memcmp(code->codes[i].choice, c->choice, sizeof *c->choice * (size_t)c->n_choice))
            return &code->codes[i];
    return NULL;
}

/* ---- making it ------------------------------------------------------------------------------------ */

static bool go_on(void *user, double t, double until, long steps, double wall)
{
    const dal_shared_request *request = user;
    (void)t, (void)until, (void)steps, (void)wall;
    return !request->go_on || request->go_on(request->user);
}

/* A parameter that changes the structure of the model is not a symbol of its equations. One that the equations do not contain, such as a start value,
 * may have any value. */
static bool note_parameters(dal_shared_code *code, const dal_shared_request *request)
{
    const dal_spec *spec = dal_system_spec(request->system);
    code->n_numbers = spec->n_parameters;
    code->number = calloc((size_t)spec->n_parameters + 1, sizeof *code->number);
    code->fixed = calloc((size_t)spec->n_parameters + 1, sizeof *code->fixed);
    for (int i = 0; code->number && code->fixed && i < spec->n_parameters; i++) {
        code->number[i] = spec->parameters[i].number;
        code->fixed[i] = !request->varied[i] || spec->parameters[i].shapes;
    }
    return code->number && code->fixed;
}

/* The codes of a run that was made with them become shared ones. */
static bool copy_codes(dal_shared_code *code, run *r, char *why, size_t size)
{
    dal_compiled_run *c = r->compiled;
    int n = 0;
    code->sizes = *c;
    code->n_model_switches = dal_switches(r->system);
    for (int i = 0; i < DAL_RUN_CODES; i++) {
        if (!c->codes[i].call)
            continue;
        code->codes[n] = c->codes[i];
        code->codes[n].modes = NULL;
        code->codes[n++].values = NULL;
        c->codes[i].borrowed = true; /* what the run has of its own goes with it */
    }
    if (!n)
        snprintf(why, size, "%s", *c->why ? c->why : "its first state cannot be evaluated");
    return n > 0;
}

/* A run of the system up to its first evaluation; where equations change with a choice, to its end. */
static bool make_codes(dal_shared_code *code, const dal_shared_request *request, run *r, dal_messages *aside, char *why, size_t size)
{
    const dal_run_options how = {.compiled = 1, .progress = go_on, .progress_user = (void *)(uintptr_t)request};
    dal_status status = dal_simulation_open(r, request->system, &how, false, aside);
    if (status == DAL_OK && !r->compiled->off) {
        r->compiled->fixed = code->fixed;
        r->compiled->go_on = request->go_on;
        r->compiled->go_on_user = request->user;
        status = dal_simulation_begin(r);
        if (status == DAL_OK && !r->compiled->off)
            dal_compiled_choose(r, r->driver.s.t, r->y);
        if (status == DAL_OK && r->compiled->now && r->compiled->n_choice)
            dal_simulation_go(r, dal_system_describe(request->system).until);
    }
    if (status != DAL_OK)
        snprintf(why, size, "the model as it is cannot begin to run");
    const bool made = status == DAL_OK && copy_codes(code, r, why, size);
    dal_simulation_close(r);
    return made;
}

dal_shared_code *dal_shared_code_make(const dal_shared_request *request, char *why, size_t size)
{
    dal_shared_code *code = calloc(1, sizeof *code);
    dal_messages *aside = dal_messages_create(NULL);
    run *r = calloc(1, sizeof *r);
    snprintf(why, size, "no memory");
    bool made = code && aside && r;
    if (made && !dal_system_spec(request->system)) {
        snprintf(why, size, "the system has no description");
        made = false;
    }
    made = made && note_parameters(code, request) && make_codes(code, request, r, aside, why, size);
    free(r);
    dal_messages_free(aside);
    if (made)
        return code;
    dal_shared_code_free(code);
    return NULL;
}

void dal_shared_code_free(dal_shared_code *code)
{
    const dal_allocator allocator = dal_default_allocator();
    if (!code)
        return;
    for (int i = 0; i < DAL_RUN_CODES; i++) {
        dal_code_unload(&code->codes[i].object);
        allocator.release(allocator.user, code->codes[i].choice);
        allocator.release(allocator.user, code->codes[i].switch_of);
        allocator.release(allocator.user, code->codes[i].parameter);
    }
    free(code->number);
    free(code->fixed);
    free(code);
}

/* ---- what it is ------------------------------------------------------------------------------------ */

bool dal_shared_code_fits(const dal_shared_code *code, const dal_system *system, char *why, size_t size)
{
    const dal_run_options how = {.compiled = 1, .code = code};
    dal_messages *aside = dal_messages_create(NULL);
    run *r = calloc(1, sizeof *r);
    bool fits = true; /* a run that cannot begin is not an error of the code */
    if (r && aside && dal_simulation_open(r, system, &how, false, aside) == DAL_OK && dal_simulation_begin(r) == DAL_OK) {
        if (!r->compiled->off)
            dal_compiled_choose(r, r->driver.s.t, r->y);
        fits = !r->compiled->off;
        snprintf(why, size, "%s", r->compiled->why);
    }
    if (r && r->system)
        dal_simulation_close(r);
    free(r);
    dal_messages_free(aside);
    return fits;
}

const char *dal_shared_code_sum(const dal_shared_code *code, int i)
{
    return i < DAL_RUN_CODES && code->codes[i].call ? code->codes[i].object.sum : NULL;
}
