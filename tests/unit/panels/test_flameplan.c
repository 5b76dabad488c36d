/* Where the blocks of a flame graph stand: largest remainder by hand and against the definition;
 * random trees row by row; a rest paged through to its end. */
#include "suite.h"

#include "panels/flame/flameplan.h"

/* ---- dividing -------------------------------------------------------------------------------- */

/* As the definition has it: whole columns first, then one each by what was cut off. */
static void naive_divide(const uint64_t *value, int n, uint64_t rest, uint64_t own, int w,
                         int *width) {
    uint64_t all[64], left[64], sum = 0;
    int used = 0;
    for (int i = 0; i < n + 2; i++)
        sum += all[i] = i < n ? value[i] : i == n ? rest : own;
    for (int i = 0; i < n + 2; i++) {
        width[i] = (int)(all[i] * (uint64_t)w / sum);
        left[i] = all[i] * (uint64_t)w % sum;
        used += width[i];
    }
    for (; used < w; used++) {
        int best = -1;
        for (int i = 0; i < n + 2; i++)
            if (left[i] != UINT64_MAX && (best < 0 || left[i] > left[best])) best = i;
        width[best]++;
        left[best] = UINT64_MAX;
    }
    if (rest == 0 || width[n] > 0) return;
    int from = n + 1;
    for (int i = 0; i < n && width[n + 1] == 0; i++)
        if (width[i] > width[from]) from = i;
    width[from]--;
    width[n]++;
}

TEST(test_by_hand) {
    int w[5];
    flameplan_divide((uint64_t[]){50, 30, 20}, 3, 0, 0, 10, w);
    ck_assert_int_eq(w[0], 5);
    ck_assert_int_eq(w[1], 3);
    ck_assert_int_eq(w[2], 2);
    flameplan_divide((uint64_t[]){1, 1, 1}, 3, 0, 0, 11, w); /* two are left for the first two */
    ck_assert_int_eq(w[0], 4);
    ck_assert_int_eq(w[1], 4);
    ck_assert_int_eq(w[2], 3);
    flameplan_divide((uint64_t[]){500, 499}, 2, 1, 0, 10, w); /* what is too small is seen */
    ck_assert_int_eq(w[0], 4);
    ck_assert_int_eq(w[1], 5);
    ck_assert_int_eq(w[2], 1);
    flameplan_divide((uint64_t[]){5}, 1, 1, 4, 10, w);
    ck_assert_int_eq(w[0], 5);
    ck_assert_int_eq(w[1], 1);
    ck_assert_int_eq(w[2], 4);
}

TEST(test_dividing_by_chance) {
    for (int round = 0; round < 20000; round++) {
        uint64_t value[20], rest = suite_below(3) ? suite_below(50) : 0, own = suite_below(2000);
        int n = (int)suite_below(20), w = 1 + (int)suite_below(200), got[24], want[24], sum = 0;
        uint64_t most = 1ull << suite_below(44);
        for (int i = 0; i < n; i++)
            value[i] = suite_below(most);
        if (rest + own == 0) own = 1;
        flameplan_divide(value, (uint32_t)n, rest, own, w, got);
        naive_divide(value, n, rest, own, w, want);
        for (int i = 0; i < n + 2; i++) {
            ck_assert_msg(got[i] == want[i], "round %d, item %d of %d: %d, not %d", round, i, n,
                          got[i], want[i]);
            sum += got[i];
        }
        ck_assert_int_eq(sum, w);
    }
}

/* Figures as no memory has them: nothing overflows, the columns still add up. */
TEST(test_dividing_rubbish) {
    for (int round = 0; round < 2000; round++) {
        uint64_t value[8];
        int got[10], sum = 0, w = 1 + (int)suite_below(1000);
        for (int i = 0; i < 8; i++)
            value[i] = suite_below(2) ? UINT64_MAX - suite_below(9) : suite_random();
        flameplan_divide(value, 8, suite_random(), suite_random(), w, got);
        for (int i = 0; i < 10; i++) {
            ck_assert_int_ge(got[i], 0);
            sum += got[i];
        }
        ck_assert_int_eq(sum, w);
    }
}

/* ---- whole graphs ---------------------------------------------------------------------------- */

typedef struct Node {
    uint64_t value;
    uint32_t first, children, up;
    uint32_t rank; /* among its siblings */
} Node;

typedef struct Graph {
    Node node[4096];
    uint32_t nodes;
} Graph;

static uint32_t children(void *context, uint32_t node, uint32_t *first) {
    Graph *g = context;
    *first = g->node[node].first;
    return g->node[node].children;
}
static uint64_t value(void *context, uint32_t node) {
    return ((Graph *)context)->node[node].value;
}
static int compare(void *context, uint32_t a, uint32_t b) {
    const Graph *g = context;
    return g->node[a].rank < g->node[b].rank ? -1 : g->node[a].rank > g->node[b].rank;
}

/* Each node's figure split among a few children, or very many, and itself. */
static void make_graph(Graph *g, uint64_t whole) {
    memset(g, 0, sizeof *g);
    g->nodes = 1;
    g->node[0].value = whole;
    for (uint32_t i = 0; i < g->nodes; i++) {
        Node *n = &g->node[i];
        uint64_t left = n->value - (suite_below(3) ? 0 : suite_below(n->value + 1));
        uint32_t many = suite_below(40) == 0 ? 300 : (uint32_t)suite_below(6);
        n->first = g->nodes;
        for (uint32_t k = 0; k < many && g->nodes < 4096; k++) {
            uint64_t v = k + 1 == many ? left : suite_below(left / (suite_below(9) + 1) + 1);
            if (many == 300) v = left / 300;
            left -= k + 1 == many ? left : v;
            g->node[g->nodes++] = (Node){.value = v, .up = i, .rank = (k * 7 + 3) % 307};
            n->children++;
        }
    }
}

/* Every bar with a column is there and has its columns, what is narrower is in the rest beside
 * it, all within the block above, from its left end on without a gap. */
static void check_below(const Graph *g, const FlamePlan *l, int row, uint32_t up) {
    const FlameBlock *b = &l->block[up];
    const Node *n = &g->node[b->node];
    uint64_t shown[64], rest = 0, sum = 0;
    uint32_t narrow = 0, wide = 0;
    int want[66], x = b->x;
    uint32_t child[64];
    for (uint32_t rank = 0; rank < 307; rank++) {
        for (uint32_t i = n->first; i < n->first + n->children; i++) {
            uint64_t v = g->node[i].value;
            if (g->node[i].rank != rank || v == 0) continue;
            sum += v;
            if (v * (uint64_t)b->w >= n->value && wide < 60) {
                child[wide] = i;
                shown[wide++] = v;
            } else {
                narrow++;
                rest += v;
            }
        }
    }
    if (wide == 60) return; /* more than this naive model holds */
    if (n->value == 0) return;
    naive_divide(shown, (int)wide, rest, n->value - sum, b->w, want);
    uint32_t at = l->row[row + 1];
    while (at < l->row[row + 2] && l->block[at].up != up)
        at++;
    for (uint32_t i = 0; i <= wide; i++) {
        if (want[i] == 0) continue;
        const FlameBlock *block = &l->block[at++];
        ck_assert_uint_lt(at - 1, l->row[row + 2]);
        ck_assert_uint_eq(block->up, up);
        ck_assert_int_eq(block->w, want[i]);
        ck_assert_int_eq(block->x, x);
        ck_assert_uint_eq(block->node, i < wide ? child[i] : b->node);
        ck_assert_uint_eq(block->rest, i < wide ? 0 : narrow);
        x += block->w;
    }
    ck_assert_int_le(x, b->x + b->w);
    if (narrow) ck_assert_int_gt(want[wide], 0);
    ck_assert(at == l->row[row + 2] || l->block[at].up != up);
}

TEST(test_graphs_by_chance) {
    static Graph g;
    FlameNodes nodes = {&g, children, value, compare};
    FlamePlan l = {0}, part = {0};
    for (int round = 0; round < 300; round++) {
        make_graph(&g, 1 + suite_below(1ull << suite_below(40)));
        FlameView view = {.w = 1 + (int)suite_below(220), .h = 100};
        flameplan_make(&l, &nodes, &view);
        ck_assert_int_ge(l.rows, 1);
        ck_assert(!l.deeper);
        ck_assert_int_eq(l.block[0].w, view.w);
        for (int row = 0; row < l.rows; row++) {
            for (uint32_t b = l.row[row]; b < l.row[row + 1]; b++) {
                if (row + 1 < l.rows && !l.block[b].rest) check_below(&g, &l, row, b);
                int x = l.block[b].x + (int)suite_below((uint64_t)l.block[b].w);
                ck_assert_uint_eq(flameplan_at(&l, x, row), b);
                ck_assert_int_eq(flameplan_row_of(&l, b), row);
            }
        }
        /* a window shows the same */
        FlameView window = view;
        window.top = (int)suite_below((uint64_t)l.rows);
        window.h = 1 + (int)suite_below(5);
        flameplan_make(&part, &nodes, &window);
        int rows = l.rows - window.top < window.h ? l.rows - window.top : window.h;
        ck_assert_int_eq(part.rows, rows);
        ck_assert(part.deeper == (window.top + window.h < l.rows));
        for (int row = 0; row < rows; row++) {
            uint32_t from = l.row[window.top + row], n = l.row[window.top + row + 1] - from;
            ck_assert_uint_eq(part.row[row + 1] - part.row[row], n);
            for (uint32_t i = 0; i < n; i++) {
                const FlameBlock *a = &l.block[from + i], *b = &part.block[part.row[row] + i];
                ck_assert(a->x == b->x && a->w == b->w && a->node == b->node && a->rest == b->rest);
                ck_assert(row == 0 ? b->up == FLAME_NONE : b->up < part.row[row]);
            }
        }
    }
    flameplan_free(&l);
    flameplan_free(&part);
}

/* A thousand children, none of which has a column: page after page shows each of them once. */
TEST(test_paging_through_a_rest) {
    static Graph g;
    static int seen[4096];
    FlameNodes nodes = {&g, children, value, compare};
    OWN(flameplan_free) FlamePlan l = {0};
    g = (Graph){.nodes = 1001};
    g.node[0] = (Node){.first = 1, .children = 1000};
    for (uint32_t i = 1; i <= 1000; i++) {
        g.node[i] = (Node){.value = 1 + i * i / 500, .rank = i};
        g.node[0].value += g.node[i].value;
    }
    FlameView view = {.w = 80, .h = 10};
    flameplan_make(&l, &nodes, &view); /* none of them */
    ck_assert_uint_eq(l.row[2] - l.row[1], 1);
    ck_assert_uint_eq(l.block[1].rest, 1000);
    ck_assert_int_eq(l.block[1].w, 80);
    view.paged = true;
    for (int pages = 0; view.skip < 1000; pages++) {
        ck_assert_int_lt(pages, 100);
        flameplan_make(&l, &nodes, &view);
        ck_assert_int_eq(l.rows, 2);
        uint32_t shown = 0, rest = 0;
        int x = 0;
        for (uint32_t b = l.row[1]; b < l.row[2]; b++) {
            ck_assert_int_eq(l.block[b].x, x);
            x += l.block[b].w;
            rest += l.block[b].rest;
            if (l.block[b].rest) continue;
            seen[l.block[b].node]++;
            shown++;
        }
        ck_assert_uint_eq(shown + rest + view.skip, 1000);
        ck_assert_int_eq(x, 80);
        view.skip += shown;
    }
    for (int i = 1; i <= 1000; i++)
        ck_assert_msg(seen[i] == 1, "%d was seen %d times", i, seen[i]);
}

TEST(test_nothing_to_show) {
    static Graph g;
    FlameNodes nodes = {&g, children, value, compare};
    OWN(flameplan_free) FlamePlan l = {0};
    g = (Graph){.nodes = 1};
    flameplan_make(&l, &nodes, &(FlameView){.w = 80, .h = 10});
    ck_assert_int_eq(l.rows, 0);
    g.node[0].value = 1;
    flameplan_make(&l, &nodes, &(FlameView){.w = 0, .h = 10});
    ck_assert_int_eq(l.rows, 0);
    flameplan_make(&l, &nodes, &(FlameView){.w = 1, .h = 1});
    ck_assert_int_eq(l.rows, 1);
    ck_assert_uint_eq(flameplan_at(&l, 0, 0), 0);
    ck_assert_uint_eq(flameplan_at(&l, 1, 0), FLAME_NONE);
    ck_assert_uint_eq(flameplan_at(&l, 0, 1), FLAME_NONE);
}
