/* The forces of sub-systems whose equations are known, on coordinates of the model's own. The model has no key for them: they follow from what is
 * written in `systems:` and `lagrangian:` (compile/systems.c).
 *
 *   effort      on one coordinate
 *   potential   of the whole system: the part of the efforts that has one
 *   power       of the rest of them, with what time does to the energies
 */
#include "force/force.h"

static void apply_subsystem_forces(dal_loads *loads, int n, const void *elements)
{
    for (const dal_subsystem_force *f = elements, *end = f + n; f < end; f++) {
        if (f->effort >= 0)
            dal_push_measure(loads, f->measure, loads->expression[f->effort], false);
        if (f->potential >= 0)
            loads->potential += loads->expression[f->potential];
        if (f->power >= 0)
            loads->power += loads->expression[f->power];
    }
}

const dal_force_type dal_force_subsystem = DAL_FORCE_TYPE("system", "of a sub-system (the keys `systems` and `lagrangian` of the model)", NULL, NULL,
                                                          dal_subsystem_force, apply_subsystem_forces, .compile = NULL, .potential = false);
