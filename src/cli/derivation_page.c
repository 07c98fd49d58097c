#include "cli/derivation_page.h"

#include "output/page.h"

#include <string.h>

/* Texts of the template, each of which occurs once. */
static const char title_mark[] = "<!--TITLE-->", data_mark[] = "<!--DATA-->";

typedef struct page_text {
    const char *title;
    dal_growing *out;
} page_text;

static dal_status wrap_page(void *user)
{
    const page_text *text = user;
    dal_growing *out = text->out, whole = {.arena = out->arena};
    const char *page = (const char *)dal_equations_viewer, *end = page + dal_equations_viewer_size;
    const char *first = memmem(page, (size_t)(end - page), title_mark, strlen(title_mark));
    const char *second = memmem(page, (size_t)(end - page), data_mark, strlen(data_mark));
    if (!first || !second)
        return DAL_BAD_COMMAND;
    dal_grow(&whole, "%.*s%s", (int)(first - page), page, dal_html_escaped(out->arena, text->title));
    first += strlen(title_mark);
    dal_grow(&whole, "%.*s<div id=\"equations\">\n%s</div>\n", (int)(second - first), first, out->text);
    second += strlen(data_mark);
    dal_grow(&whole, "%.*s", (int)(end - second), second);
    *out = whole;
    return DAL_OK;
}

dal_status dal_equations_page(const char *title, dal_growing *out)
{
    page_text text = {title, out};
    return dal_arena_try(out->arena, wrap_page, &text);
}
