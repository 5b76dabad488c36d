/* host.c - see host.h. */
#include "host.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <lauxlib.h>
#include <lualib.h>

/* Lua seeds its string hash with the time: without it two runs in one process are the same. */
time_t time(time_t *t) {
    if (t) *t = 1000000000;
    return 1000000000;
}

uint64_t host_clock(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

void host_error(Host *h, const char *format, ...) {
    h->errors++;
    if (h->errors > 40) return;
    va_list args;
    va_start(args, format);
    fprintf(stderr, "%s: ", h->name);
    vfprintf(stderr, format, args);
    fputc('\n', stderr);
    va_end(args);
}

static Host *host_of(lua_State *L) {
    Host *h;
    memcpy(&h, lua_getextraspace(L), sizeof h);
    return h;
}

/* ---- comparison ------------------------------------------------------------------------------ */

static const struct {
    const char *name;
    size_t at;
} figures[] = {
#define FIGURE(name)                                                                               \
    { #name, offsetof(OracleFigures, name) }
    FIGURE(mallocs),    FIGURE(malloc_bytes), FIGURE(reallocs),     FIGURE(realloc_bytes),
    FIGURE(frees),      FIGURE(free_bytes),   FIGURE(failed),       FIGURE(live_blocks),
    FIGURE(live_bytes), FIGURE(peak_bytes),   FIGURE(before_frees),
#undef FIGURE
};

/* An integer field of the table on top. */
static long long field(Host *h, lua_State *L, const char *what, const char *name) {
    lua_getfield(L, -1, name);
    if (!lua_isinteger(L, -1))
        host_error(h, "%s%s is no integer but a %s", what, name, luaL_typename(L, -1));
    long long v = lua_tointeger(L, -1);
    lua_pop(L, 1);
    return v;
}

static void same(Host *h, const char *label, const char *what, const char *name, long long got,
                 long long want) {
    if (got != want)
        host_error(h, "at %s (%d): %s%s is %lld, not %lld (%+lld)", label, h->checks, what, name,
                   got, want, got - want);
}

static void check_kinds(Host *h, lua_State *L, const char *label, const OracleFigures *f,
                        const OracleKind *loose) {
    long long sum[6] = {0};
    lua_getfield(L, -1, "types");
    if (!lua_istable(L, -1)) {
        host_error(h, "stats().types is no table");
        lua_pop(L, 1);
        return;
    }
    for (int k = 0; k < O_KINDS; k++) {
        char what[40];
        snprintf(what, sizeof what, "types.%s.", oracle_kind_name[k]);
        lua_getfield(L, -1, oracle_kind_name[k]);
        if (!lua_istable(L, -1)) {
            host_error(h, "stats().types.%s is no table", oracle_kind_name[k]);
            lua_pop(L, 1);
            continue;
        }
        const OracleKind *want = &f->kind[k];
        OracleKind add = k == O_FUNCTION ? *loose : (OracleKind){0};
        long long allocs = field(h, L, what, "allocs"), blocks = field(h, L, what, "live_blocks"),
                  bytes = field(h, L, what, "live_bytes"),
                  tag_allocs = field(h, L, what, "tag_allocs"),
                  tag_bytes = field(h, L, what, "tag_live_bytes");
        same(h, label, what, "tag_allocs", tag_allocs, (long long)want->tag_allocs);
        same(h, label, what, "tag_live_bytes", tag_bytes, want->tag_live_bytes);
        if (!h->quiet) {
            same(h, label, what, "live_blocks", blocks,
                 (long long)(want->live_blocks + add.live_blocks));
            same(h, label, what, "live_bytes", bytes, want->live_bytes + add.live_bytes);
            if (h->o.deep)
                same(h, label, what, "allocs", allocs, (long long)(want->allocs + add.allocs));
        }
        if (k == O_OTHER && f->live_bytes > 0) {
            double share = (double)bytes / (double)f->live_bytes;
            if (share > h->other_share) h->other_share = share;
        }
        sum[0] += allocs;
        sum[1] += blocks;
        sum[2] += bytes;
        sum[3] += tag_allocs;
        sum[4] += tag_bytes;
        sum[5] += field(h, L, what, "peak_bytes");
        lua_pop(L, 1);
    }
    lua_pop(L, 1);
    same(h, label, "sum of types.*.", "allocs", sum[0], (long long)f->mallocs);
    same(h, label, "sum of types.*.", "live_blocks", sum[1], (long long)f->live_blocks);
    same(h, label, "sum of types.*.", "live_bytes", sum[2], (long long)f->live_bytes);
    same(h, label, "sum of types.*.", "tag_allocs", sum[3], (long long)f->mallocs);
    same(h, label, "sum of types.*.", "tag_live_bytes", sum[4], (long long)f->live_bytes);
    same(h, label, "sum of types.*.", "peak_bytes", sum[5], (long long)f->peak_bytes);
}

/* Sites come to the totals; the result of stats{sites=true} is on top. */
static void check_sites(Host *h, lua_State *L, const char *label, const OracleFigures *f) {
    static const char *const names[] = {"allocs",        "bytes",      "reallocs",
                                        "realloc_bytes", "frees",      "free_bytes",
                                        "live_blocks",   "live_bytes", "peak_live_bytes"};
    const long long want[] = {
        (long long)f->mallocs,     (long long)f->malloc_bytes, (long long)f->reallocs,
        f->realloc_bytes,          (long long)f->frees,        (long long)f->free_bytes,
        (long long)f->live_blocks, (long long)f->live_bytes,   (long long)f->peak_bytes};
    enum { NAMES = sizeof want / sizeof *want };
    long long sum[NAMES] = {0};
    if (lua_getfield(L, -1, "sites") == LUA_TTABLE)
        for (lua_Integer i = 1, n = (lua_Integer)lua_rawlen(L, -1); i <= n; i++) {
            lua_rawgeti(L, -1, i);
            for (int k = 0; k < NAMES; k++)
                sum[k] += field(h, L, "a site's ", names[k]);
            lua_pop(L, 1);
        }
    lua_pop(L, 1);
    for (int k = 0; k < NAMES; k++)
        same(h, label, "sum of sites.", names[k], sum[k], want[k]);
}

static int nothing(lua_State *L) {
    (void)L;
    return 0;
}

/* The oracle with itself: each part has exactly one owner; only the parser's buffers, which it
 * keeps on C's stack, have none while it runs (finalizers may run within). Those count as function
 * memory. */
static void check_scan(Host *h, const char *label, OracleKind *loose) {
    OracleScan scan;
    oracle_link(&h->o);
    oracle_scan(&h->o, &scan);
    memset(loose, 0, sizeof *loose);
    loose->allocs = h->o.f.unlinked;
    for (size_t i = 0; i < h->o.pending_n; i++)
        if (h->o.pending[i]->life == OL_COUNTED) {
            loose->allocs++;
            loose->live_blocks++;
            loose->live_bytes += (int64_t)h->o.pending[i]->size;
        }
    if (scan.disputed || scan.changed)
        host_error(
            h, "at %s: the oracle is at odds: %zu parts have two owners, %zu another than before",
            label, scan.disputed, scan.changed);
    if (scan.unowned && !strstr(label, "parsing") && !strstr(label, "__gc"))
        host_error(h, "at %s: %zu parts (%zu bytes) have no owner", label, scan.unowned,
                   scan.unowned_bytes);
}

void host_check(Host *h, lua_State *L, const char *label) {
    if (!h->o.L) return; /* a finalizer, at the end */
    h->checks++;
    OracleKind loose;
    if (h->hook != HH_PROFILED) {
        if (!h->quiet) check_scan(h, label, &loose);
        return;
    }
    luaL_checkstack(L, 60, "check");
    int top = lua_gettop(L);
    lua_pushcfunction(L, nothing); /* so that the call of stats needs no new CallInfo */
    lua_call(L, 0, 0);
    lua_getfield(L, LUA_REGISTRYINDEX, "truth.stats");
    check_scan(h, label, &loose);
    OracleFigures f = h->o.f;
    uint64_t now = host_clock();
    if (h->sites) lua_getfield(L, LUA_REGISTRYINDEX, "truth.sites");
    if (host_api(h, L, h->sites, 1) != LUA_OK) {
        host_error(h, "at %s: stats() raised: %s", label, lua_tostring(L, -1));
    } else if (!lua_istable(L, -1)) {
        host_error(h, "at %s: stats() gave a %s", label, luaL_typename(L, -1));
    } else {
        long long dropped = field(h, L, "", "dropped");
        if (dropped != 0 && h->may_drop) {
            h->dropped = dropped;
            long long mallocs = field(h, L, "", "mallocs"), all = (long long)f.mallocs;
            if (mallocs > all || mallocs + dropped < all) /* moved blocks can be dropped, too */
                host_error(h, "at %s: %lld mallocs and %lld dropped are not %lld", label, mallocs,
                           dropped, all);
            lua_settop(L, top);
            return;
        }
        same(h, label, "", "dropped", dropped, 0);
        for (size_t i = 0; i < sizeof figures / sizeof *figures; i++) {
            long long want;
            memcpy(&want, (char *)&f + figures[i].at, sizeof want);
            same(h, label, "", figures[i].name, field(h, L, "", figures[i].name), want);
        }
        check_kinds(h, L, label, &f, &loose);
        if (h->sites) check_sites(h, L, label, &f);
        if (field(h, L, "", "gc_cycles") < 0) host_error(h, "gc_cycles is below zero");
        lua_getfield(L, -1, "seconds");
        double seconds = lua_tonumber(L, -1), most = (double)(host_clock() - h->started) / 1e9;
        if (!lua_isnumber(L, -1) || seconds < 0 || seconds > most ||
            seconds < (double)(now - h->started) / 1e9 - 5)
            host_error(h, "at %s: seconds is %g, and %g at most", label, seconds, most);
    }
    lua_settop(L, top);
}

/* ---- the API as the script sees it ----------------------------------------------------------- */

int host_api(Host *h, lua_State *L, int nargs, int nresults) {
    Oracle *o = &h->o;
    lua_State *saved_L = o->api_L;
    const void *saved_ci = o->api_ci;
    lua_Debug ar;
    o->api_ci = lua_getstack(L, 0, &ar) ? (const void *)ar.i_ci : NULL;
    o->api_L = L;
    int status = lua_pcall(L, nargs, nresults, 0);
    o->api_L = saved_L;
    o->api_ci = saved_ci;
    oracle_poll(o);
    return status;
}

/* A function of the API (upvalue 1), announced to the oracle. */
static int l_api(lua_State *L) {
    Host *h = host_of(L);
    lua_pushvalue(L, lua_upvalueindex(1));
    lua_insert(L, 1);
    if (h->hook == HH_UNHOOKED) return 0;
    if (host_api(h, L, lua_gettop(L) - 1, LUA_MULTRET) != LUA_OK) return lua_error(L);
    return lua_gettop(L);
}

static int l_check(lua_State *L) {
    host_check(host_of(L), L, luaL_optstring(L, 1, "check"));
    return 0;
}

static int l_original(lua_State *L) {
    void *ud;
    lua_pushboolean(L, lua_getallocf(L, &ud) == oracle_alloc && ud == &host_of(L)->o);
    return 1;
}

static int l_bigdata(lua_State *L) {
    lua_newuserdatauv(L, (size_t)luaL_checkinteger(L, 1), 1);
    return 1;
}

static int l_print(lua_State *L) {
    Host *h = host_of(L);
    int n = lua_gettop(L);
    for (int i = 1; i <= n; i++) {
        size_t len;
        const char *s = luaL_tolstring(L, i, &len);
        if (h->out_n + len + 2 > h->out_room) {
            h->out_room = (h->out_n + len + 2) * 2;
            h->out = realloc(h->out, h->out_room);
        }
        memcpy(h->out + h->out_n, s, len);
        h->out_n += len;
        h->out[h->out_n++] = i < n ? '\t' : '\n';
        h->out[h->out_n] = '\0';
        lua_pop(L, 1);
    }
    return 0;
}

/* ---- life ------------------------------------------------------------------------------------ */

static void *pass_through(void *ud, void *ptr, size_t osize, size_t nsize) {
    return oracle_alloc(ud, ptr, osize, nsize);
}

static int setup(lua_State *L) {
    Host *h = host_of(L);
    luaL_openlibs(L);
    lua_createtable(L, 0, 1); /* the argument of stats() */
    lua_pushboolean(L, 1), lua_setfield(L, -2, "sites");
    lua_setfield(L, LUA_REGISTRYINDEX, "truth.sites");
    lua_register(L, "check", l_check);
    lua_register(L, "original", l_original);
    lua_register(L, "bigdata", l_bigdata);
    lua_register(L, "print", l_print);
    lua_newtable(L);
    if (h->hook == HH_NONE) {
        static const char *const names[] = {"start", "stop", "stats", "mark"};
        for (int i = 0; i < 4; i++)
            lua_pushcfunction(L, nothing), lua_setfield(L, -2, names[i]);
        lua_setglobal(L, "lmp");
        return 0;
    }
    lua_getglobal(L, "package");
    lua_pushfstring(L, "%s/?.so", (const char *)lua_touserdata(L, 1));
    lua_setfield(L, -2, "cpath");
    lua_pop(L, 1);
    lua_getglobal(L, "require");
    lua_pushliteral(L, "luamemprofiler");
    lua_call(L, 1, 1);
    lua_pushnil(L);
    while (lua_next(L, -2)) { /* table of wrappers, module, key, value */
        if (lua_isfunction(L, -1)) {
            lua_pushfstring(L, "truth.%s", lua_tostring(L, -2));
            lua_pushvalue(L, -2);
            lua_settable(L, LUA_REGISTRYINDEX);
            lua_pushcclosure(L, l_api, 1);
        }
        lua_pushvalue(L, -2);
        lua_insert(L, -2);
        lua_settable(L, -5);
    }
    lua_pop(L, 1);
    lua_setglobal(L, "lmp");
    return 0;
}

bool host_open(Host *h, const char *name, HostHook hook, OracleBack back, bool deep,
               const char *module) {
    memset(h, 0, sizeof *h);
    h->name = name;
    h->hook = hook;
    oracle_init(&h->o, back, deep);
    h->L = lua_newstate(oracle_alloc, &h->o);
    if (!h->L) return false;
    memcpy(lua_getextraspace(h->L), &h, sizeof h);
    lua_pushcfunction(h->L, setup);
    lua_pushlightuserdata(h->L, (void *)module);
    if (lua_pcall(h->L, 1, 0, 0) != LUA_OK) {
        host_error(h, "%s", lua_tostring(h->L, -1));
        return false;
    }
    if (!oracle_calibrate(&h->o, h->L)) {
        host_error(h, "the oracle does not understand this Lua");
        return false;
    }
    return true;
}

bool host_start(Host *h) {
    lua_State *L = h->L;
    h->started = host_clock();
    if (h->hook == HH_NONE) {
        lua_setallocf(L, pass_through, &h->o);
        oracle_poll(&h->o);
        return true;
    }
    lua_getfield(L, LUA_REGISTRYINDEX, "truth.start");
    lua_pushfstring(L, "return {%s}", h->options ? h->options : "");
    if (luaL_dostring(L, lua_tostring(L, -1)) != LUA_OK) {
        host_error(h, "options: %s", lua_tostring(L, -1));
        return false;
    }
    lua_remove(L, -2);
    lua_pushboolean(L, 0), lua_setfield(L, -2, "live");
    lua_pushboolean(L, 0), lua_setfield(L, -2, "summary");
    if (host_api(h, L, 1, 0) != LUA_OK) {
        host_error(h, "start() raised: %s", lua_tostring(L, -1));
        return false;
    }
    if (!h->o.hooked) {
        host_error(h, "start() put no hook in");
        return false;
    }
    if (h->hook == HH_UNHOOKED) {
        h->o.frozen = true; /* life and figures go on as if the hook were there */
        lua_setallocf(L, oracle_alloc, &h->o);
    }
    return true;
}

bool host_stop(Host *h) {
    lua_State *L = h->L;
    if (h->hook == HH_NONE) {
        lua_setallocf(L, oracle_alloc, &h->o);
        oracle_poll(&h->o);
    }
    if (h->hook != HH_PROFILED) return true;
    lua_getfield(L, LUA_REGISTRYINDEX, "truth.stop");
    if (host_api(h, L, 0, 0) != LUA_OK) {
        host_error(h, "stop() raised: %s", lua_tostring(L, -1));
        return false;
    }
    if (h->o.hooked) host_error(h, "stop() left a hook");
    return !h->o.hooked;
}

int host_close(Host *h) {
    if (h->L) {
        h->o.L = NULL;
        lua_close(h->L);
    }
    if (oracle_blocks(&h->o) > 0)
        host_error(h, "%zu blocks were not freed by lua_close", oracle_blocks(&h->o));
    if (h->o.misuse) host_error(h, "blocks were given back with another size or pointer");
    oracle_free(&h->o);
    free(h->out);
    h->out = NULL;
    h->L = NULL;
    return h->errors;
}
