/* Tests of tree.c, one for each way in which a path is found (threads and frames made by hand,
 * tree_steps_fixture.h): what is known is not looked for, and what stands in the slot of a cache,
 * but is about something else, is not taken. */
#include "tree_steps_fixture.h"

/* ---- ways ------------------------------------------------------------------------------------ */

/* Topmost frames. */
typedef enum Kind { KIND_LUA, KIND_TAIL, KIND_C, KIND_CLOSURE, KIND_OPEN, KINDS } Kind;
static Kind kind;

static bool kind_is_lua(void) {
    return kind <= KIND_TAIL;
}

/* None of them has resumed thread 0, though it is in their closures, and a local variable. */
static void put_top(int L) {
    if (kind == KIND_CLOSURE) {
        call_wrapped(L, 0, 1, 0);
    } else if (kind == KIND_OPEN) {
        call_wrapped(L, 0, 0, LMP_TAG_THREAD);
    } else if (kind == KIND_C) {
        c(L, 1), give(L, 60); /* which has no function */
    } else {
        lua(L, 1, 5), give(L, 0);
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
    p.tables.record[LINE_RECORD + 2].site = line_site(pc_of(1, 40));
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
TEST(known_before) {
    FOR_ALL_QUESTIONS {
        Question q = question(i);
        bool forgotten = ways[way].go == newly_called && kind_is_lua() && q.record != LINE_RECORD;
        begin_way();
        for (int round = 0; round < 3; round++) {
            ways[way].go();
            if (round == 0 || forgotten) ask_for(ways[way].threads, q.record, q.pc);
            ask_again(ways[way].threads, q.record, q.pc);
        }
    }
}

/* All slots are full of answers about another frame, or about the same one for another record, or
 * from another caller; all of them wrong. */
static void fill_paths(uint64_t key, uint64_t who, uint64_t line_who) {
    for (uint32_t slot = 0; slot < tree_cache_slots(p.tree->path_size); slot++)
        p.tree->path_cache[slot] = (LmpPathSlot){.key = key, .who = who, .path = 0};
    for (uint32_t slot = 0; slot < tree_cache_slots(p.tree->line_size); slot++)
        p.tree->line_cache[slot] = (LmpLinePathSlot){.who = line_who, .path = 0};
}

static uint64_t key_on_top(uintptr_t pc) {
    const LmpSideFrame *f = p.tree->side->top;
    return f->key ? f->key : p.tree->epoch | (pc ? pc : frames_pc(f->ci));
}

TEST(slots_of_others) {
    static const struct { uint64_t key, who; } others[] = {{8, 0}, {0, 1}, {0, 1ull << 34}};
    FOR_ALL_QUESTIONS {
        for (int other = 0; other < 3; other++) {
            Question q = question(i);
            begin_way();
            ways[way].go();
            ask_for(ways[way].threads, q.record, q.pc);
            uint64_t who = tree_who(p.tree->side->top->under, q.record), key = key_on_top(q.pc);
            ways[way].go();
            if (kind_is_lua() && ways[way].go == newly_called) key = key_on_top(q.pc);
            fill_paths(key ^ others[other].key, who ^ others[other].who,
                       kind_is_lua() ? who ^ 1 : who); /* lines are Lua functions' */
            ask_for(ways[way].threads, q.record, q.pc);
            ask_again(ways[way].threads, q.record, q.pc);
        }
    }
}

/* The same of what is below a frame; of the frame that calls, and of thread 0's that resumes. */
static void fill_nodes(uint64_t key, uint32_t under, uint32_t below) {
    for (uint32_t slot = 0; slot < tree_cache_slots(p.tree->node_size); slot++)
        p.tree->node_cache[slot] = (LmpNodeSlot){key, under, below};
}

TEST(slots_of_other_callers) {
    for (int way = 0; way < WAYS; way++) {
        for (int n = 0; n < 8; n++) {
            const LmpSide *s;
            kind = n & 1 ? KIND_C : KIND_LUA;
            begin_way();
            ways[way].go();
            ask(ways[way].threads);
            s = n & 2 ? &p.tree->main : p.tree->side;
            uint32_t under = s->frame[1].under;
            ways[way].go();
            uint64_t key = p.tree->epoch | frames_pc(s->frame[1].ci);
            fill_nodes(n & 4 ? key ^ 1 << 20 : key, n & 4 ? under : under ^ 1 << 20, 0);
            ask(ways[way].threads);
        }
    }
}

/* A C function's frame has the pc of a Lua function that was there before it: it means nothing. */
TEST(pcs_in_c_frames) {
    for (int n = 0; n < 5; n++) {
        begin();
        lua(0, 0, 3), lua(0, 1, 5), lua(0, 2, 7);
        ask(1); /* what is below pc 5 of prototype 1, called from there, is known now */
        enter(0, 1);
        if (n == 2) {
            resume(0, 1);
        } else {
            c(0, 1);
        }
        put(top(0), LMP_AT_CI_SAVEDPC, pc_of(1, 5));
        if (n == 1 || n == 4) ask(1);
        if (n == 4) resume(0, 1);
        if (n == 2 || n == 4) lua(1, 3, 9);
        if (n == 3) check_path(tree_path(&p, thread(5), 0, 7), 7, 0, 1, (int[]){0});
        if (n < 2) lua(0, 2, 7);
        ask(n == 2 || n == 4 ? 2 : 1);
    }
}

/* ---- what is not sound ----------------------------------------------------------------------- */

/* The frame that has called is known, but its pc is not one of its function's. */
TEST(caller_is_not_sound) {
    for (int way = 0; way < UNSOUND_WAYS; way++) {
        for (kind = 0; kind < KINDS; kind++) {
            begin();
            lua(0, 0, 3), put_top(0);
            ask(1);
            ret(0);
            damage(0, 1, way);
            put_top(0);
            ck_unknown(0);
            enter(0, 0), lua(0, 0, 3), put_top(0);
            ask(1);
        }
    }
}

/* Where the table of nodes is full, paths are in (others), and each is counted. */
TEST(full_tables) {
    for (kind = 0; kind < KINDS; kind++) {
        for (int i = 0; i < questions((Question[4]){{0}}); i++) {
            Question q = question(i);
            begin_way();
            p.limits.nodes = 5;
            lua(0, 0, 3), put_top(0);
            for (uint32_t n = 1; n < 4; n++) {
                uint32_t path = tree_path(&p, p.main, q.pc, q.record);
                ck_assert_uint_lt(path, p.live->tables.paths);
            }
            uint64_t folded = p.live->tables.folded;
            lua(0, 2, 8), lua(0, 2, 9), put_top(0);
            for (uint32_t n = 1; n < 4; n++) {
                uint32_t path = tree_path(&p, p.main, q.pc, q.record);
                ck_assert_uint_eq(p.tables.path[path].node, TREE_NODE_OTHERS);
                ck_assert_uint_eq(p.live->tables.folded, folded + n);
            }
        }
    }
}

/* ---- caches ---------------------------------------------------------------------------------- */

/* So many pieces of code have died since: what was known is still right until it is not known any
 * more which they were. */
TEST(deaths_of_others) {
    static const struct {
        int deaths, looked_up;
    } ages[] = {{0, 0}, {1, 0}, {TREE_DEATHS - 1, 0}, {TREE_DEATHS, 0}, {TREE_DEATHS + 1, 1}};
    for (int i = 0; i < 5; i++) {
        for (int own = -1; own < ages[i].deaths && own < 3; own++) {
            begin();
            lua(0, 0, 3), c(0, 1);
            ask(1);
            for (int n = 0; n < ages[i].deaths; n++)
                tree_code_gone(&p, (uintptr_t)code[n == own ? 0 : 2], CODE * sizeof **code);
            ret(0), c(0, 1);
            ck_assert_uint_eq(ask(1), own >= 0 ? 1 : (unsigned)ages[i].looked_up);
        }
    }
}

/* A cache counts the answers that it has lost to others: those that are still right. */
static void check_evicted(int deaths) {
    begin_way();
    for (int n = 0; n < deaths; n++)
        tree_code_gone(&p, (uintptr_t)code[2], CODE * sizeof **code);
    const struct {
        uint64_t key;
        unsigned counts;
    } before[] = {{0, 0},
                  {p.tree->epoch | 8, 1},
                  {(p.tree->epoch - ((uint64_t)TREE_DEATHS << KEY_EPOCH)) | 8, 1},
                  {(p.tree->epoch - ((TREE_DEATHS + 1ull) << KEY_EPOCH)) | 8, 0},
                  {KEY_C | 8, 1}};
    lua(0, 0, 3);
    for (int i = 0; i < 5; i++) {
        if (!deaths && i > 1 && i < 4) continue; /* there was nothing before */
        fill_nodes(before[i].key, 99, 0);
        fill_paths(before[i].key, 99, before[i].key);
        unsigned nodes = p.tree->node_size.pushed, paths = p.tree->path_size.pushed;
        unsigned lines = p.tree->line_size.pushed;
        lua(0, 1, 20);
        ask_for(1, OTHER_RECORD, 0);
        ck_assert_uint_eq(p.tree->path_size.pushed, paths + before[i].counts);
        /* of the bottom frame, and of the caller */
        ck_assert_uint_eq(p.tree->node_size.pushed, nodes + before[i].counts * (i ? 1 : 2));
        ask_for(1, LINE_RECORD, pc_of(1, 20));
        ck_assert_uint_eq(p.tree->line_size.pushed, lines + (before[i].key != 0));
        ret(0);
        go(0, (unsigned)(4 + i));
    }
    ck_assert_uint_eq(moves, 0);
}

TEST(evicted) {
    check_evicted(0);
    check_evicted(TREE_DEATHS + 3);
}

/* When it has lost a quarter of its slots it grows, and keeps its answers. */
TEST(grown) {
    begin_way();
    p.live->tables.nodes = 5000; /* so that they have other slots then */
    lua(0, 0, 3), lua(0, 1, 20);
    ask_for(1, OTHER_RECORD, 0);
    ask_for(1, LINE_RECORD, pc_of(1, 20));
    const uint32_t less = (1 << TREE_CACHE_LEAST) / 4 - 1;
    LmpCacheSize *const size[] = {&p.tree->node_size, &p.tree->line_size, &p.tree->path_size};
    for (int i = 0; i < 3; i++)
        size[i]->pushed = less;
    for (uint32_t slot = 0; slot < tree_cache_slots(p.tree->node_size);
         slot++) { /* all are in use */
        LmpNodeSlot *n = &p.tree->node_cache[slot];
        LmpPathSlot *path = &p.tree->path_cache[slot];
        LmpLinePathSlot *line = &p.tree->line_cache[slot];
        if (!n->key) *n = (LmpNodeSlot){p.tree->epoch | (uintptr_t)slot << 2, 0, 0};
        if (!path->key) *path = (LmpPathSlot){.key = p.tree->epoch | 8, .who = slot - 2};
        if (!line->who) line->who = slot ? slot : 1 << TREE_CACHE_LEAST;
    }
    ret(0);
    go(0, 33);
    lua(0, 1, 40);
    ask_for(1, OTHER_RECORD, 0);
    ask_for(1, LINE_RECORD + 2, pc_of(1, 40));
    for (int i = 0; i < 3; i++) {
        ck_assert_uint_eq(tree_cache_slots(*size[i]), 1 << TREE_CACHE_MOST);
        ck_assert_uint_lt(size[i]->pushed, 4);
    }
    ck_assert_uint_eq(moves, 3);
    ret(0);
    go(0, 3);
    lua(0, 1, 20);
    ask_again(1, OTHER_RECORD, 0);
    ask_again(1, LINE_RECORD, pc_of(1, 20));
    for (int i = 0; i < 3; i++) /* now they have all that they can get */
        size[i]->pushed = (1 << TREE_CACHE_MOST) / 4 - 1;
    fill_nodes(p.tree->epoch | 8, 99, 0);
    fill_paths(p.tree->epoch | 8, 99, 99);
    ret(0);
    go(0, 34);
    lua(0, 1, 20);
    ask_for(1, OTHER_RECORD, 0);
    ask_for(1, LINE_RECORD, pc_of(1, 20));
    for (int i = 0; i < 3; i++) {
        ck_assert_uint_eq(tree_cache_slots(*size[i]), 1 << TREE_CACHE_MOST);
        ck_assert_uint_lt(size[i]->pushed, 4);
    }
    ck_assert_uint_eq(moves, 3);
}
