/* Joints on a surface that have no direction in one attitude: a disc that lies flat has no lowest point, a blade that stands on end has no
 * direction to slide along. Watched at every accepted step of a run.
 */
#ifndef DAL_RUN_STANDING_H
#define DAL_RUN_STANDING_H

#include "state/evaluate.h"

size_t dal_standing_size(const dal_system *system); /* doubles of what is remembered */
/* `along`: 3 a joint, zero before the first step. A failure that names the joint which passed that attitude since the last step. */
dal_flow dal_standing_watch(dal_state *state, double *along);
/* "; the disc of joint 'table' lies flat here": the joint which is close to that attitude, or "". */
const char *dal_standing_text(const dal_state *state, char *buffer, size_t size);

#endif
