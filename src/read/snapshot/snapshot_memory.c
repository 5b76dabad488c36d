/* snapshot_memory.c - arrays that are given back together: large ones mapped, in large pages where
 * the system has them, since they are walked at random. */
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/os.h"
#include "read/snapshot/snapshot_impl.h"

enum { LARGE = 1 << 21 };

/* Returns the smallest block that has so much room; NULL: none. */
static SnapBlock *spare(const SnapMemory *memory, size_t bytes) {
    SnapBlock *best = NULL;
    for (size_t i = 0; i < memory->blocks; i++) {
        SnapBlock *b = &memory->block[i];
        if (!b->used && b->bytes >= bytes && (!best || b->bytes < best->bytes)) best = b;
    }
    return best;
}

static SnapBlock *make(SnapMemory *memory, size_t bytes, bool sparse) {
    if (!array_room(&memory->block, &memory->room, memory->blocks + 1)) return NULL;
    SnapBlock b = {.bytes = bytes, .mapped = bytes >= LARGE};
    b.at = b.mapped ? lmp_os->map(bytes, -1, 0, true) : calloc(bytes, 1);
    if (!b.at) return NULL;
    if (b.mapped && !sparse) lmp_os->populate(b.at, bytes);
    memory->block[memory->blocks] = b;
    return &memory->block[memory->blocks++];
}

typedef enum Wanted { ZEROES, ROUGH, SPARSE } Wanted;

static void *take(SnapMemory *memory, size_t n, size_t size, Wanted wanted) {
    size_t bytes = 0;
    if (__builtin_mul_overflow(n ? n : 1, size, &bytes)) return NULL;
    SnapBlock *b = wanted == SPARSE ? NULL : spare(memory, bytes);
    if (b && wanted == ZEROES) memset(b->at, 0, bytes);
    if (!b) b = make(memory, bytes, wanted == SPARSE);
    if (!b) return NULL;
    b->used = true;
    return b->at;
}

void *snap_memory_take(SnapMemory *memory, size_t n, size_t size) {
    return take(memory, n, size, ZEROES);
}

void *snap_memory_rough(SnapMemory *memory, size_t n, size_t size) {
    return take(memory, n, size, ROUGH);
}

void *snap_memory_sparse(SnapMemory *memory, size_t n, size_t size) {
    return take(memory, n, size, SPARSE);
}

void snap_memory_put(SnapMemory *memory, const void *array) {
    for (size_t i = 0; i < memory->blocks; i++)
        if (memory->block[i].at == array) memory->block[i].used = false;
}

void snap_memory_again(SnapMemory *memory) {
    for (size_t i = 0; i < memory->blocks; i++)
        memory->block[i].used = false;
}

void snap_memory_free(SnapMemory *memory) {
    for (size_t i = 0; i < memory->blocks; i++) {
        if (memory->block[i].mapped)
            lmp_os->unmap(memory->block[i].at, memory->block[i].bytes);
        else
            free(memory->block[i].at);
    }
    free(memory->block);
    *memory = (SnapMemory){0};
}
