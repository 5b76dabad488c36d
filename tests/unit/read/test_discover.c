/* test_discover.c - finding shared states: this process holds some, good and damaged. */
#include "read/discover.h"

#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/os.h"
#include "suite.h"

static LmpHeader header(uint32_t pid, uint32_t serial, const char *program) {
    LmpHeader h = {.magic = LMP_MAGIC,
                   .layout = LMP_LAYOUT,
                   .header_size = sizeof(LmpHeader),
                   .control_size = sizeof(LmpControl),
                   .live_size = sizeof(LmpLive),
                   .leaf_size = sizeof(LmpLeaf),
                   .pid = pid,
                   .serial = serial,
                   .start_clock = lmp_os->clock()};
    snprintf(h.program, sizeof h.program, "%s", program);
    return h;
}

static int make_state(const LmpHeader *h, uint32_t run_state, uint64_t live) {
    int fd = os_real.memfd(LMP_MEMFD_NAME, LMP_LEAVES_AT);
    ck_assert_int_ge(fd, 0);
    ck_assert_int_eq(pwrite(fd, h, sizeof *h, 0), sizeof *h);
    pwrite(fd, &run_state, sizeof run_state, LMP_LIVE_AT + offsetof(LmpLive, state));
    pwrite(fd, &live, sizeof live, LMP_LIVE_AT + offsetof(LmpLive, counters.live_bytes));
    return fd;
}

/* Those of the list that this process made (others may be profiled on this machine, and this test
 * may run there once more). */
static size_t list_ours(LmpFound **ours) {
    LmpFound *all;
    size_t count, kept = 0;
    ck_assert_int_eq(discover_list(&all, &count), LMP_OK);
    for (size_t i = 0; i < count; i++)
        if (strncmp(all[i].program, "test-discover", 13) == 0 &&
            getpgid((pid_t)all[i].holder) == getpgrp())
            all[kept++] = all[i];
    *ours = all;
    return kept;
}

static LmpView view;

TEST(finds) {
    OWN(free_at) LmpFound *list;
    uint32_t pid = (uint32_t)getpid();
    ck_assert_uint_eq(list_ours(&list), 0);
    free(list);
    LmpHeader two = header(pid, 2, "test-discover two"), one = header(pid, 1, "test-discover one");
    int fd2 = make_state(&two, LMP_PAUSED, 2000), fd1 = make_state(&one, LMP_RUNNING, 1000);
    ck_assert_uint_eq(list_ours(&list), 2);
    ck_assert_uint_eq(list[0].serial, 1);
    ck_assert_uint_eq(list[0].live_bytes, 1000);
    ck_assert_int_eq(list[0].seen, LMP_SEEN_RUNNING);
    ck_assert_str_eq(list[1].program, "test-discover two");
    ck_assert_int_eq(list[1].seen, LMP_SEEN_PAUSED);
    free(list);
    ck_assert_int_eq(discover_open(pid, 2, &view), LMP_OK);
    ck_assert_uint_eq(view.header->serial, 2);
    view_close(&view);
    ck_assert_int_eq(discover_open(pid, 0, &view), LMP_OK);
    ck_assert_uint_eq(view.header->serial, 1);
    view_close(&view);
    ck_assert_int_eq(discover_open(pid, 3, &view), LMP_E_NOPROC);
    uint32_t finished = LMP_FINISHED;
    pwrite(fd1, &finished, sizeof finished, LMP_LIVE_AT + offsetof(LmpLive, state));
    ck_assert_int_eq(discover_open(pid, 0, &view), LMP_OK);
    ck_assert_uint_eq(view.header->serial, 2); /* the one that still runs */
    view_close(&view);
    close(fd1);
    close(fd2);
    ck_assert_uint_eq(list_ours(&list), 0);
}

/* Held by several processes, it is one; its program dead, it was killed. */
TEST(once) {
    int ready[2], status;
    LmpFound *list;
    ck_assert_int_eq(pipe(ready), 0);
    pid_t gone = fork();
    if (gone == 0) _exit(0);
    waitpid(gone, &status, 0);
    LmpHeader h = header((uint32_t)gone, 1, "test-discover gone");
    OWN(close_at) int fd = make_state(&h, LMP_RUNNING, 7);
    pid_t holder = fork();
    if (holder == 0) {
        char byte;
        close(ready[1]);
        _exit(read(ready[0], &byte, 1) != 0);
    }
    ck_assert_uint_eq(list_ours(&list), 1);
    ck_assert_int_eq(list[0].seen, LMP_SEEN_KILLED);
    free(list);
    close(ready[1]);
    waitpid(holder, &status, 0);
}

/* Any bytes under our name: not listed, not opened, nothing crashes. */
TEST(foreign) {
    uint32_t pid = (uint32_t)getpid();
    LmpHeader good = header(pid, 1, "test-discover");
    for (int round = 0; round < 60; round++) {
        LmpHeader h = good;
        LmpFound *list;
        unsigned char *bytes = (unsigned char *)&h;
        uint64_t size = LMP_LEAVES_AT;
        if (round % 3 == 0)
            h.magic ^= 1ull << suite_below(64);
        else if (round % 3 == 1)
            h.layout += 1 + (uint32_t)suite_below(1000);
        else
            size = suite_below(LMP_LIVE_AT + offsetof(LmpLive, counters)); /* cut off */
        if (round % 5 == 0)
            for (size_t i = 0; i < sizeof h; i++)
                bytes[i] = (unsigned char)suite_random();
        OWN(close_at) int fd = memfd_create(LMP_MEMFD_NAME, MFD_CLOEXEC);
        ck_assert_int_ge(fd, 0);
        pwrite(fd, &h, sizeof h, 0);
        ck_assert_int_eq(ftruncate(fd, (off_t)size), 0);
        size_t n = list_ours(&list);
        ck_assert_msg(n == 0, "round %d", round);
        free(list);
        ck_assert_int_ne(discover_open(pid, 1, &view), LMP_OK);
    }
    /* A name that is not terminated is cut. */
    memset(good.program, 'x', sizeof good.program);
    memcpy(good.program, "test-discover", 13);
    OWN(close_at) int fd = make_state(&good, LMP_RUNNING, 1);
    LmpFound *list;
    ck_assert_uint_eq(list_ours(&list), 1);
    ck_assert_uint_eq(strlen(list[0].program), sizeof list[0].program - 1);
    free(list);
    ck_assert_int_eq(discover_open(pid, 1, &view), LMP_E_DAMAGED);
}

/* A state in the hands of another user: it says what it likes, also that it is ours. Seen by root,
 * who can read everybody's. */
static void forge(bool dumpable) {
    int ready[2], stay[2], status;
    char byte;
    LmpFound *list;
    ck_assert_int_eq(pipe(ready), 0);
    ck_assert_int_eq(pipe(stay), 0);
    uint32_t victim = (uint32_t)getpid();
    pid_t forger = fork();
    if (forger == 0) {
        close(stay[1]);
        if (setgid(65534) || setuid(65534)) _exit(2);
        prctl(PR_SET_DUMPABLE, dumpable);
        LmpHeader h = header(victim, 1, "test-discover forged");
        int fd = make_state(&h, LMP_RUNNING, 7);
        (void)!write(ready[1], "x", 1);
        (void)!read(stay[0], &byte, 1);
        _exit(fd < 0);
    }
    close(ready[1]);
    close(stay[0]);
    ck_assert_int_eq(read(ready[0], &byte, 1), 1);
    size_t n = list_ours(&list);
    for (size_t i = 0; i < n; i++)
        ck_assert_uint_ne(list[i].pid, victim);
    free(list);
    ck_assert_int_ne(discover_open(victim, 1, &view), LMP_OK);
    close(stay[1]);
    waitpid(forger, &status, 0);
    ck_assert_int_eq(status, 0);
    close(ready[0]);
}

TEST(forged) {
    if (geteuid() != 0) return; /* nobody else can look at another user's descriptors */
    forge(true);
    forge(false); /* then /proc says that it is root's */
}

/* The user's own is believed: a relay holds the state of a program that has ended. */
TEST(own_holder) {
    int ready[2], stay[2], status;
    char byte;
    LmpFound *list;
    ck_assert_int_eq(pipe(ready), 0);
    ck_assert_int_eq(pipe(stay), 0);
    uint32_t program = (uint32_t)getpid();
    pid_t holder = fork();
    if (holder == 0) {
        close(stay[1]);
        if (geteuid() == 0 && (setgid(65534) || setuid(65534))) _exit(2);
        pid_t other = fork(); /* the one whose state it is, of the same user */
        if (other == 0) {
            (void)!read(stay[0], &byte, 1);
            _exit(0);
        }
        LmpHeader h = header((uint32_t)other, 1, "test-discover own");
        int fd = make_state(&h, LMP_RUNNING, 7);
        (void)!write(ready[1], "x", 1);
        (void)!read(stay[0], &byte, 1);
        waitpid(other, &status, 0);
        _exit(fd < 0);
    }
    close(ready[1]);
    close(stay[0]);
    ck_assert_int_eq(read(ready[0], &byte, 1), 1);
    ck_assert_uint_eq(list_ours(&list), 1);
    ck_assert_uint_ne(list[0].pid, program);
    ck_assert_int_eq(list[0].seen, LMP_SEEN_RUNNING);
    free(list);
    close(stay[1]);
    waitpid(holder, &status, 0);
    ck_assert_int_eq(status, 0);
    close(ready[0]);
}
