/* test_pairing.c - pairing of call paths and nameless functions of files that moved: however many
 * children a node has, in whatever order, and though functions came. */
#include "suite.h"

#include "read/rundiff/rundiff_impl.h"

/* ---- functions ------------------------------------------------------------------------------- */

enum { MOST = 64 };

typedef struct Functions {
    Ledger ledger;
    LmpFunctionRow row[MOST];
} Functions;

/* Without names, each of one file. */
static void add_function(Functions *f, int32_t line) {
    f->row[f->ledger.functions++] = (LmpFunctionRow){
        .raw_source = "@a.lua", .short_src = "a.lua", .name = "function '?'", .linedefined = line};
    f->ledger.function = f->row;
}

/* A function of the newer file from each line, and which it was: the place in `old` from 1; 0: it
 * came. */
TEST(functions_that_moved) {
    static const struct {
        int32_t old[8], newer[8];
        uint32_t was[8];
    } cases[] = {
        {{10, 20, 35, 47}, {11, 21, 36, 48, 60}, {1, 2, 3, 4, 0}}, /* one came below */
        {{10, 20, 35, 47}, {5, 13, 23, 38, 50}, {0, 1, 2, 3, 4}},  /* above */
        {{10, 20, 35, 47}, {10, 20, 27, 39, 51}, {1, 2, 0, 3, 4}}, /* in between */
        {{10, 20, 35, 47}, {12, 37, 49}, {1, 3, 4}},               /* one went */
        {{10, 20, 35, 47}, {11, 23, 38, 50}, {1, 2, 3, 4}},        /* lines came in between */
        {{10, 20, 35, 47}, {10, 20, 36, 48, 70}, {1, 2, 3, 4, 0}}, /* the same, and one below */
        {{10}, {25, 70}, {0, 0}},                                  /* nobody knows */
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        Functions old = {{0}, {{0}}}, newer = old;
        uint32_t pair[MOST];
        for (int k = 0; k < 8 && cases[i].old[k]; k++)
            add_function(&old, cases[i].old[k]);
        for (int k = 0; k < 8 && cases[i].newer[k]; k++)
            add_function(&newer, cases[i].newer[k]);
        ck_assert_int_eq(pairing_functions(&old.ledger, &newer.ledger, pair), LMP_OK);
        for (uint32_t k = 0; k < newer.ledger.functions; k++)
            ck_assert_msg(pair[k] == cases[i].was[k] - 1, "case %zu, function %u: %u", i, k,
                          pair[k]);
    }
}

/* ---- paths ----------------------------------------------------------------------------------- */

enum { FUNCTIONS = 12, LINES = 9, NODES = 3000 };

/* A program of nameless functions and a main chunk, in one file; it makes nothing, so that no line
 * is known by its figures. */
typedef struct Tree {
    uint32_t nodes;
    uint32_t parent[NODES], function[NODES], line[NODES]; /* a line of its function, from 1 */
} Tree;

static bool is_there(const Tree *t, uint32_t parent, uint32_t function, uint32_t line) {
    for (uint32_t i = parent + 1; i < t->nodes; i++)
        if (t->parent[i] == parent && t->function[i] == function && t->line[i] == line) return true;
    return false;
}

/* `wide`: most hang below few. */
static Tree *new_tree(uint32_t nodes, bool wide) {
    Tree *t = calloc(1, sizeof *t);
    ck_assert_ptr_nonnull(t);
    for (t->nodes = 1; t->nodes < nodes;) {
        uint32_t parent = (uint32_t)suite_below(wide ? 1 + t->nodes / 40 : t->nodes);
        uint32_t function = parent ? (uint32_t)suite_below(FUNCTIONS) : 0; /* 0: the main chunk */
        uint32_t line = 1 + (uint32_t)suite_below(function ? LINES : 400);
        if (is_there(t, parent, function, line)) continue;
        t->parent[t->nodes] = parent;
        t->function[t->nodes] = function;
        t->line[t->nodes++] = line;
    }
    return t;
}

typedef struct Run {
    Ledger ledger;
    LmpFunctionRow function[FUNCTIONS + 1];
    LmpTreeRow row[NODES];
    uint32_t node[NODES]; /* of each row */
} Run;

/* Children of a node in any order: by what they hold in that run. */
static void put_children(Run *r, const Tree *t, uint32_t row, uint32_t by) {
    LmpTreeRow *p = &r->row[row];
    p->first = r->ledger.nodes;
    for (uint32_t i = 1; i < t->nodes; i++) {
        if (t->parent[i] != r->node[row]) continue;
        uint32_t f = t->function[i], at = r->ledger.nodes++;
        uint32_t other = p->first + (uint32_t)suite_below(at - p->first + 1);
        r->row[at] = r->row[other];
        r->node[at] = r->node[other];
        r->node[other] = i;
        r->row[other] = (LmpTreeRow){.function = f,
                                     .site = 1000 * f + t->line[i],
                                     .line = (int32_t)(t->line[i] + by + f * 20),
                                     .parent = row};
    }
    p->children = r->ledger.nodes - p->first;
}

/* All of it stands `by` lines further down. `more`: and one function more, at the end. */
static Run *run_of(const Tree *t, uint32_t by, bool more) {
    Run *r = calloc(1, sizeof *r);
    ck_assert_ptr_nonnull(r);
    r->ledger = (Ledger){.function = r->function,
                         .functions = FUNCTIONS + (more ? 1u : 0u),
                         .tree = r->row,
                         .nodes = 1};
    for (uint32_t i = 0; i < r->ledger.functions; i++)
        r->function[i] = (LmpFunctionRow){.raw_source = "@a.lua",
                                          .name = i ? "function '?'" : "main chunk",
                                          .linedefined = i ? (int32_t)(by + i * 20) : 0};
    for (uint32_t i = 0; i < r->ledger.nodes; i++)
        put_children(r, t, i, by);
    return r;
}

TEST(files_that_moved) {
    for (int round = 0; round < 60; round++) {
        OWN(free_at)
        Tree *t = new_tree(2 + (uint32_t)suite_below(round % 10 ? 200 : NODES - 2), round % 2);
        uint32_t by = (uint32_t)suite_below(50);
        Run *old = run_of(t, 0, false), *newer = run_of(t, by, suite_below(2));
        RunDiff d;
        ck_assert_int_eq(rundiff_pair(&d, &old->ledger, &newer->ledger), LMP_OK);
        for (uint32_t i = 0; i < newer->ledger.nodes; i++) {
            ck_assert_msg(d.node[i] != LEDGER_NO_ROW, "round %d: row %u came", round, i);
            ck_assert_uint_eq(old->node[d.node[i]], newer->node[i]);
        }
        rundiff_free(&d);
        free(old);
        free(newer);
    }
}

/* Lines that have C functions called have several sites, so paths may be alike: the first is the
 * first, and what hangs below them is paired, too. */
TEST(paths_alike) {
    LmpFunctionRow function = {.raw_source = "@a.lua", .name = "main chunk"};
    LmpTreeRow row[7] = {{.first = 1, .children = 3}};
    for (uint32_t i = 1; i < 4; i++) {
        row[i] = (LmpTreeRow){.site = i, .line = 7, .first = i + 3, .children = 1};
        row[i + 3] = (LmpTreeRow){.site = 9, .line = 8, .parent = i};
    }
    Ledger ledger = {.function = &function, .functions = 1, .tree = row, .nodes = 7};
    OWN(rundiff_free) RunDiff d;
    ck_assert_int_eq(rundiff_pair(&d, &ledger, &ledger), LMP_OK);
    for (uint32_t i = 0; i < 7; i++)
        ck_assert_uint_eq(d.node[i], i);
}
