/* os.c - the real system calls behind os.h (Linux). An allocation must not change errno, which a
 * program may be about to read: all of them preserve it. */
#include "base/os.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

#include "base/keptfile.h"
#include "base/own.h"

enum { LARGE_PAGE = 2 << 20 };

/* Setting a file's size beyond RLIMIT_FSIZE raises SIGXFSZ, which would kill the host. */
static bool size_allowed(uint64_t size) {
    struct rlimit limit;
    return getrlimit(RLIMIT_FSIZE, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY ||
           size <= limit.rlim_cur;
}

static bool real_grow(int fd, uint64_t size) {
    int before = errno;
    bool grown = size_allowed(size) && ftruncate(fd, (off_t)size) == 0;
    errno = before;
    return grown;
}

static int make_memfd(const char *name, uint64_t size) {
    int fd = memfd_create(name, MFD_CLOEXEC | MFD_ALLOW_SEALING);
    if (fd < 0) return -1;
    if (fchmod(fd, S_IRUSR | S_IWUSR) != 0 || !real_grow(fd, size) ||
        fcntl(fd, F_ADD_SEALS, F_SEAL_SHRINK) != 0) {
        close(fd);
        return -1;
    }
    return fd;
}

static int real_memfd(const char *name, uint64_t size) {
    int before = errno, fd = make_memfd(name, size);
    errno = before;
    return fd;
}

static bool real_strict(void) {
    int before = errno,
        fd = own_fd_lift(open("/proc/sys/vm/overcommit_memory", O_RDONLY | O_CLOEXEC));
    char mode = 0;
    bool strict = fd >= 0 && read(fd, &mode, 1) == 1 && mode == '2';
    if (fd >= 0) close(fd);
    errno = before;
    return strict;
}

static bool real_reserve(int fd, uint64_t at, uint64_t size) {
    int before = errno;
    bool made = fallocate(fd, FALLOC_FL_KEEP_SIZE, (off_t)at, (off_t)size) == 0;
    errno = before;
    return made;
}

static void real_punch(int fd, uint64_t at, uint64_t size) {
    int before = errno;
    fallocate(fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, (off_t)at, (off_t)size);
    errno = before;
}

static uint64_t real_page(void) {
    return (uint64_t)sysconf(_SC_PAGESIZE);
}

uint64_t os_whole_pages(uint64_t bytes) {
    uint64_t page = lmp_os->page();
    return (bytes + page - 1) & ~(page - 1);
}

static _Atomic int refused; /* of any thread: it is only said, in words */

static int real_map_refused(void) {
    return atomic_load(&refused);
}

LmpErr os_map_error(void) {
    return lmp_os->map_refused() == EINVAL ? LMP_E_INVAL : LMP_E_NOMEM;
}

static void *real_map(size_t size, int fd, uint64_t offset, bool writable) {
    int flags = fd < 0 ? MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE : MAP_SHARED;
    int prot = writable ? PROT_READ | PROT_WRITE : PROT_READ;
    int before = errno;
    void *p = mmap(NULL, size, prot, flags, fd, (off_t)offset);
    if (p == MAP_FAILED) atomic_store(&refused, errno);
    errno = before;
    if (p != MAP_FAILED && fd < 0) own_map_add(p, size);
    return p == MAP_FAILED ? NULL : p;
}

static void real_unmap(void *p, size_t size) {
    int before = errno;
    own_map_remove(p);
    munmap(p, size);
    errno = before;
}

#ifndef MADV_POPULATE_WRITE
#define MADV_POPULATE_WRITE 23 /* since Linux 5.14; older ones refuse it */
#endif
static void real_populate(void *p, size_t size) {
    int before = errno;
    if (size >= LARGE_PAGE) madvise(p, size, MADV_HUGEPAGE);
    madvise(p, size, MADV_POPULATE_WRITE);
    errno = before;
}

static void real_empty_in_child(void *p, size_t size) {
    int before = errno;
    madvise(p, size, MADV_WIPEONFORK);
    errno = before;
}

static bool real_peek(void *to, const void *from, size_t n) {
    struct iovec here = {to, n}, there = {(void *)from, n}; /* NOLINT: only read */
    return process_vm_readv(getpid(), &here, 1, &there, 1, 0) == (ssize_t)n;
}

static size_t real_peek_process(uint32_t pid, uint64_t from, void *to, size_t n) {
    struct iovec here = {to, n}, there = {(void *)(uintptr_t)from, n}; /* NOLINT: only read */
    int before = errno;
    ssize_t got = process_vm_readv((pid_t)pid, &here, 1, &there, 1, 0);
    errno = before;
    return got > 0 ? (size_t)got : 0;
}

static int64_t real_read_file(const char *path, uint64_t at, void *to, size_t n) {
    int before = errno, fd = open(path, O_RDONLY | O_CLOEXEC);
    size_t used = 0;
    bool fine = fd >= 0 && (at == 0 || lseek(fd, (off_t)at, SEEK_SET) == (off_t)at);
    while (fine && used < n) {
        ssize_t got = read(fd, (char *)to + used, n - used);
        if (got < 0 && errno == EINTR) continue;
        fine = got >= 0;
        if (got <= 0) break;
        used += (size_t)got;
    }
    if (fd >= 0) close(fd);
    errno = before;
    return fine ? (int64_t)used : -1;
}

static bool real_write_at(int fd, uint64_t at, const void *from, size_t n) {
    if (!size_allowed(at + n)) {
        errno = EFBIG;
        return false;
    }
    for (size_t done = 0; done < n;) {
        ssize_t wrote = pwrite(fd, (const char *)from + done, n - done, (off_t)(at + done));
        if (wrote < 0 && errno == EINTR) continue;
        if (wrote == 0) errno = ENOSPC;
        if (wrote <= 0) return false;
        done += (size_t)wrote;
    }
    return true;
}

static bool real_write_kept(const char *path, const void *from, size_t size) {
    return keptfile_write(path, from, size, real_write_at);
}

static uint64_t real_clock(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static uint64_t real_worked(void) {
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static void real_futex_wait(const void *word, uint32_t value, uint64_t ns) {
    struct timespec t = {(time_t)(ns / 1000000000u), (long)(ns % 1000000000u)};
    int before = errno;
    syscall(SYS_futex, word, FUTEX_WAIT, value, &t, NULL, 0);
    errno = before;
}

static void real_futex_wake(const void *word) {
    int before = errno;
    syscall(SYS_futex, word, FUTEX_WAKE, INT32_MAX, NULL, NULL, 0);
    errno = before;
}

static bool real_alive(uint32_t pid) {
    int before = errno;
    bool there = kill((pid_t)pid, 0) == 0 || errno == EPERM;
    errno = before;
    return there;
}

static struct flock lock_of(short type, uint64_t at) {
    return (struct flock){.l_type = type, .l_whence = SEEK_SET, .l_start = (off_t)at, .l_len = 1};
}

static bool real_locked(int fd, uint64_t at) {
    int before = errno;
    struct flock lock = lock_of(F_WRLCK, at);
    bool held = fcntl(fd, F_OFD_GETLK, &lock) != 0 || lock.l_type != F_UNLCK;
    errno = before;
    return held;
}

static bool real_lock(int fd, uint64_t at) {
    struct flock lock = lock_of(F_RDLCK, at);
    return fcntl(fd, F_OFD_SETLK, &lock) == 0;
}

const LmpOs os_real = {
    .page = real_page,
    .memfd = real_memfd,
    .grow = real_grow,
    .strict = real_strict,
    .reserve = real_reserve,
    .punch = real_punch,
    .map = real_map,
    .map_refused = real_map_refused,
    .unmap = real_unmap,
    .populate = real_populate,
    .empty_in_child = real_empty_in_child,
    .peek = real_peek,
    .peek_process = real_peek_process,
    .read_file = real_read_file,
    .write_at = real_write_at,
    .read_kept = keptfile_read,
    .write_kept = real_write_kept,
    .clock = real_clock,
    .worked = real_worked,
    .futex_wait = real_futex_wait,
    .futex_wake = real_futex_wake,
    .alive = real_alive,
    .locked = real_locked,
    .lock = real_lock,
};

const LmpOs *lmp_os = &os_real;
