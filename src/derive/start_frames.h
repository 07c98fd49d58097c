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

#endif
