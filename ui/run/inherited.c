/* inherited.c - opens /dev/null where a standard stream is closed, and sets two signals, whose
 * former handling it notes and restores before exec. */
#include "run/inherited.h"

#include <fcntl.h>
#include <signal.h>
#include <stddef.h>
#include <unistd.h>

/* SIGCHLD: where it is ignored (supervisors do that) we could wait for no child. SIGXFSZ: a file
 * size limit is meant for the program; a report of ours that the limit truncates says so. */
static const struct {
    int number;
    void (*wanted)(int);
} signals[] = {{SIGCHLD, SIG_DFL}, {SIGXFSZ, SIG_IGN}};
#define SIGNALS (sizeof signals / sizeof *signals)

static struct sigaction before[SIGNALS];

void inherited_take(void) {
    /* A closed stream's number would go to the next file opened. Writing to the stand-in fails as
     * before, so that the failure is reported; exec closes the stand-ins again. */
    for (int fd = 0; fd < 3; fd++)
        if (fcntl(fd, F_GETFD) < 0 &&
            open("/dev/null", (fd == STDIN_FILENO ? O_RDWR : O_RDONLY) | O_CLOEXEC) != fd)
            return;
    for (size_t i = 0; i < SIGNALS; i++) {
        struct sigaction act = {.sa_handler = signals[i].wanted};
        sigaction(signals[i].number, &act, &before[i]);
    }
}

void inherited_give_back(void) {
    for (size_t i = 0; i < SIGNALS; i++)
        sigaction(signals[i].number, &before[i], NULL);
}
