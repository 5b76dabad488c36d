/* stripped.h - functions whose debug information was taken away (string.dump(f, true), luac -s):
 * they all have the source "=?" and no lines. Their code tells them apart. */
#ifndef LMP_STRIPPED_H
#define LMP_STRIPPED_H

#include <lua.h>
#include <stdbool.h>
#include <stdint.h>

enum { LMP_STRIPPED_NAME = 12 };

/* Returns true if `ar` ("S") has the source of a stripped function. */
static inline bool stripped_is(const lua_Debug *ar) {
    return ar->srclen == 2 && ar->source[0] == '=' && ar->source[1] == '?';
}

/* Gives it a source of its own, "=?#" and a number made of its code and the lines where it was
 * defined: the same in every run, and for the same code loaded again. `out` is to last as long as
 * `ar`. `proto`: the function's prototype, laid out as frames.h says. */
void stripped_name(const void *proto, lua_Debug *ar, char out[LMP_STRIPPED_NAME]);

/* Returns true if the prototype itself says what `ar` ("S") says of its function. Only then may the
 * following ones be called: they read fields that nothing else has verified. */
bool stripped_agrees(const void *proto, const lua_Debug *ar);
/* Returns true if the prototype has no source and no lines. */
bool stripped_looks(const void *proto);
/* Returns the hash of which stripped_name makes the name. */
uint64_t stripped_hash(const void *proto);

#endif
