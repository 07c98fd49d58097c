/* Comma-separated values: a line of names quoted by RFC 4180, on request a line of units, then one line a row. Every
 * number reads back as the same double. An incomplete file ends with a comment that says so.
 *
 * Once a second all complete rows are written to the file. */
#include "output/file.h"

#include "base/bytes.h"
#include "base/decimal.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { BUFFER = 1 << 16 };

typedef struct csv {
    const dal_destination *destination;
    int fd;
    size_t used;
    off_t written, whole; /* bytes in the file; bytes up to the end of its last line */
    time_t flushed;       /* seconds of the clock */
    bool comparing;       /* output is compared with the existing file */
    bool differs;
    dal_decimal_table table;
    char buffer[BUFFER];
} csv;

/* Does the file have these bytes already? */
static dal_status compare_csv(csv *file)
{
    char there[1 << 10];
    for (size_t done = 0; done < file->used && !file->differs;) {
        const size_t left = file->used - done;
        const ssize_t n = pread(file->fd, there, left < sizeof there ? left : sizeof there, file->written);
        if (n < 0 && errno != EINTR)
            return dal_file_trouble(file->destination, "be read", errno);
        file->differs = n == 0 || (n > 0 && memcmp(there, file->buffer + done, (size_t)n));
        done += n > 0 ? (size_t)n : 0;
        file->written += n > 0 ? n : 0;
    }
    file->used = 0;
    return DAL_OK;
}

static dal_status flush_csv(csv *file)
{
    size_t done;
    if (file->comparing)
        return compare_csv(file);
    const int error = dal_write_bytes(file->fd, file->buffer, file->used, -1, &done);
    const char *end = memrchr(file->buffer, '\n', done);
    if (end)
        file->whole = file->written + (end - file->buffer) + 1;
    file->written += (off_t)done;
    file->used = 0;
    return error ? dal_file_trouble(file->destination, "be written", error) : DAL_OK;
}

static dal_status flush_now_and_then(csv *file)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC_COARSE, &now);
    if (now.tv_sec == file->flushed)
        return DAL_OK;
    file->flushed = now.tv_sec;
    return flush_csv(file);
}

static dal_status put_character(csv *file, char c)
{
    file->buffer[file->used++] = c;
    return file->used == BUFFER ? flush_csv(file) : DAL_OK;
}

/* Quoted if it has to be: commas, quotes and line ends; a quote inside is doubled. */
static dal_status put_field(csv *file, const char *text)
{
    bool quote = strpbrk(text, ",\"\r\n") != NULL;
    dal_status status = quote ? put_character(file, '"') : DAL_OK;
    for (; *text && status == DAL_OK; text++) {
        if (*text == '"')
            status = put_character(file, '"');
        if (status == DAL_OK)
            status = put_character(file, *text);
    }
    return status == DAL_OK && quote ? put_character(file, '"') : status;
}

static dal_status put_header(csv *file, int n, const dal_column *columns, bool units)
{
    dal_status status = DAL_OK;
    for (int i = 0; i < n && status == DAL_OK; i++) {
        const char *unit = columns[i].unit ? columns[i].unit : "";
        status = put_field(file, units ? unit : columns[i].name);
        if (status == DAL_OK)
            status = put_character(file, i + 1 < n ? ',' : '\n');
    }
    return status;
}

static dal_status open_csv(const dal_destination *destination, void **result)
{
    const dal_allocator *allocator = destination->allocator;
    csv *file = allocator->allocate(allocator->user, sizeof *file);
    if (!file)
        return DAL_NO_MEMORY;
    file->destination = destination;
    file->used = 0;
    file->written = file->whole = 0;
    file->flushed = 0;
    file->comparing = file->differs = false;
    file->fd = STDOUT_FILENO;
    const int how = destination->resumes ? O_RDWR : O_WRONLY;
    if (destination->path && (file->fd = open(destination->path, how | O_CLOEXEC | O_NOFOLLOW)) < 0) {
        dal_status status = dal_file_trouble(destination, "be written", errno);
        allocator->release(allocator->user, file);
        return status;
    }
    if (destination->resumes) /* not changed until it is cut */
        file->written = file->whole = lseek(file->fd, 0, SEEK_END);
    dal_decimal_prepare(&file->table);
    *result = file;
    return DAL_OK;
}

static dal_status begin_csv(void *user, const dal_system_info *info, int n, const dal_column *columns)
{
    (void)info;
    csv *file = user;
    dal_status status = put_header(file, n, columns, false);
    if (status == DAL_OK && file->destination->units)
        status = put_header(file, n, columns, true);
    return status;
}

static dal_status row_csv(void *user, int n, const double *values)
{
    csv *file = user;
    for (int i = 0; i < n; i++) {
        if (file->used + DAL_DECIMAL_LENGTH > BUFFER) {
            dal_status status = flush_csv(file);
            if (status != DAL_OK)
                return status;
        }
        file->used += (size_t)dal_decimal_print(&file->table, values[i], file->buffer + file->used);
        file->buffer[file->used++] = i + 1 < n ? ',' : '\n'; /* replaces the final zero of the text */
    }
    return flush_now_and_then(file);
}

static dal_status flush_rows(void *user)
{
    return flush_csv(user);
}

/* ---- a file that is gone on with ------------------------------------------- */

/* Places in the file: the beginning and the end of line number `rows` from here. If there are fewer lines both are -1. */
static dal_status find_line(const csv *file, off_t from, long rows, off_t *begin, off_t *end)
{
    char text[1 << 14];
    long seen = 0;
    *begin = from;
    *end = -1;
    while (seen < rows) {
        const ssize_t n = pread(file->fd, text, sizeof text, from);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return dal_file_trouble(file->destination, "be read", errno);
        if (n == 0) {
            *begin = -1;
            return DAL_OK;
        }
        for (const char *c = text; seen < rows && (c = memchr(c, '\n', (size_t)(text + n - c))); c++) {
            *(++seen == rows ? end : begin) = from + (c - text) + 1;
        }
        from += n;
    }
    return DAL_OK;
}

/* Does the line begin with this time? */
static bool has_time(const csv *file, off_t line, double time)
{
    char wanted[DAL_DECIMAL_LENGTH + 1], found[DAL_DECIMAL_LENGTH + 1];
    const int n = dal_decimal_print(&file->table, time, wanted);
    return pread(file->fd, found, (size_t)n + 1, line) == n + 1 && !memcmp(found, wanted, (size_t)n) && (found[n] == ',' || found[n] == '\n');
}

/* The headings must equal those that would be written; the given number of lines must follow. */
static dal_status cut_csv(void *user, int n, const dal_column *columns, long rows, double last)
{
    csv *file = user;
    off_t line = -1, end = -1;
    file->written = 0;
    file->comparing = true;
    dal_status status = begin_csv(file, NULL, n, columns);
    if (status == DAL_OK)
        status = flush_csv(file);
    file->comparing = false;
    if (status != DAL_OK)
        return status;
    if (file->differs)
        return dal_file_unresumed(file->destination, file->destination->path, "begins with other headings than this run writes");
    status = find_line(file, file->written, rows, &line, &end);
    if (status != DAL_OK)
        return status;
    if (end < 0)
        return dal_file_unresumed(file->destination, file->destination->path, "has fewer rows than the saved state beside it");
    if (!has_time(file, line, last))
        return dal_file_unresumed(file->destination, file->destination->path, "has other rows than the saved state beside it");
    const int error = dal_resize_file(file->fd, end);
    if (error || lseek(file->fd, end, SEEK_SET) != end)
        return dal_file_trouble(file->destination, "be written", error ? error : errno);
    file->written = file->whole = end;
    return DAL_OK;
}

/* ---- the end ------------------------------------------------------------------ */

/* The last line: for readers, for dal_results_open and for programs that skip comments. */
static dal_status put_mark(csv *file, const dal_ending *ending)
{
    char text[120];
    dal_status status = DAL_OK;
    if (ending->known && ending->time_end < ending->until)
        snprintf(text, sizeof text, "# incomplete: the run ended at t = %.9g s of %.9g s\n", ending->time_end, ending->until);
    else
        snprintf(text, sizeof text, "# incomplete: the run %s\n", ending->known ? "reached its end and failed there" : "did not reach its end");
    for (const char *c = text; *c && status == DAL_OK; c++)
        status = put_character(file, *c);
    return status;
}

static dal_status finish_csv(void *user, const dal_ending *ending, bool complete)
{
    csv *file = user;
    dal_status status = complete ? DAL_OK : put_mark(file, ending);
    if (status == DAL_OK)
        status = flush_csv(file);
    if (status != DAL_OK || !file->destination->path)
        return status;
    int failed = close(file->fd); /* some file systems report a full disk only here */
    file->fd = -1;
    return failed ? dal_file_trouble(file->destination, "be written", errno) : DAL_OK;
}

static void release_csv(void *user)
{
    csv *file = user;
    if (file->destination->path && file->fd >= 0) {
        (void)dal_resize_file(file->fd, file->whole);
        close(file->fd);
    }
    file->destination->allocator->release(file->destination->allocator->user, file);
}

static const char *const extensions[] = {".csv", NULL};
const dal_file_type dal_csv_type = {extensions, open_csv, begin_csv, row_csv, flush_rows, cut_csv, finish_csv, false, release_csv};
