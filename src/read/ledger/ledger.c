/* ledger.c - one refresh from its beginning to its end, in the order that ledger_impl.h gives, and
 * the rows that others find by record or site. */
#include <stdlib.h>
#include <string.h>

#include "read/ledger/ledger_impl.h"
#include "read/stats.h"

static void store_free(LedgerStore *s) {
    if (!s) return;
    for (LedgerChunk *c = s->chunks, *next; c; c = next) {
        next = c->next;
        free(c);
    }
    keymap_free(&s->text_map);
    keymap_free(&s->slot_map);
    keymap_free(&s->detail_map);
    LedgerPile *const piles[] = {
        &s->texts,        &s->function,      &s->row,          &s->slot,       &s->detail,
        &s->slot_sum,     &s->detail_sum,    &s->function_sum, &s->row_bytes,  &s->out_site,
        &s->out_function, &s->out_detail,    &s->out_tag,      &s->out_tree,   &s->out_live_history,
        &s->slot_row,     &s->function_row,  &s->pairs,        &s->parent,     &s->node_site,
        &s->first,        &s->child,         &s->next,         &s->node_live,  &s->order,
        &s->retained,     &s->on_path,       &s->node_kinds,   &s->node_kind,  &s->tag_slot,
        &s->out_tagged,   &s->slot_run,      &s->calls,        &s->out_edge,   &s->out_override,
        &s->edge_copy,    &s->override_copy, &s->row_parent,   &s->row_first,  &s->row_depth,
        &s->row_below,    &s->own,           &s->below,        &s->slot_kinds, &s->node_function,
        &s->row_site,
    };
    for (size_t i = 0; i < sizeof piles / sizeof *piles; i++)
        free(piles[i]->data);
    for (uint32_t i = 0; i < s->kinds.chunks; i++)
        free(s->kinds.chunk[i]);
    moments_free(s);
    free(s);
}

void ledger_free(Ledger *ledger) {
    store_free(ledger->store);
    memset(ledger, 0, sizeof *ledger);
}

static bool reserve(Ledger *ledger, const LmpTables *t, unsigned parts) {
    LedgerStore *s = ledger->store;
    return index_update(s, t) && sum_reserve(s, t, parts) && rows_reserve(ledger, parts) &&
           counts_reserve(ledger, parts) && tree_reserve(ledger, t, parts) &&
           moment_reserve(s, parts) &&
           (!(parts & LEDGER_SITES) || parts & LEDGER_BRIEF || rows_reserve_history(s));
}

/* Notes which lines did not fit: they are in the row "(others)" of sites. */
static void note_folded(Ledger *ledger) {
    LedgerStore *s = ledger->store;
    ledger->folded = 0;
    if (s->rows <= LEDGER_OTHERS) return;
    uint32_t slot = PILE(s->row, const LedgerRow)[LEDGER_OTHERS].slot;
    ledger->folded = PILE(s->slot_sum, const LedgerSlotSum)[slot].tally.allocs;
}

/* Notes which call paths did not fit: they are in the row "(others)" of nodes, if these are read at
 * all. */
static void note_pathless(Ledger *ledger, const LmpTables *t) {
    ledger->pathless = ledger->pathless_bytes = 0;
    if (!ledger->stacks || ledger->store->nodes <= LEDGER_OTHERS) return;
    LmpUsage room;
    const LmpUsage *use = tables_node_usage(t, LEDGER_OTHERS, &room);
    uint64_t freed = read_once64(&use->free_bytes), bytes = read_once64(&use->bytes);
    ledger->pathless = read_once64(&use->allocs);
    ledger->pathless_bytes = bytes > freed ? bytes - freed : 0;
}

/* Gives back, before the tree is made, which is large, what only the rows were made of, here and in
 * the tables. Records are still looked at to judge growth, and for the types of nodes. */
static void give_back(LedgerStore *s, const LmpTables *t, unsigned parts) {
    LedgerPile *const done[] = {&s->slot_sum, &s->detail_sum, &s->row_bytes, &s->slot_run};
    for (size_t i = 0; i < sizeof done / sizeof *done; i++)
        ledger_pile_free(done[i]);
    if (!t->spent) return;
    t->spent(&t->live_history[0], &t->live_history[s->rows]);
    t->spent(&t->live_history_blocks[0], &t->live_history_blocks[s->rows]);
    if (parts & LEDGER_TREE_KINDS) return;
    t->spent(&t->path[0], &t->path[tables_paths(t)]);
    if (s->brief) t->spent(&t->record[0], &t->record[s->records]);
}

LmpErr ledger_refresh(Ledger *ledger, const LmpTables *tables, unsigned parts, uint64_t clock) {
    uint32_t of_tag = ledger->of_tag;
    struct LedgerNodes *less = ledger->less;
    const LedgerSince *lives = ledger->lives;
    LedgerWhen when = ledger->when;
    bool spoken = ledger->spoken;
    if (ledger->store && ledger->store->base != tables->text) ledger_free(ledger);
    ledger->of_tag = of_tag;
    ledger->less = less;
    ledger->lives = lives;
    ledger->when = when;
    ledger->spoken = spoken;
    if (!tables->text) return LMP_OK; /* no tables: no rows */
    if (!ledger->store) {
        ledger->store = calloc(1, sizeof *ledger->store);
        if (!ledger->store) return LMP_E_NOMEM;
        ledger->store->base = tables->text;
        ledger->store->spoken = spoken;
    }
    if (!reserve(ledger, tables, parts)) return LMP_E_NOMEM;
    const LmpTablesUsed *used = tables_used(tables);
    ledger->lines = stats_lines(tables->live);
    ledger->unproven = read_once64(&used->unproven);
    ledger->stacks = read_once32(&used->stacks) == 1;
    ledger->sample = read_once64(&used->sample);
    ledger->live_history_rows = 0;
    moment_begin(ledger->store, parts, clock);
    ledger->clock = clock;
    ledger->since = ledger->store->then ? ledger->store->then->clock : 0;
    moments_find_mark(ledger, tables);
    ledger->store->lives = lives;
    ledger->store->tag_lines = (parts & LEDGER_TAG_LINES) && (parts & LEDGER_SITES);
    ledger->store->of_tag = of_tag;
    ledger->store->once = parts & LEDGER_ONCE;
    ledger->store->brief = !(parts & LEDGER_SITES) || parts & LEDGER_BRIEF;
    note_pathless(ledger, tables);
    tree_read(ledger, tables, parts);
    sum_records(ledger->store, tables);
    ledger->all = ledger->store->all;
    memcpy(ledger->of_class, ledger->store->of_class, sizeof ledger->of_class);
    counts_sum(ledger, tables, parts);
    note_folded(ledger);
    rows_make(ledger, tables, parts);
    counts_make(ledger, parts);
    if (ledger->store->once) give_back(ledger->store, tables, parts);
    ledger->nodes = 0;
    if (parts & LEDGER_TREE) tree_make(ledger, tables);
    moment_end(ledger->store, clock);
    ledger->store->clock = clock;
    return LMP_OK;
}

uint32_t ledger_row_of_slot(const Ledger *ledger, uint32_t slot) {
    const LedgerStore *s = ledger->store;
    uint32_t at = slot < s->slot_row.room ? PILE(s->slot_row, const uint32_t)[slot] : LEDGER_NO_ROW;
    return at < ledger->sites ? at : LEDGER_NO_ROW;
}

uint32_t ledger_site_of(const Ledger *ledger, const LmpTables *tables, uint32_t alloc_context) {
    uint32_t record = tables_record_of(tables, alloc_context);
    return ledger_row_of(ledger, tables, record ? read_once32(&tables->record[record].site) : 0);
}

uint32_t ledger_row_of(const Ledger *ledger, const LmpTables *tables, uint32_t site) {
    const LedgerStore *s = ledger->store;
    if (!s || ledger->sites == 0 || s->base != tables->text) return LEDGER_NO_ROW;
    if (site == 0 || site >= s->rows) return LEDGER_NO_ROW;
    return ledger_row_of_slot(ledger, PILE(s->row, const LedgerRow)[site].slot);
}

bool ledger_place(const Ledger *ledger, uint32_t site, LedgerPlace *out) {
    const LedgerStore *s = ledger->store;
    if (!s || site == 0 || site >= s->rows) return false;
    const LedgerRow *row = &PILE(s->row, const LedgerRow)[site];
    const LedgerSlot *slot = &PILE(s->slot, const LedgerSlot)[row->slot];
    const LedgerFunction *f = &PILE(s->function, const LedgerFunction)[row->function];
    *out = (LedgerPlace){slot->id, f->name, f->short_src, slot->line};
    return true;
}
