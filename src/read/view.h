/* view.h - a reader's mapping of a shared state: attach, check, read, and request.
 *
 * All pointers are into mappings that stay good until view_close, whatever the program does; their
 * contents are written by another process and may be anything (it may have died half-way), so every
 * count taken from them is checked by the functions here and must be checked by its users.
 */
#ifndef LMP_VIEW_H
#define LMP_VIEW_H

#include <stdbool.h>

#include "base/err.h"
#include "shared/layout.h"
#include "shared/tables.h"

typedef struct LmpView {
    int fd;
    uint64_t size; /* of the file, bytes */
    uint32_t pid;  /* of the program, in our namespace; 0: cannot be seen from here */
    int lock;      /* what holds our lock as a viewer, and one more; 0: nothing yet */
    int lock_pid;  /* the process that took it */
    bool borrowed; /* the mappings are not ours: view_open_whole */
    const LmpHeader *header;
    LmpControl *control; /* may be written, see the functions below */
    const LmpLive *live;
    const LmpOverflow *overflow;
    const LmpBeat *beat;                 /* NULL: not there (tests) */
    LmpTables tables;                    /* mapped read-only; text NULL: not there (tests) */
    uint32_t leaves;                     /* mapped so far */
    const LmpLeaf *leaf[LMP_MAX_LEAVES]; /* mapped so far */
    uint64_t leaf_base[LMP_MAX_LEAVES];  /* LMP_LEAF_WORD of each, checked */
} LmpView;

/* Maps the state in `fd` and checks it. The view owns fd from then on, also when this fails (it is
 * closed then). Errors: FOREIGN, VERSION, DAMAGED, NOMEM. The struct is large: do not put it on a
 * small stack. */
LmpErr view_open(LmpView *view, int fd);
void view_close(LmpView *view);

/* Returns the inode of a process's pid namespace, pid 0: ours; 0: not known. */
uint64_t view_pid_space(uint32_t pid);

/* For readers that keep more states than there may be descriptors: all of a state but its leaves,
 * mapped, VIEW_WHOLE bytes; the descriptor may be closed then. NULL: no state, or no memory. */
#define VIEW_WHOLE LMP_LEAVES_AT
void *view_whole(int fd);
/* Does the same as view_open for such a mapping, which stays the caller's; no requests are
 * possible. */
LmpErr view_open_whole(LmpView *view, void *whole);

/* Maps the leaves that were added since. Cheap when there are none. */
void view_refresh(LmpView *view);

/* Returns what the profiler itself takes of the program's resident set, bytes: the state's pages,
 * and as far as the system tells, what is in memory of its private tables. Takes a millisecond. */
uint64_t view_memory(const LmpView *view);

/* Makes a consistent copy of a group that carries a sequence number. Returns false if the writer is
 * in the middle of it (or died there); *out is then the best that could be had, still safe to read.
 * */
bool view_copy_history(const LmpView *view, LmpHistory *out);
bool view_copy_op(const LmpView *view, LmpOp *out);

/* Copies the last snapshot of the heap, or the one under way, as far as it is known: also where its
 * child is done and the program has not looked at it since. Texts end. */
bool view_copy_snapshot(const LmpView *view, LmpSnapshotLive *out);
/* Copies what became of an earlier snapshot. Returns false if that is not known any more. */
bool view_copy_snapshot_before(const LmpView *view, uint32_t number, LmpSnapshotLive *out);

/* Copies what the program has last said of its memory; its counts are in bounds. */
bool view_copy_told(const LmpView *view, LmpMemory *out);

/* Requests. They return at once; the program serves them in its next memory operation. */
void view_pause(LmpView *view, bool pause);
void view_step(LmpView *view, uint32_t operations);
void view_collect(LmpView *view);
/* Cancels collections that have not run yet. */
void view_collect_no_more(LmpView *view);
void view_mark(LmpView *view);
/* Asks for a snapshot of the heap, into this file (absolute; with "/" at the end: a name is chosen
 * there). Returns the request's number: LmpSnapshotLive.request is it from the beginning on, or
 * .busy, if another one was under way. 0: the name is too long. */
uint32_t view_snapshot(LmpView *view, const char *file, LmpSnapshotHow how);
/* Returns true if a later request has overwritten that one, before the program saw it. */
bool view_snapshot_overtaken(const LmpSnapshotLive *s, uint32_t request);
/* Cancels that one, if it has not begun. */
void view_snapshot_no_more(LmpView *view, uint32_t request);
/* Asks for what is in up to LMP_PREVIEWS blocks of strings and tables by address; `whole`: strings
 * are to be compared. view_preview_ready tells whether live->preview answers the last request. */
void view_preview(LmpView *view, const uint64_t *addr, uint32_t count, bool whole);
bool view_preview_ready(const LmpView *view);
/* Writes the list of break conditions (at most LMP_BREAKS; 0: none any more) in place of whatever
 * list was there, in the name of this process. Returns its sequence, which live->breaks.taken
 * equals once the program goes by it. */
uint32_t view_breaks(LmpView *view, const LmpBreak *row, uint32_t count);
/* Returns true if the list in force is the one that this process wrote. */
bool view_breaks_ours(const LmpView *view);
/* Returns the process that the program waits for, 0: none. */
uint32_t view_pauser(const LmpView *view);
/* Asks for the locals of another frame of the paused operation (index in LmpOp.frame). */
void view_locals(LmpView *view, uint32_t frame);
/* Asks for what Lua counts. Returns the request's number, which LmpMemory.done is then. */
uint32_t view_ask_memory(LmpView *view);
/* Asks what is in a value of the paused operation. view_copy_inside tells whether the last request
 * has been answered, and copies the answer: rows <= LMP_INSIDE_ROWS, texts end. */
void view_inside(LmpView *view, const LmpInsideWish *wish);
bool view_copy_inside(const LmpView *view, LmpInside *out);
/* Tells the hook the number of this repaint, so that touched parts of the map can be told. */
void view_next_frame(LmpView *view);

/* The state as a person would name it, process death included. */
typedef enum LmpSeen {
    LMP_SEEN_RUNNING,
    LMP_SEEN_PAUSED,
    LMP_SEEN_FINISHED,
    LMP_SEEN_KILLED
} LmpSeen;
/* Returns how long the profile has run, until now or until it ended (nanoseconds). */
uint64_t view_clock(const LmpView *view);
/* Says what is seen of the program. `alive`: whether the process is still there. */
LmpSeen view_seen(const LmpView *view, bool alive);

#endif
