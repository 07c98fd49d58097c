/* An allocator that gives so many pieces and no more, and counts what was not given back. */
#ifndef DAL_TEST_RATION_H
#define DAL_TEST_RATION_H

#include <stddef.h>
#include <stdlib.h>

typedef struct ration {
    int left, taken;
} ration;

static inline void *take_rationed(void *user, size_t bytes)
{
    ration *r = user;
    if (r->left-- <= 0)
        return NULL;
    r->taken++;
    return malloc(bytes);
}

static inline void release_rationed(void *user, void *memory)
{
    ((ration *)user)->taken -= memory != NULL;
    free(memory);
}

#endif
