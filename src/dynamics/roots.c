/* The roots of rows that are not linear in the rates.
 *
 * Where dphi/dv vanishes, two roots of phi = 0 meet, and the equations do not determine on which root the motion continues: through the vertex of the
 * cone x'^2 + y'^2 = k^2 z'^2 the motion can change to the other half without a jump. Beyond such a point dphi/dv, which passes through zero there,
 * has turned round. So its direction is compared with that at the last accepted step, row by row: more than a right angle means that roots have met,
 * or that the step is too long to tell. If it is so small that rounding could turn it, they meet as well.
 */
#include "dynamics/roots.h"
#include "dynamics/singular.h"
#include "state/owner.h"
#include "state/state.h"

#include <math.h>
#include <string.h>

static const double vanished = 1e-6; /* of the largest recent norm of dphi/dm': below this it counts as zero, to the accuracy of integration */
static const double near = 1e-2;     /* of the same: more of it has turned, and did not vanish here */
static const double forgetting = 20; /* in a unit of time: rates that decay slowly do not count */

static double product(const dal_row *row, const double *a, const double *b)
{
    double sum = 0;
    for (int k = row->term; k < row->term + row->n_terms; k++)
        sum += a[k] * b[k];
    return sum;
}

static const dal_row *row_at(const dal_layout *layout, int i)
{
    return &layout->mechanism->rows[layout->row[i].source];
}

void dal_roots_accepted(dal_state *state)
{
    const dal_layout *layout = state->layout;
    dal_roots *roots = &state->singular->roots;
    if (!layout->curved)
        return;
    assert(dal_has(state, DAL_STAGE_VELOCITY));
    const double left = exp(-forgetting * fmax(state->work.t - roots->t, 0) / layout->units.time);
    for (int i = 0; i < layout->n_extrinsic; i++)
        roots->most[i] = fmax(left * roots->most[i], product(row_at(layout, i), state->work.coef, state->work.coef));
    roots->t = state->work.t;
    memcpy(roots->heading, state->work.coef, sizeof *roots->heading * (size_t)layout->mechanism->n_terms);
    memcpy(roots->v, state->work.v, sizeof *roots->v * (size_t)layout->nv);
}

dal_flow dal_roots_check(dal_state *state)
{
    const dal_layout *layout = state->layout;
    const dal_roots *roots = &state->singular->roots;
    for (int i = 0; i < layout->n_extrinsic; i++) {
        const dal_row *row = row_at(layout, i);
        const double *now = state->work.coef;
        if (!row->curved || (product(row, roots->heading, now) > 0 && product(row, now, now) > vanished * vanished * roots->most[i]))
            continue;
        const char *name = layout->mechanism->joints[row->joint].name;
        if (product(row, now, now) > near * near * roots->most[i])
            return dal_state_fail(
                state,
                "the derivatives of constraint '%s' by the rates turned round within one step: two of its roots meet there, and with "
                "which of them the motion continues is not determined; or the step is too long to tell",
                name);
        return dal_state_fail(state,
                              "two roots of constraint '%s' meet here: its derivatives by the rates vanish, and with which of the roots the "
                              "motion continues is not determined",
                              name);
    }
    return 0;
}

/* ---- of a state ------------------------------------------------------------------------------------ */

static size_t terms_of(const dal_layout *layout)
{
    return layout->curved ? (size_t)layout->mechanism->n_terms : 0;
}

static size_t velocities_of(const dal_layout *layout)
{
    return layout->curved ? (size_t)layout->nv : 0;
}

static size_t rows_of(const dal_layout *layout)
{
    return layout->curved ? (size_t)layout->n_extrinsic : 0;
}

void dal_roots_layout(dal_block *block, const dal_layout *layout, dal_roots *roots)
{
    DAL_LAYOUT(block, roots->heading, terms_of(layout));
    DAL_LAYOUT(block, roots->v, velocities_of(layout));
    DAL_LAYOUT(block, roots->most, rows_of(layout));
}

void dal_roots_start(dal_state *state)
{
    if (!state->layout->curved)
        return;
    dal_state_position(state);
    dal_state_velocity(state);
    state->singular->roots.t = state->work.t;
    memset(state->singular->roots.most, 0, sizeof(double) * rows_of(state->layout));
    dal_roots_accepted(state);
}

void dal_roots_copy(const dal_layout *layout, const dal_roots *from, dal_roots *to)
{
    if (!layout->curved)
        return;
    memcpy(to->heading, from->heading, sizeof *to->heading * terms_of(layout));
    memcpy(to->v, from->v, sizeof *to->v * velocities_of(layout));
    memcpy(to->most, from->most, sizeof *to->most * rows_of(layout));
    to->t = from->t;
}

void dal_roots_keep(const dal_layout *layout, dal_roots *roots, dal_keep *keep)
{
    if (!layout->curved)
        return;
    dal_keep_numbers(keep, roots->heading, terms_of(layout));
    dal_keep_numbers(keep, roots->v, velocities_of(layout));
    dal_keep_numbers(keep, roots->most, rows_of(layout));
    dal_keep_numbers(keep, &roots->t, 1);
}
