/* suspects_stayed.c - coroutines that nobody resumes: those that are suspended where they were in
 * an older snapshot, with the same objects in their variables. That is no proof (a loop that does
 * nothing but yield looks the same), but of one snapshot alone not even that could be said. */
#include "read/snapshot/snapshot_impl.h"
#include "read/snapshot/suspects_impl.h"

enum { STATUS_YIELD = 1 }; /* LUA_YIELD */

/* Two snapshots, and a coroutine in both. */
typedef struct Stay {
    const LmpSnapshot *s, *old;
    const uint32_t *was; /* of each object of s */
    uint32_t is, then;   /* the coroutine */
} Stay;

static bool same(const Stay *p, uint32_t is, uint32_t then) {
    return is == 0 || then == 0 ? is == then : p->was[is] == then;
}

static bool same_frames(const Stay *p) {
    const LmpHeapGraph *a = &p->s->g, *b = &p->old->g;
    const uint32_t *at = snap_own(p->s)->frame_at + p->s->ordinal[p->is];
    const uint32_t *then = snap_own(p->old)->frame_at + p->old->ordinal[p->then];
    if (at[1] - at[0] != then[1] - then[0]) return false;
    for (uint32_t i = 0; i < at[1] - at[0]; i++) {
        uint32_t x = at[0] + i, y = then[0] + i;
        if (!same(p, a->frame_function[x], b->frame_function[y]) ||
            a->frame_line[x] != b->frame_line[y] || a->frame_address[x] != b->frame_address[y])
            return false;
    }
    return true;
}

/* What its stack refers to: the same objects in the same order. */
static bool same_stack(const Stay *p) {
    const LmpHeapGraph *a = &p->s->g, *b = &p->old->g;
    uint32_t x = a->edge_at[p->is], y = b->edge_at[p->then], n = a->edge_at[p->is + 1] - x;
    if (n != b->edge_at[p->then + 1] - y) return false;
    for (uint32_t i = 0; i < n; i++)
        if (a->edge_kind[x + i] != b->edge_kind[y + i] ||
            !same(p, a->edge_to[x + i], b->edge_to[y + i]))
            return false;
    return true;
}

static bool is_suspended(const LmpSnapshot *s, uint32_t thread) {
    return s->g.thread_status[s->ordinal[thread]] == STATUS_YIELD;
}

bool suspects_stayed(const SuspectRun *run, uint32_t thread) {
    if (!run->old || !run->was || run->was[thread] == LMP_HEAP_NONE) return false;
    Stay p = {run->s, run->old, run->was, thread, run->was[thread]};
    return is_suspended(p.s, p.is) && is_suspended(p.old, p.then) && same_frames(&p) &&
           same_stack(&p);
}
