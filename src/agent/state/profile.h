/* profile.h - what the in-process part keeps of one profiled Lua state, private to this process.
 * The figures themselves live in the shared state (layout.h).
 *
 * What the hot path reads is held here by value, and so is what several rooms share. What belongs
 * to one file is a struct in that file's header, with a pointer to it here; session.h has the
 * memory of those that are always there. */
#ifndef LMP_PROFILE_H
#define LMP_PROFILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <lua.h>

#include "agent/state/own_call.h"
#include "agent/state/pass_through.h"
#include "base/err.h"
#include "base/own.h"
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

struct LmpCallInfo;

/* Where the leaves of the shadow map are, besides the directory that the hook reads: state.c maps
 * and unmaps them, shadow.c adds to them. */
typedef struct LmpLeaves {
    LmpLeaf **odd[LMP_LEAF_KINDS]; /* as the directory, of other leaves: shadow.c; NULL: none yet */
    LmpLeaf **all;                 /* LMP_MAX_LEAVES, in the order of the file */
    LmpLeaf **shared;              /* the same, but while `all` are frozen (freeze.h) */
    uint64_t file_size;            /* bytes */
    uint32_t overflow;             /* blocks in the overflow table (count) */
    bool refused;                  /* the system refused one; asked again after the next tick */
} LmpLeaves;

/* The most rows of each table, row 0 included (text: bytes). 0: as in layout.h; only tests set
 * others. sites.c obeys it, reserve.c sets it where memory has to be reserved. */
typedef struct LmpTableLimits {
    uint32_t text, functions, sites, records, nodes, paths, edges, overrides;
} LmpTableLimits;

/* How far the tables have been reserved. */
typedef struct LmpReserve {
    bool strict;
    unsigned level;
    LmpTableLimits most; /* what the limits would be otherwise */
} LmpReserve;

/* The last OP_NEWTABLE that was met: newtable.h reads it, lines.h notes it. */
typedef struct LmpMade {
    const struct LmpCallInfo *ci; /* in whose frame */
    uintptr_t pc, proto;          /* where, and of which prototype */
    uint32_t record;              /* of the table */
    uint32_t left; /* requests for parts of its table that are still to come; LMP_MADE_REFUSED */
    uint32_t part; /* record of those, 0: not known */
} LmpMade;

/* In `left`: the last request, if for a part, was refused: it will be retried once. */
#define LMP_MADE_REFUSED 256u

/* What has to wait for a place between two instructions of the program (safepoint.h). */
typedef struct LmpErrand {
    bool due;       /* the threads have to be prepared for it */
    bool waits;     /* they are: it is to be done at the next instruction of whichever runs */
    uint64_t asked; /* clock of that */
} LmpErrand;

typedef struct LmpProfile {
    /* hot: one cache line that every operation reads, and what lines need */
    LmpPassThrough pass;          /* first: it is never cleared, and entry.h knows its offset */
    LmpCounters *counters;        /* in live */
    const _Atomic uint32_t *trap; /* nonzero: the slow path; control->trap, or slow->always */
    LmpLeaf **dir;          /* LMP_DIR_SIZE leaves by address >> LMP_LEAF_BITS, NULL: none yet */
    const uint8_t *gc_word; /* the collector's colour and state (or collector->none) */
    LmpControl *control;
    uint32_t gc_seen; /* collector_now() at the last look */
    uint32_t birth;   /* what new blocks are stamped with, as bits of an entry: epoch and cycle */
    int64_t sample_left; /* bytes up to the next sample; entry.h knows its offset */
    /* where the map has only what must be known of: light.h says of what */
    bool whole;         /* the map has every block; entry.h knows its offset */
    bool stays_whole;   /* and has to */
    bool threads_plain; /* who frees a thread tells: only those that are remembered are watched */
    const struct LmpCallClasses *freed; /* classes of blocks that it lacks, by who frees or resizes
                                           them; NULL: it lacks none */
    uint64_t **watched;                 /* bits by address, as `dir`: watched.h; NULL: not in use */
    uint64_t **watched_room;            /* the same, NULL: there is none */
    uint32_t watched_used;
    uint64_t light_due;      /* clock at which the map may be left alone; 0: it never may, or is */
    uint64_t light_wait;     /* until the next try, nanoseconds */
    uint64_t looked_at;      /* clock of the last look at the map, nanoseconds since start */
    const uintptr_t *newest; /* the state's word that leads to its newest object; NULL: not known */
    const struct LmpCallClasses *owners; /* of parts, by call site; NULL: by rules */
    struct LmpLineCache *lines;          /* who makes what, NULL: not asked for */
    struct LmpInspection *look;          /* at what strings are made of; NULL: not known */
    LmpRecord *record;                   /* of the tables */
    const struct LmpSavedRegsPlan *regs; /* where the caller's thread is kept; NULL: not known */
    uintptr_t object_ret; /* who asks for objects, and where its thread is kept then */
    int32_t object_thread;
    uint32_t tag; /* row of the running coroutine's tag, 0: none */
    const lua_State
        *running; /* ran when memory was last asked for; NULL: unknown, or freed since */
    LmpMade made; /* by the last table constructor */

    bool exact;     /* each block has its alloc context: lines without sampling */
    bool framed;    /* frames can be read (frames.h), and owners are known: lines without `regs` are
                       told by them, not by the documented API */
    uintptr_t skew; /* low 4 bits of the addresses of the plain blocks: what most of them have */

    /* cold: the shared state, and its tables */
    LmpOwnFd file;   /* the shared state's */
    uint32_t serial; /* of profiles in this process */
    LmpHeader *header;
    LmpLive *live;
    LmpOverflow *overflow;
    LmpLeaves leaves;
    LmpTables tables;
    LmpTableLimits limits;
    LmpReserve reserve;

    /* the state that is profiled, and the time */
    lua_State *main;  /* its main thread */
    uint64_t start;   /* CLOCK_MONOTONIC, nanoseconds */
    uint64_t ticked;  /* clock of the last tick, nanoseconds since start */
    int32_t tick_ops; /* operations between ticks, adapted to their rate */
    bool closing;     /* the collector's mode is final: lua_close sets its own, or all is over */
    bool expecting;   /* another state is being made here: the next request is its own */
    uint32_t code_deaths; /* of code that was watched (lines_watch; count) */
    LmpErrand collect;    /* a full collection was asked for */
    LmpOwn own;           /* our own API call under way: its blocks are LMP_C_OWN */

    /* what belongs to one file alone, which says what is in it */
    struct LmpSlowPath *slow;                /* slow_path.h */
    struct LmpBreakCheck *breaks;            /* break_check.h */
    struct LmpSampling *sampling;            /* sample.h; NULL: every block is accounted for */
    struct LmpCollector *collector;          /* collector.h */
    struct LmpOwnerRules *rules;             /* owner.h */
    struct LmpSafepoints *safepoints;        /* safepoint.h: of the state */
    struct LmpSnapshots *snapshots;          /* snapshot.h */
    struct LmpLimit *limit;                  /* limit.h */
    struct LmpContainerLooks *containers;    /* objects/containers.h */
    struct LmpCallerSampling *callers;       /* callers.h */
    struct LmpCycles *cycles;                /* cycles.h */
    struct LmpLiveHistoryPlan *live_history; /* cycles.h */
    struct LmpIndexes *indexes;              /* of the tables, sites.c */
    struct LmpCounts *counts;                /* counts.h; NULL: memory alone is counted */
    struct LmpTree *tree;                    /* call paths, tree.c; NULL: not kept */
    struct LmpTagMap *tags;                  /* of coroutines, tags.c; NULL: none was ever set */
    struct LmpNames *names;                  /* paths of functions, names.c; NULL: none */
    struct LmpCNames *c_names;               /* of them, those of C functions: c_names.h */
    void (*at_look)(struct LmpProfile *p);   /* from some ticks: session.h */

    LmpForeign foreign; /* from here on nothing is cleared */
    LmpPoolSlot slot;
} LmpProfile;

#endif
