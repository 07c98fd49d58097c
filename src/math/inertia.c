#include "math/inertia.h"

#include "math/rank.h"

#include <math.h>
#include <stddef.h>

static const double arithmetic = 1e-9; /* of the largest moment: rounding errors of computed moments */
static const double digits = 1e-2;     /* uncertainty of moments that are written with two digits */

bool dal_principal_moments(const double inertia[9], double moment[3], double axes[9])
{
    double work[600];
    for (int i = 0; i < 9; i++)
        if (!isfinite(inertia[i]))
            return false;
    return dal_symmetric_eigen(inertia, 3, 3, moment, axes, work) == 0;
}

dal_triangle dal_judge_triangle(const double moment[3])
{
    const double excess = moment[2] - moment[0] - moment[1], scale = fabs(moment[2]) + fabs(moment[0]);
    return excess <= arithmetic * scale ? DAL_TRIANGLE_HOLDS : excess <= digits * scale ? DAL_TRIANGLE_DIGITS : DAL_TRIANGLE_BROKEN;
}

void dal_lift_moments(const double moment[3], const double axes[9], double inertia[9])
{
    for (int k = 0; k < 3 && moment[k] < 0; k++)
        for (int i = 0; i < 3; i++)
            for (int j = 0; j < 3; j++)
                inertia[3 * i + j] -= moment[k] * axes[3 * k + i] * axes[3 * k + j];
}
