/* Tests of the ways that an operation can go: with everything plain; with somebody's request at
 * every operation (trap.c); with blocks beside the grid, each second or nearly all of them (odd.c);
 * as samples of every block, whose weights are 1 (hook_sampled.c). The same program must give the
 * same figures, line by line and path by path, whichever way its operations go; the plain way's are
 * compared with the truth elsewhere. */

#include "agent/charge/lines.h"
#include "agent/hook/sample.h"
#include "agent/hook/slow_path.h"
#include "agent/hook/tick.h"
#include "agent/interp/luafacts.h"
#include "agent/state/profile.h"
#include "profiled.h"
#include "shared/counters.h"

RELEASE_AT(lua_close)

/* ---- a program ------------------------------------------------------------------------------- */

/* Every class of block, made, moved, shrunk and freed, by a line and by the collector; coroutines,
 * code and lines that die and whose addresses are used again; the peak is in the middle. Nothing in
 * it depends on addresses. */
static const char program[] =
    "collectgarbage('stop')\n"
    "local big, keep, short = ..., {}, 0\n"
    "local function make(n)\n"
    "  local t = {}\n"
    "  for i = 1, n do t[#t + 1] = {i, x = i, [{}] = 1} end\n"
    "  for i = 1, n do t['k' .. i] = ('v'):rep(i) end\n"
    "  return t\n"
    "end\n"
    "local function deep(n) if n == 0 then return {} end return (deep(n - 1)) end\n"
    "local function resume(n)\n"
    "  local co = coroutine.create(function(a)\n"
    "    local t = {a} deep(a * 3)\n"
    "    while true do t[#t + 1] = coroutine.yield(#t) end\n"
    "  end)\n"
    "  for i = 1, 5 do coroutine.resume(co, n) end\n"
    "  return co\n"
    "end\n"
    "local function closures(n)\n"
    "  local f = {}\n"
    "  for i = 1, n do local up = {} f[i] = function() up = i return up end end\n"
    "  return f\n"
    "end\n"
    "local function compile(n)\n"
    "  local text = 'local t = {} '\n"
    "  for i = 1, n do text = text .. 't[' .. i .. '] = {' .. i .. '} ' end\n"
    "  local f = assert(load(text .. 'return t', '=chunk' .. n))\n"
    "  return f, f()\n"
    "end\n"
    "local function strings(n)\n"
    "  local t = {}\n"
    "  for i = 1, n do t[i] = tostring(i) end\n"
    "  local s = table.concat(t, ',', 1, n)\n"
    "  return s, s:gsub('1', 'one'), s:upper():rep(3), string.format('%s %s', s, s)\n"
    "end\n"
    "local function try(f, n) return select(2, pcall(f, n)) end\n" /* a request may be refused */
    "for round = 1, 6 do\n"
    "  keep[round] = {try(make, 20 * round), try(resume, round * 4), try(closures, 30)}\n"
    "  keep[round + 100] = {try(compile, 20 + round % 2)}\n"
    "  keep[-round] = {try(strings, 100 * round)}\n"
    "  do local _ = {{}, {}} _ = nil end\n"
    "  if round % 2 == 0 then collectgarbage() end\n"
    "  if round == 4 then keep[1], keep[2], keep[-3], short = nil, nil, nil, {} end\n"
    "  if round == 4 then try(function(n) return ('x'):rep(n):rep(n) end, big) collectgarbage() "
    "end\n"
    "  if round == 5 then keep[4] = nil collectgarbage() for i = 1, 9 do resume(i) end end\n"
    "  if round == 5 then for k in pairs(keep) do keep[k] = nil end collectgarbage() end\n"
    "end\n"
    "collectgarbage()\n";

/* ---- the allocator underneath ---------------------------------------------------------------- */

typedef enum Stands { ON_GRID, TURNS, MOSTLY_ASIDE } Stands;

typedef struct Under {
    Stands stands;
    unsigned made;          /* blocks so far */
    unsigned asked, refuse; /* one request in so many is refused; 0: none */
    LmpProfile *wanted;     /* somebody requests something of it at every operation; NULL: nobody */
} Under;

static unsigned aside(Under *u) {
    unsigned n = u->made++;
    unsigned each = u->stands == TURNS ? 2 : 16;
    return u->stands != ON_GRID && n % each ? 8 : 0;
}

/* Moves what it resizes, but for every third that shrinks. */
static void *under(void *ud, void *ptr, size_t osize, size_t nsize) {
    Under *u = ud;
    char *old = ptr, *block = NULL;
    if (u->wanted) atomic_store(&u->wanted->control->trap, 1);
    if (nsize) {
        if (u->refuse && (!ptr || nsize > osize) && ++u->asked % u->refuse == 0) return NULL;
        if (ptr && nsize <= osize && u->made % 3 == 0) return ptr;
        char *raw = malloc(nsize + 32);
        if (!raw) return NULL;
        block = raw + 16 + aside(u);
        block[-1] = (char)(block - raw);
        if (ptr) memcpy(block, ptr, osize < nsize ? osize : nsize);
    }
    if (ptr) free(old - old[-1]);
    return block;
}

/* ---- what comes of it ------------------------------------------------------------------------ */

enum { ROWS = 4000, KEY = 240 };

static bool is_part(unsigned cls) {
    return cls >= LMP_C_STRING_PART;
}

typedef struct Row {
    char key[KEY]; /* who: lines by function and line, paths by all of theirs */
    LmpRecord sum; /* use: bytes that were live at the peak in peak_bytes */
} Row;

typedef struct Result {
    Row row[ROWS];
    unsigned rows;
    LmpClassTotal total[LMP_CLASSES];
    uint64_t peak, failed;
} Result;

static uint64_t at_peak(const LmpProfile *p, const LmpUsage *u) {
    const LmpCounters *c = p->counters;
    bool noted = u->peak_serial == c->peak_serial && c->live_bytes <= c->peak_bytes;
    return noted ? u->peak_bytes : u->bytes - u->free_bytes;
}

static void add(Result *to, const char *key, LmpRecord sum) {
    unsigned i = 0;
    while (i < to->rows && strcmp(to->row[i].key, key) != 0)
        i++;
    ck_assert_uint_lt(i, ROWS);
    Row *row = &to->row[i];
    if (i == to->rows) {
        to->rows++;
        snprintf(row->key, KEY, "%s", key);
    }
    row->sum.use.allocs += sum.use.allocs;
    row->sum.use.bytes += sum.use.bytes;
    row->sum.use.frees += sum.use.frees;
    row->sum.use.free_bytes += sum.use.free_bytes;
    row->sum.use.short_lived += sum.use.short_lived;
    row->sum.use.peak_bytes += sum.use.peak_bytes;
    row->sum.use.reallocs += sum.use.reallocs;
    row->sum.use.realloc_bytes += sum.use.realloc_bytes;
    row->sum.use.temporary += sum.use.temporary;
    row->sum.here_reallocs += sum.here_reallocs;
    row->sum.here_realloc_bytes += sum.here_realloc_bytes;
    row->sum.here_frees += sum.here_frees;
    row->sum.here_free_bytes += sum.here_free_bytes;
}

static void site_key(const LmpProfile *p, uint32_t site, char *out, size_t size) {
    const LmpSite *s = &p->tables.site[site];
    const LmpFunction *f = &p->tables.function[s->function];
    const LmpFunction *c = &p->tables.function[s->cfunction];
    snprintf(out, size, "%.30s:%d:%d:%d:%.40s", p->tables.text + f->source, (int)f->kind,
             (int)f->linedefined, (int)s->line, s->cfunction ? p->tables.text + c->name : "");
}

static void node_key(const LmpProfile *p, uint32_t node, char *out, size_t size) {
    size_t n = 0;
    unsigned depth = 0;
    for (out[0] = 0; node; node = p->tables.node[node].parent, depth++) {
        if (n + 60 >= size) continue;
        const LmpSite *s = &p->tables.site[p->tables.node[node].site];
        n += (size_t)snprintf(out + n, size - n, "<%d.%d", (int)s->line,
                              (int)p->tables.function[s->function].linedefined);
    }
    snprintf(out + n, size - n, "!%u", depth);
}

static void collect(LmpProfile *p, bool stacks, bool rough, Result *to) {
    char key[KEY], site[KEY / 2];
    memset(to, 0, sizeof *to);
    tick_now(p);
    counters_read(p->counters, to->total);
    to->peak = p->counters->peak_bytes;
    to->failed = p->counters->failed;
    for (uint32_t i = 1; i < p->live->tables.records; i++) {
        LmpRecord r = p->tables.record[i];
        if (rough) { /* which function is right then, and how many blocks of which class */
            const LmpFunction *f = &p->tables.function[p->tables.site[r.site].function];
            r = (LmpRecord){.use = {.allocs = r.use.allocs,
                                    .bytes = r.use.bytes - (uint64_t)r.use.realloc_bytes,
                                    .cls = r.use.cls}};
            snprintf(site, sizeof site, "%.30s:%d:%d", p->tables.text + f->source, (int)f->kind,
                     (int)f->linedefined);
        } else {
            site_key(p, r.site, site, sizeof site);
        }
        snprintf(key, sizeof key, "%s class %u", site, r.use.cls);
        r.use.peak_bytes = at_peak(p, &r.use);
        add(to, key, r);
    }
    bool come_back = luafacts_is_array_back(luafacts_array_bytes(8)); /* else they are resized */
    for (uint32_t i = 1; i < p->live->tables.sites && !come_back; i++)
        ck_assert_uint_eq(p->tables.site[i].arrays_back, 0);
    for (uint32_t i = 1; stacks && i < p->live->tables.nodes; i++) {
        LmpUsage room;
        LmpRecord r = {.use = *tables_node_usage(&p->tables, i, &room)};
        r.use.peak_bytes = at_peak(p, &r.use);
        node_key(p, i, key, sizeof key);
        add(to, key, r);
    }
}

/* ---- ways ------------------------------------------------------------------------------------ */

typedef struct Way {
    const char *name;
    Stands stands;
    bool wanted, sampled;
    bool by_frames; /* lines without the saved registers */
    bool by_api;    /* lines by the documented API alone */
    bool by_rules;  /* owners without the places that ask */
} Way;

/* What is kept, and of how many requests one is refused, 0: none. */
typedef struct Kept {
    bool lines, stacks;
    unsigned refuse;
} Kept;

static const Way plain = {"plain", .stands = ON_GRID};
static const Way ways[] = {
    {"wanted", .wanted = true},
    {"beside the grid by turns", .stands = TURNS},
    {"beside the grid", .stands = MOSTLY_ASIDE},
    {"wanted, by turns", .stands = TURNS, .wanted = true},
    {"samples", .sampled = true},
    {"samples, wanted", .sampled = true, .wanted = true},
    {"samples, by turns", .sampled = true, .stands = TURNS},
    {"by the API", .by_api = true},
    {"by the API, wanted, by turns", .by_api = true, .wanted = true, .stands = TURNS},
    {"by frames", .by_frames = true},
    {"by frames, beside the grid", .by_frames = true, .stands = MOSTLY_ASIDE},
    {"by rules", .by_rules = true},
    {"by rules, wanted", .by_rules = true, .wanted = true},
};

static void play(const Way *way, const Kept *kept, bool rough, Result *out) {
    Under u = {.stands = way->stands};
    LmpOptions options = profiler_defaults;
    OWN(lua_close_at) lua_State *L = luafacts_newstate(under, &u);
    luaL_openlibs(L);
    options.lines = kept->lines;
    options.stacks = kept->stacks;
    options.sample = way->sampled ? 1 : 0;
    ck_assert_int_eq(luaL_loadbuffer(L, program, sizeof program - 1, "=program"), LUA_OK);
    LmpProfile *p = profiled_start(L, options);
    if (way->sampled) { /* so that the chance of each block is 1, of one byte, too */
        ck_assert_ptr_nonnull(p->sampling);
        p->sampling->interval = 0.01;
        sample_next(p);
    }
    lua_pushinteger(L,
                    kept->refuse || kept->stacks ? 300 : 5860); /* a block of 90 KB, or of 34 MB */
    if (way->by_api) p->framed = false;
    if (way->by_api || way->by_frames) {
        p->regs = NULL;
        p->live->tables.lines = LMP_LINES_APPROXIMATE;
    }
    if (way->by_rules) p->owners = NULL;
    slow_path_route(p);
    u.refuse = kept->refuse;
    if (way->wanted) u.wanted = p;
    ck_assert_msg(lua_pcall(L, 1, 0, 0) == LUA_OK, "%s", lua_tostring(L, -1));
    u.refuse = 0;
    u.wanted = NULL;
    collect(p, kept->stacks && !rough, rough, out);
    profiler_stop(L, NULL);
}

static void same(const char *way, const char *who, const char *what, uint64_t is, uint64_t want) {
    ck_assert_msg(is == want, "%s: %s of %s: %lld, not %lld", way, what, who, (long long)is,
                  (long long)want);
}

/* Samples keep neither how often blocks were resized, nor what was temporary, nor who did it. */
static void compare_rows(const Way *way, const Row *is, const Row *want) {
    const LmpRecord *a = &is->sum, *b = &want->sum;
    same(way->name, want->key, "allocs", a->use.allocs, b->use.allocs);
    same(way->name, want->key, "bytes", a->use.bytes, b->use.bytes);
    same(way->name, want->key, "frees", a->use.frees, b->use.frees);
    same(way->name, want->key, "free_bytes", a->use.free_bytes, b->use.free_bytes);
    same(way->name, want->key, "short_lived", a->use.short_lived, b->use.short_lived);
    same(way->name, want->key, "at the peak", a->use.peak_bytes, b->use.peak_bytes);
    same(way->name, want->key, "realloc_bytes", (uint64_t)a->use.realloc_bytes,
         (uint64_t)b->use.realloc_bytes);
    if (way->sampled) return;
    same(way->name, want->key, "reallocs", a->use.reallocs, b->use.reallocs);
    same(way->name, want->key, "temporary", a->use.temporary, b->use.temporary);
    same(way->name, want->key, "here_reallocs", a->here_reallocs, b->here_reallocs);
    same(way->name, want->key, "here_realloc_bytes", (uint64_t)a->here_realloc_bytes,
         (uint64_t)b->here_realloc_bytes);
    same(way->name, want->key, "here_frees", a->here_frees, b->here_frees);
    same(way->name, want->key, "here_free_bytes", a->here_free_bytes, b->here_free_bytes);
}

static bool is_empty(const Row *row) {
    return !row->sum.use.allocs && !row->sum.use.reallocs && !row->sum.here_reallocs &&
           !row->sum.here_frees;
}

static const Row *find(const Result *in, const char *key) {
    static const Row none;
    for (unsigned i = 0; i < in->rows; i++)
        if (strcmp(in->row[i].key, key) == 0) return &in->row[i];
    return &none;
}

static void compare_classes(const char *way, const char *name, const LmpClassTotal *a,
                            const LmpClassTotal *b) {
    same(way, name, "allocs", a->allocs, b->allocs);
    same(way, name, "alloc_bytes", a->alloc_bytes, b->alloc_bytes);
    same(way, name, "frees", a->frees, b->frees);
    same(way, name, "free_bytes", a->free_bytes, b->free_bytes);
    same(way, name, "reallocs", a->reallocs, b->reallocs);
    same(way, name, "realloc_bytes", (uint64_t)a->realloc_bytes, (uint64_t)b->realloc_bytes);
}

/* Of all parts, of which rules do not always know whose they are. */
static LmpClassTotal all_parts(const Result *of) {
    LmpClassTotal sum = {0};
    for (unsigned c = 1; c < LMP_C_COUNTED; c++) {
        const LmpClassTotal *t = &of->total[c];
        if (!is_part(c)) continue;
        sum.allocs += t->allocs;
        sum.alloc_bytes += t->alloc_bytes;
        sum.frees += t->frees;
        sum.free_bytes += t->free_bytes;
        sum.reallocs += t->reallocs;
        sum.realloc_bytes += t->realloc_bytes;
    }
    return sum;
}

static void compare(const Way *way, const Result *is, const Result *want) {
    for (unsigned c = 1; c < LMP_C_COUNTED; c++)
        if (!way->by_rules || !is_part(c))
            compare_classes(way->name, "all of a class", &is->total[c], &want->total[c]);
    LmpClassTotal a = all_parts(is), b = all_parts(want);
    compare_classes(way->name, "all parts", &a, &b);
    same(way->name, "all", "peak", is->peak, want->peak);
    same(way->name, "all", "failed", is->failed, want->failed);
    if (way->by_rules) return; /* a record is of one class */
    for (unsigned i = 0; i < want->rows; i++)
        compare_rows(way, find(is, want->row[i].key), &want->row[i]);
    for (unsigned i = 0; i < is->rows; i++)
        ck_assert_msg(is_empty(&is->row[i]) || !is_empty(find(want, is->row[i].key)),
                      "%s: %s has made something", way->name, is->row[i].key);
}

static void all_ways(bool lines, bool stacks, unsigned refuse) {
    const Kept kept = {lines, stacks, refuse};
    Result *want = calloc(1, sizeof *want), *is = calloc(1, sizeof *is);
    Result *roughly = calloc(1, sizeof *roughly);
    play(&plain, &kept, false, want);
    play(&plain, &kept, true, roughly);
    if (!refuse && !stacks) ck_assert_uint_gt(want->peak, LMP_PACK_MAX);
    ck_assert(!refuse || want->failed > 0);
    if (lines) ck_assert_uint_gt(want->rows, 50);
    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
        if (ways[i].sampled && !lines) continue;
        bool rough = ways[i].by_api || ways[i].by_frames;
        play(&ways[i], &kept, rough, is);
        compare(&ways[i], is, rough ? roughly : want);
    }
    free(roughly);
    free(want);
    free(is);
}

TEST(totals) {
    all_ways(false, false, 0);
}

TEST(lines) {
    all_ways(true, false, 0);
}

TEST(paths) {
    all_ways(true, true, 0);
}

TEST(refusals) {
    all_ways(true, false, 301);

    all_ways(true, true, 701);
}
