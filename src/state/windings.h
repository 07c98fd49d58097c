/* What has to stay continuous from one accepted step to the next: whole turns of angles, signs of quaternions. */
#ifndef DAL_STATE_WINDINGS_H
#define DAL_STATE_WINDINGS_H

#include "state/evaluate.h"
#include "state/owner.h"

typedef struct dal_windings {
    double accepted;  /* time of the last accepted step: dal_state_unwind */
    double fastest;   /* of the rates there, or what they do not exceed */
    double way;       /* that angles may have turned since they were evaluated */
    double *rate;     /* of the angles there: dal_state_unwind */
    double *attitude; /* 4 a body, last quaternion: dal_state_signal */
} dal_windings;

extern const dal_owner dal_windings_owner;

/* Does no angle that is not evaluated turn half a turn since the last accepted step, where no body turns faster than the root of `spin`? */
bool dal_turns_excluded(const dal_state *state, double spin);
/* 1 (recoverable) if an angle turns so far since the last accepted step that its whole turns cannot be counted. */
dal_flow dal_state_turned(dal_state *state);
/* The angles of now are the new references. */
void dal_state_unwind(dal_state *state);
/* The same at the end of an accepted step; those that nothing reads stay, as long as they are near enough to count turns from. */
void dal_state_unwind_step(dal_state *state);

#endif
