/* Whole turns of angles at the start.
 *
 *   angle = principal value, in (-pi, pi], of the turn from the first frame to the second + 2 pi n
 *
 * n comes only from values that are written: a start value of the joint, or what is prescribed (a drive, a lock); in the plane, where the
 * frames lie alike in their bodies, from the angles of the bodies. A body against the ground begins at its angle as it is written. Two
 * bodies begin at the difference of theirs where these are written more than a turn apart, or are expressions in coordinates of the
 * model's own, which count turns themselves.
 *
 * During assembly an angle follows its bodies without a jump. At its end n is counted again, except where written values determine the angle: start
 * values, drives, equations. Couplings that keep what they have at the start (a gear, a screw: sum of c_k m_k = constant) go along: a turn by 2 pi n
 * of m_k changes the constant by 2 pi n c_k.
 */
#include "start/turns.h"

#include <math.h>

static const double two_pi = 6.28318530717958647692;
static const double rounding = 1e-9; /* rad: half a turn back and half a turn forth count as one, up to this */

/* The angle from the angles of the bodies as they are written. */
static double difference(const dal_build *build, const dal_measure *measure)
{
    double turn[2];
    for (int k = 0; k < 2; k++) {
        const dal_vector *v = &build->mechanism.vectors[measure->vector[2 * k]];
        const double own = v->s[0] > 0 && v->s[1] == 0 ? 0 : atan2(v->s[1], v->s[0]);
        turn[k] = own + (v->body == DAL_GROUND ? 0 : build->start[v->body].angle);
    }
    return turn[1] - turn[0];
}

static bool attitude_given(const dal_build *build, int vector)
{
    const int body = build->mechanism.vectors[vector].body;
    return body == DAL_GROUND || build->start[body].attitude_given;
}

/* Do the angles of the bodies say how many turns there are? Then, the angle with these. */
static bool bodies_say(const dal_build *build, const dal_measure *measure, double *angle)
{
    *angle = 0;
    if (build->mechanism.space != DAL_PLANAR || measure->turns == DAL_TURNS_NONE)
        return false;
    if (!build->parts.placement && (!attitude_given(build, measure->vector[0]) || !attitude_given(build, measure->vector[2])))
        return false;
    *angle = difference(build, measure);
    return build->parts.placement || measure->turns == DAL_TURNS_OF_BODY || fabs(*angle) > two_pi + rounding;
}

/* The angle that a row prescribes and its value c + f(0); or -1. */
static int prescribed(const dal_mechanism *m, const dal_work *work, const dal_row *row, double *value)
{
    const dal_term *term = &m->terms[row->term];
    if (row->n_terms != 1 || term->coef != 1 || isnan(row->constant) || m->measures[term->measure].winding < 0)
        return -1;
    *value = row->constant + (row->time < 0 ? 0 : work->time[3 * row->time]);
    return term->measure;
}

void dal_turns_begin(dal_build *build, dal_work *work)
{
    const dal_mechanism *m = &build->mechanism;
    build->kept_from_start = DAL_NEW(build->arena, bool, m->n_rows);
    for (int i = 0; i < m->n_rows; i++)
        build->kept_from_start[i] = isnan(m->rows[i].constant) && m->rows[i].form < 0;
    for (int i = 0; i < m->n_measures; i++) {
        const dal_measure *measure = &m->measures[i];
        double angle;
        if (measure->winding >= 0)
            work->winding[measure->winding] = bodies_say(build, measure, &angle) ? angle : rounding;
    }
    for (int i = 0; i < build->n_targets; i++) {
        const dal_target *target = &build->targets[i];
        if (target->has_value && m->measures[target->measure].winding >= 0)
            work->winding[m->measures[target->measure].winding] = target->value;
    }
    for (int i = 0; i < m->n_rows; i++) {
        double value;
        const int measure = prescribed(m, work, &m->rows[i], &value);
        if (measure >= 0)
            work->winding[m->measures[measure].winding] = value;
    }
    build->turns_written = DAL_NEW(build->arena, double, m->n_windings);
    for (int k = 0; k < m->n_windings; k++)
        build->turns_written[k] = work->winding[k];
}

void dal_turns_again(const dal_build *build, dal_work *work)
{
    for (int k = 0; k < build->mechanism.n_windings; k++)
        work->winding[k] = build->turns_written[k];
}

void dal_turns_follow(const dal_build *build, dal_work *work)
{
    const dal_mechanism *m = &build->mechanism;
    for (int i = 0; i < m->n_measures; i++) {
        const int k = m->measures[i].winding;
        if (k >= 0 && build->turns_written[k] == rounding)
            work->winding[k] = work->value[i];
    }
}

/* Angles whose turns are written, or that occur in rows with constants of their own. */
static void mark_kept(const dal_build *build, bool *kept)
{
    const dal_mechanism *m = &build->mechanism;
    double angle;
    for (int i = 0; i < m->n_measures; i++)
        kept[i] = m->measures[i].winding < 0 || bodies_say(build, &m->measures[i], &angle);
    for (int i = 0; i < build->n_targets; i++)
        kept[build->targets[i].measure] |= build->targets[i].has_value;
    for (int i = 0; i < m->n_rows; i++)
        for (int k = m->rows[i].term; k < m->rows[i].term + m->rows[i].n_terms && !build->kept_from_start[i]; k++)
            kept[m->terms[k].measure] = true;
}

/* Constants that are set from the start follow a change of a measure by `by`. */
static void move_constants(dal_build *build, int measure, double by)
{
    dal_mechanism *m = &build->mechanism;
    for (int i = 0; i < m->n_rows; i++)
        for (int k = m->rows[i].term; k < m->rows[i].term + m->rows[i].n_terms && build->kept_from_start[i]; k++)
            if (m->terms[k].measure == measure)
                m->rows[i].constant += m->terms[k].coef * by;
}

void dal_turns_end(dal_build *build, const dal_work *work, double *winding)
{
    const dal_mechanism *m = &build->mechanism;
    bool *kept = DAL_NEW(build->arena, bool, m->n_measures);
    mark_kept(build, kept);
    for (int i = 0; i < m->n_measures; i++) {
        if (m->measures[i].winding < 0)
            continue;
        const double angle = work->value[i], turns = kept[i] ? 0 : floor((rounding - angle) / two_pi + 0.5);
        winding[m->measures[i].winding] = angle + two_pi * turns;
        if (turns != 0)
            move_constants(build, i, two_pi * turns);
    }
}

double dal_turns_of_body(const dal_build *build, int body, double angle, const double *winding)
{
    const int measure = build->body_angle[body];
    const dal_body_start *start = &build->start[body];
    const double like = measure >= 0 ? winding[build->mechanism.measures[measure].winding] : start->attitude_given ? start->angle : rounding;
    return angle + two_pi * floor((like - angle) / two_pi + 0.5);
}
