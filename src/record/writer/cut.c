/* cut.c - a rewrite (rewrite.h) of the frames between two times, from the last one with tables
 * before the first of them, into a file beside that is then renamed. */
#include "record/writer/cut.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "record/writer/rewrite.h"

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
        err = frames_end(w.frames, whole ? last : cut->to, whole ? recording_ended(r) : 0,
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
