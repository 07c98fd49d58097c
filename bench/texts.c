/* The models of the benchmarks as text: this program's language, MJCF, URDF. */
#include "models.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* ---- trees -------------------------------------------------------------------------- */

static const char *axis_of(char joint, const char *separator, char text[16])
{
    snprintf(text, 16, "%d%s%d%s%d", joint == 'x', separator, joint == 'y', separator, joint == 'z');
    return text;
}

/* Where the origin is while all joints are at zero. */
static void origin_of(const bench_tree *tree, int i, double at[3])
{
    at[0] = at[1] = at[2] = 0;
    for (; i >= 0; i = tree->body[i].parent)
        for (int k = 0; k < 3; k++)
            at[k] += tree->body[i].offset[k];
}

static void yaml_body(FILE *out, const bench_tree *tree, int i)
{
    const bench_body *b = &tree->body[i];
    double at[3];
    origin_of(tree, i, at);
    fprintf(out,
            "  b%d: {mass: %.17g, center: [%.17g, %.17g, %.17g],\n"
            "    inertia: [%.17g, %.17g, %.17g, %.17g, %.17g, %.17g], position: [%.17g, %.17g, %.17g], points: {",
            i, b->mass, b->center[0], b->center[1], b->center[2], b->inertia[0], b->inertia[1], b->inertia[2], b->inertia[3], b->inertia[4],
            b->inertia[5], at[0], at[1], at[2]);
    for (int j = i + 1, n = 0; j < tree->n_bodies; j++)
        if (tree->body[j].parent == i)
            fprintf(out, "%sP%d: [%.17g, %.17g, %.17g]", n++ ? ", " : "", j, tree->body[j].offset[0], tree->body[j].offset[1],
                    tree->body[j].offset[2]);
    fprintf(out, "}}\n");
}

char *bench_tree_yaml(const bench_tree *tree)
{
    char *text = NULL, axis[16];
    size_t size;
    FILE *out = open_memstream(&text, &size);
    if (!out)
        return NULL;
    fprintf(out, "dalembert: 1\nname: %s\nspace: spatial\ngravity: [0, 0, -9.81]\n", tree->name);
    if (tree->body[0].joint != 'f')
        fprintf(out, "ground: {points: {P0: [%.17g, %.17g, %.17g]}}\n", tree->body[0].offset[0], tree->body[0].offset[1], tree->body[0].offset[2]);
    fprintf(out, "bodies:\n");
    for (int i = 0; i < tree->n_bodies; i++)
        yaml_body(out, tree, i);
    fprintf(out, "joints:\n");
    for (int i = 0; i < tree->n_bodies; i++) {
        const bench_body *b = &tree->body[i];
        char parent[16] = "ground";
        if (b->joint == 'f')
            continue;
        if (b->parent >= 0)
            snprintf(parent, sizeof parent, "b%d", b->parent);
        fprintf(out, "  j%d: {type: revolute, connect: [%s.P%d, b%d], axis: [%s]}\n", i, parent, i, i, axis_of(b->joint, ", ", axis));
    }
    fprintf(out, "simulate: {until: 1, coordinates: joint}\n");
    fclose(out);
    return text;
}

/* Principal moments and axes (a quaternion), by Jacobi's turns about the axes: A := R^T A R until A is diagonal. MuJoCo's own reader of
 * full inertias is good to 1e-9 only. */
static void principal(const double inertia[6], double moment[3], double axes[4])
{
    double A[3][3] = {{inertia[0], inertia[3], inertia[4]}, {inertia[3], inertia[1], inertia[5]}, {inertia[4], inertia[5], inertia[2]}};
    double p[4] = {1, 0, 0, 0};
    for (int turn = 0; turn < 60; turn++) {
        const int k = turn % 3, i = (k + 1) % 3, j = (k + 2) % 3;
        const double angle = A[i][j] == 0 ? 0 : 0.5 * atan(2 * A[i][j] / (A[i][i] - A[j][j])); /* the small one: it converges */
        const double c = cos(angle), s = sin(angle), ch = cos(angle / 2), sh = sin(angle / 2);
        for (int m = 0; m < 3; m++) { /* A R: columns i and j */
            const double x = A[m][i], y = A[m][j];
            A[m][i] = c * x + s * y, A[m][j] = c * y - s * x;
        }
        for (int m = 0; m < 3; m++) { /* R^T (A R): rows */
            const double x = A[i][m], y = A[j][m];
            A[i][m] = c * x + s * y, A[j][m] = c * y - s * x;
        }
        const double w = p[0], a = p[1 + k], x = p[1 + i], y = p[1 + j]; /* p o (ch, sh e_k) */
        p[0] = w * ch - a * sh, p[1 + k] = a * ch + w * sh;
        p[1 + i] = x * ch + y * sh, p[1 + j] = y * ch - x * sh;
    }
    for (int k = 0; k < 3; k++)
        moment[k] = A[k][k];
    for (int k = 0; k < 4; k++)
        axes[k] = p[k];
}

static void mjcf_body(FILE *out, const bench_tree *tree, int i)
{
    const bench_body *b = &tree->body[i];
    char axis[16];
    double I[3], p[4];
    principal(b->inertia, I, p);
    fprintf(out, "<body name='b%d' pos='%.17g %.17g %.17g'>", i, b->offset[0], b->offset[1], b->offset[2]);
    if (b->joint == 'f')
        fprintf(out, "<freejoint/>");
    else
        fprintf(out, "<joint type='hinge' axis='%s'/>", axis_of(b->joint, " ", axis));
    fprintf(out, "<inertial pos='%.17g %.17g %.17g' quat='%.17g %.17g %.17g %.17g' mass='%.17g' diaginertia='%.17g %.17g %.17g'/>\n", b->center[0],
            b->center[1], b->center[2], p[0], p[1], p[2], p[3], b->mass, I[0], I[1], I[2]);
    for (int j = i + 1; j < tree->n_bodies; j++)
        if (tree->body[j].parent == i)
            mjcf_body(out, tree, j);
    fprintf(out, "</body>\n");
}

char *bench_tree_mjcf(const bench_tree *tree)
{
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    if (!out)
        return NULL;
    fprintf(out, "<mujoco model='%s'><compiler angle='radian' inertiafromgeom='false' boundmass='0' boundinertia='0'/>\n", tree->name);
    fprintf(out, "<option gravity='0 0 -9.81'/><worldbody>\n");
    mjcf_body(out, tree, 0);
    fprintf(out, "</worldbody></mujoco>\n");
    fclose(out);
    return text;
}

char *bench_tree_urdf(const bench_tree *tree)
{
    char *text = NULL, axis[16];
    size_t size;
    FILE *out = open_memstream(&text, &size);
    if (!out)
        return NULL;
    fprintf(out, "<?xml version='1.0'?>\n<robot name='%s'>\n<link name='world'/>\n", tree->name);
    for (int i = 0; i < tree->n_bodies; i++) {
        const bench_body *b = &tree->body[i];
        char parent[16] = "world";
        if (b->parent >= 0)
            snprintf(parent, sizeof parent, "b%d", b->parent);
        fprintf(out, "<link name='b%d'><inertial><origin xyz='%.17g %.17g %.17g'/><mass value='%.17g'/>", i, b->center[0], b->center[1], b->center[2],
                b->mass);
        fprintf(out, "<inertia ixx='%.17g' iyy='%.17g' izz='%.17g' ixy='%.17g' ixz='%.17g' iyz='%.17g'/></inertial></link>\n", b->inertia[0],
                b->inertia[1], b->inertia[2], b->inertia[3], b->inertia[4], b->inertia[5]);
        fprintf(out, "<joint name='j%d' type='%s'><parent link='%s'/><child link='b%d'/>", i, b->joint == 'f' ? "floating" : "continuous", parent, i);
        fprintf(out, "<origin xyz='%.17g %.17g %.17g'/>", b->offset[0], b->offset[1], b->offset[2]);
        if (b->joint != 'f')
            fprintf(out, "<axis xyz='%s'/>", axis_of(b->joint, " ", axis));
        fprintf(out, "</joint>\n");
    }
    fprintf(out, "</robot>\n");
    fclose(out);
    return text;
}

/* ---- four-bar linkages ------------------------------------------------------------------ */

char *bench_four_bars_yaml(int n, double angle)
{
    char *text = NULL;
    size_t size;
    const double x = -sin(angle), y = cos(angle); /* the end of a crank, from its pivot; its velocity is (y, -x): it turns with -1 */
    FILE *out = open_memstream(&text, &size);
    if (!out)
        return NULL;
    fprintf(out, "dalembert: 1\nname: %d four-bar linkages\nspace: planar\ngravity: [0, -9.81]\nground:\n  points:\n", n);
    for (int i = 0; i <= n; i++)
        fprintf(out, "    P%d: [%d, 0]\n", i, i);
    fprintf(out, "bodies:\n");
    for (int i = 0; i <= n; i++) {
        fprintf(out,
                "  c%d: {mass: 1, center: [0, 1/2], inertia: 1/12, position: [%d, 0], angle: %.17g, rate: -1,\n"
                "    points: {B: [0, 1]}}\n",
                i, i, angle);
        if (i < n)
            fprintf(out,
                    "  k%d: {mass: 1, center: [1/2, 0], inertia: 1/12, position: [%.17g, %.17g], velocity: [%.17g, %.17g],\n"
                    "    angle: 0, rate: 0, points: {R: [1, 0]}}\n",
                    i, i + x, y, y, -x);
    }
    fprintf(out, "joints:\n");
    for (int i = 0; i <= n; i++) {
        fprintf(out, "  p%d: {type: revolute, connect: [ground.P%d, c%d]}\n", i, i, i);
        if (i < n)
            fprintf(out, "  l%d: {type: revolute, connect: [c%d.B, k%d]}\n", i, i, i);
    }
    for (int i = 0; i < n; i++)
        fprintf(out, "  r%d: {type: revolute, connect: [k%d.R, c%d.B], cut: true}\n", i, i, i + 1);
    fprintf(out, "record: [p0.angle]\nsimulate: {until: 10, every: 1, rtol: 1e-9, atol: 1e-11, coordinates: joint}\n");
    fclose(out);
    return text;
}

/* Every loop is a `connect`: three soft equations, as stiff as its reader allows at this step. */
char *bench_four_bars_mjcf(int n, double step)
{
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    if (!out)
        return NULL;
    fprintf(out,
            "<mujoco><compiler angle='radian' inertiafromgeom='false'/><size njmax='%d' nconmax='1' nstack='40000000'/>\n"
            "<option gravity='0 -9.81 0' timestep='%.17g' integrator='RK4' tolerance='1e-14' iterations='200' solver='Newton'>"
            "<flag contact='disable'/></option><worldbody>\n",
            3 * n + 10, step);
    for (int i = 0; i <= n; i++) {
        fprintf(out, "<body name='c%d' pos='%d 0 0'><joint axis='0 0 1'/>", i, i);
        fprintf(out, "<inertial pos='0 .5 0' mass='1' diaginertia='%.17g 1e-4 %.17g'/>", 1 / 12.0, 1 / 12.0);
        if (i < n) {
            fprintf(out, "<body name='k%d' pos='0 1 0'><joint axis='0 0 1'/>", i);
            fprintf(out, "<inertial pos='.5 0 0' mass='1' diaginertia='1e-4 %.17g %.17g'/></body>", 1 / 12.0, 1 / 12.0);
        }
        fprintf(out, "</body>\n");
    }
    fprintf(out, "</worldbody><equality>\n");
    for (int i = 0; i < n; i++)
        fprintf(out, "<connect body1='k%d' body2='c%d' anchor='1 0 0' solref='%.17g 1' solimp='0.9999 0.9999 0.001'/>\n", i, i + 1, 4 * step);
    fprintf(out, "</equality></mujoco>\n");
    fclose(out);
    return text;
}
