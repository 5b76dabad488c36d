/* marks.c - goes from the last frame backwards: takes the marks that it knows, then seeks the frame
 * just after the oldest of them, which knows older ones. */
#include "record/reader/marks.h"

#include <stdlib.h>
#include <string.h>

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
        if (list->n == list->room) {
            uint32_t room = list->room ? list->room * 2 : LMP_MARKS;
            RecordedMark *more = realloc(list->mark, room * sizeof *more);
            if (!more) return LMP_E_NOMEM;
            list->mark = more;
            list->room = room;
        }
        RecordedMark *to = &list->mark[list->n++];
        *to = (RecordedMark){.clock = mark->clock, .number = i};
        for (unsigned c = 1; c < LMP_C_COUNTED; c++)
            to->bytes += mark->class_live[c];
        memcpy(to->name, mark->name, sizeof to->name - 1);
        list->lowest = i;
    }
    return LMP_OK;
}

/* The first frame at or after a moment, but before frame i: it knows the marks just before that
 * moment. */
static uint32_t earlier(const LmpRecording *r, uint64_t clock, uint32_t i) {
    uint32_t frame = recording_at(r, clock);
    if (recording_frame(r, frame).clock < clock) frame++;
    return frame < i ? frame : i - 1;
}

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
