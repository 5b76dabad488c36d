/* recorder.c - decides when a frame is due, with tables or without, by what taking the last ones
 * has cost and how much room they took; and when the file is thinned out, a step with each tick. */
#include "recording/writer/recorder.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/os.h"
#include "base/procfile.h"
#include "read/heapmap/heapmap.h"
#include "recording/format/linetext.h"
#include "recording/format/recfile.h"
#include "recording/format/redundancy.h"
#include "recording/format/texts.h"
#include "recording/reader/recording.h"
#include "recording/writer/compact.h"
#include "recording/writer/framewriter.h"

#define MINUTE 60000000000ull
#define TICK 100000000ull      /* ns between frames */
#define SHARE 125u             /* tables and thinning take at most this part of the time */
#define SHARE_MARK 10u         /* ... where there is a mark or a peak to note */
#define PEAK_PART 20u          /* a peak that is higher by this part than the last that is kept, */
#define PEAK_LEAST 16384u      /* ... and by so many bytes */
#define REST_MOST (2 * MINUTE) /* for which tables are put off beyond that, at most */
#define TABLES_MINUTE 4u       /* tables of a minute take at most this part of the limit */
#define TABLES_IN_LIMIT 16u    /* so many of the largest tables are to fit it */
#define SOURCES_IN_LIMIT 16u   /* texts of sources take at most this part, before packing */
#define COARSEST 6u            /* eighths of what thinning would leave, by which it leaves less */
#define OWN_LOOK 1000000000ull /* ns between looks at what lmp takes itself, of 1 ms each */
#define MAP_LOOK 1000000u      /* ns for the heap map, with every frame that has tables */
#define OUTPUT_PIECE (256u << 10)

struct LmpRecorder {
    RecFile file;
    FrameWriter *frames;
    bool own_fd;
    uint64_t limit;
    uint64_t next, next_tables, next_mark; /* clock: when they are due */
    uint64_t start;                        /* clock: of the state */
    /* of the frame before */
    bool any;
    uint32_t marks;
    uint64_t peak, cycles;
    uint32_t tables_marks; /* marks that the tables taken last know */
    uint64_t tables_peak;  /* live bytes of the highest frame with tables */
    uint64_t tables_bytes; /* what frames with tables took lately, on average */
    uint64_t tables_most;  /* ... and took, or would have taken, at most */
    LmpRecShort shortage, *shortage_out;
    /* output that is not written yet */
    RecBytes output;
    uint64_t output_clock, output_all, output_most;
    uint64_t last_clock;
    LmpErr ended; /* by what error */
    /* thinning, while it is under way */
    char *name; /* of the file; NULL: a descriptor's */
    bool full;  /* the last part did not fit */
    uint32_t generation, coarse;
    uint64_t thin_at;   /* bytes of the file at which it begins */
    uint64_t next_thin; /* clock: when it may go on */
    uint64_t latest;    /* clock: tables are not put off beyond it */
    RecCompact *thin;
    /* of the heap's addresses; NULL: not looked at yet */
    HeapMap *map;
    const LmpView *map_view;
    uint64_t own, next_own; /* lmp's own part of the resident set, bytes; when to look again */
};

/* ---- opening --------------------------------------------------------------------------------- */

static void drop(LmpRecorder *r) {
    compact_drop(r->thin);
    heapmap_free(r->map);
    free(r->name);
    framewriter_close(r->frames);
    if (r->own_fd && r->file.fd >= 0) close(r->file.fd);
    recfile_free(&r->file);
    bytes_free(&r->output);
    free(r);
}

static int open_file(const LmpRecorderOptions *o) {
    if (!o->file) return o->fd;
    if (!recfile_replaceable(o->file)) return -1;
    int fd = open(o->file, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, S_IRUSR | S_IWUSR);
    if (fd >= 0 && (!recfile_take(fd) || fchmod(fd, S_IRUSR | S_IWUSR) != 0)) {
        int why = errno;
        close(fd);
        errno = why;
        return -1;
    }
    return fd;
}

static size_t sources_most(const LmpRecorder *r) {
    uint64_t most = r->limit / SOURCES_IN_LIMIT;
    return most < LINETEXT_KEPT_ALL ? (size_t)most : LINETEXT_KEPT_ALL;
}

static LmpErr begin_frames(LmpRecorder *r, const LmpView *view, const char *again) {
    char directory[4096];
    bool known = linetexts_directory(view->pid, directory, sizeof directory);
    LmpErr err = framewriter_begin(r->frames, view, again, known ? directory : NULL);
    framewriter_keep_sources(r->frames, sources_most(r));
    return err;
}

LmpErr recorder_open(LmpRecorder **out, const LmpView *view, const LmpRecorderOptions *options) {
    *out = NULL;
    LmpRecorder *r = calloc(1, sizeof *r);
    if (!r) return LMP_E_NOMEM;
    int fd = open_file(options);
    LmpErr err = fd < 0 ? LMP_E_FILE : recfile_begin(&r->file, fd, 0);
    r->file.fd = fd;
    r->own_fd = options->file != NULL;
    r->limit = options->limit ? options->limit : LMP_REC_LIMIT;
    if (r->limit < LMP_REC_LIMIT_LEAST) r->limit = LMP_REC_LIMIT_LEAST;
    r->file.most = r->limit;
    r->thin_at = r->limit / 4 * 3;
    r->output_most = r->limit / 4 < LMP_REC_OUTPUT ? r->limit / 4 : LMP_REC_OUTPUT;
    r->start = view->header->start_clock;
    r->shortage_out = options->shortage;
    if (options->file && !(r->name = strdup(options->file))) err = LMP_E_NOMEM;
    if (!err) err = framewriter_open(&r->frames, (RecSink){recfile_put, &r->file});
    if (!err) err = begin_frames(r, view, options->again);
    if (err) {
        int why = errno;
        if (r->own_fd && fd >= 0 && r->file.size == 0) unlink(options->file); /* nothing is in it */
        drop(r);
        errno = why;
        return err;
    }
    *out = r;
    return LMP_OK;
}

/* ---- output ---------------------------------------------------------------------------------- */

static LmpErr put_output(LmpRecorder *r) {
    RecPart part = {.kind = REC_OUTPUT, .clock = r->output_clock};
    if (r->output.n == 0) return LMP_OK;
    LmpErr err = framewriter_put_bytes(r->frames, &part, &r->output);
    r->output.n = 0;
    return err;
}

LmpErr recorder_output(LmpRecorder *r, uint64_t clock, const char *bytes, size_t n) {
    if (r->ended) return LMP_E_STOPPED;
    while (n > 0 && r->output_all < r->output_most) {
        size_t piece = n < OUTPUT_PIECE ? n : OUTPUT_PIECE;
        if (piece > r->output_most - r->output_all)
            piece = (size_t)(r->output_most - r->output_all);
        if (r->output.n + piece > OUTPUT_PIECE && (r->ended = put_output(r))) return r->ended;
        if (r->output.n == 0 || clock < r->output_clock) {
            if ((r->ended = put_output(r))) return r->ended;
            r->output_clock = clock;
        }
        outputs_put(&r->output, clock - r->output_clock, bytes, piece);
        if (r->output.failed) return r->ended = LMP_E_NOMEM;
        r->output_all += piece;
        bytes += piece;
        n -= piece;
    }
    return LMP_OK;
}

/* ---- frames ---------------------------------------------------------------------------------- */

/* Takes all figures but those of the tables. Of a program that has ended, lmp's own memory stays as
 * it was last. */
static void take_figures(LmpRecorder *r, const LmpView *view, uint64_t now) {
    framewriter_take(r->frames, view, false);
    if (!view->pid) return;
    if (now >= r->next_own) {
        uint64_t own = view_memory(view);
        if (own > r->own || lmp_os->alive(view->pid)) r->own = own;
        r->next_own = now + OWN_LOOK;
    }
    framewriter_set_own(r->frames, r->own);
}

/* Returns what is remarkable about the figures that were taken, as flags. */
static unsigned frame_flags(LmpRecorder *r, const LmpLive *live) {
    const LmpCounters *c = &live->counters;
    uint64_t peak = c->live_bytes > c->peak_bytes ? c->live_bytes : c->peak_bytes;
    unsigned flags = 0;
    if (r->any && live->marks != r->marks) flags |= LMP_FRAME_MARK;
    if (peak > r->peak) flags |= LMP_FRAME_PEAK;
    if (r->any && live->gc.cycles != r->cycles) flags |= LMP_FRAME_CYCLE;
    r->any = true;
    r->marks = live->marks;
    r->peak = peak;
    r->cycles = live->gc.cycles;
    return flags;
}

/* Takes the heap map after a short look at what has changed: where the time is not enough, the rest
 * comes with later frames. */
static void take_map(LmpRecorder *r, LmpView *view) {
    RecExtra *extra = framewriter_extra(r->frames);
    view_refresh(view);
    if (view->leaves == 0) return;
    if (r->map_view != view) {
        heapmap_free(r->map);
        r->map = heapmap_new(view);
        r->map_view = view;
    }
    if (!r->map) return;
    view_next_frame(view);
    heapmap_refresh(r->map, MAP_LOOK);
    extra->map_total = heapmap_total(r->map);
    extra->map_cell =
        extra->map_total ? heapmap_fit(r->map, MAPCELL_RECORDED, HEAPMAP_MIN_CELL) : 0;
    memset(extra->map, 0, sizeof extra->map);
    if (extra->map_cell) heapmap_cells(r->map, 0, extra->map_cell, MAPCELL_RECORDED, extra->map);
}

/* Notes which limit would have been enough: room for many tables, and twice the limit that was
 * not. */
static void note_short(LmpRecorder *r) {
    uint64_t enough = r->limit * 2;
    while (enough < r->tables_most * TABLES_IN_LIMIT)
        enough *= 2;
    r->shortage.enough = enough;
    if (r->shortage_out) *r->shortage_out = r->shortage;
}

/* Notes the most that tables took, or would have taken; they began at `before`. */
static void note_most(LmpRecorder *r, uint64_t before) {
    uint64_t bytes = r->file.size - before;
    if (r->file.full) bytes += r->file.too_much;
    if (bytes > r->tables_most) r->tables_most = bytes;
}

/* Notes that tables of so many frames found no room. */
static void note_left_out(LmpRecorder *r, uint64_t frames) {
    r->shortage.tables += frames;
    note_short(r);
}

/* Notes that the limit wants so long a time between tables. */
static void note_apart(LmpRecorder *r, uint64_t apart) {
    if (apart < LMP_REC_APART || apart <= r->shortage.apart) return;
    r->shortage.apart = apart;
    note_short(r);
}

/* Looks at the state and writes the frame. */
static LmpErr put_frame(LmpRecorder *r, LmpView *view, const RecPart *frame, bool tables) {
    RecPart part = *frame;
    uint64_t before = r->file.size;
    if (tables) part.flags |= LMP_FRAME_TABLES;
    if (tables) take_map(r, view);
    LmpErr err = framewriter_put(r->frames, view, &part, tables);
    if (tables) note_most(r, before);
    if (!err && tables) {
        uint64_t bytes = r->file.size - before;
        r->tables_marks = framewriter_live(r->frames)->marks;
        if (part.live_bytes > r->tables_peak) r->tables_peak = part.live_bytes;
        r->tables_bytes = r->tables_bytes ? (r->tables_bytes * 7 + bytes) / 8 : bytes;
        framewriter_put_sources(r->frames, part.clock);
    }
    return err;
}

/* Returns the next peak that is worth tables. */
static uint64_t peak_wanted(const LmpRecorder *r) {
    return r->tables_peak + r->tables_peak / PEAK_PART + PEAK_LEAST;
}

/* Returns true if there is a mark or a peak to note, and it may be noted by now. */
static bool is_remarkable(const LmpRecorder *r, const LmpLive *live, uint64_t now) {
    return now >= r->next_mark &&
           (live->marks != r->tables_marks || live->counters.live_bytes > peak_wanted(r));
}

uint64_t recorder_peak(const LmpRecorder *r, uint64_t now) {
    return now >= r->next_mark ? peak_wanted(r) : UINT64_MAX;
}

static LmpErr thin(LmpRecorder *r);

/* Has the next tables wait longer, but for a mark or a peak. */
static void put_off(LmpRecorder *r, uint64_t now, uint64_t wait) {
    r->next_tables = (r->next_tables > now ? r->next_tables : now) + wait;
    if (r->next_tables > r->latest) r->next_tables = r->latest;
}

/* Returns nanoseconds since start. A mark that was set after `now`, but before the figures were
 * taken, is one that the frame knows. */
static uint64_t frame_clock(LmpRecorder *r, const LmpLive *live, uint64_t now) {
    uint64_t clock = now > r->start ? now - r->start : 0;
    uint64_t mark = live->marks ? live->mark[(live->marks - 1) % LMP_MARKS].clock : 0;
    if (clock < mark) clock = mark;
    if (clock < r->last_clock) clock = r->last_clock;
    return r->last_clock = clock;
}

/* Takes a frame. `wanted`: with tables, whatever is due. */
static LmpErr take(LmpRecorder *r, LmpView *view, uint64_t now, bool wanted, unsigned more) {
    uint64_t begun = lmp_os->worked();
    take_figures(r, view, now);
    const LmpLive *live = framewriter_live(r->frames);
    unsigned flags = frame_flags(r, live) | more;
    bool tables = wanted || now >= r->next_tables || is_remarkable(r, live, now);
    uint64_t clock = frame_clock(r, live, now);
    RecPart part = {.flags = (uint8_t)flags,
                    .clock = clock,
                    .live_bytes = live->counters.live_bytes,
                    .rss = procfile_resident(view->pid)};
    LmpErr err = put_output(r);
    if (!err) err = put_frame(r, view, &part, tables);
    if (err && r->file.full && tables && !wanted) { /* there will be room when it was thinned */
        note_left_out(r, 1);
        err = put_frame(r, view, &part, false);
    }
    if (err && r->file.full) {
        err = thin(r);
        take_figures(r, view, now);
        part.live_bytes = framewriter_live(r->frames)->counters.live_bytes;
        if (!err) err = put_frame(r, view, &part, tables);
        if (err && r->file.full && tables) {
            note_left_out(r, 1);
            err = put_frame(r, view, &part, false);
        }
    }
    uint64_t took = lmp_os->worked() - begun;
    r->next = now + TICK;
    if (tables) {
        uint64_t wait = took * SHARE, room = r->tables_bytes * TABLES_MINUTE * MINUTE / r->limit;
        if (r->thin && r->next_thin < now + wait) r->next_thin = now + wait;
        if (wait < room) {
            wait = room;
            note_apart(r, room);
        }
        if (wait < TICK) wait = TICK;
        r->next_mark = now + wait / (SHARE / SHARE_MARK);
        r->latest = now + wait + REST_MOST;
        put_off(r, now, wait);
    }
    return err;
}

/* ---- thinning -------------------------------------------------------------------------------- */

/* Puts the file written anew in the place of ours. */
static LmpErr take_over(LmpRecorder *r) {
    RecFile file;
    int fd;
    uint32_t left_out = compact_left_out(r->thin);
    LmpErr err = compact_finish(r->thin, r->name ? -1 : r->file.fd, &file, r->frames, &fd);
    r->thin = NULL;
    if (err) {
        r->file.os_error = errno;
        return err;
    }
    if (r->name) close(r->file.fd);
    file.fd = r->name ? fd : r->file.fd;
    recfile_free(&r->file);
    file.most = r->limit;
    r->file = file;
    if (left_out > 0) note_left_out(r, left_out);
    /* What is written anew is a little more or less than was thought. */
    if (r->file.size > r->limit / 8 * 5 && r->coarse < COARSEST) r->coarse++;
    if (r->file.size < r->limit / 8 * 3 && r->coarse > 0) r->coarse--;
    return LMP_OK;
}

static LmpErr begin_thin(LmpRecorder *r) {
    r->generation++;
    return compact_begin(&r->thin, r->file.fd, r->name, r->generation,
                         r->limit / 16 * (8 - r->coarse), r->limit / 4 * 3);
}

/* Ends thinning when it is done, or gives it up for now after an error that may not be there
 * another time. */
static LmpErr end_thin(LmpRecorder *r, LmpErr err, bool done) {
    if (!err && done) err = take_over(r);
    if (!err || !r->thin || r->file.size >= r->limit) return err;
    compact_drop(r->thin);
    r->thin = NULL;
    r->thin_at = r->file.size + r->limit / 16;
    return LMP_OK;
}

/* Thins all of the file, whatever it takes. */
static LmpErr thin(LmpRecorder *r) {
    bool done = false;
    LmpErr err = r->thin ? LMP_OK : begin_thin(r);
    while (!err && !done)
        err = compact_step(r->thin, UINT64_MAX, &done);
    return end_thin(r, err, done);
}

/* Thins for a step, if the file has become large. A single frame may take longer than a step
 * should: then there are fewer steps. New tables wait as long, for these are to be few meanwhile.
 */
static LmpErr thin_a_little(LmpRecorder *r, uint64_t now) {
    bool done = false;
    if (!r->thin && r->file.size < r->thin_at && !r->file.full) return LMP_OK;
    if (now < r->next_thin) return LMP_OK;
    uint64_t begun = lmp_os->clock();
    LmpErr err = r->thin ? LMP_OK : begin_thin(r);
    if (!err) err = compact_step(r->thin, COMPACT_STEP, &done);
    err = end_thin(r, err, done);
    uint64_t took = lmp_os->clock() - begun, wait = took * SHARE;
    put_off(r, now, wait);
    r->next_thin = now + (wait > TICK / 2 ? wait - TICK / 2 : 0); /* with the tick that is next */
    return err;
}

LmpErr recorder_tick(LmpRecorder *r, LmpView *view, uint64_t now, uint64_t *next) {
    if (r->ended) return LMP_E_STOPPED;
    if (now >= r->next || is_remarkable(r, view->live, now)) {
        r->ended = take(r, view, now, false, 0);
        bool whole = r->file.size > r->limit / 16 * 15;
        if (!r->ended) r->ended = whole ? thin(r) : thin_a_little(r, now);
    }
    *next = r->next_mark > now && r->next_mark < r->next ? r->next_mark : r->next;
    return r->ended;
}

LmpErr recorder_frame(LmpRecorder *r, LmpView *view, uint64_t now) {
    if (r->ended) return LMP_E_STOPPED;
    r->ended = take(r, view, now, true, 0);
    if (!r->ended && r->file.size > r->limit / 16 * 15) r->ended = thin(r);
    return r->ended;
}

uint64_t recorder_size(const LmpRecorder *r) {
    return r->file.size;
}

int recorder_errno(const LmpRecorder *r) {
    return r->file.os_error;
}

LmpErr recorder_close(LmpRecorder *r, LmpView *view, uint32_t ended) {
    LmpErr err = r->ended ? LMP_E_STOPPED : LMP_OK;
    if (!err && view) err = take(r, view, lmp_os->clock(), true, LMP_FRAME_END);
    if (!err) err = put_output(r);
    if (!err && r->file.size > r->limit / 16 * 15) err = thin(r);
    if (!err) err = redundancy_put(&r->file, r->last_clock);
    if (!err) err = framewriter_end(r->frames, r->last_clock, ended, r->shortage.tables);
    if (!err) err = recfile_end(&r->file);
    int why = r->file.os_error;
    drop(r);
    errno = why;
    return err;
}
