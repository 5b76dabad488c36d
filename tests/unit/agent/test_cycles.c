/* Tests of cycles.c: rows are what every site holds after full collections, the last of them
 * the newest; the newest are as dense as they were made, the others span the whole run, and the
 * most that was ever held is never lost; making them costs a bounded share of the time. */
#include "agent/charge/cycles.h"

#include "agent/charge/sites.h"
#include "base/os.h"
#include "suite.h"

static LmpProfile p;
static LmpLiveHistoryPlan plan;
static uint64_t now, cost; /* what the clock says, and how far it goes on each time, nanoseconds */
static uint64_t spent;
static LmpOs test_os;

static uint64_t test_clock(void) {
    now += cost;
    spent += cost;
    return now;
}

static void end(void) {
    sites_close(&p);
    os_real.unmap(p.tables.text, LMP_TABLES_SIZE);
    free(p.live);
    lmp_os = &os_real;
}

static void begin(void) {
    suite_closes(end);
    test_os = os_real;
    test_os.clock = test_clock;
    lmp_os = &test_os;
    now = cost = spent = 0;
    memset(&p, 0, sizeof p);
    memset(&plan, 0, sizeof plan);
    p.live_history = &plan;
    p.live = calloc(1, sizeof *p.live);
    p.live->tables.lines = LMP_LINES_EXACT;
    p.tables = tables_at(os_real.map(LMP_TABLES_SIZE, -1, 0, true), p.live);
    ck_assert_int_eq(sites_open(&p), LMP_OK);
}

/* A full collection begins to sweep at `clock`, nanoseconds since start. */
static void sweeps(uint64_t clock) {
    p.live->gc.now = (LmpGcCycle){.start = clock};
    cycles_full_began(&p);
}

/* It ends. */
static void ends(uint64_t clock) {
    LmpGc *gc = &p.live->gc;
    gc->now.end = clock;
    gc->ring[gc->cycles++ % LMP_GC_RING] = gc->now;
    gc->full++;
    cycles_full_ended(&p);
}

static void cycle(uint64_t clock) {
    sweeps(clock);
    ends(clock);
}

static const struct LmpLiveHistoryList *list(void) {
    return &p.live->tables.live_history_list[p.live->tables.live_history % 2];
}

static uint32_t newest(void) {
    return list()->slot[list()->rows - 1];
}

#define MS 1000000ull
#define S 1000000000ull

BEFORE_TESTS(begin)

TEST(test_sums) {
    enum { SITES = 300, RECORDS = 2000 };
    static uint64_t model[SITES + 64];
    uint32_t site[SITES];
    for (int i = 0; i < SITES; i++) {
        lua_Debug ar = {.what = "Lua", .namewhat = "", .source = "@x", .srclen = 2};
        ar.linedefined = i + 1;
        strcpy(ar.short_src, "x");
        site[i] = sites_site(&p, sites_function(&p, &ar, NULL), i + 1, 0);
    }
    for (int round = 0; round < 100; round++) {
        for (int i = 0; i < RECORDS / 20; i++) {
            uint32_t r =
                sites_record(&p, site[suite_below(SITES)], 1 + suite_below(11), suite_below(5));
            LmpUsage *u = &p.tables.record[r].use;
            u->bytes += suite_below(1000);
            u->free_bytes += suite_below(u->bytes - u->free_bytes + 1);
        }
        memset(model, 0, sizeof model);
        for (uint32_t r = 1; r < p.live->tables.records; r++)
            model[p.tables.record[r].site] +=
                p.tables.record[r].use.bytes - p.tables.record[r].use.free_bytes;
        uint64_t before = p.live->tables.live_history;
        cycle((uint64_t)(round + 1) * 60 * S); /* rare: each is kept */
        ck_assert_uint_eq(p.live->tables.live_history, before + 1);
        for (uint32_t s = 0; s < p.live->tables.sites; s++)
            ck_assert_uint_eq(p.tables.live_history[s][newest()], model[s]);
        ck_assert_uint_eq(p.live->tables.live_history_clock[newest()],
                          (uint64_t)(round + 1) * 60 * S);
        ck_assert_uint_eq(p.live->tables.live_history_cycle[newest()], p.live->gc.full);
    }
}

/* What is made during the sweep is not held, nor what is freed in it. */
TEST(test_sweep) {
    lua_Debug ar = {.what = "Lua", .namewhat = "", .source = "@x", .srclen = 2};
    uint32_t function = sites_function(&p, &ar, NULL);
    uint32_t site = sites_site(&p, function, 1, 0);
    LmpUsage *u = &p.tables.record[sites_record(&p, site, 1, 0)].use;
    *u = (LmpUsage){.allocs = 10, .bytes = 1000};
    sweeps(1 * S);
    u->allocs += 5;
    u->bytes += 500;
    u->frees += 3;
    u->free_bytes += 300;
    uint32_t late = sites_site(&p, function, 2, 0);
    p.tables.record[sites_record(&p, late, 1, 0)].use = (LmpUsage){.allocs = 1, .bytes = 64};
    ends(1 * S + 5 * MS);
    ck_assert_uint_eq(p.tables.live_history[site][newest()], 700);
    ck_assert_uint_eq(p.tables.live_history_blocks[site][newest()], 7);
    ck_assert_uint_eq(p.tables.live_history[late][newest()], 0);
    ck_assert_uint_eq(p.tables.live_history_blocks[late][newest()], 0);
    u->frees = 20; /* more than were made before the sweep: never below nothing */
    u->free_bytes = 2000;
    p.live->gc.now.start = 60 * S;
    ends(60 * S); /* that it was full was not seen at the beginning */
    ck_assert_uint_eq(p.tables.live_history[site][newest()], 0);
    ck_assert_uint_eq(p.tables.live_history_blocks[site][newest()], 0);
    ck_assert_uint_eq(list()->rows, 2);
}

/* Cycles every `period` to the end of the run. A site holds 10,000 bytes in the cycles of the
 * middle, 100 before and after. */
static void run(uint64_t period, uint64_t all) {
    begin();
    lua_Debug ar = {.what = "Lua", .namewhat = "", .source = "@x", .srclen = 2};
    uint32_t site = sites_site(&p, sites_function(&p, &ar, NULL), 1, 0);
    LmpUsage *u = &p.tables.record[sites_record(&p, site, 1, 0)].use;
    for (uint64_t t = period; t <= all; t += period) {
        u->bytes = t > all * 4 / 10 && t < all * 6 / 10 ? 10000 : 100;
        cycle(t);
    }
    const LmpTablesUsed *used = &p.live->tables;
    const struct LmpLiveHistoryList *l = list();
    uint64_t most = 0, widest = 0, before = 0, newer;
    ck_assert_uint_gt(l->rows, 20);
    ck_assert_uint_lt(l->rows, LMP_LIVE_HISTORY);
    for (uint32_t i = 0; i < l->rows; i++) {
        uint64_t at = used->live_history_clock[l->slot[i]],
                 bytes = p.tables.live_history[site][l->slot[i]];
        ck_assert_uint_gt(at, before);
        if (i + 12 < l->rows && at - before > widest) widest = at - before;
        if (bytes > most) most = bytes;
        before = at;
    }
    ck_assert_uint_eq(most, 10000);
    newer = used->live_history_clock[newest()] - used->live_history_clock[l->slot[l->rows - 12]];
    uint64_t part = all / 64 < 2 * S ? all / 64 : 2 * S;
    ck_assert_uint_le(newer, 11 * (part + period) + part); /* the newest are dense */
    ck_assert_uint_lt(widest, all / 4);                    /* the others even */
}

TEST(test_spans) {
    run(MS / 100, 300 * MS);
    run(MS, 10 * S);
    run(20 * MS, 300 * S);
    run(S, 3600 * S);
    run(60 * S, 7200 * S);
}

TEST(test_costs_little) {
    cost = 3 * MS; /* a very large table */
    for (uint64_t t = 0; t < 60 * S; t += MS) {
        if (t > now) now = t;
        cycle(now);
    }
    ck_assert_uint_gt(p.live->tables.live_history, 10);
    ck_assert_uint_lt(spent, 60 * S / 80); /* looks at the clock included */
}

TEST(test_nothing_to_do) {
    cycles_full_ended(&p); /* no cycle yet */
    ck_assert_uint_eq(p.live->tables.live_history, 0);
    p.live->tables.lines = LMP_LINES_OFF;
    cycle(S);
    ck_assert_uint_eq(p.live->tables.live_history, 0);
}
