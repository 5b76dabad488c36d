/* ledger_sum.c - sums the records up by site, C function called, function and tag; what changed
 * since the mark, and how fast (ledger_impl.h). */
#include <string.h>

#include "read/ledger/ledger_impl.h"

#define RATE_WINDOW 1000000000ull /* rates are over about this long, nanoseconds */
#define RATE_STEP 200000000ull    /* moments to derive them from are at least this far apart */

bool sum_reserve(LedgerStore *s) {
    return pile_reserve(&s->slot_sum, s->slots, sizeof(LedgerSlotSum)) &&
           pile_reserve(&s->detail_sum, s->details, sizeof(LmpTally)) &&
           pile_reserve(&s->function_sum, s->functions, sizeof(LmpTally)) &&
           pile_reserve(&s->row_bytes, s->rows, sizeof(uint64_t));
}

static void add_record(LedgerStore *s, const LmpRecord *r, LedgerPeak peak) {
    uint32_t row = read_once32(&r->site);
    if (row == 0 || row >= s->rows) row = LEDGER_OTHERS;
    if (row >= s->rows) return; /* not even that */
    const LedgerRow *at = &PILE(s->row, LedgerRow)[row];
    LmpTally t = tally_of(&r->use, &r->reallocs, &r->realloc_bytes, &r->temporary, peak);
    unsigned cls = *(const volatile uint16_t *)&r->use.cls;
    unsigned tag = *(const volatile uint16_t *)&r->use.tag;
    if (tag >= s->tags) tag = 0;

    tally_add(&PILE(s->detail_sum, LmpTally)[at->detail], &t);
    tally_add(&PILE(s->function_sum, LmpTally)[at->function], &t);
    tally_add(&s->tag_sum[tag], &t);
    PILE(s->row_bytes, uint64_t)[row] += t.free_bytes + t.live_bytes; /* growth included */

    LedgerSlotSum *slot = &PILE(s->slot_sum, LedgerSlotSum)[at->slot];
    LmpKindTally *owner = &slot->kind[class_owner(cls)];
    owner->allocs += t.allocs;
    owner->bytes += t.bytes;
    owner->live_blocks += t.live_blocks;
    owner->live_bytes += t.live_bytes;
    slot->kind[class_tag(cls)].tag_allocs += t.allocs;
    slot->here_reallocs += read_once64(&r->here_reallocs);
    slot->here_realloc_bytes =
        (int64_t)((uint64_t)slot->here_realloc_bytes + read_once64(&r->here_realloc_bytes));
    slot->here_frees += read_once64(&r->here_frees);
    slot->here_free_bytes += read_once64(&r->here_free_bytes);
}

/* What no line has freed the collector has. Samples tell nothing of it. */
static void sum_collector(LedgerStore *s, const LmpTables *t) {
    uint32_t row = LMP_SITE_COLLECTOR;
    bool told = t->live->tables.lines == LMP_LINES_EXACT && t->live->tables.sample == 0;
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

void sum_records(LedgerStore *s, const LmpTables *t) {
    memset(s->slot_sum.data, 0, s->slots * sizeof(LedgerSlotSum));
    memset(s->detail_sum.data, 0, s->details * sizeof(LmpTally));
    memset(s->function_sum.data, 0, s->functions * sizeof(LmpTally));
    memset(s->row_bytes.data, 0, s->rows * sizeof(uint64_t));
    memset(s->tag_sum, 0, sizeof s->tag_sum);
    s->summed_slots = s->slots;
    s->summed_functions = s->functions;
    LedgerPeak peak = peak_of(t->live);
    for (uint32_t i = 1; i < s->records; i++)
        add_record(s, &t->record[i], peak);
    for (uint32_t i = 1; i < s->details; i++)
        tally_add(
            &PILE(s->slot_sum, LedgerSlotSum)[PILE(s->detail, const LedgerDetail)[i].slot].tally,
            &PILE(s->detail_sum, LmpTally)[i]);
    sum_collector(s, t);
}

/* ---- rates ----------------------------------------------------------------------------------- */

/* Of the moments older than the window the youngest stays: it is what rates are against. */
static uint32_t stale(const LedgerStore *s, uint64_t clock) {
    uint32_t n = 0;
    while (n + 1 < s->moments && s->moment[n + 1].clock + RATE_WINDOW <= clock)
        n++;
    return n == 0 && s->moments == LEDGER_MOMENTS ? 1 : n;
}

bool moment_reserve(LedgerStore *s) {
    for (uint32_t i = 0; i < LEDGER_MOMENTS; i++)
        if (!pile_reserve(&s->moment[i].allocs, s->slots, sizeof(uint64_t))) return false;
    return true;
}

void moment_note(LedgerStore *s, uint64_t clock) {
    if (s->moments && clock < s->moment[s->moments - 1].clock) s->moments = 0; /* begun anew */
    for (uint32_t drop = stale(s, clock); drop > 0; drop--) {
        LedgerMoment first = s->moment[0];
        memmove(s->moment, s->moment + 1, (LEDGER_MOMENTS - 1) * sizeof first);
        s->moment[LEDGER_MOMENTS - 1] = first; /* its memory is used again */
        s->moments--;
    }
    if (s->moments && s->moment[s->moments - 1].clock + RATE_STEP > clock) return;
    LedgerMoment *m = &s->moment[s->moments++];
    m->clock = clock;
    m->slots = s->slots;
    for (uint32_t i = 0; i < s->slots; i++)
        PILE(m->allocs, uint64_t)[i] = PILE(s->slot_sum, LedgerSlotSum)[i].tally.allocs;
}

double moment_rate(const LedgerStore *s, uint32_t slot, uint64_t clock) {
    if (s->moments == 0 || s->moment[0].clock >= clock || s->clock == clock) return 0;
    const LedgerMoment *then = &s->moment[0];
    uint64_t before = slot < then->slots ? PILE(then->allocs, const uint64_t)[slot] : 0;
    uint64_t now = PILE(s->slot_sum, const LedgerSlotSum)[slot].tally.allocs;
    return now > before ? (double)(now - before) / ((double)(clock - then->clock) / 1e9) : 0;
}
