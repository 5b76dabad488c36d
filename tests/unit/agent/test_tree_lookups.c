/* Tests of tree.c, one for each way in which a path is found (threads and frames made by hand,
 * tree_steps_fixture.h): what is known is not looked for, and what stands in the slot of a cache,
 * but is about something else, is not taken. */
#include "tree_steps_fixture.h"

/* ---- ways ------------------------------------------------------------------------------------ */

/* Topmost frames. */
typedef enum Kind { KIND_LUA, KIND_TAIL, KIND_C, KIND_CLOSURE, KINDS } Kind;
static Kind kind;

static bool kind_is_lua(void) {
    return kind <= KIND_TAIL;
}

static void put_top(int L) {
    if (kind == KIND_CLOSURE) {
        call_wrapped(L, 70, 1, 0); /* the upvalue is no thread */
    } else if (kind == KIND_C) {
        c(L, 1);
    } else {
        lua(L, 1, 5);
        if (kind == KIND_TAIL) set_status(top(L), TAIL);
    }
}

static void same(void) {
    if (t[0].depth == 2) return;
    lua(0, 0, 3), put_top(0);
    ask(1);
}

static void returned(void) {
    same();
    c(0, 2);
    ask(1);
    ret(0);
}

static void entered(void) {
    same();
    ret(0), put_top(0);
}

/* From a frame that is known, but of which it is not known what is below. */
static void newly_called(void) {
    entered();
    tree_code_gone(&p, (uintptr_t)code[2], CODE * sizeof **code);
}

/* More than one frame is new. */
static void walked(void) {
    enter(0, 0);
    lua(0, 0, 3), put_top(0);
}

static void linked(void) {
    if (t[1].depth == 2) return;
    lua(0, 0, 3), resume(0, 1);
    lua(1, 1, 3), put_top(1);
    ask(2);
}

static void give_back(void) {
    set_idle(1, true), ret(0);
    ask(1);
    set_idle(1, false), resume(0, 1);
}

/* Thread 1 is resumed once more, and where it was; one function less, or another call. */
static void switched(void) {
    linked();
    give_back();
}
static void switched_returned(void) {
    linked();
    c(1, 2);
    ask(2);
    give_back();
    ret(1);
}
static void switched_entered(void) {
    linked();
    give_back();
    ret(1), put_top(1);
}

static const struct {
    const char *name;
    void (*go)(void);
    int threads;
} ways[] = {
    {"same", same, 1},
    {"returned", returned, 1},
    {"entered", entered, 1},
    {"newly called", newly_called, 1},
    {"walked", walked, 1},
    {"linked", linked, 2},
    {"switched", switched, 2},
    {"switched and returned", switched_returned, 2},
    {"switched and entered", switched_entered, 2},
};
enum { WAYS = sizeof ways / sizeof *ways };

/* ---- what is asked --------------------------------------------------------------------------- */

enum { LINE_RECORD = 6, OTHER_RECORD = 7 };

/* A record of the line where the topmost function asks, or another, with the pc told or not. */
typedef struct Question {
    uint32_t record;
    uintptr_t pc;
} Question;

static int questions(Question out[4]) {
    int n = 0;
    uintptr_t pc = pc_of(1, 20);
    out[n++] = (Question){OTHER_RECORD, 0};
    if (!kind_is_lua()) return n;
    out[n++] = (Question){OTHER_RECORD, pc};
    out[n++] = (Question){LINE_RECORD, pc};
    return n;
}

static void begin_way(void) {
    begin();
    p.tables.record[OTHER_RECORD].site = sites_pseudo(&p, LMP_PSEUDO_HOST);
    p.tables.record[LINE_RECORD].site = line_site(pc_of(1, 20));
}

#define FOR_ALL_QUESTIONS                                                                          \
    for (int way = 0; way < WAYS; way++)                                                           \
        for (kind = 0; kind < KINDS; kind++)                                                       \
            for (int i = 0; i < questions((Question[4]){{0}}); i++)

static Question question(int i) {
    Question all[4];
    questions(all);
    return all[i];
}

/* ---- tests ----------------------------------------------------------------------------------- */

/* What has been asked before is found without a search. (When code has died, a Lua function's pc
 * alone may mean another one.) */
START_TEST(known_before) {
    FOR_ALL_QUESTIONS {
        Question q = question(i);
        bool forgotten = ways[way].go == newly_called && kind_is_lua() && q.record != LINE_RECORD;
        begin_way();
        for (int round = 0; round < 3; round++) {
            ways[way].go();
            if (round == 0 || forgotten) ask_for(ways[way].threads, q.record, q.pc);
            ask_again(ways[way].threads, q.record, q.pc);
        }
        end();
    }
}
END_TEST

/* All slots are full of answers about another frame, or about the same one for another record, or
 * from another caller; all of them wrong. */
static void fill_paths(uint64_t key, uint64_t who, uint64_t line_who) {
    for (uint32_t slot = 0; slot < slots_of(p.tree->path_size); slot++)
        p.tree->path_cache[slot] = (LmpPathSlot){.key = key, .who = who, .path = 0};
    for (uint32_t slot = 0; slot < slots_of(p.tree->line_size); slot++)
        p.tree->line_cache[slot] = (LmpLinePathSlot){.who = line_who, .path = 0};
}

static uint64_t key_on_top(uintptr_t pc) {
    const LmpSideFrame *f = p.tree->side->top;
    return f->key ? f->key : p.tree->epoch | (pc ? pc : frames_pc(f->ci));
}

START_TEST(slots_of_others) {
    static const struct { uint64_t key, who; } others[] = {{8, 0}, {0, 1}, {0, 1ull << 34}};
    FOR_ALL_QUESTIONS {
        for (int other = 0; other < 3; other++) {
            Question q = question(i);
            begin_way();
            ways[way].go();
            ask_for(ways[way].threads, q.record, q.pc);
            uint64_t who = who_of(p.tree->side->top->under, q.record), key = key_on_top(q.pc);
            ways[way].go();
            if (kind_is_lua() && ways[way].go == newly_called) key = key_on_top(q.pc);
            fill_paths(key ^ others[other].key, who ^ others[other].who, who ^ 1);
            ask_for(ways[way].threads, q.record, q.pc);
            ask_again(ways[way].threads, q.record, q.pc);
            end();
        }
    }
}
END_TEST

SUITE("tree_lookups", known_before, slots_of_others)
