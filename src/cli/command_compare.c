/* dalembert compare: the same model under every formulation, in one table. */
#include "cli/compare_page.h"
#include "cli/options.h"
#include "output/same_files.h"
#include "cli/pages.h"

#include <stdlib.h>
#include <string.h>

/* clang-format off */
static const char usage[] =
    "dalembert compare MODEL [options]\n"
    "\n"
    "Run the model under several formulations of its equations of motion and print a table: state variables,\n"
    "equations, evaluations, CPU time, errors of energy, constraints and momentum, and the largest difference\n"
    "of the bodies' motion from a reference run, which has 1e-3 of the tolerances. What does not apply to the\n"
    "model is listed with the reason.\n"
    "\n"
    "    --formulations LIST     all (the default), or words separated by commas\n"
    "                                                             (dalembert list formulations)\n"
    "    --coordinates LIST      all, or families of coordinates; by default that of the model\n"
    "                                                             (dalembert list coordinates)\n"
    "    --bodies                a second table: the differences of each body\n"
    "    --json                  everything as a JSON object\n"
    "    -o, --output FILE.html  a page with the table, the errors against time and all motions in one scene\n"
    "    --open                  show the page in a browser\n"
    "    --no-equations          the page without its tab of equations\n"
    "\n"
    "For all runs, otherwise from the model's 'simulate:' block, as in 'dalembert run':\n"
    "\n"
    "    --stabilization WORD    how constraints are held         (dalembert list stabilizations)\n"
    "    --integrator WORD       method of integration            (dalembert list integrators)\n"
    "    --step H                step, or first step of an adaptive method, s\n"
    "    --rtol X, --atol X      relative and absolute tolerance of an adaptive method\n"
    "    --until T               end of the motion, s\n"
    "    --max-step H            longest step of an adaptive method, s\n"
    "    --event-tolerance T     how exactly switches are located, s\n"
    DAL_USAGE_VALUES
    "\n"
    "    -q, --quiet             no progress; only warnings and errors\n"
    "    -h, --help              this text\n"
    "\n"
    "The exit status is 0 if all that apply came to the end, 4 if one of them did not.\n";
/* clang-format on */

/* Entries of the model's simulate: block. */
static const char *const settings[] = {"stabilization", "integrator", "step", "rtol", "atol", "until", "max-step", "event-tolerance", NULL};

typedef struct request {
    dal_model_options model;
    const char **formulations, **coordinates; /* words, cut out of the command line */
    int n_formulations, n_coordinates;
    bool bodies, json, quiet, open, no_equations;
    const char *page; /* NULL: no page */
} request;

/* ---- the command line ---------------------------------------------------- */

/* "all", or "a,b,c" cut at the commas; a word that occurs twice counts once. */
static int read_words(const char *option, const char *kind, char *text, int *n, const char ***words)
{
    const char *name, *title;
    size_t most = 1;
    for (const char *c = text; *c; c++)
        most += *c == ',';
    for (int i = 0; dal_list_entry(kind, i, &name, &title); i++)
        most++;
    free(*words);
    *n = 0;
    if (!(*words = calloc(most, sizeof **words)))
        return DAL_NO_MEMORY;
    if (!strcmp(text, "all")) {
        while (dal_list_entry(kind, *n, &(*words)[*n], &title))
            ++*n;
        return DAL_OK;
    }
    for (char *word = text, *next; word; word = next) {
        if ((next = strchr(word, ',')))
            *next++ = '\0';
        if (!*word)
            return dal_wrong_use("compare", "--%s needs 'all' or words separated by commas", option);
        bool known = false;
        for (int i = 0; i < *n; i++)
            known |= !strcmp((*words)[i], word);
        if (!known)
            (*words)[(*n)++] = word;
    }
    return DAL_OK;
}

static int read_formulations(void *user, char *value)
{
    request *wanted = user;
    return read_words("formulations", "formulation", value, &wanted->n_formulations, &wanted->formulations);
}

static int read_coordinates(void *user, char *value)
{
    request *wanted = user;
    return read_words("coordinates", "coordinates", value, &wanted->n_coordinates, &wanted->coordinates);
}

static int read_page(void *user, char *path)
{
    request *wanted = user;
    if (wanted->page)
        return dal_wrong_use("compare", "-o was given twice");
    if (!dal_is_page(path))
        return dal_wrong_use("compare", "a comparison is written as a page: '%s' has to end in .html (--json for other programs)", path);
    wanted->page = path;
    return dal_pages_possible("compare", path) ? DAL_OK : DAL_BAD_COMMAND;
}

static const dal_option options[] = {DAL_READ("formulations", 0, read_formulations),
                                     DAL_READ("coordinates", 0, read_coordinates),
                                     DAL_FLAG("bodies", 0, bodies),
                                     DAL_FLAG("json", 0, json),
                                     DAL_READ("output", 'o', read_page),
                                     DAL_FLAG("open", 0, open),
                                     DAL_FLAG("no-equations", 0, no_equations),
                                     DAL_SET,
                                     DAL_FLAG("quiet", 'q', quiet),
                                     {0}};

static int check_use(void *user)
{
    const request *wanted = user;
    if (wanted->open && !wanted->page)
        return dal_wrong_use("compare", "--open shows a page: which one? give its name with -o, as in -o compare.html");
    return DAL_OK;
}

static void release_request(void *user)
{
    request *wanted = user;
    free(wanted->formulations);
    free(wanted->coordinates);
}

static const dal_option_table table = {usage, options, settings, DAL_ARGUMENT_MODEL, check_use, release_request};

/* ---- the runs --------------------------------------------------------------- */

/* One line of the terminal: the present run and its progress. */
static bool show_progress(void *user, const dal_comparison *comparison, int row, double t, double wall_seconds)
{
    dal_progress *progress = user;
    if (progress->wanted && (wall_seconds > 1 || progress->shown)) {
        const dal_compare_row *at = row < 0 ? &comparison->reference : &comparison->rows[row];
        fprintf(stderr, "\r\033[K%d of %d  %s, %s%s  %.0f %%", row + 3, comparison->n_rows + 2, at->coordinates, at->formulation,
                row < 0 ? " (reference)" : "", 100 * t / comparison->info.until);
        fflush(stderr);
        progress->shown = true;
    }
    return !dal_caught_signal();
}

static dal_status compare_model(request *wanted, dal_compare_page *page, dal_messages *messages, dal_comparison **comparison)
{
    dal_status status = dal_model_load(&wanted->model, wanted->page, NULL);
    page->no_equations = wanted->no_equations;
    if (status == DAL_OK && wanted->page)
        status = dal_compare_page_open(page, wanted->page, wanted->model.command, wanted->model.spec, messages);
    if (status == DAL_OK) {
        dal_progress progress = dal_progress_begin(wanted->quiet);
        dal_compare_options how = {.n_coordinates = wanted->n_coordinates,
                                   .n_formulations = wanted->n_formulations,
                                   .coordinates = wanted->coordinates,
                                   .formulations = wanted->formulations,
                                   .progress = show_progress,
                                   .progress_user = &progress,
                                   .motion = wanted->page ? dal_compare_page_motion : NULL,
                                   .motion_user = page};
        status = dal_compare(wanted->model.spec, &how, messages, comparison);
        dal_progress_end(&progress);
    }
    return dal_model_blame(status, messages);
}

/* No method applies, and the reason is the same for all: it is an error of the model, which was already reported with its place. */
static bool one_fault(const dal_comparison *comparison)
{
    for (int i = 0; i < comparison->n_rows; i++)
        if (comparison->rows[i].applies || strcmp(comparison->rows[i].reason, comparison->rows[0].reason))
            return false;
    return true;
}

typedef struct printed {
    const dal_comparison *comparison;
    bool json, bodies;
} printed;

static int comparison_text(const void *of, char *buffer, size_t size)
{
    const printed *p = of;
    return p->json ? dal_comparison_json(p->comparison, buffer, size) : dal_comparison_text(p->comparison, p->bodies, buffer, size);
}

static int run_request(void *user)
{
    request *wanted = user;
    dal_messages *messages = wanted->model.messages;
    dal_comparison *comparison = NULL;
    dal_catch_signals();
    dal_compare_page page = {0};
    dal_status status = compare_model(wanted, &page, messages, &comparison);
    if (wanted->page) {
        const dal_status closed = dal_compare_page_close(&page, dal_caught_signal() ? NULL : comparison, messages);
        status = status == DAL_OK ? closed : status;
        if (closed == DAL_OK && wanted->open && comparison)
            status = dal_show_page("compare", wanted->page);
    }
    dal_report(messages, wanted->quiet ? DAL_WARNING : DAL_NOTE);
    if (comparison && (wanted->json || !one_fault(comparison)))
        dal_print_text(stdout, comparison_text, &(printed){comparison, wanted->json, wanted->bodies});
    else if (dal_caught_signal())
        fprintf(stderr, "dalembert compare: stopped before the reference was done: there is nothing to compare\n");
    else if (status != DAL_OK && !dal_messages_count(messages, DAL_ERROR))
        fprintf(stderr, "dalembert compare: error: %s\n", dal_status_text(status));
    dal_comparison_free(comparison);
    return dal_caught_signal() ? 128 + dal_caught_signal() : (int)status;
}

const dal_command dal_command_compare = DAL_COMMAND("compare", "run a model under every formulation, in one table", run_request);
