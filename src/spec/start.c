/* Shapes with parts: start values, inertia, attitude, points. */
#include "spec/reader.h"

#include <string.h>

/* {value: X, fix: true}: reads the map and returns the node of X. */
static const dal_tree *open_value(dal_reader *reader, const dal_tree *tree, bool *fix)
{
    if (tree->bad || tree->kind != DAL_MAP)
        return tree;
    dal_value_trees part = {0};
    dal_read_keys(reader, dal_keys_value, tree, &part, dal_label(reader));
    *fix = part.fix;
    return part.value;
}

void dal_read_start(dal_reader *reader, const dal_tree *tree, void *field)
{
    dal_text *text = field;
    const dal_tree *value = open_value(reader, tree, &text->fix);
    if (value)
        dal_read_expression(reader, value, text);
}

void dal_read_start_vector(dal_reader *reader, const dal_tree *tree, void *field)
{
    dal_list *list = field;
    const dal_tree *value = open_value(reader, tree, &list->fix);
    if (value)
        dal_read_vector(reader, value, list);
}

/* World axes, or {body: [...]}. */
void dal_read_velocity(dal_reader *reader, const dal_tree *tree, void *field)
{
    dal_list *list = field;
    if (tree->bad || tree->kind != DAL_MAP) {
        dal_read_vector(reader, tree, list);
        return;
    }
    dal_value_trees part = {0};
    dal_read_keys(reader, dal_keys_velocity, tree, &part, dal_label(reader));
    if (!part.value == !part.body) {
        dal_complain(reader->messages, tree->mark, "%s needs either 'value' (world axes) or 'body' (body axes); %s given", dal_label(reader),
                     part.value ? "both are" : "none is");
        return;
    }
    list->fix = part.fix;
    list->body_axes = part.body != NULL;
    dal_read_vector(reader, part.value ? part.value : part.body, list);
}

static void read_map(dal_reader *reader, const dal_tree *tree, const char *such_as, const dal_key *keys, void *fields, dal_mark *mark)
{
    if (!dal_needs_map(reader, tree, such_as))
        return;
    *mark = tree->mark;
    dal_read_keys(reader, keys, tree, fields, dal_label(reader));
}

void dal_read_joint_start(dal_reader *reader, const dal_tree *tree, void *field)
{
    dal_start_spec *start = field;
    read_map(reader, tree, "{angle: 0.3, rate: 0}", dal_keys_start, start, &start->mark);
    if (start->angle.text && start->distance.text)
        dal_complain(reader->messages, start->distance.mark, "%s gives both 'angle' and 'distance': a joint has one", dal_label(reader));
    if (start->within.text && !start->angle.text && !start->distance.text)
        dal_complain(reader->messages, start->within.mark, "%s gives 'within' and nothing to stay near: give 'angle' or 'distance'",
                     dal_label(reader));
}

void dal_read_friction(dal_reader *reader, const dal_tree *tree, void *field)
{
    dal_friction_spec *friction = field;
    read_map(reader, tree, "{coefficient: 0.2, radius: 0.01}", dal_keys_friction, friction, &friction->mark);
}

static void read_pairs(dal_reader *reader, const dal_tree *tree, const char *such_as, dal_law_spec *law)
{
    if (!dal_needs_map(reader, tree, such_as))
        return;
    law->item = DAL_NEW(reader->keep, dal_pair, tree->n);
    const char *key = reader->key;
    for (const dal_tree *child = tree->first; child; child = child->next) {
        dal_pair *pair = &law->item[law->n++];
        pair->name = (dal_text){.text = child->key, .mark = child->key_mark};
        pair->binding = reader->binding;
        reader->key = child->key;
        dal_read_expression(reader, child, &pair->value);
    }
    reader->key = key;
}

void dal_read_law(dal_reader *reader, const dal_tree *tree, void *field)
{
    read_pairs(reader, tree, "{angle: -0.2*A.angle'}", field);
}

/* Names that are used in expressions. */
void dal_read_values(dal_reader *reader, const dal_tree *tree, void *field)
{
    dal_law_spec *values = field;
    read_pairs(reader, tree, "{r: 0.2}", values);
    for (int i = 0; i < values->n; i++) {
        const char *fault = dal_name_fault(reader->scratch, values->item[i].name.text);
        if (fault)
            dal_complain(reader->messages, values->item[i].name.mark, "'%.100s' cannot be a name in %s: %s", values->item[i].name.text,
                         dal_label(reader), fault);
    }
}

/* ---- inertia ------------------------------------------------------------------ */

static void read_named_inertia(dal_reader *reader, const dal_tree *tree, dal_list *list)
{
    static const char *const names[6] = {"xx", "yy", "zz", "xy", "xz", "yz"};
    dal_inertia_trees part = {0};
    dal_read_keys(reader, dal_keys_inertia, tree, &part, dal_label(reader));
    list->item = DAL_NEW(reader->keep, dal_text, 6);
    list->mark = tree->mark;
    list->n = 6;
    dal_scope outer = dal_descend(reader, NULL);
    for (int i = 0; i < 6; i++) {
        reader->key = names[i];
        list->item[i] = (dal_text){.text = "0", .mark = tree->mark};
        if (part.entry[i])
            dal_read_expression(reader, part.entry[i], &list->item[i]);
    }
    dal_ascend(reader, outer);
}

void dal_read_inertia(dal_reader *reader, const dal_tree *tree, void *field)
{
    dal_list *list = field;
    dal_space space = reader->spec->space;
    if (tree->bad)
        return;
    if (tree->kind == DAL_MAP && space != DAL_PLANAR) {
        read_named_inertia(reader, tree, list);
    } else if (space == DAL_PLANAR ? tree->kind == DAL_MAP || (tree->kind == DAL_SEQUENCE && tree->n != 1)
                                   : space == DAL_SPATIAL && (tree->kind != DAL_SEQUENCE || (tree->n != 3 && tree->n != 6))) {
        dal_complain(reader->messages, tree->mark,
                     space == DAL_PLANAR ? "%s: one number is needed in a planar model; %s was found"
                                         : "%s: 3 numbers, 6 numbers or {xx: , yy: , zz: } are needed in a spatial model; %s was found",
                     dal_label(reader),
                     tree->kind == DAL_SEQUENCE ? dal_arena_print(reader->scratch, "a list of %d", tree->n) : dal_tree_found(reader->scratch, tree));
    } else if (tree->kind == DAL_SEQUENCE) {
        dal_read_list(reader, tree, 0, list);
    } else {
        list->item = DAL_NEW(reader->keep, dal_text, 1);
        list->mark = tree->mark;
        list->n = 1;
        dal_read_expression(reader, tree, &list->item[0]);
    }
}

/* ---- attitude ------------------------------------------------------------------ */

/* The directions x, y, z of a map, in the order of the file: the first is exact. Returns how many there are. */
static int read_directions(dal_reader *reader, const dal_tree *map, dal_orientation *orientation)
{
    dal_list extra = {0};
    int n = 0;
    dal_scope outer = dal_descend(reader, NULL);
    for (const dal_tree *child = map->first; child; child = child->next) {
        if (strlen(child->key) != 1 || !strchr("xyz", *child->key))
            continue;
        reader->key = child->key;
        if (n < 2)
            orientation->letters[n] = *child->key;
        dal_read_vector(reader, child, n == 0 ? &orientation->first : n == 1 ? &orientation->second : &extra);
        n++;
    }
    dal_ascend(reader, outer);
    orientation->kind = DAL_ATTITUDE_AXES;
    orientation->mark = map->mark;
    return n;
}

static void read_quaternion(dal_reader *reader, const dal_tree *tree, dal_list *list)
{
    if (!dal_needs_map(reader, tree, "{w: 1, x: 0, y: 0, z: 0}"))
        return;
    dal_quaternion_trees part = {0};
    dal_read_keys(reader, dal_keys_quaternion, tree, &part, dal_label(reader));
    const dal_tree *const component[4] = {part.w, part.x, part.y, part.z};
    list->item = DAL_NEW(reader->keep, dal_text, 4);
    list->mark = tree->mark;
    list->n = 4;
    for (int i = 0; i < 4; i++)
        if (component[i])
            dal_read_expression(reader, component[i], &list->item[i]);
}

static void read_axis_angle(dal_reader *reader, const dal_orientation_trees *part, dal_orientation *orientation)
{
    orientation->kind = DAL_ATTITUDE_AXIS;
    reader->key = "axis";
    dal_read_vector(reader, part->axis, &orientation->first);
    reader->key = "angle";
    orientation->second.item = DAL_NEW(reader->keep, dal_text, 1);
    orientation->second.n = 1;
    orientation->second.mark = part->angle->mark;
    dal_read_expression(reader, part->angle, &orientation->second.item[0]);
}

static void read_angles(dal_reader *reader, const dal_tree *tree, dal_attitude kind, dal_orientation *orientation)
{
    orientation->kind = kind;
    reader->key = tree->key;
    if (kind == DAL_ATTITUDE_EULER)
        memcpy(orientation->letters, tree->key + strlen("euler-"), 3);
    dal_read_list(reader, tree, 3, &orientation->first);
}

/* Which of the ways is given; exactly one must be. */
void dal_read_orientation(dal_reader *reader, const dal_tree *tree, void *field)
{
    dal_orientation *orientation = field;
    if (!dal_needs_map(reader, tree, "{euler-zyx: [0, 0, 0]}"))
        return;
    dal_orientation_trees part = {0};
    int errors = dal_messages_count(reader->messages, DAL_ERROR);
    dal_read_keys(reader, dal_keys_orientation, tree, &part, dal_label(reader));
    if (dal_messages_count(reader->messages, DAL_ERROR) > errors)
        return;
    const dal_tree *euler = NULL;
    int directions = 0, ways = part.quaternion != NULL;
    for (int i = 0; i < 12; i++) {
        euler = part.euler[i] ? part.euler[i] : euler;
        ways += part.euler[i] != NULL;
    }
    for (int i = 0; i < 3; i++)
        directions += part.direction[i] != NULL;
    ways += (part.rpy != NULL) + (part.axis || part.angle) + (directions > 0);
    bool whole = !part.axis == !part.angle && (directions == 0 || directions == 2);
    if (ways != 1 || !whole) {
        dal_complain(reader->messages, tree->mark, "%s needs one of quaternion, axis with angle, euler-..., rpy, or two of x, y, z; %s given",
                     dal_label(reader),
                     ways > 1 || directions > 2 ? "more is"
                     : ways                     ? "a part of one is"
                                                : "none is");
        return;
    }
    dal_scope outer = dal_descend(reader, NULL);
    if (part.quaternion) {
        orientation->kind = DAL_ATTITUDE_QUATERNION;
        reader->key = "quaternion";
        read_quaternion(reader, part.quaternion, &orientation->first);
    } else if (part.axis) {
        read_axis_angle(reader, &part, orientation);
    } else if (euler) {
        read_angles(reader, euler, DAL_ATTITUDE_EULER, orientation);
    } else if (part.rpy) {
        read_angles(reader, part.rpy, DAL_ATTITUDE_RPY, orientation);
    }
    dal_ascend(reader, outer);
    if (directions)
        read_directions(reader, tree, orientation);
    orientation->mark = tree->mark;
    orientation->fix = part.fix;
}

/* ---- points --------------------------------------------------------------------- */

/* {at: [...], x: [...], z: [...]} */
static void read_framed_point(dal_reader *reader, const dal_tree *tree, dal_point_spec *point)
{
    dal_point_trees part = {0};
    dal_read_keys(reader, dal_keys_point, tree, &part, dal_label(reader));
    if (part.at) {
        dal_scope outer = dal_descend(reader, "at");
        dal_read_vector(reader, part.at, &point->at);
        dal_ascend(reader, outer);
    }
    if (!part.direction[0] && !part.direction[1] && !part.direction[2])
        return;
    int most = reader->spec->space == DAL_PLANAR ? 1 : 2;
    if (part.direction[2] && reader->spec->space == DAL_PLANAR)
        dal_complain(reader->messages, part.direction[2]->key_mark, "%s has no z axis in a planar model", dal_label(reader));
    else if (read_directions(reader, tree, &point->axes) > most)
        dal_complain(reader->messages, tree->mark, "%s: at most %d of the directions x, y, z can be given in a %s model", dal_label(reader), most,
                     most == 1 ? "planar" : "spatial");
}

static void read_point(dal_reader *reader, const dal_tree *tree, const char *name, dal_point_spec *point)
{
    point->name = (dal_text){.text = name, .mark = tree->key_mark};
    reader->key = tree->key;
    if (tree->kind == DAL_MAP && !tree->bad)
        read_framed_point(reader, tree, point);
    else
        dal_read_vector(reader, tree, &point->at);
}

static bool is_repeated(const dal_tree *tree)
{
    const dal_tree *key = tree->kind == DAL_MAP ? tree->first : NULL;
    while (key && strcmp(key->key, "repeat"))
        key = key->next;
    return key;
}

static dal_point_spec *add_point(dal_reader *reader, dal_points *points, size_t *room)
{
    return DAL_PUSH(reader->keep, points->item, points->n, *room);
}

static void make_point(dal_reader *reader, const dal_tree *tree, const char *name)
{
    dal_point_spec *point = add_point(reader, reader->points, reader->points_room);
    dal_scope outer = {reader->points_of, tree->key, reader->entry};
    point->binding = reader->binding;
    reader->what = outer.what;
    read_point(reader, tree, name, point);
    dal_ascend(reader, outer);
}

/* One point, or repeated ones, P.1, P.2, ... */
static void read_points_of(dal_reader *reader, const dal_tree *tree, dal_points *points, size_t *room)
{
    if (!is_repeated(tree)) {
        read_point(reader, tree, tree->key, add_point(reader, points, room));
        return;
    }
    dal_scope inside = {reader->what, reader->key, reader->entry};
    const size_t coming = reader->coming; /* of the bodies around it */
    reader->points = points;
    reader->points_room = room;
    reader->points_of = reader->what;
    dal_repeat(reader, tree, "point", make_point);
    reader->coming = coming;
    dal_ascend(reader, inside);
}

void dal_read_points(dal_reader *reader, const dal_tree *tree, void *field)
{
    static const char *const channels[] = {"x",  "y",  "z",  "angle", "position", "velocity", "acceleration", "omega",   "alpha",
                                           "ex", "ey", "ez", "qw",    "qx",       "qy",       "qz",           "inertial"};
    dal_points *points = field;
    if (!dal_needs_map(reader, tree, "{A: [...], B: [...]}"))
        return;
    size_t own = 0, *room = points == &reader->spec->ground ? &reader->room_points : &own;
    dal_scope outer = dal_descend(reader, NULL);
    DAL_RESERVE(reader->keep, points->item, points->n, *room, tree->n);
    for (const dal_tree *child = tree->first; child; child = child->next) {
        const char *fault = dal_word_fault(reader->scratch, child->key);
        for (size_t i = 0; !fault && i < sizeof channels / sizeof *channels; i++)
            fault = strcmp(child->key, channels[i]) ? NULL : "it is a channel of every body";
        if (fault)
            dal_complain(reader->messages, child->key_mark, "'%.100s' cannot be the name of a point: %s", child->key, fault);
        read_points_of(reader, child, points, room);
    }
    dal_ascend(reader, outer);
}
