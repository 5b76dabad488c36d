/* compare.c - both heaps are in the order of their addresses, so who is the same is found by going
 * through both side by side; sums are then made by the names of groups. */
#include "read/snapshot/compare.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/rowindex.h"
#include "read/snapshot/snapshot_impl.h"

typedef struct Compare {
    const LmpSnapshot *old, *newer;
    LmpSnapshotBy by;
    LmpObjectGroups before, now; /* of both */
    SnapMemory memory;
    unsigned halved;                /* how often epochs of births were halved in between */
    uint32_t *row_before, *row_now; /* of their groups: row of change[] */
    uint64_t *kept;                 /* set of the older one's objects: they are in both */
    LmpSnapshotCompare *out;
} Compare;

/* ---- who is the same ------------------------------------------------------------------------- */

/* When the program runs for long, epochs become longer and all births are rewritten. */
static unsigned halvings(const LmpSnapshot *old, const LmpSnapshot *newer) {
    unsigned n = 0;
    if (!old->view || !newer->view) return 0;
    uint64_t length = old->view->live->epoch_length, now = newer->view->live->epoch_length;
    for (; length && length < now && n < 64; n++)
        length *= 2;
    return n;
}

static bool same_birth(const Compare *c, uint32_t was, uint32_t is) {
    uint32_t epoch = LMP_BLOCK_BIRTH(was), cycle = LMP_BLOCK_CYCLE(was);
    for (unsigned n = 0; n < c->halved && epoch > 1; n++)
        epoch = (epoch + 1) / 2;
    if (epoch != LMP_BLOCK_BIRTH(is)) return false;
    /* cycles only become lower when all are counted anew: then the epoch must do */
    return cycle == LMP_BLOCK_CYCLE(is) ||
           (cycle > LMP_BLOCK_CYCLE(is) && LMP_BLOCK_CYCLE(is) <= 2);
}

static bool same(const Compare *c, uint32_t a, uint32_t b) {
    const LmpObjectGraph *x = &c->old->g, *y = &c->newer->g;
    if (x->kind[a] != y->kind[b]) return false;
    if ((x->flags[a] ^ y->flags[b]) & LMP_OBJECT_BEFORE) return false;
    return same_birth(c, x->birth[a], y->birth[b]);
}

/* Lists objects begin to end of a heap by address, sorted here if they are not. NULL: no memory. */
static uint32_t *by_address(Compare *c, const LmpObjectGraph *g, uint32_t begin, uint32_t end,
                            bool sorted) {
    uint32_t n = end - begin;
    uint32_t *order = snap_memory_take(&c->memory, n, sizeof *order);
    if (!order) return NULL;
    if (sorted) {
        for (uint32_t i = 0; i < n; i++)
            order[i] = begin + i;
        return order;
    }
    SortPair *sized = snap_memory_take(&c->memory, n, 2 * sizeof *sized);
    if (!sized) return NULL;
    for (uint32_t i = 0; i < n; i++)
        sized[i] = (SortPair){~g->addr[begin + i], begin + i};
    pairsort(sized, sized + n, n);
    for (uint32_t i = 0; i < n; i++)
        order[i] = sized[i].row;
    return order;
}

typedef struct Section {
    uint32_t begin, end;
    bool sorted;
} Section;

static bool match(Compare *c, Section old, Section newer) {
    const LmpObjectGraph *x = &c->old->g, *y = &c->newer->g;
    uint32_t *a = by_address(c, x, old.begin, old.end, old.sorted);
    uint32_t *b = by_address(c, y, newer.begin, newer.end, newer.sorted);
    if (!a || !b) return false;
    uint32_t i = 0, k = 0, n = old.end - old.begin, m = newer.end - newer.begin;
    while (i < n && k < m) {
        if (x->addr[a[i]] < y->addr[b[k]]) {
            i++;
        } else if (x->addr[a[i]] > y->addr[b[k]]) {
            k++;
        } else {
            if (same(c, a[i], b[k])) {
                c->out->was[b[k]] = a[i];
                snap_set_add(c->kept, a[i]);
            }
            i++, k++;
        }
    }
    return true;
}

/* Lots have no address: they are the same by what they are. */
static void match_lots(Compare *c) {
    uint32_t lot[LMP_LOTS];
    const LmpSnapshot *old = c->old, *newer = c->newer;
    memset(lot, 0xff, sizeof lot);
    for (uint32_t i = snap_own(old)->before_end; i < old->g.objects; i++)
        if (old->g.kind[i] == LMP_OBJECT_LOT) lot[old->g.lot_what[old->ordinal[i]] % LMP_LOTS] = i;
    for (uint32_t i = snap_own(newer)->before_end; i < newer->g.objects; i++) {
        if (newer->g.kind[i] != LMP_OBJECT_LOT) continue;
        uint32_t *was = &lot[newer->g.lot_what[newer->ordinal[i]] % LMP_LOTS];
        c->out->was[i] = *was;
        if (*was != LMP_OBJECT_NONE) snap_set_add(c->kept, *was);
        *was = LMP_OBJECT_NONE;
    }
}

/* The main thread has no block: from its first part on that is counted it is none from before. */
static void match_main(Compare *c) {
    uint32_t was = c->old->main_thread, is = c->newer->main_thread;
    if (was == LMP_OBJECT_NONE || is == LMP_OBJECT_NONE) return;
    c->out->was[is] = was;
    snap_set_add(c->kept, was);
}

static bool match_all(Compare *c) {
    const SnapOwn *a = snap_own(c->old), *b = snap_own(c->newer);
    Section counted = {1, a->counted_end, a->counted_sorted};
    Section before = {a->counted_end, a->before_end, a->before_sorted};
    Section counted_now = {1, b->counted_end, b->counted_sorted};
    Section before_now = {b->counted_end, b->before_end, b->before_sorted};
    if (!match(c, counted, counted_now) || !match(c, before, before_now)) return false;
    match_lots(c);
    match_main(c);
    return true;
}

/* ---- sums ------------------------------------------------------------------------------------ */

/* A table and a userdata may be of classes with one name; lines have objects of many kinds. */
static uint64_t key_of(const char *name, uint32_t kind, LmpSnapshotBy by) {
    uint64_t hash = by == LMP_BY_CLASS ? kind : 0;
    for (const char *p = name; *p; p++)
        hash = rowindex_mix(hash, (unsigned char)*p);
    return hash & INT64_MAX;
}

/* Returns a number for its name, the same in all comparisons by the same: below 2^63. */
static uint64_t compare_key(const LmpSnapshotChange *change, LmpSnapshotBy by) {
    return key_of(change->name, change->kind, by);
}

/* A row for each name that either has. */
static bool make_rows(Compare *c) {
    LmpSnapshotCompare *out = c->out;
    KeyMap by_name = {0};
    out->change = calloc((size_t)c->before.groups + c->now.groups + 1, sizeof *out->change);
    c->row_before =
        snap_memory_take(&c->memory, (size_t)c->before.groups + 1, sizeof *c->row_before);
    c->row_now = snap_memory_take(&c->memory, (size_t)c->now.groups + 1, sizeof *c->row_now);
    bool made = out->change && c->row_before && c->row_now;
    for (uint32_t k = 0; made && k < c->now.groups + c->before.groups; k++) {
        bool now = k < c->now.groups;
        uint32_t group = now ? k : k - c->now.groups;
        const LmpObjectGroup *g = now ? &c->now.group[group] : &c->before.group[group];
        uint64_t key = key_of(g->name, g->kind, c->by);
        uint32_t row = keymap_get(&by_name, key, LMP_OBJECT_NONE);
        if (row == LMP_OBJECT_NONE) {
            row = out->changes++;
            made = keymap_set(&by_name, key, row);
            out->change[row] =
                (LmpSnapshotChange){.kind = g->kind, .group = now ? group : LMP_OBJECT_NONE};
            memcpy(out->change[row].name, g->name, sizeof g->name);
        }
        *(now ? &c->row_now[group] : &c->row_before[group]) = row;
    }
    keymap_free(&by_name);
    return made;
}

static bool sum_up(Compare *c) {
    const LmpSnapshot *old = c->old, *newer = c->newer;
    LmpSnapshotChange *change = c->out->change;
    for (uint32_t i = 1; i < newer->g.objects; i++) {
        if (!(i & SNAP_TICK) && !snap_tick(newer, i)) return false;
        if (c->now.group_of[i] == LMP_OBJECT_NONE) continue;
        LmpSnapshotChange *row = &change[c->row_now[c->now.group_of[i]]];
        uint64_t size = snapshot_counted(newer, i);
        uint32_t was = c->out->was[i];
        if (was == LMP_OBJECT_NONE) {
            row->made++;
            row->made_bytes += size;
        } else {
            row->kept++;
            row->kept_bytes += size;
            row->grown_bytes += (int64_t)(size - snapshot_counted(old, was));
        }
    }
    /* garbage in the newer one is gone, or as good as that */
    for (uint32_t i = 1; i < newer->g.objects; i++)
        if (c->out->was[i] != LMP_OBJECT_NONE && c->now.group_of[i] == LMP_OBJECT_NONE)
            c->kept[c->out->was[i] / 64] &= ~(1ull << c->out->was[i] % 64);
    for (uint32_t i = 1; i < old->g.objects; i++) {
        if (c->before.group_of[i] == LMP_OBJECT_NONE || snap_set_has(c->kept, i)) continue;
        LmpSnapshotChange *row = &change[c->row_before[c->before.group_of[i]]];
        row->gone++;
        row->gone_bytes += snapshot_counted(old, i);
    }
    return true;
}

static int by_grown(const void *a, const void *b) {
    const LmpSnapshotChange *x = a, *y = b;
    if (compare_steps(x) != compare_steps(y)) return compare_steps(x) < compare_steps(y) ? 1 : -1;
    if (x->made_bytes != y->made_bytes) return x->made_bytes < y->made_bytes ? 1 : -1;
    return strcmp(x->name, y->name);
}

static void finish(LmpSnapshotCompare *out) {
    qsort(out->change, out->changes, sizeof *out->change, by_grown);
    out->all.group = LMP_OBJECT_NONE;
    for (uint32_t k = 0; k < out->changes; k++) {
        const LmpSnapshotChange *c = &out->change[k];
        out->all.made += c->made, out->all.gone += c->gone, out->all.kept += c->kept;
        out->all.made_bytes += c->made_bytes, out->all.gone_bytes += c->gone_bytes;
        out->all.kept_bytes += c->kept_bytes, out->all.grown_bytes += c->grown_bytes;
    }
}

bool compare_same_run(const LmpSnapshot *old, const LmpSnapshot *newer) {
    enum { CLOCKS_APART = 5 };
    const LmpObjectInfo *a = &old->info, *b = &newer->info;
    if (a->pid != b->pid || a->serial != b->serial || strcmp(a->program, b->program) != 0)
        return false;
    /* when it began; a clock that was set meanwhile moves the one and not the other */
    int64_t apart = (int64_t)((a->realtime - a->clock) - (b->realtime - b->clock));
    if (old->view && newer->view)
        apart = (int64_t)(old->view->header->start_clock - newer->view->header->start_clock);
    return apart > -CLOCKS_APART * 1000000000ll && apart < CLOCKS_APART * 1000000000ll;
}

static LmpErr make(LmpSnapshotCompare *out, const LmpSnapshot *old, const LmpSnapshot *newer,
                   LmpSnapshotBy by, bool objects) {
    *out = (LmpSnapshotCompare){0};
    Compare c = {.old = old, .newer = newer, .by = by, .out = out, .halved = halvings(old, newer)};
    out->was = malloc(newer->g.objects * sizeof *out->was);
    c.kept = snap_memory_take(&c.memory, snap_set_words(old->g.objects), sizeof *c.kept);
    bool made = out->was && c.kept && groups_make(&c.before, old, by, false) == LMP_OK &&
                groups_make(&c.now, newer, by, false) == LMP_OK;
    if (made) memset(out->was, 0xff, newer->g.objects * sizeof *out->was);
    made = made && (!objects || match_all(&c)) && make_rows(&c) && sum_up(&c);
    if (made) finish(out);
    groups_free(&c.before);
    groups_free(&c.now);
    snap_memory_free(&c.memory);
    if (made) return LMP_OK;
    compare_free(out);
    return LMP_E_NOMEM;
}

LmpErr compare_make(LmpSnapshotCompare *out, const LmpSnapshot *old, const LmpSnapshot *newer,
                    LmpSnapshotBy by) {
    *out = (LmpSnapshotCompare){0};
    return compare_same_run(old, newer) ? make(out, old, newer, by, true) : LMP_E_FOREIGN;
}

LmpErr compare_any(LmpSnapshotCompare *out, const LmpSnapshot *old, const LmpSnapshot *newer,
                   LmpSnapshotBy by) {
    return make(out, old, newer, by, compare_same_run(old, newer));
}

void compare_free(LmpSnapshotCompare *compare) {
    free(compare->change);
    free(compare->was);
    *compare = (LmpSnapshotCompare){0};
}

/* ---- a series -------------------------------------------------------------------------------- */

/* Makes rows for all names of a step that have none; those of a name that is new here have not
 * grown before. Returns false if there is no memory. */
static bool add_names(LmpSnapshotSteps *g, const LmpSnapshotCompare *step) {
    uint32_t need = g->rows + step->changes;
    if (!array_room(&g->bytes, &g->room, (uint64_t)need * LMP_STEPS_MOST)) return false;
    for (uint32_t i = 0; i < step->changes; i++) {
        uint64_t key = compare_key(&step->change[i], g->by);
        if (keymap_get(&g->row_of, key, UINT32_MAX) != UINT32_MAX) continue;
        if (!keymap_set(&g->row_of, key, g->rows)) return false;
        memset(g->bytes + (size_t)g->rows * LMP_STEPS_MOST, 0, LMP_STEPS_MOST * sizeof *g->bytes);
        g->rows++;
    }
    return true;
}

LmpErr compare_add_compared(LmpSnapshotSteps *g, const LmpSnapshot *old, const LmpSnapshot *newer,
                            const LmpSnapshotCompare *step) {
    if (g->steps == LMP_STEPS_MOST) return LMP_E_BUSY;
    if (!add_names(g, step)) return LMP_E_NOMEM;
    if (g->steps == 0) {
        g->number = old->info.number;
        g->heap = old->reachable_bytes + old->garbage_bytes;
    }
    for (uint32_t i = 0; i < step->changes; i++) {
        uint32_t row = keymap_get(&g->row_of, compare_key(&step->change[i], g->by), 0);
        g->bytes[(size_t)row * LMP_STEPS_MOST + g->steps] = compare_steps(&step->change[i]);
    }
    g->foreign = g->foreign || !compare_same_run(old, newer);
    g->steps++;
    return LMP_OK;
}

LmpErr compare_add_step(LmpSnapshotSteps *g, const LmpSnapshot *old, const LmpSnapshot *newer) {
    LmpSnapshotCompare step;
    LmpErr err = compare_any(&step, old, newer, g->by);
    if (err) return err;
    err = compare_add_compared(g, old, newer, &step);
    compare_free(&step);
    return err;
}

LmpErr compare_open_steps(LmpSnapshotSteps *g, LmpSnapshot *last, const char *const *file,
                          uint32_t files, LmpProgress *progress, const char **failed) {
    LmpErr err = LMP_OK;
    bool open = false;
    for (uint32_t i = 0; i < files && !err; i++) {
        LmpSnapshot next;
        *failed = file[i];
        if (progress) progress->part++;
        err = snapshot_open_told(&next, file[i], progress);
        if (!err && open) err = compare_add_step(g, last, &next);
        if (open) snapshot_close(last);
        open = !err;
        *last = next; /* closed, all zeroes, if it could not be opened */
    }
    if (err) snapshot_close(last);
    return err;
}

void compare_free_steps(LmpSnapshotSteps *g) {
    keymap_free(&g->row_of);
    free(g->bytes);
    *g = (LmpSnapshotSteps){.by = g->by};
}

int64_t compare_grown_by(const LmpSnapshotSteps *g, const LmpSnapshotChange *name, uint32_t step) {
    uint32_t row = keymap_get(&g->row_of, compare_key(name, g->by), UINT32_MAX);
    return row == UINT32_MAX ? 0 : g->bytes[(size_t)row * LMP_STEPS_MOST + step];
}

int64_t compare_grown_in_all(const LmpSnapshotSteps *g, const LmpSnapshotChange *name, bool *each) {
    int64_t all = 0;
    *each = true;
    for (uint32_t step = 0; step < g->steps; step++) {
        int64_t grown = compare_grown_by(g, name, step);
        all += grown;
        *each = *each && grown > 0;
    }
    return all;
}
