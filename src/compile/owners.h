/* The parts of a state: owners.c. */
#ifndef DAL_COMPILE_OWNERS_H
#define DAL_COMPILE_OWNERS_H

#include "state/owner.h"

extern const dal_owner *const dal_owners[]; /* ends with NULL */

#endif
