/* alike.c - asks the program for the contents of up to LMP_PREVIEWS blocks at a time, and puts each
 * block into the group of its contents' hash and size. A look that is complete replaces the last
 * one. */
#include "panels/alike.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/format.h"
#include "base/keymap.h"
#include "base/rowindex.h"
#include "widget/describe.h"

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
    MapListBlock *block; /* count of them; the next one to be read is `next` */
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

static bool is_wanted(const Alike *a, const MapListBlock *block) {
    return a->by == ALIKE_CONTENT ? block->text : block->kind == LMP_TABLE && !block->part;
}

/* Returns the group with this id; NULL: no memory. */
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
static void put_block(AlikeLook *look, const MapListBlock *block, const LmpPreview *preview) {
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

void alike_begin(Alike *a, AlikeBy by, const MapListBlock *block, uint32_t count, bool keep) {
    MapListBlock *copy = realloc(a->block, (count ? count : 1) * sizeof *copy);
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
        const MapListBlock *block = &a->block[at];
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

uint64_t alike_group_of(const Alike *a, uint64_t addr) {
    const AlikeLook *look = shown(a);
    uint32_t row = keymap_get(&look->by_addr, addr, UINT32_MAX);
    return row < look->groups ? look->group[row].id : 0;
}

/* ---- as a table ------------------------------------------------------------------------------ */

static const void *group_at(const TableSource *from, uint32_t row) {
    const BlocksAlike *b = from->rows;
    uint32_t count;
    return &alike_groups(b->alike, &count)[row];
}

static const AlikeGroup *row_of(const TableSource *from, uint32_t row) {
    return group_at(from, row);
}

static void name_group(const AlikeGroup *group, bool ascii, char *out, size_t size) {
    if (!group->read)
        snprintf(out, size, "%s%s, not compared", kind_info[group->kind].name,
                 group->part                                               ? " parts"
                 : group->kind == LMP_USERDATA || group->kind == LMP_OTHER ? ""
                                                                           : "s");
    else if (group->preview.valid == LMP_PREVIEW_SHAPE)
        describe_shape(out, size, &group->preview, ascii);
    else
        describe_preview(out, size, &group->preview, ascii);
}

static void cell_contents(const TableSource *from, uint32_t row, TableCell *cell) {
    const AlikeGroup *group = row_of(from, row);
    name_group(group, !from->ui->utf8, cell->text, sizeof cell->text);
    cell->style = STYLE(!group->read                                ? TONE_MUTED
                        : group->preview.valid == LMP_PREVIEW_SHAPE ? TONE_KIND(group->kind)
                                                                    : TONE_SOURCE);
}

/* Returns NaN, which comes last in any order, for what is not known to be alike. */
static double rank(const TableSource *from, uint32_t row, double figure) {
    return row_of(from, row)->read ? figure : (double)NAN;
}
static double value_each(const TableSource *from, uint32_t row) {
    const AlikeGroup *group = row_of(from, row);
    return (double)group->bytes / (double)group->blocks;
}

enum { COL_BLOCKS, COL_BYTES };
static const TableColumn columns[] = {
    [COL_BLOCKS] = {"blocks", 9, 12, 1, FIGURE(AlikeGroup, blocks, LOOK_TIMES), .tone = TONE_STRONG,
                    .help = "how many of them are alike"},
    [COL_BYTES] = {"size", 10, 11, 0, FIGURE(AlikeGroup, bytes, LOOK_BYTES), .tone = TONE_STRONG,
                   .help = "of all of them; of tables without their parts"},
    {"each", 10, 10, 2, .value = value_each, .look = LOOK_BYTES, .tone = TONE_MUTED,
     .help = "of one of them, on average"},
    {"contents", 13, 13, 0, .align = TABLE_LEFT, .flex = true, .cell = cell_contents,
     .help = "the string's beginning; the table's string keys"},
};

static uint64_t id_of(const TableSource *from, uint32_t row) {
    return row_of(from, row)->id;
}

static void words_of(const TableSource *from, uint32_t row, char *out, size_t size) {
    name_group(row_of(from, row), !from->ui->utf8, out, size);
}

static bool rows(void *state, TableSource *from) {
    const BlocksAlike *b = state;
    from->rows = b;
    alike_groups(b->alike, &from->count);
    from->serial = b->alike->serial;
    return true;
}

static bool enter(const TableSource *from, uint32_t row, Ui *ui) {
    (void)ui;
    BlocksAlike *b = (BlocksAlike *)(uintptr_t)from->rows;
    b->entered = row_of(from, row)->id;
    return true;
}

static const TablePanelDef def = {
    .table = {.name = "Alike",
              TABLE_COLUMNS_OF(columns),
              .sort = COL_BYTES,
              .id = id_of,
              .words = words_of,
              .rank = rank,
              .empty = "none so far"},
    .rows = rows,
    .row = group_at,
    .above = 1, /* the choice of the list */
    .enter = enter,
};

BlocksAlike *blocks_alike_new(void) {
    BlocksAlike *b = tablepanel_new(&def, sizeof *b);
    if (b) b->alike = alike_new();
    if (b && b->alike) return b;
    blocks_alike_free(b);
    return NULL;
}

void blocks_alike_free(BlocksAlike *b) {
    if (!b) return;
    alike_free(b->alike);
    tablepanel_free(b);
}

void blocks_alike_note(const BlocksAlike *b, AlikeBy by, char *out, size_t size) {
    char read[LMP_NUM], all[LMP_NUM], groups[LMP_NUM];
    const char *what = by == ALIKE_CONTENT ? "string" : "table";
    const char *alike = by == ALIKE_CONTENT ? "content" : "set";
    AlikeSum sum = alike_sum(b->alike);
    format_count(groups, sum.groups);
    if (sum.compared < sum.wanted)
        snprintf(out, size, "%s of %s %ss compared · %s %s%s%s · esc back",
                 format_count(read, sum.compared), format_count(all, sum.wanted), what, groups,
                 alike, sum.groups == 1 ? "" : "s", by == ALIKE_KEYS ? " of keys" : "");
    else
        snprintf(out, size, "%s %s%s · %s %s%s%s · esc back", format_count(all, sum.wanted), what,
                 sum.wanted == 1 ? "" : "s", groups, alike, sum.groups == 1 ? "" : "s",
                 by == ALIKE_KEYS ? " of keys" : "");
}

void blocks_alike_name(const BlocksAlike *b, uint64_t id, bool ascii, char *out, size_t size) {
    uint32_t count;
    const AlikeGroup *group = alike_groups(b->alike, &count);
    out[0] = 0;
    for (uint32_t i = 0; i < count; i++)
        if (group[i].id == id) name_group(&group[i], ascii, out, size);
}
