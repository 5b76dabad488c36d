/* app_state.h - the inside of App, for the files of this room only. */
#ifndef LMP_APP_STATE_H
#define LMP_APP_STATE_H

#include "app/app.h"
#include "app/panels.h"
#include "screen/line.h"

enum {
#define PANEL_INDEX(panel, set, slot, home) INDEX_OF_##panel,
    PANEL_TABLE(PANEL_INDEX)
#undef PANEL_INDEX
        APP_PANELS
};

typedef struct PanelRow {
    const Panel *panel;
    PanelSet set;
    Slot slot;
    bool home;
} PanelRow;
extern const PanelRow app_panels[APP_PANELS];

/* What the line, or the two lines, under the header show. */
typedef struct VerdictLine {
    const char *rule; /* of the verdict shown; NULL: none yet */
    uint32_t site;
    bool chosen;      /* chosen by a person: stays as long as it is true */
    Verdict last;     /* a copy, shown while it may become true again */
    uint64_t true_at; /* clock: when it was last true */
    bool tall;        /* the advice has a line of its own, until the size changes */
    int w, h;         /* of the screen then */
} VerdictLine;

/* A place outside of panels that responds to a click: it stands for a key or a panel. */
typedef struct Spot {
    int x, y, w;
    Key key;
    const Panel *panel; /* NULL: the key */
} Spot;
#define SPOTS 96

/* Whether S collects garbage before it takes a snapshot. */
typedef enum Collect { COLLECT_ASK, COLLECT_YES, COLLECT_NO } Collect;

/* The question in the footer. */
typedef enum Question {
    ASK_NOTHING,
    ASK_COLLECT, /* S: whether garbage is to be collected first */
    ASK_TAKE     /* w: whether to take a snapshot, for Ui.wish */
} Question;

/* What is open in the set that is not on the screen, as in Ui. */
typedef struct Side {
    const Panel *focus, *over, *before, *under[UI_UNDER];
    int unders;
    bool enlarged;
} Side;

struct App {
    Ui ui;
    Model model;
    PanelSet set; /* on the screen: SET_LIVE or SET_SNAPSHOT */
    Side other_side;
    bool live, hold;
    bool offline;        /* there is no program, only a snapshot */
    LmpSeen seen;        /* from the last app_seen; the model's may be frozen */
    bool stepping;       /* a step was requested since the last pause or resume by hand */
    bool want_pause;     /* a pause was requested and not withdrawn */
    uint64_t asked;      /* ... at this time, nanoseconds */
    bool ended;          /* FINISHED or KILLED: nothing more can be requested of the program */
    const Panel *bottom; /* shown in the bottom slot */
    bool lent_bottom;    /* the pause put the inspector there; what was there before: */
    const Panel *bottom_before;
    const Panel *focus_before;
    bool chose;           /* a person has chosen a panel */
    bool chose_bottom;    /* ... for the bottom slot */
    uint64_t output_seen; /* bytes of output when the panel was last on the screen */
    bool begun;           /* there has been a model */
    uint64_t marks_seen;
    uint64_t since_mark, since_before; /* ModelMarks.count_from while survivors are shown, before */
    uint64_t hit_seen;                 /* number of the operation whose break has been reported */

    /* the line being typed to the program */
    bool q_led_back; /* the last key was q, for "back" */
    bool typing;
    LineEdit input;

    LineEdit go_to;  /* the moment being typed */
    uint64_t moment; /* of the last model */

    VerdictLine verdict;
    LineFit heap_fit, rates_fit; /* of the header */

    Collect collect;
    Question question;
    bool taking;  /* a snapshot was asked for */
    bool awaits;  /* the next snapshot is to be opened, for `awaited` */
    bool answers; /* ... is there, and about to be opened */
    UiWish awaited;
    UiWish last_wish; /* the wish that the page `wished` is about */
    bool wished;      /* the snapshot's page on the screen was opened from a page of the program */
    bool offered;     /* the notice is of a snapshot, which enter opens */
    char notice[192];
    uint64_t notice_until; /* 0: none */

    ScreenPlan layout;
    void *state[APP_PANELS];
    Rect outer[APP_PANELS], inner[APP_PANELS]; /* last repaint; w 0: not on screen */
    int pressed, press_x,
        press_y;      /* where the button went down: the panel's row and one, 0: none */
    Spot spot[SPOTS]; /* of the last repaint */
    int spots;
};

/* Returns a panel's row, -1: it has none. */
int app_row(const Panel *panel);
/* Returns true if the panel belongs to the set on the screen. */
void app_choose_set(App *app, PanelSet set);
/* Bring the inspector to the bottom for a pause, and take it away again at its end, unless the
 * person chose a panel in between. */
void app_paused(App *app);
void app_resumed(App *app);
/* Chooses the bottom panel until the person does: the lines that make memory if they are known,
 * else what the program prints. */
void app_choose_bottom(App *app);
/* Give the keys to a panel that has a place of its own on the screen: this one, the next one by
 * `step` (1, -1), the one of that number (again: enlarged, shrunk). They close what is open over
 * others. */
void app_show(App *app, const Panel *panel);
void app_show_next(App *app, int step);
void app_show_number(App *app, int number);
/* Go to the next of what the key of survivors does; end the survivors: tables are as before. */
void time_since_next(App *app);
void time_since_end(App *app);
/* Closes what was opened last, shrinks what is enlarged, or ends the survivors. */
void app_back(App *app);

/* Draws the line under the header, row `y`: what most needs saying, and the way to its evidence. */
void verdict_draw(App *app, Canvas *canvas, Rect rect, int y);
/* Returns true if the advice needs a line of its own on a screen of that size, and there is
 * room. */
bool verdict_is_tall(App *app, int w, int h);
void verdict_open(App *app);
void verdict_next(App *app);

/* Returns true if a search is active in the panel that has the keys. */
bool app_seeks(const App *app);
/* Returns "has ended", or how else the program went. */
const char *app_end_words(const App *app);
/* Acts as if the key were pressed. */
void app_press(App *app, Key key);

/* app_mouse.c: */
void app_mouse(App *app, MouseEvent event);
/* Call while drawing: a click on the spot acts as the key, or shows the panel. Excess ones are
 * dropped. */
void app_spot(App *app, Spot spot);
/* Adds the spots of the keys that a line names (line_key), which is drawn at (x, y) in w
 * columns. */
void app_spot_line(App *app, const Line *line, int x, int y, int w);

/* Takes a snapshot; asks how first, if that is not known or `ask`. */
void question_snapshot(App *app, bool ask);
/* Tells that a snapshot is there. Returns true if somebody waits for it, so that it is opened. */
bool question_answered(App *app);
/* Makes the wish that the snapshot was taken for Ui.wish, when it is about to be shown. */
void question_opened(App *app, const OpenedSnapshot *heap);
/* Returns true if the key was an answer. */
bool question_key(App *app, Key key);
void question_draw(App *app, Canvas *canvas, Rect rect);

/* app_time.c: */
void time_new(App *app);
/* Returns true if the key chose another moment, or means nothing in the past. */
bool time_act(App *app, Action action);
/* Drops what was said of the former moment, if the model is of another one. */
void time_fresh(App *app);
/* Returns true if this action would do anything at the moment that is shown. */
bool time_offers(const App *app, Action action);
/* Returns the action's name in the footer; NULL: as always. Valid until the next call. */
const char *time_label(const App *app, const ActionInfo *info);
/* Returns true if the panel can show nothing of that moment; it then says why. */
bool time_hides(const App *app, const Panel *panel);
void time_draw_hidden(const Panel *panel, Canvas *canvas, Rect rect);

void header_draw(App *app, Canvas *canvas, Rect rect);
/* Adds the key of the help page, at the right end of a header. */
void header_add_help(Line *line);
/* Draws the header over a snapshot. */
void snapshot_header_draw(App *app, Canvas *canvas, Rect rect);
void footer_draw(App *app, Canvas *canvas, Rect rect);
/* Returns true if the action is in the list, which ends with ACT_NONE. */
bool footer_is_one_of(Action action, const Action *list);

#endif
