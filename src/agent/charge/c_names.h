/* c_names.h - the qualified names of C functions (names.h), by their addresses: a pass finds them
 * before the functions have rows, and again each time that it is made.
 */
#ifndef LMP_C_NAMES_H
#define LMP_C_NAMES_H

#include <stdbool.h>

#include "base/rowindex.h"

enum { LMP_C_NAMES_MOST = 1 << 14 };

typedef struct LmpCName {
    const void *address;
    uint32_t text, rank; /* of the tables; as names_walk.h has it */
} LmpCName;

typedef struct LmpCNames {
    LmpRowIndex index;
    uint32_t count;
    LmpCName name[LMP_C_NAMES_MOST]; /* from 1 */
} LmpCNames;

/* Sets up `names`, which is all zeroes. Returns false if there is no memory. */
bool c_names_open(LmpCNames *names);
void c_names_close(LmpCNames *names);

/* Returns a text of the tables, 0: none is known. `names` may be NULL. */
uint32_t c_names_text(LmpCNames *names, const void *address);
/* Returns the same with its rank, NULL: none is known. */
LmpCName *c_names_find(LmpCNames *names, const void *address);
/* Returns the same, made where there is none, with text 0. NULL: no room. */
LmpCName *c_names_note(LmpCNames *names, const void *address);

#endif
