/* Public functions on a compiled system. */
#include "model/system.h"

#include <string.h>

dal_system_info dal_system_describe(const dal_system *system)
{
    static const dal_system_info none = {.model = "",
                                         .model_hash = "",
                                         .version = DAL_VERSION,
                                         .coordinates = "",
                                         .formulation = "",
                                         .stabilization = "",
                                         .integrator = "",
                                         .ignorable_names = ""};
    return system ? system->info : none;
}

const dal_message *const *dal_system_warnings(const dal_system *system, int *n)
{
    if (n)
        *n = system ? system->n_warnings : 0;
    return system ? system->warnings : NULL;
}

const dal_column *dal_system_columns(const dal_system *system, int *recorded, int *all)
{
    if (recorded)
        *recorded = system ? system->n_recorded : 0;
    if (all)
        *all = system ? system->n_columns : 0;
    return system ? system->columns : NULL;
}

int dal_system_body(const dal_system *system, const char *name)
{
    for (int i = 0; system && name && i < system->mechanism.n_bodies; i++)
        if (!strcmp(system->mechanism.bodies[i].name, name))
            return i;
    return -1;
}

int dal_system_joint(const dal_system *system, const char *name)
{
    for (int i = 0; system && name && i < system->mechanism.n_joints; i++)
        if (!strcmp(system->mechanism.joints[i].name, name))
            return i;
    return -1;
}

int dal_system_input(const dal_system *system, const char *name)
{
    for (int i = 0; system && name && i < system->n_inputs; i++)
        if (!strcmp(system->input_names[i], name))
            return i;
    return -1;
}

int dal_system_column(const dal_system *system, const char *name)
{
    for (int i = 0; system && name && i < system->n_columns; i++)
        if (!strcmp(system->columns[i].name, name))
            return i;
    return -1;
}
