/* app.h - the display without a terminal: its state, what keys do to it, and how it is drawn.
 * Whatever it needs from outside (the program, the terminal, files) it puts as a request
 * (request.h). */
#ifndef LMP_APP_H
#define LMP_APP_H

#include "widget/panel.h"

typedef struct App App;

typedef struct AppOptions {
    bool utf8;
    int colours; /* 0, 8, 16, 256 */
    bool live;   /* the program runs in this terminal */
    bool can_type;
    bool hold;            /* after the end: wait for q */
    bool offline;         /* there is no program: only a snapshot will be shown */
    Output *output;       /* may be NULL */
    const Config *config; /* may be NULL; remains the caller's and must live until app_free */
} AppOptions;

/* Returns NULL: no memory. `output` stays the caller's. */
App *app_new(const AppOptions *options);
void app_free(App *app);

/* Returns the model to fill before app_fresh; all zeroes at first. */
Model *app_model(App *app);
Ui *app_ui(App *app);

/* Gives panels the fresh model, from which they take what they keep. `now`: clock for notices,
 * nanoseconds. While ui.frozen, neither call this nor fill the model; app_seen is the exception. */
void app_fresh(App *app, uint64_t now);
/* Sets the program's state, shown even while frozen. */
void app_seen(App *app, LmpSeen seen);

/* Shows the panels of a heap snapshot over those of the program, until escape; the snapshot stays
 * the caller's, and stays in the model. Answers the wish (Ui.wish), if there is one. */
void app_show_snapshot(App *app, OpenedSnapshot *heap);
/* Offers a snapshot: enter or S opens it while its notice stands. If somebody waits for the
 * snapshot, opens it at once. */
void app_offer_snapshot(App *app);
/* Offers to take a snapshot: there is none to answer Ui.wish. */
void app_offer_taking(App *app);
/* Tells that the snapshot asked for does not come. */
void app_no_snapshot(App *app);

/* Returns how many lines a snapshot could tell of: `wish`, that of the note first; 0: nothing to
 * find out. Not 0 only if the note names a table that grows, and it is not known who holds that. */
int app_unproven(App *app, UiWish wish[UI_PROOFS]);

/* Handles a key, or the mouse in cells of the screen. */
void app_event(App *app, Event event);

/* Applies a setting of the configuration that has changed, if it is one of the display. */
void app_configured(App *app, const char *name);

/* Shows a notice in the footer for some seconds; an empty one removes the present notice. */
void app_say(App *app, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Returns true if the mere passing of time will change something (a notice to remove, a panel that
 * has not seen everything yet). */
bool app_restless(const App *app);

/* Draws the screen over the whole canvas. `now` as in app_fresh. */
void app_draw(App *app, Canvas *canvas, uint64_t now);

/* Returns the LEDGER_* parts that the panels of the last repaint need. */
unsigned app_parts(const App *app);
/* Returns true if the model has these parts. */
bool app_has_parts(const App *app);

/* Returns, for tests, a panel's inside in the last repaint (w 0: not shown). */
Rect app_where(const App *app, const Panel *panel);

#endif
