/* learning.c - one lock for all. In a child a recursive one cannot be unlocked: its owner has
 * another number there. */
#include "agent/interp/learning.h"

#include <pthread.h>
#include <time.h>

static const pthread_mutex_t free_lock = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;
static pthread_mutex_t lock = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;

void learning_once(atomic_bool *done, void (*learn)(void)) {
    if (atomic_load(done)) return;
    learning_hold();
    if (!atomic_load(done)) learn();
    atomic_store(done, true);
    learning_let();
}

void learning_hold(void) {
    pthread_mutex_lock(&lock);
}

bool learning_hold_to_fork(void) {
    struct timespec until;
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_sec++;
    return pthread_mutex_timedlock(&lock, &until) == 0;
}

void learning_let(void) {
    pthread_mutex_unlock(&lock);
}

void learning_forked(void) {
    lock = free_lock;
}
