/* The bodies of one joint, free otherwise, and the rows of the joint; or, for a constraint in coordinates of the model's own, the whole
 * model. Shared by joint_alone.c, joint_rank.c and joint_slope.c. */
#ifndef DAL_COMPILE_JOINT_ALONE_H
#define DAL_COMPILE_JOINT_ALONE_H

#include "kinematics/layout.h"
#include "compile/joint_types.h"

typedef struct dal_alone {
    dal_build *build;
    const dal_joint *joint;
    dal_mechanism mechanism;
    const dal_layout *layout;
    dal_work work;
    bool whole; /* coordinates of the model's own, with the rows of all joints */
    int r, m;
    int n_bodies, body[DAL_MAX_SIDES];
    int n_measures, *measure; /* of the whole mechanism, in the order of those here */
    double length;
    double *scale;     /* what a unit of each velocity moves, in metres */
    double *unit;      /* of each row: the slope it had where the way back to phi = 0 began */
    double *direction; /* one number a velocity, scratch */
    double *A, *q0, *q_here, *b, *x, *sigma, *null, *svd;
    int *order;
} dal_alone;

/* Lays out the bodies of one joint. */
void dal_alone_begin(dal_alone *a, dal_build *build, const dal_joint *joint);
/* Where the bodies start; winding: of the whole mechanism, NULL: not known. */
void dal_alone_place(dal_alone *a, const double *winding);
/* phi, and A with columns in metres. */
void dal_alone_evaluate(dal_alone *a);
double dal_alone_slope(const dal_alone *a, int row); /* |A_row| */
/* The largest |phi|, of the rows that are about positions. */
double dal_alone_gap(const dal_alone *a);
/* Moves the bodies until the rows hold, or (mask) those of them that are marked; false: they cannot. */
bool dal_alone_close(dal_alone *a, const bool *mask);
double dal_alone_chance(uint64_t *seed); /* between -1 and 1 */
/* Somewhere near the start, whether the equations hold or not. */
void dal_alone_perturb(dal_alone *a, uint64_t *seed);
/* From where they are by `far` lengths of the model in a direction of numbers between -1 and 1, one a velocity. */
void dal_alone_move(dal_alone *a, const double *direction, double far);
/* phi of a row at such a place; the bodies stay where they are. */
double dal_alone_beside(dal_alone *a, int row, const double *direction, double far);
/* "equations 1 `dot(N - M, yi)` and 2 `dot(N - M, yj)`": those with rows in the mask, and how many they are. */
const char *dal_alone_equations(const dal_alone *a, const bool *mask, int *number);
/* Equation `number`, from 1, of the type of the joint. */
const dal_text *dal_alone_text(const dal_alone *a, int number);

#endif
