/* inside.h - what is in single values of a program that stands within an operation: entries of
 * tables, upvalues of functions, user values, metatables.
 *
 * Objects are read where they lie, by the layout that walks read them by (offsets.h): no call of
 * the API, no allocation, no change. Each request reads one value, a page of entries, in so many
 * steps at most, and comes by a way from a variable of the paused operation: so nothing is read but
 * what is held there, and what holds itself is no danger. Vectors that the operation moves are read
 * where they are now, and never beyond what the map says of their size. */
#ifndef LMP_AGENT_OBJECTS_INSIDE_H
#define LMP_AGENT_OBJECTS_INSIDE_H

#include "agent/objects/source.h"

typedef struct LmpInsideSource {
    LmpProfile *p;      /* its map says how large vectors are; NULL: nobody does */
    LmpObjectHand hand; /* the operation, after which all of this is read */
} LmpInsideSource;

/* Adds to a value that locals.c has read what is in it, as a row of the display says it. Only after
 * offsets_known() has said LMP_OK. */
void inside_preview(const LmpInsideSource *source, LmpLocal *local);

/* Answers a wish, from the value of the variable that it begins at on: all of *out but seq. The
 * same holds. */
void inside_read(const LmpInsideSource *source, const LmpLocal *variable, const LmpInsideWish *wish,
                 LmpInside *out);

#endif
