/* Other positions in which a mechanism closes.
 *
 * phi = 0 has several isolated solutions: a four-bar with a given crank closes in two ways, elbow up and elbow down.
 * Assembly ends in the one that its steps lead to, which need not be the nearest to what was given. Others are searched from where
 * it ended: each body alone is turned about a point of a joint by quarters of a turn, then all bodies at random (the same on every machine), and each
 * time the gaps are closed and the nearest placement of that branch is taken. The search is not complete: other branches may exist. It is made
 * only where a given value moved far, or where the model asks for a branch, and ends when it has cost enough; a large model is not searched for the
 * sake of a warning.
 *
 * The model asks by a joint's start: `within:` bounds its coordinate, `branch: near` takes the position in which it is nearest to its
 * start value (without one: the position nearest to all that is given), `branch: other` the nearest one that plain assembly does not
 * reach.
 */
#include "base/message.h"
#include "math/chance.h"
#include "math/rotation.h"
#include "math/vec.h"
#include "start/branches.h"
#include "compile/frames.h"

#include <math.h>
#include <string.h>

static const double half_pi = 1.57079632679489661923;

/* Maximum cost of the search for a choice of the model: a try takes up to some hundred solutions, each of them some m^2 r products. */
static const double products_of_choice = 4e9;

enum { QUARTERS = 3, MOST_TURNED = 16, CHANCES = 12, LEAST_SOLVES = 100, MOST_SOLVES = 4000 };

/* ---- looking for them ------------------------------------------------------------- */

void dal_branches_go(dal_assembly *a, const double *q)
{
    memcpy(a->work.q, q, sizeof *q * (size_t)a->layout->nq);
    dal_family_twist.position(a->layout, &a->work);
    dal_rows_position(a->layout, &a->work);
    dal_rows_jacobian(a->layout, &a->work);
}

/* The marker of a body in its first joint, or NULL. */
static const dal_marker *first_marker(const dal_assembly *a, int body)
{
    for (int j = 0; j < a->mechanism.n_joints; j++)
        for (int k = 0; k < 2 && a->mechanism.joints[j].type; k++)
            if (a->mechanism.joints[j].marker[k].body == body)
                return &a->mechanism.joints[j].marker[k];
    return NULL;
}

/* A particle goes a length of the model away, in the direction of the angle. */
static void shift_particle(dal_branches *s, int b, double angle)
{
    dal_assembly *a = s->a;
    double *r = a->work.q + a->layout->body[b].q;
    if (a->S[a->layout->body[b].v] == 0)
        return; /* it may not move */
    r[0] += a->length * cos(angle);
    r[1] += a->length * sin(angle);
    if (a->mechanism.space == DAL_SPATIAL)
        r[2] += a->length * dal_chance(&s->seed);
    dal_family_twist.position(a->layout, &a->work);
}

/* Turns a body about its first joint (where its position is fixed: about its origin): r := P + D (r - P), R := D R, D the turn by `angle`
 * about z of the joint's frame. */
static void turn_body(dal_branches *s, int b, double angle, bool any_axis)
{
    dal_assembly *a = s->a;
    const dal_marker *marker = first_marker(a, b);
    const dal_kin *kin = &a->work.kin[b];
    double P[3], E[9], D[9], R[9], r[3], arm[3], axis[3] = {0, 0, 1};
    if (!a->layout->body[b].n_rot) {
        shift_particle(s, b, angle);
        return;
    }
    if (!marker || a->S[a->layout->body[b].v + (int)a->mechanism.space] == 0)
        return; /* it cannot, or may not turn */
    dal_rotation_multiply(kin->R, marker->B, E);
    dal_copy3(kin->r, P);
    if (a->S[a->layout->body[b].v] != 0)
        dal_add_turned(kin->R, marker->s, P);
    if (a->mechanism.space == DAL_SPATIAL)
        for (int i = 0; i < 3; i++)
            axis[i] = E[3 * i + 2] + (any_axis ? dal_chance(&s->seed) : 0);
    const double norm = sqrt(dal_dot(axis, axis));
    for (int i = 0; i < 3; i++)
        axis[i] /= norm;
    dal_rotation_axis(axis, angle, D);
    dal_sub3(kin->r, P, arm);
    dal_copy3(P, r);
    dal_add_turned(D, arm, r);
    dal_rotation_multiply(D, kin->R, R);
    dal_family_twist.place(a->layout, &a->work, b, r, R);
    dal_family_twist.position(a->layout, &a->work);
}

/* Angles in the plane as near to those given as whole turns let them be. */
static void unwind(dal_assembly *a, const double *like)
{
    for (int b = 0; b < a->mechanism.n_bodies; b++) {
        const dal_body_start *start = &a->build->start[b];
        double *angle = &a->work.q[a->layout->body[b].q + 2];
        if (a->layout->body[b].n_rot == 1)
            *angle += 4 * half_pi * round(((start->attitude_given ? start->angle : like[a->layout->body[b].q + 2]) - *angle) / (4 * half_pi));
    }
}

/* Is the present placement another one than q? */
static bool differs(const dal_branches *s, const double *q)
{
    dal_assembly *a = s->a;
    double *now = s->now;
    dal_kin *kin = s->kin;
    bool other = false;
    memcpy(now, a->work.q, sizeof *now * (size_t)a->layout->nq);
    for (int b = 0; b < a->mechanism.n_bodies; b++)
        kin[b] = a->work.kin[b];
    memcpy(a->work.q, q, sizeof *q * (size_t)a->layout->nq);
    dal_family_twist.position(a->layout, &a->work);
    for (int b = 0; b < a->mechanism.n_bodies; b++) {
        double d[3];
        dal_sub3(kin[b].r, a->work.kin[b].r, d);
        other |= sqrt(dal_dot(d, d)) > dal_apart * a->length || dal_rotation_between(kin[b].R, a->work.kin[b].R) > dal_apart;
    }
    dal_branches_go(a, now);
    return other;
}

static void keep_branch(dal_branches *s)
{
    dal_assembly *a = s->a;
    for (int i = 0; i < s->n; i++)
        if (!differs(s, s->found[i].q))
            return;
    dal_position *new = &s->found[s->n++];
    new->q = DAL_NEW(a->build->arena, double, a->layout->nq);
    memcpy(new->q, a->work.q, sizeof *new->q *(size_t)a->layout->nq);
    new->distance = dal_assembly_distance(a);
}

/* From the present placement to the nearest one of its branch; a walk may end before it is there. */
static bool reach(dal_branches *s)
{
    dal_assembly *a = s->a;
    bool closed = dal_assembly_reach(a, s->rows);
    for (double before = INFINITY, now = 0; closed && a->newton.solves < s->enough; before = now) {
        unwind(a, s->found[0].q);
        now = dal_assembly_distance(a);
        if (!(now < (1 - 1e-3) * before))
            break;
        closed = dal_assembly_reach(a, s->rows);
    }
    return closed;
}

/* A try from where assembly ended. */
static void try_turn(dal_branches *s, int body, double angle)
{
    dal_assembly *a = s->a;
    if (s->n == DAL_MOST_BRANCHES || a->newton.solves >= s->enough)
        return;
    dal_branches_go(a, s->found[0].q);
    for (int b = 0; b < a->mechanism.n_bodies; b++)
        if (body < 0 || b == body)
            turn_body(s, b, body < 0 ? 2 * half_pi * dal_chance(&s->seed) : angle, body < 0);
    if (!reach(s))
        return;
    unwind(a, s->found[0].q);
    keep_branch(s);
}

bool dal_branches_find(dal_branches *s, dal_assembly *a, int rows, double products)
{
    const double solves = products / ((double)a->m * a->m * (a->r + 1));
    *s = (dal_branches){.a = a, .rows = rows, .seed = 20};
    s->now = DAL_NEW(a->build->arena, double, a->layout->nq);
    s->kin = DAL_NEW(a->build->arena, dal_kin, a->mechanism.n_bodies);
    keep_branch(s);
    if (solves < LEAST_SOLVES)
        return false;
    s->enough = a->newton.solves + (int)fmin(MOST_SOLVES, solves);
    for (int b = 0; b < a->mechanism.n_bodies && b < MOST_TURNED; b++)
        for (int k = 1; k <= QUARTERS; k++)
            try_turn(s, b, k * half_pi);
    for (int k = 0; k < CHANCES; k++)
        try_turn(s, -1, 0);
    dal_branches_go(a, s->found[0].q);
    return true;
}

/* ---- positions on one curve ----------------------------------------------------------- */

/* Where freedoms are left, positions in which the mechanism closes form a continuum. From position i the mechanism is moved towards the first one, in
 * small steps on the constraints. A step that jumps is no motion. */
static const double stride = 0.05; /* rad, or lengths of the model */
enum { STRIDES = 400 };

static bool step_towards(dal_branches *s, const double *goal, const dal_kin *kin)
{
    dal_assembly *a = s->a;
    dal_assembly_way(a, goal, kin);
    const double step = dal_newton_step(&a->newton, s->rows);
    if (!(step > stride / 50))
        return false;
    memcpy(s->now, a->work.q, sizeof *s->now * (size_t)a->layout->nq);
    for (int b = 0; b < a->mechanism.n_bodies; b++)
        s->kin[b] = a->work.kin[b];
    dal_newton_move(&a->newton, step, fmin(1, stride / step));
    a->newton.rows->evaluate(a);
    memset(a->e, 0, sizeof *a->e * (size_t)a->m);
    return dal_newton_close(&a->newton, s->rows, 20) <= 1e-9 && dal_assembly_way(a, s->now, s->kin) < 4 * stride;
}

static void find_curve(dal_branches *s, int i, const dal_kin *goal)
{
    dal_assembly *a = s->a;
    dal_position *p = &s->found[i];
    const double ends = fmax(p->distance, s->found[0].distance);
    double *weight = DAL_NEW(a->build->arena, double, a->m), last = INFINITY;
    memcpy(weight, a->S, sizeof *weight * (size_t)a->m);
    dal_branches_go(a, p->q);
    for (int n = 0; n < STRIDES; n++) {
        const double left = dal_assembly_way(a, s->found[0].q, goal);
        if (left < dal_apart) {
            p->same_curve = true;
            return;
        }
        if (!(left < last + stride))
            return;
        last = fmin(last, left);
        for (int k = 0; k < a->m; k++)
            a->S[k] = weight[k] == 0 ? 0 : dal_assembly_unit(a, k);
        const bool moved = step_towards(s, s->found[0].q, goal);
        memcpy(a->S, weight, sizeof *weight * (size_t)a->m);
        if (!moved)
            return;
        p->apart |= dal_assembly_distance(a) > ends * (1 + dal_apart);
    }
}

void dal_branches_sort(dal_branches *s)
{
    dal_assembly *a = s->a;
    dal_kin *goal = DAL_NEW(a->build->arena, dal_kin, a->mechanism.n_bodies);
    dal_branches_go(a, s->found[0].q);
    for (int b = 0; b < a->mechanism.n_bodies; b++)
        goal[b] = a->work.kin[b];
    for (int i = 1; i < s->n; i++)
        find_curve(s, i, goal);
    dal_branches_go(a, s->found[0].q);
}

/* ---- what the model asks for -------------------------------------------------------- */

static double unit_of(const dal_assembly *a, const dal_wish *wish)
{
    return a->mechanism.measures[wish->measure].kind == DAL_MEASURE_ANGLE ? 1 : a->length;
}

/* value[wish][branch]: its coordinate there. */
static void measure_wishes(dal_branches *s, double *value)
{
    const dal_build *build = s->a->build;
    for (int i = 0; i < s->n; i++) {
        dal_branches_go(s->a, s->found[i].q);
        for (int k = 0; k < build->n_wishes; k++)
            value[k * DAL_MOST_BRANCHES + i] = build->wishes[k].measure < 0 ? 0 : s->a->work.value[build->wishes[k].measure];
    }
}

/* Does branch i meet a wish? Other than the first: another coordinate, or, of a joint that has none, another position. */
static bool meets(const dal_branches *s, const dal_wish *wish, const double *value, int i)
{
    if (wish->within > 0 && !(fabs(value[i] - wish->value) <= wish->within * (1 + 1e-9)))
        return false;
    if (wish->branch != DAL_BRANCH_OTHER)
        return true;
    return i > 0 && (wish->measure < 0 || fabs(value[i] - value[0]) > dal_apart * unit_of(s->a, wish));
}

/* The objective: the distance of the coordinates of `branch: near` from their values; or the distance from the given values. */
static double price(const dal_branches *s, const double *value, int i)
{
    const dal_build *build = s->a->build;
    double sum = 0;
    bool any = false;
    for (int k = 0; k < build->n_wishes; k++) {
        const dal_wish *wish = &build->wishes[k];
        if (wish->branch != DAL_BRANCH_NEAR || !wish->has_value)
            continue;
        const double miss = (value[k * DAL_MOST_BRANCHES + i] - wish->value) / unit_of(s->a, wish);
        sum += miss * miss;
        any = true;
    }
    return any ? sum : s->found[i].distance;
}

static void refuse_branch(const dal_branches *s, const dal_wish *wish, const double *value)
{
    const dal_build *build = s->a->build;
    const dal_joint *joint = &s->a->mechanism.joints[wish->joint];
    const char *unit = wish->measure < 0 ? "" : s->a->mechanism.measures[wish->measure].kind == DAL_MEASURE_ANGLE ? "rad" : "m";
    const char *list = "";
    for (int i = 0; i < s->n; i++)
        list = dal_arena_print(build->arena, "%s%s%.4g", list, i ? ", " : "", value[i] + wish->zero);
    if (wish->branch == DAL_BRANCH_OTHER && s->n < 2)
        dal_error(build->messages, wish->mark, "joint '%s' asks for another branch: no other position was found in which the mechanism closes",
                  joint->name);
    else if (wish->branch == DAL_BRANCH_OTHER)
        dal_error(build->messages, wish->mark,
                  "joint '%s' asks for another branch: in all %d positions that were found it starts at %.4g %s or outside of its bounds",
                  joint->name, s->n, value[0] + wish->zero, unit);
    else
        dal_error(build->messages, wish->mark, "joint '%s' cannot start within %.4g %s of %.4g %s: in the position%s that %s found it is at %s %s",
                  joint->name, wish->within, unit, wish->value + wish->zero, unit, s->n > 1 ? "s" : "", s->n > 1 ? "were" : "was", list, unit);
}

/* The best branch that meets all wishes; -1 with a message. */
static int choose(const dal_branches *s, const double *value)
{
    const dal_build *build = s->a->build;
    bool left[DAL_MOST_BRANCHES];
    int best = -1;
    for (int i = 0; i < s->n; i++)
        left[i] = true;
    for (int k = 0; k < build->n_wishes; k++) {
        int n = 0;
        for (int i = 0; i < s->n; i++)
            n += left[i] = left[i] && meets(s, &build->wishes[k], value + k * DAL_MOST_BRANCHES, i);
        if (!n) {
            refuse_branch(s, &build->wishes[k], value + k * DAL_MOST_BRANCHES);
            return -1;
        }
    }
    for (int i = 0; i < s->n; i++)
        if (left[i] && (best < 0 || price(s, value, i) < price(s, value, best) * (1 - 1e-9)))
            best = i;
    return best;
}

/* If the bounds hold already and nothing else is requested, the assembly is accepted. */
static bool is_content(const dal_assembly *a)
{
    for (int k = 0; k < a->build->n_wishes; k++) {
        const dal_wish *wish = &a->build->wishes[k];
        if (wish->branch != DAL_BRANCH_ANY || !(fabs(a->work.value[wish->measure] - wish->value) <= wish->within))
            return false;
    }
    return true;
}

bool dal_assembly_choose(dal_assembly *a, int rows)
{
    dal_branches s;
    if (is_content(a))
        return true;
    dal_assembly_weigh(a, false);
    dal_assembly_dense(a);
    if (!dal_branches_find(&s, a, rows, products_of_choice)) {
        dal_error(a->build->messages, a->build->wishes[0].mark,
                  "joint '%s' asks for a branch: the model is too large to search for others (%d unknowns)",
                  a->mechanism.joints[a->build->wishes[0].joint].name, a->m);
        return false;
    }
    double *value = DAL_NEW(a->build->arena, double, (size_t)a->build->n_wishes *DAL_MOST_BRANCHES);
    measure_wishes(&s, value);
    const int best = choose(&s, value);
    dal_branches_go(a, s.found[best < 0 ? 0 : best].q);
    return best >= 0;
}
