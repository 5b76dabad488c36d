/* app_state.h - the inside of App, for app.c, app_draw.c, header.c and footer.c only. */
#ifndef LMP_APP_STATE_H
#define LMP_APP_STATE_H

#include "app.h"

#define APP_PANELS 7

/* One row per panel (app.c). `home` panels take part in tab; others are opened by something. */
typedef struct PanelRow {
    const Panel *panel;
    Slot slot; /* SLOTS: over the whole body */
    bool home;
} PanelRow;
extern const PanelRow app_panels[APP_PANELS];

struct App {
    Ui ui;
    Model model;
    AppAsk ask;
    bool live, hold;
    LmpSeen seen;        /* as app_seen last said; the model's may be frozen */
    bool want_pause;     /* pausing was asked for and has not been taken back */
    bool ended;          /* FINISHED or KILLED: nothing can be asked of the program any more */
    bool looked;         /* keys since the end: enter no longer leaves */
    const Panel *bottom; /* shown in the bottom slot */
    bool lent_bottom;    /* the pause put the inspector there; before it was: */
    const Panel *bottom_before;
    const Panel *focus_before;
    bool chose; /* a person has chosen a panel */
    bool begun; /* a model has been there */
    uint64_t marks_seen;

    /* the line being typed to the program */
    bool typing;
    size_t typed;
    char text[APP_LINE];

    char notice[128];
    uint64_t notice_until; /* 0: none */

    Layout layout;
    void *state[APP_PANELS];
    Rect outer[APP_PANELS], inner[APP_PANELS]; /* last frame; w 0: not on screen */
};

/* The row of a panel, -1: none. */
int app_row(const Panel *panel);
/* Where the panels stand on a screen of w * h; fills app->layout, outer, inner. */
void app_arrange(App *app, int w, int h);

void header_draw(App *app, Canvas *canvas, Rect rect);
void footer_draw(App *app, Canvas *canvas, Rect rect);
/* May this action do anything now? What may not is not in the footer. */
bool footer_offers(const App *app, Action action);

#endif
