/* libFuzzer: no model that can be read may crash compile, leak, be accepted with an error or refused without one; what is
 * accepted can be evaluated once. */
#include "dalembert/dalembert.h"

#include <stdint.h>
#include <stdlib.h>

enum { MOST_BODIES = 50, MOST_ELEMENTS = 200 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

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
        if (dal_state_evaluate(state, messages) != DAL_OK && dal_messages_count(messages, DAL_ERROR) == 0)
            abort();
        dal_state_free(state);
    }
    dal_system_free(system);
    dal_messages_free(messages);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    dal_spec *spec = NULL;
    dal_spec_parse(NULL, "fuzz.yaml", (const char *)data, size, 0, NULL, NULL, &spec);
    if (spec && spec->n_bodies <= MOST_BODIES && spec->n_joints <= MOST_ELEMENTS && spec->n_forces <= MOST_ELEMENTS)
        compile(spec);
    dal_spec_free(spec);
    return 0;
}
