/* term_rescue.c - restores the terminal after a crash: at rescue_arm, copies the capabilities that
 * restore the screen into one text; an exit handler and signal handlers write that text and set the
 * former modes, which is safe in a handler. */
#include <curses.h>
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "terminal/term_impl.h"

#include <term.h> /* last: its macros have names of ours */

/* What a signal handler needs to restore the terminal: set before the screen is taken. */
static struct {
    volatile sig_atomic_t armed;
    pid_t pid; /* a forked child does not restore */
    int fd;
    struct termios modes;
    char bytes[256];
    size_t size;
} rescue;

static const int deadly[] = {SIGTERM, SIGHUP, SIGINT,  SIGQUIT, SIGSEGV,
                             SIGBUS,  SIGFPE, SIGABRT, SIGILL,  SIGPIPE};
#define DEADLY (sizeof deadly / sizeof *deadly)
static struct sigaction before[DEADLY];

static void rescue_terminal(void) {
    if (!rescue.armed || rescue.pid != getpid()) return;
    rescue.armed = 0;
    ssize_t ignored = write(rescue.fd, rescue.bytes, rescue.size);
    (void)ignored;
    tcsetattr(rescue.fd, TCSANOW, &rescue.modes);
}

static void on_deadly(int number) {
    int saved = errno;
    rescue_terminal();
    for (size_t i = 0; i < DEADLY; i++) {
        if (deadly[i] == number) sigaction(number, &before[i], NULL);
    }
    raise(number); /* as if we had not caught it */
    errno = saved;
}

/* Appends a capability without its padding ("$<5>"). */
static void rescue_add(const char *text) {
    if (!text || text == (char *)-1) return;
    while (*text && rescue.size + 1 < sizeof rescue.bytes) {
        if (text[0] == '$' && text[1] == '<') {
            const char *end = strchr(text, '>');
            if (end) {
                text = end + 1;
                continue;
            }
        }
        rescue.bytes[rescue.size++] = *text++;
    }
}

static char *capability(const char *name) {
    char copy[16];
    snprintf(copy, sizeof copy, "%s", name); /* older ncurses want it writable */
    return tigetstr(copy);
}

void rescue_watch(void) {
    rescue.armed = 0;
    struct sigaction act = {.sa_handler = on_deadly};
    sigemptyset(&act.sa_mask);
    for (size_t i = 0; i < DEADLY; i++) {
        sigaction(deadly[i], NULL, &before[i]);
        if (before[i].sa_handler != SIG_IGN) sigaction(deadly[i], &act, NULL);
    }
}

void rescue_arm(int fd, const struct termios *modes) {
    static bool at_exit;
    rescue.fd = fd;
    rescue.pid = getpid();
    rescue.modes = *modes;
    rescue.size = 0;
    if (capability("kmous") && capability("kmous") != (char *)-1) {
        rescue_add("\033[?1000l\033[?1002l\033[?1003l\033[?1006l");
    }
    rescue_add(capability("rmkx"));
    rescue_add(capability("op"));
    rescue_add(capability("sgr0"));
    rescue_add(capability("cnorm"));
    rescue_add(capability("rmcup"));
    rescue_add("\r");
    rescue.armed = 1;
    if (!at_exit) at_exit = atexit(rescue_terminal) == 0;
}

void rescue_set_modes(const struct termios *modes) {
    rescue.modes = *modes;
}

void rescue_disarm(void) {
    rescue.armed = 0;
    for (size_t i = 0; i < DEADLY; i++)
        sigaction(deadly[i], &before[i], NULL);
}
