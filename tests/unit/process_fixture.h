/* process_fixture.h - a made-up process as a kernel would describe it: mappings, which of their
 * pages are in memory, and their contents, laid out as glibc's malloc does; with the truth about
 * each byte. lmp_os reads this process in place of a real one. */
#ifndef LMP_PROCESS_FIXTURE_H
#define LMP_PROCESS_FIXTURE_H

#include <stdio.h>

#include "fake_heap.h"
#include "read/process/process.h"
#include "suite.h"

#define FAKE_PID 4711u

static uint64_t fake_page = 4096; /* bytes of its kernel's */
#define FAKE_PAGE fake_page

typedef struct FakeMapping {
    uint64_t start, end;
    char perms[5], name[64];
    uint64_t kib;   /* resident, if it has no pages of its own */
    uint8_t *bytes; /* its memory; NULL: it is only listed */
    bool *here;     /* by page */
    uint8_t *truth; /* by byte: ProcessRow */
} FakeMapping;

typedef struct FakeProcess {
    FakeHeap *heap;
    FakeMapping map[24];
    uint32_t maps;
    uint64_t kept[80]; /* the last chunk of a size that malloc keeps for later, by size / 16 */
    bool closed;       /* its memory may not be read */
    bool gone;
    FakeMapping *before_pages; /* the program has given it back when pages are first asked for */
    bool pageless;             /* the kernel does not say which pages are there */
} FakeProcess;

static FakeProcess *fake_process; /* what lmp_os reads */

static uint64_t fake_pages(const FakeMapping *m) {
    return (m->end - m->start) / FAKE_PAGE;
}

static uint64_t fake_resident(const FakeMapping *m) {
    uint64_t bytes = m->kib * 1024;
    for (uint64_t i = 0; m->here && i < fake_pages(m); i++)
        bytes += m->here[i] ? FAKE_PAGE : 0;
    return bytes;
}

static size_t fake_peek(uint32_t pid, uint64_t from, void *to, size_t n) {
    ck_assert_uint_eq(pid, FAKE_PID);
    for (uint32_t i = 0; i < fake_process->maps && !fake_process->closed; i++) {
        const FakeMapping *m = &fake_process->map[i];
        if (from < m->start || from + n > m->end || !m->bytes) continue;
        for (uint64_t at = from & ~(uint64_t)(FAKE_PAGE - 1); at < from + n; at += FAKE_PAGE)
            ck_assert_msg(m->here[(at - m->start) / FAKE_PAGE],
                          "a page is read that is not in memory: that puts it there");
        memcpy(to, m->bytes + (from - m->start), n);
        return n;
    }
    return 0;
}

static int64_t fake_smaps(void *to, size_t n) {
    char *text = NULL;
    size_t size = 0;
    FILE *f = open_memstream(&text, &size);
    for (uint32_t i = 0; i < fake_process->maps; i++) {
        const FakeMapping *m = &fake_process->map[i];
        unsigned long long rss = fake_resident(m) / 1024;
        fprintf(f, "%llx-%llx %s 00000000 08:01 %d%*s%s\n", (unsigned long long)m->start,
                (unsigned long long)m->end, m->perms, m->name[0] == '/' ? 4242 : 0,
                m->name[0] ? 20 : 0, "", m->name);
        fprintf(f, "Size:  %16llu kB\nKernelPageSize:        4 kB\nRss:   %16llu kB\n",
                (unsigned long long)(m->end - m->start) / 1024, rss);
        fprintf(f, "Pss:   %16llu kB\nSwap:                  0 kB\nVmFlags: rd wr mr mw me ac\n",
                rss);
    }
    fclose(f);
    size_t most = size < n ? size : n;
    memcpy(to, text, most);
    free(text);
    return (int64_t)most;
}

static int64_t fake_pagemap(uint64_t at, void *to, size_t n) {
    uint64_t *out = to;
    for (uint64_t i = 0; i < n / 8; i++) {
        uint64_t addr = (at / 8 + i) * FAKE_PAGE;
        out[i] = 0;
        for (uint32_t k = 0; k < fake_process->maps; k++) {
            const FakeMapping *m = &fake_process->map[k];
            if (addr < m->start || addr >= m->end) continue;
            bool here =
                m->here ? m->here[(addr - m->start) / FAKE_PAGE] : addr - m->start < m->kib * 1024;
            out[i] = here ? 1ull << 63 | 0x12345 : 1ull << 55;
        }
    }
    return (int64_t)n;
}

static int64_t fake_file(const char *path, uint64_t at, void *to, size_t n) {
    if (fake_process->gone) return -1;
    if (strcmp(path, "/proc/4711/smaps") == 0) return fake_smaps(to, n);
    ck_assert_str_eq(path, "/proc/4711/pagemap");
    FakeMapping *gone = fake_process->before_pages;
    if (gone) memset(gone->here, false, fake_pages(gone) * sizeof *gone->here);
    fake_process->before_pages = NULL;
    return fake_process->pageless ? -1 : fake_pagemap(at, to, n);
}

static uint64_t fake_page_size(void) {
    return fake_page;
}

static FakeProcess *fake_process_new(void) {
    static LmpOs os;
    FakeProcess *p = calloc(1, sizeof *p);
    p->heap = fake_new(false);
    p->heap->view.pid = FAKE_PID;
    os = *lmp_os;
    os.page = fake_page_size;
    os.peek_process = fake_peek;
    os.read_file = fake_file;
    lmp_os = &os;
    fake_process = p;
    return p;
}

static void fake_process_free(FakeProcess *p) {
    for (uint32_t i = 0; i < p->maps; i++) {
        free(p->map[i].bytes);
        free(p->map[i].here);
        free(p->map[i].truth);
    }
    fake_free(p->heap);
    free(p);
}
RELEASE_AT(fake_process_free)

/* A mapping that is listed only; they are added by rising address. */
static FakeMapping *fake_listed(FakeProcess *p, uint64_t start, uint64_t kib, const char *perms,
                                const char *name, uint64_t resident_kib) {
    FakeMapping *m = &p->map[p->maps++];
    ck_assert_uint_le(p->maps, sizeof p->map / sizeof *p->map);
    *m = (FakeMapping){.start = start, .end = start + kib * 1024, .kib = resident_kib};
    snprintf(m->perms, sizeof m->perms, "%s", perms);
    snprintf(m->name, sizeof m->name, "%s", name);
    return m;
}

/* One with memory, all of it there, and not told apart so far. */
static FakeMapping *fake_memory(FakeProcess *p, uint64_t start, uint64_t kib, const char *name) {
    FakeMapping *m = fake_listed(p, start, kib, "rw-p", name, 0);
    m->bytes = calloc(kib, 1024);
    m->truth = calloc(kib, 1024);
    m->here = calloc(fake_pages(m), sizeof *m->here);
    memset(m->here, true, fake_pages(m));
    memset(m->truth, PROCESS_UNTOLD, kib * 1024);
    return m;
}

static void fake_word(FakeMapping *m, uint64_t addr, uint64_t value) {
    memcpy(m->bytes + (addr - m->start), &value, sizeof value);
}

static inline uint64_t fake_word_at(const FakeMapping *m, uint64_t addr) {
    uint64_t value;
    memcpy(&value, m->bytes + (addr - m->start), sizeof value);
    return value;
}

static void fake_truth(FakeMapping *m, uint64_t from, uint64_t to, ProcessRow row) {
    if (from < m->end)
        memset(m->truth + (from - m->start), row, (to < m->end ? to : m->end) - from);
}

typedef enum FakeChunk {
    FAKE_LUA,
    FAKE_CODE,
    FAKE_FREE,
    FAKE_KEPT,
    FAKE_TOP,
    FAKE_LARGE
} FakeChunk;

/* A chunk of `size` bytes at `at`, for `bytes` of Lua's. Whether it is in use is said by the one
 * behind it, which is written next. `used`: the one before it is in use. */
static void fake_chunk(FakeProcess *p, FakeMapping *m, uint64_t at, uint64_t size, FakeChunk what,
                       uint64_t bytes, bool used) {
    uint64_t from = at == m->start ? at : at + 8;
    fake_word(m, at + 8, size | (what == FAKE_LARGE ? 2 : used ? 1 : 0));
    if (what == FAKE_LUA || (what == FAKE_LARGE && bytes)) {
        fake_place(p->heap, at + 16, bytes, LMP_C_TABLE, 1);
        fake_truth(m, from, at + size + 8, PROCESS_AROUND);
        fake_truth(m, at + 16, at + 16 + bytes, PROCESS_LUA);
    } else if (what == FAKE_CODE || what == FAKE_LARGE) {
        fake_truth(m, from, at + size + 8, PROCESS_MALLOC);
    } else {
        fake_truth(m, from, at + size + 8, PROCESS_FREE_PARTS);
    }
    /* Links of kept chunks lead to the next chunk of the size, or to what that served, the last one
     * to nothing; other code's words lead to the heap as well. */
    if (what == FAKE_KEPT) {
        uint64_t next = p->kept[size / 16];
        if (next && size / 16 % 2) next += 16;
        fake_word(m, at + 16, next ^ (at + 16) >> 12);
        p->kept[size / 16] = at;
    }
    if (what == FAKE_CODE && at / 16 % 3) fake_word(m, at + 16, m->start + at % 4096 / 16 * 16);
}

/* Chunks of all sorts at random up to the mapping's end; the last one is what malloc has left. */
static void fake_chunks(FakeProcess *p, FakeMapping *m, uint64_t from) {
    bool used = true;
    uint64_t at = from, dense = 1 + suite_below(6), stretch = 0, bytes = 0;
    FakeChunk main = FAKE_LUA;
    while (m->end - at > 4096) {
        FakeChunk what;
        if (stretch == 0) {
            stretch = 1 + suite_below(400);
            main = suite_below(3) ? FAKE_LUA : FAKE_CODE;
        }
        stretch--;
        what = suite_below(8) < dense ? main : (FakeChunk)suite_below(FAKE_TOP);
        if (what == FAKE_FREE && !used) what = FAKE_CODE; /* free neighbours are one */
        bytes = suite_below(20)   ? 1 + suite_below(120)
                : suite_below(10) ? 1 + suite_below(5000)
                                  : suite_below(3 << 20);
        if (bytes + 4096 + 64 > m->end - at) bytes = 24;
        if (what == FAKE_KEPT) bytes = bytes % 120 + 1;
        /* now and then a chunk begins right below where the next part to be read does */
        uint64_t border = (at | (CHUNKS_PART - 1)) + 1 - 16;
        if (what != FAKE_KEPT && border >= at + 32 && border < at + chunks_size(bytes) + 1000 &&
            border < m->end - 8192 && suite_below(4))
            bytes = border - at - 8;
        uint64_t size = chunks_size(bytes) +
                        (bytes % 16 != 8 && what == FAKE_LUA && suite_below(9) == 0 ? 16 : 0);
        fake_chunk(p, m, at, size, what, bytes, used);
        used = what != FAKE_FREE;
        at += size;
    }
    fake_chunk(p, m, at, m->end - at, FAKE_TOP, 0, used);
}

/* What is in memory, byte by byte: the rows as they should be, of mappings with a truth. */
static inline void fake_judge(const FakeProcess *p, uint64_t row[PROCESS_ROWS], uint64_t *absent) {
    *absent = 0;
    for (uint32_t i = 0; i < p->maps; i++) {
        const FakeMapping *m = &p->map[i];
        for (uint64_t page = 0; m->truth && page < fake_pages(m); page++) {
            uint64_t n[PROCESS_ROWS] = {0};
            for (uint64_t at = page * FAKE_PAGE; at < (page + 1) * FAKE_PAGE; at++)
                n[m->truth[at]]++;
            if (!m->here[page]) {
                *absent += n[PROCESS_LUA];
                continue;
            }
            if (n[PROCESS_FREE_PARTS] == FAKE_PAGE) {
                n[PROCESS_FREE_PARTS] = 0;
                n[PROCESS_FREE_PAGES] = FAKE_PAGE;
            }
            for (int r = 0; r < PROCESS_ROWS; r++)
                row[r] += n[r];
        }
    }
}

/* A whole look, in steps of a budget. */
static inline const ProcessFigures *fake_look(Process *reader, uint64_t budget) {
    process_again(reader);
    while (process_step(reader, 1000, budget))
        ;
    return process_figures(reader);
}

static inline uint64_t fake_sum(const ProcessFigures *f) {
    uint64_t sum = 0;
    for (int r = 0; r < PROCESS_ROWS; r++)
        sum += f->row[r];
    return sum;
}

#endif
