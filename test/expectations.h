/* Faulty models: each begins with the messages that it must give, one for one and in this order:
 *   # expect: LINE:COLUMN: sentence          a warning or a note is marked: "warning: sentence"
 *   # expect: FILE:LINE:COLUMN: sentence     in another file of the folder
 */
#ifndef DAL_TEST_EXPECTATIONS_H
#define DAL_TEST_EXPECTATIONS_H

#include "check.h"

#include "dalembert/dalembert.h"

#include <dirent.h>

static inline void check_messages(const char *path, const char *folder, const dal_message *m)
{
    static const char *const word[] = {"note: ", "warning: ", ""};
    char line[4000], got[4000], file[512];
    FILE *stream = fopen(path, "r");
    assert_non_null(stream);
    while (fgets(line, sizeof line, stream) && !strncmp(line, "# expect: ", 10)) {
        line[strcspn(line, "\n")] = '\0';
        if (!m)
            fail_msg("%s: not said: %s", path, line + 10);
        file[0] = '\0';
        if (m->mark.file && strcmp(m->mark.file, path))
            snprintf(file, sizeof file, "%s:", m->mark.file + strlen(folder) + 1);
        snprintf(got, sizeof got, "%s%d:%d: %s%s", file, m->mark.line, m->mark.column, word[m->severity], m->text);
        if (strcmp(got, line + 10))
            fail_msg("%s\n  expected %s\n  got      %s", path, line + 10, got);
        m = m->next;
    }
    if (m)
        fail_msg("%s: not expected: %d:%d: %s", path, m->mark.line, m->mark.column, m->text);
    fclose(stream);
}

/* Read and, if that goes well and `compiles`, compile: it has to be refused somewhere. */
static inline void check_refused(const char *path, const char *folder, bool compiles)
{
    dal_messages *messages = dal_messages_create(NULL);
    dal_spec *spec;
    dal_system *system = NULL;
    dal_status status = dal_spec_read(NULL, path, 0, NULL, messages, &spec);
    if (status == DAL_OK && compiles)
        status = dal_compile(NULL, spec, messages, &system);
    if (status != DAL_BAD_MODEL || system || (!compiles && spec))
        fail_msg("%s: status %d instead of a refusal", path, status);
    check_messages(path, folder, dal_messages_first(messages));
    dal_spec_free(spec);
    dal_messages_free(messages);
}

/* Every .yaml of a folder; returns their number. */
static inline int check_all_refused(const char *folder, bool compiles)
{
    DIR *directory = opendir(folder);
    assert_non_null(directory);
    int n = 0;
    for (struct dirent *entry; (entry = readdir(directory));) {
        char path[512];
        size_t length = strlen(entry->d_name);
        if (length < 5 || strcmp(entry->d_name + length - 5, ".yaml"))
            continue;
        snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
        check_refused(path, folder, compiles);
        n++;
    }
    closedir(directory);
    return n;
}

#endif
