/* book.c - see book.h. */
#include "book.h"

#include <stdlib.h>
#include <string.h>

#include <lauxlib.h>

/* ---- lines ----------------------------------------------------------------------------------- */

/* `defined` of the one site that stands for all functions of a line. */
enum { ALL = -2 };

BookLine *book_line(Book *b, const char *source, int line) {
    uint32_t site = source ? witness_site(&b->witness, source, ALL, line) : SITE_NONE;
    if (site >= b->sites || b->line_of[site] == UINT32_MAX) return NULL;
    return &b->line[b->line_of[site]];
}

#define ROOM_FOR_ONE(list, n, room)                                                                \
    if ((n) == (room)) {                                                                           \
        (room) = (room) ? (room)*2 : 256;                                                          \
        (list) = realloc((list), (room) * sizeof *(list));                                         \
        if (!(list)) abort();                                                                      \
    }

/* The line of a site of the witness's, which tells functions of one line apart. */
static uint32_t line_number(Book *b, uint32_t site) {
    while (b->sites <= site) {
        ROOM_FOR_ONE(b->line_of, b->sites, b->sites_room)
        b->line_of[b->sites++] = UINT32_MAX;
    }
    if (b->line_of[site] != UINT32_MAX) return b->line_of[site];
    Site s = b->witness.site[site];
    uint32_t all = site == SITE_NONE ? site : witness_site(&b->witness, s.source, ALL, s.line);
    if (all != site) {
        uint32_t line = line_number(b, all);
        return b->line_of[site] = line;
    }
    ROOM_FOR_ONE(b->line, b->lines, b->lines_room)
    b->line[b->lines] =
        (BookLine){.source = site == SITE_NONE ? NULL : strdup(s.source), .line = s.line};
    return b->line_of[site] = (uint32_t)b->lines++;
}

/* ---- writing --------------------------------------------------------------------------------- */

static void listen(void *ud, OracleEvent event, OracleBlock *block, size_t old) {
    Book *b = ud;
    if (event == OE_NEW) {
        uint32_t site = b->o->L ? witness_ask(&b->witness, NULL) : SITE_NONE;
        const Site *s = &b->witness.site[site];
        if (site != SITE_NONE && s->line < 0 && strcmp(s->source, "?") != 0) b->lost++;
        ROOM_FOR_ONE(b->block, b->blocks, b->blocks_room)
        block->number = (uint32_t)b->blocks;
        b->block[b->blocks++] = (BookBlock){line_number(b, site), block->type_tag, block->kind, 0};
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
    if (!witness_open(&b->witness)) abort();
    b->witness.main = o->L;
    o->note = listen;
    o->note_ud = b;
    witness_watch(o->L, NULL, 0, 0);
}

void book_close(Book *b) {
    for (size_t i = 0; i < b->lines; i++)
        free(b->line[i].source);
    free(b->line);
    free(b->line_of);
    witness_close(&b->witness);
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

/* ---- hooks ----------------------------------------------------------------------------------- */

int book_sethook(lua_State *L) {
    lua_State *of = lua_isthread(L, 1) ? lua_tothread(L, 1) : L;
    int n = lua_tocfunction(L, lua_upvalueindex(1))(L);
    witness_watch(of, lua_gethook(of), lua_gethookmask(of), lua_gethookcount(of));
    return n;
}
