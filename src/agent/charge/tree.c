/* tree.c - each thread that has asked has a side stack: for each of its frames, outermost first,
 * the node of the frame's caller. This is the state of the last walk: frames may have gone and come
 * since, but those that are still there are its first ones, and they still carry the mark. So a
 * walk goes from the topmost frame down to the first marked one, drops from the side stack what is
 * above it, and then goes up again over the new frames. A frame's saved pc tells what it called,
 * and does not change while the call lasts; only the topmost frame that is left has moved on, so
 * its own node is looked up again. (A tail call replaces the function in a frame that stays marked;
 * it is a topmost frame then.)
 *
 * A coroutine's outermost frame hangs under the frame of the resume that ran it. The running
 * threads are found from the main thread on; the list of them, with the frame of each, is kept, and
 * as long as those frames are marked and on top of their threads, nothing has changed below the
 * last one. Where the innermost of them is in one of the library's own functions (private_state.h),
 * checking that one is enough: its thread has not been left, so neither has any below it.
 *
 * A walk is seldom needed. Mostly a thread has returned over some frames, or has called one
 * function from a frame that is marked, or both, or has resumed another one or been resumed: each
 * of these shows in the topmost frame and its caller.
 *
 * Everything is looked up in direct-mapped caches first, which grow while they are too small. A
 * topmost frame's path is mostly given by the record, which is one of its own line. Else the key of
 * a Lua frame is its pc, which stands for its function and line until the code is freed: `epoch` is
 * part of the key and changes then, and an entry from before is good if it is about none of the
 * code that has died since. The key of a C frame is its function's address. */
#include "agent/charge/tree.h"

#include <string.h>

#include "agent/charge/lines.h"
#include "agent/charge/sites.h"
#include "agent/charge/tree_impl.h"
#include "agent/interp/private_state.h"
#include "agent/map/shadow.h"
#include "base/os.h"

_Static_assert(LMP_NODE_TAIL == 1 && LMP_NODE_COROUTINE == 2, "flags stand below a node's row");
_Static_assert(LMP_NODES_MAX <= 1u << 30, "which has room above them");

/* ---- frames ---------------------------------------------------------------------------------- */

static ALWAYS_INLINE bool is_marked(const LmpCallInfo *ci) {
    return frames_status(ci) & LMP_CI_SEEN;
}

/* Returns true if the frame has a Lua function with this instruction. In states that are being
 * closed, and below functions that died, frames may be left that have none. */
static bool is_sound(const LmpCallInfo *ci, uintptr_t pc) {
    const void *proto = frames_proto(frames_func(ci));
    return proto && frames_in_code(proto, pc);
}

/* Returns what tells a frame's node from others of the same caller. pc: of a Lua frame. */
static ALWAYS_INLINE uint64_t key_of(const struct LmpTree *t, const LmpSideFrame *f, uintptr_t pc) {
    uint64_t key = t->epoch | pc;
    return f->key ? f->key : key;
}

/* Returns the node of a frame of a function, past the cache; 0: it is not sound. */
static inline uint32_t node_of_frame(LmpProfile *p, lua_State *L, const LmpSideFrame *f,
                                     uintptr_t pc) {
    uint32_t site;
    if (f->key) {
        site = lines_c_site(p, L, f->ci);
    } else {
        if (!is_sound(f->ci, pc)) return 0;
        site = lines_frame_site(p, L, f->ci, pc);
    }
    return tree_find_node(p, f->under >> 2, site, f->under & (LMP_NODE_TAIL | LMP_NODE_COROUTINE));
}

/* Returns true if an entry with this key is not too old to be checked by is_good. */
static bool is_recent(const struct LmpTree *t, uint64_t key) {
    return key & KEY_C || (key && (t->epoch >> KEY_EPOCH) - (key >> KEY_EPOCH) <= TREE_DEATHS);
}

/* Returns true if an entry with this key, about pc, is still right. */
static bool is_good(const struct LmpTree *t, uint64_t key, uintptr_t pc) {
    if (!is_recent(t, key)) return false;
    for (uint64_t i = t->epoch >> KEY_EPOCH; i > key >> KEY_EPOCH; i--)
        if (pc - t->died[i % TREE_DEATHS].addr <= t->died[i % TREE_DEATHS].size) return false;
    return true;
}

/* The node of a waiting frame, under which the frames that it called are; UNSOUND if it is not
 * sound. */
#define UNSOUND UINT32_MAX

static __attribute__((noinline)) uint32_t learn_below(LmpProfile *p, lua_State *L,
                                                      const LmpSideFrame *f) {
    struct LmpTree *t = p->tree;
    uintptr_t pc = frames_pc(f->ci);
    uint64_t key = key_of(t, f, pc);
    uint32_t below = f->under;
    LmpNodeSlot *slot = node_slot(t, key, below);
    if (slot->under == below && !((slot->key ^ key) << (64 - KEY_EPOCH)) &&
        is_good(t, slot->key, pc)) {
        slot->key = key;
        return slot->below;
    }
    if (key == KEY_COROUTINE) {
        below |= LMP_NODE_COROUTINE;
    } else if (key != KEY_MAIN) {
        below = node_of_frame(p, L, f, pc) << 2;
        if (!below) return UNSOUND;
    }
    if (is_recent(t, slot->key) && tree_cache_pushed(&t->node_size)) tree_move_nodes(t);
    slot = node_slot(t, key, f->under);
    *slot = (LmpNodeSlot){key, f->under, below};
    return below;
}

/* Returns the same if it is known; else UNSOUND. */
static ALWAYS_INLINE uint32_t known_below(struct LmpTree *t, const LmpSideFrame *f) {
    uint64_t key = key_of(t, f, frames_pc(f->ci));
    const LmpNodeSlot *slot = node_slot(t, key, f->under);
    return LIKELY(slot->key == key && slot->under == f->under) ? slot->below : UNSOUND;
}

static inline uint32_t below(LmpProfile *p, lua_State *L, const LmpSideFrame *f) {
    uint32_t known = known_below(p->tree, f);
    return LIKELY(known != UNSOUND) ? known : learn_below(p, L, f);
}

static ALWAYS_INLINE uint32_t tail_flag(uint32_t status) {
    return status & frames_bits.tail ? LMP_NODE_TAIL : 0;
}

/* Notes the new status of a marked frame. A frame whose saved pc is stale is never taken to be
 * unchanged. */
static ALWAYS_INLINE void note_status(LmpSideFrame *f, uint32_t status) {
    f->status = (LmpCallStatus)(status & ~(uint32_t)frames_bits.stale);
    f->under = (f->under & ~LMP_NODE_TAIL) | tail_flag(status);
}

/* Returns the key of a C function's frame, 0: it is not sound. */
static ALWAYS_INLINE uint64_t c_key(const LmpCallInfo *ci) {
    uintptr_t function = frames_c_function(frames_func(ci));
    return LIKELY(function) ? KEY_C | function : 0;
}

/* Puts a new frame above those of the side stack; its `under` has its flags. For its status see
 * note_status. */
static ALWAYS_INLINE void put_frame(LmpSideFrame *f, const LmpCallInfo *ci, uint64_t key,
                                    uint32_t under, uint32_t status) {
    f->ci = ci;
    f->key = key;
    f->under = under;
    f->status = (LmpCallStatus)((status | LMP_CI_SEEN) & ~(uint32_t)frames_bits.stale);
    tree_mark(ci, status);
}

/* ---- walking --------------------------------------------------------------------------------- */

typedef enum Walk { WALK_GOOD, WALK_UNSOUND, WALK_NO_ROOM } Walk;

/* Brings a side stack up to date. Where a frame is not sound, those below it stay. */
static __attribute__((noinline)) Walk walk(LmpProfile *p, LmpSide *s) {
    LmpSideFrame *f = s->top;
    const LmpCallInfo *top = frames_top(s->L), *ci = top, *caller;
    size_t fresh = 0;
    for (;; ci = caller, fresh++) {
        if (is_marked(ci)) { /* also when it is not one of ours: then all are walked */
            while (f->ci != ci && f > s->frame)
                f--;
            if (f->ci == ci) break;
        }
        caller = frames_caller(ci);
        if (caller) continue;
        f = s->frame;
        f->ci = ci;
        break;
    }
    tree_mark(ci, frames_status(ci));
    note_status(f, frames_status(ci));
    s->top = f;
    if ((size_t)(s->end - f) <= fresh) {
        if (!tree_side_room(p->tree, s, (size_t)(f - s->frame) + 1 + fresh)) return WALK_NO_ROOM;
        f = s->top;
    }
    ci = top;
    for (LmpSideFrame *up = f + fresh; up > f; up--, ci = frames_caller(ci))
        up->ci = ci;
    for (; fresh; fresh--, f = ++s->top) {
        if (UNLIKELY(frames_status(f->ci) & frames_bits.stale) && !f->key) return WALK_UNSOUND;
        uint32_t under = below(p, s->L, f), status = frames_status(f[1].ci);
        uint64_t key = 0;
        if (under == UNSOUND) return WALK_UNSOUND;
        if (status & LMP_CI_C && !(key = c_key(f[1].ci))) return WALK_UNSOUND;
        put_frame(f + 1, f[1].ci, key, under | tail_flag(status), status);
    }
    return WALK_GOOD;
}

/* Returns the frame of a side stack with this ci; NULL: there is none. */
static ALWAYS_INLINE LmpSideFrame *find_frame(const LmpSide *s, const LmpCallInfo *ci) {
    for (LmpSideFrame *f = s->top;; f--) {
        if (f->ci == ci) return f;
        if (UNLIKELY(f == s->frame)) return NULL;
    }
}

/* Returns the frame that has called `ci`, a new one, if it is sound and there is room above. */
static ALWAYS_INLINE LmpSideFrame *find_caller(const LmpSide *s, const LmpCallInfo *ci) {
    const LmpCallInfo *caller = frames_caller(ci);
    LmpSideFrame *f = find_frame(s, caller); /* none if it is NULL */
    return f && f->status == frames_status(caller) && f + 1 < s->end ? f : NULL;
}

static ALWAYS_INLINE bool holds(const LmpLink *link) {
    return frames_top(link->L) == link->ci && is_marked(link->ci);
}

/* Returns true if all links hold. There is one at least. */
static ALWAYS_INLINE bool links_hold(const struct LmpTree *t) {
    const LmpLink *end = t->link + t->links, *link = t->link + end[-1].first;
    do {
        if (!holds(link)) return false;
    } while (++link < end);
    return true;
}

/* Returns the first link that does not hold, from outermost on; as many as there are: all do. */
static ALWAYS_INLINE uint32_t first_moved(const struct LmpTree *t) {
    uint32_t moved = t->links;
    for (uint32_t i = moved; i-- > 0;) {
        if (!holds(&t->link[i])) {
            moved = i;
        } else if (t->link[i].first == i) {
            break;
        }
    }
    return moved;
}

/* ---- the way to a path ----------------------------------------------------------------------- */

/* Returns true if the record is that of the line where a Lua function asks, and of nothing else. */
static bool is_of_line(const LmpProfile *p, uint32_t record) {
    uint32_t site = p->tables.record[record].site;
    return site > sites_pseudo(p, LMP_PSEUDO_UNKNOWN) && !p->tables.site[site].cfunction;
}

/* Returns the path of a topmost frame whose record tells its line, past the cache. */
static uint32_t new_line_path(LmpProfile *p, const LmpSideFrame *f, uintptr_t pc, uint32_t record) {
    struct LmpTree *t = p->tree;
    if (!is_sound(f->ci, pc)) return tree_unknown_path(p, record);
    uint32_t node = tree_find_node(p, f->under >> 2, p->tables.record[record].site,
                                   f->under & (LMP_NODE_TAIL | LMP_NODE_COROUTINE));
    uint32_t path = tree_find_path(p, node, record);
    if (UNLIKELY(p->tables.path[path].node == TREE_NODE_OTHERS))
        return path; /* each of those is counted */
    uint64_t who = tree_who(f->under, record);
    if (line_slot(t, who)->who && tree_cache_pushed(&t->line_size)) tree_move_lines(t);
    *line_slot(t, who) = (LmpLinePathSlot){who, path, 0};
    return path;
}

/* Returns the path of a side stack's topmost frame, past the cache. */
static __attribute__((noinline)) uint32_t new_path(LmpProfile *p, const LmpSide *s, uintptr_t pc,
                                                   uint32_t record) {
    struct LmpTree *t = p->tree;
    const LmpSideFrame *f = s->top;
    if (!pc) pc = frames_pc(f->ci);
    if (!f->key && is_of_line(p, record)) return new_line_path(p, f, pc, record);
    uint64_t key = key_of(t, f, pc), who = tree_who(f->under, record);
    if (key == KEY_MAIN || key == KEY_COROUTINE) return tree_outside_path(p, record);
    LmpPathSlot *slot = path_slot(t, key, who);
    if (slot->key == key && slot->who == who) return slot->path;
    uint32_t node = node_of_frame(p, s->L, f, pc);
    if (!node) return tree_unknown_path(p, record);
    uint32_t path = tree_find_path(p, node, record);
    if (p->tables.path[path].node == TREE_NODE_OTHERS) return path; /* as above */
    if (is_recent(t, slot->key) && tree_cache_pushed(&t->path_size)) tree_move_paths(t);
    *path_slot(t, key, who) = (LmpPathSlot){key, who, path, {0}};
    return path;
}

/* Returns the path of a side stack's topmost frame. */
static ALWAYS_INLINE uint32_t top_path(LmpProfile *p, const LmpSide *s, uintptr_t pc,
                                       uint32_t record) {
    struct LmpTree *t = p->tree;
    const LmpSideFrame *f = s->top;
    uint64_t who = tree_who(f->under, record);
    if (LIKELY(!f->key)) {
        const LmpLinePathSlot *slot = line_slot(t, who);
        if (LIKELY(slot->who == who)) return slot->path;
    } else {
        const LmpPathSlot *slot = path_slot(t, f->key, who);
        if (LIKELY(slot->key == f->key && slot->who == who)) return slot->path;
    }
    return new_path(p, s, pc, record);
}

static uint32_t no_path(LmpProfile *p, Walk why, uint32_t record) {
    tree_set_side(p->tree, &p->tree->no_side);
    return why == WALK_UNSOUND ? tree_unknown_path(p, record) : tree_others_path(p, record);
}

static __attribute__((noinline)) uint32_t walked_path(LmpProfile *p, LmpSide *s, uintptr_t pc,
                                                      uint32_t record) {
    Walk good = walk(p, s);
    if (good != WALK_GOOD) return no_path(p, good, record);
    return top_path(p, s, pc, record);
}

/* Returns the path of a thread that has returned since it asked last; or its function was
 * replaced. */
static __attribute__((noinline)) uint32_t returned_path(LmpProfile *p, LmpSide *s, uintptr_t pc,
                                                        uint32_t record, const LmpCallInfo *ci,
                                                        uint32_t status) {
    LmpSideFrame *f = find_frame(s, ci);
    if (UNLIKELY(!f)) return walked_path(p, s, pc, record);
    if (f->status != status) note_status(f, status);
    s->top = f;
    return top_path(p, s, pc, record);
}

/* Returns the path of a new frame, called by the frame of f from the node `under`. */
static ALWAYS_INLINE uint32_t called_path(LmpProfile *p, LmpSide *s, LmpSideFrame *f, uint64_t key,
                                          uint32_t under, uintptr_t pc, uint32_t record,
                                          const LmpCallInfo *ci, uint32_t status) {
    s->top = ++f;
    put_frame(f, ci, key, under | tail_flag(status), status);
    return top_path(p, s, pc, record);
}

/* Returns the same where that node is not known; the caller is the side stack's topmost frame. */
static __attribute__((noinline)) uint32_t newly_called_path(LmpProfile *p, LmpSide *s, uintptr_t pc,
                                                            uint32_t record, const LmpCallInfo *ci,
                                                            uint32_t status) {
    uint64_t key = status & LMP_CI_C ? c_key(ci) : 0;
    uint32_t under = learn_below(p, s->L, s->top);
    if (UNLIKELY(under == UNSOUND)) return no_path(p, WALK_UNSOUND, record);
    return called_path(p, s, s->top, key, under, pc, record, ci, status);
}

/* Returns the path of a new frame, whether or not the thread has returned before from others.
 * (Whatever else it calls comes last, so that no register is saved for it.) */
static __attribute__((noinline)) uint32_t entered_path(LmpProfile *p, LmpSide *s, uintptr_t pc,
                                                       uint32_t record, const LmpCallInfo *ci,
                                                       uint32_t status) {
    LmpSideFrame *f = find_caller(s, ci);
    uint64_t key = status & LMP_CI_C ? c_key(ci) : 0;
    if (UNLIKELY(!f || (status & LMP_CI_C && !key))) return walked_path(p, s, pc, record);
    uint32_t under = known_below(p->tree, f);
    if (LIKELY(under != UNSOUND)) return called_path(p, s, f, key, under, pc, record, ci, status);
    s->top = f;
    return newly_called_path(p, s, pc, record, ci, status);
}

/* Returns the path of the thread that runs. */
static ALWAYS_INLINE uint32_t thread_path(LmpProfile *p, LmpSide *s, uintptr_t pc,
                                          uint32_t record) {
    const LmpCallInfo *ci = frames_top(s->L);
    uint32_t status = frames_status(ci);
    const LmpSideFrame *f = s->top;
    if (f->ci == ci && f->status == status) return top_path(p, s, pc, record);
    if (status & LMP_CI_SEEN) return returned_path(p, s, pc, record, ci, status);
    return entered_path(p, s, pc, record, ci, status);
}

/* ---- from thread to thread ------------------------------------------------------------------- */

/* Brings a side stack up to date, without a walk where little has changed. */
static Walk follow(LmpProfile *p, LmpSide *s, const LmpCallInfo *ci) {
    uint32_t status = frames_status(ci);
    if (s->top->ci == ci && s->top->status == status) return WALK_GOOD;
    if (status & LMP_CI_SEEN) return walk(p, s);
    LmpSideFrame *f = find_caller(s, ci);
    uint32_t under = f ? known_below(p->tree, f) : UNSOUND;
    uint64_t key = status & LMP_CI_C ? c_key(ci) : 0;
    if (UNLIKELY(under == UNSOUND || (status & LMP_CI_C && !key))) return walk(p, s);
    s->top = f + 1;
    put_frame(f + 1, ci, key, under | tail_flag(status), status);
    return WALK_GOOD;
}

/* Makes the link from a thread that runs, or has run, to the thread that it has resumed. Returns
 * the node that the latter hangs under; or LMP_NODES_MAX plus a Walk that went wrong. */
static uint32_t make_link(LmpProfile *p, LmpLink *link, LmpSide *s) {
    const struct LmpTree *t = p->tree;
    const LmpCallInfo *ci = frames_top(s->L);
    Walk good = follow(p, s, ci);
    if (UNLIKELY(good != WALK_GOOD)) return LMP_NODES_MAX + good;
    uint32_t under = below(p, s->L, s->top);
    if (UNLIKELY(under == UNSOUND)) return LMP_NODES_MAX + WALK_UNSOUND;
    size_t n = (size_t)(link - t->link), first = n ? link[-1].first : 0;
    bool stays = !t->hidden && frames_status(ci) & LMP_CI_C &&
                 private_state_is_resumer(frames_c_function(frames_func(ci)));
    *link = (LmpLink){s->L, ci, s, stays ? n : first};
    return under >> 2;
}

/* L asks, which is not the thread that asked last, or was resumed by other frames. Handles the
 * usual case: of the known running threads, the last one whose frame stands is L, or has resumed L.
 * Returns the side stack of L then, else NULL. */
static ALWAYS_INLINE LmpSide *relink(LmpProfile *p, lua_State *L) {
    struct LmpTree *t = p->tree;
    uint32_t n, links = t->links;
    if (UNLIKELY(t->hidden || t->side == &t->no_side || !frames_is_active(L))) return NULL;
    n = first_moved(t);
    LmpSide *s = n < links ? t->link[n].side : t->side;
    lua_State *last = n < links ? t->link[n].L : s->L;
    if (UNLIKELY(s->L != last)) return NULL; /* another one has its side stack now */
    if (UNLIKELY(tree_resumed(L))) return NULL;
    if (last != L) {
        if (n == TREE_CHAIN - 1 || !frames_is_active(last) || frames_resumed(last) != L)
            return NULL;
        uint32_t base = make_link(p, &t->link[n++], s);
        if (base >= LMP_NODES_MAX || !(s = tree_side(p, L, base))) return NULL;
    }
    t->links = n;
    tree_set_side(t, s);
    return s;
}

/* Returns the path of a thread in which something runs, when the record is that of another one's
 * line. */
static uint32_t other_path(LmpProfile *p, LmpSide *s, uint32_t record) {
    Walk good = walk(p, s);
    if (good != WALK_GOOD) return no_path(p, good, record);
    const LmpSideFrame *f = s->top;
    uintptr_t pc = frames_pc(f->ci);
    uint64_t key = key_of(p->tree, f, pc);
    if (key == KEY_MAIN || key == KEY_COROUTINE) return tree_outside_path(p, record);
    uint32_t node = node_of_frame(p, s->L, f, pc);
    return node ? tree_find_path(p, node, record) : tree_unknown_path(p, record);
}

/* Finds the thread that runs when L asks, what it hangs under, and its path. */
static __attribute__((noinline)) uint32_t found_path(LmpProfile *p, lua_State *L, uintptr_t pc,
                                                     uint32_t record) {
    struct LmpTree *t = p->tree;
    tree_set_side(t, &t->no_side);
    lua_State *runs = tree_find_running(p, L);
    LmpSide *s;
    uint32_t base = 0;
    for (uint32_t i = 0;; i++) {
        s = tree_side(p, i < t->links ? t->link[i].L : runs, base);
        if (!s) return no_path(p, WALK_NO_ROOM, record);
        if (i == t->links) break;
        base = make_link(p, &t->link[i], s);
        if (base >= LMP_NODES_MAX) return no_path(p, base - LMP_NODES_MAX, record);
    }
    if (runs != L) return other_path(p, s, record);
    tree_set_side(t, s);
    return walked_path(p, s, pc, record);
}

/* Returns the path when another thread asks, or one that was resumed once more. */
static __attribute__((noinline)) uint32_t switched_path(LmpProfile *p, lua_State *L, uintptr_t pc,
                                                        uint32_t record) {
    if (UNLIKELY(!L)) return tree_outside_path(p, record);
    LmpSide *s = relink(p, L);
    if (UNLIKELY(!s)) return found_path(p, L, pc, record);
    return thread_path(p, s, pc, record);
}

/* Returns the path in a thread that is not the main thread, or not the one that asked last. */
static __attribute__((noinline)) uint32_t linked_path(LmpProfile *p, lua_State *L, uintptr_t pc,
                                                      uint32_t record) {
    const struct LmpTree *t = p->tree;
    LmpSide *s = t->side;
    if (s->L != L || !links_hold(t)) return switched_path(p, L, pc, record);
    return thread_path(p, s, pc, record);
}

uint32_t tree_path(LmpProfile *p, lua_State *L, uintptr_t pc, uint32_t record) {
    LmpSide *s = p->tree->alone;
    if (UNLIKELY(s->L != L)) return linked_path(p, L, pc, record);
    return thread_path(p, s, pc, record);
}

/* ---- life ------------------------------------------------------------------------------------ */

void tree_code_gone(LmpProfile *p, uintptr_t addr, size_t size) {
    struct LmpTree *t = p->tree;
    if (!t) return;
    t->epoch += 1ull << KEY_EPOCH;
    if (!t->epoch) {
        t->epoch = 1ull << KEY_EPOCH;
        memset(t->node_cache, 0, sizeof t->node_cache); /* after so many, keys would come again */
        memset(t->path_cache, 0, sizeof t->path_cache);
    }
    t->died[(t->epoch >> KEY_EPOCH) % TREE_DEATHS].addr = addr;
    t->died[(t->epoch >> KEY_EPOCH) % TREE_DEATHS].size = size;
}

LmpErr tree_open(LmpProfile *p) {
    struct LmpTree *t = p->tree = lmp_os->map(sizeof *t, -1, 0, true);
    if (!t) return LMP_E_NOMEM;
    t->profile = p;
    t->node_size = FIRST_SIZE;
    t->line_size = FIRST_SIZE;
    t->path_size = FIRST_SIZE;
    t->epoch = 1ull << KEY_EPOCH; /* so that no key is 0 */
    private_state_find_resumers();
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
