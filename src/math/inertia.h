/* Principal moments of inertia, and which of them a body can have.
 *
 * With the moments l1 <= l2 <= l3 every body has  l1 >= 0  and  l3 <= l1 + l2  (the triangle inequality: l1 + l2 - l3 is twice the
 * integral of the square of a coordinate). Thin plates have l3 = l1 + l2, thin rods l1 = 0. Moments written with a few digits violate these equations
 * by the last digit.
 */
#ifndef DAL_MATH_INERTIA_H
#define DAL_MATH_INERTIA_H

#include <stdbool.h>

typedef enum dal_triangle {
    DAL_TRIANGLE_HOLDS,  /* to rounding of the arithmetic */
    DAL_TRIANGLE_DIGITS, /* violated by no more than the rounding of two digits */
    DAL_TRIANGLE_BROKEN
} dal_triangle;

/* Ascending, with the axes as rows unless they are NULL. False: not finite. */
bool dal_principal_moments(const double inertia[9], double moment[3], double axes[9]);
dal_triangle dal_judge_triangle(const double moment[3]);
/* The moments below zero are taken as zero: I + sum of |l| e e^T over them. */
void dal_lift_moments(const double moment[3], const double axes[9], double inertia[9]);

#endif
