/* break_check.c - a bit for each condition of the list says whether it is on, armed, and met.
 * Conditions that an operation's request decides are checked before it; those that its result
 * decides, after it. */
#include "agent/hook/break_check.h"

#include <string.h>

#include "agent/charge/lines.h"
#include "agent/interp/stack.h"
#include "agent/map/shadow.h"
#include "agent/state/profile.h"
#include "agent/state/state.h"
#include "shared/counters.h"

/* ---- the list -------------------------------------------------------------------------------- */

/* Makes a consistent copy of the list. Returns false while a viewer is writing it, which will call
 * again. */
static bool copy_list(const LmpControl *control, LmpBreak row[LMP_BREAKS], uint32_t *count,
                      uint32_t *sequence) {
    *sequence = atomic_load(&control->breaks);
    if (*sequence & 1) return false;
    *count = control->break_count < LMP_BREAKS ? control->break_count : LMP_BREAKS;
    memcpy(row, control->break_row, *count * sizeof *row);
    atomic_thread_fence(memory_order_acquire);
    if (atomic_load(&control->breaks) != *sequence) return false;
    for (uint32_t i = 0; i < *count; i++)
        breaks_check(&row[i]);
    return true;
}

/* Returns the row of the old list that is the same condition, -1: none. */
static int find_old(const LmpBreakCheck *old, const LmpBreak *b) {
    for (uint32_t i = 0; i < old->count; i++)
        if (breaks_same(&old->row[i], b)) return (int)i;
    return -1;
}

/* A condition that was already on stays as it is: setting another one must not make the program
 * pause again where it just did. */
static void arm(LmpProfile *p, const LmpBreakCheck *old, uint32_t spent, uint32_t i, int before) {
    LmpBreakCheck *w = p->breaks;
    const LmpBreak *b = &w->row[i];
    uint32_t bit = 1u << i;
    if (!b->on || b->kind == LMP_BREAK_NONE) return;
    if (before >= 0 && old->row[before].on && old->row[before].turn == b->turn) {
        if (old->on >> before & 1) w->on |= bit;
        if (old->armed >> before & 1) w->armed |= bit;
        if (spent >> before & 1) p->live->breaks.spent |= bit;
        w->cycles[i] = old->cycles[before];
    } else {
        w->on |= bit;
        w->armed |= bit;
        w->cycles[i] = p->live->gc.cycles;
    }
}

/* Puts this list in force, and the program's own rows behind it. */
static void take_rows(LmpProfile *p, const LmpBreak *row, uint32_t count) {
    LmpBreaksDone *done = &p->live->breaks;
    const LmpBreakCheck old = *p->breaks;
    uint64_t hits[LMP_BREAKS];
    uint32_t spent = done->spent;
    memcpy(hits, done->hits, sizeof hits);
    memset(p->breaks, 0, offsetof(LmpBreakCheck, owns));
    memcpy(p->breaks->row, row, count * sizeof *row);
    p->breaks->count = count;
    for (uint32_t i = 0; i < old.owns && p->breaks->count < LMP_BREAKS; i++)
        if (find_old(p->breaks, &old.own[i]) < 0) p->breaks->row[p->breaks->count++] = old.own[i];
    done->count = p->breaks->count;
    done->spent = 0;
    for (uint32_t i = 0; i < p->breaks->count; i++) {
        int before = find_old(&old, &p->breaks->row[i]);
        done->hits[i] = before >= 0 ? hits[before] : 0;
        arm(p, &old, spent, i, before);
    }
}

void break_check_own(LmpProfile *p, const char *lines) {
    LmpBreak row[LMP_BREAKS];
    uint32_t n = lines ? breaks_parse_lines(lines, row) : 0;
    for (uint32_t i = 0; i < n; i++)
        if (row[i].action == LMP_BREAK_SNAPSHOT) p->breaks->own[p->breaks->owns++] = row[i];
    if (p->breaks->owns) take_rows(p, row, 0);
}

bool break_check_take(LmpProfile *p) {
    LmpBreak row[LMP_BREAKS];
    LmpBreaksDone *done = &p->live->breaks;
    uint32_t count, sequence;
    if (atomic_load(&p->control->breaks) == atomic_load(&done->taken) ||
        !copy_list(p->control, row, &count, &sequence))
        return false;
    take_rows(p, row, count);
    atomic_store(&done->taken, sequence);
    p->breaks->viewers = true;
    return true;
}

bool break_check_lapse(LmpProfile *p) {
    uint32_t viewer = atomic_load(&p->control->breaks_viewer);
    if (!p->breaks->on || !p->breaks->viewers || (viewer && state_viewer_lives(p, viewer)))
        return false;
    p->breaks->viewers = false;
    take_rows(p, p->breaks->row, 0);
    return true;
}

/* ---- operations ------------------------------------------------------------------------------ */

/* Returns true if the record is one of this line. */
static bool record_at(const LmpProfile *p, uint32_t record, const LmpBreak *b) {
    const LmpTables *t = &p->tables;
    const LmpSite *site = &t->site[t->record[record].site];
    if (!record || site->line != b->line) return false;
    const LmpFunction *f = &t->function[site->function];
    return breaks_file_is(b->file, t->text + f->source, t->text + f->short_src);
}

/* The line that runs, by the documented API: of the innermost Lua function; C functions in between
 * charge it. In a table constructor it is the line of an earlier instruction. */
static bool runs_at(LmpProfile *p, const LmpBreak *b) {
    lua_State *chain[LMP_CHAIN];
    lua_Debug ar;
    for (int i = stack_chain(p->main, chain) - 1; i >= 0; i--) {
        for (int level = 0; lua_getstack(chain[i], level, &ar); level++) {
            lua_getinfo(chain[i], "Sl", &ar);
            if (*ar.what == 'C') continue;
            return ar.currentline == b->line && breaks_file_is(b->file, ar.source, ar.short_src);
        }
    }
    return false;
}

/* Returns true if the operation is at the line of the condition, as far as can be told before it.
 * Where lines are kept, a new block is left to was_made_at; who makes a block larger has to be
 * looked up. */
static bool is_at(LmpProfile *p, const LmpCheckedOp *w, const LmpBreak *b) {
    LmpAsk ask;
    if (w->size == 0 || !w->safe) return false;
    if (!p->exact) return runs_at(p, b);
    if (!w->ptr || w->cls == LMP_C_NONE || w->cls >= LMP_C_COUNTED) return false;
    return record_at(p, lines_ask(p, w->regs, w->cls, &ask), b);
}

static bool was_made_at(LmpProfile *p, const LmpCheckedOp *w, const void *r, const LmpBreak *b) {
    if (!p->exact || w->ptr || !r) return false;
    const uint32_t *alloc_context = shadow_context(p, (uintptr_t)r);
    return alloc_context && record_at(p, tables_record_of(&p->tables, *alloc_context), b);
}

static uint64_t high_water(const LmpCounters *c) {
    uint64_t noted = counters_noted_peak(c);
    return c->live_bytes > noted ? c->live_bytes : noted;
}

/* Moves the conditions that take a snapshot out of those to pause for. */
static void split(const LmpBreakCheck *watch, LmpCheckedOp *w) {
    for (uint32_t i = 0, bit = 1; i < watch->count; i++, bit <<= 1) {
        if (!(w->met & bit) || watch->row[i].action != LMP_BREAK_SNAPSHOT) continue;
        w->met &= ~bit;
        w->taken |= bit;
    }
}

void break_check_before(LmpProfile *p, LmpCheckedOp *w) {
    LmpBreakCheck *watch = p->breaks;
    w->ceiling = high_water(p->counters);
    w->size = !w->ptr || w->nsize > w->old_size ? w->nsize : 0;
    for (uint32_t i = 0, bit = 1; i < watch->count; i++, bit <<= 1) {
        const LmpBreak *b = &watch->row[i];
        if (!(watch->armed & bit)) continue;
        if ((b->kind == LMP_BREAK_SIZE && w->size > b->bytes) ||
            (b->kind == LMP_BREAK_GC && p->live->gc.cycles > watch->cycles[i]) ||
            (b->kind == LMP_BREAK_AT && is_at(p, w, b)))
            w->met |= bit;
    }
    split(watch, w);
}

/* Returns true if the heap has grown above the condition's size, once each time that it does. */
static bool has_grown(LmpBreakCheck *watch, uint32_t bit, const LmpBreak *b, uint64_t live) {
    if (live <= b->bytes) watch->armed |= bit;
    return live > b->bytes && watch->armed & bit;
}

/* Returns true if memory of this type was asked for, and given. */
static bool is_of_type(LmpProfile *p, const LmpCheckedOp *w, const void *r, const LmpBreak *b) {
    uint64_t size;
    if (w->size == 0 || !r) return false;
    unsigned cls = shadow_lookup(p, (uintptr_t)r, &size) & 15;
    return cls > LMP_C_NONE && cls < LMP_C_COUNTED && class_owner(cls) == (LmpKind)b->type;
}

void break_check_after(LmpProfile *p, LmpCheckedOp *w, const void *r) {
    LmpBreakCheck *watch = p->breaks;
    uint64_t live = p->counters->live_bytes;
    for (uint32_t i = 0, bit = 1; i < watch->count; i++, bit <<= 1) {
        const LmpBreak *b = &watch->row[i];
        if (!(watch->on & bit)) continue;
        if ((b->kind == LMP_BREAK_HEAP && has_grown(watch, bit, b, live)) ||
            (b->kind == LMP_BREAK_PEAK && live > w->ceiling) ||
            (b->kind == LMP_BREAK_TYPE && is_of_type(p, w, r, b)) ||
            (b->kind == LMP_BREAK_AT && was_made_at(p, w, r, b)))
            w->met |= bit;
    }
    split(watch, w);
}

/* ---- a hit ----------------------------------------------------------------------------------- */

static uint64_t value_of(const LmpProfile *p, const LmpCheckedOp *w, const LmpBreak *b) {
    switch (b->kind) {
    case LMP_BREAK_SIZE:
        return w->size;
    case LMP_BREAK_HEAP:
    case LMP_BREAK_PEAK:
        return p->counters->live_bytes;
    case LMP_BREAK_GC:
        return p->live->gc.cycles;
    default:
        return 0;
    }
}

/* Counts the hit, and switches the condition off if it is one for once. */
static void note_hit(LmpProfile *p, uint32_t i) {
    LmpBreakCheck *watch = p->breaks;
    LmpBreaksDone *done = &p->live->breaks;
    uint32_t kind = watch->row[i].kind, bit = 1u << i;
    done->hits[i]++;
    if (kind == LMP_BREAK_HEAP) watch->armed &= ~bit;
    if (!break_info[kind].once) return;
    watch->on &= ~bit;
    watch->armed &= ~bit;
    done->spent |= bit;
}

bool break_check_pause(LmpProfile *p, const LmpCheckedOp *w, LmpOp *op) {
    LmpBreakCheck *watch = p->breaks;
    op->hits = w->met;
    for (uint32_t i = 0; i < watch->count; i++) {
        const LmpBreak *b = &watch->row[i];
        if (!(w->met >> i & 1)) continue;
        if (!op->hit) {
            op->hit = i + 1;
            breaks_hit_words(op->hit_words, sizeof op->hit_words, b, value_of(p, w, b));
        }
        note_hit(p, i);
    }
    return !watch->on;
}

bool break_check_snapshots(LmpProfile *p, const LmpCheckedOp *w) {
    for (uint32_t i = 0; i < p->breaks->count; i++)
        if (w->taken >> i & 1) note_hit(p, i);
    return !p->breaks->on;
}
