/* app.h - the display without a terminal: its state, what keys do to it, and how it is drawn. What
 * it wants of the outside (the program, the terminal, files) it puts as a request (request.h).
 */
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
    Output *output;       /* may be NULL */
    const Config *config; /* may be NULL; stays the caller's, until app_free */
} AppOptions;

/* NULL: no memory. `output` stays the caller's. */
App *app_new(const AppOptions *options);
void app_free(App *app);

/* The model to fill before app_fresh; all zeroes at first. */
Model *app_model(App *app);
Ui *app_ui(App *app);

/* The model is fresh: panels take from it what they keep. `now`: clock for notices, nanoseconds.
 * Not to be called, nor the model to be filled, while ui.frozen, but see app_seen. */
void app_fresh(App *app, uint64_t now);
/* The program's state, which is shown also while frozen. */
void app_seen(App *app, LmpSeen seen);

/* A key, or the mouse in cells of the screen. */
void app_event(App *app, Event event);

/* Shows a notice in the footer for some seconds. */
void app_say(App *app, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Is there something that the passing of time alone will change (a notice to take away, a panel
 * that has not seen all yet)? */
bool app_restless(const App *app);

/* Draws a frame over the whole canvas. `now` as in app_fresh. */
void app_draw(App *app, Canvas *canvas, uint64_t now);

/* The LEDGER_* parts that the panels of the last frame need. */
unsigned app_parts(const App *app);
/* Has the model what they need? */
bool app_has_parts(const App *app);

/* For tests and panels' own tests: where a panel's inside was in the last frame (w 0: nowhere). */
Rect app_where(const App *app, const Panel *panel);

#endif
