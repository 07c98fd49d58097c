#include "linear/linear.h"
#include "base/message.h"

dal_status dal_state_settle(dal_arena *arena, dal_state *state, dal_messages *messages)
{
    (void)arena, (void)state;
    dal_error(messages, dal_nowhere, "not yet");
    return DAL_BAD_MODEL;
}
