/* callfold.h - the call tree folded by function. The ledger's nodes are lines: a function that
 * calls others from five lines is five nodes. Here they are one *call* with these nodes as its
 * members, below the call of the function that called it; inverted, from each function that made
 * something to its callers.
 *
 * The calls below a call are made when they are first asked for, so a tree of a million nodes costs
 * what is looked at. What a call amounts to, its members say: a row of the call tree and a bar of
 * the flame graph sum up different figures. Nothing recurses. */
#ifndef LMP_CALLFOLD_H
#define LMP_CALLFOLD_H

#include "read/ledger/ledger.h"

#define CALL_ROOT 0u
#define CALL_NONE UINT32_MAX

typedef struct CallMember {
    uint32_t node; /* row of the ledger's tree; inverted: one that made something */
    /* Inverted: how far out the path of `node` has come. With `joined`: the node in which its
     * function was called from another one. Else: `node`. */
    uint32_t at;
} CallMember;

typedef struct Call {
    uint64_t key;             /* stays the same as long as the tree is of one program; never 0 */
    uint64_t value;           /* sum of CallFolding.value over its members */
    uint32_t function;        /* row in the ledger's functions; of the root CALL_NONE */
    uint32_t parent, depth;   /* of the root: itself, 0 */
    uint32_t first, children; /* the calls below it, when it is open */
    uint32_t first_member, members; /* inverted the root has none */
    bool open;
} Call;

/* The part of a node that is read again and again: the ledger's rows are large. */
typedef struct CallLink {
    uint32_t parent; /* row of the ledger's tree; with `joined` the nearest of another function */
    uint32_t function;
} CallLink;

typedef struct CallFolding {
    bool inverted;
    bool
        joined; /* what a function calls of itself is in the same call: recursion makes no ladder */
    /* By node: nodes without are left out (inverted: as makers). NULL: none are (those that made
     * nothing). Read until the next callfold_begin. */
    const uint64_t *value;
    uint32_t most; /* members in all calls; beyond that calls stay closed */
    /* Called for each member of a call that is being made, for sums: the ledger's rows are read in
     * their order here, and all over memory along member[]. Returns false: no memory. May be
     * NULL. */
    bool (*join)(void *of, uint32_t call, CallMember member);
    void *of;
} CallFolding;

typedef struct CallFold {
    const Ledger *ledger; /* NULL: none, or no memory */
    CallFolding how;
    Call *call;
    CallMember *member;
    CallLink *link; /* by node, see callfold_link */
    uint32_t *id;   /* by function: LmpFunctionRow.id, closer together than there */
    uint32_t calls, members;
    bool cut; /* a call was left closed: too many members */
    /* private */
    CallMember *queue; /* members of the calls that are being made */
    uint32_t *slot;    /* by function: its call + 1, among these */
    uint32_t queued, call_room, member_room, link_room, queue_room, slot_room, id_room;
    bool linked;
} CallFold;

/* Begins anew with a ledger, which must stay unchanged until the next call: forgets all calls but
 * the root. `fold`: all zeroes before the first time. Returns false: no memory.
 *
 * With a value or inverted it needs links of all nodes: whoever has begun calls callfold_link for
 * each node in order from 1, best while reading the rows for figures of its own. */
bool callfold_begin(CallFold *fold, const Ledger *ledger, const CallFolding *how);
void callfold_free(CallFold *fold);

static inline void callfold_link(CallFold *fold, uint32_t node) {
    const LmpTreeRow *row = &fold->ledger->tree[node];
    uint32_t up = row->parent; /* its row precedes this one */
    bool self = fold->how.joined && up && fold->link[up].function == row->function;
    fold->link[node] = (CallLink){self ? fold->link[up].parent : up, row->function};
}

/* Makes the calls below a call: Call.first, .children. Returns false: no memory. */
bool callfold_open(CallFold *fold, uint32_t call);

/* Return the keys of the root, and of a call by its function's LmpFunctionRow.id (or of anything
 * else that stands below a call, by larger numbers). */
uint64_t callfold_root_key(bool inverted);
uint64_t callfold_key(uint64_t above, uint64_t id);

#endif
