/* term.c - the terminal through wide ncurses, see term.h. */
#include "viewer/term.h"

#include <curses.h>
#include <errno.h>
#include <langinfo.h>
#include <locale.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <term.h>
#include <termios.h>
#include <unistd.h>
#include <wchar.h>

#include "base/os.h"
#include "pty/ttyrestore.h"

#define GROUNDS 258 /* colours 0 .. 255, the terminal's own as -1, and one spare */
#define DOUBLE_CLICK 400000000ull

struct Term {
    int fd;
    FILE *in, *out;
    SCREEN *screen;
    WINDOW *keys; /* a pad: reading keys from it never repaints the screen */
    struct termios modes;
    TtyTaken taken; /* the same, and ours */
    bool utf8, mouse, away, redraw;
    Theme theme;
    int colours;
    Canvas *shown;  /* what the terminal has */
    uint16_t *pair; /* of a foreground and a ground, 0: not made yet */
    int pairs, pairs_most;
    uint64_t click_time;
    int click_x, click_y;
};

/* ---- the way out in an emergency ------------------------------------------------------------- */

/* What a signal handler needs to give the terminal back: set before the screen is taken. */
static struct {
    volatile sig_atomic_t armed;
    pid_t pid; /* not in a forked child */
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
    raise(number); /* as if we had not been here */
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

/* Takes the deadly signals, before ncurses would. */
static void rescue_watch(void) {
    rescue.armed = 0;
    struct sigaction act = {.sa_handler = on_deadly};
    sigemptyset(&act.sa_mask);
    for (size_t i = 0; i < DEADLY; i++) {
        sigaction(deadly[i], NULL, &before[i]);
        if (before[i].sa_handler != SIG_IGN) sigaction(deadly[i], &act, NULL);
    }
}

static void rescue_arm(const Term *term) {
    static bool at_exit;
    rescue.fd = term->fd;
    rescue.pid = getpid();
    rescue.modes = term->modes;
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

static void rescue_disarm(void) {
    rescue.armed = 0;
    for (size_t i = 0; i < DEADLY; i++)
        sigaction(deadly[i], &before[i], NULL);
}

/* ---- opening and closing --------------------------------------------------------------------- */

/* A terminal of an unknown name gets the most alike that is known, in the end a plain one. */
static SCREEN *open_screen(FILE *out, FILE *in) {
    const char *name = getenv("TERM");
    const char *try[5] = {name && *name ? name : NULL};
    int n = 1;
    if (name && strstr(name, "256color")) try[n++] = "xterm-256color";
    try[n++] = "xterm";
    try[n++] = "vt100";
    for (int i = 0; i < n; i++) {
        if (!try[i]) continue;
        /* newterm() reads some things from the environment by itself */
        if (i > 0) setenv("TERM", try[i], 1);
        SCREEN *screen = newterm(try[i], out, in);
        if (i > 0 && name) setenv("TERM", name, 1);
        if (screen) return screen;
    }
    return NULL;
}

static void set_up_colours(Term *term) {
    int colours = 0;
    if (has_colors() && start_color() == OK) {
        use_default_colors();
        colours = COLORS;
        term->pairs_most = COLOR_PAIRS < 32767 ? COLOR_PAIRS : 32767;
    }
    term->theme =
        theme_choose(colours, getenv("NO_COLOR"), getenv("LMP_THEME"), getenv("COLORFGBG"));
    static const int number[THEME_MODES] = {
        [THEME_MONO] = 0, [THEME_8] = 8, [THEME_16] = 16, [THEME_256] = 256};
    term->colours = number[term->theme.mode];
}

static void set_up_modes(Term *term) {
    raw(); /* ctrl-C and ctrl-Z come as keys */
    noecho();
    nonl(); /* enter comes as carriage return */
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

/* Blocks and braille, or letters? The fonts of the Linux console have not got them. */
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

Term *term_open(int fd, const char **problem) {
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
    rescue_arm(term);
    term->keys = newpad(1, 1);
    if (!term->keys) {
        rescue_disarm();
        endwin();
        delscreen(term->screen);
        return give_up(term, problem, "no memory for the display");
    }
    set_up_colours(term);
    set_up_modes(term);
    atomic_store(&term->taken.during_known, tcgetattr(fd, &term->taken.during) == 0);
    term->redraw = true;
    return term;
}

/* When another job has the terminal, its settings stay; those that are still the display's go. What
 * would stop a job in the background is blocked by the caller. */
static void end_in_background(Term *term) {
    tty_restore_mode(term->fd, &term->taken);
    def_shell_mode(); /* for endwin() to change nothing */
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
    bool ours = tty_is_ours(term->fd) || tcgetpgrp(term->fd) < 0; /* < 0: nobody's */
    if (ours) {
        term_mouse(term, false);
        if (!term->away) endwin();
        tcsetattr(term->fd, TCSADRAIN, &term->modes);
    }
    sigprocmask(SIG_BLOCK, &stop, &mask);
    if (!ours) end_in_background(term);
    tty_restore_mode(term->fd, &term->taken); /* lost meanwhile */
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
    term->mouse = mouse; /* to come back with it */
    endwin();
    tcsetattr(term->fd, TCSADRAIN, &term->modes);
    term->away = true;
}

void term_return(Term *term) {
    bool mouse = term->mouse;
    /* the shell may have changed the modes; they are what we give back in the end */
    if (term->away) tcgetattr(term->fd, &term->modes);
    rescue.modes = term->modes;
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

/* ---- output ---------------------------------------------------------------------------------- */

/* Number of the colour as this terminal has it: with direct colour it is the colour itself. */
static int terminal_colour(int colour) {
    if (colour < 0 || COLORS <= 256 || colour < 8) return colour;
    return (int)theme_rgb(colour);
}

static int pair_of(Term *term, int fg, int bg) {
    if (fg < 0 && bg < 0) return 0;
    uint16_t *pair = &term->pair[(fg + 1) * GROUNDS + bg + 1];
    if (*pair == 0) {
        if (term->pairs + 1 >= term->pairs_most) { /* no more: better no ground than no figure */
            return bg >= 0 && fg >= 0 ? pair_of(term, fg, -1) : 0;
        }
        int next = term->pairs + 1;
        if (init_extended_pair(next, terminal_colour(fg), terminal_colour(bg)) != OK) return 0;
        term->pairs = next;
        *pair = (uint16_t)next;
    }
    return *pair;
}

static void put_cell(Term *term, int x, int y, const Cell *cell) {
    Look look = theme_look(&term->theme, cell->style);
    int pair = pair_of(term, look.fg, look.bg);
    attr_t attr = 0;
    if (look.attr & ATTR_BOLD) attr |= A_BOLD;
    if (look.attr & ATTR_DIM) attr |= A_DIM;
    if (look.attr & ATTR_UNDERLINE) attr |= A_UNDERLINE;
    if (look.attr & ATTR_REVERSE) attr |= A_REVERSE;
    wchar_t text[2] = {(wchar_t)cell->glyph, 0};
    /* where the C library thinks otherwise of a character's width, the line would shift */
    if (cell->glyph > 0x7e &&
        (!term->utf8 || wcwidth(text[0]) != canvas_glyph_width(cell->glyph))) {
        text[0] = '?';
    }
    cchar_t out;
    setcchar(&out, text, attr, 0, &pair);
    mvadd_wch(y, x, &out);
}

void term_redraw(Term *term) {
    term->redraw = true;
}

void term_show(Term *term, const Canvas *canvas) {
    if (term->away) return;
    if (LINES != canvas->h || COLS != canvas->w) {
        resizeterm(canvas->h, canvas->w);
        term->redraw = true;
    }
    Canvas *shown = term->shown;
    if (shown->w != canvas->w || shown->h != canvas->h) {
        if (!canvas_resize(shown, canvas->w, canvas->h)) return;
        term->redraw = true;
    }
    size_t n = (size_t)canvas->w * (size_t)canvas->h;
    bool all = term->redraw, any = all;
    if (all) {
        werase(stdscr);
        clearok(curscr, TRUE);
    }
    for (size_t i = 0; i < n; i++) {
        const Cell *cell = &canvas->cells[i];
        bool same = cell->glyph == shown->cells[i].glyph && cell->style == shown->cells[i].style;
        if (same && !all) continue;
        any = true;
        if (cell->glyph == 0) continue; /* comes with its left half */
        int w = canvas->w;
        put_cell(term, (int)(i % (size_t)w), (int)(i / (size_t)w), cell);
    }
    term->redraw = false;
    if (!any) return;
    memcpy(shown->cells, canvas->cells, n * sizeof *shown->cells);
    wnoutrefresh(stdscr);
    doupdate();
    fflush(term->out);
}

/* ---- input ----------------------------------------------------------------------------------- */

static const struct {
    int curses;
    Key key;
} key_names[] = {
    {KEY_UP, K_UP},         {KEY_DOWN, K_DOWN},
    {KEY_LEFT, K_LEFT},     {KEY_RIGHT, K_RIGHT},
    {KEY_PPAGE, K_PAGE_UP}, {KEY_NPAGE, K_PAGE_DOWN},
    {KEY_HOME, K_HOME},     {KEY_END, K_END},
    {KEY_DC, K_DELETE},     {KEY_BTAB, K_BACK_TAB},
    {KEY_F(1), K_F1},       {KEY_RESIZE, K_RESIZE},
    {KEY_ENTER, K_ENTER},   {KEY_BACKSPACE, K_BACKSPACE},
};

static bool read_mouse(Term *term, TermMouse *mouse) {
    MEVENT event;
    if (getmouse(&event) != OK) return false;
    mouse->x = event.x;
    mouse->y = event.y;
    if (event.bstate & BUTTON4_PRESSED) {
        mouse->what = MOUSE_WHEEL_UP;
    } else if (event.bstate & BUTTON5_PRESSED) {
        mouse->what = MOUSE_WHEEL_DOWN;
    } else if (event.bstate & (BUTTON1_PRESSED | BUTTON1_CLICKED)) {
        uint64_t now = lmp_os->clock();
        bool twice = now - term->click_time < DOUBLE_CLICK && event.x == term->click_x &&
                     event.y == term->click_y;
        term->click_time = twice ? 0 : now;
        term->click_x = event.x;
        term->click_y = event.y;
        mouse->what = twice ? MOUSE_DOUBLE : MOUSE_CLICK;
    } else {
        return false;
    }
    return true;
}

Key term_key(Term *term, TermMouse *mouse) {
    if (term->away) return K_NONE;
    for (;;) {
        wint_t wide = 0;
        int what = wget_wch(term->keys, &wide);
        if (what == ERR) return K_NONE;
        if (what == OK) return (Key)wide;
        if (wide == KEY_MOUSE) {
            if (read_mouse(term, mouse)) return K_MOUSE;
            continue;
        }
        for (size_t i = 0; i < sizeof key_names / sizeof *key_names; i++) {
            if (key_names[i].curses == (int)wide) return key_names[i].key;
        }
    }
}

void term_mouse(Term *term, bool on) {
    if (term->mouse == on) return;
    mousemask(on ? BUTTON1_PRESSED | BUTTON4_PRESSED | BUTTON5_PRESSED : 0, NULL);
    term->mouse = on;
}
