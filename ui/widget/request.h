/* request.h - what the display asks of the outside: of the program, the terminal, files. A panel or
 * app.c puts a request; the viewer takes it after the key or the repaint that caused it, and serves
 * it. A new kind is one row here and one function serve_NAME in viewer/viewer_requests.c. */
#ifndef LMP_REQUEST_H
#define LMP_REQUEST_H

#include <stdbool.h>
#include <stdint.h>

#include "shared/layout.h"

#define REQUEST_PATH 4096 /* bytes of a file's name */
#define REQUEST_LINE 512  /* bytes of a line typed to the program */

/* X(kind, name, answered), in the order in which they are served. `answered`: the program will
 * answer, so the viewer looks often until it has. */
#define REQUEST_TABLE(X)                                                                           \
    X(REQUEST_QUIT, quit, false)                                                                   \
    X(REQUEST_SEND, send, false) /* .line, to the program's input */                               \
    X(REQUEST_INTERRUPT, interrupt, false)                                                         \
    X(REQUEST_SUSPEND, suspend, false)                                                             \
    X(REQUEST_SAVE, save, false)                   /* a picture of the screen */                   \
    X(REQUEST_OPEN, open, false)                   /* .file, in the person's editor */             \
    X(REQUEST_OPEN_SNAPSHOT, open_snapshot, false) /* opens the newest snapshot, for Ui.wish */    \
    X(REQUEST_PROGRAMS, programs, false)           /* lists them in Ui.programs */                 \
    X(REQUEST_OTHER, other, false)                 /* .other: shows that program */                \
    X(REQUEST_REMEMBER, remember, false)           /* .remember, in the config file */             \
    X(REQUEST_TIME, time, false)                   /* .time: another moment is to be shown */      \
    X(REQUEST_REDRAW, redraw, false)                                                               \
    X(REQUEST_MOUSE, mouse, false)  /* on or off, as Ui.mouse says now */                          \
    X(REQUEST_PAUSE, pause, true)   /* .pause, or resume */                                        \
    X(REQUEST_BREAKS, breaks, true) /* Ui.breaks is the list of conditions from now on */          \
    X(REQUEST_LOCALS, locals, true) /* of the paused operation's frame .frame */                   \
    X(REQUEST_INSIDE, inside, true) /* .inside: what is in a value of the paused operation */      \
    X(REQUEST_STEP, step, true)     /* .steps operations: several requests add up */               \
    X(REQUEST_COLLECT, collect, true)                                                              \
    X(REQUEST_REFRESH, refresh, false)  /* new figures, by Ui.marks as they are now */             \
    X(REQUEST_SNAPSHOT, snapshot, true) /* of the heap; .collect: all garbage first */             \
    X(REQUEST_RECORD, record, false)    /* begins a recording, or ends the one that runs */        \
    X(REQUEST_MARK, mark, true)                                                                    \
    X(REQUEST_SINCE, since, false)    /* .since: what was made in it and lives */                  \
    X(REQUEST_MEMORY, memory, false)  /* what Lua counts: it answers some time */                  \
    X(REQUEST_PREVIEW, preview, true) /* .preview: what is in these strings and tables */

typedef enum RequestKind {
#define REQUEST_ENUM(kind, name, answered) kind,
    REQUEST_TABLE(REQUEST_ENUM)
#undef REQUEST_ENUM
        REQUESTS
} RequestKind;

/* Which moment is to be shown, of a recording or of the program's past. */
typedef enum TimeWhat {
    TIME_NOW,   /* the program's present; the recording's end */
    TIME_GO,    /* to .ns since the start */
    TIME_EVENT, /* to the event at .ns */
    TIME_MOVE,  /* by .ns */
    TIME_STEP,  /* by .steps frames */
    TIME_MARK,  /* to the mark before (.steps -1) or after (1) */
    TIME_CYCLE, /* the same with the collector's cycles */
    TIME_FIND,  /* to what .text says */
    TIME_PLAY,  /* plays, or stops */
    TIME_FASTER,
    TIME_RANGE, /* begins a range, ends it */
    TIME_SPAN,  /* the range from .ns to .to */
    TIME_NO_RANGE
} TimeWhat;

typedef struct TimeWish {
    TimeWhat what;
    int steps;
    int64_t ns, to;
    char text[REQUEST_LINE];
} TimeWish;

/* Which live blocks tables show. */
typedef struct SinceWish {
    enum {
        SINCE_BEGIN, /* remember which are there now ... */
        SINCE_SHOW,  /* ... show those that have come since, too */
        SINCE_PIECE, /* show those made from .from to .to */
        SINCE_END
    } what;
    uint64_t from, to; /* nanoseconds since start */
} SinceWish;

typedef struct Request {
    RequestKind kind;
    union {
        bool pause;
        bool collect;
        uint32_t steps;
        uint32_t frame;
        LmpInsideWish inside;
        TimeWish time;
        SinceWish since;
        struct {
            uint32_t count;
            bool whole; /* to compare them: LmpPreview.hash */
            uint64_t addr[LMP_PREVIEWS];
        } preview;
        struct {
            char path[REQUEST_PATH];
            int line;
        } file;
        struct {
            char name[32], value[160]; /* "": no longer set */
        } remember;
        struct {
            uint32_t pid, serial;
        } other;
        char line[REQUEST_LINE]; /* with its newline */
    };
} Request;

/* Pending requests, at most one of a kind: a newer one replaces the older. */
typedef struct Requests {
    uint32_t waiting; /* bit per RequestKind */
    Request of[REQUESTS];
} Requests;

void request_put(Requests *requests, const Request *request);
/* Asks for another moment. */
void request_time(Requests *requests, TimeWhat what, int64_t ns, int steps);
/* Puts a request without arguments. */
void request_put_kind(Requests *requests, RequestKind kind);
bool request_waits(const Requests *requests, RequestKind kind);
/* Takes the next request off the list; it stays valid until another of its kind is put. Returns
 * NULL: there is none. */
const Request *request_take(Requests *requests);

#endif
