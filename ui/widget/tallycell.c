/* tallycell.c - see tallycell.h. */
#include "widget/tallycell.h"

#include <stdio.h>
#include <string.h>

#include "base/format.h"
#include "widget/describe.h"
#include "widget/spark.h"

uint64_t tally_made(const LmpTally *t) {
    return t->live_bytes + t->free_bytes;
}

double tally_churn(const LmpTally *t) {
    double made = (double)tally_made(t);
    return made > 0 ? (double)t->free_bytes / made : -1;
}

uint64_t tally_each(const LmpTally *t) {
    return t->allocs ? tally_made(t) / t->allocs : 0;
}

double tally_share(uint64_t part, uint64_t whole) {
    if (part >= whole) return whole > 0;
    return (double)part / (double)whole;
}

void tallycell_bytes(TableCell *cell, uint64_t bytes, Style style) {
    format_bytes(cell->text, bytes);
    cell->style = bytes ? style : STYLE(TONE_FAINT);
}

void tallycell_count(TableCell *cell, uint64_t count, bool wide) {
    if (wide) {
        format_count(cell->text, count);
    } else {
        format_short(cell->text, count);
    }
    if (count == 0) cell->style = STYLE(TONE_FAINT);
}

void tallycell_share(TableCell *cell, double share) {
    snprintf(cell->text, sizeof cell->text, share >= 0.9995 ? "%.0f" : "%.1f", share * 100);
    cell->style = STYLE(share > 0 ? table_heat(share) : (Tone)TONE_FAINT);
}

void tallycell_churn(TableCell *cell, const LmpTally *tally) {
    double churn = tally_churn(tally);
    if (churn < 0) return;
    /* 100% only where all of it was freed */
    int percent = churn >= 1 ? 100 : (int)(churn * 100 + 0.5);
    if (percent == 100 && churn < 1) percent = 99;
    snprintf(cell->text, sizeof cell->text, "%d%%", percent);
    cell->style = STYLE(percent == 0 ? TONE_FAINT : percent >= 80 ? TONE_SHRINK : TONE_TEXT);
}

void tallycell_where(TableCell *cell, const Ui *ui, const char *short_src, int line) {
    /* a main chunk is defined in no line: its file alone */
    describe_where(cell->text, sizeof cell->text, short_src, line ? line : -1, !ui->utf8);
    cell->style = STYLE(line < 0 ? (Tone)TONE_MUTED : (Tone)TONE_SOURCE);
}

void tallycell_name(TableCell *cell, const Ui *ui, const char *name) {
    format_text(cell->text, sizeof cell->text, name, !ui->utf8);
}

void tallycell_bar(Canvas *canvas, int x, int y, int w, double share, double whole) {
    if (whole > share) spark_bar(canvas, x, y, w, whole, STYLE(TONE_FAINT));
    spark_bar(canvas, x, y, w, share, STYLE(table_heat(share)));
}

/* ---- columns --------------------------------------------------------------------------------- */

void tallycol_live(const TableSource *from, uint32_t row, bool wide, TableCell *cell) {
    (void)wide;
    tallycell_bytes(cell, from->tally(from, row)->live_bytes, STYLE(TONE_STRONG));
}

void tallycol_blocks(const TableSource *from, uint32_t row, bool wide, TableCell *cell) {
    tallycell_count(cell, from->tally(from, row)->live_blocks, wide);
}

void tallycol_allocs(const TableSource *from, uint32_t row, bool wide, TableCell *cell) {
    tallycell_count(cell, from->tally(from, row)->allocs, wide);
}

void tallycol_each(const TableSource *from, uint32_t row, bool wide, TableCell *cell) {
    (void)wide;
    tallycell_bytes(cell, tally_each(from->tally(from, row)), STYLE(TONE_TEXT));
}

void tallycol_churn(const TableSource *from, uint32_t row, bool wide, TableCell *cell) {
    (void)wide;
    tallycell_churn(cell, from->tally(from, row));
}

double tallycol_by_live(const TableSource *from, uint32_t row) {
    return (double)from->tally(from, row)->live_bytes;
}
double tallycol_by_blocks(const TableSource *from, uint32_t row) {
    return (double)from->tally(from, row)->live_blocks;
}
double tallycol_by_allocs(const TableSource *from, uint32_t row) {
    return (double)from->tally(from, row)->allocs;
}
double tallycol_by_each(const TableSource *from, uint32_t row) {
    return (double)tally_each(from->tally(from, row));
}
double tallycol_by_churn(const TableSource *from, uint32_t row) {
    return tally_churn(from->tally(from, row));
}

int tallycol_by_where(const TableSource *from, uint32_t a, uint32_t b) {
    const LmpSiteRow *x = from->site(from, a), *y = from->site(from, b);
    int order = strcmp(x->short_src, y->short_src);
    return order ? order : x->line < y->line ? -1 : x->line > y->line;
}

int tallycol_by_function(const TableSource *from, uint32_t a, uint32_t b) {
    return strcmp(from->site(from, a)->func, from->site(from, b)->func);
}

/* ---- where there is no table ----------------------------------------------------------------- */

/* Why not: in two lines. */
enum { WHY_LINES, WHY_STACKS, WHY_TAGS, WHY_FROZEN, WHY_NOTHING };

static const char *const why[][2] = {
    [WHY_LINES] = {"Lines are off: this run does not know which line makes what.",
                   "Start it without --no-lines (or lines = false)."},
    [WHY_STACKS] = {"Call paths are not recorded in this run.",
                    "lmp run --stacks ..., or stacks = true at start, gives the call tree."},
    [WHY_TAGS] = {"No tag is in use. lmp.tag(\"name\") charges what follows to a name,",
                  "of a request, a level, a plugin; lmp.tag() ends it."},
    [WHY_FROZEN] = {"This table has not been read before the display was frozen.",
                    "z thaws the display."},
    [WHY_NOTHING] = {"", ""},
};

static int reason(const Model *model, const Ui *ui, TallyNeed need, unsigned parts) {
    const Ledger *l = &model->ledger;
    bool read = model->ledger_serial > 0;
    if (read && l->lines == LMP_LINES_OFF) return WHY_LINES;
    if (read && need == NEED_STACKS && !l->stacks) return WHY_STACKS;
    if (!read || (model->ledger_parts & parts) != parts)
        return ui->frozen ? WHY_FROZEN : WHY_NOTHING; /* it comes with the next refresh */
    return need == NEED_TAGS && l->tags == 0 ? WHY_TAGS : -1;
}

bool tallycell_can(const Model *model, const Ui *ui, Canvas *canvas, Rect rect, TallyNeed need,
                   unsigned parts) {
    int because = reason(model, ui, need, parts), x = rect.w > 30 ? 2 : 0;
    for (int i = 0; i < 2 && because >= 0; i++)
        canvas_text(canvas, rect.x + x, rect.y + i, rect.w - x, STYLE(TONE_MUTED), why[because][i]);
    return because < 0;
}
