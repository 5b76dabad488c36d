/* verdict_fixture.h - made-up tables to be judged, and checks of the verdicts: for test_verdict.c
 * and test_verdict_growth.c. */
#ifndef LMP_TEST_VERDICT_FIXTURE_H
#define LMP_TEST_VERDICT_FIXTURE_H

#include "suite.h"

#include "fake_tables.h"
#include "read/verdict/verdict.h"

typedef struct Fixture {
    FakeTables *f;
    LmpStats stats;
    LmpGc gc;
    LmpHistory history;
    Ledger ledger;
    Verdicts verdicts;
    uint64_t rss;
    uint32_t function, load;
} Fixture;

static Fixture s;

static void end(void) {
    ledger_free(&s.ledger);
    fake_tables_free(s.f);
}

static void begin(void) {
    suite_closes(end);
    s = (Fixture){.f = fake_tables_new(NULL)};
    s.function = fake_function(s.f, LMP_F_MAIN, "@game.lua", 0, "main chunk");
    s.load = fake_function(s.f, LMP_F_C, "=[C]", -1, "function 'load'");
    fake_path(s.f, s.load, "load");
    s.f->live->gc.mode = LMP_GC_INCREMENTAL;
    s.stats.seconds = 2;
    s.stats.gc_mode = LMP_GC_INCREMENTAL;
}
BEFORE_TESTS(begin)

static inline FakeSpot spot(int line, unsigned cls) {
    return (FakeSpot){fake_site(s.f, s.function, line, 0), 0, cls, 0};
}

/* Is a sentence as one of the lines of `says`, "…" standing for anything? */
static inline bool as_told(const char *text, const char *says) {
    static const char gap[] = "…";
    for (const char *end, *at = says; *at; at = *end ? end + 1 : end) {
        const char *from = text;
        end = at + strcspn(at, "\n");
        while (from && at < end) {
            const char *next = strstr(at, gap);
            size_t n = (size_t)((next && next < end ? next : end) - at);
            char piece[200];
            snprintf(piece, sizeof piece, "%.*s", (int)n, at);
            from = strstr(from, piece);
            if (from) from += n;
            at += n;
            if (at < end) at += strlen(gap);
        }
        if (from) return true;
    }
    return false;
}

static inline void check_rule(const Verdict *v) {
    VerdictRuleInfo r;
    for (uint32_t i = 0; verdict_rule_info(i, &r); i++) {
        if (strcmp(r.name, v->rule) != 0) continue;
        ck_assert_msg(as_told(v->text, r.says), "%s: '%s' is not '%s'", r.name, v->text, r.says);
        ck_assert_int_eq(v->place, r.place);
        return;
    }
    ck_abort_msg("%s is no rule", v->rule);
}

static inline void judge_at(uint64_t clock) {
    LmpLive *live = s.f->live;
    ck_assert_int_eq(ledger_refresh(&s.ledger, &s.f->t, LEDGER_SITES, clock), LMP_OK);
    s.ledger.gc_mode = s.stats.gc_mode;
    s.stats.live_bytes = live->counters.live_bytes;
    if (s.stats.peak_bytes < s.stats.live_bytes) s.stats.peak_bytes = s.stats.live_bytes;
    const VerdictInput input = {&s.stats, &s.gc, &s.history, &s.ledger, &s.f->t, s.rss, 0};
    verdicts_make(&input, &s.verdicts);
    ck_assert_uint_ge(s.verdicts.count, 1);
    for (uint32_t i = 1; i < s.verdicts.count; i++)
        ck_assert(s.verdicts.verdict[i - 1].score >= s.verdicts.verdict[i].score);
    for (uint32_t i = 0; i < s.verdicts.count; i++)
        check_rule(&s.verdicts.verdict[i]);
}

static inline void judge(void) {
    judge_at(2000000000);
}

static inline const Verdict *find(const char *rule) {
    for (uint32_t i = 0; i < s.verdicts.count; i++)
        if (strcmp(s.verdicts.verdict[i].rule, rule) == 0) return &s.verdicts.verdict[i];
    return NULL;
}

/* The verdict of a rule, made now. */
static inline const Verdict *judged(const char *rule) {
    judge();
    return find(rule);
}

static inline void expect_text(const char *rule, const char *sentence) {
    char text[320];
    const Verdict *v = find(rule);
    ck_assert_msg(v != NULL, "%s does not hold", rule);
    ck_assert_str_eq(verdict_sentence(text, sizeof text, v), sentence);
}

/* Made and dropped: `soon` of them by the next collection. */
static inline void drop(FakeSpot at, uint64_t count, uint64_t bytes, uint64_t freed,
                        uint64_t soon) {
    FakeSpot collector = spot(999, at.cls);
    fake_made(s.f, at, count, bytes);
    fake_freed(s.f, at, collector, freed, bytes / count * freed, soon);
}

/* Something that holds most of what is made, so that what is looked at has a share of it. */
static inline void rest(uint64_t bytes) {
    fake_made(s.f, spot(500, LMP_C_USERDATA), 4, bytes);
}

#define MIB (1ull << 20)

static inline void joins(uint32_t site, uint32_t fed_by, uint32_t looked, uint32_t fed) {
    LmpSite *row = &s.f->t.site[site];
    row->how = LMP_HOW_CONCAT;
    row->joins = looked;
    row->fed = fed;
    row->fed_by = fed_by;
    row->fed_bytes = 2 * MIB;
}

#endif
