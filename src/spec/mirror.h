/* Mirrored parts: `mirror: x` of an included model, or of a body that is the mirror image of another.
 *
 * The mirror M = diag(-1, 1, 1) (for x) takes a point p to M p. A body with the frame r, R, whose points are r + R p, becomes
 *   M r + M R p = M r + (M R M)(M p):
 * its origin is M r, its attitude the rotation M R M, and in its own axes it is mirrored, too: points and centre M p, inertia M I M.
 * Polar vectors (places, velocities, forces) become M v, axial ones (angular velocities, torques, axes of rotation) -M v.
 * The values of a model are texts, so mirroring changes signs only: "-(...)" around each value that changes its sign.
 *
 * Points with axes F: F' = M F D with D = diag(1, 1, -1) in space and diag(1, -1) in the plane: a rotation again, whose z axis has the direction that
 * a revolute joint needs. A model inside the model that stands on such a frame is mirrored along the axis of D there.
 *
 * Coordinates of joints keep their values where an axis can be chosen so, and change their sign otherwise; `dal_mirror_odd` says which:
 *   angles in the plane; distances of joints whose axis is an axial vector (cylindrical, screw) or comes from points with axes.
 * Expressions of a mirrored model see the world through the mirror: a component that changes its sign has a minus before it, so that the same text
 * describes the mirrored model (mirror_text.c).
 */
#ifndef DAL_SPEC_MIRROR_H
#define DAL_SPEC_MIRROR_H

#include "spec/reader.h"

/* Mirrors all elements of a part that was read, before the name of the part is put before their names. False: it cannot be mirrored, and an error
 * was reported. */
bool dal_mirror_part(dal_reader *reader, dal_spec *part, const dal_text *axis, const char *what);
/* Takes the keys that `body` lacks from the mirror image of another body. False after an error. */
bool dal_mirror_body(dal_reader *reader, const dal_tree *mirror, const dal_tree *of, dal_body_spec *body);

#endif
