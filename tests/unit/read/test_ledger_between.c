/* Tests of the difference of two moments: every figure of every row against plain subtraction, of
 * programs made by chance. */
#include "fake_tables.h"
#include "read/ledger/ledger.h"
#include "suite.h"

enum { FUNCTIONS = 6, NODES = 40, PARTS = LEDGER_ALL | LEDGER_EDGES | LEDGER_OVERRIDES };

typedef struct Program {
    FakeTables *f;
    uint32_t row[FUNCTIONS], node[NODES], site[NODES], nodes;
} Program;

static void grow(Program *p, uint32_t nodes) {
    for (uint32_t i = 0; i < nodes && p->nodes < NODES; i++) {
        uint32_t fn = (uint32_t)suite_below(FUNCTIONS), at = p->nodes++;
        p->site[at] = fake_site(p->f, p->row[fn], (int)(fn * 10 + suite_below(3)), 0);
        p->node[at] = fake_node(p->f, at ? p->node[suite_below(at)] : 0, p->site[at], 0);
    }
}

static void work(Program *p, int operations) {
    for (int i = 0; i < operations; i++) {
        uint32_t n = (uint32_t)suite_below(p->nodes);
        FakeSpot at = {p->site[n], p->node[n], n % 2 ? LMP_C_TABLE : LMP_C_STRING,
                       n % 3 ? 0 : fake_tag(p->f, "request")};
        uint64_t count = 1 + suite_below(4), bytes = count * (1 + suite_below(100));
        fake_made(p->f, at, count, bytes);
        if (suite_below(3) == 0) fake_resized(p->f, at, at, 1, 8);
        if (suite_below(4)) continue;
        uint64_t held = p->f->t.record[fake_record(p->f, at.site, at.cls, at.tag)].use.allocs;
        if (held > 2) fake_freed(p->f, at, at, 1, 1, suite_below(2));
    }
}

static Program program(void) {
    Program p = {.f = fake_tables_new(NULL)};
    char name[32];
    for (int i = 0; i < FUNCTIONS; i++) {
        snprintf(name, sizeof name, "local 'f%d'", i);
        p.row[i] = fake_function(p.f, LMP_F_LUA, i % 2 ? "@a.lua" : "@b.lua", i * 10, name);
    }
    p.f->live->tables.stacks = 1;
    return p;
}

static void refresh(Ledger *l, const Program *p) {
    ck_assert_int_eq(ledger_refresh(l, &p->f->t, PARTS, 1000), LMP_OK);
}

/* Of three tallies the first is what the second has more than the third (NULL: nothing). */
static void check(const LmpTally *d, const LmpTally *now, const LmpTally *then) {
    static const LmpTally nothing;
    if (!then) then = &nothing;
    ck_assert_uint_eq(d->allocs, now->allocs - then->allocs);
    ck_assert_uint_eq(d->bytes, now->bytes - then->bytes);
    ck_assert_uint_eq(d->frees, now->frees - then->frees);
    ck_assert_uint_eq(d->free_bytes, now->free_bytes - then->free_bytes);
    ck_assert_uint_eq(d->reallocs, now->reallocs - then->reallocs);
    ck_assert_int_eq(d->realloc_bytes, now->realloc_bytes - then->realloc_bytes);
    ck_assert_uint_eq(d->live_blocks, now->live_blocks - then->live_blocks);
    ck_assert_uint_eq(d->live_bytes, now->live_bytes - then->live_bytes);
    ck_assert_uint_eq(d->temporary, now->temporary - then->temporary);
    ck_assert_uint_eq(d->short_lived, now->short_lived - then->short_lived);
    ck_assert_uint_eq(d->peak_bytes, 0);
    ck_assert_uint_eq(d->mark.allocs, then->allocs);
    ck_assert_uint_eq(d->mark.made, tally_made(then));
    ck_assert_uint_eq(d->mark.live, then->live_bytes);
}

#define ROW_OF(list, n, wanted)                                                                    \
    ({                                                                                             \
        const __typeof__((list)[0]) *found = NULL;                                                 \
        for (uint32_t k = 0; k < (n) && !found; k++)                                               \
            if ((list)[k].id == (wanted)) found = &(list)[k];                                      \
        found;                                                                                     \
    })

static void check_all(const Ledger *d, const Ledger *now, const Ledger *then) {
    LmpTally sum = {0};
    check(&d->all, &now->all, &then->all);
    ck_assert_uint_eq(d->sites, now->sites);
    for (uint32_t i = 0; i < d->sites; i++) {
        const LmpSiteRow *s = &d->site[i], *old = ROW_OF(then->site, then->sites, s->id);
        check(&s->tally, &now->site[i].tally, old ? &old->tally : NULL);
        for (unsigned k = 0; k < LMP_KINDS; k++)
            check(&s->kind[k].tally, &now->site[i].kind[k].tally, old ? &old->kind[k].tally : NULL);
        ck_assert_uint_eq(s->here_frees, now->site[i].here_frees - (old ? old->here_frees : 0));
        tally_add(&sum, &s->tally);
    }
    ck_assert_uint_eq(sum.live_bytes, d->all.live_bytes);
    ck_assert_uint_eq(sum.allocs, d->all.allocs);
    for (uint32_t i = 0; i < d->functions; i++) {
        const LmpFunctionRow *f = &d->function[i],
                             *old = ROW_OF(then->function, then->functions, f->id);
        check(&f->shallow, &now->function[i].shallow, old ? &old->shallow : NULL);
        check(&f->retained, &now->function[i].retained, old ? &old->retained : NULL);
    }
    for (uint32_t i = 0; i < d->nodes; i++) {
        const LmpTreeRow *n = &d->tree[i], *old = ROW_OF(then->tree, then->nodes, n->id);
        check(&n->shallow, &now->tree[i].shallow, old ? &old->shallow : NULL);
        check(&n->retained, &now->tree[i].retained, old ? &old->retained : NULL);
    }
    for (uint32_t i = 0; i < d->tags; i++) {
        const LmpTagRow *old = ROW_OF(then->tag, then->tags, d->tag[i].id);
        check(&d->tag[i].tally, &now->tag[i].tally, old ? &old->tally : NULL);
    }
}

TEST(as_plain_subtraction) {
    for (int round = 0; round < 40; round++) {
        Program p = program();
        Ledger then = {0}, now = {0}, between = {0};
        grow(&p, 1 + (uint32_t)suite_below(NODES / 2));
        if (round % 4) work(&p, (int)suite_below(400));
        refresh(&then, &p);
        grow(&p, (uint32_t)suite_below(NODES / 2));
        work(&p, (int)suite_below(400));
        refresh(&now, &p);
        refresh(&between, &p);
        ck_assert_int_eq(ledger_between(&between, &then), LMP_OK);
        check_all(&between, &now, &then);
        refresh(&between, &p); /* which makes it whole again */
        ck_assert_uint_eq(between.all.allocs, now.all.allocs);
        ledger_free(&then);
        ledger_free(&now);
        ledger_free(&between);
        fake_tables_free(p.f);
    }
}

/* From a moment before anything: all of it, but for the peak. From itself: nothing. */
TEST(from_nothing_and_from_itself) {
    Program p = program();
    Ledger nothing = {0}, now = {0}, between = {0};
    grow(&p, 10);
    work(&p, 200);
    refresh(&now, &p);
    refresh(&between, &p);
    ck_assert_int_eq(ledger_between(&between, &nothing), LMP_OK);
    check_all(&between, &now, &nothing);
    refresh(&between, &p);
    ck_assert_int_eq(ledger_between(&between, &now), LMP_OK);
    for (uint32_t i = 0; i < between.sites; i++)
        ck_assert_uint_eq(between.site[i].tally.allocs, 0);
    ck_assert_uint_eq(between.all.live_bytes, 0);
    ledger_free(&now);
    ledger_free(&between);
    fake_tables_free(p.f);
}

static void expect_mark(const LmpTally *t, const LmpTally *then) {
    static const LmpTally nothing;
    if (!then) then = &nothing;
    ck_assert_uint_eq(t->mark.allocs, then->allocs);
    ck_assert_uint_eq(t->mark.made, tally_made(then));
    ck_assert_uint_eq(t->mark.live, then->live_bytes);
}

static void expect_held(const Ledger *l, const Ledger *then) {
    for (uint32_t i = 0; i < l->sites; i++) {
        const LmpSiteRow *old = ROW_OF(then->site, then->sites, l->site[i].id);
        expect_mark(&l->site[i].tally, old ? &old->tally : NULL);
    }
    for (uint32_t i = 0; i < l->nodes; i++) {
        const LmpTreeRow *old = ROW_OF(then->tree, then->nodes, l->tree[i].id);
        expect_mark(&l->tree[i].retained, old ? &old->retained : NULL);
    }
}

/* What is held of a moment is what later tables count from, until another one is; without any, or
 * when it is not asked for, they count from themselves. */
TEST(counted_from_what_is_held) {
    for (int round = 0; round < 20; round++) {
        Program p = program();
        Ledger l = {.count_from = LEDGER_HELD}, then = {0}, now = {0};
        ck_assert_int_eq(ledger_hold(&l), LMP_E_NOMEM); /* nothing was read */
        grow(&p, 1 + (uint32_t)suite_below(NODES / 2));
        work(&p, (int)suite_below(300));
        ck_assert_int_eq(ledger_refresh(&l, &p.f->t, LEDGER_ALL | LEDGER_RATES, 1), LMP_OK);
        ck_assert(!l.marked);
        expect_held(&l, &l);
        ck_assert_int_eq(ledger_hold(&l), LMP_OK);
        refresh(&then, &p);
        grow(&p, (uint32_t)suite_below(NODES / 2));
        work(&p, (int)suite_below(300));
        ck_assert_int_eq(ledger_refresh(&l, &p.f->t, LEDGER_ALL | LEDGER_RATES, 2), LMP_OK);
        ck_assert(l.marked);
        expect_held(&l, &then);
        l.count_from = 0;
        refresh(&now, &p);
        ck_assert_int_eq(ledger_refresh(&l, &p.f->t, LEDGER_ALL | LEDGER_RATES, 3), LMP_OK);
        ck_assert(!l.marked);
        expect_held(&l, &now);
        ledger_free(&l);
        ledger_free(&then);
        ledger_free(&now);
        fake_tables_free(p.f);
    }
}

/* ---- for the last time ----------------------------------------------------------------------- */

static const LmpTables *spoiled;
static uintptr_t spent_to;

/* Rows that are given back read as rubbish; usages come in rising order, and none twice. */
static void spoil(const void *from, const void *to) {
    uintptr_t first = (uintptr_t)spoiled->usage, end = (uintptr_t)(spoiled->usage + LMP_NODES_MAX);
    ck_assert_uint_lt((uintptr_t)from, (uintptr_t)to);
    memset((void *)from, 0xee, (size_t)((const char *)to - (const char *)from));
    if ((uintptr_t)from < first || (uintptr_t)from >= end) return;
    ck_assert_uint_ge((uintptr_t)from, spent_to);
    spent_to = (uintptr_t)to;
}

static void spoil_from_now_on(LmpTables *t) {
    spoiled = t;
    t->spent = spoil;
    spent_to = 0;
}

static void expect_same_tree(const Ledger *l, const Ledger *as) {
    ck_assert_uint_eq(l->nodes, as->nodes);
    for (uint32_t i = 0; i < l->nodes; i++) {
        const LmpTreeRow *b = &as->tree[i];
        LmpTreeRow row, *a = &row;
        ledger_node(l, i, a);
        ck_assert_uint_eq(a->id, b->id);
        ck_assert_uint_eq(a->parent, b->parent);
        ck_assert_uint_eq(a->first, b->first);
        ck_assert_uint_eq(a->children, b->children);
        ck_assert_uint_eq(a->depth, b->depth);
        ck_assert_uint_eq(a->flags, b->flags);
        ck_assert_uint_eq(a->site, b->site);
        ck_assert_int_eq(a->line, b->line);
        ck_assert_str_eq(a->name, b->name);
        ck_assert_uint_eq(a->kinds, b->kinds);
        const LmpTally shallow = ledger_shallow(l, i), retained = ledger_retained(l, i);
        ck_assert_mem_eq(&shallow, &b->shallow, offsetof(LmpTally, was));
        ck_assert_mem_eq(&retained, &b->retained, offsetof(LmpTally, was));
    }
}

static void expect_same_kinds(const Ledger *l, const Ledger *as) {
    ck_assert_uint_eq(l->sites, as->sites);
    for (uint32_t i = 0; i < l->sites; i++)
        for (unsigned k = 0; k < LMP_KINDS; k++)
            ck_assert_mem_eq(ledger_kind(&l->site[i], k), &as->site[i].kind[k],
                             sizeof(LmpKindTally));
}

/* A ledger that takes the nodes of before while it reads those of now, and needs neither again, is
 * what the difference of two whole ledgers is. */
TEST(nodes_once) {
    for (int round = 0; round < 40; round++) {
        Program p = program();
        Ledger whole = {0}, then = {0}, less = {0}, between = {0};
        LedgerNodes nodes;
        unsigned parts = PARTS & ~(unsigned)LEDGER_TREE;
        grow(&p, 1 + (uint32_t)suite_below(NODES / 2));
        if (round % 4) work(&p, (int)suite_below(400));
        refresh(&whole, &p);
        ck_assert_int_eq(ledger_refresh(&then, &p.f->t, parts | LEDGER_ONCE, 1000), LMP_OK);
        ck_assert_int_eq(ledger_nodes_keep(&nodes, &p.f->t), LMP_OK);
        grow(&p, (uint32_t)suite_below(NODES / 2));
        work(&p, (int)suite_below(400));
        refresh(&between, &p);
        ck_assert_int_eq(ledger_between(&between, &whole), LMP_OK);
        spoil_from_now_on(&p.f->t);
        less.less = &nodes;
        ck_assert_int_eq(ledger_refresh(&less, &p.f->t, PARTS | LEDGER_ONCE, 1000), LMP_OK);
        ck_assert_ptr_eq((void *)spent_to, &p.f->t.usage[p.f->live->tables.nodes]);
        ck_assert_int_eq(ledger_between(&less, &then), LMP_OK);
        expect_same_tree(&less, &between);
        expect_same_kinds(&less, &between);
        ledger_nodes_free(&nodes);
        ledger_free(&whole);
        ledger_free(&then);
        ledger_free(&less);
        ledger_free(&between);
        fake_tables_free(p.f);
    }
}

/* Whatever figures nodes have, also large ones and those that damage leaves: each ledger that is
 * read once is what a whole one is. */
TEST(packed_once) {
    for (int round = 0; round < 40; round++) {
        Program p = program();
        Ledger whole = {0}, once = {0};
        grow(&p, 1 + (uint32_t)suite_below(NODES));
        work(&p, (int)suite_below(400));
        LmpUsage *use = &p.f->t.usage[suite_below(p.f->live->tables.nodes)];
        if (round & 1) use->bytes += 5ull << 32;
        if (round & 2) use->free_bytes += use->bytes + 1;
        if (round & 4) use->frees += use->allocs + 1;
        if (round & 8) use->realloc_bytes -= 77;
        refresh(&whole, &p);
        spoil_from_now_on(&p.f->t);
        ck_assert_int_eq(ledger_refresh(&once, &p.f->t, PARTS | LEDGER_ONCE, 1000), LMP_OK);
        expect_same_tree(&once, &whole);
        ck_assert_uint_eq(once.functions, whole.functions);
        for (uint32_t i = 0; i < once.functions; i++)
            ck_assert_mem_eq(&once.function[i].retained, &whole.function[i].retained,
                             offsetof(LmpTally, was));
        ledger_free(&whole);
        ledger_free(&once);
        fake_tables_free(p.f);
    }
}

/* As a program has usages, the tree is the same. */
TEST(own_usages) {
    for (int round = 0; round < 40; round++) {
        Program p = program();
        Ledger as_recorded = {0}, own = {0};
        grow(&p, 1 + (uint32_t)suite_below(NODES));
        work(&p, (int)suite_below(400));
        refresh(&as_recorded, &p);
        fake_own_usages(p.f);
        refresh(&own, &p);
        expect_same_tree(&own, &as_recorded);
        ledger_free(&as_recorded);
        ledger_free(&own);
        fake_tables_free(p.f);
    }
}

/* The same of so many nodes that they are given back piece by piece. */
TEST(many_nodes_once) {
    enum { MANY = 20000, MORE = 3000 };
    Ledger then = {0}, now = {0}, once = {0};
    LedgerNodes nodes;
    Program p = program();
    grow(&p, 10);
    LmpTablesUsed *u = &p.f->live->tables;
    for (int i = 0; i < MANY; i++, u->nodes++) {
        p.f->t.node[u->nodes] =
            (LmpNode){.parent = (uint32_t)suite_below(u->nodes), .site = p.site[suite_below(10)]};
        p.f->t.usage[u->nodes] = (LmpUsage){.allocs = 5, .bytes = suite_below(9000)};
    }
    ck_assert_int_eq(ledger_nodes_keep(&nodes, &p.f->t), LMP_OK);
    ck_assert_int_eq(ledger_refresh(&then, &p.f->t, LEDGER_TREE, 1), LMP_OK);
    for (int i = 0; i < MORE; i++, u->nodes++) {
        p.f->t.node[u->nodes] =
            (LmpNode){.parent = (uint32_t)suite_below(u->nodes), .site = p.site[0]};
        p.f->t.usage[u->nodes] = (LmpUsage){.allocs = 1, .bytes = suite_below(9000)};
    }
    for (int i = 0; i < MANY; i++)
        p.f->t.usage[suite_below(u->nodes)].frees++;
    ck_assert_int_eq(ledger_refresh(&now, &p.f->t, LEDGER_TREE, 1), LMP_OK);
    ck_assert_int_eq(ledger_between(&now, &then), LMP_OK);
    spoil_from_now_on(&p.f->t);
    once.less = &nodes;
    ck_assert_int_eq(ledger_refresh(&once, &p.f->t, LEDGER_TREE | LEDGER_ONCE, 1), LMP_OK);
    expect_same_tree(&once, &now);
    ledger_nodes_free(&nodes);
    ledger_free(&then);
    ledger_free(&now);
    ledger_free(&once);
    fake_tables_free(p.f);
}
