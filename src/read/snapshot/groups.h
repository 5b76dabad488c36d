/* groups.h - the objects of a snapshot summed up: by class, type, line, call path, age. */
#ifndef LMP_SNAPSHOT_GROUPS_H
#define LMP_SNAPSHOT_GROUPS_H

#include "read/snapshot/snapshot.h"

typedef enum LmpSnapshotBy {
    LMP_BY_CLASS,
    LMP_BY_TYPE, /* LmpObjectKind */
    LMP_BY_LINE,
    LMP_BY_PATH, /* the call path that made them, from its end: only with stacks */
    LMP_BY_AGE,  /* tenths of the run */
    LMP_BYS
} LmpSnapshotBy;

typedef struct LmpObjectGroup {
    char name[120];    /* safe to print */
    uint32_t kind;     /* LmpObjectKind that most of its bytes have */
    uint32_t objects;  /* (count) */
    uint64_t size;     /* counted bytes of all */
    uint64_t retained; /* by each of them, nothing counted twice. What only several of them hold
                          together is not in it */
    uint32_t first;    /* members: member[first] to first + objects - 1, largest retained first */
} LmpObjectGroup;

typedef struct LmpObjectGroups {
    LmpObjectGroup *group; /* largest retained first */
    uint32_t groups;
    uint32_t *member;
    uint32_t *group_of; /* of each object; LMP_OBJECT_NONE: none (the root) */
} LmpObjectGroups;

/* Sums up the objects, without garbage, or, if wanted, only garbage. Error: NOMEM. */
LmpErr groups_make(LmpObjectGroups *out, const LmpSnapshot *s, LmpSnapshotBy by, bool garbage);
void groups_free(LmpObjectGroups *groups);

/* Sums for each row (row_of: of each object, from 1, 0: none) what all its objects retain together,
 * into retained[rows + 1]; retained[0] is what all rows do. Returns false: no memory, or stopped.
 */
bool groups_retained(const LmpSnapshot *s, const uint32_t *row_of, uint32_t rows,
                     uint64_t *retained);

/* ---- what is alike --------------------------------------------------------------------------- */

/* Strings of equal content, or tables with the same keys, put together; all others by class. */

typedef enum LmpLikeBy { LMP_LIKE_CONTENT, LMP_LIKE_KEYS } LmpLikeBy;

typedef struct LmpLike {
    char name[120]; /* safe to print */
    uint32_t object, objects,
        first;      /* one of them; they are member[first] to first + objects - 1 */
    uint32_t alike; /* 1: strings of one content, tables with the same keys */
    uint64_t size;  /* counted bytes of all */
} LmpLike;

typedef struct LmpLikes {
    LmpLike *row; /* what is alike first, most bytes first */
    uint32_t rows, alike;
    uint32_t *member; /* in the order that they came in */
} LmpLikes;

/* Groups members that are alike. Error: NOMEM (then *out is empty). */
LmpErr likes_make(LmpLikes *out, const LmpSnapshot *s, const uint32_t *member, uint32_t count,
                  LmpLikeBy by);
void likes_free(LmpLikes *likes);

#endif
