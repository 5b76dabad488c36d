/* moment.c - tries the words that are fixed, then times (clock, span, share, from the end), then
 * marks by name or number, and finds the frame that is nearest. */
#include "recording/reader/moment.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "base/array.h"
#include "base/format.h"
#include "shared/counters.h"

/* ---- marks ----------------------------------------------------------------------------------- */

/* A file may claim anything: frames that have nothing to add are given up at some point. */
#define SEEKS (2 * LMP_RECORDED_MARKS / LMP_MARKS)

typedef struct List {
    RecordedMark *mark; /* the newest first */
    uint32_t n, room;
    uint64_t lowest; /* number of the last of them */
} List;

/* Adds the marks of the frame sought that are older than those in the list. */
static LmpErr take(List *list, const LmpLive *live) {
    uint64_t all = live->marks;
    uint64_t oldest = all > LMP_MARKS ? all - LMP_MARKS + 1 : 1;
    uint64_t from = all < list->lowest ? all : list->lowest - 1;
    for (uint64_t i = from; i >= oldest && i > 0 && list->n < LMP_RECORDED_MARKS; i--) {
        const LmpMark *mark = &live->mark[(i - 1) % LMP_MARKS];
        if (!array_room(&list->mark, &list->room, list->n + 1)) return LMP_E_NOMEM;
        RecordedMark *to = &list->mark[list->n++];
        *to = (RecordedMark){.clock = mark->clock, .number = i};
        for (unsigned c = 1; c < LMP_C_COUNTED; c++)
            to->bytes += mark->class_live[c];
        memcpy(to->name, mark->name, sizeof to->name - 1);
        list->lowest = i;
    }
    return LMP_OK;
}

/* Returns the first frame at or after a moment, but before frame i: it knows the marks just before
 * that moment. */
static uint32_t earlier(const LmpRecording *r, uint64_t clock, uint32_t i) {
    uint32_t frame = recording_at(r, clock);
    if (recording_frame(r, frame).clock < clock) frame++;
    return frame < i ? frame : i - 1;
}

/* From the last frame backwards: takes the marks that it knows, then seeks the frame just after the
 * oldest of them, which knows older ones. */
LmpErr recording_marks(LmpRecording *r, RecordedMark **mark, uint32_t *marks) {
    List list = {.lowest = UINT64_MAX};
    uint32_t frame = recording_frames(r);
    LmpErr err = LMP_E_DAMAGED;
    for (uint32_t seeks = 0; seeks < SEEKS && frame > 0 && list.lowest > 1; seeks++) {
        frame = list.n ? earlier(r, list.mark[list.n - 1].clock, frame) : frame - 1;
        LmpErr sought = recording_seek(r, frame);
        if (!sought) sought = take(&list, recording_view(r)->live);
        if (seeks == 0 || sought == LMP_E_NOMEM) err = sought; /* an older one may be damaged */
        if (err || list.n == 0 || list.n == LMP_RECORDED_MARKS) break;
    }
    if (err) {
        free(list.mark);
        list = (List){0};
    }
    for (uint32_t i = 0; i < list.n / 2; i++) {
        RecordedMark other = list.mark[i];
        list.mark[i] = list.mark[list.n - 1 - i];
        list.mark[list.n - 1 - i] = other;
    }
    *mark = list.mark;
    *marks = list.n;
    return err;
}

/* ---- moments --------------------------------------------------------------------------------- */

#define SECOND 1000000000ull

/* ---- times ----------------------------------------------------------------------------------- */

#define STRICT_MOST 1e10 /* seconds in one number; a larger one is no time */

static const char *number(const char *at, bool loose, double *out) {
    const char *end = format_number(at, out);
    return loose || (end && isdigit((unsigned char)*at) && *out < STRICT_MOST) ? end : NULL;
}

/* "90", "12:30", "1:02:03", "1:02:03.5": of up to three numbers each is worth sixty of the next. */
static bool clock_of(const char *text, bool loose, double *seconds) {
    double sum = 0, part;
    for (int parts = 0; parts < 3; parts++) {
        text = number(text, loose, &part);
        if (!text || (parts > 0 && part >= 60)) return false; /* "12:75" is a mistake */
        sum = sum * 60 + part;
        *seconds = sum;
        if (*text == 0) return true;
        if (*text++ != ':') return false;
    }
    return false;
}

/* "90s", "5m", "1.5h", "500ms", "1h30m". */
static bool units_of(const char *text, bool loose, double *seconds) {
    static const struct {
        const char *name;
        double seconds;
        bool loose, strict; /* known there */
    } units[] = {{"ms", 0.001, true, true}, {"h", 3600, true, true}, {"min", 60, true, true},
                 {"m", 60, true, true},     {"sec", 1, true, false}, {"s", 1, true, true},
                 {"d", 86400, false, true}};
    enum { UNITS = sizeof units / sizeof *units };
    *seconds = 0;
    do {
        double part;
        size_t i = 0;
        text = number(text, loose, &part);
        if (!text) return false;
        if (loose) text += strspn(text, " ");
        while (i < UNITS &&
               (!(loose ? units[i].loose : units[i].strict) ||
                (loose ? strncasecmp : strncmp)(text, units[i].name, strlen(units[i].name)) != 0))
            i++;
        if (i == UNITS) return false;
        *seconds += part * units[i].seconds;
        text += strlen(units[i].name);
        if (loose) text += strspn(text, " ");
    } while (*text);
    return true;
}

bool moment_span(const char *text, bool loose, double *seconds) {
    return clock_of(text, loose, seconds) || units_of(text, loose, seconds);
}

/* "50%" of all of it. */
static bool share_of(const char *text, uint64_t end, uint64_t *clock) {
    double percent;
    const char *rest = number(text, false, &percent);
    if (!rest || strcmp(rest, "%") != 0 || percent > 100) return false;
    *clock = (uint64_t)((double)end * percent / 100);
    return true;
}

bool moment_clock(const char *text, uint64_t end, uint64_t *clock) {
    bool back = *text == '-';
    double seconds;
    if (share_of(text, end, clock)) return true;
    if (!text[back]) return false;
    if (!moment_span(text + back, false, &seconds)) return false;
    uint64_t ns = seconds < 1e9 ? (uint64_t)(seconds * (double)SECOND) : UINT64_MAX;
    *clock = !back ? ns : ns <= end ? end - ns : UINT64_MAX;
    return true;
}

/* ---- frames ---------------------------------------------------------------------------------- */

/* Returns the highest frame, of those with tables or of all. */
static uint32_t find_highest(const LmpRecording *r, bool tables) {
    uint32_t best = UINT32_MAX;
    for (uint32_t i = 0; i < recording_frames(r); i++) {
        LmpFrameInfo f = recording_frame(r, i);
        if (tables && !(f.flags & LMP_FRAME_TABLES)) continue;
        if (best == UINT32_MAX || f.live_bytes > recording_frame(r, best).live_bytes) best = i;
    }
    return best;
}

/* The frames say what was live ten times a second; the last one also what was live at most. */
static void find_peak(LmpRecording *r, LmpMoment *m) {
    m->frame = find_highest(r, false);
    m->tables = find_highest(r, true);
    if (m->tables == UINT32_MAX) m->tables = m->frame;
    m->clock = recording_frame(r, m->frame).clock;
    m->bytes = recording_frame(r, m->frame).live_bytes;
    if (recording_seek(r, recording_frames(r) - 1)) return;
    uint64_t peak = counters_noted_peak(&recording_view(r)->live->counters);
    if (peak > m->bytes) m->bytes = peak;
}

/* Returns the first frame that knows what there was then. */
static uint32_t frame_from(const LmpRecording *r, uint64_t clock) {
    uint32_t i = recording_at(r, clock);
    return i + 1 < recording_frames(r) && recording_frame(r, i).clock < clock ? i + 1 : i;
}

/* Finds the mark of this number or name, of several the last; no text: the last of all. */
static bool find_mark(LmpRecording *r, const char *name, LmpMoment *m, char *problem) {
    RecordedMark *mark;
    uint32_t marks;
    uint64_t wanted = 0;
    char *end;
    snprintf(problem, MOMENT_PROBLEM, "the recording cannot be read there");
    if (recording_marks(r, &mark, &marks)) return false;
    if (isdigit((unsigned char)*name)) wanted = strtoull(name, &end, 10);
    if (wanted && *end) wanted = 0; /* "2x" is a name */
    uint32_t i = marks;
    while (i > 0 && *name && strcmp(mark[i - 1].name, name) != 0 && mark[i - 1].number != wanted)
        i--;
    m->mark = i > 0;
    if (i > 0) m->clock = mark[i - 1].clock;
    if (i > 0) m->bytes = mark[i - 1].bytes;
    if (i > 0) m->frame = frame_from(r, m->clock);
    snprintf(problem, MOMENT_PROBLEM, marks ? "there is no such mark" : "there are no marks");
    free(mark);
    return i > 0;
}

/* Finds the frame of a time. Returns false if the time was not recorded, but for rounding, as
 * people read off rounded times. */
static bool find_time(const LmpRecording *r, LmpMoment *m, char *problem) {
    char from[LMP_NUM], to[LMP_NUM];
    uint64_t first = recording_frame(r, 0).clock,
             last = recording_frame(r, recording_frames(r) - 1).clock;
    m->frame = recording_at(r, m->clock);
    if (m->clock <= last + SECOND / 10 && m->clock + SECOND >= first) return true;
    snprintf(problem, MOMENT_PROBLEM, "what was recorded goes from %s to %s",
             format_clock_fine(from, first), format_clock_fine(to, last));
    return false;
}

static bool find(LmpRecording *r, const char *text, LmpMoment *m, char *problem) {
    uint32_t last = recording_frames(r) - 1;
    if (strcmp(text, "start") == 0 || strcmp(text, "end") == 0) {
        m->frame = *text == 's' ? 0 : last;
        m->clock = recording_frame(r, m->frame).clock;
        return true;
    }
    if (moment_clock(text, recording_frame(r, last).clock, &m->clock))
        return find_time(r, m, problem);
    if (strncmp(text, "mark", 4) == 0 && (text[4] == 0 || text[4] == ' ' || text[4] == ':'))
        return find_mark(r, text[4] ? text + 5 : "", m, problem);
    if (*text && find_mark(r, text, m, problem)) return true;
    snprintf(problem, MOMENT_PROBLEM,
             "neither a time (12:30, 90s, -5m) nor start, end, peak or a mark");
    return false;
}

static uint64_t apart(uint64_t a, uint64_t b) {
    return a < b ? b - a : a - b;
}

/* Returns the frame that is nearest in time, of those with tables or of all. A frame soon after a
 * mark is preferred to one before: it knows all that was made before the mark. */
static uint32_t find_nearest(const LmpRecording *r, const LmpMoment *m, bool tables) {
    uint32_t best = m->frame;
    uint64_t least = UINT64_MAX;
    for (uint32_t i = 0; i < recording_frames(r); i++) {
        LmpFrameInfo f = recording_frame(r, i);
        if (tables && !(f.flags & LMP_FRAME_TABLES)) continue;
        uint64_t off = apart(f.clock, m->clock);
        if (m->mark && f.clock < m->clock) off += SECOND / 10;
        if (off < least) best = i;
        if (off < least) least = off;
    }
    return best;
}

static void say(LmpMoment *m, const LmpRecording *r, const char *text, bool peak) {
    char name[64], at[LMP_NUM], span[LMP_NUM], is[LMP_NUM], was[LMP_NUM];
    LmpFrameInfo f = recording_frame(r, m->tables);
    m->late = (int64_t)(f.clock - m->clock);
    m->more = (int64_t)(f.live_bytes - m->bytes);
    uint64_t late = apart(f.clock, m->clock), more = apart(f.live_bytes, m->bytes);
    m->far = more > m->bytes / 100 || (!peak && late > SECOND / 10);
    format_text(name, sizeof name, text, 0);
    format_clock_fine(at, f.clock);
    format_bytes(is, f.live_bytes);
    format_bytes(was, m->bytes);
    char time[64] = "", bytes[128] = "";
    if (!peak && late > 0)
        snprintf(time, sizeof time, ", %s %s", format_span(span, late),
                 f.clock > m->clock ? "later" : "before");
    if (peak || m->far)
        snprintf(bytes, sizeof bytes, ", with %s live of %s (%s B %s)", is, was,
                 format_count(span, more), m->more > 0 ? "more" : "less");
    snprintf(m->said, sizeof m->said, "%s: as it was at %s%s%s", name, at, time, bytes);
}

bool moment_find(LmpRecording *r, const char *text, LmpMoment *out, char *problem) {
    bool peak = strcmp(text, "peak") == 0;
    *out = (LmpMoment){0};
    if (recording_frames(r) == 0) {
        snprintf(problem, MOMENT_PROBLEM, "the recording has no frames");
        return false;
    }
    if (peak) find_peak(r, out);
    if (!peak && !find(r, text, out, problem)) return false;
    if (!peak) out->tables = find_nearest(r, out, true);
    if (!peak && !out->bytes) /* also where a mark of an older recording does not say */
        out->bytes = recording_frame(r, find_nearest(r, out, false)).live_bytes;
    say(out, r, text, peak);
    return true;
}

const char *moment_split(char *file, size_t size, const char *text) {
    const char *at = strrchr(text, '@');
    snprintf(file, size, "%s", text);
    if (!at || at == text || !at[1] || access(text, F_OK) == 0) return NULL;
    if ((size_t)(at - text) < size) file[at - text] = 0;
    return at + 1;
}
