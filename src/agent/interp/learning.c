/* learning.c - one lock for all, which its owner may take again. */
#include "agent/interp/learning.h"

#include <pthread.h>
#include <stdint.h>
#include <time.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static _Atomic uintptr_t owner; /* pthread_self() of the thread that has it; 0: none */
static unsigned depth;          /* times that it has */

void learning_once(atomic_bool *done, void (*learn)(void)) {
    if (atomic_load(done)) return;
    learning_hold();
    if (!atomic_load(done)) learn();
    atomic_store(done, true);
    learning_let();
}

/* Returns false if it cannot be had; `until`: at that time, NULL: ever. */
static bool hold(const struct timespec *until) {
    uintptr_t here = (uintptr_t)pthread_self();
    if (atomic_load(&owner) != here) {
        if (until ? pthread_mutex_timedlock(&lock, until) : pthread_mutex_lock(&lock)) return false;
        atomic_store(&owner, here);
    }
    depth++;
    return true;
}

void learning_hold(void) {
    hold(NULL);
}

bool learning_hold_to_fork(void) {
    struct timespec until;
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_sec++;
    return hold(&until);
}

void learning_let(void) {
    if (--depth) return;
    atomic_store(&owner, 0);
    pthread_mutex_unlock(&lock);
}

void learning_forked(void) {
    lock = (pthread_mutex_t)PTHREAD_MUTEX_INITIALIZER;
    atomic_store(&owner, 0);
    depth = 0;
}
