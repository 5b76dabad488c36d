/* escape.h - escape sequences that the terminal's description does not have: the usual ones of keys
 * become keys, all others nothing, to their last byte. Without that their letters and digits would
 * be keys of their own. As ECMA-48 (5.4: control sequences) and xterm's list of them say. */
#ifndef LMP_ESCAPE_H
#define LMP_ESCAPE_H

#include <stdint.h>

#include "screen/action.h"

enum { ESCAPE_BYTES = 16 };

typedef struct Escape {
    unsigned char phase;      /* private */
    unsigned char used, skip; /* private */
    char bytes[ESCAPE_BYTES]; /* private: between the introducer and the last byte */
    uint64_t last;            /* private: nanoseconds, when the last one came */
} Escape;

typedef enum EscapeFed {
    ESCAPE_OUTSIDE, /* not of a sequence: it is what it is */
    ESCAPE_KEY,     /* no sequence either: the ESC was a key by itself, the character is outside */
    ESCAPE_MORE,    /* taken; there is more to come */
    ESCAPE_DONE,    /* taken, the last one: *key is what it was, K_NONE: nothing of ours */
} EscapeFed;

/* After an ESC: a sequence may have begun. */
void escape_begin(Escape *escape, uint64_t now);
/* Is one on its way? */
bool escape_open(const Escape *escape);
/* Nothing more is there to be read. True: an ESC was the last, so it is the key. (The rest of a
 * sequence that a slow line tore there is still taken.) */
bool escape_alone(Escape *escape);
/* The next character. One that comes long after the one before it is outside (a sequence comes in
 * one piece). `now`: nanoseconds. */
EscapeFed escape_feed(Escape *escape, uint32_t character, uint64_t now, Key *key);

#endif
