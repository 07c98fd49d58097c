/* The balance of the forces along directions without inertia, as texts of the model language; missing.h has the equation.
 *
 * A force that acts along a measure x with the effort F adds F dx, dx the change of x along the direction; one at a point, f . dr; a torque, t . dw.
 * Gravity has no effect there: no body with a mass moves.
 *
 * Several directions: where dampers act between them, only some sums of their equations have rates. The matrix R of the forces by the
 * velocities along them tells: its null vectors are sums without rates, which are conditions between positions.
 */
#include "compile/missing.h"
#include "math/rank.h"
#include "state/state_parts.h"

#include <math.h>
#include <string.h>

static const double nothing = 1e-8; /* change along a direction that is rounding, of the largest */

typedef struct balance {
    dal_build *build;
    dal_symbolic *s;
    const dal_massless *n;
    dal_node sum;
    double size; /* of the direction: metres, or radians times the model's length */
} balance;

static dal_node binary(balance *b, dal_op op, dal_node x, dal_node y)
{
    return dal_binary(b->s->graph, op, x, y);
}

static dal_node dot_nodes(balance *b, const dal_node x[3], const dal_node y[3])
{
    dal_node sum = dal_const(b->s->graph, 0);
    for (int i = 0; i < 3; i++)
        sum = binary(b, DAL_OP_ADD, sum, binary(b, DAL_OP_MUL, x[i], y[i]));
    return sum;
}

static void add_work(balance *b, dal_node effort, dal_node change)
{
    b->sum = binary(b, DAL_OP_ADD, b->sum, binary(b, DAL_OP_MUL, effort, change));
}

/* ---- what a force acts along -------------------------------------------------------------------------- */

/* Along the direction a force's own measure changes by this; 0 where it is rounding, whole numbers exact. */
static double change_of(const balance *b, int measure)
{
    const dal_layout *layout = dal_layout_of(b->build->first);
    const double d = measure < 0 ? 0 : b->n->measured[measure];
    const bool angle = measure >= 0 && layout->mechanism->measures[measure].kind == DAL_MEASURE_ANGLE;
    if (fabs(d) <= nothing * b->size / (angle ? layout->units.length : 1))
        return 0;
    return fabs(d) > 0.5 && fabs(d - round(d)) <= nothing ? round(d) : d;
}

/* Do two bodies move against each other? */
static bool parts(const balance *b, int first, int second)
{
    const double zero[6] = {0}, *s = first < 0 ? zero : b->n->twist + 6 * first, *t = second < 0 ? zero : b->n->twist + 6 * second;
    double most = 0;
    if (first < 0 && second < 0)
        return false;
    const dal_kin *kin = dal_seen_work(b->build->first)->kin;
    double arm[3], shift[3];
    for (int i = 0; i < 3; i++)
        arm[i] = kin[second].r[i] - kin[first].r[i];
    for (int i = 0; i < 3; i++) { /* rigid with the first: t = s + w x arm */
        const int j = (i + 1) % 3, k = (i + 2) % 3;
        shift[i] = s[i] + s[3 + j] * arm[k] - s[3 + k] * arm[j];
        most = fmax(most, fmax(fabs(t[i] - shift[i]), fabs(t[3 + i] - s[3 + i]) * dal_layout_of(b->build->first)->units.length));
    }
    return most > nothing * b->size;
}

/* The ends of a force between two points. */
typedef struct line {
    dal_node along[3], length, change; /* second less first; how long; how that changes along the direction */
} line;

/* A length in coordinates of the model's own: its root, or the only component that is not zero, with its sign at the start. */
static dal_node own_length(balance *b, const dal_node along[3], const dal_marker end[2])
{
    const dal_kin *kin = dal_seen_work(b->build->first)->kin;
    int only = -1, n = 0;
    for (int i = 0; i < 3; i++) {
        double value = 1;
        if (!dal_is_const(b->s->graph, along[i], &value) || value != 0) {
            only = i;
            n++;
        }
    }
    if (n != 1)
        return dal_unary(b->s->graph, DAL_OP_SQRT, dot_nodes(b, along, along));
    double at[2];
    for (int k = 0; k < 2; k++) {
        const double *R = kin[end[k].body].R + 3 * only;
        at[k] = kin[end[k].body].r[only] + R[0] * end[k].s[0] + R[1] * end[k].s[1] + R[2] * end[k].s[2];
    }
    return at[1] >= at[0] ? along[only] : dal_unary(b->s->graph, DAL_OP_NEG, along[only]);
}

static bool find_line(balance *b, const dal_force_spec *spec, line *out)
{
    dal_symbolic *s = b->s;
    dal_marker end[2];
    dal_node place[2][3], shift[2][3], apart[3];
    for (int k = 0; k < 2; k++) {
        if (!dal_build_marker(b->build, spec->connect.item[k], &end[k], NULL))
            return false;
        dal_symbolic_point(s, &end[k], spec->connect.item[k].text, place[k]);
        dal_massless_shift(s, b->n, &end[k], spec->connect.item[k].text, shift[k]);
    }
    for (int i = 0; i < 3; i++) {
        out->along[i] = dal_symbolic_simplify(s, binary(b, DAL_OP_SUB, place[1][i], place[0][i]));
        apart[i] = dal_symbolic_simplify(s, binary(b, DAL_OP_SUB, shift[1][i], shift[0][i]));
    }
    if (s->frame) {
        out->length = dal_symbolic_simplify(s, own_length(b, out->along, end));
        out->change = dal_const(s->graph, 0);
        for (int k = 0; k < b->build->spec->n_coordinates; k++) {
            const int variable = b->n->own[k] != 0 ? dal_symbolic_coordinate(s, k) : -1;
            if (variable >= 0)
                out->change = binary(b, DAL_OP_ADD, out->change,
                                     binary(b, DAL_OP_MUL, dal_const(s->graph, b->n->own[k]), dal_diff(s->graph, out->length, variable)));
        }
    } else {
        if (!dal_symbolic_channel(s, dal_arena_print(s->arena, "%s.length", spec->name.text), &out->length))
            return false;
        out->change = binary(b, DAL_OP_DIV, dot_nodes(b, out->along, apart), out->length);
    }
    out->change = dal_symbolic_simplify(s, out->change);
    return true;
}

/* The measure that a force acts along, as an expression, and its change; false: it has none. */
static bool find_measure(balance *b, int force, line *out)
{
    const dal_force_spec *spec = &b->build->spec->forces[force];
    if (spec->connect.n == 2)
        return find_line(b, spec, out);
    out->change = dal_const(b->s->graph, change_of(b, b->build->forces[force].measure));
    return dal_symbolic_channel(b->s, dal_arena_print(b->s->arena, "%s.length", spec->name.text), &out->length);
}

/* ---- one force -------------------------------------------------------------------------------------------- */

static bool refuse_force(balance *b, const dal_force_spec *spec, const char *why)
{
    dal_mark mark;
    dal_derive_fail(b->build, spec->name.mark,
                    "the balance of the forces along the direction of %s, which has no inertia, cannot be derived: '%s' acts along it, and %s",
                    dal_massless_names(b->build, b->n, &mark), spec->name.text, why);
    return false;
}

static const char no_symbols[] = "its force has no form in symbols; give mass or inertia, or write the condition in `constraints:`";

/* -k (l - l0) - c l' + value */
static bool add_spring(balance *b, int force)
{
    const dal_force_spec *spec = &b->build->spec->forces[force];
    const dal_text free = spec->connect.n ? spec->length : spec->free;
    dal_symbolic *s = b->s;
    dal_node effort = dal_const(s->graph, 0), number;
    line on;
    if (!find_measure(b, force, &on))
        return refuse_force(b, spec, no_symbols);
    if (spec->stiffness.n) {
        dal_node stretch = on.length;
        if (!dal_symbolic_parse(s, spec->binding, spec->stiffness.item[0], &number))
            return refuse_force(b, spec, no_symbols);
        dal_node stiffness = number;
        if (free.text && !dal_symbolic_parse(s, spec->binding, free, &number))
            return refuse_force(b, spec, no_symbols);
        if (free.text)
            stretch = binary(b, DAL_OP_SUB, stretch, number);
        effort = binary(b, DAL_OP_SUB, effort, binary(b, DAL_OP_MUL, stiffness, dal_symbolic_simplify(s, stretch)));
    }
    if (spec->damping.n) {
        dal_node rate;
        if (!dal_symbolic_parse(s, spec->binding, spec->damping.item[0], &number))
            return refuse_force(b, spec, no_symbols);
        if (s->frame && spec->connect.n)
            rate = dal_symbolic_simplify(s, dal_symbolic_rate(s, on.length));
        else if (!dal_symbolic_channel(s, dal_arena_print(s->arena, "%s.length'", spec->name.text), &rate))
            return refuse_force(b, spec, no_symbols);
        effort = binary(b, DAL_OP_SUB, effort, binary(b, DAL_OP_MUL, number, rate));
    }
    if (spec->value.n) {
        if (!dal_symbolic_parse(s, spec->binding, spec->value.item[0], &number))
            return refuse_force(b, spec, no_symbols);
        effort = binary(b, DAL_OP_ADD, effort, number);
    }
    add_work(b, effort, on.change);
    return true;
}

static bool read_components(balance *b, const dal_force_spec *spec, int first, dal_node out[3])
{
    for (int i = 0; i < 3; i++)
        out[i] = dal_const(b->s->graph, 0);
    for (int i = 0; i < spec->value.n && first + i < 3; i++)
        if (!dal_symbolic_parse(b->s, spec->binding, spec->value.item[i], &out[first + i]))
            return refuse_force(b, spec, no_symbols);
    return true;
}

/* Components in the axes of a body, in those of the world. */
static void turn_components(balance *b, int body, dal_node f[3])
{
    dal_node world[3], column[3];
    for (int i = 0; i < 3; i++)
        world[i] = dal_const(b->s->graph, 0);
    for (int k = 0; k < 3; k++) {
        const double axis[3] = {k == 0, k == 1, k == 2};
        dal_symbolic_direction(b->s, body, axis, column);
        for (int i = 0; i < 3; i++)
            world[i] = binary(b, DAL_OP_ADD, world[i], binary(b, DAL_OP_MUL, column[i], f[k]));
    }
    memcpy(f, world, sizeof world);
}

/* A force at a point, a torque on bodies, or an effort along a measure. */
static bool add_applied(balance *b, int force, const dal_force_type *type)
{
    const dal_force_spec *spec = &b->build->spec->forces[force];
    const bool torque = type->acts == DAL_ACTS_BY_TORQUE, in_body = spec->axes.text && !strcmp(spec->axes.text, "body");
    const int space = (int)b->build->spec->space;
    dal_node value[3], change[3], other[3];
    dal_marker at;
    line on;
    if (!read_components(b, spec, spec->value.n == 1 && space == 2 && torque ? 2 : 0, value))
        return false;
    if (spec->limit.n)
        return refuse_force(b, spec, "its limits are corners, where the condition has no derivatives");
    if (type->acts == DAL_ACTS_ANY_WAY || spec->joint.text || (spec->connect.n && !torque) || (!spec->connect.n && !spec->body.text)) {
        if (spec->connect.n ? !find_line(b, spec, &on) : false)
            return refuse_force(b, spec, no_symbols);
        if (!spec->connect.n)
            on.change = dal_const(b->s->graph, change_of(b, b->build->forces[force].measure));
        add_work(b, value[torque && space == 2 ? 2 : 0], on.change);
        return true;
    }
    if (!torque) {
        if (!dal_build_marker(b->build, spec->body, &at, NULL))
            return false;
        dal_massless_shift(b->s, b->n, &at, spec->body.text, change);
        if (in_body)
            turn_components(b, at.body, value);
        add_work(b, dot_nodes(b, value, change), dal_const(b->s->graph, 1));
        return true;
    }
    int body[2] = {DAL_GROUND, DAL_GROUND};
    for (int k = 0; k < 2; k++) {
        const dal_text *name = spec->body.text ? (k ? &spec->body : NULL) : &spec->connect.item[k];
        if (name && !dal_build_marker(b->build, *name, &at, NULL))
            return false;
        body[k] = name ? at.body : DAL_GROUND;
    }
    if (!dal_massless_turn(b->s, b->n, body[1], change) || !dal_massless_turn(b->s, b->n, body[0], other))
        return refuse_force(b, spec, no_symbols);
    if (in_body && space == 3)
        turn_components(b, body[1] == DAL_GROUND ? body[0] : body[1], value);
    for (int i = 0; i < 3; i++)
        change[i] = binary(b, DAL_OP_SUB, change[i], other[i]);
    add_work(b, dot_nodes(b, value, change), dal_const(b->s->graph, 1));
    return true;
}

/* Does a force that has no form in symbols act along the direction? */
static bool touches(const balance *b, int force)
{
    const dal_force_spec *spec = &b->build->spec->forces[force];
    dal_marker end[2] = {{.body = DAL_GROUND}, {.body = DAL_GROUND}};
    if (spec->joint.text || !spec->connect.n)
        return change_of(b, b->build->forces[force].measure) != 0;
    for (int k = 0; k < spec->connect.n && k < 2; k++)
        if (!dal_build_marker(b->build, spec->connect.item[k], &end[k], NULL))
            return true;
    return parts(b, end[0].body, end[1].body);
}

static bool add_force(balance *b, int force)
{
    const dal_force_spec *spec = &b->build->spec->forces[force];
    const dal_force_type *type = dal_force_type_find(spec->type.text);
    if (type->on_masses)
        return true;
    if (type->spring)
        return add_spring(b, force);
    if (type->applied)
        return add_applied(b, force, type);
    return !touches(b, force) ||
           refuse_force(b, spec, type->corners ? "it begins and ends with a corner, where the condition has no derivatives" : no_symbols);
}

/* Friction and forces of joints that are not ideal. */
static bool refuse_joints(balance *b)
{
    const dal_mechanism *m = &b->build->mechanism;
    dal_mark mark;
    for (int i = 0; i < b->build->n_frictions + b->build->n_laws; i++) {
        const bool friction = i < b->build->n_frictions;
        const dal_joint *joint = &m->joints[friction ? b->build->frictions[i].joint : b->build->laws[i - b->build->n_frictions].joint];
        if (!(dal_joint_is_expression(joint) || parts(b, joint->marker[0].body, joint->marker[1].body)))
            continue;
        dal_derive_fail(
            b->build, joint->mark,
            "the balance of the forces along the direction of %s, which has no inertia, cannot be derived: %s of '%s' may act along it, and has no "
            "form in symbols",
            dal_massless_names(b->build, b->n, &mark), friction ? "the friction" : "the non-ideal force", joint->name);
        return false;
    }
    return true;
}

/* ---- one direction -------------------------------------------------------------------------------------------- */

static bool find_balance(balance *b, dal_node *out)
{
    const double length = dal_layout_of(b->build->first)->units.length;
    b->sum = dal_const(b->s->graph, 0);
    b->size = 0;
    for (int i = 0; i < 6 * b->build->mechanism.n_bodies; i++)
        b->size = fmax(b->size, fabs(b->n->twist[i]) * (i % 6 < 3 ? 1 : length));
    if (!refuse_joints(b))
        return false;
    for (int i = 0; i < b->build->spec->n_forces; i++)
        if (!add_force(b, i))
            return false;
    *out = dal_symbolic_collect(b->s, b->sum);
    return true;
}

/* Verdicts: balances that cannot be a constraint. */
static bool is_condition(balance *b, dal_node node)
{
    dal_symbolic *s = b->s;
    dal_mark mark;
    const char *names = dal_massless_names(b->build, b->n, &mark);
    const dal_symbolic_variable *other = dal_symbolic_holds(s, node, DAL_SYMBOLIC_OTHER);
    const bool rates = dal_symbolic_holds(s, node, DAL_SYMBOLIC_RATE) != NULL, moves = rates || dal_symbolic_holds(s, node, DAL_SYMBOLIC_POSITION);
    double value;
    if (dal_is_const(s->graph, dal_symbolic_numbers(s, node), &value) && value == 0) {
        dal_derive_fail(b->build, mark,
                        "no force acts along the direction of %s, which has no inertia: the balance of the forces there says nothing, and does not "
                        "determine the motion; give mass or inertia, or another constraint",
                        names);
        return false;
    }
    if (other) {
        dal_derive_fail(b->build, mark,
                        "the balance of the forces along the direction of %s, which has no inertia, is %s: it contains '%s', whose derivatives are "
                        "not known; write it as an "
                        "expression of t, or give mass or inertia",
                        names, dal_symbolic_print(s, node).equation, other->name);
        return false;
    }
    if (!moves) {
        dal_derive_fail(b->build, mark,
                        "the balance of the forces along the direction of %s, which has no inertia, is %s: it cannot hold, because no position and "
                        "no velocity is in it; "
                        "give mass or inertia",
                        names, dal_symbolic_print(s, node).equation);
        return false;
    }
    if (dal_smoothness(s->graph, node) < (rates ? 2 : 3)) {
        dal_derive_fail(b->build, mark,
                        "the balance of the forces along the direction of %s, which has no inertia, is %s: it has corners, and a constraint %s; give "
                        "mass or inertia",
                        names, dal_symbolic_print(s, node).equation,
                        rates ? "between velocities needs a continuous derivative" : "between positions needs two continuous derivatives");
        return false;
    }
    return true;
}

/* ---- several directions ----------------------------------------------------------------------------------------- */

/* Sums of the directions whose equations contain no rates, and directions that complete the basis. */
static void separate_rates(dal_build *build, dal_state *state, int n, dal_massless *list)
{
    double *R = DAL_NEW(build->arena, double, n *n), *sigma = DAL_NEW(build->arena, double, 2 * n), *left = DAL_NEW(build->arena, double, n *n);
    double *work = DAL_NEW(build->arena, double, dal_rank_work(n, n)), *size = DAL_NEW(build->arena, double, n);
    dal_massless *old = DAL_NEW(build->arena, dal_massless, n);
    dal_massless_damping(build, state, n, list, R, size);
    const int rank = dal_rank_svd(R, n, n, n, nothing, sigma, NULL, left, work), sums = n - rank;
    if (rank <= 0 || !sums)
        return;
    for (int i = 0; i < sums * n; i++)
        left[i] /= size[i % n];
    dal_reduce_rows(sums, n, left);
    memcpy(old, list, sizeof *old * (size_t)n);
    for (int i = 0; i < sums; i++) { /* the first entry of each row is one: that direction is replaced */
        int k = 0;
        while (k < n - 1 && left[i * n + k] == 0)
            k++;
        list[k] = dal_massless_combine(build, n, old, left + i * n);
    }
}

static const char *free_name(dal_build *build, int number, int n)
{
    const char *name = n == 1 ? "balance" : dal_arena_print(build->arena, "balance%d", number + 1), *rest;
    while (dal_symbol_prefix(build, name, &rest))
        name = dal_arena_print(build->arena, "%s_", name);
    return name;
}

void dal_build_derive(dal_build *build, dal_state *state)
{
    dal_derivation *d = build->derivation;
    dal_massless *list;
    int n;
    if (!dal_massless_find(build, state, &n, &list))
        return;
    if (build->spec->n_systems) { /* their forces and inertia are not among those of the bodies */
        dal_derive_fail(
            build, build->spec->systems[0].name.mark,
            "the balance of the forces along directions without inertia cannot be derived in a model with `systems:` or `lagrangian:`; write it in "
            "`constraints:`");
        return;
    }
    dal_symbolic *s = dal_symbolic_begin(build);
    dal_condition *conditions = DAL_NEW(&d->arena, dal_condition, n);
    if (build->spec->n_coordinates && !s->frame)
        return;
    bool rates = false;
    for (int i = 0; i < n && n > 1; i++) {
        balance b = {.build = build, .s = s, .n = &list[i]};
        dal_node node;
        if (!find_balance(&b, &node))
            return;
        rates |= dal_symbolic_holds(s, node, DAL_SYMBOLIC_RATE) != NULL;
    }
    if (rates)
        separate_rates(build, state, n, list);
    for (int i = 0; i < n; i++) {
        balance b = {.build = build, .s = s, .n = &list[i]};
        dal_node node;
        if (!find_balance(&b, &node) || !is_condition(&b, node))
            return;
        const dal_condition_text text = dal_symbolic_print(s, node);
        const char *name = free_name(build, i, n);
        conditions[i] = (dal_condition){.name = dal_arena_copy(&d->arena, name, strlen(name)),
                                        .text = dal_arena_copy(&d->arena, text.text, strlen(text.text)),
                                        .equation = dal_arena_copy(&d->arena, text.equation, strlen(text.equation)),
                                        .rates = dal_symbolic_holds(s, node, DAL_SYMBOLIC_RATE) != NULL};
    }
    d->n = n;
    d->condition = conditions;
}

void dal_derivation_release(dal_derivation *derivation)
{
    dal_arena_release(&derivation->arena);
}

const char *dal_condition_line(dal_arena *arena, const dal_condition *c)
{
    const char *quote = strpbrk(c->text, ",[]{}#") ? "\"" : "";
    return dal_arena_print(arena, "%s: {%s: %s%s%s}", c->name, c->rates ? "velocity" : "position", quote, c->text, quote);
}
