/* fields.h - what of a shared state is in a recording: groups of rows, and one row for each field
 * of them. Writer, reader and `lmp dump` know nothing else of layout.h.
 *
 * A recording names groups and fields by their names here, with the size of their words, in a part
 * of its own (the schema); so a file stays readable when layout.h changes. A field that the reader
 * does not know is skipped, one that the file does not have is zero. A name therefore means the
 * same for ever: what means something else gets another name. */
#ifndef LMP_RECORDING_FORMAT_FIELDS_H
#define LMP_RECORDING_FORMAT_FIELDS_H

#include <stdbool.h>

#include "read/mapcell.h"
#include "shared/tables.h"

/* Where in the memory of a recorded state its own rows are, that no live state has: in the place of
 * the overflow table, whose first words stay 0 (no blocks). */
#define REC_EXTRA_AT (LMP_OVERFLOW_AT + 65536)
#define REC_FIXED (REC_EXTRA_AT + 65536) /* bytes of all that lies before the tables */

typedef struct RecExtra {
    LmpCounters before, after;    /* the counters before and after the tables were read */
    uint64_t clock[2];            /* when that was, nanoseconds since start */
    uint64_t map_cell, map_total; /* bytes of addresses of a cell, and of all; 0: no map */
    MapCell map[MAPCELL_RECORDED];
} RecExtra;
_Static_assert(sizeof(RecExtra) <= REC_FIXED - REC_EXTRA_AT, "it fits its place");

/* What a group's part of the file is. */
typedef enum RecSection {
    REC_INFO,   /* once */
    REC_ROWS,   /* rows that never change: each once, when it came */
    REC_LIVE,   /* with every frame */
    REC_TABLES, /* with frames that have tables */
    REC_SECTIONS
} RecSection;

/* What of the tables a reader may want without the rest. */
typedef enum RecLayer {
    REC_LINES, /* all but */
    REC_PATHS, /* the figures of call paths, of which there may be a million */
    REC_LAYERS
} RecLayer;
#define REC_ALL ((1u << REC_LAYERS) - 1) /* bits: 1 << RecLayer */

typedef struct RecField {
    const char *name;
    uint32_t at;    /* in the row, bytes */
    uint16_t size;  /* of a word: 1, 2, 4 or 8 bytes */
    uint16_t count; /* words, one after another */
    bool text;      /* the words are characters */
} RecField;

typedef struct RecGroup {
    const char *name;
    RecSection section;
    uint32_t row;      /* bytes from one to the next */
    uint32_t most;     /* rows */
    uint64_t at;       /* of row 0, in the shared state */
    uint64_t count_at; /* of the uint32_t that says how many rows are in use; 0: all */
    const RecField *field;
    uint32_t fields;
} RecGroup;

/* Returns whether a group is in one of these layers. */
static inline bool rec_in(const RecGroup *group, unsigned layers) {
    bool paths = group->section == REC_TABLES && group->most == LMP_NODES_MAX;
    return layers >> (paths ? REC_PATHS : REC_LINES) & 1;
}

/* The group that the program does not have itself: linetext.h. */
#define REC_SITE_TEXT "site text"

enum { REC_GROUPS = 50 };
extern const RecGroup rec_groups[REC_GROUPS];

/* Memory of a state: a mapping of VIEW_WHOLE bytes, or a copy of its first REC_FIXED bytes and the
 * tables elsewhere. */
typedef struct RecMemory {
    char *fixed, *tables;
} RecMemory;

/* Returns where a byte of the state is in it. */
static inline char *rec_at(const RecMemory *m, uint64_t at) {
    return at >= LMP_TABLES_AT ? m->tables + (at - LMP_TABLES_AT) : m->fixed + at;
}

/* Returns how many rows of a group are in use there, at most `most`. */
uint32_t rec_rows(const RecGroup *group, const RecMemory *m);

/* Returns rows [first, first + n) of a group: where they lie in memory, or, of the figures of nodes
 * as a program has them, which has none for most, in `room`. */
const char *rec_gather(const RecGroup *group, const RecMemory *m, uint32_t first, uint32_t n,
                       char *room);

/* Returns a word of 1, 2, 4 or 8 bytes, read and written in one go. */
static inline uint64_t rec_word(const char *at, uint32_t size) {
    switch (size) {
    case 1:
        return *(const volatile uint8_t *)at;
    case 2:
        return *(const volatile uint16_t *)(const void *)at;
    case 4:
        return *(const volatile uint32_t *)(const void *)at;
    default:
        return *(const volatile uint64_t *)(const void *)at;
    }
}
static inline void rec_put_word(char *at, uint32_t size, uint64_t word) {
    switch (size) {
    case 1:
        *(uint8_t *)at = (uint8_t)word;
        break;
    case 2:
        *(uint16_t *)(void *)at = (uint16_t)word;
        break;
    case 4:
        *(uint32_t *)(void *)at = (uint32_t)word;
        break;
    default:
        *(uint64_t *)(void *)at = word;
    }
}

#endif
