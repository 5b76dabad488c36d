/* fields.h - tables of Lua: sets fields of the one on top; reads one whose fields are flags. */
#ifndef LMP_FIELDS_H
#define LMP_FIELDS_H

#include <lua.h>
#include <stdbool.h>

#include "read/ledger/ledger.h"

void field_integer(lua_State *L, const char *name, lua_Integer n);
void field_number(lua_State *L, const char *name, double n);
void field_text(lua_State *L, const char *name, const char *text);
void field_flag(lua_State *L, const char *name, bool flag);
/* Sets the fields that say which line it is. */
void fields_site(lua_State *L, const LmpSiteRow *site);

typedef struct FieldFlag {
    const char *name;
    unsigned bit;
} FieldFlag;

/* Reads the table of flags at `index`; none or nil: no flag is set. Raises an error of `function`
 * that names the field (`what` one is called) and what was expected. `flags`: all that there are,
 * up to one without a name. Returns the bits of those that are true. */
unsigned fields_flags(lua_State *L, int index, const char *function, const char *what,
                      const FieldFlag *flags);

#endif
