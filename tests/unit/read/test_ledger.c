/* test_ledger.c - the ledger on tables made by hand: a whole program, names, marks, rates, deep and
 * cyclic paths, damage. Refused memory: test_ledger_refused.c; random tables against a model:
 * test_ledger_model.c. */
#include "ledger_shape.h"
#include "read/ledger/ledger_impl.h"

/* ---- a whole program ------------------------------------------------------------------------- */

TEST(sums_are_those_of_the_heap) {
    OWN(fake_tables_free_at) FakeTables *f = fake_tables_new(NULL);
    fake_program(f, true);
    refresh(f, LEDGER_ALL, f->live->clock);
    check_shape(LEDGER_ALL);
    LmpTally want = {.peak_bytes = f->live->counters.peak_bytes}, sites = {0}, details = {0},
             functions = {0}, tags = {0};
    uint64_t kinds[LMP_KINDS] = {0}, own[LMP_KINDS] = {0}, tag_allocs = 0;
    for (unsigned c = 1; c < LMP_C_COUNTED; c++) {
        const LmpClassCount *n = &f->live->counters.count[c];
        want.allocs += n->allocs;
        want.bytes += n->alloc_bytes;
        want.frees += n->frees;
        want.free_bytes += n->free_bytes;
        want.reallocs += n->reallocs;
        want.realloc_bytes += n->realloc_bytes;
        own[class_owner(c)] += n->alloc_bytes + (uint64_t)n->realloc_bytes - n->free_bytes;
    }
    want.live_blocks = want.allocs - want.frees;
    want.live_bytes = f->live->counters.live_bytes;
    uint64_t here_frees = 0;
    for (uint32_t i = 0; i < ledger.sites; i++) {
        const LmpSiteRow *s = &ledger.site[i];
        add(&sites, &s->tally);
        for (uint32_t k = 0; k < s->details; k++)
            add(&details, &ledger.detail[s->first_detail + k].tally);
        if (s->details == 0) add(&details, &s->tally);
        for (int k = 0; k < LMP_KINDS; k++) {
            kinds[k] += s->kind[k].tally.live_bytes;
            tag_allocs += s->kind[k].tag_allocs;
        }
        here_frees += s->here_frees;
    }
    for (uint32_t i = 0; i < ledger.functions; i++)
        add(&functions, &ledger.function[i].shallow);
    for (uint32_t i = 0; i < ledger.tags; i++)
        add(&tags, &ledger.tag[i].tally);
    want.temporary = sites.temporary;
    want.short_lived = sites.short_lived;
    ck_assert_uint_gt(want.temporary, 0);
    same_tally(&sites, &want, "sites");
    same_tally(&details, &want, "details");
    same_tally(&functions, &want, "functions");
    same_tally(&tags, &want, "tags");
    same_tally(&ledger.tree[0].retained, &want, "root");
    ck_assert_uint_eq(tag_allocs, want.allocs);
    ck_assert_uint_eq(here_frees, want.frees);
    ck_assert_mem_eq(kinds, own, sizeof own);
}

/* What is made right at a node, by a second look at all paths that end in it. */
TEST(kinds_of_nodes) {
    OWN(fake_tables_free_at) FakeTables *f = fake_tables_new(NULL);
    fake_program(f, true);
    LmpTablesUsed *u = &f->live->tables;
    for (; u->paths < 60; u->paths++) /* half of the nodes are shared, some are of no path */
        f->t.path[u->paths] = (LmpPath){.node = 1 + (uint32_t)suite_below(u->nodes / 2),
                                        .record = (uint32_t)suite_below(u->records)};
    refresh(f, LEDGER_ALL | LEDGER_TREE_KINDS, f->live->clock);
    unsigned none = 0, several = 0, tagged = 0;
    for (uint32_t i = 0; i < ledger.nodes; i++) {
        const LmpTreeRow *row = &ledger.tree[i];
        uint32_t kinds = 0, kind = LMP_KINDS, tag = 0;
        uint64_t most = 0;
        for (uint32_t k = 1; k < u->paths; k++) {
            const LmpUsage *use = &f->t.record[f->t.path[k].record].use;
            if (f->t.path[k].node != row->id || !f->t.path[k].record) continue;
            tag = kinds && use->tag != tag ? LEDGER_SEVERAL_TAGS : use->tag;
            kinds |= 1u << class_owner(use->cls);
            if (kind == LMP_KINDS || use->bytes > most) {
                kind = class_owner(use->cls);
                most = use->bytes;
            }
        }
        ck_assert_uint_eq(row->kinds, kinds);
        ck_assert_uint_eq(row->kind, kind);
        ck_assert_uint_eq(row->tag, tag);
        none += !kinds;
        several += (kinds & (kinds - 1)) != 0;
        tagged += tag != 0;
    }
    ck_assert_uint_gt(none, 0);
    ck_assert_uint_gt(several, 0);
    ck_assert_uint_gt(tagged, 0);
}

/* What the collector is said to have freed, of eight blocks of 800 bytes that a line made, when
 * lines have freed `here` and of the line's `freed` are gone. `kind`: the collector's
 * pseudo-function's. */
static LmpTally collected(LmpFunctionKind kind, uint32_t lines, uint32_t sample, uint64_t freed,
                          uint64_t here) {
    FakeTables *f = fake_tables_new(NULL);
    LmpTally told = {0};
    for (uint32_t i = 2; i <= LMP_SITE_COLLECTOR; i++) {
        char name[16];
        snprintf(name, sizeof name, "=(%u)", i);
        fake_site(f,
                  fake_function(f, i == LMP_SITE_COLLECTOR ? kind : LMP_F_PSEUDO, name, -1, name),
                  -1, 0);
    }
    FakeSpot at = {.cls = LMP_C_TABLE};
    at.site = fake_site(f, fake_function(f, LMP_F_MAIN, "@a.lua", 0, "main"), 1, 0);
    ck_assert_uint_eq(at.site, LMP_SITE_COLLECTOR + 1);
    fake_made(f, at, 8, 800);
    fake_freed(f, at, at, freed, freed * 100, 0);
    LmpRecord *r = &f->t.record[fake_record(f, at.site, at.cls, 0)];
    r->here_frees = here;
    r->here_free_bytes = here * 100;
    f->live->tables.lines = lines;
    f->live->tables.sample = sample;
    refresh(f, LEDGER_ALL, 1);
    const LmpSiteRow *s = site("(4)", -1);
    if (s) told = (LmpTally){.frees = s->here_frees, .free_bytes = s->here_free_bytes};
    ledger_free(&ledger);
    fake_tables_free(f);
    return told;
}

TEST(the_collector_has_freed_the_rest) {
    LmpTally told = collected(LMP_F_PSEUDO, LMP_LINES_EXACT, 0, 5, 2);
    ck_assert_uint_eq(told.frees, 3);
    ck_assert_uint_eq(told.free_bytes, 300);
    told = collected(LMP_F_PSEUDO, LMP_LINES_EXACT, 0, 5, 5);
    ck_assert_uint_eq(told.frees, 0);
    /* read while it was written: not less than nothing */
    told = collected(LMP_F_PSEUDO, LMP_LINES_EXACT, 0, 5, 6);
    ck_assert_uint_eq(told.frees, 0);
    ck_assert_uint_eq(told.free_bytes, 0);
    /* where it is not known, nothing is said */
    ck_assert_uint_eq(collected(LMP_F_PSEUDO, LMP_LINES_APPROXIMATE, 0, 5, 2).frees, 0);
    ck_assert_uint_eq(collected(LMP_F_PSEUDO, LMP_LINES_EXACT, 4096, 5, 2).frees, 0);
    ck_assert_uint_eq(collected(LMP_F_LUA, LMP_LINES_EXACT, 0, 5, 2).frees, 0);
}

TEST(rows_of_the_program) {
    OWN(fake_tables_free_at) FakeTables *f = fake_tables_new(NULL);
    fake_program(f, true);
    refresh(f, LEDGER_ALL, f->live->clock);
    const LmpSiteRow *s = site("options.lua", 7);
    ck_assert_ptr_nonnull(s);
    ck_assert_str_eq(s->func, "local 'load_table'");
    ck_assert_str_eq(s->source, "@options.lua");
    ck_assert_uint_eq(s->details, 1);
    ck_assert_str_eq(ledger.detail[s->first_detail].name, "insert [C]");
    ck_assert_str_eq(ledger.function[s->function].name, s->func);
    s = site("(host)", -1); /* the line itself, and what require made */
    ck_assert_ptr_nonnull(s);
    ck_assert_uint_eq(s->details, 2);
    ck_assert_str_eq(ledger.detail[s->first_detail].name, "require [C]");
    ck_assert_str_eq(ledger.detail[s->first_detail + 1].name, "");
    s = site("[string \"return function(k)...\"]", 1);
    ck_assert_ptr_nonnull(s);
    ck_assert_str_eq(s->source, "return function(k)? return k.strike end"); /* safe to print */
    ck_assert_str_eq(s->raw_source, "return function(k)\n return k.strike end");
    ck_assert_str_eq(ledger.function[s->function].raw_source, s->raw_source);
    /* walk calls itself: what it retains is counted once */
    const LmpFunctionRow *walk = function("local 'walk'");
    ck_assert_uint_eq(walk->retained.live_bytes, walk->shallow.live_bytes);
    /* and all that price calls, as called from two places */
    const LmpFunctionRow *price = function("function 'options.price'");
    ck_assert_uint_eq(price->retained.bytes - price->shallow.bytes,
                      function("method 'keep'")->shallow.bytes +
                          function("method 'RandomVector'")->retained.bytes);
    ck_assert_uint_eq(function("function 'coroutine.resume'")->shallow.bytes, 0);
    ck_assert(function("function 'coroutine.resume'")->is_c);
    int tails = 0, coroutines = 0;
    for (uint32_t i = 0; i < ledger.nodes; i++) {
        tails += ledger.tree[i].flags == LMP_NODE_TAIL;
        coroutines += ledger.tree[i].flags == LMP_NODE_COROUTINE;
    }
    ck_assert_int_eq(tails, 2);
    ck_assert_int_eq(coroutines, 2);
    ck_assert_uint_eq(ledger.live_history_rows, 24);
    ck_assert_uint_eq(ledger.live_history_cycle[23], 24);
    ck_assert_uint_eq(site("options.lua", 7)->live_history[0], 8388608);
}

TEST(parts_and_no_tables) {
    OWN(fake_tables_free_at) FakeTables *f = fake_tables_new(NULL);
    fake_program(f, true);
    static const LmpTables none;
    ck_assert_int_eq(ledger_refresh(&ledger, &none, LEDGER_ALL, 0), LMP_OK);
    ck_assert_uint_eq(ledger.sites + ledger.functions + ledger.nodes, 0);
    for (unsigned parts = 0; parts <= LEDGER_ALL; parts++) {
        refresh(f, parts, parts);
        check_shape(parts);
        ck_assert(parts & LEDGER_SITES ? ledger.sites > 20 : ledger.sites == 0);
        ck_assert(parts & LEDGER_TAGS ? ledger.tags == 3 : ledger.tags == 0);
        ck_assert(parts & (LEDGER_FUNCTIONS | LEDGER_SITES | LEDGER_TREE) ? ledger.functions > 5
                                                                          : ledger.functions == 0);
        ck_assert_uint_eq(parts & LEDGER_FUNCTIONS && function("local 'walk'")->retained.bytes,
                          (parts & LEDGER_FUNCTIONS) != 0);
    }
    /* another state's tables: begun anew */
    OWN(fake_tables_free_at) FakeTables *g = fake_tables_new(NULL);
    refresh(g, LEDGER_ALL, 1);
    ck_assert_uint_eq(ledger.sites, 0);
    ck_assert_uint_eq(ledger.nodes, 1);
}

/* ---- what changes ---------------------------------------------------------------------------- */

TEST(names_come_late) {
    OWN(fake_tables_free_at) FakeTables *f = fake_tables_new(NULL);
    uint32_t lua = fake_function(f, LMP_F_LUA, "@a.lua", 3, ""),
             c = fake_function(f, LMP_F_C, "=[C]", -1, "method 'x:push'");
    FakeSpot at = {.site = fake_site(f, lua, 4, c), .cls = LMP_C_TABLE};
    fake_made(f, at, 1, 100);
    refresh(f, LEDGER_ALL, 1);
    ck_assert_str_eq(ledger.site[0].func, "function <a.lua:3>");
    ck_assert_str_eq(ledger.detail[0].name, "push [C]");
    fake_path(f, lua, "m.sub.make");
    fake_path(f, c, "m.grow");
    refresh(f, LEDGER_ALL, 2);
    ck_assert_str_eq(ledger.site[0].func, "function 'm.sub.make'");
    ck_assert_str_eq(ledger.detail[0].name, "grow [C]");
    f->t.function[lua].qualified = 0;
    f->t.function[lua].name = fake_text(f, "local \x1b[31m'mk'");
    f->live->tables.names++;
    refresh(f, LEDGER_ALL, 3);
    ck_assert_str_eq(ledger.site[0].func, "local ?[31m'mk'");
}

TEST(functions_on_one_line) {
    OWN(fake_tables_free_at) FakeTables *f = fake_tables_new(NULL);
    uint32_t a = fake_function(f, LMP_F_LUA, "@a.lua", 3, "local 'a'"),
             b = fake_function(f, LMP_F_LUA, "@a.lua", 4, "local 'b'"),
             other = fake_function(f, LMP_F_LUA, "@b.lua", 4, "local 'c'");
    FakeSpot first = {.site = fake_site(f, a, 4, 0), .cls = LMP_C_TABLE},
             second = {.site = fake_site(f, b, 4, 0), .cls = LMP_C_STRING},
             third = {.site = fake_site(f, other, 4, 0), .cls = LMP_C_STRING};
    fake_made(f, first, 1, 100);
    refresh(f, LEDGER_ALL, 1);
    uint32_t id = ledger.site[0].id;
    ck_assert_str_eq(ledger.site[0].func, "local 'a'");
    fake_made(f, second, 1, 200);
    fake_made(f, third, 1, 1000);
    refresh(f, LEDGER_ALL, 2);
    ck_assert_uint_eq(ledger.sites, 2);
    ck_assert_uint_eq(ledger.site[1].id, id);
    ck_assert_str_eq(ledger.site[1].func, "local 'b'");
    ck_assert_uint_eq(ledger.site[1].tally.live_bytes, 300);
    ck_assert_uint_eq(ledger.site[1].details, 0);
    ck_assert_uint_eq(ledger_site_of(&ledger, &f->t, fake_record(f, first.site, first.cls, 0)), 1);
    ck_assert_uint_eq(ledger_site_of(&ledger, &f->t, fake_record(f, third.site, third.cls, 0)), 0);
    ck_assert_uint_eq(ledger_site_of(&ledger, &f->t, 0), LEDGER_NO_ROW);
    ck_assert_uint_eq(ledger_site_of(&ledger, &f->t, 1u << 31), LEDGER_NO_ROW);
}

#define SINCE(tally, now, then) ((int64_t)((tally).now - (tally).mark.then))

static double allocs_per_s(const LmpSiteRow *row) {
    return ledger_rate(&ledger, row->tally.allocs, row->tally.was.allocs);
}

TEST(marks_and_rates) {
    OWN(fake_tables_free_at) FakeTables *f = fake_tables_new(NULL);
    uint32_t a = fake_function(f, LMP_F_MAIN, "@a.lua", 0, "main chunk");
    FakeSpot one = {.site = fake_site(f, a, 1, 0), .cls = LMP_C_TABLE},
             two = {.site = fake_site(f, a, 2, 0), .cls = LMP_C_TABLE};
    fake_made(f, one, 10, 1000);
    refresh(f, LEDGER_SITES, 1000000000);
    ck_assert_int_eq(SINCE(ledger.site[0].tally, live_bytes, live), 0);
    fake_mark(f);
    ledger.count_from = 1;
    fake_made(f, two, 7, 700);
    fake_freed(f, one, one, 4, 400, 0);
    refresh(f, LEDGER_SITES, 1500000000);
    const LmpSiteRow *s = site("a.lua", 1), *t = site("a.lua", 2);
    ck_assert_int_eq(SINCE(s->tally, live_bytes, live), -400);
    ck_assert_int_eq(SINCE(s->tally, allocs, allocs), 0);
    ck_assert_int_eq(SINCE(t->tally, live_bytes, live), 700);
    ck_assert_int_eq(SINCE(t->tally, allocs, allocs), 7);
    ck_assert_int_eq(SINCE(ledger.function[0].shallow, live_bytes, live), 300);
    ck_assert_double_eq_tol(allocs_per_s(t), 14, 1e-9);
    ck_assert_double_eq_tol(allocs_per_s(s), 0, 1e-9);
    for (int i = 1; i <= 60; i++) { /* 100 a second, looked at 30 times a second */
        fake_made(f, one, 100 / 30 + (i % 3 == 0), 0);
        refresh(f, LEDGER_SITES, 1500000000 + (uint64_t)i * 33333333);
    }
    ck_assert_double_eq_tol(allocs_per_s(site("a.lua", 1)), 100, 4);
    refresh(f, LEDGER_SITES, 1500000000 + 60ull * 33333333); /* the clock stands: nothing runs */
    ck_assert_double_eq_tol(allocs_per_s(site("a.lua", 1)), 0, 1e-9);
    refresh(f, LEDGER_SITES, 9000000000);
    refresh(f, LEDGER_SITES, 11000000000);
    ck_assert_double_eq_tol(allocs_per_s(site("a.lua", 1)), 0, 1e-9);
}

/* What survivors of records and nodes are comes to lines, functions, tags and the tree; rows that
 * were added since have none. */
TEST(survivors_add_up) {
    enum { ROWS = 4096 };
    static LedgerLives record[ROWS], node[ROWS];
    OWN(fake_tables_free_at) FakeTables *f = fake_tables_new(NULL);
    fake_program(f, true);
    uint32_t records = tables_records(&f->t), nodes = tables_nodes(&f->t);
    ck_assert(records > 4 && records < ROWS && nodes > 4 && nodes < ROWS);
    for (uint32_t few = 0; few < 2; few++) {
        LedgerSince since = {record, node, records - few, nodes - few};
        LedgerLives all = {0}, lines = {0}, functions = {0}, tags = {0}, paths = {0};
        for (uint32_t i = 1; i < ROWS; i++) {
            record[i] = (LedgerLives){i, i * 10};
            node[i] = (LedgerLives){i, i * 10};
        }
        node[1] = (LedgerLives){0}; /* the root makes nothing */
        for (uint32_t i = 1; i < records - few; i++) {
            all.blocks += i;
            all.bytes += i * 10;
        }
        ledger.lives = &since;
        refresh(f, LEDGER_ALL, f->live->clock);
        for (uint32_t i = 0; i < ledger.sites; i++)
            lines.blocks += ledger.site[i].tally.since.blocks;
        for (uint32_t i = 0; i < ledger.functions; i++)
            functions.bytes += ledger.function[i].shallow.since.bytes;
        for (uint32_t i = 0; i < ledger.tags; i++)
            tags.bytes += ledger.tag[i].tally.since.bytes;
        for (uint32_t i = 0; i < ledger.nodes; i++)
            paths.blocks += ledger.tree[i].shallow.since.blocks;
        ck_assert_uint_eq(lines.blocks, all.blocks);
        ck_assert_uint_eq(functions.bytes, all.bytes);
        ck_assert_uint_eq(tags.bytes, all.bytes);
        uint64_t of_nodes = (uint64_t)(nodes - few) * (nodes - few - 1) / 2 - 1;
        ck_assert_uint_eq(paths.blocks, of_nodes);
        ck_assert_uint_eq(ledger.tree[0].retained.since.blocks, of_nodes);
    }
    ledger.lives = NULL;
    refresh(f, LEDGER_SITES, f->live->clock);
    ck_assert_uint_eq(ledger.site[0].tally.since.blocks, 0);
}

/* What lines, functions, nodes and tags make a second, and since the mark, is what their records
 * and nodes do. */
TEST(rates_and_marks_add_up) {
    FakeTables *f = fake_tables_new(NULL);
    f->live->tables.stacks = 1;
    uint32_t a = fake_function(f, LMP_F_MAIN, "@a.lua", 0, "main chunk");
    uint32_t b = fake_function(f, LMP_F_LUA, "@a.lua", 5, "local 'b'");
    uint32_t call = fake_site(f, a, 1, 0), in = fake_site(f, b, 6, 0);
    uint32_t outer = fake_node(f, 0, call, 0), inner = fake_node(f, outer, in, 0);
    FakeSpot own = {.site = call, .node = outer, .cls = LMP_C_TABLE, .tag = fake_tag(f, "t")};
    FakeSpot below = {.site = in, .node = inner, .cls = LMP_C_STRING, .tag = own.tag};
    fake_made(f, own, 1, 100);
    fake_made(f, below, 2, 50);
    refresh(f, LEDGER_ALL, 1000000000);
    ck_assert_uint_eq(ledger.since, 0);
    ck_assert_uint_eq(ledger.all.was.made, 150); /* no moment: as it is now */
    fake_made(f, own, 1, 1000);
    fake_made(f, below, 3, 6000);
    fake_freed(f, below, below, 1, 2000, 0);
    refresh(f, LEDGER_ALL, 3000000000);
    ck_assert_uint_eq(ledger.since, 1000000000);
#define RATE(t) ledger_rate(&ledger, tally_made(&(t)), (t).was.made)
    ck_assert_double_eq(RATE(site("a.lua", 6)->tally), 3000);
    ck_assert_double_eq(RATE(site("a.lua", 6)->kind[LMP_STRING].tally), 3000);
    ck_assert_double_eq(RATE(site("a.lua", 6)->kind[LMP_TABLE].tally), 0);
    ck_assert_double_eq(RATE(ledger.tree[0].retained), 3500);
    ck_assert_double_eq(RATE(ledger.tree[1].retained), 3500);
    ck_assert_double_eq(RATE(ledger.tree[1].shallow), 500);
    ck_assert_double_eq(RATE(ledger.tag[0].tally), 3500);
    ck_assert_double_eq(RATE(ledger.all), 3500);
    uint32_t main_row = ledger.tree[1].function;
    ck_assert_double_eq(RATE(ledger.function[main_row].shallow), 500);
    ck_assert_double_eq(RATE(ledger.function[main_row].retained), 3500);
    const LmpTally *t = &ledger.tree[1].retained;
    ck_assert_double_eq(ledger_rate(&ledger, t->live_bytes, t->was.live), 2500);
    fake_mark(f);
    ledger.count_from = 1;
    refresh(f, LEDGER_ALL, 3000000000);
    ck_assert(ledger.marked);
    ck_assert_int_eq(SINCE(ledger.tree[1].retained, live_bytes, live), 0);
    ck_assert_int_eq(SINCE(ledger.tag[0].tally, live_bytes, live), 0);
    fake_made(f, below, 1, 10);
    fake_freed(f, own, own, 1, 100, 0);
    refresh(f, LEDGER_ALL, 4000000000);
    ck_assert_int_eq(SINCE(ledger.tree[1].retained, live_bytes, live), -90);
    ck_assert_int_eq(SINCE(ledger.tree[2].shallow, live_bytes, live), 10);
    ck_assert_int_eq(SINCE(ledger.tag[0].tally, live_bytes, live), -90);
    ck_assert_int_eq(SINCE(ledger.all, allocs, allocs), 1);
    ck_assert_uint_eq(tally_made(&ledger.all) - ledger.all.mark.made, 10);
    /* a tree that was not looked at for a while has no rate, then it has one again */
    refresh(f, LEDGER_SITES, 6000000000);
    refresh(f, LEDGER_SITES, 8000000000);
    fake_made(f, below, 1, 500);
    refresh(f, LEDGER_ALL, 9000000000);
    ck_assert_double_eq(RATE(site("a.lua", 6)->tally), 500);
    ck_assert_double_eq(RATE(ledger.tree[1].retained), 0);
    fake_made(f, below, 1, 700);
    refresh(f, LEDGER_ALL, 10000000000);
    ck_assert_double_eq(RATE(ledger.tree[1].retained), 700);
    fake_tables_free(f);
}

/* ---- paths ----------------------------------------------------------------------------------- */

TEST(deep_and_cyclic_paths) {
    enum { DEEP = 200000 };
    OWN(fake_tables_free_at) FakeTables *f = fake_tables_new(NULL);
    LmpTablesUsed *u = &f->live->tables;
    u->stacks = 1;
    uint32_t fn[3], at[3];
    static const char *const names[] = {"local 'a'", "local 'b'", "local 'c'"};
    for (int i = 0; i < 3; i++) {
        fn[i] = fake_function(f, LMP_F_LUA, "@deep.lua", 10 * i + 1, names[i]);
        at[i] = fake_site(f, fn[i], 10 * i + 2, 0);
    }
    /* c, then a and b in turn, 200 000 deep; a block of 8 bytes in each */
    for (uint32_t i = 0; i < DEEP; i++, u->nodes++) {
        f->t.node[u->nodes] =
            (LmpNode){.parent = i ? u->nodes - 1 : 0, .site = i ? at[i % 2] : at[2]};
        f->t.usage[u->nodes] = (LmpUsage){.allocs = 1, .bytes = 8};
    }
    refresh(f, LEDGER_ALL, 1);
    check_shape(LEDGER_ALL);
    ck_assert_uint_eq(ledger.tree[ledger.nodes - 1].depth, DEEP);
    ck_assert_uint_eq(ledger.tree[0].retained.allocs, DEEP);
    ck_assert_uint_eq(function("local 'c'")->retained.allocs, DEEP);
    ck_assert_uint_eq(function("local 'b'")->retained.allocs, DEEP - 1);
    ck_assert_uint_eq(function("local 'a'")->retained.allocs, DEEP - 2);
}

/* ---- damage ---------------------------------------------------------------------------------- */

TEST(damaged_tables) {
    for (int round = 0; round < 400; round++) {
        OWN(fake_tables_free_at) FakeTables *f = fake_tables_new(NULL);
        fake_program(f, suite_below(2));
        LmpTablesUsed *u = &f->live->tables;
        if (suite_below(2)) u->stacks = 1;
        if (suite_below(2)) refresh(f, LEDGER_ALL, 1);
        const struct {
            void *at;
            size_t size;
        } parts[] = {
            {u, sizeof *u},
            {f->t.text, u->text},
            {f->t.function, u->functions * sizeof(LmpFunction)},
            {f->t.site, u->sites * sizeof(LmpSite)},
            {f->t.record, u->records * sizeof(LmpRecord)},
            {f->t.node, u->nodes * sizeof(LmpNode)},
            {f->t.usage, u->nodes * sizeof(LmpUsage)},
        };
        for (uint64_t hits = 1 + suite_below(60); hits > 0; hits--) {
            size_t part = suite_below(sizeof parts / sizeof *parts);
            size_t word = suite_below(parts[part].size / 4);
            uint32_t value = suite_below(3) == 0   ? UINT32_MAX
                             : suite_below(2) == 0 ? (uint32_t)suite_below(70)
                                                   : (uint32_t)suite_random();
            memcpy((char *)parts[part].at + 4 * word, &value, 4);
        }
        for (int i = 0; i < 2; i++) {
            unsigned mask = (unsigned)suite_below(16);
            refresh(f, mask, suite_random() >> suite_below(64));
            check_shape(mask);
            ledger.count_from = suite_below(6);
            ledger_site_of(&ledger, &f->t, (uint32_t)suite_random());
        }
        ledger_free(&ledger);
    }
}

/* What C code made that no name is known of: in a report as tracebacks have it, on a screen in
 * words, until a name is found. */
TEST(code_without_a_name) {
    OWN(fake_tables_free_at) FakeTables *f = fake_tables_new(NULL);
    uint32_t c = fake_function(f, LMP_F_C, "=[C]", -1, "?");
    uint32_t lua = fake_function(f, LMP_F_MAIN, "@a.lua", 0, "main chunk");
    fake_made(f, (FakeSpot){.site = fake_site(f, c, -1, 0), .cls = LMP_C_TABLE}, 1, 56);
    fake_made(f, (FakeSpot){.site = fake_site(f, lua, 3, c), .cls = LMP_C_TABLE}, 1, 56);
    for (int spoken = 0; spoken < 2; spoken++) {
        ledger.spoken = spoken;
        refresh(f, LEDGER_ALL, 1);
        const LmpSiteRow *s = site(spoken ? "C code" : "[C]", -1);
        ck_assert_ptr_nonnull(s);
        ck_assert_str_eq(s->func, spoken ? "the program" : "?");
        ck_assert_str_eq(s->raw_source, "=[C]");
        s = site("a.lua", 3);
        ck_assert_str_eq(ledger.detail[s->first_detail].name, spoken ? "C code" : "? [C]");
        if (spoken) fake_path(f, c, "app.serve");
        if (spoken) refresh(f, LEDGER_ALL, 2);
        if (spoken) ck_assert_str_eq(site("[C]", -1)->func, "function 'app.serve'");
        ledger_free(&ledger);
    }
}
