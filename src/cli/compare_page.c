#include "cli/compare_page.h"
#include "base/json.h"

#include "cli/pages.h"
#include "model/system_parts.h"

#include <math.h>
#include <stdlib.h>

enum { REFERENCE = -2 }; /* the number that dal_compare gives it */

dal_status dal_compare_page_open(dal_compare_page *p, const char *path, const char *command, const dal_spec *spec, dal_messages *messages)
{
    *p = (dal_compare_page){.path = path, .no_equations = p->no_equations};
    dal_status status = dal_compile(NULL, spec, messages, &p->system);
    if (status != DAL_OK)
        return status;
    dal_messages_clear(messages); /* the comparison reports it again */
    const dal_page_options options = {.kind = "compare", .command = command};
    dal_announce_output(path);
    return dal_page_open(path, spec, p->system, &options, messages, &p->page);
}

/* Errors over time: channels of every series, dal_compare_instant without its difference. */
static const dal_column columns[] = {
    {"time", "s"},          {"error.energy", ""},   {"error.position", "m or rad"}, {"error.velocity", "m/s or rad/s"},
    {"error.momentum", ""}, {"error.ignorable", ""}};
enum { COLUMNS = sizeof columns / sizeof *columns };

static dal_series *begin_series(dal_compare_page *p, const char *name)
{
    const dal_series_options options = {
        .name = name, .n_columns = COLUMNS, .columns = columns, .no_velocities = true, .no_reactions = true, .error = true};
    dal_series *series = NULL;
    p->status = dal_page_series(p->page, &options, &series);
    return series;
}

/* The series of a row, which is begun if necessary; NULL after an error. */
static dal_series *series_of(dal_compare_page *p, const dal_comparison *comparison, int row)
{
    const int place = row == REFERENCE ? 0 : row + 1;
    const dal_compare_row *of = row == REFERENCE ? &comparison->reference : &comparison->rows[row];
    char name[160];
    if (!p->series && !(p->series = calloc((size_t)comparison->n_rows + 1, sizeof *p->series)))
        p->status = DAL_NO_MEMORY;
    if (p->status != DAL_OK || p->series[place])
        return p->status == DAL_OK ? p->series[place] : NULL;
    snprintf(name, sizeof name, "%s%.70s, %.70s", row == REFERENCE ? "reference: " : "", of->formulation, of->coordinates);
    return p->series[place] = begin_series(p, name);
}

void dal_compare_page_motion(void *user, const dal_comparison *comparison, int row, const dal_compare_instant *instant, const double *poses)
{
    dal_compare_page *p = user;
    dal_series *series = p->status == DAL_OK ? series_of(p, comparison, row) : NULL;
    const double values[COLUMNS] = {instant->time, instant->energy, instant->position, instant->velocity, instant->momentum, instant->ignorable};
    if (series)
        p->status = dal_series_add(series, &(dal_series_row){.values = values, .poses = poses, .error = instant->difference});
}

static void add_number(dal_series *series, const char *label, const char *format, double value)
{
    char text[40] = "none";
    if (!isnan(value))
        snprintf(text, sizeof text, format, value);
    dal_series_fact(series, label, text);
}

/* The columns of the table on the terminal. */
static void add_cells(dal_series *series, const dal_compare_row *row)
{
    add_number(series, "states", "%.0f", row->evidence.info.states);
    add_number(series, "equations", "%.0f", row->evidence.info.equations);
    add_number(series, "evaluations", "%.0f", (double)row->evidence.evaluations);
    add_number(series, "CPU, ms", "%.2f", 1e3 * row->cpu_seconds);
    add_number(series, "energy error", "%.2e", row->energy_error);
    add_number(series, "constraint error", "%.2e", row->constraint_error);
    add_number(series, "momentum error", "%.2e", row->momentum_error);
    add_number(series, "difference", "%.2e", row->difference);
    if (row->reason)
        dal_series_failed(series, row->reason);
}

typedef struct agreement {
    bool agree;
    int methods;
    double difference;
} agreement;

static void write_agreement(dal_json *json, const void *of)
{
    const agreement *a = of;
    dal_json_open(json, NULL, '{');
    dal_json_truth(json, "agree", a->agree);
    dal_json_integer(json, "methods", a->methods);
    dal_json_number(json, "difference", a->difference);
    dal_json_number(json, "limit", DAL_COMPARE_AGREEMENT);
    dal_json_close(json, '}');
}

/* Do the methods show the same motion? The page then draws one of them. */
static void add_agreement(dal_page *page, const dal_comparison *comparison)
{
    agreement a;
    char text[160];
    a.agree = dal_comparison_agrees(comparison, &a.methods, &a.difference);
    if (dal_json_text(text, sizeof text, write_agreement, &a) < (int)sizeof text)
        dal_page_entry(page, "agreement", text);
}

dal_status dal_compare_page_close(dal_compare_page *p, const dal_comparison *comparison, const dal_messages *messages)
{
    dal_status status = p->status;
    for (int row = REFERENCE; comparison && row < comparison->n_rows && p->status == DAL_OK; row += row == REFERENCE ? 2 : 1) {
        const dal_compare_row *of = row == REFERENCE ? &comparison->reference : &comparison->rows[row];
        dal_series *series = series_of(p, comparison, row);
        if (series && of->applies)
            add_cells(series, of);
        else if (series)
            dal_series_failed(series, of->reason ? of->reason : dal_status_text(of->status));
    }
    if (comparison && p->page) {
        add_agreement(p->page, comparison);
        dal_page_evidence(p->page, &comparison->reference.evidence, comparison->reference.status);
        dal_page_messages(p->page, messages);
        if (!p->no_equations)
            dal_page_add_equations(p->page, dal_system_spec(p->system));
    }
    if (p->page && comparison && p->status == DAL_OK)
        status = dal_page_close(p->page, true);
    else
        dal_page_discard(p->page);
    free(p->series);
    dal_system_free(p->system);
    status = p->status == DAL_OK ? status : p->status;
    *p = (dal_compare_page){.status = status};
    return status;
}
