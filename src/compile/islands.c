/* Islands: bodies that nothing connects with the others but the ground. A union of sets over everything that acts between bodies: joints,
 * rows, forces with two ends, laws, and coordinates of the model's own that move several bodies.
 */
#include "kinematics/placement.h"
#include "compile/build.h"
#include "joint/joint.h"
#include "model/acting.h"

typedef struct grouping {
    const dal_mechanism *mechanism;
    int *parent; /* of bodies, then of coordinates of the model's own */
} grouping;

static int root_of(grouping *g, int i)
{
    while (g->parent[i] != i)
        i = g->parent[i] = g->parent[g->parent[i]];
    return i;
}

/* -1: the ground, which connects nothing. Returns one of them. */
static int unite(grouping *g, int a, int b)
{
    if (a >= 0 && b >= 0)
        g->parent[root_of(g, b)] = root_of(g, a);
    return a >= 0 ? a : b;
}

/* One of the bodies that a measure is made of, -1 if it is made of the ground alone; with `united`, all of them are united. */
static int body_of_measure(grouping *g, int number, bool united)
{
    const dal_measure *measure = &g->mechanism->measures[number];
    int first = -1;
    if (measure->kind == DAL_MEASURE_COORDINATE)
        return g->mechanism->n_bodies + measure->vector[0];
    for (int k = 0; k < 4 && (united || first < 0); k++)
        if (measure->vector[k] >= 0)
            first = unite(g, first, g->mechanism->vectors[measure->vector[k]].body);
    return first;
}

static int unite_row(grouping *g, const dal_row *row)
{
    int first = -1;
    for (int k = 0; k < row->n_terms; k++)
        first = unite(g, first, body_of_measure(g, g->mechanism->terms[row->term + k].measure, true));
    return first;
}

/* A joint with its rows, which may contain further bodies. */
static int unite_joint(grouping *g, const dal_joint *joint)
{
    int first = -1;
    for (int k = 0; joint->type->class != DAL_JOINT_COUPLING && k < 2 + joint->n_further; k++)
        first = unite(g, first, joint->marker[k].body);
    for (int k = 0; k < joint->n_coordinates; k++)
        first = unite(g, first, body_of_measure(g, joint->coordinate[k], true));
    for (int i = joint->row; i < joint->row + joint->n_rows; i++)
        first = unite(g, first, unite_row(g, &g->mechanism->rows[i]));
    return first;
}

static void unite_forces(dal_build *build, grouping *g)
{
    for (int i = 0; i < build->spec->n_forces; i++) {
        const dal_force_spec *force = &build->spec->forces[i];
        dal_marker end[2];
        if (build->forces[i].measure >= 0)
            body_of_measure(g, build->forces[i].measure, true);
        if (force->connect.n == 2 && dal_build_marker(build, force->connect.item[0], &end[0], NULL) &&
            dal_build_marker(build, force->connect.item[1], &end[1], NULL))
            unite(g, end[0].body, end[1].body);
    }
    for (int i = 0; i < build->n_laws; i++)
        body_of_measure(g, build->laws[i].measure, true);
}

static void unite_placements(const dal_build *build, grouping *g)
{
    const dal_placement *placement = build->parts.placement;
    for (int b = 0; placement && b < placement->n_bodies; b++)
        for (int k = 0; k < placement->body[b].n_columns; k++)
            unite(g, b, g->mechanism->n_bodies + placement->column[placement->body[b].column + k]);
}

/* Islands are numbered in the order of their first bodies. Coordinates that move no body are in the first one. */
static int number_islands(grouping *g, int *island)
{
    const int bodies = g->mechanism->n_bodies;
    int n = 0;
    for (int i = 0; i < bodies + g->mechanism->n_coordinates; i++)
        island[i] = -1;
    for (int b = 0; b < bodies; b++)
        if (island[root_of(g, b)] < 0)
            island[root_of(g, b)] = n++;
    for (int i = 0; i < bodies + g->mechanism->n_coordinates; i++)
        island[i] = island[root_of(g, i)] < 0 ? 0 : island[root_of(g, i)];
    return n;
}

void dal_build_islands(dal_build *build, dal_islands *islands)
{
    const dal_mechanism *m = &build->mechanism;
    const int n = m->n_bodies + m->n_coordinates;
    grouping g = {m, DAL_NEW(build->arena, int, n)};
    int *first = DAL_NEW(build->arena, int, m->n_joints), *island = DAL_NEW(build->arena, int, n);
    for (int i = 0; i < n; i++)
        g.parent[i] = i;
    unite_placements(build, &g);
    for (int j = 0; j < m->n_joints; j++)
        first[j] = unite_joint(&g, &m->joints[j]);
    unite_forces(build, &g);
    islands->n = build->parts.systems ? 1 : number_islands(&g, island); /* what a sub-system acts on is one expression or many */
    if (islands->n == 1)
        return;
    islands->of_body = island;
    islands->of_joint = DAL_NEW(build->arena, int, m->n_joints);
    islands->of_row = DAL_NEW(build->arena, int, m->n_rows);
    islands->of_measure = DAL_NEW(build->arena, int, m->n_measures);
    for (int j = 0; j < m->n_joints; j++) {
        islands->of_joint[j] = first[j] < 0 ? 0 : island[first[j]];
        for (int i = m->joints[j].row; i < m->joints[j].row + m->joints[j].n_rows; i++)
            islands->of_row[i] = islands->of_joint[j];
    }
    for (int i = 0; i < m->n_measures; i++) {
        const int body = body_of_measure(&g, i, false);
        islands->of_measure[i] = body < 0 ? 0 : island[body];
    }
}
