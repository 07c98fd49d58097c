/* Steady motions. With the velocities v = V(q) c of motions that keep the shape (fields.h) and the accelerations that belong to constant c,
 *
 *     F(q, c) = T^T (J^T (m c'', I w' + w x I w) - Q(q, v)) = 0,   phi = 0,   z' = 0,   rates as they are given
 *
 * by Newton's method. Each step is the least that solves the linear equations: positions change before rates, and unknowns that no equation determines keep
 * their values of the start. If this search fails or ends far away, a second one holds the positions and changes the rates that are not given; the motion
 * nearer to the start is taken. The equations are exact; their derivatives are differences, which affect only the speed of convergence. Moving drives and
 * nonholonomic rows are equations for c; along a drive nothing has to balance.
 *
 * A motion that the constraints allow need not be a symmetry. The forces on the bodies at rest, here and nearby, must turn with the bodies and change in no
 * other way. At the solution, F must also be zero at later positions of the motion, compared with its forces.
 */
#include "linear/steady.h"
#include "linear/steady_parts.h"

#include "base/message.h"
#include "dynamics/equations.h"
#include "math/sums.h"
#include "math/vec.h"
#include "model/coordinate_names.h"
#include "model/system_parts.h"
#include "start/shares.h"
#include "state/state_parts.h"

#include <math.h>
#include <string.h>

enum { MOST_STEPS = 100, PATIENCE = 20 };
static const double left_over = 1e-9;    /* of the forces: largest residual F of a solution */
static const double accelerated = 1e-8;  /* of the square of the fastest turn: an acceleration of a drive that is more than rounding */
static const double without_bound = 1e6; /* slope of a coordinate over its rate */
static const double near_enough = 0.01;  /* lengths of the model, radians: a position that has moved less is that of the start */
static const double steep_enough = 1e2;  /* the same: an axis may be near */
static const double regular = 1e-3;      /* F at a solution, of F as far away as an axis may be */

/* ---- the call ---------------------------------------------------------------------------------------------------- */

/* Is a channel that has no rate here a coordinate or a rate at positions nearby? */
static bool is_regular_aside(dal_steady_search *s, int column)
{
    double *zero = DAL_NEW(&s->arena, double, s->nv + 1), *dq = DAL_NEW(&s->arena, double, s->nv + 1);
    double *value = DAL_NEW(&s->arena, double, s->point.n_columns + 1), *slope = DAL_NEW(&s->arena, double, s->point.n_columns + 1);
    for (int j = 0; j < s->point.positions.p; j++)
        for (int k = 0; k < s->nv; k++)
            dq[k] += near_enough / (j + 1) * s->unit * s->point.positions.T[(size_t)s->nv * (size_t)j + (size_t)k];
    s->layout->family->add(s->layout, s->q, dq);
    if (dal_steady_open(s, s->q, zero, s->z, false) != DAL_OK)
        return false;
    dal_variation_along(s->point.variation, &s->point.at, &(dal_variation_direction){.v = zero},
                        &(dal_variation_result){.columns = slope, .values = value});
    return isfinite(slope[column]);
}

/* A drive whose rate changes. */
static dal_status refuse_acceleration(dal_steady_search *s)
{
    char name[DAL_LABEL];
    dal_row_name(s->state, s->hasty_row, name, sizeof name);
    dal_error(s->messages, dal_nowhere, "there is no steady motion near the start: constraint '%s' accelerates at t = %g", name, s->point.at.t);
    return DAL_BAD_MODEL;
}

/* Rows that depend on time, phi' - A v != 0 or its derivative by time, or constrain velocities. A row of one rate whose rate changes is noted: no
 * search would settle. */
static void find_driven(dal_steady_search *s)
{
    const dal_work *work = dal_seen_work(s->state);
    double *sums = DAL_NEW(&s->arena, double, s->layout->n_rows + 1), *later = DAL_NEW(&s->arena, double, s->layout->n_rows + 1);
    const double time = s->layout->units.time;
    dal_variation_along(s->point.variation, &s->point.at, &(dal_variation_direction){.t = 1}, &(dal_variation_result){.phid = later});
    s->driven = DAL_NEW(s->keep, bool, s->layout->n_rows + 1);
    dal_rows_times(s->layout, work->A, work->v, sums);
    for (int i = 0; i < s->layout->n_rows; i++) {
        const bool moves = (fabs(work->phid[i] - sums[i]) + fabs(later[i]) * time) * time > 1e-9 * s->layout->units.row_unit[i];
        s->driven[i] = moves || dal_row_of_velocities(s->layout, i);
        s->n_velocity_rows += dal_row_of_velocities(s->layout, i);
        s->n_driven += s->driven[i];
        if (dal_row_of_one_rate(s->layout, i) && fabs(later[i]) * time * time > accelerated * s->layout->units.row_unit[i]) {
            s->hasty = fabs(later[i]) * time * time / s->layout->units.row_unit[i];
            s->hasty_row = i;
        }
    }
}

/* At the start, in its motion: the rows that move, and the given channels that are rates themselves. */
static dal_status find_givens(dal_steady_search *s, const char *const *names)
{
    double *zero = DAL_NEW(&s->arena, double, s->nv + 1), *dv = DAL_NEW(&s->arena, double, s->nv + 1);
    dal_messages *messages = s->messages;
    memcpy(s->v, dal_seen_work(s->state)->v, sizeof *s->v * (size_t)s->nv);
    s->messages = NULL;
    s->restless = dal_steady_evaluate(s, s->q, zero, s->z, false) != DAL_OK;
    s->messages = messages;
    dal_status status = dal_steady_open(s, s->q, s->v, s->z, true);
    if (status != DAL_OK)
        return status;
    find_driven(s);
    if (s->hasty > 0)
        return refuse_acceleration(s);
    dal_steady_find_units(s);
    double *value = DAL_NEW(&s->arena, double, s->point.n_columns + 1), *slope = DAL_NEW(&s->arena, double, s->point.n_columns + 1);
    bool *is_rate = DAL_NEW(s->keep, bool, s->n_given + 1), *is_place = DAL_NEW(&s->arena, bool, s->n_given + 1);
    s->is_rate = is_rate;
    for (int j = 0; j < s->nv; j++) {
        dv[j] = 1;
        dal_variation_along(s->point.variation, &s->point.at, &(dal_variation_direction){.q = dv},
                            &(dal_variation_result){.columns = slope, .values = value});
        for (int i = 0; i < s->n_given; i++)
            is_place[i] = is_place[i] || slope[s->columns[i]] != 0;
        dal_variation_along(s->point.variation, &s->point.at, &(dal_variation_direction){.v = dv},
                            &(dal_variation_result){.columns = slope, .values = value});
        dv[j] = 0;
        for (int i = 0; i < s->n_given; i++) {
            if (!isfinite(slope[s->columns[i]])) {
                dal_error(s->messages, (dal_mark){"command line", 0, 0},
                          is_regular_aside(s, s->columns[i]) ? "'%s' has no rate at the start, as an azimuth on its axis: start beside it"
                                                             : "'%s' is neither a coordinate nor a rate: a steady motion is given by one",
                          names[i]);
                return DAL_BAD_COMMAND;
            }
            is_rate[i] = is_rate[i] || slope[s->columns[i]] != 0;
        }
    }
    for (int i = 0; i < s->n_given; i++)
        if (!is_place[i] && !is_rate[i]) {
            dal_error(s->messages, (dal_mark){"command line", 0, 0},
                      "'%s' does not change as the model moves: a steady motion is given by a coordinate", names[i]);
            return DAL_BAD_COMMAND;
        }
    return DAL_OK;
}

static dal_status refuse_motion(dal_steady_search *s, const char *why)
{
    dal_error(s->messages, dal_nowhere, "there is no steady motion near the start: %s", why);
    return DAL_BAD_MODEL;
}

/* The size of F at a distance along column j of T. */
static dal_status find_forces_aside(dal_steady_search *s, int j, double distance, double *size)
{
    double *q = DAL_NEW(&s->arena, double, s->layout->nq + 1), *dq = DAL_NEW(&s->arena, double, s->nv + 1);
    double *R = DAL_NEW(&s->arena, double, s->n_equations + 1);
    for (int k = 0; k < s->nv; k++)
        dq[k] = distance * s->T[(size_t)s->nv * (size_t)j + (size_t)k];
    memcpy(q, s->q, sizeof *q * (size_t)s->layout->nq);
    s->layout->family->add(s->layout, q, dq);
    const dal_status status = dal_steady_equations(s, q, s->c, s->z, R);
    *size = fmax(*size, dal_norm(R, s->p));
    return status;
}

/* How much a column changes over distances of the model's length, as here along the columns of T: a coordinate by about a radian or by a length, whatever
 * its slope is. */
static double find_usual_change(dal_steady_search *s, int column)
{
    double *q = DAL_NEW(&s->arena, double, s->layout->nq + 1), *dq = DAL_NEW(&s->arena, double, s->nv + 1),
           *none = DAL_NEW(&s->arena, double, s->nv + 1);
    double *slope = DAL_NEW(&s->arena, double, s->point.n_columns + 1), *value = DAL_NEW(&s->arena, double, s->point.n_columns + 1);
    dal_variation_point at = s->point.at;
    const dal_variation_result result = {.columns = slope, .values = value};
    dal_variation_along(s->point.variation, &at, &(dal_variation_direction){.q = none}, &result);
    const double here = value[column];
    double most = 0;
    at.q = q;
    for (int i = 0; i < 2 * s->p; i++) {
        for (int k = 0; k < s->nv; k++)
            dq[k] = (i % 2 ? -1 : 1) * s->unit * s->T[(size_t)s->nv * (size_t)(i / 2) + (size_t)k];
        memcpy(q, s->q, sizeof *q * (size_t)s->layout->nq);
        s->layout->family->add(s->layout, q, dq);
        dal_variation_along(s->point.variation, &at, &(dal_variation_direction){.q = none}, &result);
        most = isfinite(value[column]) ? fmax(most, fabs(value[column] - here)) : most;
    }
    return most;
}

/* A coordinate that changes without bound near this position has no rate: an azimuth on its axis. In the model's own units a finite coordinate
 * changes by about as much as over a whole length, or by its rate; that of a slow motion is no measure.
 *
 * A search that leads to the axis ends beside it, at a distance of 1/slope, with forces F that are small because the distance is. A solution is another
 * one: there, F is far smaller than at such a distance. */
static bool rate_has_no_meaning(dal_steady_search *s, double forces)
{
    double *slope = DAL_NEW(&s->arena, double, s->point.n_columns + 1), *value = DAL_NEW(&s->arena, double, s->point.n_columns + 1);
    double *usual = DAL_NEW(&s->arena, double, s->n_given + 1), steepest = 0, around = 0;
    for (int i = 0; i < s->n_given; i++)
        usual[i] = fmax(s->is_rate[i] ? 0 : find_usual_change(s, s->columns[i]), fabs(s->given[i]) * s->layout->units.time);
    for (int j = 0; j < s->p; j++) {
        dal_variation_along(s->point.variation, &s->point.at, &(dal_variation_direction){.q = s->T + (size_t)s->nv * (size_t)j},
                            &(dal_variation_result){.columns = slope, .values = value});
        for (int i = 0; i < s->n_given; i++) {
            if (s->is_rate[i] || s->given[i] == 0)
                continue;
            const double steep = fabs(slope[s->columns[i]]) * s->unit / usual[i];
            if (!(steep < without_bound))
                return true;
            steepest = fmax(steepest, steep);
        }
    }
    if (steepest < steep_enough)
        return false;
    for (int j = 0; j < s->p; j++)
        if (find_forces_aside(s, j, s->unit / steepest, &around) != DAL_OK)
            return true;
    return !(forces < regular * around);
}

/* What the search leaves over: the part with the most of it, if these are forces. */
static dal_status refuse_rest(dal_steady_search *s, const double *R)
{
    double *v = DAL_NEW(&s->arena, double, s->nv + 1);
    const dal_mode_share *shares;
    for (int j = 0; j < s->p; j++)
        for (int k = 0; k < s->nv; k++)
            v[k] += R[j] * s->T[(size_t)s->nv * (size_t)j + (size_t)k];
    if (dal_norm(R, s->p) < 1e-3 * dal_norm(R, s->n_equations) || !dal_find_shares(&s->point, v, NULL, &shares))
        return refuse_motion(s, "where the search ends, forces or rates are left over");
    dal_error(s->messages, dal_nowhere,
              "there is no steady motion near the start: where the search ends, forces or rates are left over, first on '%s'", shares[0].part);
    return DAL_BAD_MODEL;
}

/* The fastest turn of a body, over the model's own unit, which is one at least. */
static double find_fastest(const dal_steady_search *s)
{
    double fastest = 1 / s->layout->units.time;
    for (int b = 0; b < s->fields.n_bodies; b++)
        fastest = fmax(fastest, sqrt(dal_dot(dal_seen_work(s->state)->kin[b].w, dal_seen_work(s->state)->kin[b].w)));
    return fastest * s->layout->units.time;
}

static dal_status conclude_search(dal_steady_search *s, double size, dal_steady_motion *out)
{
    const double on_the_way = s->force;
    s->force = 0;
    dal_status status = dal_steady_prepare(s, NULL);
    double *R = DAL_NEW(&s->arena, double, s->n_equations + 1), further = 0, slip = 0;
    const double now = s->force / sqrt(s->layout->units.mass); /* the forces of this motion, which may be far smaller than the unit */
    s->force = fmax(s->force, on_the_way);
    if (status == DAL_OK)
        status = dal_steady_equations(s, s->q, s->c, s->z, R);
    if (status != DAL_OK)
        return status;
    size = dal_norm(R, s->n_equations);
    const double forces = dal_norm(R, s->p);
    memcpy(s->v, s->point.v, sizeof *s->v * (size_t)s->nv);
    const double unit = s->unit / (s->layout->units.time * s->layout->units.time), force = fmax(unit, s->force / sqrt(s->layout->units.mass));
    if (!(size * unit <= 1e2 * left_over * force))
        return refuse_rest(s, R);
    s->balanced = true;
    if (s->hasty > accelerated * find_fastest(s) * find_fastest(s))
        return refuse_acceleration(s);
    if (rate_has_no_meaning(s, forces))
        return refuse_motion(s, "the search ends where the given coordinate has no value and no rate, as an azimuth on its axis");
    if ((status = dal_steady_open(s, s->q, s->v, s->z, false)) != DAL_OK) /* back from the positions beside */
        return status;
    dal_steady_frames(s, out);
    if ((status = dal_steady_further(s, &further, &slip)) != DAL_OK)
        return status;
    if (!(further <= 1e-7 * now + 1e-10 * force))
        return refuse_motion(s, "the forces change along the motion that was found, so it does not stay as it is");
    if (!(slip <= 1e-7))
        return refuse_motion(s, "the constraints do not allow the motion that was found for more than an instant");
    return dal_steady_evaluate(s, s->q, s->v, s->z, true);
}

/* How much a given channel changes along velocities: a coordinate, or a rate that they change. */
static double find_slope(dal_steady_search *s, int given, const double *along)
{
    double *slope = DAL_NEW(&s->arena, double, s->point.n_columns + 1), *value = DAL_NEW(&s->arena, double, s->point.n_columns + 1);
    const dal_variation_direction rate = {.v = along}, place = {.q = along};
    dal_variation_along(s->point.variation, &s->point.at, s->is_rate[given] ? &rate : &place,
                        &(dal_variation_result){.columns = slope, .values = value});
    return fabs(slope[s->columns[given]]);
}

/* Do the rows, drives among them, leave this given channel no other rate? Without them it would follow the velocities. */
static bool is_bound(dal_steady_search *s, int given)
{
    const dal_units *units = &s->layout->units;
    double *v = DAL_NEW(&s->arena, double, s->nv + 1), usual = 0;
    for (int k = 0; k < s->nv; k++) {
        v[k] = units->length / units->column_scale[k];
        usual = fmax(usual, find_slope(s, given, v));
        v[k] = 0;
    }
    for (int j = 0; j < s->p; j++)
        if (!(find_slope(s, given, s->T + (size_t)s->nv * (size_t)j) * s->unit < 1e-9 * usual))
            return false;
    return true;
}

/* The rates that the given channels have at the present position, in the motion of the start or that of c. */
static dal_status evaluate_start(dal_steady_search *s, const dal_body_motion *start, bool *bound)
{
    dal_status status = dal_steady_prepare(s, start);
    double *R = DAL_NEW(&s->arena, double, s->n_equations + 1);
    if (status == DAL_OK)
        status = dal_steady_equations(s, s->q, s->c, s->z, R);
    if (status == DAL_OK) {
        dal_steady_rates(s, s->begin);
        *bound = s->n_given && is_bound(s, s->n_given - 1);
    }
    return status;
}

/* One call with its own memory. */
typedef struct call {
    dal_steady_search *s;
    const dal_body_motion *start;
    double *size, *step;
    int *freedom;
    const char *const *names;
    dal_steady_motion *out;
    bool bound; /* after LOOK: the rows leave the last given channel no other rate */
    enum { FIND_GIVENS, LOOK, STEP, CONCLUDE } what;
} call;

static dal_status do_call(void *user)
{
    call *x = user;
    return x->what == FIND_GIVENS ? find_givens(x->s, x->names)
           : x->what == LOOK      ? evaluate_start(x->s, x->start, &x->bound)
           : x->what == STEP      ? dal_steady_step(x->s, x->start, x->size, x->step, x->freedom)
                                  : conclude_search(x->s, *x->size, x->out);
}

static dal_status make_call(dal_steady_search *s, call *x)
{
    dal_arena_begin(&s->arena, dal_allocator_of(s->state));
    const dal_status status = dal_arena_try(&s->arena, do_call, x);
    dal_point_close(&s->point);
    dal_arena_release(&s->arena);
    return status;
}

/* ---- towards the given rates ----------------------------------------------------------------------------------- */

/* The present state of a search, with the turns that its angles have counted. */
typedef struct standing {
    double *q, *z, *c, *winding;
    int *chart;
} standing;

static standing remember_standing(dal_steady_search *s, standing *old)
{
    const dal_mechanism *m = s->layout->mechanism;
    const size_t nq = (size_t)s->layout->nq, charts = 3 * (size_t)m->n_bodies;
    standing at = old ? *old
                      : (standing){DAL_NEW(s->keep, double, nq + 1), DAL_NEW(s->keep, double, s->n_z + 1), DAL_NEW(s->keep, double, s->fields.n + 1),
                                   DAL_NEW(s->keep, double, m->n_windings + 1), DAL_NEW(s->keep, int, charts + 1)};
    memcpy(at.q, s->q, sizeof *at.q * nq);
    memcpy(at.z, s->z, sizeof *at.z * (size_t)s->n_z);
    memcpy(at.c, s->c, sizeof *at.c * (size_t)s->fields.n);
    memcpy(at.winding, dal_seen_work(s->state)->winding, sizeof *at.winding * (size_t)m->n_windings);
    memcpy(at.chart, dal_seen_work(s->state)->chart, sizeof *at.chart * charts);
    return at;
}

static void restore_turns(dal_steady_search *s, const standing *at)
{
    memcpy(dal_work_of(s->state)->winding, at->winding, sizeof *at->winding * (size_t)s->layout->mechanism->n_windings);
}

static void restore_standing(dal_steady_search *s, const standing *at)
{
    memcpy(s->q, at->q, sizeof *at->q * (size_t)s->layout->nq);
    memcpy(s->z, at->z, sizeof *at->z * (size_t)s->n_z);
    memcpy(s->c, at->c, sizeof *at->c * (size_t)s->fields.n);
    restore_turns(s, at);
    memcpy(dal_work_of(s->state)->chart, at->chart, sizeof *at->chart * 3 * (size_t)s->layout->mechanism->n_bodies);
    dal_state_moved(s->state);
}

/* Newton's steps at the present values of the given rates. It ends at a solution, or where many steps in a row bring little: further ones would not bring
 * more. */
static dal_status settle_search(call *x, bool *calm)
{
    dal_status status = DAL_OK;
    double before = INFINITY, marked = INFINITY;
    *calm = false;
    x->what = STEP;
    for (int i = 0; i < MOST_STEPS && status == DAL_OK && !*calm; i++) {
        status = make_call(x->s, x);
        *calm = *x->step == 0 || (*x->size<left_over && * x->size> 0.5 * before); /* the rest is rounding */
        x->start = NULL;
        before = *x->size;
        if (i % PATIENCE == PATIENCE - 1) {
            if (*x->size > 0.5 * marked)
                break;
            marked = *x->size;
        }
    }
    return status;
}

/* Rates that are far from those of the start are approached: given = begin + way (values - begin), each from the motion before it. */
static dal_status approach_rates(call *x, const double *values, bool *calm)
{
    dal_steady_search *s = x->s;
    dal_messages *messages = s->messages;
    double way = 0, stride = 1.0 / 8, next = 0;
    x->what = LOOK;
    dal_status status = make_call(s, x);
    standing at = remember_standing(s, NULL);
    *calm = false;
    s->messages = NULL; /* failures on the way are not reported */
    while (status == DAL_OK && stride > 1e-3) {
        for (int i = 0; i < s->n_given; i++)
            s->given[i] = next < 1 ? s->begin[i] + next * (values[i] - s->begin[i]) : values[i];
        if (settle_search(x, calm) == DAL_OK && *calm) {
            if (!(next < 1))
                break;
            way = next;
            remember_standing(s, &at);
            stride *= 1.5;
        } else {
            restore_standing(s, &at);
            stride *= next > 0 ? 0.5 : 0;
        }
        *calm = false;
        next = fmin(way + stride, 1);
    }
    s->messages = messages;
    return status;
}

/* A search from the start: with the given rates, else towards them. */
static dal_status search_from(call *x, const dal_body_motion *start, const standing *at, const double *values)
{
    dal_steady_search *s = x->s;
    bool calm = false;
    restore_standing(s, at);
    memcpy(s->given, values, sizeof *values * (size_t)s->n_given);
    s->force = 0;
    s->balanced = false;
    x->start = start;
    dal_status status = settle_search(x, &calm);
    if (status == DAL_OK && !calm) {
        restore_standing(s, at);
        x->start = start;
        status = approach_rates(x, values, &calm);
    }
    if (status == DAL_OK && calm && s->descends) { /* the last digits are those of Newton's method */
        s->descends = false;
        status = settle_search(x, &calm);
        s->descends = true;
    }
    if (status == DAL_OK && !calm)
        return refuse_motion(s, "the search does not settle");
    x->what = CONCLUDE;
    x->out->freedom = *x->freedom;
    return status == DAL_OK ? make_call(s, x) : status;
}

/* The rate of the last given channel that the others leave it: false if they do not lead to a motion, or to no other rate. */
static bool find_rate_left(call *x, const dal_body_motion *start, const standing *at, const double *values)
{
    dal_steady_search *s = x->s;
    const int last = s->n_given - 1;
    s->n_given = last;
    dal_status status = search_from(x, start, at, values);
    s->n_given = last + 1;
    x->what = LOOK;
    x->start = NULL;
    restore_turns(s, at); /* later positions of the motion have counted turns */
    if (status == DAL_OK)
        status = make_call(s, x);
    return status == DAL_OK && fabs(s->begin[last] - values[last]) > 1e-9 * fmax(fabs(s->begin[last]), fabs(values[last]));
}

/* Why no motion has all of the given rates: is there one if one of them is left open? True: it is said. */
static bool explain_refusal(call *x, const dal_body_motion *start, const standing *at, const double *values)
{
    dal_steady_search *s = x->s;
    const int n = s->n_given;
    const int *columns = s->columns;
    const bool *is_rate = s->is_rate;
    int *other = DAL_NEW(s->keep, int, n + 1);
    bool *rate = DAL_NEW(s->keep, bool, n + 1), said = false;
    double *wanted = DAL_NEW(s->keep, double, n + 1);
    for (int open = 0; open < n && !said; open++) {
        dal_messages *messages = s->messages;
        for (int i = 0; i < n; i++) { /* the open one comes last */
            const int from = i == n - 1 ? open : i < open ? i : i + 1;
            other[i] = columns[from];
            rate[i] = is_rate[from];
            wanted[i] = values[from];
        }
        s->columns = other;
        s->is_rate = rate;
        s->messages = NULL;
        said = find_rate_left(x, start, at, wanted);
        s->messages = messages;
        const double left = fabs(s->begin[n - 1]) > 1e2 * left_over * fabs(values[open]) ? s->begin[n - 1] : 0; /* the rest may be zero */
        if (said && x->bound)
            dal_error(messages, dal_nowhere,
                      "there is no steady motion near the start: a drive or a constraint prescribes the rate of '%s', %.10g, not %.10g",
                      x->names[open], left, values[open]);
        else if (said)
            dal_error(messages, dal_nowhere,
                      "there is no steady motion near the start with %s: if the rate of '%s' is left open, one is found in which it is %.10g",
                      n == 1 ? "this rate" : "these rates", x->names[open], left);
    }
    s->columns = columns;
    s->is_rate = is_rate;
    return said;
}

/* How far the motion that was found is from the start: positions in lengths of the model and radians; with turns of the bodies in their own axes, over
 * the fastest at the start. */
static double find_distance(const dal_steady_search *s, const dal_kin *begin, double *moved)
{
    double fastest = 0, turned = 0;
    *moved = 0;
    for (int b = 0; b < s->fields.n_bodies; b++) {
        const dal_kin *kin = &dal_seen_work(s->state)->kin[b];
        double shift[3], R[9], w[3], before[3];
        dal_sub3(kin->r, begin[b].r, shift);
        for (int i = 0; i < 9; i++)
            R[i] = kin->R[i] - begin[b].R[i];
        *moved = fmax(*moved, fmax(dal_norm(shift, 3) / s->layout->units.length, dal_norm(R, 9) / sqrt(2)));
        dal_mulT3(kin->R, kin->w, w);
        dal_mulT3(begin[b].R, begin[b].w, before);
        fastest = fmax(fastest, dal_norm(before, 3));
        dal_axpy3(-1, before, w);
        turned = fmax(turned, dal_norm(w, 3));
    }
    return *moved + (turned > 0 ? turned / fastest : 0);
}

/* Positions moved, and rates that are not given could have changed instead: of both motions the one that is nearer to the start. */
static dal_status take_nearer(call *x, const dal_body_motion *start, const dal_kin *begin, const standing *at, const double *values)
{
    dal_steady_search *s = x->s;
    double moved, unmoved;
    const double distance = find_distance(s, begin, &moved);
    if (!(moved > near_enough) || !isfinite(distance))
        return DAL_OK;
    const standing first = remember_standing(s, NULL);
    const dal_steady_motion found = *x->out;
    const double force = s->force;
    s->held = true;
    const bool nearer = search_from(x, start, at, values) == DAL_OK && find_distance(s, begin, &unmoved) < distance;
    s->held = false;
    if (nearer)
        return DAL_OK;
    restore_standing(s, &first);
    memcpy(s->given, values, sizeof *values * (size_t)s->n_given);
    s->force = force;
    *x->out = found;
    x->what = CONCLUDE;
    return make_call(s, x);
}

dal_status dal_state_steady(dal_arena *arena, dal_state *state, bool descends, int n, const int *columns, const double *values,
                            const char *const *names, dal_messages *messages, dal_steady_motion *out)
{
    const dal_layout *layout = dal_layout_of(state);
    dal_steady_search s = {.keep = arena,
                           .state = state,
                           .messages = messages,
                           .layout = layout,
                           .nv = layout->nv,
                           .n_given = n,
                           .columns = columns,
                           .descends = descends};
    double size = INFINITY, step = INFINITY;
    int freedom = 0;
    s.n_z = dal_system_states(dal_system_of(state), NULL);
    s.unit = sqrt(layout->units.mass) * layout->units.length;
    s.q = DAL_NEW(arena, double, layout->nq + 1);
    s.v = DAL_NEW(arena, double, s.nv + 1);
    s.z = DAL_NEW(arena, double, s.n_z + 1);
    s.lambda = DAL_NEW(arena, double, layout->n_rows + 1);
    memcpy(s.q, dal_seen_work(state)->q, sizeof *s.q * (size_t)layout->nq);
    memcpy(s.z, dal_own_states_of(state), sizeof *s.z * (size_t)s.n_z);
    if (layout->systems)
        return refuse_motion(&s, "the model has sub-systems (`systems:`, `lagrangian:`), for which steady motions are not computed");
    dal_fields_list(arena, state, &s.fields);
    dal_body_motion *start = DAL_NEW(arena, dal_body_motion, s.fields.n_bodies + 1);
    for (int b = 0; b < s.fields.n_bodies; b++) {
        dal_copy3(dal_seen_work(state)->kin[b].w, start[b].w);
        dal_copy3(dal_seen_work(state)->kin[b].rd, start[b].rd);
    }
    dal_kin *begin = DAL_NEW(arena, dal_kin, s.fields.n_bodies + 1);
    memcpy(begin, dal_seen_work(state)->kin, sizeof *begin * (size_t)s.fields.n_bodies);
    s.c = DAL_NEW(arena, double, s.fields.n + 1);
    s.given = DAL_NEW(arena, double, n + 1);
    s.begin = DAL_NEW(arena, double, n + 1);
    memcpy(s.given, values, sizeof *s.given * (size_t)n);
    call x = {.s = &s, .start = start, .size = &size, .step = &step, .freedom = &freedom, .names = names, .out = out, .what = FIND_GIVENS};
    const dal_status status = make_call(&s, &x);
    if (status != DAL_OK)
        return status;
    const standing at = remember_standing(&s, NULL);
    s.messages = NULL; /* a failed search is not reported if another one succeeds */
    dal_status found = search_from(&x, start, &at, values);
    if (found == DAL_OK)
        return descends || s.fields.k <= n ? DAL_OK : take_nearer(&x, start, begin, &at, values);
    s.held = !descends && s.fields.k > n;
    if (s.held && found != DAL_NO_MEMORY)
        found = search_from(&x, start, &at, values);
    s.held = false;
    const bool unbalanced = !s.balanced;
    s.descends = true;
    if (!descends && found != DAL_OK && found != DAL_NO_MEMORY)
        found = search_from(&x, start, &at, values);
    if (found == DAL_OK || found == DAL_NO_MEMORY)
        return found;
    s.descends = descends;
    s.messages = messages;
    return unbalanced && explain_refusal(&x, start, &at, values) ? DAL_BAD_MODEL : search_from(&x, start, &at, values);
}
