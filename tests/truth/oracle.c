/* oracle.c - see oracle.h. */
#include "oracle.h"
#include "oracle_memory.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <lauxlib.h>

enum { CI_SIZE = 64, CI_PREVIOUS = 16, CI_NEXT = 24, UDATA_META = 24, TABLE_LASTFREE = 32 };
enum {
    NEWER = LUA_VERSION_NUM >= 505,
    TABLE_SLOTS = 12,
    TABLE_ARRAY = 16,
    TABLE_NODE = 24,
    LENT_SIZE = 48,
    LENT_BYTES = 24,
    STATE_GLOBAL = 24
};
enum { TAG_STRING = 4, TAG_TABLE, TAG_FUNCTION, TAG_USERDATA, TAG_THREAD, TAG_UPVAL, TAG_PROTO };
/* No object but a large string or userdata is longer, and those have their pointers in front. */
enum { SCAN_LIMIT = 4096 };

const char *const oracle_kind_name[O_KINDS] = {"string", "function", "userdata",
                                               "thread", "table",    "other"};

/* What an object is, by owner and by type tag. */
static int kind_of(int type_tag, bool by_tag) {
    switch (type_tag) {
    case TAG_STRING:
        return O_STRING;
    case TAG_TABLE:
        return O_TABLE;
    case TAG_FUNCTION:
        return O_FUNCTION;
    case TAG_USERDATA:
        return O_USERDATA;
    case TAG_THREAD:
        return O_THREAD;
    case TAG_UPVAL:
    case TAG_PROTO:
        return by_tag ? O_OTHER : O_FUNCTION;
    default:
        return by_tag ? O_OTHER : -1;
    }
}

/* ---- table of blocks ------------------------------------------------------------------------- */

static size_t home(const Oracle *o, const void *addr) {
    return (size_t)(((uintptr_t)addr >> 3) * 0x9e3779b97f4a7c15ull >> 20) & (o->slots - 1);
}

static OracleBlock **find_slot(const Oracle *o, const void *addr) {
    size_t i = home(o, addr);
    while (o->slot[i] && o->slot[i]->addr != addr)
        i = (i + 1) & (o->slots - 1);
    return &o->slot[i];
}

static void table_add(Oracle *o, OracleBlock *b) {
    if (o->used * 2 >= o->slots) {
        OracleBlock **old = o->slot;
        size_t n = o->slots;
        o->slots = n ? n * 2 : 1024;
        o->slot = calloc(o->slots, sizeof *o->slot);
        for (size_t i = 0; i < n; i++)
            if (old[i]) *find_slot(o, old[i]->addr) = old[i];
        free(old);
    }
    *find_slot(o, b->addr) = b;
    o->used++;
}

static void table_remove(Oracle *o, OracleBlock *b) {
    size_t i = (size_t)(find_slot(o, b->addr) - o->slot), j = i;
    o->slot[i] = NULL;
    for (;;) { /* close the gap */
        j = (j + 1) & (o->slots - 1);
        if (!o->slot[j]) break;
        size_t k = home(o, o->slot[j]->addr);
        if (i <= j ? (i < k && k <= j) : (i < k || k <= j)) continue;
        o->slot[i] = o->slot[j];
        o->slot[j] = NULL;
        i = j;
    }
    o->used--;
}

static void list_add(OracleBlock ***list, size_t *n, size_t *room, OracleBlock *b) {
    if (*n == *room) {
        *room = *room ? *room * 2 : 256;
        *list = realloc(*list, *room * sizeof **list);
    }
    (*list)[(*n)++] = b;
}

static void pending_remove(Oracle *o, const OracleBlock *b) {
    for (size_t i = o->pending_n; i-- > 0;)
        if (o->pending[i] == b) {
            o->pending[i] = o->pending[--o->pending_n];
            return;
        }
}

/* ---- owners ---------------------------------------------------------------------------------- */

static char *word_at(const char *p, size_t at) {
    char *w;
    memcpy(&w, p + at, sizeof w);
    return w;
}

/* Where the words of an object end that may point to its parts, and in *from where they begin. A
 * table's lastfree may point past the end of its hash part, that is to a stranger; and so may the
 * collector's place in its sweep, which stands in the global state. */
static size_t words_end(const Oracle *o, const OracleBlock *b, size_t *from) {
    *from = b->type_tag == TAG_STRING ? LENT_BYTES : 0;
    if (b->type_tag == TAG_STRING) return LENT_BYTES + 8;
    if (b->type_tag == TAG_TABLE) return TABLE_LASTFREE;
    if (b->type_tag == TAG_THREAD && o->thread_size) {
        if (NEWER) *from = b->size - o->thread_size;
        return *from + o->thread_size;
    }
    return b->size < SCAN_LIMIT ? b->size : SCAN_LIMIT;
}

/* Returns the block that begins where a word of an object says; NULL: none does. */
static OracleBlock *block_at(const Oracle *o, const OracleBlock *b, size_t at) {
    const char *w = word_at(b->addr, at);
    uint32_t slots;
    if (NEWER && b->type_tag == TAG_TABLE && at == TABLE_ARRAY && w) {
        memcpy(&slots, b->addr + TABLE_SLOTS, sizeof slots);
        w = (const char *)((uintptr_t)w - 8ull * slots);
    }
    OracleBlock *there = *find_slot(o, w);
    if (!there && NEWER && b->type_tag == TAG_TABLE && at == TABLE_NODE)
        there = *find_slot(o, (const char *)((uintptr_t)w - 8));
    return there;
}

/* The kind that an object's parts have; -1: it has none. */
static int parts_kind(const Oracle *o, const OracleBlock *b) {
    switch (b->type_tag) {
    case TAG_TABLE:
        return O_TABLE;
    case TAG_THREAD:
        return O_THREAD;
    case TAG_PROTO:
        return O_FUNCTION;
    case TAG_STRING:
        return NEWER && b->size == LENT_SIZE ? O_STRING : -1;
    case TAG_USERDATA: /* a buffer's box holds a string in the making */
        return b->size >= UDATA_META + 8 && o->ubox && word_at(b->addr, UDATA_META) == o->ubox
                   ? O_STRING
                   : O_USERDATA;
    default:
        return -1;
    }
}

/* A CallInfo is known by its neighbour: each points to the other; one that is being freed has
 * already left the chain, and only points to the other. */
static bool in_callinfo_chain(const Oracle *o, const OracleBlock *b, bool freed) {
    if (b->size != CI_SIZE) return false;
    char *previous = word_at(b->addr, CI_PREVIOUS);
    if (previous == NULL || (uintptr_t)previous % 8 != 0) return false;
    const OracleBlock *p = *find_slot(o, previous);
    if (p)
        return p->kind == O_THREAD && p->size == CI_SIZE &&
               (freed || word_at(p->addr, CI_NEXT) == b->addr);
    for (size_t i = o->tagged_n; i-- > 0;) { /* the first CallInfo stands inside the thread */
        const OracleBlock *t = o->tagged[i];
        if (t->type_tag == TAG_THREAD && previous > t->addr &&
            previous + CI_NEXT + 8 <= t->addr + t->size)
            return freed || word_at(previous, CI_NEXT) == b->addr;
    }
    return false;
}

static void note_peak(Oracle *o) {
    if (o->f.live_bytes > o->f.peak_bytes) o->f.peak_bytes = o->f.live_bytes;
}

static void tell(Oracle *o, OracleEvent event, OracleBlock *b, size_t old) {
    if (o->note && b->life == OL_COUNTED) o->note(o->note_ud, event, b, old);
}

static void count_new(Oracle *o, OracleBlock *b) {
    tell(o, OE_NEW, b, 0);
    o->f.mallocs++;
    o->f.malloc_bytes += b->size;
    o->f.live_blocks++;
    o->f.live_bytes += b->size;
    OracleKind *k = &o->f.kind[kind_of(b->type_tag, true)];
    k->tag_allocs++;
    k->tag_live_bytes += (int64_t)b->size;
    note_peak(o);
}

/* A thread's stack and CallInfos are the program's even when they grew for the profiler's API. */
static void set_kind(Oracle *o, OracleBlock *b, int kind) {
    b->kind = kind;
    if (b->life == OL_OWN && kind == O_THREAD && b->type_tag == 0) {
        b->life = OL_COUNTED;
        count_new(o, b);
    }
    if (b->life == OL_COUNTED) {
        OracleKind *k = &o->f.kind[kind];
        k->allocs++;
        k->live_blocks++;
        k->live_bytes += (int64_t)b->size;
    }
    tell(o, OE_KIND, b, b->size);
}

void oracle_link(Oracle *o) {
    for (size_t i = o->pending_n; i-- > 0;)
        if (in_callinfo_chain(o, o->pending[i], false)) {
            set_kind(o, o->pending[i], O_THREAD);
            o->pending[i] = o->pending[--o->pending_n];
        }
    for (size_t t = o->tagged_n; t-- > 0 && o->pending_n > 0;) {
        const OracleBlock *b = o->tagged[t];
        if (parts_kind(o, b) < 0) continue;
        size_t from, limit = words_end(o, b, &from);
        for (size_t at = from; at + 8 <= limit; at += 8) {
            const OracleBlock *part = block_at(o, b, at);
            for (size_t i = o->pending_n; part && i-- > 0;)
                if (o->pending[i] == part) {
                    set_kind(o, o->pending[i], parts_kind(o, b));
                    o->pending[i] = o->pending[--o->pending_n];
                }
        }
    }
}

static char *main_block(const Oracle *o) {
    return NEWER ? word_at((char *)o->L, STATE_GLOBAL) : (char *)o->L - LUA_EXTRASPACE;
}

static void claim(OracleScan *scan, OracleBlock *part, int kind) {
    if (part->claims & ~(1u << kind)) scan->disputed++;
    part->claims |= 1u << kind;
}

/* One pass over all objects: every word that is the address of a part claims it. Only a thread's
 * CallInfos need more, for they hang together in a chain. */
void oracle_scan(Oracle *o, OracleScan *scan) {
    memset(scan, 0, sizeof *scan);
    for (size_t i = 0; i < o->slots; i++)
        if (o->slot[i]) o->slot[i]->claims = 0;
    for (size_t t = 0; t < o->tagged_n; t++) {
        const OracleBlock *b = o->tagged[t];
        int kind = parts_kind(o, b);
        if (kind < 0) continue;
        size_t from, limit = words_end(o, b, &from);
        for (size_t at = from; at + 8 <= limit; at += 8) {
            OracleBlock *part = block_at(o, b, at);
            if (!part || part->type_tag != 0) continue;
            if (kind != O_THREAD) {
                claim(scan, part, kind);
                continue;
            }
            while (part && part->type_tag == 0 && !(part->claims & 1u << O_THREAD)) {
                claim(scan, part, O_THREAD);
                if (part->size != CI_SIZE) break;
                char *next = word_at(part->addr, CI_NEXT);
                OracleBlock *n = *find_slot(o, next);
                if (!n || n->size != CI_SIZE || word_at(next, CI_PREVIOUS) != part->addr) break;
                part = n;
            }
        }
    }
    for (size_t i = 0; i < o->slots; i++) {
        OracleBlock *b = o->slot[i];
        if (!b) continue;
        scan->blocks++;
        if (b->type_tag != 0) continue;
        if (o->L && b->addr == word_at(main_block(o), o->strings_at)) b->claims |= 1u << O_STRING;
        scan->parts++;
        scan->part_bytes += b->size;
        if (!b->claims) {
            scan->unowned++;
            scan->unowned_bytes += b->size;
        } else if (b->kind >= 0) {
            if (!(b->claims & 1u << b->kind)) scan->changed++;
        } else {
            pending_remove(o, b);
            int kind = 0;
            while (!(b->claims & 1u << kind))
                kind++;
            set_kind(o, b, kind);
        }
    }
}

/* ---- counting -------------------------------------------------------------------------------- */

void oracle_poll(Oracle *o) {
    if (!o->L || o->frozen) return;
    void *ud;
    bool hooked = lua_getallocf(o->L, &ud) != oracle_alloc || ud != o;
    if (hooked && !o->hooked) {
        memset(&o->f, 0, sizeof o->f);
        for (size_t i = 0; i < o->slots; i++)
            if (o->slot[i]) o->slot[i]->life = OL_BEFORE;
    }
    o->hooked = hooked;
}

/* Is the function on top of the stack one of the profiler's API? It is when its caller is the
 * function that said it would call it; or the caller's caller, if it is not a finalizer, for the
 * API's functions may call others of their own. */
static bool in_api(const Oracle *o) {
    lua_Debug top, ar;
    if (!o->api_L || !lua_getstack(o->api_L, 0, &top)) return false;
    for (int level = 1; level <= 2; level++) {
        const void *ci = lua_getstack(o->api_L, level, &ar) ? (const void *)ar.i_ci : NULL;
        if (ci == o->api_ci)
            return level == 1 ||
                   (lua_getinfo(o->api_L, "nS", &top) && *top.namewhat == 0 && *top.what == 'C');
        if (!ci) return false;
    }
    return false;
}

static void count_free(Oracle *o, OracleBlock *b) {
    tell(o, OE_FREE, b, b->size);
    if (b->life == OL_BEFORE) o->f.before_frees++;
    if (b->life != OL_COUNTED) return;
    o->f.frees++;
    o->f.free_bytes += b->size;
    o->f.live_blocks--;
    o->f.live_bytes -= b->size;
    o->f.kind[kind_of(b->type_tag, true)].tag_live_bytes -= (int64_t)b->size;
    if (b->kind < 0) {
        o->f.unlinked++;
    } else {
        o->f.kind[b->kind].live_blocks--;
        o->f.kind[b->kind].live_bytes -= (int64_t)b->size;
    }
}

static void count_resize(Oracle *o, OracleBlock *b, size_t old, size_t size) {
    tell(o, OE_RESIZE, b, old);
    if (b->life == OL_BEFORE) o->f.before_reallocs++;
    if (b->life != OL_COUNTED) return;
    int64_t more = (int64_t)size - (int64_t)old;
    o->f.reallocs++;
    o->f.realloc_bytes += more;
    o->f.live_bytes += (uint64_t)more;
    o->f.kind[kind_of(b->type_tag, true)].tag_live_bytes += more;
    if (b->kind >= 0) o->f.kind[b->kind].live_bytes += more;
    note_peak(o);
}

/* ---- the allocator --------------------------------------------------------------------------- */

static void drop_block(Oracle *o, OracleBlock *b) {
    if (b->type_tag != 0) {
        o->tagged[b->tagged] = o->tagged[--o->tagged_n];
        o->tagged[b->tagged]->tagged = b->tagged;
    } else if (b->kind < 0 && !o->blind) {
        pending_remove(o, b);
    }
    table_remove(o, b);
    o->all_bytes -= b->size;
    oracle_memory_put(o, b->addr, b->size);
    free(b);
}

static void *new_block(Oracle *o, int type_tag, size_t size, bool own) {
    char *p = oracle_memory_get(o, size);
    if (!p) return NULL;
    OracleBlock *b = calloc(1, sizeof *b);
    *b = (OracleBlock){
        .addr = p, .size = size, .type_tag = type_tag, .kind = kind_of(type_tag, false)};
    b->life = !o->hooked ? OL_BEFORE : own ? OL_OWN : OL_COUNTED;
    table_add(o, b);
    o->all_bytes += size;
    if (o->hooked && !own) count_new(o, b);
    if (type_tag != 0) {
        int kind = b->kind;
        b->tagged = o->tagged_n;
        list_add(&o->tagged, &o->tagged_n, &o->tagged_room, b);
        set_kind(o, b, kind);
    } else if (!o->blind) {
        list_add(&o->pending, &o->pending_n, &o->pending_room, b);
    }
    return p;
}

static bool fails(Oracle *o, bool own) {
    if (own || o->fail == OF_NEVER) return false;
    uint64_t n = ++o->grown;
    return n == o->fail_at || (o->fail == OF_TWICE && n == o->fail_at + 1) ||
           (o->fail == OF_FROM && n > o->fail_at);
}

static void note_trail(Oracle *o, int op, size_t osize, size_t nsize, bool refused) {
    uint64_t words[4] = {(uint64_t)op, osize, nsize, refused};
    for (int i = 0; i < 4; i++)
        o->trail = (o->trail ^ words[i]) * 0x100000001b3ull + 1;
}

void *oracle_alloc(void *ud, void *ptr, size_t osize, size_t nsize) {
    Oracle *o = ud;
    oracle_poll(o);
    if (!ptr && nsize == 0) return NULL;
    o->requests++;
    OracleBlock *b = ptr ? *find_slot(o, ptr) : NULL;
    bool moves =
        b && b->kind == O_THREAD && b->size != CI_SIZE; /* a stack: its frames may be offsets */
    bool own = !moves && in_api(o);
    if (!o->blind && (o->deep || own || o->pending_n > 4096)) oracle_link(o);
    if (ptr && (!b || b->size != osize)) {
        o->misuse++;
        fprintf(stderr, "oracle: %p of %zu bytes given back, known as %zu\n", ptr, osize,
                b ? b->size : 0);
        if (!b) abort();
    }
    if (nsize == 0) {
        if (!own) note_trail(o, 0, osize, 0, false);
        if (b->kind < 0 && !o->blind && in_callinfo_chain(o, b, true)) {
            pending_remove(o, b);
            set_kind(o, b, O_THREAD);
        }
        if (o->hooked) count_free(o, b);
        drop_block(o, b);
        return NULL;
    }
    bool refused = (!ptr || nsize > osize) && fails(o, own);
    if (!own) note_trail(o, ptr ? 2 : 1, osize, nsize, refused);
    void *p = NULL;
    if (!refused && !ptr) {
        int type_tag = osize >= TAG_STRING && osize <= TAG_PROTO ? (int)osize : 0;
        p = new_block(o, type_tag, nsize, own);
    } else if (!refused) {
        table_remove(o, b);
        char *q = oracle_memory_resize(o, ptr, osize, nsize);
        if (q) {
            b->addr = q;
            b->size = nsize;
            o->all_bytes += nsize - osize;
        }
        table_add(o, b);
        if (q && o->hooked) count_resize(o, b, osize, nsize);
        p = q;
    }
    if (!p && o->hooked && !own) o->f.failed++;
    return p;
}

void oracle_arm(Oracle *o, OracleFail fail, uint64_t at) {
    o->fail = fail;
    o->fail_at = at;
    o->grown = 0;
    o->trail = 0xcbf29ce484222325ull;
}

/* ---- life ------------------------------------------------------------------------------------ */

void oracle_init(Oracle *o, OracleBack back, bool deep) {
    memset(o, 0, sizeof *o);
    o->back = back;
    o->deep = deep;
    o->slots = 1024;
    o->slot = calloc(o->slots, sizeof *o->slot);
}

size_t oracle_blocks(const Oracle *o) {
    return o->used;
}

void oracle_free(Oracle *o) {
    for (size_t i = 0; i < o->slots; i++)
        if (o->slot[i]) {
            oracle_memory_put(o, o->slot[i]->addr, o->slot[i]->size);
            free(o->slot[i]);
        }
    free(o->slot);
    free(o->tagged);
    free(o->pending);
    oracle_memory_end(o);
    memset(o, 0, sizeof *o);
}

bool oracle_calibrate(Oracle *o, lua_State *L) {
    o->L = L;
    /* Make the metatable of buffer boxes, and one box to look at. */
    luaL_Buffer buffer;
    luaL_buffinit(L, &buffer);
    memset(luaL_prepbuffsize(&buffer, 100000), 'x', 100000);
    lua_getfield(L, LUA_REGISTRYINDEX, "_UBOX*");
    o->ubox = lua_topointer(L, -1);
    lua_pop(L, 1);
    const char *box = lua_touserdata(L, -1);
    bool ok = o->ubox && box;
    if (ok) ok = word_at(box - 32, UDATA_META) == o->ubox;
    luaL_addsize(&buffer, 100000);
    luaL_pushresult(&buffer);
    lua_pop(L, 1);
    /* How long a thread is, and where the table of strings hangs: beside the main thread, and
     * never anything else but the sweep's place, which is none between collections. */
    lua_gc(L, LUA_GCCOLLECT);
    lua_State *thread = lua_newthread(L);
    const OracleBlock *b = *find_slot(o, (char *)thread - LUA_EXTRASPACE);
    const OracleBlock *m = *find_slot(o, main_block(o));
    if (!b || !m) return false;
    int found = 0;
    size_t begin = NEWER ? 0 : b->size, end = NEWER ? m->size - b->size : m->size;
    for (size_t at = begin; at + 8 <= end; at += 8) {
        const OracleBlock *part = *find_slot(o, word_at(m->addr, at));
        if (!part || part->type_tag != 0) continue;
        o->strings_at = at;
        found++;
    }
    o->thread_size = b->size;
    lua_pop(L, 1);
    /* Every part that there is has one owner: this checks the CallInfo's fields too. What is known
     * so far was found without the two. */
    for (size_t i = 0; i < o->slots; i++)
        if (o->slot[i] && o->slot[i]->addr == word_at(m->addr, o->strings_at))
            o->slot[i]->kind = O_STRING;
    OracleScan scan;
    oracle_scan(o, &scan);
    return ok && found == 1 && scan.unowned == 0 && scan.disputed == 0 && scan.changed == 0;
}
