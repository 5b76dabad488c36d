/* opened.h - the heap snapshot that a display has open, and what follows from it: its objects
 * summed up, what they amount to, what has changed since an earlier one. Each is made when it is
 * first asked for, and kept. */
#ifndef LMP_MODEL_OPENED_H
#define LMP_MODEL_OPENED_H

#include "read/snapshot/compare.h"
#include "read/snapshot/groups.h"
#include "read/snapshot/suspects.h"

typedef struct OpenedSnapshot {
    LmpSnapshot now;   /* the one that is shown */
    LmpSnapshot older; /* the one that it is compared with */
    bool compared;     /* there is an older one */
    LmpSnapshotSteps
        before; /* growth from still older ones up to `older`; without steps: there are none */
    bool ours;  /* `now` and `older` were opened here: opened_close closes them */
    LmpProgress *progress; /* who waits for what is made of it; NULL: nobody */
    bool stopped;          /* by him: nothing is made any more until the caller takes this back */
    uint64_t serial;       /* no two that are opened have the same */
    char file[4096];       /* the name of its file, as a person wrote it; "": none */

    /* private: */
    unsigned groups_made, compare_made, pages_made; /* a bit for each */
    bool suspects_made;
    LmpObjectGroups groups[LMP_BYS];
    LmpSnapshotCompare compare[LMP_BYS];
    LmpSuspectTable page[LMP_PAGES];
    LmpSuspects suspects;
} OpenedSnapshot;

/* Files of one program to open: `older` ones, the oldest first; the last of these is what `file` is
 * compared with. */
typedef struct OpenedFiles {
    const char *file, *const *older;
    uint32_t olders;       /* at most LMP_STEPS_MOST */
    LmpProgress *progress; /* who waits for it; NULL: nobody */
} OpenedFiles;

/* Opens them. On an error (STOPPED among them) *out is NULL, and `failed` says which of the files
 * it is about. To be closed by opened_close. */
LmpErr opened_open(OpenedSnapshot **out, const OpenedFiles *files, const char **failed);
/* Opens a newer file of the same program in the place of *heap, which becomes what it is compared
 * with; of what that was compared with remains how it has grown since. On an error *heap stays as
 * it is. */
LmpErr opened_next(OpenedSnapshot **heap, const char *file, LmpProgress *progress);
/* Opens snapshots in memory, for tests: they stay the caller's. NULL: no memory. */
OpenedSnapshot *opened_of(const LmpSnapshot *now, const LmpSnapshot *older);
void opened_close(OpenedSnapshot *heap);

/* Returns what is asked for; NULL: no memory (or, of compare, no older one). */
const LmpObjectGroups *opened_groups(OpenedSnapshot *heap, LmpSnapshotBy by);
const LmpSnapshotCompare *opened_compare(OpenedSnapshot *heap, LmpSnapshotBy by);
const LmpSuspectTable *opened_page(OpenedSnapshot *heap, LmpSuspectPage page);
const LmpSuspects *opened_suspects(OpenedSnapshot *heap);

/* Stand around what else is made of it and takes long. The first returns false if it was stopped
 * before: then nothing is to be begun; the second if it was stopped meanwhile: then nothing was
 * made. */
bool opened_begin(OpenedSnapshot *heap);
bool opened_end(OpenedSnapshot *heap);

/* Returns true if they have been made. If not, a large heap makes a person wait. */
static inline bool opened_has_groups(const OpenedSnapshot *heap, LmpSnapshotBy by) {
    return (heap->groups_made >> (unsigned)by & 1u) != 0;
}
static inline bool opened_has_compare(const OpenedSnapshot *heap, LmpSnapshotBy by) {
    return (heap->compare_made >> (unsigned)by & 1u) != 0;
}
static inline bool opened_has_page(const OpenedSnapshot *heap, LmpSuspectPage page) {
    return (heap->pages_made >> (unsigned)page & 1u) != 0;
}

#endif
