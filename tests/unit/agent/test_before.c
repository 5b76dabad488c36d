/* Tests what is entered of a program that ran before its profile: each block that its state has,
 * once, with its size, and nothing else. The judge is an allocator that writes both in front of
 * each block.
 */
#include <stdlib.h>

#include "agent/doctor/hostcalls.h"
#include "agent/interp/collector.h"
#include "agent/interp/luafacts.h"
#include "agent/map/shadow.h"
#include "agent/objects/offsets.h"
#include "agent/objects/size.h"
#include "profiled.h"
#include "shared/counters.h"

/* ---- the judge ------------------------------------------------------------------------------- */

enum { MAGIC = 0x4c756121 };

typedef struct Head {
    uint32_t magic, visits;
    uint64_t size;
} Head;
_Static_assert(sizeof(Head) == 16, "blocks stay on the grid");

static uint64_t live_blocks, live_bytes;

static void *judge(void *ud, void *ptr, size_t osize, size_t nsize) {
    Head *head = ptr ? (Head *)ptr - 1 : NULL;
    (void)ud;
    if (head) {
        ck_assert_uint_eq(head->magic, MAGIC);
        ck_assert_uint_eq(head->size, osize);
        live_blocks--, live_bytes -= osize;
    }
    if (!nsize) {
        if (head) head->magic = 0;
        free(head);
        return NULL;
    }
    head = realloc(head, sizeof *head + nsize);
    ck_assert_ptr_nonnull(head);
    *head = (Head){MAGIC, 0, nsize};
    live_blocks++, live_bytes += nsize;
    return head + 1;
}

static lua_State *L;

static void end(void) {
    if (L) lua_close(L);
    L = NULL;
}

static void begin(void) {
    static const HostCalls calls = {lua_resume, lua_sethook};
    suite_closes(end);
    L = luafacts_newstate(judge, NULL);
    ck_assert_ptr_nonnull(L);
    luaL_openlibs(L);
    hostcalls_open(L, &calls);
    ck_assert_int_eq(offsets_known(), LMP_OK);
}

/* Some of everything, made, held and dropped. */
static const char everything[] =
    "local rest = {host.lent(0, string.dump(load('return function() return {} end')))}\n"
    "for i = 1, 300 do\n"
    "  local t = {i, i + 1, name = 'n' .. i, [i * 0.5] = ('x'):rep(i)}\n"
    "  for k = 1, i % 40 do t[k * 7] = k end\n"
    "  local f = load('local a, b = ... local c = {} return function() c[a] = b return a end', 'c' "
    ".. i)\n"
    "  local co = coroutine.create(function(...) local up = ... local function deep(n)\n"
    "    if n == 0 then coroutine.yield(up) else return deep(n - 1), n end end\n"
    "    deep(i % 30) end)\n"
    "  if i % 3 == 0 then coroutine.resume(co, t) end\n"
    "  setmetatable(t, {__mode = i % 2 == 0 and 'k' or 'v', __gc = function() end})\n"
    "  rest[#rest + 1] = i % 5 > 0 and {t, f(i, t), co, io.tmpfile and io.stdout} or nil\n"
    "  if i % 50 == 0 then collectgarbage(i % 100 == 0 and 'step' or 'collect') end\n"
    "  if i == 150 then collectgarbage 'generational' end\n"
    "  if i == 220 then collectgarbage 'incremental' end\n"
    "end\n"
    "KEPT = rest\n"
    "for k, v in pairs(KEPT) do KEPT[k] = k % 4 > 0 and v or nil end\n";

/* ---- what is visited ------------------------------------------------------------------------- */

static uint64_t visited, visited_bytes, of_class[LMP_CLASSES];

static bool visit(void *of, uintptr_t at, uint64_t size, unsigned cls) {
    Head *head = (Head *)at - 1;
    (void)of;
    ck_assert_uint_eq(head->magic, MAGIC);
    ck_assert_uint_eq(head->size, size);
    ck_assert_uint_eq(head->visits++, 0);
    visited++, visited_bytes += size, of_class[cls]++;
    return true;
}

static int count_all(lua_State *l) {
    object_size_blocks(L, visit, NULL);
    (void)l;
    return 0;
}

TEST(each_block_once) {
    begin();
    run_lua(L, everything);
    lua_pushcfunction(L, count_all); /* known to a profile of the same process alone: its birth */
    profiled_start(L, profiler_defaults);
    profiler_stop(L, NULL);
    lua_call(L, 0, 0);
    ck_assert_uint_eq(visited, live_blocks);
    ck_assert_uint_eq(visited_bytes, live_bytes);
    for (unsigned cls = LMP_C_STRING; cls <= LMP_C_TABLE; cls++)
        ck_assert_uint_gt(of_class[cls], 0);
    ck_assert_uint_gt(of_class[LMP_C_TABLE_PART], 300);
    ck_assert_uint_gt(of_class[LMP_C_FUNCTION_PART], 300);
    ck_assert_uint_gt(of_class[LMP_C_THREAD_PART], 100);
    ck_assert_uint_eq(of_class[LMP_C_STRING_PART], 1);
}

/* ---- what is entered ------------------------------------------------------------------------- */

static void enters_all(bool stacks) {
    LmpOptions options = profiler_defaults;
    LmpClassTotal total[LMP_CLASSES];
    begin();
    run_lua(L, everything);
    options.attached = true;
    options.stacks = stacks;
    const LmpProfile *p = profiled_start(L, options);
    uint64_t entered = p->counters->live_bytes;
    ck_assert_uint_eq(entered, live_bytes);
    ck_assert_uint_eq(p->header->before, 0);
    run_lua(L, everything); /* frees what was there, resizes it, makes more */
    run_lua(L, "KEPT = nil collectgarbage() collectgarbage()");
    counters_read(p->counters, total);
    uint64_t bytes = 0, blocks = 0;
    for (unsigned cls = 1; cls < LMP_C_COUNTED; cls++)
        bytes += total[cls].live_bytes, blocks += total[cls].live_blocks;
    ck_assert_uint_eq(bytes, live_bytes);
    ck_assert_uint_eq(blocks, live_blocks);
    ck_assert_uint_lt(bytes, entered);
    ck_assert_uint_eq(p->counters->before_frees, 0);
    ck_assert_uint_eq(p->live->strange.other_sizes, 0);
    profiler_stop(L, NULL);
}

TEST(entered_with_lines) {
    enters_all(false);
}

TEST(entered_with_stacks) {
    enters_all(true);
}

/* The line of what was before has it all, and loses it again. */
TEST(has_a_line) {
    LmpOptions options = profiler_defaults;
    Ledger ledger = {0};
    begin();
    run_lua(L, everything);
    options.attached = true;
    const LmpProfile *p = profiled_start(L, options);
    uint64_t entered = p->counters->live_bytes;
    ck_assert_int_eq(profiler_ledger(L, LEDGER_SITES, &ledger), LMP_OK);
    const LmpSiteRow *before = NULL;
    for (uint32_t i = 0; i < ledger.sites; i++)
        if (!strcmp(ledger.site[i].short_src, "(before)")) before = &ledger.site[i];
    ck_assert_ptr_nonnull(before);
    ck_assert_uint_eq(before->tally.live_bytes, entered);
    ledger_free(&ledger);
    profiler_stop(L, NULL);
}
