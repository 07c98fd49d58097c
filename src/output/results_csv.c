/* Tables of numbers as text: a line of names, perhaps a line of units, then rows; separated by commas, names in quotes as RFC 4180 has
 * them. Read through one buffer, which grows to the longest line.
 *
 * A last line "# incomplete: ..." says that the run did not reach its end. NAME.part may end inside a row, if the run was killed: it
 * is read up to its last whole line. */
#include "output/results.h"

#include <errno.h>
#include <fcntl.h>
#include <locale.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { FIRST = 1 << 16, LONGEST = 64 << 20 };

typedef struct csv {
    int fd;
    locale_t plain; /* of the C locale: its decimal point */
    char *buffer;
    size_t size;     /* of the buffer, a final zero not counted */
    size_t from, to; /* the unused part of it */
    bool ended;
    long line; /* number of the last line returned, from 1 */
    double *row;
    char *kept; /* a line that was read but belongs to the rows; NULL: none */
} csv;

static dal_status report_trouble(dal_results *r, long line, long column, const char *text)
{
    dal_error(r->messages, (dal_mark){r->path, (int)line, (int)column}, "%s", text);
    return DAL_BAD_FILE;
}

/* ---- lines --------------------------------------------------------------------- */

static dal_status fill_buffer(dal_results *r, csv *file)
{
    if (file->from > 0) {
        memmove(file->buffer, file->buffer + file->from, file->to - file->from);
        file->to -= file->from;
        file->from = 0;
    }
    if (file->to == file->size) {
        if (file->size >= LONGEST)
            return report_trouble(r, file->line + 1, 0, "this line is longer than 64 MiB");
        char *bigger = dal_arena_alloc(&r->arena, 2 * file->size + 1);
        memcpy(bigger, file->buffer, file->to);
        file->buffer = bigger;
        file->size *= 2;
    }
    ssize_t n;
    do
        n = read(file->fd, file->buffer + file->to, file->size - file->to);
    while (n < 0 && errno == EINTR);
    if (n < 0) {
        char text[256];
        dal_error(r->messages, (dal_mark){r->path, 0, 0}, "cannot be read: %s", strerror_r(errno, text, sizeof text));
        return DAL_BAD_FILE;
    }
    file->ended = n == 0;
    file->to += (size_t)n;
    return DAL_OK;
}

/* The next line that is not empty, without its end; NULL after the last one. Names in quotes may not be broken over lines. */
static dal_status next_line(dal_results *r, csv *file, char **line)
{
    *line = NULL;
    for (;;) {
        size_t seen = 0;
        char *end;
        while (!(end = memchr(file->buffer + file->from + seen, '\n', file->to - file->from - seen)) && !file->ended) {
            seen = file->to - file->from;
            dal_status status = fill_buffer(r, file);
            if (status != DAL_OK)
                return status;
        }
        if (!end && (file->from == file->to || r->part))
            return DAL_OK;
        char *begin = file->buffer + file->from;
        size_t length = end ? (size_t)(end - begin) : file->to - file->from;
        file->from += length + (end != NULL);
        file->line++;
        if (length && begin[length - 1] == '\r')
            length--;
        if (memchr(begin, '\0', length))
            return report_trouble(r, file->line, 0, "this is not text");
        begin[length] = '\0';
        if (!length)
            continue;
        *line = begin;
        return DAL_OK;
    }
}

/* ---- files that are not complete --------------------------------------------------------- */

static const char mark[] = "# incomplete";

static bool is_mark(const char *line)
{
    return !strncmp(line, mark, sizeof mark - 1);
}

/* "# incomplete: the run ended at t = 5 s of 10 s" */
static void note_mark(dal_results *r, const char *line)
{
    const char *reason = line + sizeof mark - 1;
    reason += strspn(reason, ": ");
    dal_results_caution(r, *reason ? "is incomplete: %.300s" : "is incomplete%s", reason);
}

/* ---- the head ---------------------------------------------------------------------- */

/* One field of a head; *at moves to the place after its comma. NULL after the last one. */
static const char *next_field(dal_arena *arena, char **at)
{
    if (!*at)
        return NULL;
    char *from = *at, *out = dal_arena_alloc(arena, strlen(from) + 1), *end = out;
    const bool quoted = *from == '"';
    from += quoted;
    for (; *from && (quoted || *from != ','); from++) {
        if (quoted && *from == '"' && from[1] != '"') {
            from++;
            break;
        }
        from += quoted && *from == '"';
        *end++ = *from;
    }
    from += strcspn(from, ",");
    *at = *from ? from + 1 : NULL;
    return out;
}

static bool read_value(const csv *file, char **at, double *value)
{
    char *end;
    *value = strtod_l(*at, &end, file->plain);
    if (end == *at)
        return false;
    end += strspn(end, " \t");
    *at = end;
    return *end == ',' || !*end;
}

static int count_commas(const char *line)
{
    int n = 1;
    for (; *line; line++)
        n += *line == ',';
    return n;
}

static dal_status read_head(dal_results *r, csv *file)
{
    char *line, *at;
    double unused;
    dal_status status = next_line(r, file, &line);
    if (status != DAL_OK)
        return status;
    if (!line)
        return report_trouble(r, 0, 0, "is empty");
    at = !strncmp(line, "\xef\xbb\xbf", 3) ? line + 3 : line;
    const int most = count_commas(at);
    if (most > DAL_RESULT_COLUMNS)
        return report_trouble(r, file->line, 0, "more than 100,000 columns");
    r->columns = DAL_NEW(&r->arena, dal_column, most);
    for (const char *name; (name = next_field(&r->arena, &at));)
        r->columns[r->n_columns++] = (dal_column){name, ""};
    file->row = DAL_NEW(&r->arena, double, r->n_columns);
    if ((status = next_line(r, file, &line)) != DAL_OK || !line)
        return status;
    at = line;
    if (is_mark(line) || read_value(file, &at, &unused)) {
        file->kept = line;
        return DAL_OK;
    }
    at = line;
    for (int i = 0; i < r->n_columns && at; i++)
        r->columns[i].unit = next_field(&r->arena, &at);
    return DAL_OK;
}

static void release_csv(dal_results *r)
{
    csv *file = r->file;
    if (file->fd >= 0)
        close(file->fd);
    if (file->plain)
        freelocale(file->plain);
}

static dal_status open_csv(dal_results *r)
{
    csv *file = DAL_NEW(&r->arena, csv, 1);
    char text[256];
    struct stat found;
    file->buffer = dal_arena_alloc(&r->arena, FIRST + 1);
    file->size = FIRST;
    file->plain = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    file->fd = open(r->path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    r->file = file;
    if (file->fd < 0 || fstat(file->fd, &found)) {
        dal_error(r->messages, (dal_mark){r->path, 0, 0}, "cannot be read: %s", strerror_r(errno, text, sizeof text));
        return DAL_BAD_FILE;
    }
    if (!S_ISREG(found.st_mode)) /* it is read more than once: a pipe would block */
        return report_trouble(r, 0, 0, S_ISDIR(found.st_mode) ? "cannot be read: it is a folder" : "cannot be read: it is not a plain file");
    return file->plain ? read_head(r, file) : DAL_NO_MEMORY;
}

/* ---- rows ------------------------------------------------------------------------------- */

static dal_status read_row(dal_results *r, csv *file, char *line)
{
    char *at = line;
    int n = 0;
    for (bool more = true; more; n++) {
        double value;
        char *field = at;
        if (n == r->n_columns)
            return report_trouble(r, file->line, field - line + 1, "this row has more numbers than there are names in the first line");
        if (!read_value(file, &at, &value)) {
            dal_error(r->messages, (dal_mark){r->path, (int)file->line, (int)(field - line) + 1}, "a number is needed here; '%.*s' was found",
                      (int)strcspn(field, ",") < 40 ? (int)strcspn(field, ",") : 40, field);
            return DAL_BAD_FILE;
        }
        file->row[n] = value;
        more = *at == ',';
        at += more;
    }
    if (n < r->n_columns) {
        dal_error(r->messages, (dal_mark){r->path, (int)file->line, 0}, "this row has %d numbers, and the first line %d names", n, r->n_columns);
        return DAL_BAD_FILE;
    }
    return DAL_OK;
}

static dal_status next(dal_results *r, const double **row)
{
    csv *file = r->file;
    char *line = file->kept;
    dal_status status = line ? DAL_OK : next_line(r, file, &line);
    file->kept = NULL;
    while (status == DAL_OK && line && is_mark(line)) {
        note_mark(r, line);
        status = next_line(r, file, &line);
    }
    if (status == DAL_OK && !line && r->part && !r->incomplete)
        dal_results_caution(r, "is what a run left that did not reach its end: it was read up to its last whole line");
    if (status == DAL_OK && line)
        status = read_row(r, file, line);
    *row = status == DAL_OK && line ? file->row : NULL;
    return status;
}

static const char *const extensions[] = {".csv", NULL};
const dal_result_type dal_csv_results = {extensions, open_csv, next, release_csv};
