/* A description with other numbers: parameters, inputs and start values by name (varied.c). */
#ifndef DAL_SPEC_VARIED_H
#define DAL_SPEC_VARIED_H

#include "base/decimal.h"
#include "base/message.h"
#include "dalembert/spec.h"

typedef struct dal_value_changes {
    const dal_spec *from;
    int n;
    const char *const *names;
    const double *values; /* finite */
    dal_messages *messages;
    const dal_mark *mark;             /* marks of the values, for messages; NULL: messages use their names */
    const dal_decimal_table *decimal; /* speeds up the printing of the values; may be NULL */
    /* the result */
    dal_arena arena; /* memory of the description, which also uses arrays of `from`: the caller always releases it */
    dal_spec *spec;
    dal_override *as_text; /* names and values */
    bool parameters_too, *given;
    const char *shape; /* a parameter that the reader itself used, and that has a new value: then `spec` cannot be compiled. NULL: none */
} dal_value_changes;

/* Applies the changed values to the copy of the description. */
dal_status dal_spec_vary(const dal_allocator *allocator, dal_value_changes *v);

/* An input or a start value of a description that is being read, by the names of dal_system_vary; the arena has a guard. False with a message; or
 * without one if *known is false: there is no such name. */
bool dal_spec_set_start(dal_arena *arena, dal_spec *spec, dal_text name, dal_text value, dal_messages *messages, bool *known);

/* If a parameter changes the structure: reads the text of `kept`, the first description, again with all values that were varied since. The caller
 * always frees the spec and releases `scratch`. */
dal_status dal_spec_vary_text(const dal_allocator *allocator, const dal_spec *kept, const dal_value_changes *v, dal_arena *scratch, dal_spec **spec);

#endif
