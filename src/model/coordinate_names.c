/* Names of coordinates and velocities. */
#include "model/coordinate_names.h"

#include "dalembert/tree.h"
#include "kinematics/reduction.h"
#include "kinematics/tree.h"
#include "model/system.h"

#include <stdio.h>
#include <string.h>

/* Coordinate or velocity i of the n that a body has. */
static void name_in_body(const dal_system *system, int body, int i, int n, bool velocity, char *buffer, size_t size)
{
    static const char *const axes[] = {"x", "y", "z"};
    const int space = (int)system->mechanism.space;
    const char *name = system->mechanism.bodies[body].name, *prime = velocity ? "'" : "";
    if (i < space)
        snprintf(buffer, size, "%s.%s%s", name, axes[i], prime);
    else if (n == space + 1)
        snprintf(buffer, size, "%s.angle%s", name, prime);
    else
        snprintf(buffer, size, "%s.%s%d%s", name,
                 n - space == 3                     ? "angle"
                 : n - space == 4 || n - space == 2 ? "e"
                                                    : "R",
                 n - space == 3 ? i - space + 1 : i - space, prime);
}

static void name_of_body(const dal_system *system, bool velocity, int k, char *buffer, size_t size)
{
    const dal_reduction *e = system->layout.reduction;
    if (e) {
        const int b = e->left_body[k];
        name_in_body(system, b, e->left[k] - e->natural[b], e->natural[b + 1] - e->natural[b], velocity, buffer, size);
        return;
    }
    for (int b = 0; b < system->mechanism.n_bodies; b++) {
        const dal_body_layout *at = &system->layout.body[b];
        const int i = k - (velocity ? at->v : at->q), n = velocity ? at->nv : at->nq;
        if (i >= 0 && i < n) {
            name_in_body(system, b, i, n, velocity, buffer, size);
            return;
        }
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
        dal_tree_name(system->layout.tree, &system->mechanism, system->plain_names, velocity, k, buffer, size);
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

const char *dal_own_coordinate(const dal_system *system, int k)
{
    return system->coordinate_names[k];
}

const char *dal_speed_name(const dal_system *system, int k)
{
    return system->speed_names ? system->speed_names[k] : NULL;
}

/* ---- labels: rates are called like the coordinates that they move --------------------- */

static void drop_prime(char *name)
{
    size_t n = strlen(name);
    if (n && name[n - 1] == '\'')
        name[n - 1] = '\0';
}

static bool label_of(const dal_system *system, bool rate, int k, char *buffer, size_t size)
{
    char whole[DAL_LABEL];
    if (!system || !buffer || !size || k < 0 || k >= (rate ? system->layout.nv : system->layout.nq))
        return false;
    name_of(system, rate, k, whole, sizeof whole);
    if (rate)
        drop_prime(whole);
    return (size_t)snprintf(buffer, size, "%s", whole) < size;
}

bool dal_coordinate_label(const dal_system *system, int k, char *buffer, size_t size)
{
    return label_of(system, false, k, buffer, size);
}

bool dal_rate_label(const dal_system *system, int k, char *buffer, size_t size)
{
    return label_of(system, true, k, buffer, size);
}

bool dal_tree_coordinate(const dal_system *system, int k, char *buffer, size_t size)
{
    return system && system->layout.tree && label_of(system, false, k, buffer, size);
}

bool dal_tree_velocity(const dal_system *system, int k, char *buffer, size_t size)
{
    return system && system->layout.tree && label_of(system, true, k, buffer, size);
}

dal_labels dal_make_labels(dal_arena *arena, const dal_system *system, bool rates)
{
    const int n = rates ? system->layout.nv : system->layout.nq;
    dal_labels list = {n, rates, DAL_NEW(arena, const char *, n + 1), DAL_NEW(arena, const char *, n + 1)};
    for (int k = 0; k < n; k++) {
        char text[DAL_LABEL];
        label_of(system, rates, k, text, sizeof text);
        list.label[k] = list.full[k] = dal_arena_copy(arena, text, strlen(text));
        if (system->layout.tree && system->plain_names) {
            dal_tree_name(system->layout.tree, &system->mechanism, false, rates, k, text, sizeof text);
            drop_prime(text);
            list.full[k] = dal_arena_copy(arena, text, strlen(text));
        }
    }
    return list;
}

/* The only name of the list that begins with "owner.", or -1. */
static int only_one_of(const dal_labels *list, const char *owner)
{
    const size_t n = strlen(owner);
    int found = -1;
    for (int k = 0; k < list->n; k++)
        if (!strncmp(list->full[k], owner, n) && list->full[k][n] == '.') {
            if (found >= 0)
                return -1;
            found = k;
        }
    return found;
}

int dal_find_label(const dal_labels *list, const char *name)
{
    char bare[DAL_LABEL];
    for (int k = 0; k < list->n; k++)
        if (!strcmp(list->label[k], name))
            return k;
    for (int k = 0; k < list->n; k++)
        if (!strcmp(list->full[k], name))
            return k;
    int found = only_one_of(list, name);
    if (found >= 0 || strlen(name) >= sizeof bare || !list->rates)
        return found;
    strcpy(bare, name);
    drop_prime(bare);
    return strlen(bare) < strlen(name) ? dal_find_label(list, bare) : -1;
}
