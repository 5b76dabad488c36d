/* viewer.c - the loop of the display: waits for keys, for the program, for its output and for the
 * time of the next repaint, whichever comes first; and the terminal while others use it: the shell
 * after ctrl-Z, the editor. */
#include "viewer/viewer.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/fps.h"
#include "base/os.h"
#include "pty/spool.h"
#include "shared/breaks.h"
#include "terminal/ttysignals.h"
#include "viewer/viewer_impl.h"

#define QUIET (1000 * MS) /* how often to look when nothing is expected */
#define SOON (4 * MS)     /* how often to look for the answer to a request, at first */
#define EXPECT (400 * MS) /* how long an answer is expected soon; then looks become rarer */

/* ---- the terminal ---------------------------------------------------------------------------- */

/* Notes it before the terminal is touched and after it was restored: if we are killed in between,
 * the note remains. */
static void note_taken(Viewer *v, bool taken) {
    if (v->o->taken) atomic_store(&v->o->taken->taken, taken);
}

void viewer_leave_terminal(Viewer *v) {
    term_leave(v->term);
    note_taken(v, false);
}

void viewer_return_to_terminal(Viewer *v) {
    struct termios now;
    if (tcgetattr(v->o->tty, &now) == 0) tcsetattr(v->o->tty, TCSANOW, &now);
    if (v->o->taken && !atomic_load(&v->o->taken->taken)) v->o->taken->before = now;
    note_taken(v, true);
    term_return(v->term);
}

void viewer_suspend(Viewer *v, bool group) {
    viewer_leave_terminal(v);
    if (group && v->o->suspend) {
        v->o->suspend(v->o->context);
    } else {
        ttysignals_stop(group);
    }
    ttysignals_forget_stops();
    viewer_return_to_terminal(v);
    v->urgent = true;
}

/* Returns true if a shell took the terminal back, which happens when the job's first process was
 * killed. */
static bool lost_terminal(const Viewer *v) {
    return v->own_group && !tty_is_ours(v->o->tty);
}

/* ---- the loop -------------------------------------------------------------------------------- */

static void read_events(Viewer *v) {
    for (int i = 0; i < 256 && !v->quit; i++) {
        Event event = term_event(v->term);
        if (event.key == K_NONE) break;
        v->urgent = true;
        app_ui(v->app)->now = lmp_os->clock(); /* the last repaint may be long ago */
        app_event(v->app, event);
        viewer_serve(v, lmp_os->clock());
    }
}

void viewer_paint(Viewer *v) {
    int w, h;
    term_size(v->term, &w, &h);
    if ((v->canvas->w != w || v->canvas->h != h) && !canvas_resize(v->canvas, w, h)) return;
    app_draw(v->app, v->canvas, lmp_os->clock());
    term_show(v->term, v->canvas);
}

/* Draws a repaint. Returns how many nanoseconds went into what a person has asked for. */
static uint64_t draw(Viewer *v) {
    int w, h;
    term_size(v->term, &w, &h);
    if ((v->canvas->w != w || v->canvas->h != h) && !canvas_resize(v->canvas, w, h)) return 0;
    uint64_t now = lmp_os->clock();
    app_draw(v->app, v->canvas, now);
    if (v->view && !app_has_parts(v->app)) { /* a panel has come up */
        if (v->player)
            viewer_fill_moment(v, now);
        else
            viewer_fill_ledger(v, now, true);
        app_fresh(v->app, now);
        app_draw(v->app, v->canvas, now);
    }
    term_show(v->term, v->canvas);
    uint64_t shown = lmp_os->clock();
    v->dirty = v->urgent = false;
    if (app_ui(v->app)->at_once) viewer_paint(v);
    viewer_opened_later(v);
    viewer_serve(v, lmp_os->clock()); /* panels request previews while they draw */
    return lmp_os->clock() - shown;
}

/* Returns when to wake up if nothing happens, nanoseconds from now. */
static uint64_t patience(const Viewer *v, uint64_t now) {
    const Ui *ui = app_ui(v->app);
    LmpSeen seen = viewer_model(v)->seen;
    if (v->told || v->urgent) return 0;
    /* Only a look finds out that another job has the terminal, and the terminal's size when signals
     * do not reach us. */
    uint64_t wait = QUIET / 4;
    if (v->wanted != 0) {
        uint64_t since = now - v->wanted;
        uint64_t look = since < EXPECT ? SOON : since / 16;
        if (look < wait) wait = look;
    }
    if (v->player) {
        uint64_t due = viewer_play_due(v, now);
        if (v->dirty) due = v->next > now ? v->next - now : 0;
        if (due < wait) wait = due;
        if (v->o->recording) return wait;
    }
    bool moving = v->view && seen == LMP_SEEN_RUNNING && !ui->frozen;
    if (moving || v->dirty) {
        uint64_t due = v->next > now ? v->next - now : 0;
        if (due < wait) wait = due;
    }
    if (v->view && v->pidfd < 0 && !v->dead && wait > 200 * MS) wait = 200 * MS;
    return wait;
}

/* Waits for the first event. Returns false if the terminal is gone. */
static bool wait_for_events(Viewer *v, const sigset_t *mask) {
    struct pollfd fds[3] = {
        {.fd = v->o->tty, .events = POLLIN},
        {.fd = v->dead ? -1 : v->pidfd, .events = POLLIN},
        {.fd = v->told ? -1 : v->o->notify, .events = POLLIN},
    };
    uint64_t wait = patience(v, lmp_os->clock());
    struct timespec t = {(time_t)(wait / 1000000000u), (long)(wait % 1000000000u)};
    int n = ppoll(fds, 3, &t, mask);
    if (n <= 0) return true;
    if (fds[0].revents & (POLLHUP | POLLERR | POLLNVAL)) return false;
    if (fds[2].revents) viewer_read_notify(v);
    return true;
}

static ViewerEnd ended_as(LmpSeen seen) {
    return seen == LMP_SEEN_KILLED ? VIEWER_KILLED : VIEWER_FINISHED;
}

/* Returns the state of the program that the display was started for; another one may be shown. */
static LmpSeen home_seen(const Viewer *v) {
    if (v->view == v->home) return viewer_model(v)->seen;
    return view_seen(v->home, v->home->pid && lmp_os->alive(v->home->pid));
}

static ViewerEnd loop(Viewer *v, const TtySignals *signals) {
    uint64_t spent = 0; /* by the last repaint */
    for (;;) {
        uint64_t now = lmp_os->clock();
        if (lost_terminal(v)) return VIEWER_LOST;
        bool program = v->view && !v->o->recording, moment = false;
        bool fresh = program && viewer_look(v, now);
        if (program) viewer_watch_collection(v, now);
        if (program) viewer_watch_snapshot(v, now);
        if (program) viewer_watch_proof(v, now);
        if (program) viewer_watch_recorder(v, now);
        if (program) viewer_keep(v, now);
        if (v->o->notify < 0 && now >= v->next) viewer_read_spool(v);
        if (fresh) viewer_fill(v, now);
        if (v->player) moment = viewer_play(v, now);
        if (moment) viewer_fill_moment(v, now);
        fresh |= moment;
        LmpSeen seen = program ? home_seen(v) : viewer_model(v)->seen;
        bool over = program && (seen == LMP_SEEN_FINISHED || seen == LMP_SEEN_KILLED);
        if (over && !v->o->hold) {
            draw(v);
            return ended_as(seen);
        }
        if (fresh || (v->dirty && now >= v->next)) {
            if (v->o->notify >= 0) viewer_read_spool(v);
            uint64_t asked = draw(v);
            spent = lmp_os->clock() - now - asked;
            v->next = now + (v->interval > spent * OWN_SHARE ? v->interval : spent * OWN_SHARE);
        }
        if (app_restless(v->app)) v->dirty = true;
        if (!wait_for_events(v, &signals->mask)) return VIEWER_NO_TTY;
        if (v->told) return over ? ended_as(seen) : VIEWER_TOLD;
        if (ttysignals_wants_stop()) viewer_suspend(v, false);
        if (ttysignals_continued()) {
            viewer_return_to_terminal(v);
            v->urgent = true;
        }
        if (lost_terminal(v)) return VIEWER_LOST;
        read_events(v);
        if (v->other) return VIEWER_OTHER;
        if (v->quit) return over ? ended_as(seen) : VIEWER_QUIT;
        int w, h;
        term_size(v->term, &w, &h);
        if (ttysignals_resized() || w != v->canvas->w || h != v->canvas->h) v->urgent = true;
        if (v->urgent) draw(v);
    }
}

static uint64_t interval_of(const ViewerOptions *options) {
    double fps = options->fps;
    uint32_t wanted = options->view ? options->view->header->interval_us : 0;
    if (!(fps > 0)) fps = wanted > 0 ? 1e6 / wanted : LMP_FPS_DEFAULT;
    if (fps > LMP_FPS_MAX) fps = LMP_FPS_MAX;
    if (fps < LMP_FPS_MIN) fps = LMP_FPS_MIN;
    return (uint64_t)(1e9 / fps);
}

static bool open_all(Viewer *v) {
    char path[4096];
    if (config_path(path, sizeof path)) config_read(&v->config, path);
    const char *problem = "the terminal is in other hands";
    v->own_group = tty_is_ours(v->o->tty);
    if (!v->term && (v->own_group || !v->o->live)) {
        note_taken(v, true);
        v->term = term_open(v->o->tty, config_get(&v->config, "theme"), &problem);
    }
    if (!v->term) {
        snprintf(v->result->problem, sizeof v->result->problem, "%s", problem);
        return false;
    }
    if (v->o->taken && tcgetattr(v->o->tty, &v->o->taken->during) == 0)
        atomic_store(&v->o->taken->during_known, true);
    v->spool_at = SPOOL_AT;
    if (v->o->input >= 0 && ptsname_r(v->o->input, v->terminal, sizeof v->terminal) != 0)
        v->terminal[0] = 0;
    bool printed = v->o->recording && recording_outputs(v->o->recording) > 0;
    v->output = v->o->spool >= 0 || printed ? output_new() : NULL;
    v->canvas = canvas_new(1, 1, term_utf8(v->term));
    AppOptions options = {.utf8 = term_utf8(v->term),
                          .colours = term_colours(v->term),
                          .live = v->o->live,
                          .can_type = v->o->input >= 0,
                          .hold = v->o->hold,
                          .offline = !v->view,
                          .output = v->output,
                          .config = &v->config};
    v->app = v->canvas ? app_new(&options) : NULL;
    if (!v->app) {
        snprintf(v->result->problem, sizeof v->result->problem, "no memory for the display");
        return false;
    }
    term_mouse(v->term, app_ui(v->app)->mouse);
    if (!v->view) {
        viewer_opened_written(v, v->o->heap);
        request_put_kind(&app_ui(v->app)->requests, REQUEST_OPEN_SNAPSHOT);
        v->dirty = true;
        return true;
    }
    if (v->o->recording) {
        if (viewer_open_replay(v)) return true;
        snprintf(v->result->problem, sizeof v->result->problem, "no memory for the recording");
        return false;
    }
    UiBreaks *breaks = &app_ui(v->app)->breaks;
    if (v->o->breaks) breaks->count = breaks_parse_lines(v->o->breaks, breaks->row);
    if (breaks->count > 0) breaks->sent = view_breaks(v->view, breaks->row, breaks->count);
    viewer_open_slider(v);
    v->pidfd = (int)syscall(SYS_pidfd_open, (pid_t)v->view->pid, 0);
    if (v->pidfd < 0 && (errno == ESRCH || !v->view->pid)) v->dead = true;
    return true;
}

/* Shows what `v` has until it ends; the terminal stays open. */
static ViewerEnd show(Viewer *v, const TtySignals *signals) {
    ViewerEnd end = VIEWER_NO_TTY;
    if (open_all(v)) {
        bool program = v->view && !v->o->recording;
        if (program) atomic_fetch_add(&v->view->control->attached, 1);
        end = loop(v, signals);
        if (program) {
            viewer_leave_recorder(v, end == VIEWER_FINISHED || end == VIEWER_KILLED);
            atomic_fetch_sub(&v->view->control->attached, 1);
            if (app_ui(v->app)->breaks.count > 0 && view_breaks_ours(v->view))
                view_breaks(v->view, NULL, 0);
            if (viewer_has_paused(v)) view_pause(v->view, false);
        }
        if (end == VIEWER_NO_TTY) {
            snprintf(v->result->problem, sizeof v->result->problem, "the terminal is gone");
        }
    }
    if (v->app) viewer_close_slider(v);
    if (v->app) ledger_free(&app_model(v->app)->ledger);
    if (v->pidfd >= 0) close(v->pidfd);
    return end;
}

static void close_all(Viewer *v) {
    viewer_close_proof(v);
    app_free(v->app);
    viewer_close_replay(v);
    survivors_free(v->since);
    opened_close(v->heap);
    output_free(v->output);
    canvas_free(v->canvas);
    free(v->programs);
    if (v->view != v->home) view_close(v->view);
}

void viewer_run(const ViewerOptions *options, ViewerResult *result) {
    memset(result, 0, sizeof *result);
    static Viewer v; /* large */
    TtySignals signals;
    ViewerOptions of = *options;
    Term *term = NULL;
    ttysignals_take(&signals);
    do {
        v = (Viewer){.o = &of,
                     .view = of.view,
                     .home = options->view,
                     .pidfd = -1,
                     .slider.fd = -1,
                     .proof.line = -1,
                     .term = term,
                     .result = result};
        v.interval = interval_of(&of);
        result->end = show(&v, &signals);
        term = v.term;
        of.view = v.other;
        of.breaks = NULL; /* the first program's */
        if (result->end == VIEWER_OTHER) close_all(&v);
    } while (result->end == VIEWER_OTHER);
    term_close(term);
    note_taken(&v, false);
    close_all(&v);
    ttysignals_give_back(&signals);
}
