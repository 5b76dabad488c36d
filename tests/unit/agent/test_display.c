/* test_display.c - the program's end of the display when there is no display to be had: every way
 * in which the start can fail leaves the program exactly as it was. */
#include "agent/session/display.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/wait.h>
#include <unistd.h>

#include "pty/ptydrain.h"
#include "suite.h"

static const LmpDisplayOptions request = {
    .hold = false, .fps = 10, .summary = "", .run_socket = -1};
static volatile sig_atomic_t child_signals;

static void on_child(int signal) {
    (void)signal;
    child_signals++;
}

/* A terminal of our own as controlling terminal and standard streams. Returns its master. */
static int become_terminal_user(void) {
    int master = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC);
    ck_assert_int_ge(master, 0);
    ck_assert_int_eq(grantpt(master), 0);
    ck_assert_int_eq(unlockpt(master), 0);
    int slave = pty_open_slave(master, 0);
    ck_assert_int_ge(slave, 0);
    setsid(); /* fails in a group's leader: Check has made us one, see below */
    ck_assert_int_eq(ioctl(slave, TIOCSCTTY, 1), 0);
    for (int i = 0; i < 3; i++)
        dup2(slave, i);
    if (slave > 2) close(slave);
    return master;
}

static int count_fds(void) {
    int n = 0;
    for (int fd = 0; fd < 1024; fd++)
        n += fcntl(fd, F_GETFD) >= 0;
    return n;
}

typedef struct Before {
    struct stat stream[3];
    int fds;
    struct termios mode;
} Before;

static Before look(void) {
    Before b = {.fds = count_fds()};
    for (int i = 0; i < 3; i++)
        fstat(i, &b.stream[i]);
    tcgetattr(0, &b.mode);
    return b;
}

/* Exits the child with a number that tells what was wrong; 0: all as before. */
static int compare(const Before *a) {
    Before b = look();
    if (a->fds != b.fds) return 10;
    for (int i = 0; i < 3; i++)
        if (a->stream[i].st_rdev != b.stream[i].st_rdev ||
            a->stream[i].st_ino != b.stream[i].st_ino)
            return 11;
    if (a->mode.c_lflag != b.mode.c_lflag || a->mode.c_oflag != b.mode.c_oflag) return 12;
    if (child_signals != 0) return 13;
    if (waitpid(-1, NULL, WNOHANG) != -1 || errno != ECHILD) return 14; /* nobody to wait for */
    return 0;
}

typedef struct Case {
    const char *command;
    LmpErr expected;
    bool no_terminal;
    int limit; /* of open files, 0: none */
} Case;

static int try_case(const Case *c) {
    LmpDisplay display;
    struct sigaction act = {.sa_handler = on_child};
    sigaction(SIGCHLD, &act, NULL);
    if (c->no_terminal) {
        setsid();
        int null = open("/dev/null", O_RDWR);
        for (int i = 0; i < 3; i++)
            dup2(null, i);
    } else {
        become_terminal_user();
    }
    int state = open("/dev/null", O_RDONLY | O_CLOEXEC);
    Before before = look();
    if (c->limit) {
        struct rlimit limit = {(rlim_t)c->limit, (rlim_t)c->limit};
        setrlimit(RLIMIT_NOFILE, &limit);
    }
    LmpErr err = display_start(&display, state, c->command, &request);
    int wrong = compare(&before);
    if (wrong) return wrong;
    if (c->limit ? err == LMP_OK : err != c->expected) return 20 + (int)err;
    if (display_end(&display)) return 40; /* there is none */
    display_check(&display);
    return compare(&before);
}

/* In a process of its own that leads no group, so that it can have a terminal. */
static void check_case(const Case *c) {
    int status;
    pid_t pid = fork();
    if (pid == 0) _exit(try_case(c));
    ck_assert_int_eq(waitpid(pid, &status, 0), pid);
    ck_assert_msg(WIFEXITED(status) && WEXITSTATUS(status) == 0, "%s, limit %d: status %x",
                  c->command, c->limit, status);
}

TEST(no_terminal) {
    check_case(&(Case){.command = "/bin/true", .expected = LMP_E_NOTTY, .no_terminal = true});
}

TEST(no_command) {
    check_case(&(Case){.command = "/no/such/lmp", .expected = LMP_E_NOVIEWER});
    check_case(&(Case){.command = "/etc/passwd", .expected = LMP_E_NOVIEWER});
}

TEST(other_command) {
    check_case(&(Case){.command = "/bin/false", .expected = LMP_E_VIEWER});
    check_case(&(Case){.command = "/bin/true", .expected = LMP_E_VIEWER});
}

TEST(too_many_files) {
    for (int limit = 4; limit < 48; limit++)
        check_case(&(Case){.command = "/bin/true", .limit = limit});
}

/* The program has closed what is the display's, and its files have the numbers: nothing is written
 * there, or closed, whatever the display does. */
static int files_instead(int step) {
    unsigned terminal;
    int pair[2], master = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC);
    int other = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC); /* the same file as the first */
    char name[] = "/tmp/lmp-display-XXXXXX";
    LmpDisplay d = DISPLAY_NONE;
    if (socketpair(AF_UNIX, SOCK_SEQPACKET, 0, pair) != 0 || master < 0 || other < 0) return 1;
    d.line = own_fd_take(pair[0]);
    d.master = own_fd_take(master);
    if (ioctl(d.master.fd, TIOCGPTN, &terminal) != 0) return 2;
    d.pty = makedev(136, terminal); /* as Linux has them */
    for (int i = 0; i < 3; i++)
        d.saved[i] = own_fd_take(dup(pair[1]));
    int victim = mkstemp(name),
        numbers[] = {d.line.fd, d.saved[0].fd, d.saved[1].fd, d.saved[2].fd};
    unlink(name);
    int number = d.master.fd;
    for (int i = 0; i < 4; i++)
        if (dup2(victim, numbers[i]) != numbers[i]) return 3;
    if (dup2(other, number) != number) return 4;
    errno = EXDEV;
    if (step == 0 && display_check(&d)) return 5;
    if (step == 1) d.line = OWN_FD_NONE; /* dead before */
    if (step < 2 && display_check(&d)) return 6;
    if (step == 2 && display_end(&d)) return 7;
    display_forget(&d);
    if (step < 2 && errno != EXDEV) return 8;
    for (int i = 0; i < 4; i++)
        if (fcntl(numbers[i], F_GETFD) < 0) return 10 + i;
    if (fcntl(number, F_GETFD) < 0) return 14;
    return lseek(victim, 0, SEEK_END) == 0 && lseek(victim, 0, SEEK_CUR) == 0 ? 0 : 15;
}

TEST(foreign_numbers) {
    for (int step = 0; step < 3; step++) {
        int status;
        pid_t pid = fork();
        if (pid == 0) _exit(files_instead(step));
        ck_assert_int_eq(waitpid(pid, &status, 0), pid);
        ck_assert_msg(status == 0, "step %d: status %x", step, status);
    }
}
