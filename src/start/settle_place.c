/* One position of the search for an equilibrium: the state at q, at rest, on the constraints.
 *
 *     phi(q) = 0,   v = 0,   and no drive and no body moves by time itself:  phi' = 0,  phi'' = 0
 *
 * Where a drive gives a rate, the rate is zero, and its coordinate m keeps the value m_0 of the start: m(q) = m_0 is one of these rows.
 * The least change of q closes the rows, A dq = -phi, with the factors of the point (start/point.h) while they are good enough. Bodies of a joint tree
 * first follow the bodies that carry them (along_tree.h), where this closes the rows better.
 */
#include "start/settle_parts.h"

#include "dynamics/equations.h"
#include "model/coordinate_names.h"
#include "model/system_parts.h"
#include "state/evaluate.h"
#include "state/scale.h"
#include "state/state_parts.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { MOST_CORRECTIONS = 60 };
static const double chart_end = 0.3; /* of the charts of attitudes: as a run renews them */

static void renew_charts(dal_state *state)
{
    const dal_layout *layout = dal_layout_of(state);
    dal_work *work = dal_work_of(state);
    for (int b = 0; layout->family->condition && b < layout->mechanism->n_bodies; b++)
        if (!layout->sequence_fixed && layout->family->condition(layout, work, b) < chart_end)
            layout->family->rechart(layout, work, b);
}

/* The state at q, at rest. */
dal_status dal_settle_rest(dal_settler *s)
{
    dal_state *state = s->state;
    dal_work *work = dal_work_of(state);
    const int n_z = dal_system_states(dal_system_of(state), NULL);
    memcpy(work->q, s->q, sizeof *s->q * (size_t)s->point.layout->nq);
    memset(work->v, 0, sizeof *work->v * (size_t)s->point.nv);
    dal_state_moved(state);
    dal_state_position(state);
    renew_charts(state);
    memcpy(s->q, work->q, sizeof *s->q * (size_t)s->point.layout->nq);
    memset(s->rest, 0, sizeof *s->rest * (size_t)s->point.nv);
    if (dal_state_adopt(state, work->t, s->q, s->rest)) {
        dal_error(s->messages, dal_nowhere, "on the way to an equilibrium: %s", dal_trouble_of(state));
        return DAL_NUMERICAL;
    }
    memcpy(dal_own_states_of(state), s->z, sizeof *s->z * (size_t)n_z);
    return dal_evaluate_whole(state, s->messages);
}

/* Where the search has come, if the model has coordinates of its own: they may be singular there. */
static void report_place(const dal_settler *s)
{
    const dal_mechanism *m = s->point.layout->mechanism;
    const int n = m->n_coordinates;
    char text[4 * DAL_LABEL] = "", name[DAL_LABEL];
    for (int k = 0; k < n && n == s->point.layout->nq; k++) {
        dal_coordinate_name(dal_system_of(s->state), k, name, sizeof name);
        const size_t used = strlen(text);
        snprintf(text + used, sizeof text - used, "%s%s = %.4g", k ? ", " : "", name, s->q[k]);
    }
    if (*text)
        dal_say(s->messages, DAL_NOTE, dal_nowhere, "on the way to an equilibrium, at %s", text);
}

/* Opens the point at the present state. */
static dal_status open_point(dal_settler *s)
{
    dal_point_close(&s->point);
    const dal_status status = dal_point_open_standing(&s->arena, s->state, s->messages, &s->point);
    if (status == DAL_BAD_MODEL && s->point.positions.p)
        report_place(s);
    return status;
}

/* a (m - m_0) of a row of one rate, a m' = 0. */
static double kept_apart(const dal_settler *s, int row)
{
    const dal_layout *layout = s->point.layout;
    const dal_work *work = dal_seen_work(s->state);
    const int term = layout->mechanism->rows[layout->row[row].source].term;
    return work->coef[term] * (work->value[layout->mechanism->terms[term].measure] - s->kept[row]);
}

static bool keeps_coordinate(const dal_settler *s, int row)
{
    return s->point.standing && dal_row_of_one_rate(s->point.layout, row);
}

void dal_settle_keep(dal_settler *s)
{
    const dal_layout *layout = s->point.layout;
    for (int i = 0; i < layout->n_rows; i++)
        if (dal_row_of_one_rate(layout, i))
            s->kept[i] = dal_seen_work(s->state)->value[layout->mechanism->terms[layout->mechanism->rows[layout->row[i].source].term].measure];
}

/* The rows at q. */
static double open_rows(dal_settler *s)
{
    const dal_layout *layout = s->point.layout;
    dal_work *work = dal_work_of(s->state);
    int where;
    memcpy(work->q, s->q, sizeof *s->q * (size_t)layout->nq);
    dal_state_moved(s->state);
    dal_state_position(s->state);
    double worst = layout->n_rows ? dal_worst_row(s->state, work->phi, &where) : 0;
    for (int i = 0; i < layout->n_rows; i++)
        if (keeps_coordinate(s, i))
            worst = fmax(worst, fabs(kept_apart(s, i)) / layout->units.row_unit[i]);
    return worst;
}

/* The rows at q, after the bodies have followed the joint tree, if that closes them. */
static double open_rows_along_tree(dal_settler *s)
{
    const dal_layout *layout = s->point.layout;
    const double apart = open_rows(s);
    if (!s->tree || !(apart > dal_settle_kept))
        return apart;
    double *before = DAL_NEW(&s->arena, double, layout->nq + 1), *shift = DAL_NEW(&s->arena, double, 3 * layout->mechanism->n_bodies + 1);
    memcpy(before, s->q, sizeof *before * (size_t)layout->nq);
    dal_follow_tree(s->tree, layout, dal_seen_work(s->state)->kin, s->q, shift);
    const double closed = open_rows(s);
    if (closed < apart)
        return closed;
    memcpy(s->q, before, sizeof *before * (size_t)layout->nq);
    return open_rows(s);
}

/* Back on the rows by the least change, and at rest there. The factors are those of the point, renewed where they are not good enough. */
dal_status dal_settle_correct(dal_settler *s)
{
    const dal_layout *layout = s->point.layout;
    double *dq = DAL_NEW(&s->arena, double, layout->nv + 1), *phi = DAL_NEW(&s->arena, double, layout->n_rows + 1), last = INFINITY;
    for (int i = 0; i < MOST_CORRECTIONS; i++) {
        const double worst = open_rows_along_tree(s);
        if (!(worst > dal_settle_kept) || (worst < 1e-9 && worst > 0.5 * last))
            return dal_settle_rest(s);
        if (i && worst > 0.4 * last) {
            dal_state_jacobian(s->state);
            dal_point_refactor(&s->point);
        }
        last = worst;
        for (int k = 0; k < layout->n_rows; k++)
            phi[k] = -(keeps_coordinate(s, k) ? kept_apart(s, k) : dal_seen_work(s->state)->phi[k]);
        dal_kept_reach(&s->point, &s->point.positions, phi, dq);
        layout->family->add(layout, s->q, dq);
    }
    dal_error(s->messages, dal_nowhere, "on the way to an equilibrium the constraints cannot be kept");
    return DAL_NUMERICAL;
}

/* The point at the present state, on the rows. */
dal_status dal_settle_stand(dal_settler *s)
{
    dal_status status = open_point(s);
    int where;
    if (status != DAL_OK || !s->point.n_rows || !(dal_worst_row(s->state, dal_seen_work(s->state)->phi, &where) > dal_settle_kept))
        return status;
    status = dal_settle_correct(s);
    return status == DAL_OK ? open_point(s) : status;
}

static dal_status refuse_motion(dal_settler *s, const char *what, const char *name)
{
    dal_error(s->messages, dal_nowhere,
              "%s '%s' is moved by time at t = %g, and nothing can be at rest: an equilibrium takes drives that stand, a steady motion is found with "
              "--steady COORDINATE=RATE",
              what, name, dal_seen_work(s->state)->t);
    return DAL_BAD_MODEL;
}

/* A drive that moves, or that will; a body that time itself moves. */
dal_status dal_settle_refuse_drives(dal_settler *s)
{
    const dal_layout *layout = s->point.layout;
    const dal_units *units = &layout->units;
    const dal_work *work = dal_seen_work(s->state);
    const double slow = dal_settle_push / units->time, soft = slow / units->time;
    for (int i = 0; i < layout->n_rows; i++)
        if (fabs(work->phid[i]) > slow * units->row_unit[i] || fabs(work->gamma[i]) > soft * units->row_unit[i]) {
            char name[DAL_LABEL];
            dal_row_name(s->state, i, name, sizeof name);
            return refuse_motion(s, "constraint", name);
        }
    for (int b = 0; b < layout->mechanism->n_bodies; b++)
        for (int k = 0; k < 3; k++) {
            const dal_kin *kin = &work->kin[b];
            if (fabs(kin->rd[k]) > slow * units->length || fabs(kin->w[k]) > slow || fabs(kin->rb[k]) > soft * units->length ||
                fabs(kin->wb[k]) > soft)
                return refuse_motion(s, "body", layout->mechanism->bodies[b].name);
        }
    return DAL_OK;
}
