/* question.c - asks in the footer before a snapshot is taken, for an answer with one key: whether
 * to collect garbage first (once, the answer is remembered), and, if a person wants to know why
 * something is alive, whether to take one at all. */

#include "app/app_state.h"
#include "base/format.h"

#define OLD 10000000000ull /* nanoseconds, from which on a snapshot is called old */

/* ---- taking one ------------------------------------------------------------------------------ */

static void take(App *app) {
    request_put(&app->ui.requests,
                &(Request){.kind = REQUEST_SNAPSHOT, .collect = app->collect == COLLECT_YES});
    app->taking = true;
    app->awaits = app->awaited.what != WISH_NOTHING;
}

static void remember(App *app, Collect collect) {
    Request request = {.kind = REQUEST_REMEMBER, .remember = {"collect", ""}};
    snprintf(request.remember.value, sizeof request.remember.value, "%s",
             collect == COLLECT_YES ? "on" : "off");
    app->collect = collect;
    request_put(&app->ui.requests, &request);
}

void question_snapshot(App *app, bool ask) {
    bool why = app->set == SET_SNAPSHOT && app->wished && app->ui.over == &panel_why;
    app->awaited = why ? app->last_wish : (UiWish){.what = WISH_NOTHING};
    if (app->collect == COLLECT_ASK || ask)
        app->question = ASK_COLLECT;
    else
        take(app);
}

void app_offer_taking(App *app) {
    if (app->ended) {
        app_say(app, "No snapshot was taken while the program ran, so it cannot be known");
    } else if (app->taking) {
        app_say(app, "The snapshot that answers this is on its way");
        app->awaited = app->ui.wish;
        app->awaits = true;
    } else {
        app->question = ASK_TAKE;
        app->awaited = app->ui.wish;
    }
    app->ui.wish.what = WISH_NOTHING; /* the open page is not about that */
}

/* ---- what comes of it ------------------------------------------------------------------------ */

bool question_answered(App *app) {
    app->taking = false;
    if (!app->awaits) return false;
    app->awaits = false;
    app->answers = true;
    request_put_kind(&app->ui.requests, REQUEST_OPEN_SNAPSHOT);
    return true;
}

void app_no_snapshot(App *app) {
    app->taking = app->awaits = app->answers = false;
    app->ui.wish.what = WISH_NOTHING;
}

void question_opened(App *app, const OpenedSnapshot *heap) {
    char age[LMP_NUM];
    uint64_t taken = heap->now.info.clock, now = app->model.clock;
    if (app->answers) app->ui.wish = app->awaited;
    app->answers = false;
    app->last_wish = app->ui.wish;
    if (app->ui.wish.what == WISH_NOTHING || app->ended || now < taken + OLD) return;
    app_say(app, "This is of %s ago; S asks a new snapshot the same",
            format_span(age, now - taken));
}

/* ---- the question ---------------------------------------------------------------------------- */

bool question_key(App *app, Key key) {
    Question question = app->question;
    bool known = question == ASK_TAKE && app->collect != COLLECT_ASK;
    bool yes = key == 'y' || (known && (key == 'S' || key == K_ENTER)), no = key == 'n' && !known;
    if (question == ASK_NOTHING || key == K_CTRL('L')) return false;
    app->question = ASK_NOTHING;
    if (!yes && !no) {
        app_no_snapshot(app);
        return key == K_ESC || key == 'q'; /* any other key does what it always does */
    }
    if (app->ended && question == ASK_COLLECT) {
        app_say(app, "No snapshot: the program has ended");
        return true;
    }
    if (app->ended) {
        app_offer_taking(app);
        return true;
    }
    if (!known) remember(app, yes ? COLLECT_YES : COLLECT_NO);
    take(app);
    return true;
}

static void add(Line *line, int priority, const char *shown, Key key, const char *words) {
    line_add(line, priority, STYLE(TONE_ACCENT), "  %s", shown);
    line_key(line, key);
    line_add(line, priority + 1, STYLE(TONE_TEXT), " %s", words);
    line_key(line, key);
}

void question_draw(App *app, Canvas *canvas, Rect rect) {
    Line line = {0};
    bool known = app->question == ASK_TAKE && app->collect != COLLECT_ASK;
    if (app->question == ASK_TAKE)
        line_add(&line, known ? 1 : 3, STYLE(TONE_STRONG), " No snapshot yet.");
    if (!known) line_add(&line, 1, STYLE(TONE_STRONG), " Collect first?");
    if (known) {
        add(&line, 1, "y", 'y', "takes one and answers");
    } else {
        add(&line, 1, "y", 'y', "what is left is held");
        add(&line, 1, "n", 'n', "all, with garbage");
    }
    add(&line, 4, "esc", K_ESC, known ? "not now" : "no snapshot");
    line_draw(&line, canvas, rect.x, rect.y, rect.w);
    app_spot_line(app, &line, rect.x, rect.y, rect.w);
}
