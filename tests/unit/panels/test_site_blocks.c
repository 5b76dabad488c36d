/* The live blocks of a site: all of them, and no others, however little is looked at in a frame. */
#include "fake_program.h"
#include "heap_fixture.h"
#include "suite.h"

#include "base/os.h"
#include "panels/site_blocks.h"

/* A clock by which every look at it takes its time. */
static uint64_t ticking(void) {
    static uint64_t now;
    return now += 10;
}

static FakeHeap *heap;
static FakeTables *tables;
static Model *model;

/* Blocks of one record after the other. */
static void set_up(void) {
    static LmpOs os;
    os = os_real;
    os.clock = ticking;
    lmp_os = &os;
    heap = heap_fixture_new(1 << 20);
    tables = fake_tables_new(NULL);
    fake_program(tables, true);
    heap_fixture_contexts(heap, tables);
    heap->view.tables = tables->t;
    model = heap_fixture_model(heap);
    ck_assert(model_fill_ledger(model, &heap->view, LEDGER_ALL));
}

static void tear_down(void) {
    ledger_free(&model->ledger);
    free(model);
    fake_free(heap);
    fake_tables_free(tables);
}

/* Field by field: what lies between them may be anything. */
static void check_same(const MapListBlock *a, const MapListBlock *b) {
    ck_assert_uint_eq(a->addr, b->addr);
    ck_assert_uint_eq(a->size, b->size);
    ck_assert_uint_eq(a->alloc_context, b->alloc_context);
    ck_assert_uint_eq(a->birth, b->birth);
    ck_assert(a->kind == b->kind && a->part == b->part && a->text == b->text);
}

static int by_address(const void *a, const void *b) {
    uint64_t x = ((const MapListBlock *)a)->addr, y = ((const MapListBlock *)b)->addr;
    return x < y ? -1 : x > y;
}

/* Looks until everything has been seen; returns in how many steps. */
static int look(SiteBlocks *b, uint32_t id, uint64_t budget) {
    int steps = 0;
    do {
        site_blocks_step(b, &heap->view, &model->ledger, id, model->clock, 0, budget);
        ck_assert_int_lt(++steps, 100000);
    } while (!site_blocks_found(b)->any);
    return steps;
}

TEST(test_all_and_no_others) {
    set_up();
    static MapListBlock all[1 << 17], mine[1 << 17];
    MapList *list = maplist_new(&heap->view);
    MapListQuery everything = {0, UINT64_MAX, (1u << LMP_KINDS) - 1, 0, 0};
    MapListResult r = maplist_read(list, &everything, all, 1 << 17);
    ck_assert_uint_eq(r.count, r.total);
    SiteBlocks *b = site_blocks_new(1 << 17);
    uint64_t seen = 0;
    for (uint32_t s = 0; s < model->ledger.sites; s++) {
        uint32_t count, want = 0;
        look(b, model->ledger.site[s].id, s % 2 ? 1000000000 : 1);
        const MapListBlock *got = site_blocks_list(b, &count);
        for (uint32_t i = 0; i < r.count; i++)
            if (ledger_site_of(&model->ledger, &tables->t, all[i].alloc_context) == s) want++;
        ck_assert_uint_eq(count, want);
        ck_assert_uint_eq(count, site_blocks_found(b)->blocks);
        memcpy(mine, got, count * sizeof *mine);
        qsort(mine, count, sizeof *mine, by_address);
        for (uint32_t i = 0, m = 0; i < r.count; i++) {
            if (ledger_site_of(&model->ledger, &tables->t, all[i].alloc_context) != s) continue;
            check_same(&mine[m++], &all[i]);
        }
        seen += count;
    }
    ck_assert_uint_gt(seen, 5000);
    site_blocks_free(b);
    maplist_free(list);
    tear_down();
}

/* No more than were asked for are listed; all are counted. */
TEST(test_bounded) {
    set_up();
    SiteBlocks *b = site_blocks_new(10), *none = site_blocks_new(0);
    uint32_t id = model->ledger.site[0].id, count;
    ck_assert_int_gt(look(b, id, 1), 50); /* a part in each step */
    ck_assert_ptr_nonnull(site_blocks_list(b, &count));
    ck_assert_uint_eq(count, 10);
    ck_assert_uint_gt(site_blocks_found(b)->blocks, 10);
    look(none, id, 1000000000);
    site_blocks_list(none, &count);
    ck_assert_uint_eq(count, 0);
    ck_assert_uint_eq(site_blocks_found(none)->blocks, site_blocks_found(b)->blocks);
    site_blocks_free(b);
    site_blocks_free(none);
    tear_down();
}
