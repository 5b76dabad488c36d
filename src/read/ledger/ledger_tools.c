/* ledger_tools.c - arrays, a sort and sums of figures for the ledger (ledger_impl.h). */
#include <stdlib.h>
#include <string.h>

#include "read/ledger/ledger_impl.h"

bool pile_reserve(LedgerPile *pile, size_t n, size_t size) {
    if (n <= pile->room) return true;
    size_t room = pile->room ? pile->room : 64;
    while (room < n)
        room += room / 2;
    void *data = realloc(pile->data, room * size);
    if (!data) return false;
    pile->data = data;
    pile->room = room;
    return true;
}

/* ---- sort ------------------------------------------------------------------------------------ */

void pile_free(LedgerPile *pile) {
    free(pile->data);
    *pile = (LedgerPile){0};
}

static void insertion_sort(LedgerPair *pair, uint32_t n) {
    for (uint32_t i = 1; i < n; i++) {
        LedgerPair p = pair[i];
        uint32_t k = i;
        for (; k > 0 && pair[k - 1].key < p.key; k--)
            pair[k] = pair[k - 1];
        pair[k] = p;
    }
}

/* Sorts by one byte after the other, from the lowest on; bytes in which all keys agree are
 * skipped. */
void pairs_sort(LedgerPair *pair, uint32_t n, LedgerPair *room) {
    if (n < 48) {
        insertion_sort(pair, n);
        return;
    }
    uint64_t same = ~0ull, any = 0;
    for (uint32_t i = 0; i < n; i++) {
        same &= pair[i].key;
        any |= pair[i].key;
    }
    LedgerPair *from = pair, *to = room;
    for (unsigned shift = 0; shift < 64; shift += 8) {
        if (((same ^ any) >> shift & 255) == 0) continue;
        uint32_t at[256] = {0};
        for (uint32_t i = 0; i < n; i++)
            at[~(from[i].key >> shift) & 255]++;
        uint32_t sum = 0;
        for (int b = 0; b < 256; b++) {
            uint32_t count = at[b];
            at[b] = sum;
            sum += count;
        }
        for (uint32_t i = 0; i < n; i++)
            to[at[~(from[i].key >> shift) & 255]++] = from[i];
        LedgerPair *swap = from;
        from = to;
        to = swap;
    }
    if (from != pair) memcpy(pair, from, n * sizeof *pair);
}

/* ---- sums ------------------------------------------------------------------------------------ */

bool tally_any(const LmpTally *t) {
    return t->allocs || t->frees || t->reallocs || t->live_bytes || t->peak_bytes;
}

void tally_take(LmpTally *now, const LmpTally *then) {
    LmpThen before = {then->allocs, tally_made(then), then->live_bytes};
    tally_sub(now, then);
    now->peak_bytes = 0;
    now->was = now->mark = before;
}

LedgerPeak peak_of(const LmpLive *live) {
    const LmpCounters *c = &live->counters;
    uint64_t kept = read_once64(&c->peak_kept), peak = read_once64(&c->peak_bytes);
    return (LedgerPeak){read_once32(&c->peak_serial),
                        read_once64(&c->live_bytes) > (peak > kept ? peak : kept)};
}

LmpTally tally_of(const LmpUsage *use, const uint64_t *reallocs, const int64_t *realloc_bytes,
                  const uint64_t *temporary, LedgerPeak peak) {
    /* Frees first: with a running program they are then the older figure. */
    LmpTally t = {.frees = read_once64(&use->frees), .free_bytes = read_once64(&use->free_bytes)};
    t.temporary = read_once64(temporary);
    t.short_lived = read_once64(&use->short_lived);
    bool noted = read_once32(&use->peak_serial) == peak.serial;
    t.peak_bytes = read_once64(&use->peak_bytes);
    t.reallocs = read_once64(reallocs);
    uint64_t resized = read_once64(realloc_bytes);
    uint64_t bytes = read_once64(&use->bytes);
    t.allocs = read_once64(&use->allocs);
    t.bytes = bytes - resized;
    t.realloc_bytes = (int64_t)resized;
    t.live_blocks = t.allocs > t.frees ? t.allocs - t.frees : 0;
    t.live_bytes = bytes > t.free_bytes ? bytes - t.free_bytes : 0;
    if (peak.now || !noted) t.peak_bytes = t.live_bytes;
    return t;
}
