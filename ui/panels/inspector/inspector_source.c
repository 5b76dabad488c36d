/* inspector_source.c - finds the frame's full source name among the ledger's sites and functions,
 * and draws the lines around its current one (source_draw). */
#include "panels/inspector/inspector_source.h"

#include <stdio.h>
#include <string.h>

#include "base/format.h"
#include "widget/source.h"

#define MOST_LINES 12 /* including its heading, where it stands below others */

const char *inspector_source_of(const Model *model, const LmpFrame *frame, char *room,
                                size_t size) {
    const Ledger *ledger = &model->ledger;
    if (frame->is_c) return NULL;
    for (uint32_t i = 0; i < ledger->sites; i++)
        if (strcmp(ledger->site[i].short_src, frame->source) == 0)
            return ledger->site[i].raw_source;
    for (uint32_t i = 0; i < ledger->functions; i++)
        if (strcmp(ledger->function[i].short_src, frame->source) == 0)
            return ledger->function[i].raw_source;
    /* a text, or a path with a truncated beginning */
    if (frame->source[0] == '[' || strncmp(frame->source, "...", 3) == 0) return NULL;
    snprintf(room, size, "@%s", frame->source);
    return room;
}

int inspector_source_lines(int h, int need) {
    if (h < 5) return 0;
    int left = h - need - 1; /* a blank line between */
    if (h >= 14 && left < 4) left = h / 3;
    return left >= 4 ? left < MOST_LINES ? left : MOST_LINES : 1;
}

void inspector_source(const Model *model, const Ui *ui, Canvas *canvas, Rect rect, uint32_t frame) {
    const LmpOp *op = &model->op;
    char room[128], name[96];
    if (frame >= op->frames || rect.h < 1) return;
    const LmpFrame *f = &op->frame[frame];
    const char *source = inspector_source_of(model, f, room, sizeof room);
    format_text(name, sizeof name, f->source, !ui->utf8);
    if (!source || f->line < 1) {
        if (rect.h == 1) return;
        const char *why = f->is_c   ? "a C function: no source to see"
                          : !source ? "its source is not known"
                                    : "its lines are not known";
        canvas_text(canvas, rect.x, rect.y, rect.w, STYLE(TONE_MUTED), why);
        return;
    }
    if (rect.h >= 4) {
        int used = canvas_text(canvas, rect.x, rect.y, rect.w, STYLE(TONE_MUTED), "source of ");
        canvas_tail(canvas, rect.x + used, rect.y, rect.w - used, STYLE(TONE_MUTED),
                    STYLE(TONE_MUTED), name);
        rect.y++;
        rect.h--;
    }
    source_draw(ui->sources, canvas, rect, source, name, f->line, ui->now);
}
