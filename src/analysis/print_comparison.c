/* A comparison as tables and as JSON. */
#include "dalembert/compare.h"
#include "base/json.h"

#include <math.h>
#include <string.h>

static const double agreement = DAL_COMPARE_AGREEMENT;

/* ---- tables --------------------------------------------------------------- */

/* The columns of names are as wide as the longest. */
typedef struct widths {
    int coordinates, formulation, body;
} widths;

static void widen(int *width, const char *text)
{
    int length = (int)strlen(text);
    *width = *width < length ? length : *width;
}

static widths measure_columns(const dal_comparison *comparison)
{
    widths w = {(int)strlen("coords"), (int)strlen("formulation"), (int)strlen("body")};
    for (int i = 0; i < comparison->n_rows; i++) {
        widen(&w.coordinates, comparison->rows[i].coordinates);
        widen(&w.formulation, comparison->rows[i].formulation);
    }
    for (int b = 0; b < comparison->n_bodies; b++)
        widen(&w.body, comparison->bodies[b]);
    for (int k = 0; k < comparison->n_own; k++)
        widen(&w.body, comparison->own[k]);
    return w;
}

/* " 1.23e-09", " 0", " none" for what does not exist, right-aligned. */
static void print_cell(dal_printer *out, int width, double value)
{
    char text[32] = "none";
    if (!isnan(value))
        snprintf(text, sizeof text, value == 0 ? "%.0f" : "%.2e", value);
    dal_print(out, " %*s", width, text);
}

static void print_head(dal_printer *out, const dal_comparison *comparison)
{
    const dal_system_info *i = &comparison->info;
    dal_print(out, "%s (%s, %d %s, %d joint%s), 0 to %.9g s\n", i->model, i->space == DAL_PLANAR ? "planar" : "spatial", i->bodies,
              i->bodies == 1 ? "body" : "bodies", i->joints, i->joints == 1 ? "" : "s", i->until);
    dal_print(out, "all by %s, ", i->integrator);
    if (comparison->adaptive)
        dal_print(out, "rtol %.3g, atol %.3g", i->rtol, i->atol);
    else
        dal_print(out, "step %.6g s", i->step);
    dal_print(out, ", %s\n\n", i->stabilization);
}

static void print_rows(dal_printer *out, const dal_comparison *comparison, widths w)
{
    dal_print(out, "%-*s %-*s states  eqs    evals         CPU   energy constraint momentum difference\n", w.coordinates, "coords", w.formulation,
              "formulation");
    dal_print(out, "%*s %*s                              relative m, rad, /s relative %10s\n", w.coordinates, "", w.formulation, "",
              comparison->n_bodies || !comparison->n_own ? "L, rad" : "relative");
    for (int i = 0; i < comparison->n_rows; i++) {
        const dal_compare_row *row = &comparison->rows[i];
        if (!row->applies)
            continue;
        dal_print(out, "%-*s %-*s %6d %4d %8ld %8.2f ms", w.coordinates, row->coordinates, w.formulation, row->formulation, row->evidence.info.states,
                  row->evidence.info.equations, row->evidence.evaluations, 1e3 * row->cpu_seconds);
        print_cell(out, 8, row->energy_error);
        print_cell(out, 10, row->constraint_error);
        print_cell(out, 8, row->momentum_error);
        print_cell(out, 10, row->difference);
        dal_print(out, row->status == DAL_OK ? "\n" : " *\n");
    }
}

static const char *refusal(const dal_compare_row *row)
{
    return row->applies ? NULL : row->reason;
}

static const char *failure(const dal_compare_row *row)
{
    return row->applies && row->status != DAL_OK ? row->reason : NULL;
}

static const char *warning(const dal_compare_row *row)
{
    return row->warning;
}

/* Does row i have the same sentence as row k of the same family? */
static bool says_the_same(const dal_comparison *comparison, int i, int k, const char *(*sentence)(const dal_compare_row *))
{
    const dal_compare_row *a = &comparison->rows[i], *b = &comparison->rows[k];
    return sentence(a) && sentence(b) && !strcmp(a->coordinates, b->coordinates) && !strcmp(sentence(a), sentence(b));
}

/* "  natural: kane, maggi: sentence", for row i and those after it that say the same. */
static void print_sentence(dal_printer *out, const dal_comparison *comparison, int i, const char *(*sentence)(const dal_compare_row *))
{
    char text[2400];
    int used = snprintf(text, sizeof text, "%.100s%s", comparison->rows[i].coordinates, *comparison->rows[i].coordinates ? ":" : "");
    for (int k = i; k < comparison->n_rows && used < 1000; k++)
        if (says_the_same(comparison, k, i, sentence))
            used += snprintf(text + used, sizeof text - (size_t)used, "%s%.100s", k == i ? " " : ", ", comparison->rows[k].formulation);
    snprintf(text + used, sizeof text - (size_t)used, ": %s", sentence(&comparison->rows[i]));
    dal_print(out, "  ");
    dal_print_wrapped(out, 6, 2, text + strspn(text, " "));
}

/* The rows that have such a sentence, under a title. */
static void print_sentences(dal_printer *out, const dal_comparison *comparison, const char *title, const char *(*sentence)(const dal_compare_row *))
{
    bool any = false;
    for (int i = 0; i < comparison->n_rows; i++) {
        bool said = !sentence(&comparison->rows[i]);
        for (int k = 0; k < i && !said; k++)
            said = says_the_same(comparison, i, k, sentence);
        if (said)
            continue;
        if (!any)
            dal_print(out, "\n%s\n", title);
        any = true;
        print_sentence(out, comparison, i, sentence);
    }
}

enum { LABEL = 15 };

/* "label          sentence" */
static void print_labelled(dal_printer *out, const char *label, const char *text)
{
    dal_print(out, "%-*s", LABEL, label);
    dal_print_wrapped(out, LABEL, LABEL, text);
}

/* As near to the reference as the nearest, within the accuracy of the reference. */
static bool is_most_accurate(const dal_comparison *comparison, int i)
{
    const dal_compare_row *row = &comparison->rows[i];
    double known = comparison->reference.difference;
    if (comparison->nearest < 0 || !row->applies || row->status != DAL_OK)
        return false;
    return i == comparison->nearest || row->difference - comparison->rows[comparison->nearest].difference <= known;
}

static void print_most_accurate(dal_printer *out, const dal_comparison *comparison)
{
    char text[2400] = "";
    int used = 0, best = 0, finished = 0;
    const char *family = "";
    for (int i = 0; i < comparison->n_rows; i++) {
        const dal_compare_row *row = &comparison->rows[i];
        finished += row->applies && row->status == DAL_OK;
        if (!is_most_accurate(comparison, i) || used > 2000)
            continue;
        bool another = strcmp(family, row->coordinates) != 0;
        used += snprintf(text + used, sizeof text - (size_t)used, "%s%.60s%s%.60s",
                         !best     ? ""
                         : another ? "; "
                                   : ", ",
                         another ? row->coordinates : "", another ? ": " : "", row->formulation);
        family = row->coordinates;
        best++;
    }
    if (best == finished && best > 1)
        used = snprintf(text, sizeof text, "all %d equally, as far as the reference can tell", best);
    snprintf(text + used, sizeof text - (size_t)used, " (%.1e)", comparison->rows[comparison->nearest].difference);
    print_labelled(out, "most accurate", text);
}

static void print_reference(dal_printer *out, const dal_comparison *comparison)
{
    const dal_compare_row *r = &comparison->reference;
    const dal_system_info *i = &r->evidence.info;
    char text[800];
    dal_print(out, "\n");
    if (!r->applies || comparison->n_instants == 0) {
        snprintf(text, sizeof text, "there is none, and no difference could be measured: %.600s", r->reason ? r->reason : "its run failed");
        print_labelled(out, "reference", text);
        return;
    }
    snprintf(text, sizeof text, "%s, %s, %s, rtol %.3g, atol %.3g, %s; it is known to %.1e (what ten times these tolerances change)", i->coordinates,
             i->formulation, i->integrator, i->rtol, i->atol, i->stabilization, r->difference);
    print_labelled(out, "reference", text);
    if (r->status != DAL_OK) {
        snprintf(text, sizeof text, "the reference stopped early, and differences are measured up to there: %.600s", r->reason);
        print_labelled(out, "", text);
    }
    snprintf(text, sizeof text,
             !comparison->n_own
                 ? "the largest over all bodies and %d instants of |r - r0| / L, L = %.4g m, and of the angle between the attitudes, rad"
             : comparison->n_bodies
                 ? "the largest over all bodies and %d instants of |r - r0| / L, L = %.4g m, of the angle between the attitudes, rad, and over all "
                   "coordinates of |q - q0| over their size"
                 : "the largest over all coordinates and %d instants of |q - q0| over their size",
             comparison->n_instants, comparison->info.length);
    print_labelled(out, "difference", text);
    if (comparison->nearest >= 0)
        print_most_accurate(out, comparison);
}

/* The most important findings. */
static void print_disagreement(dal_printer *out, const dal_comparison *comparison)
{
    if (comparison->reference.difference > agreement)
        dal_print_wrapped(out, 4, 0,
                          "warning: the reference itself is not known well: the motion is so sensitive, or the tolerances so loose, that "
                          "differences say little; take a shorter time or tighter tolerances");
    for (int i = 0; i < comparison->n_rows; i++) {
        const dal_compare_row *row = &comparison->rows[i];
        char text[300];
        if (!(row->difference > agreement))
            continue;
        snprintf(text, sizeof text,
                 "warning: %s, %s does not agree with the reference: they differ by %.2e, more than %g lengths of the model or rad", row->coordinates,
                 row->formulation, row->difference, agreement);
        dal_print_wrapped(out, 4, 0, text);
    }
}

static void print_bodies(dal_printer *out, const dal_comparison *comparison, widths w)
{
    dal_print(out, "\n%-*s %-*s %-*s   position  attitude  velocity     omega\n", w.body, "body", w.coordinates, "coords", w.formulation,
              "formulation");
    dal_print(out, "%*s %*s %*s          m       rad       m/s     rad/s\n", w.body, "", w.coordinates, "", w.formulation, "");
    for (int b = 0; b < comparison->n_bodies; b++)
        for (int i = 0; i < comparison->n_rows; i++) {
            const dal_compare_row *row = &comparison->rows[i];
            if (!row->applies)
                continue;
            const dal_difference *d = &row->bodies[b];
            dal_print(out, "%-*s %-*s %-*s ", w.body, comparison->bodies[b], w.coordinates, row->coordinates, w.formulation, row->formulation);
            print_cell(out, 9, d->position);
            print_cell(out, 9, d->attitude);
            print_cell(out, 9, d->velocity);
            print_cell(out, 9, d->omega);
            dal_print(out, "\n");
        }
    for (int k = 0; k < comparison->n_own; k++)
        for (int i = 0; i < comparison->n_rows; i++) {
            const dal_compare_row *row = &comparison->rows[i];
            if (!row->applies)
                continue;
            dal_print(out, "%-*s %-*s %-*s ", w.body, comparison->own[k], w.coordinates, row->coordinates, w.formulation, row->formulation);
            print_cell(out, 9, row->own[k].position);
            dal_print(out, "%10s", "");
            print_cell(out, 9, row->own[k].velocity);
            dal_print(out, "\n");
        }
}

static bool is_compiled(const dal_comparison *comparison)
{
    return comparison->n_bodies + comparison->n_own > 0;
}

static void print_comparison(dal_printer *out, const dal_comparison *comparison, bool bodies)
{
    widths w = measure_columns(comparison);
    if (is_compiled(comparison)) { /* otherwise nothing could be compiled */
        print_head(out, comparison);
        print_rows(out, comparison, w);
    }
    print_sentences(out, comparison, "does not apply", refusal);
    print_sentences(out, comparison, "stopped early (*)", failure);
    print_sentences(out, comparison, "warnings", warning);
    if (is_compiled(comparison)) {
        print_reference(out, comparison);
        print_disagreement(out, comparison);
        if (bodies)
            print_bodies(out, comparison, w);
    }
}

int dal_comparison_text(const dal_comparison *comparison, bool bodies, char *buffer, size_t size)
{
    dal_printer out = {buffer, size, 0};
    if (!comparison)
        return -1;
    print_comparison(&out, comparison, bodies);
    return out.length;
}

/* ---- JSON ------------------------------------------------------------------ */

#define ROW(member) DAL_JSON_MEMBER(dal_compare_row, member)
#define EVIDENCE(member) DAL_JSON_MEMBER_AS(#member, dal_compare_row, evidence.member)
#define INFO(member) DAL_JSON_MEMBER_AS(#member, dal_compare_row, evidence.info.member)
#define DIFFERENCE(member) DAL_JSON_MEMBER(dal_difference, member)
#define COMPARISON(member) DAL_JSON_MEMBER_AS(#member, dal_comparison, info.member)

/* clang-format off */
static const dal_json_member of_body[] = {DIFFERENCE(position), DIFFERENCE(velocity), DIFFERENCE(omega), DIFFERENCE(attitude), {0}};
static const dal_json_member of_row[] = {ROW(coordinates), ROW(formulation), ROW(applies), ROW(status), ROW(reason), {0}};
static const dal_json_member of_run[] = {
    ROW(warning), INFO(integrator), INFO(stabilization), INFO(rtol), INFO(atol), INFO(states), INFO(equations), INFO(multipliers),
    EVIDENCE(steps), EVIDENCE(evaluations), EVIDENCE(time_end), ROW(cpu_seconds),
    ROW(energy_error), DAL_JSON_MEMBER_AS("energy_error_absolute", dal_compare_row, evidence.energy_drift_absolute),
    ROW(constraint_error), EVIDENCE(position_residual), EVIDENCE(velocity_residual),
    ROW(momentum_error), EVIDENCE(momentum), ROW(difference), {0}};
static const dal_json_member of_options[] = {
    COMPARISON(integrator), COMPARISON(stabilization), COMPARISON(step), COMPARISON(rtol), COMPARISON(atol),
    DAL_JSON_MEMBER(dal_comparison, every), COMPARISON(until), {0}};
/* clang-format on */

static void write_row(dal_json *json, const char *key, const dal_comparison *comparison, const dal_compare_row *row)
{
    dal_json_open(json, key, '{');
    dal_json_members(json, of_row, row);
    if (row->applies)
        dal_json_members(json, of_run, row);
    dal_json_open(json, "differences", '{');
    for (int b = 0; row->bodies && b < comparison->n_bodies; b++) {
        dal_json_open(json, comparison->bodies[b], '{');
        dal_json_members(json, of_body, &row->bodies[b]);
        dal_json_close(json, '}');
    }
    for (int k = 0; row->own && k < comparison->n_own; k++) {
        dal_json_open(json, comparison->own[k], '{');
        dal_json_number(json, "position", row->own[k].position);
        dal_json_number(json, "velocity", row->own[k].velocity);
        dal_json_close(json, '}');
    }
    dal_json_close(json, '}');
    dal_json_close(json, '}');
}

static void write_most_accurate(dal_json *json, const dal_comparison *comparison)
{
    dal_json_open(json, "most_accurate", '[');
    for (int i = 0; i < comparison->n_rows; i++) {
        if (!is_most_accurate(comparison, i))
            continue;
        dal_json_open(json, NULL, '{');
        dal_json_string(json, "coordinates", comparison->rows[i].coordinates);
        dal_json_string(json, "formulation", comparison->rows[i].formulation);
        dal_json_close(json, '}');
    }
    dal_json_close(json, ']');
}

static void write_comparison(dal_json *json, const void *of)
{
    const dal_comparison *comparison = of;
    const dal_system_info *i = &comparison->info;
    json->missing = "null";
    dal_json_open(json, NULL, '{');
    dal_json_string(json, "model", i->model);
    dal_json_string(json, "hash", i->model_hash);
    dal_json_string(json, "version", i->version);
    if (is_compiled(comparison)) { /* otherwise nothing could be compiled */
        dal_json_number(json, "length", i->length);
        dal_json_integer(json, "instants", comparison->n_instants);
        dal_json_open(json, "options", '{');
        dal_json_members(json, of_options, comparison);
        dal_json_close(json, '}');
        write_most_accurate(json, comparison);
        write_row(dal_json_line(json, " \n "), "reference", comparison, &comparison->reference);
        dal_json_line(json, "\n ");
    }
    dal_json_open(json, "rows", '[');
    for (int r = 0; r < comparison->n_rows; r++)
        write_row(dal_json_line(json, "\n  "), NULL, comparison, &comparison->rows[r]);
    dal_json_close(json, ']');
    dal_json_close(json, '}');
}

int dal_comparison_json(const dal_comparison *comparison, char *buffer, size_t size)
{
    return comparison ? dal_json_text(buffer, size, write_comparison, comparison) : -1;
}
