#include "cli/pages.h"
#include "cli/derivation_page.h"
#include "output/same_files.h"
#include "output/page.h"

#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

bool dal_is_page(const char *path)
{
    const char *dot = strrchr(path, '.');
    return dot && dot > path && (!strcasecmp(dot, ".html") || !strcasecmp(dot, ".htm"));
}

/* ---- the command line ---------------------------------------------------------- */

/* In quotes if a shell would not read it as one word. */
static char *put_word(char *out, const char *word)
{
    const bool plain = *word && strspn(word, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+=./,:@%^") == strlen(word);
    if (plain)
        return stpcpy(out, word);
    *out++ = '\'';
    for (; *word; word++)
        if (*word == '\'')
            out = stpcpy(out, "'\\''");
        else
            *out++ = *word;
    return stpcpy(out, "'");
}

char *dal_command_text(int argc, char **argv)
{
    size_t size = sizeof "dalembert";
    for (int i = 0; i < argc; i++)
        size += 4 * strlen(argv[i]) + 3;
    char *text = malloc(size), *out = text;
    if (!text)
        return NULL;
    out = stpcpy(out, "dalembert");
    for (int i = 0; i < argc; i++) {
        *out++ = ' ';
        out = put_word(out, argv[i]);
    }
    return text;
}

/* ---- a browser -------------------------------------------------------------------- */

dal_status dal_show_page(const char *command, const char *path)
{
    char program[] = "xdg-open", *argv[] = {program, (char *)(size_t)path, NULL};
    pid_t child;
    posix_spawn_file_actions_t actions;
    int error = posix_spawn_file_actions_init(&actions);
    if (!error) {
        posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
        posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
        extern char **environ;
        error = posix_spawnp(&child, program, &actions, NULL, argv, environ);
        posix_spawn_file_actions_destroy(&actions);
    }
    if (!error)
        return DAL_OK;
    fprintf(stderr, "dalembert %s: %s was written, but cannot be opened: xdg-open: %s (Debian's package xdg-utils provides it)\n", command, path,
            strerror(error));
    return DAL_BAD_FILE;
}

/* ---- the pages of a run --------------------------------------------------------------- */

bool dal_pages_possible(const char *command, const char *what)
{
    if (!dal_page_available())
        fprintf(stderr,
                "dalembert %s: error: %s cannot be written: this build has no report page; install node "
                "and npm (Debian's packages nodejs "
                "and npm) and build again, or write .csv or .h5\n",
                command, what);
    return dal_page_available();
}

int dal_pages_add(const char *command, dal_pages *pages, const char *path)
{
    if (!dal_pages_possible(command, path))
        return DAL_BAD_COMMAND;
    if (pages->n == DAL_MOST_PAGES)
        return dal_wrong_use(command, "more than %d pages to write", DAL_MOST_PAGES);
    pages->path[pages->n++] = path;
    return DAL_OK;
}

int dal_pages_frames(const char *command, const char *text, int *frames)
{
    char *end;
    const long n = strtol(text, &end, 10);
    if (*end || n < 16 || n > 1000000)
        return dal_wrong_use(command, "--frames needs a number from 16 to 1000000, not '%s'", text);
    *frames = (int)n;
    return DAL_OK;
}

dal_status dal_pages_check(const dal_pages *pages, int n, const char *const *others, const dal_spec *spec, const char *result, dal_messages *messages)
{
    const size_t n_inputs = (size_t)spec->n_files + (result != NULL);
    const char **all = calloc((size_t)n + (size_t)pages->n + n_inputs + 1, sizeof *all), **inputs = all + n + pages->n;
    if (!all)
        return DAL_NO_MEMORY;
    for (int i = 0; i < n; i++)
        all[i] = others[i];
    memcpy(all + n, pages->path, (size_t)pages->n * sizeof *all);
    for (int i = 0; i < spec->n_files; i++) /* there are none if the model comes from standard input */
        inputs[i] = spec->files[i];
    if (result)
        inputs[spec->n_files] = result;
    const dal_status status = dal_outputs_check(n + pages->n, all, (int)n_inputs, inputs, messages);
    free(all);
    return status;
}

dal_status dal_pages_open(dal_pages *pages, const dal_spec *spec, const dal_system *system, const dal_series_options *series, dal_messages *messages)
{
    const dal_page_options options = {.command = pages->command, .live = pages->live};
    dal_series_options wanted = *series;
    dal_status status = DAL_OK;
    wanted.most_frames = pages->most_frames;
    for (int i = 0; i < pages->n && status == DAL_OK; i++) {
        dal_announce_output(pages->path[i]);
        status = dal_page_open(pages->path[i], spec, system, &options, messages, &pages->page[i]);
        if (status == DAL_OK)
            status = dal_page_series(pages->page[i], &wanted, &pages->series[i]);
    }
    return status;
}

dal_status dal_pages_frame(void *user, dal_state *state, int n, const double *values)
{
    const dal_pages *pages = user;
    dal_status status = DAL_OK;
    for (int i = 0; i < pages->n && status == DAL_OK; i++)
        status = dal_series_frame(pages->series[i], state, n, values);
    return status;
}

enum { MOST_CHECKED = 100 }; /* bodies: ranks of larger models can take longer than a run */

/* The verdict of `check`; its messages are dropped, because they are those of the compilation, which were already reported. */
static void add_verdict(dal_pages *pages, const dal_spec *spec)
{
    static const dal_message unasked = {
        .severity = DAL_WARNING, .code = "too-large", .text = "the model is large and was not checked: run 'dalembert check'"};
    const dal_message *const one[] = {&unasked};
    const dal_verdict none = {.n_warnings = 1, .warnings = one};
    if (spec->n_bodies > MOST_CHECKED) {
        for (int i = 0; i < pages->n; i++)
            dal_page_verdict(pages->page[i], &none);
        return;
    }
    dal_verdict *verdict = NULL;
    dal_messages *aside = dal_messages_create(NULL);
    if (aside)
        dal_check(spec, NULL, aside, &verdict);
    for (int i = 0; i < pages->n && verdict; i++)
        dal_page_verdict(pages->page[i], verdict);
    dal_verdict_free(verdict);
    dal_messages_free(aside);
}

void dal_page_add_equations(dal_page *page, const dal_spec *spec)
{
    dal_arena arena;
    dal_growing html = {.arena = &arena};
    dal_arena_begin(&arena, NULL);
    if (dal_equations_of_model(spec, &html) == DAL_OK)
        dal_page_equations(page, html.text);
    dal_arena_release(&arena);
}

dal_status dal_pages_close(dal_pages *pages, bool keep, const dal_spec *spec, const dal_evidence *evidence, dal_status ran, dal_messages *messages)
{
    dal_status status = DAL_OK;
    if (pages->n)
        add_verdict(pages, spec);
    for (int i = 0; i < pages->n; i++) {
        if (!pages->page[i])
            continue;
        if (evidence)
            dal_page_evidence(pages->page[i], evidence, ran);
        if (!pages->no_equations && !dal_caught_signal()) /* a user who stops a run should not wait for them */
            dal_page_add_equations(pages->page[i], spec);
        dal_page_messages(pages->page[i], messages);
        dal_status one = dal_page_close(pages->page[i], keep && status == DAL_OK);
        pages->page[i] = NULL;
        pages->kept[i] = keep && status == DAL_OK && one == DAL_OK;
        status = status == DAL_OK ? one : status;
    }
    return status;
}

void dal_pages_discard(dal_pages *pages)
{
    for (int i = 0; i < pages->n; i++) {
        dal_page_discard(pages->page[i]);
        pages->page[i] = NULL;
    }
}

dal_status dal_pages_show(const char *command, const dal_pages *pages)
{
    dal_status status = DAL_OK;
    for (int i = 0; i < pages->n && pages->show; i++)
        if (pages->kept[i])
            status = dal_show_page(command, pages->path[i]);
    return status;
}
