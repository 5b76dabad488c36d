/* figure.h - a figure as its readers know it: name, unit, meaning, and its offset in a struct.
 * stats(), JSON and the tables of docs/api.md are made from lists of these, which are
 * kept beside their structs: stats.c has those of the whole and of the types, ledger/tallies.c the
 * rest. */
#ifndef LMP_FIGURE_H
#define LMP_FIGURE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef enum LmpFigureKind {
    LMP_FIG_COUNT,   /* uint64_t */
    LMP_FIG_CHANGE,  /* int64_t */
    LMP_FIG_SIZE,    /* uint64_t; stats() leaves a 0 out */
    LMP_FIG_SECONDS, /* double */
    LMP_FIG_FLAG,    /* bool */
    LMP_FIG_WORD,    /* uint32_t: one of `words` */
    LMP_FIG_WHY,     /* the same; stats() leaves 0, which is no reason, out */
    LMP_FIG_TEXT,    /* char[], NUL-terminated, any bytes; stats() leaves "" out */
    LMP_FIG_TYPES,   /* LmpKindStats[LMP_KINDS]: figures of their own, kind_figures */
    LMP_FIG_LAPS,    /* LmpLapList: rows with figures of their own, lap_figures */
} LmpFigureKind;

typedef struct LmpFigure {
    const char *name;
    LmpFigureKind kind;
    size_t at; /* in the struct that it is a figure of */
    const char *unit;
    const char *help; /* Markdown; NULL: said with the one before */
    const char *const *words;
    unsigned word_count;
    bool node;   /* nodes of the tree have it, too */
    bool moment; /* a range of time has none */
} LmpFigure;

/* Its number as it is stored, in two's complement; its word ("" for what is none). */
uint64_t figure_number(const LmpFigure *figure, const void *of);
const char *figure_word(const LmpFigure *figure, const void *of);

/* All lists, for documentation. */
typedef struct LmpFigureList {
    const char *name, *title;
    const LmpFigure *figures; /* ends with a row whose name is NULL */
} LmpFigureList;

#endif
