/* The lists of choices, for users. */
#include "compile/build.h"
#include "model/choices.h"

#include <string.h>

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
