/* figures.h - what `lmp serve` tells of the program, as texts: made from the reports of a run, each
 * only when somebody asks. */
#ifndef LMP_SERVE_FIGURES_H
#define LMP_SERVE_FIGURES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "read/view.h"

typedef enum FiguresText {
    FIGURES_METRICS, /* OpenMetrics */
    FIGURES_PAGE,    /* for a browser */
    FIGURES_DATA,    /* the data of that page, one line of JSON */
    FIGURES_TEXTS
} FiguresText;

/* Begins with the one program, whose view stays the caller's and must stay open. Returns false if
 * it has ended already. */
bool figures_begin(LmpView *view);

/* Looks how the program is; to be called at least once a second, for the rates. `now`: nanoseconds,
 * CLOCK_MONOTONIC. Returns false once the program has ended and its last figures are known. */
bool figures_look(uint64_t now);

/* Returns how the program is, in words that begin with its name; safe to print, valid until the
 * next call. */
const char *figures_say(void);

/* Makes a text of this moment, the caller's to free(). NULL: no memory. Of a program with many call
 * paths it may take tenths of a second; `next` is set to when it should be made again at the
 * earliest (nanoseconds, CLOCK_MONOTONIC): a second later, or as much more as it took long. */
char *figures_make(FiguresText what, size_t *size, uint64_t *next);

#endif
