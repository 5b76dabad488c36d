/* test_freeze.c - while frozen the file keeps the moment and the program sees its own changes;
 * after the merge both are the same, whatever the system refuses in between. */
#include "bare_profile.h"

#include <fcntl.h>

#include "agent/map/shadow.h"
#include "agent/objects/freeze.h"
#include "base/forkos.h"
#include "read/view.h"

enum { WORDS = 3000, PAGE = 4096 };

/* ---- what is in the file --------------------------------------------------------------------- */

static bool in_file(const LmpProfile *p, void *to, size_t n, uint64_t at) {
    return pread(p->file.fd, to, n, (off_t)at) == (ssize_t)n;
}

/* A digest of all pages that are not zero, of the parts that are frozen. */
static uint64_t digest(const LmpProfile *p, uint32_t leaves) {
    static unsigned char page[PAGE];
    uint64_t sum = 14695981039346656037ull, from, to, at = LMP_OVERFLOW_AT,
             end = LMP_LEAVES_AT + leaves * (uint64_t)sizeof(LmpLeaf);
    for (; forkos_real.data(p->file.fd, at, &from, &to) && from < end; at = to) {
        for (uint64_t i = from; i < to && i < end; i += PAGE) {
            ck_assert(in_file(p, page, PAGE, i));
            uint64_t any = 0, own = i;
            for (int j = 0; j < PAGE; j++) {
                any |= page[j];
                own = (own ^ page[j]) * 1099511628211ull;
            }
            if (any) sum += own;
        }
    }
    return sum;
}

/* The program's own sight of a part of the file. */
static const char *seen(const LmpProfile *p, uint64_t at) {
    if (at < LMP_TABLES_AT) return (const char *)p->overflow + (at - LMP_OVERFLOW_AT);
    if (at < LMP_LEAVES_AT) return p->tables.text + (at - LMP_TABLES_AT);
    uint64_t leaf = (at - LMP_LEAVES_AT) / sizeof(LmpLeaf);
    return (const char *)p->leaves.all[leaf] + (at - LMP_LEAVES_AT) % sizeof(LmpLeaf);
}

/* Page by page, the program sees what the file has. */
static void check_same(const LmpProfile *p) {
    static char page[PAGE];
    uint64_t from, to, at = LMP_OVERFLOW_AT;
    for (; forkos_real.data(p->file.fd, at, &from, &to); at = to) {
        for (uint64_t i = from; i < to; i += PAGE) {
            ck_assert(in_file(p, page, PAGE, i));
            ck_assert_msg(memcmp(page, seen(p, i), PAGE) == 0, "page at %llx",
                          (unsigned long long)i);
        }
    }
}

/* What is written by either side is seen by the other. */
static void check_shared(const LmpProfile *p) {
    for (uint32_t leaf = 0; leaf <= p->live->leaves; leaf++) {
        uint32_t word = (uint32_t)suite_random() | 1, read = 0;
        uint64_t at = leaf ? LMP_LEAVES_AT + (leaf - 1) * sizeof(LmpLeaf) +
                                 suite_below(sizeof(LmpLeaf) / PAGE) * PAGE
                           : LMP_TABLES_AT + suite_below(1000) * PAGE;
        *(uint32_t *)(uintptr_t)seen(p, at) = word;
        ck_assert(in_file(p, &read, sizeof read, at));
        ck_assert_uint_eq(word, read);
    }
}

/* ---- what the program does ------------------------------------------------------------------- */

static uint64_t word_at[WORDS]; /* in the file */
static uint32_t word_is[WORDS];
static int words;

static uint32_t *word(const LmpProfile *p, uint64_t at) {
    return (uint32_t *)(uintptr_t)seen(p, at);
}

/* One word somewhere, as the hook writes: tables, overflow table and leaves. */
static void change(LmpProfile *p) {
    uint64_t leaf = suite_below(p->live->leaves + 2);
    uint64_t at = leaf == 0 ? LMP_TABLES_AT + suite_below(3 << 18) * 4
                  : leaf == 1
                      ? LMP_OVERFLOW_AT + offsetof(LmpOverflow, block) + suite_below(1 << 16) * 4
                      : LMP_LEAVES_AT + (leaf - 2) * sizeof(LmpLeaf) + offsetof(LmpLeaf, entry) +
                            suite_below(LMP_LEAF_ENTRIES) * 4;
    int i = 0;
    while (i < words && word_at[i] != at)
        i++;
    if (i == WORDS) i = (int)suite_below(WORDS);
    if (i == words) words++;
    word_at[i] = at;
    word_is[i] = *word(p, at) = (uint32_t)suite_random();
}

static void check_words(const LmpProfile *p) {
    for (int i = 0; i < words; i++)
        ck_assert_uint_eq(*word(p, word_at[i]), word_is[i]);
}

static void change_much(LmpProfile *p, int n) {
    for (int i = 0; i < n; i++)
        change(p);
}

static void add_leaf(LmpProfile *p) {
    LmpTaken stale;
    uintptr_t addr = 0x7f0000000000 + ((uintptr_t)p->live->leaves << LMP_LEAF_BITS) +
                     (p->live->leaves % 2 ? 8 : 0); /* not all of one kind */
    ck_assert(shadow_place(p, addr, 100, LMP_C_TABLE, 0, &stale));
}

static LmpProfile *begin(void) {
    words = 0;
    LmpProfile *p = bare_profile();
    add_leaf(p);
    add_leaf(p);
    change_much(p, 500);
    return p;
}

static void done(LmpProfile *p, LmpFreeze *f) {
    fork_os = &forkos_real;
    freeze_forget(p, f);
    ck_assert_ptr_null(f->own_map);
    bare_profile_end(p);
}

/* Merges in small pieces, while the program goes on. */
static int merge(LmpProfile *p, LmpFreeze *f, int tries) {
    int n = 0;
    while (!freeze_merge(p, f, 1 + suite_below(20 * PAGE)) && ++n < tries) {
        change_much(p, 5);
        check_words(p);
    }
    return n;
}

/* The hook finds each leaf where it is changed. */
static void check_directory(const LmpProfile *p) {
    for (uint32_t i = 0; i < p->live->leaves; i++) {
        uint64_t word = p->live->leaf_base[i];
        LmpLeaf **dir = LMP_LEAF_LOW(word) ? p->leaves.odd[LMP_LEAF_KIND(word)] : p->dir;
        ck_assert_ptr_eq(dir[LMP_LEAF_BASE(word)], p->leaves.all[i]);
    }
}

static void check_end(LmpProfile *p) {
    check_directory(p);
    ck_assert_uint_eq(p->live->snapshot.frozen, 0);
    ck_assert_uint_eq(p->live->lines_end, 0);
    check_words(p);
    check_same(p);
    check_shared(p);
}

/* Rounds of freezing and merging, with leaves that are new in between. */
static void play(LmpProfile *p, LmpFreeze *f) {
    for (int round = 0; round < 4; round++) {
        uint32_t leaves = p->live->leaves;
        uint64_t moment = digest(p, leaves);
        ck_assert(freeze_begin(p, f));
        ck_assert(!freeze_begin(p, &(LmpFreeze){.on = true}));
        ck_assert_uint_eq(p->live->snapshot.frozen, 1);
        ck_assert_uint_ge(p->live->lines_end, 1);
        check_directory(p);
        for (int i = 0; i < 5; i++) {
            change_much(p, 200);
            if (i == 2) add_leaf(p);
            check_words(p);
            ck_assert(moment == digest(p, leaves));
        }
        int steps = merge(p, f, 100000);
        ck_assert_int_gt(steps, 1); /* of large pages few are enough */
        ck_assert(!f->on);
        check_end(p);
        change_much(p, 100);
    }
}

TEST(the_file_keeps_the_moment) {
    static LmpFreeze f;
    LmpProfile *p = begin();
    play(p, &f);
    ck_assert(f.checked && !f.compare); /* where this fails, the test below is the one */
    ck_assert_uint_gt(f.bytes, 100 * PAGE);
    done(p, &f);
}

/* ---- a system that does not tell, or refuses ------------------------------------------------- */

static ForkOs of_test;
static int calls, fail_at; /* of the kind that fails: from this one on, for `fails` calls */
static int fails;

static bool refuses(void) {
    calls++;
    return calls >= fail_at && calls < fail_at + fails;
}

static bool no_own_pages(const void *at, size_t pages, uint64_t *own) {
    (void)at, (void)pages, (void)own;
    return false;
}
static bool none_own(const void *at, size_t pages, uint64_t *own) {
    (void)at;
    memset(own, 0, pages / 8);
    return true;
}
static bool all_own(const void *at, size_t pages, uint64_t *own) {
    (void)at;
    memset(own, 255, pages / 8);
    return true;
}
static void *no_own_copy(size_t size, int fd, uint64_t offset) {
    (void)size, (void)fd, (void)offset;
    return NULL;
}
static bool some_own(const void *at, size_t pages, uint64_t *own) {
    return !refuses() && forkos_real.own_pages(at, pages, own);
}
static void no_drop(void *at, size_t size) {
    (void)at, (void)size;
}

static void refuse(int at, int n) {
    of_test = forkos_real;
    fork_os = &of_test;
    calls = 0;
    fail_at = at;
    fails = n;
}

/* It does not tell whose pages are, or tells it wrong: then they are compared. */
TEST(pages_are_compared) {
    static bool (*const liars[])(const void *, size_t, uint64_t *) = {no_own_pages, none_own,
                                                                      all_own};
    for (int i = 0; i < 3; i++) {
        static LmpFreeze f;
        f = (LmpFreeze){0};
        LmpProfile *p = begin();
        refuse(1 << 30, 0);
        of_test.own_pages = liars[i];
        play(p, &f);
        ck_assert(f.compare);
        done(p, &f);
    }
}

/* Pages that are written for the first time while it is frozen get memory of the file's with
 * nothing but zeroes, which the system may take back: as here, by punching holes. */
TEST(memory_is_taken_back) {
    enum { NEW = 300, FAR = 64 << 20 };
    for (int compared = 0; compared < 2; compared++) {
        static LmpFreeze f;
        f = (LmpFreeze){0};
        LmpProfile *p = begin();
        refuse(1 << 30, 0);
        if (compared) of_test.own_pages = no_own_pages;
        ck_assert(freeze_begin(p, &f));
        for (int i = 0; i < NEW; i++) {
            uint64_t at = FAR + suite_below(20000) * PAGE;
            *(uint32_t *)(void *)(p->tables.text + at) = 7;
            ck_assert_int_eq(fallocate(p->file.fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE,
                                       (off_t)(LMP_TABLES_AT + at), PAGE),
                             0);
            if (i == 0) word_at[words] = LMP_TABLES_AT + at;
            if (i == 0) word_is[words++] = 7;
        }
        merge(p, &f, 100000);
        ck_assert(!f.on && f.compare == compared);
        uint64_t kept = 0;
        for (uint64_t at = FAR; at < FAR + 20000ull * PAGE; at += PAGE) {
            uint32_t read = 0;
            ck_assert(in_file(p, &read, sizeof read, LMP_TABLES_AT + at));
            kept += read == 7;
        }
        ck_assert_uint_gt(kept, NEW - 30); /* some were drawn twice */
        fork_os = &forkos_real;
        check_end(p);
        done(p, &f);
    }
}

/* The private mapping is refused, then it is not: nothing has changed. */
TEST(the_mapping_is_refused) {
    static LmpFreeze f;
    LmpProfile *p = begin();
    refuse(1 << 30, 0);
    of_test.own_copy = no_own_copy;
    for (int i = 0; i < 3; i++) {
        ck_assert(!freeze_begin(p, &f) && !f.on);
        ck_assert(freeze_merge(p, &f, 1));
        freeze_end(p, &f);
        change_much(p, 50);
        check_end(p);
    }
    fork_os = &forkos_real;
    play(p, &f);
    done(p, &f);
}

/* The system does not say whose pages are, from some question on; or it keeps what it was told to
 * drop. */
TEST(the_system_refuses) {
    for (int at = 1; at < 200; at += at < 10 ? 1 : 29) {
        static LmpFreeze f;
        f = (LmpFreeze){0};
        LmpProfile *p = begin();
        refuse(at, 1 + at % 3);
        of_test.own_pages = some_own;
        if (at % 2) of_test.drop = no_drop;
        ck_assert(freeze_begin(p, &f));
        change_much(p, 50);
        merge(p, &f, 100000);
        fork_os = &forkos_real;
        check_end(p);
        done(p, &f);
    }
}

/* A program that changes more between two calls than one may copy cannot put the end off. */
TEST(it_ends_under_load) {
    static LmpFreeze f;
    LmpProfile *p = begin();
    ck_assert(freeze_begin(p, &f));
    int calls_made = 1;
    for (; !freeze_merge(p, &f, 1); calls_made++)
        change_much(p, 100);
    ck_assert_int_lt(calls_made, 200000);
    check_end(p);
    done(p, &f);
}

TEST(the_end_merges) {
    for (int steps = 1; steps < 60; steps += 7) {
        static LmpFreeze f;
        LmpProfile *p = begin();
        freeze_end(p, &f); /* nothing is frozen */
        ck_assert(freeze_begin(p, &f));
        change_much(p, 300);
        merge(p, &f, steps);
        freeze_end(p, &f);
        ck_assert(!f.on);
        check_end(p);
        done(p, &f);
    }
}

/* The program has closed our file, after so many steps of the merge (-1: before it began). Where
 * the system tells whose pages are, nothing is lost; else viewers are told since when, and the
 * program's own figures stay right. */
static void close_the_file(int steps, bool told) {
    static LmpFreeze f;
    static LmpView view;
    f = (LmpFreeze){0};
    LmpProfile *p = begin();
    refuse(1 << 30, 0);
    if (!told) of_test.own_pages = no_own_pages;
    int fd = dup(p->file.fd);
    p->live->clock = 77;
    if (steps < 0) close(p->file.fd);
    ck_assert(freeze_begin(p, &f) == (steps >= 0));
    change_much(p, 300);
    bool merged = steps > 0 && merge(p, &f, steps) < steps;
    if (steps >= 0) close(p->file.fd);
    merge(p, &f, merged || steps < 0 ? 1 : 100000);
    bool lost = !told && !merged && steps >= 0;
    ck_assert(f.lost == lost && f.on == lost);
    freeze_end(p, &f);
    change_much(p, 300);
    check_words(p);
    ck_assert_uint_eq(p->live->lines_end, lost ? 77 : 0);
    ck_assert(!freeze_begin(p, &f));
    p->file = own_fd_note(fd);
    ck_assert_int_eq(view_open(&view, dup(fd)), LMP_OK);
    ck_assert(view.live->lines_end == (lost ? 77 : 0));
    view_close(&view);
    if (!lost) check_end(p);
    done(p, &f);
}

TEST(the_file_is_closed) {
    static const int steps[] = {-1, 0, 1, 3, 8, 34, 144, 100000};
    for (size_t i = 0; i < sizeof steps / sizeof *steps; i++) {
        close_the_file(steps[i], true);
        close_the_file(steps[i], false);
    }
}

/* Of tests that want large pages (term/large_pages.c): they are that large, and EINVAL is told. */
TEST(pages_are_as_told) {
    const char *told = getenv("LMP_TEST_PAGE");
    uint64_t page = told ? strtoull(told, NULL, 10) : (uint64_t)sysconf(_SC_PAGESIZE);
    LmpProfile *p = bare_profile();
    ck_assert_uint_eq(lmp_os->page(), page);
    for (uint64_t at = page / 2; at <= page; at += page / 2) {
        void *map = lmp_os->map(page, p->file.fd, at, false);
        ck_assert((map != NULL) == (at == page));
        ck_assert_int_eq(os_map_error(), LMP_E_INVAL);
        if (map) lmp_os->unmap(map, page);
    }
    bare_profile_end(p);
}

/* ---- viewers --------------------------------------------------------------------------------- */

/* They see as many rows as the file has, and are told what has changed when it comes. */
TEST(viewers_see_the_moment) {
    static LmpFreeze f;
    static LmpView view;
    LmpProfile *p = begin();
    ck_assert_int_eq(view_open(&view, dup(p->file.fd)), LMP_OK);
    p->live->tables.records = 10;
    p->live->tables.text = 3;
    memcpy(p->tables.text, "\0a", 3);
    atomic_store(&p->control->frame, 70);
    LmpLeaf *leaf = p->leaves.all[0];
    for (int t = 0; t < 4; t++)
        leaf->touch[t] = 60;
    ck_assert(freeze_begin(p, &f));
    leaf = p->leaves.all[0];
    p->live->tables.records = 20;
    p->live->tables.text = 5;
    memcpy(p->tables.text + 3, "b", 2);
    leaf->entry[1 * (LMP_LEAF_ENTRIES / LMP_TOUCHES) + 5] = 7;
    leaf->touch[1] = 71;
    leaf->entry[2 * (LMP_LEAF_ENTRIES / LMP_TOUCHES)] = 7;
    leaf->touch[2] = 0; /* empty, and noticed so */
    leaf->entry[4 * (LMP_LEAF_ENTRIES / LMP_TOUCHES) - 1] = 7;
    leaf->touch[3] = 71;
    char text[8];
    ck_assert_uint_eq(tables_records(&view.tables), 10);
    ck_assert_str_eq(tables_text(&view.tables, 3, text, sizeof text), "");
    ck_assert_uint_eq(tables_records(&p->tables), 20);
    ck_assert_str_eq(tables_text(&p->tables, 3, text, sizeof text), "b");
    ck_assert_uint_eq(view.leaf[0]->touch[1], 60);
    atomic_store(&p->control->frame, 90);
    merge(p, &f, 0);
    while (!freeze_merge(p, &f, 1))
        ;
    ck_assert_uint_eq(tables_records(&view.tables), 20);
    ck_assert_str_eq(tables_text(&view.tables, 3, text, sizeof text), "b");
    ck_assert_uint_eq(view.leaf[0]->touch[0], lmp_os->page() > PAGE ? 90 : 60); /* in its page */
    ck_assert_uint_eq(view.leaf[0]->touch[1], 90);
    ck_assert_uint_eq(view.leaf[0]->touch[2], 0);
    ck_assert_uint_eq(view.leaf[0]->touch[3], 90);
    view_close(&view);
    done(p, &f);
}
