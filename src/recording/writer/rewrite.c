/* rewrite.c - seeks the kept frames of the old recording in order and writes each with
 * framewriter.h, the output in between; flags of frames that are dropped go to the next one that
 * stays. */
#include "recording/writer/rewrite.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/os.h"
#include "recording/format/redundancy.h"
#include "recording/format/texts.h"

/* ---- bit by bit ------------------------------------------------------------------------------ */

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
    if (!err) err = framewriter_open(&w->frames, (RecSink){recfile_put, &w->file});
    if (!err && redact) err = hide_names(from, redact);
    const char *again = redact ? NULL : recording_again(from);
    const char *directory = redact ? NULL : recording_directory(from);
    if (!err) err = framewriter_begin(w->frames, recording_view(from), again, directory);
    return err;
}

void rewrite_free(RecRewrite *w) {
    framewriter_close(w->frames);
    recfile_free(&w->file);
    bytes_free(&w->output);
    free(w->keep);
    w->frames = NULL;
    w->keep = NULL;
}

static LmpErr put_pieces(RecRewrite *w, uint64_t clock) {
    RecPart part = {.kind = REC_OUTPUT, .clock = clock};
    if (w->output.n == 0) return LMP_OK;
    LmpErr err =
        w->output.failed ? LMP_E_NOMEM : framewriter_put_bytes(w->frames, &part, &w->output);
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
    framewriter_take(w->frames, recording_view(w->from), true);
    err = framewriter_put(w->frames, recording_view(w->from), &part, tables);
    if (err && tables && w->file.full) { /* there is no room for its tables, but for it perhaps */
        w->left_out++;
        part.flags &= (uint8_t)~LMP_FRAME_TABLES;
        err = framewriter_put(w->frames, recording_view(w->from), &part, false);
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
        err = framewriter_put_source(w->frames, clock, source, text, n);
        if (err && w->file.full) err = LMP_OK;
    }
    return err;
}

LmpErr rewrite_rest(RecRewrite *w) {
    uint32_t n = recording_frames(w->from);
    LmpErr err = put_output(w, UINT64_MAX);
    if (!err) err = put_sources(w, n ? recording_frame(w->from, n - 1).clock : 0);
    return err ? err : redundancy_put(&w->file, n ? recording_frame(w->from, n - 1).clock : 0);
}

/* ---- a piece --------------------------------------------------------------------------------- */

enum { PART_NAME = 4200 };

static uint8_t *choose(const LmpRecording *r, const LmpCut *cut) {
    uint32_t n = recording_frames(r);
    uint8_t *keep = malloc((size_t)n + 1);
    if (!keep || n == 0) return keep;
    memset(keep, REC_DROP, n);
    uint32_t first = recording_at(r, cut->from);
    while (first > 0 && !(recording_frame(r, first).flags & LMP_FRAME_TABLES))
        first--;
    for (uint32_t i = first; i < n && (i == first || recording_frame(r, i).clock <= cut->to); i++)
        keep[i] = REC_KEEP_ALL;
    return keep;
}

static LmpErr write_cut(LmpRecording *r, const LmpCut *cut, int fd, uint32_t *frames) {
    RecRewrite w = {0};
    uint32_t n = recording_frames(r);
    uint64_t last = n ? recording_frame(r, n - 1).clock : 0;
    uint8_t *keep = choose(r, cut);
    bool done = false;
    if (!keep) return LMP_E_NOMEM;
    LmpErr err = rewrite_begin(&w, r, fd, 0, keep, n, cut->redact);
    w.output_from = cut->from;
    w.output_to = cut->to;
    while (!err && !done)
        err = rewrite_step(&w, UINT64_MAX, &done);
    if (!err && !w.any) err = LMP_E_DAMAGED;
    if (!err) err = rewrite_rest(&w);
    bool whole = cut->to >= last;
    if (!err && (!whole || recording_complete(r)))
        err = framewriter_end(w.frames, whole ? last : cut->to, whole ? recording_ended(r) : 0,
                              recording_left_out(r));
    if (!err) err = recfile_end(&w.file);
    for (uint32_t i = 0; frames && i < w.file.parts; i++)
        *frames += w.file.part[i].kind == REC_LIVE_PART;
    int why = w.file.os_error;
    rewrite_free(&w);
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
