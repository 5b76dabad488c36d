/* tree_steps_fixture.h - runs tree.c on threads and frames made by hand (fake_threads.h), with
 * made-up sites, and counts what tree.c asks of other modules (link with -Wl,--wrap). */
#ifndef LMP_TREE_STEPS_FIXTURE_H
#define LMP_TREE_STEPS_FIXTURE_H

#include "agent/charge/tree_impl.h"

#include "agent/charge/lines.h"
#include "agent/interp/private_state.h"
#include "agent/map/shadow.h"
#include "bare_tables.h"
#include "fake_threads.h"

enum { PROTOS = 4, CODE = 64, TAIL = 1 << 5, SITES = 1000, HOST_RECORD = 1, RESUME = LINE_FN + 64 };

static uintptr_t protos[PROTOS][16], closures[PROTOS][6];
static uint32_t (*code)[CODE + 4];
static unsigned queries;  /* for sites */
static unsigned searches; /* for rows */
static unsigned hunts;    /* for the thread that runs */
static unsigned rooms;    /* side stacks that grow */
static unsigned moves;    /* caches that have grown */
static unsigned life;
static uintptr_t notified;
static LmpTableLimits limits;

/* ---- in the place of the others -------------------------------------------------------------- */

static uint32_t line_site(uintptr_t pc) {
    return SITES + life + (uint32_t)((pc - (uintptr_t)code) / sizeof **code);
}
static uint32_t c_site(uintptr_t function) {
    return SITES - 1 - (uint32_t)(function - LINE_FN) / 16;
}

uint32_t __wrap_lines_frame_site(LmpProfile *q, lua_State *L, const LmpCallInfo *ci, uintptr_t pc);
uint32_t __wrap_lines_frame_site(LmpProfile *q, lua_State *L, const LmpCallInfo *ci, uintptr_t pc) {
    (void)q, (void)L, (void)ci;
    queries++;
    return line_site(pc);
}
uint32_t __wrap_lines_c_site(LmpProfile *q, lua_State *L, const LmpCallInfo *ci);
uint32_t __wrap_lines_c_site(LmpProfile *q, lua_State *L, const LmpCallInfo *ci) {
    (void)q, (void)L;
    queries++;
    return c_site(frames_c_function(frames_func(ci)));
}
void __wrap_private_state_find_resumers(void);
void __wrap_private_state_find_resumers(void) {}
bool __wrap_private_state_is_resumer(uintptr_t function);
bool __wrap_private_state_is_resumer(uintptr_t function) {
    return function == RESUME;
}
void __wrap_shadow_notify(LmpProfile *q, uintptr_t addr);
void __wrap_shadow_notify(LmpProfile *q, uintptr_t addr) {
    (void)q;
    notified = addr;
}

uint32_t __real_tree_find_node(LmpProfile *q, uint32_t parent, uint32_t site, uint32_t flags);
uint32_t __wrap_tree_find_node(LmpProfile *q, uint32_t parent, uint32_t site, uint32_t flags);
uint32_t __wrap_tree_find_node(LmpProfile *q, uint32_t parent, uint32_t site, uint32_t flags) {
    searches++;
    return __real_tree_find_node(q, parent, site, flags);
}
uint32_t __real_tree_find_path(LmpProfile *q, uint32_t node, uint32_t record);
uint32_t __wrap_tree_find_path(LmpProfile *q, uint32_t node, uint32_t record);
uint32_t __wrap_tree_find_path(LmpProfile *q, uint32_t node, uint32_t record) {
    searches++;
    return __real_tree_find_path(q, node, record);
}
lua_State *__real_tree_find_running(LmpProfile *q, lua_State *L);
lua_State *__wrap_tree_find_running(LmpProfile *q, lua_State *L);
lua_State *__wrap_tree_find_running(LmpProfile *q, lua_State *L) {
    hunts++;
    return __real_tree_find_running(q, L);
}
void __real_tree_move_nodes(struct LmpTree *tree);
void __wrap_tree_move_nodes(struct LmpTree *tree);
void __wrap_tree_move_nodes(struct LmpTree *tree) {
    moves++;
    __real_tree_move_nodes(tree);
}
void __real_tree_move_lines(struct LmpTree *tree);
void __wrap_tree_move_lines(struct LmpTree *tree);
void __wrap_tree_move_lines(struct LmpTree *tree) {
    moves++;
    __real_tree_move_lines(tree);
}
void __real_tree_move_paths(struct LmpTree *tree);
void __wrap_tree_move_paths(struct LmpTree *tree);
void __wrap_tree_move_paths(struct LmpTree *tree) {
    moves++;
    __real_tree_move_paths(tree);
}
bool __real_tree_side_room(struct LmpTree *tree, LmpSide *s, size_t frames);
bool __wrap_tree_side_room(struct LmpTree *tree, LmpSide *s, size_t frames);
bool __wrap_tree_side_room(struct LmpTree *tree, LmpSide *s, size_t frames) {
    rooms++;
    return __real_tree_side_room(tree, s, frames);
}

/* ---- a profile ------------------------------------------------------------------------------- */

static void end(void) {
    tree_close(&p);
    tree_close(&p); /* it is not there any more */
    bare_tables_end();
}

static void begin(void) {
    suite_closes(end);
    threads_begin();
    if (!code) code = (uint32_t(*)[CODE + 4]) fixed_memory((PROTOS + 1) * sizeof *code) + 1;
    frames_bits.tail = TAIL;
    bare_tables(limits);
    ck_assert_int_eq(sites_open(&p), LMP_OK);
    ck_assert_int_eq(tree_open(&p), LMP_OK);
    p.main = thread(MAIN);
    queries = searches = hunts = rooms = moves = life = 0;
    notified = 0;
    for (int i = 0; i < PROTOS; i++)
        put_proto(protos[i], closures[i], code[i], CODE);
    p.tables.record[HOST_RECORD].site = sites_pseudo(&p, LMP_PSEUDO_HOST);
}

static uintptr_t pc_of(int i, unsigned place) {
    return (uintptr_t)code[i] + (place + 1) * sizeof **code;
}

static void lua(int L, int i, unsigned place) {
    call_closure(L, closures[i], pc_of(i, place));
}
static void c(int L, unsigned n) {
    call(L, LMP_TAG_LIGHT_C, LINE_FN + 16 * n, LMP_CI_C, 0);
}
static void resume(int L, int other) {
    call(L, LMP_TAG_LIGHT_C, RESUME, LMP_CI_C, 0);
    give(L, other);
}
static void ret(int L) {
    enter(L, t[L].depth - 1);
}
static inline void go(int L,
                      unsigned place) { /* the topmost function, in prototype 0, has moved on */
    put(top(L), LMP_AT_CI_SAVEDPC, pc_of(0, place));
}

static bool is_c(const LmpCallInfo *ci) {
    return frames_status(ci) & LMP_CI_C;
}

/* No side stack has more frames than there is room. */
static void check_sides(void) {
    ck_assert(p.tree->main.top < p.tree->main.end);
    for (int i = 0; i < 1 << TREE_SHARED; i++)
        ck_assert(p.tree->shared[i].top < p.tree->shared[i].end);
}

/* The path of those threads, each resumed by the one before: as asked for by the last of them. */
static uint32_t check_path(uint32_t path, uint32_t record, uintptr_t pc, int n, const int *of) {
    ck_assert_uint_eq(p.tables.path[path].record, record);
    uint32_t node = p.tables.path[path].node;
    for (int i = n - 1; i >= 0; i--) {
        for (int depth = t[of[i]].depth; depth > 0; depth--, pc = 0) {
            const LmpCallInfo *ci = frame(of[i], depth);
            const LmpNode *is = &p.tables.node[node];
            uint32_t flags = frames_status(ci) & TAIL ? LMP_NODE_TAIL : 0;
            if (i > 0 && depth == 1) flags |= LMP_NODE_COROUTINE;
            uint32_t site = is_c(ci) ? c_site(frames_c_function(frames_func(ci)))
                                     : line_site(pc ? pc : frames_pc(ci));
            ck_assert_msg(is->site == site && is->flags == flags,
                          "thread %d frame %d: site %u flags %u, not %u %u", of[i], depth, is->site,
                          is->flags, site, flags);
            node = is->parent;
        }
    }
    ck_assert_uint_eq(node, 0);
    check_sides();
    return path;
}

/* The path of threads 0 .. n - 1, as the last of them asks for it. */
static void ask_for(int n, uint32_t record, uintptr_t pc) {
    static const int all[] = {0, 1, 2, 3, 4};
    check_path(tree_path(&p, thread(n - 1), pc, record), record, pc, n, all);
}

/* The same once more: nothing is looked for. */
static void ask_again(int n, uint32_t record, uintptr_t pc) {
    const unsigned before[] = {queries, searches, hunts, rooms};
    ask_for(n, record, pc);
    ck_assert_uint_eq(queries, before[0]);
    ck_assert_uint_eq(searches, before[1]);
    ck_assert_uint_eq(hunts, before[2]);
    ck_assert_uint_eq(rooms, before[3]);
}

/* How many sites were looked up for the path of threads 0 .. n - 1. */
static inline unsigned ask(int n) {
    unsigned before = queries;
    ask_for(n, HOST_RECORD, 0);
    unsigned used = queries - before;
    ask_again(n, HOST_RECORD, 0);
    return used;
}

static uint32_t node_site(int L, uint32_t record) {
    return p.tables.node[p.tables.path[tree_path(&p, thread(L), 0, record)].node].site;
}

static inline void ck_unknown(int L) {
    for (int i = 0; i < 2; i++)
        ck_assert_uint_eq(node_site(L, HOST_RECORD), sites_pseudo(&p, LMP_PSEUDO_UNKNOWN));
}

/* ---- frames that are not sound ------------------------------------------------------- */

static const struct {
    unsigned tag;
    int at; /* of the saved pc in the code, bytes */
} unsound[] = {{LMP_TAG_LUA_CLOSURE, 4 * CODE + 4},
               {LMP_TAG_LUA_CLOSURE, -4},
               {LMP_TAG_LUA_CLOSURE, 6},
               {0, 4}};
enum { UNSOUND_WAYS = sizeof unsound / sizeof *unsound };

static inline void damage(int L, int depth, int way) {
    put(t[L].slot[2 * depth], LMP_AT_SLOT_TAG, unsound[way].tag);
    put(frame(L, depth), LMP_AT_CI_SAVEDPC, (uintptr_t)((char *)code[0] + unsound[way].at));
}

#endif
