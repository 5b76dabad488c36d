/* arena.c - cuts blocks off a mapping in order, with free lists by size: bins of whole grains, then
 * of powers of two; an index by address leads to a block's row. */
#include "agent/doctor/arena.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "base/array.h"

#define ARENA_SIZE (1ull << 30) /* bytes of addresses; memory as it is used */
#define ARENA_INDEX (ARENA_SIZE / ARENA_GRAIN * sizeof(uint32_t))
#define ARENA_FILLED 4096u /* bytes of a new block that hold a pattern */

static void *addresses(size_t size) {
    void *p = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE,
                   -1, 0);
    return p == MAP_FAILED ? NULL : p;
}

bool arena_open(Arena *a) {
    memset(a, 0, sizeof *a);
    a->base = addresses(ARENA_SIZE);
    a->index = addresses(ARENA_INDEX);
    a->blocks = 1;
    if (a->base && a->index) return true;
    arena_close(a);
    return false;
}

void arena_reset(Arena *a) {
    memset(a->index, 0, a->used / ARENA_GRAIN * sizeof *a->index);
    memset(a->bin, 0, sizeof a->bin);
    memset(a->large, 0, sizeof a->large);
    if (a->used > 64u << 20) madvise(a->base, a->used, MADV_DONTNEED);
    a->used = 0;
    a->blocks = 1;
    a->free = a->live = 0;
}

void arena_close(Arena *a) {
    if (a->base) munmap(a->base, ARENA_SIZE);
    if (a->index) munmap(a->index, ARENA_INDEX);
    free(a->block);
    memset(a, 0, sizeof *a);
}

/* Returns the bin for blocks of `size` bytes; *room: bytes that each of them has. */
static char **bin_of(Arena *a, size_t size, size_t *room) {
    size_t grains = (size + ARENA_GRAIN - 1) / ARENA_GRAIN;
    if (grains < ARENA_BINS) {
        *room = grains * ARENA_GRAIN;
        return &a->bin[grains];
    }
    unsigned bits = 64u - (unsigned)__builtin_clzll(size - 1);
    if (bits >= ARENA_LARGE_BINS) return NULL;
    *room = 1ull << bits;
    return &a->large[bits];
}

static char *get(Arena *a, size_t size) {
    size_t room;
    char **bin = bin_of(a, size, &room), *p;
    if (!bin) return NULL;
    if (*bin) {
        p = *bin;
        memcpy(bin, p, sizeof *bin);
    } else if (ARENA_SIZE - a->used > room) {
        p = a->base + a->used;
        a->used += room;
    } else {
        return NULL;
    }
    memset(p, 0xA5, size < ARENA_FILLED ? size : ARENA_FILLED);
    return p;
}

static void put(Arena *a, char *p, size_t size) {
    size_t room;
    char **bin = bin_of(a, size, &room);
    memcpy(p, bin, sizeof *bin);
    *bin = p;
}

static uint32_t *index_of(const Arena *a, const void *addr) {
    return &a->index[(size_t)((const char *)addr - a->base) / ARENA_GRAIN];
}

ArenaBlock *arena_make(Arena *a, size_t size) {
    uint32_t row = a->free;
    if (!row && !array_room(&a->block, &a->room, a->blocks + 1)) return NULL;
    char *p = get(a, size);
    if (!p) return NULL;
    if (row) {
        a->free = a->block[row].listed;
    } else {
        row = a->blocks++;
    }
    a->block[row] = (ArenaBlock){.addr = p, .size = size, .owner = -1};
    *index_of(a, p) = row;
    a->live++;
    return &a->block[row];
}

bool arena_resize(Arena *a, ArenaBlock *b, size_t size) {
    size_t was, is;
    char **from = bin_of(a, b->size, &was), **to = bin_of(a, size, &is);
    if (from != to) {
        char *p = get(a, size);
        if (!p) return false;
        memcpy(p, b->addr, b->size < size ? b->size : size);
        *index_of(a, p) = *index_of(a, b->addr);
        *index_of(a, b->addr) = 0;
        put(a, b->addr, b->size);
        b->addr = p;
    }
    b->size = size;
    return true;
}

void arena_drop(Arena *a, ArenaBlock *b) {
    uint32_t row = (uint32_t)(b - a->block);
    *index_of(a, b->addr) = 0;
    put(a, b->addr, b->size);
    b->addr = NULL;
    b->listed = a->free;
    a->free = row;
    a->live--;
}

ArenaBlock *arena_find(const Arena *a, const void *addr) {
    uintptr_t at = (uintptr_t)addr - (uintptr_t)a->base;
    if (at >= a->used || at % ARENA_GRAIN != 0) return NULL;
    uint32_t row = *index_of(a, addr);
    return row ? &a->block[row] : NULL;
}
