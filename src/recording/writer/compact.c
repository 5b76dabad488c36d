/* compact.c - chooses the frames: for each share in turn, tries how far apart they may be kept,
 * from the finest distance on, until what that costs fits the share. Then a rewrite (rewrite.h)
 * from a second reader of the file that is still being written; at its end the new file is renamed,
 * or copied over the old one if that has no name. */
#include "recording/writer/compact.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/os.h"
#include "recording/writer/rewrite.h"

/* ---- which frames stay ----------------------------------------------------------------------- */

#define MINUTE 60000000000ull
enum { FINEST = 4096, COARSE = 256 };

typedef struct Frame {
    uint64_t clock;
    uint32_t figures, tables; /* bytes */
    uint8_t flags, keep, tried;
} Frame;

typedef struct Choice {
    Frame *frame;
    uint32_t frames;
    uint64_t last;     /* clock of the newest */
    uint64_t bytes;    /* of what is kept so far */
    uint32_t short_of; /* frames that ought to have kept their tables */
} Choice;

static void keep(Choice *c, uint32_t i, RecKeep how) {
    Frame *f = &c->frame[i];
    if (f->keep == REC_DROP && how != REC_DROP) c->bytes += f->figures;
    if (f->keep != REC_KEEP_ALL && how == REC_KEEP_ALL) c->bytes += f->tables;
    if (f->keep < how) f->keep = (uint8_t)how;
}

/* Returns the rank of a frame: of frames that are near each other the highest is kept. */
static unsigned rank(const Frame *f) {
    return (f->flags & LMP_FRAME_CYCLE ? 2 : 0) + (f->flags & LMP_FRAME_TABLES ? 1 : 0);
}

/* Tries to keep frames that are `wanted` (flags; 0: all) as far apart as their age divided by
 * `fine`: from the newest on, noted in .tried; in the newest minute all, if `minute`. Returns what
 * it would cost to keep them so. */
static uint64_t try_apart(Choice *c, unsigned wanted, uint64_t fine, bool minute, RecKeep how) {
    uint64_t last = UINT64_MAX, bytes = 0;
    for (uint32_t i = 0; i < c->frames; i++)
        c->frame[i].tried = false;
    for (uint32_t i = c->frames; i-- > 0;) {
        const Frame *f = &c->frame[i];
        if ((f->flags & wanted) != wanted) continue;
        uint64_t age = c->last - f->clock, apart = age / fine;
        if (age <= MINUTE && minute) apart = 0;
        if (last != UINT64_MAX && last - f->clock < apart) continue;
        uint32_t best = i; /* a better one, a little further on */
        for (uint32_t k = i; k-- > 0 && f->clock - c->frame[k].clock <= apart / 4;)
            if ((c->frame[k].flags & wanted) == wanted &&
                rank(&c->frame[k]) > rank(&c->frame[best]))
                best = k;
        i = best;
        Frame *kept = &c->frame[i];
        kept->tried = true;
        last = kept->clock;
        if (kept->keep == REC_DROP) bytes += kept->figures;
        if (kept->keep != REC_KEEP_ALL && how == REC_KEEP_ALL) bytes += kept->tables;
    }
    return bytes;
}

static void keep_tried(Choice *c, RecKeep how) {
    for (uint32_t i = 0; i < c->frames; i++)
        if (c->frame[i].tried) keep(c, i, how);
}

/* Keeps the frames of the finest distance with which there are no more than `bytes` in all; none of
 * them if even the coarsest takes more. Down to COARSE, the newest minute is whole. */
static void keep_apart(Choice *c, unsigned wanted, RecKeep how, uint64_t bytes) {
    for (uint64_t fine = FINEST; fine > 0; fine /= 2) {
        if (c->bytes + try_apart(c, wanted, fine, fine >= COARSE, how) > bytes) continue;
        keep_tried(c, how);
        return;
    }
}

/* Keeps figures of the newest minute, all of it or as many as there is room for. */
static void keep_minute(Choice *c, uint64_t bytes) {
    uint32_t first = c->frames;
    while (first > 0 && c->last - c->frame[first - 1].clock <= MINUTE)
        first--;
    for (uint32_t step = 1; step < c->frames; step *= 2) {
        uint64_t sum = c->bytes;
        for (uint32_t i = first; i < c->frames; i += step)
            if (c->frame[i].keep == REC_DROP) sum += c->frame[i].figures;
        if (sum > bytes) continue;
        for (uint32_t i = first; i < c->frames; i += step)
            keep(c, i, REC_KEEP_FIGURES);
        return;
    }
}

/* Keeps a frame that always stays; its tables too, unless they would leave no room for others. */
static void keep_always(Choice *c, uint32_t i, uint64_t bytes) {
    const Frame *f = &c->frame[i];
    if (f->keep == REC_KEEP_ALL) return;
    bool room = c->bytes + f->figures + f->tables <= bytes;
    keep(c, i, room ? REC_KEEP_ALL : REC_KEEP_FIGURES);
    c->short_of += !room;
}

static void keep_cycle_near(Choice *c, uint32_t frame) {
    uint32_t before = frame, after = frame;
    while (before > 0 && !(c->frame[before].flags & LMP_FRAME_CYCLE))
        before--;
    while (after + 1 < c->frames && !(c->frame[after].flags & LMP_FRAME_CYCLE))
        after++;
    keep(c, before, REC_KEEP_FIGURES);
    keep(c, after, REC_KEEP_FIGURES);
}

/* `tables`: the largest frame that has them. */
static void choose(Choice *c, uint32_t peak, uint32_t tables, uint64_t bytes) {
    keep_always(c, peak, bytes / 3 * 2);
    keep_always(c, tables, bytes / 3 * 2);
    keep_always(c, c->frames - 1, bytes / 3 * 2);
    keep_always(c, 0, bytes / 3 * 2);
    keep_cycle_near(c, peak);
    keep_apart(c, LMP_FRAME_MARK, REC_KEEP_ALL, bytes / 4);
    keep_apart(c, LMP_FRAME_MARK, REC_KEEP_FIGURES, bytes / 2);
    uint64_t left = bytes > c->bytes ? bytes - c->bytes : 0;
    keep_minute(c, c->bytes + left / 2);
    keep_apart(c, LMP_FRAME_TABLES, REC_KEEP_ALL, bytes / 6 * 5);
    keep_apart(c, LMP_FRAME_CYCLE, REC_KEEP_FIGURES, bytes / 12 * 11);
    keep_apart(c, 0, REC_KEEP_FIGURES, bytes);
}

uint8_t *compact_choose(const LmpRecording *r, uint64_t bytes, uint32_t *short_of) {
    Choice c = {.frames = recording_frames(r)};
    uint8_t *out = malloc((size_t)c.frames + 1);
    uint32_t peak = 0, tabled = 0;
    uint64_t most = 0, most_tabled = 0, tables;
    c.frame = calloc((size_t)c.frames + 1, sizeof *c.frame);
    for (uint32_t i = 0; i < c.frames && c.frame; i++) {
        LmpFrameInfo info = recording_frame(r, i);
        uint64_t figures = recording_frame_bytes(r, i, &tables);
        c.frame[i] = (Frame){.clock = info.clock,
                             .figures = (uint32_t)figures,
                             .tables = (uint32_t)tables,
                             .flags = (uint8_t)info.flags};
        if (info.live_bytes > most) {
            most = info.live_bytes;
            peak = i;
        }
        if (info.flags & LMP_FRAME_TABLES && info.live_bytes > most_tabled) {
            most_tabled = info.live_bytes;
            tabled = i;
        }
        c.last = info.clock;
    }
    if (c.frame && c.frames > 0) choose(&c, peak, tabled, bytes);
    for (uint32_t i = 0; i < c.frames && c.frame && out; i++)
        out[i] = c.frame[i].keep;
    *short_of = c.short_of;
    if (!c.frame) {
        free(out);
        out = NULL;
    }
    free(c.frame);
    return out;
}

/* ---- writing them ---------------------------------------------------------------------------- */

enum { PART_NAME = 4096 };

struct RecCompact {
    LmpRecording *from;
    RecRewrite rewrite;
    uint32_t short_of; /* frames that lose their tables, by choice */
    int fd;
    char name[PART_NAME], part[PART_NAME]; /* "": none */
};

/* ---- writing --------------------------------------------------------------------------------- */

static int open_beside(RecCompact *t, const char *name) {
    if (!name) return memfd_create("lmp-recording", MFD_CLOEXEC);
    int fd = recfile_beside(name, t->part, sizeof t->part);
    if (fd >= 0) snprintf(t->name, sizeof t->name, "%s", name);
    return fd;
}

LmpErr compact_begin(RecCompact **out, int fd, const char *name, uint32_t generation,
                     uint64_t bytes, uint64_t most) {
    RecCompact *t = calloc(1, sizeof *t);
    *out = NULL;
    if (!t) return LMP_E_NOMEM;
    LmpErr err = recording_open_fd(&t->from, fd);
    t->fd = err ? -1 : open_beside(t, name);
    if (!err && t->fd < 0) err = LMP_E_FILE;
    uint8_t *keep = err ? NULL : compact_choose(t->from, bytes, &t->short_of);
    if (!err && !keep) err = LMP_E_NOMEM;
    if (!err)
        err = rewrite_begin(&t->rewrite, t->from, t->fd, generation, keep,
                            recording_frames(t->from), false);
    t->rewrite.file.most = most;
    *out = t;
    return err;
}

void compact_drop(RecCompact *t) {
    if (!t) return;
    rewrite_free(&t->rewrite);
    recording_close(t->from);
    if (t->part[0]) unlink(t->part);
    if (t->fd >= 0) close(t->fd);
    free(t);
}

LmpErr compact_step(RecCompact *t, uint64_t budget, bool *done) {
    uint64_t begun = lmp_os->clock(), spent = 0;
    LmpErr err = LMP_OK;
    *done = false;
    while (!err && !*done && spent < budget) {
        err = rewrite_step(&t->rewrite, budget - spent, done);
        if (!err && *done) { /* and those that came meanwhile: at least one with each tick */
            err = recording_refresh(t->from);
            *done = t->rewrite.next >= recording_frames(t->from);
        }
        spent = lmp_os->clock() - begun;
    }
    return err;
}

/* Writes all of the new file over the old one. */
static LmpErr copy_into(const RecCompact *t, int into) {
    static char bytes[1 << 16];
    uint64_t at = 0, size = t->rewrite.file.size;
    while (at < size) {
        ssize_t n = pread(t->fd, bytes, sizeof bytes, (off_t)at);
        if (n <= 0 || !lmp_os->write_at(into, at, bytes, (size_t)n)) return LMP_E_FILE;
        at += (uint64_t)n;
    }
    return ftruncate(into, (off_t)size) == 0 ? LMP_OK : LMP_E_FILE;
}

uint32_t compact_left_out(const RecCompact *t) {
    return t->rewrite.left_out + t->short_of;
}

LmpErr compact_finish(RecCompact *t, int into, RecFile *file, FrameWriter **frames, int *fd) {
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
    compact_drop(t);
    errno = why;
    return err;
}
