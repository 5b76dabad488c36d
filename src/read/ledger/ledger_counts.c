/* ledger_counts.c - calls, instructions and overrides (ledger_impl.h). Rows of the shared state are
 * copied once; what refers to nothing known goes to "(others)", or where there is none is left
 * out. */
#include <string.h>

#include "read/ledger/ledger_impl.h"

/* ---- room ------------------------------------------------------------------------------------ */

bool counts_reserve(Ledger *ledger, unsigned parts) {
    LedgerStore *s = ledger->store;
    if (!ledger_pile_reserve(&s->slot_run, s->slots, sizeof(uint64_t)) ||
        !ledger_pile_reserve(&s->calls, s->functions, sizeof(uint64_t)))
        return false;
    if (parts & LEDGER_EDGES) {
        if (!ledger_pile_reserve(&s->edge_copy, s->edges, sizeof(LmpEdge)) ||
            !ledger_pile_reserve(&s->out_edge, s->edges, sizeof(LmpEdgeRow)))
            return false;
        ledger->edge = s->out_edge.data;
    }
    if (!(parts & LEDGER_OVERRIDES)) return true;
    /* what the collector did is a row for each site more */
    size_t most = (size_t)s->overrides + s->slots;
    if (!ledger_pile_reserve(&s->override_copy, most, sizeof(LmpOverride)) ||
        !ledger_pile_reserve(&s->out_override, most, sizeof(LmpOverrideRow)))
        return false;
    ledger->override = s->out_override.data;
    return true;
}

/* ---- sums ------------------------------------------------------------------------------------ */

static void sum_calls(Ledger *ledger, const LmpTables *t) {
    LedgerStore *s = ledger->store;
    uint64_t *calls = PILE(s->calls, uint64_t);
    memset(calls, 0, s->functions * sizeof *calls);
    if (!(ledger->counts & LMP_COUNTS_CALLS)) return;
    uint32_t n = tables_functions(t);
    for (uint32_t i = 1; i < s->functions && i < n; i++)
        ledger->calls += calls[i] = read_once64(&t->function[i].calls);
}

static void sum_instructions(Ledger *ledger, const LmpTables *t) {
    LedgerStore *s = ledger->store;
    uint64_t *run = PILE(s->slot_run, uint64_t);
    memset(run, 0, s->slots * sizeof *run);
    if (!(ledger->counts & LMP_COUNTS_INSTRUCTIONS)) return;
    for (uint32_t row = 1; row < s->rows; row++) {
        uint64_t n = read_once64(&t->instructions[row]);
        run[PILE(s->row, const LedgerRow)[row].slot] += n;
        ledger->instructions += n;
    }
}

static void copy_edges(LedgerStore *s, const LmpTables *t) {
    LmpEdge *copy = PILE(s->edge_copy, LmpEdge);
    for (uint32_t i = 1; i < s->edges; i++) {
        const LmpEdge *from = &t->edge[i];
        copy[i] = (LmpEdge){read_once32(&from->site), read_once32(&from->function),
                            read_once64(&from->calls)};
        if (copy[i].site == 0 || copy[i].site >= s->rows) copy[i].site = LEDGER_OTHERS;
        if (copy[i].function == 0 || copy[i].function >= s->functions)
            copy[i].function = LEDGER_OTHERS;
        if (copy[i].site >= s->rows) copy[i].calls = 0; /* not even that */
    }
}

static void copy_overrides(LedgerStore *s, const LmpTables *t) {
    LmpOverride *copy = PILE(s->override_copy, LmpOverride);
    for (uint32_t i = 1; i < s->overrides; i++) {
        const LmpOverride *from = &t->override[i];
        copy[i] = (LmpOverride){
            read_once32(&from->made),       read_once32(&from->here),
            read_once64(&from->frees),      read_once64(&from->free_bytes),
            read_once64(&from->reallocs),   (int64_t)read_once64(&from->realloc_bytes),
            read_once64(&from->realloc_old)};
        if (copy[i].made == 0 || copy[i].made >= s->rows) copy[i].made = LEDGER_OTHERS;
        if (copy[i].here == 0 || copy[i].here >= s->rows) copy[i].here = LEDGER_OTHERS;
        if (s->rows <= LEDGER_OTHERS) copy[i] = (LmpOverride){0};
    }
}

void counts_sum(Ledger *ledger, const LmpTables *t, unsigned parts) {
    const LmpTablesUsed *used = tables_used(t);
    ledger->counts = read_once32(&used->counts);
    ledger->hook_lost = read_once64(&used->hook_lost);
    ledger->calls = ledger->instructions = 0;
    sum_calls(ledger, t);
    sum_instructions(ledger, t);
    if (parts & LEDGER_EDGES) copy_edges(ledger->store, t);
    if (parts & LEDGER_OVERRIDES) copy_overrides(ledger->store, t);
}

/* ---- rows ------------------------------------------------------------------------------------ */

void counts_want(LedgerStore *s, unsigned parts) {
    uint32_t *row = PILE(s->function_row, uint32_t);
    for (uint32_t i = 1; parts & (LEDGER_FUNCTIONS | LEDGER_EDGES) && i < s->functions; i++)
        if (PILE(s->calls, const uint64_t)[i]) row[i] = 0;
    for (uint32_t i = 1; parts & LEDGER_EDGES && i < s->edges; i++) {
        const LmpEdge *edge = &PILE(s->edge_copy, const LmpEdge)[i];
        if (!edge->calls) continue;
        row[PILE(s->row, const LedgerRow)[edge->site].function] = 0;
        row[edge->function] = 0;
    }
}

static void make_edges(Ledger *ledger, unsigned parts) {
    const LedgerStore *s = ledger->store;
    const LmpEdge *edge = s->edge_copy.data;
    const uint32_t *function_row = s->function_row.data;
    SortPair *pair = PILE(s->pairs, SortPair);
    uint32_t n = 0;
    for (uint32_t i = 1; i < s->edges; i++)
        if (edge[i].calls) pair[n++] = (SortPair){edge[i].calls, i};
    pairsort(pair, pair + n, n);
    for (uint32_t i = 0; i < n; i++) {
        const LmpEdge *of = &edge[pair[i].row];
        const LedgerRow *from = &PILE(s->row, const LedgerRow)[of->site];
        uint32_t site =
            parts & LEDGER_SITES ? ledger_row_of_slot(ledger, from->slot) : LEDGER_NO_ROW;
        ledger->edge[i] = (LmpEdgeRow){.caller = function_row[from->function],
                                       .callee = function_row[of->function],
                                       .line = PILE(s->slot, const LedgerSlot)[from->slot].line,
                                       .site = site,
                                       .calls = of->calls};
    }
    ledger->edges = n;
}

/* The rows of two lines, in the order of the sites. Lines without a row have nothing that was ever
 * freed or changed. */
static bool override_key(const Ledger *ledger, const LmpOverride *o, uint64_t *key) {
    const LedgerRow *row = ledger->store->row.data;
    uint32_t made = ledger_row_of_slot(ledger, row[o->made].slot);
    uint32_t here = ledger_row_of_slot(ledger, row[o->here].slot);
    *key = (uint64_t)made << 32 | here;
    return made != LEDGER_NO_ROW && here != LEDGER_NO_ROW;
}

static void add_override(LmpOverrideRow *sum, const LmpOverride *o) {
    sum->frees += o->frees;
    sum->free_bytes += o->free_bytes;
    sum->reallocs += o->reallocs;
    sum->realloc_old += o->realloc_old;
    sum->realloc_bytes = (int64_t)((uint64_t)sum->realloc_bytes + (uint64_t)o->realloc_bytes);
}

/* Sets what each line has lost that no line has freed. */
static uint32_t add_collector(const Ledger *ledger, uint32_t n) {
    const LedgerStore *s = ledger->store;
    uint32_t known = n, i = 0;
    if (LMP_SITE_COLLECTOR >= s->rows) return n;
    uint32_t slot = PILE(s->row, const LedgerRow)[LMP_SITE_COLLECTOR].slot;
    uint32_t collector = ledger_row_of_slot(ledger, slot);
    if (collector == LEDGER_NO_ROW) return n;
    /* `known` rows are in rising order of (made, here) */
    for (uint32_t made = 0; made < ledger->sites; made++) {
        LmpOverrideRow row = {.made = made, .here = collector};
        row.frees = ledger->site[made].tally.frees;
        row.free_bytes = ledger->site[made].tally.free_bytes;
        for (; i < known && ledger->override[i].made == made; i++) {
            row.frees -= ledger->override[i].frees;
            row.free_bytes -= ledger->override[i].free_bytes;
        }
        if ((int64_t)row.frees > 0) ledger->override[n++] = row;
    }
    return n;
}

static uint64_t weight(const LmpOverrideRow *o) {
    uint64_t changed = (uint64_t)o->realloc_bytes;
    return o->free_bytes + (o->realloc_bytes < 0 ? 0 - changed : changed);
}

static void make_overrides(Ledger *ledger) {
    LedgerStore *s = ledger->store;
    const LmpOverride *from = s->override_copy.data;
    SortPair *pair = PILE(s->pairs, SortPair);
    uint32_t n = 0, rows = 0;
    uint64_t key;
    for (uint32_t i = 1; i < s->overrides; i++)
        if ((from[i].frees || from[i].reallocs) && override_key(ledger, &from[i], &key))
            pair[n++] = (SortPair){~key, i}; /* the largest comes first */
    pairsort(pair, pair + n, n);
    for (uint32_t i = 0; i < n; i++) {
        key = ~pair[i].key;
        if (i == 0 || pair[i - 1].key != pair[i].key)
            ledger->override[rows++] =
                (LmpOverrideRow){.made = (uint32_t)(key >> 32), .here = (uint32_t)key};
        add_override(&ledger->override[rows - 1], &from[pair[i].row]);
    }
    rows = add_collector(ledger, rows);
    for (uint32_t i = 0; i < rows; i++)
        pair[i] = (SortPair){weight(&ledger->override[i]), i};
    pairsort(pair, pair + rows, rows);
    LmpOverrideRow *sorted = (void *)PILE(s->override_copy, LmpOverride); /* not needed any more */
    _Static_assert(sizeof(LmpOverrideRow) == sizeof(LmpOverride), "they share the room");
    for (uint32_t i = 0; i < rows; i++)
        sorted[i] = ledger->override[pair[i].row];
    memcpy(ledger->override, sorted, rows * sizeof *sorted);
    ledger->overrides = rows;
}

void counts_make(Ledger *ledger, unsigned parts) {
    ledger->edges = ledger->overrides = 0;
    if (parts & LEDGER_EDGES && ledger->counts & LMP_COUNTS_CALLS) make_edges(ledger, parts);
    bool overrides = ledger->counts & LMP_COUNTS_OVERRIDES && ledger->sites > 0;
    if (parts & LEDGER_OVERRIDES && parts & LEDGER_SITES && overrides) make_overrides(ledger);
}
