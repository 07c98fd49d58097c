/* Checks the files that a command writes: none of them may be a file that it reads, and they must all differ. */
#ifndef DAL_OUTPUT_SAME_FILES_H
#define DAL_OUTPUT_SAME_FILES_H

#include "dalembert/spec.h"

/* `outputs`: the paths as given ("-": standard output, NULL: none); `inputs`: all files that are read. Files are compared by device and inode, or
 * by folder and name if there is no file yet: links and other spellings of a path do not matter. DAL_OK, or DAL_BAD_COMMAND with a sentence in the
 * messages. */
dal_status dal_outputs_check(int n_outputs, const char *const *outputs, int n_inputs, const char *const *inputs, dal_messages *messages);
/* The same for one output of a command that reads a model, and perhaps a file of results (NULL: none); `spec` may be NULL, too. */
dal_status dal_output_check(const char *output, const dal_spec *spec, const char *result, dal_messages *messages);

#endif
