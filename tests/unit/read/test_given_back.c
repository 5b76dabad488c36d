/* Tests that readers of a heap and of tables give back all memory that they have taken (linked with
 * --wrap, which counts it). */
#include "fake_program.h"
#include "heap_fixture.h"
#include "ledger_shape.h"

RELEASE_AT(heapmap_free)

static long pieces; /* of memory, taken and not given back */

void *__real_malloc(size_t size);
void *__real_calloc(size_t n, size_t size);
void *__real_realloc(void *p, size_t size);
void __real_free(void *p);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t n, size_t size);
void *__wrap_realloc(void *p, size_t size);
void __wrap_free(void *p);

void *__wrap_malloc(size_t size) {
    pieces++;
    return __real_malloc(size);
}
void *__wrap_calloc(size_t n, size_t size) {
    pieces++;
    return __real_calloc(n, size);
}
void *__wrap_realloc(void *p, size_t size) {
    if (!p) pieces++;
    return __real_realloc(p, size);
}
void __wrap_free(void *p) {
    if (p) pieces--;
    __real_free(p);
}

TEST(heap) {
    OWN(fake_free_at) FakeHeap *f = heap_fixture_new(8 << 20);
    fake_place_odd(f, FIXTURE_LOW + (64 << 20) + 8, 100, LMP_C_TABLE, 3);
    view_next_frame(&f->view);
    long before = pieces;
    HeapMap *map = heapmap_new(&f->view);
    MapList *list = maplist_new(&f->view);
    while (heapmap_refresh(map, UINT64_MAX)) {
    }
    MapListBlock block[4];
    const MapListQuery query = {FIXTURE_LOW, MAP_ADDRESS_END, (1u << LMP_KINDS) - 1, 0, 0};
    MapListResult got = maplist_read(list, &query, block, 4);
    ck_assert_uint_gt(got.count, 0);
    ck_assert_int_gt(pieces, before + 10);
    maplist_free(list);
    heapmap_free(map);
    ck_assert_int_eq(pieces, before);
    maplist_free(NULL);
    heapmap_free(NULL);
}

TEST(ledgers) {
    OWN(fake_tables_free_at) FakeTables *f = fake_tables_new(NULL);
    fake_program(f, true);
    for (int i = 0; i < 1200; i++) { /* more texts than one piece of memory has room for */
        char name[80];
        snprintf(name, sizeof name, "%060d", i);
        fake_function(f, LMP_F_LUA, "@a.lua", 1000 + i, name);
    }
    long before = pieces;
    for (int round = 0; round < 2; round++) {
        refresh(f, LEDGER_ALL | LEDGER_TAG_LINES, 1);
        refresh(f, LEDGER_ALL | LEDGER_TAG_LINES, 2000000000);
        ck_assert_int_gt(pieces, before + 20);
        ck_assert_uint_gt(ledger.functions, 10);
        for (uint32_t i = 0; i < ledger.functions; i++)
            ck_assert_str_ne(ledger.function[i].name, "");
        ledger_free(&ledger);
        ck_assert_int_eq(pieces, before);
    }
}

/* ---- places in a heap ------------------------------------------------------------------------ */

/* Two regions: positions count their bytes, one after the other. */
TEST(places) {
    OWN(fake_free_at) FakeHeap *f = heap_fixture_new(1 << 20);
    OWN(heapmap_free_at) HeapMap *map = heapmap_new(&f->view);
    while (heapmap_refresh(map, UINT64_MAX)) {
    }
    uint64_t second, past, total = heapmap_total(map);
    ck_assert(!heapmap_position(map, FIXTURE_HIGH - (1ull << 32), &second));
    ck_assert_uint_gt(second, 0);
    ck_assert_uint_lt(second, total);
    ck_assert_uint_gt(heapmap_address(map, second), FIXTURE_HIGH - (1ull << 32));
    ck_assert_uint_lt(heapmap_address(map, second - 1), FIXTURE_HIGH - (1ull << 32));
    ck_assert(!heapmap_position(map, MAP_ADDRESS_END - 1, &past));
    ck_assert_uint_eq(past, total);

    MapRange whole = heapmap_range(map, 0, total), first = heapmap_range(map, 0, second);
    ck_assert_uint_eq(whole.pieces, 2);
    ck_assert_uint_eq(whole.start, heapmap_address(map, 0));
    ck_assert_uint_eq(whole.end, heapmap_address(map, second - 1) + 1);
    ck_assert_uint_eq(whole.last, heapmap_address(map, total - 1) + 1);
    ck_assert_uint_eq(first.pieces, 1);
    ck_assert_uint_eq(first.last, whole.end);
    ck_assert_uint_eq(heapmap_range(map, 0, 0).pieces, 0);
    ck_assert_uint_eq(heapmap_range(map, second, 0).pieces, 0);
    ck_assert_uint_eq(heapmap_range(map, total, 10).pieces, 0);
    ck_assert_uint_eq(heapmap_range(map, second, 2 * total).pieces, 1);
}

/* The smallest size with which so many cells do, and no smaller. */
TEST(fits) {
    OWN(fake_free_at) FakeHeap *f = heap_fixture_new(1 << 20);
    OWN(heapmap_free_at) HeapMap *map = heapmap_new(&f->view);
    while (heapmap_refresh(map, UINT64_MAX)) {
    }
    uint64_t total = heapmap_total(map);
    for (uint64_t least = 1; least < 1 << 20; least *= 8) {
        for (uint64_t count = 0; count < 3000; count = count * 3 / 2 + 1) {
            uint64_t size = heapmap_fit(map, count, least), cells = count ? count : 1;
            uint64_t smallest = least < HEAPMAP_MIN_CELL ? HEAPMAP_MIN_CELL : least;
            ck_assert_uint_ge(size, smallest);
            ck_assert_uint_ge(size * cells, total);
            ck_assert(size == smallest || size / 2 * cells < total);
        }
    }
}
