/* fake_program.h - a program as it might be, in fake tables (fake_tables.h): it prices options of a
 * file over and over, keeps more of them each time in a cache that nobody empties, and logs. About
 * thirty sites, functions of Lua and C, a call tree with recursion, a tail call and a coroutine,
 * two tags, 24 collector cycles. The same every time. */
#ifndef LMP_FAKE_PROGRAM_H
#define LMP_FAKE_PROGRAM_H

#include "fake_tables.h"

/* Rows of the fixture's functions: the first is "options.lua"'s main chunk. */
typedef struct FakeFunctionLine {
    LmpFunctionKind kind;
    const char *source;
    int line;
    const char *name, *path;
} FakeFunctionLine;

enum {
    SF_MAIN,
    SF_LOAD,
    SF_PARSE,
    SF_PRICE,
    SF_RANDOM,
    SF_NEWVEC,
    SF_NORMAL,
    SF_SPAWN,
    SF_WORK,
    SF_WALK,
    SF_LOG,
    SF_CHUNK,
    SF_KEEP,
    SF_REPORT,
    SF_INSERT,
    SF_CONCAT,
    SF_GMATCH,
    SF_FORMAT,
    SF_WRAP,
    SF_RESUME,
    SF_REQUIRE,
    SF_SETMETA,
    SF_HOST,
    SF_PARSER,
    SF_COLLECTOR,
    FIXTURE_FUNCTIONS
};

static const FakeFunctionLine fixture_functions[FIXTURE_FUNCTIONS] = {
    [SF_MAIN] = {LMP_F_MAIN, "@options.lua", 0, "main chunk", NULL},
    [SF_LOAD] = {LMP_F_LUA, "@options.lua", 5, "local 'load_table'", NULL},
    [SF_PARSE] = {LMP_F_LUA, "@options.lua", 18, "upvalue 'parse_field'", NULL},
    [SF_PRICE] = {LMP_F_LUA, "@options.lua", 31, "function 'price'", "options.price"},
    [SF_RANDOM] = {LMP_F_LUA, "@pricing/normal.lua", 78, "method 'RandomVector'", NULL},
    [SF_NEWVEC] = {LMP_F_LUA, "@pricing/normal.lua", 25, "local 'newvec'", NULL},
    [SF_NORMAL] = {LMP_F_MAIN, "@pricing/normal.lua", 0, "main chunk", NULL},
    [SF_SPAWN] = {LMP_F_LUA, "@scheduler.lua", 36, "function 'spawn'", "scheduler.spawn"},
    [SF_WORK] = {LMP_F_LUA, "@scheduler.lua", 52, "function <scheduler.lua:52>", NULL},
    [SF_WALK] = {LMP_F_LUA, "@tree.lua", 9, "local 'walk'", NULL},
    [SF_LOG] = {LMP_F_LUA, "@/usr/share/lua/5.4/logging/file.lua", 44, "method 'append'", NULL},
    [SF_CHUNK] = {LMP_F_MAIN, "return function(k)\n return k.strike end", 0, "main chunk", NULL},
    [SF_KEEP] = {LMP_F_LUA, "@cache.lua", 12, "method 'keep'", NULL},
    [SF_REPORT] = {LMP_F_LUA, "@options.lua", 60, "global 'report'", "report"},
    [SF_INSERT] = {LMP_F_C, "=[C]", -1, "function 'insert'", "table.insert"},
    [SF_CONCAT] = {LMP_F_C, "=[C]", -1, "function 'concat'", "table.concat"},
    [SF_GMATCH] = {LMP_F_C, "=[C]", -1, "method 'gmatch'", "string.gmatch"},
    [SF_FORMAT] = {LMP_F_C, "=[C]", -1, "function 'format'", "string.format"},
    [SF_WRAP] = {LMP_F_C, "=[C]", -1, "function 'wrap'", "coroutine.wrap"},
    [SF_RESUME] = {LMP_F_C, "=[C]", -1, "local 'resume'", "coroutine.resume"},
    [SF_REQUIRE] = {LMP_F_C, "=[C]", -1, "function 'require'", "require"},
    [SF_SETMETA] = {LMP_F_C, "=[C]", -1, "function 'setmetatable'", "setmetatable"},
    [SF_HOST] = {LMP_F_PSEUDO, "=(host)", -1, "(host)", NULL},
    [SF_PARSER] = {LMP_F_PSEUDO, "=(parser)", -1, "(parser)", NULL},
    [SF_COLLECTOR] = {LMP_F_PSEUDO, "=(collector)", -1, "(collector)", NULL},
};

/* A call path: function and line of each frame, outermost first, ended by line 0. */
typedef struct FakeFrame {
    int function, line;
    uint32_t flags;
} FakeFrame;

enum { SP_ONCE, SP_STEADY, SP_GROWS, SP_SAW, SP_PLATEAU };

/* What one site makes: `count` blocks of `bytes` each in each of 24 rounds (SP_ONCE: in the first
 * alone), of which it keeps by its way: SP_STEADY none but the last, SP_GROWS `kept` percent of
 * each, SP_SAW all until every fourth cycle, SP_PLATEAU all of the first six rounds. */
typedef struct FakeLine {
    FakeFrame path[8];
    int cfunction; /* -1: none */
    unsigned cls;
    int way, kept;
    uint64_t count, bytes;
    const char *tag;
} FakeLine;

#define FIXTURE_MAIN(line)                                                                         \
    { SF_MAIN, line, 0 }

static const FakeLine fixture_lines[] = {
    {{FIXTURE_MAIN(12)}, -1, LMP_C_TABLE_PART, SP_GROWS, 97, 21000, 128, "file"},
    {{FIXTURE_MAIN(12)}, -1, LMP_C_TABLE, SP_GROWS, 97, 21000, 56, "file"},
    {{FIXTURE_MAIN(11)}, SF_GMATCH, LMP_C_STRING, SP_GROWS, 98, 42000, 42, "file"},
    {{FIXTURE_MAIN(11)}, SF_GMATCH, LMP_C_FUNCTION, SP_STEADY, 0, 2600, 48, "file"},
    {{FIXTURE_MAIN(9)}, -1, LMP_C_TABLE, SP_ONCE, 100, 120000, 56, "file"},
    {{FIXTURE_MAIN(9)}, -1, LMP_C_TABLE_PART, SP_ONCE, 100, 120000, 80, "file"},
    {{FIXTURE_MAIN(15), {SF_LOAD, 7, 0}},
     SF_INSERT,
     LMP_C_TABLE_PART,
     SP_ONCE,
     100,
     1,
     8388608,
     NULL},
    {{FIXTURE_MAIN(15), {SF_LOAD, 8, 0}}, -1, LMP_C_STRING, SP_ONCE, 100, 60000, 33, NULL},
    {{FIXTURE_MAIN(15), {SF_LOAD, 11, 0}, {SF_PARSE, 22, 0}},
     -1,
     LMP_C_TABLE,
     SP_PLATEAU,
     100,
     4000,
     56,
     NULL},
    {{FIXTURE_MAIN(15), {SF_LOAD, 11, 0}, {SF_PARSE, 24, 0}},
     SF_FORMAT,
     LMP_C_STRING,
     SP_STEADY,
     0,
     9000,
     27,
     NULL},
    {{FIXTURE_MAIN(40), {SF_PRICE, 33, 0}, {SF_KEEP, 14, 0}},
     -1,
     LMP_C_TABLE_PART,
     SP_GROWS,
     100,
     400,
     96,
     "pricing"},
    {{FIXTURE_MAIN(40), {SF_PRICE, 33, 0}, {SF_KEEP, 15, 0}},
     -1,
     LMP_C_FUNCTION,
     SP_PLATEAU,
     100,
     900,
     40,
     "pricing"},
    {{FIXTURE_MAIN(40), {SF_PRICE, 35, 0}, {SF_RANDOM, 83, LMP_NODE_TAIL}},
     -1,
     LMP_C_TABLE_PART,
     SP_SAW,
     0,
     8000,
     400,
     "pricing"},
    {{FIXTURE_MAIN(40), {SF_PRICE, 35, 0}, {SF_RANDOM, 84, LMP_NODE_TAIL}, {SF_NEWVEC, 29, 0}},
     -1,
     LMP_C_TABLE,
     SP_STEADY,
     0,
     8000,
     56,
     "pricing"},
    {{FIXTURE_MAIN(40), {SF_PRICE, 35, 0}, {SF_RANDOM, 84, LMP_NODE_TAIL}, {SF_NEWVEC, 30, 0}},
     -1,
     LMP_C_TABLE_PART,
     SP_STEADY,
     0,
     8000,
     1024,
     "pricing"},
    {{FIXTURE_MAIN(40), {SF_PRICE, 38, 0}}, -1, LMP_C_STRING, SP_STEADY, 0, 30000, 31, "pricing"},
    {{FIXTURE_MAIN(3), {SF_NORMAL, 4, 0}}, -1, LMP_C_FUNCTION, SP_ONCE, 100, 14, 40, NULL},
    {{FIXTURE_MAIN(3), {SF_NORMAL, 5, 0}}, SF_SETMETA, LMP_C_TABLE, SP_ONCE, 100, 2, 56, NULL},
    {{FIXTURE_MAIN(44), {SF_SPAWN, 40, 0}}, SF_WRAP, LMP_C_THREAD, SP_PLATEAU, 100, 85, 208, NULL},
    {{FIXTURE_MAIN(44), {SF_SPAWN, 40, 0}},
     SF_WRAP,
     LMP_C_THREAD_PART,
     SP_PLATEAU,
     100,
     170,
     1216,
     NULL},
    {{FIXTURE_MAIN(46),
      {SF_RESUME, -1, 0},
      {SF_WORK, 55, LMP_NODE_COROUTINE},
      {SF_PRICE, 33, 0},
      {SF_KEEP, 14, 0}},
     -1,
     LMP_C_TABLE,
     SP_GROWS,
     100,
     300,
     56,
     "pricing"},
    {{FIXTURE_MAIN(46), {SF_RESUME, -1, 0}, {SF_WORK, 57, LMP_NODE_COROUTINE}},
     -1,
     LMP_C_USERDATA,
     SP_STEADY,
     0,
     90,
     2040,
     NULL},
    {{FIXTURE_MAIN(50), {SF_WALK, 14, 0}, {SF_WALK, 14, 0}, {SF_WALK, 14, 0}, {SF_WALK, 11, 0}},
     -1,
     LMP_C_TABLE,
     SP_PLATEAU,
     100,
     1200,
     88,
     NULL},
    {{FIXTURE_MAIN(50), {SF_WALK, 14, 0}, {SF_WALK, 11, 0}},
     -1,
     LMP_C_TABLE,
     SP_PLATEAU,
     100,
     300,
     88,
     NULL},
    {{FIXTURE_MAIN(62), {SF_REPORT, 63, 0}, {SF_LOG, 52, 0}},
     SF_FORMAT,
     LMP_C_STRING,
     SP_STEADY,
     0,
     1500,
     210,
     NULL},
    {{FIXTURE_MAIN(62), {SF_REPORT, 64, 0}},
     SF_CONCAT,
     LMP_C_STRING_PART,
     SP_STEADY,
     0,
     40,
     65536,
     NULL},
    {{FIXTURE_MAIN(62), {SF_REPORT, 64, 0}}, SF_CONCAT, LMP_C_STRING, SP_SAW, 0, 40, 40000, NULL},
    {{FIXTURE_MAIN(21), {SF_CHUNK, 1, 0}}, -1, LMP_C_FUNCTION, SP_SAW, 0, 20, 40, NULL},
    {{FIXTURE_MAIN(55)}, -1, LMP_C_OTHER, SP_ONCE, 100, 3, 512, NULL},
    {{{SF_PARSER, -1, 0}}, -1, LMP_C_FUNCTION_PART, SP_ONCE, 100, 1411, 96, NULL},
    {{{SF_HOST, -1, 0}}, SF_REQUIRE, LMP_C_STRING, SP_ONCE, 100, 611, 39, NULL},
    {{{SF_HOST, -1, 0}}, -1, LMP_C_USERDATA, SP_ONCE, 100, 5, 264, NULL},
};
enum { FIXTURE_LINES = sizeof fixture_lines / sizeof *fixture_lines, FIXTURE_ROUNDS = 24 };

static FakeSpot fixture_spot(FakeTables *f, const uint32_t *row, const FakeLine *l) {
    FakeSpot at = {.cls = l->cls, .tag = l->tag ? fake_tag(f, l->tag) : 0};
    for (const FakeFrame *p = l->path; p->line; p++) {
        uint32_t c = p[1].line == 0 && l->cfunction >= 0 ? row[l->cfunction] : 0;
        at.site = fake_site(f, row[p->function], p->line, 0);
        at.node = fake_node(f, at.node, at.site, p->flags);
        if (!c) continue;
        at.node = fake_node(f, at.node, fake_site(f, c, -1, 0), 0);
        at.site = fake_site(f, row[p->function], p->line, c);
    }
    return at;
}

/* What the line gives back at the end of round `i` of its blocks of this round and before. */
static uint64_t fixture_gives(const FakeLine *l, uint64_t held, int i) {
    switch (l->way) {
    case SP_GROWS:
        return l->count - l->count * (uint64_t)l->kept / 100;
    case SP_STEADY:
        return held > l->count / 50 ? held - l->count / 50 : 0;
    case SP_SAW:
        return i % 4 == 3 ? held : 0;
    default:
        return 0;
    }
}

typedef struct FakeHeld {
    uint64_t blocks, bytes;
} FakeHeld;

static void fixture_line(FakeTables *f, FakeSpot at, FakeSpot collector, const FakeLine *l, int i,
                         FakeHeld *held) {
    if (l->way == SP_ONCE && i > 0) return;
    if (l->way == SP_PLATEAU && i >= 6) return;
    uint64_t bytes = l->count * l->bytes;
    fake_made(f, at, l->count, bytes);
    if (l->cls == LMP_C_TABLE_PART && l->count > 1) {
        fake_resized(f, at, at, l->count / 4, (int64_t)(bytes / 32));
        bytes += bytes / 32;
    }
    held->blocks += l->count;
    held->bytes += bytes;
    uint64_t gives = fixture_gives(l, held->blocks, i);
    if (!gives) return;
    bytes = held->bytes * gives / held->blocks;
    fake_freed(f, at, collector, gives, bytes, l->way == SP_STEADY ? gives * 9 / 10 : 0);
    held->blocks -= gives;
    held->bytes -= bytes;
}

/* Fills empty tables with the program as it is after 102 seconds. `stacks`: with call paths. */
static inline void fake_program(FakeTables *f, bool stacks) {
    uint32_t row[FIXTURE_FUNCTIONS];
    FakeHeld held[FIXTURE_LINES] = {0};
    FakeSpot spot[FIXTURE_LINES];
    for (int i = 0; i < FIXTURE_FUNCTIONS; i++) {
        const FakeFunctionLine *l = &fixture_functions[i];
        row[i] = fake_function(f, l->kind, l->source, l->line, l->name);
        if (l->path) fake_path(f, row[i], l->path);
    }
    FakeSpot collector = {.site = fake_site(f, row[SF_COLLECTOR], -1, 0), .cls = LMP_C_OTHER};
    for (int i = 0; i < FIXTURE_LINES; i++) {
        spot[i] = fixture_spot(f, row, &fixture_lines[i]);
        if (!stacks) spot[i].node = 0;
    }
    if (!stacks) f->live->tables.nodes = 2;
    f->live->tables.stacks = stacks;
    for (int round = 0; round < FIXTURE_ROUNDS; round++) {
        for (int i = 0; i < FIXTURE_LINES; i++)
            fixture_line(f, spot[i], collector, &fixture_lines[i], round, &held[i]);
        fake_grown(f, 4250000000ull * (uint64_t)(round + 1));
    }
    f->live->clock = 102000000000ull;
    f->live->gc.cycles = FIXTURE_ROUNDS;
    f->live->gc.mode = LMP_GC_INCREMENTAL;
    f->live->owners_known = 1;
}

#endif
