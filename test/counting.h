/* Counting malloc: for tests that say that something takes no memory. To be included in one file of a program.
 *
 * Our own malloc and its kin come before the C library's for every library that is loaded: BLAS, LAPACK and KLU are
 * counted as well. The sanitizers bring theirs, so nothing is counted there. */
#ifndef DAL_TEST_COUNTING_H
#define DAL_TEST_COUNTING_H

#include <malloc.h>
#include <stdlib.h>

#if defined(__SANITIZE_ADDRESS__)
#define COUNTING 0
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define COUNTING 0
#endif
#endif
#if !defined(COUNTING) && defined(__GLIBC__)
#define COUNTING 1
#elif !defined(COUNTING)
#define COUNTING 0
#endif

static long taken; /* blocks taken since the program began */

#if COUNTING
void *__libc_malloc(size_t bytes);
void *__libc_calloc(size_t count, size_t bytes);
void *__libc_realloc(void *memory, size_t bytes);
void *__libc_memalign(size_t alignment, size_t bytes);

void *malloc(size_t bytes)
{
    taken++;
    return __libc_malloc(bytes);
}

void *calloc(size_t count, size_t bytes)
{
    taken++;
    return __libc_calloc(count, bytes);
}

void *realloc(void *memory, size_t bytes)
{
    taken++;
    return __libc_realloc(memory, bytes);
}

void *aligned_alloc(size_t alignment, size_t bytes)
{
    taken++;
    return __libc_memalign(alignment, bytes);
}

void *memalign(size_t alignment, size_t bytes)
{
    taken++;
    return __libc_memalign(alignment, bytes);
}

int posix_memalign(void **memory, size_t alignment, size_t bytes)
{
    taken++;
    *memory = __libc_memalign(alignment, bytes);
    return *memory ? 0 : 12; /* ENOMEM */
}
#endif

#endif
