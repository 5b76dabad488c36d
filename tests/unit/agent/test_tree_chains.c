/* Tests of tree.c with threads that call, return, resume each other and yield at random (made by
 * hand, tree_steps_fixture.h): whoever asks, the path is that of those that run. */
#include "tree_steps_fixture.h"

enum { PLAYERS = 10, PLACES = 5, LINES = 16 /* records of lines, from here on */ };

static int chain[PLAYERS], running; /* each resumed by the one before */
static int deepest;
static unsigned asked, longest;

/* Some of them share a side stack. */
static int player[PLAYERS];

static uint64_t shared_of(int L) {
    return ((uintptr_t)thread(L) * 0x9e3779b97f4a7c15ull) >> (64 - TREE_SHARED);
}

static void choose_players(void) {
    for (int n = 1; n < PLAYERS; n++)
        player[n] = n;
    for (int n = 1, a = 1; a < THREADS; a++)
        for (int b = a + 1; b < THREADS && n + 1 < PLAYERS - 2; b++)
            if (shared_of(a) == shared_of(b)) player[n++] = a, player[n++] = b;
}

static int any_player(void) {
    return player[suite_below(PLAYERS)];
}

static int last(void) {
    return chain[running - 1];
}

static bool runs(int L) {
    for (int i = 0; i < running; i++)
        if (chain[i] == L) return true;
    return false;
}

/* The thread is not, or no longer: another one will be at its address. */
static void renew(int L) {
    tree_thread_gone(&p, thread(L));
    memset(&t[L], 0, sizeof t[L]);
    t[L].word[0] = 1;
    set_status(frame(L, 0), LMP_CI_C);
    enter(L, 0);
}

static void any_call(int L) {
    if (t[L].depth >= deepest) return;
    int other = any_player(); /* no argument that tells who runs */
    uint64_t way = suite_below(6);
    if (way == 0) {
        c(L, (unsigned)suite_below(3));
    } else if (way == 1) {
        bool tag = suite_below(2);
        call_wrapped(L, other, !tag, tag ? LMP_TAG_THREAD : 0);
    } else {
        lua(L, (int)suite_below(PROTOS), (unsigned)suite_below(PLACES));
        if (suite_below(8) == 0) set_status(top(L), TAIL);
        if (suite_below(2)) give(L, other);
    }
    if (way < 2 && suite_below(2)) put(top(L), LMP_AT_CI_SAVEDPC, pc_of(1, 2)); /* of one before */
}

/* ---- what is asked --------------------------------------------------------------------------- */

static void check(int asks, uint32_t record, uintptr_t pc, uintptr_t told) {
    check_path(tree_path(&p, thread(asks), told, record), record, pc, running, chain);
    asked++;
    if ((unsigned)running > longest) longest = (unsigned)running;
}

static void ask_now(void) {
    int L = last();
    uint32_t record = HOST_RECORD;
    uintptr_t pc = 0;
    if (!is_c(top(L)) && suite_below(2)) pc = pc_of(1, (unsigned)suite_below(PLACES));
    if (pc && t[L].slot[2 * t[L].depth][0] != (uintptr_t)closures[1]) pc = 0;
    if (!is_c(top(L)) && suite_below(2)) {
        uintptr_t at = pc ? pc : frames_pc(top(L));
        record = LINES + line_site(at) - SITES;
        p.tables.record[record].site = line_site(at);
    }
    check(L, record, pc, pc);
    if (suite_below(2)) return;
    const unsigned before[] = {queries, searches, hunts, rooms};
    check(L, record, pc, pc);
    ck_assert_uint_eq(queries, before[0]);
    ck_assert_uint_eq(searches, before[1]);
    ck_assert_uint_eq(hunts, before[2]);
    ck_assert_uint_eq(rooms, before[3]);
}

/* One that does not run asks: what it tells of itself means nothing. Of those that have resumed
 * another one this is only known when that one has asked. */
static void another_asks(void) {
    int L = any_player();
    if (L == last() || (runs(L) && p.tree->side->L != thread(last()))) return;
    check(L, HOST_RECORD, 0, suite_below(2) ? pc_of(2, 3) : 0);
}

/* ---- what happens ---------------------------------------------------------------------------- */

static void any_resume(void) {
    int L = last(), other = any_player();
    if (runs(other) || t[L].depth >= deepest) return;
    uint64_t way = suite_below(3);
    if (way == 0) {
        resume(L, other);
    } else if (way == 1) {
        c(L, 3), give(L, other);
    } else {
        call_wrapped(L, other, 1, LMP_TAG_THREAD);
    }
    if (suite_below(3) == 0) ask_now(); /* before it runs */
    if (t[other].depth == 0) {
        if (suite_below(4) == 0) check(other, HOST_RECORD, 0, 0);
        set_idle(other, false);
        any_call(other);
    } else if (frames_bits.at_jump &&
               suite_below(4) == 0) { /* its variables are closed, and it keeps its status */
        set_jump(other, 1);
    } else {
        set_idle(other, false);
        if (t[other].depth > 1 && suite_below(2)) ret(other);
    }
    chain[running++] = other;
}

static void leave(bool ends) {
    int L = last();
    if (running == 1) return;
    if (!is_c(top(L))) c(L, 3); /* coroutine.yield */
    set_idle(L, true), set_jump(L, 0);
    running--;
    ret(last());
    if (ends && suite_below(2)) {
        renew(L);
    } else if (ends) {
        enter(L, 0);
    }
}

static void any_return(void) {
    int L = last(), depth = t[L].depth - 1;
    if (suite_below(6) == 0) depth = (int)suite_below((uint64_t)depth + 1);
    if (depth > 0 || running == 1) {
        enter(L, depth > 0 ? depth : 1);
    } else {
        leave(true);
    }
}

/* The function on top has moved on, or another one is in its place. */
static void move_on(void) {
    int L = last();
    if (is_c(top(L))) return;
    uintptr_t *function = t[L].slot[2 * t[L].depth];
    int i = (int)suite_below(PROTOS);
    if (suite_below(3)) {
        while (function[0] != (uintptr_t)closures[i])
            i = (i + 1) % PROTOS;
    } else {
        function[0] = (uintptr_t)closures[i];
        set_status(top(L), frames_status(top(L)) | TAIL);
    }
    put(top(L), LMP_AT_CI_SAVEDPC, pc_of(i, (unsigned)suite_below(PLACES)));
}

static void play(int steps) {
    running = 1;
    chain[0] = 0;
    lua(0, 0, 0);
    for (int i = 0; i < steps; i++) {
        uint64_t what = suite_below(40);
        if (what < 11)
            any_call(last());
        else if (what < 18)
            any_return();
        else if (what < 22)
            any_resume();
        else if (what < 25)
            leave(false);
        else if (what < 29)
            move_on();
        else if (what == 29)
            another_asks();
        else if (what == 30)
            tree_code_gone(&p, (uintptr_t)code[suite_below(PROTOS)], CODE);
        else if (what < 38)
            ask_now();
    }
}

TEST(at_random) {
    for (int round = 0; round < 24; round++) {
        begin();
        if (round % 4 == 3) frames_bits.at_jump = 0; /* what closes its variables cannot be told */
        choose_players();
        deepest = round % 3 ? 6 : FRAMES - 2;
        play(4000);
        ck_assert_uint_eq(p.live->tables.folded, 0);
    }
    ck_assert_uint_gt(asked, 10000);
    ck_assert_uint_gt(longest, 5);
}
