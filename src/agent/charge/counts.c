/* counts.c - finds or makes rows through a hash index of each table; a row is filled before its
 * table's count is raised, so that a reader never sees half of one. */
#include "agent/charge/counts.h"

#include "agent/state/reserve.h"
#include "base/os.h"

enum { INDEX_SLOTS = 1024, OTHERS = 1 };

static uint32_t hash_of(uint32_t a, uint32_t b) {
    return (uint32_t)rowindex_mix((uint64_t)a << 32 | b, 1);
}

/* ---- rows ------------------------------------------------------------------------------------ */

uint32_t counts_edge(LmpProfile *p, uint32_t site, uint32_t function) {
    LmpRowIndex *index = &p->counts->edge;
    uint32_t hash = hash_of(site, function), at = hash, row;
    while ((row = rowindex_next(index, hash, &at)))
        if (p->tables.edge[row].site == site && p->tables.edge[row].function == function)
            return row;
    reserve_more(p);
    uint32_t *used = &p->live->tables.edges;
    if (*used >= p->limits.edges || !rowindex_room(index, 1)) return OTHERS;
    row = *used;
    p->tables.edge[row] = (LmpEdge){.site = site, .function = function};
    rowindex_add(index, hash, row);
    tables_publish(used, row + 1);
    return row;
}

static LmpOverride *override_of(LmpProfile *p, uint32_t alloc_context, uint32_t here) {
    if (p->tree) alloc_context = p->tables.path[alloc_context].record;
    uint32_t made = p->record[alloc_context].site;
    here = p->record[here].site;
    LmpRowIndex *index = &p->counts->override;
    uint32_t hash = hash_of(made, here), at = hash, row;
    while ((row = rowindex_next(index, hash, &at)))
        if (p->tables.override[row].made == made && p->tables.override[row].here == here)
            return &p->tables.override[row];
    reserve_more(p);
    uint32_t *used = &p->live->tables.overrides;
    if (*used >= p->limits.overrides || !rowindex_room(index, 1))
        return &p->tables.override[OTHERS];
    row = *used;
    p->tables.override[row] = (LmpOverride){.made = made, .here = here};
    rowindex_add(index, hash, row);
    tables_publish(used, row + 1);
    return &p->tables.override[row];
}

void counts_freed(LmpProfile *p, uint32_t alloc_context, uint32_t here, uint64_t size) {
    if (!counts_overrides(p) || !here) return;
    LmpOverride *o = override_of(p, alloc_context, here);
    o->frees++;
    o->free_bytes += size;
}

void counts_resized(LmpProfile *p, uint32_t alloc_context, uint32_t here, uint64_t from,
                    uint64_t to) {
    if (!counts_overrides(p) || !here) return;
    LmpOverride *o = override_of(p, alloc_context, here);
    o->reallocs++;
    o->realloc_bytes += (int64_t)(to - from);
    o->realloc_old += from;
}

/* ---- life ------------------------------------------------------------------------------------ */

/* Returns which of the wanted counts are possible, each by its own needs. */
static uint32_t possible(const LmpProfile *p, uint32_t wanted, LmpWhy *why) {
    uint32_t by_frames = LMP_COUNTS_CALLS | LMP_COUNTS_INSTRUCTIONS;
    if (wanted & by_frames && !p->framed) {
        wanted &= ~by_frames;
        *why = LMP_WHY_FRAMES;
    }
    if (wanted & LMP_COUNTS_OVERRIDES && !(p->exact && p->regs)) {
        wanted &= ~(uint32_t)LMP_COUNTS_OVERRIDES;
        *why = LMP_WHY_LINES;
    }
    return wanted;
}

static bool open_all(LmpCounts *c) {
    if (c->on & LMP_COUNTS_CALLS) {
        c->call = lmp_os->map(LMP_CALL_SLOTS * sizeof *c->call, -1, 0, true);
        if (!c->call || !rowindex_open(&c->edge, INDEX_SLOTS) || !callframes_open(&c->frames))
            return false;
    }
    if (c->on & LMP_COUNTS_INSTRUCTIONS) {
        c->run = lmp_os->map(LMP_RUN_SLOTS * sizeof *c->run, -1, 0, true);
        if (!c->run) return false;
    }
    return !(c->on & LMP_COUNTS_OVERRIDES) || rowindex_open(&c->override, INDEX_SLOTS);
}

void counts_open(LmpProfile *p, uint32_t wanted) {
    LmpTablesUsed *used = &p->live->tables;
    LmpWhy why = LMP_WHY_NOT;
    uint32_t on = possible(p, wanted, &why);
    LmpCounts *c = on ? lmp_os->map(sizeof *c, -1, 0, true) : NULL;
    if (c) {
        *c = (LmpCounts){.p = p, .on = on};
        p->counts = c;
        if (!open_all(c)) counts_close(p);
    }
    if (on && !p->counts) {
        why = LMP_WHY_MEMORY;
        on = 0;
    }
    p->tables.edge[OTHERS] = (LmpEdge){.site = OTHERS, .function = OTHERS};
    p->tables.override[OTHERS] = (LmpOverride){.made = OTHERS, .here = OTHERS};
    used->edges = on & LMP_COUNTS_CALLS ? OTHERS + 1 : 0;
    used->overrides = on & LMP_COUNTS_OVERRIDES ? OTHERS + 1 : 0;
    used->counts = on;
    used->counts_why = why;
}

void counts_close(LmpProfile *p) {
    LmpCounts *c = p->counts;
    if (!c) return;
    p->counts = NULL;
    rowindex_close(&c->edge);
    rowindex_close(&c->override);
    callframes_close(&c->frames);
    if (c->call) lmp_os->unmap(c->call, LMP_CALL_SLOTS * sizeof *c->call);
    if (c->run) lmp_os->unmap(c->run, LMP_RUN_SLOTS * sizeof *c->run);
    lmp_os->unmap(c, sizeof *c);
}
