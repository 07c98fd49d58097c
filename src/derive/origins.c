/* Origins of terms: see origins.h. */
#include "derive/origins.h"

#include "derive/polynomial.h"
#include "derive/write.h"

#include <string.h>

/* Markers: two for each body (inertia, weight), then two for each force (potential, the rest), then three for each sub-system (inertia, potential,
 * the rest). */
struct dal_origins {
    dal_derivation *d, *marked;
    int first, n; /* letters */
};

/* ---- the marked derivation -------------------------------------------------------- */

static dal_node marker(const dal_origins *o, int i)
{
    return dal_n_var(o->marked, o->first + i);
}

static void add_markers(dal_origins *o)
{
    dal_derivation *t = o->marked;
    dal_letter *letters = DAL_NEW(t->arena, dal_letter, t->n_letters + o->n);
    memcpy(letters, t->letters, sizeof *letters * (size_t)t->n_letters);
    t->letters = letters;
    t->cap_letters = (size_t)(t->n_letters + o->n);
    o->first = t->first_source = t->n_letters;
    for (int i = 0; i < o->n; i++)
        dal_letter_add(t, DAL_ROLE_PARAMETER, dal_arena_print(t->arena, "origin.%d", i), i, 1);
}

/* Weights are marked before forces are derived, masses and moments of inertia after that. */
static void mark_weights(dal_origins *o)
{
    dal_derivation *t = o->marked;
    dal_node *weights = DAL_NEW(t->arena, dal_node, t->mechanism->n_bodies);
    for (int b = 0; b < t->mechanism->n_bodies; b++)
        weights[b] = dal_n_mul(t, t->bodies[b].mass, marker(o, 2 * b + 1));
    t->weights = weights;
}

static void mark_inertia(dal_origins *o)
{
    dal_derivation *t = o->marked;
    const int n = t->mechanism->n_bodies;
    dal_derived_body *bodies = DAL_NEW(t->arena, dal_derived_body, n);
    memcpy(bodies, t->bodies, sizeof *bodies * (size_t)n);
    for (int b = 0; b < n; b++) {
        bodies[b].mass = dal_n_mul(t, bodies[b].mass, marker(o, 2 * b));
        for (int i = 0; i < 9; i++)
            bodies[b].inertia[i] = dal_n_mul(t, bodies[b].inertia[i], marker(o, 2 * b));
    }
    t->bodies = bodies;
}

/* The same derivation up to its equations: it shares none of its results. */
static dal_derivation *begin_again(const dal_derivation *d)
{
    dal_derivation *t = dal_derivation_copy(d->before ? d->before : d);
    t->messages = NULL;
    t->options.steps = false;
    t->n_blocks = t->n_equations = t->n_steps = t->n_notes = t->n_general_steps = t->n_marks = 0;
    t->cap_blocks = t->cap_equations = t->cap_steps = t->cap_notes = 0;
    t->blocks = NULL;
    t->equations = NULL;
    t->step = NULL;
    t->notes = NULL;
    t->marks = NULL;
    t->memo = NULL;
    t->normal_work = 0;
    memset(t->algebra, 0, sizeof t->algebra);
    return t;
}

dal_origins *dal_find_origins(dal_derivation *d)
{
    enum { MOST_MARKERS = 120 }; /* letters are generators of the normal form, and their number is limited */
    dal_origins *o = DAL_NEW(d->arena, dal_origins, 1);
    o->d = d;
    o->n = 2 * (d->mechanism->n_bodies + d->spec->n_forces) + DAL_SUBSYSTEM_MARKERS * d->spec->n_systems;
    if (o->n > MOST_MARKERS || (d->before && d->before->n_letters != d->n_letters))
        return NULL;
    o->marked = begin_again(d);
    add_markers(o);
    mark_weights(o);
    dal_derive_forces(o->marked);
    mark_inertia(o);
    dal_derive_energy(o->marked);
    if (!o->marked->failed)
        d->formulation->derive(o->marked);
    if (!o->marked->failed)
        dal_put_parameters(o->marked);
    return o->marked->failed ? NULL : o;
}

dal_derivation *dal_marked_derivation(const dal_origins *o)
{
    return o->marked;
}

dal_node dal_marked_equation(const dal_origins *o, int i)
{
    return o && o->marked->n_equations == o->d->n_equations ? o->marked->equations[i].zero : DAL_NO_NODE;
}

dal_node dal_marked_entry(const dal_origins *o, int block, int entry)
{
    if (!o || o->marked->n_blocks != o->d->n_blocks)
        return DAL_NO_NODE;
    const dal_derived_block *one = &o->d->blocks[block], *other = &o->marked->blocks[block];
    return one->rows == other->rows && one->columns == other->columns ? other->values[entry] : DAL_NO_NODE;
}

dal_node dal_marked_kinetic(const dal_origins *o)
{
    return o ? o->marked->T : DAL_NO_NODE;
}

dal_node dal_marked_potential(const dal_origins *o)
{
    return o ? o->marked->V : DAL_NO_NODE;
}

/* ---- the moving part of a term -------------------------------------------------------- */

static bool is_marker(const dal_origins *o, int letter)
{
    return letter >= o->first && letter < o->first + o->n;
}

static bool is_constant(const dal_origins *o, const dal_form *form)
{
    if (form->kind == DAL_FORM_NAMED)
        return false;
    if (form->kind == DAL_FORM_LETTER && o->marked->letters[form->letter].role != DAL_ROLE_PARAMETER &&
        o->marked->letters[form->letter].role != DAL_ROLE_NUMBER)
        return false;
    for (int i = 0; i < form->n; i++)
        if (!is_constant(o, form->item[i]))
            return false;
    return true;
}

/* The form without markers; markers are always factors. */
static const dal_form *unmarked(const dal_origins *o, const dal_form *form)
{
    dal_arena *arena = o->d->arena;
    if (form->kind == DAL_FORM_LETTER && is_marker(o, form->letter))
        return dal_form_rational(arena, 1, 1);
    if (!form->n)
        return form;
    dal_form *copy = dal_form_make(arena, form->kind, form->n);
    const dal_form **item = copy->item;
    *copy = *form;
    copy->item = item;
    copy->n = 0;
    for (int i = 0; i < form->n; i++) {
        const dal_form *part = unmarked(o, form->item[i]);
        const bool one = part != form->item[i] && part->kind == DAL_FORM_NUMBER && part->num == 1 && part->den == 1;
        if (form->kind != DAL_FORM_PRODUCT || !one)
            item[copy->n++] = part;
    }
    if (form->kind == DAL_FORM_POWER && item[0]->kind == DAL_FORM_NUMBER && item[0]->num == item[0]->den)
        return item[0];
    return form->kind != DAL_FORM_PRODUCT || copy->n > 1 ? copy : copy->n ? item[0] : dal_form_rational(arena, 1, 1);
}

static void grow_name(const dal_origins *o, dal_growing *name, const dal_form *form, bool below)
{
    switch (form->kind) {
    case DAL_FORM_NEGATIVE: grow_name(o, name, form->item[0], below); return;
    case DAL_FORM_PRODUCT:
        for (int i = 0; i < form->n; i++)
            grow_name(o, name, form->item[i], below);
        return;
    case DAL_FORM_QUOTIENT:
        grow_name(o, name, form->item[0], below);
        grow_name(o, name, form->item[1], !below);
        return;
    default: break;
    }
    if (!is_constant(o, form))
        dal_grow(name, "%s%s", below ? "/" : "*", dal_form_text(o->marked, unmarked(o, form), false));
}

/* "*th''*cos(th)" */
static const char *name_of_term(const dal_origins *o, const dal_form *form)
{
    dal_growing name = {.arena = o->d->arena};
    dal_grow(&name, "%s", "");
    grow_name(o, &name, form, false);
    return name.text;
}

/* ---- what a term has ------------------------------------------------------------------- */

/* Markers, rows and forces of joints in a term, and whether it has accelerations. */
typedef struct sources {
    const dal_origins *o;
    bool *marker, *row, *wrench; /* wrench: of each letter */
    bool found, accelerated;
} sources;

static sources no_sources(const dal_origins *o)
{
    return (sources){.o = o,
                     .marker = DAL_NEW(o->d->arena, bool, o->n + 1),
                     .row = DAL_NEW(o->d->arena, bool, o->d->n_rows + 1),
                     .wrench = DAL_NEW(o->d->arena, bool, o->marked->n_letters)};
}

static void note_letter(void *user, int letter)
{
    sources *s = user;
    const dal_letter *l = &s->o->marked->letters[letter];
    if (is_marker(s->o, letter))
        s->found = s->marker[letter - s->o->first] = true;
    else if (l->role == DAL_ROLE_MULTIPLIER)
        s->found = s->row[l->index] = true;
    else if (l->role == DAL_ROLE_WRENCH)
        s->found = s->wrench[letter] = true;
    else if (l->role == DAL_ROLE_ACCELERATION || l->role == DAL_ROLE_SPEED_RATE || l->role == DAL_ROLE_PORT_ACCELERATION)
        s->accelerated = true;
}

static void note_form(sources *s, const dal_form *form)
{
    if (form->kind == DAL_FORM_LETTER)
        note_letter(s, form->letter);
    for (int i = 0; i < form->n; i++)
        note_form(s, form->item[i]);
}

/* ---- in words ---------------------------------------------------------------------------- */

static const char *const kind_names[DAL_ORIGIN_KINDS] = {
    "", "inertia of", "centrifugal and gyroscopic forces of", "gravity on", "potential of", "force of", "constraint", ""};

static dal_origin_kind kind_of_marker(const sources *s, int i)
{
    const int bodies = 2 * s->o->d->mechanism->n_bodies, forces = bodies + 2 * s->o->d->spec->n_forces;
    const dal_origin_kind inertia = s->accelerated ? DAL_ORIGIN_INERTIA : DAL_ORIGIN_GYROSCOPIC;
    if (i < bodies)
        return i % 2 ? DAL_ORIGIN_GRAVITY : inertia;
    if (i >= forces) {
        const dal_origin_kind kinds[DAL_SUBSYSTEM_MARKERS] = {inertia, DAL_ORIGIN_SPRING, DAL_ORIGIN_FORCE};
        return kinds[(i - forces) % DAL_SUBSYSTEM_MARKERS];
    }
    if (i % 2)
        return DAL_ORIGIN_FORCE;
    return s->o->d->spec->forces[(i - bodies) / 2].mu.text ? DAL_ORIGIN_GRAVITY : DAL_ORIGIN_SPRING;
}

static const char *part_of_marker(const dal_origins *o, int i)
{
    const int bodies = 2 * o->d->mechanism->n_bodies, forces = bodies + 2 * o->d->spec->n_forces;
    if (i >= forces)
        return o->d->spec->systems[(i - forces) / DAL_SUBSYSTEM_MARKERS].name.text;
    return i < bodies ? o->d->mechanism->bodies[i / 2].name : o->d->spec->forces[(i - bodies) / 2].name.text;
}

static void add_part(dal_growing *text, dal_origin_kind kind, int *n, const char *part)
{
    if (!*n)
        dal_grow(text, "%s%s ", text->n ? "; " : "", kind_names[kind]);
    dal_grow(text, "%s%s", (*n)++ ? ", " : "", part);
}

static dal_term_origin in_words(const sources *s)
{
    const dal_origins *o = s->o;
    dal_growing text = {.arena = o->d->arena};
    dal_origin_kind found = DAL_ORIGIN_UNKNOWN;
    dal_grow(&text, "%s", "");
    for (dal_origin_kind kind = DAL_ORIGIN_INERTIA; kind <= DAL_ORIGIN_CONSTRAINT; kind++) {
        int n = 0;
        for (int i = 0; i < o->n && kind != DAL_ORIGIN_CONSTRAINT; i++)
            if (s->marker[i] && kind_of_marker(s, i) == kind)
                add_part(&text, kind, &n, part_of_marker(o, i));
        for (int r = 0; r < o->d->n_rows && kind == DAL_ORIGIN_CONSTRAINT; r++)
            if (s->row[r])
                add_part(&text, kind, &n, o->d->row[r].name);
        for (int i = 0; i < o->marked->n_letters && kind == DAL_ORIGIN_CONSTRAINT; i++)
            if (s->wrench[i])
                add_part(&text, kind, &n, o->marked->letters[i].name);
        if (n)
            found = found == DAL_ORIGIN_UNKNOWN ? kind : DAL_ORIGIN_SEVERAL;
    }
    return (dal_term_origin){found, text.text};
}

/* ---- normal forms: by the moving part ------------------------------------------------------ */

static bool same_terms(dal_derivation *d, int n, const dal_signed_form *terms, const dal_form *form)
{
    int m;
    const dal_signed_form *other = dal_form_terms(d, form, &m);
    if (n != m)
        return false;
    for (int i = 0; i < n; i++)
        if (terms[i].negative != other[i].negative ||
            (terms[i].form != other[i].form && strcmp(dal_form_text(d, terms[i].form, false), dal_form_text(d, other[i].form, false))))
            return false;
    return true;
}

/* The marked equation, in the same way and with the same divisor as the printed terms. NULL: they are not a normal form. */
static const dal_form *marked_form(dal_origins *o, dal_node node, dal_node marked, int n, const dal_signed_form *terms)
{
    for (int divided = 0; divided < 2; divided++)
        for (dal_way way = 0; way < DAL_WAYS; way++) {
            const dal_form *form = dal_normal_in_way(o->d, node, way, divided);
            if (form && same_terms(o->d, n, terms, form))
                return dal_normal_in_way(o->marked, marked, way, divided);
        }
    return NULL;
}

static void origins_by_name(dal_origins *o, const dal_form *marked, int n, const dal_signed_form *terms, sources *found)
{
    int m;
    const dal_signed_form *other = dal_form_terms(o->d, marked, &m);
    for (int i = 0; i < m; i++) {
        const char *name = name_of_term(o, other[i].form);
        for (int k = 0; k < n; k++)
            if (!strcmp(name, name_of_term(o, terms[k].form)))
                note_form(&found[k], other[i].form);
    }
}

/* ---- by monomials: a term is multiplied out, whatever its brackets ------------------------------ */

/* A sum, a product or a quotient of the nodes that `node_of` makes of its items. */
static dal_node node_of_items(dal_derivation *d, const dal_form *form, dal_node (*node_of)(dal_derivation *d, const dal_form *item))
{
    const dal_op op = form->kind == DAL_FORM_SUM ? DAL_OP_ADD : form->kind == DAL_FORM_QUOTIENT ? DAL_OP_DIV : DAL_OP_MUL;
    dal_node node = node_of(d, form->item[0]);
    for (int i = 1; i < form->n && node != DAL_NO_NODE; i++) {
        const dal_node next = node_of(d, form->item[i]);
        node = next == DAL_NO_NODE ? next : dal_binary(d->graph, op, node, next);
    }
    return node;
}

/* An angle, with its numbers: a letter, a product, or a sum of such. */
static dal_node node_of_angle(dal_derivation *d, const dal_form *form)
{
    if (form->kind == DAL_FORM_NUMBER)
        return dal_n_div(d, dal_n_const(d, (double)form->num), dal_n_const(d, (double)form->den));
    if (form->kind == DAL_FORM_LETTER)
        return dal_n_var(d, form->letter);
    if (form->kind == DAL_FORM_NEGATIVE) {
        const dal_node x = node_of_angle(d, form->item[0]);
        return x == DAL_NO_NODE ? x : dal_n_neg(d, x);
    }
    const bool known = form->kind == DAL_FORM_SUM || form->kind == DAL_FORM_PRODUCT || form->kind == DAL_FORM_QUOTIENT;
    return known ? node_of_items(d, form, node_of_angle) : DAL_NO_NODE;
}

/* The node of a printed form with 1 in place of every number, because monomials do not depend on numbers. DAL_NO_NODE: unknown here. */
static dal_node node_of_form(dal_derivation *d, const dal_form *form)
{
    static const struct {
        const char *name;
        dal_op op;
    } functions[] = {{"sin", DAL_OP_SIN}, {"cos", DAL_OP_COS}, {"tan", DAL_OP_TAN}};
    if (form->kind == DAL_FORM_NUMBER)
        return dal_n_const(d, 1);
    if (form->kind == DAL_FORM_LETTER)
        return dal_n_var(d, form->letter);
    if (form->kind == DAL_FORM_FUNCTION && form->n == 1) { /* numbers in an angle matter */
        const dal_node x = node_of_angle(d, form->item[0]);
        for (size_t i = 0; i < sizeof functions / sizeof *functions && x != DAL_NO_NODE; i++)
            if (!strcmp(functions[i].name, form->name))
                return dal_unary(d->graph, functions[i].op, x);
        return DAL_NO_NODE;
    }
    if (form->kind == DAL_FORM_NAMED || form->kind == DAL_FORM_FUNCTION || (form->kind == DAL_FORM_POWER && form->n != 1))
        return DAL_NO_NODE;
    const dal_node node = node_of_items(d, form, node_of_form);
    return node != DAL_NO_NODE && form->kind == DAL_FORM_POWER ? dal_binary(d->graph, DAL_OP_POW, node, dal_n_const(d, form->exponent)) : node;
}

/* Is it a factor of `marked` without its markers? */
static bool same_monomial(const dal_origins *o, const dal_algebra *g, const dal_monomial *marked, const dal_monomial *plain)
{
    int n = 0;
    for (int i = 0; i < marked->n_factors; i++) {
        const dal_generator *which = &g->generators[marked->factors[i].generator];
        if (which->kind == DAL_GENERATOR_LETTER && is_marker(o, which->letter))
            continue;
        if (n == plain->n_factors || plain->factors[n].generator != marked->factors[i].generator ||
            plain->factors[n].exponent != marked->factors[i].exponent)
            return false;
        n++;
    }
    return n == plain->n_factors && marked->trig == plain->trig &&
           !dal_compare_powers(marked->n_angles, marked->angles, plain->n_angles, plain->angles);
}

static bool note_monomials(const dal_origins *o, const dal_algebra *g, const dal_poly *whole, const dal_poly *term, sources *found)
{
    bool any = false;
    for (int i = 0; i < term->n; i++)
        for (int k = 0; k < whole->n; k++) {
            if (!same_monomial(o, g, &whole->term[k], &term->term[i]))
                continue;
            any = true;
            for (int f = 0; f < whole->term[k].n_factors; f++)
                if (g->generators[whole->term[k].factors[f].generator].kind == DAL_GENERATOR_LETTER)
                    note_letter(found, g->generators[whole->term[k].factors[f].generator].letter);
        }
    return any;
}

/* False: some term has no monomial of the marked equation. `by`: the divisor of the equation, or NULL. */
static bool origins_by_monomials(dal_origins *o, dal_node marked, dal_way way, const dal_form *by, int n, const dal_signed_form *terms,
                                 sources *found)
{
    dal_derivation *t = o->marked;
    dal_node *nodes = DAL_NEW(o->d->arena, dal_node, n);
    for (int i = 0; i < n; i++) {
        const dal_node factor = by ? node_of_form(t, by) : dal_n_const(t, 1);
        nodes[i] = node_of_form(t, terms[i].form);
        if (nodes[i] == DAL_NO_NODE || factor == DAL_NO_NODE)
            return false;
        nodes[i] = dal_n_mul(t, nodes[i], factor);
    }
    dal_algebra *g = dal_begin_algebra(t, way);
    const dal_poly whole = dal_poly_of_graph(g, marked);
    bool all = !g->failed;
    for (int i = 0; i < n && all; i++) {
        const dal_poly term = dal_poly_of_graph(g, nodes[i]);
        all = !g->failed && note_monomials(o, g, &whole, &term, &found[i]);
    }
    return all;
}

static bool origins_in_any_way(dal_origins *o, dal_node marked, const dal_form *by, int n, const dal_signed_form *terms, const sources *found,
                               sources *tried)
{
    bool known = false;
    for (dal_way way = 0; way < DAL_WAYS && !known; way++) {
        for (int i = 0; i < n; i++) {
            tried[i] = no_sources(o);
            tried[i].accelerated = found[i].accelerated;
            note_form(&tried[i], terms[i].form);
        }
        known = origins_by_monomials(o, marked, way, by, n, terms, tried);
    }
    return known;
}

/* The same for an equation that is printed divided by the common factors of its terms. */
static bool origins_divided(dal_origins *o, const dal_printed *printed, int n, const dal_signed_form *terms, const sources *found, sources *tried)
{
    const dal_form *by = NULL;
    dal_normal_equation(o->d, printed->node, &by, NULL);
    return by && origins_in_any_way(o, printed->marked, by, n, terms, found, tried);
}

/* ---- equations as they were derived: by the node --------------------------------------------- */

static dal_node without_markers(void *user, dal_graph *graph, int variable)
{
    return is_marker(user, variable) ? dal_const(graph, 1) : DAL_NO_NODE;
}

/* Sums are opened until a node is a printed term. */
static void origins_by_node(dal_origins *o, const dal_writer *w, dal_node marked, int n, const dal_signed_form *terms, sources *found)
{
    dal_graph *graph = o->d->graph;
    const dal_node node = dal_substitute(graph, marked, without_markers, o);
    const dal_form *form = node < w->n_nodes ? w->form[node] : NULL;
    dal_node x[3];
    if (form && form->kind == DAL_FORM_NEGATIVE) /* the sign of a term is separate */
        form = form->item[0];
    for (int k = 0; k < n && form; k++)
        if (terms[k].form == form) {
            dal_each_var(graph, marked, note_letter, &found[k]);
            return;
        }
    const dal_op op = dal_node_op(graph, marked);
    if (op != DAL_OP_ADD && op != DAL_OP_SUB && op != DAL_OP_NEG)
        return;
    for (int i = 0, m = dal_node_operands(graph, marked, x); i < m; i++)
        origins_by_node(o, w, x[i], n, terms, found);
}

/* ---- the rest: by what a term is proportional to --------------------------------------------------- */

typedef struct still {
    const dal_derivation *d;
    bool velocities; /* zero as well */
} still;

static dal_node at_rest(void *user, dal_graph *graph, int variable)
{
    const still *s = user;
    const dal_role role = s->d->letters[variable].role;
    const bool acceleration = role == DAL_ROLE_ACCELERATION || role == DAL_ROLE_SPEED_RATE;
    const bool velocity = role == DAL_ROLE_RATE || role == DAL_ROLE_SPEED;
    return acceleration || (velocity && s->velocities) ? dal_const(graph, 0) : DAL_NO_NODE;
}

/* The first letter of one of two roles in a form. */
static bool has_letter(const dal_derivation *d, const dal_form *form, dal_role one, dal_role other, int *letter)
{
    if (form->kind == DAL_FORM_LETTER && (d->letters[form->letter].role == one || d->letters[form->letter].role == other)) {
        *letter = form->letter;
        return true;
    }
    for (int i = 0; i < form->n; i++)
        if (has_letter(d, form->item[i], one, other, letter))
            return true;
    return false;
}

/* Brackets in which no monomial was recognised: all terms that are proportional to the same acceleration, to velocities, or to neither. */
static void origins_by_kind(dal_origins *o, dal_node marked, int n, const dal_signed_form *terms, sources *found)
{
    dal_derivation *t = o->marked;
    for (int k = 0; k < n; k++) {
        int letter = -1;
        if (found[k].found)
            continue;
        if (has_letter(t, terms[k].form, DAL_ROLE_ACCELERATION, DAL_ROLE_SPEED_RATE, &letter)) {
            dal_each_var(t->graph, dal_diff(t->graph, marked, letter), note_letter, &found[k]);
            continue;
        }
        still s = {t, false};
        const dal_node moving = dal_substitute(t->graph, marked, at_rest, &s);
        s.velocities = true;
        const dal_node rest = dal_substitute(t->graph, marked, at_rest, &s);
        const bool velocity = has_letter(t, terms[k].form, DAL_ROLE_RATE, DAL_ROLE_SPEED, &letter);
        dal_each_var(t->graph, velocity ? dal_diff(t->graph, moving, letter) : rest, note_letter, &found[k]);
    }
}

/* With names for what is shared, instead of a normal form. */
static bool printed_as_derived(const dal_writer *w, dal_node node)
{
    return node < w->n_nodes && w->form[node];
}

void dal_term_origins(dal_origins *o, dal_writer *writer, const dal_printed *printed, int n, const dal_signed_form *terms, dal_term_origin *origin)
{
    for (int i = 0; i < n; i++)
        origin[i] = (dal_term_origin){DAL_ORIGIN_UNKNOWN, ""};
    if (!o || printed->marked == DAL_NO_NODE)
        return;
    sources *found = DAL_NEW(o->d->arena, sources, n);
    for (int i = 0; i < n; i++) {
        found[i] = no_sources(o);
        found[i].accelerated = printed->inertial;
        note_form(&found[i], terms[i].form);
    }
    const long work = o->d->normal_work; /* forms that are only compared are not counted: the printed forms are the same without origins */
    sources *tried = DAL_NEW(o->d->arena, sources, n);
    const bool known = origins_in_any_way(o, printed->marked, NULL, n, terms, found, tried) || origins_divided(o, printed, n, terms, found, tried);
    const dal_form *form = known ? NULL : marked_form(o, printed->node, printed->marked, n, terms);
    o->d->normal_work = work;
    if (known)
        memcpy(found, tried, sizeof *found * (size_t)n);
    else if (form)
        origins_by_name(o, form, n, terms, found);
    else
        origins_by_node(o, writer, printed->marked, n, terms, found);
    if (!known && !printed_as_derived(writer, printed->node))
        origins_by_kind(o, printed->marked, n, terms, found);
    for (int i = 0; i < n; i++)
        if (found[i].found)
            origin[i] = in_words(&found[i]);
}
