/* lmp.h - lmp, the Lua memory profiler, for programs that embed Lua 5.4 or 5.5, in C and C++.
 *
 * The functions are in liblmp.so.1 (pkg-config lmp). At the first call it loads the module that
 * fits the state's Lua, the same that `require "luamemprofiler"`, `lmp run` and `lmp attach` load:
 * a process has one copy of the profiler, whoever starts it. Where the module cannot be had, each
 * function says so by its result, and the program runs on unprofiled.
 *
 * Every function returns 0, or an error (LMP_ERR_...), whose text lmp_why has. None raises an error
 * of Lua, throws, prints, or changes what is on the state's stack. All are safe without a profile,
 * in any number of states, in finalizers while the state is closed (where none can be started), and
 * in hooks. L is any thread of the state that is not suspended; as for Lua's own functions, one
 * system thread at a time may use a state, and a state may move from one to another.
 *
 * What is here stays: liblmp.so.1 only gets more, and LMP_API_VERSION is then one higher. What
 * would take or change anything makes liblmp.so.2. Structs have room for what may come, all zeroes.
 */
#ifndef LMP_LMP_H
#define LMP_LMP_H

#include <stddef.h>
#include <stdint.h>

#define LMP_API_VERSION 1

#ifdef __cplusplus
extern "C" {
#endif

#define LMP_API __attribute__((visibility("default")))

struct lua_State;
struct lmp_Figures;

/* ## Start and stop */

/* Starts to profile L's state. `options` are those of lmp.start in Lua as text, NULL for none:
 * "stacks=true sample=512KiB name='my game'". A value with blanks stands in single quotes, and a
 * quote within it is doubled. `summary` is false if not set.
 *
 * Returns 0, and the profile runs; or one of NOTTY, NOVIEWER, VIEWER, PTY, SECURE, NOLINES,
 * NOSTACKS, NOSAMPLE and NOCOUNTS, and the profile runs without what the error names; or another
 * error, and nothing has changed. Under `lmp run` the profile runs already, and the first call has
 * no other effect. */
LMP_API int lmp_start(struct lua_State *L, const char *options);

/* Returns 1 if L's state is being profiled, else 0. */
LMP_API int lmp_running(struct lua_State *L);

/* Makes `require "luamemprofiler"` in L find the module, wherever it is installed: also with an
 * empty package.cpath. lmp_start does it as well. */
LMP_API int lmp_offer(struct lua_State *L);

/* Ends the profile: the summary is written, and the state has its allocator back. The last figures
 * go to *last, which may be NULL. Error WRAPPED: the profile has ended, but another allocator was
 * put over the profiler's, which stays and passes requests on. */
LMP_API int lmp_stop(struct lua_State *L, struct lmp_Figures *last);

/* ## Figures */

/* Lua's types, the order of lmp_Figures.type. */
enum lmp_Type {
    LMP_TYPE_STRING,
    LMP_TYPE_FUNCTION,
    LMP_TYPE_USERDATA,
    LMP_TYPE_THREAD,
    LMP_TYPE_TABLE,
    LMP_TYPE_OTHER,
    LMP_TYPES
};

/* The state's heap since start; fields as in lmp.stats of Lua. */
typedef struct lmp_Figures {
    uint64_t live_bytes, live_blocks, peak_bytes;
    uint64_t mallocs, malloc_bytes; /* allocations */
    uint64_t reallocs;
    int64_t realloc_bytes; /* new sizes less old ones */
    uint64_t frees, free_bytes;
    uint64_t gc_cycles, gc_freed_bytes; /* collections that have ended */
    uint64_t dropped;                   /* allocations that are in no other figure: no memory */
    double seconds;
    struct {
        uint64_t live_bytes, live_blocks;
    } type[LMP_TYPES];
    uint64_t room[16];
} lmp_Figures;

/* Reads the figures of this moment. Takes about a microsecond. */
LMP_API int lmp_figures(struct lua_State *L, lmp_Figures *out);

/* Who made what: a line of a script. */
typedef struct lmp_Line {
    char source[128], function[128];
    int32_t line;                     /* 0: it is C code */
    uint64_t live_bytes, live_blocks; /* what it made and that still lives */
    uint64_t made_bytes, allocs;      /* all that it made, growth of blocks included */
    uint64_t room[8];
} lmp_Line;

/* Writes the lines that hold most, the most first, into out[*n], and how many it has written to
 * *n. */
LMP_API int lmp_lines(struct lua_State *L, lmp_Line out[], size_t *n);

/* ## Frames, tags, marks */

/* One round of the program's loop. */
typedef struct lmp_Frame {
    uint64_t number;        /* from 1; 0: the first call, which only begins one */
    uint64_t bytes, allocs; /* made in it */
    uint64_t gc_cycles;     /* collections that ended in it */
    double seconds;
    uint64_t room[4];
} lmp_Frame;

/* Ends one frame, and begins the next: a round of a game's loop, a request. The frame that has
 * ended goes to *out, if that is not NULL. `name` (NULL: none) is what it is called should it be
 * one of the worst; 39 bytes of it are kept. Allocates nothing. */
LMP_API int lmp_frame(struct lua_State *L, const char *name, lmp_Frame *out);

/* Charges what L makes from now on to `name`; NULL: to none. L is the coroutine that makes it.
 * *before (NULL: not needed) is the name before, NULL: there was none; it stays good as long as the
 * profile. In a profile without lines tags have no effect. */
LMP_API int lmp_tag(struct lua_State *L, const char *name, const char **before);

/* Notes a mark at this moment, as the key m of the display does. `name` NULL: it gets a number. */
LMP_API int lmp_mark(struct lua_State *L, const char *name);

/* ## A limit */

/* Is called at a limit, with the running thread of the state. It may do all that a debug hook of
 * Lua may: call Lua, the functions here (lmp_stop as well), end the running script by lua_error. It
 * must not throw an exception of C++. */
typedef void lmp_Reached(struct lua_State *L, uint64_t live_bytes, void *ud);

/* Has `reached` called whenever the heap grows above `bytes`, garbage included; again when it has
 * been below in between. 0 bytes: no more. There is one limit in a state, and it ends with the
 * profile.
 *
 * The call comes between two instructions of the script that runs, some milliseconds of work later,
 * and not while a C function runs; there is none if the heap is below again by then. A check that
 * costs nothing, not a wall. */
LMP_API int lmp_limit(struct lua_State *L, uint64_t bytes, lmp_Reached *reached, void *ud);

/* ## Files */

/* How a snapshot is taken. */
enum { LMP_COLLECT = 1, LMP_WAIT = 2 };

/* Writes a snapshot of the heap for `lmp heap`, in a child process. `file` NULL: a name is chosen,
 * lmp-PID-N.heap. `how`: LMP_COLLECT does a full collection first; with LMP_WAIT it returns when
 * the file is written, and any error of writing. Errors: BUSY (another is being written), FILE,
 * LAYOUT, CHILD, NOMEM. */
LMP_API int lmp_snapshot(struct lua_State *L, const char *file, int how);

/* Records the run from now on, for `lmp replay`, `lmp report` and `lmp diff`. Another process
 * writes `file` and closes it when the profile ends. Errors: FILE, NOVIEWER (the command lmp is not
 * found), VIEWER, SECURE. */
LMP_API int lmp_record(struct lua_State *L, const char *file);

/* ## Errors */

/* What a function may return. Numbers stay. */
enum lmp_Error {
    LMP_ERR_NOMEM = 1,
    LMP_ERR_INVAL = 2,
    LMP_ERR_MEMFD = 3,
    LMP_ERR_NOTTY = 9,
    LMP_ERR_NOVIEWER = 10,
    LMP_ERR_VIEWER = 11,
    LMP_ERR_PTY = 12,
    LMP_ERR_STARTED = 13,
    LMP_ERR_NOTSTARTED = 14,
    LMP_ERR_CLOSED = 15,
    LMP_ERR_WRAPPED = 16,
    LMP_ERR_SECURE = 17,
    LMP_ERR_NOLINES = 18,
    LMP_ERR_NOSTACKS = 19,
    LMP_ERR_NOSAMPLE = 20,
    LMP_ERR_NOCOUNTS = 21,
    LMP_ERR_FILE = 22,
    LMP_ERR_LAYOUT = 23,
    LMP_ERR_BUSY = 24,
    LMP_ERR_CHILD = 25,
    LMP_ERR_OPTION = 27,
    LMP_ERR_NOMODULE = 28,
    LMP_ERR_THREAD = 29,
    LMP_ERR_RAISED = 30
};

/* Returns what the last call of this system thread was refused for, in a sentence with names and
 * values; "" if it was not. Good until the next call. */
LMP_API const char *lmp_why(void);

/* Return the name of an error without LMP_ERR_ ("NOMEM"), and what it means in general. Never
 * NULL. */
LMP_API const char *lmp_error_name(int error);
LMP_API const char *lmp_error_text(int error);

/* Returns the LMP_API_VERSION that the library which runs was built with. */
LMP_API int lmp_api_version(void);

#ifdef __cplusplus
}
#endif

#endif
