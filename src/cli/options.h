/* The command line. A command describes its options in a table; dal_run_command reads them into its request and calls it. What the commands that
 * read a model share is here as well: its name, other values for its parameters (--set), the options that are entries of its simulate: block,
 * and whose fault an error is. */
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
    DAL_OPTION_FILE,    /* the same, but a second one is an error */
    DAL_OPTION_PICTURE, /* the same, for a file whose type is that of a picture */
    DAL_OPTION_READ,    /* the value is only read by `read` */
    DAL_OPTION_WHOLE,   /* an int of the request becomes the value, a whole number from `least` to `most`; it begins as `usual` */
    DAL_OPTION_COUNT,   /* a dal_count of the request becomes the value, a whole number from 0 */
    DAL_OPTION_SIZE,    /* a dal_pixels of the request becomes the value, WIDTHxHEIGHT */
    DAL_OPTION_NAMES,   /* a dal_name_list of the request grows; it is freed with the command */
    DAL_OPTION_STEADY,  /* COORDINATE=RATE: a dal_steady_list of the request grows; the same */
    DAL_OPTION_SET      /* NAME=VALUE for the model */
} dal_option_kind;

/* A number of --seed and the like. */
typedef struct dal_count {
    bool given;
    uint64_t value;
} dal_count;

/* Of a picture; 0: as usual. */
typedef struct dal_pixels {
    int width, height;
} dal_pixels;

/* One option. The tables end with {0}. */
typedef struct dal_option {
    const char *name; /* --name */
    char letter;      /* -n; 0: none */
    dal_option_kind kind;
    size_t member; /* offset in the request */
    /* What else is to be done with the value; may be NULL. DAL_OK, or the exit code after a complaint. */
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

/* What stands on the command line beside the options. */
typedef enum dal_argument {
    DAL_ARGUMENT_MODEL,  /* one model */
    DAL_ARGUMENT_MODELS, /* one or more: the command runs for each of them, and the exit code is the largest */
    DAL_ARGUMENT_RESULT, /* one file of results, which is read in a process of its own if it may crash (apart.h) */
    DAL_ARGUMENT_ANY     /* the command looks at it itself */
} dal_argument;

enum { DAL_MOST_SETTINGS = 16, DAL_MOST_OPTIONS = 20 }; /* of one command: entries of simulate:, and other options */

/* The first item of a list with commas, which is cut off; *rest is what follows, NULL: nothing. Commas inside parentheses do not separate. NULL: the end. */
char *dal_cut_list(char **rest);

/* The command line of a command. Beside its own options, all have --help and --verbose, and those with DAL_SET have --floating. */
typedef struct dal_option_table {
    const char *usage; /* what --help prints */
    const dal_option *options;
    const char *const *settings; /* entries of simulate: that are options; ends with NULL. NULL: none */
    dal_argument argument;
    /* What is missing, or does not go together? DAL_OK, or the exit code after a complaint. May be NULL. */
    int (*check)(void *request);
    /* Frees what `read` of the options or `check` took for the request. May be NULL. */
    void (*release)(void *request);
} dal_option_table;

/* Entries of simulate: that are options: of commands that run a model, and of those that look at it in one position. */
extern const char *const dal_run_settings[], *const dal_equation_settings[];

/* What the command line says of the model, and its arguments. */
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
    dal_spec *spec;         /* what `work` reads and compiles; they are freed behind it */
    dal_system *system;
    char *command; /* the command line as it would be typed again; NULL: no memory */
    bool floating; /* the root of a URDF file is free */
} dal_model_options;

/* A command that is nothing but this: its request is zero but for what the options say, and begins with dal_model_options. */
#define DAL_COMMAND(name, title, work)                                                                                                               \
    {                                                                                                                                                \
        name, title, usage, NULL, &table, sizeof(request), work                                                                                      \
    }

/* A command: the options are read into `model` and `request`, `work` does what was asked for and returns the exit code, which is that of the
 * command. --help and a wrong option end it before. */
int dal_run_command(const dal_option_table *table, int argc, char **argv, dal_model_options *model, void *request, int (*work)(void *request));
/* The same for one that DAL_COMMAND made. */
int dal_run_plain_command(const dal_command *command, int argc, char **argv);

/* A whole number from 0. */
bool dal_read_count(const char *text, uint64_t *value);
/* One between two bounds: DAL_OK, or the exit code after a complaint of `command` about `option`. */
int dal_read_range(const char *command, const char *option, const char *text, int least, int most, int *value);

/* The model with what the options change in it. */
dal_status dal_model_read(const dal_model_options *options, dal_messages *messages, dal_spec **spec);
/* options->spec, with their own messages. An `output` (NULL: none) must not be a file that is read: the model or `source` (NULL: none). */
dal_status dal_model_load(dal_model_options *options, const char *output, const char *source);

/* A command that finds one thing of a model, and prints it or writes it to a file. */
typedef struct dal_finding {
    dal_status (*find)(void *request, const dal_spec *spec, dal_messages *messages);
    dal_text_printer *print;                                    /* gets the request */
    dal_status (*write)(void *request, dal_messages *messages); /* to the file; NULL: it writes none */
} dal_finding;
/* The request begins with dal_model_options. `file`: where to write; NULL: it is printed. `source` as above. The exit code. */
int dal_find_and_print(const dal_finding *how, void *request, const char *file, const char *source);

/* The status, but DAL_BAD_COMMAND for a bad model where every error is about a word of the command line. */
dal_status dal_model_blame(dal_status status, const dal_messages *messages);

#endif
