/* containers.h - looks at what the program's large tables hold, a little with every tick.
 *
 * A line that makes what is never freed is seldom the one that keeps it. The figures by line cannot
 * tell who does; the heap's own references can. So the shadow map is gone through, over and over,
 * some thousand entries a tick, for parts of tables that have room for many entries. Of each some
 * slots are counted, and some entries followed, to what they hold and what that holds: never more
 * than a few objects, none older than the entry, and none whose block the map does not know. What
 * was found is written to the shared state when all of the heap was seen (shared/containers.h).
 *
 * Nothing of the program is called or changed, and no memory is asked for. Within an operation a
 * vector may have moved already while its table does not know: such a part is known under its new
 * address, and what still points to the old one leads to no block. */
#ifndef LMP_AGENT_OBJECTS_CONTAINERS_H
#define LMP_AGENT_OBJECTS_CONTAINERS_H

#include "agent/state/profile.h"

enum { CONTAINER_ROWS = 64, CONTAINER_PARTS = 4 };

/* What one part of a table has added to a row. */
typedef struct LmpContainerPart {
    uintptr_t at;
    uint64_t size, slots; /* bytes; count */
    uint64_t looked, used;
} LmpContainerPart;

/* What is known of the tables of one line while a look is under way. */
typedef struct LmpContainerRow {
    LmpContainer out;
    uint32_t missed;         /* looks since the last one that met any (count) */
    uint32_t tables, looked; /* parts met in this look; of these, looked into (counts) */
    LmpContainerPart part[CONTAINER_PARTS]; /* the first ones met in this look */
    uint64_t bytes, slots;                  /* of all of them */
    uint64_t slots_looked, used;            /* slots looked at, of which have an entry (counts) */
    double followed; /* entries; as all that follows, earlier looks count for half */
    double seen[LMP_CONTAINER_LINES]; /* objects, of the sites in out.line */
} LmpContainerRow;

typedef struct LmpContainerLooks {
    uint64_t due;         /* clock from which on the next look begins, nanoseconds since start */
    uint64_t passed;      /* nanoseconds of a look's ticks for which nothing was done yet */
    uint32_t leaf, entry; /* where the look is */
    uint32_t moments;     /* as in LmpContainers */
    uint64_t interval;
    uint8_t earlier[256]; /* by epoch, the one of the ticks before it; 0: none */
    uint64_t turn;        /* so that it is not always the same slots */
    LmpContainerRow row[CONTAINER_ROWS];
} LmpContainerLooks;

/* Call when an epoch begins, after that one, and when births are halved (shadow_halve_births). A
 * program that seldom asks for memory has few ticks: what it makes before one, and after a long
 * wait, seems to be older than it is, as old as the tick before. */
void containers_epoch(LmpProfile *p, uint32_t epoch, uint32_t earlier);
void containers_halve_births(LmpProfile *p);

/* Looks, with every tick, in any operation, for about half a percent of the time since the last
 * look, and a fifth of a millisecond at most. `passed`: nanoseconds. */
void containers_tick(LmpProfile *p, uint64_t passed);

#endif
