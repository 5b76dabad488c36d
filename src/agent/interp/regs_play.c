/* regs_play.c - the work that the private state of regs_study.h is made to do.
 *
 * A few threads take turns, one operation each. C code may do that with any thread of a state that
 * does not run, so nothing has to be resumed. */
#include <lauxlib.h>
#include <stdio.h>
#include <stdlib.h>

#include "agent/interp/calibration.h"
#include "agent/interp/entry.h"
#include "agent/interp/regs_study.h"
#include "base/kind.h"

#if LMP_HAS_ENTRY

enum { THREADS = 3, ROOM = 200 };

/* Leaves dead pointers on the stack below that could be mistaken for what is looked for. */
static __attribute__((noinline)) void leave_junk(uintptr_t a, uintptr_t b) {
    uintptr_t junk[2 * LMP_REGS_SEEN];
    for (size_t i = 0; i < LMP_REGS_SEEN; i++) {
        junk[2 * i] = b;
        junk[2 * i + 1] = a;
    }
    __asm__ volatile("" : : "r"(junk) : "memory"); /* the compiler must assume that it is read */
}

/* Calls the function on top of a thread with its arguments, noting. Leftovers from before are
 * another thread's. True: it returned. */
static bool perform(LmpRegsStudy *study, lua_State *thread, const lua_State *other, int arguments,
                    int results) {
    leave_junk((uintptr_t)other, (uintptr_t)thread + sizeof(uintptr_t));
    study->refused = false;
    study->running = thread;
    int status = lua_pcall(thread, arguments, results, 0);
    study->running = NULL;
    study->refused = false;
    return status == LUA_OK;
}

/* ---- operations ------------------------------------------------------------------------------ */

static int op_nest(lua_State *L) {
    lua_pushinteger(L, 30);
    lua_replace(L, 1);
    return calibration_nest(L);
}

static int op_values(lua_State *L) {
    luaL_checkstack(L, 60, NULL);
    for (int k = 0; k < 4; k++) {
        lua_pushfstring(L, "%d of %p", k, (void *)L);
        lua_newuserdatauv(L, (size_t)k, k & 1);
        lua_createtable(L, k, k);
        lua_pushinteger(L, k);
        lua_pushcclosure(L, op_values, 1);
        lua_pushlstring(L, "a text that is too long for a short string, as they are kept once", 60);
    }
    lua_newthread(L);
    return 0;
}

static int op_buffer(lua_State *L) {
    luaL_Buffer b;
    luaL_buffinit(L, &b);
    for (int i = 0; i < 3; i++)
        luaL_addlstring(&b, "0123456789", 10);
    memset(luaL_prepbuffsize(&b, 3 * LUAL_BUFFERSIZE), 'x', 10);
    luaL_pushresult(&b);
    return 0;
}

static const lua_CFunction c_ops[] = {op_nest, op_values, op_buffer};

/* Arguments: a table, and a number that differs between threads. Each is a Lua function. */
static const char *const lua_ops[] = {
    "local t, n = ... for i = 1, 40 do t[i] = i t['k' .. i .. n] = t t[-i] = n end",
    "local t, n = ... local u = {} u.x = n u.y = t u[n + 0.5] = 1 rawset(u, n, n) return u",
    "local t, n = ... local s = '' for i = 1, 8 do s = s .. i .. 'a' .. n .. 0.5 end return s",
    "local t, n = ... local function f(i) local a, b, c = i, i, i if i > 0 then return f(i - 1) + "
    "1 "
    "end return 0 end return f(90)",
    "local t, n = ... local function v(...) local a, b = ... return select('#', ...), a, b, ... "
    "end "
    "return v(n, v(n, n, n, v(n, v(1, 2, 3, 4, 5, 6, 7, 8, 9))))",
    "local t, n = ... local u = {} for i = 1, 5 do u[i] = function() n = n + i return t, u end end "
    "return u[1](), u[5]()",
    "local t, n = ... local m = setmetatable({}, {__index = function(s, k) return {k} end, __add = "
    "function(a, b) return {a, b} end, __concat = function(a, b) return 'c' .. n end, __newindex = "
    "function(s, k, v) rawset(s, k, {v}) end, __len = function() return n end, __eq = function() "
    "return true end, __lt = function() return {} end, __call = function(s, ...) return {...} "
    "end}) "
    "m.a = m.b m.c = m + m local x = m .. 'y' local z = #m, m == {}, m < m, m(n, n)",
    "local t, n = ... do local c <close> = setmetatable({}, {__close = function() t.c = {n} end}) "
    "end for k, v in pairs({n, t}) do t[v] = {k} end",
    "local t, n = ... local ok, e = pcall(function() error({n}) end) local ok2, e2 = pcall(error, "
    "'x' "
    ".. n) return pcall(function() return n .. {} end)",
    "local t, n = ... return (('x'):rep(300):gsub('x', function(c) return c .. n end)), ('%5.2f "
    "%s'):"
    "format(n, t), table.concat({n, 'a', n}, ','), (tostring(n) .. 'b'):upper()",
    "local t, n = ... local u = {} for i = 1, 20 do table.insert(u, (i * 7) % 20) end "
    "table.sort(u, "
    "function(a, b) local p = {a, b} return p[1] < p[2] end) return table.unpack(u)",
    "local t, n = ... return load('local a = ... return function() return {a, ' .. n .. '} "
    "end')(n)",
    "local t, n = ... for i = 1, 60 do t['s' .. i * n] = i .. 'v' end",
    "local t, n = ... local a = {table.unpack({n, n, n, n, n, n, n})} local b = {n, ...} return "
    "{a, "
    "b, x = {...}, [n] = {a = 1, b = 2, c = 3}}",
};

/* Leaves an operation's function on the thread, compiled when it is played for the first time. */
static bool push_operation(lua_State *thread, const char *const *source) {
    if (lua_rawgetp(thread, LUA_REGISTRYINDEX, source) == LUA_TFUNCTION) return true;
    lua_pop(thread, 1);
    if (luaL_loadstring(thread, *source) != LUA_OK) return false;
    lua_pushvalue(thread, -1);
    lua_rawsetp(thread, LUA_REGISTRYINDEX, source);
    return true;
}

/* Every operation by every thread in turn. */
static void play_operations(LmpRegsStudy *study, lua_State *L, lua_State *const *threads) {
    for (size_t i = 0; i < sizeof c_ops / sizeof *c_ops; i++) {
        for (int k = 0; k < THREADS; k++) {
            lua_State *thread = threads[k];
            lua_pushcfunction(thread, c_ops[i]);
            lua_pushinteger(thread, k);
            perform(study, thread, threads[(k + 1) % THREADS], 1, 0);
            lua_settop(thread, thread == L ? 2 : 0);
        }
    }
    for (size_t i = 0; i < sizeof lua_ops / sizeof *lua_ops; i++) {
        for (int k = 0; k < THREADS; k++) {
            lua_State *thread = threads[k];
            if (!push_operation(thread, &lua_ops[i])) study->broken = true;
            lua_newtable(thread);
            lua_pushinteger(thread, 10 + k + 3 * study->refuse);
            perform(study, thread, threads[(k + 1) % THREADS], 2, 0);
            lua_settop(thread, thread == L ? 2 : 0);
        }
    }
}

/* A debug hook that does nothing, at each instruction: so the interpreter saves its pc. */
static void look_on(lua_State *L, lua_Debug *ar) {
    (void)L, (void)ar;
}

/* Repeats what Lua code requests while the saved pc is the right one, and looks whether the plan
 * agrees. */
static void rehearse(LmpRegsStudy *study, lua_State *L, lua_State *const *threads) {
    for (int k = 0; k < THREADS; k++)
        lua_sethook(threads[k], look_on, LUA_MASKCOUNT, 1);
    for (int round = 0; round < 2; round++) {
        study->refuse = round == 1;
        for (uint32_t i = 0; i < study->askers; i++)
            study->asker[i].refusals = 0;
        play_operations(study, L, threads);
    }
    study->refuse = false;
    for (int k = 0; k < THREADS; k++)
        lua_sethook(threads[k], NULL, 0, 0);
}

/* The exercises that tell owners, except the one about threads, which runs in one thread and
 * requests memory for another. */
static void play_exercises(LmpRegsStudy *study, lua_State *L, lua_State *const *threads) {
    for (int i = 0; i < LMP_CALIBRATION_EXERCISES; i++) {
        if (calibration_exercises[i].cls == LMP_C_THREAD_PART) continue;
        for (int k = 0; k < THREADS; k++) {
            lua_State *thread = threads[k];
            lua_pushvalue(L, 2); /* what calibration_prepare left */
            if (thread != L) lua_xmove(L, thread, 1);
            lua_pushcclosure(thread, calibration_exercises[i].play, 1);
            perform(study, thread, threads[(k + 1) % THREADS], 0, 0);
            lua_settop(thread, thread == L ? 2 : 0);
        }
    }
}

/* ---- constructors ---------------------------------------------------------------------------- */

/* What stands between the braces: `items` numbers, `fields`, then perhaps "...". */
static const struct Shape {
    int items, fields;
    bool more;
} shapes[] = {
    {0, 0, false}, {0, 0, true},   {3, 0, false}, {0, 1, false}, {0, LMP_MANY_FIELDS, false},
    {2, 1, true},  {60, 2, false}, {300, 0, true}};
/* What comes before it: constructors on other lines, and calls. */
static const struct Before {
    const char *code;
    uint32_t count, parts[LMP_CONSTRUCTORS - 1];
} befores[] = {{"", 0, {0}},
               {"local q = {} \n", 1, {0}},
               {"local q = f(a)\n", 0, {0}},
               {"local q = {a, a}\n q = {x = a} \n f(q)\n", 2, {1, 1}},
               {"do local q = f({a, a, x = a}, f(a)) end\n", 1, {2}}};
enum { SHAPES = sizeof shapes / sizeof *shapes, BEFORES = sizeof befores / sizeof *befores };

static void push_source(lua_State *L, const struct Shape *shape, const struct Before *before) {
    luaL_Buffer b;
    luaL_buffinit(L, &b);
    luaL_addstring(&b, "local a, f = ...\n");
    luaL_addstring(&b, before->code);
    luaL_addstring(&b, "local t = \n {");
    for (int i = 0; i < shape->items; i++)
        luaL_addstring(&b, "a,");
    char field[16];
    for (int i = 0; i < shape->fields; i++) {
        snprintf(field, sizeof field, "f%d=a,", i);
        luaL_addstring(&b, field);
    }
    luaL_addstring(&b, shape->more ? "...}" : "}");
    luaL_addstring(&b, "\ndo return 1 end\nreturn 2");
    luaL_pushresult(&b);
}

/* Reads the function on top of the stack: where its OP_NEWTABLEs are, and where "return 2" is:
 * three instructions before the end. */
static bool read_code(lua_State *L, LmpConstructing *c, const struct Shape *shape,
                      const struct Before *before) {
    const void *proto =
        (const void *)frames_word(lua_topointer(L, -1), LMP_AT_CLOSURE_CODE); /* NOLINT */
    uintptr_t code = frames_code(proto);
    uint32_t size = frames_code_size(proto), instruction;
    if (size < 6 || size > 10000) return false;
    uint32_t found = 0;
    for (uint32_t i = 0; i < size; i++) {
        memcpy(&instruction, (const void *)(code + i * sizeof instruction), sizeof instruction);
        if (luafacts_opcode(instruction) != LMP_OP_NEWTABLE) continue;
        if (found == LMP_CONSTRUCTORS) return false;
        c->table[found].parts = found < before->count ? before->parts[found] : 0;
        c->table[found++].pc = code + (i + 2) * sizeof instruction; /* behind its extra argument */
    }
    if (found != before->count + 1) return false;
    c->table[found - 1].parts = (uint32_t)(shape->items > 0) + (uint32_t)(shape->fields > 0);
    c->elsewhere = code + (size - 3) * sizeof instruction;
    c->count = found;
    c->at = c->parts_left = 0;
    return true;
}

/* The C function that constructors call: the first time it looks who has called it. */
static int calls_out(lua_State *L) {
    LmpRegsStudy *study = lua_touserdata(L, lua_upvalueindex(1));
    if (!study->probe.count) unwind_here(&study->probe);
    lua_settop(L, 1);
    return 1;
}

/* Runs one in a thread: what it returns, 0: it has failed. */
static int construct(LmpRegsStudy *study, lua_State *thread, const lua_State *other, int shape,
                     int before) {
    LmpConstructing *c = &study->constructing;
    int top = lua_gettop(thread), result = 0;
    lua_checkstack(thread, 2 * ROOM);
    push_source(thread, &shapes[shape], &befores[before]);
    if (luaL_loadstring(thread, lua_tostring(thread, -1)) == LUA_OK &&
        read_code(thread, c, &shapes[shape], &befores[before])) {
        lua_pushinteger(thread, 7);
        lua_pushlightuserdata(thread, study);
        lua_pushcclosure(thread, calls_out, 1);
        c->shape = shape;
        c->now = true;
        leave_junk(c->table[0].pc, c->elsewhere);
        if (perform(study, thread, other, 2, 1)) result = (int)lua_tointeger(thread, -1);
        c->now = false;
    }
    lua_settop(thread, top);
    return result;
}

static void play_constructors(LmpRegsStudy *study, lua_State *const *threads) {
    for (int i = 0; i < SHAPES; i++)
        for (int k = 0; k < BEFORES; k++) {
            lua_State *thread = threads[(i + k) % THREADS];
            if (construct(study, thread, threads[(i + k + 1) % THREADS], i, k) != 1)
                study->broken = true;
        }
}

/* ---- proofs ---------------------------------------------------------------------------------- */

/* Returns true if the loop goes on where it is told to, when another address is put at these
 * locations. */
static bool obeys(LmpRegsStudy *study, const LmpWayStudy *way, lua_State *thread,
                  const LmpLocation *locations, uint32_t n) {
    study->trying = way;
    memcpy(study->tried, locations, n * sizeof *locations);
    study->tries = n;
    bool there = construct(study, thread, thread, way->shape, 0) == 2;
    study->trying = NULL;
    return there;
}

static void keep_location(LmpWayStudy *way, LmpLocation location) {
    for (uint32_t i = 0; i < way->proven; i++)
        if (way->location[i].at == location.at) return;
    if (way->proven < LMP_LOCATIONS) way->location[way->proven++] = location;
}

/* Where no location alone is obeyed, two together may be: one that the next instruction is read
 * from, and one that becomes the address of the one after it. A word that is never read adds
 * nothing to another, so both are the program counter. */
static void prove(LmpRegsStudy *study, LmpWayStudy *way, lua_State *thread) {
    LmpLocation location[LMP_LOCATIONS];
    uint32_t n = 0;
    for (int a = 0; a < LMP_AHEAD; a++)
        for (int at = 0; at < way->end && n < LMP_LOCATIONS; at++)
            if (way->right[a].bits[at / 64] >> (at % 64) & 1)
                location[n++] = (LmpLocation){at, regs_study_ahead[a]};
    for (uint32_t i = 0; i < n; i++)
        if (obeys(study, way, thread, &location[i], 1)) keep_location(way, location[i]);
    for (uint32_t i = 0; i < n && !way->proven; i++) {
        for (uint32_t k = i + 1; k < n; k++) {
            LmpLocation both[2] = {location[i], location[k]};
            if (!obeys(study, way, thread, both, 2)) continue;
            keep_location(way, location[i]);
            keep_location(way, location[k]);
        }
    }
}

static void play_proofs(LmpRegsStudy *study, lua_State *const *threads) {
    for (uint32_t w = 0; w < study->ways; w++) {
        LmpWayStudy *way = &study->way[w];
        study->refuse = way->refused;
        if (way->shape >= 0) prove(study, way, threads[w % THREADS]);
    }
}

/* ---- all ------------------------------------------------------------------------------------- */

static int play_all(lua_State *L) {
    LmpRegsStudy *study = lua_touserdata(L, 1);
    lua_State *threads[THREADS] = {L};
    luaL_checkstack(L, ROOM, NULL);
    for (int k = 1; k < THREADS; k++) {
        threads[k] = lua_newthread(L);
        lua_rawsetp(L, LUA_REGISTRYINDEX, &threads[k]); /* stays alive */
        lua_checkstack(threads[k], ROOM);
    }
    construct(study, threads[1], L, 0, 2); /* so that calls_out knows the loop; to be forgotten */
    study->askers = study->ways = study->lost_ways = 0;
    for (int round = 0; round < 2; round++) {
        study->refuse = round == 1;
        play_operations(study, L, threads);
        play_exercises(study, L, threads);
        play_constructors(study, threads);
    }
    play_proofs(study, threads);
    study->refuse = false;
    study->plan = study->make_plan(study);
    rehearse(study, L, threads);
    study->plan = NULL;
    return 0;
}

/* In the main thread, with something in its way: free_callers_play sees what collections free. */
static int play_collector(lua_State *L) {
    LmpRegsStudy *study = lua_touserdata(L, 1);
    lua_settop(L, 0);
    if (!free_callers_play(&study->free_callers, L)) study->broken = true;
    return 0;
}

bool regs_play_all(LmpRegsStudy *study, lua_State *L) {
    lua_gc(L, LUA_GCSTOP); /* a step of the collector asks on behalf of other threads */
    lua_pushcfunction(L, calibration_prepare);
    bool ok = lua_pcall(L, 0, 1, 0) == LUA_OK;
    static const lua_CFunction plays[] = {play_all, play_collector};
    for (size_t i = 0; ok && i < sizeof plays / sizeof *plays; i++) {
        lua_pushcfunction(L, plays[i]);
        lua_pushlightuserdata(L, study);
        lua_pushvalue(L, 1);
        ok = lua_pcall(L, 2, 0, 0) == LUA_OK;
        study->running = NULL;
    }
    return ok && !study->broken;
}

#endif
