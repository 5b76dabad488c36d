/* ownmap.h - which private memory of this process lmp has mapped for itself (os.h maps all of it),
 * so that whoever asks where the process's memory is can tell lmp's from the program's. */
#ifndef LMP_OWNMAP_H
#define LMP_OWNMAP_H

#include <stddef.h>
#include <stdint.h>

#define OWNMAP_MOST 96u

typedef struct OwnMapRange {
    uint64_t at, size; /* bytes */
} OwnMapRange;

/* From any thread, without a lock. More than OWNMAP_MOST at once are not remembered. */
void ownmap_add(const void *at, size_t size);
void ownmap_remove(const void *at);

/* Changes with each of these. */
uint32_t ownmap_changes(void);
/* All that are remembered, in no order; returns how many. */
uint32_t ownmap_copy(OwnMapRange out[OWNMAP_MOST]);

#endif
