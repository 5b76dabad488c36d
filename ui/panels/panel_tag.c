/* panel_tag.c - one tag, opened by enter in the table of tags: the lines that made something under
 * it, with their text. This looks at no blocks: each record is for one line and one tag, so what is
 * live is as exact as the tags themselves. */
#include <stdio.h>

#include "base/format.h"
#include "widget/describe.h"
#include "widget/tablepanel.h"

typedef struct TagPage {
    TablePanel panel;
    uint32_t shown; /* id of the tag that the cursor belongs to */
    LmpTally all;   /* the whole that the lines share */
} TagPage;

static const Ledger *ledger_of(const TableSource *from) {
    return from->rows;
}

static const LmpSiteRow *site_of(const TableSource *from, uint32_t row) {
    return &ledger_of(from)->site[row];
}

static const LmpTally *tally_of(const TableSource *from, uint32_t row) {
    return &ledger_of(from)->tagged[row];
}

static const TableColumn columns[] = {
    TALLY_PAGE_COLUMNS,
    {"where", 18, 28, 0, .least = 6, .align = TABLE_TAIL, .rising = true,
     .cell = tallycell_col_where, .compare = tallycell_col_by_where,
     .help = "the line that made it"},
    {"text", 24, 40, 1, .least = 8, .align = TABLE_LEFT, .flex = true, .cell = tallycell_col_text,
     .help = "what stands there"},
};

static void words_of(const TableSource *from, uint32_t row, char *out, size_t size) {
    const LmpSiteRow *site = site_of(from, row);
    char where[160];
    TableCell cell;
    tallycell_col_text(from, row, &cell);
    describe_where(where, sizeof where, site->short_src, site->line, !from->ui->utf8);
    snprintf(out, size, "%s %s", where, cell.text);
}

static bool skips(const TableSource *from, uint32_t row) {
    const LmpTally *t = tally_of(from, row);
    return t->allocs == 0 && t->bytes == 0;
}

static const LmpTagRow *find(const Ledger *ledger, uint32_t id) {
    for (uint32_t i = 0; i < ledger->tags; i++)
        if (ledger->tag[i].id == id) return &ledger->tag[i];
    return NULL;
}

static bool rows(void *state, TableSource *from) {
    TagPage *s = state;
    const Ledger *ledger = &from->model->ledger;
    const LmpTagRow *tag = find(ledger, from->ui->tag);
    if (s->shown != from->ui->tag) {
        tablepanel_reset(&s->panel);
        s->shown = from->ui->tag;
    }
    if (!tag || !ledger->tagged || ledger->tagged_of != from->ui->tag) return false;
    s->all = tag->tally;
    from->rows = ledger;
    from->whole = &s->all;
    from->count = ledger->sites;
    from->serial = from->model->ledger_serial;
    return true;
}

/* Draws "level  live 12.1 MiB  made 14.0 MiB  allocs 1,204", and what the rows leave out. */
static void around(void *state, const TableSource *from, Ui *ui, Canvas *canvas, Rect rect) {
    const TagPage *s = state;
    const Ledger *ledger = &from->model->ledger;
    if (tablepanel_room(&s->panel, ui, rect).y == rect.y) return;
    const LmpTagRow *tag = find(ledger, ui->tag);
    char name[LMP_NUM * 4], folded[96] = "";
    int x = rect.x + 2, right = rect.x + rect.w;
    format_text(name, sizeof name, tag->name, !ui->utf8);
    x += canvas_text(canvas, x, rect.y, right - x, STYLE(TONE_STRONG), name) + 2;
    if (ledger->folded > 0)
        snprintf(folded, sizeof folded, "%s found no room: in (others)",
                 format_count((char[LMP_NUM]){0}, ledger->folded));
    const PageFigure figure[] = {
        {"live ", format_bytes((char[LMP_NUM]){0}, s->all.live_bytes)},
        {"made ", format_bytes((char[LMP_NUM]){0}, tally_made(&s->all))},
        {"allocs ", format_count((char[LMP_NUM]){0}, s->all.allocs)},
        {"of all sites' allocs ", folded},
    };
    tablepanel_draw_figures(canvas, x, right, rect.y, figure, sizeof figure / sizeof *figure);
}

static const TablePanelDef def = {
    .table = {.name = "Tag",
              TABLE_COLUMNS_OF(columns),
              TALLY_SORTS(PAGE_LIVE, PAGE_MADE),
              .words = words_of,
              .skips = skips},
    .rows = rows,
    .above = 1,
    .tally = tally_of,
    .need = NEED_TAGS,
    .around = around,
    .site = site_of,
};

const Panel panel_tag = {.title = "Tag",
                         .about = "The lines that made something under one tag. A line that works "
                                  "for several tags has here what it made for this one.",
                         .all_types = true,
                         .ledger = LEDGER_TAGS | LEDGER_SITES | LEDGER_TAG_LINES,
                         .offers = {TABLE_OFFERS_MAKES, ACT_EDIT, ACT_ENTER},
                         .def = &def,
                         .size = sizeof(TagPage),
                         .note = tablepanel_note_lines};
