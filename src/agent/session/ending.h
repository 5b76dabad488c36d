/* ending.h - the in-process part's output: the summary at the end, the handshake with `lmp run`;
 * and finding the command lmp. No Lua here. */
#ifndef LMP_ENDING_H
#define LMP_ENDING_H

#include <stddef.h>

#include "agent/session/options.h"
#include "base/err.h"

struct LmpProfile;

/* Keeps what the end will need of the options. */
void ending_prepare(struct LmpProfile *p, const LmpOptions *options);

/* Forgets, in a forked child, what is left for the end of the process: that is its parent's. */
void ending_forget(void);

/* Call when the program has ended its profile: display away, summary written (to standard error or
 * the file, unless the relay or `lmp run` writes it). `ending`: how, in words. */
void ending_finish(struct LmpProfile *p, const char *ending);

/* Calls `f` once, when the process exits (also without lua_close). */
void ending_at_exit(void (*f)(void));

/* Sends the shared state to `lmp run`. True: this state may show the display. */
bool ending_handshake(const struct LmpProfile *p, int socket);

/* Tells `lmp run` that there is a state which could not be profiled. */
void ending_refused(int socket);

/* Finds the path of the command lmp: LMP_COMMAND, beside the module, ../../../bin from it, or in
 * PATH. Error: NOVIEWER. */
LmpErr ending_find_command(char *out, size_t size);

#endif
