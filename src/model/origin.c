#include "model/origin.h"

#include "spec/copy.h"

static dal_status copy_spec(void *user)
{
    dal_origin *origin = user;
    origin->spec = dal_spec_copy(&origin->arena, origin->spec);
    return DAL_OK;
}

dal_origin *dal_origin_begin(const dal_allocator *allocator, const dal_spec *spec, bool for_evaluation)
{
    dal_arena arena;
    dal_arena_begin(&arena, allocator);
    dal_origin *origin = DAL_NEW(&arena, dal_origin, 1);
    if (!origin)
        return NULL;
    origin->arena = arena;
    origin->spec = spec;
    origin->for_evaluation = for_evaluation;
    atomic_init(&origin->holders, 1);
    atomic_init(&origin->memory, NULL);
    if (dal_arena_try(&origin->arena, copy_spec, origin) == DAL_OK)
        return origin;
    arena = origin->arena;
    dal_arena_release(&arena);
    return NULL;
}

void dal_origin_join(dal_origin *origin)
{
    atomic_fetch_add(&origin->holders, 1);
}

void dal_origin_leave(dal_origin *origin)
{
    if (!origin || atomic_fetch_sub(&origin->holders, 1) != 1)
        return;
    struct dal_memory *memory = atomic_load(&origin->memory);
    if (memory)
        origin->forget(memory);
    dal_arena arena = origin->arena; /* it lies in it */
    dal_arena_release(&arena);
}

dal_layer *dal_layer_begin(dal_arena *arena, dal_layer *below)
{
    dal_layer *layer = DAL_NEW(arena, dal_layer, 1);
    const dal_arena *kept = layer ? dal_arena_keep(arena) : NULL;
    if (!kept)
        return NULL;
    arena->chunks = NULL; /* they belong to the layer */
    atomic_init(&layer->holders, 1);
    layer->arena = kept;
    layer->below = below;
    if (below)
        atomic_fetch_add(&below->holders, 1);
    return layer;
}

void dal_layer_leave(dal_layer *layer)
{
    while (layer && atomic_fetch_sub(&layer->holders, 1) == 1) {
        dal_layer *below = layer->below;
        dal_arena_dispose(layer->arena);
        layer = below;
    }
}
