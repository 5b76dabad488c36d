/* panel_types.c - the table of types: what lives, how much, and how it changes. */
#include <stdlib.h>
#include <string.h>

#include "format.h"
#include "panel.h"

/* One line of the table: a kind, or their sum. */
typedef struct TypesRow {
    const char *name;
    Style style;
    uint64_t bytes, blocks, allocs;
    int64_t delta;
    double share; /* of the heap, 0 .. 1 */
    bool shown;   /* not filtered out */
} TypesRow;

/* Columns from the left; `wide` is the width that the exact figure needs, `narrow` a short one
 * (0: there is none). Those with the highest `drop` go first where there is no room. */
typedef struct TypesColumn {
    const char *title;
    int narrow, wide, drop;
    void (*text)(char *out, const TypesRow *row, bool wide);
} TypesColumn;

static void text_live(char *out, const TypesRow *row, bool wide) {
    (void)wide;
    format_bytes(out, row->bytes);
}

static void text_share(char *out, const TypesRow *row, bool wide) {
    (void)wide;
    snprintf(out, LMP_NUM, row->share >= 0.9995 ? "%.0f" : "%.1f", row->share * 100);
}

static void text_blocks(char *out, const TypesRow *row, bool wide) {
    if (wide) {
        format_count(out, row->blocks);
    } else {
        format_short(out, row->blocks);
    }
}

static void text_allocs(char *out, const TypesRow *row, bool wide) {
    if (wide) {
        format_count(out, row->allocs);
    } else {
        format_short(out, row->allocs);
    }
}

static void text_delta(char *out, const TypesRow *row, bool wide) {
    (void)wide;
    format_delta_bytes(out, row->delta);
}

enum { COLUMN_LIVE, COLUMN_SHARE, COLUMN_BLOCKS, COLUMN_ALLOCS, COLUMN_DELTA, COLUMNS_ALL };

static const TypesColumn columns[COLUMNS_ALL] = {
    [COLUMN_LIVE] = {"live", 10, 11, 0, text_live},
    [COLUMN_SHARE] = {"%", 5, 6, 1, text_share},
    [COLUMN_BLOCKS] = {"blocks", 7, 12, 3, text_blocks},
    [COLUMN_ALLOCS] = {"allocs", 7, 15, 4, text_allocs},
    [COLUMN_DELTA] = {NULL, 11, 12, 2, text_delta},
};

#define NAME_AT 4 /* "# t " */
#define NAME_W 8
#define LETTER_ONLY (NAME_AT)

/* Chooses the columns for a width: all as narrow as can be, then widened from the left. Returns the
 * column where figures begin. */
static int choose(int w, bool chosen[COLUMNS_ALL], int width[COLUMNS_ALL]) {
    int first = w >= NAME_AT + NAME_W + 10 ? NAME_AT + NAME_W : LETTER_ONLY;
    int used = first;
    memset(chosen, 0, COLUMNS_ALL * sizeof *chosen);
    for (int drop = 0; drop < COLUMNS_ALL; drop++) {
        for (int i = 0; i < COLUMNS_ALL; i++) {
            if (columns[i].drop != drop || used + columns[i].narrow > w) continue;
            chosen[i] = true;
            width[i] = columns[i].narrow;
            used += columns[i].narrow;
        }
    }
    for (int i = 0; i < COLUMNS_ALL; i++) {
        int more = columns[i].wide - columns[i].narrow;
        if (!chosen[i] || used + more > w) continue;
        width[i] = columns[i].wide;
        used += more;
    }
    return first;
}

static int by_bytes(const void *a, const void *b) {
    const TypesRow *x = a, *y = b;
    return x->bytes != y->bytes ? (x->bytes < y->bytes ? 1 : -1) : strcmp(x->name, y->name);
}

static void fill_rows(const Model *model, const Ui *ui, TypesRow rows[LMP_KINDS + 1]) {
    const ModelDelta *delta = model->marked ? &model->since_mark : &model->per_s;
    TypesRow *total = &rows[LMP_KINDS];
    *total = (TypesRow){.name = "total", .style = STYLE(TONE_STRONG), .shown = true};
    uint64_t heap = model->stats.live_bytes;
    for (int k = 0; k < LMP_KINDS; k++) {
        const LmpKindStats *kind = &model->stats.kind[k];
        TypesRow *row = &rows[k];
        *row = (TypesRow){.name = kind_info[k].name,
                          .style = STYLE(TONE_KIND(k)),
                          .bytes = ui->by_tag ? kind->tag_live_bytes : kind->live_bytes,
                          .blocks = ui->by_tag ? kind->tag_live_blocks : kind->live_blocks,
                          .allocs = ui->by_tag ? kind->tag_allocs : kind->allocs,
                          .delta = ui->by_tag ? delta->tag_bytes[k] : delta->bytes[k],
                          .shown = UI_SHOWS(ui, k)};
        row->share = heap ? (double)row->bytes / (double)heap : 0;
        total->allocs += row->allocs;
    }
    total->bytes = heap;
    total->blocks = model->stats.live_blocks;
    total->delta = delta->total_bytes;
    total->share = heap ? 1 : 0;
    qsort(rows, LMP_KINDS, sizeof *rows, by_bytes);
}

static Style figure_style(const TypesRow *row, int column, bool total) {
    if (!row->shown) return STYLE(TONE_FAINT);
    if (column == COLUMN_DELTA) {
        return STYLE(row->delta > 0 ? TONE_GROWTH : row->delta < 0 ? TONE_SHRINK : TONE_FAINT);
    }
    if (total || column == COLUMN_LIVE) return STYLE(TONE_STRONG);
    return STYLE(TONE_TEXT);
}

static void draw_row(Canvas *canvas, Rect rect, int y, const TypesRow *row, bool total,
                     const bool chosen[COLUMNS_ALL], const int width[COLUMNS_ALL], int first) {
    Style style = row->shown ? row->style : STYLE(TONE_FAINT);
    if (!total) {
        canvas_put(canvas, rect.x, y, row->shown ? G_SQUARE : 0x25a1, style);
        /* the letter is the key that hides and shows it */
        uint32_t letter = (uint32_t)(unsigned char)row->name[0];
        for (int k = 0; k < LMP_KINDS; k++) {
            if (row->name == kind_info[k].name) {
                letter = (uint32_t)(unsigned char)kind_info[k].letter;
            }
        }
        canvas_put(canvas, rect.x + 2, y, letter, STYLE(row->shown ? TONE_STRONG : TONE_FAINT));
    }
    if (first > LETTER_ONLY) {
        canvas_text(canvas, rect.x + NAME_AT, y, NAME_W, style, row->name);
    }
    int x = rect.x + first;
    for (int i = 0; i < COLUMNS_ALL; i++) {
        if (!chosen[i]) continue;
        char text[LMP_NUM];
        columns[i].text(text, row, width[i] == columns[i].wide);
        x += width[i];
        canvas_text_right(canvas, x, y, width[i] - 1, figure_style(row, i, total), text);
    }
}

static void draw(void *state, const Model *model, Ui *ui, Canvas *canvas, Rect rect) {
    (void)state;
    bool chosen[COLUMNS_ALL];
    int width[COLUMNS_ALL] = {0};
    int room = rect.w > 90 ? 90 : rect.w, y = rect.y;
    if (rect.w >= 28) {
        rect.x++;
        room -= rect.w >= 46 ? 2 : 1;
    }
    int first = choose(room, chosen, width);
    TypesRow rows[LMP_KINDS + 1];
    fill_rows(model, ui, rows);
    if (rect.h > LMP_KINDS) {
        int x = rect.x + first;
        if (first > LETTER_ONLY) {
            canvas_text(canvas, rect.x + NAME_AT, y, NAME_W, STYLE(TONE_MUTED), "type");
        }
        for (int i = 0; i < COLUMNS_ALL; i++) {
            if (!chosen[i]) continue;
            const char *title = columns[i].title;
            if (!title)
                title = model->marked ? (ui->utf8 ? "Δ mark" : "since mark")
                                      : (ui->utf8 ? "Δ/s" : "change/s");
            x += width[i];
            canvas_text_right(canvas, x, y, width[i] - 1, STYLE(TONE_MUTED), title);
        }
        y++;
    }
    for (int i = 0; i < LMP_KINDS; i++) {
        draw_row(canvas, rect, y++, &rows[i], false, chosen, width, first);
    }
    if (rect.h > LMP_KINDS + 1) {
        draw_row(canvas, rect, y, &rows[LMP_KINDS], true, chosen, width, first);
    }
}

static void note(void *state, const Model *model, const Ui *ui, char *out, size_t size) {
    (void)state;
    const char *dot = ui->utf8 ? "·" : "-";
    const LmpMark *mark = model->marks ? &model->mark[model->marks - 1] : NULL;
    char clock[LMP_NUM], name[48];
    if (ui->kinds != (1u << LMP_KINDS) - 1) {
        snprintf(out, size, "filtered %s a shows all", dot);
    } else if (mark) {
        format_text(name, sizeof name, mark->name, !ui->utf8);
        snprintf(out, size, "since %s, %s", name[0] ? name : "mark",
                 format_clock(clock, mark->clock));
    } else {
        /* parts that only rules tell (shared.h, owners_known) make the owners an estimate */
        const char *by = ui->by_tag            ? "by tag"
                         : model->owners_known ? "by owner"
                                               : "by owner (estimate)";
        snprintf(out, size, "%s %s by live", by, dot);
    }
}

const Panel panel_types = {
    .title = "Types", .number = 2, .min_w = 14, .min_h = 3, .draw = draw, .note = note};
