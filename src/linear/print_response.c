/* Frequency responses as text, JSON, CSV and pictures. */
#include "analysis/tables.h"
#include "base/argument.h"
#include "base/json.h"
#include "dalembert/linear.h"
#include "output/chart.h"

#include <math.h>
#include <string.h>

static size_t place_of(const dal_response *r, int f, int output, int input)
{
    return ((size_t)f * (size_t)r->n_outputs + (size_t)output) * (size_t)r->n_inputs + (size_t)input;
}

/* NAN where rounding left no digits. */
static double magnitude(const dal_response *r, size_t at)
{
    return isinf(r->re[at]) ? INFINITY : hypot(r->re[at], r->im[at]);
}

/* Without jumps along the frequencies; NAN where there is none. */
static double next_phase(const dal_response *r, size_t at, double last)
{
    const double phase = atan2(r->im[at], r->re[at]);
    if (!isfinite(r->re[at]) || (r->re[at] == 0 && r->im[at] == 0))
        return NAN;
    return isfinite(last) ? phase + 2 * M_PI * round((last - phase) / (2 * M_PI)) : phase;
}

/* ---- text ---------------------------------------------------------------------------------------------- */

static void print_number(dal_tables *p, double number)
{
    if (isnan(number))
        dal_print(&p->out, " %*s", p->digits + 7, "-");
    else
        dal_print(&p->out, " %*.*g", p->digits + 7, p->digits, number);
}

/* Where the response is zero or infinite there is no phase. */
static void print_line(dal_tables *p, const dal_response *r, int f, size_t at, const char *remark)
{
    dal_print(&p->out, " ");
    print_number(p, r->omega[f] / (2 * M_PI));
    print_number(p, magnitude(r, at));
    print_number(p, next_phase(r, at, NAN) * 180 / M_PI);
    dal_print(&p->out, "%s\n", remark);
}

/* Few frequencies: all of them. Of many the ends, and the largest. */
static void print_pair(dal_tables *p, const dal_response *r, int i, int j)
{
    const int last = r->n_frequencies - 1, wide = p->digits + 7;
    int peak = 0;
    for (int f = 1; f <= last; f++)
        peak = fmax(magnitude(r, place_of(r, f, i, j)), 0) > fmax(magnitude(r, place_of(r, peak, i, j)), 0) ? f : peak;
    if (magnitude(r, place_of(r, peak, i, j)) == 0) {
        const bool never = !r->reached[i * r->n_inputs + j];
        dal_print(&p->out, "\n%s by %s: zero at %s\n", r->outputs[i], r->inputs[j],
                  never       ? "every frequency, because the input does not reach the output"
                  : last == 0 ? "this frequency"
                              : "each of these frequencies");
        return;
    }
    dal_print(&p->out, "\n%s by %s\n", r->outputs[i], r->inputs[j]);
    dal_print(&p->out, "  %*s %*s %*s\n", wide, "Hz", wide, "magnitude", wide, "phase, deg");
    for (int f = 0; f <= last; f++) {
        const size_t at = place_of(r, f, i, j);
        if (last < 20 || f == 0 || f == peak || f == last)
            print_line(p, r, f, at, last >= 20 && f == peak ? "  largest of these" : "");
    }
}

int dal_response_text(const dal_response *r, int digits, char *buffer, size_t size)
{
    if (!r)
        return -1;
    dal_tables p = dal_tables_begin(digits, 100, buffer, size);
    const char *model = r->linearization->info.model;
    dal_print(&p.out, "%s: frequency response at t = %.*g s, %d frequenc%s\n", model && *model ? model : "the model", p.digits,
              r->linearization->time, r->n_frequencies, r->n_frequencies == 1 ? "y" : "ies");
    for (int i = 0; i < r->n_outputs && r->n_frequencies; i++)
        for (int j = 0; j < r->n_inputs; j++)
            print_pair(&p, r, i, j);
    return p.out.length;
}

/* ---- JSON and CSV ------------------------------------------------------------------------------------- */

static void write_response(dal_json *json, const void *of)
{
    const dal_response *r = of;
    dal_json_open(json, NULL, '{');
    dal_json_members(json, dal_heading, &r->linearization->info);
    dal_json_number(dal_json_line(json, "\n"), "time", r->linearization->time);
    dal_json_numbers(dal_json_line(json, "\n"), "omega", r->n_frequencies, r->omega);
    dal_json_open(dal_json_line(json, "\n"), "responses", '[');
    for (int i = 0; i < r->n_outputs; i++)
        for (int j = 0; j < r->n_inputs; j++) {
            dal_json_open(dal_json_line(json, "\n  "), NULL, '{');
            dal_json_string(json, "output", r->outputs[i]);
            dal_json_string(json, "input", r->inputs[j]);
            for (int part = 0; part < 2; part++) {
                dal_json_open(dal_json_line(json, "\n    "), part ? "im" : "re", '[');
                for (int f = 0; f < r->n_frequencies; f++)
                    dal_json_number(json, NULL, (part ? r->im : r->re)[place_of(r, f, i, j)]);
                dal_json_close(json, ']');
            }
            dal_json_close(json, '}');
        }
    dal_json_close(json, ']');
    dal_json_close(json, '}');
}

int dal_response_json(const dal_response *r, char *buffer, size_t size)
{
    return r ? dal_json_text(buffer, size, write_response, r) : -1;
}

int dal_response_csv(const dal_response *r, char *buffer, size_t size)
{
    static const char *const parts[] = {"re", "im", "magnitude", "phase"};
    dal_printer out = {buffer, size, 0};
    if (!r)
        return -1;
    dal_print(&out, "frequency,omega");
    for (int i = 0; i < r->n_outputs; i++)
        for (int j = 0; j < r->n_inputs; j++)
            for (int k = 0; k < 4; k++)
                dal_print(&out, ",\"%s by %s: %s\"", r->outputs[i], r->inputs[j], parts[k]);
    dal_print(&out, "\n");
    for (int f = 0; f < r->n_frequencies; f++) {
        dal_print(&out, "%.17g,%.17g", r->omega[f] / (2 * M_PI), r->omega[f]);
        for (int i = 0; i < r->n_outputs; i++)
            for (int j = 0; j < r->n_inputs; j++) {
                const size_t at = place_of(r, f, i, j);
                const double phase = next_phase(r, at, NAN);
                if (isnan(r->re[at])) { /* no digits are left */
                    dal_print(&out, ",,,,");
                    continue;
                }
                dal_print(&out, ",%.17g,%.17g,%.17g,", r->re[at], r->im[at], magnitude(r, at));
                if (isfinite(phase)) /* zero and infinity have no phase: an empty field */
                    dal_print(&out, "%.17g", phase);
            }
        dal_print(&out, "\n");
    }
    return out.length;
}

/* ---- pictures ------------------------------------------------------------------------------------------- */

typedef struct drawing {
    dal_arena arena;
    const dal_response *r;
    const dal_response_drawing *options;
    dal_svg svg;
    double *hertz;
    int n;
    dal_curve *first, *second; /* magnitude and phase, or Nyquist's curves */
} drawing;

static void add_curves(drawing *d, int i, int j)
{
    const dal_response *r = d->r;
    const int n = r->n_frequencies;
    double *a = DAL_NEW(&d->arena, double, n + 1), *b = DAL_NEW(&d->arena, double, n + 1), *c = DAL_NEW(&d->arena, double, n + 1), last = NAN;
    for (int f = 0; f < n; f++) {
        const size_t at = place_of(r, f, i, j);
        a[f] = d->options->nyquist ? r->re[at] : magnitude(r, at);
        c[f] = r->im[at];
        const double phase = next_phase(r, at, last);
        last = isfinite(phase) ? phase : last;
        b[f] = phase * 180 / M_PI;
    }
    const char *name = r->n_inputs == 1 ? r->outputs[i] : dal_arena_print(&d->arena, "%s by %s", r->outputs[i], r->inputs[j]);
    d->first[d->n] = (dal_curve){.name = name, .n = n, .x = d->options->nyquist ? a : d->hertz, .y = d->options->nyquist ? c : a, .color = d->n};
    d->second[d->n] = (dal_curve){.n = n, .x = d->hertz, .y = b, .color = d->n};
    d->n++;
}

static dal_status draw(void *user)
{
    drawing *d = user;
    const dal_response *r = d->r;
    const int all = r->n_outputs * r->n_inputs;
    const char *model = r->linearization->info.model;
    const char *title = d->options->title  ? d->options->title
                        : r->n_inputs == 1 ? dal_arena_print(&d->arena, "%s: response to %s", model && *model ? model : "model", r->inputs[0])
                                           : dal_arena_print(&d->arena, "%s: frequency response", model && *model ? model : "model");
    bool positive = r->n_frequencies > 0;
    d->hertz = DAL_NEW(&d->arena, double, r->n_frequencies + 1);
    d->first = DAL_NEW(&d->arena, dal_curve, all + 1);
    d->second = DAL_NEW(&d->arena, dal_curve, all + 1);
    for (int f = 0; f < r->n_frequencies; f++) {
        d->hertz[f] = r->omega[f] / (2 * M_PI);
        positive = positive && d->hertz[f] > 0;
    }
    for (int i = 0; i < r->n_outputs; i++)
        for (int j = 0; j < r->n_inputs; j++)
            add_curves(d, i, j);
    const dal_chart_panel bode[2] = {
        {.x_title = "frequency, Hz", .y_title = "magnitude", .x_log = positive, .y_log = true, .n_curves = all, .curves = d->first},
        {.x_title = "frequency, Hz", .y_title = "phase, deg", .x_log = positive, .n_curves = all, .curves = d->second}};
    const dal_chart_panel nyquist = {.x_title = "real part", .y_title = "imaginary part", .equal = true, .n_curves = all, .curves = d->first};
    dal_chart_draw(&d->svg, &d->arena, d->options->width, d->options->height, title, d->options->nyquist ? 1 : 2,
                   d->options->nyquist ? &nyquist : bode);
    return DAL_OK;
}

dal_status dal_response_svg(const dal_allocator *allocator, const dal_response *response, const dal_response_drawing *options, dal_messages *messages,
                            char **text)
{
    static const dal_response_drawing defaults = {0};
    drawing d = {.r = response, .options = options ? options : &defaults};
    if (text)
        *text = NULL;
    if (!DAL_NEEDS(messages, response) || !DAL_NEEDS(messages, text) || !DAL_NEEDS_ALLOCATOR(messages, allocator))
        return DAL_BAD_COMMAND;
    if (!dal_picture_sized(d.options->width, d.options->height, "response", messages))
        return DAL_BAD_COMMAND;
    dal_arena_begin(&d.arena, allocator);
    const dal_status status = dal_svg_draw(&d.svg, &d.arena, draw, &d, text);
    dal_arena_release(&d.arena);
    return status;
}
