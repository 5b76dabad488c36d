/* watched.c - the directory, and behind it a list of its entries in use. */
#include "agent/map/watched.h"

#include "base/os.h"

#define BITS_SIZE (2 * LMP_WATCHED_WORDS * sizeof(uint64_t))
#define DIRECTORY_SIZE ((LMP_DIR_SIZE + LMP_MAX_LEAVES) * sizeof(uint64_t *))

LmpErr watched_prepare(LmpProfile *p) {
    p->watched_room = lmp_os->map(DIRECTORY_SIZE, -1, 0, true);
    p->watched_used = 0;
    if (p->watched_room && watched_make_room(p, 0)) return LMP_OK; /* NULL is freed now and then */
    LmpErr err = os_map_error();
    watched_close(p);
    return err;
}

bool watched_make_room(LmpProfile *p, uintptr_t a) {
    uint64_t **at = &p->watched_room[watched_part(a)];
    if (*at) return true;
    if (p->watched_used < LMP_MAX_LEAVES) *at = lmp_os->map(BITS_SIZE, -1, 0, true);
    if (*at) p->watched_room[LMP_DIR_SIZE + p->watched_used++] = *at;
    return *at != NULL;
}

void watched_begin(LmpProfile *p) {
    p->watched = p->watched_room;
}

/* Most words were never written, and reading those takes no memory. */
void watched_forget(LmpProfile *p) {
    p->watched = NULL;
    for (uint32_t i = 0; i < p->watched_used; i++) {
        uint64_t *bits = p->watched_room[LMP_DIR_SIZE + i];
        for (size_t w = 0; w < BITS_SIZE / sizeof *bits; w++)
            if (bits[w]) bits[w] = 0;
    }
}

void watched_close(LmpProfile *p) {
    p->watched = NULL;
    if (!p->watched_room) return;
    for (uint32_t i = 0; i < p->watched_used; i++)
        lmp_os->unmap(p->watched_room[LMP_DIR_SIZE + i], BITS_SIZE);
    lmp_os->unmap(p->watched_room, DIRECTORY_SIZE);
    p->watched_room = NULL;
}

bool watched_set(LmpProfile *p, uintptr_t a, bool thread) {
    if (!watched_make_room(p, a)) return false;
    *watched_word(*watched_bits(p, a), a) |= watched_bit(a);
    return watched_note_thread(p, a, thread);
}

bool watched_clear(LmpProfile *p, uintptr_t a) {
    if (!watched_note_thread(p, a, false)) return false;
    uint64_t *word = watched_word(*watched_bits(p, a), a), before = *word;
    *word &= ~watched_bit(a);
    return before & watched_bit(a);
}
