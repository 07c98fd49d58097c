/* A model as the text of a file of another type.
 *
 * *text is allocated by the allocator (NULL: malloc) and belongs to the caller; on any error it is NULL and the messages have the reason.
 */
#ifndef DALEMBERT_CONVERT_H
#define DALEMBERT_CONVERT_H

#include "dalembert/spec.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A spec that was read from a URDF file, as a YAML model: bodies, joints, dampers and mimics as a person would write them, every number to the last
 * digit. DAL_BAD_MODEL for any other spec, and for a spec with additions that a URDF file cannot contain. */
DAL_API dal_status dal_to_yaml(const dal_allocator *allocator, const dal_spec *spec, dal_messages *messages, char **text);

/* A model as URDF: a tree of revolute, prismatic, planar, rigid and free bodies, with dampers and couplings of coordinates. URDF cannot express some
 * parts of a model: such a part is an error if the mechanism would be different without it, and a warning if only forces are omitted. */
DAL_API dal_status dal_to_urdf(const dal_allocator *allocator, const dal_spec *spec, dal_messages *messages, char **text);

#ifdef __cplusplus
}
#endif

#endif
