/* HDF5: one growing one-dimensional dataset a channel, under the channel's name, with its unit as the attribute `unit`
 * and its place among the columns as `index`. The root has the model, the choices, `complete` (0 until the run reached its end) and, once the run is
 * over, the evidence as JSON (`evidence`) and in the words of the terminal (`report`). So in Python
 *
 *     f = h5py.File('four-bar.h5'); plot(f['time'], f['crank.angle']); f['crank.angle'].attrs['unit']
 *
 * A slash, which would make a group, is written %2F, and a per cent sign %25.
 *
 * Rows are collected until every channel has a full chunk, which is then written whole. The file is written in HDF5's mode for
 * one writer and many readers (SWMR): names and attributes, as texts of fixed length, before the first row; then rows, and once a second all rows so
 * far. If the process is killed, the file can be read up to there. The evidence is written when the rows are done and that mode has ended.
 */
#include "output/file.h"

#include "base/message.h"

#include <stdio.h>
#include <string.h>

#ifdef DAL_HAVE_HDF5

#include "output/hdf5_visit.h"

#include <errno.h>
#include <time.h>

enum {
    CHUNK = 256, /* rows; 2 kB a channel */
    READ_AND_WRITE = 0x0001,
    TRUNCATE = 0x0002 /* H5F_ACC_RDWR, H5F_ACC_TRUNC, whose macros call the library */
};

typedef struct hdf5 {
    dal_hdf5_visit visit;
    hid_t file;
    hid_t *dataset; /* n of them */
    double *buffer; /* n x CHUNK, a channel's values together */
    int n, filled;
    hsize_t written; /* rows in full chunks */
    time_t flushed;  /* seconds of the clock */
} hdf5;

/* ---- attributes --------------------------------------------------------- */

static bool write_info(const dal_hdf5 *h, hid_t root, const dal_system_info *info)
{
    return dal_hdf5_write_text(h, root, "program", "dalembert") && dal_hdf5_write_text(h, root, "version", info->version) &&
           dal_hdf5_write_text(h, root, "model", info->model) && dal_hdf5_write_text(h, root, "model_hash", info->model_hash) &&
           dal_hdf5_write_text(h, root, "space", info->space == DAL_PLANAR ? "planar" : "spatial") &&
           dal_hdf5_write_text(h, root, "coordinates", info->coordinates) && dal_hdf5_write_text(h, root, "formulation", info->formulation) &&
           dal_hdf5_write_text(h, root, "stabilization", info->stabilization) && dal_hdf5_write_text(h, root, "integrator", info->integrator) &&
           dal_hdf5_write_number(h, root, "until", info->until) && dal_hdf5_write_number(h, root, "step", info->step) &&
           dal_hdf5_write_number(h, root, "every", info->every) && dal_hdf5_write_number(h, root, "rtol", info->rtol) &&
           dal_hdf5_write_number(h, root, "atol", info->atol) && dal_hdf5_write_integer(h, root, "complete", 0);
}

/* ---- channels ----------------------------------------------------------- */

static hid_t make_dataset(const hdf5 *file, const dal_column *column, int index)
{
    const dal_hdf5 *h = &file->visit.library;
    char name[4096];
    dal_hdf5_name(column->name, name, sizeof name);
    hsize_t size = 0, most = H5S_UNLIMITED, chunk = CHUNK;
    hid_t space = h->H5Screate_simple(1, &size, &most);
    hid_t how = h->H5Pcreate(h->H5P_CLS_DATASET_CREATE_ID_g);
    hid_t dataset = -1;
    if (space >= 0 && how >= 0 && h->H5Pset_chunk(how, 1, &chunk) >= 0)
        dataset = h->H5Dcreate2(file->file, name, h->H5T_NATIVE_DOUBLE_g, space, H5P_DEFAULT, how, H5P_DEFAULT);
    if (dataset >= 0 && !(dal_hdf5_write_text(h, dataset, "unit", column->unit) && dal_hdf5_write_integer(h, dataset, "index", index))) {
        h->H5Dclose(dataset);
        dataset = -1;
    }
    dal_hdf5_close(h->H5Pclose, how);
    dal_hdf5_close(h->H5Sclose, space);
    return dataset;
}

/* Every chunk is written whole; in the last one the rest is beyond the dataset's extent, and is written again when it is full. */
static dal_status put_chunks(hdf5 *file)
{
    const dal_hdf5 *h = &file->visit.library;
    hsize_t offset = file->written, size = offset + (hsize_t)file->filled;
    for (int i = 0; i < file->n; i++) {
        double *values = file->buffer + (size_t)i * CHUNK;
        memset(values + file->filled, 0, (size_t)(CHUNK - file->filled) * sizeof *values);
        if (h->H5Dset_extent(file->dataset[i], &size) < 0 ||
            h->H5Dwrite_chunk(file->dataset[i], H5P_DEFAULT, 0, &offset, CHUNK * sizeof *values, values) < 0)
            return dal_hdf5_trouble(&file->visit, "be written");
    }
    if (file->filled == CHUNK) {
        file->written = size;
        file->filled = 0;
    }
    return dal_hdf5_arrived(&file->visit);
}

/* Writes all rows so far to the file. */
static dal_status flush_datasets(hdf5 *file)
{
    dal_status status = file->filled ? put_chunks(file) : DAL_OK;
    for (int i = 0; i < file->n && status == DAL_OK; i++)
        if (file->visit.library.H5Dflush(file->dataset[i]) < 0)
            status = dal_hdf5_trouble(&file->visit, "be written");
    return status == DAL_OK ? dal_hdf5_arrived(&file->visit) : status;
}

/* ---- the file ----------------------------------------------------------- */

/* The root lists its datasets in the order of the columns. */
static hid_t create_file(hdf5 *file)
{
    const dal_hdf5 *h = &file->visit.library;
    hid_t access = dal_hdf5_access(&file->visit), how = h->H5Pcreate(h->H5P_CLS_FILE_CREATE_ID_g), made = -1;
    if (access >= 0 && how >= 0 && h->H5Pset_link_creation_order(how, H5P_CRT_ORDER_TRACKED | H5P_CRT_ORDER_INDEXED) >= 0)
        made = h->H5Fcreate(file->visit.destination->path, TRUNCATE, how, access);
    dal_hdf5_close(h->H5Pclose, how);
    dal_hdf5_close(h->H5Pclose, access);
    return made;
}

/* Ends the mode for one writer: opens the file again to write values that are only known now. */
static bool open_again(hdf5 *file)
{
    const dal_hdf5 *h = &file->visit.library;
    hid_t old = file->file;
    file->file = -1;
    if (h->H5Fclose(old) < 0 || file->visit.way.error)
        return false;
    hid_t access = dal_hdf5_access(&file->visit);
    if (access < 0)
        return false;
    file->file = h->H5Fopen(file->visit.destination->path, READ_AND_WRITE, access);
    h->H5Pclose(access);
    return file->file >= 0;
}

static void release_hdf5(void *user)
{
    hdf5 *file = user;
    const dal_allocator *allocator = file->visit.destination->allocator;
    if (file->file >= 0) {
        dal_hdf5_enter(&file->visit);
        file->visit.way.error = file->visit.way.error ? file->visit.way.error : ECANCELED; /* the rest is not needed */
        file->visit.library.H5Fclose(file->file);
        dal_hdf5_leave(&file->visit);
    }
    dal_hdf5_way_close(&file->visit.way);
    dal_hdf5_unload(&file->visit.library);
    allocator->release(allocator->user, file->dataset);
    allocator->release(allocator->user, file->buffer);
    allocator->release(allocator->user, file);
}

static dal_status open_hdf5(const dal_destination *destination, void **result)
{
    hdf5 *file = destination->allocator->allocate(destination->allocator->user, sizeof *file);
    if (!file)
        return DAL_NO_MEMORY;
    *file = (hdf5){.visit = {.destination = destination}, .file = -1};
    dal_status status = DAL_OK;
    char why[512];
    if (!dal_hdf5_load(&file->visit.library, why, sizeof why)) {
        dal_error(destination->messages, (dal_mark){destination->name, 0, 0}, "cannot be written: %s", why);
        status = DAL_BAD_FILE;
    } else {
        dal_hdf5_enter(&file->visit);
        if (!dal_hdf5_way_open(&file->visit.way, &file->visit.library) || (file->file = create_file(file)) < 0)
            status = dal_hdf5_trouble(&file->visit, "be created");
        dal_hdf5_leave(&file->visit);
    }
    if (status != DAL_OK)
        release_hdf5(file);
    else
        *result = file;
    return status;
}

static dal_status begin_hdf5(void *user, const dal_system_info *info, int n, const dal_column *columns)
{
    hdf5 *file = user;
    const dal_allocator *allocator = file->visit.destination->allocator;
    file->dataset = allocator->allocate(allocator->user, sizeof *file->dataset * (size_t)(n + 1));
    file->buffer = allocator->allocate(allocator->user, sizeof *file->buffer * (size_t)(n + 1) * CHUNK);
    if (!file->dataset || !file->buffer)
        return DAL_NO_MEMORY;
    dal_hdf5_enter(&file->visit);
    dal_status status = write_info(&file->visit.library, file->file, info) ? DAL_OK : dal_hdf5_trouble(&file->visit, "be written");
    for (int i = 0; i < n && status == DAL_OK; i++) {
        file->dataset[i] = make_dataset(file, &columns[i], i);
        char doing[160];
        snprintf(doing, sizeof doing, "take the channel '%.120s'", columns[i].name);
        if (file->dataset[i] < 0)
            status = dal_hdf5_trouble(&file->visit, doing);
    }
    if (status == DAL_OK && (status = dal_hdf5_arrived(&file->visit)) == DAL_OK && file->visit.library.H5Fstart_swmr_write(file->file) < 0)
        status = dal_hdf5_trouble(&file->visit, "be written");
    dal_hdf5_leave(&file->visit);
    file->n = n;
    return status == DAL_OK ? dal_hdf5_arrived(&file->visit) : status;
}

static bool second_is_over(hdf5 *file)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC_COARSE, &now);
    const bool over = now.tv_sec != file->flushed;
    file->flushed = now.tv_sec;
    return over;
}

static dal_status row_hdf5(void *user, int n, const double *values)
{
    hdf5 *file = user;
    for (int i = 0; i < n; i++)
        file->buffer[(size_t)i * CHUNK + (size_t)file->filled] = values[i];
    const bool full = ++file->filled == CHUNK, over = second_is_over(file);
    if (!full && !over)
        return DAL_OK;
    dal_hdf5_enter(&file->visit);
    dal_status status = over ? flush_datasets(file) : put_chunks(file);
    dal_hdf5_leave(&file->visit);
    return status;
}

static dal_status flush_hdf5(void *user)
{
    hdf5 *file = user;
    dal_hdf5_enter(&file->visit);
    dal_status status = flush_datasets(file);
    dal_hdf5_leave(&file->visit);
    return status;
}

static bool mark_complete(const hdf5 *file)
{
    const dal_hdf5 *h = &file->visit.library;
    const int yes = 1;
    const hid_t attribute = h->H5Aopen(file->file, "complete", H5P_DEFAULT);
    const bool good = attribute >= 0 && h->H5Awrite(attribute, h->H5T_NATIVE_INT_g, &yes) >= 0;
    dal_hdf5_close(h->H5Aclose, attribute);
    return good;
}

static dal_status finish_hdf5(void *user, const dal_ending *ending, bool complete)
{
    hdf5 *file = user;
    dal_hdf5_enter(&file->visit);
    dal_status status = flush_datasets(file);
    if (status == DAL_OK && !open_again(file))
        status = dal_hdf5_trouble(&file->visit, "be written");
    if (status == DAL_OK &&
        !((!ending->json || dal_hdf5_write_text(&file->visit.library, file->file, "evidence", ending->json)) &&
          (!ending->text || dal_hdf5_write_text(&file->visit.library, file->file, "report", ending->text)) && (!complete || mark_complete(file))))
        status = dal_hdf5_trouble(&file->visit, "be written");
    if (status == DAL_OK) {
        hid_t old = file->file;
        file->file = -1;
        status = file->visit.library.H5Fclose(old) < 0 ? dal_hdf5_trouble(&file->visit, "be closed") : dal_hdf5_arrived(&file->visit);
    }
    dal_hdf5_leave(&file->visit);
    return status;
}

#else

static dal_status open_hdf5(const dal_destination *destination, void **result)
{
    (void)result;
    dal_error(destination->messages, (dal_mark){destination->name, 0, 0},
              "this build has no HDF5; install Debian's package libhdf5-dev and build again, or write .csv");
    return DAL_BAD_COMMAND;
}

#define begin_hdf5 NULL
#define row_hdf5 NULL
#define flush_hdf5 NULL
#define finish_hdf5 NULL
#define release_hdf5 NULL

#endif

static const char *const extensions[] = {".h5", ".hdf5", NULL};
const dal_file_type dal_hdf5_type = {extensions, open_hdf5, begin_hdf5, row_hdf5, flush_hdf5, NULL, finish_hdf5, true, release_hdf5};
