/* Lists of names on the command line: a,b,atan2(c, d). */
#ifndef DAL_CLI_NAME_LIST_H
#define DAL_CLI_NAME_LIST_H

#include "dalembert/base.h"

typedef struct dal_name_list {
    int n;
    const char **names; /* into the text that was split */
} dal_name_list;

/* Commas inside of parentheses do not split. Several options add up. The text is modified: zeros replace the commas. DAL_OK, or the exit code after
 * an error message of `command` about `option`. */
int dal_name_list_add(dal_name_list *list, const char *command, const char *option, char *text);
/* The same for a list without names that occur twice. */
int dal_name_list_check(const dal_name_list *list, const char *command, const char *option);
void dal_name_list_free(dal_name_list *list);

#endif
