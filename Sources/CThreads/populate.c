#include "CThreads.h"

#if defined(__linux__)
#include <errno.h>
#include <sys/mman.h>

#ifndef MADV_POPULATE_WRITE
#define MADV_POPULATE_WRITE 23  // Linux 5.14, madvise(2)
#endif

void daybook_populate(void *base, size_t bytes) {
    int error = errno;
    (void)madvise(base, bytes, MADV_POPULATE_WRITE);
    errno = error;
}
#else
void daybook_populate(void *base, size_t bytes) {
    (void)base;
    (void)bytes;
}
#endif
