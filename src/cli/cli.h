/* The program: a list of subcommands, and their common functions. Data goes to standard output, messages to standard error. */
#ifndef DAL_CLI_CLI_H
#define DAL_CLI_CLI_H

#include "cli/ending.h"
#include "dalembert/dalembert.h"

#include <getopt.h>
#include <stdio.h>

/* The program; returns its exit code. */
int dal_command_line(int argc, char **argv);

/* One subcommand. `usage` is the text of its --help. `run` gets its own name as argv[0] and returns the exit code; NULL: options.h makes the command
 * from a table of options, a request of this many bytes and `work`. */
typedef struct dal_command {
    const char *name, *title, *usage;
    int (*run)(int argc, char **argv);
    const struct dal_option_table *table;
    size_t request;
    int (*work)(void *request);
} dal_command;

extern const dal_command dal_command_run, dal_command_watch, dal_command_gallery, dal_command_eval, dal_command_equations, dal_command_derive,
    dal_command_generate, dal_command_compare, dal_command_check, dal_command_view, dal_command_plot, dal_command_snapshots, dal_command_convert,
    dal_command_ports, dal_command_linearize, dal_command_modes, dal_command_equilibrium, dal_command_response, dal_command_sweep, dal_command_merge,
    dal_command_list, dal_command_help, dal_command_version;

extern const dal_command *const dal_commands[]; /* in the order of the help; ends with NULL */

/* The command of that name; NULL after a message that names the nearest one. */
const dal_command *dal_find_command(const char *name);

/* A line for each command: its name and its title. */
void dal_print_commands(FILE *file);

/* Prints "dalembert run: error: ..." and how to get help; returns DAL_BAD_COMMAND. */
int dal_wrong_use(const char *command, const char *format, ...) DAL_PRINTF(2, 3);

/* getopt_long with its own error messages: -1 after the last option, '?' after an error (the message names the nearest option). */
int dal_next_option(int argc, char **argv, const char *letters, const struct option *options);

/* -v: notes are not summed up. */
void dal_report_all(void);
bool dal_reports_all(void);
/* evidence_summary.c: the evidence in plain words, as dal_evidence_text. */
int dal_evidence_summary(const dal_evidence *evidence, dal_status status, char *buffer, size_t size);
/* Prints the messages of the library of this severity and above: place, sentence, the line and a caret under the column. */
void dal_report(const dal_messages *messages, dal_severity least);

/* Flushes and checks standard output. Returns `code`, or another one after a message. */
int dal_finish_output(int code);

/* As dal_report, at the end of a command; if there is no error among the messages, the text of the status is printed. */
void dal_report_end(const char *command, const dal_messages *messages, dal_severity least, dal_status status);

/* A function that writes a text as snprintf does: `of` is the object to print. */
typedef int dal_text_printer(const void *of, char *buffer, size_t size);
/* Prints such a text, of any length. */
dal_status dal_print_text(FILE *out, dal_text_printer *print, const void *of);
/* Returns the text, which the caller frees with free(); NULL: no memory. */
char *dal_printed_text(dal_text_printer *print, const void *of);
/* The number of columns of standard output: `wanted`; if it is 0, those of the terminal, or 100 if it is not a terminal. */
int dal_output_width(int wanted);

/* ---- the progress line of a run -------------------------------------------- */

typedef struct dal_progress {
    bool wanted; /* standard error is a terminal, and --quiet is not set */
    bool shown;
} dal_progress;

/* No line is shown if `quiet` is true. */
dal_progress dal_progress_begin(bool quiet);
/* For dal_run_options: draws after a second; false once the user wants to stop. */
bool dal_progress_show(void *progress, double t, double until, long steps, double wall_seconds);
/* Clears the line. */
void dal_progress_end(dal_progress *progress);

#endif
