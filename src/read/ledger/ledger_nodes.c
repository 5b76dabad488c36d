/* ledger_nodes.c - the figures of nodes, and the rows of the tree (ledger_impl.h). Of a million
 * nodes whole rows are large: in a refresh that is the only one (LEDGER_ONCE) they are made when
 * they are asked for, from the words that some node has, and from sums where there is something
 * below. */
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

LmpTally nodes_own(LedgerStore *s, const LmpTables *t, uint32_t node, LedgerPeak peak) {
    const LmpNode *n = &t->node[node];
    LmpTally own = tally_of(&n->use, &n->reallocs, &n->realloc_bytes, &n->temporary, peak);
    moment_node(s, node, &own);
    return own;
}

/* ---- packed ---------------------------------------------------------------------------------- */

/* Chooses the words: those that are rare only if the tables' nodes have any. */
static void choose_words(LedgerStore *s, const LmpTables *t) {
    uint64_t reallocs = 0, temporary = 0, short_lived = 0;
    for (uint32_t node = 1; node < s->nodes; node++) {
        reallocs |= read_once64(&t->node[node].reallocs);
        temporary |= read_once64(&t->node[node].temporary);
        short_lived |= read_once64(&t->node[node].use.short_lived);
    }
    const bool none[FIGURES] = {[WORD(reallocs)] = !reallocs,
                                [WORD(realloc_bytes)] = !reallocs,
                                [WORD(temporary)] = !temporary,
                                [WORD(short_lived)] = !short_lived};
    s->packed = 0;
    for (uint32_t i = 0; i < FIGURES; i++)
        if (!none[i]) s->packed_word[s->packed++] = i;
}

/* Nodes are read in their own order, and memory that has been read is given back meanwhile. */
void nodes_pack(LedgerStore *s, const LmpTables *t, LedgerNodes *less) {
    enum { STEP = 4096 };
    LedgerPeak peak = sum_peak(t->live);
    uint64_t word[TALLY_WORDS], *to = s->own.data;
    choose_words(s, t);
    for (uint32_t i = 0; i < s->packed; i++)
        *to++ = 0; /* of the root */
    for (uint32_t node = 1; node < s->nodes; node++) {
        LmpTally own = nodes_own(s, t, node, peak);
        if (less) ledger_nodes_take(less, node, &own);
        memcpy(word, &own, sizeof own);
        for (uint32_t i = 0; i < s->packed; i++)
            *to++ = word[s->packed_word[i]];
        uint32_t read = node + 1;
        if (read % STEP && read < s->nodes) continue;
        if (t->spent) t->spent(&t->node[node / STEP * STEP], &t->node[read]);
        if (less) ledger_nodes_drop(less, read);
    }
}

static uint64_t *own_of(const LedgerStore *s, uint32_t row) {
    return PILE(s->own, uint64_t) + (size_t)PILE(s->order, const uint32_t)[row] * s->packed;
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
        const uint64_t *own = own_of(s, i), *below = below_of(s, i);
        for (uint32_t k = 0; k < s->packed; k++)
            to[k] += own[k] + (below ? below[k] : 0);
    }
}

/* Adds what is packed there to a tally, which is words of this size. */
static void unpack(const LedgerStore *s, const uint64_t *from, LmpTally *to) {
    uint64_t *word = (uint64_t *)(void *)to;
    for (uint32_t i = 0; from && i < s->packed; i++)
        word[s->packed_word[i]] += from[i];
}

/* ---- rows ------------------------------------------------------------------------------------ */

/* Rows are asked for one after the other: what those soon to come refer to is prefetched. */

LmpTally ledger_shallow(const Ledger *ledger, uint32_t i) {
    LmpTally own = {0};
    if (ledger->tree) return ledger->tree[i].shallow;
    if (i + LEDGER_AHEAD < ledger->nodes) {
        __builtin_prefetch(own_of(ledger->store, i + LEDGER_AHEAD));
        __builtin_prefetch(own_of(ledger->store, i + LEDGER_AHEAD) + ledger->store->packed - 1);
    }
    unpack(ledger->store, own_of(ledger->store, i), &own);
    return own;
}

LmpTally ledger_retained(const Ledger *ledger, uint32_t i) {
    if (ledger->tree) return ledger->tree[i].retained;
    LmpTally all = ledger_shallow(ledger, i);
    unpack(ledger->store, below_of(ledger->store, i), &all);
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
        ledger_fetch(t, order, i, ledger->nodes);
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
