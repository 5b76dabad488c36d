/* fuzz_escape.c - what a terminal sends after an ESC: of any bytes, in any pieces, a sequence
 * becomes a key of ours or nothing, it ends where ECMA-48 ends it, and whatever came before, the
 * next key is understood. */
#include <stdlib.h>

#include "terminal/escape.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define LONG 1000000000ull /* nanoseconds: no sequence is torn for that long */

enum { PAUSE = 0xff, NOTHING_MORE = 0xfe }; /* bytes that no terminal sends in UTF-8 */

static void must(bool holds) {
    if (!holds) abort();
}

static bool is_key(Key key) {
    return key == K_NONE || key == K_ENTER || (key >= K_UP && key <= K_SHIFT_RIGHT);
}

/* A control sequence as ECMA-48 has it, after its '[': parameters, then the last byte. */
typedef struct Sequence {
    bool esc; /* an ESC was the last */
    bool in, plain;
    unsigned bytes; /* since the '[' */
} Sequence;

static void follow(Sequence *s, uint32_t c, EscapeFed fed, const Escape *escape) {
    if (!s->in) return;
    /* the Linux console and the old mouse have more after what would be the last byte */
    s->plain = s->plain && !(s->bytes == 0 && (c == '[' || c == 'M'));
    s->bytes++;
    if (!s->plain || c > 0x7e) {
        s->in = false;
    } else if (c >= 0x20 && c < 0x40) {
        must(fed == ESCAPE_MORE);
    } else {
        must(fed == ESCAPE_DONE && !escape_open(escape));
        s->in = false;
    }
}

static void feed(Escape *escape, Sequence *s, uint32_t c, uint64_t now) {
    if (!escape_open(escape) && c == K_ESC) {
        escape_begin(escape, now);
        must(escape_open(escape));
        *s = (Sequence){.esc = true};
        return;
    }
    bool after_esc = s->esc;
    s->esc = false;
    Key key = 'x';
    EscapeFed fed = escape_feed(escape, c, now, &key);
    must(is_key(key) && (fed == ESCAPE_DONE || key == K_NONE));
    must(escape_open(escape) == (fed == ESCAPE_MORE));
    follow(s, c, fed, escape);
    if (after_esc && c == '[') *s = (Sequence){.in = true, .plain = true};
}

static Key arrow(Escape *escape, uint64_t now) {
    Key key = K_NONE;
    escape_begin(escape, now);
    must(escape_feed(escape, '[', now, &key) == ESCAPE_MORE);
    must(escape_feed(escape, 'A', now, &key) == ESCAPE_DONE);
    return key;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    Escape escape = {0};
    Sequence sequence = {0};
    uint64_t now = LONG;
    Key key;
    for (size_t i = 0; i < size; i++) {
        if (data[i] == PAUSE) {
            now += LONG;
            sequence = (Sequence){0};
        } else if (data[i] == NOTHING_MORE) {
            if (escape_alone(&escape)) must(!escape_open(&escape));
            sequence = (Sequence){0};
        } else {
            feed(&escape, &sequence, data[i], now);
        }
    }
    /* long after, a letter is a letter, unless an ESC was the very last */
    Escape later = escape;
    EscapeFed fed = escape_feed(&later, 'q', now + LONG, &key);
    must(fed == ESCAPE_OUTSIDE || fed == ESCAPE_KEY);
    must(key == K_NONE && !escape_open(&later));
    must(arrow(&escape, now + LONG) == K_UP);
    return 0;
}
