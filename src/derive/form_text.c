/* Printed forms as text of the model language, and as LaTeX. */
#include "derive/origins.h"
#include "derive/write.h"

#include "base/words.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
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

const char *dal_escaped(dal_arena *arena, const char *text, const dal_escape *escapes)
{
    dal_growing out = {.arena = arena};
    dal_grow(&out, "%s", "");
    for (const char *c = text; *c; c++) {
        const dal_escape *e = escapes;
        while (e->character && e->character != *c)
            e++;
        if (e->character)
            dal_grow(&out, "%s", e->text);
        else
            dal_grow(&out, "%c", *c);
    }
    return out.text;
}

const char *dal_latex_escaped(dal_arena *arena, const char *text)
{
    static const dal_escape escapes[] = {{'\\', "\\textbackslash{}"},
                                         {'~', "\\textasciitilde{}"},
                                         {'^', "\\textasciicircum{}"},
                                         {'{', "\\{"},
                                         {'}', "\\}"},
                                         {'$', "\\$"},
                                         {'&', "\\&"},
                                         {'#', "\\#"},
                                         {'%', "\\%"},
                                         {'_', "\\_"},
                                         {0}};
    return dal_escaped(arena, text, escapes);
}

static int find_greek(const char *word, size_t n)
{
    static const char *const letters[] = {"alpha", "beta", "gamma", "delta", "epsilon", "zeta",  "eta", "theta", "iota", "kappa", "lambda",
                                          "mu",    "nu",   "xi",    "pi",    "rho",     "sigma", "tau", "phi",   "chi",  "psi",   "omega"};
    for (size_t i = 0; i < sizeof letters / sizeof *letters; i++)
        if (strlen(letters[i]) == n && !strncmp(word, letters[i], n))
            return (int)i;
    return -1;
}

/* "m1" and "m_1" are m with 1; "l_bar_2" is l with bar,2. */
static void split_index(dal_arena *arena, const char *name, dal_set_name *set)
{
    const char *line = strchr(name, '_');
    size_t letters = strlen(name);
    if (line && line > name && line[1]) {
        char *index = dal_arena_copy(arena, line + 1, strlen(line + 1));
        for (char *c = index; *c; c++)
            *c = *c == '_' ? ',' : *c;
        set->symbol = dal_arena_copy(arena, name, (size_t)(line - name));
        set->index = index;
        return;
    }
    while (letters > 1 && isdigit((unsigned char)name[letters - 1]) && !line)
        letters--;
    set->symbol = dal_arena_copy(arena, name, letters);
    set->index = name + letters;
}

dal_set_name dal_name_as_set(dal_arena *arena, const char *name)
{
    const size_t whole = strlen(name);
    dal_set_name set = {.index = ""};
    size_t n = whole;
    while (n > 1 && name[n - 1] == '\'')
        n--;
    set.primes = (int)(whole - n);
    const char *base = dal_arena_copy(arena, name, n), *first = strchr(base, '.'), *last = strrchr(base, '.');
    const bool step = first && last > first && (!strncmp(base, "c.", 2) || !strncmp(base, "w.", 2));
    const bool leads = step || (first && (!strncmp(base, "lambda.", 7) || !strncmp(base, "G.", 2))); /* names of our own */
    if (leads) {
        set.symbol = dal_arena_copy(arena, base, (size_t)(first - base));
        set.index = first + 1;
    } else if (last && last > base && last[1]) {
        const char *owner = dal_arena_copy(arena, base, (size_t)(last - base));
        split_index(arena, last + 1, &set);
        set.index = *set.index ? dal_arena_print(arena, "%s,%s", set.index, owner) : owner;
    } else
        split_index(arena, base, &set);
    set.greek = find_greek(set.symbol, strlen(set.symbol));
    set.is_word = set.greek < 0 && strlen(set.symbol) > 1;
    return set;
}

/* ---- names that would be set alike --------------------------------------------------------- */

typedef struct named {
    const char *name; /* without its primes */
    dal_set_name set;
} named;

/* Names that print alike are neighbours. The one that keeps this print comes first: without a point, without an underscore, then in alphabetical
 * order. */
static int compare_named(const void *left, const void *right)
{
    const named *a = left, *b = right;
    int way = strcmp(a->set.symbol, b->set.symbol);
    way = way ? way : strcmp(a->set.index, b->set.index);
    way = way ? way : (strchr(a->name, '.') != NULL) - (strchr(b->name, '.') != NULL);
    way = way ? way : (strchr(a->name, '_') != NULL) - (strchr(b->name, '_') != NULL);
    return way ? way : strcmp(a->name, b->name);
}

static const char *without_primes(dal_arena *arena, const char *name)
{
    size_t n = strlen(name);
    while (n > 1 && name[n - 1] == '\'')
        n--;
    return dal_arena_copy(arena, name, n);
}

static void find_whole(dal_derivation *d)
{
    const int n = d->n_letters;
    named *all = DAL_NEW(d->arena, named, n + 1);
    int used = 0;
    for (int i = 0; i < n; i++)
        if (d->letters[i].role != DAL_ROLE_NUMBER) {
            all[used].name = without_primes(d->arena, d->letters[i].name);
            all[used].set = dal_name_as_set(d->arena, all[used].name);
            used++;
        }
    qsort(all, (size_t)used, sizeof *all, compare_named);
    d->whole = DAL_NEW(d->arena, const char *, used + 1);
    d->n_whole = 0;
    d->n_named = n;
    for (int i = 1, first = 0; i < used; i++) {
        if (strcmp(all[i].set.symbol, all[first].set.symbol) || strcmp(all[i].set.index, all[first].set.index))
            first = i;
        else if (strcmp(all[i].name, all[i - 1].name))
            d->whole[d->n_whole++] = all[i].name;
    }
}

dal_set_name dal_name_set_apart(dal_derivation *d, dal_arena *arena, const char *name)
{
    dal_set_name set = dal_name_as_set(arena, name);
    if (d->n_named != d->n_letters)
        find_whole(d);
    if (!d->n_whole)
        return set;
    const char *base = without_primes(arena, name);
    for (int i = 0; i < d->n_whole; i++)
        if (!strcmp(d->whole[i], base))
            return (dal_set_name){.symbol = base, .index = "", .primes = set.primes, .is_word = true, .greek = -1};
    return set;
}

static bool is_number(const char *text)
{
    return strspn(text, "0123456789") == strlen(text);
}

/* theta is a letter; any other word is upright. */
const char *dal_latex_name(dal_derivation *d, dal_arena *arena, const char *name)
{
    const dal_set_name set = dal_name_set_apart(d, arena, name);
    const char *symbol = set.greek >= 0 ? dal_arena_print(arena, "\\%s", set.symbol)
                         : set.is_word  ? dal_arena_print(arena, "\\mathrm{%s}", dal_latex_escaped(arena, set.symbol))
                                        : dal_latex_escaped(arena, set.symbol);
    if (set.primes)
        symbol = dal_arena_print(arena, set.primes == 1 ? "\\dot{%s}" : "\\ddot{%s}", symbol);
    if (!*set.index)
        return symbol;
    return dal_arena_print(arena, is_number(set.index) ? "%s_{%s}" : "%s_{\\mathrm{%s}}", symbol, dal_latex_escaped(arena, set.index));
}

static void write_letter(dal_growing *out, dal_derivation *d, int letter, bool latex)
{
    const dal_letter *l = &d->letters[letter];
    dal_grow(out, "%s", latex && l->role != DAL_ROLE_NUMBER ? dal_latex_name(d, out->arena, l->name) : l->name);
}

/* ---- forms ------------------------------------------------------------------------------- */

static void write_form(dal_growing *out, dal_derivation *d, const dal_form *form, bool latex, int inside);

static void write_sum(dal_growing *out, dal_derivation *d, const dal_form *form, bool latex)
{
    for (int i = 0; i < form->n; i++) {
        const bool negative = form->item[i]->kind == DAL_FORM_NEGATIVE;
        const dal_form *item = negative && i ? form->item[i]->item[0] : form->item[i];
        dal_grow(out, "%s", i == 0 ? "" : negative ? " - " : " + ");
        write_form(out, d, item, latex, i && negative ? DAL_INSIDE_PRODUCT : DAL_INSIDE_SUM);
    }
}

/* Functions that LaTeX has a command for. */
static bool is_plain_function(const char *name)
{
    static const char *const known[] = {"sin", "cos", "tan", "sinh", "cosh", "tanh", "exp", "log", "min", "max", NULL};
    return dal_is_one_of(name, known);
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
        write_form(out, d, form->item[i], latex, relation ? DAL_INSIDE_SUM : 0);
    }
    dal_grow(out, latex && !relation ? "\\right)" : ")");
}

static void write_product(dal_growing *out, dal_derivation *d, const dal_form *form, bool latex)
{
    for (int i = 0; i < form->n; i++) {
        if (i)
            dal_grow(out, "%s", latex ? "\\," : "*");
        write_form(out, d, form->item[i], latex, DAL_INSIDE_PRODUCT);
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
    write_form(out, d, above, latex, DAL_INSIDE_PRODUCT);
    dal_grow(out, "/");
    write_form(out, d, below, latex, below->kind == DAL_FORM_POWER ? DAL_INSIDE_PRODUCT : DAL_INSIDE_POWER); /* a/b^2 is a/(b^2) */
}

static void write_power(dal_growing *out, dal_derivation *d, const dal_form *form, bool latex)
{
    const bool function = latex && form->item[0]->kind == DAL_FORM_LETTER && strchr(d->letters[form->item[0]->letter].name, '\'');
    if (function)
        dal_grow(out, "{");
    write_form(out, d, form->item[0], latex, DAL_INSIDE_POWER);
    if (function)
        dal_grow(out, "}");
    if (form->n == 1) {
        dal_grow(out, latex ? "^{%d}" : "^%d", form->exponent);
        return;
    }
    dal_grow(out, latex ? "^{" : "^");
    write_form(out, d, form->item[1], latex, latex ? 0 : DAL_INSIDE_POWER);
    dal_grow(out, latex ? "}" : "%s", "");
}

const char *dal_decimal_text(dal_arena *arena, int64_t num, int64_t den)
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

bool dal_form_has_brackets(const dal_form *form, bool fractions, int inside)
{
    switch (form->kind) {
    case DAL_FORM_SUM: return inside >= DAL_INSIDE_PRODUCT;
    case DAL_FORM_NEGATIVE: return inside >= DAL_INSIDE_PRODUCT;
    case DAL_FORM_PRODUCT: return inside >= DAL_INSIDE_POWER;
    case DAL_FORM_QUOTIENT: return inside >= DAL_INSIDE_POWER;
    case DAL_FORM_NUMBER: return form->den != 1 && !dal_is_decimal(form->den) && inside >= (fractions ? DAL_INSIDE_POWER : DAL_INSIDE_PRODUCT);
    case DAL_FORM_POWER:
    case DAL_FORM_FUNCTION: return inside >= DAL_INSIDE_POWER && form->kind == DAL_FORM_POWER;
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
            dal_grow(out, "%s", dal_decimal_text(out->arena, form->num, form->den));
        else
            dal_grow(out, latex ? "\\frac{%" PRId64 "}{%" PRId64 "}" : "%" PRId64 "/%" PRId64, form->num, form->den);
        break;
    case DAL_FORM_LETTER: write_letter(out, d, form->letter, latex); break;
    case DAL_FORM_SUM: write_sum(out, d, form, latex); break;
    case DAL_FORM_NEGATIVE:
        dal_grow(out, "-");
        write_form(out, d, form->item[0], latex, DAL_INSIDE_PRODUCT);
        break;
    case DAL_FORM_PRODUCT: write_product(out, d, form, latex); break;
    case DAL_FORM_QUOTIENT: write_quotient(out, d, form, latex); break;
    case DAL_FORM_POWER: write_power(out, d, form, latex); break;
    case DAL_FORM_FUNCTION: write_function(out, d, form, latex); break;
    case DAL_FORM_NAMED: dal_grow(out, latex ? "%s_{%d}" : "%s%d", dal_intermediate_prefix(d), form->letter + 1); break;
    }
}

static void write_form(dal_growing *out, dal_derivation *d, const dal_form *form, bool latex, int inside)
{
    const bool brackets = dal_form_has_brackets(form, latex, inside);
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

/* ---- terms ------------------------------------------------------------------------------------ */

static void collect_terms(dal_derivation *d, const dal_form *form, bool negative, dal_signed_form **list, int *n, size_t *room)
{
    if (form->kind == DAL_FORM_SUM && !negative) {
        for (int i = 0; i < form->n; i++)
            collect_terms(d, form->item[i], false, list, n, room);
        return;
    }
    if (form->kind == DAL_FORM_NEGATIVE && !negative) {
        collect_terms(d, form->item[0], true, list, n, room);
        return;
    }
    *DAL_PUSH(d->arena, *list, *n, *room) = (dal_signed_form){form, negative};
}

dal_signed_form *dal_form_terms(dal_derivation *d, const dal_form *form, int *n)
{
    dal_signed_form *list = NULL;
    size_t room = 0;
    *n = 0;
    collect_terms(d, form, false, &list, n, &room);
    return list;
}
