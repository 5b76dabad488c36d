/* panel.h - what a panel is. A panel is one file, and one row in the table of app/panels.h.
 *
 * For a repaint, app.c calls update() of every panel with a fresh model (not while frozen), then
 * draw() of those on screen. draw() gets only the inside of its border; title and border are
 * app.c's. A panel never touches the shared state or the terminal: it reads the model and puts
 * requests (request.h). The one exception: panels that show single blocks read the shadow map
 * through model->view (NULL in tests: then they show what they have). */
#ifndef LMP_PANEL_H
#define LMP_PANEL_H

#include "read/model/model.h"
#include "screen/action.h"
#include "screen/canvas.h"
#include "screen/config.h"
#include "screen/edit.h"
#include "screen/output.h"
#include "screen/theme.h"
#include "widget/request.h"

struct Panel;
struct Table;         /* table.h */
struct TablePanelDef; /* tablepanel.h */

/* The break conditions of this display. */
typedef struct UiBreaks {
    LmpBreak row[LMP_BREAKS];
    uint32_t count;
    uint32_t spent;  /* bit i: row i was to be met once, and has been */
    uint32_t sent;   /* sequence of the list as sent to the program (view_breaks); 0: never */
    bool taken_over; /* another display has since set its own */
} UiBreaks;

#define UI_UNDER 4 /* panels that are only opened over others, minus one */

/* What the program waits for, as far as it shows from outside while it runs. */
typedef struct UiWait {
    char words[72]; /* "sleeps (nanosleep)"; "": it does not wait, or not known */
    bool input;     /* the program reads a terminal */
    bool ours;      /* ... that receives lines typed here */
    bool busy;      /* on a processor, or in line for one */
} UiWait;

/* The recording of this run that is under way. */
typedef struct UiRecording {
    bool on;
    uint64_t seconds; /* since its beginning */
    uint64_t bytes;   /* of its file */
} UiRecording;

/* Objects of a snapshot that a page is about: a list of them, or one. */
typedef struct UiObjects {
    uint64_t serial;        /* of the OpenedSnapshot that they are in */
    uint64_t number;        /* one more with each page that is opened */
    const uint32_t *member; /* in the OpenedSnapshot's memory; NULL: the page is about one object */
    uint32_t count;         /* of member */
    uint32_t object;        /* that one; LMP_OBJECT_NONE: none */
    char name[160];         /* of the list */
} UiObjects;

/* A profiled program, as it was when the list was made. */
typedef struct UiProgram {
    uint32_t pid, serial, forked_from; /* as in LmpHeader */
    unsigned seen;                     /* LmpSeen */
    bool shown;                        /* the display shows it now */
    uint64_t live_bytes, elapsed;
    char name[64]; /* printable */
} UiProgram;

/* What a panel of the program asks of the newest snapshot. */
typedef struct UiWish {
    enum { WISH_NOTHING, WISH_BLOCK, WISH_LINE } what;
    uint64_t addr;  /* of the block */
    char line[160]; /* "cache.lua:12", as snapshot_site says it */
    uint32_t site;  /* Verdict.site that the answer is to prove; 0: none */
    uint64_t held;  /* bytes that it says are kept there */
} UiWish;

/* What a snapshot has shown of a table that a verdict's line grows. */
typedef struct UiProof {
    uint32_t site;            /* Verdict.site; 0: nothing is proven */
    char path[160];           /* to the holder, safe to print */
    uint64_t retained, clock; /* bytes; of the snapshot */
    uint32_t part, of;        /* `part` of `of` things made on the line are held so (counts) */
} UiProof;

#define UI_PROOFS 4

/* Which moment is shown, if it can be chosen: of a recording, or of a running program's past. Times
 * are nanoseconds since its start. */
typedef struct UiTime {
    bool can;            /* the moment can be chosen */
    bool replay;         /* there is only a recording, no program */
    bool past;           /* the moment is not the program's present; in a replay always */
    bool grows;          /* the recording is still being written */
    bool unended;        /* the recorder was killed: the recording's end is missing */
    uint64_t clock, end; /* the moment; the last one there is */
    uint32_t frame, frames;
    bool playing;
    unsigned speed; /* times real time */
    bool range,
        open; /* tables show what happened from `from` to `to`; open: the moment is its end */
    uint64_t from, to; /* from <= to */
    const Model
        *whole; /* as of `end`: the history and the marks of the whole run; NULL: the model */
} UiTime;

/* What all panels see and may change. */
typedef struct Ui {
    bool utf8;       /* else ASCII only: letters s f u r t o in the map, no braille */
    int colours;     /* 0 (monochrome), 8, 16 or 256; below 8 kinds are told by letters */
    bool mouse;      /* on */
    char error[256]; /* the message that the program ended with; "": none known */
    unsigned kinds;  /* bit per LmpKind: shown */
    bool makes;      /* tables show what the program makes, not what it holds */
    bool by_tag;     /* types by requested tag, not by owner */
    bool frozen;     /* the display, not the program */
    bool restless;   /* set while drawing: draw again soon, more will come */
    bool at_once;    /* set while drawing: draw again now; this repaint says what it waits for */
    bool enlarged;   /* the focused panel has the whole body */
    const struct Panel *focus; /* has the keys */
    const struct Panel *over;  /* opened over another by enter (blocks, help), NULL: none */
    const struct Panel
        *under[UI_UNDER]; /* `unders` panels that were open before it, the last one on top */
    int unders;
    const struct Panel *site_page; /* the panel that ui_open_site opens: app.c's */
    const struct Panel *before;    /* had the focus before anything was opened */
    uint64_t now;                  /* clock of this repaint, nanoseconds, any origin */
    Output *output;                /* what the program printed; NULL: not ours to show */
    bool can_type;                 /* a line can be sent to the program */
    UiWait wait;
    UiRecording recording;
    /* What enter on the heap map opened: panel_blocks lists the live blocks that start in
     * [look_from, look_to). */
    uint64_t look_from, look_to;
    bool look_site; /* or enter on a site's page: panel_blocks lists what this site made */
    uint64_t look_site_id;
    const Config *config;           /* the person's lasting choices; NULL: none */
    struct Sources *sources;        /* source files of the program; NULL: none can be shown */
    uint64_t site;                  /* id of the row in model->ledger that the site page shows */
    uint32_t function;              /* id of the function whose lines are shown */
    uint32_t tag;                   /* id of the tag whose lines are shown */
    char said[128];                 /* a notice for the footer, see ui_say */
    struct Table *columns_of;       /* whose columns the panel of columns shows */
    const struct Panel *help_of;    /* the panel that the help is about; NULL: none */
    const struct Table *help_table; /* its table; NULL: it has none */
    LineEdit *edit;                 /* the line being typed, of the focused panel; NULL: none */
    UiTime time;
    UiBreaks breaks;
    ModelMarks marks;          /* which marks are wanted; after a change REQUEST_REFRESH */
    char break_text[EDIT_MAX]; /* how the next condition to be typed begins */
    UiObjects members;         /* what panel_members lists */
    UiObjects why;             /* what panel_why explains */
    uint32_t object;           /* what panel_object shows */
    UiWish wish;               /* for the snapshot that is to be opened */
    UiProof proof[UI_PROOFS];  /* the newest first */
    bool has_snapshot;         /* this program has a snapshot to be opened */
    struct {
        const UiProgram *row;
        uint32_t count;
    } programs;        /* the viewer's, by REQUEST_PROGRAMS */
    Requests requests; /* for the viewer */
} Ui;

#define UI_SHOWS(ui, kind) (((ui)->kinds >> (unsigned)(kind)&1u) != 0)

/* A line of the program. */
typedef struct PanelPlace {
    const char *source, *short_src; /* as lua_Debug has them */
    int line;                       /* -1: no line, a C function or none at all */
    bool defined;                   /* a function's first line: nothing need be made there */
} PanelPlace;

typedef struct Panel {
    const char *title; /* "Heap map" */
    const char *about; /* what the panel shows, a sentence or two for its help. May be NULL */
    int number;        /* its key, 1 .. 9, 10: the key 0; 0: none */
    unsigned
        ledger; /* LEDGER_* parts of model->ledger that the panel needs while it is on screen */
    Action offers[14];    /* actions that not every panel has, for the footer; ends with ACT_NONE */
    const char *not_past; /* why the panel cannot show a moment of the past; NULL: it can */
    bool drags; /* the panel takes MOUSE_RELEASE of a button pressed in it, wherever it is let go */
    bool all_types; /* its rows combine all types: no keys for single ones */
    /* Bytes of the panel's own state, which is zero at first (0: none). Every call gets that state;
     * NULL: there is none, or no memory, and the panel must bear both. */
    size_t size;
    /* The panel is a table: its state begins with a TablePanel, and whichever of draw, act, mouse,
     * place and table is NULL is that of tables. NULL: the panel is none. */
    const struct TablePanelDef *def;
    /* Completes the fresh state. Returns false: no memory. May be NULL. */
    bool (*begin)(void *state);
    /* Frees what the state holds, but not the state. May be NULL. */
    void (*end)(void *state);
    /* Takes a fresh model. `rect`: where the panel was last drawn (w 0: not on screen). May be
     * NULL. */
    void (*update)(void *state, const Model *model, Ui *ui, Rect rect);
    /* Draws into rect; the canvas is clipped to it and blank. Must not change what the program
     * sees; may change `state` (scroll positions that no longer fit). */
    void (*draw)(void *state, const Model *model, Ui *ui, Canvas *canvas, Rect rect);
    /* Handles an action while the panel has the focus. Returns true: handled. May be NULL. Actions
     * that app_keys.c handles itself (pause, panels, filters ...) never come here, ACT_ENTER and
     * ACT_BACK come here first. */
    bool (*act)(void *state, const Model *model, Ui *ui, Action action, Rect rect);
    /* Handles a mouse event, positioned relative to the inside. Returns true: handled. May be
     * NULL. */
    bool (*mouse)(void *state, const Model *model, Ui *ui, MouseEvent event, Rect rect);
    /* Writes the text at the right of the border's upper line ("64 KiB/cell · ..."), at most size -
     * 1 bytes. May be NULL. */
    void (*note)(void *state, const Model *model, const Ui *ui, char *out, size_t size);
    /* Returns true if a search (search.h) is active in the panel. Then n goes to the next match
     * while the program is not paused. May be NULL. */
    bool (*seeks)(const void *state);
    /* Gives the place under the cursor, valid until the next refresh. Returns false: none. May be
     * NULL. */
    bool (*place)(void *state, const Model *model, const Ui *ui, PanelPlace *out);
    /* Returns the panel's table, if columns can be chosen. May be NULL. */
    struct Table *(*table)(void *state);
} Panel;

/* The rows of a panel whose file has its functions by these names. */
#define PANEL_OWN_CALLS                                                                            \
    .end = end, .draw = draw, .act = act, .mouse = mouse, .note = note, .place = place

bool panel_offers(const Panel *panel, Action action);

/* Returns the place of a site. */
PanelPlace panel_place_of(const LmpSiteRow *site);

/* Opens `panel` over the others and gives it the focus; if it is open already, closes what is over
 * it. */
void ui_open(Ui *ui, const Panel *panel);
/* Closes what was opened last (esc), and returns to what it was opened from. */
void ui_close(Ui *ui);
void ui_close_all(Ui *ui);
/* Opens the page of the site with this id. */
void ui_open_site(Ui *ui, uint64_t id);
/* Open the newest snapshot, from a panel of the program, and show there why this block is alive, or
 * what a line has made. */
void ui_ask_why_block(Ui *ui, uint64_t addr);
void ui_ask_why_line(Ui *ui, const char *short_src, int line);
/* Makes tables show a piece of time: in a recording the range, in a running program what was made
 * in the piece and lives now. */
void ui_show_piece(Ui *ui, uint64_t from, uint64_t to);
/* Shows a notice in the footer for some seconds. */
void ui_say(Ui *ui, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Opens a line of a source (as lua_Debug names it) in the person's editor, or says why not. */
void ui_open_source(Ui *ui, const char *source, int line);
/* Starts typing into a line of the focused panel; keeps its text. */
void ui_edit(Ui *ui, LineEdit *edit);

/* Makes the next condition to be typed begin with this line of the program. */
void ui_break_at(Ui *ui, const char *short_src, int line);
/* Returns how many break conditions are switched on. */
uint32_t ui_breaks_on(const Ui *ui);

/* A scrolling list, for panels that have one. Invariant after list_fit: cursor < count or both 0;
 * top <= cursor < top + page. */
typedef struct List {
    uint64_t cursor, top, count;
} List;
void list_fit(List *list, uint64_t count, int page);
/* Draws as many rows as fit into `rect`, one a line, with the cursor at its row, unless a line is
 * being typed (Ui.edit). Returns the lines of a page, which is at least one. */
typedef void ListRow(const Model *model, const Ui *ui, uint64_t row, Canvas *canvas, Rect line);
int list_draw(List *list, uint64_t count, ListRow *draw, const Model *model, const Ui *ui,
              Canvas *canvas, Rect rect);
/* Moves the cursor by an action. Returns false: not an action of lists. */
bool list_act(List *list, Action action, int page);

#endif
