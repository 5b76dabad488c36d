/* sites.h - the writer's side of the tables: finds or makes the row for a function, a site, a
 * record. Everything here is cold: the hook keeps what it found (lines.h). Rows are never removed;
 * when a table is full the answer is its "(others)" row, and live->tables.folded counts. */
#ifndef LMP_SITES_H
#define LMP_SITES_H

#include "agent/state/profile.h"
#include "shared/tables.h"

/* Pseudo-functions, made at start: sites of work outside any Lua function. */
typedef enum LmpPseudo {
    LMP_PSEUDO_OTHERS, /* row 1 */
    LMP_PSEUDO_HOST,
    LMP_PSEUDO_PARSER,
    LMP_PSEUDO_COLLECTOR,
    LMP_PSEUDO_UNKNOWN,
    LMP_PSEUDOS
} LmpPseudo;

/* Makes the rows that are always there. p->tables is set. NOMEM: no memory for the indexes. */
LmpErr sites_open(LmpProfile *p);
void sites_close(LmpProfile *p);

/* Returns the row of a function. `ar` has "S" and "n" filled; `address`: of a C function, else
 * NULL. */
uint32_t sites_function(LmpProfile *p, const lua_Debug *ar, const void *address);
/* Returns the row of a stripped function, by stripped_hash; 0: not known, or forgotten. */
uint32_t sites_stripped(const LmpProfile *p, uint64_t hash);
void sites_keep_stripped(LmpProfile *p, uint64_t hash, uint32_t function);
/* Returns true if one more look at a call may give an existing function a name. */
bool sites_wants_name(const LmpProfile *p, uint32_t function);
/* Call when a string's block is freed, or one that may have been a string's: sources are
 * strings. */
void sites_string_gone(LmpProfile *p, uintptr_t addr);
/* Returns the same without making one, 0: there is none. `source`: text that stands for it, as
 * found by sites_find_source; of a C function only `address` counts. */
uint32_t sites_find_source(const LmpProfile *p, const char *source, size_t length);
uint32_t sites_find_function(const LmpProfile *p, uint32_t source, int linedefined,
                             const void *address);
/* Returns the row of a line of a function; `cfunction`: a C function's row or 0. */
uint32_t sites_site(LmpProfile *p, uint32_t function, int line, uint32_t cfunction);
/* Returns the site of a pseudo-function: they are the first rows. */
static inline uint32_t sites_pseudo(const LmpProfile *p, LmpPseudo pseudo) {
    (void)p;
    return 1 + (uint32_t)pseudo;
}
/* Makes the site of what lived before the profile, "(before)"; call once. */
uint32_t sites_before(LmpProfile *p);
/* Returns the record of a site, class and tag. */
uint32_t sites_record(LmpProfile *p, uint32_t site, unsigned cls, unsigned tag);
/* Returns a text of the tables, each kept once; 0 when there is no room. */
uint32_t sites_text(LmpProfile *p, const char *text, size_t length);

#endif
