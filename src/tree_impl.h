/* tree_impl.h - what the files of tree.c share: the state of call paths. */
#ifndef LMP_TREE_IMPL_H
#define LMP_TREE_IMPL_H

#include "rowindex.h"
#include "slab.h"
#include "tree.h"

enum {
    TREE_CHAIN = 256,       /* coroutines inside coroutines: C calls nest no deeper */
    TREE_NODE_CACHE = 2048, /* slots, powers of two */
    TREE_PATH_CACHE = 2048,
    TREE_RECENT = 32,     /* threads remembered by when they asked */
    TREE_NODE_OTHERS = 1, /* row */
};

/* A frame of a side stack. `bits` are its node's flags as far as they cannot change, for a Lua
 * function's frame; for a C function's SIDE_C and its site << 2, too. */
typedef struct LmpSideFrame {
    const LmpCallInfo *ci;
    uint32_t parent; /* node of the caller; of the outermost: LmpSide.base */
    uint32_t bits;
} LmpSideFrame;
#define SIDE_C (1u << 31)

/* The side stack of a thread, see tree.c. */
typedef struct LmpSide {
    lua_State *L;
    struct LmpSide *next; /* of its bucket */
    LmpSideFrame *frame;
    uint32_t n, room; /* frames */
    uint32_t base;    /* node of the frame that resumed the thread; 0: none */
    uint32_t spare;
} LmpSide;

/* A thread that has resumed another one, or is thought to have. */
typedef struct LmpLink {
    lua_State *L;
    const LmpCallInfo *ci; /* its topmost frame */
} LmpLink;

typedef struct LmpNodeSlot {
    uint64_t key;
    uint32_t parent, node;
} LmpNodeSlot;

typedef struct LmpPathSlot {
    uint64_t key;
    uint32_t parent, record, path;
    uint32_t spare[3]; /* to half a cache line */
} LmpPathSlot;

struct LmpTree {
    /* As of the last answer. While `asked` is a thread: it is the one that runs, by `links` links,
     * and `top` is the last frame of its side stack `side`. Else it is the tree itself. */
    const void *asked;
    const LmpSideFrame *top;
    uint64_t epoch; /* << KEY_EPOCH */
    uint32_t links;
    LmpSide *side;
    LmpLink link[TREE_CHAIN];

    LmpSide main, shared;           /* of the main thread; of any shallow one, L NULL: of none */
    lua_State *recent[TREE_RECENT]; /* hidden ones that asked, the last one first; NULL: none */
    LmpSide **bucket;
    uint32_t buckets, threads;
    LmpSlab slab;
    LmpRowIndex node, path;
    uint32_t others_paths;                 /* rows of paths to "(others)": one for a record */
    uint32_t others_path[LMP_RECORDS_MAX]; /* by record; 0: none */
    _Alignas(64) LmpNodeSlot node_cache[TREE_NODE_CACHE];
    _Alignas(64) LmpPathSlot path_cache[TREE_PATH_CACHE];
};

/* ---- tree_rows.c: rows of nodes and paths ---------------------------------------------------- */

LmpErr tree_rows_open(LmpProfile *p);
/* TREE_NODE_OTHERS when there is no room. */
uint32_t tree_find_node(LmpProfile *p, uint32_t parent, uint32_t site, uint32_t flags);
uint32_t tree_find_path(LmpProfile *p, uint32_t node, uint32_t record);
/* Paths of one node: "(others)", "(unknown)", what is done outside any function. */
uint32_t tree_others_path(LmpProfile *p, uint32_t record);
uint32_t tree_unknown_path(LmpProfile *p, uint32_t record);
uint32_t tree_outside_path(LmpProfile *p, uint32_t record);

/* ---- tree_threads.c: threads and who runs ---------------------------------------------------- */

bool tree_threads_open(struct LmpTree *t);
void tree_threads_close(struct LmpTree *t);
/* The side stack of a thread, made where there is none; good until the next call. NULL: no memory.
 */
LmpSide *tree_side(LmpProfile *p, lua_State *L);
/* Makes the links that lead to the thread that runs when L asks. Returns that thread. */
lua_State *tree_find_running(LmpProfile *p, lua_State *L);

static inline bool tree_has_frames(const lua_State *L) {
    const LmpCallInfo *ci = frames_top(L);
    return ci && frames_caller(ci);
}

static inline void tree_publish(uint32_t *count, uint32_t n) {
    atomic_thread_fence(memory_order_release);
    *(volatile uint32_t *)count = n;
}

#endif
