/* ledger_between.c - maps from the ids of the earlier ledger's rows, which no refresh changes; each
 * later row has the earlier one's figures taken from it. A row that the earlier ledger does not
 * have began at zero. */
#include "read/ledger/ledger.h"

#include <stdlib.h>

#include "base/keymap.h"
#include "read/ledger/ledger_impl.h"

static void take(LmpTally *now, const LmpTally *then) {
    static const LmpTally nothing;
    tally_take(now, then ? then : &nothing);
}

/* A map from the ids of rows to rows: `at` is where the id stands in a row of `size` bytes. */
static bool index_rows(KeyMap *map, const void *rows, uint32_t n, size_t size, size_t at) {
    keymap_clear(map);
    for (uint32_t i = 0; i < n; i++) {
        uint32_t id;
        memcpy(&id, (const char *)rows + i * size + at, sizeof id);
        if (!keymap_set(map, id, i)) return false;
    }
    return true;
}

#define INDEX(map, list, n)                                                                        \
    index_rows(map, list, n, sizeof *(list), offsetof(__typeof__(*(list)), id))

static const void *row_of(const KeyMap *map, uint32_t id, const void *rows, size_t size) {
    uint32_t i = keymap_get(map, id, LEDGER_NO_ROW);
    return i != LEDGER_NO_ROW ? (const char *)rows + i * size : NULL;
}

static void take_site(LmpSiteRow *now, const LmpSiteRow *then) {
    take(&now->tally, then ? &then->tally : NULL);
    LmpKindTally *kind = now->kind;
    for (unsigned k = 0; kind && k < LMP_KINDS; k++) {
        if (!(now->kinds >> k & 1)) continue;
        take(&kind->tally, then ? &ledger_kind(then, k)->tally : NULL);
        kind->tag_allocs -= then ? ledger_kind(then, k)->tag_allocs : 0;
        kind++;
    }
    if (!then) return;
    now->here_reallocs -= then->here_reallocs;
    now->here_frees -= then->here_frees;
    now->here_free_bytes -= then->here_free_bytes;
    now->here_realloc_bytes -= then->here_realloc_bytes;
    now->instructions -= then->instructions;
}

/* A site's details are few, and told apart by their function. */
static void take_details(Ledger *l, const LmpSiteRow *now, const Ledger *before,
                         const LmpSiteRow *then) {
    for (uint32_t i = 0; i < now->details; i++) {
        LmpSiteDetail *d = &l->detail[now->first_detail + i];
        const LmpTally *old = NULL;
        for (uint32_t k = 0; then && k < then->details && !old; k++)
            if (before->detail[then->first_detail + k].function == d->function)
                old = &before->detail[then->first_detail + k].tally;
        take(&d->tally, old);
    }
}

static void take_sites(Ledger *l, const Ledger *before, const KeyMap *map) {
    for (uint32_t i = 0; i < l->sites; i++) {
        LmpSiteRow *now = &l->site[i];
        const LmpSiteRow *then = row_of(map, now->id, before->site, sizeof *then);
        take_site(now, then);
        take_details(l, now, before, then);
    }
}

static void take_functions(Ledger *l, const Ledger *before, const KeyMap *map) {
    for (uint32_t i = 0; i < l->functions; i++) {
        LmpFunctionRow *now = &l->function[i];
        const LmpFunctionRow *then = row_of(map, now->id, before->function, sizeof *then);
        take(&now->shallow, then ? &then->shallow : NULL);
        take(&now->retained, then ? &then->retained : NULL);
        now->calls -= then ? then->calls : 0;
    }
}

static void take_nodes(Ledger *l, const Ledger *before, const KeyMap *map) {
    if (l->less) return; /* it is done */
    for (uint32_t i = 0; i < l->nodes; i++) {
        LmpTreeRow *now = &l->tree[i];
        const LmpTreeRow *then = row_of(map, now->id, before->tree, sizeof *then);
        take(&now->shallow, then ? &then->shallow : NULL);
        take(&now->retained, then ? &then->retained : NULL);
    }
}

static void take_tags(Ledger *l, const Ledger *before, const KeyMap *map) {
    for (uint32_t i = 0; i < l->tags; i++) {
        const LmpTagRow *then = row_of(map, l->tag[i].id, before->tag, sizeof *then);
        take(&l->tag[i].tally, then ? &then->tally : NULL);
    }
}

/* Returns the key of an edge: the ids of its functions, and its line. */
static uint64_t edge_key(const Ledger *l, const LmpEdgeRow *e) {
    uint64_t caller = e->caller < l->functions ? l->function[e->caller].id : 0;
    uint64_t callee = e->callee < l->functions ? l->function[e->callee].id : 0;
    return (caller & UINT16_MAX) << 48 | (callee & UINT16_MAX) << 32 | (uint32_t)e->line;
}

static bool index_edges(KeyMap *map, const Ledger *l) {
    for (uint32_t i = 0; i < l->edges; i++)
        if (!keymap_set(map, edge_key(l, &l->edge[i]), i)) return false;
    return true;
}

static void take_edges(Ledger *l, const Ledger *before, const KeyMap *map) {
    for (uint32_t i = 0; i < l->edges; i++) {
        uint32_t then = keymap_get(map, edge_key(l, &l->edge[i]), LEDGER_NO_ROW);
        if (then != LEDGER_NO_ROW) l->edge[i].calls -= before->edge[then].calls;
    }
}

static uint64_t override_key(const Ledger *l, const LmpOverrideRow *o) {
    uint64_t made = o->made < l->sites ? l->site[o->made].id : 0;
    return made << 32 | (o->here < l->sites ? l->site[o->here].id : 0);
}

static bool index_overrides(KeyMap *map, const Ledger *l) {
    for (uint32_t i = 0; i < l->overrides; i++)
        if (!keymap_set(map, override_key(l, &l->override[i]), i)) return false;
    return true;
}

static void take_overrides(Ledger *l, const Ledger *before, const KeyMap *map) {
    for (uint32_t i = 0; i < l->overrides; i++) {
        LmpOverrideRow *now = &l->override[i];
        uint32_t row = keymap_get(map, override_key(l, now), LEDGER_NO_ROW);
        if (row == LEDGER_NO_ROW) continue;
        const LmpOverrideRow *then = &before->override[row];
        now->frees -= then->frees;
        now->free_bytes -= then->free_bytes;
        now->reallocs -= then->reallocs;
        now->realloc_bytes -= then->realloc_bytes;
        now->realloc_old -= then->realloc_old;
    }
}

enum { SITES, FUNCTIONS, NODES, TAGS, EDGES, OVERRIDES, MAPS };

LmpErr ledger_between(Ledger *l, const Ledger *before) {
    KeyMap map[MAPS] = {{0}};
    bool made = INDEX(&map[SITES], before->site, before->sites) &&
                INDEX(&map[FUNCTIONS], before->function, before->functions) &&
                INDEX(&map[NODES], before->tree, before->nodes) &&
                INDEX(&map[TAGS], before->tag, before->tags) && index_edges(&map[EDGES], before) &&
                index_overrides(&map[OVERRIDES], before);
    if (made) {
        take_sites(l, before, &map[SITES]);
        take_functions(l, before, &map[FUNCTIONS]);
        take_nodes(l, before, &map[NODES]);
        take_tags(l, before, &map[TAGS]);
        take_edges(l, before, &map[EDGES]);
        take_overrides(l, before, &map[OVERRIDES]);
        take(&l->all, &before->all);
        l->calls -= before->calls;
        l->instructions -= before->instructions;
        l->folded -= before->folded;
        l->pathless -= before->pathless;
        l->pathless_bytes -= before->pathless_bytes;
    }
    for (int i = 0; i < MAPS; i++)
        keymap_free(&map[i]);
    return made ? LMP_OK : LMP_E_NOMEM;
}

/* ---- nodes ----------------------------------------------------------------------------------- */

/* Figures that follow from the eight that are copied are not kept. */

enum { CHUNK = 4096 }; /* nodes; large enough for the memory to go back to the system by itself */

typedef struct LedgerOldNode {
    uint64_t allocs, bytes, frees, free_bytes, reallocs, temporary, short_lived;
    int64_t realloc_bytes;
} LedgerOldNode;

static LedgerOldNode old_of(const LmpTables *tables, uint32_t node) {
    LmpUsage room;
    LmpTally t = tally_of(tables_node_usage(tables, node, &room), (LedgerPeak){0});
    return (LedgerOldNode){t.allocs,   t.bytes,     t.frees,       t.free_bytes,
                           t.reallocs, t.temporary, t.short_lived, t.realloc_bytes};
}

LmpErr ledger_nodes_keep(LedgerNodes *nodes, const LmpTables *tables) {
    uint32_t n = tables_nodes(tables);
    *nodes = (LedgerNodes){calloc((size_t)n / CHUNK + 1, sizeof *nodes->chunk), 0};
    while (nodes->chunk && nodes->nodes < n) {
        LedgerOldNode *chunk = malloc(CHUNK * sizeof *chunk);
        nodes->chunk[nodes->nodes / CHUNK] = chunk;
        if (!chunk) break;
        for (uint32_t i = 0; i < CHUNK && nodes->nodes < n; i++)
            chunk[i] = old_of(tables, nodes->nodes++);
    }
    bool kept = nodes->chunk && nodes->nodes == n;
    if (!kept) ledger_nodes_free(nodes);
    return kept ? LMP_OK : LMP_E_NOMEM;
}

void ledger_nodes_take(const LedgerNodes *nodes, uint32_t node, LmpTally *now) {
    const LedgerOldNode *chunk = node < nodes->nodes ? nodes->chunk[node / CHUNK] : NULL;
    LedgerOldNode old = chunk ? chunk[node % CHUNK] : (LedgerOldNode){0};
    uint64_t held = old.bytes + (uint64_t)old.realloc_bytes;
    LmpTally then = {.allocs = old.allocs,
                     .bytes = old.bytes,
                     .frees = old.frees,
                     .free_bytes = old.free_bytes,
                     .reallocs = old.reallocs,
                     .realloc_bytes = old.realloc_bytes,
                     .temporary = old.temporary,
                     .short_lived = old.short_lived,
                     .live_blocks = old.allocs > old.frees ? old.allocs - old.frees : 0,
                     .live_bytes = held > old.free_bytes ? held - old.free_bytes : 0};
    tally_take(now, &then);
}

void ledger_nodes_drop(LedgerNodes *nodes, uint32_t below) {
    for (uint32_t c = below < nodes->nodes ? below / CHUNK : 0; c-- > 0 && nodes->chunk[c];) {
        free(nodes->chunk[c]);
        nodes->chunk[c] = NULL;
    }
}

void ledger_nodes_free(LedgerNodes *nodes) {
    for (uint32_t c = 0; nodes->chunk && c * CHUNK < nodes->nodes; c++)
        free(nodes->chunk[c]);
    free(nodes->chunk);
    *nodes = (LedgerNodes){0};
}
