#include "CLimit.h"

#include <stdlib.h>

/* glibc lets a program define its own malloc, which every library of the process then calls. Ours counts and hands on to
 * glibc's own, so that free() and all else stay as they are. The cost is one increment. */
#if defined(__GLIBC__) && !defined(__SANITIZE_ADDRESS__)
#include <errno.h>
#include <malloc.h>

extern void *__libc_malloc(size_t);
extern void *__libc_calloc(size_t, size_t);
extern void *__libc_realloc(void *, size_t);
extern void *__libc_memalign(size_t, size_t);

static _Thread_local uint64_t allocations;

void *malloc(size_t size) {
    allocations++;
    return __libc_malloc(size);
}

void *calloc(size_t count, size_t size) {
    allocations++;
    return __libc_calloc(count, size);
}

void *realloc(void *memory, size_t size) {
    allocations++;
    return __libc_realloc(memory, size);
}

void *memalign(size_t alignment, size_t size) {
    allocations++;
    return __libc_memalign(alignment, size);
}

void *aligned_alloc(size_t alignment, size_t size) {
    allocations++;
    return __libc_memalign(alignment, size);
}

int posix_memalign(void **memory, size_t alignment, size_t size) {
    allocations++;
    void *result = __libc_memalign(alignment, size);
    if (result == 0) return ENOMEM;
    *memory = result;
    return 0;
}

uint64_t limit_allocations(void) { return allocations; }
bool limit_counts_allocations(void) { return true; }
#else
uint64_t limit_allocations(void) { return 0; }
bool limit_counts_allocations(void) { return false; }
#endif
