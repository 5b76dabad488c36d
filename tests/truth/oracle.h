/* oracle.h - an allocator that keeps its own books: what the profiler's figures are compared with.
 *
 * It stands beneath the profiler's hook (the Lua state is made on it) and shares no code and no
 * header with lmp. It knows every live block, counts what happens from the moment at which the
 * state's allocator is no longer the oracle itself (that is when a hook has been put over it), and
 * finds the owner of each part by looking for its address in the objects that could hold it.
 *
 * Life of a block: BEFORE (made before the hook was there; never counted, neither when freed nor
 * when resized), OWN (requested from within a function of the profiler's Lua API; never counted),
 * COUNTED. New memory is filled with a pattern, so that a stale word never passes for a pointer.
 *
 * Facts of Lua used here: the tags of lua_Alloc; CallInfo.previous at 16, next at 24; the metatable
 * of a userdata at 24. oracle_calibrate checks the last two on the running library. Of Lua 5.5: a
 * table's pointers lead behind the values of its array, and behind a word of its nodes; strings of
 * 48 bytes may have theirs in a block; the main thread stands at the end of the global state, which
 * it points to. */
#ifndef ORACLE_H
#define ORACLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <lua.h>

/* Lua 5.5 wants a seed. */
#if LUA_VERSION_NUM >= 505
#define lua_newstate(alloc, ud) lua_newstate(alloc, ud, 0)
#endif

enum { O_STRING, O_FUNCTION, O_USERDATA, O_THREAD, O_TABLE, O_OTHER, O_KINDS };
extern const char *const oracle_kind_name[O_KINDS];

typedef enum OracleLife { OL_BEFORE, OL_OWN, OL_COUNTED } OracleLife;

typedef struct OracleBlock {
    char *addr;
    size_t size;  /* bytes */
    int type_tag; /* of the request: 4 to 10 for objects, 0 for parts */
    OracleLife life;
    int kind;        /* by owner; -1: a part that no object points to so far */
    size_t tagged;   /* objects: index in Oracle.tagged */
    unsigned claims; /* oracle_scan: kinds that claimed it, a bit each */
    uint32_t number; /* for whoever listens (Oracle.note) */
} OracleBlock;

/* What happened to a counted block: NEW: made, its number is to be set; KIND: its owner became
 * known. */
typedef enum OracleEvent { OE_NEW, OE_KIND, OE_RESIZE, OE_FREE } OracleEvent;

typedef struct OracleKind {
    uint64_t allocs, live_blocks;
    int64_t live_bytes;
    uint64_t tag_allocs;
    int64_t tag_live_bytes;
} OracleKind;

typedef struct OracleFigures {
    uint64_t mallocs, malloc_bytes, reallocs;
    int64_t realloc_bytes;
    uint64_t frees, free_bytes, failed, live_blocks, live_bytes, peak_bytes;
    uint64_t before_frees, before_reallocs;
    uint64_t unlinked; /* parts freed before any object pointed to them (counts) */
    OracleKind kind[O_KINDS];
} OracleFigures;

typedef enum OracleFail {
    OF_NEVER,
    OF_ONCE,  /* the Nth request; its repetition after the collection succeeds */
    OF_TWICE, /* the Nth and the next: a memory error, then all is well again */
    OF_FROM   /* the Nth and all after it */
} OracleFail;

/* Where blocks come from. */
typedef enum OracleBack {
    OB_MALLOC,
    OB_MOVE,   /* malloc, and every resize moves the block */
    OB_PACKED, /* blocks side by side at addresses divisible by 8 only */
    OB_SPREAD, /* malloc, but now and then a block 64 MiB or more away from all others */
    OB_BACKS
} OracleBack;

typedef struct Oracle {
    lua_State *L; /* main thread, NULL: not made yet or closing */
    OracleBack back;
    bool blind; /* owners are not looked for at all */
    bool deep;  /* find the owner of each part at once (slow on big heaps) */
    bool hooked;
    bool frozen;        /* an own mind of the test's: do not look at lua_getallocf */
    const void *ubox;   /* metatable of luaL_Buffer's boxes */
    size_t thread_size; /* bytes of a thread; in the main one the global state follows */
    size_t strings_at;  /* where that points to the table of strings */

    /* the call into the profiler's API that is under way, innermost; api_L NULL: none */
    lua_State *api_L;
    const void *api_ci; /* CallInfo of the function that made it, NULL: the host itself */

    OracleFail fail;
    uint64_t fail_at; /* counts from 1 */
    uint64_t grown; /* requests for more memory since the failures were armed, OWN ones left out */
    uint64_t requests; /* all calls, count */
    uint64_t trail;    /* hash over all requests of the program since armed, but not addresses */

    /* Told what happens to counted blocks, after it has; NULL: nobody. `old`: bytes before. */
    void (*note)(void *ud, OracleEvent event, OracleBlock *b, size_t old);
    void *note_ud;

    OracleFigures f;
    uint64_t misuse; /* calls with a size or a pointer that is not ours (count) */

    OracleBlock **slot;
    size_t slots, used; /* open addressing by address */
    OracleBlock **tagged;
    size_t tagged_n, tagged_room;
    OracleBlock **pending; /* parts without an owner so far */
    size_t pending_n, pending_room;
    size_t all_bytes;

    struct OracleChunk *chunks; /* OB_PACKED, OB_SPREAD */
    size_t far;                 /* mappings of their own, OB_SPREAD */
    void *bins[64];
    char *bump, *bump_end;
} Oracle;

void oracle_init(Oracle *o, OracleBack back, bool deep);
/* Blocks still live (after lua_close: leaks). */
size_t oracle_blocks(const Oracle *o);
void oracle_free(Oracle *o);

void *oracle_alloc(void *ud, void *ptr, size_t osize, size_t nsize);

/* Once, before any hook: sets L and ubox, checks the offsets. False: this Lua is laid out in
 * another way. */
bool oracle_calibrate(Oracle *o, lua_State *L);

/* Sees whether a hook has come or gone; figures begin at zero when one comes. */
void oracle_poll(Oracle *o);
/* Looks for owners of pending parts. */
void oracle_link(Oracle *o);

typedef struct OracleScan {
    size_t parts, part_bytes;      /* untagged blocks */
    size_t unowned, unowned_bytes; /* of which nothing points to */
    size_t disputed;               /* of which objects of several kinds point to */
    size_t changed;                /* whose owner differs from what was found when it was made */
    size_t blocks;
} OracleScan;
/* Assigns all parts anew by one pass over all objects, and compares. */
void oracle_scan(Oracle *o, OracleScan *scan);

void oracle_arm(Oracle *o, OracleFail fail, uint64_t at);

#endif
