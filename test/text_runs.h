/* Runs of models that stand in a test as text. */
#ifndef DAL_TEST_TEXT_RUNS_H
#define DAL_TEST_TEXT_RUNS_H

#include "trajectory.h"

/* A run of a model in words, with entries of `simulate:` as in set_all. */
static inline trajectory run_text(const char *text, const char *settings)
{
    trajectory result = {0};
    dal_messages *messages = dal_messages_create(NULL);
    dal_spec *spec = NULL;
    result.status = dal_spec_parse(NULL, "text.yaml", text, strlen(text), 0, NULL, messages, &spec);
    if (result.status == DAL_OK)
        set_all(spec, settings, messages);
    return run_spec(result, spec, messages);
}

static inline trajectory run_text_well(const char *text, const char *settings)
{
    trajectory result = run_text(text, settings);
    if (result.status != DAL_OK)
        fail_msg("%s: %s\n%s", settings, result.message, text);
    return result;
}

/* Column k of row i. */
static inline double at(const trajectory *run, int i, int k)
{
    assert_true(i >= 0 && i < run->rows && k >= 0 && k < run->n);
    return run->value[(size_t)i * (size_t)run->n + (size_t)k];
}

static inline double last(const trajectory *run, int k)
{
    return at(run, run->rows - 1, k);
}

/* The first error that a text gives has these words in it, and stands at line:column (0: anywhere). */
static inline void refused_with(const char *text, int line, int column, const char *words)
{
    dal_messages *messages = dal_messages_create(NULL);
    dal_spec *spec = NULL;
    dal_system *system = NULL;
    dal_status status = dal_spec_parse(NULL, "text.yaml", text, strlen(text), 0, NULL, messages, &spec);
    if (status == DAL_OK)
        status = dal_compile(NULL, spec, messages, &system);
    const dal_message *m = dal_messages_first(messages);
    while (m && m->severity != DAL_ERROR)
        m = m->next;
    if (status != DAL_BAD_MODEL || system || !m)
        fail_msg("not refused (%d):\n%s", status, text);
    else if (!strstr(m->text, words))
        fail_msg("'%s' is not in '%d:%d: %s'", words, m->mark.line, m->mark.column, m->text);
    else if (line && (m->mark.line != line || m->mark.column != column))
        fail_msg("at %d:%d instead of %d:%d: %s", m->mark.line, m->mark.column, line, column, m->text);
    dal_spec_free(spec);
    dal_messages_free(messages);
}

#endif
