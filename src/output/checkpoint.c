/* The file:
 *
 *     "dalembert checkpoint", number of the format, version of the program, rows, time of the last one, page or not, at its end or not, names of the files,
 *     size of the simulation; the simulation, which has its own checks; a checksum of all of it (FNV-1a, 64 bits)
 *
 * It is written as NAME.part.state.new, which is then renamed. */
#include "output/checkpoint.h"

#include "base/bytes.h"
#include "base/keep.h"
#include "base/message.h"
#include "output/replacement.h"

#include <errno.h>
#include <fcntl.h>
#include <float.h>
#include <libgen.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { FORMAT = 1 };
static const off_t largest = 1 << 30; /* bytes: the state of a million bodies is smaller */

static uint64_t checksum(const unsigned char *bytes, size_t n)
{
    uint64_t hash = 14695981039346656037u;
    for (size_t i = 0; i < n; i++)
        hash = (hash ^ bytes[i]) * 1099511628211u;
    return hash;
}

/* ---- names ------------------------------------------------------------------------------ */

/* The path of the file beside the part; links are followed as for the part. */
static void name_beside(const char *path, const char *end, char *name, size_t size)
{
    char *real = dal_real_path(path);
    snprintf(name, size, "%.*s.part%s", PATH_MAX - 1, real ? real : path, end);
    free(real);
}

static void gather_names(int n_files, const char *const *paths, char *names, size_t size)
{
    size_t used = 0;
    for (int i = 0; i < n_files; i++) {
        char *real = strcmp(paths[i], "-") ? dal_real_path(paths[i]) : NULL, *copy = real ? real : strdup(paths[i]);
        if (copy && strcmp(paths[i], "-") && used < size)
            used += (size_t)snprintf(names + used, size - used, "%s\n", basename(copy));
        free(copy);
    }
}

/* Do both texts have the same lines, in any order? Then they name the same files. */
static bool same_names(const char *a, const char *b)
{
    if (strlen(a) != strlen(b))
        return false;
    for (const char *line = a; *line; line = strchr(line, '\n') + 1) {
        const size_t n = strcspn(line, "\n") + 1;
        const char *other = b;
        while (*other && strncmp(other, line, n))
            other = strchr(other, '\n') + 1;
        if (!*other)
            return false;
    }
    return true;
}

static void name_files(dal_checkpoint *c, const char *first)
{
    name_beside(first, ".state", c->path, sizeof c->path);
    name_beside(first, ".state.new", c->temporary, sizeof c->temporary);
}

static void announce(const dal_checkpoint *c)
{
    if (c->watch && c->watch->temporary)
        c->watch->temporary(c->temporary);
}

bool dal_checkpoint_begin(dal_checkpoint *c, int n_files, const char *const *paths)
{
    int first = 0;
    while (first < n_files && !strcmp(paths[first], "-"))
        first++;
    c->time = NAN;
    if (first == n_files)
        return false;
    name_files(c, paths[first]);
    memset(c->names, 0, sizeof c->names);
    gather_names(n_files, paths, c->names, sizeof c->names);
    announce(c);
    return true;
}

void dal_checkpoint_forget(int n_files, const char *const *paths)
{
    static const char *const ends[] = {".state", ".state.new", ".new"};
    char name[PATH_MAX + 32];
    for (int i = 0; i < n_files; i++)
        for (size_t k = 0; k < sizeof ends / sizeof *ends && strcmp(paths[i], "-"); k++) {
            name_beside(paths[i], ends[k], name, sizeof name);
            unlink(name);
        }
}

void dal_checkpoint_end(dal_checkpoint *c)
{
    free(c->bytes);
    c->bytes = NULL;
    c->blob = NULL;
}

double dal_checkpoint_every(void)
{
    const char *text = getenv("DALEMBERT_CHECKPOINT");
    char *end = NULL;
    const double every = text ? strtod(text, &end) : 0;
    return every > 0 && every < 1e9 && !*end ? every : 1;
}

/* ---- what is before the simulation --------------------------------------------------------- */

static void keep_form(dal_keep *keep)
{
    dal_keep_same_text(keep, "dalembert checkpoint");
}

static void keep_version(dal_keep *keep)
{
    dal_keep_same(keep, FORMAT);
    dal_keep_same_text(keep, dal_version());
}

static void keep_rows(dal_checkpoint *c, long *blob_size, dal_keep *keep)
{
    dal_keep_counts(keep, &c->rows, 1);
    dal_keep_within(keep, &c->last, 1, -DBL_MAX, DBL_MAX);
    dal_keep_flags(keep, &c->shown, 1);
    dal_keep_flags(keep, &c->done, 1);
    dal_keep_text(keep, c->names, sizeof c->names);
    dal_keep_counts(keep, blob_size, 1);
}

static void keep_head(dal_checkpoint *c, long *blob_size, dal_keep *keep)
{
    keep_form(keep);
    keep_version(keep);
    keep_rows(c, blob_size, keep);
}

/* ---- writing ---------------------------------------------------------------------------------- */

/* Writes everything into c->bytes, which is allocated at the first call. 0: there is no memory, or nothing to save. */
static size_t gather_bytes(dal_checkpoint *c, const dal_simulation *simulation)
{
    long blob = (long)dal_simulation_save(simulation, NULL, 0);
    dal_keep measure = {.mode = DAL_KEEP_MEASURE};
    keep_head(c, &blob, &measure);
    const size_t head = measure.used, n = head + (size_t)blob, all = n + sizeof(uint64_t);
    if (blob && c->size < all) {
        free(c->bytes);
        c->bytes = malloc(all);
        c->size = c->bytes ? all : 0;
    }
    if (!blob || !c->bytes)
        return 0;
    dal_keep write = {.mode = DAL_KEEP_WRITE, .bytes = c->bytes};
    keep_head(c, &blob, &write);
    dal_simulation_save(simulation, c->bytes + head, (size_t)blob);
    const uint64_t sum = checksum(c->bytes, n);
    memcpy(c->bytes + n, &sum, sizeof sum);
    return all;
}

/* 0, or the number of the error. */
static int put_bytes(const dal_checkpoint *c, size_t n, bool to_disk)
{
    unlink(c->temporary); /* left by a run that was killed here */
    const int fd = open(c->temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
    if (fd < 0)
        return errno;
    int error = dal_write_bytes(fd, c->bytes, n, -1, NULL);
    if (!error && to_disk && fdatasync(fd) && errno != EINVAL)
        error = errno;
    if (close(fd) && !error)
        error = errno;
    if (!error && rename(c->temporary, c->path))
        error = errno;
    if (error)
        unlink(c->temporary);
    return error;
}

void dal_checkpoint_write(dal_checkpoint *c, const dal_simulation *simulation, bool to_disk, dal_messages *messages)
{
    const size_t n = gather_bytes(c, simulation);
    const int error = n ? put_bytes(c, n, to_disk) : ENOMEM;
    if (!error) {
        c->time = dal_simulation_time(simulation);
        if (c->watch && c->watch->saved)
            c->watch->saved();
    } else if (!c->failed) {
        dal_warn(messages, (dal_mark){c->path, 0, 0}, DAL_CODE_INCOMPLETE, NAN, "cannot be written: %s; a run that is not saved cannot be resumed",
                 strerror(error));
        c->failed = true;
    }
}

/* ---- reading ------------------------------------------------------------------------------------ */

/* All bytes of a file. 0, or the number of the error. */
static int read_checkpoint(dal_checkpoint *c)
{
    struct stat found;
    const int fd = open(c->path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    int error = fd < 0 || fstat(fd, &found) ? errno : !S_ISREG(found.st_mode) ? EINVAL : found.st_size > largest ? EFBIG : 0;
    c->size = error ? 0 : (size_t)found.st_size;
    c->bytes = error ? NULL : malloc(c->size + 1);
    if (!error && !c->bytes)
        error = ENOMEM;
    for (size_t done = 0; done < c->size && !error;) {
        const ssize_t n = read(fd, c->bytes + done, c->size - done);
        if (n > 0)
            done += (size_t)n;
        else if (n == 0)
            c->size = done;
        else if (errno != EINTR)
            error = errno;
    }
    if (fd >= 0)
        close(fd);
    return error;
}

/* What is wrong with the file, as a part of a sentence; NULL: it is right, and was read up to the simulation. */
static const char *fault_of(dal_checkpoint *c)
{
    static const char damaged[] = "is damaged: the run cannot be resumed from it";
    uint64_t sum;
    long blob = 0;
    const size_t n = c->size < sizeof sum ? 0 : c->size - sizeof sum;
    dal_keep check = {.mode = DAL_KEEP_CHECK, .from = c->bytes, .size = n};
    keep_form(&check);
    if (check.bad)
        return "is not a saved run, or is damaged: the run cannot be resumed from it";
    memcpy(&sum, c->bytes + n, sizeof sum);
    if (sum != checksum(c->bytes, n))
        return damaged;
    keep_version(&check);
    if (check.bad)
        return "was saved by another version of this program; only that version can continue it";
    keep_rows(c, &blob, &check);
    if (check.bad)
        return damaged;
    dal_keep read = {.mode = DAL_KEEP_READ, .from = c->bytes, .size = n};
    keep_head(c, &blob, &read);
    const size_t length = strlen(c->names);
    if (read.bad || (size_t)blob != n - read.used || c->rows < 1 || !length || c->names[length - 1] != '\n')
        return damaged;
    c->blob = c->bytes + read.used;
    c->blob_size = (size_t)blob;
    return NULL;
}

static dal_status refuse_names(const dal_checkpoint *c, dal_messages *messages)
{
    char list[sizeof c->names + 2 * DAL_CHECKPOINT_FILES] = "";
    size_t used = 0;
    for (const char *line = c->names; *line; line = strchr(line, '\n') + 1)
        used += (size_t)snprintf(list + used, sizeof list - used, "%s%.*s", used ? ", " : "", (int)strcspn(line, "\n"), line);
    dal_error(messages, (dal_mark){c->path, 0, 0}, "is of a run that wrote %s: name the same files with -o", list);
    return DAL_BAD_FILE;
}

/* The existing file: beside the first of the result files, or beside another one if they are named in another order. */
static void find_checkpoint(dal_checkpoint *c, int n_files, const char *const *paths)
{
    for (int i = 0; i < n_files; i++) {
        name_files(c, paths[i]);
        if (!access(c->path, F_OK))
            return;
    }
    name_files(c, paths[0]);
}

dal_status dal_checkpoint_read(dal_checkpoint *c, int n_files, const char *const *paths, dal_messages *messages)
{
    char wanted[sizeof c->names] = "";
    find_checkpoint(c, n_files, paths);
    c->time = NAN;
    announce(c);
    const int error = read_checkpoint(c);
    if (error == ENOENT)
        dal_error(messages, (dal_mark){paths[0], 0, 0},
                  "there is nothing to resume: '%s' does not exist. A run writes it when it is stopped, or when it is killed after its first second",
                  c->path);
    else if (error)
        dal_error(messages, (dal_mark){c->path, 0, 0}, "cannot be read: %s", error == EINVAL ? "it is not a regular file" : strerror(error));
    if (error)
        return error == ENOMEM ? DAL_NO_MEMORY : DAL_BAD_FILE;
    const char *fault = fault_of(c);
    if (fault) {
        dal_error(messages, (dal_mark){c->path, 0, 0}, "%s", fault);
        return DAL_BAD_FILE;
    }
    gather_names(n_files, paths, wanted, sizeof wanted);
    return same_names(wanted, c->names) ? DAL_OK : refuse_names(c, messages);
}

/* The part is gone, and the file was renamed after the checkpoint was written. */
bool dal_checkpoint_finished(const dal_checkpoint *c, const char *path)
{
    struct stat saved, file;
    char part[PATH_MAX + 32];
    name_beside(path, "", part, sizeof part);
    if (c->done)
        dal_part_settle(part); /* it may be renamed at this moment */
    if (!c->done || !access(part, F_OK) || stat(c->path, &saved) || stat(path, &file))
        return false;
    return file.st_ctim.tv_sec > saved.st_mtim.tv_sec ||
           (file.st_ctim.tv_sec == saved.st_mtim.tv_sec && file.st_ctim.tv_nsec >= saved.st_mtim.tv_nsec);
}
