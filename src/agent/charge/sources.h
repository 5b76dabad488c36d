/* sources.h - the texts of long sources, remembered by where Lua keeps them.
 *
 * A chunk without a name is its own source, of megabytes perhaps, and to find its text again it has
 * to be read to its end. So a few are remembered by address. That is sound only while the string
 * lives: its block is watched (LMP_BLOCK_NOTIFY), or is one from before start, whose freeing is
 * notified, too; a source for which neither is certain is not remembered. */
#ifndef LMP_SOURCES_H
#define LMP_SOURCES_H

#include "agent/state/profile.h"

enum { LMP_SOURCES = 16, LMP_SOURCE_LONG = 512 /* bytes; shorter ones are read again */ };

typedef struct LmpSources {
    struct {
        const char *source; /* NULL: none */
        size_t length;
        uint32_t text; /* row, 0: there was no room for one, and never will be */
    } known[LMP_SOURCES];
    uint32_t next; /* slot for the next one */
} LmpSources;

/* Finds out how strings begin (once, thread-safe; may allocate): only at start. Without, nothing is
 * remembered. */
void sources_prepare(void);

bool sources_find(const LmpSources *known, const char *source, size_t length, uint32_t *text);
void sources_keep(LmpProfile *p, LmpSources *known, const char *source, size_t length,
                  uint32_t text);
/* Call when the block at addr is freed. */
void sources_gone(LmpSources *known, uintptr_t addr);

#endif
