/* tallycell.c - fills cells with bytes, shares, places, source lines and names, draws bars of
 * shares, and says in two lines why a table cannot be there. */
#include "widget/tallycell.h"

#include <stdio.h>
#include <string.h>

#include "base/format.h"
#include "widget/describe.h"
#include "widget/source.h"
#include "widget/spark.h"

double tallycell_share_of(uint64_t part, uint64_t whole) {
    if (part >= whole) return whole > 0;
    return (double)part / (double)whole;
}

void tallycell_bytes(TableCell *cell, uint64_t bytes, Style style) {
    format_bytes(cell->text, bytes);
    cell->style = bytes ? style : STYLE(TONE_FAINT);
}

void tallycell_share(TableCell *cell, double share) {
    snprintf(cell->text, sizeof cell->text, share >= 0.9995 ? "%.0f" : "%.1f", share * 100);
    cell->style = STYLE(share > 0 ? table_heat(share) : (Tone)TONE_FAINT);
}

void tallycell_where(TableCell *cell, const Ui *ui, const char *short_src, int line) {
    /* a main chunk is not defined on any line: show only its file */
    describe_where(cell->text, sizeof cell->text, short_src, line ? line : -1, !ui->utf8);
    cell->style = STYLE(line < 0 ? (Tone)TONE_MUTED : (Tone)TONE_SOURCE);
}

void tallycell_side(TableCell *cell, unsigned side) {
    size_t used = strlen(cell->text);
    if (side != LMP_SIDE_CAME && side != LMP_SIDE_WENT) return;
    snprintf(cell->text + used, sizeof cell->text - used, side == LMP_SIDE_CAME ? " new" : " gone");
    cell->style = STYLE(side == LMP_SIDE_CAME ? TONE_GROWTH : TONE_SHRINK);
}

uint32_t tallycell_begins(const Ui *ui, const LmpSiteRow *site) {
    if (site->line < 1 || site->kind[LMP_FUNCTION].tally.allocs == 0) return 0;
    const SourceText *text = sources_get(ui->sources, site->raw_source, ui->now);
    return text->problem ? 0 : sources_function(ui->sources, (uint32_t)site->line);
}

void tallycell_source(TableCell *cell, const Ui *ui, const LmpSiteRow *site) {
    const SourceText *text = sources_get(ui->sources, site->raw_source, ui->now);
    if (text->problem || site->line < 1) {
        snprintf(cell->text, sizeof cell->text, "%s", text->problem ? text->problem : "");
        cell->style = STYLE(TONE_FAINT);
        return;
    }
    char line[TABLE_TEXT];
    uint32_t begins = tallycell_begins(ui, site);
    int used = 0;
    if (begins > 0) { /* "end)" does not show the function that is made there */
        sources_line(ui->sources, begins, !ui->utf8, line, sizeof line / 2);
        used = snprintf(cell->text, sizeof cell->text, "%u: %s %s ", begins,
                        line + strspn(line, " "), ui->utf8 ? "…" : "...");
    }
    size_t room = sizeof cell->text - (size_t)used;
    sources_line(ui->sources, (uint32_t)site->line, !ui->utf8, line,
                 room < sizeof line ? room : sizeof line);
    snprintf(cell->text + used, room, "%s", line + strspn(line, " "));
    cell->style = STYLE(TONE_SOURCE);
}

void tallycell_name(TableCell *cell, const Ui *ui, const char *name) {
    char plain[TABLE_TEXT];
    describe_function(plain, sizeof plain, cell->kind, sizeof cell->kind, name);
    format_text(cell->text, sizeof cell->text, plain, !ui->utf8);
}

void tallycell_bar(Canvas *canvas, int x, int y, int w, double share, double whole) {
    if (whole > share) spark_bar(canvas, x, y, w, whole, STYLE(TONE_FAINT));
    spark_bar(canvas, x, y, w, share, STYLE(table_heat(share)));
}

/* ---- columns --------------------------------------------------------------------------------- */

void tallycell_col_share(const TableSource *from, uint32_t row, TableCell *cell) {
    tallycell_share(cell, table_share(from, row));
}

void tallycell_col_bar(const TableSource *from, uint32_t row, Canvas *canvas, int x, int y, int w) {
    tallycell_bar(canvas, x, y, w, table_share(from, row), 0);
}

void tallycell_col_where(const TableSource *from, uint32_t row, TableCell *cell) {
    const LmpSiteRow *site = from->site(from, row);
    tallycell_where(cell, from->ui, site->short_src, site->line);
    tallycell_side(cell, site->side);
}

void tallycell_col_text(const TableSource *from, uint32_t row, TableCell *cell) {
    tallycell_source(cell, from->ui, from->site(from, row));
}

void tallycell_col_text_if_any(const TableSource *from, uint32_t row, TableCell *cell) {
    tallycell_col_text(from, row, cell);
    if (cell->style == STYLE(TONE_FAINT)) cell->text[0] = 0;
}

int tallycell_col_by_where(const TableSource *from, uint32_t a, uint32_t b) {
    const LmpSiteRow *x = from->site(from, a), *y = from->site(from, b);
    int order = strcmp(x->short_src, y->short_src);
    return order ? order : x->line < y->line ? -1 : x->line > y->line;
}

int tallycell_col_by_function(const TableSource *from, uint32_t a, uint32_t b) {
    return strcmp(from->site(from, a)->func, from->site(from, b)->func);
}

/* ---- where there is no table ----------------------------------------------------------------- */

/* Why there is no table, in two lines. */
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
        return ui->frozen ? WHY_FROZEN : WHY_NOTHING; /* comes with the next refresh */
    return need == NEED_TAGS && l->tags == 0 ? WHY_TAGS : -1;
}

bool tallycell_can(const Model *model, const Ui *ui, Canvas *canvas, Rect rect, TallyNeed need,
                   unsigned parts) {
    int because = reason(model, ui, need, parts), x = rect.w > 30 ? 2 : 0;
    for (int i = 0; i < 2 && because >= 0; i++)
        canvas_text(canvas, rect.x + x, rect.y + i, rect.w - x, STYLE(TONE_MUTED), why[because][i]);
    return because < 0;
}
