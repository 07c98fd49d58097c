/* Points that meet while a force acts along the line between them: watched at every accepted step of a run. */
#ifndef DAL_RUN_MEETINGS_H
#define DAL_RUN_MEETINGS_H

#include "base/message.h"
#include "state/evaluate.h"

typedef struct dal_meetings {
    double *direction; /* 3 a force: from one point to the other, at the last step; zero before the first */
    int force;         /* whose points met first, or -1 */
    double time, effort;
} dal_meetings;

size_t dal_meetings_size(const dal_system *system);                                /* doubles of `direction` */
void dal_meetings_watch(dal_meetings *meetings, const dal_state *state, double t); /* after loads */
/* Points that are together and at rest where their force has no direction stay there for ever: a failure, because the motion is not determined. */
dal_flow dal_meetings_refuse(dal_state *state);
void dal_meetings_warn(const dal_meetings *meetings, const dal_system *system, dal_messages *messages);

#endif
