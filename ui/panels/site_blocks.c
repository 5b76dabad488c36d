/* site_blocks.c - walks the leaves of the shadow map part by part within the time it is given
 * (mapscan.h), then the overflow table, and counts the blocks whose alloc context names the site
 * by size and age. */
#include "panels/site_blocks.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/format.h"
#include "base/os.h"
#include "read/heapmap/mapscan.h"
#include "widget/describe.h"
#include "widget/tallycell.h"

#define REST 10 /* the wait before the next look, in durations of the last */
#define SECOND 1000000000ull

const char *const site_blocks_ages[SITE_AGES] = {"below 10 s",    "10 s to 1 min", "1 to 10 min",
                                                 "10 min to 1 h", "over 1 h",      "not known"};
static const uint64_t age_end[SITE_AGES - 1] = {10 * SECOND, 60 * SECOND, 600 * SECOND,
                                                3600 * SECOND, UINT64_MAX};

/* The listed blocks. */
typedef struct Listed {
    MapListBlock *block;
    uint32_t count, room;
} Listed;

struct SiteBlocks {
    uint32_t id; /* of the site */
    uint32_t most;
    bool begun;
    Listed now, last; /* of the current look, and of the last complete one */
    /* the current look: its sum so far; part `part` of leaf `leaf` is next */
    SiteBlocksFound sum, found;
    uint32_t leaf, part;
    uint64_t spent, rest_until;
};

SiteBlocks *site_blocks_new(uint32_t most) {
    SiteBlocks *b = calloc(1, sizeof *b);
    if (b) b->most = most;
    return b;
}

void site_blocks_free(SiteBlocks *b) {
    if (!b) return;
    free(b->now.block);
    free(b->last.block);
    free(b);
}

/* Lists a block, unless there is no memory for more. */
static void list_block(SiteBlocks *b, uint64_t addr, uint64_t size, uint32_t entry,
                       uint32_t alloc_context) {
    Listed *l = &b->now;
    if (l->count == b->most) return;
    if (!array_room(&l->block, &l->room, l->count + 1)) return;
    l->block[l->count++] = maplist_block(addr, size, entry, alloc_context);
}

static void begin_anew(SiteBlocks *b, uint32_t id) {
    Listed now = b->now, last = b->last;
    *b = (SiteBlocks){.id = id, .most = b->most, .begun = true, .now = now, .last = last};
    b->now.count = b->last.count = 0;
}

static bool made_here(const SiteBlocks *b, const Ledger *ledger, const LmpTables *t,
                      uint32_t alloc_context) {
    uint32_t row = ledger_site_of(ledger, t, alloc_context);
    return row < ledger->sites && ledger->site[row].id == b->id;
}

static void count_block(SiteBlocks *b, const LmpView *view, uint64_t size, uint32_t entry,
                        uint64_t clock) {
    SiteBlocksFound *sum = &b->sum;
    int class = 0, age = SITE_AGES - 1;
    while (class < SITE_SIZES - 1 && size > 16ull << class)
        class ++;
    uint64_t least, most;
    if (maplist_age(LMP_BLOCK_BIRTH(entry), view->live->epoch_length, clock, &least, &most)) {
        for (age = 0; least + (most - least) / 2 >= age_end[age];)
            age++;
    }
    sum->blocks++;
    sum->bytes += size;
    sum->size_blocks[class]++;
    sum->size_bytes[class] += size;
    sum->age_blocks[age]++;
    sum->age_bytes[age] += size;
}

static void look_at_part(SiteBlocks *b, const LmpView *view, const Ledger *ledger, uint64_t clock) {
    const LmpLeaf *leaf = view->leaf[b->leaf];
    if (!mapscan_touch(leaf, b->part)) return;
    MapScan scan = mapscan_part(leaf, view->leaf_base[b->leaf], b->part);
    MapBlock block;
    while (mapscan_next(&scan, &block)) {
        if (!mapscan_counts(block.entry)) continue;
        uint32_t alloc_context = *(const volatile uint32_t *)&leaf->alloc_context[block.index];
        if (!made_here(b, ledger, &view->tables, alloc_context)) continue;
        count_block(b, view, block.size, block.entry, clock);
        list_block(b, block.addr, block.size, block.entry, alloc_context);
    }
}

/* Looks at blocks that do not fit the map's grid. */
static void look_at_overflow(SiteBlocks *b, const LmpView *view, const Ledger *ledger,
                             uint64_t clock) {
    uint32_t slots = *(const volatile uint32_t *)&view->overflow->slots;
    if (slots > LMP_OVERFLOW_MAX) slots = LMP_OVERFLOW_MAX;
    for (uint32_t i = 0; i < slots; i++) {
        LmpOverflowBlock block = view->overflow->block[i];
        if (block.addr < 2 || !mapscan_counts(block.entry)) continue;
        if (!made_here(b, ledger, &view->tables, block.alloc_context)) continue;
        count_block(b, view, block.size, block.entry, clock);
        list_block(b, block.addr, block.size, block.entry, block.alloc_context);
    }
}

void site_blocks_step(SiteBlocks *b, const LmpView *view, const Ledger *ledger, uint32_t id,
                      uint64_t clock, uint64_t now, uint64_t budget) {
    if (!b || !view->tables.text) return;
    if (!b->begun || b->id != id) begin_anew(b, id);
    if (now < b->rest_until) return;
    uint64_t start = lmp_os->clock(), time = start;
    while (b->leaf < view->leaves && time - start < budget) {
        look_at_part(b, view, ledger, clock);
        if (++b->part == LMP_TOUCHES) {
            b->part = 0;
            b->leaf++;
        }
        time = lmp_os->clock();
    }
    b->spent += time - start;
    if (b->leaf < view->leaves) return;
    look_at_overflow(b, view, ledger, clock);
    b->found = b->sum;
    b->found.any = true;
    Listed spare = b->last;
    b->last = b->now;
    b->now = spare;
    b->now.count = 0;
    b->sum = (SiteBlocksFound){0};
    b->leaf = b->part = 0;
    b->rest_until = now + (b->spent * REST > SECOND ? b->spent * REST : SECOND);
    b->spent = 0;
}

const SiteBlocksFound *site_blocks_found(const SiteBlocks *b) {
    return b->found.any ? &b->found : &b->sum;
}

const MapListBlock *site_blocks_list(const SiteBlocks *b, uint32_t *count) {
    const Listed *l = b->found.any ? &b->last : &b->now;
    *count = l->count;
    return l->block;
}

double site_blocks_progress(const SiteBlocks *b, const LmpView *view) {
    double all = (double)view->leaves * LMP_TOUCHES;
    return all > 0 ? ((double)b->leaf * LMP_TOUCHES + b->part) / all : 1;
}

/* ---- contents -------------------------------------------------------------------------------- */

#define ASK_AGAIN 1000000000ull /* nanoseconds */

void previews_take(Previews *p, const Model *model) {
    if (!model->preview_ready || model->preview_count == 0 || model->preview_count > LMP_PREVIEWS)
        return;
    memcpy(p->preview, model->preview, model->preview_count * sizeof *p->preview);
    p->count = model->preview_count;
}

void previews_ask(Previews *p, const Model *model, Ui *ui, const uint64_t *addr, uint32_t count) {
    if (count == 0 || (model->seen != LMP_SEEN_RUNNING && model->seen != LMP_SEEN_PAUSED)) return;
    bool same = count == p->asked_count && memcmp(addr, p->asked, count * sizeof *addr) == 0;
    if (same && ui->now - p->asked_at < ASK_AGAIN) return;
    /* while an answer is missing asking twice does not help; nor if nothing can have changed */
    if (same && (!model->preview_ready || model->seen == LMP_SEEN_PAUSED)) return;
    memcpy(p->asked, addr, count * sizeof *addr);
    p->asked_count = count;
    p->asked_at = ui->now;
    Request request = {.kind = REQUEST_PREVIEW, .preview = {.count = count}};
    memcpy(request.preview.addr, addr, count * sizeof *addr);
    request_put(&ui->requests, &request);
}

const LmpPreview *previews_of(const Previews *p, uint64_t addr) {
    for (uint32_t i = 0; i < p->count; i++)
        if (p->preview[i].addr == addr && p->preview[i].valid) return &p->preview[i];
    return NULL;
}

/* ---- on the page of a site ------------------------------------------------------------------- */

static int not_empty(const uint64_t *count, int classes) {
    int n = 0;
    for (int i = 0; i < classes; i++)
        n += count[i] > 0;
    return n;
}

/* Returns what was found of the site's blocks; NULL: there is no map to look at. */
static const SiteBlocksFound *found_of(const SiteBlocks *blocks, const Model *model) {
    return blocks && model->view ? site_blocks_found(blocks) : NULL;
}

int site_found_lines(const SiteBlocks *blocks, const Model *model) {
    const SiteBlocksFound *found = found_of(blocks, model);
    if (!found) return 0;
    return flow_section_lines(not_empty(found->size_blocks, SITE_SIZES)) +
           flow_section_lines(not_empty(found->age_blocks, SITE_AGES));
}

void site_found_sizes(Flow *f, const SiteBlocks *blocks, const Model *model,
                      const LmpSiteRow *row) {
    const SiteBlocksFound *found = found_of(blocks, model);
    int kind = describe_site_kind(row, (1u << LMP_KINDS) - 1);
    Style bar = STYLE(kind < 0 ? TONE_TEXT : TONE_KIND(kind));
    char note[64] = "live bytes and blocks", label[LMP_NUM], size[LMP_NUM];
    if (!found) return;
    if (!found->any)
        snprintf(note, sizeof note, "looking, %.0f %%",
                 site_blocks_progress(blocks, model->view) * 100);
    flow_title(f, "Sizes", note);
    for (int i = 0; i < SITE_SIZES; i++) {
        if (found->size_blocks[i] == 0) continue;
        bool last = i == SITE_SIZES - 1;
        describe_cell_size(size, 16ull << (last ? i - 1 : i));
        snprintf(label, sizeof label, "%s %.20s", last ? "over" : "to", size);
        flow_bar(f, label, STYLE(TONE_MUTED), bar,
                 tallycell_share_of(found->size_bytes[i], found->bytes), found->size_bytes[i],
                 found->size_blocks[i]);
    }
    if (found->blocks == 0) flow_text(f, "no live blocks found");
    flow_title(f, "Ages", note);
    for (int i = 0; i < SITE_AGES; i++) {
        if (found->age_blocks[i] == 0) continue;
        flow_bar(f, site_blocks_ages[i], STYLE(TONE_MUTED), bar,
                 tallycell_share_of(found->age_bytes[i], found->bytes), found->age_bytes[i],
                 found->age_blocks[i]);
    }
    if (found->blocks == 0) flow_text(f, "no live blocks found");
}

/* Draws one block: size, age, and what a string holds, else the block's type and address. */
static void put_block(Flow *f, const Previews *previews, const Model *model,
                      const MapListBlock *block) {
    char size[LMP_NUM], age[32], text[256];
    int x = f->rect.x + 1, y = flow_y(f), right = f->rect.x + f->rect.w;
    canvas_text_right(f->canvas, x + 10, y, 10, STYLE(TONE_STRONG),
                      format_bytes(size, block->size));
    canvas_text_right(f->canvas, x + 19, y, 8, STYLE(TONE_MUTED),
                      describe_age(age, block->birth, model->epoch_length, model->clock));
    const LmpPreview *preview = block->text ? previews_of(previews, block->addr) : NULL;
    x += 21;
    if (preview) {
        describe_preview(text, sizeof text, preview, !f->utf8);
        canvas_text(f->canvas, x, y, right - x, STYLE(TONE_SOURCE), text);
    } else {
        x += canvas_printf(f->canvas, x, y, right - x, STYLE(TONE_KIND(block->kind)), "%s%s",
                           kind_info[block->kind].name, block->part ? " part" : "");
        canvas_printf(f->canvas, x, y, right - x, STYLE(TONE_MUTED), " 0x%llx",
                      (unsigned long long)block->addr);
    }
    f->line++;
}

void site_found_blocks(Flow *f, const SiteBlocks *blocks, Previews *previews, const Model *model,
                       Ui *ui, int rows) {
    const SiteBlocksFound *found = found_of(blocks, model);
    uint64_t text[LMP_PREVIEWS];
    uint32_t count = 0, texts = 0;
    if (!found || found->blocks == 0 || rows < 3) return;
    const MapListBlock *block = site_blocks_list(blocks, &count);
    if (count > (uint32_t)rows) count = (uint32_t)rows;
    if (count == 0) return;
    flow_title(f, "Blocks",
               count < found->blocks ? "some of them; enter lists all" : "enter looks inside");
    for (uint32_t i = 0; i < count; i++) {
        put_block(f, previews, model, &block[i]);
        if (block[i].text && texts < LMP_PREVIEWS) text[texts++] = block[i].addr;
    }
    previews_ask(previews, model, ui, text, texts);
}
