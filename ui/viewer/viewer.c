/* viewer.c - the loop of the display: waits for keys, for the program, for its output and for the
 * time of the next repaint, whichever comes first; see viewer.h. */
#include "viewer/viewer.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "app/app.h"
#include "base/os.h"
#include "pty/errorline.h"
#include "pty/spool.h"
#include "screen/svg.h"
#include "shared/breaks.h"
#include "viewer/collect_wait.h"
#include "viewer/editor.h"
#include "viewer/term.h"
#include "viewer/ttysignals.h"

#define MS 1000000ull         /* nanoseconds */
#define QUIET (1000 * MS)     /* how often to look when nothing is expected */
#define SOON (4 * MS)         /* how often to look for the answer to a request, at first */
#define EXPECT (400 * MS)     /* how long an answer is expected before that grows */
#define BACKLOG (4u << 20)    /* of output: what is older than this is not worth showing */
#define OWN_SHARE 12          /* a repaint may take one part in so many of the time */
#define TREE_EVERY (500 * MS) /* how often the call tree is summed up, at most */

typedef struct Viewer {
    const ViewerOptions *o;
    LmpView *view;
    Term *term;
    App *app;
    Canvas *canvas;
    Output *output;
    int pidfd;
    bool dead;      /* the process is gone */
    bool own_group; /* the terminal's signals reach us */
    bool paused_by_us;
    uint64_t interval; /* wished time between repaints */
    uint64_t next;     /* when the model is due to be filled again */
    uint64_t wanted;   /* when something was last asked of the program; 0: nothing is open */
    uint64_t spool_at; /* where in the spool's file the output panel goes on reading */
    uint32_t changed;  /* of the state, when last looked */
    CollectWait collect;
    uint64_t rss, rss_time;
    uint64_t ledger_next; /* when who made what is due to be summed up again */
    uint64_t own;         /* memory of the shared state when the resident set was read, bytes */
    bool dirty;           /* the screen is not what it would be: at the next repaint */
    bool urgent;          /* a person waits for it: at once */
    bool was_frozen;
    bool told; /* the notify descriptor has said that it is over */
    bool mouse;
    ViewerResult *result;
} Viewer;

/* ---- the program ----------------------------------------------------------------------------- */

static bool is_alive(Viewer *v) {
    if (v->dead) return false;
    if (v->pidfd >= 0) {
        struct pollfd poll_one = {.fd = v->pidfd, .events = POLLIN};
        v->dead = poll(&poll_one, 1, 0) > 0; /* also when nobody has waited for it yet */
    } else {
        v->dead = !lmp_os->alive(v->view->pid);
    }
    return !v->dead;
}

/* Resident set of the program, bytes; 0: not known. Read twice a second at most. */
static uint64_t resident(Viewer *v, uint64_t now) {
    if (v->rss_time != 0 && now - v->rss_time < 500 * MS) return v->rss;
    v->rss_time = now;
    v->own = view_memory(v->view);
    char path[48];
    snprintf(path, sizeof path, "/proc/%u/statm", v->view->pid);
    FILE *file = fopen(path, "re");
    unsigned long long total = 0, pages = 0;
    if (file) {
        if (fscanf(file, "%llu %llu", &total, &pages) == 2 && pages > 0) {
            v->rss = pages * (uint64_t)sysconf(_SC_PAGESIZE);
        }
        fclose(file);
    }
    return v->rss;
}

/* Sums up who made what, for the panels of the last frame; `must`: also before it is due. */
static void fill_ledger(Viewer *v, uint64_t now, bool must) {
    Model *model = app_model(v->app);
    unsigned parts = app_parts(v->app);
    if (!must && now < v->ledger_next) return;
    model_fill_ledger(model, v->view, parts);
    uint64_t spent = lmp_os->clock() - now, least = parts & LEDGER_TREE ? TREE_EVERY : 0;
    v->ledger_next = now + (spent * OWN_SHARE > least ? spent * OWN_SHARE : least);
}

static void fill(Viewer *v, uint64_t now) {
    ModelInput input = {now, is_alive(v), resident(v, now), v->own};
    Model *model = app_model(v->app);
    LmpSeen was = model->seen;
    uint64_t marks = model->marks_all;
    v->changed = atomic_load(&v->view->live->changed);
    model_fill(model, v->view, &input);
    /* what stands still is to be seen as it is in the end */
    bool still = model->seen != LMP_SEEN_RUNNING || model->seen != was;
    fill_ledger(v, now, still || model->marks_all != marks);
    if (v->o->spool >= 0 && model->ended > 1) {
        Ui *ui = app_ui(v->app);
        errorline_find(v->o->spool, SPOOL_AT, ui->error, sizeof ui->error);
    }
    app_fresh(v->app, now);
    view_next_frame(v->view);
}

/* By a key here, or by one of our break conditions. */
static bool is_paused_by_us(const Viewer *v) {
    const LmpControl *control = v->view->control;
    return v->paused_by_us ||
           (atomic_load(&control->pause) && view_pauser(v->view) == (uint32_t)getpid());
}

static bool answered(const Viewer *v) {
    const LmpControl *control = v->view->control;
    const LmpLive *live = v->view->live;
    uint32_t state = atomic_load(&live->state);
    bool pause = atomic_load(&control->pause) != 0;
    return (state == LMP_FINISHED || (state == LMP_PAUSED) == pause) &&
           atomic_load(&live->step_done) == atomic_load(&control->step) &&
           atomic_load(&live->collect_done) == atomic_load(&control->collect) &&
           atomic_load(&live->mark_done) == atomic_load(&control->mark) &&
           atomic_load(&live->preview_done) == atomic_load(&control->preview) &&
           atomic_load(&live->locals_done) == atomic_load(&control->locals) &&
           atomic_load(&live->breaks.taken) == atomic_load(&control->breaks);
}

static void serve_requests(Viewer *v, uint64_t now) {
    UiRequest *request = &app_ui(v->app)->request;
    bool any = true;
    if (request->pause || request->resume) {
        view_pause(v->view, request->pause);
        v->paused_by_us = request->pause;
    } else if (request->steps == 0 && !request->collect && !request->mark &&
               request->preview_count == 0 && !request->breaks && !request->locals) {
        any = false;
    }
    if (request->breaks) {
        UiBreaks *breaks = &app_ui(v->app)->breaks;
        breaks->sent = view_breaks(v->view, breaks->row, breaks->count);
        breaks->taken_over = false;
    }
    if (request->locals) view_locals(v->view, request->locals_frame);
    if (request->steps > 0) view_step(v->view, request->steps);
    if (request->collect) view_collect(v->view);
    if (request->mark) view_mark(v->view);
    if (request->preview_count > 0)
        view_preview(v->view, request->preview_addr, request->preview_count);
    if (any) {
        memset(request, 0, sizeof *request);
        v->wanted = now;
    }
}

/* Says so when a collection does not come, and in the end asks for it no more. */
static void watch_collection(Viewer *v, uint64_t now) {
    const LmpControl *control = v->view->control;
    const LmpLive *live = v->view->live;
    bool open = atomic_load(&live->collect_done) != atomic_load(&control->collect);
    uint32_t state = atomic_load(&live->state);
    CollectTurn turn =
        collect_wait_look(&v->collect, open && state != LMP_FINISHED, state == LMP_RUNNING, now);
    if (turn == COLLECT_QUIET) return;
    app_say(v->app, "%s", collect_wait_words(turn, atomic_load(&control->trap) == 0));
    v->dirty = true;
    if (turn == COLLECT_GIVE_UP) view_collect_no_more(v->view);
}

/* ---- its output and input -------------------------------------------------------------------- */

static void read_spool(Viewer *v) {
    if (v->o->spool < 0 || !v->output || app_ui(v->app)->frozen) return;
    struct stat st;
    uint64_t end = fstat(v->o->spool, &st) == 0 ? (uint64_t)st.st_size : 0;
    if (end > v->spool_at + BACKLOG) {
        static const char gap[] = "\r\n[...]\r\n";
        v->spool_at = end - BACKLOG / 4;
        output_feed(v->output, gap, sizeof gap - 1);
    }
    char bytes[16384];
    for (int i = 0; i < 256; i++) {
        ssize_t n = pread(v->o->spool, bytes, sizeof bytes, (off_t)v->spool_at);
        if (n <= 0) break;
        output_feed(v->output, bytes, (size_t)n);
        v->spool_at += (uint64_t)n;
        v->dirty = true;
    }
}

static void read_notify(Viewer *v) {
    char bytes[512];
    ssize_t n = read(v->o->notify, bytes, sizeof bytes);
    if (n == 0 || (n > 0 && memchr(bytes, 'Q', (size_t)n)) ||
        (n < 0 && errno != EAGAIN && errno != EINTR)) {
        v->told = true;
    }
    /* output may come when nothing else changes any more: the last of it, after the end */
    if (n > 0 && !app_ui(v->app)->frozen) v->dirty = true;
}

static void send_line(Viewer *v, const char *line) {
    size_t size = strlen(line), at = 0;
    while (at < size && v->o->input >= 0) {
        ssize_t n = write(v->o->input, line + at, size - at);
        if (n <= 0) break;
        at += (size_t)n;
    }
    if (at < size) app_say(v->app, "The line could not be sent: the program does not read");
}

/* ---- what keys ask of us --------------------------------------------------------------------- */

static void interrupt(Viewer *v) {
    if (v->o->interrupt) {
        v->o->interrupt(v->o->context);
    } else if (!v->dead) {
        kill((pid_t)v->view->pid, SIGINT);
    }
    /* a paused program would not see it: it goes on */
    if (is_paused_by_us(v)) app_ui(v->app)->request.resume = true;
}

/* Noted before the terminal is touched, and after it was given back: who is killed in between has
 * the note. */
static void note_taken(Viewer *v, bool taken) {
    if (v->o->taken) atomic_store(&v->o->taken->taken, taken);
}

static void leave_for_a_while(Viewer *v) {
    term_leave(v->term);
    note_taken(v, false);
}

/* In the background this stops us until we are in the foreground again. */
static void come_back(Viewer *v) {
    struct termios now;
    if (tcgetattr(v->o->tty, &now) == 0) tcsetattr(v->o->tty, TCSANOW, &now);
    if (v->o->taken && !atomic_load(&v->o->taken->taken)) v->o->taken->before = now;
    note_taken(v, true);
    term_return(v->term);
}

/* `group`: we are the ones who stop the others too; else a signal has reached them already. */
static void suspend(Viewer *v, bool group) {
    leave_for_a_while(v);
    if (group && v->o->suspend) {
        v->o->suspend(v->o->context);
    } else {
        ttysignals_stop(group);
    }
    ttysignals_forget_stops();
    come_back(v);
    v->urgent = true;
}

/* Runs the person's editor on the terminal, while the program runs on. */
static void edit_file(Viewer *v) {
    Ui *ui = app_ui(v->app);
    char problem[128];
    leave_for_a_while(v);
    EditorEnd end = editor_run(v->o->tty, v->told ? -1 : v->o->notify, ui->open_path, ui->open_line,
                               problem, sizeof problem);
    ttysignals_forget_stops();
    come_back(v);
    ui->open_path[0] = 0;
    ui->now = lmp_os->clock(); /* it has taken its time; notices last from now on */
    if (end == EDITOR_FAILED) app_say(v->app, "%s", problem);
    if (end == EDITOR_TOLD) v->told = true;
    v->urgent = true;
}

static void save_picture(Viewer *v) {
    int w, h;
    term_size(v->term, &w, &h);
    if (!canvas_resize(v->canvas, w, h)) return;
    app_draw(v->app, v->canvas, lmp_os->clock());
    char name[sizeof v->result->saved];
    Theme theme = *term_theme(v->term);
    if (svg_save(v->canvas, &theme, v->view->pid, name, sizeof name) == LMP_OK) {
        memcpy(v->result->saved, name, sizeof name);
        app_say(v->app, "Saved %s", name);
    } else {
        app_say(v->app, "Cannot write %s here: %s", name, strerror(errno));
    }
}

/* True: the display is to end. */
static bool do_asked(Viewer *v) {
    AppAsk ask = *app_ask(v->app);
    memset(app_ask(v->app), 0, sizeof ask);
    if (ask.quit) return true;
    if (ask.send) send_line(v, ask.line);
    if (ask.interrupt) interrupt(v);
    if (ask.suspend) suspend(v, true);
    if (ask.save) save_picture(v);
    if (app_ui(v->app)->open_path[0]) edit_file(v);
    if (ask.redraw) term_redraw(v->term);
    if (v->mouse != app_ui(v->app)->mouse) {
        v->mouse = app_ui(v->app)->mouse;
        term_mouse(v->term, v->mouse);
        app_say(v->app, v->mouse ? "Mouse on" : "Mouse off: the terminal selects text again");
    }
    return false;
}

static bool read_keys(Viewer *v) {
    TermMouse mouse;
    for (int i = 0; i < 256; i++) {
        Key key = term_key(v->term, &mouse);
        if (key == K_NONE) break;
        v->urgent = true;
        app_ui(v->app)->now = lmp_os->clock(); /* the last frame may be long ago */
        if (key == K_MOUSE) {
            app_mouse(v->app, mouse.what, mouse.x, mouse.y);
        } else if (key != K_RESIZE) {
            app_key(v->app, key);
        }
        if (do_asked(v)) return true;
        serve_requests(v, lmp_os->clock());
    }
    return false;
}

/* ---- the loop -------------------------------------------------------------------------------- */

static void draw(Viewer *v) {
    int w, h;
    term_size(v->term, &w, &h);
    if ((v->canvas->w != w || v->canvas->h != h) && !canvas_resize(v->canvas, w, h)) return;
    uint64_t now = lmp_os->clock();
    app_draw(v->app, v->canvas, now);
    if (app_parts(v->app) & ~app_model(v->app)->ledger_parts) { /* a panel has come up */
        fill_ledger(v, now, true);
        app_fresh(v->app, now);
        app_draw(v->app, v->canvas, now);
    }
    term_show(v->term, v->canvas);
    v->dirty = v->urgent = false;
    serve_requests(v, lmp_os->clock()); /* panels ask for previews while they draw */
}

/* When to wake up if nothing happens, nanoseconds from now. */
static uint64_t patience(const Viewer *v, uint64_t now) {
    const Ui *ui = app_ui(v->app);
    LmpSeen seen = app_model(v->app)->seen;
    if (v->told) return 0;
    /* That another has the terminal, and sizes where its signals do not reach us, are only seen by
     * looking. */
    uint64_t wait = QUIET / 4;
    if (v->wanted != 0) {
        uint64_t since = now - v->wanted;
        uint64_t look = since < EXPECT ? SOON : since / 16;
        if (look < wait) wait = look;
    }
    bool moving = seen == LMP_SEEN_RUNNING && !ui->frozen;
    if (moving || v->dirty) {
        uint64_t due = v->next > now ? v->next - now : 0;
        if (due < wait) wait = due;
    }
    if (v->pidfd < 0 && !v->dead && wait > 200 * MS) wait = 200 * MS;
    return wait;
}

/* Looks what has happened to the program; true: the model is to be filled now. */
static bool look(Viewer *v, uint64_t now) {
    Ui *ui = app_ui(v->app);
    LmpSeen seen = view_seen(v->view, is_alive(v));
    LmpSeen was = app_model(v->app)->seen;
    bool over = seen == LMP_SEEN_FINISHED || seen == LMP_SEEN_KILLED;
    if (ui->frozen && !over) {
        app_seen(v->app, seen);
        v->was_frozen = true;
        return false;
    }
    if (v->was_frozen) {
        v->was_frozen = false;
        return true;
    }
    if (v->wanted != 0 && answered(v)) {
        v->wanted = 0;
        return true;
    }
    if (seen != was || atomic_load(&v->view->live->changed) != v->changed) return true;
    if (atomic_load(&v->view->control->ended) != app_model(v->app)->ended) return true;
    return seen == LMP_SEEN_RUNNING && now >= v->next;
}

/* Waits for what comes first; false: the terminal is gone. */
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
    if (fds[2].revents) read_notify(v);
    return true;
}

static ViewerEnd ended_as(LmpSeen seen) {
    return seen == LMP_SEEN_KILLED ? VIEWER_KILLED : VIEWER_FINISHED;
}

/* Has a shell taken it back? It does so when the first process of the job was killed. */
static bool lost_terminal(const Viewer *v) {
    return v->own_group && !tty_is_ours(v->o->tty);
}

static ViewerEnd loop(Viewer *v, const TtySignals *signals) {
    uint64_t spent = 0; /* by the last repaint */
    for (;;) {
        uint64_t now = lmp_os->clock();
        if (lost_terminal(v)) return VIEWER_LOST;
        bool fresh = look(v, now);
        watch_collection(v, now);
        if (v->o->notify < 0 && now >= v->next) read_spool(v);
        if (fresh) fill(v, now);
        LmpSeen seen = app_model(v->app)->seen;
        bool over = seen == LMP_SEEN_FINISHED || seen == LMP_SEEN_KILLED;
        if (over && !v->o->hold) {
            draw(v);
            return ended_as(seen);
        }
        if (fresh || (v->dirty && now >= v->next)) {
            if (v->o->notify >= 0) read_spool(v);
            draw(v);
            spent = lmp_os->clock() - now;
            v->next = now + (v->interval > spent * OWN_SHARE ? v->interval : spent * OWN_SHARE);
        }
        if (app_restless(v->app)) v->dirty = true;
        if (!wait_for_events(v, &signals->mask)) return VIEWER_NO_TTY;
        if (v->told) return over ? ended_as(seen) : VIEWER_TOLD;
        if (ttysignals_wants_stop()) suspend(v, false);
        if (ttysignals_continued()) {
            come_back(v);
            v->urgent = true;
        }
        if (lost_terminal(v)) return VIEWER_LOST;
        if (read_keys(v)) return over ? ended_as(seen) : VIEWER_QUIT;
        int w, h;
        term_size(v->term, &w, &h);
        if (ttysignals_resized() || w != v->canvas->w || h != v->canvas->h) v->urgent = true;
        if (v->urgent) draw(v);
    }
}

static uint64_t interval_of(const ViewerOptions *options) {
    double fps = options->fps;
    uint32_t wanted = options->view->header->interval_us;
    if (!(fps > 0)) fps = wanted > 0 ? 1e6 / wanted : 10;
    if (fps > 60) fps = 60;
    if (fps < 0.1) fps = 0.1;
    return (uint64_t)(1e9 / fps);
}

static bool open_all(Viewer *v) {
    const char *problem = "the terminal is in other hands";
    v->own_group = tty_is_ours(v->o->tty);
    if (v->own_group || !v->o->live) {
        note_taken(v, true);
        v->term = term_open(v->o->tty, &problem);
    }
    if (!v->term) {
        snprintf(v->result->problem, sizeof v->result->problem, "%s", problem);
        return false;
    }
    if (v->o->taken && tcgetattr(v->o->tty, &v->o->taken->during) == 0)
        atomic_store(&v->o->taken->during_known, true);
    v->spool_at = SPOOL_AT;
    v->output = v->o->spool >= 0 ? output_new() : NULL;
    v->canvas = canvas_new(1, 1, term_utf8(v->term));
    AppOptions options = {.utf8 = term_utf8(v->term),
                          .colours = term_colours(v->term),
                          .live = v->o->live,
                          .can_type = v->o->input >= 0,
                          .hold = v->o->hold,
                          .output = v->output};
    v->app = v->canvas ? app_new(&options) : NULL;
    if (!v->app) {
        snprintf(v->result->problem, sizeof v->result->problem, "no memory for the display");
        return false;
    }
    UiBreaks *breaks = &app_ui(v->app)->breaks;
    if (v->o->breaks) breaks->count = breaks_parse_lines(v->o->breaks, breaks->row);
    if (breaks->count > 0) breaks->sent = view_breaks(v->view, breaks->row, breaks->count);
    v->pidfd = (int)syscall(SYS_pidfd_open, (pid_t)v->view->pid, 0);
    if (v->pidfd < 0 && (errno == ESRCH || !v->view->pid)) v->dead = true;
    v->mouse = true;
    term_mouse(v->term, true);
    return true;
}

void viewer_run(const ViewerOptions *options, ViewerResult *result) {
    memset(result, 0, sizeof *result);
    result->end = VIEWER_NO_TTY;
    Viewer v = {.o = options, .view = options->view, .pidfd = -1, .result = result};
    TtySignals signals;
    ttysignals_take(&signals);
    v.interval = interval_of(options);
    if (open_all(&v)) {
        atomic_fetch_add(&v.view->control->attached, 1);
        result->end = loop(&v, &signals);
        atomic_fetch_sub(&v.view->control->attached, 1);
        if (app_ui(v.app)->breaks.count > 0 && view_breaks_ours(v.view))
            view_breaks(v.view, NULL, 0);
        if (is_paused_by_us(&v)) view_pause(v.view, false);
        if (result->end == VIEWER_NO_TTY) {
            snprintf(result->problem, sizeof result->problem, "the terminal is gone");
        }
    }
    if (v.app) ledger_free(&app_model(v.app)->ledger);
    term_close(v.term);
    note_taken(&v, false);
    if (v.pidfd >= 0) close(v.pidfd);
    app_free(v.app);
    output_free(v.output);
    canvas_free(v.canvas);
    ttysignals_give_back(&signals);
}
