/* escape.c - a state machine fed one character at a time; a table turns the bytes of a complete
 * sequence into a key. A long time between two characters ends a sequence. */
#include "terminal/escape.h"

#include <string.h>

#define TORN 200000000ull /* nanoseconds: a slow line may tear a sequence for that long */

enum { NOT_IN, AFTER_ESC, ALONE, CSI, CONSOLE, SS3, STRING, STRING_ESC, SKIP };

static const struct {
    const char *bytes; /* after the introducer, parameters and last byte */
    Key key;
} known[] = {
    {"A", K_UP},
    {"B", K_DOWN},
    {"C", K_RIGHT},
    {"D", K_LEFT},
    {"H", K_HOME},
    {"F", K_END},
    {"1~", K_HOME},
    {"7~", K_HOME},
    {"4~", K_END},
    {"8~", K_END},
    {"3~", K_DELETE},
    {"5~", K_PAGE_UP},
    {"6~", K_PAGE_DOWN},
    {"Z", K_BACK_TAB},
    {"P", K_F1},
    {"1;2D", K_SHIFT_LEFT},
    {"1;2C", K_SHIFT_RIGHT},
    {"d", K_SHIFT_LEFT},
    {"c", K_SHIFT_RIGHT},
    {"11~", K_F1},
    {"M", K_ENTER}, /* SS3 M: enter of the keypad */
};

void escape_begin(Escape *escape, uint64_t now) {
    *escape = (Escape){.phase = AFTER_ESC, .last = now};
}

bool escape_alone(Escape *escape) {
    if (escape->phase != AFTER_ESC) return false;
    escape->phase = ALONE;
    return true;
}

bool escape_open(const Escape *escape) {
    return escape->phase != NOT_IN && escape->phase != ALONE;
}

static Key key_of(const Escape *escape, bool ss3) {
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        bool enter = known[i].key == K_ENTER, f1 = strcmp(known[i].bytes, "P") == 0;
        if (strcmp(known[i].bytes, escape->bytes) == 0 && (ss3 || !(enter || f1)))
            return known[i].key;
    }
    return K_NONE;
}

static void keep(Escape *escape, uint32_t c) {
    if (escape->used + 1u < ESCAPE_BYTES) escape->bytes[escape->used++] = (char)c;
}

static EscapeFed done(Escape *escape, Key *key, Key what) {
    escape->phase = NOT_IN;
    *key = what;
    return ESCAPE_DONE;
}

static EscapeFed after_esc(Escape *escape, uint32_t c) {
    switch (c) {
    case '[':
        escape->phase = CSI;
        return ESCAPE_MORE;
    case 'O':
        escape->phase = SS3;
        return ESCAPE_MORE;
    case ']':
    case 'P':
        escape->phase = STRING;
        return ESCAPE_MORE;
    default: /* two keys in one read, where the display was busy or the line is slow */
        escape->phase = NOT_IN;
        return ESCAPE_KEY;
    }
}

static EscapeFed in_csi(Escape *escape, uint32_t c, Key *key) {
    if (c == '[' && escape->used == 0) { /* the Linux console's F1 to F5 */
        escape->phase = CONSOLE;
        return ESCAPE_MORE;
    }
    keep(escape, c);
    if (c >= 0x20 && c < 0x40) return ESCAPE_MORE;
    if (c == 'M' && escape->used == 1) { /* a mouse report of the old kind: three more bytes */
        escape->phase = SKIP;
        escape->skip = 3;
        return ESCAPE_MORE;
    }
    return done(escape, key, key_of(escape, false));
}

static bool is_outside(const Escape *escape, uint32_t c, uint64_t now) {
    switch (escape->phase) {
    case NOT_IN:
        return true;
    case ALONE:
        return now - escape->last > TORN || (c != '[' && c != 'O');
    case SKIP:
    case STRING:
    case STRING_ESC:
        return now - escape->last > TORN;
    case AFTER_ESC:
        return false;
    default:
        return now - escape->last > TORN || c > 0x7e;
    }
}

EscapeFed escape_feed(Escape *escape, uint32_t c, uint64_t now, Key *key) {
    *key = K_NONE;
    if (is_outside(escape, c, now)) {
        escape->phase = NOT_IN;
        return ESCAPE_OUTSIDE;
    }
    escape->last = now;
    switch (escape->phase) {
    case AFTER_ESC:
    case ALONE:
        return after_esc(escape, c);
    case CSI:
        return in_csi(escape, c, key);
    case CONSOLE:
        return done(escape, key, c == 'A' ? K_F1 : K_NONE);
    case SS3:
        keep(escape, c);
        if (c >= '0' && c <= '9') return ESCAPE_MORE; /* with a modifier */
        return done(escape, key, key_of(escape, true));
    case STRING:
        if (c == 27) escape->phase = STRING_ESC;
        return c == 7 ? done(escape, key, K_NONE) : ESCAPE_MORE;
    case STRING_ESC:
        escape->phase = STRING;
        return c == '\\' ? done(escape, key, K_NONE) : ESCAPE_MORE;
    default:
        return --escape->skip == 0 ? done(escape, key, K_NONE) : ESCAPE_MORE;
    }
}
