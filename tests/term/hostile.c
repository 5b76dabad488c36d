/* hostile.c - to be preloaded and required: a system that refuses what lmp asks for during a
 * snapshot, and a program that closes all descriptors, as daemons do.
 *
 *     refuse(k, ever)  the k-th call from now on that maps memory is refused, or all from that one
 *                      on; the number of calls since the last refuse(). Of a fixed address what was
 *                      there is gone, as on Linux before 6.12 under strict overcommit.
 *     hide()           /proc/self/pagemap cannot be read any more
 *     closeall()       from 3 on */
#include <errno.h>
#include <fcntl.h>
#include <lauxlib.h>
#include <lua.h>
#include <stdarg.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#define SEEN __attribute__((visibility("default")))

static int calls, refused, ever, hidden;

/* Is this call refused? `fixed`: the address that was asked for. */
static int refuses(void *fixed, size_t size) {
    calls++;
    if (!refused || calls < refused || (calls > refused && !ever)) return 0;
    if (fixed) munmap(fixed, size);
    errno = ENOMEM;
    return 1;
}

SEEN void *mmap(void *at, size_t size, int prot, int flags, int fd, off_t offset) {
    if (refuses(flags & MAP_FIXED ? at : NULL, size)) return MAP_FAILED;
    return (void *)syscall(SYS_mmap, at, size, prot, flags, fd, offset);
}

SEEN void *mremap(void *at, size_t size, size_t to, int flags, ...) {
    va_list more;
    va_start(more, flags);
    void *fixed = flags & MREMAP_FIXED ? va_arg(more, void *) : NULL;
    va_end(more);
    if (refuses(fixed, to)) return MAP_FAILED;
    return (void *)syscall(SYS_mremap, at, size, to, flags, fixed);
}

SEEN int open(const char *path, int flags, ...) {
    va_list more;
    va_start(more, flags);
    mode_t mode = flags & (O_CREAT | O_TMPFILE) ? va_arg(more, mode_t) : 0;
    va_end(more);
    if (hidden && strcmp(path, "/proc/self/pagemap") == 0) {
        errno = EACCES;
        return -1;
    }
    return (int)syscall(SYS_openat, AT_FDCWD, path, flags, mode);
}

static int refuse(lua_State *L) {
    lua_pushinteger(L, calls);
    refused = (int)luaL_checkinteger(L, 1);
    ever = lua_toboolean(L, 2);
    calls = 0;
    return 1;
}

static int hide(lua_State *L) {
    (void)L;
    hidden = 1;
    return 0;
}

static int closeall(lua_State *L) {
    (void)L;
    for (int fd = 3; fd < 1100; fd++)
        close(fd);
    return 0;
}

SEEN int luaopen_hostile(lua_State *L);
int luaopen_hostile(lua_State *L) {
    static const luaL_Reg all[] = {
        {"refuse", refuse}, {"hide", hide}, {"closeall", closeall}, {NULL, NULL}};
    luaL_newlib(L, all);
    return 1;
}
