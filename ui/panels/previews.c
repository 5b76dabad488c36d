/* previews.c - copies the model's answer, and asks again after a second unless the last request is
 * unanswered or the program stands still. */
#include "panels/previews.h"

#include <string.h>

#define ASK_AGAIN 1000000000ull /* nanoseconds */

void previews_take(Previews *p, const Model *model) {
    if (!model->preview_ready || model->preview_count == 0 || model->preview_count > LMP_PREVIEWS)
        return;
    memcpy(p->preview, model->preview, model->preview_count * sizeof *p->preview);
    p->count = model->preview_count;
}

void previews_ask(Previews *p, const Model *model, Ui *ui, const uint64_t *addr, uint32_t count) {
    if (count == 0 || (model->seen != LMP_SEEN_RUNNING && model->seen != LMP_SEEN_PAUSED)) return;
    bool same = count == p->asked_count && memcmp(addr, p->asked, count * sizeof *addr) == 0;
    if (same && ui->now - p->asked_at < ASK_AGAIN) return;
    /* while an answer is missing asking twice does not help; nor if nothing can have changed */
    if (same && (!model->preview_ready || model->seen == LMP_SEEN_PAUSED)) return;
    memcpy(p->asked, addr, count * sizeof *addr);
    p->asked_count = count;
    p->asked_at = ui->now;
    Request request = {.kind = REQUEST_PREVIEW, .preview = {.count = count}};
    memcpy(request.preview.addr, addr, count * sizeof *addr);
    request_put(&ui->requests, &request);
}

const LmpPreview *previews_of(const Previews *p, uint64_t addr) {
    for (uint32_t i = 0; i < p->count; i++)
        if (p->preview[i].addr == addr && p->preview[i].valid) return &p->preview[i];
    return NULL;
}
