/* Tests of newtable.c on a thread, a prototype and a table made by hand: which words are believed
 * to be a constructor's pc, whose part a request is, and when neither is known. What the
 * interpreter itself puts there: tests/truth (lines). */
#include "agent/interp/newtable.h"

#include "agent/map/shadow.h"
#include "bare_profile.h"

enum {
    TAG_TABLE = 0x45,
    MOVE = 0, /* an instruction like any other */
    EXTRA = 82,
    CODE = 8, /* instructions */
    TABLE_BYTES = LMP_SIZE_TABLE,
    WORDS = 16,
    AT_LOOP = 9,
    AT_PC = 3
};

/* ---- what the interpreter has ---------------------------------------------------------------- */

static uintptr_t thread[16], frame[8], other_frame[8], slot[12][2], proto[16], other_proto[16];
static uint32_t code[CODE];
static _Alignas(16) uintptr_t table[TABLE_BYTES / 8];
static uintptr_t words[WORDS];

#define L ((const lua_State *)(const void *)thread)

static uint32_t instruction(unsigned op, unsigned a, unsigned b, unsigned c, unsigned k) {
    return op | a << 7 | k << 15 | b << 16 | c << (16 + LMP_BITS_B);
}

static uintptr_t pc_behind(unsigned i) {
    return (uintptr_t)code + (i + 1) * sizeof *code;
}

static void put_word(uintptr_t *base, size_t at, uintptr_t word) {
    memcpy((char *)base + at, &word, sizeof word);
}

static void put_uint(uintptr_t *base, size_t at, uint32_t word) {
    memcpy((char *)base + at, &word, sizeof word);
}

/* The table has nodes of its own, or none. */
static void put_nodes(bool own) {
#if LUA_VERSION_NUM >= 505
    ((uint8_t *)table)[LMP_AT_TABLE_FLAGS] = own ? 0 : LMP_TABLE_DUMMY;
#else
    put_word(table, LMP_AT_TABLE_LASTFREE, own);
#endif
}

/* The top of the stack is above register `a` of the frame's function. */
static void put_top(unsigned a) {
    put_word(thread, LMP_AT_L_TOP, (uintptr_t)slot[1 + a + 2]);
}

/* ---- what lmp has of it ---------------------------------------------------------------------- */

static LmpProfile *p;
static LmpSavedRegsPlan plan;
static bool doubtful;

enum { RECORD = 7, REQUESTER = 0x1000, PART_REQUESTER = 0x2000, LOOP = 0x3000 };

static void end(void) {
    p->lines = NULL;
    p->regs = NULL;
    p->tree = NULL;
    p->sampling = NULL;
    bare_profile_end(p);
}

static void begin(void) {
    suite_closes(end);
    static struct LmpLineCache *some = (struct LmpLineCache *)&plan; /* that there is one counts */
    p = bare_profile();
    p->lines = some;
    p->regs = &plan;

    memset(&plan, 0, sizeof plan);
    plan.object[0] = (LmpNewtable){REQUESTER, LOOP + 1, AT_LOOP, 1, 0};
    plan.object[1] = (LmpNewtable){REQUESTER, LOOP, AT_LOOP, AT_PC, 0};
    plan.object[3] = plan.object[1]; /* behind the end */
    plan.part[0] = (LmpNewtable){PART_REQUESTER, LOOP, AT_LOOP, AT_PC, 0};
    plan.newtables = plan.newtables_met = 3;

    /* {} into register 2, with an array and a hash part, is the fourth instruction */
    for (unsigned i = 0; i < CODE; i++)
        code[i] = instruction(MOVE, 2, 1, 1, 1);
    code[3] = instruction(LMP_OP_NEWTABLE, 2, 1, 1, 0);
    code[4] = instruction(EXTRA, 0, 0, 0, 0);
    put_uint(proto, LMP_AT_PROTO_SIZECODE, CODE);
    put_word(proto, LMP_AT_PROTO_CODE, (uintptr_t)code);
    memcpy(other_proto, proto, sizeof proto);
    put_word(frame, LMP_AT_CI_FUNC, (uintptr_t)slot[1]);
    put_word(thread, LMP_AT_L_CI, (uintptr_t)frame);
    memset(slot, 0, sizeof slot);
    slot[4][0] = (uintptr_t)table;
    slot[4][1] = TAG_TABLE;
    put_top(2);
    memset(table, 0, sizeof table);
    put_nodes(false);

    memset(words, 0, sizeof words);
    words[LMP_REGS_RET] = REQUESTER;
    words[AT_LOOP] = LOOP;
    words[AT_PC] = pc_behind(4);
}

/* The table is known to the shadow map. */
static void place_table(unsigned cls, uint32_t context) {
    LmpTaken stale;
    ck_assert(shadow_place(p, (uintptr_t)table, TABLE_BYTES, cls, context, &stale));
}

static uintptr_t ask(bool object) {
    doubtful = !doubtful; /* it is always set */
    words[LMP_REGS_RET] = object ? REQUESTER : PART_REQUESTER;
    return newtable_ask(p, L, proto, words, object, &doubtful);
}

static void expect(bool object, uintptr_t pc, bool in_doubt) {
    ck_assert_uint_eq(ask(object), pc);
    ck_assert(doubtful == in_doubt);
}

/* ---- tests ----------------------------------------------------------------------------------- */

BEFORE_TESTS(begin)

TEST(parts) {
    static const struct {
        unsigned b, c, k, parts;
    } row[] = {{0, 0, 0, 0}, {0, 5, 0, 1}, {0, 0, 1, 1}, {9, 0, 0, 1},
               {9, 5, 0, 2}, {1, 0, 1, 2}, {0, 5, 1, 1}, {255, 255, 1, 2}};
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        code[3] = instruction(LMP_OP_NEWTABLE, 2, row[i].b, row[i].c, row[i].k);
        ck_assert_uint_eq(newtable_parts(pc_behind(4)), row[i].parts);
    }
}

TEST(setlist) {
    for (unsigned i = 0; i < CODE; i++)
        code[i] = instruction(LMP_OP_SETLIST, 2, 0, 0, 0);
    put_word(proto, LMP_AT_PROTO_CODE, (uintptr_t)&code[1]);
    put_uint(proto, LMP_AT_PROTO_SIZECODE, CODE - 2);
    for (unsigned i = 0; i < CODE; i++)
        ck_assert(newtable_setlist(proto, (uintptr_t)&code[i]) == (i > 0 && i < CODE - 1));
    ck_assert(!newtable_setlist(proto, (uintptr_t)&code[1] + 2)); /* within one */
    code[2] = instruction(LMP_OP_SETLIST, 2, 3, 0, 0);
    ck_assert(!newtable_setlist(proto, (uintptr_t)&code[2])); /* so many: they have their room */
    code[2] = instruction(MOVE, 2, 0, 0, 0);
    ck_assert(!newtable_setlist(proto, (uintptr_t)&code[2]));
}

/* A table: the pc is where the plan says, and right only behind an OP_NEWTABLE of that function
 * which makes the table into the register below the top. */
TEST(of_a_table) {
    expect(true, pc_behind(4), false);
    plan.object[1].ahead = 4;
    words[AT_PC] += 4;
    expect(true, pc_behind(4), false);
    plan.object[1].ahead = 0;

    const uintptr_t wrong[] = {0,
                               (uintptr_t)code,
                               pc_behind(0),
                               pc_behind(3),
                               pc_behind(5),
                               pc_behind(CODE - 1),
                               pc_behind(CODE),
                               pc_behind(4) + 1,
                               (uintptr_t)&wrong};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        words[AT_PC] = wrong[i];
        expect(true, 0, true);
    }
    words[AT_PC] = pc_behind(4);
    put_top(3); /* not of this request: the table would stand elsewhere */
    expect(true, 0, true);
    put_top(2);

    words[AT_LOOP] = LOOP + 2; /* another way than those known */
    expect(true, 0, true);
    words[AT_LOOP] = LOOP;
    plan.object[1].ret = REQUESTER + 1;
    expect(true, 0, true);
    plan.object[1].ret = REQUESTER;
    ck_assert_uint_eq(ask(true), pc_behind(4));
    plan.object[0].ret = 0; /* none is known */
    expect(true, 0, true);
}

/* One instruction that would fit stands just before the code, one ends with it. */
TEST(at_the_ends_of_code) {
    for (unsigned i = 0; i < CODE; i++)
        code[i] = instruction(LMP_OP_NEWTABLE, 2, LMP_OP_NEWTABLE, 1, 0);
    words[AT_PC] = pc_behind(CODE - 1);
    ck_assert_uint_eq(ask(true), pc_behind(CODE - 1));
    words[AT_PC] = pc_behind(1);
    ck_assert_uint_eq(ask(true), pc_behind(1));
    put_word(proto, LMP_AT_PROTO_CODE, (uintptr_t)&code[2]);
    put_uint(proto, LMP_AT_PROTO_SIZECODE, CODE - 4);
    words[AT_PC] = pc_behind(2); /* its first half is another's */
    ck_assert_uint_eq(ask(true), 0);
    words[AT_PC] = pc_behind(3);
    ck_assert_uint_eq(ask(true), pc_behind(3));
    words[AT_PC] = pc_behind(CODE - 3);
    ck_assert_uint_eq(ask(true), pc_behind(CODE - 3));
    words[AT_PC] = pc_behind(CODE - 2);
    ck_assert_uint_eq(ask(true), 0);
    words[AT_PC] = pc_behind(4) + 2; /* the halves of two look like one */
    ck_assert_uint_eq(ask(true), 0);
}

/* As many of the next requests as the constructor has parts are its own, in its frame. */
TEST(parts_to_come) {
    const uintptr_t pc = 0x123; /* is not looked at */
    p->made = (LmpMade){(const void *)frame, pc, (uintptr_t)proto, RECORD, 2, 0};
    expect(false, pc, false);
    p->made.ci = (const void *)other_frame;
    expect(false, 0, false);
    p->made.ci = (const void *)frame;
    p->made.left = 0;
    ck_assert_uint_eq(ask(false), 0);
    p->made.left = 2 | LMP_MADE_REFUSED;
    ck_assert_uint_eq(ask(false), 0);
    p->made.left = 2;
    p->sampling = (struct LmpSampling *)&plan; /* then not every request is seen */
    expect(false, 0, false);
}

/* Without that the table itself must be on top, alive and empty: else it is one that grows. */
TEST(of_an_empty_table) {
    ck_assert_uint_eq(ask(false), 0); /* the map does not know it */
    ck_assert(!newtable_has_none(p, L));
    place_table(LMP_C_FUNCTION, RECORD);
    ck_assert_uint_eq(ask(false), 0);
    place_table(LMP_C_TABLE, RECORD);
    expect(false, pc_behind(4), false);
    ck_assert(newtable_has_none(p, L));
    slot[4][1] = TAG_TABLE + 1;
    ck_assert_uint_eq(ask(false), 0);
    ck_assert(!newtable_has_none(p, L));
    slot[4][1] = TAG_TABLE;
    for (uint32_t part = 0; part < 3; part++) {
        put_uint(table, LMP_AT_TABLE_LIMIT, part == 0);
        put_word(table, LMP_AT_TABLE_ARRAY, part == 1);
        put_nodes(part == 2);
        expect(false, 0, false);
        ck_assert(!newtable_has_none(p, L));
        put_uint(table, LMP_AT_TABLE_LIMIT, 0);
        put_word(table, LMP_AT_TABLE_ARRAY, 0);
        put_nodes(false);
        ck_assert(newtable_has_none(p, L));
    }
    words[AT_PC] = pc_behind(2);
    ck_assert_uint_eq(ask(false), 0);
    words[AT_PC] = pc_behind(4);
    code[3] = instruction(LMP_OP_NEWTABLE, 2, 0, 0, 0); /* asks for no part */
    expect(false, 0, false);
}

/* Where the words have nothing, the last constructor is it if all that is known of it agrees. */
TEST(of_the_last_constructor) {
    static LmpPath path[20];
    words[AT_PC] = 0;
    place_table(LMP_C_TABLE, RECORD);
    const LmpMade last = {(const void *)frame, pc_behind(4), (uintptr_t)proto, RECORD, 0, 0};
    p->made = last;
    expect(false, pc_behind(4), false);
    p->made.ci = (const void *)other_frame;
    ck_assert_uint_eq(ask(false), 0);
    p->made = last;
    p->made.proto = (uintptr_t)other_proto;
    ck_assert_uint_eq(ask(false), 0);
    p->made = last;
    p->made.record++;
    ck_assert_uint_eq(ask(false), 0);
    p->made = last;
    code[3] = instruction(LMP_OP_NEWTABLE, 2, 0, 0, 0);
    ck_assert_uint_eq(ask(false), 0);
    code[3] = instruction(LMP_OP_NEWTABLE, 2, 0, 0, 1);
    ck_assert_uint_eq(ask(false), pc_behind(4));
    p->made.left = 1 | LMP_MADE_REFUSED; /* it is retried */
    ck_assert_uint_eq(ask(false), pc_behind(4));

    LmpPath *paths =
        p->tables.path; /* with call paths a block has its path, which has the record */
    p->tree = (struct LmpTree *)&plan;
    p->tables.path = path;
    ck_assert_uint_eq(ask(false), 0);
    path[RECORD].record = RECORD;
    ck_assert_uint_eq(ask(false), pc_behind(4));
    p->tables.path = paths;
    p->tree = NULL;
}

/* With samples the last constructor may not have been seen: in doubt where a way is not known. */
TEST(with_samples) {
    place_table(LMP_C_TABLE, RECORD);
    p->sampling = (struct LmpSampling *)&plan;
    p->made = (LmpMade){(const void *)frame, pc_behind(4), (uintptr_t)proto, RECORD, 0, 0};
    expect(false, pc_behind(4), false); /* the words know it */
    words[AT_PC] = 0;
    expect(false, 0, false);
    plan.newtables_met++;
    expect(false, 0, true);
}
