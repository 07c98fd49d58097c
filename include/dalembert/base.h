/* Status codes, source marks, messages and memory. Every other header of the library uses them.
 *
 * The library never prints, never exits and keeps no global state. Its messages
 * go into a `dal_messages` object that the caller owns; all memory comes from the caller's `dal_allocator` (malloc by default).
 *
 * Every function of these headers accepts the following, unless its comment says more:
 *
 *   - pointers that are not NULL; `messages` may be NULL (messages are dropped), so may `allocator` (malloc) and options (all of them 0). Functions
 *     that free or close accept NULL
 *   - an allocator with both of its functions; sinks with both of theirs
 *   - indices from 0 to one less than the number of items; counts of 0 or more, with an array for each count that is not 0
 *   - finite numbers, and members of enums
 *
 * Any other argument changes nothing. The function returns DAL_BAD_COMMAND with a message that names the function and the argument; or false, NULL
 * or -1; or NAN where it returns numbers. After a failed call, results that are pointers are NULL; other results must not be used.
 *
 * The library cannot detect some errors of the caller: memory that was freed, arrays that are shorter than their count, objects that another thread
 * changes. A state must not be used after its system was freed, but it may be freed later. Such a use is an assertion in builds with asserts; other
 * builds return errors as above.
 */
#ifndef DALEMBERT_BASE_H
#define DALEMBERT_BASE_H

#include <stdbool.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__)
#define DAL_API __attribute__((visibility("default")))
#define DAL_PRINTF(text, first) __attribute__((format(printf, text, first)))
#else
#define DAL_API
#define DAL_PRINTF(text, first)
#endif

/* Every failure has a kind; the program's exit code is the same number. */
typedef enum dal_status {
    DAL_OK = 0,
    DAL_BAD_COMMAND = 2, /* a wrong option or argument */
    DAL_BAD_MODEL = 3,   /* the description is wrong, or requires something impossible */
    DAL_NUMERICAL = 4,   /* the motion could not be continued */
    DAL_NO_MEMORY = 5,
    DAL_BAD_FILE = 6 /* a file could not be read or written */
} dal_status;

/* One sentence for a status: "the model is wrong"; "unknown status" for any other number. */
DAL_API const char *dal_status_text(dal_status status);

/* Where something was written: line and column count from 1, 0 means unknown. */
typedef struct dal_mark {
    const char *file;
    int line, column;
} dal_mark;

typedef enum dal_severity { DAL_NOTE, DAL_WARNING, DAL_ERROR } dal_severity;

typedef struct dal_message {
    dal_severity severity;
    dal_mark mark;
    const char *text; /* one sentence without a trailing newline */
    const char *code; /* of warnings: their kind, "joints-open" (`dalembert list warnings`); otherwise NULL */
    double number;    /* of warnings: how much, as the list says; NAN: the kind has no number */
    int reason;       /* of errors and notes: for the library itself; 0: none */
    struct dal_message *next;
} dal_message;

/* Where memory comes from. `allocate` may return NULL; `release` accepts NULL. */
typedef struct dal_allocator {
    void *(*allocate)(void *user, size_t bytes);
    void (*release)(void *user, void *memory);
    void *user;
} dal_allocator;

/* malloc and free. */
DAL_API dal_allocator dal_default_allocator(void);

/* A growing list of messages, in the order in which they were found. */
typedef struct dal_messages dal_messages;

/* Pass NULL for malloc. Returns NULL without memory, and for an allocator without functions. */
DAL_API dal_messages *dal_messages_create(const dal_allocator *allocator);
DAL_API void dal_messages_free(dal_messages *messages);
/* NULL and 0 if there are none, or if `messages` is NULL. */
DAL_API const dal_message *dal_messages_first(const dal_messages *messages);
DAL_API int dal_messages_count(const dal_messages *messages, dal_severity severity);
DAL_API void dal_messages_clear(dal_messages *messages);

/* Write "file:line:column: error: text" (the known parts of it) into `buffer`, as snprintf does: returns the length needed. If the buffer is NULL,
 * only the length is computed. -1: the message is NULL, has no text, or has an invalid severity. */
DAL_API int dal_message_format(const dal_message *message, char *buffer, size_t size);

#ifdef __cplusplus
}
#endif

#endif
