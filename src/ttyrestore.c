/* ttyrestore.c - see ttyrestore.h. */
#include "ttyrestore.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "ptydrain.h"

bool tty_same_mode(const struct termios *a, const struct termios *b) {
    return a->c_iflag == b->c_iflag && a->c_oflag == b->c_oflag && a->c_cflag == b->c_cflag &&
           a->c_lflag == b->c_lflag && memcmp(a->c_cc, b->c_cc, sizeof a->c_cc) == 0;
}

bool tty_is_ours(int tty) {
    return tcgetpgrp(tty) == getpgrp();
}

/* Terminals ignore what they do not know. */
void tty_leave_screen(int tty) {
    static const char leave[] = "\033[?1000l\033[?1002l\033[?1003l\033[?1006l" /* mouse */
                                "\033[?2004l"                                  /* pasting */
                                "\033(B\017\033[0m"       /* letters, colours */
                                "\033[?1049l"             /* other screen */
                                "\033[?25h\033[?1l\033>"; /* cursor, keys */
    const char *term = getenv("TERM");
    if (!term || !*term || strcmp(term, "dumb") == 0) return;
    write_all(tty, leave, sizeof leave - 1);
}
