/* viewer_recorder.c - begins and ends a recording of this run by a key, and says how a recording
 * ended, whoever began it. */
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/os.h"
#include "recorder/recname.h"
#include "shared/recnote.h"
#include "viewer/viewer_impl.h"

#define LOOK_NS (100 * MS) /* between two looks */
#define LAST_MS 3000       /* for a recording to be completed when the display leaves */
#define STEP_MS 20

/* Starts a process that goes on if the display is left. */
static void begin(Viewer *v) {
    RecWatch *watch = &v->record;
    if (!recname_choose(watch->file, sizeof watch->file, NULL, v->view->pid)) {
        app_say(v->app, "No recording: the name of this directory is too long");
        return;
    }
    RecJob job = {
        .state = v->view->fd, .pid = v->view->pid, .file = watch->file, .output = v->o->spool};
    int line = recjob_start(&job);
    if (line >= 0) close(line); /* we read the note */
    watch->ours = line >= 0;
    if (line >= 0)
        app_say(v->app, "Recording into %.120s; R ends it", recname_short(watch->file));
    else
        app_say(v->app, "No recording: %s", err_message(LMP_E_NOMEM));
}

void viewer_toggle_recorder(Viewer *v) {
    bool runs = atomic_load(&recnote_at(v->view->control)->state) == LMP_RECORD_RUNS &&
                recnote_held(v->view->fd);
    if (runs)
        atomic_store(&recnote_at(v->view->control)->stop, 1);
    else
        begin(v);
}

static RecEnd end_of(const LmpRecNote *note) {
    uint32_t state = atomic_load(&note->state);
    uint64_t bytes = atomic_load(&note->bytes);
    RecEnd end = {.why = RECJOB_ENDED, .bytes = bytes};
    if (state == LMP_RECORD_FAILED) {
        end.why = RECJOB_FAILED;
        end.err = LMP_E_FILE;
        end.number = note->number;
    }
    return end;
}

static void say(Viewer *v, const LmpRecNote *note) {
    char line[2 * RECNAME_MOST + 200];
    RecWatch *watch = &v->record;
    RecEnd end = end_of(note);
    const char *file = watch->ours ? watch->file : note->name;
    if (atomic_load(&note->state) == LMP_RECORD_RUNS)
        snprintf(line, sizeof line,
                 "the process that recorded was killed; what it had written is in %s",
                 recname_short(file));
    else
        recname_say(line, sizeof line, file, &end);
    if (watch->ours) snprintf(v->result->recorded, sizeof v->result->recorded, "%.255s", line);
    watch->ours = false;
    if (line[0] >= 'a' && line[0] <= 'z') line[0] = (char)(line[0] - 'a' + 'A');
    app_say(v->app, "%s", line);
}

void viewer_watch_recorder(Viewer *v, uint64_t now) {
    RecWatch *watch = &v->record;
    UiRecording *shown = &app_ui(v->app)->recording, was = *shown;
    if (now < watch->next) return;
    watch->next = now + LOOK_NS;
    LmpRecNote note = recnote_copy(v->view->control);
    uint32_t state = atomic_load(&note.state), count = atomic_load(&note.count);
    bool held = state == LMP_RECORD_RUNS && recnote_held(v->view->fd);
    uint64_t begun = atomic_load(&note.begun);
    shown->on = held;
    shown->seconds = held && now > begun ? (now - begun) / (1000 * MS) : 0;
    shown->bytes = held ? atomic_load(&note.bytes) : 0;
    /* of one that was there when we came, or has come since */
    bool news =
        watch->seen && !held && (was.on || count != watch->count) && state != LMP_RECORD_NONE;
    if (news) say(v, &note);
    watch->seen = true;
    if (held || news) watch->count = count;
    if (news || shown->on != was.on || shown->seconds != was.seconds) v->dirty = true;
}

void viewer_leave_recorder(Viewer *v, bool over) {
    RecWatch *watch = &v->record;
    for (int ms = 0; watch->ours && over && ms < LAST_MS; ms += STEP_MS) {
        watch->next = 0;
        viewer_watch_recorder(v, lmp_os->clock());
        if (watch->ours) poll(NULL, 0, STEP_MS);
    }
    if (watch->ours)
        snprintf(v->result->recorded, sizeof v->result->recorded,
                 "recording goes on until the program ends: %.200s", recname_short(watch->file));
}
