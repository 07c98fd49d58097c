/* Pictures as files: SVG directly, PNG by rsvg-convert. */
#ifndef DAL_CLI_PICTURE_FILE_H
#define DAL_CLI_PICTURE_FILE_H

#include "cli/options.h"

/* Can a picture with this extension be written? DAL_OK, or DAL_BAD_COMMAND after an error message. */
int dal_picture_type(const char *command, const char *path);
/* Writes the SVG text to a file, in the type of its extension; "-" is standard output. DAL_BAD_FILE after a message. */
dal_status dal_write_picture(const char *command, const char *path, const char *svg);

/* The first members of the request of a command that draws a file of results. */
typedef struct dal_picture_request {
    dal_model_options model;
    const char *output, *title;
    dal_pixels size;
    bool quiet;
} dal_picture_request;
/* Runs such a command: the model is read and compiled if there is one (`spec` and `system` are NULL otherwise), `draw` makes the SVG text, from
 * malloc, and it is written in the type of the extension of the output. Returns the exit code. */
int dal_picture_command(void *request,
                        dal_status (*draw)(void *request, const dal_spec *spec, const dal_system *system, dal_messages *messages, char **svg));

/* "640x480" */
int dal_picture_size(const char *command, const char *text, int *width, int *height);
/* A list "a,b,c" cut at its commas, in place; commas inside brackets do not cut. Returns the number; the list is from malloc. */
int dal_split(char *text, char ***list);

#endif
