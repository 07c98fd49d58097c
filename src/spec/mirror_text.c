/* Expressions of a mirrored model: they see the world through the mirror.
 *
 * A channel that changes its sign in the mirror gets a minus: "thigh.x" becomes "(-thigh.x)" where x is mirrored, and a vector is taken apart,
 * "[-thigh.velocity.x, thigh.velocity.y, ...]". So a law of the model is also right for its mirror image, with the same text.
 * World axes are mirrored along the axis that `mirror` names, in the plane through the world's origin.
 */
#include "spec/mirror_parts.h"

#include "base/words.h"

#include <ctype.h>
#include <string.h>

/* A channel in the mirror: the signs of its components. n == 0: it has no sign of its own, or is not a channel. */
typedef struct parity {
    int n;
    bool odd[3];
    bool vector; /* all components of a vector: they are named .x, .y, .z */
} parity;

static int space(const dal_mirror *m)
{
    return (int)m->reader->spec->space;
}

static parity scalar(bool odd)
{
    return (parity){.n = 1, .odd = {odd}};
}

/* ".y" -> 1, "" -> -1, else -2 */
static int component(const dal_mirror *m, const char *rest)
{
    if (!*rest)
        return -1;
    const int k = rest[0] == '.' && rest[1] && !rest[2] ? rest[1] - 'x' : -2;
    return k >= 0 && k < space(m) ? k : -2;
}

/* A vector, or one component of it; axial: it belongs to a rotation. turned: all signs are reversed. */
static parity of_vector(const dal_mirror *m, int axis, bool axial, bool turned, const char *rest)
{
    parity p = {.n = 0};
    const int k = component(m, rest);
    if (k == -2)
        return p;
    p.n = k < 0 ? space(m) : 1;
    p.vector = k < 0;
    for (int i = 0; i < p.n; i++)
        p.odd[i] = (((k < 0 ? i : k) == axis) != axial) != turned;
    return p;
}

static parity of_point(const dal_mirror *m, const char *rest)
{
    static const char *const ways[] = {"position", "velocity", "acceleration"};
    const char *more;
    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++)
        if (dal_path_begins(rest, ways[i], &more))
            return of_vector(m, m->axis, false, false, more);
    return *rest ? of_vector(m, m->axis, false, false, rest) : (parity){.n = 0};
}

/* along: the axis along which the body is mirrored, in its own axes. */
static parity of_body(const dal_mirror *m, int along, const dal_points *points, const char *rest)
{
    static const char *const spins[] = {"omega", "alpha"};
    const char *more;
    for (int i = 0; i < points->n; i++)
        if (dal_path_begins(rest, points->item[i].name.text, &more))
            return of_point(m, more);
    if (dal_path_begins(rest, "inertial", &more))
        return dal_path_begins(more, "center", &rest)
                   ? of_vector(m, along, false, false, rest)
                   : scalar(strlen(more) == 3 && more[1] != more[2] && (more[1] == 'x' + along || more[2] == 'x' + along));
    if (space(m) == 2 && (!strcmp(rest, ".angle") || !strcmp(rest, ".omega") || !strcmp(rest, ".alpha")))
        return scalar(true);
    for (int k = 0; k < 2; k++)
        if (dal_path_begins(rest, spins[k], &more))
            return dal_path_begins(more, "body", &rest) ? of_vector(m, along, true, false, rest) : of_vector(m, m->axis, true, false, more);
    for (int k = 0; k < space(m); k++) {
        const char name[3] = {'e', (char)('x' + k), 0};
        if (dal_path_begins(rest, name, &more))
            return of_vector(m, m->axis, false, k == along, more);
    }
    if (rest[1] == 'q' && rest[2] && !rest[3])
        return rest[2] == 'w' ? scalar(false) : scalar(rest[2] != 'x' + along);
    return of_point(m, rest);
}

static bool is_type(const dal_joint_spec *joint, const char *type)
{
    return joint->type.text && !strcmp(joint->type.text, type);
}

static parity of_joint(const dal_mirror *m, const dal_joint_spec *joint, const char *rest)
{
    const char *more;
    if (dal_path_begins(rest, "force", &more))
        return of_vector(m, m->axis, false, false, more);
    if (dal_path_begins(rest, "torque", &more))
        return space(m) == 2 ? scalar(true) : of_vector(m, m->axis, true, false, more);
    if (dal_path_begins(rest, "friction", &more) && is_type(joint, "spherical"))
        return of_vector(m, m->axis, true, false, more);
    if (dal_path_begins(rest, "friction", &more) && strcmp(more, ".power"))
        return scalar(dal_mirror_odd(m, joint, !strcmp(more, ".force") ? "distance" : *more || is_type(joint, "screw") ? "angle" : NULL));
    if (!strcmp(rest, ".drive"))
        return scalar(dal_mirror_odd(m, joint, joint->coordinate.text));
    if (!strcmp(rest, ".angle") || !strcmp(rest, ".angle2") || !strcmp(rest, ".distance"))
        return scalar(dal_mirror_odd(m, joint, rest + 1));
    return (parity){.n = 0};
}

static parity of_force(const dal_mirror *m, const dal_force_spec *force, const char *rest)
{
    const bool along = !strcmp(rest, ".length") || (force->value.n < 2 && (!strcmp(rest, ".force") || !strcmp(rest, ".torque")));
    return along && (force->joint.text || strcmp(rest, ".length")) ? scalar(dal_mirror_odd_force(m, force)) : (parity){.n = 0};
}

/* ---- elements -------------------------------------------------------------------------------------- */

/* The length of the name of an element, if a path begins with it; otherwise 0. "{...}" in the path matches any number. */
static size_t heads(const char *name, const char *path)
{
    const char *at = path;
    while (*name) {
        if (*at == '{') {
            const char *end = strchr(at, '}');
            const size_t digits = strspn(name, "0123456789");
            if (!end || !digits)
                return 0;
            at = end + 1;
            name += digits;
        } else if (*at++ != *name++)
            return 0;
    }
    return !*at || *at == '.' ? (size_t)(at - path) : 0;
}

#define LONGEST(list, count, kind_)                                                                                                                  \
    for (int i = 0; i < (count); i++) {                                                                                                              \
        const size_t n = heads((list)[i].name.text, path);                                                                                           \
        if (n > most) {                                                                                                                              \
            most = n;                                                                                                                                \
            kind = (kind_);                                                                                                                          \
            index = i;                                                                                                                               \
        }                                                                                                                                            \
    }

static parity of_path(const dal_mirror *m, const char *path)
{
    const dal_spec *spec = m->spec;
    size_t most = 0;
    int kind = 0, index = 0;
    LONGEST(spec->bodies, spec->n_bodies, 1)
    LONGEST(spec->joints, spec->n_joints, 2)
    LONGEST(spec->forces, spec->n_forces, 3)
    const char *rest = path + most;
    if (kind == 1)
        return of_body(m, dal_mirror_along(m, spec->bodies[index].binding), &spec->bodies[index].points, rest);
    if (kind == 2)
        return of_joint(m, &spec->joints[index], rest);
    if (kind == 3)
        return of_force(m, &spec->forces[index], rest);
    if (!strncmp(path, "ground.", 7))
        return of_body(m, m->axis, &spec->ground, path + 6);
    if (!strncmp(path, "momentum.angular", 16))
        return space(m) == 2 ? scalar(true) : of_vector(m, m->axis, true, false, path + 16);
    return !strncmp(path, "momentum", 8) && (!path[8] || path[8] == '.') ? of_vector(m, m->axis, false, false, path + 8) : (parity){.n = 0};
}

/* Names in a text belong to the model that contains the text. */
static parity of_name(const dal_mirror *m, const dal_binding *binding, const char *path)
{
    const dal_model_spec *model = binding ? binding->model : NULL;
    const bool inner = model && m->spec->n_models && model != m->spec->models[0];
    return of_path(m, inner ? dal_arena_print(m->reader->scratch, "%s.%s", model->name.text, path) : path);
}

bool dal_mirror_odd_channel(const dal_mirror *m, const dal_binding *binding, const char *path)
{
    const parity p = of_name(m, binding, path);
    return p.n == 1 && p.odd[0];
}

/* ---- texts -------------------------------------------------------------------------------------------- */

/* The length of a name with its dots and braces. */
static size_t name_length(const char *at)
{
    size_t n = 0;
    while (isalnum((unsigned char)at[n]) || at[n] == '_' || at[n] == '.' || at[n] == '{') {
        const char *end = at[n] == '{' ? strchr(at + n, '}') : NULL;
        if (at[n] == '{' && !end)
            break;
        n = end ? (size_t)(end - at) + 1 : n + 1;
    }
    return n;
}

static size_t number_length(const char *at)
{
    size_t n = 0;
    while (isalnum((unsigned char)at[n]) || at[n] == '.' || (n && (at[n] == '-' || at[n] == '+') && (at[n - 1] == 'e' || at[n - 1] == 'E')))
        n++;
    return n;
}

/* "(-thigh.x')", or "[-thigh.velocity.x, thigh.velocity.y]"; NULL: unchanged. */
static const char *seen(const dal_mirror *m, const parity *p, const char *name, const char *primes)
{
    dal_arena *arena = m->reader->keep;
    bool any = false;
    const char *out = "";
    for (int i = 0; i < p->n; i++)
        any |= p->odd[i];
    if (!any)
        return NULL;
    if (!p->vector)
        return dal_arena_print(arena, "(-%s%s)", name, primes);
    for (int i = 0; i < p->n; i++)
        out = dal_arena_print(arena, "%s%s%s%s.%c%s", out, i ? ", " : "", p->odd[i] ? "-" : "", name, 'x' + i, primes);
    return dal_arena_print(arena, "[%s]", out);
}

void dal_mirror_text(const dal_mirror *m, const dal_binding *binding, dal_text *text)
{
    dal_arena *arena = m->reader->keep;
    const char *out = "", *kept = text->text;
    if (!text->text)
        return;
    for (const char *at = text->text; *at;) {
        if (isdigit((unsigned char)*at) || (*at == '.' && isdigit((unsigned char)at[1]))) {
            at += number_length(at);
            continue;
        }
        if (!isalpha((unsigned char)*at) && *at != '_') {
            at++;
            continue;
        }
        const size_t n = name_length(at), primes = strspn(at + n, "'");
        const char *name = dal_arena_copy(m->reader->scratch, at, n);
        const parity p = of_name(m, binding, name);
        const char *image = at[n] == '(' ? NULL : seen(m, &p, name, dal_arena_copy(m->reader->scratch, at + n, primes));
        if (image) {
            out = dal_arena_print(arena, "%s%.*s%s", out, (int)(at - kept), kept, image);
            kept = at + n + primes;
        }
        at += n + primes;
    }
    if (kept != text->text)
        text->text = dal_arena_print(arena, "%s%s", out, kept);
}
