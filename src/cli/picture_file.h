/* Pictures on their way to a file: SVG as it is, PNG through rsvg-convert. */
#ifndef DAL_CLI_PICTURE_FILE_H
#define DAL_CLI_PICTURE_FILE_H

#include "cli/cli.h"

/* Is the extension one that can be written? DAL_OK, or DAL_BAD_COMMAND after a complaint. */
int dal_picture_type(const char *command, const char *path);
/* Write the SVG text there, as its extension says; "-" is standard output. DAL_BAD_FILE after a message. */
dal_status dal_write_picture(const char *command, const char *path, const char *svg);

/* A command that draws: `draw` makes the SVG text, from malloc; it is written as the extension of `path` says. The exit code. */
int dal_picture_command(const char *command, const char *path, bool quiet, dal_messages *messages,
                        dal_status (*draw)(void *user, dal_messages *messages, char **svg), void *user);

/* "640x480" */
int dal_picture_size(const char *command, const char *text, int *width, int *height);
/* A list "a,b,c" cut at its commas, in place; commas inside brackets do not cut. Returns the number; the list is from malloc. */
int dal_split(char *text, char ***list);

#endif
