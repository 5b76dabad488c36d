/* guarded.c - copies what a sequence number guards: again while that is odd or changes. */
#include <string.h>

#include "shared/callers.h"
#include "shared/containers.h"

enum { TRIES = 100 };

static bool copy(const _Atomic uint32_t *seq, const void *from, void *out, size_t size) {
    for (int i = 0; i < TRIES; i++) {
        uint32_t before = atomic_load_explicit(seq, memory_order_acquire);
        memcpy(out, from, size);
        atomic_thread_fence(memory_order_acquire);
        if (before % 2 == 0 && atomic_load_explicit(seq, memory_order_relaxed) == before)
            return true;
    }
    return false;
}

bool callers_copy(const LmpCallers *from, LmpCallers *out) {
    if (copy(&from->seq, from, (void *)out, sizeof *out)) return true;
    memset((void *)out, 0, sizeof *out);
    return false;
}

bool containers_copy(const LmpContainers *from, LmpContainers *out) {
    bool copied = copy(&from->seq, from, (void *)out, sizeof *out);
    if (!copied) out->rows = 0;
    if (out->rows > LMP_CONTAINERS) out->rows = LMP_CONTAINERS;
    if (out->moments > LMP_CONTAINER_MOMENTS) out->moments = LMP_CONTAINER_MOMENTS;
    return copied && out->looks > 0;
}
