/* Tests of the rules by which a block without a type tag gets its owner where the call sites are
 * not known (owner.h): by what was requested just before it. */
#include "agent/interp/owner.h"

#include <string.h>

#include "suite.h"

static LmpOwnerRules rules;
static LmpProfile p;

static void set_up(void) {
    memset(&p, 0, sizeof p);
    rules = (LmpOwnerRules){0};
    p.rules = &rules;
}

static unsigned object(unsigned cls, size_t size) {
    ck_assert_uint_eq(owner_by_rules(&p, cls, size), cls); /* its own tag says it */
    return cls;
}

BEFORE_TESTS(set_up)

TEST(parts_follow_their_objects) {
    object(LMP_C_THREAD, 200);
    ck_assert_uint_eq(owner_by_rules(&p, 0, 720), LMP_C_THREAD_PART);  /* its stack */
    object(LMP_C_USERDATA, 48);                                        /* the box of a buffer, */
    ck_assert_uint_eq(owner_by_rules(&p, 0, 2048), LMP_C_STRING_PART); /* its contents */
    object(LMP_C_USERDATA, 49); /* any other userdata: what comes next is not a buffer's */
    ck_assert_uint_eq(owner_by_rules(&p, 0, 100), LMP_C_OTHER);
    object(LMP_C_TABLE, 56);
    for (int i = 0; i < 3; i++) /* array and hash part, whatever their sizes */
        ck_assert_uint_eq(owner_by_rules(&p, 0, 100), LMP_C_TABLE_PART);
}

TEST(by_size_where_nothing_came_before) {
    ck_assert_uint_eq(owner_by_rules(&p, 0, 32), LMP_C_TABLE_PART); /* values of 16 bytes, */
    ck_assert_uint_eq(owner_by_rules(&p, 0, 72), LMP_C_TABLE_PART); /* nodes of 24 */
    ck_assert_uint_eq(owner_by_rules(&p, 0, 50), LMP_C_OTHER);
    ck_assert_uint_eq(owner_by_rules(&p, 0, 64), LMP_C_OTHER); /* as large as a CallInfo */
    object(LMP_C_THREAD, 200);
    owner_by_rules(&p, 0, 720);
    ck_assert_uint_eq(owner_by_rules(&p, 0, 720), LMP_C_TABLE_PART); /* one stack each */
}

/* While a prototype is filled, vectors are the parser's. */
TEST(in_doubt_while_it_parses) {
    object(LMP_C_FUNCTION_PART, 120);
    ck_assert_uint_eq(owner_by_rules(&p, 0, 32), LMP_C_OTHER);
    ck_assert_uint_eq(owner_by_rules(&p, 0, 72), LMP_C_OTHER);
    object(LMP_C_STRING, 30); /* something else is made: it is over */
    ck_assert_uint_eq(owner_by_rules(&p, 0, 32), LMP_C_TABLE_PART);
    object(LMP_C_FUNCTION_PART, 40); /* an upvalue is no prototype */
    ck_assert_uint_eq(owner_by_rules(&p, 0, 32), LMP_C_TABLE_PART);
}
