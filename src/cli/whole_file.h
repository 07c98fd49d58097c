/* A file that is written completely or not at all. */
#ifndef DAL_CLI_WHOLE_FILE_H
#define DAL_CLI_WHOLE_FILE_H

#include "cli/cli.h"

#include <stdbool.h>

/* Does the name end with this extension (".csv"), in upper or lower case? */
bool dal_has_extension(const char *path, const char *extension);
/* Does it end with one of these, up to NULL? */
bool dal_has_one_extension(const char *path, const char *const *extensions);

/* "-" is standard output. DAL_BAD_FILE after a message on standard error that begins with "dalembert COMMAND". */
dal_status dal_write_whole_file(const char *command, const char *path, const char *text);
/* The same for a text of the library. */
dal_status dal_write_printed_file(const char *command, const char *path, dal_text_printer *print, const void *of);

/* The same for callers that fill the file: `fill` gets the open file, and its name until it is complete. `fill` reports its own errors. */
dal_status dal_replace_file(const char *command, const char *path, dal_status (*fill)(void *user, int fd, const char *part), void *user);

#endif
