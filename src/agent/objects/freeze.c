/* freeze.c - which mapping of each region (overflow table, tables, each leaf) the program works on,
 * which pages of the private one are its own, as the system tells or by comparing, and how these
 * are copied back, a piece at each tick. */
#include "agent/objects/freeze.h"

#include <string.h>

#include "agent/map/shadow.h"
#include "base/forkos.h"
#include "base/os.h"

/* ---- what is frozen -------------------------------------------------------------------------- */

enum { OVERFLOW, TABLES, LEAVES /* the first of them */ };

typedef struct Region {
    char *shared, *own;    /* its two mappings */
    uint64_t size, offset; /* in the file */
    bool is_leaf;
} Region;

static uint64_t offset_of(uint32_t region) {
    return region == OVERFLOW ? LMP_OVERFLOW_AT
           : region == TABLES ? LMP_TABLES_AT
                              : LMP_LEAVES_AT + (region - LEAVES) * (uint64_t)sizeof(LmpLeaf);
}

static Region region_of(const LmpProfile *p, const LmpFreeze *f, uint32_t i) {
    uint64_t offset = offset_of(i);
    return (Region){i < LEAVES ? f->shared[i] : (char *)p->leaves.shared[i - LEAVES],
                    f->own_map + (offset - LMP_OVERFLOW_AT), offset_of(i + 1) - offset, offset,
                    i >= LEAVES};
}

/* Makes the program work on this mapping of the region. */
static void use(LmpProfile *p, uint32_t region, void *at) {
    if (region == OVERFLOW) {
        p->overflow = at;
    } else if (region == TABLES) {
        p->tables = tables_at(at, p->tables.live);
        p->tables.writer = true;
        if (p->record) p->record = p->tables.record;
    } else {
        shadow_use(p, region - LEAVES, at);
    }
}

static bool map_own(LmpProfile *p, LmpFreeze *f) {
    int fd = own_fd_get(&p->file);
    if (fd < 0) return false;
    f->leaves = p->live->leaves;
    f->own_size = offset_of(LEAVES + f->leaves) - LMP_OVERFLOW_AT;
    f->own_map = fork_os->own_copy(f->own_size, fd, LMP_OVERFLOW_AT);
    if (f->own_map && own_fd_get(&p->file) < 0) freeze_release(f); /* closed just now */
    return f->own_map != NULL;
}

/* Returns true if the system tells whose a page is: looks at one before it is written, and
 * after. */
static bool can_tell(const LmpFreeze *f) {
    uint64_t before = 1, after = 0;
    volatile char *probe = f->own_map;
    char first = probe[0];
    bool told = fork_os->own_pages(f->own_map, 64, &before);
    probe[0] = first;
    return told && fork_os->own_pages(f->own_map, 64, &after) && !(before & 1) && after & 1;
}

bool freeze_begin(LmpProfile *p, LmpFreeze *f) {
    LmpLive *live = p->live;
    if (f->on || live->hidden_leaves) return false;
    freeze_release(f);
    if (!map_own(p, f)) return false;
    if (!f->checked) f->compare = !can_tell(f);
    f->checked = f->on = true;
    f->lost = false;
    f->region = f->passes = 0;
    f->at = f->bytes = 0;
    f->page = lmp_os->page();
    f->shared[OVERFLOW] = (char *)p->overflow;
    f->shared[TABLES] = p->tables.text;
    live->tables_frozen = live->tables;
    live->lines_end = live->clock ? live->clock : 1;
    atomic_thread_fence(memory_order_release);
    live->snapshot.frozen = 1;
    for (uint32_t i = 0; i < LEAVES + f->leaves; i++)
        use(p, i, region_of(p, f, i).own);
    return true;
}

/* ---- which pages are the program's own ------------------------------------------------------- */

/* Sets f->own for `pages` pages of a region from `at` on. Returns false if the system does not
 * tell. */
static bool find_own(LmpFreeze *f, const Region *r, uint64_t at, size_t pages) {
    if (!f->compare) {
        size_t whole = (pages + 63) / 64 * 64; /* what lies beyond is not looked at */
        f->compare = !fork_os->own_pages(r->own + at, whole, f->own);
        return !f->compare;
    }
    memset(f->own, 0, sizeof f->own);
    for (size_t i = 0; i < pages; i++) {
        uint64_t from = at + i * f->page;
        if (memcmp(r->shared + from, r->own + from, f->page) != 0) f->own[i / 64] |= 1ull << i % 64;
    }
    return true;
}

static bool is_own(const LmpFreeze *f, size_t page) {
    return f->own[page / 64] >> page % 64 & 1;
}

/* ---- merging --------------------------------------------------------------------------------- */

/* Stamps what has just come to the file, as viewers look again only at what was stamped since. The
 * program's own stamps follow, with their page. */
static void stamp(const LmpProfile *p, const Region *r, uint64_t from, uint64_t to) {
    uint64_t first = offsetof(LmpLeaf, entry), part = LMP_LEAF_ENTRIES / LMP_TOUCHES * 4ull;
    LmpLeaf *shared = (void *)r->shared, *own = (void *)r->own;
    if (!r->is_leaf || to <= first) return;
    uint32_t frame = atomic_load_explicit(&p->control->frame, memory_order_relaxed);
    for (uint64_t t = from > first ? (from - first) / part : 0;
         t < LMP_TOUCHES && first + t * part < to; t++)
        if (own->touch[t]) own->touch[t] = shared->touch[t] = frame;
}

/* Copies the own pages among `pages` from `at` on, run by run; then they are the file's again. */
static void copy_own(const LmpProfile *p, LmpFreeze *f, const Region *r, uint64_t at,
                     size_t pages) {
    for (size_t i = 0; i < pages; i++) {
        size_t n = 0;
        while (i + n < pages && is_own(f, i + n))
            n++;
        if (n == 0) continue;
        uint64_t from = at + i * f->page, size = n * f->page;
        memcpy(r->shared + from, r->own + from, size);
        fork_os->drop(r->own + from, size);
        stamp(p, r, from, from + size);
        f->bytes += size;
        i += n;
    }
}

/* Returns the first page of a hole of the file, from `at` to `end`, that is in memory all the
 * same. */
static uint64_t first_in_memory(const Region *r, uint64_t page, uint64_t at, uint64_t end) {
    unsigned char is[FREEZE_LOOK];
    while (at < end) {
        uint64_t left = (end - at) / page;
        size_t pages = left < FREEZE_LOOK ? (size_t)left : FREEZE_LOOK;
        if (!fork_os->in_memory(r->own + at, pages, is)) return end;
        for (size_t i = 0; i < pages; i++)
            if (is[i] & 1) return at + i * page;
        at += pages * page;
    }
    return end;
}

/* Finds the next pages that may be the program's own. A page that was never written before also has
 * memory of the file's once it is the program's own; but that is all zeroes, and the system may
 * take it back at any time. So a hole of the file says nothing: all pages are asked for, or, where
 * they would be compared, those in memory. */
static void next_part(const LmpFreeze *f, const Region *r, int fd, uint64_t *from, uint64_t *to) {
    *from = f->at;
    *to = r->size;
    if (!f->compare) return;
    if (!fork_os->data(fd, r->offset + f->at, from, to)) *from = *to = r->offset + r->size;
    *from = *from - r->offset < r->size ? *from - r->offset : r->size;
    *to = *to - r->offset < r->size ? *to - r->offset : r->size;
    uint64_t alone = first_in_memory(r, f->page, f->at, *from);
    if (alone == *from) return;
    *from = alone;
    *to = alone + f->page;
}

/* Merges one piece of a region, from f->at on: up to its end, or until pages were copied. Returns
 * false if the system does not tell which are the program's own. */
static bool merge_piece(LmpProfile *p, LmpFreeze *f, const Region *r) {
    uint64_t from, to, before = f->bytes;
    next_part(f, r, own_fd_get(&p->file), &from, &to);
    size_t pages = 0;
    for (f->at = from; f->at < to && f->bytes == before; f->at += pages * f->page) {
        uint64_t left = (to - f->at) / f->page;
        pages = left < FREEZE_LOOK ? (size_t)left : FREEZE_LOOK;
        if (!find_own(f, r, f->at, pages)) return false;
        copy_own(p, f, r, f->at, pages);
    }
    return true;
}

/* Merges one region. A pass that began in an earlier call leaves what was changed since; a whole
 * pass in this call leaves nothing, as the program stands. To get there, each pass may copy twice
 * as much as the one before it. */
static bool merge_region(LmpProfile *p, LmpFreeze *f, const Region *r, uint64_t begun,
                         uint64_t most) {
    for (bool whole = false; !whole; f->at = 0, f->passes++) {
        whole = f->at == 0;
        while (f->at < r->size)
            if (f->bytes - begun >= most << (f->passes < 20 ? f->passes : 20) ||
                !merge_piece(p, f, r))
                return false;
    }
    return true;
}

bool freeze_merge(LmpProfile *p, LmpFreeze *f, uint64_t bytes) {
    if (!f->on) return true;
    f->lost = f->compare && own_fd_get(&p->file) < 0;
    if (f->lost) return false;
    for (uint64_t begun = f->bytes; f->region < LEAVES + f->leaves; f->region++, f->passes = 0) {
        Region r = region_of(p, f, f->region);
        if (!merge_region(p, f, &r, begun, bytes)) return false;
        use(p, f->region, r.shared);
    }
    f->on = false;
    p->live->lines_end = 0;
    atomic_thread_fence(memory_order_release);
    p->live->snapshot.frozen = 0;
    return true;
}

#define ALL (1ull << 40) /* bytes */

void freeze_end(LmpProfile *p, LmpFreeze *f) {
    if (!freeze_merge(p, f, ALL)) freeze_merge(p, f, ALL); /* by comparing */
}

void freeze_release(LmpFreeze *f) {
    if (f->own_map && !f->on) lmp_os->unmap(f->own_map, f->own_size);
    if (!f->on) f->own_map = NULL;
}

void freeze_forget(LmpProfile *p, LmpFreeze *f) {
    for (uint32_t i = 0; f->on && i < LEAVES + f->leaves; i++)
        use(p, i, region_of(p, f, i).shared);
    f->on = false;
    freeze_release(f);
}
