/* Heap map and lists of blocks, against a naive model that keeps all blocks in an array. */
#include "suite.h"

#include "base/os.h"
#include "fake_heap.h"
#include "read/heapmap/heapmap_impl.h"

RELEASE_AT(maplist_free)
RELEASE_AT(heapmap_free)

#define ALL_KINDS ((1u << LMP_KINDS) - 1)
#define FOREVER UINT64_MAX
#define MAX_BLOCKS 3000u

static uint64_t fake_now = 1;
static uint64_t fake_clock(void) {
    return fake_now;
}
static LmpOs fake_os;

static void stop_clock(void) {
    fake_os = os_real;
    fake_os.clock = fake_clock;
    lmp_os = &fake_os;
}

/* ---- the model ------------------------------------------------------------------------------- */

typedef struct Block {
    uint64_t addr, size;
    unsigned cls, birth;
} Block;

typedef struct Naive {
    FakeHeap *heap;
    Block block[MAX_BLOCKS]; /* by rising address */
    uint32_t count;
} Naive;

static const uint64_t arenas[] = {
    0x55d0c2a00000, /* as sbrk gives it */
    0x7f0003f80000, /* over the end of a leaf */
    0x7f0007fff000, /* just before one */
    0x7fff00000000, /* far away */
};

static uint64_t random_size(void) {
    switch (suite_below(20)) {
    case 0:
        return 4000 + suite_below(200);
    case 1:
        return 4096 + suite_below(100000);
    case 2:
        return suite_below(8) ? 64 + suite_below(3000) : 1000000 + suite_below(3000000);
    case 3:
        return suite_below(16) ? 64 : 70000000 + suite_below(100000000);
    case 4:
        return suite_below(30) ? 63 : (1ull << 28) + suite_below(1ull << 28);
    case 5:
        return 64 + suite_below(3000);
    default:
        return 1 + suite_below(100);
    }
}

static void naive_add(Naive *n) {
    if (n->count == MAX_BLOCKS) return;
    uint64_t base = arenas[suite_below(4)];
    uint64_t addr = base + (suite_below(suite_below(4) ? 20000 : 3000000) & ~15ull);
    uint64_t size = random_size();
    if (suite_below(40) == 0) addr += suite_below(16);
    if (suite_below(6) == 0 && n->count > 0) { /* right behind another */
        const Block *b = &n->block[suite_below(n->count)];
        addr = (b->addr + b->size + 15) & ~15ull;
    }
    uint32_t at = 0;
    while (at < n->count && n->block[at].addr < addr)
        at++;
    if (at > 0 && n->block[at - 1].addr + n->block[at - 1].size > addr) return;
    if (at < n->count && addr + size > n->block[at].addr) return;
    memmove(&n->block[at + 1], &n->block[at], (n->count - at) * sizeof *n->block);
    Block b = {addr, size, 1 + (unsigned)suite_below(LMP_C_OWN), 1 + (unsigned)suite_below(255)};
    n->block[at] = b;
    n->count++;
    fake_place(n->heap, b.addr, b.size, b.cls, b.birth);
}

static void naive_remove(Naive *n, uint32_t at) {
    fake_take(n->heap, n->block[at].addr, n->block[at].size);
    n->count--;
    memmove(&n->block[at], &n->block[at + 1], (n->count - at) * sizeof *n->block);
}

static void naive_work(Naive *n, unsigned operations, unsigned add_of_8) {
    for (unsigned i = 0; i < operations; i++) {
        if (suite_below(8) < add_of_8) {
            naive_add(n);
        } else if (n->count > 0) {
            naive_remove(n, (uint32_t)suite_below(n->count));
        }
    }
}

static bool counted(const Block *b) {
    return b->cls < LMP_C_COUNTED;
}

static void naive_sum(const Naive *n, uint64_t from, uint64_t to, MapCell *out) {
    for (uint32_t i = 0; i < n->count; i++) {
        const Block *b = &n->block[i];
        uint64_t a = b->addr > from ? b->addr : from;
        uint64_t e = b->addr + b->size < to ? b->addr + b->size : to;
        if (!counted(b) || a >= e) continue;
        out->bytes[class_owner(b->cls)] += e - a;
        if (b->addr >= from) out->blocks++;
    }
}

static void check_cells(const Naive *n, const HeapMap *map, uint64_t first, uint64_t size,
                        uint32_t count) {
    OWN(free_at) MapCell *cell = calloc(count, sizeof *cell);
    heapmap_cells(map, first, size, count, cell);
    for (uint32_t i = 0; i < count; i++) {
        MapCell want = {{0}, 0, 0};
        MapRange range = heapmap_range(map, first + i * size, size);
        uint64_t at = first + i * size, covered = 0;
        for (uint32_t piece = 0; piece < range.pieces; piece++) {
            MapRange r = heapmap_range(map, at, first + (i + 1) * size - at);
            naive_sum(n, r.start, r.end, &want);
            at += r.end - r.start;
            covered += r.end - r.start;
        }
        ck_assert_uint_eq(cell[i].capacity, covered);
        ck_assert_uint_eq(cell[i].blocks, want.blocks);
        for (int k = 0; k < LMP_KINDS; k++)
            ck_assert_msg(cell[i].bytes[k] == want.bytes[k],
                          "cell %u of %llu bytes at %llx, kind %d: %llu, want %llu", i,
                          (unsigned long long)size, (unsigned long long)range.start, k,
                          (unsigned long long)cell[i].bytes[k], (unsigned long long)want.bytes[k]);
    }
}

/* The whole heap in one go holds every byte there is: nothing is off the edge. */
static void check_whole(const Naive *n, const HeapMap *map) {
    MapCell want = {{0}, 0, 0};
    naive_sum(n, 0, UINT64_MAX, &want);
    uint32_t count = 1 + (uint32_t)suite_below(500);
    uint64_t size = heapmap_fit(map, count, HEAPMAP_MIN_CELL);
    MapCell *cell = calloc(count, sizeof *cell);
    heapmap_cells(map, 0, size, count, cell);
    MapCell got = {{0}, 0, 0};
    for (uint32_t i = 0; i < count; i++) {
        for (int k = 0; k < LMP_KINDS; k++)
            got.bytes[k] += cell[i].bytes[k];
        got.blocks += cell[i].blocks;
        got.capacity += cell[i].capacity;
    }
    free(cell);
    ck_assert_uint_eq(got.capacity, heapmap_total(map));
    ck_assert_uint_eq(got.blocks, want.blocks);
    for (int k = 0; k < LMP_KINDS; k++)
        ck_assert_uint_eq(got.bytes[k], want.bytes[k]);
}

static void check_positions(const HeapMap *map) {
    uint64_t total = heapmap_total(map);
    for (int i = 0; total > 0 && i < 50; i++) {
        uint64_t position = suite_below(total), back;
        uint64_t addr = heapmap_address(map, position);
        ck_assert(heapmap_position(map, addr, &back));
        ck_assert_uint_eq(back, position);
    }
}

static void check_list(const Naive *n, MapList *list, uint64_t from, uint64_t to) {
    MapListBlock out[16];
    MapListQuery q = {from, to, (unsigned)suite_below(ALL_KINDS + 1), suite_below(40), 0};
    if (n->count > 0 && suite_below(2)) q.key = n->block[suite_below(n->count)].addr;
    MapListResult r = maplist_read(list, &q, out, 16);
    MapListResult want = {0, 0, 0, 0};
    for (uint32_t i = 0; i < n->count; i++) {
        const Block *b = &n->block[i];
        if (from >= to || !counted(b) || b->addr >= to || b->addr + b->size <= from ||
            !(q.kinds >> class_owner(b->cls) & 1))
            continue;
        want.bytes += b->size;
        if (q.key && b->addr < q.key) want.key++;
        if (want.total++ < q.first || want.count == 16) continue;
        const MapListBlock *o = &out[want.count++];
        ck_assert_uint_lt(want.count, r.count + 1);
        ck_assert_uint_eq(o->addr, b->addr);
        ck_assert_uint_eq(o->size, b->size);
        ck_assert_uint_eq(o->kind, class_owner(b->cls));
        ck_assert_uint_eq(o->birth, b->birth);
        ck_assert_int_eq(o->text, b->cls == LMP_C_STRING);
    }
    ck_assert_uint_eq(r.count, want.count);
    ck_assert_uint_eq(r.total, want.total);
    ck_assert_uint_eq(r.bytes, want.bytes);
    ck_assert_uint_eq(r.key, want.key);
}

static void check_all(const Naive *n, HeapMap *map, MapList *list) {
    check_whole(n, map);
    check_positions(map);
    for (int i = 0; i < 6 && heapmap_total(map) > 0; i++) {
        uint64_t size = HEAPMAP_MIN_CELL << suite_below(18);
        uint64_t first = suite_below(heapmap_total(map)) & ~(size - 1);
        check_cells(n, map, first, size, 1 + (uint32_t)suite_below(200));
    }
    for (int i = 0; i < 10; i++) {
        uint64_t from = arenas[suite_below(4)] + suite_below(1 << 16);
        if (n->count > 0 && suite_below(2)) {
            const Block *b = &n->block[suite_below(n->count)];
            from = b->addr + suite_below(b->size + 1);
        }
        check_list(n, list, from, from + suite_below(1ull << (4 + suite_below(25))));
    }
    check_list(n, list, 0, UINT64_MAX);
}

/* The next frame's map, whole. */
static void refresh(FakeHeap *heap, HeapMap *map) {
    view_next_frame(&heap->view);
    heapmap_refresh(map, FOREVER);
}

TEST(test_against_model) {
    stop_clock();
    OWN(free_at) Naive *n = calloc(1, sizeof *n);
    n->heap = fake_new(true);
    HeapMap *map = heapmap_new(&n->heap->view);
    MapList *list = maplist_new(&n->heap->view);
    for (unsigned round = 0; round < 120; round++) {
        naive_work(n, (unsigned)suite_below(200), round % 20 < 14 ? 6 : 1);
        view_next_frame(&n->heap->view);
        fake_now += suite_below(2) ? 100000000 : 8000000000;
        ck_assert(!heapmap_refresh(map, FOREVER));
        check_all(n, map, list);
    }
    while (n->count > 0)
        naive_remove(n, n->count - 1);
    refresh(n->heap, map);
    check_all(n, map, list);
    maplist_free(list);
    heapmap_free(map);
    fake_free(n->heap);
}

/* With no time at all every call looks at one part, and all are reached in turn. */
TEST(test_small_budget) {
    stop_clock();
    OWN(free_at) Naive *n = calloc(1, sizeof *n);
    n->heap = fake_new(true);
    HeapMap *map = heapmap_new(&n->heap->view);
    MapList *list = maplist_new(&n->heap->view);
    for (unsigned round = 0; round < 20; round++) {
        for (int frame = 0; frame < 10; frame++) { /* at work meanwhile */
            naive_work(n, 20, 5);
            view_next_frame(&n->heap->view);
            heapmap_refresh(map, 0);
        }
        int calls = 0;
        do {
            view_next_frame(&n->heap->view);
            ck_assert_int_lt(calls++, 2000);
        } while (heapmap_refresh(map, 0));
        heapmap_refresh(map, 0);
        check_all(n, map, list);
    }
    maplist_free(list);
    heapmap_free(map);
    fake_free(n->heap);
}

/* A change under a stamp that the map has seen already is seen with the next look. */
TEST(test_same_stamp) {
    stop_clock();
    OWN(free_at) Naive *n = calloc(1, sizeof *n);
    n->heap = fake_new(true);
    HeapMap *map = heapmap_new(&n->heap->view);
    fake_place(n->heap, 0x1000000, 40, LMP_C_TABLE, 1);
    for (uint64_t i = 0; i < 12; i++) /* so that it is not this part's turn to be verified */
        fake_place(n->heap, 0xa00000 + (i << 20), 1, LMP_C_OTHER, 1);
    refresh(n->heap, map);
    fake_place(n->heap, 0x1000040, 50, LMP_C_STRING, 1);
    n->heap->leaf[0]->touch[16] = n->heap->control.frame - 1; /* stamped by a hook a frame behind */
    refresh(n->heap, map);
    MapCell cell;
    heapmap_cells(map, 0, 1ull << 40, 1, &cell);
    ck_assert_uint_eq(cell.bytes[LMP_STRING], 50);
    ck_assert_uint_eq(cell.bytes[LMP_TABLE], 40);
    ck_assert_uint_eq(cell.blocks, 14);
    heapmap_free(map);
    fake_free(n->heap);
}

/* Entries under a large block were never written: they are holes in the file and must stay so. */
TEST(test_holes_stay) {
    stop_clock();
    OWN(fake_free_at) FakeHeap *heap = fake_new(true);
    OWN(heapmap_free_at) HeapMap *map = heapmap_new(&heap->view);
    uint64_t addr = 7ull << LMP_LEAF_BITS;
    fake_place(heap, addr, 3 << 20, LMP_C_TABLE_PART, 1);
    fake_place(heap, addr + (3 << 20), 40, LMP_C_STRING, 1);
    mprotect(heap->leaf[0]->entry + 1024, (MAP_PART_ENTRIES - 1024) * 4, PROT_NONE);
    refresh(heap, map);
    MapCell cell;
    heapmap_cells(map, 0, 4 << 20, 1, &cell);
    ck_assert_uint_eq(cell.bytes[LMP_TABLE], 3 << 20);
    ck_assert_uint_eq(cell.bytes[LMP_STRING], 40);
    heapmap_cells(map, 1 << 20, 64, 1, &cell);
    ck_assert_uint_eq(cell.bytes[LMP_TABLE], 64);
    ck_assert_uint_eq(cell.blocks, 0);
}

/* Regions keep their place: allocations and frees inside move nothing, a growing heap moves things
 * a few times only, one that stays small for long is shown as it is. */
TEST(test_stable) {
    stop_clock();
    OWN(fake_free_at) FakeHeap *heap = fake_new(false);
    OWN(heapmap_free_at) HeapMap *map = heapmap_new(&heap->view);
    uint64_t low = 0x55d000000000, high = 0x7f1000000000;
    for (uint64_t i = 0; i < 64; i++)
        fake_place(heap, high + i * 4096, 4000, LMP_C_STRING, 1);
    uint32_t layouts = 0, before = heapmap_arrange(map);
    for (uint64_t i = 0; i < 20000; i++) { /* 20 MiB, a KiB at a time */
        fake_place(heap, low + i * 1024, 1000, LMP_C_TABLE, 1);
        if (i % 50) continue;
        refresh(heap, map);
        layouts += heapmap_arrange(map) != before;
        before = heapmap_arrange(map);
    }
    ck_assert_uint_lt(layouts, 60);
    ck_assert_uint_eq(map->regions, 2);
    uint64_t position;
    for (uint64_t i = 64; i < 200; i++) { /* what is in one piece grows over its region's end */
        fake_place(heap, high + i * 4096, 4000, LMP_C_STRING, 1);
        refresh(heap, map);
        ck_assert(heapmap_position(map, high + i * 4096, &position));
        ck_assert_uint_lt(position, heapmap_total(map));
    }
    refresh(heap, map);
    before = heapmap_arrange(map);
    ck_assert(heapmap_position(map, high, &position));
    for (uint64_t i = 10; i < 20000; i++)
        fake_take(heap, low + i * 1024, 1000);
    refresh(heap, map);
    ck_assert_uint_eq(heapmap_arrange(map), before); /* not at once ... */
    for (int i = 0; i < 12; i++) {
        fake_now += 1000000000;
        refresh(heap, map);
    }
    ck_assert_uint_ne(heapmap_arrange(map), before); /* ... but then */
    ck_assert_uint_lt(heapmap_total(map), 1 << 20);
}

TEST(test_empty) {
    stop_clock();
    OWN(fake_free_at) FakeHeap *heap = fake_new(true);
    OWN(heapmap_free_at) HeapMap *map = heapmap_new(&heap->view);
    heapmap_refresh(map, FOREVER);
    ck_assert_uint_eq(heapmap_total(map), 0);
    ck_assert_uint_eq(heapmap_address(map, 5), 0);
    uint64_t position;
    ck_assert(!heapmap_position(map, 4711, &position));
    ck_assert_uint_eq(heapmap_range(map, 0, 64).pieces, 0);
    ck_assert_uint_eq(heapmap_fit(map, 0, 16), 16);
    MapCell cell[3];
    heapmap_cells(map, 0, 64, 3, cell);
    ck_assert_uint_eq(cell[0].capacity, 0);
    ck_assert_int_eq(mapcell_kind(&cell[0], ALL_KINDS), -1);
}

TEST(test_dominant_kind) {
    MapCell cell = {.bytes = {[LMP_STRING] = 10, [LMP_TABLE] = 30, [LMP_OTHER] = 5}};
    ck_assert_int_eq(mapcell_kind(&cell, ALL_KINDS), LMP_TABLE);
    ck_assert_int_eq(mapcell_kind(&cell, ALL_KINDS & ~(1u << LMP_TABLE)), LMP_STRING);
    ck_assert_int_eq(mapcell_kind(&cell, 1u << LMP_THREAD), -1);
    ck_assert_uint_eq(mapcell_bytes(&cell, 1u << LMP_TABLE | 1u << LMP_OTHER), 35);
}

TEST(test_age) {
    uint64_t least, most;
    ck_assert(maplist_age(1, 1000, 700, &least, &most));
    ck_assert_uint_eq(least, 0);
    ck_assert_uint_eq(most, 700);
    ck_assert(maplist_age(3, 1000, 9500, &least, &most));
    ck_assert_uint_eq(least, 6500);
    ck_assert_uint_eq(most, 7500);
    ck_assert(!maplist_age(0, 1000, 700, &least, &most));
    ck_assert(!maplist_age(9, 1000, 700, &least, &most));
    ck_assert(!maplist_age(3, 0, 700, &least, &most));
    ck_assert(!maplist_age(255, UINT64_MAX, 700, &least, &most));
}

/* ---- hostile state --------------------------------------------------------------------------- */

static uint32_t hostile_entry(void) {
    uint32_t e = (uint32_t)suite_random();
    switch (suite_below(6)) {
    case 0:
        return 0;
    case 1:
        return (e & ~15u) | LMP_BLOCK_SIZE;
    case 2:
        return (e & ~15u) | LMP_BLOCK_SIZE_HIGH;
    case 3:
        return (e & ~0x7e0u & ~15u) | (uint32_t)(1 + suite_below(11)); /* size elsewhere */
    case 4:
        return (e & ~15u) | (uint32_t)(1 + suite_below(12));
    default:
        return e;
    }
}

TEST(test_hostile) {
    stop_clock();
    for (int round = 0; round < 40; round++) {
        OWN(fake_free_at) FakeHeap *heap = fake_new(false);
        OWN(heapmap_free_at) HeapMap *map = heapmap_new(&heap->view);
        OWN(maplist_free_at) MapList *list = maplist_new(&heap->view);
        for (int step = 0; step < 4; step++) {
            uint64_t bases[] = {suite_random(), suite_below(4), suite_below(1 << 22), 0x3fffff,
                                UINT64_MAX};
            uint64_t kind = suite_below(3) ? 0 : suite_below(LMP_LEAF_KINDS) << 56;
            LmpLeaf *leaf = fake_add_leaf(heap, bases[suite_below(5)] | kind);
            uint32_t density = 1 + (uint32_t)suite_below(5000);
            for (uint32_t i = 0; i < LMP_LEAF_ENTRIES; i += 1 + (uint32_t)suite_below(density))
                leaf->entry[i] = hostile_entry();
            for (int i = 0; i < 4; i++)
                leaf->entry[LMP_LEAF_ENTRIES - 1 - suite_below(3)] = hostile_entry();
            for (uint32_t i = 0; i < LMP_TOUCHES; i++)
                if (suite_below(2)) leaf->touch[i] = (uint32_t)suite_random();
            LmpOverflow *o = heap->overflow;
            o->slots = suite_below(2) ? (uint32_t)suite_random() : (uint32_t)suite_below(70000);
            o->used = (uint32_t)suite_random();
            for (int i = 0; i < 300; i++) {
                uint64_t w[4] = {suite_random() >> suite_below(64),
                                 suite_random() >> suite_below(64), suite_random(), suite_random()};
                memcpy(&o->block[suite_below(400)], w, sizeof o->block[0]);
            }
            fake_now += suite_below(20000000000);
            view_next_frame(&heap->view);
            heapmap_refresh(map, suite_below(2) ? FOREVER : 0);
            uint64_t total = heapmap_total(map);
            MapCell cell[300];
            for (int i = 0; i < 10; i++) {
                uint64_t size = HEAPMAP_MIN_CELL << suite_below(32);
                uint64_t first = (total ? suite_below(total) : suite_random()) & ~(size - 1);
                heapmap_cells(map, first, size, 1 + (uint32_t)suite_below(300), cell);
                heapmap_range(map, first, size);
                heapmap_position(map, suite_random() >> suite_below(64), &first);
            }
            uint64_t fit = heapmap_fit(map, 300, HEAPMAP_MIN_CELL);
            heapmap_cells(map, 0, fit, 300, cell);
            MapListBlock out[10];
            for (int i = 0; i < 4; i++) {
                uint64_t from = heapmap_address(map, total ? suite_below(total) : 0);
                MapListQuery q = {from, from + suite_below(1 << 20), ALL_KINDS, suite_below(50),
                                  suite_random()};
                maplist_read(list, &q, out, 10);
            }
        }
    }
}
