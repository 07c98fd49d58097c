/* `sensors:` measured signals, as named expressions; with a lag also a state.
 *
 *   value    what is measured: a channel, or the distance of two points
 *   lag      T y' + y = value, from `start`
 *   range    max(lowest, min(highest, .)) of it: the output
 */
#include "spec/blocks.h"

#include <string.h>

/* The channel that a sensor of one type reads from each kind of element; NULL: it cannot be on that kind. %s is the element, @ the component
 * behind a dot (nothing where none is given), # the coordinate. A vector of the plane has no third component. */
typedef struct sensor_type {
    const char *name;
    const char *joint, *body, *connect, *force;
    bool known_late;                          /* after the forces: for records only */
    const char *body_spatial, *joint_spatial; /* where they differ */
} sensor_type;

static const sensor_type types[] = {
    {.name = "distance", .joint = "%s#", .connect = "norm(%s.to - %s.from)"},
    {.name = "angle", .joint = "%s#", .body = "%s.angle"},
    {.name = "position", .body = "%s.position@"},
    {.name = "velocity", .body = "%s.velocity@"},
    {.name = "angular-velocity", .body = "%s.omega", .body_spatial = "%s.omega.body@"},
    {.name = "acceleration", .body = "%s.acceleration@", .known_late = true},
    {.name = "force", .joint = "%s.force@", .force = "%s.force", .known_late = true},
    {.name = "torque", .joint = "%s.torque", .joint_spatial = "%s.torque@", .force = "%s.torque", .known_late = true},
    {.name = "power", .joint = "%s.drive.power", .force = "%s.power", .known_late = true},
};

static const sensor_type *find_type(const char *name)
{
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        if (!strcmp(types[i].name, name))
            return &types[i];
    return NULL;
}

/* The pattern with all values inserted. The element comes first, so that a message about it points at it. */
static dal_text fill_pattern(dal_reader *reader, const dal_sensor_keys *keys, const char *pattern, dal_text element)
{
    const char *text = "";
    for (; *pattern; pattern++) {
        if (pattern[0] == '%' && pattern[1] == 's')
            text = dal_arena_print(reader->keep, "%s%s", text, element.text), pattern++;
        else if (*pattern == '@' && keys->component.text)
            text = dal_arena_print(reader->keep, "%s.%s", text, keys->component.text);
        else if (*pattern == '#')
            text = dal_arena_print(reader->keep, "%s.%s", text, keys->coordinate.text ? keys->coordinate.text : keys->type.text);
        else if (*pattern != '@')
            text = dal_arena_print(reader->keep, "%s%c", text, *pattern);
    }
    return (dal_text){.text = text, .mark = element.mark};
}

/* Which of joint, body, connect and force is given: sets the pattern and the element. NULL after an error. */
static const char *find_place(dal_reader *reader, const sensor_type *type, const dal_sensor_keys *keys, const dal_tree *tree, dal_text *element)
{
    const bool spatial = reader->spec->space == DAL_SPATIAL;
    const struct {
        const char *key, *pattern;
        dal_text text;
    } place[] = {
        {"joint", spatial && type->joint_spatial ? type->joint_spatial : type->joint, keys->joint},
        {"body", spatial && type->body_spatial ? type->body_spatial : type->body, keys->body},
        {"connect", type->connect, keys->connect.n ? keys->connect.item[0] : (dal_text){0}},
        {"force", type->force, keys->force},
    };
    const char *pattern = NULL, *ways = "";
    int given = 0;
    for (int i = 0; i < 4; i++) {
        if (place[i].pattern)
            ways = dal_arena_print(reader->scratch, "%s%s'%s'", ways, *ways ? " or " : "", place[i].key);
        given += place[i].text.text != NULL;
        if (place[i].text.text) {
            pattern = place[i].pattern;
            *element = place[i].text;
        }
    }
    if (given == 1 && pattern)
        return pattern;
    dal_complain(reader->messages, given == 1 ? element->mark : tree->key_mark, "%s measures %s: it is put on %s; %s", reader->what, type->name, ways,
                 given == 1 ? "another element is named"
                 : given    ? "one of them is named"
                            : "none is named");
    return NULL;
}

/* Keys that the pattern does not use must be absent. */
static bool check_parts(dal_reader *reader, const dal_sensor_keys *keys, const char *pattern)
{
    const dal_mark shaped = keys->lag.text ? keys->lag.mark : keys->range.mark;
    if (strchr(pattern, '@') && !keys->component.text && (keys->lag.text || keys->range.n)) {
        dal_complain(reader->messages, shaped, "%s measures a vector: a lag or a range needs one 'component' of it", reader->what);
        return false;
    }
    const dal_text *extra = keys->component.text && !strchr(pattern, '@')    ? &keys->component
                            : keys->coordinate.text && !strchr(pattern, '#') ? &keys->coordinate
                                                                             : NULL;
    if (extra)
        dal_complain(reader->messages, extra->mark, "%s measures one number there: it has no '%s'", reader->what,
                     extra == &keys->component ? "component" : "coordinate");
    return !extra;
}

/* The ends of a distance get their own names. */
static bool add_ends(dal_reader *reader, const dal_sensor_keys *keys, const char *name, dal_text *value)
{
    for (int i = 0; i < 2; i++) {
        const dal_text *point = &keys->connect.item[i];
        if (!strcmp(point->text, "ground")) {
            dal_complain(reader->messages, point->mark, "%s: name a point of the ground, as in ground.A", reader->what);
            return false;
        }
        dal_add_part(reader, name, i ? "to" : "from", dal_made_text(reader, point->mark, "%s.position", point->text));
    }
    *value = dal_made_text(reader, keys->connect.mark, "norm(%s.to - %s.from)", name, name);
    return true;
}

typedef struct shaping {
    double lag, start, range[2];
} shaping;

static bool read_shaping(dal_reader *reader, const sensor_type *type, const dal_sensor_keys *keys, shaping *s)
{
    *s = (shaping){0};
    if (!dal_read_constant(reader, &keys->lag, &s->lag) || !dal_read_constant(reader, &keys->start, &s->start) ||
        (keys->range.n && !dal_read_limits(reader, &keys->range, "range", s->range)))
        return false;
    const dal_text *fault = NULL;
    const char *why = "";
    if (keys->lag.text && type->known_late)
        fault = &keys->lag, why = "cannot have a lag: what it measures is known after the forces only, and can be "
                                  "recorded, but states cannot use it";
    else if (keys->lag.text && !(s->lag > 0))
        fault = &keys->lag, why = "needs a positive lag";
    else if (keys->start.text && !keys->lag.text)
        fault = &keys->start, why = "has a 'start', which belongs to a lag";
    if (fault)
        dal_complain(reader->messages, fault->mark, "%s %s", reader->what, why);
    return !fault;
}

void dal_make_sensor(dal_reader *reader, const dal_tree *tree, const char *name)
{
    dal_sensor_keys keys = {0};
    dal_text element = {0};
    shaping s;
    const int errors = dal_messages_count(reader->messages, DAL_ERROR);
    dal_read_keys(reader, dal_keys_sensor, tree, &keys, reader->what);
    if (!keys.type.text || dal_messages_count(reader->messages, DAL_ERROR) > errors)
        return;
    const sensor_type *type = find_type(keys.type.text);
    const char *pattern = type ? find_place(reader, type, &keys, tree, &element) : NULL;
    if (!pattern || !check_parts(reader, &keys, pattern) || !read_shaping(reader, type, &keys, &s))
        return;
    dal_text output = fill_pattern(reader, &keys, pattern, element);
    if (keys.connect.n && !add_ends(reader, &keys, name, &output))
        return;
    if (keys.lag.text || keys.range.n) {
        dal_add_part(reader, name, "value", output);
        output = dal_made_text(reader, element.mark, "%s.value", name);
    }
    if (keys.lag.text) {
        dal_add_part_state(reader, name, "lag", s.start, dal_made_text(reader, element.mark, "(%s.value - %s.lag)/(%.17g)", name, name, s.lag));
        output = dal_made_text(reader, element.mark, "%s.lag", name);
    }
    if (keys.range.n)
        output = dal_made_text(reader, element.mark, "max(%.17g, min(%.17g, %s))", s.range[0], s.range[1], output.text);
    dal_add_part(reader, name, NULL, output);
}
