/* libFuzzer: no model that can be read may crash compile, leak, be accepted with an error or refused without one; what is
 * accepted can be evaluated once and its equations be shown, with finite accelerations. The bytes of the model also choose the
 * family of coordinates and the formulation, so that a change of any of them may be a change of these. */
#include "dalembert/dalembert.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>

enum { MOST_BODIES = 12, MOST_ELEMENTS = 40 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Show the equations: whatever is said to be a solution consists of numbers. */
static void show(dal_state *state, dal_messages *messages)
{
    dal_equations *equations;
    char text[256];
    dal_status status = dal_equations_create(NULL, state, messages, &equations);
    if ((status == DAL_OK) != (equations != NULL) || (status != DAL_OK && dal_messages_count(messages, DAL_ERROR) == 0))
        abort();
    if (!equations)
        return;
    for (int i = 0; i < equations->accelerations.n; i++)
        if (!isfinite(equations->accelerations.values[i]))
            abort();
    dal_equations_text(equations, 6, 100, text, sizeof text);
    dal_equations_json(equations, text, sizeof text);
    dal_equations_free(equations);
}

static void compile(const dal_spec *spec)
{
    dal_messages *messages = dal_messages_create(NULL);
    dal_system *system;
    dal_status status = dal_compile(NULL, spec, messages, &system);
    int errors = dal_messages_count(messages, DAL_ERROR);
    if ((status == DAL_OK) != (system != NULL) || (status == DAL_OK) != (errors == 0))
        abort();
    if (system) {
        dal_state *state = dal_state_create(NULL, system);
        if (dal_state_evaluate(state, messages) == DAL_OK)
            show(state, messages);
        else if (dal_messages_count(messages, DAL_ERROR) == 0)
            abort();
        dal_state_free(state);
    }
    dal_system_free(system);
    dal_messages_free(messages);
}

/* One of a list, or what the model says. */
static void choose(dal_spec *spec, const char *kind, unsigned dice)
{
    const char *name, *title;
    unsigned n = 0;
    while (dal_list_entry(kind, (int)n, &name, &title))
        n++;
    if (dice % (n + 1) < n && dal_list_entry(kind, (int)(dice % (n + 1)), &name, &title))
        dal_spec_set(spec, kind, name, NULL);
}

static bool is_small(const dal_spec *spec)
{
    return spec->n_bodies <= MOST_BODIES && spec->n_joints <= MOST_ELEMENTS && spec->n_forces <= MOST_ELEMENTS &&
           spec->n_coordinates <= MOST_ELEMENTS && spec->n_constraints <= MOST_ELEMENTS && spec->n_systems <= MOST_ELEMENTS &&
           spec->n_speeds <= MOST_ELEMENTS;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    dal_spec *spec = NULL;
    unsigned dice = 2166136261u; /* Fowler, Noll and Vo: a hash of the bytes */
    for (size_t i = 0; i < size; i++)
        dice = (dice ^ data[i]) * 16777619u;
    dal_spec_parse(NULL, "fuzz.yaml", (const char *)data, size, 0, NULL, NULL, &spec);
    if (spec && is_small(spec)) {
        if (!spec->n_coordinates)
            choose(spec, "coordinates", dice >> 4 & 255);
        choose(spec, "formulation", dice >> 12 & 255);
        compile(spec);
    }
    dal_spec_free(spec);
    return 0;
}
