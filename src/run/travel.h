/* Joints whose file gives them limits that nothing enforces: watched at every accepted step of a run. */
#ifndef DAL_RUN_TRAVEL_H
#define DAL_RUN_TRAVEL_H

#include "base/message.h"
#include "state/evaluate.h"

typedef struct dal_travel {
    int n, *index; /* the joints */
    double *joint; /* 3 a joint: its coordinate at the last step, the farthest beyond a limit, when it left them first (-1: never) */
    bool started;
} dal_travel;

int dal_travel_joints(const dal_system *system, int *index); /* how many; their numbers, where index is not NULL */
void dal_travel_watch(dal_travel *travel, const dal_state *state, double t);
void dal_travel_warn(const dal_travel *travel, const dal_system *system, dal_messages *messages);

#endif
