#include "cli/name_list.h"
#include "cli/cli.h"

#include <stdlib.h>
#include <string.h>

static char *trimmed(char *text)
{
    while (*text == ' ')
        text++;
    for (size_t n = strlen(text); n && text[n - 1] == ' '; n--)
        text[n - 1] = '\0';
    return text;
}

int dal_name_list_add(dal_name_list *list, const char *command, const char *option, char *text)
{
    for (char *rest = text; rest;) {
        int depth = 0;
        char *at = rest;
        for (; *at && (*at != ',' || depth > 0); at++)
            depth += (*at == '(') - (*at == ')');
        char *name = rest;
        rest = *at ? at + 1 : NULL;
        *at = '\0';
        name = trimmed(name);
        if (!*name)
            return dal_wrong_use(command, "%s needs names separated by commas", option);
        const char **longer = realloc(list->names, sizeof *longer * (size_t)(list->n + 1));
        if (!longer)
            return DAL_NO_MEMORY;
        list->names = longer;
        list->names[list->n++] = name;
    }
    return DAL_OK;
}

int dal_name_list_check(const dal_name_list *list, const char *command, const char *option)
{
    for (int i = 0; i < list->n; i++)
        for (int j = 0; j < i; j++)
            if (!strcmp(list->names[i], list->names[j]))
                return dal_wrong_use(command, "%s names '%s' twice", option, list->names[i]);
    return DAL_OK;
}

void dal_name_list_free(dal_name_list *list)
{
    free(list->names);
    *list = (dal_name_list){0};
}
