/* The parent sends messages over a socket: a head, then the data that it announces. The child answers when the file is open, after an error, after
 * a flush, and at the end: with a status and messages. After an error it also answers the next request with it.
 *
 *     parent: ROWS, count, numbers | FLUSH, to disk | END, keep and ending, two texts      child: a byte when
 *     HDF5 is there; then status, number of messages, messages */
#include "output/remote_file.h"

#include "base/message.h"
#include "output/file.h"
#include "output/hdf5_gate.h"
#include "output/replacement.h"

#include <errno.h>
#include <math.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { BUFFER = 1 << 15, PATIENCE = 30000, ROWS = 1, FLUSH, END }; /* the timeout in milliseconds */

typedef struct head {
    int kind;
    int count; /* of rows */
    bool keep, to_disk;
    dal_ending ending; /* its texts follow */
    size_t json, text; /* bytes; 0: none */
} head;

typedef struct answer {
    dal_status status;
    int messages;
} answer;

typedef struct said {
    dal_severity severity;
    size_t length;
} said;

struct dal_remote_file {
    dal_sink sink;
    const char *path;
    dal_messages *messages;
    dal_status status; /* of the first error */
    pid_t child;       /* 0: not yet started, or ended */
    int socket;
    bool ready;          /* the child has opened the file */
    int n, filled, room; /* columns; rows that wait, and their limit */
    double *rows;
    time_t sent;      /* seconds of the clock */
    long rows_before; /* rows of an earlier run, and the time of the last one; 0: a new file */
    double last;
};

bool dal_is_remote_file(const char *path)
{
    const char *dot = strrchr(path, '.');
    return dot && (!strcasecmp(dot, ".h5") || !strcasecmp(dot, ".hdf5"));
}

/* ---- bytes ------------------------------------------------------------------------ */

static bool send_bytes(int socket, const void *bytes, size_t n)
{
    for (size_t done = 0; done < n;) {
        const ssize_t put = send(socket, (const char *)bytes + done, n - done, MSG_NOSIGNAL);
        if (put < 0 && errno != EINTR)
            return false;
        done += put > 0 ? (size_t)put : 0;
    }
    return true;
}

static bool get(int socket, void *bytes, size_t n)
{
    for (size_t done = 0; done < n;) {
        const ssize_t got = recv(socket, (char *)bytes + done, n - done, 0);
        if (got == 0 || (got < 0 && errno != EINTR))
            return false;
        done += got > 0 ? (size_t)got : 0;
    }
    return true;
}

/* A text of this length, from malloc; NULL: none. */
static char *get_text(int socket, size_t length)
{
    char *text = length ? calloc(1, length + 1) : NULL;
    if (text && !get(socket, text, length)) {
        free(text);
        return NULL;
    }
    return text;
}

/* ---- the child -------------------------------------------------------------------------- */

static void send_answer(int socket, dal_status status, dal_messages *messages)
{
    answer a = {.status = status};
    for (const dal_message *m = dal_messages_first(messages); m; m = m->next)
        a.messages++;
    send_bytes(socket, &a, sizeof a);
    for (const dal_message *m = dal_messages_first(messages); m; m = m->next) {
        const said s = {m->severity, strlen(m->text)};
        send_bytes(socket, &s, sizeof s);
        send_bytes(socket, m->text, s.length);
    }
    dal_messages_clear(messages);
}

static dal_status receive_rows(int socket, const dal_sink *sink, int n, int count, double *row)
{
    dal_status status = DAL_OK;
    for (int i = 0; i < count; i++) {
        if (!get(socket, row, sizeof *row * (size_t)n))
            _exit(DAL_BAD_FILE); /* the parent is gone: the file does not change */
        if (status == DAL_OK)
            status = sink->row(sink->user, n, row);
    }
    return status;
}

/* The evidence is written in HDF5's usual mode, in which a file that is half written cannot be opened again. So the child completes the file even
 * if its parent is killed meanwhile; a process that resumes waits for it (dal_part_settle). */
static _Noreturn void end_child(int socket, dal_writer *writer, head *h, dal_messages *messages)
{
    prctl(PR_SET_PDEATHSIG, 0);
    h->ending.json = get_text(socket, h->json);
    h->ending.text = get_text(socket, h->text);
    send_answer(socket, dal_writer_end(writer, h->keep, &h->ending), messages);
    _exit(0);
}

static _Noreturn void be_the_child(const dal_remote_file *r, int socket, const dal_system_info *info, int n, const dal_column *columns)
{
    dal_messages *messages = dal_messages_create(NULL);
    dal_writer *writer = NULL;
    dal_hdf5_probe();
    send_bytes(socket, "", 1);
    double *row = malloc(sizeof *row * (size_t)(n + 1));
    head h;
    dal_status status = !row             ? DAL_NO_MEMORY
                        : r->rows_before ? dal_writer_resume(NULL, r->path, false, r->rows_before, r->last, messages, &writer)
                                         : dal_writer_open(NULL, r->path, false, messages, &writer);
    if (status != DAL_OK) {
        send_answer(socket, status, messages);
        _exit(0);
    }
    const dal_sink *sink = dal_writer_sink(writer);
    status = sink->begin(sink->user, info, n, columns);
    if (status != DAL_OK)
        dal_writer_discard(writer);
    send_answer(socket, status, messages);
    if (status != DAL_OK)
        _exit(0);
    while (get(socket, &h, sizeof h)) {
        if (h.kind == END)
            end_child(socket, writer, &h, messages);
        const bool well = status == DAL_OK;
        const dal_status taken = h.kind == ROWS ? receive_rows(socket, sink, n, h.count, row) : dal_writer_flush(writer, h.to_disk);
        if (well && (taken != DAL_OK || h.kind == FLUSH))
            send_answer(socket, status = taken, messages);
    }
    _exit(DAL_BAD_FILE);
}

/* Ctrl-C is for the parent, which ends the child later; if the parent ends, so does the child. */
static void set_up_child(pid_t parent)
{
    signal(SIGINT, SIG_IGN);
    signal(SIGTERM, SIG_IGN);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent)
        _exit(DAL_BAD_FILE);
    setrlimit(RLIMIT_CORE, &(struct rlimit){0, 0});
}

/* ---- the parent ---------------------------------------------------------------------------- */

static dal_status complain(dal_remote_file *r, const char *why)
{
    dal_error(r->messages, (dal_mark){r->path, 0, 0}, "cannot be written: %s", why);
    return r->status = DAL_BAD_FILE;
}

/* The child ended without a message. If the file was not open yet, a file that it may have created is useless. */
static dal_status report_end(dal_remote_file *r)
{
    char part[4200];
    int how = 0;
    while (waitpid(r->child, &how, 0) < 0 && errno == EINTR)
        continue;
    r->child = 0;
    if (!r->ready && !r->rows_before && snprintf(part, sizeof part, "%.4096s.part", r->path) > 0)
        unlink(part);
    return complain(r, WIFSIGNALED(how) ? "HDF5's library crashed" : "the process that writes it has ended");
}

/* Adds the messages of the child; returns its status. */
static dal_status listen_to(dal_remote_file *r)
{
    answer a;
    if (!get(r->socket, &a, sizeof a))
        return report_end(r);
    for (int i = 0; i < a.messages; i++) {
        said s;
        char *text = get(r->socket, &s, sizeof s) ? get_text(r->socket, s.length) : NULL;
        if (text && s.severity == DAL_WARNING)
            dal_warn(r->messages, (dal_mark){r->path, 0, 0}, DAL_CODE_INCOMPLETE, NAN, "%s", text);
        else if (text)
            dal_error(r->messages, (dal_mark){r->path, 0, 0}, "%s", text);
        free(text);
    }
    if (r->status == DAL_OK)
        r->status = a.status;
    return a.status;
}

static bool has_spoken(const dal_remote_file *r)
{
    char byte;
    const ssize_t n = recv(r->socket, &byte, 1, MSG_PEEK | MSG_DONTWAIT);
    return n >= 0 || (errno != EAGAIN && errno != EINTR);
}

static dal_status send_rows(dal_remote_file *r)
{
    const head h = {.kind = ROWS, .count = r->filled};
    if (!r->filled)
        return r->status;
    const bool sent = send_bytes(r->socket, &h, sizeof h) && send_bytes(r->socket, r->rows, sizeof *r->rows * (size_t)r->n * (size_t)r->filled);
    r->filled = 0;
    return !sent || has_spoken(r) ? listen_to(r) : r->status;
}

static dal_status send_row(void *user, int n, const double *values)
{
    dal_remote_file *r = user;
    struct timespec now;
    if (r->status != DAL_OK)
        return r->status;
    memcpy(r->rows + (size_t)r->filled * (size_t)n, values, sizeof *values * (size_t)n);
    clock_gettime(CLOCK_MONOTONIC_COARSE, &now);
    const bool over = now.tv_sec != r->sent;
    r->sent = now.tv_sec;
    return ++r->filled == r->room || over ? send_rows(r) : DAL_OK;
}

/* Other code of this program, outside of the gate, may use HDF5: the child then waits for a lock that is never released. */
static bool is_alive(const dal_remote_file *r)
{
    struct pollfd socket_ = {.fd = r->socket, .events = POLLIN};
    char byte;
    int n;
    while ((n = poll(&socket_, 1, PATIENCE)) < 0 && errno == EINTR)
        continue;
    if (n == 0) {
        kill(r->child, SIGKILL);
        return false;
    }
    return recv(r->socket, &byte, 1, 0) >= 0;
}

static dal_status send_begin(void *user, const dal_system_info *info, int n, const dal_column *columns)
{
    dal_remote_file *r = user;
    int ends[2];
    r->n = n;
    r->room = 1 + BUFFER / (n + 1) / (int)sizeof(double);
    r->rows = malloc(sizeof *r->rows * (size_t)n * (size_t)r->room + 1);
    if (!r->rows)
        return r->status = DAL_NO_MEMORY;
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends))
        return complain(r, strerror(errno));
    const pid_t parent = getpid(), child = dal_hdf5_fork();
    if (child == 0) {
        close(ends[0]);
        set_up_child(parent);
        be_the_child(r, ends[1], info, n, columns);
    }
    close(ends[1]);
    r->socket = ends[0];
    if (child < 0)
        return complain(r, errno == EBUSY ? "another thread of this program uses HDF5" : strerror(errno));
    r->child = child;
    if (!is_alive(r))
        return complain(r, "the process that writes it does not answer");
    const dal_status status = listen_to(r);
    r->ready = status == DAL_OK;
    return status;
}

/* ---- open and close ----------------------------------------------------------------------------- */

/* A new file beside a part is useless until it replaces the part. */
static void announce_new_part(const char *path, const dal_run_files_watch *watch)
{
    char name[4200], *real = dal_real_path(path);
    if (watch && watch->temporary && snprintf(name, sizeof name, "%.4096s.part.new", real ? real : path) > 0)
        watch->temporary(name);
    free(real);
}

dal_status dal_remote_open(const char *path, long rows_before, double last, const dal_run_files_watch *watch, dal_messages *messages,
                           dal_remote_file **remote)
{
    const dal_allocator allocator = dal_default_allocator();
    const dal_destination destination = {.allocator = &allocator, .messages = messages, .name = path};
    dal_replacement place;
    const dal_status status = dal_replacement_begin(&place, &destination, path); /* whether it can be written at all */
    dal_replacement_release(&place);
    dal_remote_file *r = *remote = status == DAL_OK ? calloc(1, sizeof *r) : NULL;
    if (!r)
        return status == DAL_OK ? DAL_NO_MEMORY : status;
    if (rows_before)
        announce_new_part(path, watch);
    *r = (dal_remote_file){
        .sink = {r, send_begin, send_row}, .path = path, .messages = messages, .socket = -1, .rows_before = rows_before, .last = last};
    return DAL_OK;
}

const dal_sink *dal_remote_sink(dal_remote_file *r)
{
    return &r->sink;
}

dal_status dal_remote_flush(dal_remote_file *r, bool to_disk)
{
    const head h = {.kind = FLUSH, .to_disk = to_disk};
    if (r->status != DAL_OK || send_rows(r) != DAL_OK)
        return r->status;
    return send_bytes(r->socket, &h, sizeof h) ? listen_to(r) : report_end(r);
}

static char *print_evidence(int (*how)(const dal_evidence *, dal_status, char *, size_t), const dal_evidence *evidence)
{
    const dal_status status = evidence->incomplete ? DAL_NUMERICAL : DAL_OK;
    const size_t size = (size_t)how(evidence, status, NULL, 0) + 1;
    char *text = malloc(size);
    if (text)
        how(evidence, status, text, size);
    return text;
}

/* The end, and the messages of the child about it. */
static void send_end(dal_remote_file *r, bool keep, const dal_evidence *evidence)
{
    char *json = evidence ? print_evidence(dal_evidence_json, evidence) : NULL, *text = evidence ? print_evidence(dal_evidence_text, evidence) : NULL;
    head h = {.kind = END, .keep = keep && (!evidence || (json && text)), .ending.known = evidence != NULL};
    if (evidence)
        h.ending = (dal_ending){.known = true, .incomplete = evidence->incomplete, .time_end = evidence->time_end, .until = evidence->info.until};
    h.json = json ? strlen(json) : 0;
    h.text = text ? strlen(text) : 0;
    if (keep && !h.keep && r->status == DAL_OK)
        r->status = DAL_NO_MEMORY;
    send_bytes(r->socket, &h, sizeof h);
    send_bytes(r->socket, json ? json : "", h.json);
    send_bytes(r->socket, text ? text : "", h.text);
    listen_to(r);
    free(json);
    free(text);
}

dal_status dal_remote_close(dal_remote_file *r, bool keep, const dal_evidence *evidence)
{
    if (!r)
        return DAL_OK;
    if (r->child && r->status == DAL_OK)
        send_rows(r);
    if (r->child && r->ready)
        send_end(r, keep, evidence);
    if (r->socket >= 0)
        close(r->socket);
    while (r->child && waitpid(r->child, NULL, 0) < 0 && errno == EINTR)
        continue;
    const dal_status status = r->status;
    free(r->rows);
    free(r);
    return status;
}
