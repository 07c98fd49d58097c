/* Points and frames of bodies by their names, and the measures of their coordinates.
 *
 *     marker of a name    body, place s and axes B in those of the body:  crank, crank.B, ground.A, arm.ground.P
 *     included model      its ground stands in the frame m of a body:     s = s_m + B_m s_P,   B = B_m B_P
 */
#include "compile/build.h"
#include "compile/memory.h"
#include "math/rotation.h"

#include <string.h>

static bool read_point(dal_build *build, const dal_binding *binding, const dal_point_spec *point, dal_marker *marker, bool *has_axes)
{
    if (point->binding)
        binding = point->binding;
    if (!dal_build_vector(build, binding, &point->at, marker->s))
        return false;
    *has_axes = point->axes.kind != DAL_ATTITUDE_NONE;
    return !*has_axes || dal_build_orientation(build, binding, point->name.text, &point->axes, marker->B);
}

/* Also unused ones. */
void dal_check_points(dal_build *build, const char *owner, const dal_binding *binding, const dal_points *points)
{
    for (int i = 0; i < points->n; i++) {
        const dal_point_spec *point = &points->item[i];
        dal_marker marker;
        bool has_axes;
        if (read_point(build, binding, point, &marker, &has_axes) && !dal_bounded(3, marker.s))
            dal_build_bounded(build, point->at.mark, dal_arena_print(build->arena, "point '%s'", point->name.text), owner, 3, marker.s);
    }
}

static void refuse_point(dal_build *build, dal_text name, const char *rest, const dal_points *points)
{
    char hint[96];
    const char **names = DAL_NEW(build->arena, const char *, points->n + 1), *all = "";
    for (int i = 0; i < points->n; i++) {
        names[i] = points->item[i].name.text;
        if (i < 10)
            all = dal_arena_print(build->arena, "%s%s%s", all, i ? ", " : "", names[i]);
    }
    int length = (int)(rest - name.text);
    if (points->n)
        dal_error(build->messages, name.mark, "'%.*s' has no point '%s'%s: it has %s%s", length, name.text, rest + 1,
                  dal_did_you_mean(rest + 1, names, hint), all, points->n > 10 ? ", ..." : "");
    else
        dal_error(build->messages, name.mark, "'%.*s' has no point '%s': describe it in its `points:`, or write '%.*s' for its origin", length,
                  name.text, rest + 1, length, name.text);
}

/* A point P of the ground of an included model, which stands in the frame m of a body: s = s_m + B_m s_P, B = B_m B_P. */
static void compose(dal_marker *marker, const dal_marker *point)
{
    for (int i = 0; i < 3; i++)
        marker->s[i] += marker->B[3 * i] * point->s[0] + marker->B[3 * i + 1] * point->s[1] + marker->B[3 * i + 2] * point->s[2];
    dal_rotation_multiply(marker->B, point->B, marker->B);
}

/* The same where m is the frame of the body itself: zeros get the sign that products with those of the unit matrix give them. */
static void clear_signs(dal_marker *point, bool has_axes)
{
    for (int i = 0; i < 3; i++)
        point->s[i] += 0.0;
    for (int i = 0; i < 9 && has_axes; i++)
        point->B[i] += 0.0;
}

static int slot_of(const dal_build *build, const char *name)
{
    unsigned hash = 2166136261u; /* FNV-1a */
    for (const char *c = name; *c; c++)
        hash = (hash ^ (unsigned char)*c) * 16777619u;
    int slot = (int)(hash % (unsigned)build->n_ground_slots);
    while (build->ground_slot[slot] >= 0 && strcmp(build->spec->ground.item[build->ground_slot[slot]].name.text, name))
        slot = (slot + 1) % build->n_ground_slots;
    return slot;
}

/* Readers refuse it: a spec that was made by hand. */
static void refuse_twins(dal_build *build, const dal_point_spec *point)
{
    dal_error(build->messages, point->name.mark, "two points of one body have the name '%.100s': names have to differ", point->name.text);
}

/* The ground may have many points. */
void dal_index_ground(dal_build *build)
{
    const dal_points *points = &build->spec->ground;
    build->n_ground_slots = 2 * points->n + 1;
    build->ground_slot = DAL_NEW(build->arena, int, build->n_ground_slots);
    for (int i = 0; i < build->n_ground_slots; i++)
        build->ground_slot[i] = -1;
    for (int i = 0; i < points->n; i++) {
        int *slot = &build->ground_slot[slot_of(build, points->item[i].name.text)];
        if (*slot >= 0)
            refuse_twins(build, &points->item[i]);
        *slot = i;
    }
}

static const dal_point_spec *find_point(dal_build *build, const dal_points *points, const char *name)
{
    if (points == &build->spec->ground) {
        if (!build->ground_slot)
            dal_index_ground(build);
        const int i = build->ground_slot[slot_of(build, name)];
        return i < 0 ? NULL : &points->item[i];
    }
    const dal_point_spec *found = NULL;
    for (int i = 0; i < points->n; i++) {
        if (strcmp(points->item[i].name.text, name))
            continue;
        if (found)
            refuse_twins(build, &points->item[i]);
        found = &points->item[i];
    }
    return found;
}

/* The target of a name, as another compile found it. */
static bool find_known_place(const dal_build *build, const char *name, dal_marker *marker, const dal_binding **binding, const dal_point_spec **point)
{
    int number;
    if (!dal_cached_place(build, name, &marker->body, &number))
        return false;
    const dal_body_spec *body = marker->body == DAL_GROUND ? NULL : &build->spec->bodies[marker->body];
    *binding = body ? body->binding : NULL;
    *point = number < 0 ? NULL : body ? &body->points.item[number] : &build->spec->ground.item[number];
    return true;
}

static bool find_marker(dal_build *build, dal_text name, dal_marker *marker, bool *has_axes, int depth);

/* The same by the symbols, with messages: the body, and *point NULL for its origin. A ground of an included model puts a frame into *marker.
 * depth: how many of these have been gone through. */
static bool find_place(dal_build *build, dal_text name, dal_marker *marker, const dal_binding **binding, const dal_point_spec **point, bool *has_axes,
                       int depth)
{
    const char *rest = "";
    const dal_points *points = &build->spec->ground;
    bool plain = true;
    if (!strncmp(name.text, "ground", 6) && (!name.text[6] || name.text[6] == '.')) {
        rest = name.text + 6;
    } else {
        const dal_symbol *symbol = dal_symbol_prefix(build, name.text, &rest);
        if (symbol && symbol->kind == DAL_SYMBOL_GROUND) {
            const dal_model_spec *model = build->spec->models[symbol->index];
            if (depth > build->spec->n_models || !find_marker(build, model->ground, marker, has_axes, depth + 1))
                return false;
            *has_axes = false; /* no more than the ground of a model that stands alone */
            points = &model->points;
            *binding = &model->binding;
            plain = false;
        } else if (!symbol || symbol->kind != DAL_SYMBOL_BODY) {
            if (symbol)
                dal_error(build->messages, name.mark, "'%s' is not a body: a body, a point of one (crank.B) or the ground is needed here",
                          symbol->name);
            else
                dal_error(build->messages, name.mark, "there is no body '%s'%s", name.text, dal_symbol_hint(build, 1u << DAL_SYMBOL_BODY, name.text));
            return false;
        } else {
            marker->body = symbol->index;
            points = &build->spec->bodies[symbol->index].points;
            *binding = build->spec->bodies[symbol->index].binding;
        }
    }
    *point = *rest ? find_point(build, points, rest + 1) : NULL;
    if (*rest && !*point) {
        refuse_point(build, name, rest, points);
        return false;
    }
    if (plain)
        dal_remember_place(build, name.text, marker->body, *point ? (int)(*point - points->item) : -1);
    return true;
}

static bool find_marker(dal_build *build, dal_text name, dal_marker *marker, bool *has_axes, int depth)
{
    const dal_binding *binding = NULL;
    const dal_point_spec *at = NULL;
    *has_axes = false;
    memset(marker, 0, sizeof *marker);
    marker->body = DAL_GROUND;
    dal_rotation_identity(marker->B);
    const bool known = find_known_place(build, name.text, marker, &binding, &at);
    if (!known && !find_place(build, name, marker, &binding, &at, has_axes, depth))
        return false;
    if (!at)
        return true;
    if (known) { /* a point of a body */
        const bool read = read_point(build, binding, at, marker, has_axes);
        clear_signs(marker, *has_axes);
        return read;
    }
    dal_marker point = {.B = {1, 0, 0, 0, 1, 0, 0, 0, 1}};
    const bool ok = read_point(build, binding, at, &point, has_axes);
    compose(marker, &point);
    return ok;
}

/* The same few names are looked up again and again, by their addresses: texts stay while a model is compiled. */
enum { MARKERS_KEPT = 32 };

typedef struct kept_marker {
    const char *name;
    dal_marker marker;
    bool has_axes;
} kept_marker;

static kept_marker *kept_at(dal_build *build, const char *name)
{
    if (!build->markers) {
        kept_marker *kept = dal_arena_room(build->arena, sizeof *kept * MARKERS_KEPT);
        for (int i = 0; i < MARKERS_KEPT; i++)
            kept[i].name = NULL;
        build->markers = kept;
    }
    const size_t hash = (size_t)name * (size_t)0x9e3779b97f4a7c15u;
    return (kept_marker *)build->markers + (hash >> (8 * sizeof hash - 5));
}

bool dal_build_marker(dal_build *build, dal_text name, dal_marker *marker, bool *has_axes)
{
    bool unused, *axes = has_axes ? has_axes : &unused;
    kept_marker *kept = build->record ? NULL : kept_at(build, name.text); /* a recording compile needs the list of what it uses */
    if (kept && kept->name == name.text) {
        *marker = kept->marker;
        *axes = kept->has_axes;
        return true;
    }
    const bool found = find_marker(build, name, marker, axes, 0);
    if (kept && found)
        *kept = (kept_marker){name.text, *marker, *axes};
    return found;
}

bool dal_build_mount(dal_build *build, const dal_model_spec *model, dal_marker *marker)
{
    return dal_build_marker(build, model->ground, marker, NULL);
}

void dal_build_base(dal_build *build, dal_text name, double B[9])
{
    const char *rest;
    const dal_symbol *symbol = build->spec->n_models ? dal_symbol_prefix(build, name.text, &rest) : NULL;
    dal_marker marker;
    dal_rotation_identity(B);
    if (symbol && symbol->kind == DAL_SYMBOL_GROUND && dal_build_mount(build, build->spec->models[symbol->index], &marker))
        memcpy(B, marker.B, sizeof marker.B);
}

int dal_build_body_angle(dal_build *build, int body)
{
    if (build->body_angle[body] < 0) {
        dal_marker ground = {.body = DAL_GROUND}, own = {.body = body};
        dal_rotation_identity(ground.B);
        dal_rotation_identity(own.B);
        build->body_angle[body] = dal_add_angle(&build->mechanism, &ground, &own);
        build->mechanism.measures[build->body_angle[body]].turns = DAL_TURNS_OF_BODY;
    }
    return build->body_angle[body];
}

int dal_build_body_coordinate(dal_build *build, dal_text body, dal_text coordinate)
{
    dal_marker marker;
    if (!dal_build_marker(build, body, &marker, NULL))
        return -1;
    if (marker.body == DAL_GROUND) {
        dal_error(build->messages, body.mark, "the ground does not move and has no coordinates: name a body");
        return -1;
    }
    bool turns = build->spec->space == DAL_PLANAR && !build->mechanism.bodies[marker.body].particle;
    const char *known = turns ? "x, y or angle" : build->spec->space == DAL_PLANAR ? "x or y" : "x, y or z";
    if (!coordinate.text) {
        dal_error(build->messages, body.mark, "say which coordinate of '%s' is meant: `coordinate:` %s", body.text, known);
        return -1;
    }
    if (turns && !strcmp(coordinate.text, "angle"))
        return dal_build_body_angle(build, marker.body);
    for (int k = 0; k < (int)build->spec->space; k++)
        if (coordinate.text[0] == 'x' + k && !coordinate.text[1])
            return dal_add_dot(&build->mechanism, dal_add_point(&build->mechanism, &marker), -1, k, -1);
    dal_error(build->messages, coordinate.mark, "'%s' has no coordinate '%s': expected %s", body.text, coordinate.text, known);
    return -1;
}
