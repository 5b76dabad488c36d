/* app_play.h - keys and the mouse for the display, as a person would use them. */
#ifndef LMP_APP_PLAY_H
#define LMP_APP_PLAY_H

#include "app/app.h"
#include "app/panels.h"

static inline void play_key(App *app, Key key) {
    app_event(app, (Event){.key = key});
}

static inline void play_mouse(App *app, MouseWhat what, int x, int y) {
    app_event(app, (Event){.key = K_MOUSE, .mouse = {what, x, y}});
}

/* Does a request of this kind wait for the viewer? */
static inline bool play_asked(App *app, RequestKind kind) {
    return request_waits(&app_ui(app)->requests, kind);
}

#endif
