/* Impacts: velocities or energies that jump, where the motion has no impact law.
 *
 * Where a constraint begins to hold, or has a corner, the velocities would have to jump. With velocities in y the
 * projection shows it, with speeds only the balance of energy. In both cases the step is refused, or the run ends.
 */
#include "model/system.h"
#include "run/run.h"
#include "run/standing.h"
#include "state/scale.h"

#include <math.h>

static const double correction_allowed = 0.1; /* of the velocities in one step: a projection that changes more is an impact */
static const double at_rest = 1e-6;           /* lengths or rad in a unit of time that no correction is measured against */
static const double loss_allowed = 1e-3;      /* of the energy in one step of an adaptive method, where no force does work */

/* Where a constraint begins to hold that did not (its derivative was zero), or turns a corner, velocities would have to jump. */
dal_flow dal_check_correction(run *r, const double *before, const double *after)
{
    const dal_system *system = r->system;
    const double fastest = fmax(r->passage.fastest, dal_fastest(system, before));
    char standing[200];
    double jump = 0, most = 0;
    for (int k = 0; k < system->layout.nv; k++) {
        const double change = fabs(after[k] - before[k]), size = change * system->layout.units.column_scale[k] / system->layout.units.length;
        most = size > jump ? change : most;
        jump = fmax(jump, size);
    }
    if (!(jump > correction_allowed * fastest + at_rest / system->layout.units.time))
        return 0;
    const char *stands = dal_standing_text(r->state, standing, sizeof standing);
    dal_state_fail_for(r->state, *stands ? DAL_REASON_JOINT : DAL_REASON_OTHER,
                       "the constraints would change the velocities by %.3g at once: one of them begins to act here or has a corner "
                       "(a disc that falls flat), which is an impact, not a motion; or the step is too large for the method%s",
                       most, stands);
    return 1;
}

/* With speeds the velocities always satisfy the constraints. The only sign of a corner is then a loss of energy. */
dal_flow dal_check_loss(run *r)
{
    const dal_system *system = r->system;
    double lost = fabs(r->passage.balance_change), scale = r->measured.whole.kinetic_most + r->measured.whole.potential_most;
    /* methods with a past begin at order 1: from rest, the loss in such a step is small against the tolerance, but not against the energy so far */
    double begin =
        dal_paced(system->method.integrator) ? fabs(r->measured.whole.potential_start) + r->measured.whole.weight + r->measured.whole.pace : 0;
    char standing[200];
    if (!system->method.formulation->unpack || !system->method.integrator->adaptive || system->works ||
        !(lost > fmax(loss_allowed, 100 * system->info.rtol) * scale + 100 * system->info.rtol * begin + dal_energy_rounding(r)))
        return 0;
    const char *stands = dal_standing_text(r->state, standing, sizeof standing);
    return dal_state_fail_for(r->state, *stands ? DAL_REASON_JOINT : DAL_REASON_OTHER,
                              "the energy changed by %.3g J in one step, and no force does work: a constraint begins to act here or has a "
                              "corner (a disc that falls flat), which is an impact, not a motion%s",
                              lost, stands);
}
