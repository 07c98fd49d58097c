/* Charts: frames, grids, labels and lines. Here all numbers are in memory; plot.c draws files of results, which it reads row by row. */
#include "output/chart.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { LEFT = 78, RIGHT = 18, TOP = 14, TITLE = 22, LEGEND = 20, BELOW = 44, PANEL = 190, WIDTH = 720, LINE = 16 };

static const char thin_line[] = "stroke=\"#dddddd\" stroke-width=\"1\"", small[] = "font-size=\"11\" fill=\"#444444\"";

typedef struct axis {
    bool log;
    double least, most; /* logarithmic axis: decades */
    double from, size;  /* pixels: at `least`, and along it */
} axis;

typedef struct frame {
    const dal_chart_panel *panel;
    axis x, y;
} frame;

/* ---- ranges ----------------------------------------------------------------------------------- */

static bool is_shown(bool log, double value)
{
    return isfinite(value) && (!log || value > 0);
}

static void span_axis(const dal_chart_panel *p, bool vertical, axis *a)
{
    a->least = INFINITY;
    a->most = -INFINITY;
    for (int i = 0; i < p->n_curves; i++)
        for (int k = 0; k < p->curves[i].n; k++) {
            const double value = vertical ? p->curves[i].y[k] : p->curves[i].x[k];
            if (!is_shown(a->log, value) || !is_shown(vertical ? p->x_log : p->y_log, vertical ? p->curves[i].x[k] : p->curves[i].y[k]))
                continue;
            a->least = fmin(a->least, a->log ? log10(value) : value);
            a->most = fmax(a->most, a->log ? log10(value) : value);
        }
    if (!(a->most >= a->least))
        a->least = 0, a->most = 1;
    const double size = a->most - a->least, value = fmax(fabs(a->least), fabs(a->most));
    const double margin = size > 1e-12 * value ? (vertical ? 0.05 * size : 0) : value > 0 ? (a->log ? 0.5 : 0.1 * value) : 1;
    a->least -= margin;
    a->most += margin;
}

static void set_ends(axis *a, double least, double most)
{
    if (least == 0 && most == 0)
        return;
    a->least = a->log ? log10(least) : least;
    a->most = a->log ? log10(most) : most;
}

/* One unit has the same length along both axes: the shorter range grows about its middle. */
static void make_equal(axis *x, axis *y)
{
    const double unit = fmax((x->most - x->least) / x->size, (y->most - y->least) / -y->size);
    for (int k = 0; k < 2; k++) {
        axis *a = k ? y : x;
        const double middle = 0.5 * (a->least + a->most), half = 0.52 * unit * fabs(a->size);
        a->least = middle - half;
        a->most = middle + half;
    }
}

static double place_on_axis(const axis *a, double value)
{
    return a->from + a->size * ((a->log ? log10(value) : value) - a->least) / (a->most - a->least);
}

/* ---- axes --------------------------------------------------------------------------------------- */

typedef void draw_tick(dal_svg *svg, const frame *f, double at, const char *label);

static void tick_x(dal_svg *svg, const frame *f, double at, const char *label)
{
    dal_svg_print(svg, "<path d=\"M%.2f %.2fv%.2f\" %s/>\n", at, f->y.from, f->y.size, thin_line);
    if (*label)
        dal_svg_text(svg, at, f->y.from + 15, "middle", small, label);
}

static void tick_y(dal_svg *svg, const frame *f, double at, const char *label)
{
    dal_svg_print(svg, "<path d=\"M%.2f %.2fh%.2f\" %s/>\n", f->x.from, at, f->x.size, thin_line);
    if (*label)
        dal_svg_text(svg, f->x.from - 6, at + 4, "end", small, label);
}

/* Decades, with 2 and 5 between them where there are few. */
static void draw_log_ticks(dal_svg *svg, const frame *f, const axis *a, draw_tick *draw, int wanted)
{
    static const int parts[] = {1, 2, 5};
    const double range = a->most - a->least, step = fmax(1, ceil(range / wanted));
    for (double decade = floor(a->least / step) * step; decade <= a->most; decade += step)
        for (int k = 0; k < (3 * range <= wanted ? 3 : 1); k++) {
            const double value = decade + log10(parts[k]);
            char label[40];
            if (value < a->least - 1e-9 || value > a->most + 1e-9)
                continue;
            snprintf(label, sizeof label, "%g", parts[k] * pow(10, decade));
            draw(svg, f, a->from + a->size * (value - a->least) / range, label);
        }
}

static void draw_axis(dal_svg *svg, const frame *f, const axis *a, draw_tick *draw, const char *title, char *whole, size_t size)
{
    const int wanted = (int)fmax(2, fabs(a->size) / (a == &f->x ? 90 : 36));
    snprintf(whole, size, "%s", title ? title : "");
    if (a->log) {
        draw_log_ticks(svg, f, a, draw, wanted);
        return;
    }
    const dal_ticks t = dal_ticks_choose(a->least, a->most, wanted);
    for (int i = 0; i < t.n; i++) {
        char label[96];
        dal_tick_label(&t, i, label, sizeof label);
        draw(svg, f, a->from + a->size * (t.first + i * t.step - a->least) / (a->most - a->least), label);
    }
    if (t.unit != 1 || t.offset != 0)
        snprintf(whole, size, "%s (%g from %.15g)", title ? title : "", t.unit, t.offset);
    if (t.unit != 1 && t.offset == 0)
        snprintf(whole, size, "%s (times %g)", title ? title : "", t.unit);
}

static void draw_axes(dal_svg *svg, const frame *f)
{
    char title[300];
    draw_axis(svg, f, &f->x, tick_x, f->panel->x_title, title, sizeof title);
    dal_svg_text(svg, f->x.from + f->x.size / 2, f->y.from + 34, "middle", "", title);
    draw_axis(svg, f, &f->y, tick_y, f->panel->y_title, title, sizeof title);
    dal_svg_print(svg, "<g transform=\"translate(16 %.2f) rotate(-90)\">", f->y.from + f->y.size / 2);
    dal_svg_text(svg, 0, 0, "middle", "", title);
    dal_svg_print(svg, "</g>\n<rect x=\"%.2f\" y=\"%.2f\" width=\"%.2f\" height=\"%.2f\" fill=\"none\" stroke=\"#444444\"/>\n", f->x.from,
                  f->y.from + f->y.size, f->x.size, -f->y.size);
}

/* ---- lines ----------------------------------------------------------------------------------------- */

static void draw_curve(dal_svg *svg, const frame *f, const dal_curve *c)
{
    bool pen = false;
    double last_x = 0, last_y = 0;
    dal_svg_print(svg, "<path fill=\"none\" stroke=\"%s\" stroke-width=\"%s\" stroke-linejoin=\"round\"%s d=\"",
                  c->thin ? "#999999" : dal_svg_color(c->color), c->thin ? "1" : "1.5",
                  c->thin ? " stroke-dasharray=\"4 4\"" : dal_svg_dash(c->color));
    for (int k = 0; k < c->n; k++) {
        if (!is_shown(f->x.log, c->x[k]) || !is_shown(f->y.log, c->y[k])) {
            pen = false;
            continue;
        }
        const double x = fmax(-1e5, fmin(1e5, place_on_axis(&f->x, c->x[k]))), y = fmax(-1e5, fmin(1e5, place_on_axis(&f->y, c->y[k])));
        if (pen && k + 1 < c->n && hypot(x - last_x, y - last_y) < 0.2)
            continue;
        dal_svg_print(svg, pen ? "L%.2f %.2f" : "M%.2f %.2f", x, y);
        pen = true;
        last_x = x;
        last_y = y;
    }
    dal_svg_print(svg, "\"/>\n");
}

static double legend_width(const dal_curve *c)
{
    return 26 + 6.6 * (double)strlen(c->name) + 14;
}

/* Where entry i stands: its line, and its distance from the left. Returns the number of lines up to it. */
static int place_entry(const dal_chart_panel *panel, double size, int i, double *x)
{
    int line = 0;
    double next = 0;
    for (int k = 0; k <= i && k < panel->n_curves; k++) {
        if (!panel->curves[k].name)
            continue;
        const double width = legend_width(&panel->curves[k]);
        if (next > 0 && next + width > size + 14) {
            line++;
            next = 0;
        }
        *x = next;
        next += width;
    }
    return line;
}

static double legend_height(const dal_chart_panel *panel, double size)
{
    double x;
    return LEGEND + LINE * place_entry(panel, size, panel->n_curves, &x);
}

static void draw_legend(dal_svg *svg, const frame *f)
{
    const double top = f->y.from + f->y.size - 6 - (legend_height(f->panel, f->x.size) - LEGEND);
    for (int i = 0; i < f->panel->n_curves; i++) {
        const dal_curve *c = &f->panel->curves[i];
        double x = 0;
        if (!c->name)
            continue;
        const double y = top + LINE * place_entry(f->panel, f->x.size, i, &x);
        dal_svg_print(svg, "<path d=\"M%.2f %.2fh20\" stroke=\"%s\" stroke-width=\"2\"%s/>\n", f->x.from + x, y - 4,
                      c->thin ? "#999999" : dal_svg_color(c->color), c->thin ? " stroke-dasharray=\"4 4\"" : dal_svg_dash(c->color));
        dal_svg_text(svg, f->x.from + x + 26, y, "start", "", c->name);
    }
}

/* Lines end at the frame. An inner <svg> cuts them; a clip path would need a name, and two charts on one page would share it. */
static void draw_curves(dal_svg *svg, const frame *f)
{
    const double x = f->x.from, y = f->y.from + f->y.size, width = f->x.size, height = -f->y.size;
    dal_svg_print(svg, "<svg x=\"%.2f\" y=\"%.2f\" width=\"%.2f\" height=\"%.2f\" viewBox=\"%.2f %.2f %.2f %.2f\">\n", x, y, width, height, x, y,
                  width, height);
    for (int i = 0; i < f->panel->n_curves; i++)
        draw_curve(svg, f, &f->panel->curves[i]);
    dal_svg_print(svg, "</svg>\n");
}

static void draw_panel(dal_svg *svg, const dal_chart_panel *panel, double top, double height, int width)
{
    frame f = {.panel = panel,
               .x = {.log = panel->x_log, .from = LEFT, .size = width - LEFT - RIGHT},
               .y = {.log = panel->y_log, .from = top + height, .size = -height}};
    span_axis(panel, false, &f.x);
    span_axis(panel, true, &f.y);
    set_ends(&f.x, panel->x_least, panel->x_most);
    set_ends(&f.y, panel->y_least, panel->y_most);
    if (panel->equal)
        make_equal(&f.x, &f.y);
    draw_axes(svg, &f);
    draw_legend(svg, &f);
    draw_curves(svg, &f);
}

void dal_chart_draw(dal_svg *svg, dal_arena *arena, int width, int height, const char *title, int n_panels, const dal_chart_panel *panels)
{
    const int head = TOP + (title ? TITLE : 0), wide = width > 0 ? width : WIDTH;
    int tall = height > 0 ? height : head;
    double legends = 0;
    for (int k = 0; k < n_panels; k++)
        legends += legend_height(&panels[k], wide - LEFT - RIGHT);
    for (int k = 0; k < n_panels && height <= 0; k++)
        tall += (panels[k].equal ? wide - LEFT - RIGHT : PANEL) + (int)legend_height(&panels[k], wide - LEFT - RIGHT) + BELOW;
    const double each = fmax(20, (tall - head - legends) / n_panels - BELOW);
    dal_svg_begin(svg, arena, wide, tall, title ? title : "chart");
    if (title) { /* a long title is printed smaller */
        char style[64];
        snprintf(style, sizeof style, "font-size=\"%.1f\" font-weight=\"bold\"", fmax(7, fmin(15, (wide - 20) / (0.58 * (double)strlen(title) + 1))));
        dal_svg_text(svg, wide / 2.0, TOP + 8, "middle", style, title);
    }
    double top = head;
    for (int k = 0; k < n_panels; k++) {
        top += legend_height(&panels[k], wide - LEFT - RIGHT);
        draw_panel(svg, &panels[k], top, each, wide);
        top += each + BELOW;
    }
    dal_svg_end(svg);
}
