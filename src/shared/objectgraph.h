/* objectgraph.h - a heap at one moment as a graph of objects: what a snapshot is in memory, in the
 * program that walks its heap as well as in a reader of the file (snapfile.h).
 *
 * Columns, not rows: each is an array of its own, so that a file compresses well and a pass over
 * one figure reads nothing else. Object 0 is the root; the others follow in order of their
 * addresses, then the few that do not stand on the allocator's usual grid, those from before start,
 * and the lots (blocks that no object owns, by what they are). References out of object i are edges
 * edge_at[i] to edge_at[i + 1] - 1.
 *
 * Columns of a kind (strings, tables ...) have one row for each object of that kind, in the order
 * of the objects: objectgraph_ordinals() says which. */
#ifndef LMP_SHARED_OBJECTGRAPH_H
#define LMP_SHARED_OBJECTGRAPH_H

#include <stdbool.h>
#include <stdint.h>

typedef enum LmpObjectKind {
    LMP_OBJECT_ROOT, /* object 0 only */
    LMP_OBJECT_STRING,
    LMP_OBJECT_TABLE,
    LMP_OBJECT_LUA_FUNCTION, /* closures */
    LMP_OBJECT_C_FUNCTION,
    LMP_OBJECT_USERDATA,
    LMP_OBJECT_THREAD, /* coroutines and the main thread */
    LMP_OBJECT_PROTO,  /* compiled code of a function, with its constants and debug information */
    LMP_OBJECT_UPVALUE,
    LMP_OBJECT_LOT, /* blocks that belong to no object: LmpObjectLot */
    LMP_OBJECT_KINDS
} LmpObjectKind;

/* What a lot is made of. Its size is the sum of its blocks. */
typedef enum LmpObjectLot {
    LMP_LOT_STRING_TABLE, /* the interpreter's table of short strings */
    LMP_LOT_STATE,        /* the state itself, where it was made after start */
    LMP_LOT_STRINGS,      /* string buffers under way */
    LMP_LOT_CODE,         /* the parser's */
    LMP_LOT_HOST,         /* requested by C code directly, or by another state behind ours */
    LMP_LOT_PARTS,        /* parts whose object was not found */
    LMP_LOT_OBJECTS,      /* blocks with an object's type tag that no list of the collector has:
                             being made or being freed right now */
    LMP_LOT_HAND,         /* the operation in hand, at which the program is paused */
    LMP_LOTS
} LmpObjectLot;

/* Flags of an object. */
enum {
    LMP_OBJECT_BEFORE = 1, /* from before start: counted nowhere, its `size` is by layout. Without
                            it, the size is what is counted of the object and its parts */
    LMP_OBJECT_WEAK_KEYS = 2, /* tables, as their metatable's __mode says */
    LMP_OBJECT_WEAK_VALUES = 4,
    LMP_OBJECT_OUTSIDE = 2,     /* strings: their bytes are somebody else's, and not in `size` */
    LMP_OBJECT_FINALIZER = 8,   /* has a __gc that has not been called */
    LMP_OBJECT_FINALIZING = 16, /* ... and is dead: waits for it to be called */
    LMP_OBJECT_FIXED = 32,      /* never collected: the interpreter's own strings */
    LMP_OBJECT_OPEN = 64,       /* an upvalue that lives on a stack */
    LMP_OBJECT_LONG = 128,      /* a string that is not shared by content (over 40 bytes) */
};

/* What a reference is, and what its label says. */
typedef enum LmpObjectEdge {
    LMP_EDGE_ROOT,       /* LmpObjectRoot; from object 0 */
    LMP_EDGE_FIELD,      /* t.key: the key's object (a string) */
    LMP_EDGE_INDEX,      /* t[n]: n, 0 to 2^32 - 1 */
    LMP_EDGE_INTEGER,    /* t[n] for other integers: row of wide[] */
    LMP_EDGE_FLOAT,      /* t[x]: row of wide[], its bits those of a double */
    LMP_EDGE_BOOLEAN,    /* t[false], t[true]: 0, 1 */
    LMP_EDGE_LIGHT,      /* t[light userdata or light C function]: row of wide[] */
    LMP_EDGE_OBJECT,     /* t[o]: the key's object, which is no string */
    LMP_EDGE_KEY,        /* an object that is a key of the table; label 0 */
    LMP_EDGE_METATABLE,  /* label 0 */
    LMP_EDGE_UPVALUE,    /* function -> upvalue (C function: -> its value): the name's object (0:
                            none), for C functions the number from 1. Thread -> an open upvalue
                            of its stack, which it holds too; label 0 */
    LMP_EDGE_VALUE,      /* upvalue -> what is in it; label 0 */
    LMP_EDGE_USER_VALUE, /* userdata: number from 1 */
    LMP_EDGE_PROTO,      /* function -> its code; label 0. proto -> proto: number from 0 */
    LMP_EDGE_CONSTANT,   /* proto -> string: number from 0 */
    LMP_EDGE_DEBUG,      /* proto -> source, names of locals and upvalues: 0 source, 1 others */
    LMP_EDGE_CALL,       /* thread -> function of a frame: row of frames */
    LMP_EDGE_LOCAL,      /* thread -> what a slot of its stack has: row of slots */
    LMP_EDGE_THREAD,     /* open upvalue -> its thread, which it does not hold: weak; label 0 */
    LMP_EDGE_LOT,        /* root -> a lot: LmpObjectLot */
    LMP_EDGES
} LmpObjectEdge;
/* In the column of edge kinds: bits 0-4 the kind, and: */
enum {
    LMP_EDGE_KIND = 31,
    LMP_EDGE_WEAK = 128,     /* holds nothing */
    LMP_EDGE_EPHEMERON = 64, /* a value in a table with weak keys: held if table and key are. The
                                label's object is the key */
};

typedef enum LmpObjectRoot {
    LMP_ROOT_REGISTRY,
    LMP_ROOT_MAIN,       /* the main thread */
    LMP_ROOT_RUNNING,    /* the coroutine that runs */
    LMP_ROOT_FINALIZING, /* objects that wait for their __gc */
    LMP_ROOT_FIXED,
    LMP_ROOT_METATABLE, /* + a basic type's number (LUA_TNIL 0 ... LUA_TTHREAD 8) */
    LMP_ROOTS = LMP_ROOT_METATABLE + 9
} LmpObjectRoot;

#define LMP_OBJECT_NONE UINT32_MAX

typedef struct LmpObjectGraph {
    uint32_t objects, edges;          /* rows of the columns below; object 0 is the root */
    uint32_t count[LMP_OBJECT_KINDS]; /* objects of each kind */
    uint32_t wides, frames, slots;
    uint64_t text_bytes;

    /* of each object */
    uint8_t *kind, *flags;
    uint64_t *size;    /* bytes with all its parts */
    uint64_t *addr;    /* where its block begins */
    uint32_t *context; /* alloc context of its block (layout.h), 0: not known */
    uint32_t *birth;   /* its shadow entry: LMP_BLOCK_BIRTH, LMP_BLOCK_CYCLE; 0: not known */
    /* of each object and one more */
    uint32_t *edge_at;

    /* of each edge */
    uint32_t *edge_to, *edge_label;
    uint8_t *edge_kind;
    int64_t *wide; /* labels that need 64 bits */

    /* strings: length in all (bytes), how many bytes of it are in text[], a hash of all of them */
    uint64_t *string_length;
    uint32_t *string_shown;
    uint64_t *string_hash;
    /* tables: slots and those in use (counts) */
    uint32_t *table_array, *table_array_used, *table_hash, *table_hash_used;
    /* C functions: address */
    uint64_t *c_address;
    /* userdata: bytes for C code */
    uint64_t *userdata_bytes;
    /* protos: lines as lua_Debug has them, instructions (count), its source's object (0: none) */
    uint32_t *proto_line, *proto_last, *proto_code, *proto_source;
    /* threads: lua_status (LUA_OK with frames: runs or resumes another), frames, stack slots and
     * those in use (counts) */
    uint8_t *thread_status;
    uint32_t *thread_frames, *thread_stack, *thread_stack_used;
    /* lots: LmpObjectLot, and blocks (count) */
    uint32_t *lot_what, *lot_blocks;

    /* frames of all threads in their order, innermost first: its function's object (0: a light C
     * function), that one's address (else 0), line (-1: none) */
    uint32_t *frame_function;
    uint64_t *frame_address;
    int32_t *frame_line;
    /* labels of LMP_EDGE_LOCAL: row of frames (LMP_OBJECT_NONE: below all), the name's object (0: a
     * temporary, or vararg), number of the slot from the frame's function on */
    uint32_t *slot_frame, *slot_name, *slot_number;

    char *text; /* beginnings of strings, one after another, no NULs between; any bytes */
} LmpObjectGraph;

/* How it was taken. */
typedef enum LmpObjectTaken {
    LMP_TAKEN_FORKED,  /* by a child with a copy of the heap */
    LMP_TAKEN_IN_PLACE /* while the program stood */
} LmpObjectTaken;

/* The code of a program or library in memory: what functions of C are named by that have no name
 * else, "NAME+0x1a50", where the number is the address less `base`. */
#define LMP_OBJECT_MODULES 64u
typedef struct LmpObjectModule {
    uint64_t base, begin, end; /* end 0: no more of them */
    char name[40];
} LmpObjectModule;

/* What a snapshot says of itself. Texts end, UTF-8 not guaranteed. */
typedef struct LmpObjectInfo {
    uint32_t pid, serial; /* as LmpHeader has them */
    uint32_t number;      /* of the snapshot in its run, from 1 */
    uint32_t taken;       /* LmpObjectTaken */
    uint32_t collected;   /* 1: a full collection came right before */
    uint32_t paused;      /* 1: within an operation */
    uint64_t realtime;    /* nanoseconds since 1970 */
    uint64_t clock;       /* nanoseconds since start */
    uint64_t stop;        /* how long the program stood, nanoseconds; 0: not known (yet) */
    uint64_t walk;        /* how long the walk took, nanoseconds */
    uint64_t live_bytes, live_blocks; /* the profiler's totals in that moment */
    char why_in_place[96];            /* "" when forked, or when that was wanted */
    char program[256], lua[32], lmp[32];
    LmpObjectModule module[LMP_OBJECT_MODULES];
} LmpObjectInfo;

/* One row for each column: X(member, rows expression's member or kind, element type, encoding).
 * How many rows: LMP_OBJECT_ROWS_*. */
typedef enum LmpObjectRows {
    LMP_ROWS_OBJECTS,
    LMP_ROWS_OBJECTS_1, /* one more */
    LMP_ROWS_EDGES,
    LMP_ROWS_WIDES,
    LMP_ROWS_FRAMES,
    LMP_ROWS_SLOTS,
    LMP_ROWS_TEXT,
    LMP_ROWS_KIND /* + LmpObjectKind */
} LmpObjectRows;

typedef enum LmpObjectCoding {
    LMP_CODING_BYTES,  /* as they are */
    LMP_CODING_VARINT, /* 7 bits a byte, low ones first */
    LMP_CODING_DELTA   /* the difference to the row before, zigzag, as a varint */
} LmpObjectCoding;

typedef struct LmpObjectColumn {
    const char *name;
    uint32_t at;    /* of the pointer in LmpObjectGraph */
    uint32_t rows;  /* LmpObjectRows */
    uint32_t width; /* bytes of an element: 1, 4 or 8 */
    uint32_t coding;
} LmpObjectColumn;

#define LMP_SNAP_COLUMNS 37u
extern const LmpObjectColumn objectgraph_columns[LMP_SNAP_COLUMNS];

/* Returns how many rows a column has in this graph. */
uint64_t objectgraph_rows(const LmpObjectGraph *graph, const LmpObjectColumn *column);

/* Counts the row of each object among those of its kind: out[graph->objects]. */
void objectgraph_ordinals(const LmpObjectGraph *graph, uint32_t *out);

/* Returns "table", "function" ...; "registry", "main thread" ...; "the table of strings" ... */
const char *objectgraph_kind(uint32_t kind);
const char *objectgraph_root(uint32_t root);
const char *objectgraph_lot(uint32_t lot);

#endif
