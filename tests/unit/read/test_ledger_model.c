/* test_ledger_model.c - random programs in random tables, summed up by the ledger and by a model
 * that keeps every call path and looks at all of them for each question. */
#include "suite.h"

#include "fake_tables.h"
#include "read/ledger/ledger.h"

enum { FUNCTIONS = 9, LINES = 5, SOURCES = 3, SPOTS = 70, DEPTH = 7, TAGS = 4 };

typedef struct Spot { /* where something is made: the whole path, outermost first */
    int depth, function[DEPTH], line[DEPTH], c; /* c: -1 none */
    unsigned cls, tag;
    FakeSpot at;
    LmpTally tally; /* peak_bytes: live when the heap was at its highest */
} Spot;

static Spot spot[SPOTS];
static uint32_t function_row[FUNCTIONS];
static bool function_c[FUNCTIONS];
static int function_source[FUNCTIONS];
static uint32_t nodes_made;

static uint64_t heap_live(void) {
    uint64_t n = 0;
    for (int i = 0; i < SPOTS; i++)
        n += spot[i].tally.live_bytes;
    return n;
}

/* ---- a random program ------------------------------------------------------------------------ */

static void make_functions(FakeTables *f) {
    char source[32], name[32];
    for (int i = 0; i < FUNCTIONS; i++) {
        function_c[i] = i >= FUNCTIONS - 2;
        function_source[i] = (int)suite_below(SOURCES);
        snprintf(source, sizeof source, "@s%d.lua", function_source[i]);
        snprintf(name, sizeof name, "local 'f%d'", i);
        function_row[i] =
            fake_function(f, function_c[i] ? LMP_F_C : LMP_F_LUA, function_c[i] ? "=[C]" : source,
                          function_c[i] ? -1 : i, name);
    }
}

static void make_spot(FakeTables *f, Spot *s) {
    *s = (Spot){.depth = 1 + (int)suite_below(DEPTH), .c = -1};
    const Spot *other = &spot[suite_below(SPOTS)]; /* begin as another one does, perhaps */
    int shared = other->at.site && suite_below(3) ? (int)suite_below(DEPTH) : 0;
    for (int d = 0; d < s->depth; d++) {
        bool same = d < shared && d < other->depth && !function_c[other->function[d]];
        s->function[d] = same ? other->function[d] : (int)suite_below(FUNCTIONS);
        s->line[d] = same ? other->line[d] : 1 + (int)suite_below(LINES);
        if (function_c[s->function[d]]) s->line[d] = -1;
    }
    int last = s->depth - 1;
    if (function_c[s->function[last]] && last > 0 && !function_c[s->function[last - 1]])
        s->c = s->function[last];
    else
        while (function_c[s->function[last]]) {
            s->function[last] = (int)suite_below(FUNCTIONS - 2);
            s->line[last] = 1 + (int)suite_below(LINES);
        }
    s->cls = 1 + (unsigned)suite_below(LMP_C_COUNTED - 1);
    s->tag = (unsigned)suite_below(TAGS);
    if (s->tag) {
        char name[16];
        snprintf(name, sizeof name, "tag %u", s->tag);
        s->at.tag = fake_tag(f, name);
    }
    s->at.cls = s->cls;
    for (int d = 0; d < s->depth; d++) {
        uint32_t row = fake_site(f, function_row[s->function[d]], s->line[d], 0);
        s->at.node = fake_node(f, s->at.node, row, 0);
        s->at.site = row;
    }
    if (s->c >= 0)
        s->at.site = fake_site(f, function_row[s->function[last - 1]], s->line[last - 1],
                               function_row[s->c]);
}

static void note_highest(uint64_t *highest) {
    if (heap_live() <= *highest) return;
    *highest = heap_live();
    for (int i = 0; i < SPOTS; i++)
        spot[i].tally.peak_bytes = spot[i].tally.live_bytes;
}

static void run(FakeTables *f, int operations, uint64_t *highest) {
    for (; operations > 0; operations--) {
        Spot *s = &spot[suite_below(SPOTS)], *here = &spot[suite_below(SPOTS)];
        LmpTally *t = &s->tally;
        uint64_t n = 1 + suite_below(20);
        switch (suite_below(4)) {
        case 0:
        case 1: {
            uint64_t bytes = suite_below(5000);
            fake_made(f, s->at, n, bytes);
            t->allocs += n;
            t->bytes += bytes;
            break;
        }
        case 2: {
            int64_t bytes = (int64_t)suite_below(3000) - (int64_t)suite_below(t->live_bytes + 1);
            if (t->live_blocks == 0) continue;
            fake_resized(f, s->at, here->at, n, bytes);
            t->reallocs += n;
            t->realloc_bytes += bytes;
            break;
        }
        default: {
            if (t->live_blocks == 0) continue;
            n = 1 + suite_below(t->live_blocks);
            uint64_t bytes = n == t->live_blocks ? t->live_bytes : suite_below(t->live_bytes + 1);
            uint64_t temporary = suite_below(n + 1);
            fake_freed(f, s->at, here->at, n, bytes, temporary);
            t->frees += n;
            t->free_bytes += bytes;
            t->temporary += temporary;
            t->short_lived += temporary;
        }
        }
        t->live_blocks = t->allocs - t->frees;
        t->live_bytes = t->bytes + (uint64_t)t->realloc_bytes - t->free_bytes;
        note_highest(highest);
    }
}

/* ---- the model's answers --------------------------------------------------------------------- */

static Ledger ledger;

static void add(LmpTally *sum, const LmpTally *t) {
    for (size_t i = 0; i < sizeof *sum / 8; i++)
        ((uint64_t *)sum)[i] += ((const uint64_t *)t)[i];
}

static void same(const LmpTally *a, const LmpTally *b, const char *what) {
    for (size_t i = 0; i < sizeof *a / 8; i++) {
        if (i >= offsetof(LmpTally, was) / 8 && i < offsetof(LmpTally, mark) / 8) continue;
        ck_assert_msg(((const uint64_t *)a)[i] == ((const uint64_t *)b)[i],
                      "%s, figure %zu: %llu, not %llu", what, i,
                      (unsigned long long)((const uint64_t *)a)[i],
                      (unsigned long long)((const uint64_t *)b)[i]);
    }
}

/* At a mark, or where there is none: as it is now. */
static void note_mark(void) {
    for (int i = 0; i < SPOTS; i++) {
        LmpTally *t = &spot[i].tally;
        t->mark = (LmpThen){t->allocs, tally_made(t), t->live_bytes};
    }
}

/* The frame that a spot is charged to: what C functions make, their caller. */
static int charged(const Spot *s) {
    return s->depth - 1 - (s->c >= 0);
}

static void check_sites(void) {
    LmpTally all = {0};
    for (uint32_t i = 0; i < ledger.sites; i++) {
        const LmpSiteRow *row = &ledger.site[i];
        LmpTally want = {0}, called[FUNCTIONS + 1];
        uint64_t kind[LMP_KINDS] = {0}, tag_allocs[LMP_KINDS] = {0};
        int source = row->source[2] - '0';
        memset(called, 0, sizeof called);
        for (int k = 0; k < SPOTS; k++) {
            const Spot *s = &spot[k];
            int at = charged(s);
            if (function_source[s->function[at]] != source || s->line[at] != row->line) continue;
            add(&want, &s->tally);
            add(&called[s->c + 1], &s->tally);
            kind[class_owner(s->cls)] += s->tally.live_bytes;
            tag_allocs[class_tag(s->cls)] += s->tally.allocs;
        }
        same(&row->tally, &want, "site");
        for (int k = 0; k < LMP_KINDS; k++) {
            ck_assert_uint_eq(row->kind[k].tally.live_bytes, kind[k]);
            ck_assert_uint_eq(row->kind[k].tag_allocs, tag_allocs[k]);
        }
        for (uint32_t k = 0; k < row->details; k++) {
            const LmpSiteDetail *d = &ledger.detail[row->first_detail + k];
            same(&d->tally, &called[*d->name ? d->name[1] - '0' + 1 : 0], "detail");
        }
        add(&all, &row->tally);
    }
    ck_assert_uint_eq(all.live_bytes, heap_live());
}

static bool on_path(const Spot *s, int function) {
    for (int d = 0; d < s->depth; d++)
        if (s->function[d] == function) return true;
    return false;
}

static void check_functions(void) {
    for (uint32_t i = 0; i < ledger.functions; i++) {
        const LmpFunctionRow *row = &ledger.function[i];
        if (!strncmp(row->name, "(", 1)) continue;
        int function = row->name[8] - '0';
        LmpTally shallow = {0}, retained = {0};
        for (int k = 0; k < SPOTS; k++) {
            if (spot[k].function[charged(&spot[k])] == function) add(&shallow, &spot[k].tally);
            if (on_path(&spot[k], function)) add(&retained, &spot[k].tally);
        }
        same(&row->shallow, &shallow, "shallow");
        same(&row->retained, &retained, "retained");
    }
}

/* Is `s` at or below the node of tree row `i`? And is it the very one? */
static bool passes(const Spot *s, uint32_t i, bool *ends) {
    uint32_t path[DEPTH + 1];
    int depth = 0;
    for (uint32_t at = i; at != 0; at = ledger.tree[at].parent) {
        if (depth == DEPTH) return false;
        path[depth++] = at;
    }
    if (depth > s->depth) return false;
    for (int d = 0; d < depth; d++) {
        const LmpTreeRow *row = &ledger.tree[path[depth - 1 - d]];
        if (ledger.function[row->function].id != function_row[s->function[d]] ||
            row->line != s->line[d])
            return false;
    }
    *ends = depth == s->depth;
    return true;
}

static void check_tree(void) {
    ck_assert_uint_eq(ledger.nodes, nodes_made + 1);
    for (uint32_t i = 0; i < ledger.nodes; i++) {
        const LmpTreeRow *row = &ledger.tree[i];
        LmpTally shallow = {0}, retained = {0};
        for (int k = 0; k < SPOTS; k++) {
            bool ends;
            if (!passes(&spot[k], i, &ends)) continue;
            add(&retained, &spot[k].tally);
            if (ends) add(&shallow, &spot[k].tally);
        }
        same(&row->shallow, &shallow, "node");
        same(&row->retained, &retained, "node and below");
        for (uint32_t k = 1; k < row->children; k++)
            ck_assert_uint_ge(ledger.tree[row->first + k - 1].retained.live_bytes,
                              ledger.tree[row->first + k].retained.live_bytes);
    }
}

static void check_tags(void) {
    for (uint32_t i = 0; i < ledger.tags; i++) {
        LmpTally want = {0};
        const char *name = ledger.tag[i].name;
        unsigned tag = strcmp(name, "(untagged)") == 0 ? 0 : (unsigned)(name[4] - '0');
        for (int k = 0; k < SPOTS; k++)
            if (spot[k].tag == tag) add(&want, &spot[k].tally);
        same(&ledger.tag[i].tally, &want, "tag");
    }
}

/* What each line made under one tag, if it was asked for. */
static void check_tagged(unsigned parts) {
    ck_assert_int_eq(ledger.tagged != NULL, (parts & LEDGER_TAG_LINES) != 0);
    if (!ledger.tagged) return;
    ck_assert_uint_eq(ledger.tagged_of, ledger.of_tag);
    for (uint32_t i = 0; i < ledger.sites; i++) {
        LmpTally want = {0};
        for (int k = 0; k < SPOTS; k++) {
            const Spot *s = &spot[k];
            int at = charged(s);
            if (function_source[s->function[at]] == ledger.site[i].source[2] - '0' &&
                s->line[at] == ledger.site[i].line && s->at.tag == ledger.of_tag)
                add(&want, &s->tally);
        }
        same(&ledger.tagged[i], &want, "line of a tag");
    }
}

/* In brief a line has the same figures, and nothing else. */
static void check_brief(const FakeTables *f, uint64_t clock) {
    OWN(ledger_free) Ledger brief = {.count_from = ledger.count_from};
    ck_assert_int_eq(ledger_refresh(&brief, &f->t, LEDGER_ALL | LEDGER_BRIEF, clock), LMP_OK);
    ck_assert_uint_eq(brief.sites, ledger.sites);
    ck_assert_uint_eq(brief.functions, ledger.functions);
    for (uint32_t i = 0; i < brief.sites; i++) {
        const LmpSiteRow *row = &brief.site[i];
        ck_assert_uint_eq(row->id, ledger.site[i].id);
        ck_assert_uint_eq(row->function, ledger.site[i].function);
        same(&row->tally, &ledger.site[i].tally, "site in brief");
        ck_assert(!row->kind && !row->live_history && row->details == 0);
    }
    for (uint32_t i = 0; i < brief.functions; i++)
        same(&brief.function[i].retained, &ledger.function[i].retained, "function in brief");
}

TEST(random_programs) {
    for (int round = 0; round < 60; round++) {
        OWN(fake_tables_free_at) FakeTables *f = fake_tables_new(NULL);
        uint64_t highest = 0, clock = 0;
        memset(spot, 0, sizeof spot);
        f->live->tables.stacks = 1;
        make_functions(f);
        for (int i = 0; i < SPOTS; i++)
            make_spot(f, &spot[i]);
        nodes_made = f->live->tables.nodes - 2; /* none and "(others)" */
        for (int looks = 1 + (int)suite_below(4); looks > 0; looks--) {
            run(f, (int)suite_below(500), &highest);
            bool mark = suite_below(3) == 0;
            if (mark || ledger.count_from == 0) note_mark();
            if (mark) {
                fake_mark(f);
                ledger.count_from = f->live->marks;
                run(f, (int)suite_below(300), &highest);
            }
            unsigned parts = LEDGER_ALL | (suite_below(3) ? LEDGER_TAG_LINES : 0);
            ledger.of_tag = (uint32_t)suite_below(f->live->tables.tags);
            if (suite_below(2))
                ck_assert_int_eq(ledger_refresh(&ledger, &f->t, parts | LEDGER_BRIEF, clock), 0);
            ck_assert_int_eq(ledger_refresh(&ledger, &f->t, parts, ++clock), LMP_OK);
            check_brief(f, clock);
            check_sites();
            check_functions();
            check_tree();
            check_tags();
            check_tagged(parts);
        }
        ledger_free(&ledger);
    }
}
