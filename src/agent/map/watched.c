/* watched.c - the directory, and behind it a list of its entries in use, each made when the first
 * bit of its 64 MiB is set. */
#include "agent/map/watched.h"

#include "base/os.h"

#define BITS_SIZE (2 * LMP_WATCHED_WORDS * sizeof(uint64_t))
#define DIRECTORY_SIZE ((LMP_DIR_SIZE + LMP_MAX_LEAVES) * sizeof(uint64_t *))

static uint64_t bit_of(uintptr_t a) {
    return 1ull << (a >> LMP_WATCHED_GRAIN & 63);
}

LmpErr watched_open(LmpProfile *p) {
    p->watched = lmp_os->map(DIRECTORY_SIZE, -1, 0, true);
    p->watched_used = 0;
    return p->watched ? LMP_OK : os_map_error();
}

void watched_close(LmpProfile *p) {
    if (!p->watched) return;
    for (uint32_t i = 0; i < p->watched_used; i++)
        lmp_os->unmap(p->watched[LMP_DIR_SIZE + i], BITS_SIZE);
    lmp_os->unmap(p->watched, DIRECTORY_SIZE);
    p->watched = NULL;
}

bool watched_set(LmpProfile *p, uintptr_t a, bool thread) {
    uint64_t **at = watched_bits(p, a);
    if (!*at) {
        uint64_t *bits =
            p->watched_used == LMP_MAX_LEAVES ? NULL : lmp_os->map(BITS_SIZE, -1, 0, true);
        if (!bits) return false;
        p->watched[LMP_DIR_SIZE + p->watched_used++] = *at = bits;
    }
    uint64_t *word = watched_word(*at, a), *threads = word + LMP_WATCHED_WORDS;
    *word |= bit_of(a);
    *threads = thread ? *threads | bit_of(a) : *threads & ~bit_of(a);
    return true;
}

bool watched_clear(LmpProfile *p, uintptr_t a) {
    if (!watched_has(p, a)) return false;
    uint64_t *word = watched_word(*watched_bits(p, a), a);
    word[0] &= ~bit_of(a);
    word[LMP_WATCHED_WORDS] &= ~bit_of(a);
    return true;
}
