/* A comparison as a page: the table of methods, their errors against time, and their motions in one scene. */
#ifndef DAL_CLI_COMPARE_PAGE_H
#define DAL_CLI_COMPARE_PAGE_H

#include "cli/cli.h"

typedef struct dal_compare_page {
    const char *path;
    bool no_equations;
    dal_system *system; /* of the scene */
    dal_page *page;
    dal_series **series; /* the reference, then one a row; NULL: none yet */
    dal_status status;   /* of the first error while motions are added */
} dal_compare_page;

/* Begin the page; the model is compiled for its scene. no_equations of *page is an input. */
dal_status dal_compare_page_open(dal_compare_page *page, const char *path, const char *command, const dal_spec *spec, dal_messages *messages);
/* For dal_compare_options, with the page as its user. */
void dal_compare_page_motion(void *page, const dal_comparison *comparison, int row, const dal_compare_instant *instant, const double *poses);
/* comparison NULL: the file is not written. */
dal_status dal_compare_page_close(dal_compare_page *page, const dal_comparison *comparison, const dal_messages *messages);

#endif
