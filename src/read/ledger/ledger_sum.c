/* ledger_sum.c - the tally of a record; goes through all records once and adds each to its slot
 * (the sites of one line), its detail (the C function called there), its function and its tag; all
 * sums of a whole are made of the details. And the array of the ledger (ledger_impl.h). */
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "read/ledger/ledger_impl.h"

/* ---- arrays ---------------------------------------------------------------------------------- */

bool ledger_pile_reserve(LedgerPile *pile, size_t n, size_t size) {
    return n <= pile->room || array_grow(&pile->data, &pile->room, n, size);
}

void ledger_pile_free(LedgerPile *pile) {
    free(pile->data);
    *pile = (LedgerPile){0};
}

/* ---- tallies --------------------------------------------------------------------------------- */

bool tally_any(const LmpTally *t) {
    return t->allocs || t->frees || t->reallocs || t->live_bytes || t->peak_bytes;
}

void tally_take(LmpTally *now, const LmpTally *then) {
    LmpThen before = {then->allocs, tally_made(then), then->live_bytes};
    tally_sub(now, then);
    now->peak_bytes = 0;
    now->was = now->mark = before;
}

LedgerPeak sum_peak(const LmpLive *live) {
    const LmpCounters *c = &live->counters;
    uint64_t kept = read_once64(&c->peak_kept), peak = read_once64(&c->peak_bytes);
    return (LedgerPeak){read_once32(&c->peak_serial),
                        read_once64(&c->live_bytes) > (peak > kept ? peak : kept)};
}

LmpTally tally_of(const LmpUsage *use, LedgerPeak peak) {
    /* Frees first: with a running program they are then the older figure. */
    LmpTally t = {.frees = read_once64(&use->frees), .free_bytes = read_once64(&use->free_bytes)};
    t.temporary = read_once64(&use->temporary);
    t.short_lived = read_once64(&use->short_lived);
    bool noted = read_once32(&use->peak_serial) == peak.serial;
    t.peak_bytes = read_once64(&use->peak_bytes);
    t.reallocs = read_once64(&use->reallocs);
    uint64_t resized = read_once64(&use->realloc_bytes);
    uint64_t bytes = read_once64(&use->bytes);
    t.allocs = read_once64(&use->allocs);
    t.bytes = bytes - resized;
    t.realloc_bytes = (int64_t)resized;
    t.live_blocks = t.allocs > t.frees ? t.allocs - t.frees : 0;
    t.live_bytes = bytes > t.free_bytes ? bytes - t.free_bytes : 0;
    if (peak.now || !noted) t.peak_bytes = t.live_bytes;
    return t;
}

/* ---- sums ------------------------------------------------------------------------------------ */

bool ledger_kinds_reserve(LedgerKinds *k, size_t places) {
    while ((size_t)k->chunks * LEDGER_KIND_ROOM < places) {
        if (k->chunks == sizeof k->chunk / sizeof k->chunk[0]) return false;
        k->chunk[k->chunks] = malloc(LEDGER_KIND_ROOM * sizeof *k->chunk[0]);
        if (!k->chunk[k->chunks]) return false;
        k->chunks++;
    }
    return true;
}

static uint32_t row_of(const LedgerStore *s, const LmpRecord *r) {
    uint32_t row = read_once32(&r->site);
    return row == 0 || row >= s->rows ? LEDGER_OTHERS : row;
}

/* Gives each slot places for the kinds that it may have, in one chunk. */
static bool place_kinds(LedgerStore *s, const LmpTables *t, bool once) {
    LedgerSlotKinds *of = s->slot_kinds.data;
    for (uint32_t i = 0; i < s->slots; i++)
        of[i].kinds = once ? 0 : LEDGER_ALL_KINDS;
    for (uint32_t i = 1; once && s->rows > LEDGER_OTHERS && i < s->records; i++) {
        const LmpRecord *r = &t->record[i];
        unsigned cls = *(const volatile uint16_t *)&r->use.cls;
        of[PILE(s->row, const LedgerRow)[row_of(s, r)].slot].kinds |=
            1u << class_owner(cls) | 1u << class_tag(cls);
    }
    uint32_t used = 0;
    for (uint32_t i = 0; i < s->slots; i++) {
        uint32_t n = (uint32_t)__builtin_popcount(of[i].kinds), left = used % LEDGER_KIND_ROOM;
        if (left + n > LEDGER_KIND_ROOM) used += LEDGER_KIND_ROOM - left;
        of[i].at = used;
        used += n;
    }
    s->kinds.used = used;
    return ledger_kinds_reserve(&s->kinds, (size_t)used + 1);
}

bool sum_reserve(LedgerStore *s, const LmpTables *t, unsigned parts) {
    bool brief = !(parts & LEDGER_SITES) || parts & LEDGER_BRIEF;
    return (brief || (ledger_pile_reserve(&s->slot_kinds, s->slots, sizeof(LedgerSlotKinds)) &&
                      place_kinds(s, t, parts & LEDGER_ONCE))) &&
           ledger_pile_reserve(&s->slot_sum, s->slots, sizeof(LedgerSlotSum)) &&
           ledger_pile_reserve(&s->detail_sum, s->details, sizeof(LmpTally)) &&
           ledger_pile_reserve(&s->function_sum, s->functions, sizeof(LmpTally)) &&
           ledger_pile_reserve(&s->row_bytes, s->rows, sizeof(uint64_t));
}

static void add_record(LedgerStore *s, const LmpTables *tables, uint32_t record, LedgerPeak peak) {
    const LmpRecord *r = &tables->record[record];
    uint32_t row = row_of(s, r);
    if (row >= s->rows) return; /* the table is empty */
    const LedgerRow *at = &PILE(s->row, LedgerRow)[row];
    LmpTally t = tally_of(&r->use, peak);
    unsigned cls = *(const volatile uint16_t *)&r->use.cls;
    unsigned tag = *(const volatile uint16_t *)&r->use.tag;
    if (tag >= s->tags) tag = 0;
    moment_record(s, record, &t);

    tally_add(&PILE(s->detail_sum, LmpTally)[at->detail], &t);
    tally_add(&PILE(s->function_sum, LmpTally)[at->function], &t);
    tally_add(&s->tag_sum[tag], &t);
    if (s->tag_lines && tag == s->of_tag) tally_add(&PILE(s->tag_slot, LmpTally)[at->slot], &t);
    if (cls < LMP_C_COUNTED) tally_add(&s->of_class[cls], &t);
    PILE(s->row_bytes, uint64_t)[row] += tally_made(&t);

    LedgerSlotSum *slot = &PILE(s->slot_sum, LedgerSlotSum)[at->slot];
    if (!s->brief) {
        const LedgerSlotKinds *kinds = &PILE(s->slot_kinds, const LedgerSlotKinds)[at->slot];
        LmpKindTally *kind = ledger_kinds_at(&s->kinds, kinds->at);
        unsigned owner = class_owner(cls), of_tag = class_tag(cls);
        if (kinds->kinds >> owner & 1)
            tally_add(&kind[ledger_kind_place(kinds->kinds, owner)].tally, &t);
        if (kinds->kinds >> of_tag & 1)
            kind[ledger_kind_place(kinds->kinds, of_tag)].tag_allocs += t.allocs;
    }
    slot->here_reallocs += read_once64(&r->here_reallocs);
    slot->here_realloc_bytes =
        (int64_t)((uint64_t)slot->here_realloc_bytes + read_once64(&r->here_realloc_bytes));
    slot->here_frees += read_once64(&r->here_frees);
    slot->here_free_bytes += read_once64(&r->here_free_bytes);
}

/* Counts for the collector all that no line has freed. Samples do not tell. */
static void sum_collector(LedgerStore *s, const LmpTables *t) {
    uint32_t row = LMP_SITE_COLLECTOR;
    bool told = tables_used(t)->lines == LMP_LINES_EXACT && tables_used(t)->sample == 0;
    if (!told || row >= s->rows) return;
    uint32_t function = read_once32(&t->site[row].function);
    if (function >= s->functions || read_once32(&t->function[function].kind) != LMP_F_PSEUDO)
        return;
    uint64_t frees = 0, bytes = 0;
    for (uint32_t i = 1; i < s->slots; i++) {
        const LedgerSlotSum *slot = &PILE(s->slot_sum, const LedgerSlotSum)[i];
        frees += slot->tally.frees - slot->here_frees;
        bytes += slot->tally.free_bytes - slot->here_free_bytes;
    }
    LedgerSlotSum *own = &PILE(s->slot_sum, LedgerSlotSum)[PILE(s->row, const LedgerRow)[row].slot];
    if ((int64_t)frees > 0) own->here_frees += frees;
    if ((int64_t)bytes > 0) own->here_free_bytes += bytes;
}

static void clear_kinds(LedgerStore *s) {
    for (uint32_t at = 0; !s->brief && at < s->kinds.used; at += LEDGER_KIND_ROOM) {
        uint32_t left = s->kinds.used - at, n = left < LEDGER_KIND_ROOM ? left : LEDGER_KIND_ROOM;
        memset(ledger_kinds_at(&s->kinds, at), 0, n * sizeof(LmpKindTally));
    }
}

void sum_records(LedgerStore *s, const LmpTables *t) {
    clear_kinds(s);
    memset(s->slot_sum.data, 0, s->slots * sizeof(LedgerSlotSum));
    memset(s->detail_sum.data, 0, s->details * sizeof(LmpTally));
    memset(s->function_sum.data, 0, s->functions * sizeof(LmpTally));
    memset(s->row_bytes.data, 0, s->rows * sizeof(uint64_t));
    memset(s->tag_sum, 0, sizeof s->tag_sum);
    memset(s->of_class, 0, sizeof s->of_class);
    if (s->tag_lines) memset(s->tag_slot.data, 0, s->slots * sizeof(LmpTally));
    LedgerPeak peak = sum_peak(t->live);
    for (uint32_t i = 1; i < s->records; i++)
        add_record(s, t, i, peak);
    s->all = (LmpTally){0};
    for (uint32_t i = 1; i < s->details; i++) {
        const LmpTally *sum = &PILE(s->detail_sum, LmpTally)[i];
        tally_add(
            &PILE(s->slot_sum, LedgerSlotSum)[PILE(s->detail, const LedgerDetail)[i].slot].tally,
            sum);
        tally_add(&s->all, sum);
    }
    sum_collector(s, t);
}

void ledger_totals(const Ledger *ledger, LmpStats *stats) {
    LmpClassTotal total[LMP_CLASSES] = {0};
    LmpTally classed = {0};
    bool every = ledger->store && ledger->lines != LMP_LINES_OFF && ledger->sample == 0;
    if (!every || stats->lines_end_seconds > 0) return;
    for (unsigned cls = 1; cls < LMP_C_COUNTED; cls++) {
        const LmpTally *t = &ledger->of_class[cls];
        total[cls] = (LmpClassTotal){t->allocs,   t->bytes,         t->frees,       t->free_bytes,
                                     t->reallocs, t->realloc_bytes, t->live_blocks, t->live_bytes};
        tally_add(&classed, t);
    }
    /* Records that damage has taken have no class any more. */
    if (classed.allocs != ledger->all.allocs) return;
    stats_set_totals(stats, total);
}
