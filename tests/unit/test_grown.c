/* Tests of grown.c: rows are the live bytes of every site, the last of them the newest; slow cycles
 * are all kept, fast ones thinned out so that the rows span a constant part of the run; making them
 * costs a bounded share of the time. */
#include "grown.h"

#include "os.h"
#include "sites.h"
#include "suite.h"

static LmpProfile p;
static uint64_t now, cost; /* what the clock says, and how far it goes on each time, nanoseconds */
static uint64_t spent;
static LmpOs test_os;

static uint64_t test_clock(void) {
    now += cost;
    spent += cost;
    return now;
}

static void begin(void) {
    test_os = os_real;
    test_os.clock = test_clock;
    lmp_os = &test_os;
    now = cost = spent = 0;
    memset(&p, 0, sizeof p);
    p.live = calloc(1, sizeof *p.live);
    p.live->tables.lines = LMP_LINES_EXACT;
    p.tables = tables_at(os_real.map(LMP_TABLES_SIZE, -1, 0, true), p.live);
    ck_assert_int_eq(sites_open(&p), LMP_OK);
}

static void end(void) {
    sites_close(&p);
    os_real.unmap(p.tables.text, LMP_TABLES_SIZE);
    free(p.live);
    lmp_os = &os_real;
}

/* A cycle ends at `clock`, nanoseconds since start. */
static void cycle(uint64_t clock) {
    LmpGc *gc = &p.live->gc;
    gc->ring[gc->cycles++ % LMP_GC_RING].end = clock;
    grown_cycle_ended(&p);
}

static uint32_t newest(void) {
    return (uint32_t)((p.live->tables.grown - 1) % LMP_GROWN);
}

#define MS 1000000ull
#define S 1000000000ull

START_TEST(test_sums) {
    suite_seed();
    begin();
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
        uint64_t before = p.live->tables.grown;
        cycle((uint64_t)(round + 1) * 60 * S); /* rare: each is kept */
        ck_assert_uint_eq(p.live->tables.grown, before + 1);
        for (uint32_t s = 0; s < p.live->tables.sites; s++)
            ck_assert_uint_eq(p.tables.grown[s][newest()], model[s]);
        ck_assert_uint_eq(p.live->tables.grown_clock[newest()], (uint64_t)(round + 1) * 60 * S);
        ck_assert_uint_eq(p.live->tables.grown_cycle[newest()], p.live->gc.cycles);
    }
    end();
}
END_TEST

/* Cycles every `period`: what the ring's rows span at the end, as a part of the run. */
static double span(uint64_t period, uint64_t run) {
    begin();
    for (uint64_t t = period; t <= run; t += period)
        cycle(t);
    const LmpTablesUsed *used = &p.live->tables;
    uint64_t rows = used->grown < LMP_GROWN ? used->grown : LMP_GROWN;
    uint32_t oldest = (uint32_t)((used->grown - rows) % LMP_GROWN);
    double part = (double)(used->grown_clock[newest()] - used->grown_clock[oldest]) / (double)run;
    for (uint64_t i = 1; i < rows; i++) {
        uint32_t a = (uint32_t)((used->grown - i - 1) % LMP_GROWN);
        uint32_t b = (uint32_t)((used->grown - i) % LMP_GROWN);
        ck_assert(used->grown_clock[a] < used->grown_clock[b]);
        ck_assert(used->grown_cycle[a] < used->grown_cycle[b]);
    }
    ck_assert_uint_gt(rows, 20);
    end();
    return part;
}

START_TEST(test_spans) {
    ck_assert_double_gt(span(10000, 300 * MS), 0.1); /* a cycle every 10 us */
    double part = span(MS, 10 * S);
    ck_assert(part > 0.3 && part < 0.5);
    part = span(20 * MS, 300 * S);
    ck_assert(part > 0.3 && part < 0.5);
    part = span(S, 3600 * S); /* the last eight minutes */
    ck_assert(part > 464.0 / 3600 && part < 500.0 / 3600);
    part = span(60 * S, 7200 * S); /* all are kept */
    ck_assert(part > 1859.0 / 7200 && part < 1861.0 / 7200);
}
END_TEST

START_TEST(test_costs_little) {
    begin();
    cost = 3 * MS; /* a very large table */
    for (uint64_t t = 0; t < 60 * S; t += MS) {
        if (t > now) now = t;
        cycle(now);
    }
    ck_assert_uint_gt(p.live->tables.grown, 10);
    ck_assert_uint_lt(spent, 60 * S / 100);
    end();
}
END_TEST

START_TEST(test_nothing_to_do) {
    begin();
    grown_cycle_ended(&p); /* no cycle yet */
    ck_assert_uint_eq(p.live->tables.grown, 0);
    p.live->tables.lines = LMP_LINES_OFF;
    cycle(S);
    ck_assert_uint_eq(p.live->tables.grown, 0);
    end();
}
END_TEST

SUITE("grown", test_sums, test_spans, test_costs_little, test_nothing_to_do)
