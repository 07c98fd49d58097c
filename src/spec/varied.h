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
    const dal_mark *mark;             /* of the values, for messages; NULL: their names */
    const dal_decimal_table *decimal; /* for the texts of the values; NULL: they take longer */
    /* what comes out */
    dal_arena arena; /* of the description, which has arrays of `from`, too: to be released in any case */
    dal_spec *spec;
    dal_override *as_text; /* names and values */
    bool parameters_too, *given;
    const char *shape; /* a parameter that the reader used itself, and that has another value; NULL: none. Then `spec` cannot be compiled */
} dal_value_changes;

/* Applies the changes of values to the copy of the description. */
dal_status dal_spec_vary(const dal_allocator *allocator, dal_value_changes *v);

/* An input or a start value of a description that is being read, by the names of dal_system_vary; the arena has a guard. False with a message, or (*known
 * false) without one: it has no such name. */
bool dal_spec_set_start(dal_arena *arena, dal_spec *spec, dal_text name, dal_text value, dal_messages *messages, bool *known);

/* Where it has a shape: the text of `kept`, the description that all this began with, read again with all values that were varied since. The spec
 * is to be freed, and `scratch` to be released, in any case. */
dal_status dal_spec_vary_text(const dal_allocator *allocator, const dal_spec *kept, const dal_value_changes *v, dal_arena *scratch, dal_spec **spec);

#endif
