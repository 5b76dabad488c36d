/* line_below.c - finds the model's verdicts on the line, and puts the line's tally into a sentence;
 * text wraps (flow.h). Below a table come a rule with the file's name, the lines around the site's
 * line (source_draw), and what C functions made there. */
#include "panels/line_below.h"

#include <stdio.h>

#include "base/format.h"
#include "widget/source.h"
#include "widget/tallycell.h"

void line_verdicts(Flow *f, const Model *model, const LmpSiteRow *row) {
    char text[256];
    for (uint32_t i = 0; i < model->verdicts.count; i++) {
        const Verdict *v = &model->verdicts.verdict[i];
        if (v->site != row->id) continue;
        format_text(text, sizeof text, v->text, !f->utf8);
        canvas_put(f->canvas, f->rect.x + 1, flow_y(f), G_DOT, STYLE(TONE_ACCENT));
        flow_wrapped(f, 3, STYLE(TONE_STRONG), text);
        if (!*v->advice) continue;
        canvas_text(f->canvas, f->rect.x + 3, flow_y(f), 2, STYLE(TONE_ACCENT),
                    f->utf8 ? "→" : "->");
        flow_wrapped(f, 5, STYLE(TONE_TEXT), v->advice);
    }
}

void line_holds(Flow *f, const LmpSiteRow *row) {
    const LmpTally *t = &row->tally;
    char text[200], a[LMP_NUM], b[LMP_NUM], c[LMP_NUM], d[LMP_NUM];
    uint64_t made = tally_made(t);
    snprintf(text, sizeof text, "holds %s in %s block%s of %s each; of %s made, %.0f %% freed",
             format_bytes(a, t->live_bytes), format_count(b, t->live_blocks),
             t->live_blocks == 1 ? "" : "s",
             format_bytes(c, t->live_blocks ? t->live_bytes / t->live_blocks : 0),
             format_bytes(d, made), tallycell_share_of(t->free_bytes, made) * 100);
    flow_wrapped(f, 1, STYLE(TONE_MUTED), text);
}

/* ---- the source ------------------------------------------------------------------------------ */

int line_below_source_rows(const Ui *ui, int h) {
    if (h < 6) return 0;
    if (ui->enlarged && h >= 14) return h * 2 / 5;
    return h >= 20 ? 9 : h >= 16 ? 6 : h >= 12 ? 3 : 1;
}

/* Draws what C functions made on this line: "through insert [C] 8.0 MiB, gmatch [C] 1.2 MiB". */
static void draw_details(const Ledger *ledger, const LmpSiteRow *site, Canvas *canvas, int x, int y,
                         int w, bool utf8, bool makes) {
    int used = 0;
    for (uint32_t i = 0; i < site->details; i++) {
        const LmpSiteDetail *detail = &ledger->detail[site->first_detail + i];
        char bytes[LMP_NUM], name[80];
        if (!detail->name[0]) continue;
        format_text(name, sizeof name, detail->name, !utf8);
        used += canvas_printf(canvas, x + used, y, w - used, STYLE(TONE_MUTED), "%s%s ",
                              used ? ", " : "through ", name);
        used += canvas_text(
            canvas, x + used, y, w - used, STYLE(TONE_TEXT),
            format_bytes(bytes, makes ? tally_made(&detail->tally) : detail->tally.live_bytes));
        if (used >= w) break;
    }
}

static bool has_details(const Ledger *ledger, const LmpSiteRow *site) {
    for (uint32_t i = 0; i < site->details; i++)
        if (ledger->detail[site->first_detail + i].name[0]) return true;
    return false;
}

static void draw_rule(Canvas *canvas, Rect rect, const char *name) {
    canvas_fill(canvas, (Rect){rect.x, rect.y, rect.w, 1}, G_HLINE, STYLE(TONE_BORDER));
    canvas_printf(canvas, rect.x + 1, rect.y, rect.w - 2, STYLE(TONE_MUTED), " %s ", name);
}

void line_below_source(const Model *model, Ui *ui, Canvas *canvas, Rect rect,
                       const LmpSiteRow *site) {
    char name[96];
    format_text(name, sizeof name, site->short_src, !ui->utf8);
    if (rect.h >= 6) {
        draw_rule(canvas, rect, name);
        rect = (Rect){rect.x, rect.y + 1, rect.w, rect.h - 1};
    }
    if (rect.h >= 3 && has_details(&model->ledger, site)) {
        rect.h--;
        draw_details(&model->ledger, site, canvas, rect.x + 2, rect.y + rect.h, rect.w - 2,
                     ui->utf8, ui->makes);
    } else if (rect.h == 1 && has_details(&model->ledger, site) && rect.w >= 100) {
        rect.w /= 2; /* beside the line */
        draw_details(&model->ledger, site, canvas, rect.x + rect.w + 2, rect.y, rect.w - 2,
                     ui->utf8, ui->makes);
    }
    if (rect.h == 1) rect = (Rect){rect.x + 2, rect.y, rect.w - 2, 1};
    rect.w--; /* text that touches the border looks cut */
    source_draw(ui->sources, canvas, rect, site->raw_source, name, site->line, ui->now);
}
