/* Tests of tree.c, step by step, on threads and frames made by hand (fake_threads.h): after each
 * step the path is what the frames say, and no more was looked up than what is new; what the frames
 * do not tell is "(unknown)". Real programs: test_tree_random and the others, tests/truth. */
#include "tree_steps_fixture.h"

/* ---- one thread ------------------------------------------------------------------------------ */

TEST(step_by_step) {
    begin();
    lua(0, 0, 3);
    ck_assert_uint_eq(ask(1), 1);
    go(0, 4);
    ck_assert_uint_eq(ask(1), 1);
    go(0, 3);
    ck_assert_uint_eq(ask(1), 0);
    lua(0, 1, 7); /* a new frame: its own place, and what its caller calls from there */
    ck_assert_uint_eq(ask(1), 2);
    c(0, 0);
    ck_assert_uint_eq(ask(1), 2);
    ret(0);
    ck_assert_uint_eq(ask(1), 0);
    c(0, 0); /* once more: the same */
    ck_assert_uint_eq(ask(1), 0);
    c(0, 1);
    ck_assert_uint_eq(ask(1), 2);
    ret(0), ret(0), ret(0); /* three at once, and three new ones */
    ck_assert_uint_eq(ask(1), 0);
    lua(0, 1, 7), c(0, 0), c(0, 1);
    ck_assert_uint_eq(ask(1), 0);
    ret(0), ret(0), ret(0), lua(0, 2, 9), c(0, 2);
    ck_assert_uint_eq(ask(1), 2);
    set_status(top(0), LMP_CI_C | LMP_CI_SEEN); /* a mark that is not ours */
    ret(0), ret(0), lua(0, 3, 3);
    set_status(top(0), LMP_CI_SEEN);
    lua(0, 1, 7);
    ck_assert_uint_eq(ask(1), 2);
}

/* A tail call replaces the function of a frame that stays marked. */
TEST(tail_calls) {
    begin();
    lua(0, 0, 3), lua(0, 1, 5);
    ask(1);
    t[0].slot[2 * 2][0] = (uintptr_t)closures[2];
    put(top(0), LMP_AT_CI_SAVEDPC, pc_of(2, 8));
    set_status(top(0), frames_status(top(0)) | TAIL);
    ck_assert_uint_eq(ask(1), 1);
    lua(0, 3, 5);
    ck_assert_uint_eq(ask(1), 2);
    ret(0), ret(0), lua(0, 2, 8);
    ck_assert_uint_eq(ask(1), 1);
}

/* The record is one of the line where the topmost function asks: no site is looked up for it. */
TEST(records_of_lines) {
    begin();
    lua(0, 0, 3), lua(0, 1, 5);
    ask(1);
    for (uint32_t record = 2; record < 5; record++) {
        uintptr_t pc = pc_of(1, 20 + record);
        p.tables.record[record].site = line_site(pc);
        unsigned before = queries;
        for (int i = 0; i < 2; i++)
            check_path(tree_path(&p, p.main, pc, record), record, pc, 1, (int[]){0});
        ck_assert_uint_eq(queries, before);
    }
    uintptr_t pc = pc_of(1, 30); /* but if a C function asked there, it is */
    p.tables.record[6].site = line_site(pc);
    p.tables.site[line_site(pc)].cfunction = 3;
    unsigned before = queries;
    check_path(tree_path(&p, p.main, pc, 6), 6, pc, 1, (int[]){0});
    ck_assert_uint_eq(queries, before + 1);
    p.tables.record[7].site = sites_pseudo(&p, LMP_PSEUDO_UNKNOWN);
    check_path(tree_path(&p, p.main, pc, 7), 7, pc, 1, (int[]){0});
    c(0, 1); /* nor of a C function on top */
    p.tables.record[8].site = line_site(pc_of(1, 5));
    check_path(tree_path(&p, p.main, 0, 8), 8, 0, 1, (int[]){0});
    ret(0), ret(0), ret(0);
    ck_assert_uint_eq(node_site(0, HOST_RECORD), sites_pseudo(&p, LMP_PSEUDO_HOST));
    ck_assert_uint_eq(p.tables.node[p.tables.path[tree_path(&p, NULL, 0, HOST_RECORD)].node].site,
                      sites_pseudo(&p, LMP_PSEUDO_HOST));
}

/* ---- frames that are not sound --------------------------------------------------------------- */

/* On top, and below one or two new frames; in C functions there is none. */
TEST(frames_that_are_not_sound) {
    for (int way = 0; way < UNSOUND_WAYS; way++) {
        for (int above = 0; above < 4; above++) {
            begin();
            lua(0, 0, 3), lua(0, 1, 5);
            if (above != 2) ask(1);
            lua(0, 0, 7);
            damage(0, 3, way);
            if (above > 2) ck_unknown(0); /* known, but not its node */
            for (int i = 0; i < above && i < 2; i++)
                i ? c(0, 1) : lua(0, 1, 5);
            ck_unknown(0);
            p.tables.record[6].site = line_site(pc_of(0, 7)); /* even if the record knows */
            ck_assert_uint_eq(node_site(0, 6), sites_pseudo(&p, LMP_PSEUDO_UNKNOWN));
            enter(0, 2);
            ask(1);
            enter(0, 1);
            ask(1);
        }
    }
    for (int above = 0; above < 3; above++) {
        begin();
        lua(0, 0, 3);
        ask(1);
        c(0, 1);
        put(t[0].slot[4], LMP_AT_SLOT_TAG, 0); /* no function */
        for (int i = 0; i < above; i++)
            i ? c(0, 1) : lua(0, 1, 5);
        ck_unknown(0);
        enter(0, 1);
        ask(1);
    }
}

/* Its saved pc is an earlier one: under it nothing is known, but on top the pc is told. */
TEST(stale_frames) {
    for (int asks = 0; asks < 16; asks++) {
        begin();
        lua(0, 0, 3);
        if (asks & 1) ask(1);
        lua(0, 1, 5);
        if (asks & 2) ask(1);
        set_status(top(0), frames_status(top(0)) | STALE);
        if (asks & 4) ask(1);
        lua(0, 2, 7);
        if (asks & 8) ck_unknown(0);
        lua(0, 2, 8);
        ck_unknown(0);
        ret(0);
        ck_unknown(0);
        ret(0);
        set_status(top(0), frames_status(top(0)) & ~STALE);
        lua(0, 2, 7);
        ask(1);
        ret(0), c(0, 1);
        set_status(top(0), LMP_CI_C | STALE); /* of C functions there is no pc */
        lua(0, 2, 8);
        ask(1);
    }
}

/* ---- threads --------------------------------------------------------------------------------- */

TEST(from_thread_to_thread) {
    begin();
    lua(0, 0, 3), resume(0, 1);
    lua(1, 1, 3), resume(1, 2);
    lua(2, 2, 3);
    ck_assert_uint_eq(ask(3), 5);
    set_idle(2, true); /* it yields; and is resumed again */
    ret(1);
    ck_assert_uint_eq(ask(2), 1); /* it has not asked itself yet */
    set_idle(2, false);
    resume(1, 2);
    ck_assert_uint_eq(ask(3), 0);
    c(2, 1);
    ck_assert_uint_eq(ask(3), 2);
    set_idle(2, true);
    ret(1);
    put(top(1), LMP_AT_CI_SAVEDPC, pc_of(1, 9)); /* from another line */
    resume(1, 2);
    set_idle(2, false);
    ask(3);
    ret(1), lua(1, 3, 4), resume(1, 3); /* and another one, from a new frame */
    set_idle(2, true);
    lua(3, 2, 3);
    check_path(tree_path(&p, thread(3), 0, HOST_RECORD), HOST_RECORD, 0, 3, (int[]){0, 1, 3});
    enter(1, 1);
    ask(2);
    enter(0, 1);
    ask(1);
}

/* A function of another library has resumed, which may be left and entered again by a
 * continuation: each frame below is looked at. */
TEST(resumed_by_others) {
    for (int moved = 0; moved < 3; moved++) {
        begin();
        lua(0, 0, 3), c(0, 1), give(0, 1);
        lua(1, 1, 3), c(1, 1), give(1, 2);
        lua(2, 2, 3);
        ask(3);
        ask(3);
        if (moved > 0)
            ret(moved - 1), put(top(moved - 1), LMP_AT_CI_SAVEDPC, pc_of(moved - 1, 10)),
                c(moved - 1, 1), give(moved - 1, moved);
        ask(3);
    }
}

/* A thread that waits has a frame that is not sound: of what it has resumed nothing is known. */
TEST(threads_that_are_not_sound) {
    for (int way = 0; way < UNSOUND_WAYS; way++) {
        for (int asked = 0; asked < 2; asked++) {
            begin();
            lua(0, 0, 3);
            if (asked) ask(1);
            damage(0, 1, way);
            resume(0, 1);
            lua(1, 1, 3);
            ck_unknown(1);
            p.tables.record[6].site = line_site(pc_of(1, 3));
            ck_assert_uint_eq(node_site(1, 6), sites_pseudo(&p, LMP_PSEUDO_UNKNOWN));
            ck_unknown(2); /* one that has not begun: the path is of the one that runs */
            enter(1, 0);
            enter(0, 0);
            lua(0, 0, 3);
            ask(1);
            damage(0, 1, way);
            ck_unknown(2);
        }
    }
    begin();
    lua(0, 0, 3), resume(0, 1), lua(1, 1, 3);
    ask(2);
    set_idle(1, true);
    put(t[0].slot[4], LMP_AT_SLOT_TAG, 0);
    set_status(top(0), LMP_CI_C); /* a C frame without a function, a new one */
    ck_unknown(0);
    ret(0), resume(0, 1);
    set_idle(1, false);
    ask(2);
    p.live->tables.sample = 512; /* then those are watched that have a side stack */
    set_idle(1, true), ret(0), resume(0, 2), lua(2, 1, 3);
    check_path(tree_path(&p, thread(2), 0, HOST_RECORD), HOST_RECORD, 0, 2, (int[]){0, 2});
    ck_assert_uint_eq(notified, (uintptr_t)thread(2) - EXTRA);
}

/* A thread asks while another one runs: the path is that one's. */
TEST(another_one_runs) {
    begin();
    lua(0, 0, 3), resume(0, 1);
    lua(1, 1, 3);
    for (int i = 0; i < 2; i++)
        check_path(tree_path(&p, thread(0), 0, HOST_RECORD), HOST_RECORD, 0, 2, (int[]){0, 1});
    enter(1, 0), ret(0);
    check_path(tree_path(&p, thread(1), 0, HOST_RECORD), HOST_RECORD, 0, 1, (int[]){0});
    enter(0, 0);
    ck_assert_uint_eq(node_site(1, HOST_RECORD), sites_pseudo(&p, LMP_PSEUDO_HOST));
}

/* ---- code that dies -------------------------------------------------------------------------- */

static void dies(int i) {
    tree_code_gone(&p, (uintptr_t)code[i], CODE * sizeof **code);
}

TEST(code_dies) {
    begin();
    lua(0, 0, 3), lua(0, 1, CODE - 1), lua(0, 1, 0), c(0, 1);
    ck_assert_uint_eq(ask(1), 4);
    for (int n = 0; n < 3; n++)
        dies(2 + n % 2);
    enter(0, 1);
    lua(0, 1, CODE - 1), lua(0, 1, 0), c(0, 1);
    ck_assert_uint_eq(ask(1), 0); /* what they are about lives */
    dies(1);
    life = 200; /* other functions have the addresses */
    enter(0, 0);
    lua(0, 0, 3), lua(0, 1, CODE - 1), lua(0, 1, 0), c(0, 1);
    p.tables.record[6].site = 1;
    uint32_t node = p.tables.path[tree_path(&p, p.main, 0, HOST_RECORD)].node;
    ck_assert_uint_eq(p.tables.node[p.tables.node[node].parent].site, line_site(pc_of(1, 0)));
    node = p.tables.node[p.tables.node[node].parent].parent;
    ck_assert_uint_eq(p.tables.node[node].site, line_site(pc_of(1, CODE - 1)));
    unsigned before = queries;
    for (int n = 0; n <= TREE_DEATHS; n++)
        dies(2); /* which died is not known any more of an answer that old */
    enter(0, 0);
    lua(0, 0, 3), lua(0, 1, CODE - 1), lua(0, 1, 0), c(0, 1);
    ask(1);
    ck_assert_uint_eq(queries, before + 4); /* and the C function has another caller */
    p.tree->epoch = UINT64_MAX << KEY_EPOCH;
    dies(2); /* the numbers begin again */
    ck_assert_uint_eq(p.tree->epoch, 1ull << KEY_EPOCH);
    enter(0, 0);
    lua(0, 0, 3), lua(0, 1, CODE - 1), lua(0, 1, 0), c(0, 1);
    ck_assert_uint_eq(ask(1), 4);
    struct LmpTree *there = p.tree;
    p.tree = NULL;
    dies(2); /* no paths are kept */
    p.tree = there;
}

/* ---- caches and room ------------------------------------------------------------------------- */

/* A cache that has all its slots grows no more. */
TEST(caches_have_an_end) {
    LmpCacheSize size = FIRST_SIZE;
    unsigned grown = 0, pushed = 0;
    for (unsigned n = 0; n < 200000; n++) {
        uint32_t before = tree_cache_slots(size);
        pushed++;
        if (!tree_cache_pushed(&size)) continue;
        ck_assert_uint_eq(pushed, before / 4);
        ck_assert_uint_eq(tree_cache_slots(size), before << TREE_CACHE_STEP);
        pushed = 0;
        grown++;
    }
    ck_assert_uint_eq(grown, (TREE_CACHE_MOST - TREE_CACHE_LEAST) / TREE_CACHE_STEP);
    ck_assert_uint_eq(tree_cache_slots(size), 1 << TREE_CACHE_MOST);
}

TEST(no_room) {
    begin();
    for (int i = 0; i < FRAMES - 1; i++)
        lua(0, i % PROTOS, (unsigned)i);
    maps_left = 0;
    for (size_t size = SLAB_AREA / 2; size >= SLAB_LEAST; size /= 2)
        for (size_t got; slab_take(&p.tree->slab, size, &got);) {
        }
    for (int i = 0; i < 2; i++) {
        uint32_t folded = (uint32_t)p.live->tables.folded;
        ck_assert_uint_eq(p.tables.path[tree_path(&p, p.main, 0, HOST_RECORD)].node,
                          TREE_NODE_OTHERS);
        ck_assert_uint_eq(p.live->tables.folded, folded + 1); /* each is counted */
    }
    maps_left = -1;
    ask(1);
}
