/* Does the run get anywhere?
 *
 * Tries are counted: steps accepted, repeated or cut at an event. At n = 2^k tries the advance of t since n/2 is compared with the one
 * before:
 *     a_k = t(2^k) - t(2^(k-1)),   g = a_k / a_(k-1)
 * At a steady pace g = 2; steps that shrink as 1/n have g = 1, those of a motion that ends in finite time g = 0. With a_(k+i) = a_k g^i the
 * rest of the time takes m doublings more, sum_(i=1..m) a_k g^i = t_end - t, and n 2^m tries altogether. The run ends where that is
 *     more than SLOWING, at five doublings in a row each slower than the one before (a hard stretch of a motion slows it for fewer),
 * At the pace since the last mark it would take n + (t_end - t) (n/2) / a_k tries. The run ends also where that is, three times in a row,
 *     more than TROUBLED, and most tries are steps that the error estimate takes back, or every eighth is an event,
 *     more than TOO_MANY, whatever the reason.
 * A long run at a steady pace is none of these: the user sees its progress and decides.
 */
#include "integrate/drive.h"

#include <math.h>

enum { FIRST = 1 << 11, IN_A_ROW = 5, PATIENCE = 3 }; /* marks in a row: that slow down, that make too little progress at a steady pace */
static const double SLOWING = 1e9, TROUBLED = 1e9, TOO_MANY = 1e12;
static const double steady = 1.7; /* g of a pace that does not fall */

/* log2 of the factor by which the tries have to grow until t_end. */
static double doublings_left(double advance, double growth, double left)
{
    double ratio = left / advance; /* sum of g^i, i = 1 ... m */
    if (!(ratio < HUGE_VAL) || (growth < 1 && ratio >= growth / (1 - growth)))
        return HUGE_VAL;
    return fabs(growth - 1) < 1e-6 ? ratio : log1p(ratio * (growth - 1) / growth) / log(growth);
}

/* At the pace since the last mark, whatever it was before. */
static dal_stall judge_pace(const driver *r, double total)
{
    const progress *p = &r->progress;
    const double tries = (double)(p->tries - p->tries_mark);
    if (total > TROUBLED && (double)(r->result.events - p->events_mark) > tries / 8)
        return DAL_STALL_EVENTS;
    if (total > TROUBLED && (double)(r->result.rejected - p->rejected_mark) > tries / 2)
        return DAL_STALL_REJECTED;
    return total > TOO_MANY ? DAL_STALL_SMALL : DAL_STALL_NONE;
}

/* `predicted`: tries altogether at the falling pace, `steady_total` at the present one. */
static dal_stall judge_stagnation(driver *r, double predicted, double steady_total)
{
    progress *p = &r->progress;
    if (p->slower >= IN_A_ROW && predicted > SLOWING)
        return DAL_STALL_SLOWING;
    const dal_stall stall = judge_pace(r, steady_total);
    p->stalled = stall ? p->stalled + 1 : 0;
    return p->stalled >= PATIENCE ? stall : DAL_STALL_NONE;
}

int dal_fastest_component(const driver *r)
{
    const dal_stepper *s = &r->s;
    double largest = 0;
    int fastest = -1;
    for (int i = 0; i < r->ode->n_control && s->f_valid; i++) {
        double rate = fabs(s->f[i]) / (dal_absolute(s, i) + s->rtol * fabs(s->y[i]));
        if (rate > largest) {
            largest = rate;
            fastest = i;
        }
    }
    return fastest;
}

verdict dal_watch_progress(driver *r)
{
    progress *p = &r->progress;
    if (++p->tries < p->next) /* the first three marks are at 1, FIRST and 2 FIRST tries: growth is known at the fourth */
        return GOOD;
    const double advance = r->s.t - p->t_mark, left = fmax(fmin(r->s.t_stop, r->t_far) - r->s.t, 0);
    const double growth = p->marks > 2 ? fmin(advance / p->advance, 2) : 2;
    const bool slower = p->marks > 2 && !(growth >= steady);
    const double pace = advance / (double)(p->tries - p->tries_mark), at_pace = (double)p->tries + left / pace;
    const double predicted = (double)p->tries * exp2(doublings_left(advance, growth, left));
    p->slower = slower ? p->slower + 1 : 0;
    const dal_stall stall = p->marks > 2 ? judge_stagnation(r, predicted, at_pace) : DAL_STALL_NONE;
    if (stall) {
        r->result.stall = stall;
        r->result.tries = p->tries;
        r->result.tries_needed = at_pace;
        r->result.pace = pace;
        return dal_drive_stop(r, DAL_END_NO_PROGRESS, 0, stall == DAL_STALL_EVENTS ? r->last_guard : dal_fastest_component(r));
    }
    p->advance = advance;
    p->t_mark = r->s.t;
    p->tries_mark = p->tries;
    p->events_mark = r->result.events;
    p->rejected_mark = r->result.rejected;
    p->next = p->tries < FIRST ? FIRST : 2 * p->tries;
    p->marks++;
    return GOOD;
}
