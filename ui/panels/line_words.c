/* line_words.c - finds the model's verdicts on the line, and puts the line's tally into a sentence;
 * text wraps (flow.h). */
#include "panels/line_words.h"

#include <stdio.h>

#include "base/format.h"
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
             format_bytes(d, made), tally_share(t->free_bytes, made) * 100);
    flow_wrapped(f, 1, STYLE(TONE_MUTED), text);
}
