/* viewer_slider.c - the past of the program that the display is attached to: a recorder keeps it in
 * a memory file of bounded size, and going back shows it in place of the present. The program does
 * not notice any of that. Its output goes from the spool, where the relay puts it, to that recorder
 * and to the output panel. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/os.h"
#include "pty/errorline.h"
#include "pty/spool.h"
#include "viewer/viewer_impl.h"

#define KEPT (16u << 20)   /* bytes of the file at most: older moments thin out */
#define BACKLOG (4u << 20) /* bytes of output: older ones are not worth showing */

void viewer_open_slider(Viewer *v) {
    Slider *s = &v->slider;
    s->fd = memfd_create("lmp-slider", MFD_CLOEXEC);
    if (s->fd < 0) return;
    LmpRecorderOptions options = {.fd = s->fd, .limit = KEPT};
    if (recorder_open(&s->recorder, v->view, &options) != LMP_OK) s->recorder = NULL;
    app_ui(v->app)->time.can = s->recorder != NULL;
}

void viewer_close_slider(Viewer *v) {
    Slider *s = &v->slider;
    if (s->live) viewer_leave_past(v);
    if (s->recorder) recorder_close(s->recorder, NULL, 0);
    if (s->recording) recording_close(s->recording);
    if (s->fd >= 0) close(s->fd);
    output_free(s->output);
    *s = (Slider){.fd = -1};
}

/* Ends the recorder; what is kept stays, and can be gone back to. */
static void stop(Slider *s) {
    recorder_close(s->recorder, NULL, 0);
    s->recorder = NULL;
}

void viewer_keep(Viewer *v, uint64_t now) {
    Slider *s = &v->slider;
    LmpSeen seen = viewer_model(v)->seen;
    if (!s->recorder) return;
    LmpErr err = LMP_OK;
    if (seen != LMP_SEEN_RUNNING && seen != s->seen) /* as it stands still */
        err = recorder_frame(s->recorder, v->view, now);
    else if (seen == LMP_SEEN_RUNNING && now >= s->next)
        err = recorder_tick(s->recorder, v->view, now, &s->next);
    s->seen = seen;
    if (err) stop(s);
}

Model *viewer_model(const Viewer *v) {
    return v->slider.live ? v->slider.live : app_model(v->app);
}

/* ---- what the program prints ----------------------------------------------------------------- */

/* Brings output to panel and recorder. */
static void keep_output(Viewer *v, const char *bytes, size_t n, uint64_t now) {
    Slider *s = &v->slider;
    uint64_t start = v->view ? v->view->header->start_clock : now;
    uint64_t clock = now > start ? now - start : 0;
    output_feed_at(v->output, bytes, n, clock);
    if (s->recorder && recorder_output(s->recorder, clock, bytes, n) != LMP_OK) stop(s);
}

void viewer_find_error(Viewer *v) {
    Ui *ui = app_ui(v->app);
    if (v->o->spool >= 0 && app_model(v->app)->ended > 1)
        errorline_find(v->o->spool, SPOOL_AT, ui->error, sizeof ui->error);
}

void viewer_read_spool(Viewer *v) {
    if (v->o->spool < 0 || !v->output || app_ui(v->app)->frozen) return;
    struct stat st;
    uint64_t end = fstat(v->o->spool, &st) == 0 ? (uint64_t)st.st_size : 0;
    if (end > v->spool_at + BACKLOG) {
        static const char gap[] = "\r\n[...]\r\n";
        v->spool_at = end - BACKLOG / 4;
        output_feed(v->output, gap, sizeof gap - 1);
    }
    uint64_t before = v->spool_at;
    char bytes[16384];
    for (int i = 0; i < 256; i++) {
        ssize_t n = pread(v->o->spool, bytes, sizeof bytes, (off_t)v->spool_at);
        if (n <= 0) break;
        keep_output(v, bytes, (size_t)n, lmp_os->clock());
        v->spool_at += (uint64_t)n;
        v->dirty = true;
    }
    if (v->spool_at != before)
        viewer_find_error(v); /* the error message may come after the program's end */
}

void viewer_read_notify(Viewer *v) {
    char bytes[512];
    ssize_t n = read(v->o->notify, bytes, sizeof bytes);
    if (n == 0 || (n > 0 && memchr(bytes, 'Q', (size_t)n)) ||
        (n < 0 && errno != EAGAIN && errno != EINTR)) {
        v->told = true;
    }
    /* output may come when nothing else changes any more: its last part, after the end */
    if (n > 0 && !app_ui(v->app)->frozen) v->dirty = true;
}

/* ---- the past in place of the present -------------------------------------------------------- */

static bool look(Slider *s) {
    if (!s->recording) {
        if (recording_open_fd(&s->recording, s->fd) == LMP_OK) return true;
        s->recording = NULL;
        return false;
    }
    return recording_refresh(s->recording) == LMP_OK;
}

bool viewer_enter_past(Viewer *v) {
    Slider *s = &v->slider;
    Ui *ui = app_ui(v->app);
    Model *model = app_model(v->app), *live = malloc(sizeof *live);
    bool any = live && look(s) && recording_frames(s->recording) > 0;
    v->player = any ? player_new(s->recording) : NULL;
    if (!v->player) {
        free(live);
        app_say(v->app, "Nothing of the past is kept yet");
        return false;
    }
    player_go(v->player, UINT64_MAX);
    memcpy(live, model, sizeof *live); /* its ledger goes along */
    s->live = live;
    memset(model, 0, sizeof *model);
    model->heap = live->heap;
    model->history = live->history; /* until the moment is filled in */
    if (v->output && !s->output) s->output = output_new();
    if (s->output) {
        output_restart(s->output, 0, 0);
        v->outputs = 0;
        ui->output = s->output;
    }
    v->refill = v->grows = true;
    return true;
}

void viewer_leave_past(Viewer *v) {
    Slider *s = &v->slider;
    Ui *ui = app_ui(v->app);
    Model *model = app_model(v->app);
    OpenedSnapshot *heap = model->heap;
    player_free(v->player);
    v->player = NULL;
    ledger_free(&model->ledger);
    memcpy(model, s->live, sizeof *model);
    model->heap = heap;
    free(s->live);
    s->live = NULL;
    v->grows = false;
    ui->output = v->output;
    ui->time = (UiTime){.can = true};
}
