/* panel_blocks.c - the live blocks of a cell of the heap map or of a site, one line each: address,
 * type, size, age, the site that made it, and what is in strings and tables; or alike blocks in one
 * line (alike.h). The list of a cell is read anew with every repaint; the blocks of a site
 * are searched for in the whole heap, a little with every repaint (site_blocks.h). The cursor stays
 * on its block while others come and go. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/format.h"
#include "panels/alike.h"
#include "panels/opened.h"
#include "panels/site_blocks.h"
#include "read/heapmap/heapmap.h"
#include "screen/canvas.h"
#include "widget/describe.h"
#include "widget/tablepanel.h"

#define MOST 65536u                /* blocks listed, the first ones by address */
#define MOST_OF_SITE 16384u        /* the first ones found */
#define BUDGET 4000000ull          /* nanoseconds of a repaint for the search */
#define ALIKE_AGAIN 10000000000ull /* nanoseconds until the next look for alike blocks */

typedef struct Blocks {
    TablePanel panel;
    const LmpView *view; /* that `source` belongs to */
    MapList *source;
    uint64_t from, to; /* the range shown last */
    unsigned kinds;
    MapListResult result;
    MapListBlock *block;       /* result.count of them, by address */
    uint32_t room;             /* of block */
    const MapListBlock *shown; /* result.count of them: `block`, or those of the site */
    bool of_site;
    uint64_t site;
    SiteBlocks *site_blocks; /* NULL: no site has been shown yet */
    uint64_t serial;         /* of what was read */
    bool read;               /* there has been something to read */
    Previews previews;
    BlocksAlike *alike;  /* NULL: never chosen */
    bool alike_begun;    /* of these blocks */
    uint64_t alike_done; /* when it was through, 0: it is not */
    uint64_t within;     /* id of a group: only its blocks are listed; 0: all are */
} Blocks;

static const char *const by_words[ALIKE_WAYS] = {"block", "content", "keys"};
static const ByChoice choice = {by_words, ALIKE_WAYS, true};

static bool shows_groups(const Blocks *b) {
    return b->panel.by != ALIKE_NOT && b->alike && !b->within;
}

static const Blocks *blocks_of(const TableSource *from) {
    return from->rows;
}

static const void *block_at(const TableSource *from, uint32_t row) {
    return &blocks_of(from)->shown[row];
}

static const MapListBlock *block_of(const TableSource *from, uint32_t row) {
    return block_at(from, row);
}

/* Reads the blocks of the range, as many as are listed. */
static void read_blocks(Blocks *b) {
    MapListQuery q = {b->from, b->to, b->kinds, 0, 0};
    for (int tries = 0; tries < 2; tries++) {
        b->result = maplist_read(b->source, &q, b->block, b->room);
        uint64_t want = b->result.total < MOST ? b->result.total : MOST;
        if (want <= b->room) break;
        /* the program is running: there may be a few more by then */
        uint32_t room = want + want / 8 < MOST ? (uint32_t)(want + want / 8) : MOST;
        MapListBlock *more = realloc(b->block, room * sizeof *more);
        if (!more) break;
        b->block = more;
        b->room = room;
    }
    b->shown = b->block;
    b->read = true;
    b->serial++;
}

/* Continues the search for the site's blocks. The list may have moved, whatever was found. */
static void read_site(Blocks *b, const Model *model, Ui *ui) {
    if (!b->site_blocks) b->site_blocks = site_blocks_new(MOST_OF_SITE);
    b->result = (MapListResult){0};
    b->shown = NULL;
    b->serial++;
    b->read = true;
    if (!b->site_blocks || !model->view->tables.text) return;
    site_blocks_step(b->site_blocks, model->view, &model->ledger, (uint32_t)b->site, model->clock,
                     ui->now, BUDGET);
    const SiteBlocksFound *found = site_blocks_found(b->site_blocks);
    b->result.total = found->blocks;
    b->result.bytes = found->bytes;
    b->shown = site_blocks_list(b->site_blocks, &b->result.count);
    if (!found->any) ui->restless = true;
}

static void refresh(Blocks *b, const Model *model, Ui *ui) {
    if (b->view != model->view || !b->source) {
        maplist_free(b->source);
        b->source = maplist_new(model->view);
        b->view = model->view;
    }
    uint64_t look_from = ui->look_site ? 0 : ui->look_from,
             look_to = ui->look_site ? 0 : ui->look_to;
    bool other = b->from != look_from || b->to != look_to || b->of_site != ui->look_site ||
                 (b->of_site && b->site != ui->look_site_id);
    if (other) {
        b->from = look_from;
        b->to = look_to;
        b->of_site = ui->look_site;
        b->site = ui->look_site_id;
        b->read = false;
        b->alike_begun = false;
        b->within = 0;
        table_to_top(&b->panel.table);
    }
    bool changed = b->kinds != ui->kinds;
    b->kinds = ui->kinds;
    if (changed) b->alike_begun = false;
    bool whole = !b->of_site || (b->site_blocks && site_blocks_found(b->site_blocks)->any);
    if (ui->frozen && !other && !changed && b->read && whole) return;
    if (b->of_site) {
        read_site(b, model, ui);
    } else if (b->source) {
        read_blocks(b);
    }
}

/* Requests what is in the strings and tables on the page. */
static void ask(Blocks *b, const Model *model, Ui *ui, int page) {
    uint64_t addr[LMP_PREVIEWS];
    uint32_t n = 0;
    const List *list = &b->panel.table.list;
    for (uint64_t i = list->top; i < list->count && i < list->top + (uint64_t)page; i++) {
        const MapListBlock *block = &b->shown[b->panel.table.order[i]];
        bool table = block->kind == LMP_TABLE && !block->part;
        if ((block->text || table) && n < LMP_PREVIEWS) addr[n++] = block->addr;
    }
    previews_ask(&b->previews, model, ui, addr, n);
}

/* ---- columns --------------------------------------------------------------------------------- */

static bool reaches_in(const TableSource *from, uint32_t row) {
    return block_of(from, row)->addr < blocks_of(from)->from; /* it began before the cell */
}

static void cell_address(const TableSource *from, uint32_t row, TableCell *cell) {
    snprintf(cell->text, sizeof cell->text, "0x%llx",
             (unsigned long long)block_of(from, row)->addr);
    if (reaches_in(from, row)) cell->style = STYLE(TONE_MUTED);
}

/* Shortens the name of a type to its letter if a string's contents would not fit beside it. */
static void cell_type(const TableSource *from, uint32_t row, TableCell *cell) {
    const MapListBlock *block = block_of(from, row);
    const LmpKindInfo *info = &kind_info[block->kind];
    if (cell->wide) {
        snprintf(cell->text, sizeof cell->text, "%s%s", info->name, block->part ? " part" : "");
    } else {
        snprintf(cell->text, sizeof cell->text, "%c", info->letter);
    }
    cell->style = STYLE(TONE_KIND(block->kind));
}

static void cell_age(const TableSource *from, uint32_t row, TableCell *cell) {
    describe_age(cell->text, block_of(from, row)->birth, from->model->epoch_length,
                 from->model->clock);
}

static void cell_site(const TableSource *from, uint32_t row, TableCell *cell) {
    describe_context(cell->text, sizeof cell->text, &from->model->view->tables,
                     block_of(from, row)->alloc_context, !from->ui->utf8);
}

static void cell_contents(const TableSource *from, uint32_t row, TableCell *cell) {
    const MapListBlock *block = block_of(from, row);
    const LmpPreview *preview = previews_of(&blocks_of(from)->previews, block->addr);
    if (preview && preview->valid == LMP_PREVIEW_SHAPE) {
        describe_shape(cell->text, sizeof cell->text, preview, !from->ui->utf8);
        cell->style = STYLE(TONE_KIND(LMP_TABLE));
    } else if (preview) {
        describe_preview(cell->text, sizeof cell->text, preview, !from->ui->utf8);
        cell->style = STYLE(TONE_SOURCE);
    } else if (reaches_in(from, row)) {
        snprintf(cell->text, sizeof cell->text, "begins before this cell");
        cell->style = STYLE(TONE_MUTED);
    }
}

static double value_address(const TableSource *from, uint32_t row) {
    return (double)block_of(from, row)->addr;
}
static double value_type(const TableSource *from, uint32_t row) {
    const MapListBlock *block = block_of(from, row);
    return block->kind * 2 + block->part;
}
/* Returns a value by which the block born last is the youngest; unknown births come last. */
static double value_age(const TableSource *from, uint32_t row) {
    uint32_t birth = block_of(from, row)->birth;
    return birth ? -(double)birth : NAN;
}
/* Sorts the blocks of a file together, by line. */
static double value_site(const TableSource *from, uint32_t row) {
    const LmpTables *t = &from->model->view->tables;
    uint32_t record = t->text ? tables_record_of(t, block_of(from, row)->alloc_context) : 0;
    uint32_t site = record && record < tables_records(t) ? t->record[record].site : 0;
    if (site == 0 || site >= tables_sites(t)) return NAN;
    uint32_t function = t->site[site].function;
    if (function >= tables_functions(t)) return NAN;
    return (double)t->function[function].source * 4294967296.0 + t->site[site].line;
}

static bool no_sites(const TableSource *from) {
    const LmpTables *t = &from->model->view->tables;
    return !t->text || t->live->tables.lines == LMP_LINES_OFF;
}

static const TableColumn columns[] = {
    {"address", 16, 16, 0, .align = TABLE_LEFT, .rising = true, .cell = cell_address,
     .value = value_address, .help = "where the block begins"},
    {"type", 2, 14, 1, .align = TABLE_LEFT, .rising = true, .cell = cell_type, .value = value_type,
     .help = "what it belongs to; a part is an array, hash part, buffer or stack of an object"},
    {"size", 9, 10, 2, FIGURE(MapListBlock, size, LOOK_BYTES), .tone = TONE_STRONG,
     .help = "as Lua asked for it"},
    {"age", 9, 9, 4, .cell = cell_age, .value = value_age, .help = "how long ago it was made"},
    {"site", 16, 28, 3, .align = TABLE_TAIL, .rising = true, .cell = cell_site, .value = value_site,
     .hidden = no_sites, .help = "the line that made it"},
    {"contents", 13, 13, 5, .align = TABLE_LEFT, .flex = true, .cell = cell_contents,
     .help = "of strings, as they are now; of tables their string keys"},
};

/* Leaves out blocks of other groups, and hidden types (of a range those are not even read). */
static bool skips(const TableSource *from, uint32_t row) {
    const Blocks *b = blocks_of(from);
    const MapListBlock *block = block_of(from, row);
    if (b->within && alike_group_of(b->alike->alike, block->addr) != b->within) return true;
    return !UI_SHOWS(from->ui, block->kind);
}

static uint64_t id_of(const TableSource *from, uint32_t row) {
    return block_of(from, row)->addr;
}

static void words_of(const TableSource *from, uint32_t row, char *out, size_t size) {
    const MapListBlock *block = block_of(from, row);
    char site[160], text[256] = "";
    describe_context(site, sizeof site, &from->model->view->tables, block->alloc_context,
                     !from->ui->utf8);
    const LmpPreview *preview = previews_of(&blocks_of(from)->previews, block->addr);
    if (preview && preview->valid == LMP_PREVIEW_SHAPE)
        describe_shape(text, sizeof text, preview, !from->ui->utf8);
    else if (preview)
        describe_preview(text, sizeof text, preview, !from->ui->utf8);
    snprintf(out, size, "0x%llx %s%s %s %s", (unsigned long long)block->addr,
             kind_info[block->kind].name, block->part ? " part" : "", site, text);
}

static bool rows(void *state, TableSource *from) {
    const Blocks *b = state;
    from->rows = b;
    from->count = b->result.count;
    from->serial = b->serial * 2 + (b->within != 0);
    return from->model->view != NULL;
}

static bool place(const TableSource *from, uint32_t row, PanelPlace *out) {
    static char source[4096], name[160];
    *out = (PanelPlace){.source = source, .short_src = name, .line = -1};
    return describe_context_line(&from->model->view->tables, block_of(from, row)->alloc_context,
                                 source, sizeof source, name, sizeof name, &out->line);
}

static bool enter(const TableSource *from, uint32_t row, Ui *ui) {
    const Model *model = from->model;
    if (no_sites(from)) return false;
    uint32_t site =
        ledger_site_of(&model->ledger, &model->view->tables, block_of(from, row)->alloc_context);
    if (site == LEDGER_NO_ROW) {
        ui_say(ui, "Which line made this block is not known");
    } else {
        ui_open_site(ui, model->ledger.site[site].id);
    }
    return true;
}

/* ---- what is alike --------------------------------------------------------------------------- */

static void turn(void *state, int by) {
    Blocks *b = state;
    if (!b->alike) b->alike = blocks_alike_new();
    if (!b->alike) return;
    b->panel.by = by;
    b->within = 0;
    b->alike_begun = false;
    tablepanel_reset(&b->alike->panel);
}

/* Looks for alike blocks as long as the groups, or the blocks of one, are on the screen. */
static void look_alike(Blocks *b, const Model *model, Ui *ui) {
    Alike *alike = b->alike->alike;
    bool whole = !b->of_site || site_blocks_found(b->site_blocks)->any;
    bool old = b->alike_done && !ui->frozen && model->seen == LMP_SEEN_RUNNING &&
               ui->now - b->alike_done > ALIKE_AGAIN;
    if (b->shown && whole && !b->within && (!b->alike_begun || old)) {
        alike_begin(alike, (AlikeBy)b->panel.by, b->shown, b->result.count, b->alike_begun);
        b->alike_begun = true;
        b->alike_done = 0;
    }
    if (!b->alike_begun || alike_done(alike)) return;
    alike_ask(alike, model, ui);
    if (alike_done(alike)) b->alike_done = ui->now;
}

/* Lists the blocks of a group on enter, goes back to the groups on escape. */
static bool act_alike(void *state, const Model *model, Ui *ui, Action action, Rect rect) {
    Blocks *b = state;
    if (action == ACT_BACK && b->within) {
        b->within = 0;
        return true;
    }
    if (!shows_groups(b)) return false;
    if (action == ACT_WHY) return true;
    b->alike->entered = 0;
    bool done = tablepanel_act(b->alike, model, ui, action, rect);
    if (b->alike->entered) {
        b->within = b->alike->entered;
        table_to_top(&b->panel.table);
    }
    return done || action != ACT_BACK;
}

static void *instead(void *state) {
    return shows_groups(state) ? ((Blocks *)state)->alike : NULL;
}

static bool why(const TableSource *from, uint32_t row, Ui *ui) {
    ui_ask_why_block(ui, block_of(from, row)->addr);
    return true;
}

static const TablePanelDef def = {
    .table = {.name = "Blocks",
              TABLE_COLUMNS_OF(columns),
              .id = id_of,
              .words = words_of,
              .skips = skips,
              .empty = "no live blocks here"},
    .rows = rows,
    .row = block_at,
    .enter = enter,
    .place = place,
    .why = why,
    .choice = &choice,
    .turn = turn,
    .act = act_alike,
    .instead = instead,
};

/* ---- panel ----------------------------------------------------------------------------------- */

static void end(void *state) {
    Blocks *b = state;
    maplist_free(b->source);
    site_blocks_free(b->site_blocks);
    blocks_alike_free(b->alike);
    free(b->block);
}

static void update(void *state, const Model *model, Ui *ui, Rect rect) {
    Blocks *b = state;
    if (!b || !model->view || rect.w <= 0 || ui->over != &panel_blocks) return;
    previews_take(&b->previews, model);
    if (b->alike && b->alike_begun) alike_take(b->alike->alike, model);
}

static void draw(void *state, const Model *model, Ui *ui, Canvas *canvas, Rect rect) {
    Blocks *b = state;
    TableSource from;
    if (rect.w <= 0 || rect.h <= 0 || !b || !model->view) return;
    refresh(b, model, ui);
    if (b->result.total == 0 && ui->kinds != (1u << LMP_KINDS) - 1) {
        canvas_text(canvas, rect.x + 2, rect.y, rect.w - 2, STYLE(TONE_MUTED),
                    "no live blocks of the chosen types here");
        tablepanel_fill(b, model, ui, &from); /* nothing is under the cursor */
        return;
    }
    tablepanel_calls.draw(b, model, ui, canvas, rect);
    if (shows_groups(b))
        look_alike(b, model, ui);
    else
        ask(b, model, ui, rect.h);
}

static void name_site(const Blocks *b, const Model *model, bool utf8, char *out, size_t size) {
    *out = 0;
    for (uint32_t i = 0; i < model->ledger.sites; i++) {
        const LmpSiteRow *row = &model->ledger.site[i];
        if (row->id == b->site) describe_where(out, size, row->short_src, row->line, !utf8);
    }
}

static void note_site(const Blocks *b, const Model *model, bool utf8, char *out, size_t size) {
    char count[LMP_NUM], first[LMP_NUM], bytes[LMP_NUM], where[128];
    name_site(b, model, utf8, where, sizeof where);
    if (b->site_blocks && !site_blocks_found(b->site_blocks)->any) {
        snprintf(out, size, "%s · looking, %.0f %%", where,
                 site_blocks_progress(b->site_blocks, model->view) * 100);
    } else if (b->result.total > b->result.count) {
        snprintf(out, size, "%s · %s of %s blocks · esc back", where,
                 format_count(first, b->result.count), format_count(count, b->result.total));
    } else {
        snprintf(out, size, "%s · %s block%s · %s · esc back", where,
                 format_count(count, b->result.total), b->result.total == 1 ? "" : "s",
                 format_bytes(bytes, b->result.bytes));
    }
}

static void note(void *state, const Model *model, const Ui *ui, char *out, size_t size) {
    const Blocks *b = state;
    char count[LMP_NUM], first[LMP_NUM], bytes[LMP_NUM];
    if (!b || !b->read) return;
    if (shows_groups(b)) {
        if (!tablepanel_noted(&b->alike->panel, out, size))
            blocks_alike_note(b->alike, (AlikeBy)b->panel.by, out, size);
    } else if (b->within) {
        char name[120];
        blocks_alike_name(b->alike, b->within, !ui->utf8, name, sizeof name);
        snprintf(out, size, "%.60s · %s block%s · esc back", name,
                 format_count(count, b->panel.table.total), b->panel.table.total == 1 ? "" : "s");
    } else if (b->panel.table.filter.used > 0) {
        table_note(&b->panel.table, out, size);
    } else if (b->of_site) {
        note_site(b, model, ui->utf8, out, size);
    } else if (b->result.total > b->result.count) {
        snprintf(out, size, "the first %s of %s blocks · zoom in for the others",
                 format_count(first, b->result.count), format_count(count, b->result.total));
    } else {
        snprintf(out, size, "0x%llx · %s block%s · %s · esc back", (unsigned long long)b->from,
                 format_count(count, b->result.total), b->result.total == 1 ? "" : "s",
                 format_bytes(bytes, b->result.bytes));
    }
}

const Panel panel_blocks = {
    .title = "Blocks",
    .about =
        "Single live blocks, by address. enter opens the page of the line that made one, "
        "w who holds it, by the newest snapshot. left and right choose: strings of equal content, "
        "or tables with the same keys, in one line, of which enter lists the blocks.",
    .not_past = "Single blocks are not recorded.",
    .ledger = LEDGER_SITES,
    .offers = {TABLE_OFFERS, ACT_EDIT, ACT_ENTER, ACT_WHY, ACT_OWNER},
    .def = &def,
    .size = sizeof(Blocks),
    .end = end,
    .update = update,
    .draw = draw,
    .note = note};
