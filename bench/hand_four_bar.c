#include "hand_four_bar.h"

#include <math.h>
#include <string.h>

enum { BARS = 3, JOINTS = 4 };

static const double length = 4, half = 2, mass = 3, inertia = 4.04, gravity = 9.81;

/* A block of two rows and two columns, by rows. */
typedef struct block {
    double a, b, c, d;
} block;

/* x := S^-1 x, S symmetric and tridiagonal in blocks: S[j] on the diagonal, U[j] right of it. */
static inline void solve_blocks(block *S, const block *U, double *x)
{
    block inverse[JOINTS];
    for (int j = 0; j < JOINTS; j++) {
        const double det = 1 / (S[j].a * S[j].d - S[j].b * S[j].c);
        const block i = inverse[j] = (block){S[j].d * det, -S[j].b * det, -S[j].c * det, S[j].a * det};
        if (j + 1 == JOINTS)
            break;
        const block u = U[j];
        const block w = {u.a * i.a + u.c * i.c, u.a * i.b + u.c * i.d, u.b * i.a + u.d * i.c, u.b * i.b + u.d * i.d};
        S[j + 1].a -= w.a * u.a + w.b * u.c;
        S[j + 1].b -= w.a * u.b + w.b * u.d;
        S[j + 1].c -= w.c * u.a + w.d * u.c;
        S[j + 1].d -= w.c * u.b + w.d * u.d;
        x[2 * j + 2] -= w.a * x[2 * j] + w.b * x[2 * j + 1];
        x[2 * j + 3] -= w.c * x[2 * j] + w.d * x[2 * j + 1];
    }
    for (int j = JOINTS - 1; j >= 0; j--) {
        double p = x[2 * j], q = x[2 * j + 1];
        if (j + 1 < JOINTS) {
            p -= U[j].a * x[2 * j + 2] + U[j].b * x[2 * j + 3];
            q -= U[j].c * x[2 * j + 2] + U[j].d * x[2 * j + 3];
        }
        x[2 * j] = inverse[j].a * p + inverse[j].b * q;
        x[2 * j + 1] = inverse[j].c * p + inverse[j].d * q;
    }
}

/* q = (x, y, angle) of each bar; A M^-1 A^T lambda = gamma - A M^-1 Q joint by joint. */
static void angle_lagrange(const double *restrict y, double *restrict f)
{
    double dx[BARS], dy[BARS], c[BARS], s[BARS], x[2 * JOINTS];
    const double im = 1 / mass, ii = 1 / inertia;
    block S[JOINTS], U[BARS];
    memcpy(f, y + 9, 9 * sizeof *f);
    for (int b = 0; b < BARS; b++) {
        sincos(y[3 * b + 2], &s[b], &c[b]);
        dx[b] = -half * s[b];
        dy[b] = half * c[b];
    }
    for (int j = 0; j < JOINTS; j++) {
        double gx = 0, gy = 0;
        S[j] = (block){0};
        for (int b = j > 0 ? j - 1 : 0; b <= j && b < BARS; b++) {
            const double w2 = y[11 + 3 * b] * y[11 + 3 * b] * half;
            S[j].a += im + ii * dx[b] * dx[b];
            S[j].b += ii * dx[b] * dy[b];
            S[j].d += im + ii * dy[b] * dy[b];
            gx += w2 * c[b];
            gy += w2 * s[b] + (b == j ? -gravity : gravity);
        }
        S[j].c = S[j].b;
        x[2 * j] = -gx;
        x[2 * j + 1] = -gy;
        if (j < BARS) {
            const double cross = ii * dx[j] * dy[j];
            U[j] = (block){ii * dx[j] * dx[j] - im, cross, cross, ii * dy[j] * dy[j] - im};
        }
    }
    solve_blocks(S, U, x);
    for (int b = 0; b < BARS; b++) {
        const double tx = -(x[2 * b] + x[2 * b + 2]), ty = -(x[2 * b + 1] + x[2 * b + 3]);
        f[9 + 3 * b] = im * (x[2 * b] - x[2 * b + 2]);
        f[10 + 3 * b] = im * (x[2 * b + 1] - x[2 * b + 3]) - gravity;
        f[11 + 3 * b] = ii * (dx[b] * tx + dy[b] * ty);
    }
}

/* ---- Kane: the rate of the first bar is the speed ----------------------------------------------- */

/* B_b u are the rates of the bars, bias_b their accelerations for u' = 0; sum of (c_b, s_b) is fixed. */
static inline void find_rates(const double *c, const double *s, double u, double *B, double *w, double *bias)
{
    const double det = 1 / (s[2] * c[1] - s[1] * c[2]);
    double rx = 0, ry = 0;
    B[0] = 1;
    B[1] = (s[0] * c[2] - s[2] * c[0]) * det;
    B[2] = (s[1] * c[0] - s[0] * c[1]) * det;
    for (int b = 0; b < BARS; b++) {
        w[b] = B[b] * u;
        rx += w[b] * w[b] * c[b];
        ry += w[b] * w[b] * s[b];
    }
    bias[0] = 0;
    bias[1] = (rx * c[2] + ry * s[2]) * det;
    bias[2] = -(s[1] * ry + c[1] * rx) * det;
}

/* u'; p: partial velocities of the centres. */
static inline double find_speed_rate(const double *c, const double *s, const double *B, const double *w, const double *bias, double *p)
{
    double ex = 0, ey = 0, ax = 0, ay = 0, force = 0, weight = 0;
    for (int b = 0; b < BARS; b++) {
        const double w2 = w[b] * w[b], px = ex - half * s[b] * B[b], py = ey + half * c[b] * B[b];
        const double qx = ax - half * (s[b] * bias[b] + c[b] * w2), qy = ay + half * (c[b] * bias[b] - s[b] * w2);
        p[2 * b] = px;
        p[2 * b + 1] = py;
        weight += mass * (px * px + py * py) + inertia * B[b] * B[b];
        force += mass * (-px * qx - py * (gravity + qy)) - inertia * B[b] * bias[b];
        ex -= length * s[b] * B[b];
        ey += length * c[b] * B[b];
        ax -= length * (s[b] * bias[b] + c[b] * w2);
        ay += length * (c[b] * bias[b] - s[b] * w2);
    }
    return force / weight;
}

static void angle_kane(const double *restrict y, double *restrict f)
{
    double c[BARS], s[BARS], B[BARS], w[BARS], bias[BARS], p[2 * BARS];
    for (int b = 0; b < BARS; b++)
        sincos(y[3 * b + 2], &s[b], &c[b]);
    find_rates(c, s, y[9], B, w, bias);
    f[9] = find_speed_rate(c, s, B, w, bias, p);
    for (int b = 0; b < BARS; b++) {
        f[3 * b] = p[2 * b] * y[9];
        f[3 * b + 1] = p[2 * b + 1] * y[9];
        f[3 * b + 2] = w[b];
    }
}

static void joint_kane(const double *restrict y, double *restrict f)
{
    double c[BARS], s[BARS], B[BARS], w[BARS], bias[BARS], p[2 * BARS], angle = 0;
    for (int b = 0; b < BARS; b++) {
        angle += y[b];
        sincos(angle, &s[b], &c[b]);
    }
    find_rates(c, s, y[3], B, w, bias);
    f[3] = find_speed_rate(c, s, B, w, bias, p);
    f[0] = w[0];
    f[1] = w[1] - w[0];
    f[2] = w[2] - w[1];
}

static void natural_kane(const double *restrict y, double *restrict f)
{
    double c[BARS], s[BARS], B[BARS], w[BARS], bias[BARS], p[2 * BARS];
    for (int b = 0; b < BARS; b++) {
        c[b] = y[6 * b + 2];
        s[b] = y[6 * b + 3];
    }
    find_rates(c, s, y[18], B, w, bias);
    f[18] = find_speed_rate(c, s, B, w, bias, p);
    for (int b = 0; b < BARS; b++) {
        const double *q = y + 6 * b;
        double *to = f + 6 * b;
        to[0] = p[2 * b] * y[18], to[1] = p[2 * b + 1] * y[18];
        to[2] = -w[b] * q[3], to[3] = w[b] * q[2];
        to[4] = -w[b] * q[5], to[5] = w[b] * q[4];
    }
}

/* ---- Lagrange on the joints: three relative angles, two rows --------------------------------------- */

static void joint_lagrange(const double *restrict y, double *restrict f)
{
    const double k01 = mass * (half * length + length * length), k2 = mass * half * length, d0 = inertia + mass * (half * half + 2 * length * length),
                 d1 = inertia + mass * (half * half + length * length), d2 = inertia + mass * half * half;
    double c[BARS], s[BARS], w[BARS], angle = 0, rate = 0;
    for (int b = 0; b < BARS; b++) {
        angle += y[b];
        rate += y[3 + b];
        sincos(angle, &s[b], &c[b]);
        w[b] = rate * rate;
        f[b] = y[3 + b];
    }
    const double s01 = s[0] * c[1] - c[0] * s[1], s02 = s[0] * c[2] - c[0] * s[2], s12 = s[1] * c[2] - c[1] * s[2];
    const double m01 = k01 * (c[0] * c[1] + s[0] * s[1]), m02 = k2 * (c[0] * c[2] + s[0] * s[2]), m12 = k2 * (c[1] * c[2] + s[1] * s[2]);
    const double l10 = m01 / d0, e1 = d1 - l10 * m01, l20 = m02 / d0, r12 = m12 - l20 * m01, l21 = r12 / e1, e2 = d2 - l20 * m02 - l21 * r12;
    const double i0 = 1 / d0, i1 = 1 / e1, i2 = 1 / e2;
    double X[3][3] = {{-(k01 * s01 * w[1] + k2 * s02 * w[2]) - mass * gravity * (half + 2 * length) * c[0],
                       k01 * s01 * w[0] - k2 * s12 * w[2] - mass * gravity * (half + length) * c[1],
                       k2 * s02 * w[0] + k2 * s12 * w[1] - mass * gravity * half * c[2]},
                      {-s[0], -s[1], -s[2]},
                      {c[0], c[1], c[2]}};
    double g11 = 0, g12 = 0, g22 = 0, bx = 0, by = 0, a[BARS];
    for (int k = 0; k < 3; k++) {
        double *x = X[k];
        x[1] -= l10 * x[0];
        x[2] -= l20 * x[0] + l21 * x[1];
        x[0] *= i0, x[1] *= i1, x[2] *= i2;
        x[1] -= l21 * x[2];
        x[0] -= l10 * x[1] + l20 * x[2];
    }
    for (int b = 0; b < BARS; b++) {
        g11 -= s[b] * X[1][b];
        g12 -= s[b] * X[2][b];
        g22 += c[b] * X[2][b];
        bx += w[b] * c[b] + s[b] * X[0][b];
        by += w[b] * s[b] - c[b] * X[0][b];
    }
    const double det = 1 / (g11 * g22 - g12 * g12), lx = (g22 * bx - g12 * by) * det, ly = (g11 * by - g12 * bx) * det;
    for (int b = 0; b < BARS; b++)
        a[b] = X[0][b] + lx * X[1][b] + ly * X[2][b];
    f[3] = a[0];
    f[4] = a[1] - a[0];
    f[5] = a[2] - a[1];
}

/* ---- states --------------------------------------------------------------------------------------- */

hand_function *hand_four_bar(const char *family, const char *formulation)
{
    static const struct {
        const char *family, *formulation;
        hand_function *call;
    } all[] = {{"angle", "lagrange", angle_lagrange},  {"angle", "kane", angle_kane}, {"joint", "lagrange", joint_lagrange},
               {"joint", "recursive", joint_lagrange}, {"joint", "kane", joint_kane}, {"natural", "kane", natural_kane}};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        if (!strcmp(all[i].family, family) && !strcmp(all[i].formulation, formulation))
            return all[i].call;
    return NULL;
}

void hand_state(const char *family, const char *formulation, int j, double *y)
{
    const double first = -0.785398 + 0.05 * j, rate = 0.3 + 0.02 * j, angle[BARS] = {first, 0, first + 3.14159265358979}, w[BARS] = {rate, 0, rate};
    const int n = *family == 'a' ? 9 : *family == 'j' ? 3 : 18;
    double ex = 0, ey = 0;
    for (int b = 0; b < BARS; b++) {
        const double c = cos(angle[b]), s = sin(angle[b]);
        if (*family == 'a')
            y[3 * b] = ex + half * c, y[3 * b + 1] = ey + half * s, y[3 * b + 2] = angle[b], y[11 + 3 * b] = w[b];
        else if (*family == 'j')
            y[b] = b ? angle[b] - angle[b - 1] : angle[b], y[3 + b] = b ? w[b] - w[b - 1] : w[b];
        else
            y[6 * b] = ex + half * c, y[6 * b + 1] = ey + half * s, y[6 * b + 2] = c, y[6 * b + 3] = s, y[6 * b + 4] = -s, y[6 * b + 5] = c;
        ex += length * c;
        ey += length * s;
    }
    if (!strcmp(formulation, "kane"))
        y[n] = rate;
}
