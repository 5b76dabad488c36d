/* viewer_requests.c - does what panels and keys request: one function for each kind. */
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/format.h"
#include "base/os.h"
#include "read/discover.h"
#include "screen/svg.h"
#include "terminal/editor.h"
#include "terminal/ttysignals.h"
#include "viewer/viewer_impl.h"

/* ---- of the terminal and of files ------------------------------------------------------------ */

static void serve_quit(Viewer *v, const Request *request) {
    (void)request;
    v->quit = true;
}

static void serve_send(Viewer *v, const Request *request) {
    const char *line = request->line;
    size_t size = strlen(line), at = 0;
    while (at < size && v->o->input >= 0) {
        ssize_t n = write(v->o->input, line + at, size - at);
        if (n <= 0) break;
        at += (size_t)n;
    }
    if (at < size) app_say(v->app, "The line could not be sent: the program does not read");
}

static void serve_interrupt(Viewer *v, const Request *request) {
    (void)request;
    if (!v->view) return;
    if (v->o->interrupt) {
        v->o->interrupt(v->o->context);
    } else if (!v->dead) {
        kill((pid_t)v->view->pid, SIGINT);
    }
    /* a paused program would not see it: resume */
    if (viewer_has_paused(v))
        request_put(&app_ui(v->app)->requests, &(Request){.kind = REQUEST_PAUSE, .pause = false});
}

static void serve_suspend(Viewer *v, const Request *request) {
    (void)request;
    viewer_suspend(v, true);
}

static void serve_save(Viewer *v, const Request *request) {
    (void)request;
    int w, h;
    term_size(v->term, &w, &h);
    if (!canvas_resize(v->canvas, w, h)) return;
    app_draw(v->app, v->canvas, lmp_os->clock());
    char name[sizeof v->result->saved];
    Theme theme = *term_theme(v->term);
    unsigned pid = v->o->recording ? app_model(v->app)->pid
                   : v->view       ? v->view->pid
                   : v->heap       ? v->heap->now.info.pid
                                   : 0;
    if (svg_save(v->canvas, &theme, pid, name, sizeof name) == LMP_OK) {
        memcpy(v->result->saved, name, sizeof name);
        app_say(v->app, "Saved %s", name);
    } else {
        app_say(v->app, "Cannot write %s here: %s", name, strerror(errno));
    }
}

/* Runs the person's editor on the terminal, while the program runs on. */
static void serve_open(Viewer *v, const Request *request) {
    Ui *ui = app_ui(v->app);
    char problem[128];
    viewer_leave_terminal(v);
    EditorEnd end = editor_run(v->o->tty, v->told ? -1 : v->o->notify, request->file.path,
                               request->file.line, problem, sizeof problem);
    ttysignals_forget_stops();
    viewer_return_to_terminal(v);
    ui->now = lmp_os->clock(); /* that took a while; notices last from now on */
    if (end == EDITOR_FAILED) app_say(v->app, "%s", problem);
    if (end == EDITOR_TOLD) v->told = true;
    v->urgent = true;
}

static void serve_open_snapshot(Viewer *v, const Request *request) {
    (void)request;
    viewer_opened_show(v);
}

static bool is_shown(const Viewer *v, const LmpFound *one) {
    return v->view && one->pid == v->view->pid && one->serial == v->view->header->serial;
}

static void serve_programs(Viewer *v, const Request *request) {
    Ui *ui = app_ui(v->app);
    LmpFound *list;
    size_t count;
    (void)request;
    if (discover_list(&list, &count)) return;
    UiProgram *row = realloc(v->programs, (count + 1) * sizeof *row);
    if (row) v->programs = row;
    for (size_t i = 0; row && i < count; i++) {
        row[i] = (UiProgram){.pid = list[i].pid,
                             .serial = list[i].serial,
                             .forked_from = list[i].forked_from,
                             .seen = list[i].seen,
                             .shown = is_shown(v, &list[i]),
                             .live_bytes = list[i].live_bytes,
                             .elapsed = list[i].elapsed};
        format_text(row[i].name, sizeof row[i].name, list[i].program, !ui->utf8);
    }
    ui->programs.row = v->programs;
    ui->programs.count = row ? (uint32_t)count : 0;
    free(list);
    v->dirty = true;
}

static void serve_other(Viewer *v, const Request *request) {
    static LmpView views[2]; /* large: one is shown, perhaps */
    LmpView *next = &views[v->view == &views[0]];
    LmpErr err = discover_open(request->other.pid, request->other.serial, next);
    if (err)
        app_say(v->app, "Process %u: %s", request->other.pid, err_message(err));
    else
        v->other = next;
}

/* Applies a setting at once; the app does not know what the terminal shows. */
static void apply(Viewer *v, const char *name, const char *value) {
    config_put(&v->config, name, value);
    app_configured(v->app, name);
    if (value && strcmp(name, "fps") == 0) v->interval = (uint64_t)(1e9 / atof(value));
    if (strcmp(name, "theme") != 0) return;
    term_choose_theme(v->term, value);
    term_redraw(v->term);
    v->urgent = true;
}

static void serve_remember(Viewer *v, const Request *request) {
    char path[4096];
    const char *value = request->remember.value;
    apply(v, request->remember.name, *value ? value : NULL);
    if (!config_path(path, sizeof path))
        app_say(v->app, "Not kept for the next time: there is no home directory");
    else if (!config_set(path, request->remember.name, *value ? value : NULL))
        app_say(v->app, "Not kept for the next time: %.60s: %s", path, strerror(errno));
}

static void serve_time(Viewer *v, const Request *request) {
    viewer_time(v, &request->time, lmp_os->clock());
}

static void serve_redraw(Viewer *v, const Request *request) {
    (void)request;
    term_redraw(v->term);
}

static void serve_mouse(Viewer *v, const Request *request) {
    (void)request;
    bool on = app_ui(v->app)->mouse;
    term_mouse(v->term, on);
    app_say(v->app, on ? "Mouse on" : "Mouse off: the terminal selects text again");
}

/* ---- of the program -------------------------------------------------------------------------- */

static void serve_pause(Viewer *v, const Request *request) {
    view_pause(v->view, request->pause);
    v->paused_by_us = request->pause;
}

static void serve_breaks(Viewer *v, const Request *request) {
    (void)request;
    UiBreaks *breaks = &app_ui(v->app)->breaks;
    breaks->sent = view_breaks(v->view, breaks->row, breaks->count);
    breaks->taken_over = false;
}

static void serve_locals(Viewer *v, const Request *request) {
    view_locals(v->view, request->frame);
}

static void serve_inside(Viewer *v, const Request *request) {
    view_inside(v->view, &request->inside);
}

static void serve_step(Viewer *v, const Request *request) {
    view_step(v->view, request->steps);
}

static void serve_collect(Viewer *v, const Request *request) {
    (void)request;
    view_collect(v->view);
}

static void serve_snapshot(Viewer *v, const Request *request) {
    viewer_ask_snapshot(v, request->collect);
}

static void serve_record(Viewer *v, const Request *request) {
    (void)request;
    viewer_toggle_recorder(v);
}

static void serve_mark(Viewer *v, const Request *request) {
    (void)request;
    view_mark(v->view);
}

static void serve_since(Viewer *v, const Request *request) {
    viewer_since(v, &request->since, lmp_os->clock());
}

static void serve_refresh(Viewer *v, const Request *request) {
    (void)request;
    if (v->player)
        v->refill = true;
    else if (v->view)
        viewer_fill(v, lmp_os->clock());
    v->dirty = true;
}

/* At most one request waits: a program that does nothing answers none. */
static void serve_memory(Viewer *v, const Request *request) {
    (void)request;
    if (v->view->live->memory.done == atomic_load(&v->view->control->memory))
        view_ask_memory(v->view);
}

static void serve_preview(Viewer *v, const Request *request) {
    const uint64_t *addr = request->preview.addr;
    view_preview(v->view, addr, request->preview.count, request->preview.whole);
}

static const struct {
    void (*serve)(Viewer *v, const Request *request);
    bool answered;
} servers[REQUESTS] = {
#define REQUEST_SERVER(kind, name, answered) [kind] = {serve_##name, answered},
    REQUEST_TABLE(REQUEST_SERVER)
#undef REQUEST_SERVER
};

/* Returns true for requests that a recording cannot serve. */
static bool of_program(RequestKind kind) {
    return servers[kind].answered || kind == REQUEST_PROGRAMS || kind == REQUEST_OTHER ||
           kind == REQUEST_SEND || kind == REQUEST_INTERRUPT || kind == REQUEST_MEMORY ||
           kind == REQUEST_RECORD || kind == REQUEST_SINCE;
}

void viewer_serve(Viewer *v, uint64_t now) {
    const Request *request;
    while (!v->quit && !v->other && (request = request_take(&app_ui(v->app)->requests)) != NULL) {
        if (v->o->recording && of_program(request->kind)) continue;
        servers[request->kind].serve(v, request);
        if (servers[request->kind].answered) v->wanted = now;
    }
}
