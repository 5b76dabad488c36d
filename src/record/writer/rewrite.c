/* rewrite.c - seeks the kept frames of the old recording in order and writes each with frames.h,
 * the output in between; flags of frames that are dropped go to the next one that stays. */
#include "record/writer/rewrite.h"

#include <stdlib.h>
#include <string.h>

#include "base/os.h"
#include "record/format/copies.h"
#include "record/format/outputs.h"

enum { PIECE = 256 << 10 };

/* Hides the names of all texts. They are written before it is seen that some are tags, so those of
 * the end are hidden at once. */
static LmpErr hide_names(LmpRecording *from, LmpRedact how) {
    uint32_t i = recording_frames(from);
    while (i > 0 && recording_seek(from, i - 1) != LMP_OK)
        i--;
    LmpErr err = redact_names(recording_view(from), how);
    if (i > 0) redact_figures(recording_view(from));
    return err;
}

LmpErr rewrite_begin(RecRewrite *w, LmpRecording *from, int fd, uint32_t generation, uint8_t *keep,
                     uint32_t kept, LmpRedact redact) {
    *w = (RecRewrite){
        .from = from, .keep = keep, .kept = kept, .redact = redact, .output_to = UINT64_MAX};
    LmpErr err = recfile_begin(&w->file, fd, generation);
    if (!err) err = frames_open(&w->frames, (RecSink){recfile_put, &w->file});
    if (!err && redact) err = hide_names(from, redact);
    const char *again = redact ? NULL : recording_again(from);
    const char *directory = redact ? NULL : recording_directory(from);
    if (!err) err = frames_begin(w->frames, recording_view(from), again, directory);
    return err;
}

void rewrite_free(RecRewrite *w) {
    frames_close(w->frames);
    recfile_free(&w->file);
    bytes_free(&w->output);
    free(w->keep);
    w->frames = NULL;
    w->keep = NULL;
}

static LmpErr put_pieces(RecRewrite *w, uint64_t clock) {
    RecPart part = {.kind = REC_OUTPUT, .clock = clock};
    if (w->output.n == 0) return LMP_OK;
    LmpErr err = w->output.failed ? LMP_E_NOMEM : frames_put_bytes(w->frames, &part, &w->output);
    w->output.n = 0;
    return err;
}

/* Output until `clock`. */
static LmpErr put_output(RecRewrite *w, uint64_t clock) {
    uint32_t n = recording_outputs(w->from);
    uint64_t since = 0;
    LmpErr err = LMP_OK;
    for (; !err && w->next_output < n; w->next_output++) {
        LmpRecordedOutput piece = recording_output(w->from, w->next_output);
        if (piece.clock > clock) break;
        if (w->redact || piece.clock < w->output_from || piece.clock > w->output_to) continue;
        if (w->output.n + piece.n > PIECE || piece.clock < since) err = put_pieces(w, since);
        if (w->output.n == 0) since = piece.clock;
        outputs_put(&w->output, piece.clock - since, piece.bytes, piece.n);
    }
    return err ? err : put_pieces(w, since);
}

static LmpErr put_frame(RecRewrite *w, uint32_t i, RecKeep keep) {
    LmpFrameInfo info = recording_frame(w->from, i);
    LmpErr err = recording_seek(w->from, i);
    if (err == LMP_E_DAMAGED) return LMP_OK;
    if (!err) err = put_output(w, info.clock);
    if (err) return err;
    if (w->redact) redact_figures(recording_view(w->from));
    bool tables = keep == REC_KEEP_ALL && (info.flags & LMP_FRAME_TABLES || !w->any);
    RecPart part = {.flags = (uint8_t)((info.flags & ~(unsigned)LMP_FRAME_TABLES) | w->flags |
                                       (tables ? LMP_FRAME_TABLES : 0u)),
                    .clock = info.clock,
                    .live_bytes = info.live_bytes,
                    .rss = info.rss};
    frames_take(w->frames, recording_view(w->from), true);
    err = frames_put(w->frames, recording_view(w->from), &part, tables);
    if (err && tables && w->file.full) { /* there is no room for its tables, but for it perhaps */
        w->left_out++;
        part.flags &= (uint8_t)~LMP_FRAME_TABLES;
        err = frames_put(w->frames, recording_view(w->from), &part, false);
    }
    if (err && w->file.full) {
        w->flags |= info.flags & (LMP_FRAME_MARK | LMP_FRAME_PEAK | LMP_FRAME_CYCLE);
        return LMP_OK;
    }
    w->flags = 0;
    w->any = true;
    return err;
}

LmpErr rewrite_step(RecRewrite *w, uint64_t budget, bool *done) {
    uint64_t begun = lmp_os->clock();
    LmpErr err = LMP_OK;
    while (!err && w->next < recording_frames(w->from)) {
        unsigned flags = recording_frame(w->from, w->next).flags;
        RecKeep keep = w->next < w->kept ? (RecKeep)w->keep[w->next] : REC_KEEP_ALL;
        if (keep == REC_DROP)
            w->flags |= flags & (LMP_FRAME_MARK | LMP_FRAME_PEAK | LMP_FRAME_CYCLE);
        else
            err = put_frame(w, w->next, keep);
        w->next++;
        if (keep != REC_DROP && lmp_os->clock() - begun >= budget) break;
    }
    *done = w->next >= recording_frames(w->from);
    return err;
}

/* Puts the texts of sources; those that find no room are left out. */
static LmpErr put_sources(RecRewrite *w, uint64_t clock) {
    const KeptTexts *texts = recording_sources(w->from);
    LmpErr err = LMP_OK;
    for (uint32_t i = 0; !err && !w->redact && i < kepttexts_count(texts); i++) {
        const char *source;
        size_t n;
        const char *text = kepttexts_at(texts, i, &source, &n);
        err = frames_put_source(w->frames, clock, source, text, n);
        if (err && w->file.full) err = LMP_OK;
    }
    return err;
}

LmpErr rewrite_rest(RecRewrite *w) {
    uint32_t n = recording_frames(w->from);
    LmpErr err = put_output(w, UINT64_MAX);
    if (!err) err = put_sources(w, n ? recording_frame(w->from, n - 1).clock : 0);
    return err ? err : copies_put(&w->file, n ? recording_frame(w->from, n - 1).clock : 0);
}
