/* Bodies and states of the benchmark's trees, and the motion of the four-bar linkages. */
#include "models.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_BODIES = 100000 };

/* ---- bodies ------------------------------------------------------------------------ */

static bench_body *add(bench_tree *tree, int parent, char joint, double x, double y, double z)
{
    bench_body *body = &tree->body[tree->n_bodies++];
    *body = (bench_body){.parent = parent, .joint = joint, .offset = {x, y, z}};
    tree->nq += joint == 'f' ? 7 : 1;
    tree->nv += joint == 'f' ? 6 : 1;
    return body;
}

/* Cylinders along x in a chain; axes y, z, y, ... */
static void chain(bench_tree *tree, int n)
{
    const double m = 0.5, length = 0.2, radius = 0.02, across = m * (3 * radius * radius + length * length) / 12;
    for (int i = 0; i < n; i++) {
        bench_body *body = add(tree, i - 1, i % 2 ? 'z' : 'y', i ? length : 0, 0, 0);
        body->mass = m;
        body->center[0] = length / 2;
        body->inertia[0] = m * radius * radius / 2;
        body->inertia[1] = body->inertia[2] = across;
    }
}

/* A robot of seven axes; its inertias have products. */
static void arm(bench_tree *tree)
{
    static const double z[7] = {0.1575, 0.2025, 0.2045, 0.2155, 0.1845, 0.2155, 0.081}, mass[7] = {4, 4, 3, 2.7, 1.7, 1.8, 0.3};
    static const double shape[6] = {0.020, 0.022, 0.008, 0.001, -0.0015, 0.002};
    for (int i = 0; i < 7; i++) {
        bench_body *body = add(tree, i - 1, i % 2 ? 'y' : 'z', 0, 0, z[i]);
        body->mass = mass[i];
        body->center[0] = i % 2 ? -0.01 : 0.01;
        body->center[1] = 0.03 * sin(i + 1);
        body->center[2] = 0.06;
        for (int k = 0; k < 6; k++)
            body->inertia[k] = mass[i] * shape[k];
    }
}

/* Mass, centre and edges of a box. */
static int box(bench_tree *tree, bench_body *body, double mass, double cx, double cy, double cz, double x, double y, double z)
{
    body->mass = mass;
    body->center[0] = cx, body->center[1] = cy, body->center[2] = cz;
    body->inertia[0] = mass * (y * y + z * z) / 12;
    body->inertia[1] = mass * (x * x + z * z) / 12;
    body->inertia[2] = mass * (x * x + y * y) / 12;
    return tree->n_bodies - 1;
}

/* side: +1 left, -1 right. */
static void leg(bench_tree *t, int pelvis, double side)
{
    int h = box(t, add(t, pelvis, 'z', 0, 0.10 * side, -0.05), 1.0, 0, 0, 0, 0.08, 0.08, 0.08);
    h = box(t, add(t, h, 'x', 0, 0, 0), 1.0, 0, 0, 0, 0.08, 0.08, 0.08);
    h = box(t, add(t, h, 'y', 0, 0, 0), 6.0, 0.01, 0.01 * side, -0.18, 0.12, 0.12, 0.40);
    h = box(t, add(t, h, 'y', 0, 0, -0.40), 3.5, 0, 0, -0.17, 0.09, 0.09, 0.40);
    h = box(t, add(t, h, 'y', 0, 0, -0.40), 0.5, 0, 0, 0, 0.06, 0.06, 0.06);
    box(t, add(t, h, 'x', 0, 0, 0), 1.2, 0.04, 0, -0.04, 0.24, 0.10, 0.05);
}

static void upper_limb(bench_tree *t, int chest, double side)
{
    int h = box(t, add(t, chest, 'y', 0, 0.20 * side, 0.38), 0.8, 0, 0, 0, 0.07, 0.07, 0.07);
    h = box(t, add(t, h, 'x', 0, 0, 0), 0.8, 0, 0, 0, 0.07, 0.07, 0.07);
    h = box(t, add(t, h, 'z', 0, 0, 0), 2.0, 0, 0.005 * side, -0.13, 0.08, 0.08, 0.28);
    box(t, add(t, h, 'y', 0, 0, -0.28), 1.5, 0, 0, -0.14, 0.06, 0.06, 0.30);
}

/* A free pelvis, legs of six joints, a waist of two, arms of four, a neck of two. */
static void humanoid(bench_tree *t)
{
    int pelvis = box(t, add(t, -1, 'f', 0, 0, 0), 10.0, 0, 0, 0.02, 0.20, 0.30, 0.15);
    leg(t, pelvis, 1);
    leg(t, pelvis, -1);
    int waist = box(t, add(t, pelvis, 'z', 0, 0, 0.10), 2.0, 0, 0, 0.02, 0.15, 0.20, 0.08);
    int chest = box(t, add(t, waist, 'y', 0, 0, 0.05), 15.0, 0.01, 0, 0.20, 0.20, 0.35, 0.45);
    upper_limb(t, chest, 1);
    upper_limb(t, chest, -1);
    int neck = box(t, add(t, chest, 'z', 0, 0, 0.48), 0.5, 0, 0, 0.02, 0.06, 0.06, 0.06);
    box(t, add(t, neck, 'y', 0, 0, 0.06), 4.0, 0.01, 0, 0.10, 0.18, 0.15, 0.24);
}

/* ---- states -------------------------------------------------------------------------- */

static void free_state(double *q, double *v, double *tau)
{
    static const double place[7] = {0.1, -0.2, 0.9, 0.9, 0.1, -0.2, 0.3};
    static const double velocity[6] = {0.2, 0.1, -0.3, 0.3, -0.2, 0.1}, force[6] = {1, -2, 300, 0.5, -0.3, 0.2};
    const double norm = sqrt(0.9 * 0.9 + 0.1 * 0.1 + 0.2 * 0.2 + 0.3 * 0.3);
    for (int k = 0; k < 7; k++)
        q[k] = k < 3 ? place[k] : place[k] / norm;
    memcpy(v, velocity, sizeof velocity);
    memcpy(tau, force, sizeof force);
}

/* j counts the revolute joints. */
static void set_state(bench_tree *tree, double torque)
{
    double *q = tree->q, *v = tree->v, *tau = tree->tau;
    for (int i = 0, j = 0; i < tree->n_bodies; i++) {
        if (tree->body[i].joint == 'f') {
            free_state(q, v, tau);
            q += 7, v += 6, tau += 6;
            continue;
        }
        j++;
        *q++ = 0.4 * sin(0.9 * j);
        *v++ = 0.5 * cos(1.3 * j);
        *tau++ = torque * sin(0.4 * j + 0.2);
    }
}

/* ---- trees ----------------------------------------------------------------------------- */

void bench_tree_free(bench_tree *tree)
{
    if (!tree)
        return;
    free(tree->body), free(tree->q), free(tree->v), free(tree->tau);
    free(tree);
}

bench_tree *bench_tree_create(const char *name)
{
    bench_tree *tree = calloc(1, sizeof *tree);
    int links = strncmp(name, "chain", 5) ? 0 : atoi(name + 5);
    int bodies = links > 0 && links <= MOST_BODIES ? links : !strcmp(name, "arm7") ? 7 : !strcmp(name, "humanoid30") ? 25 : 0;
    if (!tree || !bodies || !(tree->body = calloc((size_t)bodies, sizeof *tree->body))) {
        bench_tree_free(tree);
        return NULL;
    }
    snprintf(tree->name, sizeof tree->name, "%s", name);
    if (links)
        chain(tree, links);
    else if (bodies == 7)
        arm(tree);
    else
        humanoid(tree);
    tree->q = calloc((size_t)tree->nq, sizeof(double));
    tree->v = calloc((size_t)tree->nv, sizeof(double));
    tree->tau = calloc((size_t)tree->nv, sizeof(double));
    if (!tree->q || !tree->v || !tree->tau) {
        bench_tree_free(tree);
        return NULL;
    }
    set_state(tree, links ? 0.1 : 2);
    return tree;
}

/* ---- four-bar linkages --------------------------------------------------------------------- */

static double stiffness(int n)
{
    return 9.81 * ((n + 1) / 2.0 + n) / ((n + 1) / 3.0 + n);
}

double bench_four_bars_acceleration(int n, double angle)
{
    return stiffness(n) * sin(angle);
}

/* One step of a'' = k s by the Taylor series of a, s = sin a and c = cos a: s' = a' c, c' = -a' s. */
static void taylor_step(long double k, long double h, long double *angle, long double *rate)
{
    enum { ORDER = 24 };
    long double a[ORDER + 1] = {*angle, *rate}, s[ORDER] = {sinl(*angle)}, c[ORDER] = {cosl(*angle)};
    for (int i = 1; i < ORDER; i++) {
        for (int j = 1; j <= i; j++) {
            s[i] += j * a[j] * c[i - j] / i;
            c[i] -= j * a[j] * s[i - j] / i;
        }
        a[i + 1] = k * s[i - 1] / (i * (i + 1));
    }
    *angle = *rate = 0;
    for (int i = ORDER; i >= 0; i--) {
        *angle = *angle * h + a[i];
        if (i > 0)
            *rate = *rate * h + i * a[i];
    }
}

double bench_four_bars_angle(int n, double t)
{
    const int steps = (int)ceil(t / 0.01);
    long double angle = 0, rate = -1;
    for (int i = 0; i < steps; i++)
        taylor_step((long double)stiffness(n), (long double)t / steps, &angle, &rate);
    return (double)angle;
}
