/* members_alike.h - the table of a snapshot's objects that are alike, in place of the list of
 * single ones. */
#ifndef LMP_SNAPSHOT_MEMBERS_ALIKE_H
#define LMP_SNAPSHOT_MEMBERS_ALIKE_H

#include "read/snapshot/groups.h"
#include "widget/tablepanel.h"

typedef struct MembersAlike {
    TablePanel panel;
    LmpLikes likes;
    bool made;       /* `likes` are of `number` and `by` ... */
    uint64_t number; /* UiObjects.number */
    LmpLikeBy by;
    uint32_t entered; /* the row that enter was pressed on, and one more; 0: none */
} MembersAlike;

MembersAlike *members_alike_new(void); /* NULL: no memory */
void members_alike_free(MembersAlike *groups);
/* Returns true if the rows are made. */
bool members_alike_made(const MembersAlike *groups, const UiObjects *some, LmpLikeBy by);
/* Makes the rows, unless they are made. Returns false: no memory. */
bool members_alike_make(MembersAlike *groups, const LmpSnapshot *s, const UiObjects *some,
                        LmpLikeBy by);
/* Writes "12,041 objects · 312 contents". */
void members_alike_note(const MembersAlike *groups, const UiObjects *some, char *out, size_t size);

#endif
