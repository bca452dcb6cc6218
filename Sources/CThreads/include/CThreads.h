#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>

/// Nanoseconds since 1970, clamped to 1970-01-01 and 2200-01-01: a clock beyond is wrong, and sums of times must not
/// overflow.
static inline int64_t daybook_nanoseconds(struct timespec time) {
    const int64_t last = 7258118400;
    int64_t seconds = time.tv_sec;
    // A negative one is a large one here.
    if (__builtin_expect((uint64_t)seconds > (uint64_t)last, 0)) seconds = seconds < 0 ? 0 : last;
    return seconds * 1000000000 + time.tv_nsec;
}

static inline int64_t daybook_wall_time(void) {
    struct timespec time;
    clock_gettime(CLOCK_REALTIME, &time);
    return daybook_nanoseconds(time);
}

static inline int64_t daybook_monotonic_time(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return daybook_nanoseconds(time);
}

// Atomics and a lock as functions over addresses, which Swift can inline on every supported system. The standard
// library's require iOS 18. The orderings are C11's (ISO/IEC 9899:2011, 7.17.3).

static inline uint64_t daybook_load_relaxed(const uint64_t *word) { return __atomic_load_n(word, __ATOMIC_RELAXED); }
static inline uint64_t daybook_load_acquire(const uint64_t *word) { return __atomic_load_n(word, __ATOMIC_ACQUIRE); }
static inline uint64_t daybook_load_seq_cst(const uint64_t *word) { return __atomic_load_n(word, __ATOMIC_SEQ_CST); }

static inline void daybook_store_relaxed(uint64_t *word, uint64_t value) {
    __atomic_store_n(word, value, __ATOMIC_RELAXED);
}
static inline void daybook_store_release(uint64_t *word, uint64_t value) {
    __atomic_store_n(word, value, __ATOMIC_RELEASE);
}
static inline void daybook_store_seq_cst(uint64_t *word, uint64_t value) {
    __atomic_store_n(word, value, __ATOMIC_SEQ_CST);
}

// Sequentially consistent or relaxed only: on relevant processors, orderings in between cost as much as the strongest.
static inline uint64_t daybook_exchange_relaxed(uint64_t *word, uint64_t value) {
    return __atomic_exchange_n(word, value, __ATOMIC_RELAXED);
}
static inline uint64_t daybook_exchange_seq_cst(uint64_t *word, uint64_t value) {
    return __atomic_exchange_n(word, value, __ATOMIC_SEQ_CST);
}
static inline uint64_t daybook_add_relaxed(uint64_t *word, uint64_t value) {
    return __atomic_add_fetch(word, value, __ATOMIC_RELAXED);
}
static inline uint64_t daybook_add_seq_cst(uint64_t *word, uint64_t value) {
    return __atomic_add_fetch(word, value, __ATOMIC_SEQ_CST);
}
static inline bool daybook_compare_exchange(uint64_t *word, uint64_t *expected, uint64_t desired) {
    return __atomic_compare_exchange_n(word, expected, desired, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
}

// A journal frame's length is published in 32 bits of a mapped file.
static inline uint32_t daybook_load32_acquire(const uint32_t *word) { return __atomic_load_n(word, __ATOMIC_ACQUIRE); }
static inline void daybook_store32_relaxed(uint32_t *word, uint32_t value) {
    __atomic_store_n(word, value, __ATOMIC_RELAXED);
}
static inline void daybook_store32_release(uint32_t *word, uint32_t value) {
    __atomic_store_n(word, value, __ATOMIC_RELEASE);
}
/// Prefaults a mapping's pages for writing, without changing their content, even while others write there. Does nothing
/// where the system cannot (Linux before 5.14, others); each page then faults at its first store.
void daybook_populate(void *base, size_t bytes);

/// Whether a file may grow to `bytes`: writing beyond `RLIMIT_FSIZE` kills the process with SIGXFSZ.
bool daybook_may_reach(uint64_t bytes);

/// Allocates a word, initially 0, valid until freed. Words allocated together are adjacent, so that they share cache
/// lines.
uint64_t *daybook_word_make(void);
void daybook_word_free(uint64_t *word);

/// Sets a word in every forked child before other code runs there, until forgotten. A child has one thread and a copy
/// of its parent's memory, but shares open files and shared mappings.
void daybook_set_in_child(uint64_t *word, uint64_t value);
void daybook_forget_in_child(const uint64_t *word);

#if defined(__APPLE__)
#include <os/lock.h>

typedef os_unfair_lock daybook_lock;
#define DAYBOOK_UNLOCKED OS_UNFAIR_LOCK_INIT

static inline void daybook_lock_init(daybook_lock *lock) { *lock = OS_UNFAIR_LOCK_INIT; }
static inline void daybook_lock_lock(daybook_lock *lock) { os_unfair_lock_lock(lock); }
static inline bool daybook_lock_try(daybook_lock *lock) { return os_unfair_lock_trylock(lock); }
static inline void daybook_lock_unlock(daybook_lock *lock) { os_unfair_lock_unlock(lock); }
#else
/// 0 unlocked, 1 locked, 2 locked with waiters. Source: Ulrich Drepper, *Futexes Are Tricky* (2011), section 6, the
/// second mutex.
typedef struct {
    uint32_t state;
} daybook_lock;
#define DAYBOOK_UNLOCKED {0}

void daybook_lock_wait(daybook_lock *lock, uint32_t seen);
void daybook_lock_wake(daybook_lock *lock);

static inline void daybook_lock_init(daybook_lock *lock) { lock->state = 0; }

static inline void daybook_lock_lock(daybook_lock *lock) {
    uint32_t seen = 0;
    if (!__atomic_compare_exchange_n(&lock->state, &seen, 1, false, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED)) {
        daybook_lock_wait(lock, seen);
    }
}

static inline bool daybook_lock_try(daybook_lock *lock) {
    uint32_t seen = 0;
    return __atomic_compare_exchange_n(&lock->state, &seen, 1, false, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED);
}

static inline void daybook_lock_unlock(daybook_lock *lock) {
    if (__atomic_exchange_n(&lock->state, 0, __ATOMIC_RELEASE) == 2) daybook_lock_wake(lock);
}
#endif

/// A thread-local word, initially 0: the Daybook outputs and filters that the thread is inside of.
///
/// Every log call reads it. Swift has no thread-local variables, and the system's keyed values cost a call each. On
/// Linux it is at a fixed offset from the thread pointer, so that a read takes one instruction.
#if defined(__linux__) && !defined(__ANDROID__)
extern _Thread_local uint32_t daybook_thread_scope __attribute__((tls_model("initial-exec")));
#else
extern _Thread_local uint32_t daybook_thread_scope;
#endif

static inline uint32_t daybook_scope(void) { return daybook_thread_scope; }
static inline void daybook_set_scope(uint32_t scope) { daybook_thread_scope = scope; }

/// The address of the installed pipeline, which every log without its own writes to, or 0. A plain word, so that a log
/// call need not check its initialisation.
extern uint64_t daybook_installed;

static inline uint64_t daybook_load_installed(void) { return daybook_load_acquire(&daybook_installed); }
static inline void daybook_store_installed(uint64_t address) { daybook_store_release(&daybook_installed, address); }

/// Whether tasks also carry a scope (only on systems that cannot run an output's tasks on its own thread) or a span.
/// Set before the first such task starts, never cleared, so that programs without them never read a task-local.
extern uint32_t daybook_task_scopes, daybook_task_spans;

static inline bool daybook_tasks_carry_scope(void) {
    return __builtin_expect(__atomic_load_n(&daybook_task_scopes, __ATOMIC_RELAXED) != 0, 0);
}
static inline void daybook_let_tasks_carry_scope(void) { __atomic_store_n(&daybook_task_scopes, 1, __ATOMIC_RELAXED); }

static inline bool daybook_tasks_carry_span(void) {
    return __builtin_expect(__atomic_load_n(&daybook_task_spans, __ATOMIC_RELAXED) != 0, 0);
}
static inline void daybook_let_tasks_carry_span(void) { __atomic_store_n(&daybook_task_spans, 1, __ATOMIC_RELAXED); }

#if defined(__linux__)
/// Names the calling thread; the system keeps 15 bytes. Called on the thread itself, because Foundation sets names
/// late.
void daybook_name_thread(const char *name);
#endif
