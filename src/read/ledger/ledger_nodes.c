/* ledger_nodes.c - the figures of nodes, and the rows of the tree (ledger_impl.h). Of a million
 * nodes whole rows are large: in a refresh that is the only one (LEDGER_ONCE) they are made when
 * they are asked for, from the words that some node has, in four bytes where that is enough for
 * all, and from sums where there is something below. */
#include <stdlib.h>
#include <string.h>

#include "read/ledger/ledger_impl.h"

#define WORD(field) (offsetof(LmpTally, field) / 8)
enum { FIGURES = WORD(was) }; /* words of a tally that may be packed */

bool nodes_reserve(Ledger *ledger, unsigned parts) {
    LedgerStore *s = ledger->store;
    size_t n = s->nodes;
    bool once = parts & LEDGER_ONCE;
    bool made = ledger_pile_reserve(&s->row_parent, n, sizeof(uint32_t)) &&
                ledger_pile_reserve(&s->row_first, n + 1, sizeof(uint32_t)) &&
                ledger_pile_reserve(&s->row_depth, n, sizeof(uint32_t)) &&
                ledger_pile_reserve(&s->row_site, n, sizeof(uint32_t)) &&
                (once ? ledger_pile_reserve(&s->row_below, n, sizeof(uint32_t)) &&
                            ledger_pile_reserve(&s->own, n, FIGURES * sizeof(uint64_t)) &&
                            ledger_pile_reserve(&s->below, n, FIGURES * sizeof(uint64_t))
                      : ledger_pile_reserve(&s->out_tree, n, sizeof(LmpTreeRow)));
    if (made) ledger->tree = once ? NULL : s->out_tree.data;
    return made;
}

/* ---- packed ---------------------------------------------------------------------------------- */

static char *own_at(const LedgerStore *s, uint32_t node) {
    return PILE(s->own, char) + (size_t)node * (s->packed + s->packed_wide) * 4;
}

/* Returns a word that is packed there. Wide ones come first. */
static uint64_t packed_word(const LedgerStore *s, const char *own, uint32_t i) {
    uint32_t wide = s->packed_wide, narrow;
    uint64_t word;
    if (i < wide) return memcpy(&word, own + i * 8, 8), word;
    return memcpy(&narrow, own + (i + wide) * 4, 4), narrow;
}

/* Completes a tally, or a sum of them. */
static void add_live(const LedgerStore *s, LmpTally *t) {
    if (!s->packed_live) return;
    t->live_blocks = t->allocs - t->frees;
    t->live_bytes = t->bytes + (uint64_t)t->realloc_bytes - t->free_bytes;
}

static LmpTally unpack(const LedgerStore *s, uint32_t node) {
    uint64_t word[TALLY_WORDS] = {0};
    const char *packed = own_at(s, node);
    LmpTally own;
    for (uint32_t i = 0; i < s->packed; i++)
        word[s->packed_word[i]] = packed_word(s, packed, i);
    memcpy(&own, word, sizeof own);
    add_live(s, &own);
    return own;
}

static LmpTally read_own(const LmpTables *t, uint32_t node, LedgerPeak peak) {
    LmpUsage room;
    return tally_of(tables_node_usage(t, node, &room), peak);
}

void nodes_fetch(const LedgerStore *s, const LmpTables *t, uint32_t i, uint32_t n) {
    if (i + LEDGER_AHEAD >= n) return;
    uint32_t node = PILE(s->order, const uint32_t)[i + LEDGER_AHEAD];
    const char *at = s->packed ? own_at(s, node) : (const char *)tables_node_place(t, node);
    __builtin_prefetch(at);
    if (!s->packed) __builtin_prefetch(at + 64);
}

LmpTally nodes_own(LedgerStore *s, const LmpTables *t, uint32_t node, LedgerPeak peak) {
    LmpTally own = s->packed ? unpack(s, node) : read_own(t, node, peak);
    moment_node(s, node, &own);
    return own;
}

uint64_t nodes_live(const LedgerStore *s, const LmpTables *t, uint32_t node) {
    return (s->packed ? unpack(s, node) : read_own(t, node, (LedgerPeak){0})).live_bytes;
}

static LmpTally own_less(const LmpTables *t, uint32_t node, LedgerPeak peak, LedgerNodes *less) {
    LmpTally own = read_own(t, node, peak);
    if (less) ledger_nodes_take(less, node, &own);
    return own;
}

/* Chooses the words: those that some node has, but what lives if that follows from the others. */
static void choose_words(LedgerStore *s, const LmpTables *t, LedgerPeak peak, LedgerNodes *less) {
    uint64_t any[TALLY_WORDS] = {0}, word[TALLY_WORDS];
    s->packed = 0;
    s->packed_live = true;
    for (uint32_t node = 1; node < s->nodes; node++) {
        LmpTally own = own_less(t, node, peak, less), follows = own;
        add_live(s, &follows);
        s->packed_live = s->packed_live && follows.live_blocks == own.live_blocks &&
                         follows.live_bytes == own.live_bytes;
        memcpy(word, &own, sizeof own);
        for (uint32_t i = 0; i < FIGURES; i++)
            any[i] |= word[i];
    }
    if (s->packed_live) any[WORD(live_blocks)] = any[WORD(live_bytes)] = 0;
    any[WORD(allocs)] |= 1; /* so that there is one */
    for (uint32_t i = 0; i < FIGURES; i++)
        if (any[i] >> 32) s->packed_word[s->packed++] = i;
    s->packed_wide = s->packed;
    for (uint32_t i = 0; i < FIGURES; i++)
        if (any[i] && !(any[i] >> 32)) s->packed_word[s->packed++] = i;
}

/* A program that runs may have made more since the words were chosen than four bytes can hold. */
static void pack(const LedgerStore *s, uint32_t node, const LmpTally *own) {
    uint64_t word[TALLY_WORDS];
    char *to = own_at(s, node);
    memcpy(word, own, sizeof word);
    for (uint32_t i = 0; i < s->packed; i++) {
        uint64_t w = word[s->packed_word[i]];
        uint32_t narrow = w < UINT32_MAX ? (uint32_t)w : UINT32_MAX;
        bool wide = i < s->packed_wide;
        memcpy(to, wide ? (const void *)&w : &narrow, wide ? 8 : 4);
        to += wide ? 8 : 4;
    }
}

/* Nodes are read in their own order, and memory that has been read is given back meanwhile. */
void nodes_pack(LedgerStore *s, const LmpTables *t, LedgerNodes *less) {
    enum { STEP = 4096 };
    LedgerPeak peak = sum_peak(t->live);
    choose_words(s, t, peak, less);
    pack(s, 0, &(LmpTally){0});
    for (uint32_t node = 1; node < s->nodes; node++) {
        LmpTally own = own_less(t, node, peak, less);
        pack(s, node, &own);
        uint32_t read = node + 1;
        if (read % STEP && read < s->nodes) continue;
        if (t->spent) t->spent(&t->usage[node / STEP * STEP], &t->usage[read]);
        if (less) ledger_nodes_drop(less, read);
    }
}

static char *own_of(const LedgerStore *s, uint32_t row) {
    return own_at(s, PILE(s->order, const uint32_t)[row]);
}

/* NULL: there is nothing below. */
static uint64_t *below_of(const LedgerStore *s, uint32_t row) {
    const uint32_t *first = PILE(s->row_first, const uint32_t) + row;
    size_t at = PILE(s->row_below, const uint32_t)[row];
    return first[0] < first[1] ? PILE(s->below, uint64_t) + at * s->packed : NULL;
}

void nodes_sum(LedgerStore *s, uint32_t rows) {
    uint32_t *row_below = PILE(s->row_below, uint32_t), n = 0;
    const uint32_t *first = s->row_first.data, *parent = s->row_parent.data;
    for (uint32_t i = 0; i < rows; i++) {
        row_below[i] = n;
        n += first[i] < first[i + 1];
    }
    memset(s->below.data, 0, (size_t)n * s->packed * sizeof(uint64_t));
    for (uint32_t i = rows; i-- > 1;) {
        if (i > LEDGER_AHEAD) __builtin_prefetch(own_of(s, i - LEDGER_AHEAD));
        uint64_t *to = below_of(s, parent[i]);
        const char *own = own_of(s, i);
        const uint64_t *below = below_of(s, i);
        for (uint32_t k = 0; k < s->packed; k++)
            to[k] += packed_word(s, own, k) + (below ? below[k] : 0);
    }
}

/* ---- rows ------------------------------------------------------------------------------------ */

/* Rows are asked for one after the other: what those soon to come refer to is prefetched. */

LmpTally ledger_shallow(const Ledger *ledger, uint32_t i) {
    if (ledger->tree) return ledger->tree[i].shallow;
    const LedgerStore *s = ledger->store;
    nodes_fetch(s, NULL, i, ledger->nodes);
    return unpack(s, PILE(s->order, const uint32_t)[i]);
}

LmpTally ledger_retained(const Ledger *ledger, uint32_t i) {
    if (ledger->tree) return ledger->tree[i].retained;
    const LedgerStore *s = ledger->store;
    LmpTally all = ledger_shallow(ledger, i);
    uint64_t word[TALLY_WORDS];
    const uint64_t *below = below_of(s, i);
    memcpy(word, &all, sizeof all);
    for (uint32_t k = 0; below && k < s->packed; k++)
        word[s->packed_word[k]] += below[k];
    memcpy(&all, word, sizeof all);
    add_live(s, &all);
    return all;
}

static LedgerLinks links_of(const LedgerStore *s, uint32_t i) {
    const uint32_t *first = PILE(s->row_first, const uint32_t) + i;
    return (LedgerLinks){PILE(s->row_parent, const uint32_t)[i], first[0], first[1] - first[0],
                         PILE(s->row_depth, const uint32_t)[i]};
}

LedgerLinks ledger_links(const Ledger *ledger, uint32_t i) {
    if (!ledger->tree) return links_of(ledger->store, i);
    const LmpTreeRow *row = &ledger->tree[i];
    return (LedgerLinks){row->parent, row->first, row->children, row->depth};
}

static void fetch(const LedgerStore *s, uint32_t i, uint32_t rows) {
    const uint32_t *site = PILE(s->row_site, const uint32_t) + i;
    const LedgerRow *row = s->row.data;
    if (i + LEDGER_AHEAD >= rows) return;
    __builtin_prefetch(&row[site[LEDGER_AHEAD] >> 2]);
    row += site[LEDGER_AHEAD / 2] >> 2;
    __builtin_prefetch(&PILE(s->slot, const LedgerSlot)[row->slot]);
    __builtin_prefetch(&PILE(s->function, const LedgerFunction)[row->function].short_src);
}

static void make_row(const Ledger *ledger, uint32_t i, LmpTreeRow *out) {
    const LedgerStore *s = ledger->store;
    fetch(s, i, ledger->nodes);
    uint32_t node = PILE(s->order, const uint32_t)[i], kinds = 0;
    uint32_t row_site = PILE(s->row_site, const uint32_t)[i], site = row_site >> 2;
    uint32_t function = ledger_function_of(s, site);
    const LedgerFunction *f = &PILE(s->function, const LedgerFunction)[function];
    const LedgerRow *row = site ? &PILE(s->row, LedgerRow)[site] : NULL;
    const LedgerSlot *slot = row ? &PILE(s->slot, const LedgerSlot)[row->slot] : NULL;
    LedgerLinks links = links_of(s, i);
    if (s->tree_kinds && i) kinds = PILE(s->node_kinds, const uint32_t)[node];
    out->id = node;
    out->function = i ? PILE(s->function_row, const uint32_t)[function] : 0;
    out->site = slot ? slot->id : 0;
    out->kinds = (uint8_t)(kinds >> 16);
    out->tag = (uint16_t)kinds;
    out->kind = s->tree_kinds && i ? PILE(s->node_kind, const uint8_t)[node] : LMP_KINDS;
    out->name = i ? f->name : "(all)";
    out->short_src = i ? f->short_src : "";
    out->line = slot ? slot->line : -1;
    out->flags = row_site & (LMP_NODE_TAIL | LMP_NODE_COROUTINE);
    out->parent = links.parent;
    out->first = links.first;
    out->children = links.children;
    out->depth = links.depth;
}

void ledger_node(const Ledger *ledger, uint32_t i, LmpTreeRow *out) {
    if (ledger->tree)
        memcpy(out, &ledger->tree[i], offsetof(LmpTreeRow, shallow));
    else
        make_row(ledger, i, out);
}

void nodes_make(Ledger *ledger, const LmpTables *t) {
    LedgerStore *s = ledger->store;
    const uint32_t *order = s->order.data;
    LmpTreeRow *tree = ledger->tree;
    LedgerPeak peak = sum_peak(t->live);
    for (uint32_t i = 0; i < ledger->nodes; i++) {
        nodes_fetch(s, t, i, ledger->nodes);
        make_row(ledger, i, &tree[i]);
        tree[i].shallow = i ? nodes_own(s, t, order[i], peak) : (LmpTally){0};
        if (ledger->less && i) ledger_nodes_take(ledger->less, order[i], &tree[i].shallow);
        tree[i].retained = tree[i].shallow;
    }
    for (uint32_t i = ledger->nodes; i-- > 1;)
        tally_add(&tree[tree[i].parent].retained, &tree[i].retained);
}

void ledger_drop_tree(Ledger *ledger) {
    LedgerStore *s = ledger->store;
    if (!s) return;
    LedgerPile *const piles[] = {&s->out_tree,  &s->order,     &s->row_site, &s->node_kinds,
                                 &s->node_kind, &s->own,       &s->below,    &s->row_parent,
                                 &s->row_first, &s->row_depth, &s->row_below};
    for (size_t i = 0; i < sizeof piles / sizeof *piles; i++)
        ledger_pile_free(piles[i]);
    ledger->tree = NULL;
    ledger->nodes = 0;
}
