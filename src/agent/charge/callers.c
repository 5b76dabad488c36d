/* callers.c - draws when a sample is taken, walks the frames outward from the allocating line, over
 * the resumers of coroutines, and counts the callers in rows. When there is no free row, a rare one
 * is added to the rest of its line. */
#include "agent/charge/callers.h"

#include <string.h>

#include "agent/charge/lines.h"
#include "agent/charge/sites.h"
#include "agent/interp/stack.h"
#include "agent/map/shadow.h"
#include "shared/counters.h"

enum {
    SKIPPED_BITS = 5, /* so many bits of allocations are passed by, */
    MOST = 256,       /* in so many operations: a sweep has thousands of frees */
};

/* ---- when ------------------------------------------------------------------------------------ */

static bool is_wanted(const LmpProfile *p) {
    return p->exact && p->framed && !p->tree &&
           (atomic_load_explicit(&p->control->attached, memory_order_relaxed) ||
            atomic_load_explicit(&p->control->peak_wake, memory_order_relaxed));
}

static uint64_t allocs_now(const LmpProfile *p) {
    uint64_t blocks, bytes;
    int64_t resized;
    counters_allocs(p->counters, &blocks, &bytes, &resized);
    return blocks;
}

/* Only the upper bits are random enough to be used. */
static uint64_t next_random(LmpCallerSampling *s) {
    s->random = s->random * 6364136223846793005u + 1442695040888963407u;
    return s->random;
}

uint32_t callers_spread(LmpProfile *p, uint32_t ops) {
    LmpCallerSampling *s = p->callers;
    if (!is_wanted(p)) {
        s->random = 0;
        return ops;
    }
    if (!s->random) {
        s->random = (p->start ^ p->ticked << 1) | 1;
        s->allocs = allocs_now(p);
    }
    return ops - (uint32_t)((next_random(s) >> 32) * (ops / 2) >> 32);
}

bool callers_due(LmpProfile *p) {
    LmpCallerSampling *s = p->callers;
    if (!s->random || s->left) return false;
    s->skipped = (uint32_t)(next_random(s) >> (64 - SKIPPED_BITS));
    s->left = MOST;
    return true;
}

/* ---- the frames ------------------------------------------------------------------------------ */

typedef struct Frames {
    LmpProfile *p;
    lua_State *L; /* NULL: further out there is nothing, */
    bool lost;    /* or nothing that is known: C code has resumed in its own way */
    LmpCallInfo *ci;
    int threads; /* in chain[], -1: not asked for yet */
    lua_State *chain[LMP_CHAIN];
} Frames;

/* A thread's frames are over: goes to the thread that has resumed it. */
static void go_to_resumer(Frames *f) {
    if (f->threads < 0) f->threads = stack_chain(f->p->main, f->chain);
    int i = f->threads;
    while (i > 0 && f->chain[i - 1] != f->L)
        i--;
    f->lost = i == 0;
    f->L = i > 1 ? f->chain[i - 2] : NULL;
    f->ci = f->L ? frames_top(f->L) : NULL;
}

/* Goes out to the next frame of a function. Returns false if there is none. */
static bool go_out(Frames *f) {
    if (f->ci) f->ci = frames_caller(f->ci);
    while (f->L && (!f->ci || !frames_caller(f->ci)))
        go_to_resumer(f);
    return f->L != NULL;
}

static bool is_sound(const LmpCallInfo *ci) {
    const void *proto = frames_proto(frames_func(ci));
    return proto && !(frames_status(ci) & frames_bits.stale) &&
           frames_after_instruction(proto, frames_pc(ci));
}

static uint32_t site_of(const Frames *f) {
    if (frames_status(f->ci) & LMP_CI_C) return lines_c_site(f->p, f->L, f->ci);
    if (!is_sound(f->ci)) return sites_pseudo(f->p, LMP_PSEUDO_UNKNOWN);
    return lines_frame_site(f->p, f->L, f->ci, frames_pc(f->ci));
}

/* Writes the callers of the running function; a C function counts for the line that called it.
 * Returns false if no function runs. */
static bool walk(LmpProfile *p, uint32_t by[LMP_CALLER_LEVELS]) {
    Frames f = {.p = p, .L = (lua_State *)p->running, .threads = -1}; /* NOLINT */
    if (!f.L) return false;
    f.ci = frames_top(f.L);
    while (f.L && frames_status(f.ci) & LMP_CI_C)
        if (!go_out(&f)) return false;
    unsigned i = 0;
    while (i < LMP_CALLER_LEVELS && go_out(&f))
        by[i++] = site_of(&f);
    if (f.lost && i < LMP_CALLER_LEVELS) by[i] = sites_pseudo(p, LMP_PSEUDO_UNKNOWN);
    return true;
}

/* ---- rows ------------------------------------------------------------------------------------ */

static void add(LmpCallerRow *to, const LmpCallerRow *from) {
    to->samples += from->samples;
    to->allocs += from->allocs;
    to->bytes += from->bytes;
}

static LmpCallerRow *find(LmpCallers *all, const LmpCallerRow *like) {
    for (uint32_t i = 0; i < LMP_CALLERS; i++) {
        LmpCallerRow *row = &all->row[i];
        if (row->site == like->site && row->rest == like->rest &&
            !memcmp(row->by, like->by, sizeof row->by))
            return row;
    }
    return NULL;
}

/* Returns the row with the fewest samples; of several, each in its turn, so that a new one may
 * last. */
static LmpCallerRow *rarest(LmpProfile *p) {
    LmpCallers *all = &p->live->callers;
    uint32_t from = p->callers->turn, best = from;
    for (uint32_t i = 0; i < LMP_CALLERS; i++) {
        uint32_t at = (from + i) % LMP_CALLERS;
        if (all->row[at].samples < all->row[best].samples) best = at;
    }
    p->callers->turn = (best + 1) % LMP_CALLERS;
    return &all->row[best];
}

/* Finds a row for other callers: a free one, or the rarest, whose samples are added to the rest of
 * its line. A line that has nothing but a rare rest is forgotten. */
static LmpCallerRow *make_room(LmpProfile *p) {
    for (;;) {
        LmpCallerRow *row = rarest(p);
        if (!row->site || row->rest) return row;
        LmpCallerRow like = {.site = row->site, .rest = 1};
        LmpCallerRow *rest = find(&p->live->callers, &like);
        if (rest) {
            add(rest, row);
            return row;
        }
        row->rest = 1;
        memset(row->by, 0, sizeof row->by);
    }
}

static void count(LmpProfile *p, const LmpCallerRow *sample) {
    LmpCallers *all = &p->live->callers;
    atomic_store_explicit(&all->seq, all->seq + 1, memory_order_relaxed);
    atomic_thread_fence(memory_order_release);
    LmpCallerRow *row = find(all, sample);
    if (row) {
        add(row, sample);
    } else {
        *make_room(p) = *sample;
    }
    atomic_store_explicit(&all->seq, all->seq + 1, memory_order_release);
}

bool callers_after(LmpProfile *p, const void *r, size_t size) {
    LmpCallerSampling *s = p->callers;
    if (!r || s->skipped > 0) {
        if (r) s->skipped--;
        return --s->left > 0;
    }
    uint32_t entry;
    uint64_t held, allocs = allocs_now(p), stands_for = allocs - s->allocs;
    LmpCallerRow sample = {.samples = 1, .allocs = stands_for, .bytes = stands_for * size};
    s->left = 0;
    s->allocs = allocs;
    sample.site = shadow_site(p, (uintptr_t)r, &entry, &held);
    if (sample.site > sites_pseudo(p, LMP_PSEUDO_UNKNOWN) && walk(p, sample.by)) count(p, &sample);
    return false;
}
