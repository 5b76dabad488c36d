/* spool.c - the steps that spool.h describes, each with a plain copy for kernels that cannot
 * splice; when the memory file is full its older half goes to the disk. */
#include "pty/spool.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/io.h"
#include "base/os.h"

#define PIECE (1u << 16) /* bytes moved at a time */
#define PUNCH (1u << 20) /* bytes given back to the system at a time */
#define PATIENCE_MS 1000 /* between checks of a terminal that takes nothing */

/* /var/tmp before /tmp: the latter is often memory, which we mean to spare. */
static int open_disk(void) {
    const char *const dirs[] = {getenv("TMPDIR"), "/var/tmp", "/tmp", "."};
    for (size_t i = 0; i < sizeof dirs / sizeof *dirs; i++) {
        if (!dirs[i]) continue;
        int fd = open(dirs[i], O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
        if (fd >= 0) return fd;
    }
    return -1;
}

bool spool_inherit(Spool *spool, int memory, int disk, int out, int in, uint64_t limit) {
    struct stat st;
    *spool = (Spool){memory, disk, out, in, limit, NULL, 0};
    if (memory < 0 || fstat(memory, &st) != 0 || st.st_size < (off_t)SPOOL_AT) return false;
    spool->relay_state = lmp_os->map(SPOOL_AT, memory, 0, true);
    return spool->relay_state && spool->relay_state->magic == LMP_RELAY_STATE_MAGIC;
}

bool spool_open(Spool *spool, uint64_t limit) {
    int pipe[2] = {-1, -1};
    int memory = memfd_create("lmp-output", MFD_CLOEXEC);
    uint64_t magic = LMP_RELAY_STATE_MAGIC;
    bool made = memory >= 0 && lmp_os->grow(memory, SPOOL_AT) &&
                pwrite(memory, &magic, sizeof magic, 0) == (ssize_t)sizeof magic &&
                lseek(memory, SPOOL_AT, SEEK_SET) == (off_t)SPOOL_AT && pipe2(pipe, O_CLOEXEC) == 0;
    if (spool_inherit(spool, memory, made ? open_disk() : -1, pipe[0], pipe[1], limit) && made)
        return true;
    spool_close(spool);
    return false;
}

void spool_close(Spool *spool) {
    if (spool->relay_state) lmp_os->unmap(spool->relay_state, SPOOL_AT);
    spool->relay_state = NULL;
    io_close(&spool->memory);
    io_close(&spool->disk);
    io_close(&spool->out);
    io_close(&spool->in);
}

static uint64_t file_size(int fd) {
    struct stat st;
    return fd >= 0 && fstat(fd, &st) == 0 && st.st_size > 0 ? (uint64_t)st.st_size : 0;
}

uint64_t spool_size(const Spool *spool) {
    uint64_t size = file_size(spool->memory);
    return size > SPOOL_AT ? size - SPOOL_AT : 0;
}

/* ---- in -------------------------------------------------------------------------------------- */

static bool put(int fd, const char *bytes, size_t size, uint64_t at) {
    while (size > 0) {
        ssize_t n = pwrite(fd, bytes, size, (off_t)at);
        if (n < 0 && errno == EINTR) continue;
        if (n <= 0) return false;
        bytes += n;
        size -= (size_t)n;
        at += (uint64_t)n;
    }
    return true;
}

/* Moves the older half of what is in memory to the disk. */
static bool spill(Spool *spool) {
    static char piece[PIECE];
    uint64_t from = file_size(spool->disk);
    uint64_t to = from + (spool_size(spool) - from) / 2 / PIECE * PIECE;
    if (spool->disk < 0) return false;
    for (uint64_t at = from; at < to;) {
        size_t most = to - at < PIECE ? (size_t)(to - at) : PIECE;
        ssize_t n = pread(spool->memory, piece, most, (off_t)(SPOOL_AT + at));
        if (n < 0 && errno == EINTR) continue;
        if (n <= 0 || !put(spool->disk, piece, (size_t)n, at)) {
            /* A piece half written would count as moved: it is not. */
            return ftruncate(spool->disk, (off_t)at) == 0 && at > from;
        }
        at += (uint64_t)n;
    }
    /* The last half stays: it is what the output panel reads. Not being able to punch (never seen)
     * costs memory only. */
    (void)!fallocate(spool->memory, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, SPOOL_AT,
                     (off_t)to);
    return true;
}

/* Makes room in the memory file. Once writing has begun nothing moves to the disk any more: the
 * part there comes first. */
static bool make_room(Spool *spool, size_t size) {
    uint64_t after = spool_size(spool) + size;
    off_t written = lseek(spool->memory, 0, SEEK_CUR) - (off_t)SPOOL_AT;
    if (written > 0) return after - (uint64_t)written <= spool->limit;
    return after - file_size(spool->disk) <= spool->limit || spill(spool);
}

static size_t waiting(const Spool *spool) {
    int n = 0;
    return spool->out >= 0 && ioctl(spool->out, FIONREAD, &n) == 0 && n > 0 ? (size_t)n : 0;
}

/* Moves all from the pipe to the end of the memory file. */
static bool settle(Spool *spool) {
    for (size_t n; (n = waiting(spool)) > 0;) {
        if (!make_room(spool, n)) return false;
        loff_t at = (loff_t)(SPOOL_AT + spool_size(spool));
        ssize_t moved = splice(spool->out, NULL, spool->memory, &at, n, SPLICE_F_NONBLOCK);
        if (moved <= 0 && errno != EINTR) return false;
    }
    return true;
}

/* Where terminals cannot be spliced (early releases of 5.10), a kill at the wrong moment loses what
 * is in transit. */
static ssize_t take_by_hand(Spool *spool, int master) {
    static char piece[4096]; /* as much as a pipe takes in one piece */
    ssize_t n = read(master, piece, sizeof piece);
    return n > 0 ? write(spool->in, piece, (size_t)n) : n;
}

SpoolTook spool_take(Spool *spool, int master) {
    ssize_t n;
    if (!settle(spool)) return SPOOL_FULL;
    do {
        n = splice(master, NULL, spool->in, NULL, PIECE, SPLICE_F_NONBLOCK);
        if (n < 0 && errno == EINVAL) n = take_by_hand(spool, master);
    } while (n < 0 && errno == EINTR);
    if (n < 0 && errno == EAGAIN) return SPOOL_NONE;
    if (n <= 0) return SPOOL_END;
    return settle(spool) ? SPOOL_SOME : SPOOL_FULL;
}

bool spool_append(Spool *spool, const void *bytes, size_t size) {
    if (spool->memory < 0 || !make_room(spool, size)) return false;
    uint64_t at = SPOOL_AT + spool_size(spool);
    if (put(spool->memory, bytes, size, at)) return true;
    (void)!ftruncate(spool->memory, (off_t)at);
    return false;
}

bool spool_say(Spool *spool, uint32_t step, const void *bytes, size_t size) {
    LmpRelayState *e = spool->relay_state;
    if (atomic_load(&e->steps) & step) return true;
    uint64_t from = spool_size(spool);
    atomic_store(&e->saying, 1 + from);
    bool said = spool_append(spool, bytes, size);
    if (said) {
        uint32_t n = atomic_load(&e->said);
        e->message[n % RELAY_SAID] = (LmpRelaySaid){from, from + size};
        atomic_store(&e->said, n + 1);
        atomic_fetch_or(&e->steps, step);
    }
    atomic_store(&e->saying, 0);
    return said;
}

uint64_t spool_own(const LmpRelayState *relay, uint64_t at, uint64_t end, uint64_t *to) {
    LmpRelayState *e = (LmpRelayState *)(uintptr_t)relay; /* atomics are read only */
    uint64_t saying = atomic_load(&e->saying);
    uint32_t n = atomic_load(&e->said), first = n > RELAY_SAID ? n - RELAY_SAID : 0;
    if (saying > 0 && saying - 1 < end) end = saying - 1 > at ? saying - 1 : at;
    for (uint32_t i = first; i < n; i++) { /* in the order of the output */
        LmpRelaySaid m = e->message[i % RELAY_SAID];
        if (m.from <= at && at < m.to) at = m.to < end ? m.to : end;
        if (m.from > at && m.from < end) {
            end = m.from;
            break;
        }
    }
    *to = end;
    return at;
}

/* A message is complete if its step was recorded; else it is written again, from where it began. */
void spool_mend(Spool *spool) {
    LmpRelayState *e = spool->relay_state;
    uint64_t saying = atomic_load(&e->saying);
    uint32_t n = atomic_load(&e->said);
    if (saying > 0 && !(atomic_load(&e->steps) & RELAY_SUMMARY)) {
        if (n > 0 && e->message[(n - 1) % RELAY_SAID].from == saying - 1)
            atomic_store(&e->said, n - 1);
        (void)!ftruncate(spool->memory, (off_t)(SPOOL_AT + saying - 1));
    }
    atomic_store(&e->saying, 0);
}

/* ---- out ------------------------------------------------------------------------------------- */

int spool_last(const Spool *spool) {
    char last;
    uint64_t size = spool_size(spool), on_disk = file_size(spool->disk);
    if (size == 0) return -1;
    ssize_t n = size <= on_disk ? pread(spool->disk, &last, 1, (off_t)(size - 1))
                                : pread(spool->memory, &last, 1, (off_t)(SPOOL_AT + size - 1));
    return n == 1 ? (unsigned char)last : -1;
}

/* Copies through this process, where the kernel cannot do it alone. */
static ssize_t send_by_hand(int fd, int from, size_t size) {
    static char piece[4096];
    off_t at = lseek(from, 0, SEEK_CUR);
    ssize_t n = pread(from, piece, size < sizeof piece ? size : sizeof piece, at);
    if (n > 0) n = write(fd, piece, (size_t)n);
    if (n > 0) lseek(from, n, SEEK_CUR);
    return n;
}

/* Sends from the position of `from` to `end`. */
static bool send_on(int fd, int from, uint64_t end) {
    for (;;) {
        off_t at = lseek(from, 0, SEEK_CUR);
        if (at < 0 || (uint64_t)at >= end) return at >= 0;
        size_t size = end - (uint64_t)at < PIECE ? (size_t)(end - (uint64_t)at) : PIECE;
        ssize_t n = sendfile(fd, from, NULL, size);
        if (n < 0 && errno == EINVAL) n = send_by_hand(fd, from, size);
        if (n > 0 || (n < 0 && errno == EINTR)) continue;
        if (n == 0 || errno != EAGAIN) return false;
        struct pollfd p = {.fd = fd, .events = POLLOUT};
        poll(&p, 1, PATIENCE_MS);
        if (p.revents & (POLLERR | POLLHUP | POLLNVAL)) return false;
    }
}

bool spool_write(Spool *spool, int fd) {
    uint64_t on_disk = file_size(spool->disk), start = SPOOL_AT + on_disk;
    if (spool->memory < 0 || (on_disk > 0 && !send_on(fd, spool->disk, on_disk))) return false;
    if (lseek(spool->memory, 0, SEEK_CUR) < (off_t)start)
        lseek(spool->memory, (off_t)start, SEEK_SET);
    return send_on(fd, spool->memory, SPOOL_AT + spool_size(spool));
}

/* Passes all on through the memory file, whose last byte tells whether a line is open. A full one
 * has room again once it has been written. */
bool spool_pass(Spool *spool, int fd) {
    for (int i = 0; i < 2; i++) {
        bool all = settle(spool);
        if (!spool_write(spool, fd)) return false;
        if (all) return true;
    }
    for (size_t n; (n = waiting(spool)) > 0;) {
        ssize_t moved = splice(spool->out, NULL, fd, NULL, n, 0);
        if (moved < 0 && errno == EINVAL) {
            char piece[4096];
            moved = read(spool->out, piece, n < sizeof piece ? n : sizeof piece);
            if (moved > 0 && !io_write_all(fd, piece, (size_t)moved)) return false;
        }
        if (moved > 0 || (moved < 0 && errno == EINTR)) continue;
        if (moved == 0 || errno != EAGAIN) return false;
        struct pollfd p = {.fd = fd, .events = POLLOUT};
        poll(&p, 1, PATIENCE_MS);
        if (p.revents & (POLLERR | POLLHUP | POLLNVAL)) return false;
    }
    return true;
}

void spool_trim(Spool *spool) {
    off_t at = lseek(spool->memory, 0, SEEK_CUR) - (off_t)SPOOL_AT;
    if (at <= 0 || (uint64_t)at - spool->punched < PUNCH) return;
    off_t whole = at / PIECE * PIECE - PIECE; /* the last byte stays for spool_last */
    if (fallocate(spool->memory, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, SPOOL_AT, whole) == 0)
        spool->punched = (uint64_t)whole;
}

void spool_drop(Spool *spool) {
    char piece[4096];
    if (spool->memory < 0) return;
    if (spool->disk >= 0) lseek(spool->disk, 0, SEEK_END);
    lseek(spool->memory, 0, SEEK_END);
    while (waiting(spool) > 0 && read(spool->out, piece, sizeof piece) > 0)
        ;
}
