/* tree_threads.c - threads: their side stacks, and which of them runs. See tree.c. */
#include "tree_impl.h"

#include <string.h>

#include "os.h"

enum {
    THREADS = 256, /* buckets to begin with */
    SHALLOW = 8,   /* frames, the bottom one included */
};

/* ---- side stacks ------------------------------------------------------------------------------
 */

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

static COLD LmpSide *new_side(struct LmpTree *t, lua_State *L) {
    size_t got;
    _Static_assert(sizeof(LmpSide) <= SLAB_LEAST, "a piece of the least size");
    LmpSide *s = slab_take(&t->slab, sizeof *s, &got);
    if (!s) return NULL;
    LmpSideFrame *frame = slab_take(&t->slab, 4 * sizeof *frame, &got);
    if (!frame) {
        slab_give(&t->slab, s, SLAB_LEAST);
        return NULL;
    }
    if (t->threads >= t->buckets) more_buckets(t);
    LmpSide **bucket = bucket_of(t, L);
    *s =
        (LmpSide){.L = L, .next = *bucket, .frame = frame, .room = (uint32_t)(got / sizeof *frame)};
    *bucket = s;
    t->threads++;
    return s;
}

/* Most coroutines are short: rather than that each has a side stack, one after another uses the
 * same one, and its few frames are walked again when its turn comes. */
static bool is_shallow(const lua_State *L) {
    const LmpCallInfo *ci = frames_top(L);
    for (int i = 0; ci && i < SHALLOW; i++)
        ci = frames_caller(ci);
    return !ci;
}

LmpSide *tree_side(LmpProfile *p, lua_State *L) {
    struct LmpTree *t = p->tree;
    if (L == p->main) {
        t->main.L = L;
        return &t->main;
    }
    for (LmpSide *s = t->threads ? *bucket_of(t, L) : NULL; s; s = s->next)
        if (s->L == L) return s;
    if (t->shared.L == L) return &t->shared;
    if (!is_shallow(L)) return new_side(t, L);
    t->shared.L = L;
    t->shared.n = 0;
    return &t->shared;
}

static void drop_side(struct LmpTree *t, LmpSide **at) {
    LmpSide *s = *at;
    *at = s->next;
    slab_give(&t->slab, s->frame, s->room * sizeof *s->frame);
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
    if (t->asked == L || is_link(t, t->links, L)) t->asked = t;
    if (t->shared.L == L) t->shared.L = NULL;
    for (uint32_t i = 0; i < TREE_RECENT && t->recent[i]; i++)
        if (t->recent[i] == L) {
            memmove(t->recent + i, t->recent + i + 1, (TREE_RECENT - 1 - i) * sizeof *t->recent);
            t->recent[TREE_RECENT - 1] = NULL;
        }
    for (LmpSide **at = t->threads ? bucket_of(t, L) : NULL; at && *at; at = &(*at)->next)
        if ((*at)->L == L) {
            drop_side(t, at);
            break;
        }
}

static bool open_side(struct LmpTree *t, LmpSide *s) {
    size_t got;
    s->frame = slab_take(&t->slab, 16 * sizeof *s->frame, &got);
    s->room = (uint32_t)(got / sizeof *s->frame);
    return s->frame;
}

bool tree_threads_open(struct LmpTree *t) {
    t->buckets = THREADS;
    t->bucket = lmp_os->map(THREADS * sizeof *t->bucket, -1, 0, true);
    return t->bucket && open_side(t, &t->main) && open_side(t, &t->shared);
}

void tree_threads_close(struct LmpTree *t) {
    for (uint32_t i = 0; t->bucket && i < t->buckets; i++)
        while (t->bucket[i])
            drop_side(t, &t->bucket[i]);
    if (t->main.frame) slab_give(&t->slab, t->main.frame, t->main.room * sizeof *t->main.frame);
    if (t->shared.frame)
        slab_give(&t->slab, t->shared.frame, t->shared.room * sizeof *t->shared.frame);
    if (t->bucket) lmp_os->unmap(t->bucket, t->buckets * sizeof *t->bucket);
    slab_close(&t->slab);
}

/* ---- who runs ----------------------------------------------------------------------------------
 */

static bool top_is_c(const lua_State *L) {
    return frames_status(frames_top(L)) & LMP_CI_C;
}

/* As resumed_by in stack.c. */
static lua_State *resumed_by(lua_State *L) {
    if (!tree_has_frames(L) || !top_is_c(L)) return NULL;
    lua_State *child = lua_tothread(L, 1);
    if (!child) child = lua_tothread(L, lua_upvalueindex(1));
    return child && lua_status(child) == LUA_OK && tree_has_frames(child) ? child : NULL;
}

/* Can L be the thread that runs, though nothing that we know of has resumed it? A thread may also
 * be the one whose stack grows, while another prepares it. In __close functions run by
 * coroutine.close() its status is that of before, up to Lua 5.4.3. */
static bool may_run(lua_State *L) {
    if (!tree_has_frames(L)) return false;
    int status = lua_status(L);
    return status == LUA_OK || (status == LUA_YIELD && !top_is_c(L));
}

/* Adds what `last` has resumed, and that, and so on. Returns the last one, which has no link. */
static lua_State *go_down(struct LmpTree *t, lua_State *last) {
    lua_State *child;
    while (t->links < TREE_CHAIN - 1 && (child = resumed_by(last)) && child != last &&
           !is_link(t, t->links, child)) {
        t->link[t->links++] = (LmpLink){last, frames_top(last)};
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

static bool is_active(lua_State *L) {
    return tree_has_frames(L) && lua_status(L) == LUA_OK;
}

/* Which thread may have resumed the outermost hidden one? One of those that asked lately: one whose
 * topmost frame says so, else the last one that runs. NULL: none. */
static lua_State *hidden_resumer(const struct LmpTree *t, const Hidden *h, const lua_State *last) {
    const lua_State *child = h->n ? h->L[h->n - 1] : NULL;
    for (uint32_t i = 0; child && i < TREE_RECENT && t->recent[i]; i++) {
        lua_State *L = t->recent[i];
        if (!is_hidden(h, L) && resumed_by(L) == child) return L;
    }
    for (uint32_t i = 0; i < TREE_RECENT && t->recent[i]; i++) {
        lua_State *L = t->recent[i];
        if (L != last && !is_link(t, t->links, L) && !is_hidden(h, L) && is_active(L)) return L;
    }
    return NULL;
}

/* When there are too many, those that have ended or wait are forgotten first. */
static void note_recent(struct LmpTree *t, lua_State *L) {
    if (t->recent[TREE_RECENT - 1]) {
        uint32_t n = 0;
        for (uint32_t i = 0; i < TREE_RECENT; i++)
            if (is_active(t->recent[i])) t->recent[n++] = t->recent[i];
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
    lua_State *last = go_down(t, p->main), *by;
    if (last == L || is_link(t, t->links, L)) return last;
    Hidden h = {0};
    if (may_run(L)) h.L[h.n++] = L;
    while (h.n < TREE_RECENT && (by = hidden_resumer(t, &h, last)) && by != last &&
           !is_link(t, t->links, by))
        h.L[h.n++] = by;
    for (; h.n && t->links < TREE_CHAIN - 1; last = h.L[--h.n])
        t->link[t->links++] = (LmpLink){last, frames_top(last)};
    last = go_down(t, last);
    note_recent(t, last);
    return last;
}
