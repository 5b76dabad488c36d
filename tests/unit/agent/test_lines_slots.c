/* Tests of lines.c: in which slots of the first cache answers are, which they evict, and what of
 * that the second cache has (lines_fixture.h). */
#include "lines_fixture.h"

static unsigned index_of(const LmpLineSlot *slot) {
    return (unsigned)(slot - cache.slot);
}

/* The slots of a place: its own, and the one beside. */
static LmpLineSlot *own(const LmpWhere *w) {
    return lines_slot(&cache, lines_key(w->pc, p.tag) | (w->cfn ? LMP_LINE_C : 0), w->cfn);
}
static LmpLineSlot *beside(const LmpWhere *w) {
    return lines_beside(&cache, own(w));
}

static bool is_in(const LmpLineSlot *slot, const LmpWhere *w) {
    return slot->key == (lines_key(w->pc, p.tag) | (w->cfn ? LMP_LINE_C : 0)) &&
           slot->cfn == w->cfn;
}

static void occupy(LmpLineSlot *slot, uint64_t key) {
    *slot = (LmpLineSlot){.key = key};
    for (unsigned cls = 1; cls < LMP_C_COUNTED; cls++)
        slot->row[cls] = 3; /* not what is asked for */
}

/* The second cache has the record of a place. */
static uint32_t in_second(const LmpWhere *w, unsigned cls) {
    const LmpCode *c = codes_find(&codes, (uintptr_t)code[0]);
    LmpLineEntry like = {.key = lines_key(w->pc, p.tag) | (w->cfn ? LMP_LINE_C : 0),
                         .cfn = w->cfn,
                         .life = c->life,
                         .cls = cls};
    return line_l2_find(&cache.l2, &like);
}

static LmpCode *code_0(void) {
    return codes_find(&codes, (uintptr_t)code[0]);
}

/* Its own if that is free, else the one beside; of two that are taken each in its turn. */
TEST(where_an_answer_goes) {
    static const struct {
        bool own, beside, odd, to_own, pushes;
    } row[] = {
        {false, false, false, true, false}, {false, false, true, true, false},
        {false, true, false, true, false},  {false, true, true, true, false},
        {true, false, false, false, false}, {true, false, true, false, false},
        {true, true, false, false, true},   {true, true, true, true, true},
    };
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        for (unsigned c = 0; c < 2; c++) {
            begin();
            LmpWhere w = at(0, 3, c);
            if (row[i].own) occupy(own(&w), 8);
            if (row[i].beside) occupy(beside(&w), 16);
            cache.pushed = row[i].odd ? 5 : 4;
            uint32_t r = ask(&w, LMP_C_STRING);
            ck_assert_uint_eq(r, right(0, 3, c, LMP_C_STRING));
            const LmpLineSlot *to = row[i].to_own ? own(&w) : beside(&w);
            const LmpLineSlot *other = row[i].to_own ? beside(&w) : own(&w);
            ck_assert_msg(is_in(to, &w) && !is_in(other, &w), "row %zu", i);
            ck_assert(to->row[LMP_C_STRING] == r && to->row[LMP_C_TABLE] == 0);
            ck_assert_uint_eq(cache.pushed, (row[i].odd ? 5 : 4) + row[i].pushes);
            ck_assert_uint_eq(in_second(&w, LMP_C_STRING), row[i].pushes ? r : 0);
            ck_assert_int_eq(code_0()->more, row[i].pushes);
            unsigned before = queries;
            ask(&w, LMP_C_STRING); /* it is found there */
            ck_assert_uint_eq(queries, before);
        }
    }
}

/* What is there already stays there, whoever is beside, and whatever else is learned of it. */
TEST(where_an_answer_is) {
    for (unsigned n = 0; n < 8; n++) {
        begin();
        LmpWhere w = at(0, 3, 0);
        answer.wants = function_row(0); /* all is looked up */
        bool in_beside = n & 1;
        if (in_beside) occupy(own(&w), 8);
        uint32_t r = ask(&w, LMP_C_STRING);
        if (n & 2) occupy(in_beside ? own(&w) : beside(&w), 16);
        if (!(n & 2)) own(&w)->key = in_beside ? 0 : own(&w)->key;
        cache.pushed = n >> 2;
        LmpLineSlot *is = in_beside ? beside(&w) : own(&w);
        uint32_t table = ask(&w, LMP_C_TABLE);
        if (n & 2 || !in_beside) {
            ck_assert(is_in(is, &w) && is->row[LMP_C_STRING] == r);
            ck_assert_uint_eq(is->row[LMP_C_TABLE], table);
            ck_assert_uint_eq(cache.pushed, n >> 2);
            ck_assert_uint_eq(in_second(&w, LMP_C_TABLE), 0);
        }
    }
}

/* A slot has the same place with another C function. */
TEST(two_c_functions_at_a_place) {
    begin();
    LmpWhere w = at(0, 3, 1);
    occupy(own(&w), w.pc | LMP_LINE_C);
    own(&w)->cfn = c_function(3);
    uint32_t r = ask(&w, LMP_C_STRING);
    ck_assert_uint_eq(r, right(0, 3, 1, LMP_C_STRING));
    ck_assert(is_in(beside(&w), &w) && own(&w)->cfn == c_function(3) && cache.pushed == 0);
    unsigned before = queries;
    ck_assert_uint_eq(ask(&w, LMP_C_STRING), r);
    ck_assert_uint_eq(queries, before);
    beside(&w)->cfn = c_function(2);
    beside(&w)->row[LMP_C_STRING] = 3;
    code_0()->more = false;
    ck_assert_uint_eq(ask(&w, LMP_C_STRING), r);
    ck_assert(is_in(beside(&w), &w) && cache.pushed == 1);
    ck_assert(beside(&w)->row[LMP_C_STRING] == r && beside(&w)->row[LMP_C_TABLE] == 0);
    ck_assert_uint_eq(in_second(&w, LMP_C_STRING), r);
    beside(&w)->cfn = c_function(2); /* the next one goes to its own */
    ck_assert_uint_eq(ask(&w, LMP_C_STRING), r);
    ck_assert(is_in(own(&w), &w) && beside(&w)->cfn == c_function(2));
}

/* Where others of the code may be in the second cache, an answer goes there, too. */
TEST(more_in_the_second_cache) {
    begin();
    LmpWhere w = at(0, 3, 0);
    ask(&w, LMP_C_STRING);
    uint32_t table = ask(&w, LMP_C_TABLE);
    ck_assert_uint_eq(in_second(&w, LMP_C_TABLE), 0);
    code_0()->more = true;
    uint32_t part = ask(&w, LMP_C_TABLE_PART);
    ck_assert(in_second(&w, LMP_C_TABLE_PART) == part && cache.pushed == 0);
    own(&w)->row[LMP_C_TABLE_PART] = 0;
    unsigned asked = records_asked;
    ck_assert_uint_eq(ask(&w, LMP_C_TABLE_PART), part); /* from there */
    ck_assert(records_asked == asked && own(&w)->row[LMP_C_TABLE_PART] == part);
    occupy(own(&w), 8);
    occupy(beside(&w), 16);
    cache.pushed = 1;
    ck_assert_uint_eq(ask(&w, LMP_C_TABLE_PART), part); /* and into its slot again */
    ck_assert(records_asked == asked && is_in(own(&w), &w) && cache.pushed == 2);
    ck_assert_uint_eq(ask(&w, LMP_C_TABLE), table);
    w = at(0, 9, 0); /* a place with a slot of its own needs no other */
    ask(&w, LMP_C_STRING);
    ck_assert_uint_eq(in_second(&w, LMP_C_STRING), 0);
}

/* A slot of the place has nothing, or the code is not known any more. */
TEST(nothing_to_go_by) {
    begin();
    LmpWhere w = at(0, 3, 0);
    occupy(own(&w), w.pc);
    memset(own(&w)->row, 0, sizeof own(&w)->row);
    for (unsigned i = 0; i < 2; i++) {
        memset(own(&w)[1 + i].row, 1, sizeof own(&w)->row);
        ck_assert_uint_eq(ask(&w, LMP_C_STRING), right(0, 3, 0, LMP_C_STRING));
    }
    ck_assert_uint_eq(queries, 1);
    LmpCode gone;
    ck_assert(codes_take(&codes, (uintptr_t)code[0], &gone));
    ck_assert_uint_eq(ask(&w, LMP_C_TABLE), right(0, 3, 0, LMP_C_TABLE));
    ck_assert_uint_eq(queries, 2);
    own(&w)->row[LMP_C_STRING] = own(&w)->row[LMP_C_TABLE] = record_row(UNKNOWN, LMP_C_STRING);
    record[record_row(UNKNOWN, LMP_C_STRING)].site = UNKNOWN;
    ck_assert_uint_eq(ask(&w, LMP_C_USERDATA), right(0, 3, 0, LMP_C_USERDATA));
    ck_assert_uint_eq(queries, 3);
}

TEST(parts_that_are_known_stay) {
    begin();
    code[0][3] = instruction(LMP_OP_NEWTABLE, 1, 1);
    answer.wants = function_row(0);
    uint32_t part = ask_table(0, 4, LMP_C_TABLE_PART);
    code_0()->more = true;
    ask_table(0, 4, LMP_C_TABLE);
    const LmpLineSlot *slot =
        lines_look(&cache, pc_of(0, 4) | LMP_LINE_FLAGS, (uintptr_t)protos[0]);
    ck_assert_uint_eq(slot->row[LMP_C_TABLE_PART], part);
}

/* A slot is where code had an answer once, and has another's now. */
TEST(what_dies_leaves_the_others) {
    begin();
    LmpWhere a = at(0, 3, 0);
    ask(&a, LMP_C_STRING);
    LmpWhere b = at(1, 400, 0);
    ask(&b, LMP_C_STRING);
    codes_note_home(&codes, code_0(), index_of(own(&b)) % LMP_HOMES);
    ck_assert(dies(0) && !is_in(own(&a), &a) && is_in(own(&b), &b));
}

/* Where it is when the cache has grown. */
static unsigned index_then(const LmpWhere *w) {
    size_t mask = cache.mask;
    cache.mask = (2 * LMP_LINE_LEAST - 1) * sizeof *cache.slot;
    unsigned i = index_of(own(w));
    cache.mask = mask;
    return i;
}

/* There is no room for an answer, so the cache grows; its slot is a new one then, in a pair that
 * growth_loses_nothing leaves alone. */
static void push_once_more(void) {
    LmpWhere w = at(2, 2, 0);
    for (int n = 0; index_then(&w) % 4 != 2 || index_then(&w) < LMP_LINE_LEAST; n++)
        w = at(n / CODE, (unsigned)n % CODE, 0);
    occupy(own(&w), w.pc + (1 << 20)); /* whose slots these are */
    occupy(beside(&w), w.pc + (2 << 20));
    cache.pushed = LMP_LINE_LEAST / 8 - 1;
    ask(&w, LMP_C_STRING);
    ck_assert_uint_eq(cache.mask, (2 * LMP_LINE_LEAST - 1) * sizeof *cache.slot);
    ck_assert(is_in(own(&w), &w) || is_in(beside(&w), &w));
}

TEST(empty_slots_move_nowhere) {
    begin();
    occupy(&cache.slot[1], 1 * LMP_INSTRUCTION);
    push_once_more();
    ck_assert_uint_eq(cache.slot[1].key, 1 * LMP_INSTRUCTION);
}

/* Nothing is lost when the cache grows: what was beside another is there again. */
TEST(growth_loses_nothing) {
    static bool taken[2 * LMP_LINE_LEAST], asked[PROTOS * CODE];
    begin();
    memset(taken, 0, sizeof taken);
    memset(asked, 0, sizeof asked);
    for (unsigned n = 0; n < PROTOS * CODE; n++) {
        LmpWhere w = at((int)(n / CODE), n % CODE, 0);
        unsigned i = index_of(own(&w));
        if (i % 4 != 1 || taken[i ^ 1]) continue; /* two for each of these pairs */
        taken[taken[i] ? i ^ 1 : i] = asked[n] = true;
        ask(&w, LMP_C_STRING);
    }
    ck_assert(taken[0] && taken[1] && cache.pushed == 0);
    unsigned before = queries;
    for (int round = 0; round < 2; round++) {
        for (unsigned n = 0; n < PROTOS * CODE; n++) {
            LmpWhere w = at((int)(n / CODE), n % CODE, 0);
            if (!asked[n]) continue;
            ck_assert_uint_eq(ask(&w, LMP_C_STRING),
                              right((int)(n / CODE), (int)(n % CODE), 0, LMP_C_STRING));
        }
        ck_assert_uint_eq(queries, before);
        if (round == 1) break;
        push_once_more();
        line_l2_close(&cache.l2);
        before = queries;
    }
}
