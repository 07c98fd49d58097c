/* What users may ask of a compiled system, and of the lists that models choose from. */
#include "compile/build.h"

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

const char *dal_version(void)
{
    return DAL_VERSION;
}

bool dal_list_entry(const char *kind, int index, const char **name, const char **title)
{
    if (!kind || index < 0)
        return false;
#define LISTED(word, list)                                                                                                                           \
    if (!strcmp(kind, word)) {                                                                                                                       \
        int n = 0;                                                                                                                                   \
        while ((list)[n] && n < index)                                                                                                               \
            n++;                                                                                                                                     \
        if (!(list)[n])                                                                                                                              \
            return false;                                                                                                                            \
        if (name)                                                                                                                                    \
            *name = (list)[n]->name;                                                                                                                 \
        if (title)                                                                                                                                   \
            *title = (list)[n]->title;                                                                                                               \
        return true;                                                                                                                                 \
    }
    LISTED("joint", dal_joint_types)
    LISTED("force", dal_force_types)
    LISTED("coordinates", dal_families)
    LISTED("formulation", dal_formulations)
    LISTED("stabilization", dal_stabilizations)
    LISTED("integrator", dal_integrators)
#undef LISTED
    if (!strcmp(kind, "warning") && index < DAL_CODE_COUNT - 1) {
        if (name)
            *name = dal_code_name((dal_code)(index + 1));
        if (title)
            *title = dal_code_title((dal_code)(index + 1));
        return true;
    }
    return false;
}
