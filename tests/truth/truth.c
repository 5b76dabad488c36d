/* truth.c - runs a Lua script with the oracle beneath the profiler and compares all figures.
 *
 *   truth run [OPTIONS] SCRIPT [ARGS]    figures at every check() of the script, and at its end
 *   truth fail [OPTIONS] SCRIPT [ARGS]   the same with a request that fails, for each request
 * Options:
 *   --module=DIR    where luamemprofiler.so is; without it there is no profiler, and only the
 *                   oracle checks itself
 *   --back=NAME     malloc, move, packed, spread: where the blocks come from
 *   --options=TEXT  of lmp.start, as in a table constructor: "stacks=true"
 *   --sites         besides, sites must come to the totals
 *   --shallow       owners of parts are looked for at the checks only
 *   --every=N       besides, check after every N instructions
 *   --seed=N|clock  last argument of the script; it is printed
 *   --mode=NAME     fail: once, twice, from (all three without it)
 *   --stride=N      fail: only every Nth request
 * Exit status 0: all figures are right.
 *
 * This is the one test that shares no code with lmp: neither this file nor the oracle includes a
 * header of lmp's or links anything of it. The module is loaded as a user's program loads it. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <lauxlib.h>

#include "host.h"

static const char *const back_name[OB_BACKS] = {"malloc", "move", "packed", "spread"};
static const char *const fail_name[] = {"never", "once", "twice", "from"};

typedef struct Options {
    const char *module, *script, *options;
    char **args;
    int nargs;
    OracleBack back;
    bool deep, sites;
    int every, mode, stride;
    char seed[24]; /* empty: none */
} Options;

static void every_hook(lua_State *L, lua_Debug *ar) {
    (void)ar;
    Host *h;
    memcpy(&h, lua_getextraspace(L), sizeof h);
    if (h->o.hooked) host_check(h, L, "instruction (parsing)");
}

/* Loads the script (before start, so that only its run counts), with its arguments. */
static bool load_script(Host *h, const Options *op) {
    if (luaL_loadfile(h->L, op->script) != LUA_OK) {
        host_error(h, "%s", lua_tostring(h->L, -1));
        return false;
    }
    for (int i = 0; i < op->nargs; i++)
        lua_pushstring(h->L, op->args[i]);
    lua_pushstring(h->L, op->seed);
    return true;
}

static int run(const Options *op) {
    Host h;
    if (!host_open(&h, op->script, op->module ? HH_PROFILED : HH_NONE, op->back, op->deep,
                   op->module))
        return 1;
    h.options = op->options;
    h.sites = op->sites;
    h.may_drop = op->back == OB_PACKED; /* no end of blocks that do not fit the map's grid */
    if (load_script(&h, op) && host_start(&h)) {
        host_check(&h, h.L, "start");
        if (op->every) lua_sethook(h.L, every_hook, LUA_MASKCOUNT, op->every);
        if (lua_pcall(h.L, op->nargs + 1, 0, 0) != LUA_OK)
            host_error(&h, "%s", lua_tostring(h.L, -1));
        lua_sethook(h.L, NULL, 0, 0);
        host_check(&h, h.L, "end");
        lua_settop(h.L, 0);
        lua_gc(h.L, LUA_GCCOLLECT);
        host_check(&h, h.L, "end, collected");
        OracleFigures f = h.o.f;
        host_stop(&h);
        lua_gc(h.L, LUA_GCCOLLECT);
        printf("%s %s: %d checks, %llu mallocs, %llu reallocs, %llu frees, peak %llu B, "
               "other at most %.2f %% of the live bytes%s\n",
               op->script, back_name[op->back], h.checks, (unsigned long long)f.mallocs,
               (unsigned long long)f.reallocs, (unsigned long long)f.frees,
               (unsigned long long)f.peak_bytes, 100 * h.other_share,
               h.dropped ? ", some allocations dropped" : "");
    }
    return host_close(&h);
}

/* ---- failures -------------------------------------------------------------------------------- */

typedef struct Outcome {
    int status;
    char message[256];
    char *out;
    uint64_t grown, trail, failed, peak;
} Outcome;

static int run_failing(const Options *op, HostHook hook, OracleFail fail, uint64_t at,
                       Outcome *outcome) {
    char name[300];
    snprintf(name, sizeof name, "%s, request %llu fails (%s)%s", op->script, (unsigned long long)at,
             fail_name[fail], hook == HH_PROFILED ? "" : " unprofiled");
    Host h;
    memset(outcome, 0, sizeof *outcome);
    if (!host_open(&h, name, hook, op->back, op->deep, op->module)) return 1;
    h.quiet = true;
    h.options = op->options;
    h.sites = op->sites;
    if (load_script(&h, op) && host_start(&h)) {
        oracle_arm(&h.o, fail, at);
        outcome->status = lua_pcall(h.L, op->nargs + 1, 0, 0);
        h.o.fail = OF_NEVER;
        outcome->grown = h.o.grown;
        outcome->trail = h.o.trail;
        outcome->failed = h.o.f.failed;
        outcome->peak = h.o.f.peak_bytes;
        if (outcome->status != LUA_OK)
            snprintf(outcome->message, sizeof outcome->message, "%s",
                     lua_tostring(h.L, -1) ? lua_tostring(h.L, -1) : luaL_typename(h.L, -1));
        host_check(&h, h.L, "end");
        lua_settop(h.L, 0);
        lua_gc(h.L, LUA_GCCOLLECT);
        host_check(&h, h.L, "end, collected");
        host_stop(&h);
        outcome->out = h.out;
        h.out = NULL;
    }
    return host_close(&h);
}

static int outcomes_differ(const Options *op, const Outcome *a, const Outcome *b, uint64_t at,
                           OracleFail fail) {
    const char *out_a = a->out ? a->out : "", *out_b = b->out ? b->out : "";
    if (a->status == b->status && strcmp(a->message, b->message) == 0 &&
        strcmp(out_a, out_b) == 0 && a->grown == b->grown && a->trail == b->trail &&
        a->failed == b->failed && a->peak == b->peak)
        return 0;
    fprintf(stderr,
            "%s: with request %llu failing (%s) the profiled run differs from the other:\n"
            "  status %d, %d; message '%s', '%s'; output %s\n"
            "  requests for more %llu, %llu; sequence of requests %s; failed %llu, %llu\n",
            op->script, (unsigned long long)at, fail_name[fail], b->status, a->status, b->message,
            a->message, strcmp(out_a, out_b) == 0 ? "the same" : "DIFFERENT",
            (unsigned long long)b->grown, (unsigned long long)a->grown,
            a->trail == b->trail ? "the same" : "DIFFERENT", (unsigned long long)b->failed,
            (unsigned long long)a->failed);
    return 1;
}

static int fail_each(const Options *op, OracleFail fail) {
    int errors = 0, raised = 0;
    uint64_t at = 1, runs = 0;
    for (bool more = true; more && errors < 20; at += (uint64_t)op->stride) {
        Outcome plain, profiled;
        errors += run_failing(op, op->module ? HH_UNHOOKED : HH_NONE, fail, at, &plain);
        errors += run_failing(op, op->module ? HH_PROFILED : HH_NONE, fail, at, &profiled);
        errors += outcomes_differ(op, &plain, &profiled, at, fail);
        more = plain.grown >= at;
        if (plain.status != LUA_OK) raised++;
        if (!more && plain.status != LUA_OK) {
            fprintf(stderr, "%s: %s\n", op->script, plain.message);
            errors++;
        }
        free(plain.out);
        free(profiled.out);
        runs++;
    }
    printf("%s: %llu requests failing (%s), %d runs raised an error\n", op->script,
           (unsigned long long)runs - 1, fail_name[fail], raised);
    return errors;
}

static int fail_all(const Options *op) {
    int errors = 0;
    for (int mode = OF_ONCE; mode <= OF_FROM; mode++)
        if (op->mode == OF_NEVER || op->mode == mode) errors += fail_each(op, (OracleFail)mode);
    return errors;
}

/* ---- command line ---------------------------------------------------------------------------- */

static int name_index(const char *name, const char *const *names, int n) {
    for (int i = 0; i < n; i++)
        if (strcmp(name, names[i]) == 0) return i;
    fprintf(stderr, "truth: unknown name %s\n", name);
    exit(2);
}

int main(int argc, char **argv) {
    Options op = {.deep = true, .stride = 1};
    int i = 2;
    for (; i < argc && strncmp(argv[i], "--", 2) == 0; i++) {
        char *value = strchr(argv[i], '=');
        size_t n = value ? (size_t)(value++ - argv[i]) : strlen(argv[i]);
#define IS(option) (strlen(option) == n && strncmp(argv[i], option, n) == 0)
        if (IS("--module"))
            op.module = value;
        else if (IS("--back"))
            op.back = (OracleBack)name_index(value, back_name, OB_BACKS);
        else if (IS("--sites"))
            op.sites = true;
        else if (IS("--options"))
            op.options = value;
        else if (IS("--shallow"))
            op.deep = false;
        else if (IS("--every"))
            op.every = atoi(value);
        else if (IS("--mode"))
            op.mode = name_index(value, fail_name, 4);
        else if (IS("--seed"))
            snprintf(op.seed, sizeof op.seed, "%llu",
                     strcmp(value, "clock") ? strtoull(value, NULL, 10)
                                            : host_clock() % 1000000000);
        else if (IS("--stride"))
            op.stride = atoi(value);
        else
            return fprintf(stderr, "truth: unknown option %s\n", argv[i]), 2;
#undef IS
    }
    if (i >= argc) return fprintf(stderr, "usage: truth run|fail [OPTIONS] SCRIPT [ARGS]\n"), 2;
    op.script = argv[i++];
    op.args = argv + i;
    op.nargs = argc - i;
    if (*op.seed) printf("%s: --seed=%s\n", op.script, op.seed);
    int errors = strcmp(argv[1], "fail") == 0 ? fail_all(&op) : run(&op);
    return errors ? 1 : 0;
}
