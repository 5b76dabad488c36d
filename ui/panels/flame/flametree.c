/* flametree.c - one pass sums up the chosen figure by node (children into parents); opening a bar
 * groups its nodes' children by function (inverted: its paths by the next caller) into new bars.
 * `slot` finds a function's bar among siblings. */
#include "panels/flame/flametree.h"

#include <stdlib.h>
#include <string.h>

typedef struct Bar {
    uint64_t key, value;
    uint32_t parent, depth;
    uint32_t function; /* row in the ledger's functions */
    uint32_t first, children;
    uint32_t first_member, members;
    FlameSum sum;
    uint8_t kind;
    bool open;           /* its children have been made */
    bool summed, sorted; /* `sum` and `kind` are known */
} Bar;

/* A node of the ledger's tree that is in a bar. Inverted: a node that made something, and how far
 * out its path has come. */
typedef struct Member {
    uint32_t node, at;
} Member;

struct FlameTree {
    const Ledger *ledger; /* NULL: none */
    FlameMetric metric;
    bool inverted, cut;
    uint32_t node_room, function_room, bar_room, member_room;
    uint64_t *own, *total; /* by node */
    FlameLink *link;       /* by node */
    FlameSum *sum;         /* by node: the figures that a bar adds up */
    LmpTally tally;        /* of bar `tallied` */
    uint32_t tallied;
    uint64_t (*by_kind)[LMP_KINDS]; /* by node: its total by type */
    bool kinds_made;
    uint32_t kind_room;
    uint32_t *slot; /* by function: bar + 1 among the siblings being made */
    Bar *bar;
    uint32_t bars;
    Member *member;
    uint32_t members;
};

/* ---- figures --------------------------------------------------------------------------------- */

static uint64_t plus(uint64_t a, uint64_t b) {
    return a > UINT64_MAX - b ? UINT64_MAX : a + b;
}

static uint64_t less(uint64_t a, uint64_t b) {
    return a > b ? a - b : 0;
}

static uint64_t of_live(const LmpTally *t) {
    return t->live_bytes;
}
static uint64_t of_made(const LmpTally *t) {
    return tally_made(t);
}
static uint64_t of_temporary(const LmpTally *t) {
    uint64_t count = t->temporary < t->allocs ? t->temporary : t->allocs;
    if (count == 0) return 0;
    double bytes = (double)tally_made(t) * ((double)count / (double)t->allocs);
    return bytes < 9e18 ? (uint64_t)(bytes + 0.5) : (uint64_t)9e18;
}
static uint64_t of_peak(const LmpTally *t) {
    return t->peak_bytes;
}
static uint64_t of_blocks(const LmpTally *t) {
    return t->live_blocks;
}
static uint64_t of_survive(const LmpTally *t) {
    return t->since.bytes;
}
static uint64_t of_grown(const LmpTally *t) {
    return less(t->live_bytes, t->mark.live);
}
static uint64_t of_made_since(const LmpTally *t) {
    return less(tally_made(t), t->mark.made);
}
static uint64_t of_freed_since(const LmpTally *t) {
    return less(t->free_bytes, less(t->mark.made, t->mark.live));
}

static uint64_t of_shrunk(const LmpTally *t) {
    return less(t->mark.live, t->live_bytes);
}
static uint64_t of_either(const LmpTally *t) {
    return t->mark.live > t->live_bytes ? t->mark.live : t->live_bytes;
}

const FlameMetricInfo flame_metric[FLAME_METRICS] = {
    [FLAME_LIVE] = {"live bytes", "live", true, .of = of_live},
    [FLAME_MADE] = {"bytes made", "made", true, .of = of_made},
    [FLAME_TEMPORARY] = {"temporary bytes", "temporary", true, .of = of_temporary},
    [FLAME_PEAK] = {"bytes at the peak", "at the peak", true, .of = of_peak},
    [FLAME_BLOCKS] = {"live blocks", "blocks", false, .of = of_blocks},
    [FLAME_SURVIVE] = {"survivors", "survive", true, .since = true, .of = of_survive},
    [FLAME_GROWN] = {"grown since the mark", "grown", true, .marked = true, .of = of_grown,
                     .compared_name = "more live bytes", .ranged = "grown in the range",
                     .ranged_word = "grown"},
    [FLAME_MADE_SINCE] = {"made since the mark", "made since", true, .marked = true,
                          .of = of_made_since, .compared_name = "more bytes made",
                          .ranged = "allocated in the range", .ranged_word = "allocated"},
    [FLAME_FREED_SINCE] = {"freed since the mark", "freed since", true, .marked = true,
                           .of = of_freed_since, .compared_name = "more bytes freed",
                           .ranged = "freed in the range", .ranged_word = "freed"},
    [FLAME_SHRUNK] = {"shrunk since the mark", "shrunk", true, .marked = true, .of = of_shrunk,
                      .compared_name = "fewer live bytes", .ranged = "shrunk in the range"},
    [FLAME_EITHER] = {"live in either run", "in either run", true, .marked = true, .compared = true,
                      .of = of_either},
};

/* ---- making ---------------------------------------------------------------------------------- */

FlameTree *flametree_new(void) {
    return calloc(1, sizeof(FlameTree));
}

void flametree_free(FlameTree *t) {
    if (!t) return;
    free(t->own);
    free(t->total);
    free(t->link);
    free(t->sum);
    free(t->by_kind);
    free(t->slot);
    free(t->bar);
    free(t->member);
    free(t);
}

static bool node_room(FlameTree *t, uint32_t nodes) {
    if (nodes <= t->node_room) return true;
    uint32_t room = nodes + nodes / 4;
    uint64_t *own = realloc(t->own, room * sizeof *own);
    if (own) t->own = own;
    uint64_t *total = realloc(t->total, room * sizeof *total);
    if (total) t->total = total;
    FlameLink *link = realloc(t->link, room * sizeof *link);
    if (link) t->link = link;
    FlameSum *sum = realloc(t->sum, room * sizeof *sum);
    if (sum) t->sum = sum;
    if (!own || !total || !link || !sum) return false;
    t->node_room = room;
    return true;
}

static bool function_room(FlameTree *t, uint32_t functions) {
    if (functions <= t->function_room && t->slot) return true;
    free(t->slot);
    t->function_room = functions + functions / 4 + 1;
    t->slot = calloc(t->function_room, sizeof *t->slot);
    if (!t->slot) t->function_room = 0;
    return t->slot != NULL;
}

static bool bar_room(FlameTree *t, uint32_t n) {
    if (n <= t->bar_room) return true;
    uint32_t room = n + n / 2 + 256;
    Bar *bar = realloc(t->bar, room * sizeof *bar);
    if (!bar) return false;
    t->bar = bar;
    t->bar_room = room;
    return true;
}

static bool member_room(FlameTree *t, uint32_t n) {
    if (n <= t->member_room) return true;
    uint32_t room = n + n / 2 + 256;
    Member *member = realloc(t->member, room * sizeof *member);
    if (!member) return false;
    t->member = member;
    t->member_room = room;
    return true;
}

/* Sums up: rows of the ledger stand below their parents. */
static void sum_up(FlameTree *t) {
    const LmpTreeRow *tree = t->ledger->tree;
    uint64_t (*of)(const LmpTally *) = flame_metric[t->metric].of;
    uint32_t n = t->ledger->nodes, functions = t->ledger->functions;
    for (uint32_t i = 0; i < functions;
         i++) /* the ids stand closer together here than in the functions' rows */
        t->slot[i] = t->ledger->function[i].id;
    for (uint32_t i = 0; i < n; i++) {
        const LmpTally *tally = t->inverted ? &tree[i].shallow : &tree[i].retained;
        t->own[i] = t->total[i] = of(&tree[i].shallow);
        t->link[i] =
            (FlameLink){tree[i].parent, tree[i].function,
                        tree[i].function < functions ? t->slot[tree[i].function] : 0, tree[i].kind};
        t->sum[i] = (FlameSum){tally->live_bytes, tally_made(tally), tally->mark.live};
    }
    memset(t->slot, 0, functions * sizeof *t->slot);
    for (uint32_t i = n; i-- > 1;)
        t->total[t->link[i].parent] = plus(t->total[t->link[i].parent], t->total[i]);
}

/* Makes the root. Inverted, its members are all nodes that made something. */
static bool make_root(FlameTree *t) {
    uint32_t n = t->ledger->nodes;
    t->members = 0;
    if (!bar_room(t, 1) || !member_room(t, t->inverted ? n : 1)) return false;
    if (t->inverted)
        for (uint32_t i = 1; i < n; i++)
            if (t->own[i]) t->member[t->members++] = (Member){i, i};
    if (!t->inverted) t->member[t->members++] = (Member){0, 0};
    t->bar[0] = (Bar){.key = flametree_key_root(),
                      .value = t->total[0],
                      .function = FLAME_NONE,
                      .members = t->members};
    t->bars = 1;
    return true;
}

bool flametree_update(FlameTree *t, const Ledger *ledger, FlameMetric metric, bool inverted) {
    t->ledger = ledger;
    t->metric = metric;
    t->inverted = inverted;
    t->cut = t->kinds_made = false;
    t->tallied = FLAME_NONE;
    t->bars = t->members = 0;
    if (ledger->nodes == 0 || !node_room(t, ledger->nodes) ||
        !function_room(t, ledger->functions)) {
        t->ledger = NULL;
        return false;
    }
    sum_up(t);
    if (make_root(t)) return true;
    t->ledger = NULL;
    t->bars = 0;
    return false;
}

uint64_t flametree_key_root(void) {
    return 0x9e3779b97f4a7c15ull;
}

uint64_t flametree_key_below(uint64_t key, uint32_t function_id) {
    uint64_t h = (key ^ (function_id + 1ull)) * 0xbf58476d1ce4e5b9ull;
    h ^= h >> 29;
    h *= 0x94d049bb133111ebull;
    h ^= h >> 32;
    return h == UINT64_MAX ? 0 : h; /* no map takes UINT64_MAX as a key */
}

/* ---- children -------------------------------------------------------------------------------- */

/* Makes the bar of `function` among the siblings. Returns FLAME_NONE: no memory. */
static uint32_t sibling(FlameTree *t, uint32_t parent, uint32_t function) {
    if (!bar_room(t, t->bars + 1)) return FLAME_NONE;
    const Bar *up = &t->bar[parent];
    uint64_t key = flametree_key_below(up->key, t->ledger->function[function].id);
    t->bar[t->bars] =
        (Bar){.key = key, .parent = parent, .depth = up->depth + 1, .function = function};
    t->slot[function] = t->bars + 1;
    return t->bars++;
}

/* Counts a member of the child with this function. Returns false: no memory. */
static bool count(FlameTree *t, uint32_t parent, uint32_t function, uint64_t value) {
    uint32_t i = t->slot[function] ? t->slot[function] - 1 : sibling(t, parent, function);
    if (i == FLAME_NONE) return false;
    Bar *bar = &t->bar[i];
    bar->members++;
    bar->value = plus(bar->value, value);
    return true;
}

static void enter(FlameTree *t, uint32_t function, Member member) {
    Bar *bar = &t->bar[t->slot[function] - 1];
    t->member[bar->first_member + bar->members++] = member;
}

/* Gives the members of the bars from `first` on their places. Returns false: no room. */
static bool place(FlameTree *t, uint32_t first) {
    uint64_t need = t->members;
    for (uint32_t i = first; i < t->bars; i++)
        need += t->bar[i].members;
    if (need > FLAME_MOST_MEMBERS || !member_room(t, (uint32_t)need)) return false;
    for (uint32_t i = first; i < t->bars; i++) {
        t->bar[i].first_member = t->members;
        t->members += t->bar[i].members;
        t->bar[i].members = 0;
    }
    return true;
}

/* Makes the bars below a bar from the children of its nodes. */
static bool open_below(FlameTree *t, uint32_t bar) {
    const LmpTreeRow *tree = t->ledger->tree;
    uint32_t first = t->bars, from = t->bar[bar].first_member;
    uint32_t end = from + t->bar[bar].members;
    for (uint32_t m = from; m < end; m++) {
        const LmpTreeRow *row = &tree[t->member[m].node];
        for (uint32_t i = row->first; i < row->first + row->children; i++)
            if (t->total[i] && !count(t, bar, t->link[i].function, t->total[i])) return false;
    }
    if (!place(t, first)) return false;
    for (uint32_t m = from; m < end; m++) {
        const LmpTreeRow *row = &tree[t->member[m].node];
        for (uint32_t i = row->first; i < row->first + row->children; i++)
            if (t->total[i]) enter(t, t->link[i].function, (Member){i, i});
    }
    return true;
}

/* Inverted: makes the bars of the callers; for the root, of those who made something. */
static bool open_callers(FlameTree *t, uint32_t bar) {
    const FlameLink *link = t->link;
    uint32_t first = t->bars, from = t->bar[bar].first_member;
    uint32_t end = from + t->bar[bar].members;
    for (uint32_t m = from; m < end; m++) {
        Member member = t->member[m];
        uint32_t at = bar == FLAME_ROOT ? member.node : link[member.at].parent;
        if (at && !count(t, bar, link[at].function, t->own[member.node])) return false;
    }
    if (!place(t, first)) return false;
    for (uint32_t m = from; m < end; m++) {
        Member member = t->member[m];
        uint32_t at = bar == FLAME_ROOT ? member.node : link[member.at].parent;
        if (at) enter(t, link[at].function, (Member){member.node, at});
    }
    return true;
}

static void open(FlameTree *t, uint32_t bar) {
    uint32_t first = t->bars;
    t->bar[bar].open = true;
    bool ok = t->inverted ? open_callers(t, bar) : open_below(t, bar);
    for (uint32_t i = first; i < t->bars; i++)
        t->slot[t->bar[i].function] = 0;
    if (!ok) {
        t->cut = true;
        t->bars = first;
    }
    t->bar[bar].first = first;
    t->bar[bar].children = t->bars - first;
}

uint32_t flametree_children(FlameTree *t, uint32_t bar, uint32_t *first) {
    if (!t->bar[bar].open) open(t, bar);
    *first = t->bar[bar].first;
    return t->bar[bar].children;
}

uint32_t flametree_child_of(FlameTree *t, uint32_t bar, uint32_t function_id) {
    uint32_t first, n = flametree_children(t, bar, &first);
    for (uint32_t i = first; i < first + n; i++)
        if (t->ledger->function[t->bar[i].function].id == function_id) return i;
    return FLAME_NONE;
}

bool flametree_cut(const FlameTree *t) {
    return t->cut;
}

/* ---- bars ---------------------------------------------------------------------------------- */

static uint32_t nodes_children(void *context, uint32_t node, uint32_t *first) {
    return flametree_children(context, node, first);
}

static uint64_t nodes_value(void *context, uint32_t node) {
    return flametree_value(context, node);
}

/* Compares by name, so siblings keep their places while figures change, whichever figure is shown,
 * and stand alike in two runs. */
static int nodes_compare(void *context, uint32_t a, uint32_t b) {
    const FlameTree *t = context;
    const LmpFunctionRow *x = &t->ledger->function[t->bar[a].function];
    const LmpFunctionRow *y = &t->ledger->function[t->bar[b].function];
    int order = strcmp(x->name, y->name);
    if (order == 0) order = strcmp(x->short_src, y->short_src);
    if (order) return order;
    if (x->linedefined != y->linedefined) return x->linedefined < y->linedefined ? -1 : 1;
    return x->id < y->id ? -1 : x->id > y->id;
}

FlameNodes flametree_nodes(FlameTree *t) {
    return (FlameNodes){t, nodes_children, nodes_value, nodes_compare};
}

uint64_t flametree_value(const FlameTree *t, uint32_t bar) {
    return bar < t->bars ? t->bar[bar].value : 0;
}
uint32_t flametree_parent(const FlameTree *t, uint32_t bar) {
    return t->bar[bar].parent;
}
uint32_t flametree_depth(const FlameTree *t, uint32_t bar) {
    return t->bar[bar].depth;
}
uint32_t flametree_function(const FlameTree *t, uint32_t bar) {
    return t->bar[bar].function;
}
uint64_t flametree_key(const FlameTree *t, uint32_t bar) {
    return t->bar[bar].key;
}
const FlameLink *flametree_links(const FlameTree *t) {
    return t->link;
}
const uint64_t *flametree_own(const FlameTree *t) {
    return t->own;
}
const uint64_t *flametree_total(const FlameTree *t) {
    return t->total;
}
const Ledger *flametree_ledger(const FlameTree *t) {
    return t->ledger;
}
bool flametree_inverted(const FlameTree *t) {
    return t->inverted;
}

FlameSum flametree_sum(FlameTree *t, uint32_t bar) {
    Bar *f = &t->bar[bar];
    for (uint32_t i = f->first_member; i < f->first_member + f->members && !f->summed; i++) {
        const FlameSum *sum = &t->sum[t->member[i].node];
        f->sum.live += sum->live;
        f->sum.made += sum->made;
        f->sum.marked += sum->marked;
    }
    f->summed = true;
    return f->sum;
}

LmpTally flametree_tally(FlameTree *t, uint32_t bar) {
    const Bar *f = &t->bar[bar];
    LmpTally sum = {0};
    if (bar == FLAME_ROOT) return t->ledger->tree[0].retained; /* the same either way up */
    if (t->tallied == bar) return t->tally;
    for (uint32_t i = f->first_member; i < f->first_member + f->members; i++) {
        const LmpTreeRow *row = &t->ledger->tree[t->member[i].node];
        tally_add(&sum, t->inverted ? &row->shallow : &row->retained);
    }
    t->tallied = bar;
    t->tally = sum;
    return sum;
}

int32_t flametree_line(const FlameTree *t, uint32_t bar) {
    const Bar *f = &t->bar[bar];
    for (uint32_t i = f->first_member; i < f->first_member + f->members; i++) {
        const LmpTreeRow *row = &t->ledger->tree[t->member[i].at];
        if (row->line > 0) return row->line;
    }
    return 0;
}

/* ---- types ----------------------------------------------------------------------------------- */

static bool make_kinds(FlameTree *t) {
    uint32_t n = t->ledger->nodes;
    if (n > t->kind_room) {
        free(t->by_kind);
        t->kind_room = n + n / 4;
        t->by_kind = malloc(t->kind_room * sizeof *t->by_kind);
        if (!t->by_kind) t->kind_room = 0;
    }
    if (!t->by_kind) return false;
    memset(t->by_kind, 0, n * sizeof *t->by_kind);
    for (uint32_t i = n; i-- > 1;) {
        const FlameLink *link = &t->link[i];
        if (t->total[i] == 0) continue; /* nor does anything below it have any */
        if (link->kind < LMP_KINDS)
            t->by_kind[i][link->kind] = plus(t->by_kind[i][link->kind], t->own[i]);
        for (unsigned k = 0; k < LMP_KINDS; k++)
            t->by_kind[link->parent][k] = plus(t->by_kind[link->parent][k], t->by_kind[i][k]);
    }
    t->kinds_made = true;
    return true;
}

unsigned flametree_kind(FlameTree *t, uint32_t bar) {
    Bar *f = &t->bar[bar];
    uint64_t sum[LMP_KINDS] = {0};
    unsigned most = LMP_KINDS;
    if (f->sorted) return f->kind;
    if (!t->inverted && !t->kinds_made && !make_kinds(t)) return LMP_KINDS;
    for (uint32_t i = f->first_member; i < f->first_member + f->members; i++) {
        uint32_t node = t->member[i].node;
        unsigned own = t->ledger->tree[node].kind;
        if (t->inverted && own < LMP_KINDS) sum[own] = plus(sum[own], t->own[node]);
        for (unsigned k = 0; k < LMP_KINDS && !t->inverted; k++)
            sum[k] = plus(sum[k], t->by_kind[node][k]);
    }
    for (unsigned k = 0; k < LMP_KINDS; k++)
        if (sum[k] > (most < LMP_KINDS ? sum[most] : 0)) most = k;
    f->sorted = true;
    f->kind = (uint8_t)most;
    return most;
}
