/* book.h - the oracle of lines: keeps, for every block that the oracle counts, the line that made
 * it, and adds up what became of the blocks of each line.
 *
 * The line is that of the innermost Lua function that runs, asked of Lua's own API at the moment of
 * the request. The API is exact if the interpreter has saved its program counter, which a count
 * hook makes it do at every instruction: book_open sets one in the main thread, threads made from
 * then on inherit it, and book_sethook sees to it that a script's own hooks do not displace it. The
 * count is so large that it is never reached, so the hook never runs and changes nothing.
 *
 * Which thread runs is found from the main thread down: `resume` and `close` have the thread as
 * their first argument, `wrap` as its upvalue, and C code that resumes one by itself says so
 * (book_resume). A coroutine in which only C functions run is charged to the line that resumed it.
 */
#ifndef BOOK_H
#define BOOK_H

#include "oracle.h"

typedef struct BookKind {
    int64_t allocs, bytes, live_blocks, live_bytes, tag_allocs;
} BookKind;

/* All that one line made. source NULL: outside any Lua function. */
typedef struct BookLine {
    char *source; /* as lua_Debug has it */
    int line;
    int64_t allocs, bytes, reallocs, realloc_bytes, frees, free_bytes, live_blocks, live_bytes;
    int64_t peak_bytes; /* live at the moment of the heap's first highest mark */
    BookKind kind[O_KINDS];
} BookLine;

typedef struct BookBlock {
    uint32_t line;      /* index of a BookLine */
    int type_tag, kind; /* as in OracleBlock */
    size_t size;        /* at the moment of the replay */
} BookBlock;

typedef struct BookEvent {
    OracleEvent what;
    uint32_t block;
    size_t old, size;
} BookEvent;

typedef struct Book {
    Oracle *o;
    BookLine *line;
    size_t lines, lines_room;
    uint32_t *index; /* of lines, by hash */
    size_t index_size;
    BookBlock *block;
    size_t blocks, blocks_room;
    BookEvent *event;
    size_t events, events_room;
    struct {
        lua_State *from, *to;
        const void *ci; /* of the C function in `from`; NULL: the host itself */
    } resumed[64];
    int resumes;
    uint64_t lost; /* requests from within a Lua function whose line is not known (count) */
} Book;

/* Listens to `o`, whose L must be set. */
void book_open(Book *b, Oracle *o);
/* Adds up: fills in all lines. To be called once, at the moment that is to be compared. */
void book_sum(Book *b);
/* The line, NULL: nothing was made there. `source` NULL: outside any Lua function. */
BookLine *book_line(const Book *b, const char *source, int line);
void book_close(Book *b);

/* lua_resume by the host, announced. */
int book_resume(Book *b, lua_State *L, lua_State *from, int nargs, int *results);
/* debug.sethook for scripts: the library's, and the count again. Upvalue 1: the library's. */
int book_sethook(lua_State *L);
/* lua_sethook by the host. */
void book_set(lua_State *L, lua_Hook f, int mask, int count);

#endif
