/* recnote.c - where the note lies in the control block's page, and a checked copy of it. */
#include "shared/recnote.h"

#include <stdlib.h>
#include <string.h>

#include "base/os.h"
#include "shared/launch.h"

#define NOTE_IN_CONTROL (LMP_LIVE_AT - LMP_CONTROL_AT - sizeof(LmpRecNote))

LmpRecNote *recnote_at(LmpControl *control) {
    return (void *)((char *)control + NOTE_IN_CONTROL);
}

LmpRecNote recnote_copy(const LmpControl *control) {
    const LmpRecNote *from = (const void *)((const char *)control + NOTE_IN_CONTROL);
    LmpRecNote note;
    memset(&note, 0, sizeof note);
    uint32_t state = atomic_load(&from->state);
    atomic_init(&note.state, state < LMP_RECORDS ? state : LMP_RECORD_NONE);
    atomic_init(&note.stop, atomic_load(&from->stop));
    atomic_init(&note.count, atomic_load(&from->count));
    atomic_init(&note.begun, atomic_load(&from->begun));
    atomic_init(&note.bytes, atomic_load(&from->bytes));
    note.number = from->number;
    memcpy(note.name, from->name, sizeof note.name);
    note.name[sizeof note.name - 1] = 0;
    return note;
}

const char *recnote_lack(const LmpControl *control) {
    LmpRecNote note = recnote_copy(control);
    bool lacks = getenv(LMP_ENV_RECORD) && atomic_load(&note.count) == 0;
    return lacks ? "lmp: no recording: lmp run was killed before it began\n" : "";
}

bool recnote_held(int fd) {
    return fd >= 0 && lmp_os->locked(fd, LMP_RECORD_LOCK);
}
