/* The rows of a page: all runs up to a million, otherwise a sample of them. Run i is in the sample if a random number that depends only on i is
 * small enough; regular steps could coincide with the steps of a grid. The runs with the least and the largest value of each summary are always in
 * it. */
#include "study/study_page.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    MOST_ROWS = 1 << 20,
    MOST_NUMBERS = 16 << 20, /* of all columns together */
    EXACT_ROWS = 100 * 1000, /* up to this many rows have evidence, and columns in double precision */
    SAMPLE_SEED = 0x5eed
};

typedef struct gathering {
    const dal_study *study;
    dal_study_reader *reader;
    dal_study_table *table;
    double share; /* of the runs in the sample */
    double *least, *largest;
    long at; /* the next row to fill */
} gathering;

/* ---- which runs -------------------------------------------------------------------------- */

static bool is_extreme(const dal_study_table *t, long run)
{
    for (int i = 0; i < t->n_extremes; i++)
        if (t->extremes[i] == run)
            return true;
    return false;
}

static bool is_taken(const gathering *g, long run)
{
    static const dal_samples chance = {DAL_SAMPLING_RANDOM, SAMPLE_SEED, 0, 0};
    return g->share >= 1 || dal_sample_unit(&chance, (uint64_t)run, 0) < g->share || is_extreme(g->table, run);
}

/* The share of the runs for which there is room. */
static double share_of(const gathering *g, long wanted)
{
    const dal_study *s = g->study;
    const long columns = s->summaries.n + 2L * s->factors.n_random + 1, by_numbers = MOST_NUMBERS / columns;
    const long rows = wanted > 0 && wanted < MOST_ROWS ? wanted : MOST_ROWS, most = by_numbers < rows ? by_numbers : rows;
    return g->table->there <= most ? 1 : (double)most / (double)g->table->there;
}

/* ---- the first pass -------------------------------------------------------------------------- */

static void note_extremes(gathering *g, const dal_study_row *row)
{
    for (int i = 0; i < g->study->summaries.n; i++) {
        const double x = row->values[i];
        long *at = g->table->extremes + 2 * (size_t)i;
        if (!isfinite(x))
            continue;
        if (at[0] < 0 || x < g->least[i])
            g->least[i] = x, at[0] = row->run;
        if (at[1] < 0 || x > g->largest[i])
            g->largest[i] = x, at[1] = row->run;
    }
}

static dal_status note_failure(dal_study_table *t, const dal_study_row *row)
{
    t->failed++;
    if (t->n_failures == DAL_PAGE_REASONS)
        return DAL_OK;
    char *reason = strdup(row->reason);
    if (!reason)
        return DAL_NO_MEMORY;
    t->failures[t->n_failures++] = (dal_study_failure){row->run, row->status, reason};
    return DAL_OK;
}

static dal_status scan_runs(gathering *g)
{
    dal_study_table *t = g->table;
    dal_study_row row;
    dal_status status = DAL_OK, kept = DAL_OK;
    while (kept == DAL_OK && dal_study_next(g->reader, &row, &status)) {
        note_extremes(g, &row);
        t->rows += is_taken(g, row.run); /* the extremes so far are included: at least as many rows as needed */
        if (row.status != DAL_OK)
            kept = note_failure(t, &row);
    }
    t->rows = g->share < 1 ? t->rows + t->n_extremes : t->there;
    return kept == DAL_OK ? status : kept;
}

/* ---- columns ---------------------------------------------------------------------------------- */

static bool allocate_column(dal_study_column *column, long rows, bool exact)
{
    if (exact)
        column->doubles = malloc(sizeof *column->doubles * (size_t)rows);
    else
        column->floats = malloc(sizeof *column->floats * (size_t)rows);
    return column->doubles || column->floats;
}

static bool allocate_columns(gathering *g)
{
    dal_study_table *t = g->table;
    const size_t rows = (size_t)t->rows + 1;
    bool good = true;
    t->n_values = t->rows <= EXACT_ROWS ? g->study->info.values : g->study->summaries.n;
    t->numbers = malloc(sizeof *t->numbers * rows);
    t->status = t->failed ? malloc(sizeof *t->status * rows) : NULL;
    for (int i = 0; i < t->n_values; i++)
        good = good && allocate_column(&t->values[i], t->rows + 1, t->rows <= EXACT_ROWS);
    for (int i = 0; i < g->study->factors.n; i++) /* exact: the command that repeats a run has them */
        good = good && (!g->study->factors.item[i].factor.random || allocate_column(&t->factors[i], t->rows + 1, true));
    return good && t->numbers && (t->status || !t->failed);
}

static void put_value(dal_study_column *column, long row, double x)
{
    if (!row)
        column->first = x;
    column->varies = column->varies || (x != column->first && !(isnan(x) && isnan(column->first)));
    if (column->doubles)
        column->doubles[row] = x;
    else
        column->floats[row] = (float)x;
}

static void put_row(gathering *g, const dal_study_row *row)
{
    dal_study_table *t = g->table;
    const dal_study *s = g->study;
    t->numbers[g->at] = (uint32_t)row->run;
    if (t->status)
        t->status[g->at] = row->status == DAL_OK ? 0 : row->status == DAL_NUMERICAL ? 1 : 2;
    for (int i = 0; i < t->n_values; i++)
        put_value(&t->values[i], g->at, row->values[i]);
    for (int i = 0; i < s->factors.n; i++)
        if (s->factors.item[i].factor.random)
            put_value(&t->factors[i], g->at, dal_factor_value(&s->factors.item[i], &s->samples, row->run));
    g->at++;
}

static dal_status fill_columns(gathering *g)
{
    dal_study_row row;
    dal_status status = DAL_OK;
    dal_study_rewind(g->reader);
    while (dal_study_next(g->reader, &row, &status))
        if (is_taken(g, row.run) && g->at < g->table->rows)
            put_row(g, &row);
    g->table->rows = g->at;
    g->table->some = g->at < g->study->info.runs;
    return status;
}

/* ---- the whole ---------------------------------------------------------------------------------- */

dal_status dal_study_table_read(dal_study_table *t, const dal_study *study, dal_study_reader *reader, long most)
{
    gathering g = {.study = study, .reader = reader, .table = t};
    const size_t n = (size_t)study->summaries.n + 1;
    *t =
        (dal_study_table){.there = study->info.runs - dal_study_missing(reader), .n_extremes = 2 * study->summaries.n, .n_factors = study->factors.n};
    t->values = calloc((size_t)study->info.values + 1, sizeof *t->values);
    t->factors = calloc((size_t)study->factors.n + 1, sizeof *t->factors);
    t->extremes = malloc(2 * n * sizeof *t->extremes);
    t->failures = calloc(DAL_PAGE_REASONS, sizeof *t->failures);
    g.least = malloc(n * sizeof *g.least);
    g.largest = malloc(n * sizeof *g.largest);
    dal_status status = t->values && t->factors && t->extremes && t->failures && g.least && g.largest ? DAL_OK : DAL_NO_MEMORY;
    for (int i = 0; status == DAL_OK && i < t->n_extremes; i++)
        t->extremes[i] = -1;
    g.share = share_of(&g, most);
    dal_study_rewind(reader);
    if (status == DAL_OK)
        status = scan_runs(&g);
    if (status == DAL_OK)
        status = allocate_columns(&g) ? fill_columns(&g) : DAL_NO_MEMORY;
    free(g.least);
    free(g.largest);
    return status;
}

static void free_columns(dal_study_column *columns, int n)
{
    for (int i = 0; columns && i < n; i++) {
        free(columns[i].doubles);
        free(columns[i].floats);
    }
    free(columns);
}

void dal_study_table_free(dal_study_table *t)
{
    for (int i = 0; i < t->n_failures; i++)
        free(t->failures[i].reason);
    free(t->failures);
    free(t->numbers);
    free(t->status);
    free(t->extremes);
    free_columns(t->values, t->n_values);
    free_columns(t->factors, t->n_factors);
    *t = (dal_study_table){0};
}
