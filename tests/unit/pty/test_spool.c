/* test_spool.c - the spool against a plain copy of what went in, and the draining of a pseudo
 * terminal against what was written to it. */
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>

#include "base/io.h"
#include "pty/errorline.h"
#include "pty/ptydrain.h"
#include "pty/spool.h"
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

TEST(keeps_everything) {
    enum { LIMIT = 1 << 20, TOTAL = 12 << 20 };
    OWN(spool_close) Spool spool;
    ck_assert(spool_open(&spool, LIMIT));
    ck_assert_int_eq(spool_last(&spool), -1);
    OWN(free_at) char *model = malloc(TOTAL);
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
        ck_assert_int_eq(pread(spool.memory, tail, want, (off_t)(SPOOL_AT + used - want)),
                         (ssize_t)want);
        ck_assert_msg(memcmp(tail, model + used - want, want) == 0, "at %zu", used);
    }
    size_t size;
    OWN(free_at) char *out = written(&spool, &size);
    ck_assert_uint_eq(size, used);
    ck_assert(memcmp(out, model, used) == 0);
    struct stat st;
    ck_assert_int_eq(fstat(spool.memory, &st), 0);
    ck_assert_msg(st.st_blocks * 512 <= LIMIT + (1 << 18), "memory in use: %ld",
                  (long)st.st_blocks * 512);
}

/* Without a place on disk it says no at the limit, and what it had is still there. */
TEST(full) {
    OWN(spool_close) Spool spool;
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
    OWN(free_at) char *out = written(&spool, &size);
    ck_assert_uint_eq(size, taken);
}

/* ---- killed in the middle -------------------------------------------------------------------- */

static size_t read_some(int master, char *out, size_t used, size_t room) {
    ssize_t n = read(master, out + used, room - used);
    return n > 0 ? (size_t)n : 0;
}

static int open_master(int *slave);

/* A terminal's reader gets all of it once and in order, whoever is killed while writing there. */
TEST(written_by_several) {
    enum { TOTAL = 300000 };
    Spool spool;
    int slave, master = open_master(&slave);
    ck_assert(spool_open(&spool, 1 << 17)); /* some of it on the disk */
    char *model = malloc(TOTAL), *got_all = malloc(2 * TOTAL);
    for (size_t i = 0; i < TOTAL; i++)
        model[i] = (char)suite_random();
    for (size_t at = 0; at < TOTAL; at += 10000)
        ck_assert(spool_append(&spool, model + at, 10000));
    size_t used = 0;
    while (used < TOTAL) {
        pid_t pid = fork();
        if (pid == 0) _exit(!spool_write(&spool, slave));
        size_t until = used + 1 + suite_below(30000);
        if (until > TOTAL) until = TOTAL;
        while (used < until)
            used += read_some(master, got_all, used, 2 * TOTAL);
        kill(pid, SIGKILL);
        ck_assert_int_eq(waitpid(pid, NULL, 0), pid);
        for (size_t n; (n = read_some(master, got_all, used, 2 * TOTAL)) > 0;)
            used += n;
    }
    ck_assert_uint_eq(used, TOTAL);
    ck_assert(memcmp(got_all, model, TOTAL) == 0);
    free(model);
    free(got_all);
    spool_close(&spool);
    close(master);
    close(slave);
}

/* So does the spool, of what a program writes, whoever is killed while taking it. */
TEST(taken_by_several) {
    enum { TOTAL = 400000 };
    Spool spool;
    int slave, master = open_master(&slave), status;
    ck_assert(spool_open(&spool, SPOOL_MEMORY));
    char *model = malloc(TOTAL);
    for (size_t i = 0; i < TOTAL; i++)
        model[i] = (char)suite_random();
    pid_t writer = fork();
    if (writer == 0) _exit(!io_write_all(slave, model, TOTAL));
    while (spool_size(&spool) < TOTAL) {
        pid_t pid = fork();
        if (pid == 0)
            for (;;)
                spool_take(&spool, master);
        uint64_t until = spool_size(&spool) + suite_below(40000);
        while (spool_size(&spool) < until && spool_size(&spool) < TOTAL)
            ;
        kill(pid, SIGKILL);
        ck_assert_int_eq(waitpid(pid, NULL, 0), pid);
        while (spool_take(&spool, master) == SPOOL_SOME)
            ;
    }
    ck_assert_int_eq(waitpid(writer, &status, 0), writer);
    ck_assert_int_eq(status, 0);
    size_t size;
    char *out = written(&spool, &size);
    ck_assert_uint_eq(size, TOTAL);
    ck_assert(memcmp(out, model, TOTAL) == 0);
    free(out);
    free(model);
    spool_close(&spool);
    close(master);
    close(slave);
}

/* What a killed process has left in the pipe comes, too, and then counts as the last that came: a
 * message after it begins a line if it must, and only then. */
TEST(left_in_the_pipe) {
    OWN(spool_close) Spool spool;
    size_t size;
    FILE *out = tmpfile();
    char got[32];
    ck_assert(spool_open(&spool, SPOOL_MEMORY));
    ck_assert(spool_append(&spool, "a line", 6));
    ck_assert_int_eq(write(spool.in, "\n", 1), 1);
    ck_assert(spool_pass(&spool, fileno(out)));
    ck_assert_int_eq(spool_last(&spool), '\n');
    ck_assert_int_eq(write(spool.in, "half", 4), 4);
    ck_assert(spool_pass(&spool, fileno(out)));
    ck_assert_int_eq(spool_last(&spool), 'f');
    rewind(out);
    size = fread(got, 1, sizeof got, out);
    ck_assert_uint_eq(size, 11);
    ck_assert(memcmp(got, "a line\nhalf", 11) == 0);
    fclose(out);
}

/* Also where the memory file takes no more before it has been written. */
TEST(left_in_the_pipe_of_a_full_one) {
    OWN(spool_close) Spool spool;
    char piece[5000], got[2 * sizeof piece];
    FILE *out = tmpfile();
    memset(piece, 'x', sizeof piece);
    ck_assert(spool_open(&spool, 6000));
    if (spool.disk >= 0) close(spool.disk);
    spool.disk = -1;
    ck_assert(spool_append(&spool, piece, sizeof piece));
    memset(piece, 'y', 4000);
    ck_assert_int_eq(write(spool.in, piece, 4000), 4000);
    ck_assert(spool_pass(&spool, fileno(out)));
    rewind(out);
    ck_assert_uint_eq(fread(got, 1, sizeof got, out), 9000);
    ck_assert(got[4999] == 'x' && got[5000] == 'y' && got[8999] == 'y');
    ck_assert_int_eq(spool_last(&spool), 'y');
    fclose(out);
}

/* A message comes once; half of one, left by a killed process, not at all. */
TEST(says_once) {
    Spool spool, heir;
    ck_assert(spool_open(&spool, SPOOL_MEMORY));
    ck_assert(spool_append(&spool, "output ", 7));
    atomic_store(&spool.relay_state->saying, 1 + 7);
    ck_assert(spool_append(&spool, "half of a mes", 13));
    ck_assert(spool_inherit(&heir, dup(spool.memory), -1, -1, -1, SPOOL_MEMORY));
    spool_mend(&heir);
    ck_assert_uint_eq(spool_size(&spool), 7);
    ck_assert(spool_say(&heir, RELAY_SUMMARY, "message", 7));
    atomic_store(&spool.relay_state->saying, 1 + 7); /* killed after the note */
    spool_mend(&spool);
    ck_assert(spool_say(&spool, RELAY_SUMMARY, "message", 7));
    ck_assert_uint_eq(spool_size(&spool), 14);
    size_t size;
    char *out = written(&spool, &size);
    ck_assert_uint_eq(size, 14);
    ck_assert(memcmp(out, "output message", 14) == 0);
    free(out);
    spool_close(&heir);
    spool_close(&spool);
}

/* Messages are known, so that who reads along can leave them out, in pieces of any size. */
TEST(own_output) {
    for (int round = 0; round < 200; round++) {
        Spool spool;
        char wanted[2000], whole[4000], got[2000];
        size_t want = 0, all = 0, have = 0;
        ck_assert(spool_open(&spool, SPOOL_MEMORY));
        for (unsigned k = 0; k < RELAY_SAID * 2; k++) {
            char piece[20];
            size_t n = 1 + suite_below(sizeof piece - 1);
            memset(piece, 'a' + (int)(k % 26), n);
            if (k % 2) {
                ck_assert(spool_say(&spool, 0, piece, n));
            } else if (suite_below(2)) {
                ck_assert(spool_append(&spool, piece, n));
                memcpy(wanted + want, piece, n);
                want += n;
            } else {
                continue;
            }
            memcpy(whole + all, piece, n);
            all += n;
        }
        atomic_store(&spool.relay_state->saying, 1 + all);
        ck_assert(spool_append(&spool, "half of a mes", 13));
        for (uint64_t at = 0, to;;) {
            uint64_t end = at + suite_below(40);
            if (end > all + 13) end = all + 13;
            uint64_t from = spool_own(spool.relay_state, at, end, &to);
            ck_assert_uint_ge(from, at);
            ck_assert_uint_le(to, end > at ? end : at);
            if (from < to) memcpy(got + have, whole + from, to - from);
            if (from < to) have += to - from;
            if (from >= all) break;
            at = from < to ? to : from;
        }
        ck_assert_uint_eq(have, want);
        ck_assert_mem_eq(got, wanted, want);
        /* what was taken back is no message, and what comes in its place no part of one */
        uint32_t n = atomic_load(&spool.relay_state->said);
        spool_mend(&spool);
        ck_assert(spool_say(&spool, 0, "message", 7));
        atomic_store(&spool.relay_state->saying, 1 + all);
        spool_mend(&spool);
        ck_assert_uint_eq(atomic_load(&spool.relay_state->said), n);
        ck_assert_uint_eq(spool_size(&spool), all);
        spool_close(&spool);
    }
}

/* ---- the error at the end -------------------------------------------------------------------- */

TEST(error_lines) {
    static const struct {
        const char *text, *error;
    } cases[] = {
        {"so far\nlua5.4: x.lua:1: boom\nstack traceback:\n\t[C]: in ?\n", "lua5.4: x.lua:1: boom"},
        {"lua5.4: x.lua:1: boom\r\nstack traceback:\r\n\t[C]: in ?\r\n", "lua5.4: x.lua:1: boom"},
        {"lua5.4: boom\nstack traceback:\n\t[C]: in ?\nstack traceback:\n\t[C]: in ?\n",
         "lua5.4: boom"},
        {"\n\tx\nstack traceback:\n\t[C]: in ?\n", ""},
        {"/usr/bin/lua: (error object is a table value)\n",
         "/usr/bin/lua: (error object is a table value)"},
        {"lua5.4: a \033[1mb\n", "lua5.4: a ?[1mb"},
        {"total: 5\n", ""}, /* what a script says before os.exit(1) is no error */
        {"evaluated: 5 of lua\n", ""},
        {"\n\n", ""},
        {"", ""},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        OWN(spool_close) Spool spool;
        char error[80];
        ck_assert(spool_open(&spool, SPOOL_MEMORY));
        ck_assert(spool_append(&spool, cases[i].text, strlen(cases[i].text)));
        bool found = errorline_find(spool.memory, SPOOL_AT, error, sizeof error);
        ck_assert_str_eq(error, cases[i].error);
        ck_assert_int_eq(found, *cases[i].error != 0);
    }
}

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
    if (pid == 0) _exit(!io_write_all(slave, text, size));
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

TEST(drains) {
    for (size_t i = 0; i < 5; i++)
        drain_all(i * 16, true);
    for (int i = 0; i < 10; i++)
        drain_all(1 + suite_below(300000), i % 2);
}

/* With no slave open the bytes still come (then the end of file tells, or the word). */
TEST(drains_closed) {
    int slave, master = open_master(&slave);
    ck_assert(io_write_all(slave, "last", 4));
    close(slave);
    got.used = 0;
    pty_drain(master, take, &got);
    ck_assert_uint_eq(got.used, 4);
    ck_assert_int_eq(memcmp(got.bytes, "last", 4), 0);
    close(master);
}
