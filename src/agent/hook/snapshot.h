/* snapshot.h - taking a snapshot of the heap: when, by whom, into which file, and what becomes of
 * it. How the heap is walked is objects/walk.h.
 *
 * A child with a copy of the heap walks it and writes, while the program goes on; shadow map and
 * tables are frozen meanwhile (objects/freeze.h). Where that cannot be, the program stands while it
 * is done in place, and LmpSnapshotLive says why. Until the child has ended and everything is
 * merged, all operations take the slow path, and the slowest is noted. */
#ifndef LMP_HOOK_SNAPSHOT_H
#define LMP_HOOK_SNAPSHOT_H

#include "agent/objects/child.h"
#include "agent/objects/freeze.h"
#include "agent/objects/partfile.h"
#include "agent/objects/walk.h"
#include "agent/state/profile.h"

/* What is wanted. */
typedef struct LmpSnapshotWish {
    const char *file;   /* NULL, "" or with "/" at its end: a name is chosen there */
    LmpSnapshotHow how; /* no full collection comes first within an operation */
    bool in_place;      /* not by a child */
    uint32_t request;   /* LmpControl.snapshot, 0: the program's own */
} LmpSnapshotWish;

typedef struct LmpSnapshots {
    LmpErrand errand; /* to take `wish` */
    LmpSnapshotWish wish;
    char wanted[PARTFILE_PATH];    /* its file */
    char directory[PARTFILE_PATH]; /* where files go that say none, with "/" at its end */
    char at_end[PARTFILE_PATH];    /* a snapshot at the end of the profile; "": none */
    /* of the one being taken */
    LmpProfile *p;
    uint64_t begun; /* clock */
    LmpBeat *beat;  /* in the shared state */
    LmpObjectInfo info;
    LmpObjectHand hand;
    LmpObjectMemory memory;
    LmpObjectGraph graph;
    LmpLive *copy; /* in the child: the figures of that moment */
    bool in_child;
    PartFile file;
    LmpChild child;
    LmpFreeze freeze;
} LmpSnapshots;

/* Sets, at start, where files go. `at_end`: the file of one at the end, NULL or "": none; a second
 * state adds its number, a child of the program (`is_child`) its pid. */
void snapshot_attach(LmpProfile *p, const char *at_end, bool is_child);

/* Takes one now, or begins to; the state stands at an instruction or, with `hand`, within the
 * operation that this is. The result is in live->snapshot. Errors: BUSY (live->snapshot is another
 * one's); LAYOUT, FILE, NOMEM and those of the walk. */
LmpErr snapshot_take(LmpProfile *p, const LmpSnapshotWish *wish, const LmpObjectHand *hand);
/* Takes one at the next instruction. */
void snapshot_request(LmpProfile *p, const LmpSnapshotWish *wish);

/* Looks for a viewer's request. `paused`: within the operation in live->op. */
void snapshot_serve(LmpProfile *p, bool stack_safe, bool paused);
/* Takes the snapshot that waits for a place between two instructions of L. */
void snapshot_between(LmpProfile *p, lua_State *L);

/* Looks at the child, and merges when it has ended. */
void snapshot_tick(LmpProfile *p);
/* Notes how long an operation took, nanoseconds. */
void snapshot_note(LmpProfile *p, uint64_t ns);

/* Returns when none is under way any more, and all is merged: before figures become final. */
void snapshot_wait(LmpProfile *p);
/* Takes the snapshot that was wanted for the end. */
void snapshot_at_end(LmpProfile *p);
/* Call before the state's memory goes, and in a child that the program has forked. */
void snapshot_forget(LmpProfile *p);

#endif
