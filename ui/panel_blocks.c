/* panel_blocks.c - the live blocks of a cell of the heap map, one line each: address, type, size,
 * age, and for strings what is in them. The list is read anew with every repaint; the cursor stays
 * on its block while others come and go. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "canvas.h"
#include "describe.h"
#include "format.h"
#include "heapmap.h"
#include "panel.h"

#define MAX_ROWS 256u           /* lines that a page can have */
#define ASK_AGAIN 1000000000ull /* nanoseconds: contents are asked for anew */

typedef struct Blocks {
    const LmpView *view; /* that `source` is of */
    HeapList *source;
    uint64_t from, to; /* the range that was shown last */
    unsigned kinds;
    List list;
    uint64_t chosen; /* address of the block under the cursor, 0: the first */
    HeapListResult result;
    HeapListBlock block[MAX_ROWS]; /* result.count of them, from list.top on */
    bool read;                     /* there has been something to read */
    int page;
    /* contents: what was asked for last, and the last answer */
    uint64_t asked[LMP_PREVIEWS];
    uint32_t asked_count;
    uint64_t asked_at; /* clock of the frame */
    LmpPreview preview[LMP_PREVIEWS];
    uint32_t previews;
} Blocks;

static void *create(void) {
    return calloc(1, sizeof(Blocks));
}

static void destroy(void *state) {
    Blocks *b = state;
    heaplist_free(b->source);
    free(b);
}

static HeapListResult read_from(Blocks *b, uint64_t first, uint32_t max, HeapListBlock *out) {
    HeapListQuery q = {b->from, b->to, b->kinds, first, b->chosen};
    return heaplist_read(b->source, &q, out, max);
}

/* Reads the page of the list in which the chosen block is. */
static void read_page(Blocks *b, int page) {
    uint32_t max = page < 1 ? 1 : page > (int)MAX_ROWS ? MAX_ROWS : (uint32_t)page;
    for (int tries = 0; tries < 2; tries++) {
        b->result = read_from(b, b->list.top, max, b->block);
        uint64_t top = b->list.top;
        b->list.cursor = b->result.key;
        list_fit(&b->list, b->result.total, (int)max);
        if (b->list.top == top) break;
    }
    /* the program is at work meanwhile: the page may have become shorter */
    uint64_t row = b->list.cursor - b->list.top;
    if (row < b->result.count) b->chosen = b->block[row].addr;
    b->read = true;
}

static const LmpPreview *preview_of(const Blocks *b, uint64_t addr) {
    for (uint32_t i = 0; i < b->previews; i++)
        if (b->preview[i].addr == addr && b->preview[i].valid) return &b->preview[i];
    return NULL;
}

static void refresh(Blocks *b, const Model *model, Ui *ui, int page) {
    if (b->view != model->view || !b->source) {
        heaplist_free(b->source);
        b->source = heaplist_new(model->view);
        b->view = model->view;
    }
    bool other = b->from != ui->look_from || b->to != ui->look_to;
    if (other) {
        b->from = ui->look_from;
        b->to = ui->look_to;
        b->list = (List){0};
        b->chosen = 0;
        b->read = false;
    }
    bool moved = b->kinds != ui->kinds || b->page != page;
    b->kinds = ui->kinds;
    b->page = page;
    if (b->source && (!ui->frozen || other || moved || !b->read)) read_page(b, page);
}

/* Asks for the contents of the strings on the page: at once when they are others than before, else
 * now and then. */
static void ask(Blocks *b, const Model *model, Ui *ui) {
    uint64_t addr[LMP_PREVIEWS];
    uint32_t n = 0;
    for (uint32_t i = 0; i < b->result.count && n < LMP_PREVIEWS; i++)
        if (b->block[i].text) addr[n++] = b->block[i].addr;
    if (n == 0 || (model->seen != LMP_SEEN_RUNNING && model->seen != LMP_SEEN_PAUSED)) return;
    bool same = n == b->asked_count && memcmp(addr, b->asked, n * sizeof *addr) == 0;
    if (same && ui->now - b->asked_at < ASK_AGAIN) return;
    /* no answer yet: asking twice does not help; nor when nothing can have changed */
    if (same && (!model->preview_ready || model->seen == LMP_SEEN_PAUSED)) return;
    memcpy(b->asked, addr, n * sizeof *addr);
    b->asked_count = n;
    b->asked_at = ui->now;
    memcpy(ui->wish.preview_addr, addr, n * sizeof *addr);
    ui->wish.preview_count = n;
}

static void update(void *state, const Model *model, Ui *ui, Rect rect) {
    Blocks *b = state;
    if (!b || !model->view || rect.w <= 0 || ui->over != &panel_blocks) return;
    if (model->preview_ready && model->preview_count <= LMP_PREVIEWS && model->preview_count > 0) {
        memcpy(b->preview, model->preview, model->preview_count * sizeof *b->preview);
        b->previews = model->preview_count;
    }
}

/* ---- drawing --------------------------------------------------------------------------------- */

enum { ADDR_W = 14, TYPE_W = 13, SIZE_W = 10, AGE_W = 8, TEXT_LEAST = 12, GAP = 2 };

/* Which columns fit; address and size stay to the last. */
typedef struct Columns {
    /* where they begin (size and age: end), 0: not there */
    int type, size, age, text, right;
    bool letter; /* of the type only its letter */
} Columns;

static Columns columns_with(Rect rect, bool letter) {
    Columns c = {.letter = letter, .right = rect.x + rect.w};
    int x = rect.x + 2 + ADDR_W, type_w = letter ? 1 : TYPE_W;
    if (x + GAP + type_w <= c.right) {
        c.type = x + GAP;
        x += GAP + type_w;
    }
    if (x + SIZE_W <= c.right) {
        x += SIZE_W;
        c.size = x;
    }
    if (x + AGE_W + 1 <= c.right) {
        x += AGE_W + 1;
        c.age = x;
    }
    if (x + GAP + TEXT_LEAST <= c.right) c.text = x + GAP;
    return c;
}

/* What a string holds says more than the long name of its type. */
static Columns columns_for(Rect rect) {
    Columns c = columns_with(rect, false);
    return c.text ? c : columns_with(rect, true);
}

static void draw_heading(Canvas *canvas, Rect rect, Columns c) {
    Style style = STYLE(TONE_MUTED);
    canvas_text(canvas, rect.x + 2, rect.y, rect.w - 2, style, "address");
    if (c.type && !c.letter) canvas_text(canvas, c.type, rect.y, TYPE_W, style, "type");
    if (c.size) canvas_text_right(canvas, c.size, rect.y, SIZE_W, style, "size");
    if (c.age) canvas_text_right(canvas, c.age, rect.y, AGE_W, style, "age");
    if (c.text) canvas_text(canvas, c.text, rect.y, c.right - c.text, style, "contents");
}

static void draw_line(const Blocks *b, const Model *model, const Ui *ui, Canvas *canvas, Rect rect,
                      int y, const HeapListBlock *block, Columns c) {
    char text[512];
    bool reaches = block->addr < b->from; /* it began before the cell */
    canvas_printf(canvas, rect.x + 2, y, rect.w - 2, STYLE(reaches ? TONE_MUTED : TONE_TEXT),
                  "0x%llx", (unsigned long long)block->addr);
    if (c.type) {
        snprintf(text, sizeof text, "%s%s", kind_info[block->kind].name,
                 block->part ? " part" : "");
        if (c.letter) snprintf(text, sizeof text, "%c", kind_info[block->kind].letter);
        canvas_text(canvas, c.type, y, TYPE_W, STYLE(TONE_KIND(block->kind)), text);
    }
    if (c.size) {
        format_bytes(text, block->size);
        canvas_text_right(canvas, c.size, y, SIZE_W - 1, STYLE(TONE_STRONG), text);
    }
    if (c.age) {
        describe_age(text, block->birth, model->epoch_length, model->clock);
        canvas_text_right(canvas, c.age, y, AGE_W, STYLE(TONE_TEXT), text);
    }
    const LmpPreview *preview = block->text ? preview_of(b, block->addr) : NULL;
    int room = c.text ? c.right - c.text : 0;
    if (preview && room > 0) {
        describe_preview(text, sizeof text, preview, !ui->utf8);
        canvas_text(canvas, c.text, y, room, STYLE(TONE_SOURCE), text);
    } else if (reaches && room > 0) {
        canvas_text(canvas, c.text, y, room, STYLE(TONE_MUTED), "begins before this cell");
    }
}

static void draw(void *state, const Model *model, Ui *ui, Canvas *canvas, Rect rect) {
    Blocks *b = state;
    if (rect.w <= 0 || rect.h <= 0 || !b || !model->view) return;
    bool heading = rect.h >= 3;
    int page = rect.h - heading;
    refresh(b, model, ui, page);
    ask(b, model, ui);
    Rect body = {rect.x, rect.y + heading, rect.w, page};
    bool bar = b->result.total > (uint64_t)page && rect.w > 12;
    if (bar) body.w--;
    Columns c = columns_for(body);
    if (heading) draw_heading(canvas, (Rect){body.x, rect.y, body.w, 1}, c);
    if (b->result.total == 0) {
        canvas_text(canvas, body.x + 2, body.y, body.w - 2, STYLE(TONE_MUTED),
                    ui->kinds == (1u << LMP_KINDS) - 1 ? "no live blocks here"
                                                       : "no live blocks of the chosen types here");
        return;
    }
    for (int row = 0; row < page && (uint32_t)row < b->result.count; row++) {
        int y = body.y + row;
        draw_line(b, model, ui, canvas, body, y, &b->block[row], c);
        if (b->list.top + (uint64_t)row != b->list.cursor) continue;
        canvas_put(canvas, body.x, y, G_RIGHT, STYLE(TONE_ACCENT));
        canvas_tint(canvas, (Rect){body.x, y, body.w, 1}, TONE_SELECT);
    }
    if (bar)
        canvas_scroll(canvas, rect.x + rect.w - 1, body.y, page, b->list.top, (uint64_t)page,
                      b->result.total);
}

/* ---- keys and mouse -------------------------------------------------------------------------- */

/* The cursor stands on another line: finds out which block that is. */
static void choose(Blocks *b) {
    HeapListBlock one;
    if (!b->source) return;
    HeapListResult r = read_from(b, b->list.cursor, 1, &one);
    if (r.count == 1) b->chosen = one.addr;
    read_page(b, b->page);
}

static bool act(void *state, const Model *model, Ui *ui, Action action, Rect rect) {
    Blocks *b = state;
    (void)ui;
    if (!b || !model->view) return false;
    if (b->page < 1) b->page = rect.h > 1 ? rect.h - 1 : 1;
    if (!list_act(&b->list, action, b->page)) return false;
    choose(b);
    return true;
}

static bool mouse(void *state, const Model *model, Ui *ui, MouseWhat what, int x, int y,
                  Rect rect) {
    Blocks *b = state;
    (void)x;
    if (!b || !model->view) return false;
    if (what == MOUSE_WHEEL_UP || what == MOUSE_WHEEL_DOWN) {
        for (int i = 0; i < 3; i++)
            list_act(&b->list, what == MOUSE_WHEEL_UP ? ACT_UP : ACT_DOWN, b->page);
        choose(b);
        return true;
    }
    int row = y - (rect.h >= 3);
    if (what != MOUSE_CLICK || row < 0 || (uint32_t)row >= b->result.count) return false;
    b->list.cursor = b->list.top + (uint64_t)row;
    b->chosen = b->block[row].addr;
    (void)ui;
    return true;
}

static void note(void *state, const Model *model, const Ui *ui, char *out, size_t size) {
    const Blocks *b = state;
    char count[LMP_NUM], bytes[LMP_NUM];
    (void)model;
    if (!b || !b->read) return;
    const char *dot = ui->utf8 ? "·" : "-";
    snprintf(out, size, "0x%llx %s %s block%s %s %s %s esc back", (unsigned long long)b->from, dot,
             format_count(count, b->result.total), b->result.total == 1 ? "" : "s", dot,
             format_bytes(bytes, b->result.bytes), dot);
}

const Panel panel_blocks = {.title = "Blocks",
                            .min_w = 20,
                            .min_h = 3,
                            .create = create,
                            .destroy = destroy,
                            .update = update,
                            .draw = draw,
                            .act = act,
                            .mouse = mouse,
                            .note = note};
