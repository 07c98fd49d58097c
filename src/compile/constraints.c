/* Constraints and speeds written as expressions: forms.
 *
 * An expression in measures m, their rates m' and time becomes
 *   position   f(m, t) = 0:                  a_k = df/dm_k,    b = df/dt
 *   velocity   sum a_k(m, t) m_k' + b(m, t): a_k = df/dm_k',   b = f with all rates zero
 * and the derivatives of a_k and b by m and t, from which rows.c makes gamma. A velocity constraint is linear in the rates if no a_k
 * contains one; then nothing is lost. A speed is the same as a velocity constraint, but not zero. One that is not linear, phi(m, m', t) = 0,
 * is a form at every state:
 *   curved     a_k = dphi/dm_k',   b = phi - sum a_k m_k',   and the second derivatives of phi by the rates
 * with a and b that depend on the rates (rows.c).
 *
 * The kinematics know the rate of a measure and its gradients. Other channels of an expression are first written in measures:
 *   component k of a point or direction x     x . e_k
 *   angular velocity, world axes              w_i = 1/2 sum over the body's axes f of (f_j f_k' - f_k f_j'),  (i, j, k) cyclic
 *   angular velocity, body axes               w . f_i = f_j' . f_k
 * because f' = w x f.
 */
#include "compile/build.h"
#include "model/system.h"

#include <math.h>
#include <string.h>

typedef struct written {
    int n;                       /* measures in it */
    int *measure, *value, *rate; /* and the variables that they and their rates are */
    dal_node f, *a, b;
    bool nonholonomic;
    bool curved; /* some a contains a rate */
} written;

/* ---- everything in measures ----------------------------------------------------- */

static dal_node plus(dal_graph *graph, dal_node u, dal_node v)
{
    return dal_binary(graph, DAL_OP_ADD, u, v);
}

static dal_node times(dal_graph *graph, dal_node u, dal_node v)
{
    return dal_binary(graph, DAL_OP_MUL, u, v);
}

static dal_node measure_signal(dal_build *build, int measure, int order)
{
    return dal_build_signal(build, (dal_signal){DAL_SIGNAL_MEASURE, measure, 0, order, 0});
}

/* The measure x . e_k; used again where it is there. */
static int component(dal_build *build, int vector, int k)
{
    dal_mechanism *m = &build->mechanism;
    const int wanted[4] = {vector, -1, k, -1};
    for (int i = m->n_measures - 1; i >= 0; i--)
        if (m->measures[i].kind == DAL_MEASURE_DOT && !memcmp(m->measures[i].vector, wanted, sizeof wanted)) {
            m->measures[i].wanted = true;
            return i;
        }
    return dal_add_dot(m, vector, -1, k, -1);
}

/* f_m . e_k of an axis of a body, or its rate. */
static dal_node axis_component(dal_build *build, int body, int axis, int k, int order)
{
    double e[3] = {0, 0, 0};
    e[axis] = 1;
    return measure_signal(build, component(build, dal_add_vector(&build->mechanism, body, false, e), k), order);
}

static dal_node spin(dal_build *build, const dal_signal *s)
{
    dal_graph *graph = build->graph;
    const int i = s->component, j = (i + 1) % 3, k = (i + 2) % 3, body = s->index;
    dal_node sum = dal_const(graph, 0);
    if (build->spec->space == DAL_PLANAR)
        return measure_signal(build, dal_build_body_angle(build, body), 1);
    for (int c = 0; c < 3 && s->kind == DAL_SIGNAL_OMEGA_BODY; c++)
        sum = plus(graph, sum, times(graph, axis_component(build, body, j, c, 1), axis_component(build, body, k, c, 0)));
    for (int m = 0; m < 3 && s->kind == DAL_SIGNAL_OMEGA; m++) {
        dal_node forth = times(graph, axis_component(build, body, m, j, 0), axis_component(build, body, m, k, 1));
        dal_node back = times(graph, axis_component(build, body, m, k, 0), axis_component(build, body, m, j, 1));
        sum = plus(graph, sum, times(graph, dal_const(graph, 0.5), dal_binary(graph, DAL_OP_SUB, forth, back)));
    }
    return sum;
}

static dal_node in_measures(void *user, dal_graph *graph, int variable)
{
    dal_build *build = user;
    const dal_signal s = build->signals[variable];
    switch (s.kind) {
    case DAL_SIGNAL_MEASURE:
        if (s.zero == 0)
            return DAL_NO_NODE;
        return s.order ? measure_signal(build, s.index, s.order) : plus(graph, measure_signal(build, s.index, 0), dal_const(graph, s.zero));
    case DAL_SIGNAL_VECTOR: return measure_signal(build, component(build, s.index, s.component), s.order);
    case DAL_SIGNAL_OMEGA:
    case DAL_SIGNAL_OMEGA_BODY: return spin(build, &s);
    default: return DAL_NO_NODE;
    }
}

/* ---- the parts of a form ------------------------------------------------------------ */

typedef struct collection {
    dal_build *build;
    int n, *measure;
    size_t capacity;
} collection;

static void collect_measure(void *user, int variable)
{
    collection *c = user;
    const dal_signal *s = &c->build->signals[variable];
    bool seen = s->kind != DAL_SIGNAL_MEASURE;
    for (int k = 0; k < c->n; k++)
        seen |= c->measure[k] == s->index;
    if (!seen)
        *DAL_PUSH(c->build->arena, c->measure, c->n, c->capacity) = s->index;
}

static void find_measures(dal_build *build, written *form)
{
    collection found = {.build = build};
    dal_each_var(build->graph, form->f, collect_measure, &found);
    form->n = found.n;
    form->measure = found.measure;
    form->value = DAL_NEW(build->arena, int, form->n);
    form->rate = DAL_NEW(build->arena, int, form->n);
    form->a = DAL_NEW(build->arena, dal_node, form->n);
    for (int k = 0; k < form->n; k++) {
        form->value[k] = dal_build_variable(build, (dal_signal){DAL_SIGNAL_MEASURE, form->measure[k], 0, 0, 0});
        form->rate[k] = dal_build_variable(build, (dal_signal){DAL_SIGNAL_MEASURE, form->measure[k], 0, 1, 0});
    }
}

static int time_variable(dal_build *build)
{
    return dal_build_variable(build, (dal_signal){DAL_SIGNAL_TIME, 0, 0, 0, 0});
}

static dal_node rates_are_zero(void *user, dal_graph *graph, int variable)
{
    const dal_build *build = user;
    return build->signals[variable].kind == DAL_SIGNAL_MEASURE && build->signals[variable].order == 1 ? dal_const(graph, 0) : DAL_NO_NODE;
}

static bool contains_rates(dal_build *build, const written *form, dal_node node)
{
    for (int k = 0; k < form->n; k++)
        if (dal_depends(build->graph, node, form->rate[k]))
            return true;
    return false;
}

/* phi - sum a_k m_k' */
static dal_node rest_of_tangent(dal_build *build, const written *form)
{
    dal_node rest = form->f;
    for (int k = 0; k < form->n; k++)
        rest = dal_binary(build->graph, DAL_OP_SUB, rest, times(build->graph, form->a[k], dal_var(build->graph, form->rate[k])));
    return rest;
}

static written split_form(dal_build *build, dal_node f, bool nonholonomic)
{
    written form = {.nonholonomic = nonholonomic};
    form.f = dal_substitute(build->graph, f, in_measures, build);
    find_measures(build, &form);
    for (int k = 0; k < form.n; k++)
        form.a[k] = dal_diff(build->graph, form.f, nonholonomic ? form.rate[k] : form.value[k]);
    form.b = nonholonomic ? dal_substitute(build->graph, form.f, rates_are_zero, build) : dal_diff(build->graph, form.f, time_variable(build));
    for (int k = 0; k < form.n && nonholonomic; k++)
        form.curved |= contains_rates(build, &form, form.a[k]);
    if (form.curved)
        form.b = rest_of_tangent(build, &form);
    return form;
}

/* Outputs in the order of dal_form_outputs, then those of a curved one; returns the first. */
static int write_form(dal_build *build, const written *form)
{
    const int time = time_variable(build);
    int first = dal_build_expression(build, &build->forms, form->nonholonomic ? dal_const(build->graph, 0) : form->f);
    for (int k = 0; k <= form->n; k++)
        dal_build_expression(build, &build->forms, k < form->n ? form->a[k] : form->b);
    for (int k = 0; k <= form->n; k++) {
        dal_node of = k < form->n ? form->a[k] : form->b;
        for (int l = 0; l < form->n; l++)
            dal_build_expression(build, &build->forms, dal_diff(build->graph, of, form->value[l]));
        dal_build_expression(build, &build->forms, dal_diff(build->graph, of, time));
    }
    for (int k = 0; k < form->n && form->curved; k++)
        for (int l = 0; l < form->n; l++)
            dal_build_expression(build, &build->forms, dal_diff(build->graph, form->a[k], form->rate[l]));
    return first;
}

/* ---- what is refused ------------------------------------------------------------------- */

static bool is_zero(const dal_build *build, dal_node node)
{
    double value;
    return dal_is_const(build->graph, node, &value) && value == 0;
}

static int count_bodies(const dal_build *build, const written *form)
{
    const dal_mechanism *m = &build->mechanism;
    bool *seen = DAL_NEW(build->arena, bool, m->n_bodies);
    int n = 0;
    for (int k = 0; k < form->n; k++) {
        const dal_measure *measure = &m->measures[form->measure[k]];
        for (int j = 0; j < 4 && measure->kind != DAL_MEASURE_COORDINATE; j++) {
            int body = measure->vector[j] < 0 ? DAL_GROUND : m->vectors[measure->vector[j]].body;
            if (body != DAL_GROUND && !seen[body]) {
                seen[body] = true;
                n++;
            }
        }
    }
    return n;
}

/* A position constraint is differentiated twice, a velocity constraint once: two and one continuous derivatives. */
static bool check_form(dal_build *build, const written *form, const char *what, const char *name, dal_text text, bool may_curve)
{
    bool moves = false;
    if (!form->nonholonomic && contains_rates(build, form, form->f)) {
        dal_error(build->messages, text.mark, "%s '%s' contains rates: a position constraint is made of positions and time; write `velocity:`", what,
                  name);
        return false;
    }
    for (int k = 0; k < form->n; k++)
        moves |= !is_zero(build, form->a[k]);
    if (form->curved && !may_curve) {
        dal_error(build->messages, text.mark, "%s '%s' is not linear in the rates: each rate may only be multiplied by positions, time and numbers",
                  what, name);
        return false;
    }
    if (!moves) {
        dal_error(build->messages, text.mark, "%s '%s' says nothing about the motion: %s", what, name,
                  !form->nonholonomic    ? "it contains no position"
                  : form->n && may_curve ? "it contains no rate, as in x'; a condition on positions is written as `position:`"
                                         : "it contains no rate, as in x'");
        return false;
    }
    const int needed = form->nonholonomic ? 2 : 3, smooth = dal_smoothness(build->graph, form->f);
    if (smooth < needed) {
        dal_error(build->messages, text.mark, "%s '%s' needs %s; this expression %s (use a table with smooth: 2, tanh, or a polynomial)", what, name,
                  form->curved         ? "a continuous second derivative by the rates"
                  : form->nonholonomic ? "factors with a continuous derivative"
                                       : "two continuous derivatives",
                  smooth == 0   ? "may jump"
                  : smooth == 1 ? "has corners"
                                : "has jumps in its second derivative");
        return false;
    }
    if (count_bodies(build, form) > DAL_MAX_SIDES) {
        dal_error(build->messages, text.mark, "%s '%s' names %d bodies: at most %d are possible in one", what, name, count_bodies(build, form),
                  DAL_MAX_SIDES);
        return false;
    }
    return true;
}

int dal_build_measure(dal_build *build, dal_node node)
{
    dal_node in = dal_substitute(build->graph, node, in_measures, build);
    for (int i = 0; i < build->n_signals; i++)
        if (build->signals[i].kind == DAL_SIGNAL_MEASURE && build->signals[i].order == 0 && in == dal_var(build->graph, i))
            return build->signals[i].index;
    return -1;
}

static bool read_form(dal_build *build, const dal_binding *binding, const char *what, const char *name, dal_text text, bool nonholonomic,
                      bool may_curve, written *form)
{
    dal_node f;
    if (!dal_build_scalar(build, DAL_REACH_CONSTRAINT, binding, text, &f))
        return false;
    *form = split_form(build, f, nonholonomic);
    return check_form(build, form, what, name, text, may_curve);
}

/* ---- joints, constraints, speeds ----------------------------------------------------------- */

static dal_node joint_signal(dal_joint_builder *b, int measure, int order)
{
    return measure_signal(b->user, measure, order);
}

static void joint_form(dal_joint_builder *b, dal_node f, bool nonholonomic)
{
    dal_build *build = b->user;
    written form = split_form(build, f, nonholonomic);
    dal_add_form(&build->mechanism, form.n, form.measure, write_form(build, &form), nonholonomic);
}

void dal_build_joint_forms(dal_build *build, dal_joint_builder *b)
{
    b->graph = build->graph;
    b->signal = joint_signal;
    b->form = joint_form;
    b->user = build;
}

/* `x' - y` is a constraint, and so is the text with a prime forgotten. */
static void doubt_primes(dal_build *build, const written *form, const char *what, const char *name, dal_text text)
{
    for (int k = 0; k < form->n && form->nonholonomic && !form->curved; k++)
        if (dal_depends(build->graph, form->b, form->value[k])) {
            dal_warn(build->messages, text.mark, DAL_CODE_MISSING_PRIME, NAN,
                     "%s '%s' has a part that depends on the position and has no rate in it: is a prime missing?", what, name);
            return;
        }
}

/* ---- equations of joint types ------------------------------------------------------- */

static dal_node measures_are_zero(void *user, dal_graph *graph, int variable)
{
    const dal_build *build = user;
    return build->signals[variable].kind == DAL_SIGNAL_MEASURE ? dal_const(graph, 0) : DAL_NO_NODE;
}

static bool measures_points(const dal_mechanism *m, const dal_measure *measure)
{
    bool points = measure->kind == DAL_MEASURE_LENGTH;
    for (int k = 0; k < 4 && measure->kind == DAL_MEASURE_DOT; k++)
        points |= measure->vector[k] >= 0 && m->vectors[measure->vector[k]].point;
    return points;
}

/* Sum of constants times measures, plus a constant: (13) of `planar-component-library` as a sum of scalar products. */
static bool add_plain_row(dal_build *build, const written *form)
{
    double constant;
    dal_term *terms = DAL_NEW(build->arena, dal_term, form->n);
    int n = 0;
    if (form->nonholonomic || !dal_is_const(build->graph, dal_substitute(build->graph, form->f, measures_are_zero, build), &constant))
        return false;
    for (int k = 0; k < form->n; k++) {
        terms[n].measure = form->measure[k];
        if (!dal_is_const(build->graph, form->a[k], &terms[n].coef))
            return false;
        n += terms[n].coef != 0;
    }
    dal_add_row(&build->mechanism, n, terms, -constant, -1, false);
    return true;
}

bool dal_build_equation(dal_build *build, const char *what, const char *name, dal_text text, dal_node f, bool nonholonomic)
{
    dal_mechanism *m = &build->mechanism;
    written form = split_form(build, f, nonholonomic);
    if (!check_form(build, &form, what, name, text, false))
        return false;
    if (!add_plain_row(build, &form))
        dal_add_form(m, form.n, form.measure, write_form(build, &form), nonholonomic);
    bool points = false;
    for (int k = 0; k < form.n; k++)
        points |= measures_points(m, &m->measures[form.measure[k]]);
    m->rows[m->n_rows - 1].angular = !points;
    doubt_primes(build, &form, what, name, text);
    return true;
}

/* A joint without points: its one row acts on the bodies that the expression names. */
static void add_constraint(dal_build *build, const dal_constraint_spec *spec)
{
    dal_mechanism *m = &build->mechanism;
    dal_joint *joint = DAL_PUSH(build->arena, m->joints, m->n_joints, m->cap_joints);
    *joint = (dal_joint){
        .name = spec->name.text, .mark = spec->name.mark, .type = &dal_joint_constraint, .row = m->n_rows, .drive = -1, .derived = spec->derived};
    if (spec->derived)
        joint->derived_text = spec->position.text ? spec->position.text : spec->velocity.text;
    for (int k = 0; k < 2; k++) {
        joint->marker[k].body = DAL_GROUND;
        for (int i = 0; i < 3; i++)
            joint->marker[k].B[4 * i] = 1;
    }
    written form;
    const bool nonholonomic = spec->velocity.text != NULL;
    if (read_form(build, spec->binding, "constraint", spec->name.text, nonholonomic ? spec->velocity : spec->position, nonholonomic, true, &form)) {
        if (!spec->derived)
            doubt_primes(build, &form, "constraint", spec->name.text, spec->velocity);
        dal_add_form(m, form.n, form.measure, write_form(build, &form), nonholonomic);
        m->rows[m->n_rows - 1].curved = form.curved;
        m->rows[m->n_rows - 1].derived = spec->derived != NULL;
    }
}

static void add_speed(dal_build *build, const dal_pair *spec)
{
    written form;
    if (read_form(build, spec->binding, "speed", spec->name.text, spec->value, true, false, &form))
        dal_add_speed(&build->mechanism, form.n, form.measure, write_form(build, &form));
}

static void note_variable(void *user, int variable)
{
    ((bool *)user)[variable] = true;
}

static void compile_forms(dal_build *build)
{
    dal_layout_parts *parts = &build->parts;
    if (!build->forms.n)
        return;
    bool *used = DAL_NEW(build->arena, bool, build->n_signals);
    for (int i = 0; i < build->forms.n; i++)
        dal_each_var(build->graph, build->forms.node[i], note_variable, used);
    parts->forms.need = DAL_NEW(build->arena, int, 2 * build->n_signals);
    parts->forms.rate = DAL_NEW(build->arena, int, 2 * build->n_signals);
    parts->forms.n_variables = build->n_signals;
    for (int i = 0; i < build->n_signals; i++) {
        const dal_signal *s = &build->signals[i];
        const bool rate = s->kind == DAL_SIGNAL_MEASURE && s->order == 1;
        int *need = rate ? parts->forms.rate + 2 * parts->forms.n_rates : parts->forms.need + 2 * parts->forms.n_needs;
        if (!used[i])
            continue;
        need[0] = i;
        need[1] = s->kind == DAL_SIGNAL_TIME ? -1 : s->index;
        ++*(rate ? &parts->forms.n_rates : &parts->forms.n_needs);
    }
    parts->forms.program = dal_program_build(build->arena, build->graph, build->n_signals, build->forms.n, build->forms.node);
}

void dal_build_joint_programs(dal_build *build, dal_system *system)
{
    const dal_mechanism *m = &build->mechanism;
    if (!build->forms.n)
        return;
    system->joint_forms = DAL_NEW(build->arena, dal_program *, m->n_joints);
    for (int j = 0; j < m->n_joints; j++) {
        const dal_joint *joint = &m->joints[j];
        dal_node *node = DAL_NEW(build->arena, dal_node, build->forms.n);
        int n = 0;
        for (int i = joint->row; i < joint->row + joint->n_rows; i++)
            for (int k = 0; m->rows[i].form >= 0 && k < dal_row_outputs(&m->rows[i]); k++)
                node[n++] = build->forms.node[m->rows[i].form + k];
        if (n)
            system->joint_forms[j] = dal_program_build(build->arena, build->graph, build->n_signals, n, node);
    }
}

void dal_build_constraints(dal_build *build, dal_system *system)
{
    const dal_spec *spec = build->spec;
    for (int i = 0; i < spec->n_constraints; i++)
        add_constraint(build, &spec->constraints[i]);
    for (int i = 0; i < spec->n_speeds; i++)
        add_speed(build, &spec->speeds[i]);
    system->coordinate_names = DAL_NEW(build->arena, const char *, spec->n_coordinates);
    system->speed_names = DAL_NEW(build->arena, const char *, spec->n_speeds);
    for (int i = 0; i < spec->n_coordinates; i++)
        system->coordinate_names[i] = spec->coordinates[i].name.text;
    for (int i = 0; i < spec->n_speeds; i++)
        system->speed_names[i] = spec->speeds[i].name.text;
    if (!dal_messages_count(build->messages, DAL_ERROR))
        compile_forms(build);
}
