/* Bodies whose start nothing decides: a note says in which other position the mechanism closes.
 *
 * A body without start values follows from the joints, and stands on the branch to which its guess leads: elbow up, or elbow down. There is
 * nothing to choose where the joints leave one place, where a motion of the mechanism leads from one place to the other while all given values
 * stay, or where the other place is further from a given value than this one. The search is that of branches.c. It is made for `check` only,
 * because it costs more than assembly.
 */
#include "base/message.h"
#include "math/rank.h"
#include "math/rotation.h"
#include "math/sums.h"
#include "math/vec.h"
#include "start/branches.h"

#include <math.h>
#include <string.h>

static const double products_of_note = 1e7; /* maximum cost of the search */
static const double as_near = 1e-2;         /* rad, or lengths of the model: given values that are missed by so much more are missed as well */
static const double another_place = 0.1;    /* the same: a body that stands so much elsewhere stands elsewhere to the eye */

static bool follows_from_joints(const dal_assembly *a, int b)
{
    const dal_body_start *start = &a->build->start[b];
    return a->layout->body[b].n_rot ? !start->attitude_given : !start->position_given;
}

/* In rad, or lengths of the model. */
static double way_between(const dal_assembly *a, int b, const double r[3], const double R[9])
{
    double d[3];
    if (a->layout->body[b].n_rot)
        return dal_rotation_between(a->work.kin[b].R, R);
    dal_sub3(a->work.kin[b].r, r, d);
    return dal_norm(d, 3) / a->length;
}

/* How far the worst of the given values is missed at the present placement. */
static double most_missed(const dal_assembly *a)
{
    double most = 0, d[3];
    for (int b = 0; b < a->mechanism.n_bodies; b++) {
        const dal_body_start *start = &a->build->start[b];
        dal_sub3(a->work.kin[b].r, start->r, d);
        if (start->position_given)
            most = fmax(most, dal_norm(d, 3) / a->length);
        if (start->attitude_given && a->layout->body[b].n_rot)
            most = fmax(most, dal_rotation_between(a->work.kin[b].R, start->R));
    }
    for (int i = 0; i < a->build->n_targets; i++) {
        const dal_target *target = &a->build->targets[i];
        const bool angle = a->mechanism.measures[target->measure].kind == DAL_MEASURE_ANGLE;
        if (target->has_value)
            most = fmax(most, fabs(a->work.value[target->measure] - target->value) / (angle ? 1 : a->length));
    }
    return most;
}

/* The body that stands farthest from its place in the first position, of those that follow from the joints; -1: none is elsewhere. */
static int farthest_body(const dal_branches *s, const dal_kin *first, double *way)
{
    int farthest = -1;
    *way = another_place;
    for (int b = 0; b < s->a->mechanism.n_bodies; b++) {
        const double there = way_between(s->a, b, first[b].r, first[b].R);
        if (follows_from_joints(s->a, b) && there > *way) {
            farthest = b;
            *way = there;
        }
    }
    return farthest;
}

/* Do the joints and the given values hold a body, to first order? What they leave free stands anywhere: there are no two places to choose from. A
 * displacement x of the body alone, of any direction, less the part that the rows see, x - R^+ R x, is what is left to it. */
static bool is_held(dal_assembly *a, int b)
{
    dal_arena *arena = a->build->arena;
    const int m = a->m, space = (int)a->mechanism.space;
    double *R = DAL_NEW(arena, double, (size_t)(a->r + m) * (size_t)m), *x = DAL_NEW(arena, double, m), *seen = DAL_NEW(arena, double, m), left = 0;
    double *Rx = DAL_NEW(arena, double, a->r + m);
    int rows = 0;
    for (int i = 0; i < a->r; i++)
        if (!dal_assembly_open(a, i)) {
            double *row = R + (size_t)rows++ * (size_t)m;
            dal_assembly_row(a, i, row);
            for (int k = 0; k < m; k++)
                row[k] *= dal_assembly_unit(a, k) / dal_assembly_row_unit(a, i);
        }
    for (int c = 0; c < a->mechanism.n_bodies; c++)
        for (int k = 0; k < a->layout->body[c].nv; k++)
            if (k < space ? a->build->start[c].position_given : a->build->start[c].attitude_given)
                R[(size_t)rows++ * (size_t)m + (size_t)(a->layout->body[c].v + k)] = 1;
    for (int k = 0; k < a->layout->body[b].nv; k++)
        x[a->layout->body[b].v + k] = 1 + 0.37 * k;
    for (int i = 0; i < rows; i++)
        for (int k = 0; k < m; k++)
            Rx[i] += R[(size_t)i * (size_t)m + (size_t)k] * x[k];
    dal_rank_solve(R, rows, m, m, 1e-9, Rx, seen, DAL_NEW(arena, double, dal_rank_work(rows, m)));
    for (int k = 0; k < m; k++)
        left = fmax(left, fabs(x[k] - seen[k]));
    return left < 1e-6;
}

static void note_undecided(const dal_branches *s, const double *q, int b, double way)
{
    const dal_assembly *a = s->a;
    const dal_body_layout *at = &a->layout->body[b];
    const char *name = a->mechanism.bodies[b].name;
    const dal_mark mark = a->mechanism.bodies[b].mark;
    if (at->n_rot == 1)
        dal_say_for(
            a->build->messages, DAL_NOTE, DAL_REASON_UNDECIDED, mark,
            "the start of '%s' follows from the joints alone: it is placed at %.4g rad, and the mechanism also closes with it at %.4g rad; `angle:` "
            "selects one of them, a rough value is enough",
            name, q[at->q + 2], a->work.q[at->q + 2]);
    else
        dal_say_for(a->build->messages, DAL_NOTE, DAL_REASON_UNDECIDED, mark,
                    "the start of '%s' follows from the joints alone, and the mechanism also closes with it %s by %.3g %s; %s selects one of the "
                    "two, a rough "
                    "value is enough",
                    name, at->n_rot ? "turned" : "moved", at->n_rot ? way : way * a->length, at->n_rot ? "rad" : "m",
                    at->n_rot ? "`orientation:`" : "`position:`");
}

void dal_assembly_undecided(dal_assembly *a, int rows)
{
    bool any = false;
    dal_branches s;
    for (int b = 0; b < a->mechanism.n_bodies; b++)
        any |= follows_from_joints(a, b);
    if (!any || a->build->n_wishes)
        return;
    dal_assembly_dense(a);
    if (!dal_branches_find(&s, a, rows, products_of_note) || s.n < 2)
        return;
    dal_branches_sort(&s);
    dal_kin *first = DAL_NEW(a->build->arena, dal_kin, a->mechanism.n_bodies);
    for (int b = 0; b < a->mechanism.n_bodies; b++)
        first[b] = a->work.kin[b];
    const double missed = most_missed(a);
    int best = -1, body = -1;
    double least = missed + as_near, way = 0;
    for (int i = 1; i < s.n; i++) {
        double there;
        dal_branches_go(a, s.found[i].q);
        const int b = farthest_body(&s, first, &there);
        if (b < 0 || !is_held(a, b) || (s.found[i].same_curve && !s.found[i].apart) || !(most_missed(a) < least))
            continue;
        least = most_missed(a);
        best = i, body = b, way = there;
    }
    if (best >= 0) {
        dal_branches_go(a, s.found[best].q);
        note_undecided(&s, s.found[0].q, body, way);
    }
    dal_branches_go(a, s.found[0].q);
}
