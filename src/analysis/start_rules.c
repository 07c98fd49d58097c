/* The rules of assembly in symbols: start_rules.h, start_proof.c.
 *
 * Assembly (start/assemble.c) finds the placement with phi = 0 that is nearest to the given one. With s = (c - c_g, theta): by how much the centre of mass
 * and the attitude of a body miss what is given, theta the rotation vector of R R_g^T, weights w of mass and inertia, G the motions of s and A of phi:
 *     sum w_j s_j G_j + A^T mu = 0
 * |theta|^2 changes by 2 theta . omega, so that this is stationary for large turns, too. Given values that are fixed are among the rows of A.
 * Velocities (start/start_velocities.c) come as near to the given ones as A v = beta allows, and then have the least energy T:
 *     sum w_j s_j G_j + A^T mu = 0,   dT/dv + A^T nu + G^T kappa = 0
 * A start that is an equilibrium is at rest, where the forces of f balance, r + A^T mu = 0.
 * Given values are written as functions of the parameters (derive/written_start.h); guessed places are in no sum. Numbers that stay what is written for
 * every p, as coordinates of joints do in a tree, are known.
 */
#include "analysis/start_rules.h"

#include "derive/nodes.h"
#include "derive/written_start.h"
#include "joint/joint.h"

#include <math.h>
#include <string.h>

static const double lightest = 1e-3; /* weights, over the heaviest: as in assembly */

typedef struct writing {
    dal_arena *arena;
    dal_derivation *d;
    dal_start_rules *rules;
    dal_written_start *start; /* of each body */
    dal_node heaviest;
    bool failed;
} writing;

typedef enum purpose { KNOWN, EXACT, SOFT } purpose;

/* A scalar that a rule is about. */
typedef struct item {
    dal_node value, weight, *gradient; /* nv; NULL: not needed */
    purpose group;
    bool shift, stays;
    struct item *next;
} item;

typedef struct level {
    item *first, **last;
    int n[3];
} level;

/* ---- outputs --------------------------------------------------------------------------------------------- */

static int put(writing *w, dal_node node)
{
    dal_start_rules *rules = w->rules;
    const dal_node out = dal_in_coordinates(w->d, node);
    w->failed = w->failed || dal_is_unsolved(w->d, out);
    *DAL_PUSH(w->arena, rules->node, rules->n, rules->capacity) = out;
    return rules->n - 1;
}

static int add_letters(writing *w, const char *name, int n)
{
    const int first = w->d->n_letters;
    for (int i = 0; i < n; i++)
        dal_letter_add(w->d, DAL_ROLE_NUMBER, name, 1, 0);
    return first;
}

static item *add_item(writing *w, level *l, purpose group, dal_node value, bool shift)
{
    item *new = DAL_NEW(w->arena, item, 1);
    *new = (item){.value = value, .weight = DAL_NO_NODE, .group = group, .shift = shift};
    *l->last = new;
    l->last = &new->next;
    l->n[group]++;
    return new;
}

/* d rate / dv_k */
static dal_node *gradient_of(writing *w, dal_node rate)
{
    dal_node *row = DAL_NEW(w->arena, dal_node, w->d->nv + 1);
    for (int k = 0; k < w->d->nv; k++)
        row[k] = dal_by_rate(w->d, rate, k);
    return row;
}

/* What is given of a body: kept exactly, or as near as possible. */
static void add_given(writing *w, level *l, bool fixed, dal_node value, dal_node rate, dal_node weight, bool shift)
{
    item *new = add_item(w, l, fixed ? EXACT : SOFT, value, shift);
    new->gradient = gradient_of(w, rate);
    new->weight = weight;
}

/* ---- weights: dal_assembly_weigh ----------------------------------------------------------------------- */

static dal_node at_least(dal_derivation *d, dal_node node, dal_node least)
{
    return dal_derive_value(d, node) >= dal_derive_value(d, least) ? node : least;
}

static void find_heaviest(writing *w)
{
    dal_derivation *d = w->d;
    w->heaviest = dal_n_const(d, 1);
    for (int b = 0, any = 0; b < d->mechanism->n_bodies; b++) {
        const dal_node mass = d->bodies[b].mass;
        if (!(dal_derive_value(d, mass) > (any ? dal_derive_value(d, w->heaviest) : 0)))
            continue;
        w->heaviest = mass;
        any = 1;
    }
}

static dal_node mass_weight(writing *w, int b)
{
    dal_derivation *d = w->d;
    return at_least(d, d->bodies[b].mass, dal_n_mul(d, dal_n_const(d, lightest), w->heaviest));
}

static dal_node inertia_weight(writing *w, int b)
{
    dal_derivation *d = w->d;
    const dal_node *I = d->bodies[b].inertia;
    const double length = d->layout->units.length;
    const dal_node mean = dal_n_planar(d) ? I[8] : dal_n_div(d, dal_n_add(d, dal_n_add(d, I[0], I[4]), I[8]), dal_n_const(d, 3));
    return at_least(d, mean, dal_n_mul(d, dal_n_const(d, lightest * length * length), w->heaviest));
}

/* ---- turns ----------------------------------------------------------------------------------------------- */

/* theta / sin(theta), by u = 1 - cos(theta) near zero: the sum of a_n u^n, a_n = a_(n-1) n / (2 n + 1). */
static dal_node turn_over_sine(dal_derivation *d, dal_node square, dal_node cosine)
{
    const dal_node sine = dal_unary(d->graph, DAL_OP_SQRT, square), u = dal_n_sub(d, dal_n_const(d, 1), cosine);
    const dal_node far = dal_n_div(d, dal_binary(d->graph, DAL_OP_ATAN2, sine, cosine), sine);
    dal_node near = dal_n_const(d, 1);
    for (int n = 5; n > 0; n--)
        near = dal_n_add(d, dal_n_const(d, 1), dal_n_mul(d, dal_n_mul(d, u, near), dal_n_const(d, n / (2.0 * n + 1))));
    return dal_select(d->graph, dal_binary(d->graph, DAL_OP_LESS, square, dal_n_const(d, 1e-4)), near, far);
}

/* The rotation vector of R R_g^T: its z in the plane. Returns how many components there are. */
static int write_turn(dal_derivation *d, const dal_node R[9], const dal_node given[9], dal_node theta[3])
{
    dal_node D[9], sine[3];
    dal_n_multiply(d, R, given, true, D);
    if (dal_n_planar(d)) {
        theta[0] = dal_binary(d->graph, DAL_OP_ATAN2, D[3], D[0]);
        return 1;
    }
    const dal_node two = dal_n_const(d, 2);
    for (int i = 0; i < 3; i++) {
        const int j = (i + 1) % 3, k = (i + 2) % 3;
        sine[i] = dal_n_div(d, dal_n_sub(d, D[3 * k + j], D[3 * j + k]), two);
    }
    const dal_node trace = dal_n_add(d, dal_n_add(d, D[0], D[4]), D[8]);
    const dal_node factor = turn_over_sine(d, dal_n_dot(d, sine, sine), dal_n_div(d, dal_n_sub(d, trace, dal_n_const(d, 1)), two));
    for (int i = 0; i < 3; i++)
        theta[i] = dal_n_mul(d, factor, sine[i]);
    return 3;
}

/* ---- what is given of the bodies ----------------------------------------------------------------------- */

static bool turns(const writing *w, int b)
{
    return w->d->layout->body[b].n_rot > 0;
}

/* The place is that of the centre of mass where the attitude is given, too. */
static void write_places(writing *w, level *l, int b)
{
    dal_derivation *d = w->d;
    const dal_written_start *start = &w->start[b];
    const dal_derived_body *body = &d->bodies[b];
    const bool center = start->turned && turns(w, b);
    dal_node given[3] = {start->r[0], start->r[1], start->r[2]}, arm[3], theta[3], spin[3];
    if (center) {
        dal_n_turn(d, start->R, body->center, arm);
        dal_n_sum(d, given, arm, given);
    }
    for (int i = 0; i < (int)d->mechanism->space && start->placed; i++) {
        const dal_node miss = dal_n_sub(d, center ? body->c[i] : body->r[i], given[i]);
        add_item(w, l, KNOWN, dal_n_sub(d, body->r[i], start->r[i]), true);
        add_given(w, l, start->place_fixed, miss, center ? body->cd[i] : body->rd[i], mass_weight(w, b), true);
    }
    if (!start->turned || !turns(w, b))
        return;
    const int n = write_turn(d, body->R, start->R, theta);
    dal_derive_row_spin(d, b, false, spin);
    for (int i = 0; i < n; i++) {
        add_item(w, l, KNOWN, theta[i], false);
        add_given(w, l, start->turn_fixed, theta[i], spin[n == 1 ? 2 : i], inertia_weight(w, b), false);
    }
}

/* The velocity is that of the centre of mass where the spin is given, too: r' + w x rho with the present rho. */
static void write_rates(writing *w, level *l, int b)
{
    dal_derivation *d = w->d;
    const dal_written_start *start = &w->start[b];
    const dal_derived_body *body = &d->bodies[b];
    const bool center = start->spins && turns(w, b);
    const int first = dal_n_planar(d) ? 2 : 0;
    dal_node given[3] = {start->rd[0], start->rd[1], start->rd[2]}, arm[3], swept[3], spin[3];
    if (center) {
        dal_n_turn(d, body->R, body->center, arm);
        dal_n_cross(d, start->w, arm, swept);
        dal_n_sum(d, given, swept, given);
    }
    for (int i = 0; i < (int)d->mechanism->space && start->moves; i++) {
        const dal_node now = center && !start->motion_fixed ? body->cd[i] : body->rd[i];
        const dal_node miss = dal_n_sub(d, now, center && !start->motion_fixed ? given[i] : start->rd[i]);
        add_item(w, l, KNOWN, dal_n_sub(d, body->rd[i], start->rd[i]), true);
        add_given(w, l, start->motion_fixed, miss, now, mass_weight(w, b), true);
    }
    if (!center)
        return;
    dal_derive_row_spin(d, b, false, spin);
    for (int i = first; i < 3; i++) {
        const dal_node miss = dal_n_sub(d, spin[i], start->w[i]);
        add_item(w, l, KNOWN, miss, false);
        add_given(w, l, start->spin_fixed, miss, spin[i], inertia_weight(w, b), false);
    }
}

/* ---- coordinates of joints --------------------------------------------------------------------------------- */

/* Which coordinate a start of the joint gives. */
static bool is_started(const dal_joint_spec *spec, const dal_joint_variant *variant, int k, dal_text *value)
{
    const char *name = spec->start.angle.text ? "angle" : spec->start.distance.text ? "distance" : NULL;
    *value = spec->start.angle.text ? spec->start.angle : spec->start.distance;
    return spec->start.mark.line && (name ? variant->coordinates[k] && !strcmp(variant->coordinates[k], name) : k == 0);
}

/* If a value is written, the known number is the coordinate less this value. Otherwise it is the coordinate itself. A fixed value holds exactly. A rate
 * that may yield has a weight of its own in assembly. Here the weight is 0: where the rate is met, the weight has no effect; where it is missed, the
 * balance fails, and the rule is not used. */
static void add_coordinate(writing *w, level *l, const dal_joint_spec *spec, dal_text text, bool started, dal_node now, dal_node rate, bool shift)
{
    dal_value value;
    const bool reads = started && text.text && dal_derive_text(w->d, spec->binding, text, &value) && value.n == 1;
    const dal_node miss = reads ? dal_n_sub(w->d, now, value.node[0]) : now;
    add_item(w, l, KNOWN, miss, shift)->stays = !reads;
    if (reads && (spec->start.fix || now == rate))
        add_given(w, l, spec->start.fix, miss, rate, dal_n_const(w->d, 0), shift);
}

static void write_joint(writing *w, level *places, level *rates, int j)
{
    dal_derivation *d = w->d;
    const dal_joint_spec *spec = &d->spec->joints[j];
    const dal_joint *joint = &d->mechanism->joints[j];
    if (!joint->type || joint->equations || spec->connect.n != 2)
        return;
    const dal_joint_variant *variant = dal_joint_in(joint->type, d->mechanism->space);
    for (int k = 0; k < joint->n_coordinates; k++) {
        dal_text value;
        const bool started = is_started(spec, variant, k, &value);
        const bool shift = d->mechanism->measures[joint->coordinate[k]].kind != DAL_MEASURE_ANGLE;
        const dal_node now = dal_derive_joint_coordinate(d, j, k), rate = dal_along_motion(d, now);
        add_coordinate(w, places, spec, value, started, now, rate, shift);
        add_coordinate(w, rates, spec, spec->start.rate, started, rate, rate, shift);
    }
}

/* ---- the model's own coordinates ---------------------------------------------------------------------------- */

/* The weight turns a change of the coordinate into metres by which bodies move. This unit is taken at the assembled place; assembly takes it at the given
 * place (start/coordinate_start.c). */
static void write_coordinate(writing *w, level *l, const dal_coordinate_spec *spec, dal_text text, dal_node now, int v)
{
    dal_derivation *d = w->d;
    const double scale = d->layout->units.column_scale[v];
    dal_value value;
    const bool reads = text.text && dal_derive_text(d, spec->binding, text, &value) && value.n == 1;
    const dal_node miss = reads ? dal_n_sub(d, now, value.node[0]) : now;
    add_item(w, l, KNOWN, miss, false)->stays = !reads;
    if (reads)
        add_given(w, l, text.fix, miss, dal_n_var(d, d->v + v), dal_n_const(d, scale * scale), true);
}

static void write_coordinates(writing *w, level *places, level *rates)
{
    dal_derivation *d = w->d;
    for (int i = 0; i < d->spec->n_coordinates; i++) {
        const dal_coordinate_spec *spec = &d->spec->coordinates[i];
        const int q = d->layout->own_q + i, v = d->layout->own_v + i;
        write_coordinate(w, places, spec, spec->start, dal_n_var(d, d->q + q), v);
        write_coordinate(w, rates, spec, spec->rate, dal_n_var(d, d->v + v), v);
    }
}

/* ---- rows --------------------------------------------------------------------------------------------------- */

static void write_rows(writing *w, level *l, bool places)
{
    dal_derivation *d = w->d;
    for (int i = 0; i < d->n_rows; i++) {
        if (places && d->row[i].phi == DAL_NO_NODE)
            continue;
        item *new = add_item(w, l, EXACT, d->row[i].rate, false);
        new->gradient = DAL_NEW(w->arena, dal_node, d->nv + 1);
        memcpy(new->gradient, d->A + (size_t)i * (size_t)d->nv, sizeof *new->gradient *(size_t)d->nv);
    }
}

/* ---- all of it ------------------------------------------------------------------------------------------------ */

/* sum of letter x gradient k over a group, letters from `first`. */
static dal_node multiply(const writing *w, const level *l, purpose group, int first, int k)
{
    dal_derivation *d = w->d;
    dal_node sum = dal_n_const(d, 0);
    for (const item *i = l->first; i; i = i->next)
        if (i->group == group)
            sum = dal_n_add(d, sum, dal_n_mul(d, dal_n_var(d, first++), i->gradient[k]));
    return sum;
}

static dal_node balance_of(const writing *w, const level *l, bool forces, int mu, int k)
{
    dal_derivation *d = w->d;
    dal_node sum = multiply(w, l, EXACT, mu, k);
    if (forces)
        return dal_n_add(d, sum, d->equations[k].zero);
    for (const item *i = l->first; i; i = i->next)
        if (i->group == SOFT)
            sum = dal_n_add(d, sum, dal_n_mul(d, dal_n_mul(d, i->weight, i->value), i->gradient[k]));
    return sum;
}

static int put_gradients(writing *w, const level *l, purpose group)
{
    const int first = w->rules->n;
    for (const item *i = l->first; i; i = i->next)
        for (int k = 0; k < w->d->nv && i->group == group; k++)
            put(w, i->gradient[k]);
    return first;
}

static int put_values(writing *w, const level *l, purpose group, bool weights)
{
    const int first = w->rules->n;
    for (const item *i = l->first; i; i = i->next)
        if (i->group == group)
            put(w, weights ? i->weight : i->value);
    return first;
}

static void put_level(writing *w, const level *l, bool rates, dal_start_level *out)
{
    dal_derivation *d = w->d;
    *out = (dal_start_level){.n_known = l->n[KNOWN], .n_exact = l->n[EXACT], .n_soft = l->n[SOFT]};
    out->shift = DAL_NEW(w->arena, bool, out->n_known + 1);
    out->stays = DAL_NEW(w->arena, bool, out->n_known + 1);
    out->far = DAL_NEW(w->arena, bool, out->n_soft + 1);
    int known = 0, soft = 0;
    for (const item *i = l->first; i; i = i->next) {
        if (i->group == KNOWN) {
            out->shift[known] = i->shift;
            out->stays[known++] = i->stays;
        } else if (i->group == SOFT)
            out->far[soft++] = i->shift;
    }
    out->mu = add_letters(w, "mu", out->n_exact);
    out->nu = add_letters(w, "nu", out->n_exact);
    out->kappa = add_letters(w, "kappa", out->n_soft);
    out->known = put_values(w, l, KNOWN, false);
    out->exact = put_gradients(w, l, EXACT);
    out->soft = put_values(w, l, SOFT, false);
    out->weight = put_values(w, l, SOFT, true);
    out->gradient = put_gradients(w, l, SOFT);
    out->balances = out->n_soft || (w->rules->settled && !rates);
    out->balance = w->rules->n;
    for (int k = 0; k < d->nv; k++)
        put(w, balance_of(w, l, w->rules->settled && !rates, out->mu, k));
    out->energy = w->rules->n;
    for (int k = 0; k < d->nv && rates; k++)
        put(w, dal_n_add(d, dal_by_rate(d, d->T, k), dal_n_add(d, multiply(w, l, EXACT, out->nu, k), multiply(w, l, SOFT, out->kappa, k))));
}

static void write_states(writing *w)
{
    dal_derivation *d = w->d;
    w->rules->states = w->rules->n;
    for (int i = 0; i < d->spec->n_states; i++) {
        const dal_state_spec *spec = &d->spec->states[i];
        dal_value value = {1, {dal_n_const(d, 0)}, 0};
        if (spec->start.text && (!dal_derive_text(d, spec->binding, spec->start, &value) || value.n != 1))
            w->failed = true;
        if (d->state[i] < 0)
            d->state[i] = dal_letter_add(d, DAL_ROLE_STATE, spec->name.text, i, 0);
        put(w, dal_n_sub(d, dal_n_var(d, d->state[i]), value.node[0]));
    }
}

static void write_given(writing *w, level *places, level *rates)
{
    dal_derivation *d = w->d;
    find_heaviest(w);
    for (int b = 0; b < d->mechanism->n_bodies; b++) {
        dal_write_start(d, b, &w->start[b]);
        write_places(w, places, b);
        write_rates(w, rates, b);
    }
    for (int j = 0; j < d->spec->n_joints; j++)
        write_joint(w, places, rates, j);
    write_coordinates(w, places, rates);
    write_states(w);
}

/* At rest, whatever is given. */
static void write_rest(writing *w, level *rates)
{
    for (int k = 0; k < w->d->nv; k++)
        add_item(w, rates, KNOWN, dal_n_var(w->d, w->d->v + k), false);
    w->failed = w->d->spec->n_states || w->d->n_equations != w->d->nv;
}

dal_start_rules *dal_start_rules_write(dal_arena *arena, dal_derivation *d)
{
    writing w = {.arena = arena, .d = d, .rules = DAL_NEW(arena, dal_start_rules, 1)};
    level places = {.first = NULL}, rates = {.first = NULL};
    places.last = &places.first;
    rates.last = &rates.first;
    *w.rules = (dal_start_rules){.d = d};
    w.start = DAL_NEW(arena, dal_written_start, d->mechanism->n_bodies + 1);
    w.rules->settled = dal_system_describe(d->system).start_settled;
    write_rows(&w, &places, true);
    write_rows(&w, &rates, false);
    if (w.rules->settled)
        write_rest(&w, &rates);
    else
        write_given(&w, &places, &rates);
    if (w.failed)
        return NULL;
    put_level(&w, &places, false, &w.rules->places);
    put_level(&w, &rates, true, &w.rules->rates);
    return w.failed ? NULL : w.rules;
}
