/* snapshot_memory.c - arrays that are given back together: large ones mapped, in large pages where
 * the system has them, since they are walked at random. */
#include <stdlib.h>

#include "base/os.h"
#include "read/snapshot/snapshot_impl.h"

enum { LARGE = 1 << 21 };

void *snapmem_take(SnapMemory *memory, size_t n, size_t size) {
    size_t bytes = 0;
    if (__builtin_mul_overflow(n, size, &bytes)) return NULL;
    if (memory->blocks == memory->room) {
        size_t room = memory->room ? memory->room * 2 : 32;
        SnapBlock *block = realloc(memory->block, room * sizeof *block);
        if (!block) return NULL;
        memory->block = block;
        memory->room = room;
    }
    SnapBlock b = {.mapped = bytes >= LARGE ? bytes : 0};
    b.at = b.mapped ? lmp_os->map(bytes, -1, 0, true) : calloc(bytes ? bytes : 1, 1);
    if (!b.at) return NULL;
    if (b.mapped) lmp_os->populate(b.at, bytes);
    memory->block[memory->blocks++] = b;
    return b.at;
}

void snapmem_free(SnapMemory *memory) {
    for (size_t i = 0; i < memory->blocks; i++) {
        if (memory->block[i].mapped)
            lmp_os->unmap(memory->block[i].at, memory->block[i].mapped);
        else
            free(memory->block[i].at);
    }
    free(memory->block);
    *memory = (SnapMemory){0};
}
