/* flametree.c - one pass sums up the chosen figure by node, children into parents; the bars are the
 * calls of a CallFold with that figure, and of those looked at the colours and types are summed
 * up. */
#include "panels/flame/flametree.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/capped.h"

/* What is known of a bar for its colour. */
typedef struct Colour {
    FlameSum sum;
    uint8_t kind;
    bool summed, sorted; /* `sum` and `kind` are known */
} Colour;

struct FlameTree {
    CallFold fold;
    uint32_t node_room, kind_room, bar_room;
    uint64_t *own, *total; /* by node */
    FlameSum *sum;         /* by node: the figures that a bar adds up */
    uint8_t *kind;         /* by node: LmpTreeRow.kind */
    LmpTally tally;        /* of bar `tallied` */
    uint32_t tallied;
    uint64_t (*by_kind)[LMP_KINDS]; /* by node: its total by type */
    bool kinds_made;
    Colour *colour; /* by bar; `coloured` of them */
    uint32_t coloured;
};

/* ---- figures --------------------------------------------------------------------------------- */

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
    return capped_less(t->live_bytes, t->mark.live);
}
static uint64_t of_made_since(const LmpTally *t) {
    return capped_less(tally_made(t), t->mark.made);
}
static uint64_t of_freed_since(const LmpTally *t) {
    return capped_less(t->free_bytes, capped_less(t->mark.made, t->mark.live));
}

static uint64_t of_shrunk(const LmpTally *t) {
    return capped_less(t->mark.live, t->live_bytes);
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
    callfold_free(&t->fold);
    free(t->own);
    free(t->total);
    free(t->sum);
    free(t->kind);
    free(t->by_kind);
    free(t->colour);
    free(t);
}

static bool node_room(FlameTree *t, uint32_t nodes) {
    if (nodes <= t->node_room) return true;
    uint32_t room = nodes + nodes / 4;
    uint64_t *own = realloc(t->own, room * sizeof *own);
    if (own) t->own = own;
    uint64_t *total = realloc(t->total, room * sizeof *total);
    if (total) t->total = total;
    FlameSum *sum = realloc(t->sum, room * sizeof *sum);
    if (sum) t->sum = sum;
    uint8_t *kind = realloc(t->kind, room);
    if (kind) t->kind = kind;
    if (!own || !total || !sum || !kind) return false;
    t->node_room = room;
    return true;
}

/* Sums up: rows of the ledger stand below their parents. */
static void sum_up(FlameTree *t, FlameMetric metric, bool inverted) {
    const Ledger *ledger = t->fold.ledger;
    uint64_t (*of)(const LmpTally *) = flame_metric[metric].of;
    for (uint32_t i = 0; i < ledger->nodes; i++) {
        const LmpTreeRow *row = &ledger->tree[i];
        const LmpTally *tally = inverted ? &row->shallow : &row->retained;
        t->own[i] = t->total[i] = of(&row->shallow);
        t->sum[i] = (FlameSum){tally->live_bytes, tally_made(tally), tally->mark.live};
        t->kind[i] = row->kind;
        if (i) callfold_link(&t->fold, i);
    }
    for (uint32_t i = ledger->nodes; i-- > 1;) {
        uint64_t *up = &t->total[t->fold.link[i].parent];
        *up = capped_plus(*up, t->total[i]);
    }
    t->fold.call[FLAME_ROOT].value = t->total[0];
}

bool flametree_update(FlameTree *t, const Ledger *ledger, FlameMetric metric, bool inverted) {
    t->kinds_made = false;
    t->tallied = FLAME_NONE;
    t->coloured = 0;
    t->fold.calls = 0;
    if (!node_room(t, ledger->nodes)) return false;
    const CallFolding how = {
        .inverted = inverted, .value = inverted ? t->own : t->total, .most = FLAME_MOST_MEMBERS};
    if (!callfold_begin(&t->fold, ledger, &how)) return false;
    sum_up(t, metric, inverted);
    return true;
}

uint32_t flametree_children(FlameTree *t, uint32_t bar, uint32_t *first) {
    if (!callfold_open(&t->fold, bar)) t->fold.cut = true;
    *first = t->fold.call[bar].first;
    return t->fold.call[bar].children;
}

uint32_t flametree_child_of(FlameTree *t, uint32_t bar, uint32_t function_id) {
    uint32_t first, n = flametree_children(t, bar, &first);
    for (uint32_t i = first; i < first + n; i++)
        if (t->fold.ledger->function[t->fold.call[i].function].id == function_id) return i;
    return FLAME_NONE;
}

const CallFold *flametree_fold(const FlameTree *t) {
    return &t->fold;
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
    const LmpFunctionRow *x = &t->fold.ledger->function[t->fold.call[a].function];
    const LmpFunctionRow *y = &t->fold.ledger->function[t->fold.call[b].function];
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
    return bar < t->fold.calls ? t->fold.call[bar].value : 0;
}
const uint64_t *flametree_own(const FlameTree *t) {
    return t->own;
}
const uint64_t *flametree_total(const FlameTree *t) {
    return t->total;
}

/* Inverted all nodes that made something are in the root, which has no list of them. */
static bool next_maker(const FlameTree *t, uint32_t *i, CallMember *m) {
    uint32_t nodes = t->fold.ledger->nodes;
    while (*i < nodes && !t->own[*i])
        ++*i;
    *m = (CallMember){*i, *i};
    return (*i)++ < nodes;
}

/* Goes to the next member of a bar; *i: 0 at first. Returns false: there are no more. */
static bool next_member(const FlameTree *t, uint32_t bar, uint32_t *i, CallMember *m) {
    const Call *call = &t->fold.call[bar];
    if (t->fold.how.inverted && bar == FLAME_ROOT) return next_maker(t, i, m);
    if (*i == call->members) return false;
    *m = t->fold.member[call->first_member + (*i)++];
    return true;
}

/* Returns what is known of a bar; NULL: no memory. */
static Colour *colour_of(FlameTree *t, uint32_t bar) {
    if (!array_room(&t->colour, &t->bar_room, t->fold.calls)) return NULL;
    while (t->coloured < t->fold.calls)
        t->colour[t->coloured++] = (Colour){0};
    return &t->colour[bar];
}

FlameSum flametree_sum(FlameTree *t, uint32_t bar) {
    Colour *colour = colour_of(t, bar);
    if (!colour) return (FlameSum){0};
    CallMember m;
    for (uint32_t i = 0; !colour->summed && next_member(t, bar, &i, &m);) {
        const FlameSum *sum = &t->sum[m.node];
        colour->sum.live += sum->live;
        colour->sum.made += sum->made;
        colour->sum.marked += sum->marked;
    }
    colour->summed = true;
    return colour->sum;
}

LmpTally flametree_tally(FlameTree *t, uint32_t bar) {
    const LmpTreeRow *tree = t->fold.ledger->tree;
    LmpTally sum = {0};
    if (bar == FLAME_ROOT) return tree[0].retained; /* the same either way up */
    if (t->tallied == bar) return t->tally;
    CallMember m;
    for (uint32_t i = 0; next_member(t, bar, &i, &m);)
        tally_add(&sum, t->fold.how.inverted ? &tree[m.node].shallow : &tree[m.node].retained);
    t->tallied = bar;
    t->tally = sum;
    return sum;
}

int32_t flametree_line(const FlameTree *t, uint32_t bar) {
    CallMember m;
    for (uint32_t i = 0; next_member(t, bar, &i, &m);)
        if (t->fold.ledger->tree[m.at].line > 0) return t->fold.ledger->tree[m.at].line;
    return 0;
}

/* ---- types ----------------------------------------------------------------------------------- */

static bool make_kinds(FlameTree *t) {
    uint32_t n = t->fold.ledger->nodes;
    if (n > t->kind_room) {
        free(t->by_kind);
        t->kind_room = n + n / 4;
        t->by_kind = malloc(t->kind_room * sizeof *t->by_kind);
        if (!t->by_kind) t->kind_room = 0;
    }
    if (!t->by_kind) return false;
    memset(t->by_kind, 0, n * sizeof *t->by_kind);
    for (uint32_t i = n; i-- > 1;) {
        uint64_t *own = t->by_kind[i], *up = t->by_kind[t->fold.link[i].parent];
        if (t->total[i] == 0) continue; /* nor does anything below it have any */
        if (t->kind[i] < LMP_KINDS) own[t->kind[i]] = capped_plus(own[t->kind[i]], t->own[i]);
        for (unsigned k = 0; k < LMP_KINDS; k++)
            up[k] = capped_plus(up[k], own[k]);
    }
    t->kinds_made = true;
    return true;
}

unsigned flametree_kind(FlameTree *t, uint32_t bar) {
    Colour *colour = colour_of(t, bar);
    bool inverted = t->fold.how.inverted;
    uint64_t sum[LMP_KINDS] = {0};
    unsigned most = LMP_KINDS;
    if (!colour || (!inverted && !t->kinds_made && !make_kinds(t))) return LMP_KINDS;
    if (colour->sorted) return colour->kind;
    CallMember m;
    for (uint32_t i = 0; next_member(t, bar, &i, &m);) {
        unsigned own = t->kind[m.node];
        if (inverted && own < LMP_KINDS) sum[own] = capped_plus(sum[own], t->own[m.node]);
        for (unsigned k = 0; k < LMP_KINDS && !inverted; k++)
            sum[k] = capped_plus(sum[k], t->by_kind[m.node][k]);
    }
    for (unsigned k = 0; k < LMP_KINDS; k++)
        if (sum[k] > (most < LMP_KINDS ? sum[most] : 0)) most = k;
    colour->sorted = true;
    colour->kind = (uint8_t)most;
    return most;
}
