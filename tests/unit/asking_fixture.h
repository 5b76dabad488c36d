/* asking_fixture.h - for the suites of lines_asking.c: replaces everything that it asks (with the
 * linker's --wrap) by answers that a test sets, and notes its questions. */
#ifndef LMP_ASKING_FIXTURE_H
#define LMP_ASKING_FIXTURE_H

#include "agent/charge/lines_impl.h"
#include "agent/charge/sites.h"
#include "agent/charge/tags.h"
#include "agent/interp/parsing.h"
#include "agent/interp/stack.h"
#include "agent/map/shadow.h"
#include "fake_threads.h"

enum { FOUND = 77, RET = 0x5000, AT_THREAD = 3, RECORDS = 4096, LINES = 512 };

/* ---- what lmp has of it ---------------------------------------------------------------------- */

static LmpProfile p;
static LmpLineCache cache;
static LmpLive live;
static LmpRecord record[RECORDS];
static LmpSite site[RECORDS];
static LmpSavedRegsPlan plan;
static uintptr_t words[16];
static uintptr_t other_ret, strange_ret; /* another asker, in the next place of the table; none */
static LmpAsk ask;

/* What was asked, and what the answer is to be. */
static LmpWhere where;
static unsigned asked_cls, records_asked, newtables_asked, api_calls;
static uintptr_t asked_constructor, notified;
static const lua_State *asked_parser;
static bool asked_object, asked_certain;
static struct {
    bool parser, doubtful, setlist, none, others;
    uintptr_t newtable, constructor; /* newtable_ask; of a line that sets one */
    int chain[LMP_CHAIN], threads;
    int lua_level[THREADS]; /* by the API: where a thread's first Lua function is; of so many */
    int levels[THREADS];
} answer;

static void begin(void) {
    threads_begin();
    memset(&p, 0, sizeof p);
    memset(&live, 0, sizeof live);
    memset(&plan, 0, sizeof plan);
    memset(&answer, 0, sizeof answer);
    memset(&where, 0, sizeof where);
    memset(record, 0, sizeof record);
    memset(site, 0, sizeof site);
    memset(cache.slot, 0, LINES * sizeof *cache.slot);
    memset(cache.lately, 0, sizeof cache.lately);
    memset(cache.known, 0, sizeof cache.known);
    memset(cache.outside, 0, sizeof cache.outside);
    cache.ran = 0;
    cache.jumps = true;
    cache.mask = (LINES - 1) * sizeof *cache.slot;
    asked_cls = records_asked = newtables_asked = api_calls = 0;
    asked_constructor = notified = 0;
    p.main = thread(MAIN);
    p.lines = &cache;
    p.live = &live;
    p.record = record;
    p.tables.record = record;
    p.tables.site = site;
    p.framed = true;
    p.regs = &plan;
    uint32_t home = saved_regs_asker_home(RET), last = (1 << LMP_ASKER_BITS) - 1;
    other_ret = RET + 8;
    while (saved_regs_asker_home(other_ret) != home)
        other_ret += 8;
    strange_ret = other_ret + 8;
    while (saved_regs_asker_home(strange_ret) != home)
        strange_ret += 8;
    plan.asker[home] = (LmpAsker){RET, AT_THREAD, false};
    plan.asker[(home + 1) & last] = (LmpAsker){other_ret, 4, false};
    memset(words, 0, sizeof words);
    words[LMP_REGS_RET] = RET;
}

/* The saved registers of a request by that thread; -1: by none. */
static inline LmpSavedRegs asks(int i) {
    words[AT_THREAD] = i < 0 ? 0 : (uintptr_t)thread(i);
    return words;
}

/* ---- in the place of the others -------------------------------------------------------------- */

uint32_t __wrap_lines_record_of(LmpProfile *, const LmpWhere *w, unsigned cls, uintptr_t *c);
uint32_t __wrap_lines_record_of(LmpProfile *q, const LmpWhere *w, unsigned cls, uintptr_t *c) {
    (void)q;
    where = *w;
    asked_cls = cls;
    asked_constructor = *c;
    if (answer.constructor) *c = answer.constructor;
    return FOUND;
}

int __wrap_stack_chain(lua_State *main, lua_State *chain[LMP_CHAIN]);
int __wrap_stack_chain(lua_State *main, lua_State *chain[LMP_CHAIN]) {
    ck_assert_ptr_eq(main, thread(MAIN));
    for (int i = 0; i < answer.threads; i++)
        chain[i] = thread(answer.chain[i]);
    return answer.threads;
}

static int index_of(const lua_State *L) {
    int i = 0;
    while (thread(i) != L)
        i++;
    return i;
}

int __wrap_lua_getstack(lua_State *L, int level, lua_Debug *ar);
int __wrap_lua_getstack(lua_State *L, int level, lua_Debug *ar) {
    int i = index_of(L);
    ar->currentline = 100 * i + level;
    ar->what = level == answer.lua_level[i] ? "Lua" : "C";
    return level < answer.levels[i];
}

int __wrap_lua_getinfo(lua_State *L, const char *what, lua_Debug *ar);
int __wrap_lua_getinfo(lua_State *L, const char *what, lua_Debug *ar) {
    (void)L;
    (void)ar;
    ck_assert_str_eq(what, "Sln");
    api_calls++;
    return 1;
}

bool __wrap_parsing_now(unsigned cls, const lua_State *L, bool certain);
bool __wrap_parsing_now(unsigned cls, const lua_State *L, bool certain) {
    (void)cls;
    asked_parser = L;
    asked_certain = certain;
    return answer.parser;
}

uintptr_t __wrap_newtable_ask(LmpProfile *, const lua_State *, const void *, LmpSavedRegs, bool,
                              bool *);
uintptr_t __wrap_newtable_ask(LmpProfile *q, const lua_State *L, const void *of, LmpSavedRegs regs,
                              bool object, bool *doubtful) {
    (void)L;
    ck_assert(q == &p && of == proto && regs == words);
    newtables_asked++;
    asked_object = object;
    *doubtful = answer.doubtful;
    return answer.newtable;
}

bool __wrap_newtable_has_none(LmpProfile *q, const lua_State *L);
bool __wrap_newtable_has_none(LmpProfile *q, const lua_State *L) {
    (void)q;
    (void)L;
    return answer.none;
}

bool __wrap_newtable_setlist(const void *of, uintptr_t pc);
bool __wrap_newtable_setlist(const void *of, uintptr_t pc) {
    (void)pc;
    ck_assert_ptr_eq(of, proto);
    return answer.setlist;
}

uint32_t __wrap_newtable_parts(uintptr_t pc);
uint32_t __wrap_newtable_parts(uintptr_t pc) {
    ck_assert_uint_eq(pc, answer.newtable);
    return 2;
}

uint32_t __wrap_shadow_lookup(LmpProfile *q, uintptr_t addr, uint64_t *size);
uint32_t __wrap_shadow_lookup(LmpProfile *q, uintptr_t addr, uint64_t *size) {
    (void)q;
    ck_assert_uint_eq(addr >> LMP_ADDRESS_BITS, 0); /* the map has no other */
    *size = 208;
    for (int i = 0; i < THREADS; i++)
        if (addr + EXTRA == (uintptr_t)thread(i)) return t[i].entry;
    return 0;
}

void __wrap_shadow_notify(LmpProfile *q, uintptr_t addr);
void __wrap_shadow_notify(LmpProfile *q, uintptr_t addr) {
    (void)q;
    notified = addr;
}

uint32_t __wrap_tags_current(LmpProfile *q, const lua_State *L);
uint32_t __wrap_tags_current(LmpProfile *q, const lua_State *L) {
    (void)q;
    return (uint32_t)index_of(L);
}

uint32_t __wrap_sites_function(LmpProfile *q, const lua_Debug *ar, const void *address);
uint32_t __wrap_sites_function(LmpProfile *q, const lua_Debug *ar, const void *address) {
    (void)q;
    ck_assert(*ar->what == 'L' && !address);
    return 9;
}

uint32_t __wrap_sites_site(LmpProfile *q, uint32_t function, int line, uint32_t cfunction);
uint32_t __wrap_sites_site(LmpProfile *q, uint32_t function, int line, uint32_t cfunction) {
    (void)q;
    ck_assert(function == 9 && cfunction == 0);
    return (uint32_t)line;
}

/* A record for each site and class. */
uint32_t __wrap_sites_record(LmpProfile *q, uint32_t of, unsigned cls, unsigned tag);
uint32_t __wrap_sites_record(LmpProfile *q, uint32_t of, unsigned cls, unsigned tag) {
    uint32_t row = 16 * of + cls + 1;
    (void)q;
    ck_assert_uint_eq(tag, p.tag);
    ck_assert_uint_lt(row, RECORDS);
    records_asked++;
    record[row].site = answer.others ? LMP_PSEUDO_OTHERS + 1 : of;
    return row;
}

static inline uint32_t row_of(uint32_t of, unsigned cls) {
    return 16 * of + cls + 1;
}

static inline uint32_t host(unsigned cls) {
    return row_of(LMP_PSEUDO_HOST + 1, cls);
}

/* Is it known to be a thread, until its end? */
static inline bool is_known(int i) {
    return cache.known[lines_known_home(thread(i))] == thread(i);
}

#endif
