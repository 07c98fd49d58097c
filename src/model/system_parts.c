#include "model/system.h"

const dal_layout *dal_system_layout(const dal_system *system)
{
    return &system->layout;
}

const dal_mechanism *dal_system_mechanism(const dal_system *system)
{
    return &system->mechanism;
}

const dal_method *dal_system_method(const dal_system *system)
{
    return &system->method;
}

const dal_acting *dal_system_acting(const dal_system *system)
{
    return &system->acting;
}

const dal_spec *dal_system_spec(const dal_system *system)
{
    return system->spec;
}

bool dal_system_undetermined(const dal_system *system)
{
    return system->undetermined;
}

const dal_start *dal_system_start(const dal_system *system)
{
    return system->start;
}

int dal_system_rank(const dal_system *system)
{
    return system->rank;
}

int dal_system_freedoms(const dal_system *system)
{
    return system->layout.nv - system->rank;
}

int dal_system_states(const dal_system *system, const char *const **names)
{
    if (names)
        *names = system->state_names;
    return system->n_states;
}

int dal_system_inputs(const dal_system *system, const char *const **names)
{
    if (names)
        *names = system->input_names;
    return system->n_inputs;
}

const int *dal_system_start_rows(const dal_system *system)
{
    return system->start_order;
}

double dal_system_sample_period(const dal_system *system, int input)
{
    for (int k = 0; k < system->samples.n_outputs; k++)
        if (system->sample_input[k] == input)
            return system->sample_period[k];
    return 0;
}
