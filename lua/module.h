/* module.h - what the files of the Lua module share. */
#ifndef LMP_MODULE_H
#define LMP_MODULE_H

#include <lua.h>
#include <stdbool.h>

#include "agent/session/interval.h"
#include "agent/session/profiler.h"
#include "base/err.h"
#include "read/ledger/ledger.h"
#include "read/stats.h"

/* Makes our own values for the program: `make` pushes `results` of them, and none of the blocks
 * that it asks for is counted. Protected, so that the end of the own call is not missed: returns a
 * status as lua_pcall does, with the error on the stack. */
int module_own_call(lua_State *L, void (*make)(lua_State *L, void *from), void *from, int results);

/* Gives the script what the environment has refused: nil, a message (`why`; NULL: the error's own)
 * and the error's name. If no profile was started, that is misuse, and raises an error. */
int module_refuse(lua_State *L, LmpErr err, const char *why);

/* ---- options.c ------------------------------------------------------------------------------- */

/* Reads the options table at index 1 of start()'s stack into *o; raises an error that names the
 * option and what was expected. Strings stay anchored in that table. */
void options_check(lua_State *L, LmpOptions *o);

/* Reads LMP_ENV_RUN (launch.h), which is cut up; false: it was not written by `lmp run`, or its
 * socket has been closed on the way here. */
bool options_read_run(char *text, LmpOptions *o);
enum { OPTIONS_WHY = 512 }; /* bytes of a text that says what is wrong */
/* Reads options as text (start_options.h), which is cut up; strings stay in it. Those that are
 * wrong are left out. Returns false if there are some: `why` (OPTIONS_WHY bytes) is about the
 * first. */
bool options_read_text(char *text, LmpOptions *o, char *why);

/* ---- luamemprofiler.c ------------------------------------------------------------------------ */

/* Writes what a start was refused for: of a recording's file also which it is and, if it is known,
 * what the system says of it (`why`: an errno, 0: not known). Of a snapshot's file the same. */
void module_describe(char *out, size_t size, LmpErr err, const LmpOptions *options, int why);
void module_describe_snapshot(char *out, size_t size, LmpErr err, const LmpSnapshotLive *of);

/* Starts the profile that `lmp run` wants in a state that has none. Returns false if the program
 * was not started by it. */
bool module_start_for_run(lua_State *L);

/* Has `require "luamemprofiler"` find this very module, wherever it lies. A lua_CFunction; may
 * raise a memory error. */
int module_preload(lua_State *L);

/* ---- figures.c: what stats() and stop() return ----------------------------------------------- */

typedef struct Figures {
    LmpStats stats;
    unsigned parts; /* LEDGER_* that were asked for */
    Ledger ledger;  /* holds them; sorted in place */
} Figures;

/* Returns the parts that the table at index 1 asks for ({sites = true, ...}; none or nil: 0).
 * Raises an error that names the key and what was expected. `function`: who is asked. */
unsigned figures_parts(lua_State *L, const char *function);

/* Sorts the rows of lines: what holds most first. */
void figures_sort_sites(Ledger *ledger);

/* Pushes the table of a Figures (`from` is not const: rows are sorted). */
void figures_push(lua_State *L, void *from);

/* ---- values.c -------------------------------------------------------------------------------- */

/* Adds size, total_size, retained, references and paths to the table at the top of the stack. */
void values_register(lua_State *L);

/* ---- measure.c and measure_growth.c ---------------------------------------------------------- */

/* What lmp.measure and lmp.measure_growth share: a stretch of the run that ends however the
 * function ends that is measured, and the sites that made something in it. */

/* What is told of a type at a moment: what the program holds, that is, without the interpreter's
 * table of strings and without stacks, which grow and shrink as it sees fit. */
typedef struct MeasuredHeld {
    uint64_t bytes, blocks;
} MeasuredHeld;

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
/* Does two full collections: the second frees what finalizers have seen. False: none can be had
 * here. */
bool measured_collect(lua_State *L);
/* Reads figures and sites at this moment. Returns false if the profile has ended since, or there is
 * no memory. */
bool measured_read(lua_State *L, Measured *m, LmpStats *stats);
void measured_end(lua_State *L, Measured *m);

/* Raises an error unless the first argument can be called. */
void measured_check(lua_State *L);

/* Are lmp.measure(f, ...) and lmp.measure_growth(f, ...). */
int module_measure(lua_State *L);
int module_measure_growth(lua_State *L);

#endif
