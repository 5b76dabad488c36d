/* figure.h - a figure as its readers know it: name, unit, meaning, and its offset in a struct.
 * stats(), JSON, CSV, the columns of the screen and of the page, and the tables of docs/api.md are
 * made from lists of these: stats.c has those of the whole and of the types, ledger/tallies.c the
 * rest. */
#ifndef LMP_FIGURE_H
#define LMP_FIGURE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

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

/* Figures of a tally are columns of the page of a run, too: of it alone, or also of the page that
 * compares two runs. */
typedef enum LmpFigureColumn { LMP_COLUMN_OF_RUN, LMP_COLUMN_OF_BOTH } LmpFigureColumn;

typedef struct LmpFigure {
    const char *name; /* its key in JSON, Lua and CSV */
    const char *unit;
    const char *help; /* Markdown; NULL: said with the one before */
    const char *const *words;
    uint32_t word_count;
    LmpFigureKind kind;
    uint32_t at;   /* in the struct that it is a figure of */
    uint32_t plus; /* of a sum of two fields: the other one; 0: it is one field */
    bool node;     /* nodes of the tree have it, too */
    bool moment;   /* a range of time has none */
    /* Of the figures of a tally: */
    const char *title, *shown; /* heading and help of its column on the screen */
    struct {
        uint32_t place; /* among the columns of the page, from 1; 0: it has none */
        LmpFigureColumn of;
        const char *name;
    } page;
} LmpFigure;

/* Returns the number as it is stored, in two's complement. */
static inline uint64_t figure_number(const LmpFigure *figure, const void *of) {
    uint64_t number, more = 0;
    memcpy(&number, (const char *)of + figure->at, sizeof number);
    if (figure->plus) memcpy(&more, (const char *)of + figure->plus, sizeof more);
    return number + more;
}

/* Returns its word; "" for what is none. */
static inline const char *figure_word(const LmpFigure *figure, const void *of) {
    uint32_t word;
    memcpy(&word, (const char *)of + figure->at, sizeof word);
    return figure->words[word < figure->word_count ? word : 0];
}

/* All lists, for documentation: those of stats.h and ledger.h. Ends with a NULL name. */
typedef struct LmpFigureList {
    const char *name, *title;
    const LmpFigure *figures; /* ends with a row whose name is NULL */
} LmpFigureList;
extern const LmpFigureList figure_lists[];

#endif
