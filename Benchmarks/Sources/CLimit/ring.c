#include "CLimit.h"

#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

bool limit_ring_open(struct limit_ring *ring, const char *path, size_t size) {
    int file = open(path, O_RDWR | O_CREAT | O_TRUNC, 0600);
    if (file < 0) return false;
    if (ftruncate(file, (off_t)size) != 0) {
        close(file);
        return false;
    }
    void *base = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    close(file);
    if (base == MAP_FAILED) return false;
    memset(base, 0, size);
    *ring = (struct limit_ring){.base = base, .size = size, .offset = 0};
    return true;
}

void limit_ring_close(struct limit_ring *ring) { munmap(ring->base, ring->size); }

static inline uint8_t *put(uint8_t *at, const void *bytes, size_t length) {
    memcpy(at, bytes, length);
    return at + length;
}

static inline uint8_t *put_text(uint8_t *at, const char *text, size_t length) {
    *at++ = (uint8_t)length;
    return put(at, text, length);
}

#define PUT_NAME(at, type, name) (*(at)++ = (type), put_text((at), name, sizeof(name) - 1))

/* Not inlined: a log call is a call. */
__attribute__((noinline)) static void log_one(struct limit_ring *ring, const struct limit_event *event, int64_t recipe) {
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    int64_t time = now.tv_sec * 1000000000 + now.tv_nsec;
    if (ring->offset + 512 > ring->size) ring->offset = 0;
    uint8_t *start = ring->base + ring->offset;
    uint8_t *at = start + 4;
    at = put(at, &time, sizeof time);
    at = PUT_NAME(at, 9, "recipe_search.search");
    at = PUT_NAME(at, 1, "A search started");
    at = put_text(PUT_NAME(at, 2, "keyword"), event->keyword, event->keyword_length);
    at = put(PUT_NAME(at, 3, "recipe_id"), &recipe, sizeof recipe);
    at = put(PUT_NAME(at, 3, "position"), &event->position, sizeof event->position);
    at = PUT_NAME(at, 4, "is_cold");
    *at++ = event->is_cold;
    at = put_text(PUT_NAME(at, 2, "visit"), event->visit, event->visit_length);
    uint32_t length = (uint32_t)(at - start);
    ring->offset += (length + 7) & ~7u;
    __atomic_store_n((uint32_t *)(void *)start, length, __ATOMIC_RELEASE);
}

void limit_log(struct limit_ring *ring, const struct limit_event *event, uint64_t count) {
    for (uint64_t index = 0; index < count; index++) log_one(ring, event, event->recipe + (int64_t)index);
}
