/* Memory that is allocated piece by piece and freed all at once.
 *
 * Reading and compiling allocate from an arena. A refused model leaks nothing: one call frees it. When memory runs out, `take` does
 * not return: it jumps to arena->guard (longjmp), and the code there frees the arena and returns DAL_NO_MEMORY. No caller between has to check.
 *
 * The step loop never allocates from an arena.
 */
#ifndef DAL_BASE_ARENA_H
#define DAL_BASE_ARENA_H

#include "dalembert/base.h"

#include <setjmp.h>
#include <stdint.h>

typedef struct dal_chunk dal_chunk;

typedef struct dal_arena {
    dal_allocator allocator;
    dal_chunk *chunks; /* newest first */
    jmp_buf *guard;    /* target of longjmp without memory; NULL: take returns NULL */
    size_t first;      /* bytes of the first chunk; 0: as many as most need */
} dal_arena;

/* Use as: if (setjmp(jump)) { dal_arena_release(&arena); return DAL_NO_MEMORY; } arena.guard = &jump; */
void dal_arena_begin(dal_arena *arena, const dal_allocator *allocator);
/* Frees all allocations. */
void dal_arena_release(dal_arena *arena);
/* The same for an arena that is about to allocate as much again: it keeps its memory, and joins the chunks to one. */
void dal_arena_rewind(dal_arena *arena);

/* `bytes` of zeroed memory, aligned for any type. Zero bytes give a valid pointer. */
void *dal_arena_alloc(dal_arena *arena, size_t bytes);
/* The same, not cleared. */
void *dal_arena_room(dal_arena *arena, size_t bytes);

/* Room for `count` elements where `old` (of `used` elements) is kept: grows by doubling. */
void *dal_arena_grow(dal_arena *arena, void *old, size_t used, size_t *capacity, size_t count, size_t element);

/* The same for exactly `count` elements. */
void *dal_arena_reserve(dal_arena *arena, void *old, size_t used, size_t *capacity, size_t count, size_t element);

/* Does it lie in the arena? */
bool dal_arena_holds(const dal_arena *arena, const void *place);

char *dal_arena_copy(dal_arena *arena, const char *text, size_t length); /* adds the final zero */
char *dal_arena_print(dal_arena *arena, const char *format, ...) DAL_PRINTF(2, 3);

/* Calls `work` with a guard of its own: DAL_NO_MEMORY if memory ran out. Allocations stay. */
dal_status dal_arena_try(dal_arena *arena, dal_status (*work)(void *user), void *user);

/* For a result that owns its parts: the arena moves into its own memory (NULL: there is no memory) and is freed from there. */
dal_arena *dal_arena_keep(dal_arena *arena);
/* Frees everything in a kept arena, and the arena itself. */
void dal_arena_dispose(const dal_arena *kept);
/* The end of a function that makes such a result. If it is `whole`, the arena is kept at the offset `memory` of it, and *result (a pointer to a
 * pointer) points to `made`; otherwise everything is freed. Returns `status`, or DAL_NO_MEMORY if the arena cannot be kept. */
dal_status dal_arena_deliver(dal_arena *arena, bool whole, dal_status status, void *made, size_t memory, void *result);

#define DAL_NEW(arena, type, count) ((type *)dal_arena_alloc((arena), sizeof(type) * (size_t)(count)))

/* Append to a growing array: `array`, `n`, `capacity` are three variables (int, size_t). */
#define DAL_PUSH(arena, array, n, capacity)                                                                                                          \
    ((size_t)(n) < (capacity) ? (void)0                                                                                                              \
                              : (void)((array) = dal_arena_grow((arena), (array), (size_t)(n), &(capacity), (size_t)(n) + 1, sizeof *(array))),      \
     &(array)[(n)++])

/* Room for `more` elements behind the n of a growing array, where it is known how many will come. */
#define DAL_RESERVE(arena, array, n, capacity, more)                                                                                                 \
    ((array) = dal_arena_reserve((arena), (array), (size_t)(n), &(capacity), (size_t)(n) + (size_t)(more), sizeof *(array)))

#endif
