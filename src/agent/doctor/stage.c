/* stage.c - doctor's allocator, which counts and keeps a trail (a hash) of all requests, and the
 * two runs around it, repeated when a new second has changed the seed of hashes between them. */
#include "agent/doctor/stage.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <lauxlib.h>
#include <lualib.h>

#include "agent/doctor/hostcalls.h"
#include "agent/hook/hook_impl.h"
#include "agent/interp/luafacts.h"
#include "agent/session/profiler.h"
#include "base/array.h"

/* ---- the allocator below --------------------------------------------------------------------- */

static void note(Stage *s, uint64_t word) {
    Outcome *o = s->profiled ? &s->watched : &s->alone;
    o->trail = (o->trail ^ word) * 0x100000001b3ull + 1;
}

static Made *add_made(Stage *s) {
    Outcome *o = s->profiled ? &s->watched : &s->alone;
    s->failed = s->failed || !array_room(&s->made, &s->room, o->made + 2);
    return s->failed ? NULL : &s->made[++o->made];
}

/* Reads what the profiler has noted about the block made last, when the next operation begins. If
 * that is the block's own free, its entry is gone, but not its alloc context, except among
 * samples. */
static void read_answer(Stage *s, const void *freed) {
    if (!s->unread) return;
    LmpProfile *p = s->profile;
    Made *m = &s->made[s->unread];
    uintptr_t a = (uintptr_t)s->unread_at;
    uint64_t size;
    s->unread = 0;
    if (freed != s->unread_at) {
        const uint32_t *alloc_context = shadow_context(p, a);
        if (!alloc_context) return;
        m->alloc_context = *alloc_context;
        m->cls = shadow_lookup(p, a, &size) & 15;
        m->read = true;
    } else if (!p->sampling && a >> LMP_LEAF_BITS < LMP_DIR_SIZE && p->dir[a >> LMP_LEAF_BITS]) {
        m->alloc_context = hook_entry(p->dir[a >> LMP_LEAF_BITS], a)[HOOK_ALLOC_CONTEXT_AT];
        m->read = m->alloc_context != 0;
    }
}

static void count_made(Stage *s, ArenaBlock *b) {
    Made *m = add_made(s);
    if (!m) return;
    Outcome *o = s->profiled ? &s->watched : &s->alone;
    b->number = o->made;
    s->totals.mallocs++;
    s->totals.malloc_bytes += b->size;
    s->totals.live_blocks++;
    s->totals.live_bytes += b->size;
    if (s->profiled) {
        s->unread = o->made;
        s->unread_at = b->addr;
    } else {
        *m = (Made){.size = b->size, .type_tag = b->type_tag, .owner = b->owner};
    }
}

static void *make(Stage *s, size_t type_tag, size_t size) {
    uint32_t site = 0, path = 0;
    bool paths = s->mode->stacks || s->mode->sample; /* samples have theirs, too */
    if (s->armed && !s->profiled) site = witness_ask(&s->witness, paths ? &path : NULL);
    ArenaBlock *b = arena_make(&s->arena, size);
    if (!b) return NULL;
    b->type_tag = type_tag >= 4 && type_tag <= 10 ? (uint8_t)type_tag : 0;
    if (!s->profiled) owners_made(&s->owners, b);
    if (s->armed) {
        count_made(s, b);
        if (!s->profiled && !s->failed) {
            s->made[b->number].site = site;
            s->made[b->number].path = path;
        }
    }
    return b->addr;
}

static void *resize(Stage *s, ArenaBlock *b, size_t size) {
    size_t old = b->size;
    if (!arena_resize(&s->arena, b, size)) return NULL;
    if (s->armed && b->number) {
        s->totals.reallocs++;
        s->totals.realloc_bytes += (int64_t)size - (int64_t)old;
        s->totals.live_bytes += size - old;
    } else if (s->armed) {
        s->totals.before_reallocs++;
    }
    return b->addr;
}

static void drop(Stage *s, ArenaBlock *b) {
    if (s->armed && b->number) {
        s->totals.frees++;
        s->totals.free_bytes += b->size;
        s->totals.live_blocks--;
        s->totals.live_bytes -= b->size;
    } else if (s->armed) {
        s->totals.before_frees++;
    }
    if (!s->profiled) {
        if (b->number && !s->failed) s->made[b->number].owner = b->owner;
        owners_gone(&s->owners, b);
    }
    arena_drop(&s->arena, b);
}

static void *doctor_alloc(void *ud, void *ptr, size_t osize, size_t nsize) {
    Stage *s = ud;
    if (!ptr && !nsize) return NULL;
    if (s->profiled) {
        read_answer(s, nsize ? NULL : ptr);
    } else {
        owners_look(&s->owners, false);
    }
    ArenaBlock *b = ptr ? arena_find(&s->arena, ptr) : NULL;
    if (ptr && (!b || b->size != osize)) {
        fprintf(stderr, "lmp doctor: %p of %zu B is given back, which is none\n", ptr, osize);
        abort();
    }
    bool refused = s->armed && nsize > (ptr ? osize : 0) && s->mode->refuse &&
                   ++s->grown % s->mode->refuse == 0;
    void *r = NULL;
    if (!nsize) {
        drop(s, b);
    } else if (!refused) {
        r = ptr ? resize(s, b, nsize) : make(s, osize, nsize);
        if (s->totals.live_bytes > s->totals.peak_bytes)
            s->totals.peak_bytes = s->totals.live_bytes;
    }
    if (nsize && !r && s->armed) s->totals.failed++;
    if (s->armed) {
        note(s, (uintptr_t)ptr);
        note(s, (uint64_t)osize << 32 ^ nsize);
        note(s, (uintptr_t)r);
    }
    return r;
}

/* ---- a run ----------------------------------------------------------------------------------- */

static int set_up(lua_State *L) {
    Stage *s = lua_touserdata(L, 1);
    luaL_openlibs(L);
    hostlib_open(L, s);
    owners_learn(&s->owners, L);
    lua_settop(L, 0);
    char name[100];
    snprintf(name, sizeof name, "@%s", s->program->name);
    if (luaL_loadbuffer(L, s->program->text, s->program->length, name) != LUA_OK)
        return lua_error(L);
    if (s->mode->generational) {
        lua_gc(L, LUA_GCGEN, 0, 0);
    } else {
        lua_gc(L, LUA_GCCOLLECT);
    }
    return 1;
}

/* Starts the profiler; what Lua asks for counts from its end on. */
static int begin(lua_State *L) {
    Stage *s = lua_touserdata(L, 1);
    LmpOptions options = profiler_defaults;
    LmpErr display;
    void *ud;
    options.summary = "";
    options.name = "lmp doctor";
    options.stacks = s->mode->stacks;
    options.sample = s->mode->sample;
    LmpErr err = profiler_start(L, &options, &display);
    if (err) {
        s->trouble = err_message(err);
        return 0;
    }
    s->hook = lua_getallocf(L, &ud);
    s->profile = ud;
    if (!s->profiled) {
        lua_setallocf(L, doctor_alloc, s);
        witness_watch(L, NULL, 0, 0);
        s->witness.main = L;
    }
    s->armed = true;
    return 0;
}

static void run_program(Stage *s, Outcome *o) {
    lua_State *L = s->L;
    o->status = lua_pcall(L, 0, 1, 0);
    if (o->status == LUA_OK) o->status = hostcalls_run_returned(L);
    const char *message = o->status != LUA_OK ? lua_tostring(L, -1) : "";
    if (s->profiled) read_answer(s, NULL);
    s->armed = false;
    snprintf(o->message, sizeof o->message, "%s", message ? message : luaL_typename(L, -1));
    lua_sethook(L, NULL, 0, 0);
}

/* The owners of blocks that are still there. */
static void note_owners(Stage *s) {
    owners_look(&s->owners, true);
    for (uint32_t i = 1; i < s->arena.blocks; i++) {
        const ArenaBlock *b = &s->arena.block[i];
        if (b->addr && b->number) s->made[b->number].owner = b->owner;
    }
}

static bool call(Stage *s, lua_CFunction f, int results) {
    lua_State *L = s->L;
    lua_pushcfunction(L, f);
    lua_pushlightuserdata(L, s);
    if (lua_pcall(L, 1, results, 0) == LUA_OK && !s->trouble) return true;
    if (!s->trouble) {
        static char why[200];
        snprintf(why, sizeof why, "%s", lua_tostring(L, -1));
        s->trouble = why;
    }
    return false;
}

bool stage_runs_agree(const Stage *s) {
    return s->alone.trail == s->watched.trail && s->alone.status == s->watched.status &&
           strcmp(s->alone.message, s->watched.message) == 0;
}

/* Plays the program once. Must be called from the same depth each time: the address of a local
 * variable of lua_newstate's, and time, are part of the seed of hashes. */
static __attribute__((noinline)) bool run(Stage *s, bool profiled, bool last) {
    Outcome *o = profiled ? &s->watched : &s->alone;
    arena_reset(&s->arena);
    owners_reset(&s->owners, &s->arena);
    s->profiled = profiled;
    s->armed = false;
    s->unread = 0;
    s->grown = 0;
    s->totals = (Totals){0};
    s->witness.resumes = s->witness.closings = 0;
    *o = (Outcome){.trail = 0xcbf29ce484222325ull};
    s->L = luafacts_newstate(doctor_alloc, s);
    if (!s->L) {
        s->trouble = "lua_newstate gives no state";
        return false;
    }
    bool ok = call(s, set_up, 1) && call(s, begin, 0);
    if (ok) {
        run_program(s, o);
        if (profiled) {
            if (last || stage_runs_agree(s)) s->judge(s, s->judge_ud);
        } else {
            note_owners(s);
            lua_setallocf(s->L, s->hook, s->profile);
        }
        profiler_stop(s->L, NULL);
    }
    s->profile = NULL;
    s->witness.main = NULL;
    lua_close(s->L);
    if (ok && s->arena.live) s->trouble = "lua_close did not free every block";
    if (s->failed || s->witness.failed || s->owners.failed) s->trouble = "no memory";
    return !s->trouble;
}

/* The seed of hashes changes with every second: a pair of runs may fall between two. */
enum { TRIES = 4 };

bool stage_play(Stage *s, const Program *program, const Mode *mode, void (*judge)(Stage *, void *),
                void *ud) {
    s->program = program;
    s->mode = mode;
    s->trouble = NULL;
    s->judge = judge;
    s->judge_ud = ud;
    for (int i = 0; i < TRIES; i++) {
        bool last = i + 1 == TRIES;
        if (!run(s, false, last) || !run(s, true, last)) return false;
        if (stage_runs_agree(s)) break;
    }
    return true;
}

bool stage_open(Stage *s) {
    memset(s, 0, sizeof *s);
    return arena_open(&s->arena) && witness_open(&s->witness);
}

void stage_close(Stage *s) {
    arena_close(&s->arena);
    owners_free(&s->owners);
    witness_close(&s->witness);
    free(s->made);
    memset(s, 0, sizeof *s);
}
