/* The page of a study: its entry `study` of the header, whose numbers are blocks, and runs that move. */
#include "study/study_page.h"

#include "base/json.h"
#include "model/system_parts.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct paging {
    const dal_study *study;
    const dal_study_write_options *options;
    dal_page *page;
    dal_study_table table;
    dal_study_bands bands;
    dal_study_motions motions;
    /* numbers of blocks; -1: there is none */
    int numbers, status, times;
    int *values, *factors, *levels;
} paging;

/* ---- blocks -------------------------------------------------------------------------------- */

static int block_of(const paging *p, const dal_study_column *column)
{
    return dal_page_block(p->page, &(dal_page_numbers){(int)p->table.rows, 1, column->doubles, column->floats, NULL, NULL});
}

static int whole_block(const paging *p, const uint32_t *numbers)
{
    return dal_page_block(p->page, &(dal_page_numbers){(int)p->table.rows, 1, NULL, NULL, numbers, NULL});
}

static void add_factor_blocks(paging *p)
{
    for (int i = 0; i < p->study->factors.n; i++) {
        const dal_study_variable *f = &p->study->factors.item[i].factor;
        p->factors[i] = f->random   ? block_of(p, &p->table.factors[i])
                        : f->values ? dal_page_block(p->page, &(dal_page_numbers){f->n, 1, f->values, NULL, NULL, NULL})
                                    : -1;
    }
}

static void add_band_blocks(paging *p)
{
    const dal_study_bands *b = &p->bands;
    const size_t one = (size_t)b->n_times * DAL_BAND_LEVELS;
    p->times = b->n_times ? dal_page_block(p->page, &(dal_page_numbers){b->n_times, 1, b->times, NULL, NULL, NULL}) : -1;
    for (int i = 0; b->n_times && i < b->n_groups * b->n_channels; i++)
        p->levels[i] = dal_page_block(p->page, &(dal_page_numbers){b->n_times, DAL_BAND_LEVELS, b->levels + one * (size_t)i, NULL, NULL, NULL});
}

static dal_status add_blocks(paging *p)
{
    const dal_study_table *t = &p->table;
    p->values = calloc((size_t)t->n_values + 1, sizeof *p->values);
    p->factors = calloc((size_t)p->study->factors.n + 1, sizeof *p->factors);
    p->levels = calloc((size_t)(p->bands.n_groups * p->bands.n_channels) + 1, sizeof *p->levels);
    if (!p->values || !p->factors || !p->levels)
        return DAL_NO_MEMORY;
    p->numbers = t->some && t->rows ? whole_block(p, t->numbers) : -1;
    p->status = t->status && t->rows ? whole_block(p, t->status) : -1;
    for (int i = 0; i < t->n_values; i++)
        p->values[i] = t->values[i].varies ? block_of(p, &t->values[i]) : -1;
    add_factor_blocks(p);
    add_band_blocks(p);
    return DAL_OK;
}

/* ---- the entry of the header --------------------------------------------------------------------- */

static void put_block(dal_json *json, const char *key, int block)
{
    if (block >= 0)
        dal_json_integer(json, key, block);
    else
        dal_json_null(json, key);
}

static void put_factor(dal_json *json, const void *of, int i)
{
    const paging *p = of;
    const dal_planned *planned = &p->study->factors.item[i];
    const dal_study_variable *f = &planned->factor;
    dal_json_string(json, "name", f->name);
    dal_json_string(json, "unit", f->unit);
    dal_json_string(json, "text", f->text);
    dal_json_truth(json, "setting", f->setting);
    dal_json_truth(json, "random", f->random);
    dal_json_integer(json, "stride", planned->stride);
    if (f->words)
        dal_json_strings(json, "words", f->n, f->words);
    put_block(json, "block", p->factors[i]);
}

/* "each 'peak=max(A.angle)'" -> max(A.angle) */
static void put_summary(dal_json *json, const dal_study *study, int i)
{
    const char *text = study->summaries.text[i], *equals = strchr(text, '=');
    char copy[200];
    snprintf(copy, sizeof copy, "%.190s", equals ? equals + 1 : text);
    if (*copy && copy[strlen(copy) - 1] == '\'')
        copy[strlen(copy) - 1] = '\0';
    dal_json_string(json, "text", copy);
}

static void put_value(dal_json *json, const void *of, int i)
{
    const paging *p = of;
    dal_json_string(json, "name", p->study->values[i].name);
    dal_json_string(json, "unit", p->study->values[i].unit);
    dal_json_truth(json, "summary", i < p->study->summaries.n);
    if (i < p->study->summaries.n)
        put_summary(json, p->study, i);
    put_block(json, "block", p->values[i]);
    dal_json_number(json, "constant", p->table.values[i].first);
}

static void put_failure(dal_json *json, const void *of, int i)
{
    const dal_study_table *t = of;
    dal_json_integer(json, "run", t->failures[i].run);
    dal_json_string(json, "reason", t->failures[i].reason);
}

/* "k = 10, formulation = kane": the listed values of a combination. */
static void put_label(dal_json *json, const dal_study *study, long combination)
{
    char text[300] = "";
    size_t used = 0;
    for (int i = 0; i < study->factors.n; i++) {
        const dal_planned *f = &study->factors.item[i];
        if (f->factor.random || used + 80 > sizeof text)
            continue;
        const double value = dal_factor_value(f, &study->samples, combination * study->info.samples);
        used += (size_t)(f->factor.words ? snprintf(text + used, sizeof text - used, "%s%.30s = %.40s", used ? ", " : "", f->factor.name,
                                                    f->factor.words[(int)value])
                                         : snprintf(text + used, sizeof text - used, "%s%.30s = %.6g", used ? ", " : "", f->factor.name, value));
    }
    dal_json_string(json, "label", text);
}

static void put_channel(dal_json *json, const void *of, int i)
{
    const dal_study *study = of;
    dal_json_string(json, "name", study->channels[i + 1].name);
    dal_json_string(json, "unit", study->channels[i + 1].unit);
}

static void put_group(dal_json *json, const void *of, int i)
{
    const paging *p = of;
    const int n = p->bands.n_channels;
    if (i)
        put_label(json, p->study, i - 1);
    else
        dal_json_string(json, "label", "all runs");
    dal_json_integers(json, "blocks", n, p->levels + i * n);
}

static void put_bands(dal_json *json, const paging *p)
{
    const dal_study_bands *b = &p->bands;
    if (!b->n_times)
        return;
    dal_json_open(json, "bands", '{');
    dal_json_integer(json, "runs", b->runs);
    put_block(json, "time", p->times);
    dal_json_numbers(json, "levels", DAL_BAND_LEVELS, dal_band_levels);
    dal_json_objects(json, "channels", b->n_channels, NULL, put_channel, p->study);
    dal_json_objects(json, "groups", b->n_groups, NULL, put_group, p);
    dal_json_close(json, '}');
}

static void write_entry(dal_json *json, const void *of)
{
    const paging *p = of;
    const dal_study *s = p->study;
    dal_json_open(json, NULL, '{');
    dal_json_integer(json, "runs", s->info.runs);
    dal_json_integer(json, "samples", s->info.samples);
    dal_json_integer(json, "there", p->table.there);
    dal_json_integer(json, "rows", p->table.rows);
    dal_json_integer(json, "failed", p->table.failed);
    dal_json_string(json, "sampling", s->factors.n_random ? dal_sampling_names[s->samples.sampling] : "");
    dal_json_print(json, "seed", "%llu", (unsigned long long)s->samples.seed);
    dal_json_string(json, "command", p->options->command ? p->options->command : "");
    put_block(json, "numbers", p->numbers);
    put_block(json, "status", p->status);
    dal_json_objects(json, "factors", s->factors.n, NULL, put_factor, p);
    dal_json_objects(json, "values", p->table.n_values, NULL, put_value, p);
    dal_json_objects(json, "failures", p->table.n_failures, NULL, put_failure, &p->table);
    put_bands(json, p);
    dal_json_open(json, "motions", '[');
    for (int i = 0; i < p->motions.n; i++)
        dal_json_integer(json, NULL, p->motions.runs[i]);
    dal_json_close(json, ']');
    dal_json_close(json, '}');
}

static dal_status add_entry(paging *p)
{
    const int length = dal_json_text(NULL, 0, write_entry, p);
    char *text = malloc((size_t)length + 1);
    if (!text)
        return DAL_NO_MEMORY;
    dal_json_text(text, (size_t)length + 1, write_entry, p);
    dal_page_entry(p->page, "study", text);
    free(text);
    return DAL_OK;
}

/* ---- the file --------------------------------------------------------------------------------------- */

static const dal_system *first_system(const dal_study *study)
{
    int b = 0;
    while (b < study->n_bases - 1 && !study->base[b].system)
        b++;
    return study->base[b].system;
}

static dal_status open_page(paging *p, const char *path, dal_messages *messages)
{
    const dal_page_options options = {.allocator = &p->study->allocator, .kind = "study", .title = p->study->info.model};
    return dal_page_open(path, dal_system_spec(first_system(p->study)), NULL, &options, messages, &p->page);
}

static dal_status fill_page(paging *p, dal_study_reader *reader, dal_messages *messages)
{
    dal_status status = dal_study_table_read(&p->table, p->study, reader, p->options->rows);
    if (status == DAL_OK)
        status = dal_study_bands_find(&p->bands, p->study, reader);
    if (status == DAL_OK)
        status = dal_study_motions_make(&p->motions, p->study, &p->table, p->options, p->page, messages);
    if (status == DAL_OK)
        status = add_blocks(p);
    if (status == DAL_OK)
        status = add_entry(p);
    if (status == DAL_OK && p->options->go_on && !p->options->go_on(p->options->user)) {
        dal_error(messages, dal_nowhere, "stopped before the page was complete");
        status = DAL_BAD_FILE;
    }
    return status;
}

dal_status dal_study_write_page(const dal_study *study, dal_study_reader *reader, const char *path, const dal_study_write_options *options,
                                dal_messages *messages)
{
    paging p = {.study = study, .options = options};
    dal_status status = open_page(&p, path, messages);
    if (status == DAL_OK)
        status = fill_page(&p, reader, messages);
    if (status == DAL_OK)
        status = dal_page_close(p.page, true);
    else
        dal_page_discard(p.page);
    dal_study_motions_free(&p.motions);
    dal_study_bands_free(&p.bands);
    dal_study_table_free(&p.table);
    free(p.values);
    free(p.factors);
    free(p.levels);
    return status;
}
