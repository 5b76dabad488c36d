/* memory.h - memory for a walk over a heap: pieces mapped from the system, so that neither a lock
 * nor an allocator is needed, in a forked child as well. */
#ifndef LMP_AGENT_OBJECTS_MEMORY_H
#define LMP_AGENT_OBJECTS_MEMORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define LMP_OBJECT_PIECES 96u

typedef struct LmpObjectMemory {
    struct {
        void *at; /* NULL: not in use */
        size_t size;
    } piece[LMP_OBJECT_PIECES];
    uint64_t bytes, most; /* mapped now, and at most so far; untouched pages cost nothing */
} LmpObjectMemory;

void objectmemory_init(LmpObjectMemory *memory);
void objectmemory_free(LmpObjectMemory *memory);

/* Returns zeroed memory; NULL: there is none. A piece may have no bytes. */
void *objectmemory_get(LmpObjectMemory *memory, uint64_t bytes);
/* Gives one back; NULL does nothing. */
void objectmemory_drop(LmpObjectMemory *memory, const void *at);
/* Gets a larger piece with the first `used` bytes of *at, which is given back. Returns false, and
 * leaves *at as it was, if there is none. */
bool objectmemory_grow(LmpObjectMemory *memory, void **at, uint64_t used, uint64_t bytes);

#endif
