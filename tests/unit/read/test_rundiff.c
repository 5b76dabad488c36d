/* test_rundiff.c - pairing of two runs' lines, functions, tags and paths; against programs made at
 * random and edited at random, of which it is known what became of each line. */
#include "suite.h"

#include "read/rundiff/rundiff.h"

enum { FUNCTIONS = 40, LINES = 12, MOST = FUNCTIONS * LINES };

/* A line of a program: `id` says which it is, whatever happens to the file. */
typedef struct Line {
    uint32_t id, text, made;
} Line;

typedef struct Function {
    char name[24];
    uint32_t id, lines;
    Line line[LINES];
} Function;

typedef struct Program {
    uint32_t functions;
    Function function[FUNCTIONS];
} Program;

static uint32_t chance(uint32_t n) {
    return (uint32_t)suite_below(n);
}

static uint32_t next_id;

static Line new_line(void) {
    next_id++;
    return (Line){next_id, next_id, 1 + chance(1000)};
}

/* Every third function has no name of its own. */
static Function new_function(void) {
    Function f = {.lines = 1 + chance(LINES - 4), .id = ++next_id};
    if (f.id % 3) snprintf(f.name, sizeof f.name, "local 'f%u'", f.id);
    for (uint32_t i = 0; i < f.lines; i++)
        f.line[i] = new_line();
    return f;
}

static Program new_program(void) {
    Program p = {.functions = 2 + chance(FUNCTIONS / 2)};
    for (uint32_t i = 0; i < p.functions; i++)
        p.function[i] = new_function();
    return p;
}

/* ---- as a ledger ----------------------------------------------------------------------------- */

typedef struct Run {
    Ledger ledger;
    LmpSiteRow site[MOST];
    LmpFunctionRow function[FUNCTIONS];
    LmpTagRow tag[2];
    LmpTreeRow tree[MOST + 1];
    uint32_t id[MOST], function_id[FUNCTIONS]; /* of each row */
    uint32_t text[MOST];
    char name[FUNCTIONS][40];
} Run;

static void put_site(Run *r, uint32_t f, const Line *l, int32_t line) {
    uint32_t row = r->ledger.sites++;
    r->id[row] = l->id;
    r->text[row] = l->text;
    r->site[row] = (LmpSiteRow){.id = row + 1, .function = f, .raw_source = "@a.lua", .line = line};
    r->site[row].tally = (LmpTally){.allocs = l->made,
                                    .bytes = l->made * 10,
                                    .live_blocks = l->made,
                                    .live_bytes = l->made * 10};
    r->tree[row + 1] = (LmpTreeRow){
        .function = f, .site = row + 1, .line = line, .depth = 1, .shallow = r->site[row].tally};
    r->tree[row + 1].retained = r->tree[row + 1].shallow;
}

/* Functions stand `gap` lines apart. */
static Run *run_of(const Program *p, uint32_t gap) {
    Run *r = calloc(1, sizeof *r);
    ck_assert_ptr_nonnull(r);
    int32_t line = (int32_t)gap;
    for (uint32_t i = 0; i < p->functions; i++) {
        const Function *f = &p->function[i];
        if (*f->name)
            snprintf(r->name[i], sizeof r->name[i], "%s", f->name);
        else
            snprintf(r->name[i], sizeof r->name[i], "function <a.lua:%d>", line);
        r->function_id[i] = f->id;
        r->function[i] =
            (LmpFunctionRow){.raw_source = "@a.lua", .name = r->name[i], .linedefined = line};
        for (uint32_t j = 0; j < f->lines; j++)
            put_site(r, i, &f->line[j], line + 1 + (int32_t)j);
        line += (int32_t)(f->lines + 1 + gap);
    }
    r->tag[0].name = "(untagged)";
    r->tag[1].name = "level";
    r->tree[0] = (LmpTreeRow){.first = 1, .children = r->ledger.sites};
    r->ledger.functions = p->functions;
    r->ledger.tags = 2;
    r->ledger.nodes = r->ledger.sites + 1;
    r->ledger.site = r->site;
    r->ledger.function = r->function;
    r->ledger.tag = r->tag;
    r->ledger.tree = r->tree;
    return r;
}

/* With the hashes of their lines, or without. */
static const Ledger *ledger_of(Run *r, bool texts) {
    for (uint32_t i = 0; i < r->ledger.sites; i++)
        r->site[i].text = texts ? r->text[i] : 0;
    return &r->ledger;
}

static LmpErr diff_of(RunDiff *d, Run *old, Run *newer, bool texts) {
    return rundiff_make(d, ledger_of(old, texts), ledger_of(newer, texts), RUNDIFF_LIVE, 0);
}

/* ---- edits ----------------------------------------------------------------------------------- */

static void insert_line(Function *f) {
    uint32_t at = chance(f->lines + 1);
    if (f->lines == LINES) return;
    memmove(&f->line[at + 1], &f->line[at], (f->lines - at) * sizeof *f->line);
    f->line[at] = new_line();
    f->lines++;
}

static void remove_line(Function *f) {
    uint32_t at = chance(f->lines);
    if (f->lines == 1) return;
    memmove(&f->line[at], &f->line[at + 1], (f->lines - at - 1) * sizeof *f->line);
    f->lines--;
}

static void remove_function(Program *p) {
    uint32_t at = chance(p->functions);
    if (p->functions == 1 || !*p->function[at].name) return;
    memmove(&p->function[at], &p->function[at + 1], (p->functions - at - 1) * sizeof *p->function);
    p->functions--;
}

/* Another caller was first, or its place was found in time: the same function. */
static void reword(Program *p) {
    for (uint32_t i = 0; i < p->functions; i++) {
        Function *f = &p->function[i];
        uint32_t how = chance(3);
        if (!*f->name) continue;
        if (how == 0)
            snprintf(f->name, sizeof f->name, "local 'f%u'", f->id);
        else if (how == 1)
            snprintf(f->name, sizeof f->name, "method 'f%u'", f->id);
        else
            snprintf(f->name, sizeof f->name, "function 'a.b:f%u'", f->id);
    }
}

static void edit(Program *p) {
    reword(p);
    for (uint32_t edits = chance(6); edits > 0; edits--) {
        Function *f = &p->function[chance(p->functions)];
        switch (chance(3)) {
        case 0:
            insert_line(f);
            break;
        case 1:
            remove_line(f);
            break;
        default:
            remove_function(p);
            break;
        }
    }
}

/* ---- tests ----------------------------------------------------------------------------------- */

static uint32_t row_of_id(const uint32_t *id, uint32_t rows, uint32_t wanted) {
    for (uint32_t i = 0; i < rows; i++)
        if (id[i] == wanted) return i;
    return LEDGER_NO_ROW;
}

/* Every line that both have is paired with itself. What came is paired with nothing that the newer
 * one still has; it may stand where a line stood that is gone. */
static void check_pairs(const RunDiff *d, const Run *old, const Run *newer) {
    for (uint32_t i = 0; i < newer->ledger.sites; i++) {
        uint32_t truth = row_of_id(old->id, old->ledger.sites, newer->id[i]);
        if (truth != LEDGER_NO_ROW) {
            ck_assert_uint_eq(d->site[i], truth);
        } else if (d->site[i] != LEDGER_NO_ROW) {
            uint32_t taken = old->id[d->site[i]];
            ck_assert_uint_eq(row_of_id(newer->id, newer->ledger.sites, taken), LEDGER_NO_ROW);
        }
    }
    for (uint32_t i = 0; i < newer->ledger.functions; i++)
        ck_assert_uint_eq(d->function[i], row_of_id(old->function_id, old->ledger.functions,
                                                    newer->function_id[i]));
}

/* Sums of a table are those of the ledgers, and each row is in it once. */
static void check_table(const RunDiff *d, const Run *old, const Run *newer) {
    const RunDiffTable *t = &d->table[RUNDIFF_SITES];
    uint64_t was = 0, is = 0, last = UINT64_MAX;
    uint32_t olds = 0, newers = 0;
    for (uint32_t i = 0; i < t->rows; i++) {
        int64_t change = rundiff_change(&t->row[i], RUNDIFF_LIVE);
        uint64_t size = (uint64_t)llabs(change);
        ck_assert_uint_le(size, last);
        last = size;
        was += t->row[i].was.live_bytes;
        is += t->row[i].is.live_bytes;
        olds += t->row[i].old != LEDGER_NO_ROW;
        newers += t->row[i].newer != LEDGER_NO_ROW;
    }
    ck_assert_uint_eq(olds, old->ledger.sites);
    ck_assert_uint_eq(newers, newer->ledger.sites);
    for (uint32_t i = 0; i < old->ledger.sites; i++)
        was -= old->site[i].tally.live_bytes;
    for (uint32_t i = 0; i < newer->ledger.sites; i++)
        is -= newer->site[i].tally.live_bytes;
    ck_assert_uint_eq(was, 0);
    ck_assert_uint_eq(is, 0);
}

TEST(edited_programs) {
    for (int round = 0; round < 2000; round++) {
        Program p = new_program(), q = p;
        OWN(free_at) Run *old = run_of(&p, 1);
        edit(&q);
        OWN(free_at) Run *newer = run_of(&q, 1 + chance(5));
        OWN(rundiff_free) RunDiff d;
        ck_assert_int_eq(diff_of(&d, old, newer, true), LMP_OK);
        check_pairs(&d, old, newer);
        check_table(&d, old, newer);
    }
}

/* Without texts lines are known by where they stand in their functions. */
TEST(moved_as_a_whole) {
    Program p = new_program();
    Run *old = run_of(&p, 1), *newer = run_of(&p, 7);
    RunDiff d;
    ck_assert_int_eq(diff_of(&d, old, newer, false), LMP_OK);
    check_pairs(&d, old, newer);
    for (uint32_t i = 0; i < newer->ledger.sites; i++)
        ck_assert_uint_eq(d.node[i + 1], d.site[i] + 1);
    const RunDiffTable *t = &d.table[RUNDIFF_SITES];
    for (uint32_t i = 0; i < t->rows; i++)
        ck_assert_int_eq(t->row[i].how, RUNDIFF_MOVED);
    ck_assert_uint_eq(t->noise, t->rows); /* no change at all is noise */
    rundiff_free(&d);
    free(old);
    free(newer);
}

TEST(noise) {
    Program p = {.functions = 1, .function = {{.name = "local 'f'", .id = 1, .lines = 3}}}, q;
    for (uint32_t i = 0; i < 3; i++)
        p.function[0].line[i] = (Line){i + 1, i + 1, 100};
    q = p;
    q.function[0].line[0].made = 110; /* 100 bytes more */
    q.function[0].line[1].made = 95;  /* 50 bytes less */
    q.function[0].line[2].made = 300; /* 2000 more */
    Run *old = run_of(&p, 1), *newer = run_of(&q, 1);
    const Ledger *a = ledger_of(old, true), *b = ledger_of(newer, true);
    static const struct {
        uint64_t threshold;
        uint32_t noise;
        uint64_t grown, shrunk;
    } cases[] = {{0, 0, 0, 0},      {50, 0, 0, 0},      {51, 1, 0, 50},     {100, 1, 0, 50},
                 {101, 2, 100, 50}, {2000, 2, 100, 50}, {2001, 3, 2100, 50}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        OWN(rundiff_free) RunDiff d;
        ck_assert_int_eq(rundiff_make(&d, a, b, RUNDIFF_LIVE, cases[i].threshold), LMP_OK);
        ck_assert_uint_eq(d.table[RUNDIFF_SITES].noise, cases[i].noise);
        ck_assert_uint_eq(d.table[RUNDIFF_SITES].noise_grown, cases[i].grown);
        ck_assert_uint_eq(d.table[RUNDIFF_SITES].noise_shrunk, cases[i].shrunk);
        ck_assert_int_eq(d.table[RUNDIFF_FUNCTIONS].row[0].how, RUNDIFF_KEPT);
    }
    free(old);
    free(newer);
}

TEST(as_a_mark) {
    Program p = new_program(), q = p;
    edit(&q);
    Run *old = run_of(&p, 1), *newer = run_of(&q, 2);
    RunDiff d;
    ck_assert_int_eq(diff_of(&d, old, newer, true), LMP_OK);
    rundiff_mark(&d, &newer->ledger);
    ck_assert(newer->ledger.marked);
    for (uint32_t i = 0; i < newer->ledger.sites; i++) {
        const LmpThen *mark = &newer->site[i].tally.mark;
        uint64_t was = d.site[i] == LEDGER_NO_ROW ? 0 : old->site[d.site[i]].tally.live_bytes;
        ck_assert_uint_eq(mark->live, was);
        ck_assert_uint_eq(mark->made, was); /* nothing is ever freed here */
        uint32_t node = d.node[i + 1];
        was = node == LEDGER_NO_ROW ? 0 : old->tree[node].retained.live_bytes;
        ck_assert_uint_eq(newer->tree[i + 1].retained.mark.live, was);
    }
    rundiff_free(&d);
    free(old);
    free(newer);
}

/* Lines of the main chunk that only call: they have no figures of their own, so no text. Each is
 * known by how the lines around it have moved, and by what it calls. */
typedef struct Calls {
    Ledger ledger;
    LmpSiteRow site[2];
    LmpFunctionRow function[4];
    LmpTreeRow tree[9];
} Calls;

/* The main chunk, from its line `line` on, calls functions of these rows, one a line; in it a line
 * before that has a text. */
static Calls *calls_of(int32_t line, uint32_t count, const uint32_t *callee) {
    static const char *const names[] = {"main chunk", "local 'a'", "local 'b'", "local 'c'"};
    Calls *c = calloc(1, sizeof *c);
    ck_assert_ptr_nonnull(c);
    for (int i = 0; i < 4; i++)
        c->function[i] = (LmpFunctionRow){.raw_source = "@a.lua", .name = names[i]};
    c->site[0] = (LmpSiteRow){.id = 1, .raw_source = "@a.lua", .line = line - 2, .text = 7};
    c->tree[0] = (LmpTreeRow){.first = 1, .children = count};
    for (uint32_t i = 0; i < count; i++) {
        c->tree[1 + i] = (LmpTreeRow){
            .site = 100 + i, .line = line + (int32_t)i, .first = 1 + count + i, .children = 1};
        c->tree[1 + count + i] =
            (LmpTreeRow){.function = callee[i], .site = 90, .line = -1, .parent = 1 + i};
    }
    c->ledger = (Ledger){.site = c->site,
                         .sites = 1,
                         .function = c->function,
                         .functions = 4,
                         .tree = c->tree,
                         .nodes = 1 + 2 * count};
    return c;
}

TEST(lines_that_call) {
    static const struct {
        uint32_t olds, old[3], newers, newer[3], pair[3]; /* callees; the older call, from 1 */
    } cases[] = {
        {1, {1}, 2, {1, 2}, {1, 0}},             /* one came below */
        {3, {1, 2, 3}, 3, {1, 2, 3}, {1, 2, 3}}, /* all moved */
        {3, {1, 2, 3}, 2, {1, 3}, {1, 3}},       /* one went */
        {2, {1, 2}, 3, {3, 1, 2}, {0, 1, 2}},    /* one came above */
        {2, {1, 1}, 2, {1, 1}, {1, 2}},          /* twice the same */
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        OWN(free_at) Calls *old = calls_of(10, cases[i].olds, cases[i].old);
        OWN(free_at) Calls *newer = calls_of(14, cases[i].newers, cases[i].newer);
        OWN(rundiff_free) RunDiff d;
        ck_assert_int_eq(rundiff_make(&d, &old->ledger, &newer->ledger, RUNDIFF_LIVE, 0), LMP_OK);
        for (uint32_t k = 0; k < cases[i].newers; k++) {
            uint32_t pair = cases[i].pair[k] ? cases[i].pair[k] : LEDGER_NO_ROW;
            ck_assert_msg(d.node[1 + k] == pair, "case %zu, call %u: %u", i, k, d.node[1 + k]);
        }
    }
}

/* Of a line that calls more functions than are compared, the largest may be others each time. */
TEST(a_line_that_calls_many) {
    enum { MANY = 60 };
    static LmpFunctionRow function[MANY + 1];
    static LmpTreeRow tree[2][MANY + 3];
    Ledger ledger[2];
    function[0] = (LmpFunctionRow){.raw_source = "@a.lua", .name = "main chunk"};
    for (int i = 1; i <= MANY; i++)
        function[i] =
            (LmpFunctionRow){.raw_source = "@a.lua", .name = "function '?'", .linedefined = i};
    for (int side = 0; side < 2; side++) {
        tree[side][0] = (LmpTreeRow){.first = 1, .children = 2};
        tree[side][1] = (LmpTreeRow){.site = 9, .line = 99, .first = 3, .children = MANY};
        tree[side][2] = (LmpTreeRow){.site = 8, .line = 100};
        for (uint32_t i = 0; i < MANY; i++)
            tree[side][3 + i] = (LmpTreeRow){
                .function = side ? MANY - i : 1 + i, .site = 10, .line = -1, .parent = 1};
        ledger[side] = (Ledger){
            .function = function, .functions = MANY + 1, .tree = tree[side], .nodes = MANY + 3};
    }
    OWN(rundiff_free) RunDiff d;
    ck_assert_int_eq(rundiff_make(&d, &ledger[0], &ledger[1], RUNDIFF_LIVE, 0), LMP_OK);
    ck_assert_uint_eq(d.node[1], 1);
    for (uint32_t i = 0; i < MANY; i++)
        ck_assert_uint_eq(d.node[3 + i], 3 + MANY - 1 - i);
}
