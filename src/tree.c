/* tree.c - see tree.h.
 *
 * Each thread that has asked has a side stack: for each of its frames, outermost first, the node of
 * the frame's caller. As of the last walk, that is: since then frames may have gone and new ones
 * come, but those that are still there are its first ones, and they are those that still bear the
 * mark. So a walk goes from the topmost frame down to the first marked one, drops from the side
 * stack what is above it, and then goes up again over the new frames. What a frame called is told
 * by its saved pc, which stands still while the call lasts; only the topmost frame that is left has
 * moved on, so its own node is looked for anew. (A tail call replaces the function in a frame that
 * stays marked; it is a topmost frame then.)
 *
 * A coroutine's outermost frame hangs under the frame of the resume that ran it. The threads that
 * are running are found from the main thread on; which they were, and in which frame, is kept, and
 * as long as those frames are on top of their threads and marked nothing has changed below the last
 * one.
 *
 * Everything is looked for in direct-mapped caches first. A Lua frame's key there is its pc, which
 * stands for its function and line until the code is freed: `epoch` is part of the key, and another
 * one from then on. */
#include "tree.h"

#include <string.h>

#include "lines.h"
#include "os.h"
#include "tree_impl.h"

/* Keys of frames: a pc, or a C function's site, and the flags of the node. */
#define KEY_C (1ull << 47) /* addresses have 47 bits */
#define KEY_EPOCH 48
_Static_assert(LMP_NODE_TAIL == 1 && LMP_NODE_COROUTINE == 2, "flags fit below a pc");
_Static_assert(LMP_SITES_MAX << 2 < SIDE_C, "a site and the flags fit");

/* ---- frames ------------------------------------------------------------------------------------
 */

static COLD bool more_room(struct LmpTree *t, LmpSide *s, uint32_t n) {
    size_t got;
    LmpSideFrame *frame = slab_take(&t->slab, n * sizeof *frame, &got);
    if (!frame) return false;
    memcpy(frame, s->frame, s->n * sizeof *frame);
    slab_give(&t->slab, s->frame, s->room * sizeof *frame);
    s->frame = frame;
    s->room = (uint32_t)(got / sizeof *frame);
    return true;
}

static ALWAYS_INLINE bool is_marked(const LmpCallInfo *ci) {
    return frames_status(ci) & LMP_CI_SEEN;
}

static ALWAYS_INLINE void mark(const LmpCallInfo *ci) {
    uint16_t status = (uint16_t)(frames_status(ci) | LMP_CI_SEEN);
    memcpy((char *)(uintptr_t)ci + LMP_AT_CI_STATUS, &status, sizeof status);
}

/* Has the frame a Lua function with this instruction? In states that are being closed, and below
 * functions that died, frames may be left that have none. */
static bool is_sound(const LmpCallInfo *ci, uintptr_t pc) {
    const void *proto = frames_proto(frames_func(ci));
    if (!proto) return false;
    uint32_t size;
    memcpy(&size, (const char *)proto + LMP_AT_PROTO_SIZECODE, sizeof size);
    uintptr_t at = pc - frames_word(proto, LMP_AT_PROTO_CODE);
    return at <= size * (uintptr_t)4 && at % 4 == 0;
}

/* What tells a frame's node from others of the same caller. pc: of a Lua frame. */
static ALWAYS_INLINE uint64_t key_of(const struct LmpTree *t, const LmpSideFrame *f,
                                     unsigned status, uintptr_t pc) {
    uint64_t key = f->bits & SIDE_C ? KEY_C : t->epoch | pc;
    return key | f->bits | (status / LMP_CI_TAIL & 1);
}

/* The node of a frame by its key, past the cache; 0: it is not sound. */
static uint32_t node_of_frame(LmpProfile *p, lua_State *L, const LmpSideFrame *f, uint64_t key,
                              uintptr_t pc) {
    uint32_t site = (f->bits & ~SIDE_C) >> 2;
    if (!(f->bits & SIDE_C)) {
        if (!is_sound(f->ci, pc)) return 0;
        site = lines_frame_site(p, L, f->ci, pc);
    }
    return tree_find_node(p, f->parent, site, (uint32_t)key & (LMP_NODE_TAIL | LMP_NODE_COROUTINE));
}

static ALWAYS_INLINE uint32_t hash_key(uint64_t key, uint32_t parent) {
    return (uint32_t)(((key ^ (uint64_t)parent << 20) * 0x9e3779b97f4a7c15ull) >> 40);
}

/* The node of a frame that has called another one. */
static uint32_t caller_node(LmpProfile *p, lua_State *L, const LmpSideFrame *f) {
    struct LmpTree *t = p->tree;
    uintptr_t pc = frames_pc(f->ci);
    uint64_t key = key_of(t, f, frames_status(f->ci), pc);
    LmpNodeSlot *slot = &t->node_cache[hash_key(key, f->parent) % TREE_NODE_CACHE];
    if (LIKELY(slot->key == key && slot->parent == f->parent)) return slot->node;
    uint32_t node = node_of_frame(p, L, f, key, pc);
    if (node) *slot = (LmpNodeSlot){key, f->parent, node};
    return node;
}

/* Goes up over `fresh` new frames whose ci are already on the side stack, above s->n. False: one of
 * them is not sound; those below it stay. */
static bool go_up(LmpProfile *p, lua_State *L, LmpSide *s, uint32_t fresh) {
    uint32_t parent = s->n ? caller_node(p, L, &s->frame[s->n - 1]) : s->base;
    if (s->n && !parent) return false;
    for (;;) {
        LmpSideFrame *f = &s->frame[s->n];
        f->parent = parent;
        f->bits = s->n == 0 && p->tree->links ? LMP_NODE_COROUTINE : 0;
        if (frames_status(f->ci) & LMP_CI_C) {
            if (!frames_c_function(frames_func(f->ci))) return false;
            f->bits |= SIDE_C | lines_c_site(p, L, f->ci) << 2;
        }
        mark(f->ci);
        s->n++;
        if (--fresh == 0) return true;
        parent = caller_node(p, L, f);
        if (!parent) return false;
    }
}

typedef enum Walk { WALK_GOOD, WALK_UNSOUND, WALK_NO_ROOM } Walk;

/* Brings the side stack of a thread that has frames up to date. */
static Walk walk(LmpProfile *p, lua_State *L, LmpSide *s) {
    uint32_t fresh = 0, n = s->n;
    const LmpCallInfo *top = frames_top(L), *ci = top;
    for (;; ci = frames_caller(ci)) {
        if (is_marked(ci)) { /* also when it is not one of ours, then n gets 0 */
            while (n && s->frame[n - 1].ci != ci)
                n--;
            if (n) break;
        }
        if (!frames_caller(ci)) break; /* the bottom one belongs to no function */
        fresh++;
    }
    s->n = frames_caller(ci) ? n : 0;
    if (!fresh) return WALK_GOOD;
    if (s->n + fresh > s->room && !more_room(p->tree, s, s->n + fresh)) return WALK_NO_ROOM;
    ci = top;
    for (uint32_t i = s->n + fresh; i-- > s->n; ci = frames_caller(ci))
        s->frame[i].ci = ci;
    return go_up(p, L, s, fresh) ? WALK_GOOD : WALK_UNSOUND;
}

static bool links_hold(const struct LmpTree *t) {
    for (uint32_t i = 0; i < t->links; i++)
        if (frames_top(t->link[i].L) != t->link[i].ci || !is_marked(t->link[i].ci)) return false;
    return true;
}

/* ---- the way to a path -------------------------------------------------------------------------
 */

/* The node of the frame that runs in a thread that resumes another one; *good is not changed unless
 * something is wrong. */
static uint32_t resumer_node(LmpProfile *p, lua_State *L, LmpSide *s, Walk *good) {
    if (!tree_has_frames(L)) {
        mark(frames_top(L)); /* the link holds while it stays the bottom frame */
        return s->base;
    }
    *good = walk(p, L, s);
    if (*good != WALK_GOOD) return 0;
    uint32_t node = caller_node(p, L, &s->frame[s->n - 1]);
    if (!node) *good = WALK_UNSOUND;
    return node;
}

/* Finds the thread that runs when L asks and what it hangs under. */
static __attribute__((noinline)) Walk follow_links(LmpProfile *p, lua_State *L, LmpSide **side) {
    struct LmpTree *t = p->tree;
    t->asked = t;
    *side = NULL;
    lua_State *runs = tree_find_running(p, L);
    uint32_t links = t->links, base = 0;
    for (uint32_t i = 0; i <= links; i++) {
        lua_State *thread = i < links ? t->link[i].L : runs;
        LmpSide *s = tree_side(p, thread);
        if (!s) return WALK_NO_ROOM;
        if (s->base != base) { /* all its nodes are others now */
            s->base = base;
            s->n = 0;
        }
        if (i == links) {
            *side = s;
            break;
        }
        t->links = i; /* 0 for the main thread: its outermost frame is no coroutine's */
        Walk good = WALK_GOOD;
        base = resumer_node(p, thread, s, &good);
        t->links = links;
        if (good != WALK_GOOD) return good;
    }
    t->side = *side;
    if (runs == L) t->asked = L;
    return WALK_GOOD;
}

/* The path of a topmost frame that is not in the cache. */
static __attribute__((noinline)) uint32_t new_path(LmpProfile *p, lua_State *L,
                                                   const LmpSideFrame *f, uintptr_t pc,
                                                   uint32_t record, LmpPathSlot *slot) {
    uint64_t key = key_of(p->tree, f, frames_status(f->ci), pc);
    uint32_t node = node_of_frame(p, L, f, key, pc);
    if (!node) return tree_unknown_path(p, record);
    uint32_t path = tree_find_path(p, node, record);
    if (p->tables.path[path].node != TREE_NODE_OTHERS) /* each of those is counted */
        *slot = (LmpPathSlot){.key = key, .parent = f->parent, .record = record, .path = path};
    return path;
}

/* The path of the topmost frame of L, whose side stack is up to date. */
static ALWAYS_INLINE uint32_t top_path(LmpProfile *p, lua_State *L, const LmpSideFrame *f,
                                       unsigned status, uintptr_t pc, uint32_t record) {
    struct LmpTree *t = p->tree;
    if (!pc) pc = frames_pc(f->ci);
    uint64_t key = key_of(t, f, status, pc);
    LmpPathSlot *slot = &t->path_cache[(hash_key(key, f->parent) ^ record) % TREE_PATH_CACHE];
    if (LIKELY(slot->key == key && slot->parent == f->parent && slot->record == record))
        return slot->path;
    return new_path(p, L, f, pc, record, slot);
}

static __attribute__((noinline)) uint32_t walked_path(LmpProfile *p, lua_State *L, uintptr_t pc,
                                                      uint32_t record) {
    struct LmpTree *t = p->tree;
    if (!L) return tree_outside_path(p, record);
    LmpSide *s = t->side;
    Walk good = WALK_GOOD;
    if (L != t->asked || !links_hold(t)) good = follow_links(p, L, &s);
    if (good == WALK_GOOD && tree_has_frames(s->L)) {
        good = walk(p, s->L, s);
        if (good == WALK_GOOD) {
            const LmpSideFrame *f = t->top = &s->frame[s->n - 1];
            return top_path(p, s->L, f, frames_status(f->ci), s->L == L ? pc : 0, record);
        }
    }
    t->asked = t;
    return good == WALK_GOOD      ? tree_outside_path(p, record)
           : good == WALK_UNSOUND ? tree_unknown_path(p, record)
                                  : tree_others_path(p, record);
}

uint32_t tree_path(LmpProfile *p, lua_State *L, uintptr_t pc, uint32_t record) {
    const struct LmpTree *t = p->tree;
    if (UNLIKELY(L != t->asked)) return walked_path(p, L, pc, record);
    const LmpSideFrame *f = t->top;
    const LmpCallInfo *ci = frames_top(L);
    if (UNLIKELY(f->ci != ci)) return walked_path(p, L, pc, record);
    unsigned status = frames_status(ci); /* not of f->ci before that: it may be gone */
    if (UNLIKELY(!(status & LMP_CI_SEEN))) return walked_path(p, L, pc, record);
    if (t->links && !links_hold(t)) return walked_path(p, L, pc, record);
    return top_path(p, L, f, status, pc, record);
}

/* ---- life --------------------------------------------------------------------------------------
 */

void tree_code_gone(LmpProfile *p) {
    struct LmpTree *t = p->tree;
    if (!t) return;
    t->epoch += 1ull << KEY_EPOCH;
    if (t->epoch) return;
    memset(t->node_cache, 0, sizeof t->node_cache); /* after so many, keys would come again */
    memset(t->path_cache, 0, sizeof t->path_cache);
}

LmpErr tree_open(LmpProfile *p) {
    struct LmpTree *t = p->tree = lmp_os->map(sizeof *t, -1, 0, true);
    if (!t) return LMP_E_NOMEM;
    t->asked = t;
    if (!tree_threads_open(t) || tree_rows_open(p) != LMP_OK) {
        tree_close(p);
        return LMP_E_NOMEM;
    }
    return LMP_OK;
}

void tree_close(LmpProfile *p) {
    struct LmpTree *t = p->tree;
    if (!t) return;
    tree_threads_close(t);
    rowindex_close(&t->node);
    rowindex_close(&t->path);
    lmp_os->unmap(t, sizeof *t);
    p->tree = NULL;
}
