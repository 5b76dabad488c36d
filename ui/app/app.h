/* app.h - the display without a terminal: its state, what keys do to it, and how it is drawn.
 * Whatever it needs from outside (the program, the terminal, files) it puts as a request
 * (request.h). */
#ifndef LMP_APP_H
#define LMP_APP_H

#include "screen/layout.h"
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

/* NULL: no memory. `output` stays the caller's. */
App *app_new(const AppOptions *options);
void app_free(App *app);

/* The model to fill before app_fresh; all zeroes at first. */
Model *app_model(App *app);
Ui *app_ui(App *app);

/* The model is fresh: panels take from it what they keep. `now`: clock for notices, nanoseconds.
 * While ui.frozen, neither call this nor fill the model; app_seen is the exception. */
void app_fresh(App *app, uint64_t now);
/* The program's state, shown even while frozen. */
void app_seen(App *app, LmpSeen seen);

/* Shows the panels of a heap snapshot over those of the program, until escape; it stays the
 * caller's, and stays in the model. If there is a wish (Ui.wish), that is what is shown of it. */
void app_show_heap(App *app, OpenedHeap *heap);
/* There is a snapshot to be opened: enter or S does that while the notice of it stands. If somebody
 * waits for it, it is opened at once. */
void app_offer_heap(App *app);
/* There is none to answer Ui.wish: offers to take one. */
void app_offer_taking(App *app);
/* The one that was asked for does not come. */
void app_no_heap(App *app);

/* Does the note name a table that grows, and it is not known who holds that? Returns of how many
 * lines a snapshot could tell: `wish`, that of the note first; 0: there is nothing to find out. */
int app_unproven(App *app, UiWish wish[UI_PROOFS]);

/* A key, or the mouse in cells of the screen. */
void app_event(App *app, Event event);

/* That setting of the configuration has changed: holds from now on, if it is one of the display. */
void app_configured(App *app, const char *name);

/* Shows a notice in the footer for some seconds; an empty one takes away what is there. */
void app_say(App *app, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Will the mere passing of time change something (a notice to remove, a panel that has not seen
 * everything yet)? */
bool app_restless(const App *app);

/* Draws a frame over the whole canvas. `now` as in app_fresh. */
void app_draw(App *app, Canvas *canvas, uint64_t now);

/* The LEDGER_* parts that the panels of the last frame need. */
unsigned app_parts(const App *app);
/* Does the model have what they need? */
bool app_has_parts(const App *app);

/* For tests, the panels' own included: a panel's inside in the last frame (w 0: not shown). */
Rect app_where(const App *app, const Panel *panel);

#endif
