/* What the commands that read a model share: its name, other values for its parameters (--set), the options that are entries of its
 * simulate: block, and whose fault an error is. */
#ifndef DAL_CLI_MODEL_OPTIONS_H
#define DAL_CLI_MODEL_OPTIONS_H

#include "cli/cli.h"

enum { DAL_MOST_SETTINGS = 16, DAL_MOST_OPTIONS = 20 }; /* of one command: entries of simulate:, and other options */
/* Values of struct option: the settings count from the first, a command's own options from the last. */
enum { DAL_OPTION_SETTING = 1000, DAL_OPTION_SET = 2000, DAL_OPTION_FLOATING, DAL_OPTION_OWN };

/* The options of a command, one table a command. */
typedef struct dal_option_table {
    const char *usage;           /* what --help prints */
    const char *letters;         /* of getopt */
    const struct option *others; /* DAL_OPTION_SET, 'h' and its own; ends with zeros */
    const char *const *settings; /* entries of simulate: that are options; ends with NULL */
    /* One of its own; DAL_OK, or the exit code after a complaint. */
    int (*take)(void *request, int option, char *value);
} dal_option_table;

typedef struct dal_model_options {
    const char *path;
    const char *const *settings;            /* of the table */
    const char *setting[DAL_MOST_SETTINGS]; /* NULL: not given */
    int n_overrides;
    dal_override *overrides;
    void (*file)(void *user, const char *path); /* for dal_read_options; NULL: none */
    void *file_user;
    bool floating;                          /* --floating, which every command has: the root of a URDF file is free */
} dal_model_options;

/* 0: go on, -1: help was printed, otherwise the exit code. `request` is for `take`. To be freed in any case. */
int dal_model_options_read(const dal_option_table *table, int argc, char **argv, dal_model_options *options, void *request);
void dal_model_options_free(dal_model_options *options);

/* NAME=VALUE of --set, cut at the first equals sign. DAL_OK, or DAL_BAD_COMMAND after a complaint. */
int dal_override_read(const char *command, char *text, dal_override *override);

/* The model with what the options change in it. */
dal_status dal_model_read(const dal_model_options *options, dal_messages *messages, dal_spec **spec);

/* The status, but DAL_BAD_COMMAND for a bad model where every error is about a word of the command line. */
dal_status dal_model_blame(dal_status status, const dal_messages *messages);

#endif
