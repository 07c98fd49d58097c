/* Printed forms as MathML, in pieces between which a browser breaks lines. */
#include "derive/write.h"

#include <ctype.h>
#include <inttypes.h>
#include <string.h>

const char *dal_html_escaped(dal_arena *arena, const char *text)
{
    static const dal_escape escapes[] = {{'&', "&amp;"}, {'<', "&lt;"}, {'>', "&gt;"}, {'"', "&quot;"}, {'\'', "&#39;"}, {0}};
    char *plain = dal_arena_copy(arena, text, strlen(text)), *end = plain;
    for (const char *c = text; *c; c++)
        if ((unsigned char)*c >= ' ' || *c == '\n' || *c == '\t') /* XML does not allow other control characters */
            *end++ = *c;
    *end = '\0';
    return dal_escaped(arena, plain, escapes);
}

/* ---- names ---------------------------------------------------------------------------- */

const char *dal_mathml_name(dal_derivation *d, dal_arena *arena, const char *name)
{
    static const char *const greek[] = {"α", "β", "γ", "δ", "ϵ", "ζ", "η", "θ", "ι", "κ", "λ", "μ", "ν", "ξ", "π", "ρ", "σ", "τ", "ϕ", "χ", "ψ", "ω"};
    const dal_set_name set = dal_name_set_apart(d, arena, name);
    const char *symbol =
        dal_arena_print(arena, "<mi>%s</mi>", set.greek >= 0 ? greek[set.greek] : dal_html_escaped(arena, set.symbol)); /* one letter: italic */
    if (set.primes)
        symbol = dal_arena_print(arena, "<mover accent=\"true\">%s<mo>%s</mo></mover>", symbol, set.primes == 1 ? "˙" : "¨");
    if (!*set.index)
        return symbol;
    const bool number = strspn(set.index, "0123456789") == strlen(set.index), letter = strlen(set.index) == 1;
    return dal_arena_print(arena,
                           number   ? "<msub>%s<mn>%s</mn></msub>"
                           : letter ? "<msub>%s<mi mathvariant=\"normal\">%s</mi></msub>"
                                    : "<msub>%s<mi>%s</mi></msub>",
                           symbol, dal_html_escaped(arena, set.index));
}

/* ---- forms ------------------------------------------------------------------------------ */

typedef struct pen {
    dal_growing *out;
    dal_derivation *d;
} pen;

static void put_form(const pen *p, const dal_form *form, int inside);

/* Is the form higher than a letter with its index? Then brackets around it grow; other brackets are text, without space around them. */
static bool is_tall(const dal_form *form)
{
    bool tall = form->kind == DAL_FORM_QUOTIENT || (form->kind == DAL_FORM_NUMBER && form->den != 1 && !dal_is_decimal(form->den)) ||
                (form->kind == DAL_FORM_FUNCTION && !strcmp(form->name, "sqrt"));
    for (int i = 0; i < form->n && !tall; i++)
        tall = is_tall(form->item[i]);
    return tall;
}

static void open_bracket(const pen *p, bool tall)
{
    dal_grow(p->out, tall ? "<mrow><mo>(</mo>" : "<mtext>(</mtext>");
}

static void close_bracket(const pen *p, bool tall)
{
    dal_grow(p->out, tall ? "<mo>)</mo></mrow>" : "<mtext>)</mtext>");
}

/* Writes a form in one row, as a child of a fraction, a root or a power. */
static void put_row(const pen *p, const dal_form *form, int inside)
{
    dal_grow(p->out, "<mrow>");
    put_form(p, form, inside);
    dal_grow(p->out, "</mrow>");
}

static void put_sum(const pen *p, const dal_form *form)
{
    for (int i = 0; i < form->n; i++) {
        const bool negative = i && form->item[i]->kind == DAL_FORM_NEGATIVE;
        if (i)
            dal_grow(p->out, "<mo>%s</mo>", negative ? "−" : "+");
        put_form(p, negative ? form->item[i]->item[0] : form->item[i], negative ? DAL_INSIDE_PRODUCT : DAL_INSIDE_SUM);
    }
}

/* Does it begin with a digit? Two adjacent numbers would be read as one. */
static bool begins_with_number(const pen *p, const dal_form *form)
{
    switch (form->kind) {
    case DAL_FORM_NUMBER: return true;
    case DAL_FORM_LETTER: return p->d->letters[form->letter].role == DAL_ROLE_NUMBER;
    case DAL_FORM_POWER:
    case DAL_FORM_PRODUCT:
    case DAL_FORM_QUOTIENT: return begins_with_number(p, form->item[0]);
    case DAL_FORM_FUNCTION: return !form->n && isdigit((unsigned char)form->name[0]); /* a number without a short fraction */
    default: return false;
    }
}

static void put_times(const pen *p, const dal_form *next)
{
    dal_grow(p->out, begins_with_number(p, next) ? "<mo>·</mo>" : "<mspace width=\".17em\"/>");
}

static void put_product(const pen *p, const dal_form *form)
{
    for (int i = 0; i < form->n; i++) {
        if (i)
            put_times(p, form->item[i]);
        put_form(p, form->item[i], DAL_INSIDE_PRODUCT);
    }
}

static bool is_relation(const dal_form *form)
{
    return form->n == 2 && (!strcmp(form->name, "less") || !strcmp(form->name, "leq") || !strcmp(form->name, "equal"));
}

static const char *relation_sign(const dal_form *form)
{
    return form->name[0] == 'e' ? "=" : form->name[2] == 's' ? "&lt;" : "≤";
}

/* "sin", or the name of a table, which is followed by a bracket. */
static const char *function_name(const pen *p, const dal_form *form)
{
    const char *name = form->name;
    const size_t n = strlen(name);
    if (n && name[n - 1] == ' ') { /* "interp(table, " */
        const char *open = strchr(name, '(');
        const size_t skipped = open ? (size_t)(open - name) + 1 : 0;
        name = dal_arena_copy(p->out->arena, name + skipped, n - skipped - 2);
    }
    return dal_html_escaped(p->out->arena, name);
}

static void put_function(const pen *p, const dal_form *form)
{
    const bool relation = is_relation(form);
    if (!form->n) {
        dal_grow(p->out, "<mn>%s</mn>", dal_html_escaped(p->out->arena, form->name));
        return;
    }
    if (!strcmp(form->name, "sqrt")) {
        dal_grow(p->out, "<msqrt>");
        put_form(p, form->item[0], 0);
        dal_grow(p->out, "</msqrt>");
        return;
    }
    if (!relation)
        dal_grow(p->out, "<mi>%s</mi>", function_name(p, form));
    open_bracket(p, is_tall(form));
    for (int i = 0; i < form->n; i++) {
        if (i)
            dal_grow(p->out, "<mo>%s</mo>", relation ? relation_sign(form) : ",");
        put_form(p, form->item[i], relation ? DAL_INSIDE_SUM : 0);
    }
    close_bracket(p, is_tall(form));
}

static void put_exponent(const pen *p, const dal_form *form)
{
    if (form->n == 1)
        dal_grow(p->out, "<mn>%d</mn>", form->exponent);
    else
        put_row(p, form->item[1], 0);
}

static void put_number(const pen *p, const dal_form *form)
{
    if (form->den == 1)
        dal_grow(p->out, "<mn>%" PRId64 "</mn>", form->num);
    else if (dal_is_decimal(form->den))
        dal_grow(p->out, "<mn>%s</mn>", dal_decimal_text(p->out->arena, form->num, form->den));
    else
        dal_grow(p->out, "<mfrac><mn>%" PRId64 "</mn><mn>%" PRId64 "</mn></mfrac>", form->num, form->den);
}

static void put_letter(const pen *p, const dal_letter *letter)
{
    if (letter->role == DAL_ROLE_NUMBER)
        dal_grow(p->out, "<mn>%s</mn>", dal_html_escaped(p->out->arena, letter->name));
    else
        dal_grow(p->out, "%s", dal_mathml_name(p->d, p->out->arena, letter->name));
}

static void put_inner(const pen *p, const dal_form *form)
{
    switch (form->kind) {
    case DAL_FORM_NUMBER: put_number(p, form); break;
    case DAL_FORM_LETTER: put_letter(p, &p->d->letters[form->letter]); break;
    case DAL_FORM_SUM: put_sum(p, form); break;
    case DAL_FORM_NEGATIVE:
        dal_grow(p->out, "<mo form=\"prefix\">−</mo>");
        put_form(p, form->item[0], DAL_INSIDE_PRODUCT);
        break;
    case DAL_FORM_PRODUCT: put_product(p, form); break;
    case DAL_FORM_QUOTIENT:
        dal_grow(p->out, "<mfrac>");
        put_row(p, form->item[0], 0);
        put_row(p, form->item[1], 0);
        dal_grow(p->out, "</mfrac>");
        break;
    case DAL_FORM_POWER:
        dal_grow(p->out, "<msup>");
        put_row(p, form->item[0], DAL_INSIDE_POWER);
        put_exponent(p, form);
        dal_grow(p->out, "</msup>");
        break;
    case DAL_FORM_FUNCTION: put_function(p, form); break;
    case DAL_FORM_NAMED: dal_grow(p->out, "<msub><mi>%s</mi><mn>%d</mn></msub>", dal_intermediate_prefix(p->d), form->letter + 1); break;
    }
}

static void put_form(const pen *p, const dal_form *form, int inside)
{
    const bool brackets = dal_form_has_brackets(form, true, inside);
    if (brackets)
        open_bracket(p, is_tall(form));
    put_inner(p, form);
    if (brackets)
        close_bracket(p, is_tall(form));
}

const char *dal_form_mathml(dal_derivation *d, const dal_form *form)
{
    dal_growing out = {.arena = d->arena};
    const pen p = {&out, d};
    dal_grow(&out, "%s", "");
    put_form(&p, form, 0);
    return out.text;
}

/* ---- pieces ----------------------------------------------------------------------------------- */

/* The approximate width in digits. */
static double width_of(const pen *p, const dal_form *form, int inside)
{
    double width = dal_form_has_brackets(form, true, inside) ? 1.6 : 0, part[2] = {0};
    switch (form->kind) {
    case DAL_FORM_NUMBER:
        part[0] = form->den == 1 || dal_is_decimal(form->den) ? (double)strlen(dal_decimal_text(p->out->arena, form->num, form->den)) : 3;
        return width + part[0];
    case DAL_FORM_LETTER: {
        const dal_letter *letter = &p->d->letters[form->letter];
        const dal_set_name set = dal_name_set_apart(p->d, p->out->arena, letter->name);
        if (letter->role == DAL_ROLE_NUMBER)
            return width + (double)strlen(letter->name);
        return width + (set.greek >= 0 ? 1.2 : 1.1 * (double)strlen(set.symbol)) + 0.8 * (double)strlen(set.index);
    }
    case DAL_FORM_NAMED: return width + 2.5;
    case DAL_FORM_QUOTIENT:
        part[0] = width_of(p, form->item[0], 0);
        part[1] = width_of(p, form->item[1], 0);
        return width + (part[0] > part[1] ? part[0] : part[1]) + 0.5;
    case DAL_FORM_POWER: return width + width_of(p, form->item[0], DAL_INSIDE_POWER) + (form->n == 1 ? 0.8 : 0.7 * width_of(p, form->item[1], 0));
    default: break;
    }
    for (int i = 0; i < form->n; i++)
        width += width_of(p, form->item[i], form->kind == DAL_FORM_PRODUCT ? DAL_INSIDE_PRODUCT : 0) + (form->kind == DAL_FORM_SUM ? 2.5 : 0.4);
    if (form->kind == DAL_FORM_FUNCTION)
        width += (form->n ? 1.6 : 0) + (double)strlen(form->name);
    return width + (form->kind == DAL_FORM_NEGATIVE);
}

enum { MOST_WIDTH = 36 }; /* width of a piece in digits: it fits the screen of a telephone */

static void put_pieces(const pen *p, const dal_form *form, int inside);

/* A word joiner keeps a sign with what follows, and brackets with what they hold. */
#define JOINER "\xe2\x81\xa0"

static void put_sign(const pen *p, const char *sign)
{
    dal_grow(p->out, "<math><mo form=\"infix\">%s</mo></math>" JOINER, sign);
}

static void put_bracket(const pen *p, const char *bracket)
{
    dal_grow(p->out, *bracket == '(' ? "<math><mo stretchy=\"false\">%s</mo></math>" JOINER : JOINER "<math><mo stretchy=\"false\">%s</mo></math>",
             bracket);
}

/* A bracket that contains pieces. */
static void put_bracketed(const pen *p, const dal_form *form)
{
    put_bracket(p, "(");
    put_pieces(p, form, 0);
    put_bracket(p, ")");
}

static void put_sum_pieces(const pen *p, const dal_form *form)
{
    for (int i = 0; i < form->n; i++) {
        const bool negative = i && form->item[i]->kind == DAL_FORM_NEGATIVE;
        dal_grow(p->out, "<span class=\"t\">");
        if (i)
            put_sign(p, negative ? "−" : "+");
        put_pieces(p, negative ? form->item[i]->item[0] : form->item[i], negative ? DAL_INSIDE_PRODUCT : DAL_INSIDE_SUM);
        dal_grow(p->out, "</span>");
    }
}

static void put_product_pieces(const pen *p, const dal_form *form)
{
    for (int i = 0; i < form->n; i++) {
        dal_grow(p->out, "<span class=\"t f\">");
        if (i && begins_with_number(p, form->item[i]))
            put_sign(p, "·");
        put_pieces(p, form->item[i], DAL_INSIDE_PRODUCT);
        dal_grow(p->out, "</span>");
    }
}

/* A wide quotient has a slash. */
static void put_quotient_pieces(const pen *p, const dal_form *form)
{
    dal_grow(p->out, "<span class=\"t\">");
    put_pieces(p, form->item[0], DAL_INSIDE_PRODUCT);
    dal_grow(p->out, "</span><span class=\"t\">");
    put_sign(p, "/");
    put_pieces(p, form->item[1], DAL_INSIDE_POWER);
    dal_grow(p->out, "</span>");
}

static void put_function_pieces(const pen *p, const dal_form *form)
{
    const bool relation = is_relation(form);
    if (!relation)
        dal_grow(p->out, "<math><mi>%s</mi></math>" JOINER, function_name(p, form));
    put_bracket(p, "(");
    for (int i = 0; i < form->n; i++) {
        dal_grow(p->out, "<span class=\"t\">");
        if (i)
            put_sign(p, relation ? relation_sign(form) : ",");
        put_pieces(p, form->item[i], relation ? DAL_INSIDE_SUM : 0);
        dal_grow(p->out, "</span>");
    }
    put_bracket(p, ")");
}

static void put_power_pieces(const pen *p, const dal_form *form)
{
    put_bracket(p, "(");
    put_pieces(p, form->item[0], 0);
    dal_grow(p->out, JOINER "<math><msup><mo stretchy=\"false\">)</mo>");
    put_exponent(p, form);
    dal_grow(p->out, "</msup></math>");
}

static void put_pieces(const pen *p, const dal_form *form, int inside)
{
    const bool whole = form->kind == DAL_FORM_LETTER || form->kind == DAL_FORM_NAMED || form->kind == DAL_FORM_NUMBER ||
                       (form->kind == DAL_FORM_FUNCTION && !form->n);
    if (whole || width_of(p, form, inside) <= MOST_WIDTH) {
        dal_grow(p->out, "<math>");
        put_form(p, form, inside);
        dal_grow(p->out, "</math>");
        return;
    }
    if (dal_form_has_brackets(form, false, inside)) {
        put_bracketed(p, form);
        return;
    }
    switch (form->kind) {
    case DAL_FORM_SUM: put_sum_pieces(p, form); break;
    case DAL_FORM_NEGATIVE:
        dal_grow(p->out, "<math><mo form=\"prefix\">−</mo></math>" JOINER);
        put_pieces(p, form->item[0], DAL_INSIDE_PRODUCT);
        break;
    case DAL_FORM_PRODUCT: put_product_pieces(p, form); break;
    case DAL_FORM_QUOTIENT: put_quotient_pieces(p, form); break;
    case DAL_FORM_POWER: put_power_pieces(p, form); break;
    default: put_function_pieces(p, form);
    }
}

void dal_grow_breakable(dal_growing *out, dal_derivation *d, const dal_form *form, int inside)
{
    const pen p = {out, d};
    put_pieces(&p, form, inside);
}
