/* paused.h - the part of the shared state (layout.h) that says where a paused program stands: its
 * memory operation, the frames of its call stack, the variables of one of them, and on request what
 * is in a value. */
#ifndef LMP_PAUSED_H
#define LMP_PAUSED_H

#include <stdatomic.h>
#include <stdint.h>

/* ---- the operation ----------------------------------------------------- */

#define LMP_FRAMES 200u

typedef enum LmpOpKind { LMP_OP_NONE, LMP_OP_ALLOC, LMP_OP_REALLOC, LMP_OP_FREE } LmpOpKind;

/* A frame of a Lua call stack, innermost first, worded as Lua's own traceback does. */
typedef struct LmpFrame {
    char name[80];   /* "function 'load'", "local 'mk'", "main chunk", "field 'insert'" ... */
    char source[80]; /* short_src: "options.lua", "[C]", "[string \"...\"]" */
    int32_t line;    /* current line, -1 when there is none */
    int32_t linedefined;
    uint32_t tail; /* 1: reached by a tail call */
    uint32_t is_c;
} LmpFrame;

#define LMP_LOCALS 24u
#define LMP_UPVALUES 16u
#define LMP_LOCAL_BYTES 64u

/* What `name` is, and so how it is written. */
typedef enum LmpKey {
    LMP_KEY_VARIABLE, /* a local, an upvalue; "": it has no name */
    LMP_KEY_STRING,   /* keys of a table's entries */
    LMP_KEY_INTEGER,
    LMP_KEY_OTHER,     /* as the text says: 0.5, true, "table 0x..." */
    LMP_KEY_VALUE,     /* user value number `name` of a userdata */
    LMP_KEY_METATABLE, /* no name */
    LMP_KEYS
} LmpKey;

enum {
    LMP_LOCAL_OPENS = 1,  /* there is something in it that can be asked for (LmpInsideWish) */
    LMP_LOCAL_LEAST = 2,  /* `whole` of a table is so many at least */
    LMP_LOCAL_KEYS = 4,   /* `value` of a table: some of its keys that are strings, ", " between */
    LMP_LOCAL_ALL = 8,    /* ... all of them */
    LMP_LOCAL_CUT = 16,   /* `name` is a beginning */
    LMP_LOCAL_PLAIN = 32, /* the table has entries with other keys */
    LMP_LOCAL_SEEN = 64,  /* what is in the table was looked at: `whole` and the flags say so */
    LMP_LOCAL_NAMED = 128 /* `value` of a function: where it is, "app.lua:12"; of a userdata: the
                            name of its type */
};

/* A value with its name: a local variable of a frame, an upvalue of its function, an entry of a
 * table. */
typedef struct LmpLocal {
    char name[32];
    char type[12];   /* "table", as type() says; NUL-terminated */
    uint32_t size;   /* of `value`, bytes */
    uint64_t whole;  /* strings: bytes in all; tables that open: entries */
    uint64_t object; /* address of the interpreter's object; 0: it is none */
    uint64_t place;  /* of an entry, as LmpInsideWish has it */
    uint32_t key;    /* LmpKey */
    uint32_t flags;  /* LMP_LOCAL_OPENS ... */
    /* number, boolean: as tostring() says; string: its first bytes; others: address, "0x...",
     * unless the flags say otherwise */
    char value[LMP_LOCAL_BYTES];
} LmpLocal;

typedef enum LmpLocalsState {
    LMP_LOCALS_NONE,    /* the frame has none: a C function, or no frame at all */
    LMP_LOCALS_READ,    /* as they are */
    LMP_LOCALS_UNKNOWN, /* this interpreter's frames are not known: they cannot be read safely */
    LMP_LOCALS_NOT_NOW, /* not in this operation: it moves the stack */
} LmpLocalsState;

typedef struct LmpOp {
    _Atomic uint32_t seq;        /* odd while being written */
    uint32_t op;                 /* LmpOpKind */
    uint32_t cls;                /* class of the block; LMP_C_NONE: a block from before start */
    uint32_t failed;             /* 1: the allocator refused */
    uint64_t number;             /* operations so far, this one included (count) */
    uint64_t old_addr, new_addr; /* 0 where there is none */
    uint64_t old_size, new_size; /* bytes */
    uint32_t depth;              /* frames of the whole stack (count) */
    uint32_t frames;     /* of which in `frame`: the innermost, and the outermost 40 at the end */
    uint32_t cut_at;     /* index in `frame` after which depth - frames frames are left out */
    uint32_t coroutines; /* 1 more than the number of resumes the stack goes through */
    uint32_t alloc_context; /* of the block, as in LmpLeaf */
    uint32_t hit;  /* the break condition that paused: its number in the list, from 1; or 0 */
    uint32_t hits; /* all that were met here: bit i is number i + 1 */
    uint32_t locals_state;   /* LmpLocalsState */
    uint32_t locals_frame;   /* whose: index in `frame` */
    uint32_t locals;         /* rows in `local` */
    uint32_t locals_more;    /* not shown for want of room (count) */
    uint32_t upvalues_state; /* of the same frame: LmpLocalsState */
    uint32_t upvalues;       /* rows in `upvalue`; _ENV is left out */
    uint32_t upvalues_more;  /* not shown for want of room (count) */
    char hit_words[160];     /* "block larger than 64 KiB: 131,072 B" */
    LmpFrame frame[LMP_FRAMES];
    LmpLocal local[LMP_LOCALS];
    LmpLocal upvalue[LMP_UPVALUES];
} LmpOp;

/* ---- what is in a value ------------------------------------------------ */

/* What is in a value of the paused operation: the way there from a variable, and which entries. */
#define LMP_INSIDE_STEPS 16u /* values within values */
typedef struct LmpInsideWish {
    uint64_t number;   /* LmpOp.number; of another operation nothing is told */
    uint32_t frame;    /* LmpOp.locals_frame, the same */
    uint32_t variable; /* row of LmpOp.local; from LMP_LOCALS on: of LmpOp.upvalue */
    uint32_t steps;    /* in `step` */
    uint32_t rows;     /* wanted at most (count) */
    uint64_t from;     /* place of the first entry wanted, as LmpLocal.place and LmpInside.next */
    uint64_t step[LMP_INSIDE_STEPS]; /* places of entries, from the variable's value on */
} LmpInsideWish;

#define LMP_INSIDE_ROWS 64u
#define LMP_INSIDE_END UINT64_MAX        /* there are no more */
#define LMP_INSIDE_META (UINT64_MAX - 1) /* the place of a metatable, after all others */

typedef enum LmpInsideState {
    LMP_INSIDE_NONE,    /* nothing is there that could be looked into (any more) */
    LMP_INSIDE_READ,    /* as it is */
    LMP_INSIDE_UNKNOWN, /* this interpreter's objects are not known: `why` */
    LMP_INSIDE_NOT_NOW, /* not in this operation: it moves the stack, or frees what is in it */
    LMP_INSIDE_STATES
} LmpInsideState;

/* The answer to the last LmpInsideWish. */
typedef struct LmpInside {
    _Atomic uint32_t seq; /* odd while being written */
    uint32_t state;       /* LmpInsideState */
    LmpInsideWish wish;   /* that it answers */
    uint64_t object;      /* what was looked into */
    uint64_t entries;     /* in all, if the wish began at 0 */
    uint32_t least;       /* 1: there may be more, which were not counted */
    uint32_t rows;
    uint64_t next;   /* to go on from; LMP_INSIDE_END: that was all */
    uint64_t unseen; /* slots of it that are being moved just now (count) */
    char why[64];
    LmpLocal row[LMP_INSIDE_ROWS];
} LmpInside;

#endif
