#include "base/message.h"
#include "base/argument.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

const dal_mark dal_nowhere = {NULL, 0, 0};

struct dal_messages {
    dal_arena arena;
    dal_message *first, **last;
    int count[3];
};

const char *dal_status_text(dal_status status)
{
    switch (status) {
    case DAL_OK: return "all is well";
    case DAL_BAD_COMMAND: return "the command is wrong";
    case DAL_BAD_MODEL: return "the model is wrong";
    case DAL_NUMERICAL: return "the motion could not be continued";
    case DAL_NO_MEMORY: return "there is not enough memory";
    case DAL_BAD_FILE: return "a file could not be read or written";
    }
    return "unknown status";
}

dal_messages *dal_messages_create(const dal_allocator *allocator)
{
    if (!dal_can_allocate(allocator))
        return NULL;
    dal_allocator source = allocator ? *allocator : dal_default_allocator();
    dal_messages *messages = source.allocate(source.user, sizeof *messages);
    if (!messages)
        return NULL;
    dal_arena_begin(&messages->arena, &source);
    messages->first = NULL;
    messages->last = &messages->first;
    memset(messages->count, 0, sizeof messages->count);
    return messages;
}

void dal_messages_free(dal_messages *messages)
{
    if (!messages)
        return;
    dal_allocator source = messages->arena.allocator;
    dal_arena_release(&messages->arena);
    source.release(source.user, messages);
}

void dal_messages_clear(dal_messages *messages)
{
    if (!messages)
        return;
    dal_arena_release(&messages->arena);
    messages->first = NULL;
    messages->last = &messages->first;
    memset(messages->count, 0, sizeof messages->count);
}

const dal_message *dal_messages_first(const dal_messages *messages)
{
    return messages ? messages->first : NULL;
}

int dal_messages_count(const dal_messages *messages, dal_severity severity)
{
    return messages && (unsigned)severity <= DAL_ERROR ? messages->count[severity] : 0;
}

dal_message *dal_message_copy(dal_arena *arena, const dal_message *message)
{
    dal_message *copy = dal_arena_alloc(arena, sizeof *copy);
    char *text = copy ? dal_arena_copy(arena, message->text, strlen(message->text)) : NULL;
    if (!text)
        return NULL;
    *copy = *message;
    copy->text = text;
    copy->mark.file = message->mark.file ? dal_arena_copy(arena, message->mark.file, strlen(message->mark.file)) : NULL;
    copy->next = NULL;
    return copy;
}

void *dal_messages_alloc(dal_messages *messages, size_t bytes)
{
    return dal_arena_alloc(&messages->arena, bytes);
}

static void append(dal_messages *messages, const dal_message *message)
{
    if (!messages)
        return;
    messages->count[message->severity]++; /* counted even when there is no memory for its text */
    dal_message *kept = dal_message_copy(&messages->arena, message);
    if (!kept)
        return;
    *messages->last = kept;
    messages->last = &kept->next;
}

static void compose(dal_messages *messages, dal_message message, const char *format, va_list list)
{
    char text[1024];
    if (!messages)
        return;
    vsnprintf(text, sizeof text, format, list);
    message.text = text;
    append(messages, &message);
}

void dal_pass_on(dal_messages *messages, const dal_message *message)
{
    append(messages, message);
}

void dal_pass_all(dal_messages *messages, const dal_messages *from)
{
    for (const dal_message *m = dal_messages_first(from); m; m = m->next)
        append(messages, m);
}

void dal_say_for(dal_messages *messages, dal_severity severity, dal_reason reason, dal_mark mark, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    compose(messages, (dal_message){.severity = severity, .mark = mark, .number = NAN, .reason = (int)reason}, format, list);
    va_end(list);
}

void dal_warn(dal_messages *messages, dal_mark mark, dal_code code, double number, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    compose(messages, (dal_message){.severity = DAL_WARNING, .mark = mark, .code = dal_code_name(code), .number = number}, format, list);
    va_end(list);
}

#define X(name, code, title) [DAL_CODE_##name] = {code, title},
static const struct {
    const char *name, *title;
} codes[DAL_CODE_COUNT] = {DAL_CODES(X)};
#undef X

const char *dal_code_name(dal_code code)
{
    return codes[code].name;
}

const char *dal_code_title(dal_code code)
{
    return codes[code].title;
}

int dal_message_format(const dal_message *message, char *buffer, size_t size)
{
    static const char *const word[] = {"note", "warning", "error"};
    char where[512] = "";
    if (!message || !message->text || (unsigned)message->severity > DAL_ERROR)
        return -1;
    if (message->mark.file && message->mark.line > 0 && message->mark.column > 0)
        snprintf(where, sizeof where, "%s:%d:%d: ", message->mark.file, message->mark.line, message->mark.column);
    else if (message->mark.file && message->mark.line > 0)
        snprintf(where, sizeof where, "%s:%d: ", message->mark.file, message->mark.line);
    else if (message->mark.file)
        snprintf(where, sizeof where, "%s: ", message->mark.file);
    return snprintf(buffer, buffer ? size : 0, "%s%s: %s", where, word[message->severity], message->text);
}

/* Letters to insert, drop, replace or swap with the next, for names up to 63 characters. */
static int distance(const char *a, const char *b)
{
    size_t n = strlen(a), m = strlen(b);
    if (n > 63 || m > 63)
        return 99;
    int rows[3][64], *above = rows[0], *last = rows[1], *row = rows[2];
    for (size_t j = 0; j <= m; j++)
        row[j] = (int)j;
    for (size_t i = 1; i <= n; i++) {
        int *oldest = above;
        above = last, last = row, row = oldest;
        row[0] = (int)i;
        for (size_t j = 1; j <= m; j++) {
            int best = last[j - 1] + (a[i - 1] != b[j - 1]);
            best = row[j - 1] + 1 < best ? row[j - 1] + 1 : best;
            best = last[j] + 1 < best ? last[j] + 1 : best;
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] && above[j - 2] + 1 < best)
                best = above[j - 2] + 1;
            row[j] = best;
        }
    }
    return row[m];
}

const char *dal_nearest(const char *name, const char *const *candidates)
{
    const char *best = NULL;
    int least = (int)(strlen(name) + 2) / 3 + 1; /* at most a third of the letters may differ */
    for (; *candidates; candidates++) {
        const bool letter = isalpha((unsigned char)name[0]) && !name[1]; /* a single letter is near to every other one: only h for H counts */
        int d = letter && strcasecmp(name, *candidates) ? 99 : distance(name, *candidates);
        if (d < least) {
            least = d;
            best = *candidates;
        }
    }
    return best;
}

const char *dal_did_you_mean(const char *name, const char *const *candidates, char buffer[96])
{
    const char *best = dal_nearest(name, candidates);
    buffer[0] = '\0';
    if (best)
        snprintf(buffer, 96, " (did you mean '%.70s'?)", best);
    return buffer;
}

/* ---- in the order of the text ------------------------------------------------------------- */

enum { SHOWN = 100 }; /* of a severity */

typedef struct sorted_message {
    const dal_message *message;
    bool elsewhere; /* in another file */
    int order;
} sorted_message;

static int by_place(const void *a, const void *b)
{
    const sorted_message *p = a, *q = b;
    if (p->elsewhere != q->elsewhere)
        return p->elsewhere - q->elsewhere;
    if (!p->elsewhere && p->message->mark.line != q->message->mark.line)
        return p->message->mark.line < q->message->mark.line ? -1 : 1;
    if (!p->elsewhere && p->message->mark.column != q->message->mark.column)
        return p->message->mark.column < q->message->mark.column ? -1 : 1;
    return p->order - q->order;
}

static bool same_message(const dal_message *a, const dal_message *b)
{
    return a->mark.line == b->mark.line && a->mark.column == b->mark.column && !strcmp(a->text, b->text);
}

/* Texts are cut to fit into sentences: no half characters of UTF-8, no control characters. */
static const char *clean(dal_arena *arena, const char *text)
{
    char *copy = dal_arena_copy(arena, text, strlen(text));
    for (char *p = copy; *p;) {
        unsigned char c = (unsigned char)*p;
        int n = c < 0x80 ? 1 : c >= 0xc2 && c < 0xe0 ? 2 : c >= 0xe0 && c < 0xf0 ? 3 : c >= 0xf0 && c < 0xf5 ? 4 : 0;
        for (int i = 1; i < n; i++)
            if (((unsigned char)p[i] & 0xc0) != 0x80)
                n = 0;
        if (!n || c < ' ')
            *p = '?';
        p += n ? n : 1;
    }
    return copy;
}

/* Rebuilds the list from the sorted messages that are shown. */
static void relink(dal_messages *messages, const sorted_message *sorted, int n, const char *file, dal_arena *arena)
{
    static const char *const words[] = {"notes", "warnings", "errors"};
    int count[3] = {0};
    messages->first = NULL;
    messages->last = &messages->first;
    memset(messages->count, 0, sizeof messages->count);
    for (int i = 0; i < n; i++) {
        if (i > 0 && same_message(sorted[i - 1].message, sorted[i].message))
            continue;
        dal_message shown = *sorted[i].message;
        shown.text = clean(arena, shown.text);
        if (++count[shown.severity] <= SHOWN)
            append(messages, &shown);
    }
    for (int i = 0; i < 3; i++)
        if (count[i] > SHOWN)
            dal_say(messages, (dal_severity)i, (dal_mark){file, 0, 0}, "%d more %s are not shown", count[i] - SHOWN, words[i]);
}

bool dal_messages_deliver(dal_arena *arena, const char *file, dal_messages *from, dal_messages *to)
{
    int n = 0;
    for (const dal_message *m = from->first; m; m = m->next)
        n++;
    const bool whole = n == from->count[DAL_ERROR] + from->count[DAL_WARNING] + from->count[DAL_NOTE];
    sorted_message *sorted = DAL_NEW(arena, sorted_message, n);
    int i = 0;
    for (const dal_message *m = from->first; m; m = m->next, i++)
        sorted[i] = (sorted_message){m, m->mark.file && file && strcmp(m->mark.file, file), i};
    qsort(sorted, (size_t)n, sizeof *sorted, by_place);
    relink(from, sorted, n, file, arena);
    dal_pass_all(to, from);
    return whole;
}
