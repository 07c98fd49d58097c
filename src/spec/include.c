/* models: {left: {file: leg.yaml, set: {k: 300}, ground: trunk.L}}: other model files as parts of this one.
 *
 * An included file is read like any model, with a reader, a namespace and parameters of its own; then its elements are added to those of the
 * including model, and the name of the part is put before every name: thigh becomes left.thigh, and ground left.ground. Elements remember the part in
 * their binding, and names in their expressions are searched there. A part may include others: each level adds its name, foot.toe -> left.foot.toe.
 *
 * A file is not trusted: it must be in the folder of the whole model, also after links are followed, it must not include itself, and all files
 * together must stay within the limits of one.
 */
#include "spec/mirror.h"
#include "spec/xml.h"

#include <ctype.h>
#include <string.h>

enum { DEEPEST = 16, MOST_FILES = 1000, LONGEST_PATH = 1000 };

/* ---- the place of a file ---------------------------------------------------------- */

/* Appends the parts of `path` to `out`, without . and ..; NULL: the path leaves the folder. */
static char *walk(char *out, size_t size, const char *path)
{
    size_t length = strlen(out);
    while (*path) {
        size_t n = strcspn(path, "/");
        if (n == 2 && path[0] == '.' && path[1] == '.') {
            if (!length)
                return NULL;
            while (length && out[length - 1] != '/')
                length--;
            length -= length > 0;
        } else if (n && !(n == 1 && *path == '.')) {
            if (length + n + 2 > size)
                return NULL;
            if (length)
                out[length++] = '/';
            memcpy(out + length, path, n);
            length += n;
        }
        out[length] = '\0';
        path += n + (path[n] == '/');
    }
    return out;
}

/* The path of the file from the folder of the whole model; NULL: `why` says the reason. */
static const char *find_path(dal_reader *reader, const char *file, const char **why)
{
    const size_t size = strlen(reader->source->path) + LONGEST_PATH + 2;
    char *path = dal_arena_alloc(reader->keep, size);
    *path = '\0';
    *why = NULL;
    if (!reader->root)
        *why = "a model that does not come from a file cannot name one";
    else if (*file == '/' || (isalpha((unsigned char)file[0]) && file[1] == ':'))
        *why = "give a path relative to the model's folder";
    else if (strchr(file, '\\'))
        *why = "write '/' between folders";
    else if (strlen(file) > LONGEST_PATH)
        *why = "its path is too long";
    else if (!walk(path, size, dal_folder_of(reader->scratch, reader->source->path)) || !walk(path, size, file))
        *why = "it leaves the model's folder";
    else if (!dal_is_model_file(path) && !dal_is_urdf_file(path))
        *why = "a model is a .yaml, .yml, .json or .urdf file";
    return *why ? NULL : path;
}

/* Is the file one of those that are being read? Then it reports a.yaml -> b.yaml -> a.yaml. */
static bool is_circle(dal_reader *reader, const dal_text *file, const char *path)
{
    const dal_source *same = reader->source;
    const char *chain = path;
    while (same && strcmp(same->path, path))
        same = same->outer;
    if (!same)
        return false;
    for (const dal_source *s = reader->source; s != same; s = s->outer)
        chain = dal_arena_print(reader->scratch, "%s -> %s", s->path, chain);
    dal_complain(reader->messages, file->mark, "models include one another in a circle: %.400s -> %.400s", path, chain);
    return true;
}

/* ---- parameters -------------------------------------------------------------------- */

/* Finds the value with the parameters of the including model. */
static void add_setting(dal_reader *reader, dal_text name, const dal_text *value, dal_setting *list, int *n)
{
    double number;
    if (!dal_constant(reader, value, &number))
        return;
    list[*n].name = name;
    list[*n].written = *value;
    list[*n].binding = reader->binding;
    list[(*n)++].value = (dal_text){.text = dal_arena_print(reader->keep, "%.17g", number), .mark = value->mark};
}

/* `set:`, then the values set from outside for this part: left.k here is k there. */
static void copy_settings(dal_reader *reader, const char *model, const dal_tree *set, dal_reader *part)
{
    const size_t head = strlen(model);
    reader->key = "set";
    if (set && !dal_needs_map(reader, set, "{k: 300}"))
        set = NULL;
    dal_setting *list = DAL_NEW(reader->scratch, dal_setting, (set ? set->n : 0) + reader->n_settings);
    dal_scope outer = dal_descend(reader, NULL);
    for (const dal_tree *child = set ? set->first : NULL; child; child = child->next) {
        dal_text value = {0};
        reader->key = child->key;
        if (dal_read_expression(reader, child, &value))
            add_setting(reader, (dal_text){.text = child->key, .mark = child->key_mark}, &value, list, &part->n_settings);
    }
    dal_ascend(reader, outer);
    for (int i = 0; i < reader->n_settings; i++) {
        dal_text name = reader->settings[i].name;
        if (strncmp(name.text, model, head) || name.text[head] != '.')
            continue;
        name.text += head + 1;
        add_setting(reader, name, &reader->settings[i].value, list, &part->n_settings);
    }
    part->settings = list;
}

/* ---- one part ------------------------------------------------------------------------ */

/* Settings of the including model that hold for all its parts. */
static void note_ignored(dal_reader *reader, const dal_tree *entry, const char *path, const dal_tree *root)
{
    static const char *const keys[] = {"gravity", "simulate", "record", "view"};
    const char *found[4], *between[4] = {"", " and ", ", ", ", "};
    int n = 0;
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        for (const dal_tree *child = root->first; child; child = child->next)
            if (!strcmp(child->key, keys[i]))
                found[n++] = keys[i];
    const char *list = n ? found[n - 1] : "";
    for (int i = n - 1; i-- > 0;)
        list = dal_arena_print(reader->scratch, "%s%s%s", found[i], between[n - 1 - i], list);
    if (n)
        dal_say(reader->messages, DAL_NOTE, entry->key_mark, "model '%.100s': %s of '%.400s' %s ignored: those of this model are used", entry->key,
                list, path, n > 1 ? "are" : "is");
}

static bool afford(dal_reader *reader, const dal_tree *entry, const dal_tree *root)
{
    if ((reader->copies += dal_tree_size(root)) <= DAL_COPY_LIMIT)
        return true;
    dal_complain(reader->messages, entry->key_mark, "the included models have more than %d entries together", DAL_COPY_LIMIT);
    return false;
}

/* The text of the file; NULL after an error. */
static char *load_file(dal_reader *reader, const dal_text *file, const char **path, size_t *length)
{
    const char *why, *full = NULL;
    *path = find_path(reader, file->text, &why);
    if (*path && is_circle(reader, file, *path))
        return NULL;
    if (*path && reader->source->depth == DEEPEST)
        why = "more than 16 models stand inside one another";
    else if (*path && reader->included++ >= MOST_FILES)
        why = "a model includes at most 1000 others";
    else if (*path)
        full = dal_arena_print(reader->scratch, "%s%s", reader->root, *path);
    if (full)
        dal_note_file(reader, full);
    char *text = full ? dal_load_inside(reader->scratch, reader->root, full, length, &why) : NULL;
    if (text && (reader->included_bytes += *length) > DAL_FILE_LIMIT) {
        why = "the included files are larger than 64 MiB together";
        text = NULL;
    }
    if (!text)
        dal_complain(reader->messages, file->mark, "the model '%.200s' cannot be read: %s", file->text, why);
    return text;
}

static const char *space_of(const dal_spec *spec)
{
    return spec->space == DAL_PLANAR ? "planar" : "spatial";
}

/* A robot in URDF: names in its expressions are searched in the part only. False after an error. */
static bool read_robot(dal_reader *part, const char *text, size_t length)
{
    for (int i = 0; i < part->n_settings; i++)
        dal_complain(part->messages, part->settings[i].name.mark, "a URDF file has no parameters that could be set");
    dal_xml *xml = *part->xml = dal_xml_open(part->scratch);
    const dal_xml_node *root = dal_xml_read(xml, part->scratch, part->spec->file, text, length, part->messages, part->no_memory);
    part->hash = dal_hash_add(part->hash, text, length);
    if (root)
        dal_read_urdf(part, root, false);
    dal_xml_close(xml);
    *part->xml = NULL;
    dal_spec *spec = part->spec;
    for (int i = 0; i < spec->n_bodies; i++)
        spec->bodies[i].binding = part->binding;
    for (int i = 0; i < spec->n_joints; i++)
        spec->joints[i].binding = part->binding;
    for (int i = 0; i < spec->n_forces; i++)
        spec->forces[i].binding = part->binding;
    for (int i = 0; i < spec->n_constraints; i++)
        spec->constraints[i].binding = part->binding;
    return root;
}

static bool read_model(dal_reader *reader, const dal_tree *entry, dal_reader *part, const char *path, const char *text, size_t length)
{
    dal_yaml_again(reader->yaml);
    const dal_tree *root =
        dal_document_read(reader->yaml, reader->scratch, reader->keep, part->spec->file, text, length, reader->messages, reader->no_memory);
    if (!root || !afford(reader, entry, root))
        return false;
    part->copies = reader->copies;
    part->hash = dal_hash_add(reader->hash, text, length);
    dal_read_model(part, root);
    note_ignored(reader, entry, path, root);
    return true;
}

/* Reads the file into a spec of its own; NULL after an error. */
static dal_spec *read_part(dal_reader *reader, const dal_tree *entry, const dal_include_trees *keys, dal_model_spec *model)
{
    const char *path;
    size_t length = 0;
    const char *text = load_file(reader, &keys->file, &path, &length);
    if (!text)
        return NULL;
    const dal_source source = {path, reader->source, reader->source->depth + 1};
    dal_reader part = {.keep = reader->keep,
                       .scratch = reader->scratch,
                       .messages = reader->messages,
                       .graph = reader->graph,
                       .root = reader->root,
                       .source = &source,
                       .yaml = reader->yaml,
                       .xml = reader->xml,
                       .hash = reader->hash,
                       .limits = keys->limits,
                       .no_memory = reader->no_memory,
                       .files = reader->files,
                       .elements = reader->elements,
                       .copies = reader->copies,
                       .included = reader->included,
                       .included_bytes = reader->included_bytes,
                       .binding = &model->binding};
    if (keys->limits && !dal_is_urdf_file(path)) {
        dal_complain(reader->messages, entry->key_mark,
                     "model '%.100s': 'limits' are those of a URDF file; give a YAML model end stops among its forces", entry->key);
        return NULL;
    }
    dal_spec *spec = part.spec = DAL_NEW(reader->keep, dal_spec, 1);
    spec->file = dal_arena_print(reader->keep, "%s%s", reader->root, path);
    part.folder = dal_folder_of(reader->keep, spec->file);
    copy_settings(reader, model->name.text, keys->set, &part);
    if (dal_is_urdf_file(path) ? !read_robot(&part, text, length) : !read_model(reader, entry, &part, path, text, length))
        return NULL;
    reader->hash = part.hash;
    reader->elements = part.elements;
    reader->copies = part.copies;
    reader->included = part.included;
    reader->included_bytes = part.included_bytes;
    if (spec->space && reader->spec->space && spec->space != reader->spec->space)
        dal_complain(reader->messages, spec->space_mark, "this model is %s, and '%.200s', which includes it, is %s", space_of(spec),
                     reader->spec->file, space_of(reader->spec));
    return spec;
}

static dal_spec *read_entry(dal_reader *reader, const dal_tree *entry, const char *name)
{
    dal_include_trees keys = {0};
    const int errors = dal_messages_count(reader->messages, DAL_ERROR);
    reader->what = dal_what(reader, "model", name);
    dal_read_keys(reader, dal_keys_include, entry, &keys, reader->what);
    if (!keys.file.text || dal_messages_count(reader->messages, DAL_ERROR) > errors)
        return NULL;
    dal_model_spec *model = DAL_NEW(reader->keep, dal_model_spec, 1);
    *model = (dal_model_spec){
        .name = {.text = name, .mark = entry->key_mark}, .file = keys.file, .ground = keys.ground, .binding = {.name = "", .model = model}};
    if (!model->ground.text)
        model->ground = (dal_text){.text = "ground", .mark = entry->key_mark};
    dal_spec *spec = read_part(reader, entry, &keys, model);
    if (!spec)
        return NULL;
    model->points = spec->ground;
    model->shape = spec->ground_shape;
    dal_model_spec **models = DAL_NEW(reader->keep, dal_model_spec *, spec->n_models + 1);
    if (spec->n_models)
        memcpy(models + 1, spec->models, sizeof *models * (size_t)spec->n_models);
    models[0] = model;
    spec->models = models;
    spec->n_models++;
    if (keys.mirror.text && dal_messages_count(reader->messages, DAL_ERROR)) /* after an error elements may be missing */
        return NULL;
    if (keys.mirror.text && !dal_mirror_part(reader, spec, &keys.mirror, dal_what(reader, "model", name)))
        return NULL;
    return spec;
}

/* ---- names behind a name ------------------------------------------------------------- */

typedef struct prefixer {
    dal_arena *arena;
    const char *name;
} prefixer;

static void prefix(const prefixer *p, dal_text *text)
{
    if (text->text)
        text->text = dal_arena_print(p->arena, "%s.%s", p->name, text->text);
}

static void prefix_list(const prefixer *p, dal_list *list)
{
    for (int i = 0; i < list->n; i++)
        prefix(p, &list->item[i]);
}

static void prefix_pairs(const prefixer *p, int n, dal_pair *pairs)
{
    for (int i = 0; i < n; i++)
        prefix(p, &pairs[i].name);
}

/* Every key of the element that contains names, by its table; `coordinate` tells coordinates of joints from those of bodies. */
static void prefix_element(const prefixer *p, const dal_key *keys, dal_text *name, void *element)
{
    prefix(p, name);
    for (; keys->doc.key; keys++) {
        char *field = (char *)element + keys->offset;
        if (keys->shape == DAL_SHAPE_NAME && strcmp(keys->doc.key, "coordinate"))
            prefix(p, (dal_text *)field);
        else if (keys->shape == DAL_SHAPE_NAMES || keys->shape == DAL_SHAPE_TWO_NAMES || keys->shape == DAL_SHAPE_CONNECT)
            prefix_list(p, (dal_list *)field);
    }
}

static void prefix_force(const prefixer *p, dal_force_spec *force)
{
    if (!force->joint.text && !force->body.text && !force->connect.n)
        prefix(p, &force->coordinate); /* an element of the including model */
    prefix_element(p, dal_keys_force, &force->name, force);
}

/* spec->models[0] is the part itself, the others are inside it. */
static void prefix_part(const prefixer *p, dal_spec *spec)
{
    prefix_pairs(p, spec->n_parameters, spec->parameters);
    prefix_pairs(p, spec->n_define, spec->define);
    prefix_pairs(p, spec->n_inputs, spec->inputs);
    prefix_pairs(p, spec->n_speeds, spec->speeds);
    for (int i = 0; i < spec->n_bodies; i++)
        prefix_element(p, dal_keys_body, &spec->bodies[i].name, &spec->bodies[i]);
    for (int i = 0; i < spec->n_joints; i++)
        prefix_element(p, dal_keys_joint, &spec->joints[i].name, &spec->joints[i]);
    for (int i = 0; i < spec->n_forces; i++)
        prefix_force(p, &spec->forces[i]);
    for (int i = 0; i < spec->n_coordinates; i++)
        prefix(p, &spec->coordinates[i].name);
    for (int i = 0; i < spec->n_constraints; i++)
        prefix(p, &spec->constraints[i].name);
    for (int i = 0; i < spec->n_systems; i++)
        prefix_element(p, dal_keys_system, &spec->systems[i].name, &spec->systems[i]);
    for (int i = 0; i < spec->n_joint_types; i++)
        prefix(p, &spec->joint_types[i].name);
    for (int i = 0; i < spec->n_tables; i++)
        prefix(p, &spec->tables[i].name);
    for (int i = 0; i < spec->n_states; i++)
        prefix(p, &spec->states[i].name);
    for (int i = 1; i < spec->n_models; i++) {
        prefix(p, &spec->models[i]->name);
        prefix(p, &spec->models[i]->ground);
    }
}

/* ---- the whole ------------------------------------------------------------------------- */

/* Room for `n` elements, with the first ones copied into it; *end is the place of the next one. */
static void *begin_list(dal_arena *arena, size_t size, int n, int n_first, const void *first, char **end)
{
    char *all = dal_arena_alloc(arena, size * (size_t)n);
    if (n_first)
        memcpy(all, first, size * (size_t)n_first);
    *end = all + size * (size_t)n_first;
    return all;
}

static void add_elements(char **end, size_t size, int n, const void *elements)
{
    if (n)
        memcpy(*end, elements, size * (size_t)n);
    *end += size * (size_t)n;
}

/* Appends the elements of the parts to those of the model. */
#define GATHER(field)                                                                                                                                \
    do {                                                                                                                                             \
        char *at;                                                                                                                                    \
        int n = whole->n_##field;                                                                                                                    \
        for (int i = 0; i < n_parts; i++)                                                                                                            \
            n += part[i]->n_##field;                                                                                                                 \
        whole->field = begin_list(arena, sizeof *whole->field, n, whole->n_##field, whole->field, &at);                                              \
        for (int i = 0; i < n_parts; i++)                                                                                                            \
            add_elements(&at, sizeof *whole->field, part[i]->n_##field, part[i]->field);                                                             \
        whole->n_##field = n;                                                                                                                        \
    } while (0)

static void gather_parts(dal_arena *arena, dal_spec *whole, int n_parts, dal_spec **part)
{
    GATHER(parameters);
    GATHER(define);
    GATHER(inputs);
    GATHER(bodies);
    GATHER(forces);
    GATHER(coordinates);
    GATHER(constraints);
    GATHER(systems);
    GATHER(joint_types);
    GATHER(speeds);
    GATHER(tables);
    GATHER(states);
    GATHER(models);
    const dal_spec own = *whole; /* its joints come last, because a joint may only name joints above it */
    char *end;
    whole->n_joints = 0;
    GATHER(joints);
    whole->joints = begin_list(arena, sizeof *whole->joints, whole->n_joints + own.n_joints, whole->n_joints, whole->joints, &end);
    add_elements(&end, sizeof *whole->joints, own.n_joints, own.joints);
    whole->n_joints += own.n_joints;
}

/* The part that carries another one: its name is the head of the path of the ground. */
static int carrier_of(int n, dal_spec **part, int index)
{
    const char *path = part[index]->models[0]->ground.text;
    for (int i = 0; i < n; i++) {
        const char *name = part[i]->models[0]->name.text;
        const size_t head = strlen(name);
        if (!strncmp(name, path, head) && (!path[head] || path[head] == '.'))
            return i;
    }
    return -1;
}

/* Parts may carry one another, but not in a circle. Reports a circle. */
static bool stands_on_ground(dal_reader *reader, int n, dal_spec **part)
{
    int *carrier = DAL_NEW(reader->scratch, int, n);
    for (int i = 0; i < n; i++)
        carrier[i] = carrier_of(n, part, i);
    for (int i = 0; i < n; i++) {
        int k = carrier[i];
        for (int steps = 0; k >= 0 && k != i && steps < n; steps++) /* a circle without i is reported at its own members */
            k = carrier[k];
        if (k != i)
            continue;
        const dal_model_spec *model = part[i]->models[0];
        dal_complain(reader->messages, model->ground.mark, "model '%.100s' stands on '%.200s', which stands on it: its ground has to lie outside",
                     model->name.text, model->ground.text);
        return false;
    }
    return true;
}

static void make_part(dal_reader *reader, const dal_tree *entry, const char *name)
{
    const dal_binding *binding = reader->binding;
    dal_spec *part = *reader->no_memory ? NULL : read_entry(reader, entry, name);
    reader->binding = binding;
    if (!part)
        return;
    prefix_part(&(prefixer){reader->keep, name}, part);
    *DAL_PUSH(reader->scratch, reader->parts, reader->n_parts, reader->room_parts) = part;
}

void dal_read_models(dal_reader *reader, const dal_tree *tree)
{
    if (!tree)
        return;
    for (const dal_tree *entry = tree->first; entry && !*reader->no_memory; entry = entry->next) {
        reader->what = "'models'";
        reader->key = entry->key;
        if (dal_needs_map(reader, entry, "{file: leg.yaml}"))
            dal_repeat(reader, entry, "model", make_part);
    }
    if (stands_on_ground(reader, reader->n_parts, reader->parts))
        gather_parts(reader->keep, reader->spec, reader->n_parts, reader->parts);
    reader->room_define = (size_t)reader->spec->n_define; /* the lists now have no spare room at their ends */
    reader->room_forces = (size_t)reader->spec->n_forces;
    reader->what = NULL;
}
