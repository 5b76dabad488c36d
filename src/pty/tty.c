/* tty.c - sends the sequences that leave the other screen and put keys and mouse back, then
 * sets the mode from before, if the terminal is ours or still has a mode that a display has set. */
#include "pty/tty.h"
#include "base/io.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static bool tty_same_mode(const struct termios *a, const struct termios *b) {
    return a->c_iflag == b->c_iflag && a->c_oflag == b->c_oflag && a->c_cflag == b->c_cflag &&
           a->c_lflag == b->c_lflag && memcmp(a->c_cc, b->c_cc, sizeof a->c_cc) == 0;
}

bool tty_is_ours(int tty) {
    return tcgetpgrp(tty) == getpgrp();
}

/* Terminals ignore what they do not know. */
static void tty_leave_screen(int tty) {
    static const char leave[] = "\033[?1000l\033[?1002l\033[?1003l\033[?1006l" /* mouse */
                                "\033[?2004l"                                  /* pasting */
                                "\033(B\017\033[0m"       /* letters, colours */
                                "\033[?1049l"             /* other screen */
                                "\033[?25h\033[?1l\033>"; /* cursor, keys */
    const char *term = getenv("TERM");
    if (!term || !*term || strcmp(term, "dumb") == 0) return;
    io_write_all(tty, leave, sizeof leave - 1);
}

/* A prompt that edits its line also reads keys one by one, but does not touch the output modes. */
static bool tty_looks_taken(const TtyTaken *taken, const struct termios *now) {
    if (atomic_load(&taken->during_known) && tty_same_mode(now, &taken->during)) return true;
    return atomic_load(&taken->before_known) && (taken->before.c_oflag & ONLCR) &&
           !(now->c_oflag & ONLCR) && !(now->c_lflag & ECHO);
}

void tty_restore_mode(int tty, const TtyTaken *taken) {
    struct termios now;
    if (!atomic_load(&taken->before_known) || tcgetattr(tty, &now) != 0 ||
        tty_same_mode(&now, &taken->before))
        return;
    if (tty_is_ours(tty) || tty_looks_taken(taken, &now)) tcsetattr(tty, TCSADRAIN, &taken->before);
}

/* An editor that the display had started may have died with the terminal in its hands. */
static void take_from_the_dead(int tty) {
    pid_t group = tcgetpgrp(tty);
    if (group > 0 && group != getpgrp() && kill(-group, 0) != 0 && errno == ESRCH)
        tcsetpgrp(tty, getpgrp());
}

/* This works even when no longer in the foreground: the signal that would stop us is blocked. */
void tty_put_right(int tty, TtyTaken *taken) {
    sigset_t stop, before;
    if (!atomic_load(&taken->taken)) return;
    sigemptyset(&stop);
    sigaddset(&stop, SIGTTOU);
    pthread_sigmask(SIG_BLOCK, &stop, &before);
    take_from_the_dead(tty);
    tty_leave_screen(tty);
    tty_restore_mode(tty, taken);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    atomic_store(&taken->taken, false);
}
