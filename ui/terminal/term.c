/* term.c - takes the terminal with ncurses (opens a screen, sets colours and modes), leaves it for
 * a while, and gives it back. A job in the background restores only settings that are still
 * ours. */
#include "terminal/term.h"

#include <curses.h>
#include <langinfo.h>
#include <locale.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

#include "pty/tty.h"
#include "terminal/term_impl.h"

/* Opens it by what this command itself knows of the terminal. newterm() reads the environment. */
static SCREEN *open_by_entry(const char *name, FILE *out, FILE *in) {
    const TermEntry *e = term_entries;
    while (e->name && strcmp(e->name, name) != 0)
        e++;
    if (!e->name) return NULL;
    const char *value = getenv("TERMINFO");
    char *before = value ? strdup(value) : NULL;
    setenv("TERMINFO", e->entry, 1);
    SCREEN *screen = newterm(name, out, in);
    if (before)
        setenv("TERMINFO", before, 1);
    else
        unsetenv("TERMINFO");
    free(before);
    return screen;
}

/* For a terminal of unknown name, takes the most similar known one, finally a plain one. */
static SCREEN *open_screen(FILE *out, FILE *in) {
    const char *name = getenv("TERM");
    const char *try[5] = {name && *name ? name : NULL};
    int n = 1;
    if (name && strstr(name, "256color")) try[n++] = "xterm-256color";
    try[n++] = "xterm";
    try[n++] = "vt100";
    for (int i = 0; i < n; i++) {
        if (!try[i]) continue;
        /* newterm() itself reads some things from the environment */
        if (i > 0) setenv("TERM", try[i], 1);
        SCREEN *screen = newterm(try[i], out, in);
        if (!screen) screen = open_by_entry(try[i], out, in);
        if (i > 0 && name) setenv("TERM", name, 1);
        if (screen) return screen;
    }
    return NULL;
}

void term_choose_theme(Term *term, const char *theme) {
    const char *wanted = getenv("LMP_THEME");
    term->theme = theme_choose(term->pairs_most > 0 ? COLORS : 0, getenv("NO_COLOR"),
                               wanted ? wanted : theme, getenv("COLORFGBG"));
}

static void set_up_colours(Term *term, const char *theme) {
    if (has_colors() && start_color() == OK) {
        use_default_colors();
        term->pairs_most = COLOR_PAIRS < 32767 ? COLOR_PAIRS : 32767;
    }
    term_choose_theme(term, theme);
    static const int number[THEME_MODES] = {
        [THEME_MONO] = 0, [THEME_8] = 8, [THEME_16] = 16, [THEME_256] = 256};
    term->colours = number[term->theme.mode];
}

static void set_up_modes(Term *term) {
    raw(); /* deliver ctrl-C and ctrl-Z as keys */
    noecho();
    nonl(); /* deliver enter as carriage return */
    curs_set(0);
    scrollok(stdscr, FALSE);
    leaveok(stdscr, TRUE);
    set_escdelay(25);
    keypad(term->keys, TRUE);
    nodelay(term->keys, TRUE);
    meta(term->keys, TRUE);
    mouseinterval(0);
}

static Term *give_up(Term *term, const char **problem, const char *why) {
    *problem = why;
    if (term->in) fclose(term->in);
    if (term->out) fclose(term->out);
    free(term->pair);
    canvas_free(term->shown);
    free(term);
    return NULL;
}

/* Returns false if the locale has no UTF-8, and on the Linux console, whose fonts lack blocks and
 * braille. */
static bool wants_utf8(const char *name) {
    const char *codeset = nl_langinfo(CODESET), *ascii = getenv("LMP_ASCII");
    if (ascii && *ascii) return false;
    if (name && strcmp(name, "linux") == 0) return false;
    return strcmp(codeset, "UTF-8") == 0 || strcmp(codeset, "utf8") == 0;
}

static FILE *open_stream(int fd, const char *mode) {
    int copy = dup(fd);
    FILE *stream = copy >= 0 ? fdopen(copy, mode) : NULL;
    if (!stream && copy >= 0) close(copy);
    return stream;
}

Term *term_open(int fd, const char *theme, const char **problem) {
    Term *term = calloc(1, sizeof *term);
    *problem = "no memory for the display";
    if (!term) return NULL;
    term->fd = fd;
    if (tcgetattr(fd, &term->modes) != 0) {
        return give_up(term, problem, "there is no terminal to show the display in");
    }
    term->pair = calloc(GROUNDS * GROUNDS, sizeof *term->pair);
    term->shown = canvas_new(1, 1, true);
    term->in = open_stream(fd, "r");
    term->out = open_stream(fd, "w");
    if (!term->pair || !term->shown || !term->in || !term->out) {
        return give_up(term, problem, "no memory for the display");
    }
    setlocale(LC_CTYPE, "");
    const char *name = getenv("TERM");
    term->utf8 = wants_utf8(name);
    if (name && strcmp(name, "dumb") == 0) {
        return give_up(term, problem, "the terminal cannot show a display (TERM is \"dumb\")");
    }
    rescue_watch();
    term->screen = open_screen(term->out, term->in);
    if (!term->screen) {
        rescue_disarm();
        return give_up(term, problem,
                       "the terminal cannot show a display (set TERM to what it is)");
    }
    set_term(term->screen);
    rescue_arm(fd, &term->modes);
    term->keys = newpad(1, 1);
    if (!term->keys) {
        rescue_disarm();
        endwin();
        delscreen(term->screen);
        return give_up(term, problem, "no memory for the display");
    }
    set_up_colours(term, theme);
    set_up_modes(term);
    atomic_store(&term->taken.during_known, tcgetattr(fd, &term->taken.during) == 0);
    term->redraw = true;
    return term;
}

/* Clears the display's screen before leaving it: a terminal multiplexer that has been widened
 * meanwhile would take its contents for lines of the shell. A terminal without a second screen
 * keeps the last picture. */
static void leave_screen(void) {
    char name[] = "smcup";
    const char *other = tigetstr(name);
    if (other && other != (char *)-1) {
        werase(stdscr);
        wrefresh(stdscr);
    }
    endwin();
}

/* If another job has the terminal now, keep that job's settings, but undo any that are still ours.
 * The caller blocks the signals that would stop a background job. */
static void end_in_background(Term *term) {
    tty_restore_mode(term->fd, &term->taken);
    def_shell_mode(); /* so that endwin() changes nothing */
    term_mouse(term, false);
    if (!term->away) endwin();
}

void term_close(Term *term) {
    if (!term) return;
    sigset_t stop, mask;
    sigemptyset(&stop);
    sigaddset(&stop, SIGTTOU);
    term->taken.before = term->modes;
    atomic_store(&term->taken.before_known, true);
    bool ours = tty_is_ours(term->fd) || tcgetpgrp(term->fd) < 0; /* < 0: no job's */
    if (ours) {
        term_mouse(term, false);
        if (!term->away) leave_screen();
        tcsetattr(term->fd, TCSADRAIN, &term->modes);
    }
    sigprocmask(SIG_BLOCK, &stop, &mask);
    if (!ours) end_in_background(term);
    tty_restore_mode(term->fd, &term->taken); /* lost in the meantime */
    sigprocmask(SIG_SETMASK, &mask, NULL);
    rescue_disarm();
    delwin(term->keys);
    delscreen(term->screen);
    fclose(term->in);
    fclose(term->out);
    free(term->pair);
    canvas_free(term->shown);
    free(term);
}

void term_leave(Term *term) {
    if (term->away) return;
    bool mouse = term->mouse;
    term_mouse(term, false);
    term->mouse = mouse; /* to restore it on return */
    leave_screen();
    tcsetattr(term->fd, TCSADRAIN, &term->modes);
    term->away = true;
}

void term_return(Term *term) {
    bool mouse = term->mouse;
    /* the shell may have changed the modes; these are what we restore at the end */
    if (term->away) tcgetattr(term->fd, &term->modes);
    rescue_set_modes(&term->modes);
    term->away = false;
    reset_prog_mode();
    set_up_modes(term);
    term->mouse = false;
    term_mouse(term, mouse);
    term_redraw(term);
}

bool term_utf8(const Term *term) {
    return term->utf8;
}

int term_colours(const Term *term) {
    return term->colours;
}

const Theme *term_theme(const Term *term) {
    return &term->theme;
}

void term_size(Term *term, int *w, int *h) {
    struct winsize size;
    if (ioctl(term->fd, TIOCGWINSZ, &size) == 0 && size.ws_row > 0 && size.ws_col > 0) {
        *w = size.ws_col;
        *h = size.ws_row;
    } else {
        *w = COLS > 0 ? COLS : 80;
        *h = LINES > 0 ? LINES : 24;
    }
    if (*w > 1000) *w = 1000;
    if (*h > 1000) *h = 1000;
}
