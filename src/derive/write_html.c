/* A derivation as HTML: a section whose formulas are MathML, with a class for the origin of each term. No element has a style or a script of its own. */
#include "derive/printed_document.h"

#include <string.h>

static const char *const classes[DAL_ORIGIN_KINDS] = {"", "inertia", "gyroscopic", "gravity", "spring", "force", "constraint", "several"};

static void put_term(dal_document *doc, const dal_signed_form *term, const dal_term_origin *origin, bool first)
{
    dal_growing *out = doc->out;
    if (origin->kind == DAL_ORIGIN_UNKNOWN)
        dal_grow(out, "<span class=\"t\">");
    else
        dal_grow(out, "<span class=\"t %s\" title=\"%s\">", classes[origin->kind], dal_html_escaped(doc->d->arena, origin->text));
    if (term->negative || !first)
        dal_grow(out, "<math><mo form=\"%s\">%s</mo></math>\xe2\x81\xa0", first ? "prefix" : "infix", term->negative ? "−" : "+");
    dal_grow_breakable(out, doc->d, term->form, term->negative ? DAL_INSIDE_PRODUCT : DAL_INSIDE_SUM);
    dal_grow(out, "</span>");
}

/* Is the left side the name of an intermediate quantity? */
static bool is_intermediate(dal_derivation *d, const char *left)
{
    const char *beginning = dal_arena_print(d->arena, "<msub><mi>%s<", dal_intermediate_prefix(d));
    return !strncmp(left, beginning, strlen(beginning));
}

void dal_html_equation(dal_document *doc, const char *left, const dal_form *form, const char *right, dal_printed printed)
{
    int n;
    bool known = false;
    const dal_signed_form *terms = dal_form_terms(doc->d, form, &n);
    dal_term_origin *origin = DAL_NEW(doc->d->arena, dal_term_origin, n);
    dal_term_origins(doc->origins, doc->writer, &printed, n, terms, origin);
    for (int i = 0; i < n; i++)
        known |= origin[i].kind != DAL_ORIGIN_UNKNOWN;
    dal_grow(doc->out, known ? "<div class=\"eq\" tabindex=\"0\" role=\"group\">" : "<div class=\"%s\">",
             printed.node == DAL_NO_NODE && is_intermediate(doc->d, left) ? "eq z" : "eq");
    if (*left)
        dal_grow(doc->out, "<math>%s</math>", left);
    for (int i = 0; i < n; i++)
        put_term(doc, &terms[i], &origin[i], i == 0);
    if (*right)
        dal_grow(doc->out, "<span class=\"t\"><math>%s</math></span>", right);
    dal_grow(doc->out, "</div>\n");
}

/* The principle as text, with numerators and denominators in place: "A^T lambda", "v_1". */
static const char *principle(dal_arena *arena, const char *text)
{
    static const struct {
        const char *word, *sign;
    } words[] = {{"lambda", "λ"}, {"gamma", "γ"}, {" - ", " − "}};
    dal_growing out = {.arena = arena};
    dal_grow(&out, "%s", "");
    for (const char *c = text; *c;) {
        size_t k = 0;
        while (k < sizeof words / sizeof *words && strncmp(c, words[k].word, strlen(words[k].word)) != 0)
            k++;
        if (k < sizeof words / sizeof *words) {
            dal_grow(&out, "%s", words[k].sign);
            c += strlen(words[k].word);
            continue;
        }
        const size_t n = *c == '^' || *c == '_' ? strspn(c + 1, "-+/0123456789T") : 0;
        if (n) {
            const char *tag = *c == '^' ? "sup" : "sub";
            dal_grow(&out, "<%s>%.*s</%s>", tag, (int)n, c + 1, tag);
            c += n + 1;
            continue;
        }
        const char one[2] = {*c++, '\0'};
        dal_grow(&out, "%s", dal_html_escaped(arena, one));
    }
    return out.text;
}

void dal_html_begin(dal_document *doc, const dal_derived_formulation *f)
{
    const dal_system_info info = dal_system_describe(doc->d->system);
    dal_arena *arena = doc->d->arena;
    dal_grow(doc->out, "<section class=\"formulation\" data-name=\"%s\" data-coordinates=\"%s\">\n<h2>%s</h2>\n", f->name,
             dal_html_escaped(arena, info.coordinates), dal_html_escaped(arena, f->title));
    dal_grow(doc->out, "<p class=\"principle\">%s%s%s</p>\n", principle(arena, f->equation), f->source[0] ? " — " : "",
             dal_html_escaped(arena, f->source));
}

/* The same as LaTeX, for copying. */
void dal_html_end(dal_document *doc)
{
    dal_growing latex = {.arena = doc->d->arena};
    dal_write_derivation(&latex, doc->d, DAL_WRITE_LATEX, false, 0, false, false);
    dal_grow(doc->out, "<pre class=\"tex\" hidden>%s</pre>\n</section>\n", dal_html_escaped(doc->d->arena, latex.text));
}

void dal_html_fold(dal_document *doc, const char *summary)
{
    dal_grow(doc->out, "<details class=\"steps\"><summary>%s</summary>\n", summary);
}

void dal_html_fold_named(dal_document *doc, int first, int last)
{
    const char *z = dal_intermediate_prefix(doc->d);
    dal_grow(doc->out,
             "<details class=\"quantities\"><summary><math><msub><mi>%s</mi><mn>%d</mn></msub><mo>…</mo><msub><mi>%s</mi><mn>%d</mn></msub></math>: "
             "%d named quantities</summary>\n",
             z, first, z, last, last - first + 1);
}

void dal_html_unfold(dal_document *doc)
{
    dal_grow(doc->out, "</details>\n");
}
