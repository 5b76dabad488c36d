/* Tests of the formats over a range of time: each is read back, and says what the later moment has
 * more than the earlier one; or it shows that part of the time. */
#include "format_readers.h"

static void expect_change(const LmpTally *range, const LmpTally *to, const LmpTally *from) {
    ck_assert_uint_eq(range->allocs, to->allocs - from->allocs);
    ck_assert_uint_eq(range->bytes, to->bytes - from->bytes);
    ck_assert_uint_eq(range->frees, to->frees - from->frees);
    ck_assert_uint_eq(range->free_bytes, to->free_bytes - from->free_bytes);
    ck_assert_uint_eq(range->live_bytes, to->live_bytes - from->live_bytes);
    ck_assert_uint_eq(range->live_blocks, to->live_blocks - from->live_blocks);
    ck_assert_uint_eq(range->temporary, to->temporary - from->temporary);
}

static const LmpTally nothing;

/* Figures of the whole: the same difference, and those of the rows. */
static void expect_range(const LmpReport *r, const LmpStats *then) {
    const LmpStats *d = &r->range, *s = &r->stats;
    ck_assert_uint_eq(d->mallocs, s->mallocs - then->mallocs);
    ck_assert_uint_eq(d->live_bytes, s->live_bytes - then->live_bytes);
    ck_assert_uint_eq(d->mallocs, r->ledger.all.allocs);
    ck_assert_uint_eq(d->frees, r->ledger.all.frees);
    ck_assert_uint_eq(d->live_bytes, r->ledger.all.live_bytes);
    ck_assert_uint_eq(d->peak_bytes, 0);
    uint64_t live_bytes = 0;
    for (unsigned k = 0; k < LMP_KINDS; k++) {
        ck_assert_uint_eq(d->kind[k].allocs, s->kind[k].allocs - then->kind[k].allocs);
        live_bytes += d->kind[k].live_bytes;
    }
    ck_assert_uint_eq(live_bytes, d->live_bytes);
}

/* Every format of a range: what the later moment has more than the earlier one. Where figures can
 * only rise it is one sum in all of them; formats with negative numbers have it always. */
TEST(ranges_say_one_sum) {
    enum { ROUNDS = 24 };
    for (int round = 0; round < ROUNDS; round++) {
        bool stacks = round % 3 != 0, rises = round % 2;
        memset(&live, 0, sizeof live);
        OWN(fake_tables_free_at) FakeTables *f = made_up(stacks);
        ReportBefore before[REPORTS];
        OWN(report_close) LmpReport was;
        for (int kind = 0; kind < REPORTS; kind++)
            ck_assert_int_eq(
                report_before(&before[kind], &live, &f->t, report_kinds[kind].parts, live.clock),
                LMP_OK);
        report_fill(&was, &header, &live, &f->t, live.clock, "as it was");
        live.clock += 2000000000;
        work(f, stacks, rises);
        for (int kind = 0; kind < REPORTS; kind++) {
            LmpReport r, is;
            fill_for(&is, f, kind);
            bool part = report_kinds[kind].flags & (REPORT_WHOLE | REPORT_AT_TOP);
            if (!part) {
                report_fill_since(&r, &before[kind], &header, &live, &f->t,
                                  report_kinds[kind].parts, live.clock, "finished", LEDGER_END);
                ck_assert_uint_eq(r.from, 5000000000);
                expect_change(&r.ledger.all, &is.ledger.all, &was.ledger.all);
                expect_range(&r, &before[kind].stats);
                if (r.ledger.nodes) {
                    const LmpTally now = ledger_retained(&r.ledger, 0),
                                   whole = ledger_retained(&is.ledger, 0);
                    expect_change(&now, &whole, stacks ? &was.ledger.all : &nothing);
                }
                bool signs = kind == REPORT_CSV || kind == REPORT_JSON || kind == REPORT_SUMMARY;
                if (r.ledger.sites > 0 && (rises || signs)) read_all_figures(kind, &r);
                report_close(&r);
            }
            report_close(&is);
            report_before_free(&before[kind]);
        }
    }
}

/* Rows of time, and of massif snapshots, are those of the whole that have some of the range. */
TEST(parts_of_the_time) {
    LmpReport r;
    memset(&live, 0, sizeof live);
    OWN(fake_tables_free_at) FakeTables *f = made_up(true);
    live.history.used = 5; /* a second each */
    for (uint32_t from = 1; from < 5; from++) {
        fill_for(&r, f, REPORT_TIMELINE);
        char *whole = text_of(REPORT_TIMELINE, &r);
        report_set_range(&r, from * 1000000000ull - 1, r.clock, 7);
        char *part = text_of(REPORT_TIMELINE, &r);
        const char *rest = whole;
        for (uint32_t i = 0; i < from; i++) /* the head and what ended before; one touches it */
            rest = strchr(rest, '\n') + 1;
        ck_assert_str_eq(strchr(part, '\n') + 1, rest);
        free(whole);
        free(part);
        report_close(&r);
        fill_for(&r, f, REPORT_MASSIF);
        report_set_range(&r, from * 1000000000ull, r.clock, 7);
        ck_assert_int_eq(report_at_top(&r, &live, &f->t, report_kinds[REPORT_MASSIF].parts,
                                       from * 1000000000ull + 500000000),
                         LMP_OK);
        char *text = text_of(REPORT_MASSIF, &r);
        const char *tree = strstr(text, "heap_tree=peak\n"), *at = text;
        uint64_t bytes, snapshots = 0, before = 0;
        ck_assert_ptr_nonnull(tree);
        read_massif_line(tree + 15, 0, &bytes);
        ck_assert_uint_eq(bytes, r.ledger.all.live_bytes);
        ck_assert_uint_eq(bytes, r.top_bytes);
        while ((at = strstr(at, "\ntime=")) != NULL) {
            uint64_t ms = strtoull(at + 6, NULL, 10);
            if (snapshots == 0) ck_assert_uint_eq(ms, from * 1000);
            if (snapshots == 0) ck_assert_ptr_nonnull(strstr(at, "\nmem_heap_B=7\n"));
            if (snapshots == 1) ck_assert_uint_eq(ms, from * 1000 + 500);
            ck_assert_uint_ge(ms, before);
            before = ms;
            snapshots++;
            at++;
        }
        ck_assert_uint_eq(snapshots,
                          6 - from + (from == 4)); /* the last, unless of the peak, is of the end */
        free(text);
        report_close(&r);
    }
}

/* For people and machines: what grew, what shrank, what came and went. */
TEST(as_they_are) {
    static const int kinds[] = {REPORT_SUMMARY, REPORT_JSON};
    OWN(fake_tables_free_at) FakeTables *f = program(true);
    FakeSpot grows = {6, 0, LMP_C_TABLE, 0}, shrinks = {3, 0, LMP_C_TABLE, 0},
             goes = {4, 0, LMP_C_STRING, 0};
    ReportBefore before[2];
    fake_made(f, shrinks, 20, 1120);
    live.clock = 90500000000;
    live.gc.mode = LMP_GC_INCREMENTAL;
    for (size_t i = 0; i < 2; i++)
        ck_assert_int_eq(
            report_before(&before[i], &live, &f->t, report_kinds[kinds[i]].parts, live.clock),
            LMP_OK);
    live.clock = 120750000000;
    live.gc.cycles += 3;
    live.gc.freed_bytes += 2660;
    fake_made(f, grows, 500, 28000);
    fake_freed(f, shrinks, shrinks, 10, 560, 0);
    fake_made(f, goes, 70, 2100);
    fake_freed(f, goes, goes, 70, 2100, 70);
    for (size_t i = 0; i < 2; i++) {
        LmpReport r;
        char name[40];
        const LmpReportKind *kind = &report_kinds[kinds[i]];
        report_fill_since(&r, &before[i], &header, &live, &f->t, kind->parts, live.clock,
                          "finished", LEDGER_END);
        char *text = text_of(kinds[i], &r);
        snprintf(name, sizeof name, "run-range.%s", kind->name);
        suite_golden(name, text);
        free(text);
        report_close(&r);
        report_before_free(&before[i]);
    }
}
