/* A study as HDF5:
 *
 *     /run, /status               numbers of the runs in the journals, in the order of the plan; 0: the run reached its end, otherwise as exit codes
 *     /factors/k, ...             the varied values of each run; of a word its index, the words are in the attribute `words`
 *     /values/peak, ...           summaries and evidence; NaN where there is none
 *     /failed/run, /failed/reason those that failed
 *     /channels_begin             the first row of each run, and at the end the number of all rows
 *     /channels/time, ...         rows of all runs, one after the other
 *
 * Every dataset has the attribute `unit`. Attributes of the root are the model, the plan and the version. The file has no time stamps: the same runs
 * produce the same bytes.
 */
#include "study/study_file.h"

#ifdef DAL_HAVE_HDF5

#include "output/hdf5_visit.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { CHUNK = 1024, LONGEST_REASON = 600, TRUNCATE = 0x0002 /* H5F_ACC_TRUNC */ };

/* One dataset, filled from the front. */
typedef struct series {
    hid_t dataset;
    size_t element; /* bytes */
    hsize_t n, written, filled;
    unsigned char *buffer; /* CHUNK elements */
} series;

typedef struct book {
    dal_hdf5_visit visit;
    const dal_study *study;
    dal_study_reader *reader;
    hid_t file, how; /* how: without times */
    hsize_t runs, failed, rows;
    int n_series, room;
    series *series;
    series *run, *status, *factors, *values, *failed_run, *failed_reason, *begin, *channels;
    hsize_t rows_so_far;
    bool good;
} book;

/* ---- datasets ----------------------------------------------------------------------------------- */

static hid_t make_dataset(book *b, hid_t group, const char *name, const char *unit, hid_t type, hsize_t n)
{
    const dal_hdf5 *h = &b->visit.library;
    char link[4096];
    const hsize_t chunk = CHUNK;
    dal_hdf5_name(name, link, sizeof link);
    hid_t space = h->H5Screate_simple(1, &n, NULL), how = h->H5Pcreate(h->H5P_CLS_DATASET_CREATE_ID_g), dataset = -1;
    if (space >= 0 && how >= 0 && h->H5Pset_obj_track_times(how, 0) >= 0 && (n < CHUNK || h->H5Pset_chunk(how, 1, &chunk) >= 0))
        dataset = h->H5Dcreate2(group, link, type, space, H5P_DEFAULT, how, H5P_DEFAULT);
    if (dataset >= 0 && !dal_hdf5_write_text(h, dataset, "unit", unit)) {
        h->H5Dclose(dataset);
        dataset = -1;
    }
    dal_hdf5_close(h->H5Pclose, how);
    dal_hdf5_close(h->H5Sclose, space);
    return dataset;
}

static series *add_series(book *b, hid_t group, const char *name, const char *unit, hid_t type, size_t element, hsize_t n)
{
    series *s = &b->series[b->n_series++];
    *s = (series){.element = element, .n = n, .dataset = make_dataset(b, group, name, unit, type, n)};
    s->buffer = calloc(CHUNK, element);
    b->good = b->good && s->dataset >= 0 && s->buffer;
    return s;
}

static series *add_numbers(book *b, hid_t group, const char *name, const char *unit, hsize_t n)
{
    return add_series(b, group, name, unit, b->visit.library.H5T_NATIVE_DOUBLE_g, sizeof(double), n);
}

/* Writes the buffer: a whole chunk, or all of a dataset that is smaller than one. */
static void put_chunk(book *b, series *s)
{
    const dal_hdf5 *h = &b->visit.library;
    const hsize_t offset = s->written;
    memset(s->buffer + s->filled * s->element, 0, (CHUNK - s->filled) * s->element);
    if (s->n < CHUNK) {
        const hid_t type = h->H5Dget_type(s->dataset);
        b->good = b->good && h->H5Dwrite(s->dataset, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, s->buffer) >= 0;
        dal_hdf5_close(h->H5Tclose, type);
    } else {
        b->good = b->good && h->H5Dwrite_chunk(s->dataset, H5P_DEFAULT, 0, &offset, CHUNK * s->element, s->buffer) >= 0;
    }
    s->written += s->filled;
    s->filled = 0;
}

static void put_value(book *b, series *s, const void *value)
{
    memcpy(s->buffer + s->filled * s->element, value, s->element);
    if (++s->filled == CHUNK || s->written + s->filled == s->n)
        put_chunk(b, s);
}

static void put_number(book *b, series *s, double value)
{
    put_value(b, s, &value);
}

/* ---- the file ------------------------------------------------------------------------------------- */

static hid_t make_group(book *b, const char *name)
{
    const hid_t group = b->visit.library.H5Gcreate2(b->file, name, H5P_DEFAULT, b->how, H5P_DEFAULT);
    b->good = b->good && group >= 0;
    return group;
}

static void write_root(book *b)
{
    const dal_hdf5 *h = &b->visit.library;
    const dal_study_info *info = &b->study->info;
    b->good = b->good && dal_hdf5_write_text(h, b->file, "program", "dalembert") && dal_hdf5_write_text(h, b->file, "version", info->version) &&
              dal_hdf5_write_text(h, b->file, "model", info->model) && dal_hdf5_write_text(h, b->file, "model_hash", info->model_hash) &&
              dal_hdf5_write_text(h, b->file, "study_hash", info->hash) && dal_hdf5_write_number(h, b->file, "runs", (double)info->runs) &&
              dal_hdf5_write_number(h, b->file, "samples", (double)info->samples);
}

static void write_words(book *b, hid_t dataset, const dal_study_variable *factor)
{
    size_t size = 1;
    for (int i = 0; i < factor->n; i++)
        size += strlen(factor->words[i]) + 1;
    char *text = calloc(1, size);
    b->good = b->good && text;
    for (int i = 0; text && i < factor->n; i++)
        strcat(strcat(text, i ? " " : ""), factor->words[i]);
    b->good = b->good && dal_hdf5_write_text(&b->visit.library, dataset, "words", text);
    free(text);
}

static void make_factors(book *b)
{
    const dal_hdf5 *h = &b->visit.library;
    const hid_t group = make_group(b, "factors");
    b->factors = b->series + b->n_series;
    for (int i = 0; i < b->study->factors.n && b->good; i++) {
        const dal_study_variable *f = &b->study->factors.item[i].factor;
        const series *s = add_numbers(b, group, f->name, f->unit, b->runs);
        b->good = b->good && dal_hdf5_write_text(h, s->dataset, "values", f->text);
        if (b->good && f->words)
            write_words(b, s->dataset, f);
    }
    dal_hdf5_close(h->H5Gclose, group);
}

static void make_columns(book *b, const char *name, int n, const dal_column *columns, hsize_t length, series **first)
{
    const hid_t group = make_group(b, name);
    *first = b->series + b->n_series;
    for (int i = 0; i < n && b->good; i++)
        add_numbers(b, group, columns[i].name, columns[i].unit, length);
    dal_hdf5_close(b->visit.library.H5Gclose, group);
}

static void make_failed(book *b)
{
    const dal_hdf5 *h = &b->visit.library;
    const hid_t group = make_group(b, "failed"), type = h->H5Tcopy(h->H5T_C_S1_g);
    b->good = b->good && h->H5Tset_size(type, LONGEST_REASON) >= 0 && h->H5Tset_cset(type, H5T_CSET_UTF8) >= 0;
    b->failed_run = add_numbers(b, group, "run", "", b->failed);
    b->failed_reason = add_series(b, group, "reason", "", type, LONGEST_REASON, b->failed);
    dal_hdf5_close(h->H5Tclose, type);
    dal_hdf5_close(h->H5Gclose, group);
}

static void make_channels(book *b)
{
    const dal_study_info *info = &b->study->info;
    if (!info->channels)
        return;
    make_columns(b, "channels", info->channels, b->study->channels, b->rows, &b->channels);
    b->begin = add_numbers(b, b->file, "channels_begin", "", b->runs + 1);
}

static void make_all(book *b)
{
    write_root(b);
    b->run = add_numbers(b, b->file, "run", "", b->runs);
    b->status = add_numbers(b, b->file, "status", "", b->runs);
    make_factors(b);
    make_columns(b, "values", b->study->info.values, b->study->values, b->runs, &b->values);
    make_failed(b);
    make_channels(b);
}

static bool open_file(book *b)
{
    const dal_hdf5 *h = &b->visit.library;
    const hid_t access = dal_hdf5_access(&b->visit), how = h->H5Pcreate(h->H5P_CLS_FILE_CREATE_ID_g);
    b->how = h->H5Pcreate(h->H5P_CLS_GROUP_CREATE_ID_g);
    if (access >= 0 && how >= 0 && b->how >= 0 && h->H5Pset_obj_track_times(how, 0) >= 0 && h->H5Pset_obj_track_times(b->how, 0) >= 0)
        b->file = h->H5Fcreate(b->visit.destination->path, TRUNCATE, how, access);
    dal_hdf5_close(h->H5Pclose, how);
    dal_hdf5_close(h->H5Pclose, access);
    return b->file >= 0;
}

/* ---- rows ---------------------------------------------------------------------------------------------- */

static void put_row(book *b, const dal_study_row *row)
{
    const dal_study *s = b->study;
    put_number(b, b->run, (double)row->run);
    put_number(b, b->status, (double)row->status);
    for (int i = 0; i < s->factors.n; i++)
        put_number(b, &b->factors[i], dal_factor_value(&s->factors.item[i], &s->samples, row->run));
    for (int i = 0; i < s->info.values; i++)
        put_number(b, &b->values[i], row->values[i]);
    if (row->status != DAL_OK) {
        char reason[LONGEST_REASON] = "";
        strncpy(reason, row->reason, sizeof reason - 1);
        put_number(b, b->failed_run, (double)row->run);
        put_value(b, b->failed_reason, reason);
    }
    if (!s->info.channels)
        return;
    put_number(b, b->begin, (double)b->rows_so_far);
    for (long r = 0; r < row->n_rows; r++)
        for (int c = 0; c < s->info.channels; c++)
            put_number(b, &b->channels[c], row->rows[r * s->info.channels + c]);
    b->rows_so_far += (hsize_t)row->n_rows;
}

/* Counts the runs, failures and rows. */
static dal_status count_rows(book *b)
{
    dal_study_row row;
    dal_status status;
    while (dal_study_next(b->reader, &row, &status)) {
        b->runs++;
        b->failed += row.status != DAL_OK;
        b->rows += (hsize_t)row.n_rows;
    }
    dal_study_rewind(b->reader);
    return status;
}

static dal_status fill_book(book *b)
{
    dal_study_row row;
    dal_status status = DAL_OK;
    make_all(b);
    while (b->good && dal_study_next(b->reader, &row, &status))
        put_row(b, &row);
    if (b->good && b->begin)
        put_number(b, b->begin, (double)b->rows_so_far);
    if (status != DAL_OK)
        return status;
    return b->good ? dal_hdf5_arrived(&b->visit) : dal_hdf5_trouble(&b->visit, "be written");
}

static dal_status close_file(book *b, dal_status status)
{
    const dal_hdf5 *h = &b->visit.library;
    if (status != DAL_OK && !b->visit.way.error)
        b->visit.way.error = ECANCELED; /* the rest is not needed */
    dal_hdf5_close(h->H5Pclose, b->how);
    if (b->file >= 0 && h->H5Fclose(b->file) < 0 && status == DAL_OK)
        status = dal_hdf5_trouble(&b->visit, "be closed");
    return status == DAL_OK ? dal_hdf5_arrived(&b->visit) : status;
}

static dal_status write_book(book *b)
{
    dal_hdf5_enter(&b->visit);
    dal_status status =
        dal_hdf5_way_open(&b->visit.way, &b->visit.library) && open_file(b) ? fill_book(b) : dal_hdf5_trouble(&b->visit, "be created");
    status = close_file(b, status);
    dal_hdf5_leave(&b->visit);
    dal_hdf5_way_close(&b->visit.way);
    return status;
}

dal_status dal_study_write_hdf5(const dal_study *study, dal_study_reader *reader, const dal_destination *destination)
{
    book b = {.visit = {.destination = destination}, .study = study, .reader = reader, .file = -1, .how = -1, .good = true};
    char why[512];
    b.series = calloc((size_t)(study->factors.n + study->info.values + study->info.channels) + 8, sizeof *b.series);
    dal_status status = b.series ? count_rows(&b) : DAL_NO_MEMORY;
    if (status == DAL_OK && !dal_hdf5_load(&b.visit.library, why, sizeof why)) {
        dal_error(destination->messages, (dal_mark){destination->name, 0, 0}, "cannot be written: %s", why);
        status = DAL_BAD_FILE;
    } else if (status == DAL_OK) {
        status = write_book(&b);
        dal_hdf5_unload(&b.visit.library);
    }
    for (int i = 0; i < b.n_series; i++)
        free(b.series[i].buffer);
    free(b.series);
    return status;
}

#else

dal_status dal_study_write_hdf5(const dal_study *study, dal_study_reader *reader, const dal_destination *destination)
{
    (void)study, (void)reader;
    dal_error(destination->messages, (dal_mark){destination->name, 0, 0},
              "this build has no HDF5; install Debian's package libhdf5-dev and build again, or write .csv");
    return DAL_BAD_COMMAND;
}

#endif
