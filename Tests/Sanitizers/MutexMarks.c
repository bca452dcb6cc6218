// Tells ThreadSanitizer what `Synchronization.Mutex` does when threads contend for it.
//
// On Linux that path lies in the toolchain's own library, which is not instrumented: without this, two threads that
// merely wait for each other are reported as a race (seen with Swift 6.3 in a program of one `Mutex` and four threads).
// Preloaded by `make sanitize`, it stands in front of the library's two slow functions. The sanitizer knows the quick
// path, which is compiled into the program and works on the same word; so that word is named as the lock here too.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdint.h>

#define LOCK_SLOW "$s15Synchronization12_MutexHandleV9_lockSlowyys6UInt32VF"
#define UNLOCK_SLOW "$s15Synchronization12_MutexHandleV11_unlockSlowyyF"
#define SELF __attribute__((swift_context)) void *

// From `sanitizer/tsan_interface.h`; absent in the processes that are started without the sanitizer.
extern void __tsan_acquire(void *) __attribute__((weak));
extern void __tsan_release(void *) __attribute__((weak));

// `_MutexHandle._lockSlow(_: UInt32)` and `_MutexHandle._unlockSlow()`: self is the address of the lock's word.
typedef __attribute__((swiftcall)) void (*LockSlow)(uint32_t thread, SELF);
typedef __attribute__((swiftcall)) void (*UnlockSlow)(SELF);

static LockSlow libraryLockSlow;
static UnlockSlow libraryUnlockSlow;

__attribute__((constructor)) static void find(void) {
    libraryLockSlow = (LockSlow)dlsym(RTLD_NEXT, LOCK_SLOW);
    libraryUnlockSlow = (UnlockSlow)dlsym(RTLD_NEXT, UNLOCK_SLOW);
}

__attribute__((swiftcall)) void lockSlow(uint32_t thread, SELF word) __asm__(LOCK_SLOW);
__attribute__((swiftcall)) void unlockSlow(SELF word) __asm__(UNLOCK_SLOW);

__attribute__((swiftcall)) void lockSlow(uint32_t thread, SELF word) {
    libraryLockSlow(thread, word);
    if (__tsan_acquire) __tsan_acquire(word);
}

__attribute__((swiftcall)) void unlockSlow(SELF word) {
    if (__tsan_release) __tsan_release(word);
    libraryUnlockSlow(word);
}
