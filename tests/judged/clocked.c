/* clocked.c - the programs of clocked/, of which some leak and some (NAME.not.lua) do not, and what
 * lmp says of them.
 *
 *     judge_clocked MODE PROGRAM.lua...      incremental, generational or asked
 *
 * Prints a line for each; the status is 1 if one is wrong.
 *
 * A program gives a function, which is called with 1, 2, 3 ...; the collector works as MODE says
 * (asked: only in full collections, at every 50th call). The clock stands still but for requests
 * for memory, 40 microseconds each, so that all is about the same in each run and on each machine.
 *
 * A program that leaks marks the lines that may be said to grow with "--> grows"; where the leak
 * does not begin at once the program calls begins(). What is said of it is right if some of these
 * lines, and no others, grow from the twelfth full collection after that or the tenth second after
 * it on, whichever is later, to the end; and if `no growth` is not said from then on, nor at the
 * end when there were fewer collections. One with "--> late" in it has thirty seconds: chance makes
 * its leak hard to see. A sound one is right if nothing is said to grow at the end. */
#include <lauxlib.h>
#include <lualib.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "agent/interp/luafacts.h"
#include "agent/session/profiler.h"
#include "base/os.h"

enum { CALLS = 2400, LOOK = 8, FULL = 12, ASKED = 50, LINES = 200, MOST = 64 };
#define SECONDS 10
#define SECONDS_LATE 30

static uint64_t requests;

static uint64_t clock_of_requests(void) {
    return requests * 40000;
}

static void *alloc(void *ud, void *ptr, size_t osize, size_t nsize) {
    (void)ud, (void)osize;
    requests++;
    if (nsize > 0) return realloc(ptr, nsize);
    free(ptr);
    return NULL;
}

/* ---- one program ----------------------------------------------------------------------------- */

typedef struct Seen {
    uint32_t growth; /* LmpGrowth at the last look */
    bool right_site; /* no other site was said to grow */
    uint64_t full;
    double seconds;
    char words[192];
    char others[64]; /* lines that were said to grow and should not */
} Seen;

typedef struct Run {
    const char *path, *mode;
    bool leaks, later, late, marked[LINES];
    Seen last, due;     /* at the end; at the twelfth collection or the tenth second */
    uint64_t from_full; /* the leak's beginning */
    double from_seconds;
    bool began, was_due, wrong_after, green_after;
    uint64_t found_full; /* since when growth was found without a break; 0: it is not */
    double found_seconds;
} Run;

static void die(const Run *run, const char *what) {
    fprintf(stderr, "%s: %s\n", run->path, what);
    exit(2);
}

static void read_marks(Run *run) {
    char line[512];
    FILE *f = fopen(run->path, "r");
    if (!f) die(run, "cannot be read");
    for (int n = 1; fgets(line, sizeof line, f); n++) {
        if (n < LINES && strstr(line, "--> grows")) run->marked[n] = true;
        if (strstr(line, "begins()")) run->later = true;
        if (strstr(line, "--> late")) run->late = true;
    }
    fclose(f);
}

static void look(Run *run, lua_State *L, Ledger *ledger) {
    static LmpLeak leak[MOST];
    LmpJudgement judgement;
    uint32_t n;
    Seen *seen = &run->last;
    if (profiler_ledger(L, LEDGER_SITES, ledger) != LMP_OK) die(run, "no ledger");
    ledger_leaks(ledger, leak, MOST, &n, &judgement);
    seen->growth = judgement.growth;
    seen->full = judgement.cycles;
    seen->seconds = (double)clock_of_requests() / 1e9;
    snprintf(seen->words, sizeof seen->words, "%s", judgement.words);
    seen->right_site = true;
    seen->others[0] = 0;
    for (uint32_t i = 0; i < n && leak[i].steady; i++) {
        int line = ledger->site[leak[i].site].line;
        if (line >= 0 && line < LINES && run->marked[line]) continue;
        size_t used = strlen(seen->others);
        snprintf(seen->others + used, sizeof seen->others - used, " %d", line);
        seen->right_site = false;
    }
    bool found = seen->growth == LMP_GROWTH_FOUND;
    if (!found)
        run->found_full = 0;
    else if (run->found_full == 0)
        run->found_full = seen->full, run->found_seconds = seen->seconds;
    lua_getglobal(L, "begun");
    if (!run->began && lua_toboolean(L, -1)) {
        run->began = true;
        run->from_full = seen->full;
        run->from_seconds = seen->seconds;
    }
    lua_pop(L, 1);
    if (run->began && !run->was_due && seen->full >= run->from_full + FULL &&
        seen->seconds >= run->from_seconds + (run->late ? SECONDS_LATE : SECONDS)) {
        run->was_due = true;
        run->due = *seen;
    }
    if (!run->was_due) return;
    run->wrong_after |= found && !seen->right_site;
    run->green_after |= seen->growth == LMP_GROWTH_NONE;
}

/* The program is loaded under the end of its path: names are strings of the heap, and those of a
 * deep directory would shift the collector's cycles. */
static bool load(const Run *run, lua_State *L) {
    const char *name = run->path;
    for (const char *at = run->path, *last = at; *at; at++)
        if (*at == '/') name = last, last = at + 1;
    luaL_Buffer text;
    char part[4096];
    FILE *f = fopen(run->path, "r");
    if (!f) die(run, "cannot be read");
    luaL_buffinit(L, &text);
    for (size_t n; (n = fread(part, 1, sizeof part, f)) > 0;)
        luaL_addlstring(&text, part, n);
    fclose(f);
    luaL_pushresult(&text);
    size_t size;
    const char *program = lua_tolstring(L, -1, &size);
    lua_pushfstring(L, "@%s", name);
    int status = luaL_loadbuffer(L, program, size, lua_tostring(L, -1));
    lua_replace(L, -3);
    lua_pop(L, 1);
    return status == LUA_OK;
}

static void play(Run *run) {
    LmpOptions options = profiler_defaults;
    LmpErr display;
    Ledger ledger = {0};
    requests = 0;
    read_marks(run);
    lua_State *L = luafacts_newstate(alloc, NULL);
    if (!L) die(run, "no state");
    luaL_openlibs(L);
    lua_gc(L, LUA_GCINC, 200, 100, 13);
    if (!strcmp(run->mode, "generational")) lua_gc(L, LUA_GCGEN, 0, 0);
    bool asked = !strcmp(run->mode, "asked");
    if (asked) lua_gc(L, LUA_GCSTOP);
    options.summary = "";
    options.live = false;
    if (profiler_start(L, &options, &display) != LMP_OK) die(run, "no profile");
    const char *seed = getenv("LMP_SEED");
    lua_pushinteger(L, seed ? atoi(seed) : 42);
    lua_setglobal(L, "seed");
    if (luaL_dostring(L, "math.randomseed(seed) "
                         "function churn(n) for i = 1, n do local t = {i} end end "
                         "function begins() begun = true end") ||
        !load(run, L) || lua_pcall(L, 0, 1, 0))
        die(run, lua_tostring(L, -1));
    bool later = run->leaks && run->later;
    lua_pushboolean(L, !later);
    lua_setglobal(L, "begun");
    look(run, L, &ledger);
    for (int i = 1; i <= CALLS; i++) {
        lua_pushvalue(L, -1);
        lua_pushinteger(L, i);
        if (lua_pcall(L, 1, 0, 0)) die(run, lua_tostring(L, -1));
        if (asked && i % ASKED == 0) lua_gc(L, LUA_GCCOLLECT);
        if (i % LOOK == 0) look(run, L, &ledger);
    }
    ledger_free(&ledger);
    profiler_stop(L, NULL);
    lua_close(L);
}

/* ---- what was right -------------------------------------------------------------------------- */

static bool right(const Run *run) {
    bool found = run->last.growth == LMP_GROWTH_FOUND;
    if (!run->leaks) return !found;
    if (!run->was_due) return found ? run->last.right_site : run->last.growth == LMP_GROWTH_WAIT;
    return found && run->due.growth == LMP_GROWTH_FOUND && run->last.right_site &&
           !run->wrong_after && !run->green_after;
}

static void tell(const Run *run) {
    char when[64] = "", name[64];
    const char *slash = strrchr(run->path, '/'), *file = slash ? slash + 1 : run->path;
    const char *mark = right(run) ? "right" : "WRONG";
    snprintf(name, sizeof name, "%.*s", (int)strcspn(file, "."), file);
    if (run->found_full > 0)
        snprintf(when, sizeof when, "%llu, %.1f s", (unsigned long long)run->found_full,
                 run->found_seconds);
    printf("%-8s %-22s %-12s %6llu, %5.1f s  %-14s %-5s %s\n", run->leaks ? "leaks" : "sound", name,
           run->mode, (unsigned long long)run->last.full, run->last.seconds, when, mark,
           run->last.words);
    if (run->leaks && !right(run))
        printf("    at %llu, %.1f s: %s%s%s%s%s\n", (unsigned long long)run->due.full,
               run->due.seconds, run->due.words, run->wrong_after ? "; another site" : "",
               run->due.others, run->last.others, run->green_after ? "; no growth was said" : "");
}

int main(int argc, char **argv) {
    static LmpOs os;
    int wrong = 0;
    if (argc <= 2) return 2;
    os = os_real;
    os.clock = clock_of_requests;
    lmp_os = &os;
    for (int i = 2; i < argc; i++) {
        Run run = {.path = argv[i], .mode = argv[1]};
        run.leaks = strstr(argv[i], ".not.lua") == NULL;
        play(&run);
        tell(&run);
        wrong += !right(&run);
    }
    printf("%d of %d wrong\n", wrong, argc - 2);
    return wrong > 0;
}
