/* rows.h - the tables of the shared state (layout.h): who made what.
 *
 * Append-only, each up to a fixed number of rows; a row is filled before its count in
 * LmpLive.tables is raised, and its identity never changes then. Row 0 is none. Row 1 of functions,
 * sites and nodes is "(others)": what found no place any more. Such records there are two for a
 * class (without and with a tag), such paths one for a record, made when they are needed.
 *
 *     text        names and sources, NUL-terminated, by offset; 0 is ""
 *     function    Lua functions by (source, linedefined), C functions by address, pseudo-functions
 *     site        a line of a function, with the C function that it called, if that made the block
 *     record      what became of the blocks that one site made of one class under one tag
 *     node        a call path (stacks): a site under the node that called it
 *     usage       (stacks) what became of the blocks of each node that has made some
 *     path        (stacks) what a block's alloc context word points to: its node and its record
 *     history     bytes and blocks of each site after full collections, for the leak view
 *     marked      what was in records and nodes at the last marks
 *     edge        (calls) how often a site has called a function; row 1: those without a place
 *     override    (overrides) what one site did to the blocks of another; row 1 as well
 *     instruction (instructions) how many of them each site has run
 */
#ifndef LMP_ROWS_H
#define LMP_ROWS_H

#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

#define LMP_TEXT_AT LMP_TABLES_AT
#define LMP_TEXT_MAX (8u << 20) /* bytes */
#define LMP_FUNCTIONS_AT (24ull << 20)
#define LMP_FUNCTIONS_MAX (1u << 16)
#define LMP_SITES_AT (28ull << 20)
#define LMP_SITES_MAX (1u << 17)
#define LMP_SITE_COLLECTOR 4u /* row of the pseudo-site "(collector)" */
#define LMP_RECORDS_AT (40ull << 20)
#define LMP_RECORDS_MAX (1u << 18)
#define LMP_NODES_AT (72ull << 20)
#define LMP_NODES_MAX (1u << 20)
#define LMP_USAGES_AT (96ull << 20)
#define LMP_USAGES_MAX (LMP_NODES_MAX * LMP_USAGE_WORDS)
#define LMP_PATHS_AT (216ull << 20)
#define LMP_PATHS_MAX (1u << 21)
#define LMP_LIVE_HISTORY_AT (240ull << 20)
#define LMP_LIVE_HISTORY 26u /* slots: the rows kept, and one that is being made */
#define LMP_LIVE_HISTORY_BLOCKS_AT (266ull << 20)
#define LMP_MARKED 4u /* marks whose rows are kept, the last ones */
#define LMP_MARKED_RECORDS_AT (280ull << 20)
#define LMP_MARKED_NODES_AT (304ull << 20)
#define LMP_EDGES_AT (400ull << 20)
#define LMP_EDGES_MAX (1u << 18)
#define LMP_OVERRIDES_AT (404ull << 20)
#define LMP_OVERRIDES_MAX (1u << 17)
#define LMP_INSTRUCTIONS_AT (410ull << 20) /* uint64_t [LMP_SITES_MAX] */

typedef enum LmpFunctionKind {
    LMP_F_LUA = 1,
    LMP_F_MAIN, /* a main chunk */
    LMP_F_C,
    LMP_F_PSEUDO /* no function at all: "(host)", "(parser)", "(collector)", "(others)" */
} LmpFunctionKind;

typedef struct LmpFunction {
    uint32_t kind;
    uint32_t source, short_src; /* texts, as lua_Debug has them; C: "=[C]", "[C]" */
    int32_t linedefined;        /* as lua_Debug has it; C and pseudo: -1 */
    uint32_t name;      /* text, as a traceback words it: "method 'push'", "main chunk" ... */
    uint32_t qualified; /* text: "table.insert", "options.price" as reached from loaded modules and
                         globals; 0: not found there (yet); may be set late */
    uint64_t address;   /* C functions; else 0 */
    uint32_t site;      /* its newest one, the others by LmpSite.next */
    uint32_t spare0;
    uint64_t calls; /* of it, since start; with LMP_COUNTS_CALLS */
    uint32_t spare[4];
} LmpFunction;

/* How blocks of a site are made: bits, one for each kind of instruction that was met there. */
typedef enum LmpHow {
    LMP_HOW_CONCAT = 1,      /* a string, by `..` */
    LMP_HOW_CONSTRUCTOR = 2, /* a table and its first parts, by { } */
    LMP_HOW_GROWTH = 4,      /* a part of a table, by an assignment that found no room */
    LMP_HOW_CLOSURE = 8,     /* a function and its upvalues */
    LMP_HOW_CALL = 16,       /* a C function that was called there asked */
    LMP_HOW_OTHER = 32
} LmpHow;

typedef struct LmpSite {
    uint32_t function;        /* whose line it is */
    int32_t line;             /* current line; -1: none */
    uint32_t cfunction;       /* a C function that was called there and asked; 0: the line itself */
    _Atomic uint32_t records; /* the site's newest record, the others by LmpRecord.next */
    uint64_t unproven;        /* requests charged here that LmpTablesUsed.unproven counts */
    uint32_t how;             /* LmpHow; 0: not known */
    /* What agent/charge/inspect.h has seen, in looks of a few operations each (counts). */
    uint32_t joins;     /* strings too long to be shared made by `..` */
    uint32_t fed;       /* of these, those of which one operand is at least half */
    uint32_t fed_by;    /* row of the site that made that operand, the last time */
    uint64_t fed_bytes; /* size of that string, contents alone */
    uint32_t texts;     /* such strings, made by whatever, from the second on */
    uint32_t same;      /* of these, those with the contents of the one before them */
    uint32_t next;      /* of its function's */
    uint32_t text; /* in a recording: a hash of the line's text; 0: not known, as in the program */
    /* Array parts that were given back here for others (count, bytes): where these are not resized.
     * They are among here_frees of the site's records. */
    uint64_t arrays_back, arrays_back_bytes;
} LmpSite;

/* What became of blocks; all but reallocations in one cache line. Live blocks are allocs - frees,
 * live bytes bytes - free_bytes. Bytes that were live at the heap's high-water mark: peak_bytes if
 * peak_serial is the counters' and their live_bytes is not above their peak_bytes; else nothing has
 * changed here since that moment, so what is live now was live then. */
typedef struct LmpUsage {
    uint32_t peak_serial;
    uint16_t cls, tag;      /* of a record: LmpClass; row of the tags, 0: none */
    uint64_t allocs, bytes; /* bytes: allocated, and what reallocations have added (or taken) */
    uint64_t frees, free_bytes;
    uint64_t short_lived; /* frees by the first collector cycle after the allocation, or sooner */
    uint64_t peak_bytes;
    uint64_t last;      /* address of the newest block, 0 once that is freed */
    uint64_t temporary; /* short-lived frees that came before the next allocation here (count) */
    uint64_t reallocs;
    int64_t realloc_bytes; /* sum of new - old; contained in bytes */
} LmpUsage;

/* The usage of a node that has made few: the same figures, until one of them does not fit. */
typedef struct LmpYoungUsage {
    uint32_t serial; /* LMP_YOUNG | peak_serial; LMP_GROWN: the usage begins at word `last` now */
    uint32_t bytes, free_bytes, peak_bytes;
    int32_t realloc_bytes;
    uint32_t last; /* the lower bits */
    uint16_t last_high;
    uint8_t allocs, frees, short_lived, temporary, reallocs, spare;
} LmpYoungUsage;
#define LMP_YOUNG (1u << 31)
#define LMP_GROWN UINT32_MAX
#define LMP_PEAK_SERIALS (LMP_GROWN & ~LMP_YOUNG) /* each peak_serial is below that */
/* Words of 8 bytes that the usages of a node take, one after the other, at most. */
#define LMP_USAGE_WORDS ((uint32_t)(sizeof(LmpYoungUsage) + sizeof(LmpUsage)) / 8)

typedef struct LmpRecord {
    LmpUsage use;
    /* What was done while this site ran, to blocks of whatever site. */
    uint64_t here_reallocs;
    int64_t here_realloc_bytes;
    uint64_t here_frees, here_free_bytes;
    uint32_t site, next;
} LmpRecord;

typedef struct LmpNode {
    uint32_t parent; /* node of the caller, lower than its own row; 0: outermost */
    uint32_t site;   /* the frame: function and line; of a C function: itself, line -1 */
    uint32_t flags;  /* LMP_NODE_TAIL ... */
    uint32_t path;   /* the first one that ends here; 0: none, its callees make all blocks */
    uint32_t callee; /* the newest node that has this one for its parent, the others by next */
    uint32_t next;
} LmpNode;
#define LMP_NODE_TAIL 1u      /* its function was reached by a tail call */
#define LMP_NODE_COROUTINE 2u /* outermost frame of a coroutine, under the resume that ran it */

typedef struct LmpPath {
    uint32_t node, record;
    uint32_t usage; /* of the node's blocks, whatever their record: where it begins, in words */
} LmpPath;

/* Calls of a function by a site. The site of a call: the caller's line; of a C function: itself,
 * line -1; of a tail call whose line cannot be told: line -1 of the function that made it. */
typedef struct LmpEdge {
    uint32_t site, function; /* caller, callee */
    uint64_t calls;
} LmpEdge;

/* What was done while site `here` ran to blocks that site `made` had made. The collector's frees
 * are not among them: they are what is missing to the frees of `made`. */
typedef struct LmpOverride {
    uint32_t made, here;
    uint64_t frees, free_bytes;
    uint64_t reallocs;
    int64_t realloc_bytes; /* sum of new - old */
    uint64_t realloc_old;  /* sum of old (bytes) */
} LmpOverride;

/* What is counted besides memory: bits. */
enum {
    LMP_COUNTS_CALLS = 1,
    LMP_COUNTS_INSTRUCTIONS = 2,
    LMP_COUNTS_OVERRIDES = 4,
    LMP_COUNTS_ALL = 7
};

/* What a record or a node had at a mark: LmpMarked [LMP_RECORDS_MAX][LMP_MARKED], and of nodes. */
typedef struct LmpMarked {
    uint64_t allocs, made, live; /* allocations; bytes ever made; bytes live */
} LmpMarked;

#define LMP_TAGS 1024u /* row 0: no tag; row 1: "(others)" */

typedef enum LmpLines {
    LMP_LINES_OFF,
    LMP_LINES_EXACT,
    LMP_LINES_APPROXIMATE /* by the documented API alone: constructors may show an earlier line */
} LmpLines;

/* Why lines are approximate, or why what was asked for (lines, call paths, samples, counts) is not
 * there. The program says it; covered and unproven follow from figures. */
typedef enum LmpWhy {
    LMP_WHY_NOT,   /* they are not; it is, or was not asked for */
    LMP_WHY_REGS,  /* where the interpreter has thread and instruction was not found (saved_regs.h)
                    */
    LMP_WHY_CHECK, /* what was found did not stand the check at start */
    LMP_WHY_COVERED,
    LMP_WHY_UNPROVEN,
    LMP_WHY_MEMORY, /* the system gave none */
    LMP_WHY_FRAMES, /* call frames cannot be read (frames.h) */
    LMP_WHY_ENTRY,  /* there is no way in that sees words (entry.h) */
    LMP_WHY_LINES,  /* lines would have to be exact for it */
    LMP_WHYS
} LmpWhy;

typedef struct LmpTablesUsed {
    uint32_t lines;                  /* LmpLines */
    uint32_t why;                    /* LmpWhy */
    uint32_t stacks;                 /* 1: nodes and paths are kept */
    uint32_t stacks_why, sample_why; /* LmpWhy: asked for and not there */
    uint32_t usages; /* words in use; 0: as in a recording, a node's is the row with its number */
    uint64_t sample; /* bytes between samples on average; 0: every block is accounted */
    uint32_t text;   /* bytes */
    uint32_t functions, sites, records, nodes, paths, tags; /* rows in use, row 0 included */
    uint32_t names;    /* bumped when a qualified name was set */
    uint64_t folded;   /* allocations that went to "(others)" (count) */
    uint64_t unknown;  /* requests whose line had to be asked of the API (count) */
    uint64_t unproven; /* requests charged by the documented API because no known way explains them
                          (count); where lines are approximate: all of them */
    uint64_t live_history; /* rows made so far; which of them are kept says live_history_list[grown
                              % 2] */
    uint64_t live_history_top; /* the most the heap held before a full collection (bytes) */
    uint64_t live_history_clock[LMP_LIVE_HISTORY]; /* nanoseconds since start */
    uint64_t live_history_cycle[LMP_LIVE_HISTORY]; /* full collections finished then */
    uint64_t live_history_work[LMP_LIVE_HISTORY];  /* bytes asked for until then, at all sites */
    struct LmpLiveHistoryList {
        uint32_t rows;                  /* below LMP_LIVE_HISTORY */
        uint8_t slot[LMP_LIVE_HISTORY]; /* of each row, oldest first */
        uint8_t spare[2];
    } live_history_list[2];
    uint32_t tag[LMP_TAGS];    /* texts */
    uint32_t counts;           /* LMP_COUNTS_ bits: what is counted; the program asked for it */
    uint32_t counts_why;       /* LmpWhy: one was asked for and is not there */
    uint32_t edges, overrides; /* rows in use, row 0 included */
    /* Calls and instructions are told by a debug hook. The program may set its own in its place:
     * how often that was seen, and when first (nanoseconds since start); calls in between are
     * missing. */
    uint64_t hook_lost, hook_lost_clock;
} LmpTablesUsed;

/* live_history: bytes, uint64_t [LMP_SITES_MAX][LMP_LIVE_HISTORY] at LMP_LIVE_HISTORY_AT, and
 * blocks, uint32_t in the same form at LMP_LIVE_HISTORY_BLOCKS_AT. A row stands for all full
 * collections since the one before it: it has the most that was found after one of them. */

#endif
