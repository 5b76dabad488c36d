/* Tests of lines_asking.c: table constructors, what of an answer is doubtful, stacks that move, and
 * the documented API where nothing else is known (asking_fixture.h). */
#include "asking_fixture.h"

#include "agent/charge/sites.h"

static struct LmpSampling *sampling_on = (struct LmpSampling *)&plan; /* that it is counts */

/* ---- table constructors ---------------------------------------------------------------------- */

enum { PC = 64, MADE_PC = 80 };

BEFORE_TESTS(begin)

TEST(a_constructor_asks) {
    static const unsigned not_of_tables[] = {LMP_C_STRING, LMP_C_FUNCTION, LMP_C_THREAD_PART};
    call_lua(1, PC);
    answer.newtable = MADE_PC;
    answer.setlist = true;
    for (int i = 0; i < 3; i++) {
        p.made = (LmpMade){.pc = MADE_PC, .left = 2};
        lines_ask(&p, asks(1), not_of_tables[i], &ask);
        ck_assert(newtables_asked == 0 && ask.constructor == 0 && p.made.left == 0);
    }
    answer.setlist = false;
    ck_assert_uint_eq(live.tables.unproven, 0);
    ck_assert_uint_eq(lines_ask(&p, asks(1), LMP_C_TABLE, &ask), FOUND);
    ck_assert(asked_object && asked_constructor == MADE_PC && ask.constructor == MADE_PC);
    ck_assert(p.made.ci == top(1) && p.made.pc == MADE_PC && p.made.proto == (uintptr_t)proto);
    ck_assert(p.made.record == FOUND && p.made.left == 2 && p.made.part == 0);
    lines_ask(&p, asks(1), LMP_C_TABLE_PART, &ask);
    ck_assert(!asked_object && ask.constructor == MADE_PC && p.made.left == 1);
    newtables_asked = 0;
    lines_ask(&p, asks(1), LMP_C_OTHER, &ask); /* perhaps the other one */
    ck_assert(newtables_asked == 1 && !asked_object && p.made.left == 0);
    lines_ask(&p, asks(1), LMP_C_OTHER, &ask);
    ck_assert(newtables_asked == 1 && live.tables.unproven == 0);
    answer.setlist = true; /* perhaps of the table that it fills */
    lines_ask(&p, asks(1), LMP_C_OTHER, &ask);
    ck_assert(newtables_asked == 1 && live.tables.unproven == 1);
    p.made.left = 2;
    answer.newtable = MADE_PC + 4; /* another one: the last has failed */
    lines_ask(&p, asks(1), LMP_C_TABLE_PART, &ask);
    ck_assert_uint_eq(p.made.left, 0);
    p.sampling = sampling_on;
    lines_ask(&p, asks(1), LMP_C_TABLE, &ask);
    ck_assert(p.made.pc == MADE_PC + 4 && p.made.left == 0);
}

TEST(it_is_doubtful) {
    call_lua(1, PC);
    answer.doubtful = true;
    site[0].unproven = 0;
    lines_ask(&p, asks(1), LMP_C_TABLE, &ask);
    ck_assert(live.tables.unproven == 1 && site[0].unproven == 1);
    ck_assert(!p.made.ci && !p.made.pc && !p.made.left && p.made.record == FOUND);
    call(1, 0, 0, 0, PC); /* no function there */
    newtables_asked = 0;
    lines_ask(&p, asks(1), LMP_C_TABLE, &ask);
    ck_assert(newtables_asked == 0);
    enter(1, 1);
    call_c(1);
    lines_ask(&p, asks(1), LMP_C_TABLE, &ask);
    enter(1, 1);
    set_status(top(1), HOOKED);
    lines_ask(&p, asks(1), LMP_C_TABLE, &ask);
    ck_assert(newtables_asked == 0 && live.tables.unproven == 1);
    set_status(top(1), STALE); /* the saved pc is an earlier one */
    lines_ask(&p, asks(1), LMP_C_STRING, &ask);
    ck_assert(newtables_asked == 0 && live.tables.unproven == 2);
    lines_ask(&p, NULL, LMP_C_STRING, &ask); /* where no registers are looked at */
    ck_assert_uint_eq(live.tables.unproven, 2);
}

/* The thread that asks is not known: who runs is, if that is in Lua code, or was named. */
TEST(who_asks_is_doubtful) {
    call_lua(1, PC);
    call_c(1);
    words[LMP_REGS_RET] = strange_ret;
    p.running = thread(1);
    lines_ask(&p, asks(1), LMP_C_TABLE, &ask);
    ck_assert(ask.L == thread(1) && live.tables.unproven == 1 && newtables_asked == 0);
    enter(1, 1);
    lines_ask(&p, asks(1), LMP_C_TABLE, &ask);
    ck_assert(ask.L == thread(1) && live.tables.unproven == 1 && newtables_asked == 1);
    call_c(1);
    words[LMP_REGS_RET] = RET;
    p.running = NULL; /* from before start: the map does not have it */
    memset(cache.known, 0, sizeof cache.known);
    t[1].entry = 0;
    cache.ran = 1;
    cache.lately[1] = thread(1);
    lines_ask(&p, asks(1), LMP_C_STRING, &ask);
    ck_assert(ask.L == thread(1) && live.tables.unproven == 1 && is_known(1));
    enter(1, 0);
    p.running = NULL;
    lines_ask(&p, asks(-1), LMP_C_STRING, &ask);
    ck_assert(!ask.L && live.tables.unproven == 2);
}

TEST(without_saved_registers) {
    static const struct {
        unsigned cls;
        bool none, doubtful;
    } row[] = {{LMP_C_TABLE, false, true},
               {LMP_C_TABLE_PART, false, false},
               {LMP_C_TABLE_PART, true, true},
               {LMP_C_STRING, true, false}};
    begin();
    p.regs = NULL;
    call_lua(1, PC);
    p.running = thread(1);
    p.made.left = 2;
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        live.tables.unproven = 0;
        answer.none = row[i].none;
        lines_ask(&p, words, row[i].cls, &ask);
        ck_assert_uint_eq(live.tables.unproven, row[i].doubtful);
    }
    ck_assert(newtables_asked == 0 && p.made.left == 2);
    set_status(top(1), STALE);
    live.tables.unproven = 0;
    lines_ask(&p, words, LMP_C_TABLE, &ask);
    ck_assert_uint_eq(live.tables.unproven, 0);
}

TEST(a_line_may_set_the_constructor) {
    call_lua(1, PC);
    answer.constructor = 96; /* of OP_SETLIST */
    lines_ask(&p, asks(1), LMP_C_STRING, &ask);
    ck_assert_uint_eq(ask.constructor, 96);
    call_c(1);
    lines_ask(&p, asks(1), LMP_C_STRING, &ask);
    ck_assert_uint_eq(ask.constructor, 0); /* it is not what asks */
}

TEST(a_line_is_learned) {
    call_lua(1, PC);
    lua_State *L = thread(1);
    ck_assert(lines_learn(&p, L, words, LMP_C_STRING));
    ck_assert(where.L == L && where.runs == L && where.ci == top(1) && where.pc == PC);
    ck_assert(!where.c && asked_constructor == 0 && newtables_asked == 0);
    ck_assert(!lines_learn(&p, L, words, LMP_C_OTHER));
    set_idle(1, true);
    ck_assert(!lines_learn(&p, L, words, LMP_C_STRING));
    set_jump(1, 1000); /* closes its variables */
    ck_assert(lines_learn(&p, L, words, LMP_C_STRING));
    frames_bits.at_jump = 0;
    ck_assert(!lines_learn(&p, L, words, LMP_C_STRING));
    set_idle(1, false);
    set_status(top(1), STALE);
    ck_assert(!lines_learn(&p, L, words, LMP_C_STRING));
    set_status(top(1), 0);
    put(t[1].slot[2], LMP_AT_SLOT_TAG, 0);
    ck_assert(!lines_learn(&p, L, words, LMP_C_STRING));
}

TEST(a_constructor_is_learned) {
    call_lua(1, PC);
    lua_State *L = thread(1);
    ck_assert(!lines_learn(&p, L, words, LMP_C_TABLE)); /* of which instruction? */
    ck_assert(asked_object && lines_learn(&p, L, words, LMP_C_TABLE_PART)); /* one that grows */
    ck_assert(!asked_object && asked_constructor == 0 && p.made.part == 0);
    answer.newtable = MADE_PC;
    ck_assert(lines_learn(&p, L, words, LMP_C_TABLE));
    ck_assert(asked_constructor == MADE_PC && p.made.part == 0);
    ck_assert(!lines_learn(&p, L, words, LMP_C_TABLE_PART)); /* none is to come */
    answer.doubtful = true;
    ck_assert(!lines_learn(&p, L, words, LMP_C_TABLE));
    answer.doubtful = false;
    p.made = (LmpMade){.pc = MADE_PC, .left = 1};
    ck_assert(!lines_learn(&p, L, words, LMP_C_STRING)); /* it has failed */
    ck_assert(lines_learn(&p, L, words, LMP_C_TABLE_PART));
    ck_assert(asked_constructor == MADE_PC && p.made.part == FOUND);
    p.made.pc = MADE_PC + 4;
    p.made.part = 0;
    ck_assert(!lines_learn(&p, L, words, LMP_C_TABLE_PART) && p.made.part == 0);
    ck_assert(lines_learn(&p, L, words, LMP_C_TABLE) && p.made.part == 0); /* the next one */
    answer.newtable = 0;
    ck_assert(!lines_learn(&p, L, words, LMP_C_TABLE_PART) && p.made.part == 0);
}

TEST(the_constructor_alone) {
    LmpCallInfo *ci = NULL;
    answer.newtable = MADE_PC;
    ck_assert_uint_eq(lines_constructor(&p, asks(-1), LMP_C_TABLE, &ci), 0);
    call_lua(1, PC);
    ck_assert_uint_eq(lines_constructor(&p, asks(1), LMP_C_TABLE, &ci), MADE_PC);
    ck_assert(asked_object && ci == top(1));
    ck_assert_uint_eq(lines_constructor(&p, asks(1), LMP_C_TABLE_PART, &ci), MADE_PC);
    ck_assert(!asked_object);
    ck_assert_uint_eq(lines_constructor(&p, asks(1), LMP_C_STRING, &ci), 0);
    set_idle(1, true);
    ck_assert_uint_eq(lines_constructor(&p, asks(1), LMP_C_TABLE, &ci), 0);
    set_idle(1, false);
    answer.newtable = 0;
    answer.setlist = true;
    ck_assert_uint_eq(lines_constructor(&p, asks(1), LMP_C_TABLE, &ci), 0);
    ck_assert_uint_eq(lines_constructor(&p, asks(1), LMP_C_TABLE_PART, &ci), PC + 4);
    answer.setlist = false;
    ck_assert_uint_eq(lines_constructor(&p, asks(1), LMP_C_TABLE_PART, &ci), 0);
    answer.newtable = MADE_PC;
    newtables_asked = 0;
    put(t[1].slot[2], LMP_AT_SLOT_TAG, 0);
    ck_assert_uint_eq(lines_constructor(&p, asks(1), LMP_C_TABLE, &ci), 0);
    put(t[1].slot[2], LMP_AT_SLOT_TAG, LMP_TAG_LUA_CLOSURE);
    set_status(top(1), HOOKED);
    ck_assert_uint_eq(lines_constructor(&p, asks(1), LMP_C_TABLE, &ci), 0);
    set_status(top(1), 0);
    call_c(1);
    ck_assert_uint_eq(lines_constructor(&p, asks(1), LMP_C_TABLE, &ci), 0);
    ck_assert_uint_eq(newtables_asked, 0);
}

/* ---- stacks that move ------------------------------------------------------------------------ */

TEST(is_it_the_stack) {
    int a = 0, b = 0;
    t[1].word[STACK] = (uintptr_t)&a;
    ck_assert(lines_is_stack(&p, asks(1), &a) && !lines_is_stack(&p, asks(1), &b));
    ck_assert(!lines_is_stack(&p, asks(-1), &a) && !lines_is_stack(&p, NULL, &a));
    t[2].word[STACK] = (uintptr_t)&b;
    ck_assert(!lines_is_stack(&p, asks(2), &a) && lines_is_stack(&p, asks(2), &b));
    cache.known[lines_known_home(thread(2))] = NULL;
    t[2].entry = 0; /* nothing says that it is a thread, */
    ck_assert(!lines_is_stack(&p, asks(2), &b));
    p.running = thread(2); /* but that it ran, */
    ck_assert(lines_is_stack(&p, asks(2), &b));
    p.running = NULL;
    cache.known[lines_known_home(thread(2))] = thread(2); /* or was met before */
    ck_assert(lines_is_stack(&p, asks(2), &b));
    p.regs = NULL;
    ck_assert(!lines_is_stack(&p, asks(1), &a));
}

/* Only a line that is known already counts, of whatever class. */
TEST(a_stack_moves) {
    uint32_t unknown = row_of(LMP_PSEUDO_UNKNOWN + 1, LMP_C_THREAD_PART);
    call_lua(1, PC);
    call_c(1);
    ck_assert_uint_eq(lines_stack_moves(&p, asks(1)), unknown);
    LmpLineSlot *slot = lines_slot(&cache, PC, 0);
    slot->key = PC;
    ck_assert_uint_eq(lines_stack_moves(&p, asks(1)), unknown);
    for (unsigned cls = 0; cls < LMP_C_COUNTED; cls++) {
        memset(slot->row, 0, sizeof slot->row);
        slot->row[cls] = FOUND + cls;
        record[FOUND + cls].site = 40 + cls;
        ck_assert_uint_eq(lines_stack_moves(&p, asks(1)),
                          cls == LMP_C_THREAD_PART ? FOUND + cls
                                                   : row_of(40 + cls, LMP_C_THREAD_PART));
    }
    slot->row[LMP_C_THREAD_PART] = FOUND;
    LmpLineSlot *beside = lines_beside(&cache, slot);
    *beside = *slot;
    *slot = (LmpLineSlot){.key = PC, .cfn = LINE_FN}; /* of a C function there: not the same */
    ck_assert_uint_eq(lines_stack_moves(&p, asks(1)), FOUND);
    *slot = (LmpLineSlot){.key = PC + LINES * 4}; /* another place */
    ck_assert_uint_eq(lines_stack_moves(&p, asks(1)), FOUND);
    beside->key = slot->key;
    ck_assert_uint_eq(lines_stack_moves(&p, asks(1)), unknown);
    cache.slot[0].row[LMP_C_THREAD_PART] = FOUND; /* what was there is forgotten */
    ck_assert_uint_eq(lines_stack_moves(&p, asks(-1)), unknown);
    put(t[9].word, LMP_AT_L_CI, 0);
    ck_assert_uint_eq(lines_stack_moves(&p, asks(9)), unknown);
    enter(1, 0);
    ck_assert_uint_eq(lines_stack_moves(&p, asks(1)), unknown);
    enter(1, 2);
    p.regs = NULL;
    ck_assert_uint_eq(lines_stack_moves(&p, asks(1)), unknown);
}

/* ---- the documented API ---------------------------------------------------------------------- */

TEST(by_the_api_alone) {
    p.framed = false;
    answer.threads = 3;
    for (int i = 0; i < 3; i++)
        answer.chain[i] = i, answer.levels[i] = 4, answer.lua_level[i] = 9;
    answer.lua_level[1] = 2;
    answer.lua_level[0] = 1;
    uint32_t row = lines_ask(&p, words, LMP_C_STRING, &ask);
    ck_assert_uint_eq(row, row_of(102, LMP_C_STRING));
    ck_assert_uint_eq(api_calls, 4 + 3);
    ck_assert(live.tables.unproven == 1 && site[102].unproven == 1 && !ask.L);
    ck_assert(p.running == thread(2) && cache.ran == 1);
    lines_ask(&p, words, LMP_C_STRING, &ask);
    ck_assert_uint_eq(cache.ran, 1);
    answer.lua_level[1] = answer.lua_level[0] = 9;
    records_asked = 0;
    for (int i = 0; i < 2; i++) {
        row = lines_ask(&p, words, LMP_C_STRING, &ask);
        ck_assert_uint_eq(row, host(LMP_C_STRING));
        ck_assert(asked_parser == thread(2) && records_asked == 1);
    }
    p.tag = 5;
    lines_ask(&p, words, LMP_C_STRING, &ask);
    ck_assert_uint_eq(records_asked, 2);
    answer.parser = true;
    row = lines_ask(&p, words, LMP_C_STRING, &ask);
    ck_assert_uint_eq(row, row_of(LMP_PSEUDO_PARSER + 1, LMP_C_STRING));
    ck_assert_uint_eq(cache.outside[1][LMP_C_STRING], 0);
}
