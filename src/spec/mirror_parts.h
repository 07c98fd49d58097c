/* What the files of mirrored parts share; mirror.h has the rules.
 *
 *   mirror_signs.c  vectors, attitudes and frames: what changes its sign
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
    dal_spec *spec; /* of the part: names are its own */
    int axis;       /* 0, 1, 2: x, y, z */
    int *along;     /* of each model of the part, spec->models: the axis that it is mirrored along; NULL: there is none */
} dal_mirror;

/* Is the model planar? */
static inline bool dal_mirror_planar(const dal_mirror *m)
{
    return m->reader->spec->space == DAL_PLANAR;
}

/* ---- mirror_signs.c ---------------------------------------------------------------------- */

/* "-(text)", at the same place of the file. */
void dal_mirror_negate(dal_reader *reader, dal_text *text);
/* A list of its own, so that the one it was copied from stays as it is. */
void dal_mirror_own(const dal_mirror *m, dal_list *list);
/* M v */
void dal_mirror_polar(const dal_mirror *m, int axis, dal_list *v);
/* -v */
void dal_mirror_negate_all(const dal_mirror *m, dal_list *v);
/* -M v */
void dal_mirror_axial(const dal_mirror *m, int axis, dal_list *v);
/* M R D: D turns round the axis `own`. */
void dal_mirror_axes(const dal_mirror *m, int axis, int own, dal_orientation *o);
/* M R M: a turn about the axis a by an angle becomes one about -M a by the same angle. */
void dal_mirror_attitude(const dal_mirror *m, int axis, dal_orientation *o);
/* The axis of D. */
int dal_mirror_frame_axis(const dal_mirror *m);

/* ---- mirror_body.c ----------------------------------------------------------------------- */

/* Mirrors points along an axis. */
void dal_mirror_points(const dal_mirror *m, int axis, dal_points *points);
/* False after a complaint. */
bool dal_mirror_figures(const dal_mirror *m, int axis, dal_figures *figures);
bool dal_mirror_image_of_body(const dal_mirror *m, int axis, dal_body_spec *body);

/* ---- mirror_names.c ---------------------------------------------------------------------- */

/* "x", "y" or "z" as 0, 1 or 2; false after a complaint. */
bool dal_mirror_read_axis(dal_reader *reader, const dal_text *axis, const char *what, int *out);
const dal_joint_spec *dal_mirror_joint(const dal_mirror *m, const char *name);
const dal_body_spec *dal_mirror_find_body(const dal_mirror *m, const char *name);
/* The axis that an element is mirrored along in its own axes. */
int dal_mirror_along(const dal_mirror *m, const dal_binding *binding);
/* What a frame "thigh.B" is: the axis that its carrier is mirrored along, and whether the point has axes. */
int dal_mirror_frame(const dal_mirror *m, const char *path, bool *axes);
/* m->along */
void dal_mirror_find_axes(dal_mirror *m);

/* ---- mirror_joint.c ---------------------------------------------------------------------- */

/* Does the coordinate of the joint change its sign? NULL: its first one. */
bool dal_mirror_odd(const dal_mirror *m, const dal_joint_spec *joint, const char *coordinate);
/* x, y, z or angle of a body, along the world's axes. */
bool dal_mirror_odd_of_body(const dal_mirror *m, const char *coordinate);
void dal_mirror_law(const dal_mirror *m, const dal_binding *binding, dal_law_spec *law);
/* False after a complaint. */
bool dal_mirror_image_of_joint(const dal_mirror *m, dal_joint_spec *joint);

/* ---- mirror.c ---------------------------------------------------------------------------- */

/* Does the coordinate of a joint or body along which a force acts change its sign? */
bool dal_mirror_odd_force(const dal_mirror *m, const dal_force_spec *force);

/* ---- mirror_text.c ----------------------------------------------------------------------- */

/* The text with a minus before every component that changes its sign. */
void dal_mirror_text(const dal_mirror *m, const dal_binding *binding, dal_text *text);
/* Does a channel change its sign? False also if it is not a scalar, or not of the part. */
bool dal_mirror_odd_channel(const dal_mirror *m, const dal_binding *binding, const char *path);

#endif
