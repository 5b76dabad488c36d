/* freeze.c - see freeze.h. */
#include "agent/heap/freeze.h"

#include <string.h>

#include "base/forkos.h"
#include "base/os.h"

/* ---- what is frozen -------------------------------------------------------------------------- */

enum { OVERFLOW, TABLES, LEAVES /* the first of them */ };

typedef struct Region {
    char *at;
    uint64_t size, offset; /* in the file */
    LmpLeaf *leaf;         /* NULL: it is none */
} Region;

static Region region_of(const LmpProfile *p, uint32_t i) {
    if (i == OVERFLOW)
        return (Region){(char *)p->overflow, LMP_TABLES_AT - LMP_OVERFLOW_AT, LMP_OVERFLOW_AT,
                        NULL};
    if (i == TABLES) return (Region){p->tables.text, LMP_TABLES_SIZE, LMP_TABLES_AT, NULL};
    LmpLeaf *leaf = p->leaves.all[i - LEAVES];
    uint64_t offset = LMP_LEAVES_AT + (i - LEAVES) * (uint64_t)sizeof *leaf;
    return (Region){(char *)leaf, sizeof *leaf, offset, leaf};
}

bool freeze_begin(LmpProfile *p, LmpFreeze *f) {
    LmpLive *live = p->live;
    int fd = ownfd_get(&p->file);
    if (f->on || fd < 0 || live->hidden_leaves) return false;
    f->leaves = 0;
    f->region = 0;
    f->at = f->pages = 0;
    f->on = true;
    live->snapshot.tables = live->tables;
    atomic_thread_fence(memory_order_release);
    live->snapshot.frozen = 1;
    for (uint32_t i = 0; i < LEAVES + live->leaves; i++) {
        Region r = region_of(p, i);
        if (!fork_os->cover(r.at, r.size, fd, r.offset, false)) return false;
        f->leaves = i < LEAVES ? 0 : i - LEAVES + 1;
    }
    return true;
}

/* ---- which pages are the program's own ------------------------------------------------------- */

enum { PROBE_PAGES = 64 };

/* Looks at a private page before it is written and after: does the system tell them apart? */
static bool can_tell(int fd) {
    uint64_t before = 1, after = 0;
    size_t size = PROBE_PAGES * FREEZE_PAGE;
    volatile char *probe = lmp_os->map(size, -1, 0, true);
    if (!probe) return false;
    bool told = false;
    if (fork_os->cover((void *)probe, FREEZE_PAGE, fd, 0, false)) {
        char first = probe[0];
        told = fork_os->own_pages((void *)probe, PROBE_PAGES, &before);
        probe[0] = first;
        told = told && fork_os->own_pages((void *)probe, PROBE_PAGES, &after);
    }
    lmp_os->unmap((void *)probe, size);
    return told && !(before & 1) && after & 1;
}

/* Sets f->own for `pages` pages of a region from `at` on. */
static bool find_own(LmpFreeze *f, const Region *r, uint64_t at, size_t pages, int fd) {
    if (!f->compare) {
        size_t whole = (pages + 63) / 64 * 64; /* what lies beyond is not looked at */
        if (fork_os->own_pages(r->at + at, whole, f->own)) return true;
        f->compare = true;
    }
    memset(f->own, 0, sizeof f->own);
    for (size_t i = 0; i < pages; i++) {
        uint64_t page = at + i * FREEZE_PAGE;
        if (!fork_os->get(fd, f->page, FREEZE_PAGE, r->offset + page)) return false;
        if (memcmp(f->page, r->at + page, FREEZE_PAGE) != 0) f->own[i / 64] |= 1ull << i % 64;
    }
    return true;
}

static bool is_own(const LmpFreeze *f, size_t page) {
    return f->own[page / 64] >> page % 64 & 1;
}

/* ---- merging --------------------------------------------------------------------------------- */

/* Viewers look again only at what was stamped since: all that has come to the file just now. */
static void stamp(const LmpProfile *p, const Region *r, uint64_t from, uint64_t to) {
    uint64_t first = offsetof(LmpLeaf, entry), part = LMP_LEAF_ENTRIES / LMP_TOUCHES * 4ull;
    if (!r->leaf || to <= first) return;
    uint32_t frame = atomic_load_explicit(&p->control->frame, memory_order_relaxed);
    for (uint64_t t = from > first ? (from - first) / part : 0;
         t < LMP_TOUCHES && first + t * part < to; t++)
        if (r->leaf->touch[t]) r->leaf->touch[t] = frame;
}

/* Writes the own pages among `pages` from `at` on, run by run. */
static bool write_own(LmpFreeze *f, const Region *r, uint64_t at, size_t pages, int fd) {
    for (size_t i = 0; i < pages; i++) {
        size_t n = 0;
        while (i + n < pages && is_own(f, i + n))
            n++;
        if (n == 0) continue;
        uint64_t from = at + i * FREEZE_PAGE;
        if (!fork_os->put(fd, r->at + from, n * FREEZE_PAGE, r->offset + from)) return false;
        f->pages += n;
        i += n;
    }
    return true;
}

/* What this piece has changed is seen by viewers from now on. */
static void stamp_own(const LmpProfile *p, const LmpFreeze *f, const Region *r, uint64_t at,
                      size_t pages) {
    for (size_t i = 0; i < pages; i++)
        if (is_own(f, i)) stamp(p, r, at + i * FREEZE_PAGE, at + (i + 1) * FREEZE_PAGE);
}

/* The first page of a hole of the file, from `at` to `end`, that is in memory all the same. */
static uint64_t first_in_memory(const Region *r, uint64_t at, uint64_t end) {
    unsigned char is[FREEZE_LOOK];
    while (at < end) {
        uint64_t left = (end - at) / FREEZE_PAGE;
        size_t pages = left < FREEZE_LOOK ? (size_t)left : FREEZE_LOOK;
        if (!fork_os->in_memory(r->at + at, pages, is)) return end;
        for (size_t i = 0; i < pages; i++)
            if (is[i] & 1) return at + i * FREEZE_PAGE;
        at += pages * FREEZE_PAGE;
    }
    return end;
}

/* Where pages that may be the program's own come next. A page that was never written before has
 * memory of the file's, too, once it is the program's own; but that is all zeroes, and the system
 * may take it back at any time. So a hole of the file says nothing: all pages are asked for, or,
 * where they would be compared, those in memory. */
static void next_part(const LmpFreeze *f, const Region *r, int fd, uint64_t *from, uint64_t *to) {
    *from = f->at;
    *to = r->size;
    if (!f->compare) return;
    if (!fork_os->data(fd, r->offset + f->at, from, to)) *from = *to = r->offset + r->size;
    *from = *from - r->offset < r->size ? *from - r->offset : r->size;
    *to = *to - r->offset < r->size ? *to - r->offset : r->size;
    uint64_t alone = first_in_memory(r, f->at, *from);
    if (alone == *from) return;
    *from = alone;
    *to = alone + FREEZE_PAGE;
}

/* One piece of a region, from f->at on: up to its end, or until pages were written. False: the
 * system has refused. */
static bool merge_piece(LmpProfile *p, LmpFreeze *f, const Region *r, int fd) {
    uint64_t from, to;
    next_part(f, r, fd, &from, &to);
    uint64_t written = f->pages, at = from;
    size_t pages = 0;
    for (; at < to && f->pages == written; at += pages * FREEZE_PAGE) {
        uint64_t left = (to - at) / FREEZE_PAGE;
        pages = left < FREEZE_LOOK ? (size_t)left : FREEZE_LOOK;
        if (!find_own(f, r, at, pages, fd) || !write_own(f, r, at, pages, fd)) return false;
    }
    if (!fork_os->cover(r->at + f->at, at - f->at, fd, r->offset + f->at, true)) return false;
    if (f->pages != written) stamp_own(p, f, r, at - pages * FREEZE_PAGE, pages);
    f->at = at;
    return true;
}

static void all_shared(LmpProfile *p, LmpFreeze *f) {
    f->on = false;
    atomic_thread_fence(memory_order_release);
    p->live->snapshot.frozen = 0;
}

bool freeze_merge(LmpProfile *p, LmpFreeze *f, uint32_t pages) {
    int fd = f->on ? ownfd_get(&p->file) : -1;
    if (!f->on) return true;
    f->lost = fd < 0;
    if (f->lost) return false;
    if (!f->checked) f->compare = !can_tell(fd);
    f->checked = true;
    uint64_t most = f->pages + pages;
    for (; f->region < LEAVES + f->leaves; f->region++, f->at = 0) {
        Region r = region_of(p, f->region);
        while (f->at < r.size)
            if (f->pages >= most || !merge_piece(p, f, &r, fd)) return false;
    }
    all_shared(p, f);
    return true;
}

void freeze_end(LmpProfile *p, LmpFreeze *f) {
    int fd = f->on ? ownfd_get(&p->file) : -1;
    if (freeze_merge(p, f, UINT32_MAX) || fd < 0) return;
    for (; f->region < LEAVES + f->leaves; f->region++, f->at = 0) {
        Region r = region_of(p, f->region);
        for (size_t pages; f->at < r.size; f->at += pages * FREEZE_PAGE) {
            uint64_t left = (r.size - f->at) / FREEZE_PAGE;
            pages = left < FREEZE_LOOK ? (size_t)left : FREEZE_LOOK;
            if (find_own(f, &r, f->at, pages, fd)) write_own(f, &r, f->at, pages, fd);
        }
    }
    p->live->snapshot.frozen = 0;
}
