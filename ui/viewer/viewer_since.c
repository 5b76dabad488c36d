/* viewer_since.c - begins and ends the reading of the map (survivors.h) that tells which blocks
 * were made since a moment, or in a piece of the past, and live. */
#include "base/os.h"
#include "viewer/viewer_impl.h"

#define BUDGET (4 * MS)         /* of a frame */
#define BUDGET_FIRST (150 * MS) /* for what a person waits for */

void viewer_step_since(Viewer *v, Model *model, uint64_t now, bool first) {
    bool still = model->seen != LMP_SEEN_RUNNING; /* there may be no other frame */
    if (v->since_shows)
        survivors_step(v->since, now, still ? UINT64_MAX : first ? BUDGET_FIRST : BUDGET);
    survivors_fill(v->since, model);
}

static void take(Viewer *v, Survivors *since, bool shows) {
    survivors_free(v->since);
    v->since = since;
    v->since_shows = since && shows;
}

void viewer_since(Viewer *v, const SinceWish *wish, uint64_t now) {
    if (v->player) viewer_leave_past(v);
    Model *model = app_model(v->app);
    switch (wish->what) {
    case SINCE_BEGIN:
        take(v, survivors_since_now(v->view, model->clock), false);
        break;
    case SINCE_SHOW:
        v->since_shows = v->since != NULL;
        break;
    case SINCE_PIECE:
        take(v, survivors_between(v->view, wish->from, wish->to), true);
        break;
    case SINCE_END:
        take(v, NULL, false);
        break;
    }
    if (!v->since && wish->what != SINCE_END) app_say(v->app, "There is no memory for that");
    viewer_step_since(v, model, now, true);
    if (v->since_shows && !model->since.lines && model->ledger.lines != LMP_LINES_OFF)
        app_say(v->app, "This run counts samples by line: survivors are known by type only");
    viewer_fill_ledger(v, now, true);
    app_fresh(v->app, now);
    v->dirty = v->urgent = true;
}
