/* SVG text that grows in an arena, whose guard is set. */
#ifndef DAL_OUTPUT_SVG_H
#define DAL_OUTPUT_SVG_H

#include "base/arena.h"

typedef struct dal_svg {
    dal_arena *arena;
    char *text;
    int length;
    size_t room;
} dal_svg;

/* The head of a picture of this size in pixels; the description is for readers of the text. */
void dal_svg_begin(dal_svg *svg, dal_arena *arena, int width, int height, const char *description);
/* Its last line. */
void dal_svg_end(dal_svg *svg);
/* Calls `draw` with the guard of the arena that contains the picture; returns a copy of its text from the arena's allocator. */
dal_status dal_svg_draw(const dal_svg *svg, dal_arena *arena, dal_status (*draw)(void *user), void *user, char **text);

/* Up to 1023 bytes, as printf writes them. */
void dal_svg_print(dal_svg *svg, const char *format, ...) DAL_PRINTF(2, 3);
/* Characters of a text: < & > and quotes are escaped, what XML does not allow is omitted. */
void dal_svg_escape(dal_svg *svg, const char *text);
/* anchor: "start", "middle", "end". */
void dal_svg_text(dal_svg *svg, double x, double y, const char *anchor, const char *style, const char *text);

/* Colours that are easy to distinguish, and dashes when there are more lines than colours. */
const char *dal_svg_color(int number);
const char *dal_svg_dash(int number); /* "" or an attribute */

/* Is this size allowed for a picture? In pixels, 0: default. False with a message about the file. */
bool dal_picture_sized(int width, int height, const char *file, dal_messages *messages);

/* ---- axes: ticks.c ----------------------------------------------------------------- */

typedef struct dal_ticks {
    double first, step; /* first + step i, i < n; in decades for a logarithmic axis */
    int n, digits;      /* behind the point; < 0: as powers of ten */
    double offset;      /* subtracted from the labels, if the values differ in their last digits only; else 0 */
    double unit;        /* labels are (value - offset) / unit; 1, or a power of ten */
} dal_ticks;

/* 1, 2 or 5 times a power of ten apart, about `wanted` of them within [least, most]. */
dal_ticks dal_ticks_choose(double least, double most, int wanted);
/* The number at tick i, with enough digits to distinguish the ticks. */
void dal_tick_label(const dal_ticks *ticks, int i, char *buffer, size_t size);

#endif
