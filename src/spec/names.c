/* The one namespace: parameters, define, inputs, coordinates, constraints, systems, speeds, bodies, joints, forces, tables and states.
 *
 * Names match [A-Za-z_][A-Za-z0-9_]*. Expressions use them, so a name must not have another meaning there.
 */
#include "spec/reader.h"

#include <ctype.h>
#include <string.h>

enum { NAME_LENGTH_LIMIT = 100 };

static size_t find_slot(const dal_names *names, const char *name)
{
    uint64_t hash = dal_hash_add(dal_hash_begin(), name, strlen(name));
    size_t i = (size_t)(hash ^ hash >> 32) & (names->size - 1);
    while (names->slot[i].name && strcmp(names->slot[i].name, name))
        i = (i + 1) & (names->size - 1);
    return i;
}

static void make_room(dal_reader *reader)
{
    dal_names *names = &reader->names, old = *names;
    if (2 * (names->n + 1) <= names->size)
        return;
    names->size = old.size ? 2 * old.size : 64;
    names->slot = DAL_NEW(reader->scratch, dal_name, names->size);
    for (size_t i = 0; i < old.size; i++)
        if (old.slot[i].name)
            names->slot[find_slot(names, old.slot[i].name)] = old.slot[i];
}

const dal_name *dal_names_find(const dal_reader *reader, const char *name)
{
    if (!reader->names.size)
        return NULL;
    const dal_name *found = &reader->names.slot[find_slot(&reader->names, name)];
    return found->name ? found : NULL;
}

const char *dal_word_fault(dal_arena *arena, const char *name)
{
    static const char rule[] = "a name has letters, digits and underscores and does not begin with a digit";
    size_t length = strlen(name);
    if (length > NAME_LENGTH_LIMIT)
        return dal_arena_print(arena, "a name has at most %d characters", NAME_LENGTH_LIMIT);
    if (!length)
        return "a name cannot be empty";
    bool hyphen = false, dot = false, other = isdigit((unsigned char)*name);
    char *better = dal_arena_copy(arena, name, length);
    for (char *p = better; *p; p++) {
        hyphen = hyphen || *p == '-';
        dot = dot || *p == '.';
        other = other || !(isalnum((unsigned char)*p) || strchr("_-.", *p));
        if (*p == '-')
            *p = '_';
    }
    if (other)
        return rule;
    if (dot)
        return "the dot is kept for what belongs to an element, as in crank.B";
    if (hyphen)
        return dal_arena_print(arena, "the hyphen would be a minus in expressions: write '%s'", better);
    return NULL;
}

const char *dal_name_fault(dal_arena *arena, const char *name)
{
    static const char *const model_wide[] = {"ground", "energy", "momentum", "constraint"};
    const char *fault = dal_word_fault(arena, name);
    if (fault)
        return fault;
    if (!strcmp(name, "t"))
        return "it is the time in expressions";
    if (!strcmp(name, "pi") || !strcmp(name, "deg"))
        return "it is a constant in expressions";
    if (dal_is_reserved(name))
        return "it is a function in expressions";
    for (size_t i = 0; i < sizeof model_wide / sizeof *model_wide; i++)
        if (!strcmp(name, model_wide[i]))
            return "it belongs to the whole model";
    return NULL;
}

const char *dal_path_fault(dal_arena *arena, const char *path)
{
    for (const char *part = path;; part++) {
        size_t length = strcspn(part, "."), digits = strspn(part, "0123456789");
        const char *fault = part > path && digits == length && length > 0 ? NULL : dal_word_fault(arena, dal_arena_copy(arena, part, length));
        if (fault)
            return fault;
        part += length;
        if (!*part)
            return NULL;
    }
}

void dal_names_add(dal_reader *reader, const char *name, const char *section, int index, dal_mark mark)
{
    const char *fault = dal_name_fault(reader->scratch, name);
    if (fault) {
        dal_complain(reader->messages, mark, "'%.100s' cannot be the name of this %s: %s", name, section, fault);
        return;
    }
    const dal_name *first = dal_names_find(reader, name);
    if (first) {
        dal_complain(reader->messages, mark, "'%s' is already the name of the %s at line %d, column %d", name, first->section, first->mark.line,
                     first->mark.column);
        return;
    }
    make_room(reader);
    reader->names.slot[find_slot(&reader->names, name)] = (dal_name){name, section, mark, index};
    reader->names.n++;
}
