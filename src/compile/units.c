/* Units of recorded columns, inferred; sums of different quantities, reported.
 *
 * Channels have units, and so have the keys of the language: `mass:` is in kg. Numbers, parameters, inputs, states and coordinates of the
 * model's own have unknown dimensions, which follow from where they stand (dimension.h). A text is read twice:
 *
 *   by itself       its parameters are whatever fits there; what cannot be the same then is a sum of two channels, which is reported
 *   in the model    a parameter is one thing everywhere: `stiffness: k` makes k*x a force
 *
 * What stays unknown has no unit, and `record: {name: {value: , unit: }}` gives it one.
 */
#include "compile/units.h"
#include "spec/visit.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { SEEN = 1 << 10 };

typedef struct walk {
    dal_inference units;
    dal_text seen[SEEN]; /* texts of repeated elements are checked once */
} walk;

/* ---- one text ---------------------------------------------------------------------------------- */

bool dal_unit_of_text(dal_inference *units, const dal_binding *binding, dal_text text, dal_dimension *out, int *n)
{
    dal_build *build = units->build;
    const dal_parser parser = {.graph = units->graph, .messages = units->silent, .resolve = dal_unit_resolve, .user = units, .unit = dal_unit_rule};
    const dal_binding *outer = build->binding;
    const dal_model_spec *model = binding ? binding->model : NULL;
    dal_value value = {0};
    if (!text.text)
        return false;
    const char *tables = dal_graph_table_prefix(units->graph, model ? dal_arena_print(units->arena, "%s.", model->name.text) : NULL);
    build->binding = binding;
    units->depth++;
    const bool ok = dal_parse(&parser, text.text, text.mark, &value) && value.unit > 0;
    units->depth--;
    build->binding = outer;
    dal_graph_table_prefix(units->graph, tables);
    if (ok)
        *out = dal_dimension_resolve(&units->unknowns, &units->tags[value.unit - 1].dimension);
    *n = value.n;
    return ok;
}

/* A number says nothing. */
static bool is_plain(const char *text)
{
    return !text[strspn(text, "0123456789.eE+- ")];
}

/* Is there something that can clash? */
static bool has_sums(const char *text)
{
    return text[strcspn(text, "+-<>=!(")];
}

static bool was_seen(walk *w, const dal_text *text)
{
    const dal_mark mark = text->mark;
    if (!mark.line)
        return false;
    dal_text *slot = &w->seen[(unsigned)(mark.line * 131 + mark.column) % SEEN];
    const bool known = slot->text && slot->mark.line == mark.line && slot->mark.column == mark.column && slot->mark.file == mark.file &&
                       !strcmp(slot->text, text->text); /* blocks write several texts at one place */
    *slot = *text;
    return known;
}

static void check_alone(walk *w, const dal_binding *binding, dal_text text)
{
    dal_inference *u = &w->units;
    dal_dimension unused;
    int n;
    if (!text.mark.line || !has_sums(text.text))
        return;
    u->alone = true;
    u->reported = false;
    u->stamp++;
    dal_unit_of_text(u, binding, text, &unused, &n);
    u->alone = false;
}

/* `wanted`: what it has to be; NULL: nothing says that. */
static void check_text(walk *w, const dal_binding *binding, dal_text text, const dal_dimension *wanted)
{
    dal_dimension found;
    int n;
    if (!text.text || is_plain(text.text) || was_seen(w, &text))
        return;
    check_alone(w, binding, text);
    if (dal_unit_of_text(&w->units, binding, text, &found, &n) && wanted)
        dal_dimension_equate(&w->units.unknowns, &found, wanted);
}

/* ---- elements ---------------------------------------------------------------------------------- */

typedef struct element {
    walk *w;
    const dal_binding *binding;
    bool angular; /* of "N or N m" the second is meant */
} element;

static void check_written(void *user, const dal_written *written)
{
    const element *e = user;
    const char *unit = written->unit, * or = strstr(unit, " or ");
    dal_dimension wanted;
    if (or)
        unit = e->angular || written->turns ? or +4 : dal_arena_print(e->w->units.arena, "%.*s", (int)(or -unit), unit);
    check_text(e->w, written->binding ? written->binding : e->binding, *written->text, dal_dimension_read(unit, &wanted) ? &wanted : NULL);
}

static void check_element(walk *w, const dal_binding *binding, dal_section section, const void *spec, bool angular)
{
    element e = {w, binding, angular};
    dal_spec_visit(section, spec, check_written, &e);
}

static bool turns(const dal_build *build, int measure)
{
    return measure >= 0 && build->mechanism.measures[measure].kind == DAL_MEASURE_ANGLE;
}

static void check_joint(walk *w, int index)
{
    const dal_build *build = w->units.build;
    const dal_joint_spec *spec = &build->spec->joints[index];
    const dal_joint *joint = &build->mechanism.joints[index];
    const bool angular = joint->n_coordinates ? turns(build, joint->coordinate[0]) : false;
    if (!joint->type)
        return;
    check_element(w, spec->binding, DAL_SECTION_JOINT, spec, angular);
    check_element(w, spec->binding, DAL_SECTION_START, &spec->start, angular);
    check_element(w, spec->binding, DAL_SECTION_FRICTION, &spec->friction, angular);
    for (int i = 0; i < spec->law.n; i++)
        check_text(w, spec->law.item[i].binding, spec->law.item[i].value, NULL);
}

static void check_force(walk *w, int index)
{
    const dal_build *build = w->units.build;
    const dal_force_spec *spec = &build->spec->forces[index];
    const dal_force_type *type = dal_force_type_find(spec->type.text ? spec->type.text : "");
    const bool angular = turns(build, build->forces[index].measure) || (type && type->acts == DAL_ACTS_BY_TORQUE);
    check_element(w, spec->binding, DAL_SECTION_FORCE, spec, angular);
}

static void check_named(walk *w, dal_symbol_kind kind, int index, const dal_binding *binding, dal_text text)
{
    const dal_dimension own = dal_unit_of_name(&w->units, (int)kind, index);
    check_text(w, binding, text, &own);
}

static void check_names(walk *w)
{
    const dal_spec *spec = w->units.build->spec;
    const dal_dimension second = {.base = {0, 0, 1}};
    for (int i = 0; i < spec->n_parameters; i++)
        check_named(w, DAL_SYMBOL_PARAMETER, i, spec->parameters[i].binding, spec->parameters[i].value);
    for (int i = 0; i < spec->n_inputs; i++)
        check_named(w, DAL_SYMBOL_INPUT, i, spec->inputs[i].binding, spec->inputs[i].value);
    for (int i = 0; i < spec->n_coordinates; i++)
        check_named(w, DAL_SYMBOL_COORDINATE, i, spec->coordinates[i].binding, spec->coordinates[i].start);
    for (int i = 0; i < spec->n_speeds; i++)
        check_named(w, DAL_SYMBOL_SPEED, i, spec->speeds[i].binding, spec->speeds[i].value);
    for (int i = 0; i < spec->n_states; i++) {
        const dal_dimension own = dal_unit_of_name(&w->units, DAL_SYMBOL_STATE, i);
        const dal_dimension rate = dal_dimension_product(&w->units.unknowns, &own, 1, &second, -1);
        check_text(w, spec->states[i].binding, spec->states[i].start, &own);
        check_text(w, spec->states[i].binding, spec->states[i].rate, &rate);
    }
    for (int i = 0; i < spec->n_define; i++)
        if (!spec->define[i].block)
            check_text(w, spec->define[i].binding, spec->define[i].value, NULL);
}

static void check_model_units(walk *w)
{
    const dal_spec *spec = w->units.build->spec;
    dal_dimension fall;
    dal_dimension_read("m/s^2", &fall);
    for (int i = 0; i < spec->gravity.n; i++)
        check_text(w, NULL, spec->gravity.item[i], &fall);
    check_element(w, NULL, DAL_SECTION_GROUND, spec, false);
    for (int i = 0; i < spec->n_bodies; i++)
        check_element(w, spec->bodies[i].binding, DAL_SECTION_BODY, &spec->bodies[i], false);
    for (int i = 0; i < spec->n_joints; i++)
        check_joint(w, i);
    for (int i = 0; i < spec->n_forces; i++)
        check_force(w, i);
    check_names(w);
    for (int i = 0; i < spec->n_constraints; i++) {
        check_text(w, spec->constraints[i].binding, spec->constraints[i].position, NULL);
        check_text(w, spec->constraints[i].binding, spec->constraints[i].velocity, NULL);
    }
    for (int i = 0; i < spec->n_systems; i++) {
        check_element(w, spec->systems[i].binding, DAL_SECTION_SYSTEM, &spec->systems[i], false);
        check_element(w, spec->systems[i].binding, DAL_SECTION_LAGRANGIAN, &spec->systems[i], false);
    }
    check_element(w, NULL, DAL_SECTION_SIMULATE, &spec->simulate, false);
}

/* ---- columns ----------------------------------------------------------------------------------- */

static const char *unit_of(walk *w, const dal_dimension *found)
{
    const char *unit = dal_dimension_unit(w->units.arena, &w->units.unknowns, found);
    return *unit ? dal_arena_print(w->units.build->arena, "%s", unit) : "";
}

/* A unit that is given is the unit; it may be wrong. */
static void check_given(walk *w, const dal_record_spec *column, const dal_dimension *found)
{
    dal_inference *u = &w->units;
    dal_dimension given;
    if (!dal_dimension_read(column->unit.text, &given) || dal_dimension_equate(&u->unknowns, found, &given))
        return;
    const char *unit = dal_dimension_unit(u->arena, &u->unknowns, found);
    if (*unit)
        dal_warn(u->build->messages, column->unit.mark, DAL_CODE_UNITS, NAN, "column '%s' is a quantity in %s, and its unit is given as %s",
                 column->name.text ? column->name.text : column->value.text, unit, column->unit.text);
}

/* The columns of `record:` stand behind the time, in its order. */
static int name_written(walk *w)
{
    dal_build *build = w->units.build;
    const dal_spec *spec = build->spec;
    int k = 1;
    for (int i = 0; i < spec->n_record && spec->record_given && k < build->n_columns; i++) {
        const dal_record_spec *column = &spec->record[i];
        dal_dimension found = {.lost = true};
        int n = 1;
        check_alone(w, column->binding, column->value);
        const bool known = dal_unit_of_text(&w->units, column->binding, column->value, &found, &n);
        if (known && column->unit.text)
            check_given(w, column, &found);
        const char *unit = known ? unit_of(w, &found) : "";
        for (int c = 0; c < n && k < build->n_columns; c++, k++)
            if (!*build->columns[k].unit)
                build->columns[k].unit = unit;
    }
    return k;
}

/* Those that the program adds are names. */
static void name_further(walk *w, int first)
{
    dal_build *build = w->units.build;
    for (int k = first; k < build->n_columns; k++) {
        const dal_text text = {.text = build->columns[k].name};
        dal_dimension found;
        int n;
        if (!*build->columns[k].unit && dal_unit_of_text(&w->units, NULL, text, &found, &n))
            build->columns[k].unit = unit_of(w, &found);
    }
}

static void begin(walk *w, dal_build *build)
{
    const dal_spec *spec = build->spec;
    dal_inference *u = &w->units;
    const int counts[DAL_SYMBOL_BODY] = {[DAL_SYMBOL_PARAMETER] = spec->n_parameters,
                                         [DAL_SYMBOL_INPUT] = spec->n_inputs,
                                         [DAL_SYMBOL_STATE] = spec->n_states,
                                         [DAL_SYMBOL_COORDINATE] = spec->n_coordinates,
                                         [DAL_SYMBOL_SPEED] = spec->n_speeds};
    u->build = build;
    u->arena = u->unknowns.arena = &build->start_arena;
    u->graph = dal_graph_create(u->arena);
    dal_graph_share_tables(u->graph, build->graph);
    for (int k = 0; k < DAL_SYMBOL_BODY; k++)
        u->names[k] = DAL_NEW(u->arena, dal_unit_name, counts[k]);
    for (int k = 0; k < 2; k++)
        u->defines[k] = DAL_NEW(u->arena, dal_unit_define, spec->n_define);
    const int tables = dal_graph_tables(u->graph);
    u->table_x = DAL_NEW(u->arena, dal_dimension, tables);
    u->table_y = DAL_NEW(u->arena, dal_dimension, tables);
    for (int i = 0; i < tables; i++) {
        u->table_x[i] = dal_dimension_unknown(&u->unknowns, false);
        u->table_y[i] = dal_dimension_unknown(&u->unknowns, false);
    }
}

void dal_build_units(dal_build *build)
{
    if (dal_messages_count(build->messages, DAL_ERROR))
        return;
    walk *w = DAL_NEW(&build->start_arena, walk, 1);
    begin(w, build);
    check_model_units(w);
    name_further(w, name_written(w));
}
