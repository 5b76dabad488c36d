/* ledger_shape.h - one ledger that a suite refreshes, and the rules that hold in every ledger,
 * whatever the tables */
#ifndef LMP_LEDGER_SHAPE_H
#define LMP_LEDGER_SHAPE_H

#include "fake_tables.h"
#include "read/ledger/ledger.h"
#include "suite.h"

static Ledger ledger;

static void ledger_end(void) {
    ledger_free(&ledger);
}

static void ledger_begin(void) {
    suite_closes(ledger_end);
}
BEFORE_TESTS(ledger_begin)

static inline void refresh(FakeTables *f, unsigned parts, uint64_t clock) {
    ck_assert_int_eq(ledger_refresh(&ledger, &f->t, parts | LEDGER_RATES, clock), LMP_OK);
}

static inline void add(LmpTally *sum, const LmpTally *t) {
    const uint64_t *from = (const uint64_t *)t;
    uint64_t *to = (uint64_t *)sum;
    for (size_t i = 0; i < sizeof *sum / 8; i++)
        to[i] += from[i];
}

static inline void same_tally(const LmpTally *a, const LmpTally *b, const char *what) {
    static const char *const names[] = {"allocs",     "bytes",         "frees",       "free_bytes",
                                        "reallocs",   "realloc_bytes", "live_blocks", "live_bytes",
                                        "peak_bytes", "temporary",     "short_lived"};
    for (size_t i = 0; i < offsetof(LmpTally, was) / 8; i++)
        ck_assert_msg(((const uint64_t *)a)[i] == ((const uint64_t *)b)[i],
                      "%s: %s is %llu, not %llu", what, names[i],
                      (unsigned long long)((const uint64_t *)a)[i],
                      (unsigned long long)((const uint64_t *)b)[i]);
}

static inline LmpSiteRow *site(const char *short_src, int line) {
    for (uint32_t i = 0; i < ledger.sites; i++)
        if (ledger.site[i].line == line && !strcmp(ledger.site[i].short_src, short_src))
            return &ledger.site[i];
    return NULL;
}

static inline LmpFunctionRow *function(const char *name) {
    for (uint32_t i = 0; i < ledger.functions; i++)
        if (!strcmp(ledger.function[i].name, name)) return &ledger.function[i];
    return NULL;
}

/* Everything that must hold of any ledger, whatever the tables held. */
static inline void check_shape(unsigned parts) {
    for (uint32_t i = 0; i < ledger.sites; i++) {
        const LmpSiteRow *s = &ledger.site[i];
        ck_assert(s->source && s->raw_source && s->short_src && s->func && s->live_history);
        ck_assert_uint_lt(s->function, ledger.functions);
        ck_assert_int_ge(s->line, -1);
        ck_assert(i == 0 || s[-1].tally.live_bytes >= s->tally.live_bytes);
        ck_assert_uint_le(s->first_detail + s->details, ledger.details);
        for (uint32_t k = 0; k < s->details; k++)
            ck_assert_ptr_nonnull(ledger.detail[s->first_detail + k].name);
    }
    for (uint32_t i = 0; i < ledger.functions; i++) {
        const LmpFunctionRow *f = &ledger.function[i];
        ck_assert(f->source && f->raw_source && f->short_src && f->name);
        ck_assert(i == 0 || f[-1].shallow.live_bytes >= f->shallow.live_bytes);
    }
    for (uint32_t i = 0; i < ledger.tags; i++)
        ck_assert_ptr_nonnull(ledger.tag[i].name);
    ck_assert_uint_le(ledger.live_history_rows, LMP_LIVE_HISTORY);
    ck_assert(parts & LEDGER_TREE ? ledger.nodes > 0 : ledger.nodes == 0);
    uint32_t next = 1;
    for (uint32_t i = 0; i < ledger.nodes; i++) {
        const LmpTreeRow *r = &ledger.tree[i];
        ck_assert(r->name && r->short_src);
        ck_assert_uint_eq(r->first, next); /* so every row is somebody's child, once */
        next += r->children;
        ck_assert_uint_le(next, ledger.nodes);
        if (i == 0) continue;
        ck_assert_uint_lt(r->function, ledger.functions);
        ck_assert_uint_lt(r->parent, i);
        const LmpTreeRow *up = &ledger.tree[r->parent];
        ck_assert(i >= up->first && i < up->first + up->children);
        ck_assert_uint_eq(r->depth, up->depth + 1);
    }
    if (ledger.nodes) ck_assert_uint_eq(next, ledger.nodes);
}

#endif
