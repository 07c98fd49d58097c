/* Attitudes as constants: quaternions, axis and angle, the twelve Euler
 * sequences. Active rotations: R turns body components into world components.
 */
#ifndef DAL_MATH_ROTATION_H
#define DAL_MATH_ROTATION_H

#include <stdbool.h>

void dal_rotation_identity(double R[9]);                                 /* R = 1 */
void dal_rotation_elementary(int axis, double angle, double R[9]);       /* about x, y, z = 0, 1, 2 */
void dal_rotation_axis(const double axis[3], double angle, double R[9]); /* axis of unit length */
void dal_rotation_vector(const double w[3], double R[9]);                /* exp([w x]) */
void dal_rotation_quaternion(const double p[4], double R[9]);            /* (w, x, y, z), any length but zero */
void dal_quaternion_of(const double R[9], double p[4]);                  /* w >= 0 */
/* The quaternion of exp([d x]) R (left: d in the axes outside), or of R exp([d x]) (in those of the body), from that of R. */
void dal_quaternion_turn(double p[4], const double d[3], bool left);
/* R = R_a(first) R_b(second) R_c(third), axes[] = {a, b, c} */
void dal_rotation_euler(const int axes[3], const double angle[3], double R[9]);
/* The angles of a sequence, the middle one in (-pi/2, pi/2) or (0, pi). At the singular attitude the third is zero. */
void dal_euler_of(const double R[9], const int axes[3], double angle[3]);
/* "zyx" -> {2, 1, 0}; false unless it is one of the twelve. */
bool dal_euler_axes(const char *letters, int axes[3]);
/* Columns: the direction `letter` first exactly along a, the second along b made orthogonal, the third by the right-hand rule.
 * False if a is zero or b is along a. second < 0: any direction across a. */
bool dal_rotation_from_axes(int first, const double a[3], int second, const double b[3], double R[9]);
double dal_rotation_between(const double A[9], const double B[9]);               /* the angle of the turn from one to the other, 0 to pi */
void dal_rotation_multiply(const double A[9], const double B[9], double out[9]); /* A B */
void dal_rotation_multiply_left_transposed(const double A[9], const double B[9], double out[9]); /* A^T B */

#endif
