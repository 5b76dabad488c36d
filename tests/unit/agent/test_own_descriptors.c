/* test_own_descriptors.c - descriptors of ours in a host that closes what is not its own: they
 * stand high, and what got their numbers is never touched; the figures stay right. */
#include "agent/interp/luafacts.h"
#include "suite.h"

#include <errno.h>
#include <fcntl.h>
#include <lauxlib.h>
#include <lualib.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "agent/session/profiler.h"
#include "base/io.h"
#include "base/own.h"
#include "shared/layout.h"

/* In a process of its own, whose descriptors are ours to close. */
static void in_child(void (*body)(void)) {
    int status;
    pid_t pid = fork();
    if (pid == 0) {
        body();
        _exit(0);
    }
    ck_assert_int_eq(waitpid(pid, &status, 0), pid);
    ck_assert_msg(WIFEXITED(status) && WEXITSTATUS(status) == 0, "status %x", status);
}

/* ck_assert in a forked child would tell Check twice. */
#define NEED(condition)                                                                            \
    do {                                                                                           \
        if (!(condition)) _exit(__LINE__ % 250 + 1);                                               \
    } while (0)

/* ---- the descriptors themselves -------------------------------------------------------------- */

static void lift_at(int limit, int least) {
    struct rlimit now = {(rlim_t)limit, (rlim_t)limit};
    NEED(setrlimit(RLIMIT_NOFILE, &now) == 0);
    int fd = open("/dev/null", O_RDONLY);
    LmpOwnFd own = own_fd_take(fd);
    NEED(own.fd >= least && own.fd < limit);
    NEED(fcntl(own.fd, F_GETFD) == FD_CLOEXEC);
    NEED(fcntl(fd, F_GETFD) < 0);
    NEED(own_fd_get(&own) == own.fd);
    own_fd_close(&own);
    NEED(own.fd == -1);
}

static void lifts(void) {
    lift_at(4096, 900);
    lift_at(1024, 900);
    lift_at(256, 192);
    lift_at(64, 48);
    lift_at(16, OWN_FD_LEAST);
    /* no room above: the next best */
    int low = open("/dev/null", O_RDONLY);
    NEED(low >= 0 && own_fd_lift(-1) == -1);
    while (fcntl(low, F_DUPFD, 13) >= 0)
        ;
    errno = EXDEV;
    NEED(own_fd_lift(dup(low)) == 12 || own_fd_lift(dup(low)) == 11);
    NEED(errno == EXDEV);
    /* no room at all: gone, and said */
    while (dup(low) >= 0)
        ;
    NEED(own_fd_lift(low) == -1 && fcntl(low, F_GETFD) < 0);
}

TEST(stand_high) {
    in_child(lifts);
}

static void numbers_change_hands(void) {
    int pair[2];
    NEED(socketpair(AF_UNIX, SOCK_STREAM, 0, pair) == 0);
    LmpOwnFd own = own_fd_take(pair[0]), twin = own;
    errno = EXDEV;
    NEED(own_fd_get(&own) == twin.fd);
    NEED(dup2(pair[1], own.fd) == own.fd); /* the same kind of file, the same number */
    NEED(own_fd_get(&own) == -1 && own.fd == -1);
    own_fd_close(&twin); /* not ours */
    NEED(fcntl(pair[1], F_GETFD) >= 0 && fcntl(own.fd, F_GETFD) < 0 && errno == EBADF);
    errno = EXDEV;
    LmpOwnFd none = OWN_FD_NONE, closed = own_fd_take(pair[1]);
    own_fd_close(&none);
    close(closed.fd);
    NEED(own_fd_get(&closed) == -1);
    NEED(errno == EXDEV);
}

TEST(change_hands) {
    in_child(numbers_change_hands);
}

/* ---- a state whose file is closed ------------------------------------------------------------ */

/* Blocks 64 MiB apart now and then, so that each needs another part of the map. */
static void *far_alloc(void *ud, void *ptr, size_t osize, size_t nsize) {
    static uint64_t n;
    const size_t far_size = 1 << 20;
    bool far = ptr && (uintptr_t)ptr >= 0x200000000000 && (uintptr_t)ptr < 0x300000000000;
    (void)ud;
    if (nsize == 0) {
        if (far)
            munmap(ptr, far_size);
        else
            free(ptr);
        return NULL;
    }
    if (!ptr && nsize == LMP_STRING_LONG_HEAD + 70000 + 1) {
        void *p = mmap((void *)(uintptr_t)(0x200000000000 + (++n << 26)), far_size,
                       PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        return p == MAP_FAILED ? NULL : p;
    }
    if (!far) return realloc(ptr, nsize);
    void *moved = malloc(nsize);
    memcpy(moved, ptr, osize < nsize ? osize : nsize);
    munmap(ptr, far_size);
    return moved;
}

static const char ten_far[] =
    "K, H = K or {}, ('x'):rep(35000) for i = 1, 10 do K[#K + 1] = H .. H end";

static int state_number(void) {
    char path[64], link[64];
    int found = -1;
    for (int fd = 0; fd < 4096; fd++) {
        snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
        ssize_t size = readlink(path, link, sizeof link - 1);
        if (size <= 0) continue;
        link[size] = 0;
        if (!strstr(link, LMP_MEMFD_NAME)) continue;
        NEED(found < 0);
        found = fd;
    }
    return found;
}

static lua_State *begin(void) {
    LmpOptions options = profiler_defaults;
    LmpErr display;
    lua_State *L = luafacts_newstate(far_alloc, NULL);
    luaL_openlibs(L);
    options.summary = "";
    NEED(profiler_start(L, &options, &display) == LMP_OK);
    NEED(luaL_dostring(L, ten_far) == LUA_OK);
    return L;
}

/* The allocator may need a region or two of its own besides. */
static bool hides(const LmpStats *stats, uint64_t regions) {
    return regions ? stats->hidden_regions >= regions && stats->hidden_regions <= regions + 4
                   : stats->hidden_regions == 0;
}

/* What is in the figures, whatever became of the file. */
static void check_figures(lua_State *L, uint64_t hidden) {
    LmpStats stats;
    NEED(luaL_dostring(L, ten_far) == LUA_OK);
    NEED(profiler_stats(L, &stats) == LMP_OK);
    NEED(stats.dropped == 0 && hides(&stats, hidden));
    NEED(stats.live_bytes > 20 * 70000);
    NEED(luaL_dostring(L, "K = nil collectgarbage() collectgarbage()") == LUA_OK);
    NEED(profiler_stats(L, &stats) == LMP_OK);
    NEED(stats.live_bytes < 70000 && stats.before_frees < 100);
    NEED(luaL_dostring(L, ten_far) == LUA_OK);
    NEED(profiler_stats(L, &stats) == LMP_OK);
    NEED(stats.dropped == 0 && hides(&stats, 2 * hidden));
    NEED(profiler_stop(L, NULL) == LMP_OK);
    lua_close(L);
}

static void file_stays(void) {
    lua_State *L = begin();
    NEED(state_number() >= OWN_FD_LEAST);
    check_figures(L, 0);
    NEED(state_number() == -1);
}

static void file_is_closed(void) {
    lua_State *L = begin();
    io_close_range(3, ~0u);
    check_figures(L, 10);
}

static void file_is_another(void) {
    char name[] = "/tmp/lmp-ownfd-XXXXXX", text[16] = {0};
    struct stat st;
    lua_State *L = begin();
    int number = state_number(), victim = mkstemp(name);
    NEED(victim >= 0 && unlink(name) == 0 && write(victim, "precious", 8) == 8);
    NEED(dup2(victim, number) == number);
    check_figures(L, 10);
    NEED(fstat(victim, &st) == 0 && st.st_size == 8);
    NEED(pread(number, text, 8, 0) == 8 && strcmp(text, "precious") == 0); /* open still */
}

/* As a shell does it: `>&-`, `<&- >&- 2>&-`. What is printed there goes nowhere. */
static void streams_are_closed(void) {
    for (int from = 0; from < 3; from++) {
        for (int fd = from; fd < 3; fd++)
            close(fd);
        lua_State *L = begin();
        NEED(state_number() >= OWN_FD_LEAST);
        NEED(write(2, "text", 4) < 0 && errno == EBADF);
        check_figures(L, 0);
        NEED(open("/dev/null", O_RDWR) == from); /* nothing of ours is there */
        for (int fd = from + 1; fd < 3; fd++)
            NEED(open("/dev/null", O_RDWR) == fd);
    }
}

TEST(file_lost) {
    in_child(file_stays);
    in_child(file_is_closed);
    in_child(file_is_another);
}

TEST(no_streams) {
    in_child(streams_are_closed);
}
