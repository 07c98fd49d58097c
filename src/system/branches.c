/* Other positions in which a mechanism closes.
 *
 * phi = 0 has several solutions near which nothing else is: a four-bar with a given crank closes in two ways, elbow up and elbow down.
 * Assembly ends in the one that its steps lead to, which need not be the nearest to what was given. Others are looked for from where
 * it ended: each body alone is turned about a point of a joint by quarters of a turn, then all bodies by chance (the same on every
 * machine), and each time the gaps are closed and the nearest placement of that branch is taken. The search proves nothing: what it does
 * not find may exist. It is made only where a given value moved far, or where the model asks for a branch, and ends when it has cost
 * as many solutions of linear systems as a small model pays easily.
 *
 * The model asks by a joint's start: `within:` bounds its coordinate, `branch: near` takes the position in which it is nearest to its
 * start value (without one: the position nearest to all that is given), `branch: other` the nearest one that plain assembly does not
 * reach.
 */
#include "base/message.h"
#include "math/rotation.h"
#include "math/vec.h"
#include "system/assembly.h"
#include "system/frames.h"

#include <math.h>
#include <string.h>

static const double apart = 1e-2;      /* rad, or of the model's length: positions that differ by less are one */
static const double half_pi = 1.57079632679489661923;

enum { MOST_BRANCHES = 8, QUARTERS = 3, MOST_TURNED = 16, CHANCES = 12, LEAST_SOLVES = 20, MOST_SOLVES = 4000 };

typedef struct branch {
    double *q, distance; /* distance: weighted square of the way back to what was given */
} branch;

typedef struct search {
    dal_assembly *a;
    int rows, n, enough; /* enough: solutions after which it ends */
    branch found[MOST_BRANCHES]; /* the first is where assembly ended */
    uint64_t seed;
} search;

/* ---- looking for them ------------------------------------------------------------- */

static void go_to(dal_assembly *a, const double *q)
{
    memcpy(a->work.q, q, sizeof *q * (size_t)a->layout->nq);
    dal_family_twist.position(a->layout, &a->work);
    dal_rows_position(a->layout, &a->work);
    dal_rows_jacobian(a->layout, &a->work);
}

static double chance(search *s) /* in (-1, 1) */
{
    uint64_t z = (s->seed += 0x9e3779b97f4a7c15u);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    z ^= z >> 31;
    return ((double)(z >> 11) + 0.5) * 0x1p-52 - 1;
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

/* Turns a body about its first joint: r := P + D (r - P), R := D R, D the turn by `angle` about z of the joint's frame. */
static void turn_body(search *s, int b, double angle, bool any_axis)
{
    dal_assembly *a = s->a;
    const dal_marker *marker = first_marker(a, b);
    const dal_kin *kin = &a->work.kin[b];
    double P[3], E[9], D[9], R[9], r[3], arm[3], axis[3] = {0, 0, 1};
    if (!a->layout->body[b].n_rot || !marker || a->S[a->layout->body[b].v + (int)a->mechanism.space] == 0)
        return; /* it cannot, or may not turn */
    dal_rotation_multiply(kin->R, marker->B, E);
    dal_copy3(kin->r, P);
    dal_add_turned(kin->R, marker->s, P);
    if (a->mechanism.space == DAL_SPATIAL)
        for (int i = 0; i < 3; i++)
            axis[i] = E[3 * i + 2] + (any_axis ? chance(s) : 0);
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

/* |R_2 - R_1|^2 = 8 sin^2(angle / 2) */
static double turn_between(const double R[9], const double R0[9])
{
    double sum = 0;
    for (int i = 0; i < 9; i++)
        sum += (R[i] - R0[i]) * (R[i] - R0[i]);
    return 2 * asin(fmin(1, sqrt(sum / 2) / 2));
}

/* Is the present placement another one than q? */
static bool differs(dal_assembly *a, const double *q)
{
    double *now = DAL_TAKE(a->build->arena, double, a->layout->nq);
    dal_kin *kin = DAL_TAKE(a->build->arena, dal_kin, a->mechanism.n_bodies + 1);
    bool other = false;
    memcpy(now, a->work.q, sizeof *now * (size_t)a->layout->nq);
    for (int b = 0; b < a->mechanism.n_bodies; b++)
        kin[b] = a->work.kin[b];
    memcpy(a->work.q, q, sizeof *q * (size_t)a->layout->nq);
    dal_family_twist.position(a->layout, &a->work);
    for (int b = 0; b < a->mechanism.n_bodies; b++) {
        double d[3];
        dal_sub3(kin[b].r, a->work.kin[b].r, d);
        other |= sqrt(dal_dot(d, d)) > apart * a->length || turn_between(kin[b].R, a->work.kin[b].R) > apart;
    }
    go_to(a, now);
    return other;
}

static void keep(search *s)
{
    dal_assembly *a = s->a;
    for (int i = 0; i < s->n; i++)
        if (!differs(a, s->found[i].q))
            return;
    branch *new = &s->found[s->n++];
    new->q = DAL_TAKE(a->build->arena, double, a->layout->nq);
    memcpy(new->q, a->work.q, sizeof *new->q * (size_t)a->layout->nq);
    new->distance = dal_assembly_distance(a);
}

/* From the present placement to the nearest one of its branch; a walk may end before it is there. */
static bool reach(search *s)
{
    dal_assembly *a = s->a;
    bool closed = dal_assembly_reach(a, s->rows);
    for (double before = INFINITY, now = 0; closed && a->solves < s->enough; before = now) {
        unwind(a, s->found[0].q);
        now = dal_assembly_distance(a);
        if (!(now < (1 - 1e-3) * before))
            break;
        closed = dal_assembly_reach(a, s->rows);
    }
    return closed;
}

/* A try from where assembly ended. */
static void look(search *s, int body, double angle)
{
    dal_assembly *a = s->a;
    if (s->n == MOST_BRANCHES || a->solves >= s->enough)
        return;
    go_to(a, s->found[0].q);
    for (int b = 0; b < a->mechanism.n_bodies; b++)
        if (body < 0 || b == body)
            turn_body(s, b, body < 0 ? 2 * half_pi * chance(s) : angle, body < 0);
    if (reach(s))
        keep(s);
}

static void find_branches(search *s, dal_assembly *a, int rows)
{
    const double cost = (double)a->m * a->m * (a->r + 1);
    *s = (search){.a = a, .rows = rows, .seed = 20};
    s->enough = a->solves + (int)fmax(LEAST_SOLVES, fmin(MOST_SOLVES, 4e8 / cost));
    keep(s);
    for (int b = 0; b < a->mechanism.n_bodies && b < MOST_TURNED; b++)
        for (int k = 1; k <= QUARTERS; k++)
            look(s, b, k * half_pi);
    for (int k = 0; k < CHANCES; k++)
        look(s, -1, 0);
    go_to(a, s->found[0].q);
}

/* ---- what the model asks for -------------------------------------------------------- */

static double unit_of(const dal_assembly *a, const dal_wish *wish)
{
    return a->mechanism.measures[wish->measure].kind == DAL_MEASURE_ANGLE ? 1 : a->length;
}

/* value[wish][branch]: its coordinate there. */
static void measure_wishes(search *s, double *value)
{
    const dal_build *build = s->a->build;
    for (int i = 0; i < s->n; i++) {
        go_to(s->a, s->found[i].q);
        for (int k = 0; k < build->n_wishes; k++)
            value[k * MOST_BRANCHES + i] = build->wishes[k].measure < 0 ? 0 : s->a->work.value[build->wishes[k].measure];
    }
}

/* Does branch i meet a wish? Other than the first: another coordinate, or, of a joint that has none, another position. */
static bool meets(const search *s, const dal_wish *wish, const double *value, int i)
{
    if (wish->within > 0 && !(fabs(value[i] - wish->value) <= wish->within * (1 + 1e-9)))
        return false;
    if (wish->branch != DAL_BRANCH_OTHER)
        return true;
    return i > 0 && (wish->measure < 0 || fabs(value[i] - value[0]) > apart * unit_of(s->a, wish));
}

/* What is to be as small as it can be: how far the coordinates of `branch: near` are from their values; or the way back. */
static double price(const search *s, const double *value, int i)
{
    const dal_build *build = s->a->build;
    double sum = 0;
    bool any = false;
    for (int k = 0; k < build->n_wishes; k++) {
        const dal_wish *wish = &build->wishes[k];
        if (wish->branch != DAL_BRANCH_NEAR || !wish->has_value)
            continue;
        const double miss = (value[k * MOST_BRANCHES + i] - wish->value) / unit_of(s->a, wish);
        sum += miss * miss;
        any = true;
    }
    return any ? sum : s->found[i].distance;
}

static void refuse(const search *s, const dal_wish *wish, const double *value)
{
    const dal_build *build = s->a->build;
    const dal_joint *joint = &s->a->mechanism.joints[wish->joint];
    const char *unit = wish->measure < 0 ? "" : unit_of(s->a, wish) == 1 && s->a->mechanism.measures[wish->measure].kind == DAL_MEASURE_ANGLE ? "rad" : "m";
    const char *list = "";
    for (int i = 0; i < s->n; i++)
        list = dal_arena_print(build->arena, "%s%s%.4g", list, i ? ", " : "", value[i] + wish->zero);
    if (wish->branch == DAL_BRANCH_OTHER && s->n < 2)
        dal_error(build->messages, wish->mark, "joint '%s' asks for another branch: no other position was found in which the mechanism closes", joint->name);
    else if (wish->branch == DAL_BRANCH_OTHER)
        dal_error(build->messages, wish->mark, "joint '%s' asks for another branch: in all %d positions that were found it starts at %.4g %s or outside of its bounds",
                  joint->name, s->n, value[0] + wish->zero, unit);
    else
        dal_error(build->messages, wish->mark, "joint '%s' cannot start within %.4g %s of %.4g %s: in the position%s that %s found it is at %s %s", joint->name,
                  wish->within, unit, wish->value + wish->zero, unit, s->n > 1 ? "s" : "", s->n > 1 ? "were" : "was", list, unit);
}

/* The best branch that meets all wishes; -1 with a message. */
static int choose(const search *s, const double *value)
{
    const dal_build *build = s->a->build;
    bool left[MOST_BRANCHES];
    int best = -1;
    for (int i = 0; i < s->n; i++)
        left[i] = true;
    for (int k = 0; k < build->n_wishes; k++) {
        int n = 0;
        for (int i = 0; i < s->n; i++)
            n += left[i] = left[i] && meets(s, &build->wishes[k], value + k * MOST_BRANCHES, i);
        if (!n) {
            refuse(s, &build->wishes[k], value + k * MOST_BRANCHES);
            return -1;
        }
    }
    for (int i = 0; i < s->n; i++)
        if (left[i] && (best < 0 || price(s, value, i) < price(s, value, best) * (1 - 1e-9)))
            best = i;
    return best;
}

/* Where bounds hold already and nothing else is asked for, assembly is right as it is. */
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
    search s;
    if (is_content(a))
        return true;
    dal_assembly_weigh(a, false);
    dal_assembly_dense(a);
    find_branches(&s, a, rows);
    double *value = DAL_TAKE(a->build->arena, double, (size_t)a->build->n_wishes * MOST_BRANCHES);
    measure_wishes(&s, value);
    const int best = choose(&s, value);
    go_to(a, s.found[best < 0 ? 0 : best].q);
    return best >= 0;
}

/* ---- values that moved far ------------------------------------------------------------ */

/* The body on which the included model of a body stands, or the ground: what is written there is written relative to it. */
static int host_of(dal_build *build, int b)
{
    const dal_binding *binding = build->spec->bodies[b].binding;
    dal_marker mount;
    return binding && !dal_on_ground(build, binding->model) && dal_build_mount(build, binding->model, &mount) ? mount.body : DAL_GROUND;
}

/* A pose in the axes of the host: R_h^T (r - r_h), R_h^T R. */
static void relative(const double r[3], const double R[9], const double *r_h, const double *R_h, double p[3], double E[9])
{
    double d[3];
    dal_sub3(r, r_h, d);
    dal_mulT3(R_h, d, p);
    dal_rotation_multiply_left_transposed(R_h, R, E);
}

/* How far what was written of a body has moved at the present placement; derived and omitted values do not count. */
static dal_start_change moved(const dal_assembly *a, int b)
{
    const dal_body_spec *spec = &a->build->spec->bodies[b];
    const dal_body_start *start = &a->build->start[b];
    const int host = host_of(a->build, b);
    double p[2][3], E[2][9], d[3];
    dal_start_change change = {0};
    memcpy(p[0], start->r, sizeof p[0]), memcpy(E[0], start->R, sizeof E[0]);
    memcpy(p[1], a->work.kin[b].r, sizeof p[1]), memcpy(E[1], a->work.kin[b].R, sizeof E[1]);
    if (host != DAL_GROUND) {
        relative(start->r, start->R, a->build->start[host].r, a->build->start[host].R, p[0], E[0]);
        relative(a->work.kin[b].r, a->work.kin[b].R, a->work.kin[host].r, a->work.kin[host].R, p[1], E[1]);
    }
    dal_sub3(p[1], p[0], d);
    if (spec->position.n)
        change.shift = sqrt(dal_dot(d, d));
    if (a->layout->body[b].n_rot && (spec->angle.text || spec->orientation.kind != DAL_ATTITUDE_NONE))
        change.turn = turn_between(E[1], E[0]);
    return change;
}

static bool is_far(const dal_assembly *a, dal_start_change change)
{
    return change.turn > dal_far_turn || change.shift > dal_far_shift * a->length;
}

bool dal_assembly_moved_far(const dal_assembly *a, int body)
{
    return !a->build->n_wishes && is_far(a, moved(a, body));
}

/* How far the coordinate of a start value is from it; in radians, or metres. */
static double missed(const dal_assembly *a, const dal_target *target)
{
    return a->work.value[target->measure] - target->value;
}

static bool is_missed_far(const dal_assembly *a, const dal_target *target)
{
    const bool angle = a->mechanism.measures[target->measure].kind == DAL_MEASURE_ANGLE;
    return target->has_value && fabs(missed(a, target)) > (angle ? dal_far_turn : dal_far_shift * a->length);
}

/* The nearest of the others, -1: none was found. */
static int nearest_other(const search *s)
{
    int best = -1;
    for (int i = 1; i < s->n; i++)
        if (best < 0 || s->found[i].distance < s->found[best].distance)
            best = i;
    return best;
}

/* "; the mechanism also closes with ...", `there`: what is to be said about that position. */
static const char *other_words(const search *s, int other, const char *there)
{
    if (other < 0)
        return "; no other position was found in which the mechanism closes";
    const bool nearer = s->found[other].distance < s->found[0].distance;
    return dal_arena_print(s->a->build->arena, "; the mechanism also closes with %s: all in all that is %s what is given, and `branch: %s` in the `start:` of a joint takes it",
                           there, nearer ? "nearer to" : "further from", nearer ? "near" : "other");
}

/* "moved by 0.2 m and turned by 1.05 rad, to 2.1 rad": what is written of a body. */
static const char *move_words(const dal_assembly *a, int b)
{
    const dal_start_change change = moved(a, b);
    const dal_body_spec *spec = &a->build->spec->bodies[b];
    const bool shifts = spec->position.n, turns = spec->angle.text || spec->orientation.kind != DAL_ATTITUDE_NONE;
    dal_arena *arena = a->build->arena;
    const char *to = a->layout->body[b].n_rot == 1 ? dal_arena_print(arena, ", to %.4g rad", a->work.q[a->layout->body[b].q + 2]) : "";
    const char *shift = shifts ? dal_arena_print(arena, "moved by %.3g m", change.shift) : "";
    return turns ? dal_arena_print(arena, "%s%sturned by %.3g rad%s", shift, shifts ? " and " : "", change.turn, to) : shift;
}

static void warn_of_body(search *s, int b, int other)
{
    dal_assembly *a = s->a;
    const char *name = a->mechanism.bodies[b].name, *there = "";
    const dal_start_change change = moved(a, b);
    if (other >= 0) {
        go_to(a, s->found[other].q);
        there = dal_arena_print(a->build->arena, "'%s' %s", name, move_words(a, b));
        go_to(a, s->found[0].q);
    }
    dal_warn(a->build->messages, a->mechanism.bodies[b].mark, DAL_CODE_START_MOVED, change.turn > dal_far_turn ? change.turn : change.shift / a->length,
             "'%s' is %s, from where it is given%s", name, move_words(a, b), other_words(s, other, there));
}

static void warn_of_target(search *s, const dal_target *target, int other)
{
    dal_assembly *a = s->a;
    const dal_joint *joint = &a->mechanism.joints[target->joint];
    const bool angle = a->mechanism.measures[target->measure].kind == DAL_MEASURE_ANGLE;
    const double miss = missed(a, target), wanted = target->value + target->zero;
    const char *unit = angle ? "rad" : "m", *there = "";
    if (other >= 0) {
        go_to(a, s->found[other].q);
        there = dal_arena_print(a->build->arena, "joint '%s' at %.4g %s", joint->name, wanted + missed(a, target), unit);
        go_to(a, s->found[0].q);
    }
    dal_warn(a->build->messages, target->mark, DAL_CODE_START_MOVED, angle ? fabs(miss) : fabs(miss) / a->length,
             "assembly moved joint '%s' from its start value of %.4g %s to %.4g %s%s", joint->name, wanted, unit, wanted + miss, unit,
             other_words(s, other, there));
}

void dal_assembly_warn(dal_assembly *a, int rows)
{
    bool any = false;
    search s;
    for (int b = 0; b < a->mechanism.n_bodies; b++)
        any |= dal_assembly_moved_far(a, b);
    for (int i = 0; i < a->build->n_targets; i++)
        any |= !a->build->n_wishes && is_missed_far(a, &a->build->targets[i]);
    if (!any)
        return;
    find_branches(&s, a, rows);
    const int other = nearest_other(&s);
    for (int b = 0; b < a->mechanism.n_bodies; b++)
        if (dal_assembly_moved_far(a, b))
            warn_of_body(&s, b, other);
    for (int i = 0; i < a->build->n_targets; i++)
        if (is_missed_far(a, &a->build->targets[i]))
            warn_of_target(&s, &a->build->targets[i], other);
}
