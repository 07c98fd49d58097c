/* One block of memory laid out in two passes: the first measures (memory is
 * NULL), the second copies. Both passes run the same list of arrays, so that
 * they cannot differ.
 */
#ifndef DAL_BASE_BLOCK_H
#define DAL_BASE_BLOCK_H

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

typedef struct dal_block {
    char *memory; /* NULL: only measure */
    size_t used;
    size_t limit;    /* bytes of memory whose size is a guess: the layout beyond it is only measured; 0: the size is known */
    bool names_stay; /* names belong to something that lives longer than the block: they are not copied */
    char *rooms;     /* bytes that need no clearing: at the end of the block */
    size_t room;
} dal_block;

enum { DAL_BLOCK_ALIGNMENT = 64 }; /* a cache line */

/* If the guessed size of the block is exceeded, the rest is only measured. */
static inline void dal_block_bound(dal_block *block, size_t bytes)
{
    if (block->limit && block->used + bytes > block->limit)
        block->memory = NULL;
}

/* The next `bytes` of the block, aligned; NULL while it is measured. */
static inline void *dal_block_alloc(dal_block *block, size_t bytes)
{
    block->used = (block->used + DAL_BLOCK_ALIGNMENT - 1) / DAL_BLOCK_ALIGNMENT * DAL_BLOCK_ALIGNMENT;
    dal_block_bound(block, bytes);
    void *at = block->memory ? block->memory + block->used : NULL;
    block->used += bytes;
    return at;
}

/* Room that is written before it is read. */
static inline void *dal_block_room(dal_block *block, size_t bytes)
{
    block->room = (block->room + DAL_BLOCK_ALIGNMENT - 1) / DAL_BLOCK_ALIGNMENT * DAL_BLOCK_ALIGNMENT;
    void *at = block->rooms ? block->rooms + block->room : NULL;
    block->room += bytes;
    return at;
}

/* A copy of `bytes` bytes in the block. */
static inline void *dal_block_copy(dal_block *block, const void *from, size_t bytes)
{
    void *at = dal_block_alloc(block, bytes);
    if (at && bytes)
        memcpy(at, from, bytes);
    return at;
}

/* A copy of a text in the block. */
static inline const char *dal_block_text(dal_block *block, const char *text)
{
    size_t bytes = strlen(text) + 1;
    dal_block_bound(block, bytes);
    char *at = block->memory ? block->memory + block->used : NULL;
    block->used += bytes;
    return at ? memcpy(at, text, bytes) : text;
}

/* A name: a copy, or the pointer itself if names live longer than the block. */
static inline const char *dal_block_name(dal_block *block, const char *name)
{
    return block->names_stay ? name : dal_block_text(block, name);
}

/* Move an array into the block: while measuring the pointer stays. */
#define DAL_PACK(block, pointer, count)                                                                                                              \
    do {                                                                                                                                             \
        void *packed = dal_block_copy((block), (pointer), sizeof *(pointer) * (size_t)(count));                                                      \
        if (packed)                                                                                                                                  \
            (pointer) = packed;                                                                                                                      \
    } while (0)

/* An array of a struct, whose count is an int of the struct. DAL_ENDS: the array has one element more, the end of the last range. */
typedef struct dal_block_array {
    size_t pointer, element, count; /* offset, size, offset */
    int more;
} dal_block_array;

#define DAL_ARRAY(type, array, count)                                                                                                                \
    {                                                                                                                                                \
        offsetof(type, array), sizeof *((type *)0)->array, offsetof(type, count), 0                                                                  \
    }
#define DAL_ENDS(type, array, count)                                                                                                                 \
    {                                                                                                                                                \
        offsetof(type, array), sizeof *((type *)0)->array, offsetof(type, count), 1                                                                  \
    }

/* Moves all arrays of a list, which ends with {0}, into the block. `to` is a copy of `from`, or NULL: while measuring nothing is written. */
static inline void dal_block_arrays(dal_block *block, const dal_block_array *list, const void *from, void *to)
{
    for (const dal_block_array *a = list; a->element; a++) {
        void *array;
        int count;
        memcpy(&array, (const char *)from + a->pointer, sizeof array);
        memcpy(&count, (const char *)from + a->count, sizeof count);
        array = dal_block_copy(block, array, a->element * (size_t)(count + a->more));
        if (array && to)
            memcpy((char *)to + a->pointer, &array, sizeof array);
    }
}

/* A struct, if there is one, and its arrays; NULL while measuring. */
static inline void *dal_block_struct(dal_block *block, const void *from, size_t bytes, const dal_block_array *list)
{
    if (!from)
        return NULL;
    void *to = dal_block_copy(block, from, bytes);
    dal_block_arrays(block, list, from, to);
    return to;
}

#define DAL_PACKED(block, pointer, list) dal_block_struct((block), (pointer), sizeof *(pointer), (list))

#endif
