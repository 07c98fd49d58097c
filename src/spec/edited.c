/* Texts are compared byte by byte around the values of parameters, which are found by their marks. dal_spec_outline compares the parts that are
 * not in a text (options of a command, elements that were changed by hand). */
#include "spec/edited.h"

#include "spec/copy.h"

#include <string.h>

/* The place of the value of parameter i in the text; NULL: it is not where its mark says. */
static const char *find_value(const dal_spec *spec, int i)
{
    const dal_text *value = &spec->parameters[i].value;
    const char *at = spec->text;
    if (!value->mark.file || strcmp(value->mark.file, spec->file) || value->mark.column < 1)
        return NULL;
    for (int line = 1; at && line < value->mark.line; line++)
        at = (at = strchr(at, '\n')) ? at + 1 : NULL;
    const size_t before = (size_t)value->mark.column - 1;
    return at && strcspn(at, "\n") >= before && !strncmp(at + before, value->text, strlen(value->text)) ? at + before : NULL;
}

static bool texts_agree(const dal_spec *then, const dal_spec *now)
{
    const char *a = then->text, *b = now->text;
    for (int i = 0; i < now->n_parameters; i++) {
        const dal_pair *p = &then->parameters[i], *q = &now->parameters[i];
        if (strcmp(p->name.text, q->name.text))
            return false;
        if (!strcmp(p->value.text, q->value.text))
            continue;
        const char *from = find_value(then, i), *to = find_value(now, i);
        if (!from || !to || from < a || to < b || from - a != to - b || memcmp(a, b, (size_t)(from - a)))
            return false;
        a = from + strlen(p->value.text);
        b = to + strlen(q->value.text);
    }
    return !strcmp(a, b);
}

static bool alone(const dal_spec *spec)
{
    return spec->text && *spec->hash && spec->file && (!spec->n_files || (spec->n_files == 1 && !strcmp(spec->files[0], spec->file)));
}

bool dal_spec_only_values(const dal_spec *then, const dal_spec *now)
{
    if (!alone(then) || !alone(now) || strcmp(then->file, now->file) || then->n_parameters != now->n_parameters || then->space != now->space ||
        then->n_overrides != now->n_overrides)
        return false;
    for (int i = 0; i < now->n_overrides; i++)
        if (strcmp(then->overrides[i].name, now->overrides[i].name) || strcmp(then->overrides[i].value, now->overrides[i].value))
            return false;
    return texts_agree(then, now) && dal_spec_outline(then) == dal_spec_outline(now);
}
