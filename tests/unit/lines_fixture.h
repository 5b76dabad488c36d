/* lines_fixture.h - for the suites of lines.c: prototypes whose code a test writes. The suite
 * replaces (with the linker's --wrap) the tables (sites.c), the debug API and the code that knows
 * the interpreter; the caches (line_cache.c) are the real ones. */
#ifndef LMP_LINES_FIXTURE_H
#define LMP_LINES_FIXTURE_H

#include "agent/charge/inspect.h"
#include "agent/charge/line_cache.h"
#include "agent/charge/lines_impl.h"
#include "agent/interp/owner.h"
#include "agent/interp/saved_regs.h"
#include "agent/interp/stack.h"
#include "agent/interp/stripped.h"
#include "agent/map/shadow.h"
#include "counted_maps.h"
#include "fake_threads.h"

enum { PROTOS = 16, CODE = 512, C_FUNCTIONS = 4, PSEUDOS = 8 };
enum { OTHERS = 1, UNKNOWN = 5 }; /* sites and functions, as sites_pseudo has them */
enum { NO_PC = 0x77 };            /* what a C function's frame has there is its own */
enum { SITES = 1 << 16, RECORDS = 1 << 17, KEYS = 1 << 18 };

/* ---- what the interpreter has ---------------------------------------------------------------- */

static uintptr_t protos[PROTOS][16], closures[PROTOS][6];
static uint32_t (*code)[CODE + 4]; /* of each; no two lie side by side */

static inline uint32_t instruction(unsigned op, unsigned b, unsigned c) {
    return op | b << 16 | c << (16 + LMP_BITS_B);
}

/* The pc behind an instruction. */
static inline uintptr_t pc_of(int i, unsigned at) {
    return (uintptr_t)code[i] + (at + 1) * sizeof **code;
}

/* The address of a C function, from 1; 0: none. */
static inline uintptr_t c_function(unsigned i) {
    return i ? LINE_FN + 16 * i : 0;
}

/* ---- what lmp has of it ---------------------------------------------------------------------- */

static LmpProfile p;
static LmpLineCache cache;
static LmpCodes codes;
static LmpLive live;
static LmpRecord record[RECORDS];
static LmpSite site[SITES];
static LmpSavedRegsPlan plan;

/* What was asked, and what the answer is to be. */
static unsigned queries, full_queries, records_asked, codes_noted, kept_stripped;
static uintptr_t notified;
static uint64_t kept_hash;
static unsigned c_known, named; /* C functions that have a row; queries of a name */
static struct {
    bool no_code, disagrees, looks, lineless, no_regs, unfit;
    const char *source;
    uint32_t wants;    /* a function that wants a name; */
    bool c_wants;      /* all C functions want one */
    uint32_t function; /* what sites_function has to say, if not 0 */
    uint32_t known;    /* of a stripped function's hash */
    int life;          /* added to all lines: other code at the same addresses */
    int chain;         /* threads of the state */
} answer;

static inline void end(void) {
    codes_close(&codes);
    line_l2_close(&cache.l2);
    counted_maps_end();
}

static inline void begin(void) {
    suite_closes(end);
    threads_begin();
    if (!code) code = (uint32_t(*)[CODE + 4]) fixed_memory((PROTOS + 1) * sizeof *code) + 1;
    memset(code, 0, PROTOS * sizeof *code);
    counted_maps_begin(-1);
    memset(&p, 0, sizeof p);
    memset(&live, 0, sizeof live);
    memset(&plan, 0, sizeof plan);
    memset(&answer, 0, sizeof answer);
    memset(&cache, 0, sizeof cache);
    cache.mask = (LMP_LINE_LEAST - 1) * sizeof *cache.slot;
    cache.codes = &codes;
    ck_assert(codes_open(&codes));
    queries = full_queries = records_asked = codes_noted = kept_stripped = 0;
    c_known = named = 0;
    notified = 0;
    for (int i = 0; i < PROTOS; i++)
        put_proto(protos[i], closures[i], code[i], CODE);
    p.lines = &cache;
    p.live = &live;
    p.record = record;
    p.tables.record = record;
    p.tables.site = site;
    p.main = thread(MAIN);
}

/* The instruction of that prototype runs, and a C function in it: from 1; 0: none. */
static inline LmpWhere at(int i, unsigned place, unsigned c) {
    enter(1, 0);
    call_closure(1, closures[i], pc_of(i, place));
    LmpWhere w = {.L = thread(1), .runs = thread(1), .ci = top(1), .pc = pc_of(i, place)};
    call(1, LMP_TAG_LIGHT_C, c_function(c), LMP_CI_C, NO_PC);
    if (c) w.c = top(1);
    w.cfn = c_function(c);
    return w;
}

/* ---- in the place of the others -------------------------------------------------------------- */

/* The functions' rows, their sites' and their records': each another one. */
static inline uint32_t function_row(int i) {
    return PSEUDOS + C_FUNCTIONS + (uint32_t)i;
}
static inline uint32_t c_row(unsigned c) {
    return c ? PSEUDOS + c - 1 : 0;
}
static uint64_t row_key[KEYS];
static uint32_t row_at[KEYS], rows[2];

static inline uint32_t row_of(unsigned of, uint64_t key) {
    key = key << 1 | of | 1ull << 63;
    size_t i = key * 0x9e3779b97f4a7c15ull >> 46;
    while (row_key[i] && row_key[i] != key)
        i = (i + 1) % KEYS;
    if (!row_key[i]) row_at[i] = PSEUDOS + rows[of]++;
    row_key[i] = key;
    ck_assert_uint_lt(row_at[i], SITES);
    return row_at[i];
}

static inline uint32_t site_row(uint32_t function, int line, uint32_t c) {
    return row_of(0, ((uint64_t)function << 16 | (uint16_t)line) << 8 | c);
}

static inline uint32_t record_row(uint32_t of, unsigned cls) {
    return row_of(1, ((uint64_t)of << 16 | p.tag) << 8 | cls);
}

/* The record of an instruction, or of a C function there. */
static inline uint32_t right(int i, int line, unsigned c, unsigned cls) {
    return record_row(site_row(function_row(i), line + answer.life, c_row(c)), cls);
}

static inline int line_of(uintptr_t pc) {
    return (int)((pc - (uintptr_t)code) / sizeof **code - 1) % (CODE + 4) + answer.life;
}

int __wrap_lua_getinfo(lua_State *L, const char *what, lua_Debug *ar);
int __wrap_lua_getinfo(lua_State *L, const char *what, lua_Debug *ar) {
    const LmpCallInfo *ci = (const LmpCallInfo *)ar->i_ci;
    ck_assert_ptr_eq(L, thread(1));
    if (frames_status(ci) & LMP_CI_C) ck_assert_uint_eq(frames_pc(ci), NO_PC);
    queries++;
    if (!strcmp(what, "Sln")) named++;
    if (strchr(what, 'S')) full_queries++;
    if (strchr(what, 'l')) ar->currentline = answer.lineless ? -1 : line_of(frames_pc(ci));
    if (strchr(what, 'n')) ar->namewhat = "method";
    if (strchr(what, 'S')) {
        ar->what = frames_status(ci) & LMP_CI_C ? "C" : "Lua";
        ar->source = answer.source ? answer.source : "=x.lua";
        ar->srclen = strlen(ar->source);
        ar->linedefined = (int)((frames_pc(ci) - 1 - (uintptr_t)code) / sizeof *code);
    }
    return 1;
}

uint32_t __wrap_sites_function(LmpProfile *q, const lua_Debug *ar, const void *address);
uint32_t __wrap_sites_function(LmpProfile *q, const lua_Debug *ar, const void *address) {
    (void)q;
    if (answer.function) return answer.function;
    if (address) {
        unsigned c = (unsigned)((uintptr_t)address - LINE_FN) / 16;
        c_known |= 1u << c;
        return c_row(c);
    }
    return function_row(ar->linedefined);
}

uint32_t __wrap_sites_find_function(const LmpProfile *q, uint32_t source, int line,
                                    const void *address);
uint32_t __wrap_sites_find_function(const LmpProfile *q, uint32_t source, int line,
                                    const void *address) {
    (void)q;
    ck_assert(source == 0 && line == -1);
    unsigned c = (unsigned)((uintptr_t)address - LINE_FN) / 16;
    return c_known >> c & 1 ? c_row(c) : 0;
}

bool __wrap_sites_wants_name(const LmpProfile *q, uint32_t function);
bool __wrap_sites_wants_name(const LmpProfile *q, uint32_t function) {
    (void)q;
    if (function >= PSEUDOS && function < PSEUDOS + C_FUNCTIONS) return answer.c_wants;
    return function == answer.wants;
}

uint32_t __wrap_sites_stripped(const LmpProfile *q, uint64_t hash);
uint32_t __wrap_sites_stripped(const LmpProfile *q, uint64_t hash) {
    (void)q;
    (void)hash;
    return answer.known;
}

void __wrap_sites_keep_stripped(LmpProfile *q, uint64_t hash, uint32_t function);
void __wrap_sites_keep_stripped(LmpProfile *q, uint64_t hash, uint32_t function) {
    (void)q;
    (void)function;
    kept_hash = hash;
    kept_stripped++;
}

uint32_t __wrap_sites_site(LmpProfile *q, uint32_t function, int line, uint32_t cfunction);
uint32_t __wrap_sites_site(LmpProfile *q, uint32_t function, int line, uint32_t cfunction) {
    uint32_t row = function == OTHERS ? OTHERS : site_row(function, line, cfunction);
    (void)q;
    site[row].function = function;
    site[row].line = line;
    site[row].cfunction = cfunction;
    return row;
}

uint32_t __wrap_sites_record(LmpProfile *q, uint32_t of, unsigned cls, unsigned tag);
uint32_t __wrap_sites_record(LmpProfile *q, uint32_t of, unsigned cls, unsigned tag) {
    uint32_t row = record_row(of, cls);
    (void)q;
    ck_assert_uint_eq(tag, p.tag);
    records_asked++;
    record[row].site = of;
    record[row].use.cls = cls;
    return row;
}

bool __wrap_stripped_agrees(const void *of, const lua_Debug *ar);
bool __wrap_stripped_agrees(const void *of, const lua_Debug *ar) {
    (void)of;
    (void)ar;
    return !answer.disagrees;
}

bool __wrap_stripped_looks(const void *of);
bool __wrap_stripped_looks(const void *of) {
    (void)of;
    return answer.looks;
}

uint64_t __wrap_stripped_hash(const void *of);
uint64_t __wrap_stripped_hash(const void *of) {
    return (uintptr_t)of;
}

void __wrap_stripped_name(const void *of, lua_Debug *ar, char out[LMP_STRIPPED_NAME]);
void __wrap_stripped_name(const void *of, lua_Debug *ar, char out[LMP_STRIPPED_NAME]) {
    (void)of;
    (void)ar;
    out[0] = 0;
}

LmpCode *__real_codes_note(LmpCodes *c, uintptr_t addr, bool *added);
LmpCode *__wrap_codes_note(LmpCodes *c, uintptr_t addr, bool *added);
LmpCode *__wrap_codes_note(LmpCodes *c, uintptr_t addr, bool *added) {
    codes_noted++;
    *added = true;
    return answer.no_code ? NULL : __real_codes_note(c, addr, added);
}

void __wrap_shadow_notify(LmpProfile *q, uintptr_t addr);
void __wrap_shadow_notify(LmpProfile *q, uintptr_t addr) {
    (void)q;
    notified = addr;
}

/* ---- asking ---------------------------------------------------------------------------------- */

static uintptr_t constructor;

static inline uint32_t ask(const LmpWhere *w, unsigned cls) {
    constructor = 0;
    return lines_record_of(&p, w, cls, &constructor);
}

/* The record of what a table constructor asks for: its pc is not the saved one. */
static inline uint32_t ask_table(int i, unsigned place, unsigned cls) {
    LmpWhere w = at(i, place > 4 ? place - 4 : 0, 0);
    constructor = pc_of(i, place);
    return lines_record_of(&p, &w, cls, &constructor);
}

static inline bool dies(int i) {
    uintptr_t addr = (uintptr_t)code[i];
    size_t size = CODE * sizeof **code;
    return lines_code_gone(&p, &addr, &size);
}

#endif
