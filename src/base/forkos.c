/* forkos.c - the real system calls behind forkos.h (Linux). */
#include "base/forkos.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/os.h"

/* With no signal for its end. The C library's clone() runs no fork handlers. */
static int real_fork(int (*f)(void *of), void *stack_end, void *of) {
    int before = errno, pid = clone(f, stack_end, 0, of);
    if (pid < 0) pid = -errno;
    errno = before;
    return pid;
}

/* __WCLONE: a child without a signal is not among those that others wait for. If the program has
 * been replaced by another one since (exec), it is: __WALL finds both. */
static ForkEnd real_reap(int pid, bool wait) {
    int before = errno, status = 0;
    pid_t got;
    do
        got = waitpid(pid, &status, __WALL | (wait ? 0 : WNOHANG));
    while (got < 0 && errno == EINTR);
    errno = before;
    if (got == 0) return (ForkEnd){false, 0, 0};
    if (got < 0) return (ForkEnd){true, 0, 255}; /* somebody else has waited for it */
    return (ForkEnd){true, WIFSIGNALED(status) ? WTERMSIG(status) : 0, WEXITSTATUS(status)};
}

static void real_kill(int pid) {
    int before = errno;
    kill(pid, SIGKILL);
    errno = before;
}

static void *real_own_copy(size_t size, int fd, uint64_t offset) {
    int before = errno, flags = MAP_PRIVATE | MAP_NORESERVE;
    void *p = mmap(NULL, size, PROT_READ | PROT_WRITE, flags, fd, (off_t)offset);
    errno = before;
    return p == MAP_FAILED ? NULL : p;
}

static void real_drop(void *at, size_t size) {
    int before = errno;
    madvise(at, size, MADV_DONTNEED);
    errno = before;
}

/* Entries of /proc/self/pagemap: there, swapped, of a file or shared. */
#define PAGEMAP_THERE (1ull << 63)
#define PAGEMAP_SWAPPED (1ull << 62)
#define PAGEMAP_FILE (1ull << 61)

static bool real_own_pages(const void *at, size_t pages, uint64_t *own) {
    uint64_t word[64];
    int before = errno, fd = open("/proc/self/pagemap", O_RDONLY | O_CLOEXEC);
    bool told = fd >= 0;
    uintptr_t first = (uintptr_t)at / lmp_os->page();
    for (size_t i = 0; told && i < pages; i += 64) {
        ssize_t n = pread(fd, word, sizeof word, (off_t)((first + i) * sizeof *word));
        told = n == (ssize_t)sizeof word;
        own[i / 64] = 0;
        for (unsigned j = 0; told && j < 64; j++) {
            bool mine =
                word[j] & PAGEMAP_SWAPPED || (word[j] & PAGEMAP_THERE && !(word[j] & PAGEMAP_FILE));
            own[i / 64] |= (uint64_t)mine << j;
        }
    }
    if (fd >= 0) close(fd);
    errno = before;
    return told;
}

static bool real_in_memory(const void *at, size_t pages, unsigned char *is) {
    int before = errno;
    bool told = mincore((void *)(uintptr_t)at, pages * lmp_os->page(), is) == 0;
    errno = before;
    return told;
}

static bool real_data(int fd, uint64_t at, uint64_t *from, uint64_t *to) {
    int before = errno;
    off_t data = lseek(fd, (off_t)at, SEEK_DATA), hole = data;
    if (data >= 0) hole = lseek(fd, data, SEEK_HOLE);
    errno = before;
    if (data < 0 || hole <= data) return false;
    *from = (uint64_t)data;
    *to = (uint64_t)hole;
    return true;
}

/* Writing beyond RLIMIT_FSIZE raises SIGXFSZ, which kills the host: how much may be written. */
static size_t within_limit(size_t n, uint64_t at) {
    struct rlimit limit;
    if (getrlimit(RLIMIT_FSIZE, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY ||
        at + n <= limit.rlim_cur)
        return n;
    return at < limit.rlim_cur ? (size_t)(limit.rlim_cur - at) : 0;
}

static ssize_t real_write(int fd, const void *bytes, size_t n) {
    int before = errno;
    off_t at = lseek(fd, 0, SEEK_CUR);
    size_t most = at >= 0 ? within_limit(n, (uint64_t)at) : n; /* a pipe has no limit */
    errno = n && !most ? EFBIG : before;
    return n && !most ? -1 : write(fd, bytes, most);
}

static int real_text(const char *path, char *out, size_t size) {
    int before = errno, fd = open(path, O_RDONLY | O_CLOEXEC);
    size_t used = 0;
    ssize_t n = fd < 0 ? -1 : 0;
    while (fd >= 0 && used + 1 < size && (n = read(fd, out + used, size - used - 1)) > 0)
        used += (size_t)n;
    if (fd >= 0) close(fd);
    out[used] = 0;
    errno = before;
    return n < 0 ? -1 : (int)used;
}

static bool real_set_text(const char *path, const char *text) {
    int before = errno, fd = open(path, O_WRONLY | O_CLOEXEC);
    size_t n = strlen(text);
    bool done = fd >= 0 && write(fd, text, n) == (ssize_t)n;
    if (fd >= 0) close(fd);
    errno = before;
    return done;
}

static int real_nameless(const char *directory) {
    int before = errno, fd = -1;
    if (access("/proc/self/fd", F_OK) == 0) /* by which it gets its name */
        fd = open(directory, O_TMPFILE | O_WRONLY | O_CLOEXEC, S_IRUSR | S_IWUSR);
    errno = before;
    return fd;
}

const ForkOs forkos_real = {
    .fork = real_fork,
    .reap = real_reap,
    .kill = real_kill,
    .own_copy = real_own_copy,
    .drop = real_drop,
    .own_pages = real_own_pages,
    .in_memory = real_in_memory,
    .data = real_data,
    .text = real_text,
    .set_text = real_set_text,
    .nameless = real_nameless,
    .write = real_write,
};

const ForkOs *fork_os = &forkos_real;
