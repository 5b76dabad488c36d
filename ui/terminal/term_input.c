/* term_input.c - turns ncurses' keys and mouse into our events. */
#include "base/os.h"
#include "terminal/term_impl.h"

#define DOUBLE_CLICK 400000000ull /* nanoseconds */

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

static Key key_of(int name) {
    for (size_t i = 0; i < sizeof key_names / sizeof *key_names; i++) {
        if (key_names[i].curses == name) return key_names[i].key;
    }
    return K_NONE;
}

static bool tell_mouse(Term *term, MEVENT event, MouseEvent *mouse) {
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
    } else if (event.bstate & BUTTON1_RELEASED) {
        mouse->what = MOUSE_RELEASE;
    } else {
        return false;
    }
    return true;
}

/* A character: a key, or part of a sequence that ncurses does not know (K_NONE until it is
 * complete). */
static Key take_character(Term *term, uint32_t character) {
    Key key = K_NONE;
    uint64_t now = lmp_os->clock();
    EscapeFed fed = escape_feed(&term->escape, character, now, &key);
    if (fed == ESCAPE_KEY) {
        unget_wch((wchar_t)character);
        return K_ESC;
    }
    if (fed != ESCAPE_OUTSIDE) return key;
    if (character != K_ESC) return (Key)character;
    escape_begin(&term->escape, now);
    return K_NONE;
}

Event term_event(Term *term) {
    Event event = {K_NONE, {0}};
    while (!term->away) {
        if (term->runs > 0) {
            if (!tell_mouse(term, term->run[--term->runs], &event.mouse)) continue;
            event.key = K_MOUSE;
            return event;
        }
        wint_t wide = 0;
        int what = wget_wch(term->keys, &wide);
        if (what == ERR && escape_alone(&term->escape)) event.key = K_ESC;
        if (what == ERR) return event;
        if (what == OK) {
            event.key = take_character(term, (uint32_t)wide);
        } else if (escape_open(&term->escape)) {
            term->escape = (Escape){0}; /* alt and a named key */
        } else if (wide == KEY_MOUSE) {
            /* all of one read: ncurses reports the newest of a press and its release first */
            while (term->runs < MOUSE_RUN && getmouse(&term->run[term->runs]) == OK)
                term->runs++;
        } else {
            event.key = key_of((int)wide);
        }
        if (event.key != K_NONE) return event;
    }
    return event;
}

void term_mouse(Term *term, bool on) {
    if (term->mouse == on) return;
    mousemask(on ? BUTTON1_PRESSED | BUTTON1_RELEASED | BUTTON4_PRESSED | BUTTON5_PRESSED : 0,
              NULL);
    term->mouse = on;
}
