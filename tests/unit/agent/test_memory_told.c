/* test_memory_told.c - where the memory of a real process is, looked at by a viewer of its own:
 * what C code takes from malloc and from the system, what malloc keeps, what lmp has, and what Lua
 * counts beside lmp. */
#include <malloc.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "agent/interp/luafacts.h"
#include "base/os.h"
#include "own_state.h"
#include "profiled.h"
#include "read/process/process.h"

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__) || !defined(__GLIBC__)
#define OTHER_MALLOC 1
#else
#define OTHER_MALLOC 0
#endif

static lua_State *L;
static LmpView *view;
static Process *process;

/* Nothing happens while it looks, so it is of one moment. */
static ProcessFigures look(void) {
    uint32_t asked = view_ask_memory(view);
    run_lua(L, "local t = {}"); /* an operation, in which it answers, */
    view_refresh(view);         /* and which may be the first one in a leaf of the map */
    LmpMemory told;
    ck_assert(view_copy_told(view, &told));
    ck_assert_uint_eq(told.done, asked);
    /* The display's memory is this process's here: until it touches no more of that. */
    uint64_t resident = 0;
    for (int i = 0; i < 20; i++) {
        process_again(process);
        while (process_step(process, lmp_os->clock(), 2000000))
            ;
        if (process_figures(process) && process_figures(process)->resident == resident) break;
        resident = process_figures(process) ? process_figures(process)->resident : 0;
    }
    ck_assert_ptr_nonnull(process_figures(process));
    ProcessFigures f = *process_figures(process);
    uint64_t sum = 0;
    for (int r = 0; r < PROCESS_ROWS; r++)
        sum += f.row[r];
    ck_assert_uint_eq(sum, f.resident);
    return f;
}

static void end(void) {
    process_free(process);
    own_view_close(view);
    lua_close(L);
}

static void begin_with(lua_State *state) {
    suite_closes(end);
    L = state;
    luaL_openlibs(L);
    run_lua(L, "old = {} for i = 1, 2000 do old[i] = {i} end");
    profiled_start(L, profiler_defaults);
    run_lua(L, "keep = {} for i = 1, 20000 do keep[i] = {tostring(i), i} end "
               "for i = 1, #keep, 3 do keep[i] = false end collectgarbage() "
               "big = ('x'):rep(1000) for i = 1, 12 do big = big .. big end");
    view = own_view();
    process = process_new(view);
}

static void begin(void) {
    begin_with(luaL_newstate());
}

static int64_t change(const ProcessFigures *now, const ProcessFigures *then, ProcessRow row) {
    return (int64_t)(now->row[row] - then->row[row]);
}

/* At most `most` bytes beside what it should be: the display's own work takes some, too. */
static void about(int64_t got, int64_t want, int64_t most, const char *what) {
    char rows[512];
    int n = 0;
    for (int r = 0; r < PROCESS_ROWS; r++)
        n += snprintf(rows + n, sizeof rows - (size_t)n, " %llu",
                      (unsigned long long)process_figures(process)->row[r]);
    ck_assert_msg(got >= want - most && got <= want + most, "%s: %lld, not %lld; rows:%s", what,
                  (long long)got, (long long)want, rows);
}

/* What malloc says of each block of Lua's is what is said around them, to the byte. */
TEST(test_around) {
    if (OTHER_MALLOC) return;
    begin();
    ProcessFigures f = look();
    MapList *list = maplist_new(view);
    MapListBlock *block = malloc(400000 * sizeof *block);
    MapListQuery all = {0, UINT64_MAX, (1u << LMP_KINDS) - 1, 0, 0};
    MapListResult found = maplist_read(list, &all, block, 400000);
    uint64_t around = 0, lua = 0;
    ck_assert_uint_eq(found.count, found.total);
    for (uint32_t i = 0; i < found.count; i++) {
        const void *at = (const void *)(uintptr_t)block[i].addr;
        size_t usable = malloc_usable_size((void *)at);
        ck_assert_uint_ge(usable, block[i].size);
        bool own = block[i].addr % 4096 == 16 && usable > 128 << 10; /* a mapping, all of it */
        around += (own ? os_whole_pages(usable + 16) : usable + 8) - block[i].size;
        lua += block[i].size;
    }
    ck_assert_uint_eq(lua, view->live->counters.live_bytes);
    ck_assert_int_eq(f.malloc, PROCESS_MALLOC_READ);
    ck_assert_uint_eq(f.row[PROCESS_LUA] + f.absent, lua);
    about((int64_t)f.row[PROCESS_AROUND], (int64_t)around, 64, "around");
    ck_assert_uint_eq(f.row[PROCESS_UNTOLD], 0);
    free(block);
    maplist_free(list);
}

/* The size of the chunk behind a pointer, without malloc's help. */
static int64_t chunk_of(const void *block) {
    return (int64_t)chunks_size(malloc_usable_size((void *)block));
}

TEST(test_c_code) {
    if (OTHER_MALLOC) return;
    enum { SMALL = 20000, LARGE = 4, MEDIUM = 300 };
    static void *volatile many[3 * SMALL];
    begin();
    for (int i = 0; i < 3 * SMALL; i++) { /* a display that has seen many needs no more for less */
        many[i] = malloc(24);
        memset(many[i], 1, 24);
    }
    ProcessFigures was = look();
    static void *small[SMALL], *medium[MEDIUM], *large[LARGE];
    int64_t want = 0;
    for (int i = 0; i < SMALL; i++) {
        small[i] = malloc(40 + (size_t)i % 60);
        memset(small[i], 1, 40);
        want += chunk_of(small[i]);
    }
    for (int i = 0; i < MEDIUM; i++) {
        medium[i] = malloc(9000);
        memset(medium[i], 1, 9000);
        want += chunk_of(medium[i]);
    }
    for (int i = 0; i < LARGE; i++) {
        large[i] = malloc(40u << 20);
        memset(large[i], 1, 40u << 20);
        want += (int64_t)os_whole_pages(malloc_usable_size(large[i]) + 16);
    }
    char *map = mmap(NULL, 24u << 20, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    memset(map, 1, 11u << 20); /* the rest is not in memory */
    ProcessFigures now = look();
    about(change(&now, &was, PROCESS_MALLOC), want, 16384, "malloc");
    about(change(&now, &was, PROCESS_MAPPED), 11 << 20, 8192, "mapped");
    ck_assert_uint_eq(now.row[PROCESS_UNTOLD], 0);
    /* Freed and kept by malloc is not C code's any more, whatever list it is on. */
    int64_t given_back = 0;
    for (int i = 0; i < SMALL; i += 2) {
        given_back += chunk_of(small[i]);
        free(small[i]);
    }
    ProcessFigures freed = look();
    about(change(&freed, &now, PROCESS_MALLOC), -given_back, 4096, "malloc after free");
    about(change(&freed, &now, PROCESS_FREE_PARTS) + change(&freed, &now, PROCESS_FREE_PAGES),
          given_back, 16384, "free");
    munmap(map, 24u << 20);
    for (int i = 0; i < LARGE; i++)
        free(large[i]);
    ProcessFigures last = look();
    about(change(&last, &freed, PROCESS_MAPPED), -(11 << 20), 8192, "mapped no more");
    about(change(&last, &freed, PROCESS_MALLOC), -(int64_t)LARGE * ((40 << 20) + 4096), 4096,
          "malloc after the large ones");
}

/* What Lua counts: blocks from before start are in it, those that C code has asked its allocator
 * for are not. */
TEST(test_beside) {
    begin();
    ProcessFigures was = look();
    ck_assert(was.asked);
    ck_assert_int_eq(was.beside, 0);
    ck_assert_uint_gt(was.before, 2000 * 56);
    if (!OTHER_MALLOC) ck_assert_uint_eq(was.row[PROCESS_BEFORE], was.before);
    void *ud;
    lua_Alloc alloc = lua_getallocf(L, &ud);
    void *block = alloc(ud, NULL, 0, 123456);
    memset(block, 1, 123456);
    ProcessFigures now = look();
    ck_assert_int_eq(now.beside, 123456);
    block = alloc(ud, block, 123456, 200000);
    ck_assert_int_eq(look().beside, 200000);
    alloc(ud, block, 200000, 0);
    run_lua(L, "old = nil collectgarbage() collectgarbage()");
    ProcessFigures last = look();
    ck_assert_int_eq(last.beside, 0);
    ck_assert_uint_lt(last.before + 2000 * 56, was.before);
    /* as Lua itself says it, less what asking makes */
    run_lua(L, "count = collectgarbage('count') * 1024");
    lua_getglobal(L, "count");
    about((int64_t)last.count, (int64_t)lua_tonumber(L, -1), 2000, "count");
    lua_pop(L, 1);
}

/* Much, since the system puts neighbours of a touched page of the heap map into RSS, too; a
 * sanitizer has shadows of it. */
TEST(test_own) {
    enum { MAPPED = 60 << 20, WRITTEN = OTHER_MALLOC ? 5 << 20 : 40 << 20 };
    begin();
    ProcessFigures was = look();
    ck_assert_uint_gt(was.row[PROCESS_OWN], 256 << 10);
    char *mine = lmp_os->map(MAPPED, -1, 0, true);
    memset(mine, 1, WRITTEN);
    void *ud;
    lua_Alloc alloc = lua_getallocf(L, &ud);
    for (int i = 0; i < 20000; i++) /* the program tells of it with a tick */
        alloc(ud, alloc(ud, NULL, 0, 100), 100, 0);
    ProcessFigures now = look();
    about(change(&now, &was, PROCESS_OWN), WRITTEN, OTHER_MALLOC ? 3 << 20 : 2 << 20, "own");
    if (!OTHER_MALLOC) about(change(&now, &was, PROCESS_MAPPED), 0, 16 << 10, "mapped");
    lmp_os->unmap(mine, MAPPED);
}

/* ---- where malloc is not what it seems ------------------------------------------------------- */

/* Blocks of a region, with a word of its own in front of each. */
static char *region;
static size_t region_used;
static void *region_alloc(void *ud, void *ptr, size_t osize, size_t nsize) {
    (void)ud;
    if (nsize == 0) return NULL;
    if (ptr && nsize <= osize) return ptr;
    size_t size = (nsize + 16 + 15) & ~(size_t)15;
    char *r = region + region_used + 16;
    ck_assert_uint_lt(region_used + size, 64u << 20);
    region_used += size;
    if (ptr) memcpy(r, ptr, osize);
    return r;
}

TEST(test_another_allocator) {
    region = mmap(NULL, 64u << 20, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    begin_with(luafacts_newstate(region_alloc, NULL));
    ProcessFigures f = look();
    ck_assert_int_eq(f.malloc, PROCESS_MALLOC_UNKNOWN);
    ck_assert_uint_eq(f.row[PROCESS_AROUND] + f.row[PROCESS_FREE_PARTS] +
                          f.row[PROCESS_FREE_PAGES] + f.row[PROCESS_MALLOC],
                      0);
    ck_assert_uint_eq(f.row[PROCESS_LUA] + f.absent, view->live->counters.live_bytes);
    ck_assert_uint_ge(f.row[PROCESS_UNTOLD], region_used - f.row[PROCESS_LUA] - f.before);
}

/* Its memory may not be read: what is free and what is C code's cannot be told then. */
static size_t refuse(uint32_t pid, uint64_t from, void *to, size_t n) {
    (void)pid, (void)from, (void)to, (void)n;
    return 0;
}

TEST(test_unread) {
    if (OTHER_MALLOC) return;
    static LmpOs os;
    begin();
    ProcessFigures was = look();
    os = *lmp_os;
    os.peek_process = refuse;
    lmp_os = &os;
    ProcessFigures f = look();
    ck_assert_int_eq(f.malloc, PROCESS_MALLOC_UNREAD);
    about(change(&f, &was, PROCESS_LUA), 0, 20000, "Lua");
    about(change(&f, &was, PROCESS_AROUND), 0, (int64_t)was.row[PROCESS_AROUND] / 100, "around");
    ck_assert_uint_eq(f.row[PROCESS_MALLOC] + f.row[PROCESS_FREE_PARTS] + f.row[PROCESS_FREE_PAGES],
                      0);
    lmp_os = &os_real;
}

/* The sizes of chunks are glibc's own, also after blocks were resized. */
TEST(test_sizes) {
    if (OTHER_MALLOC) return;
    void *block[2000] = {0};
    size_t size[2000];
    for (int i = 0; i < 400000; i++) {
        size_t at = suite_below(2000),
               n = suite_below(8) ? 1 + suite_below(300) : 1 + suite_below(9000);
        block[at] = realloc(block[at], n);
        size[at] = n;
        uint64_t chunk = malloc_usable_size(block[at]) + 8, want = chunks_size(n);
        ck_assert_msg(chunk == want || chunk == want + 16, "%zu: %llu, not %llu", size[at],
                      (unsigned long long)chunk, (unsigned long long)want);
        if (suite_below(4) == 0) {
            free(block[at]);
            block[at] = NULL;
        }
    }
    for (int i = 0; i < 2000; i++)
        free(block[i]);
}
