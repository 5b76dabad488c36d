/* memory.c - a short table of mapped pieces, so that all can be given back in one go after an
 * error. */
#include "agent/heap/memory.h"

#include <string.h>

#include "base/os.h"

void heapmemory_init(LmpHeapMemory *memory) {
    memset(memory, 0, sizeof *memory);
}

void heapmemory_free(LmpHeapMemory *memory) {
    for (uint32_t i = 0; i < LMP_HEAP_PIECES; i++)
        if (memory->piece[i].at) lmp_os->unmap(memory->piece[i].at, memory->piece[i].size);
    heapmemory_init(memory);
}

void *heapmemory_get(LmpHeapMemory *memory, uint64_t bytes) {
    uint32_t i = 0;
    while (i < LMP_HEAP_PIECES && memory->piece[i].at)
        i++;
    if (i == LMP_HEAP_PIECES || bytes > SIZE_MAX / 2) return NULL;
    size_t size = os_whole_pages(bytes + 1);
    void *at = lmp_os->map(size, -1, 0, true);
    if (!at) return NULL;
    memory->piece[i].at = at;
    memory->piece[i].size = size;
    memory->bytes += size;
    if (memory->most < memory->bytes) memory->most = memory->bytes;
    return at;
}

void heapmemory_drop(LmpHeapMemory *memory, const void *at) {
    for (uint32_t i = 0; at && i < LMP_HEAP_PIECES; i++) {
        if (memory->piece[i].at != at) continue;
        lmp_os->unmap(memory->piece[i].at, memory->piece[i].size);
        memory->bytes -= memory->piece[i].size;
        memory->piece[i].at = NULL;
        return;
    }
}

bool heapmemory_grow(LmpHeapMemory *memory, void **at, uint64_t used, uint64_t bytes) {
    void *larger = heapmemory_get(memory, bytes);
    if (!larger) return false;
    if (used) memcpy(larger, *at, used);
    heapmemory_drop(memory, *at);
    *at = larger;
    return true;
}
