/* arena.h - memory for a Lua state whose addresses are the same in every run.
 *
 * Doctor runs each program twice and compares request by request, so the two runs must not differ
 * in anything: not in the order of a table's keys, which depends on addresses, nor in the contents
 * of unused memory. A block is found by its address; words that happen to look like one are told
 * apart.
 */
#ifndef LMP_DOCTOR_ARENA_H
#define LMP_DOCTOR_ARENA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { ARENA_GRAIN = 32, ARENA_BINS = 2048, ARENA_LARGE_BINS = 40 };

typedef struct ArenaBlock {
    char *addr;       /* NULL: free */
    size_t size;      /* bytes */
    uint32_t number;  /* of the request that made it, from 1; 0: made before the program ran */
    uint32_t listed;  /* for owners.c: its place in a list */
    uint8_t type_tag; /* of the request: 4 to 10 for objects, 0 for parts */
    int8_t owner;     /* LmpKind; -1: a part that no object has pointed to so far */
} ArenaBlock;

typedef struct Arena {
    char *base;
    size_t used;     /* bytes from base that were ever given out */
    uint32_t *index; /* by grain: the block that starts there, 0: none */
    ArenaBlock *block;
    uint32_t blocks, room, free; /* rows; `free`: first of those that are free, by `listed` */
    uint32_t live;               /* blocks (count) */
    char *bin[ARENA_BINS];       /* free memory by grains */
    char *large[ARENA_LARGE_BINS];
} Arena;

/* Returns false if there is no memory. */
bool arena_open(Arena *a);
/* Brings the arena back to what it was when it was opened. */
void arena_reset(Arena *a);
void arena_close(Arena *a);

/* Returns NULL if there is no memory. What it points to is good until the next block is made. */
ArenaBlock *arena_make(Arena *a, size_t size);
/* Gives a block another size, and perhaps place. Returns false, and changes nothing, if there is no
 * memory. */
bool arena_resize(Arena *a, ArenaBlock *b, size_t size);
void arena_drop(Arena *a, ArenaBlock *b);
/* Returns the block that starts at an address, NULL: none does. */
ArenaBlock *arena_find(const Arena *a, const void *addr);

#endif
