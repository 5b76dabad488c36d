/* large_pages.c - for LD_PRELOAD: the system has pages of LMP_TEST_PAGE bytes (16384, 65536), as a
 * program sees it through the C library. What is no multiple of them is refused with EINVAL, what
 * is mapped begins at one, and what counts pages or has a word for each (sysconf, mincore, holes of
 * files, /proc/PID/statm and pagemap) does so by these. LMP_TEST_PAGEMAP=none: no pagemap.
 *
 * The C library's own calls stay as they are: malloc and stacks have pages of 4 KiB. */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { SMALL = 4096, MOST = 65536 / SMALL, FILES = 1 << 16 };

static size_t page(void) {
    static size_t size;
    const char *told = size ? NULL : getenv("LMP_TEST_PAGE");
    if (told) size = strtoul(told, NULL, 10);
    return size ? size : SMALL;
}

static size_t whole(size_t n) {
    return (n + page() - 1) & ~(page() - 1);
}

static int invalid(void) {
    errno = EINVAL;
    return -1;
}

static bool odd(const void *at) {
    return (uintptr_t)at % page() != 0;
}

/* ---- memory ---------------------------------------------------------------------------------- */

static void *map(void *at, size_t size, int prot, int flags, int fd, off_t offset) {
    return (void *)syscall(SYS_mmap, at, size, prot, flags, fd, offset);
}

/* Addresses of `size` bytes with nothing there, from a page's border on. */
static char *reserve(size_t size) {
    size_t all = size + page();
    char *p = map(NULL, all, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (p == MAP_FAILED) return p;
    char *at = p + (whole((uintptr_t)p) - (uintptr_t)p);
    if (at > p) syscall(SYS_munmap, p, at - p);
    syscall(SYS_munmap, at + size, (size_t)(p + all - at) - size);
    return at;
}

static void give_up(void *at, size_t size) {
    int before = errno;
    syscall(SYS_munmap, at, size);
    errno = before;
}

void *mmap(void *at, size_t size, int prot, int flags, int fd, off_t offset) {
    bool fixed = flags & (MAP_FIXED | MAP_FIXED_NOREPLACE);
    if (offset % (off_t)page() != 0 || (fixed && odd(at))) return invalid(), MAP_FAILED;
    size = whole(size);
    if (fixed || size == 0) return map(at, size, prot, flags, fd, offset);
    if (at && !odd(at)) { /* a wish */
        void *there = map(at, size, prot, flags | MAP_FIXED_NOREPLACE, fd, offset);
        if (there != MAP_FAILED) return there;
    }
    char *to = reserve(size);
    if (to == MAP_FAILED) return to;
    void *p = map(to, size, prot, flags | MAP_FIXED, fd, offset);
    if (p == MAP_FAILED) give_up(to, size);
    return p;
}

void *mmap64(void *at, size_t size, int prot, int flags, int fd, off_t offset) {
    return mmap(at, size, prot, flags, fd, offset);
}

void *mremap(void *at, size_t old, size_t size, int flags, ...) {
    va_list more;
    va_start(more, flags);
    void *to = flags & MREMAP_FIXED ? va_arg(more, void *) : NULL;
    va_end(more);
    if (odd(at) || odd(to)) return invalid(), MAP_FAILED;
    old = whole(old);
    size = whole(size);
    if (flags & MREMAP_FIXED || !(flags & MREMAP_MAYMOVE))
        return (void *)syscall(SYS_mremap, at, old, size, flags, to);
    if ((to = reserve(size)) == MAP_FAILED) return to;
    void *p = (void *)syscall(SYS_mremap, at, old, size, flags | MREMAP_FIXED, to);
    if (p == MAP_FAILED) give_up(to, size);
    return p;
}

int munmap(void *at, size_t size) {
    return odd(at) ? invalid() : (int)syscall(SYS_munmap, at, whole(size));
}

int mprotect(void *at, size_t size, int prot) {
    return odd(at) ? invalid() : (int)syscall(SYS_mprotect, at, whole(size), prot);
}

int madvise(void *at, size_t size, int advice) {
    return odd(at) ? invalid() : (int)syscall(SYS_madvise, at, whole(size), advice);
}

int msync(void *at, size_t size, int flags) {
    return odd(at) ? invalid() : (int)syscall(SYS_msync, at, whole(size), flags);
}

int mincore(void *at, size_t size, unsigned char *is) {
    if (odd(at)) return invalid();
    for (char *p = at, *end = p + size; p < end; p += page(), is++) {
        unsigned char small[MOST] = {0};
        if (syscall(SYS_mincore, p, page(), small) != 0) return -1;
        *is = 0;
        for (int i = 0; i < MOST; i++)
            *is |= small[i] & 1;
    }
    return 0;
}

/* ---- how large they are ---------------------------------------------------------------------- */

long sysconf(int name) {
    static long (*real)(int);
    if (name == _SC_PAGESIZE) return (long)page();
    if (!real) *(void **)&real = dlsym(RTLD_NEXT, "sysconf");
    return real(name);
}

int getpagesize(void) {
    return (int)page();
}

unsigned long getauxval(unsigned long type) {
    static unsigned long (*real)(unsigned long);
    if (type == AT_PAGESZ) return page();
    if (!real) *(void **)&real = dlsym(RTLD_NEXT, "getauxval");
    return real(type);
}

/* ---- files ----------------------------------------------------------------------------------- */

/* Memory of a file comes in whole pages. */
off_t lseek(int fd, off_t at, int whence) {
    off_t r = syscall(SYS_lseek, fd, at, whence), size = (off_t)page(), data;
    if (r < 0 || (whence != SEEK_DATA && whence != SEEK_HOLE)) return r;
    if (whence == SEEK_DATA) {
        r = r / size * size > at ? r / size * size : at;
    } else {
        for (r = at; (data = syscall(SYS_lseek, fd, r, SEEK_DATA)) >= 0 && data / size == r / size;)
            r = (off_t)whole((size_t)syscall(SYS_lseek, fd, data, SEEK_HOLE));
    }
    return syscall(SYS_lseek, fd, r, SEEK_SET);
}

off_t lseek64(int fd, off_t at, int whence) {
    return lseek(fd, at, whence);
}

/* The inodes of pagemaps, by descriptor. */
static _Atomic uint64_t pagemap[FILES];

static uint64_t inode(int fd) {
    struct stat st;
    return fstat(fd, &st) == 0 ? st.st_ino : 0;
}

static bool is_pagemap(int fd) {
    uint64_t noted = fd >= 0 && fd < FILES ? atomic_load(&pagemap[fd]) : 0;
    return noted && noted == inode(fd);
}

static bool is_proc(const char *path, const char *name) {
    size_t n = strlen(path), m = strlen(name);
    return strncmp(path, "/proc/", 6) == 0 && n > m && strcmp(path + n - m, name) == 0;
}

/* Of the same process, in these pages. */
static int statm(int from) {
    char text[256] = "";
    unsigned long small;
    if (syscall(SYS_read, from, text, sizeof text - 1) < 0)
        return from; /* it is gone: so its reader learns */
    int to = memfd_create("statm", MFD_CLOEXEC), at = 0, used;
    if (to < 0) abort();
    for (; sscanf(text + at, "%lu%n", &small, &used) == 1; at += used)
        dprintf(to, "%lu ", small * SMALL / page());
    syscall(SYS_close, from);
    syscall(SYS_lseek, to, 0, SEEK_SET);
    return to;
}

static int opened(const char *path, int fd) {
    if (fd < 0 || page() == SMALL) return fd;
    if (is_proc(path, "/statm")) return statm(fd);
    if (!is_proc(path, "/pagemap")) return fd;
    const char *told = getenv("LMP_TEST_PAGEMAP");
    if (told && strcmp(told, "none") == 0) {
        syscall(SYS_close, fd);
        errno = EACCES;
        return -1;
    }
    if (fd >= FILES) abort();
    atomic_store(&pagemap[fd], inode(fd));
    return fd;
}

int open(const char *path, int flags, ...) {
    va_list more;
    va_start(more, flags);
    bool makes = flags & O_CREAT || (flags & O_TMPFILE) == O_TMPFILE;
    mode_t mode = makes ? va_arg(more, mode_t) : 0;
    va_end(more);
    return opened(path, (int)syscall(SYS_openat, AT_FDCWD, path, flags, mode));
}

int open64(const char *path, int flags, ...) __attribute__((alias("open")));

FILE *fopen(const char *path, const char *mode) {
    static FILE *(*real)(const char *, const char *);
    if (!real) *(void **)&real = dlsym(RTLD_NEXT, "fopen");
    return is_proc(path, "/statm") ? fdopen(open(path, O_RDONLY | O_CLOEXEC), mode)
                                   : real(path, mode);
}

/* A word for each page: there if one of its small ones is, the process's own if one of them is. */
static uint64_t joined(const uint64_t *small, size_t n) {
    const uint64_t there = 1ull << 63, swapped = 1ull << 62, shared = 1ull << 61;
    uint64_t word = 0, own = 0;
    for (size_t i = 0; i < n; i++) {
        word |= small[i] & (there | swapped | shared);
        own |= small[i] & there && !(small[i] & shared);
    }
    return own ? word & ~shared : word;
}

ssize_t pread(int fd, void *to, size_t n, off_t at) {
    if (!is_pagemap(fd)) return syscall(SYS_pread64, fd, to, n, at);
    uint64_t small[MOST], *word = to;
    size_t many = page() / SMALL, done = 0;
    for (; done < n / 8; done++) {
        ssize_t got =
            syscall(SYS_pread64, fd, small, many * 8, (at + (off_t)done * 8) * (off_t)many);
        if (got < 0) return got;
        if (got == 0) break;
        word[done] = joined(small, (size_t)got / 8);
    }
    return (ssize_t)(done * 8);
}

ssize_t pread64(int fd, void *to, size_t n, off_t at) __attribute__((alias("pread")));

ssize_t read(int fd, void *to, size_t n) {
    if (!is_pagemap(fd)) return syscall(SYS_read, fd, to, n);
    off_t at = syscall(SYS_lseek, fd, 0, SEEK_CUR);
    ssize_t got = pread(fd, to, n, at);
    if (got > 0) syscall(SYS_lseek, fd, at + got, SEEK_SET);
    return got;
}
