/* measured.h - what lmp.measure and lmp.measure_growth share: a stretch of the run that ends
 * however the function ends that is measured, and the sites that made something in it. */
#ifndef LMP_LUA_MEASURED_H
#define LMP_LUA_MEASURED_H

#include <lua.h>
#include <stdbool.h>

#include "agent/session/interval.h"
#include "read/ledger/ledger.h"
#include "read/stats.h"

/* What is told of a type at a moment: what the program holds, that is, without the interpreter's
 * table of strings and without stacks, which grow and shrink as it sees fit. */
typedef struct MeasuredHeld {
    uint64_t bytes, blocks;
} MeasuredHeld;

MeasuredHeld measured_held(const LmpStats *stats, LmpKind kind);
MeasuredHeld measured_held_all(const LmpStats *stats);

/* In a userdata of its own: closed when the C function returns or is left by an error, at the
 * latest when it is collected. */
typedef struct Measured {
    LmpInterval interval;
    Ledger ledger;
    void *rows; /* owned: malloc */
} Measured;

/* Makes one of `size` bytes (a Measured at its beginning, all zeroes), puts it below everything
 * else on the stack of the running C function, and begins. NULL: nothing can be measured; *err says
 * why, and so does standard error, once; the stack has it all the same. */
Measured *measured_begin(lua_State *L, size_t size, LmpErr *err);
/* Two full collections: the second frees what finalizers have seen. False: none can be had here. */
bool measured_collect(lua_State *L);
/* Figures and sites at this moment. False: the profile has ended since, or there is no memory. */
bool measured_read(lua_State *L, Measured *m, LmpStats *stats);
void measured_end(lua_State *L, Measured *m);

/* The first argument is to be called: else an error. */
void measured_check(lua_State *L);

/* Sets fields of the table on top. */
void measured_set(lua_State *L, const char *name, lua_Integer n);
void measured_set_site(lua_State *L, const LmpSiteRow *site);

/* lmp.measure(f, ...), lmp.measure_growth(f, ...) */
int module_measure(lua_State *L);
int module_measure_growth(lua_State *L);

#endif
