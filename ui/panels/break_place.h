/* break_place.h - is there anything at the line that a break condition names? Found out from what
 * has made memory so far, and from the source's text. */
#ifndef LMP_BREAK_PLACE_H
#define LMP_BREAK_PLACE_H

#include "shared/breaks.h"
#include "widget/panel.h"

typedef enum BreakPlaceKind {
    BREAK_PLACE_FINE,      /* memory has been made there, or nothing is known */
    BREAK_PLACE_NO_SOURCE, /* nothing of such a source has made memory yet */
    BREAK_PLACE_NO_LINE,   /* its text is shorter */
    BREAK_PLACE_NO_CODE,   /* an empty line, or a comment */
    BREAK_PLACE_NOTHING,   /* nothing has been made there yet */
} BreakPlaceKind;

typedef struct BreakPlace {
    BreakPlaceKind kind;
    int nearest;      /* the nearest line that has made memory, or has code; 0: none is known */
    const char *like; /* BREAK_PLACE_NO_SOURCE: a source that has, and is named nearly so; NULL:
                         none; good until the model's next refresh */
    uint32_t lines;   /* of the text, BREAK_PLACE_NO_LINE */
} BreakPlace;

/* Looks; of a condition that is not LMP_BREAK_AT all is fine. It can never be met where kind is
 * NO_LINE or NO_CODE; else it may be met later. */
BreakPlace break_place_find(const Model *model, const Ui *ui, const LmpBreak *b);

/* What is wrong and what would be right, for a person; "" where all is fine. Returns out. */
char *break_place_words(char *out, size_t size, const BreakPlace *place, const LmpBreak *b);

#endif
