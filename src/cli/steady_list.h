/* --steady COORDINATE=RATE on the command line. */
#ifndef DAL_CLI_STEADY_LIST_H
#define DAL_CLI_STEADY_LIST_H

#include "dalembert/linear.h"

typedef struct dal_steady_list {
    int n;
    dal_steady *list;
} dal_steady_list;

/* One more; the text is cut. DAL_OK, or the exit code after a complaint of `command`. */
int dal_steady_list_add(dal_steady_list *list, const char *command, char *text);
/* --at: "steady" where rates are given and no other place is. */
const char *dal_steady_place(const dal_steady_list *list, const char *at);
void dal_steady_list_free(dal_steady_list *list);

#endif
