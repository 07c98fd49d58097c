#include "study/journal.h"

#include "base/argument.h"
#include "base/bytes.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { FORMAT = 2, LARGEST = 1 << 30 };

typedef struct header {
    char magic[16];
    uint32_t format, values, channels, shard, shards, note, compiled, unused;
    char hash[24];
    int64_t runs;
    uint64_t code;
    uint64_t checksum;
} header;

static uint64_t checksum(const void *bytes, size_t n)
{
    const unsigned char *p = bytes;
    uint64_t hash = UINT64_C(14695981039346656037);
    for (size_t i = 0; i < n; i++)
        hash = (hash ^ p[i]) * UINT64_C(1099511628211);
    return hash;
}

static size_t filled(size_t size)
{
    return (size + 7) / 8 * 8;
}

static header head_of(const dal_study *study, uint64_t code, int shard, int shards, size_t note)
{
    header h = {.magic = {'d', 'a', 'l', 'e', 'm', 'b', 'e', 'r', 't', ' ', 's', 't', 'u', 'd', 'y', '\n'},
                .format = FORMAT,
                .values = (uint32_t)study->info.values,
                .channels = (uint32_t)study->info.channels,
                .shard = (uint32_t)shard,
                .shards = (uint32_t)shards,
                .note = (uint32_t)note,
                .compiled = study->info.compiled,
                .runs = study->info.runs,
                .code = code};
    memcpy(h.hash, study->info.hash, sizeof study->info.hash);
    h.checksum = checksum(&h, offsetof(header, checksum));
    return h;
}

static dal_status trouble(const dal_journal *j, const char *format, ...) DAL_PRINTF(2, 3);
static dal_status trouble(const dal_journal *j, const char *format, ...)
{
    char sentence[400];
    DAL_FORMAT(sentence, format);
    dal_error(j->messages, (dal_mark){j->path, 0, 0}, "%s", sentence);
    return DAL_BAD_FILE;
}

/* Reads n bytes at an offset; false: the file does not have all of them. */
static bool read_all(int fd, void *bytes, size_t n, off_t place)
{
    char *p = bytes;
    while (n > 0) {
        const ssize_t got = pread(fd, p, n, place);
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            return false;
        p += got, place += got, n -= (size_t)got;
    }
    return true;
}

size_t dal_journal_record(const dal_journal *j, off_t place, unsigned char **buffer, size_t *room)
{
    uint64_t size, sum;
    if (!read_all(j->fd, &size, sizeof size, place) || size > LARGEST)
        return 0;
    const size_t whole = filled((size_t)size) + sizeof sum;
    if (whole > *room) {
        unsigned char *larger = realloc(*buffer, 2 * whole);
        if (!larger)
            return 0;
        *buffer = larger;
        *room = 2 * whole;
    }
    if (!read_all(j->fd, *buffer, whole, place + (off_t)sizeof size))
        return 0;
    memcpy(&sum, *buffer + filled((size_t)size), sizeof sum);
    return checksum(*buffer, (size_t)size) == sum ? (size_t)size : 0;
}

/* ---- opening --------------------------------------------------------------------------------- */

static const char magic[16] = {'d', 'a', 'l', 'e', 'm', 'b', 'e', 'r', 't', ' ', 's', 't', 'u', 'd', 'y', '\n'};

static dal_status read_head(const dal_journal *j, header *h)
{
    if (!read_all(j->fd, h, sizeof *h, 0) || memcmp(h->magic, magic, sizeof magic))
        return trouble(j, "is not a journal of a study");
    if (h->format != FORMAT)
        return trouble(j, "was written by another version of this program, which alone can read it");
    if (h->checksum != checksum(h, offsetof(header, checksum)) || h->note > LARGEST)
        return trouble(j, "is damaged: its beginning has a wrong checksum");
    return DAL_OK;
}

/* Is it a journal of this study? */
static dal_status check_head(dal_journal *j, int shard, int shards, bool any_shard)
{
    header h, wanted = head_of(j->study, 0, shard, shards, 0);
    const dal_status status = read_head(j, &h);
    if (status != DAL_OK)
        return status;
    j->end = (off_t)(sizeof h + filled(h.note) + sizeof(uint64_t));
    j->code = h.code;
    if (h.compiled != wanted.compiled)
        return trouble(j, h.compiled ? "has runs by compiled code (--compiled), and this study is not to be compiled"
                                     : "has runs by the engine, and this study is to be compiled (--compiled)");
    if (memcmp(h.hash, wanted.hash, sizeof h.hash) || h.runs != wanted.runs || h.values != wanted.values || h.channels != wanted.channels)
        return trouble(j, "is the journal of another study: the model, the plan or the version of the program is not the same");
    if (!any_shard && (h.shard != wanted.shard || h.shards != wanted.shards))
        return h.shards ? trouble(j, "is the journal of shard %u/%u", h.shard, h.shards) : trouble(j, "is the journal of a study without shards");
    return DAL_OK;
}

/* Visits the complete records; j->end is the offset after the last. */
static bool visit_records(dal_journal *j, dal_record_visitor *visit, void *user)
{
    unsigned char *buffer = NULL;
    size_t room = 0, size;
    bool good = true;
    while (good && (size = dal_journal_record(j, j->end, &buffer, &room)) > 0) {
        good = visit(user, j->end, buffer, size);
        j->end += (off_t)(2 * sizeof(uint64_t) + filled(size));
    }
    free(buffer);
    return good;
}

static dal_status begin_new(dal_journal *j, const dal_study_options *o)
{
    const header h = head_of(j->study, j->code, o->shard, o->shards, o->note_size);
    const size_t whole = sizeof h + filled(o->note_size) + sizeof(uint64_t);
    unsigned char *bytes = calloc(1, whole);
    if (!bytes)
        return DAL_NO_MEMORY;
    const uint64_t sum = checksum(o->note, o->note_size);
    memcpy(bytes, &h, sizeof h);
    if (o->note_size)
        memcpy(bytes + sizeof h, o->note, o->note_size);
    memcpy(bytes + whole - sizeof sum, &sum, sizeof sum);
    const int error = dal_write_bytes(j->fd, bytes, whole, 0, NULL);
    free(bytes);
    j->end = (off_t)whole;
    return error ? trouble(j, "cannot be written: %s", strerror(error)) : DAL_OK;
}

/* Was the head of the file not written completely? A file with other bytes is not a journal, and is not changed. */
static bool is_stub(const dal_journal *j, off_t size)
{
    header h;
    const size_t known = size < (off_t)sizeof magic ? (size_t)size : sizeof magic;
    if (!read_all(j->fd, &h, known, 0) || memcmp(&h, magic, known))
        return false;
    return size < (off_t)sizeof h || (read_all(j->fd, &h, sizeof h, 0) && h.checksum == checksum(&h, offsetof(header, checksum)) &&
                                      size < (off_t)(sizeof h + filled(h.note) + sizeof(uint64_t)));
}

/* Continues an existing journal: the bytes after the last complete record are removed. */
static dal_status continue_old(dal_journal *j, uint64_t code, int shard, int shards, dal_record_visitor *visit, void *user)
{
    dal_status status = check_head(j, shard, shards, false);
    if (status != DAL_OK)
        return status;
    if (j->code != code)
        return trouble(j, "has runs by other generated code, and those of now would be rounded otherwise: %s",
                       !code      ? "now it cannot be generated"
                       : !j->code ? "then it could not be generated"
                                  : "the C compiler or the processor is not the same");
    if (!visit_records(j, visit, user))
        return trouble(j, "has a record that does not belong to this study");
    const int error = dal_resize_file(j->fd, j->end);
    return error ? trouble(j, "cannot be written: %s", strerror(error)) : DAL_OK;
}

/* A killed process keeps its locks until it has ended, which may take a moment: a process that resumes at once waits for that, three seconds at
 * most. */
static bool lock_file(int fd)
{
    static const struct timespec moment = {0, 20000000};
    int failed;
    for (int i = 0; (failed = flock(fd, LOCK_EX | LOCK_NB)) && (errno == EWOULDBLOCK || errno == EINTR) && i < 150; i++)
        nanosleep(&moment, NULL);
    return !failed;
}

dal_status dal_journal_open(dal_journal *j, const dal_study *study, uint64_t code, const dal_study_options *options, dal_record_visitor *visit,
                            void *user, dal_messages *messages)
{
    struct stat file;
    *j = (dal_journal){.study = study, .path = options->journal, .messages = messages, .fd = -1, .code = code};
    j->fd = open(j->path, O_RDWR | O_CREAT | O_CLOEXEC | (options->resume ? 0 : O_EXCL), 0666);
    if (j->fd < 0 && errno == EEXIST)
        return trouble(j, "exists already: resume the study (--resume), or remove the file");
    if (j->fd < 0)
        return trouble(j, "cannot be written: %s", strerror(errno));
    if (!lock_file(j->fd))
        return trouble(j, errno == EWOULDBLOCK ? "is being written by another process" : "cannot be locked");
    if (fstat(j->fd, &file) || !S_ISREG(file.st_mode))
        return trouble(j, "is not a regular file");
    /* A process that was killed at its beginning has left no useful data. */
    return is_stub(j, file.st_size) ? begin_new(j, options) : continue_old(j, code, options->shard, options->shards, visit, user);
}

dal_status dal_journal_read(dal_journal *j, const dal_study *study, const char *path, dal_record_visitor *visit, void *user, dal_messages *messages)
{
    *j = (dal_journal){.study = study, .path = path, .messages = messages, .fd = open(path, O_RDONLY | O_CLOEXEC)};
    if (j->fd < 0)
        return trouble(j, "cannot be read: %s", strerror(errno));
    dal_status status = check_head(j, 0, 0, true);
    if (status == DAL_OK && !visit_records(j, visit, user))
        status = trouble(j, "has a record that does not belong to this study");
    return status;
}

void dal_journal_close(dal_journal *j)
{
    if (j->fd >= 0)
        close(j->fd); /* this releases the lock */
    j->fd = -1;
}

/* ---- writing ------------------------------------------------------------------------------------ */

bool dal_journal_add(dal_journal *j, const void *record, size_t size, int *error)
{
    const uint64_t length = size, sum = checksum(record, size);
    const size_t whole = 2 * sizeof length + filled(size);
    unsigned char small[4096], *bytes = whole <= sizeof small ? small : malloc(whole);
    int failed = bytes ? 0 : ENOMEM;
    if (bytes) {
        memcpy(bytes, &length, sizeof length);
        memcpy(bytes + sizeof length, record, size);
        memset(bytes + sizeof length + size, 0, filled(size) - size);
        memcpy(bytes + sizeof length + filled(size), &sum, sizeof sum);
        failed = dal_write_bytes(j->fd, bytes, whole, j->end, NULL);
    }
    if (bytes != small)
        free(bytes);
    if (error)
        *error = failed;
    if (failed)
        (void)dal_resize_file(j->fd, j->end);
    else
        j->end += (off_t)whole;
    return !failed;
}

bool dal_journal_sync(dal_journal *j)
{
    return !fdatasync(j->fd);
}

dal_status dal_study_note(const char *path, dal_messages *messages, char **note, size_t *size)
{
    if (note)
        *note = NULL;
    if (!DAL_NEEDS(messages, path) || !DAL_NEEDS(messages, note) || !DAL_NEEDS(messages, size))
        return DAL_BAD_COMMAND;
    dal_journal j = {.path = path, .messages = messages, .fd = open(path, O_RDONLY | O_CLOEXEC)};
    header h;
    uint64_t sum = 0;
    if (j.fd < 0)
        return trouble(&j, "cannot be read: %s", strerror(errno));
    dal_status status = read_head(&j, &h);
    *size = status == DAL_OK ? h.note : 0;
    char *bytes = calloc(1, filled(*size) + sizeof sum + 1);
    if (status == DAL_OK && !bytes)
        status = DAL_NO_MEMORY;
    if (status == DAL_OK && (!read_all(j.fd, bytes, filled(*size) + sizeof sum, (off_t)sizeof h) ||
                             (memcpy(&sum, bytes + filled(*size), sizeof sum), sum != checksum(bytes, *size))))
        status = trouble(&j, "is damaged: its plan has a wrong checksum");
    dal_journal_close(&j);
    if (status != DAL_OK)
        free(bytes);
    else
        *note = bytes;
    return status;
}
