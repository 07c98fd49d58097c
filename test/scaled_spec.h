/* A model in other units of length, mass and time, as a change of its spec.
 *
 * Every text of the spec is rewritten from the units that the tables of the library give (dal_spec_key, and the channels below):
 *   an expression e of unit u becomes (e)*f_u, f_u = length^a mass^b time^c
 *   in it each channel c of unit w becomes (c/f_w), and t becomes (t/f_s)
 * so that expressions see the numbers of the original: those that stand in them need no unit. Named expressions, states, inputs and
 * tables stay in the units of the original, too; rates of states are divided by the factor of time. So do the recorded columns: they are the
 * same numbers. Where the model itself chooses a unit (coordinates, speeds and constraints of its own, parameters and tables of its types
 * of joints), a table of the test gives it.
 *
 * Factors that are powers of two are exact: the motion of the rewritten model is that of the original, bit for bit.
 */
#ifndef DAL_TEST_SCALED_SPEC_H
#define DAL_TEST_SCALED_SPEC_H

#include "check.h"
#include "dalembert/dalembert.h"

#include <ctype.h>
#include <stdlib.h>

/* ---- units ------------------------------------------------------------------- */

typedef struct scaled_unit {
    int length, mass, time; /* exponents */
} scaled_unit;

static inline scaled_unit scaled_times(scaled_unit a, scaled_unit b, int power)
{
    return (scaled_unit){a.length + power * b.length, a.mass + power * b.mass, a.time + power * b.time};
}

/* One factor: "m", "kg", "rad", ... */
static inline scaled_unit scaled_word(const char *word, size_t n)
{
    static const struct {
        const char *word;
        scaled_unit unit;
    } known[] = {{"m", {1, 0, 0}},   {"kg", {0, 1, 0}}, {"s", {0, 0, 1}},  {"rad", {0, 0, 0}}, {"1", {0, 0, 0}},
                 {"own", {0, 0, 0}}, {"N", {1, 1, -2}}, {"J", {2, 1, -2}}, {"W", {2, 1, -3}}};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (strlen(known[i].word) == n && !strncmp(known[i].word, word, n))
            return known[i].unit;
    fail_msg("'%.*s' is no unit", (int)n, word);
    return (scaled_unit){0, 0, 0};
}

/* "kg m^2", "N m/rad", "rad/(N m)": a bar holds for one factor, or for all in brackets. */
static inline scaled_unit scaled_parse(const char *text, size_t length)
{
    scaled_unit unit = {0, 0, 0};
    const char *end = text + length;
    for (int sign = 1, brackets = 0; text < end;) {
        if (*text == '/' || *text == '(' || *text == ')' || *text == ' ') {
            sign = *text == '/' ? -1 : *text == ')' ? 1 : sign;
            brackets += *text == '(' ? 1 : *text == ')' ? -1 : 0;
            text++;
            continue;
        }
        size_t n = 0;
        while (text + n < end && isalnum((unsigned char)text[n]))
            n++;
        assert_true(n > 0);
        scaled_unit one = scaled_word(text, n);
        text += n;
        int power = 1;
        if (text < end && *text == '^')
            power = (int)strtol(text + 1, (char **)(uintptr_t)&text, 10);
        unit = scaled_times(unit, one, sign * power);
        if (!brackets)
            sign = 1;
    }
    return unit;
}

/* Alternative number `which` of "N/m or N m/rad", or entry of "m/N, rad/(N m)". */
static inline scaled_unit scaled_alternative(const char *text, int which)
{
    for (;; which--) {
        const char *either = strstr(text, " or "), *comma = strstr(text, ", "), *end = either ? either : comma;
        if (which == 0 || !end)
            return scaled_parse(text, end ? (size_t)(end - text) : strlen(text));
        text = end + (either ? 4 : 2);
    }
}

static inline const char *scaled_key(const char *section, const char *key)
{
    for (int i = 0; dal_spec_key(i); i++)
        if (!strcmp(dal_spec_key(i)->section, section) && !strcmp(dal_spec_key(i)->key, key))
            return dal_spec_key(i)->unit;
    fail_msg("there is no key '%s' in '%s'", key, section);
    return "";
}

/* ---- the change ---------------------------------------------------------------- */

/* What the model chose: {"four-bar.yaml", "x", "m"}. */
typedef struct scaled_own {
    const char *model, *name, *unit;
} scaled_own;

typedef struct scaled {
    dal_spec *spec;
    const char *model; /* name of its file */
    double length, mass, time;
    const scaled_own *own; /* ends with a model that is NULL */
    int n_texts, n_done;
    char **texts;
    const dal_text **done; /* what was rewritten: elements of `repeat` may share lists */
} scaled;

static inline double scaled_factor(const scaled *s, scaled_unit unit)
{
    const double base[3] = {s->length, s->mass, s->time};
    const int power[3] = {unit.length, unit.mass, unit.time};
    double factor = 1;
    for (int k = 0; k < 3; k++)
        for (int i = 0; i < abs(power[k]); i++)
            factor = power[k] > 0 ? factor * base[k] : factor / base[k];
    return factor;
}

static inline const char *scaled_keep(scaled *s, char *text)
{
    s->texts = realloc(s->texts, sizeof *s->texts * (size_t)(s->n_texts + 1));
    return s->texts[s->n_texts++] = text;
}

static inline const char *scaled_print(scaled *s, const char *format, ...)
{
    va_list list, again;
    va_start(list, format);
    va_copy(again, list);
    const int n = vsnprintf(NULL, 0, format, list);
    char *text = malloc((size_t)n + 1);
    vsnprintf(text, (size_t)n + 1, format, again);
    va_end(again);
    va_end(list);
    return scaled_keep(s, text);
}

static inline void scaled_free(scaled *s)
{
    for (int i = 0; i < s->n_texts; i++)
        free(s->texts[i]);
    free(s->texts);
    free(s->done);
}

static inline bool scaled_is_done(scaled *s, const dal_text *text)
{
    for (int i = 0; i < s->n_done; i++)
        if (s->done[i] == text)
            return true;
    if (!(s->n_done & (s->n_done - 1)))
        s->done = realloc(s->done, sizeof *s->done * (size_t)(s->n_done ? 2 * s->n_done : 1));
    s->done[s->n_done++] = text;
    return false;
}

/* ---- names ---------------------------------------------------------------------- */

/* Does a path begin with a name? `{i-1}` stands for any number. What stands behind it. */
static inline const char *scaled_begins(const char *path, const char *name)
{
    while (*name) {
        if (*path == '{') {
            if (!isdigit((unsigned char)*name))
                return NULL;
            while (isdigit((unsigned char)*name))
                name++;
            path = strchr(path, '}') + 1;
        } else if (*path++ != *name++) {
            return NULL;
        }
    }
    return !*path || *path == '.' ? path : NULL;
}

typedef enum scaled_kind {
    SCALED_OTHER,
    SCALED_NAMED,
    SCALED_OWN,
    SCALED_BODY,
    SCALED_JOINT,
    SCALED_FORCE,
    SCALED_CONSTRAINT,
    SCALED_GROUND
} scaled_kind;

typedef struct scaled_element {
    scaled_kind kind;
    int index;
    const char *rest; /* of the path */
} scaled_element;

/* The longest name counts, so does one inside the model that the text stands in. */
static inline void scaled_try(const dal_model_spec *model, const char *path, const char *name, scaled_kind kind, int index, scaled_element *best)
{
    if (model) {
        const size_t head = strlen(model->name.text);
        if (strncmp(name, model->name.text, head) || name[head] != '.')
            return;
        name += head + 1;
    }
    const char *rest = scaled_begins(path, name);
    if (rest && (best->kind == SCALED_OTHER || rest > best->rest))
        *best = (scaled_element){kind, index, rest};
}

static inline scaled_element scaled_find(const scaled *s, const dal_binding *binding, const char *path)
{
    const dal_spec *spec = s->spec;
    const dal_model_spec *model = binding ? binding->model : NULL;
    scaled_element best = {SCALED_OTHER, 0, path};
#define SCALED_TRY(n, list, kind)                                                                                                                    \
    for (int i = 0; i < spec->n; i++)                                                                                                                \
    scaled_try(model, path, spec->list[i].name.text, kind, i, &best)
    SCALED_TRY(n_parameters, parameters, SCALED_NAMED);
    SCALED_TRY(n_define, define, SCALED_NAMED);
    SCALED_TRY(n_inputs, inputs, SCALED_NAMED);
    SCALED_TRY(n_states, states, SCALED_NAMED);
    SCALED_TRY(n_coordinates, coordinates, SCALED_OWN);
    SCALED_TRY(n_speeds, speeds, SCALED_OWN);
    SCALED_TRY(n_bodies, bodies, SCALED_BODY);
    SCALED_TRY(n_joints, joints, SCALED_JOINT);
    SCALED_TRY(n_forces, forces, SCALED_FORCE);
    SCALED_TRY(n_constraints, constraints, SCALED_CONSTRAINT);
#undef SCALED_TRY
    scaled_try(NULL, path, "ground", SCALED_GROUND, 0, &best);
    for (int i = 0; i < spec->n_models; i++) {
        char ground[200];
        snprintf(ground, sizeof ground, "%s.ground", spec->models[i]->name.text);
        scaled_try(model, path, ground, SCALED_GROUND, 0, &best);
    }
    return best;
}

static inline scaled_unit scaled_own_unit(const scaled *s, const char *name)
{
    for (const scaled_own *own = s->own; own && own->model; own++)
        if (!strcmp(own->model, s->model) && !strcmp(own->name, name))
            return scaled_parse(own->unit, strlen(own->unit));
    return (scaled_unit){0, 0, 0};
}

/* ---- what elements measure --------------------------------------------------------- */

static inline const dal_joint_type_spec *scaled_joint_type(const scaled *s, const dal_joint_spec *joint)
{
    for (int i = 0; i < s->spec->n_joint_types; i++) {
        const char *name = s->spec->joint_types[i].name.text, *dot = strrchr(name, '.');
        if (!strcmp(dot ? dot + 1 : name, joint->type.text))
            return &s->spec->joint_types[i];
    }
    return NULL;
}

static inline bool scaled_is_one_of(const char *word, const char *const *list)
{
    for (; *list; list++)
        if (!strcmp(word, *list))
            return true;
    return false;
}

/* Is the coordinate of a joint (named, or its first) an angle? */
static inline bool scaled_turns(const scaled *s, const dal_joint_spec *joint, const char *coordinate)
{
    static const char *const slides[] = {"prismatic", "point-on-line", "pin-in-slot", "rack-and-pinion", "distance", NULL};
    const dal_joint_type_spec *type = scaled_joint_type(s, joint);
    if (type)
        for (int i = 0; i < type->coordinates.n; i++)
            if (!coordinate || !strcmp(coordinate, type->coordinates.item[i].name.text))
                return !strncmp(type->coordinates.item[i].value.text, "angle", 5);
    if (coordinate)
        return !strncmp(coordinate, "angle", 5);
    if (!strcmp(joint->type.text, "driven") || !strcmp(joint->type.text, "lock")) {
        if (joint->joint.text) {
            scaled_element e = scaled_find(s, NULL, joint->joint.text);
            assert_int_equal(e.kind, SCALED_JOINT);
            return scaled_turns(s, &s->spec->joints[e.index], joint->coordinate.text);
        }
        return joint->coordinate.text && !strcmp(joint->coordinate.text, "angle");
    }
    return !scaled_is_one_of(joint->type.text, slides);
}

static inline bool scaled_joint_turns(const scaled *s, const dal_joint_spec *joint)
{
    const bool target = !strcmp(joint->type.text, "driven") || !strcmp(joint->type.text, "lock");
    return scaled_turns(s, joint, target ? NULL : joint->coordinate.text);
}

/* Does a force element act about an angle? */
static inline bool scaled_force_turns(const scaled *s, const dal_force_spec *force)
{
    if (force->connect.n || (force->body.text && !force->coordinate.text))
        return !strcmp(force->type.text, "torque");
    if (force->joint.text) {
        scaled_element e = scaled_find(s, NULL, force->joint.text);
        assert_int_equal(e.kind, SCALED_JOINT);
        return scaled_turns(s, &s->spec->joints[e.index], force->coordinate.text);
    }
    if (force->body.text)
        return !strcmp(force->coordinate.text, "angle");
    return force->coordinate.text && !scaled_own_unit(s, force->coordinate.text).length;
}

/* ---- channels ------------------------------------------------------------------------ */

static const scaled_unit scaled_number = {0, 0, 0}, scaled_metre = {1, 0, 0}, scaled_newton = {1, 1, -2}, scaled_joule = {2, 1, -2},
                         scaled_watt = {2, 1, -3};

/* The first part of ".x", ".omega.body.x", ".P.velocity.y" that is the name of a channel of bodies and points. */
static inline scaled_unit scaled_motion(const char *rest)
{
    static const struct {
        const char *name;
        scaled_unit unit;
    } known[] = {{"x", {1, 0, 0}},        {"y", {1, 0, 0}},         {"z", {1, 0, 0}},
                 {"position", {1, 0, 0}}, {"velocity", {1, 0, -1}}, {"acceleration", {1, 0, -2}},
                 {"angle", {0, 0, 0}},    {"omega", {0, 0, -1}},    {"alpha", {0, 0, -2}},
                 {"ex", {0, 0, 0}},       {"ey", {0, 0, 0}},        {"ez", {0, 0, 0}},
                 {"qw", {0, 0, 0}},       {"qx", {0, 0, 0}},        {"qy", {0, 0, 0}},
                 {"qz", {0, 0, 0}}};
    for (const char *part = rest; *part == '.';) {
        const size_t n = strcspn(++part, ".");
        for (size_t i = 0; i < sizeof known / sizeof *known; i++)
            if (strlen(known[i].name) == n && !strncmp(known[i].name, part, n))
                return known[i].unit;
        part += n;
    }
    fail_msg("'%s' is no channel of a body", rest);
    return scaled_number;
}

static inline scaled_unit scaled_of_joint(const scaled *s, const dal_joint_spec *joint, const char *rest)
{
    const char *last = strrchr(rest, '.');
    if (!*rest || !last)
        return scaled_turns(s, joint, NULL) ? scaled_number : scaled_metre;
    if (strstr(rest, ".force"))
        return scaled_newton;
    if (strstr(rest, ".torque"))
        return scaled_joule;
    if (!strcmp(rest, ".drive.power"))
        return scaled_watt;
    if (!strcmp(rest, ".drive"))
        return scaled_joint_turns(s, joint) ? scaled_joule : scaled_newton;
    return scaled_turns(s, joint, rest + 1) ? scaled_number : scaled_metre;
}

static inline scaled_unit scaled_of_model(const char *path)
{
    if (!strncmp(path, "energy", 6))
        return scaled_joule;
    if (!strncmp(path, "momentum.angular", 16))
        return (scaled_unit){2, 1, -1};
    if (!strncmp(path, "momentum", 8))
        return (scaled_unit){1, 1, -1};
    return !strcmp(path, "constraint.position") ? scaled_metre : !strcmp(path, "constraint.velocity") ? (scaled_unit){1, 0, -1} : scaled_number;
}

/* Of a path without its primes. What is no channel (parameters, definitions, states, loop variables) is in units of the original: none. */
static inline scaled_unit scaled_channel(const scaled *s, const dal_binding *binding, const char *path)
{
    if (!strcmp(path, "t"))
        return (scaled_unit){0, 0, 1};
    const scaled_element e = scaled_find(s, binding, path);
    switch (e.kind) {
    case SCALED_OWN: return scaled_own_unit(s, path);
    case SCALED_BODY:
    case SCALED_GROUND: return scaled_motion(e.rest);
    case SCALED_JOINT: return scaled_of_joint(s, &s->spec->joints[e.index], e.rest);
    case SCALED_FORCE: {
        const bool turns = scaled_force_turns(s, &s->spec->forces[e.index]);
        return !strcmp(e.rest, ".length")  ? (turns ? scaled_number : scaled_metre)
               : !strcmp(e.rest, ".power") ? scaled_watt
               : turns                     ? scaled_joule
                                           : scaled_newton;
    }
    case SCALED_CONSTRAINT: { /* its power is that of the multiplier times the rate of its expression */
        const dal_constraint_spec *c = &s->spec->constraints[e.index];
        scaled_unit rate = scaled_own_unit(s, c->name.text);
        rate.time -= c->position.text != NULL;
        return scaled_times(scaled_watt, rate, -1);
    }
    case SCALED_NAMED: return scaled_number;
    case SCALED_OTHER: break;
    }
    return scaled_of_model(path);
}

/* ---- texts ------------------------------------------------------------------------------ */

static inline size_t scaled_path_length(const char *text)
{
    size_t n = 0;
    for (;;) {
        if (text[n] == '{')
            n += strcspn(text + n, "}") + 1;
        else if (isalnum((unsigned char)text[n]) || text[n] == '_')
            n++;
        else if (text[n] == '.' && (isalnum((unsigned char)text[n + 1]) || text[n + 1] == '_' || text[n + 1] == '{'))
            n++;
        else
            return n;
    }
}

static inline size_t scaled_number_length(const char *text)
{
    char *end;
    strtod(text, &end);
    return (size_t)(end - text);
}

/* An expression of motion and time that sees the numbers of the original. */
static inline const char *scaled_rewrite(scaled *s, const dal_binding *binding, const char *text)
{
    const char *out = scaled_print(s, "%s", "");
    while (*text) {
        size_t n = 1;
        if (isdigit((unsigned char)*text) || (*text == '.' && isdigit((unsigned char)text[1]))) {
            n = scaled_number_length(text);
        } else if (isalpha((unsigned char)*text) || *text == '_') {
            n = scaled_path_length(text);
            const char *path = scaled_print(s, "%.*s", (int)n, text);
            const size_t primes = strspn(text + n, "'"), blanks = strspn(text + n, " ");
            if (text[n + blanks] != '(') {
                scaled_unit unit = scaled_channel(s, binding, path);
                unit.time -= (int)primes;
                const double factor = scaled_factor(s, unit);
                if (factor != 1) {
                    out = scaled_print(s, "%s(%.*s/%.17g)", out, (int)(n + primes), text, factor);
                    text += n + primes;
                    continue;
                }
                n += primes;
            }
        }
        out = scaled_print(s, "%s%.*s", out, (int)n, text);
        text += n;
    }
    return out;
}

static inline void scaled_set(scaled *s, const dal_binding *binding, dal_text *text, scaled_unit unit)
{
    if (!text->text || scaled_is_done(s, text))
        return;
    const char *inner = scaled_rewrite(s, binding, text->text);
    const double factor = scaled_factor(s, unit);
    text->text = factor == 1 ? inner : scaled_print(s, "(%s)*%.17g", inner, factor);
}

static inline void scaled_constant(scaled *s, dal_text *text, const char *section, const char *key, int which)
{
    scaled_set(s, NULL, text, scaled_alternative(scaled_key(section, key), which));
}

static inline void scaled_constants(scaled *s, dal_list *list, const char *section, const char *key)
{
    for (int i = 0; i < list->n; i++)
        scaled_constant(s, &list->item[i], section, key, 0);
}

/* ---- elements ----------------------------------------------------------------------------- */

static inline void scaled_points(scaled *s, dal_points *points)
{
    for (int i = 0; i < points->n; i++)
        scaled_constants(s, &points->item[i].at, "point", "at");
}

static inline void scaled_figures(scaled *s, dal_figures *figures)
{
    for (int i = 0; i < figures->n; i++) {
        dal_figure_spec *f = &figures->item[i];
        scaled_constant(s, &f->radius, "shape", "radius", 0);
        scaled_constant(s, &f->length, "shape", "length", 0);
        scaled_constant(s, &f->thickness, "shape", "thickness", 0);
        scaled_constant(s, &f->scale, "shape", "scale", 0);
        scaled_constants(s, &f->size, "shape", "size");
        scaled_constants(s, &f->at, "shape", "at");
        for (int k = 0; k < f->n_points; k++)
            scaled_constants(s, &f->points[k], "shape", "points");
    }
}

static inline void scaled_place(scaled *s, const dal_binding *binding, dal_list *list, const char *key)
{
    for (int i = 0; i < list->n; i++)
        scaled_set(s, binding, &list->item[i], key ? scaled_alternative(scaled_key("body", key), 0) : scaled_number);
}

static inline void scaled_body(scaled *s, dal_body_spec *b)
{
    scaled_constant(s, &b->mass, "body", "mass", 0);
    scaled_constants(s, &b->center, "body", "center");
    scaled_constants(s, &b->inertia, "body", "inertia");
    scaled_place(s, b->binding, &b->position, "position");
    scaled_place(s, b->binding, &b->orientation.first, NULL);
    scaled_place(s, b->binding, &b->orientation.second, NULL);
    scaled_set(s, b->binding, &b->angle, scaled_number);
    scaled_constants(s, &b->velocity, "body", "velocity");
    scaled_constant(s, &b->rate, "body", "rate", 0);
    scaled_constants(s, &b->angular_velocity, "body", "angular-velocity");
    scaled_points(s, &b->points);
    scaled_figures(s, &b->shape);
}

static inline void scaled_friction(scaled *s, const dal_joint_spec *joint, dal_friction_spec *f)
{
    const bool effort = !strcmp(joint->type.text, "revolute") || !strcmp(joint->type.text, "screw");
    const bool spins = effort && !f->radius.text;
    scaled_constant(s, &f->limit, "friction", "limit", effort);
    scaled_constant(s, &f->resting_limit, "friction", "static-limit", effort);
    scaled_constant(s, &f->stribeck, "friction", "stribeck", spins);
    scaled_constant(s, &f->viscous, "friction", "viscous", spins);
    scaled_constant(s, &f->velocity, "friction", "velocity", spins);
    scaled_constant(s, &f->radius, "friction", "radius", 0);
}

/* Forces along channels: power over the rate of the channel. */
static inline void scaled_law(scaled *s, dal_law_spec *law)
{
    for (int i = 0; i < law->n; i++) {
        dal_pair *p = &law->item[i];
        const size_t n = scaled_path_length(p->name.text);
        scaled_set(s, p->binding, &p->value,
                   scaled_times(scaled_joule, scaled_channel(s, p->binding, scaled_print(s, "%.*s", (int)n, p->name.text)), -1));
    }
}

static inline void scaled_type_parameters(scaled *s, const dal_joint_type_spec *type, dal_law_spec *list)
{
    for (int i = 0; type && i < list->n; i++)
        scaled_set(s, NULL, &list->item[i].value, scaled_own_unit(s, scaled_print(s, "%s.%s", type->name.text, list->item[i].name.text)));
}

static inline void scaled_joint(scaled *s, dal_joint_spec *j)
{
    const bool turns = scaled_joint_turns(s, j);
    scaled_set(s, j->binding, &j->value, scaled_alternative(scaled_key("joint", "value"), turns));
    scaled_set(s, j->binding, &j->drive, scaled_alternative(scaled_key("joint", "drive"), turns));
    scaled_set(s, j->binding, &j->drive_rate, scaled_alternative(scaled_key("joint", "drive-rate"), turns));
    scaled_constant(s, &j->zero, "joint", "zero", scaled_turns(s, j, NULL));
    scaled_constant(s, &j->radius, "joint", "radius", 0);
    scaled_constant(s, &j->pitch, "joint", "pitch", 0);
    scaled_constant(s, &j->length, "joint", "length", 0);
    const bool rate_turns = j->start.angle.text || (!j->start.distance.text && turns);
    scaled_constant(s, &j->start.distance, "start", "distance", 0);
    scaled_constant(s, &j->start.rate, "start", "rate", rate_turns);
    for (int i = 0; i < j->compliance.n; i++)
        scaled_constant(s, &j->compliance.item[i], "joint", "compliance", i);
    scaled_friction(s, j, &j->friction);
    scaled_law(s, &j->law);
    scaled_type_parameters(s, scaled_joint_type(s, j), &j->parameters);
}

/* Entries of a bushing: shifts, then turns. */
static inline void scaled_rates(scaled *s, dal_list *list, const char *key, bool turns)
{
    const int shifts = list->n == 3 ? 2 : 3;
    for (int i = 0; i < list->n; i++)
        scaled_constant(s, &list->item[i], "force", key, list->n == 1 ? turns : i >= shifts);
}

static inline void scaled_force(scaled *s, dal_force_spec *f)
{
    const bool turns = scaled_force_turns(s, f);
    for (int i = 0; i < f->value.n; i++)
        scaled_set(s, f->binding, &f->value.item[i], scaled_alternative(scaled_key("force", "value"), turns));
    scaled_rates(s, &f->stiffness, "stiffness", turns);
    scaled_rates(s, &f->damping, "damping", turns);
    scaled_constant(s, &f->length, "force", "length", 0);
    scaled_constant(s, &f->free, "force", "free", turns);
    scaled_constants(s, &f->center, "force", "center");
    scaled_constant(s, &f->mu, "force", "mu", 0);
    scaled_constant(s, &f->lower, "force", "lower", turns);
    scaled_constant(s, &f->upper, "force", "upper", turns);
    scaled_constant(s, &f->gap, "force", "gap", 0);
    if (f->restitution.text && !f->velocity.text)
        f->velocity.text = "1e-3"; /* what it is if omitted, in m/s or rad/s */
    scaled_constant(s, &f->velocity, "force", "velocity", turns);
    for (int i = 0; i < f->limit.n; i++)
        scaled_constant(s, &f->limit.item[i], "force", "limit", turns);
}

/* Equations of joint types stay as they are: they are made of lengths, directions and parameters that have units. */
static inline void scaled_types_and_tables(scaled *s)
{
    dal_spec *spec = s->spec;
    for (int i = 0; i < spec->n_joint_types; i++)
        scaled_type_parameters(s, &spec->joint_types[i], &spec->joint_types[i].parameters);
    for (int i = 0; i < spec->n_tables; i++) {
        const double factor = scaled_factor(s, scaled_own_unit(s, spec->tables[i].name.text));
        for (int k = 0; k < spec->tables[i].n; k++)
            spec->tables[i].y_value[k] *= factor;
    }
}

/* Entries of M: energy over two rates; forces: energy over a coordinate. */
static inline void scaled_systems(scaled *s)
{
    static const scaled_unit second = {0, 0, 1};
    for (int i = 0; i < s->spec->n_systems; i++) {
        dal_subsystem_spec *one = &s->spec->systems[i];
        dal_text *const energies[] = {&one->kinetic, &one->potential, &one->L, &one->T, &one->V};
        for (size_t k = 0; k < sizeof energies / sizeof *energies; k++)
            scaled_set(s, one->binding, energies[k], scaled_joule);
        scaled_set(s, one->binding, &one->dissipation, scaled_watt);
        for (int k = 0; k < one->coordinates.n; k++) {
            const scaled_unit force = scaled_times(scaled_joule, scaled_own_unit(s, one->coordinates.item[k].text), -1);
            scaled_set(s, one->binding, &one->force.item[k], force);
            for (int l = 0; l < one->coordinates.n; l++)
                scaled_set(s, one->binding, &one->mass.row[k].item[l],
                           scaled_times(scaled_times(force, scaled_own_unit(s, one->coordinates.item[l].text), -1), second, 2));
        }
    }
}

static inline void scaled_own_elements(scaled *s)
{
    dal_spec *spec = s->spec;
    scaled_systems(s);
    for (int i = 0; i < spec->n_coordinates; i++) {
        dal_coordinate_spec *c = &spec->coordinates[i];
        const scaled_unit unit = scaled_own_unit(s, c->name.text), second = {0, 0, 1};
        scaled_set(s, c->binding, &c->start, unit);
        scaled_set(s, c->binding, &c->rate, scaled_times(unit, second, -1));
    }
    for (int i = 0; i < spec->n_speeds; i++)
        scaled_set(s, spec->speeds[i].binding, &spec->speeds[i].value, scaled_own_unit(s, spec->speeds[i].name.text));
    for (int i = 0; i < spec->n_constraints; i++) {
        dal_constraint_spec *c = &spec->constraints[i];
        scaled_set(s, c->binding, c->position.text ? &c->position : &c->velocity, scaled_own_unit(s, c->name.text));
        scaled_law(s, &c->law);
    }
    for (int i = 0; i < spec->n_define; i++)
        scaled_set(s, spec->define[i].binding, &spec->define[i].value, scaled_number);
    for (int i = 0; i < spec->n_inputs; i++) {
        scaled_set(s, spec->inputs[i].binding, &spec->inputs[i].value, (scaled_unit){0, 0, 0});
        if (spec->inputs[i].period.text)
            scaled_set(s, spec->inputs[i].binding, &spec->inputs[i].period, (scaled_unit){0, 0, 1});
    }
    for (int i = 0; i < spec->n_states; i++)
        scaled_set(s, spec->states[i].binding, &spec->states[i].rate, (scaled_unit){0, 0, -1});
}

static inline void scaled_simulate(scaled *s)
{
    dal_simulate_spec *r = &s->spec->simulate;
    scaled_constant(s, &r->until, "simulate", "until", 0);
    scaled_constant(s, &r->step, "simulate", "step", 0);
    scaled_constant(s, &r->every, "simulate", "every", 0);
    scaled_constant(s, &r->max_step, "simulate", "max-step", 0);
    scaled_constant(s, &r->event_tolerance, "simulate", "event-tolerance", 0);
    scaled_constant(s, &r->atol, "simulate", "atol", 0);
    for (int i = 0; i < r->stabilization.n; i++) {
        dal_pair *option = &r->stabilization.option[i];
        static const char *const rates[] = {"alpha", "beta", "omega", NULL};
        if (scaled_is_one_of(option->name.text, rates))
            scaled_set(s, NULL, &option->value, (scaled_unit){0, 0, -1});
    }
}

/* A recorded expression is the same number as in the original. Its text is put in brackets, with all factors 1 too: what is recorded beside
 * it has other names then. */
static inline void scaled_records(scaled *s)
{
    for (int i = 0; i < s->spec->n_record; i++) {
        dal_text *text = &s->spec->record[i].value;
        if (!scaled_is_done(s, text))
            text->text = scaled_print(s, "(%s)", scaled_rewrite(s, NULL, text->text));
    }
}

/* Rewrite a spec for units in which its lengths, masses and times are larger by these factors. Texts live until scaled_free, which
 * has to be called after dal_spec_free. */
static inline scaled scaled_spec(dal_spec *spec, double length, double mass, double time, const scaled_own *own)
{
    const char *slash = strrchr(spec->file, '/');
    scaled s = {.spec = spec, .model = slash ? slash + 1 : spec->file, .length = length, .mass = mass, .time = time, .own = own};
    scaled_constants(&s, &spec->gravity, "model", "gravity");
    scaled_points(&s, &spec->ground);
    scaled_figures(&s, &spec->ground_shape);
    for (int i = 0; i < spec->n_models; i++) {
        scaled_points(&s, &spec->models[i]->points);
        scaled_figures(&s, &spec->models[i]->shape);
    }
    for (int i = 0; i < spec->n_bodies; i++)
        scaled_body(&s, &spec->bodies[i]);
    for (int i = 0; i < spec->n_joints; i++)
        scaled_joint(&s, &spec->joints[i]);
    for (int i = 0; i < spec->n_forces; i++)
        scaled_force(&s, &spec->forces[i]);
    scaled_types_and_tables(&s);
    scaled_own_elements(&s);
    scaled_simulate(&s);
    scaled_records(&s);
    return s;
}

#endif
