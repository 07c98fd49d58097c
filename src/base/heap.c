/* Memory of the heap, used if the caller has no allocator.
 *
 * The state of a large model is one block that every evaluation walks through from end to end. With pages of 4 kB the processor then loads page-table
 * entries as often as data. Large blocks therefore begin on, and request, large pages; without large pages the block works as usual. Chunks of arenas
 * are smaller: memory that is used once is not worth clearing a large page.
 */
#include "dalembert/base.h"

#include <stdlib.h>
#ifdef __linux__
#include <sys/mman.h>
#endif

static const size_t large_page = (size_t)2 << 20; /* of most machines; smaller ones also work */

#ifdef MADV_HUGEPAGE
static void *allocate_large(size_t bytes)
{
    const size_t whole = (bytes + large_page - 1) / large_page * large_page;
    void *memory = whole < bytes ? NULL : aligned_alloc(large_page, whole);
    if (memory)
        madvise(memory, whole, MADV_HUGEPAGE); /* a wish */
    return memory;
}
#else
static void *allocate_large(size_t bytes)
{
    return malloc(bytes);
}
#endif

static void *allocate_heap(void *user, size_t bytes)
{
    (void)user;
    return bytes < 4 * large_page ? malloc(bytes) : allocate_large(bytes);
}

static void release_heap(void *user, void *memory)
{
    (void)user;
    free(memory);
}

dal_allocator dal_default_allocator(void)
{
    return (dal_allocator){allocate_heap, release_heap, NULL};
}
