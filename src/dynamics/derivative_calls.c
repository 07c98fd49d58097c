/* dalembert/derivatives.h. The general path is slopes.c: one direction at a time. Where nothing but weight acts on a tree, the recursions give dq, dv and
 * dtau: tree_derivatives.c. */
#include "dalembert/derivatives.h"

#include "base/argument.h"
#include "dalembert/tree.h"
#include "dynamics/derivative_calls.h"
#include "math/finite.h"
#include "model/system_parts.h"
#include "state/directions.h"
#include "state/state_parts.h"

#include <string.h>

dal_derivative_sizes dal_derivatives_describe(const dal_system *system)
{
    if (!system)
        return (dal_derivative_sizes){0};
    const dal_layout *layout = dal_system_layout(system);
    return (dal_derivative_sizes){layout->nv, layout->n_rows, dal_system_states(system, NULL), dal_system_inputs(system, NULL)};
}

/* ---- what every call begins with ------------------------------------------------------------------- */

/* Where derivatives are those of one side, or do not exist: along the line of points that coincide, a force turns by any angle where they part. */
static void warn_corners(dal_state *state, dal_messages *messages)
{
    dal_need(state, DAL_STAGE_FORCES);
    const char *line = dal_force_without_derivative(state);
    if (line && messages)
        dal_say(messages, DAL_WARNING, dal_nowhere,
                "the points of '%s' coincide, where its force has no derivative: the numbers hold only for changes that keep them together", line);
    const char *first = dal_slopes_corner(state, 0);
    if (first && messages)
        dal_say(messages, DAL_WARNING, dal_nowhere, "'%s' is at a corner here: derivatives are those of one side%s", first,
                dal_slopes_corner(state, 1) ? ", here and of others" : "");
    const char *at_rest = dal_slopes_at_rest(state);
    if (at_rest && messages)
        dal_say(messages, DAL_WARNING, dal_nowhere,
                "the surfaces of joint '%s' are at rest: derivatives are those of the present state of its friction, as long as it sticks or slips "
                "as now",
                at_rest);
}

dal_status dal_derivatives_begin(dal_state *state, const char *function, dal_messages *messages)
{
    dal_refusal why = {0};
    if (!dal_needs_state(messages, function, state) || !dal_needs_own(messages, function, state))
        return DAL_BAD_COMMAND;
    if (dal_slopes_refuse(dal_system_of(state), &why)) {
        dal_error(messages, dal_nowhere, "%s", why.text);
        return DAL_BAD_MODEL;
    }
    const dal_status status = dal_state_evaluate(state, messages);
    if (status != DAL_OK)
        return status;
    const dal_flow flow = dal_slopes_ready(state);
    if (flow > 0)
        dal_error(messages, dal_nowhere, "at t = %.9g: %s", dal_state_time(state), dal_trouble_of(state));
    if (!flow)
        warn_corners(state, messages);
    return flow ? flow < 0 ? (dal_status)-flow : DAL_NUMERICAL : DAL_OK;
}

dal_status dal_derivatives_held(const dal_state *state, dal_messages *messages)
{
    dal_refusal why = {0};
    if (!dal_slopes_refuse_held(dal_system_of(state), &why))
        return DAL_OK;
    dal_error(messages, dal_nowhere, "%s", why.text);
    return DAL_BAD_MODEL;
}

static dal_status failed(dal_state *state, dal_flow flow, dal_messages *messages)
{
    if (flow)
        dal_error(messages, dal_nowhere, "at t = %.9g: %s", dal_state_time(state), dal_trouble_of(state));
    return flow ? DAL_NUMERICAL : DAL_OK;
}

static void copy_numbers(double *to, const double *from, int n)
{
    if (to && n)
        memcpy(to, from, sizeof *to * (size_t)n);
}

/* Column j of a matrix with n columns. */
static void put_column(double *to, int n, int j, const double *from, int rows)
{
    for (int i = 0; to && i < rows; i++)
        to[(size_t)i * (size_t)n + (size_t)j] = from[i];
}

/* ---- forward dynamics -------------------------------------------------------------------------------- */

/* One direction at a time: unit j of one of q, v, z, u, t; where its columns go. */
typedef struct family_of_columns {
    int n;
    size_t offset; /* of the direction's member */
    double *vd, *lambda, *zd;
} family_of_columns;

static dal_flow fill_columns(dal_state *state, const family_of_columns *of)
{
    const dal_derivative_sizes size = dal_derivatives_describe(dal_system_of(state));
    dal_derivative_room room = dal_slopes_room(state);
    dal_flow flow = 0;
    if (!of->vd && !of->lambda && !of->zd)
        return 0;
    for (int j = 0; j < of->n && !flow; j++) {
        dal_variation_direction along = {0};
        const double *unit = room.unit;
        memcpy((char *)&along + of->offset, &unit, sizeof unit);
        room.unit[j] = 1;
        flow = dal_slopes_along(state, &along, &(dal_variation_result){.states = room.zd}, room.vd, room.lambda);
        room.unit[j] = 0;
        put_column(of->vd, of->n, j, room.vd, size.velocities);
        put_column(of->lambda, of->n, j, room.lambda, size.rows);
        put_column(of->zd, of->n, j, room.zd, size.states);
    }
    return flow;
}

static dal_flow fill_forces(dal_state *state, double *dtau)
{
    const int nv = dal_layout_of(state)->nv;
    dal_derivative_room room = dal_slopes_room(state);
    dal_flow flow = 0;
    for (int j = 0; dtau && j < nv && !flow; j++) {
        room.unit[j] = 1;
        flow = dal_slopes_by_force(state, room.unit, room.vd, NULL);
        room.unit[j] = 0;
        put_column(dtau, nv, j, room.vd, nv);
    }
    return flow;
}

/* dq, dv and dtau by recursion; false: not for this system. */
static bool fill_by_recursion(dal_state *state, const dal_derivatives *out)
{
    const dal_work *work = dal_seen_work(state);
    dal_derivative_room room = dal_slopes_room(state);
    if (!dal_weight_on_tree(dal_system_of(state)))
        return false;
    if ((out->dq != NULL) != (out->dv != NULL))
        return false;
    if (out->dq && dal_tree_forward_derivatives(state, work->q, work->v, NULL, NULL, room.vd, out->dq, out->dv) != DAL_OK)
        return false;
    return !out->dtau || dal_mass_inverse(state, work->q, out->dtau) == DAL_OK;
}

dal_status dal_forward_derivatives(dal_state *state, const dal_derivatives *out, dal_messages *messages)
{
    if (!DAL_NEEDS(messages, out))
        return DAL_BAD_COMMAND;
    const dal_status status = dal_derivatives_begin(state, __func__, messages);
    if (status != DAL_OK)
        return status;
    const dal_derivative_sizes size = dal_derivatives_describe(dal_system_of(state));
    const dal_derivative_room room = dal_slopes_room(state);
    copy_numbers(out->v, dal_seen_work(state)->v, size.velocities);
    copy_numbers(out->vd, dal_rates_of(state), size.velocities);
    copy_numbers(out->lambda, dal_multipliers_of(state), size.rows);
    const bool done = fill_by_recursion(state, out);
    const family_of_columns columns[] = {{size.velocities, offsetof(dal_variation_direction, q), done ? NULL : out->dq, out->lambda_dq, out->zd_dq},
                                         {size.velocities, offsetof(dal_variation_direction, v), done ? NULL : out->dv, out->lambda_dv, out->zd_dv},
                                         {size.states, offsetof(dal_variation_direction, z), out->dz, NULL, out->zd_dz},
                                         {size.inputs, offsetof(dal_variation_direction, inputs), out->du, NULL, NULL}};
    dal_flow flow = 0;
    for (size_t i = 0; i < sizeof columns / sizeof *columns && !flow; i++)
        flow = fill_columns(state, &columns[i]);
    if (!done && !flow)
        flow = fill_forces(state, out->dtau);
    if (out->dt && !flow)
        flow = dal_slopes_along(state, &(dal_variation_direction){.t = 1}, NULL, room.vd, NULL);
    if (!flow)
        copy_numbers(out->dt, room.vd, size.velocities);
    return failed(state, flow, messages);
}

/* ---- inverse dynamics --------------------------------------------------------------------------------- */

static void fill_balance(dal_state *state, const double *vd, const double *lambda, const dal_inverse_result *out)
{
    const dal_layout *layout = dal_layout_of(state);
    const dal_work *work = dal_seen_work(state);
    dal_derivative_room room = dal_slopes_room(state);
    const int nv = layout->nv, rows = layout->n_rows;
    if (out->tau) {
        dal_rows_transposed(layout, work->A, lambda, room.vd);
        dal_mass_times(layout, work->M, vd, out->tau);
        for (int k = 0; k < nv; k++)
            out->tau[k] += work->h[k] - work->Q[k] - room.vd[k];
    }
    for (int j = 0; out->dvd && j < nv; j++) {
        room.unit[j] = 1;
        dal_mass_times(layout, work->M, room.unit, room.vd);
        room.unit[j] = 0;
        put_column(out->dvd, nv, j, room.vd, nv);
    }
    if (out->dlambda)
        memset(out->dlambda, 0, sizeof *out->dlambda * (size_t)nv * (size_t)rows);
    for (int i = 0; out->dlambda && i < rows; i++)
        for (int k = layout->row[i].value; k < layout->row[i].value + layout->row[i].n_values; k++)
            out->dlambda[(size_t)layout->column[k] * (size_t)rows + (size_t)i] -= work->A[k];
}

dal_status dal_inverse_derivatives(dal_state *state, const double *vd, const double *lambda, const dal_inverse_result *out, dal_messages *messages)
{
    if (!DAL_NEEDS(messages, out))
        return DAL_BAD_COMMAND;
    dal_status status = dal_derivatives_begin(state, __func__, messages);
    if (status == DAL_OK)
        status = dal_derivatives_held(state, messages);
    if (status != DAL_OK)
        return status;
    const int nv = dal_layout_of(state)->nv;
    const dal_work *work = dal_seen_work(state);
    dal_derivative_room room = dal_slopes_room(state);
    if ((vd && !dal_all_finite(vd, nv)) || (lambda && !dal_all_finite(lambda, dal_layout_of(state)->n_rows))) {
        dal_error(messages, dal_nowhere, "dal_inverse_derivatives: a number of vd or lambda is not finite");
        return DAL_NUMERICAL;
    }
    vd = vd ? vd : dal_rates_of(state);
    lambda = lambda ? lambda : dal_multipliers_of(state);
    fill_balance(state, vd, lambda, out);
    if (dal_weight_on_tree(dal_system_of(state)) && out->dq && out->dv &&
        dal_tree_inverse_derivatives(state, work->q, work->v, vd, NULL, out->dq, out->dv) == DAL_OK)
        return DAL_OK;
    dal_flow flow = 0;
    for (int j = 0; j < 2 * nv && !flow; j++) {
        double *to = j < nv ? out->dq : out->dv;
        const dal_variation_direction along = {.q = j < nv ? room.unit : NULL, .v = j < nv ? NULL : room.unit};
        if (!to)
            continue;
        room.unit[j % nv] = 1;
        flow = dal_slopes_of_motion(state, &along, vd, lambda, room.vd);
        room.unit[j % nv] = 0;
        put_column(to, nv, j % nv, room.vd, nv);
    }
    return failed(state, flow, messages);
}
