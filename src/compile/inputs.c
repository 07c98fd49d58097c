/* What the description gives beside the mechanism: tables, inputs, states.
 *
 *     u_i = value                      an input that callers set
 *     u_i = f(t, q, v, ...), held      an input that is sampled every `period`: whatever can be recorded can be sampled
 *     z_i' = rate,   z_i(0) = start    a state of the model; its rate is an action, behind those of the forces
 */
#include "compile/build.h"
#include "model/system.h"

#include <string.h>

void dal_build_tables(dal_build *build)
{
    for (int i = 0; i < build->spec->n_tables; i++) {
        const dal_table_spec *t = &build->spec->tables[i];
        const char *why = "";
        double smooth = 2;
        dal_outside outside = DAL_OUTSIDE_ERROR;
        if (t->smooth.text)
            dal_build_number(build, NULL, t->smooth, &smooth);
        if (build->memory) { /* the graph has them */
            build->restructured |= t->smooth.text && strcspn(t->smooth.text, "012") > 0;
            continue;
        }
        if (smooth != 0 && smooth != 1 && smooth != 2)
            dal_error(build->messages, t->smooth.mark, "`smooth` is 0, 1 or 2: how many continuous derivatives the table has");
        if (t->outside.text && !strcmp(t->outside.text, "hold"))
            outside = DAL_OUTSIDE_HOLD;
        else if (t->outside.text && !strcmp(t->outside.text, "periodic"))
            outside = DAL_OUTSIDE_PERIODIC;
        else if (t->outside.text && strcmp(t->outside.text, "error"))
            dal_error(build->messages, t->outside.mark, "`outside` is error, hold or periodic, not '%s'", t->outside.text);
        if (dal_graph_add_table(build->graph, t->name.text, t->n, t->x_value, t->y_value, (int)smooth, outside, &why) < 0)
            dal_error(build->messages, t->name.mark, "table '%s': %s", t->name.text, why);
    }
}

/* An input that is sampled and held. Whatever can be recorded can be sampled: it is computed before the input changes. */
static void add_sample(dal_build *build, dal_system *system, int input)
{
    const dal_pair *spec = &build->spec->inputs[input];
    double period = 0;
    dal_node node;
    if (!dal_build_number(build, spec->binding, spec->period, &period) ||
        !dal_build_scalar(build, DAL_REACH_RECORD, spec->binding, spec->value, &node))
        return;
    if (!(period > 0)) {
        dal_error(build->messages, spec->period.mark, "the period of input '%s' is %.9g s; it has to be greater than zero", spec->name.text, period);
        return;
    }
    const int k = dal_build_expression(build, &build->samples, node);
    system->sample_input[k] = input;
    system->sample_period[k] = period;
}

void dal_build_states(dal_build *build, dal_system *system)
{
    const dal_spec *spec = build->spec;
    system->n_tables = spec->n_tables;
    system->table_names = DAL_NEW(build->arena, const char *, spec->n_tables);
    for (int i = 0; i < spec->n_tables; i++)
        system->table_names[i] = spec->tables[i].name.text;
    system->n_inputs = spec->n_inputs;
    system->n_states = spec->n_states;
    system->inputs = DAL_NEW(build->arena, double, spec->n_inputs);
    system->input_names = DAL_NEW(build->arena, const char *, spec->n_inputs);
    system->states = DAL_NEW(build->arena, double, spec->n_states);
    system->state_names = DAL_NEW(build->arena, const char *, spec->n_states);
    system->sample_input = DAL_NEW(build->arena, int, spec->n_inputs);
    system->sample_period = DAL_NEW(build->arena, double, spec->n_inputs);
    for (int i = 0; i < spec->n_inputs; i++) {
        system->input_names[i] = spec->inputs[i].name.text;
        if (spec->inputs[i].period.text)
            add_sample(build, system, i);
        else
            dal_build_number(build, spec->inputs[i].binding, spec->inputs[i].value, &system->inputs[i]);
    }
    system->n_expressions = build->actions.n;
    for (int i = 0; i < spec->n_states; i++) {
        dal_node node = dal_const(build->graph, 0);
        const dal_state_spec *s = &spec->states[i];
        if (s->start.text)
            dal_build_number(build, s->binding, s->start, &system->states[i]);
        dal_build_state_rate(build, i, &node);
        dal_build_action(build, s->rate, node);
        system->state_names[i] = s->name.text;
    }
}
