/* kind.h - the vocabulary of memory: kinds (what a person sees) and classes (what a block is).
 *
 * A kind is one of the six types of the display. A block has two of them: its kind by type tag, as
 * the allocation request names it (what luamemprofiler counted), and its kind by owner: a table's
 * array and hash part are table memory though their request carries no tag. A class is one
 * possible pair of the two, small enough for four bits of the shadow map. */
#ifndef LMP_KIND_H
#define LMP_KIND_H

#include <stdint.h>

typedef enum LmpKind {
    LMP_STRING,
    LMP_FUNCTION,
    LMP_USERDATA,
    LMP_THREAD,
    LMP_TABLE,
    LMP_OTHER,
    LMP_KINDS
} LmpKind;

/* One row per kind: its name, and its key and letter on the screen (as in luamemprofiler, but for
 * threads: h moves to the left). */
typedef struct LmpKindInfo {
    const char *name;
    char letter;
} LmpKindInfo;

extern const LmpKindInfo kind_info[LMP_KINDS];

/* Classes. Zero is "no block", so that untouched shadow memory reads as empty. The objects come
 * first in the order of the kinds; a part is a block without a type tag of its own. */
typedef enum LmpClass {
    LMP_C_NONE,
    LMP_C_STRING,
    LMP_C_FUNCTION,
    LMP_C_USERDATA,
    LMP_C_THREAD,
    LMP_C_TABLE,
    LMP_C_STRING_PART,   /* string buffers, the string table */
    LMP_C_FUNCTION_PART, /* upvalues, prototypes and their vectors, the parser's buffers */
    LMP_C_USERDATA_PART,
    LMP_C_THREAD_PART,         /* stacks, CallInfos */
    LMP_C_TABLE_PART,          /* array and hash parts */
    LMP_C_OTHER,               /* what has no owner that can be told */
    LMP_C_OWN,                 /* made by the profiler's own API calls: kept out of every figure */
    LMP_C_COUNTED = LMP_C_OWN, /* classes 1 .. LMP_C_COUNTED-1 are the program's */
    LMP_CLASSES = 16           /* room in four bits; 14 and 15 mark size words (layout.h) */
} LmpClass;

/* Returns the kinds of a class; LMP_OTHER for a class that is none of the program's. */
LmpKind class_tag(unsigned cls);
LmpKind class_owner(unsigned cls);

#endif
