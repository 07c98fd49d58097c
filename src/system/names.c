/* What coordinates and velocities are called. */
#include "kinematics/tree.h"
#include "system/system.h"

#include <stdio.h>

static void name_of_body(const dal_system *system, bool velocity, int k, char *buffer, size_t size)
{
    static const char *const axes[] = {"x", "y", "z"};
    const dal_layout *layout = &system->layout;
    const int space = (int)system->mechanism.space;
    for (int b = 0; b < system->mechanism.n_bodies; b++) {
        const dal_body_layout *at = &layout->body[b];
        int i = k - (velocity ? at->v : at->q), n = velocity ? at->nv : at->nq;
        if (i < 0 || i >= n)
            continue;
        if (i < space)
            snprintf(buffer, size, "%s.%s%s", system->mechanism.bodies[b].name, axes[i], velocity ? "'" : "");
        else if (n == space + 1)
            snprintf(buffer, size, "%s.angle%s", system->mechanism.bodies[b].name, velocity ? "'" : "");
        else
            snprintf(buffer, size, "%s.%s%d%s", system->mechanism.bodies[b].name, n - space == 3 ? "angle" : n - space == 4 || n - space == 2 ? "e" : "R",
                     n - space == 3 ? i - space + 1 : i - space, velocity ? "'" : "");
        return;
    }
    snprintf(buffer, size, "%d", k + 1);
}

static void name_of(const dal_system *system, bool velocity, int k, char *buffer, size_t size)
{
    if (k < 0)
        snprintf(buffer, size, "a coordinate");
    else if (system->layout.placement)
        snprintf(buffer, size, "%s%s", system->coordinate_names[k], velocity ? "'" : "");
    else if (system->layout.tree)
        dal_tree_name(system->layout.tree, &system->mechanism, velocity, k, buffer, size);
    else
        name_of_body(system, velocity, k, buffer, size);
}

void dal_coordinate_name(const dal_system *system, int k, char *buffer, size_t size)
{
    name_of(system, false, k, buffer, size);
}

void dal_velocity_name(const dal_system *system, int k, char *buffer, size_t size)
{
    name_of(system, true, k, buffer, size);
}
