/* A description that was read again after its text was edited (vary.c). */
#ifndef DAL_COMPILE_AGAIN_H
#define DAL_COMPILE_AGAIN_H

#include "dalembert/system.h"

/* dal_compile of `spec`, to the last digit. Where it differs from the description of `before` (NULL: there is none) in values of parameters only, the system
 * is varied from that one. *compiled: it was compiled, and is independent of `before`. */
dal_status dal_compile_again(const dal_allocator *allocator, const dal_system *before, const dal_spec *spec, dal_messages *messages,
                             dal_system **system, bool *compiled);

#endif
