/* snapshot_impl.h - what the parts of a snapshot share. Order of the making (snapshot.c):
 *
 *     references.c    references of tables in an order that no hash has made
 *     reach.c         who is held by the root, and by which shortest path
 *     references.c    references to each object
 *     dominators.c    immediate dominators, retained sizes, children by size
 *     places.c        what lives where, so that functions and metatables have names
 *     classes.c       the class of each object
 *     object_words.c  words for objects and references
 *
 * Arrays are large: they are mapped, and belong to the snapshot until it is closed, or to one step
 * alone (SnapOwn.scratch), whose pages the next one goes on with. */
#ifndef LMP_SNAPSHOT_IMPL_H
#define LMP_SNAPSHOT_IMPL_H

#include "base/keymap.h"
#include "base/pairsort.h"
#include "read/snapshot/snapshot.h"

/* ---- memory: snapshot_memory.c --------------------------------------------------------------- */

typedef struct SnapBlock {
    void *at;
    size_t bytes;
    bool mapped; /* or from malloc */
    bool used;
} SnapBlock;

/* All that was taken is given back together. All zeroes is an empty one. */
typedef struct SnapMemory {
    SnapBlock *block;
    uint32_t blocks, room;
} SnapMemory;

/* Returns n elements of `size` bytes, all zeroes; NULL: no memory. */
void *snap_memory_take(SnapMemory *memory, size_t n, size_t size);
/* Returns the same with whatever was in it before, for who writes all of it. */
void *snap_memory_rough(SnapMemory *memory, size_t n, size_t size);
/* Returns all zeroes, for what may be large but hardly ever is: its pages are made when they are
 * touched. */
void *snap_memory_sparse(SnapMemory *memory, size_t n, size_t size);
/* This array is needed no more. */
void snap_memory_put(SnapMemory *memory, const void *array);
/* Lets memory be taken again, of which nothing is needed any more: pages that a step has made are
 * the next one's. */
void snap_memory_again(SnapMemory *memory);
void snap_memory_free(SnapMemory *memory);

/* ---- sets of objects ------------------------------------------------------------------------- */

static inline size_t snap_set_words(uint32_t objects) {
    return (size_t)objects / 64 + 1;
}
static inline bool snap_set_has(const uint64_t *set, uint32_t i) {
    return set[i / 64] >> i % 64 & 1;
}
static inline void snap_set_add(uint64_t *set, uint32_t i) {
    set[i / 64] |= 1ull << i % 64;
}

/* ---- ephemerons ------------------------------------------------------------------------------ */

/* Values in tables with weak keys, by key: those of object i are edge[at[i]] to at[i + 1] - 1, and
 * their tables table[]. Only those whose table is held. `at` NULL: there are none. */
typedef struct SnapEphemerons {
    uint32_t *at, *edge, *table;
} SnapEphemerons;

/* Returns true if the edge holds its target once the label's object is held, too. */
static inline bool snap_ephemeron(const LmpObjectGraph *g, uint32_t edge) {
    return (g->edge_kind[edge] & (LMP_EDGE_WEAK | LMP_EDGE_EPHEMERON)) == LMP_EDGE_EPHEMERON;
}

/* ---- places ---------------------------------------------------------------------------------- */

/* What can be reached by names alone, from globals and loaded modules. */
typedef struct SnapPlace {
    uint32_t object;
    uint32_t
        above;    /* the place of the table that it lies in; LMP_OBJECT_NONE: a global, a module */
    uint32_t key; /* its name's object */
} SnapPlace;

/* ---- marks ----------------------------------------------------------------------------------- */

/* What a search notes of an object. There are millions of objects and many searches, most of which
 * see a few objects: so marks stay, and one of an earlier round counts as none. */
typedef struct SnapMark {
    uint32_t round;
    uint32_t tree, edge, to, depth; /* why_search.c */
    uint8_t state;
    bool ignored; /* for several rounds */
} SnapMark;

typedef struct SnapOwn {
    SnapMemory memory;
    SnapMemory scratch; /* of the step under way, until nobody waits */
    bool is_read;
    LmpProgress *progress; /* who waits for the opening, or snapshot_waits; NULL: nobody */
    const char *step;      /* the one under way ... */
    double begin, size;    /* ... which is this part of all */
    bool stopped;
    LmpSnapRead read;
    LmpView view;
    SnapEphemerons ephemerons;
    uint32_t counted_end; /* objects 1 to counted_end - 1 are neither from before start nor lots */
    uint32_t before_end;  /* ... and those up to here are from before start */
    bool counted_sorted, before_sorted; /* by address */
    SnapPlace *place;
    uint32_t places;
    KeyMap place_of;      /* row of place[] by object */
    KeyMap c_place_of;    /* the object with the best place of a C function, by address */
    uint32_t *proto_name; /* by ordinal: the object of its function's name, 0: none */
    KeyMap function_of;   /* row of the tables' functions, by snap_code_key() or C address */
    SnapMark *mark;       /* of each object; NULL: nobody has searched yet */
    uint32_t mark_round;
    uint64_t *used;     /* set of references, empty between two questions */
    uint32_t *frame_at; /* of each thread by ordinal, and one more: its first frame */
} SnapOwn;

static inline SnapOwn *snap_own(const LmpSnapshot *s) {
    return s->own;
}

/* ---- the steps; each false: no memory, or stopped -------------------------------------------- */

#define SNAP_TICK 0x3ffffu /* a step says how far it is when these bits of its count are 0 */

/* Tells who waits that so many of all objects are done. Returns false: stop. */
bool snap_tick(const LmpSnapshot *s, uint32_t done);

bool references_make_order(LmpSnapshot *s);
bool reach_make(LmpSnapshot *s);
bool references_make_incoming(LmpSnapshot *s);
bool dominators_make(LmpSnapshot *s);
bool places_make(LmpSnapshot *s);
bool classes_make(LmpSnapshot *s);

/* ---- words: words.c -------------------------------------------------------------------------- */

/* A text being written: never over its end, ended at all times, cut with an ellipsis. */
typedef struct SnapWords {
    char *out;
    size_t size, at;
    bool full;
} SnapWords;

SnapWords words_begin(char *out, size_t size);
/* Adds text that is safe already. */
void words_put(SnapWords *w, const char *text);
void words_format(SnapWords *w, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Adds foreign bytes made safe, at most `most` of them; `cut`: they are only a beginning. */
void words_bytes(SnapWords *w, const char *bytes, size_t n, size_t most, bool cut);
/* Writes the text of a string object, without quotes. */
void words_string(SnapWords *w, const LmpSnapshot *s, uint32_t object, size_t most);
/* Writes a string as a key: `.name`, or `["any text"]`; without the dot where a path begins. */
void words_key(SnapWords *w, const LmpSnapshot *s, uint32_t object, bool dot);
/* Writes a table's string keys: `{id, name, price}`, `{[n], id}`, `{}`, `{many keys}`. */
void classes_put_keys(SnapWords *w, const LmpSnapshot *s, uint32_t table);
enum { SNAP_SHAPE_KEYS = 16 }; /* a table with more string keys is a dictionary */
/* Writes "cache.lua", of a proto's source as lua_Debug has it. */
void words_source(SnapWords *w, const LmpSnapshot *s, uint32_t proto);
/* Writes "get (cache.lua:3)", "main chunk (cache.lua)"; `what` stands before. */
void words_function(SnapWords *w, const LmpSnapshot *s, uint32_t proto, const char *what);
/* Writes "table.insert" of a C function; where no name is known, "lua5.4+0x1a50". */
void words_c_function(SnapWords *w, const LmpSnapshot *s, uint32_t object);
/* Writes "app.Account" of what has a place. Returns false: the object has none. */
bool words_place(SnapWords *w, const LmpSnapshot *s, uint32_t object);

/* Returns what Lua functions are found by in the tables; C functions: by address. */
uint64_t snap_code_key(const char *source, size_t n, int64_t line);

/* Returns true if the string's text is this (a C text). */
bool snap_is_text(const LmpSnapshot *s, uint32_t object, const char *text);
/* Returns the target of the first edge of a kind; LMP_OBJECT_NONE: none. */
uint32_t snap_edge_of(const LmpSnapshot *s, uint32_t object, unsigned kind);
/* Returns the object at table.key for a string key; LMP_OBJECT_NONE: none. */
uint32_t snap_field(const LmpSnapshot *s, uint32_t table, const char *key);
/* Returns the name of an upvalue as the function that has it says; 0: none. */
uint32_t snap_upvalue_name(const LmpSnapshot *s, uint32_t upvalue);
/* Returns the function at the bottom of a thread's stack; 0: none that is an object. */
uint32_t snap_thread_function(const LmpSnapshot *s, uint32_t thread);

#endif
