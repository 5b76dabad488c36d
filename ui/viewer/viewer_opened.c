/* viewer_opened.c - the snapshot that the display has open: read from its file when it is first
 * asked for, kept until a newer one replaces it. While a large one is read, a line shows the
 * progress; esc stops it. */
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "base/format.h"
#include "base/os.h"
#include "read/model/opened.h"
#include "viewer/snapshot_opening.h"
#include "viewer/viewer_impl.h"

void viewer_opened_written(Viewer *v, const char *file) {
    snprintf(v->snapshot_file, sizeof v->snapshot_file, "%s", file);
    app_offer_snapshot(v->app);
}

/* Returns a message for a person about a file rather than a shared state. */
static const char *words_of(LmpErr err, int error) {
    switch (err) {
    case LMP_E_FOREIGN:
        return "this is no heap snapshot";
    case LMP_E_VERSION:
        return "it was written by another version of lmp";
    case LMP_E_DAMAGED:
        return "it is cut off or damaged";
    case LMP_E_NOMEM:
        return "no memory to read it";
    case LMP_E_FILE:
        return strerror(error);
    case LMP_E_STOPPED:
        return "reading it was stopped";
    default:
        return err_message(err);
    }
}

/* ---- while it is read ------------------------------------------------------------------------ */

#define LOOK (50 * MS) /* between two looks at the keys, and two repaints */

typedef struct Waiting {
    SnapshotOpening wait; /* first, so that its progress is this one's */
    Viewer *v;
} Waiting;

static Waiting summing; /* the snapshot being summed up, while a repaint is drawn */

/* Returns false if nobody waits any more. */
static bool look_around(Waiting *w) {
    Viewer *v = w->v;
    struct pollfd fds[2] = {{.fd = v->o->tty, .events = POLLIN},
                            {.fd = v->told ? -1 : v->o->notify, .events = POLLIN}};
    if (poll(fds, 2, 0) > 0) {
        if (fds[0].revents & (POLLHUP | POLLERR | POLLNVAL)) return false;
        if (fds[1].revents) viewer_read_notify(v);
        if (v->told) return false;
    }
    for (Event event; (event = term_event(v->term)).key != K_NONE;)
        snapshot_opening_event(&w->wait, event);
    return !w->wait.stopped;
}

static bool tell(LmpProgress *progress, const char *step, double share) {
    Waiting *w = (Waiting *)progress;
    Ui *ui = app_ui(w->v->app);
    uint64_t now = lmp_os->clock();
    char line[SNAPSHOT_OPENING_LINE];
    int width, height;
    if (w->wait.shown && now - w->wait.shown < LOOK) return true;
    w->wait.shown = now;
    if (!look_around(w)) return false;
    term_size(w->v->term, &width, &height);
    ui->now = now;
    app_say(w->v->app, "%s",
            snapshot_opening_words(&w->wait, step, share, ui->utf8, width - 2, line));
    viewer_paint(w->v);
    return true;
}

/* Shows the progress over the repaint before. */
static bool tell_summing(LmpProgress *progress, const char *step, double share) {
    Waiting *w = (Waiting *)progress;
    uint64_t now = lmp_os->clock();
    (void)step, (void)share;
    if (now - w->wait.shown < LOOK) return true;
    w->wait.shown = now;
    return look_around(w);
}

static LmpErr read_it(Waiting *w, const char **failed) {
    Viewer *v = w->v;
    struct stat st;
    char bytes[LMP_NUM] = "", name[256];
    OpenedFiles files = {v->snapshot_file, v->o->snapshot_older, v->o->snapshot_olders,
                         &w->wait.progress};
    w->wait.progress.tell = tell;
    format_text(name, sizeof name, v->snapshot_file, 0);
    if (stat(v->snapshot_file, &st) == 0) format_bytes(bytes, (uint64_t)st.st_size);
    snprintf(w->wait.what, sizeof w->wait.what, "%.80s%s%s", name, *bytes ? ", " : "", bytes);
    *failed = v->snapshot_file;
    return v->view ? opened_next(&v->heap, v->snapshot_file, &w->wait.progress)
                   : opened_open(&v->heap, &files, failed);
}

static bool open_it(Viewer *v, Waiting *w) {
    const char *failed;
    char name[256];
    OpenedSnapshot *before = v->heap;
    errno = 0;
    LmpErr err = read_it(w, &failed);
    int error = errno;
    app_ui(v->app)->now = lmp_os->clock();
    if (!err) {
        app_say(v->app, "%s", "");
        return true;
    }
    v->heap = before;
    format_text(name, sizeof name, failed, 0);
    snprintf(v->result->problem, sizeof v->result->problem, "%.70s: %s", name,
             words_of(err, error));
    app_say(v->app, "%s", v->result->problem);
    return false;
}

void viewer_opened_show(Viewer *v) {
    Waiting w = {.v = v};
    Event event;
    v->dirty = v->urgent = true;
    if (!v->snapshot_file[0]) {
        app_offer_taking(v->app);
        return;
    }
    if ((!v->heap || strcmp(v->heap->file, v->snapshot_file) != 0) && !open_it(v, &w)) {
        app_no_snapshot(v->app);
        if (!v->view) v->quit = true; /* there is nothing else to show */
    } else {
        summing = (Waiting){.wait.progress.tell = tell_summing, .v = v};
        v->heap->progress = &summing.wait.progress;
        app_show_snapshot(v->app, v->heap);
    }
    while (!v->quit && (event = snapshot_opening_later(&w.wait)).key != K_NONE)
        app_event(v->app, event);
}

void viewer_opened_later(Viewer *v) {
    Event event;
    while (!v->quit && (event = snapshot_opening_later(&summing.wait)).key != K_NONE) {
        app_event(v->app, event);
        v->dirty = v->urgent = true;
    }
    if (summing.wait.stopped) v->dirty = v->urgent = true;
    summing.wait.stopped = false;
    summing.wait.laters = summing.wait.taken = 0;
}
