/* test_spool.c - the spool against a plain copy of what went in, and the draining of a pseudo
 * terminal against what was written to it. */
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>

#include "ptydrain.h"
#include "spool.h"
#include "suite.h"

/* Everything that the spool writes, as one piece of memory. */
static char *written(Spool *spool, size_t *size) {
    char name[] = "/tmp/lmp-spool-XXXXXX";
    int fd = mkstemp(name);
    ck_assert_int_ge(fd, 0);
    unlink(name);
    ck_assert(spool_write(spool, fd));
    *size = (size_t)lseek(fd, 0, SEEK_END);
    char *bytes = malloc(*size + 1);
    ck_assert_int_eq(pread(fd, bytes, *size, 0), (ssize_t)*size);
    close(fd);
    return bytes;
}

START_TEST(keeps_everything) {
    enum { LIMIT = 1 << 20, TOTAL = 12 << 20 };
    Spool spool;
    suite_seed();
    ck_assert(spool_open(&spool, LIMIT));
    ck_assert_int_eq(spool_last(&spool), -1);
    char *model = malloc(TOTAL);
    size_t used = 0;
    while (used + (1 << 17) < TOTAL) {
        size_t n = 1 + suite_below(suite_below(4) ? 5000 : 1 << 17);
        for (size_t i = 0; i < n; i++)
            model[used + i] = (char)suite_random();
        ck_assert(spool_append(&spool, model + used, n));
        used += n;
        ck_assert_uint_eq(spool_size(&spool), used);
        ck_assert_int_eq(spool_last(&spool), (unsigned char)model[used - 1]);
        /* What the output panel reads: the last of it, from the memory file alone. */
        char tail[256];
        size_t want = used < sizeof tail ? used : sizeof tail;
        ck_assert_int_eq(pread(spool.memory, tail, want, (off_t)(SPOOL_AT + used - want)), (ssize_t)want);
        ck_assert_msg(memcmp(tail, model + used - want, want) == 0, "at %zu", used);
    }
    size_t size;
    char *out = written(&spool, &size);
    ck_assert_uint_eq(size, used);
    ck_assert(memcmp(out, model, used) == 0);
    struct stat st;
    ck_assert_int_eq(fstat(spool.memory, &st), 0);
    ck_assert_msg(st.st_blocks * 512 <= LIMIT + (1 << 18), "memory in use: %ld",
                  (long)st.st_blocks * 512);
    free(out);
    free(model);
    spool_close(&spool);
}
END_TEST

/* Without a place on disk it says no at the limit, and what it had is still there. */
START_TEST(full) {
    Spool spool;
    static char piece[1 << 16];
    ck_assert(spool_open(&spool, 1 << 18));
    close(spool.disk);
    spool.disk = -1;
    memset(piece, 'x', sizeof piece);
    size_t taken = 0;
    while (spool_append(&spool, piece, sizeof piece))
        taken += sizeof piece;
    ck_assert_uint_eq(taken, 1 << 18);
    size_t size;
    char *out = written(&spool, &size);
    ck_assert_uint_eq(size, taken);
    free(out);
    spool_close(&spool);
}
END_TEST

/* ---- pty_drain ------------------------------------------------------------------------------- */

typedef struct Got {
    char bytes[1 << 20];
    size_t used;
} Got;
static Got got;

static bool take(void *context, const void *bytes, size_t size) {
    Got *g = context;
    ck_assert_uint_le(g->used + size, sizeof g->bytes);
    memcpy(g->bytes + g->used, bytes, size);
    g->used += size;
    return true;
}

static int open_master(int *slave) {
    struct termios mode;
    int master = posix_openpt(O_RDWR | O_NOCTTY | O_NONBLOCK);
    ck_assert_int_ge(master, 0);
    ck_assert_int_eq(grantpt(master), 0);
    ck_assert_int_eq(unlockpt(master), 0);
    *slave = pty_open_slave(master, 0);
    ck_assert_int_ge(*slave, 0);
    ck_assert_int_eq(tcgetattr(*slave, &mode), 0);
    mode.c_oflag &= (tcflag_t)~OPOST;
    ck_assert_int_eq(tcsetattr(*slave, TCSANOW, &mode), 0);
    return master;
}

/* A child writes, more than the kernel holds; all of it comes, and nothing of ours. */
static void drain_all(size_t size, bool letters) {
    int slave, master = open_master(&slave), status;
    char *text = malloc(size + 1);
    for (size_t i = 0; i < size; i++)
        text[i] = (char)(letters ? 'a' + suite_below(16) : suite_random()); /* as the word is */
    got.used = 0;
    pid_t pid = fork();
    if (pid == 0) _exit(!write_all(slave, text, size));
    while (waitpid(pid, &status, WNOHANG) == 0)
        pty_drain(master, take, &got);
    ck_assert(pty_drain(master, take, &got));
    ck_assert_int_eq(status, 0);
    ck_assert_uint_eq(got.used, size);
    ck_assert_msg(memcmp(got.bytes, text, size) == 0, "%zu bytes", size);
    free(text);
    close(slave);
    close(master);
}

START_TEST(drains) {
    suite_seed();
    for (size_t i = 0; i < 5; i++)
        drain_all(i * 16, true);
    for (int i = 0; i < 10; i++)
        drain_all(1 + suite_below(300000), i % 2);
}
END_TEST

/* With no slave open the bytes still come (then the end of file tells, or the word). */
START_TEST(drains_closed) {
    int slave, master = open_master(&slave);
    ck_assert(write_all(slave, "last", 4));
    close(slave);
    got.used = 0;
    pty_drain(master, take, &got);
    ck_assert_uint_eq(got.used, 4);
    ck_assert_int_eq(memcmp(got.bytes, "last", 4), 0);
    close(master);
}
END_TEST

SUITE("spool", keeps_everything, full, drains, drains_closed)
