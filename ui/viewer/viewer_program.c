/* viewer_program.c - looks at the program that the display shows (alive, changed, has answered),
 * fills the model from its state, and begins and ends the reading of the map (survivors.c) that
 * tells which blocks were made since a moment, or in a piece of the past, and live. */
#include <poll.h>
#include <stdio.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/os.h"
#include "base/procfile.h"
#include "viewer/viewer_impl.h"

#define VERDICTS_EVERY (400 * MS) /* how often verdicts are updated, at most */
#define VERDICTS_SHARE 50         /* and at most for one part in this many of the time */
#define TREE_EVERY (500 * MS)     /* how often the call tree is summed up, at most */
#define BUDGET (4 * MS)           /* of a repaint, for survivors */
#define BUDGET_FIRST (150 * MS)   /* for survivors that a person waits for */

static bool is_alive(Viewer *v) {
    if (v->dead) return false;
    if (v->pidfd >= 0) {
        struct pollfd poll_one = {.fd = v->pidfd, .events = POLLIN};
        v->dead = poll(&poll_one, 1, 0) > 0; /* even if nobody has waited for it yet */
    } else {
        v->dead = !lmp_os->alive(v->view->pid);
    }
    return !v->dead;
}

/* Returns the program's resident set, bytes; 0: not known, or the program is gone. Read with each
 * model, so that it is from the same moment as the heap. */
static uint64_t resident(void *viewer) {
    const Viewer *v = viewer;
    return v->dead ? 0 : procfile_resident(v->view->pid);
}

/* Returns lmp's own part of the resident set, bytes. It grows slowly. */
static uint64_t own_memory(Viewer *v, uint64_t now) {
    if (v->own_time == 0 || now - v->own_time >= 500 * MS) {
        v->own_time = now;
        v->own = view_memory(v->view);
    }
    return v->own;
}

void viewer_fill_ledger(Viewer *v, uint64_t now, bool must) {
    Model *model = app_model(v->app);
    unsigned parts = app_parts(v->app);
    if (!must && now < v->ledger_next) return;
    model->ledger.of_tag = app_ui(v->app)->tag;
    bool judge = must || now >= v->verdicts_next, sites = parts & LEDGER_SITES;
    if (model_fill_ledger(model, v->view, judge ? parts | LEDGER_SITES : parts))
        ledger_totals(&model->ledger, &model->stats);
    uint64_t then = lmp_os->clock();
    uint64_t spent = then - now, least = parts & LEDGER_TREE ? TREE_EVERY : 0;
    if (judge) {
        model_fill_verdicts(model, v->view->tables.text ? &v->view->tables : NULL);
        uint64_t cost = (lmp_os->clock() - (sites ? then : now)) * VERDICTS_SHARE;
        v->verdicts_next = now + (cost > VERDICTS_EVERY ? cost : VERDICTS_EVERY);
    }
    v->ledger_next = now + (spent * OWN_SHARE > least ? spent * OWN_SHARE : least);
}

/* Finds what the program waits for while it neither runs nor is paused. */
static void look_whether_blocked(Viewer *v, uint64_t now) {
    UiWait *wait = &app_ui(v->app)->wait;
    char proc[32];
    int unread = 0;
    *wait = (UiWait){0};
    if (viewer_model(v)->seen != LMP_SEEN_RUNNING || v->dead) {
        v->blocked = (Blocked){0};
        return;
    }
    snprintf(proc, sizeof proc, "/proc/%u", v->view->pid);
    if (v->terminal[0] && ioctl(v->o->input, FIONREAD, &unread) != 0) unread = 1;
    blocked_look(&v->blocked, proc, v->terminal, unread > 0, now, wait);
}

/* Reads the map on for the model of the present; `first`: a person has just asked. */
static void step_since(Viewer *v, Model *model, uint64_t now, bool first) {
    bool still = model->seen != LMP_SEEN_RUNNING; /* there may be no other repaint */
    if (v->since_shows)
        survivors_step(v->since, now, still ? UINT64_MAX : first ? BUDGET_FIRST : BUDGET);
    survivors_fill(v->since, model);
}

void viewer_fill(Viewer *v, uint64_t now) {
    bool alive = is_alive(v);
    uint64_t own = own_memory(v, now);
    ModelInput input = {now, alive, resident(v), own, resident, v};
    Model *model = viewer_model(v);
    LmpSeen was = model->seen;
    uint64_t base = model->marked ? model->mark[model->base].number : 0;
    model->wanted = app_ui(v->app)->marks;
    v->changed = atomic_load(&v->view->live->changed);
    model_fill(model, v->view, &input);
    step_since(v, model, now, false);
    if (v->slider
            .live) { /* the past is on the screen: of the present it shows only how far it is */
        app_seen(v->app, model->seen);
        view_next_frame(v->view);
        return;
    }
    /* once it stands still, show its final state */
    bool still = model->seen != LMP_SEEN_RUNNING || model->seen != was;
    viewer_fill_ledger(v, now,
                       still || base != (model->marked ? model->mark[model->base].number : 0));
    viewer_find_error(v);
    look_whether_blocked(v, now);
    app_ui(v->app)->time.clock = app_ui(v->app)->time.end = model->clock;
    app_fresh(v->app, now);
    view_next_frame(v->view);
}

bool viewer_has_paused(const Viewer *v) {
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
           atomic_load(&live->inside_done) == atomic_load(&control->inside) &&
           atomic_load(&live->breaks.taken) == atomic_load(&control->breaks);
}

bool viewer_look(Viewer *v, uint64_t now) {
    Ui *ui = app_ui(v->app);
    LmpSeen seen = view_seen(v->view, is_alive(v));
    LmpSeen was = viewer_model(v)->seen;
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
    if (atomic_load(&v->view->control->ended) != viewer_model(v)->ended) return true;
    return seen == LMP_SEEN_RUNNING && now >= v->next;
}

void viewer_watch_collection(Viewer *v, uint64_t now) {
    const LmpControl *control = v->view->control;
    const LmpLive *live = v->view->live;
    bool open = atomic_load(&live->collect_done) != atomic_load(&control->collect);
    if (viewer_is_over(v)) {
        v->dirty |= open && v->collect.since;
        if (open && v->collect.since) app_say(v->app, "No collection: the program has ended");
        open = false;
    }
    bool runs = atomic_load(&live->state) == LMP_RUNNING;
    CollectTurn turn = collect_wait_look(&v->collect, open, runs, now);
    if (turn == COLLECT_QUIET) return;
    app_say(v->app, "%s", collect_wait_words(turn, atomic_load(&control->trap) == 0));
    v->dirty = true;
    if (turn == COLLECT_GIVE_UP) view_collect_no_more(v->view);
}

/* ---- since a moment -------------------------------------------------------------------------- */

static void take_since(Viewer *v, Survivors *since, bool shows) {
    survivors_free(v->since);
    v->since = since;
    v->since_shows = since && shows;
}

void viewer_since(Viewer *v, const SinceWish *wish, uint64_t now) {
    if (v->player) viewer_leave_past(v);
    Model *model = app_model(v->app);
    switch (wish->what) {
    case SINCE_BEGIN:
        take_since(v, survivors_since_now(v->view, model->clock), false);
        break;
    case SINCE_SHOW:
        v->since_shows = v->since != NULL;
        break;
    case SINCE_PIECE:
        take_since(v, survivors_between(v->view, wish->from, wish->to), true);
        break;
    case SINCE_END:
        take_since(v, NULL, false);
        break;
    }
    if (!v->since && wish->what != SINCE_END) app_say(v->app, "There is no memory for that");
    step_since(v, model, now, true);
    if (v->since_shows && !model->since.lines && model->ledger.lines != LMP_LINES_OFF)
        app_say(v->app, "This run counts samples by line: survivors are known by type only");
    viewer_fill_ledger(v, now, true);
    app_fresh(v->app, now);
    v->dirty = v->urgent = true;
}
