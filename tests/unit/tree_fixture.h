/* tree_fixture.h - call paths beside what they ought to be: programs run over an allocator that
 * asks for the path of each block (or of some), and it is compared, frame by frame, with what the
 * documented API says of the whole stack at that moment. Lines are the test's own (by the
 * documented API, in the place of lines.c: link with -Wl,--wrap), so only the way is tested here.
 */
#ifndef LMP_TREE_FIXTURE_H
#define LMP_TREE_FIXTURE_H

#include "agent/charge/tree.h"
#include "agent/interp/luafacts.h"

#include <lauxlib.h>
#include <lualib.h>

#include "agent/charge/lines.h"
#include "bare_tables.h"

/* ---- lines, the long way --------------------------------------------------------------------- */

static void set_pc(const LmpCallInfo *ci, uintptr_t pc) {
    memcpy((char *)(uintptr_t)ci + LMP_AT_CI_SAVEDPC, &pc, sizeof pc);
}

static uint32_t function_of(lua_State *L, const LmpCallInfo *ci, int *line, bool *tail) {
    lua_Debug ar;
    ar.i_ci = (struct CallInfo *)(uintptr_t)ci;
    lua_getinfo(L, "Slt", &ar);
    ar.namewhat = "";
    ar.name = NULL;
    *line = ar.currentline;
    *tail = ar.istailcall;
    const void *address = NULL;
    if (*ar.what == 'C') {
        address = (const void *)frames_c_function(frames_func(ci));
        ck_assert_ptr_nonnull(address);
        *line = -1;
    }
    return sites_function(&p, &ar, address);
}

/* The linker puts these in the place of those of lines.c. */
uint32_t __wrap_lines_frame_site(LmpProfile *profile, lua_State *L, const LmpCallInfo *ci,
                                 uintptr_t pc);
uint32_t __wrap_lines_c_site(LmpProfile *profile, lua_State *L, const LmpCallInfo *ci);

uint32_t __wrap_lines_frame_site(LmpProfile *profile, lua_State *L, const LmpCallInfo *ci,
                                 uintptr_t pc) {
    int line;
    bool tail;
    uintptr_t saved = frames_pc(ci);
    set_pc(ci, pc);
    uint32_t function = function_of(L, ci, &line, &tail);
    set_pc(ci, saved);
    return sites_site(profile, function, line, 0);
}

uint32_t __wrap_lines_c_site(LmpProfile *profile, lua_State *L, const LmpCallInfo *ci) {
    int line;
    bool tail;
    return sites_site(profile, function_of(L, ci, &line, &tail), -1, 0);
}

/* ---- the oracle: the whole stack by the documented API --------------------------------------- */

enum { MOST_THREADS = 300, MOST_FRAMES = 3000 };

typedef struct Expected {
    uint32_t site, flags;
} Expected;

static struct {
    lua_State *L;        /* main thread */
    lua_State *poked;    /* the next question is asked by this thread, that does not run */
    lua_State *host[64]; /* threads resumed by host code, */
    lua_State *from[64]; /* and the threads that it ran in */
    int hosts;
    unsigned every; /* one in so many blocks is looked at; 0: none */
    bool may_fold;  /* tables are small or memory is refused */
    bool damaged;   /* rows were, so some may stand there twice */
    bool by_pc;     /* sometimes the pc is told */
    bool all_known; /* each thread that host code resumes asks before it resumes another */
    uint64_t looks, folded, deepest, threads;
    uint32_t record[8];
} now;

static bool has_frames(lua_State *L) {
    lua_Debug ar;
    return lua_getstack(L, 0, &ar);
}

static lua_State *child_of(lua_State *L) {
    lua_Debug ar;
    if (!lua_getstack(L, 0, &ar)) return NULL;
    lua_getinfo(L, "S", &ar);
    if (*ar.what != 'C') return NULL;
    lua_State *child = lua_tothread(L, 1);
    if (!child) child = lua_tothread(L, lua_upvalueindex(1));
    return child && lua_status(child) == LUA_OK && has_frames(child) ? child : NULL;
}

static int running_threads(lua_State *thread[MOST_THREADS]) {
    int n = 0, host = 0;
    thread[n++] = now.L;
    for (;;) {
        lua_State *last = thread[n - 1], *next = NULL;
        if (host < now.hosts && now.from[host] == last) {
            next = now.host[host++];
            if (!has_frames(next)) break; /* it is only about to begin */
        } else {
            next = child_of(last);
        }
        for (int i = 0; next && i < n; i++)
            if (thread[i] == next) next = NULL;
        if (!next) break;
        ck_assert_int_lt(n, MOST_THREADS);
        thread[n++] = next;
    }
    return n;
}

/* Frames of all running threads, outermost first. */
static int expected_frames(lua_State *const thread[], int threads, Expected out[MOST_FRAMES]) {
    int n = 0;
    for (int i = 0; i < threads; i++) {
        lua_Debug ar;
        int depth = 0;
        while (lua_getstack(thread[i], depth, &ar))
            depth++;
        ck_assert_int_lt(n + depth, MOST_FRAMES);
        for (int level = depth - 1; level >= 0; level--) {
            int line;
            bool tail;
            ck_assert(lua_getstack(thread[i], level, &ar));
            uint32_t function = function_of(thread[i], (const LmpCallInfo *)ar.i_ci, &line, &tail);
            out[n].site = sites_site(&p, function, line, 0);
            out[n].flags =
                (tail ? LMP_NODE_TAIL : 0) | (i > 0 && level == depth - 1 ? LMP_NODE_COROUTINE : 0);
            n++;
        }
    }
    return n;
}

static void describe(uint32_t site, char out[200]) {
    char src[80], name[80];
    const LmpSite *s = &p.tables.site[site];
    const LmpFunction *f = &p.tables.function[s->function];
    tables_text(&p.tables, f->short_src, src, sizeof src);
    tables_text(&p.tables, f->name, name, sizeof name);
    snprintf(out, 200, "%u: %s %s:%d (%llx)", site, name, src, s->line,
             (unsigned long long)f->address);
}

/* Returns how many frames a node's path has. */
static int depth_of(uint32_t node) {
    int depth = 0;
    for (; node; node = p.tables.node[node].parent)
        depth++;
    return depth;
}

static void compare(uint32_t path, uint32_t record, const Expected *want, int frames) {
    ck_assert_uint_lt(path, tables_paths(&p.tables));
    ck_assert_uint_eq(p.tables.path[path].record, record);
    uint32_t node = p.tables.path[path].node;
    if (node == 1) {
        now.folded++;
        ck_assert(now.may_fold);
        return;
    }
    if (frames == 0) { /* host code: the record's own site, which is a pseudo-function's */
        ck_assert_uint_eq(p.tables.node[node].site, p.tables.record[record].site);
        ck_assert_uint_eq(p.tables.node[node].parent, 0);
        return;
    }
    if (depth_of(node) != frames) {
        char line[200];
        for (uint32_t n = node; n; n = p.tables.node[n].parent) {
            describe(p.tables.node[n].site, line);
            fprintf(stderr, "got  %s (flags %u)\n", line, p.tables.node[n].flags);
        }
        for (int i = frames; i-- > 0;) {
            describe(want[i].site, line);
            fprintf(stderr, "want %s (flags %u)\n", line, want[i].flags);
        }
        ck_abort_msg("look %llu: %d frames, not %d", (unsigned long long)now.looks, depth_of(node),
                     frames);
    }
    for (int i = frames; i-- > 0; node = p.tables.node[node].parent) {
        const LmpNode *n = &p.tables.node[node];
        if (n->site != want[i].site || n->flags != want[i].flags) {
            char got[200], wanted[200];
            describe(n->site, got);
            describe(want[i].site, wanted);
            ck_abort_msg("look %llu: frame %d of %d is %s (flags %u), not %s (flags %u)",
                         (unsigned long long)now.looks, i, frames, got, n->flags, wanted,
                         want[i].flags);
        }
        ck_assert_uint_lt(n->parent, node);
    }
    ck_assert_uint_eq(node, 0);
}

/* Some instruction of the running Lua function, 0: leave it. */
static uintptr_t other_pc(lua_State *L) {
    const LmpCallInfo *ci = frames_top(L);
    if (!now.by_pc || suite_below(4) || !frames_caller(ci) || frames_status(ci) & LMP_CI_C)
        return 0;
    const void *proto = frames_proto(frames_func(ci));
    return frames_code(proto) + LMP_INSTRUCTION * (1 + suite_below(frames_code_size(proto)));
}

/* As lines.c has it: a record of the line where a Lua function asks; else what it was. */
static uint32_t record_of_line(lua_State *L, uintptr_t pc, uint32_t record) {
    const LmpCallInfo *ci = frames_top(L);
    if (!frames_caller(ci) || frames_status(ci) & LMP_CI_C) return record;
    uint64_t folded = p.live->tables.folded; /* what is folded here is not the tree's */
    uint32_t site = __wrap_lines_frame_site(&p, L, ci, pc ? pc : frames_pc(ci));
    record = sites_record(&p, site, p.tables.record[record].use.cls, 0);
    p.live->tables.folded = folded;
    return record;
}

/* Where threads are resumed by C code that hides them, those between are only known if they have
 * asked before. */
static void compare_last(uint32_t path, uint32_t record, const Expected *want, int frames,
                         const Expected *whole) {
    ck_assert_uint_eq(p.tables.path[path].record, record);
    uint32_t node = p.tables.path[path].node;
    for (int i = frames; i-- > 0 && node != 1; node = p.tables.node[node].parent)
        ck_assert_uint_eq(p.tables.node[node].site, want[i].site);
    while (node && p.tables.node[node].parent)
        node = p.tables.node[node].parent;
    if (node > 1) ck_assert_uint_eq(p.tables.node[node].site, whole[0].site);
    if (p.tables.path[path].node == 1) now.folded++;
}

static void look(void) {
    static Expected want[MOST_FRAMES];
    lua_State *thread[MOST_THREADS];
    int threads = running_threads(thread);
    lua_State *L = thread[threads - 1];
    uint32_t record = now.record[suite_below(8)];
    bool hidden = now.hosts && !now.all_known, poked = now.poked;
    uintptr_t pc = poked ? 0 : other_pc(L);
    if (!poked && suite_below(2)) record = record_of_line(L, pc, record);
    uint32_t path = tree_path(&p, now.poked ? now.poked : L, pc, record);
    uintptr_t saved = 0;
    if (pc) saved = frames_pc(frames_top(L));
    if (pc) set_pc(frames_top(L), pc);
    int frames = expected_frames(thread, threads, want);
    lua_Debug ar;
    int own = 0;
    while (hidden && lua_getstack(L, own, &ar))
        own++;
    if (pc) set_pc(frames_top(L), saved);
    now.looks++;
    now.poked = NULL;
    if ((uint64_t)frames > now.deepest) now.deepest = (uint64_t)frames;
    if ((uint64_t)threads > now.threads) now.threads = (uint64_t)threads;
    if (!hidden) {
        compare(path, record, want, frames);
    } else if (!poked) {
        compare_last(path, record, want + (frames - own), own, want);
    } else if (p.tables.path[path].node == 1) {
        now.folded++;
    }
}

/* ---- the host -------------------------------------------------------------------------------- */

enum { HEAD = 16 }; /* bytes before a block: what it is */

static void *test_alloc(void *ud, void *ptr, size_t osize, size_t nsize) {
    (void)ud;
    char *block = ptr ? (char *)ptr - HEAD : NULL;
    if (!nsize) {
        if (!block) return NULL;
        size_t tag;
        memcpy(&tag, block, sizeof tag);
        if (p.tree && tag == LUA_TTHREAD)
            tree_thread_gone(&p, (lua_State *)(void *)((char *)ptr + LUA_EXTRASPACE));
        if (p.tree && tag == LUA_NUMTYPES + 1)
            tree_code_gone(&p, frames_word(ptr, LMP_AT_PROTO_CODE),
                           *(const int *)((const char *)ptr + LMP_AT_PROTO_SIZECODE) * 4u);
        free(block);
        return NULL;
    }
    if (!block && now.every && suite_below(now.every) == 0) look();
    char *r = realloc(block, nsize + HEAD);
    if (!r) return NULL;
    if (!block) memcpy(r, &osize, sizeof osize);
    return r + HEAD;
}

static int l_random(lua_State *L) {
    lua_pushinteger(L, 1 + (lua_Integer)suite_below((uint64_t)luaL_checkinteger(L, 1)));
    return 1;
}

/* The next block is asked for by a thread that does not run: another one prepares it. */
static int l_poke(lua_State *L) {
    lua_State *co = lua_tothread(L, 1);
    now.poked = co;
    lua_newuserdatauv(L, 20, 0);
    now.poked = NULL;
    return 0;
}

/* Resumes, as a scheduler in C does, threads that it has from nowhere that can be seen: upvalue 2
 * is a table with them. Runs all of them turn by turn. */
static int l_schedule(lua_State *L) {
    lua_Integer n = luaL_len(L, lua_upvalueindex(2));
    for (bool any = true; any;) {
        any = false;
        for (lua_Integer i = 1; i <= n; i++) {
            int got;
            lua_rawgeti(L, lua_upvalueindex(2), i);
            lua_State *co = lua_tothread(L, -1);
            lua_pop(L, 1); /* the table holds it */
            if (lua_status(co) != LUA_YIELD && (lua_status(co) != LUA_OK || !lua_gettop(co)))
                continue;
            if (now.hosts == 64) return luaL_error(L, "too deep");
            now.host[now.hosts] = co;
            now.from[now.hosts++] = L;
            int status = lua_resume(co, L, 0, &got);
            now.hosts--;
            if (status == LUA_OK || status == LUA_YIELD) lua_pop(co, got);
            any = true;
        }
    }
    return 0;
}

/* scheduler(f1, f2 ...): a function that runs coroutines with these bodies. */
static int l_scheduler(lua_State *L) {
    int n = lua_gettop(L);
    lua_pushnil(L);
    lua_createtable(L, n, 0);
    for (int i = 1; i <= n; i++) {
        lua_State *co = lua_newthread(L);
        lua_pushvalue(L, i);
        lua_xmove(L, co, 1);
        lua_rawseti(L, -2, i);
    }
    lua_pushcclosure(L, l_schedule, 2);
    return 1;
}

static LmpTableLimits limits;

static void open_tree(void) {
    ck_assert_int_eq(tree_open(&p), LMP_OK);
}

static int compare_words(const void *a, const void *b) {
    return memcmp(a, b, 3 * sizeof(uint32_t));
}

/* No node and no path stands there twice. */
static void check_distinct(void) {
    uint32_t nodes = p.live->tables.nodes, paths = p.live->tables.paths;
    uint32_t(*key)[3] = calloc(nodes > paths ? nodes : paths, sizeof *key);
    for (uint32_t i = 1; i < nodes; i++) {
        const LmpNode *n = &p.tables.node[i];
        memcpy(key[i - 1], (uint32_t[]){n->parent, n->site, n->flags}, sizeof *key);
    }
    qsort(key, nodes - 1, sizeof *key, compare_words);
    for (uint32_t i = 1; i + 1 < nodes; i++)
        ck_assert_msg(compare_words(key[i - 1], key[i]) < 0, "a node twice: of %u, site %u",
                      key[i][0], key[i][1]);
    for (uint32_t i = 1; i < paths; i++) {
        const LmpPath *path = &p.tables.path[i];
        memcpy(key[i - 1], (uint32_t[]){path->node, path->record, 0}, sizeof *key);
    }
    qsort(key, paths - 1, sizeof *key, compare_words);
    for (uint32_t i = 1; i + 1 < paths; i++)
        ck_assert_msg(compare_words(key[i - 1], key[i]) < 0, "a path twice: node %u, record %u",
                      key[i][0], key[i][1]);
    free(key);
}

static void end(void) {
    if (!now.damaged) check_distinct();
    lua_close(now.L);
    tree_close(&p);
    bare_tables_end();
}

static void begin_with(lua_Alloc alloc) {
    suite_closes(end);
    bare_tables(limits);
    memset(&now, 0, sizeof now);
    ck_assert_int_eq(sites_open(&p), LMP_OK);
    open_tree();
    for (unsigned i = 0; i < 8; i++)
        now.record[i] = sites_record(&p, sites_pseudo(&p, LMP_PSEUDO_HOST), 1 + i, 0);
    now.L = luafacts_newstate(alloc, NULL);
    p.main = now.L;
    ck_assert(frames_known());
    luaL_openlibs(now.L);
    lua_gc(now.L, LUA_GCINC, 110, 200, 10);
}

static void begin(void) {
    begin_with(test_alloc);
}

static void load_program(const char *text) {
    if (luaL_loadbuffer(now.L, text, strlen(text), "=program") != LUA_OK)
        ck_abort_msg("%s", lua_tostring(now.L, -1));
    lua_pushcfunction(now.L, l_random);
    lua_pushcfunction(now.L, l_poke);
    lua_pushcfunction(now.L, l_scheduler);
}

static void run(const char *text, lua_Integer work) {
    load_program(text);
    lua_pushinteger(now.L, work);
    if (lua_pcall(now.L, 4, 0, 0) != LUA_OK) ck_abort_msg("%s", lua_tostring(now.L, -1));
}

#endif
