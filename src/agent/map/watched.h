/* watched.h - a bit for each 16 bytes of addresses: is the block that begins there one whose free
 * must not be missed while the map has no others (LmpProfile.whole)? That is one that the map has
 * nevertheless, one from before start, or a thread that somebody remembers. A second bit says that
 * a thread begins there which is in no map.
 *
 * Private memory, 1 MiB for 64 MiB of addresses, of which only those pages exist where a bit was
 * ever set. So a free is told from others at the cost of a load that seldom misses the cache. */
#ifndef LMP_WATCHED_H
#define LMP_WATCHED_H

#include "agent/state/profile.h"

#define LMP_WATCHED_GRAIN 4u /* bits of address */
#define LMP_WATCHED_WORDS ((1ull << (LMP_LEAF_BITS - LMP_WATCHED_GRAIN)) / 64)

/* Where in the directory an address is; beyond what that covers, with others. */
static ALWAYS_INLINE uintptr_t watched_part(uintptr_t a) {
    return a >> LMP_LEAF_BITS & (LMP_DIR_SIZE - 1);
}

/* The bits for the 64 MiB around an address. */
static ALWAYS_INLINE uint64_t **watched_bits(const LmpProfile *p, uintptr_t a) {
    return &p->watched[watched_part(a)];
}

/* The place of an address's bit among those. */
static ALWAYS_INLINE uint64_t *watched_word(uint64_t *bits, uintptr_t a) {
    return &bits[a >> (LMP_WATCHED_GRAIN + 6) & (LMP_WATCHED_WORDS - 1)];
}

static ALWAYS_INLINE uint64_t watched_bit(uintptr_t a) {
    return 1ull << (a >> LMP_WATCHED_GRAIN & 63);
}

/* Returns true if the bit of an address is set. */
static ALWAYS_INLINE bool watched_has(const LmpProfile *p, uintptr_t a) {
    uint64_t *bits = *watched_bits(p, a);
    return bits && *watched_word(bits, a) >> (a >> LMP_WATCHED_GRAIN & 63) & 1;
}

/* Makes room for bits, at start; then for those around an address, when a block is first met there.
 * Errors: NOMEM, INVAL; false: no memory. */
LmpErr watched_prepare(LmpProfile *p);
bool watched_make_room(LmpProfile *p, uintptr_t a);
/* Uses it from now on, with all bits 0; and no longer. */
void watched_begin(LmpProfile *p);
void watched_forget(LmpProfile *p);
void watched_close(LmpProfile *p);

/* Returns true if a thread begins there that is in no map. */
static ALWAYS_INLINE bool watched_is_thread(const LmpProfile *p, uintptr_t a) {
    uint64_t *bits = *watched_bits(p, a);
    return bits && watched_word(bits, a)[LMP_WATCHED_WORDS] >> (a >> LMP_WATCHED_GRAIN & 63) & 1;
}

/* Sets or clears the second bit alone, where a thread begins that nobody remembers yet. Returns
 * false if there is no room for bits. */
static ALWAYS_INLINE bool watched_note_thread(const LmpProfile *p, uintptr_t a, bool there) {
    uint64_t *bits = *watched_bits(p, a), bit = watched_bit(a);
    if (UNLIKELY(!bits)) return false;
    uint64_t *word = &watched_word(bits, a)[LMP_WATCHED_WORDS];
    *word = there ? *word | bit : *word & ~bit;
    return true;
}

/* Sets the bit of an address, and the second one if there is a thread. Returns false if there is no
 * memory for it. */
bool watched_set(LmpProfile *p, uintptr_t a, bool thread);
/* Takes both back. Returns true if the first was set. */
bool watched_clear(LmpProfile *p, uintptr_t a);

#endif
