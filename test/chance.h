/* Random mechanisms, written as models: bodies anywhere, joints between points and along directions of the world, so that every loop is
 * closed at the start. What is joined to what is up to the test. */
#ifndef DAL_TEST_CHANCE_H
#define DAL_TEST_CHANCE_H

#include "check.h"
#include "dalembert/base.h"

#include <stdbool.h>

enum { MOST_BODIES = 60, MOST_TEXT = 40000 };

typedef struct maker {
    uint64_t seed;
    bool flat;                                                                 /* a planar model */
    bool solid;                                                                /* every body has a mass, off its origin, and inertia about all axes */
    char text[MOST_TEXT], list[MOST_TEXT], points[MOST_BODIES + 1][MOST_TEXT]; /* list: the joints; points: of the ground, then of the bodies */
    int bodies, joints, ends;
    double r[MOST_BODIES][3], p[MOST_BODIES][4], R[MOST_BODIES][9]; /* columns of R: axes of the body */
} maker;

static inline double number(maker *m)
{
    return check_random(&m->seed);
}

static inline bool chance(maker *m, double probability)
{
    return (number(m) + 1) / 2 < probability;
}

static inline int pick(maker *m, int n)
{
    int k = (int)((number(m) + 1) / 2 * n);
    return k < n ? k : n - 1;
}

static inline void say(char text[MOST_TEXT], const char *format, ...) DAL_PRINTF(2, 3);

static inline void say(char text[MOST_TEXT], const char *format, ...)
{
    const size_t used = strlen(text);
    va_list list;
    va_start(list, format);
    int n = vsnprintf(text + used, MOST_TEXT - used, format, list);
    va_end(list);
    assert_true(n >= 0 && used + (size_t)n < MOST_TEXT);
}

static inline void random_unit(maker *m, double u[3])
{
    double size;
    do {
        size = 0;
        for (int i = 0; i < 3; i++) {
            u[i] = m->flat && i == 2 ? 0 : number(m);
            size += u[i] * u[i];
        }
    } while (size < 0.01);
    for (int i = 0; i < 3; i++)
        u[i] /= sqrt(size);
}

static inline void place_body(maker *m)
{
    int b = m->bodies++;
    double *p = m->p[b], size = 0;
    for (int i = 0; i < 4; i++) {
        p[i] = m->flat && (i == 1 || i == 2) ? 0 : m->flat && i == 0 ? 1 : number(m);
        size += p[i] * p[i];
    }
    for (int i = 0; i < 4; i++)
        p[i] /= sqrt(size);
    const double w = p[0], x = p[1], y = p[2], z = p[3];
    const double R[9] = {1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y), 2 * (x * y + w * z),    1 - 2 * (x * x + z * z),
                         2 * (y * z - w * x),     2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)};
    memcpy(m->R[b], R, sizeof R);
    for (int i = 0; i < 3; i++)
        m->r[b][i] = m->flat && i == 2 ? 0 : number(m);
}

/* The angle of a body of a planar model, -1: the ground. */
static inline double angle_of(const maker *m, int b)
{
    return b < 0 ? 0 : atan2(m->R[b][3], m->R[b][0]);
}

static inline void say_vector(const maker *m, char text[MOST_TEXT], const double x[3])
{
    if (m->flat)
        say(text, "[%.17g, %.17g]", x[0], x[1]);
    else
        say(text, "[%.17g, %.17g, %.17g]", x[0], x[1], x[2]);
}

/* A flywheel, a thin rod or nothing at all; `solid`: always something, and its centre of mass is not its origin. */
static inline void say_body(maker *m, int b)
{
    static const char *const inertias[] = {"1.3, inertia: [0.21, 0.34, 0.27]", "0.9, inertia: [0, 0.3, 0.3]", "0, inertia: [0, 0, 0]"};
    const double *r = m->r[b], *p = m->p[b];
    say(m->text, "  b%d: {mass: ", b);
    if (m->solid) {
        double c[3];
        for (int i = 0; i < 3; i++)
            c[i] = 0.2 * number(m);
        say(m->text, "%.17g, center: ", 1.3 + 0.9 * number(m));
        say_vector(m, m->text, c);
        const double inertia = 0.3 + 0.1 * number(m);
        if (m->flat)
            say(m->text, ", inertia: %.17g", inertia);
        else
            say(m->text, ", inertia: {xx: 0.31, yy: %.17g, zz: 0.37, xy: 0.04, xz: -0.03, yz: 0.02}", inertia);
    } else
        say(m->text, "%s", inertias[chance(m, 0.65) ? 0 : chance(m, 0.5) ? 1 : 2]);
    say(m->text, ", position: ");
    say_vector(m, m->text, r);
    if (m->flat)
        say(m->text, ", angle: %.17g", angle_of(m, b));
    else
        say(m->text, ", orientation: {quaternion: {w: %.17g, x: %.17g, y: %.17g, z: %.17g}}", p[0], p[1], p[2], p[3]);
    say(m->text, ", points: {%s}}\n", m->points[b + 1]);
}

/* A point (or a direction) of the world in the axes of body b, -1: the ground. */
static inline void in_body(const maker *m, int b, bool point, const double x[3], double out[3])
{
    for (int i = 0; i < 3; i++) {
        out[i] = b < 0 ? x[i] : 0;
        for (int k = 0; k < 3 && b >= 0; k++)
            out[i] += m->R[b][3 * k + i] * (x[k] - (point ? m->r[b][k] : 0));
    }
}

/* One entry of `connect:`: a body and a point of its own. */
static inline void say_end(maker *m, int b, const double at[3])
{
    double s[3];
    in_body(m, b, true, at, s);
    say(m->points[b + 1], "%sp%d: ", m->points[b + 1][0] ? ", " : "", m->ends);
    say_vector(m, m->points[b + 1], s);
    if (b < 0)
        say(m->list, "ground.p%d", m->ends++);
    else
        say(m->list, "b%d.p%d", b, m->ends++);
}

/* A key of a joint with a direction of the world, written in the axes of body b. */
static inline void say_direction(maker *m, const char *key, int b, const double direction[3])
{
    double u[3];
    in_body(m, b, false, direction, u);
    say(m->list, "%s", key);
    say_vector(m, m->list, u);
}

/* A joint at a point of the world, its axes directions of the world, one in each body; second axis NULL: one key in the first body alone. */
static inline void add_axes_joint(maker *m, const char *type, int a, int b, const double at[3], const double at_b[3], const double *axis,
                                  const double *axis_b, const char *more)
{
    say(m->list, "  j%d: {type: %s, connect: [", m->joints++, type);
    say_end(m, a, at);
    say(m->list, ", ");
    say_end(m, b, at_b);
    say(m->list, "]");
    if (axis && axis_b) {
        say_direction(m, ", axis: [", a, axis);
        say_direction(m, ", ", b, axis_b);
        say(m->list, "]");
    } else if (axis)
        say_direction(m, ", axis: ", a, axis);
    say(m->list, "%s}\n", more);
}

/* The same, one axis for both. */
static inline void add_joint(maker *m, const char *type, int a, int b, const double at[3], const double at_b[3], const double *axis)
{
    add_axes_joint(m, type, a, b, at, at_b, axis, strcmp(type, "point-on-plane") ? axis : NULL, "");
}

#endif
