/* Fewer triangles for pictures, by clusters of vertices (Rossignac and Borrel 1993): a grid of n cells along the longest edge of the box about the mesh;
 * the vertices of a cell become one, their mean, and triangles that lose a corner are dropped. n is reduced until the number of triangles is within
 * the limit.
 */
#include "spec/mesh.h"

#include <math.h>
#include <string.h>

enum { FINEST = 512 }; /* cells along an edge: 27 bits, nine for each direction, identify a cell */

typedef struct clusters {
    const dal_mesh *mesh;
    double low[3], edge;                /* of the box */
    size_t n_slots;                     /* a power of two, twice the vertices or more */
    uint32_t *slot_cell, *slot_cluster; /* slot_cluster 0: free */
    uint32_t *of_vertex;                /* its cluster */
    int n;                              /* clusters */
} clusters;

static void measure(clusters *c)
{
    double high[3];
    for (int k = 0; k < 3; k++)
        c->low[k] = high[k] = c->mesh->vertices[k];
    for (size_t i = 0; i < 3 * (size_t)c->mesh->n_vertices; i++) {
        c->low[i % 3] = fmin(c->low[i % 3], c->mesh->vertices[i]);
        high[i % 3] = fmax(high[i % 3], c->mesh->vertices[i]);
    }
    for (int k = 0; k < 3; k++)
        c->edge = fmax(c->edge, high[k] - c->low[k]);
}

static uint32_t cell_of(const clusters *c, const double *x, int cells)
{
    uint32_t cell = 0;
    for (int k = 0; k < 3; k++) {
        const double at = c->edge > 0 ? (x[k] - c->low[k]) / c->edge * cells : 0;
        cell = cell * FINEST + (at < cells - 1 ? (uint32_t)at : (uint32_t)cells - 1);
    }
    return cell;
}

static void gather_clusters(clusters *c, int cells)
{
    memset(c->slot_cluster, 0, c->n_slots * sizeof *c->slot_cluster);
    c->n = 0;
    for (int v = 0; v < c->mesh->n_vertices; v++) {
        const uint32_t cell = cell_of(c, c->mesh->vertices + 3 * (size_t)v, cells);
        size_t slot = (cell * 2654435761u) & (c->n_slots - 1);
        while (c->slot_cluster[slot] && c->slot_cell[slot] != cell)
            slot = (slot + 1) & (c->n_slots - 1);
        if (!c->slot_cluster[slot]) {
            c->slot_cell[slot] = cell;
            c->slot_cluster[slot] = (uint32_t)++c->n;
        }
        c->of_vertex[v] = c->slot_cluster[slot] - 1;
    }
}

/* Does a triangle keep three corners? */
static bool stays(const clusters *c, const uint32_t *corner)
{
    const uint32_t a = c->of_vertex[corner[0]], b = c->of_vertex[corner[1]], d = c->of_vertex[corner[2]];
    return a != b && b != d && a != d;
}

static int count_triangles(const clusters *c)
{
    int n = 0;
    for (int t = 0; t < c->mesh->n_triangles; t++)
        n += stays(c, c->mesh->triangles + 3 * (size_t)t);
    return n;
}

static void build_reduced(dal_arena *arena, const clusters *c, int n_triangles, dal_mesh *out)
{
    double *sum = dal_arena_alloc(arena, 4 * (size_t)c->n * sizeof *sum);
    memset(sum, 0, 4 * (size_t)c->n * sizeof *sum);
    for (int v = 0; v < c->mesh->n_vertices; v++) {
        double *s = sum + 4 * (size_t)c->of_vertex[v];
        for (int k = 0; k < 3; k++)
            s[k] += c->mesh->vertices[3 * (size_t)v + (size_t)k];
        s[3]++;
    }
    *out = (dal_mesh){.vertices = dal_arena_alloc(arena, 3 * (size_t)c->n * sizeof *out->vertices),
                      .triangles = dal_arena_alloc(arena, 3 * (size_t)n_triangles * sizeof *out->triangles),
                      .n_vertices = c->n};
    for (size_t i = 0; i < 3 * (size_t)c->n; i++)
        out->vertices[i] = sum[4 * (i / 3) + i % 3] / sum[4 * (i / 3) + 3];
    for (int t = 0; t < c->mesh->n_triangles; t++) {
        const uint32_t *corner = c->mesh->triangles + 3 * (size_t)t;
        if (!stays(c, corner))
            continue;
        for (int k = 0; k < 3; k++)
            out->triangles[3 * (size_t)out->n_triangles + (size_t)k] = c->of_vertex[corner[k]];
        out->n_triangles++;
    }
}

void dal_mesh_reduce(dal_arena *arena, dal_mesh *mesh, int most)
{
    clusters c = {.mesh = mesh, .n_slots = 16};
    dal_mesh reduced;
    if (mesh->n_triangles <= most)
        return;
    while (c.n_slots < 2 * (size_t)mesh->n_vertices)
        c.n_slots *= 2;
    c.slot_cell = dal_arena_alloc(arena, c.n_slots * sizeof *c.slot_cell);
    c.slot_cluster = dal_arena_alloc(arena, c.n_slots * sizeof *c.slot_cluster);
    c.of_vertex = dal_arena_alloc(arena, (size_t)mesh->n_vertices * sizeof *c.of_vertex);
    measure(&c);
    int n = mesh->n_triangles;
    for (int cells = FINEST; n > most && cells >= 1; cells = cells * 4 / 5) { /* one cell: nothing is left */
        gather_clusters(&c, cells);
        n = count_triangles(&c);
    }
    build_reduced(arena, &c, n, &reduced);
    *mesh = reduced;
}
