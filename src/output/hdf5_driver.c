#ifdef DAL_HAVE_HDF5

#include "output/hdf5_driver.h"
#include "base/library.h"
#include "base/bytes.h"

#if H5_VERSION_GE(1, 13, 0)
#include <H5FDdevelop.h>
#endif

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { TRUNCATE = 0x0002 }; /* H5F_ACC_TRUNC, whose macro calls the library */

/* Bytes that HDF5 wrote at the first error and after it. */
typedef struct piece {
    struct piece *next;
    haddr_t place;
    size_t n;
    char bytes[];
} piece;

typedef struct way_file {
    H5FD_t head; /* HDF5's own */
    dal_hdf5_way *way;
    int fd;
    dev_t device;
    ino_t inode;
    haddr_t eoa, eof; /* size that HDF5 has allocated, and the end of the file */
    piece *first, **last;
} way_file;

static void note(way_file *f, int error)
{
    if (error && !f->way->error)
        f->way->error = error;
}

/* ---- opening and closing ---------------------------------------------------------- */

/* The driver's data are in the properties of the file; the function that reads them is in the HDF5 library in use. */
static dal_hdf5_way *find_way(hid_t access)
{
    struct {
        __typeof__(&H5Pget_driver_info) info;
    } call;
    static const dal_symbol symbol = {"H5Pget_driver_info", 0};
    char why[200];
    void *handle = dal_library_open("HDF5", DAL_HDF5_SONAME, "", &symbol, 1, &call, why, sizeof why);
    dal_hdf5_way *const *found = handle ? call.info(access) : NULL;
    dal_library_close(handle);
    return found ? *found : NULL;
}

static H5FD_t *open_file(const char *name, unsigned flags, hid_t access, haddr_t most)
{
    (void)most;
    struct stat info;
    way_file *f = calloc(1, sizeof *f);
    if (!f)
        return NULL;
    f->way = find_way(access);
    f->fd = f->way ? open(name, O_RDWR | O_CLOEXEC | O_NOFOLLOW) : -1;
    if (f->fd < 0 || fstat(f->fd, &info) || (flags & TRUNCATE && dal_resize_file(f->fd, 0))) {
        if (f->way)
            note(f, errno);
        if (f->fd >= 0)
            close(f->fd);
        free(f);
        return NULL;
    }
    f->last = &f->first;
    f->device = info.st_dev;
    f->inode = info.st_ino;
    f->eof = flags & TRUNCATE ? 0 : (haddr_t)info.st_size;
    return &f->head;
}

static herr_t close_file(H5FD_t *head)
{
    way_file *f = (way_file *)head;
    if (close(f->fd)) /* some file systems report a full disk only here */
        note(f, errno);
    for (piece *p = f->first, *next; p; p = next) {
        next = p->next;
        free(p);
    }
    free(f);
    return 0;
}

static int compare_files(const H5FD_t *a, const H5FD_t *b)
{
    const way_file *f = (const way_file *)a, *g = (const way_file *)b;
    if (f->device != g->device)
        return f->device < g->device ? -1 : 1;
    return (f->inode > g->inode) - (f->inode < g->inode);
}

/* The features of HDF5's own driver for POSIX, except that callers get no file descriptor. */
static herr_t query(const H5FD_t *head, unsigned long *flags)
{
    (void)head;
    *flags = H5FD_FEAT_AGGREGATE_METADATA | H5FD_FEAT_ACCUMULATE_METADATA | H5FD_FEAT_DATA_SIEVE | H5FD_FEAT_AGGREGATE_SMALLDATA |
             H5FD_FEAT_SUPPORTS_SWMR_IO;
    return 0;
}

/* ---- places ------------------------------------------------------------------------ */

static haddr_t get_eoa(const H5FD_t *head, H5FD_mem_t type)
{
    (void)type;
    return ((const way_file *)head)->eoa;
}

static herr_t set_eoa(H5FD_t *head, H5FD_mem_t type, haddr_t place)
{
    (void)type;
    ((way_file *)head)->eoa = place;
    return 0;
}

static haddr_t get_eof(const H5FD_t *head, H5FD_mem_t type)
{
    (void)type;
    return ((const way_file *)head)->eof;
}

/* ---- bytes ------------------------------------------------------------------------- */

/* Bytes beyond the end are zero. */
static bool read_file(const way_file *f, haddr_t place, size_t n, char *bytes)
{
    for (size_t done = 0; done < n;) {
        ssize_t got = pread(f->fd, bytes + done, n - done, (off_t)(place + done));
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            return false;
        if (got == 0) {
            memset(bytes + done, 0, n - done);
            return true;
        }
        done += (size_t)got;
    }
    return true;
}

static herr_t read_bytes(H5FD_t *head, H5FD_mem_t type, hid_t how, haddr_t place, size_t n, void *bytes)
{
    const way_file *f = (const way_file *)head;
    (void)type, (void)how;
    if (!read_file(f, place, n, bytes))
        return -1;
    for (const piece *p = f->first; p; p = p->next) {
        const haddr_t from = p->place > place ? p->place : place, to = p->place + p->n < place + n ? p->place + p->n : place + n;
        if (from < to)
            memcpy((char *)bytes + (from - place), p->bytes + (from - p->place), (size_t)(to - from));
    }
    return 0;
}

static void keep_piece(way_file *f, haddr_t place, size_t n, const void *bytes)
{
    piece *p = malloc(sizeof *p + n);
    if (!p)
        return;
    p->next = NULL;
    p->place = place;
    p->n = n;
    memcpy(p->bytes, bytes, n);
    *f->last = p;
    f->last = &p->next;
}

static herr_t write_bytes(H5FD_t *head, H5FD_mem_t type, hid_t how, haddr_t place, size_t n, const void *bytes)
{
    way_file *f = (way_file *)head;
    (void)type, (void)how;
    if (!f->way->error)
        note(f, dal_write_bytes(f->fd, bytes, n, (off_t)place, NULL));
    if (f->way->error)
        keep_piece(f, place, n, bytes);
    f->eof = place + n > f->eof ? place + n : f->eof;
    return 0;
}

static herr_t truncate_file(H5FD_t *head, hid_t how, hbool_t closing)
{
    way_file *f = (way_file *)head;
    (void)how, (void)closing;
    if (f->eoa != f->eof && !f->way->error)
        note(f, dal_resize_file(f->fd, (off_t)f->eoa));
    f->eof = f->eoa;
    return 0;
}

/* The writer locks the part (replacement.h). HDF5 treats a driver without locks as one that does not mark a file as being written. */
static herr_t lock(H5FD_t *head, hbool_t writing)
{
    (void)head, (void)writing;
    return 0;
}

static herr_t unlock(H5FD_t *head)
{
    (void)head;
    return 0;
}

/* ---- the class --------------------------------------------------------------------- */

static const H5FD_class_t class = {
#ifdef H5FD_CLASS_VERSION
    .version = H5FD_CLASS_VERSION,
    .value = 600, /* larger than the numbers of HDF5's own and of registered drivers */
#endif
    .name = "dalembert",
    .maxaddr = (haddr_t)INT64_MAX,
    .fc_degree = H5F_CLOSE_WEAK,
    .fapl_size = sizeof(dal_hdf5_way *),
    .open = open_file,
    .close = close_file,
    .cmp = compare_files,
    .query = query,
    .get_eoa = get_eoa,
    .set_eoa = set_eoa,
    .get_eof = get_eof,
    .read = read_bytes,
    .write = write_bytes,
    .truncate = truncate_file,
    .lock = lock,
    .unlock = unlock,
    .fl_map = H5FD_FLMAP_DICHOTOMY,
};

bool dal_hdf5_way_open(dal_hdf5_way *way, const dal_hdf5 *library)
{
    *way = (dal_hdf5_way){.library = library};
    way->driver = library->H5FDregister(&class);
    return way->driver >= 0;
}

bool dal_hdf5_way_use(dal_hdf5_way *way, hid_t access)
{
    return way->library->H5Pset_driver(access, way->driver, &way) >= 0;
}

void dal_hdf5_way_close(dal_hdf5_way *way)
{
    if (way->library && way->driver >= 0)
        way->library->H5FDunregister(way->driver);
    way->library = NULL;
}

#else

typedef int dal_hdf5_driver_was_left_out; /* a translation unit must not be empty */

#endif
