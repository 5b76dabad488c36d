/* escape.h - escape sequences that the terminal's description lacks, as ECMA-48 (5.4: control
 * sequences) and xterm's list define them: those of usual keys become keys, all others are
 * swallowed to their last byte, so that their letters and digits are not taken for keys. */
#ifndef LMP_ESCAPE_H
#define LMP_ESCAPE_H

#include <stdint.h>

#include "screen/action.h"

enum { ESCAPE_BYTES = 16 };

typedef struct Escape {
    unsigned char phase;      /* private */
    unsigned char used, skip; /* private */
    char bytes[ESCAPE_BYTES]; /* private: between the introducer and the last byte */
    uint64_t last;            /* private: nanoseconds, when the last character came */
} Escape;

typedef enum EscapeFed {
    ESCAPE_OUTSIDE, /* not part of a sequence */
    ESCAPE_KEY,     /* no sequence: the ESC was a key by itself, and the character is outside */
    ESCAPE_MORE,    /* taken; there is more to come */
    ESCAPE_DONE,    /* taken, the last one: *key is the key, K_NONE: none that we use */
} EscapeFed;

/* Begins a sequence after an ESC, which may also be the key. */
void escape_begin(Escape *escape, uint64_t now);
/* Returns true while a sequence is incomplete. */
bool escape_open(const Escape *escape);
/* Call when there is no more input. Returns true if an ESC was the last character, so it is the
 * key. (The rest of a sequence that a slow line tore there is still taken.) */
bool escape_alone(Escape *escape);
/* Takes the next character. One that comes long after the one before it is outside (a sequence
 * comes in one piece). `now`: nanoseconds. */
EscapeFed escape_feed(Escape *escape, uint32_t character, uint64_t now, Key *key);

#endif
