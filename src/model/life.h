/* How long a system lives, as its states see it.
 *
 * A state holds a pointer into its system. A freed system cannot be read, so that system and states share a record, which is freed with the last of
 * them. Threads make and free states of one system at the same time: the record is counted atomically. */
#ifndef DAL_MODEL_LIFE_H
#define DAL_MODEL_LIFE_H

#include "dalembert/base.h"

#include <stdatomic.h>

typedef struct dal_life {
    atomic_int holders;
    atomic_bool over; /* the system was freed */
    atomic_int runs;  /* that last: the system cannot be freed meanwhile */
    dal_allocator allocator;
} dal_life;

/* Of a new system, its first holder. NULL without memory. */
dal_life *dal_life_begin(const dal_allocator *allocator);
void dal_life_join(dal_life *life);
void dal_life_leave(dal_life *life);
/* The system leaves. */
void dal_life_end(dal_life *life);

/* Was the system freed? */
static inline bool dal_life_is_over(const dal_life *life)
{
    return atomic_load_explicit(&((dal_life *)(size_t)life)->over, memory_order_relaxed);
}

#endif
