/* The units of the results of operations.
 *
 *   a + b, a - b, min, max, mod, if, a < b   the same unit on both sides
 *   a b, a / b, dot, cross                   products of powers
 *   a^c, sqrt(a)                             a power, where c is a constant
 *   sin, exp, log ...                        of a number: what is inside is made one where something unknown is in it (sin(w t): w is 1/s)
 *
 * Only named quantities can clash: channels, and what is made of them. sin(t) is accepted, for a rate of 1 rad/s; so is x + sin(t), for an amplitude of 1 m.
 */
#include "compile/units.h"

#include <math.h>
#include <string.h>

static const dal_dimension one = {.n = 0};

int dal_unit_add(dal_inference *units, const dal_unit_tag *tag)
{
    *DAL_PUSH(units->arena, units->tags, units->n_tags, units->cap_tags) = *tag;
    return units->n_tags; /* its number + 1: 0 is none */
}

static const dal_unit_tag *tag_of(const dal_inference *units, const dal_value *value)
{
    static const dal_unit_tag lost = {.dimension = {.lost = true}};
    return value->unit > 0 && value->unit <= units->n_tags ? &units->tags[value->unit - 1] : &lost;
}

static const dal_dimension *dimension_of(const dal_inference *units, const dal_operation *o, int i)
{
    return &tag_of(units, &o->arguments[i])->dimension;
}

static dal_dimension labelled(double rad, const char *label)
{
    return (dal_dimension){.rad = rad, .label = label};
}

/* ---- sums ------------------------------------------------------------------------------------ */

/* The comparisons of two characters have letters: dal_apply_operator. */
static const char *sign_of(const char *name)
{
    return !strcmp(name, "l") ? "<=" : !strcmp(name, "g") ? ">=" : !strcmp(name, "=") ? "==" : !strcmp(name, "!") ? "!=" : name;
}

static void report(dal_inference *units, const dal_operation *o, const dal_dimension *a, const dal_dimension *b)
{
    dal_arena *arena = units->arena;
    const char *first = dal_dimension_unit(arena, &units->unknowns, a), *second = dal_dimension_unit(arena, &units->unknowns, b);
    if (!units->alone || units->reported)
        return;
    units->reported = true;
    const char *what = !*first || !*second          ? dal_arena_print(arena, "the two sides of '%s' are different quantities", sign_of(o->name))
                       : strchr("<>=!lg", *o->name) ? dal_arena_print(arena, "a quantity in %s is compared with one in %s", first, second)
                       : *o->name == '+'            ? dal_arena_print(arena, "a quantity in %s is added to one in %s", second, first)
                       : *o->name == '-'            ? dal_arena_print(arena, "a quantity in %s is subtracted from one in %s", second, first)
                                                    : dal_arena_print(arena, "'%s' is given quantities in %s and in %s", o->name, first, second);
    dal_warn(units->build->messages, o->mark, DAL_CODE_UNITS, NAN, "%s", what);
}

/* Names that were used with two dimensions have none from here on. */
static void contradict(dal_inference *units, const dal_dimension *a)
{
    for (int i = 0; i < a->n; i++)
        units->unknowns.item[a->term[i].unknown].contradicted = true;
}

static const char *common_label(const dal_dimension *a, const dal_dimension *b)
{
    return !a->label ? b->label : !b->label || !strcmp(a->label, b->label) ? a->label : NULL;
}

static dal_dimension same(dal_inference *units, const dal_operation *o, int i, int k)
{
    const dal_dimension a = *dimension_of(units, o, i), b = *dimension_of(units, o, k);
    if (!dal_dimension_equate(&units->unknowns, &a, &b)) {
        const bool named[2] = {tag_of(units, &o->arguments[i])->named, tag_of(units, &o->arguments[k])->named};
        if (!named[0] || !named[1]) /* x + sin(t): a number in front is missing */
            return named[0] ? a : named[1] ? b : (dal_dimension){.lost = true};
        report(units, o, &a, &b);
        if (!units->alone) {
            contradict(units, &a);
            contradict(units, &b);
        }
        return (dal_dimension){.lost = true};
    }
    dal_dimension result = dal_dimension_resolve(&units->unknowns, b.label && !a.label ? &b : &a);
    result.label = common_label(&a, &b);
    return result;
}

static dal_dimension all_the_same(dal_inference *units, const dal_operation *o, int first)
{
    dal_dimension result = *dimension_of(units, o, first);
    for (int i = first + 1; i < o->n && !result.lost; i++)
        result = same(units, o, first, i);
    return result;
}

/* Made so, if it can be. */
static void prefer(dal_inference *units, const dal_dimension *a, const dal_dimension *b)
{
    (void)dal_dimension_equate(&units->unknowns, a, b);
}

/* ---- products -------------------------------------------------------------------------------- */

static dal_dimension product(dal_inference *units, const dal_operation *o)
{
    const dal_unit_tag *a = tag_of(units, &o->arguments[0]), *b = tag_of(units, &o->arguments[1]);
    if ((a->number && b->degree) || (a->degree && b->number))
        return labelled(1, "rad");
    dal_dimension result = dal_dimension_product(&units->unknowns, &a->dimension, 1, &b->dimension, 1);
    result.label = dal_dimension_is_count(&units->unknowns, &a->dimension)   ? b->dimension.label
                   : dal_dimension_is_count(&units->unknowns, &b->dimension) ? a->dimension.label
                                                                             : NULL;
    return result;
}

/* x/deg is an angle in degrees. */
static dal_dimension quotient(dal_inference *units, const dal_operation *o)
{
    static const char *const angles[][2] = {{"rad", "deg"}, {"rad/s", "deg/s"}, {"rad/s^2", "deg/s^2"}};
    const dal_unit_tag *a = tag_of(units, &o->arguments[0]), *b = tag_of(units, &o->arguments[1]);
    dal_dimension result = dal_dimension_product(&units->unknowns, &a->dimension, 1, &b->dimension, -1);
    if (b->degree) {
        const char *unit = dal_dimension_unit(units->arena, &units->unknowns, &a->dimension);
        for (size_t i = 0; i < sizeof angles / sizeof *angles; i++)
            if (!strcmp(unit, angles[i][0]))
                result.label = angles[i][1];
    } else if (dal_dimension_is_count(&units->unknowns, &b->dimension)) {
        result.label = a->dimension.label;
    }
    return result;
}

static dal_dimension power(dal_inference *units, const dal_dimension *a, double exponent)
{
    return exponent == 1 ? *a : dal_dimension_product(&units->unknowns, a, exponent, &one, 1);
}

static dal_dimension raised(dal_inference *units, const dal_operation *o)
{
    double exponent;
    const dal_dimension *a = dimension_of(units, o, 0);
    if (dal_is_const(units->graph, o->arguments[1].node[0], &exponent))
        return power(units, a, exponent);
    return dal_dimension_is_count(&units->unknowns, a) ? one : (dal_dimension){.lost = true};
}

/* ---- numbers and functions ------------------------------------------------------------------- */

/* Whole numbers up to 9 and 1/2 count something. Others may well be 1000 mm/m. */
static dal_unit_tag number(dal_inference *units, const dal_operation *o)
{
    double value = NAN;
    dal_is_const(units->graph, o->result, &value);
    const bool count = (value == floor(value) && value <= 9) || value == 0.5;
    return (dal_unit_tag){.dimension = dal_dimension_unknown(&units->unknowns, count), .number = true};
}

static dal_dimension looked_up(dal_inference *units, const dal_operation *o)
{
    double order = 0;
    prefer(units, dimension_of(units, o, 1), &units->table_x[o->table]);
    if (o->n > 2)
        dal_is_const(units->graph, o->arguments[2].node[0], &order);
    return dal_dimension_product(&units->unknowns, &units->table_y[o->table], 1, &units->table_x[o->table], -order);
}

static bool is(const dal_operation *o, const char *names)
{
    for (size_t n; *names; names += n + (names[n] == ' ')) {
        n = strcspn(names, " ");
        if (strlen(o->name) == n && !strncmp(names, o->name, n))
            return true;
    }
    return false;
}

static dal_dimension of_function(dal_inference *units, const dal_operation *o)
{
    const bool inverse = is(o, "asin acos atan");
    if (inverse || is(o, "sin cos tan sinh cosh tanh exp log")) {
        prefer(units, dimension_of(units, o, 0), &one);
        return inverse ? labelled(1, "rad") : one;
    }
    if (is(o, "atan2")) {
        all_the_same(units, o, 0);
        return labelled(1, "rad");
    }
    if (is(o, "min max mod"))
        return all_the_same(units, o, 0);
    if (is(o, "if"))
        return all_the_same(units, o, 1);
    if (is(o, "abs floor norm"))
        return *dimension_of(units, o, 0);
    if (is(o, "sqrt"))
        return power(units, dimension_of(units, o, 0), 0.5);
    if (is(o, "dot cross"))
        return product(units, o);
    if (is(o, "interp"))
        return looked_up(units, o);
    return one; /* sign */
}

static dal_dimension of_vector(dal_inference *units, const dal_operation *o)
{
    for (int i = 1; i < o->n; i++)
        prefer(units, dimension_of(units, o, 0), dimension_of(units, o, i));
    return *dimension_of(units, o, 0);
}

int dal_unit_rule(void *user, const dal_operation *o)
{
    dal_inference *units = user;
    dal_unit_tag tag = {.number = false};
    if (!strcmp(o->name, "number"))
        tag = number(units, o);
    else if (!strcmp(o->name, "pi"))
        tag.dimension = dal_dimension_unknown(&units->unknowns, true);
    else if (!strcmp(o->name, "deg"))
        tag.degree = true;
    else if (o->name[1])
        tag.dimension = of_function(units, o);
    else if (*o->name == '[')
        tag.dimension = of_vector(units, o);
    else if (*o->name == '+' || *o->name == '-')
        tag.dimension = same(units, o, 0, 1);
    else if (*o->name == '*')
        tag.dimension = product(units, o);
    else if (*o->name == '/')
        tag.dimension = quotient(units, o);
    else if (*o->name == '^')
        tag.dimension = raised(units, o);
    else
        same(units, o, 0, 1); /* a comparison: 1 or 0 */
    for (int i = 0; i < o->n && !is(o, "sin cos tan sinh cosh tanh exp log sign < > = ! l g"); i++)
        tag.named |= tag_of(units, &o->arguments[i])->named;
    return dal_unit_add(units, &tag);
}
