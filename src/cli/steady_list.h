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

/* One more; the text is cut. DAL_OK, or the exit code after a complaint of `command`. */
int dal_steady_list_add(dal_steady_list *list, const char *command, char *text);
/* For dal_linearize and the like: the point, which is "steady" where rates are given and no other place is; inputs and outputs may be NULL. */
dal_linear_options dal_steady_options(const dal_steady_list *list, const dal_name_list *inputs, const dal_name_list *outputs);
void dal_steady_list_free(dal_steady_list *list);

#endif
