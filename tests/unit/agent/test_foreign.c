/* Tests of foreign.c by hand, step by step in one thread: births and whose block is noted, which
 * words above a request show that the state has moved, what is passed on and counted, and when an
 * allocator over ours is noticed. Real threads and whole states: tests/truth/strangers.c. */
#include "agent/hook/foreign.h"
#include "agent/interp/luafacts.h"

#include <lauxlib.h>

#include "agent/hook/allocs.h"
#include "agent/hook/slow_path.h"
#include "agent/interp/collector.h"
#include "bare_profile.h"
#include "base/os.h"

enum {
    ELSEWHERE = 4242, /* the number of another thread */
    BEING_WRITTEN = 1,
    ABOVE = 8, /* as foreign.c has them */
    PAGE = 4096
};

/* ---- the allocator underneath ---------------------------------------------------------------- */

static char *first_block; /* that it gave */
static bool refuses;
static unsigned asked; /* count */

static void *underneath(void *ud, void *ptr, size_t osize, size_t nsize) {
    (void)ud, (void)osize;
    asked++;
    if (refuses && nsize) return NULL;
    if (nsize) {
        void *r = realloc(ptr, nsize);
        if (!first_block) first_block = r;
        return r;
    }
    free(ptr);
    return NULL;
}

/* ---- a profile, and the state that it is of -------------------------------------------------- */

static LmpProfile *p;
static lua_State *L;
static LmpOs test_os;
static int peeks; /* how often a page beyond was asked for */
static bool peek_fails;
static bool clashes; /* another thread is in the state meanwhile */

static bool test_peek(void *to, const void *from, size_t n) {
    peeks++;
    if (clashes) p->counters->live_bytes++;
    return !peek_fails && os_real.peek(to, from, n);
}

static void end(void) {
    lmp_os = &os_real;
    p->main = NULL;
    lua_close(L);
    bare_profile_end(p);
}

static void begin_unknown(void) {
    suite_closes(end);
    p = bare_profile();
    p->pass.alloc = underneath;
    L = luafacts_newstate(underneath, NULL);
    foreign_begin(p, L);
    slow_path_always(p, false);
    refuses = peek_fails = clashes = false;
    asked = 0;
    peeks = 0;
    test_os = os_real;
    test_os.peek = test_peek;
    lmp_os = &test_os;
}

/* With all that is known of the interpreter. */
static void begin(void) {
    begin_unknown();
    collector_attach(p, L, underneath, NULL);
    ck_assert_uint_gt(collector_birth()->size, 0);
    foreign_begin(p, L);
}

static uint32_t apart(void) {
    return atomic_load(&p->foreign.apart);
}

static uint32_t mixed_count(void) {
    return atomic_load(&p->foreign.mixed);
}

static uint64_t passed(void) {
    return atomic_load(&p->foreign.passed);
}

static void runs_elsewhere(void) {
    atomic_store(&p->pass.thread, ELSEWHERE);
}

/* Before anything is known of the interpreter, which is so in the first test alone: nothing is a
 * birth, and whoever comes is believed. */
TEST(not_known) {
    begin_unknown();
    ck_assert_uint_eq(collector_birth()->size, 0);
    ck_assert_uint_eq(atomic_load(&p->foreign.global), 0);
    ck_assert(!foreign_is_birth(LUA_TTHREAD, 0));
    ck_assert(!foreign_is_birth(LUA_TTHREAD, 1000));
    uintptr_t none[16] = {0};
    void *r, *mixed = NULL;
    runs_elsewhere();
    ck_assert(
        !foreign_pass(p, &(LmpRequested){NULL, 0, 100}, (char *)(none + 7), none, &r, &mixed));
    ck_assert_uint_eq(atomic_load(&p->pass.thread), foreign_thread());
}

/* ---- newborns -------------------------------------------------------------------------------- */

typedef struct Newborn {
    lua_State *L;
    char *block;
} Newborn;

static void put_word(char *block, size_t at, uintptr_t word) {
    memcpy(block + at, &word, sizeof word);
}

static void put_alloc(char *block, lua_Alloc alloc, const void *ud) {
    uintptr_t word;
    memcpy(&word, &alloc, sizeof word);
    put_word(block, collector_birth()->global, word);
    put_word(block, collector_birth()->global + sizeof word, (uintptr_t)ud);
}

/* A state made with that allocator and ud, as if they had been asked. */
static Newborn newborn(lua_Alloc alloc, void *ud) {
    Newborn n;
    first_block = NULL;
    n.L = luafacts_newstate(underneath, NULL);
    n.block = first_block;
    put_alloc(n.block, alloc, ud);
    return n;
}

static void close_newborn(Newborn *n) {
    put_alloc(n->block, underneath, NULL);
    lua_close(n->L);
}

/* Notes that the block was given to this thread. */
static void note(Newborn *n) {
    atomic_store(&p->foreign.newborn[3].thread, foreign_thread());
    p->foreign.newborn[3].block = n->block;
}

static bool has_below(Newborn *n) {
    void *ud;
    return lua_getallocf(n->L, &ud) == underneath && ud == p->pass.ud;
}

TEST(what_is_a_birth) {
    begin();
    size_t size = collector_birth()->size;
    ck_assert(foreign_is_birth(LUA_TTHREAD, size));
    ck_assert(!foreign_is_birth(LUA_TTHREAD, size + 1));
    ck_assert(!foreign_is_birth(LUA_TTHREAD, size - 8));
    ck_assert(!foreign_is_birth(LUA_TTHREAD, 0));
    ck_assert(!foreign_is_birth(LUA_TUSERDATA, size));
    ck_assert(!foreign_is_birth(0, size));
}

TEST(birth_here) {
    begin();
    size_t size = collector_birth()->size;
    void *mixed = &mixed;
    refuses = true;
    ck_assert_ptr_null(foreign_birth(p, size));
    ck_assert(!p->expecting);
    refuses = false;
    void *block = foreign_birth(p, size);
    ck_assert_ptr_nonnull(block);
    ck_assert(p->expecting);
    memset(block, 0, size); /* no state comes to be in it */
    mixed = NULL;
    ck_assert(!foreign_settle(p, &mixed));
    ck_assert(!p->expecting);
    ck_assert_ptr_eq(mixed, block);
    ck_assert_uint_eq(mixed_count(), 1);
    mixed = NULL;
    ck_assert(!foreign_settle(p, &mixed)); /* once only */
    ck_assert_ptr_null(mixed);
    ck_assert_uint_eq(mixed_count(), 1);
    ck_assert_uint_eq(apart(), 0);
    free(block);
}

/* It is given the allocator below if it has ours, whichever, with this profile. */
TEST(set_free) {
    static const lua_Alloc ours[] = {
        hook_alloc,
#if LMP_HAS_ENTRY
        hook_alloc_lines,
        hook_alloc_stacks,
        hook_alloc_sampled,
#endif
    };
    begin();
    const LmpBirth *b = collector_birth();
    void *mixed = NULL;
    uint32_t freed = 0;
    for (size_t i = 0; i < sizeof ours / sizeof *ours; i++) {
        Newborn n = newborn(ours[i], p);
        note(&n);
        ck_assert(foreign_settle(p, &mixed));
        ck_assert(has_below(&n));
        ck_assert_uint_eq(apart(), ++freed);
        close_newborn(&n);
    }
    ck_assert_ptr_null(mixed);
    for (int wrong = 0; wrong < 3; wrong++) {
        Newborn n = newborn(wrong == 0 ? underneath : hook_alloc, wrong == 1 ? (void *)L : p);
        if (wrong == 2) put_word(n.block, b->state + b->link, (uintptr_t)n.block + b->global + 8);
        note(&n);
        mixed = NULL;
        ck_assert(!foreign_settle(p, &mixed));
        ck_assert_ptr_eq(mixed, n.block);
        put_word(n.block, b->state + b->link, (uintptr_t)n.block + b->global);
        close_newborn(&n);
    }
    ck_assert_uint_eq(apart(), freed);
    ck_assert_uint_eq(mixed_count(), 3);
}

/* ---- notes ----------------------------------------------------------------------------------- */

static uintptr_t noted_by(int i) {
    return atomic_load(&p->foreign.newborn[i].thread);
}

static void all_noted_by(uintptr_t thread) {
    for (int i = 0; i < LMP_NEWBORNS; i++) {
        atomic_store(&p->foreign.newborn[i].thread, thread);
        p->foreign.newborn[i].block = &p->foreign;
    }
}

/* A thread has one note, in a free place, else in that of another; none in one that is just being
 * written. */
TEST(places_of_notes) {
    begin();
    uintptr_t here = foreign_thread();
    size_t size = collector_birth()->size;
    char *one = foreign_birth(p, size), *two = foreign_birth(p, size);
    int notes = 0;
    for (int i = 0; i < LMP_NEWBORNS; i++) {
        if (noted_by(i)) ck_assert_ptr_eq(p->foreign.newborn[i].block, two);
        notes += noted_by(i) == here;
    }
    ck_assert_int_eq(notes, 1); /* the first one was abandoned */
    free(two);

    all_noted_by(ELSEWHERE);
    atomic_store(&p->foreign.newborn[5].thread, 0);
    two = foreign_birth(p, size);
    ck_assert_uint_eq(noted_by(5), here);
    ck_assert_ptr_eq(p->foreign.newborn[5].block, two);
    ck_assert_uint_eq(noted_by(0), ELSEWHERE);
    free(two);

    all_noted_by(ELSEWHERE);
    atomic_store(&p->foreign.newborn[0].thread, BEING_WRITTEN);
    two = foreign_birth(p, size);
    ck_assert_uint_eq(noted_by(0), BEING_WRITTEN);
    ck_assert_uint_eq(noted_by(1), here);
    ck_assert_uint_eq(noted_by(2), ELSEWHERE);
    free(two);

    all_noted_by(BEING_WRITTEN);
    two = foreign_birth(p, size);
    void *mixed = NULL;
    ck_assert(!foreign_settle(p, &mixed));
    ck_assert_ptr_null(mixed); /* the note is lost */
    for (int i = 0; i < LMP_NEWBORNS; i++) {
        ck_assert_uint_eq(noted_by(i), BEING_WRITTEN);
        ck_assert_ptr_eq(p->foreign.newborn[i].block, &p->foreign);
    }
    free(two);
    free(one);
}

/* ---- where the state runs -------------------------------------------------------------------- */

static _Alignas(PAGE) uintptr_t area[3 * PAGE / sizeof(uintptr_t)];

static bool pass(uintptr_t *above, const uintptr_t *words, void **r) {
    void *mixed = NULL;
    *r = NULL;
    bool ours =
        !foreign_pass(p, &(LmpRequested){NULL, 0, 100}, (const char *)above, words, r, &mixed);
    ck_assert_ptr_null(mixed);
    ck_assert_int_eq(ours, !*r);
    ck_assert_uint_eq(atomic_load(&p->pass.thread), ours ? foreign_thread() : ELSEWHERE);
    runs_elsewhere();
    free(*r);
    return ours;
}

/* Whether the state's global state stands in a register that was saved, or a few words above. */
TEST(words_that_show_it) {
    begin();
    const size_t page = PAGE / sizeof *area;
    enum { SAVED = LMP_REGS_RET + 1 }; /* words below `above` */
    void *r;
    for (size_t left = 1; left <= ABOVE + 2; left++) { /* words of the page from `above` on */
        uintptr_t *above = area + 2 * page - left, *words = above - SAVED;
        for (int i = -SAVED - 2; i < ABOVE + 3; i++) {
            runs_elsewhere();
            memset(area, 0, sizeof area);
            above[i] = collector_global(L);
            bool there = i >= -SAVED && i < ABOVE;
            peeks = 0;
            ck_assert_int_eq(pass(above, words, &r), there);
            bool before = there && i < (int)left; /* then nothing beyond is looked at */
            ck_assert_int_eq(peeks, left < ABOVE && !before ? 1 + there : 0);
#if defined __x86_64__ && defined __LP64__ /* elsewhere `above` must be of the stack */
            ck_assert_int_eq(pass(above, NULL, &r), i >= -2 && i < ABOVE);
#endif
            peek_fails = true;
            ck_assert_int_eq(pass(above, words, &r), before);
            peek_fails = false;
        }
    }
    ck_assert_uint_eq(mixed_count() + apart(), 0);
}

/* Two threads are in the state at once: it has made a request while we look whose this one is. */
TEST(two_at_once) {
    begin();
    enum { SAVED = LMP_REGS_RET + 1 };
    uintptr_t *above = area + 2 * PAGE / sizeof *area - 1; /* the rest is peeked at */
    void *r;
    for (int i = 0; i < 4; i++) { /* of the state or not; does another thread request or not */
        clashes = i & 1;
        above[1] = i & 2 ? collector_global(L) : 0;
        runs_elsewhere();
        ck_assert_int_eq(pass(above, above - SAVED, &r), i >> 1);
        ck_assert_uint_eq(atomic_load(&p->foreign.clashes), i == 3);
    }
    LmpCounters *counters = p->counters;
    clashes = false;
    p->counters = NULL; /* as when the profile ends meanwhile: others do not look at them */
    above[1] = 0;
    ck_assert(!pass(above, above - SAVED, &r));
    p->counters = counters;
    foreign_tell(p);
    ck_assert_uint_eq(p->live->strange.clashes, 1);
}

/* Without knowing its global state whoever comes is believed, but not once the profile is over. */
TEST(moves) {
    begin();
    void *r, *mixed = NULL;
    uintptr_t none[16] = {0};
    runs_elsewhere();
    ck_assert(!pass(none + 7, none, &r));
    ck_assert_uint_eq(passed(), 1);
    atomic_store(&p->foreign.global, 0);
    ck_assert(pass(none + 7, none, &r));
    ck_assert_uint_eq(passed(), 1);
    foreign_end(p);
    ck_assert_uint_eq(atomic_load(&p->pass.thread), 0);
    ck_assert(foreign_pass(p, &(LmpRequested){NULL, 0, 100}, (char *)(none + 7), none, &r, &mixed));
    ck_assert_ptr_nonnull(r);
    ck_assert(foreign_pass(p, &(LmpRequested){r, 100, 0}, (char *)(none + 7), none, &r, &mixed));
    ck_assert_uint_eq(passed(), 1); /* nobody counts any more */
    foreign_moved(p);
    ck_assert_uint_eq(atomic_load(&p->pass.thread), 0); /* it is over */
    runs_elsewhere();
    foreign_moved(p);
    ck_assert_uint_eq(atomic_load(&p->pass.thread), foreign_thread());
    foreign_begin(p, L);
    ck_assert_uint_ne(atomic_load(&p->foreign.global), 0);
    ck_assert_uint_ne(atomic_load(&p->foreign.global), collector_global(L)); /* not in clear */
    foreign_clear(p);
    ck_assert_uint_ne(atomic_load(&p->foreign.global), 0); /* 0: whoever reads it now has moved */
    ck_assert_uint_eq(passed(), 0);
}

/* ---- births where the state does not run ----------------------------------------------------- */

TEST(births_elsewhere) {
    begin();
    size_t size = collector_birth()->size;
    uintptr_t none[16] = {0}, its[16];
    void *r = NULL, *mixed = NULL;
    for (int i = 0; i < 16; i++)
        its[i] = collector_global(L);
#define PASS(words, ...)                                                                           \
    foreign_pass(p, &(LmpRequested){__VA_ARGS__}, (char *)(words + 7), words, &r, &mixed)
    runs_elsewhere();
    ck_assert(PASS(none, NULL, LUA_TTHREAD, size));
    ck_assert_uint_eq(passed(), 0); /* it is a state's */
    char *block = r;
    memset(block, 0, size);
    ck_assert(PASS(none, NULL, 0, 64)); /* by whatever is in there: behind another allocator */
    ck_assert_uint_eq(apart(), 1);
    ck_assert_uint_eq(passed(), 1);
    ck_assert(PASS(none, r, 64, 0));
    ck_assert_uint_eq(apart(), 1);
    ck_assert_uint_eq(passed(), 2);
    ck_assert_ptr_null(mixed);

    refuses = true; /* no block, no birth */
    ck_assert(PASS(none, NULL, LUA_TTHREAD, size));
    refuses = false;
    ck_assert_ptr_null(r);
    ck_assert_uint_eq(passed(), 3);
    ck_assert(PASS(none, block, LUA_TTHREAD, size)); /* nor is it one to change a block's size */
    block = r;
    ck_assert_uint_eq(passed(), 4);
    ck_assert(PASS(none, block, size, 0));
    ck_assert_uint_eq(passed(), 5);
    ck_assert_uint_eq(apart(), 1);

    Newborn n = newborn(hook_alloc, p); /* with our allocator */
    note(&n);
    asked = 0;
    ck_assert(PASS(its, NULL, 0, 64));
    ck_assert_uint_eq(asked, 1);
    ck_assert(has_below(&n));
    ck_assert_uint_eq(apart(), 2);
    ck_assert_uint_eq(passed(), 5); /* it never calls again */
    ck_assert_uint_eq(atomic_load(&p->pass.thread), ELSEWHERE);
    close_newborn(&n);
    free(r);

    n = newborn(underneath, p); /* with another, where the state has moved to */
    note(&n);
    asked = 0;
    ck_assert(!PASS(its, NULL, 0, 64));
    ck_assert_uint_eq(asked, 0);
    ck_assert_ptr_eq(mixed, n.block);
    ck_assert_uint_eq(mixed_count(), 1);
    ck_assert_uint_eq(atomic_load(&p->pass.thread), foreign_thread());
    runs_elsewhere();
    ck_assert(!PASS(its, NULL, 0, 64));
    ck_assert_ptr_null(mixed);
    ck_assert_uint_eq(mixed_count(), 1);
    ck_assert_uint_eq(apart(), 2);
    ck_assert_uint_eq(passed(), 5);
    close_newborn(&n);
}

/* ---- an allocator over ours ------------------------------------------------------------------ */

typedef struct Covered {
    lua_Alloc alloc;
    void *ud;
    LmpLines lines, after;
    bool covered;
} Covered;

TEST(covered) {
    begin();
    LmpStrange *told = &p->live->strange;
    p->main = L;
    atomic_store(&p->live->state, LMP_RUNNING);
    atomic_store(&p->foreign.apart, 3);
    atomic_store(&p->foreign.mixed, 4);
    atomic_store(&p->foreign.passed, 5);
    const Covered row[] = {
        {hook_alloc, p, LMP_LINES_EXACT, LMP_LINES_EXACT, false},
        {underneath, p, LMP_LINES_EXACT, LMP_LINES_APPROXIMATE, true},
        {hook_alloc, L, LMP_LINES_EXACT, LMP_LINES_APPROXIMATE, true},
        {underneath, p, LMP_LINES_OFF, LMP_LINES_OFF, true},
        {underneath, p, LMP_LINES_APPROXIMATE, LMP_LINES_APPROXIMATE, true},
    };
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        told->covered = 0;
        p->live->owners_known = 1;
        p->live->tables.lines = row[i].lines;
        lua_setallocf(L, row[i].alloc, row[i].ud);
        foreign_tell(p);
        ck_assert_uint_eq(told->covered, row[i].covered);
        ck_assert_uint_eq(p->live->owners_known, !row[i].covered);
        ck_assert_int_eq(p->live->tables.lines, row[i].after);
    }
    ck_assert_uint_eq(told->apart, 3);
    ck_assert_uint_eq(told->mixed, 4);
    ck_assert_uint_eq(told->passed, 5);
    p->live->owners_known = 1; /* it has been told */
    foreign_tell(p);
    ck_assert_uint_eq(p->live->owners_known, 1);
    ck_assert_uint_eq(told->covered, 1);
    for (int why = 0; why < 5; why++) { /* when nobody may look, or not yet */
        told->covered = 0;
        p->main = why == 0 ? NULL : L;
        p->closing = why == 1;
        if (why == 3) runs_elsewhere();
        if (why != 3) foreign_begin(p, L);
        if (why == 2) foreign_end(p);
        atomic_store(&p->live->state, why == 4 ? LMP_STARTING : LMP_RUNNING);
        foreign_tell(p);
        ck_assert_uint_eq(told->covered, 0);
    }
    p->closing = false;
    lua_setallocf(L, underneath, NULL);
}
