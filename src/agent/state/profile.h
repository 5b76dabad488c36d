/* profile.h - what the in-process part keeps of one profiled Lua state: private to this process,
 * shared between hook, shadow, trap, tick and lifecycle. The figures themselves live in the shared
 * state (layout.h); here are the pointers to it and what only the hook needs. */
#ifndef LMP_PROFILE_H
#define LMP_PROFILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <lua.h>

#include "agent/state/own_call.h"
#include "base/err.h"
#include "base/ownfd.h"
#include "shared/layout.h"
#include "shared/tables.h"

#define LMP_DIR_BITS (LMP_ADDRESS_BITS - LMP_LEAF_BITS)
#define LMP_DIR_SIZE (1u << LMP_DIR_BITS)

#define LIKELY(x) __builtin_expect(!!(x), 1)
#define UNLIKELY(x) __builtin_expect(!!(x), 0)
#define COLD __attribute__((cold, noinline))
#define ALWAYS_INLINE inline __attribute__((always_inline))
/* A function that is entered by jumps from others of the same parameters, which stay where they
 * are: the compiler must not change them. */
#if defined __clang__
#define BY_JUMP __attribute__((noinline))
#else
#define BY_JUMP __attribute__((noipa))
#endif

struct LmpReturnAddrs;
struct LmpCallInfo;

/* The last OP_NEWTABLE that was met: newtable.h. */
typedef struct LmpMade {
    const struct LmpCallInfo *ci; /* in whose frame */
    uintptr_t pc, proto;          /* where, and of which prototype */
    uint32_t record;              /* of the table */
    uint32_t left; /* requests for parts of its table that are still to come; LMP_MADE_REFUSED */
    uint32_t part; /* record of those, 0: not known */
} LmpMade;
#define LMP_MADE_REFUSED                                                                           \
    256u /* the last request, if that was a part: it is asked for once more                        \
          */

enum { LMP_NEWBORNS = 8 };

/* A state that is being made with our allocator (foreign.h). */
typedef struct LmpNewborn {
    _Atomic uintptr_t thread; /* where; 0: free, 1: being written */
    void *block;
} LmpNewborn;

/* What any thread may read and write at any time, also when the profile is over. */
typedef struct LmpForeign {
    _Atomic uintptr_t global;      /* of the profiled state, disguised; 0: unknown */
    _Atomic uint64_t passed;       /* requests in other threads, passed on (count) */
    _Atomic uint32_t apart, mixed; /* other states: counted nowhere; counted with ours */
    LmpNewborn newborn[LMP_NEWBORNS];
    bool taken;              /* the rest under the lock of profile_pool.h */
    uint64_t begun;          /* profiles that have had this place (count) */
    struct LmpProfile *next; /* list of profile_pool.c */
} LmpForeign;

/* The most rows of each table, row 0 included (text: bytes). 0: as in layout.h; only tests set
 * others. */
typedef struct LmpTableLimits {
    uint32_t text, functions, sites, records, nodes, paths;
} LmpTableLimits;

/* Under strict overcommit: how far the tables have been reserved (reserve.h). */
typedef struct LmpReserve {
    bool strict;
    unsigned level;
    LmpTableLimits most; /* what the limits would be otherwise */
} LmpReserve;

typedef struct LmpProfile {
    /* hot: read in every operation, one cache line */
    lua_Alloc
        alloc; /* the allocator we found, called with its own ud; they stay (profile_pool.h) */
    void *ud;
    LmpCounters *counters;        /* in live */
    const _Atomic uint32_t *trap; /* nonzero: the slow path; control->trap, or a word of ours */
    LmpLeaf **dir;          /* LMP_DIR_SIZE leaves by address >> LMP_LEAF_BITS, NULL: none yet */
    const uint8_t *gc_word; /* the collector's colour and state in the interpreter (or gc_none) */
    const struct LmpReturnAddrs *return_addrs; /* owners of parts by call site, NULL: by rules */
    LmpControl *control;
    uint32_t gc_seen; /* collector_now() at the last look */
    uint32_t birth;   /* what new blocks are stamped with, as bits of an entry: epoch and cycle */
    int64_t sample_left;        /* bytes up to the next sample; entry.h knows where it stands */
    _Atomic uintptr_t thread;   /* the one that runs the state (foreign.h); 0: it is over */
    struct LmpLineCache *lines; /* who makes what, NULL: not asked for */
    LmpRecord *record;          /* of the tables */
    const struct LmpSavedRegsPlan *words; /* where the caller's thread stands; NULL: not known */
    uintptr_t object_ret; /* who asks for objects, and where its thread stands then */
    int32_t object_thread;
    uint32_t tag; /* row of the running coroutine's tag, 0: none */
    const lua_State
        *running; /* ran when memory was last asked for; NULL: unknown, or freed since */
    LmpMade made; /* by the last table constructor (newtable.h) */

    bool exact;  /* each block has its alloc context: lines without sampling */
    bool framed; /* frames can be read (frames.h), and owners are known: lines without `words` are
                    told by them, not by the documented API */
    uintptr_t skew; /* low 4 bits of the addresses of the plain blocks: what most of them have */

    /* cold */
    struct LmpSampling *sampling; /* NULL: every block is accounted for */
    LmpLive *live;
    _Atomic uint32_t always; /* 1: what `trap` points to when every operation goes the slow path */
    lua_State *main;         /* main thread of the state */
    LmpOwnFd file;           /* the shared state's */
    uint32_t serial;         /* of profiles in this process */
    LmpHeader *header;
    LmpOverflow *overflow;
    LmpTables tables;
    LmpTableLimits limits;
    LmpReserve reserve;
    struct LmpIndexes *indexes;    /* of the tables, sites.c */
    struct LmpTree *tree;          /* call paths, tree.c; NULL: not kept */
    LmpLeaf **odd[LMP_LEAF_KINDS]; /* as `dir`, of other leaves: shadow.c; NULL: none yet */
    uint32_t overflow_live;        /* blocks in the overflow table (count) */
    uint64_t file_size;            /* bytes */
    LmpLeaf **leaf;                /* LMP_MAX_LEAVES: all leaves, in the order of the file */
    bool refused;                  /* the system refused a leaf; asked again after the next tick */
    uint64_t start;                /* CLOCK_MONOTONIC, nanoseconds */
    uint64_t ticked;               /* clock of the last tick, nanoseconds since start */
    uint64_t tick_peak;            /* high-water mark known at the last tick, bytes */
    int32_t tick_ops;              /* operations between ticks, adapted to their rate */
    int32_t slow_ops;   /* operations that took the slow path, which counts no other way */
    uint8_t gc_none[4]; /* stands in for the interpreter's words when they are unknown */
    bool closing; /* the collector's mode is final: lua_close sets it for itself, or all is over */
    const uint8_t *gc_bad; /* word: not zero while generational mode works incrementally; or NULL */
    const uint8_t *gc_kind;            /* incremental or generational; NULL: unknown */
    uint64_t gc_clock, gc_clock_frees; /* last reading of the clock for a cycle, and frees then */
    bool gc_full;                      /* the cycle under way looks at all of the heap */
    uint64_t gc_start_frees, gc_start_bytes; /* totals when the sweep under way began */
    bool detached;        /* in a forked child, or stopped under a wrapper: pass through */
    uint32_t step_target; /* steps granted so far, of control->step */
    uint8_t rule_last;    /* owner rules: class of the last request (owner.c) */
    bool rule_parsing;
    LmpOwn own;             /* our own API call under way: its blocks are LMP_C_OWN */
    bool collecting;        /* a full collection was asked for, and threads for it (safepoint.h) */
    uint64_t collect_asked; /* clock of that */
    struct LmpSafepoints *safepoints; /* of the state, profiler.c */
    struct LmpBreakCheck *breaks;     /* break conditions (break_check.h) */
    bool paused_safe;                 /* paused where the stacks may be looked at */
    struct LmpTagMap *tags;           /* of coroutines, NULL: none was ever set (tags.c) */
    struct LmpNames *names;           /* paths of functions (names.c) */
    uint64_t live_history_cost;  /* what the last row cost, times as much as it has to wait for */
    uint32_t live_history_sites; /* sites when the row under way was begun; 0: none is */
    uint64_t live_history_spent; /* on its beginning, nanoseconds */
    uint64_t live_history_work;  /* bytes made until then */
    uint64_t live_history_due; /* clock from which on a cycle makes the next row, ns since start */
    void (*at_look)(struct LmpProfile *p); /* from some ticks: session.h */
    bool expecting;     /* another state is being made here: the next request is its own */
    LmpForeign foreign; /* last: it stays (profile_pool.h) */
} LmpProfile;

#endif
