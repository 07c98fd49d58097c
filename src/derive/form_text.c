/* Printed forms as text of the model language, and as LaTeX. */
#include "derive/write.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

void dal_grow(dal_growing *out, const char *format, ...)
{
    va_list list, again;
    va_start(list, format);
    va_copy(again, list);
    const int more = vsnprintf(NULL, 0, format, list);
    va_end(list);
    out->text = dal_arena_grow(out->arena, out->text, (size_t)out->n, &out->room, (size_t)(out->n + more + 1), 1);
    vsnprintf(out->text + out->n, (size_t)more + 1, format, again);
    va_end(again);
    out->n += more;
}

/* ---- names ----------------------------------------------------------------------------- */

const char *dal_latex_escaped(dal_arena *arena, const char *text)
{
    dal_growing out = {.arena = arena};
    dal_grow(&out, "%s", "");
    for (const char *c = text; *c; c++) {
        switch (*c) {
        case '\\': dal_grow(&out, "\\textbackslash{}"); break;
        case '~': dal_grow(&out, "\\textasciitilde{}"); break;
        case '^': dal_grow(&out, "\\textasciicircum{}"); break;
        case '{':
        case '}':
        case '$':
        case '&':
        case '#':
        case '%':
        case '_': dal_grow(&out, "\\%c", *c); break;
        default: dal_grow(&out, "%c", *c);
        }
    }
    return out.text;
}

static bool is_greek(const char *word, size_t n)
{
    static const char *const letters[] = {"alpha", "beta", "gamma", "delta", "epsilon", "zeta",  "eta", "theta", "iota", "kappa", "lambda",
                                          "mu",    "nu",   "xi",    "pi",    "rho",     "sigma", "tau", "phi",   "chi",  "psi",   "omega"};
    for (size_t i = 0; i < sizeof letters / sizeof *letters; i++)
        if (strlen(letters[i]) == n && !strncmp(word, letters[i], n))
            return true;
    return false;
}

/* m1 is m with an index; theta is a letter; any other word is upright. */
const char *dal_latex_name(dal_arena *arena, const char *name)
{
    size_t n = strlen(name), letters = n;
    while (letters > 1 && isdigit((unsigned char)name[letters - 1]))
        letters--;
    const bool plain = strcspn(name, "._") == n;
    const char *index = letters < n ? dal_arena_print(arena, "_{%s}", name + letters) : "";
    if (plain && is_greek(name, letters))
        return dal_arena_print(arena, "\\%.*s%s", (int)letters, name, index);
    if (plain && letters == 1)
        return dal_arena_print(arena, "%c%s", name[0], index);
    if (plain)
        return dal_arena_print(arena, "\\mathit{%.*s}%s", (int)letters, name, index);
    return dal_arena_print(arena, "\\mathrm{%s}", dal_latex_escaped(arena, name));
}

static void write_letter(dal_growing *out, dal_derivation *d, int letter, bool latex)
{
    const char *name = d->letters[letter].name;
    size_t n = strlen(name), primes = 0;
    if (!latex) {
        dal_grow(out, "%s", name);
        return;
    }
    while (primes < n && name[n - primes - 1] == '\'')
        primes++;
    const char *base = dal_latex_name(out->arena, dal_arena_copy(out->arena, name, n - primes));
    dal_grow(out, primes == 0 ? "%s" : primes == 1 ? "\\dot{%s}" : "\\ddot{%s}", base);
}

/* ---- forms ------------------------------------------------------------------------------- */

enum { IN_SUM = 1, IN_PRODUCT, IN_POWER };

static void write_form(dal_growing *out, dal_derivation *d, const dal_form *form, bool latex, int inside);

static void write_sum(dal_growing *out, dal_derivation *d, const dal_form *form, bool latex)
{
    for (int i = 0; i < form->n; i++) {
        const bool negative = form->item[i]->kind == DAL_FORM_NEGATIVE;
        const dal_form *item = negative && i ? form->item[i]->item[0] : form->item[i];
        dal_grow(out, "%s", i == 0 ? "" : negative ? " - " : " + ");
        write_form(out, d, item, latex, i && negative ? IN_PRODUCT : IN_SUM);
    }
}

/* Functions that LaTeX has a command for. */
static bool is_plain_function(const char *name)
{
    static const char *const known[] = {"sin", "cos", "tan", "sinh", "cosh", "tanh", "exp", "log", "min", "max"};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (!strcmp(name, known[i]))
            return true;
    return false;
}

static void write_function(dal_growing *out, dal_derivation *d, const dal_form *form, bool latex)
{
    const char *name = form->name;
    const size_t n = strlen(name);
    const bool relation = form->n == 2 && (!strcmp(name, "less") || !strcmp(name, "leq") || !strcmp(name, "equal"));
    if (!form->n) {
        dal_grow(out, "%s", name);
        return;
    }
    if (latex && !strcmp(name, "sqrt")) {
        dal_grow(out, "\\sqrt{");
        write_form(out, d, form->item[0], latex, 0);
        dal_grow(out, "}");
        return;
    }
    if (relation)
        dal_grow(out, "(");
    else if (name[n - 1] == ' ') /* a table: the name has its bracket */
        dal_grow(out, "%s", latex ? dal_arena_print(out->arena, "\\mathrm{%.*s}\\left(", (int)strcspn(name, "("), name) : name);
    else if (latex && is_plain_function(name))
        dal_grow(out, "\\%s\\left(", name);
    else
        dal_grow(out, latex ? "\\operatorname{%s}\\left(" : "%s(", name);
    for (int i = 0; i < form->n; i++) {
        if (i)
            dal_grow(out, "%s", !relation ? ", " : name[0] == 'e' ? " == " : name[2] == 's' ? " < " : latex ? " \\le " : " <= ");
        write_form(out, d, form->item[i], latex, relation ? IN_SUM : 0);
    }
    dal_grow(out, latex && !relation ? "\\right)" : ")");
}

static void write_product(dal_growing *out, dal_derivation *d, const dal_form *form, bool latex)
{
    for (int i = 0; i < form->n; i++) {
        if (i)
            dal_grow(out, "%s", latex ? "\\," : "*");
        write_form(out, d, form->item[i], latex, IN_PRODUCT);
    }
}

static void write_quotient(dal_growing *out, dal_derivation *d, const dal_form *form, bool latex)
{
    const dal_form *above = form->item[0], *below = form->item[1];
    if (latex) {
        dal_grow(out, "\\frac{");
        write_form(out, d, above, latex, 0);
        dal_grow(out, "}{");
        write_form(out, d, below, latex, 0);
        dal_grow(out, "}");
        return;
    }
    write_form(out, d, above, latex, IN_PRODUCT);
    dal_grow(out, "/");
    write_form(out, d, below, latex, IN_POWER);
}

static void write_power(dal_growing *out, dal_derivation *d, const dal_form *form, bool latex)
{
    const bool function = latex && form->item[0]->kind == DAL_FORM_LETTER && strchr(d->letters[form->item[0]->letter].name, '\'');
    if (function)
        dal_grow(out, "{");
    write_form(out, d, form->item[0], latex, IN_POWER);
    if (function)
        dal_grow(out, "}");
    if (form->n == 1) {
        dal_grow(out, latex ? "^{%d}" : "^%d", form->exponent);
        return;
    }
    dal_grow(out, latex ? "^{" : "^");
    write_form(out, d, form->item[1], latex, latex ? 0 : IN_POWER);
    dal_grow(out, latex ? "}" : "%s", "");
}

/* 981/200 as 4.905, exactly. */
static const char *decimal_text(dal_arena *arena, int64_t num, int64_t den)
{
    dal_growing out = {.arena = arena};
    dal_grow(&out, "%" PRId64 ".", num / den);
    for (int64_t rest = num % den; rest; rest = rest * 10 % den) {
        if (rest > INT64_MAX / 10)
            return dal_arena_print(arena, "%" PRId64 "/%" PRId64, num, den);
        dal_grow(&out, "%d", (int)(rest * 10 / den));
    }
    return out.text;
}

/* Does it need brackets where it stands? */
static bool needs_brackets(const dal_form *form, bool latex, int inside)
{
    switch (form->kind) {
    case DAL_FORM_SUM: return inside >= IN_PRODUCT;
    case DAL_FORM_NEGATIVE: return inside >= IN_PRODUCT;
    case DAL_FORM_PRODUCT: return inside >= IN_POWER;
    case DAL_FORM_QUOTIENT: return inside >= IN_POWER;
    case DAL_FORM_NUMBER: return form->den != 1 && !dal_is_decimal(form->den) && inside >= (latex ? IN_POWER : IN_PRODUCT);
    case DAL_FORM_POWER:
    case DAL_FORM_FUNCTION: return inside >= IN_POWER && form->kind == DAL_FORM_POWER;
    default: return false;
    }
}

static void write_inner(dal_growing *out, dal_derivation *d, const dal_form *form, bool latex)
{
    switch (form->kind) {
    case DAL_FORM_NUMBER:
        if (form->den == 1)
            dal_grow(out, "%" PRId64, form->num);
        else if (dal_is_decimal(form->den))
            dal_grow(out, "%s", decimal_text(out->arena, form->num, form->den));
        else
            dal_grow(out, latex ? "\\frac{%" PRId64 "}{%" PRId64 "}" : "%" PRId64 "/%" PRId64, form->num, form->den);
        break;
    case DAL_FORM_LETTER: write_letter(out, d, form->letter, latex); break;
    case DAL_FORM_SUM: write_sum(out, d, form, latex); break;
    case DAL_FORM_NEGATIVE:
        dal_grow(out, "-");
        write_form(out, d, form->item[0], latex, IN_PRODUCT);
        break;
    case DAL_FORM_PRODUCT: write_product(out, d, form, latex); break;
    case DAL_FORM_QUOTIENT: write_quotient(out, d, form, latex); break;
    case DAL_FORM_POWER: write_power(out, d, form, latex); break;
    case DAL_FORM_FUNCTION: write_function(out, d, form, latex); break;
    case DAL_FORM_NAMED: dal_grow(out, latex ? "z_{%d}" : "z%d", form->letter + 1); break;
    }
}

static void write_form(dal_growing *out, dal_derivation *d, const dal_form *form, bool latex, int inside)
{
    const bool brackets = needs_brackets(form, latex, inside);
    dal_grow(out, "%s", !brackets ? "" : latex ? "\\left(" : "(");
    write_inner(out, d, form, latex);
    dal_grow(out, "%s", !brackets ? "" : latex ? "\\right)" : ")");
}

const char *dal_form_text(dal_derivation *d, const dal_form *form, bool latex)
{
    dal_growing out = {.arena = d->arena};
    dal_grow(&out, "%s", "");
    write_form(&out, d, form, latex, 0);
    return out.text;
}
