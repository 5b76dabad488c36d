/* ledger_rows.c - the rows that people see, sorted, made of the sums (ledger_impl.h). */
#include <string.h>

#include "read/ledger/ledger_impl.h"

/* ---- room ------------------------------------------------------------------------------------ */

static size_t larger(size_t a, size_t b) {
    return a > b ? a : b;
}

/* Rows move when they grow: the ledger knows where they are at every moment. */
bool rows_reserve(Ledger *ledger, unsigned parts) {
    LedgerStore *s = ledger->store;
    size_t most = larger(larger(s->slots, s->functions), larger(s->details, s->rows));
    if (parts & LEDGER_EDGES) most = larger(most, s->edges);
    if (parts & LEDGER_OVERRIDES) most = larger(most, (size_t)s->overrides + s->slots);
    if (!ledger_pile_reserve(&s->pairs, 2 * most, sizeof(SortPair)) ||
        !ledger_pile_reserve(&s->slot_row, s->slots, sizeof(uint32_t)) ||
        !ledger_pile_reserve(&s->function_row, s->functions, sizeof(uint32_t)) ||
        !ledger_pile_reserve(&s->retained, s->functions, sizeof(LmpTally)))
        return false;
    if (!ledger_pile_reserve(&s->out_function, s->functions, sizeof(LmpFunctionRow))) return false;
    ledger->function = s->out_function.data;
    if (!ledger_pile_reserve(&s->out_tag, LMP_TAGS, sizeof(LmpTagRow))) return false;
    ledger->tag = s->out_tag.data;
    if (!(parts & LEDGER_SITES)) return true;
    if (!ledger_pile_reserve(&s->out_site, s->slots, sizeof(LmpSiteRow))) return false;
    ledger->site = s->out_site.data;
    if (!ledger_pile_reserve(&s->out_detail, s->details, sizeof(LmpSiteDetail))) return false;
    ledger->detail = s->out_detail.data;
    if (!(parts & LEDGER_TAG_LINES)) return true;
    return ledger_pile_reserve(&s->tag_slot, s->slots, sizeof(LmpTally)) &&
           ledger_pile_reserve(&s->out_tagged, s->slots, sizeof(LmpTally));
}

/* Call last: sites point into it. For each LMP_LIVE_HISTORY times bytes, then blocks.
 */
bool rows_reserve_history(LedgerStore *s) {
    return ledger_pile_reserve(&s->out_live_history, (size_t)s->slots * 2 * LMP_LIVE_HISTORY,
                               sizeof(uint64_t));
}

/* Piles never shrink, so what is counted in them is there even if a refresh then fails. */
LmpErr ledger_make_room(Ledger *ledger, const LedgerRoom *room) {
    LedgerStore *s = ledger->store;
    if (!s) return LMP_E_NOMEM;
    size_t more = room->sites > ledger->sites ? room->sites - ledger->sites : 0;
    bool enough =
        ledger_pile_reserve(&s->out_site, room->sites, sizeof(LmpSiteRow)) &&
        ledger_kinds_reserve(&s->kinds, s->kinds.used + more * LMP_KINDS) &&
        ledger_pile_reserve(&s->out_function, room->functions, sizeof(LmpFunctionRow)) &&
        ledger_pile_reserve(&s->out_tag, room->tags, sizeof(LmpTagRow)) &&
        ledger_pile_reserve(&s->out_detail, room->details, sizeof(LmpSiteDetail)) &&
        ledger_pile_reserve(&s->out_tree, room->nodes, sizeof(LmpTreeRow)) &&
        (!ledger->tagged || ledger_pile_reserve(&s->out_tagged, room->sites, sizeof(LmpTally)));
    ledger->site = s->out_site.data;
    ledger->function = s->out_function.data;
    ledger->tag = s->out_tag.data;
    ledger->detail = s->out_detail.data;
    ledger->tree = s->out_tree.data;
    if (ledger->tagged) ledger->tagged = s->out_tagged.data;
    return enough ? LMP_OK : LMP_E_NOMEM;
}

const LmpKindTally *ledger_kind(const LmpSiteRow *site, unsigned kind) {
    static const LmpKindTally none;
    bool there = site->kind && site->kinds >> kind & 1;
    return there ? &site->kind[ledger_kind_place(site->kinds, kind)] : &none;
}

LmpKindTally *ledger_next_kinds(Ledger *ledger) {
    LedgerKinds *k = &ledger->store->kinds;
    LmpKindTally *kind = ledger_kinds_at(k, k->used);
    k->used += LMP_KINDS;
    memset(kind, 0, LMP_KINDS * sizeof *kind);
    return kind;
}

/* ---- which ----------------------------------------------------------------------------------- */

static bool slot_shown(const LedgerStore *s, uint32_t slot) {
    const LedgerSlotSum *sum = &PILE(s->slot_sum, const LedgerSlotSum)[slot];
    return tally_any(&sum->tally) || sum->here_reallocs || sum->here_frees ||
           PILE(s->slot_run, const uint64_t)[slot];
}

/* Finds, of the functions that have code on a slot's line, the one that has made most there. */
static uint32_t best_function(LedgerStore *s, const LedgerSlot *slot) {
    if (!slot->several) return slot->function;
    SortPair *pair = PILE(s->pairs, SortPair);
    uint32_t n = 0;
    for (uint32_t row = slot->first_row; row; row = PILE(s->row, const LedgerRow)[row].next)
        pair[n++] = (SortPair){PILE(s->row, const LedgerRow)[row].function, row};
    pairsort(pair, pair + n, n);
    uint32_t best = slot->function;
    uint64_t most = 0;
    for (uint32_t i = 0; i < n;) {
        uint64_t bytes = 0, function = pair[i].key;
        for (; i < n && pair[i].key == function; i++)
            bytes += PILE(s->row_bytes, const uint64_t)[pair[i].row];
        if (bytes < most) continue;
        most = bytes;
        best = (uint32_t)function; /* they come in falling order: of equal ones the first */
    }
    return best;
}

static void want_functions(LedgerStore *s, unsigned parts) {
    uint32_t *row = PILE(s->function_row, uint32_t);
    for (uint32_t i = 0; i < s->functions; i++) {
        bool any = tally_any(&PILE(s->function_sum, const LmpTally)[i]) ||
                   tally_any(&PILE(s->retained, const LmpTally)[i]);
        row[i] = any ? 0 : LEDGER_NO_ROW;
    }
    for (uint32_t i = 1; i < s->nodes; i++)
        if (!tree_unused(s, i))
            row[ledger_function_of(s, PILE(s->node_site, const uint32_t)[i] >> 2)] = 0;
    for (uint32_t i = 1; parts & LEDGER_SITES && i < s->slots; i++) {
        LedgerSlot *slot = &PILE(s->slot, LedgerSlot)[i];
        if (!slot_shown(s, i)) continue;
        slot->best = best_function(s, slot);
        row[slot->best] = 0;
    }
    counts_want(s, parts);
}

/* ---- functions ------------------------------------------------------------------------------- */

/* Parser and collector are on no call path: they retain what they made. So does, at least, a
 * function whose paths did not fit. */
static LmpTally retained_by(const Ledger *ledger, unsigned parts, uint32_t at) {
    const LedgerStore *s = ledger->store;
    const LmpTally *retained = &PILE(s->retained, const LmpTally)[at];
    bool pseudo = PILE(s->function, const LedgerFunction)[at].kind == LMP_F_PSEUDO;
    if (pseudo && ledger->stacks && parts & LEDGER_FUNCTIONS && !tally_any(retained))
        return PILE(s->function_sum, const LmpTally)[at];
    if (ledger->pathless && PILE(s->function_sum, const LmpTally)[at].allocs > retained->allocs)
        return PILE(s->function_sum, const LmpTally)[at];
    return *retained;
}

static void make_functions(Ledger *ledger, unsigned parts) {
    LedgerStore *s = ledger->store;
    SortPair *pair = PILE(s->pairs, SortPair);
    const LmpTally *sum = s->function_sum.data, *retained = s->retained.data;
    uint32_t n = 0, *row = PILE(s->function_row, uint32_t);
    for (uint32_t i = 1; i < s->functions; i++)
        if (row[i] != LEDGER_NO_ROW) pair[n++] = (SortPair){sum[i].bytes, i};
    pairsort(pair, pair + n, n);
    for (uint32_t i = 0; i < n; i++)
        pair[i].key = retained[pair[i].row].live_bytes;
    pairsort(pair, pair + n, n);
    for (uint32_t i = 0; i < n; i++)
        pair[i].key = sum[pair[i].row].live_bytes;
    pairsort(pair, pair + n, n);
    for (uint32_t i = 0; i < n; i++) {
        uint32_t at = pair[i].row;
        const LedgerFunction *f = &PILE(s->function, const LedgerFunction)[at];
        row[at] = i;
        ledger->function[i] = (LmpFunctionRow){
            .id = at,
            .source = f->source.safe,
            .raw_source = f->source.raw,
            .short_src = f->short_src,
            .name = f->name,
            .linedefined = f->linedefined,
            .is_c = f->kind == LMP_F_C,
            .shallow = sum[at],
            .retained = retained_by(ledger, parts, at),
            .calls = PILE(s->calls, const uint64_t)[at],
        };
    }
    ledger->functions = n;
}

/* ---- sites ----------------------------------------------------------------------------------- */

static void make_details(Ledger *ledger, const LedgerSlot *slot, LmpSiteRow *out) {
    const LedgerStore *s = ledger->store;
    const LmpTally *sum = s->detail_sum.data;
    SortPair *pair = PILE(s->pairs, SortPair);
    uint32_t n = 0;
    bool called = false;
    for (uint32_t i = slot->first_detail; i; i = PILE(s->detail, const LedgerDetail)[i].next) {
        if (!tally_any(&sum[i])) continue;
        pair[n++] = (SortPair){sum[i].live_bytes, i};
        called |= PILE(s->detail, const LedgerDetail)[i].cfunction != 0;
    }
    out->first_detail = ledger->details;
    out->details = called ? n : 0;
    pairsort(pair, pair + n, n);
    for (uint32_t i = 0; i < out->details; i++) {
        uint32_t c = PILE(s->detail, const LedgerDetail)[pair[i].row].cfunction;
        ledger->detail[ledger->details++] = (LmpSiteDetail){
            c ? PILE(s->function, const LedgerFunction)[c].detail : "", sum[pair[i].row], c};
    }
}

/* Returns live bytes and blocks after full collections, over all rows of the line. */
static const uint64_t *make_grown(const Ledger *ledger, const LmpTables *t, const LedgerSlot *slot,
                                  uint32_t at, const uint8_t *live_history_slot) {
    const LedgerStore *s = ledger->store;
    static const uint64_t nothing[2 * LMP_LIVE_HISTORY];
    if (ledger->live_history_rows == 0) return nothing;
    uint64_t *out = PILE(s->out_live_history, uint64_t) + (size_t)at * 2 * LMP_LIVE_HISTORY;
    memset(out, 0, 2 * LMP_LIVE_HISTORY * sizeof *out);
    for (uint32_t row = slot->first_row; row; row = PILE(s->row, const LedgerRow)[row].next)
        for (uint32_t i = 0; i < ledger->live_history_rows; i++) {
            uint8_t in = live_history_slot[i]; /* NOLINT: i is below live_history_rows */
            out[i] += read_once64(&t->live_history[row][in]); /* NOLINT: as is this */
            out[LMP_LIVE_HISTORY + i] += read_once32(&t->live_history_blocks[row][in]);
        }
    return out;
}

static void make_site(Ledger *ledger, const LmpTables *t, uint32_t index, uint32_t at,
                      const uint8_t *live_history_slot) {
    LedgerStore *s = ledger->store;
    const LedgerSlot *slot = &PILE(s->slot, const LedgerSlot)[index];
    const LedgerSlotSum *sum = &PILE(s->slot_sum, const LedgerSlotSum)[index];
    const LedgerFunction *f = &PILE(s->function, const LedgerFunction)[slot->best];
    LmpSiteRow *out = &ledger->site[at];
    *out = (LmpSiteRow){
        .id = slot->id,
        .function = PILE(s->function_row, const uint32_t)[slot->best],
        .source = f->source.safe,
        .raw_source = f->source.raw,
        .short_src = f->short_src,
        .func = f->name,
        .line = slot->line,
        .text = slot->text,
        .tally = sum->tally,
        .here_reallocs = sum->here_reallocs,
        .here_frees = sum->here_frees,
        .here_free_bytes = sum->here_free_bytes,
        .here_realloc_bytes = sum->here_realloc_bytes,
        .instructions = PILE(s->slot_run, const uint64_t)[index],
    };
    if (s->brief) return;
    const LedgerSlotKinds *kinds = &PILE(s->slot_kinds, const LedgerSlotKinds)[index];
    out->kind = ledger_kinds_at(&s->kinds, kinds->at);
    out->kinds = (uint8_t)kinds->kinds;
    out->live_history = make_grown(ledger, t, slot, at, live_history_slot);
    out->live_history_blocks = out->live_history + LMP_LIVE_HISTORY;
    make_details(ledger, slot, out);
}

/* Lists the rows of `grown` that there are, and the slots that have them. The program may add
 * another row meanwhile; the slots of this list are overwritten only by the row after that. */
static void make_cycles(Ledger *ledger, const LmpTables *t, uint8_t slot[LMP_LIVE_HISTORY]) {
    const LmpTablesUsed *u = tables_used(t);
    uint64_t made = read_once64(&u->live_history);
    atomic_thread_fence(memory_order_acquire);
    const struct LmpLiveHistoryList *list = &u->live_history_list[made % 2];
    uint32_t rows = read_once32(&list->rows);
    ledger->live_history_rows = made == 0                 ? 0
                                : rows < LMP_LIVE_HISTORY ? rows
                                                          : LMP_LIVE_HISTORY - 1;
    for (uint32_t i = 0; i < ledger->live_history_rows; i++) {
        slot[i] = *(const volatile uint8_t *)&list->slot[i] % LMP_LIVE_HISTORY;
        ledger->live_history_clock[i] = read_once64(&u->live_history_clock[slot[i]]);
        ledger->live_history_work[i] = read_once64(&u->live_history_work[slot[i]]);
        ledger->live_history_cycle[i] = read_once64(&u->live_history_cycle[slot[i]]);
    }
    ledger->live_history_top = read_once64(&u->live_history_top);
    ledger->gc_mode = read_once32(&t->live->gc.mode);
}

static void make_sites(Ledger *ledger, const LmpTables *t) {
    LedgerStore *s = ledger->store;
    SortPair *pair = PILE(s->pairs, SortPair);
    const LedgerSlotSum *sum = s->slot_sum.data;
    uint32_t n = 0, *row = PILE(s->slot_row, uint32_t);
    uint8_t live_history_slot[LMP_LIVE_HISTORY];
    make_cycles(ledger, t, live_history_slot);
    for (uint32_t i = 1; i < s->slots; i++) {
        row[i] = LEDGER_NO_ROW;
        if (slot_shown(s, i)) pair[n++] = (SortPair){sum[i].tally.bytes, i};
    }
    pairsort(pair, pair + n, n);
    for (uint32_t i = 0; i < n; i++)
        pair[i].key = sum[pair[i].row].tally.live_bytes;
    pairsort(pair, pair + n, n);
    for (uint32_t i = 0; i < n; i++)
        row[pair[i].row] = i;
    ledger->sites = n;
    for (uint32_t i = 1; i < s->slots; i++) /* not by pairs: details are sorted there */
        if (row[i] != LEDGER_NO_ROW) make_site(ledger, t, i, row[i], live_history_slot);
}

/* ---- tags ------------------------------------------------------------------------------------ */

static void make_tags(Ledger *ledger) {
    LedgerStore *s = ledger->store;
    SortPair pair[2 * LMP_TAGS];
    uint32_t n = 0;
    for (uint32_t i = 1; i < LMP_TAGS; i++)
        if (s->tag[i] && tally_any(&s->tag_sum[i]))
            pair[n++] = (SortPair){s->tag_sum[i].live_bytes, i};
    if (n > 0 && tally_any(&s->tag_sum[0])) pair[n++] = (SortPair){s->tag_sum[0].live_bytes, 0};
    pairsort(pair, pair + n, n);
    for (uint32_t i = 0; i < n; i++)
        ledger->tag[i] = (LmpTagRow){pair[i].row, s->tag[pair[i].row], s->tag_sum[pair[i].row]};
    ledger->tags = n;
}

/* Copies what sites have under one tag: each record is of one site and one tag. */
static void make_tagged(Ledger *ledger) {
    LedgerStore *s = ledger->store;
    if (!s->tag_lines || !s->slots) return;
    LmpTally *out = s->out_tagged.data;
    for (uint32_t i = 1; i < s->slots; i++) {
        uint32_t row = PILE(s->slot_row, const uint32_t)[i];
        if (row != LEDGER_NO_ROW) out[row] = PILE(s->tag_slot, const LmpTally)[i];
    }
    ledger->tagged = out;
    ledger->tagged_of = s->of_tag;
}

void rows_make(Ledger *ledger, const LmpTables *t, unsigned parts) {
    ledger->sites = ledger->functions = ledger->tags = ledger->details = 0;
    ledger->tagged = NULL;
    if (parts & (LEDGER_SITES | LEDGER_FUNCTIONS | LEDGER_TREE | LEDGER_EDGES)) {
        want_functions(ledger->store, parts);
        make_functions(ledger, parts);
    }
    if (parts & LEDGER_SITES) make_sites(ledger, t);
    make_tagged(ledger);
    if (parts & LEDGER_TAGS) make_tags(ledger);
}
