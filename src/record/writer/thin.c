/* thin.c - a rewrite (rewrite.h) from a second reader of the file that is still being written; at
 * its end the new file is renamed, or copied over the old one if that has no name. */
#include "record/writer/thin.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/os.h"

enum { PART_NAME = 4096 };

struct RecThin {
    LmpRecording *from;
    RecRewrite rewrite;
    uint32_t short_of; /* frames that lose their tables, by choice */
    int fd;
    char name[PART_NAME], part[PART_NAME]; /* "": none */
};

/* ---- writing --------------------------------------------------------------------------------- */

static int open_beside(RecThin *t, const char *name) {
    if (!name) return memfd_create("lmp-recording", MFD_CLOEXEC);
    int fd = recfile_beside(name, t->part, sizeof t->part);
    if (fd >= 0) snprintf(t->name, sizeof t->name, "%s", name);
    return fd;
}

LmpErr thin_begin(RecThin **out, int fd, const char *name, uint32_t generation, uint64_t bytes,
                  uint64_t most) {
    RecThin *t = calloc(1, sizeof *t);
    *out = NULL;
    if (!t) return LMP_E_NOMEM;
    LmpErr err = recording_open_fd(&t->from, fd);
    t->fd = err ? -1 : open_beside(t, name);
    if (!err && t->fd < 0) err = LMP_E_FILE;
    uint8_t *keep = err ? NULL : choose_frames(t->from, bytes, &t->short_of);
    if (!err && !keep) err = LMP_E_NOMEM;
    if (!err)
        err = rewrite_begin(&t->rewrite, t->from, t->fd, generation, keep,
                            recording_frames(t->from), false);
    t->rewrite.file.most = most;
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

uint32_t thin_left_out(const RecThin *t) {
    return t->rewrite.left_out + t->short_of;
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
