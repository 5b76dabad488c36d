/* test_reserve.c - where the system counts every page beforehand: no page of the state's file is
 * touched that was not reserved, and what cannot be reserved is dropped, or charged to others, and
 * counted as such. */
#include "agent/interp/luafacts.h"
#include "suite.h"

#include <lauxlib.h>
#include <lualib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "agent/session/profiler.h"
#include "base/os.h"
#include "shared/layout.h"

/* ---- a system that counts -------------------------------------------------------------------- */

enum { PAGE = 4096, PAGES = 1 << 20 };
static bool reserved[PAGES];
static int asked, fail_at; /* fail_at: from this request on, 0: never */
static int file;

static bool yes(void) {
    return true;
}

static bool note_reserved(int fd, uint64_t at, uint64_t size) {
    ck_assert_uint_le(at + size, (uint64_t)lseek(fd, 0, SEEK_END)); /* or it would grow */
    if (fail_at && ++asked >= fail_at) return false;
    file = fd;
    ck_assert_uint_le(at + size, (uint64_t)PAGES * PAGE);
    for (uint64_t page = at / PAGE; page < (at + size + PAGE - 1) / PAGE; page++)
        reserved[page] = true;
    return true;
}

/* Every page that is there has been asked for. */
static void check_pages(void) {
    uint64_t size = (uint64_t)lseek(file, 0, SEEK_END), there = 0;
    for (off_t at = 0; (at = lseek(file, at, SEEK_DATA)) >= 0;) {
        off_t end = lseek(file, at, SEEK_HOLE);
        for (; at < end; at += PAGE, there++)
            ck_assert_msg(reserved[at / PAGE], "page at %llx of %llx", (unsigned long long)at,
                          (unsigned long long)size);
    }
    ck_assert_uint_ge(there, 10);
}

/* ---- a program that uses every part ---------------------------------------------------------- */

enum { FAR_SIZE = 1 << 16 };

static bool is_far(const void *p) {
    return (uintptr_t)p >= 0x200000000000 && (uintptr_t)p < 0x300000000000;
}

/* Now and then blocks of other parts of the address space, and many that are off the grid. */
static void *new_block(size_t size) {
    static uint64_t n;
    if (++n % 400 == 1 && size < PAGE) {
        void *p = mmap((void *)(uintptr_t)(0x200000000000 + (n << 15)), FAR_SIZE,
                       PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        return p == MAP_FAILED ? NULL : p;
    }
    return n % 4 == 0 ? (char *)malloc(size + 16) + 8 : malloc(size);
}

static void *odd_alloc(void *ud, void *ptr, size_t osize, size_t nsize) {
    void *r = nsize ? new_block(nsize) : NULL;
    (void)ud;
    if (ptr && r) memcpy(r, ptr, osize < nsize ? osize : nsize);
    if (is_far(ptr))
        munmap(ptr, FAR_SIZE);
    else if (ptr)
        free((void *)((uintptr_t)ptr & ~(uintptr_t)15));
    return r;
}

static const char work[] =
    "K = {} local text = {} "
    "for i = 1, 5000 do text[i] = 'K[#K + 1] = {' .. i .. '}\\n' end "
    "local function deep(n) if n == 0 then K[#K + 1] = {} else deep(n - 1) end end "
    "for round = 1, 3 do "
    "  for i = 1, 5000, 50 do load(table.concat(text, '', i, i + 49), '=chunk' .. i)() end "
    "  for i = 1, 100 do deep(i) end "
    "  for i = 1, 20000 do K[#K + 1] = {} end "
    "  collectgarbage() if round == 2 then K = {} end "
    "end return 'done'";

static void live(bool lines, bool stacks, uint64_t sample, LmpStats *stats) {
    static LmpOs os;
    LmpOptions options = profiler_defaults;
    LmpErr display;
    memset(reserved, 0, sizeof reserved);
    asked = 0;
    file = -1;
    os = os_real;
    os.strict = yes;
    os.reserve = note_reserved;
    lmp_os = &os;
    lua_State *L = luafacts_newstate(odd_alloc, NULL);
    luaL_openlibs(L);
    options.summary = "";
    options.lines = lines;
    options.stacks = stacks;
    options.sample = sample;
    memset(stats, 0, sizeof *stats);
    LmpErr err = profiler_start(L, &options, &display);
    ck_assert(err == LMP_OK || (fail_at && err == LMP_E_NOMEM));
    ck_assert_int_eq(luaL_dostring(L, work), LUA_OK);
    ck_assert_str_eq(lua_tostring(L, -1), "done");
    if (!err) {
        check_pages();
        ck_assert_int_eq(profiler_stats(L, stats), LMP_OK);
        ck_assert_int_eq(profiler_stop(L, NULL), LMP_OK);
    }
    lua_close(L);
    lmp_os = &os_real;
}

TEST(all_is_reserved) {
    LmpStats stats;
    fail_at = 0;
    for (int mode = 0; mode < 4; mode++) {
        live(mode > 0, mode == 2, mode == 3 ? 4096 : 0, &stats);
        ck_assert_uint_gt(stats.mallocs, 30000);
        ck_assert_uint_eq(stats.dropped, 0);
        ck_assert_uint_eq(stats.folded, 0); /* level after level */
    }
}

TEST(refusals) {
    LmpStats stats;
    int dropped = 0, folded = 0, without_lines = 0, none = 0;
    for (fail_at = 1; fail_at < 40; fail_at++) {
        live(true, fail_at & 1, 0, &stats);
        none += stats.mallocs == 0 && stats.dropped == 0;
        dropped += stats.dropped > 0;
        folded += stats.folded > 0;
        without_lines += stats.dropped > 0 && stats.lines == LMP_LINES_OFF;
    }
    ck_assert_int_gt(dropped, 0);
    ck_assert_int_gt(folded, 0);
    ck_assert_int_gt(without_lines, 0);
    ck_assert_int_eq(none, 1);
}

/* The real thing, which does no harm where it is not needed. */
TEST(pages_are_made) {
    OWN(close_at) int fd = os_real.memfd("lmp-test", 1 << 20);
    ck_assert_int_ge(fd, 0);
    ck_assert(os_real.reserve(fd, 8192, 65536));
    ck_assert_int_eq(lseek(fd, 0, SEEK_END), 1 << 20);
    char *p = os_real.map(1 << 20, fd, 0, true);
    ck_assert_ptr_nonnull(p);
    p[8192] = 1;
    ck_assert(os_real.reserve(fd, 0, 65536)); /* what is there stays */
    ck_assert_int_eq(p[8192], 1);
    ck_assert(!os_real.reserve(-1, 0, 65536));
    os_real.unmap(p, 1 << 20);
}
