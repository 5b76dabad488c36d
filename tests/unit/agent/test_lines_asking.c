/* Tests of lines_asking.c: which thread runs, and whose line it is, in any arrangement of threads
 * and frames (asking_fixture.h). What real programs do: tests/truth (lines, strangers). */
#include "asking_fixture.h"

#include "agent/charge/sites.h"

static struct LmpTagMap *tags_on = (struct LmpTagMap *)&plan; /* that there are some counts */

/* ---- threads --------------------------------------------------------------------------------- */

BEFORE_TESTS(begin)

TEST(a_thread_is_what_the_map_says) {
    ck_assert(!lines_learn_thread(&p, NULL));
    t[MAIN].entry = 0;
    ck_assert(lines_learn_thread(&p, thread(MAIN)) && !is_known(MAIN));
    t[1].entry = LMP_C_TABLE | LMP_BLOCK_NOTIFY;
    t[2].entry = 0;
    t[3].entry = LMP_C_THREAD;
    for (int i = 1; i <= 4; i++) {
        ck_assert_int_eq(lines_learn_thread(&p, thread(i)), i > 2);
        ck_assert_int_eq(is_known(i), i == 4); /* the third one's end would not be noticed */
    }
    const lua_State **place = &cache.known[lines_known_home(thread(5))];
    *place = thread(6); /* from before start: the map cannot say it again */
    t[6].entry = 0;
    ck_assert(lines_learn_thread(&p, thread(5)) && *place == thread(6));
    t[6].entry = LMP_C_THREAD;
    ck_assert(lines_learn_thread(&p, thread(5)) && *place == thread(5));
}

TEST(a_switch_is_noted) {
    lines_switch(&p, thread(1));
    ck_assert(p.running == thread(1) && cache.ran == 1 && cache.lately[1] == thread(1));
    ck_assert(p.tag == 0 && notified == 0);
    cache.ran = UINT32_MAX;
    live.tables.sample = 512;
    p.tags = tags_on;
    lines_switch(&p, thread(2));
    ck_assert(cache.ran == LMP_RAN_LATELY && cache.lately[0] == thread(2));
    ck_assert(p.tag == 2 && notified == (uintptr_t)thread(2) - EXTRA);
    lines_tag_changed(&p, (lua_State *)thread(3));
    ck_assert(p.tag == 3 && p.running == thread(3) && cache.lately[1] == thread(3));
}

/* A C function on top: L runs, if a Lua function has called it, and if none runs within it. */
TEST(a_c_function_runs) {
    put(t[9].word, LMP_AT_L_CI, 0); /* a thread that is being made */
    ck_assert(!lines_switch_c(&p, thread(9)));
    call_c(1);
    ck_assert(!lines_switch_c(&p, thread(1)) && !p.running);
    enter(1, 0);
    call_lua(1, 16);
    call_c(1);
    ck_assert(lines_switch_c(&p, thread(1)) && p.running == thread(1));
    call_lua(2, 16);
    call_c(2);
    set_jump(1, 1000);
    set_jump(2, 2000); /* it has resumed the first */
    ck_assert(!lines_switch_c(&p, thread(2)) && p.running == thread(1));
    set_jump(1, 3000);
    ck_assert(lines_switch_c(&p, thread(2)) && p.running == thread(2));
    set_jump(2, 0); /* what is in no protected call was resumed by nobody */
    ck_assert(lines_switch_c(&p, thread(1)) && p.running == thread(1));
    set_jump(1, 1000);
    set_jump(2, 2000);
    cache.jumps = false; /* not known on this interpreter */
    ck_assert(lines_switch_c(&p, thread(2)));
    cache.jumps = true;
    p.running = thread(1);
    enter(1, 0); /* has ended since */
    ck_assert(lines_switch_c(&p, thread(2)));
}

/* ---- no function runs ------------------------------------------------------------------------ */

TEST(outside_of_all_functions) {
    put(t[9].word, LMP_AT_L_CI, 0);
    ck_assert_uint_eq(lines_ask_outside(&p, thread(9), LMP_C_STRING), 0);
    call_lua(8, 16);
    ck_assert_uint_eq(lines_ask_outside(&p, thread(8), LMP_C_STRING), 0);
    enter(8, 0);
    for (int kept = 0; kept < 2; kept++) {
        ck_assert_uint_eq(lines_ask_outside(&p, thread(1), LMP_C_STRING), host(LMP_C_STRING));
        ck_assert_uint_eq(records_asked, 1);
        ck_assert(asked_parser == thread(1) && asked_certain);
    }
    answer.parser = true;
    uint32_t parser = row_of(LMP_PSEUDO_PARSER + 1, LMP_C_STRING);
    ck_assert_uint_eq(lines_ask_outside(&p, thread(1), LMP_C_STRING), parser);
    ck_assert_uint_eq(cache.outside[1][LMP_C_STRING], parser);
    answer.parser = false;
    p.tag = 3; /* each time anew */
    records_asked = 0;
    cache.outside[0][LMP_C_STRING] = FOUND;
    for (unsigned i = 1; i <= 2; i++) {
        ck_assert_uint_eq(lines_ask_outside(&p, thread(1), LMP_C_STRING), host(LMP_C_STRING));
        ck_assert_uint_eq(records_asked, i);
        ck_assert_uint_eq(cache.outside[0][LMP_C_STRING], FOUND);
    }
    p.tag = 0;
    answer.others = true; /* no room: nor is that kept, it is counted */
    ck_assert_uint_eq(lines_ask_outside(&p, thread(1), LMP_C_TABLE), host(LMP_C_TABLE));
    ck_assert_uint_eq(cache.outside[0][LMP_C_TABLE], 0);
}

/* Whichever of the threads that ran lately has a function. */
TEST(one_that_ran_lately_may_run) {
    for (uint32_t ran = 0; ran < 2 * LMP_RAN_LATELY; ran++) {
        for (uint32_t at = 0; at < LMP_RAN_LATELY; at++) {
            begin();
            cache.ran = ran;
            bool in_use = ran >= LMP_RAN_LATELY || (at > 0 && at <= ran);
            ck_assert_uint_ne(lines_ask_outside(&p, thread(1), LMP_C_STRING), 0);
            if (in_use) cache.lately[at] = thread(2 + (int)at);
            ck_assert_uint_ne(lines_ask_outside(&p, thread(1), LMP_C_STRING), 0);
            call_lua(2 + (int)at, 16);
            ck_assert_int_eq(lines_ask_outside(&p, thread(1), LMP_C_STRING) == 0, in_use);
        }
    }
    begin();
    call_c(MAIN);
    ck_assert_uint_eq(lines_ask_outside(&p, thread(1), LMP_C_STRING), 0);
}

/* What was left of a constructor, after a request that none has made. */
TEST(outside_ends_a_constructor) {
    p.made = (LmpMade){.pc = 16, .left = 2 | LMP_MADE_REFUSED};
    lines_ask(&p, asks(1), LMP_C_STRING, &ask);
    ck_assert_uint_eq(p.made.left, 2); /* the refused one was counted then */
    lines_ask_outside(&p, thread(1), LMP_C_STRING);
    ck_assert_uint_eq(p.made.left, 0);
    p.made.pc = 0; /* of nobody, as the request is */
    lines_ask_outside(&p, thread(1), LMP_C_STRING);
    ck_assert_uint_eq(p.made.left, 0);
    p.made = (LmpMade){.ci = top(1), .pc = 16, .proto = 16, .left = 2, .part = 5};
    lines_ask_outside(&p, thread(1), LMP_C_TABLE);
    ck_assert(!p.made.ci && !p.made.pc && !p.made.proto && !p.made.left && !p.made.part);
    ck_assert_uint_eq(p.made.record, host(LMP_C_TABLE));
}

/* ---- the running thread ---------------------------------------------------------------------- */

static void check_where(int L, int ci_of, int depth, int c_depth) {
    ck_assert_ptr_eq(ask.L, thread(L));
    ck_assert_ptr_eq(where.runs, thread(L));
    ck_assert_ptr_eq(where.L, thread(ci_of));
    ck_assert_ptr_eq(where.ci, frame(ci_of, depth));
    ck_assert_uint_eq(where.pc, frames_pc(frame(ci_of, depth)));
    ck_assert_ptr_eq(where.c, c_depth ? frame(L, c_depth) : NULL);
    ck_assert_uint_eq(live.tables.unproven, 0);
}

/* Somebody asks: it is at that place. */
static void check_asked(LmpSavedRegs requester, int L, int ci_of, int depth, int c_depth) {
    lines_ask(&p, requester, LMP_C_STRING, &ask);
    check_where(L, ci_of, depth, c_depth);
}

TEST(who_asks_runs) {
    call_lua(1, 16);
    ck_assert_uint_eq(lines_ask(&p, asks(1), LMP_C_STRING, &ask), FOUND);
    check_where(1, 1, 1, 0);
    ck_assert(p.running == thread(1) && cache.ran == 1 && where.cfn == 0);
    ck_assert_uint_eq(lines_ask(&p, asks(1), LMP_C_STRING, &ask), FOUND);
    ck_assert_uint_eq(cache.ran, 1); /* no switch */
    call_c(1);
    check_asked(asks(1), 1, 1, 1, 2);
    ck_assert_uint_eq(where.cfn, LINE_FN);
    call_c(1);
    check_asked(asks(1), 1, 1, 1, 3);
    lines_ask(&p, asks(1), LMP_C_THREAD_PART, &ask); /* a stack belongs to the line alone */
    check_where(1, 1, 1, 0);
    ck_assert_uint_eq(where.cfn, 0);
    enter(1, 1);
    call_wrapped(1, 2, 0, 0);
    check_asked(asks(1), 1, 1, 1, 2);
    ck_assert_uint_eq(where.cfn, CLOSURE_FN);
    put(t[1].slot[2 * 2], LMP_AT_SLOT_TAG, 0); /* no function there */
    check_asked(asks(1), 1, 1, 1, 0);
}

/* Nothing but a thread is one, and of words that no known call has left none. */
TEST(who_asks_must_be_a_thread) {
    call_lua(1, 16);
    call_lua(2, 32);
    p.running = thread(1);
    t[2].entry = 0;
    check_asked(asks(2), 1, 1, 1,
                0); /* the one that ran last; it runs Lua code, so that is proven */
    check_asked(NULL, 1, 1, 1, 0);
    t[2].entry = LMP_C_THREAD;
    check_asked(asks(2), 2, 2, 1, 0);
    p.running = thread(1);
    words[0] = words[4] = (uintptr_t)thread(2);
    words[LMP_REGS_RET] = strange_ret;
    check_asked(asks(2), 1, 1, 1, 0);
    words[LMP_REGS_RET] = other_ret;
    check_asked(asks(1), 2, 2, 1, 0);
    p.running = thread(1);
    p.regs = NULL; /* they are not known on this interpreter */
    words[LMP_REGS_RET] = RET;
    check_asked(asks(2), 1, 1, 1, 0);
}

/* A coroutine is given its arguments: the one that resumes it runs. */
TEST(one_that_begins_does_not_run) {
    call_lua(1, 16);
    call_resume(1, 2);
    lines_switch(&p, thread(1));
    check_asked(asks(2), 1, 1, 1, 2);
    ck_assert(is_known(1));
    lines_switch(&p, thread(2)); /* even if it ran last */
    check_asked(asks(2), 1, 1, 1, 2);
}

/* Who asks has resumed the one that ran last, and still waits: C code asks by an outer thread. */
TEST(an_outer_one_does_not_run) {
    call_lua(1, 16);
    call_c(1);
    call_lua(2, 32);
    set_jump(1, 2000);
    set_jump(2, 1000);
    p.running = thread(2);
    check_asked(asks(1), 2, 2, 1, 0);
    set_jump(2, 3000);
    check_asked(asks(1), 1, 1, 1, 2);
    set_jump(2, 1000);
    p.running = thread(2);
    set_idle(2, true);
    set_jump(2, 0); /* it has yielded */
    check_asked(asks(1), 1, 1, 1, 2);
    p.running = thread(2);
    set_idle(2, false);
    set_jump(2, 1000);
    enter(2, 0); /* it has ended */
    check_asked(asks(1), 1, 1, 1, 2);
    enter(2, 1);
    lines_ask(&p, NULL, LMP_C_STRING, &ask); /* one that asks is not known */
    check_where(1, 1, 1, 2);
    p.running = NULL;
    check_asked(asks(1), 1, 1, 1, 2);
}

/* What was resumed is followed: by an argument, an upvalue; not to itself, nor to what waits. */
TEST(the_innermost_runs) {
    call_lua(1, 16);
    call_resume(1, 2);
    call_lua(2, 32);
    call_wrapped(2, 3, 1, LMP_TAG_THREAD);
    call_lua(3, 48);
    p.running = thread(1);
    check_asked(NULL, 3, 3, 1, 0);
    for (int how = 0; how < 2; how++) { /* a C closure of another kind */
        enter(2, 1);
        call_wrapped(2, 3, how, how ? 0 : LMP_TAG_THREAD);
        p.running = thread(1);
        check_asked(NULL, 2, 2, 1, 2);
    }
    enter(2, 1);
    call_resume(2, 3);
    enter(2, 2); /* what was left of it above the top of the stack */
    p.running = thread(1);
    check_asked(NULL, 2, 2, 1, 2);
    give(2, 3); /* what is no thread */
    put(t[2].slot[2 * 2 + 1], LMP_AT_SLOT_TAG, LMP_TAG_LONG_STRING);
    p.running = thread(1);
    check_asked(NULL, 2, 2, 1, 2);
    enter(2, 1);
    give(2, 3); /* a Lua function that has a thread */
    p.running = thread(1);
    check_asked(NULL, 2, 2, 1, 0);
    enter(2, 1);
    call_resume(2, 2);
    p.running = thread(1);
    check_asked(NULL, 2, 2, 1, 2);
    enter(2, 0);
    p.running = thread(1);
    check_asked(NULL, 1, 1, 1, 2);
    for (int i = 1; i < 70; i++) { /* more of them than are followed */
        enter(i, 0);
        call_lua(i, 16);
        call_resume(i, i + 1);
    }
    call_lua(70, 16);
    p.running = thread(1);
    check_asked(NULL, 1 + LMP_CHAIN, 1 + LMP_CHAIN, 1, 2);
    call_resume(70, 1); /* and in a ring there is an end */
    p.running = thread(1);
    lines_ask(&p, NULL, LMP_C_STRING, &ask);
    ck_assert_ptr_nonnull(ask.L);
}

/* The one that ran last is gone: the innermost of those that ran lately, or else the main one. */
TEST(of_those_that_ran_lately) {
    call_lua(MAIN, 16);
    for (int i = 1; i <= 6; i++) {
        call_lua(i, 16);
        call_c(i);
        cache.lately[i] = thread(i);
        set_jump(i, 1000);
    }
    cache.ran = 6;
    check_asked(NULL, 6, 6, 1, 2); /* the latest */
    p.running = NULL;
    set_jump(4, 900);
    set_jump(3, 950);
    cache.ran = 6;
    check_asked(NULL, 4, 4, 1, 2); /* the innermost */
    p.running = NULL;
    cache.ran = 6;
    cache.jumps = false;
    check_asked(NULL, 6, 6, 1, 2);
    cache.jumps = true;
    p.running = NULL;
    cache.ran = 6;
    cache.lately[6] = NULL;
    enter(5, 0);
    cache.lately[4] = thread(MAIN); /* the main one counts when no other does */
    check_asked(NULL, 3, 3, 1, 2);
    p.running = NULL;
    cache.ran = 6;
    cache.lately[1] = cache.lately[7] = NULL;
    p.running = thread(3);
    enter(3, 0); /* ran last, and has ended */
    check_asked(NULL, 2, 2, 1, 2);
    p.running = NULL;
    cache.ran = 6;
    cache.lately[7] = NULL;
    enter(2, 0);
    check_asked(asks(2), MAIN, MAIN, 1, 0);
    enter(MAIN, 0);
    p.running = NULL;
    ck_assert_uint_eq(lines_ask(&p, NULL, LMP_C_STRING, &ask), host(LMP_C_STRING));
    ck_assert_ptr_null(ask.L);
    ck_assert(asked_parser == thread(MAIN) && asked_certain);
}

/* All of the ring is looked at, once it is full. */
TEST(the_ring_of_those_that_ran_lately) {
    for (uint32_t at = 0; at < LMP_RAN_LATELY; at++) {
        begin();
        call_lua(1, 16);
        cache.ran = 100;
        cache.lately[at] = thread(1);
        check_asked(NULL, 1, 1, 1, 0);
    }
    begin();
    call_lua(1, 16);
    cache.ran = 3;
    cache.lately[4] = cache.lately[0] = thread(1); /* not of them */
    lines_ask(&p, NULL, LMP_C_STRING, &ask);
    ck_assert_ptr_null(ask.L);
}

/* A stack may be asked for on behalf of a thread that has resumed another. */
TEST(a_stack_is_of_the_innermost) {
    call_lua(1, 16);
    call_resume(1, 2);
    call_lua(2, 32);
    check_asked(asks(1), 1, 1, 1, 2);
    lines_ask(&p, asks(1), LMP_C_THREAD_PART, &ask);
    check_where(2, 2, 1, 0);
    p.running = NULL;
    enter(1, 1); /* a Lua function on top has resumed none */
    put(t[1].slot[2], LMP_AT_SLOT_TAG, LMP_TAG_LUA_CLOSURE);
    lines_ask(&p, asks(1), LMP_C_THREAD_PART, &ask);
    check_where(1, 1, 1, 0);
}

/* ---- no Lua function in the running thread --------------------------------------------------- */

TEST(the_caller_is_in_an_outer_thread) {
    call_lua(MAIN, 16);
    call_c(MAIN);
    call_c(1);
    call_c(2);
    call_lua(3, 48);
    p.running = thread(2);
    answer.threads = 4;
    for (int i = 0; i < 4; i++)
        answer.chain[i] = i;
    check_asked(NULL, 2, MAIN, 1, 1);
    enter(1, 0);
    call_lua(1, 32);
    check_asked(NULL, 2, 1, 1, 1);
    answer.chain[2] = 4; /* the API does not know it */
    ck_assert_uint_eq(lines_ask(&p, NULL, LMP_C_STRING, &ask), host(LMP_C_STRING));
    ck_assert_ptr_eq(ask.L, thread(2));
    answer.threads = 1;
    ck_assert_uint_eq(lines_ask(&p, NULL, LMP_C_STRING, &ask), host(LMP_C_STRING));
    answer.parser = true;
    p.regs = NULL;
    ck_assert_uint_eq(lines_ask(&p, NULL, LMP_C_STRING, &ask),
                      row_of(LMP_PSEUDO_PARSER + 1, LMP_C_STRING));
    ck_assert(asked_parser == thread(MAIN) && !asked_certain);
}

/* The thread that asks has C functions alone; so has the one that runs: it is the former. */
TEST(of_c_functions_alone) {
    call_c(1);
    call_c(2);
    answer.threads = 1;
    for (int kept = 0; kept < 2; kept++) {
        p.running = thread(2);
        ck_assert_uint_eq(lines_ask(&p, asks(1), LMP_C_STRING, &ask), host(LMP_C_STRING));
        ck_assert(ask.L == thread(1) && asked_parser == thread(1) && records_asked == 1);
    }
    p.running = thread(2);
    p.tag = 1;
    lines_ask(&p, asks(1), LMP_C_STRING, &ask);
    ck_assert(ask.L == thread(1) && records_asked == 2);
    p.tag = 0;
    lines_switch(&p, thread(2));
    enter(1, 0);
    lines_ask(&p, asks(1), LMP_C_STRING, &ask); /* it is about to run */
    ck_assert_ptr_eq(ask.L, thread(2));
    enter(2, 0);
    call_lua(2, 16);
    call_c(1);
    check_asked(asks(1), 2, 2, 1, 0);
    lines_switch(&p, thread(1)); /* even if it ran last */
    check_asked(asks(1), 2, 2, 1, 0);
}

/* Nobody runs: not who asks, which waits, nor who has C functions alone. */
TEST(nobody_runs) {
    cache.known[0] = thread(9); /* nothing is learned of nobody */
    call_lua(1, 16);
    set_idle(1, true);
    call_c(2);
    put(t[3].word, LMP_AT_L_CI, 0); /* is being made */
    for (int i = 1; i <= 3; i++) {
        records_asked = 0;
        ck_assert_uint_eq(lines_ask(&p, asks(i), LMP_C_STRING, &ask), host(LMP_C_STRING));
        ck_assert(!ask.L && asked_parser == thread(i) && cache.known[0] == thread(9));
        ck_assert_uint_eq(records_asked, i == 1);
    }
    p.tag = 1;
    lines_ask(&p, asks(1), LMP_C_STRING, &ask);
    ck_assert(records_asked == 1 && live.tables.unproven == 0);
}
