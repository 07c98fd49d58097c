/* Does a spec, perhaps made by hand, have the same form as one that was read?
 *
 * The tables of schema.c have the type and the field of each key. An element is checked key by key, as it is read key by key. Messages about errors
 * of the language use its words; messages about errors that only C code can make (a count without items, an item without a text) use the names of the
 * C structs. */
#include "spec/sound.h"
#include "base/message.h"
#include "base/printer.h"
#include "math/rotation.h"
#include "spec/schema.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { MOST = 10000000 }; /* entries of one list: a file cannot have more */

typedef struct inspector {
    const dal_spec *spec;
    dal_messages *messages;
    const char *section; /* "joint" */
    const char *name;    /* of the element; NULL: the model itself */
    dal_mark mark;       /* of the element */
    bool sound;
} inspector;

static const char *space_word(const inspector *s)
{
    return s->spec->space == DAL_PLANAR ? "planar" : "spatial";
}

/* "joint 'pivot': " before the sentence. */
static void refuse_element(inspector *s, dal_mark mark, const char *format, ...) DAL_PRINTF(3, 4);
static void refuse_element(inspector *s, dal_mark mark, const char *format, ...)
{
    char text[400];
    DAL_FORMAT(text, format);
    s->sound = false;
    mark = mark.line > 0 ? mark : s->mark;
    if (s->name)
        dal_error(s->messages, mark, "%s '%.100s': %s", s->section, s->name, text);
    else
        dal_error(s->messages, mark, "%s: %s", s->section, text);
}

/* An array of a public struct: the count is possible, and there are items if it is not 0. */
static bool is_array(inspector *s, const char *key, int n, const void *items)
{
    if (n < 0 || n > MOST)
        refuse_element(s, dal_nowhere, "'%s' has a count of %d; 0 to %d are possible", key, n, MOST);
    else if (n > 0 && !items)
        refuse_element(s, dal_nowhere, "'%s' has a count of %d and no items (NULL)", key, n);
    else
        return true;
    return false;
}

static bool is_text(inspector *s, const char *key, int number, const dal_text *text)
{
    if (text->text)
        return true;
    refuse_element(s, text->mark, "entry %d of '%s' has no text (NULL)", number + 1, key);
    return false;
}

/* ---- lists --------------------------------------------------------------------------------------- */

/* `least` to `most` texts, or none at all. */
static bool is_list(inspector *s, const char *key, const char *words, const dal_list *list, int least, int most)
{
    if (!is_array(s, key, list->n, list->item))
        return false;
    if (list->n && (list->n < least || list->n > most)) {
        refuse_element(s, list->mark, "'%s' needs %s; %d given", key, words, list->n);
        return false;
    }
    bool whole = true;
    for (int i = 0; i < list->n; i++)
        whole = is_text(s, key, i, &list->item[i]) && whole;
    return whole;
}

static bool is_vector(inspector *s, const char *key, const dal_list *list)
{
    const int n = (int)s->spec->space;
    return is_list(s, key, n == 2 ? "a vector of 2 numbers in a planar model" : "a vector of 3 numbers in a spatial model", list, n, n);
}

/* One expression, or `n`. */
static void inspect_one_or(inspector *s, const char *key, const char *words, const dal_list *list, int n)
{
    if (is_list(s, key, words, list, 1, n) && list->n > 1 && list->n < n)
        refuse_element(s, list->mark, "'%s' needs 1 or %d numbers in a %s model; %d given", key, n, space_word(s), list->n);
}

static void inspect_inertia(inspector *s, const char *key, const dal_list *list)
{
    const bool planar = s->spec->space == DAL_PLANAR;
    if (!is_list(s, key, planar ? "one number in a planar model" : "3 or 6 numbers in a spatial model", list, planar ? 1 : 3, planar ? 1 : 6))
        return;
    if (list->n == 4 || list->n == 5)
        refuse_element(s, list->mark, "'%s' needs 3 or 6 numbers in a spatial model; %d given", key, list->n);
}

/* ---- attitudes ------------------------------------------------------------------------------------- */

/* Directions x, y, z: one if the placement determines a second one, otherwise two different ones. */
static void inspect_axes(inspector *s, const char *key, const dal_orientation *o, bool one)
{
    const bool first = o->letters[0] && strchr("xyz", o->letters[0]);
    const bool second = o->letters[1] && strchr("xyz", o->letters[1]) && o->letters[1] != o->letters[0];
    if (!first || (o->letters[1] ? !second : !one) || (o->letters[1] && s->spec->space == DAL_PLANAR))
        refuse_element(s, o->mark, "'%s' names its directions by letters of x, y, z: %s", key,
                       s->spec->space == DAL_PLANAR ? "one in a planar model"
                       : one                        ? "one, or two different ones"
                                                    : "two different ones");
    else if (is_vector(s, key, &o->first) && is_vector(s, key, &o->second) && (!o->first.n || !o->second.n != !o->letters[1]))
        refuse_element(s, o->mark, "'%s' needs a vector for each of its letters", key);
}

static void inspect_orientation(inspector *s, const char *key, const dal_orientation *o, bool one)
{
    int axes[3];
    const bool two = o->kind == DAL_ATTITUDE_AXIS || o->kind == DAL_ATTITUDE_AXES;
    if ((o->kind == DAL_ATTITUDE_NONE && o->first.n) || (!two && o->second.n)) {
        refuse_element(s, o->mark, "'%s' has numbers that an attitude of kind %d does not use", key, (int)o->kind);
        return;
    }
    switch (o->kind) {
    case DAL_ATTITUDE_NONE: return;
    case DAL_ATTITUDE_QUATERNION:
        if (is_list(s, key, "4 numbers: w, x, y, z", &o->first, 4, 4) && !o->first.n)
            refuse_element(s, o->mark, "'%s' is a quaternion without numbers", key);
        return;
    case DAL_ATTITUDE_AXIS:
        if (is_list(s, key, "an axis of 3 numbers", &o->first, 3, 3) && is_list(s, key, "one angle", &o->second, 1, 1) &&
            (!o->first.n || !o->second.n))
            refuse_element(s, o->mark, "'%s' needs an axis and an angle", key);
        return;
    case DAL_ATTITUDE_EULER:
    case DAL_ATTITUDE_RPY:
        if (is_list(s, key, "three angles", &o->first, 3, 3) && !o->first.n)
            refuse_element(s, o->mark, "'%s' needs three angles", key);
        else if (o->kind == DAL_ATTITUDE_EULER && !dal_euler_axes(o->letters, axes))
            refuse_element(s, o->mark, "'%s' needs a sequence of three letters of x, y, z, neighbours different, as zyx or zxz", key);
        return;
    case DAL_ATTITUDE_AXES: inspect_axes(s, key, o, one); return;
    }
    refuse_element(s, o->mark, "'%s' has the kind %d, which no attitude has", key, (int)o->kind);
}

/* ---- names, pairs, bindings ------------------------------------------------------------------------- */

static bool is_name(inspector *s, const char *key, int number, const dal_text *name)
{
    if (name->text && *name->text)
        return true;
    refuse_element(s, name->mark, "number %d of '%s' has no name", number + 1, key);
    return false;
}

static void inspect_binding(inspector *s, const dal_binding *binding)
{
    for (int depth = 0; binding; binding = binding->outer, depth++)
        if (!binding->name || depth > 1000) {
            refuse_element(s, dal_nowhere, depth > 1000 ? "its bindings have no end" : "a binding has no name (NULL)");
            return;
        }
}

static void inspect_pairs(inspector *s, const char *key, int n, const dal_pair *pairs)
{
    if (!is_array(s, key, n, pairs))
        return;
    for (int i = 0; i < n; i++) {
        if (is_name(s, key, i, &pairs[i].name) && !pairs[i].value.text)
            refuse_element(s, pairs[i].name.mark, "'%.100s' of '%s' has no value (NULL)", pairs[i].name.text, key);
        inspect_binding(s, pairs[i].binding);
    }
}

static void inspect_choice(inspector *s, const char *key, const dal_choice *choice)
{
    inspect_pairs(s, key, choice->n, choice->option);
    if (!choice->name.text && (choice->n > 0 || choice->value.text))
        refuse_element(s, choice->value.mark, "'%s' has options and no word", key);
}

/* ---- points and shapes -------------------------------------------------------------------------------- */

static void inspect_points(inspector *s, const char *key, const dal_points *points)
{
    if (!is_array(s, key, points->n, points->item))
        return;
    for (int i = 0; i < points->n; i++) {
        const dal_point_spec *point = &points->item[i];
        if (!is_name(s, key, i, &point->name))
            continue;
        if (is_vector(s, point->name.text, &point->at) && !point->at.n)
            refuse_element(s, point->name.mark, "point '%.100s' has no place", point->name.text);
        if (point->axes.kind != DAL_ATTITUDE_NONE && point->axes.kind != DAL_ATTITUDE_AXES)
            refuse_element(s, point->axes.mark, "the axes of point '%.100s' are of kind %d; only directions (DAL_ATTITUDE_AXES) are possible",
                           point->name.text, (int)point->axes.kind);
        else
            inspect_orientation(s, point->name.text, &point->axes, true);
        inspect_binding(s, point->binding);
    }
}

static void inspect_element(inspector *s, const dal_key *keys, const void *element);

static void inspect_figure(inspector *s, const dal_figure_spec *figure)
{
    inspect_element(s, dal_keys_shape, figure);
    if (!is_array(s, "points", figure->n_points, figure->points))
        return;
    if (figure->n_points && figure->points_mark.line <= 0)
        refuse_element(s, figure->mark, "a shape has %d points, but 'points_mark' has line 0, which means that none are given", figure->n_points);
    for (int i = 0; i < figure->n_points; i++)
        if (is_list(s, "points", "2 or 3 numbers", &figure->points[i], 2, 3) && !figure->points[i].n)
            refuse_element(s, figure->points_mark, "point %d of a shape has no numbers", i + 1);
    if (figure->type.text && !strcmp(figure->type.text, "mesh") && figure->file.text && !figure->path)
        refuse_element(s, figure->file.mark, "a mesh has a file, and no path to it (NULL)");
}

static void inspect_figures(inspector *s, const char *key, const dal_figures *figures)
{
    if (is_array(s, key, figures->n, figures->item))
        for (int i = 0; i < figures->n; i++)
            inspect_figure(s, &figures->item[i]);
}

/* ---- an element, key by key ------------------------------------------------------------------------------ */

/* Texts in a group that is marked as not given would be ignored. */
static void inspect_group(inspector *s, const char *key, const dal_key *keys, const void *group, dal_mark mark)
{
    bool any = false;
    for (const dal_key *entry = keys; entry->doc.key; entry++)
        any = any || (entry->shape == DAL_SHAPE_EXPRESSION && ((const dal_text *)(const void *)((const char *)group + entry->offset))->text);
    if (any && mark.line <= 0)
        refuse_element(s, mark, "'%s' has values, but its mark has line 0, which means that it is not given", key);
}

static bool is_given(const dal_key *key, const void *field)
{
    switch (key->shape) {
    case DAL_SHAPE_TITLE:
    case DAL_SHAPE_WORD:
    case DAL_SHAPE_NAME:
    case DAL_SHAPE_EXPRESSION:
    case DAL_SHAPE_START:
    case DAL_SHAPE_ONE_OF: return ((const dal_text *)field)->text;
    case DAL_SHAPE_ORIENTATION: return ((const dal_orientation *)field)->kind != DAL_ATTITUDE_NONE;
    case DAL_SHAPE_VELOCITY:
    case DAL_SHAPE_VECTOR:
    case DAL_SHAPE_START_VECTOR: return ((const dal_list *)field)->n != 0;
    default: return true;
    }
}

static void inspect_matrix(inspector *s, const char *key, const dal_matrix *matrix)
{
    if (!is_array(s, key, matrix->n, matrix->row))
        return;
    for (int i = 0; i < matrix->n; i++)
        if (is_list(s, key, "as many numbers in each row as there are rows", &matrix->row[i], matrix->n, matrix->n) && !matrix->row[i].n)
            refuse_element(s, matrix->mark, "row %d of '%s' has no numbers", i + 1, key);
}

static void inspect_groups(inspector *s, const char *key, const char *words, const dal_matrix *groups)
{
    if (!is_array(s, key, groups->n, groups->row))
        return;
    for (int i = 0; i < groups->n; i++)
        if (is_list(s, key, words, &groups->row[i], 1, MOST) && !groups->row[i].n)
            refuse_element(s, groups->mark, "list %d of '%s' is empty", i + 1, key);
}

static void inspect_field(inspector *s, const dal_key *key, const void *field)
{
    const char *name = key->doc.key, *words = key->doc.shape;
    const int space = (int)s->spec->space;
    switch (key->shape) {
    case DAL_SHAPE_NAMES:
    case DAL_SHAPE_EXPRESSIONS: is_list(s, name, words, field, 1, MOST); break;
    case DAL_SHAPE_TWO_NAMES: is_list(s, name, words, field, 2, 2); break;
    case DAL_SHAPE_CONNECT: is_list(s, name, words, field, 2, 4); break;
    case DAL_SHAPE_VECTOR:
    case DAL_SHAPE_START_VECTOR:
    case DAL_SHAPE_VELOCITY: is_vector(s, name, field); break;
    case DAL_SHAPE_MATRIX: inspect_matrix(s, name, field); break;
    case DAL_SHAPE_GROUPS: inspect_groups(s, name, words, field); break;
    case DAL_SHAPE_FORCE: inspect_one_or(s, name, words, field, space); break;
    case DAL_SHAPE_RATES: inspect_one_or(s, name, words, field, space == 2 ? 3 : 6); break;
    case DAL_SHAPE_INERTIA: inspect_inertia(s, name, field); break;
    case DAL_SHAPE_AXIS:
        if (is_vector(s, name, field) && is_vector(s, name, (const dal_list *)field + 1) && ((const dal_list *)field)[1].n &&
            !((const dal_list *)field)[0].n)
            refuse_element(s, ((const dal_list *)field)[1].mark, "'%s' has a second vector and no first one", name);
        break;
    case DAL_SHAPE_ORIENTATION: inspect_orientation(s, name, field, false); break;
    case DAL_SHAPE_POINTS: inspect_points(s, name, field); break;
    case DAL_SHAPE_FIGURES: inspect_figures(s, name, field); break;
    case DAL_SHAPE_LAW:
    case DAL_SHAPE_VALUES: inspect_pairs(s, name, ((const dal_law_spec *)field)->n, ((const dal_law_spec *)field)->item); break;
    case DAL_SHAPE_CHOICE: inspect_choice(s, name, field); break;
    case DAL_SHAPE_UNDETERMINED:
        if (((const dal_undetermined_spec *)field)->eta.n)
            is_list(s, name, words, &((const dal_undetermined_spec *)field)->eta, 1, MOST);
        break;
    case DAL_SHAPE_JOINT_START: inspect_group(s, name, dal_keys_start, field, ((const dal_start_spec *)field)->mark); break;
    case DAL_SHAPE_FRICTION: inspect_group(s, name, dal_keys_friction, field, ((const dal_friction_spec *)field)->mark); break;
    default: break;
    }
}

/* Is the word one of those in a list with blanks between them? */
static bool is_listed(const char *words, const char *word)
{
    const size_t n = strlen(word);
    for (; words && *words; words += strcspn(words, " "), words += *words == ' ')
        if (strcspn(words, " ") == n && !strncmp(words, word, n))
            return true;
    return false;
}

/* Is one of the keys given that replace a required one? Keys of shape TREE are known to the reader only. */
static bool is_replaced(const dal_key *keys, const dal_key *required, const void *element)
{
    for (const dal_key *key = keys; key->doc.key; key++)
        if (key->shape != DAL_SHAPE_TREE && is_listed(required->instead, key->doc.key) && is_given(key, (const char *)element + key->offset))
            return true;
    return false;
}

static void inspect_element(inspector *s, const dal_key *keys, const void *element)
{
    for (const dal_key *key = keys; key->doc.key; key++) {
        if (key->shape == DAL_SHAPE_TREE || key->shape == DAL_SHAPE_REPEAT || key->shape == DAL_SHAPE_LATER)
            continue;
        const void *field = (const char *)element + key->offset;
        const dal_space wrong = key->flags & DAL_PLANAR_ONLY ? DAL_SPATIAL : DAL_PLANAR;
        const bool given = is_given(key, field);
        if (given && key->flags & (DAL_PLANAR_ONLY | DAL_SPATIAL_ONLY) && s->spec->space == wrong)
            refuse_element(s, dal_nowhere, "'%s' belongs to %s models: give '%s' in a %s one", key->doc.key,
                           wrong == DAL_SPATIAL ? "planar" : "spatial", key->instead, space_word(s));
        else if (!given && key->flags & DAL_REQUIRED && key->shape != DAL_SHAPE_WORD && !is_replaced(keys, key, element))
            refuse_element(s, dal_nowhere, "it has no '%s' (%s)", key->doc.key, key->doc.text);
        else
            inspect_field(s, key, field);
    }
}

/* ---- sections ------------------------------------------------------------------------------------------- */

/* One section of the model: elements of `size` bytes that begin with their name. */
typedef struct section {
    const char *word, *plural;
    int n;
    const void *first;
    size_t size, binding; /* where the binding is; 0: none */
    const dal_key *keys;
} section;

static void inspect_section(inspector *s, const section *list)
{
    s->section = "the model";
    s->name = NULL;
    s->mark = (dal_mark){s->spec->file, 0, 0};
    if (!is_array(s, list->plural, list->n, list->first))
        return;
    for (int i = 0; i < list->n; i++) {
        const char *element = (const char *)list->first + list->size * (size_t)i;
        const dal_text *name = (const dal_text *)(const void *)element;
        s->section = "the model";
        s->name = NULL;
        s->mark = (dal_mark){s->spec->file, 0, 0};
        if (!is_name(s, list->plural, i, name))
            continue;
        s->section = list->word;
        s->name = name->text;
        s->mark = name->mark;
        if (list->keys)
            inspect_element(s, list->keys, element);
        if (list->binding)
            inspect_binding(s, *(const dal_binding *const *)(const void *)(element + list->binding));
    }
}

static void inspect_tables(inspector *s)
{
    for (int i = 0; i < s->spec->n_tables; i++) {
        const dal_table_spec *t = &s->spec->tables[i];
        s->section = "table";
        s->name = t->name.text;
        s->mark = t->name.mark;
        if (!is_array(s, "x_value", t->n, t->x_value) || !is_array(s, "y_value", t->n, t->y_value))
            continue;
        for (int k = 0; k < t->n; k++)
            if (!isfinite(t->x_value[k]) || !isfinite(t->y_value[k])) {
                refuse_element(s, dal_nowhere, "row %d is (%g, %g): finite numbers are needed", k + 1, t->x_value[k], t->y_value[k]);
                break;
            }
    }
}

static void inspect_models(inspector *s)
{
    const dal_spec *spec = s->spec;
    if (!is_array(s, "models", spec->n_models, spec->models))
        return;
    for (int i = 0; i < spec->n_models; i++) {
        const dal_model_spec *model = spec->models[i];
        s->section = "the model";
        s->name = NULL;
        if (!model || !is_name(s, "models", i, &model->name)) {
            if (!model)
                refuse_element(s, dal_nowhere, "number %d of 'models' is NULL", i + 1);
            continue;
        }
        s->section = "included model";
        s->name = model->name.text;
        s->mark = model->name.mark;
        if (!model->ground.text)
            refuse_element(s, dal_nowhere, "it has no ground (NULL)");
        inspect_points(s, "points", &model->points);
        inspect_figures(s, "shape", &model->shape);
        inspect_binding(s, &model->binding);
    }
}

static void inspect_head(inspector *s)
{
    const dal_spec *spec = s->spec;
    if (!memchr(spec->hash, '\0', sizeof spec->hash))
        refuse_element(s, dal_nowhere, "'hash' is not a text of at most 16 characters");
    is_vector(s, "gravity", &spec->gravity);
    inspect_element(s, dal_keys_ground, spec);
    s->section = "`simulate:`";
    inspect_element(s, dal_keys_simulate, &spec->simulate);
    s->section = "`view:`";
    inspect_element(s, dal_keys_view, &spec->view);
    s->section = "the model";
    if (is_array(s, "record", spec->n_record, spec->record))
        for (int i = 0; i < spec->n_record; i++)
            is_text(s, "record", i, &spec->record[i].value);
    const struct {
        const char *key;
        int n;
        const dal_pair *first;
    } pairs[] = {{"parameters", spec->n_parameters, spec->parameters},
                 {"define", spec->n_define, spec->define},
                 {"inputs", spec->n_inputs, spec->inputs},
                 {"speeds", spec->n_speeds, spec->speeds}};
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++)
        inspect_pairs(s, pairs[i].key, pairs[i].n, pairs[i].first);
}

/* A list of messages that the spec keeps. */
static void inspect_warnings(inspector *s)
{
    int n = 0;
    for (const dal_message *m = s->spec->warnings; m; m = m->next)
        if (!m->text || ++n > MOST) {
            refuse_element(s, dal_nowhere, n > MOST ? "its warnings have no end" : "a warning has no text (NULL)");
            return;
        }
}

static void inspect_parameters(inspector *s)
{
    const dal_spec *spec = s->spec;
    for (int i = 0; i < spec->n_parameters; i++)
        if (!isfinite(spec->parameters[i].number))
            refuse_element(s, spec->parameters[i].name.mark, "the value of parameter '%.100s' is %g: a finite number is needed",
                           spec->parameters[i].name.text, spec->parameters[i].number);
}

/* Systems and Lagrangians: they have a mass, or one of L and T. */
static void inspect_systems(inspector *s)
{
    for (int i = 0; i < s->spec->n_systems; i++) {
        const dal_subsystem_spec *one = &s->spec->systems[i];
        const bool function = one->L.text || one->T.text;
        s->section = "system";
        s->name = one->name.text;
        s->mark = one->name.mark;
        inspect_element(s, function ? dal_keys_lagrangian : dal_keys_system, one);
        if (!function && !one->mass.n)
            refuse_element(s, dal_nowhere, "it needs L, T or a mass matrix");
        if ((one->L.text && one->T.text) || (function && one->mass.n))
            refuse_element(s, dal_nowhere, "it has more than one of L, T and a mass matrix");
    }
}

bool dal_spec_sound(const dal_spec *spec, dal_messages *messages)
{
    inspector s = {.spec = spec, .messages = messages, .section = "the model", .mark = {spec->file, 0, 0}, .sound = true};
    if (spec->space != DAL_PLANAR && spec->space != DAL_SPATIAL) {
        refuse_element(&s, spec->space_mark, "its 'space' is %d; DAL_PLANAR (2) or DAL_SPATIAL (3) is needed", (int)spec->space);
        return false;
    }
    inspect_head(&s);
    if (s.sound)
        inspect_parameters(&s);
    inspect_models(&s);
    inspect_warnings(&s);
#define SECTION(word, plural, keys)                                                                                                                  \
    {                                                                                                                                                \
        word, #plural, spec->n_##plural, spec->plural, sizeof *spec->plural, offsetof(__typeof__(*spec->plural), binding), keys                      \
    }
    const section sections[] = {SECTION("body", bodies, dal_keys_body),
                                SECTION("joint", joints, dal_keys_joint),
                                SECTION("joint type", joint_types, dal_keys_joint_type),
                                SECTION("force", forces, dal_keys_force),
                                SECTION("state", states, dal_keys_state),
                                SECTION("coordinate", coordinates, NULL),
                                SECTION("constraint", constraints, dal_keys_constraint),
                                SECTION("system", systems, NULL),
                                {"table", "tables", spec->n_tables, spec->tables, sizeof *spec->tables, 0, dal_keys_table}};
#undef SECTION
    for (size_t i = 0; i < sizeof sections / sizeof *sections; i++)
        inspect_section(&s, &sections[i]);
    if (s.sound)
        inspect_systems(&s);
    if (s.sound)
        inspect_tables(&s);
    return s.sound;
}
