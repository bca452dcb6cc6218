#include "CLimit.h"

#include <pthread.h>
#include <semaphore.h>
#include <stdlib.h>

struct sleeper {
    sem_t signal;
    pthread_t thread;
    bool is_over;
};

static void *sleep_until_over(void *argument) {
    struct sleeper *sleeper = argument;
    do {
        while (sem_wait(&sleeper->signal) != 0) {}
    } while (!__atomic_load_n(&sleeper->is_over, __ATOMIC_ACQUIRE));
    return NULL;
}

void *limit_sleeper_start(void) {
    struct sleeper *sleeper = calloc(1, sizeof *sleeper);
    if (!sleeper) return NULL;
    sem_init(&sleeper->signal, 0, 0);
    if (pthread_create(&sleeper->thread, NULL, sleep_until_over, sleeper) == 0) return sleeper;
    sem_destroy(&sleeper->signal);
    free(sleeper);
    return NULL;
}

void limit_sleeper_wake(void *argument) { sem_post(&((struct sleeper *)argument)->signal); }

void limit_sleeper_end(void *argument) {
    struct sleeper *sleeper = argument;
    __atomic_store_n(&sleeper->is_over, true, __ATOMIC_RELEASE);
    sem_post(&sleeper->signal);
    pthread_join(sleeper->thread, NULL);
    sem_destroy(&sleeper->signal);
    free(sleeper);
}
