/* light.c - when the map has all blocks, and how they get into it. */
#include "agent/hook/light.h"

#include "agent/hook/break_check.h"
#include "agent/hook/slow_path.h"
#include "agent/interp/freed_class.h"
#include "agent/interp/owner.h"
#include "agent/map/shadow.h"
#include "agent/map/watched.h"
#include "agent/objects/offsets.h"
#include "agent/objects/size.h"
#include "base/os.h"

#define FILL_NS 50000000u   /* for entering all blocks */
#define LEFT_NS 2000000000u /* from the last look until the map is emptied */
enum { CLOCK_BLOCKS = 1024 };

static bool is_looked_at(const LmpProfile *p) {
    const LmpControl *c = p->control;
    return atomic_load_explicit(&c->attached, memory_order_relaxed) ||
           atomic_load_explicit(&c->peak_wake, memory_order_relaxed) || p->breaks->on ||
           p->slow->snapshot;
}

/* ---- start and end --------------------------------------------------------------------------- */

/* Notes a block that is there at start. What has been entered by then is counted (before.h): it is
 * as if it were new. */
static bool note_before(void *of, uintptr_t at, uint64_t size, unsigned cls) {
    LmpProfile *p = of;
    bool counted = shadow_lookup(p, at, &size) != 0, thread = cls == LMP_C_THREAD;
    if (counted && thread) shadow_notify(p, at);
    if (!counted && !watched_set(p, at, false)) p->stays_whole = true;
    return !p->stays_whole;
}

void light_open(LmpProfile *p) {
    p->whole = true;
    if (!p->sampling || !p->return_addrs || !p->object_ret) return;
    const LmpCallClasses *freed = freed_class_sites();
    if (!freed || offsets_known() != LMP_OK || watched_open(p) != LMP_OK) return;
    note_before(p, 0, 0, 0); /* NULL, which is freed now and then */
    object_size_blocks(p->main, note_before, p);
    if (p->stays_whole) {
        watched_close(p);
        return;
    }
    p->freed = freed;
    p->asked = owner_classes();
    p->newest = (const uintptr_t *)(frames_word(p->main, LMP_AT_L_GLOBAL) + /* NOLINT */
                                    offsets_get()->all);
    p->whole = is_looked_at(p);
    if (!p->whole) shadow_drop_unmarked(p);
}

void light_close(LmpProfile *p) {
    p->freed = NULL;
    p->newest = NULL;
    watched_close(p);
}

/* ---- whole ----------------------------------------------------------------------------------- */

typedef struct Fill {
    LmpProfile *p;
    uint64_t until; /* clock */
    uint32_t blocks;
} Fill;

static bool enter(void *of, uintptr_t at, uint64_t size, unsigned cls) {
    Fill *f = of;
    uint64_t known;
    LmpTaken stale;
    if (++f->blocks % CLOCK_BLOCKS == 0 && lmp_os->clock() > f->until) return false;
    bool thread = watched_is_thread(f->p, at); /* else those with a bit are from before start */
    if ((thread || !watched_has(f->p, at)) && !shadow_lookup(f->p, at, &known))
        shadow_place(f->p, at, size, cls | (thread ? LMP_BLOCK_NOTIFY : 0), 0, &stale);
    return true;
}

COLD void light_whole(LmpProfile *p, bool patient) {
    if (p->whole || p->closing) return;
    Fill fill = {p, patient ? UINT64_MAX : lmp_os->clock() + FILL_NS, 0};
    object_size_blocks(p->main, enter, &fill);
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
    if (p->freed) give_back(p->counters);
    if (!p->freed || p->stays_whole || p->closing) return;
    if (!p->whole) {
        if (is_looked_at(p)) atomic_store(&p->control->trap, 1); /* before the next operation */
        return;
    }
    if (is_looked_at(p) || p->live->clock < p->looked_at) p->looked_at = p->live->clock;
    if (p->live->clock - p->looked_at < LEFT_NS) return;
    shadow_drop_unmarked(p);
    p->whole = false;
}
