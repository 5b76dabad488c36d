/* site_found.c - draws what site_blocks.h found: histograms of sizes and ages, empty classes left
 * out, then single blocks with the contents of strings. */
#include "panels/site_found.h"

#include <stdio.h>

#include "base/format.h"
#include "widget/describe.h"
#include "widget/tallycell.h"

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
        flow_bar(f, label, STYLE(TONE_MUTED), bar, tally_share(found->size_bytes[i], found->bytes),
                 found->size_bytes[i], found->size_blocks[i]);
    }
    if (found->blocks == 0) flow_text(f, "no live blocks found");
    flow_title(f, "Ages", note);
    for (int i = 0; i < SITE_AGES; i++) {
        if (found->age_blocks[i] == 0) continue;
        flow_bar(f, site_blocks_ages[i], STYLE(TONE_MUTED), bar,
                 tally_share(found->age_bytes[i], found->bytes), found->age_bytes[i],
                 found->age_blocks[i]);
    }
    if (found->blocks == 0) flow_text(f, "no live blocks found");
}

/* Draws one block: size, age, and what a string holds, else the block's type and address. */
static void put_block(Flow *f, const Previews *previews, const Model *model,
                      const HeapListBlock *block) {
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
    const HeapListBlock *block = site_blocks_list(blocks, &count);
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
