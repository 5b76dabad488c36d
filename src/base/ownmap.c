/* ownmap.c - a short list that threads change without a lock: a slot is taken by compare and
 * exchange. */
#include "base/ownmap.h"

#include <stdatomic.h>

/* at 0: free; 1: being written. */
static struct {
    _Atomic uintptr_t at;
    _Atomic size_t size;
} range[OWNMAP_MOST];
static _Atomic uint32_t changes;

void ownmap_add(const void *at, size_t size) {
    for (uint32_t i = 0; i < OWNMAP_MOST; i++) {
        uintptr_t none = 0;
        if (!atomic_compare_exchange_strong(&range[i].at, &none, 1)) continue;
        atomic_store(&range[i].size, size);
        atomic_store(&range[i].at, (uintptr_t)at);
        atomic_fetch_add(&changes, 1);
        return;
    }
}

void ownmap_remove(const void *at) {
    for (uint32_t i = 0; i < OWNMAP_MOST; i++) {
        if (atomic_load(&range[i].at) != (uintptr_t)at) continue;
        atomic_store(&range[i].at, 0);
        atomic_fetch_add(&changes, 1);
        return;
    }
}

uint32_t ownmap_changes(void) {
    return atomic_load(&changes);
}

uint32_t ownmap_copy(OwnMapRange out[OWNMAP_MOST]) {
    uint32_t n = 0;
    for (uint32_t i = 0; i < OWNMAP_MOST; i++) {
        uintptr_t at = atomic_load(&range[i].at);
        if (at > 1) out[n++] = (OwnMapRange){at, atomic_load(&range[i].size)};
    }
    return n;
}
