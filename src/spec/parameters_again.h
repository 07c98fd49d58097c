/* Parameters of a description that follow from others which have new values (parameters_again.c). */
#ifndef DAL_SPEC_PARAMETERS_AGAIN_H
#define DAL_SPEC_PARAMETERS_AGAIN_H

#include "base/message.h"
#include "dalembert/spec.h"

/* given[i]: parameter i has a new value in `number`. Parameters that use one, directly or through others, are evaluated, and their given[i] is
 * set. A description that was made by hand may lack texts: such a parameter keeps its value. False with a message: a value is not finite. */
bool dal_parameters_again(dal_arena *scratch, int n, dal_pair *parameters, bool *given, dal_messages *messages);

#endif
