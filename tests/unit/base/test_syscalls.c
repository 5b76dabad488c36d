/* test_syscalls.c - the hook makes no system call once it has met a region of addresses and a line:
 * a program goes on, in every mode, after all of them but exit were forbidden. */
#include "agent/interp/luafacts.h"
#include "suite.h"

#include <lauxlib.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <lualib.h>
#include <signal.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "agent/session/profiler.h"
#include "agent/session/session.h"
#include "base/os.h"
#include "shared/launch.h"

#if defined(__SANITIZE_ADDRESS__)
#define SANITIZED 1 /* makes system calls of its own */
#else
#define SANITIZED 0
#endif

/* ---- a host that makes none: blocks of powers of two from one region ------------------------- */

enum { ARENA = 32 << 20, LEAST = 5, SIZES = 25 };
static char room[2 * ARENA];
static char *arena; /* half of it, in one region of addresses */
static size_t arena_used;
static void *free_block[SIZES];

static int size_of(size_t n) {
    int bits = LEAST;
    while (((size_t)1 << bits) < n)
        bits++;
    return bits;
}

static void *quiet_alloc(void *ud, void *ptr, size_t osize, size_t nsize) {
    (void)ud;
    int old = ptr ? size_of(osize) : 0, new = nsize ? size_of(nsize) : 0;
    if (ptr && old == new) return ptr;
    void *r = NULL;
    if (new) {
        if (new >= SIZES) return NULL;
        r = free_block[new];
        if (r)
            memcpy(&free_block[new], r, sizeof r);
        else if (arena_used + ((size_t)1 << new) <= ARENA)
            arena_used += (size_t)1 << new, r = arena + arena_used - ((size_t)1 << new);
        else
            return NULL;
        if (ptr) memcpy(r, ptr, osize < nsize ? osize : nsize);
    }
    if (ptr) {
        memcpy(ptr, &free_block[old], sizeof(void *));
        free_block[old] = ptr;
    }
    return r;
}

/* ---- the program ----------------------------------------------------------------------------- */

static const char work[] =
    "local t = {}\n"
    "for i = 1, 3000 do t[i] = {i, 's' .. i, function() return i end, x = {}} end\n"
    "local c = coroutine.wrap(function(...) for i = 1, 100 do coroutine.yield(i .. 'y') end end)\n"
    "for i = 1, 50 do c() end\n"
    "for i = 1, 3000, 2 do t[i] = nil end\n"
    "table.concat(t, '', 1, 0) string.rep('x', 5000)\n"
    "collectgarbage() collectgarbage('step', 100)\n";

enum { DONE = 0, FAILED = 3 };

/* From here on any system call but exit kills the process. (The strict mode would forbid to read
 * the clock, too, which is none.) */
static void forbid(void) {
    struct sock_filter rule[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_exit, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL),
    };
    struct sock_fprog program = {sizeof rule / sizeof *rule, rule};
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 ||
        prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) != 0)
        syscall(SYS_exit, FAILED);
}

/* Seconds pass once the calls are forbidden: with samples the map is emptied then (light.h). */
static uint64_t jumped; /* nanoseconds */
static uint64_t jumping_clock(void) {
    return os_real.clock() + jumped;
}

/* In a process of its own, which ends by SIGSYS at the first system call. */
static void play(const LmpOptions *options) {
    LmpErr lack;
    LmpOs os_jumps = os_real;
    os_jumps.clock = jumping_clock;
    lmp_os = &os_jumps;
    arena = room + ARENA - (uintptr_t)room % ARENA;
    lua_State *L = luafacts_newstate(quiet_alloc, NULL);
    if (!L) syscall(SYS_exit, FAILED);
    luaL_openlibs(L);
    if (luaL_loadstring(L, work) != LUA_OK) syscall(SYS_exit, FAILED);
    if (options && profiler_start(L, options, &lack) != LMP_OK) syscall(SYS_exit, FAILED);
    for (int i = 0; i < 60; i++) {
        if (i == 10) forbid();
        if (i >= 20) jumped += 3000000000u;
        lua_pushvalue(L, 1);
        if (lua_pcall(L, 0, 0, 0) != LUA_OK) syscall(SYS_exit, FAILED);
    }
    if (options && options->sample && session_find(L)->whole) syscall(SYS_exit, FAILED);
    if (!options) { /* asks once more than the hook may: reading the clock must be none either */
        struct timespec now;
        clock_gettime(CLOCK_MONOTONIC, &now);
    }
    syscall(SYS_exit, DONE);
}

static int played(const LmpOptions *options) {
    int status;
    pid_t child = fork();
    if (child == 0) play(options);
    ck_assert_int_eq(waitpid(child, &status, 0), child);
    return status;
}

/* Is it possible here at all? */
static bool possible(void) {
    int status = SANITIZED ? 1 : played(NULL);
    if (status != 0) printf("not tried here: system calls cannot be forbidden (%d)\n", status);
    return status == 0;
}

TEST(none_in_any_mode) {
    if (!possible()) return;
    for (int mode = 0; mode < 4; mode++) {
        LmpOptions options = profiler_defaults;
        options.summary = "";
        options.lines = mode > 0;
        options.stacks = mode == 2;
        options.sample = mode == 3 ? LMP_SAMPLE_MIN : 0;
        int status = played(&options);
        ck_assert_msg(status == 0, "mode %d: %x", mode, (unsigned)status);
    }
}

/* That the test could fail: a call is made, and the program does not live. */
TEST(one_is_seen) {
    int status;
    if (!possible()) return;
    pid_t child = fork();
    if (child == 0) {
        forbid();
        syscall(SYS_getppid);
        syscall(SYS_exit, DONE);
    }
    ck_assert_int_eq(waitpid(child, &status, 0), child);
    ck_assert(WIFSIGNALED(status) && WTERMSIG(status) == SIGSYS);
}
