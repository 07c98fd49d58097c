/* The command line. A command describes its options in a table; dal_run_command reads them into its request and calls it. The common part of the
 * commands that read a model is here as well: its name, other values for its parameters (--set), the options that are entries of its simulate:
 * block, and whether an error is one of the model or of the command line. */
#ifndef DAL_CLI_OPTIONS_H
#define DAL_CLI_OPTIONS_H

#include "cli/cli.h"
#include "cli/name_list.h"
#include "cli/steady_list.h"
#include "cli/usage.h"

#include <stddef.h>
#include <stdint.h>

typedef enum dal_option_kind {
    DAL_OPTION_END,
    DAL_OPTION_FLAG,    /* takes no value: a bool of the request becomes true */
    DAL_OPTION_TEXT,    /* a const char * of the request becomes the value; of several the last */
    DAL_OPTION_ONCE,    /* the same, but a second one is an error */
    DAL_OPTION_FILE,    /* the same, for a file that is written */
    DAL_OPTION_PICTURE, /* the same, for a file whose type is that of a picture */
    DAL_OPTION_READ,    /* the value is only read by `read` */
    DAL_OPTION_WHOLE,   /* an int of the request becomes the value, a whole number from `least` to `most`; it begins as `usual` */
    DAL_OPTION_COUNT,   /* a dal_count of the request becomes the value, a whole number from 0 */
    DAL_OPTION_SIZE,    /* a dal_pixels of the request becomes the value, WIDTHxHEIGHT */
    DAL_OPTION_NAMES,   /* a dal_name_list of the request grows; it is freed with the command */
    DAL_OPTION_STEADY,  /* COORDINATE=RATE: a dal_steady_list of the request grows; the same */
    DAL_OPTION_SET      /* NAME=VALUE for the model */
} dal_option_kind;

/* A number of --seed and similar options. */
typedef struct dal_count {
    bool given;
    uint64_t value;
} dal_count;

/* The size of a picture; 0: the default. */
typedef struct dal_pixels {
    int width, height;
} dal_pixels;

/* One option. The tables end with {0}. */
typedef struct dal_option {
    const char *name; /* --name */
    char letter;      /* -n; 0: none */
    dal_option_kind kind;
    size_t member; /* offset in the request */
    /* Further processing of the value; may be NULL. DAL_OK, or the exit code after an error message. */
    int (*read)(void *request, char *value);
    int least, most, usual;
} dal_option;

/* Entries of a table, for members of a struct `request`. */
#define DAL_OPTION_OF(name, letter, kind, member)                                                                                                    \
    {                                                                                                                                                \
        name, letter, kind, offsetof(request, member), NULL, 0, 0, 0                                                                                 \
    }
#define DAL_FLAG(name, letter, member) DAL_OPTION_OF(name, letter, DAL_OPTION_FLAG, member)
#define DAL_TEXT(name, letter, member) DAL_OPTION_OF(name, letter, DAL_OPTION_TEXT, member)
#define DAL_ONCE(name, member) DAL_OPTION_OF(name, 0, DAL_OPTION_ONCE, member)
#define DAL_FILE(name, letter, member) DAL_OPTION_OF(name, letter, DAL_OPTION_FILE, member)
#define DAL_PICTURE(member) DAL_OPTION_OF("output", 'o', DAL_OPTION_PICTURE, member)
#define DAL_COUNT(name, member) DAL_OPTION_OF(name, 0, DAL_OPTION_COUNT, member)
#define DAL_SIZE(member) DAL_OPTION_OF("size", 0, DAL_OPTION_SIZE, member)
#define DAL_NAMES(name, member) DAL_OPTION_OF(name, 0, DAL_OPTION_NAMES, member)
#define DAL_STEADY(member) DAL_OPTION_OF("steady", 0, DAL_OPTION_STEADY, member)
#define DAL_READ(name, letter, read)                                                                                                                 \
    {                                                                                                                                                \
        name, letter, DAL_OPTION_READ, 0, read, 0, 0, 0                                                                                              \
    }
#define DAL_WHOLE_FROM(name, member, least, most, usual)                                                                                             \
    {                                                                                                                                                \
        name, 0, DAL_OPTION_WHOLE, offsetof(request, member), NULL, least, most, usual                                                               \
    }
#define DAL_WHOLE(name, member, least, most) DAL_WHOLE_FROM(name, member, least, most, 0)
#define DAL_DIGITS DAL_WHOLE_FROM("digits", digits, 1, 17, 6)
#define DAL_WIDTH DAL_WHOLE("width", width, 20, 10000)
#define DAL_SET                                                                                                                                      \
    {                                                                                                                                                \
        "set", 0, DAL_OPTION_SET, 0, NULL, 0, 0, 0                                                                                                   \
    }

/* The arguments on the command line after the options. */
typedef enum dal_argument {
    DAL_ARGUMENT_MODEL,  /* one model */
    DAL_ARGUMENT_MODELS, /* one or more: the command runs for each of them, and the exit code is the largest */
    DAL_ARGUMENT_RESULT, /* one file of results, which is read in a separate process if that may crash (apart.h) */
    DAL_ARGUMENT_ANY     /* the command reads it itself */
} dal_argument;

enum { DAL_MOST_SETTINGS = 16, DAL_MOST_OPTIONS = 20 }; /* of one command: entries of simulate:, and other options */

/* The first item of a list with commas, which is cut off; *rest is what follows, NULL: nothing. Commas inside parentheses do not separate. NULL: the end. */
char *dal_cut_list(char **rest);

/* The command line of a command. In addition to their own options, all commands have --help and --verbose, and those with DAL_SET have --floating. */
typedef struct dal_option_table {
    const char *usage; /* what --help prints */
    const dal_option *options;
    const char *const *settings; /* entries of simulate: that are options; ends with NULL. NULL: none */
    dal_argument argument;
    /* Checks for missing and contradictory options. DAL_OK, or the exit code after an error message. May be NULL. */
    int (*check)(void *request);
    /* Frees the memory that `read` of the options or `check` allocated for the request. May be NULL. */
    void (*release)(void *request);
} dal_option_table;

/* Entries of simulate: that are options: of commands that run a model, and of those that evaluate it in one position. */
extern const char *const dal_run_settings[], *const dal_equation_settings[];

/* The options of the command line about the model, and its arguments. */
typedef struct dal_model_options {
    const char *name;   /* of the command */
    const char *path;   /* of the model */
    const char *result; /* the file of results */
    int n_arguments;    /* all of them */
    char **arguments;
    const char *const *settings;            /* of the table */
    const char *setting[DAL_MOST_SETTINGS]; /* NULL: not given */
    int n_overrides, room_overrides;
    dal_override *overrides;
    void (*file)(void *user, const char *path); /* for dal_read_options; NULL: none */
    void *file_user;
    dal_messages *messages; /* for `work` */
    dal_spec *spec;         /* for `work`, which reads and compiles; they are freed after it */
    dal_system *system;
    char *command; /* the command line as it would be typed again; NULL: no memory */
    bool floating; /* the root of a URDF file is free */
} dal_model_options;

/* A command that only needs this: its request begins with dal_model_options, and is zero except for the values of the options. */
#define DAL_COMMAND(name, title, work)                                                                                                               \
    {                                                                                                                                                \
        name, title, usage, NULL, &table, sizeof(request), work                                                                                      \
    }

/* Runs a command: the options are read into `model` and `request`, then `work` does the work and returns the exit code of the command. After --help
 * or a wrong option `work` is not called. */
int dal_run_command(const dal_option_table *table, int argc, char **argv, dal_model_options *model, void *request, int (*work)(void *request));
/* The same for a command that DAL_COMMAND made. */
int dal_run_plain_command(const dal_command *command, int argc, char **argv);

/* A whole number from 0. */
bool dal_read_count(const char *text, uint64_t *value);
/* A whole number between two bounds: DAL_OK, or the exit code after an error message of `command` about `option`. */
int dal_read_range(const char *command, const char *option, const char *text, int least, int most, int *value);

/* Reads the model with the changes of the options. */
dal_status dal_model_read(const dal_model_options *options, dal_messages *messages, dal_spec **spec);
/* The same into options->spec, with options->messages. An `output` (NULL: none) must not be a file that is read: the model or `source` (NULL:
 * none). */
dal_status dal_model_load(dal_model_options *options, const char *output, const char *source);

/* A command that computes one result of a model, and prints it or writes it to a file. */
typedef struct dal_finding {
    dal_status (*find)(void *request, const dal_spec *spec, dal_messages *messages);
    dal_text_printer *print;                                    /* gets the request */
    dal_status (*write)(void *request, dal_messages *messages); /* to the file; NULL: it writes none */
} dal_finding;
/* The request begins with dal_model_options. `file`: the file to write; NULL: the result is printed. `source` as above. Returns the exit code. */
int dal_find_and_print(const dal_finding *how, void *request, const char *file, const char *source);

/* Returns the status; but DAL_BAD_COMMAND instead of DAL_BAD_MODEL if every error is about a word of the command line. */
dal_status dal_model_blame(dal_status status, const dal_messages *messages);

#endif
