#include "output/svg.h"

#include "base/message.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static void put_text(dal_svg *svg, const char *text, size_t n)
{
    svg->text = dal_arena_grow(svg->arena, svg->text, (size_t)svg->length, &svg->room, (size_t)svg->length + n + 1, 1);
    memcpy(svg->text + svg->length, text, n);
    svg->length += (int)n;
    svg->text[svg->length] = '\0';
}

void dal_svg_print(dal_svg *svg, const char *format, ...)
{
    char text[1024];
    va_list list;
    va_start(list, format);
    int n = vsnprintf(text, sizeof text, format, list);
    va_end(list);
    put_text(svg, text, n < (int)sizeof text ? (size_t)n : sizeof text - 1);
}

void dal_svg_escape(dal_svg *svg, const char *text)
{
    for (; *text; text++) {
        const unsigned char c = (unsigned char)*text;
        if (c == '<')
            put_text(svg, "&lt;", 4);
        else if (c == '>')
            put_text(svg, "&gt;", 4);
        else if (c == '&')
            put_text(svg, "&amp;", 5);
        else if (c == '"')
            put_text(svg, "&quot;", 6);
        else if (c >= ' ' || c == '\t' || c == '\n')
            put_text(svg, text, 1);
    }
}

void dal_svg_text(dal_svg *svg, double x, double y, const char *anchor, const char *style, const char *text)
{
    dal_svg_print(svg, "<text x=\"%.2f\" y=\"%.2f\" text-anchor=\"%s\"%s%s>", x, y, anchor, *style ? " " : "", style);
    dal_svg_escape(svg, text);
    dal_svg_print(svg, "</text>\n");
}

void dal_svg_begin(dal_svg *svg, dal_arena *arena, int width, int height, const char *description)
{
    *svg = (dal_svg){.arena = arena};
    dal_svg_print(svg,
                  "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" viewBox=\"0 0 %d %d\" "
                  "font-family=\"Helvetica, Arial, 'DejaVu Sans', sans-serif\" font-size=\"12\" fill=\"#222222\">\n<title>",
                  width, height, width, height);
    dal_svg_escape(svg, description);
    dal_svg_print(svg, "</title>\n<rect width=\"%d\" height=\"%d\" fill=\"#ffffff\"/>\n", width, height);
}

void dal_svg_end(dal_svg *svg)
{
    dal_svg_print(svg, "</svg>\n");
}

dal_status dal_svg_draw(const dal_svg *svg, dal_arena *arena, dal_status (*draw)(void *user), void *user, char **text)
{
    const dal_status status = dal_arena_try(arena, draw, user);
    if (status != DAL_OK)
        return status;
    if (!(*text = arena->allocator.allocate(arena->allocator.user, (size_t)svg->length + 1)))
        return DAL_NO_MEMORY;
    memcpy(*text, svg->text, (size_t)svg->length + 1);
    return DAL_OK;
}

/* The colours of Okabe and Ito, without yellow: it is too light on paper. */
static const char *const colors[] = {"#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#222222"};
static const char *const dashes[] = {"", " stroke-dasharray=\"6 3\"", " stroke-dasharray=\"2 2\"", " stroke-dasharray=\"8 3 2 3\""};
enum { COLORS = sizeof colors / sizeof *colors, DASHES = sizeof dashes / sizeof *dashes };

const char *dal_svg_color(int number)
{
    return colors[number % COLORS];
}

const char *dal_svg_dash(int number)
{
    return dashes[number / COLORS % DASHES];
}

bool dal_picture_sized(int width, int height, const char *file, dal_messages *messages)
{
    enum { MOST_PIXELS = 100000 };
    if (width >= 0 && width <= MOST_PIXELS && height >= 0 && height <= MOST_PIXELS)
        return true;
    dal_error(messages, (dal_mark){file, 0, 0}, "a picture has a width and a height of 0 to %d pixels, not %d and %d", MOST_PIXELS, width, height);
    return false;
}
