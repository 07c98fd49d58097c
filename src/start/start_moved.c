/* Start values that assembly moved far: warnings that say in which other position the mechanism closes. Only what is written counts: a
 * body's own position and attitude, a joint's own start value. Omitted and derived values (between points, by the start of a joint, with the body
 * that carries an included model) cause no warning. If the model chooses a branch itself, there are no warnings. */
#include "base/message.h"
#include "math/rotation.h"
#include "math/vec.h"
#include "start/branches.h"

#include <math.h>
#include <string.h>

static const double products_of_warning = 1e8; /* maximum cost of a search for a warning, see branches.c */

/* A pose in the axes of the host: R_h^T (r - r_h), R_h^T R. */
static void relative(const double r[3], const double R[9], const double *r_h, const double *R_h, double p[3], double E[9])
{
    double d[3];
    dal_sub3(r, r_h, d);
    dal_mulT3(R_h, d, p);
    dal_rotation_multiply_left_transposed(R_h, R, E);
}

/* The displacement of the written values of a body at the present placement; derived and omitted values do not count. */
static dal_start_change moved(const dal_assembly *a, int b)
{
    const dal_body_spec *spec = &a->build->spec->bodies[b];
    const dal_body_start *start = &a->build->start[b];
    const int host = start->host;
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
        change.turn = dal_rotation_between(E[1], E[0]);
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

/* The nearest of the others in which a body stands elsewhere, or an angle or distance is another one; -1: none was found. Positions that a motion
 * connects with the result of assembly count only if there are no others, and if the way to them leads away from the given values. */
static int nearest_other(dal_branches *s, int body, int measure)
{
    dal_assembly *a = s->a;
    const double *value = a->work.value;
    double r[3] = {0}, R[9] = {0}, before = 0, d[3];
    int best = -1;
    dal_branches_go(a, s->found[0].q);
    if (body >= 0)
        memcpy(r, a->work.kin[body].r, sizeof r), memcpy(R, a->work.kin[body].R, sizeof R);
    else
        before = value[measure];
    for (int i = 1; i < s->n; i++) {
        dal_branches_go(a, s->found[i].q);
        bool differs_here =
            body < 0 && fabs(value[measure] - before) > dal_apart * (a->mechanism.measures[measure].kind == DAL_MEASURE_ANGLE ? 1 : a->length);
        if (body >= 0) {
            dal_sub3(a->work.kin[body].r, r, d);
            differs_here = sqrt(dal_dot(d, d)) > dal_apart * a->length || dal_rotation_between(a->work.kin[body].R, R) > dal_apart;
        }
        if (!differs_here || (s->found[i].same_curve && !s->found[i].apart))
            continue;
        const bool better_kind = best >= 0 && s->found[best].same_curve && !s->found[i].same_curve;
        if (best < 0 || better_kind || (s->found[i].same_curve == s->found[best].same_curve && s->found[i].distance < s->found[best].distance))
            best = i;
    }
    dal_branches_go(a, s->found[0].q);
    return best;
}

/* "; the mechanism also closes with ...", `there`: what is to be said about that position. */
static const char *other_words(const dal_branches *s, bool looked, int other, const char *there)
{
    if (!looked)
        return "; the model is too large to search for other positions in which it closes";
    for (int i = 1; i < s->n && other < 0; i++)
        if (s->found[i].same_curve)
            return "; no other branch was found: a motion of the mechanism leads to all other positions in which it closes";
    if (other < 0)
        return "; no other branch was found in which the mechanism closes";
    const bool nearer = s->found[other].distance < s->found[0].distance;
    if (s->found[other].same_curve)
        return dal_arena_print(
            s->a->build->arena,
            "; on the same branch, to which a motion of the mechanism leads, it closes with %s, which is %s the given values as a whole", there,
            nearer ? "nearer to" : "further from");
    return dal_arena_print(
        s->a->build->arena,
        "; the mechanism also closes with %s, which is %s the given values as a whole; `branch: %s` in the `start:` of a joint selects it", there,
        nearer ? "nearer to" : "further from", nearer ? "near" : "other");
}

/* "moved by 0.2 m and turned by 1.05 rad, to 2.1 rad": what is written of a body, and has changed. */
static const char *move_words(const dal_assembly *a, int b)
{
    const dal_start_change change = moved(a, b);
    const dal_body_spec *spec = &a->build->spec->bodies[b];
    const bool shifts = spec->position.n && change.shift > dal_worth_a_note * a->length;
    const bool turns = (spec->angle.text || spec->orientation.kind != DAL_ATTITUDE_NONE) && change.turn > dal_worth_a_note;
    dal_arena *arena = a->build->arena;
    const char *to = a->layout->body[b].n_rot == 1 ? dal_arena_print(arena, ", to %.4g rad", a->work.q[a->layout->body[b].q + 2]) : "";
    const char *shift = shifts ? dal_arena_print(arena, "moved by %.3g m", change.shift) : turns ? "" : "where it is given";
    return turns ? dal_arena_print(arena, "%s%sturned by %.3g rad%s", shift, shifts ? " and " : "", change.turn, to) : shift;
}

static void warn_of_body(dal_branches *s, bool looked, int b)
{
    dal_assembly *a = s->a;
    const int other = nearest_other(s, b, -1);
    const char *name = a->mechanism.bodies[b].name, *there = "";
    const dal_start_change change = moved(a, b);
    if (other >= 0) {
        dal_branches_go(a, s->found[other].q);
        there = dal_arena_print(a->build->arena, "'%s' %s", name, move_words(a, b));
        dal_branches_go(a, s->found[0].q);
    }
    dal_warn(a->build->messages, a->mechanism.bodies[b].mark, DAL_CODE_START_MOVED,
             change.turn > dal_far_turn ? change.turn : change.shift / a->length, "assembly: '%s' is %s from where it is given%s", name,
             move_words(a, b), other_words(s, looked, other, there));
}

static void warn_of_target(dal_branches *s, bool looked, const dal_target *target)
{
    dal_assembly *a = s->a;
    const int other = nearest_other(s, -1, target->measure);
    const dal_joint *joint = &a->mechanism.joints[target->joint];
    const bool angle = a->mechanism.measures[target->measure].kind == DAL_MEASURE_ANGLE;
    const double miss = missed(a, target), wanted = target->value + target->zero;
    const char *unit = angle ? "rad" : "m", *there = "";
    if (other >= 0) {
        dal_branches_go(a, s->found[other].q);
        there = dal_arena_print(a->build->arena, "joint '%s' at %.4g %s", joint->name, wanted + missed(a, target), unit);
        dal_branches_go(a, s->found[0].q);
    }
    dal_warn(a->build->messages, target->mark, DAL_CODE_START_MOVED, angle ? fabs(miss) : fabs(miss) / a->length,
             "assembly moved joint '%s' from its start value of %.4g %s to %.4g %s%s", joint->name, wanted, unit, wanted + miss, unit,
             other_words(s, looked, other, there));
}

void dal_assembly_warn(dal_assembly *a, int rows)
{
    bool any = false;
    dal_branches s;
    for (int b = 0; b < a->mechanism.n_bodies; b++)
        any |= dal_assembly_moved_far(a, b);
    for (int i = 0; i < a->build->n_targets; i++)
        any |= !a->build->n_wishes && is_missed_far(a, &a->build->targets[i]);
    if (!any)
        return;
    const bool looked = dal_branches_find(&s, a, rows, products_of_warning);
    if (looked)
        dal_branches_sort(&s);
    for (int b = 0; b < a->mechanism.n_bodies; b++)
        if (dal_assembly_moved_far(a, b))
            warn_of_body(&s, looked, b);
    for (int i = 0; i < a->build->n_targets; i++)
        if (is_missed_far(a, &a->build->targets[i]))
            warn_of_target(&s, looked, &a->build->targets[i]);
}
