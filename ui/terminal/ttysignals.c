/* ttysignals.c - handlers set a flag for each signal, which the functions read and clear. A stop is
 * done by raising SIGTSTP again with its default handler. */
#include "terminal/ttysignals.h"

#include <stddef.h>

static volatile sig_atomic_t seen_resize, seen_stop, seen_cont;

static void on_signal(int number) {
    if (number == SIGWINCH) seen_resize = 1;
    if (number == SIGTSTP) seen_stop = 1;
    if (number == SIGCONT) seen_cont = 1;
}

static const int watched[TTYSIGNALS] = {SIGWINCH, SIGTSTP, SIGCONT};

void ttysignals_take(TtySignals *signals) {
    struct sigaction act = {.sa_handler = on_signal};
    sigset_t block;
    sigemptyset(&act.sa_mask);
    sigemptyset(&block);
    seen_resize = seen_stop = seen_cont = 0;
    for (size_t i = 0; i < TTYSIGNALS; i++) {
        sigaddset(&block, watched[i]);
        sigaction(watched[i], &act, &signals->old[i]);
    }
    struct sigaction ignore = {.sa_handler = SIG_IGN};
    sigaction(SIGPIPE, &ignore, &signals->old_pipe);
    sigprocmask(SIG_BLOCK, &block, &signals->mask);
}

void ttysignals_give_back(const TtySignals *signals) {
    for (size_t i = 0; i < TTYSIGNALS; i++)
        sigaction(watched[i], &signals->old[i], NULL);
    sigaction(SIGPIPE, &signals->old_pipe, NULL);
    sigprocmask(SIG_SETMASK, &signals->mask, NULL);
}

static bool take(volatile sig_atomic_t *seen) {
    bool was = *seen != 0;
    *seen = 0;
    return was;
}

bool ttysignals_resized(void) {
    return take(&seen_resize);
}

bool ttysignals_continued(void) {
    return take(&seen_cont);
}

bool ttysignals_wants_stop(void) {
    return seen_stop != 0;
}

void ttysignals_forget_stops(void) {
    seen_stop = seen_cont = 0;
}

void ttysignals_stop(bool group) {
    struct sigaction normal = {.sa_handler = SIG_DFL}, old;
    sigset_t open, mask;
    sigemptyset(&open);
    sigaddset(&open, SIGTSTP);
    sigaction(SIGTSTP, &normal, &old);
    if (group) {
        kill(0, SIGTSTP);
    } else {
        raise(SIGTSTP);
    }
    sigprocmask(SIG_UNBLOCK, &open, &mask); /* the process stops here */
    sigprocmask(SIG_SETMASK, &mask, NULL);
    sigaction(SIGTSTP, &old, NULL);
}
