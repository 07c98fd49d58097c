/* The list of force elements, and the three ways in which they act on bodies. */
#include "force/force.h"

#include "math/vec.h"

const dal_force_type *const dal_force_types[] = {&dal_force_gravity,
                                                 &dal_force_spring_damper,
                                                 &dal_force_torsional,
                                                 &dal_force_bushing,
                                                 &dal_force_point,
                                                 &dal_force_torque,
                                                 &dal_force_motor,
                                                 &dal_force_coordinate,
                                                 &dal_force_central,
                                                 &dal_force_end_stop,
                                                 &dal_force_clearance,
                                                 &dal_force_subsystem,
                                                 NULL};

#ifndef DAL_SCALAR_VARIANT
const dal_force_type *dal_force_type_find(const char *name)
{
    for (int i = 0; dal_force_types[i]; i++)
        if (!strcmp(dal_force_types[i]->name, name))
            return dal_force_types[i];
    return NULL;
}
#endif

void dal_push_point(dal_loads *loads, int vector, const dal_real force[3], bool works)
{
    dal_work *w = loads->work;
    int body = loads->layout->mechanism->vectors[vector].body;
    if (body == DAL_GROUND)
        return;
    if (works)
        dal_spend_on(loads, body, dal_dot(force, w->xd + 3 * vector));
    dal_real arm[3];
    dal_sub3(w->x + 3 * vector, w->kin[body].r, arm);
    dal_axpy3(1, force, w->force + 6 * body);
    dal_add_cross(arm, force, w->force + 6 * body + 3);
}

void dal_push_moment(dal_loads *loads, int body, const dal_real moment[3], bool works)
{
    if (body == DAL_GROUND)
        return;
    dal_axpy3(1, moment, loads->work->force + 6 * body + 3);
    if (works)
        dal_spend_on(loads, body, dal_dot(moment, loads->work->kin[body].w));
}

void dal_push_measure(dal_loads *loads, int number, dal_real effort, bool works)
{
    const dal_mechanism *m = loads->layout->mechanism;
    dal_work *w = loads->work;
    const dal_measure *measure = &m->measures[number];
    if (works)
        dal_spend_along(loads, number, effort * w->rate[number]);
    if (measure->kind == DAL_MEASURE_COORDINATE) {
        w->direct[loads->layout->own_v + measure->vector[0]] += effort;
        return;
    }
    for (int k = 0; k < 4; k++) {
        int vector = measure->vector[k];
        if (vector < 0 || m->vectors[vector].body == DAL_GROUND)
            continue;
        int body = m->vectors[vector].body;
        dal_real f[3] = {0, 0, 0}, arm[3];
        dal_axpy3(effort, w->gradient + 12 * number + 3 * k, f);
        dal_copy3(w->x + 3 * vector, arm);
        if (m->vectors[vector].point) {
            dal_sub3(arm, w->kin[body].r, arm);
            dal_axpy3(1, f, w->force + 6 * body);
        }
        dal_add_cross(arm, f, w->force + 6 * body + 3);
    }
}

void dal_loads_apply(dal_loads *loads, int n_groups, const dal_force_group *groups)
{
    for (int i = 0; i < 6 * loads->layout->mechanism->n_bodies; i++)
        loads->work->force[i] = 0;
    for (int i = 0; i < loads->layout->nv; i++)
        loads->work->direct[i] = 0;
    loads->potential = loads->power = 0;
    for (int i = 0; loads->island && i < 2 * loads->islands->n; i++)
        loads->island[i] = 0;
    for (int i = 0; i < n_groups; i++)
        dal_force_types[groups[i].type]->apply(loads, groups[i].n, groups[i].elements);
}
