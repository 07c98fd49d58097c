/* The speeds of a formulation. */
#include "system/system.h"

void dal_speeds_choose(dal_state *state)
{
    (void)state;
}
