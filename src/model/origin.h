/* The origin of a system: its description, and the cached results of its compile for systems that differ from it in numbers only.
 *
 * A system and those varied from it share one origin, in any thread, and the last of them frees it. All of it is constant but for `memory`,
 * which is set once. */
#ifndef DAL_MODEL_ORIGIN_H
#define DAL_MODEL_ORIGIN_H

#include "base/arena.h"
#include "dalembert/spec.h"

#include <stdatomic.h>

struct dal_memory; /* compile/memory.h */

typedef struct dal_origin {
    atomic_int holders;
    dal_arena arena;                     /* in which all of this lies */
    const dal_spec *spec;                /* a copy */
    bool for_evaluation;                 /* compiled by dal_compile_for_evaluation */
    _Atomic(struct dal_memory *) memory; /* NULL: nothing was varied yet */
    void (*forget)(struct dal_memory *memory);
} dal_origin;

/* With its first holder and a copy of the spec; NULL without memory. */
dal_origin *dal_origin_begin(const dal_allocator *allocator, const dal_spec *spec, bool for_evaluation);
void dal_origin_join(dal_origin *origin);
/* NULL: nothing happens. */
void dal_origin_leave(dal_origin *origin);

/* The data of a varied system: its values are in the arena, and point into those of the system that it was varied from, which live as long. */
typedef struct dal_layer {
    atomic_int holders;
    const dal_arena *arena; /* in which this lies */
    struct dal_layer *below;
} dal_layer;

/* In an arena, which it takes over; holds `below`. NULL without memory. */
dal_layer *dal_layer_begin(dal_arena *arena, dal_layer *below);
/* NULL: nothing happens. */
void dal_layer_leave(dal_layer *layer);

#endif
