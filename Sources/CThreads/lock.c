#include "CThreads.h"

#if defined(__linux__)
#include <errno.h>
#include <limits.h>
#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

// A holder usually unlocks within this many polls. Sleeping would cost both sides a system call.
enum { looks = 1000 };

static void pause_briefly(void) {
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#elif defined(__aarch64__) || defined(__arm__)
    __asm__ volatile("yield");
#endif
}

void daybook_lock_wait(daybook_lock *lock, uint32_t seen) {
    int error = errno;
    for (int look = 0; look < looks && seen != 2; look++) {
        pause_briefly();
        seen = __atomic_load_n(&lock->state, __ATOMIC_RELAXED);
        if (seen == 0 && __atomic_compare_exchange_n(&lock->state, &seen, 1, false, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED)) {
            return;
        }
    }
    // From here on the lock is taken as contended, because other threads may be sleeping.
    while (__atomic_exchange_n(&lock->state, 2, __ATOMIC_ACQUIRE) != 0) {
        syscall(SYS_futex, &lock->state, FUTEX_WAIT_PRIVATE, 2, NULL, NULL, 0);
    }
    errno = error;
}

void daybook_lock_wake(daybook_lock *lock) {
    int error = errno;
    syscall(SYS_futex, &lock->state, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
    errno = error;
}
#endif
