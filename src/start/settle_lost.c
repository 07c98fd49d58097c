/* A search for an equilibrium that does not end: the model runs away, keeps turning, or does not settle.
 *
 *     gone      max over bodies |r - r_0|, now                      wandered    sum over steps of max |dr|
 *     turned    sum over steps of the turn of a body, a vector      rotated     sum over steps of the largest |turn|
 *
 * The model runs away if it has gone further than its parts could without leaving each other, and mostly straight. A body turns and turns if it has made some
 * whole turns at its joint, mostly one way. Else the search does not settle: with many freedoms it may only need more steps.
 */
#include "start/settle_parts.h"

#include "joint/mechanism.h"
#include "math/vec.h"
#include "start/shares.h"
#include "state/state_parts.h"

#include <math.h>
#include <string.h>

static const double away = 6;        /* extents of the model at the start: an opened chain that swings over goes four */
static const double straight = 0.25; /* of the way: it has a direction */
static const double turns_least = 2; /* whole turns */
static const double as_much = 0.5;   /* of the largest turn: the first joint that turns so much turns the others */
static const double turn = 2 * M_PI;

/* Of coordinates without bodies. */
static double gone_by_coordinates(const dal_settler *s, const double *from)
{
    const dal_layout *layout = s->point.layout;
    double most = 0;
    for (int k = 0; k < layout->nq && (!layout->mechanism->n_bodies || layout->systems); k++)
        most = fmax(most, fabs(s->q[k] - from[k]) * (layout->nq == layout->nv ? layout->units.column_scale[k] : 1) / layout->units.length);
    return most;
}

/* In lengths. r: 3 a body. */
static double gone_from(const dal_settler *s, const double *r, const double *q)
{
    const dal_layout *layout = s->point.layout;
    double most = gone_by_coordinates(s, q), apart[3];
    for (int b = 0; b < layout->mechanism->n_bodies; b++) {
        dal_sub3(dal_seen_work(s->state)->kin[b].r, r + 3 * b, apart);
        most = fmax(most, sqrt(dal_dot(apart, apart)) / layout->units.length);
    }
    return most;
}

static void copy_places(const dal_settler *s, dal_settle_places *to)
{
    const dal_layout *layout = s->point.layout;
    for (int b = 0; b < layout->mechanism->n_bodies; b++) {
        memcpy(to->r + 3 * b, dal_seen_work(s->state)->kin[b].r, 3 * sizeof *to->r);
        memcpy(to->R + 9 * b, dal_seen_work(s->state)->kin[b].R, 9 * sizeof *to->R);
    }
    memcpy(to->q, s->q, sizeof *to->q * (size_t)layout->nq);
}

dal_settle_places dal_settle_make_places(dal_arena *arena, const dal_layout *layout)
{
    const int n = layout->mechanism->n_bodies;
    return (dal_settle_places){DAL_NEW(arena, double, 3 * n + 1), DAL_NEW(arena, double, 9 * n + 1), DAL_NEW(arena, double, layout->nq + 1)};
}

void dal_settle_set_out(dal_settler *s)
{
    copy_places(s, &s->first_places);
    memset(s->turned, 0, sizeof *s->turned * 3 * (size_t)s->point.layout->mechanism->n_bodies);
    s->wandered = s->rotated = 0;
    s->first_extent = dal_settle_extent(s) / s->point.layout->units.length;
}

dal_settle_places dal_settle_places_now(dal_settler *s)
{
    dal_settle_places now = dal_settle_make_places(&s->arena, s->point.layout);
    copy_places(s, &now);
    return now;
}

/* A turn of one step is short: w = sin(angle) axis stands for it. */
void dal_settle_track(dal_settler *s, const dal_settle_places *before)
{
    double most = 0, w[3];
    s->wandered += gone_from(s, before->r, before->q);
    for (int b = 0; b < s->point.layout->mechanism->n_bodies; b++) {
        if (s->point.layout->mechanism->bodies[b].particle)
            continue;
        dal_spin_of(before->R + 9 * b, dal_seen_work(s->state)->kin[b].R, w);
        dal_axpy3(1, w, s->turned + 3 * b);
        most = fmax(most, sqrt(dal_dot(w, w)));
    }
    s->rotated += most;
}

double dal_settle_gone(const dal_settler *s)
{
    const double gone = gone_from(s, s->first_places.r, s->first_places.q);
    return gone > away * s->first_extent && gone > straight * s->wandered ? gone : 0;
}

/* How much the second body of a joint with an angle has turned against the first one, rad. */
static double turned_at(const dal_settler *s, const dal_joint *joint)
{
    const dal_mechanism *m = s->point.layout->mechanism;
    double w[3] = {0, 0, 0};
    bool has_angle = false;
    for (int k = 0; k < joint->n_coordinates; k++)
        has_angle = has_angle || m->measures[joint->coordinate[k]].kind == DAL_MEASURE_ANGLE;
    for (int side = 0; side < 2 && has_angle; side++)
        if (joint->marker[side].body != DAL_GROUND)
            dal_axpy3(side ? 1 : -1, s->turned + 3 * joint->marker[side].body, w);
    return sqrt(dal_dot(w, w));
}

static bool is_enough(const dal_settler *s, double angle)
{
    return angle > turns_least * turn && angle > straight * s->rotated;
}

/* A joint to the ground that turns drives the others. NULL: none turns. */
static const dal_joint *turning_joint(const dal_settler *s, double *angle)
{
    const dal_mechanism *m = s->point.layout->mechanism;
    double most = 0;
    for (int j = 0; j < m->n_joints; j++)
        most = fmax(most, turned_at(s, &m->joints[j]));
    for (int inner = 0; inner < 2 && is_enough(s, most); inner++)
        for (int j = 0; j < m->n_joints; j++) {
            const dal_joint *joint = &m->joints[j];
            const bool grounded = joint->marker[0].body == DAL_GROUND || joint->marker[1].body == DAL_GROUND;
            *angle = turned_at(s, joint);
            if (*angle >= as_much * most && (grounded || inner))
                return joint;
        }
    return NULL;
}

dal_settle_turn dal_settle_turning(const dal_settler *s)
{
    const dal_mechanism *m = s->point.layout->mechanism;
    double angle = 0, most = 0;
    const dal_joint *joint = turning_joint(s, &angle);
    if (joint)
        return (dal_settle_turn){m->bodies[joint->marker[joint->marker[1].body == DAL_GROUND ? 0 : 1].body].name, joint->name, angle / turn};
    dal_settle_turn found = {0};
    for (int b = 0; b < m->n_bodies; b++) {
        angle = sqrt(dal_dot(s->turned + 3 * b, s->turned + 3 * b));
        if (is_enough(s, angle) && angle > most)
            found = (dal_settle_turn){m->bodies[b].name, NULL, (most = angle) / turn};
    }
    return found;
}

dal_status dal_settle_refuse_lost(const dal_settler *s, int steps)
{
    const char *what = s->runs ? s->runs : "a state of the model";
    const double gone = dal_settle_gone(s);
    const dal_settle_turn turning = dal_settle_turning(s);
    if (gone > 0)
        dal_error(s->messages, dal_nowhere, "there is no equilibrium near the start: '%s' runs away, by %.3g lengths of the model in %d steps", what,
                  gone, steps);
    else if (turning.joint)
        dal_error(s->messages, dal_nowhere, "there is no equilibrium near the start: '%s' turns and turns at joint '%s', by %.3g turns in %d steps",
                  turning.body, turning.joint, turning.turns, steps);
    else if (turning.body)
        dal_error(s->messages, dal_nowhere, "there is no equilibrium near the start: '%s' turns and turns, by %.3g turns in %d steps", turning.body,
                  turning.turns, steps);
    else
        dal_error(s->messages, dal_nowhere, "no equilibrium was found near the start: after %d steps the search still moves '%s'", steps, what);
    return DAL_BAD_MODEL;
}
