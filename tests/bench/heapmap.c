/* heapmap.c - what the heap map costs a viewer: builds a shadow map of so many blocks and times the
 * looks at it. Prints a line each; CPU time, for other programs may be at work.
 *
 *     bench_heapmap [BLOCKS]      20 million blocks, about 1 GiB of addresses, when not told */
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>

#include "chance.h"
#include "read/heapmap/heapmap.h"
#include "read/heapmap/mapscan.h"

#define BASE 0x55d0c2a00000ull
#define FRAME_NS 100e6 /* between two repaints */

static LmpView view;
static LmpControl control;
static LmpOverflow overflow;
static LmpLeaf *leaf[LMP_MAX_LEAVES];

static LmpLeaf *leaf_of(uint64_t addr) {
    uint32_t n = view.leaves;
    if (n > 0 && view.leaf_base[n - 1] == addr >> LMP_LEAF_BITS) return leaf[n - 1];
    void *p = n < LMP_MAX_LEAVES ? mmap(NULL, sizeof(LmpLeaf), PROT_READ | PROT_WRITE,
                                        MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)
                                 : MAP_FAILED;
    if (p == MAP_FAILED) {
        fprintf(stderr, "bench_heapmap: no memory for so many blocks\n");
        exit(1);
    }
    leaf[n] = p;
    view.leaf[n] = p;
    view.leaf_base[n] = addr >> LMP_LEAF_BITS;
    view.leaves = n + 1;
    return p;
}

/* Blocks of 1 to 70 bytes, as malloc would lay them out, with a gap now and then. */
static uint64_t build(uint64_t blocks) {
    uint64_t addr = BASE;
    for (uint64_t n = 0; n < blocks; n++) {
        uint64_t size = 1 + below(70), chunk = (size + 8 + 15) & ~15ull;
        LmpLeaf *l = leaf_of(addr);
        uint32_t i = (uint32_t)(addr >> LMP_GRAIN_BITS) & (LMP_LEAF_ENTRIES - 1);
        uint32_t entry = (uint32_t)(1 + below(10)) | ((uint32_t)addr & 16);
        l->touch[(addr >> LMP_TOUCH_BITS) % LMP_TOUCHES] = 1;
        if (size < 64) {
            l->entry[i] = entry | (uint32_t)size << 5;
        } else if (i + 1 < LMP_LEAF_ENTRIES) {
            l->entry[i] = entry;
            l->entry[i + 1] = (uint32_t)size << 4 | LMP_BLOCK_SIZE;
        }
        addr += chunk < 32 ? 32 : chunk;
        if (below(100) == 0) addr += below(1000) & ~15ull;
    }
    return addr - BASE;
}

static void touch_all(void) {
    for (uint32_t n = 0; n < view.leaves; n++)
        for (uint32_t p = 0; p < LMP_TOUCHES; p++)
            if (leaf[n]->touch[p]) leaf[n]->touch[p] = atomic_load(&control.frame);
    atomic_fetch_add(&control.frame, 5);
}

static void report(const char *what, double ns, double per, const char *unit) {
    printf("%-44s %9.3f ms   %8.2f %s\n", what, ns / 1e6, per, unit);
}

int main(int argc, char **argv) {
    uint64_t blocks = argc > 1 ? strtoull(argv[1], NULL, 10) : 20000000;
    view.control = &control;
    view.overflow = &overflow;
    atomic_store(&control.frame, 2);
    if (blocks == 0) {
        fprintf(stderr, "bench_heapmap: the number of blocks must be 1 or more\n");
        return 2;
    }
    uint64_t span = build(blocks);
    printf("%llu blocks, %.1f MiB of addresses\n", (unsigned long long)blocks,
           (double)span / (1 << 20));
    HeapMap *map = heapmap_new(&view);
    if (!map) return 1;
    for (int round = 0; round < 3; round++) {
        touch_all();
        double t = (double)spent();
        heapmap_refresh(map, UINT64_MAX);
        t = (double)spent() - t;
        report(round ? "all changed, looked at again" : "the first look", t, t / (double)blocks,
               "ns a block");
    }
    double t = (double)spent();
    for (int i = 0; i < 10; i++)
        heapmap_refresh(map, 4000000);
    t = ((double)spent() - t) / 10;
    report("nothing changed", t, t / FRAME_NS * 100, "% of a core at 10 repaints a second");
    static MapCell cell[4000];
    static const uint64_t sizes[] = {0, 4096, 2048, 32};
    for (int s = 0; s < 4; s++) {
        uint64_t size = sizes[s] ? sizes[s] : heapmap_fit(map, 4000, HEAPMAP_MIN_CELL);
        char what[64];
        snprintf(what, sizeof what, "4000 cells of %llu bytes", (unsigned long long)size);
        t = (double)spent();
        for (int i = 0; i < 10; i++)
            heapmap_cells(map, 0, size, 4000, cell);
        t = ((double)spent() - t) / 10;
        report(what, t, t / FRAME_NS * 100, "% of a core at 10 repaints a second");
    }
    heapmap_free(map);
    return 0;
}
