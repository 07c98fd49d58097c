/* What the files of mirrored parts share; mirror.h has the rules.
 *
 *   mirror_signs.c  vectors, attitudes and frames: signs that change
 *   mirror_body.c   bodies, their points and shapes
 *   mirror_names.c  bodies, joints and frames by their names, and the axis that they are mirrored along
 *   mirror_joint.c  joints and their coordinates
 *   mirror_text.c   expressions
 *   mirror.c        forces, and a whole part
 */
#ifndef DAL_SPEC_MIRROR_PARTS_H
#define DAL_SPEC_MIRROR_PARTS_H

#include "spec/mirror.h"

typedef struct dal_mirror {
    dal_reader *reader;
    dal_spec *spec; /* of the part; names are those of its own file */
    int axis;       /* 0, 1, 2: x, y, z */
    int *along;     /* for each model of the part, spec->models: the axis along which it is mirrored; NULL: there are none */
} dal_mirror;

/* Is the model planar? */
static inline bool dal_mirror_planar(const dal_mirror *m)
{
    return m->reader->spec->space == DAL_PLANAR;
}

/* ---- mirror_signs.c ---------------------------------------------------------------------- */

/* "-(text)", with the same place in the file. */
void dal_mirror_negate(dal_reader *reader, dal_text *text);
/* A new list: the list that it was copied from does not change. */
void dal_mirror_own(const dal_mirror *m, dal_list *list);
/* M v */
void dal_mirror_polar(const dal_mirror *m, int axis, dal_list *v);
/* -v */
void dal_mirror_negate_all(const dal_mirror *m, dal_list *v);
/* -M v */
void dal_mirror_axial(const dal_mirror *m, int axis, dal_list *v);
/* M R D: D reverses the axis `own`. */
void dal_mirror_axes(const dal_mirror *m, int axis, int own, dal_orientation *o);
/* M R M: a turn about the axis a by an angle becomes one about -M a by the same angle. */
void dal_mirror_attitude(const dal_mirror *m, int axis, dal_orientation *o);
/* The axis of D. */
int dal_mirror_frame_axis(const dal_mirror *m);

/* ---- mirror_body.c ----------------------------------------------------------------------- */

/* Mirrors points along an axis. */
void dal_mirror_points(const dal_mirror *m, int axis, dal_points *points);
/* Mirrors a body; false after an error. */
bool dal_mirror_figures(const dal_mirror *m, int axis, dal_figures *figures);
bool dal_mirror_image_of_body(const dal_mirror *m, int axis, dal_body_spec *body);

/* ---- mirror_names.c ---------------------------------------------------------------------- */

/* "x", "y" or "z" as 0, 1 or 2; false after an error. */
bool dal_mirror_read_axis(dal_reader *reader, const dal_text *axis, const char *what, int *out);
const dal_joint_spec *dal_mirror_joint(const dal_mirror *m, const char *name);
const dal_body_spec *dal_mirror_find_body(const dal_mirror *m, const char *name);
/* The axis along which an element is mirrored, in its own axes. */
int dal_mirror_along(const dal_mirror *m, const dal_binding *binding);
/* Of a frame "thigh.B": the axis along which its carrier is mirrored, and whether the point has axes. */
int dal_mirror_frame(const dal_mirror *m, const char *path, bool *axes);
/* m->along */
void dal_mirror_find_axes(dal_mirror *m);

/* ---- mirror_joint.c ---------------------------------------------------------------------- */

/* Does the coordinate of the joint change its sign? NULL: its first one. */
bool dal_mirror_odd(const dal_mirror *m, const dal_joint_spec *joint, const char *coordinate);
/* x, y, z or angle of a body, along the world's axes. */
bool dal_mirror_odd_of_body(const dal_mirror *m, const char *coordinate);
void dal_mirror_law(const dal_mirror *m, const dal_binding *binding, dal_law_spec *law);
/* Mirrors a joint; false after an error. */
bool dal_mirror_image_of_joint(const dal_mirror *m, dal_joint_spec *joint);

/* ---- mirror.c ---------------------------------------------------------------------------- */

/* Does the coordinate of a joint or body along which a force acts change its sign? */
bool dal_mirror_odd_force(const dal_mirror *m, const dal_force_spec *force);

/* ---- mirror_text.c ----------------------------------------------------------------------- */

/* The text with a minus before every component that changes its sign. */
void dal_mirror_text(const dal_mirror *m, const dal_binding *binding, dal_text *text);
/* Does a channel change its sign? False also if it is not a scalar, or does not belong to the part. */
bool dal_mirror_odd_channel(const dal_mirror *m, const dal_binding *binding, const char *path);

#endif
