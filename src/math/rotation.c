/* Attitudes as constants. Formulas are the textbook ones (Shuster 1993 for the
 * twelve sequences: a sequence abc with c == a is a proper Euler sequence). */
#include "math/rotation.h"

#include "math/vec.h"

#include <math.h>
#include <string.h>

void dal_rotation_identity(double R[9])
{
    static const double one[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
    memcpy(R, one, sizeof one);
}

void dal_rotation_elementary(int axis, double angle, double R[9])
{
    int i = (axis + 1) % 3, j = (axis + 2) % 3;
    double c = cos(angle), s = sin(angle);
    dal_rotation_identity(R);
    R[3 * i + i] = R[3 * j + j] = c;
    R[3 * j + i] = s;
    R[3 * i + j] = -s;
}

/* R = 1 + sin a [n x] + (1 - cos a) [n x]^2 */
void dal_rotation_axis(const double n[3], double angle, double R[9])
{
    double s = sin(angle), c = cos(angle), d = 2 * sin(angle / 2) * sin(angle / 2);
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            R[3 * i + j] = d * n[i] * n[j] + (i == j ? c : 0);
    R[1] -= s * n[2], R[3] += s * n[2];
    R[2] += s * n[1], R[6] -= s * n[1];
    R[5] -= s * n[0], R[7] += s * n[0];
}

void dal_rotation_vector(const double w[3], double R[9])
{
    double angle = sqrt(w[0] * w[0] + w[1] * w[1] + w[2] * w[2]);
    if (angle < 1e-300) {
        dal_rotation_identity(R);
        return;
    }
    double n[3] = {w[0] / angle, w[1] / angle, w[2] / angle};
    dal_rotation_axis(n, angle, R);
}

void dal_rotation_quaternion(const double p[4], double R[9])
{
    dal_matrix_of(p, R);
}

/* Through the largest of the four squares, so that nothing is divided by a small number. */
void dal_quaternion_of(const double R[9], double p[4])
{
    double t[4] = {1 + R[0] + R[4] + R[8], 1 + R[0] - R[4] - R[8], 1 - R[0] + R[4] - R[8], 1 - R[0] - R[4] + R[8]};
    int k = 0;
    for (int i = 1; i < 4; i++)
        if (t[i] > t[k])
            k = i;
    double a = R[7] - R[5], b = R[2] - R[6], c = R[3] - R[1];
    double d = R[3] + R[1], e = R[2] + R[6], f = R[7] + R[5];
    const double rows[4][4] = {{t[0], a, b, c}, {a, t[1], d, e}, {b, d, t[2], f}, {c, e, f, t[3]}};
    double norm = 0;
    for (int i = 0; i < 4; i++)
        norm += rows[k][i] * rows[k][i];
    norm = (rows[k][0] < 0 ? -1 : 1) / sqrt(norm);
    for (int i = 0; i < 4; i++)
        p[i] = norm * rows[k][i];
}

/* p is multiplied by (cos, sin) of half the vector, from the left or from the right. */
void dal_quaternion_turn(double p[4], const double d[3], bool left)
{
    double angle = sqrt(dal_dot(d, d)), k = angle > 1e-9 ? sin(angle / 2) / angle : 0.5;
    double a = cos(angle / 2), u[3] = {k * d[0], k * d[1], k * d[2]}, e0 = p[0], e[3] = {p[1], p[2], p[3]}, turn[3];
    dal_cross(left ? u : e, left ? e : u, turn);
    p[0] = a * e0 - dal_dot(u, e);
    for (int i = 0; i < 3; i++)
        p[1 + i] = a * e[i] + e0 * u[i] + turn[i];
}

void dal_rotation_multiply(const double A[9], const double B[9], double out[9])
{
    double C[9];
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            C[3 * i + j] = A[3 * i] * B[j] + A[3 * i + 1] * B[3 + j] + A[3 * i + 2] * B[6 + j];
    memcpy(out, C, sizeof C);
}

void dal_rotation_multiply_left_transposed(const double A[9], const double B[9], double out[9])
{
    double C[9];
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            C[3 * i + j] = A[i] * B[j] + A[3 + i] * B[3 + j] + A[6 + i] * B[6 + j];
    memcpy(out, C, sizeof C);
}

void dal_rotation_euler(const int axes[3], const double angle[3], double R[9])
{
    double A[9], B[9];
    dal_rotation_elementary(axes[0], angle[0], R);
    dal_rotation_elementary(axes[1], angle[1], A);
    dal_rotation_elementary(axes[2], angle[2], B);
    dal_rotation_multiply(R, A, R);
    dal_rotation_multiply(R, B, R);
}

/* With a, b the first two axes and c the third direction of the frame:
 *   proper (aba):   R_aa = cos t2, R_ba = s1 s2, R_ca = -e c1 s2 ...
 *   Tait-Bryan abc: R_ac = e sin t2 ...
 * e = +1 if (a, b, c) is a cyclic permutation of (x, y, z). The first angle follows from a column, the
 * third from the first two: undo them and read the rest. */
void dal_euler_of(const double R[9], const int axes[3], double angle[3])
{
    int a = axes[0], b = axes[1], c = 3 - a - b;
    double e = (b - a + 3) % 3 == 1 ? 1 : -1;
#define R_(i, j) R[3 * (i) + (j)]
    if (axes[2] == a) {
        double s2 = hypot(R_(b, a), R_(c, a));
        angle[1] = atan2(s2, R_(a, a));
        angle[0] = s2 > 1e-12 ? atan2(R_(b, a), -e * R_(c, a)) : 0;
        if (s2 <= 1e-12)
            angle[0] = R_(a, a) > 0 ? atan2(e * R_(c, b), R_(b, b)) : atan2(-e * R_(b, c), R_(b, b));
    } else {
        double c2 = hypot(R_(a, a), R_(a, b));
        angle[1] = atan2(e * R_(a, c), c2);
        angle[0] = c2 > 1e-12 ? atan2(-e * R_(b, c), R_(c, c)) : atan2(e * R_(c, b), R_(b, b));
    }
#undef R_
    double first[9], second[9], rest[9];
    dal_rotation_elementary(a, angle[0], first);
    dal_rotation_elementary(b, angle[1], second);
    dal_rotation_multiply(first, second, first);
    dal_rotation_multiply_left_transposed(first, R, rest);
    int k = axes[2], i = (k + 1) % 3, j = (k + 2) % 3;
    angle[2] = atan2(rest[3 * j + i] - rest[3 * i + j], rest[3 * i + i] + rest[3 * j + j]);
}

bool dal_euler_axes(const char *letters, int axes[3])
{
    for (int i = 0; i < 3; i++) {
        if (letters[i] < 'x' || letters[i] > 'z')
            return false;
        axes[i] = letters[i] - 'x';
    }
    return letters[3] == '\0' && axes[0] != axes[1] && axes[1] != axes[2];
}

static bool normalise_vector(double v[3])
{
    double n = sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
    if (!(n > 1e-150))
        return false;
    for (int i = 0; i < 3; i++)
        v[i] /= n;
    return true;
}

bool dal_rotation_from_axes(int first, const double a[3], int second, const double b[3], double R[9])
{
    double u[3] = {a[0], a[1], a[2]}, v[3] = {0, 0, 0};
    if (!normalise_vector(u))
        return false;
    if (second < 0) { /* the world direction that is most across a */
        second = (first + 1) % 3;
        int k = 0;
        for (int i = 1; i < 3; i++)
            if (fabs(u[i]) < fabs(u[k]) - 1e-9)
                k = i;
        v[k] = 1;
    } else {
        memcpy(v, b, sizeof v);
        if (!normalise_vector(v))
            return false;
    }
    double along = u[0] * v[0] + u[1] * v[1] + u[2] * v[2];
    for (int i = 0; i < 3; i++)
        v[i] -= along * u[i];
    if (sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]) < 1e-9 || !normalise_vector(v))
        return false;
    int third = 3 - first - second;
    double sign = (second - first + 3) % 3 == 1 ? 1 : -1; /* x cross y = z, y cross x = -z */
    double w[3] = {u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0]};
    for (int i = 0; i < 3; i++) {
        R[3 * i + first] = u[i];
        R[3 * i + second] = v[i];
        R[3 * i + third] = sign * w[i];
    }
    return true;
}

/* |A - B|^2 = 8 sin^2(angle / 2) */
double dal_rotation_between(const double A[9], const double B[9])
{
    double sum = 0;
    for (int i = 0; i < 9; i++)
        sum += (A[i] - B[i]) * (A[i] - B[i]);
    return 2 * asin(fmin(1, sqrt(sum / 2) / 2));
}
