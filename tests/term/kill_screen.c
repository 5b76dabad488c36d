/* kill_screen.c - see kill_screen.h. */
#include "kill_screen.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

static void screen_put(Screen *s, char c) {
    if (s->used + 1 >= s->room) {
        s->room = s->room ? s->room * 2 : 1 << 16;
        s->text = realloc(s->text, s->room);
        if (!s->text) abort();
    }
    s->text[s->used++] = c;
    s->text[s->used] = 0;
}

/* "?1000;1006h" and the like. */
static void screen_mode(Screen *s, const char *what, bool on) {
    static const int mice[] = {1000, 1002, 1003, 1006};
    while (*what == '?' || *what == ';') {
        int mode = (int)strtol(what + 1, (char **)(uintptr_t)&what, 10);
        if (mode == 1049) s->alternate = on;
        if (mode == 1049) s->shown = true;
        if (mode == 25) s->hidden = !on;
        if (mode == 1) s->keys = on;
        for (unsigned i = 0; i < 4; i++)
            if (mode == mice[i]) s->mouse = on ? s->mouse | 1u << i : s->mouse & ~(1u << i);
    }
}

/* One byte of an escape sequence; false: it has ended. */
static bool screen_escape(Screen *s, char c) {
    if (s->escape_used + 1 >= sizeof s->escape) return false;
    s->escape[s->escape_used++] = c;
    s->escape[s->escape_used] = 0;
    if (s->escape_used == 1) return strchr("[()*+#%", c) != NULL;
    if (s->escape[0] != '[') return false;
    if ((c >= '0' && c <= '?') || (c >= ' ' && c <= '/')) return true;
    if (s->escape[1] == '?' && (c == 'h' || c == 'l')) screen_mode(s, s->escape + 1, c == 'h');
    return false;
}

void screen_feed(Screen *s, const char *bytes, size_t size) {
    for (size_t i = 0; i < size; i++) {
        char c = bytes[i];
        if (c == '\033') { /* also in the middle of another one */
            s->in_escape = true;
            s->escape_used = 0;
        } else if (s->in_escape) {
            s->in_escape = screen_escape(s, c);
        } else if (!s->alternate && (c == '\n' || (unsigned char)c >= ' ')) {
            screen_put(s, c);
        }
    }
}
