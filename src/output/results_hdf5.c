/* Results in HDF5: every one-dimensional dataset of the root is a column, in the order of their attribute `index`. Read by blocks of rows.
 *
 * A file of a killed run is marked as being written. It is opened in this mode (SWMR), and read up to the length that all its columns have. */
#include "output/results.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef DAL_HAVE_HDF5

#include "output/hdf5_library.h"

#include <sys/stat.h>

enum {
    BLOCK = 1024,
    READ_ONLY = 0,
    READ_BESIDE_A_WRITER = 0x0040, /* H5F_ACC_RDONLY, H5F_ACC_SWMR_READ, whose macros call the library */
    LONGEST_TEXT = 1 << 20,
    ATTEMPTS = 20 /* attempts to read a file that may be being written: HDF5 doubles its wait before each; all of them take about a millisecond */
};

typedef struct hdf5 {
    dal_hdf5 library;
    bool loaded;
    hid_t file;
    hid_t *dataset; /* by column */
    hsize_t n_rows, next;
    int filled, used; /* of the block */
    double *block;    /* n_columns x BLOCK */
    double *row;
    H5E_auto2_t old_report;
    void *old_user;
} hdf5;

static dal_status report_trouble(dal_results *r, const char *text)
{
    dal_error(r->messages, (dal_mark){r->path, 0, 0}, "%s", text);
    return DAL_BAD_FILE;
}

/* HDF5 would print its errors. */
static void enter_hdf5(hdf5 *f)
{
    f->library.H5Eget_auto2(H5E_DEFAULT, &f->old_report, &f->old_user);
    f->library.H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
}

static void leave(hdf5 *f)
{
    f->library.H5Eset_auto2(H5E_DEFAULT, f->old_report, f->old_user);
}

/* ---- attributes --------------------------------------------------------------- */

/* Of fixed length, as the writer makes it; "" if it is absent. */
static const char *read_fixed(dal_results *r, const dal_hdf5 *h, hid_t attribute, hid_t type)
{
    const size_t size = h->H5Tget_class(type) == H5T_STRING ? h->H5Tget_size(type) : 0;
    if (!size || size > LONGEST_TEXT)
        return "";
    char *text = dal_arena_alloc(&r->arena, size + 1);
    const bool good = h->H5Aread(attribute, type, text) >= 0;
    text[good ? size : 0] = '\0';
    return text;
}

/* Of variable length, as other programs may make it. */
static const char *read_variable(dal_results *r, const dal_hdf5 *h, hid_t attribute, hid_t type)
{
    char *text = NULL;
    if (h->H5Aread(attribute, type, &text) < 0 || !text)
        return "";
    const char *copy = dal_arena_copy(&r->arena, text, strlen(text));
    h->H5free_memory(text);
    return copy;
}

/* "" if there is none: a scalar, or nothing. */
static const char *read_text(dal_results *r, const dal_hdf5 *h, hid_t object, const char *name)
{
    const char *copy = "";
    if (h->H5Aexists(object, name) <= 0)
        return copy;
    const hid_t attribute = h->H5Aopen(object, name, H5P_DEFAULT), type = attribute < 0 ? -1 : h->H5Aget_type(attribute),
                space = attribute < 0 ? -1 : h->H5Aget_space(attribute);
    if (type >= 0 && space >= 0 && h->H5Sget_simple_extent_npoints(space) == 1)
        copy = (h->H5Tis_variable_str(type) > 0 ? read_variable : read_fixed)(r, h, attribute, type);
    dal_hdf5_close(h->H5Sclose, space);
    dal_hdf5_close(h->H5Tclose, type);
    dal_hdf5_close(h->H5Aclose, attribute);
    return copy;
}

/* One number into `value`, of the type in the file; if there is none, false, and `value` does not change. */
static bool read_scalar(const dal_hdf5 *h, hid_t object, const char *name, hid_t type, void *value)
{
    const hid_t attribute = h->H5Aexists(object, name) > 0 ? h->H5Aopen(object, name, H5P_DEFAULT) : -1,
                space = attribute < 0 ? -1 : h->H5Aget_space(attribute);
    const bool good = space >= 0 && h->H5Sget_simple_extent_npoints(space) == 1 && h->H5Aread(attribute, type, value) >= 0;
    dal_hdf5_close(h->H5Sclose, space);
    dal_hdf5_close(h->H5Aclose, attribute);
    return good;
}

static int read_integer(const dal_hdf5 *h, hid_t object, const char *name, int otherwise)
{
    int value = otherwise;
    return read_scalar(h, object, name, h->H5T_NATIVE_INT_g, &value) ? value : otherwise;
}

/* As text, "" if it is absent: zero means that the run had none. */
static const char *read_number(dal_results *r, const dal_hdf5 *h, hid_t object, const char *name)
{
    double value = 0;
    char text[40];
    if (!read_scalar(h, object, name, h->H5T_NATIVE_DOUBLE_g, &value))
        return "";
    if (!(value > 0))
        return "";
    const int n = snprintf(text, sizeof text, "%.9g", value);
    return dal_arena_copy(&r->arena, text, (size_t)n);
}

/* How the run was made: words, then numbers. */
static void read_options(dal_results *r, const dal_hdf5 *h, hid_t root)
{
    static const char *const names[DAL_RESULT_OPTIONS] = {"coordinates", "formulation", "stabilization", "integrator", "step",
                                                          "rtol",        "atol",        "until",         "every"};
    enum { WORDS = 4 };
    for (int i = 0; i < DAL_RESULT_OPTIONS; i++) {
        const char *value = i < WORDS ? read_text(r, h, root, names[i]) : read_number(r, h, root, names[i]);
        if (*value)
            r->options[r->n_options++] = (dal_result_option){names[i], value};
    }
}

/* ---- columns --------------------------------------------------------------------- */

/* "a%2Fb" -> "a/b", as the writer escapes it. */
static const char *unescape(dal_arena *arena, const char *name)
{
    char *out = dal_arena_copy(arena, name, strlen(name)), *end = out;
    for (; *name; name++, end++) {
        unsigned code;
        if (*name == '%' && sscanf(name + 1, "%2X", &code) == 1 && name[1] && name[2]) {
            *end = (char)code;
            name += 2;
        } else {
            *end = *name;
        }
    }
    *end = '\0';
    return out;
}

typedef struct found {
    int index;
    hid_t dataset;
    dal_column column;
} found;

static int by_index(const void *a, const void *b)
{
    const found *x = a, *y = b;
    return (x->index > y->index) - (x->index < y->index);
}

/* Its length; false if it is not a column of numbers. */
static bool is_column(const dal_hdf5 *h, hid_t dataset, hsize_t *length)
{
    const hid_t space = h->H5Dget_space(dataset), type = h->H5Dget_type(dataset);
    const bool good = space >= 0 && type >= 0 && h->H5Sget_simple_extent_ndims(space) == 1 &&
                      h->H5Sget_simple_extent_dims(space, length, NULL) == 1 &&
                      (h->H5Tget_class(type) == H5T_FLOAT || h->H5Tget_class(type) == H5T_INTEGER);
    dal_hdf5_close(h->H5Sclose, space);
    dal_hdf5_close(h->H5Tclose, type);
    return good;
}

static dal_status list_columns(dal_results *r, hdf5 *f)
{
    const dal_hdf5 *h = &f->library;
    H5G_info_t info;
    if (h->H5Gget_info(f->file, &info) < 0 || info.nlinks > DAL_RESULT_COLUMNS)
        return report_trouble(r, "cannot be read: it has no list of datasets, or one that is too long");
    found *all = DAL_NEW(&r->arena, found, info.nlinks + 1);
    f->dataset = DAL_NEW(&r->arena, hid_t, info.nlinks + 1);
    r->columns = DAL_NEW(&r->arena, dal_column, info.nlinks + 1);
    int n = 0;
    for (hsize_t i = 0; i < info.nlinks; i++) {
        char name[4096];
        hsize_t length = 0;
        const ssize_t size = h->H5Lget_name_by_idx(f->file, ".", H5_INDEX_NAME, H5_ITER_INC, i, name, sizeof name, H5P_DEFAULT);
        const hid_t dataset = size < 0 || size >= (ssize_t)sizeof name ? -1 : h->H5Dopen2(f->file, name, H5P_DEFAULT);
        if (dataset < 0)
            continue;
        if (!is_column(h, dataset, &length)) {
            h->H5Dclose(dataset);
            continue;
        }
        if (n && length != f->n_rows && !r->incomplete)
            return report_trouble(r, "its columns are not equally long: it is not a file of results");
        f->n_rows = !n || length < f->n_rows ? length : f->n_rows;
        all[n] = (found){read_integer(h, dataset, "index", (int)i), dataset, {unescape(&r->arena, name), read_text(r, h, dataset, "unit")}};
        n++;
    }
    qsort(all, (size_t)n, sizeof *all, by_index);
    for (int i = 0; i < n; i++) {
        f->dataset[i] = all[i].dataset;
        r->columns[i] = all[i].column;
    }
    r->n_columns = n;
    return DAL_OK;
}

/* ---- files that are not complete ---------------------------------------------------- */

/* The run did not reach its end: the file says so, or the process was killed or still writes. */
static void find_end(dal_results *r, const hdf5 *f, bool beside_a_writer)
{
    if (beside_a_writer)
        dal_results_caution(r, "is incomplete: its run was killed or is still writing; it was read up to what was last written");
    else if (!read_integer(&f->library, f->file, "complete", 1))
        dal_results_caution(r, "is incomplete: its run did not reach its end");
}

/* ---- open, rows, close ---------------------------------------------------------------- */

static dal_status open_file(dal_results *r, hdf5 *f)
{
    const dal_hdf5 *h = &f->library;
    struct stat place;
    if (!stat(r->path, &place) && !S_ISREG(place.st_mode))
        return report_trouble(r, "cannot be read: it is not a plain file");
    hid_t access = h->H5Pcreate(h->H5P_CLS_FILE_ACCESS_ID_g);
    bool beside = false;
    if (access >= 0) {
        h->H5Pset_fclose_degree(access, H5F_CLOSE_STRONG);
        h->H5Pset_cache(access, 0, 1, 0, 0.75); /* a cache of chunks would need a megabyte for each column */
        f->file = h->H5Fopen(r->path, READ_ONLY, access);
        beside = f->file < 0;
        if (beside && h->H5Pset_metadata_read_attempts(access, ATTEMPTS) >= 0)
            f->file = h->H5Fopen(r->path, READ_ONLY | READ_BESIDE_A_WRITER, access);
        h->H5Pclose(access);
    }
    if (f->file < 0)
        return report_trouble(r, "cannot be read: it is missing, or not an HDF5 file");
    find_end(r, f, beside);
    r->hash = read_text(r, h, f->file, "model_hash");
    read_options(r, h, f->file);
    r->report = read_text(r, h, f->file, "report");
    dal_status status = list_columns(r, f);
    f->block = DAL_NEW(&r->arena, double, (size_t)BLOCK *(size_t)r->n_columns);
    f->row = DAL_NEW(&r->arena, double, r->n_columns);
    return status;
}

static dal_status open_hdf5(dal_results *r)
{
    hdf5 *f = DAL_NEW(&r->arena, hdf5, 1);
    char why[512];
    f->file = -1;
    r->file = f;
    f->loaded = dal_hdf5_load(&f->library, why, sizeof why);
    if (!f->loaded) {
        dal_error(r->messages, (dal_mark){r->path, 0, 0}, "cannot be read: %s", why);
        return DAL_BAD_FILE;
    }
    enter_hdf5(f);
    dal_status status = open_file(r, f);
    leave(f);
    return status;
}

static bool read_block(const dal_results *r, hdf5 *f)
{
    const dal_hdf5 *h = &f->library;
    const hsize_t left = f->n_rows - f->next, count = left < BLOCK ? left : BLOCK;
    const hid_t memory = h->H5Screate_simple(1, &count, NULL);
    bool good = memory >= 0;
    for (int i = 0; i < r->n_columns && good; i++) {
        const hid_t space = h->H5Dget_space(f->dataset[i]);
        good = space >= 0 && h->H5Sselect_hyperslab(space, H5S_SELECT_SET, &f->next, NULL, &count, NULL) >= 0 &&
               h->H5Dread(f->dataset[i], h->H5T_NATIVE_DOUBLE_g, memory, space, H5P_DEFAULT, f->block + (size_t)i * BLOCK) >= 0;
        dal_hdf5_close(h->H5Sclose, space);
    }
    dal_hdf5_close(h->H5Sclose, memory);
    f->next += count;
    f->filled = (int)count;
    f->used = 0;
    return good;
}

static dal_status next(dal_results *r, const double **row)
{
    hdf5 *f = r->file;
    if (f->used == f->filled) {
        if (f->next == f->n_rows)
            return DAL_OK;
        enter_hdf5(f);
        const bool good = read_block(r, f);
        leave(f);
        if (!good)
            return report_trouble(r, "cannot be read: the file is damaged");
    }
    for (int i = 0; i < r->n_columns; i++)
        f->row[i] = f->block[(size_t)i * BLOCK + (size_t)f->used];
    f->used++;
    *row = f->row;
    return DAL_OK;
}

static void release_hdf5(dal_results *r)
{
    hdf5 *f = r->file;
    if (!f->loaded)
        return;
    enter_hdf5(f);
    if (f->file >= 0)
        f->library.H5Fclose(f->file);
    leave(f);
    dal_hdf5_unload(&f->library);
}

#else

static dal_status open_hdf5(dal_results *r)
{
    dal_error(r->messages, (dal_mark){r->path, 0, 0}, "this build has no HDF5; install Debian's package libhdf5-dev and build again, or use .csv");
    return DAL_BAD_COMMAND;
}

#define next NULL
#define release_hdf5 NULL

#endif

static const char *const extensions[] = {".h5", ".hdf5", NULL};
const dal_result_type dal_hdf5_results = {extensions, open_hdf5, next, release_hdf5};
