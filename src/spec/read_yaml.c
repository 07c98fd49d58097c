/* The sections of a model, in the order in which they depend on one another: the space, all names, the parameters,
 * then everything that may use them. */
#include "spec/blocks.h"
#include "spec/mirror.h"

#include <string.h>

/* ---- the head of the model ------------------------------------------------------ */

static void read_version(dal_reader *reader, const dal_tree *tree, const dal_tree *root)
{
    dal_text text = {0};
    if (!tree)
        dal_complain(reader->messages, root->mark, "the model does not say its version: write 'dalembert: 1' on its first line");
    else if (reader->key = "dalembert", dal_read_scalar(reader, tree, &text) && strcmp(text.text, "1"))
        dal_complain(reader->messages, text.mark, "version '%.80s' of the language is not known: this program reads 'dalembert: 1'", text.text);
}

static void read_space(dal_reader *reader, const dal_tree *tree, const dal_tree *root)
{
    static const char *const words[] = {"planar", "spatial", NULL};
    dal_text text = {0};
    char hint[96];
    reader->key = "space";
    if (!tree)
        dal_complain(reader->messages, root->mark, "the model does not say its space: write 'space: planar' or 'space: spatial'");
    if (!tree || !dal_read_scalar(reader, tree, &text))
        return;
    reader->spec->space_mark = text.mark;
    if (!strcmp(text.text, "planar"))
        reader->spec->space = DAL_PLANAR;
    else if (!strcmp(text.text, "spatial"))
        reader->spec->space = DAL_SPATIAL;
    else
        dal_complain(reader->messages, text.mark, "'space' needs planar or spatial; '%.80s' was found%s", text.text,
                     dal_did_you_mean(text.text, words, hint));
}

/* ---- names ------------------------------------------------------------------------ */

static void add_names(dal_reader *reader, const char *key, const dal_tree **tree, const char *section, const char *such_as)
{
    int index = 0;
    reader->key = key;
    if (*tree && !dal_needs_map(reader, *tree, such_as))
        *tree = NULL;
    for (const dal_tree *child = *tree ? (*tree)->first : NULL; child; child = child->next)
        dal_names_add(reader, child->key, section, index++, child->key_mark);
}

static void add_all_names(dal_reader *reader, dal_model_trees *model)
{
    add_names(reader, "parameters", &model->parameters, "parameter", "{r: 4, l: 10}");
    add_names(reader, "define", &model->define, "definition", "{ramp: 5*t}");
    add_names(reader, "inputs", &model->inputs, "input", "{F: 0}");
    add_names(reader, "bodies", &model->bodies, "body", "{crank: {mass: 2}}");
    add_names(reader, "joints", &model->joints, "joint", "{A: {type: revolute, connect: [ground, crank]}}");
    add_names(reader, "forces", &model->forces, "force", "{motor: {type: torque, joint: A, value: 5}}");
    add_names(reader, "coordinates", &model->coordinates, "coordinate", "{th: {start: 0, rate: 1}}");
    add_names(reader, "constraints", &model->constraints, "constraint", "{wheel: {velocity: x' - r*th'}}");
    add_names(reader, "systems", &model->systems, "system", "{coil: {coordinates: [i], mass: [[2]], force: [\"-i'\"]}}");
    add_names(reader, "speeds", &model->speeds, "speed", "{u: x' - r*th'}");
    add_names(reader, "tables", &model->tables, "table", "{lift: {x: [0, 1], y: [0, 1]}}");
    add_names(reader, "states", &model->states, "state", "{e: {start: 0, rate: 1}}");
    add_names(reader, "blocks", &model->blocks, "block", "{c: {type: lag, input: ref, time: 0.1}}");
    add_names(reader, "sensors", &model->sensors, "sensor", "{s: {type: angle, joint: A}}");
    add_names(reader, "models", &model->models, "model", "{left: {file: leg.yaml}}");
}

/* ---- name: expression --------------------------------------------------------------- */

static bool is_repeated(const dal_tree *tree)
{
    const dal_tree *key = tree->kind == DAL_MAP ? tree->first : NULL;
    while (key && strcmp(key->key, "repeat"))
        key = key->next;
    return key;
}

/* One of repeated definitions, s.1, s.2, ... */
static void make_definition(dal_reader *reader, const dal_tree *tree, const char *name)
{
    dal_spec *spec = reader->spec;
    dal_pair *pair = DAL_PUSH(reader->keep, spec->define, spec->n_define, reader->room_define);
    *pair = (dal_pair){.name = {.text = name, .mark = tree->key_mark}, .binding = reader->binding};
    dal_read_keys(reader, dal_keys_definition, tree, pair, dal_what(reader, "definition", tree->key));
}

static void read_definitions(dal_reader *reader, const dal_tree *tree)
{
    dal_spec *spec = reader->spec;
    for (const dal_tree *child = tree ? tree->first : NULL; child; child = child->next) {
        reader->what = "'define'";
        reader->key = child->key;
        if (is_repeated(child)) {
            dal_repeat(reader, child, "definition", make_definition);
            continue;
        }
        dal_pair *pair = DAL_PUSH(reader->keep, spec->define, spec->n_define, reader->room_define);
        *pair = (dal_pair){.name = {.text = child->key, .mark = child->key_mark}, .binding = reader->binding};
        dal_read_expression(reader, child, &pair->value);
    }
    reader->what = NULL;
}

static dal_pair *read_pairs(dal_reader *reader, const dal_tree *tree, const char *section, int *n)
{
    if (!tree)
        return NULL;
    dal_pair *pairs = DAL_NEW(reader->keep, dal_pair, tree->n);
    reader->what = section;
    for (const dal_tree *child = tree->first; child; child = child->next) {
        dal_pair *pair = &pairs[(*n)++];
        pair->name = (dal_text){.text = child->key, .mark = child->key_mark};
        pair->binding = reader->binding;
        reader->key = child->key;
        dal_read_expression(reader, child, &pair->value);
    }
    reader->what = NULL;
    return pairs;
}

/* ---- elements ------------------------------------------------------------------------ */

static dal_text element_name(const dal_tree *tree, const char *name)
{
    return (dal_text){.text = name, .mark = tree->key_mark};
}

static void make_body(dal_reader *reader, const dal_tree *tree, const char *name)
{
    dal_spec *spec = reader->spec;
    if ((size_t)spec->n_bodies == reader->room_bodies)
        DAL_RESERVE(reader->keep, spec->bodies, spec->n_bodies, reader->room_bodies, reader->coming);
    dal_body_spec *body = DAL_PUSH(reader->keep, spec->bodies, spec->n_bodies, reader->room_bodies);
    dal_body_trees part = {.spec = {.name = element_name(tree, name), .binding = reader->binding}};
    dal_read_keys(reader, dal_keys_body, tree, &part, reader->what);
    if (part.mirror || part.of)
        dal_mirror_body(reader, part.mirror, part.of, &part.spec);
    if (part.drive)
        dal_drive_pose(reader, part.drive, &part.spec);
    *body = part.spec;
    if (body->between.n && (body->position.n || body->angle.text || body->orientation.kind))
        dal_complain(reader->messages, body->between.mark, "%s has both 'between' and %s: 'between' places and turns the body", reader->what,
                     body->position.n   ? "'position'"
                     : body->angle.text ? "'angle'"
                                        : "'orientation'");
}

static void make_joint(dal_reader *reader, const dal_tree *tree, const char *name)
{
    dal_spec *spec = reader->spec;
    if ((size_t)spec->n_joints == reader->room_joints)
        DAL_RESERVE(reader->keep, spec->joints, spec->n_joints, reader->room_joints, reader->coming);
    dal_joint_spec *joint = DAL_PUSH(reader->keep, spec->joints, spec->n_joints, reader->room_joints);
    dal_joint_trees part = {.spec = {.name = element_name(tree, name), .binding = reader->binding}};
    dal_read_keys(reader, dal_keys_joint, tree, &part, reader->what);
    *joint = part.spec;
    if (part.armature)
        dal_add_armature(reader, part.armature);
}

static void make_force(dal_reader *reader, const dal_tree *tree, const char *name)
{
    dal_spec *spec = reader->spec;
    if ((size_t)spec->n_forces == reader->room_forces)
        DAL_RESERVE(reader->keep, spec->forces, spec->n_forces, reader->room_forces, reader->coming);
    dal_force_spec *force = DAL_PUSH(reader->keep, spec->forces, spec->n_forces, reader->room_forces);
    *force = (dal_force_spec){.name = element_name(tree, name), .binding = reader->binding};
    dal_read_keys(reader, dal_keys_force, tree, force, reader->what);
}

static void read_elements(dal_reader *reader, const dal_tree *tree, const char *section, const char *sections, const char *such_as,
                          dal_make_element *make)
{
    for (const dal_tree *child = tree ? tree->first : NULL; child; child = child->next) {
        reader->what = sections;
        reader->key = child->key;
        if (dal_needs_map(reader, child, such_as))
            dal_repeat(reader, child, section, make);
    }
    reader->what = NULL;
}

/* One element of a section, zero so far. */
typedef void read_element(dal_reader *reader, const dal_tree *tree, void *element);

/* The elements of a section, of `size` bytes each. */
static void *read_section(dal_reader *reader, const dal_tree *tree, size_t size, int *n, read_element *read)
{
    char *list = dal_arena_alloc(reader->keep, size * (size_t)(tree ? tree->n : 0));
    for (const dal_tree *child = tree ? tree->first : NULL; child; child = child->next) {
        reader->key = child->key;
        read(reader, child, list + size * (size_t)(*n)++);
    }
    reader->what = NULL;
    return list;
}

static void read_table(dal_reader *reader, const dal_tree *tree, void *element)
{
    dal_table_spec *table = element;
    table->name = element_name(tree, tree->key);
    dal_read_table(reader, tree, table);
}

/* name: {keys} */
static void read_named_map(dal_reader *reader, const dal_tree *tree, const char *section, const char *example, const char *noun, const dal_key *keys,
                           void *element)
{
    reader->what = section;
    if (dal_needs_map(reader, tree, example))
        dal_read_keys(reader, keys, tree, element, dal_what(reader, noun, tree->key));
}

/* name: expression, or name: {keys} */
static void read_value(dal_reader *reader, const dal_tree *tree, const char *section, const char *noun, const dal_key *keys, void *element,
                       dal_text *value)
{
    reader->what = section;
    if (tree->kind == DAL_MAP && !tree->bad)
        dal_read_keys(reader, keys, tree, element, dal_what(reader, noun, tree->key));
    else
        dal_read_expression(reader, tree, value);
}

static void read_state(dal_reader *reader, const dal_tree *tree, void *element)
{
    dal_state_spec *state = element;
    state->name = element_name(tree, tree->key);
    state->binding = reader->binding;
    read_named_map(reader, tree, "'states'", "{start: 0, rate: 1}", "state", dal_keys_state, state);
}

/* A plain value: a program sets the input. */
static void read_input(dal_reader *reader, const dal_tree *tree, void *element)
{
    dal_pair *input = element;
    input->name = element_name(tree, tree->key);
    input->binding = reader->binding;
    reader->key = tree->key;
    read_value(reader, tree, "'inputs'", "input", dal_keys_input, input, &input->value);
}

/* A plain value is the start value. */
static void read_coordinate(dal_reader *reader, const dal_tree *tree, void *element)
{
    dal_coordinate_trees part = {.spec = {.name = element_name(tree, tree->key), .binding = reader->binding}};
    dal_coordinate_spec *coordinate = element;
    read_value(reader, tree, "'coordinates'", "coordinate", dal_keys_coordinate, &part, &part.spec.start);
    *coordinate = part.spec;
    coordinate->start.fix |= part.fix && coordinate->start.text;
    coordinate->rate.fix |= part.fix && coordinate->rate.text;
}

static void make_constraint(dal_reader *reader, const dal_tree *tree, const char *name)
{
    dal_spec *spec = reader->spec;
    dal_constraint_spec *constraint = DAL_PUSH(reader->keep, spec->constraints, spec->n_constraints, reader->room_constraints);
    *constraint = (dal_constraint_spec){.name = element_name(tree, name), .binding = reader->binding};
    const char *what = dal_what(reader, "constraint", tree->key);
    dal_read_keys(reader, dal_keys_constraint, tree, constraint, what);
    const bool given = tree->n > (is_repeated(tree) ? 1 : 0);
    if (!given || (constraint->position.text && constraint->velocity.text))
        dal_complain(reader->messages, tree->key_mark, "%s needs either 'position' or 'velocity'; %s given", what,
                     given ? "both are" : "none is"); /* an error about an unreadable one was reported */
}

static void read_system(dal_reader *reader, const dal_tree *tree, void *element)
{
    dal_subsystem_spec *system = element;
    system->name = element_name(tree, tree->key);
    system->binding = reader->binding;
    read_named_map(reader, tree, "'systems'", "{coordinates: [i], mass: [[2]], force: [\"-i'\"]}", "system", dal_keys_system, system);
}

/* It comes after the systems, and is one of them. */
static void read_lagrangian(dal_reader *reader, const dal_tree *tree)
{
    dal_spec *spec = reader->spec;
    if (!tree)
        return;
    dal_subsystem_spec *all = DAL_NEW(reader->keep, dal_subsystem_spec, spec->n_systems + 1), *own = &all[spec->n_systems];
    if (spec->n_systems)
        memcpy(all, spec->systems, sizeof *all * (size_t)spec->n_systems);
    spec->systems = all;
    spec->n_systems++;
    *own = (dal_subsystem_spec){.name = element_name(tree, "lagrangian"), .binding = reader->binding};
    reader->key = "lagrangian";
    if (!dal_needs_map(reader, tree, "{L: \"m*l^2*th'^2/2 + m*g*l*cos(th)\"}"))
        return;
    const int errors = dal_messages_count(reader->messages, DAL_ERROR);
    dal_read_keys(reader, dal_keys_lagrangian, tree, own, "'lagrangian'");
    if (dal_messages_count(reader->messages, DAL_ERROR) > errors)
        return;
    if (!own->L.text && !own->T.text)
        dal_complain(reader->messages, tree->key_mark, "'lagrangian' needs 'L', or 'T' and 'V'");
    else if (own->L.text && (own->T.text || own->V.text))
        dal_complain(reader->messages, tree->key_mark, "'lagrangian' has both 'L' and '%s': L is T - V", own->T.text ? "T" : "V");
}

/* Their names are used after `type:` only, and may be equal to those of other elements. */
static void check_type_name(dal_reader *reader, const dal_tree *tree)
{
    char *plain = dal_arena_copy(reader->scratch, tree->key, strlen(tree->key));
    for (char *c = plain; (c = strchr(c, '-'));)
        *c = '_'; /* as in those of the language */
    const char *fault = dal_word_fault(reader->scratch, plain);
    if (fault)
        dal_complain(reader->messages, tree->key_mark, "'%.100s' cannot be the name of this joint type: %s", tree->key, fault);
}

static void read_joint_type(dal_reader *reader, const dal_tree *tree, void *element)
{
    dal_joint_type_spec *type = element;
    type->name = element_name(tree, tree->key);
    type->binding = reader->binding;
    check_type_name(reader, tree);
    reader->what = "'joint-types'";
    if (!dal_needs_map(reader, tree, "{equations: [\"dot(N - M, yi)\"]}"))
        return;
    const char *what = dal_what(reader, "joint type", tree->key);
    const int errors = dal_messages_count(reader->messages, DAL_ERROR);
    dal_read_keys(reader, dal_keys_joint_type, tree, type, what);
    if (!type->equations.n && !type->velocity.n && dal_messages_count(reader->messages, DAL_ERROR) == errors)
        dal_complain(reader->messages, tree->key_mark, "%s needs 'equations' or 'velocity'", what);
}

static void read_joint_types(dal_reader *reader, const dal_tree *tree)
{
    dal_spec *spec = reader->spec;
    reader->key = "joint-types";
    if (!tree || dal_needs_map(reader, tree, "{slot: {equations: [\"dot(N - M, yi)\"]}}"))
        spec->joint_types = read_section(reader, tree, sizeof *spec->joint_types, &spec->n_joint_types, read_joint_type);
}

/* ---- the rest ---------------------------------------------------------------------------- */

/* name: expression, or name: {value: , unit: } */
static void read_column(dal_reader *reader, const dal_tree *tree, void *element)
{
    dal_record_spec *column = element;
    column->name = element_name(tree, tree->key);
    column->binding = reader->binding;
    reader->key = tree->key;
    read_value(reader, tree, "'record'", "column", dal_keys_record, column, &column->value);
}

/* The text of a column is its name, and must be on one line. */
static dal_text on_one_line(dal_reader *reader, dal_text text)
{
    if (!strpbrk(text.text, "\r\n"))
        return text;
    char *copy = dal_arena_copy(reader->keep, text.text, strlen(text.text)), *out = copy;
    for (const char *c = copy; *c; c++) {
        const size_t blanks = strspn(c, " \t\r\n");
        if (!blanks || !memchr(c, '\n', blanks)) {
            *out++ = *c;
            continue;
        }
        *out++ = ' ';
        c += blanks - 1;
    }
    *out = '\0';
    text.text = copy;
    return text;
}

/* Repeated columns: a column has no loop variables, but braces in its text are replaced. */
static void make_columns(dal_reader *reader, const dal_tree *tree, const char *name)
{
    (void)name;
    dal_pair column = {0};
    dal_read_keys(reader, dal_keys_definition, tree, &column, "'record'");
    if (column.value.text)
        column.value = on_one_line(reader, column.value);
    const char *text = column.value.text ? dal_expand_name(reader, &column.value) : NULL;
    if (text)
        *DAL_PUSH(reader->keep, reader->spec->record, reader->spec->n_record, reader->room_record) =
            (dal_record_spec){.value = {text, column.value.mark, false}};
}

static void read_columns(dal_reader *reader, const dal_tree *list)
{
    for (const dal_tree *child = list->first; child; child = child->next) {
        dal_text text = {0};
        reader->what = NULL;
        reader->key = "record";
        if (is_repeated(child))
            dal_repeat(reader, child, "record", make_columns);
        else if (dal_read_expression(reader, child, &text))
            *DAL_PUSH(reader->keep, reader->spec->record, reader->spec->n_record, reader->room_record) =
                (dal_record_spec){.value = on_one_line(reader, text)};
    }
    reader->what = NULL;
}

static void read_record(dal_reader *reader, const dal_tree *tree)
{
    dal_list list = {0};
    reader->key = "record";
    if (!tree)
        return;
    reader->spec->record_given = true;
    if (tree->kind == DAL_SEQUENCE && !tree->n && !tree->bad)
        return;
    if (tree->kind == DAL_MAP && !tree->bad) {
        reader->spec->record = read_section(reader, tree, sizeof *reader->spec->record, &reader->spec->n_record, read_column);
        return;
    }
    if (tree->kind == DAL_SEQUENCE && !tree->bad) {
        read_columns(reader, tree);
        return;
    }
    dal_read_list(reader, tree, 0, &list); /* complains */
}

static void read_map(dal_reader *reader, const char *key, const char *what, const dal_tree *tree, const char *such_as, const dal_key *keys,
                     void *element)
{
    reader->key = key;
    if (tree && dal_needs_map(reader, tree, such_as))
        dal_read_keys(reader, keys, tree, element, what);
}

static void read_sections(dal_reader *reader, const dal_model_trees *model)
{
    dal_spec *spec = reader->spec;
    reader->own_coordinates = model->coordinates && model->coordinates->n;
    reader->key = "name";
    if (model->name)
        dal_read_scalar(reader, model->name, &spec->name);
    reader->key = "gravity";
    if (model->gravity)
        dal_read_vector(reader, model->gravity, &spec->gravity);
    read_definitions(reader, model->define);
    spec->inputs = read_section(reader, model->inputs, sizeof *spec->inputs, &spec->n_inputs, read_input);
    read_map(reader, "ground", "the ground", model->ground, "{points: {A: [...]}}", dal_keys_ground, spec);
    read_elements(reader, model->bodies, "body", "'bodies'", "{mass: 1}", make_body);
    read_joint_types(reader, model->joint_types);
    read_elements(reader, model->joints, "joint", "'joints'", "{type: revolute, connect: [ground, crank]}", make_joint);
    read_elements(reader, model->forces, "force", "'forces'", "{type: torque, joint: A, value: 5}", make_force);
    spec->coordinates = read_section(reader, model->coordinates, sizeof *spec->coordinates, &spec->n_coordinates, read_coordinate);
    read_elements(reader, model->constraints, "constraint", "'constraints'", "{velocity: x' - r*th'}", make_constraint);
    if (reader->n_made) { /* behind those of the model */
        dal_constraint_spec *all = DAL_NEW(reader->keep, dal_constraint_spec, spec->n_constraints + reader->n_made);
        if (spec->n_constraints)
            memcpy(all, spec->constraints, sizeof *all * (size_t)spec->n_constraints);
        memcpy(all + spec->n_constraints, reader->made, sizeof *all * (size_t)reader->n_made);
        spec->constraints = all;
        spec->n_constraints += reader->n_made;
    }
    spec->systems = read_section(reader, model->systems, sizeof *spec->systems, &spec->n_systems, read_system);
    read_lagrangian(reader, model->lagrangian);
    spec->speeds = read_pairs(reader, model->speeds, "'speeds'", &spec->n_speeds);
    spec->tables = read_section(reader, model->tables, sizeof *spec->tables, &spec->n_tables, read_table);
    spec->states = read_section(reader, model->states, sizeof *spec->states, &spec->n_states, read_state);
    read_elements(reader, model->blocks, "block", "'blocks'", "{type: lag, input: ref, time: 0.1}", dal_make_block);
    read_elements(reader, model->sensors, "sensor", "'sensors'", "{type: angle, joint: A}", dal_make_sensor);
    read_map(reader, "simulate", "'simulate'", model->simulate, "{until: 5, step: 1e-3}", dal_keys_simulate, &spec->simulate);
    read_record(reader, model->record);
    read_map(reader, "view", "'view'", model->view, "{traces: [rod.P]}", dal_keys_view, &spec->view);
    dal_read_models(reader, model->models);
    dal_drive_by_legs(reader);
    read_elements(reader, model->blocks, "block", "'blocks'", "{type: lag, input: ref, time: 0.1}", dal_make_late_block);
}

void dal_read_model(dal_reader *reader, const dal_tree *root)
{
    dal_spec *spec = reader->spec;
    dal_model_trees model = {0};
    reader->key = "dalembert";
    if (root->kind == DAL_SEQUENCE)
        dal_complain(reader->messages, root->mark, "a model consists of named entries, beginning with 'dalembert: 1'; a list was found");
    if (root->kind == DAL_SEQUENCE || !dal_needs_map(reader, root, "dalembert: 1"))
        return;
    dal_read_keys(reader, dal_keys_model, root, &model, NULL);
    read_version(reader, model.version, root);
    read_space(reader, model.space, root);
    add_all_names(reader, &model);
    spec->parameters = read_pairs(reader, model.parameters, "'parameters'", &spec->n_parameters);
    dal_read_parameters(reader);
    read_sections(reader, &model);
    if (!(reader->source && reader->source->depth) && !dal_messages_count(reader->messages, DAL_ERROR))
        dal_read_settings(reader);
}
