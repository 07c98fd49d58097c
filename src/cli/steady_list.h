/* The point of small motions on the command line: --at PLACE, --steady COORDINATE=RATE. */
#ifndef DAL_CLI_STEADY_LIST_H
#define DAL_CLI_STEADY_LIST_H

#include "cli/name_list.h"
#include "dalembert/linear.h"

typedef struct dal_steady_list {
    const char *at; /* NULL: not given */
    int n;
    dal_steady *list;
} dal_steady_list;

/* Adds an entry; the text is modified. DAL_OK, or the exit code after an error message of `command`. */
int dal_steady_list_add(dal_steady_list *list, const char *command, char *text);
/* DAL_OK; or the exit code after an error message, where --at names another place, or a coordinate has two rates. */
int dal_steady_list_check(const dal_steady_list *list, const char *command);
/* Options for dal_linearize and similar functions: the point is "steady" if rates are given and no other place; inputs and outputs may be NULL. */
dal_linear_options dal_steady_options(const dal_steady_list *list, const dal_name_list *inputs, const dal_name_list *outputs);
void dal_steady_list_free(dal_steady_list *list);

#endif
