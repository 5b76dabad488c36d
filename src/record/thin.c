/* thin.c - see thin.h. */
#include "record/thin.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/os.h"

#define MINUTE 60000000000ull
enum { MARKS_KEPT = 256, FINEST = 4096, PART_NAME = 4096 };

struct RecThin {
    LmpRecording *from;
    RecRewrite rewrite;
    int fd;
    char name[PART_NAME], part[PART_NAME]; /* "": none */
};

/* ---- choosing -------------------------------------------------------------------------------- */

typedef struct Choice {
    const LmpRecording *r;
    uint8_t *keep;
    uint32_t frames, peak; /* the frame with the most */
    uint64_t last;         /* clock of the newest */
} Choice;

/* What is rather kept of what is near to each other. */
static unsigned rank(unsigned flags) {
    return (flags & LMP_FRAME_CYCLE ? 2 : 0) + (flags & LMP_FRAME_TABLES ? 1 : 0);
}

/* Of frames that are `wanted` (flags; 0: all), keeps those that are so far apart as their age
 * divided by `fine`; in the newest minute all of them, unless that is too much. */
static void choose_apart(const Choice *c, unsigned wanted, uint64_t fine, bool minute,
                         uint8_t keep) {
    uint64_t last = UINT64_MAX;
    for (uint32_t i = c->frames; i-- > 0;) {
        LmpFrameInfo info = recording_frame(c->r, i);
        if ((info.flags & wanted) != wanted) continue;
        uint64_t age = c->last - info.clock, apart = age / fine;
        if (age <= MINUTE && minute) apart = 0;
        if (last != UINT64_MAX && last - info.clock < apart) continue;
        uint32_t best = i; /* a better one, a little further on */
        for (uint32_t k = i; k-- > 0;) {
            LmpFrameInfo other = recording_frame(c->r, k);
            if (info.clock - other.clock > apart / 4) break;
            if ((other.flags & wanted) == wanted &&
                rank(other.flags) > rank(recording_frame(c->r, best).flags))
                best = k;
        }
        i = best;
        if (c->keep[i] < keep) c->keep[i] = keep;
        last = recording_frame(c->r, i).clock;
    }
}

static void choose_remarkable(const Choice *c) {
    uint32_t marks = 0;
    for (uint32_t i = c->frames; i-- > 0;) {
        unsigned flags = recording_frame(c->r, i).flags;
        bool mark = flags & LMP_FRAME_MARK && marks++ < MARKS_KEPT;
        if (mark || i == 0 || i + 1 == c->frames || i == c->peak || flags & LMP_FRAME_END)
            c->keep[i] = REC_KEEP_ALL;
    }
}

static uint64_t sum(const Choice *c) {
    uint64_t bytes = 0, tables;
    for (uint32_t i = 0; i < c->frames; i++) {
        if (c->keep[i] == REC_DROP) continue;
        bytes += recording_frame_bytes(c->r, i, &tables);
        if (c->keep[i] == REC_KEEP_ALL) bytes += tables;
    }
    return bytes;
}

/* Frames with tables cost most, and get at most two thirds. */
static void choose(const Choice *c, uint64_t bytes, uint32_t coarse) {
    uint64_t fine = FINEST >> (coarse < 12 ? coarse : 12);
    for (bool minute = true; fine > 0; fine /= 2) {
        memset(c->keep, REC_DROP, c->frames);
        choose_remarkable(c);
        choose_apart(c, LMP_FRAME_TABLES, fine, minute, REC_KEEP_ALL);
        if (sum(c) <= bytes / 3 * 2) break;
        if (fine <= FINEST / 16) minute = false;
    }
    if (sum(c) > bytes) return;
    for (uint64_t figures = FINEST; figures > 0; figures /= 2) {
        choose_apart(c, 0, figures, figures > 32, REC_KEEP_FIGURES);
        if (sum(c) <= bytes) return;
        for (uint32_t i = 0; i < c->frames; i++)
            if (c->keep[i] == REC_KEEP_FIGURES) c->keep[i] = REC_DROP;
    }
}

uint8_t *thin_choose(const LmpRecording *r, uint64_t bytes, uint32_t coarse) {
    Choice c = {.r = r, .frames = recording_frames(r)};
    c.keep = malloc((size_t)c.frames + 1);
    if (!c.keep || c.frames == 0) return c.keep;
    c.last = recording_frame(r, c.frames - 1).clock;
    for (uint32_t i = 1; i < c.frames; i++)
        if (recording_frame(r, i).live_bytes > recording_frame(r, c.peak).live_bytes) c.peak = i;
    choose(&c, bytes, coarse);
    return c.keep;
}

/* ---- writing --------------------------------------------------------------------------------- */

static int open_beside(RecThin *t, const char *name) {
    if (!name) return memfd_create("lmp-recording", MFD_CLOEXEC);
    int fd = recfile_beside(name, t->part, sizeof t->part);
    if (fd >= 0) snprintf(t->name, sizeof t->name, "%s", name);
    return fd;
}

LmpErr thin_begin(RecThin **out, int fd, const char *name, uint32_t generation, uint64_t bytes,
                  uint32_t coarse) {
    RecThin *t = calloc(1, sizeof *t);
    *out = NULL;
    if (!t) return LMP_E_NOMEM;
    LmpErr err = recording_open_fd(&t->from, fd);
    t->fd = err ? -1 : open_beside(t, name);
    if (!err && t->fd < 0) err = LMP_E_FILE;
    uint8_t *keep = err ? NULL : thin_choose(t->from, bytes, coarse);
    if (!err && !keep) err = LMP_E_NOMEM;
    if (!err)
        err = rewrite_begin(&t->rewrite, t->from, t->fd, generation, keep,
                            recording_frames(t->from), false);
    *out = t;
    return err;
}

void thin_drop(RecThin *t) {
    if (!t) return;
    rewrite_free(&t->rewrite);
    recording_close(t->from);
    if (t->part[0]) unlink(t->part);
    if (t->fd >= 0) close(t->fd);
    free(t);
}

LmpErr thin_step(RecThin *t, uint64_t budget, bool *done) {
    LmpErr err = rewrite_step(&t->rewrite, budget, done);
    if (!err && *done) { /* and those that came meanwhile */
        err = recording_refresh(t->from);
        *done = t->rewrite.next >= recording_frames(t->from);
    }
    return err;
}

/* All of the new file in place of the old one. */
static LmpErr copy_into(const RecThin *t, int into) {
    static char bytes[1 << 16];
    uint64_t at = 0, size = t->rewrite.file.size;
    while (at < size) {
        ssize_t n = pread(t->fd, bytes, sizeof bytes, (off_t)at);
        if (n <= 0 || !lmp_os->write_at(into, at, bytes, (size_t)n)) return LMP_E_FILE;
        at += (uint64_t)n;
    }
    return ftruncate(into, (off_t)size) == 0 ? LMP_OK : LMP_E_FILE;
}

LmpErr thin_finish(RecThin *t, int into, RecFile *file, RecFrames **frames, int *fd) {
    LmpErr err = rewrite_rest(&t->rewrite);
    if (!err && into >= 0) err = copy_into(t, into);
    if (!err && into < 0 && rename(t->part, t->name) != 0) err = LMP_E_FILE;
    int why = errno;
    if (!err) {
        *file = t->rewrite.file;
        *frames = t->rewrite.frames;
        *fd = into >= 0 ? -1 : t->fd;
        if (into < 0) t->fd = -1;
        t->part[0] = 0;
        t->rewrite.file = (RecFile){.fd = -1};
        t->rewrite.frames = NULL;
    }
    thin_drop(t);
    errno = why;
    return err;
}
