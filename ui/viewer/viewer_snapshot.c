/* viewer_snapshot.c - asks for a snapshot of the heap, and says how a snapshot ended, whoever
 * asked. */
#include <stdio.h>
#include <string.h>

#include "read/stats.h"
#include "recorder/recname.h"
#include "viewer/viewer_impl.h"

#define SHARED_AGAIN_NS                                                                            \
    1500000000u /* for how long a result waits for the figure that comes last                      \
                 */

bool viewer_snapshot_busy(const Viewer *v) {
    const SnapshotWatch *watch = &v->snapshot;
    return watch->asked || watch->written || v->proof.step == PROOF_ASKED ||
           watch->of.state == LMP_SNAPSHOT_WAITS || watch->of.state == LMP_SNAPSHOT_RUNS;
}

static void ask_later(Viewer *v) {
    v->snapshot.later = true;
    app_say(v->app, "A snapshot is taken after the one that is being written");
}

/* Asks for a snapshot in our directory; the program chooses the name. */
void viewer_ask_snapshot(Viewer *v, bool collect) {
    char here[LMP_SNAPSHOT_FILE];
    SnapshotWatch *watch = &v->snapshot;
    view_copy_snapshot(v->view, &watch->of);
    watch->collect = collect;
    if (viewer_snapshot_busy(v)) {
        ask_later(v);
        return;
    }
    watch->later = false;
    if (!recname_whole(here, sizeof here, "")) {
        app_say(v->app, "No snapshot: the name of this directory is too long");
        app_no_snapshot(v->app);
        return;
    }
    watch->asked = view_snapshot(v->view, here, collect ? LMP_SNAPSHOT_COLLECT : LMP_SNAPSHOT_ALL);
    watch->wait = (CollectWait){0, false};
    if (viewer_model(v)->seen == LMP_SEEN_PAUSED)
        app_say(v->app, "A snapshot is taken as the program stands, with all garbage");
    else
        app_say(v->app, "A snapshot is taken at the program's next instruction, %s",
                collect ? "garbage collected first" : "with all garbage");
}

/* Says how it ended, in the footer: for a file in our own directory only its name. */
static void say(Viewer *v, LmpSnapshotLive *s) {
    char line[2800], file[sizeof s->file];
    bool written = s->state == LMP_SNAPSHOT_WRITTEN;
    memcpy(file, s->file, sizeof file);
    snprintf(s->file, sizeof s->file, "%s", recname_short(file));
    app_say(v->app, "%s%s", written ? "enter opens " : "", stats_snapshot(line, sizeof line, s));
    if (written)
        viewer_opened_written(v, file);
    else
        app_no_snapshot(v->app);
    v->dirty = true;
}

/* Says so if a snapshot that we asked for does not come, and finally withdraws the request. */
static void watch_ours(Viewer *v, const LmpSnapshotLive *s, uint64_t now) {
    SnapshotWatch *watch = &v->snapshot;
    bool taken = s->request == watch->asked && s->state != LMP_SNAPSHOT_WAITS;
    if (watch->asked &&
        (atomic_load(&s->busy) == watch->asked || view_snapshot_overtaken(s, watch->asked))) {
        ask_later(v);
        taken = true;
    }
    if (taken) watch->asked = 0;
    if (viewer_is_over(v) && (watch->asked || watch->later)) {
        watch->asked = 0;
        watch->later = false;
        app_say(v->app, "No snapshot: the program has ended");
        app_no_snapshot(v->app);
        v->dirty = true;
    }
    bool known = atomic_load(&s->taken) == watch->asked;
    bool runs = atomic_load(&v->view->live->state) == LMP_RUNNING;
    CollectTurn turn = collect_wait_look(&watch->wait, watch->asked != 0, runs, now);
    if (turn == COLLECT_QUIET) return;
    app_say(v->app, "%s: the program %s",
            turn == COLLECT_SAY ? "No snapshot yet" : "No snapshot, given up",
            known ? "is inside a C function" : "has asked for no memory since");
    v->dirty = true;
    if (turn != COLLECT_GIVE_UP) return;
    view_snapshot_no_more(v->view, watch->asked);
    app_no_snapshot(v->app);
    watch->asked = 0;
}

/* Returns true if there is a result to tell. The slowest operation is known when everything is
 * shared again, which a program that asks for no memory delays. */
static bool is_over(Viewer *v, const LmpSnapshotLive *s, uint64_t now) {
    SnapshotWatch *watch = &v->snapshot;
    if (s->state == LMP_SNAPSHOT_FAILED) return true;
    if (s->state != LMP_SNAPSHOT_WRITTEN) return false;
    if (!s->frozen || atomic_load(&v->view->live->state) == LMP_FINISHED) return true;
    if (!watch->written) watch->written = now;
    return now - watch->written > SHARED_AGAIN_NS;
}

void viewer_watch_snapshot(Viewer *v, uint64_t now) {
    SnapshotWatch *watch = &v->snapshot;
    const LmpSnapshotLive *live = &v->view->live->snapshot;
    uint32_t seq = atomic_load(&live->seq);
    uint32_t phase = v->view->beat ? atomic_load(&v->view->beat->phase) : 0;
    if (watch->seen && !watch->later && !viewer_snapshot_busy(v) && seq == watch->seq &&
        phase == watch->phase && live->frozen == watch->of.frozen)
        return;
    LmpSnapshotLive *s = &watch->of;
    if (!view_copy_snapshot(v->view, s)) return;
    watch->seq = seq;
    watch->phase = phase;
    bool over = is_over(v, s, now);
    if (over) watch->written = 0;
    bool news = over && s->number != watch->said;
    if (over) watch->said = s->number;
    if (news && watch->seen && s->how != LMP_SNAPSHOT_ITSELF)
        say(v, s); /* not of a snapshot from before we came */
    watch->seen = true;
    watch_ours(v, s, now);
    if (watch->later && !viewer_snapshot_busy(v)) viewer_ask_snapshot(v, watch->collect);
}
