/* Modes over a parameter, followed by their shapes.
 *
 * From one value to the next every mode a is paired with the mode b with the largest
 *
 *     |a^H b|^2 / (|a|^2 |b|^2)  -  |s_a - s_b| / |s_a|
 *
 * (the modal assurance criterion, less the change of the eigenvalue), the surest pair first. Where lines veer, two modes exchange their shapes;
 * half way each shape is like both, and the criterion says nothing: between `alike` and `unlike` only the change of the eigenvalue counts. Lines
 * that cross keep their shapes. Shapes are those of positions, each over its largest value in all modes, so that metres and radians count alike.
 */
#include "linear/linear.h"

#include "base/argument.h"
#include "base/printer.h"
#include "output/chart.h"

#include <math.h>
#include <string.h>

typedef struct tracker {
    dal_arena arena;
    int n; /* values */
    const double *values;
    const dal_modes *const *modes;
    const char *parameter;
    dal_campbell *out;
    int *at; /* lines x values: the mode, or -1 */
    int lines, most;
} tracker;

static const double unlike = 0.2, alike = 0.8; /* of the criterion: between them shapes have mixed */

/* Only modes that oscillate have a frequency; the others do not become lines. */
static int oscillating(const dal_modes *m)
{
    int n = 0;
    while (n < m->n_modes && m->modes[n].im > 0)
        n++;
    return n;
}

static double likeness(const dal_modes *m, const dal_mode *a, const dal_modes *o, const dal_mode *b)
{
    const int n = m->linearization->n_positions;
    double re = 0, im = 0, aa = 0, bb = 0;
    for (int k = 0; k < n && o->linearization->n_positions == n; k++) {
        double largest = 0;
        for (int i = 0; i < m->n_modes; i++)
            largest = fmax(largest, hypot(m->modes[i].shape_re[k], m->modes[i].shape_im[k]));
        for (int i = 0; i < o->n_modes; i++)
            largest = fmax(largest, hypot(o->modes[i].shape_re[k], o->modes[i].shape_im[k]));
        if (!(largest > 0))
            continue;
        const double x = a->shape_re[k] / largest, y = a->shape_im[k] / largest, p = b->shape_re[k] / largest, q = b->shape_im[k] / largest;
        re += x * p + y * q;
        im += x * q - y * p;
        aa += x * x + y * y;
        bb += p * p + q * q;
    }
    const double mac = aa > 0 && bb > 0 ? (re * re + im * im) / (aa * bb) : 0;
    return (mac > unlike && mac < alike ? 0.5 : mac) - hypot(a->re - b->re, a->im - b->im) / hypot(a->re, a->im);
}

/* Lines continue from value v - 1 to v; a mode that belongs to no line begins a new one. */
static void go_on(tracker *t, int v)
{
    const dal_modes *before = v ? t->modes[v - 1] : NULL, *now = t->modes[v];
    const int modes = oscillating(now);
    bool *taken = DAL_NEW(&t->arena, bool, modes + 1);
    for (int l = 0; l < t->most; l++)
        t->at[l * t->n + v] = -1;
    for (int pairs = 0; v && pairs < modes; pairs++) {
        int line = -1, mode = -1;
        double best = -INFINITY;
        for (int l = 0; l < t->lines; l++)
            for (int k = 0; k < modes && t->at[l * t->n + v - 1] >= 0 && t->at[l * t->n + v] < 0; k++) {
                const double like = taken[k] ? -INFINITY : likeness(before, &before->modes[t->at[l * t->n + v - 1]], now, &now->modes[k]);
                if (like > best) {
                    best = like;
                    line = l;
                    mode = k;
                }
            }
        if (line < 0)
            break;
        t->at[line * t->n + v] = mode;
        taken[mode] = true;
    }
    for (int k = 0; k < modes && t->lines < t->most; k++)
        if (!taken[k])
            t->at[t->lines++ * t->n + v] = k;
}

static void keep_line(tracker *t, int l)
{
    dal_campbell_line *line = &((dal_campbell_line *)t->out->lines)[l];
    double *re = DAL_NEW(&t->arena, double, t->n), *im = DAL_NEW(&t->arena, double, t->n);
    for (int v = 0; v < t->n; v++) {
        const int k = t->at[l * t->n + v];
        const dal_mode *mode = k < 0 ? NULL : &t->modes[v]->modes[k];
        re[v] = mode ? mode->re : NAN;
        im[v] = mode ? mode->im : NAN;
        if (mode && !line->name)
            line->name = mode->n_shares ? dal_arena_print(&t->arena, "%.0f %% %s", 100 * mode->shares[0].share, mode->shares[0].part) : "states";
    }
    line->re = re;
    line->im = im;
}

static dal_status track(void *user)
{
    tracker *t = user;
    double *values = DAL_NEW(&t->arena, double, t->n + 1);
    for (int v = 0; v < t->n; v++)
        t->most += oscillating(t->modes[v]);
    t->at = DAL_NEW(&t->arena, int, (size_t)t->most *(size_t)t->n + 1);
    memcpy(values, t->values, sizeof *values * (size_t)t->n);
    for (int v = 0; v < t->n; v++)
        go_on(t, v);
    t->out = DAL_NEW(&t->arena, dal_campbell, 1);
    t->out->parameter = dal_arena_copy(&t->arena, t->parameter, strlen(t->parameter));
    t->out->n_values = t->n;
    t->out->values = values;
    t->out->n_lines = t->lines;
    t->out->lines = DAL_NEW(&t->arena, dal_campbell_line, t->lines + 1);
    for (int l = 0; l < t->lines; l++)
        keep_line(t, l);
    return DAL_OK;
}

/* Away from an equilibrium modes belong to one instant. */
static void say_motions(const tracker *t, dal_messages *messages)
{
    int first = -1, motions = 0;
    for (int v = 0; v < t->n; v++)
        if (t->modes[v]->linearization->kind == DAL_LINEAR_MOTION) {
            first = first < 0 ? v : first;
            motions++;
        }
    if (motions)
        dal_say(
            messages, DAL_WARNING, dal_nowhere,
            "at %d of %d values of '%s' (%.9g the first) the point is one instant of a motion, which is not an equilibrium: A changes along it, and "
            "its eigenvalues promise nothing",
            motions, t->n, t->parameter, t->values[first]);
}

dal_status dal_campbell_track(const dal_allocator *allocator, const char *parameter, int n, const double *values, const dal_modes *const *modes,
                              dal_messages *messages, dal_campbell **campbell)
{
    tracker t = {.n = n, .values = values, .modes = modes, .parameter = parameter};
    if (campbell)
        *campbell = NULL;
    if (!DAL_NEEDS(messages, campbell) || !DAL_NEEDS(messages, parameter) || !DAL_NEEDS_ALLOCATOR(messages, allocator) ||
        !dal_needs_array(messages, __func__, "values", n, values) || !dal_needs_array(messages, __func__, "modes", n, modes))
        return DAL_BAD_COMMAND;
    for (int v = 0; v < n; v++)
        if (!dal_needs(messages, __func__, "modes[]", modes[v]))
            return DAL_BAD_COMMAND;
    dal_arena_begin(&t.arena, allocator);
    const dal_status status = dal_arena_try(&t.arena, track, &t);
    if (status == DAL_OK)
        say_motions(&t, messages);
    return dal_arena_deliver(&t.arena, status == DAL_OK, status, t.out, offsetof(dal_campbell, memory), campbell);
}

void dal_campbell_free(dal_campbell *campbell)
{
    if (campbell)
        dal_arena_dispose(campbell->memory);
}

/* ---- output ------------------------------------------------------------------------------------------- */

int dal_campbell_csv(const dal_campbell *c, char *buffer, size_t size)
{
    dal_printer out = {buffer, size, 0};
    if (!c)
        return -1;
    dal_print(&out, "%s", c->parameter);
    for (int l = 0; l < c->n_lines; l++)
        dal_print(&out, ",\"mode %d: frequency\",\"mode %d: re\",\"mode %d: im\"", l + 1, l + 1, l + 1);
    dal_print(&out, "\n");
    for (int v = 0; v < c->n_values; v++) {
        dal_print(&out, "%.17g", c->values[v]);
        for (int l = 0; l < c->n_lines; l++)
            if (isfinite(c->lines[l].im[v]))
                dal_print(&out, ",%.17g,%.17g,%.17g", c->lines[l].im[v] / (2 * M_PI), c->lines[l].re[v], c->lines[l].im[v]);
            else
                dal_print(&out, ",,,");
        dal_print(&out, "\n");
    }
    return out.length;
}

int dal_campbell_text(const dal_campbell *c, int digits, char *buffer, size_t size)
{
    dal_printer out = {buffer, size, 0};
    if (!c)
        return -1;
    digits = digits < 1 ? 1 : digits > 17 ? 17 : digits;
    const int wide = digits + 7;
    if (!c->n_lines) {
        dal_print(&out, "no mode oscillates at any of the %d values of %s: there are no frequencies\n", c->n_values, c->parameter);
        return out.length;
    }
    for (int l = 0; l < c->n_lines; l++)
        dal_print(&out, "mode %d: %s\n", l + 1, c->lines[l].name);
    dal_print(&out, "\nfrequencies, Hz; they grow where there is a +\n  %*s", wide, c->parameter);
    for (int l = 0; l < c->n_lines; l++)
        dal_print(&out, " %*d ", wide, l + 1);
    dal_print(&out, "\n");
    for (int v = 0; v < c->n_values; v++) {
        dal_print(&out, "  %*.*g", wide, digits, c->values[v]);
        for (int l = 0; l < c->n_lines; l++) {
            const double im = c->lines[l].im[v], re = c->lines[l].re[v];
            if (isfinite(im))
                dal_print(&out, " %*.*g%s", wide, digits, im / (2 * M_PI), re > 1e-10 * hypot(re, im) ? "+" : " ");
            else
                dal_print(&out, " %*s ", wide, "-");
        }
        dal_print(&out, "\n");
    }
    return out.length;
}

typedef struct drawing {
    dal_arena arena;
    dal_svg svg;
    const dal_campbell *c;
    int n_orders, width, height;
    const double *orders;
    const char *title;
} drawing;

static dal_status draw(void *user)
{
    drawing *d = user;
    const dal_campbell *c = d->c;
    const int n = c->n_values;
    dal_curve *curves = DAL_NEW(&d->arena, dal_curve, c->n_lines + d->n_orders + 1);
    double most = 0;
    for (int l = 0; l < c->n_lines; l++) {
        double *y = DAL_NEW(&d->arena, double, n + 1);
        for (int v = 0; v < n; v++) {
            y[v] = c->lines[l].im[v] / (2 * M_PI);
            most = isfinite(y[v]) ? fmax(most, y[v]) : most;
        }
        curves[l] = (dal_curve){.name = dal_arena_print(&d->arena, "%d: %s", l + 1, c->lines[l].name), .n = n, .x = c->values, .y = y, .color = l};
    }
    for (int k = 0; k < d->n_orders; k++) {
        double *y = DAL_NEW(&d->arena, double, n + 1);
        for (int v = 0; v < n; v++)
            y[v] = d->orders[k] * c->values[v] / (2 * M_PI);
        curves[c->n_lines + k] =
            (dal_curve){.name = dal_arena_print(&d->arena, "%g times %s", d->orders[k], c->parameter), .n = n, .x = c->values, .y = y, .thin = true};
    }
    const dal_chart_panel panel = {.x_title = c->parameter,
                                   .y_title = "frequency, Hz",
                                   .y_most = 1.05 * fmax(most, 1e-300),
                                   .n_curves = c->n_lines + d->n_orders,
                                   .curves = curves};
    dal_chart_draw(&d->svg, &d->arena, d->width, d->height > 0 ? d->height : 480, d->title, 1, &panel);
    return DAL_OK;
}

dal_status dal_campbell_svg(const dal_allocator *allocator, const dal_campbell *campbell, int n_orders, const double *orders, int width, int height,
                            const char *title, dal_messages *messages, char **text)
{
    drawing d = {.c = campbell, .n_orders = n_orders, .orders = orders, .width = width, .height = height, .title = title};
    if (text)
        *text = NULL;
    if (!DAL_NEEDS(messages, campbell) || !DAL_NEEDS(messages, text) || !DAL_NEEDS_ALLOCATOR(messages, allocator) ||
        !dal_needs_array(messages, __func__, "orders", n_orders, orders))
        return DAL_BAD_COMMAND;
    if (!dal_picture_sized(width, height, "modes", messages))
        return DAL_BAD_COMMAND;
    dal_arena_begin(&d.arena, allocator);
    const dal_status status = dal_svg_draw(&d.svg, &d.arena, draw, &d, text);
    dal_arena_release(&d.arena);
    return status;
}
