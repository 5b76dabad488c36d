/* requests.c - compares each request's sequence number with the last one answered, answers what is
 * new, and stores its number. Collections wait for a safepoint (safepoint.h). */
#include "agent/hook/requests.h"

#include <stdio.h>
#include <string.h>

#include "agent/hook/break_check.h"
#include "agent/hook/memory_told.h"
#include "agent/hook/slow_path.h"
#include "agent/interp/safepoint.h"
#include "agent/map/shadow.h"
#include "agent/objects/offsets.h"
#include "agent/objects/shape.h"
#include "base/os.h"
#include "shared/counters.h"

/* A program that sets a mark in each round is to be slowed by this part at most. */
enum { MARK_SHARE = 20 };

static LmpMarked marked_of(const LmpUsage *use) {
    return (LmpMarked){use->allocs, use->bytes, use->bytes - use->free_bytes};
}

/* Copies the figures of every record and node at the mark, so that a later reader can count from
 * it. Where marks come too fast, some have no such rows. */
static void note_rows(LmpProfile *p, LmpMark *mark) {
    LmpLive *live = p->live;
    LmpTables *t = &p->tables;
    uint32_t column = live->marked % LMP_MARKED;
    mark->rows = mark->records = mark->nodes = 0;
    if (!t->text || live->tables.records == 0 || mark->clock < p->slow->mark_due) return;
    for (uint32_t i = 1; i < live->tables.records; i++)
        t->marked_record[i][column] = marked_of(&t->record[i].use);
    LmpUsage room;
    for (uint32_t i = 1; i < live->tables.nodes; i++)
        t->marked_node[i][column] = marked_of(tables_node_usage(t, i, &room));
    mark->records = live->tables.records;
    mark->nodes = live->tables.nodes;
    mark->rows = ++live->marked;
    uint64_t now = lmp_os->clock() - p->start;
    p->slow->mark_due = now + (now - mark->clock) * MARK_SHARE;
}

void requests_tell_recorder(LmpProfile *p) {
    if (atomic_load(&p->control->peak_wake) == 0) return;
    atomic_fetch_add(&p->live->changed, 1);
    lmp_os->futex_wake(&p->live->changed);
}

void requests_mark(LmpProfile *p, const char *name) {
    LmpLive *live = p->live;
    LmpMark *mark = &live->mark[live->marks % LMP_MARKS];
    mark->clock = lmp_os->clock() - p->start;
    if (name) {
        snprintf(mark->name, sizeof mark->name, "%s", name);
    } else {
        snprintf(mark->name, sizeof mark->name, "mark %u", live->marks + 1);
    }
    LmpClassTotal total[LMP_CLASSES];
    counters_read(&live->counters, total);
    for (unsigned c = 0; c < LMP_CLASSES; c++) {
        mark->class_live[c] = total[c].live_bytes;
        mark->class_blocks[c] = total[c].live_blocks;
        mark->class_allocs[c] = total[c].allocs;
        mark->class_made[c] = total[c].live_bytes + total[c].free_bytes;
    }
    note_rows(p, mark);
    mark->laps = live->laps.laps;
    mark->number = live->marks + 1;
    atomic_thread_fence(memory_order_release);
    live->marks++;
    requests_tell_recorder(p);
}

/* Returns the bytes of a string, by the size of its block; NULL: not to be read now. From Lua 5.5
 * on they may be elsewhere, which a string does not say that is being made; and one that is dead
 * may have given them back. */
static const char *string_bytes(const LmpProfile *p, const LmpObjectHand *hand, uintptr_t string,
                                uint64_t block, uint64_t *size) {
    if (block <= LMP_STRING_HEAD) return NULL;
    *size = block - LMP_STRING_HEAD - 1;
    if ((int)LMP_STRING_LONG_HEAD == LMP_STRING_HEAD)
        return (const char *)string + LMP_STRING_HEAD; /* NOLINT */
    if (string == hand->new_addr || p->closing || offsets_known() != LMP_OK) return NULL;
    return shape_is_dead(p, string) ? NULL : object_string(string, size);
}

static void preview_string(const LmpProfile *p, const LmpObjectHand *hand, uintptr_t string,
                           uint64_t block, uint64_t *budget, LmpPreview *out) {
    const char *bytes = string_bytes(p, hand, string, block, &out->size);
    if (!bytes) return;
    out->valid = LMP_PREVIEW_STRING;
    out->shown = (uint32_t)(out->size < LMP_PREVIEW_BYTES ? out->size : LMP_PREVIEW_BYTES);
    memcpy(out->bytes, bytes, out->shown);
    if (out->size > *budget) return;
    *budget -= out->size;
    out->hash = object_hash((uintptr_t)bytes, out->size) | 1;
}

static void answer_previews(LmpProfile *p, const LmpObjectHand *hand, uint32_t request) {
    uint32_t n = p->control->preview_count;
    uint64_t budget = p->control->preview_whole ? LMP_PREVIEW_HASHED : 0;
    if (n > LMP_PREVIEWS) n = LMP_PREVIEWS;
    for (uint32_t i = 0; i < n; i++) {
        LmpPreview *out = &p->live->preview[i];
        uint64_t size = 0;
        memset(out, 0, sizeof *out);
        out->addr = p->control->preview_addr[i];
        uint32_t e = shadow_lookup(p, (uintptr_t)out->addr, &size);
        if ((e & 15) == LMP_C_STRING)
            preview_string(p, hand, (uintptr_t)out->addr, size, &budget, out);
        if ((e & 15) == LMP_C_TABLE && offsets_known() == LMP_OK)
            shape_read(p, hand, (uintptr_t)out->addr, size, out);
    }
    p->live->preview_count = n;
    atomic_store(&p->live->preview_done, request);
}

void requests_serve(LmpProfile *p, bool stack_safe, const LmpObjectHand *hand) {
    LmpControl *control = p->control;
    LmpLive *live = p->live;
    uint32_t preview = atomic_load(&control->preview), mark = atomic_load(&control->mark);
    if (break_check_take(p)) slow_path_route(p);
    if (atomic_load(&live->preview_done) != preview) answer_previews(p, hand, preview);
    uint32_t memory = atomic_load(&control->memory);
    if (live->memory.done != memory) memory_told_answer(p, memory);
    if (atomic_load(&live->mark_done) != mark) {
        requests_mark(p, NULL);
        atomic_store(&live->mark_done, mark);
    }
    if (atomic_load(&live->collect_done) != atomic_load(&control->collect) && !p->collect.waits)
        p->collect.due = true;
    safepoint_serve(p, &p->collect, stack_safe);
}
