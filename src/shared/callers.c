/* callers.c - copies again while the writer's sequence number is odd or changes. */
#include "shared/callers.h"

#include <string.h>

enum { TRIES = 100 };

bool callers_copy(const LmpCallers *from, LmpCallers *out) {
    for (int i = 0; i < TRIES; i++) {
        uint32_t before = atomic_load_explicit(&from->seq, memory_order_acquire);
        memcpy((void *)out, (const void *)from, sizeof *out);
        atomic_thread_fence(memory_order_acquire);
        if (before % 2 == 0 && atomic_load_explicit(&from->seq, memory_order_relaxed) == before)
            return true;
    }
    memset((void *)out, 0, sizeof *out);
    return false;
}
