/* Constant expressions: parameters, which may use one another in any order, and other values that must be numbers before the model is compiled
 * (bounds of repeat, numbers of tables).
 *
 * Parameters are evaluated depth first along their uses, with a stack in memory, because a chain of uses may be as long as the file. A parameter's
 * text is parsed twice, first with variables in place of other parameters, to find those that it uses, then with their values.
 */
#include "spec/reader.h"
#include "spec/varied.h"

#include <math.h>
#include <string.h>

typedef enum progress { UNSEEN, OPEN, KNOWN, FAILED } progress;

struct dal_parameter {
    progress progress;
    int *uses, n_uses; /* other parameters in its text */
    int next_use;      /* that is visited next */
    int user;          /* the one below on the stack, -1: none */
};

enum { CANDIDATES = 1000 };

/* ---- what a name means in a constant expression ------------------------------- */

static const dal_binding *find_binding(const dal_reader *reader, const char *name)
{
    const dal_binding *binding = reader->binding;
    while (binding && strcmp(binding->name, name))
        binding = binding->outer;
    return binding;
}

static const char *hint_name(dal_reader *reader, const char *name)
{
    char hint[96];
    if (!strcmp(name, "t"))
        return "a constant cannot contain the time";
    const char *head = dal_arena_copy(reader->scratch, name, strcspn(name, "."));
    const dal_name *known = dal_names_find(reader, head);
    if (known && strcmp(known->section, "parameter"))
        return dal_arena_print(reader->scratch, "'%s' is a %s, and a constant can use parameters only", head, known->section);
    dal_did_you_mean(name, reader->parameter_names, hint);
    return dal_arena_copy(reader->scratch, hint, strlen(hint));
}

static bool resolve_name(void *user, const char *name, int primes, dal_mark mark, dal_value *value, const char **hint)
{
    dal_reader *reader = user;
    const dal_binding *binding = find_binding(reader, name);
    const dal_name *known = dal_names_find(reader, name);
    (void)mark;
    if (primes) {
        *hint = "a constant has no rate";
        return false;
    }
    if (!binding && !(known && !strcmp(known->section, "parameter"))) {
        *hint = hint_name(reader, name);
        return false;
    }
    if (!binding && reader->parameter[known->index].progress != KNOWN) { /* its own error has been reported */
        reader->uses_failed = true;
        *value = (dal_value){1, {dal_var(reader->graph, known->index), DAL_NO_NODE, DAL_NO_NODE}, 0};
        return true;
    }
    if (!binding && !reader->of_parameter)
        reader->spec->parameters[known->index].shapes = true;
    double number = binding ? binding->value : reader->spec->parameters[known->index].number;
    *value = (dal_value){1, {dal_const(reader->graph, number), DAL_NO_NODE, DAL_NO_NODE}, 0};
    return true;
}

bool dal_constant(dal_reader *reader, const dal_text *text, double *value)
{
    dal_parser parser = {.graph = reader->graph, .messages = reader->messages, .resolve = resolve_name, .user = reader};
    dal_node node;
    reader->uses_failed = false;
    if (!text->text || dal_messages_count(reader->messages, DAL_ERROR) >= DAL_ERROR_LIMIT)
        return false;
    if (!dal_parse_scalar(&parser, text->text, text->mark, &node))
        return false;
    if (dal_is_const(reader->graph, node, value) && isfinite(*value))
        return true;
    if (!reader->uses_failed)
        dal_complain(reader->messages, text->mark, "'%.80s' is not a finite number", text->text);
    return false;
}

/* ---- uses ------------------------------------------------------------------------ */

typedef struct search {
    dal_reader *reader;
    int *uses, n;
    size_t capacity;
} search;

/* Accepts every name and notes the parameters. The values are variables, so that nothing is folded and nothing fails. */
static bool note_use(void *user, const char *name, int primes, dal_mark mark, dal_value *value, const char **hint)
{
    search *s = user;
    const dal_name *known = dal_names_find(s->reader, name);
    bool parameter = known && !strcmp(known->section, "parameter");
    (void)primes, (void)mark, (void)hint;
    if (parameter)
        *DAL_PUSH(s->reader->scratch, s->uses, s->n, s->capacity) = known->index;
    *value = (dal_value){1, {dal_var(s->reader->graph, parameter ? known->index : 0), DAL_NO_NODE, DAL_NO_NODE}, 0};
    return true;
}

static void find_uses(dal_reader *reader, int index)
{
    search s = {.reader = reader};
    dal_parser parser = {.graph = reader->graph, .resolve = note_use, .user = &s};
    const dal_text *text = &reader->spec->parameters[index].value;
    dal_node node;
    if (text->text)
        dal_parse_scalar(&parser, text->text, text->mark, &node);
    reader->parameter[index].uses = s.uses;
    reader->parameter[index].n_uses = s.n;
}

/* `top` uses `index`, which is below it on the stack: a -> b -> a. */
static void complain_cycle(dal_reader *reader, int top, int index)
{
    const dal_pair *pair = reader->spec->parameters;
    const char *chain = dal_arena_print(reader->scratch, "'%s'", pair[index].name.text);
    int length = 0;
    for (int i = top; i != index && length < 8; i = reader->parameter[i].user, length++)
        chain = dal_arena_print(reader->scratch, "'%s' -> %s", pair[i].name.text, chain);
    if (length == 0)
        dal_complain(reader->messages, pair[index].value.mark, "parameter '%s' uses itself", pair[index].name.text);
    else
        dal_complain(reader->messages, pair[index].value.mark, "parameters use one another in a circle: '%s' -> %s%s", pair[index].name.text,
                     length == 8 ? "... -> " : "", chain);
}

/* All parameters that it uses have been visited. */
static void finish_parameter(dal_reader *reader, int index)
{
    struct dal_parameter *p = &reader->parameter[index];
    for (int i = 0; i < p->n_uses; i++)
        if (reader->parameter[p->uses[i]].progress != KNOWN)
            p->progress = FAILED;
    if (p->progress != FAILED) {
        dal_pair *pair = &reader->spec->parameters[index];
        reader->of_parameter = true;
        p->progress = dal_constant(reader, &pair->value, &pair->number) ? KNOWN : FAILED;
        reader->of_parameter = false;
    }
}

static void evaluate_parameter(dal_reader *reader, int first)
{
    struct dal_parameter *parameter = reader->parameter;
    int top = first, user = -1;
    for (;;) {
        struct dal_parameter *p = &parameter[top];
        if (p->progress == UNSEEN) {
            p->progress = OPEN;
            p->user = user;
            find_uses(reader, top);
        }
        if (p->next_use < p->n_uses) {
            int use = p->uses[p->next_use++];
            if (parameter[use].progress == OPEN)
                complain_cycle(reader, top, use);
            if (parameter[use].progress == UNSEEN) {
                user = top;
                top = use;
            }
            continue;
        }
        finish_parameter(reader, top);
        top = p->user;
        if (top < 0)
            return;
    }
}

/* ---- the section and the overrides -------------------------------------------------- */

/* left.k belongs to the included model `left`, which reads it. */
static bool is_of_included(const dal_reader *reader, const char *name)
{
    const char *dot = strchr(name, '.');
    const dal_name *head = dot ? dal_names_find(reader, dal_arena_copy(reader->scratch, name, (size_t)(dot - name))) : NULL;
    return head && !strcmp(head->section, "model");
}

static bool is_included(const dal_reader *reader)
{
    return reader->source && reader->source->depth;
}

static void refuse_setting(const dal_reader *reader, const dal_setting *setting)
{
    const char *name = setting->name.text;
    const char *model = is_included(reader) ? dal_arena_print(reader->scratch, "'%.200s'", reader->spec->file) : "the model";
    char hint[96];
    dal_complain(reader->messages, setting->name.mark, "%s has no parameter '%.80s'%s", model, name,
                 dal_did_you_mean(name, reader->parameter_names, hint));
}

static bool is_parameter(const dal_reader *reader, const char *name)
{
    const dal_name *known = dal_names_find(reader, name);
    return known && !strcmp(known->section, "parameter");
}

static void override(dal_reader *reader, const dal_setting *setting)
{
    const char *name = setting->name.text;
    if (is_parameter(reader, name)) {
        dal_pair *pair = &reader->spec->parameters[dal_names_find(reader, name)->index];
        pair->value = setting->value;
        pair->set = setting->written;
        pair->set_binding = setting->binding;
    } else if (is_included(reader) && !is_of_included(reader, name))
        refuse_setting(reader, setting);
}

void dal_read_settings(dal_reader *reader)
{
    for (int i = 0; i < reader->n_settings; i++) {
        const dal_setting *setting = &reader->settings[i];
        bool known;
        if (is_parameter(reader, setting->name.text) || is_of_included(reader, setting->name.text))
            continue;
        if (!dal_spec_set_start(reader->keep, reader->spec, setting->name, setting->value, reader->messages, &known) && !known)
            refuse_setting(reader, setting);
    }
}

static void collect_names(dal_reader *reader)
{
    int n = reader->spec->n_parameters < CANDIDATES ? reader->spec->n_parameters : CANDIDATES;
    reader->parameter_names = DAL_NEW(reader->scratch, const char *, n + 1);
    for (int i = 0; i < n; i++)
        reader->parameter_names[i] = reader->spec->parameters[i].name.text;
}

void dal_read_parameters(dal_reader *reader)
{
    int n = reader->spec->n_parameters;
    reader->parameter = DAL_NEW(reader->scratch, struct dal_parameter, n);
    collect_names(reader);
    for (int i = 0; i < reader->n_settings; i++)
        override(reader, &reader->settings[i]);
    for (int i = 0; i < n; i++)
        if (reader->parameter[i].progress == UNSEEN)
            evaluate_parameter(reader, i);
}
