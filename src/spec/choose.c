/* Changing the blocks `simulate:` and `record:` of a spec, as the command line does. */
#include "base/argument.h"
#include "dalembert/system.h"

#include <string.h>

static dal_text copy(dal_arena *arena, const char *text, size_t length)
{
    dal_mark mark = {"command line", 0, 0};
    return (dal_text){.text = dal_arena_copy(arena, text, length), .mark = mark};
}

/* Was there enough memory? A text without memory would look like an absent one. */
static bool is_whole(const dal_choice *choice, const char *text)
{
    bool whole = choice->name.text && (text[strcspn(text, "=:")] != '=' || choice->value.text);
    for (int i = 0; i < choice->n; i++)
        whole = whole && choice->option[i].name.text && choice->option[i].value.text;
    return whole;
}

/* "word", "word=number" or "word:option=value,option=value" */
static bool set_choice(dal_arena *arena, dal_choice *choice, const char *text)
{
    size_t word = strcspn(text, "=:");
    dal_choice fresh = {.name = copy(arena, text, word)};
    if (text[word] == '=')
        fresh.value = copy(arena, text + word + 1, strlen(text + word + 1));
    const char *rest = text[word] == ':' ? text + word + 1 : "";
    size_t capacity = 0;
    while (*rest) {
        size_t end = strcspn(rest, ","), equals = strcspn(rest, "=");
        if (equals >= end)
            return false;
        dal_pair *pair = DAL_PUSH(arena, fresh.option, fresh.n, capacity);
        if (!fresh.option)
            return false;
        pair->name = copy(arena, rest, equals);
        pair->value = copy(arena, rest + equals + 1, end - equals - 1);
        rest += end + (rest[end] == ',');
    }
    if (word == 0 || !is_whole(&fresh, text))
        return false;
    *choice = fresh;
    return true;
}

bool dal_spec_set(dal_spec *spec, const char *key, const char *text, dal_messages *messages)
{
    if (!DAL_NEEDS(messages, spec) || !DAL_NEEDS(messages, key) || !DAL_NEEDS(messages, text) || !DAL_NEEDS(messages, spec->memory))
        return false;
    dal_simulate_spec *s = &spec->simulate;
    dal_arena *arena = spec->memory;
    const struct {
        const char *key;
        dal_text *text;
        dal_choice *choice;
    } keys[] = {{"until", &s->until, NULL},
                {"step", &s->step, NULL},
                {"every", &s->every, NULL},
                {"rtol", &s->rtol, NULL},
                {"atol", &s->atol, NULL},
                {"max-step", &s->max_step, NULL},
                {"event-tolerance", &s->event_tolerance, NULL},
                {"start", &s->start, NULL},
                {"undetermined", &s->undetermined.word, NULL},
                {"coordinates", NULL, &s->coordinates},
                {"formulation", NULL, &s->formulation},
                {"stabilization", NULL, &s->stabilization},
                {"integrator", NULL, &s->integrator}};
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
        if (strcmp(keys[i].key, key))
            continue;
        if (keys[i].text) {
            const dal_text fresh = copy(arena, text, strlen(text));
            if (!fresh.text) {
                dal_error(messages, dal_nowhere, "there is not enough memory to set '%s'", key);
                return false;
            }
            *keys[i].text = fresh;
            if (keys[i].text == &s->undetermined.word)
                s->undetermined.eta = (dal_list){.n = 0};
            return true;
        }
        if (set_choice(arena, keys[i].choice, text))
            return true;
        dal_error(messages, dal_nowhere, "--%s %s: expected a word, word=number or word:option=value,option=value", key, text);
        return false;
    }
    dal_error(messages, dal_nowhere, "there is no setting '%s' in `simulate:`", key);
    return false;
}

dal_status dal_spec_record(dal_spec *spec, int n, const char *const *channels, dal_messages *messages)
{
    if (!DAL_NEEDS(messages, spec) || !DAL_NEEDS_ARRAY(messages, n, channels) || !DAL_NEEDS(messages, spec->memory))
        return DAL_BAD_COMMAND;
    dal_record_spec *record = NULL;
    size_t capacity = 0;
    int given = 0;
    for (int i = 0; i < n; i++) {
        if (!dal_needs(messages, __func__, "channels[i]", channels[i]))
            return DAL_BAD_COMMAND;
        dal_record_spec *one = DAL_PUSH(spec->memory, record, given, capacity);
        if (!record)
            return DAL_NO_MEMORY;
        *one = (dal_record_spec){.value = copy(spec->memory, channels[i], strlen(channels[i]))};
        one->value.mark = (dal_mark){"--record", 0, 1};
        if (!one->value.text)
            return DAL_NO_MEMORY;
    }
    spec->record = record;
    spec->n_record = n;
    spec->record_given = true;
    return DAL_OK;
}
