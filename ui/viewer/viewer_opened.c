/* viewer_heap.c - the snapshot that the display has open: read from its file when it is first asked
 * for, kept until a newer one replaces it. While a large one is read, a line shows the progress;
 * esc stops it. */
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "base/format.h"
#include "base/os.h"
#include "read/model/opened.h"
#include "viewer/heap_wait.h"
#include "viewer/viewer_impl.h"

void viewer_heap_written(Viewer *v, const char *file) {
    snprintf(v->heap_file, sizeof v->heap_file, "%s", file);
    app_offer_heap(v->app);
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

#define LOOK (50 * MS) /* between two looks at the keys, and two frames */

typedef struct Waiting {
    HeapWait wait; /* first, so that its progress is this one's */
    Viewer *v;
} Waiting;

static Waiting summing; /* the snapshot being summed up, while a frame is drawn */

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
        heap_wait_event(&w->wait, event);
    return !w->wait.stopped;
}

static bool tell(LmpProgress *progress, const char *step, double share) {
    Waiting *w = (Waiting *)progress;
    Ui *ui = app_ui(w->v->app);
    uint64_t now = lmp_os->clock();
    char line[HEAP_WAIT_LINE];
    int width, height;
    if (w->wait.shown && now - w->wait.shown < LOOK) return true;
    w->wait.shown = now;
    if (!look_around(w)) return false;
    term_size(w->v->term, &width, &height);
    ui->now = now;
    app_say(w->v->app, "%s", heap_wait_words(&w->wait, step, share, ui->utf8, width - 2, line));
    viewer_paint(w->v);
    return true;
}

/* Shows the progress over the frame before. */
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
    OpenedFiles files = {v->heap_file, v->o->heap_older, v->o->heap_olders, &w->wait.progress};
    w->wait.progress.tell = tell;
    format_text(name, sizeof name, v->heap_file, 0);
    if (stat(v->heap_file, &st) == 0) format_bytes(bytes, (uint64_t)st.st_size);
    snprintf(w->wait.what, sizeof w->wait.what, "%.80s%s%s", name, *bytes ? ", " : "", bytes);
    *failed = v->heap_file;
    return v->view ? opened_next(&v->heap, v->heap_file, &w->wait.progress)
                   : opened_open(&v->heap, &files, failed);
}

static bool open_it(Viewer *v, Waiting *w) {
    const char *failed;
    char name[256];
    OpenedHeap *before = v->heap;
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

void viewer_heap_show(Viewer *v) {
    Waiting w = {.v = v};
    Event event;
    v->dirty = v->urgent = true;
    if (!v->heap_file[0]) {
        app_offer_taking(v->app);
        return;
    }
    if ((!v->heap || strcmp(v->heap->file, v->heap_file) != 0) && !open_it(v, &w)) {
        app_no_heap(v->app);
        if (!v->view) v->quit = true; /* there is nothing else to show */
    } else {
        summing = (Waiting){.wait.progress.tell = tell_summing, .v = v};
        v->heap->progress = &summing.wait.progress;
        app_show_heap(v->app, v->heap);
    }
    while (!v->quit && (event = heap_wait_later(&w.wait)).key != K_NONE)
        app_event(v->app, event);
}

void viewer_heap_later(Viewer *v) {
    Event event;
    while (!v->quit && (event = heap_wait_later(&summing.wait)).key != K_NONE) {
        app_event(v->app, event);
        v->dirty = v->urgent = true;
    }
    if (summing.wait.stopped) v->dirty = v->urgent = true;
    summing.wait.stopped = false;
    summing.wait.laters = summing.wait.taken = 0;
}
