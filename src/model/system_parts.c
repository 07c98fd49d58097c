#include "kinematics/subsystems.h"
#include "model/system.h"
#include "model/system_parts.h"

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

int dal_system_length(const dal_system *system, int *control)
{
    if (control)
        *control = system->n_control;
    return system->n_y;
}

double dal_system_sample_period(const dal_system *system, int input)
{
    for (int k = 0; k < system->samples.n_outputs; k++)
        if (system->sample_input[k] == input)
            return system->sample_period[k];
    return 0;
}

/* What an expression reads decides, not its present rate of change: that of cos(t) is zero at t = 0. */
bool dal_system_ages(const dal_system *system, bool drives)
{
    const dal_layout *layout = dal_system_layout(system);
    const dal_compiled *actions = &system->actions;
    bool ages = drives && system->drives.n_needs > 0;
    for (int i = 0; i < actions->n_needs; i++)
        ages = ages || system->signals[actions->needs[i]].kind == DAL_SIGNAL_TIME;
    for (int i = 0; i < layout->forms.n_needs; i++)
        ages = ages || layout->forms.need[2 * i + 1] < 0;
    for (int i = 0; layout->systems && i < layout->systems->n_needs; i++)
        ages = ages || layout->systems->need[3 * i + 1] < 0;
    return ages;
}

const dal_compiled *dal_system_actions(const dal_system *system)
{
    return &system->actions;
}

const char *dal_system_action_text(const dal_system *system, int i)
{
    return system->action_texts[i].text;
}

const dal_compiled *dal_system_records(const dal_system *system)
{
    return &system->records;
}

const dal_signal *dal_system_signals(const dal_system *system, int *n)
{
    *n = system->n_signals;
    return system->signals;
}
