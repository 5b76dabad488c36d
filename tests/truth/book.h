/* book.h - keeps, for every block that the oracle counts, the line that made it, and adds up what
 * became of the blocks of each line. Which line asks, doctor's witness says
 * (agent/doctor/witness.h). */
#ifndef BOOK_H
#define BOOK_H

#include "agent/doctor/witness.h"
#include "oracle.h"

typedef struct BookKind {
    int64_t allocs, bytes, live_blocks, live_bytes, tag_allocs;
} BookKind;

/* All that one line made. source NULL: outside any Lua function. */
typedef struct BookLine {
    char *source; /* short_src of lua_Debug */
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
    uint32_t *line_of; /* by site of the witness's; UINT32_MAX: not yet known */
    size_t sites, sites_room;
    Witness witness;
    BookBlock *block;
    size_t blocks, blocks_room;
    BookEvent *event;
    size_t events, events_room;
    uint64_t lost; /* requests from within a Lua function whose line is not known (count) */
} Book;

/* Listens to `o`, whose L must be set. */
void book_open(Book *b, Oracle *o);
/* Adds up: fills in all lines. To be called once, at the moment that is to be compared. */
void book_sum(Book *b);
/* The line, NULL: nothing was made there. `source` NULL: outside any Lua function. */
BookLine *book_line(Book *b, const char *source, int line);
void book_close(Book *b);

/* debug.sethook for scripts: the library's, and the count again. Upvalue 1: the library's. */
int book_sethook(lua_State *L);

#endif
