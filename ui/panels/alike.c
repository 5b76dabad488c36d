/* alike.c - asks the program for the contents of up to LMP_PREVIEWS blocks at a time, and puts each
 * block into the group of its contents' hash and size. A look that is complete replaces the last
 * one. */
#include "panels/alike.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/keymap.h"
#include "base/rowindex.h"

#define ASK_AGAIN 1000000000ull /* nanoseconds */

/* One look at all blocks. */
typedef struct AlikeLook {
    AlikeGroup *group;
    uint32_t groups, room;
    KeyMap by_id, by_addr; /* rows of group[] */
    AlikeSum sum;
} AlikeLook;

struct Alike {
    AlikeBy by;
    HeapListBlock *block; /* count of them; the next one to be read is `next` */
    uint32_t count, next;
    AlikeLook now, last;
    bool any, done;
    uint64_t serial;
    uint32_t asking; /* so many blocks, all before `upto` */
    uint32_t upto;
    uint64_t asked_at;
    uint64_t asked[LMP_PREVIEWS];
    uint32_t asked_block[LMP_PREVIEWS];
};

Alike *alike_new(void) {
    return calloc(1, sizeof(Alike));
}

static void look_free(AlikeLook *look) {
    free(look->group);
    keymap_free(&look->by_id);
    keymap_free(&look->by_addr);
    *look = (AlikeLook){0};
}

void alike_free(Alike *a) {
    if (!a) return;
    look_free(&a->now);
    look_free(&a->last);
    free(a->block);
    free(a);
}

static void look_clear(AlikeLook *look) {
    look->groups = 0;
    look->sum = (AlikeSum){0};
    keymap_clear(&look->by_id);
    keymap_clear(&look->by_addr);
}

static bool is_wanted(const Alike *a, const HeapListBlock *block) {
    return a->by == ALIKE_CONTENT ? block->text : block->kind == LMP_TABLE && !block->part;
}

/* The group with this id; NULL: no memory. */
static AlikeGroup *group_of(AlikeLook *look, uint64_t id) {
    uint32_t row = keymap_get(&look->by_id, id, UINT32_MAX);
    if (row != UINT32_MAX) return &look->group[row];
    if (!array_room(&look->group, &look->room, look->groups + 1)) return NULL;
    if (!keymap_set(&look->by_id, id, look->groups)) return NULL;
    AlikeGroup *group = &look->group[look->groups++];
    *group = (AlikeGroup){.id = id};
    return group;
}

/* Counts a block in its group; `preview` NULL: its contents are not known. */
static void put_block(AlikeLook *look, const HeapListBlock *block, const LmpPreview *preview) {
    uint64_t id = block->kind * 2ull + block->part + 1;
    if (preview) id = rowindex_mix(rowindex_mix(0, preview->hash), preview->size) & INT64_MAX;
    AlikeGroup *group = group_of(look, id);
    if (!group) return;
    if (group->blocks == 0) {
        group->kind = block->kind;
        group->part = block->part;
        group->read = preview != NULL;
        if (preview) group->preview = *preview;
        look->sum.groups += preview != NULL;
    }
    group->blocks++;
    group->bytes += block->size;
    look->sum.compared += preview != NULL;
    keymap_set(&look->by_addr, block->addr, (uint32_t)(group - look->group));
}

static void end_look(Alike *a) {
    AlikeLook spare = a->last;
    a->last = a->now;
    a->now = spare;
    look_clear(&a->now);
    a->any = a->done = true;
    a->serial++;
}

void alike_begin(Alike *a, AlikeBy by, const HeapListBlock *block, uint32_t count, bool keep) {
    HeapListBlock *copy = realloc(a->block, (count ? count : 1) * sizeof *copy);
    a->by = by;
    a->next = a->asking = 0;
    a->done = false;
    look_clear(&a->now);
    if (!keep) {
        look_clear(&a->last);
        a->any = false;
    }
    a->count = copy ? count : 0;
    if (copy) a->block = copy;
    if (a->count) memcpy(copy, block, count * sizeof *copy);
    a->now.sum.blocks = a->count;
    for (uint32_t i = 0; i < a->count; i++)
        a->now.sum.wanted += is_wanted(a, &a->block[i]);
    a->serial++;
}

void alike_take(Alike *a, const Model *model) {
    if (!a->asking || !model->preview_ready || model->preview_count != a->asking) return;
    for (uint32_t i = 0; i < a->asking; i++)
        if (model->preview[i].addr != a->asked[i]) return;
    uint32_t valid = a->by == ALIKE_CONTENT ? LMP_PREVIEW_STRING : LMP_PREVIEW_SHAPE;
    for (uint32_t i = 0; i < a->asking; i++) {
        const LmpPreview *preview = &model->preview[i];
        bool known = preview->valid == valid && preview->hash;
        put_block(&a->now, &a->block[a->asked_block[i]], known ? preview : NULL);
    }
    a->now.sum.looked += a->asking;
    a->next = a->upto;
    a->asking = 0;
    if (!a->any) a->serial++;
}

/* Chooses the next blocks to be read, as many as are hashed at once; the others up to there are put
 * into their groups at once. */
static void choose(Alike *a) {
    uint64_t bytes = 0;
    uint32_t at = a->next;
    for (; at < a->count && a->asking < LMP_PREVIEWS; at++) {
        const HeapListBlock *block = &a->block[at];
        if (!is_wanted(a, block) || a->now.sum.looked + a->asking >= ALIKE_MOST) {
            put_block(&a->now, block, NULL);
            continue;
        }
        bytes += block->size;
        if (a->asking && bytes > LMP_PREVIEW_HASHED) break;
        a->asked[a->asking] = block->addr;
        a->asked_block[a->asking++] = at;
    }
    a->upto = at;
}

void alike_ask(Alike *a, const Model *model, Ui *ui) {
    bool answers = model->seen == LMP_SEEN_RUNNING || model->seen == LMP_SEEN_PAUSED;
    if (a->done || !answers) return;
    if (a->asking && ui->now - a->asked_at < ASK_AGAIN) return;
    if (!a->asking) choose(a);
    if (!a->asking) {
        end_look(a);
        return;
    }
    Request request = {.kind = REQUEST_PREVIEW, .preview = {.count = a->asking, .whole = true}};
    memcpy(request.preview.addr, a->asked, a->asking * sizeof *a->asked);
    request_put(&ui->requests, &request);
    a->asked_at = ui->now;
}

bool alike_done(const Alike *a) {
    return a->done;
}

static const AlikeLook *shown(const Alike *a) {
    return a->any ? &a->last : &a->now;
}

const AlikeGroup *alike_groups(const Alike *a, uint32_t *count) {
    *count = shown(a)->groups;
    return shown(a)->group;
}

AlikeSum alike_sum(const Alike *a) {
    return shown(a)->sum;
}

uint64_t alike_serial(const Alike *a) {
    return a->serial;
}

uint64_t alike_group_of(const Alike *a, uint64_t addr) {
    const AlikeLook *look = shown(a);
    uint32_t row = keymap_get(&look->by_addr, addr, UINT32_MAX);
    return row < look->groups ? look->group[row].id : 0;
}
