/* Markers of joints in world axes at the start; shared by frames.c, place.c and joints.c. */
#ifndef DAL_COMPILE_FRAMES_H
#define DAL_COMPILE_FRAMES_H

#include "compile/build.h"

const char *dal_body_words(const dal_build *build, int body); /* "the ground" or "'crank'" */

/* Point and axes of a marker in world axes, at the start. */
void dal_marker_world(const dal_build *build, const dal_marker *marker, double P[3], double E[9]);

/* The points of `connect:`; false with messages. */
bool dal_joint_markers(dal_build *build, const dal_joint_spec *spec, dal_marker marker[2], bool has_axes[2]);
/* The axes of the two frames. *carried: the second was taken from where the bodies start. */
bool dal_joint_frames(dal_build *build, const dal_joint_spec *spec, const dal_joint_type *type, dal_marker marker[2], const bool has_axes[2],
                      bool *carried);
/* Whose whole turns the angle between the two frames begins with, where it has no start value of its own. */
dal_turns dal_joint_turns(dal_build *build, const dal_joint_spec *spec, const dal_joint_type *type, const dal_marker marker[2],
                          const bool has_axes[2]);
/* The frame of a further point: what coincides with the first one at the start. */
void dal_further_frame(dal_build *build, dal_marker *marker, int side);

#endif
