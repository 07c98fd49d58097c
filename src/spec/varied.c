/* A description with other numbers.
 *
 * The description is copied, with only those arrays in which a value changes; the copy gets the new values, and parameters that follow from them are
 * evaluated. If the reader itself used a value, for example for the number of elements, the text is read again.
 */
#include "spec/varied.h"

#include "base/argument.h"
#include "expr/graph.h"
#include "spec/copy.h"
#include "spec/parameters_again.h"
#include "spec/reader.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- arrays of which something changes -------------------------------------------------------------------- */

enum { FIRST_CHUNK = 4096 - 64 }; /* bytes: a system that was varied keeps them, and there may be thousands of systems */

/* Replaces the array at *pointer by a copy, once. */
static void own_array(dal_value_changes *v, void *pointer, const void *original, int n, size_t size)
{
    void *now;
    memcpy(&now, pointer, sizeof now);
    if (now != original)
        return;
    void *copy = dal_arena_alloc(&v->arena, size * (size_t)n);
    if (n)
        memcpy(copy, now, size * (size_t)n);
    memcpy(pointer, &copy, sizeof copy);
}

#define OWN(v, field, count) own_array((v), &(v)->spec->field, (v)->from->field, (v)->spec->count, sizeof *(v)->spec->field)

static void set_text(dal_value_changes *v, int i, dal_text *text)
{
    text->text = v->as_text[i].value;
    text->mark = v->mark ? *v->mark : (dal_mark){v->as_text[i].name, 0, 1};
}

/* ---- names ------------------------------------------------------------------------------------------------- */

/* "bar.angle'" -> "angle" and one prime behind "bar"; NULL: `name` does not begin with it and a dot. */
static const char *behind(const char *name, const char *head)
{
    const size_t n = strlen(head);
    return !strncmp(name, head, n) && name[n] == '.' ? name + n + 1 : NULL;
}

static bool is(const char *channel, const char *word)
{
    return !strcmp(channel, word);
}

/* Component k of a vector of the model: "x" or "x'". */
static int component(const char *channel, const char *behind_it)
{
    const int k = channel[0] - 'x';
    return k >= 0 && k < 3 && is(channel + 1, behind_it) ? k : -1;
}

static bool refuse_absent(const dal_value_changes *v, int i, const char *what)
{
    dal_error(v->messages, v->mark ? *v->mark : dal_nowhere,
              "the model gives no %s, and '%.100s' cannot be varied: only start values that are written in it can", what, v->names[i]);
    return false;
}

static bool set_component(dal_value_changes *v, int i, dal_list *list, int k, const char *what)
{
    if (k >= list->n)
        return refuse_absent(v, i, what);
    dal_text *items = DAL_NEW(&v->arena, dal_text, list->n);
    memcpy(items, list->item, sizeof *items * (size_t)list->n);
    list->item = items;
    set_text(v, i, &items[k]);
    return true;
}

static bool set_given(dal_value_changes *v, int i, dal_text *text, const char *what)
{
    if (!text->text)
        return refuse_absent(v, i, what);
    set_text(v, i, text);
    return true;
}

/* found: it is a name of such an element, even if its value cannot be set. */
static bool set_body(dal_value_changes *v, int i, int b, const char *channel, bool *found)
{
    const int position = component(channel, ""), velocity = component(channel, "'");
    const bool omega = !strncmp(channel, "omega.", 6);
    const int spin = omega ? component(channel + 6, "") : -1;
    *found = position >= 0 || velocity >= 0 || spin >= 0 || is(channel, "angle") || is(channel, "angle'");
    if (!*found)
        return false;
    OWN(v, bodies, n_bodies);
    dal_body_spec *body = &v->spec->bodies[b];
    return position >= 0          ? set_component(v, i, &body->position, position, "position of this body")
           : velocity >= 0        ? set_component(v, i, &body->velocity, velocity, "velocity of this body")
           : spin >= 0            ? set_component(v, i, &body->angular_velocity, spin, "angular velocity of this body")
           : is(channel, "angle") ? set_given(v, i, &body->angle, "angle of this body")
                                  : set_given(v, i, &body->rate, "rate of this body");
}

static bool set_joint(dal_value_changes *v, int i, int j, const char *channel, bool *found)
{
    const bool angle = is(channel, "angle"), distance = is(channel, "distance"), rate = is(channel, "angle'") || is(channel, "distance'");
    *found = angle || distance || rate;
    if (!*found)
        return false;
    OWN(v, joints, n_joints);
    dal_start_spec *start = &v->spec->joints[j].start;
    return set_given(v, i, angle ? &start->angle : distance ? &start->distance : &start->rate, "such start of this joint");
}

static bool set_parameter(dal_value_changes *v, int i, int p)
{
    OWN(v, parameters, n_parameters);
    v->spec->parameters[p].number = v->values[i] + 0.0;
    set_text(v, i, &v->spec->parameters[p].value);
    v->given[p] = true;
    v->parameters_too = true;
    return true;
}

static bool set_coordinate(dal_value_changes *v, int i, int c, bool rate)
{
    OWN(v, coordinates, n_coordinates);
    set_text(v, i, rate ? &v->spec->coordinates[c].rate : &v->spec->coordinates[c].start);
    return true;
}

/* "q'" of the coordinate q */
static bool is_rate_of(const char *name, const char *coordinate)
{
    const size_t n = strlen(coordinate);
    return !strncmp(name, coordinate, n) && is(name + n, "'");
}

static void refuse_unknown(dal_value_changes *v, int i)
{
    const dal_spec *s = v->spec;
    const char *name = v->names[i];
    const int most = s->n_parameters + s->n_inputs + s->n_states + s->n_coordinates;
    const char **candidates = DAL_NEW(&v->arena, const char *, most + 1);
    char hint[96];
    int n = 0;
    for (int k = 0; k < s->n_parameters; k++)
        candidates[n++] = s->parameters[k].name.text;
    for (int k = 0; k < s->n_inputs; k++)
        candidates[n++] = s->inputs[k].name.text;
    for (int k = 0; k < s->n_states; k++)
        candidates[n++] = s->states[k].name.text;
    for (int k = 0; k < s->n_coordinates; k++)
        candidates[n++] = s->coordinates[k].name.text;
    dal_error(v->messages, dal_nowhere, "'%.100s' is neither a parameter nor an input of the model, nor a start value of it%s", name,
              dal_did_you_mean(name, candidates, hint));
}

/* known: there is such a name. */
static bool set_value(dal_value_changes *v, int i, bool *known)
{
    const char *name = v->names[i], *channel;
    dal_spec *s = v->spec;
    bool found = false, done = false;
    *known = true;
    for (int k = 0; k < s->n_parameters; k++)
        if (is(name, s->parameters[k].name.text))
            return set_parameter(v, i, k);
    for (int k = 0; k < s->n_inputs; k++)
        if (is(name, s->inputs[k].name.text)) {
            OWN(v, inputs, n_inputs);
            set_text(v, i, &s->inputs[k].value);
            return true;
        }
    for (int k = 0; k < s->n_states; k++)
        if (is(name, s->states[k].name.text)) {
            OWN(v, states, n_states);
            set_text(v, i, &s->states[k].start);
            return true;
        }
    for (int k = 0; k < s->n_coordinates; k++)
        if (is(name, s->coordinates[k].name.text) || is_rate_of(name, s->coordinates[k].name.text))
            return set_coordinate(v, i, k, !is(name, s->coordinates[k].name.text));
    for (int k = 0; k < s->n_bodies && !found; k++)
        if ((channel = behind(name, s->bodies[k].name.text)) && (done = set_body(v, i, k, channel, &found), found))
            return done;
    for (int k = 0; k < s->n_joints && !found; k++)
        if ((channel = behind(name, s->joints[k].name.text)) && (done = set_joint(v, i, k, channel, &found), found))
            return done;
    return *known = false;
}

bool dal_spec_set_start(dal_arena *arena, dal_spec *spec, dal_text name, dal_text value, dal_messages *messages, bool *known)
{
    static const dal_spec none; /* the arrays are the description's own */
    dal_override as_text = {name.text, value.text};
    dal_value_changes v = {.from = &none, .n = 1, .names = &name.text, .messages = messages, .spec = spec, .as_text = &as_text, .mark = &value.mark};
    v.arena = *arena;
    const bool set = set_value(&v, 0, known);
    *arena = v.arena;
    return set;
}

/* ---- the description with the new values -------------------------------------------------------------------- */

/* The hash of a model that was read with these overrides after those of the base. */
static void hash_values(const dal_value_changes *v)
{
    dal_spec *spec = v->spec;
    if (!*spec->hash)
        return; /* made by hand */
    uint64_t hash = dal_hash_number(spec->hash);
    for (int i = 0; i < v->n; i++)
        hash = dal_hash_override(hash, &v->as_text[i]);
    dal_hash_text(hash, spec->hash);
}

/* Names and values as texts, after those of the base. */
static void print_values(dal_value_changes *v)
{
    const int before = v->spec->n_overrides;
    dal_override *all = DAL_NEW(&v->arena, dal_override, before + v->n);
    if (before)
        memcpy(all, v->spec->overrides, sizeof *all * (size_t)before);
    v->as_text = all + before;
    for (int i = 0; i < v->n; i++) {
        char *text = DAL_NEW(&v->arena, char, 32);
        if (v->decimal)
            dal_decimal_print(v->decimal, v->values[i] + 0.0, text); /* no -0 */
        else
            dal_print_number(v->values[i] + 0.0, text);
        v->as_text[i] = (dal_override){dal_arena_copy(&v->arena, v->names[i], strlen(v->names[i])), text};
    }
    v->spec->overrides = all;
    v->spec->n_overrides += v->n;
}

/* A parameter that the reader itself used has a new value. */
static const char *find_shape(const dal_value_changes *v)
{
    const dal_pair *now = v->spec->parameters, *then = v->from->parameters;
    for (int i = 0; i < v->spec->n_parameters; i++)
        if (now[i].shapes && now[i].number != then[i].number)
            return now[i].name.text;
    return NULL;
}

static dal_status describe(void *user)
{
    dal_value_changes *v = user;
    v->spec = DAL_NEW(&v->arena, dal_spec, 1);
    *v->spec = *v->from;
    v->given = DAL_NEW(&v->arena, bool, v->spec->n_parameters);
    print_values(v);
    for (int i = 0; i < v->n; i++) {
        bool known;
        if (set_value(v, i, &known))
            continue;
        if (!known)
            refuse_unknown(v, i);
        return DAL_BAD_COMMAND;
    }
    if (v->parameters_too && !dal_parameters_again(&v->arena, v->spec->n_parameters, v->spec->parameters, v->given, v->messages))
        return DAL_BAD_MODEL;
    v->shape = v->parameters_too ? find_shape(v) : NULL;
    hash_values(v);
    return DAL_OK;
}

/* ---- read again -------------------------------------------------------------------------------------------- */

typedef struct rereading {
    const dal_allocator *allocator;
    const dal_spec *kept;
    const dal_value_changes *v;
    dal_arena scratch;
    dal_spec *spec;
} rereading;

static bool is_parameter(const dal_spec *spec, const char *name)
{
    for (int i = 0; i < spec->n_parameters; i++)
        if (is(spec->parameters[i].name.text, name))
            return true;
    return false;
}

/* Is the text still the one that the description was read from? Files may have changed, and C code may have changed the description. */
static dal_status check_elements(rereading *r)
{
    const dal_spec *kept = r->kept;
    const char *shape = r->v->shape;
    if (!kept->text || !*kept->hash) {
        dal_error(r->v->messages, dal_nowhere,
                  "the reader itself uses '%.100s', and a description that was made by hand cannot be read with another value", shape);
        return DAL_BAD_COMMAND;
    }
    dal_spec *same = NULL;
    const dal_status status = dal_spec_read_again(r->allocator, kept, kept->n_overrides, kept->overrides, NULL, &same);
    const bool fine = same && dal_spec_elements(same) == dal_spec_elements(kept);
    dal_spec_free(same);
    if (status == DAL_NO_MEMORY || fine)
        return status;
    dal_error(
        r->v->messages, dal_nowhere,
        "the reader itself uses '%.100s', but the description was changed after it was read, or files that it names were: read it with the new value",
        shape);
    return DAL_BAD_COMMAND;
}

/* All varied values, in a description that was read with the varied parameters. */
static dal_status read_with_values(void *user)
{
    rereading *r = user;
    const dal_spec *kept = r->kept, *varied = r->v->spec;
    dal_status status = check_elements(r);
    if (status != DAL_OK)
        return status;
    dal_override *parameters = DAL_NEW(&r->scratch, dal_override, varied->n_overrides);
    const char **names = DAL_NEW(&r->scratch, const char *, varied->n_overrides);
    double *values = DAL_NEW(&r->scratch, double, varied->n_overrides);
    int n = 0, others = 0;
    for (int i = 0; i < varied->n_overrides; i++) {
        const dal_override *o = &varied->overrides[i];
        if (i < kept->n_overrides || is_parameter(varied, o->name)) {
            parameters[n++] = *o;
        } else {
            names[others] = o->name;
            values[others++] = strtod(o->value, NULL);
        }
    }
    status = dal_spec_read_again(r->allocator, kept, n, parameters, r->v->messages, &r->spec);
    if (status != DAL_OK)
        return status;
    dal_spec *spec = r->spec;
    spec->simulate = varied->simulate;
    spec->n_record = varied->n_record;
    spec->record = varied->record;
    spec->record_given = varied->record_given;
    spec->motion = varied->motion;
    spec->shown = varied->shown;
    spec->plain_names = varied->plain_names;
    dal_value_changes rest = {.from = spec, .n = others, .names = names, .values = values, .messages = r->v->messages};
    rest.arena = r->scratch;
    status = describe(&rest);
    r->scratch = rest.arena;
    if (status != DAL_OK)
        return status;
    void *memory = spec->memory;
    *spec = *rest.spec;
    spec->memory = memory;
    memcpy(spec->hash, varied->hash, sizeof spec->hash);
    return DAL_OK;
}

dal_status dal_spec_vary(const dal_allocator *allocator, dal_value_changes *v)
{
    dal_arena_begin(&v->arena, allocator);
    v->arena.first = FIRST_CHUNK;
    return dal_arena_try(&v->arena, describe, v);
}

dal_status dal_spec_vary_text(const dal_allocator *allocator, const dal_spec *kept, const dal_value_changes *v, dal_arena *scratch, dal_spec **spec)
{
    rereading r = {.allocator = allocator, .kept = kept, .v = v};
    dal_arena_begin(&r.scratch, allocator);
    const dal_status status = dal_arena_try(&r.scratch, read_with_values, &r);
    *scratch = r.scratch;
    *spec = r.spec;
    return status;
}
