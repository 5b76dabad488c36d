/* Where a process's memory is: lists of mappings by hand, made-up heaps against a judge that looks
 * at every byte, and what is said where something may not be read or is not as expected. */
#include <unistd.h>

#include "process_fixture.h"

#include "read/process/mappings.h"

RELEASE_AT(process_free)

#define HEAP_AT 0x55d0c2a10000ull
#define LARGE_AT 0x7f10a0000000ull

static uint64_t seed;

/* ---- lists of mappings ----------------------------------------------------------------------- */

static const char list[] =
    "555555554000-555555556000 r--p 00000000 08:01 1234     /usr/bin/lua5.4\n"
    "Rss:                   8 kB\n"
    "555555556000-555555570000 r-xp 00002000 08:01 1234     /usr/bin/lua5.4\n"
    "Size:                104 kB\nRss:                  96 kB\nPss: 4 kB\n"
    "555555570000-555555574000 rw-p 0001c000 08:01 1234     /usr/bin/lua5.4\n"
    "Rss:                  16 kB\n"
    "555555574000-555555575000 rw-p 00000000 00:00 0 \n"
    "Rss:                   4 kB\n" /* zeroed data */
    "555555600000-555555680000 rw-p 00000000 00:00 0        [heap]\n"
    "Rss:                 510 kB\n"
    "555555680000-555555700000 rw-p 00000000 00:00 0        [heap]\n" /* one with that before */
    "Rss:                 490 kB\n"
    "7f0000000000-7f0000021000 rw-p 00000000 00:00 0 \n" /* another thread's arena, */
    "Rss:                 132 kB\n"
    "7f0000021000-7f0004000000 ---p 00000000 00:00 0 \n" /* and what it may grow to; */
    "Rss:                   0 kB\n"
    "7f0004000000-7f0004021000 rw-p 00000000 00:00 0 \n" /* the next one */
    "Rss:                  40 kB\n"
    "7f0100000000-7f0100001000 ---p 00000000 00:00 0 \n"
    "Rss:                   0 kB\n"
    "7f0100001000-7f0100801000 rw-p 00000000 00:00 0 \n" /* a thread's stack */
    "Rss:                  24 kB\n"
    "7f0100900000-7f0100a00000 r--p 00000000 08:01 77       /usr/share/words (deleted)\n"
    "Rss:                 300 kB\n"
    "7f0100a00000-7f0100b00000 rw-s 00000000 00:05 78       /memfd:lmp-state (deleted)\n"
    "Rss:                 500 kB\n"
    "7f0100b00000-7f0100c00000 rw-s 00000000 00:05 79       /memfd:theirs (deleted)\n"
    "Rss:                 600 kB\n"
    "7f0100c00000-7f0100c20000 r-xp 00000000 08:01 80       /usr/lib/lua/5.4/luamemprofiler.so\n"
    "Rss:                 128 kB\n"
    "7f0100c20000-7f0100c30000 rw-p 00020000 08:01 80       /usr/lib/lua/5.4/luamemprofiler.so\n"
    "Rss:                  60 kB\n"
    "7f0100c30000-7f0100c40000 rw-p 00000000 00:00 0 \n" /* its zeroed data */
    "Rss:                  64 kB\n"
    "7f0100d00000-7f0100e00000 r-xp 00000000 08:01 81       /lib/libc.so.6\n"
    "Rss:                 700 kB\n"
    "7f0100f00000-7f0100f10000 rw-p 00000000 00:00 0        [anon: glibc: pthread stack: 12]\n"
    "Rss:                  12 kB\n"
    "7ffffffde000-7ffffffff000 rw-p 00000000 00:00 0        [stack]\n"
    "Rss:                  20 kB\n"
    "7ffffffff000-7fffffffff00 r-xp 00000000 00:00 0        [vdso]\n"
    "Rss:                   4 kB\n"
    "nonsense\nRss: 4 kB\n";

TEST(test_sorts) {
    static const MappingSort want[] = {
        MAPPING_PROGRAM, MAPPING_PROGRAM, MAPPING_PROGRAM, MAPPING_PROGRAM, MAPPING_HEAP,
        MAPPING_HEAP,    MAPPING_HEAP,    MAPPING_HEAP,    MAPPING_HEAP,    MAPPING_STACK,
        MAPPING_FILE,    MAPPING_OWN,     MAPPING_SHARED,  MAPPING_OWN,     MAPPING_OWN,
        MAPPING_OWN,     MAPPING_PROGRAM, MAPPING_STACK,   MAPPING_STACK,   MAPPING_KERNEL};
    static const uint64_t kib[] = {8,   96,  16,  4,   1000, 132, 0,   40, 0,  24,
                                   300, 500, 600, 128, 60,   64,  700, 12, 20, 3};
    OWN(mappings_free) Mappings maps = {0};
    uint64_t sum = 0;
    ck_assert(mappings_parse(&maps, list, sizeof list - 1));
    ck_assert_uint_eq(maps.count, sizeof want / sizeof *want);
    for (uint32_t i = 0; i < maps.count; i++) {
        ck_assert_msg(maps.row[i].sort == want[i], "mapping %u: %u, not %u", i, maps.row[i].sort,
                      want[i]);
        sum += kib[i] * 1024 + (i == 19 ? 0xf00 - 3072 : 0); /* no more than its addresses */
    }
    ck_assert_uint_eq(maps.resident, sum);
    ck_assert(maps.row[4].brk && !maps.row[5].brk);
    ck_assert_uint_eq(maps.glibc, 34);
    ck_assert_str_eq(maps.malloc, "");
}

TEST(test_libraries) {
    static const struct {
        const char *name;
        uint32_t glibc;
        const char *malloc;
    } of[] = {{"/lib/libc.so.6", 34, ""},
              {"/lib/libc-2.31.so", 31, ""},
              {"/lib/ld-musl-x86_64.so.1", 0, ""},
              {"/opt/libjemalloc.so.2", 0, "libjemalloc.so.2"},
              {"/usr/lib/libtcmalloc_minimal.so.4", 0, "libtcmalloc_minimal.so.4"}};
    for (size_t i = 0; i < sizeof of / sizeof *of; i++) {
        char text[200];
        OWN(mappings_free) Mappings maps = {0};
        int n = snprintf(text, sizeof text, "1000-2000 r-xp 00000000 08:01 9 %s\nRss: 4 kB\n",
                         of[i].name);
        ck_assert(mappings_parse(&maps, text, (size_t)n));
        ck_assert_uint_eq(maps.glibc, of[i].glibc);
        ck_assert_str_eq(maps.malloc, of[i].malloc);
    }
}

/* Whatever the text: mappings rise, none has more in memory than addresses, the sum is theirs. */
TEST(test_damaged_lists) {
    char text[sizeof list];
    seed = suite_seed;
    for (int round = 0; round < 3000; round++) {
        OWN(mappings_free) Mappings maps = {0};
        memcpy(text, list, sizeof list);
        size_t size = round < (int)sizeof list ? (size_t)round : sizeof list - 1;
        for (uint64_t n = round % 3 ? suite_below(12) : 0; n > 0; n--)
            text[suite_below(sizeof list - 1)] =
                (char)(suite_below(2) ? suite_below(256) : (uint64_t) " \n-0f[rRx"[suite_below(9)]);
        text[size] = 0;
        ck_assert(mappings_parse(&maps, text, size));
        uint64_t end = 0, sum = 0;
        for (uint32_t i = 0; i < maps.count; i++) {
            const Mapping *m = &maps.row[i];
            ck_assert_msg(m->start >= end && m->end > m->start && m->sort < MAPPING_SORTS &&
                              m->resident <= m->end - m->start,
                          "seed %llu round %d", (unsigned long long)seed, round);
            end = m->end;
            sum += m->resident;
        }
        ck_assert_uint_eq(maps.resident, sum);
    }
}

/* ---- made-up heaps --------------------------------------------------------------------------- */

static void list_others(FakeProcess *p) {
    fake_listed(p, 0x7fff10000000, 1024, "r-xp", "/lib/libc.so.6", 700);
    FakeMapping *stack = fake_memory(p, 0x7ffffffc0000, 192, "[stack]");
    memset(stack->truth, PROCESS_STACKS, 192 * 1024);
    fake_listed(p, 0x7ffffffff000, 4, "r-xp", "[vdso]", 4);
}

/* Pages in which no chunk begins, and no kept one lies, may be gone. */
static void random_absence(FakeMapping *m, uint64_t from) {
    OWN(free_at) bool *needed = calloc(fake_pages(m) + 1, sizeof *needed);
    for (uint64_t at = from; at < m->end;) {
        needed[(at + 8 - m->start) / FAKE_PAGE] = true;
        needed[(at + 16 - m->start) / FAKE_PAGE] = true;
        at += fake_word_at(m, at + 8) & ~7ull;
    }
    for (uint64_t i = 0; i < fake_pages(m); i++)
        if (!needed[i] && suite_below(2)) m->here[i] = false;
}

static void check(const FakeProcess *p, const ProcessFigures *f, const char *what) {
    uint64_t want[PROCESS_ROWS] = {0}, absent, resident = 0;
    fake_judge(p, want, &absent);
    for (uint32_t i = 0; i < p->maps; i++)
        resident += fake_resident(&p->map[i]);
    ck_assert_ptr_nonnull(f);
    ck_assert_uint_eq(f->resident, resident);
    ck_assert_uint_eq(fake_sum(f), resident);
    for (int r = 0; r < PROCESS_ROWS; r++) {
        if (r == PROCESS_PROGRAM || r == PROCESS_KERNEL) continue; /* those are only listed */
        ck_assert_msg(f->row[r] == want[r], "%s, seed %llu: %s is %llu, not %llu", what,
                      (unsigned long long)seed, process_rows[r].words,
                      (unsigned long long)f->row[r], (unsigned long long)want[r]);
    }
    ck_assert_uint_eq(f->absent, absent);
}

TEST(test_random_heaps) {
    seed = suite_seed;
    for (int round = 0; round < 60; round++) {
        fake_page = 4096u << round % 3 * 2;
        OWN(fake_process_free_at) FakeProcess *p = fake_process_new();
        uint64_t pages = 1 + suite_below(2500) * 4096 / fake_page;
        FakeMapping *heap = fake_memory(p, HEAP_AT, pages * fake_page / 1024, "[heap]");
        fake_chunks(p, heap, heap->start);
        if (suite_below(2)) random_absence(heap, heap->start);
        /* blocks with mappings of their own, Lua's and others', that the kernel has made one of */
        uint64_t large = LARGE_AT, count = suite_below(4);
        for (uint64_t i = 0; i < count; i++) {
            uint64_t bytes = (128u << 10) + suite_below(3 << 20),
                     size = (bytes + 16 + fake_page - 1) & ~(fake_page - 1);
            uint64_t more = suite_below(3) ? 0 : 33 * fake_page;
            FakeMapping *m = fake_memory(p, large, (size + more) / 1024, "");
            fake_chunk(p, m, m->start, size, FAKE_LARGE, suite_below(2) ? bytes : 0, false);
            if (more) fake_chunk(p, m, m->start + size, more, FAKE_LARGE, 0, false);
            large += size + more + fake_page * suite_below(3);
        }
        list_others(p);
        OWN(process_free_at) Process *reader = process_new(&p->heap->view);
        check(p, fake_look(reader, UINT64_MAX), "in one go");
        ck_assert_int_eq(process_figures(reader)->malloc, PROCESS_MALLOC_READ);
        check(p, fake_look(reader, 0), "step by step");
    }
}

static FakeProcess *one_heap(void) {
    FakeProcess *p = fake_process_new();
    suite_again();
    fake_chunks(p, fake_memory(p, HEAP_AT, 4000, "[heap]"), HEAP_AT);
    return p;
}

/* What rests on malloc's chunks alone. */
static uint64_t by_malloc(const ProcessFigures *f) {
    return f->row[PROCESS_AROUND] + f->row[PROCESS_FREE_PARTS] + f->row[PROCESS_FREE_PAGES] +
           f->row[PROCESS_MALLOC];
}

/* Without its memory blocks and the rule of their sizes are known, and nothing else. */
TEST(test_memory_is_closed) {
    OWN(fake_process_free_at) FakeProcess *p = one_heap();
    uint64_t want[PROCESS_ROWS] = {0}, absent;
    list_others(p);
    p->closed = true;
    OWN(process_free_at) Process *reader = process_new(&p->heap->view);
    const ProcessFigures *f = fake_look(reader, UINT64_MAX);
    fake_judge(p, want, &absent);
    ck_assert_int_eq(f->malloc, PROCESS_MALLOC_UNREAD);
    ck_assert_uint_eq(f->row[PROCESS_LUA], want[PROCESS_LUA]);
    ck_assert_uint_le(f->row[PROCESS_AROUND], want[PROCESS_AROUND]);
    ck_assert_uint_ge(f->row[PROCESS_AROUND], want[PROCESS_AROUND] * 9 / 10);
    ck_assert_uint_eq(by_malloc(f), f->row[PROCESS_AROUND]);
    ck_assert_uint_eq(fake_sum(f), f->resident);
}

/* Without the list of pages: no page is read, and Lua's blocks are taken to be there, as far as the
 * mapping has so much in memory. */
TEST(test_pages_are_not_said) {
    OWN(fake_process_free_at) FakeProcess *p = one_heap();
    uint64_t want[PROCESS_ROWS] = {0}, absent;
    list_others(p);
    fake_judge(p, want, &absent);
    p->pageless = true;
    memset(p->map[0].here, false, fake_pages(&p->map[0]) / 2); /* a read of these is an error */
    OWN(process_free_at) Process *reader = process_new(&p->heap->view);
    const ProcessFigures *f = fake_look(reader, UINT64_MAX);
    ck_assert_uint_le(f->row[PROCESS_LUA], want[PROCESS_LUA]);
    ck_assert_uint_gt(f->row[PROCESS_LUA], want[PROCESS_LUA] / 2);
    ck_assert_uint_eq(f->row[PROCESS_FREE_PARTS] + f->row[PROCESS_MALLOC], 0);
    ck_assert_uint_eq(f->absent, 0);
    ck_assert_uint_eq(fake_sum(f), f->resident);
}

/* What has gone between the list and the look is nobody's. */
TEST(test_gone_meanwhile) {
    OWN(fake_process_free_at) FakeProcess *p = one_heap();
    FakeMapping *large = fake_memory(p, LARGE_AT, 400, "");
    fake_chunk(p, large, large->start, 400 * 1024, FAKE_LARGE, 0, false);
    list_others(p);
    OWN(process_free_at) Process *reader = process_new(&p->heap->view);
    uint64_t malloc_has = fake_look(reader, UINT64_MAX)->row[PROCESS_MALLOC];
    p->before_pages = large; /* its pages go when they are looked at */
    const ProcessFigures *f = fake_look(reader, UINT64_MAX);
    ck_assert_uint_eq(f->row[PROCESS_UNTOLD], 400 * 1024);
    ck_assert_uint_eq(f->row[PROCESS_MALLOC], malloc_has - 400 * 1024);
    ck_assert_uint_eq(f->row[PROCESS_MAPPED], 0);
    ck_assert_uint_eq(fake_sum(f), f->resident);
}

/* A mapping too large to be looked at is nobody's, if blocks of Lua may be in it. */
TEST(test_vast) {
    OWN(fake_process_free_at) FakeProcess *p = fake_process_new();
    fake_listed(p, 0x100000000000, 1ull << 28, "rw-p", "", 5000); /* 256 GiB */
    list_others(p);
    OWN(process_free_at) Process *reader = process_new(&p->heap->view);
    ck_assert_uint_eq(fake_look(reader, UINT64_MAX)->row[PROCESS_MAPPED], 5000 * 1024);
    fake_place(p->heap, 0x100012345600, 100, LMP_C_TABLE, 1);
    const ProcessFigures *f = fake_look(reader, UINT64_MAX);
    ck_assert_uint_eq(f->row[PROCESS_MAPPED], 0);
    ck_assert_uint_eq(f->row[PROCESS_UNTOLD], 5000 * 1024);
}

/* Whatever the program says of itself: rows come to what the kernel lists. */
TEST(test_damaged_words) {
    OWN(fake_process_free_at) FakeProcess *p = one_heap();
    list_others(p);
    OWN(process_free_at) Process *reader = process_new(&p->heap->view);
    for (int round = 0; round < 60; round++) {
        LmpMemory *m = &p->heap->live.memory;
        *m = (LmpMemory){.done = (uint32_t)suite_below(2),
                         .count = suite_random() >> suite_below(64)};
        m->live = suite_random() >> suite_below(64);
        m->before = suite_random() >> suite_below(64);
        m->ranges = (uint32_t)suite_random() >> suite_below(32);
        for (uint32_t i = 0; i < LMP_OWN_RANGES; i++) {
            m->range[i].at = suite_below(3) ? HEAP_AT + suite_below(2000) * 4096
                                            : suite_random() >> suite_below(64);
            m->range[i].size = suite_random() >> suite_below(64);
        }
        p->heap->live.counters.live_bytes = suite_random() >> suite_below(64);
        const ProcessFigures *f = fake_look(reader, UINT64_MAX);
        ck_assert_uint_eq(fake_sum(f), f->resident);
    }
}

/* Another malloc, another C library, blocks that are not as malloc makes them: not told apart. */
TEST(test_not_glibc) {
    for (int how = 0; how < 3; how++) {
        OWN(fake_process_free_at) FakeProcess *p = one_heap();
        uint64_t want[PROCESS_ROWS] = {0}, absent;
        if (how == 0) fake_listed(p, 0x7fff10000000, 1024, "r-xp", "/lib/ld-musl-x86_64.so.1", 8);
        if (how == 1) fake_listed(p, 0x7fff00000000, 64, "r-xp", "/lib/libjemalloc.so.2", 8);
        if (how > 0) list_others(p);
        for (uint64_t at = HEAP_AT; how == 2 && at < p->map[0].end;) {
            uint64_t word = fake_word_at(&p->map[0], at + 8);
            fake_word(&p->map[0], at + 8, word + 64);
            at += word & ~7ull;
        }
        OWN(process_free_at) Process *reader = process_new(&p->heap->view);
        const ProcessFigures *f = fake_look(reader, UINT64_MAX);
        fake_judge(p, want, &absent);
        ck_assert_int_eq(f->malloc, PROCESS_MALLOC_UNKNOWN);
        ck_assert_str_eq(f->other, how == 1 ? "libjemalloc.so.2" : "");
        ck_assert_uint_eq(f->row[PROCESS_LUA], want[PROCESS_LUA]);
        ck_assert_uint_eq(by_malloc(f), 0);
        ck_assert_uint_eq(f->row[PROCESS_UNTOLD], 4000 * 1024 - want[PROCESS_LUA]);
        ck_assert_uint_eq(fake_sum(f), f->resident);
    }
}

/* One block in eight was freed after the map was copied, and its chunk merged with the next: the
 * rest is told. */
TEST(test_freed_meanwhile) {
    OWN(fake_process_free_at) FakeProcess *p = one_heap();
    list_others(p);
    uint32_t chunks = 0;
    for (uint64_t at = HEAP_AT, size; at < p->map[0].end; at += size) {
        uint64_t word = fake_word_at(&p->map[0], at + 8);
        size = word & ~7ull;
        if (++chunks % 8 == 0) fake_word(&p->map[0], at + 8, word + 64);
    }
    OWN(process_free_at) Process *reader = process_new(&p->heap->view);
    const ProcessFigures *f = fake_look(reader, UINT64_MAX);
    ck_assert_int_eq(f->malloc, PROCESS_MALLOC_READ);
    ck_assert_uint_gt(by_malloc(f), 0);
    ck_assert_uint_eq(fake_sum(f), f->resident);
}

/* In glibc before 2.32 a kept chunk's first word looks as one in use may: such are not told apart.
 */
TEST(test_plain_links) {
    OWN(fake_process_free_at) FakeProcess *p = fake_process_new();
    FakeMapping *m = fake_memory(p, HEAP_AT, 64, "[heap]");
    fake_chunk(p, m, m->start, 0x40, FAKE_LUA, 50, true);
    fake_chunk(p, m, m->start + 0x40, 0x40, FAKE_CODE, 0, true); /* its first word is 0, */
    fake_word(m, m->start + 0x50, 0);
    fake_chunk(p, m, m->start + 0x80, 0x40, FAKE_CODE, 0, true); /* leads to the heap, */
    fake_word(m, m->start + 0x90, m->start + 0x40);
    fake_chunk(p, m, m->start + 0xc0, 0x40, FAKE_CODE, 0, true); /* or to nothing of malloc's */
    fake_word(m, m->start + 0xd0, 0x1234567);
    fake_chunk(p, m, m->start + 0x100, 0x200, FAKE_CODE, 0, true); /* too large for a list */
    fake_word(m, m->start + 0x110, 0);
    fake_chunk(p, m, m->start + 0x300, m->end - m->start - 0x300, FAKE_TOP, 0, true);
    fake_listed(p, 0x7fff10000000, 1024, "r-xp", "/lib/libc-2.31.so", 700);
    fake_memory(p, 0x7ffffffde000, 132, "[stack]");
    OWN(process_free_at) Process *reader = process_new(&p->heap->view);
    const ProcessFigures *f = fake_look(reader, UINT64_MAX);
    ck_assert_uint_eq(f->row[PROCESS_UNTOLD], 0x80);
    ck_assert_uint_eq(f->row[PROCESS_MALLOC], 0x240);
}

/* A process that is gone, or not ours: nothing is said, and what was known stays. */
TEST(test_gone) {
    OWN(fake_process_free_at) FakeProcess *p = one_heap();
    list_others(p);
    OWN(process_free_at) Process *reader = process_new(&p->heap->view);
    p->gone = true;
    ck_assert_ptr_null(fake_look(reader, UINT64_MAX));
    ck_assert(process_hidden(reader));
    p->gone = false;
    ProcessFigures was = *fake_look(reader, UINT64_MAX);
    ck_assert(!process_hidden(reader));
    p->gone = true;
    const ProcessFigures *f = fake_look(reader, UINT64_MAX);
    ck_assert_mem_eq(f->row, was.row, sizeof was.row);
    ck_assert(process_hidden(reader));
}

/* Before the first look is over its rows are known all the same: mappings, and Lua's bytes. */
static uint64_t ticking; /* each part of a look takes a while */
static uint64_t ticks(void) {
    return ticking += 1000;
}

TEST(test_partial) {
    OWN(fake_process_free_at) FakeProcess *p = one_heap();
    static LmpOs os;
    os = *lmp_os;
    os.clock = ticks;
    lmp_os = &os;
    list_others(p);
    p->heap->live.counters.live_bytes = 300000;
    OWN(process_free_at) Process *reader = process_new(&p->heap->view);
    ck_assert(process_step(reader, 1000, 0));
    ProcessFigures first = *process_figures(reader);
    ck_assert(first.partial);
    ck_assert_uint_eq(fake_sum(&first), first.resident);
    ck_assert_uint_eq(first.row[PROCESS_LUA], 300000);
    ck_assert_uint_eq(first.row[PROCESS_UNTOLD], 4000 * 1024 - 300000);
    ck_assert_uint_eq(first.row[PROCESS_STACKS], 192 * 1024);
    double progress = process_progress(reader);
    ck_assert(progress > 0 && progress < 1);
    while (process_step(reader, 1000, 0)) {
        ck_assert(process_figures(reader)->partial);
        ck_assert(process_progress(reader) >= progress);
        progress = process_progress(reader);
    }
    ck_assert(!process_figures(reader)->partial);
    check(p, process_figures(reader), "after that");
    process_again(reader); /* what is known stays until the next whole look */
    ck_assert(process_step(reader, 2000, 0));
    ck_assert(!process_figures(reader)->partial);
}

/* Pages by how full they are, and what a page has that is free. */
TEST(test_pages) {
    OWN(fake_process_free_at) FakeProcess *p = fake_process_new();
    FakeMapping *m = fake_memory(p, HEAP_AT, 5 * 4, "[heap]");
    uint64_t at = m->start;
    uint64_t free_at = at + 4080 + 0x400, last = at + 3 * 4096 + 0x800;
    fake_chunk(p, m, at, 4080, FAKE_LUA, 4072, true);
    fake_chunk(p, m, at + 4080, 0x400, FAKE_CODE, 0, true); /* fills that page, a quarter of one, */
    fake_chunk(p, m, free_at, last - free_at, FAKE_FREE, 0, true); /* a free page between, */
    fake_chunk(p, m, last, 0x200, FAKE_LUA, 500, false);           /* an eighth */
    fake_chunk(p, m, last + 0x200, m->end - last - 0x200, FAKE_TOP, 0, true);
    list_others(p);
    OWN(process_free_at) Process *reader = process_new(&p->heap->view);
    const ProcessFigures *f = fake_look(reader, UINT64_MAX);
    check(p, f, "pages");
    static const uint64_t want[CHUNKS_FILL] = {[0] = 2, [1] = 1, [2] = 1, [10] = 1};
    ck_assert_mem_eq(f->pages, want, sizeof want);
    ck_assert_uint_eq(f->row[PROCESS_FREE_PAGES], 2 * 4096);
}

/* What lmp itself has in memory of this very process: of what it has mapped, what was touched. */
TEST(test_own_memory) {
    static LmpLive live;
    LmpMemory *told = &live.memory;
    enum { SIZE = 300 * 4096 };
    const LmpView view = {.fd = -1, .live = &live, .pid = (uint32_t)getpid()};
    lmp_os = &os_real;
    told->ranges = 3;
    for (uint32_t i = 0; i < 2; i++)
        told->range[i] = (LmpOwnRange){(uintptr_t)os_real.map(SIZE, -1, 0, true), SIZE - 100};
    told->range[2] = (LmpOwnRange){1ull << 40, 1ull << 60}; /* rubbish */
    uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE), touched = 0;
    for (uint64_t at = 0; at < SIZE; at += 3 * page, touched += page)
        *(volatile char *)(uintptr_t)(told->range[1].at + at) = 1;
    *(volatile char *)(uintptr_t)(told->range[0].at + SIZE - 1) = 1;
    uint64_t bytes = view_memory(&view);
    if (bytes == 0) return; /* it does not say */
    ck_assert_uint_eq(bytes, touched + page);
    told->ranges = LMP_OWN_RANGES + 1; /* as it never is */
    ck_assert_uint_eq(view_memory(&view), touched + page);
    for (uint32_t i = 0; i < 2; i++)
        os_real.unmap((void *)(uintptr_t)told->range[i].at, SIZE);
}
