/* Messages: every error, warning and note of the library is added by a function of this header. */
#ifndef DAL_BASE_MESSAGE_H
#define DAL_BASE_MESSAGE_H

#include "base/arena.h"
#include "base/code.h"
#include "base/reason.h"

#include <stdarg.h>

/* Append one sentence. `messages` may be NULL: the sentence is dropped. `reason`: for errors and notes on which a decision depends. */
void dal_say_for(dal_messages *messages, dal_severity severity, dal_reason reason, dal_mark mark, const char *format, ...) DAL_PRINTF(5, 6);
/* The same without one: mark, format, ... */
#define dal_say(messages, severity, ...) dal_say_for(messages, severity, DAL_REASON_OTHER, __VA_ARGS__)
#define dal_error(messages, ...) dal_say(messages, DAL_ERROR, __VA_ARGS__)
/* `number`: how much, as the list of codes says; NAN where the code has none. */
void dal_warn(dal_messages *messages, dal_mark mark, dal_code code, double number, const char *format, ...) DAL_PRINTF(5, 6);
/* A message of another list, unchanged. */
void dal_pass_on(dal_messages *messages, const dal_message *message);
/* Appends all messages of another list. */
void dal_pass_all(dal_messages *messages, const dal_messages *from);
/* A copy of a message and its texts; NULL without memory. */
dal_message *dal_message_copy(dal_arena *arena, const dal_message *message);
/* Memory that lives as long as the messages do; NULL without memory. */
void *dal_messages_alloc(dal_messages *messages, size_t bytes);

/* The name of `candidates` (ends with NULL) nearest to `name` by edit distance, or NULL if none is near. */
const char *dal_nearest(const char *name, const char *const *candidates);

/* " (did you mean 'x'?)" or "" in `buffer`. */
const char *dal_did_you_mean(const char *name, const char *const *candidates, char buffer[96]);

/* Sorts `from` by the lines of `file`, drops repeated messages and those beyond 100 of a severity, and appends the rest. Scratch comes from `arena`,
 * whose guard has to be set. False: some were lost because memory ran out. */
bool dal_messages_deliver(dal_arena *arena, const char *file, dal_messages *from, dal_messages *to);

extern const dal_mark dal_nowhere;

#endif
