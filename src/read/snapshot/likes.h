/* likes.h - objects of a snapshot put together that are alike: strings of equal content, or tables
 * with the same keys; all others by their class. */
#ifndef LMP_SNAPSHOT_LIKES_H
#define LMP_SNAPSHOT_LIKES_H

#include "read/snapshot/snapshot.h"

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

/* Error: NOMEM (then it is empty). */
LmpErr likes_make(LmpLikes *out, const LmpSnapshot *s, const uint32_t *member, uint32_t count,
                  LmpLikeBy by);
void likes_free(LmpLikes *likes);

#endif
