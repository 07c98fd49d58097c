/* Steps of a run at a singular position of the constraints; dynamics/singular.c measures how near one is.
 *
 *   stages   lie beside the constraints by about h^2 and would be seen through a nearly singular A: errors grow like 1 / distance. Near one
 *            the right-hand side is evaluated at the projected stage, f(P(y)): the same on the constraints, and smooth across the singularity.
 *   steps    of adaptive methods have no stage and no end right at it, where all is rounding.
 *   passage  on the branch on which the position was reached: velocities and energy are continuous there. If they jump, rounding has decided,
 *            and the run ends instead of continuing with an arbitrary motion.
 *   rank     is decided again after it, near it if rows are redundant, and where a skipped row is violated.
 */
#include "model/system.h"
#include "run/run.h"
#include "dynamics/row_rank.h"
#include "dynamics/singular.h"
#include "state/report.h"
#include "state/scale.h"
#include "state/state.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { STAGES_AVOIDED = 30, ENDS_AVOIDED = 10 }; /* in one step; then the motion stays there */
static const double jump_allowed = 1e-5;         /* of the energy or of the largest velocity, over a step near a singular position */

/* ---- stages and ends of steps ---------------------------------------------------------------------- */

const double *dal_passage_stage(run *r, double t, const double *y)
{
    if (!r->state->singular->near || !r->system->method.stabilization->project)
        return y;
    memcpy(r->stage, y, sizeof *y * (size_t)r->system->n_y);
    const bool projected = r->system->method.stabilization->project(r->state, t, r->stage) == 0;
    r->state->report->trouble[0] = '\0';
    return projected ? r->stage : y;
}

dal_flow dal_passage_avoid_stage(run *r)
{
    const bool stays = r->passage.stages_avoided >= STAGES_AVOIDED;
    if (!r->system->method.integrator->adaptive || !dal_singular_avoid_stage(r->state, stays))
        return 0;
    r->passage.stages_avoided++;
    dal_state_fail_for(r->state, DAL_REASON_SINGULAR_POSITION, "a stage fell on a singular position of the constraints");
    return stays ? 1 : DAL_FLOW_ELSEWHERE;
}

/* A step that ends on the singularity itself would be all rounding: it ends beyond. */
dal_flow dal_passage_avoid_end(run *r)
{
    if (!r->system->method.integrator->adaptive || !dal_singular_avoid_end(r->state) || r->passage.ends_avoided >= ENDS_AVOIDED)
        return 0;
    r->passage.ends_avoided++;
    return DAL_FLOW_LONGER;
}

/* ---- accepted steps ----------------------------------------------------------------------------------- */

/* At a state that satisfies the constraints the rank is decided again if it had fallen, or if rows that were skipped as dependent are
 * violated now (the start was singular). Near a singular position with redundant rows it is decided again at each step: right at it,
 * rows that always depend cannot be distinguished from rows that depend only there. */
dal_flow dal_passage_rank(run *r)
{
    dal_state *state = r->state;
    const int n = r->system->layout.n_rows;
    bool open = state->rank->n < state->rank->most || (state->rank->n < n && state->singular->near) ||
                (r->passage.singular_start && state->rank->n <= r->system->rank && r->system->method.stabilization->project);
    for (int i = state->rank->n; i < n && !open; i++) {
        int row = state->rank->order[i];
        open = fabs(state->work.phi[row]) > 1e-8 * r->system->layout.units.row_unit[row] ||
               fabs(state->work.phid[row]) > 1e-6 * r->system->layout.units.row_unit[row] / r->system->layout.units.time;
    }
    if (!open)
        return 0;
    dal_state_jacobian(state);
    dal_state_rank(state, n);
    state->rank->changed++;
    if (r->system->method.formulation->chooses && state->rank->n != r->system->rank)
        return dal_state_fail(state,
                              "the rank of the constraints is %d here and was %d at the start, where the number of the "
                              "speeds was decided: %s cannot continue; use lagrange, or start elsewhere",
                              state->rank->n, r->system->rank, r->system->method.formulation->name);
    return 0;
}

/* The scale of energies while hardly anything has moved. */
double dal_energy_rounding(const run *r)
{
    return 1e-12 *
           (fabs(r->measured.whole.energy_last) + fabs(r->measured.whole.potential_start) + r->measured.whole.weight + r->measured.whole.pace);
}

/* A singular position is passed on the branch on which it was reached: velocities and energy are continuous there. If they jump, rounding has
 * decided, and the run ends instead of continuing with an arbitrary motion. */
dal_flow dal_passage_check(run *r, double t)
{
    const dal_layout *layout = &r->system->layout;
    const double *v = r->state->work.v;
    double jump = 0, fastest = dal_fastest(r->system, v), dt = t - r->passage.t,
           balance = r->measured.whole.energy_last - r->measured.whole.work_last;
    bool near = r->state->singular->near || r->passage.near;
    for (int i = 0; i < layout->nv; i++)
        jump = fmax(jump, fabs(v[i] - r->passage.v[i]) * r->system->layout.units.column_scale[i] / r->system->layout.units.length);
    r->passage.fastest = fmax(r->passage.fastest, fastest);
    bool same_chart = r->passage.charts == r->state->report->charts, comparable = r->passage.begun && same_chart && dt > 0;
    bool energy = fabs(balance - r->passage.balance) >
                  jump_allowed * (r->measured.whole.kinetic_most + r->measured.whole.potential_most) + dal_energy_rounding(r);
    bool velocity = jump > 5 * r->passage.acceleration_most * dt + jump_allowed * fastest;
    if (comparable && !near)
        r->passage.acceleration_most = fmax(r->passage.acceleration_most, jump / dt);
    if (comparable && near && (energy || velocity)) {
        const bool projects = r->system->method.stabilization->mass_metric;
        return dal_state_fail_for(r->state, DAL_REASON_SINGULAR_POSITION,
                                  "the mechanism passed a singular position of its constraints%s and its %s jumped: how it continues there "
                                  "cannot be decided to this accuracy (smaller tolerances%s another step%s may help)",
                                  layout->curved ? ", or two roots of one that is not linear in the rates met," : "",
                                  velocity ? "velocities" : "energy", projects ? " or" : ",", projects ? "" : " or mass-projection");
    }
    r->passage.balance_change = r->passage.begun ? balance - r->passage.balance : 0;
    memcpy(r->passage.v, v, sizeof *v * (size_t)layout->nv);
    r->passage.t = t;
    r->passage.balance = balance;
    r->passage.near = r->state->singular->near;
    r->passage.charts = r->state->report->charts;
    r->passage.begun = true;
    r->passage.ends_avoided = r->passage.stages_avoided = 0;
    return 0;
}

/* Of a run that ended near a singular position: which one. A run that began in one is reported as such. */
const char *dal_passage_text(run *r, char *buffer, size_t size)
{
    char where[200] = "";
    buffer[0] = '\0';
    if (r->passage.singular_start && r->state->rank->least < r->system->layout.n_rows)
        snprintf(buffer, size,
                 "; the start is a singular position, of rank %d, from which more than one motion may begin, or none: "
                 "start elsewhere",
                 r->system->rank);
    else if (dal_singular_close(r->state) || dal_failed_for(r->state, DAL_REASON_SINGULAR_POSITION))
        snprintf(buffer, size, "%s", dal_singular_text(r->state, where, sizeof where));
    return buffer;
}
