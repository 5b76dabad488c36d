/* figures.h - figures as Lua tables: what stats() and stop() return. docs/api.md documents
 * every field. */
#ifndef LMP_LUA_FIGURES_H
#define LMP_LUA_FIGURES_H

#include <lua.h>

#include "read/ledger/ledger.h"
#include "read/stats.h"

typedef struct Figures {
    LmpStats stats;
    unsigned parts; /* LEDGER_* that were asked for */
    Ledger ledger;  /* holds them; sorted in place */
} Figures;

/* Which parts the table at index 1 asks for ({sites = true, ...}; none or nil: 0). Raises an error
 * that names the key and what was expected. `function`: who is asked. */
unsigned figures_parts(lua_State *L, const char *function);

/* Pushes the table of a Figures (`from` is not const: rows are sorted). */
void figures_push(lua_State *L, void *from);

#endif
