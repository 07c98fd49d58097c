/* A warning whose code is given as a word: for codes that `dalembert list warnings` does not explain. */
#ifndef DAL_BASE_NAMED_WARNING_H
#define DAL_BASE_NAMED_WARNING_H

#include "base/message.h"

void dal_warn_named(dal_messages *messages, dal_mark mark, const char *code, double number, const char *format, ...) DAL_PRINTF(5, 6);

#endif
