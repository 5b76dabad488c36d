/* figure.c - reads a figure at its offset in a struct, as number or as word. */
#include "read/figure.h"

#include <string.h>

uint64_t figure_number(const LmpFigure *figure, const void *of) {
    uint64_t number;
    memcpy(&number, (const char *)of + figure->at, sizeof number);
    return number;
}

const char *figure_word(const LmpFigure *figure, const void *of) {
    uint32_t word;
    memcpy(&word, (const char *)of + figure->at, sizeof word);
    return word < figure->word_count ? figure->words[word] : figure->words[0];
}
