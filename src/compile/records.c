/* Recorded columns: any expression of channels; its text is the column's name. */
#include "compile/memory.h"
#include "kinematics/subsystems.h"

#include <string.h>

enum { MOST_SHOWN = 30 }; /* bodies of which pages have every channel: more would only make the page large */

typedef struct finder {
    dal_build *build;
    const char *unit;
} finder;

static void find_unit(void *user, int variable)
{
    finder *f = user;
    f->unit = dal_signal_unit(f->build, &f->build->signals[variable]);
}

/* The unit of a plain channel; a composed expression has none that we know. */
static const char *unit_of(dal_build *build, dal_node node)
{
    finder f = {build, ""};
    if (dal_node_op(build->graph, node) == DAL_OP_VAR)
        dal_each_var(build->graph, node, find_unit, &f);
    return f.unit;
}

static void note_reach(void *user, int variable)
{
    dal_build *build = user;
    const dal_signal *s = &build->signals[variable];
    if (s->kind >= DAL_SIGNAL_KINDS_OF_MOTION || s->order > (s->kind == DAL_SIGNAL_OMEGA || s->kind == DAL_SIGNAL_OMEGA_BODY ? 0 : 1))
        build->records_results = true;
}

static void add_column(dal_build *build, const char *name, dal_node node)
{
    dal_column *column = DAL_PUSH(build->arena, build->columns, build->n_columns, build->cap_columns);
    column->name = name;
    column->unit = unit_of(build, node);
    dal_build_expression(build, &build->records, node);
    dal_each_var(build->graph, node, note_reach, build);
}

static const dal_text *name_of(const dal_record_spec *column)
{
    return column->name.text ? &column->name : &column->value;
}

static void record_column(dal_build *build, const dal_record_spec *column)
{
    const char *name = name_of(column)->text;
    dal_value value;
    if (!dal_build_parse(build, DAL_REACH_RECORD, column->binding, column->value, &value))
        return;
    for (int i = 0; i < value.n; i++) {
        add_column(build, value.n == 1 ? name : dal_arena_print(build->arena, "%s.%c", name, 'x' + i), value.node[i]);
        if (column->unit.text)
            build->columns[build->n_columns - 1].unit = column->unit.text;
    }
}

/* Columns need names of their own. */
static bool is_repeated(dal_build *build, int number)
{
    const dal_record_spec *list = build->spec->record;
    const dal_text *name = name_of(&list[number]);
    for (int i = 0; i < number; i++)
        if (!strcmp(name_of(&list[i])->text, name->text)) {
            dal_error(build->messages, name->mark, "'%s' is recorded twice", name->text);
            return true;
        }
    return false;
}

static void record_usual(dal_build *build, const char *format, const char *name)
{
    const dal_text text = {.text = dal_arena_print(build->arena, format, name), .mark = dal_nowhere};
    record_column(build, &(dal_record_spec){.value = text});
}

/* The coordinates of a robot's joints and their rates, under the names that its file gives. */
static void record_joints(dal_build *build)
{
    for (int j = 0; j < build->mechanism.n_joints; j++) {
        const dal_joint *joint = &build->mechanism.joints[j];
        for (int rate = 0; rate < 2 && joint->n_coordinates == 1; rate++) {
            record_usual(build, rate ? "%s'" : "%s", joint->name);
            if (joint->label)
                build->columns[build->n_columns - 1].name = dal_arena_print(build->arena, rate ? "%s'" : "%s", joint->label);
        }
    }
}

static bool has_column(const dal_build *build, const char *name)
{
    for (int i = 0; i < build->n_columns; i++)
        if (!strcmp(build->columns[i].name, name))
            return true;
    return false;
}

/* Room for `more` channels at once: arrays that double leave their smaller copies in the arena. */
static void reserve_columns(dal_build *build, int more)
{
    DAL_RESERVE(build->arena, build->columns, build->n_columns, build->cap_columns, more);
    DAL_RESERVE(build->arena, build->records.node, build->records.n, build->records.capacity, more);
    DAL_RESERVE(build->arena, build->signals, build->n_signals, build->cap_signals, more);
}

/* The motion of the bodies, and what the whole model has; `further`: what is not yet there. */
static void record_motion(dal_build *build, bool bodies, bool further)
{
    static const char *const planar[] = {"%s.x", "%s.y", "%s.angle", "%s.x'", "%s.y'", "%s.angle'"};
    static const char *const spatial[] = {"%s.x",  "%s.y",  "%s.z",  "%s.qw",      "%s.qx",      "%s.qy",     "%s.qz",
                                          "%s.x'", "%s.y'", "%s.z'", "%s.omega.x", "%s.omega.y", "%s.omega.z"};
    static const char *const always[] = {"energy",        "energy.kinetic", "energy.potential", "constraint.position", "constraint.velocity",
                                         "energy.balance"};
    const dal_spec *spec = build->spec;
    const bool flat = spec->space == DAL_PLANAR;
    const size_t n_channels = (flat ? sizeof planar : sizeof spatial) / sizeof *planar;
    if (bodies && !further)
        reserve_columns(build, spec->n_bodies * (int)n_channels + 2 * (int)(sizeof always / sizeof *always));
    for (int b = 0; bodies && b < spec->n_bodies; b++)
        for (size_t k = 0; k < n_channels; k++) {
            const char *format = (flat ? planar : spatial)[k], *name = spec->bodies[b].name.text;
            if (build->mechanism.bodies[b].particle && !strchr("xyz", format[3]))
                continue;
            if (!further || !has_column(build, dal_arena_print(build->arena, format, name)))
                record_usual(build, format, name);
        }
    for (int i = 0; i < spec->n_coordinates && spec->n_systems; i++) {
        static const char *const own[] = {"%s", "%s'"};
        for (size_t k = 0; k < 2; k++)
            if (!further || !has_column(build, dal_arena_print(build->arena, own[k], spec->coordinates[i].name.text)))
                record_usual(build, own[k], spec->coordinates[i].name.text);
    }
    for (size_t k = 0; k < sizeof always / sizeof *always - !further; k++)
        if ((!further || !has_column(build, always[k])) && (strncmp(always[k], "energy", 6) || dal_subsystems_have_energy(build->parts.systems)))
            record_usual(build, "%s", always[k]);
}

static void record_wanted(dal_build *build)
{
    const dal_spec *spec = build->spec;
    record_usual(build, "%s", "t");
    build->columns[0].name = "time";
    if (spec->record_given) {
        for (int i = 0; i < spec->n_record; i++)
            if (!is_repeated(build, i))
                record_column(build, &spec->record[i]);
        return;
    }
    if (spec->plain_names)
        record_joints(build);
    record_motion(build, true, false);
}

static void record_all(dal_build *build)
{
    record_wanted(build);
    if (build->spec->motion)
        record_motion(build, true, true);
    build->n_recorded = build->n_columns;
    if (build->spec->shown)
        record_motion(build, build->spec->n_bodies <= MOST_SHOWN, true);
}

void dal_build_records(dal_build *build)
{
    if (dal_cached_columns(build))
        return;
    const dal_log_place place = dal_log_begin(build);
    record_all(build);
    dal_build_units(build);
    dal_check_view(build);
    dal_remember_columns(build, place);
    dal_log_end(build, place);
}
