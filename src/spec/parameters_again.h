/* Parameters of a description that follow from others which have new values (parameters_again.c). */
#ifndef DAL_SPEC_PARAMETERS_AGAIN_H
#define DAL_SPEC_PARAMETERS_AGAIN_H

#include "base/message.h"
#include "dalembert/spec.h"

/* given[i]: parameter i has a new value in `number`. Those that use one, over any number of others, are evaluated, and given[i] is set. Texts of
 * a description that was made by hand may say nothing: such a parameter stays. False with a message: a value is not finite. */
bool dal_parameters_again(dal_arena *scratch, int n, dal_pair *parameters, bool *given, dal_messages *messages);

#endif
