/* action.h - everything a person can do, one row each: the keys, the footer, the help and the
 * dispatch derive from this table. A new action is one row here and one case in the code that does
 * it. */
#ifndef LMP_ACTION_H
#define LMP_ACTION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A key: a code point, a control code ('\t', 27, 'L' & 31 ...), or one of these. */
typedef uint32_t Key;
enum {
    K_NONE = 0,
    K_TAB = 9,
    K_ENTER = 13,
    K_ESC = 27,
    K_BACKSPACE = 127,
    K_UP = 0x110000,
    K_DOWN,
    K_LEFT,
    K_RIGHT,
    K_PAGE_UP,
    K_PAGE_DOWN,
    K_HOME,
    K_END,
    K_DELETE,
    K_BACK_TAB,
    K_F1,
    K_SHIFT_LEFT,
    K_SHIFT_RIGHT,
    K_RESIZE, /* the terminal has a new size */
    K_MOUSE,  /* see Event */
};
#define K_CTRL(c) ((Key)((c)&31))

/* What the mouse did. */
typedef enum MouseWhat {
    MOUSE_CLICK,
    MOUSE_DOUBLE,
    MOUSE_WHEEL_UP,
    MOUSE_WHEEL_DOWN,
    MOUSE_RELEASE /* the button, where it is let go */
} MouseWhat;

typedef struct MouseEvent {
    MouseWhat what;
    int x, y; /* cells, of the screen or of the receiver's rectangle */
} MouseEvent;

/* Everything that comes from a person. */
typedef struct Event {
    Key key;          /* K_NONE: there was nothing */
    MouseEvent mouse; /* of K_MOUSE */
} Event;

typedef enum ActionGroup {
    GROUP_PROGRAM, /* what reaches the profiled program */
    GROUP_TIME,    /* which moment is shown: of a recording, or of the program's past */
    GROUP_DISPLAY,
    GROUP_MOVE,
    GROUP_TABLES,
    GROUP_KINDS,
    GROUPS
} ActionGroup;
extern const char *const action_group_title[GROUPS];

/* X(action, group, footer priority (0: not in the footer, 1: last to go), key 1, key 2, key as
 * shown, footer label, label while it is "on" (NULL: the same), help (NULL: see the row of another
 * action)).
 *
 * app_keys.c does the action, or the focused panel if app_keys.c does not know it. */
/* clang-format off */
#define ACTION_TABLE(X)                                                                            \
    X(ACT_PAUSE, GROUP_PROGRAM, 2, ' ', 0, "space", "pause", "resume",                             \
      "pause the program in its next memory operation; again: resume")                             \
    X(ACT_STEP, GROUP_PROGRAM, 3, 'n', 0, "n", "step", NULL,                                       \
      "while paused: one memory operation; held down: slow motion")                                  \
    X(ACT_FRAME_BACK, GROUP_TIME, 43, ',', 0, ", .", "frame", NULL,                                 \
      "a frame of the recording back, on")                                                         \
    X(ACT_FRAME_ON, GROUP_TIME, 0, '.', 0, ".", NULL, NULL, NULL)                                  \
    X(ACT_MARK_BEFORE, GROUP_TIME, 44, '[', 0, "[ ]", "mark", NULL, "to the mark before, after")    \
    X(ACT_MARK_AFTER, GROUP_TIME, 0, ']', 0, "]", NULL, NULL, NULL)                                \
    X(ACT_CYCLE_BEFORE, GROUP_TIME, 45, '{', 0, "{ }", "gc", NULL,                                 \
      "to the end of the collector's cycle before, after")                                         \
    X(ACT_CYCLE_AFTER, GROUP_TIME, 0, '}', 0, "}", NULL, NULL, NULL)                               \
    X(ACT_GO_TO, GROUP_TIME, 40, ':', 0, ":", "go to", NULL,                                        \
      "to a moment: 12:30, -5m, +30s, 50%, peak, end, a mark's name, or words of the output")      \
    X(ACT_RANGE, GROUP_TIME, 41, 'V', 0, "V", "range", "end range",                                 \
      "begin a range, end it: tables show what was made, freed and grew in it; x: no range")       \
    X(ACT_SPEED, GROUP_TIME, 42, 'P', 0, "P", "pace", NULL,                                        \
      "space plays and stops; P: 1, 2, 10, 100 times as fast")                                     \
    X(ACT_FAR_BACK, GROUP_TIME, 0, K_SHIFT_LEFT, 0, "shift-arrows", NULL, NULL,                    \
      "in the timeline: a tenth of the run back, on; left and right alone: 5 s")                   \
    X(ACT_FAR_ON, GROUP_TIME, 0, K_SHIFT_RIGHT, 0, "shift-right", NULL, NULL, NULL)                \
    X(ACT_FREEZE, GROUP_DISPLAY, 20, 'z', 0, "z", "freeze", "thaw",                                \
      "freeze only the display; the program runs on")                                              \
    X(ACT_NEXT_PANEL, GROUP_DISPLAY, 9, K_TAB, 0, "tab", "panel", NULL,                            \
      "next panel; shift-tab: the one before")                                                     \
    X(ACT_PREV_PANEL, GROUP_DISPLAY, 0, K_BACK_TAB, 0, "shift-tab", NULL, NULL, NULL)              \
    X(ACT_PANEL_NUMBER, GROUP_DISPLAY, 0, 0, 0, "0 to 9", NULL, NULL,                              \
      "the panel of that number; again: enlarge, shrink")                                          \
    X(ACT_ENTER, GROUP_DISPLAY, 8, K_ENTER, '\n', "enter", "look inside", NULL,                    \
      "look inside (the blocks of a cell, the page of a line), or enlarge")                        \
    X(ACT_WHY, GROUP_DISPLAY, 26, 'w', 0, "w", "why", NULL,                                         \
      "to the evidence of what the line under the header says; on a block, the page of a line, and "   \
      "anything in a snapshot: why it is alive")                                    \
    X(ACT_NEXT_VERDICT, GROUP_DISPLAY, 0, 'W', 0, "W", NULL, NULL,                                 \
      "the next thing that there is to say")                                                       \
    X(ACT_BACK, GROUP_DISPLAY, 0, K_ESC, 0, "esc", "back", NULL, "back to where you came from; shrink")            \
    X(ACT_UP, GROUP_MOVE, 0, K_UP, 'k', "arrows hjkl", NULL, NULL, "move the cursor, scroll")      \
    X(ACT_DOWN, GROUP_MOVE, 0, K_DOWN, 'j', "down", NULL, NULL, NULL)                              \
    X(ACT_LEFT, GROUP_MOVE, 0, K_LEFT, 'h', "left", NULL, NULL, NULL)                                \
    X(ACT_RIGHT, GROUP_MOVE, 0, K_RIGHT, 'l', "right", NULL, NULL, NULL)                             \
    X(ACT_PAGE_UP, GROUP_MOVE, 0, K_PAGE_UP, 0, "PgUp PgDn", NULL, NULL, "a page at a time")       \
    X(ACT_PAGE_DOWN, GROUP_MOVE, 0, K_PAGE_DOWN, 0, "PgDn", NULL, NULL, NULL)                      \
    X(ACT_HOME, GROUP_MOVE, 0, K_HOME, 'g', "g Home End", NULL, NULL, "to the beginning, to the end")  \
    X(ACT_END, GROUP_MOVE, 0, K_END, 0, "End", NULL, NULL, NULL)                                   \
    X(ACT_ZOOM_IN, GROUP_MOVE, 17, '+', '=', "+ -", "zoom", NULL,                                  \
      "zoom at the cursor, down to single blocks; call tree: open, close")                         \
    X(ACT_ZOOM_OUT, GROUP_MOVE, 0, '-', '_', "-", NULL, NULL, NULL)                                \
    X(ACT_MAKES, GROUP_TABLES, 6, 'G', 0, "G", "holds", "makes",                                   \
      "what the program holds, or what it makes: tables, tree, callers, bars and heat")            \
    X(ACT_FILTER, GROUP_TABLES, 10, '/', 0, "/", "filter", NULL,                                    \
      "show only rows with the words typed; enter keeps that, esc clears it")                      \
    X(ACT_NEXT_MATCH, GROUP_TABLES, 5, 0, 0, "n N", "match", NULL,                                 \
      "to the next of what / has found and lit up (in help, output, source, call tree; while the " \
      "program is paused n steps), to the one before")                                                        \
    X(ACT_MATCH_BEFORE, GROUP_TABLES, 0, 'N', 0, "N", NULL, NULL, NULL)                            \
    X(ACT_SORT_LEFT, GROUP_TABLES, 11, '<', 0, "< >", "sort", NULL,                                \
      "sort by the column to the left, to the right")                                              \
    X(ACT_SORT_RIGHT, GROUP_TABLES, 0, '>', 0, ">", NULL, NULL, NULL)                              \
    X(ACT_REVERSE, GROUP_TABLES, 21, 'O', 0, "O", "reverse", NULL,                                 \
      "reverse the order")                                                                         \
    X(ACT_COLUMNS, GROUP_TABLES, 29, '|', 0, "|", "columns", NULL,                                 \
      "choose the columns of the table; they are kept for the next time")                          \
    X(ACT_EDIT, GROUP_TABLES, 12, 'e', 0, "e", "edit", NULL,                                       \
      "open the line in $VISUAL or $EDITOR")                                                       \
    X(ACT_INVERT, GROUP_TABLES, 15, 'I', 0, "I", "invert", "callees",                              \
      "call tree: upside down, from what allocates to its callers")                                \
    X(ACT_HOTTEST, GROUP_TABLES, 16, '*', 'E', "*", "hottest path", NULL,                          \
      "call tree, dominators: open the path of most bytes below the cursor")                                   \
    X(ACT_FLAME, GROUP_TABLES, 34, 'F', 0, "F", "flame", "tree",                                   \
      "call tree: as a flame graph, each frame as wide as its share; again: as a tree")            \
    X(ACT_WIDTH, GROUP_TABLES, 31, '%', 0, "%", "width", NULL,                                     \
      "flame graph: what widths are of: live, made, temporary, peak, blocks; since the mark")      \
    X(ACT_COLOUR, GROUP_TABLES, 32, 'T', 0, "T", "colours", NULL,                                  \
      "flame graph: coloured by what share still lives, by type, by change since the mark")        \
    X(ACT_SAME, GROUP_TABLES, 33, '#', 0, "#", "same", NULL,                                       \
      "flame graph: light up the same function everywhere")                                        \
    X(ACT_DELETE, GROUP_TABLES, 28, 'd', K_DELETE, "d", "delete", NULL,                            \
      "break conditions, marks: take one away")                                                    \
    X(ACT_STRING, GROUP_KINDS, 14, 's', 0, "s f u r t o", "types", NULL, "strings: show or hide")  \
    X(ACT_FUNCTION, GROUP_KINDS, 0, 'f', 0, "f", NULL, NULL, "functions, their prototypes and upvalues")\
    X(ACT_USERDATA, GROUP_KINDS, 0, 'u', 0, "u", NULL, NULL, "userdata and buffers")               \
    X(ACT_THREAD, GROUP_KINDS, 0, 'r', 0, "r", NULL, NULL, "threads (coroutines) and their stacks")\
    X(ACT_TABLE, GROUP_KINDS, 0, 't', 0, "t", NULL, NULL, "tables, their array and hash parts")    \
    X(ACT_OTHER, GROUP_KINDS, 0, 'o', 0, "o", NULL, NULL, "other: what has no owner")              \
    X(ACT_ALL, GROUP_KINDS, 0, 'a', 0, "a", NULL, NULL, "show all")                                \
    X(ACT_CLEAR, GROUP_KINDS, 0, 'c', 0, "c", NULL, NULL, "show none")                             \
    X(ACT_OWNER, GROUP_KINDS, 25, 'v', 0, "v", "by tag", "by owner",                               \
      "types by owner (whose memory it is) or by tag (as it was asked for); in lists of blocks and "    \
      "objects: one by one, or those together that are alike")                       \
    X(ACT_MARK, GROUP_PROGRAM, 18, 'm', 0, "m", "mark", NULL,                                      \
      "mark this moment: tables then show the change since")                                       \
    X(ACT_UNMARK, GROUP_PROGRAM, 27, 'x', 0, "x", "no mark", NULL,                                  \
      "tables show the change a second again; once more: since the last mark; in a snapshot: leave "   \
      "out the holder under the cursor")                     \
    X(ACT_SINCE, GROUP_PROGRAM, 35, 'y', 0, "y", "since now", "what came",                         \
      "since I did this: marks this moment; again: tables show what was made since and lives; "     \
      "once more (or esc): all again. A drag in the timeline shows it of a piece of the past")      \
    X(ACT_MARKS, GROUP_PROGRAM, 0, 'L', 0, "L", "marks", NULL,                                     \
      "the list of marks: enter counts from one, e names it, d takes it away")                     \
    X(ACT_PROGRAMS, GROUP_PROGRAM, 0, 'J', 0, "J", "programs", NULL,                               \
      "the profiled programs, such as a server's workers: enter shows another one")                \
    X(ACT_COLLECT, GROUP_PROGRAM, 19, 'C', 0, "C", "collect", NULL,                                \
      "ask for a full garbage collection")                                                         \
    X(ACT_SNAPSHOT, GROUP_PROGRAM, 7, 'S', 0, "S", "snapshot", NULL,                               \
      "a snapshot of the heap, lmp-PID-N.heap; asks once whether to collect garbage first")        \
    X(ACT_SNAPSHOT_HOW, GROUP_PROGRAM, 0, 'A', 0, "A", NULL, NULL,                                 \
      "a snapshot, and asks anew whether S is to collect garbage first")                           \
    X(ACT_RECORD, GROUP_PROGRAM, 30, 'R', 0, "R", "record", "end recording",                       \
      "record this run into lmp-PID.lmprec, for lmp replay; again: end that")                      \
    X(ACT_BREAK, GROUP_PROGRAM, 13, 'b', 0, "b", "break", "add",                                   \
      "conditions to pause at, or to take snapshots: a size, a line, a type, a new peak, a cycle")  \
    X(ACT_INPUT, GROUP_PROGRAM, 22, 'i', 0, "i", "input", NULL, "type a line to the program")      \
    X(ACT_SAVE, GROUP_DISPLAY, 23, 'p', 0, "p", "picture", NULL,                                   \
      "save a picture of the screen, lmp-PID-N.svg")                                               \
    X(ACT_MOUSE, GROUP_DISPLAY, 24, 'M', 0, "M", "mouse off", "mouse on",                          \
      "mouse off (to select text) or on")                                                          \
    X(ACT_SETTINGS, GROUP_DISPLAY, 0, ';', 0, ";", NULL, NULL,                                      \
      "settings that are kept for the next time: colours, rate, mouse, what is shown first")       \
    X(ACT_REDRAW, GROUP_DISPLAY, 0, K_CTRL('L'), 0, "ctrl-L", NULL, NULL, "draw the screen anew")  \
    X(ACT_INTERRUPT, GROUP_PROGRAM, 0, K_CTRL('C'), 0, "ctrl-C", NULL, NULL,                       \
      "interrupt the program (in lmp top: quit)")                                                  \
    X(ACT_SUSPEND, GROUP_PROGRAM, 0, K_CTRL('Z'), 0, "ctrl-Z", NULL, NULL,                         \
      "suspend to the shell; fg brings both back")                                                 \
    X(ACT_HELP, GROUP_DISPLAY, 4, '?', K_F1, "?", "help", "close help", "this help")               \
    X(ACT_QUIT, GROUP_DISPLAY, 1, 'q', 'Q', "q", "quit", NULL,                                     \
      "back out of a page; else quit the display: the program runs on; Q: quit from anywhere")
/* clang-format on */

typedef enum Action {
    ACT_NONE,
#define ACTION_ENUM(action, ...) action,
    ACTION_TABLE(ACTION_ENUM)
#undef ACTION_ENUM
        ACTIONS
} Action;

typedef struct ActionInfo {
    Action action;
    ActionGroup group;
    int priority; /* in the footer: 1 is the last to be dropped; 0: not there */
    Key key[2];
    const char *shown; /* the key, as people write it */
    const char *label; /* in the footer */
    const char *label_on;
    const char *help;
} ActionInfo;

extern const ActionInfo action_info[ACTIONS]; /* [ACT_NONE] is empty */

/* Returns the action of a key; ACT_NONE: none. For '0' .. '9' ACT_PANEL_NUMBER. */
Action action_of_key(Key key);
/* Returns the kind that an action toggles (ACT_STRING ... ACT_OTHER), or -1. */
int action_kind(Action action);

#endif
