/* test_usage.c - usages of nodes that are young, grow, or have grown: whatever happens on one of a
 * node's paths, a reader sees what plain counters say. */
#include "agent/map/usage.h"

#include "base/os.h"
#include "suite.h"

enum { NODES = 40, PATHS = 3 * NODES, OPERATIONS = 4000 };

static LmpProfile p;
static LmpCounters counters;
static LmpUsage plain[NODES + 1];

static void end(void) {
    os_real.unmap(p.tables.text, LMP_TABLES_SIZE);
    free(p.live);
}

/* Three paths of each node, one after the other; the first in path 1, 2 ... */
static void begin(void) {
    suite_close();
    memset(&p, 0, sizeof p);
    memset(plain, 0, sizeof plain);
    p.live = calloc(1, sizeof *p.live);
    p.tables = tables_at(os_real.map(LMP_TABLES_SIZE, -1, 0, true), p.live);
    suite_closes(end);
    p.record = p.tables.record;
    p.counters = &counters;
    p.tree = (struct LmpTree *)&counters; /* that there is one is all that is looked at */
    counters = (LmpCounters){.peak_serial = 1};
    ck_assert_uint_eq(usage_add(&p), 0);
    p.live->tables.nodes = NODES + 1;
    p.live->tables.paths = PATHS + 1;
    for (uint32_t i = 0; i < PATHS; i++) {
        uint32_t node = 1 + i % NODES;
        bool first = i < NODES;
        if (first) p.tables.node[node].path = i + 1;
        p.tables.path[i + 1] = (LmpPath){
            node, 1 + i % 5, first ? usage_add_young(&p) : p.tables.path[i + 1 - NODES].usage};
    }
}

static void made(uint32_t path, uintptr_t addr, uint64_t n) {
    if (!usage_made(&p, path, addr, n, true)) usage_made_young(&p, path, addr, n);
}

static void freed(uint32_t path, uintptr_t addr, uint64_t n, uint32_t age) {
    if (!usage_freed(&p, path, addr, n, age, true)) usage_freed_young(&p, path, addr, n, age);
}

static void check(uint32_t node) {
    LmpUsage room, got = *tables_node_usage(&p.tables, node, &room), want = plain[node];
    ck_assert_mem_eq(&got, &want, sizeof got);
}

/* Sizes that fit now and then. */
static uint64_t size(void) {
    return suite_random() >> (24 + suite_below(40));
}

static void operate(uint32_t path) {
    LmpUsage *want = &plain[p.tables.path[path].node];
    uint32_t age = suite_below(2) ? 0 : LMP_SHORT_LIVED;
    uintptr_t addr = suite_below(8) ? 16 * suite_below(4) : suite_random();
    uint64_t n = size();
    if (suite_below(5) == 0) counters.peak_serial = (counters.peak_serial + 1) % LMP_PEAK_SERIALS;
    usage_stamp(&counters, want, false);
    switch (suite_below(4)) {
    case 0:
        freed(path, addr, n, age);
        usage_take(want, addr, n, age);
        break;
    case 1:
        usage_resized(&p, path, 1, addr, addr + 16, n, n / 2);
        usage_move(want, addr, addr + 16, n / 2 - n);
        break;
    default:
        made(path, addr, n);
        usage_put(want, addr, n);
    }
    check(p.tables.path[path].node);
}

TEST(any_operations) {
    begin();
    counters.peak_serial = LMP_PEAK_SERIALS - 50; /* the last numbers, and the first */
    for (int i = 0; i < OPERATIONS; i++)
        operate(1 + (uint32_t)(suite_below(2) ? suite_below(PATHS) : suite_below(i / 100 + 1)));
    for (uint32_t node = 1; node <= NODES; node++)
        check(node);
}

/* A node stays young while it makes few blocks, and each of its paths finds it when it has grown.
 */
TEST(growth) {
    begin();
    uint32_t words = p.live->tables.usages, young = p.tables.path[1].usage;
    const uint32_t first = 1, second = 1 + NODES, third = 1 + 2 * NODES;
    for (int i = 0; i < 7; i++) {
        made(i % 2 ? first : second, 4096, 100);
        ck_assert_uint_eq(p.live->tables.usages, words);
    }
    ck_assert(!usage_made(&p, first, 4096, 100, true)); /* not in the usual way */
    made(second, 4096, 100);
    uint32_t grown = p.tables.path[second].usage;
    ck_assert_uint_eq(grown, words);
    ck_assert_uint_eq(p.live->tables.usages, words + sizeof(LmpUsage) / 8);
    ck_assert_uint_eq(p.tables.path[first].usage, young); /* nobody has asked on it since */
    ck_assert(!usage_made(&p, first, 4096, 100, true));
    made(first, 4096, 100);
    freed(third, 4096, 100, 0);
    ck_assert_uint_eq(p.tables.path[first].usage, grown);
    ck_assert_uint_eq(p.tables.path[third].usage, grown);
    ck_assert(usage_made(&p, first, 8192, 1, true));
    LmpUsage room;
    const LmpUsage *u = tables_node_usage(&p.tables, 1, &room);
    ck_assert_uint_eq(u->allocs, 10);
    ck_assert_uint_eq(u->bytes, 901);
    ck_assert_uint_eq(u->frees, 1);
    ck_assert_uint_eq(u->temporary, 1);
}

/* A figure that does not fit has it grow, too. */
TEST(large_figures) {
    for (int figure = 0; figure < 4; figure++) {
        begin();
        uint32_t words = p.live->tables.usages;
        uintptr_t far = 1ull << 47;
        if (figure == 0) made(1, far, UINT32_MAX);
        if (figure == 1) made(1, 2 * far, 1);
        if (figure == 2) usage_resized(&p, 1, 1, 16, 32, 0, 1u << 31);
        if (figure == 3) usage_resized(&p, 1, 1, 16, 32, 1, 0);
        ck_assert_int_eq(p.live->tables.usages > words, figure > 0);
        if (figure == 0) made(1, far, 1);
        ck_assert_uint_gt(p.live->tables.usages, words);
    }
}

/* Nobody can have seen a word that is none: such a path has nothing. */
TEST(damaged) {
    static const uint32_t words[] = {UINT32_MAX, LMP_USAGES_MAX, LMP_USAGES_MAX - 1};
    LmpUsage room, none = {0};
    begin();
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        p.tables.path[1].usage = words[i];
        ck_assert_mem_eq(tables_node_usage(&p.tables, 1, &room), &none, sizeof none);
        p.tables.path[2].usage = 11;
        *(LmpYoungUsage *)(void *)tables_usage(&p.tables, 11) =
            (LmpYoungUsage){.serial = LMP_GROWN, .last = words[i]};
        ck_assert_mem_eq(tables_node_usage(&p.tables, 2, &room), &none, sizeof none);
        p.tables.node[3].path = words[i];
        ck_assert_mem_eq(tables_node_usage(&p.tables, 3, &room), &none, sizeof none);
    }
}
