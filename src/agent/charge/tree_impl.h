/* tree_impl.h - what the files of tree.c share: the state of call paths. */
#ifndef LMP_TREE_IMPL_H
#define LMP_TREE_IMPL_H

#include <string.h>

#include "agent/charge/tree.h"
#include "agent/interp/frames.h"
#include "base/rowindex.h"
#include "base/slab.h"

enum {
    TREE_CHAIN = 256,      /* coroutines inside coroutines: C calls nest no deeper */
    TREE_CACHE_LEAST = 12, /* bits: a cache has 1 << that slots to begin with, */
    TREE_CACHE_STEP = 4,   /* so many more with each step, */
    TREE_CACHE_MOST = 16,  /* and at most */
    TREE_SHARED = 6,
    TREE_OUTSIDE = 16,    /* a power of two */
    TREE_RECENT = 32,     /* threads remembered by when they asked */
    TREE_DEATHS = 64,     /* of code, the last ones: a power of two */
    TREE_NODE_OTHERS = 1, /* row */
};

/* A frame of a side stack, as it was when it was last looked at. `under`: row of the caller's node
 * << 2 | flags of its own. `key`: of a C function what stands for it, else 0. `status`: the frame's
 * callstatus, mark included: while it is still the same, `under` is right. */
typedef struct LmpSideFrame {
    const LmpCallInfo *ci;
    uint64_t key;
    uint32_t under;
    LmpCallStatus status;
} LmpSideFrame;

/* The side stack of a thread, see tree.c. `frame[0]` is the bottom frame, which belongs to no
 * function and bears the node of the frame that resumed the thread; its ci is NO_CI until it
 * has been seen. The last frame is *top. */
typedef struct LmpSide {
    lua_State *L; /* NULL: free */
    LmpSideFrame *top, *end, *frame;
    struct LmpSide *next; /* of its bucket */
    size_t size;          /* of `frame`, bytes */
    uint32_t base;        /* node of the frame that resumed the thread; 0: none */
    uint32_t spare;
} LmpSide;

/* A thread that has resumed another one, or is thought to have. */
typedef struct LmpLink {
    lua_State *L;
    const LmpCallInfo *ci; /* its topmost frame */
    LmpSide *side;         /* was its side stack */
    size_t first;          /* while this link holds those before that one do */
} LmpLink;

/* Caches, each slot half a cache line or less. The node of a frame, under which those that it calls
 * are: */
typedef struct LmpNodeSlot {
    uint64_t key;
    uint32_t under, below; /* below: but for flags of their own */
} LmpNodeSlot;

/* The path of a Lua function's frame, when the record is of the line where it is: then the record
 * says which line that is, and nothing here ever becomes wrong. */
typedef struct LmpLinePathSlot {
    uint64_t who; /* of tree_who; 0: none */
    uint32_t path, spare;
} LmpLinePathSlot;

/* The path of any other frame: */
typedef struct LmpPathSlot {
    uint64_t key, who;
    uint32_t path, spare[3];
} LmpPathSlot;

/* Keys of frames: for a Lua function's its pc and the epoch, for a C function's its address. */
#define KEY_C (1ull << LMP_ADDRESS_BITS)
#define KEY_EPOCH (LMP_ADDRESS_BITS + 1)
#define KEY_MAIN KEY_C             /* bottom frame of the main thread */
#define KEY_COROUTINE (KEY_C | 1u) /* of others */

/* Returns what a node stands under and a record, in one word. */
static ALWAYS_INLINE uint64_t tree_who(uint32_t under, uint32_t record) {
    return (uint64_t)under << 32 | record;
}

#define NO_CI ((const LmpCallInfo *)1) /* the bottom frame's until it has been seen */

/* How much of a cache is in use. What is beyond is never touched; doubled when entries have evicted
 * others that are still valid a quarter as often as there are slots. */
typedef struct LmpCacheSize {
    uint32_t mask; /* slots, a power of two, less one */
    uint32_t pushed;
} LmpCacheSize;

struct LmpTree {
    /* As of the last entry: the thread that runs, by `links` links; `no_side`: not known. `alone`:
     * the same if there are no links, else `no_side`. */
    LmpSide *alone, *side;
    uint64_t epoch; /* << KEY_EPOCH: code that has died, and what it was: */
    struct {
        uintptr_t addr;
        size_t size;
    } died[TREE_DEATHS];
    LmpCacheSize node_size, line_size, path_size;
    uint32_t links;
    bool hidden; /* the main thread does not lead to all of them */
    LmpLink link[TREE_CHAIN];

    LmpSide main, no_side;
    LmpSide shared[1 << TREE_SHARED]; /* of shallow threads, by their address */
    LmpProfile *profile;
    lua_State *recent[TREE_RECENT]; /* hidden ones that asked, the last one first; NULL: none */
    LmpSide **bucket;
    uint32_t buckets, threads;
    LmpSlab slab;
    LmpRowIndex node, path;
    struct {
        uint32_t record, path;             /* record 0: none */
    } outside[TREE_OUTSIDE];               /* what tree_outside_path found, by record */
    uint32_t others_paths;                 /* rows of paths to "(others)": one for a record */
    uint32_t others_path[LMP_RECORDS_MAX]; /* by record; 0: none */
    _Alignas(64) LmpNodeSlot node_cache[1 << TREE_CACHE_MOST];
    _Alignas(64) LmpLinePathSlot line_cache[1 << TREE_CACHE_MOST];
    _Alignas(64) LmpPathSlot path_cache[1 << TREE_CACHE_MOST];
};

/* ---- tree_rows.c: rows of nodes and paths ---------------------------------------------------- */

LmpErr tree_rows_open(LmpProfile *p);
/* Return the row, TREE_NODE_OTHERS when there is no room. */
uint32_t tree_find_node(LmpProfile *p, uint32_t parent, uint32_t site, uint32_t flags);
uint32_t tree_find_path(LmpProfile *p, uint32_t node, uint32_t record);
/* Paths of one node: "(others)", "(unknown)"; tree.h has that of what is done outside. */
uint32_t tree_others_path(LmpProfile *p, uint32_t record);
uint32_t tree_unknown_path(LmpProfile *p, uint32_t record);

/* ---- tree_threads.c: threads and who runs ---------------------------------------------------- */

bool tree_threads_open(struct LmpTree *t);
void tree_threads_close(struct LmpTree *t);
/* Returns the side stack of a thread that was resumed by a frame of node `base`, made where there
 * is none; good until the next call. NULL: no memory. */
LmpSide *tree_side(LmpProfile *p, lua_State *L, uint32_t base);
bool tree_side_room(struct LmpTree *t, LmpSide *s, size_t frames); /* in all */
/* Makes the links that lead to the thread that runs when L asks. Returns that thread. */
lua_State *tree_find_running(LmpProfile *p, lua_State *L);

static ALWAYS_INLINE void tree_mark(const LmpCallInfo *ci, uint32_t status) {
    LmpCallStatus marked = (LmpCallStatus)(status | LMP_CI_SEEN);
    memcpy((char *)(uintptr_t)ci + LMP_AT_CI_STATUS, &marked, sizeof marked);
}

/* Returns the active thread that L, which has frames, has resumed; NULL: none. */
static inline lua_State *tree_resumed(const lua_State *L) {
    const lua_State *child = frames_resumed(L);
    return child && frames_is_active(child) ? (lua_State *)child : NULL; /* NOLINT */
}

static inline void tree_set_side(struct LmpTree *t, LmpSide *s) {
    t->side = s;
    t->alone = t->links ? &t->no_side : s;
}

/* ---- caches of call paths, which grow while they are too small ------------------------------- */

/* Slots are found by plain sums of addresses and rows, not by a hash that scatters: frames and
 * nodes that were made one after another are met one after another, and so are their slots then. */
#define SLOT_AT(cache, size, sum) (&(cache)[(sum) & (size).mask])
#define FIRST_SIZE                                                                                 \
    (LmpCacheSize) {                                                                               \
        .mask = (1u << TREE_CACHE_LEAST) - 1                                                       \
    }
static inline uint32_t tree_cache_slots(LmpCacheSize size) {
    return size.mask + 1;
}
/* Call when an entry evicts another one, which may still be right. Returns true if the cache has
 * grown, and its entries have to be moved. */
static inline bool tree_cache_pushed(LmpCacheSize *size) {
    if (++size->pushed < tree_cache_slots(*size) / 4) return false;
    size->pushed = 0;
    if (tree_cache_slots(*size) == 1u << TREE_CACHE_MOST) return false;
    size->mask = (tree_cache_slots(*size) << TREE_CACHE_STEP) - 1;
    return true;
}
_Static_assert(sizeof(LmpNodeSlot) == 16 && sizeof(LmpLinePathSlot) == 16 &&
                   sizeof(LmpPathSlot) == 32,
               "sizes of slots");

static ALWAYS_INLINE LmpNodeSlot *node_slot(struct LmpTree *t, uint64_t key, uint32_t under) {
    return SLOT_AT(t->node_cache, t->node_size, (key >> 2) + under);
}

static ALWAYS_INLINE LmpPathSlot *path_slot(struct LmpTree *t, uint64_t key, uint64_t who) {
    return SLOT_AT(t->path_cache, t->path_size, (key >> 2) + who + (who >> 32));
}

static ALWAYS_INLINE LmpLinePathSlot *line_slot(struct LmpTree *t, uint64_t who) {
    return SLOT_AT(t->line_cache, t->line_size, who + (who >> 32));
}

/* Call when a cache has grown: its entries go to their new slots. */
void tree_move_nodes(struct LmpTree *t);
void tree_move_lines(struct LmpTree *t);
void tree_move_paths(struct LmpTree *t);

#endif
