/* A copy of a description that owns all it consists of (copy.c). */
#ifndef DAL_SPEC_COPY_H
#define DAL_SPEC_COPY_H

#include "base/arena.h"
#include "dalembert/spec.h"

#include <stdint.h>

/* Copies into an arena whose guard is set. Pointers that were equal in `spec` (to a text, a binding, an included model) are equal in the copy. */
dal_spec *dal_spec_copy(dal_arena *arena, const dal_spec *spec);

/* A number that differs if the elements of two descriptions differ in their texts or in their number. It does not depend on the values of
 * parameters, the choices of `simulate:`, recorded columns and marks. */
uint64_t dal_spec_elements(const dal_spec *spec);
/* The same number, which also depends on all of these except the values of parameters. */
uint64_t dal_spec_outline(const dal_spec *spec);

/* spec.c: reads the text of a description again, with other overrides. Files that it names are read from the disk. */
dal_status dal_spec_read_again(const dal_allocator *allocator, const dal_spec *kept, int n_overrides, const dal_override *overrides,
                               dal_messages *messages, dal_spec **spec);

#endif
