/* What a program that stands still waits for: of real processes, and of directories as /proc has
 * them, where less may be read. */
#include "viewer/blocked.h"

#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/select.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "suite.h"

#define MS 1000000ull

static uint64_t clock_now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

/* ---- real processes -------------------------------------------------------------------------- */

static int master;
static char terminal[32];
static pid_t child;
static UiWait waits;

static void *stand(void *unused) {
    pause();
    return unused;
}

static void be(const char *what) {
    char byte;
    int slave = open(terminal, O_RDWR | O_NOCTTY), ends[2];
    dup2(slave, 0);
    if (strcmp(what, "read") == 0) { /* a line, then work */
        while (read(0, &byte, 1) == 1 && byte != '\n')
            ;
        for (;;)
            ;
    } else if (strcmp(what, "sleep") == 0) {
        sleep(1000);
    } else if (strcmp(what, "pipe") == 0) {
        if (pipe(ends) == 0 && read(ends[0], &byte, 1) < 0) _exit(1);
    } else if (strcmp(what, "child") == 0) {
        if (fork() == 0) pause();
        wait(NULL);
    } else if (strcmp(what, "poll") == 0) { /* as line editors wait */
        poll(&(struct pollfd){.fd = 0, .events = POLLIN}, 1, -1);
    } else if (strcmp(what, "select") == 0) {
        fd_set set;
        FD_ZERO(&set);
        FD_SET(0, &set);
        select(1, &set, NULL, NULL, NULL);
    } else if (strcmp(what, "epoll") == 0) {
        int epoll = epoll_create1(0);
        struct epoll_event event = {.events = EPOLLIN};
        if (pipe(ends) < 0) _exit(1);
        epoll_ctl(epoll, EPOLL_CTL_ADD, 0, &event);
        epoll_ctl(epoll, EPOLL_CTL_ADD, ends[0], &event);
        epoll_wait(epoll, &event, 1, -1);
    } else if (strcmp(what, "pipe poll") == 0) {
        if (pipe(ends) == 0) poll(&(struct pollfd){.fd = ends[0], .events = POLLIN}, 1, -1);
    } else if (strcmp(what, "two") == 0) {
        if (pipe(ends) < 0) _exit(1);
        struct pollfd two[] = {{.fd = ends[0], .events = POLLIN},
                               {.fd = 0}, /* not for what can be read there */
                               {.fd = -1, .events = POLLIN},
                               {.fd = ends[0], .events = POLLIN}};
        poll(two, 4, -1);
    } else if (strcmp(what, "nothing") == 0) {
        poll(NULL, 0, -1);
    } else if (strcmp(what, "busy") == 0) {
        for (;;)
            ;
    } else if (strcmp(what, "naps") == 0) { /* is woken again and again */
        for (;;)
            nanosleep(&(struct timespec){0, 20 * (long)MS}, NULL);
    } else if (strcmp(what, "threads") == 0) {
        pthread_t thread;
        pthread_create(&thread, NULL, stand, NULL);
        if (read(0, &byte, 1) < 0) _exit(1);
    }
    _exit(0);
}

static void start(const char *what) {
    master = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC);
    ck_assert(master >= 0 && grantpt(master) == 0 && unlockpt(master) == 0);
    ck_assert_int_eq(ptsname_r(master, terminal, sizeof terminal), 0);
    child = fork();
    if (child == 0) {
        setpgid(0, 0);
        be(what);
    }
    setpgid(child, child);
}

/* Looks ten times a second until `words` are said (NULL: until nothing is): only a failure takes
 * the time. */
static bool becomes(Blocked *b, const char *words) {
    char proc[32];
    snprintf(proc, sizeof proc, "/proc/%d", (int)child);
    for (uint64_t end = clock_now() + 100000 * MS; clock_now() < end; usleep(100000)) {
        blocked_look(b, proc, terminal, false, clock_now(), &waits);
        if (words ? strstr(waits.words, words) != NULL : waits.words[0] == 0 && waits.busy)
            return true;
    }
    return false;
}

/* Nothing is ever said in two seconds. */
static bool stays_unknown(Blocked *b) {
    char proc[32];
    snprintf(proc, sizeof proc, "/proc/%d", (int)child);
    for (uint64_t end = clock_now() + 2000 * MS; clock_now() < end; usleep(100000)) {
        blocked_look(b, proc, terminal, false, clock_now(), &waits);
        if (waits.words[0]) return false;
    }
    return true;
}

static void end(void) {
    kill(-child, SIGKILL);
    waitpid(child, NULL, 0);
    close(master);
}

TEST(a_read_of_the_terminal_is_input) {
    Blocked b = {0};
    start("read");
    ck_assert_msg(becomes(&b, "waits for input"), "%s", waits.words);
    ck_assert(waits.input && waits.ours && !waits.busy);
    strcpy(terminal, "/dev/pts/none"); /* typed lines go elsewhere: the next look says so */
    ck_assert(becomes(&b, "waits for input"));
    ck_assert(waits.input && !waits.ours);
    ck_assert_int_eq(write(master, "a line\n", 7), 7);
    ck_assert(becomes(&b, NULL)); /* it goes on: nothing is said any more */
    ck_assert(!waits.input && !waits.ours);
    end();
    char proc[32]; /* it is gone */
    snprintf(proc, sizeof proc, "/proc/%d", (int)child);
    blocked_look(&b, proc, terminal, false, clock_now(), &waits);
    ck_assert(!waits.words[0] && !waits.busy);
}

TEST(each_call_has_its_words) {
    static const struct {
        const char *what, *words;
    } one[] = {{"sleep", "sleeps ("},
               {"pipe", "waits in read of a pipe"},
               {"child", "waits for a child process"},
               {"pipe poll", "waits in poll of a pipe"},
               {"two", "waits in poll of 2 descriptors"},
               {"nothing", "waits in poll"}};
    for (size_t i = 0; i < sizeof one / sizeof *one; i++) {
        Blocked b = {0};
        start(one[i].what);
        ck_assert_msg(becomes(&b, one[i].words), "%s: %s", one[i].what, waits.words);
        ck_assert(!waits.input);
        end();
    }
}

/* Who waits with poll, select or epoll for the terminal waits for input as well. */
TEST(a_wait_for_the_terminal_is_input) {
    static const struct {
        const char *what, *words;
    } one[] = {{"poll", "waits for input"},
               {"select", "waits for input"},
               {"epoll", "waits for input, or 1 other"}};
    for (size_t i = 0; i < sizeof one / sizeof *one; i++) {
        Blocked b = {0};
        start(one[i].what);
        ck_assert_msg(becomes(&b, "waits"), "%s", one[i].what);
        ck_assert_str_eq(waits.words, one[i].words);
        ck_assert(waits.input && waits.ours);
        end();
    }
}

TEST(nothing_is_said_of_others) {
    static const char *const what[] = {"busy", "naps", "threads"};
    for (size_t i = 0; i < sizeof what / sizeof *what; i++) {
        Blocked b = {0};
        start(what[i]);
        ck_assert_msg(stays_unknown(&b), "%s: %s", what[i], waits.words);
        end();
    }
}

/* ---- directories ----------------------------------------------------------------------------- */

static char proc[] = "/tmp/lmp-blocked-XXXXXX";

static void put(const char *name, const char *text) {
    char path[96];
    snprintf(path, sizeof path, "%s/%s", proc, name);
    unlink(path);
    if (!text) return;
    FILE *f = fopen(path, "w");
    ck_assert_ptr_nonnull(f);
    fputs(text, f);
    fclose(f);
}

static void link_fd(const char *fd, const char *to) {
    char path[96];
    snprintf(path, sizeof path, "%s/fd/%s", proc, fd);
    unlink(path);
    if (to) ck_assert_int_eq(symlink(to, path), 0);
}

static const char *status(char state, int threads, int switches) {
    static char text[200];
    snprintf(text, sizeof text,
             "Name:\tlua\nState:\t%c (x)\nThreads:\t%d\nvoluntary_ctxt_switches:\t%d\n", state,
             threads, switches);
    return text;
}

static const char *look(const char *where, bool unread) {
    Blocked b = {0};
    blocked_look(&b, proc, where, unread, 1000 * MS, &waits);
    ck_assert(!waits.words[0]); /* one look is none */
    blocked_look(&b, proc, where, unread, 1100 * MS, &waits);
    ck_assert(!waits.words[0]); /* too soon */
    blocked_look(&b, proc, where, unread, 1300 * MS, &waits);
    return waits.words;
}

/* Where the system call may not be read (it takes the right to trace), the place in the kernel. */
TEST(without_the_right_to_trace) {
    const char *pts = "/dev/pts/7";
    char path[96], command[96];
    strcpy(proc, "/tmp/lmp-blocked-XXXXXX");
    ck_assert_ptr_nonnull(mkdtemp(proc));
    snprintf(path, sizeof path, "%s/fd", proc);
    mkdir(path, 0700);
    put("status", status('S', 1, 5));
    put("wchan", "hrtimer_nanosleep");
    ck_assert_str_eq(look(pts, false), "sleeps (nanosleep)");
    put("wchan", "some_driver_wait");
    ck_assert_str_eq(look(pts, false), "waits in the kernel (some_driver_wait)");
    put("wchan", "0");
    ck_assert_str_eq(look(pts, false), "");
    put("wchan", "wait_woken");
    link_fd("0", pts);
    link_fd("1", pts);
    link_fd("3", "/home/somebody/data.txt");
    ck_assert_str_eq(look(pts, false), "waits for input");
    ck_assert(waits.input && waits.ours);
    ck_assert_ptr_nonnull(strstr(look(pts, true), "(wait_woken)")); /* it may be writing */
    ck_assert_ptr_nonnull(strstr(look("", false), "(wait_woken)"));
    link_fd("4", "socket:[123]"); /* it may wait for that */
    ck_assert_ptr_nonnull(strstr(look(pts, false), "(wait_woken)"));
    ck_assert(!waits.input);
    link_fd("4", "/dev/pts/8"); /* or for another terminal */
    ck_assert(!strstr(look(pts, false), "input"));
    link_fd("4", NULL);
    link_fd("0", "/dev/null");
    link_fd("1", "/dev/null");
    ck_assert(!strstr(look(pts, false), "input"));
    /* the call, where it may be read, says more */
    snprintf(command, sizeof command, "%d 0x0 0x7ff 0x1\n", (int)SYS_read);
    put("syscall", command);
    ck_assert_str_eq(look(pts, false), "waits in read of null");
    link_fd("0", pts);
    ck_assert_str_eq(look(pts, false), "waits for input");
    /* what it polls takes more to see: the call alone is said then */
    snprintf(command, sizeof command, "%d 0x10 0x1 0x0\n", (int)SYS_ppoll);
    put("syscall", command);
    ck_assert_str_eq(look(pts, false), "waits in ppoll");
    ck_assert(!waits.input);
    put("syscall", "99999 0x0\n");
    ck_assert_str_eq(look(pts, false), "waits in system call 99999");
    put("syscall", "running\n");
    ck_assert_str_eq(look(pts, false), "");
    put("syscall", "-1 0x0 0x0\n");
    ck_assert_str_eq(look(pts, false), "");
    /* nothing of others */
    snprintf(command, sizeof command, "%d 0x0 0x7ff 0x1\n", (int)SYS_read);
    put("syscall", command);
    put("status", status('S', 2, 5));
    ck_assert_str_eq(look(pts, false), "");
    put("status", status('T', 1, 5));
    ck_assert_str_eq(look(pts, false), "");
    put("status", "Name:\tlua\nState:\tS\nThreads:\t1\n"); /* how often it was woken is not told */
    ck_assert_str_eq(look(pts, false), "");
    put("status", status('R', 1, 5));
    ck_assert_str_eq(look(pts, false), "");
    ck_assert(waits.busy);
    /* woken in between, in the same call */
    Blocked b = {0};
    for (int i = 0; i < 10; i++) {
        put("status", status('S', 1, i));
        blocked_look(&b, proc, pts, false, (uint64_t)(i + 1) * 400 * MS, &waits);
        ck_assert(!waits.words[0]);
    }
    snprintf(command, sizeof command, "rm -rf %s", proc);
    ck_assert_int_eq(system(command), 0);
}
