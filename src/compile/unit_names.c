/* Units of names: channels have those of the table of channels; all others are unknown until an equation determines them. */
#include "compile/channels.h"
#include "compile/units.h"

#include <stdio.h>
#include <string.h>

static const dal_dimension second = {.base = {0, 0, 1}};

dal_dimension dal_unit_of_name(dal_inference *units, int kind, int index)
{
    dal_unit_name *name = &units->names[kind][index];
    int *slot = units->alone ? &name->here : &name->whole;
    if (units->alone && name->stamp != units->stamp) {
        name->here = 0;
        name->stamp = units->stamp;
    }
    if (!*slot) {
        dal_dimension_unknown(&units->unknowns, false);
        *slot = units->unknowns.n;
    }
    return (dal_dimension){.n = 1, .term = {{*slot - 1, 1}}};
}

/* ---- channels --------------------------------------------------------------------------------- */

/* "m or rad": the first, or the second where an angle is meant. */
static const char *alternative(dal_arena *arena, const char *unit, bool angular)
{
    const char * or = strstr(unit, " or ");
    return ! or ? unit : angular ? or +4 : dal_arena_print(arena, "%.*s", (int)(or -unit), unit);
}

/* The channel that a path (".position.x") names; n: how many components it has. */
static const char *unit_of_channel(const dal_inference *units, const char *of, const char *path, bool angular, int *n)
{
    const int space = (int)units->build->spec->space;
    for (const dal_channel *c = dal_channels; c->of; c++) {
        const size_t length = strlen(c->name);
        const char *rest = path + length;
        if (strcmp(c->of, of) || strncmp(path, c->name, length) || !(c->spaces & (space == 2 ? DAL_IN_PLANE : DAL_IN_SPACE)))
            continue;
        const bool component = c->flags & DAL_CHANNEL_VECTOR && rest[0] == '.' && rest[1] >= 'x' && rest[1] <= 'z' && !rest[2];
        if (*rest && !component)
            continue;
        *n = c->flags & DAL_CHANNEL_VECTOR && !component ? space : 1;
        return alternative(units->arena, c->unit, angular);
    }
    return NULL;
}

static const char *unit_of_body(dal_inference *units, int body, const char *path, int *n)
{
    const dal_points *points = &units->build->spec->bodies[body].points;
    for (int i = 0; i < points->n; i++) {
        const size_t length = strlen(points->item[i].name.text);
        if (!strncmp(path, points->item[i].name.text, length) && path[length] == '.')
            return unit_of_channel(units, "point", path + length + 1, false, n);
    }
    return unit_of_channel(units, "body", path, false, n);
}

static bool is_angle(const dal_inference *units, int measure)
{
    return measure >= 0 && units->build->mechanism.measures[measure].kind == DAL_MEASURE_ANGLE;
}

static const char *unit_of_joint(dal_inference *units, int joint, const char *path, int *n)
{
    const dal_build *build = units->build;
    const dal_joint *j = &build->mechanism.joints[joint];
    if (!j->type)
        return NULL;
    for (int k = 0; k < j->n_coordinates; k++) {
        const char *name = dal_joint_coordinate_name(j, build->spec->space, k);
        if (name && (!strcmp(path, name) || (!*path && j->n_coordinates == 1)))
            return is_angle(units, j->coordinate[k]) ? "rad" : "m";
    }
    const bool rubs = !strncmp(path, "friction", 8),
               angular = rubs ? j->type->slides != DAL_SLIDES_ALONG : j->drive >= 0 && build->mechanism.rows[j->drive].angular;
    if (rubs && !path[8] && j->type->slides == DAL_SLIDES_ANY_WAY) {
        *n = 3;
        return "N m";
    }
    if (strchr("MNPQ", *path) && path[0] && path[1] == '.')
        path += 2;
    return unit_of_channel(units, "joint", path, angular, n);
}

static const char *unit_of_ground(dal_inference *units, const char *path, int *n)
{
    const char *dot = strrchr(path, '.');
    const size_t words = dot ? strcspn(path, ".") : 0;
    for (const char *rest = path + words; dot && rest && rest[0]; rest = strchr(rest + 1, '.')) {
        const char *unit = unit_of_channel(units, "point", rest + 1, false, n);
        if (unit)
            return unit;
    }
    return NULL;
}

/* The power of a constraint over the rate of its expression. */
static bool multiplier(dal_inference *units, int index, dal_dimension *out)
{
    const dal_constraint_spec *c = &units->build->spec->constraints[index];
    const bool velocity = c->velocity.text;
    const dal_dimension power = {.base = {2, 1, velocity ? -3 : -2}};
    dal_dimension own;
    int n;
    if (!dal_unit_of_text(units, c->binding, velocity ? c->velocity : c->position, &own, &n))
        return false;
    *out = dal_dimension_product(&units->unknowns, &power, 1, &own, -1);
    return true;
}

/* ---- names ------------------------------------------------------------------------------------- */

static bool of_define(dal_inference *units, int index, dal_dimension *out, int *n)
{
    enum { DEEPEST = 60 };
    dal_unit_define *d = &units->defines[units->alone][index];
    const dal_pair *pair = &units->build->spec->define[index];
    if (d->progress == DAL_UNIT_OPEN || units->depth > DEEPEST)
        return false;
    if (d->progress == DAL_UNIT_UNSEEN) {
        const bool reported = units->reported;
        units->reported = true; /* it is read by itself, too */
        d->progress = DAL_UNIT_OPEN;
        if (!dal_unit_of_text(units, pair->binding, pair->value, &d->dimension, &d->n)) {
            d->dimension = (dal_dimension){.lost = true};
            d->n = 0;
        }
        d->progress = DAL_UNIT_KNOWN;
        units->reported = reported;
        /* By itself: what does not follow from channels may be anything. */
        if (units->alone && !*dal_dimension_unit(units->arena, &units->unknowns, &d->dimension))
            d->dimension = (dal_dimension){.lost = true};
    }
    *out = dal_dimension_resolve(&units->unknowns, &d->dimension);
    if (units->alone && out->lost)
        *out = dal_dimension_unknown(&units->unknowns, false);
    *n = d->n;
    return d->n > 0;
}

static bool of_symbol(dal_inference *units, const dal_symbol *symbol, const char *path, dal_dimension *out, int *n)
{
    const char *unit = NULL;
    switch (symbol->kind) {
    case DAL_SYMBOL_PARAMETER:
    case DAL_SYMBOL_INPUT:
    case DAL_SYMBOL_STATE:
    case DAL_SYMBOL_COORDINATE:
    case DAL_SYMBOL_SPEED: *out = dal_unit_of_name(units, (int)symbol->kind, symbol->index); return true;
    case DAL_SYMBOL_DEFINE: return of_define(units, symbol->index, out, n);
    case DAL_SYMBOL_CONSTRAINT: return multiplier(units, symbol->index, out);
    case DAL_SYMBOL_BODY: unit = unit_of_body(units, symbol->index, path, n); break;
    case DAL_SYMBOL_JOINT: unit = unit_of_joint(units, symbol->index, path, n); break;
    case DAL_SYMBOL_FORCE: unit = unit_of_channel(units, "force", path, is_angle(units, units->build->forces[symbol->index].measure), n); break;
    case DAL_SYMBOL_GROUND: unit = unit_of_ground(units, path, n); break;
    case DAL_SYMBOL_NONE: break;
    }
    return unit && dal_dimension_read(unit, out);
}

/* Each prime divides by s. */
static void divide_by_time(dal_inference *units, dal_dimension *d, int primes)
{
    static const char *const rates[][2] = {{"m", "m/s"}, {"m/s", "m/s^2"}, {"rad", "rad/s"}, {"rad/s", "rad/s^2"}, {"1", "1/s"}, {"J", "W"}};
    for (int p = 0; p < primes; p++) {
        const char *label = NULL;
        for (size_t i = 0; i < sizeof rates / sizeof *rates && d->label; i++)
            if (!strcmp(d->label, rates[i][0]))
                label = rates[i][1];
        *d = dal_dimension_product(&units->unknowns, d, 1, &second, -1);
        d->label = label;
    }
}

static bool find_unit_of_name(dal_inference *units, const char *name, dal_dimension *out, int *n, double *number)
{
    dal_build *build = units->build;
    const char *rest;
    for (const dal_binding *b = build->binding; b; b = b->outer)
        if (!strcmp(b->name, name)) {
            *out = dal_dimension_unknown(&units->unknowns, true);
            *number = b->value;
            return true;
        }
    if (!strcmp(name, "t"))
        return dal_dimension_read("s", out);
    if (!strncmp(name, "ground.", 7)) {
        const char *unit = unit_of_ground(units, name + 7, n);
        return unit && dal_dimension_read(unit, out);
    }
    const dal_symbol *symbol = dal_symbol_inside(build, name, &rest);
    if (symbol) {
        if (symbol->kind == DAL_SYMBOL_PARAMETER)
            *number = build->spec->parameters[symbol->index].number;
        return of_symbol(units, symbol, *rest ? rest + 1 : rest, out, n);
    }
    const char *unit = unit_of_channel(units, "model", name, false, n);
    return unit && dal_dimension_read(unit, out);
}

bool dal_unit_resolve(void *user, const char *name, int primes, dal_mark mark, dal_value *value, const char **hint)
{
    dal_inference *units = user;
    dal_unit_tag tag = {.number = false};
    double number = NAN;
    int n = 1;
    (void)mark, (void)hint;
    if (!find_unit_of_name(units, name, &tag.dimension, &n, &number))
        return false;
    divide_by_time(units, &tag.dimension, primes);
    tag.named = !tag.dimension.n && !tag.dimension.lost;
    const dal_node node = number == number && !primes ? dal_const(units->graph, number) : dal_var(units->graph, 0);
    *value = (dal_value){n, {node, node, node}, dal_unit_add(units, &tag)};
    return true;
}
