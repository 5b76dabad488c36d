/* memory.c - a short table of mapped pieces, so that all can be given back in one go after an
 * error. */
#include "agent/objects/memory.h"

#include <string.h>

#include "base/os.h"

void objectmemory_init(LmpObjectMemory *memory) {
    memset(memory, 0, sizeof *memory);
}

void objectmemory_free(LmpObjectMemory *memory) {
    for (uint32_t i = 0; i < LMP_OBJECT_PIECES; i++)
        if (memory->piece[i].at) lmp_os->unmap(memory->piece[i].at, memory->piece[i].size);
    objectmemory_init(memory);
}

void *objectmemory_get(LmpObjectMemory *memory, uint64_t bytes) {
    uint32_t i = 0;
    while (i < LMP_OBJECT_PIECES && memory->piece[i].at)
        i++;
    if (i == LMP_OBJECT_PIECES || bytes > SIZE_MAX / 2) return NULL;
    size_t size = os_whole_pages(bytes + 1);
    void *at = lmp_os->map(size, -1, 0, true);
    if (!at) return NULL;
    memory->piece[i].at = at;
    memory->piece[i].size = size;
    memory->bytes += size;
    if (memory->most < memory->bytes) memory->most = memory->bytes;
    return at;
}

void objectmemory_drop(LmpObjectMemory *memory, const void *at) {
    for (uint32_t i = 0; at && i < LMP_OBJECT_PIECES; i++) {
        if (memory->piece[i].at != at) continue;
        lmp_os->unmap(memory->piece[i].at, memory->piece[i].size);
        memory->bytes -= memory->piece[i].size;
        memory->piece[i].at = NULL;
        return;
    }
}

bool objectmemory_grow(LmpObjectMemory *memory, void **at, uint64_t used, uint64_t bytes) {
    void *larger = objectmemory_get(memory, bytes);
    if (!larger) return false;
    if (used) memcpy(larger, *at, used);
    objectmemory_drop(memory, *at);
    *at = larger;
    return true;
}
