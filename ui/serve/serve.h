/* serve.h - `lmp serve`: a program's figures over HTTP, until the program ends or somebody ends the
 * command. It reads the program's shared state, as the display does; the program pays nothing. */
#ifndef LMP_SERVE_H
#define LMP_SERVE_H

#include <stdbool.h>

#include "read/view.h"
#include "serve/address.h"

typedef struct ServeWish {
    LmpView *view;
    Address address;
    bool control;           /* requests are served, by who has the token */
    const char *token_file; /* NULL: a token is made */
} ServeWish;

/* Says where it listens, and at the end how the program is. Returns the exit status. */
int serve_run(const ServeWish *wish);

#endif
