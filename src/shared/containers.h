/* containers.h - tables that have grown large, and what they hold: what looks at the heap's own
 * references have found (agent/objects/containers.h), for verdicts.
 *
 * Rows are lines, as a table is known by the line that made its newest part: the one that put in
 * the entry for which there was no room. Guarded by `seq`; for readers everything is untrusted. */
#ifndef LMP_SHARED_CONTAINERS_H
#define LMP_SHARED_CONTAINERS_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#define LMP_CONTAINERS 32u        /* those with the most entries */
#define LMP_CONTAINER_LINES 12u   /* of what one holds, those of which most was found */
#define LMP_CONTAINER_MOMENTS 16u /* of the run so far: when they are used up, every other goes */
#define LMP_CONTAINER_EACH 256u   /* the unit of LmpContained.each */

/* Objects of one site, in the entries of a container and below these. */
typedef struct LmpContained {
    uint32_t site; /* row of the sites; 0: none */
    uint32_t each; /* objects for each entry, on average, in parts of LMP_CONTAINER_EACH */
} LmpContained;

typedef struct LmpContainer {
    uint32_t site;    /* row of the sites: where the tables' parts were made; 0: none */
    uint32_t tables;  /* parts of tables that were made there (count) */
    uint64_t entries; /* in all of them */
    uint64_t bytes;   /* of the parts alone */
    /* The same at earlier moments: i is the last look in the time from i * interval on. */
    uint64_t entries_at[LMP_CONTAINER_MOMENTS];
    uint32_t tables_at[LMP_CONTAINER_MOMENTS];
    LmpContained line[LMP_CONTAINER_LINES];
} LmpContainer;

typedef struct LmpContainers {
    _Atomic uint32_t seq; /* odd while being written */
    uint32_t rows;        /* in use */
    uint32_t moments;     /* in use; the last one is still open */
    uint32_t looks;       /* at the whole heap, that were finished (count); 0: nothing is known */
    uint64_t interval;    /* nanoseconds from one moment to the next */
    uint64_t clock;       /* of the end of the last look, nanoseconds since start */
    LmpContainer row[LMP_CONTAINERS];
} LmpContainers;

/* Copies one moment, with counts within bounds. Returns false if there is no copy to be had. */
bool containers_copy(const LmpContainers *from, LmpContainers *out);

#endif
