/* snapshot_memory.c - arrays that are given back together: large ones mapped, in large pages where
 * the system has them, since they are walked at random. And sorting in linear time. */
#include <stdlib.h>
#include <string.h>

#include "base/os.h"
#include "read/snapshot/snapshot_impl.h"

enum { LARGE = 1 << 21, FEW = 32 };

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
    if (memory->blocks == memory->room) {
        size_t room = memory->room ? memory->room * 2 : 32;
        SnapBlock *block = realloc(memory->block, room * sizeof *block);
        if (!block) return NULL;
        memory->block = block;
        memory->room = room;
    }
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

/* Largest first, equal ones in the order they were in. */
static void sort_few(SnapSized *row, uint32_t n) {
    for (uint32_t i = 1; i < n; i++) {
        SnapSized c = row[i];
        uint32_t k = i;
        for (; k > 0 && row[k - 1].size < c.size; k--)
            row[k] = row[k - 1];
        row[k] = c;
    }
}

/* The same for many: by digits of eight bits, lowest first, those that differ at all. */
static void sort_many(SnapSized *row, SnapSized *room, uint32_t n) {
    uint64_t differs = 0;
    for (uint32_t i = 1; i < n; i++)
        differs |= row[i].size ^ row[0].size;
    SnapSized *from = row, *to = room;
    for (unsigned shift = 0; shift < 64; shift += 8) {
        if (!(differs >> shift & 255)) continue;
        uint32_t count[256] = {0}, at = 0;
        for (uint32_t i = 0; i < n; i++)
            count[255 - (from[i].size >> shift & 255)]++;
        for (int i = 0; i < 256; i++) {
            uint32_t c = count[i];
            count[i] = at;
            at += c;
        }
        for (uint32_t i = 0; i < n; i++)
            to[count[255 - (from[i].size >> shift & 255)]++] = from[i];
        SnapSized *swap = from;
        from = to;
        to = swap;
    }
    if (from != row) memcpy(row, from, n * sizeof *row);
}

void snap_sort(SnapSized *row, SnapSized *room, uint32_t n) {
    if (n <= FEW)
        sort_few(row, n);
    else
        sort_many(row, room, n);
}
