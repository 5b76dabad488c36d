/* memory.h - memory for a walk over a heap: pieces mapped from the system, so that neither a lock
 * nor an allocator is needed, in a forked child as well. */
#ifndef LMP_HEAP_MEMORY_H
#define LMP_HEAP_MEMORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define LMP_HEAP_PIECES 96u

typedef struct LmpHeapMemory {
    struct {
        void *at; /* NULL: not in use */
        size_t size;
    } piece[LMP_HEAP_PIECES];
    uint64_t bytes, most; /* mapped now, and at most so far; untouched pages cost nothing */
} LmpHeapMemory;

void heapmemory_init(LmpHeapMemory *memory);
void heapmemory_free(LmpHeapMemory *memory);

/* Zeroed; NULL: there is none. No bytes are a piece, too. */
void *heapmemory_get(LmpHeapMemory *memory, uint64_t bytes);
/* Gives one back; NULL does nothing. */
void heapmemory_drop(LmpHeapMemory *memory, const void *at);
/* Gets a larger piece with the first `used` bytes of *at, which is given back. Returns false, and
 * leaves *at as it was, if there is none. */
bool heapmemory_grow(LmpHeapMemory *memory, void **at, uint64_t used, uint64_t bytes);

#endif
