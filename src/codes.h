/* codes.h - the prototypes' code vectors that the cache of lines knows something of: by address, in
 * which groups of the cache the answers stand.
 *
 * Open addressing in private memory from lmp_os->map, doubled when half full. */
#ifndef LMP_CODES_H
#define LMP_CODES_H

#include <stdbool.h>
#include <stdint.h>

typedef struct LmpCode {
    uintptr_t addr;  /* of the vector's block; 0: free */
    uint64_t groups; /* a bit for each group */
} LmpCode;

typedef struct LmpCodes {
    LmpCode *slot;
    uint32_t slots, used; /* slots: a power of two */
} LmpCodes;

bool codes_open(LmpCodes *codes);
void codes_close(LmpCodes *codes);

/* Adds a group to a vector's; *added: it was not known before. False: no memory for one more. */
bool codes_note(LmpCodes *codes, uintptr_t addr, unsigned group, bool *added);
/* Forgets a vector: its groups, 0 when it was not known. */
uint64_t codes_take(LmpCodes *codes, uintptr_t addr);

#endif
