#pragma once
#include <stdint.h>

// Source: https://developer.apple.com/documentation/os/os_unfair_lock
typedef struct os_unfair_lock_s {
    uint32_t _os_unfair_lock_opaque;
} os_unfair_lock, *os_unfair_lock_t;
#define OS_UNFAIR_LOCK_INIT ((os_unfair_lock){0})

// Source: https://developer.apple.com/documentation/os/os_unfair_lock_lock
__attribute__((availability(ios, introduced = 10.0))) void os_unfair_lock_lock(os_unfair_lock_t _Nonnull lock);
// Source: https://developer.apple.com/documentation/os/os_unfair_lock_unlock
__attribute__((availability(ios, introduced = 10.0))) void os_unfair_lock_unlock(os_unfair_lock_t _Nonnull lock);
// Source: https://developer.apple.com/documentation/os/os_unfair_lock_trylock
__attribute__((availability(ios, introduced = 10.0))) _Bool os_unfair_lock_trylock(os_unfair_lock_t _Nonnull lock);
