/* A comparison as tables and as JSON. */
#include "cli/compare_report.h"
#include "cli/json.h"

#include <math.h>
#include <string.h>

enum { WIDTH = 100 };
static const double agreement = 1e-3; /* lengths of the model, or rad: a larger difference is pointed at */

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

static widths measure(const dal_comparison *comparison)
{
    widths w = {(int)strlen("coords"), (int)strlen("formulation"), (int)strlen("body")};
    for (int i = 0; i < comparison->n_rows; i++) {
        widen(&w.coordinates, comparison->rows[i].coordinates);
        widen(&w.formulation, comparison->rows[i].formulation);
    }
    for (int b = 0; b < comparison->n_bodies; b++)
        widen(&w.body, comparison->bodies[b]);
    return w;
}

/* " 1.23e-09", " 0", " none" for what does not exist, right-aligned. */
static void print_cell(int width, double value)
{
    char text[32] = "none";
    if (!isnan(value))
        snprintf(text, sizeof text, value == 0 ? "%.0f" : "%.2e", value);
    printf(" %*s", width, text);
}

/* Words of `text` in lines of WIDTH, those after the first indented by `indent`; `column` is where the first one starts. */
static void print_wrapped(int indent, int column, const char *text)
{
    for (bool first = true; *text; first = false) {
        int length = (int)strcspn(text, " ");
        if (!first && column + 1 + length > WIDTH) {
            printf("\n%*s", indent, "");
            column = indent;
        } else if (!first) {
            putchar(' ');
            column++;
        }
        printf("%.*s", length, text);
        column += length;
        text += length;
        text += strspn(text, " ");
    }
    putchar('\n');
}

static void print_head(const dal_comparison *comparison)
{
    const dal_system_info *i = &comparison->info;
    printf("%s (%s, %d %s, %d joint%s), 0 to %.9g s\n", i->model, i->space == DAL_PLANAR ? "planar" : "spatial", i->bodies,
           i->bodies == 1 ? "body" : "bodies", i->joints, i->joints == 1 ? "" : "s", i->until);
    printf("all by %s, ", i->integrator);
    if (comparison->adaptive)
        printf("rtol %.3g, atol %.3g", i->rtol, i->atol);
    else
        printf("step %.6g s", i->step);
    printf(", %s\n\n", i->stabilization);
}

static void print_rows(const dal_comparison *comparison, widths w)
{
    printf("%-*s %-*s states  eqs    evals         CPU   energy constraint momentum difference\n", w.coordinates, "coords", w.formulation,
           "formulation");
    printf("%*s %*s                              relative m, rad, /s relative     L, rad\n", w.coordinates, "", w.formulation, "");
    for (int i = 0; i < comparison->n_rows; i++) {
        const dal_compare_row *row = &comparison->rows[i];
        if (!row->applies)
            continue;
        printf("%-*s %-*s %6d %4d %8ld %8.2f ms", w.coordinates, row->coordinates, w.formulation, row->formulation,
               row->evidence.info.states, row->evidence.info.equations, row->evidence.evaluations, 1e3 * row->cpu_seconds);
        print_cell(8, row->energy_error);
        print_cell(10, row->constraint_error);
        print_cell(8, row->momentum_error);
        print_cell(10, row->difference);
        puts(row->status == DAL_OK ? "" : " *");
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

/* Does row i say what row k of the same family says? */
static bool says_the_same(const dal_comparison *comparison, int i, int k, const char *(*sentence)(const dal_compare_row *))
{
    const dal_compare_row *a = &comparison->rows[i], *b = &comparison->rows[k];
    return sentence(a) && sentence(b) && !strcmp(a->coordinates, b->coordinates) && !strcmp(sentence(a), sentence(b));
}

/* "  natural: kane, maggi: sentence", for row i and those after it that say the same. */
static void print_sentence(const dal_comparison *comparison, int i, const char *(*sentence)(const dal_compare_row *))
{
    char text[2400];
    int used = snprintf(text, sizeof text, "%.100s%s", comparison->rows[i].coordinates, *comparison->rows[i].coordinates ? ":" : "");
    for (int k = i; k < comparison->n_rows && used < 1000; k++)
        if (says_the_same(comparison, k, i, sentence))
            used += snprintf(text + used, sizeof text - (size_t)used, "%s%.100s", k == i ? " " : ", ", comparison->rows[k].formulation);
    snprintf(text + used, sizeof text - (size_t)used, ": %s", sentence(&comparison->rows[i]));
    print_wrapped(6, printf("  "), text + strspn(text, " "));
}

/* The rows that have such a sentence, under a title. */
static void print_sentences(const dal_comparison *comparison, const char *title, const char *(*sentence)(const dal_compare_row *))
{
    bool any = false;
    for (int i = 0; i < comparison->n_rows; i++) {
        bool said = !sentence(&comparison->rows[i]);
        for (int k = 0; k < i && !said; k++)
            said = says_the_same(comparison, i, k, sentence);
        if (said)
            continue;
        if (!any)
            printf("\n%s\n", title);
        any = true;
        print_sentence(comparison, i, sentence);
    }
}

enum { LABEL = 15 };

/* "label          sentence" */
static void print_labelled(const char *label, const char *text)
{
    print_wrapped(LABEL, printf("%-*s", LABEL, label), text);
}

/* As near to the reference as the nearest, by what the reference can tell. */
static bool is_most_accurate(const dal_comparison *comparison, int i)
{
    const dal_compare_row *row = &comparison->rows[i];
    double known = comparison->reference.difference;
    if (comparison->nearest < 0 || !row->applies || row->status != DAL_OK)
        return false;
    return i == comparison->nearest || row->difference - comparison->rows[comparison->nearest].difference <= known;
}

static void print_most_accurate(const dal_comparison *comparison)
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
        used += snprintf(text + used, sizeof text - (size_t)used, "%s%.60s%s%.60s", !best ? "" : another ? "; " : ", ",
                         another ? row->coordinates : "", another ? ": " : "", row->formulation);
        family = row->coordinates;
        best++;
    }
    if (best == finished && best > 1)
        used = snprintf(text, sizeof text, "none of the %d more than the others, by what the reference can tell", best);
    snprintf(text + used, sizeof text - (size_t)used, " (%.1e)", comparison->rows[comparison->nearest].difference);
    print_labelled("most accurate", text);
}

static void print_reference(const dal_comparison *comparison)
{
    const dal_compare_row *r = &comparison->reference;
    const dal_system_info *i = &r->evidence.info;
    char text[800];
    putchar('\n');
    if (!r->applies || comparison->n_instants == 0) {
        snprintf(text, sizeof text, "there is none, and no difference could be measured: %.600s", r->reason ? r->reason : "its run failed");
        print_labelled("reference", text);
        return;
    }
    snprintf(text, sizeof text, "%s, %s, %s, rtol %.3g, atol %.3g, %s; it is known to %.1e (what ten times these tolerances change)",
             i->coordinates, i->formulation, i->integrator, i->rtol, i->atol, i->stabilization, r->difference);
    print_labelled("reference", text);
    if (r->status != DAL_OK) {
        snprintf(text, sizeof text, "the reference stopped early, and differences are measured up to there: %.600s", r->reason);
        print_labelled("", text);
    }
    snprintf(text, sizeof text,
             "the largest over all bodies and %d instants of |r - r0| / L, L = %.4g m, and of the angle between the attitudes, rad",
             comparison->n_instants, comparison->info.length);
    print_labelled("difference", text);
    if (comparison->nearest >= 0)
        print_most_accurate(comparison);
}

/* What nobody should overlook. */
static void print_disagreement(const dal_comparison *comparison)
{
    if (comparison->reference.difference > agreement)
        print_wrapped(4, 0,
                      "warning: the reference itself is not known well: the motion is so sensitive, or the tolerances so loose, that "
                      "differences say little; take a shorter time or tighter tolerances");
    for (int i = 0; i < comparison->n_rows; i++) {
        const dal_compare_row *row = &comparison->rows[i];
        char text[300];
        if (!(row->difference > agreement))
            continue;
        snprintf(text, sizeof text,
                 "warning: %s, %s does not agree with the reference: they differ by %.2e, more than %g lengths of the model or rad",
                 row->coordinates, row->formulation, row->difference, agreement);
        print_wrapped(4, 0, text);
    }
}

static void print_bodies(const dal_comparison *comparison, widths w)
{
    printf("\n%-*s %-*s %-*s   position  attitude  velocity     omega\n", w.body, "body", w.coordinates, "coords", w.formulation,
           "formulation");
    printf("%*s %*s %*s          m       rad       m/s     rad/s\n", w.body, "", w.coordinates, "", w.formulation, "");
    for (int b = 0; b < comparison->n_bodies; b++)
        for (int i = 0; i < comparison->n_rows; i++) {
            const dal_compare_row *row = &comparison->rows[i];
            if (!row->applies)
                continue;
            const dal_difference *d = &row->bodies[b];
            printf("%-*s %-*s %-*s ", w.body, comparison->bodies[b], w.coordinates, row->coordinates, w.formulation, row->formulation);
            print_cell(9, d->position);
            print_cell(9, d->attitude);
            print_cell(9, d->velocity);
            print_cell(9, d->omega);
            putchar('\n');
        }
}

void dal_compare_text(const dal_comparison *comparison, bool bodies)
{
    widths w = measure(comparison);
    if (comparison->n_bodies) { /* otherwise nothing could be compiled */
        print_head(comparison);
        print_rows(comparison, w);
    }
    print_sentences(comparison, "does not apply", refusal);
    print_sentences(comparison, "stopped early (*)", failure);
    print_sentences(comparison, "warnings", warning);
    if (comparison->n_bodies) {
        print_reference(comparison);
        print_disagreement(comparison);
        if (bodies)
            print_bodies(comparison, w);
    }
}

/* ---- JSON ------------------------------------------------------------------ */

/* The last member of the row: without a comma after it. */
static void put_bodies(const dal_comparison *comparison, const dal_difference *bodies)
{
    dal_put_key("differences");
    putchar('{');
    for (int b = 0; bodies && b < comparison->n_bodies; b++) {
        fputs(b ? ", " : "", stdout);
        dal_print_json_string(stdout, comparison->bodies[b]);
        fputs(": {", stdout);
        dal_put_number("position", bodies[b].position);
        dal_put_number("velocity", bodies[b].velocity);
        dal_put_number("omega", bodies[b].omega);
        dal_put_key("attitude");
        printf(isfinite(bodies[b].attitude) ? "%.17g}" : "null}", bodies[b].attitude);
    }
    putchar('}');
}

static void put_row(const dal_comparison *comparison, const dal_compare_row *row)
{
    const dal_evidence *e = &row->evidence;
    putchar('{');
    dal_put_string("coordinates", row->coordinates);
    dal_put_string("formulation", row->formulation);
    dal_put_truth("applies", row->applies);
    dal_put_integer("status", (long)row->status);
    dal_put_string("reason", row->reason);
    if (row->applies) {
        dal_put_string("warning", row->warning);
        dal_put_string("integrator", e->info.integrator);
        dal_put_string("stabilization", e->info.stabilization);
        dal_put_number("rtol", e->info.rtol);
        dal_put_number("atol", e->info.atol);
        dal_put_integer("states", e->info.states);
        dal_put_integer("equations", e->info.equations);
        dal_put_integer("multipliers", e->info.multipliers);
        dal_put_integer("steps", e->steps);
        dal_put_integer("evaluations", e->evaluations);
        dal_put_number("time_end", e->time_end);
        dal_put_number("cpu_seconds", row->cpu_seconds);
        dal_put_number("energy_error", row->energy_error);
        dal_put_number("energy_error_absolute", e->energy_drift_absolute);
        dal_put_number("constraint_error", row->constraint_error);
        dal_put_number("position_residual", e->position_residual);
        dal_put_number("velocity_residual", e->velocity_residual);
        dal_put_number("momentum_error", row->momentum_error);
        dal_put_string("momentum", e->momentum);
        dal_put_number("difference", row->difference);
    }
    put_bodies(comparison, row->bodies);
    putchar('}');
}

static void put_options(const dal_comparison *comparison)
{
    const dal_system_info *i = &comparison->info;
    dal_put_key("options");
    putchar('{');
    dal_put_string("integrator", i->integrator);
    dal_put_string("stabilization", i->stabilization);
    dal_put_number("step", i->step);
    dal_put_number("rtol", i->rtol);
    dal_put_number("atol", i->atol);
    dal_put_number("every", comparison->every);
    dal_put_key("until");
    printf("%.17g}, ", i->until);
}

static void put_most_accurate(const dal_comparison *comparison)
{
    bool any = false;
    dal_put_key("most_accurate");
    putchar('[');
    for (int i = 0; i < comparison->n_rows; i++) {
        if (!is_most_accurate(comparison, i))
            continue;
        fputs(any ? ", {" : "{", stdout);
        dal_put_string("coordinates", comparison->rows[i].coordinates);
        dal_put_key("formulation");
        dal_print_json_string(stdout, comparison->rows[i].formulation);
        putchar('}');
        any = true;
    }
    fputs("], ", stdout);
}

void dal_compare_json(const dal_comparison *comparison)
{
    const dal_system_info *i = &comparison->info;
    putchar('{');
    dal_put_string("model", i->model);
    dal_put_string("hash", i->model_hash);
    dal_put_string("version", i->version);
    if (comparison->n_bodies) { /* otherwise nothing could be compiled */
        dal_put_number("length", i->length);
        dal_put_integer("instants", comparison->n_instants);
        put_options(comparison);
        put_most_accurate(comparison);
        fputs("\n ", stdout);
        dal_put_key("reference");
        put_row(comparison, &comparison->reference);
        fputs(",\n ", stdout);
    }
    dal_put_key("rows");
    putchar('[');
    for (int r = 0; r < comparison->n_rows; r++) {
        fputs(r ? ",\n  " : "\n  ", stdout);
        put_row(comparison, &comparison->rows[r]);
    }
    puts("]}");
}
