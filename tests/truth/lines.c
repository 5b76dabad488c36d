/* lines.c - which line made what: runs each script under the oracle of lines alone (book.h), then
 * under the profiler, and compares every line's figures.
 *
 *   truth_lines [OPTIONS] SCRIPT...
 * Options:
 *   --module=DIR     where luamemprofiler.so is; without it only the oracle runs
 *   --options=TEXT   of lmp.start, as in a table constructor: "stacks=true"
 *   --generational   the collector's mode
 *   --show           print what the oracle has found
 *   --break          make one expectation wrong, so that the comparison must fail
 * A comment `--@ ALLOCS BYTES` at the end of a script's line is what a person worked out for it;
 * the oracle itself is held to that. In BYTES, a sum, T is a table, A3 an array part of three
 * slots, H2 a hash part of two nodes, U2 a userdata of two user values and no bytes: these have
 * sizes of their own in each version.
 *
 * Both runs are alike to the last request: the collector is stopped (scripts call it), the table of
 * strings and the main thread's stack are made large before, and only sums by line are compared.
 *
 * Scripts have a table `host` of C functions, see hostcalls.c. What a script returns is run
 * after it by the host, with no Lua function below: a function in a thread of its own, a table's
 * functions in threads that take turns. */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <lauxlib.h>

#include "agent/doctor/hostcalls.h"
#include "agent/interp/luafacts.h"
#include "book.h"
#include "host.h"
#include "userdata.h"

typedef struct Options {
    const char *module, *options;
    bool generational, show, broken;
} Options;

static Book *book; /* of the run under way; NULL: it is the profiled one */

/* ---- C functions of scripts ------------------------------------------------------------------ */

static int host_resume(lua_State *L, lua_State *from, int nargs, int *results) {
    return book ? witness_resume(&book->witness, L, from, nargs, results)
                : lua_resume(L, from, nargs, results);
}

static void host_set_hook(lua_State *L, lua_Hook f, int mask, int count) {
    if (book) {
        witness_watch(L, f, mask, count);
    } else {
        lua_sethook(L, f, mask, count);
    }
}

static const HostCalls host_calls = {host_resume, host_set_hook};

/* ---- one run --------------------------------------------------------------------------------- */

static int deep(lua_State *L) {
    lua_Integer n = lua_tointeger(L, 1);
    if (n == 0) return 0;
    lua_pushcfunction(L, deep);
    lua_pushinteger(L, n - 1);
    lua_call(L, 1, 0);
    return 0;
}

/* Neither the API's own calls nor a few strings more shall make a difference to the run. */
static int make_roomy(lua_State *L) {
    lua_createtable(L, 6000, 0);
    for (int i = 1; i <= 6000; i++) {
        lua_pushfstring(L, "truth.%d", i);
        lua_rawseti(L, -2, i);
    }
    lua_setfield(L, LUA_REGISTRYINDEX, "truth.strings");
    lua_createtable(L, 0, 64); /* Lua's own table of hooks, by thread: that is, by address */
    lua_setfield(L, LUA_REGISTRYINDEX, "_HOOKKEY");
    hostcalls_open(L, &host_calls);
    lua_getglobal(L, "debug");
    lua_getfield(L, -1, "sethook");
    lua_pushcclosure(L, book_sethook, 1);
    if (book) lua_setfield(L, -2, "sethook");
    lua_getglobal(L, "package"); /* where the profiler's module is */
    lua_pushliteral(L, "");
    lua_setfield(L, -2, "cpath");
    lua_settop(L, 0);
    return 0;
}

static bool called(Host *h, int nargs, int nresults) {
    if (lua_pcall(h->L, nargs, nresults, 0) == LUA_OK) return true;
    host_error(h, "%s", lua_tostring(h->L, -1));
    return false;
}

static void go_deep(lua_State *L) {
    lua_pushcfunction(L, deep);
    lua_pushinteger(L, 60);
    lua_call(L, 1, 0);
}

/* Runs what the script returned, from C alone. */
static bool run_returned(Host *h) {
    if (hostcalls_run_returned(h->L) == LUA_OK) return true;
    host_error(h, "%s", lua_tostring(h->L, -1));
    return false;
}

static bool play(Host *h, const Options *op) {
    lua_State *L = h->L;
    lua_pushcfunction(L, make_roomy);
    if (!called(h, 0, 0)) return false;
    if (luaL_loadfile(L, h->name) != LUA_OK) {
        host_error(h, "%s", lua_tostring(L, -1));
        return false;
    }
    if (op->generational) lua_gc(L, LUA_GCGEN, 0, 0);
#if LUA_VERSION_NUM >=                                                                             \
    505 /* a C function's long string has even a stopped collector do what is due */
    lua_gc(L, LUA_GCPARAM, LUA_GCPPAUSE, 100000);
    lua_gc(L, LUA_GCPARAM, LUA_GCPMINORMUL, 100000);
#endif
    lua_gc(L, LUA_GCCOLLECT);
    lua_gc(L, LUA_GCCOLLECT);
    lua_gc(L, LUA_GCSTOP);
    lua_checkstack(L, 2000);
    go_deep(L);
    if (!host_start(h)) return false;
    if (!called(h, 0, 1) || !run_returned(h)) return false;
    lua_settop(L, 1);
    go_deep(L); /* the call of stats() finds the CallInfos that it needs */
    lua_checkstack(L, 500);
    return true;
}

/* ---- what the profiler says ------------------------------------------------------------------ */

typedef struct Lines {
    BookLine *line;
    size_t n;
} Lines;

static int64_t number(Host *h, lua_State *L, const char *name) {
    lua_getfield(L, -1, name);
    if (!lua_isinteger(L, -1))
        host_error(h, "a site's %s is no integer but a %s", name, luaL_typename(L, -1));
    int64_t v = lua_tointeger(L, -1);
    lua_pop(L, 1);
    return v;
}

static const struct {
    const char *name;
    size_t at;
} figures[] =
    {
        {"allocs", offsetof(BookLine, allocs)},
        {"bytes", offsetof(BookLine, bytes)},
        {"reallocs", offsetof(BookLine, reallocs)},
        {"realloc_bytes", offsetof(BookLine, realloc_bytes)},
        {"frees", offsetof(BookLine, frees)},
        {"free_bytes", offsetof(BookLine, free_bytes)},
        {"live_blocks", offsetof(BookLine, live_blocks)},
        {"live_bytes", offsetof(BookLine, live_bytes)},
        {"peak_live_bytes", offsetof(BookLine, peak_bytes)},
},
  kind_figures[] = {
      {"allocs", offsetof(BookKind, allocs)},
      {"live_blocks", offsetof(BookKind, live_blocks)},
      {"live_bytes", offsetof(BookKind, live_bytes)},
      {"tag_allocs", offsetof(BookKind, tag_allocs)},
};
enum {
    FIGURES = sizeof figures / sizeof *figures,
    KIND_FIGURES = sizeof kind_figures / sizeof *kind_figures
};

static int64_t *figure_of(void *row, size_t at) {
    return (int64_t *)(void *)((char *)row + at);
}

static void add_line(BookLine *to, BookLine *from) {
    for (int i = 0; i < FIGURES; i++)
        *figure_of(to, figures[i].at) += *figure_of(from, figures[i].at);
    for (int k = 0; k < O_KINDS; k++)
        for (int i = 0; i < KIND_FIGURES; i++)
            *figure_of(&to->kind[k], kind_figures[i].at) +=
                *figure_of(&from->kind[k], kind_figures[i].at);
}

static BookLine *find_line(const Lines *lines, const char *source, int line) {
    for (size_t i = 0; i < lines->n; i++) {
        BookLine *l = &lines->line[i];
        if (l->line == line && !l->source == !source && (!source || strcmp(source, l->source) == 0))
            return l;
    }
    return NULL;
}

/* Pseudo-sites, which have no line, are one: what was done outside any Lua function. So are
 * stripped functions, which the oracle cannot tell apart (tests/lua/shapes.lua does). */
static bool read_site(Host *h, lua_State *L, Lines *out) {
    BookLine l = {0};
    l.line = (int)number(h, L, "line");
    lua_getfield(L, -1, "source");
    lua_getfield(L, -2, "short_src");
    const char *source = lua_tostring(L, -2), *name = lua_tostring(L, -1);
    if (!source || !name) {
        host_error(h, "a site has no source");
        return false;
    }
    bool stripped = strncmp(source, "=?#", 3) == 0;
    if (strncmp(source, "=(", 2) != 0 || l.line >= 0) l.source = strdup(stripped ? "?" : name);
    lua_pop(L, 2);
    for (int i = 0; i < FIGURES; i++)
        *figure_of(&l, figures[i].at) = number(h, L, figures[i].name);
    lua_getfield(L, -1, "types");
    for (int k = 0; k < O_KINDS; k++) {
        if (lua_getfield(L, -1, oracle_kind_name[k]) == LUA_TTABLE)
            for (int i = 0; i < KIND_FIGURES; i++)
                *figure_of(&l.kind[k], kind_figures[i].at) = number(h, L, kind_figures[i].name);
        lua_pop(L, 1);
    }
    lua_pop(L, 1);
    BookLine *same = find_line(out, l.source, l.line);
    if (same && l.source && !stripped) host_error(h, "%s:%d is there twice", l.source, l.line);
    if (same) {
        add_line(same, &l);
        free(l.source);
        return true;
    }
    out->line[out->n++] = l;
    return true;
}

static void read_sites(Host *h, Lines *out) {
    lua_State *L = h->L;
    int top = lua_gettop(L);
    lua_getfield(L, LUA_REGISTRYINDEX, "truth.stats");
    lua_getfield(L, LUA_REGISTRYINDEX, "truth.sites");
    if (host_api(h, L, 1, 1) != LUA_OK) {
        host_error(h, "stats() raised: %s", lua_tostring(L, -1));
    } else if (lua_getfield(L, -1, "sites") != LUA_TTABLE) {
        host_error(h, "stats{sites=true}.sites is no table");
    } else {
        size_t n = lua_rawlen(L, -1);
        out->line = calloc(n + 1, sizeof *out->line);
        for (size_t i = 1; i <= n; i++) {
            lua_rawgeti(L, -1, (lua_Integer)i);
            bool ok = read_site(h, L, out);
            lua_pop(L, 1);
            if (!ok) break;
        }
    }
    lua_settop(L, top);
}

/* ---- comparison ------------------------------------------------------------------------------ */

static void compare_line(Host *h, BookLine *want, BookLine *got) {
    char where[300];
    snprintf(where, sizeof where, "%s:%d", want->source ? want->source : "(no function)",
             want->line);
    for (int i = 0; i < FIGURES; i++) {
        int64_t w = *figure_of(want, figures[i].at), g = *figure_of(got, figures[i].at);
        if (w != g)
            host_error(h, "%s: %s is %lld, not %lld", where, figures[i].name, (long long)g,
                       (long long)w);
    }
    for (int k = 0; k < O_KINDS; k++)
        for (int i = 0; i < KIND_FIGURES; i++) {
            int64_t w = *figure_of(&want->kind[k], kind_figures[i].at),
                    g = *figure_of(&got->kind[k], kind_figures[i].at);
            if (w != g)
                host_error(h, "%s: %s.%s is %lld, not %lld", where, oracle_kind_name[k],
                           kind_figures[i].name, (long long)g, (long long)w);
        }
}

static bool all_zero(BookLine *l) {
    for (int i = 0; i < FIGURES; i++)
        if (*figure_of(l, figures[i].at) != 0) return false;
    return true;
}

static void compare(Host *h, Book *want, Lines *got) {
    static BookLine none;
    for (size_t i = 0; i < want->lines; i++) {
        BookLine *l = &want->line[i], *g = find_line(got, l->source, l->line);
        compare_line(h, l, g ? g : &none);
    }
    for (size_t i = 0; i < got->n; i++) {
        BookLine *g = &got->line[i];
        if (book_line(want, g->source, g->line) || all_zero(g)) continue;
        host_error(h, "%s:%d: nothing was made there, but %lld allocations are said to be",
                   g->source ? g->source : "(no function)", g->line, (long long)g->allocs);
    }
}

/* Returns what a sum such as 32*T+2*A3+40 comes to. */
static long long bytes_of(const char *sum) {
    long long bytes = 0;
    for (bool more = true; more; sum++) {
        char *end;
        long long times = isdigit((unsigned char)*sum) ? strtoll(sum, &end, 10) : 1, each = 1;
        if (isdigit((unsigned char)*sum)) sum = *end == '*' ? end + 1 : end;
        char what = *sum;
        if (what == 'T') {
            each = LMP_SIZE_TABLE;
            sum++;
        } else if (what == 'A' || what == 'H' || what == 'U') {
            uint64_t n = strtoul(sum + 1, &end, 10);
            each = (long long)(what == 'A'   ? luafacts_array_bytes(n)
                               : what == 'H' ? luafacts_before_nodes(n) + n * LMP_SIZE_NODE
                                             : userdata_head((int)n));
            sum = end;
        }
        bytes += times * each;
        more = *sum == '+';
    }
    return bytes;
}

/* `--@ ALLOCS BYTES` in the script's text. */
static void check_comments(Host *h, Book *b, int *checked) {
    char text[1000], source[LUA_IDSIZE]; /* as Lua shortens it */
    size_t n = strlen(h->name);
    bool fits = n < sizeof source;
    FILE *f = fopen(h->name, "r");
    snprintf(source, sizeof source, "%s%s", fits ? "" : "...",
             fits ? h->name : h->name + n - (sizeof source - 4));
    for (int line = 1; f && fgets(text, sizeof text, f); line++) {
        long long allocs, bytes;
        char sum[40];
        const char *at = strstr(text, "--@");
        if (!at || sscanf(at, "--@ %lld %39s", &allocs, sum) != 2) continue;
        bytes = bytes_of(sum);
        const BookLine *l = book_line(b, source, line);
        (*checked)++;
        if ((l ? l->allocs : 0) != allocs || (l ? l->bytes : 0) != bytes)
            host_error(
                h, "line %d: the oracle has %lld allocations of %lld bytes, not %lld of %lld", line,
                (long long)(l ? l->allocs : 0), (long long)(l ? l->bytes : 0), allocs, bytes);
    }
    if (f) fclose(f);
}

static int by_place(const void *a, const void *b) {
    const BookLine *x = a, *y = b;
    int c = strcmp(x->source ? x->source : "", y->source ? y->source : "");
    return c ? c : (x->line > y->line) - (x->line < y->line);
}

static void show(const Book *b) {
    BookLine *line = malloc((b->lines + 1) * sizeof *line);
    memcpy(line, b->line, b->lines * sizeof *line);
    qsort(line, b->lines, sizeof *line, by_place);
    for (size_t i = 0; i < b->lines; i++) {
        const BookLine *l = &line[i];
        printf("%30.40s:%-4d %6lld allocs %8lld B %5lld reallocs %6lld live %8lld B peak %8lld ",
               l->source ? l->source : "(no function)", l->line, (long long)l->allocs,
               (long long)l->bytes, (long long)l->reallocs, (long long)l->live_blocks,
               (long long)l->live_bytes, (long long)l->peak_bytes);
        for (int k = 0; k < O_KINDS; k++)
            if (l->kind[k].allocs)
                printf(" %s %lld", oracle_kind_name[k], (long long)l->kind[k].allocs);
        printf("\n");
    }
    free(line);
}

static int one_script(const char *script, const Options *op) {
    Host h;
    Book b = {0};
    Lines got = {0};
    int checked = 0;
    if (!host_open(&h, script, HH_NONE, OB_MALLOC, true, NULL)) return 1;
    book = &b;
    book_open(&b, &h.o);
    if (play(&h, op)) {
        oracle_link(&h.o);
        book_sum(&b);
        h.o.note = NULL;
        check_comments(&h, &b, &checked);
        if (b.lost) host_error(&h, "%llu requests without a line", (unsigned long long)b.lost);
        if (op->show) show(&b);
    }
    h.o.note = NULL;
    int errors = host_close(&h);
    if (op->broken && b.lines > 0) b.line[0].allocs++;
    book = NULL;
    if (!errors && op->module) {
        if (!host_open(&h, script, HH_PROFILED, OB_MALLOC, false, op->module)) return 1;
        h.options = op->options;
        h.o.blind = true;
        if (play(&h, op)) {
            read_sites(&h, &got);
            compare(&h, &b, &got);
            host_stop(&h);
        }
        errors = host_close(&h);
    }
    if (!errors) /* what was compared */
        printf("%s: %zu lines, %zu blocks, %d by hand\n", script, b.lines, b.blocks, checked);
    for (size_t i = 0; i < got.n; i++)
        free(got.line[i].source);
    free(got.line);
    book_close(&b);
    return errors;
}

int main(int argc, char **argv) {
    Options op = {0};
    int i = 1, errors = 0;
    for (; i < argc && strncmp(argv[i], "--", 2) == 0; i++) {
        const char *a = argv[i];
        if (strncmp(a, "--module=", 9) == 0)
            op.module = a + 9;
        else if (strncmp(a, "--options=", 10) == 0)
            op.options = a + 10;
        else if (strcmp(a, "--generational") == 0)
            op.generational = true;
        else if (strcmp(a, "--show") == 0)
            op.show = true;
        else if (strcmp(a, "--break") == 0)
            op.broken = true;
        else
            return fprintf(stderr, "truth_lines: unknown option %s\n", a), 2;
    }
    if (i >= argc) return fprintf(stderr, "usage: truth_lines [OPTIONS] SCRIPT...\n"), 2;
    for (; i < argc; i++)
        errors += one_script(argv[i], &op);
    return errors ? 1 : 0;
}
