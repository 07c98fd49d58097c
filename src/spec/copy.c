/* Copies of descriptions.
 *
 * A struct is copied with its array, then every pointer in it is followed. Elements that `repeat` made share texts and bindings. A table of addresses
 * finds what was copied already, so that the copies share them, too. The same walk without copying computes a fingerprint of the elements.
 */
#include "spec/copy.h"

#include "base/argument.h"
#include "base/message.h"
#include "spec/reader.h"
#include "spec/sound.h"

#include <string.h>

typedef struct entry {
    const void *from, *to;
} entry;

typedef struct walk {
    dal_arena *arena;
    bool count;    /* no copies: only `hash` is computed */
    bool places;   /* marks are hashed, too */
    uint64_t hash; /* of the texts */
    entry *table;  /* open addressing */
    size_t n, size;
} walk;

typedef void visitor(walk *w, void *part);

/* ---- what was copied already ------------------------------------------------------------- */

static size_t place_of(const walk *w, const void *from)
{
    size_t at = (size_t)((uint64_t)(uintptr_t)from * UINT64_C(0x9e3779b97f4a7c15) >> 20) & (w->size - 1);
    while (w->table[at].from && w->table[at].from != from)
        at = (at + 1) & (w->size - 1);
    return at;
}

static void remember_copy(walk *w, const void *from, const void *to)
{
    if (2 * (w->n + 1) > w->size) {
        const entry *old = w->table;
        const size_t n = w->size;
        w->size = n ? 2 * n : 256;
        w->table = DAL_NEW(w->arena, entry, w->size);
        for (size_t i = 0; i < n; i++)
            if (old[i].from)
                w->table[place_of(w, old[i].from)] = old[i];
    }
    w->table[place_of(w, from)] = (entry){from, to};
    w->n++;
}

static const void *find_copy(const walk *w, const void *from)
{
    return w->size ? w->table[place_of(w, from)].to : NULL;
}

/* ---- texts and arrays ----------------------------------------------------------------------- */

static void string(walk *w, void *part)
{
    const char **text = part;
    if (w->count) {
        w->hash = dal_hash_add(w->hash, *text ? *text : "", *text ? strlen(*text) : 0);
        return;
    }
    if (!*text)
        return;
    const char *copy = find_copy(w, *text);
    if (!copy) {
        copy = dal_arena_copy(w->arena, *text, strlen(*text));
        remember_copy(w, *text, copy);
    }
    *text = copy;
}

static void mark(walk *w, dal_mark *place)
{
    const int at[2] = {place->line, place->column};
    if (!w->count)
        string(w, &place->file);
    else if (w->places)
        w->hash = dal_hash_add(w->hash, at, sizeof at);
}

static void text(walk *w, void *part)
{
    dal_text *t = part;
    string(w, &t->text);
    mark(w, &t->mark);
}

/* Copies the array at *pointer, of n elements; *pointer becomes the copy. */
static void array(walk *w, void *pointer, int n, size_t size)
{
    void *from;
    if (w->count)
        w->hash = dal_hash_add(w->hash, &n, sizeof n);
    if (w->count || n <= 0)
        return;
    memcpy(&from, pointer, sizeof from);
    void *to = dal_arena_alloc(w->arena, size * (size_t)n);
    memcpy(to, from, size * (size_t)n);
    memcpy(pointer, &to, sizeof to);
}

#define ARRAY(w, field, n) array((w), &(field), (n), sizeof *(field))

/* An array and all of its elements. */
static void each(walk *w, visitor *visit, void *pointer, int n, size_t size)
{
    char *first;
    array(w, pointer, n, size);
    memcpy(&first, pointer, sizeof first);
    for (int i = 0; i < n; i++)
        visit(w, first + size * (size_t)i);
}

#define EACH(w, visit, field, n) each((w), (visit), &(field), (n), sizeof *(field))

/* Parts of one kind. */
static void parts(walk *w, visitor *visit, void *const *part)
{
    for (; *part; part++)
        visit(w, *part);
}

#define TEXTS(w, ...) parts((w), text, (void *const[]){__VA_ARGS__, NULL})
#define LISTS(w, ...) parts((w), list, (void *const[]){__VA_ARGS__, NULL})

static void list(walk *w, void *part)
{
    dal_list *l = part;
    EACH(w, text, l->item, l->n);
    mark(w, &l->mark);
}

/* ---- bindings, included models ---------------------------------------------------------------- */

static void binding(walk *w, const dal_binding **b)
{
    if (!*b || w->count)
        return;
    const dal_binding *known = find_copy(w, *b);
    if (!known) {
        dal_binding *copy = DAL_NEW(w->arena, dal_binding, 1);
        *copy = **b;
        remember_copy(w, *b, copy);
        string(w, &copy->name);
        binding(w, &copy->outer);
        if (copy->model)
            copy->model = find_copy(w, copy->model);
        known = copy;
    }
    *b = known;
}

/* ---- parts of elements -------------------------------------------------------------------------- */

static void orientation(walk *w, dal_orientation *o)
{
    LISTS(w, &o->first, &o->second);
    mark(w, &o->mark);
}

static void matrix(walk *w, dal_matrix *m)
{
    EACH(w, list, m->row, m->n);
    mark(w, &m->mark);
}

static void point(walk *w, void *part)
{
    dal_point_spec *p = part;
    text(w, &p->name);
    binding(w, &p->binding);
    list(w, &p->at);
    orientation(w, &p->axes);
}

static void figure(walk *w, void *part)
{
    dal_figure_spec *f = part;
    TEXTS(w, &f->type, &f->radius, &f->length, &f->thickness, &f->density, &f->scale, &f->angle, &f->color, &f->file);
    LISTS(w, &f->size, &f->at, &f->axis, &f->stretch);
    orientation(w, &f->orientation);
    EACH(w, list, f->points, f->n_points);
    mark(w, &f->points_mark);
    string(w, &f->path);
    string(w, &f->root);
    mark(w, &f->mark);
}

static void pair(walk *w, void *part)
{
    dal_pair *p = part;
    TEXTS(w, &p->name, &p->value, &p->set, &p->period);
    binding(w, &p->binding);
    binding(w, &p->set_binding);
    string(w, &p->block);
}

static void pairs(walk *w, dal_pair **first, int n)
{
    EACH(w, pair, *first, n);
}

static void law(walk *w, dal_law_spec *l)
{
    pairs(w, &l->item, l->n);
}

/* ---- elements -------------------------------------------------------------------------------------- */

static void body(walk *w, void *part)
{
    dal_body_spec *b = part;
    binding(w, &b->binding);
    TEXTS(w, &b->name, &b->mass, &b->density, &b->angle, &b->rate, &b->from, &b->inertia_check);
    LISTS(w, &b->center, &b->inertia, &b->position, &b->velocity, &b->angular_velocity, &b->between);
    orientation(w, &b->orientation);
    EACH(w, point, b->points.item, b->points.n);
    EACH(w, figure, b->shape.item, b->shape.n);
}

static void joint(walk *w, void *part)
{
    dal_joint_spec *j = part;
    dal_start_spec *s = &j->start;
    dal_friction_spec *f = &j->friction;
    string(w, &j->label);
    binding(w, &j->binding);
    TEXTS(w, &j->name, &j->type, &j->joint, &j->body, &j->coordinate, &j->value, &j->ratio, &j->radius, &j->pitch, &j->length, &j->drive,
          &j->drive_rate, &j->zero);
    LISTS(w, &j->connect, &j->axis, &j->axis_second, &j->normal, &j->joints, &j->compliance);
    TEXTS(w, &s->angle, &s->distance, &s->rate, &s->within, &s->branch);
    mark(w, &s->mark);
    TEXTS(w, &f->coefficient, &f->resting, &f->limit, &f->resting_limit, &f->stribeck, &f->viscous, &f->radius, &f->velocity);
    mark(w, &f->mark);
    law(w, &j->law);
    law(w, &j->parameters);
}

static void joint_type(walk *w, void *part)
{
    dal_joint_type_spec *t = part;
    text(w, &t->name);
    binding(w, &t->binding);
    LISTS(w, &t->equations, &t->velocity);
    law(w, &t->parameters);
    list(w, &t->required);
    law(w, &t->coordinates);
}

static void force(walk *w, void *part)
{
    dal_force_spec *f = part;
    binding(w, &f->binding);
    TEXTS(w, &f->name, &f->type, &f->joint, &f->body, &f->coordinate, &f->axes, &f->length, &f->free, &f->mu, &f->gradient, &f->lower, &f->upper,
          &f->gap, &f->restitution, &f->velocity);
    LISTS(w, &f->connect, &f->value, &f->stiffness, &f->damping, &f->center, &f->direction, &f->limit);
}

static void table(walk *w, void *part)
{
    dal_table_spec *t = part;
    TEXTS(w, &t->name, &t->file, &t->smooth, &t->outside);
    LISTS(w, &t->x, &t->y);
    if (w->count) {
        w->hash = dal_hash_add(w->hash, t->x_value, sizeof *t->x_value * (size_t)t->n);
        w->hash = dal_hash_add(w->hash, t->y_value, sizeof *t->y_value * (size_t)t->n);
    }
    ARRAY(w, t->x_value, t->n);
    ARRAY(w, t->y_value, t->n);
}

static void constraint(walk *w, void *part)
{
    dal_constraint_spec *c = part;
    TEXTS(w, &c->name, &c->position, &c->velocity);
    law(w, &c->law);
    string(w, &c->derived);
    binding(w, &c->binding);
}

static void subsystem(walk *w, void *part)
{
    dal_subsystem_spec *s = part;
    TEXTS(w, &s->name, &s->kinetic, &s->potential, &s->L, &s->T, &s->V, &s->dissipation);
    LISTS(w, &s->coordinates, &s->force);
    matrix(w, &s->mass);
    binding(w, &s->binding);
}

static void state(walk *w, void *part)
{
    dal_state_spec *s = part;
    TEXTS(w, &s->name, &s->start, &s->rate);
    binding(w, &s->binding);
}

static void coordinate(walk *w, void *part)
{
    dal_coordinate_spec *c = part;
    TEXTS(w, &c->name, &c->start, &c->rate);
    binding(w, &c->binding);
}

static void column(walk *w, void *part)
{
    dal_record_spec *c = part;
    TEXTS(w, &c->value, &c->name, &c->unit);
    binding(w, &c->binding);
}

static void choice(walk *w, dal_choice *c)
{
    TEXTS(w, &c->name, &c->value);
    pairs(w, &c->option, c->n);
}

static void simulate(walk *w, dal_simulate_spec *s)
{
    TEXTS(w, &s->until, &s->step, &s->every, &s->rtol, &s->atol, &s->max_step, &s->event_tolerance, &s->start, &s->undetermined.word);
    list(w, &s->undetermined.eta);
    choice(w, &s->coordinates);
    choice(w, &s->formulation);
    choice(w, &s->stabilization);
    choice(w, &s->integrator);
}

static void view(walk *w, dal_view_spec *v)
{
    LISTS(w, &v->traces, &v->hidden, &v->transparent, &v->camera);
    law(w, &v->colors);
    matrix(w, &v->plots);
    TEXTS(w, &v->zoom, &v->focus);
}

/* First all models, so that their new addresses are known: bindings refer to them. */
static void models(walk *w, dal_spec *s)
{
    ARRAY(w, s->models, s->n_models);
    for (int i = 0; i < s->n_models && !w->count; i++) {
        dal_model_spec *copy = DAL_NEW(w->arena, dal_model_spec, 1);
        *copy = *s->models[i];
        remember_copy(w, s->models[i], copy);
        remember_copy(w, &s->models[i]->binding, &copy->binding); /* elements point at it */
        s->models[i] = copy;
    }
    for (int i = 0; i < s->n_models; i++) {
        dal_model_spec *m = s->models[i];
        TEXTS(w, &m->name, &m->file, &m->ground);
        EACH(w, point, m->points.item, m->points.n);
        EACH(w, figure, m->shape.item, m->shape.n);
        if (w->count)
            continue;
        string(w, &m->binding.name);
        binding(w, &m->binding.outer);
        if (m->binding.model)
            m->binding.model = find_copy(w, m->binding.model);
    }
}

static void elements(walk *w, dal_spec *s)
{
    models(w, s);
    list(w, &s->gravity);
    EACH(w, point, s->ground.item, s->ground.n);
    EACH(w, figure, s->ground_shape.item, s->ground_shape.n);
    pairs(w, &s->define, s->n_define);
    pairs(w, &s->inputs, s->n_inputs);
    pairs(w, &s->speeds, s->n_speeds);
    EACH(w, body, s->bodies, s->n_bodies);
    EACH(w, joint, s->joints, s->n_joints);
    EACH(w, joint_type, s->joint_types, s->n_joint_types);
    EACH(w, force, s->forces, s->n_forces);
    EACH(w, table, s->tables, s->n_tables);
    EACH(w, state, s->states, s->n_states);
    EACH(w, coordinate, s->coordinates, s->n_coordinates);
    EACH(w, constraint, s->constraints, s->n_constraints);
    EACH(w, subsystem, s->systems, s->n_systems);
}

static void override(walk *w, void *part)
{
    dal_override *o = part;
    string(w, &o->name);
    string(w, &o->value);
}

/* ---- the whole -------------------------------------------------------------------------------------- */

static void warnings(walk *w, dal_spec *s)
{
    const dal_message *from = s->warnings;
    dal_message **last = (dal_message **)(void *)&s->warnings;
    for (s->warnings = NULL; from; from = from->next) {
        dal_message *copy = dal_message_copy(w->arena, from);
        *last = copy;
        last = &copy->next;
    }
}

dal_spec *dal_spec_copy(dal_arena *arena, const dal_spec *spec)
{
    dal_spec *s = DAL_NEW(arena, dal_spec, 1);
    walk w = {.arena = arena};
    *s = *spec;
    s->memory = NULL;
    string(&w, &s->file);
    text(&w, &s->name);
    mark(&w, &s->space_mark);
    elements(&w, s);
    pairs(&w, &s->parameters, s->n_parameters);
    EACH(&w, column, s->record, s->n_record);
    view(&w, &s->view);
    simulate(&w, &s->simulate);
    string(&w, &s->text);
    EACH(&w, string, s->files, s->n_files);
    EACH(&w, override, s->overrides, s->n_overrides);
    warnings(&w, s);
    return s;
}

typedef struct cloning {
    dal_arena arena;
    const dal_spec *from;
    dal_spec *made;
} cloning;

static dal_status clone_all(void *user)
{
    cloning *job = user;
    job->made = dal_spec_copy(&job->arena, job->from);
    return DAL_OK;
}

dal_status dal_spec_clone(const dal_allocator *allocator, const dal_spec *spec, dal_messages *messages, dal_spec **copy)
{
    if (copy)
        *copy = NULL;
    if (!DAL_NEEDS(messages, spec) || !DAL_NEEDS(messages, copy) || !DAL_NEEDS_ALLOCATOR(messages, allocator) || !dal_spec_sound(spec, messages))
        return DAL_BAD_COMMAND;
    cloning job = {.from = spec};
    dal_arena_begin(&job.arena, allocator);
    const dal_status status = dal_arena_try(&job.arena, clone_all, &job);
    return dal_arena_deliver(&job.arena, status == DAL_OK, status, job.made, offsetof(dal_spec, memory), copy);
}

uint64_t dal_spec_elements(const dal_spec *spec)
{
    dal_spec s = *spec;
    walk w = {.count = true, .hash = dal_hash_begin()};
    elements(&w, &s);
    return w.hash;
}

uint64_t dal_spec_outline(const dal_spec *spec)
{
    dal_spec s = *spec;
    walk w = {.count = true, .places = true, .hash = dal_hash_begin()};
    const bool flags[] = {s.record_given, s.motion, s.shown, s.plain_names, s.floating};
    text(&w, &s.name);
    elements(&w, &s);
    EACH(&w, column, s.record, s.n_record);
    view(&w, &s.view);
    simulate(&w, &s.simulate);
    return dal_hash_add(w.hash, flags, sizeof flags);
}
