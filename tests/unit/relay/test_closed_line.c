/* Tests of relay/closed_line.h, with processes that live, die, execute, and take their time to die.
 */
#include "relay/closed_line.h"
#include "suite.h"

#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>

static int state, line; /* our end */

static void wait_for_close(void) {
    char byte;
    ck_assert_int_eq(recv(line, &byte, 1, 0), 0);
}

/* A process that has the state mapped and the other end of the line; `live` is what it does. */
static pid_t start(void (*live)(int line)) {
    int pair[2];
    state = memfd_create("state", MFD_CLOEXEC);
    ck_assert_int_eq(ftruncate(state, 4096), 0);
    ck_assert_int_eq(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair), 0);
    line = pair[0];
    pid_t pid = fork();
    if (pid == 0) {
        close(line);
        if (mmap(NULL, 4096, PROT_READ, MAP_SHARED, state, 0) == MAP_FAILED) _exit(1);
        close(state);
        live(pair[1]);
        _exit(0);
    }
    close(pair[1]);
    return pid;
}

static void end(pid_t pid) {
    if (pid > 0) {
        kill(pid, SIGKILL);
        waitpid(pid, NULL, 0);
    }
    close(state);
    close(line);
}

static ClosedLine why(pid_t pid) {
    int process = (int)syscall(SYS_pidfd_open, pid, 0);
    ClosedLine with = closed_line_why(pid, process, state);
    if (process >= 0) close(process);
    return with;
}

static void live_on(int theirs) {
    close(theirs);
    for (;;)
        pause();
}

static void execute(int theirs) {
    (void)theirs; /* closes on exec */
    execlp("sleep", "sleep", "1000", NULL);
}

static void die(int theirs) {
    (void)theirs;
}

/* Is the first thread gone? What the process's own file says is the state of that one. */
static bool is_zombie(void) {
    char text[256] = "";
    int fd = open("/proc/self/stat", O_RDONLY | O_CLOEXEC);
    ssize_t size = read(fd, text, sizeof text - 1);
    close(fd);
    const char *name = size > 0 ? strrchr(text, ')') : NULL;
    return name && strncmp(name, ") Z", 3) == 0;
}

static void *other_thread(void *theirs) {
    while (!is_zombie())
        sched_yield();
    live_on(*(int *)theirs);
    return NULL;
}

static void leave_to_another_thread(int theirs) {
    pthread_t thread;
    static int own;
    own = theirs;
    if (pthread_create(&thread, NULL, other_thread, &own) == 0) pthread_exit(NULL);
}

TEST(one_that_lives_has_only_closed_it) {
    pid_t pid = start(live_on);
    wait_for_close();
    ck_assert_int_eq(why(pid), LINE_OF_PROFILED);
    ck_assert_int_eq(closed_line_why(pid, -1, state), LINE_OF_PROFILED);
    end(pid);
}

TEST(also_when_its_first_thread_is_gone) {
    pid_t pid = start(leave_to_another_thread);
    wait_for_close();
    ck_assert_int_eq(why(pid), LINE_OF_PROFILED);
    end(pid);
}

TEST(one_that_executes_is_another_program) {
    pid_t pid = start(execute);
    wait_for_close();
    ck_assert_int_eq(why(pid), LINE_OF_EXEC);
    end(pid);
}

TEST(one_that_dies_is_dead) {
    for (int i = 0; i < 200; i++) {
        pid_t pid = start(die);
        wait_for_close(); /* a little before it is dead */
        ck_assert_int_eq(why(pid), LINE_OF_DEAD);
        ck_assert_int_eq(waitpid(pid, NULL, 0), pid);
        ck_assert_int_eq(why(pid), LINE_OF_DEAD); /* nobody has this number */
        end(0);
    }
}

/* The first process of a namespace ends when all others in it have, also one that we do not wait
 * for: as long as we like it is neither alive nor dead. */
static void be_first(int theirs) {
    char byte;
    if (unshare(CLONE_NEWPID) != 0) _exit(77);
    (void)theirs;
    int go[2];
    if (pipe(go) != 0) _exit(1);
    pid_t first = fork();
    if (first == 0) {
        close(go[1]);
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        (void)!read(go[0], &byte, 1);
        _exit(0);
    }
    pid_t second = fork(); /* a child of ours, in its namespace */
    if (second == 0) {
        close(go[1]);
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        live_on(theirs);
    }
    (void)!send(theirs, &first, sizeof first, 0);
    close(theirs);
    close(go[1]);
    for (;;)
        pause(); /* `second` is killed, and never waited for */
}

TEST(one_that_takes_long_to_die_is_dead) {
    pid_t pid = start(be_first), slow;
    if (recv(line, &slow, sizeof slow, 0) != sizeof slow) {
        printf("skipped: no namespaces for us here\n");
        end(pid);
        return;
    }
    wait_for_close(); /* by it, too */
    int process = (int)syscall(SYS_pidfd_open, slow, 0);
    struct pollfd p = {.fd = process, .events = POLLIN};
    ck_assert_int_eq(poll(&p, 1, 1500), 0); /* still not dead */
    ck_assert_int_eq(closed_line_why(slow, process, state), LINE_OF_DEAD);
    close(process);
    end(pid);
}
