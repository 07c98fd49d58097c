/* Which functions does one evaluation enter and leave? For tools/folder-changes.
 *
 *   folder_changes MODEL      writes a line for each: ">" or "<" and the address
 *
 * The model is compiled in the family `angle` with the formulation `lagrange`; the trace is that of one dal_state_accelerate at the
 * start. The files that take part are compiled with -finstrument-functions: the compiler calls the two hooks below.
 */
#include "model/system.h"
#include "state/state.h"

#include <stdio.h>
#include <stdlib.h>

enum { MAX_CALLS = 100000 };

static struct {
    void *function;
    char direction;
} calls[MAX_CALLS];
static int n_calls;
static bool recording;

void __cyg_profile_func_enter(void *function, void *caller) __attribute__((no_instrument_function));
void __cyg_profile_func_exit(void *function, void *caller) __attribute__((no_instrument_function));

static void __attribute__((no_instrument_function)) record(void *function, char direction)
{
    if (!recording || n_calls == MAX_CALLS)
        return;
    calls[n_calls].function = function;
    calls[n_calls++].direction = direction;
}

void __cyg_profile_func_enter(void *function, void *caller)
{
    (void)caller;
    record(function, '>');
}

void __cyg_profile_func_exit(void *function, void *caller)
{
    (void)caller;
    record(function, '<');
}

static dal_system *compile(const char *file)
{
    dal_messages *messages = dal_messages_create(NULL);
    dal_spec *spec = NULL;
    dal_system *system = NULL;
    if (dal_spec_read(NULL, file, 0, NULL, messages, &spec) == DAL_OK) {
        dal_spec_set(spec, "coordinates", "angle", messages);
        dal_spec_set(spec, "formulation", "lagrange", messages);
        dal_compile(NULL, spec, messages, &system);
    }
    dal_spec_free(spec);
    dal_messages_free(messages);
    return system;
}

int main(int argc, char **argv)
{
    dal_system *system = argc == 2 ? compile(argv[1]) : NULL;
    dal_state *state = system ? dal_state_create(NULL, system) : NULL;
    if (!state || dal_state_accelerate(state)) {
        fprintf(stderr, "usage: folder_changes MODEL\n");
        return 2;
    }
    dal_state_moved(state);
    recording = true;
    const dal_flow flow = dal_state_accelerate(state);
    recording = false;
    for (int i = 0; i < n_calls; i++)
        printf("%c %p\n", calls[i].direction, calls[i].function);
    dal_state_free(state);
    dal_system_free(system);
    return flow || n_calls == MAX_CALLS;
}
