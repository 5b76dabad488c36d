/* fake_heap.h - a shared state in private memory, written as the hook would, for tests that read
 * one: blocks are placed and taken by address; every other part of it can be set by hand. */
#ifndef LMP_FAKE_HEAP_H
#define LMP_FAKE_HEAP_H

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "own.h"

#include "base/os.h"
#include "read/heapmap/mapscan.h"
#include "read/view.h"

typedef struct FakeHeap {
    LmpView view;
    LmpHeader header;
    LmpControl control;
    LmpLive live;
    LmpOverflow *overflow;
    LmpLeaf *leaf[LMP_MAX_LEAVES];
    bool supervisor; /* parts never touched cannot be read: a read is a crash */
} FakeHeap;

static void *fake_map(size_t size) {
    void *p = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (p == MAP_FAILED) abort();
    return p;
}

/* What reads a state does so for some milliseconds a frame. Here time stands still, unless a test
 * has a clock of its own: how far it comes is not to depend on the machine. */
static uint64_t fake_still(void) {
    return 1;
}

static FakeHeap *fake_new(bool supervisor) {
    static LmpOs still;
    FakeHeap *f = calloc(1, sizeof *f);
    if (lmp_os == &os_real) {
        still = os_real;
        still.clock = fake_still;
        lmp_os = &still;
    }
    f->supervisor = supervisor;
    f->overflow = fake_map(LMP_TABLES_AT - LMP_OVERFLOW_AT);
    f->view.fd = -1;
    f->view.header = &f->header;
    f->view.control = &f->control;
    f->view.live = &f->live;
    f->view.overflow = f->overflow;
    atomic_store(&f->control.frame, 1);
    f->live.epoch = 1;
    f->live.epoch_length = 1000000000;
    return f;
}

static inline void fake_free(FakeHeap *f) {
    for (uint32_t i = 0; i < f->view.leaves; i++)
        munmap(f->leaf[i], sizeof(LmpLeaf));
    munmap(f->overflow, LMP_TABLES_AT - LMP_OVERFLOW_AT);
    free(f);
}
RELEASE_AT(fake_free)

static LmpLeaf *fake_add_leaf(FakeHeap *f, uint64_t word) {
    uint32_t n = f->view.leaves;
    if (n == LMP_MAX_LEAVES) abort();
    LmpLeaf *leaf = fake_map(sizeof *leaf);
    if (f->supervisor) mprotect(leaf->entry, sizeof leaf->entry, PROT_NONE);
    f->leaf[n] = leaf;
    f->view.leaf[n] = leaf;
    f->view.leaf_base[n] = word;
    f->live.leaf_base[n] = word;
    f->live.leaves = f->view.leaves = n + 1;
    return leaf;
}

/* `second`: for the second blocks in the 32 bytes of an entry. */
static LmpLeaf *fake_leaf(FakeHeap *f, uint64_t addr, unsigned second) {
    uint64_t word = LMP_LEAF_WORD(addr >> LMP_LEAF_BITS, addr & 15, second);
    for (uint32_t i = 0; i < f->view.leaves; i++)
        if (f->view.leaf_base[i] == word) return f->leaf[i];
    return fake_add_leaf(f, word);
}

static void fake_touch(FakeHeap *f, LmpLeaf *leaf, uint64_t addr) {
    uint32_t p = (uint32_t)(addr >> LMP_TOUCH_BITS) % LMP_TOUCHES;
    if (f->supervisor && !leaf->touch[p]) {
        mprotect(leaf->entry + p * MAP_PART_ENTRIES, MAP_PART_ENTRIES * 4, PROT_READ | PROT_WRITE);
        if (p + 1 == LMP_TOUCHES || !leaf->touch[p + 1]) /* a size word may stand there */
            mprotect(leaf->entry + (p + 1) * MAP_PART_ENTRIES, 4096, PROT_READ | PROT_WRITE);
    }
    leaf->touch[p] = f->control.frame;
}

static void fake_place_odd(FakeHeap *f, uint64_t addr, uint64_t size, unsigned cls,
                           unsigned birth) {
    LmpOverflow *o = f->overflow;
    if (o->slots == 0) o->slots = 4096;
    for (uint32_t i = (uint32_t)(addr * 2654435761u), n = 0;; i++, n++) {
        LmpOverflowBlock *b = &o->block[i % o->slots];
        if (n == o->slots) abort();
        if (b->addr > 1) continue;
        *b = (LmpOverflowBlock){addr, size, cls | birth << LMP_BLOCK_BIRTH_SHIFT, 0};
        o->used++;
        return;
    }
}

static uint32_t *fake_entry(LmpLeaf *leaf, uint64_t addr) {
    return &leaf->entry[(addr >> LMP_GRAIN_BITS) & (LMP_LEAF_ENTRIES - 1)];
}

/* Beside the grid some blocks stand in leaves of their own, some in the overflow table. */
static void fake_place(FakeHeap *f, uint64_t addr, uint64_t size, unsigned cls, unsigned birth) {
    uint32_t i = (uint32_t)(addr >> LMP_GRAIN_BITS) & (LMP_LEAF_ENTRIES - 1);
    unsigned words = size < 64 ? 0 : size < 1ull << 28 ? 1 : 2, second = 0;
    bool overflow = i + words >= LMP_LEAF_ENTRIES || (addr & 15 && addr >> 8 & 1);
    LmpLeaf *leaf = NULL;
    while (!overflow && !leaf) {
        leaf = fake_leaf(f, addr, second);
        fake_touch(f, leaf, addr);
        if (*fake_entry(leaf, addr)) leaf = NULL;
        overflow = !leaf && second++;
    }
    if (!leaf) {
        fake_place_odd(f, addr, size, cls, birth);
        return;
    }
    if (words > 1) leaf->entry[i + 2] = (uint32_t)(size >> 28) << 4 | LMP_BLOCK_SIZE_HIGH;
    if (words > 0) leaf->entry[i + 1] = (uint32_t)size << 4 | LMP_BLOCK_SIZE;
    leaf->entry[i] = cls | birth << LMP_BLOCK_BIRTH_SHIFT | ((uint32_t)addr & 16) |
                     (words ? 0 : (uint32_t)size << 5);
}

/* As the writer does now and then where nothing is left. */
static void fake_forget(LmpLeaf *leaf, uint64_t addr) {
    uint32_t p = (uint32_t)(addr >> LMP_TOUCH_BITS) % LMP_TOUCHES;
    const uint32_t *entry = leaf->entry + p * MAP_PART_ENTRIES;
    for (uint32_t i = 0; i < MAP_PART_ENTRIES; i++)
        if (entry[i]) return;
    leaf->touch[p] = 0;
}

static inline void fake_take(FakeHeap *f, uint64_t addr, uint64_t size) {
    LmpOverflow *o = f->overflow;
    for (uint32_t i = 0; i < o->slots; i++) {
        if (o->block[i].addr != addr) continue;
        o->block[i].addr = 1;
        return;
    }
    LmpLeaf *leaf = fake_leaf(f, addr, 0);
    uint32_t *entry = fake_entry(leaf, addr);
    if (!*entry || (*entry ^ (uint32_t)addr) & 16) {
        leaf = fake_leaf(f, addr, 1);
        entry = fake_entry(leaf, addr);
    }
    entry[0] = 0;
    if (size >= 64) entry[1] = 0;
    if (size >= 1ull << 28) entry[2] = 0;
    fake_touch(f, leaf, addr);
    if (addr % 7 == 0) fake_forget(leaf, addr);
}

#endif
