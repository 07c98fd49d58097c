/* What the motion conserves, as far as the description shows it.
 *
 *     p = sum m c'                     along axes without gravity      }  where nothing touches the ground and no force comes from outside
 *     L = sum (m (c - C) x c' + I w)   about the centre of mass C      }
 *     E' = W'                          W is a state of the run where a force has no potential, or where time itself moves something
 */
#include "compile/build.h"
#include "kinematics/placement.h"

#include <stdlib.h>

/* Nothing touches the ground and no force comes from outside: the whole model keeps its linear momentum across gravity and
 * its angular momentum about its centre of mass. */
unsigned dal_build_conserved(const dal_build *build)
{
    const dal_mechanism *m = &build->mechanism;
    const dal_spec *spec = build->spec;
    if (spec->n_coordinates)
        return 0; /* the forces that hold the bodies in place are unknown */
    if (build->world_named)
        return 0;
    for (int j = 0; j < m->n_joints; j++)
        for (int k = 0; k < 2 + m->joints[j].n_further; k++)
            if (m->joints[j].marker[k].body == DAL_GROUND)
                return 0;
    for (int i = 0; i < spec->n_forces; i++) {
        const dal_force_spec *f = &spec->forces[i];
        if (f->body.text || f->mu.text)
            return 0;
        for (int k = 0; k < f->connect.n; k++)
            if (dal_names_ground(build, f->connect.item[k].text))
                return 0;
    }
    unsigned kept = build->spec->space == DAL_PLANAR ? 1u << 5 : 7u << 3;
    for (int k = 0; k < (int)build->spec->space; k++)
        if (build->gravity[k] == 0)
            kept |= 1u << k;
    return kept;
}

/* A given force whose value is the number zero does none. */
bool dal_does_work(const dal_build *build, int n)
{
    for (int i = 0; i < build->spec->n_forces; i++)
        if (build->spec->forces[i].damping.n)
            return true;
    if (build->systems_work)
        return true;
    for (int i = 0; i < n; i++) {
        double value = 1;
        if (i >= build->systems_first && i < build->systems_end)
            continue;
        if (!dal_is_const(build->graph, build->actions.node[i], &value) || value != 0)
            return true;
    }
    for (int b = 0; build->parts.placement && b < build->parts.placement->n_bodies; b++)
        if (build->parts.placement->body[b].timed)
            return true;
    for (int i = 0; i < build->mechanism.n_rows; i++) { /* A v = -b: a constraint that moves something does work */
        const dal_row *row = &build->mechanism.rows[i];
        double value = 1;
        if (row->form >= 0 && !row->derived && (!dal_is_const(build->graph, build->forms.node[row->form + 1 + row->n_terms], &value) || value != 0))
            return true;
    }
    return build->n_times > 0;
}

/* A component written as `0` is no force. A parameter that happens to be zero is one: it may have another value tomorrow. */
bool *dal_idle_expressions(const dal_build *build, int n)
{
    bool *idle = DAL_NEW(build->arena, bool, n);
    for (int i = 0; i < n; i++) {
        char *end = NULL;
        double value = strtod(build->action_texts[i].text, &end);
        idle[i] = end != build->action_texts[i].text && !*end && value == 0;
    }
    return idle;
}
