/* spool.c - see spool.h. */
#include "spool.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "ptydrain.h"

#define PIECE (1u << 16) /* bytes moved at a time */

/* /var/tmp before /tmp: the latter is often memory, which we mean to spare. */
static int open_disk(void) {
    const char *const places[] = {getenv("TMPDIR"), "/var/tmp", "/tmp", "."};
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        if (!places[i]) continue;
        int fd = open(places[i], O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
        if (fd >= 0) return fd;
    }
    return -1;
}

bool spool_open(Spool *spool, uint64_t limit) {
    spool->limit = limit;
    spool->memory = memfd_create("lmp-output", MFD_CLOEXEC);
    spool->disk = spool->memory < 0 ? -1 : open_disk();
    return spool->memory >= 0;
}

void spool_close(Spool *spool) {
    if (spool->memory >= 0) close(spool->memory);
    if (spool->disk >= 0) close(spool->disk);
    spool->memory = spool->disk = -1;
}

static uint64_t file_size(int fd) {
    struct stat st;
    return fd >= 0 && fstat(fd, &st) == 0 && st.st_size > 0 ? (uint64_t)st.st_size : 0;
}

uint64_t spool_size(const Spool *spool) {
    return file_size(spool->memory);
}

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

/* Reads up to `size` bytes at `at` from wherever they stand; 0 at the end or on failure. */
static size_t get(const Spool *spool, char *bytes, size_t size, uint64_t at) {
    uint64_t on_disk = file_size(spool->disk);
    int fd = at < on_disk ? spool->disk : spool->memory;
    if (at < on_disk && size > on_disk - at) size = (size_t)(on_disk - at);
    ssize_t n;
    do {
        n = pread(fd, bytes, size, (off_t)at);
    } while (n < 0 && errno == EINTR);
    return n > 0 ? (size_t)n : 0;
}

/* Moves the older half of what is in memory to the disk. */
static bool spill(Spool *spool) {
    static char piece[PIECE];
    uint64_t from = file_size(spool->disk);
    uint64_t to = from + (spool_size(spool) - from) / 2 / PIECE * PIECE;
    if (spool->disk < 0) return false;
    for (uint64_t at = from; at < to;) {
        ssize_t n = pread(spool->memory, piece, PIECE, (off_t)at);
        if (n < 0 && errno == EINTR) continue;
        if (n <= 0 || !put(spool->disk, piece, (size_t)n, at)) {
            /* A piece half written would count as moved: it is not. */
            return ftruncate(spool->disk, (off_t)at) == 0 && at > from;
        }
        at += (uint64_t)n;
    }
    /* The last half stays: it is what the output panel reads. Not being able to punch (never seen)
     * costs memory only. */
    (void)!fallocate(spool->memory, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, 0, (off_t)to);
    return true;
}

bool spool_append(Spool *spool, const void *bytes, size_t size) {
    uint64_t at = spool_size(spool);
    if (spool->memory < 0) return false;
    if (at + size - file_size(spool->disk) > spool->limit && !spill(spool)) return false;
    if (put(spool->memory, bytes, size, at)) return true;
    (void)!ftruncate(spool->memory, (off_t)at);
    return false;
}

int spool_last(const Spool *spool) {
    char last;
    uint64_t size = spool_size(spool);
    return size > 0 && get(spool, &last, 1, size - 1) == 1 ? (unsigned char)last : -1;
}

bool spool_write(const Spool *spool, int fd) {
    static char piece[PIECE];
    uint64_t size = spool_size(spool);
    for (uint64_t at = 0; at < size;) {
        size_t n = get(spool, piece, PIECE, at);
        if (n == 0 || !write_all(fd, piece, n)) return false;
        at += n;
    }
    return true;
}
