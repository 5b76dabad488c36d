/* What a viewer asks of a program: that it pauses, what the operations are that it steps over, and
 * what it answers meanwhile. */
#include "agent/hook/break_check.h" /* before an L of the fixture's own */

#include "breaks_fixture.h"
#include "shared/counters.h"

/* ---- steps ----------------------------------------------------------------------------------- */

/* From the script: a viewer wants a pause now. */
static int api_pause(lua_State *T) {
    (void)T;
    view_pause(view, true);
    return 0;
}

/* Enough has been stepped over. */
static int wanted; /* operations to be stopped in */

static int api_enough(lua_State *T) {
    (void)T;
    wanted = 0;
    return 0;
}

static LmpOp seen[64]; /* the first operations that were paused in */
static int stops;      /* all of them (count) */
static int tables_freed;
static uint64_t live_before;

/* Each operation is the next one, and comes to what it says. */
static bool note_step(void) {
    uint64_t live = view->live->counters.live_bytes;
    if (stops > 0) {
        ck_assert_uint_eq(op.number, seen[(stops - 1) % 64].number + 1);
        if (op.cls) /* else the block is from before, and not counted */
            ck_assert_uint_eq(live - live_before, op.new_size - op.old_size);
    }
    ck_assert_int_eq(op.op == LMP_OP_ALLOC, op.old_addr == 0);
    ck_assert_int_eq(op.op == LMP_OP_FREE, op.new_addr == 0);
    ck_assert_int_eq(op.new_addr == 0, op.new_size == 0);
    if (op.op == LMP_OP_ALLOC) ck_assert_uint_eq(op.old_size, 0);
    if (op.op == LMP_OP_FREE && op.cls == LMP_C_TABLE) {
        tables_freed++;
        if (profile->lines) ck_assert_uint_gt(op.alloc_context, 0);
    }
    ck_assert_uint_eq(op.failed, 0);
    ck_assert_uint_eq(op.hit, 0);
    ck_assert_str_eq(op.hit_words, "");
    live_before = live;
    seen[stops++ % 64] = op;
    ck_assert_uint_eq(atomic_load(&view->live->step_done), atomic_load(&view->control->step));
    if (stops >= wanted) return true;
    view_step(view, 1);
    return false;
}

static void step_through(int operations, const char *script) {
    lua_register(L, "pause", api_pause);
    lua_register(L, "enough", api_enough);
    run("collectgarbage() collectgarbage()");
    on_pause = note_step;
    stops = tables_freed = 0;
    wanted = operations;
    run(script);
    ck_assert_uint_eq(atomic_load(&view->live->state), LMP_RUNNING);
    ck_assert_uint_eq(atomic_load(&view->live->step_done), atomic_load(&view->control->step));
}

static void is_operation(int i, unsigned kind, unsigned cls, int line) {
    ck_assert_uint_eq(seen[i].op, kind);
    ck_assert_msg(seen[i].cls == cls, "operation %d: class %u", i, seen[i].cls);
    ck_assert_uint_eq(seen[i].depth, 1);
    ck_assert_int_eq(seen[i].frame[0].line, line);
}

BEFORE_TESTS(begin)

TEST(test_step) {
    step_through(4, "local function f() pause() end\n"
                    "f()\n"
                    "local a = {}\n"
                    "a[1] = 1\n"
                    "a.x = 1\n"
                    "a.y = 1\n"
                    "local b = {}\n");
    ck_assert_int_eq(stops, 4);
    is_operation(0, LMP_OP_ALLOC, LMP_C_TABLE, 3);
    is_operation(1, LMP_OP_ALLOC, LMP_C_TABLE_PART, 4);
    ck_assert_int_eq(seen[2].frame[0].line, 5);
    step_through(1, "pause() local a = {}"); /* one only, and it goes on */
    ck_assert_int_eq(stops, 1);
    step_through(1 << 20, "local t = {} for i = 1, 20 do t[i] = {'k' .. i} end\n"
                          "pause() t = nil collectgarbage() enough() t = {}");
    ck_assert_int_gt(stops, 60);
    ck_assert_int_ge(tables_freed, 21);
}

/* A C library that says any size of its block. */
static int api_wrong(lua_State *T) {
    void *ud;
    lua_Alloc alloc = lua_getallocf(T, &ud);
    void *block = alloc(ud, NULL, 0, 100);
    block = alloc(ud, block, 7, 300);
    alloc(ud, block, 0, 0);
    return 0;
}

TEST(test_step_other_sizes) {
    lua_register(L, "wrong", api_wrong);
    step_through(4, "pause() wrong() local t = {}");
    ck_assert_uint_eq(seen[1].old_size, 100);
    ck_assert_uint_eq(seen[2].old_size, 300);
}

/* ---- stacks ---------------------------------------------------------------------------------- */

static int moved, looked_at; /* operations that moved a stack, and others */

static bool note_stack(void) {
    bool moves = op.op != LMP_OP_ALLOC &&
                 (op.cls == LMP_C_THREAD_PART || op.cls == LMP_C_THREAD || op.cls == LMP_C_NONE);
    moved += moves;
    looked_at += !moves;
    if (moves) {
        ck_assert_uint_eq(op.depth, 0);
        ck_assert_uint_eq(op.locals_state, LMP_LOCALS_NOT_NOW);
    } else {
        ck_assert_msg(op.depth > 0, "operation %u of class %u", op.op, op.cls);
        ck_assert_uint_ne(op.locals_state, LMP_LOCALS_NOT_NOW);
    }
    return note_step();
}

/* A stack that moves, or may do so, is not looked at; any other operation's is. */
TEST(test_stack_that_moves) {
    for (int lines = 0; lines < 2; lines++) {
        begin_as(lines, false);
        moved = looked_at = 0;
        lua_register(L, "pause", api_pause);
        lua_register(L, "enough", api_enough);
        on_pause = note_stack;
        stops = 0;
        wanted = 1 << 20;
        run("local function deep(n) if n > 0 then return {deep(n - 1)} end end\n"
            "local co = coroutine.create(deep)\n"
            "pause() coroutine.resume(co, 100) enough() local t = {}");
        ck_assert_int_ge(moved, 3);
        ck_assert_int_gt(looked_at, 100);
    }
}

/* ---- what is answered meanwhile -------------------------------------------------------------- */

static int turn;
static uint32_t marks_before;
static uint64_t collections_before, string[2], object;

/* The contents of two strings are wished, and of what is none; a mark; and a collection. */
static bool ask(void) {
    if (turn == 0) {
        uint64_t addr[] = {string[0], string[0] + 16, object, 1, string[1]};
        view_preview(view, addr, 5, false);
        view_mark(view);
        view_collect(view);
        marks_before = view->live->marks;
        collections_before = view->live->gc.cycles;
        turn = 1;
        return false;
    }
    ck_assert(view_preview_ready(view));
    const LmpPreview *preview = view->live->preview;
    ck_assert_uint_eq(view->live->preview_count, 5);
    ck_assert_uint_eq(preview[0].valid, 1);
    ck_assert_uint_eq(preview[0].addr, string[0]);
    ck_assert_uint_eq(preview[0].size, 50);
    ck_assert_uint_eq(preview[0].shown, 50);
    ck_assert_mem_eq(preview[0].bytes, "xxxxxxxxxxxxxxxxxxxxyyyyyyyyyyyyyyyyyyyyyyyyyyyyyy", 50);
    ck_assert_uint_eq(preview[4].valid, 1);
    ck_assert_uint_eq(preview[4].size, 1000);
    ck_assert_uint_eq(preview[4].shown, LMP_PREVIEW_BYTES);
    for (unsigned i = 0; i < LMP_PREVIEW_BYTES; i++)
        ck_assert_int_eq(preview[4].bytes[i], '0' + i % 10);
    ck_assert_uint_eq(preview[2].valid, LMP_PREVIEW_SHAPE); /* a table without keys */
    for (int i = 1; i < 4; i++) {
        if (i != 2) ck_assert_uint_eq(preview[i].valid, LMP_PREVIEW_NONE);
        ck_assert_uint_eq(preview[i].shown, 0);
    }
    const LmpLive *live = view->live;
    ck_assert_uint_eq(live->marks, marks_before + 1);
    ck_assert_uint_eq(live->mark_done, view->control->mark);
    const LmpMark *mark = &live->mark[marks_before % LMP_MARKS];
    char name[40];
    snprintf(name, sizeof name, "mark %u", marks_before + 1);
    ck_assert_str_eq(mark->name, name);
    uint64_t bytes = 0, made = 0, freed = 0;
    LmpClassTotal total[LMP_CLASSES];
    counters_read(&live->counters, total);
    for (unsigned cls = 1; cls < LMP_C_COUNTED; cls++) {
        bytes += mark->class_live[cls];
        made += mark->class_made[cls];
        freed += total[cls].free_bytes;
    }
    ck_assert_uint_eq(bytes, live->counters.live_bytes);
    ck_assert_uint_eq(made, bytes + freed);
    ck_assert_uint_ne(live->collect_done, view->control->collect); /* not in here */
    turn = 2;
    return true;
}

TEST(test_answers) {
    lua_register(L, "pause", api_pause);
    turn = 0;
    on_pause = ask;
    run("object = {} short, long = ('x'):rep(20) .. ('y'):rep(30), ('0123456789'):rep(100)");
    lua_getglobal(L, "short");
    lua_getglobal(L, "long");
    for (int i = 0; i < 2; i++)
        string[i] = (uintptr_t)lua_topointer(L, i + 1);
    lua_getglobal(L, "object");
    object = (uintptr_t)lua_topointer(L, -1);
    lua_settop(L, 0);
    run("pause() local a = {}");
    ck_assert_int_eq(turn, 2);
    run("for i = 1, 10 do local a = {} end");
    ck_assert_uint_eq(view->live->collect_done, view->control->collect); /* but soon after */
    ck_assert_uint_gt(view->live->gc.cycles, collections_before);
    ck_assert_uint_eq(view->live->marks, marks_before + 1); /* once */
    profiler_mark(L, "named");
    ck_assert_str_eq(view->live->mark[(marks_before + 1) % LMP_MARKS].name, "named");
}

static bool die(void) {
    viewer_alive = false;
    return false;
}

/* A viewer that is gone holds nobody. */
TEST(test_viewer_died_in_pause) {
    lua_register(L, "pause", api_pause);
    on_pause = die;
    run("pause() local a = {} a = {} a = {}");
    ck_assert_int_eq(pauses, 1);
    ck_assert_uint_eq(atomic_load(&view->control->pause), 0);
    ck_assert_uint_eq(atomic_load(&view->live->state), LMP_RUNNING);
}
