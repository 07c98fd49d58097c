#include "run/sample_states.h"

#include "dynamics/row_rank.h"
#include "dynamics/speeds.h"
#include "math/chance.h"
#include "model/choices.h"
#include "state/state_parts.h"
#include "state/values.h"

#include <math.h>
#include <string.h>

static const double shift = 0.05, speed = 0.7; /* of the model's length; of its length a unit of its time */

static const double *copy(dal_arena *arena, int n, const double *from)
{
    double *to = DAL_NEW(arena, double, n);
    if (n)
        memcpy(to, from, sizeof *to * (size_t)n);
    return to;
}

dal_reference_state dal_reference_of(dal_state *state, dal_arena *arena)
{
    const dal_layout *layout = dal_layout_of(state);
    const dal_work *work = dal_work_of(state);
    const dal_energy energy = dal_state_energy(state);
    const int inputs = dal_system_inputs(dal_system_of(state), NULL), states = dal_system_states(dal_system_of(state), NULL);
    double *extra = DAL_NEW(arena, double, inputs + states), scale = 0;
    for (int i = 0; i < inputs; i++)
        extra[i] = dal_values_of(state)->inputs[i];
    for (int i = 0; i < states; i++)
        extra[inputs + i] = dal_own_states_of(state)[i];
    const double *vd = dal_rates_of(state);
    const dal_units *u = &layout->units;
    for (int k = 0; k < layout->nv; k++) /* accelerations that vanish are sums of terms that do not */
        scale = fmax(scale, fmax(fabs(vd[k]), u->length / (u->time * u->time * u->column_scale[k])));
    return (dal_reference_state){.t = work->t,
                                 .q = copy(arena, layout->nq, work->q),
                                 .v = copy(arena, layout->nv, work->v),
                                 .inputs = extra,
                                 .vd = copy(arena, layout->nv, vd),
                                 .scale = scale,
                                 .T = energy.kinetic,
                                 .V = energy.potential};
}

/* y near the start, on the constraints. False: it leads too far off. */
static bool move_by_chance(dal_state *state, uint64_t *seed, dal_arena *arena)
{
    const dal_system *system = dal_system_of(state);
    const dal_layout *layout = dal_layout_of(state);
    const dal_system_info info = dal_system_describe(system);
    const dal_stabilization *stabilization = dal_system_method(system)->stabilization;
    const int inputs = dal_system_inputs(system, NULL), own = dal_system_states(system, NULL), n_w = info.states - info.coordinates_count - own;
    double *dq = DAL_NEW(arena, double, layout->nv), *y = dal_state_y(state);
    const double t = dal_state_time(state);
    for (int k = 0; k < layout->nv; k++)
        dq[k] = shift * dal_chance(seed) * layout->units.length / layout->units.column_scale[k];
    layout->family->add(layout, y, dq);
    for (int k = 0; k < n_w && k < layout->nv; k++)
        y[layout->nq + k] += speed * dal_chance(seed) * layout->units.length / layout->units.time / layout->units.column_scale[k];
    for (int i = 0; i < inputs; i++)
        dal_values_of(state)->inputs[i] += 0.3 * dal_chance(seed);
    return !stabilization->project || !stabilization->project(state, t, y);
}

int dal_sample_states(dal_state *state, int n, dal_arena *arena, dal_reference_state *references)
{
    uint64_t seed = 20;
    int found = 0;
    dal_state_reset(state);
    if (dal_state_evaluate(state, NULL) != DAL_OK)
        return 0;
    references[found++] = dal_reference_of(state, arena);
    for (int attempt = 0; attempt < 3 * n && found < n; attempt++) {
        dal_state_reset(state);
        if (move_by_chance(state, &seed, arena) && dal_state_evaluate(state, NULL) == DAL_OK)
            references[found++] = dal_reference_of(state, arena);
    }
    return found;
}

dal_derive_options dal_derive_options_of(const dal_state *state)
{
    const dal_speed_choice *speeds = dal_speeds_of(state);
    return (dal_derive_options){.chart = dal_seen_work(state)->chart,
                                .speeds = speeds ? speeds->column : NULL,
                                .rows = speeds && speeds->basis ? speeds->basis->row : dal_rank_of(state)->order,
                                .whole_systems = true};
}

/* The code of the recursion is proportional to the number of links (derive/derivation.c has its bound). That of other formulations grows with the
 * cube. */
const char *dal_code_obstacle(const dal_layout *layout, bool recursive)
{
    enum { MOST_VELOCITIES = 150, MOST_IN_RECURSION = 2000 };
    if (layout->nv > (recursive ? MOST_IN_RECURSION : MOST_VELOCITIES))
        return recursive ? "it has more than 2000 velocities" : "it has more than 150 velocities in these coordinates";
    if (layout->nv == 0)
        return "nothing moves";
    return layout->curved ? "a constraint is not linear in the velocities" : NULL;
}
