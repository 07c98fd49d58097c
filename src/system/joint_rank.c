/* What the equations of a joint type do to bodies that are free otherwise: freedoms that they take, equations that depend on one another,
 * positions that are singular, equations that contradict one another.
 *
 * The bodies of one joint are looked at alone, in twists (family `twist`): A is the Jacobian of the rows of the joint. Its rank at the start
 * is the number of freedoms that the joint takes. Where it is smaller than the number of rows, the bodies are moved at random and led back
 * to phi = 0 by Gauss-Newton steps x = -A^+ phi:
 *   the rank is greater there                     the start is a singular position of the joint
 *   it is the same                                equations depend on one another; z with A^T z = 0 tells which
 *   no position with phi = 0 is found             they contradict one another; z . phi is what is left
 * Rows that push on all bodies together hold them against the world; rows whose terms cancel everywhere say nothing.
 */
#include "joint/joint.h"
#include "kinematics/layout.h"
#include "math/rank.h"
#include "math/vec.h"
#include "system/joint_types.h"

#include <math.h>
#include <string.h>

enum { NEIGHBOURS = 8, STEPS = 40 };
static const double moved = 0.2;       /* m over the model's length, and rad: how far neighbours are away */
static const double closed = 1e-11;    /* of phi, relative to the model's length */
static const double tolerance = 1e-9;  /* of ranks: the start is only as exact as assembly leaves it */
static const double rounding = 1e-13;  /* of a row, relative to its terms */
static const double takes_part = 1e-6; /* of an entry of a null vector of unit length */

typedef struct alone {
    dal_build *build;
    const dal_joint *joint;
    dal_mechanism mechanism;
    const dal_layout *layout;
    dal_work work;
    int r, m;
    int n_bodies, body[DAL_MOST_POINTS];
    int n_measures, *measure; /* of the whole mechanism, in the order of those here */
    double length;
    double *A, *q0, *b, *x, *sigma, *null, *svd;
    int *order;
} alone;

/* ---- the joint alone ------------------------------------------------------------------ */

static int body_here(alone *a, int body)
{
    int k = 0;
    if (body == DAL_GROUND)
        return body;
    while (k < a->n_bodies && a->body[k] != body)
        k++;
    if (k == a->n_bodies)
        a->body[a->n_bodies++] = body;
    return k;
}

static int vector_here(alone *a, int vector)
{
    if (vector < 3) /* none, or a world axis */
        return vector;
    const dal_vector *v = &a->build->mechanism.vectors[vector];
    return dal_add_vector(&a->mechanism, body_here(a, v->body), v->point, v->s);
}

static int measure_here(alone *a, int number)
{
    dal_mechanism *m = &a->mechanism;
    for (int i = 0; i < a->n_measures; i++)
        if (a->measure[i] == number)
            return i;
    dal_measure copy = a->build->mechanism.measures[number];
    for (int k = 0; k < 4; k++)
        copy.vector[k] = vector_here(a, copy.vector[k]);
    copy.winding = copy.winding < 0 ? -1 : m->n_windings++;
    copy.wanted = true;
    *DAL_PUSH(m->arena, m->measures, m->n_measures, m->cap_measures) = copy;
    a->measure[a->n_measures] = number;
    return a->n_measures++;
}

static void copy_row(alone *a, const dal_row *row, dal_expressions *forms)
{
    dal_mechanism *m = &a->mechanism;
    const dal_mechanism *whole = &a->build->mechanism;
    dal_row copy = *row;
    copy.term = m->n_terms;
    copy.joint = 0;
    for (int k = row->term; k < row->term + row->n_terms; k++)
        *DAL_PUSH(m->arena, m->terms, m->n_terms, m->cap_terms) =
            (dal_term){measure_here(a, whole->terms[k].measure), whole->terms[k].coef};
    if (row->form >= 0) {
        copy.form = forms->n;
        for (int k = 0; k < dal_form_outputs(row->n_terms); k++)
            dal_build_expression(a->build, forms, a->build->forms.node[row->form + k]);
    }
    *DAL_PUSH(m->arena, m->rows, m->n_rows, m->cap_rows) = copy;
}

typedef struct needs {
    alone *a;
    dal_layout_parts *parts;
} needs;

static void note_need(void *user, int variable)
{
    needs *n = user;
    dal_layout_parts *p = n->parts;
    const dal_signal *s = &n->a->build->signals[variable];
    for (int i = 0; i < p->n_form_needs; i++)
        if (p->form_need[2 * i] == variable)
            return;
    p->form_need[2 * p->n_form_needs] = variable;
    p->form_need[2 * p->n_form_needs++ + 1] = s->kind == DAL_SIGNAL_TIME ? -1 : measure_here(n->a, s->index);
}

static void copy_forms(alone *a, const dal_expressions *forms, dal_layout_parts *parts)
{
    dal_build *build = a->build;
    needs n = {a, parts};
    if (!forms->n)
        return;
    parts->n_form_variables = build->n_signals;
    parts->form_need = DAL_TAKE(build->arena, int, 2 * (a->n_measures + 1));
    for (int i = 0; i < forms->n; i++)
        dal_each_var(build->graph, forms->node[i], note_need, &n);
    parts->forms = dal_program_build(build->arena, build->graph, build->n_signals, forms->n, forms->node);
}

static void take_room(alone *a)
{
    dal_arena *arena = a->build->arena;
    const size_t r = (size_t)a->r, m = (size_t)a->m;
    a->A = DAL_TAKE(arena, double, r *m);
    a->q0 = DAL_TAKE(arena, double, a->layout->nq);
    a->b = DAL_TAKE(arena, double, r);
    a->x = DAL_TAKE(arena, double, m);
    a->sigma = DAL_TAKE(arena, double, r + m);
    a->null = DAL_TAKE(arena, double, r *r);
    a->svd = DAL_TAKE(arena, double, dal_rank_work(a->r, a->m));
    a->order = DAL_TAKE(arena, int, a->r);
}

static void begin(alone *a, dal_build *build, const dal_joint *joint)
{
    const dal_mechanism *whole = &build->mechanism;
    dal_expressions forms = {0};
    dal_layout_parts parts = {0};
    int terms = 0;
    *a = (alone){.build = build, .joint = joint, .length = dal_build_length(build)};
    for (int i = joint->row; i < joint->row + joint->n_rows; i++)
        terms += whole->rows[i].n_terms;
    a->measure = DAL_TAKE(build->arena, int, terms);
    dal_mechanism_begin(&a->mechanism, build->arena, build->spec->space);
    *DAL_PUSH(build->arena, a->mechanism.joints, a->mechanism.n_joints, a->mechanism.cap_joints) = *joint;
    for (int i = joint->row; i < joint->row + joint->n_rows; i++)
        if (i != joint->drive)
            copy_row(a, &whole->rows[i], &forms);
    copy_forms(a, &forms, &parts);
    a->mechanism.n_bodies = a->n_bodies;
    a->mechanism.bodies = DAL_TAKE(build->arena, dal_body, a->n_bodies);
    for (int k = 0; k < a->n_bodies; k++)
        a->mechanism.bodies[k] = whole->bodies[a->body[k]];
    a->layout = dal_layout_build(build->arena, &a->mechanism, &dal_family_twist, &parts);
    dal_work_lay(a->layout, DAL_TAKE(build->arena, dal_real, dal_work_size(a->layout)),
                 DAL_TAKE(build->arena, int, 3 * a->n_bodies), &a->work);
    a->r = a->layout->n_rows;
    a->m = a->layout->nv;
    take_room(a);
}

/* ---- positions --------------------------------------------------------------------------- */

/* Where the bodies start; winding: of the whole mechanism, NULL: not known. */
static void place(alone *a, const double *winding)
{
    for (int k = 0; k < a->n_bodies; k++) {
        const dal_body_start *start = &a->build->start[a->body[k]];
        dal_family_twist.place(a->layout, &a->work, k, start->r, start->R);
        if (a->layout->body[k].n_rot == 1)
            a->work.q[a->layout->body[k].q + 2] = start->angle;
    }
    for (int i = 0; i < a->n_measures; i++) {
        const int here = a->mechanism.measures[i].winding, there = a->build->mechanism.measures[a->measure[i]].winding;
        if (here >= 0 && winding)
            a->work.winding[here] = winding[there];
    }
    memcpy(a->q0, a->work.q, sizeof *a->q0 * (size_t)a->layout->nq);
}

/* phi, and A with columns in metres. */
static void evaluate(alone *a)
{
    const dal_layout *layout = a->layout;
    dal_family_twist.position(layout, &a->work);
    dal_rows_position(layout, &a->work);
    dal_rows_jacobian(layout, &a->work);
    memset(a->A, 0, sizeof *a->A * (size_t)a->r * (size_t)a->m);
    for (int i = 0; i < a->r; i++)
        for (int k = layout->row[i].value; k < layout->row[i].value + layout->row[i].n_values; k++) {
            const int c = layout->column[k];
            a->A[(size_t)i * (size_t)a->m + (size_t)c] = a->work.A[k] / (layout->angular[c] > 0 ? a->length : 1);
        }
}

/* Each row over its norm, so that its unit does not matter. */
static int rank(alone *a)
{
    const int found = dal_rank_rows(a->A, a->r, a->m, a->m, tolerance, a->r, a->order, NULL, a->svd);
    return found;
}

static double gap(const alone *a)
{
    double worst = 0;
    for (int i = 0; i < a->r; i++)
        if (!a->mechanism.rows[a->layout->row[i].source].nonholonomic)
            worst = fmax(worst, isfinite(a->work.phi[i]) ? fabs(a->work.phi[i]) : INFINITY);
    return worst;
}

/* Steps x = -A^+ phi with the rows that are about positions; true: they hold. */
static bool close_gaps(alone *a)
{
    for (int step = 0; step < STEPS; step++) {
        evaluate(a);
        if (!(gap(a) < INFINITY))
            return false;
        if (gap(a) <= closed * fmax(1, a->length))
            return true;
        for (int i = 0; i < a->r; i++) {
            const bool held = !a->mechanism.rows[a->layout->row[i].source].nonholonomic;
            a->b[i] = held ? -a->work.phi[i] : 0;
            for (int c = 0; c < a->m && !held; c++)
                a->A[(size_t)i * (size_t)a->m + (size_t)c] = 0;
        }
        if (dal_rank_solve(a->A, a->r, a->m, a->m, tolerance, a->b, a->x, a->svd) < 0)
            return false;
        for (int c = 0; c < a->m; c++)
            a->x[c] /= a->layout->angular[c] > 0 ? a->length : 1;
        dal_family_twist.add(a->layout, a->work.q, a->x);
    }
    return false;
}

static double chance(uint64_t *seed)
{
    *seed = *seed * 6364136223846793005u + 1442695040888963407u;
    return (double)(*seed >> 11) * 0x1p-52 - 1;
}

/* Somewhere near the start, whether the equations hold or not. */
static void shake(alone *a, uint64_t *seed)
{
    memcpy(a->work.q, a->q0, sizeof *a->q0 * (size_t)a->layout->nq);
    for (int c = 0; c < a->m; c++)
        a->x[c] = moved * chance(seed) * (a->layout->angular[c] > 0 ? 1 : a->length);
    dal_family_twist.add(a->layout, a->work.q, a->x);
}

/* Somewhere near the start where the equations hold. */
static bool visit_neighbour(alone *a, uint64_t *seed)
{
    shake(a, seed);
    return close_gaps(a);
}

/* ---- sentences ---------------------------------------------------------------------------- */

/* "equations 1 `dot(N - M, yi)` and 2 `dot(N - M, yj)`": those with rows in the mask. */
static const char *list_equations(const alone *a, const bool *mask)
{
    dal_arena *arena = a->build->arena;
    const dal_joint_type_spec *type = &a->build->spec->joint_types[dal_joint_type_number(
        a->build, &a->build->spec->joints[a->joint - a->build->mechanism.joints])];
    const char *text = "";
    int n = 0, last = 0;
    for (int i = a->r - 1; i >= 0; i--) {
        const int number = a->mechanism.rows[a->layout->row[i].source].equation;
        if (!mask[i] || number == last)
            continue;
        last = number;
        const dal_text *written = number <= type->equations.n ? &type->equations.item[number - 1]
                                                              : &type->velocity.item[number - 1 - type->equations.n];
        text = dal_arena_print(arena, "%d `%.100s`%s%s", number, written->text,
                               n == 0   ? ""
                               : n == 1 ? " and "
                                        : ", ",
                               text);
        n++;
    }
    return dal_arena_print(arena, "%s %s", n == 1 ? "equation" : "equations", text);
}

/* The rows that take part in a dependence of the present A, each over its norm. */
static const char *dependent_equations(alone *a)
{
    bool *mask = DAL_TAKE(a->build->arena, bool, a->r);
    for (int i = 0; i < a->r; i++) {
        double *row = a->A + (size_t)i * (size_t)a->m, norm = 0;
        for (int c = 0; c < a->m; c++)
            norm += row[c] * row[c];
        for (int c = 0; c < a->m && norm > 0; c++)
            row[c] /= sqrt(norm);
    }
    const int n = a->r - dal_rank_svd(a->A, a->r, a->m, a->m, tolerance, a->sigma, NULL, a->null, a->svd);
    for (int k = 0; k < n && n <= a->r; k++)
        for (int i = 0; i < a->r; i++)
            mask[i] |= fabs(a->null[(size_t)k * (size_t)a->r + (size_t)i]) > takes_part;
    return list_equations(a, mask);
}

static const char *freedoms(const alone *a, int n)
{
    return dal_arena_print(a->build->arena, "%d freedom%s", n, n == 1 ? "" : "s");
}

/* ---- the questions --------------------------------------------------------------------------- */

/* Is the row what rounding leaves of terms that cancel? In a form they may do so within a coefficient, which tells nothing about their
 * size: there it is that of equations of at most fourth order in lengths. */
static bool cancels(const alone *a, int i)
{
    const dal_row *row = &a->mechanism.rows[a->layout->row[i].source];
    double size = row->form < 0 ? 0 : fmin(1, a->length * a->length * a->length), left = 0;
    for (int k = row->term; k < row->term + row->n_terms; k++)
        for (int j = 0; j < 12; j++)
            size += fabs(a->work.coef[k] * a->work.gradient[12 * a->mechanism.terms[k].measure + j]);
    for (int c = 0; c < a->m; c++)
        left = fmax(left, fabs(a->A[(size_t)i * (size_t)a->m + (size_t)c]));
    return left <= rounding * size;
}

/* Rows whose terms cancel wherever the bodies are, as dot(M, cross(M, xi)): their rank would be that of rounding. */
static bool refuse_identities(alone *a)
{
    uint64_t seed = 11;
    bool *mask = DAL_TAKE(a->build->arena, bool, a->r), any = false;
    evaluate(a);
    for (int i = 0; i < a->r; i++)
        any |= mask[i] = cancels(a, i);
    for (int n = 0; n < NEIGHBOURS && any; n++) {
        a->work.t = 0.5 * (1 + chance(&seed)); /* a factor that is zero at the start is not zero later */
        shake(a, &seed); /* not where the equations hold: there a component of xi - xj has no slope either */
        evaluate(a);
        any = false;
        for (int i = 0; i < a->r; i++)
            any |= mask[i] = mask[i] && cancels(a, i);
    }
    a->work.t = 0;
    memcpy(a->work.q, a->q0, sizeof *a->q0 * (size_t)a->layout->nq);
    if (any)
        dal_error(a->build->messages, a->joint->mark,
                  "joint '%s' of type %s: %s cannot be broken by any motion, because the terms cancel", a->joint->name,
                  a->joint->type->name, list_equations(a, mask));
    return any;
}

static double norm(const double x[3])
{
    return sqrt(dal_dot(x, x));
}

/* Does a row push on all bodies together, with a force or with a torque? A is at the present position. */
static bool pushes_on_all(const alone *a)
{
    for (int i = 0; i < a->r; i++) {
        const dal_row_layout *at = &a->layout->row[i];
        double f[DAL_MAX_SIDES][6], force[3] = {0}, torque[3] = {0}, size = 0;
        dal_row_covectors(a->layout, &a->work, i, f);
        for (int k = 0; k < at->n_sides; k++) {
            const double *r = a->work.kin[a->layout->side[at->side + k].body].r;
            dal_axpy3(1, f[k], force);
            dal_axpy3(1, f[k] + 3, torque);
            dal_add_cross(r, f[k], torque);
            size += norm(f[k]) * (a->length + norm(r)) + norm(f[k] + 3);
        }
        if (norm(force) * a->length > tolerance * size || norm(torque) > tolerance * size)
            return true;
    }
    return false;
}

/* Equations that name the world, as dot(N - M, [0, 1]), hold bodies against it, and momenta are not conserved. */
static bool names_world(alone *a)
{
    uint64_t seed = 7;
    evaluate(a);
    bool found = pushes_on_all(a);
    for (int i = 0; i < 2 && !found; i++)
        found = visit_neighbour(a, &seed) && pushes_on_all(a);
    memcpy(a->work.q, a->q0, sizeof *a->q0 * (size_t)a->layout->nq);
    return found;
}

/* The start is closed. */
static void look_around(alone *a, dal_joint *joint)
{
    uint64_t seed = 42;
    evaluate(a);
    joint->removed = joint->removed_near = rank(a);
    if (joint->removed < 0 || joint->removed == a->r)
        return;
    const char *which = dependent_equations(a);
    const bool one = strncmp(which, "equations", strlen("equations")) != 0;
    for (int i = 0; i < NEIGHBOURS; i++)
        if (visit_neighbour(a, &seed)) {
            const int near = rank(a);
            joint->removed_near = near > joint->removed_near ? near : joint->removed_near;
        }
    if (joint->removed_near > joint->removed)
        dal_warn(a->build->messages, joint->mark, DAL_CODE_SINGULAR_JOINT, joint->removed_near - joint->removed,
                 "joint '%s' of type %s starts in a singular position: it takes %s there and %d nearby, because %s %s "
                 "where it stands",
                 joint->name, joint->type->name, freedoms(a, joint->removed), joint->removed_near, which,
                 one ? "loses rank" : "depend on one another");
    else
        dal_warn(a->build->messages, joint->mark, DAL_CODE_DEPENDENT_EQUATIONS, a->r - joint->removed, "joint '%s' of type %s: %s %s; its %d rows take %s", joint->name,
                 joint->type->name, which, one ? "has components that depend on one another" : "depend on one another",
                 a->r, freedoms(a, joint->removed));
}

/* The mechanism cannot be assembled: is it this joint alone? */
static void look_for_contradiction(alone *a, const dal_joint *joint)
{
    uint64_t seed = 42;
    bool holds = close_gaps(a);
    for (int i = 0; i < NEIGHBOURS && !holds; i++)
        holds = visit_neighbour(a, &seed);
    if (holds || rank(a) < 0 || rank(a) == a->r)
        return;
    const double left = gap(a);
    evaluate(a);
    dal_error(a->build->messages, joint->mark,
              "joint '%s' of type %s contradicts itself: no position of its bodies was found in which %s hold "
              "together; they are missed by %.3g",
              joint->name, joint->type->name, dependent_equations(a), left);
}

bool dal_build_written_ranks(dal_build *build, const double *winding)
{
    bool fine = true;
    for (int j = 0; j < build->spec->n_joints; j++) {
        dal_joint *joint = &build->mechanism.joints[j];
        alone a;
        if (!joint->type || !joint->type->written || !joint->n_rows)
            continue;
        begin(&a, build, joint);
        place(&a, winding);
        if (!winding) {
            look_for_contradiction(&a, joint);
        } else if (refuse_identities(&a)) {
            fine = false;
        } else {
            build->world_named = build->world_named || names_world(&a);
            look_around(&a, joint);
        }
    }
    return fine;
}
