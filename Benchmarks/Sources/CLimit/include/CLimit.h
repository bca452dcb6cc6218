#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// A prefaulted ring in a mapped file, the least that a log which survives a kill must write to.
struct limit_ring {
    uint8_t *base;
    size_t size;
    size_t offset;
};

/// Maps `size` bytes of a new file at `path` and touches every page. On failure returns false and sets errno.
bool limit_ring_open(struct limit_ring *ring, const char *path, size_t size);
void limit_ring_close(struct limit_ring *ring);

/// The event that Daybook's benchmarks log: a tag, a message and five attributes.
struct limit_event {
    const char *keyword;
    size_t keyword_length;
    int64_t recipe;
    int64_t position;
    bool is_cold;
    const char *visit;
    size_t visit_length;
};

/// Writes `count` events, reading the clock for each: the least that a durable log call can do.
void limit_log(struct limit_ring *ring, const struct limit_event *event, uint64_t count);

/// A SQLite table with a transaction for each event (WAL, `synchronous` NORMAL), as in an app without a log library.
/// One at a time; NULL on failure.
void *sqlite_log_open(const char *path);
/// Inserts `count` events; false on failure.
bool sqlite_log_insert(void *log, const struct limit_event *event, uint64_t count);
void sqlite_log_close(void *log);

/// A thread that sleeps until woken, again and again; NULL on failure. End it once.
void *limit_sleeper_start(void);
void limit_sleeper_wake(void *sleeper);
void limit_sleeper_end(void *sleeper);

/// How often this thread has allocated memory; always 0 where that cannot be counted.
uint64_t limit_allocations(void);
/// Whether `limit_allocations` counts here.
bool limit_counts_allocations(void);
