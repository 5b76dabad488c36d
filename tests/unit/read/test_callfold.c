/* Tests of callfold.c on one tree, whose rows are written here: who is in which call. Panels test
 * it against naive walks (test_flametree.c, test_treerows.c). */
#include "read/ledger/callfold.h"

#include "suite.h"

/* main calls work, which calls itself and then main. */
enum { MAIN, WORK, FUNCTIONS, NODES = 5 };

static LmpFunctionRow functions[FUNCTIONS] = {{.id = 70}, {.id = 80}};
static LmpTreeRow tree[NODES] = {
    {.first = 1, .children = 1},
    {.parent = 0, .function = MAIN, .first = 2, .children = 1},
    {.parent = 1, .function = WORK, .first = 3, .children = 1},
    {.parent = 2, .function = WORK, .first = 4, .children = 1, .shallow = {.allocs = 1}},
    {.parent = 3, .function = MAIN, .first = 5, .shallow = {.live_bytes = 8}},
};
static const Ledger ledger = {
    .functions = FUNCTIONS, .nodes = NODES, .function = functions, .tree = tree};

static void begin(CallFold *fold, const CallFolding *how) {
    ck_assert(callfold_begin(fold, &ledger, how));
    for (uint32_t i = 1; i < NODES && (how->inverted || how->value); i++)
        callfold_link(fold, i);
}

/* Opens a call and writes the calls below it: "main: 1@1, work: 2@2 3@2, ". */
static const char *below(CallFold *fold, uint32_t call) {
    static char text[200];
    size_t used = 0;
    text[0] = 0;
    ck_assert(callfold_open(fold, call));
    for (uint32_t i = 0; i < fold->call[call].children; i++) {
        const Call *c = &fold->call[fold->call[call].first + i];
        used += (size_t)snprintf(text + used, sizeof text - used,
                                 c->function == MAIN ? "main:" : "work:");
        for (uint32_t m = 0; m < c->members; m++) {
            const CallMember *member = &fold->member[c->first_member + m];
            used += (size_t)snprintf(text + used, sizeof text - used, " %u@%u", member->node,
                                     member->at);
        }
        used += (size_t)snprintf(text + used, sizeof text - used, ", ");
    }
    return text;
}

TEST(test_line_by_line) {
    OWN(callfold_free) CallFold fold = {0};
    begin(&fold, &(CallFolding){.most = UINT32_MAX});
    ck_assert_str_eq(below(&fold, CALL_ROOT), "main: 1@1, ");
    ck_assert_str_eq(below(&fold, 1), "work: 2@2, ");
    ck_assert_str_eq(below(&fold, 2), "work: 3@3, ");
    ck_assert_str_eq(below(&fold, 3), "main: 4@4, ");
    ck_assert_str_eq(below(&fold, 4), "");
    ck_assert_uint_eq(fold.call[4].depth, 4);
}

TEST(test_calls_of_itself_are_joined) {
    OWN(callfold_free) CallFold fold = {0};
    begin(&fold, &(CallFolding){.joined = true, .most = UINT32_MAX});
    ck_assert_str_eq(below(&fold, CALL_ROOT), "main: 1@1, ");
    ck_assert_str_eq(below(&fold, 1), "work: 2@2 3@2, ");
    ck_assert_str_eq(below(&fold, 2), "main: 4@4, ");
}

TEST(test_inverted_from_those_who_made_something) {
    OWN(callfold_free) CallFold fold = {0};
    begin(&fold, &(CallFolding){.inverted = true, .most = UINT32_MAX});
    ck_assert_str_eq(below(&fold, CALL_ROOT), "work: 3@3, main: 4@4, ");
    ck_assert_str_eq(below(&fold, 1), "work: 3@2, ");
    begin(&fold, &(CallFolding){.inverted = true, .joined = true, .most = UINT32_MAX});
    ck_assert_str_eq(below(&fold, CALL_ROOT), "work: 3@3, main: 4@4, ");
    ck_assert_str_eq(below(&fold, 1), "main: 3@1, ");
    ck_assert_str_eq(below(&fold, 2), "work: 4@3, ");
}

TEST(test_nodes_without_a_value_are_left_out) {
    OWN(callfold_free) CallFold fold = {0};
    const uint64_t value[NODES] = {7, 7, 7, 7, 0};
    begin(&fold, &(CallFolding){.value = value, .most = UINT32_MAX});
    below(&fold, CALL_ROOT);
    below(&fold, 1);
    below(&fold, 2);
    ck_assert_str_eq(below(&fold, 3), "");
    ck_assert_uint_eq(fold.call[3].value, 7);
    begin(&fold, &(CallFolding){.value = value, .inverted = true, .most = UINT32_MAX});
    ck_assert_str_eq(below(&fold, CALL_ROOT), "main: 1@1, work: 2@2 3@3, ");
    ck_assert_uint_eq(fold.call[2].value, 14);
}

/* A call has the same key whenever it is made, and another one than that above it, or inverted. */
TEST(test_keys) {
    OWN(callfold_free) CallFold fold = {0};
    uint64_t key[4];
    for (int round = 0; round < 2; round++) {
        begin(&fold, &(CallFolding){.most = UINT32_MAX});
        for (uint32_t i = 0; i < 4; i++) {
            below(&fold, i);
            if (round) ck_assert_uint_eq(fold.call[i].key, key[i]);
            key[i] = fold.call[i].key;
        }
    }
    ck_assert_uint_ne(key[2], key[3]); /* both are of `work` */
    begin(&fold, &(CallFolding){.inverted = true, .most = UINT32_MAX});
    ck_assert_uint_ne(fold.call[CALL_ROOT].key, key[0]);
}

TEST(test_no_more_members_than_allowed) {
    OWN(callfold_free) CallFold fold = {0};
    begin(&fold, &(CallFolding){.joined = true, .most = 3});
    ck_assert_str_eq(below(&fold, CALL_ROOT), "main: 1@1, ");
    ck_assert(!fold.cut);
    ck_assert_str_eq(below(&fold, 1), ""); /* `work` has two */
    ck_assert(fold.cut);
    ck_assert_uint_eq(fold.calls, 2);
    ck_assert_str_eq(below(&fold, 1), "");
}

static bool refuse(void *of, uint32_t call, CallMember member) {
    (void)of, (void)call, (void)member;
    return false;
}

TEST(test_who_joins_has_no_memory) {
    OWN(callfold_free) CallFold fold = {0};
    begin(&fold, &(CallFolding){.most = UINT32_MAX, .join = refuse});
    ck_assert(!callfold_open(&fold, CALL_ROOT));
    ck_assert_uint_eq(fold.calls, 1);
}
