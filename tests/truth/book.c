/* book.c - see book.h. */
#include "book.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include <lauxlib.h>

/* ---- which line ------------------------------------------------------------------------------ */

static lua_State *resumed_by(const Book *b, lua_State *L, const lua_Debug *top) {
    const void *ci = top ? (const void *)top->i_ci : NULL;
    for (int i = b->resumes; i-- > 0;)
        if (b->resumed[i].from == L && b->resumed[i].ci == ci) return b->resumed[i].to;
    return NULL;
}

/* The thread that L's innermost function, a C function, is running; NULL: none. */
static lua_State *child_of(const Book *b, lua_State *L, lua_Debug *top) {
    lua_State *t = resumed_by(b, L, top);
    if (t) return t;
    lua_Debug ar;
    for (int way = 0; top && way < 2; way++) {
        t = lua_tothread(L, way == 0 ? 1 : lua_upvalueindex(1));
        if (t && t != L && lua_status(t) == LUA_OK && lua_getstack(t, 0, &ar)) return t;
    }
    return NULL;
}

enum { CHAIN_MAX = 256 };

/* False: no Lua function runs. */
static bool running_line(Book *b, lua_Debug *ar) {
    lua_State *chain[CHAIN_MAX];
    int n = 0;
    for (lua_State *L = b->o->L; L && n < CHAIN_MAX;) {
        lua_Debug top;
        chain[n++] = L;
        bool has = lua_getstack(L, 0, &top);
        if (has) {
            lua_getinfo(L, "S", &top);
            if (*top.what != 'C') break;
        }
        lua_State *t = child_of(b, L, has ? &top : NULL);
        for (int i = 0; i < n; i++)
            if (chain[i] == t) t = NULL;
        L = t;
    }
    while (n-- > 0)
        for (int level = 0; lua_getstack(chain[n], level, ar); level++) {
            lua_getinfo(chain[n], "Sl", ar);
            if (*ar->what != 'C') return true;
        }
    return false;
}

/* ---- lines ----------------------------------------------------------------------------------- */

static size_t hash(const char *source, int line) {
    uint64_t h = (uint64_t)(unsigned)line * 0x9e3779b97f4a7c15ull;
    while (source && *source)
        h = (h ^ (unsigned char)*source++) * 0x100000001b3ull;
    return h ^ h >> 29;
}

static bool is_line(const BookLine *l, const char *source, int line) {
    if (l->line != line || !l->source != !source) return false;
    return !source || strcmp(l->source, source) == 0;
}

/* The place in the index where the line's number + 1 is, or 0 where it would be. */
static uint32_t *place(const Book *b, const char *source, int line) {
    size_t i = hash(source, line) & (b->index_size - 1);
    while (b->index[i] && !is_line(&b->line[b->index[i] - 1], source, line))
        i = (i + 1) & (b->index_size - 1);
    return &b->index[i];
}

BookLine *book_line(const Book *b, const char *source, int line) {
    uint32_t n = *place(b, source, line);
    return n ? &b->line[n - 1] : NULL;
}

#define ROOM_FOR_ONE(list, n, room)                                                                \
    if ((n) == (room)) {                                                                           \
        (room) = (room) ? (room)*2 : 256;                                                          \
        (list) = realloc((list), (room) * sizeof *(list));                                         \
        if (!(list)) abort();                                                                      \
    }

static uint32_t line_number(Book *b, const char *source, int line) {
    uint32_t *at = place(b, source, line);
    if (*at) return *at - 1;
    ROOM_FOR_ONE(b->line, b->lines, b->lines_room)
    b->line[b->lines] = (BookLine){.source = source ? strdup(source) : NULL, .line = line};
    *at = (uint32_t)++b->lines;
    if (b->lines * 2 > b->index_size) {
        free(b->index);
        b->index_size *= 2;
        b->index = calloc(b->index_size, sizeof *b->index);
        for (size_t i = 0; i < b->lines; i++)
            *place(b, b->line[i].source, b->line[i].line) = (uint32_t)i + 1;
    }
    return (uint32_t)b->lines - 1;
}

/* ---- writing --------------------------------------------------------------------------------- */

static void listen(void *ud, OracleEvent event, OracleBlock *block, size_t old) {
    Book *b = ud;
    if (event == OE_NEW) {
        lua_Debug ar;
        bool lua = b->o->L && running_line(b, &ar);
        if (lua && ar.currentline < 0 && strcmp(ar.source, "=?") != 0) b->lost++;
        ROOM_FOR_ONE(b->block, b->blocks, b->blocks_room)
        block->number = (uint32_t)b->blocks;
        b->block[b->blocks++] =
            (BookBlock){.line = line_number(b, lua ? ar.source : NULL, lua ? ar.currentline : -1),
                        .type_tag = block->type_tag,
                        .kind = block->kind};
    }
    if (event == OE_KIND) {
        b->block[block->number].kind = block->kind;
        return;
    }
    ROOM_FOR_ONE(b->event, b->events, b->events_room)
    b->event[b->events++] = (BookEvent){event, block->number, old, block->size};
}

void book_open(Book *b, Oracle *o) {
    memset(b, 0, sizeof *b);
    b->o = o;
    b->index_size = 1024;
    b->index = calloc(b->index_size, sizeof *b->index);
    o->note = listen;
    o->note_ud = b;
    book_set(o->L, NULL, 0, 0);
}

void book_close(Book *b) {
    for (size_t i = 0; i < b->lines; i++)
        free(b->line[i].source);
    free(b->line);
    free(b->index);
    free(b->block);
    free(b->event);
    memset(b, 0, sizeof *b);
}

/* ---- adding up ------------------------------------------------------------------------------- */

static int tag_kind(int tag) {
    static const int kind[] = {[4] = O_STRING, O_TABLE, O_FUNCTION, O_USERDATA, O_THREAD};
    return tag >= 4 && tag <= 8 ? kind[tag] : O_OTHER;
}

/* A part that was gone before any object pointed to it was the parser's. */
static int owner_kind(const BookBlock *block) {
    return block->kind < 0 ? O_FUNCTION : block->kind;
}

static void apply(Book *b, const BookEvent *e) {
    BookBlock *block = &b->block[e->block];
    BookLine *l = &b->line[block->line];
    BookKind *k = &l->kind[owner_kind(block)];
    int64_t size = (int64_t)e->size, more = size - (int64_t)e->old;
    switch (e->what) {
    case OE_NEW:
        l->allocs++;
        l->bytes += size;
        k->allocs++;
        k->bytes += size;
        l->kind[tag_kind(block->type_tag)].tag_allocs++;
        l->live_blocks++;
        k->live_blocks++;
        break;
    case OE_RESIZE:
        l->reallocs++;
        l->realloc_bytes += more;
        break;
    case OE_FREE:
        l->frees++;
        l->free_bytes += size;
        more = -size;
        l->live_blocks--;
        k->live_blocks--;
        break;
    case OE_KIND:
        return;
    }
    l->live_bytes += more;
    k->live_bytes += more;
    block->size = (size_t)((int64_t)block->size + more);
}

static int64_t change(const BookEvent *e) {
    return e->what == OE_NEW    ? (int64_t)e->size
           : e->what == OE_FREE ? -(int64_t)e->size
                                : (int64_t)e->size - (int64_t)e->old;
}

void book_sum(Book *b) {
    size_t peak_at = 0;
    int64_t live = 0, peak = 0;
    for (size_t i = 0; i < b->events; i++) {
        live += change(&b->event[i]);
        if (live > peak) peak = live, peak_at = i + 1;
    }
    for (size_t i = 0; i < b->events; i++) {
        apply(b, &b->event[i]);
        for (size_t k = 0; i + 1 == peak_at && k < b->lines; k++)
            b->line[k].peak_bytes = b->line[k].live_bytes;
    }
}

/* ---- hooks and resumes ----------------------------------------------------------------------- */

static void never(lua_State *L, lua_Debug *ar) {
    (void)ar;
    luaL_error(L, "the count was reached after all");
}

void book_set(lua_State *L, lua_Hook f, int mask, int count) {
    if (mask & LUA_MASKCOUNT) {
        lua_sethook(L, f, mask, count); /* has its count, which saves as well */
    } else {
        lua_sethook(L, f ? f : never, mask | LUA_MASKCOUNT, INT_MAX);
    }
}

int book_sethook(lua_State *L) {
    lua_State *of = lua_isthread(L, 1) ? lua_tothread(L, 1) : L;
    int n = lua_tocfunction(L, lua_upvalueindex(1))(L);
    book_set(of, lua_gethook(of), lua_gethookmask(of), lua_gethookcount(of));
    return n;
}

int book_resume(Book *b, lua_State *L, lua_State *from, int nargs, int *results) {
    lua_Debug ar;
    int n = b->resumes;
    if (n < (int)(sizeof b->resumed / sizeof *b->resumed)) {
        b->resumed[n].from = from ? from : b->o->L;
        b->resumed[n].to = L;
        b->resumed[n].ci = lua_getstack(b->resumed[n].from, 0, &ar) ? (const void *)ar.i_ci : NULL;
        b->resumes++;
    }
    int status = lua_resume(L, from, nargs, results);
    b->resumes = n;
    return status;
}
