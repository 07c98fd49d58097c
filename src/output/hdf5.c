/* HDF5: one growing one-dimensional dataset a channel, under the channel's name, with its unit as the attribute `unit`
 * and its place among the columns as `index`. The root carries the model, the choices, `complete` (0 until the run came to its
 * end) and, once the run is over, the evidence as JSON (`evidence`) and in the words of the terminal (`report`). So in Python
 *
 *     f = h5py.File('four-bar.h5'); plot(f['time'], f['crank.angle']); f['crank.angle'].attrs['unit']
 *
 * A slash, which would make a group, is written %2F, and a per cent sign %25.
 *
 * Rows are gathered until every channel has a full chunk, which then goes to the file as it is. The file is written in HDF5's mode for
 * one writer and many readers (SWMR): names and attributes, as texts of fixed length, before the first row; then rows, and once a
 * second everything that is there. A process that is killed leaves a file that can be read up to there. The evidence is written when
 * the rows are done and that mode has ended.
 */
#include "output/file.h"

#include "base/message.h"

#include <stdio.h>
#include <string.h>

#ifdef DAL_HAVE_HDF5

#include "output/hdf5_driver.h"

#include <errno.h>
#include <time.h>

enum {
    CHUNK = 256, /* rows; 2 kB a channel */
    READ_AND_WRITE = 0x0001,
    TRUNCATE = 0x0002 /* H5F_ACC_RDWR, H5F_ACC_TRUNC, whose macros call the library */
};

typedef struct hdf5 {
    const dal_destination *destination;
    dal_hdf5 library;
    dal_hdf5_way way;
    hid_t file;
    hid_t *dataset; /* n of them */
    double *buffer; /* n x CHUNK, a channel's values together */
    int n, filled;
    hsize_t written;        /* rows in full chunks */
    time_t flushed;         /* seconds of the clock */
    H5E_auto2_t old_report; /* what HDF5 did with its errors before */
    void *old_user;
    char reason[256]; /* of the first failure of this visit */
} hdf5;

/* ---- errors ------------------------------------------------------------- */

/* The innermost record of the error stack; of "..., error message = 'No space left on device', ..." the quoted part. */
static herr_t take_reason(unsigned n, const H5E_error2_t *error, void *user)
{
    hdf5 *file = user;
    if (n > 0 || !error->desc || file->reason[0])
        return 0;
    static const char intro[] = "error message = '";
    const char *quoted = strstr(error->desc, intro);
    const char *text = quoted ? quoted + sizeof intro - 1 : error->desc;
    snprintf(file->reason, sizeof file->reason, "%.*s", quoted ? (int)strcspn(text, "'") : 255, text);
    return 0;
}

/* HDF5 calls this when a call fails, in the place of printing; the next call will have forgotten why. */
static herr_t note_reason(hid_t stack, void *user)
{
    hdf5 *file = user;
    return file->library.H5Ewalk2(stack, H5E_WALK_UPWARD, take_reason, user);
}

/* What HDF5 did with its errors before is put back after each visit. */
static void enter(hdf5 *file)
{
    file->reason[0] = '\0';
    file->library.H5Eget_auto2(H5E_DEFAULT, &file->old_report, &file->old_user);
    file->library.H5Eset_auto2(H5E_DEFAULT, note_reason, file);
}

static void leave(hdf5 *file)
{
    file->library.H5Eset_auto2(H5E_DEFAULT, file->old_report, file->old_user);
}

static dal_status report_trouble(const hdf5 *file, const char *doing)
{
    if (file->way.error)
        return dal_file_trouble(file->destination, doing, file->way.error);
    dal_error(file->destination->messages, (dal_mark){file->destination->name, 0, 0}, "cannot %s: %s", doing,
              file->reason[0] ? file->reason : "HDF5 gives no reason");
    return DAL_BAD_FILE;
}

/* Of a visit that went well for HDF5, which does not know whether its bytes arrived. */
static dal_status arrived(const hdf5 *file)
{
    return file->way.error ? report_trouble(file, "be written") : DAL_OK;
}

/* ---- attributes --------------------------------------------------------- */

/* One value of `type` under `name`. */
static bool write_attribute(const dal_hdf5 *h, hid_t object, const char *name, hid_t type, const void *value)
{
    hid_t space = h->H5Screate(H5S_SCALAR);
    hid_t attribute = space < 0 ? -1 : h->H5Acreate2(object, name, type, space, H5P_DEFAULT, H5P_DEFAULT);
    bool good = attribute >= 0 && h->H5Awrite(attribute, type, value) >= 0;
    if (attribute >= 0)
        good = h->H5Aclose(attribute) >= 0 && good;
    dal_hdf5_close(h->H5Sclose, space);
    return good;
}

/* Marked as UTF-8, of fixed length. */
static bool write_text(const dal_hdf5 *h, hid_t object, const char *name, const char *text)
{
    hid_t type = h->H5Tcopy(h->H5T_C_S1_g);
    const char *value = text ? text : "";
    bool good = type >= 0 && h->H5Tset_size(type, strlen(value) + 1) >= 0 && h->H5Tset_cset(type, H5T_CSET_UTF8) >= 0 &&
                write_attribute(h, object, name, type, value);
    dal_hdf5_close(h->H5Tclose, type);
    return good;
}

static bool write_number(const dal_hdf5 *h, hid_t object, const char *name, double value)
{
    return write_attribute(h, object, name, h->H5T_NATIVE_DOUBLE_g, &value);
}

static bool write_integer(const dal_hdf5 *h, hid_t object, const char *name, int value)
{
    return write_attribute(h, object, name, h->H5T_NATIVE_INT_g, &value);
}

static bool write_info(const dal_hdf5 *h, hid_t root, const dal_system_info *info)
{
    return write_text(h, root, "program", "dalembert") && write_text(h, root, "version", info->version) &&
           write_text(h, root, "model", info->model) && write_text(h, root, "model_hash", info->model_hash) &&
           write_text(h, root, "space", info->space == DAL_PLANAR ? "planar" : "spatial") && write_text(h, root, "coordinates", info->coordinates) &&
           write_text(h, root, "formulation", info->formulation) && write_text(h, root, "stabilization", info->stabilization) &&
           write_text(h, root, "integrator", info->integrator) && write_number(h, root, "until", info->until) &&
           write_number(h, root, "step", info->step) && write_number(h, root, "every", info->every) && write_number(h, root, "rtol", info->rtol) &&
           write_number(h, root, "atol", info->atol) && write_integer(h, root, "complete", 0);
}

/* ---- channels ----------------------------------------------------------- */

/* A name that HDF5 takes for one link: "a/b" becomes "a%2Fb", "." becomes "%2E". */
static void escape(const char *name, char *out, size_t size)
{
    size_t used = 0;
    bool dots = name[0] && !name[strspn(name, ".")];
    for (; *name && used + 4 < size; name++) {
        bool odd = *name == '/' || *name == '%' || (unsigned char)*name < ' ' || (dots && *name == '.');
        used += (size_t)snprintf(out + used, size - used, odd ? "%%%02X" : "%c", (unsigned char)*name);
    }
    out[used] = '\0';
}

static hid_t make_dataset(const hdf5 *file, const dal_column *column, int index)
{
    const dal_hdf5 *h = &file->library;
    char name[4096];
    escape(column->name, name, sizeof name);
    hsize_t size = 0, most = H5S_UNLIMITED, chunk = CHUNK;
    hid_t space = h->H5Screate_simple(1, &size, &most);
    hid_t how = h->H5Pcreate(h->H5P_CLS_DATASET_CREATE_ID_g);
    hid_t dataset = -1;
    if (space >= 0 && how >= 0 && h->H5Pset_chunk(how, 1, &chunk) >= 0)
        dataset = h->H5Dcreate2(file->file, name, h->H5T_NATIVE_DOUBLE_g, space, H5P_DEFAULT, how, H5P_DEFAULT);
    if (dataset >= 0 && !(write_text(h, dataset, "unit", column->unit) && write_integer(h, dataset, "index", index))) {
        h->H5Dclose(dataset);
        dataset = -1;
    }
    dal_hdf5_close(h->H5Pclose, how);
    dal_hdf5_close(h->H5Sclose, space);
    return dataset;
}

/* Every chunk is written whole; in the last one the rest lies beyond the dataset's extent, and is written again when it is full. */
static dal_status put_chunks(hdf5 *file)
{
    const dal_hdf5 *h = &file->library;
    hsize_t offset = file->written, size = offset + (hsize_t)file->filled;
    for (int i = 0; i < file->n; i++) {
        double *values = file->buffer + (size_t)i * CHUNK;
        memset(values + file->filled, 0, (size_t)(CHUNK - file->filled) * sizeof *values);
        if (h->H5Dset_extent(file->dataset[i], &size) < 0 ||
            h->H5Dwrite_chunk(file->dataset[i], H5P_DEFAULT, 0, &offset, CHUNK * sizeof *values, values) < 0)
            return report_trouble(file, "be written");
    }
    if (file->filled == CHUNK) {
        file->written = size;
        file->filled = 0;
    }
    return arrived(file);
}

/* Everything that is there goes to the file. */
static dal_status flush_datasets(hdf5 *file)
{
    dal_status status = file->filled ? put_chunks(file) : DAL_OK;
    for (int i = 0; i < file->n && status == DAL_OK; i++)
        if (file->library.H5Dflush(file->dataset[i]) < 0)
            status = report_trouble(file, "be written");
    return status == DAL_OK ? arrived(file) : status;
}

/* ---- the file ----------------------------------------------------------- */

/* Closing it closes whatever is open in it; no cache of chunks, which would take a megabyte a channel; the way of our own. */
static hid_t choose_access(hdf5 *file)
{
    const dal_hdf5 *h = &file->library;
    hid_t access = h->H5Pcreate(h->H5P_CLS_FILE_ACCESS_ID_g);
    if (access < 0)
        return -1;
    if (h->H5Pset_fclose_degree(access, H5F_CLOSE_STRONG) >= 0 && h->H5Pset_cache(access, 0, 1, 0, 0.75) >= 0 &&
        h->H5Pset_libver_bounds(access, H5F_LIBVER_LATEST, H5F_LIBVER_LATEST) >= 0 && dal_hdf5_way_take(&file->way, access))
        return access;
    h->H5Pclose(access);
    return -1;
}

/* The root lists its datasets in the order of the columns. */
static hid_t create_file(hdf5 *file)
{
    const dal_hdf5 *h = &file->library;
    hid_t access = choose_access(file), how = h->H5Pcreate(h->H5P_CLS_FILE_CREATE_ID_g), made = -1;
    if (access >= 0 && how >= 0 && h->H5Pset_link_creation_order(how, H5P_CRT_ORDER_TRACKED | H5P_CRT_ORDER_INDEXED) >= 0)
        made = h->H5Fcreate(file->destination->path, TRUNCATE, how, access);
    dal_hdf5_close(h->H5Pclose, how);
    dal_hdf5_close(h->H5Pclose, access);
    return made;
}

/* Out of the mode for one writer: once more from the beginning, to write what can only be known now. */
static bool open_again(hdf5 *file)
{
    const dal_hdf5 *h = &file->library;
    hid_t old = file->file;
    file->file = -1;
    if (h->H5Fclose(old) < 0 || file->way.error)
        return false;
    hid_t access = choose_access(file);
    if (access < 0)
        return false;
    file->file = h->H5Fopen(file->destination->path, READ_AND_WRITE, access);
    h->H5Pclose(access);
    return file->file >= 0;
}

static void release_hdf5(void *user)
{
    hdf5 *file = user;
    const dal_allocator *allocator = file->destination->allocator;
    if (file->file >= 0) {
        enter(file);
        file->way.error = file->way.error ? file->way.error : ECANCELED; /* nobody wants the rest */
        file->library.H5Fclose(file->file);
        leave(file);
    }
    dal_hdf5_way_close(&file->way);
    dal_hdf5_unload(&file->library);
    allocator->release(allocator->user, file->dataset);
    allocator->release(allocator->user, file->buffer);
    allocator->release(allocator->user, file);
}

static dal_status open_hdf5(const dal_destination *destination, void **result)
{
    hdf5 *file = destination->allocator->allocate(destination->allocator->user, sizeof *file);
    if (!file)
        return DAL_NO_MEMORY;
    *file = (hdf5){.destination = destination, .file = -1};
    dal_status status = DAL_OK;
    char why[512];
    if (!dal_hdf5_load(&file->library, why, sizeof why)) {
        dal_error(destination->messages, (dal_mark){destination->name, 0, 0}, "cannot be written: %s", why);
        status = DAL_BAD_FILE;
    } else {
        enter(file);
        if (!dal_hdf5_way_open(&file->way, &file->library) || (file->file = create_file(file)) < 0)
            status = report_trouble(file, "be created");
        leave(file);
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
    const dal_allocator *allocator = file->destination->allocator;
    file->dataset = allocator->allocate(allocator->user, sizeof *file->dataset * (size_t)(n + 1));
    file->buffer = allocator->allocate(allocator->user, sizeof *file->buffer * (size_t)(n + 1) * CHUNK);
    if (!file->dataset || !file->buffer)
        return DAL_NO_MEMORY;
    enter(file);
    dal_status status = write_info(&file->library, file->file, info) ? DAL_OK : report_trouble(file, "be written");
    for (int i = 0; i < n && status == DAL_OK; i++) {
        file->dataset[i] = make_dataset(file, &columns[i], i);
        char doing[160];
        snprintf(doing, sizeof doing, "take the channel '%.120s'", columns[i].name);
        if (file->dataset[i] < 0)
            status = report_trouble(file, doing);
    }
    if (status == DAL_OK && (status = arrived(file)) == DAL_OK && file->library.H5Fstart_swmr_write(file->file) < 0)
        status = report_trouble(file, "be written");
    leave(file);
    file->n = n;
    return status == DAL_OK ? arrived(file) : status;
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
    enter(file);
    dal_status status = over ? flush_datasets(file) : put_chunks(file);
    leave(file);
    return status;
}

static dal_status flush_hdf5(void *user)
{
    hdf5 *file = user;
    enter(file);
    dal_status status = flush_datasets(file);
    leave(file);
    return status;
}

static bool mark_complete(const hdf5 *file)
{
    const dal_hdf5 *h = &file->library;
    const int yes = 1;
    const hid_t attribute = h->H5Aopen(file->file, "complete", H5P_DEFAULT);
    const bool good = attribute >= 0 && h->H5Awrite(attribute, h->H5T_NATIVE_INT_g, &yes) >= 0;
    dal_hdf5_close(h->H5Aclose, attribute);
    return good;
}

static dal_status finish_hdf5(void *user, const dal_ending *ending, bool complete)
{
    hdf5 *file = user;
    enter(file);
    dal_status status = flush_datasets(file);
    if (status == DAL_OK && !open_again(file))
        status = report_trouble(file, "be written");
    if (status == DAL_OK &&
        !((!ending->json || write_text(&file->library, file->file, "evidence", ending->json)) &&
          (!ending->text || write_text(&file->library, file->file, "report", ending->text)) && (!complete || mark_complete(file))))
        status = report_trouble(file, "be written");
    if (status == DAL_OK) {
        hid_t old = file->file;
        file->file = -1;
        status = file->library.H5Fclose(old) < 0 ? report_trouble(file, "be closed") : arrived(file);
    }
    leave(file);
    return status;
}

#else

static dal_status open_hdf5(const dal_destination *destination, void **result)
{
    (void)result;
    dal_error(destination->messages, (dal_mark){destination->name, 0, 0},
              "HDF5 was left out of this build; install Debian's package libhdf5-dev and build again, or write .csv");
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
