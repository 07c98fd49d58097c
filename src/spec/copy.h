/* A copy of a description that owns all it consists of (copy.c). */
#ifndef DAL_SPEC_COPY_H
#define DAL_SPEC_COPY_H

#include "base/arena.h"
#include "dalembert/spec.h"

#include <stdint.h>

/* Into an arena whose guard is set. What is one text, binding or included model in `spec` is one in the copy: pointers that were equal stay so. */
dal_spec *dal_spec_copy(dal_arena *arena, const dal_spec *spec);

/* A number that differs where elements of two descriptions do: their texts, and how many there are. Not of parameters' values, choices of
 * `simulate:`, recorded columns, and marks. */
uint64_t dal_spec_elements(const dal_spec *spec);
/* The same with all of these but parameters' values. */
uint64_t dal_spec_outline(const dal_spec *spec);

/* spec.c: the text of a description once more, with other overrides. Files that it names are read from the disk. */
dal_status dal_spec_read_again(const dal_allocator *allocator, const dal_spec *kept, int n_overrides, const dal_override *overrides,
                               dal_messages *messages, dal_spec **spec);

#endif
