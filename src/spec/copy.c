/* Copies of descriptions.
 *
 * A struct is copied with its array, then every pointer in it is followed. Texts and bindings are shared by elements that `repeat` made, and
 * are known again by their address; so is the copy of each. The same walk without copying gives a fingerprint of the elements.
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
    bool count;    /* nothing is copied: only `hash` is wanted */
    bool places;   /* marks are hashed, too */
    uint64_t hash; /* of the texts */
    entry *table;  /* open addressing */
    size_t n, size;
} walk;

/* ---- what was copied already ------------------------------------------------------------- */

static size_t place_of(const walk *w, const void *from)
{
    size_t at = (size_t)((uint64_t)(uintptr_t)from * UINT64_C(0x9e3779b97f4a7c15) >> 20) & (w->size - 1);
    while (w->table[at].from && w->table[at].from != from)
        at = (at + 1) & (w->size - 1);
    return at;
}

static void remember(walk *w, const void *from, const void *to)
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

static void string(walk *w, const char **text)
{
    if (w->count) {
        w->hash = dal_hash_add(w->hash, *text ? *text : "", *text ? strlen(*text) : 0);
        return;
    }
    if (!*text)
        return;
    const char *copy = find_copy(w, *text);
    if (!copy) {
        copy = dal_arena_copy(w->arena, *text, strlen(*text));
        remember(w, *text, copy);
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

static void text(walk *w, dal_text *t)
{
    string(w, &t->text);
    mark(w, &t->mark);
}

/* The array behind *pointer, of n elements; the copy takes its place. */
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

static void list(walk *w, dal_list *l)
{
    ARRAY(w, l->item, l->n);
    for (int i = 0; i < l->n; i++)
        text(w, &l->item[i]);
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
        remember(w, *b, copy);
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
    list(w, &o->first);
    list(w, &o->second);
    mark(w, &o->mark);
}

static void points(walk *w, dal_points *p)
{
    ARRAY(w, p->item, p->n);
    for (int i = 0; i < p->n; i++) {
        text(w, &p->item[i].name);
        binding(w, &p->item[i].binding);
        list(w, &p->item[i].at);
        orientation(w, &p->item[i].axes);
    }
}

static void figures(walk *w, dal_figures *f)
{
    ARRAY(w, f->item, f->n);
    for (int i = 0; i < f->n; i++) {
        dal_figure_spec *one = &f->item[i];
        dal_text *const words[] = {&one->type,  &one->radius, &one->length, &one->thickness, &one->density,
                                   &one->scale, &one->angle,  &one->color,  &one->file};
        for (size_t k = 0; k < sizeof words / sizeof *words; k++)
            text(w, words[k]);
        list(w, &one->size);
        list(w, &one->at);
        list(w, &one->axis);
        list(w, &one->stretch);
        orientation(w, &one->orientation);
        ARRAY(w, one->points, one->n_points);
        for (int k = 0; k < one->n_points; k++)
            list(w, &one->points[k]);
        mark(w, &one->points_mark);
        string(w, &one->path);
        string(w, &one->root);
        mark(w, &one->mark);
    }
}

static void pairs(walk *w, dal_pair *pair, int n)
{
    for (int i = 0; i < n; i++) {
        text(w, &pair[i].name);
        text(w, &pair[i].value);
        text(w, &pair[i].set);
        text(w, &pair[i].period);
        binding(w, &pair[i].binding);
        binding(w, &pair[i].set_binding);
        string(w, &pair[i].block);
    }
}

static void law(walk *w, dal_law_spec *l)
{
    ARRAY(w, l->item, l->n);
    pairs(w, l->item, l->n);
}

/* ---- elements -------------------------------------------------------------------------------------- */

static void body(walk *w, dal_body_spec *b)
{
    dal_text *const words[] = {&b->name, &b->mass, &b->density, &b->angle, &b->rate, &b->from, &b->inertia_check};
    dal_list *const lists[] = {&b->center, &b->inertia, &b->position, &b->velocity, &b->angular_velocity, &b->between};
    binding(w, &b->binding);
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        text(w, words[i]);
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++)
        list(w, lists[i]);
    orientation(w, &b->orientation);
    points(w, &b->points);
    figures(w, &b->shape);
}

static void start(walk *w, dal_start_spec *s)
{
    dal_text *const words[] = {&s->angle, &s->distance, &s->rate, &s->within, &s->branch};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        text(w, words[i]);
    mark(w, &s->mark);
}

static void friction(walk *w, dal_friction_spec *f)
{
    dal_text *const words[] = {&f->coefficient, &f->resting, &f->limit, &f->resting_limit, &f->stribeck, &f->viscous, &f->radius, &f->velocity};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        text(w, words[i]);
    mark(w, &f->mark);
}

static void joint(walk *w, dal_joint_spec *j)
{
    dal_text *const words[] = {&j->name,   &j->type,  &j->joint,  &j->body,  &j->coordinate, &j->value, &j->ratio,
                               &j->radius, &j->pitch, &j->length, &j->drive, &j->drive_rate, &j->zero};
    dal_list *const lists[] = {&j->connect, &j->axis, &j->axis_second, &j->normal, &j->joints, &j->compliance};
    string(w, &j->label);
    binding(w, &j->binding);
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        text(w, words[i]);
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++)
        list(w, lists[i]);
    start(w, &j->start);
    friction(w, &j->friction);
    law(w, &j->law);
    law(w, &j->parameters);
}

static void joint_type(walk *w, dal_joint_type_spec *t)
{
    text(w, &t->name);
    binding(w, &t->binding);
    list(w, &t->equations);
    list(w, &t->velocity);
    law(w, &t->parameters);
    list(w, &t->required);
    law(w, &t->coordinates);
}

static void force(walk *w, dal_force_spec *f)
{
    dal_text *const words[] = {&f->name, &f->type,     &f->joint, &f->body,  &f->coordinate, &f->axes,        &f->length,  &f->free,
                               &f->mu,   &f->gradient, &f->lower, &f->upper, &f->gap,        &f->restitution, &f->velocity};
    dal_list *const lists[] = {&f->connect, &f->value, &f->stiffness, &f->damping, &f->center, &f->direction, &f->limit};
    binding(w, &f->binding);
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        text(w, words[i]);
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++)
        list(w, lists[i]);
}

static void table(walk *w, dal_table_spec *t)
{
    dal_text *const words[] = {&t->name, &t->file, &t->smooth, &t->outside};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        text(w, words[i]);
    list(w, &t->x);
    list(w, &t->y);
    if (w->count) {
        w->hash = dal_hash_add(w->hash, t->x_value, sizeof *t->x_value * (size_t)t->n);
        w->hash = dal_hash_add(w->hash, t->y_value, sizeof *t->y_value * (size_t)t->n);
    }
    ARRAY(w, t->x_value, t->n);
    ARRAY(w, t->y_value, t->n);
}

static void choice(walk *w, dal_choice *c)
{
    text(w, &c->name);
    text(w, &c->value);
    ARRAY(w, c->option, c->n);
    pairs(w, c->option, c->n);
}

static void simulate(walk *w, dal_simulate_spec *s)
{
    dal_text *const words[] = {
        &s->until, &s->step, &s->every, &s->rtol, &s->atol, &s->max_step, &s->event_tolerance, &s->start, &s->undetermined.word};
    dal_choice *const choices[] = {&s->coordinates, &s->formulation, &s->stabilization, &s->integrator};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        text(w, words[i]);
    list(w, &s->undetermined.eta);
    for (size_t i = 0; i < sizeof choices / sizeof *choices; i++)
        choice(w, choices[i]);
}

static void records(walk *w, dal_spec *s)
{
    ARRAY(w, s->record, s->n_record);
    for (int i = 0; i < s->n_record; i++) {
        text(w, &s->record[i].value);
        text(w, &s->record[i].name);
        text(w, &s->record[i].unit);
        binding(w, &s->record[i].binding);
    }
}

static void view(walk *w, dal_view_spec *v)
{
    dal_list *const lists[] = {&v->traces, &v->hidden, &v->transparent, &v->camera};
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++)
        list(w, lists[i]);
    law(w, &v->colors);
    ARRAY(w, v->plots.row, v->plots.n);
    for (int i = 0; i < v->plots.n; i++)
        list(w, &v->plots.row[i]);
    mark(w, &v->plots.mark);
    text(w, &v->zoom);
    text(w, &v->focus);
}

/* First all of them, by their addresses: bindings name them. */
static void models(walk *w, dal_spec *s)
{
    ARRAY(w, s->models, s->n_models);
    for (int i = 0; i < s->n_models && !w->count; i++) {
        dal_model_spec *copy = DAL_NEW(w->arena, dal_model_spec, 1);
        *copy = *s->models[i];
        remember(w, s->models[i], copy);
        remember(w, &s->models[i]->binding, &copy->binding); /* elements point at it */
        s->models[i] = copy;
    }
    for (int i = 0; i < s->n_models; i++) {
        dal_model_spec *m = s->models[i];
        text(w, &m->name);
        text(w, &m->file);
        text(w, &m->ground);
        points(w, &m->points);
        figures(w, &m->shape);
        if (w->count)
            continue;
        string(w, &m->binding.name);
        binding(w, &m->binding.outer);
        if (m->binding.model)
            m->binding.model = find_copy(w, m->binding.model);
    }
}

static void systems(walk *w, dal_spec *s)
{
    ARRAY(w, s->systems, s->n_systems);
    for (int i = 0; i < s->n_systems; i++) {
        dal_subsystem_spec *one = &s->systems[i];
        dal_text *const words[] = {&one->name, &one->kinetic, &one->potential, &one->L, &one->T, &one->V, &one->dissipation};
        for (size_t k = 0; k < sizeof words / sizeof *words; k++)
            text(w, words[k]);
        list(w, &one->coordinates);
        list(w, &one->force);
        ARRAY(w, one->mass.row, one->mass.n);
        for (int k = 0; k < one->mass.n; k++)
            list(w, &one->mass.row[k]);
        mark(w, &one->mass.mark);
        binding(w, &one->binding);
    }
}

static void elements(walk *w, dal_spec *s)
{
    models(w, s);
    list(w, &s->gravity);
    points(w, &s->ground);
    figures(w, &s->ground_shape);
    ARRAY(w, s->define, s->n_define);
    pairs(w, s->define, s->n_define);
    ARRAY(w, s->inputs, s->n_inputs);
    pairs(w, s->inputs, s->n_inputs);
    ARRAY(w, s->speeds, s->n_speeds);
    pairs(w, s->speeds, s->n_speeds);
    ARRAY(w, s->bodies, s->n_bodies);
    for (int i = 0; i < s->n_bodies; i++)
        body(w, &s->bodies[i]);
    ARRAY(w, s->joints, s->n_joints);
    for (int i = 0; i < s->n_joints; i++)
        joint(w, &s->joints[i]);
    ARRAY(w, s->joint_types, s->n_joint_types);
    for (int i = 0; i < s->n_joint_types; i++)
        joint_type(w, &s->joint_types[i]);
    ARRAY(w, s->forces, s->n_forces);
    for (int i = 0; i < s->n_forces; i++)
        force(w, &s->forces[i]);
    ARRAY(w, s->tables, s->n_tables);
    for (int i = 0; i < s->n_tables; i++)
        table(w, &s->tables[i]);
    ARRAY(w, s->states, s->n_states);
    for (int i = 0; i < s->n_states; i++) {
        text(w, &s->states[i].name);
        text(w, &s->states[i].start);
        text(w, &s->states[i].rate);
        binding(w, &s->states[i].binding);
    }
    ARRAY(w, s->coordinates, s->n_coordinates);
    for (int i = 0; i < s->n_coordinates; i++) {
        text(w, &s->coordinates[i].name);
        text(w, &s->coordinates[i].start);
        text(w, &s->coordinates[i].rate);
        binding(w, &s->coordinates[i].binding);
    }
    ARRAY(w, s->constraints, s->n_constraints);
    for (int i = 0; i < s->n_constraints; i++) {
        text(w, &s->constraints[i].name);
        text(w, &s->constraints[i].position);
        text(w, &s->constraints[i].velocity);
        law(w, &s->constraints[i].law);
        string(w, &s->constraints[i].derived);
        binding(w, &s->constraints[i].binding);
    }
    systems(w, s);
}

static void strings(walk *w, const char ***list_of, int n)
{
    ARRAY(w, *list_of, n);
    for (int i = 0; i < n; i++)
        string(w, &(*list_of)[i]);
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
    ARRAY(&w, s->parameters, s->n_parameters);
    pairs(&w, s->parameters, s->n_parameters);
    records(&w, s);
    view(&w, &s->view);
    simulate(&w, &s->simulate);
    string(&w, &s->text);
    strings(&w, &s->files, s->n_files);
    ARRAY(&w, s->overrides, s->n_overrides);
    for (int i = 0; i < s->n_overrides; i++) {
        dal_override *o = (dal_override *)(void *)&s->overrides[i];
        string(&w, &o->name);
        string(&w, &o->value);
    }
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
    records(&w, &s);
    view(&w, &s.view);
    simulate(&w, &s.simulate);
    return dal_hash_add(w.hash, flags, sizeof flags);
}
