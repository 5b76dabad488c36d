/* tree_threads.c - threads: their side stacks, and which of them runs. tree.c says how they are
 * used. */
#include "agent/charge/tree_impl.h"

#include <string.h>

#include "agent/map/shadow.h"
#include "base/os.h"

enum {
    THREADS = 256, /* buckets to begin with */
    SHALLOW = 8,   /* frames, the bottom one included */
    SIDE_ROOM = 16 /* frames to begin with */
};

/* ---- side stacks ----------------------------------------------------------------------------- */

static LmpSide **bucket_of(const struct LmpTree *t, const lua_State *L) {
    return &t->bucket[(uint32_t)(rowindex_mix((uintptr_t)L, 0) >> 8) & (t->buckets - 1)];
}

static void more_buckets(struct LmpTree *t) {
    LmpSide **old = t->bucket;
    uint32_t n = t->buckets;
    LmpSide **new = lmp_os->map(2 * n * sizeof *new, -1, 0, true);
    if (!new) return; /* longer chains then */
    t->bucket = new;
    t->buckets = 2 * n;
    for (uint32_t i = 0; i < n; i++)
        for (LmpSide *s = old[i], *next; s; s = next) {
            LmpSide **to = bucket_of(t, s->L);
            next = s->next;
            s->next = *to;
            *to = s;
        }
    lmp_os->unmap(old, n * sizeof *old);
}

/* Room for so many frames in all; those that are there stay. */
bool tree_side_room(struct LmpTree *t, LmpSide *s, size_t frames) {
    size_t got;
    LmpSideFrame *frame = slab_take(&t->slab, frames * sizeof *frame, &got);
    if (!frame) return false;
    size_t n = s->frame ? (size_t)(s->top - s->frame) + 1 : 0;
    if (n) memcpy(frame, s->frame, n * sizeof *frame);
    if (n) slab_give(&t->slab, s->frame, s->size);
    s->frame = frame;
    s->top = n ? frame + n - 1 : frame;
    s->end = frame + got / sizeof *frame;
    s->size = got;
    return true;
}

/* An empty side stack. */
static void begin_side(LmpSide *s, lua_State *L, const LmpCallInfo *bottom, uint64_t key) {
    s->L = L;
    s->base = 0;
    s->top = s->frame;
    *s->frame = (LmpSideFrame){.ci = bottom, .key = key};
    if (bottom == NO_CI) return;
    tree_mark(bottom, frames_status(bottom));
    s->frame->status = (LmpCallStatus)frames_status(bottom);
}

static COLD LmpSide *new_side(struct LmpTree *t, lua_State *L) {
    size_t got;
    _Static_assert(sizeof(LmpSide) <= SLAB_LEAST, "a piece of the least size");
    LmpSide *s = slab_take(&t->slab, sizeof *s, &got);
    if (!s) return NULL;
    *s = (LmpSide){0};
    if (!tree_side_room(t, s, SIDE_ROOM)) {
        slab_give(&t->slab, s, SLAB_LEAST);
        return NULL;
    }
    if (t->threads >= t->buckets) more_buckets(t);
    LmpSide **bucket = bucket_of(t, L);
    begin_side(s, L, NO_CI, KEY_COROUTINE);
    s->next = *bucket;
    *bucket = s;
    t->threads++;
    return s;
}

/* Returns the bottom frame of a thread with few; NULL: it has many. */
static const LmpCallInfo *shallow_bottom(const lua_State *L) {
    const LmpCallInfo *ci = frames_top(L), *caller;
    for (int i = 0; i < SHALLOW; i++, ci = caller)
        if (!(caller = frames_caller(ci))) return ci;
    return NULL;
}

/* Most coroutines are shallow: instead of each having a side stack of its own, they share one in
 * turn, and their few frames are walked again when their turn comes. */
static LmpSide *shared_side(struct LmpTree *t, const lua_State *L) {
    return &t->shared[((uintptr_t)L * 0x9e3779b97f4a7c15ull) >> (64 - TREE_SHARED)];
}

static LmpSide *find_side(LmpProfile *p, lua_State *L) {
    struct LmpTree *t = p->tree;
    LmpSide *shared = shared_side(t, L);
    if (shared->L == L) return shared;
    if (L == p->main) {
        if (!t->main.L) begin_side(&t->main, L, NO_CI, KEY_MAIN);
        return &t->main;
    }
    for (LmpSide *s = t->threads ? *bucket_of(t, L) : NULL; s; s = s->next)
        if (s->L == L) return s;
    const LmpCallInfo *bottom = shallow_bottom(L);
    if (!bottom) return new_side(t, L);
    begin_side(shared, L, bottom, KEY_COROUTINE);
    return shared;
}

/* The end of a thread that is remembered has to be noticed. */
static ALWAYS_INLINE void remember(LmpProfile *p, const lua_State *L) {
    if (UNLIKELY(p->live->tables.sample)) /* else all are watched */
        shadow_notify(p, (uintptr_t)L - frames_bits.extra);
}

LmpSide *tree_side(LmpProfile *p, lua_State *L, uint32_t base) {
    LmpSide *s = find_side(p, L);
    remember(p, L);
    if (!s || s->base == base) return s;
    s->base = base; /* all its nodes are others now */
    s->top = s->frame;
    s->frame->under = base << 2;
    return s;
}

static void drop_side(struct LmpTree *t, LmpSide **at) {
    LmpSide *s = *at;
    *at = s->next;
    slab_give(&t->slab, s->frame, s->size);
    slab_give(&t->slab, s, SLAB_LEAST);
    t->threads--;
}

static bool is_link(const struct LmpTree *t, uint32_t n, const lua_State *L) {
    for (uint32_t i = 0; i < n; i++)
        if (t->link[i].L == L) return true;
    return false;
}

void tree_thread_gone(LmpProfile *p, const lua_State *L) {
    struct LmpTree *t = p->tree;
    if (!t) return;
    if (t->side->L == L || is_link(t, t->links, L)) tree_set_side(t, &t->no_side);
    for (uint32_t i = 0; i < TREE_RECENT && t->recent[i]; i++)
        if (t->recent[i] == L) {
            memmove(t->recent + i, t->recent + i + 1, (TREE_RECENT - 1 - i) * sizeof *t->recent);
            t->recent[TREE_RECENT - 1] = NULL;
        }
    LmpSide *shared = shared_side(t, L);
    if (shared->L == L) {
        shared->L = NULL;
        return;
    }
    for (LmpSide **at = t->threads ? bucket_of(t, L) : NULL; at && *at; at = &(*at)->next)
        if ((*at)->L == L) {
            drop_side(t, at);
            break;
        }
}

bool tree_threads_open(struct LmpTree *t) {
    t->no_side.L = (lua_State *)(void *)t; /* is no thread */
    tree_set_side(t, &t->no_side);
    t->buckets = THREADS;
    t->bucket = lmp_os->map(THREADS * sizeof *t->bucket, -1, 0, true);
    if (!t->bucket || !tree_side_room(t, &t->main, SIDE_ROOM)) return false;
    for (uint32_t i = 0; i < 1 << TREE_SHARED; i++)
        if (!tree_side_room(t, &t->shared[i], SIDE_ROOM)) return false;
    return true;
}

void tree_threads_close(struct LmpTree *t) {
    for (uint32_t i = 0; t->bucket && i < t->buckets; i++)
        while (t->bucket[i])
            drop_side(t, &t->bucket[i]);
    for (uint32_t i = 0; i < 1 << TREE_SHARED; i++)
        if (t->shared[i].frame) slab_give(&t->slab, t->shared[i].frame, t->shared[i].size);
    if (t->main.frame) slab_give(&t->slab, t->main.frame, t->main.size);
    if (t->bucket) lmp_os->unmap(t->bucket, t->buckets * sizeof *t->bucket);
    slab_close(&t->slab);
}

/* ---- who runs -------------------------------------------------------------------------------- */

/* Returns true if L can be the thread that runs, though nothing that we know of has resumed it. A
 * thread may also be the one whose stack grows, while another prepares it. In __close functions run
 * by coroutine.close() it keeps its previous status, up to Lua 5.4.3. */
static bool may_run(const lua_State *L) {
    if (!frames_has_functions(L)) return false;
    int status = *((const uint8_t *)L + LMP_AT_L_STATUS);
    return status == LUA_OK || (status == LUA_YIELD && !(frames_status(frames_top(L)) & LMP_CI_C));
}

/* Adds what `last` has resumed, and that, and so on. Returns the last one, which has no link. */
static lua_State *go_down(struct LmpTree *t, lua_State *last) {
    lua_State *child;
    while (t->links < TREE_CHAIN - 1 && (child = tree_resumed(last)) && child != last &&
           !is_link(t, t->links, child)) {
        t->link[t->links++] = (LmpLink){.L = last, .ci = frames_top(last)};
        last = child;
    }
    return last;
}

/* Threads that run though the main thread does not lead to them, innermost first. */
typedef struct Hidden {
    uint32_t n;
    lua_State *L[TREE_RECENT];
} Hidden;

static bool is_hidden(const Hidden *h, const lua_State *L) {
    for (uint32_t i = 0; i < h->n; i++)
        if (h->L[i] == L) return true;
    return false;
}

/* Returns the thread that may have resumed the outermost hidden one, among those that asked lately:
 * one whose topmost frame says so, else the last one that runs. NULL: none. */
static lua_State *hidden_resumer(const struct LmpTree *t, const Hidden *h, const lua_State *last) {
    const lua_State *child = h->n ? h->L[h->n - 1] : NULL;
    for (uint32_t i = 0; child && i < TREE_RECENT && t->recent[i]; i++) {
        lua_State *L = t->recent[i];
        if (!is_hidden(h, L) && tree_resumed(L) == child) return L;
    }
    for (uint32_t i = 0; i < TREE_RECENT && t->recent[i]; i++) {
        lua_State *L = t->recent[i];
        if (L != last && !is_link(t, t->links, L) && !is_hidden(h, L) && frames_is_active(L))
            return L;
    }
    return NULL;
}

/* When there are too many, those that have ended or are waiting are forgotten first. */
static void note_recent(struct LmpTree *t, lua_State *L) {
    if (t->recent[TREE_RECENT - 1]) {
        uint32_t n = 0;
        for (uint32_t i = 0; i < TREE_RECENT; i++)
            if (frames_is_active(t->recent[i])) t->recent[n++] = t->recent[i];
        memset(t->recent + n, 0, (TREE_RECENT - n) * sizeof *t->recent);
    }
    uint32_t i = 0;
    while (i < TREE_RECENT - 1 && t->recent[i] && t->recent[i] != L)
        i++;
    memmove(t->recent + 1, t->recent, i * sizeof *t->recent);
    t->recent[0] = L;
}

/* Makes the links that lead to the thread that runs when L asks. Returns that thread. C code may
 * have its own way of resuming, which hides from the main thread what runs: that hangs under the
 * last thread that is known, with those between that have asked lately. */
lua_State *tree_find_running(LmpProfile *p, lua_State *L) {
    struct LmpTree *t = p->tree;
    t->links = 0;
    t->hidden = false;
    lua_State *last = go_down(t, p->main), *by;
    if (last == L || is_link(t, t->links, L)) return last;
    Hidden h = {0};
    if (may_run(L)) h.L[h.n++] = L;
    while (h.n < TREE_RECENT && (by = hidden_resumer(t, &h, last)) && by != last &&
           !is_link(t, t->links, by))
        h.L[h.n++] = by;
    t->hidden = h.n > 0;
    for (; h.n && t->links < TREE_CHAIN - 1; last = h.L[--h.n])
        t->link[t->links++] = (LmpLink){.L = last, .ci = frames_top(last)};
    last = go_down(t, last);
    remember(p, last);
    note_recent(t, last);
    return last;
}
