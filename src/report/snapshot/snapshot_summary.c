/* snapshot_summary.c - a snapshot for people, as text: the verdict in sentences, then tables. At
 * most 100 columns. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/format.h"
#include "read/snapshot/suspects.h"
#include "report/snapshot/snapshotreport_impl.h"
#include "report/text.h"

enum { WIDTH = 100, TOP = 10, TOP_PAGE = 5, TEXT_MOST = 44, NUMBER = 11 };

/* ---- head ------------------------------------------------------------------------------------ */

static void put_head(const LmpSnapshot *s, FILE *out) {
    char program[300], lua[64], clock[LMP_NUM], count[LMP_NUM], a[LMP_NUM], b[LMP_NUM], c[LMP_NUM];
    fprintf(out, "Heap of %s (%s, pid %u), snapshot %u after %s\n",
            format_text(program, sizeof program, s->info.program, 0),
            format_text(lua, sizeof lua, s->info.lua, 0), s->info.pid, s->info.number,
            format_clock(clock, s->info.clock));
    fprintf(out, "%s live in %s objects", format_bytes(a, s->info.live_bytes),
            format_count(count, snapshot_objects(s)));
    fprintf(out, "; %s reachable, %s garbage", format_bytes(b, s->reachable_bytes),
            format_bytes(c, s->garbage_bytes));
    if (s->before_objects)
        fprintf(out, "; %s more from before start", format_bytes(a, s->before_bytes));
    fputc('\n', out);
    if (s->info.why_in_place[0]) {
        char why[128];
        fprintf(out, "Taken while the program stood: %s\n",
                format_text(why, sizeof why, s->info.why_in_place, 0));
    }
    if (s->ledger.lines == LMP_LINES_OFF) fputs("Lines: not known, they were off\n", out);
    if (s->ledger.sample)
        fprintf(out, "Lines are of samples, one in %s; what has none is \"(not sampled)\"\n",
                format_bytes(a, s->ledger.sample));
}

/* ---- sentences ------------------------------------------------------------------------------- */

/* Words broken at blanks, each line begun with `indent` blanks. */
static void put_words(FILE *out, const char *words, int indent) {
    int at = 0;
    while (*words) {
        char word[400];
        size_t n = strcspn(words, " ");
        snprintf(word, sizeof word, "%.*s", (int)(n < 399 ? n : 399), words);
        int width = text_columns(word);
        if (at > 0 && indent + at + 1 + width > WIDTH) {
            fputc('\n', out);
            at = 0;
        }
        if (at == 0) fprintf(out, "%*s", indent, "");
        fprintf(out, "%s%s", at > 0 ? " " : "", word);
        at += width + (at > 0);
        words += n + (words[n] == ' ');
    }
    fputc('\n', out);
}

static LmpErr put_verdict(const SnapshotReport *report, FILE *out) {
    LmpSuspects *suspects = malloc(sizeof *suspects);
    LmpErr err =
        suspects ? suspects_make(suspects, report->s, report->old, report->before) : LMP_E_NOMEM;
    for (uint32_t i = 0; !err && i < suspects->rows; i++) {
        const LmpSuspect *row = &suspects->row[i];
        if (i == 0 && row->fired) fputs("\nWhat holds most\n", out);
        if (i == suspects->fired) fputs("\nLooked for and not found\n", out);
        put_words(out, row->words, 2);
        if (*row->path) put_words(out, row->path, 6);
    }
    free(suspects);
    return err;
}

/* ---- tables ---------------------------------------------------------------------------------- */

static uint32_t rows_of(const SnapshotReport *report, uint32_t all, uint32_t otherwise) {
    uint32_t most = report->top ? report->top : otherwise;
    return all < most ? all : most;
}

static LmpErr put_groups(const SnapshotReport *report, LmpSnapshotBy by, const char *title,
                         FILE *out) {
    LmpObjectGroups groups;
    char count[LMP_NUM], size[LMP_NUM], retained[LMP_NUM];
    LmpErr err = groups_make(&groups, report->s, by, false);
    if (err) return err;
    uint32_t rows = rows_of(report, groups.groups, TOP);
    if (rows > 0)
        fprintf(out, "\n  %-*s %*s %*s %*s %5s\n", TEXT_MOST, title, NUMBER, "objects", NUMBER,
                "bytes", NUMBER, "retained", "");
    for (uint32_t i = 0; i < rows; i++) {
        const LmpObjectGroup *g = &groups.group[i];
        fputs("  ", out);
        text_put_whole(out, g->name, 2, TEXT_MOST);
        fprintf(out, " %*s %*s %*s %4u%%\n", NUMBER, text_count(count, g->objects, NUMBER), NUMBER,
                format_bytes(size, g->size), NUMBER, format_bytes(retained, g->retained),
                text_percent(g->retained, report->s->reachable_bytes));
    }
    groups_free(&groups);
    return LMP_OK;
}

static uint32_t columns_of(const LmpSuspectPageInfo *page, uint32_t *texts) {
    uint32_t n = 0;
    *texts = 0;
    for (; n < SUSPECTS_COLUMNS && page->column[n].title; n++)
        *texts += page->column[n].cell == LMP_CELL_TEXT;
    return n;
}

static void put_table(const LmpSuspectTable *t, uint32_t rows, FILE *out) {
    uint32_t texts, columns = columns_of(t->page, &texts);
    int width = (WIDTH - 2 - (int)(columns - texts) * (NUMBER + 1)) / (int)(texts ? texts : 1) - 1;
    if (width > TEXT_MOST) width = TEXT_MOST;
    fprintf(out, "\n%s\n ", t->page->title);
    for (uint32_t c = 0; c < columns; c++) {
        char title[24]; /* as those of the tables above */
        snprintf(title, sizeof title, "%s", t->page->column[c].title);
        *title = (char)toupper((unsigned char)*title);
        fprintf(out, " %*s", c < texts ? -width : NUMBER, title);
    }
    fputc('\n', out);
    for (uint32_t i = 0; i < rows; i++) {
        char cell[200];
        fputc(' ', out);
        for (uint32_t c = 0; c < columns; c++) {
            suspects_cell(t, i, c, cell, sizeof cell);
            fputc(' ', out);
            if (c < texts)
                text_put(out, cell, width, false);
            else
                fprintf(out, "%*s", NUMBER, cell);
        }
        fputc('\n', out);
    }
}

static LmpErr put_page(const SnapshotReport *report, LmpSuspectPage page, FILE *out) {
    LmpSuspectTable t;
    char count[LMP_NUM], size[LMP_NUM];
    LmpErr err = suspects_page_make(&t, report->s, page);
    if (err) return err;
    uint32_t rows = rows_of(report, t.rows, TOP_PAGE), more = t.more + t.rows - rows;
    if (t.rows == 0) {
        fprintf(out, "\n%s\n  %s\n", t.page->title, t.page->none);
    } else {
        uint64_t rest = t.more_bytes;
        put_table(&t, rows, out);
        for (uint32_t i = rows; i < t.rows; i++)
            rest += t.row[i].bytes;
        if (more > 0)
            fprintf(out, "  %s more%s%s\n", format_count(count, more), rest ? ", " : "",
                    rest ? format_bytes(size, rest) : "");
    }
    suspects_page_free(&t);
    return LMP_OK;
}

LmpErr snapshot_summary(const SnapshotReport *report, FILE *out) {
    put_head(report->s, out);
    LmpErr err = put_verdict(report, out);
    if (!err) err = put_groups(report, LMP_BY_CLASS, "Class", out);
    if (!err) err = put_groups(report, LMP_BY_TYPE, "Type", out);
    if (!err && report->s->ledger.lines != LMP_LINES_OFF)
        err = put_groups(report, LMP_BY_LINE, "Line", out);
    if (!err && report->s->ledger.stacks) err = put_groups(report, LMP_BY_PATH, "Call path", out);
    for (uint32_t page = 0; page < LMP_PAGES && !err; page++)
        err = put_page(report, (LmpSuspectPage)page, out);
    return err;
}
