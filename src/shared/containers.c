/* containers.c - copies again while the writer's sequence number is odd or changes, and cuts the
 * counts to the arrays. */
#include "shared/containers.h"

#include <string.h>

enum { TRIES = 100 };

bool containers_copy(const LmpContainers *from, LmpContainers *out) {
    for (int i = 0; i < TRIES; i++) {
        uint32_t before = atomic_load_explicit(&from->seq, memory_order_acquire);
        memcpy((void *)out, (const void *)from, sizeof *out);
        atomic_thread_fence(memory_order_acquire);
        if (before % 2 || atomic_load_explicit(&from->seq, memory_order_relaxed) != before)
            continue;
        if (out->rows > LMP_CONTAINERS) out->rows = LMP_CONTAINERS;
        if (out->moments > LMP_CONTAINER_MOMENTS) out->moments = LMP_CONTAINER_MOMENTS;
        return out->looks > 0;
    }
    out->rows = 0;
    return false;
}
