#include "CThreads.h"

#include <pthread.h>
#include <stdlib.h>

// A list suffices for a process's few pipelines. The child walks it without allocating: after a fork it may only do
// what a signal handler may (POSIX.1-2017, fork).
struct note {
    uint64_t *word;
    uint64_t value;
    struct note *next;
};

static daybook_lock lock = DAYBOOK_UNLOCKED;
static struct note *notes;

// Held during the fork, so that the child finds a consistent list and can reset the lock.
static void before_fork(void) { daybook_lock_lock(&lock); }

static void in_parent(void) { daybook_lock_unlock(&lock); }

static void in_child(void) {
    for (struct note *note = notes; note != NULL; note = note->next) daybook_store_seq_cst(note->word, note->value);
    daybook_lock_init(&lock);
}

static void watch_forks(void) { pthread_atfork(before_fork, in_parent, in_child); }

void daybook_set_in_child(uint64_t *word, uint64_t value) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, watch_forks);
    struct note *note = malloc(sizeof *note);
    if (note == NULL) abort();
    daybook_lock_lock(&lock);
    *note = (struct note){word, value, notes};
    notes = note;
    daybook_lock_unlock(&lock);
}

void daybook_forget_in_child(const uint64_t *word) {
    daybook_lock_lock(&lock);
    for (struct note **place = &notes; *place != NULL;) {
        struct note *note = *place;
        if (note->word == word) {
            *place = note->next;
            free(note);
        } else {
            place = &note->next;
        }
    }
    daybook_lock_unlock(&lock);
}
