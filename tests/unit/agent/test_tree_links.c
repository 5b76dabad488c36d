/* Tests of tree.c: threads that resume others, and are not what they seem to be; frames that are
 * not sound below them; and no room (threads and frames made by hand, tree_steps_fixture.h). */
#include "tree_steps_fixture.h"

/* ---- what is not sound ----------------------------------------------------------------------- */

/* Under a known frame a C function's frame without a function: whatever else the slot holds. */
TEST(no_c_function) {
    for (int n = 0; n < 3; n++) {
        begin();
        lua(0, 0, 3), c(0, 1);
        ask(1);
        ret(0), lua(0, 1, 5);
        ask(1);
        ret(0), lua(0, 1, 5);
        set_status(top(0), LMP_CI_C);
        if (n == 0) put(t[0].slot[4], LMP_AT_SLOT_TAG, 0);
        if (n < 2) {
            ck_unknown(0);
        } else {
            give(0, 1), lua(1, 1, 3);
            ck_unknown(1);
        }
        ret(0), lua(0, 1, 5);
        enter(1, 0);
        ask(1);
    }
}

/* Frames with a mark that the tree has not made, at addresses that it has not seen. */
TEST(marks_of_others) {
    for (int n = 0; n < 3; n++) {
        begin();
        lua(0, 0, 3);
        ask(1);
        lua(0, 1, 5);
        if (n < 2) set_status(top(0), LMP_CI_SEEN);
        if (n == 1) lua(0, 3, 6);
        lua(0, 2, 7);
        if (n == 2) set_status(top(0), LMP_CI_SEEN);
        ask(1);
    }
}

/* One that does not run asks, and the one that runs has a frame that is not sound. */
TEST(another_asks_in_vain) {
    for (int n = 0; n <= UNSOUND_WAYS; n++) {
        begin();
        lua(0, 0, 3), c(0, 1);
        if (n < UNSOUND_WAYS) {
            damage(0, 1, n);
        } else {
            put(t[0].slot[4], LMP_AT_SLOT_TAG, 0);
        }
        ck_unknown(5);
    }
}

/* ---- threads --------------------------------------------------------------------------------- */

/* The frame that resumes is at the address of another one that has asked. */
TEST(resumer_in_the_place_of_another) {
    for (int n = 0; n < 5; n++) {
        begin();
        lua(0, 0, 3), c(0, 1);
        ask(1);
        if (n == 1) c(0, 2), ask(1), ret(0);            /* it is the one that asked before */
        if (n == 2) ret(0);                             /* another */
        if (n == 3) enter(0, 0), lua(0, 2, 4);          /* under another */
        if (n == 4) lua(0, 2, 4), ask(1), lua(0, 2, 5); /* two new ones */
        if (n > 1) resume(0, 1);
        give(0, 1);
        lua(1, 1, 3);
        ask(2);
        ck_assert_uint_eq(notified, 0); /* all threads are watched */
        set_idle(1, true), ret(0);
        ask(1);
    }
}

/* A debug hook, which runs in a Lua function's frame, has resumed a thread. */
TEST(resumed_by_a_hook) {
    for (int n = 0; n < 4; n++) {
        begin();
        lua(0, 0, 3);
        if (n & 1) lua(0, 1, 4), ask(1), ret(0);
        lua(0, 1, 5);
        if (n & 2) set_status(top(0), TAIL);
        lua(1, 1, 3);
        ask(2);
        c(1, 1);
        ask(2);
        ret(0), lua(0, 1, 5);
        damage(0, 2, n);
        ck_unknown(1);
    }
}

/* Nothing leads to thread 1, which has resumed another one: that the frames of both are as they
 * were does not tell that what is below is, too. */
TEST(hidden_resumer_stays) {
    begin();
    lua(0, 0, 3), c(0, 4);
    lua(1, 1, 3);
    ask(2);
    resume(1, 2), lua(2, 2, 3);
    ask(3);
    enter(0, 0), lua(0, 1, 9), c(0, 4);
    ask(3);
}

/* A thread that is being made, or that has no function yet, asks. */
TEST(thread_begins) {
    for (int n = 0; n < 4; n++) {
        begin();
        lua(0, 0, 3);
        if (n & 1) ask(1);
        resume(0, 5);
        if (n & 2) put(t[5].word, LMP_AT_L_CI, 0);
        for (int i = 0; i < 2; i++)
            check_path(tree_path(&p, thread(5), 0, 7), 7, 0, 1, (int[]){0});
    }
}

/* A thread that runs asks for one that has resumed it: with a pc, which is not that one's. */
TEST(asks_for_another) {
    begin();
    lua(0, 0, 3), resume(0, 1);
    lua(1, 1, 3), lua(1, 1, 4);
    for (int i = 0; i < 2; i++)
        check_path(tree_path(&p, thread(0), pc_of(1, 9), 7), 7, 0, 2, (int[]){0, 1});
}

/* It has resumed another one since it asked last. */
TEST(asks_for_a_new_one) {
    begin();
    lua(0, 0, 3), resume(0, 1);
    lua(1, 1, 3), resume(1, 2);
    lua(2, 2, 3);
    ask(3);
    set_idle(2, true), ret(1);
    resume(1, 3), lua(3, 3, 3);
    check_path(tree_path(&p, thread(1), 0, 7), 7, 0, 3, (int[]){0, 1, 3});
    set_idle(3, true), ret(1); /* told, not resumed */
    c(1, 1), give(1, 3);
    ask(2);
}

/* A function of the host resumes two threads in turn; only the first one can be seen, which waits
 * when the second one runs, though it has told of it. */
TEST(two_in_turn) {
    begin();
    lua(0, 0, 3), c(0, 1), give(0, 1);
    lua(1, 1, 3);
    ask(2);
    c(1, 3), give(1, 2);
    set_idle(1, true);
    lua(2, 2, 3);
    for (int i = 0; i < 2; i++)
        check_path(tree_path(&p, thread(2), 0, 7), 7, 0, 2, (int[]){0, 2});
}

/* C functions that are told a thread which waits have not resumed it, whoever asks. */
TEST(told_a_thread) {
    for (int n = 0; n < 3; n++) {
        begin();
        if (n == 2) frames_bits.at_jump = 0;
        lua(0, 0, 3), resume(0, 1);
        lua(1, 1, 3), c(1, 3);
        ask(2);
        set_idle(1, true), ret(0);
        c(0, 1), give(0, 1);
        if (n) ask(1);
        check_path(tree_path(&p, thread(1), 0, 7), 7, 0, 1, (int[]){0});
        ask(1);
    }
}

/* A thread that closes its variables keeps its status, up to 5.4.3, and runs. */
TEST(closes_its_variables) {
    begin();
    lua(0, 0, 3), resume(0, 1);
    lua(1, 1, 3), lua(1, 1, 5);
    ask(2);
    set_idle(1, true), ret(0);
    ask(1);
    set_jump(1, 1), resume(0, 1);
    lua(1, 3, 4);
    ask(2);
    resume(1, 2), lua(2, 1, 3);
    ask(3);
    ret(1), set_idle(2, true);
    resume(1, 2), set_jump(2, 1); /* and another one does so */
    unsigned before = hunts;
    ask(3);
    ck_assert_uint_eq(hunts, before);
}

/* Threads inside of each other, so many that some share a side stack. */
TEST(many_threads) {
    begin();
    for (int i = 0; i < THREADS - 1; i++) {
        lua(i, i % PROTOS, 3), resume(i, i + 1);
        int all[THREADS];
        for (int n = 0; n <= i; n++)
            all[n] = n;
        check_path(tree_path(&p, thread(i), 0, 7), 7, 0, i + 1, all);
    }
}

/* ---- room ------------------------------------------------------------------------------------ */

static void refuse_memory(void) {
    maps_left = 0;
    for (size_t size = SLAB_AREA / 2; size >= SLAB_LEAST; size /= 2)
        for (size_t got; slab_take(&p.tree->slab, size, &got);) {
        }
}

/* A thread that waits has no room for its frames: what it has resumed is in (others). */
TEST(no_room_below) {
    for (int asked = 0; asked < 2; asked++) {
        begin();
        lua(0, 0, 3);
        if (asked) ask(1);
        for (int i = 0; i < FRAMES - 3; i++)
            lua(0, i % PROTOS, (unsigned)i);
        resume(0, 1), lua(1, 1, 3);
        refuse_memory();
        for (int i = 0; i < 2; i++)
            ck_assert_uint_eq(p.tables.path[tree_path(&p, thread(1), 0, 7)].node, TREE_NODE_OTHERS);
        maps_left = -1;
        ask(2);
    }
}

/* Nor is there any for a thread's own side stack. */
TEST(no_side) {
    for (int asked = 0; asked < 2; asked++) {
        begin();
        lua(0, 0, 3);
        if (asked) ask(1);
        resume(0, 1);
        for (int i = 0; i < FRAMES - 3; i++)
            lua(1, i % PROTOS, (unsigned)i);
        refuse_memory();
        for (int i = 0; i < 2; i++)
            ck_assert_uint_eq(p.tables.path[tree_path(&p, thread(1), 0, 7)].node, TREE_NODE_OTHERS);
        maps_left = -1;
        ask(2);
    }
}

/* As many frames as there is room for, one after another: one more gets more room. */
TEST(room_for_frames) {
    begin();
    lua(0, 0, 3);
    ask(1);
    unsigned before = rooms;
    while (t[0].depth < FRAMES - 1) {
        bool full = p.tree->main.top + 1 == p.tree->main.end;
        lua(0, 1, 5);
        ask(1);
        ck_assert_uint_eq(rooms, before += full);
    }
    begin();
    lua(0, 0, 3);
    ask(1);
    while (p.tree->main.top + 1 < p.tree->main.end)
        lua(0, 1, 5), ask(1);
    const LmpSideFrame *f = p.tree->main.top; /* what is below is known, too */
    uint32_t node = p.tables.path[tree_path(&p, p.main, 0, HOST_RECORD)].node;
    uint64_t key = p.tree->epoch | frames_pc(f->ci);
    *node_slot(p.tree, key, f->under) = (LmpNodeSlot){key, f->under, node << 2};
    resume(0, 1), lua(1, 1, 3);
    ask(2);
}

/* Any one map refused, though all others are given: there is no tree. */
static int map_refused;

static void *map_but_one(size_t size, int fd, uint64_t offset, bool writable) {
    if (map_refused-- == 0) return NULL;
    return test_map(size, fd, offset, writable);
}

TEST(one_map_refused) {
    begin();
    tree_close(&p);
    int others = mapped, n = 0;
    for (;; n++) {
        test_os.map = map_but_one;
        map_refused = n;
        LmpErr err = tree_open(&p);
        test_os.map = test_map;
        if (map_refused >= 0) break; /* there were no more */
        ck_assert_int_eq(err, LMP_E_NOMEM);
        ck_assert_ptr_null(p.tree);
        ck_assert_int_eq(mapped, others);
    }
    ck_assert_int_ge(n, 4);
    ck_assert_ptr_nonnull(p.tree);
}
