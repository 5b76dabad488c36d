/* layout.h - layout of the shared state: the memory file in which a profiled program keeps its
 * figures and its map of the heap, for any viewer of the same user to map.
 *
 * One file (a sealed memfd, named LMP_MEMFD_NAME) per profiled Lua state:
 *
 *     offset 0            LmpHeader    written once before the file can be found, then constant
 *     LMP_CONTROL_AT      LmpControl   the only part a viewer may write: requests
 *     LMP_LIVE_AT         LmpLive      everything else of a fixed size, written by the program
 *     LMP_BEAT_AT         LmpBeat      how far the child is that writes a snapshot of the heap
 *     LMP_OVERFLOW_AT     LmpOverflow  blocks that do not fit any grid of the shadow map
 *     LMP_TABLES_AT       the tables   who made what: texts, functions, sites, records, tree nodes,
 *                                      paths, sites by collector cycle, calls (rows.h)
 *     LMP_LEAVES_AT       LmpLeaf[n]   the shadow map, 64 MiB of addresses a leaf; n grows
 *
 * Rules. Each part begins at a multiple of LMP_PAGE_MOST, so that it can be mapped whatever the
 * system's pages are. One writer (the thread that runs the Lua state); every word is written whole.
 * The file never shrinks while mapped (F_SEAL_SHRINK; a reader checks for the seal), so a checked
 * offset stays good. There are no pointers in it, only offsets and plain addresses of the program.
 * The writer may have died anywhere: a reader checks every count and every index before it uses it.
 * Groups of words that must fit together carry a sequence number: odd while they are written.
 *
 * While a child writes a snapshot of the heap, overflow table, tables and leaves in the file are as
 * they were in the moment of the snapshot, the program's changes go to pages of its own, and come
 * to the file when the child has ended (LmpSnapshotLive.frozen; leaves that are new meanwhile are
 * shared as always). Is the program killed then, its viewers keep that moment. */
#ifndef LMP_SHARED_LAYOUT_H
#define LMP_SHARED_LAYOUT_H

#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

#include "base/kind.h"
#include "shared/callers.h"
#include "shared/containers.h"
#include "shared/laps.h"
#include "shared/paused.h"
#include "shared/rows.h"

#define LMP_MEMFD_NAME "lmp-state"      /* reads "/memfd:lmp-state (deleted)" in /proc/PID/fd */
#define LMP_MAGIC 0x4554415453504d4cull /* "LMPSTATE" in memory order, little endian */
#define LMP_LAYOUT 32u /* changes whenever anything here or in the headers of rows above does */
#define LMP_LAYOUT_DIGEST 0x63619aa2f27e88eeull

#define LMP_PAGE_MOST (64ull << 10) /* bytes of the largest page that a system may have */
#define LMP_CONTROL_AT LMP_PAGE_MOST
#define LMP_LIVE_AT (2 * LMP_PAGE_MOST)
#define LMP_OVERFLOW_AT (1ull << 20)
#define LMP_BEAT_AT (LMP_OVERFLOW_AT - LMP_PAGE_MOST)
#define LMP_TABLES_AT (16ull << 20)
#define LMP_LEAVES_AT (412ull << 20)

/* ---- header ---------------------------------------------------------------------------------- */

typedef struct LmpHeader {
    uint64_t magic;       /* LMP_MAGIC, stored last */
    uint32_t layout;      /* LMP_LAYOUT */
    uint32_t header_size; /* sizeof(LmpHeader), and so on: a second check of the layout */
    uint32_t control_size;
    uint32_t live_size;
    uint64_t leaf_size;
    uint32_t pid;            /* of the profiled process, in its own pid namespace */
    uint32_t serial;         /* 1, 2, ... for the states profiled in this process */
    uint64_t start_realtime; /* nanoseconds since 1970 */
    uint64_t start_clock;    /* CLOCK_MONOTONIC at start, nanoseconds; times below count from it */
    char program[256];       /* script, or option `name`; NUL-terminated, UTF-8 not guaranteed */
    char lua[32];            /* "Lua 5.4.4" */
    char lmp[32];            /* version of the module */
    uint32_t interval_us;    /* wanted time between repaints, from option fps */
    uint32_t top;            /* rows of the summary's tables, from option top */
    uint64_t pid_space;   /* inode of the pid namespace that `pid` is a number of; 0: not known */
    uint64_t before;      /* bytes that Lua had at start: they are in no figure */
    uint32_t forked_from; /* pid of the profile whose process was forked for this one; 0: none */
    uint32_t reserved;
} LmpHeader;

/* ---- control: what viewers request ----------------------------------------------------------- */

#define LMP_PREVIEWS 64u /* blocks whose contents can be asked for at once */
#define LMP_PREVIEW_HASHED (4u << 20)
#define LMP_PREVIEW_BYTES 96u /* bytes of each */

/* Who a viewer is: its pid, in its own pid namespace; with LMP_VIEWER_LOCKED it holds a shared lock
 * on the byte of the file that LMP_VIEWER_LOCK tells, and lives as long as somebody does. */
#define LMP_VIEWER_LOCKED (1u << 31)
#define LMP_VIEWER_PID(viewer) ((viewer) & ~LMP_VIEWER_LOCKED)
#define LMP_VIEWER_LOCK(viewer) ((1ull << 40) + LMP_VIEWER_PID(viewer))

#define LMP_BREAKS 16u          /* break conditions at once */
#define LMP_BREAK_FILE 92u      /* bytes of a file's name in one, with its NUL */
#define LMP_SNAPSHOT_FILE 1024u /* bytes of the name of a snapshot's file, with its NUL */

typedef enum LmpBreakKind {
    LMP_BREAK_NONE,
    LMP_BREAK_SIZE, /* a block larger than `bytes` is asked for */
    LMP_BREAK_HEAP, /* the heap grows above `bytes` */
    LMP_BREAK_AT,   /* memory is asked for at `file`, line `line` */
    LMP_BREAK_TYPE, /* memory of kind `type` is asked for */
    LMP_BREAK_PEAK, /* the heap is larger than ever before; once */
    LMP_BREAK_GC,   /* a collector cycle has ended; once */
    LMP_BREAK_KINDS
} LmpBreakKind;

typedef enum LmpBreakAction {
    LMP_BREAK_PAUSE,
    LMP_BREAK_SNAPSHOT, /* take a snapshot of the heap, and go on */
    LMP_BREAK_ACTIONS
} LmpBreakAction;

/* A condition, and what to do when it is met; see breaks.h for what each kind takes. */
typedef struct LmpBreak {
    uint32_t kind; /* LmpBreakKind */
    uint32_t on;   /* 0: listed only */
    uint64_t bytes;
    uint32_t type; /* LmpKind */
    int32_t line;
    uint32_t action;           /* LmpBreakAction */
    char file[LMP_BREAK_FILE]; /* or the last parts of its path */
    uint64_t turn; /* one more whenever it is switched on again: what was met before is forgotten */
} LmpBreak;

/* A viewer writes a request, then sets `trap`, then adds one to `wake` and wakes the futex there.
 * The hook sees `trap` in its next memory operation (or, when it sleeps, wakes), takes it back to
 * zero and then reads the requests. Wishes that are counts are fulfilled when the program's own
 * count (in LmpLive) has caught up. */
typedef struct LmpControl {
    _Atomic uint32_t trap;
    _Atomic uint32_t wake;    /* futex of the paused program */
    _Atomic uint32_t pause;   /* 1: pause in the next memory operation */
    _Atomic uint32_t step;    /* operations to let through while paused (count) */
    _Atomic uint32_t collect; /* full collections (count) */
    _Atomic uint32_t mark;    /* marks (count) */
    _Atomic uint32_t preview; /* sequence of the request below (count) */
    _Atomic uint32_t viewer;  /* who paused, as above: if it dies, the program goes on */
    _Atomic uint32_t frame; /* from 1, one more a repaint; the hook stamps it on what it touches */
    _Atomic uint32_t attached; /* number of viewers attached at the moment (information only) */
    uint32_t preview_count;
    uint32_t
        preview_whole; /* 1: strings are to be compared, up to LMP_PREVIEW_HASHED bytes of all */
    uint64_t preview_addr[LMP_PREVIEWS];
    /* The break conditions: the last list written counts, whoever wrote it. They go when the
     * viewer goes that wrote it. */
    _Atomic uint32_t breaks;        /* sequence: odd while a viewer writes the list */
    _Atomic uint32_t breaks_viewer; /* who, as above */
    uint32_t break_count;
    _Atomic uint32_t locals; /* sequence of the request to see locals of another frame (count) */
    uint32_t locals_frame;   /* index in LmpOp.frame */
    /* By `lmp run`, when it has seen the program's end: 1 + its status as wait() gives it; 0: not
     * known. */
    _Atomic uint32_t ended;
    _Atomic uint32_t memory;     /* sequence of the request to say what Lua counts (count) */
    _Atomic uint32_t given_back; /* by `lmp run`, when the program is gone and nobody looks: 1: all
                                    of the shadow map, which reads as 0 now */
    LmpBreak break_row[LMP_BREAKS];
    /* A heap snapshot. Whoever asks makes the sequence odd, writes the rest, and makes it even. */
    _Atomic uint32_t snapshot;           /* sequence */
    _Atomic uint32_t snapshot_withdrawn; /* the sequence of one that is not to be taken any more */
    uint32_t snapshot_how;               /* LmpSnapshotHow */
    uint32_t spare3;
    char snapshot_file[LMP_SNAPSHOT_FILE]; /* absolute; a directory ("/" at the end): a name is
                                              chosen in it. NUL-terminated */
    _Atomic uint32_t inside;               /* sequence of the request below (count) */
    uint32_t spare4;
    LmpInsideWish inside_wish;
    /* LmpLive.changed is bumped at marks, too, and once when live bytes are more than this. Set by
     * who records; 0: nobody does. */
    _Atomic uint64_t peak_wake;
} LmpControl;

/* ---- live: figures --------------------------------------------------------------------------- */

/* What happened to the blocks of one class. Bytes are as Lua asked for them. Live blocks are
 * allocs - frees. `realloc_bytes` is the sum of new - old, so it may be negative. */
typedef struct LmpClassCount {
    uint64_t allocs, alloc_bytes;
    uint64_t frees, free_bytes;
    uint64_t reallocs;
    int64_t realloc_bytes;
    uint64_t spare[2]; /* one cache line */
} LmpClassCount;

/* All exact, read through counters_read (counters.h).
 *
 * The hot path adds one packed word per operation: bits 0-39 bytes, bits 40-63 a count that starts
 * at `bias` and reaches the sign bit when it is time to fold the word into the full counters. So
 * the totals of class c are count[c] plus what alloc_now[c] and free_now[c] hold. `seq` is odd
 * while they are folded. live_bytes is their balance over the counted classes; the high-water mark
 * is the largest of live_bytes, peak_bytes and peak_kept (peak_* is only brought up to date before
 * live_bytes falls). While a part of the run is measured, peak_bytes is that part's own mark, and
 * peak_kept the whole run's: counters_split_peak. */
typedef struct LmpCounters {
    uint64_t live_bytes;
    uint64_t peak_bytes;
    _Atomic uint32_t seq;
    uint32_t bias;                            /* what the counts of all packed words start at */
    uint64_t peak_clock;                      /* when, about; nanoseconds since start */
    uint64_t failed, failed_bytes;            /* requests that the allocator under us refused */
    uint64_t before_frees, before_free_bytes; /* blocks from before start: not in other figures */
    uint64_t before_reallocs;
    int64_t before_realloc_bytes;
    uint64_t dropped, dropped_bytes; /* allocations not accounted: no memory for the map */
    uint32_t peak_serial; /* from 1, one more whenever peak_bytes is brought up to date, and in a
                             circle */
    uint32_t spare0;
    uint64_t peak_kept; /* 0: nothing is measured */
    uint64_t spare[2];
    uint64_t alloc_now[LMP_CLASSES]; /* packed: allocations since the last fold */
    uint64_t free_now[LMP_CLASSES];  /* packed: frees since the last fold */
    LmpClassCount count[LMP_CLASSES];
    uint64_t class_peak[LMP_CLASSES]; /* live bytes at the moment of the peak */
} LmpCounters;

/* ---- live: garbage collector ----------------------------------------------------------------- */

#define LMP_GC_RING 256u

typedef struct LmpGcCycle {
    uint64_t start, end; /* nanoseconds since start: atomic phase seen, sweep ended */
    uint64_t freed_bytes, freed_blocks; /* by frees of counted blocks between the two */
    uint64_t live_bytes;                /* after it */
} LmpGcCycle;

typedef enum LmpGcMode { LMP_GC_UNKNOWN, LMP_GC_INCREMENTAL, LMP_GC_GENERATIONAL } LmpGcMode;

typedef struct LmpGc {
    uint64_t cycles;   /* finished; the last ones are in ring[(cycles - 1) % LMP_GC_RING] ... */
    uint32_t mode;     /* LmpGcMode; LMP_GC_UNKNOWN: cycles cannot be seen on this interpreter */
    uint32_t sweeping; /* 1 between the two moments of a cycle */
    LmpGcCycle now;    /* the cycle under way */
    uint64_t freed_bytes, freed_blocks; /* by all finished cycles */
    uint64_t
        full; /* of the cycles, those that looked at all of the heap (all in incremental mode) */
    LmpGcCycle ring[LMP_GC_RING];
} LmpGc;

/* ---- live: marks, history -------------------------------------------------------------------- */

#define LMP_MARKS 64u

typedef struct LmpMark {
    uint64_t clock; /* nanoseconds since start */
    char name[40];  /* NUL-terminated */
    uint32_t rows;  /* its rows are in marked[...][(rows - 1) % LMP_MARKED] as long as no more than
                       LMP_MARKED - 1 have come after it (LmpLive.marked); 0: none were noted */
    uint32_t records, nodes; /* so many of them, row 0 included */
    uint32_t number;         /* of the mark, from 1 */
    uint64_t laps;           /* ended by then (count) */
    uint64_t class_live[LMP_CLASSES];
    uint64_t class_blocks[LMP_CLASSES];
    uint64_t class_allocs[LMP_CLASSES];
    uint64_t class_made[LMP_CLASSES]; /* all bytes that ever were there */
} LmpMark;

#define LMP_HISTORY 1024u

/* The heap over time. samples[i] covers [i, i+1) * interval nanoseconds since start; when all are
 * used, neighbours are merged and the interval doubles. Sample `used - 1` is still being filled. */
typedef struct LmpHistoryPoint {
    uint64_t max_bytes, min_bytes, last_bytes; /* live: largest, least in it, and at its end */
    uint64_t kind_bytes[LMP_KINDS]; /* live, by owner, at the tick nearest to its largest */
    uint64_t held_bytes[LMP_KINDS]; /* when the last cycle of the collector by its end had ended; 0:
                                       none had */
    uint64_t allocs, frees;         /* totals at its end (counts) */
    uint64_t alloc_bytes, free_bytes; /* totals at its end; growth by realloc counts as allocated */
    uint32_t gc_cycles;               /* finished at its end (count) */
    uint32_t spare;
} LmpHistoryPoint;

typedef struct LmpHistory {
    _Atomic uint32_t seq; /* odd while being merged */
    uint32_t used;
    uint64_t interval;
    LmpHistoryPoint samples[LMP_HISTORY];
} LmpHistory;

/* ---- live: conditions and previews ----------------------------------------------------------- */

/* What became of the break conditions. */
typedef struct LmpBreaksDone {
    _Atomic uint32_t taken; /* LmpControl.breaks of the list that the rest speaks of */
    uint32_t count;
    uint32_t spent; /* bit i: row i was for once and has been met: it is off */
    uint32_t spare;
    uint64_t hits[LMP_BREAKS]; /* pauses by each (count) */
} LmpBreaksDone;

/* ---- live: previews -------------------------------------------------------------------------- */

typedef enum LmpPreviewWhat {
    LMP_PREVIEW_NONE,   /* no live string or table at this address any more, or it cannot be read */
    LMP_PREVIEW_STRING, /* `bytes` is its beginning */
    LMP_PREVIEW_SHAPE   /* `bytes`: a table's string keys in order, ", " between */
} LmpPreviewWhat;

enum {
    LMP_SHAPE_NAMES = 1,  /* it has string keys ... */
    LMP_SHAPE_CUT = 2,    /* ... more than are in `bytes` */
    LMP_SHAPE_ITEMS = 4,  /* and values by integers */
    LMP_SHAPE_OTHERS = 8, /* and other keys */
    LMP_SHAPE_MANY = 16   /* more keys than can be told */
};

typedef struct LmpPreview {
    uint64_t addr;
    uint64_t size;  /* of the contents, bytes; of a table: its string keys (count) */
    uint64_t hash;  /* equal ones have the same; of strings if that was asked for. 0: not known */
    uint32_t valid; /* LmpPreviewWhat */
    uint32_t shape; /* LMP_SHAPE_ */
    uint32_t shown; /* bytes in `bytes` */
    uint32_t spare;
    uint8_t bytes[LMP_PREVIEW_BYTES];
} LmpPreview;

/* ---- live: the shadow map's directory -------------------------------------------------------- */

#define LMP_ADDRESS_BITS 48u /* of user addresses: aarch64 has as many, x86-64 one less */
#define LMP_LEAF_BITS 26u    /* a leaf covers 64 MiB of addresses */
#define LMP_GRAIN_BITS 5u    /* an entry covers 32 bytes */
#define LMP_LEAF_ENTRIES (1u << (LMP_LEAF_BITS - LMP_GRAIN_BITS))
#define LMP_TOUCH_BITS 20u /* changes are stamped for each 1 MiB */
#define LMP_TOUCHES (1u << (LMP_LEAF_BITS - LMP_TOUCH_BITS))
#define LMP_MAX_LEAVES 8192u

/* A shadow entry says which block starts in its 32 bytes:
 *     bits 0-3    class, 0: none starts here
 *     bit  4      the block starts at +16, not at +0
 *     bits 5-10   size in bytes, 1 to 63; 0: 64 or more, see the next entries
 *     bits 11-18  epoch of its birth (LmpLive.epoch), 0: not known
 *     bits 19-30  collector cycle of its birth, from 1; 0: long ago
 *     bit  31     its free must be noticed: a prototype's code in the cache of lines, a thread, a
 *                 sample, a very large block
 * A block of 64 bytes or more covers the next entry wholly, so its size can stand there: class
 * LMP_BLOCK_SIZE, bits 4-31 the low 28 bits of the size; from 2^28 bytes on the one after that,
 * class LMP_BLOCK_SIZE_HIGH, bits 4-31 the higher bits. Size words of the last block of a leaf
 * stand beyond its entries.
 *
 * All blocks of a leaf have the same low 4 bits of address, which leaf_base tells: 0 with the usual
 * allocators, 8 where one keeps a word in front of each block. Blocks that stand otherwise have
 * leaves of their own for the same addresses, and so has a second block in one entry's 32 bytes.
 * What is left over (addresses beyond the directory) stands in the overflow table. */
enum { LMP_BLOCK_SIZE_HIGH = 14, LMP_BLOCK_SIZE = 15 };
#define LMP_BLOCK_BIRTH_SHIFT 11u
#define LMP_BLOCK_BIRTH_MASK (255u << LMP_BLOCK_BIRTH_SHIFT)
#define LMP_BLOCK_BIRTH(entry) (((entry)&LMP_BLOCK_BIRTH_MASK) >> LMP_BLOCK_BIRTH_SHIFT)
#define LMP_BLOCK_CYCLE_SHIFT 19u
#define LMP_BLOCK_CYCLES 4096u
#define LMP_BLOCK_CYCLE_MASK ((LMP_BLOCK_CYCLES - 1) << LMP_BLOCK_CYCLE_SHIFT)
#define LMP_BLOCK_CYCLE(entry) (((entry)&LMP_BLOCK_CYCLE_MASK) >> LMP_BLOCK_CYCLE_SHIFT)
#define LMP_BLOCK_NOTIFY (1u << 31)

#define LMP_LEAF_BEYOND 1024u /* a page of entries beyond those of the leaf's own addresses */
#define LMP_LEAF_APART 64u

typedef struct LmpLeaf {
    uint32_t touch[LMP_TOUCHES]; /* control.frame at the last change; 0: nothing is there */
    uint32_t spare[1024 - LMP_TOUCHES];
    uint32_t entry[LMP_LEAF_ENTRIES + LMP_LEAF_BEYOND];
    /* Who made the block of entry[i]: a record, or with stacks a path (0: not known). Not at the
     * same place in a page as entry[i]: a processor takes a load there for one of what was just
     * stored. */
    uint32_t apart[LMP_LEAF_APART];
    uint32_t alloc_context[LMP_LEAF_ENTRIES + LMP_LEAF_BEYOND - LMP_LEAF_APART];
    uint32_t untouched[LMP_PAGE_MOST / 4 - 1024 - 2 * LMP_LEAF_BEYOND]; /* no memory of the file */
} LmpLeaf;

/* A block outside the grid. Open addressing; addr 0: free, 1: was used. */
typedef struct LmpOverflowBlock {
    uint64_t addr, size;
    uint32_t entry;         /* as a shadow entry: class and births */
    uint32_t alloc_context; /* as in LmpLeaf */
} LmpOverflowBlock;

typedef struct LmpOverflow {
    uint32_t slots; /* in use: a power of two, 0 before the first block */
    uint32_t used;
    uint64_t dropped; /* blocks that found no place */
    LmpOverflowBlock block[];
} LmpOverflow;

#define LMP_OVERFLOW_MAX (1u << 19) /* slots that fit between LMP_OVERFLOW_AT and LMP_TABLES_AT */

/* ---- live: all of it ------------------------------------------------------------------------- */

typedef enum LmpRunState {
    LMP_STARTING,
    LMP_RUNNING,
    LMP_PAUSED,
    LMP_FINISHED, /* stopped in order, figures final; a process that is gone without it was killed
                   */
} LmpRunState;

/* Others that have called the allocator of the profiled state (foreign.h). */
typedef struct LmpStrange {
    uint32_t apart;   /* states made with it that are counted nowhere (count) */
    uint32_t mixed;   /* such states behind an allocator of their own: counted with ours (count) */
    uint32_t covered; /* 1: another allocator was put over ours: lines, owners are less certain */
    uint32_t partial; /* 1: the map was made of a heap too large for that: it lacks blocks */
    uint64_t passed;  /* requests in other threads that are counted nowhere (count) */
    uint64_t clashes; /* requests of the state's while it made one in another thread (count) */
    uint64_t other_sizes; /* blocks given back with another size than they had (count) */
} LmpStrange;

/* ---- live: heap snapshots -------------------------------------------------------------------- */

typedef enum LmpSnapshotHow {
    LMP_SNAPSHOT_ALL,     /* garbage and all */
    LMP_SNAPSHOT_COLLECT, /* a full collection comes right before */
    LMP_SNAPSHOT_ITSELF,  /* nobody asks: garbage and all, and none if the program had to stand
                             while it is written */
} LmpSnapshotHow;

typedef enum LmpSnapshotState {
    LMP_SNAPSHOT_NONE,
    LMP_SNAPSHOT_WAITS,   /* for the program's next instruction */
    LMP_SNAPSHOT_RUNS,    /* the program's child walks its copy of the heap, and writes */
    LMP_SNAPSHOT_WRITTEN, /* the file is whole */
    LMP_SNAPSHOT_FAILED,  /* there is none: `error` */
} LmpSnapshotState;

/* A snapshot: the last one, and what became of those before it. Written by the program. Guarded by
 * `seq`. */
typedef struct LmpSnapshotLive {
    _Atomic uint32_t seq;   /* odd while being written */
    _Atomic uint32_t taken; /* LmpControl.snapshot of the last request that was seen */
    _Atomic uint32_t busy;  /* ... of the last one refused, since another one was under way */
    uint32_t state;         /* LmpSnapshotState, as the program knows it: a child may be done that
                               it has not looked at since (LmpBeat) */
    uint32_t number;        /* from 1; also those that failed */
    uint32_t request;       /* LmpControl.snapshot of its request; 0: the program's own */
    uint32_t forked;        /* 1: by a child, 0: in place, while the program stood */
    uint32_t frozen;        /* 1: map and tables in the file show the moment of the snapshot */
    int32_t error;          /* LmpErr */
    int32_t os_error;       /* errno with it; 0: none */
    uint32_t child;         /* pid, in the program's namespace; 0: none */
    uint32_t how;           /* LmpSnapshotHow */
    uint64_t clock;         /* nanoseconds since start */
    uint64_t stop;          /* how long the program stood, nanoseconds */
    uint64_t slowest;       /* its slowest memory operation until the child had ended and map and
                               tables were shared again, nanoseconds (so far); 0: none yet */
    uint64_t live_bytes, live_blocks; /* in that moment */
    uint64_t objects, bytes;          /* of the file; 0: not known (yet) */
    uint64_t walk;                    /* nanoseconds; 0: not known (yet) */
    char why_in_place[96];            /* "": that was wanted, or it was not in place */
    char file[LMP_SNAPSHOT_FILE + 64];
} LmpSnapshotLive;

#define LMP_SNAPSHOTS_BEFORE 15u

/* How far the child is, which alone writes this: beside the figures, so that viewers see it while
 * the program does nothing. At LMP_BEAT_AT. */
typedef enum LmpBeatPhase { LMP_BEAT_WALKS = 1, LMP_BEAT_WRITES, LMP_BEAT_DONE } LmpBeatPhase;

typedef struct LmpBeat {
    _Atomic uint32_t number; /* of the snapshot, stored first */
    _Atomic uint32_t phase;  /* LmpBeatPhase; stored last */
    _Atomic uint64_t beats;  /* one more whenever there was progress */
    int32_t error, os_error; /* when it is done: LmpErr, errno with it */
    uint64_t objects, bytes; /* in the file (so far) */
    uint64_t walk;           /* nanoseconds; 0: not known yet */
} LmpBeat;

/* ---- live: memory ---------------------------------------------------------------------------- */

#define LMP_OWN_RANGES 96u

typedef struct LmpOwnRange {
    uint64_t at, size; /* addresses of the program; bytes */
} LmpOwnRange;

/* What only the program knows of its memory. Guarded by `seq`. */
typedef struct LmpMemory {
    _Atomic uint32_t seq; /* odd while being written */
    uint32_t done;        /* LmpControl.memory of the last answer, which is these, in bytes: */
    uint64_t count;       /* what Lua counts (collectgarbage("count")); 0: not known */
    uint64_t live;        /* live_bytes at that moment */
    uint64_t own;         /* of class LMP_C_OWN */
    uint64_t before;      /* of blocks from before start */
    uint64_t at_start;    /* what Lua counted when the profile started */
    uint32_t ranges, range_changes; /* private memory of lmp's own in this process: rows, ... */
    LmpOwnRange range[LMP_OWN_RANGES];
} LmpMemory;

typedef struct LmpLive {
    _Atomic uint32_t state;   /* LmpRunState */
    _Atomic uint32_t changed; /* futex and count: bumped when state or op change */
    uint64_t clock;           /* nanoseconds since start, at the last tick or at the end */
    uint64_t resident; /* when it was stopped: the process's resident set, bytes; 0: not known */
    uint64_t resident_own; /* of which lmp's own: this file's pages, and private tables; in a
                              recording, at any moment */
    uint64_t lines_end;    /* overflow table, tables and leaves of the file show the moment so many
                              nanoseconds after start, and go on when a snapshot is over; 0: now */
    _Atomic uint32_t step_done, collect_done, mark_done, preview_done, locals_done;
    _Atomic uint32_t inside_done;
    uint32_t spare;
    uint32_t leaves;          /* entries of leaf_base in use; grows */
    uint32_t marks;           /* all so far; the last LMP_MARKS are in mark[i % LMP_MARKS] */
    uint32_t marked;          /* of them, those whose rows were noted (count) */
    uint32_t epoch;           /* births are now stamped with this, 1 to 255 */
    uint32_t owners_known;    /* 1: parts are told by the calibrated call sites, 0: by rules */
    uint64_t owners_unproven; /* requests from a place that is not among those: "other" (count) */
    uint64_t epoch_length;    /* nanoseconds an epoch lasts; epoch e began at (e - 1) * length */
    LmpCounters counters;
    LmpGc gc;
    LmpMark mark[LMP_MARKS];
    LmpHistory history;
    LmpOp op;
    LmpBreaksDone breaks;
    LmpTablesUsed tables;
    uint32_t preview_count;
    uint32_t hidden_leaves; /* not in the file, which the program has closed (count) */
    LmpPreview preview[LMP_PREVIEWS];
    uint64_t leaf_base[LMP_MAX_LEAVES]; /* of leaf i: see LMP_LEAF_WORD */
    LmpStrange strange;
    LmpLaps laps; /* frames of the program's own */
    LmpSnapshotLive snapshot;
    LmpSnapshotLive snapshot_before[LMP_SNAPSHOTS_BEFORE]; /* number n at (n - 1) % of these */
    LmpTablesUsed tables_frozen; /* while `snapshot.frozen`: rows of the tables in the file */
    LmpMemory memory;
    LmpInside inside;
    LmpContainers containers;
    LmpCallers callers;
} LmpLive;

/* Which blocks a leaf stands for: address >> LMP_LEAF_BITS; low 4 bits of their addresses; 1: the
 * second ones in the 32 bytes of an entry. */
#define LMP_LEAF_WORD(base, low, second)                                                           \
    ((uint64_t)(base) | (uint64_t)(low) << 56 | (uint64_t)(second) << 60)
#define LMP_LEAF_BASE(word) ((word) & ((1ull << 56) - 1))
#define LMP_LEAF_LOW(word) ((word) >> 56 & 15)
#define LMP_LEAF_KINDS 32u /* for the same addresses, by the bits above base */
#define LMP_LEAF_KIND(word) ((word) >> 56)

_Static_assert(sizeof(LmpHeader) <= LMP_CONTROL_AT, "the header fits its page");
_Static_assert(sizeof(LmpControl) <= LMP_LIVE_AT - LMP_CONTROL_AT,
               "the control block fits its page");
_Static_assert(LMP_LIVE_AT + sizeof(LmpLive) <= LMP_BEAT_AT, "the live part fits");
_Static_assert(sizeof(LmpBeat) <= LMP_OVERFLOW_AT - LMP_BEAT_AT, "a child's progress fits");
_Static_assert(sizeof(LmpOverflow) + LMP_OVERFLOW_MAX * sizeof(LmpOverflowBlock) <=
                   LMP_TABLES_AT - LMP_OVERFLOW_AT,
               "the overflow table fits");
_Static_assert(sizeof(LmpBreak) == 128, "rows of break conditions");
_Static_assert(sizeof(LmpFunction) == 64 && sizeof(LmpSite) == 80 && sizeof(LmpUsage) == 88 &&
                   sizeof(LmpYoungUsage) == 32 && sizeof(LmpRecord) == 128 &&
                   sizeof(LmpNode) == 24 && sizeof(LmpPath) == 12 && sizeof(LmpEdge) == 16 &&
                   sizeof(LmpOverride) == 48,
               "rows of the tables");
_Static_assert(LMP_TEXT_AT + LMP_TEXT_MAX <= LMP_FUNCTIONS_AT &&
                   LMP_FUNCTIONS_AT + LMP_FUNCTIONS_MAX * sizeof(LmpFunction) <= LMP_SITES_AT &&
                   LMP_SITES_AT + LMP_SITES_MAX * sizeof(LmpSite) <= LMP_RECORDS_AT &&
                   LMP_RECORDS_AT + LMP_RECORDS_MAX * sizeof(LmpRecord) <= LMP_NODES_AT &&
                   LMP_NODES_AT + LMP_NODES_MAX * sizeof(LmpNode) <= LMP_USAGES_AT &&
                   LMP_USAGES_AT + LMP_USAGES_MAX * 8ull <= LMP_PATHS_AT &&
                   LMP_PATHS_AT + LMP_PATHS_MAX * sizeof(LmpPath) <= LMP_LIVE_HISTORY_AT &&
                   LMP_LIVE_HISTORY_AT + LMP_SITES_MAX * LMP_LIVE_HISTORY * 8ull <=
                       LMP_LIVE_HISTORY_BLOCKS_AT &&
                   LMP_LIVE_HISTORY_BLOCKS_AT + LMP_SITES_MAX * LMP_LIVE_HISTORY * 4ull <=
                       LMP_MARKED_RECORDS_AT &&
                   LMP_MARKED_RECORDS_AT + LMP_RECORDS_MAX * LMP_MARKED * sizeof(LmpMarked) <=
                       LMP_MARKED_NODES_AT &&
                   LMP_MARKED_NODES_AT + LMP_NODES_MAX * LMP_MARKED * sizeof(LmpMarked) <=
                       LMP_EDGES_AT &&
                   LMP_EDGES_AT + LMP_EDGES_MAX * sizeof(LmpEdge) <= LMP_OVERRIDES_AT &&
                   LMP_OVERRIDES_AT + LMP_OVERRIDES_MAX * sizeof(LmpOverride) <=
                       LMP_INSTRUCTIONS_AT &&
                   LMP_INSTRUCTIONS_AT + LMP_SITES_MAX * 8ull <= LMP_LEAVES_AT,
               "the tables fit");
_Static_assert((LMP_BEAT_AT | LMP_OVERFLOW_AT | LMP_TABLES_AT | LMP_LEAVES_AT | sizeof(LmpLeaf)) %
                       LMP_PAGE_MOST ==
                   0,
               "whole pages, whatever the system's are");
_Static_assert(sizeof(LmpClassCount) == 64, "one cache line");

#endif
