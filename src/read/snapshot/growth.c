/* growth.c - a row for each name, by its key (compare.h), with a column for each step. */
#include "read/snapshot/growth.h"

#include <stdlib.h>
#include <string.h>

/* Makes rows for all names of a step that have none; those of a name that is new here have not
 * grown before. Returns false if there is no memory. */
static bool make_rows(LmpHeapGrowth *g, const LmpHeapCompare *step) {
    uint32_t need = g->rows + step->changes;
    if (need > g->room) {
        int64_t *more = realloc(g->bytes, (size_t)need * LMP_GROWTH_STEPS * sizeof *more);
        if (!more) return false;
        g->bytes = more;
        g->room = need;
    }
    for (uint32_t i = 0; i < step->changes; i++) {
        uint64_t key = compare_key(&step->change[i], g->by);
        if (keymap_get(&g->row_of, key, UINT32_MAX) != UINT32_MAX) continue;
        if (!keymap_set(&g->row_of, key, g->rows)) return false;
        memset(g->bytes + (size_t)g->rows * LMP_GROWTH_STEPS, 0,
               LMP_GROWTH_STEPS * sizeof *g->bytes);
        g->rows++;
    }
    return true;
}

LmpErr growth_add_compared(LmpHeapGrowth *g, const LmpSnapshot *old, const LmpSnapshot *newer,
                           const LmpHeapCompare *step) {
    if (g->steps == LMP_GROWTH_STEPS) return LMP_E_BUSY;
    if (!make_rows(g, step)) return LMP_E_NOMEM;
    if (g->steps == 0) {
        g->number = old->info.number;
        g->heap = old->reachable_bytes + old->garbage_bytes;
    }
    for (uint32_t i = 0; i < step->changes; i++) {
        uint32_t row = keymap_get(&g->row_of, compare_key(&step->change[i], g->by), 0);
        g->bytes[(size_t)row * LMP_GROWTH_STEPS + g->steps] = compare_growth(&step->change[i]);
    }
    g->foreign = g->foreign || !compare_same_run(old, newer);
    g->steps++;
    return LMP_OK;
}

LmpErr growth_add(LmpHeapGrowth *g, const LmpSnapshot *old, const LmpSnapshot *newer) {
    LmpHeapCompare step;
    LmpErr err = compare_any(&step, old, newer, g->by);
    if (err) return err;
    err = growth_add_compared(g, old, newer, &step);
    compare_free(&step);
    return err;
}

LmpErr growth_open(LmpHeapGrowth *g, LmpSnapshot *last, const char *const *file, uint32_t files,
                   LmpProgress *progress, const char **failed) {
    LmpErr err = LMP_OK;
    bool open = false;
    for (uint32_t i = 0; i < files && !err; i++) {
        LmpSnapshot next;
        *failed = file[i];
        if (progress) progress->part++;
        err = snapshot_open_told(&next, file[i], progress);
        if (!err && open) err = growth_add(g, last, &next);
        if (open) snapshot_close(last);
        open = !err;
        *last = next; /* closed, all zeroes, if it could not be opened */
    }
    if (err) snapshot_close(last);
    return err;
}

void growth_free(LmpHeapGrowth *g) {
    keymap_free(&g->row_of);
    free(g->bytes);
    *g = (LmpHeapGrowth){.by = g->by};
}

int64_t growth_of(const LmpHeapGrowth *g, const LmpHeapChange *name, uint32_t step) {
    uint32_t row = keymap_get(&g->row_of, compare_key(name, g->by), UINT32_MAX);
    return row == UINT32_MAX ? 0 : g->bytes[(size_t)row * LMP_GROWTH_STEPS + step];
}

int64_t growth_all(const LmpHeapGrowth *g, const LmpHeapChange *name, bool *each) {
    int64_t all = 0;
    *each = true;
    for (uint32_t step = 0; step < g->steps; step++) {
        int64_t grown = growth_of(g, name, step);
        all += grown;
        *each = *each && grown > 0;
    }
    return all;
}
