/* report_fixture.h - for suites of the reports: a state of fixed figures, and a report of it as
 * text. */
#ifndef LMP_REPORT_FIXTURE_H
#define LMP_REPORT_FIXTURE_H

#include "fake_tables.h"
#include "report/formats/formats.h"
#include "suite.h"

#define SUMMARY report_kinds[REPORT_SUMMARY].write
#define JSON report_kinds[REPORT_JSON].write

static LmpHeader header;
static LmpLive live;

static void class_figures(unsigned cls, uint64_t allocs, uint64_t frees, uint64_t size) {
    LmpClassCount *c = &live.counters.count[cls];
    c->allocs = allocs;
    c->alloc_bytes = allocs * size;
    c->frees = frees;
    c->free_bytes = frees * size;
    live.counters.class_peak[cls] = (allocs - frees / 2) * size;
}

/* A run as it might have been. */
static inline void fill(void) {
    snprintf(header.program, sizeof header.program, "options.lua");
    snprintf(header.lua, sizeof header.lua, "Lua 5.4.4");
    header.pid = 4711;
    class_figures(LMP_C_STRING, 981204, 850112, 31);
    class_figures(LMP_C_FUNCTION, 20110, 15300, 40);
    class_figures(LMP_C_USERDATA, 211, 200, 1040);
    class_figures(LMP_C_THREAD, 1000, 998, 208);
    class_figures(LMP_C_TABLE, 200144, 98120, 56);
    class_figures(LMP_C_TABLE_PART, 310020, 150010, 160);
    class_figures(LMP_C_OTHER, 12, 11, 512);
    live.counters.count[LMP_C_TABLE_PART].reallocs = 128015;
    live.counters.count[LMP_C_TABLE_PART].realloc_bytes = 8204272;
    live.counters.peak_bytes = 0;
    for (unsigned cls = 1; cls < LMP_C_COUNTED; cls++) {
        const LmpClassCount *c = &live.counters.count[cls];
        live.counters.live_bytes += c->alloc_bytes + (uint64_t)c->realloc_bytes - c->free_bytes;
        live.counters.peak_bytes += live.counters.class_peak[cls];
    }
    live.owners_known = 1;
    live.gc.mode = LMP_GC_INCREMENTAL;
    live.gc.cycles = 300;
    live.gc.freed_bytes = 123456789;
    live.gc.ring[299 % LMP_GC_RING].start = 5000000000;
    live.gc.ring[299 % LMP_GC_RING].end = 5041000000;
}

/* The report as text; the caller frees it. */
static inline char *written(LmpErr (*write)(const LmpReport *, FILE *), const LmpReport *report) {
    ck_assert_int_eq(write(report, suite_write()), LMP_OK);
    return suite_written();
}

/* The program of fake_program.h. */
static inline FakeTables *program(bool stacks) {
    FakeTables *f = fake_tables_new(&live);
    fake_program(f, stacks);
    snprintf(header.program, sizeof header.program, "options.lua");
    snprintf(header.lua, sizeof header.lua, "Lua 5.4.4");
    header.pid = 4711;
    header.top = 10;
    return f;
}

#endif
