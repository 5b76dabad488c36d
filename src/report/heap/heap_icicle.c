/* heap_icicle.c - bytes by the folded path that holds them as a page: each step's width is what is
 * reached through it. Paths that hold next to nothing are left to the row above them. */
#include <stdlib.h>
#include <string.h>

#include "report/heap/heapreport_impl.h"

enum { SMALLEST = 10000, ROWS = 20000 };

typedef struct Sums {
    uint64_t *all;
    uint32_t *objects;
    uint32_t *page; /* of each row of the tree: its row of the page */
} Sums;

static void sum_up(const HeapHolders *h, Sums *sums) {
    for (uint32_t i = 0; i < h->rows; i++) {
        sums->all[i] = h->row[i].size;
        sums->objects[i] = (uint32_t)h->row[i].objects;
    }
    for (uint32_t i = h->rows; i-- > 1;) {
        sums->all[h->row[i].parent] += sums->all[i];
        sums->objects[h->row[i].parent] += sums->objects[i];
    }
}

static uint32_t make_rows(const HeapHolders *h, const HeapRedact *r, const LmpSnapshot *s,
                          Sums *sums, HeapPageRow *row) {
    uint32_t rows = 0;
    uint64_t least = sums->all[0] / SMALLEST;
    for (uint32_t i = 0; i < h->rows; i++) {
        uint32_t above = sums->page[h->row[i].parent];
        bool shown = i == 0 || (sums->all[i] > least && above != LMP_HEAP_NONE && rows < ROWS);
        sums->page[i] = shown ? rows : LMP_HEAP_NONE;
        if (!shown) continue;
        HeapPageRow *now = &row[rows++];
        *now = (HeapPageRow){.parent = i ? above : 0,
                             .kind = (uint8_t)snapshot_kind(s, h->row[i].sample),
                             .size = h->row[i].size,
                             .all = sums->all[i],
                             .objects = sums->objects[i]};
        holders_text(h, r, s, i, now->name, sizeof now->name);
        if (h->row[i].sample) snapshot_site(s, h->row[i].sample, now->site, sizeof now->site);
    }
    return rows;
}

LmpErr heap_icicle(const HeapReport *report, FILE *out) {
    HeapHolders h = {0};
    HeapRedact redact;
    LmpErr err = redact_open(&redact, report);
    if (!err) err = holders_make(&h, report->s);
    Sums sums = {calloc((size_t)h.rows + 1, sizeof *sums.all),
                 calloc((size_t)h.rows + 1, sizeof *sums.objects),
                 calloc((size_t)h.rows + 1, sizeof *sums.page)};
    HeapPageRow *row = malloc((ROWS + 1) * sizeof *row);
    if (!err && (!sums.all || !sums.objects || !sums.page || !row)) err = LMP_E_NOMEM;
    if (!err) {
        sum_up(&h, &sums);
        uint32_t rows = make_rows(&h, &redact, report->s, &sums, row);
        err = page_write(&(HeapPage){"icicle", row, rows}, report, out);
    }
    free(sums.all);
    free(sums.objects);
    free(sums.page);
    free(row);
    holders_free(&h);
    redact_close(&redact);
    return err;
}
