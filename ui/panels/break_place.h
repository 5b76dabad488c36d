/* break_place.h - checks the line that a break condition names, by what has made memory so far and
 * by the source text. */
#ifndef LMP_BREAK_PLACE_H
#define LMP_BREAK_PLACE_H

#include "shared/breaks.h"
#include "widget/panel.h"

typedef enum BreakPlaceKind {
    BREAK_PLACE_FINE,      /* memory has been made there, or nothing is known */
    BREAK_PLACE_NO_SOURCE, /* nothing of such a source has made memory yet */
    BREAK_PLACE_NO_LINE,   /* the source has fewer lines */
    BREAK_PLACE_NO_CODE,   /* an empty line, or a comment */
    BREAK_PLACE_NOTHING,   /* nothing has been made there yet */
} BreakPlaceKind;

typedef struct BreakPlace {
    BreakPlaceKind kind;
    int nearest;      /* the nearest line that has made memory, or has code; 0: none known */
    const char *like; /* BREAK_PLACE_NO_SOURCE: a source with a similar name that has made memory;
                         NULL: none; valid until the model's next refresh */
    uint32_t lines;   /* of the source, for BREAK_PLACE_NO_LINE */
} BreakPlace;

/* Checks a condition; one other than LMP_BREAK_AT is always fine. With NO_LINE or NO_CODE it can
 * never be met; else it may be met later. */
BreakPlace break_place_find(const Model *model, const Ui *ui, const LmpBreak *b);

/* Writes what is wrong and what would be right, for a person; "" if all is fine. Returns out. */
char *break_place_words(char *out, size_t size, const BreakPlace *place, const LmpBreak *b);

#endif
