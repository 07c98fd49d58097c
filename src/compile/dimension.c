/* Dimensions with unknowns: products, equations, names. */
#include "compile/dimension.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { DEEPEST = 200 }; /* unknowns that are known through one another */
static const double nothing = 1e-9;

/* ---- products ------------------------------------------------------------------------------- */

dal_dimension dal_dimension_unknown(dal_unknowns *unknowns, bool count)
{
    *DAL_PUSH(unknowns->arena, unknowns->item, unknowns->n, unknowns->capacity) = (dal_unknown){.count = count};
    return (dal_dimension){.n = 1, .term = {{unknowns->n - 1, 1}}};
}

static void add_term(dal_dimension *out, int unknown, double power)
{
    int at = 0;
    while (at < out->n && out->term[at].unknown != unknown)
        at++;
    if (at == DAL_DIMENSION_TERMS) { /* a product of so many unknowns is not followed further */
        out->lost = true;
        return;
    }
    if (at == out->n)
        out->term[out->n++] = (struct dal_dimension_term){unknown, 0};
    out->term[at].power += power;
    if (fabs(out->term[at].power) < nothing)
        out->term[at] = out->term[--out->n];
}

static void add_power(const dal_unknowns *unknowns, dal_dimension *out, const dal_dimension *a, double p, int depth)
{
    out->lost |= a->lost || depth > DEEPEST;
    for (int k = 0; k < 3; k++)
        out->base[k] += p * a->base[k];
    out->rad += p * a->rad;
    for (int i = 0; i < a->n && !out->lost; i++) {
        const dal_unknown *x = &unknowns->item[a->term[i].unknown];
        out->lost |= x->contradicted;
        if (x->known)
            add_power(unknowns, out, &x->value, p * a->term[i].power, depth + 1);
        else
            add_term(out, a->term[i].unknown, p * a->term[i].power);
    }
}

dal_dimension dal_dimension_product(const dal_unknowns *unknowns, const dal_dimension *a, double p, const dal_dimension *b, double q)
{
    dal_dimension out = {.n = 0};
    add_power(unknowns, &out, a, p, 0);
    add_power(unknowns, &out, b, q, 0);
    out.newton = a->newton || b->newton;
    return out;
}

dal_dimension dal_dimension_resolve(const dal_unknowns *unknowns, const dal_dimension *a)
{
    dal_dimension out = {.newton = a->newton, .label = a->label};
    add_power(unknowns, &out, a, 1, 0);
    return out;
}

/* ---- equations ------------------------------------------------------------------------------ */

static bool is_one(const dal_dimension *d)
{
    return !d->n && fabs(d->base[0]) < nothing && fabs(d->base[1]) < nothing && fabs(d->base[2]) < nothing;
}

/* Solved for the unknown that came last: of a number, if there is one. x - z^2/5 says nothing about z: the 5 may have any unit. */
bool dal_dimension_equate(dal_unknowns *unknowns, const dal_dimension *a, const dal_dimension *b)
{
    dal_dimension d = dal_dimension_product(unknowns, a, 1, b, -1);
    if (d.lost || is_one(&d))
        return true;
    if (!d.n)
        return false;
    int last = 0;
    for (int i = 1; i < d.n; i++)
        if (d.term[i].unknown > d.term[last].unknown)
            last = i;
    const struct dal_dimension_term x = d.term[last];
    d.term[last] = d.term[--d.n];
    const dal_dimension one = {.n = 0};
    unknowns->item[x.unknown].value = dal_dimension_product(unknowns, &d, -1 / x.power, &one, 1);
    unknowns->item[x.unknown].value.newton = false;
    unknowns->item[x.unknown].known = true;
    return true;
}

/* The remaining unknowns, if numbers such as 2 have the dimension 1. */
static dal_dimension without_counts(const dal_unknowns *unknowns, const dal_dimension *a)
{
    dal_dimension d = dal_dimension_resolve(unknowns, a);
    int n = 0;
    for (int i = 0; i < d.n; i++)
        if (!unknowns->item[d.term[i].unknown].count)
            d.term[n++] = d.term[i];
    d.n = n;
    return d;
}

bool dal_dimension_is_count(const dal_unknowns *unknowns, const dal_dimension *a)
{
    const dal_dimension d = without_counts(unknowns, a);
    return !d.lost && is_one(&d) && !d.label && fabs(d.rad) < nothing;
}

/* ---- names ---------------------------------------------------------------------------------- */

typedef struct symbol {
    const char *name;
    signed char base[3];
    bool newton, angle;
} symbol;

/* The first of a dimension is the one that is written. */
static const symbol symbols[] = {
    {"1", {0, 0, 0}, false, false},   {"rad", {0, 0, 0}, false, true},   {"deg", {0, 0, 0}, false, true},    {"rpm", {0, 0, -1}, false, true},
    {"m", {1, 0, 0}, false, false},   {"mm", {1, 0, 0}, false, false},   {"cm", {1, 0, 0}, false, false},    {"km", {1, 0, 0}, false, false},
    {"kg", {0, 1, 0}, false, false},  {"g", {0, 1, 0}, false, false},    {"t", {0, 1, 0}, false, false},     {"s", {0, 0, 1}, false, false},
    {"ms", {0, 0, 1}, false, false},  {"min", {0, 0, 1}, false, false},  {"h", {0, 0, 1}, false, false},     {"N", {1, 1, -2}, true, false},
    {"kN", {1, 1, -2}, true, false},  {"J", {2, 1, -2}, false, false},   {"kJ", {2, 1, -2}, false, false},   {"W", {2, 1, -3}, false, false},
    {"kW", {2, 1, -3}, false, false}, {"Pa", {-1, 1, -2}, false, false}, {"MPa", {-1, 1, -2}, false, false}, {"bar", {-1, 1, -2}, false, false},
    {"Hz", {0, 0, -1}, false, false}, {"%", {0, 0, 0}, false, false}};

static const symbol *find_symbol(const char *text, size_t length)
{
    for (size_t i = 0; i < sizeof symbols / sizeof *symbols; i++)
        if (strlen(symbols[i].name) == length && !strncmp(symbols[i].name, text, length))
            return &symbols[i];
    return NULL;
}

/* Symbols with powers, side by side; behind '/' one of them, or those in brackets, divide. */
bool dal_dimension_read(const char *unit, dal_dimension *out)
{
    int sign = 1;
    bool bracket = false;
    *out = (dal_dimension){.label = unit};
    for (const char *s = unit; *s;) {
        size_t length = strcspn(s, " */^()");
        if (*s == '/')
            sign = -1;
        bracket |= *s == '(';
        bracket &= *s != ')';
        if (!length) {
            sign = *s == ')' ? 1 : sign;
            s++;
            continue;
        }
        const symbol *known = find_symbol(s, length);
        if (!known)
            return false;
        char *end = (char *)s + length;
        const double power = sign * (*end == '^' ? strtod(end + 1, &end) : 1);
        for (int k = 0; k < 3; k++)
            out->base[k] += power * known->base[k];
        out->rad += known->angle ? power : 0;
        out->newton |= known->newton;
        if (end == s || (*end && !strchr(" */)", *end)))
            return false;
        s = end;
        sign = bracket ? sign : 1;
    }
    /* The work of a torque over an angle is its product with it: a torque is J/rad, a moment of inertia kg m^2/rad^2. */
    out->rad -= strstr(unit, "N m") || !strcmp(unit, "kg m^2/s") ? 1 : !strcmp(unit, "kg m^2") ? 2 : 0;
    return *unit != '\0';
}

static int print_power(char *text, size_t room, const char *name, double power)
{
    return fabs(power - 1) < nothing ? snprintf(text, room, "%s", name) : snprintf(text, room, "%s^%.4g", name, power);
}

/* "kg m^2/s" */
static const char *spell(dal_arena *arena, const double base[3])
{
    static const char *const names[3] = {"kg", "m", "s"};
    static const int order[3] = {1, 0, 2};
    char above[80] = "", below[80] = "";
    int n_below = 0;
    for (int i = 0; i < 3; i++) {
        const double power = base[order[i]];
        if (fabs(power) < nothing)
            continue;
        char *side = power > 0 ? above : below;
        const size_t used = strlen(side);
        print_power(side + used, sizeof above - used, dal_arena_print(arena, "%s%s", used ? " " : "", names[i]), fabs(power));
        n_below += power < 0;
    }
    return dal_arena_print(arena, !n_below ? "%s" : n_below == 1 ? "%s/%s" : "%s/(%s)", *above ? above : "1", below);
}

static bool is_base(const dal_dimension *d, double length, double mass, double time)
{
    return fabs(d->base[0] - length) < nothing && fabs(d->base[1] - mass) < nothing && fabs(d->base[2] - time) < nothing;
}

const char *dal_dimension_unit(dal_arena *arena, const dal_unknowns *unknowns, const dal_dimension *a)
{
    const dal_dimension d = without_counts(unknowns, a);
    if (d.lost || d.n)
        return "";
    if (d.label)
        return d.label;
    const bool angle = fabs(d.rad - 1) < nothing;
    if (is_base(&d, 0, 0, 0))
        return angle ? "rad" : "1";
    if (is_base(&d, 0, 0, -1))
        return angle ? "rad/s" : "1/s";
    if (is_base(&d, 0, 0, -2))
        return angle ? "rad/s^2" : "1/s^2";
    if (is_base(&d, 2, 1, -2))
        return fabs(fmod(d.rad, 2)) > 0.5 || d.newton ? "N m" : "J";
    if (is_base(&d, 0, 1, -2))
        return "N/m";
    for (size_t i = 0; i < sizeof symbols / sizeof *symbols; i++)
        if (is_base(&d, symbols[i].base[0], symbols[i].base[1], symbols[i].base[2]))
            return symbols[i].name;
    return spell(arena, d.base);
}
