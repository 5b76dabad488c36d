/* nearest.h - "did you mean": which of the known words the user may have meant to type. */
#ifndef LMP_NEAREST_H
#define LMP_NEAREST_H

#include <stddef.h>

/* One word is offered after another; the best is kept. Begin with {.typed = ...}. */
typedef struct Nearest {
    const char *typed; /* as typed; need not end after `length` */
    size_t length;     /* bytes; 0: all of `typed` */
    const char *word;  /* the best so far, as offered; NULL: none is near enough */
    unsigned distance; /* its distance */
} Nearest;

/* Looks at one more known word. Near enough means few letters, at most a third of them, inserted,
 * left out, changed or swapped with a neighbour; or the same beginning (three letters). */
void nearest_offer(Nearest *nearest, const char *word);

#endif
