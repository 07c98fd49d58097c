/* From a piece of the tree to one field of the spec, by the shape of its key.
 *
 * dal_read_keys is the generic reader of an element; it finds each key in the
 * section's table and calls the function of its shape. All values stay texts: only the form is checked here.
 */
#include "spec/reader.h"

#include <math.h>
#include <string.h>

/* ---- words for messages --------------------------------------------------- */

const char *dal_what(const dal_reader *reader, const char *section, const char *name)
{
    return dal_arena_print(reader->scratch, "%s '%.100s'", section, name);
}

const char *dal_label(const dal_reader *reader)
{
    if (!reader->what)
        return dal_arena_print(reader->scratch, "'%.100s'", reader->key);
    return dal_arena_print(reader->scratch, "'%.100s' of %.300s", reader->key, reader->what);
}

dal_scope dal_descend(dal_reader *reader, const char *key)
{
    dal_scope outer = {reader->what, reader->key, reader->entry};
    reader->what = dal_label(reader);
    reader->key = key;
    return outer;
}

void dal_ascend(dal_reader *reader, dal_scope outer)
{
    reader->what = outer.what;
    reader->key = outer.key;
    reader->entry = outer.entry;
}

static const char *space_word(const dal_reader *reader)
{
    return reader->spec->space == DAL_PLANAR ? "planar" : "spatial";
}

/* ---- scalars --------------------------------------------------------------- */

bool dal_read_scalar(dal_reader *reader, const dal_tree *tree, dal_text *text)
{
    if (tree->bad)
        return false;
    if (tree->kind != DAL_SCALAR) {
        dal_complain(reader->messages, tree->mark, "%s needs one text; %s was found", dal_label(reader), dal_tree_found(reader->scratch, tree));
        return false;
    }
    size_t blanks = strspn(tree->text, " \t\r\n"), length = strlen(tree->text);
    if (blanks == length) {
        dal_complain(reader->messages, tree->mark, "%s is empty", dal_label(reader));
        return false;
    }
    while (strchr(" \t\r\n", tree->text[length - 1]))
        length--;
    text->text = tree->text + blanks;
    if (tree->text[length])
        text->text = dal_arena_copy(reader->keep, text->text, length - blanks);
    text->mark = tree->mark;
    if (tree->quote == DAL_SINGLE || tree->quote == DAL_DOUBLE)
        text->mark.column += 1 + (int)blanks;
    return true;
}

bool dal_read_expression(dal_reader *reader, const dal_tree *tree, dal_text *text)
{
    dal_text found = {0};
    if (!tree->bad && tree->kind != DAL_SCALAR) {
        dal_complain(reader->messages, tree->mark, "%s needs one expression; %s was found", dal_label(reader), dal_tree_found(reader->scratch, tree));
        return false;
    }
    if (!dal_read_scalar(reader, tree, &found))
        return false;
    if (tree->lines) {
        size_t length = strlen(tree->lines);
        while (length && strchr(" \t\r\n", tree->lines[length - 1]))
            length--;
        found.text = dal_arena_copy(reader->keep, tree->lines, length);
        found.mark = tree->lines_mark;
    } else if (tree->broken) {
        dal_complain(reader->messages, tree->mark, "%s: write an expression in double quotes and without escapes", dal_label(reader));
        return false;
    }
    if (tree->quote == DAL_SINGLE)
        dal_caution(reader->messages, tree->mark, DAL_CODE_QUOTES, NAN,
                    "%s is an expression in single quotes, which are not primes: write \"%.80s'\" if a rate is meant, "
                    "or \"%.80s\"",
                    dal_label(reader), found.text, found.text);
    bool fix = text->fix;
    *text = found;
    text->fix = fix;
    return true;
}

static void read_title(dal_reader *reader, const dal_tree *tree, void *field)
{
    dal_read_scalar(reader, tree, field);
}

static void read_expression(dal_reader *reader, const dal_tree *tree, void *field)
{
    dal_read_expression(reader, tree, field);
}

static void read_word(dal_reader *reader, const dal_tree *tree, void *field)
{
    dal_text text = {0};
    if (!dal_read_scalar(reader, tree, &text))
        return;
    if (strspn(text.text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-") != strlen(text.text))
        dal_complain(reader->messages, text.mark, "%s needs one word; '%.80s' was found", dal_label(reader), text.text);
    else
        *(dal_text *)field = text;
}

/* The words of "world|body", for dal_nearest. */
static const char **split_words(dal_arena *arena, const char *words)
{
    const char **list = DAL_NEW(arena, const char *, strlen(words) + 2);
    int n = 0;
    for (const char *p = words;; p++) {
        size_t length = strcspn(p, "|");
        list[n++] = dal_arena_copy(arena, p, length);
        p += length;
        if (!*p)
            return list;
    }
}

static void read_one_of(dal_reader *reader, const dal_tree *tree, void *field)
{
    const char **words = split_words(reader->scratch, reader->entry->doc.shape);
    dal_text text = {0};
    char hint[96];
    if (!dal_read_scalar(reader, tree, &text))
        return;
    for (const char **word = words; *word; word++) {
        if (!strcmp(*word, text.text)) {
            *(dal_text *)field = text;
            return;
        }
    }
    const char *listed = words[0];
    for (int i = 1; words[i]; i++)
        listed = dal_arena_print(reader->scratch, "%s%s%s", listed, words[i + 1] ? ", " : " or ", words[i]);
    dal_did_you_mean(text.text, words, hint);
    dal_complain(reader->messages, text.mark, "%s needs %s; '%.80s' was found%s", dal_label(reader), listed, text.text,
                 strlen(words[0]) > 1 ? hint : "");
}

bool dal_read_flag(dal_reader *reader, const dal_tree *tree, bool *flag)
{
    dal_text text = {0};
    if (!dal_read_scalar(reader, tree, &text))
        return false;
    *flag = !strcmp(text.text, "true");
    if (*flag || !strcmp(text.text, "false"))
        return true;
    dal_complain(reader->messages, text.mark, "%s needs true or false; '%.80s' was found", dal_label(reader), text.text);
    return false;
}

static void read_flag(dal_reader *reader, const dal_tree *tree, void *field)
{
    dal_read_flag(reader, tree, field);
}

/* ---- names ----------------------------------------------------------------- */

static bool read_path(dal_reader *reader, const dal_tree *tree, dal_text *text)
{
    dal_text found = {0};
    if (!dal_read_scalar(reader, tree, &found))
        return false;
    found.text = dal_expand_name(reader, &found);
    if (!found.text)
        return false;
    const char *fault = dal_path_fault(reader->scratch, found.text);
    if (fault) {
        dal_complain(reader->messages, found.mark, "%s needs a name; '%.100s' is not one: %s", dal_label(reader), found.text, fault);
        return false;
    }
    *text = found;
    return true;
}

static void read_name(dal_reader *reader, const dal_tree *tree, void *field)
{
    read_path(reader, tree, field);
}

bool dal_is_list(dal_reader *reader, const dal_tree *tree, const char *wanted)
{
    if (!tree->bad && (tree->kind != DAL_SEQUENCE || !tree->n))
        dal_complain(reader->messages, tree->mark, "%s needs %s; %s was found", dal_label(reader), wanted, dal_tree_found(reader->scratch, tree));
    return !tree->bad && tree->kind == DAL_SEQUENCE && tree->n;
}

static void read_name_list(dal_reader *reader, const dal_tree *tree, int n, dal_list *list)
{
    const char *number = n == 2 ? "two names" : "a list of names";
    if (!dal_is_list(reader, tree, n == 2 ? "two names, as in [crank.B, ground]" : "a list of names, as in [crank.B, ground]"))
        return;
    if (n && tree->n != n) {
        dal_complain(reader->messages, tree->mark, "%s needs %s; %d given", dal_label(reader), number, tree->n);
        return;
    }
    list->item = DAL_NEW(reader->keep, dal_text, tree->n);
    list->mark = tree->mark;
    for (const dal_tree *child = tree->first; child; child = child->next)
        read_path(reader, child, &list->item[list->n++]);
}

static void read_names(dal_reader *reader, const dal_tree *tree, void *field)
{
    read_name_list(reader, tree, 0, field);
}

static void read_two_names(dal_reader *reader, const dal_tree *tree, void *field)
{
    read_name_list(reader, tree, 2, field);
}

/* Two, or up to four. The compiler of the joint checks whether its type has more than two. */
static void read_connect(dal_reader *reader, const dal_tree *tree, void *field)
{
    const bool more = tree->kind == DAL_SEQUENCE && (tree->n == 3 || tree->n == 4);
    read_name_list(reader, tree, more ? 0 : 2, field);
}

/* ---- lists of expressions --------------------------------------------------- */

bool dal_read_list(dal_reader *reader, const dal_tree *tree, int n, dal_list *list)
{
    if (!dal_is_list(reader, tree, "a list of expressions"))
        return false;
    if (n && tree->n != n) {
        dal_complain(reader->messages, tree->mark, "%s: %d numbers are needed, %d given", dal_label(reader), n, tree->n);
        return false;
    }
    list->item = DAL_NEW(reader->keep, dal_text, tree->n);
    list->mark = tree->mark;
    list->n = 0;
    bool fine = true;
    for (const dal_tree *child = tree->first; child; child = child->next)
        fine = dal_read_expression(reader, child, &list->item[list->n++]) && fine;
    return fine;
}

/* One scalar becomes a list of one. */
static bool read_single(dal_reader *reader, const dal_tree *tree, dal_list *list)
{
    dal_text text = {0};
    if (!dal_read_expression(reader, tree, &text))
        return false;
    list->item = DAL_NEW(reader->keep, dal_text, 1);
    list->item[0] = text;
    list->mark = text.mark;
    list->n = 1;
    return true;
}

bool dal_read_vector(dal_reader *reader, const dal_tree *tree, dal_list *list)
{
    int dimension = (int)reader->spec->space;
    if (tree->bad)
        return false;
    if (tree->kind != DAL_SEQUENCE) {
        dal_complain(reader->messages, tree->mark, "%s needs a vector, as in %s; %s was found", dal_label(reader),
                     dimension == 2 ? "[0, 1]" : "[0, 0, 1]", dal_tree_found(reader->scratch, tree));
        return false;
    }
    if (dimension && tree->n != dimension) {
        dal_complain(reader->messages, tree->mark, "%s: %d numbers are needed in a %s model, %d given", dal_label(reader), dimension,
                     space_word(reader), tree->n);
        return false;
    }
    return dal_read_list(reader, tree, dimension, list);
}

static void read_vector(dal_reader *reader, const dal_tree *tree, void *field)
{
    dal_read_vector(reader, tree, field);
}

static void read_expressions(dal_reader *reader, const dal_tree *tree, void *field)
{
    dal_read_list(reader, tree, 0, field);
}

/* A square one: as many numbers in each row as there are rows. */
/* [[a, b], [c]]; [a, b] is the only group. */
static void read_groups(dal_reader *reader, const dal_tree *tree, void *field)
{
    dal_matrix *groups = field;
    if (!dal_is_list(reader, tree, "lists, as in [[crank.angle, rod.angle], [energy]]"))
        return;
    const bool one = tree->first->kind != DAL_SEQUENCE;
    groups->row = DAL_NEW(reader->keep, dal_list, one ? 1 : tree->n);
    groups->mark = tree->mark;
    for (const dal_tree *child = one ? tree : tree->first; child; child = one ? NULL : child->next)
        if (!dal_read_list(reader, child, 0, &groups->row[groups->n++]))
            return;
}

static void read_matrix(dal_reader *reader, const dal_tree *tree, void *field)
{
    dal_matrix *matrix = field;
    if (tree->bad)
        return;
    const dal_tree *no_row = tree->kind == DAL_SEQUENCE && tree->n ? tree->first : tree;
    while (no_row && no_row != tree && (no_row->bad || no_row->kind == DAL_SEQUENCE))
        no_row = no_row->next;
    if (no_row) {
        dal_complain(reader->messages, no_row->mark, "%s needs rows of numbers, as in [[2, 1], [1, 3]]; %s was found", dal_label(reader),
                     dal_tree_found(reader->scratch, no_row));
        return;
    }
    matrix->row = DAL_NEW(reader->keep, dal_list, tree->n);
    matrix->mark = tree->mark;
    for (const dal_tree *child = tree->first; child; child = child->next) {
        if (child->kind == DAL_SEQUENCE && child->n != tree->n) {
            dal_complain(reader->messages, child->mark, "%s is not square: it has %d row%s, and %d number%s in this one", dal_label(reader), tree->n,
                         tree->n == 1 ? "" : "s", child->n, child->n == 1 ? "" : "s");
            return;
        }
        if (!dal_read_list(reader, child, 0, &matrix->row[matrix->n++]))
            return;
    }
}

/* One expression, or `n`. */
static void read_one_or(dal_reader *reader, const dal_tree *tree, int n, dal_list *list)
{
    if (tree->kind != DAL_SEQUENCE)
        read_single(reader, tree, list);
    else if (n && tree->n != n && tree->n != 1)
        dal_complain(reader->messages, tree->mark, "%s: 1 or %d numbers are needed in a %s model, %d given", dal_label(reader), n, space_word(reader),
                     tree->n);
    else
        dal_read_list(reader, tree, 0, list);
}

static void read_force(dal_reader *reader, const dal_tree *tree, void *field)
{
    read_one_or(reader, tree, (int)reader->spec->space, field);
}

/* Directions of motion: 2 + 1 planar, 3 + 3 spatial. */
static void read_rates(dal_reader *reader, const dal_tree *tree, void *field)
{
    read_one_or(reader, tree, reader->spec->space == DAL_PLANAR ? 3 : reader->spec->space == DAL_SPATIAL ? 6 : 0, field);
}

static void read_axis(dal_reader *reader, const dal_tree *tree, void *field)
{
    dal_list *axis = field; /* axis, axis_second */
    if (tree->bad || tree->kind != DAL_SEQUENCE || !tree->n || tree->first->kind != DAL_SEQUENCE) {
        dal_read_vector(reader, tree, &axis[0]);
        return;
    }
    if (tree->n != 2) {
        dal_complain(reader->messages, tree->mark, "%s needs one vector, or two (one for each body); %d given", dal_label(reader), tree->n);
        return;
    }
    dal_read_vector(reader, tree->first, &axis[0]);
    dal_read_vector(reader, tree->first->next, &axis[1]);
}

/* ---- the rest ---------------------------------------------------------------- */

bool dal_needs_map(dal_reader *reader, const dal_tree *tree, const char *such_as)
{
    if (tree->bad)
        return false;
    if (tree->kind == DAL_MAP)
        return true;
    const char *colon = tree->kind == DAL_SCALAR && tree->quote == DAL_PLAIN ? strchr(tree->text, ':') : NULL;
    if (colon && colon > tree->text && colon[1])
        dal_complain(reader->messages, tree->mark, "a space is missing after the colon: write '%.*s: %.80s'",
                     (int)(colon - tree->text < 80 ? colon - tree->text : 80), tree->text, colon + 1);
    else
        dal_complain(reader->messages, tree->mark, "%s needs named entries, as in %s; %s was found", dal_label(reader), such_as,
                     dal_tree_found(reader->scratch, tree));
    return false;
}

static void read_options(dal_reader *reader, const dal_tree *map, dal_choice *choice)
{
    dal_scope outer = dal_descend(reader, NULL);
    choice->option = DAL_NEW(reader->keep, dal_pair, map->n);
    for (const dal_tree *child = map->first; child; child = child->next) {
        dal_pair *option = &choice->option[choice->n++];
        option->name = (dal_text){.text = child->key, .mark = child->key_mark};
        reader->key = child->key;
        dal_read_expression(reader, child, &option->value);
    }
    dal_ascend(reader, outer);
}

static void read_choice(dal_reader *reader, const dal_tree *tree, void *field)
{
    dal_choice *choice = field;
    if (tree->bad)
        return;
    if (tree->kind == DAL_SCALAR) {
        read_word(reader, tree, &choice->name);
        return;
    }
    if (tree->kind != DAL_MAP || tree->n != 1) {
        dal_complain(reader->messages, tree->mark, "%s needs one word, or one word with its options, as in {word: 1e-12}; %s was found",
                     dal_label(reader), tree->kind == DAL_MAP && tree->n > 1 ? "more than one" : dal_tree_found(reader->scratch, tree));
        return;
    }
    const dal_tree *inner = tree->first;
    dal_scope outer = dal_descend(reader, inner->key);
    choice->name = (dal_text){.text = inner->key, .mark = inner->key_mark};
    if (inner->kind == DAL_MAP && !inner->bad)
        read_options(reader, inner, choice);
    else
        dal_read_expression(reader, inner, &choice->value);
    dal_ascend(reader, outer);
}

/* How undetermined accelerations are treated: a word; one of the words has an option. */
static void read_undetermined(dal_reader *reader, const dal_tree *tree, void *field)
{
    static const char *const words[] = {"refuse", "derive", "minimum-norm", NULL};
    dal_undetermined_spec *out = field;
    dal_text word = {0};
    char hint[96];
    if (tree->bad)
        return;
    if (tree->kind == DAL_SCALAR) {
        if (!dal_read_scalar(reader, tree, &word))
            return;
        for (int i = 0; words[i]; i++)
            if (!strcmp(words[i], word.text)) {
                out->word = word;
                return;
            }
        dal_complain(reader->messages, word.mark, "%s needs refuse, derive or minimum-norm; '%.80s' was found%s", dal_label(reader), word.text,
                     dal_did_you_mean(word.text, words, hint));
        return;
    }
    const dal_tree *inner = tree->kind == DAL_MAP && tree->n == 1 ? tree->first : NULL;
    const dal_tree *eta = inner && inner->kind == DAL_MAP && inner->n == 1 ? inner->first : NULL;
    if (!eta || strcmp(inner->key, words[2]) || strcmp(eta->key, "eta")) {
        dal_complain(reader->messages, tree->mark,
                     "%s needs refuse, derive, minimum-norm, or {minimum-norm: {eta: [..]}} with one expression for each velocity; %s was found",
                     dal_label(reader), dal_tree_found(reader->scratch, tree));
        return;
    }
    out->word = (dal_text){.text = inner->key, .mark = inner->key_mark};
    dal_scope outer = dal_descend(reader, inner->key);
    reader->key = eta->key;
    dal_read_list(reader, eta, 0, &out->eta);
    dal_ascend(reader, outer);
}

static void read_tree(dal_reader *reader, const dal_tree *tree, void *field)
{
    (void)reader;
    *(const dal_tree **)field = tree;
}

static void pass_over(dal_reader *reader, const dal_tree *tree, void *field)
{
    (void)reader, (void)tree, (void)field;
}

static void refuse_later(dal_reader *reader, const dal_tree *tree, void *field)
{
    (void)field;
    dal_complain(reader->messages, tree->key_mark, "%s is not available in this version: %s", dal_label(reader), reader->entry->doc.text);
}

static dal_read_shape *const shapes[DAL_SHAPE_COUNT] = {
    [DAL_SHAPE_TREE] = read_tree,
    [DAL_SHAPE_ONE_OF] = read_one_of,
    [DAL_SHAPE_TITLE] = read_title,
    [DAL_SHAPE_WORD] = read_word,
    [DAL_SHAPE_NAME] = read_name,
    [DAL_SHAPE_NAMES] = read_names,
    [DAL_SHAPE_TWO_NAMES] = read_two_names,
    [DAL_SHAPE_CONNECT] = read_connect,
    [DAL_SHAPE_EXPRESSION] = read_expression,
    [DAL_SHAPE_EXPRESSIONS] = read_expressions,
    [DAL_SHAPE_START] = dal_read_start,
    [DAL_SHAPE_VECTOR] = read_vector,
    [DAL_SHAPE_START_VECTOR] = dal_read_start_vector,
    [DAL_SHAPE_VELOCITY] = dal_read_velocity,
    [DAL_SHAPE_MATRIX] = read_matrix,
    [DAL_SHAPE_GROUPS] = read_groups,
    [DAL_SHAPE_FORCE] = read_force,
    [DAL_SHAPE_RATES] = read_rates,
    [DAL_SHAPE_INERTIA] = dal_read_inertia,
    [DAL_SHAPE_AXIS] = read_axis,
    [DAL_SHAPE_ORIENTATION] = dal_read_orientation,
    [DAL_SHAPE_POINTS] = dal_read_points,
    [DAL_SHAPE_FIGURES] = dal_read_figures,
    [DAL_SHAPE_FLAG] = read_flag,
    [DAL_SHAPE_JOINT_START] = dal_read_joint_start,
    [DAL_SHAPE_FRICTION] = dal_read_friction,
    [DAL_SHAPE_LAW] = dal_read_law,
    [DAL_SHAPE_VALUES] = dal_read_values,
    [DAL_SHAPE_CHOICE] = read_choice,
    [DAL_SHAPE_UNDETERMINED] = read_undetermined,
    [DAL_SHAPE_REPEAT] = pass_over,
    [DAL_SHAPE_LATER] = refuse_later,
};

/* ---- the generic reader of an element ------------------------------------------ */

static const dal_key *find_key(const dal_key *keys, const char *name)
{
    for (; keys->doc.key; keys++)
        if (!strcmp(keys->doc.key, name))
            return keys;
    return NULL;
}

static const char **key_names(dal_reader *reader, const dal_key *keys)
{
    int n = 0;
    while (keys[n].doc.key)
        n++;
    const char **names = DAL_NEW(reader->scratch, const char *, n + 1);
    for (int i = 0; i < n; i++)
        names[i] = keys[i].doc.key;
    return names;
}

/* Keys that other programs have in this section, and where the language has them. */
static const char *elsewhere(const dal_key *keys, const char *name)
{
    static const char *const stop = ": ends of its travel are an element of `forces:`, {type: end-stop, joint: , lower: , upper: , stiffness: }";
    static const char *const spring = ": a spring or damper on it is an element of `forces:`, {type: spring-damper, joint: , stiffness: , damping: }";
    static const struct {
        const dal_key *keys;
        const char *name, *where;
    } known[] = {{dal_keys_model, "units",
                  ": numbers are in metre, kilogram, second, radian, newton, or in any other units of which force = mass * length / time^2"},
                 {dal_keys_joint, "limit",
                  ": a drive takes whatever effort its motion needs. A motor in `forces:` may have a limit; that of dry friction is `friction: "
                  "{limit: }`"},
                 {dal_keys_joint, "limits", stop},
                 {dal_keys_joint, "range", stop},
                 {dal_keys_joint, "lower", stop},
                 {dal_keys_joint, "upper", stop},
                 {dal_keys_joint, "damping", spring},
                 {dal_keys_joint, "stiffness", spring}};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (known[i].keys == keys && !strcmp(known[i].name, name))
            return known[i].where;
    return NULL;
}

/* "(did you mean 'mass'?)", or all known keys if none is similar. */
static const char *hint_key(dal_reader *reader, const dal_key *keys, const char *name)
{
    char hint[96];
    const char *known = "", *where = elsewhere(keys, name);
    if (where)
        return where;
    if (*dal_did_you_mean(name, key_names(reader, keys), hint))
        return dal_arena_copy(reader->scratch, hint, strlen(hint));
    for (const dal_key *key = keys; key->doc.key; key++)
        if (key->shape != DAL_SHAPE_LATER)
            known = dal_arena_print(reader->scratch, "%s%s%s", known, *known ? ", " : "", key->doc.key);
    return dal_arena_print(reader->scratch, "; known are %s", known);
}

/* Is a required key given, perhaps misspelt? Then the misspelling was reported. */
static bool is_given(dal_reader *reader, const dal_key *keys, const dal_tree *map, const char *required)
{
    for (const dal_tree *child = map->first; child; child = child->next)
        if (!strcmp(child->key, required))
            return true;
    const char **names = key_names(reader, keys);
    for (const dal_tree *child = map->first; child; child = child->next) {
        const char *meant = find_key(keys, child->key) ? NULL : dal_nearest(child->key, names);
        if (meant && !strcmp(meant, required))
            return true;
    }
    return false;
}

/* Is one of the keys given that replace it, "box sphere"? */
static bool is_replaced(const dal_key *entry, const dal_tree *map)
{
    for (const char *word = entry->instead; word && *word; word += strcspn(word, " "), word += *word == ' ')
        for (const dal_tree *child = map->first; child; child = child->next)
            if (strlen(child->key) == strcspn(word, " ") && !strncmp(child->key, word, strlen(child->key)))
                return true;
    return false;
}

static bool fits_space(dal_reader *reader, const dal_tree *tree)
{
    const dal_key *key = reader->entry;
    dal_space wrong = key->flags & DAL_PLANAR_ONLY ? DAL_SPATIAL : DAL_PLANAR;
    if (!(key->flags & (DAL_PLANAR_ONLY | DAL_SPATIAL_ONLY)) || reader->spec->space != wrong)
        return true;
    dal_complain(reader->messages, tree->key_mark, "%s belongs to %s models: write '%s' in a %s one", dal_label(reader),
                 wrong == DAL_SPATIAL ? "planar" : "spatial", key->instead, space_word(reader));
    return false;
}

void dal_read_keys(dal_reader *reader, const dal_key *keys, const dal_tree *map, void *element, const char *what)
{
    dal_scope outer = {reader->what, reader->key, reader->entry};
    reader->what = what;
    for (const dal_tree *child = map->first; child; child = child->next) {
        const dal_key *entry = find_key(keys, child->key);
        reader->entry = entry;
        reader->key = child->key;
        if (!entry)
            dal_complain(reader->messages, child->key_mark, "%s has no key '%.80s'%s", what ? what : "a model", child->key,
                         hint_key(reader, keys, child->key));
        else if (fits_space(reader, child))
            shapes[entry->shape](reader, child, (char *)element + entry->offset);
    }
    for (const dal_key *entry = keys; entry->doc.key; entry++)
        if (entry->flags & DAL_REQUIRED && !is_given(reader, keys, map, entry->doc.key) && !is_replaced(entry, map))
            dal_complain(reader->messages, map->key ? map->key_mark : map->mark, "%s has no '%s' (%s)", what, entry->doc.key, entry->doc.text);
    dal_ascend(reader, outer);
}
