/* The one door through which every complaint passes. */
#ifndef DAL_BASE_MESSAGE_H
#define DAL_BASE_MESSAGE_H

#include "dalembert/base.h"

#include <stdarg.h>

/* Append one sentence. `messages` may be NULL: then nobody wants to hear it. */
void dal_say(dal_messages *messages, dal_severity severity, dal_mark mark, const char *format, ...) DAL_PRINTF(4, 5);
void dal_error(dal_messages *messages, dal_mark mark, const char *format, ...) DAL_PRINTF(3, 4);
void dal_warn(dal_messages *messages, dal_mark mark, const char *format, ...) DAL_PRINTF(3, 4);

/* The name of `candidates` (ends with NULL) nearest to `name` by edit distance, or NULL if none is near. */
const char *dal_nearest(const char *name, const char *const *candidates);

/* " (did you mean 'x'?)" or "" in `buffer`. */
const char *dal_did_you_mean(const char *name, const char *const *candidates, char buffer[96]);

extern const dal_mark dal_nowhere;

#endif
