/* control.h - what `lmp serve --control` lets a browser do to the program, and the token that it
 * must send: without it all is read-only. A pause ends with this process: the program looks whether
 * who asked for it is there. */
#ifndef LMP_SERVE_CONTROL_H
#define LMP_SERVE_CONTROL_H

#include <stdbool.h>

#include "read/view.h"

/* Makes a token, or reads it: the first line of a file that only its owner may read. `file` NULL:
 * one is made. Returns NULL, or what is wrong, safe to print, valid until the next call. */
const char *control_begin(LmpView *view, const char *file);

/* Returns the token; "": nothing can be done. */
const char *control_token(void);

/* What becomes of a request. */
typedef enum ControlEnd { CONTROL_DONE, CONTROL_OFF, CONTROL_NO_TOKEN, CONTROL_UNKNOWN } ControlEnd;

/* Does what is called `name`, if `authorization`, the field of that name (NULL: none), has the
 * token. How long that takes says nothing of the token. */
ControlEnd control_do(const char *name, const char *authorization);

#endif
