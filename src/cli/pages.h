/* Common functions of the commands that write pages. */
#ifndef DAL_CLI_PAGES_H
#define DAL_CLI_PAGES_H

#include "cli/cli.h"

enum { DAL_MOST_PAGES = 4 };

/* Does the name end in .html, or .htm? */
bool dal_is_page(const char *path);

/* The command line as it would be typed again, from malloc. */
char *dal_command_text(int argc, char **argv);

/* Opens a browser by xdg-open, without waiting for it. DAL_OK, or DAL_BAD_FILE after a message. */
dal_status dal_show_page(const char *command, const char *path);

/* The pages of one run. */
typedef struct dal_pages {
    int n;
    const char *path[DAL_MOST_PAGES];
    dal_page *page[DAL_MOST_PAGES];
    dal_series *series[DAL_MOST_PAGES];
    bool kept[DAL_MOST_PAGES];
    int most_frames; /* 0: the default */
    bool show;       /* --open */
    bool live;       /* served, and reloaded after changes */
    bool no_equations;
    const char *command;
} dal_pages;

/* Was the viewer built in? Otherwise a message says that `what` is not available. */
bool dal_pages_possible(const char *command, const char *what);
/* Adds a page; DAL_OK, or DAL_BAD_COMMAND after an error message. */
int dal_pages_add(const char *command, dal_pages *pages, const char *path);
/* The value of --frames. */
int dal_pages_frames(const char *command, const char *text, int *frames);
/* Can the pages be written together with `n` other outputs? None of them may be a file of the model or the file of results (NULL: none). */
dal_status dal_pages_check(const dal_pages *pages, int n, const char *const *others, const dal_spec *spec, const char *result,
                           dal_messages *messages);
/* Begins all pages, with one series each. */
dal_status dal_pages_open(dal_pages *pages, const dal_spec *spec, const dal_system *system, const dal_series_options *series, dal_messages *messages);
/* For dal_run_options. */
dal_status dal_pages_frame(void *pages, dal_state *state, int n, const double *values);
/* The tab of equations. */
void dal_page_add_equations(dal_page *page, const dal_spec *spec);
/* Closes the pages with the evidence (NULL: none is known) and the status of the run, the messages so far and the verdict on the model. keep false:
 * a page of the recorded rows stays as NAME.part. */
dal_status dal_pages_close(dal_pages *pages, bool keep, const dal_spec *spec, const dal_evidence *evidence, dal_status ran, dal_messages *messages);
/* Frees the pages; no file stays. */
void dal_pages_discard(dal_pages *pages);
/* Opens the written pages in a browser if --open is set. */
dal_status dal_pages_show(const char *command, const dal_pages *pages);

#endif
