/* Why something failed, as an enum for the program. The message for people is separate: no decision depends on its text. */
#ifndef DAL_BASE_REASON_H
#define DAL_BASE_REASON_H

#include "dalembert/base.h"

#include <stdbool.h>

typedef enum dal_reason {
    DAL_REASON_OTHER,              /* nothing is decided by it */
    DAL_REASON_SPEEDS,             /* the speeds do not determine the velocities, or are not as many as the freedoms */
    DAL_REASON_SINGULAR_POSITION,  /* of the constraints */
    DAL_REASON_JOINT,              /* the sentence names the joint that fails */
    DAL_REASON_SINGULAR_EQUATIONS, /* inertia and constraints do not determine the accelerations */
    DAL_REASON_SINGULAR_LINK,      /* the same, found by the recursion over the tree: loads may not be known */
    DAL_REASON_ROUNDING,           /* an inertia is lost in rounding beside that of the others */
    DAL_REASON_OPEN,               /* the mechanism cannot be assembled */
    DAL_REASON_ASSEMBLY,           /* a note: assembly changed a start value */
    DAL_REASON_ASSEMBLY_SUM,       /* a note with the number of bodies; each body has its own note */
    DAL_REASON_UNDECIDED           /* a note: the start is one of several that are as near to what is given */
} dal_reason;

/* Why a choice is refused. */
typedef struct dal_refusal {
    dal_reason reason;
    char text[400];
} dal_refusal;

/* Writes the refusal; returns false. */
bool dal_decline(dal_refusal *why, dal_reason reason, const char *format, ...) DAL_PRINTF(3, 4);

#endif
