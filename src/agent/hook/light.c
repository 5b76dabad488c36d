/* light.c - when the map has all blocks, and how they get into it. */
#include "agent/hook/light.h"

#include "agent/hook/break_check.h"
#include "agent/hook/slow_path.h"
#include "agent/interp/freed_class.h"
#include "agent/map/shadow.h"
#include "agent/map/watched.h"
#include "agent/objects/offsets.h"
#include "agent/objects/size.h"
#include "base/os.h"
#include "shared/counters.h"

#define FILL_NS 50000000u   /* for entering all blocks */
#define LEFT_NS 2000000000u /* from the last look until the map is emptied */
#define AGAIN_NS 16000000u  /* half the time until a pass is made again */
enum { CLOCK_BLOCKS = 1024 };

static bool is_looked_at(const LmpProfile *p) {
    const LmpControl *c = p->control;
    return atomic_load_explicit(&c->attached, memory_order_relaxed) ||
           atomic_load_explicit(&c->peak_wake, memory_order_relaxed) || p->breaks->on ||
           p->slow->snapshot;
}

/* ---- start and end --------------------------------------------------------------------------- */

/* A pass over all blocks that looks for those that the map lacks. */
typedef struct Opening {
    LmpProfile *p;
    uint64_t until; /* clock */
    uint32_t visits;
    bool failed;
    uint64_t blocks[LMP_CLASSES]; /* that the map has */
} Opening;

/* What the map lacks is from before start. What it has is counted. */
static bool note(void *of, uintptr_t at, uint64_t size, unsigned cls) {
    Opening *o = of;
    LmpProfile *p = o->p;
    if (++o->visits % CLOCK_BLOCKS == 0 && lmp_os->clock() > o->until) o->failed = true;
    uint32_t entry = shadow_lookup(p, at, &size);
    o->blocks[entry & 15]++;
    if (entry && cls == LMP_C_THREAD) shadow_notify(p, at);
    if (!entry && !watched_set(p, at, false)) p->stays_whole = true;
    o->failed = o->failed || p->stays_whole;
    return !o->failed;
}

/* Returns true if every counted block was visited, but for those of class `other`, which stay in
 * the map. Those that no list leads to belong to a parser at work or to a host. */
static bool has_all(const Opening *o) {
    LmpClassTotal total[LMP_CLASSES];
    counters_read(o->p->counters, total);
    for (unsigned cls = 1; cls < LMP_C_COUNTED; cls++)
        if (cls != LMP_C_OTHER && o->blocks[cls] != total[cls].live_blocks) return false;
    return true;
}

bool light_open(LmpProfile *p) {
    Opening o = {.p = p, .until = lmp_os->clock() + FILL_NS};
    watched_begin(p);
    note(&o, 0, 0, 0); /* NULL */
    if (!o.failed) object_size_blocks(p->main, note, &o);
    if (o.failed || !has_all(&o)) {
        watched_forget(p);
        p->light_wait *= 2;
        if (o.failed && p->light_wait < LEFT_NS) p->light_wait = LEFT_NS; /* it took long */
        p->light_due = p->stays_whole ? 0 : p->live->clock + p->light_wait;
        return false;
    }
    p->light_due = 0;
    p->freed = freed_class_sites();
    p->newest = (const uintptr_t *)(frames_word(p->main, LMP_AT_L_GLOBAL) + /* NOLINT */
                                    offsets_get()->all);
    shadow_drop_unmarked(p);
    p->whole = p->stays_whole;
    return !p->whole;
}

void light_prepare(LmpProfile *p, bool awaited) {
    p->whole = true;
    p->threads_plain = !p->counts && frames_bits.extra <= LMP_AT_TYPE; /* freed_class_of_type */
    p->light_wait = AGAIN_NS;
    if (!p->sampling || !p->owners || !p->object_ret) return;
    if (offsets_known() != LMP_OK || !freed_class_sites() || watched_prepare(p) != LMP_OK) return;
    p->light_due = LEFT_NS;
    if (!awaited && !is_looked_at(p)) light_open(p);
}

/* Returns true if the map may be left alone from now on. */
static bool is_due(const LmpProfile *p) {
    return p->light_due && p->live->clock >= p->light_due && !p->closing;
}

void light_serve(LmpProfile *p, const void *ptr) {
    if (!ptr && is_due(p) && !is_looked_at(p)) light_open(p);
}

void light_close(LmpProfile *p) {
    p->light_due = 0;
    p->freed = NULL;
    p->newest = NULL;
    watched_close(p);
}

/* ---- whole ----------------------------------------------------------------------------------- */

typedef struct Fill {
    LmpProfile *p;
    uint64_t until; /* clock */
    uint32_t blocks;
    bool partial;
} Fill;

static bool enter(void *of, uintptr_t at, uint64_t size, unsigned cls) {
    Fill *f = of;
    uint64_t known;
    LmpTaken stale;
    f->partial = ++f->blocks % CLOCK_BLOCKS == 0 && lmp_os->clock() > f->until;
    if (f->partial) return false;
    bool thread = watched_is_thread(f->p, at); /* else those with a bit are from before start */
    if ((thread || !watched_has(f->p, at)) && !shadow_lookup(f->p, at, &known))
        shadow_place(f->p, at, size, cls | (thread ? LMP_BLOCK_NOTIFY : 0), 0, &stale);
    return true;
}

COLD void light_whole(LmpProfile *p, bool patient) {
    uint32_t *partial = &p->live->strange.partial;
    if ((p->whole && !(patient && *partial)) || p->closing) return;
    Fill fill = {p, patient ? UINT64_MAX : lmp_os->clock() + FILL_NS, 0, false};
    object_size_blocks(p->main, enter, &fill);
    *partial = fill.partial;
    p->whole = true;
}

/* A class of which more was freed than made has had blocks from before start that no list led to: a
 * buffer that was in use. They are out of all figures again. The counters are folded. */
static void give_back(LmpCounters *c) {
    for (unsigned cls = 1; cls < LMP_C_COUNTED; cls++) {
        LmpClassCount *count = &c->count[cls];
        uint64_t less = count->free_bytes - count->alloc_bytes - (uint64_t)count->realloc_bytes;
        if ((int64_t)less <= 0) continue;
        count->free_bytes -= less;
        c->live_bytes += less;
        c->before_free_bytes += less;
        if (count->frees <= count->allocs) continue;
        c->before_frees += count->frees - count->allocs;
        count->frees = count->allocs;
    }
}

void light_tick(LmpProfile *p) {
    if (!p->freed && p->light_due && is_looked_at(p)) p->light_due = p->live->clock + LEFT_NS;
    if (!p->freed && is_due(p)) atomic_store(&p->control->trap, 1); /* for light_serve */
    if (p->freed) give_back(p->counters);
    if (!p->freed || p->stays_whole || p->closing) return;
    if (!p->whole) {
        if (is_looked_at(p)) atomic_store(&p->control->trap, 1); /* before the next operation */
        return;
    }
    if (is_looked_at(p) || p->live->clock < p->looked_at) p->looked_at = p->live->clock;
    if (p->live->clock - p->looked_at < LEFT_NS) return;
    shadow_drop_unmarked(p);
    p->live->strange.partial = 0;
    p->whole = false;
}
