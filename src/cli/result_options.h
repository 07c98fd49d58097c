/* What the commands that read a file of results share: its name, and the walk over the options. */
#ifndef DAL_CLI_RESULT_OPTIONS_H
#define DAL_CLI_RESULT_OPTIONS_H

#include "cli/cli.h"

typedef struct dal_result_options {
    const char *usage, *letters;
    const struct option *options;
    int (*take)(void *request, int option); /* one of them, optarg is its value; DAL_OK, or the exit code after a complaint */
} dal_result_options;

/* argv[0] is the command. 0: go on, and *result is the file; -1: help was printed; otherwise the exit code. */
int dal_result_options_read(const dal_result_options *known, int argc, char **argv, void *request, const char **result);

#endif
