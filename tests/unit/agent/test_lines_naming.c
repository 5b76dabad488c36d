/* Tests of lines.c: which functions are asked for a name and how often, stripped ones, and what is
 * known of the interpreter when the lines are opened (lines_fixture.h). */
#include "lines_fixture.h"

/* ---- names ----------------------------------------------------------------------------------- */

TEST(while_a_name_is_wanted) {
    begin();
    answer.wants = function_row(0);
    for (unsigned i = 1; i <= 3; i++) {
        LmpWhere w = at(0, 3 * i, 0);
        ck_assert_uint_eq(ask(&w, LMP_C_STRING), right(0, 3 * (int)i, 0, LMP_C_STRING));
        ck_assert_uint_eq(ask(&w, LMP_C_TABLE), right(0, 3 * (int)i, 0, LMP_C_TABLE));
        ck_assert(named == 2 * i && queries == named);
        ck_assert_uint_eq(ask(&w, LMP_C_TABLE), right(0, 3 * (int)i, 0, LMP_C_TABLE));
        ck_assert_uint_eq(named, 2 * i);
    }
    answer.wants = 0;
    LmpWhere w = at(0, 3, 0);
    ask(&w, LMP_C_USERDATA); /* beside the others */
    ck_assert_uint_eq(queries, 6);
    w = at(0, 20, 0);
    ask(&w, LMP_C_STRING);
    ck_assert(named == 6 && queries == 7);
}

/* The function of prototype 0 at that place, called by the one of `caller` at its place. */
static LmpWhere called(unsigned place, int caller, uintptr_t caller_pc) {
    enter(1, 0);
    call_closure(1, closures[caller], caller_pc);
    call_closure(1, closures[0], pc_of(0, place));
    return (LmpWhere){.L = thread(1), .runs = thread(1), .ci = top(1), .pc = pc_of(0, place)};
}

enum { BUDGET = 16 * 1024 + 16 * CODE }; /* instructions that may be read of a caller's code */

TEST(the_caller_is_read_so_often) {
    begin();
    answer.wants = function_row(0);
    unsigned reads = BUDGET / CODE;
    for (unsigned i = 0; i < reads + 9; i++) { /* of its first byte each time */
        LmpWhere w = called(i, 1, pc_of(1, CODE - 1));
        ask(&w, LMP_C_STRING);
        ck_assert_uint_eq(named, i < reads ? i + 1 : reads);
        ck_assert_uint_eq(queries, i + 1);
    }
    LmpWhere w = called(200, 2, pc_of(2, CODE - 1)); /* another caller */
    ask(&w, LMP_C_STRING);
    ck_assert_uint_eq(named, reads + 1);
    codes_find(&codes, (uintptr_t)code[1])->read -= 8;
    w = called(201, 1, pc_of(1, 8));
    ask(&w, LMP_C_STRING);
    ck_assert_uint_eq(named, reads + 1);
    w = called(202, 1, pc_of(1, 7));
    ask(&w, LMP_C_STRING);
    ck_assert_uint_eq(named, reads + 2);
}

TEST(which_callers_are_read) {
    begin();
    answer.wants = function_row(0);
    LmpWhere w = called(0, 1, pc_of(1, CODE - 1) + 4); /* not within its code */
    ask(&w, LMP_C_STRING);
    w = called(1, 1, (uintptr_t)code[1] - 4);
    ask(&w, LMP_C_STRING);
    ck_assert(named == 0 && queries == 2);
    w = called(2, 1, pc_of(1, 3));
    put(t[1].slot[2], LMP_AT_SLOT_TAG, 0); /* no function */
    ask(&w, LMP_C_STRING);
    ck_assert(named == 0 && queries == 3);
    put(t[1].slot[2], LMP_AT_SLOT_TAG, LMP_TAG_LIGHT_C);
    set_status(frame(1, 1), LMP_CI_C); /* nothing to read in it: so it may */
    w.pc = pc_of(0, 4);
    ask(&w, LMP_C_STRING);
    ck_assert(named == 1 && queries == 4);
    put(t[1].slot[2], LMP_AT_SLOT_TAG, LMP_TAG_LUA_CLOSURE);
    put(frame(1, 1), LMP_AT_CI_PREVIOUS, 0); /* nor in the bottom frame, */
    set_status(frame(1, 1), 0);
    codes_noted = 0;
    w.pc = pc_of(0, 5);
    ask(&w, LMP_C_STRING);
    put(frame(1, 2), LMP_AT_CI_PREVIOUS, 0); /* nor in none */
    w.pc = pc_of(0, 6);
    ask(&w, LMP_C_STRING);
    ck_assert(named == 3 && codes_noted == 2);
    answer.no_code = true;
    w = called(7, 3, pc_of(3, 3));
    ask(&w, LMP_C_STRING);
    ck_assert_uint_eq(named, 3);
}

/* The caller's code is new, and what is known of all code has to move. */
TEST(what_is_known_of_code_moves) {
    begin();
    bool added;
    for (uintptr_t i = 1; codes.used < codes.slots / 2 - 1; i++)
        codes_note(&codes, i * 64, &added);
    uint32_t slots = codes.slots;
    LmpWhere w = called(2, 1, pc_of(1, 3));
    ck_assert_uint_eq(ask(&w, LMP_C_STRING), right(0, 2, 0, LMP_C_STRING));
    ck_assert_uint_eq(codes.slots, 2 * slots);
    ck_assert_uint_eq(codes_find(&codes, (uintptr_t)code[0])->function, function_row(0));
    ck_assert_uint_eq(codes_find(&codes, (uintptr_t)code[1])->read, 4);
}

TEST(no_room_for_a_function) {
    begin();
    answer.function = OTHERS;
    for (unsigned i = 1; i <= 2; i++) {
        LmpWhere w = at(0, i, 0);
        ck_assert_uint_eq(ask(&w, LMP_C_STRING), record_row(OTHERS, LMP_C_STRING));
        ck_assert_uint_eq(full_queries, i);
        ck_assert_uint_eq(codes_find(&codes, w.pc - (i + 1) * 4)->function, 0);
        ask(&w, LMP_C_TABLE);
        ck_assert_uint_eq(full_queries, ++i);
    }
}

/* ---- stripped functions ---------------------------------------------------------------------- */

TEST(a_function_without_lines) {
    begin();
    answer.lineless = true;
    for (int i = 1; i <= 3; i++) {
        LmpWhere w = at(0, (unsigned)i, 0);
        ck_assert_uint_eq(ask(&w, LMP_C_STRING), right(0, -1, 0, LMP_C_STRING));
        ck_assert_uint_eq(queries, 1); /* if one instruction has none, all have none */
    }
}

TEST(stripped_ones_are_kept) {
    static const struct {
        const char *source;
        bool looks, others, kept;
    } row[] = {{"=?", true, false, true},  {"=?", false, false, false},
               {"=?", true, true, false},  {"=?x", true, false, false},
               {"@?", true, false, false}, {"=x", true, false, false}};
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        begin();
        answer.source = row[i].source;
        answer.looks = row[i].looks;
        answer.function = row[i].others ? OTHERS : 0;
        LmpWhere w = at(2, 1, 0);
        ask(&w, LMP_C_STRING);
        ck_assert_uint_eq(kept_stripped, row[i].kept);
        if (row[i].kept) ck_assert_uint_eq(kept_hash, (uintptr_t)protos[2]);
    }
}

/* Only where prototypes have said the same as the API, and never another thing. */
TEST(stripped_ones_are_known) {
    for (int agreed = 0; agreed < 2; agreed++) {
        for (int differed = 0; differed < 2; differed++) {
            for (int looks = 0; looks < 2; looks++) {
                begin();
                cache.agreed = agreed;
                cache.differed = differed;
                answer.looks = looks;
                answer.known = function_row(7);
                bool known = agreed && !differed && looks;
                LmpWhere w = at(2, 1, 0);
                ck_assert_uint_eq(ask(&w, LMP_C_STRING), known ? right(7, -1, 0, LMP_C_STRING)
                                                               : right(2, 1, 0, LMP_C_STRING));
                ck_assert_uint_eq(queries, !known);
            }
        }
    }
    begin();
    LmpWhere w = at(2, 1, 0);
    ask(&w, LMP_C_STRING);
    ck_assert(cache.agreed && !cache.differed);
    answer.looks = true;
    answer.known = function_row(7);
    w = at(2, 2, 0); /* whose function is known already */
    ck_assert_uint_eq(ask(&w, LMP_C_STRING), right(2, 2, 0, LMP_C_STRING));
    answer.disagrees = true;
    answer.looks = false;
    w = at(3, 1, 0);
    ask(&w, LMP_C_STRING);
    ck_assert(cache.agreed && cache.differed);
}

/* ---- opening --------------------------------------------------------------------------------- */

static int opened, looking;
static bool no_codes, no_plan;
static const LmpSavedRegsPlan *threads_of;

bool __real_codes_open(LmpCodes *c);
bool __wrap_codes_open(LmpCodes *c);
bool __wrap_codes_open(LmpCodes *c) {
    opened++;
    return !no_codes && __real_codes_open(c);
}
bool __wrap_saved_regs_none(void);
bool __wrap_saved_regs_none(void) {
    return answer.no_regs;
}
const LmpSavedRegsPlan *__wrap_saved_regs_plan(void);
const LmpSavedRegsPlan *__wrap_saved_regs_plan(void) {
    return no_plan ? NULL : &plan;
}
bool __wrap_frames_fit(lua_State *L);
bool __wrap_frames_fit(lua_State *L) {
    (void)L;
    return !answer.unfit;
}
void __wrap_inspect_open(LmpProfile *q);
void __wrap_inspect_open(LmpProfile *q) {
    (void)q;
    looking++;
}
void __wrap_inspect_close(LmpProfile *q);
void __wrap_inspect_close(LmpProfile *q) {
    (void)q;
    looking--;
}
void __wrap_owner_note_threads(const LmpSavedRegsPlan *of);
void __wrap_owner_note_threads(const LmpSavedRegsPlan *of) {
    threads_of = of;
}
int __wrap_stack_chain(lua_State *main, lua_State *chain[LMP_CHAIN]);
int __wrap_stack_chain(lua_State *main, lua_State *chain[LMP_CHAIN]) {
    ck_assert_ptr_eq(main, thread(MAIN));
    for (int i = 0; i < answer.chain; i++)
        chain[i] = thread(20 + i);
    return answer.chain;
}

static bool is_known(int i) {
    return p.lines->known[lines_known_home(thread(i))] == thread(i);
}

static void open_anew(LmpErr expected) {
    p.lines = NULL;
    p.regs = &plan;
    threads_of = NULL;
    looking = 0;
    p.object_ret = 0;
    ck_assert_int_eq(lines_open(&p, thread(1)), expected);
}

TEST(opened_and_closed) {
    begin();
    answer.chain = 3;
    plan.objects = (LmpAsker){0x1234, 5, false};
    p.owners = (const struct LmpCallClasses *)&plan;
    open_anew(LMP_OK);
    ck_assert(p.framed && p.regs == &plan && threads_of == &plan && looking == 1);
    ck_assert(p.object_ret == 0x1234 && p.object_thread == 5);
    ck_assert(live.tables.lines == LMP_LINES_EXACT && live.tables.why == LMP_WHY_CHECK);
    ck_assert(p.lines->jumps && p.lines->mask == (LMP_LINE_LEAST - 1) * sizeof(LmpLineSlot));
    ck_assert(is_known(1) && is_known(20) && is_known(22) && !is_known(23) && !is_known(19));
    lines_close(&p);
    ck_assert(!p.lines && !p.regs && looking == 0);
    lines_close(&p); /* it was not open */
    ck_assert_int_eq(looking, 0);
}

TEST(opened_without) {
    for (int lack = 0; lack < 5; lack++) {
        begin();
        answer.chain = 1;
        plan.objects = (LmpAsker){0x1234, 5, false};
        p.owners = lack == 0 ? NULL : (const struct LmpCallClasses *)&plan;
        answer.no_regs = lack == 1;
        answer.unfit = lack == 2;
        no_plan = lack == 3;
        plan.differed = lack == 4;
        if (lack == 2) frames_bits.at_jump = 0;
        open_anew(LMP_OK);
        ck_assert_int_eq(p.framed, lack > 2);
        ck_assert(!p.regs && !threads_of && p.object_ret == 0 && !is_known(1));
        ck_assert_int_eq(live.tables.lines, LMP_LINES_APPROXIMATE);
        ck_assert_int_eq(live.tables.why, lack == 4 ? LMP_WHY_CHECK : LMP_WHY_REGS);
        ck_assert_int_eq(p.lines->jumps, lack != 2);
        lines_close(&p);
    }
}

static void *map_but_the_first(size_t size, int fd, uint64_t offset, bool writable) {
    test_os.map = test_map;
    (void)size, (void)fd, (void)offset, (void)writable;
    return NULL;
}

TEST(opened_with_no_memory) {
    for (int maps = 0; maps < 4; maps++) {
        begin();
        p.owners = (const struct LmpCallClasses *)&plan;
        maps_left = maps;
        opened = 0;
        open_anew(maps < 3 ? LMP_E_NOMEM : LMP_OK);
        ck_assert_int_eq(opened, maps >= 2);
        maps_left = -1;
        if (maps < 3) ck_assert_ptr_null(p.lines);
        lines_close(&p);
        suite_close(); /* nothing is left mapped */
    }
    begin();
    test_os.map = map_but_the_first;
    open_anew(LMP_E_NOMEM);
    begin();
    no_codes = true;
    open_anew(LMP_E_NOMEM);
    no_codes = false;
}
