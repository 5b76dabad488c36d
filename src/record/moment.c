/* moment.c - see moment.h. */
#include "record/moment.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/format.h"
#include "record/marks.h"

#define SECOND 1000000000ull

/* ---- times ----------------------------------------------------------------------------------- */

/* "90", "12:30", "1:02:03", "1:02:03.5": seconds. */
static bool clock_of(const char *text, double *seconds) {
    double sum = 0;
    for (int parts = 0; parts < 3; parts++) {
        uint64_t n = 0;
        const char *p = text;
        for (; isdigit((unsigned char)*p) && n < 1000000000; p++)
            n = n * 10 + (uint64_t)(*p - '0');
        if (p == text || (parts > 0 && n > 59)) return false;
        sum = sum * 60 + (double)n;
        if (*p == '.') {
            double unit = 0.1;
            for (p++; isdigit((unsigned char)*p); p++, unit /= 10)
                sum += unit * (*p - '0');
        }
        *seconds = sum;
        if (*p == 0) return true;
        if (*p != ':') return false;
        text = p + 1;
    }
    return false;
}

/* "90s", "5m", "1.5h", "500ms", "1h30m". */
static bool span_of(const char *text, double *seconds) {
    static const struct {
        const char *name;
        double seconds;
    } units[] = {{"ms", 0.001}, {"s", 1}, {"min", 60}, {"m", 60}, {"h", 3600}, {"d", 86400}};
    enum { UNITS = sizeof units / sizeof *units };
    for (*seconds = 0; *text;) {
        char number[32];
        double part;
        size_t i = 0, n = strspn(text, "0123456789."), word = strcspn(text + n, "0123456789.");
        if (n == 0 || n >= sizeof number) return false;
        memcpy(number, text, n);
        number[n] = 0;
        if (!clock_of(number, &part)) return false;
        while (i < UNITS &&
               (strlen(units[i].name) != word || strncmp(text + n, units[i].name, word) != 0))
            i++;
        if (i == UNITS) return false;
        *seconds += part * units[i].seconds;
        text += n + word;
    }
    return true;
}

/* "50%" of all of it. */
static bool share_of(const char *text, uint64_t end, uint64_t *clock) {
    char number[32];
    double percent;
    size_t n = strspn(text, "0123456789.");
    if (n >= sizeof number || strcmp(text + n, "%") != 0) return false;
    memcpy(number, text, n);
    number[n] = 0;
    if (!clock_of(number, &percent) || percent > 100) return false;
    *clock = (uint64_t)((double)end * percent / 100);
    return true;
}

bool moment_clock(const char *text, uint64_t end, uint64_t *clock) {
    bool back = *text == '-';
    double seconds;
    if (share_of(text, end, clock)) return true;
    if (!text[back]) return false;
    if (!clock_of(text + back, &seconds) && !span_of(text + back, &seconds)) return false;
    uint64_t ns = seconds < 1e9 ? (uint64_t)(seconds * (double)SECOND) : UINT64_MAX;
    *clock = !back ? ns : ns < end ? end - ns : 0;
    return true;
}

/* ---- frames ---------------------------------------------------------------------------------- */

static uint32_t find_peak(const LmpRecording *r) {
    uint32_t best = 0;
    bool tables = false; /* one with tables is as good as one that is a little higher */
    for (uint32_t i = 0; i < recording_frames(r); i++) {
        LmpFrameInfo f = recording_frame(r, i), b = recording_frame(r, best);
        bool has = f.flags & LMP_FRAME_TABLES;
        if ((has && !tables) || (has == tables && f.live_bytes > b.live_bytes)) {
            best = i;
            tables = has;
        }
    }
    return best;
}

/* The first frame that knows what there was then. */
static uint32_t frame_from(const LmpRecording *r, uint64_t clock) {
    uint32_t i = recording_at(r, clock);
    return i + 1 < recording_frames(r) && recording_frame(r, i).clock < clock ? i + 1 : i;
}

/* The mark of this number or name, of several the last; no text: the last of all. */
static bool find_mark(LmpRecording *r, const char *name, uint32_t *frame, char *problem) {
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
    if (i > 0) *frame = frame_from(r, mark[i - 1].clock);
    snprintf(problem, MOMENT_PROBLEM, marks ? "there is no such mark" : "there are no marks");
    free(mark);
    return i > 0;
}

bool moment_find(LmpRecording *r, const char *text, uint32_t *frame, char *problem) {
    uint32_t frames = recording_frames(r);
    uint64_t clock;
    if (frames == 0) {
        snprintf(problem, MOMENT_PROBLEM, "the recording has no frames");
        return false;
    }
    uint64_t end = recording_frame(r, frames - 1).clock;
    if (strcmp(text, "start") == 0)
        *frame = 0;
    else if (strcmp(text, "end") == 0)
        *frame = frames - 1;
    else if (strcmp(text, "peak") == 0)
        *frame = find_peak(r);
    else if (moment_clock(text, end, &clock))
        *frame = recording_at(r, clock);
    else if (strncmp(text, "mark", 4) == 0 && (text[4] == 0 || text[4] == ' ' || text[4] == ':'))
        return find_mark(r, text[4] ? text + 5 : "", frame, problem);
    else if (*text && find_mark(r, text, frame, problem))
        return true;
    else {
        snprintf(problem, MOMENT_PROBLEM,
                 "neither a time (12:30, 90s, -5m) nor start, end, peak "
                 "or a mark");
        return false;
    }
    return true;
}

uint32_t moment_tables(const LmpRecording *r, uint32_t frame) {
    for (uint32_t i = frame + 1; i-- > 0;)
        if (recording_frame(r, i).flags & LMP_FRAME_TABLES) return i;
    for (uint32_t i = frame; i < recording_frames(r); i++)
        if (recording_frame(r, i).flags & LMP_FRAME_TABLES) return i;
    return frame;
}

const char *moment_split(char *file, size_t size, const char *text) {
    const char *at = strrchr(text, '@');
    snprintf(file, size, "%s", text);
    if (!at || at == text || !at[1] || access(text, F_OK) == 0) return NULL;
    if ((size_t)(at - text) < size) file[at - text] = 0;
    return at + 1;
}
