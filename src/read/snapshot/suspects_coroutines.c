/* luasuspects_coroutines.c - the two pages of coroutines: where they wait, and who made them
 * (luasuspects_impl.h). */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "read/snapshot/luasuspects_impl.h"
#include "read/snapshot/snapshot_impl.h"

typedef enum State { SUSPENDED, NOT_STARTED, RUNS, RESUMES, FAILED, ENDED, STATES } State;
static const char *const state_name[STATES] = {"suspended",       "not started",       "runs",
                                               "resumes another", "ended by an error", "ended"};

enum { STATUS_OK = 0, STATUS_YIELD = 1 }; /* LUA_OK, LUA_YIELD */

static uint32_t body_of(const LmpSnapshot *s, uint32_t thread) {
    for (uint32_t e = s->g.edge_at[thread]; e < s->g.edge_at[thread + 1]; e++)
        if ((s->g.edge_kind[e] & LMP_EDGE_KIND) == LMP_EDGE_LOCAL &&
            (s->g.kind[s->g.edge_to[e]] == LMP_HEAP_LUA_FUNCTION ||
             s->g.kind[s->g.edge_to[e]] == LMP_HEAP_C_FUNCTION))
            return s->g.edge_to[e];
    return LMP_HEAP_NONE;
}

static State state_of(const LmpSnapshot *s, uint32_t thread, uint32_t running) {
    uint32_t row = s->ordinal[thread];
    uint8_t status = s->g.thread_status[row];
    if (status == STATUS_YIELD) return SUSPENDED;
    if (status != STATUS_OK) return FAILED;
    if (thread == running) return RUNS;
    if (s->g.thread_frames[row] > 0) return RESUMES;
    return body_of(s, thread) == LMP_HEAP_NONE ? ENDED : NOT_STARTED;
}

static uint64_t code_of(const LmpSnapshot *s, uint32_t function) {
    if (function == LMP_HEAP_NONE || function == 0) return 0;
    uint32_t proto = snapshot_proto(s, function);
    return proto == LMP_HEAP_NONE ? function : proto;
}

static bool is_coroutine(const LmpSnapshot *s, uint32_t i) {
    return s->g.kind[i] == LMP_HEAP_THREAD && i != s->main_thread && !snapshot_garbage(s, i);
}

/* The number of the first frame of each thread, by ordinal. NULL: no memory. */
static uint32_t *first_frames(const LmpSnapshot *s) {
    uint32_t threads = s->g.count[LMP_HEAP_THREAD], sum = 0;
    uint32_t *first = malloc(((size_t)threads + 1) * sizeof *first);
    for (uint32_t i = 0; first && i < threads; i++) {
        first[i] = sum;
        sum += s->g.thread_frames[i];
    }
    return first;
}

void suspects_collect_coroutines(SuspectMaking *m) {
    const LmpSnapshot *s = m->s;
    uint32_t running = suspects_root(s, LMP_ROOT_RUNNING);
    uint32_t *first = first_frames(s);
    m->failed = m->failed || !first;
    for (uint32_t i = 1; i < s->g.objects && suspects_go_on(m, i); i++) {
        if (!is_coroutine(s, i)) continue;
        State state = state_of(s, i, running);
        uint32_t at = first[s->ordinal[i]], end = at + s->g.thread_frames[s->ordinal[i]];
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
        if (!d) break;
        d->number[2]++;
        d->number[3] += snapshot_counted(s, i);
    }
    free(first);
}

void suspects_finish_coroutines(const SuspectMaking *m, SuspectDraft *d) {
    (void)m;
    d->order[0] = d->number[4] = d->retained;
    d->order[1] = d->objects;
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

void suspects_collect_makers(SuspectMaking *m) {
    const LmpSnapshot *s = m->s;
    uint32_t running = suspects_root(s, LMP_ROOT_RUNNING);
    for (uint32_t i = 1; i < s->g.objects && suspects_go_on(m, i); i++) {
        if (!is_coroutine(s, i)) continue;
        SuspectDraft *d = suspects_put(m, i, suspects_site(s, i), 0, 0);
        if (!d) return;
        d->number[MAKERS_ALL]++;
        d->number[makers_state[state_of(s, i, running)]]++;
        d->number[MAKERS_STACKS] += snapshot_counted(s, i);
    }
}

void suspects_finish_makers(const SuspectMaking *m, SuspectDraft *d) {
    (void)m;
    d->order[0] = d->number[MAKERS_STACKS];
    d->order[1] = d->objects;
}
