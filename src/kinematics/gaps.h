/* Rows that hold two points together along a world axis: gaps.c. */
#ifndef DAL_KINEMATICS_GAPS_H
#define DAL_KINEMATICS_GAPS_H

#include "kinematics/family.h"

#define dal_gaps_position DAL_K(dal_gaps_position)
#define dal_gaps_jacobian DAL_K(dal_gaps_jacobian)
#define dal_gaps_velocity DAL_K(dal_gaps_velocity)
#define dal_gaps_begin DAL_K(dal_gaps_begin)
/* After the vectors: value of the measure, phi. */
void dal_gaps_position(const dal_layout *layout, dal_work *work);
/* A; nothing where it is constant. */
void dal_gaps_jacobian(const dal_layout *layout, dal_work *work);
/* After the rates of the vectors: rate and bias of the measure, A v and gamma. */
void dal_gaps_velocity(const dal_layout *layout, dal_work *work);
/* What never changes: gradients of the measures; in the family `natural`, A. */
void dal_gaps_begin(const dal_layout *layout, dal_work *work);

#ifndef DAL_SCALAR_VARIANT
/* Which rows are gaps, and which are not. */
void dal_gaps_find(dal_arena *arena, dal_layout *layout);
#endif

#endif
