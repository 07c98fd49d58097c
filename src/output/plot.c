/* Plots of channels: panels one below the other, a unit each, over time or another channel. The results are read twice: first the ranges,
 * then the lines, where each pixel column keeps the first, the least, the largest and the last value, so that peaks stay visible. */
#include "output/svg.h"

#include "base/argument.h"
#include "dalembert/picture.h"
#include "dalembert/results.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum {
    LEFT = 74,
    RIGHT = 16,
    TOP = 14,
    BOTTOM = 46,
    GAP = 20,
    LEGEND = 18,
    PANEL = 150,
    WIDTH = 720,
    MOST_CHANNELS = 200,
    MOST_UNASKED = 40,
    MOST_NAMED = 60,
    TITLE = 22
};

typedef struct range {
    double least, most, positive; /* positive: the least above zero */
    bool zero;                    /* a value is zero: it is drawn at the lower edge of a logarithmic axis */
} range;

/* One line, and its values in the present pixel column. */
typedef struct line {
    int column, panel, number; /* of the results; of the panel; among those of the panel */
    const char *name;
    dal_svg path;
    bool pen;           /* it is down */
    int pixel, n;       /* the present pixel column, and how many of `point` it has */
    double point[4][2]; /* first, least, largest, last */
    long order[4];
    double before[2]; /* phase plots: the last point drawn */
} line;

typedef struct panel {
    const char *unit;
    range y;
    int n_lines;
    double top, height; /* of its frame */
} panel;

typedef struct plot {
    dal_arena arena;
    const dal_plot_options *options;
    const char *path;
    dal_messages *messages;
    dal_results *results;
    int x_column, n_lines, n_panels, width, height;
    line *lines;
    panel *panels;
    range x;
    double bottom; /* of the last frame */
    long rows;
    dal_svg svg;
} plot;

/* ---- units ---------------------------------------------------------------------- */

/* Files without units: the unit follows from the end of the usual names. */
static const char *guess_unit(dal_arena *arena, const char *name)
{
    static const char *const ends[][2] = {{"time", "s"},
                                          {".x", "m"},
                                          {".y", "m"},
                                          {".z", "m"},
                                          {".angle", "rad"},
                                          {".distance", "m"},
                                          {".length", "m"},
                                          {".omega", "rad/s"},
                                          {".omega.x", "rad/s"},
                                          {".omega.y", "rad/s"},
                                          {".omega.z", "rad/s"},
                                          {".force", "N"},
                                          {".power", "W"},
                                          {".force.x", "N"},
                                          {".force.y", "N"},
                                          {".force.z", "N"},
                                          {".torque", "N m"},
                                          {".torque.x", "N m"},
                                          {".torque.y", "N m"},
                                          {".torque.z", "N m"},
                                          {".velocity.x", "m/s"},
                                          {".velocity.y", "m/s"},
                                          {".velocity.z", "m/s"},
                                          {".acceleration.x", "m/s^2"},
                                          {".acceleration.y", "m/s^2"},
                                          {".acceleration.z", "m/s^2"},
                                          {"energy", "J"},
                                          {"energy.kinetic", "J"},
                                          {"energy.potential", "J"},
                                          {"energy.balance", "J"},
                                          {"energy.work", "J"},
                                          {"constraint.position", "m or rad"},
                                          {"constraint.velocity", "m/s or rad/s"}};
    if (name[strspn(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.'")])
        return "";
    const size_t length = strcspn(name, "'"), primes = strlen(name) - length;
    const char *unit = "";
    size_t longest = 0;
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) {
        const size_t n = strlen(ends[i][0]);
        const bool whole = ends[i][0][0] != '.';
        if (n > longest && n <= length && (!whole || n == length) && !strncmp(name + length - n, ends[i][0], n)) {
            unit = ends[i][1];
            longest = n;
        }
    }
    if (!primes || !*unit)
        return unit;
    return dal_arena_print(arena, primes == 1 ? "%s/s" : "%s/s^%d", unit, (int)primes);
}

/* The unit from the file, from the caller's list, or by the name. */
static const char *unit_of(plot *p, int column)
{
    int n;
    const dal_column *c = &dal_results_columns(p->results, &n)[column];
    const char *unit = c->unit && *c->unit ? c->unit : "";
    for (int i = 0; i < p->options->n_units && !*unit; i++)
        if (!strcmp(p->options->units[i].name, c->name))
            unit = p->options->units[i].unit;
    unit = *unit ? unit : guess_unit(&p->arena, c->name);
    return dal_arena_copy(&p->arena, unit, strlen(unit));
}

/* ---- what is drawn ------------------------------------------------------------------ */

static int find_column(plot *p, const char *name)
{
    int n, column = dal_results_column(p->results, name);
    char hint[96];
    if (column >= 0)
        return column;
    const dal_column *columns = dal_results_columns(p->results, &n);
    const char **names = DAL_NEW(&p->arena, const char *, n + 1), *some = "";
    for (int i = 0; i < n; i++) {
        names[i] = columns[i].name;
        if (i < 12)
            some = dal_arena_print(&p->arena, "%s%s%s", some, i ? ", " : "", names[i]);
    }
    if (*dal_did_you_mean(name, names, hint))
        dal_error(p->messages, (dal_mark){p->path, 0, 0}, "has no channel '%s'%s", name, hint);
    else
        dal_error(p->messages, (dal_mark){p->path, 0, 0}, "has no channel '%s': it has %s%s", name, some, n > 12 ? ", ..." : "");
    return -1;
}

static void add_line(plot *p, int column)
{
    int unused;
    const char *unit = unit_of(p, column), *name = dal_results_columns(p->results, &unused)[column].name;
    int k = 0;
    while (k < p->n_panels && (!*unit || strcmp(p->panels[k].unit, unit))) /* unknown units are not assumed to be equal */
        k++;
    if (k == p->n_panels)
        p->panels[p->n_panels++] = (panel){.unit = unit, .y = {.least = INFINITY, .most = -INFINITY, .positive = INFINITY}};
    p->lines[p->n_lines++] =
        (line){.column = column, .panel = k, .number = p->panels[k].n_lines++, .pixel = -1, .name = dal_arena_copy(&p->arena, name, strlen(name))};
}

/* All channels of the file: those that the model records. Of too many the reader has to choose. */
static dal_status use_all_columns(plot *p)
{
    int n;
    const char *all = "";
    const dal_column *columns = dal_results_columns(p->results, &n);
    p->lines = DAL_NEW(&p->arena, line, n);
    p->panels = DAL_NEW(&p->arena, panel, n);
    for (int i = 1; i < n; i++) {
        all = i <= MOST_NAMED ? dal_arena_print(&p->arena, "%s%s%s", all, i > 1 ? ", " : "", columns[i].name) : all;
        if (i != p->x_column && n - 1 <= MOST_UNASKED)
            add_line(p, i);
    }
    if (p->n_lines)
        return DAL_OK;
    if (n - 1 <= MOST_UNASKED)
        dal_error(p->messages, (dal_mark){p->path, 0, 0}, "has no channel to draw besides %s", columns[p->x_column].name);
    else
        dal_error(p->messages, (dal_mark){p->path, 0, 0}, "has %d channels, too many for one picture: choose some of them with --channels: %s%s",
                  n - 1, all, n - 1 > MOST_NAMED ? ", ..." : "");
    return DAL_BAD_COMMAND;
}

static dal_status choose_lines(plot *p)
{
    const dal_plot_options *o = p->options;
    p->x_column = o->x ? find_column(p, o->x) : 0;
    bool found = p->x_column >= 0;
    if (found && !o->n_channels)
        return use_all_columns(p);
    p->lines = DAL_NEW(&p->arena, line, o->n_channels);
    p->panels = DAL_NEW(&p->arena, panel, o->n_channels);
    for (int i = 0; i < o->n_channels; i++) {
        const int column = find_column(p, o->channels[i]);
        found &= column >= 0;
        if (column >= 0)
            add_line(p, column);
    }
    return found ? DAL_OK : DAL_BAD_COMMAND;
}

/* ---- ranges --------------------------------------------------------------------------- */

static void widen_range(range *r, double value)
{
    if (!isfinite(value))
        return;
    r->least = fmin(r->least, value);
    r->most = fmax(r->most, value);
    if (value > 0)
        r->positive = fmin(r->positive, value);
    r->zero |= value == 0;
}

static bool is_within(const plot *p, double time)
{
    return !(time < p->options->from) && !(time > p->options->to); /* NAN: no limit */
}

/* Room above and below; a constant gets a range of its own. */
static bool settle_range(range *r, bool log)
{
    if (log) {
        if (!isfinite(r->positive) || !(r->most > 0))
            return false;
        r->least = floor(log10(r->positive) - 1e-9);
        r->most = ceil(log10(r->most) + 1e-9);
        if (r->zero) /* far enough below to leave room for its label */
            r->least -= fmax(1, ceil((r->most - r->least) / 6));
        return true;
    }
    if (!(r->most >= r->least))
        return false;
    const double size = r->most - r->least, value = fmax(fabs(r->least), fabs(r->most));
    const double margin = size > 1e-15 * value ? 0.04 * size : value > 0 ? 0.1 * value : 1;
    r->least -= margin;
    r->most += margin;
    return true;
}

static dal_status find_ranges(plot *p)
{
    const double *row;
    dal_status status;
    p->x = (range){.least = INFINITY, .most = -INFINITY, .positive = INFINITY};
    while ((status = dal_results_next(p->results, &row)) == DAL_OK && row) {
        if (!is_within(p, row[0]))
            continue;
        p->rows++;
        widen_range(&p->x, row[p->x_column]);
        for (int i = 0; i < p->n_lines; i++)
            widen_range(&p->panels[p->lines[i].panel].y, row[p->lines[i].column]);
    }
    if (status != DAL_OK)
        return status;
    bool fine = p->rows > 0 && isfinite(p->x.least);
    if (fine && (p->x_column || p->x.most == p->x.least))
        settle_range(&p->x, false);
    for (int k = 0; k < p->n_panels && fine; k++)
        if (!settle_range(&p->panels[k].y, p->options->log)) {
            dal_error(p->messages, (dal_mark){p->path, 0, 0},
                      p->options->log ? "has no positive number of unit '%s' to show on a logarithmic axis" : "has no number of unit '%s' to show",
                      p->panels[k].unit);
            return DAL_BAD_FILE;
        }
    if (!fine)
        dal_error(p->messages, (dal_mark){p->path, 0, 0}, "has no rows between these times: there is nothing to show");
    return fine ? DAL_OK : DAL_BAD_FILE;
}

/* ---- lines ------------------------------------------------------------------------------ */

static double x_of(const plot *p, double x)
{
    return LEFT + (x - p->x.least) / (p->x.most - p->x.least) * (p->width - LEFT - RIGHT);
}

static double y_of(const plot *p, const panel *k, double y)
{
    const double value = !p->options->log ? y : y > 0 ? log10(y) : k->y.least;
    return k->top + k->height * (1 - (value - k->y.least) / (k->y.most - k->y.least));
}

static void draw_to(line *l, double x, double y)
{
    dal_svg_print(&l->path, l->pen ? "L%.2f %.2f" : "M%.2f %.2f", x, y);
    l->pen = true;
    l->before[0] = x;
    l->before[1] = y;
}

/* The points of a pixel column, in the order in which they came. */
static void empty_pixel(line *l)
{
    for (int done = 0; done < l->n; done++) {
        int next = -1;
        for (int i = 0; i < 4; i++)
            if (l->order[i] >= 0 && (next < 0 || l->order[i] < l->order[next]))
                next = i;
        if (next < 0)
            break;
        const long order = l->order[next];
        draw_to(l, l->point[next][0], l->point[next][1]);
        for (int i = 0; i < 4; i++)
            if (l->order[i] == order)
                l->order[i] = -1;
    }
    l->n = 0;
}

static void keep_point(line *l, int i, double x, double y, long order)
{
    l->point[i][0] = x;
    l->point[i][1] = y;
    l->order[i] = order;
}

static void add_point(line *l, double x, double y, long order)
{
    const int pixel = (int)floor(2 * x);
    if (l->n && pixel != l->pixel)
        empty_pixel(l);
    l->pixel = pixel;
    if (l->n == 0) {
        for (int i = 0; i < 4; i++)
            keep_point(l, i, x, y, order);
        l->n = 4;
        return;
    }
    if (y < l->point[1][1])
        keep_point(l, 1, x, y, order);
    if (y > l->point[2][1])
        keep_point(l, 2, x, y, order);
    keep_point(l, 3, x, y, order);
}

static void lift_pen(line *l)
{
    empty_pixel(l);
    l->pen = false;
}

static void receive_row(plot *p, const double *row, long order)
{
    for (int i = 0; i < p->n_lines; i++) {
        line *l = &p->lines[i];
        const double value = row[l->column], x = x_of(p, row[p->x_column]);
        if (!isfinite(value) || !isfinite(x) || (p->options->log && value < 0)) {
            lift_pen(l);
            continue;
        }
        const double y = y_of(p, &p->panels[l->panel], value);
        if (!p->x_column)
            add_point(l, x, y, order);
        else if (!l->pen || hypot(x - l->before[0], y - l->before[1]) > 0.4)
            draw_to(l, x, y);
    }
}

static dal_status draw_lines(plot *p)
{
    const double *row;
    dal_status status;
    long order = 0;
    for (int i = 0; i < p->n_lines; i++)
        p->lines[i].path.arena = &p->arena;
    while ((status = dal_results_next(p->results, &row)) == DAL_OK && row)
        if (is_within(p, row[0]))
            receive_row(p, row, order++);
    for (int i = 0; i < p->n_lines; i++)
        empty_pixel(&p->lines[i]);
    return status;
}

/* ---- frames -------------------------------------------------------------------------------- */

static void layout_plot(plot *p)
{
    const dal_plot_options *o = p->options;
    const int head = TOP + (o->title ? TITLE : 0);
    p->width = o->width > 0 ? o->width : WIDTH;
    p->height = o->height > 0 ? o->height : head + BOTTOM + p->n_panels * (PANEL + LEGEND) + (p->n_panels - 1) * GAP;
    const double each = (p->height - head - BOTTOM - (p->n_panels - 1) * GAP) / (double)p->n_panels;
    for (int k = 0; k < p->n_panels; k++) {
        p->panels[k].top = head + k * (each + GAP) + LEGEND;
        p->panels[k].height = fmax(20, each - LEGEND);
    }
    p->bottom = p->panels[p->n_panels - 1].top + p->panels[p->n_panels - 1].height;
}

static const char thin[] = "stroke=\"#dddddd\" stroke-width=\"1\"", small[] = "font-size=\"11\" fill=\"#444444\"";

/* "1e-12 J from -166.481" where labels are multiples or differences. */
static void describe_ticks(const dal_ticks *t, const char *unit, char *buffer, size_t size)
{
    int n = t->unit != 1 ? snprintf(buffer, size, "%g%s%s", t->unit, *unit ? " " : "", unit) : snprintf(buffer, size, "%s", unit);
    if (t->offset != 0 && n < (int)size)
        snprintf(buffer + n, size - (size_t)n, " from %s%.15g", t->offset < 0 ? "\xe2\x88\x92" : "", fabs(t->offset));
}

static void draw_y_axis(plot *p, const panel *k)
{
    char label[96];
    const bool log = p->options->log;
    const int wanted = (int)fmax(2, k->height / 36);
    dal_ticks t = dal_ticks_choose(k->y.least, k->y.most, wanted);
    if (log)
        t = (dal_ticks){.first = k->y.least, .step = ceil((k->y.most - k->y.least) / wanted), .unit = 1};
    if (log)
        t.n = (int)((k->y.most - k->y.least) / t.step) + 1;
    for (int i = 0; i < t.n; i++) {
        const double part = (t.first + i * t.step - k->y.least) / (k->y.most - k->y.least), y = k->top + k->height * (1 - part);
        dal_svg_print(&p->svg, "<path d=\"M%d %.2fH%d\" %s/>\n", LEFT, y, p->width - RIGHT, thin);
        if (log && i == 0 && k->y.zero)
            snprintf(label, sizeof label, "0");
        else if (log)
            snprintf(label, sizeof label, "1e%.0f", t.first + i * t.step);
        else
            dal_tick_label(&t, i, label, sizeof label);
        dal_svg_text(&p->svg, LEFT - 6, y + 4, "end", small, label);
    }
    describe_ticks(&t, !*k->unit ? "unit not known" : strcmp(k->unit, "1") ? k->unit : "", label, sizeof label);
    dal_svg_print(&p->svg, "<g transform=\"translate(16 %.2f) rotate(-90)\">", k->top + k->height / 2);
    dal_svg_text(&p->svg, 0, 0, "middle", "", label);
    dal_svg_print(&p->svg, "</g>\n");
}

static void draw_x_axis(plot *p)
{
    char label[96], whole[400];
    int unused;
    const dal_ticks t = dal_ticks_choose(p->x.least, p->x.most, (int)fmax(2, (p->width - LEFT - RIGHT) / 90));
    for (int i = 0; i < t.n; i++) {
        const double x = x_of(p, t.first + i * t.step);
        for (int k = 0; k < p->n_panels; k++)
            dal_svg_print(&p->svg, "<path d=\"M%.2f %.2fv%.2f\" %s/>\n", x, p->panels[k].top, p->panels[k].height, thin);
        dal_tick_label(&t, i, label, sizeof label);
        dal_svg_text(&p->svg, x, p->bottom + 16, "middle", small, label);
    }
    describe_ticks(&t, unit_of(p, p->x_column), label, sizeof label);
    snprintf(whole, sizeof whole, "%.200s%s%s", dal_results_columns(p->results, &unused)[p->x_column].name, *label ? ", " : "", label);
    dal_svg_text(&p->svg, LEFT + (p->width - LEFT - RIGHT) / 2.0, p->bottom + 36, "middle", "", whole);
}

/* Swatches and names above the frame; names without room end with "...". */
static void draw_legend(plot *p, int k)
{
    double x = LEFT;
    const double y = p->panels[k].top - 6;
    for (int i = 0; i < p->n_lines; i++) {
        const line *l = &p->lines[i];
        if (l->panel != k)
            continue;
        const double width = 26 + 6.6 * (double)strlen(l->name) + 14;
        if (x + width > p->width - RIGHT && l->number > 0) {
            dal_svg_text(&p->svg, x, y, "start", small, "...");
            return;
        }
        dal_svg_print(&p->svg, "<path d=\"M%.2f %.2fh20\" stroke=\"%s\" stroke-width=\"2\"%s/>\n", x, y - 4, dal_svg_color(l->number),
                      dal_svg_dash(l->number));
        dal_svg_text(&p->svg, x + 26, y, "start", "", l->name);
        x += width;
    }
}

static void draw_panels(plot *p)
{
    for (int k = 0; k < p->n_panels; k++)
        draw_y_axis(p, &p->panels[k]);
    draw_x_axis(p);
    for (int k = 0; k < p->n_panels; k++) {
        const panel *f = &p->panels[k];
        dal_svg_print(&p->svg, "<rect x=\"%d\" y=\"%.2f\" width=\"%d\" height=\"%.2f\" fill=\"none\" stroke=\"#444444\"/>\n", LEFT, f->top,
                      p->width - LEFT - RIGHT, f->height);
        draw_legend(p, k);
    }
    for (int i = 0; i < p->n_lines; i++) {
        const line *l = &p->lines[i];
        if (!l->path.length)
            continue;
        dal_svg_print(&p->svg, "<path fill=\"none\" stroke=\"%s\" stroke-width=\"1.5\" stroke-linejoin=\"round\"%s d=\"", dal_svg_color(l->number),
                      dal_svg_dash(l->number));
        dal_svg_escape(&p->svg, l->path.text);
        dal_svg_print(&p->svg, "\"/>\n");
    }
}

/* ---- the whole --------------------------------------------------------------------------------- */

static dal_status draw_plot(void *user)
{
    plot *p = user;
    dal_status status = choose_lines(p);
    if (status == DAL_OK)
        status = find_ranges(p);
    if (status != DAL_OK)
        return status;
    layout_plot(p);
    dal_results_close(p->results); /* from the beginning again */
    p->results = NULL;
    status = dal_results_open(&p->arena.allocator, p->path, p->messages, &p->results);
    if (status == DAL_OK)
        status = draw_lines(p);
    if (status != DAL_OK)
        return status;
    dal_svg_begin(&p->svg, &p->arena, p->width, p->height, p->options->title ? p->options->title : p->path);
    if (p->options->title)
        dal_svg_text(&p->svg, p->width / 2.0, TOP + 8, "middle", "font-size=\"15\" font-weight=\"bold\"", p->options->title);
    draw_panels(p);
    dal_svg_end(&p->svg);
    return DAL_OK;
}

dal_status dal_plot_svg(const dal_allocator *allocator, const char *results, const dal_plot_options *options, dal_messages *messages, char **text)
{
    plot p = {.options = options, .path = results, .messages = messages};
    if (text)
        *text = NULL;
    if (!DAL_NEEDS(messages, results) || !DAL_NEEDS(messages, options) || !DAL_NEEDS(messages, text) || !DAL_NEEDS_ALLOCATOR(messages, allocator))
        return DAL_BAD_COMMAND;
    if (!dal_picture_sized(options->width, options->height, results, messages))
        return DAL_BAD_COMMAND;
    if (options->n_channels < 0 || options->n_channels > MOST_CHANNELS) {
        dal_error(messages, (dal_mark){results, 0, 0}, "a plot has at most %d channels; %d are given", MOST_CHANNELS, options->n_channels);
        return DAL_BAD_COMMAND;
    }
    bool named = !options->n_channels || DAL_NEEDS(messages, options->channels);
    for (int i = 0; named && i < options->n_channels; i++)
        named = dal_needs(messages, __func__, "channels[]", options->channels[i]);
    if (!named)
        return DAL_BAD_COMMAND;
    dal_arena_begin(&p.arena, allocator);
    dal_status status = dal_results_open(allocator, results, messages, &p.results);
    if (status == DAL_OK)
        status = dal_svg_draw(&p.svg, &p.arena, draw_plot, &p, text);
    dal_results_close(p.results);
    dal_arena_release(&p.arena);
    return status;
}
