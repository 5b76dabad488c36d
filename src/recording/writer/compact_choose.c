/* compact_choose.c - chooses the frames that stay: for each share in turn, tries how far apart they
 * may be kept, from the finest distance on, until what that costs fits the share. */
#include <stdlib.h>

#include "recording/reader/recording.h"
#include "recording/writer/compact.h"

#define MINUTE 60000000000ull
enum { FINEST = 4096, COARSE = 256 };

typedef struct Frame {
    uint64_t clock, live_bytes;
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

/* Fills in the frames of the file, by rising clock. Returns how many. */
static uint32_t find_frames(const RecScan *scan, Frame *frame) {
    uint32_t frames = 0;
    for (uint32_t i = 0; i < scan->parts; i++) {
        const RecPart *part = &scan->part[i];
        if (!recscan_is_frame(part, frames ? frame[frames - 1].clock : 0)) continue;
        const RecPart *tables = recscan_tables(scan, part);
        frame[frames++] = (Frame){.clock = part->clock,
                                  .live_bytes = part->live_bytes,
                                  .figures = part->stored + REC_PART,
                                  .tables = tables ? tables->stored + REC_PART : 0,
                                  .flags = part->flags};
    }
    return frames;
}

uint8_t *compact_choose(const RecScan *scan, uint64_t bytes, uint32_t *frames, uint32_t *short_of) {
    Choice c = {.frame = calloc((size_t)scan->parts + 1, sizeof *c.frame)};
    uint8_t *out = malloc((size_t)scan->parts + 1);
    uint32_t peak = 0, tabled = 0;
    uint64_t most = 0, most_tabled = 0;
    if (c.frame) c.frames = find_frames(scan, c.frame);
    for (uint32_t i = 0; i < c.frames; i++) {
        const Frame *f = &c.frame[i];
        if (f->live_bytes > most) {
            most = f->live_bytes;
            peak = i;
        }
        if (f->flags & LMP_FRAME_TABLES && f->live_bytes > most_tabled) {
            most_tabled = f->live_bytes;
            tabled = i;
        }
        c.last = f->clock;
    }
    if (c.frames > 0) choose(&c, peak, tabled, bytes);
    for (uint32_t i = 0; i < c.frames && out; i++)
        out[i] = c.frame[i].keep;
    *frames = c.frames;
    *short_of = c.short_of;
    if (!c.frame) {
        free(out);
        out = NULL;
    }
    free(c.frame);
    return out;
}
