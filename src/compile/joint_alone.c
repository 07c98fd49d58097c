/* The bodies of one joint, alone: the rows of the joint in twists of its bodies (family `twist`), which are free otherwise. A is the Jacobian of
 * these rows with columns in metres. Positions near the start where the rows hold are found by Gauss-Newton steps x = -A^+ phi.
 *
 * A constraint in coordinates of the model's own has no bodies that could be moved alone: there it is the model, in these coordinates.
 */
#include "compile/joint_alone.h"
#include "joint/joint.h"
#include "math/rank.h"

#include <math.h>
#include <string.h>

enum { STEPS = 40 };
static const double moved = 0.2;      /* m over the model's length, and rad: how far neighbours are away */
static const double closed = 1e-11;   /* of phi over the slope that its row has where the steps begin, relative to the model's length */
static const double tolerance = 1e-9; /* of ranks */

/* ---- the joint alone ------------------------------------------------------------------ */

static int body_here(dal_alone *a, int body)
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

static int vector_here(dal_alone *a, int vector)
{
    if (vector < 3) /* none, or a world axis */
        return vector;
    const dal_vector *v = &a->build->mechanism.vectors[vector];
    return dal_add_vector(&a->mechanism, body_here(a, v->body), v->point, v->s);
}

static int measure_here(dal_alone *a, int number)
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

static void copy_row(dal_alone *a, const dal_row *row, dal_expressions *forms)
{
    dal_mechanism *m = &a->mechanism;
    const dal_mechanism *whole = &a->build->mechanism;
    dal_row copy = *row;
    copy.term = m->n_terms;
    copy.joint = 0;
    for (int k = row->term; k < row->term + row->n_terms; k++)
        *DAL_PUSH(m->arena, m->terms, m->n_terms, m->cap_terms) = (dal_term){measure_here(a, whole->terms[k].measure), whole->terms[k].coef};
    if (row->form >= 0) {
        copy.form = forms->n;
        for (int k = 0; k < dal_row_outputs(row); k++)
            dal_build_expression(a->build, forms, a->build->forms.node[row->form + k]);
    }
    *DAL_PUSH(m->arena, m->rows, m->n_rows, m->cap_rows) = copy;
}

typedef struct needs {
    dal_alone *a;
    dal_layout_parts *parts;
} needs;

static void note_need(void *user, int variable)
{
    needs *n = user;
    dal_layout_parts *p = n->parts;
    const dal_signal *s = &n->a->build->signals[variable];
    for (int i = 0; i < p->forms.n_needs; i++)
        if (p->forms.need[2 * i] == variable)
            return;
    p->forms.need[2 * p->forms.n_needs] = variable;
    p->forms.need[2 * p->forms.n_needs++ + 1] = s->kind == DAL_SIGNAL_TIME ? -1 : measure_here(n->a, s->index);
}

static void copy_forms(dal_alone *a, const dal_expressions *forms, dal_layout_parts *parts)
{
    dal_build *build = a->build;
    needs n = {a, parts};
    if (!forms->n)
        return;
    parts->forms.n_variables = build->n_signals;
    parts->forms.need = DAL_NEW(build->arena, int, 2 * (a->n_measures + 1));
    for (int i = 0; i < forms->n; i++)
        dal_each_var(build->graph, forms->node[i], note_need, &n);
    parts->forms.program = dal_program_build(build->arena, build->graph, build->n_signals, forms->n, forms->node);
}

static void allocate_alone(dal_alone *a)
{
    dal_arena *arena = a->build->arena;
    const size_t r = (size_t)a->r, m = (size_t)a->m;
    a->scale = DAL_NEW(arena, double, m);
    a->unit = DAL_NEW(arena, double, r);
    a->direction = DAL_NEW(arena, double, m);
    a->A = DAL_NEW(arena, double, r *m);
    a->q0 = DAL_NEW(arena, double, a->layout->nq);
    a->q_here = DAL_NEW(arena, double, a->layout->nq);
    a->b = DAL_NEW(arena, double, r);
    a->x = DAL_NEW(arena, double, m);
    a->sigma = DAL_NEW(arena, double, r + m);
    a->null = DAL_NEW(arena, double, r *r);
    a->svd = DAL_NEW(arena, double, dal_rank_work(a->r, a->m));
    a->order = DAL_NEW(arena, int, a->r);
    for (int c = 0; c < a->m; c++)
        a->scale[c] = !a->whole ? (a->layout->angular[c] > 0 ? a->length : 1) : a->build->column_scale ? a->build->column_scale[c] : 1;
}

static const dal_layout *layout_alone(dal_alone *a)
{
    dal_build *build = a->build;
    const dal_joint *joint = a->joint;
    const dal_mechanism *whole = &build->mechanism;
    dal_expressions forms = {0};
    dal_layout_parts parts = {0};
    int terms = 0;
    for (int i = joint->row; i < joint->row + joint->n_rows; i++)
        terms += whole->rows[i].n_terms;
    a->measure = DAL_NEW(build->arena, int, terms);
    dal_mechanism_begin(&a->mechanism, build->arena, build->spec->space);
    *DAL_PUSH(build->arena, a->mechanism.joints, a->mechanism.n_joints, a->mechanism.cap_joints) = *joint;
    for (int i = joint->row; i < joint->row + joint->n_rows; i++)
        if (i != joint->drive)
            copy_row(a, &whole->rows[i], &forms);
    copy_forms(a, &forms, &parts);
    a->mechanism.n_bodies = a->n_bodies;
    a->mechanism.bodies = DAL_NEW(build->arena, dal_body, a->n_bodies);
    for (int k = 0; k < a->n_bodies; k++)
        a->mechanism.bodies[k] = whole->bodies[a->body[k]];
    return dal_layout_build(build->arena, &a->mechanism, &dal_family_twist, &parts);
}

static const dal_layout *layout_whole(dal_alone *a)
{
    a->mechanism = a->build->mechanism;
    return dal_layout_build(a->build->arena, &a->mechanism, &dal_family_user, &a->build->parts);
}

void dal_alone_begin(dal_alone *a, dal_build *build, const dal_joint *joint)
{
    dal_arena *arena = build->arena;
    *a = (dal_alone){.build = build, .joint = joint, .length = dal_build_length(build)};
    a->whole = build->parts.placement && dal_joint_is_expression(joint);
    a->layout = a->whole ? layout_whole(a) : layout_alone(a);
    dal_work_layout(a->layout, DAL_NEW(arena, dal_real, dal_work_size(a->layout)), DAL_NEW(arena, int, 3 * a->mechanism.n_bodies), &a->work);
    a->r = a->layout->n_rows;
    a->m = a->layout->nv;
    allocate_alone(a);
}

/* ---- positions --------------------------------------------------------------------------- */

void dal_alone_place(dal_alone *a, const double *winding)
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
    if (a->whole) {
        memcpy(a->work.q, a->build->start_q, sizeof *a->work.q * (size_t)a->layout->nq);
        if (winding)
            memcpy(a->work.winding, winding, sizeof *winding * (size_t)a->mechanism.n_windings);
    }
    memcpy(a->q0, a->work.q, sizeof *a->q0 * (size_t)a->layout->nq);
}

void dal_alone_evaluate(dal_alone *a)
{
    const dal_layout *layout = a->layout;
    layout->family->position(layout, &a->work);
    dal_rows_position(layout, &a->work);
    dal_rows_jacobian(layout, &a->work);
    memset(a->A, 0, sizeof *a->A * (size_t)a->r * (size_t)a->m);
    for (int i = 0; i < a->r; i++)
        for (int k = layout->row[i].value; k < layout->row[i].value + layout->row[i].n_values; k++) {
            const int c = layout->column[k];
            a->A[(size_t)i * (size_t)a->m + (size_t)c] += a->work.A[k] / a->scale[c];
        }
}

/* Is row i a condition on the position, and one of those that are asked for? */
static bool is_position_row(const dal_alone *a, const bool *mask, int i)
{
    return !a->mechanism.rows[a->layout->row[i].source].nonholonomic && (!mask || mask[i]);
}

double dal_alone_slope(const dal_alone *a, int row)
{
    const double *A = a->A + (size_t)row * (size_t)a->m;
    double sum = 0;
    for (int c = 0; c < a->m; c++)
        sum += A[c] * A[c];
    return sqrt(sum);
}

double dal_alone_gap(const dal_alone *a)
{
    double worst = 0;
    for (int i = 0; i < a->r; i++)
        if (is_position_row(a, NULL, i))
            worst = fmax(worst, isfinite(a->work.phi[i]) ? fabs(a->work.phi[i]) : INFINITY);
    return worst;
}

/* The same in metres. */
static double distance(const dal_alone *a, const bool *mask)
{
    double worst = 0;
    for (int i = 0; i < a->r; i++)
        if (is_position_row(a, mask, i))
            worst = fmax(worst, isfinite(a->work.phi[i]) ? fabs(a->work.phi[i]) / a->unit[i] : INFINITY);
    return worst;
}

static bool step_back(dal_alone *a, const bool *mask)
{
    for (int i = 0; i < a->r; i++) {
        const bool used = is_position_row(a, mask, i);
        a->b[i] = used ? -a->work.phi[i] : 0;
        for (int c = 0; c < a->m && !used; c++)
            a->A[(size_t)i * (size_t)a->m + (size_t)c] = 0;
    }
    if (dal_rank_solve(a->A, a->r, a->m, a->m, tolerance, a->b, a->x, a->svd) < 0)
        return false;
    for (int c = 0; c < a->m; c++)
        a->x[c] /= a->scale[c];
    a->layout->family->add(a->layout, a->work.q, a->x);
    return true;
}

bool dal_alone_close(dal_alone *a, const bool *mask)
{
    for (int step = 0; step < STEPS; step++) {
        dal_alone_evaluate(a);
        for (int i = 0; i < a->r && step == 0; i++) {
            const double slope = dal_alone_slope(a, i);
            a->unit[i] = slope > 0 && isfinite(slope) ? slope : 1;
        }
        const double left = distance(a, mask);
        if (left <= closed * a->length)
            return true;
        if (!(left < INFINITY) || !step_back(a, mask))
            return false;
    }
    return false;
}

double dal_alone_chance(uint64_t *seed)
{
    *seed = *seed * 6364136223846793005u + 1442695040888963407u;
    return (double)(*seed >> 11) * 0x1p-52 - 1;
}

void dal_alone_move(dal_alone *a, const double *direction, double far)
{
    for (int c = 0; c < a->m; c++)
        a->x[c] = far * a->length * direction[c] / a->scale[c];
    a->layout->family->add(a->layout, a->work.q, a->x);
}

double dal_alone_beside(dal_alone *a, int row, const double *direction, double far)
{
    const size_t size = sizeof *a->q_here * (size_t)a->layout->nq;
    memcpy(a->q_here, a->work.q, size);
    dal_alone_move(a, direction, far);
    a->layout->family->position(a->layout, &a->work);
    dal_rows_position(a->layout, &a->work);
    memcpy(a->work.q, a->q_here, size);
    return a->work.phi[row];
}

void dal_alone_perturb(dal_alone *a, uint64_t *seed)
{
    memcpy(a->work.q, a->q0, sizeof *a->q0 * (size_t)a->layout->nq);
    for (int c = 0; c < a->m; c++)
        a->direction[c] = dal_alone_chance(seed);
    dal_alone_move(a, a->direction, moved);
}

/* ---- sentences ---------------------------------------------------------------------------- */

const dal_text *dal_alone_text(const dal_alone *a, int number)
{
    const dal_spec *spec = a->build->spec;
    const dal_joint_type_spec *type = &spec->joint_types[dal_joint_type_number(a->build, &spec->joints[a->joint - a->build->mechanism.joints])];
    return number <= type->equations.n ? &type->equations.item[number - 1] : &type->velocity.item[number - 1 - type->equations.n];
}

const char *dal_alone_equations(const dal_alone *a, const bool *mask, int *number_of)
{
    dal_arena *arena = a->build->arena;
    const char *text = "";
    int n = 0, last = 0;
    for (int i = a->r - 1; i >= 0; i--) {
        const int number = a->mechanism.rows[a->layout->row[i].source].equation;
        if (!mask[i] || number == last)
            continue;
        last = number;
        text = dal_arena_print(arena, "%d `%.100s`%s%s", number, dal_alone_text(a, number)->text, n == 0 ? "" : n == 1 ? " and " : ", ", text);
        n++;
    }
    *number_of = n;
    return dal_arena_print(arena, "%s %s", n == 1 ? "equation" : "equations", text);
}
