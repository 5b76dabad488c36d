/* suspects_coroutines.c - the two pages of coroutines: where they wait, and who made them; and
 * which of them nobody resumes. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "read/snapshot/snapshot_impl.h"
#include "read/snapshot/suspects_impl.h"

typedef enum State { SUSPENDED, NOT_STARTED, RUNS, RESUMES, FAILED, ENDED, STATES } State;
static const char *const state_name[STATES] = {"suspended",       "not started",       "runs",
                                               "resumes another", "ended by an error", "ended"};

enum { STATUS_OK = 0, STATUS_YIELD = 1 }; /* LUA_OK, LUA_YIELD */

static uint32_t body_of(const LmpSnapshot *s, uint32_t thread) {
    for (uint32_t e = s->g.edge_at[thread]; e < s->g.edge_at[thread + 1]; e++)
        if ((s->g.edge_kind[e] & LMP_EDGE_KIND) == LMP_EDGE_LOCAL &&
            (s->g.kind[s->g.edge_to[e]] == LMP_OBJECT_LUA_FUNCTION ||
             s->g.kind[s->g.edge_to[e]] == LMP_OBJECT_C_FUNCTION))
            return s->g.edge_to[e];
    return LMP_OBJECT_NONE;
}

static State state_of(const SuspectMaking *m, uint32_t thread) {
    const LmpSnapshot *s = m->s;
    uint32_t row = s->ordinal[thread];
    uint8_t status = s->g.thread_status[row];
    if (status == STATUS_YIELD) return SUSPENDED;
    if (status != STATUS_OK) return FAILED;
    if (thread == m->running) return RUNS;
    if (s->g.thread_frames[row] > 0) return RESUMES;
    return body_of(s, thread) == LMP_OBJECT_NONE ? ENDED : NOT_STARTED;
}

static uint64_t code_of(const LmpSnapshot *s, uint32_t function) {
    if (function == LMP_OBJECT_NONE || function == 0) return 0;
    uint32_t proto = snapshot_proto(s, function);
    return proto == LMP_OBJECT_NONE ? function : proto;
}

static bool is_coroutine(const LmpSnapshot *s, uint32_t i) {
    return s->g.kind[i] == LMP_OBJECT_THREAD && i != s->main_thread && !snapshot_garbage(s, i);
}

void suspects_put_coroutine(SuspectMaking *m, uint32_t i) {
    const LmpSnapshot *s = m->s;
    if (!is_coroutine(s, i)) return;
    State state = state_of(m, i);
    const uint32_t *frame = snap_own(s)->frame_at + s->ordinal[i];
    uint32_t at = frame[0], end = frame[1];
    while (at < end && s->g.frame_line[at] < 0)
        at++; /* yield itself, and what else is C */
    uint64_t code, line = 0;
    if (at < end) {
        code = code_of(s, s->g.frame_function[at]);
        line = (uint64_t)(uint32_t)s->g.frame_line[at];
    } else {
        code = code_of(s, body_of(s, i));
    }
    SuspectDraft *d = suspects_put(m, i, state, code, line);
    if (!d) return;
    d->number[2]++;
    d->number[3] += snapshot_counted(s, i);
}

void suspects_word_coroutines(const LmpSnapshot *s, const SuspectDraft *d, LmpSuspectRow *row) {
    static const char code[] = "code of ";
    char full[140] = "", *name = full;
    snprintf(row->text[0], sizeof row->text[0], "%s", state_name[d->key[0]]);
    if (d->key[1]) snapshot_name(s, (uint32_t)d->key[1], full, sizeof full);
    if (strncmp(full, code, sizeof code - 1) == 0) name += sizeof code - 1;
    const char *end = *name == '(' ? strrchr(name, ':') : NULL; /* it has none but its place */
    if (d->key[2] && end)
        snprintf(row->text[1], sizeof row->text[1], "%.*s:%u", (int)(end - name - 1), name + 1,
                 (unsigned)d->key[2]);
    else if (d->key[2])
        snprintf(row->text[1], sizeof row->text[1], "line %u of %s", (unsigned)d->key[2], name);
    else
        snprintf(row->text[1], sizeof row->text[1], "%s", name);
}

/* The column of each state. */
enum { MAKERS_ALL = 1, MAKERS_STACKS = 6 };
static const uint8_t makers_state[STATES] = {
    [SUSPENDED] = 2, [NOT_STARTED] = 2, [RUNS] = 3, [RESUMES] = 4, [FAILED] = 5, [ENDED] = 5};

void suspects_put_maker(SuspectMaking *m, uint32_t i) {
    const LmpSnapshot *s = m->s;
    if (!is_coroutine(s, i)) return;
    SuspectDraft *d = suspects_put(m, i, suspects_site(s, i), 0, 0);
    if (!d) return;
    d->number[MAKERS_ALL]++;
    d->number[makers_state[state_of(m, i)]]++;
    d->number[MAKERS_STACKS] += snapshot_counted(s, i);
}

/* ---- nobody resumes them --------------------------------------------------------------------- */

/* They are suspended where they were in an older snapshot, with the same objects in their
 * variables. That is no proof (a loop that does nothing but yield looks the same), but of one
 * snapshot alone not even that could be said. */

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
    const LmpObjectGraph *a = &p->s->g, *b = &p->old->g;
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
    const LmpObjectGraph *a = &p->s->g, *b = &p->old->g;
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
    if (!run->old || !run->was || run->was[thread] == LMP_OBJECT_NONE) return false;
    Stay p = {run->s, run->old, run->was, thread, run->was[thread]};
    return is_suspended(p.s, p.is) && is_suspended(p.old, p.then) && same_frames(&p) &&
           same_stack(&p);
}
