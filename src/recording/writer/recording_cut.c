/* recording_cut.c - seeks the frames of the piece in order and writes each with framewriter.h, the
 * output in between. */
#include "recording/writer/recording_cut.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "recording/format/recfile.h"
#include "recording/format/redundancy.h"
#include "recording/format/texts.h"
#include "recording/writer/framewriter.h"

enum { PIECE = 256 << 10 /* of output, in a part */, PART_NAME = 4200 };

typedef struct Cutting {
    LmpRecording *from;
    const LmpCut *cut;
    RecFile file; /* what is made; its descriptor is the caller's */
    FrameWriter *frames;
    uint32_t next_output;
    unsigned flags; /* of frames before the first one */
    bool any;       /* one was written */
    RecBytes output;
} Cutting;

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

static LmpErr begin(Cutting *w, int fd) {
    LmpRedact redact = w->cut->redact;
    LmpErr err = recfile_begin(&w->file, fd, 0);
    if (!err) err = framewriter_open(&w->frames, (RecSink){recfile_put, &w->file});
    if (!err && redact) err = hide_names(w->from, redact);
    const char *again = redact ? NULL : recording_again(w->from);
    const char *directory = redact ? NULL : recording_directory(w->from);
    return err ? err : framewriter_begin(w->frames, recording_view(w->from), again, directory);
}

/* ---- output and sources ---------------------------------------------------------------------- */

static LmpErr put_pieces(Cutting *w, uint64_t clock) {
    RecPart part = {.kind = REC_OUTPUT, .clock = clock};
    if (w->output.n == 0) return LMP_OK;
    LmpErr err =
        w->output.failed ? LMP_E_NOMEM : framewriter_put_bytes(w->frames, &part, &w->output);
    w->output.n = 0;
    return err;
}

/* Output until `clock`. */
static LmpErr put_output(Cutting *w, uint64_t clock) {
    uint32_t n = recording_outputs(w->from);
    const LmpCut *cut = w->cut;
    uint64_t since = 0;
    LmpErr err = LMP_OK;
    for (; !err && w->next_output < n; w->next_output++) {
        LmpRecordedOutput piece = recording_output(w->from, w->next_output);
        if (piece.clock > clock) break;
        if (cut->redact || piece.clock < cut->from || piece.clock > cut->to) continue;
        if (w->output.n + piece.n > PIECE || piece.clock < since) err = put_pieces(w, since);
        if (w->output.n == 0) since = piece.clock;
        outputs_put(&w->output, piece.clock - since, piece.bytes, piece.n);
    }
    return err ? err : put_pieces(w, since);
}

static LmpErr put_sources(Cutting *w, uint64_t clock) {
    const KeptTexts *texts = recording_sources(w->from);
    LmpErr err = LMP_OK;
    for (uint32_t i = 0; !err && !w->cut->redact && i < kepttexts_count(texts); i++) {
        const char *source;
        size_t n;
        const char *text = kepttexts_at(texts, i, &source, &n);
        err = framewriter_put_source(w->frames, clock, source, text, n);
    }
    return err;
}

/* ---- frames ---------------------------------------------------------------------------------- */

/* One that is damaged is left out. */
static LmpErr put_frame(Cutting *w, uint32_t i) {
    LmpFrameInfo info = recording_frame(w->from, i);
    LmpView *view = recording_view(w->from);
    LmpErr err = recording_seek(w->from, i);
    if (err == LMP_E_DAMAGED) return LMP_OK;
    if (!err) err = put_output(w, info.clock);
    if (err) return err;
    if (w->cut->redact) redact_figures(view);
    bool tables = info.flags & LMP_FRAME_TABLES || !w->any;
    RecPart part = {.flags = (uint8_t)(info.flags | w->flags | (tables ? LMP_FRAME_TABLES : 0u)),
                    .clock = info.clock,
                    .live_bytes = info.live_bytes,
                    .rss = info.rss};
    framewriter_take(w->frames, view, true);
    w->flags = 0;
    w->any = true;
    return framewriter_put(w->frames, view, &part, tables);
}

static LmpErr put_frames(Cutting *w) {
    uint32_t n = recording_frames(w->from), first = recording_at(w->from, w->cut->from);
    LmpErr err = LMP_OK;
    while (first > 0 && !(recording_frame(w->from, first).flags & LMP_FRAME_TABLES))
        first--;
    for (uint32_t i = 0; i < first && i < n; i++)
        w->flags |=
            recording_frame(w->from, i).flags & (LMP_FRAME_MARK | LMP_FRAME_PEAK | LMP_FRAME_CYCLE);
    for (uint32_t i = first; i < n && !err; i++)
        if (i == first || recording_frame(w->from, i).clock <= w->cut->to) err = put_frame(w, i);
    return err || w->any ? err : LMP_E_DAMAGED;
}

/* What comes after the frames. */
static LmpErr put_rest(Cutting *w) {
    LmpRecording *r = w->from;
    uint32_t n = recording_frames(r);
    uint64_t last = n ? recording_frame(r, n - 1).clock : 0;
    bool whole = w->cut->to >= last;
    LmpErr err = put_output(w, UINT64_MAX);
    if (!err) err = put_sources(w, last);
    if (!err) err = redundancy_put(&w->file, last);
    if (!err && (!whole || recording_complete(r)))
        err = framewriter_end(w->frames, whole ? last : w->cut->to, whole ? recording_ended(r) : 0,
                              recording_left_out(r));
    return err ? err : recfile_end(&w->file);
}

static LmpErr write_cut(LmpRecording *r, const LmpCut *cut, int fd, uint32_t *frames) {
    Cutting w = {.from = r, .cut = cut};
    LmpErr err = begin(&w, fd);
    if (!err) err = put_frames(&w);
    if (!err) err = put_rest(&w);
    for (uint32_t i = 0; frames && i < w.file.parts; i++)
        *frames += w.file.part[i].kind == REC_LIVE_PART;
    int why = w.file.os_error;
    framewriter_close(w.frames);
    recfile_free(&w.file);
    bytes_free(&w.output);
    errno = why;
    return err;
}

LmpErr recording_cut(LmpRecording *r, const LmpCut *cut, const char *file, uint32_t *frames) {
    char part[PART_NAME];
    if (frames) *frames = 0;
    if (!recfile_replaceable(file)) return LMP_E_FILE; /* a device would become a file */
    int fd = recfile_beside(file, part, sizeof part);
    if (fd < 0) return LMP_E_FILE;
    LmpErr err = write_cut(r, cut, fd, frames);
    int why = errno;
    if (!err && (fsync(fd) != 0 || rename(part, file) != 0)) {
        err = LMP_E_FILE;
        why = errno;
    }
    if (err) unlink(part);
    close(fd);
    errno = why;
    return err;
}
