#include "cli/chart_page.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char head[] =
    "<!doctype html>\n<html lang=\"en\">\n<meta charset=\"utf-8\">\n<meta name=\"viewport\" content=\"width=device-width\">\n<title>";
static const char style[] =
    "</title>\n<style>body { margin: 1rem auto; max-width: 60rem; font-family: sans-serif; background: #fff } figure { margin: 0 0 1rem; overflow-x: "
    "auto } "
    "svg { max-width: 100%; min-width: 34rem; height: auto } svg svg { min-width: 0 } "
    "@media (prefers-color-scheme: dark) { body { background: #15181e } figure > svg { filter: invert(0.91) hue-rotate(180deg) } }</style>\n";

/* Escapes < and & for HTML, as XML does. */
static void append_escaped(char *to, const char *text)
{
    to += strlen(to);
    for (; *text; text++)
        to += sprintf(to, *text == '<' ? "&lt;" : *text == '&' ? "&amp;" : "%c", *text);
}

char *dal_chart_page(const char *title, int n, const char *const *svgs)
{
    size_t room = sizeof head + sizeof style + 5 * strlen(title) + 64;
    for (int i = 0; i < n; i++)
        room += strlen(svgs[i]) + 32;
    char *page = malloc(room);
    if (!page)
        return NULL;
    strcpy(page, head);
    append_escaped(page, title);
    strcat(page, style);
    for (int i = 0; i < n; i++) {
        strcat(page, "<figure>\n");
        strcat(page, svgs[i]);
        strcat(page, "</figure>\n");
    }
    strcat(page, "</html>\n");
    return page;
}
