/* The reference page of the language: its complete models compile without a word and run. */
#include "check.h"

#include "dalembert/dalembert.h"

#include <stdlib.h>

#define PAGE DAL_MODELS "/../doc/language.md"

static char *load(const char *path)
{
    FILE *stream = fopen(path, "r");
    char *text = NULL;
    size_t size = 0;
    assert_non_null(stream);
    assert_true(getdelim(&text, &size, '\0', stream) > 0);
    fclose(stream);
    return text;
}

static void check_model(const char *text, size_t length, int line)
{
    dal_messages *messages = dal_messages_create(NULL);
    dal_spec *spec;
    dal_system *system = NULL;
    dal_evidence evidence;
    dal_status status = dal_spec_parse(NULL, "language.md", text, length, 0, NULL, messages, &spec);
    if (status == DAL_OK)
        status = dal_compile(NULL, spec, messages, &system);
    const dal_message *m = dal_messages_first(messages);
    if (status != DAL_OK || (m && m->severity != DAL_NOTE))
        fail_msg("%s:%d:%d: %s", PAGE, line + (m ? m->mark.line : 0), m ? m->mark.column : 0, m ? m->text : "refused");
    status = dal_run(system, NULL, messages, &evidence);
    if (status != DAL_OK)
        fail_msg("%s:%d: the run fails", PAGE, line);
    if (!(evidence.position_residual < 1e-6) || evidence.energy_drift > 1e-3)
        fail_msg("%s:%d: residual %g, energy drift %g", PAGE, line, evidence.position_residual, evidence.energy_drift);
    dal_system_free(system);
    dal_spec_free(spec);
    dal_messages_free(messages);
}

static void every_complete_model_of_the_page_runs(void **state)
{
    (void)state;
    char *page = load(PAGE);
    int line = 1, n = 0;
    for (char *p = page; *p; p++) {
        line += *p == '\n';
        if (strncmp(p, "\n```yaml\ndalembert: 1\n", 22))
            continue;
        char *begin = p + 9, *end = strstr(begin, "\n```");
        assert_non_null(end);
        check_model(begin, (size_t)(end - begin) + 1, line);
        n++;
    }
    assert_true(n >= 9);
    free(page);
}

/* A key that the page forgets would be there for nobody. */
static void every_section_of_keys_is_on_the_page(void **state)
{
    (void)state;
    char *page = load(PAGE), marker[100];
    for (int i = 0; dal_spec_key(i); i++) {
        snprintf(marker, sizeof marker, "<!-- generated: keys %s -->", dal_spec_key(i)->section);
        if (!strstr(page, marker))
            fail_msg("the keys of '%s' are missing", dal_spec_key(i)->section);
    }
    free(page);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_complete_model_of_the_page_runs),
        cmocka_unit_test(every_section_of_keys_is_on_the_page),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
