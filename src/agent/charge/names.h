/* names.h - qualified names of functions, as reached from loaded modules and globals:
 * "table.insert", "options.price", "print", "Stack.push", "FILE*:read". They are stored in
 * LmpFunction.qualified.
 *
 * The name with the fewest steps wins; of these, one through a loaded module before one through
 * globals, then the shorter text, then alphabetical order: the same from run to run. A Lua function
 * of which several closures are found at different places (a factory's product) has none.
 *
 * A pass looks through tables with raw access only: it runs no code of the program, makes no
 * objects, and stops after a bounded number of entries. It is made where any call of the Lua API
 * is safe: at start, at the end, from our own API functions, and from a debug hook that fires
 * between two instructions. */
#ifndef LMP_NAMES_H
#define LMP_NAMES_H

#include "agent/state/profile.h"

/* Sites are open. Without memory, functions have none; nothing else changes. */
void names_open(LmpProfile *p);
void names_close(LmpProfile *p);

/* Looks for the qualified names of all functions in the tables. L runs a C function. */
void names_pass(LmpProfile *p, lua_State *L);

/* Does the same if there is something to look for: functions without a name that are new, or, at
 * longer and longer intervals, all of them again. Called from our own API functions. */
void names_look(LmpProfile *p, lua_State *L);

/* Schedules a pass when one is due, at the next instruction that a thread executes. From the tick;
 * looks at no stack. */
void names_tick(LmpProfile *p);

/* Makes the pass that the tick has waited for, if it has; between two instructions of L. */
void names_answer(LmpProfile *p, lua_State *L);

#endif
