/* Frames of joints and lengths of rods that follow parameters. */
#ifndef DAL_DERIVE_START_FRAMES_H
#define DAL_DERIVE_START_FRAMES_H

#include "derive/nodes.h"

/* Does it contain a parameter? */
bool dal_follows_parameters(dal_derivation *d, dal_node node);
/* If the marker's point is on the ground of an included model, its place becomes a function of the parameters. */
void dal_follow_point(dal_derivation *d, const char *name, dal_symbolic_marker *marker);
/* The axes of both frames of a joint become functions of the parameters; d->markers has their numbers. */
void dal_follow_frames(dal_derivation *d, int joint);

/* Texts of the description in symbols; false: one cannot be read. */
bool dal_written_vector(dal_derivation *d, const dal_binding *binding, const dal_list *list, dal_node out[3]);
bool dal_written_orientation(dal_derivation *d, const dal_binding *binding, const dal_orientation *orientation, dal_node R[9]);
/* The axes whose x is along a direction; z across the plane, or as near as possible to a world axis. */
void dal_written_axes(dal_derivation *d, const dal_node x[3], dal_node R[9]);
/* The frame of a name of `connect:` in the axes of its body. Returns the body, or one below DAL_GROUND: it cannot be read. */
int dal_written_frame(dal_derivation *d, const char *name, dal_node s[3], dal_node B[9]);

#endif
