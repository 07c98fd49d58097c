#include "model/life.h"

dal_life *dal_life_begin(const dal_allocator *allocator)
{
    dal_life *life = allocator->allocate(allocator->user, sizeof *life);
    if (!life)
        return NULL;
    atomic_init(&life->holders, 1);
    atomic_init(&life->over, false);
    atomic_init(&life->runs, 0);
    life->allocator = *allocator;
    return life;
}

void dal_life_join(dal_life *life)
{
    atomic_fetch_add(&life->holders, 1);
}

void dal_life_leave(dal_life *life)
{
    const dal_allocator source = life->allocator;
    if (atomic_fetch_sub(&life->holders, 1) == 1)
        source.release(source.user, life);
}

void dal_life_end(dal_life *life)
{
    atomic_store(&life->over, true);
    dal_life_leave(life);
}
