#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// A warm ring in a mapped file: what any log that survives a kill has to write to.
struct limit_ring {
    uint8_t *base;
    size_t size;
    size_t offset;
};

/// Maps `size` bytes of a new file at `path` and touches every page. Returns whether it worked; errno says why not.
bool limit_ring_open(struct limit_ring *ring, const char *path, size_t size);
void limit_ring_close(struct limit_ring *ring);

/// The same event as the benchmarks of Daybook log: a tag, a message and five attributes.
struct limit_event {
    const char *keyword;
    size_t keyword_length;
    int64_t recipe;
    int64_t position;
    bool is_cold;
    const char *visit;
    size_t visit_length;
};

/// Writes `count` events, each with the time read for it: the least that a durable log call can do.
void limit_log(struct limit_ring *ring, const struct limit_event *event, uint64_t count);

/// A table that each event is inserted into in a transaction of its own (WAL, `synchronous` NORMAL): what an app has at
/// hand without a log library. One at a time; NULL if it cannot be made.
void *sqlite_log_open(const char *path);
/// Inserts so many events; false if one could not be.
bool sqlite_log_insert(void *log, const struct limit_event *event, uint64_t count);
void sqlite_log_close(void *log);

/// A thread that sleeps until it is woken, and sleeps again; NULL if there can be none. End it once.
void *limit_sleeper_start(void);
void limit_sleeper_wake(void *sleeper);
void limit_sleeper_end(void *sleeper);

/// How often this thread has asked for memory so far; 0 for ever where that cannot be counted.
uint64_t limit_allocations(void);
/// Whether `limit_allocations` counts here.
bool limit_counts_allocations(void);
