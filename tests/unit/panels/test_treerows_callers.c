/* The call tree upside down, whose sums are those of the paths outwards; the hottest path; trees
 * that are deep, or large, or empty. */
#include "fake_tree.h"

RELEASE_AT(treerows_free)

/* ---- callers --------------------------------------------------------------------------------- */

/* All beginnings of all paths outwards, by the functions on them: "3<5<1". */
typedef struct Path {
    char text[512];
    LmpTally tally;
} Path;

static Path *path_of(Path *path, uint32_t *count, const char *text) {
    for (uint32_t i = 0; i < *count; i++)
        if (strcmp(path[i].text, text) == 0) return &path[i];
    snprintf(path[*count].text, sizeof path->text, "%s", text);
    return &path[(*count)++];
}

static uint32_t naive_paths(const Tree *tree, Path *path) {
    uint32_t count = 0;
    for (uint32_t i = 1; i < tree->ledger.nodes; i++) {
        const LmpTreeRow *row = &tree->row[i];
        if (row->shallow.allocs == 0) continue;
        char text[512] = "";
        uint32_t last = UINT32_MAX;
        for (uint32_t at = i; at != 0; at = tree->row[at].parent) {
            if (tree->row[at].function == last) continue; /* calls itself: one step */
            last = tree->row[at].function;
            snprintf(text + strlen(text), sizeof text - strlen(text), "<%u", last);
            add(&path_of(path, &count, text)->tally, &row->shallow);
        }
    }
    return count;
}

/* Figures that are damaged may be of any size: their sums wrap (under the sanitizers, else
 * anything). */
TEST(test_damaged_figures_wrap) {
    for (int callers = 0; callers < 2; callers++) {
        uint32_t n = 50;
        OWN(tree_free_at) Tree *tree = tree_new(n);
        OWN(free_at) LmpTreeRow *raw = random_nodes(n, 6);
        for (uint32_t i = 1; i < n; i++)
            tally(&raw[i].shallow, 1, 10);
        tree_arrange(tree, raw);
        for (uint32_t i = 1; i < n; i++)
            tree->row[i].shallow.realloc_bytes = tree->row[i].retained.realloc_bytes = INT64_MAX;
        OWN(treerows_free_at) TreeRows *rows = treerows_new();
        TreeWanted request = {.callers = callers, .shown_figure = by_total, .filter = ""};
        ck_assert(treerows_update(rows, &tree->ledger, &request));
        open_all(rows, &tree->ledger, &request);
        uint64_t wrapped = 0;
        for (uint32_t i = 0; callers && i < treerows_count(rows); i++) {
            const LmpTally *t = treerows_row(rows, i).total;
            ck_assert_uint_eq((uint64_t)t->realloc_bytes, t->allocs * INT64_MAX);
            wrapped += t->allocs > 1;
        }
        ck_assert(!callers || wrapped > 0);
    }
}

TEST(test_callers_add_up) {
    for (int round = 0; round < 40; round++) {
        uint32_t n = 2 + (uint32_t)suite_below(60);
        OWN(tree_free_at) Tree *tree = tree_new(n);
        OWN(free_at) LmpTreeRow *raw = random_nodes(n, (uint32_t)suite_below(10));
        tree_arrange(tree, raw);
        OWN(free_at) Path *path = calloc((size_t)n * n + 1, sizeof *path);
        uint32_t paths = naive_paths(tree, path);
        OWN(treerows_free_at) TreeRows *rows = treerows_new();
        TreeWanted request = {.callers = true, .shown_figure = by_total, .filter = ""};
        ck_assert(treerows_update(rows, &tree->ledger, &request));
        open_all(rows, &tree->ledger, &request);
        ck_assert_uint_eq(treerows_count(rows), paths);
        uint64_t outermost = 0;
        for (uint32_t i = 0; i < paths; i++) {
            TreeRow row = treerows_row(rows, i);
            ck_assert_ptr_null(row.own);
            if (row.depth == 0) outermost += row.total->live_bytes;
            /* its path, read from the outside in */
            uint32_t function[256], depth = 0;
            for (uint32_t at = i;; at = treerows_row(rows, at).up) {
                function[depth++] = treerows_row(rows, at).function;
                if (treerows_row(rows, at).up == at) break;
            }
            char text[512] = "";
            while (depth > 0)
                snprintf(text + strlen(text), sizeof text - strlen(text), "<%u", function[--depth]);
            uint32_t known = paths;
            LmpTally want = path_of(path, &known, text)->tally;
            ck_assert_msg(known == paths, "row %s is no path", text);
            ck_assert_uint_eq(row.total->live_bytes, want.live_bytes);
            ck_assert_uint_eq(row.total->allocs, want.allocs);
            ck_assert_uint_eq(row.total->bytes, want.bytes);
            ck_assert_uint_eq(row.total->frees, want.frees);
            for (uint32_t j = 0; j < i; j++)
                ck_assert_uint_ne(treerows_row(rows, j).key, row.key);
        }
        ck_assert_uint_eq(outermost, tree->row[0].retained.live_bytes);
    }
}

TEST(test_callers_under_a_filter) {
    /* 0 <- f1 <- f2 <- f3 and 0 <- f4 <- f3 */
    static const uint32_t parent[] = {0, 0, 1, 2, 0, 4}, function[] = {0, 1, 2, 3, 4, 3};
    OWN(tree_free_at) Tree *tree = tree_new(6);
    OWN(free_at) LmpTreeRow *raw = calloc(6, sizeof *raw);
    for (uint32_t i = 1; i < 6; i++) {
        raw[i].parent = parent[i];
        raw[i].function = function[i];
        raw[i].line = (int32_t)i * 7;
    }
    tally(&raw[3].shallow, 4, 100);
    tally(&raw[5].shallow, 4, 50);
    tree_arrange(tree, raw);
    OWN(treerows_free_at) TreeRows *rows = treerows_new();
    TreeWanted request = {.callers = true, .shown_figure = by_total, .filter = "f1"};
    ck_assert(treerows_update(rows, &tree->ledger, &request));
    /* the way to f1 is open, that to f4 is not kept; sums stay those of all */
    ck_assert_uint_eq(treerows_count(rows), 3);
    ck_assert_str_eq(treerows_row(rows, 0).name, "f3");
    ck_assert_uint_eq(treerows_row(rows, 0).total->live_bytes, 150);
    ck_assert_str_eq(treerows_row(rows, 2).name, "f1");
    /* f3 was in two lines, f2 in one when it called */
    ck_assert(!treerows_row(rows, 0).exact && treerows_row(rows, 0).line == 30);
    ck_assert(treerows_row(rows, 1).exact && treerows_row(rows, 1).line == 14);
    ck_assert(treerows_row(rows, 2).matches && !treerows_row(rows, 1).matches);
}

/* ---- the hottest path, large trees ----------------------------------------------------------- */

TEST(test_hottest_path) {
    /* 1: 10 own, below it 2 (30) and 3 (60), below that 4 (40 of it), below that 5 (15) */
    static const uint32_t parent[] = {0, 0, 1, 1, 3, 4}, own[] = {0, 10, 30, 20, 25, 15};
    OWN(tree_free_at) Tree *tree = tree_new(6);
    OWN(free_at) LmpTreeRow *raw = calloc(6, sizeof *raw);
    for (uint32_t i = 1; i < 6; i++) {
        raw[i].parent = parent[i];
        raw[i].function = i;
        raw[i].line = (int32_t)i;
        tally(&raw[i].shallow, 1, own[i]);
    }
    tree_arrange(tree, raw);
    OWN(treerows_free_at) TreeRows *rows = treerows_new();
    TreeWanted request = {.shown_figure = by_total, .filter = ""};
    treerows_open_hottest(rows, UINT32_MAX, 64);
    ck_assert(treerows_update(rows, &tree->ledger, &request));
    /* down to the line where most of it is made */
    static const char *const want[] = {"f1", "f3", "f4", ":4", "f5", ":3", "f2", ":1"};
    ck_assert_uint_eq(treerows_count(rows), 8);
    for (uint32_t i = 0; i < 8; i++) {
        TreeRow row = treerows_row(rows, i);
        char text[16];
        snprintf(text, sizeof text, ":%d", (int)row.line);
        ck_assert_str_eq(row.is_line ? text : row.name, want[i]);
    }
    ck_assert_int_eq(treerows_row(rows, 4).line, 5); /* f5 has but one */
    treerows_close_all(rows);
    ck_assert(treerows_update(rows, &tree->ledger, &request));
    ck_assert_uint_eq(treerows_count(rows), 1);
    treerows_open_hottest(rows, 0, 1); /* from a row, one level */
    ck_assert(treerows_update(rows, &tree->ledger, &request));
    ck_assert_uint_eq(treerows_count(rows), 4);
}

static double seconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

TEST(test_deep_recursion) {
    uint32_t n = 200000;
    OWN(tree_free_at) Tree *tree = tree_new(n);
    OWN(free_at) LmpTreeRow *raw = calloc(n, sizeof *raw);
    for (uint32_t i = 1; i < n; i++) {
        raw[i].parent = i - 1;
        raw[i].function = 1 + i % 2; /* two functions that call each other */
        tally(&raw[i].shallow, 1, 10);
    }
    tree_arrange(tree, raw);
    OWN(treerows_free_at) TreeRows *rows = treerows_new();
    TreeWanted request = {.shown_figure = by_total, .filter = ""};
    treerows_open_hottest(rows, UINT32_MAX, UINT32_MAX);
    double start = seconds();
    ck_assert(treerows_update(rows, &tree->ledger, &request));
    /* each call below the other, and the line of each but the innermost */
    ck_assert_uint_eq(treerows_count(rows), 2 * (n - 1) - 1);
    ck_assert_uint_eq(treerows_row(rows, n - 2).depth, n - 2);
    double whole = seconds() - start;
    request.still = true;
    ck_assert(treerows_update(rows, &tree->ledger, &request));
    request.filter = "f2";
    ck_assert(treerows_update(rows, &tree->ledger, &request));
    request.filter = "";
    request.callers = true;
    double turn = seconds();
    for (int i = 0; i < 5; i++) { /* each level is 200,000 paths: it stops soon */
        treerows_open_hottest(rows, UINT32_MAX, 100000);
        ck_assert(treerows_update(rows, &tree->ledger, &request));
    }
    request.filter = "f1";
    double filter = seconds();
    ck_assert(treerows_update(rows, &tree->ledger, &request));
    ck_assert_msg(seconds() - filter < 10, "%g s", seconds() - filter);
    request.filter = "";
    ck_assert(treerows_update(rows, &tree->ledger, &request));
    fprintf(stderr, "all open: %.1f ms, callers: %.1f ms\n", whole * 1000,
            (seconds() - turn) * 200);
    ck_assert_uint_eq(treerows_row(rows, 0).total->live_bytes, 1000000);
    ck_assert_uint_eq(treerows_row(rows, 1).total->live_bytes, 999990); /* but the outermost call */
    ck_assert_msg(seconds() - start < 100, "%g s", seconds() - start);
    treerows_free(rows);
    /* one that calls itself: one row, no ladder */
    for (uint32_t i = 1; i < n; i++)
        raw[i].function = 1;
    tree_arrange(tree, raw);
    rows = treerows_new();
    ck_assert(treerows_update(rows, &tree->ledger, &request));
    for (int i = 0; i < 2; i++) {
        request.callers = i == 0;
        ck_assert(treerows_update(rows, &tree->ledger, &request));
        open_all(rows, &tree->ledger, &request);
        ck_assert_uint_eq(treerows_count(rows), 1);
        ck_assert_uint_eq(treerows_row(rows, 0).total->live_bytes, 10ull * (n - 1));
    }
    ck_assert(treerows_row(rows, 0).recursive);
    ck_assert_uint_eq(treerows_row(rows, 0).own->live_bytes, 10ull * (n - 1));
}

TEST(test_a_million_nodes) {
    uint32_t n = 1000000;
    OWN(tree_free_at) Tree *tree = tree_new(n);
    OWN(free_at) LmpTreeRow *raw = random_nodes(n, 4);
    tree_arrange(tree, raw);
    OWN(treerows_free_at) TreeRows *rows = treerows_new();
    TreeWanted request = {.shown_figure = by_total, .filter = ""};
    treerows_open_hottest(rows, UINT32_MAX, 64);
    ck_assert(treerows_update(rows, &tree->ledger, &request));
    uint32_t shown = treerows_count(rows);
    double start = seconds();
    for (int i = 0; i < 20; i++)
        ck_assert(treerows_update(rows, &tree->ledger, &request));
    double one = (seconds() - start) / 20;
    fprintf(stderr, "%u of %u rows in %.2f ms\n", shown, n, one * 1000);
    ck_assert_msg(one < 0.2, "%u of %u rows took %g s", shown, n, one);
}

TEST(test_an_empty_tree) {
    OWN(tree_free_at) Tree *tree = tree_new(1);
    OWN(treerows_free_at) TreeRows *rows = treerows_new();
    TreeWanted request = {.shown_figure = by_total, .filter = "x"};
    tree->ledger.nodes = 0;
    ck_assert(treerows_update(rows, &tree->ledger, &request));
    ck_assert_uint_eq(treerows_count(rows), 0);
    tree->ledger.nodes = 1;
    for (int i = 0; i < 4; i++) {
        request.callers = i & 1;
        request.filter = i & 2 ? "" : "x";
        ck_assert(treerows_update(rows, &tree->ledger, &request));
        ck_assert_uint_eq(treerows_count(rows), 0);
    }
}
