/* recopen.c - see recopen.h. */
#include "cmd/recopen.h"

#include <errno.h>

#include "base/format.h"
#include "cmd/command.h"
#include "cmd/unreadable.h"
#include "record/moment.h"

enum { TRIES = 100 };

/* Those of the last frame that can be read. */
static uint64_t unknown_rows(LmpRecording *r) {
    uint32_t n = recording_lost_rows(r) ? recording_frames(r) : 0;
    for (uint32_t tries = 1; tries <= n && tries <= TRIES; tries++)
        if (recording_seek(r, n - tries) == LMP_OK) return recording_unknown(r);
    return 0;
}

void recopen_say_damage(LmpRecording *recording, const char *file) {
    char name[1024], bytes[LMP_NUM], rows[LMP_NUM];
    uint64_t lost, unknown = unknown_rows(recording);
    format_text(name, sizeof name, file, 0);
    if (recording_torn(recording, &lost))
        command_say("%s: its end is missing, %s were cut off", name, format_bytes(bytes, lost));
    if (unknown > 0)
        command_say("%s: damage to it has cost %s rows of its tables: what they stood for is shown "
                    "as (others) or ?, and all sums are right",
                    name, format_count(rows, unknown));
}

bool recopen(LmpRecording **recording, const char *file) {
    errno = 0;
    LmpErr err = recording_open(recording, file);
    if (err) {
        unreadable(UNREADABLE_RECORDING, file, err, errno);
        return false;
    }
    recopen_say_damage(*recording, file);
    return true;
}

bool recopen_is(const char *file) {
    LmpRecording *recording;
    LmpErr err = recording_open(&recording, file);
    if (!err) recording_close(recording);
    return err != LMP_E_FOREIGN && err != LMP_E_FILE;
}

bool recopen_at(LmpRecording **recording, const char *name, uint32_t *frame, bool *moment) {
    char file[4096], problem[MOMENT_PROBLEM], text[1024], at[200];
    const char *named = moment_split(file, sizeof file, name);
    if (moment) *moment = named != NULL;
    if (!recopen(recording, file)) return false;
    if (recording_frames(*recording) == 0) {
        unreadable(UNREADABLE_RECORDING, file, LMP_E_DAMAGED, 0);
    } else if (moment_find(*recording, named ? named : "end", frame, problem)) {
        *frame = moment_tables(*recording, *frame);
        return true;
    } else {
        command_say("%s: %s: %s", format_text(text, sizeof text, name, 0),
                    format_text(at, sizeof at, named ? named : "end", 0), problem);
    }
    recording_close(*recording);
    return false;
}
