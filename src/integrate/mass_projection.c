/* Projection in the metric of the mass matrix: the change dq that meets the
 * constraints with the least dq^T M dq. It does not change the momentum along the free motion, and does not depend on the units of the coordinates.
 *     [ M A^T ] [ dq ]   [  0   ]
 *     [ A  0  ] [ mu ] = [ -phi ]
 */
#include "integrate/stabilization.h"
#include "dynamics/saddle.h"
#include "model/system.h"
#include "state/state.h"

#include <string.h>

static dal_flow factor_mass_projection(dal_state *state)
{
    const dal_layout *layout = state->layout;
    if (!state->system->loops) /* the links have their own */
        dal_inertia(layout, &state->work);
    return dal_saddle_ready(state, DAL_METRIC_MASS);
}

static void solve_mass_projection(dal_state *state, double *b, double *x)
{
    memset(x, 0, sizeof *x * (size_t)state->layout->nv);
    dal_saddle_solve(state, x, b);
}

static dal_flow project_mass_projection(dal_state *state, double t, double *y)
{
    static const dal_projector projector = {.factor = factor_mass_projection, .solve = solve_mass_projection};
    return dal_project(state, t, y, &projector);
}

static size_t work_mass_projection(const dal_system *system)
{
    return (size_t)system->layout.nv + (size_t)system->layout.n_rows;
}

const dal_stabilization dal_mass_projection = {
    .name = "mass-projection",
    .title = "the same correction, least in the metric of the mass matrix",
    DAL_PROJECTION(project_mass_projection, work_mass_projection),
    .mass_metric = true,
};
