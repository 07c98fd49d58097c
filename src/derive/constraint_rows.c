/* Constraints in symbols: phi(t, q), its rate A v - beta, and gamma of A v' = gamma.
 *
 *   phi = sum of coefficient * measure - constant - f(t)     as the table of the joint says it; or an expression of the model
 *   A   = d(phi')/dv,   gamma = -d/dt(phi') for v' = 0
 * Rows that only hold at velocity level, linear or not, begin with phi'. A joint that writes its rows as expressions (rolling, skate) is called
 * again, with symbols. Its rows are linear in its radius, so that the radius can stay a symbol.
 */
#include "derive/start_frames.h"
#include "derive/written_joints.h"

#include "joint/joint.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---- measures of other joints ------------------------------------------------------ */

/* The measure as a coordinate of its joint, without `zero:`; otherwise as it is, with the frames of `joint`. */
static dal_node row_measure(dal_derivation *d, int measure, int joint)
{
    for (int j = 0; j < d->mechanism->n_joints && j < d->spec->n_joints; j++) {
        const dal_joint *of = &d->mechanism->joints[j];
        for (int k = 0; k < of->n_coordinates && of->type->class == DAL_JOINT_PAIR; k++)
            if (of->coordinate[k] == measure)
                return dal_n_sub(d, dal_derive_joint_coordinate(d, j, k), dal_derive_number(d, of->zero[k]));
    }
    const bool pair = joint >= 0 && joint < d->spec->n_joints;
    return dal_derive_measure(d, measure, pair ? 2 : 0, pair ? d->markers + 2 * joint : NULL);
}

/* ---- constants of rows ----------------------------------------------------------------- */

dal_node dal_derive_pitch(dal_derivation *d, int joint, double compiled)
{
    const dal_joint_spec *spec = joint >= 0 && joint < d->spec->n_joints && d->spec->joints[joint].pitch.text ? &d->spec->joints[joint] : NULL;
    const dal_text over = {.text = spec ? dal_arena_print(d->arena, "(%s)/(2*pi)", spec->pitch.text) : NULL};
    return dal_derive_constant(d, spec ? spec->binding : NULL, over, compiled);
}

/* The number as +-c, 1/2 c or 1/(2 c); DAL_NO_NODE: none of these. */
static dal_node multiple_of(dal_derivation *d, dal_node node, double c, double value)
{
    const dal_node two = dal_n_const(d, 2);
    if (value == c)
        return node;
    if (value == -c)
        return dal_n_neg(d, node);
    if (value == 0.5 * c)
        return dal_n_div(d, node, two);
    return value == 0.5 / c ? dal_n_div(d, dal_n_const(d, 1), dal_n_mul(d, two, node)) : DAL_NO_NODE;
}

/* The number as such a multiple of a length of the joint; otherwise the number itself. */
static dal_node coefficient(dal_derivation *d, const dal_joint_spec *spec, double value)
{
    if (spec && spec->pitch.text && value != floor(value))
        return dal_n_neg(d, dal_derive_pitch(d, (int)(spec - d->spec->joints), -value));
    const dal_text texts[] = {spec ? spec->length : (dal_text){0}, spec ? spec->ratio : (dal_text){0}, spec ? spec->radius : (dal_text){0},
                              spec ? spec->value : (dal_text){0}};
    if (value == floor(value) && fabs(value) <= 2)
        return dal_n_const(d, value);
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        dal_value v;
        if (!texts[i].text || !dal_derive_text(d, spec->binding, texts[i], &v) || v.n != 1)
            continue;
        const dal_node multiple = multiple_of(d, v.node[0], dal_derive_value(d, v.node[0]), value);
        if (multiple != DAL_NO_NODE)
            return multiple;
    }
    return dal_derive_number(d, value);
}

static dal_node time_function(dal_derivation *d, const dal_joint_spec *spec)
{
    const dal_text text = spec->drive.text ? spec->drive : spec->drive_rate.text ? spec->drive_rate : spec->value;
    dal_value value;
    if (dal_derive_text(d, spec->binding, text, &value) && value.n == 1)
        return value.node[0];
    dal_derive_refuse(d, "the drive of joint '%s', '%.80s', cannot be written in symbols", spec->name.text, text.text ? text.text : "");
    return dal_n_const(d, 0);
}

/* 1/(2 L) and 1/2 L of a rod: for L = 1 their values are the same. */
static dal_node rod_number(dal_derivation *d, const dal_joint_spec *spec, double value, bool factor)
{
    const int joint = (int)(spec - d->spec->joints);
    const double length = d->mechanism->joints[joint].length;
    const dal_node rod = dal_derive_rod_length(d, joint, length), two = dal_n_const(d, 2);
    if (value != (factor ? 0.5 / length : 0.5 * length) || !dal_follows_parameters(d, rod))
        return coefficient(d, spec, value);
    return factor ? dal_n_div(d, dal_n_const(d, 1), dal_n_mul(d, two, rod)) : dal_n_div(d, rod, two);
}

/* A number of a row; `factor`: of a measure. */
static dal_node row_number(dal_derivation *d, const dal_row *row, double value, bool factor)
{
    const dal_joint_spec *spec = row->joint >= 0 && row->joint < d->spec->n_joints ? &d->spec->joints[row->joint] : NULL;
    const dal_joint_type *type = spec ? d->mechanism->joints[row->joint].type : NULL;
    return type && type->rod && d->options.follow ? rod_number(d, spec, value, factor) : coefficient(d, spec, value);
}

static dal_node plain_row(dal_derivation *d, const dal_row *row)
{
    const dal_joint_spec *spec = row->joint >= 0 && row->joint < d->spec->n_joints ? &d->spec->joints[row->joint] : NULL;
    dal_node phi = dal_n_neg(d, row_number(d, row, row->constant, false));
    for (int i = row->term; i < row->term + row->n_terms; i++) {
        const dal_term *term = &d->mechanism->terms[i];
        phi = dal_n_add(d, phi, dal_n_mul(d, row_number(d, row, term->coef, true), row_measure(d, term->measure, row->joint)));
    }
    return row->time >= 0 && spec ? dal_n_sub(d, phi, time_function(d, spec)) : phi;
}

dal_node dal_derive_row_place(dal_derivation *d, int number)
{
    return plain_row(d, &d->mechanism->rows[number]);
}

/* Its rate, from the rates of the measures. */
static dal_node plain_rate(dal_derivation *d, const dal_row *row)
{
    const dal_joint_spec *spec = row->joint >= 0 && row->joint < d->spec->n_joints ? &d->spec->joints[row->joint] : NULL;
    dal_node rate = dal_n_const(d, 0);
    for (int i = row->term; i < row->term + row->n_terms; i++) {
        const dal_term *term = &d->mechanism->terms[i];
        const bool pair = spec && d->mechanism->joints[row->joint].type->class == DAL_JOINT_PAIR;
        const dal_node of = pair && row->time < 0 ? dal_derive_measure_rate(d, term->measure, 2, d->markers + 2 * row->joint)
                                                  : dal_along_motion(d, row_measure(d, term->measure, row->joint));
        rate = dal_n_add(d, rate, dal_n_mul(d, row_number(d, row, term->coef, true), of));
    }
    return row->time >= 0 && spec ? dal_n_sub(d, rate, dal_along_motion(d, time_function(d, spec))) : rate;
}

/* ---- rows that a joint writes as expressions ---------------------------------------------- */

typedef struct rewriter {
    dal_joint_builder builder;
    dal_derivation *d;
    dal_mechanism mechanism;
    int joint;
    dal_node form[8];
} rewriter;

static dal_node signal_of(dal_joint_builder *b, int measure, int order)
{
    rewriter *w = b->user;
    const dal_mechanism *outer = w->d->mechanism;
    w->d->mechanism = &w->mechanism;
    const dal_symbolic_marker *near = w->d->markers + 2 * w->joint;
    const dal_node node = order ? dal_derive_measure_rate(w->d, measure, 2, near) : dal_derive_measure(w->d, measure, 2, near);
    w->d->mechanism = outer;
    return node;
}

static void note_form(dal_joint_builder *b, dal_node f, bool nonholonomic)
{
    rewriter *w = b->user;
    const int i = w->mechanism.n_rows - b->joint->row;
    (void)nonholonomic;
    if (i >= 0 && i < 8)
        w->form[i] = f;
    const dal_term none = {0, 0};
    dal_add_row(&w->mechanism, 0, &none, 0, -1, false);
}

/* Form number i of the joint, with this radius. */
static dal_node form_with_radius(dal_derivation *d, int joint, int i, double radius)
{
    const dal_joint *compiled = &d->mechanism->joints[joint];
    rewriter w = {.d = d, .joint = joint};
    dal_mechanism_begin(&w.mechanism, d->arena, d->mechanism->space);
    size_t room = 0;
    w.mechanism.joints = dal_arena_grow(d->arena, NULL, 0, &room, 1, sizeof *w.mechanism.joints);
    w.mechanism.cap_joints = room;
    w.mechanism.n_joints = 1;
    w.mechanism.joints[0] = *compiled;
    w.mechanism.joints[0].row = 0;
    w.mechanism.joints[0].n_rows = 0;
    w.mechanism.joints[0].n_coordinates = 0;
    w.builder = (dal_joint_builder){.mechanism = &w.mechanism,
                                    .joint = &w.mechanism.joints[0],
                                    .length = compiled->length,
                                    .radius = radius,
                                    .graph = d->graph,
                                    .signal = signal_of,
                                    .form = note_form,
                                    .spec = &d->spec->joints[joint],
                                    .user = &w};
    for (int k = 0; k < 8; k++)
        w.form[k] = DAL_NO_NODE;
    w.builder.point[0] = dal_add_point(&w.mechanism, &compiled->marker[0]);
    w.builder.point[1] = dal_add_point(&w.mechanism, &compiled->marker[1]);
    compiled->type->forbid(&w.builder);
    return i >= 0 && i < 8 ? w.form[i] : DAL_NO_NODE;
}

/* whole - part, if `part` is a term of the sum `whole`; otherwise DAL_NO_NODE. */
static dal_node without_term(dal_derivation *d, dal_node whole, dal_node part)
{
    dal_node x[3], rest;
    const dal_op op = dal_node_op(d->graph, whole);
    if (whole == part)
        return dal_n_const(d, 0);
    if (op != DAL_OP_ADD && op != DAL_OP_SUB && op != DAL_OP_NEG)
        return DAL_NO_NODE;
    dal_node_operands(d->graph, whole, x);
    if (op == DAL_OP_NEG)
        return (rest = without_term(d, x[0], dal_n_neg(d, part))) != DAL_NO_NODE ? dal_n_neg(d, rest) : DAL_NO_NODE;
    if ((rest = without_term(d, x[0], part)) != DAL_NO_NODE)
        return dal_binary(d->graph, op, rest, x[1]);
    if (op == DAL_OP_ADD && (rest = without_term(d, x[1], part)) != DAL_NO_NODE)
        return dal_n_add(d, x[0], rest);
    if (op == DAL_OP_SUB && (rest = without_term(d, x[1], dal_n_neg(d, part))) != DAL_NO_NODE)
        return dal_n_sub(d, x[0], rest);
    return DAL_NO_NODE;
}

static dal_node joint_form(dal_derivation *d, const dal_row *row, int number)
{
    const dal_joint_spec *spec = &d->spec->joints[row->joint];
    const dal_joint *joint = &d->mechanism->joints[row->joint];
    dal_value radius;
    if (joint->drive == number)
        return dal_n_sub(d, dal_along_motion(d, row_measure(d, d->mechanism->terms[row->term].measure, row->joint)), time_function(d, spec));
    if (joint->type->class != DAL_JOINT_PAIR) {
        dal_derive_refuse(d, "the rows of '%s' are not written in symbols", joint->name);
        return dal_n_const(d, 0);
    }
    const dal_node f = form_with_radius(d, row->joint, number - joint->row, 0);
    if (f == DAL_NO_NODE || !spec->radius.text || !dal_derive_text(d, spec->binding, spec->radius, &radius) || radius.n != 1)
        return f == DAL_NO_NODE ? dal_n_const(d, 0) : f;
    const dal_node with = form_with_radius(d, row->joint, number - joint->row, 1);
    const dal_node rest = without_term(d, with, f);
    return dal_n_add(d, f, dal_n_mul(d, radius.node[0], rest != DAL_NO_NODE ? rest : dal_n_sub(d, with, f)));
}

static dal_node constraint_form(dal_derivation *d, const dal_row *row)
{
    const dal_joint *joint = &d->mechanism->joints[row->joint];
    const dal_constraint_spec *spec = row->derived ? NULL : &d->spec->constraints[row->joint - d->spec->n_joints];
    const dal_text text = !spec ? (dal_text){.text = joint->derived_text} : row->nonholonomic ? spec->velocity : spec->position;
    dal_value value;
    if (dal_derive_text(d, spec ? spec->binding : NULL, text, &value) && value.n == 1)
        return value.node[0];
    dal_derive_refuse(d, "constraint '%s', '%.80s', cannot be written in symbols", joint->name, text.text ? text.text : "");
    return dal_n_const(d, 0);
}

/* A row that comes from an equation of a joint type. */
static dal_node written_form(dal_derivation *d, const dal_row *row, int number)
{
    const dal_joint_scope scope = dal_derive_sides(d, row->joint);
    const dal_node f = dal_derive_written_row(d, &scope, number);
    if (f != DAL_NO_NODE)
        return f;
    dal_derive_refuse(d, "equation %d of joint '%s', of a type of the model's own, cannot be written in symbols", row->equation,
                      d->mechanism->joints[row->joint].name);
    return dal_n_const(d, 0);
}

/* ---- all rows ------------------------------------------------------------------------------ */

static const char *row_name(dal_derivation *d, const dal_row *row, int number)
{
    const dal_joint *joint = &d->mechanism->joints[row->joint];
    if (joint->drive == number)
        return dal_arena_print(d->arena, "%s drive", joint->name);
    if (joint->n_rows == 1)
        return joint->name;
    return dal_arena_print(d->arena, "%s %d", joint->name, number - joint->row + 1);
}

/* gamma and A from the rate. */
static void complete_row(dal_derivation *d, int r)
{
    dal_derived_row *out = &d->row[r];
    out->gamma = dal_n_neg(d, dal_along_motion(d, out->rate));
    for (int k = 0; k < d->nv; k++)
        d->A[r * d->nv + k] = dal_by_rate(d, out->rate, k);
}

void dal_derive_row_form(dal_derivation *d, int number, dal_derived_row *out)
{
    const dal_row *row = &d->mechanism->rows[number];
    const bool constraint = row->joint >= d->spec->n_joints, plain = row->form < 0 && !constraint && !row->equation;
    const dal_node f = row->equation ? written_form(d, row, number)
                       : plain       ? plain_row(d, row)
                       : constraint  ? constraint_form(d, row)
                                     : joint_form(d, row, number);
    out->phi = row->nonholonomic ? DAL_NO_NODE : f;
    out->rate = row->nonholonomic ? f : plain ? plain_rate(d, row) : dal_along_motion(d, f);
}

static void derive_row(dal_derivation *d, int r)
{
    const int number = d->layout->row[r].source;
    dal_derived_row *out = &d->row[r];
    if (number < 0) {
        dal_derive_intrinsic_row(d, r, out);
        complete_row(d, r);
        return;
    }
    const dal_row *row = &d->mechanism->rows[number];
    if ((row->derived && !d->options.follow) || (!row->derived && row->joint >= d->spec->n_joints + d->spec->n_constraints)) {
        dal_derive_refuse(d,
                          "the model has a constraint that follows from the balance of forces along a direction without inertia: such rows are not "
                          "written in symbols yet");
        return;
    }
    out->name = row_name(d, row, number);
    dal_derive_row_form(d, number, out);
    complete_row(d, r);
}

void dal_derive_rows(dal_derivation *d)
{
    const char **names = DAL_NEW(d->arena, const char *, d->layout->n_rows);
    d->n_rows = d->layout->n_rows;
    d->row = DAL_NEW(d->arena, dal_derived_row, d->n_rows);
    d->A = DAL_NEW(d->arena, dal_node, d->n_rows * d->nv);
    for (int r = 0; r < d->n_rows; r++) {
        derive_row(d, r);
        if (d->failed)
            return;
        names[r] = d->row[r].name;
    }
    d->row_names = names;
    d->lambda = d->n_letters;
    for (int r = 0; r < d->n_rows; r++) { /* "lambda.A.1": a valid name of the language */
        char *name = dal_arena_print(d->arena, "lambda.%s", names[r]);
        for (char *c = name; *c; c++)
            *c = *c == ' ' ? '.' : *c;
        dal_letter_add(d, DAL_ROLE_MULTIPLIER, name, r, 0);
    }
}
