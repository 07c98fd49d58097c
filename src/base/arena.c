#include "base/arena.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

struct dal_chunk {
    dal_chunk *older;
    size_t used, size;
    max_align_t start[];
};

enum { ALIGNMENT = sizeof(max_align_t), FIRST_CHUNK = 16 * 1024 };

void dal_arena_begin(dal_arena *arena, const dal_allocator *allocator)
{
    arena->allocator = allocator ? *allocator : dal_default_allocator();
    arena->chunks = NULL;
    arena->guard = NULL;
    arena->first = 0;
}

void dal_arena_release(dal_arena *arena)
{
    for (dal_chunk *chunk = arena->chunks, *older; chunk; chunk = older) {
        older = chunk->older;
        arena->allocator.release(arena->allocator.user, chunk);
    }
    arena->chunks = NULL;
}

void dal_arena_rewind(dal_arena *arena)
{
    size_t whole = 0;
    for (const dal_chunk *chunk = arena->chunks; chunk; chunk = chunk->older)
        whole += chunk->size;
    if (arena->chunks && !arena->chunks->older) {
        arena->chunks->used = 0;
        return;
    }
    dal_arena_release(arena);
    arena->first = whole;
}

static void *no_memory(dal_arena *arena)
{
    if (arena->guard)
        longjmp(*arena->guard, 1);
    return NULL;
}

/* bytes: a multiple of the alignment. */
static void *room_in_new_chunk(dal_arena *arena, size_t bytes)
{
    dal_chunk *chunk = arena->chunks;
    size_t size = chunk ? 2 * chunk->size : arena->first ? arena->first : FIRST_CHUNK;
    if (bytes > SIZE_MAX / 4)
        return no_memory(arena);
    if (chunk && size > (size_t)1 << 22)
        size = (size_t)1 << 22;
    if (size < bytes)
        size = bytes;
    chunk = arena->allocator.allocate(arena->allocator.user, sizeof *chunk + size);
    if (!chunk)
        return no_memory(arena);
    chunk->older = arena->chunks;
    chunk->used = bytes;
    chunk->size = size;
    arena->chunks = chunk;
    return chunk->start;
}

static inline void *allocate_room(dal_arena *arena, size_t bytes)
{
    dal_chunk *chunk = arena->chunks;
    const size_t whole = (bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    if (!chunk || chunk->size - chunk->used < whole || whole < bytes) /* too many to be counted */
        return room_in_new_chunk(arena, whole < bytes ? SIZE_MAX : whole);
    char *memory = (char *)chunk->start + chunk->used;
    chunk->used += whole;
    return memory;
}

void *dal_arena_alloc(dal_arena *arena, size_t bytes)
{
    void *memory = allocate_room(arena, bytes);
    return memory ? memset(memory, 0, bytes) : NULL;
}

void *dal_arena_room(dal_arena *arena, size_t bytes)
{
    return allocate_room(arena, bytes);
}

void *dal_arena_grow(dal_arena *arena, void *old, size_t used, size_t *capacity, size_t count, size_t element)
{
    const size_t twice = *capacity ? 2 * *capacity : 8;
    return count <= *capacity ? old : dal_arena_reserve(arena, old, used, capacity, count < twice ? twice : count, element);
}

void *dal_arena_reserve(dal_arena *arena, void *old, size_t used, size_t *capacity, size_t count, size_t element)
{
    if (count <= *capacity)
        return old;
    if (count > SIZE_MAX / element)
        return no_memory(arena);
    void *fresh = dal_arena_alloc(arena, count * element);
    if (!fresh)
        return NULL;
    if (used)
        memcpy(fresh, old, used * element);
    *capacity = count;
    return fresh;
}

bool dal_arena_holds(const dal_arena *arena, const void *place)
{
    const uintptr_t at = (uintptr_t)place;
    for (const dal_chunk *chunk = arena->chunks; chunk; chunk = chunk->older)
        if (at >= (uintptr_t)chunk->start && at < (uintptr_t)chunk->start + chunk->used)
            return true;
    return false;
}

char *dal_arena_copy(dal_arena *arena, const char *text, size_t length)
{
    char *copy = dal_arena_alloc(arena, length + 1);
    if (copy && length)
        memcpy(copy, text, length);
    return copy;
}

char *dal_arena_print(dal_arena *arena, const char *format, ...)
{
    char few[256];
    va_list list, again;
    va_start(list, format);
    va_copy(again, list);
    int length = vsnprintf(few, sizeof few, format, list);
    va_end(list);
    char *text = dal_arena_alloc(arena, (size_t)(length < 0 ? 0 : length) + 1);
    if (text && length >= 0 && (size_t)length < sizeof few)
        memcpy(text, few, (size_t)length);
    else if (text && length >= 0)
        vsnprintf(text, (size_t)length + 1, format, again);
    va_end(again);
    return text;
}

dal_status dal_arena_try(dal_arena *arena, dal_status (*work)(void *user), void *user)
{
    jmp_buf jump;
    if (setjmp(jump)) {
        arena->guard = NULL;
        return DAL_NO_MEMORY;
    }
    arena->guard = &jump;
    dal_status status = work(user);
    arena->guard = NULL;
    return status;
}

dal_arena *dal_arena_keep(dal_arena *arena)
{
    dal_arena *kept = dal_arena_alloc(arena, sizeof *kept);
    if (kept)
        *kept = *arena;
    return kept;
}

void dal_arena_dispose(const dal_arena *kept)
{
    dal_arena arena = *kept; /* its own place is released with the rest */
    dal_arena_release(&arena);
}

dal_status dal_arena_deliver(dal_arena *arena, bool whole, dal_status status, void *made, size_t memory, void *result)
{
    void *kept = whole ? dal_arena_keep(arena) : NULL;
    if (!kept) {
        dal_arena_release(arena);
        return whole ? DAL_NO_MEMORY : status;
    }
    memcpy((char *)made + memory, &kept, sizeof kept);
    memcpy(result, &made, sizeof made);
    return status;
}
